// Contact with meshes and height fields: floors of many triangles feel like planes, edges and
// corners like those of solids, and nothing depends on scale, place or order.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/collide.h"
#include "collide/facet.h"
#include "collide/hull_shape.h"
#include "collide/mesh_collide.h"
#include "collide/mesh_tree.h"
#include "collide/query.h"
#include "geometry/height_field.h"
#include "math/rotation.h"
#include "random_collider.h"
#include "random_vector.h"
#include "sanitized.h"

enum { MOST = 16 };

static const sn_mesh_tree *make_tree(sn_mesh *mesh)
{
    sn_mesh_tree *tree = NULL;
    assert_int_equal(sn_mesh_tree_create(mesh, &tree, NULL), SN_OK);
    sn_mesh_release(mesh);
    return tree;
}

// A flat floor z = 0 from -1 to 1 of n x n cells whose inner corners are moved at random.
static const sn_mesh_tree *make_floor(int n, double scale, uint64_t seed)
{
    sn_random random = {.seed = seed};
    sn_vec3 *points = malloc((size_t)(n + 1) * (size_t)(n + 1) * sizeof *points);
    int *triangles = malloc((size_t)n * (size_t)n * 6 * sizeof *triangles), count = 0;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            bool inner = i > 0 && j > 0 && i < n && j < n;
            double x = 2.0 * i / n - 1.0, y = 2.0 * j / n - 1.0;
            x += inner ? sn_random_range(&random, -0.6, 0.6) / n : 0.0;
            y += inner ? sn_random_range(&random, -0.6, 0.6) / n : 0.0;
            points[j * (n + 1) + i] = sn_vec3_make(scale * x, scale * y, 0.0);
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
            int even[6] = {a, b, c, a, c, d}, odd[6] = {a, b, d, b, c, d};
            memcpy(triangles + count, (i + j) % 2 == 0 ? even : odd, sizeof even);
            count += 6;
        }
    }
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(points, (n + 1) * (n + 1), triangles, 2 * n * n, &mesh, NULL),
                     SN_OK);
    free(points);
    free(triangles);
    return make_tree(mesh);
}

static void check_sound(const sn_manifold *m, double margin)
{
    assert_true(m->count >= 1 && m->count <= 4);
    assert_true(fabs(sn_length(m->normal) - 1.0) < 1e-9);
    for (int k = 0; k < m->count; ++k) {
        const sn_manifold_point *p = &m->points[k];
        assert_true(sn_vec3_is_finite(p->on_a) && sn_vec3_is_finite(p->on_b));
        assert_true(p->gap <= margin * (1.0 + 1e-9));
        double gap = sn_dot(sn_vec3_sub(p->on_b, p->on_a), m->normal);
        assert_true(fabs(gap - p->gap) < 1e-9 * (1.0 + fabs(gap)));
    }
}

static double deepest_of(const sn_manifold *m, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < m[i].count; ++k) {
            least = fmin(least, m[i].points[k].gap);
        }
    }
    return least;
}

// Things that slide over the floor at random phases, upright or turned, a little above or below:
// one manifold with the normal of the floor, exactly, as deep as over a plane.
static void slide(const sn_collider *body, const sn_collider *ground, sn_quat start, double height,
                  double scale, uint64_t seed)
{
    sn_random random = {.seed = seed};
    const sn_transform origin = SN_TRANSFORM_IDENTITY;
    sn_collider plane = sn_collider_plane();
    double margin = 0.02 * scale;
    int steps = scale == 1.0 ? 1000 : 200; // over hundreds of edges each
    for (int step = 0; step < steps; ++step) {
        double turn = sn_random_range(&random, 0.0, 2.0 * SN_PI);
        sn_transform place;
        place.rotation =
            sn_quat_multiply(sn_quat_from_axis_angle(sn_vec3_make(0.0, 0.0, 1.0), turn), start);
        place.position = sn_vec3_make(scale * sn_random_range(&random, -0.7, 0.7),
                                      scale * sn_random_range(&random, -0.7, 0.7),
                                      scale * (height + sn_random_range(&random, -1e-4, 1e-3)));
        sn_manifold got[MOST], wanted[1];
        int left_out = 0;
        int count =
            sn_collide_with_ground(body, &place, ground, &origin, margin, got, MOST, &left_out);
        int planes = sn_collide(body, &place, &plane, &origin, margin, NULL, wanted, 1, NULL);
        assert_int_equal(count, planes);
        if (count == 0) {
            continue;
        }
        check_sound(&got[0], margin);
        assert_int_equal(left_out, 0);
        assert_true(got[0].normal.x == 0.0 && got[0].normal.y == 0.0 && got[0].normal.z == -1.0);
        assert_true(fabs(deepest_of(got, 1) - deepest_of(wanted, 1)) < 1e-6 * scale);
        // As many corners as over a plane carry, and they span as much.
        assert_true(got[0].count >= (wanted[0].count < 3 ? wanted[0].count : 3));
        double span[2] = {0.0, 0.0};
        for (int which = 0; which < 2; ++which) {
            const sn_manifold *m = which == 0 ? got : wanted;
            for (int i = 0; i < m->count; ++i) {
                for (int k = 0; k < i; ++k) {
                    span[which] =
                        fmax(span[which], sn_distance(m->points[i].on_a, m->points[k].on_a));
                }
            }
        }
        assert_true(span[0] >= 0.9 * span[1]);
    }
}

