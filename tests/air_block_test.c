// Patches four at a time: against the laws of single patches, and winds over a body against those
// at points.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "field/wind_block.h"
#include "random_vector.h"

enum { PATCHES = 37 };

static const sn_air_def thick_air = {.density = 1.3, .normal = 1.1, .tangential = 0.2};

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

static sn_quat any_rotation(sn_random *random)
{
    sn_quat q;
    q.w = sn_random_range(random, 0.1, 1.0);
    q.x = sn_random_range(random, -1.0, 1.0);
    q.y = sn_random_range(random, -1.0, 1.0);
    q.z = sn_random_range(random, -1.0, 1.0);
    return sn_quat_normalize(q);
}

static void fill_patches(sn_random *random, double size, sn_patch patches[PATCHES])
{
    for (int i = 0; i < PATCHES; ++i) {
        patches[i].centre = random_vector(random, size / sqrt(3.0));
        patches[i].normal = sn_normalize(random_vector(random, 1.0));
        patches[i].area = sn_random_range(random, 0.1, 1.0);
        patches[i].wire = i % 3 == 2;
        patches[i].sides = i % 3 == 0 ? 1 : 2;
    }
}

static void make_blocks(sn_air_blocks *blocks, const sn_patch *patches)
{
    *blocks = (sn_air_blocks){0};
    assert_true(sn_air_blocks_add(blocks, &thick_air, patches, PATCHES));
    assert_int_equal(blocks->count, sn_air_block_count(PATCHES));
}

static sn_vec3 stream_at(const sn_air_stream *stream, int patch)
{
    const sn_air_stream *block = &stream[patch / SN_LANES];
    int lane = patch % SN_LANES;
    return sn_vec3_make(block->velocity[0][lane], block->velocity[1][lane],
                        block->velocity[2][lane]);
}

// ---- forces ----

static void assert_matrices_near(const sn_mat3 *a, const sn_mat3 *b, double tolerance)
{
    for (int i = 0; i < 9; ++i) {
        assert_near(a->m[i / 3][i % 3], b->m[i / 3][i % 3], tolerance);
    }
}

// The sum over patches, one by one.
static sn_air_sum sum_patches(const sn_patch *patches, const sn_air_stream *stream,
                              const sn_air_motion *motion)
{
    sn_air_sum sum = {0};
    for (int i = 0; i < PATCHES; ++i) {
        const sn_patch *p = &patches[i];
        sn_vec3 r = sn_vec3_sub(p->centre, motion->centre), force;
        sn_vec3 own = sn_vec3_add(motion->velocity, sn_cross(motion->angular_velocity, r));
        sn_vec3 w = sn_vec3_sub(stream_at(stream, i), own);
        sn_mat3 j, arm = sn_mat3_cross(r);
        if (p->wire) {
            sn_air_wire_force(&thick_air, p->area, p->normal, w, &force, &j);
        } else {
            sn_air_force(&thick_air, p->area, p->sides, p->normal, w, &force, &j);
        }
        sum.wrench = sn_spatial_add(sum.wrench, sn_spatial_make(sn_cross(r, force), force));
        sum.linear = sn_mat3_add(sum.linear, j);
        sn_mat3 mixed = sn_mat3_multiply(arm, j);
        sum.mixed = sn_mat3_add(sum.mixed, mixed);
        sum.turn = sn_mat3_add(sum.turn, sn_mat3_scale(-1.0, sn_mat3_multiply(mixed, arm)));
    }
    return sum;
}

