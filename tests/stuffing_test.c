// Surfaces filled by the lattice: angles, volumes and bits of clean and of broken ones, and what it
// stands on, winding numbers and volumes in closed form.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/key_map.h"
#include "fill_surface.h"
#include "geometry/surface_tree.h"
#include "geometry/surface_volume.h"
#include "random_vector.h"
#include "sanitized.h"
#include "shortage.h"
#include "sinew/tetrahedra.h"

static const double DEGREE = SN_PI / 180.0;

static sn_surface_tree *tree_of(const sn_mesh *mesh)
{
    sn_surface_tree *tree = NULL;
    assert_int_equal(sn_surface_tree_create(mesh, &tree, NULL), SN_OK);
    return tree;
}

// ---- winding numbers ----

// A corner of a cube seen from the opposite one fills an eighth of the sphere: three faces, so each
// of their six triangles a 48th.
static void test_solid_angles_of_triangles(void **state)
{
    (void)state;
    const sn_vec3 half[3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    assert_float_equal(sn_triangle_winding(half, SN_VEC3_ZERO), 1.0 / 48.0, 1e-15);
    const sn_vec3 octant[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    assert_float_equal(sn_triangle_winding(octant, SN_VEC3_ZERO), 1.0 / 8.0, 1e-15);
    const sn_vec3 turned[3] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    assert_float_equal(sn_triangle_winding(turned, SN_VEC3_ZERO), -1.0 / 8.0, 1e-15);
}

static void test_a_closed_surface_winds_once_or_not_at_all(void **state)
{
    (void)state;
    sn_mesh *torus = fill_surface(FILL_TORUS);
    sn_surface_tree *tree = tree_of(torus);
    sn_random random = {11, 0, 0};
    for (int i = 0; i < rounds_of(2000, 100); ++i) {
        sn_vec3 p = random_vector(&random, 0.6);
        double around = sqrt(p.x * p.x + p.y * p.y) - 0.36;
        double distance = sqrt(around * around + p.z * p.z) - 0.14;
        if (fabs(distance) < 0.005) {
            continue; // between the facets and the torus
        }
        double expected = distance < 0.0 ? 1.0 : 0.0;
        assert_float_equal(sn_surface_tree_winding_exact(tree, p), expected, 1e-12);
        assert_float_equal(sn_surface_tree_winding(tree, p), expected, 0.05);
    }
    sn_surface_tree_destroy(tree);
    sn_mesh_release(torus);
}

// A cap of height above z of the unit sphere takes (1 - z) / 2 of the full angle from the middle; a
// sphere without it winds around the middle by the rest.
static void test_a_hole_takes_its_solid_angle(void **state)
{
    (void)state;
    sn_mesh *ball = without_cap(ball_surface(1.0, 256, SN_VEC3_ZERO), 0.6);
    sn_surface_tree *tree = tree_of(ball);
    double exact = sn_surface_tree_winding_exact(tree, SN_VEC3_ZERO);
    assert_float_equal(exact, 1.0 - (1.0 - 0.6) / 2.0, 0.01);
    assert_float_equal(sn_surface_tree_winding(tree, SN_VEC3_ZERO), exact, 0.03);
    sn_surface_tree_destroy(tree);
    sn_mesh_release(ball);
}

// The tree is within a few hundredths of the sum over all triangles, also for soup, and everywhere.
static void test_the_tree_agrees_with_the_sum(void **state)
{
    (void)state;
    sn_mesh *soup = soup_of(bumpy_surface(60, 0.04, 5), 0.01, 20, 9);
    sn_surface_tree *tree = tree_of(soup);
    sn_random random = {12, 0, 0};
    for (int i = 0; i < rounds_of(1000, 50); ++i) {
        sn_vec3 p = random_vector(&random, 0.8);
        assert_float_equal(sn_surface_tree_winding(tree, p), sn_surface_tree_winding_exact(tree, p),
                           0.03);
    }
    sn_surface_tree_destroy(tree);
    sn_mesh_release(soup);
}

static void test_segments_cross_where_they_should(void **state)
{
    (void)state;
    sn_mesh *box = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(1, 1, 1), &box, NULL), SN_OK);
    sn_surface_tree *tree = tree_of(box);
    sn_crossings found = {0};
    sn_vec3 from = {-1.0, 0.1, 0.2}, to = {1.0, 0.1, 0.2};
    assert_true(sn_surface_tree_crossings(tree, from, to, &found));
    assert_int_equal(found.count, 2);
    assert_float_equal(found.data[0], 0.25, 1e-15);
    assert_float_equal(found.data[1], 0.75, 1e-15);
    assert_true(sn_surface_tree_crossings(tree, from, sn_vec3_make(-1.0, 5.0, 0.2), &found));
    assert_int_equal(found.count, 0);
    double gap;
    sn_vec3 inside = {0.3, 0.1, 0.2};
    assert_true(sn_surface_tree_gap(tree, inside, sn_vec3_make(1, 0, 0), 0.5, 1.0, &gap));
    assert_float_equal(gap, 0.2, 1e-15);
    // The far side faces the other way.
    assert_true(sn_surface_tree_gap(tree, inside, sn_vec3_make(1, 0, 0), 2.0, -1.0, &gap));
    assert_float_equal(gap, -0.8, 1e-15);
    assert_false(sn_surface_tree_gap(tree, inside, sn_vec3_make(1, 0, 0), 0.1, 1.0, &gap));
    sn_array_free(&found);
    sn_surface_tree_destroy(tree);
    sn_mesh_release(box);
}