static void slide_all(const sn_collider *ground, double scale, uint64_t seed)
{
    const sn_quat upright = SN_QUAT_IDENTITY;
    sn_quat lying = sn_quat_from_axis_angle(sn_vec3_make(1.0, 0.0, 0.0), 0.5 * SN_PI);
    sn_quat slanted = sn_quat_from_axis_angle(sn_vec3_make(1.0, 0.0, 0.0), 0.3);
    sn_collider ball = sn_collider_sphere(0.15 * scale);
    slide(&ball, ground, upright, 0.15, scale, seed);
    sn_collider box = sn_collider_box(sn_vec3_make(0.2 * scale, 0.15 * scale, 0.1 * scale), 0.0);
    slide(&box, ground, upright, 0.1, scale, seed + 1);
    double corner = 0.1 * cos(0.3) + 0.15 * sin(0.3);
    slide(&box, ground, slanted, corner, scale, seed + 2);
    sn_collider round =
        sn_collider_box(sn_vec3_make(0.15 * scale, 0.1 * scale, 0.05 * scale), 0.05 * scale);
    slide(&round, ground, upright, 0.1, scale, seed + 3);
    sn_collider capsule = sn_collider_capsule(0.1 * scale, 0.2 * scale);
    slide(&capsule, ground, lying, 0.1, scale, seed + 4);
    slide(&capsule, ground, upright, 0.3, scale, seed + 5);
    sn_collider cylinder = sn_collider_cylinder(0.1 * scale, 0.15 * scale);
    slide(&cylinder, ground, upright, 0.15, scale, seed + 6);
    slide(&cylinder, ground, lying, 0.1, scale, seed + 7);
    sn_collider cone = sn_collider_cone(0.1 * scale, 0.15 * scale);
    slide(&cone, ground, upright, 0.15, scale, seed + 8);
}

static void test_flat_floors(void **state)
{
    (void)state;
    const double scales[3] = {1.0, 0.01, 100.0};
    for (int s = 0; s < 3; ++s) {
        const sn_mesh_tree *tree = make_floor(s == 0 ? 32 : 12, scales[s], 5);
        sn_collider ground = sn_mesh_tree_collider(tree);
        slide_all(&ground, scales[s], 100 * (uint64_t)s);
        sn_mesh_tree_release(tree);
    }
}

// The same over a height field, and over one whose plane is tilted, seen from its own frame.
static void test_flat_fields(void **state)
{
    (void)state;
    double heights[33 * 29];
    memset(heights, 0, sizeof heights);
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, 33, 29, 2.0, 2.0, &field, NULL), SN_OK);
    sn_collider ground = sn_collider_height_field(field);
    slide_all(&ground, 1.0, 700);
    sn_height_field_release(field);
}

// Twins of height fields: each the other's, with the same corners the other way round.
static void test_field_twins(void **state)
{
    (void)state;
    double heights[5 * 4] = {0};
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, 5, 4, 2.0, 2.0, &field, NULL), SN_OK);
    sn_collider ground = sn_collider_height_field(field);
    int rims = 0;
    for (int e = 0; e < 3 * 2 * 4 * 3; ++e) {
        int twin = sn_facet_twin(&ground, e);
        if (twin < 0) {
            rims += 1;
            continue;
        }
        assert_int_equal(sn_facet_twin(&ground, twin), e);
        sn_facet a = sn_facet_get(&ground, e / 3), b = sn_facet_get(&ground, twin / 3);
        assert_memory_equal(&a.corners[e % 3], &b.corners[(twin + 1) % 3], sizeof(sn_vec3));
        assert_memory_equal(&a.corners[(e % 3 + 1) % 3], &b.corners[twin % 3], sizeof(sn_vec3));
    }
    assert_int_equal(rims, 2 * (4 + 3));
    sn_height_field_release(field);
}

