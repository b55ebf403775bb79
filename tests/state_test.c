// What a world carries from step to step beside positions and velocities: it is undone with a step
// that failed, and it is in copies, states and hashes.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/world.h"

// ---- a world as it is ----

typedef struct moment {
    unsigned char *state, *memory;
    size_t state_size, memory_size;
} moment;

static moment save(const sn_world *world)
{
    moment m = {.state_size = sn_world_state_size(world),
                .memory_size = sn_world_contact_memory_size(world)};
    m.state = malloc(m.state_size);
    m.memory = malloc(m.memory_size);
    assert_true(m.state != NULL && m.memory != NULL);
    assert_int_equal(sn_world_save_state(world, m.state, m.state_size, NULL), SN_OK);
    assert_int_equal(sn_world_save_contact_memory(world, m.memory, m.memory_size, NULL), SN_OK);
    return m;
}

static void load_moment(sn_world *world, const moment *m)
{
    assert_int_equal(sn_world_load_state(world, m->state, m->state_size, NULL), SN_OK);
    assert_int_equal(sn_world_load_contact_memory(world, m->memory, m->memory_size, NULL), SN_OK);
}

static void release(moment *m)
{
    free(m->state);
    free(m->memory);
}

// A copy and a loaded world go on as the world does, for so many steps.
static void check_others(const char *text, sn_world *world, double h, int steps)
{
    sn_world *copy = NULL, *loaded = build_text(text);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    advance(loaded, h, 1); // it is not a new one
    moment m = save(world);
    load_moment(loaded, &m);
    assert_true(sn_world_hash(copy) == sn_world_hash(world));
    assert_true(sn_world_hash(loaded) == sn_world_hash(world));
    for (int i = 0; i < steps; ++i) {
        advance(world, h, 1);
        advance(copy, h, 1);
        advance(loaded, h, 1);
        assert_true(sn_world_hash(copy) == sn_world_hash(world));
        assert_true(sn_world_hash(loaded) == sn_world_hash(world));
        assert_int_equal(sn_world_event_count(copy), sn_world_event_count(world));
    }
    release(&m);
    sn_world_destroy(copy);
    sn_world_destroy(loaded);
}

// ---- steps that events end ----

// A ball falls under an integrator that locates its passing, beside a box of 8 kg that rests on the
// ground: the event ends the step of everything, after a share of it that is no round one.
static const char beside[] =
    "{'sinew': 1, 'contact': {'sleep': SLEEP},\n"
    " 'bodies': [{'name': 'ground', 'type': 'static', 'shape': {'type': 'plane'}},\n"
    "  {'name': 'box', 'position': [0, 0, 0.1],\n"
    "   'shape': {'type': 'box', 'size': [0.2, 0.2, 0.2]}},\n"
    "  {'name': 'ball', 'position': [2, 0, 6], 'integrator': 'fehlberg45',\n"
    "   'shape': {'type': 'sphere', 'radius': 0.1, 'meets': []}}],\n"
    " 'events': [{'name': 'passed', 'of': 'ball', 'quantity': 'position.z', 'threshold': 2,\n"
    "  'action': 'stop'}], 'run': {'step': 0.01}}\n";

