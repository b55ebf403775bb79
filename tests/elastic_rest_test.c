// Equilibrium and small vibrations of elastic bodies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "elastic/mass.h"
#include "elastic/solid.h"
#include "elastic/spectrum.h"
#include "elastic_bar.h"
#include "math/dense.h"
#include "sinew/sinew.h"

static const double g = 9.81;

static sn_world *make_world(double gravity)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.gravity = sn_vec3_make(0.0, 0.0, -gravity);
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static bar beam(void)
{
    return (bar){.size = {0.4, 0.1, 0.1},
                 .cells = {4, 1, 1},
                 .young = 1e5,
                 .poisson = 0.3,
                 .density = 1000.0,
                 .clamped = 0,
                 .fine = true,
                 .frame = SN_TRANSFORM_IDENTITY};
}

static void settle(sn_world *world, bool unstable, sn_equilibrium *rest)
{
    sn_error error = {0};
    sn_equilibrium_def def = sn_default_equilibrium_def();
    def.accept_unstable = unstable;
    if (sn_world_equilibrium(world, &def, rest, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
}

// ---- equilibrium ----

// Large bending: nothing moves when steps go on from there, and the potential is a minimum.
static void nothing_moves_from_equilibrium(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    bar b = beam();
    sn_body body = add_bar(world, "bar", &b);
    sn_equilibrium rest;
    settle(world, false, &rest);
    assert_true(rest.stable && rest.free_count == 0 && rest.force < 1e-7);
    sn_vec3 tip = sn_vec3_make(0.2, 0.0, 0.0), start = sn_body_point(world, body, tip);
    assert_true(start.z < -0.05); // it bends a good deal
    assert_true(fabs(sn_world_energy(world).potential - rest.potential) <= 0.0);
    for (int i = 0; i < 24; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
    }
    assert_true(sn_distance(sn_body_point(world, body, tip), start) < 1e-8);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// A column that stands on its foot buckles under its own weight where rho g A L^3/EI is above 7.837
// (A. G. Greenhill 1881).
static void columns_stand_up_to_greenhills_length(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        double share = k == 0 ? 0.93 : 1.07, length = 1.0, width = 0.04;
        bar b = {.size = {width, width, length},
                 .cells = {1, 1, 12},
                 .poisson = 0.0,
                 .density = 1000.0,
                 .clamped = 2,
                 .fine = true,
                 .frame = SN_TRANSFORM_IDENTITY};
        b.young = 12.0 * b.density * g * length * length * length / (width * width) / 7.837 / share;
        sn_world *world = make_world(g);
        sn_body body = add_bar(world, "bar", &b);
        sn_equilibrium rest;
        settle(world, true, &rest);
        assert_int_equal(rest.stable, k == 0);
        assert_int_equal(rest.unstable_count, k == 0 ? 0 : 2); // either way
        sn_equilibrium_free(&rest);
        settle(world, false, &rest);
        assert_true(rest.stable);
        sn_vec3 top = sn_body_point(world, body, sn_vec3_make(0.0, 0.0, 0.5 * length));
        double lean = sqrt(top.x * top.x + top.y * top.y);
        assert_true(k == 0 ? lean < 1e-6 : lean > 0.1);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
}

static void what_falls_is_told_and_stays(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    bar b = beam();
    b.clamped = -1;
    sn_body body = add_bar(world, "bar", &b);
    sn_vec3 before = sn_body_centre(world, body);
    sn_equilibrium rest;
    sn_error error = {0};
    assert_int_equal(sn_world_equilibrium(world, NULL, &rest, &error), SN_ERROR_DIVERGED);
    assert_non_null(strstr(sn_error_message(&error), "falls"));
    sn_vec3 after = sn_body_centre(world, body);
    assert_memory_equal(&before, &after, sizeof before);
    sn_world_destroy(world);
    world = make_world(0.0); // without weight it is where it is
    add_bar(world, "bar", &b);
    settle(world, false, &rest);
    assert_true(rest.stable && rest.free_count == 6);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

static sn_vec3 place_of(const sn_world *world, sn_body body, int vertex)
{
    sn_vec3 places[256];
    assert_true(sn_body_vertex_count(world, body) <= 256);
    assert_true(sn_body_read_vertices(world, body, places, NULL));
    return places[vertex];
}

// Springs and planes hold as they do in a run, and what stands beside falls by its own name.
static void springs_and_planes_take_part(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    bar b = beam();
    sn_body body = add_bar(world, "bar", &b), ball;
    sn_equilibrium rest;
    sn_modes modes;
    sn_error error = {0};
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = body;
    spring.point_a = sn_vec3_make(0.2, 0.0, 0.0);
    spring.point_b = sn_vec3_make(0.2, 0.0, 1.0);
    spring.stiffness = 10.0;
    sn_field field;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    settle(world, false, &rest);
    assert_true(rest.force < 1e-7);
    sn_equilibrium_free(&rest);
    assert_int_equal(sn_world_modes(world, &modes, &error), SN_OK);
    sn_modes_free(&modes);
    assert_int_equal(sn_world_remove_field(world, field, NULL), SN_OK);
    const int some[] = {40};
    double height = place_of(world, body, some[0]).z;
    sn_bond_def def = sn_default_bond_def();
    sn_bond bond;
    def.type = SN_BOND_PLANE;
    def.body = body;
    def.vertices = some;
    def.vertex_count = 1;
    def.normal = sn_vec3_make(0.0, 0.0, 1.0);
    def.offset = height;
    assert_int_equal(sn_world_add_bond(world, &def, &bond, NULL), SN_OK);
    settle(world, false, &rest);
    assert_true(rest.force < 1e-7 && fabs(place_of(world, body, some[0]).z - height) < 1e-12);
    sn_equilibrium_free(&rest);
    sn_shape shape = sn_default_shape();
    sn_body_def ball_def = sn_default_body_def();
    ball_def.name = "marble";
    ball_def.shapes = &shape;
    ball_def.shape_count = 1;
    assert_int_equal(sn_world_add_body(world, &ball_def, &ball, NULL), SN_OK);
    assert_int_equal(sn_world_equilibrium(world, NULL, &rest, &error), SN_ERROR_DIVERGED);
    assert_non_null(strstr(sn_error_message(&error), "marble"));
    sn_world_destroy(world);
}

// ---- modes ----

enum { SMALL = 3 * 12 };

typedef struct dense_system {
    double k[SMALL * SMALL], m[SMALL * SMALL], shifted[SMALL * SMALL];
} dense_system;

static void dense_mass(void *context, const double *x, double *y)
{
    sn_dense_apply(SMALL, SMALL, ((dense_system *)context)->m, x, y);
}

static void dense_solve(void *context, const double *x, double *y)
{
    memcpy(y, x, SMALL * sizeof *y);
    sn_cholesky_solve(SMALL, ((dense_system *)context)->shifted, y);
}

// K and M of a small body at a place that is not at rest.
static void fill_dense(dense_system *s)
{
    bar b = beam();
    b.cells[0] = 2;
    b.fine = false;
    sn_tetrahedra *mesh = bar_mesh(&b);
    int count = sn_tetrahedra_vertex_count(mesh), n = 3 * count;
    assert_int_equal(n, SMALL);
    sn_elastic law = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 1e5, 0.3);
    sn_solid_def solid_def = {.mesh = mesh, .materials = &law, .material_count = 1};
    sn_solid *solid = NULL;
    sn_mass mass;
    double density = 1000.0, x[4 * SMALL] = {0}, v[4 * SMALL], y[4 * SMALL];
    assert_int_equal(sn_solid_create(&solid_def, &solid, NULL), SN_OK);
    assert_int_equal(sn_mass_create(mesh, &density, 1, SN_MASS_CONSISTENT, NULL, &mass, NULL),
                     SN_OK);
    for (int i = 0; i < count; ++i) {
        sn_vec3 p = sn_tetrahedra_positions(mesh)[i];
        sn_vec3_put(x + 4 * i, sn_vec3_make(1.1 * p.x, p.y + 0.1 * p.x * p.x, 0.95 * p.z));
    }
    assert_int_equal(sn_solid_linearise(solid, NULL, x, SN_STIFFNESS_EXACT, NULL), SN_OK);
    for (int j = 0; j < n; ++j) {
        memset(v, 0, sizeof v);
        v[4 * (j / 3) + j % 3] = 1.0;
        memset(y, 0, sizeof y);
        sn_solid_add_product(solid, NULL, 1.0, v, y);
        for (int i = 0; i < n; ++i) {
            s->k[i * n + j] = y[4 * (i / 3) + i % 3];
        }
        memset(y, 0, sizeof y);
        sn_mass_add_product(&mass, 4, 1.0, v, y);
        for (int i = 0; i < n; ++i) {
            s->m[i * n + j] = y[4 * (i / 3) + i % 3];
        }
    }
    sn_mass_free(&mass);
    sn_solid_destroy(solid);
    sn_tetrahedra_release(mesh);
}

// Against all eigenvalues of dense matrices.
static void spectra_are_those_of_dense_matrices(void **state)
{
    (void)state;
    static dense_system s;
    static double l[SMALL * SMALL], a[SMALL * SMALL], c[SMALL * SMALL], t[SMALL * SMALL];
    enum { N = SMALL };
    double values[N], vectors[N * N], shift = 1e5, y[N];
    fill_dense(&s);
    for (int i = 0; i < N * N; ++i) {
        s.shifted[i] = s.k[i] + shift * s.m[i];
    }
    assert_true(sn_cholesky_factor(N, s.shifted, NULL));
    sn_spectrum_def def = {.length = N,
                           .freedoms = N,
                           .count = 12,
                           .context = &s,
                           .mass = dense_mass,
                           .solve = dense_solve};
    sn_spectrum found;
    assert_int_equal(sn_spectrum_find(&def, &found, NULL), SN_OK);
    memcpy(l, s.m, sizeof l);
    memcpy(a, s.k, sizeof a);
    assert_true(sn_cholesky_factor(N, l, NULL));
    for (int i = 0; i < N; ++i) {
        sn_cholesky_solve_lower(N, l, a + i * N);
    }
    sn_dense_transpose(N, N, a, c);
    for (int i = 0; i < N; ++i) {
        sn_cholesky_solve_lower(N, l, c + i * N);
    }
    for (int i = 0; i < N * N; ++i) {
        t[i] = 0.5 * (c[i] + c[(i % N) * N + i / N]);
    }
    assert_true(sn_eigen_symmetric(N, t, values, vectors));
    assert_int_equal(found.count, 12);
    for (int i = 0; i < found.count; ++i) {
        assert_true(fabs(found.values[i] - shift - values[i]) < 1e-9 * fabs(values[N - 1]));
        dense_mass(&s, found.vectors + i * N, y);
        for (int j = 0; j < found.count; ++j) { // orthonormal in M
            double dot = 0.0;
            for (int k = 0; k < N; ++k) {
                dot += y[k] * found.vectors[j * N + k];
            }
            assert_true(fabs(dot - (i == j)) < 1e-9);
        }
    }
    sn_spectrum_free(&found);
}

// Put into a mode and let go, it swings with its frequency.
static void modes_swing_as_they_say(void **state)
{
    (void)state;
    sn_world *world = make_world(0.0);
    bar b = beam();
    sn_body body = add_bar(world, "bar", &b);
    sn_modes modes = {0};
    sn_error error = {0};
    if (sn_world_modes(world, &modes, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_true(modes.count == 24 && modes.list[0].type == SN_MODE_SWINGS && modes.force < 1e-7);
    assert_true(fabs(modes.list[0].frequency / modes.list[1].frequency - 1.0) < 0.05);
    for (int i = 1; i < modes.count; ++i) {
        assert_true(modes.list[i].frequency >= modes.list[i - 1].frequency);
    }
    double period = 1.0 / modes.list[0].frequency;
    sn_vec3 tip = sn_vec3_make(0.2, 0.0, 0.0), rest = sn_body_point(world, body, tip);
    assert_int_equal(sn_modes_swing(world, &modes, 0, 1e-4, 0.25 * period, &error), SN_OK);
    sn_vec3 out = sn_vec3_sub(sn_body_point(world, body, tip), rest), shift, turn;
    assert_true(sn_length(out) > 1e-5);
    for (int i = 0; i < 400; ++i) {
        assert_int_equal(sn_world_step(world, period / 400.0, NULL), SN_OK);
    }
    sn_vec3 back = sn_vec3_sub(sn_body_point(world, body, tip), rest);
    assert_true(sn_distance(out, back) < 2e-3 * sn_length(out));
    sn_modes_body(world, &modes, 0, body, &shift, &turn);
    assert_true(sn_length(shift) > 0.0);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// St. Venant's law knows F^T F alone: a tetrahedron is at rest as its own mirror image, too. That
// is told, by the equilibrium, by its modes and with the element's number.
static void what_rests_inside_out_is_told(void **state)
{
    (void)state;
    const sn_vec3 rest_at[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
    const sn_vec3 mirrored[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    const int elements[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    sn_tetrahedra_def listed = {.positions = rest_at,
                                .vertex_count = 5,
                                .elements = elements,
                                .element_count = 2,
                                .nodes = 4};
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_create(&listed, &mesh, NULL), SN_OK);
    for (int turned = 0; turned < 2; ++turned) {
        sn_world *world = make_world(0.0);
        sn_elastic_material material = sn_default_elastic_material();
        material.elastic.law = SN_ELASTIC_ST_VENANT;
        sn_elastic_def def = sn_default_elastic_def();
        def.mesh = mesh;
        def.materials = &material;
        def.material_count = 1;
        sn_body body, still;
        def.name = "sound";
        def.positions = rest_at;
        assert_int_equal(sn_world_add_elastic(world, &def, &still, NULL), SN_OK);
        def.name = "lump";
        def.positions = turned ? mirrored : rest_at;
        assert_int_equal(sn_world_add_elastic(world, &def, &body, NULL), SN_OK);
        sn_equilibrium rest;
        sn_modes modes;
        settle(world, false, &rest);
        assert_true(rest.stable);
        assert_int_equal(rest.inverted, turned ? 2 : 0);
        assert_int_equal(rest.inverted_body.index, turned ? body.index : 0);
        assert_int_equal(sn_world_modes(world, &modes, NULL), SN_OK);
        assert_int_equal(modes.inverted, rest.inverted);
        assert_int_equal(modes.inverted_body.index, rest.inverted_body.index);
        int list[2] = {-1, -1};
        assert_int_equal(sn_body_inverted_elements(world, body, list, 1), turned ? 2 : 0);
        assert_int_equal(list[0], turned ? 0 : -1);
        assert_int_equal(list[1], -1);
        assert_int_equal(sn_body_inverted_elements(world, still, NULL, 0), 0);
        sn_modes_free(&modes);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
    sn_tetrahedra_release(mesh);
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    bar b = beam();
    b.cells[0] = 1;
    b.fine = false;
    add_bar(world, "bar", &b);
    bool passed = false;
    for (int n = 0; n < 2000 && !passed; n += 1 + n / 8) {
        sn_equilibrium rest;
        sn_modes modes;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status first = sn_world_equilibrium(world, NULL, &rest, &error);
        sn_status second = sn_world_modes(world, &modes, &error);
        sn_allocation_fail_after(-1);
        assert_true(first == SN_OK || first == SN_ERROR_MEMORY);
        assert_true(second == SN_OK || second == SN_ERROR_MEMORY);
        passed = first == SN_OK && second == SN_OK;
        sn_equilibrium_free(&rest);
        sn_modes_free(&modes);
    }
    assert_true(passed);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_from_equilibrium),
        cmocka_unit_test(columns_stand_up_to_greenhills_length),
        cmocka_unit_test(what_falls_is_told_and_stays),
        cmocka_unit_test(springs_and_planes_take_part),
        cmocka_unit_test(spectra_are_those_of_dense_matrices),
        cmocka_unit_test(modes_swing_as_they_say),
        cmocka_unit_test(what_rests_inside_out_is_told),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
