// What bodies hide of each other from winds: closed forms of shadows, the depth buffer against rays
// over random scenes and the shipped mobiles, forces in half shade, and states that go on to the
// bit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "jointed_world.h"
#include "random_shape.h"
#include "sinew/scene.h"
#include "sinew/wind.h"
#include "windy_world.h"

static sn_body add_body(sn_world *world, const sn_shape *shape, sn_vec3 at, sn_body_type type)
{
    sn_body_def def = sn_default_body_def();
    def.type = type;
    def.shapes = shape;
    def.shape_count = 1;
    def.frame.position = at;
    return add_defined(world, &def);
}

// Its axis along x.
static sn_shape make_disc(double radius, double thickness)
{
    sn_shape disc = sn_default_shape();
    disc.type = SN_SHAPE_CYLINDER;
    disc.radius = radius;
    disc.height = thickness;
    disc.density = 1000.0;
    disc.frame.rotation = sn_quat_between(sn_vec3_make(0, 0, 1), sn_vec3_make(1, 0, 0));
    return disc;
}

static sn_world *make_airy_world(double patch)
{
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_air_def air = sn_default_air_def();
    air.patch = patch;
    assert_int_equal(sn_world_set_air(world, &air, NULL), SN_OK);
    return world;
}

// ---- shadows of discs ----

// A disc of radius r at x = near before one of radius R at x = far, moved aside; scales alike. The
// shadow is a disc, too: from a vertex at x = -length it is wider by similar triangles.
static void check_shadow(sn_wind_kind kind, sn_wind_occlusion occlusion, double scale)
{
    const double r = 0.1, large = 0.3, near = 0.7, far = 1.4;
    sn_world *world = make_airy_world(0.03 * scale);
    sn_shape small_disc = make_disc(r * scale, 1e-3 * scale);
    sn_shape large_disc = make_disc(large * scale, 1e-3 * scale);
    add_body(world, &small_disc, sn_vec3_make(near * scale, 0.01 * scale, 0.0), SN_BODY_STATIC);
    sn_body body = add_body(world, &large_disc, sn_vec3_make(far * scale, 0.0, 0.0), SN_BODY_RIGID);
    sn_wind_def wind = sn_default_wind_def();
    wind.kind = kind;
    wind.speed = 1e-6;
    wind.radius = (kind == SN_WIND_CONE ? 0.25 : 0.05) * scale;
    wind.length = 0.4 * scale;
    wind.occlusion = occlusion;
    sn_field field = add_wind(world, &wind);
    advance(world, 1e-6, 1);
    double whole, lit = sn_world_lit_area(world, field, body, &whole);
    double behind = kind == SN_WIND_CONE ? 0.4 : kind == SN_WIND_JET ? 0.05 * sqrt(8.0) : INFINITY;
    double shadow = isfinite(behind) ? r * (far + behind) / (near + behind) : r;
    double area = SN_PI * large * large * scale * scale;
    assert_near(lit, area - SN_PI * shadow * shadow * scale * scale, 0.01 * area);
    assert_true(whole > 0.99 * area);
    sn_world_destroy(world);
}

static void test_shadow_of_a_disc(void **state)
{
    (void)state;
    const sn_wind_kind kinds[] = {SN_WIND_CONE, SN_WIND_JET, SN_WIND_FAN, SN_WIND_UNIFORM};
    for (int i = 0; i < 4; ++i) {
        if (kinds[i] == SN_WIND_FAN) {
            continue;
        }
        check_shadow(kinds[i], SN_WIND_OCCLUSION_DEPTH, 1.0);
        check_shadow(kinds[i], SN_WIND_OCCLUSION_RAYS, 1.0);
    }
    check_shadow(SN_WIND_CONE, SN_WIND_OCCLUSION_DEPTH, 1e-3);
    check_shadow(SN_WIND_CONE, SN_WIND_OCCLUSION_RAYS, 1e-3);
    check_shadow(SN_WIND_CONE, SN_WIND_OCCLUSION_DEPTH, 1e3);
}

