// Winds against closed forms: speed laws, fluxes that no cross section may lose, spectra, and the
// force on a patch with its derivative.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "field/jet.h"
#include "field/wind.h"
#include "math/elementary.h"
#include "random_vector.h"

static sn_wind *make(const sn_wind_def *def)
{
    sn_wind *wind = NULL;
    sn_error error = {0};
    if (sn_wind_create(def, &wind, &error) != SN_OK) {
        fail_msg("%s", error.text);
    }
    return wind;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
    }
}

static void assert_vectors_near(sn_vec3 a, sn_vec3 b, double tolerance)
{
    assert_near(sn_distance(a, b), 0.0, tolerance);
}

// Central differences, summed along the axes.
static double divergence(const sn_wind *wind, sn_vec3 p, double time, double step)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double shift[3] = {0}, ends[2];
        for (int side = 0; side < 2; ++side) {
            shift[i] = side == 0 ? -step : step;
            sn_vec3 u = sn_wind_velocity(wind, sn_vec3_add(p, sn_vec3_at(shift)), time);
            const double c[3] = {u.x, u.y, u.z};
            ends[side] = c[i];
        }
        sum += (ends[1] - ends[0]) / (2.0 * step);
    }
    return sum;
}

// ---- speed laws ----

static void test_uniform(void **state)
{
    (void)state;
    sn_wind_def def = sn_default_wind_def();
    def.direction = sn_vec3_make(0.0, -2.0, 0.0);
    def.speed = 3.5;
    sn_wind *wind = make(&def);
    assert_vectors_near(sn_wind_velocity(wind, sn_vec3_make(5.0, 6.0, 7.0), 8.0),
                        sn_vec3_make(0.0, -3.5, 0.0), 0.0);
    assert_false(sn_wind_source_of(wind).is_cone);
    sn_wind_destroy(wind);
}

static void test_cone(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    for (int trial = 0; trial < 200; ++trial) {
        sn_wind_def def = sn_default_wind_def();
        def.kind = SN_WIND_CONE;
        def.position = random_vector(&random, 3.0);
        def.direction = random_vector(&random, 1.0);
        def.radius = sn_random_range(&random, 0.05, 0.5);
        def.length = sn_random_range(&random, 0.1, 1.0);
        def.speed = sn_random_range(&random, 0.1, 10.0);
        sn_wind *wind = make(&def);
        sn_vec3 axis = sn_normalize(def.direction);
        sn_wind_source source = sn_wind_source_of(wind);
        sn_vec3 vertex = source.vertex;
        assert_true(source.is_cone && source.length == def.length);
        assert_vectors_near(vertex, sn_vec3_add_scaled(def.position, -def.length, axis), 1e-14);

        // A point at the distance l1, at a share of the opening angle from the axis.
        double opening = atan2(def.radius, def.length);
        double share = sn_random_range(&random, 0.0, 1.5);
        double l1 = sn_random_range(&random, 0.3, 6.0) * def.length;
        sn_vec3 side = sn_perpendicular(axis);
        sn_vec3 ray = sn_vec3_add(sn_vec3_scale(cos(share * opening), axis),
                                  sn_vec3_scale(sin(share * opening), side));
        sn_vec3 point = sn_vec3_add_scaled(vertex, l1, ray);
        sn_vec3 u = sn_wind_velocity(wind, point, 0.0);
        bool inside = share < 1.0 && l1 * cos(share * opening) > def.length;
        double v1 = inside ? def.speed * (def.length / l1) * (def.length / l1) : 0.0;
        assert_vectors_near(u, sn_vec3_scale(v1, ray), 1e-14 * def.speed * (1.0 + 3.0 / l1));
        if (inside && share < 0.9 && l1 * cos(share * opening) > 1.1 * def.length) {
            assert_near(divergence(wind, point, 0.0, 1e-4 * l1), 0.0, 1e-6 * v1 / l1);
        }
        sn_wind_destroy(wind);
    }
}

