// Rays against each kind of collider, in its own frame.
#include "collide/query.h"

#include "collide/facet.h"
#include "collide/hull_shape.h"
#include "collide/mesh_query.h"

// The way in its own frame: points o + s d, measured from where it is nearest to the collider's
// middle, so that a start far away costs no digits.
typedef struct ray {
    sn_vec3 o, d;
    double lower, upper; // of s: the start and the limit
} ray;

typedef struct entry {
    double s;
    sn_vec3 normal;
} entry;

static sn_vec3 at(const ray *r, double s)
{
    return sn_vec3_add_scaled(r->o, s, r->d);
}

// A stretch of the way that lies within a convex thing, and the normals of its ends' surfaces.
typedef struct stretch {
    double in, out;
    sn_vec3 normal; // where it enters
} stretch;

static const stretch everything = {-INFINITY, INFINITY, {0.0, 0.0, 0.0}};

static void enter(stretch *x, double s, sn_vec3 normal)
{
    if (s > x->in) {
        x->in = s;
        x->normal = normal;
    }
}

// Keeps what is below the plane normal . p <= offset.
static void below(const ray *r, sn_vec3 normal, double offset, stretch *x)
{
    double height = sn_dot(normal, r->o) - offset, rate = sn_dot(normal, r->d);
    if (rate < 0.0) {
        enter(x, height / -rate, normal);
    } else if (rate > 0.0) {
        x->out = fmin(x->out, -height / rate);
    } else if (height > 0.0) {
        x->out = -INFINITY;
    }
}

// Both roots of a s^2 + 2 b s + c = 0, a > 0, the smaller first; false: none.
static bool roots(double a, double b, double c, double *s0, double *s1)
{
    double square = b * b - a * c;
    if (!(square >= 0.0)) {
        return false;
    }
    double q = b >= 0.0 ? -(b + sqrt(square)) : -b + sqrt(square);
    double x = q / a, y = q != 0.0 ? c / q : x;
    *s0 = fmin(x, y);
    *s1 = fmax(x, y);
    return true;
}

static bool hit(const ray *r, const stretch *x, entry *e)
{
    if (!(x->in <= x->out) || x->out < r->lower || x->in > r->upper) {
        return false;
    }
    e->s = x->in;
    e->normal = x->normal;
    if (x->in < r->lower) { // starts inside
        e->s = r->lower;
        e->normal = sn_vec3_negate(sn_normalize(r->d));
    }
    return true;
}

// ---- kinds ----

static stretch through_sphere(const ray *r, sn_vec3 centre, double radius)
{
    sn_vec3 o = sn_vec3_sub(r->o, centre);
    stretch x = {INFINITY, -INFINITY, {0.0, 0.0, 0.0}};
    double s0, s1;
    if (roots(sn_dot(r->d, r->d), sn_dot(o, r->d), sn_dot(o, o) - radius * radius, &s0, &s1)) {
        x.in = s0;
        x.out = s1;
        x.normal = sn_normalize(sn_vec3_add_scaled(o, s0, r->d));
    }
    return x;
}

static stretch through_box(const ray *r, sn_vec3 half)
{
    stretch x = everything;
    below(r, sn_vec3_make(1.0, 0.0, 0.0), half.x, &x);
    below(r, sn_vec3_make(-1.0, 0.0, 0.0), half.x, &x);
    below(r, sn_vec3_make(0.0, 1.0, 0.0), half.y, &x);
    below(r, sn_vec3_make(0.0, -1.0, 0.0), half.y, &x);
    below(r, sn_vec3_make(0.0, 0.0, 1.0), half.z, &x);
    below(r, sn_vec3_make(0.0, 0.0, -1.0), half.z, &x);
    return x;
}

// Between two planes across z, and within the endless cylinder.
static stretch through_cylinder(const ray *r, double radius, double half_height)
{
    stretch x = everything;
    below(r, sn_vec3_make(0.0, 0.0, 1.0), half_height, &x);
    below(r, sn_vec3_make(0.0, 0.0, -1.0), half_height, &x);
    double a = r->d.x * r->d.x + r->d.y * r->d.y, b = r->o.x * r->d.x + r->o.y * r->d.y;
    double c = r->o.x * r->o.x + r->o.y * r->o.y - radius * radius, s0, s1;
    if (!(a > 0.0)) {
        x.out = c > 0.0 ? -INFINITY : x.out;
        return x;
    }
    if (!roots(a, b, c, &s0, &s1)) {
        x.out = -INFINITY;
        return x;
    }
    sn_vec3 p = at(r, s0);
    enter(&x, s0, sn_normalize(sn_vec3_make(p.x, p.y, 0.0)));
    x.out = fmin(x.out, s1);
    return x;
}

