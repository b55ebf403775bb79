// The scenes that come with the project: each is in the gallery, runs for its time and comes out
// the same twice; those without losses keep their energy; and what they are said to show is there.
#include "shipped_scenes.h"

#include <math.h>

#include "sanitized.h"
#include "sinew/joint.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SINEW_SLOW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SINEW_SLOW
#endif
#endif

// Sanitizers are slow: they see the beginning of the long runs, once.
#ifdef SINEW_SLOW
static const double share = 0.03;
static const long most_steps = 30; // of large scenes, which run to their end elsewhere
static const bool twice = false;
#else
static const double share = 1.0;
static const long most_steps = 120;
static const bool twice = true;
#endif

static void turn(sn_scene *scene, const char *param, double value)
{
    sn_error error = {0};
    if (sn_scene_set_param(scene, param, value, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
}

// ---- all of them ----

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    size_t length = fread(text, 1, 99999, file);
    assert_in_range(length, 1000, 99998);
    fclose(file);
    return text;
}

static void every_scene_is_in_the_gallery(void **state)
{
    (void)state;
    char *text = read_text("docs/gallery.md");
    scene_names list = list_scenes();
    for (int i = 0; i < list.count; ++i) {
        char row[512];
        const char *name = list.names[i];
        snprintf(row, sizeof row, "\n| [![%s](gallery/%s.png)](../scenes/%s.json) **%s** | ", name,
                 name, name, name);
        if (strstr(text, row) == NULL) {
            print_error("docs/gallery.md has no row of the scene %s\n", list.names[i]);
            fail();
        }
    }
    int rows = 0;
    for (const char *at = strstr(text, "\n| [!["); at != NULL; at = strstr(at + 1, "\n| [![")) {
        rows += 1;
    }
    assert_int_equal(rows, list.count); // nor any of a scene that is gone
    free(text);
}

static long steps_of(const sn_scene *scene, const sn_world *world)
{
    sn_run run = sn_scene_run(scene);
    long steps = lround(share * run.time / run.step);
    return sn_world_body_count(world) > 15 && steps > most_steps ? most_steps : steps;
}

// The hash after so many steps.
static uint64_t take_steps(const char *name, const sn_scene *scene, sn_world *world, long steps)
{
    sn_error error = {0};
    for (long i = 0; i < steps && !sn_world_stopped(world); ++i) {
        if (sn_world_step(world, sn_scene_run(scene).step, &error) != SN_OK) {
            fail_msg("%s: %s", name, sn_error_message(&error));
        }
    }
    return sn_world_hash(world);
}

// The second time goes a fifth of the way: what differs between runs (memory not set, orders by
// address) does so from the first steps on. With SINEW_SOAK it goes all the way.
static void every_scene_runs_twice_the_same(void **state)
{
    (void)state;
    bool soak = getenv("SINEW_SOAK") != NULL;
    scene_names list = list_scenes();
    for (int i = 0; i < list.count; ++i) {
        const char *name = list.names[i];
        sn_scene *scene = load_shipped(name);
        sn_world *world = build(scene);
        long steps = steps_of(scene, world), again = soak ? steps : (steps + 4) / 5;
        uint64_t first = take_steps(name, scene, world, again);
        take_steps(name, scene, world, steps - again);
        sn_world_destroy(world);
        if (twice) {
            world = build(scene);
            if (take_steps(name, scene, world, again) != first) {
                fail_msg("%s: hashes differ after %ld steps", name, again);
            }
            sn_world_destroy(world);
        }
        sn_scene_destroy(scene);
    }
}

// Greatest change of energy, relative to the greatest kinetic energy.
static double energy_swing(const sn_scene *scene)
{
    sn_world *world = build(scene);
    sn_run run = sn_scene_run(scene);
    double start = sn_world_energy(world).total, swing = 0.0, motion = 0.0;
    long steps = lround(share * run.time / run.step);
    for (long i = 0; i < steps && !sn_world_stopped(world); ++i) {
        advance(world, run.step, 1);
        sn_energy energy = sn_world_energy(world);
        swing = fmax(swing, fabs(energy.total - start));
        motion = fmax(motion, energy.kinetic);
    }
    sn_world_destroy(world);
    return swing / motion;
}

static void energy_is_kept_where_nothing_takes_it(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *losses; // the param that makes them; NULL: none
        double limit;
    } cases[] = {
        {"pendulum", NULL, 1e-9},
        {"double-pendulum", NULL, 1e-4},
        {"double-spring-pendulum", NULL, 1e-7},
        {"gyroscope", NULL, 1e-5},
        {"spring-pendulum", NULL, 1e-4},
        {"tumbling-racket", NULL, 1e-6},
        {"four-bar", NULL, 1e-4},
        {"bead-on-wire", "drag", 1e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_scene *scene = load_shipped(cases[i].scene);
        if (cases[i].losses != NULL) {
            turn(scene, cases[i].losses, 0.0);
        }
        double swing = energy_swing(scene);
        sn_scene_destroy(scene);
        print_message("%-24s %.2g\n", cases[i].scene, swing);
        if (!(swing <= cases[i].limit)) {
            fail_msg("%s: energy changes by %g, expected at most %g", cases[i].scene, swing,
                     cases[i].limit);
        }
    }
}

// ---- what they show ----

static sn_world *build_scene(const char *name)
{
    sn_scene *scene = load_shipped(name);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

static sn_joint joint_of(const sn_world *world, const char *name)
{
    sn_joint joint = sn_world_find_joint(world, name);
    if (joint.index == 0) {
        fail_msg("no joint %s", name);
    }
    return joint;
}

static double position_of(const sn_world *world, const char *joint)
{
    return sn_joint_position(world, joint_of(world, joint), 0);
}

// Of a fall from 60 cm, a bounce has the height e^2 times that.
static void limits_throw_back_and_friction_holds(void **state)
{
    (void)state;
    static const double thrown_back[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    sn_world *world = build_scene("limits-and-friction");
    double highest[5] = {0};
    for (int i = 0; i < 1100; ++i) {
        advance(world, 0.001, 1);
        for (int k = 0; k < 5; ++k) {
            char name[16];
            snprintf(name, sizeof name, "rod %d", k + 1);
            double z = position_of(world, name);
            assert_true(z > -1e-9);
            highest[k] = i > 360 ? fmax(highest[k], z) : 0.0;
        }
    }
    for (int k = 0; k < 5; ++k) {
        double wanted = 0.6 * thrown_back[k] * thrown_back[k];
        assert_true(fabs(highest[k] - wanted) < 0.012); // 3.4 m/s for half a step, twice
    }
    advance(world, 0.001, 8900);
    for (int k = 2; k <= 5; ++k) {
        char name[16];
        snprintf(name, sizeof name, "hinge %d", k);
        sn_joint hinge = joint_of(world, name);
        double rate = sn_joint_velocity(world, hinge, 0),
               holds = sn_joint_friction_force(world, hinge, 0);
        assert_true(fabs(rate) < 1e-12);
        assert_true(fabs(holds) > 1e-3 && fabs(holds) <= 0.7 * (k - 1) + 1e-9);
    }
    assert_true(fabs(sn_joint_velocity(world, joint_of(world, "hinge 1"), 0)) > 0.1);
    sn_world_destroy(world);
}

// At rest: force = weight + (torque of the motor + friction) / pitch, and friction is within
// bounds.
static void a_press_stalls_between_motor_and_friction(void **state)
{
    (void)state;
    sn_world *world = build_scene("screw-press");
    advance(world, 0.0005, 10000);
    sn_joint thread = joint_of(world, "thread"), guide = joint_of(world, "guide");
    assert_true(fabs(sn_joint_velocity(world, thread, 0)) < 1e-12);
    double weight =
        9.81 * (sn_body_mass_properties(world, sn_world_find_body(world, "spindle")).mass +
                sn_body_mass_properties(world, sn_world_find_body(world, "ram")).mass);
    double motor = sn_joint_drive_force(world, thread, 0),
           friction = sn_joint_friction_force(world, thread, 0),
           force = -sn_joint_limit_force(world, guide, 0);
    double pitch = 0.02 / (2.0 * acos(-1.0));
    assert_true(fabs(motor - 8.0) < 1e-9 && fabs(friction) <= 3.5);
    assert_true(fabs(force - weight - (motor + friction) / pitch) < 1e-3);
    sn_world_destroy(world);
}

// The law of motion that the curve was drawn by: angle in degrees, lift in m.
static double lift_at(double angle)
{
    angle = fmod(angle, 360.0);
    double u = angle < 120.0 ? angle / 120.0 : (angle < 160.0 ? 1.0 : (290.0 - angle) / 130.0);
    u = fmax(u, 0.0);
    return 0.03 * u * u * u * (10.0 + u * (-15.0 + 6.0 * u));
}

static void a_follower_follows_its_cam(void **state)
{
    (void)state;
    sn_world *world = build_scene("cam");
    double worst = 0.0;
    for (int i = 0; i < 3000; ++i) {
        advance(world, 0.0005, 1);
        double angle = position_of(world, "shaft") * 180.0 / acos(-1.0);
        worst = fmax(worst, fabs(position_of(world, "guide") - lift_at(fmax(angle, 0.0))));
    }
    print_message("cam: lift within %.2g m\n", worst);
    assert_true(position_of(world, "shaft") > 20.0);
    assert_true(worst < 2e-6); // the spline's through points every 5 degrees
    sn_world_destroy(world);
}

typedef struct point {
    double x, z;
} point;

// The point at distances a of p and b of q, to the left of the way from p to q for side = 1.
static point meet(point p, double a, point q, double b, double side)
{
    double x = q.x - p.x, z = q.z - p.z, d = sqrt(x * x + z * z);
    double along = (d * d + a * a - b * b) / (2.0 * d), across = side * sqrt(a * a - along * along);
    return (point){p.x + (along * x - across * z) / d, p.z + (along * z + across * x) / d};
}

// Jansen's foot by compasses: lengths in cm, the crank's angle from the x axis.
static point foot_of(double angle)
{
    point crank = {15.0 * cos(angle), 15.0 * sin(angle)}, pivot = {-38.0, -7.8};
    point upper = meet(pivot, 41.5, crank, 50.0, 1.0), lower = meet(pivot, 39.3, crank, 61.9, -1.0);
    point rear = meet(pivot, 40.1, upper, 55.8, 1.0), knee = meet(rear, 39.4, lower, 36.7, -1.0);
    return meet(knee, 65.7, lower, 49.0, -1.0);
}

static void a_leg_walks_as_constructed(void **state)
{
    (void)state;
    sn_world *world = build_scene("theo-jansen");
    sn_body foot = sn_world_find_body(world, "front left foot"),
            other = sn_world_find_body(world, "back right foot");
    double worst = 0.0;
    int low = 0, steps = share < 1.0 ? 200 : 2000;
    for (int i = 0; i < steps; ++i) {
        advance(world, 0.002, 1);
        double angle = position_of(world, "crank");
        point wanted = foot_of(angle), mirrored = foot_of(-angle);
        sn_vec3 at = sn_body_transform(world, foot).position,
                there = sn_body_transform(world, other).position;
        worst = fmax(worst, fabs(at.x - 0.01 * wanted.x) + fabs(at.z - 0.01 * wanted.z));
        worst = fmax(worst, fabs(there.x + 0.01 * mirrored.x) + fabs(there.z - 0.01 * mirrored.z));
        low += i >= 750 && i < 1950 && at.z < -0.905;
    }
    print_message("theo-jansen: feet within %.2g m\n", worst);
    assert_true(worst < 2e-5); // the scene's lengths are rounded to 1e-6 m
    assert_true(share < 1.0 || (low > 480 && low < 720)); // of the 1200 steps of a turn
    sn_world_destroy(world);
}

static void a_chain_breaks_where_it_is_weak(void **state)
{
    (void)state;
    sn_world *world = build_scene("breaking-chain");
    sn_joint weak = joint_of(world, "pin 10");
    double last = 0.0;
    int steps = 0;
    for (; steps < 10000 && !sn_joint_is_broken(world, weak); ++steps) {
        last = sn_length(sn_joint_reaction(world, weak).force);
        advance(world, 0.001, 1);
    }
    assert_in_range(steps, 2500, 4500);
    assert_true(last > 145.0 && last <= 150.0);
    advance(world, 0.001, rounds_of(10000 - steps, 500));
    for (int i = 1; i <= 15; ++i) {
        char name[16];
        snprintf(name, sizeof name, "pin %d", i);
        assert_int_equal(sn_joint_is_broken(world, joint_of(world, name)), i == 10);
    }
    sn_vec3 lamp = sn_body_centre(world, sn_world_find_body(world, "lamp"));
    double reach = 0.5 * 1.72 + 0.25; // half of the chain, and the lamp
    assert_true(sn_distance(lamp, sn_vec3_make(-0.7, 0, 0)) < reach);
    sn_world_destroy(world);
}

static void beads_keep_to_their_wire(void **state)
{
    (void)state;
    sn_world *world = build_scene("bead-on-wire");
    sn_joint wire = joint_of(world, "first on the wire");
    sn_body first = sn_world_find_body(world, "first bead"),
            second = sn_world_find_body(world, "second bead");
    int rounds = 0, back = 0, steps = share < 1.0 ? 2000 : 12000;
    double x = -3.2;
    for (int i = 0; i < steps; ++i) {
        advance(world, 0.001, 1);
        sn_vec3 at = sn_body_centre(world, first);
        rounds += at.y < -1.0 && x <= -2.0 && at.x > -2.0;
        back += sn_body_centre(world, second).x < -0.6; // beyond the loop
        x = at.x;
    }
    assert_int_equal(rounds, share < 1.0 ? 1 : 2);
    assert_int_equal(back, 0);
    assert_true(isfinite(sn_length(sn_joint_reaction(world, wire).force)));
    sn_world_destroy(world);
}

// The part stands on the other table, within 0.1 mm, and no motor did more than it can.
static void an_arm_does_its_task(void **state)
{
    (void)state;
    static const struct {
        const char *joint;
        double most; // N m
    } motors[] = {{"arm/turn", 400.0},      {"arm/shoulder_pitch", 400.0},
                  {"arm/elbow", 250.0},     {"arm/forearm_roll", 60.0},
                  {"arm/wrist_bend", 60.0}, {"arm/flange_roll", 30.0}};
    sn_world *world = build_scene("robot-arm");
    sn_body part = sn_world_find_body(world, "part"), hand = sn_world_find_body(world, "hand");
    double highest = 0.0, fastest = 0.0;
    int steps = share < 1.0 ? 3000 : 8500;
    for (int i = 0; i < steps; ++i) {
        advance(world, 0.001, 1);
        highest = fmax(highest, sn_body_transform(world, part).position.z);
        fastest = fmax(fastest, sn_length(sn_body_velocity(world, hand)));
        for (int k = 0; k < 6 && i % 10 == 0; ++k) {
            double torque = sn_joint_drive_force(world, joint_of(world, motors[k].joint), 0);
            assert_true(fabs(torque) < 0.2 * motors[k].most);
        }
    }
    if (share < 1.0) {
        assert_true(highest > 0.3); // in the hand, and on its way
        sn_world_destroy(world);
        return;
    }
    assert_true(highest > 0.48 && fastest > 1.0 && fastest < 2.0);
    sn_transform end = sn_body_transform(world, part);
    double error = sn_distance(end.position, sn_vec3_make(0.1, 0.62, 0.29));
    print_message("robot-arm: part within %.2g m\n", error);
    assert_true(error < 1e-4);
    assert_true(fabs(fabs(end.rotation.z) - sqrt(0.5)) <
                1e-3); // turned by a quarter, still upright
    assert_true(fabs(end.rotation.x) < 1e-3 && fabs(end.rotation.y) < 1e-3);
    assert_true(sn_length(sn_body_velocity(world, part)) < 1e-9);
    assert_true(sn_body_transform(world, hand).position.x > 0.49); // home again
    sn_world_destroy(world);
}

// A bob of mass m on a rod, let go from the horizontal, pulls with 3 m g cos(angle): 2 m g where it
// is two thirds of the rod below the hinge.
static void events_see_forces_of_joints(void **state)
{
    (void)state;
    static const char *const policies[] = {"lockstep", "precise"};
    for (int p = 0; p < 2; ++p) {
        char text[1200];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"bodies\": [{\"name\": \"bob\", \"position\": [1, 0, 0], "
                 "\"mass\": 1, \"inertia\": [1e-12, 1e-12, 1e-12], \"centre\": [0, 0, 0]}], "
                 "\"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", \"child\": \"bob\", "
                 "\"at\": [0, 0, 0], \"axis\": [0, 1, 0]}], \"events\": [{\"name\": \"low\", "
                 "\"of\": \"bob\", \"quantity\": \"position.z\", \"threshold\": "
                 "-0.6666666666666667}, {\"name\": \"taut\", \"of\": \"pin\", \"quantity\": "
                 "\"joint.reaction_force\", \"threshold\": 19.62}], \"run\": {\"policy\": "
                 "\"%s\"}}",
                 policies[p]);
        sn_world *world = build_text(text);
        advance(world, 0.001, 1100);
        double times[2][2] = {{0}};
        int counts[2] = {0};
        for (int i = 0; i < sn_world_event_count(world); ++i) {
            sn_event_entry entry = sn_world_event_entry(world, i);
            int which = strcmp(sn_event_name(world, entry.event), "taut") == 0;
            assert_in_range(counts[which], 0, 1);
            times[which][counts[which]++] = entry.time;
        }
        assert_int_equal(counts[0], 2);
        assert_int_equal(counts[1], 2);
        for (int k = 0; k < 2; ++k) {
            // In lockstep a force is the mean of a step, and so lags by half of one.
            double lag = p == 0 ? 0.0005 : 0.0;
            assert_true(fabs(times[1][k] - times[0][k] - lag) < 2e-5);
        }
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_in_the_gallery),
        cmocka_unit_test(every_scene_runs_twice_the_same),
        cmocka_unit_test(energy_is_kept_where_nothing_takes_it),
        cmocka_unit_test(limits_throw_back_and_friction_holds),
        cmocka_unit_test(a_press_stalls_between_motor_and_friction),
        cmocka_unit_test(a_follower_follows_its_cam),
        cmocka_unit_test(a_leg_walks_as_constructed),
        cmocka_unit_test(a_chain_breaks_where_it_is_weak),
        cmocka_unit_test(beads_keep_to_their_wire),
        cmocka_unit_test(an_arm_does_its_task),
        cmocka_unit_test(events_see_forces_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
