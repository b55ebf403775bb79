// Contact in a world: forces and events that are told, groups and sensors, sliding or sticking at
// random, sleep and what ends it, memory, copies, threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "sinew/contact.h"
#include "sinew/joint.h"
#include "small_world.h"

#define G 9.81
#define H (1.0 / 240.0)

// ---- scenes ----

// Islands of more than 20 contacts are piles.
static sn_world *contact_world(bool sleep, int threads)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.contact.exact_limit = 20;
    def.contact.sleep = sleep;
    def.threads = threads;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_shape box_shape(double x, double y, double z)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = sn_vec3_make(x, y, z);
    return shape;
}

static sn_shape ball_shape(double radius)
{
    sn_shape shape = sn_default_shape();
    shape.radius = radius;
    return shape;
}

static sn_body put(sn_world *world, const sn_shape *shape, sn_body_type type, sn_transform frame,
                   sn_vec3 velocity)
{
    sn_error error = {0};
    sn_body_def def = sn_default_body_def();
    sn_body body = {0};
    def.type = type;
    def.shapes = shape;
    def.shape_count = 1;
    def.frame = frame;
    def.velocity = velocity;
    if (sn_world_add_body(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

static sn_transform at(double x, double y, double z)
{
    return (sn_transform){{x, y, z}, SN_QUAT_IDENTITY};
}

static sn_body put_floor(sn_world *world, double slope, double friction)
{
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    plane.surface.friction = friction;
    sn_transform frame = {SN_VEC3_ZERO, {cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0}};
    return put(world, &plane, SN_BODY_STATIC, frame, SN_VEC3_ZERO);
}

static sn_body put_box(sn_world *world, double x, double z)
{
    sn_shape box = box_shape(0.2, 0.2, 0.2);
    return put(world, &box, SN_BODY_RIGID, at(x, 0.0, z), SN_VEC3_ZERO);
}

// Layers of boxes that fall onto each other: a pile.
static void put_heap(sn_world *world, int edge, int layers)
{
    sn_shape box = box_shape(0.2, 0.2, 0.2);
    put_floor(world, 0.0, 0.5);
    for (int i = 0; i < edge * edge * layers; ++i) {
        int layer = i / (edge * edge);
        double x = 0.21 * (i % edge) + 0.03 * (layer % 2), y = 0.22 * (i / edge % edge);
        put(world, &box, SN_BODY_RIGID, at(x, y, 0.11 + 0.22 * layer), SN_VEC3_ZERO);
    }
}

static double mass_of(const sn_world *world, sn_body body)
{
    return sn_body_mass_properties(world, body).mass;
}

// ---- forces ----

static void test_forces_of_a_stack(void **state)
{
    (void)state;
    sn_world *world = contact_world(false, 1);
    sn_body floor = put_floor(world, 0.0, 0.5);
    sn_body lower = put_box(world, 0.0, 0.1), upper = put_box(world, 0.01, 0.3);
    advance(world, H, 20);
    double weight = mass_of(world, lower) * G;
    assert_int_equal(sn_world_contact_count(world), 2);
    bool seen[2] = {false, false};
    for (int i = 0; i < 2; ++i) {
        sn_contact_info touch = sn_world_contact(world, i);
        bool ground = touch.body_a.index == floor.index || touch.body_b.index == floor.index;
        sn_vec3 sum = SN_VEC3_ZERO;
        seen[ground ? 1 : 0] = true;
        assert_true(touch.count > 0 && touch.count <= 4);
        for (int k = 0; k < touch.count; ++k) {
            sum = sn_vec3_add(sum, touch.spots[k].impulse);
            assert_true(fabs(touch.spots[k].gap) < 1e-9);
            assert_true(fabs(touch.spots[k].position.z - (ground ? 0.0 : 0.2)) < 1e-9);
        }
        assert_true(sn_distance(sum, sn_vec3_scale(H, touch.force)) < 1e-12 * weight);
        assert_true(fabs(fabs(touch.force.z) - (ground ? 2.0 : 1.0) * weight) < 1e-8 * weight);
        assert_true(sn_dot(touch.normal, touch.force) > 0.0); // on b, from a to b
    }
    assert_true(seen[0] && seen[1]);
    int count = 0;
    sn_vec3 on_lower = sn_body_contact_force(world, lower, &count);
    assert_int_equal(count, 2);
    assert_true(fabs(on_lower.z - weight) < 1e-8 * weight);
    sn_vec3 on_upper = sn_body_contact_force(world, upper, NULL);
    assert_true(sn_distance(on_upper, sn_vec3_make(0.0, 0.0, weight)) < 1e-8 * weight);
    assert_true(fabs(read(world, upper, SN_QUANTITY_CONTACT_FORCE_Z) - weight) < 1e-8 * weight);
    sn_world_destroy(world);
}

// Contacts give the momentum that gravity takes: the sum of all forces over a landing and the rest
// after it is the weight times the time less what the fall had.
static void test_forces_add_up(void **state)
{
    (void)state;
    sn_world *world = contact_world(false, 1);
    put_floor(world, 0.0, 0.5);
    sn_shape box = box_shape(0.2, 0.3, 0.1);
    sn_transform frame = {{0.0, 0.0, 0.4}, sn_quat_normalize((sn_quat){1.0, 0.2, 0.3, 0.1})};
    sn_body body = put(world, &box, SN_BODY_RIGID, frame, sn_vec3_make(0.5, 0.0, -1.0));
    double mass = mass_of(world, body);
    sn_vec3 start = sn_world_momentum(world), sum = SN_VEC3_ZERO;
    for (int i = 0; i < 300; ++i) {
        advance(world, H, 1);
        sum = sn_vec3_add_scaled(sum, H, sn_body_contact_force(world, body, NULL));
        sn_vec3 expected = sn_vec3_add(start, sum);
        expected.z -= mass * G * H * (i + 1);
        assert_true(sn_distance(sn_world_momentum(world), expected) < 1e-10 * mass);
    }
    sn_world_destroy(world);
}

// ---- sliding and sticking ----

// At rest on a slope, turned about its normal at random: moves by g (sin - friction cos), or not.
static void test_slopes_at_random(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int i = 0; i < 40; ++i) {
        double slope = 0.1 + 0.5 * sn_random_unit(&random);
        double friction = tan(slope) * (i % 2 == 0 ? 1.01 : 0.99 * sn_random_unit(&random));
        double turn = 3.0 * sn_random_unit(&random);
        sn_world *world = contact_world(false, 1);
        put_floor(world, slope, friction);
        sn_shape box = box_shape(0.3, 0.2 + 0.2 * sn_random_unit(&random), 0.05);
        box.surface.friction = friction;
        sn_transform frame = at(0.0, 0.0, 0.0);
        frame.rotation = (sn_quat){cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0};
        frame.position = sn_rotate(frame.rotation, sn_vec3_make(0.0, 0.0, 0.025));
        sn_vec3 down = sn_rotate(frame.rotation, sn_vec3_make(1.0, 0.0, 0.0));
        frame.rotation =
            sn_quat_multiply(frame.rotation, (sn_quat){cos(turn), 0.0, 0.0, sin(turn)});
        sn_body body = put(world, &box, SN_BODY_RIGID, frame, SN_VEC3_ZERO);
        advance(world, H, 120);
        double rate = G * fmax(0.0, sin(slope) - friction * cos(slope));
        sn_vec3 way = sn_vec3_sub(sn_body_centre(world, body), frame.position);
        double allowed = i % 2 == 0 ? 1e-10 : 1e-6;
        assert_true(sn_distance(way, sn_vec3_scale(0.125 * rate, down)) < allowed);
        assert_true(sn_distance(sn_body_velocity(world, body), sn_vec3_scale(0.5 * rate, down)) <
                    10.0 * allowed);
        sn_world_destroy(world);
    }
}

// What lies still begins to slide when its friction goes, asleep or not.
static void test_surface_changes(void **state)
{
    (void)state;
    for (int sleep = 0; sleep < 2; ++sleep) {
        sn_world *world = contact_world(sleep != 0, 1);
        put_floor(world, 0.1, 0.5);
        sn_shape box = box_shape(0.2, 0.2, 0.1);
        sn_transform frame = {SN_VEC3_ZERO, {cos(0.05), 0.0, sin(0.05), 0.0}};
        frame.position = sn_rotate(frame.rotation, sn_vec3_make(0.0, 0.0, 0.05));
        sn_body body = put(world, &box, SN_BODY_RIGID, frame, SN_VEC3_ZERO);
        advance(world, H, 480);
        assert_int_equal(sn_world_report(world).sleeping, sleep);
        assert_true(sn_length(sn_body_velocity(world, body)) < 1e-10);
        sn_surface slippery = box.surface;
        slippery.friction = 0.0;
        assert_int_equal(sn_body_set_surface(world, body, 0, &slippery, NULL), SN_OK);
        advance(world, H, 240);
        double speed = sn_length(sn_body_velocity(world, body));
        assert_true(fabs(speed - G * sin(0.1)) < 1e-3);
        sn_world_destroy(world);
    }
}

// ---- events, sensors, groups ----

static int count_events(const sn_world *world, sn_contact_change change, bool sensor,
                        sn_contact_event *event)
{
    int count = 0;
    for (int i = 0; i < sn_world_contact_event_count(world); ++i) {
        sn_contact_event entry = sn_world_contact_event(world, i);
        if (entry.change == change && entry.sensor == sensor) {
            *event = entry;
            count += 1;
        }
    }
    return count;
}

// A ball lands, lies, is lifted: one beginning with the impulse of the landing, one end.
static void test_events(void **state)
{
    (void)state;
    sn_world *world = contact_world(false, 1);
    put_floor(world, 0.0, 0.5);
    sn_shape ball = ball_shape(0.1);
    sn_body body = put(world, &ball, SN_BODY_RIGID, at(0.0, 0.0, 0.3), SN_VEC3_ZERO);
    sn_contact_event event = {0}, last = {0};
    int begun = 0, ended = 0;
    for (int i = 0; i < 120; ++i) {
        advance(world, H, 1);
        begun += count_events(world, SN_CONTACT_BEGIN, false, &event);
        ended += count_events(world, SN_CONTACT_END, false, &last);
    }
    double landing = sqrt(2.0 * 0.2 / G), mass = mass_of(world, body);
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 0);
    assert_true(event.time >= landing && event.time <= landing + H);
    assert_true(event.body_a.index == body.index || event.body_b.index == body.index);
    assert_true(fabs(fabs(event.normal.z) - 1.0) < 1e-12);
    assert_true(fabs(event.position.z) < 0.01);
    assert_true(event.impulse > mass * G * landing - 1e-9);
    assert_true(event.impulse < mass * G * (landing + 2.0 * H));
    assert_int_equal(sn_body_set_velocity(world, body, sn_vec3_make(0, 0, 2), SN_VEC3_ZERO, NULL),
                     SN_OK);
    for (int i = 0; i < 24; ++i) {
        advance(world, H, 1);
        begun += count_events(world, SN_CONTACT_BEGIN, false, &event);
        ended += count_events(world, SN_CONTACT_END, false, &last);
    }
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    assert_true(last.impulse == 0.0);
    assert_true(last.time <= 0.5 + 2.5 * H);
    assert_true(sn_length(last.position) < 0.01); // where it lay
    assert_true(fabs(last.normal.z - event.normal.z) < 1e-12);
    sn_world_destroy(world);
}

// What lies on the floor stays in touch, step after step, with its weight for a force, asleep too;
// and in a gate. Nothing is told twice: what begins does not stay yet, what ended stays no more.
static void test_stays(void **state)
{
    (void)state;
    sn_world *world = contact_world(true, 1);
    sn_body floor = put_floor(world, 0.0, 0.5);
    sn_shape gate = box_shape(1.0, 1.0, 1.0), box = box_shape(0.2, 0.2, 0.1);
    gate.surface.sensor = true;
    put(world, &gate, SN_BODY_STATIC, at(0.0, 0.0, 0.5), SN_VEC3_ZERO);
    sn_body body = put(world, &box, SN_BODY_RIGID, at(0.1, 0.0, 0.05), SN_VEC3_ZERO);
    double weight = mass_of(world, body) * G;
    assert_int_equal(sn_world_contact_stay_count(world), 0);
    for (int i = 0; i < 480; ++i) {
        advance(world, H, 1);
        bool began = sn_world_contact_event_count(world) > 0;
        assert_int_equal(sn_world_contact_stay_count(world), began ? 0 : 2);
        for (int k = 0; k < sn_world_contact_stay_count(world); ++k) {
            sn_contact_event event = sn_world_contact_stay(world, k);
            assert_int_equal(event.change, SN_CONTACT_STAY);
            assert_int_equal(event.body_b.index, body.index);
            assert_true(event.sensor ? event.impulse == 0.0
                                     : fabs(event.impulse - weight * H) < 1e-6 * weight * H);
            if (!event.sensor) {
                assert_int_equal(event.body_a.index, floor.index);
                assert_true(fabs(event.position.x - 0.1) < 1e-6 && fabs(event.position.z) < 1e-3);
                assert_true(fabs(event.normal.z - 1.0) < 1e-12);
            }
        }
    }
    assert_int_equal(sn_world_report(world).sleeping, 1);
    assert_int_equal(sn_world_contact_stay(world, 2).body_b.index, 0);
    assert_int_equal(sn_world_contact_stay(world, -1).body_b.index, 0);
    assert_int_equal(sn_body_set_transform(world, body, at(0.1, 0.0, 3.0), NULL), SN_OK);
    advance(world, H, 1);
    assert_int_equal(sn_world_contact_event_count(world), 2);
    assert_int_equal(sn_world_contact_stay_count(world), 0);
    sn_world_destroy(world);
}

// A body that is removed ends what it touched, and what it was sensed by, in the next step, with
// the handle that it had; a copy tells the same, and no step tells it again.
static void test_removal_ends(void **state)
{
    (void)state;
    for (int which = 0; which < 2; ++which) { // the one that lies, or what it lies on
        sn_world *worlds[2] = {contact_world(false, 1), NULL};
        sn_body floor = put_floor(worlds[0], 0.0, 0.5);
        sn_shape gate = box_shape(1.0, 1.0, 1.0);
        gate.surface.sensor = true;
        put(worlds[0], &gate, SN_BODY_STATIC, at(0.0, 0.0, 0.6), SN_VEC3_ZERO);
        sn_body body = put_box(worlds[0], 0.3, 0.1), gone = which == 0 ? body : floor;
        advance(worlds[0], H, 10);
        double time = sn_world_time(worlds[0]);
        assert_int_equal(sn_world_contact_stay_count(worlds[0]), 2);
        assert_int_equal(sn_world_remove_body(worlds[0], gone, NULL), SN_OK);
        assert_int_equal(sn_world_contact_stay_count(worlds[0]), which);
        put_box(worlds[0], 5.0, 5.0); // it may take the number, not the handle
        assert_int_equal(sn_world_copy(worlds[0], &worlds[1], NULL), SN_OK);
        for (int k = 0; k < 2; ++k) {
            sn_contact_event end = {0}, sensed = {0};
            advance(worlds[k], H, 1);
            assert_int_equal(count_events(worlds[k], SN_CONTACT_END, false, &end), 1);
            assert_int_equal(count_events(worlds[k], SN_CONTACT_END, true, &sensed), which == 0);
            assert_true(end.body_a.index == floor.index && end.body_b.index == body.index);
            assert_true(end.body_a.generation == floor.generation &&
                        end.body_b.generation == body.generation);
            assert_false(sn_body_is_valid(worlds[k], gone));
            assert_true(end.time == time && end.impulse == 0.0);
            assert_true(fabs(end.position.x - 0.3) < 1e-6 && fabs(end.position.z) < 1e-3);
            assert_true(fabs(end.normal.z - 1.0) < 1e-12);
            advance(worlds[k], H, 1);
            assert_int_equal(count_events(worlds[k], SN_CONTACT_END, false, &end), 0);
            sn_world_destroy(worlds[k]);
        }
    }
}

// The fall through a sensor is, to the bit, the fall without it.
static void test_sensor(void **state)
{
    (void)state;
    sn_world *worlds[2];
    sn_body bodies[2];
    sn_shape gate = box_shape(1.0, 1.0, 0.2), ball = ball_shape(0.1);
    gate.surface.sensor = true;
    int begun = 0, ended = 0;
    sn_contact_event event = {0}, last = {0};
    for (int i = 0; i < 2; ++i) {
        worlds[i] = contact_world(false, 1);
        if (i == 1) {
            put(worlds[i], &gate, SN_BODY_STATIC, at(0.0, 0.0, 1.0), SN_VEC3_ZERO);
        }
        bodies[i] = put(worlds[i], &ball, SN_BODY_RIGID, at(0.0, 0.0, 1.5), SN_VEC3_ZERO);
    }
    for (int k = 0; k < 140; ++k) {
        advance(worlds[0], H, 1);
        advance(worlds[1], H, 1);
        begun += count_events(worlds[1], SN_CONTACT_BEGIN, true, &event);
        ended += count_events(worlds[1], SN_CONTACT_END, true, &last);
        assert_int_equal(sn_world_contact_count(worlds[1]), 0);
    }
    sn_vec3 places[2] = {sn_body_centre(worlds[0], bodies[0]),
                         sn_body_centre(worlds[1], bodies[1])};
    assert_memory_equal(&places[0], &places[1], sizeof places[0]);
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    double in = sqrt(2.0 * 0.3 / G), out = sqrt(2.0 * 0.7 / G);
    assert_true(event.time >= in && event.time <= in + H && event.impulse == 0.0);
    assert_true(last.time >= out && last.time <= out + H);
    for (int i = 0; i < 2; ++i) {
        sn_world_destroy(worlds[i]);
    }
}

// Each must meet a group of the other.
static void test_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t group_a, meets_a, group_b, meets_b;
        bool meet;
    } table[] = {{1, ~0U, 1, ~0U, true}, {1, 2, 2, ~0U, true},  {1, 2, 2, 2, false},
                 {1, ~0U, 2, 1, true},   {4, ~0U, 2, 1, false}, {6, 1, 1, 2, true},
                 {1, 0, 1, ~0U, false}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        sn_world *world = contact_world(false, 1);
        sn_shape shelf = box_shape(1.0, 1.0, 0.1), ball = ball_shape(0.1);
        shelf.surface.group = table[i].group_a;
        shelf.surface.meets = table[i].meets_a;
        ball.surface.group = table[i].group_b;
        ball.surface.meets = table[i].meets_b;
        put(world, &shelf, SN_BODY_STATIC, at(0.0, 0.0, -0.05), SN_VEC3_ZERO);
        sn_body body = put(world, &ball, SN_BODY_RIGID, at(0.0, 0.0, 0.1), SN_VEC3_ZERO);
        advance(world, H, 60);
        double z = sn_body_centre(world, body).z;
        assert_true(fabs(z - (table[i].meet ? 0.1 : 0.1 - 0.5 * G * 0.0625)) < 1e-6);
        sn_world_destroy(world);
    }
}

