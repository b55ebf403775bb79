// Spheres against simple things, and capsules against each other.
#include "collide/pairs.h"

// The manifold of a sphere a and the core point `q` of b, in b's frame: `out` is the unit direction
// from b's core towards the sphere's centre, `distance` that from the core's surface, negative
// inside.
static int touch_sphere(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                        const sn_transform *place_b, sn_vec3 out, double distance, double margin,
                        sn_manifold *m)
{
    double gap = distance - a->rounding - b->rounding;
    if (gap > margin) {
        return 0;
    }
    sn_vec3 normal = sn_vec3_negate(sn_rotate(place_b->rotation, out));
    m->normal = normal;
    m->patch = 0;
    m->count = 1;
    m->points[0].on_a = sn_vec3_add_scaled(place_a->position, a->rounding, normal);
    m->points[0].on_b = sn_vec3_add_scaled(m->points[0].on_a, gap, normal);
    m->points[0].gap = gap;
    m->points[0].feature = 0;
    return 1;
}

static sn_vec3 unit_or(sn_vec3 v, double length, sn_vec3 otherwise)
{
    return length > 0.0 ? sn_vec3_scale(1.0 / length, v) : otherwise;
}

int sn_collide_sphere_sphere(const sn_collider *a, const sn_transform *place_a,
                             const sn_collider *b, const sn_transform *place_b, double margin,
                             sn_collide_cache *cache, sn_manifold *m)
{
    (void)cache;
    sn_vec3 d = sn_vec3_sub(place_b->position, place_a->position);
    double square = sn_dot(d, d), reach = a->rounding + b->rounding + margin;
    if (square > reach * reach) {
        return 0;
    }
    double distance = sqrt(square), gap = distance - a->rounding - b->rounding;
    m->normal = unit_or(d, distance, sn_vec3_make(0.0, 0.0, 1.0));
    m->patch = 0;
    m->count = 1;
    m->points[0].on_a = sn_vec3_add_scaled(place_a->position, a->rounding, m->normal);
    m->points[0].on_b = sn_vec3_add_scaled(place_b->position, -b->rounding, m->normal);
    m->points[0].gap = gap;
    m->points[0].feature = 0;
    return 1;
}

int sn_collide_sphere_capsule(const sn_collider *a, const sn_transform *place_a,
                              const sn_collider *b, const sn_transform *place_b, double margin,
                              sn_collide_cache *cache, sn_manifold *m)
{
    (void)cache;
    sn_vec3 c = sn_transform_point_inverse(*place_b, place_a->position);
    double z = fmin(b->half_height, fmax(-b->half_height, c.z));
    sn_vec3 d = sn_vec3_make(c.x, c.y, c.z - z);
    double distance = sn_length(d);
    sn_vec3 out = unit_or(d, distance, sn_vec3_make(1.0, 0.0, 0.0));
    return touch_sphere(a, place_a, b, place_b, out, distance, margin, m);
}

int sn_collide_sphere_box(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                          const sn_transform *place_b, double margin, sn_collide_cache *cache,
                          sn_manifold *m)
{
    (void)cache;
    sn_vec3 c = sn_transform_point_inverse(*place_b, place_a->position), h = b->half;
    sn_vec3 q = sn_vec3_max(sn_vec3_negate(h), sn_vec3_min(h, c));
    sn_vec3 d = sn_vec3_sub(c, q);
    double square = sn_dot(d, d);
    if (square > 0.0) {
        double distance = sqrt(square);
        return touch_sphere(a, place_a, b, place_b, sn_vec3_scale(1.0 / distance, d), distance,
                            margin, m);
    }
    // Inside: out through the nearest face.
    double x = h.x - fabs(c.x), y = h.y - fabs(c.y), z = h.z - fabs(c.z);
    double least = fmin(x, fmin(y, z));
    sn_vec3 out = x == least   ? sn_vec3_make(copysign(1.0, c.x), 0.0, 0.0)
                  : y == least ? sn_vec3_make(0.0, copysign(1.0, c.y), 0.0)
                               : sn_vec3_make(0.0, 0.0, copysign(1.0, c.z));
    return touch_sphere(a, place_a, b, place_b, out, -least, margin, m);
}

