// Meshes that are near but apart: whenever they are said to be, the test of all facets finds no
// contact, from any gap that was known before; and worlds that know gaps go on to the bit like
// copies that do not.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/collide.h"
#include "collide/mesh_apart.h"
#include "collide/mesh_tree.h"
#include "sanitized.h"
#include "scene_text.h"
#include "sinew/geometry.h"

static const sn_mesh_tree *tree_of(sn_mesh *mesh)
{
    sn_mesh_tree *tree = NULL;
    assert_int_equal(sn_mesh_tree_create(mesh, &tree, NULL), SN_OK);
    sn_mesh_release(mesh);
    return tree;
}

static const sn_mesh_tree *ring(void)
{
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_torus(1.0, 0.2, 20, &mesh, NULL), SN_OK);
    return tree_of(mesh);
}

static const sn_mesh_tree *angle(void)
{
    static const sn_vec2 points[] = {{0, 0}, {2, 0}, {2, 0.5}, {0.5, 0.5}, {0.5, 2}, {0, 2}};
    sn_outline outline = {points, (int[]){6}, 1};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_extrusion(&outline, 0.5, &mesh, NULL), SN_OK);
    return tree_of(mesh);
}

// Two bodies of one mesh: a ring and a small box beside it.
static const sn_mesh_tree *pair_of_parts(void)
{
    sn_mesh *box = NULL, *ball = NULL, *moved = NULL, *joined = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(0.3, 0.3, 0.3), &box, NULL), SN_OK);
    assert_int_equal(sn_mesh_torus(1.0, 0.2, 12, &ball, NULL), SN_OK);
    sn_transform place = {.position = {0, 0, 1}, .rotation = SN_QUAT_IDENTITY};
    assert_int_equal(sn_mesh_transformed(box, sn_vec3_make(1, 1, 1), place, &moved, NULL), SN_OK);
    const sn_mesh *both[2] = {ball, moved};
    assert_int_equal(sn_mesh_join(both, 2, &joined, NULL), SN_OK);
    sn_mesh_release(box);
    sn_mesh_release(ball);
    sn_mesh_release(moved);
    return tree_of(joined);
}

// A sheet: open.
static const sn_mesh_tree *sheet(void)
{
    static const sn_vec3 corners[] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0.5}};
    static const int faces[] = {0, 1, 2, 0, 2, 3};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, faces, 2, &mesh, NULL), SN_OK);
    return tree_of(mesh);
}

static sn_transform random_place(sn_random *random, double far)
{
    sn_transform place = {.position = {sn_random_range(random, -far, far),
                                       sn_random_range(random, -far, far),
                                       sn_random_range(random, -far, far)}};
    sn_quat q = {sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                 sn_random_range(random, -1, 1), sn_random_range(random, -1, 1)};
    place.rotation = sn_quat_normalize(q);
    return place;
}

// A little further on.
static sn_transform moved_on(const sn_transform *place, sn_random *random, double by)
{
    sn_transform step = random_place(random, by);
    step.rotation = sn_quat_normalize(
        (sn_quat){1.0, by * step.rotation.x, by * step.rotation.y, by * step.rotation.z});
    return sn_transform_multiply(*place, step);
}

static void test_no_contact_is_lost(void **state)
{
    (void)state;
    const sn_mesh_tree *trees[] = {ring(), angle(), pair_of_parts(), sheet()};
    sn_random random = {.seed = 4};
    int apart = 0, kept = 0, touching = 0;
    for (int run = 0; run < rounds_of(400, 40); ++run) {
        sn_collider a = sn_mesh_tree_collider(trees[sn_random_below(&random, 4)]);
        sn_collider b = sn_mesh_tree_collider(trees[sn_random_below(&random, 3)]);
        sn_transform origin = random_place(&random, 10.0), place = random_place(&random, 2.0);
        sn_mesh_apart known = {0};
        double margin = sn_random_range(&random, 0.0, 0.05);
        for (int step = 0; step < 20; ++step) {
            double gap = known.gap;
            bool holds = sn_mesh_apart_hold(&a, &b, &place, margin, &known);
            kept += holds && gap > 0.0 && gap == known.gap;
            apart += holds;
            sn_manifold manifolds[16];
            sn_collide_cache cache = {0};
            sn_transform at = sn_transform_multiply(origin, place);
            int count = sn_collide(&a, &origin, &b, &at, margin, &cache, manifolds, 16, NULL);
            touching += count > 0;
            if (holds && count > 0) {
                fail_msg("run %d, step %d: %d contacts, gap %g", run, step, count, known.gap);
            }
            place = moved_on(&place, &random, 0.02);
        }
    }
    assert_true(apart > 20 && kept > apart / 2 && touching > 20);
    for (int i = 0; i < 4; ++i) {
        sn_mesh_tree_release(trees[i]);
    }
}

