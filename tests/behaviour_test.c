// Behaviours in C: when they act, what holds, what is saved, and what a failure leaves behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "sinew/behaviour.h"
#include "small_world.h"

typedef sn_status act_function(void *user, sn_world *world, sn_behaviour self, double time,
                               sn_error *error);

static sn_behaviour add(sn_world *world, const sn_behaviour_def *def)
{
    sn_behaviour behaviour;
    sn_error error = {0};
    if (sn_world_add_behaviour(world, def, &behaviour, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return behaviour;
}

static sn_behaviour_def make_def(const char *name, act_function *act, void *user)
{
    sn_behaviour_def def = sn_default_behaviour_def();
    def.name = name;
    def.act = act;
    def.user = user;
    return def;
}

// A ball of one kilogram whose centre is its origin.
static sn_body add_ball(sn_world *world, const char *name, sn_vec3 position, sn_vec3 velocity)
{
    sn_body_def def = sn_default_body_def();
    def.name = name;
    def.frame.position = position;
    def.velocity = velocity;
    def.mass.mass = 1.0;
    def.mass.inertia = SN_MAT3_IDENTITY;
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

// ---- control ----

typedef struct controller {
    sn_body body;
    double stiffness, damping;
} controller;

static sn_status pull_back(void *user, sn_world *world, sn_behaviour self, double time,
                           sn_error *error)
{
    (void)self, (void)time, (void)error;
    const controller *c = user;
    sn_vec3 x = sn_body_centre(world, c->body), v = sn_body_velocity(world, c->body);
    sn_vec3 force = sn_vec3_add(sn_vec3_scale(-c->stiffness, x), sn_vec3_scale(-c->damping, v));
    sn_body_add_force(world, c->body, force, x);
    return SN_OK;
}

// A force that holds for a step h moves a mass exactly as x += h v + h^2/2 f/m, v += h f/m: sampled
// control has a closed form, which both policies must meet.
static void a_sampled_controller_has_its_closed_form(void **state)
{
    (void)state;
    for (int policy = 0; policy < SN_POLICY_COUNT; ++policy) {
        sn_world *world = make_world((sn_policy)policy, SN_VEC3_ZERO);
        controller c = {add_ball(world, "mass", sn_vec3_make(1, 0, 0), SN_VEC3_ZERO), 30.0, 2.0};
        sn_behaviour_def def = make_def("controller", pull_back, &c);
        add(world, &def);
        double x = 1.0, v = 0.0, h = 0.01;
        for (int i = 0; i < 300; ++i) {
            double f = -c.stiffness * x - c.damping * v;
            x += h * v + 0.5 * h * h * f;
            v += h * f;
            advance(world, h, 1);
            assert_true(fabs(read(world, c.body, SN_QUANTITY_CENTRE_X) - x) < 1e-11);
            assert_true(fabs(read(world, c.body, SN_QUANTITY_VELOCITY_X) - v) < 1e-11);
        }
        assert_true(fabs(x) < 0.1); // it has been pulled back
        sn_world_destroy(world);
    }
}

// A heater in one dimension: it pushes to the right below -1 and lets go above +1, against a
// constant pull to the left. Where it is between them, only its memory knows what it does.
static sn_status switch_heater(void *user, sn_world *world, sn_behaviour self, double time,
                               sn_error *error)
{
    (void)time, (void)error;
    sn_body body = *(sn_body *)user;
    double *on = sn_behaviour_memory(world, self), x = sn_body_centre(world, body).x;
    on[0] = x < -1.0 ? 1.0 : (x > 1.0 ? 0.0 : on[0]);
    on[1] += 1.0; // steps
    sn_body_add_force(world, body, sn_vec3_make(on[0] != 0.0 ? 1.0 : -1.0, 0, 0),
                      sn_body_centre(world, body));
    return SN_OK;
}

static void a_memory_makes_hysteresis(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body body = add_ball(world, "room", SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_behaviour_def def = make_def("heater", switch_heater, &body);
    def.memory_count = 2;
    def.memory = (const double[]){0.0, 100.0};
    sn_behaviour heater = add(world, &def);
    int switches = 0;
    double before = 0.0;
    for (int i = 0; i < 4000; ++i) {
        advance(world, 0.01, 1);
        double on = sn_behaviour_memory(world, heater)[0];
        // It switches on the far side only.
        double x = read(world, body, SN_QUANTITY_CENTRE_X);
        if (on != before) {
            assert_true(on != 0.0 ? x < -0.9 : x > 0.9);
            switches += 1;
        }
        before = on;
    }
    assert_true(switches >= 4);
    assert_true(sn_behaviour_memory(world, heater)[1] == 4100.0);
    assert_int_equal(sn_behaviour_memory_count(world, heater), 2);
    sn_world_destroy(world);
}

// ---- when they act ----

typedef struct diary {
    double times[2000];
    int count;
} diary;

static sn_status write_diary(void *user, sn_world *world, sn_behaviour self, double time,
                             sn_error *error)
{
    (void)world, (void)self, (void)error;
    diary *d = user;
    d->times[d->count++] = time;
    return SN_OK;
}

static void a_period_is_kept_by_any_step(void **state)
{
    (void)state;
    static const struct {
        double step, period;
        int steps, expected;
    } cases[] = {
        {0.001, 0.01, 1000, 100},  // whole steps
        {0.001, 0.0, 500, 500},    // every step
        {0.01, 0.015, 300, 200},   // every first or second
        {0.1, 0.001, 50, 50},      // shorter than the step: once a step
        {0.003, 0.007, 700, 300},  // 2.1 s
        {0.1, 1e-300, 50, 50},     // counts beyond any integer
        {1.0 / 3.0, 1.0, 300, 100} // no multiple is a number of the machine's
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
        diary d = {.count = 0};
        sn_behaviour_def def = make_def("clock", write_diary, &d);
        def.period = cases[k].period;
        add(world, &def);
        advance(world, cases[k].step, cases[k].steps);
        assert_int_equal(d.count, cases[k].expected);
        double h = cases[k].step, period = cases[k].period > h ? cases[k].period : h;
        for (int i = 0; i < d.count; ++i) {
            // the first step start at or after
            double late = d.times[i] - i * period;
            assert_true(late > -1e-6 * h && late < h);
        }
        sn_world_destroy(world);
    }
}

// A property of any mixture of steps: no act comes before its multiple, and each multiple that a
// step start has reached has had its act.
static void periods_hold_over_uneven_steps(void **state)
{
    (void)state;
    sn_random random = {.seed = 20260301};
    for (int round = 0; round < 20; ++round) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
        diary d = {.count = 0};
        double period = 0.01 + 0.1 * sn_random_unit(&random), last = -1.0;
        sn_behaviour_def def = make_def("clock", write_diary, &d);
        def.period = period;
        add(world, &def);
        for (int i = 0; i < 500; ++i) {
            double start = sn_world_time(world);
            int before = d.count;
            advance(world, 0.001 + 0.05 * sn_random_unit(&random), 1);
            bool passed = floor(start / period) > floor(last / period);
            assert_int_equal(d.count - before, passed);
            last = start;
        }
        sn_world_destroy(world);
    }
}

static void once_acts_once_a_start(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    diary d = {.count = 0};
    sn_behaviour_def def = make_def("once", write_diary, &d);
    def.once = true;
    sn_behaviour b = add(world, &def);
    assert_true(sn_behaviour_is_active(world, b));
    advance(world, 0.1, 10);
    assert_int_equal(d.count, 1);
    assert_false(sn_behaviour_is_active(world, b));
    assert_int_equal(sn_behaviour_start(world, b, NULL), SN_OK);
    advance(world, 0.1, 10);
    assert_int_equal(d.count, 2);
    assert_true(fabs(d.times[1] - 1.0) < 1e-12);
    sn_world_destroy(world);
}

// ---- nested ----

static void children_live_with_their_parent(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    diary d[4] = {{.count = 0}};
    sn_behaviour b[4];
    const char *names[4] = {"parent", "child", "idle child", "grandchild"};
    const int parents[4] = {-1, 0, 0, 1};
    for (int i = 0; i < 4; ++i) {
        sn_behaviour_def def = make_def(names[i], write_diary, &d[i]);
        def.active = i != 2;
        def.parent = parents[i] >= 0 ? b[parents[i]] : (sn_behaviour){0};
        b[i] = add(world, &def);
    }
    advance(world, 0.1, 1);
    assert_true(d[0].count == 1 && d[1].count == 1 && d[2].count == 0 && d[3].count == 1);
    assert_int_equal(sn_behaviour_start(world, b[2], NULL), SN_OK);
    advance(world, 0.1, 1);
    assert_true(d[0].count == 2 && d[1].count == 2 && d[2].count == 1 && d[3].count == 2);
    assert_int_equal(sn_behaviour_stop(world, b[0], NULL), SN_OK);
    for (int i = 0; i < 4; ++i) {
        assert_false(sn_behaviour_is_active(world, b[i]));
    }
    sn_error error = {0};
    assert_int_equal(sn_behaviour_start(world, b[3], &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "grandchild");
    assert_non_null(strstr(error.text, "'child'"));
    advance(world, 0.1, 5);
    assert_int_equal(d[0].count + d[1].count + d[2].count + d[3].count, 7);
    // The idle child was started by hand and is not part of what its parent brings back.
    assert_int_equal(sn_behaviour_start(world, b[0], NULL), SN_OK);
    assert_false(sn_behaviour_is_active(world, b[2]));
    advance(world, 0.1, 1);
    assert_true(d[0].count == 3 && d[1].count == 3 && d[2].count == 1 && d[3].count == 3);
    // A child that was stopped alone stays so when its parent, still active, is started.
    assert_int_equal(sn_behaviour_stop(world, b[1], NULL), SN_OK);
    assert_int_equal(sn_behaviour_start(world, b[0], NULL), SN_OK);
    assert_false(sn_behaviour_is_active(world, b[1]));
    assert_false(sn_behaviour_is_active(world, b[3]));
    sn_world_destroy(world);
}

typedef struct relay {
    diary *diary;
    sn_behaviour next;
} relay;

static sn_status pass_on(void *user, sn_world *world, sn_behaviour self, double time,
                         sn_error *error)
{
    relay *r = user;
    write_diary(r->diary, world, self, time, error);
    sn_status status = sn_behaviour_start(world, r->next, error);
    return status == SN_OK ? sn_behaviour_stop(world, self, error) : status;
}

// Two that hand over to each other: the one that comes later acts in the same step, the earlier one
// in the next.
static void behaviours_start_and_stop_each_other(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    diary d[2] = {{.count = 0}};
    relay relays[2] = {{&d[0], {0}}, {&d[1], {0}}};
    for (int i = 0; i < 2; ++i) {
        sn_behaviour_def def = make_def(i == 0 ? "tick" : "tock", pass_on, &relays[i]);
        def.active = i == 0;
        relays[1 - i].next = add(world, &def);
    }
    advance(world, 0.5, 4);
    assert_int_equal(d[0].count, 4);
    assert_int_equal(d[1].count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_true(d[0].times[i] == d[1].times[i]);
    }
    sn_world_destroy(world);
}

// ---- events ----

static sn_event add_fall(sn_world *world, sn_body body, double z, sn_event_action action)
{
    sn_event_def def = sn_default_event_def();
    def.name = "passes";
    def.probe = (sn_probe){.body = body, .quantity = SN_QUANTITY_CENTRE_Z};
    def.threshold = z;
    def.direction = SN_DIRECTION_FALLING;
    def.action = action;
    sn_event event;
    assert_int_equal(sn_world_add_event(world, &def, &event, NULL), SN_OK);
    return event;
}

typedef struct thruster {
    sn_body body;
    double force;
    double first_time; // at which it acted
} thruster;

static sn_status thrust(void *user, sn_world *world, sn_behaviour self, double time,
                        sn_error *error)
{
    (void)self, (void)error;
    thruster *t = user;
    t->first_time = t->first_time < 0.0 ? time : t->first_time;
    sn_body_add_force(world, t->body, sn_vec3_make(0, 0, t->force), sn_body_centre(world, t->body));
    return SN_OK;
}

// A ball falls from rest; from the height z on a force brakes it. Located, the braking starts at
// t = sqrt(2 (z0 - z) / g) to the integrator's accuracy, and the fall has its closed form.
static void a_located_event_starts_at_its_time(void **state)
{
    (void)state;
    const double g = 9.81, z0 = 10.0, z = 6.0, force = 15.0, end = 2.0;
    double hit = sqrt(2.0 * (z0 - z) / g), rest = end - hit, v = -g * hit;
    double expected = z + v * rest + 0.5 * (force - g) * rest * rest;
    for (int i = SN_INTEGRATOR_FEHLBERG45; i <= SN_INTEGRATOR_BDF; ++i) {
        sn_world_def world_def = sn_default_world_def();
        world_def.policy = SN_POLICY_PRECISE;
        world_def.integrator = (sn_integrator)i;
        sn_world *world = NULL;
        assert_int_equal(sn_world_create(&world_def, &world, NULL), SN_OK);
        thruster t = {add_ball(world, "ball", sn_vec3_make(0, 0, z0), SN_VEC3_ZERO), force, -1.0};
        sn_behaviour_def def = make_def("brake", thrust, &t);
        def.on = add_fall(world, t.body, z, SN_EVENT_START);
        def.active = false;
        sn_behaviour brake = add(world, &def);
        int steps = 0;
        while (sn_world_time(world) < end) {
            double left = end - sn_world_time(world);
            advance(world, left < 0.07 ? left : 0.07, 1);
            assert_false(sn_world_stopped(world));
            steps += 1;
        }
        assert_true(sn_behaviour_is_active(world, brake));
        assert_int_equal(sn_world_event_count(world), 1);
        assert_true(fabs(t.first_time - hit) < 1e-8);
        assert_true(fabs(read(world, t.body, SN_QUANTITY_CENTRE_Z) - expected) < 1e-6);
        assert_int_equal(steps, 29); // 13 up to the event, the last cut short, and 16 from there
        sn_world_destroy(world);
    }
}

// Watched, or only marked, it starts at the end of the step.
static void other_events_start_at_the_end_of_their_step(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        sn_world *world = make_world((sn_policy)policy, sn_vec3_make(0, 0, -10.0));
        thruster t = {add_ball(world, "ball", sn_vec3_make(0, 0, 5), SN_VEC3_ZERO), 1.0, -1.0};
        sn_behaviour_def def = make_def("brake", thrust, &t);
        sn_event_action action =
            policy == SN_POLICY_PRECISE ? SN_EVENT_MARK : SN_EVENT_START; // at 0.9487 s
        def.on = add_fall(world, t.body, 0.5, action);
        def.active = false;
        add(world, &def);
        advance(world, 0.1, 12);
        assert_true(fabs(t.first_time - 1.0) < 1e-12);
        sn_world_destroy(world);
    }
}

// What happens while the parent is stopped starts nothing.
static void events_are_for_children_of_active_parents(void **state)
{
    (void)state;
    for (int active = 0; active < 2; ++active) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(0, 0, -10.0));
        diary d[2] = {{.count = 0}};
        sn_body ball = add_ball(world, "ball", sn_vec3_make(0, 0, 5), SN_VEC3_ZERO);
        sn_behaviour_def def = make_def("parent", write_diary, &d[0]);
        def.active = active;
        sn_behaviour parent = add(world, &def);
        def = make_def("child", write_diary, &d[1]);
        def.parent = parent;
        def.active = false;
        def.on = add_fall(world, ball, 0.5, SN_EVENT_START);
        add(world, &def);
        advance(world, 0.1, 12);
        assert_int_equal(d[1].count, active ? 2 : 0);
        sn_world_destroy(world);
    }
}

// ---- state ----

// A world with several of them at work.
typedef struct plant {
    sn_world *world;
    sn_body body;
    sn_behaviour heater;
} plant;

static sn_status walk(void *user, sn_world *world, sn_behaviour self, double time, sn_error *error)
{
    (void)user, (void)time, (void)error;
    double *memory = sn_behaviour_memory(world, self);
    memory[0] = 1.0 - 1.4 * memory[0] * memory[0] + memory[1]; // Henon's map: any bit matters soon
    memory[1] = 0.3 * memory[1] + 0.01;
    sn_body body = sn_world_find_body(world, "room");
    sn_body_add_torque(world, body, sn_vec3_make(memory[0], 0.1, memory[1]));
    return SN_OK;
}

static sn_status heat(void *user, sn_world *world, sn_behaviour self, double time, sn_error *error)
{
    (void)user;
    sn_body body = sn_world_find_body(world, "room");
    return switch_heater(&body, world, self, time, error);
}

static void make_plant(plant *p, sn_policy policy)
{
    p->world = make_world(policy, sn_vec3_make(0, 0, -1.0));
    p->body = add_ball(p->world, "room", SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_behaviour_def def = make_def("heater", heat, NULL);
    def.memory_count = 2;
    p->heater = add(p->world, &def);
    def = make_def("walk", walk, NULL);
    def.memory_count = 2;
    def.period = 0.035;
    def.active = false;
    def.on = add_fall(p->world, p->body, -0.3, SN_EVENT_START);
    add(p->world, &def);
}

static void states_and_copies_go_on_to_the_bit(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        plant p, q;
        make_plant(&p, (sn_policy)policy);
        advance(p.world, 0.01, 137);
        size_t size = sn_world_state_size(p.world);
        void *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(p.world, bytes, size, NULL), SN_OK);
        sn_world *copy = NULL;
        assert_int_equal(sn_world_copy(p.world, &copy, NULL), SN_OK);
        assert_true(sn_world_hash(copy) == sn_world_hash(p.world));
        make_plant(&q, (sn_policy)policy);
        assert_int_equal(sn_world_load_state(q.world, bytes, size, NULL), SN_OK);
        assert_true(sn_world_hash(q.world) == sn_world_hash(p.world));
        advance(p.world, 0.01, 200);
        advance(copy, 0.01, 200);
        advance(q.world, 0.01, 200);
        assert_true(sn_world_hash(copy) == sn_world_hash(p.world));
        assert_true(sn_world_hash(q.world) == sn_world_hash(p.world));
        // and the world itself goes back
        assert_int_equal(sn_world_load_state(p.world, bytes, size, NULL), SN_OK);
        advance(p.world, 0.01, 200);
        assert_true(sn_world_hash(q.world) == sn_world_hash(p.world));
        free(bytes);
        sn_world_destroy(copy);
        sn_world_destroy(p.world);
        sn_world_destroy(q.world);
    }
}

