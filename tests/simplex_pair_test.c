// A vertex and a face, two edges: nearest points against dense sampling, meetings against closed
// forms, against the roots of the cubic in long double, and against whole numbers, exactly.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/simplex_pair.h"
#include "geometry/predicate.h"
#include "random_vector.h"

static const sn_pair_kind kinds[2] = {SN_VERTEX_FACE, SN_EDGE_EDGE};

static sn_vec3 combine(const sn_vec3 p[4], const double weights[4], int first, int last)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = first; i < last; ++i) {
        sum = sn_vec3_add_scaled(sum, weights[i], p[i]);
    }
    return sum;
}

static double distance_of(sn_pair_kind kind, const sn_vec3 p[4])
{
    return sqrt(sn_pair_find_nearest(kind, p).square);
}

static void points_at(const sn_vec3 start[4], const sn_vec3 end[4], double t, sn_vec3 p[4])
{
    for (int i = 0; i < 4; ++i) {
        p[i] = sn_vec3_add_scaled(start[i], t, sn_vec3_sub(end[i], start[i]));
    }
}

// The least distance over a grid of weights: an upper bound that is off by at most the mesh.
static double sampled_distance(sn_pair_kind kind, const sn_vec3 p[4], int steps)
{
    double best = INFINITY;
    for (int i = 0; i <= steps; ++i) {
        for (int k = 0; k <= (kind == SN_VERTEX_FACE ? steps - i : steps); ++k) {
            double u = (double)i / steps, v = (double)k / steps;
            double w[4] = {1.0, 1.0 - u - v, u, v};
            if (kind == SN_EDGE_EDGE) {
                memcpy(w, (double[4]){1.0 - u, u, 1.0 - v, v}, sizeof w);
            }
            int first = kind == SN_VERTEX_FACE ? 1 : 2;
            best = fmin(best, sn_distance(combine(p, w, 0, first), combine(p, w, first, 4)));
        }
    }
    return best;
}

static void check_nearest(sn_pair_kind kind, const sn_vec3 p[4], double size)
{
    enum { STEPS = 40 };
    sn_pair_nearest nearest = sn_pair_find_nearest(kind, p);
    int first = kind == SN_VERTEX_FACE ? 1 : 2;
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        assert_true(nearest.weights[i] >= 0.0 && nearest.weights[i] <= 1.0);
        sums[i >= first] += nearest.weights[i];
    }
    assert_true(fabs(sums[0] - 1.0) < 1e-9 && fabs(sums[1] - 1.0) < 1e-9);
    sn_vec3 a = combine(p, nearest.weights, 0, first), b = combine(p, nearest.weights, first, 4);
    assert_true(sn_distance(sn_vec3_sub(a, b), nearest.apart) < 1e-6 * size);
    assert_true(fabs(sn_dot(nearest.apart, nearest.apart) - nearest.square) < 1e-9 * size * size);
    double sampled = sampled_distance(kind, p, STEPS), found = sqrt(nearest.square);
    assert_true(found < sampled + 1e-7 * size);
    assert_true(found > sampled - 6.0 * size / STEPS);
}

static void test_nearest(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int run = 0; run < 600; ++run) {
        sn_vec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = random_vector(&random, 1.0);
        }
        if (run % 4 == 1) { // needles
            p[3] = sn_vec3_add_scaled(p[2], 1e-6, p[3]);
        } else if (run % 4 == 2) { // parallel edges, faces without area
            p[3] = sn_vec3_add_scaled(p[2], 0.5, sn_vec3_sub(p[1], p[0]));
            p[1] = run % 8 == 2 ? p[1] : sn_vec3_add_scaled(p[2], 2.0, sn_vec3_sub(p[3], p[2]));
        } else if (run % 16 == 3) { // no length at all
            p[2] = p[3];
        }
        for (int k = 0; k < 2; ++k) {
            check_nearest(kinds[k], p, 2.0);
        }
    }
}

// ---- meetings in closed form ----

typedef struct meeting {
    sn_pair_kind kind;
    double start[4][3], end[4][3];
    double nearness, time; // negative: they do not meet
    double blur;           // of the time where they touch and part again: a double root
} meeting;

