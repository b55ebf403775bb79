#include "touch/touch.h"
#include "base/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/joint.h"
#include "model/form.h"
#include "model/world.h"
#include "solve/surface_mix.h"
#include "touch/soft_touch.h"

enum { SHAPE_CHUNK = 128, PAIR_CHUNK = 32, AHEAD = 2 };

// ---- shapes ----

const sn_collider *sn_touch_collider(const sn_world *world, const sn_touch_shape *shape)
{
    return &sn_form_colliders(world->bodies.data[shape->body].form)[shape->shape];
}

const sn_surface *sn_touch_surface(const sn_world *world, const sn_touch_shape *shape)
{
    return &sn_form_shapes(world->bodies.data[shape->body].form)[shape->shape].surface;
}

static double longest_corner(const sn_aabb *box)
{
    sn_vec3 low = box->lower, high = box->upper;
    sn_vec3 far = {-low.x > high.x ? -low.x : high.x, -low.y > high.y ? -low.y : high.y,
                   -low.z > high.z ? -low.z : high.z};
    return sn_length(far);
}

// What "small" is measured by: of meshes a share of their extent, of the ground nothing.
static double shape_size(const sn_collider *collider)
{
    if (collider->type == SN_COLLIDER_PLANE || collider->type == SN_COLLIDER_HEIGHT_FIELD) {
        return INFINITY;
    }
    double extent = sn_length(sn_vec3_sub(collider->bounds.upper, collider->bounds.lower));
    return sn_collider_is_convex(collider) ? fmax(collider->size, 1e-3 * extent) : 0.1 * extent;
}

// The shapes of a body that is new here. A body made while nothing met anything gets a form with
// colliders now.
static sn_status add_shapes(sn_world *world, uint32_t body, sn_error *error)
{
    sn_touch *touch = &world->touch;
    sn_body_record *record = &world->bodies.data[body];
    int first = touch->shapes.count, count = record->shape_count;
    if (count > 0 && sn_form_colliders(record->form) == NULL) {
        sn_form *form = NULL;
        sn_error inner = {0};
        sn_status status = sn_form_make(record->shapes, count, true, world->recent_forms,
                                        SN_RECENT_FORMS, &form, &inner);
        if (status != SN_OK) {
            return sn_fail(error, status, record->name, "%s", sn_error_message(&inner));
        }
        sn_form_release(record->form);
        record->form = form;
        record->shapes = sn_form_shapes(form);
    }
    if (!sn_array_reserve(&touch->shapes, first + count) ||
        !sn_array_reserve(&touch->places, first + count)) {
        return sn_fail_memory(error, (size_t)count * sizeof(sn_touch_shape));
    }
    int next = first;
    for (int i = 0; i < count; ++i) {
        const sn_collider *collider = &sn_form_colliders(record->form)[i];
        if (!sn_shape_touches(&record->shapes[i])) {
            continue;
        }
        touch->shapes.data[next] = (sn_touch_shape){body,
                                                    i,
                                                    -1,
                                                    false,
                                                    SN_NEAR_SHARE * shape_size(collider),
                                                    longest_corner(&collider->bounds)};
        touch->places.data[next++] = (sn_touch_place){.frame = SN_TRANSFORM_IDENTITY};
    }
    touch->shapes.count = touch->places.count = next;
    record->touch = first;
    return SN_OK;
}

// Closes the gaps that removed bodies have left. Shapes keep their order, so pairs stay sorted; the
// broad phase is made anew.
static void close_gaps(sn_world *world)
{
    sn_touch *touch = &world->touch;
    int kept = 0;
    uint32_t last = 0;
    if (touch->dead < 64 || 2 * touch->dead < touch->shapes.count) {
        return;
    }
    sn_broad_destroy(touch->broad);
    touch->broad = NULL;
    for (int i = 0; i < touch->shapes.count; ++i) {
        sn_touch_shape shape = touch->shapes.data[i];
        touch->shapes.data[i].proxy = kept; // where it goes, until it has gone
        if (shape.body != 0) {
            if (shape.body != last) {
                world->bodies.data[shape.body].touch = kept;
            }
            last = shape.body;
            kept += 1;
        }
    }
    for (int i = 0; i < touch->pairs.count; ++i) {
        sn_pair *pair = &touch->pairs.data[i];
        pair->a = (uint32_t)touch->shapes.data[pair->a].proxy;
        pair->b = (uint32_t)touch->shapes.data[pair->b].proxy;
    }
    kept = 0;
    for (int i = 0; i < touch->shapes.count; ++i) {
        if (touch->shapes.data[i].body != 0) {
            touch->places.data[kept] = touch->places.data[i];
            touch->shapes.data[kept] = touch->shapes.data[i];
            touch->shapes.data[kept++].proxy = -1;
        }
    }
    touch->shapes.count = touch->places.count = kept;
    touch->dead = 0;
    touch->statics_current = false;
    sn_array_clear(&touch->noted);
    sn_array_clear(&touch->strikes);
}

