#include "geometry/curve.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/spline.h"

struct sn_curve {
    atomic_int references;
    bool closed;
    int spans;
    double extent; // of the parameter, from the first knot, at 0, to the last
    double length;
    SN_ARRAY(double) knots;               // spans + 1 each; of a closed curve the last point is
    SN_ARRAY(sn_vec3) points, curvatures; // the first one again
};

// ---- values ----

typedef struct spot {
    int span;     // -1 and `spans`: before and beyond an open curve
    double x;     // from its first knot; beyond the ends from the end, negative before
    double width; // of the span, or of the one at that end
} spot;

static double width_of(const sn_curve *curve, int span)
{
    return curve->knots.data[span + 1] - curve->knots.data[span];
}

static spot locate(const sn_curve *curve, double parameter)
{
    double u = parameter;
    if (curve->closed) {
        u -= floor(u / curve->extent) * curve->extent;
        u = u < 0.0 ? 0.0 : (u > curve->extent ? curve->extent : u);
    } else if (u < 0.0) {
        return (spot){-1, u, width_of(curve, 0)};
    } else if (u > curve->extent) {
        return (spot){curve->spans, u - curve->extent, width_of(curve, curve->spans - 1)};
    }
    int low = 0, high = curve->spans;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (curve->knots.data[middle] <= u) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (spot){low, u - curve->knots.data[low], width_of(curve, low)};
}

// The cubic of a span, at any x.
static sn_curve_point on_span(const sn_curve *curve, int span, double x)
{
    const sn_vec3 *p = curve->points.data + span, *m = curve->curvatures.data + span;
    double width = width_of(curve, span);
    sn_spline_value a = sn_spline_between(width, x, p[0].x, p[1].x, m[0].x, m[1].x);
    sn_spline_value b = sn_spline_between(width, x, p[0].y, p[1].y, m[0].y, m[1].y);
    sn_spline_value c = sn_spline_between(width, x, p[0].z, p[1].z, m[0].z, m[1].z);
    return (sn_curve_point){curve->knots.data[span] + x, sn_vec3_make(a.value, b.value, c.value),
                            sn_vec3_make(a.first, b.first, c.first),
                            sn_vec3_make(a.second, b.second, c.second)};
}

static sn_curve_point at_place(const sn_curve *curve, double parameter, spot where)
{
    sn_curve_point point;
    if (where.span >= 0 && where.span < curve->spans) {
        point = on_span(curve, where.span, where.x);
    } else {
        point =
            where.span < 0 ? on_span(curve, 0, 0.0) : on_span(curve, curve->spans - 1, where.width);
        point.position = sn_vec3_add_scaled(point.position, where.x, point.first);
        point.second = SN_VEC3_ZERO;
    }
    point.parameter = parameter;
    return point;
}

sn_curve_point sn_curve_at(const sn_curve *curve, double parameter)
{
    return at_place(curve, parameter, locate(curve, parameter));
}

double sn_curve_length(const sn_curve *curve)
{
    return curve->length;
}

double sn_curve_extent(const sn_curve *curve)
{
    return curve->extent;
}

// ---- roots ----

enum { MOST_DEGREE = 5 };

static double polynomial(const double *c, int degree, double b)
{
    double value = c[degree];
    for (int k = degree - 1; k >= 0; --k) {
        value = value * b + c[k];
    }
    return value;
}