// Two balls of radius r at distance d have the lens pi (2 r - d)^2 (d^2 + 4 d r) / (12 d) in
// common.
static void test_volume_of_a_union(void **state)
{
    (void)state;
    double r = 0.3, d = 0.35;
    sn_mesh *both = join_surfaces(ball_surface(r, 128, sn_vec3_make(-0.5 * d, 0, 0)),
                                  ball_surface(r, 128, sn_vec3_make(0.5 * d, 0, 0)));
    sn_surface_tree *tree = tree_of(both);
    double ball = 4.0 / 3.0 * SN_PI * r * r * r, volume;
    double lens = SN_PI * (2 * r - d) * (2 * r - d) * (d * d + 4 * d * r) / (12 * d);
    assert_float_equal(sn_mesh_signed_volume(both), 2 * ball, 0.004 * ball);
    assert_true(sn_surface_tree_volume(tree, sn_mesh_bounds(both), 1.0, &volume));
    assert_float_equal(volume, 2 * ball - lens, 0.003 * ball);
    sn_surface_tree_destroy(tree);
    sn_mesh_release(both);
}

// ---- filling ----

typedef struct filled {
    sn_tetrahedra *body;
    sn_tetrahedra_fill_report report;
    sn_tetrahedra_quality quality;
    double miss; // of the volume, before scaling
} filled;

static filled fill(const char *name, const sn_mesh *surface, double edge)
{
    filled f = {0};
    sn_error error = {0};
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    options.edge = edge;
    if (sn_tetrahedra_fill(surface, &options, &f.body, &f.report, &error) != SN_OK) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
    assert_true(sn_tetrahedra_measure(f.body, &f.quality));
    f.miss = f.report.filled_volume / f.report.surface_volume - 1.0;
    return f;
}

// What every fill must be: in shape, positive, scaled to the surface's volume.
static void assert_good(const char *name, const filled *f, double most_miss)
{
    if (!(f->quality.least_angle > 10.0 * DEGREE && f->quality.greatest_angle < 165.0 * DEGREE)) {
        fail_msg("%s: angles %g to %g degrees", name, f->quality.least_angle / DEGREE,
                 f->quality.greatest_angle / DEGREE);
    }
    if (!(fabs(f->miss) <= most_miss)) {
        fail_msg("%s: volume off by %g %%", name, 100.0 * f->miss);
    }
    assert_true(f->quality.least_volume > 0.0);
    assert_float_equal(f->quality.volume, f->report.surface_volume,
                       1e-9 * f->report.surface_volume);
}

// The six of the promise and two more, as they are and turned, at a tenth of their size.
static void test_surfaces_of_files(void **state)
{
    (void)state;
    for (int kind = 0; kind < FILL_SURFACE_COUNT; ++kind) {
        const char *name = fill_surface_names[kind];
        sn_random random = {21, (uint64_t)kind, 0};
        for (int turn = 0; turn < (kind == FILL_SOUP ? 1 : rounds_of(3, 1)); ++turn) {
            sn_mesh *plain = fill_surface((fill_surface_kind)kind), *placed = NULL;
            sn_transform place = SN_TRANSFORM_IDENTITY;
            if (turn > 0) {
                place.rotation = random_rotation(&random);
                place.position = random_vector(&random, 3.0);
            }
            assert_int_equal(
                sn_mesh_transformed(plain, sn_vec3_make(1, 1, 1), place, &placed, NULL), SN_OK);
            filled f = fill(name, placed, 0.1);
            assert_good(name, &f, 0.01);
            assert_int_equal(f.quality.part_count, 1);
            assert_int_equal(sn_tetrahedra_check(f.body, NULL, NULL), SN_OK);
            assert_int_equal(f.report.open, kind == FILL_OPEN_SHELL || kind == FILL_SOUP);
            assert_int_equal(f.report.overlapping, kind == FILL_CROSSING);
            assert_int_equal(f.report.inside_out, kind == FILL_INSIDE_OUT);
            sn_tetrahedra_release(f.body);
            sn_mesh_release(plain);
            sn_mesh_release(placed);
        }
    }
}

