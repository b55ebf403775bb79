// Mass properties: polyhedra against an independent sum in extended precision, solids against
// closed forms, bad meshes refused with the place.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "random_vector.h"
#include "sinew/geometry.h"

// ---- the oracle ----

// Signed tetrahedra from a reference point, each integrated by the four-point rule that is exact
// for quadratic polynomials (Hammer and Stroud 1956), in extended precision throughout.
typedef struct oracle {
    long double volume, first[3], second[3][3];
} oracle;

static void add_tetrahedron(oracle *o, long double corner[4][3])
{
    long double e[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[i][k] = corner[i + 1][k] - corner[0][k];
        }
    }
    long double volume = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                          e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                         6.0L;
    const long double far = (5.0L + 3.0L * sqrtl(5.0L)) / 20.0L;
    const long double near = (5.0L - sqrtl(5.0L)) / 20.0L;
    o->volume += volume;
    for (int q = 0; q < 4; ++q) {
        long double p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = 0.0L;
            for (int i = 0; i < 4; ++i) {
                p[k] += (i == q ? far : near) * corner[i][k];
            }
        }
        for (int k = 0; k < 3; ++k) {
            o->first[k] += 0.25L * volume * p[k];
            for (int l = 0; l < 3; ++l) {
                o->second[k][l] += 0.25L * volume * p[k] * p[l];
            }
        }
    }
}

// Relative to `reference`, which any point may be: its own error is far below double precision.
static oracle integrate(const sn_mesh *mesh, sn_vec3 reference)
{
    oracle o;
    memset(&o, 0, sizeof o);
    const sn_vec3 *positions = sn_mesh_positions(mesh);
    const int *triangles = sn_mesh_triangles(mesh);
    for (int t = 0; t < sn_mesh_triangle_count(mesh); ++t) {
        long double corner[4][3] = {{0.0L, 0.0L, 0.0L}};
        for (int k = 0; k < 3; ++k) {
            sn_vec3 p = positions[triangles[3 * t + k]];
            corner[k + 1][0] = (long double)p.x - reference.x;
            corner[k + 1][1] = (long double)p.y - reference.y;
            corner[k + 1][2] = (long double)p.z - reference.z;
        }
        add_tetrahedron(&o, corner);
    }
    return o;
}

// Largest error of volume, centre and inertia relative to volume, size and largest moment.
static double compare(const sn_mesh *mesh, double density, const sn_mass_properties *mass)
{
    sn_aabb bounds = sn_mesh_bounds(mesh);
    double size = sn_distance(bounds.lower, bounds.upper);
    oracle o = integrate(mesh, bounds.lower);
    const double base[3] = {bounds.lower.x, bounds.lower.y, bounds.lower.z};
    const double centre[3] = {mass->centre.x, mass->centre.y, mass->centre.z};
    double worst = (double)fabsl((mass->volume - o.volume) / o.volume);
    worst = fmax(worst, fabs(mass->mass / (density * mass->volume) - 1.0));
    long double c[3], second[3][3], trace = 0.0L;
    for (int k = 0; k < 3; ++k) {
        c[k] = o.first[k] / o.volume;
        worst = fmax(worst, (double)fabsl(centre[k] - base[k] - c[k]) / size);
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            second[k][l] = o.second[k][l] - o.volume * c[k] * c[l];
        }
        trace += second[k][k];
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            long double exact = density * ((k == l ? trace : 0.0L) - second[k][l]);
            long double error = fabsl(mass->inertia.m[k][l] - exact) / (density * trace);
            worst = fmax(worst, (double)error);
        }
    }
    return worst;
}

// ---- random bodies ----

// One coordinate after the other, so that every compiler draws them in the same order.
static sn_quat any_rotation(sn_random *random)
{
    sn_quat q;
    double norm2;
    do {
        q.w = sn_random_range(random, -1.0, 1.0);
        q.x = sn_random_range(random, -1.0, 1.0);
        q.y = sn_random_range(random, -1.0, 1.0);
        q.z = sn_random_range(random, -1.0, 1.0);
        norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    } while (norm2 > 1.0 || norm2 < 0.01);
    return sn_quat_normalize(q);
}

