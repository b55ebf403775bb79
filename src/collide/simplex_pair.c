#include "collide/simplex_pair.h"

#include <float.h>

// Squares of sines below this are none: edges are parallel, faces have no area.
#define PARALLEL 1e-20

// ---- nearest points ----

// The point of the segment from a to b that is nearest to x: its share of b.
static double along_segment(sn_vec3 a, sn_vec3 b, sn_vec3 x)
{
    sn_vec3 e = sn_vec3_sub(b, a), from_a = sn_vec3_sub(x, a);
    double along = sn_dot(e, from_a), square = sn_dot(e, e);
    if (!(along > 0.0)) {
        return 0.0;
    }
    return along < square ? along / square : 1.0;
}

// Takes vertex `x` and its nearest point of the edge from a to b, if that is nearer than before.
// The vertex is of the first side if `sign` is 1, of the second if it is -1.
static void try_segment(const sn_vec3 p[4], int x, int a, int b, double sign,
                        sn_pair_nearest *nearest)
{
    double share = along_segment(p[a], p[b], p[x]);
    sn_vec3 from = share > 0.5 ? p[b] : p[a], to = share > 0.5 ? p[a] : p[b];
    double rest = share > 0.5 ? 1.0 - share : share;
    sn_vec3 on = sn_vec3_add_scaled(from, rest, sn_vec3_sub(to, from));
    sn_vec3 apart = sn_vec3_scale(sign, sn_vec3_sub(p[x], on));
    double square = sn_dot(apart, apart);
    if (!(square < nearest->square)) {
        return;
    }
    *nearest = (sn_pair_nearest){{0.0, 0.0, 0.0, 0.0}, apart, square};
    nearest->weights[x] = 1.0;
    nearest->weights[a] = 1.0 - share;
    nearest->weights[b] = share;
}

static sn_pair_nearest vertex_face(const sn_vec3 p[4])
{
    sn_pair_nearest nearest = {.square = INFINITY};
    sn_vec3 ab = sn_vec3_sub(p[2], p[1]), ac = sn_vec3_sub(p[3], p[1]);
    sn_vec3 ax = sn_vec3_sub(p[0], p[1]), n = sn_cross(ab, ac);
    double nn = sn_dot(n, n);
    double v = sn_dot(sn_cross(ax, ac), n), w = sn_dot(sn_cross(ab, ax), n), u = nn - v - w;
    if (u > 0.0 && v > 0.0 && w > 0.0 && nn > PARALLEL * sn_dot(ab, ab) * sn_dot(ac, ac)) {
        double height = sn_dot(n, ax);
        nearest.weights[0] = 1.0;
        nearest.weights[1] = u / nn;
        nearest.weights[2] = v / nn;
        nearest.weights[3] = w / nn;
        nearest.apart = sn_vec3_scale(height / nn, n);
        nearest.square = height / nn * height;
        return nearest;
    }
    try_segment(p, 0, 1, 2, 1.0, &nearest);
    try_segment(p, 0, 2, 3, 1.0, &nearest);
    try_segment(p, 0, 3, 1, 1.0, &nearest);
    return nearest;
}

static sn_pair_nearest edge_edge(const sn_vec3 p[4])
{
    sn_pair_nearest nearest = {.square = INFINITY};
    sn_vec3 a = sn_vec3_sub(p[1], p[0]), b = sn_vec3_sub(p[3], p[2]), r = sn_vec3_sub(p[2], p[0]);
    sn_vec3 n = sn_cross(a, b);
    double nn = sn_dot(n, n);
    double s = sn_dot(sn_cross(r, b), n), t = sn_dot(sn_cross(r, a), n);
    if (s > 0.0 && s < nn && t > 0.0 && t < nn && nn > PARALLEL * sn_dot(a, a) * sn_dot(b, b)) {
        double height = -sn_dot(n, r);
        nearest.weights[0] = (nn - s) / nn;
        nearest.weights[1] = s / nn;
        nearest.weights[2] = (nn - t) / nn;
        nearest.weights[3] = t / nn;
        nearest.apart = sn_vec3_scale(height / nn, n);
        nearest.square = height / nn * height;
        return nearest;
    }
    try_segment(p, 0, 2, 3, 1.0, &nearest);
    try_segment(p, 1, 2, 3, 1.0, &nearest);
    try_segment(p, 2, 0, 1, -1.0, &nearest);
    try_segment(p, 3, 0, 1, -1.0, &nearest);
    return nearest;
}