// 10 m/s from 10 mm.
static void test_jet_axis(void **state)
{
    (void)state;
    sn_wind_def def = sn_default_wind_def();
    def.kind = SN_WIND_JET;
    def.speed = 10.0;
    def.radius = 0.005;
    sn_wind *wind = make(&def);
    const double table[][2] = {{0.0, 10.0}, {0.06, 10.0}, {0.1, 6.0},
                               {0.3, 2.0},  {0.5, 1.2},   {1.0, 0.6}};
    for (int i = 0; i < 6; ++i) {
        sn_vec3 u = sn_wind_velocity(wind, sn_vec3_make(table[i][0], 0.0, 0.0), 0.0);
        assert_vectors_near(u, sn_vec3_make(table[i][1], 0.0, 0.0), 4e-15 * 10.0);
    }
    assert_vectors_near(sn_wind_velocity(wind, sn_vec3_make(-1e-9, 0.0, 0.0), 0.0), SN_VEC3_ZERO,
                        0.0);
    // exp(-(r / b)^2) with b = x / (6 sqrt 2) far away
    sn_vec3 u = sn_wind_velocity(wind, sn_vec3_make(0.6, 0.05, 0.0), 0.0);
    assert_near(u.x, 1.0 * exp(-72.0 * 0.05 * 0.05 / (0.6 * 0.6)), 1e-14);
    sn_wind_destroy(wind);
}

// Momentum and angular momentum pass every cross section: Simpson's rule over the radius, on both
// sides of the core's rim.
static void test_jet_fluxes(void **state)
{
    (void)state;
    const double radius = 0.2;
    const double places[] = {0.0, 0.1, 0.7, 1.5, 2.39, 2.4, 2.5, 5.0, 20.0};
    for (int i = 0; i < 9; ++i) {
        double x = places[i], core = x < 2.4 ? radius * (1.0 - x / 2.4) : 0.0;
        double momentum = 0.0, spin = 0.0;
        for (int part = 0; part < 2; ++part) {
            const int n = 4000;
            double from = part == 0 ? 0.0 : core, to = part == 0 ? core : core + 0.5 + 1.0 * x;
            for (int k = 0; k <= n; ++k) {
                double r = from + (to - from) * k / n;
                double weight = (k == 0 || k == n ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0));
                weight *= (to - from) / (3.0 * n);
                sn_jet_state jet = sn_jet_at(radius, x, r);
                if (x == 0.0 && part == 1) {
                    jet = (sn_jet_state){0}; // a sharp edge: the last point is the core's
                }
                momentum += weight * jet.along * jet.along * r;
                spin += weight * jet.along * jet.about * r * r;
            }
        }
        assert_near(momentum / (0.5 * radius * radius), 1.0, 1e-9);
        assert_near(spin / (0.25 * radius * radius * radius), 1.0, 1e-9);
    }
}

static void test_fan_turns(void **state)
{
    (void)state;
    sn_wind_def def = sn_default_wind_def();
    def.kind = SN_WIND_FAN;
    def.direction = sn_vec3_make(0.0, 0.0, 1.0);
    def.speed = 4.0;
    def.radius = 0.25;
    def.swirl = 0.5;
    sn_wind *wind = make(&def);
    // At the rim of the fan the air turns right-handed about the axis.
    assert_vectors_near(sn_wind_velocity(wind, sn_vec3_make(0.25, 0.0, 0.0), 0.0),
                        sn_vec3_make(0.0, 2.0, 4.0), 1e-14);
    // Turning dies out faster than the jet: as 1/x^2 at the same share of its width.
    sn_vec3 near = sn_wind_velocity(wind, sn_vec3_make(0.4, 0.0, 6.0), 0.0);
    sn_vec3 far = sn_wind_velocity(wind, sn_vec3_make(0.8, 0.0, 12.0), 0.0);
    assert_near(near.z / far.z, 2.0, 1e-13);
    assert_near(near.y / far.y, 4.0, 1e-13);
    // The air moves around the axis: it neither comes from it nor leaves it.
    assert_near(near.x, 0.0, 0.0);
    sn_wind_destroy(wind);
}

// ---- natural wind ----