// What is inside is not apart, also if only a part of it is.
static void test_inside(void **state)
{
    (void)state;
    sn_mesh *large = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(10, 10, 3), &large, NULL), SN_OK);
    const sn_mesh_tree *outer = tree_of(large), *small = ring(), *parts = pair_of_parts();
    sn_collider a = sn_mesh_tree_collider(outer), b = sn_mesh_tree_collider(small);
    sn_collider c = sn_mesh_tree_collider(parts);
    sn_transform place = SN_TRANSFORM_IDENTITY;
    sn_mesh_apart known = {0};
    assert_false(sn_mesh_apart_hold(&a, &b, &place, 0.01, &known));
    assert_false(sn_mesh_apart_hold(&b, &a, &place, 0.01, &known));
    place.position.z = -2.0; // the ring is below the box, the part above it is inside
    assert_false(sn_mesh_apart_hold(&a, &c, &place, 0.01, &known));
    place.position.z = -5.0;
    assert_true(sn_mesh_apart_hold(&a, &c, &place, 0.01, &known));
    // The ring inside a ring's hole is.
    place = SN_TRANSFORM_IDENTITY;
    sn_mesh *thin = NULL;
    assert_int_equal(sn_mesh_torus(0.5, 0.1, 16, &thin, NULL), SN_OK);
    const sn_mesh_tree *inner = tree_of(thin);
    sn_collider d = sn_mesh_tree_collider(inner);
    known = (sn_mesh_apart){0};
    assert_true(sn_mesh_apart_hold(&b, &d, &place, 0.01, &known));
    sn_mesh_tree_release(outer);
    sn_mesh_tree_release(small);
    sn_mesh_tree_release(parts);
    sn_mesh_tree_release(inner);
}

// Rings inside each other slide on a plane until they strike. A copy made on the way knows no gaps.
static void test_copies_go_on(void **state)
{
    (void)state;
    static const char text[] =
        "{'sinew': 1, 'bodies': ["
        " {'name': 'ground', 'type': 'static', 'shapes': [{'type': 'plane'}]},"
        " {'name': 'a', 'position': [0, 0, 0.05], 'shapes': [{'type': 'revolution', 'segments': 24,"
        "   'profile': [[0.45, -0.05], [0.55, -0.05], [0.55, 0.05], [0.45, 0.05]]}]},"
        " {'name': 'b', 'position': [0, 0, 0.05], 'velocity': [0.5, 0.1, 0], 'shapes': [{'type':"
        "   'revolution', 'segments': 24,"
        "   'profile': [[0.3, -0.05], [0.4, -0.05], [0.4, 0.05], [0.3, 0.05]]}]},"
        " {'name': 'c', 'position': [0, 0, 0.05], 'velocity': [-0.4, 0.2, 0], 'shapes': [{'type':"
        "   'revolution', 'segments': 24,"
        "   'profile': [[0.1, -0.05], [0.2, -0.05], [0.2, 0.05], [0.1, 0.05]]}]}]}";
    char json[sizeof text];
    memcpy(json, text, sizeof text);
    for (char *at = json; *at != '\0'; ++at) {
        *at = *at == '\'' ? '"' : *at;
    }
    sn_world *world = build_text(json), *copy = NULL;
    uint64_t first = sn_world_hash(world);
    for (int step = 0; step < 300; ++step) {
        if (step % 60 == 20) {
            sn_world_destroy(copy);
            assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        }
        assert_int_equal(sn_world_step(world, 0.002, NULL), SN_OK);
        if (copy != NULL) {
            assert_int_equal(sn_world_step(copy, 0.002, NULL), SN_OK);
            assert_true(sn_world_hash(copy) == sn_world_hash(world));
        }
    }
    assert_true(first != sn_world_hash(world));
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_contact_is_lost),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_copies_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