static void the_state_is_all_of_it_and_only_for_its_like(void **state)
{
    (void)state;
    plant p, q;
    make_plant(&p, SN_POLICY_LOCKSTEP);
    uint64_t hash = sn_world_hash(p.world);
    sn_behaviour_memory(p.world, p.heater)[1] += 1e-300;
    assert_true(sn_world_hash(p.world) != hash);
    sn_behaviour_memory(p.world, p.heater)[1] = 0.0;
    assert_true(sn_world_hash(p.world) == hash);
    assert_int_equal(sn_behaviour_stop(p.world, p.heater, NULL), SN_OK);
    assert_true(sn_world_hash(p.world) != hash);
    // Same size, other shape: two behaviours of 2 numbers against ones of 3 and 1.
    q.world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    add_ball(q.world, "room", SN_VEC3_ZERO, SN_VEC3_ZERO);
    for (int i = 0; i < 2; ++i) {
        sn_behaviour_def def = make_def(NULL, heat, NULL);
        def.memory_count = i == 0 ? 3 : 1;
        add(q.world, &def);
    }
    sn_event_def watched = sn_default_event_def(); // as the plant has one
    sn_event event;
    watched.probe.quantity = SN_QUANTITY_TIME;
    assert_int_equal(sn_world_add_event(q.world, &watched, &event, NULL), SN_OK);
    size_t size = sn_world_state_size(p.world);
    assert_int_equal(size, sn_world_state_size(q.world));
    unsigned char *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(p.world, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_load_state(q.world, bytes, size, NULL), SN_ERROR_FORMAT);
    double wrong = NAN;
    memcpy(bytes + size - sizeof wrong, &wrong, sizeof wrong);
    assert_int_equal(sn_world_load_state(p.world, bytes, size, NULL), SN_ERROR_FORMAT);
    free(bytes);
    sn_world_destroy(p.world);
    sn_world_destroy(q.world);
}