// A box as a closed mesh and as a box: bodies that come near to it, or a little into it, touch
// both alike.
static void test_solid_against_box(void **state)
{
    (void)state;
    const double scales[3] = {1.0, 0.01, 100.0};
    for (int s = 0; s < 3; ++s) {
        double scale = scales[s];
        sn_mesh *mesh = NULL;
        sn_mesh_box(sn_vec3_scale(scale, sn_vec3_make(1.0, 0.8, 0.6)), &mesh, NULL);
        const sn_mesh_tree *tree = make_tree(mesh);
        sn_collider ground = sn_mesh_tree_collider(tree);
        sn_collider same = sn_collider_box(sn_vec3_scale(scale, sn_vec3_make(0.5, 0.4, 0.3)), 0.0);
        sn_random random = {.seed = 11 + (uint64_t)s};
        int touching = 0;
        for (int run = 0; run < rounds_of(1500, 300); ++run) {
            sn_collider body = random_body(&random, run % 6, scale);
            sn_transform at = {random_vector(&random, scale), random_rotation(&random)};
            sn_transform place = {random_vector(&random, scale), random_rotation(&random)};
            // Moved along the line between the nearest points until the gap is as wanted.
            double wanted = scale * sn_random_range(&random, -1e-3, 0.02);
            wanted = run % 3 == 0 ? 0.0 : wanted;
            sn_vec3 on_a, on_b;
            double gap = sn_collide_distance(&body, &place, &same, &at, NULL, &on_a, &on_b);
            if (gap < 0.05 * scale) {
                continue;
            }
            sn_vec3 to = sn_normalize(sn_vec3_sub(on_b, on_a));
            place.position = sn_vec3_add_scaled(place.position, gap - wanted, to);
            gap = sn_collide_distance(&body, &place, &same, &at, NULL, &on_a, &on_b);
            sn_manifold got[MOST], reverse[MOST];
            double margin = 0.03 * scale;
            int count = sn_collide(&body, &place, &ground, &at, margin, NULL, got, MOST, NULL);
            assert_true(count >= 1);
            bool along = false;
            for (int i = 0; i < count; ++i) {
                check_sound(&got[i], margin);
                along = along || sn_dot(got[i].normal, to) > 0.999;
            }
            assert_true(fabs(deepest_of(got, count) - gap) < 2e-3 * scale);
            if (gap > 1e-4 * scale) {
                assert_true(along); // b - a at the nearest points: from a to b
                assert_true(fabs(deepest_of(got, count) - gap) < 1e-4 * scale);
            }
            touching += gap < 0.0;
            // Seen the other way round.
            int back = sn_collide(&ground, &at, &body, &place, margin, NULL, reverse, MOST, NULL);
            assert_int_equal(back, count);
            for (int i = 0; i < count; ++i) {
                sn_manifold_swap(&reverse[i]);
                assert_memory_equal(&reverse[i].normal, &got[i].normal, sizeof(sn_vec3));
                for (int k = 0; k < got[i].count; ++k) {
                    const sn_manifold_point *p = &got[i].points[k], *q = &reverse[i].points[k];
                    assert_memory_equal(&p->on_a, &q->on_a, sizeof p->on_a);
                    assert_memory_equal(&p->on_b, &q->on_b, sizeof p->on_b);
                    assert_true(p->gap == q->gap && p->feature == q->feature);
                }
            }
        }
        assert_true(touching > 10);
        sn_mesh_tree_release(tree);
    }
}

// A body far below the surface leaves through the nearest face, not the far one.
static void test_inside(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_mesh_box(sn_vec3_make(4.0, 4.0, 2.0), &mesh, NULL);
    const sn_mesh_tree *tree = make_tree(mesh);
    sn_collider ground = sn_mesh_tree_collider(tree);
    double heights[25] = {0};
    sn_height_field *field = NULL;
    for (int k = 0; k < 25; ++k) {
        heights[k] = 1.0;
    }
    assert_int_equal(sn_height_field_create(heights, 5, 5, 4.0, 4.0, &field, NULL), SN_OK);
    sn_collider low = sn_collider_height_field(field);
    sn_random random = {.seed = 21};
    const sn_transform origin = SN_TRANSFORM_IDENTITY;
    for (int run = 0; run < rounds_of(600, 120); ++run) {
        sn_collider body = random_body(&random, run % 6, 1.0);
        sn_transform place = {{sn_random_range(&random, -1.0, 1.0),
                               sn_random_range(&random, -1.0, 1.0),
                               sn_random_range(&random, 0.05, 0.99)},
                              random_rotation(&random)};
        sn_vec3 lowest = sn_rotate_inverse(place.rotation, sn_vec3_make(0.0, 0.0, -1.0));
        int corner = 0;
        sn_vec3 support = sn_transform_point(place, sn_collider_support(&body, lowest, &corner));
        double depth = support.z - body.rounding - 1.0;
        for (int kind = 0; kind < 2; ++kind) {
            sn_manifold got[MOST];
            int count = sn_collide(&body, &place, kind == 0 ? &ground : &low, &origin, 0.01, NULL,
                                   got, MOST, NULL);
            assert_int_equal(count, 1);
            assert_true(got[0].normal.z < -1.0 + 1e-12);
            assert_true(fabs(deepest_of(got, 1) - depth) < 1e-9);
        }
    }
    sn_height_field_release(field);
    sn_mesh_tree_release(tree);
}

