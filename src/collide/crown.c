#include "collide/crown.h"

#include <math.h>

#include "collide/feature.h"

// Corners count where the round surface faces as the contact does, to about a quarter radian.
static const double FACING = 0.97;
// Corners as deep as the point itself, to this share of the face's size, take its place; a point so
// near to a corner is that corner.
static const double LEVEL = 1e-4, SAME = 1e-3;

static double longest(const sn_collider *c)
{
    sn_vec3 extent = sn_vec3_sub(c->bounds.upper, c->bounds.lower);
    return fmax(extent.x, fmax(extent.y, extent.z));
}

// How far its round side is bent: 0, it has none.
static double round_radius(const sn_collider *c)
{
    switch (c->type) {
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_CAPSULE:
        return c->rounding;
    case SN_COLLIDER_CYLINDER:
    case SN_COLLIDER_CONE:
        return c->radius + c->rounding;
    default:
        return 0.0;
    }
}

// How far a point is above the surface, in its own frame, and the direction of the round side
// there: beyond rims and tips less than it is.
static double height_over(const sn_collider *c, sn_vec3 p, sn_vec3 *up)
{
    if (c->type == SN_COLLIDER_SPHERE || c->type == SN_COLLIDER_CAPSULE) {
        double end = c->type == SN_COLLIDER_CAPSULE ? c->half_height : 0.0;
        sn_vec3 d = sn_vec3_make(p.x, p.y, p.z - fmin(end, fmax(-end, p.z)));
        double length = sn_length(d);
        *up = length > 0.0 ? sn_vec3_scale(1.0 / length, d) : SN_VEC3_ZERO;
        return length - c->rounding;
    }
    double across = sqrt(p.x * p.x + p.y * p.y);
    double rise = c->type == SN_COLLIDER_CONE ? 0.5 * c->radius / c->half_height : 0.0;
    double slant = 1.0 / sqrt(1.0 + rise * rise);
    double x = across > 0.0 ? p.x / across : 0.0, y = across > 0.0 ? p.y / across : 0.0;
    *up = sn_vec3_make(slant * x, slant * y, slant * rise);
    double radius = c->radius - rise * (c->type == SN_COLLIDER_CONE ? p.z + c->half_height : 0.0);
    bool cone = c->type == SN_COLLIDER_CONE;
    double cap = cone ? -p.z - c->half_height : fabs(p.z) - c->half_height;
    return fmax(slant * (across - radius), cap) - c->rounding;
}

typedef struct crown {
    int count;
    double highest;
    sn_manifold_point points[SN_FEATURE_CORNERS + SN_MANIFOLD_POINTS];
} crown;

// `side`: 1 where the round one is a, -1 where it is b.
static void find_corners(const sn_collider *round, const sn_transform *place_round,
                         const sn_collider *flat, const sn_transform *place_flat, double side,
                         double margin, const sn_manifold *m, crown *found)
{
    sn_vec3 n = sn_vec3_scale(side, m->normal);
    sn_feature face;
    found->count = 0;
    found->highest = -INFINITY;
    sn_collider_feature(flat, sn_rotate_inverse(place_flat->rotation, sn_vec3_negate(n)), &face);
    for (int i = 0; i < face.count && face.count > 1; ++i) {
        sn_vec3 corner = sn_transform_point(*place_flat, face.corners[i]), up;
        corner = sn_vec3_add_scaled(corner, -flat->rounding, n);
        double gap = height_over(round, sn_transform_point_inverse(*place_round, corner), &up);
        if (!(gap <= margin) || !(sn_dot(sn_rotate(place_round->rotation, up), n) > FACING)) {
            continue;
        }
        sn_vec3 across = sn_vec3_add_scaled(corner, -gap, n);
        uint32_t name = 2u * face.names[i] + 2u;
        found->highest = fmax(found->highest, gap);
        found->points[found->count++] =
            (sn_manifold_point){.on_a = side > 0.0 ? across : corner,
                                .on_b = side > 0.0 ? corner : across,
                                .gap = gap,
                                .feature = side > 0.0 ? 1u | name << 16 : name | 1u << 16};
    }
}

// Whether the point is one of the corners, which is then as deep as it.
static bool is_corner(crown *found, int corners, const sn_manifold_point *point, double near)
{
    for (int i = 0; i < corners; ++i) {
        if (sn_distance(found->points[i].on_a, point->on_a) < near) {
            uint32_t feature = found->points[i].feature;
            found->points[i] = point->gap < found->points[i].gap ? *point : found->points[i];
            found->points[i].feature = feature;
            return true;
        }
    }
    return false;
}

void sn_crown_add(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                  const sn_transform *place_b, double margin, sn_manifold *m)
{
    bool on_a = round_radius(a) > longest(b);
    if (m->count > 2 || (!on_a && !(round_radius(b) > longest(a)))) {
        return;
    }
    double scale = longest(on_a ? b : a), least = INFINITY;
    crown found;
    if (on_a) {
        find_corners(a, place_a, b, place_b, 1.0, margin, m, &found);
    } else {
        find_corners(b, place_b, a, place_a, -1.0, margin, m, &found);
    }
    int corners = found.count;
    for (int i = 0; i < m->count; ++i) {
        least = fmin(least, m->points[i].gap);
    }
    bool level = corners > 2 && found.highest <= least + LEVEL * scale;
    for (int i = 0; i < m->count && !level && corners > 0; ++i) {
        if (!is_corner(&found, corners, &m->points[i], SAME * scale)) {
            found.points[found.count++] = m->points[i];
        }
    }
    if (corners > 0) {
        sn_manifold_reduce(m, found.points, found.count, LEVEL * scale, 0.0, 0.0);
    }
}
