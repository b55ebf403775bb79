#include "solve/point_impact.h"

#include <math.h>

// How a path goes on: by so much for a unit of normal impulse.
typedef struct course {
    sn_vec3 impulse, velocity;
} course;

typedef struct path {
    const sn_sym3 *k;
    double friction;
    double small; // m/s: what slips slower than this has stopped
    sn_vec3 impulse, velocity;
    double work; // of the normal impulse, J
    bool sticks;
} path;

typedef struct plane {
    double y, z;
} plane;

// (K_tt + l)^-1 b
static plane solve_plane(const sn_sym3 *k, double share, double l, plane b)
{
    double yy = share * k->yy + l, zz = share * k->zz + l, yz = share * k->yz;
    double determinant = yy * zz - yz * yz;
    return (plane){(zz * b.y - yz * b.z) / determinant, (yy * b.z - yz * b.y) / determinant};
}

static double size_of(plane a)
{
    return sqrt(a.y * a.y + a.z * a.z);
}

bool sn_point_impact_slides_on(const sn_sym3 *k, double friction)
{
    plane hold = solve_plane(k, 1.0, 0.0, (plane){k->xy, k->xz});
    return !(size_of(hold) <= friction);
}

// ---- directions ----

static course along(const path *p, plane d)
{
    sn_vec3 impulse = {1.0, -p->friction * d.y, -p->friction * d.z};
    return (course){impulse, sn_sym3_apply(p->k, impulse)};
}

