// Small things with flat sides on large round ones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "collide/query.h"
#include "math/rotation.h"
#include "scene_text.h"
#include "sinew/sinew.h"
#include "world_steps.h"

// A box flat on a ball touches with its four corners, each as far off as it is.
static void corners_have_their_own_gaps(void **state)
{
    (void)state;
    const double radius = 20.0, lift = 1e-3;
    sn_collider ball = sn_collider_sphere(radius);
    sn_collider box = sn_collider_box(sn_vec3_make(0.5, 0.3, 0.2), 0.0);
    for (int k = 0; k < 2; ++k) { // in either order
        sn_transform centre = SN_TRANSFORM_IDENTITY, above = SN_TRANSFORM_IDENTITY;
        above.position.z = radius + 0.2 + lift;
        above.rotation = sn_quat_exp(sn_vec3_make(2e-3, 0.0, 0.0));
        sn_manifold m;
        int count = k == 0 ? sn_collide(&ball, &centre, &box, &above, 0.05, NULL, &m, 1, NULL)
                           : sn_collide(&box, &above, &ball, &centre, 0.05, NULL, &m, 1, NULL);
        assert_int_equal(count, 1);
        assert_int_equal(m.count, 4);
        double least = INFINITY;
        for (int i = 0; i < 4; ++i) {
            sn_vec3 on_box = k == 0 ? m.points[i].on_b : m.points[i].on_a;
            assert_true(fabs(sn_length(on_box) - radius - m.points[i].gap) < 1e-12);
            least = fmin(least, m.points[i].gap);
            for (int j = 0; j < i; ++j) {
                assert_true(m.points[i].feature != m.points[j].feature);
            }
        }
        sn_vec3 on_ball, on_box;
        double gap = sn_collide_distance(&ball, &centre, &box, &above, NULL, &on_ball, &on_box);
        assert_true(least >= gap - 1e-12);
    }
}

// A ball smaller than the box, or one that touches a corner, has its one point.
static void small_balls_touch_once(void **state)
{
    (void)state;
    sn_collider ball = sn_collider_sphere(0.2);
    sn_collider box = sn_collider_box(sn_vec3_make(0.5, 0.3, 0.2), 0.0);
    sn_transform centre = SN_TRANSFORM_IDENTITY, above = SN_TRANSFORM_IDENTITY;
    above.position.z = 0.4;
    sn_manifold m;
    assert_int_equal(sn_collide(&ball, &centre, &box, &above, 0.3, NULL, &m, 1, NULL), 1);
    assert_int_equal(m.count, 1);
    ball = sn_collider_sphere(5.0);
    above.rotation = sn_quat_exp(sn_vec3_make(0.42, -0.42, 0.0));
    above.position.z = 5.5;
    assert_int_equal(sn_collide(&ball, &centre, &box, &above, 0.1, NULL, &m, 1, NULL), 1);
    assert_int_equal(m.count, 1);
}

// Dropped aslant they lie down and stay up: boxes, cylinders, cones and hulls on balls, and boxes
// on capsules and cylinders that lie.
static void small_things_stay_on_large_ones(void **state)
{
    (void)state;
    static const char *const things[] = {
        "{\"type\": \"box\", \"size\": [0.084, 0.036, 0.043], \"friction\": 0.7}",
        "{\"type\": \"cylinder\", \"radius\": 0.04, \"height\": 0.03, \"friction\": 0.7}",
        "{\"type\": \"cone\", \"radius\": 0.05, \"height\": 0.06, \"friction\": 0.7}",
        "{\"type\": \"hull\", \"points\": [[0.05, 0, 0], [-0.03, 0.04, 0], [-0.03, -0.04, 0], [0, "
        "0, "
        "0.05]], \"friction\": 0.7}"};
    static const char *const grounds[] = {"\"type\": \"sphere\", \"radius\": %g",
                                          "\"type\": \"capsule\", \"radius\": %g, \"height\": 50",
                                          "\"type\": \"cylinder\", \"radius\": %g, \"height\": 50"};
    static const double radii[] = {0.5, 17.0, 170.0};
    for (int k = 0; k < 18; ++k) {
        int ground = k < 12 ? 0 : 1 + k % 2;
        double radius = k < 12 ? radii[k / 4] : radii[(k - 12) / 2];
        char shape[200], text[1500];
        snprintf(shape, sizeof shape, grounds[ground], radius);
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"bodies\": [{\"name\": \"ground\", \"type\": \"static\", "
                 "\"position\": [0, 0, %g], \"rotation\": {\"euler\": [\"90deg\", 0, 0]}, "
                 "\"shape\": {%s, \"friction\": 0.7}}, {\"name\": \"thing\", \"position\": [0, 0, "
                 "0.1], \"rotation\": {\"euler\": [\"20deg\", \"10deg\", 0]}, \"shape\": %s}]}",
                 -radius, shape, things[k < 12 ? k % 4 : 0]);
        sn_world *world = build_text(text);
        advance(world, 1.0 / 240.0, 480);
        sn_body thing = sn_world_find_body(world, "thing");
        sn_vec3 centre = sn_body_centre(world, thing);
        double height =
            hypot(hypot(centre.x, ground == 0 ? centre.y : 0.0), centre.z + radius) - radius;
        if (!(height > 0.009) || !(height < 0.045)) {
            fail_msg("%s on %s: %g m up", things[k < 12 ? k % 4 : 0], shape, height);
        }
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_have_their_own_gaps),
        cmocka_unit_test(small_balls_touch_once),
        cmocka_unit_test(small_things_stay_on_large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