// Bodies on a plate of 1 mm feel its upper side only, and a sheet pushes to both sides.
static void test_thin(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_mesh_box(sn_vec3_make(2.0, 2.0, 0.001), &mesh, NULL);
    const sn_mesh_tree *plate = make_tree(mesh);
    const sn_mesh_tree *sheet = make_floor(9, 1.0, 31);
    sn_random random = {.seed = 32};
    const sn_transform origin = SN_TRANSFORM_IDENTITY;
    for (int run = 0; run < 1200; ++run) {
        bool upper = run % 2 == 0, closed = run % 4 < 2;
        sn_collider ground = sn_mesh_tree_collider(closed ? plate : sheet);
        sn_collider body = random_body(&random, run % 6, 1.0);
        sn_transform place = {
            {sn_random_range(&random, -0.5, 0.5), sn_random_range(&random, -0.5, 0.5), 0.0},
            random_rotation(&random)};
        double side = upper ? 1.0 : -1.0;
        sn_vec3 down = sn_rotate_inverse(place.rotation, sn_vec3_make(0.0, 0.0, -side));
        int corner = 0;
        sn_vec3 support = sn_rotate(place.rotation, sn_collider_support(&body, down, &corner));
        double gap = sn_random_range(&random, -0.0004, 0.004);
        double surface = closed ? 0.0005 : 0.0;
        place.position.z = side * (surface + gap + body.rounding) - support.z;
        sn_manifold got[MOST];
        int count = sn_collide(&body, &place, &ground, &origin, 0.005, NULL, got, MOST, NULL);
        assert_int_equal(count, 1);
        check_sound(&got[0], 0.005);
        assert_true(side * got[0].normal.z < -1.0 + 1e-6);
        assert_true(fabs(deepest_of(got, 1) - gap) < 1e-5);
    }
    sn_mesh_tree_release(plate);
    sn_mesh_tree_release(sheet);
}

// Box meshes against box meshes as boxes against boxes.
static void test_mesh_against_mesh(void **state)
{
    (void)state;
    sn_mesh *meshes[2] = {NULL, NULL};
    sn_mesh_box(sn_vec3_make(1.0, 0.8, 0.6), &meshes[0], NULL);
    sn_mesh_box(sn_vec3_make(0.3, 0.5, 0.4), &meshes[1], NULL);
    const sn_mesh_tree *trees[2] = {make_tree(meshes[0]), make_tree(meshes[1])};
    sn_collider a = sn_mesh_tree_collider(trees[0]), b = sn_mesh_tree_collider(trees[1]);
    sn_collider box_a = sn_collider_box(sn_vec3_make(0.5, 0.4, 0.3), 0.0);
    sn_collider box_b = sn_collider_box(sn_vec3_make(0.15, 0.25, 0.2), 0.0);
    sn_random random = {.seed = 41};
    int touching = 0;
    for (int run = 0; run < 1500; ++run) {
        sn_transform at = {random_vector(&random, 1.0), random_rotation(&random)};
        sn_transform place = {random_vector(&random, 1.0), random_rotation(&random)};
        if (run % 3 == 0) { // face on face
            place.rotation = at.rotation;
        }
        sn_vec3 on_a, on_b;
        double gap = sn_collide_distance(&box_a, &at, &box_b, &place, NULL, &on_a, &on_b);
        if (gap < 0.05) {
            continue;
        }
        sn_vec3 to = sn_normalize(sn_vec3_sub(on_b, on_a));
        double wanted = sn_random_range(&random, -1e-3, 0.02);
        place.position = sn_vec3_add_scaled(place.position, wanted - gap, to);
        gap = sn_collide_distance(&box_a, &at, &box_b, &place, NULL, &on_a, &on_b);
        sn_manifold got[MOST];
        int count = sn_collide(&a, &at, &b, &place, 0.03, NULL, got, MOST, NULL);
        assert_true(count >= 1);
        bool along = false;
        for (int i = 0; i < count; ++i) {
            check_sound(&got[i], 0.03);
            along = along || sn_dot(got[i].normal, to) > 0.999;
        }
        assert_true(along || gap < 1e-4);
        assert_true(fabs(deepest_of(got, count) - gap) < 2e-3);
        touching += gap < 0.0;
    }
    assert_true(touching > 20);
    sn_mesh_tree_release(trees[0]);
    sn_mesh_tree_release(trees[1]);
}

