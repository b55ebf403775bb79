#include "world/soft_touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collide/skin_shape_step.h"
#include "collide/skin_step.h"
#include "world/world.h"

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
    sn_array_free(&soft->memory);
    sn_array_free(&soft->met);
    sn_array_free(&soft->meets);
}

bool sn_soft_touch_copy(const sn_soft_touch *soft, sn_soft_touch *copy)
{
    int count = soft->contacts.count;
    if (!sn_array_resize(&copy->contacts, count) || !sn_array_resize(&copy->keys, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(copy->contacts.data, soft->contacts.data,
               (size_t)count * sizeof *copy->contacts.data);
        memcpy(copy->keys.data, soft->keys.data, (size_t)count * sizeof *copy->keys.data);
    }
    return true;
}

void sn_soft_touch_forget(sn_soft_touch *soft)
{
    sn_array_clear(&soft->contacts);
    sn_array_clear(&soft->keys);
    sn_array_clear(&soft->memory);
}

void sn_soft_touch_drop_body(sn_soft_touch *soft, uint32_t body)
{
    int kept = 0;
    for (int i = 0; i < soft->contacts.count; ++i) {
        const sn_soft_key *key = &soft->keys.data[i];
        if (key->body_a != body && key->body_b != body) {
            soft->contacts.data[kept] = soft->contacts.data[i];
            soft->keys.data[kept++] = *key;
        }
    }
    soft->contacts.count = soft->keys.count = kept;
}

// ---- memory ----

static int compare_keys(const sn_soft_key *a, const sn_soft_key *b)
{
    const int64_t x[] = {a->body_a, a->body_b, a->kind, a->feature_a, a->feature_b},
                  y[] = {b->body_a, b->body_b, b->kind, b->feature_a, b->feature_b};
    for (int i = 0; i < 5; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_memories(const void *a, const void *b)
{
    return compare_keys(&((const sn_soft_memory *)a)->key, &((const sn_soft_memory *)b)->key);
}

// What the contacts of the last step leave behind, before new ones are found.
static bool remember(sn_soft_touch *soft)
{
    sn_array_clear(&soft->memory);
    for (int i = 0; i < soft->contacts.count; ++i) {
        const sn_contact_point *point = &soft->contacts.data[i].points[0];
        sn_soft_memory memory = {soft->keys.data[i], point->impulse, point->anchor, point->touched};
        if (!sn_array_push(&soft->memory, memory)) {
            return false;
        }
    }
    if (soft->memory.count > 1) {
        qsort(soft->memory.data, (size_t)soft->memory.count, sizeof *soft->memory.data,
              compare_memories);
    }
    sn_array_clear(&soft->contacts);
    sn_array_clear(&soft->keys);
    return true;
}

static const sn_soft_memory *recall(const sn_soft_touch *soft, const sn_soft_key *key)
{
    int low = 0, high = soft->memory.count;
    while (low < high) {
        int middle = (low + high) / 2, order = compare_keys(key, &soft->memory.data[middle].key);
        if (order == 0) {
            return &soft->memory.data[middle];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
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
    const sn_soft_memory *before = recall(soft, &m->key);
    sn_contact contact = {.a = m->a,
                          .b = m->b,
                          .normal = m->normal,
                          .friction = sqrt(m->surface_a->friction * m->surface_b->friction),
                          .restitution = fmax(m->surface_a->restitution, m->surface_b->restitution),
                          .size = m->size,
                          .round_a = m->round_a,
                          .surface_velocity = m->surface_velocity,
                          .count = 1};
    contact.points[0] = (sn_contact_point){.on_a = m->on_a, .on_b = m->on_b, .gap = m->gap};
    if (before != NULL) {
        sn_vec3 n = m->normal;
        contact.points[0].impulse = before->impulse;
        contact.points[0].anchor =
            sn_vec3_add_scaled(before->anchor, -sn_dot(before->anchor, n), n);
        contact.points[0].touched = before->touched;
    }
    sn_island_pair link = {sn_touch_agent_number(world, m->a), sn_touch_agent_number(world, m->b)};
    return sn_array_push(&soft->keys, m->key) && sn_array_push(&soft->contacts, contact) &&
           sn_array_push(&world->touch.active, -soft->contacts.count) &&
           sn_array_push(&world->touch.links, link);
}

static sn_vec3 velocity_of(const sn_world *world, int agent, const int *vertices,
                           const double *weights, int count)
{
    const double *v = sn_agent_v(&world->elastics.agents, agent);
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
    return sn_elastic_grip(&world->elastics.agents, agent, &point);
}

// ---- skins with skins ----

// How near they must be to count: as near as they can come in the step, and a little more, so that
// a contact is known before it carries.
static bool matters(const sn_world *world, double gap, double closing, double size, double h)
{
    double fall = sn_length(world->gravity) * h * h;
    return gap <= SN_NEAR_SHARE * size + fmax(closing, 0.0) * h + fall;
}

static bool may_meet(const sn_world *world, int a, int b)
{
    const sn_elastic_item *of_a = world->elastics.items[a], *of_b = world->elastics.items[b];
    const sn_agent *agents = world->elastics.agents.agents;
    return (of_a->surface.meets & of_b->surface.group) != 0 &&
           (of_b->surface.meets & of_a->surface.group) != 0 && !of_a->surface.sensor &&
           !of_b->surface.sensor && (a != b || of_a->meets_itself) &&
           !sn_world_is_bonded(world, agents[a].owner, agents[b].owner);
}

// A skin's contact pushes a along its normal, away from b; a contact of the solver pushes its b.
static bool add_skin_contact(sn_world *world, const sn_skin_contact *found, double h)
{
    const sn_elastic_set *set = &world->elastics;
    int pushed = found->skin_a, other = found->skin_b;
    const sn_elastic_item *of_pushed = set->items[pushed], *of_other = set->items[other];
    if (!may_meet(world, pushed, other)) {
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
    meeting m = {.key = {set->agents.agents[other].owner, set->agents.agents[pushed].owner,
                         found->b, found->a, (int32_t)found->kind},
                 .on_a = found->on_b,
                 .on_b = found->on_a,
                 .normal = found->normal,
                 .gap = gap,
                 .size = size,
                 .surface_a = &of_other->surface,
                 .surface_b = &of_pushed->surface};
    int on_other = grip(world, other, vertices, weights, found->count_b);
    int on_pushed = grip(world, pushed, found->vertices, found->weights, found->count_a);
    m.a = (sn_contact_side){SN_SET_ELASTIC, other, on_other};
    m.b = (sn_contact_side){SN_SET_ELASTIC, pushed, on_pushed};
    return on_other > 0 && on_pushed > 0 && add_contact(world, &m);
}

// Skins where the step finds them, swept as far as they go in it. Gives the greatest distance at
// which contacts are looked for.
static sn_status place_skins(sn_world *world, double h, double *distance, bool *self,
                             sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    sn_agent_set *set = &world->elastics.agents;
    double fall = sn_length(world->gravity) * h * h, farthest = 0.0;
    sn_array_clear(&soft->skins);
    *self = false;
    for (int i = 0; i < set->count; ++i) {
        sn_elastic_item *item = world->elastics.items[i];
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

static bool meets_shape(const sn_world *world, int agent, const sn_touch_shape *shape)
{
    const sn_elastic_item *item = world->elastics.items[agent];
    const sn_surface *surface = sn_touch_surface(world, shape);
    return (item->surface.meets & surface->group) != 0 &&
           (surface->meets & item->surface.group) != 0 && !item->surface.sensor &&
           !surface->sensor &&
           !sn_world_is_bonded(world, world->elastics.agents.agents[agent].owner, shape->body);
}

static sn_vec3 shape_velocity(const sn_world *world, const sn_contact_side *side, sn_vec3 point)
{
    if (side->set < 0) {
        return SN_VEC3_ZERO;
    }
    sn_part part;
    world->sets[side->set]->type->part(world->sets[side->set], side->agent, side->part, &part);
    return sn_vec3_add(part.velocity,
                       sn_cross(part.angular_velocity, sn_vec3_sub(point, part.centre)));
}

static bool add_shape_contact(sn_world *world, int agent, uint32_t shape,
                              const sn_skin_shape_contact *found, double h)
{
    const sn_touch_shape *own = &world->touch.shapes.data[shape];
    const sn_elastic_item *item = world->elastics.items[agent];
    const sn_surface *surface = sn_touch_surface(world, own);
    const sn_collider *collider = sn_touch_collider(world, own);
    sn_transform place = world->touch.places.data[shape].frame;
    double gap = found->gap - SN_SOFT_THICKNESS * item->radius;
    meeting m = {.a = sn_touch_side(world, own),
                 .key = {own->body, world->elastics.agents.agents[agent].owner, own->shape,
                         found->feature, SN_SOFT_SHAPE + found->count},
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
    m.b = (sn_contact_side){SN_SET_ELASTIC, agent, part};
    return part > 0 && add_contact(world, &m);
}

static sn_status collide_shapes(sn_world *world, int agent, double h, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    const sn_agent_set *set = &world->elastics.agents;
    const sn_elastic_item *item = world->elastics.items[agent];
    double fall = sn_length(world->gravity) * h * h;
    double reach = (SN_NEAR_SHARE + SN_SOFT_THICKNESS) * item->radius + fall;
    double travel = h * sn_elastic_fastest(set, agent);
    if (!sn_soft_find_shapes(world, sn_agent_q(set, agent), item->place, set->agents[agent].v_count,
                             reach)) {
        return sn_fail_memory(error, sizeof(uint32_t));
    }
    for (int i = 0; i < soft->shapes.count; ++i) {
        uint32_t shape = soft->shapes.data[i];
        const sn_touch_shape *own = &world->touch.shapes.data[shape];
        if (!meets_shape(world, agent, own)) {
            continue;
        }
        const sn_touch_place *place = &world->touch.places.data[shape];
        sn_status status =
            sn_skin_shape_find(&soft->near_shape, item->skin, sn_touch_collider(world, own),
                               &place->frame, reach + travel + place->travel, error);
        for (int k = 0; k < soft->near_shape.found.count && status == SN_OK; ++k) {
            if (!add_shape_contact(world, agent, shape, &soft->near_shape.found.data[k], h)) {
                status = sn_fail_memory(error, sizeof(sn_contact));
            }
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

sn_status sn_world_collide_soft(sn_world *world, double h, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    if (world->elastics.agents.count == 0) {
        return SN_OK;
    }
    if (!remember(soft)) {
        return sn_fail_memory(error, sizeof(sn_soft_memory));
    }
    double distance;
    bool self;
    sn_status status = place_skins(world, h, &distance, &self, error);
    int count = soft->skins.count;
    sn_skin_among among = self ? SN_SKIN_ALL : SN_SKIN_OTHERS;
    if (status == SN_OK && (count > 1 || self)) {
        sn_skin_contact_options options = {.distance = distance, .among = among};
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
    }
    for (int i = 0; i < count && status == SN_OK; ++i) {
        status = collide_shapes(world, i, h, error);
    }
    return status == SN_OK ? sn_world_sense_soft(world, error) : status;
}

// ---- what must not cross ----

// Gaps may shrink to this share of what they were at the start of the step.
static const double KEPT_GAP = 0.1;

enum { ROUNDS = 16 };

// Velocities go with the way, so that stopping again and again takes energy and gives none.
static void take_back(sn_world *world, int agent, double share)
{
    sn_agent_set *set = &world->elastics.agents;
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    const double *q0 = set->q_last + set->agents[agent].q_first;
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        q[i] = q0[i] + share * (q[i] - q0[i]);
        v[i] *= share;
    }
    world->report.taken_back += 1;
}

static void place_on_way(sn_world *world)
{
    sn_agent_set *set = &world->elastics.agents;
    for (int i = 0; i < set->count; ++i) {
        sn_skin_place(world->elastics.items[i]->skin, set->q_last + set->agents[i].q_first,
                      sn_agent_q(set, i), 0.0);
    }
}

// Pairs of skins that may cross.
static void leave_out(const sn_world *world, sn_skin_pair_list *pairs)
{
    int kept = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const sn_skin_pair *pair = &pairs->data[i];
        if (may_meet(world, pair->skin_a, pair->skin_b)) {
            pairs->data[kept++] = *pair;
        }
    }
    pairs->count = kept;
}

static bool some_meets_itself(const sn_world *world)
{
    for (int i = 0; i < world->elastics.agents.count; ++i) {
        if (world->elastics.items[i]->meets_itself) {
            return true;
        }
    }
    return false;
}

// Two skins that would cross both stay where they were just before.
static sn_status stop_skins(sn_world *world, bool *moved, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    int count = soft->skins.count;
    sn_skin_among among = some_meets_itself(world) ? SN_SKIN_ALL : SN_SKIN_OTHERS;
    place_on_way(world);
    sn_status status =
        sn_skin_pairs_find(&soft->pairs, soft->skins.data, count, among, world->threads, error);
    if (status != SN_OK) {
        return status;
    }
    leave_out(world, &soft->pairs.vertex_faces);
    leave_out(world, &soft->pairs.edge_edges);
    sn_skin_step step = sn_skin_step_find(soft->skins.data, &soft->pairs, KEPT_GAP, world->threads);
    if (step.share < 1.0) {
        take_back(world, step.pair.skin_a, step.share);
        if (step.pair.skin_b != step.pair.skin_a) {
            take_back(world, step.pair.skin_b, step.share);
        }
        *moved = true;
    }
    return SN_OK;
}

static sn_status stop_at_shapes(sn_world *world, int agent, bool *moved, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    const sn_agent_set *set = &world->elastics.agents;
    const sn_elastic_item *item = world->elastics.items[agent];
    const double *q0 = set->q_last + set->agents[agent].q_first;
    if (!sn_soft_find_shapes(world, q0, sn_agent_q(set, agent), set->agents[agent].v_count, 0.0)) {
        return sn_fail_memory(error, sizeof(uint32_t));
    }
    for (int i = 0; i < soft->shapes.count; ++i) {
        uint32_t shape = soft->shapes.data[i];
        const sn_touch_shape *own = &world->touch.shapes.data[shape];
        if (!meets_shape(world, agent, own)) {
            continue;
        }
        sn_sweep sweep = sn_touch_sweep(world, shape);
        sn_skin_shape_step step =
            sn_skin_shape_step_find(item->skin, sn_touch_collider(world, own), &sweep, KEPT_GAP);
        if (step.share < 1.0) {
            take_back(world, agent, step.share);
            sn_touch_take_back(world, shape, step.share);
            sn_skin_place(item->skin, q0, sn_agent_q(set, agent), 0.0);
            *moved = true;
        }
    }
    return SN_OK;
}

sn_status sn_world_stop_soft(sn_world *world, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    world->report.taken_back = 0;
    sn_status status = SN_OK;
    bool moved = world->elastics.agents.count > 0;
    for (int round = 0; round < ROUNDS && moved && status == SN_OK; ++round) {
        moved = false;
        status = stop_skins(world, &moved, error);
        for (int i = 0; i < soft->skins.count && status == SN_OK; ++i) {
            status = stop_at_shapes(world, i, &moved, error);
        }
    }
    return status;
}