static void join(stretch *x, stretch other)
{
    if (!(other.in <= other.out)) {
        return;
    }
    if (!(x->in <= x->out) || other.in < x->in) {
        double out = x->in <= x->out ? fmax(x->out, other.out) : other.out;
        *x = other;
        x->out = out;
        return;
    }
    x->out = fmax(x->out, other.out);
}

static stretch through_capsule(const ray *r, double radius, double half_height)
{
    stretch x = through_cylinder(r, radius, half_height);
    join(&x, through_sphere(r, sn_vec3_make(0.0, 0.0, half_height), radius));
    join(&x, through_sphere(r, sn_vec3_make(0.0, 0.0, -half_height), radius));
    return x;
}

// Below the tip and above the base; within the cone x^2 + y^2 = k^2 (h - z)^2, whose upper half is
// cut off by the tip's plane.
static stretch through_cone(const ray *r, double radius, double h)
{
    stretch x = everything;
    below(r, sn_vec3_make(0.0, 0.0, -1.0), h, &x);
    below(r, sn_vec3_make(0.0, 0.0, 1.0), h, &x);
    double k = radius / (2.0 * h), z = h - r->o.z; // down from the tip
    double a = r->d.x * r->d.x + r->d.y * r->d.y - k * k * r->d.z * r->d.z;
    double b = r->o.x * r->d.x + r->o.y * r->d.y + k * k * z * r->d.z;
    double c = r->o.x * r->o.x + r->o.y * r->o.y - k * k * z * z, s0, s1;
    double from = -INFINITY, to = INFINITY;
    if (a > 0.0) { // steeper across than the cone: one stretch
        if (!roots(a, b, c, &from, &to)) {
            x.out = -INFINITY;
            return x;
        }
    } else if (a < 0.0) { // along the cone: outside between the roots, if there are any
        if (roots(-a, -b, -c, &s0, &s1)) {
            from = r->d.z > 0.0 ? -INFINITY : s1; // going up it leaves, going down it enters
            to = r->d.z > 0.0 ? s0 : INFINITY;
        }
    } else if (b != 0.0) { // parallel to the side
        from = b < 0.0 ? -0.5 * c / b : -INFINITY;
        to = b > 0.0 ? -0.5 * c / b : INFINITY;
    }
    if (from > -INFINITY) {
        sn_vec3 p = at(r, from);
        double across = sqrt(p.x * p.x + p.y * p.y);
        enter(&x, from, sn_normalize(sn_vec3_make(p.x, p.y, k * across)));
    }
    x.out = fmin(x.out, to);
    return x;
}

static stretch through_hull(const ray *r, const sn_hull *hull)
{
    stretch x = everything;
    for (int f = 0; f < hull->face_count; ++f) {
        below(r, hull->faces[f].normal, hull->faces[f].offset, &x);
    }
    return x;
}

// From either side: a triangle is met in one point.
static stretch through_triangle(const ray *r, const sn_vec3 *p)
{
    stretch x = {INFINITY, -INFINITY, {0.0, 0.0, 0.0}};
    sn_vec3 u = sn_vec3_sub(p[1], p[0]), v = sn_vec3_sub(p[2], p[0]), n = sn_cross(u, v);
    double rate = sn_dot(n, r->d);
    if (rate == 0.0) {
        return x;
    }
    double s = sn_dot(n, sn_vec3_sub(p[0], r->o)) / rate;
    sn_vec3 q = at(r, s);
    for (int k = 0; k < 3; ++k) {
        sn_vec3 edge = sn_vec3_sub(p[(k + 1) % 3], p[k]);
        if (sn_dot(n, sn_cross(edge, sn_vec3_sub(q, p[k]))) < 0.0) {
            return x;
        }
    }
    x.in = x.out = s;
    x.normal = sn_normalize(rate < 0.0 ? n : sn_vec3_negate(n));
    return x;
}

