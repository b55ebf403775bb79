// What is told of elastic bodies that touch: forces, contacts, beginnings and ends, sensors.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "joint_at.h"
#include "sinew/sinew.h"

static const double g = 9.81, h = 1.0 / 240.0;

// ---- scenes ----

static sn_world *make_world(double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    def.contact.sleep = false;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

typedef struct block {
    sn_vec3 size, position, velocity;
    double young, friction, damping;
    bool sensor;
} block;

// 0.2 x 0.2 x 0.1 m, 4 kg, of 1 MPa.
static block plain_block(double z)
{
    return (block){.size = {0.2, 0.2, 0.1},
                   .position = {0.0, 0.0, z},
                   .young = 1e6,
                   .friction = 0.5,
                   .damping = 0.01};
}

static sn_body add_mesh(sn_world *world, const block *b, sn_tetrahedra *mesh, bool itself)
{
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, b->young, 0.3);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame.position = b->position;
    def.velocity = b->velocity;
    def.stiffness_damping = b->damping;
    def.surface.friction = b->friction;
    def.surface.sensor = b->sensor;
    def.meets_itself = itself;
    sn_error error = {0};
    sn_body body;
    if (sn_world_add_elastic(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

static sn_tetrahedra *box_mesh(sn_vec3 size, int x, int y, int z)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *mesh = NULL;
    box.size = size;
    box.cells[0] = x;
    box.cells[1] = y;
    box.cells[2] = z;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    return mesh;
}

static sn_body add_block(sn_world *world, const block *b)
{
    sn_tetrahedra *mesh = box_mesh(b->size, 2, 1, 1);
    sn_body body = add_mesh(world, b, mesh, false);
    sn_tetrahedra_release(mesh);
    return body;
}

static sn_body add_shape(sn_world *world, const sn_shape *shape, sn_body_type type, sn_vec3 at)
{
    sn_body_def def = sn_default_body_def();
    def.type = type;
    def.shapes = shape;
    def.shape_count = 1;
    def.frame.position = at;
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static sn_body add_floor(sn_world *world)
{
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    return add_shape(world, &plane, SN_BODY_STATIC, SN_VEC3_ZERO);
}

static sn_shape box_shape(double x, double y, double z)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = (sn_vec3){x, y, z};
    return shape;
}

static void step(sn_world *world, int count)
{
    sn_error error = {0};
    for (int i = 0; i < count; ++i) {
        if (sn_world_step(world, h, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

static sn_vec3 force_on(const sn_world *world, sn_body body)
{
    return sn_body_contact_force(world, body, NULL);
}

static void check_force(const sn_world *world, sn_body body, double up, double scale)
{
    sn_vec3 force = force_on(world, body);
    assert_true(fabs(force.z - up) <= 1e-9 * scale);
    assert_true(fabs(force.x) <= 1e-9 * scale && fabs(force.y) <= 1e-9 * scale);
}

// ---- what lies ----

static void a_block_at_rest_weighs_what_it_weighs(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    sn_body floor = add_floor(world);
    block b = plain_block(0.0502);
    sn_body body = add_block(world, &b);
    double weight = sn_body_mass_properties(world, body).mass * g;
    step(world, 360);
    check_force(world, body, weight, weight);
    check_force(world, floor, -weight, weight);
    int count = 0, listed = sn_world_contact_count(world);
    sn_body_contact_force(world, body, &count);
    assert_int_equal(count, 6); // the vertices of its lower face
    assert_int_equal(listed, 6);
    double sum = 0.0;
    for (int i = 0; i < listed; ++i) {
        sn_contact_info info = sn_world_contact(world, i);
        assert_true(info.body_a.index == floor.index && info.body_b.index == body.index);
        assert_int_equal(info.count, 1);
        assert_true(info.normal.z == 1.0 && info.friction == 0.5);
        assert_true(fabs(info.spots[0].position.z) < 1e-3 && fabs(info.spots[0].gap) < 1e-3);
        sum += info.spots[0].impulse.z;
    }
    assert_true(fabs(sum - weight * h) <= 1e-9 * weight * h);
    sn_probe probe = {.body = body, .quantity = SN_QUANTITY_CONTACT_FORCE_Z};
    assert_true(fabs(sn_probe_read(world, &probe) - weight) <= 1e-9 * weight);
    probe.quantity = SN_QUANTITY_CONTACT_COUNT;
    assert_true(sn_probe_read(world, &probe) == 6.0);
    sn_world_destroy(world);
}

// A rigid box, a body of a mechanism that slides up and down, and an elastic one, each on an
// elastic block.
static void what_lies_on_a_block_presses_it_with_its_weight(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        sn_world *world = make_world(g);
        sn_body floor = add_floor(world), top;
        block b = plain_block(0.0502);
        sn_body below = add_block(world, &b);
        sn_shape box = box_shape(0.1, 0.12, 0.08);
        if (kind < 2) {
            top = add_shape(world, &box, SN_BODY_RIGID, sn_vec3_make(0.0, 0.0, 0.1412));
        } else {
            block above = plain_block(0.1512);
            above.size = sn_vec3_make(0.12, 0.12, 0.08);
            above.position.x = 0.02;
            top = add_block(world, &above);
        }
        if (kind == 1) {
            sn_joint_def def = joint_at(world, "rail", SN_JOINT_SLIDER, (sn_body){0}, top,
                                        sn_vec3_make(0.0, 0.0, 0.5), sn_vec3_make(0.0, 0.0, 1.0));
            add(world, &def);
        }
        double upper = sn_body_mass_properties(world, top).mass * g;
        double all = upper + sn_body_mass_properties(world, below).mass * g;
        step(world, 240);
        sn_vec3 on_top = force_on(world, top), on_floor = force_on(world, floor);
        // Spots under the box come and go, the rail is held to the solver's tolerance, two elastic
        // blocks ring longer.
        const double shares[] = {1e-6, 1e-7, 1e-5};
        double share = shares[kind];
        assert_true(fabs(on_top.z - upper) <= share * all);
        assert_true(fabs(on_floor.z + all) <= share * all);
        assert_true(fabs(force_on(world, below).z - (all - upper)) <= share * all);
        sn_world_destroy(world);
    }
}

// ---- what moves ----

// In each step momentum changes by the weight and by what contacts say.
static void impulses_make_up_for_all_momentum(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    sn_body floor = add_floor(world);
    block b = plain_block(0.06), c = plain_block(0.2);
    b.velocity = sn_vec3_make(0.5, 0.3, -0.3);
    c.velocity = sn_vec3_make(-0.5, 0.0, -0.6);
    c.position.x = 0.07;
    sn_shape box = box_shape(0.1, 0.1, 0.1);
    sn_body bodies[3] = {add_block(world, &b), add_block(world, &c)};
    bodies[2] = add_shape(world, &box, SN_BODY_RIGID, sn_vec3_make(0.05, 0.05, 0.4));
    double mass[3], most = 0.0;
    for (int k = 0; k < 3; ++k) {
        mass[k] = sn_body_mass_properties(world, bodies[k]).mass;
    }
    double scale = 12.0 * 3.0;
    int touching = 0;
    for (int i = 0; i < 120; ++i) {
        sn_vec3 before[3], floor_force;
        for (int k = 0; k < 3; ++k) {
            before[k] = sn_vec3_scale(mass[k], sn_body_velocity(world, bodies[k]));
        }
        step(world, 1);
        if (sn_world_report(world).restored > 0) { // the net under contact tells no impulse
            continue;
        }
        sn_vec3 sum = SN_VEC3_ZERO;
        for (int k = 0; k < 3; ++k) {
            sn_vec3 after = sn_vec3_scale(mass[k], sn_body_velocity(world, bodies[k]));
            sn_vec3 force = force_on(world, bodies[k]);
            force.z -= mass[k] * g;
            sn_vec3 lacks = sn_vec3_sub(sn_vec3_sub(after, before[k]), sn_vec3_scale(h, force));
            most = fmax(most, sn_length(lacks));
            sum = sn_vec3_add(sum, force_on(world, bodies[k]));
        }
        floor_force = force_on(world, floor);
        assert_true(sn_length(sn_vec3_add(sum, floor_force)) * h < 1e-12 * scale);
        touching += sn_world_contact_count(world) > 0;
    }
    assert_true(touching > 60);
    assert_true(most < 1e-12 * scale);
    sn_world_destroy(world);
}

typedef struct told {
    int begins, ends;
    double begin, end, impulse;
    sn_contact_event first, last;
} told;

static void listen(const sn_world *world, told *t)
{
    for (int i = 0; i < sn_world_contact_event_count(world); ++i) {
        sn_contact_event event = sn_world_contact_event(world, i);
        if (event.change == SN_CONTACT_BEGIN) {
            t->first = t->begins == 0 ? event : t->first;
            t->begin = t->begins++ == 0 ? event.time : t->begin;
        } else {
            t->end = t->ends++ == 0 ? event.time : t->end;
            t->last = event;
            assert_true(event.impulse == 0.0);
        }
    }
}

// Without gravity and damping a block comes at 1 m/s, bounces and goes.
static void a_bounce_begins_and_ends_once(void **state)
{
    (void)state;
    sn_world *world = make_world(0.0);
    sn_body floor = add_floor(world);
    block b = plain_block(0.05 + 0.0123);
    b.velocity.z = -1.0;
    b.damping = 0.0;
    b.friction = 0.0;
    sn_body body = add_block(world, &b);
    told t = {0};
    double mass = sn_body_mass_properties(world, body).mass, before = -1.0, total = 0.0;
    int first = 0, last = 0;
    for (int i = 1; i <= 120; ++i) {
        step(world, 1);
        int begins = t.begins, ends = t.ends;
        listen(world, &t);
        double now = sn_body_velocity(world, body).z;
        bool pushed = fabs(now - before) > 1e-12;
        first = pushed && first == 0 ? i : first;
        last = pushed ? i : last;
        if (t.begins > begins) { // in the step that was the first to push
            assert_true(begins == 0 && pushed && first == i);
            assert_true(t.first.body_a.index == floor.index && t.first.body_b.index == body.index);
            assert_true(fabs(t.first.normal.z - 1.0) < 1e-12 && !t.first.sensor);
            assert_true(fabs(t.first.impulse - mass * (now - before)) < 1e-10);
            assert_true(fabs(t.first.position.z) < h);
            assert_true(fabs(t.first.position.x) < 1e-3);
        }
        assert_true(t.ends == ends || !pushed);
        assert_int_equal(sn_world_contact_count(world) > 0, pushed);
        // What pushed in the step before and in this one stays, and pushes by as much.
        assert_int_equal(sn_world_contact_stay_count(world), pushed && i > first);
        if (pushed && i > first) {
            sn_contact_event stays = sn_world_contact_stay(world, 0);
            assert_int_equal(stays.change, SN_CONTACT_STAY);
            assert_true(fabs(stays.impulse - mass * (now - before)) < 1e-10);
            assert_true(fabs(stays.normal.z - 1.0) < 1e-12 && fabs(stays.position.z) < h);
        }
        total += h * force_on(world, body).z;
        before = now;
    }
    // The gap, less the thickness that skins keep, of 1e-3 of the radius 0.15 m.
    double meets = 0.0123 - 1e-3 * 0.15;
    assert_int_equal(first, (int)ceil(meets / h));
    assert_int_equal(t.begins, 1);
    assert_int_equal(t.ends, 1);
    assert_true(fabs(t.begin - first * h) < 1e-9 && fabs(t.end - (last + 1) * h) < 1e-9);
    assert_true(fabs(total - mass * (before + 1.0)) < 1e-10);
    assert_true(before > 0.2);
    assert_true(fabs(t.last.normal.z - 1.0) < 1e-12); // and where it was
    assert_true(fabs(t.last.position.z) < h && fabs(t.last.position.x) < 1e-3);
    sn_world_destroy(world);
}

// A behaviour's or a scene's way to wait for contact.
static void events_wait_for_contact_forces(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    add_floor(world);
    block b = plain_block(0.15);
    sn_body body = add_block(world, &b);
    sn_event_def def = sn_default_event_def();
    def.probe = (sn_probe){.body = body, .quantity = SN_QUANTITY_CONTACT_FORCE};
    def.threshold = 1.0;
    def.direction = SN_DIRECTION_RISING;
    sn_event event;
    assert_int_equal(sn_world_add_event(world, &def, &event, NULL), SN_OK);
    step(world, 60);
    assert_true(sn_world_event_count(world) > 0);
    double time = sqrt(2.0 * 0.1 / g), at = sn_world_event_entry(world, 0).time;
    assert_true(at > time - h && at < time + 2.0 * h);
    sn_world_destroy(world);
}

// ---- one body ----

// Two blocks of one mesh, the upper one falls on the lower.
static void a_body_touches_itself(void **state)
{
    (void)state;
    sn_tetrahedra *one = box_mesh(sn_vec3_make(0.2, 0.2, 0.1), 1, 1, 1), *two = NULL;
    int count = sn_tetrahedra_vertex_count(one), elements = sn_tetrahedra_element_count(one);
    sn_vec3 places[64];
    int corners[128];
    assert_true(2 * count <= 64 && 8 * elements <= 128);
    for (int i = 0; i < 2 * count; ++i) {
        places[i] = sn_tetrahedra_positions(one)[i % count];
        places[i].z += i < count ? 0.0 : 0.101;
    }
    for (int i = 0; i < 8 * elements; ++i) {
        corners[i] =
            sn_tetrahedra_elements(one)[i % (4 * elements)] + (i < 4 * elements ? 0 : count);
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = places;
    def.vertex_count = 2 * count;
    def.elements = corners;
    def.element_count = 2 * elements;
    sn_error error = {0};
    if (sn_tetrahedra_create(&def, &two, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_world *world = make_world(g);
    sn_body floor = add_floor(world);
    block b = plain_block(0.0503);
    sn_body body = add_mesh(world, &b, two, true);
    double weight = sn_body_mass_properties(world, body).mass * g, pressed = 0.0;
    step(world, 480);
    check_force(world, body, weight, weight);
    check_force(world, floor, -weight, weight);
    for (int i = 0; i < sn_world_contact_count(world); ++i) {
        sn_contact_info info = sn_world_contact(world, i);
        if (info.body_a.index == body.index && info.body_b.index == body.index) {
            pressed += fabs(info.force.z);
        }
    }
    assert_true(fabs(pressed - 0.5 * weight) <= 1e-9 * weight);
    sn_world_destroy(world);
    sn_tetrahedra_release(two);
    sn_tetrahedra_release(one);
}

// ---- sensors ----

// A block falls through a sensor; and through an elastic one; and one that is a sensor itself falls
// through a box and an elastic block that stand.
static void sensors_notice_and_do_not_push(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        sn_world *world = make_world(g);
        block falls = plain_block(0.55), stands = plain_block(0.0);
        falls.sensor = kind >= 2;
        stands.sensor = kind == 1;
        stands.size = sn_vec3_make(0.4, 0.4, 0.2);
        sn_shape box = box_shape(0.4, 0.4, 0.2);
        box.surface.sensor = kind == 0;
        sn_body other;
        if (kind % 2 == 0) {
            other = add_shape(world, &box, SN_BODY_STATIC, SN_VEC3_ZERO);
        } else {
            other = add_block(world, &stands); // held
            for (int i = 0; i < sn_body_vertex_count(world, other); ++i) {
                assert_int_equal(sn_body_fix_vertex(world, other, i, true, NULL), SN_OK);
            }
        }
        sn_body body = add_block(world, &falls);
        told t = {0};
        for (int i = 0; i < 140; ++i) {
            step(world, 1);
            listen(world, &t);
            assert_int_equal(sn_world_contact_count(world), 0);
            bool inside = t.begins > t.ends;
            assert_int_equal(sn_body_sensor_count(world, kind >= 2 ? body : other), inside);
            assert_int_equal(sn_body_sensor_count(world, kind >= 2 ? other : body), 0);
        }
        // Noticed in the first step that starts with overlap, which time tells.
        double in = sqrt(2.0 * 0.4 / g), out = sqrt(2.0 * 0.7 / g);
        assert_int_equal(t.begins, 1);
        assert_int_equal(t.ends, 1);
        assert_true(t.first.sensor && t.first.impulse == 0.0);
        assert_true(t.first.body_a.index == other.index && t.first.body_b.index == body.index);
        assert_true(fabs(t.first.position.z - 0.1) < 0.02);
        assert_true(t.begin >= in - 1e-9 && t.begin < in + h + 1e-9);
        assert_true(t.end >= out - 1e-9 && t.end < out + h + 1e-9);
        assert_true(fabs(sn_body_velocity(world, body).z + 140.0 * h * g) < 1e-9);
        sn_world_destroy(world);
    }
}

// ---- copies, bodies that go, memory ----

static void copies_tell_no_beginning_twice(void **state)
{
    (void)state;
    sn_world *world = make_world(g), *copy = NULL;
    add_floor(world);
    block b = plain_block(0.06);
    sn_body body = add_block(world, &b);
    step(world, 60);
    assert_true(sn_world_contact_count(world) > 0);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    step(world, 1);
    step(copy, 1);
    assert_int_equal(sn_world_contact_event_count(copy), sn_world_contact_event_count(world));
    assert_int_equal(sn_world_contact_event_count(copy), 0);
    sn_vec3 a = force_on(world, body), c = force_on(copy, body);
    assert_memory_equal(&a, &c, sizeof a);
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

static void bodies_that_go_take_their_contacts_along(void **state)
{
    (void)state;
    sn_world *world = make_world(g);
    sn_body floor = add_floor(world);
    block b = plain_block(0.0502), c = plain_block(0.1512);
    c.size = sn_vec3_make(0.12, 0.12, 0.08);
    sn_body lower = add_block(world, &b), upper = add_block(world, &c);
    step(world, 60);
    assert_true(sn_length(force_on(world, upper)) > 0.0);
    assert_int_equal(sn_world_remove_body(world, lower, NULL), SN_OK);
    assert_int_equal(sn_world_contact_count(world), 0);
    assert_true(sn_length(force_on(world, floor)) == 0.0);
    sn_body fresh = add_block(world, &b); // takes the free number
    step(world, 1);
    int ends = 0;
    for (int i = 0; i < sn_world_contact_event_count(world); ++i) {
        sn_contact_event event = sn_world_contact_event(world, i);
        bool of_lower =
            event.body_a.generation == lower.generation && event.body_a.index == lower.index;
        of_lower = of_lower || (event.body_b.generation == lower.generation &&
                                event.body_b.index == lower.index);
        assert_int_equal(event.change == SN_CONTACT_END, of_lower);
        assert_true(!of_lower || fabs(fabs(event.normal.z) - 1.0) < 0.1);
        ends += of_lower;
    }
    assert_int_equal(ends, 2); // with the floor, and with what lay on it
    assert_true(sn_body_is_valid(world, fresh));
    sn_world_destroy(world);
}

static void steps_that_lack_memory_say_so(void **state)
{
    (void)state;
    for (int n = 0; n < 400; ++n) {
        sn_world *world = make_world(g);
        add_floor(world);
        sn_shape gate = box_shape(1.0, 1.0, 1.0);
        gate.surface.sensor = true;
        add_shape(world, &gate, SN_BODY_STATIC, SN_VEC3_ZERO);
        block b = plain_block(0.0501), c = plain_block(0.1504);
        add_block(world, &b);
        add_block(world, &c);
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_world_step(world, h, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        assert_int_equal(sn_world_step(world, h, NULL), SN_OK);
        sn_world_destroy(world);
        if (status == SN_OK) {
            assert_true(n > 10);
            return;
        }
    }
    fail_msg("no step came through");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_at_rest_weighs_what_it_weighs),
        cmocka_unit_test(what_lies_on_a_block_presses_it_with_its_weight),
        cmocka_unit_test(impulses_make_up_for_all_momentum),
        cmocka_unit_test(a_bounce_begins_and_ends_once),
        cmocka_unit_test(events_wait_for_contact_forces),
        cmocka_unit_test(a_body_touches_itself),
        cmocka_unit_test(sensors_notice_and_do_not_push),
        cmocka_unit_test(copies_tell_no_beginning_twice),
        cmocka_unit_test(bodies_that_go_take_their_contacts_along),
        cmocka_unit_test(steps_that_lack_memory_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