static const meeting meetings[] = {
    // a vertex falls on a face: half way, and a quarter of its height above
    {SN_VERTEX_FACE,
     {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     0.5},
    {SN_VERTEX_FACE,
     {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.25,
     0.375},
    // just beside, just at the corner, through the edge
    {SN_VERTEX_FACE,
     {{0.5, -1e-9, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.5, -1e-9, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     -1.0},
    {SN_VERTEX_FACE,
     {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0, 0, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     0.5},
    {SN_VERTEX_FACE,
     {{0.5, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.5, 0, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     0.5},
    // in the plane of the face all the time: into its edge, past its corner
    {SN_VERTEX_FACE,
     {{0.25, -1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.25, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     0.5},
    {SN_VERTEX_FACE,
     {{-0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{-0.5, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     -1.0},
    // a face without area (a segment), and one that is a point
    {SN_VERTEX_FACE,
     {{0.5, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}},
     {{0.5, 0, -3}, {0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}},
     0.0,
     0.25},
    {SN_VERTEX_FACE,
     {{0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
     {{0, 0, -3}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
     0.0,
     0.25},
    // all move alike, far; all move alike and one falls
    {SN_VERTEX_FACE,
     {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{1e6, 0.25, 1}, {1e6, 0, 0}, {1e6 + 1, 0, 0}, {1e6, 1, 0}},
     0.0,
     -1.0},
    // a graze: the face comes up to the vertex and stops there; it stops short of it
    {SN_VERTEX_FACE,
     {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.25, 0.25, 1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
     0.0,
     1.0},
    {SN_VERTEX_FACE,
     {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.25, 0.25, 1}, {0, 0, 0.999999}, {1, 0, 0.999999}, {0, 1, 0.999999}},
     0.0,
     -1.0},
    // slides along at a distance
    {SN_VERTEX_FACE,
     {{-5, 0.25, 0.01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{5, 0.25, 0.01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     0.0,
     -1.0},
    // crossed edges, parallel edges that fall on each other, in line, and end to end
    {SN_EDGE_EDGE,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, -3}, {0, 1, -3}},
     0.0,
     0.25},
    {SN_EDGE_EDGE,
     {{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 1}},
     {{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {2, 0, -1}},
     0.0,
     0.5},
    {SN_EDGE_EDGE,
     {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
     {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}},
     0.0,
     0.5},
    {SN_EDGE_EDGE,
     {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {2, 0, 1}},
     {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {2, 0, -1}},
     0.0,
     0.5},
    {SN_EDGE_EDGE,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, -3}, {0, 1, -3}},
     0.5,
     0.125},
    // touch at the start, start nearer than asked for, stand still
    {SN_EDGE_EDGE,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}},
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 5}, {0, 1, 5}},
     0.0,
     0.0},
    {SN_EDGE_EDGE,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 5}, {0, 1, 5}},
     2.0,
     0.0},
    {SN_EDGE_EDGE,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     0.5,
     -1.0},
    // one turns over: its ends swap heights, so all its points are at height 0 half way
    {SN_EDGE_EDGE,
     {{-1, 0, 1}, {1, 0, -1}, {-2, 0.5, 0}, {-2, -0.5, 0}},
     {{-1, 0, -1}, {1, 0, 1}, {2, 0.5, 0}, {2, -0.5, 0}},
     0.0,
     0.5,
     1e-6},
};

static void test_closed_forms(void **state)
{
    (void)state;
    const double scales[3] = {1.0, 0.01, 100.0};
    for (size_t i = 0; i < sizeof meetings / sizeof *meetings; ++i) {
        const meeting *m = &meetings[i];
        for (int s = 0; s < 3; ++s) {
            sn_vec3 start[4], end[4], offset = {3.0 * scales[s], -7.0 * scales[s], scales[s]};
            for (int k = 0; k < 4; ++k) {
                start[k] = sn_vec3_add_scaled(offset, scales[s], sn_vec3_at(m->start[k]));
                end[k] = sn_vec3_add_scaled(offset, scales[s], sn_vec3_at(m->end[k]));
            }
            double time = -1.0;
            bool meets = sn_pair_meets(m->kind, start, end, scales[s] * m->nearness, 1.0, &time);
            if (meets != (m->time >= 0.0)) {
                fail_msg("row %d at scale %g: %s", (int)i, scales[s], meets ? "meets" : "misses");
            }
            double before = 1e-3 * m->nearness + m->blur + 1e-11;
            if (meets && (time > m->time + 1e-15 || time < m->time - before)) {
                fail_msg("row %d at scale %g: %.17g, not %g", (int)i, scales[s], time, m->time);
            }
        }
    }
}

// ---- meetings against the cubic ----

typedef long double real;

typedef struct real3 {
    real x, y, z;
} real3;

static real3 real_at(const sn_vec3 *start, const sn_vec3 *end, real t)
{
    real3 r = {(1 - t) * start->x + t * end->x, (1 - t) * start->y + t * end->y,
               (1 - t) * start->z + t * end->z};
    return r;
}

static real3 minus(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static real3 cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static real dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static real volume_at(const sn_vec3 start[4], const sn_vec3 end[4], real t)
{
    real3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = real_at(&start[i], &end[i], t);
    }
    return dot(minus(p[1], p[0]), cross(minus(p[2], p[0]), minus(p[3], p[0])));
}

// Is the meeting at t well inside both?
static bool well_inside(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4], real t)
{
    real3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = real_at(&start[i], &end[i], t);
    }
    real3 a = kind == SN_VERTEX_FACE ? minus(p[2], p[1]) : minus(p[1], p[0]);
    real3 b = kind == SN_VERTEX_FACE ? minus(p[3], p[1]) : minus(p[3], p[2]);
    real3 r = kind == SN_VERTEX_FACE ? minus(p[0], p[1]) : minus(p[2], p[0]), n = cross(a, b);
    real nn = dot(n, n), u = dot(cross(r, b), n) / nn;
    real v = kind == SN_VERTEX_FACE ? dot(cross(a, r), n) / nn : dot(cross(r, a), n) / nn;
    const real edge = 1e-9L;
    return nn > 1e-12L && u > edge && v > edge &&
           (kind == SN_VERTEX_FACE ? u + v < 1 - edge : u < 1 - edge && v < 1 - edge);
}

// All crossings of the plane that `steps` stretches of time show, by bisection: the first of those
// that are meetings, or 2.
static real first_crossing(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4],
                           int steps)
{
    real before = volume_at(start, end, 0);
    for (int i = 0; i < steps; ++i) {
        real low = (real)i / steps, high = (real)(i + 1) / steps;
        real after = volume_at(start, end, high);
        if ((before < 0) != (after < 0)) {
            real sign = before < 0 ? -1 : 1;
            for (int k = 0; k < 70; ++k) {
                real middle = (low + high) / 2;
                *(sign * volume_at(start, end, middle) > 0 ? &low : &high) = middle;
            }
            if (well_inside(kind, start, end, high)) {
                return high;
            }
        }
        before = after;
    }
    return 2;
}

static void random_motion(sn_random *random, int style, sn_vec3 start[4], sn_vec3 end[4])
{
    double scale = style % 3 == 0 ? 1.0 : style % 3 == 1 ? 0.01 : 100.0;
    sn_vec3 offset = random_vector(random, style % 5 == 0 ? 1e4 * scale : scale);
    sn_vec3 travel = random_vector(random, style % 7 == 0 ? 100.0 * scale : scale);
    double change = style % 11 == 0 ? 0.01 : style % 11 < 6 ? 0.5 : 2.0;
    for (int i = 0; i < 4; ++i) {
        start[i] = sn_vec3_add(offset, random_vector(random, scale));
        end[i] = sn_vec3_add(sn_vec3_add(start[i], travel), random_vector(random, change * scale));
    }
    if (style % 13 == 0) { // edges that start parallel, faces that start flat
        start[3] = sn_vec3_add(start[2], sn_vec3_sub(start[1], start[0]));
    }
}

static double extent_of(const sn_vec3 start[4], const sn_vec3 end[4])
{
    double extent = 0.0;
    for (int i = 0; i < 4; ++i) {
        extent = fmax(extent, fmax(sn_distance(start[i], start[0]), sn_distance(end[i], end[0])));
    }
    return extent;
}

static void test_cubic(void **state)
{
    (void)state;
    bool soak = getenv("SINEW_SOAK") != NULL;
    const char *seed = getenv("SINEW_SEED");
    int runs = soak ? 1000000 : 15000, met = 0, early = 0;
    sn_random random = {.seed = seed != NULL ? strtoull(seed, NULL, 10) : 12};
    for (int run = 0; run < runs; ++run) {
        sn_pair_kind kind = kinds[run % 2];
        sn_vec3 start[4], end[4], p[4];
        random_motion(&random, run / 2, start, end);
        double time = 2.0, extent = extent_of(start, end);
        bool meets = sn_pair_meets(kind, start, end, 0.0, 1.0, &time);
        real first = first_crossing(kind, start, end, 40);
        if (first <= 1 && (!meets || time > (double)first + 1e-15)) {
            fail_msg("run %d: missed a meeting at %.17Lg (%.17g)", run, first, time);
        }
        met += first <= 1;
        if (meets) {
            // What is reported is nearly one: it is so near that little more than rounding is left.
            points_at(start, end, time, p);
            double offset = sn_length(start[0]) + sn_length(end[0]);
            if (distance_of(kind, p) > 1e-11 * extent + 1e-14 * offset) {
                fail_msg("run %d: %g apart of %g", run, distance_of(kind, p), extent);
            }
            early += first > 1;
        }
    }
    // Most motions are told apart: hardly any that only nearly meet are said to.
    assert_true(met > runs / 20 && early * 500 < met);
}

// Nearness: at the time given they are no farther than it and a little, and never nearer before.
static void test_nearness(void **state)
{
    (void)state;
    sn_random random = {.seed = 13};
    int met = 0;
    for (int run = 0; run < 3000; ++run) {
        sn_pair_kind kind = kinds[run % 2];
        sn_vec3 start[4], end[4], p[4];
        random_motion(&random, 3 * run + 2 * (run % 3 == 0), start, end);
        double extent = extent_of(start, end), nearness = 0.05 * extent, time = 1.0;
        double begin = distance_of(kind, start);
        bool meets = sn_pair_meets(kind, start, end, nearness, 1.0, &time);
        if (begin <= nearness) {
            assert_true(meets && time == 0.0);
            continue;
        }
        double until = meets ? time : 1.0;
        for (int i = 0; i <= 50; ++i) {
            points_at(start, end, until * i / 50, p);
            assert_true(distance_of(kind, p) > nearness);
        }
        if (meets) {
            met += 1;
            assert_true(distance_of(kind, p) < 1.01 * nearness);
        }
        double other = -1.0;
        if (meets) { // well before, and just after
            points_at(start, end, 0.9 * time, p);
            assert_true(distance_of(kind, p) < 1.002 * nearness ||
                        !sn_pair_meets(kind, start, end, nearness, 0.9 * time, &other));
            double after = fmin(1.0, time + 0.01);
            assert_true(!sn_pair_meets(kind, start, end, 1.002 * nearness, after, &other) ||
                        other <= time);
        }
    }
    assert_true(met > 300);
}

// ---- meetings of whole numbers ----

typedef __int128 whole;

enum { TICKS = 4096 };

// The pair at time tick / TICKS, times TICKS: whole numbers.
static void whole_points(int start[4][3], int end[4][3], int tick, whole p[4][3])
{
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            p[i][k] = (whole)start[i][k] * (TICKS - tick) + (whole)end[i][k] * tick;
        }
    }
}

static whole whole_volume(whole p[4][3])
{
    whole d[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            d[i][k] = p[i + 1][k] - p[0][k];
        }
    }
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
           d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

// Do they, seen along the axis, overlap strictly: the vertex inside the face, the edges crossed? If
// so at both ends of a stretch of time in which the volume changes sign and is so small that the
// view cannot matter, they meet in it. Twice the signed area of three points seen along an axis:
static whole whole_area(whole p[4][3], int a, int b, int c, int axis)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return (p[b][x] - p[a][x]) * (p[c][y] - p[a][y]) - (p[b][y] - p[a][y]) * (p[c][x] - p[a][x]);
}

static int sign_of(whole a)
{
    return (a > 0) - (a < 0);
}

static bool strictly_over(sn_pair_kind kind, whole p[4][3], int axis)
{
    if (kind == SN_VERTEX_FACE) {
        int turn = sign_of(whole_area(p, 1, 2, 3, axis));
        return turn != 0 && sign_of(whole_area(p, 1, 2, 0, axis)) == turn &&
               sign_of(whole_area(p, 2, 3, 0, axis)) == turn &&
               sign_of(whole_area(p, 3, 1, 0, axis)) == turn;
    }
    return sign_of(whole_area(p, 0, 1, 2, axis)) * sign_of(whole_area(p, 0, 1, 3, axis)) < 0 &&
           sign_of(whole_area(p, 2, 3, 0, axis)) * sign_of(whole_area(p, 2, 3, 1, axis)) < 0;
}

static void test_whole_numbers(void **state)
{
    (void)state;
    sn_random random = {.seed = 14};
    int proven = 0;
    for (int run = 0; run < 20000; ++run) {
        sn_pair_kind kind = kinds[run % 2];
        int from[4][3], to[4][3];
        sn_vec3 start[4], end[4];
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 3; ++k) {
                from[i][k] = sn_random_below(&random, 7) - 3;
                to[i][k] = sn_random_below(&random, 7) - 3;
            }
            start[i] = sn_vec3_make(from[i][0], from[i][1], from[i][2]);
            end[i] = sn_vec3_make(to[i][0], to[i][1], to[i][2]);
        }
        whole p[4][3], q[4][3];
        whole_points(from, to, 0, p);
        whole_points(from, to, TICKS, q);
        // The exact predicate agrees with whole numbers.
        assert_int_equal(sn_orient3d(start[0], start[1], start[2], start[3]),
                         sign_of(whole_volume(p)));
        int low = 0, high = TICKS, sign = sign_of(whole_volume(p));
        if (sign == 0 || sign * sign_of(whole_volume(q)) >= 0) {
            continue;
        }
        while (high - low > 1) {
            int middle = (low + high) / 2;
            whole_points(from, to, middle, p);
            *(sign * sign_of(whole_volume(p)) > 0 ? &low : &high) = middle;
        }
        // From the one side of the other, over it all the time seen along some axis: they met. In
        // between lines of sight stay inside, for areas that have one sign at both ends of so
        // short a time and are large there do not vanish in it.
        whole_points(from, to, low, p);
        whole_points(from, to, high, q);
        bool over = false;
        for (int axis = 0; axis < 3 && !over; ++axis) {
            whole least = (whole)1 << 100;
            const int triples[4][3] = {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1}};
            for (int i = 0; i < 4; ++i) {
                whole area = whole_area(p, triples[i][0], triples[i][1], triples[i][2], axis);
                least = area * sign_of(area) < least ? area * sign_of(area) : least;
            }
            over = strictly_over(kind, p, axis) && strictly_over(kind, q, axis) &&
                   least > (whole)1 << 19;
        }
        if (!over) {
            continue;
        }
        proven += 1;
        double time = 2.0;
        bool meets = sn_pair_meets(kind, start, end, 0.0, 1.0, &time);
        if (!meets || time > (double)high / TICKS) {
            fail_msg("run %d: missed between %d and %d of %d", run, low, high, TICKS);
        }
    }
    assert_true(proven > 400);
}