// ---- failing ----

typedef struct saboteur {
    int fail_at; // the how manyth act
    sn_status status;
    bool poison;   // its memory
    bool wordless; // no text
} saboteur;

static sn_status sabotage(void *user, sn_world *world, sn_behaviour self, double time,
                          sn_error *error)
{
    (void)time;
    const saboteur *s = user;
    double *memory = sn_behaviour_memory(world, self);
    memory[0] += 1.0;
    sn_body_add_force(world, sn_world_find_body(world, "room"), sn_vec3_make(0, 1e3, 0),
                      SN_VEC3_ZERO);
    if (memory[0] < s->fail_at) {
        return SN_OK;
    }
    if (s->poison) {
        memory[1] = INFINITY;
        return SN_OK;
    }
    return s->wordless ? s->status : sn_fail(error, s->status, NULL, "the fuse blew");
}

static void a_failure_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        plant p;
        make_plant(&p, SN_POLICY_LOCKSTEP);
        saboteur s = {5, SN_ERROR_ARGUMENT, kind == 1, kind == 2};
        sn_behaviour_def def = make_def("saboteur", sabotage, &s);
        def.memory_count = 2;
        sn_behaviour b = add(p.world, &def);
        advance(p.world, 0.01, 4);
        uint64_t hash = sn_world_hash(p.world);
        sn_error error = {0};
        sn_status expected = kind == 1 ? SN_ERROR_DIVERGED : SN_ERROR_ARGUMENT;
        assert_int_equal(sn_world_step(p.world, 0.01, &error), expected);
        assert_int_equal(error.code, expected);
        assert_string_equal(error.place, "behaviour 'saboteur', step 5");
        assert_non_null(strstr(error.text, kind == 0   ? "the fuse blew"
                                           : kind == 1 ? "number 1 of its memory"
                                                       : "out of its range"));
        assert_true(sn_world_hash(p.world) == hash);
        assert_int_equal(sn_world_step_count(p.world), 4);
        // Without it the world goes on as if it had never tried.
        sn_world *copy = NULL;
        assert_int_equal(sn_world_copy(p.world, &copy, NULL), SN_OK);
        assert_int_equal(sn_behaviour_stop(p.world, b, NULL), SN_OK);
        assert_int_equal(sn_behaviour_stop(copy, b, NULL), SN_OK);
        advance(p.world, 0.01, 10);
        advance(copy, 0.01, 10);
        assert_true(sn_world_hash(copy) == sn_world_hash(p.world));
        sn_world_destroy(copy);
        sn_world_destroy(p.world);
    }
}