// ---- sticking ----

// A cone that topples about its tip, which sticks: how far it has crept after a quarter of a
// second, when it turns by 2.9 rad/s.
static double creep_of_tip(double h)
{
    sn_world *world = contact_world(false, 1);
    put_floor(world, 0.0, 5.0);
    sn_shape cone = sn_default_shape();
    cone.type = SN_SHAPE_CONE;
    cone.radius = 0.1;
    cone.height = 0.3;
    cone.surface.friction = 5.0;
    double angle = SN_PI - 0.2; // on its tip, and leaning
    sn_vec3 tip = {0.0, 0.0, 0.15};
    sn_transform frame = {.rotation = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0}};
    frame.position = sn_vec3_negate(sn_rotate(frame.rotation, tip));
    sn_body body = put(world, &cone, SN_BODY_RIGID, frame, SN_VEC3_ZERO);
    advance(world, h, (int)(0.25 / h + 0.5));
    assert_true(sn_length(sn_body_angular_velocity(world, body)) > 2.8);
    double creep = fabs(sn_transform_point(sn_body_transform(world, body), tip).x);
    sn_world_destroy(world);
    return creep;
}

static void test_tip(void **state)
{
    (void)state;
    double creep = creep_of_tip(H), half = creep_of_tip(0.5 * H);
    assert_true(creep < 5e-6 && half < 0.3 * creep); // of second order
}

