// Points of patches in winds that vary across them: rectangles have the moments of what they stand
// for, points are wanted where they must be and nowhere else, and forces come out as on a fine cut.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "field/jet.h"
#include "field/wind_cut.h"
#include "math/rotation.h"
#include "sinew/world.h"

enum { MOST = 512 };

static sn_shape make_plate(double width)
{
    sn_shape plate = sn_default_shape();
    plate.type = SN_SHAPE_BOX;
    plate.size = sn_vec3_make(width, 0.6 * width, 0.001);
    return plate;
}

static void test_moments(void **state)
{
    (void)state;
    sn_shape plate = make_plate(0.3);
    sn_patches patches = {0};
    assert_int_equal(sn_patches_add(&patches, &plate, 1, 0.0, NULL), SN_OK);
    double area = 0.0, xx = 0.0, yy = 0.0;
    for (int i = 0; i < patches.count; ++i) {
        const sn_patch *p = &patches.data[i];
        if (p->sides == 2) {
            area += p->area;
            xx += p->area * p->middle.x * p->middle.x;
            yy += p->area * p->middle.y * p->middle.y;
            for (int k = 0; k < 2; ++k) {
                xx += p->area * p->across[k].x * p->across[k].x;
                yy += p->area * p->across[k].y * p->across[k].y;
            }
            assert_true(sn_patch_length(p, 0) >= sn_patch_length(p, 1));
        }
    }
    assert_true(fabs(area - 0.3 * 0.18) < 1e-12);
    assert_true(fabs(xx - area * 0.3 * 0.3 / 12.0) < 1e-9 * area);
    assert_true(fabs(yy - area * 0.18 * 0.18 / 12.0) < 1e-9 * area);
    sn_array_free(&patches);
}

static sn_wind_def random_wind(sn_random *random, sn_wind_kind kind)
{
    sn_wind_def def = sn_default_wind_def();
    def.kind = kind;
    def.speed = 5.0;
    def.radius = kind == SN_WIND_CONE ? 0.1 : sn_random_range(random, 0.003, 0.03);
    def.length = 0.3;
    def.position =
        sn_vec3_make(sn_random_range(random, -2.0, 0.1), sn_random_range(random, -0.3, 0.3),
                     sn_random_range(random, -0.3, 0.3));
    return def;
}

// The quick look at the whole body takes nothing for even that is not: the same cuts as from a body
// so large that it is never even.
static void test_quick_look(void **state)
{
    (void)state;
    sn_shape plate = make_plate(0.2);
    sn_patches patches = {0};
    assert_int_equal(sn_patches_add(&patches, &plate, 1, 0.0, NULL), SN_OK);
    assert_true(patches.count <= MOST);
    double radius = 0.0, size = 0.0;
    for (int i = 0; i < patches.count; ++i) {
        radius = fmax(radius, sn_length(patches.data[i].centre));
        size = fmax(size, sn_patch_length(&patches.data[i], 0));
    }
    const sn_wind_kind kinds[] = {SN_WIND_CONE, SN_WIND_JET, SN_WIND_FAN};
    sn_random random = {.seed = 12};
    int cut = 0, whole = 0;
    for (int run = 0; run < 600; ++run) {
        sn_wind_def def = random_wind(&random, kinds[run % 3]);
        sn_wind *wind = NULL;
        assert_int_equal(sn_wind_create(&def, &wind, NULL), SN_OK);
        sn_quat turn = sn_quat_normalize((sn_quat){sn_random_range(&random, -1.0, 1.0),
                                                   sn_random_range(&random, -1.0, 1.0),
                                                   sn_random_range(&random, -1.0, 1.0), 0.3});
        sn_wind_place place = {SN_VEC3_ZERO, sn_quat_to_mat3(turn), SN_VEC3_ZERO, radius};
        sn_patch_cut quick[MOST] = {{{0}}}, slow[MOST] = {{{0}}};
        bool any = sn_wind_cut(wind, &place, patches.data, patches.count, size, quick);
        place.radius = 100.0;
        bool again = sn_wind_cut(wind, &place, patches.data, patches.count, size, slow);
        assert_int_equal(any, again);
        assert_memory_equal(quick, slow, sizeof quick);
        cut += any;
        whole += !any;
        sn_wind_destroy(wind);
    }
    assert_true(cut > 50 && whole > 50);
    sn_array_free(&patches);
}