static sn_status push_too_hard(void *user, sn_world *world, sn_behaviour self, double time,
                               sn_error *error)
{
    (void)user, (void)time, (void)error;
    sn_behaviour_memory(world, self)[0] += 1.0;
    sn_body_add_force(world, sn_world_find_body(world, "room"), sn_vec3_make(NAN, 0, 0),
                      SN_VEC3_ZERO);
    return SN_OK;
}

// Also when the step fails further on: what behaviours have kept is that of its start.
static void a_failed_step_takes_their_state_back(void **state)
{
    (void)state;
    plant p;
    make_plant(&p, SN_POLICY_LOCKSTEP);
    sn_behaviour_def def = make_def("brute", push_too_hard, NULL);
    def.memory_count = 1;
    def.active = false;
    sn_behaviour brute = add(p.world, &def);
    advance(p.world, 0.01, 20);
    assert_int_equal(sn_behaviour_start(p.world, brute, NULL), SN_OK);
    uint64_t hash = sn_world_hash(p.world);
    sn_error error = {0};
    assert_int_equal(sn_world_step(p.world, 0.01, &error), SN_ERROR_DIVERGED);
    assert_non_null(strstr(error.place, "room"));
    assert_true(sn_world_hash(p.world) == hash);
    assert_true(sn_behaviour_memory(p.world, brute)[0] == 0.0);
    sn_world_destroy(p.world);
}