static void test_press(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int round = 0; round < 50; ++round) {
        sn_patch patches[PATCHES];
        fill_patches(&random, 1.0, patches);
        sn_air_blocks blocks;
        make_blocks(&blocks, patches);
        sn_air_stream stream[PATCHES] = {0};
        for (int i = 0; i < 3 * SN_LANES * blocks.count; ++i) {
            stream[i / (3 * SN_LANES)].velocity[i / SN_LANES % 3][i % SN_LANES] =
                sn_random_range(&random, -3.0, 3.0);
        }
        sn_air_motion motion;
        motion.velocity = random_vector(&random, 2.0);
        motion.angular_velocity = random_vector(&random, 2.0);
        motion.centre = random_vector(&random, 0.5);
        sn_air_sum wanted = sum_patches(patches, stream, &motion), sum = {0}, plain = {0};
        sn_air_press(blocks.data, blocks.count, stream, &motion, true, &sum);
        assert_vectors_near(sum.wrench.linear, wanted.wrench.linear, 1e-12);
        assert_vectors_near(sum.wrench.angular, wanted.wrench.angular, 1e-12);
        assert_matrices_near(&sum.linear, &wanted.linear, 1e-12);
        assert_matrices_near(&sum.mixed, &wanted.mixed, 1e-12);
        assert_matrices_near(&sum.turn, &wanted.turn, 1e-12);
        sn_air_press(blocks.data, blocks.count, stream, &motion, false, &plain);
        assert_memory_equal(&plain.wrench, &sum.wrench, sizeof sum.wrench);
        assert_true(plain.linear.m[0][0] == 0.0);
        sn_array_free(&blocks);
    }
}

static void test_faces(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    sn_patch patches[PATCHES];
    fill_patches(&random, 1.0, patches);
    sn_air_blocks blocks;
    make_blocks(&blocks, patches);
    sn_air_stream stream[PATCHES] = {0};
    for (int i = 0; i < 3 * SN_LANES * blocks.count; ++i) {
        stream[i / (3 * SN_LANES)].velocity[i / SN_LANES % 3][i % SN_LANES] =
            sn_random_range(&random, -3.0, 3.0);
    }
    sn_air_motion motion = {.velocity = {9.0, 9.0, 9.0}, .centre = {0.1, 0.2, 0.3}};
    sn_spatial wanted = SN_SPATIAL_ZERO;
    for (int i = 0; i < PATCHES; ++i) {
        const sn_patch *p = &patches[i];
        sn_vec3 v = stream_at(stream, i), r = sn_vec3_sub(p->centre, motion.centre);
        sn_vec3 force = p->wire ? sn_wind_wire_force(1.3, p->area, p->normal, v)
                                : sn_wind_face_force(1.3, p->area, p->normal, v);
        if (p->sides == 2 || sn_dot(v, p->normal) < 0.0) {
            wanted = sn_spatial_add(wanted, sn_spatial_make(sn_cross(r, force), force));
        }
    }
    sn_air_sum sum = {0};
    sn_air_press_faces(blocks.data, blocks.count, stream, &motion, &sum);
    assert_vectors_near(sum.wrench.linear, wanted.linear, 1e-12);
    assert_vectors_near(sum.wrench.angular, wanted.angular, 1e-12);
    sn_array_free(&blocks);
}

// A wire is the sum of the faces around it: the force along the normals in any wind, that along
// the faces where the air flows across or along the wire.
static void test_wire_is_the_sum_of_faces(void **state)
{
    (void)state;
    enum { FACES = 3600 };
    sn_random random = {.seed = 7};
    for (int round = 0; round < 12; ++round) {
        sn_vec3 axis = sn_normalize(random_vector(&random, 1.0)), a = sn_perpendicular(axis);
        sn_vec3 b = sn_cross(axis, a), w = random_vector(&random, 2.0), force, sum = SN_VEC3_ZERO;
        sn_vec3 face_sum = SN_VEC3_ZERO;
        sn_air_def air = thick_air;
        sn_mat3 damping, part;
        if (round % 3 == 0) {
            air.tangential = 0.0;
        } else {
            double along = sn_dot(w, axis);
            w = round % 3 == 1 ? sn_vec3_scale(along, axis) : sn_vec3_add_scaled(w, -along, axis);
        }
        for (int i = 0; i < FACES; ++i) {
            double angle = 2.0 * SN_PI * (i + 0.5) / FACES;
            sn_vec3 n = sn_vec3_add(sn_vec3_scale(cos(angle), a), sn_vec3_scale(sin(angle), b));
            sn_air_force(&air, 0.7 / FACES, 1, n, w, &force, &part);
            sum = sn_vec3_add(sum, force);
            if (sn_dot(n, w) < 0.0) {
                face_sum = sn_vec3_add(face_sum, sn_wind_face_force(1.3, 0.7 / FACES, n, w));
            }
        }
        sn_air_wire_force(&air, 0.7, axis, w, &force, &damping);
        assert_vectors_near(sum, force, 1e-5 * sn_dot(w, w));
        assert_vectors_near(face_sum, sn_wind_wire_force(1.3, 0.7, axis, w), 1e-5 * sn_dot(w, w));
        // The derivative, by differences.
        for (int k = 0; k < 3; ++k) {
            double step[3] = {0.0}, e = 1e-5;
            step[k] = e;
            sn_vec3 more, less;
            sn_air_wire_force(&air, 0.7, axis, sn_vec3_add(w, sn_vec3_at(step)), &more, &part);
            sn_air_wire_force(&air, 0.7, axis, sn_vec3_sub(w, sn_vec3_at(step)), &less, &part);
            sn_vec3 slope = sn_vec3_scale(0.5 / e, sn_vec3_sub(more, less));
            sn_vec3 column = {damping.m[0][k], damping.m[1][k], damping.m[2][k]};
            assert_vectors_near(slope, column, round % 3 == 1 ? 1e-4 : 1e-6);
        }
    }
}