// A ball or a ring with every corner moved along its own direction: dents and spikes, no crossings.
static sn_mesh *random_solid(sn_random *random)
{
    sn_mesh *smooth = NULL, *rough = NULL;
    int segments = 3 + sn_random_below(random, 10);
    bool ring = sn_random_below(random, 3) == 0;
    if (ring) {
        assert_int_equal(sn_mesh_torus(1.0, 0.4, segments, &smooth, NULL), SN_OK);
    } else {
        assert_int_equal(sn_mesh_sphere(1.0, segments, &smooth, NULL), SN_OK);
    }
    sn_vec3 positions[400];
    int count = sn_mesh_vertex_count(smooth);
    assert_true(count <= 400);
    for (int i = 0; i < count; ++i) {
        sn_vec3 p = sn_mesh_positions(smooth)[i];
        double flat = sqrt(p.x * p.x + p.y * p.y);
        sn_vec3 middle = ring ? sn_vec3_make(p.x / flat, p.y / flat, 0.0) : SN_VEC3_ZERO;
        double factor = sn_random_range(random, 0.35, 1.0);
        positions[i] = sn_vec3_add_scaled(middle, factor, sn_vec3_sub(p, middle));
    }
    assert_int_equal(sn_mesh_create(positions, count, sn_mesh_triangles(smooth),
                                    sn_mesh_triangle_count(smooth), &rough, NULL),
                     SN_OK);
    sn_mesh_release(smooth);
    return rough;
}

// The same mesh shrunk and turned inside out: the wall of a hollow.
static sn_mesh *turned_inward(const sn_mesh *mesh, double factor)
{
    sn_mesh *inner = NULL;
    int count = sn_mesh_triangle_count(mesh);
    int *triangles = sn_allocate((size_t)count * 3 * sizeof *triangles);
    sn_vec3 *positions = sn_allocate((size_t)sn_mesh_vertex_count(mesh) * sizeof *positions);
    for (int i = 0; i < sn_mesh_vertex_count(mesh); ++i) {
        positions[i] = sn_vec3_scale(factor, sn_mesh_positions(mesh)[i]);
    }
    for (int t = 0; t < count; ++t) {
        for (int k = 0; k < 3; ++k) {
            triangles[3 * t + k] = sn_mesh_triangles(mesh)[3 * t + 2 - k];
        }
    }
    assert_int_equal(
        sn_mesh_create(positions, sn_mesh_vertex_count(mesh), triangles, count, &inner, NULL),
        SN_OK);
    sn_free(triangles);
    sn_free(positions);
    return inner;
}

static sn_mesh *joined(sn_mesh *a, sn_mesh *b)
{
    const sn_mesh *both[2] = {a, b};
    sn_mesh *sum = NULL;
    assert_int_equal(sn_mesh_join(both, 2, &sum, NULL), SN_OK);
    sn_mesh_release(a);
    sn_mesh_release(b);
    return sum;
}

static sn_mesh *random_body(sn_random *random)
{
    sn_mesh *body = NULL;
    int shells = 1 + sn_random_below(random, 3);
    for (int s = 0; s < shells; ++s) {
        sn_mesh *solid = random_solid(random);
        // Star-shaped about the origin for balls: a smaller copy is inside. Rings are hollowed out
        // only by being left solid.
        bool ball = sn_mesh_bounds(solid).upper.x <= 1.0;
        if (ball && sn_random_below(random, 2) == 0) {
            solid = joined(solid, turned_inward(solid, sn_random_range(random, 0.2, 0.9)));
        }
        double scale = sn_random_range(random, 0.3, 1.0);
        sn_transform place = {sn_vec3_make(3.0 * s, 0.0, 0.0), any_rotation(random)};
        sn_mesh *placed = NULL;
        assert_int_equal(sn_mesh_transformed(solid, sn_vec3_make(scale, 0.7 * scale, scale), place,
                                             &placed, NULL),
                         SN_OK);
        sn_mesh_release(solid);
        body = body == NULL ? placed : joined(body, placed);
    }
    double unit = sn_random_range(random, 0.001, 100.0);
    sn_vec3 position = random_vector(random, 10.0 * unit);
    sn_transform place = {position, any_rotation(random)};
    sn_mesh *moved = NULL;
    assert_int_equal(sn_mesh_transformed(body, sn_vec3_make(unit, unit, unit), place, &moved, NULL),
                     SN_OK);
    sn_mesh_release(body);
    return moved;
}

static void test_random_polyhedra(void **state)
{
    (void)state;
    sn_random random = {.seed = 20260117};
    double worst = 0.0;
    int multiple = 0;
    for (int i = 0; i < 1000; ++i) {
        sn_mesh *body = random_body(&random);
        sn_mass_properties mass;
        sn_error error = {0};
        double density = sn_random_range(&random, 1.0, 20000.0);
        if (sn_mesh_mass_properties(body, density, &mass, &error) != SN_OK) {
            fail_msg("body %d: %s", i, sn_error_message(&error));
        }
        sn_mesh_report report;
        assert_int_equal(sn_mesh_check(body, &report, NULL), SN_OK);
        multiple += report.shell_count > 1;
        sn_mesh_report_free(&report);
        assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_OK);
        double error_found = compare(body, density, &mass);
        worst = error_found > worst ? error_found : worst;
        sn_mesh_release(body);
    }
    print_message("1000 polyhedra, %d of several shells: worst relative error %.2g\n", multiple,
                  worst);
    assert_true(worst < 1e-11);
    assert_true(multiple > 400 && multiple < 950);
}