typedef struct meddler {
    sn_body body;
    int refused, tried;
} meddler;

static sn_status meddle(void *user, sn_world *world, sn_behaviour self, double time,
                        sn_error *error)
{
    (void)time, (void)error;
    meddler *m = user;
    sn_body_def body_def = sn_default_body_def();
    sn_behaviour_def def = make_def("second", meddle, user);
    sn_event_def event_def = sn_default_event_def();
    event_def.probe.body = m->body;
    sn_body body;
    sn_behaviour behaviour;
    sn_event event;
    sn_world *copy;
    unsigned char bytes[1000];
    sn_status tries[] = {
        sn_world_step(world, 0.01, NULL),
        sn_world_add_body(world, &body_def, &body, NULL),
        sn_world_remove_body(world, m->body, NULL),
        sn_world_add_behaviour(world, &def, &behaviour, NULL),
        sn_world_add_event(world, &event_def, &event, NULL),
        sn_world_copy(world, &copy, NULL),
        sn_body_set_velocity(world, m->body, SN_VEC3_ZERO, SN_VEC3_ZERO, NULL),
        sn_body_set_transform(world, m->body, SN_TRANSFORM_IDENTITY, NULL),
        sn_world_save_state(world, bytes, sizeof bytes, NULL) == SN_OK
            ? sn_world_load_state(world, bytes, sn_world_state_size(world), NULL)
            : SN_OK,
        sn_world_set_threads(world, 2, NULL),
    };
    sn_world_set_gravity(world, sn_vec3_make(1, 2, 3));
    m->tried = sizeof tries / sizeof *tries;
    for (int i = 0; i < m->tried; ++i) {
        m->refused += tries[i] == SN_ERROR_UNSUPPORTED;
    }
    return sn_behaviour_stop(world, self, NULL);
}

