#include "touch/soft_touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collide/skin_shape_step.h"
#include "model/world.h"
#include "solve/surface_mix.h"
#include "touch/touch.h"

enum { STRIDE = SN_SOLID_STRIDE };

void sn_soft_touch_free(sn_soft_touch *soft)
{
    sn_array_free(&soft->skins);
    sn_skin_pairs_free(&soft->pairs);
    sn_skin_contacts_free(&soft->near);
    sn_array_free(&soft->shapes);
    sn_skin_shape_contacts_free(&soft->near_shape);
    sn_array_free(&soft->contacts);
    sn_array_free(&soft->keys);
    sn_array_free(&soft->stops);
    sn_array_free(&soft->memory);
    sn_array_free(&soft->met);
    sn_array_free(&soft->meets);
    sn_array_free(&soft->crossings);
    sn_array_free(&soft->island_shares);
    sn_array_free(&soft->shares);
    sn_array_free(&soft->restored);
    sn_array_free(&soft->led);
}

// ---- one contact ----

// The contact of two points with a gap between them, from a to b along the normal.
typedef struct meeting {
    sn_contact_side a, b;
    sn_soft_key key;
    sn_vec3 on_a, on_b, normal;
    double gap, size;
    const sn_surface *surface_a, *surface_b;
    double round_a;           // see contact.h
    sn_vec3 surface_velocity; // of b against a
} meeting;

static bool add_contact(sn_world *world, const meeting *m)
{
    sn_soft_touch *soft = &world->touch.soft;
    const sn_soft_memory *before = sn_soft_recall(soft, &m->key);
    sn_surface_mix mix = sn_mix_surfaces(m->surface_a, m->surface_b);
    sn_contact contact = {.a = m->a,
                          .b = m->b,
                          .normal = m->normal,
                          .friction = mix.friction,
                          .restitution = mix.restitution,
                          .size = m->size,
                          .round_a = m->round_a,
                          .surface_velocity = m->surface_velocity,
                          .count = 1};
    contact.points[0] = (sn_contact_point){.on_a = m->on_a, .on_b = m->on_b, .gap = m->gap};
    sn_soft_key key = m->key;
    key.age = before != NULL ? before->key.age : 0;
    if (before != NULL) {
        sn_vec3 n = m->normal;
        contact.points[0].impulse = before->impulse;
        contact.points[0].anchor =
            sn_vec3_add_scaled(before->anchor, -sn_dot(before->anchor, n), n);
        contact.points[0].touched = before->touched;
    }
    sn_island_pair link = {sn_touch_agent_number(world, m->a), sn_touch_agent_number(world, m->b)};
    return sn_array_push(&soft->keys, key) && sn_array_push(&soft->contacts, contact) &&
           sn_array_push(&world->touch.active, -soft->contacts.count) &&
           sn_array_push(&world->touch.links, link);
}

static sn_vec3 velocity_of(const sn_world *world, int agent, const int *vertices,
                           const double *weights, int count)
{
    const double *v = sn_agent_v(sn_soft_agents(world), agent);
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        sum = sn_vec3_add_scaled(sum, weights[i], sn_vec3_at(v + STRIDE * vertices[i]));
    }
    return sum;
}

static int grip(sn_world *world, int agent, const int *vertices, const double *weights, int count)
{
    sn_elastic_point point = {.count = count};
    for (int i = 0; i < count; ++i) {
        point.vertices[i] = vertices[i];
        point.weights[i] = weights[i];
    }
    return sn_elastic_grip(sn_soft_agents(world), agent, &point);
}

// ---- skins with skins ----

// How near they must be to count: as near as they can come in the step, and a little more, so that
// a contact is known before it carries.
static bool matters(const sn_world *world, double gap, double closing, double size, double h)
{
    double fall = sn_length(world->gravity) * h * h;
    return gap <= SN_NEAR_SHARE * size + fmax(closing, 0.0) * h + fall;
}

// Bodies under integrators with stages know nothing of impulses; springs are for them.
static bool takes_part(const sn_world *world, int agent)
{
    return sn_world_contact_traits(world)->springs ||
           !sn_integrator_is_staged(sn_soft_agents(world)->agents[agent].integrator);
}

