// What keeps contact springs on the side that things came from, and tells where they are too soft
// to do so: a vertex is through another body or a shape, or a shape is in a body by more than its
// middle. Each is looked at after every step of the integrator.
#include <math.h>

#include "base/error.h"
#include "collide/mesh_tree.h"
#include "collide/query.h"
#include "math/rotation.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"

// Overlaps go with one over the root of the stiffness: a quarter of them.
static const double ADVISED = 16.0;

// ---- what to tell ----

static bool tell(sn_world *world, uint32_t body, uint32_t other, double depth, double stiffness)
{
    char place[200];
    sn_world_place(world, body, place, sizeof place);
    sn_fail(&world->touch.springs.fault, SN_ERROR_DIVERGED, place,
            "was pushed through body '%s', %.3g m deep: contact springs of %.3g N/m are too soft; "
            "expected lower speeds or contact.stiffness of %.2g N/m or more",
            world->bodies.data[other].name, depth, stiffness, ADVISED * stiffness);
    return false;
}

static uint32_t owner_of(const sn_world *world, int agent)
{
    return sn_soft_agents(world)->agents[agent].owner;
}

// ---- vertices in bodies ----

// How thick a body is at rest under the middle of a face: up to the first that looks away.
static double thickness(const sn_spring_touch *touch, int side)
{
    const sn_skin *skin = sn_meetings_skin(touch->meetings);
    const int *v = skin->faces + 3 * (size_t)side;
    int agent = touch->agents.data[v[0]];
    sn_vec3 in = sn_vec3_negate(touch->normals.data[side]), from = SN_VEC3_ZERO;
    for (int k = 0; k < 3; ++k) {
        from = sn_vec3_add_scaled(from, 1.0 / 3.0, skin->rest[v[k]]);
    }
    double least = INFINITY;
    for (int f = 0; f < skin->face_count; ++f) {
        const int *w = skin->faces + 3 * (size_t)f;
        const sn_vec3 p[3] = {skin->rest[w[0]], skin->rest[w[1]], skin->rest[w[2]]};
        if (touch->agents.data[w[0]] == agent && sn_spring_looks_away(touch, side, f)) {
            double t = sn_triangle_ray(p, from, in);
            least = t >= 0.0 && t < least ? t : least;
        }
    }
    return isfinite(least) ? least : 0.0;
}

static bool follow(sn_world *world, sn_touch_spring *spring)
{
    const sn_spring_touch *touch = &world->touch.springs;
    sn_spring_near all = sn_spring_find_near(world, spring->a, spring->b, -1);
    if (all.face < 0) {
        return true;
    }
    if (!sn_spring_looks_away(touch, spring->side, all.face)) {
        spring->side = all.face;
        return true;
    }
    sn_spring_near own = sn_spring_find_near(world, spring->a, spring->b, spring->side);
    double depth = own.inside ? sn_length(own.apart) : 0.0;
    if (all.inside || !(depth > 0.5 * thickness(touch, spring->side))) {
        return true;
    }
    int agent = touch->agents.data[spring->a];
    sn_spring_law law = sn_spring_law_of(world, agent, spring->b, NULL, 1.0);
    return tell(world, owner_of(world, agent), owner_of(world, spring->b), depth, law.stiffness);
}

bool sn_world_follow_sides(sn_world *world)
{
    sn_spring_touch *touch = &world->touch.springs;
    bool good = true;
    for (int i = 0; i < touch->springs.count && good; ++i) {
        sn_touch_spring *spring = &touch->springs.data[i];
        good = spring->kind == SN_EDGE_EDGE || follow(world, spring);
    }
    return good;
}

// ---- vertices in shapes ----

// How thick a convex shape is along a unit direction of its own frame.
static double width_along(const sn_collider *collider, sn_vec3 n)
{
    int corner;
    sn_vec3 high = sn_collider_support(collider, n, &corner),
            low = sn_collider_support(collider, sn_vec3_negate(n), &corner);
    return sn_dot(sn_vec3_sub(high, low), n) + 2.0 * collider->rounding;
}

// Is a vertex nearer to the far side of a shape than to that it came from? Near the tip of a wedge
// it may be so by sliding off, so depths must be those of the middle, or walls parallel.
static bool is_turned(const sn_collider *collider, const sn_spring_gap *from,
                      const sn_spring_gap *to)
{
    const double parallel = -0.9, against = -0.5, middle = 0.3; // cosines; of the width
    double cosine = sn_dot(from->normal, to->normal), depth = fmax(-from->gap, -to->gap);
    if (!(from->gap < 0.0 && to->gap < 0.0 && cosine < against)) {
        return false;
    }
    return sn_collider_is_convex(collider) ? depth > middle * width_along(collider, to->normal)
                                           : cosine < parallel;
}

