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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_dumb_bell_in_any_frame),
        cmocka_unit_test(test_principal_axes_rebuild_the_tensor),
        cmocka_unit_test(test_shape_meshes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