bool sn_soft_may_meet(const sn_world *world, int a, int b)
{
    const sn_elastic_item *of_a = sn_soft_item(world, a), *of_b = sn_soft_item(world, b);
    const sn_agent *agents = sn_soft_agents(world)->agents;
    return (of_a->surface.meets & of_b->surface.group) != 0 &&
           (of_b->surface.meets & of_a->surface.group) != 0 && !of_a->surface.sensor &&
           !of_b->surface.sensor && (a != b || of_a->meets_itself) && takes_part(world, a) &&
           takes_part(world, b) && !sn_world_is_bonded(world, agents[a].owner, agents[b].owner);
}

// A skin's contact pushes a along its normal, away from b; a contact of the solver pushes its b.
static bool add_skin_contact(sn_world *world, const sn_skin_contact *found, double h)
{
    const sn_agent_set *set = sn_soft_agents(world);
    int pushed = found->skin_a, other = found->skin_b;
    const sn_elastic_item *of_pushed = sn_elastic_item_of(set, pushed),
                          *of_other = sn_elastic_item_of(set, other);
    if (!sn_soft_may_meet(world, pushed, other)) {
        return true;
    }
    double size = fmin(of_pushed->radius, of_other->radius);
    double gap = found->gap - SN_SOFT_THICKNESS * size;
    const int *vertices = found->vertices + found->count_a;
    const double *weights = found->weights + found->count_a;
    sn_vec3 closing =
        sn_vec3_sub(velocity_of(world, other, vertices, weights, found->count_b),
                    velocity_of(world, pushed, found->vertices, found->weights, found->count_a));
    if (!matters(world, gap, sn_dot(closing, found->normal), size, h)) {
        return true;
    }
    meeting m = {.key = {set->agents[other].owner, set->agents[pushed].owner, found->b, found->a,
                         (int32_t)found->kind, 0},
                 .on_a = found->on_b,
                 .on_b = found->on_a,
                 .normal = found->normal,
                 .gap = gap,
                 .size = size,
                 .surface_a = &of_other->surface,
                 .surface_b = &of_pushed->surface};
    int on_other = grip(world, other, vertices, weights, found->count_b);
    int on_pushed = grip(world, pushed, found->vertices, found->weights, found->count_a);
    m.a = sn_soft_side(other, on_other);
    m.b = sn_soft_side(pushed, on_pushed);
    return on_other > 0 && on_pushed > 0 && add_contact(world, &m);
}

// ---- pairs that kept skins from going on ----

// A pair of features is no contact where another is nearer, and yet may be the one that meets when
// all have moved. Those that did so in the last steps are contacts, too, as long as they are near
// and carry something now and then.

static bool is_listed(const sn_soft_touch *soft, const sn_soft_key *key, sn_pair_kind kind)
{
    int32_t usual = kind == SN_VERTEX_FACE ? SN_CONTACT_VERTEX_FACE : SN_CONTACT_EDGE_EDGE;
    for (int i = 0; i < soft->keys.count; ++i) {
        const sn_soft_key *other = &soft->keys.data[i];
        bool same = other->body_a == key->body_a && other->body_b == key->body_b;
        if (same && other->feature_a == key->feature_a && other->feature_b == key->feature_b &&
            (other->kind == usual || other->kind == key->kind)) {
            return true;
        }
    }
    return false;
}

// The agents and features of a key, which may come from a file.
static bool find_pair(const sn_world *world, const sn_soft_key *key, sn_pair_kind kind,
                      sn_skin_pair *pair)
{
    const sn_agent_ref a = world->bodies.data[key->body_b].agent,
                       b = world->bodies.data[key->body_a].agent;
    if (!sn_world_traits(world, a.set)->deformable || !sn_world_traits(world, b.set)->deformable ||
        a.agent < 0 || b.agent < 0) {
        return false;
    }
    const sn_skin *skin_a = sn_soft_item(world, a.agent)->skin,
                  *skin_b = sn_soft_item(world, b.agent)->skin;
    bool edges = kind == SN_EDGE_EDGE;
    *pair = (sn_skin_pair){a.agent, b.agent, key->feature_b, key->feature_a};
    return pair->a >= 0 && pair->a < (edges ? skin_a->edge_count : skin_a->vertex_count) &&
           pair->b >= 0 && pair->b < (edges ? skin_b->edge_count : skin_b->face_count);
}

