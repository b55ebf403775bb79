// Shapes: closed forms against numerical integration, compounds, principal axes, meshes for
// drawing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "math/elementary.h"
#include "sinew/geometry.h"

static sn_shape make(sn_shape_type type)
{
    sn_shape shape = sn_default_shape();
    shape.type = type;
    shape.radius = 0.7;
    shape.tube_radius = 0.3;
    shape.height = 1.9;
    shape.size = sn_vec3_make(0.4, 1.1, 2.3);
    shape.density = 2700.0;
    return shape;
}

// ---- primitives ----

// Inner and outer radius of the round shapes at height z.
static void section(const sn_shape *shape, double z, double *inner, double *outer)
{
    double r = shape->radius, h = 0.5 * shape->height, a = shape->tube_radius;
    *inner = 0.0;
    switch (shape->type) {
    case SN_SHAPE_SPHERE:
        *outer = sqrt(fmax(0.0, r * r - z * z));
        break;
    case SN_SHAPE_CYLINDER:
        *outer = r;
        break;
    case SN_SHAPE_CONE:
        *outer = r * (h - z) / (2.0 * h);
        break;
    case SN_SHAPE_CAPSULE: {
        double over = fmax(0.0, fabs(z) - h);
        *outer = sqrt(fmax(0.0, r * r - over * over));
        break;
    }
    default: {
        double half = sqrt(fmax(0.0, a * a - z * z));
        *inner = r - half;
        *outer = r + half;
    }
    }
}

// Discs stacked along z. With z = s(u) = 3/2 u - 1/2 u^3 on each smooth piece the square roots at
// the ends become smooth, and the midpoint rule converges fast enough for ten digits.
static sn_mass_properties integrate(const sn_shape *shape, const double *ends, int pieces)
{
    long double v = 0, vz = 0, vzz = 0, vrr = 0;
    const int n = 20000;
    for (int p = 0; p < pieces; ++p) {
        double middle = 0.5 * (ends[p] + ends[p + 1]), half = 0.5 * (ends[p + 1] - ends[p]);
        for (int i = 0; i < n; ++i) {
            double u = -1.0 + (2.0 * i + 1.0) / n;
            double z = middle + half * (1.5 * u - 0.5 * u * u * u);
            double dz = half * 1.5 * (1.0 - u * u) * 2.0 / n;
            double inner, outer;
            section(shape, z, &inner, &outer);
            double a2 = inner * inner, b2 = outer * outer;
            double area = SN_PI * (b2 - a2);
            v += area * dz;
            vz += area * z * dz;
            vzz += area * z * z * dz;
            vrr += 0.5 * SN_PI * (b2 * b2 - a2 * a2) * dz; // int r^2 dA
        }
    }
    long double centre = vz / v;
    double along = (double)(shape->density * vrr);
    double across = (double)(shape->density * (0.5L * vrr + vzz - v * centre * centre));
    sn_mass_properties mass = {.volume = (double)v, .mass = (double)(shape->density * v)};
    mass.centre.z = (double)centre;
    mass.inertia = sn_mat3_diagonal(sn_vec3_make(across, across, along));
    return mass;
}

static void assert_same_mass(const sn_mass_properties *a, const sn_mass_properties *b,
                             double tolerance)
{
    double size = cbrt(b->volume), inertia = b->mass * size * size;
    if (fabs(a->mass / b->mass - 1.0) > tolerance ||
        fabs(a->volume / b->volume - 1.0) > tolerance ||
        sn_distance(a->centre, b->centre) > tolerance * size) {
        fail_msg("mass %.15g and %.15g, centre z %.15g and %.15g", a->mass, b->mass, a->centre.z,
                 b->centre.z);
    }
    for (int i = 0; i < 9; ++i) {
        double x = a->inertia.m[i / 3][i % 3], y = b->inertia.m[i / 3][i % 3];
        if (fabs(x - y) > tolerance * inertia) {
            fail_msg("inertia [%d][%d] %.15g and %.15g", i / 3, i % 3, x, y);
        }
    }
}

