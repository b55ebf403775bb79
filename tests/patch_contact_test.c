// Contacts on grounds of many facets: what is remembered goes on from facet to facet.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/world.h"
#include "sinew/contact.h"
#include "sinew/geometry.h"
#include "sinew/world.h"
#include "touch/touch.h"

enum { COLUMNS = 41, ROWS = 5, STEPS = 240 };
static const double STEP = 1.0 / 240.0, RADIUS = 0.1, MASS = 2.0;

// A trough along y, z = x^2 / 2, in strips of 5 cm.
static sn_shape trough(void)
{
    double heights[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; ++i) {
        double x = -1.0 + 2.0 * (i % COLUMNS) / (COLUMNS - 1);
        heights[i] = 0.5 * x * x;
    }
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_HEIGHT_FIELD;
    shape.surface.friction = 0.5;
    assert_int_equal(sn_height_field_create(heights, COLUMNS, ROWS, 2.0, 2.0, &shape.field, NULL),
                     SN_OK);
    return shape;
}

static sn_world *make_world(sn_shape mover, sn_vec3 at)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_body body;
    def.contact.sleep = false;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_shape ground = trough();
    sn_body_def floor = sn_default_body_def();
    floor.type = SN_BODY_STATIC;
    floor.shapes = &ground;
    floor.shape_count = 1;
    assert_int_equal(sn_world_add_body(world, &floor, &body, NULL), SN_OK);
    sn_shape_release(&ground);
    sn_body_def own = sn_default_body_def();
    own.shapes = &mover;
    own.shape_count = 1;
    own.frame.position = at;
    assert_int_equal(sn_world_add_body(world, &own, &body, NULL), SN_OK);
    return world;
}

// The contact that a step would start from: that with the largest impulse along its normal.
static sn_contact starting(sn_world *world)
{
    assert_int_equal(sn_world_collide(world, STEP, NULL), SN_OK);
    sn_contact most = {0};
    double largest = -1.0;
    for (int i = 0; i < world->touch.active.count; ++i) {
        const sn_contact *contact = &world->touch.pool.data[world->touch.active.data[i]];
        double press = sn_dot(contact->points[0].impulse, contact->normal);
        if (press > largest) {
            largest = press;
            most = *contact;
        }
    }
    return most;
}

// A ball rolls from side to side over a score of strips. Wherever it touched, the next step starts
// from what carried it, about its weight, along the normal of the strip it is on now.
static void impulses_go_on_from_facet_to_facet(void **state)
{
    (void)state;
    sn_shape ball = sn_default_shape();
    ball.type = SN_SHAPE_SPHERE;
    ball.radius = RADIUS;
    ball.density = MASS / (4.0 / 3.0 * SN_PI * RADIUS * RADIUS * RADIUS);
    ball.surface.friction = 0.5;
    sn_world *world = make_world(ball, sn_vec3_make(-0.51, 0.013, 0.5 * 0.51 * 0.51 + 0.114));
    double weight = 9.81 * MASS * STEP;
    uint32_t last = UINT32_MAX;
    int changes = 0, kept = 0;
    for (int i = 0; i < STEPS; ++i) {
        assert_int_equal(sn_world_step(world, STEP, NULL), SN_OK);
        bool carried = sn_world_contact_count(world) > 0;
        sn_contact contact = starting(world);
        if (!carried || contact.count == 0) {
            continue;
        }
        sn_vec3 impulse = contact.points[0].impulse;
        double press = sn_dot(impulse, contact.normal);
        double rub = sn_length(sn_vec3_add_scaled(impulse, -press, contact.normal));
        if (contact.patch != last) {
            changes += 1;
            kept += press > 0.1 * weight && rub <= 0.51 * press ? 1 : 0;
        }
        last = contact.patch;
    }
    assert_true(changes >= 15);
    assert_true(kept >= changes - 2); // it starts from nothing, and may leave the ground once
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_go_on_from_facet_to_facet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