static void put_own(const sn_skin *skin, sn_pair_kind kind, int first, int feature, int *own)
{
    if (kind == SN_EDGE_EDGE) {
        own[0] = skin->edges[2 * (size_t)feature];
        own[1] = skin->edges[2 * (size_t)feature + 1];
    } else if (first == 0) {
        own[0] = feature;
    } else {
        memcpy(own, skin->faces + 3 * (size_t)feature, 3 * sizeof *own);
    }
}

static bool add_watched(sn_world *world, const sn_soft_key *key, double h)
{
    sn_soft_touch *soft = &world->touch.soft;
    sn_pair_kind kind = (sn_pair_kind)(key->kind - SN_SOFT_WATCHED);
    sn_skin_pair pair;
    if (key->age > SN_SOFT_OLD || !find_pair(world, key, kind, &pair)) {
        return true;
    }
    if (is_listed(soft, key, kind)) { // a contact by itself, of which nobody knows for how long
        return sn_array_push(&soft->stops, *key);
    }
    sn_vec3 p[4];
    int own[4], first = kind == SN_VERTEX_FACE ? 1 : 2;
    sn_skin_pair_points(soft->skins.data, kind, &pair, p, NULL);
    put_own(soft->skins.data[pair.skin_a], kind, 0, pair.a, own);
    put_own(soft->skins.data[pair.skin_b], kind, first, pair.b, own + first);
    sn_pair_nearest nearest = sn_pair_find_nearest(kind, p);
    double distance = sqrt(nearest.square);
    if (!(distance > 0.0)) {
        return true;
    }
    sn_skin_contact found = {.kind = (sn_skin_contact_kind)key->kind,
                             .skin_a = pair.skin_a,
                             .skin_b = pair.skin_b,
                             .a = pair.a,
                             .b = pair.b,
                             .normal = sn_vec3_scale(1.0 / distance, nearest.apart),
                             .gap = distance};
    int used = 0;
    for (int k = 0; k < 4; ++k) {
        double weight = nearest.weights[k];
        sn_vec3 *on = k < first ? &found.on_a : &found.on_b;
        if (weight > 0.0) {
            *on = sn_vec3_add_scaled(*on, weight, p[k]);
            found.weights[used] = weight;
            found.vertices[used++] =
                soft->skins.data[k < first ? pair.skin_a : pair.skin_b]->vertices[own[k]];
            *(k < first ? &found.count_a : &found.count_b) += 1;
        }
    }
    return add_skin_contact(world, &found, h);
}

static bool add_all_watched(sn_world *world, double h)
{
    const sn_soft_touch *soft = &world->touch.soft;
    bool added = true;
    for (int i = 0; i < soft->memory.count && added; ++i) {
        const sn_soft_key *key = &soft->memory.data[i].key;
        bool watched = key->kind == SN_SOFT_WATCHED + SN_VERTEX_FACE ||
                       key->kind == SN_SOFT_WATCHED + SN_EDGE_EDGE;
        added = !watched || add_watched(world, key, h);
    }
    return added;
}

// ---- all skins ----