// Where a polynomial crosses zero between `low` and `high`, at which its signs differ. 40 halvings:
// the square of what is left is below the precision of a distance.
static double bisect(const double *c, int degree, double low, double high)
{
    bool rising = polynomial(c, degree, low) < 0.0;
    for (int k = 0; k < 40; ++k) {
        double middle = 0.5 * (low + high);
        if ((polynomial(c, degree, middle) < 0.0) == rising) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

// Every b in 0 .. 1 at which a polynomial, or its derivative, crosses zero; returns how many, at
// most 2 degree - 1. Between two neighbouring roots of its derivative a polynomial is monotone and
// has one root at most, so that the roots of all derivatives, from the highest one down, separate
// those of the next: none is missed but double ones, and these are roots of the derivative.
static int crossings(const double *c, int degree, double *found)
{
    double edges[MOST_DEGREE + 2], roots[MOST_DEGREE];
    int root_count = 0, count = 0;
    for (int order = degree - 1; order >= 0; --order) {
        double d[MOST_DEGREE + 1];
        for (int k = 0; k <= degree - order; ++k) {
            d[k] = c[k + order];
            for (int factor = k + order; factor > k; --factor) {
                d[k] *= factor;
            }
        }
        edges[0] = 0.0;
        for (int k = 0; k < root_count; ++k) {
            edges[k + 1] = roots[k];
        }
        edges[root_count + 1] = 1.0;
        int edge_count = root_count + 2;
        root_count = 0;
        for (int k = 0; k + 1 < edge_count; ++k) {
            double left = polynomial(d, degree - order, edges[k]);
            double right = polynomial(d, degree - order, edges[k + 1]);
            if ((left < 0.0) != (right < 0.0)) {
                roots[root_count++] = bisect(d, degree - order, edges[k], edges[k + 1]);
            }
        }
        for (int k = 0; order < 2 && k < root_count; ++k) {
            found[count++] = roots[k];
        }
    }
    return count;
}

// A span as p + b t + b^2 q + b^3 r, b = 0 .. 1.
typedef struct cubic {
    sn_vec3 p, t, q, r;
} cubic;

static cubic cubic_of(const sn_curve *curve, int span)
{
    const sn_vec3 *m = curve->curvatures.data + span;
    double width = width_of(curve, span);
    sn_curve_point start = on_span(curve, span, 0.0);
    return (cubic){start.position, sn_vec3_scale(width, start.first),
                   sn_vec3_scale(width * width / 2.0, m[0]),
                   sn_vec3_scale(width * width / 6.0, sn_vec3_sub(m[1], m[0]))};
}

// ---- life ----

static sn_status check(const sn_curve_def *def, const char *place, sn_error *error)
{
    int least = def->closed ? 3 : 2;
    if (def->count < least || def->count == INT_MAX || def->points == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "a curve through %d points; at least %d were expected", def->count, least);
    }
    for (int i = 0; i < def->count; ++i) {
        sn_vec3 p = def->points[i];
        if (!sn_vec3_is_finite(p)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, place,
                           "point %d of the curve is (%g, %g, %g); finite numbers were expected",
                           i + 1, p.x, p.y, p.z);
        }
    }
    return SN_OK;
}

// Chords that are nothing beside the whole curve would be spans without width.
static sn_status check_chords(const sn_curve_def *def, const char *place, sn_error *error)
{
    double sum = 0.0;
    for (int i = 0; i + 1 < def->count; ++i) {
        sum += sn_distance(def->points[i], def->points[i + 1]);
    }
    if (!isfinite(sum)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "the points of the curve are too far apart for numbers");
    }
    for (int i = 0; i + 1 < def->count; ++i) {
        if (!(sn_distance(def->points[i], def->points[i + 1]) > 1e-12 * sum)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, place,
                           "points %d and %d of the curve coincide; neighbours must differ", i + 1,
                           i + 2);
        }
    }
    if (def->closed && !(sn_distance(def->points[0], def->points[def->count - 1]) > 1e-12 * sum)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "points %d and 1 of the closed curve coincide; it closes by itself, leave "
                       "the last point out",
                       def->count);
    }
    return SN_OK;
}

