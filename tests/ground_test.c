// Grounds: planes, height fields and open meshes in worlds, and as exports draw them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/surface.h"
#include "sinew/geometry.h"
#include "sinew/world.h"

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.contact.method = SN_CONTACT_NONE;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_height_field *make_field(void)
{
    const double heights[] = {0.0, 0.1, 0.2, 0.1, 0.3, -0.4};
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, 3, 2, 4.0, 2.0, &field, NULL), SN_OK);
    return field;
}

static sn_status add(sn_world *world, sn_body_type type, const sn_shape *shape, sn_vec3 position,
                     sn_error *error)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = type;
    def.name = type == SN_BODY_STATIC ? NULL : "mover";
    def.shapes = shape;
    def.shape_count = 1;
    def.frame.position = position;
    return sn_world_add_body(world, &def, &body, error);
}

static void only_static_bodies_have_grounds(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_shape plane = sn_default_shape(), ground = plane;
    plane.type = SN_SHAPE_PLANE;
    ground.type = SN_SHAPE_HEIGHT_FIELD;
    ground.field = make_field();
    sn_error error = {0};
    assert_int_equal(add(world, SN_BODY_RIGID, &plane, SN_VEC3_ZERO, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(sn_error_message(&error),
                        "mover: shape is a plane; only static bodies can have one");
    assert_int_equal(add(world, SN_BODY_RIGID, &ground, SN_VEC3_ZERO, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(sn_error_message(&error),
                        "mover: shape is a height field; only static bodies can have one");
    // Masses given by hand do not help.
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.name = "mover";
    def.shapes = &plane;
    def.shape_count = 1;
    def.mass =
        (sn_mass_properties){.mass = 1.0, .inertia = sn_mat3_diagonal(sn_vec3_make(1.0, 1.0, 1.0))};
    assert_int_equal(sn_world_add_body(world, &def, &body, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(add(world, SN_BODY_STATIC, &plane, SN_VEC3_ZERO, &error), SN_OK);
    assert_int_equal(add(world, SN_BODY_STATIC, &ground, SN_VEC3_ZERO, &error), SN_OK);
    sn_shape_release(&ground); // the world has its own reference
    const sn_shape *kept = sn_body_shape(world, sn_world_body(world, 1), 0);
    assert_int_equal(sn_height_field_columns(kept->field), 3);
    sn_world_destroy(world);
}

// A plane is drawn twice as far as everything else reaches, at any scale; equal ones share a mesh.
static void planes_are_drawn_beyond_everything(void **state)
{
    (void)state;
    const double scales[] = {0.01, 1.0, 100.0};
    for (int i = 0; i < 3; ++i) {
        double s = scales[i];
        sn_world *world = make_world();
        sn_shape plane = sn_default_shape(), ball = plane;
        plane.type = SN_SHAPE_PLANE;
        ball.radius = s;
        assert_int_equal(add(world, SN_BODY_STATIC, &plane, SN_VEC3_ZERO, NULL), SN_OK);
        assert_int_equal(add(world, SN_BODY_STATIC, &plane, SN_VEC3_ZERO, NULL), SN_OK);
        assert_int_equal(add(world, SN_BODY_RIGID, &ball, sn_vec3_make(2.0 * s, 0.0, 0.0), NULL),
                         SN_OK);
        sn_surfaces surfaces;
        assert_int_equal(sn_surfaces_collect(world, &surfaces, NULL), SN_OK);
        assert_int_equal(surfaces.placements.count, 3);
        assert_int_equal(surfaces.meshes.count, 2);
        assert_int_equal(surfaces.placements.data[0].mesh, surfaces.placements.data[1].mesh);
        sn_aabb bounds = sn_mesh_bounds(surfaces.meshes.data[0].mesh);
        // The ball is within (3 s, s, s).
        assert_true(fabs(bounds.upper.x / s - 2.0 * sqrt(11.0)) < 1e-12);
        assert_true(bounds.upper.y == bounds.upper.x && bounds.upper.z == 0.0);
        sn_surfaces_free(&surfaces);
        sn_world_destroy(world);
    }
}

static void a_lonely_plane_is_drawn_too(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    assert_int_equal(add(world, SN_BODY_STATIC, &plane, SN_VEC3_ZERO, NULL), SN_OK);
    sn_surfaces surfaces;
    assert_int_equal(sn_surfaces_collect(world, &surfaces, NULL), SN_OK);
    assert_true(sn_mesh_area(surfaces.meshes.data[0].mesh) == 1.0);
    sn_surfaces_free(&surfaces);
    sn_world_destroy(world);
}

static void fields_and_roundings_are_drawn(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_shape ground = sn_default_shape(), sharp = ground, rounded;
    ground.type = SN_SHAPE_HEIGHT_FIELD;
    ground.field = make_field();
    sharp.type = SN_SHAPE_BOX;
    rounded = sharp;
    rounded.rounding = 0.2;
    assert_int_equal(add(world, SN_BODY_STATIC, &ground, SN_VEC3_ZERO, NULL), SN_OK);
    assert_int_equal(add(world, SN_BODY_STATIC, &sharp, SN_VEC3_ZERO, NULL), SN_OK);
    assert_int_equal(add(world, SN_BODY_STATIC, &rounded, SN_VEC3_ZERO, NULL), SN_OK);
    assert_int_equal(add(world, SN_BODY_STATIC, &ground, SN_VEC3_ZERO, NULL), SN_OK);
    for (int n = 0;; ++n) {
        sn_surfaces surfaces;
        sn_allocation_fail_after(n);
        sn_status status = sn_surfaces_collect(world, &surfaces, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(n > 5);
            assert_int_equal(surfaces.meshes.count, 3);
            assert_int_equal(sn_mesh_triangle_count(surfaces.meshes.data[0].mesh), 4);
            assert_int_equal(sn_mesh_triangle_count(surfaces.meshes.data[1].mesh), 12);
            assert_true(sn_mesh_triangle_count(surfaces.meshes.data[2].mesh) > 100);
            assert_int_equal(surfaces.placements.data[3].mesh, 0);
            sn_surfaces_free(&surfaces);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_shape_release(&ground);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_static_bodies_have_grounds),
        cmocka_unit_test(planes_are_drawn_beyond_everything),
        cmocka_unit_test(a_lonely_plane_is_drawn_too),
        cmocka_unit_test(fields_and_roundings_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