// ---- sleep ----

// A heap of boxes turned against each other, so that six or eight corners of two of them meet and
// four are chosen anew as they settle: all of it comes to rest. When, is chance: 5 to 9 s for heaps
// that differ by a millimetre.
static void test_heap_sleeps(void **state)
{
    (void)state;
    enum { LAYERS = 9, BOXES = 16 * LAYERS };
    sn_world *world = contact_world(true, 1);
    put_floor(world, 0.0, 0.5);
    sn_shape box = box_shape(0.2, 0.2, 0.2);
    for (int i = 0; i < BOXES; ++i) {
        int layer = i / 16;
        sn_transform frame =
            at(0.23 * (i % 4) + 0.05 * (layer % 2), 0.23 * (i / 4 % 4), 0.1 + 0.21 * layer);
        double turn = 0.02 * (i % 7);
        frame.rotation = (sn_quat){cos(turn), 0.0, 0.0, sin(turn)};
        put(world, &box, SN_BODY_RIGID, frame, SN_VEC3_ZERO);
    }
    advance(world, 1.0 / 60.0, 720);
    assert_int_equal(sn_world_report(world).sleeping, BOXES);
    for (int i = 0; i < sn_world_contact_count(world); ++i) {
        sn_contact_info touch = sn_world_contact(world, i);
        for (int k = 0; k < touch.count; ++k) {
            assert_true(touch.spots[k].gap > -0.01 * 0.2);
        }
    }
    sn_world_destroy(world);
}