static void test_profiles(void **state)
{
    (void)state;
    sn_wind_def def = sn_default_wind_def();
    def.kind = SN_WIND_NATURAL;
    def.intensity = 0.0;
    def.speed = 5.0;
    def.position = sn_vec3_make(0.0, 0.0, 100.0);
    def.direction = sn_vec3_make(0.0, 1.0, 1.0); // only its level part counts
    for (int profile = 0; profile < SN_WIND_PROFILE_COUNT; ++profile) {
        def.profile = (sn_wind_profile)profile;
        sn_wind *wind = make(&def);
        for (int i = 1; i < 40; ++i) {
            double z = 0.5 * i;
            sn_vec3 u = sn_wind_velocity(wind, sn_vec3_make(3.0, -2.0, 100.0 + z), 0.0);
            double wanted = profile == SN_WIND_PROFILE_LOG ? 5.0 * log(z / 0.03) / log(10.0 / 0.03)
                            : profile == SN_WIND_PROFILE_POWER ? 5.0 * pow(z / 10.0, 1.0 / 7.0)
                                                               : 5.0;
            assert_vectors_near(u, sn_vec3_make(0.0, wanted, 0.0), 1e-13);
        }
        sn_vec3 below = sn_wind_velocity(wind, sn_vec3_make(0.0, 0.0, 99.0), 0.0);
        assert_near(below.y, profile == SN_WIND_PROFILE_FLAT ? 5.0 : 0.0, 0.0);
        sn_wind_destroy(wind);
    }
}

static sn_wind_def gusty_def(void)
{
    sn_wind_def def = sn_default_wind_def();
    def.kind = SN_WIND_NATURAL;
    def.profile = SN_WIND_PROFILE_FLAT;
    def.direction = sn_vec3_make(1.0, 2.0, 0.0);
    def.speed = 4.0;
    def.scale = 2.0;
    def.intensity = 0.3;
    def.seed = 7;
    return def;
}

static void test_gusts_have_no_divergence(void **state)
{
    (void)state;
    sn_wind_def def = gusty_def();
    def.profile = SN_WIND_PROFILE_LOG;
    sn_wind *wind = make(&def);
    sn_random random = {.seed = 3};
    // The scale of change is the shortest wave's.
    double steepest = 0.0;
    for (int i = 0; i < def.modes; ++i) {
        steepest = fmax(steepest, sn_length(wind->modes[i].wave));
        assert_near(sn_dot(wind->modes[i].wave, wind->modes[i].swing), 0.0, 1e-14 * steepest);
    }
    for (int i = 0; i < 100; ++i) {
        sn_vec3 p = random_vector(&random, 20.0);
        p.z = fabs(p.z) + 1.0;
        double time = sn_random_range(&random, 0.0, 100.0);
        assert_near(divergence(wind, p, time, 1e-3 / steepest), 0.0, 2e-6 * steepest);
    }
    sn_wind_destroy(wind);
}

static void test_gusts_are_carried(void **state)
{
    (void)state;
    sn_wind_def def = gusty_def();
    sn_wind *one = make(&def), *same = make(&def);
    def.seed = 8;
    sn_wind *other = make(&def);
    sn_random random = {.seed = 4};
    for (int i = 0; i < 50; ++i) {
        sn_vec3 p = random_vector(&random, 10.0);
        sn_vec3 u = sn_wind_velocity(one, p, 1.0), v = sn_wind_velocity(same, p, 1.0);
        assert_memory_equal(&u, &v, sizeof u);
        assert_true(sn_distance(u, sn_wind_velocity(other, p, 1.0)) > 1e-3);
        sn_vec3 later = sn_vec3_add_scaled(p, 4.0 * 0.5, sn_normalize(def.direction));
        assert_vectors_near(sn_wind_velocity(one, later, 1.5), u, 1e-10);
    }
    // Twice the speed: twice mean and gusts, at the time 0.
    sn_vec3 p = {1.0, 2.0, 3.0}, u = sn_wind_velocity(one, p, 0.0);
    assert_int_equal(sn_wind_aim(one, SN_VEC3_ZERO, def.direction, 8.0, NULL), SN_OK);
    assert_vectors_near(sn_wind_velocity(one, p, 0.0), sn_vec3_scale(2.0, u), 1e-13);
    sn_wind_destroy(one);
    sn_wind_destroy(same);
    sn_wind_destroy(other);
}

// The share of the variance of the component along the wind in waves of |k_x| < limit, from many
// seeds. The spectrum along a line has the integral 1 - (1 + 6 f)^(-2/3), or one taken by
// Simpson's rule.
static double wanted_share(sn_wind_spectrum spectrum, double f)
{
    if (spectrum == SN_WIND_KAIMAL) {
        return 1.0 - pow(1.0 + 6.0 * f, -2.0 / 3.0);
    }
    const int n = 2000;
    double sum = 0.0;
    for (int i = 0; i <= n; ++i) {
        double at = f * i / n;
        double weight = (i == 0 || i == n ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)) * f / (3.0 * n);
        sum += weight * 4.0 * pow(1.0 + 70.8 * at * at, -5.0 / 6.0);
    }
    return sum;
}