static void test_closed_forms(void **state)
{
    (void)state;
    const struct {
        sn_shape_type type;
        double ends[4];
        int pieces;
    } cases[] = {
        {SN_SHAPE_SPHERE, {-0.7, 0.7}, 1}, {SN_SHAPE_CYLINDER, {-0.95, 0.95}, 1},
        {SN_SHAPE_CONE, {-0.95, 0.95}, 1}, {SN_SHAPE_CAPSULE, {-1.65, -0.95, 0.95, 1.65}, 3},
        {SN_SHAPE_TORUS, {-0.3, 0.3}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_shape shape = make(cases[i].type);
        sn_mass_properties mass, reference = integrate(&shape, cases[i].ends, cases[i].pieces);
        assert_int_equal(sn_shape_mass_properties(&shape, 1, &mass, NULL), SN_OK);
        assert_same_mass(&mass, &reference, 2e-8);
    }
}

// Textbook values to the last bits.
static void test_known_values(void **state)
{
    (void)state;
    sn_shape box = make(SN_SHAPE_BOX);
    sn_mass_properties mass, from_mesh;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_shape_mass_properties(&box, 1, &mass, NULL), SN_OK);
    assert_int_equal(sn_mesh_box(box.size, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_mass_properties(mesh, box.density, &from_mesh, NULL), SN_OK);
    assert_same_mass(&from_mesh, &mass, 1e-15);
    sn_mesh_release(mesh);

    sn_shape ball = sn_default_shape(); // a unit sphere of water
    assert_int_equal(sn_shape_mass_properties(&ball, 1, &mass, NULL), SN_OK);
    assert_true(fabs(mass.mass - 4188.790204786391) < 1e-11);
    assert_true(fabs(mass.inertia.m[0][0] - 0.4 * 4188.790204786391) < 1e-11);

    sn_shape capsule = make(SN_SHAPE_CAPSULE);
    sn_shape sphere = make(SN_SHAPE_SPHERE);
    sn_mass_properties other;
    capsule.height = 0.0;
    assert_int_equal(sn_shape_mass_properties(&capsule, 1, &mass, NULL), SN_OK);
    assert_int_equal(sn_shape_mass_properties(&sphere, 1, &other, NULL), SN_OK);
    assert_same_mass(&mass, &other, 4e-16);
}

// ---- compounds ----

// Two balls and a rod that touch, of different densities: closed form by parallel axes.
static void test_dumb_bell_in_any_frame(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    for (int i = 0; i < 100; ++i) {
        sn_quat q = sn_quat_normalize(
            (sn_quat){sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                      sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1)});
        sn_transform place = {{sn_random_range(&random, -5, 5), 1.0, -2.0}, q};
        sn_shape parts[3] = {make(SN_SHAPE_CYLINDER), make(SN_SHAPE_SPHERE), make(SN_SHAPE_SPHERE)};
        double rod_radius = 0.05, length = 2.0, ball_radius = 0.3, heavy = 7800.0;
        parts[0].radius = rod_radius;
        parts[0].height = length;
        for (int k = 1; k < 3; ++k) {
            parts[k].radius = ball_radius;
            parts[k].density = heavy;
            parts[k].frame.position.z = (k == 1 ? 1 : -1) * (0.5 * length + ball_radius);
        }
        for (int k = 0; k < 3; ++k) {
            parts[k].frame = sn_transform_multiply(place, parts[k].frame);
        }
        double rod = 2700.0 * SN_PI * rod_radius * rod_radius * length;
        double ball = heavy * 4.0 / 3.0 * SN_PI * pow(ball_radius, 3);
        double arm = 0.5 * length + ball_radius;
        double along = 0.5 * rod * rod_radius * rod_radius + 0.8 * ball * ball_radius * ball_radius;
        double across = rod * (3.0 * rod_radius * rod_radius + length * length) / 12.0 +
                        2.0 * ball * (0.4 * ball_radius * ball_radius + arm * arm);
        sn_mass_properties mass;
        assert_int_equal(sn_shape_mass_properties(parts, 3, &mass, NULL), SN_OK);
        assert_true(fabs(mass.mass / (rod + 2.0 * ball) - 1.0) < 1e-14);
        assert_true(sn_distance(mass.centre, place.position) < 1e-14 * 10);
        sn_vec3 moments;
        sn_quat rotation;
        sn_principal_axes(&mass.inertia, &moments, &rotation);
        assert_true(fabs(moments.x - along) < 1e-12 * across);
        assert_true(fabs(moments.y / across - 1.0) < 1e-13);
        assert_true(fabs(moments.z / across - 1.0) < 1e-13);
        // The axis of the smallest moment is the rod's, up to its sign.
        sn_vec3 axis = sn_rotate(rotation, sn_vec3_make(1, 0, 0));
        sn_vec3 rod_axis = sn_rotate(q, sn_vec3_make(0, 0, 1));
        assert_true(fabs(fabs(sn_dot(axis, rod_axis)) - 1.0) < 1e-13);
        assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_OK);
    }
}