static void test_sleep(void **state)
{
    (void)state;
    enum { HIT, FORCE, REMOVED, GRAVITY, MOVED, LOWERED, WAYS };
    for (int way = 0; way < WAYS; ++way) {
        sn_world *world = contact_world(true, 1);
        sn_body floor = put_floor(world, 0.0, 0.5);
        sn_body lower = put_box(world, 0.0, 0.1), upper = put_box(world, 0.0, 0.3);
        advance(world, H, 480);
        assert_int_equal(sn_world_report(world).sleeping, 2);
        sn_vec3 place = sn_body_centre(world, upper);
        advance(world, H, 240);
        sn_vec3 later = sn_body_centre(world, upper);
        assert_memory_equal(&place, &later, sizeof place);
        double weight = mass_of(world, upper) * G;
        assert_true(fabs(sn_body_contact_force(world, upper, NULL).z - weight) < 1e-6 * weight);

        sn_shape ball = ball_shape(0.1);
        if (way == HIT) {
            put(world, &ball, SN_BODY_RIGID, at(-1.0, 0.0, 0.3), sn_vec3_make(8.0, 0.0, 0.0));
        } else if (way == REMOVED) {
            assert_int_equal(sn_world_remove_body(world, lower, NULL), SN_OK);
        } else if (way == GRAVITY) {
            sn_world_set_gravity(world, sn_vec3_make(8.0, 0.0, -9.81));
        } else if (way == MOVED) {
            sn_transform aside = at(0.5, 0.0, 0.1);
            assert_int_equal(sn_body_set_transform(world, lower, aside, NULL), SN_OK);
        } else if (way == LOWERED) {
            assert_int_equal(sn_body_set_transform(world, floor, at(0.0, 0.0, -0.1), NULL), SN_OK);
        }
        for (int i = 0; i < 60; ++i) {
            if (way == FORCE) {
                sn_body_add_force(world, upper, sn_vec3_make(weight, 0.0, 0.0), later);
            }
            advance(world, H, 1);
        }
        assert_true(sn_distance(sn_body_centre(world, upper), later) > 0.01);
        sn_world_destroy(world);
    }
}