// Skins where the step finds them, swept as far as they go in it. Gives the greatest distance at
// which contacts are looked for.
static sn_status place_skins(sn_world *world, double h, double *distance, bool *self,
                             sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    sn_agent_set *set = sn_soft_agents(world);
    double fall = sn_length(world->gravity) * h * h, farthest = 0.0;
    sn_array_clear(&soft->skins);
    *self = false;
    for (int i = 0; i < set->count; ++i) {
        sn_elastic_item *item = sn_soft_item(world, i);
        sn_elastic_release(set, i);
        if (item->skin == NULL) {
            char place[200];
            sn_world_place(world, set->agents[i].owner, place, sizeof place);
            sn_status status = sn_skin_of_tetrahedra(item->mesh, STRIDE, place, &item->skin, error);
            if (status != SN_OK) {
                return status;
            }
        }
        const double *q = sn_agent_q(set, i), *v = sn_agent_v(set, i);
        for (int k = 0; k < set->agents[i].v_count; ++k) {
            item->place[k] = q[k] + h * v[k];
        }
        double reach = 0.5 * (SN_NEAR_SHARE + SN_SOFT_THICKNESS) * item->radius + fall;
        sn_skin_place(item->skin, q, item->place, reach);
        farthest = fmax(farthest, 2.0 * (reach + h * sn_elastic_fastest(set, i)));
        *self = *self || item->meets_itself;
        if (!sn_array_push(&soft->skins, item->skin)) {
            return sn_fail_memory(error, sizeof item->skin);
        }
    }
    *distance = farthest;
    return SN_OK;
}

// ---- skins with shapes ----

typedef struct shape_search {
    sn_world *world;
    bool failed;
} shape_search;

static bool visit_shape(void *context, int proxy, uint32_t user)
{
    (void)proxy;
    shape_search *search = context;
    search->failed = !sn_array_push(&search->world->touch.soft.shapes, user) || search->failed;
    return !search->failed;
}

static int compare_shapes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

bool sn_soft_find_shapes(sn_world *world, const double *from, const double *to, int count,
                         double reach)
{
    sn_soft_touch *soft = &world->touch.soft;
    shape_search search = {.world = world};
    sn_aabb box = {sn_vec3_at(from), sn_vec3_at(from)};
    for (int i = 0; i < count; i += STRIDE) {
        box.lower = sn_vec3_min(box.lower, sn_vec3_min(sn_vec3_at(from + i), sn_vec3_at(to + i)));
        box.upper = sn_vec3_max(box.upper, sn_vec3_max(sn_vec3_at(from + i), sn_vec3_at(to + i)));
    }
    sn_vec3 more = {reach, reach, reach};
    box = (sn_aabb){sn_vec3_sub(box.lower, more), sn_vec3_add(box.upper, more)};
    sn_array_clear(&soft->shapes);
    sn_broad_query(world->touch.broad, box, visit_shape, &search);
    if (soft->shapes.count > 1) {
        qsort(soft->shapes.data, (size_t)soft->shapes.count, sizeof *soft->shapes.data,
              compare_shapes);
    }
    return !search.failed;
}

bool sn_soft_meets_shape(const sn_world *world, int agent, const sn_touch_shape *shape)
{
    const sn_elastic_item *item = sn_soft_item(world, agent);
    const sn_surface *surface = sn_touch_surface(world, shape);
    return (item->surface.meets & surface->group) != 0 &&
           (surface->meets & item->surface.group) != 0 && !item->surface.sensor &&
           !surface->sensor && takes_part(world, agent) &&
           !sn_world_is_bonded(world, sn_soft_agents(world)->agents[agent].owner, shape->body);
}

sn_status sn_soft_find_met_shapes(sn_world *world, int agent, const double *from, const double *to,
                                  double reach, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    int met = 0;
    if (!sn_soft_find_shapes(world, from, to, sn_soft_agents(world)->agents[agent].v_count,
                             reach)) {
        return sn_fail_memory(error, sizeof(uint32_t));
    }
    for (int i = 0; i < soft->shapes.count; ++i) {
        uint32_t shape = soft->shapes.data[i];
        if (sn_soft_meets_shape(world, agent, &world->touch.shapes.data[shape])) {
            soft->shapes.data[met++] = shape;
        }
    }
    soft->shapes.count = met;
    return SN_OK;
}

static sn_vec3 shape_velocity(const sn_world *world, const sn_contact_side *side, sn_vec3 point)
{
    if (side->set < 0) {
        return SN_VEC3_ZERO;
    }
    sn_part part;
    world->sets[side->set]->type->part(world->sets[side->set], side->agent, side->part, &part);
    return sn_part_velocity_at(&part, point);
}