// Texts with ' for ", and `to` for `from`.
static const char *quoted(const char *from, const char *mark, const char *to)
{
    static char text[4096];
    const char *at = mark != NULL ? strstr(from, mark) : NULL;
    int head = at != NULL ? (int)(at - from) : (int)strlen(from);
    snprintf(text, sizeof text, "%.*s%s%s", head, from, at != NULL ? to : "",
             at != NULL ? at + strlen(mark) : "");
    for (char *c = text; *c != '\0'; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    return text;
}

static double weight_on_ground(const sn_world *world)
{
    return sn_body_contact_force(world, sn_world_find_body(world, "box"), NULL).z;
}

static void contact_forces_are_means_over_a_step_that_an_event_ended(void **state)
{
    (void)state;
    const double h = 0.01;
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        sn_world *world = build_text(quoted(beside, "SLEEP", sleeps ? "true" : "false"));
        while (!sn_world_stopped(world)) {
            advance(world, h, 1);
            assert_true(sn_world_time(world) < 2.0);
        }
        double length = sn_world_step_length(world), fall = sqrt(2.0 * 4.0 / 9.81);
        assert_true(fabs(sn_world_time(world) - fall) < 1e-8);
        assert_true(length > 0.05 * h && length < 0.95 * h); // the step was cut short
        assert_true(sn_world_step_size(world) == h);
        print_message("a step of %.3f ms: %.9f N on a box that weighs %.9f N\n", 1e3 * length,
                      weight_on_ground(world), 8.0 * 9.81);
        assert_true(fabs(weight_on_ground(world) - 8.0 * 9.81) < 1e-6);
        advance(world, h, 1);
        assert_true(sn_world_step_length(world) == h);
        assert_true(fabs(weight_on_ground(world) - 8.0 * 9.81) < 1e-6);
        sn_world_destroy(world);
    }
}

// The event has left the ball on its threshold: which side it came from is known only by memory.
static void copies_and_states_know_where_events_stand(void **state)
{
    (void)state;
    const char *text = quoted(beside, "SLEEP", "false");
    sn_world *world = build_text(text);
    while (!sn_world_stopped(world)) {
        advance(world, 0.01, 1);
    }
    int events = sn_world_event_count(world);
    assert_int_equal(events, 1);
    check_others(text, world, 0.01, 5);
    assert_int_equal(sn_world_event_count(world), events);
    sn_world_destroy(world);
}

// ---- steps that fail ----

typedef struct countdown {
    int left;
} countdown;

static bool is_up(void *context)
{
    countdown *count = context;
    return count->left-- == 0;
}

static const char pulled[] =
    "{'sinew': 1, 'materials': {'soft': {'young': 20000}},\n"
    " 'bodies': [{'name': 'jelly', 'type': 'elastic', 'material': 'soft',\n"
    "  'mesh': {'type': 'box', 'size': [1, 1, 1], 'cells': [1, 1, 1]},\n"
    "  'fixed': {'plane': [-1, 0, 0], 'position': [-0.5, 0, 0]}}], 'run': {'step': 0.01}}\n";

static sn_world *make_pulled(void)
{
    sn_world *world = build_text(quoted(pulled, NULL, NULL));
    sn_pull_def pull = sn_default_pull_def();
    sn_field field;
    pull.body = sn_world_find_body(world, "jelly");
    pull.point = sn_vec3_make(0.5, 0.5, 0.5);
    pull.target = sn_vec3_make(0.9, 0.6, 0.3);
    pull.stiffness = 3000.0;
    pull.damping = 30.0;
    assert_int_equal(sn_world_add_pull(world, &pull, &field, NULL), SN_OK);
    return world;
}

// The spring of a hand is taken implicitly: kept twice, it would be stiffer.
static void a_hand_acts_once_after_a_step_that_failed(void **state)
{
    (void)state;
    sn_world *smooth = make_pulled(), *stopped = make_pulled();
    for (int i = 0; i < 12; ++i) {
        advance(smooth, 0.01, 1);
        countdown count = {i % 3}; // before forces are asked for, after that, and at the end
        uint64_t before = sn_world_hash(stopped);
        sn_world_set_stop(stopped, is_up, &count);
        assert_int_equal(sn_world_step(stopped, 0.01, NULL), SN_ERROR_STOPPED);
        assert_true(sn_world_hash(stopped) == before);
        sn_world_set_stop(stopped, NULL, NULL);
        advance(stopped, 0.01, 1);
        assert_true(sn_world_hash(stopped) == sn_world_hash(smooth));
    }
    sn_world_destroy(smooth);
    sn_world_destroy(stopped);
}

// ---- what is read of a step ----