// ---- the same bits ----

// A copy sleeps on.
static void test_copy_asleep(void **state)
{
    (void)state;
    sn_world *world = contact_world(true, 1), *copy = NULL;
    put_floor(world, 0.0, 0.5);
    for (int i = 0; i < 4; ++i) {
        put_box(world, 0.02 * i, 0.1 + 0.2 * i);
    }
    advance(world, H, 480);
    assert_int_equal(sn_world_report(world).sleeping, 4);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    advance(world, H, 10);
    advance(copy, H, 10);
    assert_int_equal(sn_world_report(copy).sleeping, 4);
    assert_true(sn_world_hash(copy) == sn_world_hash(world));
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

static void test_threads_and_copies(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 4};
    uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
        sn_world *world = contact_world(true, threads[i]), *copy = NULL;
        put_heap(world, 4, 4);
        advance(world, H, 60);
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        advance(world, H, 60);
        advance(copy, H, 60);
        assert_true(sn_world_hash(copy) == sn_world_hash(world));
        assert_true(i == 0 || sn_world_hash(world) == hash);
        hash = sn_world_hash(world);
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
}

// A state loaded with what contacts remember goes on to the bit, into a fresh world too.
static void test_memory_of_contacts(void **state)
{
    (void)state;
    for (int edge = 1; edge <= 4; edge += 3) { // solved exactly, and as a pile
        sn_world *world = contact_world(true, 1), *other = contact_world(true, 1);
        put_heap(world, edge, 4);
        put_heap(other, edge, 4);
        advance(world, H, 80);
        size_t size = sn_world_state_size(world), extra = sn_world_contact_memory_size(world);
        void *bytes = malloc(size), *memory = malloc(extra);
        assert_non_null(bytes);
        assert_non_null(memory);
        assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
        assert_int_equal(sn_world_save_contact_memory(world, memory, extra, NULL), SN_OK);
        advance(world, H, 40);
        assert_int_equal(sn_world_load_state(other, bytes, size, NULL), SN_OK);
        assert_int_equal(sn_world_load_contact_memory(other, memory, extra, NULL), SN_OK);
        advance(other, H, 40);
        assert_true(sn_world_hash(other) == sn_world_hash(world));
        free(bytes);
        free(memory);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

// ---- memory ----

static void test_no_allocation_once_running(void **state)
{
    (void)state;
    for (int edge = 1; edge <= 4; edge += 3) {
        sn_world *world = contact_world(false, 1);
        put_heap(world, edge, 4);
        advance(world, H, 240);
        uint64_t count = sn_allocation_count();
        advance(world, H, 120);
        assert_true(sn_allocation_count() == count);
        sn_world_destroy(world);
    }
}

// A step that runs out of memory leaves the state as it was; the next one goes on.
static void test_out_of_memory(void **state)
{
    (void)state;
    bool done = false;
    int failed = 0;
    for (int n = 0; n < 400 && !done; ++n) {
        sn_world *world = contact_world(true, 1);
        put_heap(world, 4, 3);
        sn_error error = {0};
        done = true;
        for (int i = 0; i < 12; ++i) {
            uint64_t hash = sn_world_hash(world);
            sn_allocation_fail_after(n);
            sn_status status = sn_world_step(world, H, &error);
            sn_allocation_fail_after(-1);
            if (status != SN_OK) {
                assert_int_equal(status, SN_ERROR_MEMORY);
                assert_true(sn_world_hash(world) == hash);
                advance(world, H, 1);
                done = false;
                failed += 1;
            }
        }
        assert_true(isfinite(sn_world_energy(world).total));
        sn_world_destroy(world);
    }
    assert_true(done && failed > 10);
}

// ---- who never meets ----

// A chain of balls drawn through each other, of a mechanism large or small: neighbours are joined,
// the next two overlap, and nothing bursts apart.
static void check_drawn_chain(int count)
{
    sn_world *world = contact_world(false, 1);
    sn_shape ball = ball_shape(0.1);
    sn_body last = {0};
    for (int i = 0; i < count; ++i) {
        sn_transform frame = {{0.06 * i, 0.0, 50.0}, SN_QUAT_IDENTITY};
        sn_body body = put(world, &ball, SN_BODY_RIGID, frame, SN_VEC3_ZERO);
        if (i > 0) {
            sn_joint_def def = sn_default_joint_def();
            sn_joint joint;
            def.type = SN_JOINT_BALL;
            def.parent = last;
            def.child = body;
            def.child_frame.position.x = -0.06;
            assert_int_equal(sn_world_add_joint(world, &def, &joint, NULL), SN_OK);
        }
        last = body;
    }
    advance(world, H, 1);
    int joined = 0, overlapping = 0;
    for (int i = 0; i < sn_world_dropped_pair_count(world); ++i) {
        sn_pair_drop why = sn_world_dropped_pair(world, i).why;
        joined += why == SN_PAIR_JOINED;
        overlapping += why == SN_PAIR_OVERLAPS;
    }
    assert_int_equal(joined, count - 1);
    assert_int_equal(overlapping, count - 2 + count - 3);
    assert_int_equal(sn_world_contact_count(world), 0);
    sn_world_destroy(world);
}

static void test_drawn_chains(void **state)
{
    (void)state;
    check_drawn_chain(10);
    check_drawn_chain(320);
}

static void test_dropped_pairs(void **state)
{
    (void)state;
    sn_world *world = contact_world(false, 1);
    sn_body first = put_box(world, 0.0, 1.0), second = put_box(world, 0.15, 1.0);
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    def.type = SN_JOINT_HINGE;
    def.parent = first;
    def.child = second;
    def.child_frame.position.x = -0.15;
    assert_int_equal(sn_world_add_joint(world, &def, &joint, NULL), SN_OK);
    advance(world, H, 2);
    assert_int_equal(sn_world_dropped_pair_count(world), 1);
    assert_int_equal(sn_world_dropped_pair(world, 0).why, SN_PAIR_JOINED);
    assert_int_equal(sn_world_contact_count(world), 0);
    sn_world_destroy(world);
}

// ---- other methods ----

// A block that lands and slides to a stop: seed's impulse and springs agree with the solver in what
// matters.
static void test_methods(void **state)
{
    (void)state;
    static const sn_contact_method methods[] = {SN_CONTACT_SOLVER, SN_CONTACT_IMPULSE,
                                                SN_CONTACT_PENALTY};
    for (int i = 0; i < 3; ++i) {
        sn_world_def def = sn_default_world_def();
        sn_world *world = NULL;
        def.contact.method = methods[i];
        def.contact.sleep = false;
        assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
        put_floor(world, 0.0, 0.5);
        sn_shape box = box_shape(0.2, 0.2, 0.1);
        sn_body body = put(world, &box, SN_BODY_RIGID, at(0.0, 0.0, 0.05), sn_vec3_make(1.0, 0, 0));
        advance(world, 0.25 * H, 2000);
        sn_vec3 place = sn_body_centre(world, body);
        double way = 1.0 / (2.0 * 0.5 * G), share = i == 0 ? 1e-4 : 0.05;
        assert_true(fabs(place.x - way) < share * way);
        assert_true(fabs(place.z - 0.05) < (i == 2 ? 0.01 : 1e-6));
        assert_true(sn_length(sn_body_velocity(world, body)) < 0.01);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_of_a_stack),
        cmocka_unit_test(test_forces_add_up),
        cmocka_unit_test(test_slopes_at_random),
        cmocka_unit_test(test_surface_changes),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_stays),
        cmocka_unit_test(test_removal_ends),
        cmocka_unit_test(test_sensor),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_heap_sleeps),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_copy_asleep),
        cmocka_unit_test(test_threads_and_copies),
        cmocka_unit_test(test_memory_of_contacts),
        cmocka_unit_test(test_no_allocation_once_running),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_dropped_pairs),
        cmocka_unit_test(test_drawn_chains),
        cmocka_unit_test(test_tip),
        cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