static bool add_shape_contact(sn_world *world, int agent, uint32_t shape,
                              const sn_skin_shape_contact *found, double h)
{
    const sn_touch_shape *own = &world->touch.shapes.data[shape];
    const sn_elastic_item *item = sn_soft_item(world, agent);
    const sn_surface *surface = sn_touch_surface(world, own);
    const sn_collider *collider = sn_touch_collider(world, own);
    sn_transform place = world->touch.places.data[shape].frame;
    double gap = found->gap - SN_SOFT_THICKNESS * item->radius;
    meeting m = {.a = sn_touch_side(world, own),
                 .key = {own->body, sn_soft_agents(world)->agents[agent].owner, own->shape,
                         found->feature, SN_SOFT_SHAPE + found->count, 0},
                 .on_a = found->on_shape,
                 .on_b = found->on_skin,
                 .normal = found->normal,
                 .gap = gap,
                 .size = item->radius,
                 .surface_a = surface,
                 .surface_b = &item->surface,
                 .round_a = sn_collider_is_convex(collider) ? collider->rounding : 0.0};
    sn_vec3 closing =
        sn_vec3_sub(shape_velocity(world, &m.a, found->on_shape),
                    velocity_of(world, agent, found->vertices, found->weights, found->count));
    if (!matters(world, gap, sn_dot(closing, found->normal), item->radius, h)) {
        return true;
    }
    sn_vec3 drive = sn_vec3_negate(sn_rotate(place.rotation, surface->velocity));
    m.surface_velocity = sn_vec3_add_scaled(drive, -sn_dot(drive, found->normal), found->normal);
    int part = grip(world, agent, found->vertices, found->weights, found->count);
    m.b = sn_soft_side(agent, part);
    return part > 0 && add_contact(world, &m);
}

static sn_status collide_shapes(sn_world *world, int agent, double h, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    const sn_agent_set *set = sn_soft_agents(world);
    const sn_elastic_item *item = sn_soft_item(world, agent);
    double fall = sn_length(world->gravity) * h * h;
    double reach = (SN_NEAR_SHARE + SN_SOFT_THICKNESS) * item->radius + fall;
    double travel = h * sn_elastic_fastest(set, agent);
    sn_status status =
        sn_soft_find_met_shapes(world, agent, sn_agent_q(set, agent), item->place, reach, error);
    for (int i = 0; i < soft->shapes.count && status == SN_OK; ++i) {
        uint32_t shape = soft->shapes.data[i];
        const sn_touch_place *place = &world->touch.places.data[shape];
        status = sn_skin_shape_find(&soft->near_shape, item->skin,
                                    sn_touch_collider(world, &world->touch.shapes.data[shape]),
                                    &place->frame, reach + travel + place->travel, error);
        for (int k = 0; k < soft->near_shape.found.count && status == SN_OK; ++k) {
            if (!add_shape_contact(world, agent, shape, &soft->near_shape.found.data[k], h)) {
                status = sn_fail_memory(error, sizeof(sn_contact));
            }
        }
    }
    return status;
}

// ---- what crosses ----

bool sn_soft_crosses(const sn_soft_touch *soft, int a, int b, uint32_t shape)
{
    sn_soft_crossing wanted = {a, b, shape};
    if (b >= 0) {
        wanted = (sn_soft_crossing){a < b ? a : b, a < b ? b : a, 0};
    }
    for (int i = 0; i < soft->crossings.count; ++i) {
        const sn_soft_crossing *own = &soft->crossings.data[i];
        if (own->agent == wanted.agent && own->other == wanted.other &&
            own->shape == wanted.shape) {
            return true;
        }
    }
    return false;
}

static sn_status find_crossed_shapes(sn_world *world, int agent, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    const double *q = sn_agent_q(sn_soft_agents(world), agent);
    sn_status status = sn_soft_find_met_shapes(world, agent, q, q, 0.0, error);
    for (int i = 0; i < soft->shapes.count && status == SN_OK; ++i) {
        uint32_t shape = soft->shapes.data[i];
        const sn_touch_shape *own = &world->touch.shapes.data[shape];
        sn_transform place = world->touch.places.data[shape].frame;
        sn_sweep still = {.start = place, .end = place};
        sn_skin_shape_step step =
            sn_skin_shape_step_find(sn_soft_item(world, agent)->skin, sn_touch_collider(world, own),
                                    &still, (sn_skin_keep){0});
        sn_soft_crossing crossing = {agent, -1, shape};
        if (step.touching > 0 && !sn_array_push(&soft->crossings, crossing)) {
            status = sn_fail_memory(error, sizeof crossing);
        }
    }
    return status;
}

