// Solids that overlap, told from those that touch or are apart: plates, in every pose.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/mesh_overlap.h"
#include "collide/query.h"
#include "math/rotation.h"
#include "random_vector.h"

static sn_mesh_tree *make_plate(double x, double y, double z)
{
    sn_mesh *mesh = NULL;
    sn_mesh_tree *tree = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(x, y, z), &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_tree_create(mesh, &tree, NULL), SN_OK);
    sn_mesh_release(mesh);
    return tree;
}

typedef struct pose {
    double x, y, z, angle; // of the second plate, about z
    bool overlap;
} pose;

// Two plates of 1 x 0.4 x 0.02.
static const pose poses[] = {
    {0.0, 0.0, 0.0, 1.5707963267948966, true}, // a cross in one plane
    {0.3, 0.1, 0.0, 0.8, true},                // outlines cross in one plane
    {0.9, 0.3, 0.0, 0.0, true},                // corners, axes parallel
    {0.2, 0.1, 0.01, 0.5, true},               // half as thick as they are
    {0.3, 0.2, 0.02, 0.8, false},              // flat on each other
    {0.0, 0.0, 0.02, 0.0, false},              // a pile
    {1.0, 0.0, 0.0, 0.0, false},               // side by side
    {1.0, 0.4, 0.0, 0.0, false},               // at a corner
    {0.0, 0.0, 0.03, 0.3, false},              // apart
    {1.2, 0.0, 0.0, 0.0, false},
};

static void test_plates(void **state)
{
    (void)state;
    sn_mesh_tree *a = make_plate(1.0, 0.4, 0.02), *b = make_plate(1.0, 0.4, 0.02);
    sn_collider of_a = sn_mesh_tree_collider(a), of_b = sn_mesh_tree_collider(b);
    sn_random random = {.seed = 7};
    for (size_t i = 0; i < sizeof poses / sizeof *poses; ++i) {
        const pose *p = &poses[i];
        sn_transform place = {sn_vec3_make(p->x, p->y, p->z),
                              {cos(0.5 * p->angle), 0.0, 0.0, sin(0.5 * p->angle)}};
        sn_transform back = sn_transform_inverse(place);
        if (sn_mesh_overlaps(a, b, &place, 2e-4) != p->overlap ||
            sn_mesh_overlaps(b, a, &back, 2e-4) != p->overlap) {
            fail_msg("pose %d", (int)i);
        }
        for (int k = 0; k < 20; ++k) { // wherever the two are
            sn_vec3 at = {sn_random_range(&random, -2, 2), sn_random_range(&random, -2, 2), 1.0};
            sn_vec3 axis = {sn_random_range(&random, -3, 3), sn_random_range(&random, -3, 3), 0.7};
            sn_transform frame = {at, sn_quat_exp(axis)},
                         other = sn_transform_multiply(frame, place);
            sn_vec3 on_a, on_b;
            double gap = sn_collide_distance(&of_a, &frame, &of_b, &other, NULL, &on_a, &on_b);
            if ((gap < -1e-4) != p->overlap) {
                fail_msg("pose %d, frame %d: %g m apart", (int)i, k, gap);
            }
        }
    }
    sn_mesh_tree_release(a);
    sn_mesh_tree_release(b);
}

// A small cube in the middle of a large one crosses nothing; one that comes through a side does.
static void test_depths(void **state)
{
    (void)state;
    sn_mesh_tree *a = make_plate(1.0, 1.0, 1.0), *b = make_plate(0.2, 0.2, 0.2);
    sn_transform place = {SN_VEC3_ZERO, {1.0, 0.0, 0.0, 0.0}};
    assert_false(sn_mesh_overlaps(a, b, &place, 1e-3));
    for (int k = -7; k <= 8; ++k) {
        place.position.x = 0.5 + 0.0125 * k; // its sides at that less and more 0.1
        assert_int_equal(sn_mesh_overlaps(a, b, &place, 1e-3), k < 8);
    }
    sn_mesh_tree_release(a);
    sn_mesh_tree_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plates),
        cmocka_unit_test(test_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