// Rings that pass by each other, some through each other's holes: nothing where their nearest
// points are beyond the margin, and the nearest gap where they are not, whatever the cache saw.
static void test_near_misses(void **state)
{
    (void)state;
    sn_mesh *meshes[2] = {NULL, NULL};
    sn_mesh_torus(1.0, 0.2, 9, &meshes[0], NULL);
    sn_mesh_torus(0.6, 0.06, 8, &meshes[1], NULL);
    const sn_mesh_tree *trees[2] = {make_tree(meshes[0]), make_tree(meshes[1])};
    sn_collider a = sn_mesh_tree_collider(trees[0]), b = sn_mesh_tree_collider(trees[1]);
    sn_random random = {.seed = 42};
    int apart = 0, near = 0, linked = 0;
    const double margin = 0.1;
    for (int run = 0; run < 100; ++run) {
        sn_transform at = {random_vector(&random, 0.5), random_rotation(&random)};
        sn_transform place = {random_vector(&random, 1.5), random_rotation(&random)};
        sn_vec3 drift = random_vector(&random, 0.01);
        sn_collide_cache cache = {0};
        for (int step = 0; step < 3; ++step) {
            place.position = sn_vec3_add(place.position, drift);
            sn_vec3 on_a, on_b;
            double gap = sn_collide_distance(&a, &at, &b, &place, NULL, &on_a, &on_b);
            sn_manifold got[MOST], again[MOST];
            int count = sn_collide(&a, &at, &b, &place, margin, &cache, got, MOST, NULL);
            int fresh = sn_collide(&a, &at, &b, &place, margin, NULL, again, MOST, NULL);
            assert_int_equal(count, fresh);
            if (gap > margin) {
                assert_int_equal(count, 0);
                apart += 1;
                linked += sn_distance(at.position, place.position) < 1.0;
            } else if (gap > 0.0) {
                assert_true(count > 0);
                assert_true(deepest_of(got, count) == deepest_of(again, count));
                assert_true(fabs(deepest_of(got, count) - gap) < 1e-3);
                near += 1;
            }
        }
    }
    assert_true(apart > 100 && near > 15 && linked > 1);
    sn_mesh_tree_release(trees[0]);
    sn_mesh_tree_release(trees[1]);
}

// A mesh over a plane: its lowest corners, four that span it.
static void test_mesh_over_plane(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_mesh_torus(0.5, 0.1, 24, &mesh, NULL);
    const sn_mesh_tree *tree = make_tree(mesh);
    sn_collider ring = sn_mesh_tree_collider(tree), plane = sn_collider_plane();
    sn_random random = {.seed = 51};
    for (int run = 0; run < 300; ++run) {
        sn_transform ground = {random_vector(&random, 1.0), random_rotation(&random)};
        sn_transform above = {{0.0, 0.0, 0.1}, random_rotation(&random)};
        if (run % 2 == 0) {
            above.rotation = SN_QUAT_IDENTITY;
        }
        double lowest = INFINITY;
        for (int e = 0; e < 3 * tree->triangle_count; ++e) {
            sn_vec3 p = sn_transform_point(above, tree->positions[tree->triangles[e]]);
            lowest = fmin(lowest, p.z);
        }
        above.position.z += sn_random_range(&random, -0.01, 0.01) - lowest;
        lowest += above.position.z - 0.1 - 0.0;
        sn_transform place = sn_transform_multiply(ground, above);
        sn_manifold got[MOST];
        int count = sn_collide(&ring, &place, &plane, &ground, 0.02, NULL, got, MOST, NULL);
        assert_int_equal(count, 1);
        check_sound(&got[0], 0.02);
        sn_vec3 up = sn_rotate(ground.rotation, sn_vec3_make(0.0, 0.0, 1.0));
        assert_true(sn_dot(up, got[0].normal) < -1.0 + 1e-12);
        assert_true(fabs(deepest_of(got, 1) - lowest) < 2e-4);
        if (run % 2 == 0) { // flat on the ground: a ring of points, four of them around the middle
            assert_int_equal(got[0].count, 4);
            assert_true(sn_distance(got[0].points[0].on_a, got[0].points[1].on_a) > 0.9);
            assert_true(sn_distance(got[0].points[2].on_a, got[0].points[3].on_a) > 0.9);
        }
    }
    sn_mesh_tree_release(tree);
}