sn_pair_nearest sn_pair_find_nearest(sn_pair_kind kind, const sn_vec3 p[4])
{
    return kind == SN_VERTEX_FACE ? vertex_face(p) : edge_edge(p);
}

// ---- meeting ----

// Differences of the points of both sides, at the start and at the end: common motion is gone.
typedef struct motion {
    int count;
    sn_vec3 start[4], end[4];
    double error; // of heights, what their smallest root does included
} motion;

static double greatest_part(sn_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static motion make_motion(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4])
{
    motion m = {.count = 0};
    int first = kind == SN_VERTEX_FACE ? 1 : 2;
    double extent = 0.0;
    for (int i = 0; i < first; ++i) {
        for (int k = first; k < 4; ++k) {
            m.start[m.count] = sn_vec3_sub(start[i], start[k]);
            m.end[m.count] = sn_vec3_sub(end[i], end[k]);
            extent =
                fmax(extent, fmax(greatest_part(m.start[m.count]), greatest_part(m.end[m.count])));
            m.count += 1;
        }
    }
    // With u = DBL_EPSILON / 2: a difference is off by u of itself, its mean of two times by 3 u,
    // each product and sum with n by 3 u more, and |n|_1 is at most sqrt 3: 7 sqrt 3 u extent. The
    // root of the quadratic of these moves its values by another 8 u extent.
    m.error = 16.0 * DBL_EPSILON * extent;
    return m;
}

// The four points at time t relative to one of them, which is enough for directions.
static void points_at(const sn_vec3 start[4], const sn_vec3 end[4], double t, sn_vec3 p[4])
{
    for (int i = 0; i < 4; ++i) {
        sn_vec3 from = sn_vec3_sub(start[i], start[3]), to = sn_vec3_sub(end[i], end[3]);
        p[i] = sn_vec3_add_scaled(sn_vec3_scale(1.0 - t, from), t, to);
    }
}

static sn_pair_nearest nearest_at(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4],
                                  double t)
{
    sn_vec3 p[4];
    points_at(start, end, t, p);
    return sn_pair_find_nearest(kind, p);
}

// The share of an interval up to which a quadratic with these Bernstein coefficients, the first of
// them above 0, stays above it; 1: all of it.
static double positive_until(double b0, double b1, double b2)
{
    if (b1 >= 0.0 && b2 >= 0.0) {
        return 1.0;
    }
    double a = b0 - 2.0 * b1 + b2, b = 2.0 * (b1 - b0), square = b * b - 4.0 * a * b0;
    if (square < 0.0 || (b >= 0.0 && a >= 0.0)) {
        return 1.0;
    }
    double root = sqrt(square);
    double until = b < 0.0 ? 2.0 * b0 / (root - b) : (b + root) / (-2.0 * a);
    until *= 1.0 - 8.0 * DBL_EPSILON;
    return until < 1.0 ? until : 1.0;
}

// A plane whose normal goes from n1 at time t1 to n2 at t2, in a straight line: the share of this
// time for which it parts them by more than `level`. Negative: not even at t1.
static double parted_until(const motion *m, sn_vec3 n1, sn_vec3 n2, double t1, double t2,
                           double level)
{
    double until = 1.0;
    for (int i = 0; i < m->count; ++i) {
        sn_vec3 d1 = sn_vec3_add_scaled(sn_vec3_scale(1.0 - t1, m->start[i]), t1, m->end[i]);
        sn_vec3 d2 = sn_vec3_add_scaled(sn_vec3_scale(1.0 - t2, m->start[i]), t2, m->end[i]);
        double b0 = sn_dot(n1, d1) - level, b2 = sn_dot(n2, d2) - level;
        double b1 = 0.5 * (sn_dot(n1, d2) + sn_dot(n2, d1)) - level;
        if (!(b0 > 0.0)) {
            return -1.0;
        }
        double share = positive_until(b0, b1, b2);
        until = share < until ? share : until;
    }
    return until;
}