// Even winds, air at rest and the law of faces want nothing.
static void test_none(void **state)
{
    (void)state;
    sn_shape plate = make_plate(0.2);
    sn_patches patches = {0};
    assert_int_equal(sn_patches_add(&patches, &plate, 1, 0.0, NULL), SN_OK);
    sn_wind_place place = {SN_VEC3_ZERO, SN_MAT3_IDENTITY, SN_VEC3_ZERO, 0.2};
    for (int i = 0; i < 5; ++i) {
        sn_wind_def def = sn_default_wind_def();
        def.kind = i == 0 ? SN_WIND_UNIFORM : i == 1 ? SN_WIND_NATURAL : SN_WIND_JET;
        def.speed = i == 2 ? 0.0 : 5.0;
        def.law = i == 3 ? SN_WIND_LAW_FACE : SN_WIND_LAW_AIR;
        def.radius = 0.005;
        def.position = sn_vec3_make(-0.2, 0.0, 0.0);
        sn_wind *wind = NULL;
        assert_int_equal(sn_wind_create(&def, &wind, NULL), SN_OK);
        sn_patch_cut cuts[MOST] = {{{0}}};
        assert_int_equal(sn_wind_cut(wind, &place, patches.data, patches.count, 0.03, cuts),
                         i == 4);
        sn_wind_destroy(wind);
    }
    sn_array_free(&patches);
}

// A plate across the whole of a narrow jet takes half its coefficient of the jet's momentum,
// wherever it is met; with two threads, the same bits.
static void test_momentum(void **state)
{
    (void)state;
    sn_air_def air = sn_default_air_def();
    double wanted = 0.5 * air.density * air.normal * 100.0 * SN_PI * 0.005 * 0.005;
    for (int i = 0; i < 12; ++i) {
        sn_vec3 velocity[2];
        for (int threads = 1; threads <= 2; ++threads) {
            sn_world_def def = sn_default_world_def();
            def.gravity = SN_VEC3_ZERO;
            def.threads = threads;
            sn_world *world = NULL;
            assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
            sn_shape plate = make_plate(0.5);
            sn_body_def body_def = sn_default_body_def();
            body_def.shapes = &plate;
            body_def.shape_count = 1;
            body_def.frame.rotation =
                sn_quat_from_axis_angle(sn_vec3_make(0.0, 1.0, 0.0), 0.5 * SN_PI);
            sn_wind_def jet = sn_default_wind_def();
            jet.kind = SN_WIND_JET;
            jet.speed = 10.0;
            jet.radius = 0.005;
            jet.position = sn_vec3_make(-0.25 - 0.02 * i, 0.003 * i, 0.005 * i);
            sn_body body;
            sn_field field;
            assert_int_equal(sn_world_add_body(world, &body_def, &body, NULL), SN_OK);
            assert_int_equal(sn_world_add_wind(world, &jet, &field, NULL), SN_OK);
            assert_int_equal(sn_world_step(world, 1e-6, NULL), SN_OK);
            velocity[threads - 1] = sn_body_velocity(world, body);
            double mass = 1000.0 * 0.5 * 0.3 * 0.001;
            assert_true(fabs(velocity[threads - 1].x * mass / 1e-6 / wanted - 1.0) < 0.02);
            sn_world_destroy(world);
        }
        assert_memory_equal(&velocity[0], &velocity[1], sizeof velocity[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_quick_look),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