static void test_predicates(void **state)
{
    (void)state;
    sn_random random = {.seed = 15};
    for (int run = 0; run < 2000; ++run) {
        // Four points in one plane but for the last bit of one: the sign is that bit's.
        sn_vec3 a = random_vector(&random, 1.0), b = random_vector(&random, 1.0);
        a.z = b.z = 0.1;
        sn_vec3 c = {a.x + 1.0, a.y - 0.5, 0.1}, d = {b.x, b.y + 1.0, nextafter(0.1, 1.0)};
        int turn = sn_orient2d((sn_vec2){a.x, a.y}, (sn_vec2){b.x, b.y}, (sn_vec2){c.x, c.y});
        assert_int_equal(sn_orient3d(a, b, c, d), turn);
        d.z = 0.1;
        assert_int_equal(sn_orient3d(a, b, c, d), 0);
    }
    sn_vec3 t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const struct {
        sn_vec3 p, q;
        bool meets;
    } rows[] = {
        {{0.2, 0.2, 1}, {0.2, 0.2, -1}, true},  {{0.2, 0.2, 1}, {0.2, 0.2, 0.5}, false},
        {{0.2, 0.2, 0}, {0.2, 0.2, 1}, true},   {{0, 0, 0}, {0, 0, 1}, true},
        {{0.6, 0.6, 1}, {0.6, 0.6, -1}, false}, {{0.5, 0.5, 1}, {0.5, 0.5, -1}, true},
        {{-1, 0.2, 0}, {2, 0.2, 0}, true},      {{-1, 2, 0}, {2, 2, 0}, false},
        {{0.1, 0.1, 0}, {0.2, 0.2, 0}, true},   {{-1, -1, 0}, {-1, 1, 0}, false},
        {{1, 0, 0}, {2, 0, 0}, true},           {{1.5, 0, 0}, {2, 0, 0}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(sn_segment_meets_triangle(rows[i].p, rows[i].q, t[k], t[(k + 1) % 3],
                                                       t[(k + 2) % 3]),
                             rows[i].meets);
            assert_int_equal(sn_segment_meets_triangle(rows[i].q, rows[i].p, t[k], t[(k + 2) % 3],
                                                       t[(k + 1) % 3]),
                             rows[i].meets);
        }
    }
}

