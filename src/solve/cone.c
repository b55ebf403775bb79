#include "solve/cone.h"

#include "math/dense.h"

typedef struct plane2 {
    double y, z;
} plane2;

static double dot2(plane2 a, plane2 b)
{
    return a.y * b.y + a.z * b.z;
}

static double cross2(plane2 a, plane2 b)
{
    return a.y * b.z - a.z * b.y;
}

static plane2 unit2(plane2 a)
{
    double length = sqrt(dot2(a, a));
    return length > 0.0 ? (plane2){a.y / length, a.z / length} : (plane2){1.0, 0.0};
}

// ---- sliding ----
//
// Sliding along the unit vector d: p_t = -friction p_n d, u_n = 0, so with W's column (w_n, w_t)
// of the normal and its tangential block T
//
//     p_n = -b_n / D,   D = w_n - friction w_t . d
//     D u_t = D b_t - b_n (w_t - friction T d)
//
// and d is right where u_t is along d: f(d) = d x (D u_t) = 0 with D > 0 and u_t . d >= 0. On the
// circle f is a trigonometric polynomial of second degree: it has at most four roots.
typedef struct slide {
    const sn_sym3 *w;
    double b_n, friction;
    plane2 b_t;
} slide;

static double slide_divisor(const slide *s, plane2 d)
{
    return s->w->xx - s->friction * (s->w->xy * d.y + s->w->xz * d.z);
}

// D u_t
static plane2 slide_velocity(const slide *s, plane2 d)
{
    const sn_sym3 *w = s->w;
    double divisor = slide_divisor(s, d);
    plane2 push = {w->xy - s->friction * (w->yy * d.y + w->yz * d.z),
                   w->xz - s->friction * (w->yz * d.y + w->zz * d.z)};
    return (plane2){divisor * s->b_t.y - s->b_n * push.y, divisor * s->b_t.z - s->b_n * push.z};
}

static double slide_value(const slide *s, plane2 d)
{
    return cross2(d, slide_velocity(s, d));
}

// df/dangle, with d' = e at right angles to d.
static double slide_slope(const slide *s, plane2 d)
{
    const sn_sym3 *w = s->w;
    plane2 e = {-d.z, d.y};
    double divisor_rate = -s->friction * (w->xy * e.y + w->xz * e.z);
    plane2 push_rate = {-s->friction * (w->yy * e.y + w->yz * e.z),
                        -s->friction * (w->yz * e.y + w->zz * e.z)};
    plane2 rate = {divisor_rate * s->b_t.y - s->b_n * push_rate.y,
                   divisor_rate * s->b_t.z - s->b_n * push_rate.z};
    return cross2(e, slide_velocity(s, d)) + cross2(d, rate);
}

// Sizes that round-off is measured by: of D, and of D u_t.
static double slide_divisor_scale(const slide *s)
{
    return s->w->xx + s->friction * (fabs(s->w->xy) + fabs(s->w->xz));
}

static double slide_scale(const slide *s)
{
    const sn_sym3 *w = s->w;
    double push = fabs(w->xy) + fabs(w->xz) + s->friction * (w->yy + w->zz);
    return slide_divisor_scale(s) * (fabs(s->b_t.y) + fabs(s->b_t.z)) - s->b_n * push;
}

static bool slide_is_sound(const slide *s, plane2 d)
{
    return slide_divisor(s, d) > 1e-14 * slide_divisor_scale(s) &&
           dot2(d, slide_velocity(s, d)) >= -1e-13 * slide_scale(s);
}

// Newton's method on the circle; from the last direction it takes two or three turns.
static bool slide_newton(const slide *s, plane2 *direction)
{
    plane2 d = *direction;
    double scale = slide_scale(s);
    for (int turn = 0; turn < 8; ++turn) {
        double value = slide_value(s, d), slope = slide_slope(s, d);
        if (fabs(value) <= 1e-15 * scale) {
            break;
        }
        double step = -value / slope;
        if (!(fabs(step) < 0.7)) { // radians
            return false;
        }
        d = unit2((plane2){d.y - step * d.z, d.z + step * d.y});
    }
    if (!(fabs(slide_value(s, d)) <= 4e-15 * scale) || !slide_is_sound(s, d)) {
        return false;
    }
    *direction = d;
    return true;
}