// Every body's shapes, in the order of bodies.
static sn_status add_all_shapes(sn_world *world, sn_error *error)
{
    close_gaps(world);
    for (int i = 0; i < world->body_order.count && !world->shapes_current; ++i) {
        uint32_t body = world->body_order.data[i];
        sn_status status =
            world->bodies.data[body].touch < 0 ? add_shapes(world, body, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    world->shapes_current = true;
    return SN_OK;
}

static void give_contacts(sn_touch *touch, sn_pair *pair)
{
    // The lists have room for every run there is: see take_contacts.
    if (pair->capacity == 1) {
        touch->free_single.data[touch->free_single.count++] = pair->contacts;
    } else {
        touch->free_patches.data[touch->free_patches.count++] = pair->contacts;
    }
    if (pair->apart > 0) {
        touch->free_gaps.data[touch->free_gaps.count++] = pair->apart;
    }
}

// Keeps only pairs of which `keep` says so.
static void filter_pairs(sn_world *world, bool (*keep)(const sn_world *, const sn_pair *))
{
    sn_touch *touch = &world->touch;
    int kept = 0;
    for (int i = 0; i < touch->pairs.count; ++i) {
        if (keep(world, &touch->pairs.data[i])) {
            touch->pairs.data[kept++] = touch->pairs.data[i];
        } else {
            give_contacts(touch, &touch->pairs.data[i]);
        }
    }
    touch->pairs.count = kept;
}

static bool is_alive(const sn_world *world, const sn_pair *pair)
{
    const sn_touch_shape *shapes = world->touch.shapes.data;
    return shapes[pair->a].body != 0 && shapes[pair->b].body != 0;
}

void sn_touch_remove_body(sn_world *world, uint32_t body)
{
    sn_touch *touch = &world->touch;
    sn_body_record *record = &world->bodies.data[body];
    if (record->touch < 0) {
        return;
    }
    for (int i = 0; i < sn_form_touching(record->form); ++i) {
        sn_touch_shape *shape = &touch->shapes.data[record->touch + i];
        if (shape->proxy >= 0) {
            sn_broad_remove(touch->broad, shape->proxy);
        }
        *shape = (sn_touch_shape){.proxy = -1};
    }
    touch->dead += sn_form_touching(record->form);
    touch->wake = true;
    record->touch = -1;
    filter_pairs(world, is_alive);
    sn_soft_touch_drop_body(&touch->soft, body);
    sn_array_clear(&touch->active);
    sn_array_clear(&touch->noted);
    touch->stays_current = false;
}

static void free_piles(sn_touch_piles *piles)
{
    sn_array_free(&piles->contacts);
    sn_array_free(&piles->agents);
    sn_pile_free(&piles->pile);
}

void sn_touch_free(sn_touch *touch)
{
    sn_broad_destroy(touch->broad);
    sn_array_free(&touch->shapes);
    sn_array_free(&touch->places);
    sn_array_free(&touch->kdops);
    sn_array_free(&touch->pairs);
    sn_array_free(&touch->merged);
    sn_array_free(&touch->pool);
    sn_array_free(&touch->free_single);
    sn_array_free(&touch->free_patches);
    sn_array_free(&touch->gaps);
    sn_array_free(&touch->free_gaps);
    sn_array_free(&touch->active);
    sn_array_free(&touch->links);
    sn_array_free(&touch->kinds);
    sn_array_free(&touch->struck);
    sn_array_free(&touch->residual);
    sn_array_free(&touch->unsolved);
    sn_array_free(&touch->started);
    sn_array_free(&touch->thickness);
    sn_array_free(&touch->pressed);
    sn_array_free(&touch->courses);
    sn_array_free(&touch->bound);
    sn_array_free(&touch->fast);
    sn_array_free(&touch->strikes);
    sn_array_free(&touch->pending);
    sn_array_free(&touch->kept);
    sn_array_free(&touch->drops);
    sn_array_free(&touch->events);
    sn_array_free(&touch->parted);
    sn_array_free(&touch->stays);
    sn_array_free(&touch->noted);
    sn_array_free(&touch->still);
    sn_array_free(&touch->penalty_points);
    sn_islands_free(&touch->islands);
    free_piles(&touch->piles);
    free_piles(&touch->careful_piles);
    sn_exact_free(&touch->exact);
    sn_soft_touch_free(&touch->soft);
    for (int i = 0; i < touch->helpers.count; ++i) {
        sn_exact_free(&touch->helpers.data[i]);
    }
    sn_array_free(&touch->helpers);
}

void sn_touch_forget(sn_world *world)
{
    sn_touch *touch = &world->touch;
    for (int i = 0; i < touch->pairs.count; ++i) {
        sn_pair *pair = &touch->pairs.data[i];
        pair->cache = (sn_collide_cache){0};
        pair->flags &= (uint8_t)~SN_PAIR_OF_LAST_STEP;
        sn_touch_clear_pair(touch, pair);
    }
    sn_array_clear(&touch->active);
    sn_soft_touch_forget(&touch->soft);
    for (int i = 0; i < touch->still.count; ++i) {
        touch->still.data[i] = 0.0;
    }
    touch->statics_current = false;
}

// ---- where shapes are ----

typedef struct place_work {
    sn_world *world;
    double h, gravity; // m/s^2, its size
} place_work;

double sn_touch_pair_size(const sn_collider *a, const sn_collider *b)
{
    return fmin(shape_size(a), shape_size(b));
}

// The body whose shapes are being placed: those of one follow each other.
typedef struct placed_body {
    uint32_t body; // 0: none yet
    sn_part now;
    double speed, spin;
    sn_vec3 drift;
} placed_body;

static void take_body(const place_work *work, uint32_t body, sn_agent_ref agent, placed_body *last)
{
    const sn_agent_set *set = work->world->sets[agent.set];
    last->body = body;
    set->type->part(set, agent.agent, agent.part, &last->now);
    last->speed = sn_length(last->now.velocity);
    last->spin = sn_length(last->now.angular_velocity);
    last->drift = sn_vec3_scale(work->h, last->now.velocity);
}

// k-DOPs (26 planes, which hold slanted things tightest) around where shapes can come to touch in
// the step: as far beyond them as the boxes of move_proxies are, so that no pair with a contact is
// missed by either, and both lead to the same contacts.
enum { KDOP_PLANES = 26 };

static bool uses_kdops(const sn_world *world)
{
    return world->contact.bounds == SN_BOUNDS_KDOP;
}

static void wrap_shape(sn_world *world, int index, double margin)
{
    const sn_touch_place *place = &world->touch.places.data[index];
    if (uses_kdops(world)) {
        sn_kdop *kdop = &world->touch.kdops.data[index];
        sn_kdop_make(place->collider, &place->frame, KDOP_PLANES, kdop);
        sn_kdop_enlarge(kdop, margin, SN_VEC3_ZERO);
    }
}

static void place_shape(const place_work *work, int index, placed_body *last)
{
    sn_world *world = work->world;
    const sn_touch_shape *shape = &world->touch.shapes.data[index];
    sn_touch_place *place = &world->touch.places.data[index];
    if (shape->body == 0) {
        return;
    }
    const sn_body_record *record = &world->bodies.data[shape->body];
    const sn_collider *collider = sn_touch_collider(world, shape);
    sn_transform local = sn_form_shapes(record->form)[shape->shape].frame;
    place->side = sn_touch_side(world, shape);
    place->collider = collider;
    if (record->agent.agent < 0) {
        if (shape->proxy < 0 || !world->touch.statics_current) {
            place->frame = sn_transform_multiply(record->own->frame, local);
            place->bounds = sn_collider_bounds(collider, &place->frame);
            place->travel = 0.0;
            wrap_shape(world, index, 0.0);
        }
        return;
    }
    const sn_agent_set *set = world->sets[record->agent.set];
    bool held = set->agents[record->agent.agent].held;
    if (held && shape->proxy >= 0 && world->touch.statics_current) {
        place->travel = 0.0;
        return;
    }
    if (last->body != shape->body) {
        take_body(work, shape->body, record->agent, last);
    }
    place->frame = sn_transform_multiply(last->now.frame, local);
    place->bounds = sn_collider_bounds(collider, &place->frame);
    double reach = sn_length(sn_vec3_sub(place->frame.position, last->now.centre)) + shape->corner;
    place->travel =
        held ? 0.0 : work->h * (last->speed + last->spin * reach + work->h * work->gravity);
    place->drift = last->drift;
    wrap_shape(world, index, shape->near + place->travel);
}

static void place_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    placed_body body = {0};
    for (int i = first; i < last; ++i) {
        place_shape(context, i, &body);
    }
}

static bool is_moving(const sn_world *world, const sn_touch_shape *shape)
{
    return world->bodies.data[shape->body].agent.agent >= 0;
}

static sn_aabb enlarged(sn_aabb box, double by)
{
    sn_vec3 margin = {by, by, by};
    return (sn_aabb){sn_vec3_sub(box.lower, margin), sn_vec3_add(box.upper, margin)};
}

static int add_proxy(sn_touch *touch, const sn_collider *collider, const sn_touch_place *place,
                     sn_aabb box, int index, bool moving)
{
    if (collider->type != SN_COLLIDER_PLANE) {
        return sn_broad_add(touch->broad, box, (uint32_t)index, moving);
    }
    sn_vec3 up = sn_rotate(place->frame.rotation, (sn_vec3){0.0, 0.0, 1.0});
    return sn_broad_add_half_space(touch->broad, up, sn_dot(up, place->frame.position),
                                   (uint32_t)index);
}

static void move_proxy(sn_world *world, int index, sn_aabb box)
{
    sn_touch *touch = &world->touch;
    int proxy = touch->shapes.data[index].proxy;
    sn_vec3 drift = touch->places.data[index].drift;
    if (uses_kdops(world)) {
        sn_broad_move_kdop(touch->broad, proxy, &touch->kdops.data[index], drift);
    } else {
        sn_broad_move(touch->broad, proxy, box, drift);
    }
}

// Tells the broad phase where everything is.
static bool move_proxies(sn_world *world)
{
    sn_touch *touch = &world->touch;
    for (int i = 0; i < touch->shapes.count; ++i) {
        sn_touch_shape *shape = &touch->shapes.data[i];
        const sn_touch_place *place = &touch->places.data[i];
        if (shape->body == 0) {
            continue;
        }
        bool moving = is_moving(world, shape);
        sn_aabb box = moving ? enlarged(place->bounds, shape->near + place->travel) : place->bounds;
        if (moving && shape->moves && shape->proxy >= 0) {
            move_proxy(world, i, box);
            continue;
        }
        const sn_collider *collider = sn_touch_collider(world, shape);
        bool moved =
            shape->proxy >= 0 && (shape->moves != moving || // put into a mechanism, or taken out
                                  (collider->type == SN_COLLIDER_PLANE && !touch->statics_current));
        if (moved) {
            sn_broad_remove(touch->broad, shape->proxy);
            shape->proxy = -1;
        }
        if (shape->proxy < 0) {
            shape->proxy = add_proxy(touch, collider, place, box, i, moving);
            shape->moves = moving;
            if (shape->proxy < 0) {
                return false;
            }
            if (uses_kdops(world)) { // so far it has its box
                move_proxy(world, i, box);
            }
        } else if (moving || !touch->statics_current) {
            move_proxy(world, i, box);
        }
    }
    touch->statics_current = true;
    return true;
}

// ---- pairs ----

bool sn_touch_may_meet(const sn_world *world, const sn_touch_shape *a, const sn_touch_shape *b)
{
    const sn_surface *of_a = sn_touch_surface(world, a), *of_b = sn_touch_surface(world, b);
    bool wanted = (of_a->meets & of_b->group) != 0 && (of_b->meets & of_a->group) != 0 &&
                  !(of_a->sensor && of_b->sensor);
    sn_agent_ref of_body_a = world->bodies.data[a->body].agent,
                 of_body_b = world->bodies.data[b->body].agent;
    bool apart = world->contact.within || of_body_a.agent < 0 || of_body_a.set != of_body_b.set ||
                 of_body_a.agent != of_body_b.agent;
    return wanted && apart && !sn_world_is_dropped(world, a->body, b->body);
}

static void mix_surfaces(const sn_world *world, sn_pair *pair)
{
    const sn_touch_shape *a = &world->touch.shapes.data[pair->a],
                         *b = &world->touch.shapes.data[pair->b];
    const sn_surface *of_a = sn_touch_surface(world, a), *of_b = sn_touch_surface(world, b);
    sn_surface_mix mix = sn_mix_surfaces(of_a, of_b);
    pair->friction = mix.friction;
    pair->restitution = mix.restitution;
    pair->rolling_friction = mix.rolling_friction;
    pair->spinning_friction = mix.spinning_friction;
    pair->size = sn_touch_pair_size(sn_touch_collider(world, a), sn_touch_collider(world, b));
    pair->flags &= (uint8_t) ~(SN_PAIR_SENSOR | SN_PAIR_DROPPED | SN_PAIR_DRIVEN);
    pair->flags |= of_a->sensor || of_b->sensor ? SN_PAIR_SENSOR : 0;
    bool driven =
        sn_dot(of_a->velocity, of_a->velocity) + sn_dot(of_b->velocity, of_b->velocity) > 0.0;
    pair->flags |= driven ? SN_PAIR_DRIVEN : 0;
    pair->flags |= sn_touch_may_meet(world, a, b) ? 0 : SN_PAIR_DROPPED;
}

static bool has_patches(const sn_world *world, const sn_pair *pair)
{
    const sn_touch_shape *shapes = world->touch.shapes.data;
    return sn_touch_collider(world, &shapes[pair->a])->type >= SN_COLLIDER_HEIGHT_FIELD ||
           sn_touch_collider(world, &shapes[pair->b])->type >= SN_COLLIDER_HEIGHT_FIELD;
}

// Room for what is known of the gap between two meshes; none for other pairs.
static bool take_gap(sn_world *world, sn_pair *pair)
{
    sn_touch *touch = &world->touch;
    const sn_touch_shape *shapes = touch->shapes.data;
    if (sn_touch_collider(world, &shapes[pair->a])->type != SN_COLLIDER_MESH ||
        sn_touch_collider(world, &shapes[pair->b])->type != SN_COLLIDER_MESH) {
        return true;
    }
    if (touch->free_gaps.count > 0) {
        pair->apart = touch->free_gaps.data[--touch->free_gaps.count];
    } else {
        if (!sn_array_reserve(&touch->free_gaps, touch->gaps.count + 1) ||
            !sn_array_resize(&touch->gaps, touch->gaps.count + 1)) {
            return false;
        }
        pair->apart = touch->gaps.count;
    }
    touch->gaps.data[pair->apart - 1] = (sn_mesh_apart){0};
    return true;
}

// A run of contacts for a pair, with at most `more` pairs to come: a pool that grows grows for all
// of them at once, as each time costs a copy of it in fresh memory. Lists of free runs have room
// for all runs, so that giving back cannot fail.
static bool take_contacts(sn_world *world, sn_pair *pair, int more)
{
    sn_touch *touch = &world->touch;
    pair->capacity = has_patches(world, pair) ? SN_PATCHES : 1;
    int *given = pair->capacity == 1 ? &touch->free_single.count : &touch->free_patches.count;
    if (*given > 0) {
        *given -= 1;
        pair->contacts = pair->capacity == 1 ? touch->free_single.data[*given]
                                             : touch->free_patches.data[*given];
    } else {
        int runs = touch->pool.count + pair->capacity;
        int room = runs > touch->pool.capacity ? runs + more : runs;
        if (!sn_array_reserve(&touch->free_single, room) ||
            !sn_array_reserve(&touch->free_patches, room) ||
            !sn_array_reserve(&touch->pool, room)) {
            return false;
        }
        pair->contacts = touch->pool.count;
        touch->pool.count = runs;
    }
    // Padding, too: these become bytes of saved states.
    memset(&touch->pool.data[pair->contacts], 0, pair->capacity * sizeof *touch->pool.data);
    return true;
}

sn_pair *sn_touch_find_pair(const sn_touch *touch, uint32_t a, uint32_t b)
{
    int low = 0, high = touch->pairs.count;
    while (low < high) {
        int middle = (low + high) / 2;
        sn_pair *pair = &touch->pairs.data[middle];
        if (pair->a == a && pair->b == b) {
            return pair;
        }
        bool after = pair->a < a || (pair->a == a && pair->b < b);
        low = after ? middle + 1 : low;
        high = after ? high : middle;
    }
    return NULL;
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static bool is_near(const sn_world *world, const sn_pair *pair)
{
    const sn_touch *touch = &world->touch;
    return sn_broad_overlaps(touch->broad, touch->shapes.data[pair->a].proxy,
                             touch->shapes.data[pair->b].proxy);
}

void sn_touch_renew_broad(sn_touch *touch)
{
    sn_broad_destroy(touch->broad);
    touch->broad = NULL;
    for (int i = 0; i < touch->shapes.count; ++i) {
        touch->shapes.data[i].proxy = -1;
    }
}

// Memory ran out among pairs: all are found anew in the next step.
static void forget_pairs(sn_touch *touch)
{
    sn_touch_renew_broad(touch);
    sn_array_clear(&touch->pairs);
    sn_array_clear(&touch->pool);
    sn_array_clear(&touch->free_single);
    sn_array_clear(&touch->free_patches);
    sn_array_clear(&touch->gaps);
    sn_array_clear(&touch->free_gaps);
    sn_array_clear(&touch->active);
    sn_array_clear(&touch->noted);
    touch->stays_current = false;
}

// Merges what the broad phase has found with the pairs there are; those that have parted go.
static bool merge_pairs(sn_world *world, const sn_broad_pair *found, int found_count)
{
    sn_touch *touch = &world->touch;
    int old = 0, made = 0;
    if (!sn_array_reserve(&touch->merged, touch->pairs.count + found_count)) {
        return false;
    }
    for (int i = 0; i <= found_count; ++i) {
        uint64_t key = i < found_count ? pair_key(found[i].user_a, found[i].user_b) : UINT64_MAX;
        for (; old < touch->pairs.count; ++old) {
            sn_pair *pair = &touch->pairs.data[old];
            uint64_t own = pair_key(pair->a, pair->b);
            if (own > key) {
                break;
            }
            if (own == key) {
                continue; // it is found anew below, as it was
            }
            if (is_near(world, pair)) {
                touch->merged.data[made++] = *pair;
            } else {
                bool ended = (pair->flags & SN_PAIR_TOUCHING) != 0;
                if (ended && !sn_touch_note_change(world, pair, SN_CONTACT_END)) {
                    return false;
                }
                give_contacts(touch, pair);
            }
        }
        if (i == found_count) {
            break;
        }
        bool known =
            old > 0 && pair_key(touch->pairs.data[old - 1].a, touch->pairs.data[old - 1].b) == key;
        if (known) {
            touch->merged.data[made++] = touch->pairs.data[old - 1];
            continue;
        }
        sn_pair fresh = {.a = found[i].user_a, .b = found[i].user_b};
        const sn_touch_shape *a = &touch->shapes.data[fresh.a], *b = &touch->shapes.data[fresh.b];
        if (a->body != b->body && (is_moving(world, a) || is_moving(world, b))) {
            if (!take_contacts(world, &fresh, found_count - i - 1) || !take_gap(world, &fresh)) {
                return false;
            }
            mix_surfaces(world, &fresh);
            touch->merged.data[made++] = fresh;
        }
    }
    touch->merged.count = made;
    void *swap = touch->pairs.data;
    int capacity = touch->pairs.capacity;
    touch->pairs.data = touch->merged.data;
    touch->pairs.count = made;
    touch->pairs.capacity = touch->merged.capacity;
    touch->merged.data = swap;
    touch->merged.capacity = capacity;
    touch->merged.count = 0;
    return true;
}

// ---- exact tests ----

typedef struct narrow_work {
    sn_world *world;
    double h;
    atomic_int left_out, unseen;
} narrow_work;

static void narrow_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    narrow_work *work = context;
    sn_pair *pairs = work->world->touch.pairs.data;
    int unseen = 0;
    for (int i = first; i < last; ++i) {
        if (i + AHEAD < last && pairs[i + AHEAD].count > 0) {
            sn_contact_prefetch(&work->world->touch.pool.data[pairs[i + AHEAD].contacts]);
        }
        int left_out = sn_world_collide_pair(work->world, &pairs[i], work->h);
        if (left_out > 0) {
            atomic_fetch_add(&work->left_out, left_out);
        }
        unseen += (pairs[i].flags & SN_PAIR_UNSEEN) != 0;
    }
    if (unseen > 0) {
        atomic_fetch_add(&work->unseen, unseen);
    }
}

sn_contact_side sn_touch_side(const sn_world *world, const sn_touch_shape *shape)
{
    sn_agent_ref ref = world->bodies.data[shape->body].agent;
    return ref.agent < 0 ? (sn_contact_side){-1, -1, 0}
                         : (sn_contact_side){ref.set, ref.agent, ref.part};
}

// The contacts that have points, in the order of pairs; those of sensors only notice.
static bool gather_contacts(sn_world *world)
{
    sn_touch *touch = &world->touch;
    sn_array_clear(&touch->active);
    sn_array_clear(&touch->links);
    for (int i = 0; i < touch->pairs.count; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        for (int k = 0; k < pair->count && !(pair->flags & SN_PAIR_SENSOR); ++k) {
            // The one contact of a pair has points if it counts, which spares a look at it; sides
            // are those of the shapes.
            sn_island_pair link = {sn_touch_agent_number(world, touch->places.data[pair->a].side),
                                   sn_touch_agent_number(world, touch->places.data[pair->b].side)};
            bool there = pair->capacity == 1 || touch->pool.data[pair->contacts + k].count > 0;
            if (there && (!sn_array_push(&touch->active, pair->contacts + k) ||
                          !sn_array_push(&touch->links, link))) {
                return false;
            }
        }
    }
    return true;
}

sn_status sn_world_place_shapes(sn_world *world, double h, sn_error *error)
{
    sn_touch *touch = &world->touch;
    sn_status status = add_all_shapes(world, error);
    if (status == SN_OK && touch->broad == NULL) {
        status = sn_broad_create(0.05, &touch->broad, error);
        if (status == SN_OK && uses_kdops(world)) {
            status = sn_broad_use_kdops(touch->broad, KDOP_PLANES, error);
        }
    }
    if (status == SN_OK && uses_kdops(world) &&
        !sn_array_resize(&touch->kdops, touch->shapes.count)) {
        status = sn_fail_memory(error, sizeof(sn_kdop) * (size_t)touch->shapes.count);
    }
    if (status != SN_OK) {
        return status;
    }
    place_work placing = {world, h, sn_length(world->gravity)};
    sn_threads_run(world->threads, touch->shapes.count, SHAPE_CHUNK, place_chunk, &placing);
    return move_proxies(world) ? SN_OK : sn_fail_memory(error, sizeof(sn_touch_shape));
}

sn_status sn_world_collide(sn_world *world, double h, sn_error *error)
{
    sn_touch *touch = &world->touch;
    const sn_broad_pair *found = NULL;
    int found_count = 0;
    sn_array_clear(&touch->events);
    sn_array_clear(&touch->strikes);
    for (int i = 0; i < touch->parted.count; ++i) { // kept until the step has succeeded
        if (!sn_array_push(&touch->events, touch->parted.data[i])) {
            return sn_fail_memory(error, sizeof(sn_contact_event));
        }
    }
    touch->found_at = world->time;
    double started = sn_wall_clock();
    sn_status status = sn_world_place_shapes(world, h, error);
    if (status == SN_OK) {
        status =
            sn_broad_pairs(touch->broad, world->threads, NULL, NULL, &found, &found_count, error);
    }
    if (status != SN_OK) {
        return status;
    }
    for (int i = 0; i < touch->pairs.count && !touch->surfaces_current; ++i) {
        mix_surfaces(world, &touch->pairs.data[i]);
    }
    touch->surfaces_current = true;
    if (!merge_pairs(world, found, found_count)) {
        forget_pairs(touch);
        return sn_fail_memory(error, sizeof(sn_pair));
    }
    if (!sn_touch_remember(world)) {
        return sn_fail_memory(error, sizeof(double));
    }
    double between = sn_wall_clock();
    narrow_work work = {.world = world, .h = h};
    sn_threads_run(world->threads, touch->pairs.count, PAIR_CHUNK, narrow_chunk, &work);
    touch->left_out = atomic_load(&work.left_out);
    touch->unseen = atomic_load(&work.unseen);
    world->report.broad_seconds = between - started;
    world->report.narrow_seconds = sn_wall_clock() - between;
    if (!gather_contacts(world)) {
        return sn_fail_memory(error, sizeof(int));
    }
    status = sn_world_presses(world) ? SN_OK : sn_world_collide_soft(world, h, error);
    world->report.contacts = touch->active.count;
    return status;
}