static void what_they_may_not_do_is_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    meddler m = {.body = add_ball(world, "ball", SN_VEC3_ZERO, sn_vec3_make(1, 0, 0))};
    sn_behaviour_def def = make_def("meddler", meddle, &m);
    sn_behaviour b = add(world, &def);
    advance(world, 0.01, 2);
    assert_int_equal(m.refused, m.tried);
    assert_true(m.tried > 0);
    assert_false(sn_behaviour_is_active(world, b));
    assert_true(sn_world_gravity(world).x == 0.0);
    assert_true(fabs(read(world, m.body, SN_QUANTITY_CENTRE_X) - 0.02) < 1e-15);
    // between steps it all works again
    assert_int_equal(sn_body_set_velocity(world, m.body, SN_VEC3_ZERO, SN_VEC3_ZERO, NULL), SN_OK);
    sn_world_destroy(world);
}

static void steer_from_a_callback(void *user, sn_world *world, double time)
{
    (void)time;
    assert_int_equal(sn_behaviour_stop(world, *(sn_behaviour *)user, NULL), SN_ERROR_UNSUPPORTED);
}

static void bad_definitions_and_handles_are_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    diary d = {.count = 0};
    sn_behaviour_def good = make_def("good", write_diary, &d);
    sn_behaviour b = add(world, &good), none;
    for (int i = 0; i < 9; ++i) {
        sn_behaviour_def def = good;
        def.name = i == 0 ? "good" : "bad";
        def.act = i == 1 ? NULL : def.act;
        def.period = i == 2 ? -1.0 : i == 3 ? NAN : 0.0;
        def.on = i == 4 ? (sn_event){3, 1} : (sn_event){0};
        def.parent = i == 5 ? (sn_behaviour){7, 1} : (sn_behaviour){0};
        def.memory_count = i == 6 ? -1 : i == 7 ? 2 : 0;
        def.memory = (const double[]){0.0, NAN};
        def.destroy = i == 8 ? free : NULL;
        sn_error error = {0};
        sn_status expected = i == 4 || i == 5 ? SN_ERROR_HANDLE : SN_ERROR_ARGUMENT;
        assert_int_equal(sn_world_add_behaviour(world, &def, &none, &error), expected);
        assert_string_equal(error.place, def.name);
        assert_true(strlen(error.text) > 10);
        assert_int_equal(none.index, 0);
    }
    assert_int_equal(sn_world_behaviour_count(world), 1);
    sn_behaviour stale[] = {{0, 0}, {2, 1}, {1, 2}};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(sn_behaviour_start(world, stale[i], NULL), SN_ERROR_HANDLE);
        assert_int_equal(sn_behaviour_stop(world, stale[i], NULL), SN_ERROR_HANDLE);
        assert_null(sn_behaviour_memory(world, stale[i]));
        assert_null(sn_behaviour_user(world, stale[i]));
        assert_int_equal(sn_behaviour_memory_count(world, stale[i]), 0);
        assert_false(sn_behaviour_is_active(world, stale[i]));
        assert_string_equal(sn_behaviour_name(world, stale[i]), "");
    }
    assert_int_equal(sn_world_find_behaviour(world, "good").index, b.index);
    assert_int_equal(sn_world_find_behaviour(world, "bad").index, 0);
    assert_int_equal(sn_world_behaviour(world, 0).index, b.index);
    assert_int_equal(sn_world_behaviour(world, 1).index, 0);
    assert_true(sn_behaviour_user(world, b) == &d);
    sn_callback_def field = sn_default_callback_def();
    field.apply = steer_from_a_callback;
    field.user = &b;
    sn_field handle;
    assert_int_equal(sn_world_add_callback(world, &field, &handle, NULL), SN_OK);
    add_ball(world, "ball", SN_VEC3_ZERO, SN_VEC3_ZERO);
    advance(world, 0.01, 1);
    assert_true(sn_behaviour_is_active(world, b));
    sn_world_destroy(world);
}