// ---- known values ----

static void assert_close(double value, double expected, double scale)
{
    if (!(fabs(value - expected) <= 1e-13 * scale)) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

// Values of the thesis behind seed 003: box 2 x 3 x 4 with its corner at (10, 20, 30), about the
// origin.
static void test_box_far_from_origin(void **state)
{
    (void)state;
    sn_mesh *box = NULL, *moved = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(2, 3, 4), &box, NULL), SN_OK);
    sn_transform place = {{11.0, 21.5, 32.0}, {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(sn_mesh_transformed(box, sn_vec3_make(1, 1, 1), place, &moved, NULL), SN_OK);
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(moved, 1.0, &mass, NULL), SN_OK);
    assert_close(mass.volume, 24.0, 24.0);
    assert_close(mass.centre.x, 11.0, 11.0);
    assert_close(mass.centre.y, 21.5, 21.5);
    assert_close(mass.centre.z, 32.0, 32.0);
    sn_vec3 c = mass.centre;
    assert_close(mass.inertia.m[0][0] + mass.mass * (c.y * c.y + c.z * c.z), 35720.0, 35720.0);
    assert_close(mass.inertia.m[1][1] + mass.mass * (c.x * c.x + c.z * c.z), 27520.0, 27520.0);
    assert_close(mass.inertia.m[2][2] + mass.mass * (c.x * c.x + c.y * c.y), 14024.0, 14024.0);
    assert_close(-mass.inertia.m[0][1] + mass.mass * c.x * c.y, 5676.0, 5676.0);
    assert_close(-mass.inertia.m[0][2] + mass.mass * c.x * c.z, 8448.0, 8448.0);
    assert_close(-mass.inertia.m[1][2] + mass.mass * c.y * c.z, 16512.0, 16512.0);
    sn_mesh_release(box);
    sn_mesh_release(moved);
}

// The regular tetrahedron with edge a: V = a^3 / (6 sqrt 2), I = m a^2 / 20 about any axis.
static void test_tetrahedron(void **state)
{
    (void)state;
    const sn_vec3 corners[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const int triangles[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, triangles, 4, &mesh, NULL), SN_OK);
    sn_mass_properties mass;
    sn_error error = {0};
    if (sn_mesh_mass_properties(mesh, 3.0, &mass, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_close(mass.volume, 8.0 / 3.0, 3.0);
    assert_close(mass.mass, 8.0, 8.0);
    for (int i = 0; i < 9; ++i) {
        assert_close(mass.inertia.m[i / 3][i % 3], i % 4 == 0 ? 8.0 * 8.0 / 20.0 : 0.0, 3.2);
    }
    sn_mesh_release(mesh);
}

// ---- refusals ----

static sn_mesh *box_with(int dropped, int flipped)
{
    sn_mesh *box = NULL, *broken = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(1, 1, 1), &box, NULL), SN_OK);
    int triangles[36];
    int count = 0;
    for (int t = 0; t < 12; ++t) {
        const int *v = sn_mesh_triangles(box) + 3 * t;
        if (t == dropped) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            triangles[count++] = t == flipped ? v[2 - k] : v[k];
        }
    }
    assert_int_equal(sn_mesh_create(sn_mesh_positions(box), 8, triangles, count / 3, &broken, NULL),
                     SN_OK);
    sn_mesh_release(box);
    return broken;
}

static void test_hole_is_refused_with_its_place(void **state)
{
    (void)state;
    sn_mesh *mesh = box_with(0, -1); // 0 2 3
    sn_mass_properties mass;
    sn_error error = {0};
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, &error), SN_ERROR_GEOMETRY);
    assert_string_equal(error.place, "mesh edge 0-2");
    assert_non_null(strstr(error.text, "hole"));
    assert_non_null(strstr(error.text, "vertex 0 at (-0.5, -0.5, -0.5)"));
    assert_non_null(strstr(error.text, "2 more of this kind"));
    sn_mesh_release(mesh);
}

