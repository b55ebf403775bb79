#include "collide/core_point.h"

#include "collide/gjk.h"
#include "collide/hull_shape.h"
#include "collide/simplex_pair.h"

// Beside the core: `apart` leads from its nearest point to this one, which is on it if that is
// zero.
static sn_core_point beside(sn_vec3 apart, sn_vec3 otherwise)
{
    double distance = sn_length(apart);
    sn_vec3 normal = distance > 0.0 ? sn_vec3_scale(1.0 / distance, apart) : otherwise;
    return (sn_core_point){.distance = distance, .normal = normal, .face = -1};
}

static sn_core_point of_stretch(double half_height, sn_vec3 p)
{
    double z = fmin(half_height, fmax(-half_height, p.z));
    return beside(sn_vec3_make(p.x, p.y, p.z - z), sn_vec3_make(1.0, 0.0, 0.0));
}

// ---- box ----

static sn_vec3 axis_of(int axis, double sign)
{
    return sn_vec3_make(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);
}

// Faces: 2 axis, and one more if it is the upper of both.
static sn_core_point of_box(sn_vec3 half, sn_vec3 p)
{
    double at[3], h[3], apart[3];
    int outside = 0, nearest = 0; // the axis along which it is highest over a face
    sn_vec3_put(at, p);
    sn_vec3_put(h, half);
    for (int i = 0; i < 3; ++i) {
        double above = fabs(at[i]) - h[i];
        apart[i] = above > 0.0 ? copysign(above, at[i]) : 0.0;
        outside += above > 0.0;
        nearest = above > fabs(at[nearest]) - h[nearest] ? i : nearest;
    }
    if (outside > 1) {
        return beside(sn_vec3_at(apart), axis_of(nearest, 1.0));
    }
    double sign = copysign(1.0, at[nearest]);
    return (sn_core_point){.distance = fabs(at[nearest]) - h[nearest],
                           .normal = axis_of(nearest, sign),
                           .face = 2 * nearest + (sign > 0.0)};
}

// ---- cylinder and cone: bodies of revolution, by distance from the axis and height ----

static sn_vec3 turn_out(sn_vec3 p, double across, double out, double up)
{
    return across > 0.0 ? sn_vec3_make(out * p.x / across, out * p.y / across, up)
                        : sn_vec3_make(out, 0.0, up);
}

// Faces: 0 below, 1 above.
static sn_core_point of_cylinder(double radius, double half_height, sn_vec3 p)
{
    double across = sqrt(p.x * p.x + p.y * p.y), up = copysign(1.0, p.z);
    double side = across - radius, cap = fabs(p.z) - half_height;
    if (side > 0.0 && cap > 0.0) { // the rim is nearest
        return beside(turn_out(p, across, side, up * cap), sn_vec3_make(0.0, 0.0, up));
    }
    if (side > cap) {
        return (sn_core_point){side, turn_out(p, across, 1.0, 0.0), -1};
    }
    return (sn_core_point){cap, sn_vec3_make(0.0, 0.0, up), p.z > 0.0};
}

// Face 0 is the base.
static sn_core_point of_cone(double radius, double half_height, sn_vec3 p)
{
    double across = sqrt(p.x * p.x + p.y * p.y), height = 2.0 * half_height;
    double length = sqrt(radius * radius + height * height);
    double from_rim = across - radius, from_base = p.z + half_height;
    // Over the slanting side, and along it from the rim to the tip.
    double over = (height * from_rim + radius * from_base) / length,
           along = (height * from_base - radius * from_rim) / length;
    bool below = -from_base > 0.0;
    if ((below && from_rim <= 0.0) || (!below && over <= 0.0 && -from_base >= over)) {
        return (sn_core_point){-from_base, sn_vec3_make(0.0, 0.0, -1.0), 0};
    }
    sn_vec3 slant = turn_out(p, across, height / length, radius / length);
    if (!below && (over <= 0.0 || (along >= 0.0 && along <= length))) {
        return (sn_core_point){over, slant, -1};
    }
    return !below && along > length
               ? beside(sn_vec3_make(p.x, p.y, p.z - half_height), sn_vec3_make(0.0, 0.0, 1.0))
               : beside(turn_out(p, across, from_rim, from_base), slant);
}

// ---- hull ----

static int highest_over(const sn_hull *hull, sn_vec3 p, double *height)
{
    int best = 0;
    *height = -INFINITY;
    for (int i = 0; i < hull->face_count; ++i) {
        double above = sn_dot(hull->faces[i].normal, p) - hull->faces[i].offset;
        best = above > *height ? i : best;
        *height = fmax(above, *height);
    }
    return best;
}

static bool is_above_face(const sn_hull *hull, const sn_hull_face *face, sn_vec3 p)
{
    for (int k = 0; k < face->count; ++k) {
        const sn_hull_edge *edge = &hull->edges[face->first + k];
        sn_vec3 from = hull->corners[edge->corner],
                to = hull->corners[hull->edges[edge->twin].corner];
        sn_vec3 in = sn_cross(face->normal, sn_vec3_sub(to, from));
        if (sn_dot(in, sn_vec3_sub(p, from)) < 0.0) {
            return false;
        }
    }
    return true;
}

static sn_core_point of_hull(const sn_collider *core, sn_vec3 p)
{
    double height;
    int face = highest_over(core->hull, p, &height);
    const sn_hull_face *flat = &core->hull->faces[face];
    sn_core_point on_face = {height, flat->normal, face};
    if (height <= 0.0 || is_above_face(core->hull, flat, p)) {
        return on_face;
    }
    sn_collider point = sn_collider_sphere(0.0);
    sn_core_pair pair = {.a = core, .b = &point, .rotation = SN_MAT3_IDENTITY, .offset = p};
    sn_gjk gjk;
    sn_gjk_run(&pair, INFINITY, NULL, &gjk);
    return gjk.overlap ? on_face : beside(sn_vec3_sub(p, gjk.on_a), gjk.normal);
}

// ---- triangle ----

static sn_core_point of_triangle(const sn_vec3 *corners, sn_vec3 p)
{
    sn_vec3 points[4] = {p, corners[0], corners[1], corners[2]};
    sn_pair_nearest found = sn_pair_find_nearest(SN_VERTEX_FACE, points);
    sn_vec3 normal = sn_normalize(
        sn_cross(sn_vec3_sub(corners[1], corners[0]), sn_vec3_sub(corners[2], corners[0])));
    sn_core_point at = beside(found.apart, normal);
    bool inside = found.weights[1] != 0.0 && found.weights[2] != 0.0 && found.weights[3] != 0.0;
    if (inside && at.distance > 0.0) {
        double up = sn_dot(found.apart, normal) >= 0.0 ? 1.0 : -1.0;
        at.normal = sn_vec3_scale(up, normal); // to the last digit the same everywhere
        at.face = up > 0.0;
    }
    return at;
}

sn_core_point sn_core_point_find(const sn_collider *core, sn_vec3 point)
{
    switch (core->type) {
    case SN_COLLIDER_CYLINDER:
        return of_cylinder(core->radius, core->half_height, point);
    case SN_COLLIDER_CONE:
        return of_cone(core->radius, core->half_height, point);
    case SN_COLLIDER_BOX:
        return of_box(core->half, point);
    case SN_COLLIDER_HULL:
        return of_hull(core, point);
    case SN_COLLIDER_TRIANGLE:
        return of_triangle(core->triangle, point);
    default:
        return of_stretch(core->half_height, point); // of a sphere it has no length
    }
}