static bool set_points(sn_curve *curve, const sn_curve_def *def)
{
    int count = curve->spans + 1;
    if (!sn_array_resize(&curve->knots, count) || !sn_array_resize(&curve->points, count) ||
        !sn_array_resize(&curve->curvatures, count)) {
        return false;
    }
    double u = 0.0;
    for (int i = 0; i < count; ++i) {
        sn_vec3 p = def->points[i < def->count ? i : 0];
        u += i > 0 ? sn_distance(p, curve->points.data[i - 1]) : 0.0;
        curve->knots.data[i] = u;
        curve->points.data[i] = p;
    }
    curve->extent = u;
    return true;
}

static bool solve(sn_curve *curve)
{
    int count = curve->spans + 1;
    SN_ARRAY(double) work = {0};
    if (count > INT_MAX / 4 || !sn_array_resize(&work, 4 * count)) {
        return false;
    }
    double *values = work.data, *curvatures = values + count, *scratch = curvatures + count;
    sn_spline_ends ends = {curve->closed, NAN, NAN};
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < count; ++i) {
            double p[3];
            sn_vec3_put(p, curve->points.data[i]);
            values[i] = p[axis];
        }
        sn_spline_solve(curve->knots.data, values, count, &ends, curvatures, scratch);
        for (int i = 0; i < count; ++i) {
            sn_vec3 *m = curve->curvatures.data + i;
            *(axis == 0 ? &m->x : (axis == 1 ? &m->y : &m->z)) = curvatures[i];
        }
    }
    sn_array_free(&work);
    return true;
}

// By Gauss's rule of five points in 1, 2, 4, ... equal parts, until two in a row agree.
static double length_of_span(const sn_curve *curve, int span)
{
    static const double node[] = {0.0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weight[] = {0.56888888888888888889, 0.47862867049936646804,
                                    0.23692688505618908751};
    double width = width_of(curve, span), length = 0.0;
    for (int parts = 1; parts <= 1024; parts *= 2) {
        double half = 0.5 * width / parts, sum = 0.0;
        for (int i = 0; i < parts; ++i) {
            double middle = (2.0 * i + 1.0) * half;
            sum += weight[0] * sn_length(on_span(curve, span, middle).first);
            for (int k = 1; k < 3; ++k) {
                double left = sn_length(on_span(curve, span, middle - node[k] * half).first);
                double right = sn_length(on_span(curve, span, middle + node[k] * half).first);
                sum += weight[k] * (left + right);
            }
        }
        double before = length;
        length = half * sum;
        if (fabs(length - before) <= 1e-14 * length) {
            break;
        }
    }
    return length;
}

// The least |first| of a span. It is 1 along straight stretches; where it vanishes the curve turns
// round on the spot, and has no tangent to slide along.
static double least_speed(const sn_curve *curve, int span)
{
    cubic c = cubic_of(curve, span);
    // c' . c'' with c' = t + 2 b q + 3 b^2 r.
    double d[] = {2.0 * sn_dot(c.t, c.q), 6.0 * sn_dot(c.t, c.r) + 4.0 * sn_dot(c.q, c.q),
                  18.0 * sn_dot(c.q, c.r), 18.0 * sn_dot(c.r, c.r)};
    double b[2 * 3 + 1] = {0.0, 1.0};
    int count = 2 + crossings(d, 3, b + 2);
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        double speed = sn_length(on_span(curve, span, b[k] * width_of(curve, span)).first);
        least = speed < least ? speed : least;
    }
    return least;
}

static sn_status measure(sn_curve *curve, const char *place, sn_error *error)
{
    for (int i = 0; i < curve->spans; ++i) {
        double length = length_of_span(curve, i);
        int next = curve->closed && i + 1 == curve->spans ? 1 : i + 2;
        if (!isfinite(length)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, place,
                           "from point %d to point %d the curve leaves the range of numbers", i + 1,
                           next);
        }
        if (!(least_speed(curve, i) > 1e-6)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, place,
                           "the curve turns round on the spot between points %d and %d; spread "
                           "its points",
                           i + 1, next);
        }
        curve->length += length;
    }
    return SN_OK;
}