static bool check_vertices(sn_world *world)
{
    const sn_spring_touch *touch = &world->touch.springs;
    const sn_spring_gap_list *a = &touch->gaps[0], *b = &touch->gaps[1];
    for (int i = 0, k = 0; i < a->count && k < b->count;) { // both are in order
        const sn_spring_gap *from = &a->data[i], *to = &b->data[k];
        if (from->shape != to->shape || from->vertex != to->vertex) {
            bool first =
                from->shape != to->shape ? from->shape < to->shape : from->vertex < to->vertex;
            i += first;
            k += !first;
            continue;
        }
        const sn_touch_shape *shape = &world->touch.shapes.data[from->shape];
        if (is_turned(sn_touch_collider(world, shape), from, to)) {
            int agent = touch->agents.data[from->vertex];
            sn_spring_law law =
                sn_spring_law_of(world, agent, -1, sn_touch_surface(world, shape), 1.0);
            return tell(world, owner_of(world, agent), shape->body, fmax(-from->gap, -to->gap),
                        law.stiffness);
        }
        i += 1;
        k += 1;
    }
    return true;
}

double sn_spring_tunnel(const sn_world *world, const sn_spring_gap *gap)
{
    const sn_spring_touch *touch = &world->touch.springs;
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[gap->shape]);
    if (collider->type == SN_COLLIDER_PLANE || collider->type == SN_COLLIDER_HEIGHT_FIELD) {
        return 1.0; // nothing is behind them
    }
    const sn_skin *skin = sn_meetings_skin(touch->meetings);
    size_t row = sn_spring_row(touch), at = SN_SPRING_STRIDE * (size_t)skin->vertices[gap->vertex];
    sn_vec3 a = sn_transform_point_inverse(touch->places[0].data[gap->shape].frame,
                                           sn_vec3_at(touch->ends.data + at)),
            b = sn_transform_point_inverse(touch->places[1].data[gap->shape].frame,
                                           sn_vec3_at(touch->ends.data + 2 * row + at));
    const sn_transform still = SN_TRANSFORM_IDENTITY;
    double share;
    sn_vec3 point, normal, way = sn_vec3_sub(b, a);
    if (!(sn_length(way) > gap->gap) ||
        !sn_collide_ray(collider, &still, a, way, 1.0, &share, &point, &normal)) {
        return 1.0;
    }
    return share;
}

// ---- shapes in bodies ----

// How far the middle of a shape is from the skin at an end; below 0: inside.
static double middle_at(sn_world *world, int shape, int end, int *face)
{
    sn_spring_touch *touch = &world->touch.springs;
    const sn_collider *collider = sn_touch_collider(world, &world->touch.shapes.data[shape]);
    sn_vec3 middle =
        sn_vec3_scale(0.5, sn_vec3_add(collider->bounds.lower, collider->bounds.upper));
    double weights[3], distance = INFINITY;
    sn_spring_place(touch, touch->ends.data + (size_t)end * 2 * sn_spring_row(touch));
    *face = sn_skin_nearest(sn_meetings_skin(touch->meetings),
                            sn_transform_point(touch->places[end].data[shape].frame, middle),
                            collider->size, weights, &distance);
    return *face >= 0 ? distance : INFINITY;
}

bool sn_world_check_shapes(sn_world *world)
{
    const sn_spring_touch *touch = &world->touch.springs;
    for (int i = 0; i < touch->places[1].count; ++i) {
        const sn_touch_shape *shape = &world->touch.shapes.data[i];
        int face, before;
        if (!touch->places[1].data[i].near ||
            !sn_collider_is_convex(sn_touch_collider(world, shape)) ||
            !(middle_at(world, i, 1, &face) < 0.0) || !(middle_at(world, i, 0, &before) > 0.0)) {
            continue;
        }
        const sn_skin *skin = sn_meetings_skin(touch->meetings);
        int agent = touch->agents.data[skin->faces[3 * (size_t)face]];
        sn_spring_law law = sn_spring_law_of(world, agent, -1, sn_touch_surface(world, shape), 1.0);
        if (sn_soft_meets_shape(world, agent, shape)) {
            return tell(world, shape->body, owner_of(world, agent),
                        0.5 * sn_touch_collider(world, shape)->size, law.stiffness);
        }
    }
    return check_vertices(world);
}