// A box that moves a little over a floor keeps the names of its corners and of its patch.
static void test_names_persist(void **state)
{
    (void)state;
    const sn_mesh_tree *tree = make_floor(24, 1.0, 61);
    sn_collider ground = sn_mesh_tree_collider(tree);
    sn_collider box = sn_collider_box(sn_vec3_make(0.2, 0.15, 0.1), 0.0);
    const sn_transform origin = SN_TRANSFORM_IDENTITY;
    double heights[20 * 20];
    for (int k = 0; k < 20 * 20; ++k) { // tilted, and level in its own frame
        heights[k] = 0.3 * (k % 20) / 19.0 - 0.15;
    }
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, 20, 20, 2.0, 2.0, &field, NULL), SN_OK);
    sn_collider slope = sn_collider_height_field(field);
    uint32_t patch = 0;
    for (int step = 0; step < 200; ++step) {
        sn_collider ball = sn_collider_sphere(0.1);
        double x = -0.3 + 0.003 * step, reach = 0.1 * sqrt(1.0 + 0.15 * 0.15);
        sn_transform place = {{x, 0.1, 0.15 * x + reach}, SN_QUAT_IDENTITY};
        sn_manifold got[MOST];
        assert_int_equal(sn_collide(&ball, &place, &slope, &origin, 0.01, NULL, got, MOST, NULL),
                         1);
        patch = step == 0 ? got[0].patch : patch;
        assert_int_equal(got[0].patch, patch);
    }
    sn_height_field_release(field);
    sn_manifold first[MOST];
    for (int step = 0; step < 200; ++step) {
        sn_transform place = {{-0.3 + 0.003 * step, 0.1, 0.1 + 1e-6},
                              sn_quat_from_axis_angle(sn_vec3_make(0.0, 0.0, 1.0), 0.3)};
        sn_manifold got[MOST];
        assert_int_equal(sn_collide(&box, &place, &ground, &origin, 0.01, NULL, got, MOST, NULL),
                         1);
        assert_int_equal(got[0].count, 4);
        if (step == 0) {
            memcpy(first, got, sizeof got);
        }
        assert_int_equal(got[0].patch, first[0].patch);
        for (int k = 0; k < 4; ++k) {
            int same = 0;
            for (int m = 0; m < 4; ++m) {
                same += got[0].points[k].feature == first[0].points[m].feature;
            }
            assert_int_equal(same, 1);
        }
    }
    sn_mesh_tree_release(tree);
}

// Where bodies are just above a rough ground, the nearest place of all is among the contacts, with
// its gap and its normal; of a ball even when it is pressed in.
static void test_nearest_is_there(void **state)
{
    (void)state;
    enum { N = 14 };
    double heights[N * N];
    sn_random random = {.seed = 81};
    for (int k = 0; k < N * N; ++k) {
        heights[k] = sn_random_range(&random, -0.12, 0.12);
    }
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, N, N, 2.0, 2.0, &field, NULL), SN_OK);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_height_field_mesh(field, &mesh, NULL), SN_OK);
    const sn_mesh_tree *tree = make_tree(mesh);
    const sn_transform origin = SN_TRANSFORM_IDENTITY;
    int checked = 0;
    for (int run = 0; run < 1200; ++run) {
        sn_collider ground =
            run % 2 == 0 ? sn_mesh_tree_collider(tree) : sn_collider_height_field(field);
        sn_collider body = random_body(&random, run % 6, 1.0);
        sn_transform place = {
            {sn_random_range(&random, -0.6, 0.6), sn_random_range(&random, -0.6, 0.6), 2.0},
            random_rotation(&random)};
        double fraction = 0.0, wanted = sn_random_range(&random, 1e-4, 0.01);
        sn_vec3 point, normal, on_a, on_b;
        if (!sn_collide_cast(&body, &place, sn_vec3_make(0.0, 0.0, -3.0), &ground, &origin,
                             &fraction, &point, &normal)) {
            continue;
        }
        place.position.z -= 3.0 * fraction - wanted;
        double gap = sn_collide_distance(&body, &place, &ground, &origin, NULL, &on_a, &on_b);
        assert_true(gap > 0.0);
        sn_manifold got[MOST];
        int count = sn_collide(&body, &place, &ground, &origin, 0.02, NULL, got, MOST, NULL);
        assert_true(count >= 1);
        assert_true(fabs(deepest_of(got, count) - gap) < 1e-4);
        bool along = false;
        for (int i = 0; i < count; ++i) {
            sn_vec3 to = sn_normalize(sn_vec3_sub(on_b, on_a));
            along = along || sn_dot(got[i].normal, to) > 0.9999;
        }
        assert_true(along);
        checked += 1;
        if (body.type == SN_COLLIDER_SPHERE) { // pressed in by a third of its radius
            sn_vec3 near;
            place.position.z -= wanted + 0.3 * body.rounding;
            double distance = 0.0;
            int facet = sn_mesh_tree_nearest(tree, place.position, 1.0, &near, &distance);
            assert_true(facet >= 0);
            count = sn_collide(&body, &place, &ground, &origin, 0.02, NULL, got, MOST, NULL);
            assert_true(fabs(deepest_of(got, count) - (distance - body.rounding)) < 1e-9);
        }
    }
    assert_true(checked > 900);
    sn_mesh_tree_release(tree);
    sn_height_field_release(field);
}

