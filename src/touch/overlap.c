// Bodies that are in each other, and would be pushed apart by contact: mostly a slip of who placed
// them. Found from where everything stands, by the tests that steps make, with nothing changed.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "collide/skin_query.h"
#include "collide/sweep_list.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/touch.h"

static const double DEEP = 0.01; // of the thinner body: as of mechanisms, in pair_drop.c

typedef struct found {
    uint32_t a, b;
    double depth;
    sn_vec3 position;
} found;

typedef struct search {
    sn_world *world;
    SN_ARRAY(found) list;
    uint32_t shape; // whose others are sought
    int agent;      // or of which elastic body
    double size;    // m, of that: how thin it is
    const sn_skin *skin;
    bool failed;
} search;

// A pair may be found at several points.
static void add(search *s, uint32_t a, uint32_t b, double depth, sn_vec3 position)
{
    found one = {a, b, depth, position};
    s->failed = s->failed || !sn_array_push(&s->list, one);
}

// ---- shapes with shapes ----

static bool may_push(const sn_world *world, uint32_t first, uint32_t second)
{
    const sn_touch_shape *a = &world->touch.shapes.data[first],
                         *b = &world->touch.shapes.data[second];
    sn_contact_side of_a = sn_touch_side(world, a), of_b = sn_touch_side(world, b);
    return a->body != b->body && (of_a.agent >= 0 || of_b.agent >= 0) &&
           !sn_touch_surface(world, a)->sensor && !sn_touch_surface(world, b)->sensor &&
           sn_touch_takes_part(world, of_a) && sn_touch_takes_part(world, of_b) &&
           sn_touch_may_meet(world, a, b);
}

static bool meet_shape(void *context, int proxy, uint32_t user)
{
    (void)proxy;
    search *s = context;
    const sn_touch *touch = &s->world->touch;
    const sn_touch_shape *a = &touch->shapes.data[s->shape], *b = &touch->shapes.data[user];
    if (user <= s->shape || !may_push(s->world, s->shape, user)) {
        return true;
    }
    const sn_collider *of_a = sn_touch_collider(s->world, a),
                      *of_b = sn_touch_collider(s->world, b);
    sn_manifold manifolds[SN_PATCHES];
    sn_collide_cache cache = {0};
    int count =
        sn_collide(of_a, &touch->places.data[s->shape].frame, of_b, &touch->places.data[user].frame,
                   0.0, &cache, manifolds, SN_PATCHES, NULL);
    double deep = DEEP * sn_touch_pair_size(of_a, of_b);
    for (int m = 0; m < count; ++m) {
        for (int p = 0; p < manifolds[m].count; ++p) {
            const sn_manifold_point *point = &manifolds[m].points[p];
            if (point->gap < -deep) {
                add(s, a->body, b->body, -point->gap, point->on_b);
            }
        }
    }
    return !s->failed;
}

// ---- skins ----

// The least extent of its mesh at rest.
static double thickness_of(const sn_elastic_item *item)
{
    const sn_vec3 *x = sn_tetrahedra_positions(item->mesh);
    sn_vec3 lower = x[0], upper = x[0];
    for (int i = 1; i < item->mass.vertex_count; ++i) {
        lower = sn_vec3_min(lower, x[i]);
        upper = sn_vec3_max(upper, x[i]);
    }
    sn_vec3 extent = sn_vec3_sub(upper, lower);
    return fmin(extent.x, fmin(extent.y, extent.z));
}

static sn_aabb bounds_of(const sn_agent_set *set, int agent)
{
    const double *q = sn_agent_q(set, agent);
    sn_aabb box = {sn_vec3_at(q), sn_vec3_at(q)};
    for (int i = 0; i < set->agents[agent].v_count; i += SN_SOLID_STRIDE) {
        box.lower = sn_vec3_min(box.lower, sn_vec3_at(q + i));
        box.upper = sn_vec3_max(box.upper, sn_vec3_at(q + i));
    }
    return box;
}

static sn_agent_ref ref_of(int agent)
{
    return (sn_agent_ref){sn_soft_side(agent, 0).set, agent, 0};
}

static bool meet_skin(void *context, int proxy, uint32_t user)
{
    (void)proxy;
    search *s = context;
    const sn_touch *touch = &s->world->touch;
    const sn_touch_shape *shape = &touch->shapes.data[user];
    sn_vec3 on_skin, on_shape;
    if (!sn_soft_meets_shape(s->world, s->agent, shape)) {
        return true;
    }
    const sn_collider *collider = sn_touch_collider(s->world, shape);
    double distance = sn_skin_shape_distance(s->skin, collider, &touch->places.data[user].frame,
                                             0.0, &on_skin, &on_shape);
    if (distance < -DEEP * fmin(s->size, sn_touch_pair_size(collider, collider))) {
        add(s, sn_soft_agents(s->world)->agents[s->agent].owner, shape->body, -distance, on_skin);
    }
    return !s->failed;
}

