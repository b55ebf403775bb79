// Questions about space: rays, moved shapes, overlaps, nearest points. Bodies are seen where they
// stand; the broad phase of the last step is brought up to date first where it is stale.
#include <math.h>

#include "base/error.h"
#include "collide/query.h"
#include "collide/skin_query.h"
#include "model/display.h"
#include "model/form.h"
#include "model/world.h"
#include "touch/touch.h"

// A question under way.
typedef struct question {
    const sn_world *world;
    sn_query_filter filter;
    sn_vec3 from, way; // of rays and moved shapes
    const sn_collider *collider;
    sn_transform place;
    sn_hit *hits;
    int capacity, count;
    double nearest;
} question;

static bool is_asked(const question *q, const sn_surface *surface, uint32_t body)
{
    return (q->filter.meets == 0 || (surface->group & q->filter.meets) != 0) &&
           (!surface->sensor || q->filter.sensors) && body != q->filter.without.index;
}

static bool is_asked_for(const question *q, const sn_touch_shape *shape)
{
    return is_asked(q, sn_touch_surface(q->world, shape), shape->body);
}

// What is asked does not change the world: only where its own notes of places are kept. They hold
// until something moves, so that many queries between two steps place shapes once.
static void place_shapes(sn_world *world)
{
    sn_touch *touch = &world->touch;
    sn_error unused = {0};
    if (touch->placed && world->shapes_current && touch->statics_current && !world->stepping) {
        return;
    }
    touch->placed = sn_world_place_shapes(world, 0.0, &unused) == SN_OK && !world->stepping;
    if (touch->broad != NULL) {
        sn_broad_update(touch->broad);
    }
}

static question ask(const sn_world *world, const sn_query_filter *filter)
{
    question q = {.world = world, .nearest = 1.0};
    if (filter != NULL) {
        q.filter = *filter;
        bool there = sn_body_is_valid(world, filter->without);
        q.filter.without = there ? filter->without : (sn_body){0};
    }
    place_shapes((sn_world *)world);
    return q;
}

// ---- along a way ----

static double meet(void *context, int proxy, uint32_t user, double limit)
{
    (void)proxy;
    question *q = context;
    const sn_touch_shape *shape = &q->world->touch.shapes.data[user];
    const sn_touch_place *place = &q->world->touch.places.data[user];
    const sn_collider *collider = sn_touch_collider(q->world, shape);
    double fraction;
    sn_vec3 point, normal;
    if (!is_asked_for(q, shape)) {
        return limit;
    }
    bool met = q->collider != NULL ? sn_collide_cast(q->collider, &q->place, q->way, collider,
                                                     &place->frame, &fraction, &point, &normal)
                                   : sn_collide_ray(collider, &place->frame, q->from, q->way, limit,
                                                    &fraction, &point, &normal);
    bool nearer = met && (fraction < q->nearest || q->count == 0);
    if (nearer) {
        q->nearest = fraction;
        q->count = 1;
        q->hits[0] = (sn_hit){.body = sn_touch_body(q->world, shape->body),
                              .shape = shape->shape,
                              .fraction = fraction,
                              .position = point,
                              .normal = normal};
    }
    return nearer ? fraction : limit;
}

// Where the way p + t d meets a triangle, 0 <= t <= limit (T. Moeller, B. Trumbore 1997); -1:
// nowhere.
static double meet_triangle(const sn_vec3 x[3], sn_vec3 from, sn_vec3 way, double limit)
{
    sn_vec3 a = sn_vec3_sub(x[1], x[0]), b = sn_vec3_sub(x[2], x[0]);
    sn_vec3 p = sn_cross(way, b), s = sn_vec3_sub(from, x[0]), q = sn_cross(s, a);
    double determinant = sn_dot(a, p);
    if (determinant == 0.0) {
        return -1.0;
    }
    double u = sn_dot(s, p) / determinant, v = sn_dot(way, q) / determinant;
    double t = sn_dot(b, q) / determinant;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 && t <= limit ? t : -1.0;
}

// What is seen of an elastic body, triangle by triangle.
static void meet_elastic(question *q, const sn_agent_set *set, int agent)
{
    const sn_surface *surface = &sn_elastic_item_of(set, agent)->surface;
    uint32_t owner = set->agents[agent].owner;
    const sn_display *display = q->world->bodies.data[owner].display;
    const sn_mesh *mesh = sn_display_mesh(display);
    sn_body body = sn_touch_body(q->world, owner);
    bool asked = is_asked(q, surface, owner);
    for (int i = 0; asked && i < sn_mesh_triangle_count(mesh); ++i) {
        const int *corners = sn_mesh_triangles(mesh) + 3 * (size_t)i;
        sn_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = sn_display_point(display, sn_agent_q(set, agent), SN_SOLID_STRIDE, corners[k]);
        }
        double fraction = meet_triangle(x, q->from, q->way, q->nearest);
        if (fraction >= 0.0 && (fraction < q->nearest || q->count == 0)) {
            sn_vec3 normal =
                sn_normalize(sn_cross(sn_vec3_sub(x[1], x[0]), sn_vec3_sub(x[2], x[0])));
            q->nearest = fraction;
            q->count = 1;
            q->hits[0] =
                (sn_hit){.body = body,
                         .fraction = fraction,
                         .position = sn_vec3_add_scaled(q->from, fraction, q->way),
                         .normal = sn_dot(normal, q->way) > 0.0 ? sn_vec3_negate(normal) : normal};
        }
    }
}