// Triangles that are just off a rough sheet, on either side, are not in it: the side of a facet
// that a thin thing is on is told by where it is, not by the middle of a box around it.
static void test_triangles_off_sheets(void **state)
{
    (void)state;
    enum { N = 14 };
    double heights[N * N];
    sn_random random = {.seed = 82};
    for (int k = 0; k < N * N; ++k) {
        heights[k] = sn_random_range(&random, -0.08, 0.08);
    }
    sn_height_field *field = NULL;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_height_field_create(heights, N, N, 2.0, 2.0, &field, NULL), SN_OK);
    assert_int_equal(sn_height_field_mesh(field, &mesh, NULL), SN_OK);
    sn_height_field_release(field);
    const sn_mesh_tree *tree = make_tree(mesh);
    const sn_collider sheet = sn_mesh_tree_collider(tree);
    const sn_transform origin = SN_TRANSFORM_IDENTITY;
    int checked = 0, seen = 0, runs = rounds_of(6000, 600);
    for (int run = 0; run < runs; ++run) {
        double side = run % 2 == 0 ? 1.0 : -1.0, fraction = 0.0;
        sn_vec3 corners[3], point, normal, on_a, on_b;
        for (int k = 0; k < 3; ++k) {
            corners[k] = random_vector(&random, 0.15);
            corners[k].z *= 0.3;
        }
        sn_collider triangle = sn_collider_triangle(corners, 0.0);
        sn_transform place = {
            {sn_random_range(&random, -0.7, 0.7), sn_random_range(&random, -0.7, 0.7), 2.0 * side},
            SN_QUAT_IDENTITY};
        if (!sn_collide_cast(&triangle, &place, sn_vec3_make(0.0, 0.0, -3.0 * side), &sheet,
                             &origin, &fraction, &point, &normal)) {
            continue;
        }
        place.position.z -= side * (3.0 * fraction - sn_random_range(&random, 1e-5, 3e-3));
        double gap = sn_collide_distance(&triangle, &place, &sheet, &origin, NULL, &on_a, &on_b);
        assert_true(gap > 0.0);
        sn_manifold got[MOST];
        int deep = sn_collide(&sheet, &origin, &triangle, &place, 0.0, NULL, got, MOST, NULL);
        assert_int_equal(deep, 0);
        int count = sn_collide(&sheet, &origin, &triangle, &place, 0.01, NULL, got, MOST, NULL);
        assert_true(count > 0 && deepest_of(got, count) > gap - 1e-7);
        seen += deepest_of(got, count) < gap + 1e-4;
        checked += 1;
    }
    assert_true(6 * checked > 5 * runs && seen == checked);
    sn_mesh_tree_release(tree);
}