// The force of the face's law is that on the lit part; without occlusion, that on all of it.
static void test_force_in_the_shade(void **state)
{
    (void)state;
    double speeds[3];
    for (int k = 0; k < 3; ++k) {
        sn_world *world = make_airy_world(0.02);
        sn_shape screen = sn_default_shape(), plate = sn_default_shape();
        screen.type = plate.type = SN_SHAPE_BOX;
        screen.size = sn_vec3_make(0.01, 2.0, 2.0);
        plate.size = sn_vec3_make(0.001, 0.4, 0.4);
        // hides all with y > 0.1
        add_body(world, &screen, sn_vec3_make(-1.0, 1.1, 0.0), SN_BODY_STATIC);
        sn_body body = add_body(world, &plate, SN_VEC3_ZERO, SN_BODY_RIGID);
        sn_wind_def wind = sn_default_wind_def();
        wind.speed = 3.0;
        wind.law = k == 2 ? SN_WIND_LAW_AIR : SN_WIND_LAW_FACE;
        wind.occlusion = k == 0 ? SN_WIND_OCCLUSION_NONE : SN_WIND_OCCLUSION_DEPTH;
        wind.occlusion_pixels = 400;
        add_wind(world, &wind);
        advance(world, 1e-6, 1);
        speeds[k] = sn_body_velocity(world, body).x;
        sn_world_destroy(world);
    }
    double mass = 0.4 * 0.4 * 0.001 * 1000.0;
    assert_near(speeds[0], 1.2 * 0.16 * 9.0 * 1e-6 / mass, 1e-15);
    assert_near(speeds[1] / speeds[0], 0.75, 0.01);
    assert_near(speeds[2] / speeds[0], 0.5 * 1.17 * 0.75, 0.01);
}

// Turned away, a face with one side is hidden; so is a body that stands before the source. Sensors
// and planes hide nothing.
static void test_what_hides(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        sn_world *world = make_airy_world(0.0);
        sn_shape box = sn_default_shape();
        box.type = SN_SHAPE_BOX;
        box.size = sn_vec3_make(0.2, 0.2, 0.2);
        sn_body body = add_body(world, &box, sn_vec3_make(1.0, 0.0, 0.0), SN_BODY_RIGID);
        sn_shape sensor = box, plane = sn_default_shape(), pane = box;
        sensor.surface.sensor = true;
        sensor.size = sn_vec3_make(0.01, 1.0, 1.0);
        add_body(world, &sensor, sn_vec3_make(0.5, 0.0, 0.0), SN_BODY_STATIC);
        plane.type = SN_SHAPE_PLANE;
        add_body(world, &plane, sn_vec3_make(0.0, 0.0, 5.0), SN_BODY_STATIC); // all is under it
        pane.size = sensor.size;
        add_body(world, &pane, sn_vec3_make(-0.01, 0.0, 0.0), SN_BODY_STATIC); // behind the disc
        sn_wind_def wind = sn_default_wind_def();
        wind.kind = SN_WIND_CONE;
        wind.radius = 0.3;
        wind.occlusion = k == 0 ? SN_WIND_OCCLUSION_DEPTH : SN_WIND_OCCLUSION_RAYS;
        sn_field field = add_wind(world, &wind);
        advance(world, 1e-6, 1);
        double whole, lit = sn_world_lit_area(world, field, body, &whole);
        assert_near(whole, 6.0 * 0.04, 1e-9);
        assert_near(lit, 0.04, 1e-9); // one of six sides: seen from nearby the others face away
        sn_world_destroy(world);
    }
}

// ---- depth against rays ----

typedef struct difference {
    double depth, rays, whole, apart; // areas lit; of all; where both differ
} difference;

static difference compare(const sn_world *world, sn_field depth, sn_field rays)
{
    difference d = {0};
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        double whole, first = sn_world_lit_area(world, depth, body, &whole);
        double second = sn_world_lit_area(world, rays, body, &whole);
        d.depth += first;
        d.rays += second;
        d.whole += whole;
        d.apart += fabs(first - second);
    }
    return d;
}