// A script sums up the reaction of a hinge and the force on a box that slides: both are of the last
// step, and tell nothing of positions.
static const char summed[] =
    "{'sinew': 1, 'bodies': [{'name': 'ground', 'type': 'static', 'shape': {'type': 'plane'}},\n"
    "  {'name': 'box', 'position': [0, 0, 0.1], 'velocity': [2, 0, 0],\n"
    "   'shape': {'type': 'box', 'size': [0.2, 0.2, 0.2]}},\n"
    "  {'name': 'bob', 'position': [0.5, 3, 2], 'shape': {'type': 'sphere', 'radius': 0.1}}],\n"
    " 'joints': [{'name': 'pin', 'type': 'hinge', 'parent': 'world', 'child': 'bob',\n"
    "  'at': [0, 3, 2], 'axis': [0, 1, 0]}],\n"
    " 'probes': [{'name': 'pull', 'of': 'pin', 'quantity': 'joint.reaction_force'},\n"
    "  {'name': 'load', 'of': 'box', 'quantity': 'contact.force'}],\n"
    " 'events': [{'name': 'go', 'quantity': 'time', 'threshold': 0.025, 'action': 'start'},\n"
    "  {'name': 'strained', 'of': 'pin', 'quantity': 'joint.reaction_force', 'threshold': 80}],\n"
    " 'behaviours': [{'name': 'sum', 'on': 'go', 'variables': {'f': 0},\n"
    "  'do': [{'let': 'f', 'be': '=f + pull + 10*load'}]}], 'run': {'step': 0.01}}\n";

static void scripts_read_the_last_step_in_copies_too(void **state)
{
    (void)state;
    const char *text = quoted(summed, NULL, NULL);
    sn_world *world = build_text(text), *smooth = build_text(text);
    for (int i = 0; i < 12; ++i) {
        advance(world, 0.01, 1);
        advance(smooth, 0.01, 1);
        if (i > 4) { // the last of the ways: a step that failed at first
            countdown count = {i % 3};
            sn_world_set_stop(world, is_up, &count);
            assert_int_equal(sn_world_step(world, 0.01, NULL), SN_ERROR_STOPPED);
            sn_world_set_stop(world, NULL, NULL);
        }
        assert_true(sn_world_hash(world) == sn_world_hash(smooth));
    }
    double sum = sn_behaviour_memory(world, sn_world_behaviour(world, 0))[0];
    print_message("%.3f N summed up\n", sum);
    assert_true(sum > 1000.0); // it has read something
    check_others(text, world, 0.01, 40);
    assert_int_equal(sn_world_event_count(world), 2); // the swing strains it
    sn_world_destroy(world);
    sn_world_destroy(smooth);
}

// ---- every number of the list ----

// What an agent remembers, a clock, an event and a torn bond: each is in the hash, in copies and in
// states, and each comes back.
static void every_memory_is_in_hash_copy_and_state(void **state)
{
    (void)state;
    static const char bonded[] =
        "{'sinew': 1, 'materials': {'soft': {'young': 20000}},\n"
        " 'bodies': [{'name': 'jelly', 'type': 'elastic', 'material': 'soft',\n"
        "  'mesh': {'type': 'box', 'size': [1, 1, 1], 'cells': [1, 1, 1]}}],\n"
        " 'bonds': [{'type': 'coordinates', 'name': 'held', 'body': 'jelly',\n"
        "  'vertices': {'plane': [-1, 0, 0], 'position': [-0.5, 0, 0]}}],\n"
        " 'events': [{'name': 'low', 'of': 'jelly', 'quantity': 'position.z',\n"
        "  'threshold': -0.01}], 'run': {'step': 0.01}}\n";
    const char *text = quoted(bonded, NULL, NULL);
    sn_world *world = build_text(text), *other = build_text(text);
    advance(world, 0.01, 10);
    advance(other, 0.01, 1);
    sn_elastic_memory *memory = sn_elastic_memory_of(&world->elastics.agents, 0);
    double *const numbers[] = {&memory->account,
                               &memory->stake,
                               &memory->parted,
                               &memory->common_gain,
                               &world->bonds.records.data[1].violated_time,
                               &world->events.data[1].value,
                               &world->last_step,
                               &world->step_given,
                               &world->pace,
                               &world->pace_left};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        uint64_t before = sn_world_hash(world);
        *numbers[i] += 1.0;
        assert_true(sn_world_hash(world) != before);
        sn_world *copy = NULL;
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        assert_true(sn_world_hash(copy) == sn_world_hash(world));
        sn_world_destroy(copy);
        moment m = save(world);
        load_moment(other, &m);
        assert_true(sn_world_hash(other) == sn_world_hash(world));
        uint64_t changed = sn_world_hash(world);
        countdown count = {1}; // bodies have been begun with
        sn_world_set_stop(world, is_up, &count);
        assert_int_equal(sn_world_step(world, 0.01, NULL), SN_ERROR_STOPPED);
        sn_world_set_stop(world, NULL, NULL);
        assert_true(sn_world_hash(world) == changed);
        *numbers[i] -= 1.0;
        release(&m);
    }
    sn_world_destroy(world);
    sn_world_destroy(other);
}

