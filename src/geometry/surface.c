#include "base/error.h"
#include "geometry/curve.h"
#include "math/elementary.h"

// How far from singular points answers are taken, as a share of the surface's size.
#define SHARE 1e-9

static bool is_size(double x)
{
    return x > 0.0 && isfinite(x);
}

sn_status sn_surface_check(const sn_surface_def *def, const char *place, sn_error *error)
{
    bool has_radius = def->type == SN_SURFACE_SPHERE || def->type == SN_SURFACE_CYLINDER ||
                      def->type == SN_SURFACE_TORUS;
    if ((unsigned)def->type >= SN_SURFACE_TYPE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "surface type %d; one of sn_surface_type was expected", (int)def->type);
    }
    if (has_radius && !is_size(def->radius)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "the radius of the surface is %g m; a positive number was expected",
                       def->radius);
    }
    if (def->type == SN_SURFACE_TORUS &&
        !(def->tube_radius > 0.0 && def->tube_radius < def->radius)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "the tube radius of the torus is %g m; between 0 and its radius, %g m, was "
                       "expected",
                       def->tube_radius, def->radius);
    }
    if (def->type == SN_SURFACE_CONE && !(def->angle > 0.0 && def->angle < 0.5 * SN_PI)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "the angle of the cone is %g; between 0 and pi/2 was expected", def->angle);
    }
    if (def->type == SN_SURFACE_ELLIPSOID &&
        !(is_size(def->size.x) && is_size(def->size.y) && is_size(def->size.z))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "the half axes of the ellipsoid are (%g, %g, %g) m; positive numbers were "
                       "expected",
                       def->size.x, def->size.y, def->size.z);
    }
    return SN_OK;
}

// Cylindrical coordinates of a point no nearer to z than `least`.
typedef struct polar {
    double rho;
    sn_vec3 out, around; // unit vectors
} polar;

static polar polar_of(sn_vec3 point, double least)
{
    double rho = sqrt(point.x * point.x + point.y * point.y);
    sn_vec3 out =
        rho > 0.0 ? sn_vec3_make(point.x / rho, point.y / rho, 0.0) : sn_vec3_make(1.0, 0.0, 0.0);
    return (polar){rho > least ? rho : least, out, sn_vec3_make(-out.y, out.x, 0.0)};
}

// |x| - radius about the origin: gradient n = x / |x|, Hessian (1 - n n^T) / |x|.
static sn_surface_point sphere_at(double radius, double least, sn_vec3 point)
{
    double r = sn_length(point);
    sn_vec3 n = r > least ? sn_vec3_scale(1.0 / r, point) : sn_vec3_make(0.0, 0.0, 1.0);
    r = r > least ? r : least;
    sn_sym3 identity = {1.0 / r, 0.0, 0.0, 1.0 / r, 0.0, 1.0 / r};
    return (sn_surface_point){r - radius, n, sn_sym3_add_outer(&identity, -1.0 / r, n)};
}

static sn_surface_point cylinder_at(double radius, sn_vec3 point)
{
    polar p = polar_of(point, SHARE * radius);
    sn_sym3 zero = SN_SYM3_ZERO;
    return (sn_surface_point){p.rho - radius, p.out,
                              sn_sym3_add_outer(&zero, 1.0 / p.rho, p.around)};
}

// Beside the cone f = rho cos - z sin; below the normals of its tip, the distance of the tip. Both
// agree, with their gradients, where they meet.
static sn_surface_point cone_at(double angle, sn_vec3 point)
{
    double s, c;
    sn_sincos(angle, &s, &c);
    polar p = polar_of(point, SHARE);
    sn_sym3 zero = SN_SYM3_ZERO;
    if (sn_length(point) <= SHARE) {
        return sphere_at(0.0, 0.0, sn_vec3_make(0.0, 0.0, -SHARE));
    }
    if (point.z * c + p.rho * s < 0.0) {
        return sphere_at(0.0, SHARE, point);
    }
    return (sn_surface_point){p.rho * c - point.z * s, sn_vec3_make(c * p.out.x, c * p.out.y, -s),
                              sn_sym3_add_outer(&zero, c / p.rho, p.around)};
}