// The comb's teeth are all there: points in the middle of each wall are in some element, points in
// the gaps in none.
static void test_walls_of_one_edge_survive(void **state)
{
    (void)state;
    sn_mesh *comb = comb_surface();
    filled f = fill("comb", comb, 0.1);
    for (int k = 0; k < 9; ++k) {
        sn_vec3 point = {0.053 + 0.1 * k, 0.617, 0.341};
        sn_embedding found = {0};
        assert_int_equal(sn_embedding_create(f.body, &point, 1, &found, NULL), SN_OK);
        assert_int_equal(found.outside_count, k % 2);
        sn_embedding_free(&found);
    }
    sn_tetrahedra_release(f.body);
    sn_mesh_release(comb);
}

// The published bounds of the cut lattice are 10.78 and 164.74 degrees: balls at random places of
// the lattice, which see all patterns.
static void test_angles_at_random_offsets(void **state)
{
    (void)state;
    sn_random random = {31, 0, 0};
    double least = SN_PI, greatest = 0.0;
    for (int i = 0; i < rounds_of(60, 4); ++i) {
        // A speck far away puts the ball anywhere in the lattice, whose middle is that of the
        // bounds.
        sn_vec3 away = sn_vec3_add(sn_vec3_make(1.0, 0.9, 0.8), random_vector(&random, 0.05));
        sn_mesh *surface =
            join_surfaces(ball_surface(sn_random_range(&random, 0.25, 0.5), 24, SN_VEC3_ZERO),
                          ball_surface(0.12, 12, away));
        filled f = fill("ball", surface, 0.1);
        assert_good("ball", &f, 0.01);
        least = fmin(least, f.quality.least_angle);
        greatest = fmax(greatest, f.quality.greatest_angle);
        sn_tetrahedra_release(f.body);
        sn_mesh_release(surface);
    }
    print_message("angles of balls: %.2f to %.2f degrees\n", least / DEGREE, greatest / DEGREE);
}

// Unions of random balls, and balls with waves on them, at random sizes of lattice.
static void test_random_surfaces(void **state)
{
    (void)state;
    for (int i = 0; i < rounds_of(24, 3); ++i) {
        sn_random random = {41, (uint64_t)i, 0};
        sn_mesh *surface = NULL;
        if (i % 2 == 0) {
            surface = ball_surface(0.3, 24, SN_VEC3_ZERO);
            for (int k = sn_random_below(&random, 5); k >= 0; --k) {
                sn_vec3 at = random_vector(&random, 0.25);
                surface = join_surfaces(surface,
                                        ball_surface(sn_random_range(&random, 0.15, 0.3), 24, at));
            }
        } else {
            surface = bumpy_surface(48, sn_random_range(&random, 0.0, 0.06), (uint64_t)i);
        }
        if (i % 3 == 0) {
            surface = soup_of(surface, 0.001, 50, (uint64_t)i);
        }
        filled f = fill("random", surface, sn_random_range(&random, 0.05, 0.12));
        assert_good("random", &f, 0.015);
        sn_tetrahedra_release(f.body);
        sn_mesh_release(surface);
    }
}

// Elements get longer inward, at most eightfold, and there are far fewer than a uniform lattice of
// twelve to a cube has.
static void test_it_is_graded(void **state)
{
    (void)state;
    sn_mesh *ball = fill_surface(FILL_SPHERE);
    filled f = fill("ball", ball, 0.04);
    assert_true(f.quality.longest_edge > 2.5 * 0.04 && f.quality.longest_edge < 9.0 * 0.04);
    double uniform = 12.0 * f.quality.volume / (0.04 * 0.04 * 0.04);
    assert_true(sn_tetrahedra_element_count(f.body) < 0.7 * uniform);
    assert_good("ball", &f, 0.002);
    sn_tetrahedra_release(f.body);
    sn_mesh_release(ball);
}

// A box whose size is a whole number of edges is exact: its faces are planes of the lattice.
static void test_an_aligned_box_is_exact(void **state)
{
    (void)state;
    sn_mesh *box = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(0.8, 0.6, 0.4), &box, NULL), SN_OK);
    filled f = fill("box", box, 0.1);
    assert_float_equal(f.report.filled_volume, 0.192, 1e-12);
    assert_true(f.quality.least_angle > 44.9 * DEGREE);
    sn_tetrahedra_release(f.body);
    sn_mesh_release(box);
}