static void test_spectra(void **state)
{
    (void)state;
    enum { SEEDS = 400, MODES = 100 };
    const double limits[] = {0.03, 0.1, 0.3, 1.0, 3.0};
    const double scale = 30.0;
    static sn_gust_mode modes[MODES];
    for (int s = 0; s < SN_WIND_SPECTRUM_COUNT; ++s) {
        double share[5] = {0}, variance[3] = {0};
        for (int seed = 0; seed < SEEDS; ++seed) {
            sn_gust_fill((sn_wind_spectrum)s, scale, (uint64_t)seed, modes, MODES);
            for (int i = 0; i < MODES; ++i) {
                sn_vec3 e = modes[i].swing;
                variance[0] += 0.5 * e.x * e.x / SEEDS;
                variance[1] += 0.5 * e.y * e.y / SEEDS;
                variance[2] += 0.5 * e.z * e.z / SEEDS;
                double f = fabs(modes[i].wave.x) * scale / (2.0 * SN_PI);
                for (int k = 0; k < 5; ++k) {
                    share[k] += f < limits[k] ? 0.5 * e.x * e.x / SEEDS : 0.0;
                }
            }
        }
        // 40,000 waves: three deviations are 0.015; all three together have no spread at all
        assert_near(variance[0] + variance[1] + variance[2], 3.0, 1e-12);
        for (int k = 0; k < 3; ++k) {
            assert_near(variance[k], 1.0, 0.015);
        }
        for (int k = 0; k < 5; ++k) {
            assert_near(share[k], wanted_share((sn_wind_spectrum)s, limits[k]), 0.015);
        }
    }
}

// ---- forces ----

static void test_leaf_table(void **state)
{
    (void)state;
    // A 10 x 10 cm leaf across the wind: 1.8 mN at 0.5 m/s, 7 mN at 1, 28 mN at 2.
    sn_air_def air = sn_default_air_def();
    sn_vec3 normal = {-1.0, 0.0, 0.0}, force;
    sn_mat3 damping;
    const double table[][2] = {{0.5, 1.755e-3}, {1.0, 7.02e-3}, {2.0, 28.08e-3}};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 w = {table[i][0], 0.0, 0.0};
        sn_air_force(&air, 0.01, 1, normal, w, &force, &damping);
        assert_vectors_near(force, sn_vec3_make(table[i][1], 0.0, 0.0), 1e-17);
        // the lee face adds nothing, and one face of two sides feels the same
        sn_air_force(&air, 0.01, 1, sn_vec3_negate(normal), w, &force, &damping);
        assert_vectors_near(force, SN_VEC3_ZERO, 0.0);
        sn_air_force(&air, 0.01, 2, sn_vec3_negate(normal), w, &force, &damping);
        assert_vectors_near(force, sn_vec3_make(table[i][1], 0.0, 0.0), 1e-17);
    }
    // along the leaf: each side
    sn_air_force(&air, 0.01, 2, normal, sn_vec3_make(0.0, 3.0, 0.0), &force, &damping);
    assert_vectors_near(force, sn_vec3_make(0.0, 2.0 * 0.5 * 1.2 * 0.01 * 0.01 * 9.0, 0.0), 1e-18);
}