// ---- winds ----

static sn_wind *make_wind(const sn_wind_def *def)
{
    sn_wind *wind = NULL;
    sn_error error = {0};
    if (sn_wind_create(def, &wind, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return wind;
}

// Velocities over a body somewhere near the wind, against those at points; the root of their mean
// square difference.
static double compare_wind(const sn_wind *wind, sn_random *random, double size, double time)
{
    sn_patch patches[PATCHES];
    fill_patches(random, size, patches);
    sn_air_blocks blocks;
    make_blocks(&blocks, patches);
    sn_wind_place place = {.position = random_vector(random, 1.0), .radius = size};
    place.position.x += 0.8;
    place.position.z += 1.5;
    place.rotation = sn_quat_to_mat3(any_rotation(random));
    sn_air_stream stream[PATCHES] = {0};
    sn_wind_blow(wind, &place, time, 1.0, blocks.data, blocks.count, stream);
    double sum = 0.0;
    for (int i = 0; i < PATCHES; ++i) {
        sn_vec3 point =
            sn_vec3_add(place.position, sn_mat3_apply(place.rotation, patches[i].centre));
        sn_vec3 wanted = sn_wind_velocity(wind, point, time);
        sn_vec3 got = sn_mat3_apply(place.rotation, stream_at(stream, i));
        sum += sn_dot(sn_vec3_sub(got, wanted), sn_vec3_sub(got, wanted)) / PATCHES;
    }
    sn_array_free(&blocks);
    return sqrt(sum);
}

static void test_winds(void **state)
{
    (void)state;
    sn_random random = {.seed = 8};
    for (int kind = 0; kind < SN_WIND_NATURAL; ++kind) {
        sn_wind_def def = sn_default_wind_def();
        def.kind = (sn_wind_kind)kind;
        def.position = sn_vec3_make(0.1, -0.2, 1.4);
        def.direction = sn_vec3_make(1.0, 0.2, 0.1);
        def.speed = 7.0;
        def.radius = kind == SN_WIND_JET ? 0.02 : 0.2;
        sn_wind *wind = make_wind(&def);
        for (int i = 0; i < 100; ++i) {
            assert_near(compare_wind(wind, &random, i % 2 == 0 ? 1.0 : 0.05, 0.3), 0.0, 1e-13);
        }
        sn_wind_destroy(wind);
    }
}

// The mean to round-off; gusts with the error that wind_block.h states, for bodies from leaves to
// trees, and the same far away in time.
static void test_natural_wind(void **state)
{
    (void)state;
    sn_random random = {.seed = 9};
    for (int profile = 0; profile < SN_WIND_PROFILE_COUNT; ++profile) {
        sn_wind_def def = sn_default_wind_def();
        def.kind = SN_WIND_NATURAL;
        def.profile = (sn_wind_profile)profile;
        def.direction = sn_vec3_make(1.0, -0.5, 0.2);
        def.speed = 3.0;
        def.intensity = 0.0;
        sn_wind *wind = make_wind(&def);
        for (int i = 0; i < 50; ++i) {
            assert_near(compare_wind(wind, &random, 1.0, 5.0), 0.0, 1e-13);
        }
        sn_wind_destroy(wind);
    }
    static const double sizes[] = {0.02, 0.1, 0.5, 2.0, 10.0};
    double worst = 0.0;
    for (int i = 0; i < 300; ++i) {
        sn_wind_def def = sn_default_wind_def();
        def.kind = SN_WIND_NATURAL;
        def.speed = 3.0;
        def.scale = i % 2 == 0 ? 30.0 : 3.0;
        def.seed = (uint64_t)i;
        def.modes = 40 + i % 9;
        def.spectrum = (sn_wind_spectrum)(i / 2 % SN_WIND_SPECTRUM_COUNT);
        sn_wind *wind = make_wind(&def);
        double error = compare_wind(wind, &random, sizes[i % 5], i % 3 == 0 ? 3000.0 : 1.0);
        worst = fmax(worst, error / (sqrt(3.0) * def.intensity * def.speed));
        sn_wind_destroy(wind);
    }
    if (!(worst < 0.005 && worst > 1e-5)) {
        fail_msg("the error of gusts is %g of their deviation", worst);
    }
}

// Waves come in order of their lengths, which counting them from the end relies on.
static void test_waves_are_in_order(void **state)
{
    (void)state;
    static sn_gust_mode modes[100];
    for (int seed = 0; seed < 20; ++seed) {
        sn_gust_fill((sn_wind_spectrum)(seed % 2), 30.0, (uint64_t)seed, modes, 100);
        for (int i = 1; i < 100; ++i) {
            double now = sn_length(modes[i].wave), last = sn_length(modes[i - 1].wave);
            assert_true(now >= last * (1.0 - 1e-12));
            double radius = 0.4 / now;
            assert_int_equal(sn_gust_count_long(modes, 100, radius * (1.0 - 1e-9)) > i, 1);
            assert_int_equal(sn_gust_count_long(modes, 100, radius * (1.0 + 1e-9)) <= i, 1);
        }
    }
    // The expansion: value, slope and bend against differences.
    sn_vec3 at = {3.0, -2.0, 1.0};
    sn_gust_expansion near = sn_gust_expand(modes, 50, at);
    sn_vec3 value = sn_gust_velocity(modes, 50, at);
    assert_vectors_near(sn_vec3_at(near.value), value, 1e-13);
    const double e = 1e-3;
    for (int k = 0; k < 3; ++k) {
        double step[3] = {0.0};
        step[k] = e;
        sn_vec3 more = sn_gust_velocity(modes, 50, sn_vec3_add(at, sn_vec3_at(step)));
        sn_vec3 less = sn_gust_velocity(modes, 50, sn_vec3_sub(at, sn_vec3_at(step)));
        sn_vec3 slope = {near.slope[0][k], near.slope[1][k], near.slope[2][k]};
        sn_vec3 bend = {near.bend[0][k], near.bend[1][k], near.bend[2][k]};
        assert_vectors_near(sn_vec3_scale(0.5 / e, sn_vec3_sub(more, less)), slope, 1e-5);
        sn_vec3 second = sn_vec3_sub(sn_vec3_add(more, less), sn_vec3_scale(2.0, value));
        assert_vectors_near(sn_vec3_scale(0.5 / (e * e), second), bend, 1e-5);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_random random = {.seed = 10};
    sn_patch patches[PATCHES];
    fill_patches(&random, 1.0, patches);
    sn_air_blocks blocks = {0};
    sn_allocation_fail_after(0);
    assert_false(sn_air_blocks_add(&blocks, &thick_air, patches, PATCHES));
    sn_allocation_fail_after(-1);
    assert_int_equal(blocks.count, 0);
    assert_true(sn_air_blocks_add(&blocks, &thick_air, patches, 0));
    assert_int_equal(blocks.count, 0);
    sn_array_free(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_press),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_wire_is_the_sum_of_faces),
        cmocka_unit_test(test_winds),
        cmocka_unit_test(test_natural_wind),
        cmocka_unit_test(test_waves_are_in_order),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
