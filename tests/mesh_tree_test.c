// Trees of meshes: nearest points and signs against all triangles and closed forms, rays through
// edges, patches, open and closed, memory that runs out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "collide/mesh_tree.h"
#include "random_vector.h"

static const sn_mesh_tree *make_tree(sn_mesh *mesh)
{
    sn_mesh_tree *tree = NULL;
    sn_error error = {0};
    if (sn_mesh_tree_create(mesh, &tree, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mesh_release(mesh); // the tree holds its own
    assert_true(sn_box_tree_is_sound(&tree->boxes));
    return tree;
}

static void test_nearest(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    for (int kind = 0; kind < 3; ++kind) {
        sn_mesh *mesh = NULL;
        if (kind == 0) {
            sn_mesh_torus(1.0, 0.3, 24, &mesh, NULL);
        } else if (kind == 1) {
            sn_mesh_box(sn_vec3_make(1.0, 2.0, 0.5), &mesh, NULL);
        } else {
            sn_mesh_cone(0.7, 1.5, 9, &mesh, NULL);
        }
        const sn_mesh_tree *tree = make_tree(mesh);
        assert_true(tree->closed);
        for (int run = 0; run < 400; ++run) {
            sn_vec3 x = random_vector(&random, 1.5), near = {0};
            double distance = 0.0, best = INFINITY;
            int triangle = sn_mesh_tree_nearest(tree, x, INFINITY, &near, &distance);
            assert_true(triangle >= 0);
            for (int t = 0; t < tree->triangle_count; ++t) {
                const int *v = tree->triangles + 3 * t;
                sn_vec3 p[3] = {tree->positions[v[0]], tree->positions[v[1]],
                                tree->positions[v[2]]};
                int feature = -1;
                sn_vec3 on = sn_triangle_nearest(p, x, &feature);
                assert_true(feature >= 0 && feature <= 6);
                best = fmin(best, sn_distance(on, x));
            }
            assert_true(fabs(fabs(distance) - best) < 1e-14);
            assert_true(fabs(sn_distance(x, near) - best) < 1e-14);
            if (kind == 1) { // inside of a box, in closed form
                bool inside = fabs(x.x) < 0.5 && fabs(x.y) < 1.0 && fabs(x.z) < 0.25;
                assert_int_equal(distance < 0.0, inside);
            }
            // Nothing within less than that.
            sn_vec3 none = {0};
            double far = 0.0;
            assert_int_equal(sn_mesh_tree_nearest(tree, x, 0.999 * best, &none, &far), -1);
            // The sign by counting crossings of a ray.
            int crossings = 0;
            sn_vec3 direction = random_vector(&random, 1.0);
            for (int t = 0; t < tree->triangle_count; ++t) {
                const int *v = tree->triangles + 3 * t;
                sn_vec3 p[3] = {tree->positions[v[0]], tree->positions[v[1]],
                                tree->positions[v[2]]};
                crossings += sn_triangle_ray(p, x, direction) > 0.0;
            }
            assert_int_equal(crossings % 2 == 1, distance < 0.0);
        }
        sn_mesh_tree_release(tree);
    }
}

// The vertex farthest along any direction, against all of them.
static void test_support(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_torus(1.0, 0.3, 24, &mesh, NULL), SN_OK);
    const sn_mesh_tree *tree = make_tree(mesh);
    for (int run = 0; run < 400; ++run) {
        sn_vec3 d = random_vector(&random, 1.0);
        d = run % 8 == 0 ? sn_vec3_make(0.0, run % 16 == 0 ? 1.0 : -2.0, 0.0) : d;
        double most = -INFINITY;
        for (int e = 0; e < 3 * tree->triangle_count; ++e) {
            most = fmax(most, sn_dot(d, tree->positions[tree->triangles[e]]));
        }
        assert_true(sn_dot(d, tree->positions[sn_mesh_tree_support(tree, d)]) == most);
    }
    sn_mesh_tree_release(tree);
}

// The nearest point of a triangle, by sampling: none is nearer.
static void test_triangle_nearest(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    int seen[7] = {0};
    for (int run = 0; run < 2000; ++run) {
        sn_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = random_vector(&random, 1.0);
        }
        if (run % 10 == 0) {
            p[2] = sn_vec3_scale(0.5, sn_vec3_add(p[0], p[1])); // no area
        }
        sn_vec3 x = random_vector(&random, 2.0);
        int feature = -1;
        sn_vec3 on = sn_triangle_nearest(p, x, &feature);
        assert_true(sn_vec3_is_finite(on));
        seen[feature] += 1;
        double distance = sn_distance(on, x);
        for (int i = 0; i <= 12; ++i) {
            for (int j = 0; i + j <= 12; ++j) {
                double a = i / 12.0, b = j / 12.0;
                sn_vec3 at = sn_vec3_scale(1.0 - a - b, p[0]);
                at = sn_vec3_add_scaled(sn_vec3_add_scaled(at, a, p[1]), b, p[2]);
                assert_true(sn_distance(at, x) > distance - 1e-9);
            }
        }
    }
    for (int k = 0; k < 7; ++k) {
        assert_true(seen[k] > 50);
    }
}