// At right angles, but for a little.
static bool is_square_to(sn_vec3 a, sn_vec3 b)
{
    const double little = 1e-3;
    double along = sn_dot(a, b), square = sn_dot(b, b);
    return square > 0.0 && along * along <= little * little * square * sn_dot(a, a);
}

// a without what it has along b, and then without what rounding has left of it.
static sn_vec3 without(sn_vec3 a, sn_vec3 b)
{
    double square = sn_dot(b, b);
    a = sn_vec3_add_scaled(a, -sn_dot(a, b) / square, b);
    return sn_vec3_add_scaled(a, -sn_dot(a, b) / square, b);
}

// The line between the nearest points, at a distance d of things of size s, is off by rounding over
// d, and a plane across it by s times that at its far ends: more than d itself where d is below
// about 1e-8 s. The edges around the nearest points are known far better: the plane is laid along
// those that hold one inside, and then along those with one at their end that would come through
// it, if that is by a little.
static sn_vec3 square_normal(sn_pair_kind kind, const sn_vec3 p[4], const sn_pair_nearest *nearest)
{
    const double *weights = nearest->weights;
    sn_vec3 edges[2], n = nearest->apart;
    bool inside[2];
    int near = 1;
    for (int i = 2; i < 4; ++i) {
        near = weights[i] > weights[near] ? i : near;
    }
    for (int i = 0; i < 2; ++i) { // from the end nearby; n points away from those of the second
        bool face = kind == SN_VERTEX_FACE, turned = !face && weights[2 * i + 1] > weights[2 * i];
        int from = face ? near : 2 * i + turned, to = face ? 1 + (near + i) % 3 : 2 * i + !turned;
        edges[i] = sn_vec3_scale(face || i == 1 ? 1.0 : -1.0, sn_vec3_sub(p[to], p[from]));
        inside[i] = weights[to] > 0.0;
    }
    for (int turn = 0; turn < 4; ++turn) { // what one needs may bring the other through
        int i = (turn + (inside[1] && !inside[0])) % 2;
        if ((inside[i] || sn_dot(n, edges[i]) > 0.0) && is_square_to(n, edges[i])) {
            n = without(n, edges[i]);
            edges[1 - i] = without(edges[1 - i], edges[i]); // they may be all but parallel
        }
    }
    return sn_vec3_scale(1.0 / sn_length(n), n);
}

bool sn_pair_meets(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4], double nearness,
                   double limit, double *time)
{
    enum { TURNS = 200 };
    motion m = make_motion(kind, start, end);
    double level = nearness + m.error, t = 0.0, span = limit;
    double slack = fmax(1e-3 * nearness, 32.0 * m.error);
    for (int turn = 0; turn < TURNS; ++turn) {
        *time = t;
        sn_pair_nearest now = nearest_at(kind, start, end, t);
        double distance = sqrt(now.square);
        if (!(distance > level + (turn == 0 ? 0.0 : slack))) {
            return true;
        }
        sn_vec3 n1 = sn_vec3_scale(1.0 / distance, now.apart);
        double next = fmin(limit, t + span);
        double share = parted_until(&m, n1, n1, t, next, level);
        if (share < 0.0) { // so near that rounding decides
            sn_vec3 p[4];
            points_at(start, end, t, p);
            n1 = square_normal(kind, p, &now);
            share = parted_until(&m, n1, n1, t, next, level);
        }
        if (share < 0.0) {
            return true;
        }
        if (share < 1.0) { // a plane that turns with them may hold longer
            sn_pair_nearest then = nearest_at(kind, start, end, next);
            double sign = sn_dot(n1, then.apart) < 0.0 ? -1.0 : 1.0;
            sn_vec3 n2 = sn_vec3_scale(sign / sqrt(then.square), then.apart);
            double other = then.square > 0.0 ? parted_until(&m, n1, n2, t, next, level) : share;
            share = other > share ? other : share;
        }
        if (share == 1.0) {
            t = next;
            span *= 4.0;
            if (t >= limit) {
                return false;
            }
            continue;
        }
        double later = t + share * (next - t);
        span = 0.25 * (next - t);
        if (later == t && t + span == t) {
            return true;
        }
        t = later;
    }
    *time = t;
    return true; // turns ran out just before they meet
}