// ---- memory ----

static void *copy_number(void *user)
{
    double *copy = sn_allocate(sizeof *copy);
    if (copy != NULL) {
        *copy = *(double *)user + 1.0;
    }
    return copy;
}

static sn_status add_owned(sn_world *world, const char *name, sn_error *error)
{
    sn_behaviour_def def = make_def(name, heat, NULL);
    def.memory_count = 2;
    def.copy = copy_number;
    def.destroy = sn_free;
    double *number = sn_allocate_zero(sizeof *number);
    if (number == NULL) {
        return SN_ERROR_MEMORY;
    }
    def.user = number;
    sn_behaviour behaviour;
    sn_status status = sn_world_add_behaviour(world, &def, &behaviour, error);
    if (status != SN_OK) {
        sn_free(number);
    }
    return status;
}

static void out_of_memory_leaves_whole_worlds(void **state)
{
    (void)state;
    int failures = 0;
    bool through = false;
    for (int n = 0; !through; ++n) {
        plant p;
        make_plant(&p, SN_POLICY_LOCKSTEP);
        sn_world *copy = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = add_owned(p.world, "first", &error);
        status = status == SN_OK ? add_owned(p.world, "second", &error) : status;
        status = status == SN_OK ? sn_world_copy(p.world, &copy, &error) : status;
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        through = status == SN_OK;
        failures += status != SN_OK;
        advance(p.world, 0.01, 3);
        if (through) {
            advance(copy, 0.01, 3);
            assert_true(sn_world_hash(copy) == sn_world_hash(p.world));
            sn_behaviour second = sn_world_find_behaviour(copy, "second");
            assert_true(*(double *)sn_behaviour_user(copy, second) == 1.0);
        }
        sn_world_destroy(copy);
        sn_world_destroy(p.world);
    }
    assert_true(failures > 10);
}