static sn_status find_crossed_skins(sn_world *world, int a, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    for (int b = a; b < soft->skins.count; ++b) {
        sn_skin *both[2] = {soft->skins.data[a], soft->skins.data[b]};
        sn_skin_among among = a == b ? SN_SKIN_SELF : SN_SKIN_OTHERS;
        sn_soft_crossing crossing = {a, b, 0};
        if (sn_soft_may_meet(world, a, b) &&
            sn_skin_crossings(both, a == b ? 1 : 2, among, NULL) > 0 &&
            !sn_array_push(&soft->crossings, crossing)) {
            return sn_fail_memory(error, sizeof crossing);
        }
    }
    return SN_OK;
}

// Which skins cross others that they may not, themselves or shapes? Steps keep what is apart so
// (soft_stop.c), so this is asked when bodies were put where they are by others, and until it is
// not the case; and always where bonds let bodies cross that may not once they break.
static sn_status find_crossings(sn_world *world, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    int count = soft->skins.count;
    sn_status status = SN_OK;
    sn_array_clear(&soft->crossings);
    if (soft->sound == count && !world->touch.wake && world->bonds.order.count == 0) {
        return SN_OK;
    }
    for (int a = 0; a < count && status == SN_OK; ++a) {
        status = find_crossed_shapes(world, a, error);
        status = status == SN_OK ? find_crossed_skins(world, a, error) : status;
    }
    soft->sound = soft->crossings.count > 0 ? 0 : count;
    return status;
}

sn_status sn_world_collide_soft(sn_world *world, double h, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    if (sn_soft_agents(world)->count == 0) {
        return SN_OK;
    }
    if (!sn_soft_remember(soft)) {
        return sn_fail_memory(error, sizeof(sn_soft_memory));
    }
    double distance;
    bool self;
    sn_status status = place_skins(world, h, &distance, &self, error);
    int count = soft->skins.count;
    sn_skin_among among = self ? SN_SKIN_ALL : SN_SKIN_OTHERS;
    status = status == SN_OK ? find_crossings(world, error) : status;
    bool apart = soft->near_shape.apart = soft->sound == count;
    if (status == SN_OK && (count > 1 || self)) {
        sn_skin_contact_options options = {.distance = distance, .apart = apart, .among = among};
        status =
            sn_skin_pairs_find(&soft->pairs, soft->skins.data, count, among, world->threads, error);
        if (status == SN_OK) {
            status = sn_skin_contacts_find(&soft->near, soft->skins.data, &soft->pairs, &options,
                                           world->threads, error);
        }
        for (int i = 0; i < soft->near.found.count && status == SN_OK; ++i) {
            if (!add_skin_contact(world, &soft->near.found.data[i], h)) {
                status = sn_fail_memory(error, sizeof(sn_contact));
            }
        }
        if (status == SN_OK && apart && !add_all_watched(world, h)) {
            status = sn_fail_memory(error, sizeof(sn_contact));
        }
    }
    for (int i = 0; i < count && status == SN_OK; ++i) {
        status = collide_shapes(world, i, h, error);
    }
    return status == SN_OK ? sn_world_sense_soft(world, error) : status;
}

const sn_skin *sn_world_skin(const sn_world *world, sn_agent_ref ref, sn_error *error)
{
    const sn_agent_set *set = world->sets[ref.set];
    int agent = ref.agent;
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const char *name = world->bodies.data[set->agents[agent].owner].name;
    if (item->skin != NULL ||
        sn_skin_of_tetrahedra(item->mesh, SN_SOLID_STRIDE, name, &item->skin, error) == SN_OK) {
        sn_skin_place(item->skin, sn_agent_q(set, agent), NULL, 0.0);
    }
    return item->skin;
}
