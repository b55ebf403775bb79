// Bodies of many small facets come to rest on every kind of ground: rings and bowls that land on
// one side and slap down on the other, whose lowest corners have higher ones all around.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sanitized.h"
#include "sinew/sinew.h"

enum { GROUNDS = 4, BODIES = 4 };

static void good(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(error));
        fail();
    }
}

// Level ground at z = 0: a plane, a box, heights, and the same heights as an open mesh.
static sn_shape make_ground(int kind, double size)
{
    enum { SIDE = 9 };
    const double heights[SIDE * SIDE] = {0.0};
    sn_shape shape = sn_default_shape();
    sn_error error = {0};
    sn_height_field *field = NULL;
    double edge = 12.0 * size;
    good(sn_height_field_create(heights, SIDE, SIDE, edge, edge, &field, &error), &error);
    if (kind == 0) {
        shape.type = SN_SHAPE_PLANE;
    } else if (kind == 1) {
        shape.type = SN_SHAPE_BOX;
        shape.size = sn_vec3_make(edge, edge, size);
        shape.frame.position.z = -0.5 * size;
    } else if (kind == 2) {
        shape.type = SN_SHAPE_HEIGHT_FIELD;
        shape.field = sn_height_field_retain(field);
    } else {
        shape.type = SN_SHAPE_MESH;
        good(sn_height_field_mesh(field, &shape.mesh, &error), &error);
    }
    sn_height_field_release(field);
    return shape;
}

// A ring, a bowl with a rounded foot, an angle, and a drum with a small chamfer; and how high their
// origins are when they lie on the ground.
static sn_shape make_body(int kind, double size, double *rest)
{
    static const sn_vec2 bowl[] = {{0.0, 0.0},    {0.1, 0.0},   {0.11, 0.001},
                                   {0.12, 0.004}, {0.13, 0.01}, {0.14, 0.1},
                                   {0.13, 0.1},   {0.12, 0.02}, {0.0, 0.01}};
    static const sn_vec2 angle[] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 0.4},
                                    {0.4, 0.4}, {0.4, 1.0}, {0.0, 1.0}};
    sn_shape shape = sn_default_shape();
    sn_error error = {0};
    *rest = 0.0;
    if (kind == 0) {
        shape.type = SN_SHAPE_TORUS;
        shape.radius = 0.35 * size;
        shape.tube_radius = *rest = 0.125 * size;
    } else if (kind == 1) {
        sn_vec2 profile[9];
        for (int i = 0; i < 9; ++i) {
            profile[i] = (sn_vec2){3.5 * size * bowl[i].x, 3.5 * size * bowl[i].y};
        }
        shape.type = SN_SHAPE_MESH;
        good(sn_mesh_revolution(profile, 9, 48, &shape.mesh, &error), &error);
    } else if (kind == 2) {
        sn_vec2 corners[6];
        int count = 6;
        sn_outline outline = {corners, &count, 1};
        for (int i = 0; i < 6; ++i) {
            corners[i] = (sn_vec2){size * angle[i].x, size * angle[i].y};
        }
        shape.type = SN_SHAPE_MESH;
        good(sn_mesh_extrusion(&outline, 0.3 * size, &shape.mesh, &error), &error);
    } else {
        sn_vec3 points[48];
        for (int i = 0; i < 48; ++i) {
            double turn = 2.0 * SN_PI * (i / 3) / 16.0, r = size * (i % 3 == 0 ? 0.5 : 0.525);
            double z = size * (i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.0025 : 0.5);
            points[i] = sn_vec3_make(r * cos(turn), r * sin(turn), z);
        }
        shape.type = SN_SHAPE_HULL;
        good(sn_mesh_convex_hull(points, 48, &shape.mesh, &error), &error);
    }
    return shape;
}

static void comes_to_rest(int ground_kind, int body_kind, double size)
{
    sn_world_def world_def = sn_default_world_def();
    sn_world *world = NULL;
    sn_error error = {0};
    good(sn_world_create(&world_def, &world, &error), &error);
    double rest = 0.0;
    sn_shape shapes[2] = {make_ground(ground_kind, size), make_body(body_kind, size, &rest)};
    sn_body bodies[2];
    for (int i = 0; i < 2; ++i) {
        sn_body_def def = sn_default_body_def();
        def.type = i == 0 ? SN_BODY_STATIC : SN_BODY_RIGID;
        def.shapes = &shapes[i];
        def.shape_count = 1;
        if (i == 1) {
            def.frame.position = sn_vec3_make(0.3 * size, 0.2 * size, 0.7 * size);
            def.frame.rotation = sn_quat_normalize((sn_quat){1.0, 0.17, 0.09, 0.0});
        }
        good(sn_world_add_body(world, &def, &bodies[i], &error), &error);
        sn_shape_release(&shapes[i]);
    }
    double time = 4.0 * sqrt(size), step = time / 960.0;
    for (int i = 0; i < rounds_of(960, 240); ++i) {
        good(sn_world_step(world, step, &error), &error);
    }
    double high = sn_body_transform(world, bodies[1]).position.z;
    if (is_sanitized()) { // it lies there, if not yet at rest
        assert_true(fabs(high - rest) < 0.3 * size);
    } else {
        assert_true(fabs(high - rest) < 1e-4 * size);
        assert_true(sn_length(sn_body_velocity(world, bodies[1])) < 1e-6 * size / time);
    }
    sn_world_destroy(world);
}

static void test_facets_come_to_rest(void **state)
{
    (void)state;
    for (int ground = 0; ground < GROUNDS; ++ground) {
        for (int body = 0; body < BODIES; ++body) {
            comes_to_rest(ground, body, body % 2 == 0 ? 0.1 : 1.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facets_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