static void test_the_same_bits_each_time(void **state)
{
    (void)state;
    sn_mesh *torus = fill_surface(FILL_TORUS);
    filled a = fill("torus", torus, 0.0), b = fill("torus", torus, 0.1);
    assert_float_equal(a.report.edge, 0.1, 1e-9); // a tenth of its size
    int count = sn_tetrahedra_vertex_count(b.body);
    filled c = fill("torus", torus, 0.1);
    assert_int_equal(count, sn_tetrahedra_vertex_count(c.body));
    assert_memory_equal(sn_tetrahedra_positions(b.body), sn_tetrahedra_positions(c.body),
                        (size_t)count * sizeof(sn_vec3));
    sn_tetrahedra_release(a.body);
    sn_tetrahedra_release(b.body);
    sn_tetrahedra_release(c.body);
    sn_mesh_release(torus);
}

// ---- refusals ----

static void test_what_cannot_be_filled_is_told(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *made = NULL;
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    const sn_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    sn_mesh *flat = NULL, *ball = fill_surface(FILL_SPHERE);
    assert_int_equal(sn_mesh_create(corners, 3, (int[]){0, 1, 2}, 1, &flat, NULL), SN_OK);
    assert_int_equal(sn_tetrahedra_fill(flat, NULL, &made, NULL, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "encloses nothing"));
    options.edge = 1e-4;
    assert_int_equal(sn_tetrahedra_fill(ball, &options, &made, NULL, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "or longer were expected"));
    options.edge = 1e-300;
    assert_int_equal(sn_tetrahedra_fill(ball, &options, &made, NULL, &error), SN_ERROR_ARGUMENT);
    options.edge = -1.0;
    assert_int_equal(sn_tetrahedra_fill(ball, &options, &made, NULL, &error), SN_ERROR_ARGUMENT);
    // Walls of a hundredth at edges of a tenth.
    sn_mesh *thin = join_surfaces(ball_surface(0.5, 48, SN_VEC3_ZERO),
                                  turned_over(ball_surface(0.492, 48, SN_VEC3_ZERO)));
    options.edge = 0.1;
    assert_int_equal(sn_tetrahedra_fill(thin, &options, &made, NULL, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "shorter edges were expected"));
    assert_null(made);
    sn_mesh_release(thin);
    sn_mesh_release(flat);
    sn_mesh_release(ball);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) { // a closed one, and one whose volume lines find
        sn_mesh *surface = kind == 0 ? ball_surface(0.5, 12, SN_VEC3_ZERO)
                                     : without_cap(ball_surface(0.5, 12, SN_VEC3_ZERO), 0.4);
        sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
        options.edge = 0.4;
        for (shortage s = {.most = 2000}; shortage_goes_on(&s);) {
            sn_tetrahedra *made = NULL;
            shortage_begin(&s);
            sn_status status = sn_tetrahedra_fill(surface, &options, &made, NULL, NULL);
            shortage_end(&s, status);
            assert_true((made != NULL) == (status == SN_OK));
            sn_tetrahedra_release(made);
            s.next += s.well ? 0 : (kind == 0 ? 1 : 12) * rounds_of(1, 8); // lines take their time
        }
        sn_mesh_release(surface);
    }
}

static void test_key_maps(void **state)
{
    (void)state;
    sn_key_map map = {0};
    assert_int_equal(sn_key_map_find(&map, 3), -1);
    for (int i = 0; i < 1000; ++i) {
        int *value = sn_key_map_put(&map, (uint64_t)i << 33 | 7, i);
        assert_non_null(value);
        assert_int_equal(*value, i);
    }
    assert_int_equal(*sn_key_map_put(&map, (uint64_t)5 << 33 | 7, 99), 5);
    assert_int_equal(map.count, 1000);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(sn_key_map_find(&map, (uint64_t)i << 33 | 7), i);
        assert_int_equal(sn_key_map_find(&map, (uint64_t)i << 33), -1);
    }
    sn_key_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solid_angles_of_triangles),
        cmocka_unit_test(test_a_closed_surface_winds_once_or_not_at_all),
        cmocka_unit_test(test_a_hole_takes_its_solid_angle),
        cmocka_unit_test(test_the_tree_agrees_with_the_sum),
        cmocka_unit_test(test_segments_cross_where_they_should),
        cmocka_unit_test(test_volume_of_a_union),
        cmocka_unit_test(test_surfaces_of_files),
        cmocka_unit_test(test_walls_of_one_edge_survive),
        cmocka_unit_test(test_angles_at_random_offsets),
        cmocka_unit_test(test_random_surfaces),
        cmocka_unit_test(test_it_is_graded),
        cmocka_unit_test(test_an_aligned_box_is_exact),
        cmocka_unit_test(test_the_same_bits_each_time),
        cmocka_unit_test(test_what_cannot_be_filled_is_told),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_key_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