bool sn_world_cast_ray(const sn_world *world, sn_vec3 from, sn_vec3 to,
                       const sn_query_filter *filter, sn_hit *hit)
{
    *hit = (sn_hit){0};
    question q = ask(world, filter);
    q.from = from;
    q.way = sn_vec3_sub(to, from);
    q.hits = hit;
    if (!sn_vec3_is_finite(q.way) || !sn_vec3_is_finite(from)) {
        return false;
    }
    if (world->touch.broad != NULL) {
        sn_broad_ray(world->touch.broad, from, q.way, SN_VEC3_ZERO, 1.0, meet, &q);
    }
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_deformable(world, &at);) {
        meet_elastic(&q, world->sets[at.set], at.agent);
    }
    return q.count > 0;
}

// The collider of a shape that is asked about; it must be convex.
static sn_status make_collider(const sn_shape *shape, sn_transform place, sn_vec3 travel,
                               sn_collider *collider, sn_transform *at, sn_error *error)
{
    sn_status status = sn_shape_check(shape, "shape", error);
    if (status == SN_OK) {
        status = sn_world_check_motion("shape", place, travel, SN_VEC3_ZERO, error);
    }
    if (status == SN_OK) {
        status = sn_collider_make(shape, collider, error);
    }
    if (status == SN_OK && !sn_collider_is_convex(collider)) {
        sn_collider_free(collider);
        status = sn_fail(error, SN_ERROR_ARGUMENT, "shape",
                         "only convex shapes can be moved through a world, or asked to overlap");
    }
    *at = sn_transform_multiply(place, shape->frame);
    return status;
}

static sn_status cast_at_elastic(question *q, sn_agent_ref ref, sn_error *error)
{
    const sn_agent_set *set = q->world->sets[ref.set];
    uint32_t owner = set->agents[ref.agent].owner;
    double fraction;
    sn_vec3 point, normal;
    if (!is_asked(q, &sn_elastic_item_of(set, ref.agent)->surface, owner)) {
        return SN_OK;
    }
    const sn_skin *skin = sn_world_skin(q->world, ref, error);
    if (skin == NULL) {
        return SN_ERROR_MEMORY;
    }
    if (sn_skin_cast(q->collider, &q->place, q->way, skin, &fraction, &point, &normal) &&
        (fraction < q->nearest || q->count == 0)) {
        q->nearest = fraction;
        q->count = 1;
        q->hits[0] = (sn_hit){.body = sn_touch_body(q->world, owner),
                              .fraction = fraction,
                              .position = point,
                              .normal = normal};
    }
    return SN_OK;
}

sn_status sn_world_cast_shape(const sn_world *world, const sn_shape *shape, sn_transform from,
                              sn_vec3 travel, const sn_query_filter *filter, sn_hit *hit,
                              sn_error *error)
{
    *hit = (sn_hit){0};
    sn_collider collider;
    question q = ask(world, filter);
    sn_status status = make_collider(shape, from, travel, &collider, &q.place, error);
    if (status != SN_OK) {
        return status;
    }
    q.collider = &collider;
    q.way = travel;
    q.hits = hit;
    sn_aabb box = sn_collider_bounds(&collider, &q.place);
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    sn_vec3 half = sn_vec3_scale(0.5, sn_vec3_sub(box.upper, box.lower));
    if (world->touch.broad != NULL) {
        sn_broad_ray(world->touch.broad, middle, travel, half, 1.0, meet, &q);
    }
    for (sn_agent_ref at = SN_BEFORE_AGENTS;
         status == SN_OK && sn_world_next_deformable(world, &at);) {
        status = cast_at_elastic(&q, at, error);
    }
    sn_collider_free(&collider);
    return status;
}

// ---- overlap ----

static bool take_overlap(void *context, int proxy, uint32_t user)
{
    (void)proxy;
    question *q = context;
    const sn_touch_shape *shape = &q->world->touch.shapes.data[user];
    const sn_touch_place *place = &q->world->touch.places.data[user];
    sn_collide_cache cache = {0};
    sn_vec3 on_a, on_b;
    if (!is_asked_for(q, shape)) {
        return true;
    }
    double distance =
        sn_collide_distance(q->collider, &q->place, sn_touch_collider(q->world, shape),
                            &place->frame, &cache, &on_a, &on_b);
    if (distance > 0.0) {
        return true;
    }
    if (q->count < q->capacity) {
        q->hits[q->count] = (sn_hit){
            .body = sn_touch_body(q->world, shape->body), .shape = shape->shape, .position = on_b};
    }
    q->count += 1;
    return true;
}