static difference add_and_compare(sn_world *world, sn_wind_def wind)
{
    wind.speed = 1e-9;
    wind.occlusion = SN_WIND_OCCLUSION_DEPTH;
    sn_field depth = add_wind(world, &wind);
    wind.occlusion = SN_WIND_OCCLUSION_RAYS;
    sn_field rays = add_wind(world, &wind);
    advance(world, 1e-9, 1);
    difference d = compare(world, depth, rays);
    assert_int_equal(sn_world_remove_field(world, depth, NULL), SN_OK);
    assert_int_equal(sn_world_remove_field(world, rays, NULL), SN_OK);
    return d;
}

static void test_random_scenes(void **state)
{
    (void)state;
    double most = 0.0, hidden = 0.0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        sn_random random = {.seed = seed};
        double scale = seed % 3 == 0 ? 1e-2 : seed % 3 == 1 ? 1.0 : 50.0;
        sn_world *world = make_airy_world(0.0);
        for (int i = 0; i < 12; ++i) {
            sn_shape shape = sn_default_shape();
            double size = scale * sn_random_range(&random, 0.1, 0.5);
            const sn_shape_type types[] = {SN_SHAPE_SPHERE,  SN_SHAPE_BOX,   SN_SHAPE_CYLINDER,
                                           SN_SHAPE_CAPSULE, SN_SHAPE_TORUS, SN_SHAPE_CONE};
            shape.type = types[i % 6];
            shape.radius = size * sn_random_range(&random, 0.1, 1.0);
            shape.height = size * sn_random_range(&random, 0.02, 3.0);
            shape.tube_radius = 0.3 * shape.radius;
            shape.size = sn_vec3_make(size, 2.0 * size, size * sn_random_range(&random, 0.01, 1.0));
            shape.frame.rotation = random_turn(&random);
            sn_vec3 at = random_vec3(&random, scale);
            add_body(world, &shape, at, i % 4 == 3 ? SN_BODY_STATIC : SN_BODY_RIGID);
        }
        sn_wind_def wind = sn_default_wind_def();
        wind.kind = seed % 4 == 3 ? SN_WIND_UNIFORM : seed % 4 == 2 ? SN_WIND_JET : SN_WIND_CONE;
        wind.direction = random_direction(&random);
        wind.position = sn_vec3_scale(-3.0 * scale, wind.direction);
        wind.radius = (wind.kind == SN_WIND_JET ? 0.1 : 0.5) * scale;
        wind.length = scale;
        difference d = add_and_compare(world, wind);
        most = fmax(most, fabs(d.depth - d.rays) / d.whole);
        hidden += 1.0 - d.rays / d.whole;
        if (!(fabs(d.depth - d.rays) < 0.01 * d.whole) || !(d.apart < 0.03 * d.whole)) {
            fail_msg("seed %d: lit %g by depth and %g by rays of %g, apart %g", (int)seed, d.depth,
                     d.rays, d.whole, d.apart);
        }
        sn_world_destroy(world);
    }
    assert_true(hidden / 20.0 > 0.4);
    print_message("depth and rays differ by %.2g of the area at most\n", most);
}