// The zero of a function between two directions where it has two signs, by halving the angle.
static plane2 slide_halve(const slide *s, double (*function)(const slide *, plane2), plane2 left,
                          plane2 right)
{
    double at_left = function(s, left);
    for (int turn = 0; turn < 60; ++turn) {
        plane2 middle = unit2((plane2){left.y + right.y, left.z + right.z});
        double value = function(s, middle);
        if ((value > 0.0) == (at_left > 0.0)) {
            left = middle;
        } else {
            right = middle;
        }
    }
    return left;
}

// Keeps the direction with the least normal impulse: the one that jams least.
static void slide_consider(const slide *s, plane2 d, bool *found, plane2 *best)
{
    if (slide_is_sound(s, d) && (!*found || slide_divisor(s, d) > slide_divisor(s, *best))) {
        *found = true;
        *best = d;
    }
}

// All roots: between samples f has at most one extremum, which is found as well where it could
// hide two roots.
static bool slide_search(const slide *s, plane2 *direction)
{
    enum { SAMPLES = 32 };
    const double cosine = 0.98078528040323043, sine = 0.19509032201612825; // of 2 pi / 32
    bool found = false;
    plane2 best = {1.0, 0.0}, left = unit2(s->b_t);
    for (int i = 0; i < SAMPLES; ++i) {
        plane2 right =
            unit2((plane2){cosine * left.y - sine * left.z, sine * left.y + cosine * left.z});
        double at_left = slide_value(s, left), at_right = slide_value(s, right);
        if (at_left == 0.0) {
            slide_consider(s, left, &found, &best);
        }
        if ((at_left > 0.0) != (at_right > 0.0)) {
            slide_consider(s, slide_halve(s, slide_value, left, right), &found, &best);
        } else if ((slide_slope(s, left) > 0.0) != (slide_slope(s, right) > 0.0)) {
            plane2 top = slide_halve(s, slide_slope, left, right);
            if ((slide_value(s, top) > 0.0) != (at_left > 0.0)) {
                slide_consider(s, slide_halve(s, slide_value, left, top), &found, &best);
                slide_consider(s, slide_halve(s, slide_value, top, right), &found, &best);
            }
        }
        left = right;
    }
    if (found) {
        *direction = best;
    }
    return found;
}

static sn_vec3 slide_impulse(const slide *s, plane2 d)
{
    double p_n = -s->b_n / slide_divisor(s, d);
    return sn_vec3_make(p_n, -s->friction * p_n * d.y, -s->friction * p_n * d.z);
}

// Without a direction that is right (W singular): the normal alone, then friction against what is
// left of the velocity, as far as the cone goes.
static sn_vec3 hold_apart(const sn_sym3 *w, sn_vec3 b, double friction)
{
    double p_n = -b.x / w->xx, stiff = w->yy + w->zz;
    plane2 u = {b.y + w->xy * p_n, b.z + w->xz * p_n}, d = unit2(u);
    double needed = stiff > 0.0 ? sqrt(dot2(u, u)) / stiff : 0.0, most = friction * p_n;
    double p_t = needed < most ? needed : most;
    return sn_vec3_make(p_n, -p_t * d.y, -p_t * d.z);
}

// ---- the cone ----

// Tangential parts that stick within round-off of the bound.
#define STICK_SLACK 1e-12

static bool solve_stick(const sn_sym3 *w, sn_vec3 b, double friction, sn_vec3 *p)
{
    sn_sym3 inverse;
    double product = w->xx * w->yy * w->zz;
    if (!sn_sym3_inverse(w, &inverse) ||
        !(product * (inverse.xx * inverse.yy * inverse.zz) < 1e36)) {
        return false;
    }
    *p = sn_vec3_negate(sn_sym3_apply(&inverse, b));
    double p_t = sqrt(p->y * p->y + p->z * p->z);
    return p->x > 0.0 && p_t <= friction * p->x * (1.0 + STICK_SLACK);
}