static sn_status overlap_elastic(question *q, sn_agent_ref ref, sn_error *error)
{
    const sn_agent_set *set = q->world->sets[ref.set];
    uint32_t owner = set->agents[ref.agent].owner;
    sn_vec3 on_skin, on_shape;
    if (!is_asked(q, &sn_elastic_item_of(set, ref.agent)->surface, owner)) {
        return SN_OK;
    }
    const sn_skin *skin = sn_world_skin(q->world, ref, error);
    if (skin == NULL) {
        return SN_ERROR_MEMORY;
    }
    if (sn_skin_shape_distance(skin, q->collider, &q->place, 0.0, &on_skin, &on_shape) <= 0.0) {
        if (q->count < q->capacity) {
            q->hits[q->count] =
                (sn_hit){.body = sn_touch_body(q->world, owner), .position = on_skin};
        }
        q->count += 1;
    }
    return SN_OK;
}

sn_status sn_world_overlap(const sn_world *world, const sn_shape *shape, sn_transform place,
                           const sn_query_filter *filter, sn_hit *hits, int capacity, int *count,
                           sn_error *error)
{
    *count = 0;
    sn_collider collider;
    question q = ask(world, filter);
    sn_status status = make_collider(shape, place, SN_VEC3_ZERO, &collider, &q.place, error);
    if (status != SN_OK) {
        return status;
    }
    q.collider = &collider;
    q.hits = hits;
    q.capacity = capacity;
    if (world->touch.broad != NULL) {
        sn_broad_query(world->touch.broad, sn_collider_bounds(&collider, &q.place), take_overlap,
                       &q);
    }
    for (sn_agent_ref at = SN_BEFORE_AGENTS;
         status == SN_OK && sn_world_next_deformable(world, &at);) {
        status = overlap_elastic(&q, at, error);
    }
    sn_collider_free(&collider);
    *count = q.count;
    return status;
}

// ---- nearest points ----

// Of an elastic body to all shapes of another, or to its skin.
static double closest_elastic(const sn_world *world, const sn_body_record *elastic,
                              const sn_body_record *other, sn_vec3 *on_elastic, sn_vec3 *on_other)
{
    const sn_touch *touch = &world->touch;
    const sn_skin *skin = sn_world_skin(world, elastic->agent, NULL);
    double nearest = NAN;
    if (other->type == SN_BODY_ELASTIC) {
        const sn_skin *second = sn_world_skin(world, other->agent, NULL);
        return skin != NULL && second != NULL
                   ? sn_skin_distance(skin, second, INFINITY, on_elastic, on_other)
                   : NAN;
    }
    for (int i = 0; i < sn_form_touching(other->form) && skin != NULL && other->touch >= 0; ++i) {
        int shape = other->touch + i;
        sn_vec3 p, q;
        double distance =
            sn_skin_shape_distance(skin, sn_touch_collider(world, &touch->shapes.data[shape]),
                                   &touch->places.data[shape].frame, INFINITY, &p, &q);
        if (!(distance >= nearest)) {
            nearest = distance;
            *on_elastic = p;
            *on_other = q;
        }
    }
    return nearest;
}

double sn_world_closest(const sn_world *world, sn_body a, sn_body b, sn_vec3 *on_a, sn_vec3 *on_b)
{
    const sn_body_record *of_a = sn_world_body_record(world, a),
                         *of_b = sn_world_body_record(world, b);
    double nearest = NAN;
    *on_a = *on_b = SN_VEC3_ZERO;
    ask(world, NULL);
    if (of_a == NULL || of_b == NULL || of_a == of_b || of_a->touch < 0 || of_b->touch < 0) {
        return nearest;
    }
    if (of_a->type == SN_BODY_ELASTIC) {
        return closest_elastic(world, of_a, of_b, on_a, on_b);
    }
    if (of_b->type == SN_BODY_ELASTIC) {
        return closest_elastic(world, of_b, of_a, on_b, on_a);
    }
    const sn_touch *touch = &world->touch;
    for (int i = 0; i < sn_form_touching(of_a->form); ++i) {
        for (int k = 0; k < sn_form_touching(of_b->form); ++k) {
            int first = of_a->touch + i, second = of_b->touch + k;
            sn_collide_cache cache = {0};
            sn_vec3 p, q;
            double distance =
                sn_collide_distance(sn_touch_collider(world, &touch->shapes.data[first]),
                                    &touch->places.data[first].frame,
                                    sn_touch_collider(world, &touch->shapes.data[second]),
                                    &touch->places.data[second].frame, &cache, &p, &q);
            if (!(distance >= nearest)) {
                nearest = distance;
                *on_a = p;
                *on_b = q;
            }
        }
    }
    return nearest;
}
