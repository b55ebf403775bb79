// Behaviours in scenes: what their statements do, when they fail, what is written back, and every
// mistake with its place. Scenes are written here with ` for the double quotes of JSON.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sinew/behaviour.h"
#include "sinew/record.h"

#define SOLID "`mass`: 1, `inertia`: [1, 1, 1]"
#define BALL  "{`name`: `ball`, " SOLID ", `position`: [1, 0, 5]}"
#define FREE  "{`sinew`: 1, `gravity`: [0, 0, 0], `bodies`: [" BALL "],\n"
#define FALL  "{`sinew`: 1, `gravity`: [0, 0, -10], `bodies`: [" BALL "],\n"

// The caller frees it.
static char *json(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    for (char *c = copy; *c != '\0'; ++c) {
        *c = *c == '`' ? '"' : *c;
    }
    return copy;
}

static sn_scene *load_ticks(const char *text)
{
    char *real = json(text);
    sn_scene *scene = load(real);
    free(real);
    return scene;
}

static sn_world *build_ticks(const char *text)
{
    sn_scene *scene = load_ticks(text);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

static double probe(const sn_world *world, sn_quantity quantity)
{
    sn_probe p = {.body = sn_world_find_body(world, "ball"), .quantity = quantity};
    return sn_probe_read(world, &p);
}

static double variable(sn_world *world, const char *behaviour, int index)
{
    sn_behaviour found = sn_world_find_behaviour(world, behaviour);
    assert_true(index < sn_behaviour_memory_count(world, found));
    return sn_behaviour_memory(world, found)[index];
}

// ---- what statements do ----

// The script and a program that does the same sums, to the bit.
static void a_controller_does_its_sums(void **state)
{
    (void)state;
    sn_world *world = build_ticks(
        FREE "`params`: {`stiffness`: {`value`: 30}, `damping`: {`value`: 2}},\n"
             "`probes`: [{`name`: `x`, `of`: `ball`, `quantity`: `centre.x`}],\n"
             "`behaviours`: [{`name`: `controller`, `variables`: {`pull`: 0}, `do`: [\n"
             "  {`let`: `pull`, `be`: `=-stiffness*x - damping*of('ball', 'velocity.x')`},\n"
             "  {`push`: `ball`, `force`: [`=pull`, 0, 0]}]}]}");
    double x = 1.0, v = 0.0, h = 0.01;
    for (int i = 0; i < 200; ++i) {
        advance(world, h, 1);
        double f = -30.0 * x - 2.0 * v;
        assert_true(fabs(variable(world, "controller", 0) - f) < 1e-10);
        x += h * v + 0.5 * h * h * f;
        v += h * f;
        assert_true(fabs(probe(world, SN_QUANTITY_CENTRE_X) - x) < 1e-12);
    }
    sn_world_destroy(world);
}

// Force at a point and torque, in the world's axes and in the body's.
static void pushes_have_points_and_axes(void **state)
{
    (void)state;
    static const struct {
        const char *push;
        sn_vec3 acceleration, turn; // velocities after a step of 1/64 s, times 64
    } cases[] = {
        {"`force`: [`2 N`, 0, 0]", {2, 0, 0}, {0, 0, 0}},
        {"`force`: [0, 0, `=1 + 1`], `at`: [0, `50cm`, 0]", {0, 0, 2}, {0, 0, -1}},
        {"`torque`: [0, `3 N m`, 0]", {0, 0, 0}, {0, 3, 0}},
        {"`torque`: [3, 0, 0], `axes`: `body`", {0, 0, 0}, {0, 3, 0}},
        {"`force`: [2, 0, 0], `at`: [0, 0, 1], `axes`: `body`", {0, 2, 0}, {-2, 0, 0}},
        {"`force`: [0, 2, 0], `torque`: [0, 0, 1], `axes`: `body`", {-2, 0, 0}, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        // turned by a quarter about z: its x is the world's y, its y the world's -x
        snprintf(text, sizeof text,
                 "{`sinew`: 1, `gravity`: [0, 0, 0], `bodies`: [{`name`: `ball`, " SOLID
                 ", `rotation`: {`axis`: [0, 0, 1], `angle`: `90deg`}}],\n`behaviours`: "
                 "[{`name`: `hand`, `do`: [{`push`: `ball`, %s}]}]}",
                 cases[i].push);
        sn_world *world = build_ticks(text);
        advance(world, 1.0 / 64.0, 1);
        sn_body ball = sn_world_find_body(world, "ball");
        sn_vec3 v = sn_vec3_scale(64.0, sn_body_velocity(world, ball));
        sn_vec3 w = sn_vec3_scale(64.0, sn_body_angular_velocity(world, ball));
        assert_true(sn_distance(v, cases[i].acceleration) < 1e-12);
        // (0, 0.5, 0) in the body is (-0.5, 0, 0) in the world: its moment with (0, 0, 2) is +y
        sn_vec3 turn = i == 1 ? sn_vec3_make(0, 1, 0) : cases[i].turn;
        assert_true(sn_distance(w, turn) < 1e-2); // the body turns a little within the step
        sn_world_destroy(world);
    }
}

static void branches_and_variables(void **state)
{
    (void)state;
    sn_world *world = build_ticks(
        FREE "`behaviours`: [{`name`: `count`, `period`: `100 ms`, `variables`: {`n`: 0, `odd`: 0, "
             "`even`: `2 km`, `last`: `=1 + 1`}, `do`: [\n"
             "  {`let`: `n`, `be`: `=n + 1`},\n"
             "  {`if`: `=mod(n, 2) == 1`,\n"
             "   `then`: [{`let`: `odd`, `be`: `=odd + n`}, {`if`: `=n > 4`, `then`: [{`let`: "
             "`last`, `be`: `=-n`}]}],\n"
             "   `else`: [{`let`: `even`, `be`: `=even + n`}]},\n"
             "  {`if`: `=n >= 7`, `then`: [{`stop`: `count`}]},\n"
             "  {`if`: 0, `then`: [{`let`: `n`, `be`: -1}]}]}]}");
    advance(world, 0.01, 200);
    assert_true(variable(world, "count", 0) == 7.0);
    assert_true(variable(world, "count", 1) == 1.0 + 3.0 + 5.0 + 7.0);
    assert_true(variable(world, "count", 2) == 2000.0 + 2.0 + 4.0 + 6.0);
    assert_true(variable(world, "count", 3) == -7.0);
    sn_world_destroy(world);
}

// A thermostat: on below 4.5, off above 5.5, and its memory between.
static void hysteresis_switches_at_both_ends(void **state)
{
    (void)state;
    sn_world *world = build_ticks(
        "{`sinew`: 1, `gravity`: [0, 0, -1], `bodies`: [" BALL "],\n"
        "`probes`: [{`name`: `height`, `of`: `ball`, `quantity`: `centre.z`}],\n"
        "`behaviours`: [{`name`: `thermostat`, `variables`: {`on`: 0, `switches`: 0, `was`: 0}, "
        "`do`: [\n"
        "  {`let`: `on`, `be`: `=height < 4.5 ? 1 : height > 5.5 ? 0 : on`},\n"
        "  {`if`: `=on != was`, `then`: [{`let`: `switches`, `be`: `=switches + 1`}]},\n"
        "  {`let`: `was`, `be`: `=on`},\n"
        "  {`if`: `=on`, `then`: [{`push`: `ball`, `force`: [0, 0, 2]}]}]}]}");
    double lowest = 5.0, highest = 5.0;
    for (int i = 0; i < 2000; ++i) {
        advance(world, 0.01, 1);
        double height = probe(world, SN_QUANTITY_CENTRE_Z);
        lowest = height < lowest ? height : lowest;
        highest = height > highest ? height : highest;
    }
    assert_true(variable(world, "thermostat", 1) >= 4.0);
    assert_true(lowest < 4.5 && highest > 5.5);
    sn_world_destroy(world);
}

// ---- nested, and started by events ----

static const char trap_door[] =
    FALL "`params`: {`height`: {`value`: `3 m`}},\n"
         "`events`: [{`name`: `passes`, `of`: `ball`, `quantity`: `centre.z`, `threshold`: "
         "`=height`, `direction`: `falling`}],\n"
         "`behaviours`: [\n"
         "  {`name`: `catch`, `within`: `trap`, `on`: `passes`, `variables`: {`since`: -1}, "
         "`do`: [\n"
         "    {`if`: `=since < 0`, `then`: [{`let`: `since`, `be`: `=time`}]},\n"
         "    {`push`: `ball`, `force`: [0, 0, `=strength`]}]},\n"
         "  {`name`: `trap`, `variables`: {`strength`: 10, `acts`: 0}, `do`: [\n"
         "    {`let`: `acts`, `be`: `=acts + 1`},\n"
         "    {`if`: `=time > 1.495`, `then`: [{`stop`: `trap`}]}]}],\n"
         "`run`: {`policy`: `%s`}}";

// A ball falls past the trap: from there on it is carried. The child stands before its parent in
// the file and reads its variable.
static void an_event_springs_the_trap(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        char text[2000];
        snprintf(text, sizeof text, trap_door, policy == 0 ? "lockstep" : "precise");
        sn_world *world = build_ticks(text);
        double hit = sqrt(2.0 * 2.0 / 10.0), h = 0.01;
        double started = policy == 0 ? ceil(hit / h) * h : hit;
        for (int i = 1; i <= 200; ++i) {
            // what an event cuts short is made up for
            while (i * h - sn_world_time(world) > 1e-9) {
                advance(world, i * h - sn_world_time(world), 1);
            }
        }
        assert_true(fabs(variable(world, "catch", 0) - started) < 1e-8);
        // falls, is carried at constant speed until the trap lets go, falls again
        double speed = 10.0 * started, free_time = 2.0 - 1.5;
        double z =
            5.0 - 5.0 * started * started - speed * (2.0 - started) - 5.0 * free_time * free_time;
        assert_true(fabs(probe(world, SN_QUANTITY_CENTRE_Z) - z) < 1e-7);
        assert_true(variable(world, "trap", 1) == (policy == 0 ? 151.0 : 152.0));
        assert_false(sn_behaviour_is_active(world, sn_world_find_behaviour(world, "catch")));
        assert_false(sn_behaviour_is_active(world, sn_world_find_behaviour(world, "trap")));
        sn_world_destroy(world);
    }
}

// Three that hand a token on, the last to the first.
static void behaviours_hand_over(void **state)
{
    (void)state;
    sn_world *world = build_ticks(
        FREE "`behaviours`: [\n"
             "{`name`: `red`, `variables`: {`n`: 0}, `do`: [{`let`: `n`, `be`: `=n+1`}, {`start`: "
             "`green`}, {`stop`: `red`}]},\n"
             "{`name`: `green`, `active`: false, `once`: true, `variables`: {`n`: 0}, `do`: "
             "[{`let`: `n`, `be`: `=n+1`}, {`start`: `amber`}]},\n"
             "{`name`: `amber`, `active`: false, `once`: true, `variables`: {`n`: 0}, `do`: "
             "[{`let`: `n`, `be`: `=n+1`}, {`start`: `red`}]}]}");
    advance(world, 0.1, 10);
    for (int i = 0; i < 3; ++i) {
        const char *names[] = {"red", "green", "amber"};
        assert_true(variable(world, names[i], 0) == 10.0);
    }
    sn_world_destroy(world);
}

// ---- joints ----

static const char arm[] =
    "{`sinew`: 1, `params`: {`gain`: {`value`: 50}},\n"
    "`motions`: {`wave`: {`type`: `spline`, `points`: [[0, 0], [0.5, 0.6], [1, 0.1], [2, 0]], "
    "`start_rate`: 0}},\n"
    "`bodies`: [{`name`: `rod`, " SOLID ", `position`: [0, 0, -0.5]}, {`name`: `tip`, " SOLID
    ", `position`: [0, 0, -1.5]}, {`name`: `ball`, " SOLID ", `position`: [0, 0, -2.1]}],\n"
    "`joints`: [{`name`: `pivot`, `type`: `hinge`, `child`: `rod`, `at`: [0, 0, 0], `axis`: [0, 1, "
    "0]}, {`name`: `elbow`, `type`: `hinge`, `parent`: `rod`, `child`: `tip`, `at`: [0, 0, -1], "
    "`axis`: [0, 1, 0], `damping`: 0.1}, {`name`: `hook`, `type`: `fixed`, `parent`: `tip`, "
    "`child`: `ball`, `at`: [0, 0, -2]}],\n"
    "`behaviours`: [{`name`: `plan`, `period`: `0.5 s`, `variables`: {`n`: 0}, `do`: [\n"
    "  {`let`: `n`, `be`: `=n + 1`},\n"
    "  {`if`: `=n == 1`, `then`: [{`drive`: `pivot`, `type`: `motion`, `motion`: `wave`}]},\n"
    "  {`if`: `=n == 3`, `then`: [{`drive`: `pivot`, `type`: `none`}]},\n"
    "  {`if`: `=n == 4`, `then`: [{`break`: `hook`}]},\n"
    "  {`if`: `=n == 5`, `then`: [{`drive`: `elbow`, `type`: `position`, `target`: 0, "
    "`stiffness`: `=2*gain`, `damping`: `20 N m s/rad`, `force_limit`: `=10*gain`}]},\n"
    "  {`if`: `=n > 5`, `then`: [{`set`: `elbow`, `target`: `20 deg`}]}]},\n"
    "{`name`: `brake`, `do`: [{`force`: `pivot`, `value`: `=-0.2*of('pivot', "
    "'joint.velocity')`}]}],\n"
    "`run`: {`policy`: `%s`}}";

static sn_world *build_arm(int policy, sn_scene **scene)
{
    char text[4000];
    snprintf(text, sizeof text, arm, policy == 0 ? "lockstep" : "precise");
    *scene = load_ticks(text);
    return build(*scene);
}

// Taken over, let go, cut, driven: by the clock, under both policies.
static void scripts_steer_joints(void **state)
{
    (void)state;
    double ends[2];
    for (int policy = 0; policy < 2; ++policy) {
        sn_scene *scene;
        sn_world *world = build_arm(policy, &scene);
        sn_joint pivot = sn_world_find_joint(world, "pivot"),
                 elbow = sn_world_find_joint(world, "elbow");
        advance(world, 0.005, 100);
        assert_true(fabs(sn_joint_position(world, pivot, 0) - 0.6) < 1e-9);
        assert_true(fabs(sn_joint_position(world, elbow, 0)) > 0.01);
        advance(world, 0.005, 100);
        assert_true(fabs(sn_joint_position(world, pivot, 0) - 0.1) < 1e-9);
        advance(world, 0.005, 100);
        assert_int_equal(sn_joint_drive(world, pivot, 0).type, SN_DRIVE_NONE);
        assert_false(sn_joint_is_broken(world, sn_world_find_joint(world, "hook")));
        sn_body ball = sn_world_find_body(world, "ball");
        sn_vec3 x = sn_body_centre(world, ball), v = sn_body_velocity(world, ball);
        advance(world, 0.005, 100);
        assert_true(sn_joint_is_broken(world, sn_world_find_joint(world, "hook")));
        double z = x.z + 0.5 * v.z - 0.5 * 9.81 * 0.25;
        assert_true(fabs(sn_body_centre(world, ball).z - z) < 1e-9);
        advance(world, 0.005, 600);
        sn_drive_def drive = sn_joint_drive(world, elbow, 0);
        assert_int_equal(drive.type, SN_DRIVE_POSITION);
        assert_true(drive.stiffness == 100.0 && drive.damping == 20.0 &&
                    drive.force_limit == 500.0);
        assert_true(fabs(drive.target - SN_PI / 9.0) < 1e-12);
        ends[policy] = sn_joint_position(world, elbow, 0);
        assert_true(fabs(ends[policy] - drive.target) < 0.1); // it droops a little
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    assert_true(fabs(ends[0] - ends[1]) < 1e-2);
}

static void states_hold_what_scripts_set(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        sn_scene *scenes[2];
        sn_world *a = build_arm(0, &scenes[0]), *b = build_arm(0, &scenes[1]);
        advance(a, 0.01, 25 + 50 * k);
        size_t size = sn_world_state_size(a);
        void *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(a, bytes, size, NULL), SN_OK);
        sn_error error = {0};
        if (sn_world_load_state(b, bytes, size, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        for (int i = 0; i < 150; ++i) {
            assert_true(sn_world_hash(a) == sn_world_hash(b));
            advance(a, 0.01, 1);
            advance(b, 0.01, 1);
        }
        free(bytes);
        sn_world_destroy(a);
        sn_world_destroy(b);
        sn_scene_destroy(scenes[0]);
        sn_scene_destroy(scenes[1]);
    }
}

// A param that is turned leaves alone what scripts have set, and reaches what they set next.
static void params_leave_steered_drives_alone(void **state)
{
    (void)state;
    sn_scene *scene;
    sn_world *world = build_arm(0, &scene);
    sn_joint pivot = sn_world_find_joint(world, "pivot");
    advance(world, 0.01, 20);
    assert_int_equal(sn_scene_set_param(scene, "gain", 70.0, NULL), SN_OK);
    sn_error error = {0};
    if (sn_scene_update(scene, world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_joint_drive(world, pivot, 0).type, SN_DRIVE_MOTION);
    advance(world, 0.01, 200);
    assert_true(sn_joint_drive(world, sn_world_find_joint(world, "elbow"), 0).stiffness == 140.0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// The child on the swing works itself up.
static void the_swing_goes_higher(void **state)
{
    (void)state;
    sn_scene *scene = NULL;
    assert_int_equal(sn_scene_load_file("scenes/swing.json", NULL, &scene, NULL), SN_OK);
    sn_world *world = build(scene);
    sn_joint beam = sn_world_find_joint(world, "beam");
    double highest[3] = {0.0};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 1600; ++i) { // a little more than a swing
            advance(world, 0.002, 1);
            highest[k] = fmax(highest[k], sn_joint_position(world, beam, 0));
        }
    }
    assert_true(highest[0] > 0.2 && highest[1] > highest[0] + 0.03 &&
                highest[2] > highest[1] + 0.03);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- failing ----

static void a_failing_script_stops_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *statement, *place, *text;
    } cases[] = {
        {"{`let`: `n`, `be`: `=1/(0.5 - time)`}", "t:3:23", "division by zero"},
        {"{`let`: `n`, `be`: `=2 + sqrt(0.4 - time)`}", "t:3:26", "sqrt gives no number"},
        {"{`push`: `ball`, `force`: [0, `=log(0.5 - time)`, 0]}", "t:3:33",
         "log gives an infinite"},
        {"{`if`: `=time >= 0.5`, `then`: [{`start`: `child`}]}", "t:3:33",
         "child: it cannot be started while its parent 'parent' is stopped"},
        {"{`let`: `n`, `be`: `=n*1e200 + (time > 0.4) * 1e300`}", "t:3:23", "infinite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 FREE "`behaviours`: [{`name`: `parent`, `active`: false, `do`: []}, {`name`: "
                      "`child`, `within`: `parent`, `do`: []}, {`name`: `script`, `variables`: "
                      "{`n`: 0}, `do`: [{`push`: `ball`, `force`: [1, 0, 0]},\n%s]}]}",
                 cases[i].statement);
        sn_world *world = build_ticks(text);
        sn_error error = {0};
        sn_status status = SN_OK;
        uint64_t hash = 0;
        int steps = 0;
        while (status == SN_OK && steps < 100) {
            hash = sn_world_hash(world);
            status = sn_world_step(world, 0.125, &error);
            steps += status == SN_OK;
        }
        assert_int_not_equal(status, SN_OK);
        assert_true(steps >= 4 && steps < 10);
        if (strcmp(error.place, cases[i].place) != 0 || !strstr(error.text, cases[i].text)) {
            print_error("%s: %s\n", cases[i].statement, sn_error_message(&error));
        }
        assert_string_equal(error.place, cases[i].place);
        assert_non_null(strstr(error.text, cases[i].text));
        char when[64];
        snprintf(when, sizeof when, "behaviour 'script' at t = %.9g s: ", 0.125 * steps);
        assert_int_equal(strncmp(error.text, when, strlen(when)), 0);
        assert_true(sn_world_hash(world) == hash);
        assert_true(sn_world_time(world) == 0.125 * steps);
        sn_world_destroy(world);
    }
}

// ---- state, copies, writing back ----

static const char busy[] = FALL
    "`params`: {`angle`: {`value`: `30 deg`}, `share`: {`value`: 17, `unit`: `%`}, "
    "`minus`: {`value`: -0.1}},\n"
    "`fields`: [{`name`: `coil`, `type`: `spring`, `a`: `ball`, `stiffness`: 40}],\n"
    "`probes`: [{`name`: `the height`, `of`: `ball`, `quantity`: `centre.z`}],\n"
    "`events`: [{`name`: `low`, `of`: `ball`, `quantity`: `centre.z`, `threshold`: 4.5}],\n"
    "`behaviours`: [\n"
    "{`name`: `chaos`, `period`: 0.007, `variables`: {`x`: `=angle`}, `do`: [\n"
    "  {`let`: `x`, `be`: `=1 - 1.7*x^2 + share*sin(angle) - 2^minus`},\n"
    "  {`push`: `ball`, `torque`: [`=x`, `=angle`, \"=1 - -minus\"], `axes`: `body`}]},\n"
    "{`name`: `brake`, `on`: `low`, `within`: `chaos`, `variables`: {`n`: 0}, `do`: [\n"
    "  {`if`: `=n < 40 && probe(\\`the height\\`) > 0 || x > 2`, `then`: [{`let`: `n`, `be`: "
    "`=n+1`}], `else`: [{`stop`: `brake`}]},\n"
    "  {`push`: `ball`, `force`: [`=x`, 0, `=-of('ball', 'velocity.z') + of('coil', 'force')/40`"
    "], `at`: [0.1, `=angle`, 0]}]}],\n"
    "`run`: {`policy`: `%s`}}";

// `busy` has percent signs: the policy goes in by hand.
static char *busy_scene(const char *policy)
{
    char *text = json(busy);
    char *at = strstr(text, "%s");
    char *whole = malloc(strlen(text) + 20);
    sprintf(whole, "%.*s%s%s", (int)(at - text), text, policy, at + 2);
    free(text);
    return whole;
}

static void states_and_copies_go_on_to_the_bit(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        char *text = busy_scene(policy == 0 ? "lockstep" : "precise");
        sn_world *world = build_text(text), *other = build_text(text), *copy = NULL;
        advance(world, 0.01, 60);
        assert_true(sn_behaviour_is_active(world, sn_world_find_behaviour(world, "brake")));
        size_t size = sn_world_state_size(world);
        void *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        assert_int_equal(sn_world_load_state(other, bytes, size, NULL), SN_OK);
        advance(world, 0.01, 150);
        advance(other, 0.01, 150);
        uint64_t hash = sn_world_hash(world);
        sn_world_destroy(world); // the copy lives on without it
        advance(copy, 0.01, 150);
        assert_true(sn_world_hash(other) == hash);
        assert_true(sn_world_hash(copy) == hash);
        free(bytes);
        free(text);
        sn_world_destroy(copy);
        sn_world_destroy(other);
    }
}

static void the_resolved_scene_runs_the_same(void **state)
{
    (void)state;
    char *text = busy_scene("lockstep"), *resolved, *again;
    size_t length;
    sn_scene *scene = load(text);
    // a value that no text in degrees gives back to the bit
    assert_int_equal(sn_scene_set_param(scene, "angle", 33.3, NULL), SN_OK);
    assert_int_equal(sn_scene_resolved_text(scene, &resolved, &length, NULL), SN_OK);
    sn_scene *second = load(resolved);
    assert_int_equal(sn_scene_resolved_text(second, &again, &length, NULL), SN_OK);
    assert_non_null(strstr(resolved, "\"=1 - -(-0.1)\""));
    assert_non_null(strstr(resolved, "probe(\\\"the height\\\")"));
    sn_world *a = build(scene), *b = build(second);
    for (int i = 0; i < 300; ++i) {
        assert_true(sn_world_hash(a) == sn_world_hash(b));
        advance(a, 0.003, 1);
        advance(b, 0.003, 1);
    }
    sn_world_destroy(a);
    sn_world_destroy(b);
    sn_scene_destroy(scene);
    sn_scene_destroy(second);
    sn_scene_free_text(resolved);
    sn_scene_free_text(again);
    free(text);
}

static void recordings_replay_to_the_bit(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        char *text = busy_scene(policy == 0 ? "lockstep" : "precise");
        sn_scene *scene = load(text);
        sn_world *world = build(scene);
        char path[] = "/tmp/scene_script_test_XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        sn_recorder_def def = {.path = path, .world = world, .frame_step = 0.02, .scene = scene};
        sn_recorder *recorder = NULL;
        sn_error error = {0};
        assert_int_equal(sn_recorder_open(&def, &recorder, &error), SN_OK);
        for (int i = 0; i < 200; ++i) {
            advance(world, 0.005, 1);
            assert_int_equal(sn_recorder_step(recorder, world, &error), SN_OK);
        }
        assert_int_equal(sn_recorder_close(recorder, &error), SN_OK);
        sn_recording *recording = NULL;
        assert_int_equal(sn_recording_open(path, &recording, &error), SN_OK);
        sn_replay replay;
        if (sn_recording_replay(recording, 1, NULL, NULL, &replay, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_int_equal(replay.compared, 200);
        // and a frame in the middle is a state to go on from
        sn_world *middle = NULL;
        assert_int_equal(sn_recording_build_world(recording, 1, &middle, &error), SN_OK);
        assert_int_equal(sn_recording_frame(recording, 20, middle, &error), SN_OK);
        advance(middle, 0.005, (int)(200 - sn_world_step_count(middle)));
        assert_true(sn_world_hash(middle) == sn_world_hash(world));
        sn_world_destroy(middle);
        sn_recording_close(recording);
        remove(path);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        free(text);
    }
}

static void params_reach_running_scripts(void **state)
{
    (void)state;
    sn_scene *scene = load_ticks(
        FREE "`params`: {`push`: {`value`: 1}},\n`behaviours`: [{`name`: `hand`, `do`: [{`push`: "
             "`ball`, `force`: [`=push`, 0, 0]}]}]}");
    sn_world *world = build(scene), *copy = NULL;
    advance(world, 0.5, 2);
    assert_true(fabs(probe(world, SN_QUANTITY_VELOCITY_X) - 1.0) < 1e-15);
    assert_int_equal(sn_scene_set_param(scene, "push", -3.0, NULL), SN_OK);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_scene_update(scene, world, NULL), SN_OK);
    advance(world, 0.5, 2);
    advance(copy, 0.5, 2); // has params of its own
    assert_true(fabs(probe(world, SN_QUANTITY_VELOCITY_X) + 2.0) < 1e-15);
    assert_true(fabs(probe(copy, SN_QUANTITY_VELOCITY_X) - 2.0) < 1e-15);
    sn_world_destroy(world);
    sn_world_destroy(copy);
    sn_scene_destroy(scene);
}

// ---- mistakes ----

#define SCRIPT(inside)                                                                             \
    FREE "`behaviours`: [{`name`: `b`, `variables`: {`n`: 0}, `do`: [" inside "]}]}"
#define MORE(inside) FREE "`behaviours`: [" inside "]}"
#define JOINTED(inside)                                                                            \
    "{`sinew`: 1, `bodies`: [" BALL ", {`name`: `wall`, `type`: `static`}], `joints`: [{`name`: "  \
    "`elbow`, `type`: `hinge`, `child`: `ball`}],\n`behaviours`: [{`name`: `b`, `do`: [" inside    \
    "]}]}"

static const mistake mistakes[] = {
    // the objects themselves
    {SCRIPT("{}"),
     {"t:2:60: a statement starts with one of the keys let, set, drive, push, force"}},
    {SCRIPT("{`lets`: `n`}"),
     {"t:2:61: a statement starts with one of the keys let, set, drive, "
      "push, force, start, stop, break, if; did you mean \"let\"?"}},
    {SCRIPT("5"), {"t:2:60: expected a statement, that is an object in { }, got 5"}},
    {SCRIPT("{`let`: `n`}"), {"t:2:60: a let_statement needs the key \"be\""}},
    {SCRIPT("{`let`: `n`, `be`: 1, `to`: 2}"), {"t:2:82: unknown key \"to\" in a let_statement"}},
    {SCRIPT("{`if`: 1}"), {"t:2:60: an if_statement needs the key \"then\""}},
    {MORE("{`name`: `b`}"), {"t:2:16: a behaviour needs the key \"do\""}},
    {MORE("{`name`: `b`, `do`: [], `variables`: [1]}"),
     {"t:2:53: \"variables\": expected an object with a number for every name"}},
    {MORE("{`name`: `b`, `do`: [], `variables`: {`x`: `q`}}"), {"t:2:59: \"value\": "}},
    {MORE("{`name`: `b`, `do`: [], `period`: `2 m`}"),
     {"t:2:50: \"period\": expected a time such as 0.005 or \"5ms\", got \"2 m\", a length"}},
    {MORE("{`name`: `b`, `do`: [], `period`: -1}"), {"t:2:50: \"period\" must not be negative"}},
    // variables
    {MORE("{`name`: `b`, `do`: [], `variables`: {`a b`: 1}}"),
     {"t:2:54: the variable \"a b\" cannot be used in expressions"}},
    {MORE("{`name`: `b`, `do`: [], `variables`: {`time`: 1, `sin`: 2, `of`: 3}}"),
     {"t:2:54: \"time\" has a meaning of its own", "t:2:65: \"sin\" has a meaning",
      "t:2:75: \"of\" has a meaning"}},
    {FREE "`params`: {`p`: {`value`: 1}}, `probes`: [{`name`: `q`, `quantity`: `time`}],\n"
          "`behaviours`: [{`name`: `b`, `do`: [], `variables`: {`p`: 1, `q`: 1}}]}",
     {"t:3:54: the variable \"p\" has the name of a param",
      "t:3:62: the variable \"q\" has the name of a probe"}},
    {MORE("{`name`: `a`, `do`: [], `variables`: {`x`: 1}}, {`name`: `b`, `within`: `a`, `do`: [], "
          "`variables`: {`x`: 1}}"),
     {"t:2:117: the variable \"x\" has the name of one of \"a\", which this behaviour is within"}},
    {FREE "`params`: {`time`: {`value`: 1}}, `behaviours`: [{`name`: `b`, `do`: []}]}",
     {"t:2:12: \"time\" is the clock in behaviours"}},
    {SCRIPT("{`let`: `m`, `be`: 1}"), {"t:2:68: there is no variable \"m\", expected one of: n"}},
    {MORE("{`name`: `a`, `do`: [], `variables`: {`x`: 1}}, {`name`: `b`, `within`: `a`, `do`: "
          "[{`let`: `x`, `be`: 1}]}"),
     {"t:2:108: the variable \"x\" belongs to \"a\", which alone can change it"}},
    // relations
    {MORE("{`name`: `b`, `do`: []}, {`name`: `b`, `do`: []}"),
     {"t:2:50: the behaviour \"b\" has the name of the one at t:2:25"}},
    {MORE("{`name`: `jump`, `do`: [], `within`: `jmp`}"),
     {"t:2:53: there is no behaviour \"jmp\"; did you mean \"jump\"?"}},
    {MORE("{`name`: `b`, `do`: [], `on`: `bang`}"),
     {"t:2:46: there is no event \"bang\", expected one of: (there are none)"}},
    {MORE("{`name`: `a`, `do`: [], `within`: `c`}, {`name`: `b`, `do`: [], `within`: `a`}, "
          "{`name`: `c`, `do`: [], `within`: `b`}, {`name`: `d`, `do`: [], `within`: `c`}"),
     {"t:2:50: behaviours are within each other in a circle: a -> c -> b -> a"}},
    {MORE("{`name`: `a`, `do`: [], `within`: `a`}"),
     {"t:2:50: behaviours are within each other in a circle: a -> a"}},
    {SCRIPT("{`start`: `c`}"), {"t:2:70: there is no behaviour \"c\", expected one of: b"}},
    {SCRIPT("{`stop`: `everything`}"), {"t:2:69: there is no behaviour \"everything\""}},
    // expressions
    {SCRIPT("{`let`: `n`, `be`: `=n + `}"), {"t:2:85: the expression ends, expected a value"}},
    {SCRIPT("{`let`: `n`, `be`: `=m + 1`}"), {"t:2:81: unknown name \"m\", expected a variable"}},
    {SCRIPT("{`let`: `n`, `be`: `=zebra`}"),
     {"t:2:81: unknown name \"zebra\", expected a variable, a param, a probe, time, pi"}},
    {SCRIPT("{`if`: `=probe('x') > 0`, `then`: []}"),
     {"t:2:69: there is no probe \"x\", expected one of: (there are none)"}},
    {SCRIPT("{`let`: `n`, `be`: `=2*of('bal', 'speed')`}"),
     {"t:2:83: there is no body, joint, bond or field \"bal\"; did you mean \"ball\"?"}},
    {SCRIPT("{`let`: `n`, `be`: `=of('ball', 'sped')`}"),
     {"t:2:81: there is no quantity \"sped\"; did you mean \"speed\"?"}},
    {SCRIPT("{`let`: `n`, `be`: `=of('ball', 'joint.position')`}"),
     {"t:2:81: a body has no \"joint.position\", expected it of a joint"}},
    {SCRIPT("{`let`: `n`, `be`: `=of('world', 'speed')`}"), {"t:2:81: the world has no \"speed\""}},
    {SCRIPT("{`if`: 1, `then`: [{`if`: 1, `then`: [], `else`: [{`let`: `n`, `be`: `=q`}]}]}"),
     {"t:2:131: unknown name \"q\""}},
    {FREE "`params`: {`p`: {`value`: `=2*time`}}}",
     {"t:2:31: \"time\" reads a running world, expected a param of the scene"}},
    // pushes
    {SCRIPT("{`push`: `bal`, `force`: [0, 0, 1]}"),
     {"t:2:69: there is no body \"bal\"; did you mean \"ball\"?"}},
    {SCRIPT("{`push`: `ball`}"), {"t:2:60: a push needs \"force\" or \"torque\""}},
    {SCRIPT("{`push`: `ball`, `torque`: [0, 0, 1], `at`: [0, 0, 0]}"),
     {"t:2:104: a push without \"force\" takes no \"at\""}},
    {SCRIPT("{`push`: `ball`, `force`: [0, 1]}"),
     {"t:2:86: \"force\": expected 3 numbers or expressions [x, y, z], each a force"}},
    {SCRIPT("{`push`: `ball`, `force`: [0, 0, `1 m`]}"),
     {"t:2:93: \"force\": expected a force such as 300 or \"0.3kN\", got \"1 m\", a length"}},
    {SCRIPT("{`push`: `ball`, `force`: [0, 0, 1], `axes`: `bodies`}"),
     {"t:2:105: \"axes\": got \"bodies\"; expected one of: world, body"}},
    {JOINTED("{`push`: `wall`, `force`: [0, 0, 1]}"), {"t:2:46: \"wall\" is static"}},
    // joints
    {JOINTED("{`set`: `elbo`, `target`: 1}"),
     {"t:2:45: there is no joint \"elbo\"; did you mean \"elbow\"?"}},
    {JOINTED("{`set`: `ball`, `target`: 1}"), {"t:2:45: there is no joint \"ball\""}},
    {JOINTED("{`set`: `elbow`, `freedom`: 2, `target`: 1}"),
     {"t:2:65: \"set\" is of freedom 2, and the hinge \"elbow\" has 1"}},
    {JOINTED("{`set`: `elbow`, `freedom`: 0, `target`: 1}"),
     {"t:2:65: \"freedom\": expected a plain whole number from 1 to 6, got 0"}},
    {JOINTED("{`set`: `elbow`, `target`: `3 mm`}"), {"t:2:64: \"target\": expected an angle"}},
    {JOINTED("{`force`: `elbow`, `value`: `3 N`}"),
     {"t:2:65: \"value\": expected an energy or a "
      "torque"}},
    {JOINTED("{`drive`: `elbow`, `type`: `positon`, `target`: 1}"),
     {"t:2:64: \"type\": got \"positon\"; did you mean \"position\"?"}},
    {JOINTED("{`drive`: `elbow`, `type`: `position`, `stiffness`: 1}"),
     {"t:2:37: a position drive needs \"target\" or \"motion\""}},
    {JOINTED("{`drive`: `elbow`, `type`: `none`, `target`: 1}"),
     {"t:2:82: a none drive takes no \"target\""}},
    {JOINTED("{`drive`: `elbow`, `type`: `velocity`, `target`: `2 rad`}"),
     {"t:2:86: \"target\": expected an angular speed"}},
    {JOINTED("{`drive`: `elbow`, `type`: `force`, `target`: 1, `stiffness`: 2, `force_limit`: 3}"),
     {"t:2:99: a force drive takes no \"stiffness\"", "t:2:117: a force drive takes no "
                                                      "\"force_limit\""}},
    {JOINTED("{`drive`: `elbow`, `type`: `position`, `target`: 1, `stiffness`: -2}"),
     {"t:2:102: \"stiffness\" must not be negative"}},
    {JOINTED("{`drive`: `elbow`, `type`: `motion`, `motion`: `path`}"),
     {"t:2:84: there is no motion \"path\""}},
    {JOINTED("{`break`: `hinge`}"),
     {"t:2:47: there is no joint or bond \"hinge\", expected one of: elbow"}},
    {JOINTED("{`break`: `elbw`}"),
     {"t:2:47: there is no joint or bond \"elbw\"; did you mean \"elbow\"?"}},
    {JOINTED("{`let`: `n`, `be`: `=of('elbow', 'joint.position.2')`}"),
     {"t:2:45: there is no variable \"n\"", "t:2:58: \"joint.position.2\" is of freedom 2"}},
};

static void mistakes_have_their_places(void **state)
{
    (void)state;
    enum { COUNT = sizeof mistakes / sizeof *mistakes };
    mistake real[COUNT];
    char *texts[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        real[i] = mistakes[i];
        real[i].text = texts[i] = json(mistakes[i].text);
    }
    check_mistakes(real, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        free(texts[i]);
    }
}

static void numbers_of_things_have_limits(void **state)
{
    (void)state;
    static const struct {
        int count;
        const char *name, *message;
    } cases[] = {{1001, "behaviours", "1001 behaviours, expected at most 1000"},
                 {18, "within", "behaviours are nested more than 16 deep"},
                 {101, "variables", "101 variables, expected at most 100"}};
    for (int kind = 0; kind < 3; ++kind) {
        char *text = malloc(100000), *at = text;
        at += sprintf(at, "{\"sinew\": 1, \"behaviours\": [");
        for (int i = 0; i < cases[kind].count && kind < 2; ++i) {
            at += sprintf(at, "%s{\"name\": \"b%d\", \"do\": []", i > 0 ? ", " : "", i);
            at += kind == 1 && i > 0 ? sprintf(at, ", \"within\": \"b%d\"}", i - 1)
                                     : sprintf(at, "}");
        }
        at += kind == 2 ? sprintf(at, "{\"name\": \"b\", \"do\": [], \"variables\": {") : 0;
        for (int i = 0; i < cases[kind].count && kind == 2; ++i) {
            at += sprintf(at, "%s\"x%d\": %d", i > 0 ? ", " : "", i, i);
        }
        sprintf(at, "%s]}", kind == 2 ? "}}" : "");
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors),
                         SN_ERROR_SCENE);
        assert_int_equal(errors.count, 1);
        assert_non_null(strstr(errors.items[0].text, cases[kind].message));
        sn_error_list_free(&errors);
        free(text);
    }
}

// ---- memory ----

static void out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    char *text = busy_scene("lockstep");
    int failures = 0;
    bool through = false;
    for (int n = 0; !through; ++n) {
        sn_scene *scene = NULL;
        sn_world *world = NULL, *copy = NULL;
        sn_error_list errors = {0};
        sn_error error = {0};
        char *resolved = NULL;
        size_t length;
        sn_allocation_fail_after(n);
        sn_status status = sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors);
        status = status == SN_OK ? sn_scene_build(scene, &world, &error) : status;
        status = status == SN_OK ? sn_world_copy(world, &copy, &error) : status;
        status =
            status == SN_OK ? sn_scene_resolved_text(scene, &resolved, &length, &error) : status;
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        through = status == SN_OK;
        failures += !through;
        sn_scene_free_text(resolved);
        sn_world_destroy(copy);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
    }
    assert_true(failures > 50);
    free(text);
}