sn_cone_state sn_cone_solve(const sn_sym3 *w, sn_vec3 b, double friction, sn_vec3 *p)
{
    sn_vec3 start = *p;
    *p = SN_VEC3_ZERO;
    if (!(b.x < 0.0) || !(w->xx > 0.0)) {
        return SN_CONE_OPEN;
    }
    if (!(friction > 0.0) || !(w->yy + w->zz > 0.0)) {
        p->x = -b.x / w->xx;
        return SN_CONE_SLIDE;
    }
    sn_vec3 stick;
    if (solve_stick(w, b, friction, &stick)) {
        *p = stick;
        return SN_CONE_STICK;
    }
    slide s = {w, b.x, friction, {b.y, b.z}};
    plane2 d = {-start.y, -start.z};
    d = dot2(d, d) > 0.0 ? unit2(d) : unit2(s.b_t);
    if (slide_newton(&s, &d) || slide_search(&s, &d)) {
        *p = slide_impulse(&s, d);
    } else {
        *p = hold_apart(w, b, friction);
    }
    return SN_CONE_SLIDE;
}

// ---- the ball ----

// In W's own axes |p|^2 = sum b_i^2 / (w_i + lambda)^2 = radius^2. 1/|p| is concave in lambda and
// Newton's method on it climbs to the root from below (More and Sorensen 1983).
static double ball_shift(const double w[3], const double b[3], double radius)
{
    double lambda = 0.0;
    for (int i = 0; i < 3; ++i) { // each part alone is within the ball
        double least = fabs(b[i]) / radius - w[i];
        lambda = least > lambda ? least : lambda;
    }
    for (int turn = 0; turn < 60; ++turn) {
        double square = 0.0, slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            double divisor = w[i] + lambda;
            if (b[i] != 0.0 && divisor > 0.0) {
                double p = b[i] / divisor;
                square += p * p;
                slope += p * p / divisor;
            }
        }
        double norm = sqrt(square), step = (norm - radius) / radius * square / slope;
        if (!(step > 1e-15 * lambda)) {
            break;
        }
        lambda += step;
    }
    return lambda;
}

bool sn_ball_solve(const sn_sym3 *w, sn_vec3 b, double radius, sn_vec3 *p)
{
    *p = SN_VEC3_ZERO;
    double length = sn_length(b);
    if (!(length > 0.0)) {
        return true;
    }
    if (!(radius > 0.0)) {
        return false;
    }
    sn_mat3 axes, full = {{{w->xx, w->xy, w->xz}, {w->xy, w->yy, w->yz}, {w->xz, w->yz, w->zz}}};
    sn_vec3 values;
    sn_mat3_eigen_symmetric(full, &values, &axes);
    sn_vec3 turned = sn_mat3_apply_transpose(axes, b);
    double stiff[3], load[3] = {turned.x, turned.y, turned.z}, answer[3], square = 0.0;
    sn_vec3_put(stiff, values);
    double least = 1e-15 * (values.z > 0.0 ? values.z : 0.0);
    bool free = true;
    for (int i = 0; i < 3; ++i) {
        stiff[i] = stiff[i] > least ? stiff[i] : 0.0;
        // Directions in which nothing answers do not matter unless something pulls there.
        load[i] = fabs(load[i]) > 1e-15 * length ? load[i] : 0.0;
        answer[i] = stiff[i] > 0.0 ? -load[i] / stiff[i] : 0.0;
        free = free && (stiff[i] > 0.0 || load[i] == 0.0);
        square += answer[i] * answer[i];
    }
    free = free && square <= radius * radius;
    if (!free) {
        double lambda = ball_shift(stiff, load, radius);
        for (int i = 0; i < 3; ++i) {
            double divisor = stiff[i] + lambda;
            answer[i] = load[i] != 0.0 && divisor > 0.0 ? -load[i] / divisor : 0.0;
        }
    }
    *p = sn_mat3_apply(axes, sn_vec3_at(answer));
    return free;
}