static void test_shipped_mobiles(void **state)
{
    (void)state;
    static const char *const names[] = {"steel-fish",  "southern-cross", "autumn",
                                        "moon-garden", "first-mobile",   "flurry"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[64];
        snprintf(path, sizeof path, "scenes/%s.json", names[i]);
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        sn_error_list errors = {0};
        sn_error error = {0};
        assert_int_equal(sn_scene_load_file(path, NULL, &scene, &errors), SN_OK);
        if (sn_scene_build(scene, &world, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        sn_camera camera = sn_scene_camera(scene);
        double apart = 0.0;
        int views = strcmp(names[i], "flurry") == 0 ? 1 : 8;
        for (int k = 0; k < views; ++k) {
            sn_vec3 way = sn_vec3_sub(camera.target, camera.position);
            // Not along a leaf's edge: there the two tell differently of what is in its plane.
            sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 0.7329 * k);
            sn_wind_def wind = sn_default_wind_def();
            wind.kind = k % 3 == 2 ? SN_WIND_JET : SN_WIND_CONE;
            wind.direction = sn_rotate(turn, way);
            wind.position = sn_vec3_sub(camera.target, wind.direction);
            wind.length = 0.2 * sn_length(way);
            wind.radius = 0.4 * wind.length;
            difference d = add_and_compare(world, wind);
            apart += fabs(d.depth - d.rays) / (views * d.whole);
            if (!(fabs(d.depth - d.rays) < 0.025 * d.whole) || !(d.rays > 0.05 * d.whole)) {
                fail_msg("%s: lit %g by depth and %g by rays of %g, apart %g", names[i], d.depth,
                         d.rays, d.whole, d.apart);
            }
        }
        assert_true(apart < 0.008);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
    }
}

// ---- running ----

static sn_world *make_flock(int threads, sn_wind_occlusion occlusion)
{
    sn_random random = {.seed = 5};
    sn_world *world = make_airy_world(0.0);
    assert_int_equal(sn_world_set_threads(world, threads, NULL), SN_OK);
    for (int i = 0; i < 20; ++i) {
        sn_shape box = sn_default_shape();
        box.type = SN_SHAPE_BOX;
        box.size = sn_vec3_make(0.01, 0.2, 0.2);
        add_body(world, &box, random_vec3(&random, 0.5), SN_BODY_RIGID);
    }
    sn_wind_def wind = sn_default_wind_def();
    wind.kind = SN_WIND_CONE;
    wind.position = sn_vec3_make(-2.0, 0.0, 0.0);
    wind.speed = 20.0;
    wind.radius = 0.2;
    wind.length = 0.6;
    wind.occlusion = occlusion;
    wind.name = "wind";
    add_wind(world, &wind);
    return world;
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        sn_wind_occlusion occlusion = k == 0 ? SN_WIND_OCCLUSION_DEPTH : SN_WIND_OCCLUSION_RAYS;
        uint64_t first = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            sn_world *world = make_flock(threads, occlusion);
            advance(world, 1.0 / 240.0, 50);
            first = threads == 1 ? sn_world_hash(world) : first;
            assert_true(sn_world_hash(world) == first);
            sn_world_destroy(world);
        }
    }
}

// Between two pictures: a copy, and a state loaded with what is remembered, go on to the bit.
static void test_states_go_on(void **state)
{
    (void)state;
    sn_world *world = make_flock(1, SN_WIND_OCCLUSION_DEPTH), *copy = NULL;
    sn_world *other = make_flock(1, SN_WIND_OCCLUSION_DEPTH);
    advance(world, 1.0 / 240.0, 30);
    size_t size = sn_world_state_size(world), memory = sn_world_contact_memory_size(world);
    unsigned char *bytes = malloc(size + memory);
    assert_non_null(bytes);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_save_contact_memory(world, bytes + size, memory, NULL), SN_OK);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_world_load_state(other, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_load_contact_memory(other, bytes + size, memory, NULL), SN_OK);
    advance(world, 1.0 / 240.0, 30);
    advance(copy, 1.0 / 240.0, 30);
    advance(other, 1.0 / 240.0, 30);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    assert_true(sn_world_hash(world) == sn_world_hash(other));
    // the same once more into a world that has run
    assert_int_equal(sn_world_load_state(copy, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_load_contact_memory(copy, bytes + size, memory, NULL), SN_OK);
    advance(copy, 1.0 / 240.0, 30);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    bytes[size + memory - 1] = 77; // not a number of points
    assert_int_equal(sn_world_load_contact_memory(copy, bytes + size, memory, NULL),
                     SN_ERROR_FORMAT);
    free(bytes);
    sn_world_destroy(world);
    sn_world_destroy(copy);
    sn_world_destroy(other);
}