static bool find_entry(const sn_collider *c, const ray *r, entry *e)
{
    stretch x = everything;
    switch (c->type) {
    case SN_COLLIDER_SPHERE:
        x = through_sphere(r, SN_VEC3_ZERO, c->rounding);
        break;
    case SN_COLLIDER_CAPSULE:
        x = through_capsule(r, c->rounding, c->half_height);
        break;
    case SN_COLLIDER_CYLINDER:
        x = through_cylinder(r, c->radius, c->half_height);
        break;
    case SN_COLLIDER_CONE:
        x = through_cone(r, c->radius, c->half_height);
        break;
    case SN_COLLIDER_BOX:
        x = through_box(r, c->half);
        break;
    case SN_COLLIDER_HULL:
        x = through_hull(r, c->hull);
        break;
    case SN_COLLIDER_TRIANGLE:
        x = through_triangle(r, c->triangle);
        break;
    case SN_COLLIDER_PLANE:
        below(r, sn_vec3_make(0.0, 0.0, 1.0), 0.0, &x);
        break;
    default:
        return false;
    }
    return hit(r, &x, e);
}

// Rounded boxes and hulls: a point that travels.
static bool cast_point(const sn_collider *c, const sn_transform *place, sn_vec3 origin, sn_vec3 way,
                       double limit, double *fraction, sn_vec3 *point, sn_vec3 *normal)
{
    sn_collider dot = sn_collider_sphere(0.0);
    sn_transform from = {origin, SN_QUAT_IDENTITY};
    if (!sn_collide_cast(&dot, &from, sn_vec3_scale(limit, way), c, place, fraction, point,
                         normal)) {
        return false;
    }
    *fraction *= limit;
    *point = sn_vec3_add_scaled(origin, *fraction, way);
    if (*fraction == 0.0) { // starts inside
        *normal = sn_vec3_negate(sn_normalize(way));
    }
    return true;
}

// Is a point within a collider, or on it? What a way without length can hit.
static bool holds_point(const sn_collider *c, const sn_transform *place, sn_vec3 point)
{
    if (sn_collider_is_ground(c)) {
        return sn_ground_exit(c, sn_transform_point_inverse(*place, point)) >= 0;
    }
    sn_collider dot = sn_collider_sphere(0.0);
    sn_transform there = {point, SN_QUAT_IDENTITY};
    sn_collide_cache cache = {0};
    sn_vec3 on_dot, on_c;
    return sn_collide_distance(&dot, &there, c, place, &cache, &on_dot, &on_c) <= 0.0;
}

bool sn_collide_ray(const sn_collider *c, const sn_transform *place, sn_vec3 origin,
                    sn_vec3 direction, double limit, double *fraction, sn_vec3 *point,
                    sn_vec3 *normal)
{
    double length2 = sn_dot(direction, direction);
    if (!(limit >= 0.0)) {
        return false;
    }
    if (!(length2 > 0.0)) {
        *fraction = 0.0;
        *point = origin;
        *normal = SN_VEC3_ZERO;
        return length2 == 0.0 && holds_point(c, place, origin);
    }
    if (sn_collider_is_ground(c)) {
        return sn_ground_ray(c, place, origin, direction, limit, fraction, point, normal);
    }
    if ((c->type == SN_COLLIDER_BOX || c->type == SN_COLLIDER_HULL) && c->rounding > 0.0) {
        return cast_point(c, place, origin, direction, limit, fraction, point, normal);
    }
    ray r = {.o = sn_transform_point_inverse(*place, origin),
             .d = sn_rotate_inverse(place->rotation, direction)};
    double shift = c->type == SN_COLLIDER_PLANE ? 0.0 : -sn_dot(r.o, r.d) / length2;
    r.o = at(&r, shift);
    r.lower = -shift;
    r.upper = limit - shift;
    entry e;
    if (!find_entry(c, &r, &e)) {
        return false;
    }
    *fraction = fmin(limit, fmax(0.0, e.s + shift));
    *point = sn_transform_point(*place, at(&r, e.s));
    *normal = sn_rotate(place->rotation, e.normal);
    return true;
}