static void test_air_force(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    sn_air_def air = {.density = 1.3, .normal = 1.1, .tangential = 0.4};
    for (int trial = 0; trial < 500; ++trial) {
        sn_vec3 n = sn_normalize(random_vector(&random, 1.0));
        sn_vec3 w = random_vector(&random, 5.0), x = random_vector(&random, 1.0);
        int sides = 1 + trial % 2;
        sn_vec3 force, ahead, behind;
        sn_mat3 damping, unused;
        sn_air_force(&air, 0.7, sides, n, w, &force, &damping);

        // the closed form
        double across = sn_dot(w, n);
        sn_vec3 along = sn_vec3_add_scaled(w, -across, n);
        double push = sides == 2 || across < 0.0 ? 1.1 * fabs(across) * across : 0.0;
        sn_vec3 wanted = sn_vec3_scale(0.5 * 1.3 * 0.7 * push, n);
        wanted =
            sn_vec3_add_scaled(wanted, 0.5 * 1.3 * 0.7 * sides * 0.4 * sn_length(along), along);
        assert_vectors_near(force, wanted, 1e-13);

        // the derivative, in a random direction
        double step = 1e-5;
        sn_air_force(&air, 0.7, sides, n, sn_vec3_add_scaled(w, step, x), &ahead, &unused);
        sn_air_force(&air, 0.7, sides, n, sn_vec3_add_scaled(w, -step, x), &behind, &unused);
        sn_vec3 slope = sn_vec3_scale(0.5 / step, sn_vec3_sub(ahead, behind));
        assert_vectors_near(sn_mat3_apply(damping, x), slope, 2e-5);
        assert_true(sn_dot(x, sn_mat3_apply(damping, x)) >= -1e-14);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < i; ++j) {
                assert_near(damping.m[i][j], damping.m[j][i], 1e-15);
            }
        }

        // a patch that moves with -w in air at rest loses energy
        assert_true(sn_dot(force, w) >= 0.0);
    }
    sn_vec3 force;
    sn_mat3 damping;
    sn_air_force(&air, 1.0, 2, sn_vec3_make(0.0, 0.0, 1.0), SN_VEC3_ZERO, &force, &damping);
    assert_vectors_near(force, SN_VEC3_ZERO, 0.0);
    assert_near(damping.m[0][0] + damping.m[1][1] + damping.m[2][2], 0.0, 0.0);
}

// The seed's (3) and (4): rho A v1^2 (n_v . n_a) n_a = alpha A v0^2 / l1^4 (n_v . n_a) n_a.
static void test_face_force(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    const double rho = 1.2, area = 0.03;
    sn_wind_def def = sn_default_wind_def();
    def.kind = SN_WIND_CONE;
    def.speed = 6.0;
    def.radius = 0.2;
    def.length = 0.5;
    def.position = sn_vec3_make(0.5, 0.0, 0.0); // the vertex is the origin
    sn_wind *wind = make(&def);
    for (int trial = 0; trial < 200; ++trial) {
        sn_vec3 point = {sn_random_range(&random, 0.6, 5.0), 0.0, 0.0};
        point.y = sn_random_range(&random, -0.25, 0.25) * point.x;
        point.z = sn_random_range(&random, -0.25, 0.25) * point.x;
        sn_vec3 n = sn_normalize(random_vector(&random, 1.0));
        double l1 = sn_length(point);
        sn_vec3 n_v = sn_vec3_scale(1.0 / l1, point);
        double alpha = rho * 0.5 * 0.5 * 0.5 * 0.5;
        double size = alpha * area * 36.0 / (l1 * l1 * l1 * l1) * sn_dot(n_v, n);
        sn_vec3 force = sn_wind_face_force(rho, area, n, sn_wind_velocity(wind, point, 0.0));
        assert_vectors_near(force, sn_vec3_scale(size, n), 1e-14);
        sn_vec3 turned =
            sn_wind_face_force(rho, area, sn_vec3_negate(n), sn_wind_velocity(wind, point, 0.0));
        assert_vectors_near(force, turned, 0.0);
    }
    sn_wind_destroy(wind);
}

static void test_random_force(void **state)
{
    (void)state;
    sn_vec3 force = {3.0, 4.0, 12.0}, sum = SN_VEC3_ZERO;
    double longest = 0.0;
    for (uint64_t tick = 0; tick < 2000; ++tick) {
        sn_vec3 shake = sn_wind_random_force(force, 0.2, 9, 17, tick);
        sn_vec3 again = sn_wind_random_force(force, 0.2, 9, 17, tick);
        assert_memory_equal(&shake, &again, sizeof shake);
        assert_true(sn_length(shake) < 0.2 * 13.0);
        longest = fmax(longest, sn_length(shake));
        sum = sn_vec3_add_scaled(sum, 1.0 / 2000, shake);
    }
    assert_true(longest > 0.19 * 13.0);
    assert_near(sn_length(sum), 0.0, 0.15);
    sn_vec3 a = sn_wind_random_force(force, 0.2, 9, 17, 0);
    assert_true(sn_distance(a, sn_wind_random_force(force, 0.2, 9, 18, 0)) > 1e-3);
    assert_true(sn_distance(a, sn_wind_random_force(force, 0.2, 10, 17, 0)) > 1e-3);
    assert_vectors_near(sn_wind_random_force(force, 0.0, 9, 17, 0), SN_VEC3_ZERO, 0.0);
}