static void a_running_world_allocates_nothing(void **state)
{
    (void)state;
    plant p;
    make_plant(&p, SN_POLICY_LOCKSTEP);
    advance(p.world, 0.01, 100);
    uint64_t before = sn_allocation_count();
    advance(p.world, 0.01, 100);
    assert_int_equal(sn_allocation_count(), before);
    sn_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampled_controller_has_its_closed_form),
        cmocka_unit_test(a_memory_makes_hysteresis),
        cmocka_unit_test(a_period_is_kept_by_any_step),
        cmocka_unit_test(periods_hold_over_uneven_steps),
        cmocka_unit_test(once_acts_once_a_start),
        cmocka_unit_test(children_live_with_their_parent),
        cmocka_unit_test(behaviours_start_and_stop_each_other),
        cmocka_unit_test(a_located_event_starts_at_its_time),
        cmocka_unit_test(other_events_start_at_the_end_of_their_step),
        cmocka_unit_test(events_are_for_children_of_active_parents),
        cmocka_unit_test(states_and_copies_go_on_to_the_bit),
        cmocka_unit_test(the_state_is_all_of_it_and_only_for_its_like),
        cmocka_unit_test(a_failure_leaves_nothing_behind),
        cmocka_unit_test(a_failed_step_takes_their_state_back),
        cmocka_unit_test(what_they_may_not_do_is_refused),
        cmocka_unit_test(bad_definitions_and_handles_are_refused),
        cmocka_unit_test(out_of_memory_leaves_whole_worlds),
        cmocka_unit_test(a_running_world_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