int sn_collide_sphere_cylinder(const sn_collider *a, const sn_transform *place_a,
                               const sn_collider *b, const sn_transform *place_b, double margin,
                               sn_collide_cache *cache, sn_manifold *m)
{
    (void)cache;
    sn_vec3 c = sn_transform_point_inverse(*place_b, place_a->position);
    double across = sqrt(c.x * c.x + c.y * c.y);
    double side = across - b->radius, cap = fabs(c.z) - b->half_height;
    sn_vec3 u = unit_or(sn_vec3_make(c.x, c.y, 0.0), across, sn_vec3_make(1.0, 0.0, 0.0));
    double up = copysign(1.0, c.z);
    if (side > 0.0 && cap > 0.0) { // nearest to the rim
        double distance = sqrt(side * side + cap * cap);
        sn_vec3 out =
            sn_vec3_make(side * u.x / distance, side * u.y / distance, up * cap / distance);
        return touch_sphere(a, place_a, b, place_b, out, distance, margin, m);
    }
    sn_vec3 out = side > cap ? u : sn_vec3_make(0.0, 0.0, up);
    return touch_sphere(a, place_a, b, place_b, out, fmax(side, cap), margin, m);
}

// ---- two capsules ----

static double clamp(double x, double lower, double upper)
{
    return fmin(upper, fmax(lower, x));
}

// The nearest points of the segments |s| <= p about the origin along z and |t| <= q about c along
// the unit v: where each is nearest to the other, starting from where the lines are.
static void nearest_of_segments(double p, sn_vec3 c, sn_vec3 v, double q, double *s, double *t)
{
    double cosine = v.z, sine2 = v.x * v.x + v.y * v.y, cv = sn_dot(c, v);
    *s = sine2 > 1e-24 ? clamp((c.z - cosine * cv) / sine2, -p, p) : clamp(c.z, -p, p);
    *t = clamp(*s * cosine - cv, -q, q);
    *s = clamp(c.z + *t * cosine, -p, p);
    *t = clamp(*s * cosine - cv, -q, q);
}

int sn_collide_capsule_capsule(const sn_collider *a, const sn_transform *place_a,
                               const sn_collider *b, const sn_transform *place_b, double margin,
                               sn_collide_cache *cache, sn_manifold *m)
{
    (void)cache;
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    sn_vec3 v = {pair.rotation.m[0][2], pair.rotation.m[1][2], pair.rotation.m[2][2]};
    double s, t;
    nearest_of_segments(a->half_height, pair.offset, v, b->half_height, &s, &t);
    sn_convex_gap found;
    found.core_a = sn_vec3_make(0.0, 0.0, s);
    sn_vec3 core_b = sn_vec3_add_scaled(pair.offset, t, v);
    sn_vec3 d = sn_vec3_sub(core_b, found.core_a);
    double distance = sn_length(d);
    found.gap = distance - a->rounding - b->rounding;
    if (found.gap > margin) {
        return 0;
    }
    // Axes that cross leave each other along their common perpendicular.
    double size = a->half_height + b->half_height + a->rounding + b->rounding;
    if (distance <= 1e-12 * size) {
        sn_vec3 cross = sn_cross(sn_vec3_make(0.0, 0.0, 1.0), v);
        double sine = sn_length(cross);
        found.normal = sine > 1e-6 ? sn_vec3_scale(1.0 / sine, cross) : sn_vec3_make(1, 0, 0);
        if (sn_dot(found.normal, pair.offset) < 0.0) {
            found.normal = sn_vec3_negate(found.normal);
        }
    } else {
        found.normal = sn_vec3_scale(1.0 / distance, d);
    }
    return sn_collide_features(&pair, place_a, &found, margin, m);
}