static void test_principal_axes_rebuild_the_tensor(void **state)
{
    (void)state;
    sn_random random = {.seed = 10};
    for (int i = 0; i < 1000; ++i) {
        sn_quat q = sn_quat_normalize(
            (sn_quat){sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                      sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1)});
        double a = sn_random_range(&random, 1, 2),
               b = i % 3 == 0 ? a : sn_random_range(&random, 1, 2);
        sn_mat3 inertia = sn_tensor_to_world(q, sn_vec3_make(a, b, i % 7 == 0 ? a : 1.5));
        sn_vec3 moments;
        sn_quat rotation;
        sn_principal_axes(&inertia, &moments, &rotation);
        assert_true(moments.x <= moments.y && moments.y <= moments.z);
        sn_mat3 back = sn_tensor_to_world(rotation, moments);
        for (int k = 0; k < 9; ++k) {
            assert_true(fabs(back.m[k / 3][k % 3] - inertia.m[k / 3][k % 3]) < 4e-15);
        }
    }
}

// ---- meshes of shapes ----

static void test_shape_meshes(void **state)
{
    (void)state;
    for (int type = 0; type < SN_SHAPE_MESH; ++type) {
        sn_shape shape = make((sn_shape_type)type);
        sn_mass_properties exact, from_mesh = {0};
        assert_int_equal(sn_shape_mass_properties(&shape, 1, &exact, NULL), SN_OK);
        const double tolerances[] = {0.02, 0.002, 0.0002};
        for (int k = 0; k < 3; ++k) {
            double tolerance = tolerances[k];
            sn_mesh *mesh = NULL;
            sn_error error = {0};
            if (sn_shape_mesh(&shape, tolerance, &mesh, &error) != SN_OK ||
                sn_mesh_check(mesh, NULL, &error) != SN_OK ||
                sn_mesh_mass_properties(mesh, shape.density, &from_mesh, &error) != SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            // The space between is at most area times tolerance.
            double gap = exact.volume - from_mesh.volume;
            assert_true(gap >= -1e-14 && gap <= 1.1 * sn_mesh_area(mesh) * tolerance);
            assert_same_mass(&from_mesh, &exact, 12.0 * tolerance);
            sn_mesh_release(mesh);
        }
    }
    sn_shape shape = make(SN_SHAPE_MESH);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_box(shape.size, &shape.mesh, NULL), SN_OK);
    assert_int_equal(sn_shape_mesh(&shape, 0.0, &mesh, NULL), SN_OK);
    assert_ptr_equal(mesh, shape.mesh);
    sn_mesh_release(mesh);
    sn_mesh_release(shape.mesh);
}