// With a = rho - radius the distance of the core is d = |(a, z)|. Across the tube the gradient n
// turns by 1 / d, around the axis by n . out / rho.
static sn_surface_point torus_at(double radius, double tube_radius, sn_vec3 point)
{
    polar p = polar_of(point, SHARE * radius);
    double least = SHARE * tube_radius;
    double a = p.rho - radius, z = point.z, d = sqrt(a * a + z * z);
    if (!(d > least)) {
        a = d = least;
        z = 0.0;
    }
    sn_vec3 n = sn_vec3_make(a / d * p.out.x, a / d * p.out.y, z / d);
    sn_vec3 across = sn_vec3_make(-z / d * p.out.x, -z / d * p.out.y, a / d);
    sn_sym3 zero = SN_SYM3_ZERO;
    sn_sym3 hessian = sn_sym3_add_outer(&zero, 1.0 / d, across);
    return (sn_surface_point){d - tube_radius, n,
                              sn_sym3_add_outer(&hessian, a / (d * p.rho), p.around)};
}

// a + s (u v^T + v u^T)
static sn_sym3 add_mixed(const sn_sym3 *a, double s, sn_vec3 u, sn_vec3 v)
{
    return (sn_sym3){a->xx + s * (2.0 * u.x * v.x),       a->xy + s * (u.x * v.y + u.y * v.x),
                     a->xz + s * (u.x * v.z + u.z * v.x), a->yy + s * (2.0 * u.y * v.y),
                     a->yz + s * (u.y * v.z + u.z * v.y), a->zz + s * (2.0 * u.z * v.z)};
}

// f = (A - sqrt(A)) / sqrt(B) with A = sum x^2 / size^2 and B = sum x^2 / size^4: the implicit
// function sqrt(A) - 1 over its slope, sqrt(B / A). For equal half axes it is |x| - size. Lengths
// are in units of the smallest half axis, so that no power leaves the range of numbers.
static sn_surface_point ellipsoid_at(sn_vec3 size, sn_vec3 point)
{
    double unit = fmin(size.x, fmin(size.y, size.z));
    sn_vec3 x = sn_vec3_scale(1.0 / unit, point);
    if (!(sn_length(x) > SHARE)) {
        x = sn_vec3_make(0.0, 0.0, SHARE);
    }
    sn_vec3 share = sn_vec3_make(unit / size.x, unit / size.y, unit / size.z);
    sn_vec3 square = sn_vec3_multiply(share, share);
    sn_vec3 fourth = sn_vec3_multiply(square, square);
    sn_vec3 p = sn_vec3_multiply(square, x); // half the gradients of A and of B
    sn_vec3 q = sn_vec3_multiply(fourth, x);
    double a = sn_dot(p, x), b = sn_dot(q, x), root_a = sqrt(a), root_b = sqrt(b);

    // f = u w: u = A - sqrt(A) and w = 1 / sqrt(B), with their derivatives by A and by B.
    double u = a - root_a, u1 = 1.0 - 0.5 / root_a, u2 = 0.25 / (a * root_a);
    double w = 1.0 / root_b, w1 = -0.5 / (b * root_b), w2 = 0.75 / (b * b * root_b);
    sn_vec3 gradient = sn_vec3_add(sn_vec3_scale(2.0 * w * u1, p), sn_vec3_scale(2.0 * u * w1, q));

    // w u'' + u w'' + u' w'^T + w' u'^T
    double s = 1.0 / unit;
    sn_vec3 d = sn_vec3_add(sn_vec3_scale(2.0 * s * w * u1, square),
                            sn_vec3_scale(2.0 * s * u * w1, fourth));
    sn_sym3 hessian = {d.x, 0.0, 0.0, d.y, 0.0, d.z};
    hessian = sn_sym3_add_outer(&hessian, 4.0 * s * w * u2, p);
    hessian = sn_sym3_add_outer(&hessian, 4.0 * s * u * w2, q);
    hessian = add_mixed(&hessian, 4.0 * s * u1 * w1, p, q);
    return (sn_surface_point){unit * (u * w), gradient, hessian};
}

sn_surface_point sn_surface_at(const sn_surface_def *def, sn_vec3 point)
{
    switch (def->type) {
    case SN_SURFACE_SPHERE:
        return sphere_at(def->radius, SHARE * def->radius, point);
    case SN_SURFACE_CYLINDER:
        return cylinder_at(def->radius, point);
    case SN_SURFACE_CONE:
        return cone_at(def->angle, point);
    case SN_SURFACE_TORUS:
        return torus_at(def->radius, def->tube_radius, point);
    case SN_SURFACE_ELLIPSOID:
        return ellipsoid_at(def->size, point);
    default: // SN_SURFACE_PLANE
        return (sn_surface_point){point.z, sn_vec3_make(0.0, 0.0, 1.0), SN_SYM3_ZERO};
    }
}