// Mechanisms are put together with the first step: a world that has had none is copied and loaded
// as it is.
static void worlds_that_are_not_put_together_are_copied_and_loaded(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    sn_world *worlds[3] = {NULL, NULL, NULL};
    assert_int_equal(sn_world_create(&def, &worlds[0], NULL), SN_OK);
    assert_int_equal(sn_world_create(&def, &worlds[2], NULL), SN_OK);
    for (int i = 0; i < 3; i += 2) {
        sn_body_def body = sn_default_body_def();
        sn_joint_def joint = sn_default_joint_def();
        sn_joint made;
        body.mass.mass = 1.0;
        body.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.1, 0.1));
        body.mass.centre = sn_vec3_make(0.3, 0.0, 0.0);
        body.velocity.y = i == 0 ? 0.1 : 0.0; // what is loaded
        assert_int_equal(sn_world_add_body(worlds[i], &body, &joint.child, NULL), SN_OK);
        joint.type = SN_JOINT_BALL;
        joint.breakable = true;
        assert_int_equal(sn_world_add_joint(worlds[i], &joint, &made, NULL), SN_OK);
    }
    assert_int_equal(sn_world_copy(worlds[0], &worlds[1], NULL), SN_OK);
    moment m = save(worlds[0]);
    load_moment(worlds[2], &m);
    release(&m);
    for (int i = 0; i < 3; ++i) {
        advance(worlds[i], 0.01, 20);
        assert_true(sn_world_hash(worlds[i]) == sn_world_hash(worlds[0]));
    }
    for (int i = 0; i < 3; ++i) {
        sn_world_destroy(worlds[i]);
    }
}

// ---- versions ----

static void states_of_other_versions_are_refused_by_name(void **state)
{
    (void)state;
    sn_world *world = build_text(quoted(pulled, NULL, NULL));
    moment m = save(world);
    sn_error error = {0};
    uint64_t before = sn_world_hash(world);
    m.state[0] += 1; // a later list
    assert_int_equal(sn_world_load_state(world, m.state, m.state_size, &error), SN_ERROR_FORMAT);
    assert_non_null(strstr(sn_error_message(&error), "of version 4, expected 3"));
    memset(m.state, 0x5a, 8); // those before began with a hash
    assert_int_equal(sn_world_load_state(world, m.state, m.state_size, &error), SN_ERROR_FORMAT);
    assert_non_null(strstr(sn_error_message(&error), "before 3"));
    assert_int_equal(sn_world_load_state(world, m.state, 3, &error), SN_ERROR_FORMAT);
    assert_true(sn_world_hash(world) == before);
    release(&m);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_forces_are_means_over_a_step_that_an_event_ended),
        cmocka_unit_test(copies_and_states_know_where_events_stand),
        cmocka_unit_test(a_hand_acts_once_after_a_step_that_failed),
        cmocka_unit_test(scripts_read_the_last_step_in_copies_too),
        cmocka_unit_test(every_memory_is_in_hash_copy_and_state),
        cmocka_unit_test(worlds_that_are_not_put_together_are_copied_and_loaded),
        cmocka_unit_test(states_of_other_versions_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