sn_status sn_curve_create(const sn_curve_def *def, const char *place, sn_curve **curve,
                          sn_error *error)
{
    *curve = NULL;
    sn_status status = check(def, place, error);
    if (status == SN_OK) {
        status = check_chords(def, place, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_curve *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    atomic_init(&made->references, 1);
    made->closed = def->closed;
    made->spans = def->closed ? def->count : def->count - 1;
    if (set_points(made, def) && solve(made)) {
        status = measure(made, place, error);
    } else {
        status = sn_fail_memory(error, (size_t)def->count * sizeof *def->points);
    }
    if (status != SN_OK) {
        sn_curve_release(made);
        return status;
    }
    *curve = made;
    return SN_OK;
}

sn_curve *sn_curve_retain(sn_curve *curve)
{
    if (curve != NULL) {
        atomic_fetch_add_explicit(&curve->references, 1, memory_order_relaxed);
    }
    return curve;
}

void sn_curve_release(sn_curve *curve)
{
    // Release and acquire: what other threads read from the curve happens before it is freed.
    if (curve != NULL &&
        atomic_fetch_sub_explicit(&curve->references, 1, memory_order_acq_rel) == 1) {
        sn_array_free(&curve->knots);
        sn_array_free(&curve->points);
        sn_array_free(&curve->curvatures);
        sn_free(curve);
    }
}

// ---- the nearest point ----

typedef struct candidate {
    double parameter;
    double distance; // squared
} candidate;

static double squared_distance(sn_vec3 a, sn_vec3 b)
{
    sn_vec3 r = sn_vec3_sub(a, b);
    return sn_dot(r, r);
}

static void consider(const sn_curve *curve, sn_vec3 point, double parameter, candidate *best)
{
    double distance = squared_distance(sn_curve_at(curve, parameter).position, point);
    if (distance < best->distance) {
        *best = (candidate){parameter, distance};
    }
}

// No point of a span is nearer than the box around the corners of its Bezier polygon.
static double least_distance(const cubic *c, sn_vec3 point)
{
    sn_vec3 a = sn_vec3_add_scaled(c->p, 1.0 / 3.0, c->t);
    sn_vec3 b = sn_vec3_add_scaled(sn_vec3_add_scaled(a, 1.0 / 3.0, c->t), 1.0 / 3.0, c->q);
    sn_vec3 end = sn_vec3_add(sn_vec3_add(sn_vec3_add(c->p, c->t), c->q), c->r);
    sn_vec3 lower = sn_vec3_min(sn_vec3_min(c->p, a), sn_vec3_min(b, end));
    sn_vec3 upper = sn_vec3_max(sn_vec3_max(c->p, a), sn_vec3_max(b, end));
    return squared_distance(sn_vec3_max(lower, sn_vec3_min(point, upper)), point);
}

// The nearest point of a span is one of its ends, or where (c - point) . c' = 0.
static void search_span(const sn_curve *curve, sn_vec3 point, int span, candidate *best)
{
    cubic c = cubic_of(curve, span);
    if (least_distance(&c, point) > best->distance) {
        return;
    }
    sn_vec3 from = sn_vec3_sub(c.p, point);
    double d[] = {sn_dot(from, c.t),
                  sn_dot(c.t, c.t) + 2.0 * sn_dot(from, c.q),
                  3.0 * (sn_dot(from, c.r) + sn_dot(c.t, c.q)),
                  4.0 * sn_dot(c.t, c.r) + 2.0 * sn_dot(c.q, c.q),
                  5.0 * sn_dot(c.q, c.r),
                  3.0 * sn_dot(c.r, c.r)};
    double b[2 * MOST_DEGREE - 1];
    int count = crossings(d, 5, b);
    for (int k = 0; k < count; ++k) {
        consider(curve, point, curve->knots.data[span] + b[k] * width_of(curve, span), best);
    }
}

// Of the whole curve, to about half the digits; descending gives the rest.
static double search(const sn_curve *curve, sn_vec3 point)
{
    candidate best = {0.0, INFINITY};
    for (int i = 0; i < curve->spans + (curve->closed ? 0 : 1); ++i) {
        consider(curve, point, curve->knots.data[i], &best);
    }
    for (int end = 0; end < 2 && !curve->closed; ++end) {
        sn_curve_point tip = sn_curve_at(curve, end == 0 ? 0.0 : curve->extent);
        double ahead =
            sn_dot(sn_vec3_sub(point, tip.position), tip.first) / sn_dot(tip.first, tip.first);
        if (end == 0 ? ahead < 0.0 : ahead > 0.0) {
            consider(curve, point, tip.parameter + ahead, &best);
        }
    }
    for (int i = 0; i < curve->spans; ++i) {
        search_span(curve, point, i, &best);
    }
    return best.parameter;
}

// Half the squared distance f as a function of the parameter, f' and f''.
typedef struct slope {
    sn_curve_point at;
    double f, first, second;
    double speed; // |c'|^2: f'' without the part that may be negative
    double reach; // how far one step may go
} slope;

static slope slope_at(const sn_curve *curve, sn_vec3 point, double parameter)
{
    spot where = locate(curve, parameter);
    bool beyond = where.span < 0 || where.span == curve->spans;
    slope s;
    s.at = at_place(curve, parameter, where);
    sn_vec3 r = sn_vec3_sub(s.at.position, point);
    s.f = 0.5 * sn_dot(r, r);
    s.first = sn_dot(r, s.at.first);
    s.speed = sn_dot(s.at.first, s.at.first);
    s.second = s.speed + sn_dot(r, s.at.second);
    s.reach = 0.25 * where.width + (beyond ? fabs(where.x) : 0.0);
    return s;
}

// The step downhill from `now`: Newton's on f' = 0, or by the slope alone where f is not convex; no
// farther at once than a quarter of a span, so that it does not leave its valley unseen.
static double step_from(const slope *now)
{
    double step = -now->first / (now->second > 1e-8 * now->speed ? now->second : now->speed);
    return step > now->reach ? now->reach : (step < -now->reach ? -now->reach : step);
}

// Steps that lead uphill are halved. Very near the bottom f is all rounding: there a smaller |f'|
// is progress.
static bool improve(const sn_curve *curve, sn_vec3 point, slope *now, double *step)
{
    for (int halving = 0; halving < 40; ++halving) {
        slope next = slope_at(curve, point, now->at.parameter + *step);
        bool level = fabs(*step) <= 1e-6 * now->reach;
        if (next.f < now->f || (level && fabs(next.first) < fabs(now->first))) {
            *now = next;
            return true;
        }
        *step *= 0.5;
    }
    return false;
}

static sn_curve_point descend(const sn_curve *curve, sn_vec3 point, double start)
{
    slope now = slope_at(curve, point, start);
    for (int turn = 0; turn < 100; ++turn) {
        double step = step_from(&now);
        double least = 1e-15 * (now.reach + 0.1 * fabs(now.at.parameter));
        // Convergence is quadratic: what is left after a step of 1e-10 is below rounding.
        if (!(fabs(step) > least) || !improve(curve, point, &now, &step) ||
            fabs(step) <= 1e-10 * now.reach) {
            break;
        }
    }
    return now.at;
}

sn_curve_point sn_curve_nearest(const sn_curve *curve, sn_vec3 point, double start)
{
    if (isfinite(start)) {
        return descend(curve, point, start);
    }
    sn_curve_point nearest = descend(curve, point, search(curve, point));
    if (curve->closed) {
        double rounds = floor(nearest.parameter / curve->extent);
        double parameter = nearest.parameter - rounds * curve->extent;
        nearest.parameter = parameter < curve->extent ? parameter : 0.0;
    }
    return nearest;
}