static void test_flipped_face_is_refused_with_its_place(void **state)
{
    (void)state;
    sn_mesh *mesh = box_with(-1, 2); // 4 5 7
    sn_mass_properties mass;
    sn_error error = {0};
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, &error), SN_ERROR_GEOMETRY);
    assert_string_equal(error.place, "mesh edge 4-5");
    assert_non_null(strstr(error.text, "turned over"));
    assert_non_null(strstr(error.text, "triangles 2 and"));
    sn_mesh_release(mesh);
}

static void test_inside_out_is_refused(void **state)
{
    (void)state;
    sn_mesh *ball = NULL;
    assert_int_equal(sn_mesh_sphere(1.0, 8, &ball, NULL), SN_OK);
    sn_mesh *inward = turned_inward(ball, 1.0);
    sn_mass_properties mass;
    sn_error error = {0};
    assert_int_equal(sn_mesh_mass_properties(inward, 1.0, &mass, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "turned outward"));
    assert_int_equal(sn_mesh_mass_properties(ball, -1.0, &mass, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_mesh_mass_properties(ball, NAN, &mass, &error), SN_ERROR_ARGUMENT);
    sn_mesh_release(ball);
    sn_mesh_release(inward);
}

// ---- sums and frames ----

// A box cut in two unequal parts weighs and turns like the whole, in any frame.
static void test_parts_add_up(void **state)
{
    (void)state;
    sn_random random = {.seed = 7};
    for (int i = 0; i < 100; ++i) {
        double cut = sn_random_range(&random, 0.1, 1.9);
        sn_shape parts[2] = {sn_default_shape(), sn_default_shape()};
        sn_shape whole = sn_default_shape();
        sn_transform place = {{sn_random_range(&random, -1, 1), 0.3, -0.2}, any_rotation(&random)};
        parts[0].type = parts[1].type = whole.type = SN_SHAPE_BOX;
        whole.size = sn_vec3_make(2.0, 0.5, 0.25);
        parts[0].size = sn_vec3_make(cut, 0.5, 0.25);
        parts[1].size = sn_vec3_make(2.0 - cut, 0.5, 0.25);
        parts[0].frame.position.x = -1.0 + 0.5 * cut;
        parts[1].frame.position.x = 0.5 * cut;
        whole.frame = sn_transform_multiply(place, whole.frame);
        for (int k = 0; k < 2; ++k) {
            parts[k].frame = sn_transform_multiply(place, parts[k].frame);
        }
        sn_mass_properties a, b;
        assert_int_equal(sn_shape_mass_properties(parts, 2, &a, NULL), SN_OK);
        assert_int_equal(sn_shape_mass_properties(&whole, 1, &b, NULL), SN_OK);
        assert_close(a.mass, b.mass, b.mass);
        assert_close(sn_distance(a.centre, b.centre), 0.0, 2.0);
        for (int k = 0; k < 9; ++k) {
            assert_close(a.inertia.m[k / 3][k % 3], b.inertia.m[k / 3][k % 3], b.mass);
        }
    }
}

static void test_impossible_bodies(void **state)
{
    (void)state;
    sn_mass_properties mass = {.mass = 1.0, .volume = 1.0};
    mass.inertia = sn_mat3_diagonal(sn_vec3_make(1.0, 1.0, 2.0)); // a flat disc: just possible
    assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_OK);
    mass.inertia = sn_mat3_diagonal(sn_vec3_make(1.0, 1.0, 2.1));
    assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_ERROR_ARGUMENT);
    mass.inertia = sn_mat3_diagonal(sn_vec3_make(1.0, 1.0, -0.1));
    assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_ERROR_ARGUMENT);
    mass.inertia = sn_mat3_diagonal(sn_vec3_make(1.0, 1.0, 1.0));
    mass.inertia.m[0][1] = 0.5;
    assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_ERROR_ARGUMENT);
    mass.inertia.m[0][1] = NAN;
    assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_ERROR_ARGUMENT);
    mass.inertia.m[0][1] = 0.0;
    mass.mass = 0.0;
    assert_int_equal(sn_mass_properties_check(&mass, NULL), SN_ERROR_ARGUMENT);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_mesh *box = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(1, 1, 1), &box, NULL), SN_OK);
    sn_mass_properties mass;
    sn_error error;
    int failures = 0;
    for (int after = 0;; ++after) {
        sn_allocation_fail_after(after);
        sn_status status = sn_mesh_mass_properties(box, 1.0, &mass, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures >= 5);
    sn_mesh_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_polyhedra),
        cmocka_unit_test(test_box_far_from_origin),
        cmocka_unit_test(test_tetrahedron),
        cmocka_unit_test(test_hole_is_refused_with_its_place),
        cmocka_unit_test(test_flipped_face_is_refused_with_its_place),
        cmocka_unit_test(test_inside_out_is_refused),
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_impossible_bodies),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