// ---- what is refused ----

static void expect_refused(const sn_wind_def *def, const char *says)
{
    sn_wind *wind = NULL;
    sn_error error = {0};
    assert_int_equal(sn_wind_create(def, &wind, &error), SN_ERROR_ARGUMENT);
    assert_null(wind);
    if (strstr(error.text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, says);
    }
}

#define REFUSED(of_kind, member, value, says)                                                      \
    do {                                                                                           \
        sn_wind_def def_ = sn_default_wind_def();                                                  \
        def_.kind = (of_kind);                                                                     \
        def_.member = (value);                                                                     \
        expect_refused(&def_, (says));                                                             \
    } while (0)

static void test_bad_winds(void **state)
{
    (void)state;
    REFUSED(SN_WIND_UNIFORM, speed, -1.0, "speed is -1");
    REFUSED(SN_WIND_UNIFORM, speed, NAN, "speed");
    REFUSED(SN_WIND_UNIFORM, direction, SN_VEC3_ZERO, "direction");
    REFUSED(SN_WIND_UNIFORM, position.y, INFINITY, "position");
    REFUSED((sn_wind_kind)99, speed, 1.0, "no such kind");
    REFUSED(SN_WIND_CONE, radius, 0.0, "radius");
    REFUSED(SN_WIND_CONE, length, -2.0, "length is -2");
    REFUSED(SN_WIND_JET, radius, NAN, "radius");
    REFUSED(SN_WIND_FAN, swirl, NAN, "swirl");
    REFUSED(SN_WIND_NATURAL, roughness, 10.0, "roughness");
    REFUSED(SN_WIND_NATURAL, height, 0.0, "height");
    REFUSED(SN_WIND_NATURAL, modes, 0, "modes");
    REFUSED(SN_WIND_NATURAL, modes, SN_WIND_MODE_LIMIT + 1, "modes");
    REFUSED(SN_WIND_NATURAL, scale, 0.0, "scale");
    REFUSED(SN_WIND_NATURAL, intensity, -0.1, "intensity");
    REFUSED(SN_WIND_NATURAL, up, SN_VEC3_ZERO, "along the ground");
    REFUSED(SN_WIND_NATURAL, direction, sn_vec3_make(0.0, 0.0, -1.0), "along the ground");
    REFUSED(SN_WIND_NATURAL, spectrum, (sn_wind_spectrum)7, "spectrum");

    sn_wind_def def = sn_default_wind_def();
    sn_wind *wind = make(&def);
    sn_vec3 before = sn_wind_velocity(wind, SN_VEC3_ZERO, 0.0);
    assert_int_equal(sn_wind_aim(wind, SN_VEC3_ZERO, def.direction, NAN, NULL), SN_ERROR_ARGUMENT);
    sn_vec3 after = sn_wind_velocity(wind, SN_VEC3_ZERO, 0.0);
    assert_memory_equal(&before, &after, sizeof after);
    sn_wind_destroy(wind);
    sn_wind_destroy(NULL);
}

static void test_words(void **state)
{
    (void)state;
    for (int i = 0; i < SN_WIND_KIND_COUNT; ++i) {
        assert_int_equal(sn_wind_kind_find(sn_wind_kind_word((sn_wind_kind)i)), i);
    }
    assert_int_equal(sn_wind_kind_find("storm"), -1);
    assert_int_equal(sn_wind_kind_find(NULL), -1);
    assert_string_equal(sn_wind_kind_word((sn_wind_kind)99), "");
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_wind_def def = gusty_def();
    sn_wind *wind = NULL;
    sn_error error = {0};
    sn_allocation_fail_after(0);
    assert_int_equal(sn_wind_create(&def, &wind, &error), SN_ERROR_MEMORY);
    sn_allocation_fail_after(-1);
    assert_null(wind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_cone),
        cmocka_unit_test(test_jet_axis),
        cmocka_unit_test(test_jet_fluxes),
        cmocka_unit_test(test_fan_turns),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_gusts_have_no_divergence),
        cmocka_unit_test(test_gusts_are_carried),
        cmocka_unit_test(test_spectra),
        cmocka_unit_test(test_leaf_table),
        cmocka_unit_test(test_air_force),
        cmocka_unit_test(test_face_force),
        cmocka_unit_test(test_random_force),
        cmocka_unit_test(test_bad_winds),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