// Meshes that no one should make: flat, needle-like and doubled triangles, edges of three, all
// corners in one place, bodies in the middle of it all. No numbers that are none, sound manifolds.
static void test_degenerate(void **state)
{
    (void)state;
    sn_random random = {.seed = 91};
    for (int run = 0; run < rounds_of(1500, 150); ++run) {
        enum { V = 12, T = 16 };
        double scale = run % 3 == 0 ? 1.0 : run % 3 == 1 ? 1e-3 : 1e3;
        sn_vec3 points[V];
        int triangles[3 * T];
        for (int k = 0; k < V; ++k) {
            points[k] = random_vector(&random, 0.5 * scale);
            points[k].z = run % 4 == 0 ? 0.0 : points[k].z;                     // flat
            points[k].y = run % 8 == 0 ? 1e-12 * scale : points[k].y;           // needles
            points[k] = run % 5 == 0 && k % 2 == 1 ? points[k - 1] : points[k]; // coincident
        }
        for (int k = 0; k < T; ++k) {
            int *v = triangles + 3 * k;
            v[0] = sn_random_below(&random, V);
            v[1] = (v[0] + 1 + sn_random_below(&random, V - 2)) % V;
            do {
                v[2] = sn_random_below(&random, V);
            } while (v[2] == v[0] || v[2] == v[1]);
        }
        sn_mesh *mesh = NULL;
        assert_int_equal(sn_mesh_create(points, V, triangles, T, &mesh, NULL), SN_OK);
        const sn_mesh_tree *tree = make_tree(mesh);
        sn_collider ground = sn_mesh_tree_collider(tree);
        sn_collider body = random_body(&random, run % 6, scale);
        sn_transform at = SN_TRANSFORM_IDENTITY, place = SN_TRANSFORM_IDENTITY;
        if (run % 7 != 0) {
            place.position = random_vector(&random, 0.3 * scale);
            place.rotation = random_rotation(&random);
        } else if (run % 14 == 0) {
            place.position = points[run % V]; // a corner in the middle of the body
        }
        sn_manifold got[MOST];
        int left_out = 0;
        int count =
            sn_collide(&body, &place, &ground, &at, 0.02 * scale, NULL, got, MOST, &left_out);
        for (int i = 0; i < count; ++i) {
            check_sound(&got[i], 0.02 * scale);
        }
        count = sn_collide(&ground, &at, &ground, &place, 0.02 * scale, NULL, got, MOST, &left_out);
        for (int i = 0; i < count; ++i) {
            check_sound(&got[i], 0.02 * scale);
        }
        sn_vec3 p, q;
        double gap = sn_collide_distance(&body, &place, &ground, &at, NULL, &p, &q);
        assert_true(isfinite(gap) && sn_vec3_is_finite(p) && sn_vec3_is_finite(q));
        sn_mesh_tree_release(tree);
    }
}

// Random bodies over rough meshes and fields, of several scales and places: no numbers that are
// none, and the same contacts but for scale.
static void test_rough(void **state)
{
    (void)state;
    enum { N = 16 };
    double heights[N * N];
    sn_random random = {.seed = 71};
    for (int k = 0; k < N * N; ++k) {
        heights[k] = sn_random_range(&random, -0.1, 0.1);
    }
    int contacts = 0, more = 0;
    for (int run = 0; run < 600; ++run) {
        uint64_t seed = 1000 + (uint64_t)run;
        double least[3];
        int counts[3];
        for (int s = 0; s < 3; ++s) {
            const double scales[3] = {1.0, 0.01, 100.0};
            double scale = scales[s], scaled[N * N];
            for (int k = 0; k < N * N; ++k) {
                scaled[k] = scale * heights[k];
            }
            sn_height_field *field = NULL;
            assert_int_equal(
                sn_height_field_create(scaled, N, N, 2.0 * scale, 2.0 * scale, &field, NULL),
                SN_OK);
            sn_random own = {.seed = seed};
            sn_collider body = random_body(&own, run % 6, scale);
            sn_transform place = {random_vector(&own, 0.8 * scale), random_rotation(&own)};
            place.position.z *= 0.4;
            sn_transform at = {random_vector(&own, scale), random_rotation(&own)};
            place = sn_transform_multiply(at, place);
            sn_mesh *mesh = NULL;
            const sn_mesh_tree *tree = NULL;
            sn_collider ground = sn_collider_height_field(field);
            if (run % 2 == 0) {
                assert_int_equal(sn_height_field_mesh(field, &mesh, NULL), SN_OK);
                tree = make_tree(mesh);
                ground = sn_mesh_tree_collider(tree);
            }
            sn_manifold got[MOST];
            int left_out = 0;
            counts[s] =
                sn_collide(&body, &place, &ground, &at, 0.02 * scale, NULL, got, MOST, &left_out);
            for (int i = 0; i < counts[s]; ++i) {
                check_sound(&got[i], 0.02 * scale);
            }
            least[s] = deepest_of(got, counts[s]) / scale;
            more += left_out;
            contacts += counts[s];
            sn_mesh_tree_release(tree);
            sn_height_field_release(field);
        }
        assert_int_equal(counts[0], counts[1]);
        assert_int_equal(counts[0], counts[2]);
        if (counts[0] > 0) {
            assert_true(fabs(least[1] - least[0]) < 1e-6 && fabs(least[2] - least[0]) < 1e-6);
        }
    }
    assert_true(contacts > 500);
    (void)more;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_floors),
        cmocka_unit_test(test_flat_fields),
        cmocka_unit_test(test_field_twins),
        cmocka_unit_test(test_solid_against_box),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_mesh_against_mesh),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_mesh_over_plane),
        cmocka_unit_test(test_names_persist),
        cmocka_unit_test(test_nearest_is_there),
        cmocka_unit_test(test_triangles_off_sheets),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_rough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