// The direction in which what has stopped slips on. |d(l)| falls with l, from more than 1.
static plane direction_on(const path *p)
{
    plane b = {p->k->xy, p->k->xz};
    double size = size_of(b), low = 0.0, high = size; // |d| <= |b| / l
    if (!(p->friction > 0.0)) {
        return (plane){0.0, 0.0}; // wherever it is pushed
    }
    plane d = b;
    for (int i = 0; i < 100 && high - low > 1e-16 * high; ++i) {
        double middle = 0.5 * (low + high);
        d = solve_plane(p->k, p->friction, middle, b);
        if (size_of(d) > 1.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double length = size_of(d);
    return (plane){d.y / length, d.z / length};
}

static course sticking(const path *p)
{
    plane hold = solve_plane(p->k, 1.0, 0.0, (plane){p->k->xy, p->k->xz});
    sn_vec3 impulse = {1.0, -hold.y, -hold.z};
    double speed = p->k->xx - p->k->xy * hold.y - p->k->xz * hold.z;
    return (course){impulse, {speed, 0.0, 0.0}};
}

static course slipping(const path *p, sn_vec3 u)
{
    double s = sqrt(u.y * u.y + u.z * u.z);
    plane d = {s > 0.0 ? u.y / s : 0.0, s > 0.0 ? u.z / s : 0.0};
    return along(p, d);
}

// ---- on the way ----

static void go_straight(path *p, const course *c, double dp)
{
    p->work += (p->velocity.x + 0.5 * dp * c->velocity.x) * dp;
    p->impulse = sn_vec3_add_scaled(p->impulse, dp, c->impulse);
    p->velocity = sn_vec3_add_scaled(p->velocity, dp, c->velocity);
}

// Runge and Kutta's fourth order along a path that bends.
static path bend(const path *from, double dp)
{
    path to = *from;
    course k1 = slipping(from, from->velocity);
    sn_vec3 u2 = sn_vec3_add_scaled(from->velocity, 0.5 * dp, k1.velocity);
    course k2 = slipping(from, u2);
    sn_vec3 u3 = sn_vec3_add_scaled(from->velocity, 0.5 * dp, k2.velocity);
    course k3 = slipping(from, u3);
    sn_vec3 u4 = sn_vec3_add_scaled(from->velocity, dp, k3.velocity);
    course k4 = slipping(from, u4);
    sn_vec3 impulse = sn_vec3_add(k1.impulse, k4.impulse);
    sn_vec3 velocity = sn_vec3_add(k1.velocity, k4.velocity);
    impulse = sn_vec3_add_scaled(impulse, 2.0, sn_vec3_add(k2.impulse, k3.impulse));
    velocity = sn_vec3_add_scaled(velocity, 2.0, sn_vec3_add(k2.velocity, k3.velocity));
    to.impulse = sn_vec3_add_scaled(to.impulse, dp / 6.0, impulse);
    to.velocity = sn_vec3_add_scaled(to.velocity, dp / 6.0, velocity);
    to.work += dp / 6.0 * (from->velocity.x + 2.0 * u2.x + 2.0 * u3.x + u4.x);
    return to;
}

// Whether a phase has come to its end: compression where nothing approaches, restitution where it
// has done its work.
static bool is_over(const path *p, bool compressing, double work)
{
    return compressing ? p->velocity.x >= 0.0 : p->work >= work;
}

// The normal impulse to the end of a phase on a straight path, or INFINITY.
static double way_to_end(const path *p, const course *c, bool compressing, double work)
{
    double u = p->velocity.x, rate = c->velocity.x;
    if (compressing) {
        return rate > 0.0 ? -u / rate : INFINITY;
    }
    double left = work - p->work, square = u * u + 2.0 * rate * left;
    if (!(square >= 0.0)) {
        return INFINITY;
    }
    double sum = u + sqrt(square);
    if (u >= 0.0) {
        return sum > 0.0 ? 2.0 * left / sum : INFINITY;
    }
    return rate > 0.0 ? sum / rate : INFINITY;
}

// What has stopped sticks, or slips on along a straight line.
static bool leave_standing(path *p, bool compressing, double work)
{
    p->velocity.y = p->velocity.z = 0.0;
    p->sticks = p->friction > 0.0 && !sn_point_impact_slides_on(p->k, p->friction);
    course c = p->sticks ? sticking(p) : along(p, direction_on(p));
    double dp = way_to_end(p, &c, compressing, work);
    if (!(dp < INFINITY)) {
        return false; // it would press for ever
    }
    go_straight(p, &c, dp);
    return true;
}

// One stretch of a path that slips at the speed s. True: the phase is over.
static bool slip(path *p, double s, bool compressing, double work)
{
    const double turn = 0.05; // rad
    course c = slipping(p, p->velocity);
    double towards = (p->velocity.y * c.velocity.y + p->velocity.z * c.velocity.z) / s;
    double across = (p->velocity.y * c.velocity.z - p->velocity.z * c.velocity.y) / s;
    double size = sqrt(c.velocity.y * c.velocity.y + c.velocity.z * c.velocity.z);
    double end = way_to_end(p, &c, compressing, work);
    double stop = p->friction > 0.0 && towards < 0.0 ? -s / towards : INFINITY;
    double left = fmin(stop, end);
    bool straight =
        !(p->friction > 0.0) || fabs(across) <= 1e-13 * size || fabs(across) * left <= 1e-14 * s;
    if (straight) {
        double dp = left;
        if (!(dp < INFINITY)) {
            return true;
        }
        go_straight(p, &c, dp);
        if (stop <= end) {
            p->velocity.y = p->velocity.z = 0.0;
        }
        return end <= stop;
    }
    double dp = fmin(turn * s / fabs(across), fmin(0.5 * stop, 2.0 * end));
    path next = bend(p, dp);
    if (!is_over(&next, compressing, work)) {
        *p = next;
        return false;
    }
    double low = 0.0, high = dp;
    for (int i = 0; i < 80 && high - low > 1e-16 * high; ++i) {
        double middle = 0.5 * (low + high);
        next = bend(p, middle);
        if (is_over(&next, compressing, work)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    *p = bend(p, high);
    return true;
}

// Follows the path through a phase. False: it does not end.
static bool follow(path *p, bool compressing, double work)
{
    enum { MOST_STRETCHES = 1000 };
    for (int i = 0; i < MOST_STRETCHES && !is_over(p, compressing, work); ++i) {
        double s = sqrt(p->velocity.y * p->velocity.y + p->velocity.z * p->velocity.z);
        p->sticks = false;
        if (s <= p->small) {
            return leave_standing(p, compressing, work);
        }
        if (slip(p, s, compressing, work)) {
            return true;
        }
    }
    return is_over(p, compressing, work);
}

sn_point_impact sn_point_impact_find(const sn_sym3 *k, sn_vec3 u, double friction,
                                     double restitution)
{
    path p = {.k = k, .friction = friction, .small = 1e-13 * sn_length(u), .velocity = u};
    if (u.x < 0.0 && follow(&p, true, 0.0) && restitution > 0.0) {
        follow(&p, false, p.work - restitution * restitution * p.work);
    }
    return (sn_point_impact){p.impulse, p.velocity, p.sticks};
}