static void running_scripts_allocate_nothing(void **state)
{
    (void)state;
    char *text = busy_scene("lockstep");
    sn_world *world = build_text(text);
    advance(world, 0.01, 100);
    uint64_t before = sn_allocation_count();
    advance(world, 0.01, 100);
    assert_int_equal(sn_allocation_count(), before);
    sn_world_destroy(world);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_does_its_sums),
        cmocka_unit_test(pushes_have_points_and_axes),
        cmocka_unit_test(branches_and_variables),
        cmocka_unit_test(hysteresis_switches_at_both_ends),
        cmocka_unit_test(an_event_springs_the_trap),
        cmocka_unit_test(behaviours_hand_over),
        cmocka_unit_test(scripts_steer_joints),
        cmocka_unit_test(states_hold_what_scripts_set),
        cmocka_unit_test(params_leave_steered_drives_alone),
        cmocka_unit_test(the_swing_goes_higher),
        cmocka_unit_test(a_failing_script_stops_with_its_place),
        cmocka_unit_test(states_and_copies_go_on_to_the_bit),
        cmocka_unit_test(the_resolved_scene_runs_the_same),
        cmocka_unit_test(recordings_replay_to_the_bit),
        cmocka_unit_test(params_reach_running_scripts),
        cmocka_unit_test(mistakes_have_their_places),
        cmocka_unit_test(numbers_of_things_have_limits),
        cmocka_unit_test(out_of_memory_leaks_nothing),
        cmocka_unit_test(running_scripts_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
