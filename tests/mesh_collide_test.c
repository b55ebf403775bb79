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
#include "geometry/height_field.h"
#include "math/rotation.h"

enum { MOST = 16 };

__attribute__((unused)) static sn_vec3 random_vector(sn_random *random, double reach)
{
    double x = sn_random_range(random, -reach, reach), y = sn_random_range(random, -reach, reach);
    return sn_vec3_make(x, y, sn_random_range(random, -reach, reach));
}

__attribute__((unused)) static sn_quat random_rotation(sn_random *random)
{
    sn_quat q = {sn_random_range(random, -1.0, 1.0), sn_random_range(random, -1.0, 1.0),
                 sn_random_range(random, -1.0, 1.0), sn_random_range(random, -1.0, 1.0)};
    return sn_quat_normalize(q);
}

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
    for (int step = 0; step < 1000; ++step) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_floors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