// Rays at edges and corners of a closed surface from its middle: none slips through.
static void test_watertight(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_mesh_sphere(1.0, 20, &mesh, NULL);
    const sn_mesh_tree *tree = make_tree(mesh);
    sn_random random = {.seed = 3};
    for (int e = 0; e < 3 * tree->triangle_count; ++e) {
        const int *v = tree->triangles + 3 * (e / 3);
        sn_vec3 a = tree->positions[v[e % 3]], b = tree->positions[v[(e + 1) % 3]];
        double t = e % 5 == 0 ? 0.0 : sn_random_unit(&random);
        sn_vec3 origin = random_vector(&random, 0.1);
        sn_vec3 direction = sn_vec3_sub(sn_vec3_add_scaled(a, t, sn_vec3_sub(b, a)), origin);
        int met = 0;
        for (int k = 0; k < tree->triangle_count; ++k) {
            const int *w = tree->triangles + 3 * k;
            sn_vec3 p[3] = {tree->positions[w[0]], tree->positions[w[1]], tree->positions[w[2]]};
            double at = sn_triangle_ray(p, origin, direction);
            met += at > 0.0;
            assert_true(at < 0.0 || fabs(at - 1.0) < 1e-9);
        }
        assert_true(met >= 1);
    }
    sn_mesh_tree_release(tree);
}

static void test_patches(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_mesh_cylinder(1.0, 2.0, 16, &mesh, NULL);
    const sn_mesh_tree *tree = make_tree(mesh);
    int caps[2] = {-1, -1}, sides = 0;
    for (int t = 0; t < tree->triangle_count; ++t) {
        assert_true(tree->patches[t] <= t);
        if (fabs(tree->normals[t].z) > 0.5) { // all of a cap is one patch
            int cap = tree->normals[t].z > 0.0;
            caps[cap] = caps[cap] < 0 ? tree->patches[t] : caps[cap];
            assert_int_equal(tree->patches[t], caps[cap]);
        } else {
            sides += tree->patches[t] == t;
        }
    }
    assert_true(caps[0] != caps[1]);
    assert_int_equal(sides, 16);
    sn_mesh_tree_release(tree);
}

static void test_open(void **state)
{
    (void)state;
    const sn_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, triangles, 2, &mesh, NULL), SN_OK);
    const sn_mesh_tree *tree = make_tree(mesh);
    assert_false(tree->closed);
    sn_vec3 near = {0};
    double distance = 0.0;
    sn_vec3 below = {0.25, 0.5, -0.5};
    assert_true(sn_mesh_tree_nearest(tree, below, 2.0, &near, &distance) >= 0);
    assert_true(distance == 0.5); // no inside
    sn_collider collider = sn_mesh_tree_collider(tree);
    assert_true(collider.type == SN_COLLIDER_MESH && collider.bounds.upper.x == 1.0);
    assert_ptr_equal(sn_mesh_tree_retain(tree), tree);
    sn_mesh_tree_release(tree);
    sn_mesh_tree_release(tree);
    sn_mesh_tree_release(NULL);
}

static void test_memory(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_mesh_sphere(1.0, 8, &mesh, NULL);
    sn_status status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        assert_true(after < 60);
        sn_mesh_tree *tree = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_mesh_tree_create(mesh, &tree, &error);
        sn_allocation_fail_after(-1);
        assert_true((status == SN_OK) == (tree != NULL));
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
        assert_true(tree == NULL || tree->closed); // never open for want of memory
        sn_mesh_tree_release(tree);
    }
    sn_mesh_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),          cmocka_unit_test(test_support),
        cmocka_unit_test(test_triangle_nearest), cmocka_unit_test(test_watertight),
        cmocka_unit_test(test_patches),          cmocka_unit_test(test_open),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