static sn_status meet_other_skins(search *s, sn_error *error)
{
    sn_world *world = s->world;
    const sn_agent_set *set = sn_soft_agents(world);
    sn_aabb box = bounds_of(set, s->agent);
    for (int other = s->agent + 1; other < set->count; ++other) {
        sn_vec3 on_a, on_b;
        sn_aabb its = bounds_of(set, other);
        if (!sn_boxes_meet(&box, &its) || !sn_soft_may_meet(world, s->agent, other)) {
            continue;
        }
        const sn_skin *skin = sn_world_skin(world, ref_of(other), error);
        if (skin == NULL) {
            return SN_ERROR_MEMORY;
        }
        double size = fmin(s->size, thickness_of(sn_soft_item(world, other)));
        double distance = sn_skin_distance(s->skin, skin, 0.0, &on_a, &on_b);
        if (distance < -DEEP * size) {
            add(s, set->agents[s->agent].owner, set->agents[other].owner, -distance, on_a);
        }
    }
    return SN_OK;
}

static sn_status search_skins(search *s, sn_error *error)
{
    sn_world *world = s->world;
    sn_status status = SN_OK;
    bool touched = sn_world_contact_traits(world)->skins;
    for (int i = 0; touched && i < sn_soft_agents(world)->count && status == SN_OK; ++i) {
        s->agent = i;
        s->size = thickness_of(sn_soft_item(world, i));
        s->skin = sn_world_skin(world, ref_of(i), error);
        if (s->skin == NULL) {
            return SN_ERROR_MEMORY;
        }
        sn_broad_query(world->touch.broad, bounds_of(sn_soft_agents(world), i), meet_skin, s);
        status = meet_other_skins(s, error);
    }
    return status;
}

// ---- all ----

// By bodies, the deepest first.
static int compare(const void *left, const void *right)
{
    const found *a = left, *b = right;
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    if (a->b != b->b) {
        return a->b < b->b ? -1 : 1;
    }
    return a->depth > b->depth ? -1 : a->depth < b->depth;
}

static int write(search *s, sn_body_overlap *overlaps, int capacity)
{
    int count = 0;
    for (int i = 0; i < s->list.count; ++i) {
        found *one = &s->list.data[i];
        if (one->a > one->b) {
            uint32_t a = one->a;
            one->a = one->b;
            one->b = a;
        }
    }
    if (s->list.count > 1) {
        qsort(s->list.data, (size_t)s->list.count, sizeof *s->list.data, compare);
    }
    for (int i = 0; i < s->list.count; ++i) {
        const found *one = &s->list.data[i];
        if (i > 0 && one->a == one[-1].a && one->b == one[-1].b) {
            continue;
        }
        if (count < capacity) {
            overlaps[count] = (sn_body_overlap){.body_a = sn_touch_body(s->world, one->a),
                                                .body_b = sn_touch_body(s->world, one->b),
                                                .depth = one->depth,
                                                .position = one->position};
        }
        count += 1;
    }
    return count;
}

sn_status sn_world_find_overlaps(sn_world *world, sn_body_overlap *overlaps, int capacity,
                                 int *count, sn_error *error)
{
    *count = 0;
    if (!sn_world_contact_traits(world)->collides) {
        return SN_OK;
    }
    search s = {.world = world};
    sn_status status = sn_world_assemble(world, error); // joints say who may touch
    status = status == SN_OK ? sn_world_place_shapes(world, 0.0, error) : status;
    if (status == SN_OK) {
        sn_broad_update(world->touch.broad);
    }
    for (int i = 0; status == SN_OK && i < world->touch.shapes.count; ++i) {
        s.shape = (uint32_t)i;
        if (world->touch.shapes.data[i].body != 0) {
            sn_broad_query(world->touch.broad, world->touch.places.data[i].bounds, meet_shape, &s);
        }
    }
    status = status == SN_OK ? search_skins(&s, error) : status;
    if (status == SN_OK && s.failed) {
        status = sn_fail_memory(error, sizeof(found));
    }
    if (status == SN_OK) {
        *count = write(&s, overlaps, capacity);
    }
    sn_array_free(&s.list);
    return status;
}

sn_status sn_world_find_left_out(sn_world *world, sn_left_out_pair *pairs, int capacity, int *count,
                                 sn_error *error)
{
    *count = 0;
    if (!sn_world_contact_traits(world)->collides) {
        return SN_OK;
    }
    sn_status status = sn_world_assemble(world, error);
    for (int i = 0; status == SN_OK && i < world->touch.drops.count; ++i) {
        const sn_drop *drop = &world->touch.drops.data[i];
        if (drop->why != SN_PAIR_OVERLAPS) {
            continue;
        }
        if (*count < capacity) {
            pairs[*count] =
                (sn_left_out_pair){sn_touch_body(world, drop->a), sn_touch_body(world, drop->b)};
        }
        *count += 1;
    }
    return status;
}