// A picture is held for a twentieth of a second of the world's time, and not when the wind is aimed
// anew.
static void test_clock(void **state)
{
    (void)state;
    sn_world *world = make_airy_world(0.0);
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(0.01, 0.2, 0.2);
    sn_body front = add_body(world, &box, sn_vec3_make(1.0, 0.0, 0.0), SN_BODY_RIGID);
    sn_body back = add_body(world, &box, sn_vec3_make(1.5, 0.0, 0.0), SN_BODY_RIGID);
    sn_wind_def wind = sn_default_wind_def();
    wind.speed = 1e-9;
    wind.occlusion = SN_WIND_OCCLUSION_DEPTH;
    sn_field field = add_wind(world, &wind);
    assert_int_equal(
        sn_body_set_velocity(world, front, sn_vec3_make(0.0, 60.0, 0.0), SN_VEC3_ZERO, NULL),
        SN_OK);
    double whole;
    advance(world, 1.0 / 240.0, 12); // each starts within the first twentieth
    assert_true(sn_world_lit_area(world, field, back, &whole) < 0.01 * whole);
    advance(world, 1.0 / 240.0, 1);
    assert_true(sn_world_lit_area(world, field, back, &whole) > 0.039);
    // from the side, nothing is before it
    wind.direction = sn_vec3_make(0.0, 0.0, 1.0);
    assert_int_equal(sn_world_set_wind(world, field, &wind, NULL), SN_OK);
    advance(world, 1.0 / 240.0, 1);
    assert_true(sn_world_lit_area(world, field, back, &whole) < 0.01);
    assert_true(whole > 0.039);
    sn_world_destroy(world);
}

static void test_no_allocation(void **state)
{
    (void)state;
    sn_world *world = make_flock(1, SN_WIND_OCCLUSION_DEPTH);
    advance(world, 1.0 / 240.0, 20);
    uint64_t before = sn_allocation_count();
    advance(world, 1.0 / 240.0, 200);
    assert_int_equal(sn_allocation_count(), before);
    sn_world_destroy(world);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_error error = {0};
    for (int after = 0;; after += after < 40 ? 1 : 7) {
        sn_world *world = make_flock(1, SN_WIND_OCCLUSION_DEPTH);
        sn_allocation_fail_after(after);
        sn_status status = sn_world_step(world, 1e-3, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_world_destroy(world);
            assert_true(after > 10);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        advance(world, 1e-3, 1);
        sn_world_destroy(world);
    }
}

static void test_bad_settings(void **state)
{
    (void)state;
    sn_world *world = make_airy_world(0.0);
    sn_field field;
    sn_wind_def wind = sn_default_wind_def();
    wind.occlusion_pixels = 7;
    assert_int_equal(sn_world_add_wind(world, &wind, &field, NULL), SN_ERROR_ARGUMENT);
    wind = sn_default_wind_def();
    wind.occlusion_period = -1.0;
    assert_int_equal(sn_world_add_wind(world, &wind, &field, NULL), SN_ERROR_ARGUMENT);
    wind = sn_default_wind_def();
    wind.occlusion = (sn_wind_occlusion)9;
    assert_int_equal(sn_world_add_wind(world, &wind, &field, NULL), SN_ERROR_ARGUMENT);
    // an empty world has nothing to hide
    wind = sn_default_wind_def();
    wind.occlusion = SN_WIND_OCCLUSION_DEPTH;
    add_wind(world, &wind);
    advance(world, 1e-3, 2);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shadow_of_a_disc), cmocka_unit_test(test_force_in_the_shade),
        cmocka_unit_test(test_what_hides),       cmocka_unit_test(test_random_scenes),
        cmocka_unit_test(test_shipped_mobiles),  cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_states_go_on),     cmocka_unit_test(test_clock),
        cmocka_unit_test(test_no_allocation),    cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