// Rounded boxes from slightly rounded to capsules and balls: closed form against fine meshes, whose
// error falls with the square of the edge, so that two of them extrapolate to it.
static void test_rounded_boxes(void **state)
{
    (void)state;
    const struct {
        sn_vec3 size;
        double rounding;
    } cases[] = {
        {{0.4, 1.1, 2.3}, 0.01}, {{0.4, 1.1, 2.3}, 0.17}, {{2.0, 1.0, 0.5}, 0.25},
        {{0.5, 0.5, 3.0}, 0.25}, {{0.8, 0.8, 0.8}, 0.4},  {{0.3, 0.9, 0.6}, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_shape box = make(SN_SHAPE_BOX);
        box.size = cases[i].size;
        box.rounding = cases[i].rounding;
        sn_mass_properties exact, coarse = {0}, fine = {0};
        assert_int_equal(sn_shape_mass_properties(&box, 1, &exact, NULL), SN_OK);
        for (int k = 0; k < 2; ++k) {
            sn_mesh *mesh = NULL;
            sn_error error = {0};
            if (sn_mesh_rounded_box(box.size, box.rounding, k == 0 ? 128 : 256, &mesh, &error) !=
                    SN_OK ||
                sn_mesh_check(mesh, NULL, &error) != SN_OK ||
                sn_mesh_mass_properties(mesh, box.density, k == 0 ? &coarse : &fine, &error) !=
                    SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            sn_aabb bounds = sn_mesh_bounds(mesh);
            assert_true(sn_distance(sn_vec3_sub(bounds.upper, bounds.lower), box.size) < 1e-15);
            sn_mesh_release(mesh);
        }
        fine.mass += (fine.mass - coarse.mass) / 3.0;
        fine.volume += (fine.volume - coarse.volume) / 3.0;
        for (int k = 0; k < 9; ++k) {
            double *x = &fine.inertia.m[k / 3][k % 3];
            *x += (*x - coarse.inertia.m[k / 3][k % 3]) / 3.0;
        }
        assert_same_mass(&fine, &exact, 3e-7);
    }
}

// At the ends of its range a rounded box is a box, a capsule or a ball.
static void test_rounded_box_limits(void **state)
{
    (void)state;
    sn_mass_properties a, b;
    sn_shape box = make(SN_SHAPE_BOX), sharp = box, ball = make(SN_SHAPE_SPHERE),
             capsule = make(SN_SHAPE_CAPSULE);
    box.rounding = 1e-12;
    assert_int_equal(sn_shape_mass_properties(&box, 1, &a, NULL), SN_OK);
    assert_int_equal(sn_shape_mass_properties(&sharp, 1, &b, NULL), SN_OK);
    assert_same_mass(&a, &b, 1e-14);
    box.size = sn_vec3_make(1.4, 1.4, 1.4);
    box.rounding = 0.7;
    assert_int_equal(sn_shape_mass_properties(&box, 1, &a, NULL), SN_OK);
    assert_int_equal(sn_shape_mass_properties(&ball, 1, &b, NULL), SN_OK);
    assert_same_mass(&a, &b, 1e-15);
    box.size.z = 1.4 + capsule.height;
    assert_int_equal(sn_shape_mass_properties(&box, 1, &a, NULL), SN_OK);
    assert_int_equal(sn_shape_mass_properties(&capsule, 1, &b, NULL), SN_OK);
    assert_same_mass(&a, &b, 1e-14);
}

// A hull weighs what its mesh's convex hull does, also when the mesh is a cloud's few triangles.
static void test_hull_shape(void **state)
{
    (void)state;
    sn_shape box = make(SN_SHAPE_BOX), hull = make(SN_SHAPE_HULL);
    sn_mass_properties a, b;
    sn_vec3 points[9];
    for (int i = 0; i < 8; ++i) {
        points[i] = sn_vec3_multiply(
            box.size, sn_vec3_make(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
    }
    points[8] = sn_vec3_make(0.01, 0.02, -0.03); // inside
    const int triangles[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(sn_mesh_create(points, 9, triangles, 3, &hull.mesh, NULL), SN_OK);
    hull.rounding = 0.05;
    assert_int_equal(sn_shape_mass_properties(&hull, 1, &a, NULL), SN_OK);
    assert_int_equal(sn_shape_mass_properties(&box, 1, &b, NULL), SN_OK);
    assert_same_mass(&a, &b, 1e-14);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_shape_mesh(&hull, 0.0, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_vertex_count(mesh), 8);
    sn_mesh_release(mesh);
    for (int i = 0;; ++i) {
        sn_allocation_fail_after(i);
        sn_status status = sn_shape_mass_properties(&hull, 1, &a, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(i > 0);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_shape_release(&hull);
}

static void test_plane_patch(void **state)
{
    (void)state;
    sn_shape plane = make(SN_SHAPE_PLANE);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_shape_mesh(&plane, 0.0, &mesh, NULL), SN_OK);
    assert_true(fabs(sn_mesh_area(mesh) - plane.size.x * plane.size.y) < 1e-15);
    assert_true(sn_mesh_triangle_normal(mesh, 0).z == 1.0);
    assert_true(sn_mesh_triangle_normal(mesh, 1).z == 1.0);
    sn_mesh_release(mesh);
    plane.size.x = 0.0;
    assert_int_equal(sn_shape_mesh(&plane, 0.0, &mesh, NULL), SN_ERROR_ARGUMENT);
    assert_null(mesh);
}

// ---- refusals ----

static void check_refused(const sn_shape *shapes, int count, const char *place, const char *word)
{
    sn_mass_properties mass;
    sn_error error = {0};
    assert_int_not_equal(sn_shape_mass_properties(shapes, count, &mass, &error), SN_OK);
    if (strcmp(error.place, place) != 0 || strstr(error.text, word) == NULL) {
        fail_msg("%s", sn_error_message(&error));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    sn_shape shapes[2] = {sn_default_shape(), make(SN_SHAPE_TORUS)};
    shapes[1].tube_radius = 0.8;
    check_refused(shapes, 2, "shape 1", "tube radius is 0.8");
    shapes[1] = make(SN_SHAPE_BOX);
    shapes[1].size.y = 0.0;
    check_refused(shapes, 2, "shape 1", "size in y is 0");
    shapes[1] = make(SN_SHAPE_CYLINDER);
    shapes[1].height = -1.0;
    check_refused(shapes, 2, "shape 1", "height is -1");
    shapes[1] = make(SN_SHAPE_MESH);
    check_refused(shapes, 2, "shape 1", "without a mesh");
    shapes[0].radius = NAN;
    check_refused(shapes, 1, "shape", "radius is nan");
    shapes[0] = sn_default_shape();
    shapes[0].density = -1.0;
    check_refused(shapes, 1, "shape", "density is -1");
    shapes[0].density = 0.0;
    check_refused(shapes, 1, "", "weigh 0 kg");
    shapes[0] = sn_default_shape();
    shapes[0].frame.rotation.w = 2.0;
    check_refused(shapes, 1, "shape", "length 2");
    shapes[0].type = (sn_shape_type)99;
    check_refused(shapes, 1, "shape", "type 99");
    check_refused(shapes, 0, "", "0 shapes");
    sn_mass_properties mass;
    shapes[0] = sn_default_shape();
    sn_allocation_fail_after(0);
    sn_status status = sn_shape_mass_properties(shapes, 1, &mass, NULL);
    sn_allocation_fail_after(-1);
    assert_int_equal(status, SN_ERROR_MEMORY);
}

static void test_refusals_of_roundings_and_grounds(void **state)
{
    (void)state;
    sn_shape shape = make(SN_SHAPE_BOX);
    shape.rounding = 0.21;
    check_refused(&shape, 1, "shape", "at most half of the smallest edge, 0.4 m");
    shape.rounding = -0.1;
    check_refused(&shape, 1, "shape", "rounding is -0.1");
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_mesh_rounded_box(shape.size, 0.21, 16, &mesh, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "rounding 0.21 m of a box with an edge of 0.4 m"));
    shape = make(SN_SHAPE_HULL);
    check_refused(&shape, 1, "shape", "a hull shape without a mesh");
    shape = make(SN_SHAPE_PLANE);
    check_refused(&shape, 1, "shape", "a plane has no mass");
    shape = make(SN_SHAPE_HEIGHT_FIELD);
    check_refused(&shape, 1, "shape", "without a field");
    assert_true(sn_shape_is_ground(&shape));
    shape = make(SN_SHAPE_BOX);
    assert_false(sn_shape_is_ground(&shape));
}

static void test_refusals_of_surfaces(void **state)
{
    (void)state;
    sn_shape shape = make(SN_SHAPE_BOX);
    shape.surface.friction = -0.1;
    check_refused(&shape, 1, "shape", "friction is -0.1; a finite number not below 0");
    shape = make(SN_SHAPE_BOX);
    shape.surface.restitution = 1.5;
    check_refused(&shape, 1, "shape", "restitution is 1.5; a number from 0 to 1");
    shape.surface.restitution = NAN;
    check_refused(&shape, 1, "shape", "restitution is nan");
    shape = make(SN_SHAPE_BOX);
    shape.surface.rolling_friction = INFINITY;
    check_refused(&shape, 1, "shape", "rolling friction is inf m");
    shape = make(SN_SHAPE_BOX);
    shape.surface.spinning_friction = -1.0;
    check_refused(&shape, 1, "shape", "spinning friction is -1 m");
    shape = make(SN_SHAPE_BOX);
    shape.surface.velocity.y = NAN;
    check_refused(&shape, 1, "shape", "velocity of the surface is (0, nan, 0)");
    shape = make(SN_SHAPE_BOX);
    shape.surface.restitution = 1.0;
    shape.surface.friction = 0.0;
    assert_int_equal(sn_shape_check(&shape, NULL, NULL), SN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_dumb_bell_in_any_frame),
        cmocka_unit_test(test_principal_axes_rebuild_the_tensor),
        cmocka_unit_test(test_shape_meshes),
        cmocka_unit_test(test_rounded_boxes),
        cmocka_unit_test(test_rounded_box_limits),
        cmocka_unit_test(test_hull_shape),
        cmocka_unit_test(test_plane_patch),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_of_roundings_and_grounds),
        cmocka_unit_test(test_refusals_of_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