// Two that lie on each other but for a distance far below their size, as what was glued together
// does, part: corner on corner, vertex on edge, edge along edge, and anyhow. No nearness that is
// less than their distance by more than rounding is met.
static void test_parting(void **state)
{
    (void)state;
    sn_random random = {.seed = 17};
    int near = 0;
    for (int i = 0; i < 20000; ++i) {
        sn_pair_kind kind = kinds[i % 2];
        int style = i / 2 % 4, first = kind == SN_VERTEX_FACE ? 1 : 2;
        double d = pow(10.0, sn_random_range(&random, -10.0, -7.0));
        sn_quat turn = random_rotation(&random);
        sn_vec3 p[4], end[4], away = sn_rotate(turn, sn_vec3_make(1e-5, 2e-5, 1e-4));
        for (int k = 0; k < 4; ++k) {
            p[k] = random_vector(&random, 0.05);
            p[k].z = k < first ? d : 0.0;
        }
        double share = style == 1 ? sn_random_range(&random, 0.1, 0.9) : 0.0;
        if (style < 3) {
            p[0] = sn_vec3_add_scaled(p[2], share, sn_vec3_sub(p[3], p[2]));
            p[0].z = d;
        }
        if (style == 2 && first == 2) {
            p[1] = sn_vec3_add_scaled(p[0], 0.7, sn_vec3_sub(p[3], p[2]));
        }
        for (int k = 0; k < 4; ++k) {
            p[k] = sn_rotate(turn, p[k]);
            end[k] = k < first ? sn_vec3_add(p[k], away) : p[k];
        }
        double distance = distance_of(kind, p), time;
        if (!(distance < 2.0 * d)) {
            continue; // beside each other
        }
        double kept = fmin(distance * (1.0 - distance / 1e-6), distance - 1e-14);
        near += 1;
        if (sn_pair_meets(kind, p, end, kept, 1.0, &time)) {
            fail_msg("kind %d, style %d, %g m apart: stopped at %g", kind, style, distance, time);
        }
        for (int k = 0; k < first; ++k) { // and through each other they do not go
            end[k] = sn_vec3_sub(p[k], away);
        }
        if (style == 3) {
            assert_true(sn_pair_meets(kind, p, end, kept, 1.0, &time));
        }
    }
    assert_true(near > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),       cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_cubic),         cmocka_unit_test(test_nearness),
        cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_parting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
