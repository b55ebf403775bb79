// Mechanisms of a world: joints run either way, loops, limits, friction, drives, couplings, loads,
// breaks, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "jointed_world.h"
#include "sanitized.h"

static const sn_body ground = {0};

// ---- joints that run towards the ground ----

// A chain from the ground through one joint of the given type; with `back`, parent and child of
// that joint are swapped.
static sn_world *make_chain(sn_joint_type type, bool back, sn_policy policy)
{
    sn_world *world = make_world(policy, down, 1e-11);
    sn_vec3 moments = {0.02, 0.03, 0.04};
    sn_body upper = add_mass(world, "upper", sn_vec3_make(0.3, 0.1, 0), 1.0, moments),
            lower = add_mass(world, "lower", sn_vec3_make(0.7, -0.1, 0.1), 0.7, moments);
    add_hinge(world, "pivot", ground, upper, SN_VEC3_ZERO);
    sn_joint_def def = joint_at(world, "middle", type, upper, lower, sn_vec3_make(0.5, 0, 0),
                                sn_normalize(sn_vec3_make(0.3, 0.8, 0.5)));
    def.pitch = 0.05;
    for (int i = 0; i < sn_joint_type_freedoms(type); ++i) {
        def.freedom[i].stiffness = 3.0;
        def.freedom[i].damping = 0.05;
        def.freedom[i].rest = type == SN_JOINT_BALL || (type == SN_JOINT_FREE && i > 2) ? 0.0 : 0.1;
    }
    if (back) {
        sn_transform frame = def.parent_frame;
        def.parent = lower;
        def.child = upper;
        def.parent_frame = def.child_frame;
        def.child_frame = frame;
        for (int i = 0; i < 6; ++i) {
            def.freedom[i].rest = -def.freedom[i].rest; // T^-1
        }
    }
    add(world, &def);
    return world;
}

static void joints_may_run_towards_the_ground(void **state)
{
    (void)state;
    const sn_joint_type types[] = {SN_JOINT_FIXED, SN_JOINT_HINGE,       SN_JOINT_SLIDER,
                                   SN_JOINT_SCREW, SN_JOINT_CYLINDRICAL, SN_JOINT_BALL};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        sn_world *there = make_chain(types[i], false, SN_POLICY_PRECISE),
                 *back = make_chain(types[i], true, SN_POLICY_PRECISE);
        for (int k = 0; k < 10; ++k) {
            advance(there, 0.05, 1);
            advance(back, 0.05, 1);
            sn_body a = sn_world_find_body(there, "lower"), b = sn_world_find_body(back, "lower");
            double apart = sn_distance(sn_body_centre(there, a), sn_body_centre(back, b));
            if (!(apart < 1e-8)) {
                fail_msg("%s: %g m apart", sn_joint_type_word(types[i]), apart);
            }
            sn_joint j = sn_world_find_joint(there, "middle"),
                     r = sn_world_find_joint(back, "middle");
            for (int f = 0; f < sn_joint_type_freedoms(types[i]); ++f) {
                double sum = sn_joint_position(there, j, f) + sn_joint_position(back, r, f);
                assert_true(fabs(sum) < 1e-8);
            }
            // A ball's angular velocity is in the child's axes: turned into the world's both agree.
            if (types[i] == SN_JOINT_BALL) {
                sn_vec3 v = {sn_joint_velocity(there, j, 0), sn_joint_velocity(there, j, 1),
                             sn_joint_velocity(there, j, 2)},
                        w = {sn_joint_velocity(back, r, 0), sn_joint_velocity(back, r, 1),
                             sn_joint_velocity(back, r, 2)};
                v = sn_rotate(sn_joint_child_transform(there, j).rotation, v);
                w = sn_rotate(sn_joint_child_transform(back, r).rotation, w);
                assert_true(sn_length(sn_vec3_add(v, w)) < 1e-7);
            }
        }
        sn_world_destroy(there);
        sn_world_destroy(back);
    }
}

// Universal, planar and free joints have another meaning backwards; what must hold is that the
// bodies stand as the coordinates say.
static void backward_joints_keep_their_meaning(void **state)
{
    (void)state;
    const sn_joint_type types[] = {SN_JOINT_UNIVERSAL, SN_JOINT_PLANAR, SN_JOINT_FREE};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        for (int policy = 0; policy < 2; ++policy) {
            sn_world *world =
                make_chain(types[i], true, policy == 0 ? SN_POLICY_LOCKSTEP : SN_POLICY_PRECISE);
            double energy = 0.0;
            for (int k = 0; k < 20; ++k) {
                advance(world, policy == 0 ? 1e-3 : 0.02, policy == 0 ? 20 : 1);
                sn_joint joint = sn_world_find_joint(world, "middle");
                sn_transform parent = sn_joint_parent_transform(world, joint),
                             child = sn_joint_child_transform(world, joint),
                             t = sn_transform_multiply(sn_transform_inverse(parent), child);
                double q[6] = {0.0};
                for (int f = 0; f < sn_joint_type_freedoms(types[i]); ++f) {
                    q[f] = sn_joint_position(world, joint, f);
                }
                sn_quat z = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), q[0]), want;
                sn_vec3 shift = SN_VEC3_ZERO;
                if (types[i] == SN_JOINT_UNIVERSAL) {
                    want =
                        sn_quat_multiply(z, sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), q[1]));
                } else if (types[i] == SN_JOINT_PLANAR) {
                    want = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), q[2]);
                    shift = sn_vec3_make(q[0], q[1], 0);
                } else {
                    want = sn_quat_exp(sn_vec3_make(q[3], q[4], q[5]));
                    shift = sn_vec3_make(q[0], q[1], q[2]);
                }
                sn_quat left = sn_quat_multiply(sn_quat_conjugate(want), t.rotation);
                assert_true(sn_length(sn_quat_log(left)) < 1e-9);
                assert_true(sn_distance(shift, t.position) < 1e-9);
                energy = sn_world_energy(world).total;
            }
            assert_true(isfinite(energy));
            sn_world_destroy(world);
        }
    }
}

// ---- loops ----

// The planar four-bars in a row of IFToMM's benchmark A02: n loops of rods of 1 m and 1 kg,
// upright, all rockers moving at 1 m/s at their tips.
static sn_world *make_four_bars(int loops, sn_policy policy, double tolerance, bool turn_round)
{
    sn_world *world = make_world(policy, down, tolerance);
    sn_body before = ground;
    for (int i = 0; i <= loops; ++i) {
        char name[32];
        snprintf(name, sizeof name, "rocker %d", i);
        sn_vec3 foot = {i, 0, 0}, tip = {i, 0, 1};
        sn_body rocker = add_rod(world, name, foot, tip, 1.0);
        assert_int_equal(sn_body_set_velocity(world, rocker, sn_vec3_make(0.5, 0, 0),
                                              sn_vec3_make(0, 1, 0), NULL),
                         SN_OK);
        snprintf(name, sizeof name, "foot %d", i);
        add_hinge(world, name, ground, rocker, foot);
        if (i > 0) {
            snprintf(name, sizeof name, "coupler %d", i);
            sn_body coupler = add_rod(world, name, sn_vec3_make(i - 1, 0, 1), tip, 1.0);
            assert_int_equal(
                sn_body_set_velocity(world, coupler, sn_vec3_make(1, 0, 0), SN_VEC3_ZERO, NULL),
                SN_OK);
            snprintf(name, sizeof name, "left %d", i);
            add_hinge(world, name, before, coupler, sn_vec3_make(i - 1, 0, 1));
            snprintf(name, sizeof name, "right %d", i);
            add_hinge(world, name, turn_round ? rocker : coupler, turn_round ? coupler : rocker,
                      tip);
        }
        before = rocker;
    }
    return world;
}

static sn_vec3 first_tip(const sn_world *world)
{
    return sn_joint_parent_transform(world, sn_world_find_joint(world, "left 1")).position;
}

static void four_bars_follow_the_published_values(void **state)
{
    (void)state;
    const double times[3] = {1, 5, 10},
                 x[3] = {-0.1950203019494, -0.8113104610051, 0.3284581115408},
                 z[3] = {-0.9807992056622, -0.5846155453490, 0.9445185381786};
    for (int turned = 0; turned < 2; ++turned) {
        sn_world *world = make_four_bars(2, SN_POLICY_PRECISE, 1e-11, turned != 0);
        for (int k = 0; k < 3; ++k) {
            while (sn_world_time(world) < times[k] - 1e-9) {
                advance(world, 0.01, 1);
            }
            sn_vec3 tip = first_tip(world);
            double off = fmax(fabs(tip.x - x[k]), fabs(tip.z - z[k]));
            print_message("four-bar at %g s: off by %.1e\n", times[k], off);
            assert_true(off < 1e-6);
        }
        sn_mechanism_info info = sn_world_mechanism_info(world);
        assert_int_equal(info.mechanisms, 1);
        assert_int_equal(info.loops, 2);
        assert_int_equal(info.rows, 12);
        assert_int_equal(sn_world_freedom_count(world), 1);
        assert_int_equal(info.redundant, 12 - (info.coordinates - 1));
        sn_world_destroy(world);
    }
}

static void loops_keep_energy_and_stay_closed(void **state)
{
    (void)state;
    sn_world *world = make_four_bars(3, SN_POLICY_LOCKSTEP, 1e-9, false);
    double start = NAN, swing = 0.0, apart = 0.0;
    int steps = rounds_of(5000, 300);
    for (int k = 0; k < steps; ++k) {
        advance(world, 1e-3, 1);
        double energy = sn_world_energy(world).total;
        start = isnan(start) ? energy : start;
        swing = fmax(swing, fabs(energy - start));
        for (int i = 0; i < sn_world_joint_count(world); ++i) {
            apart = fmax(apart, gap(world, sn_world_joint(world, i)));
        }
    }
    print_message("four-bars at 1 ms for %g s: energy within %.1e J, gaps %.1e m\n", 1e-3 * steps,
                  swing, apart);
    assert_true(swing < 1e-2 && apart < 1e-10);
    sn_world_destroy(world);
}

// A crank that turns by more than a radian a step, with loops to follow: the step goes in parts.
static void steps_too_long_for_loops_go_in_parts(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_vec3 corner[4] = {{0, 0, 0}, {0, 0, 0.1}, {1, 0, 0.5}, {1, 0, 0}};
    sn_body bar[3];
    const char *names[] = {"crank", "coupler", "rocker"};
    for (int i = 0; i < 3; ++i) {
        bar[i] = add_rod(world, names[i], corner[i], corner[i + 1], i == 0 ? 20.0 : 0.1);
    }
    assert_int_equal(
        sn_body_set_velocity(world, bar[0], sn_vec3_make(10, 0, 0), sn_vec3_make(0, 200, 0), NULL),
        SN_OK);
    sn_joint main_joint = add_hinge(world, "main", ground, bar[0], corner[0]);
    add_hinge(world, "pin", bar[0], bar[1], corner[1]);
    add_hinge(world, "wrist", bar[1], bar[2], corner[2]);
    add_hinge(world, "foot", ground, bar[2], corner[3]);
    assert_int_equal(sn_world_assemble(world, NULL), SN_OK);
    double start = sn_world_energy(world).total, worst = 0.0, apart = 0.0;
    assert_true(sn_joint_velocity(world, main_joint, 0) > 100.0);
    for (int k = 0; k < 100; ++k) {
        advance(world, 0.01, 1);
        worst = fmax(worst, fabs(sn_world_energy(world).total / start - 1.0));
        for (int i = 0; i < sn_world_joint_count(world); ++i) {
            apart = fmax(apart, gap(world, sn_world_joint(world, i)));
        }
    }
    print_message("crank at %.0f rad/s in steps of 10 ms: energy within %.1e, gaps %.1e m\n",
                  sn_joint_velocity(world, main_joint, 0), worst, apart);
    assert_true(apart < 1e-9 && worst < 0.2);
    sn_world_destroy(world);
}

// A door on three hinges in line: two of them are too many.
static void a_door_may_have_three_hinges(void **state)
{
    (void)state;
    sn_world *worlds[2];
    for (int n = 0; n < 2; ++n) {
        worlds[n] = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(3, 1, -9.81), 1e-9);
        sn_body door =
            add_mass(worlds[n], "door", sn_vec3_make(0.4, 0, 1), 20.0, sn_vec3_make(7, 7.5, 1.1));
        for (int i = 0; i < (n == 0 ? 1 : 3); ++i) {
            char name[16];
            snprintf(name, sizeof name, "hinge %d", i);
            sn_joint_def def =
                joint_at(worlds[n], name, SN_JOINT_HINGE, ground, door,
                         sn_vec3_make(0, 0, n == 0 ? 1.0 : 0.2 + 0.8 * i), sn_vec3_make(0, 0, 1));
            add(worlds[n], &def);
        }
        advance(worlds[n], 1e-3, 800);
    }
    assert_int_equal(sn_world_freedom_count(worlds[1]), 1);
    assert_int_equal(sn_world_mechanism_info(worlds[1]).redundant, 10);
    sn_body door = sn_world_find_body(worlds[0], "door");
    assert_true(sn_distance(sn_body_centre(worlds[0], door), sn_body_centre(worlds[1], door)) <
                1e-9);
    double weight = 0.0;
    for (int i = 0; i < 3; ++i) {
        weight += sn_joint_reaction(worlds[1], sn_world_joint(worlds[1], i)).force.z;
    }
    assert_true(fabs(weight - 20.0 * 9.81) < 1e-6);
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
}

// ---- what acts in freedoms ----

// A slider-crank with a prescribed crank: closed-form kinematics, and the power of the drive is the
// rate of energy.
static void a_prescribed_crank_tells_its_torque(void **state)
{
    (void)state;
    const double r = 0.1, l = 0.3, speed = 20.0;
    for (int policy = 0; policy < 2; ++policy) {
        sn_world *world =
            make_world(policy == 0 ? SN_POLICY_LOCKSTEP : SN_POLICY_PRECISE, SN_VEC3_ZERO, 1e-10);
        sn_body crank = add_rod(world, "crank", SN_VEC3_ZERO, sn_vec3_make(r, 0, 0), 0.5),
                rod = add_rod(world, "rod", sn_vec3_make(r, 0, 0), sn_vec3_make(r + l, 0, 0), 0.8),
                piston = add_mass(world, "piston", sn_vec3_make(r + l, 0, 0), 1.2,
                                  sn_vec3_make(1e-3, 1e-3, 1e-3));
        double times[] = {0.0, 1000.0}, angles[] = {0.0, 1000.0 * speed};
        sn_motion_def motion_def = sn_default_motion_def();
        motion_def.type = SN_MOTION_LINEAR;
        motion_def.times = times;
        motion_def.values = angles;
        motion_def.count = 2;
        sn_motion *motion = NULL;
        assert_int_equal(sn_motion_create(&motion_def, &motion, NULL), SN_OK);
        sn_joint_def main_def = joint_at(world, "main", SN_JOINT_HINGE, ground, crank, SN_VEC3_ZERO,
                                         sn_vec3_make(0, -1, 0));
        main_def.freedom[0].drive.type = SN_DRIVE_MOTION;
        main_def.freedom[0].drive.motion = motion;
        sn_joint main_joint = add(world, &main_def);
        sn_motion_release(motion);
        add_hinge(world, "pin", crank, rod, sn_vec3_make(r, 0, 0));
        add_hinge(world, "wrist", rod, piston, sn_vec3_make(r + l, 0, 0));
        sn_joint_def guide = joint_at(world, "guide", SN_JOINT_SLIDER, ground, piston,
                                      sn_vec3_make(r + l, 0, 0), sn_vec3_make(1, 0, 0));
        sn_joint slide = add(world, &guide);
        double h = policy == 0 ? 1e-4 : 1e-3, worst = 0.0, power_off = 0.0, before = NAN;
        for (int k = 0; k < 400; ++k) {
            double t0 = sn_world_time(world);
            advance(world, h, 1);
            double t = sn_world_time(world), angle = speed * t;
            double s = r * cos(angle) + sqrt(l * l - r * r * sin(angle) * sin(angle));
            worst = fmax(worst, fabs(sn_body_centre(world, piston).x - s));
            worst = fmax(worst, fabs(sn_joint_position(world, slide, 0) - (s - r - l)));
            double energy = sn_world_energy(world).total;
            if (policy == 0 && !isnan(before)) { // the mean torque of the step does the work
                double work = sn_joint_drive_force(world, main_joint, 0) * speed * (t - t0);
                power_off = fmax(power_off, fabs(work - (energy - before)));
            }
            before = energy;
        }
        print_message("slider-crank: off by %.1e m, work by %.1e J\n", worst, power_off);
        assert_true(worst < 1e-9 && power_off < 2e-4);
        sn_world_destroy(world);
    }
}

// A drive, a limit and friction mean the same in the joint that closes a loop as in any other.
static void what_acts_in_a_closing_joint_counts(void **state)
{
    (void)state;
    double angle[2];
    for (int order = 0; order < 2; ++order) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
        sn_vec3 corner[4] = {{0, 0, 0}, {0, 0, 0.5}, {1, 0, 0.5}, {1, 0, 0}};
        sn_body bar[3];
        const char *names[] = {"a", "b", "c"};
        for (int i = 0; i < 3; ++i) {
            bar[i] = add_rod(world, names[i], corner[i], corner[i + 1], 1.0);
        }
        sn_joint_def def[4] = {joint_at(world, "one", SN_JOINT_HINGE, ground, bar[0], corner[0],
                                        sn_vec3_make(0, 1, 0)),
                               joint_at(world, "two", SN_JOINT_HINGE, bar[0], bar[1], corner[1],
                                        sn_vec3_make(0, 1, 0)),
                               joint_at(world, "three", SN_JOINT_HINGE, bar[1], bar[2], corner[2],
                                        sn_vec3_make(0, 1, 0)),
                               joint_at(world, "four", SN_JOINT_HINGE, bar[2], ground, corner[3],
                                        sn_vec3_make(0, 1, 0))};
        def[3] = joint_at(world, "four", SN_JOINT_HINGE, ground, bar[2], corner[3],
                          sn_vec3_make(0, 1, 0));
        for (int i = 1; i < 3; ++i) { // one of these two closes the loop
            def[i].freedom[0].stiffness = 20.0;
            def[i].freedom[0].damping = 0.3;
            def[i].freedom[0].friction = 0.2;
            def[i].freedom[0].drive.type = SN_DRIVE_FORCE;
            def[i].freedom[0].drive.target = i == 1 ? 4.0 : 0.0;
        }
        const int sequence[2][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}};
        for (int i = 0; i < 4; ++i) {
            add(world, &def[sequence[order][i]]);
        }
        advance(world, 1e-3, 1000);
        angle[order] = sn_joint_position(world, sn_world_find_joint(world, "one"), 0);
        assert_int_equal(sn_world_mechanism_info(world).loops, 1);
        sn_world_destroy(world);
    }
    assert_true(fabs(angle[0]) > 0.01);
    assert_true(fabs(angle[0] - angle[1]) < 1e-7);
}

static void couplings_turn_freedoms_together(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_body small = add_mass(world, "small", SN_VEC3_ZERO, 1.0, sn_vec3_make(1, 0.02, 1)),
            large = add_mass(world, "large", sn_vec3_make(0.3, 0, 0), 4.0, sn_vec3_make(1, 0.3, 1));
    sn_joint_def def = joint_at(world, "small axle", SN_JOINT_HINGE, ground, small, SN_VEC3_ZERO,
                                sn_vec3_make(0, 1, 0));
    def.freedom[0].drive.type = SN_DRIVE_FORCE;
    def.freedom[0].drive.target = 0.5;
    sn_joint a = add(world, &def),
             b = add_hinge(world, "large axle", ground, large, sn_vec3_make(0.3, 0, 0));
    sn_coupling_term terms[2] = {{a, 0, 20.0}, {b, 0, 40.0}};
    sn_coupling_def gear = sn_default_coupling_def();
    gear.name = "gear";
    gear.terms = terms;
    gear.term_count = 2;
    sn_coupling coupling;
    assert_int_equal(sn_world_add_coupling(world, &gear, &coupling, NULL), SN_OK);
    advance(world, 1e-3, 2000);
    // (0.02 + 0.3 / 4) angle'' = 0.5
    double rate = 0.5 / (0.02 + 0.3 / 4.0);
    assert_true(fabs(sn_joint_velocity(world, a, 0) - 2.0 * rate) < 2e-4);
    assert_true(fabs(sn_joint_velocity(world, b, 0) + rate) < 1e-4);
    assert_true(fabs(20.0 * sn_joint_position(world, a, 0) +
                     40.0 * sn_joint_position(world, b, 0)) < 1e-10);
    // What turns the large gear: factor * force = moment * acceleration
    assert_true(fabs(40.0 * sn_coupling_force(world, coupling) + 0.3 * 0.5 * rate) < 1e-4);
    assert_int_equal(sn_world_freedom_count(world), 1);
    sn_world_destroy(world);
}

// ---- loads and breaks ----

static void reactions_carry_the_weight(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        sn_world *world =
            make_world(policy == 0 ? SN_POLICY_LOCKSTEP : SN_POLICY_PRECISE, down, 1e-10);
        sn_body top = add_rod(world, "top", SN_VEC3_ZERO, sn_vec3_make(0, 0, -1), 2.0),
                low = add_rod(world, "low", sn_vec3_make(0, 0, -1), sn_vec3_make(0, 0, -2), 3.0),
                hook = add_mass(world, "hook", sn_vec3_make(0.2, 0, -2), 1.0,
                                sn_vec3_make(0.01, 0.01, 0.01)),
                tool = add_mass(world, "tool", sn_vec3_make(0.2, 0, -2.2), 0.5,
                                sn_vec3_make(0.01, 0.01, 0.01));
        sn_joint upper = add_hinge(world, "upper", ground, top, SN_VEC3_ZERO),
                 lower = add_hinge(world, "lower", top, low, sn_vec3_make(0, 0, -1));
        sn_joint_def weld = joint_at(world, "weld", SN_JOINT_FIXED, low, hook,
                                     sn_vec3_make(0, 0, -2), sn_vec3_make(0, 0, 1));
        sn_joint fixed = add(world, &weld);
        weld = joint_at(world, "clip", SN_JOINT_FIXED, hook, tool, sn_vec3_make(0.2, 0, -2),
                        sn_vec3_make(0, 0, 1));
        weld.breakable = true; // so that it is rows of its own
        sn_joint clip = add(world, &weld);
        (void)upper;
        (void)lower;
        for (int k = 0; k < 200; ++k) {
            advance(world, 1e-3, 1);
        }
        // d'Alembert for everything below each joint
        double g = 9.81, t = sn_world_time(world);
        (void)t;
        sn_body all[4] = {top, low, hook, tool};
        sn_vec3 momentum[2] = {SN_VEC3_ZERO, SN_VEC3_ZERO};
        double mass = 0.0;
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < 4; ++i) {
                double m = sn_body_mass_properties(world, all[i]).mass;
                momentum[pass] =
                    sn_vec3_add_scaled(momentum[pass], m, sn_body_velocity(world, all[i]));
                mass += pass == 0 ? m : 0.0;
            }
            if (pass == 0) {
                advance(world, policy == 0 ? 1e-3 : 1e-6, 1);
            }
        }
        double h = policy == 0 ? 1e-3 : 1e-6;
        sn_vec3 want = sn_vec3_scale(1.0 / h, sn_vec3_sub(momentum[1], momentum[0]));
        want.z += mass * g;
        sn_vec3 has = sn_joint_reaction(world, upper).force;
        double off = sn_distance(has, want);
        print_message("reaction off by %.1e N of %.1f\n", off, sn_length(want));
        assert_true(off < (policy == 0 ? 1e-3 : 1e-4));
        // The weld and the clip: what the weld carries is the clip's load and the hook's own.
        sn_joint_load w = sn_joint_reaction(world, fixed), c = sn_joint_reaction(world, clip);
        assert_true(isfinite(w.force.z) && isfinite(c.force.z));
        assert_true(w.force.z > c.force.z && c.force.z > 1.0);
        sn_world_destroy(world);
    }
}

// A breakable weld, as rows of its own, and a plain one, as part of the link, carry the same.
static void welds_carry_the_same_either_way(void **state)
{
    (void)state;
    sn_joint_load load[2];
    sn_vec3 where[2];
    for (int n = 0; n < 2; ++n) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
        sn_body arm = add_rod(world, "arm", SN_VEC3_ZERO, sn_vec3_make(1, 0, 0), 2.0),
                tip = add_mass(world, "tip", sn_vec3_make(1.2, 0.1, 0), 1.0,
                               sn_vec3_make(0.01, 0.02, 0.03));
        add_hinge(world, "pivot", ground, arm, SN_VEC3_ZERO);
        sn_joint_def weld = joint_at(world, "weld", SN_JOINT_FIXED, arm, tip, sn_vec3_make(1, 0, 0),
                                     sn_vec3_make(0, 0, 1));
        weld.breakable = n == 1;
        sn_joint joint = add(world, &weld);
        advance(world, 1e-4, 4000);
        load[n] = sn_joint_reaction(world, joint);
        where[n] = sn_body_centre(world, tip);
        sn_world_destroy(world);
    }
    print_message("tips %.1e m apart, loads %.1e N and %.1e N m\n", sn_distance(where[0], where[1]),
                  sn_distance(load[0].force, load[1].force),
                  sn_distance(load[0].torque, load[1].torque));
    assert_true(sn_distance(where[0], where[1]) < 1e-6);
    assert_true(sn_distance(load[0].force, load[1].force) < 1e-3 * sn_length(load[1].force));
    assert_true(sn_distance(load[0].torque, load[1].torque) < 1e-3 * sn_length(load[1].torque));
}

// A pendulum from horizontal pulls with 3 m g at the bottom: its joint breaks on the way, and the
// bob flies on.
static void joints_break_where_they_carry_too_much(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
    sn_body bob =
        add_mass(world, "bob", sn_vec3_make(1, 0, 0), 1.0, sn_vec3_make(1e-6, 1e-6, 1e-6));
    sn_joint_def def =
        joint_at(world, "pivot", SN_JOINT_HINGE, ground, bob, SN_VEC3_ZERO, sn_vec3_make(0, 1, 0));
    def.break_force = 2.0 * 9.81;
    sn_joint joint = add(world, &def);
    assert_int_equal(sn_world_assemble(world, NULL), SN_OK);
    size_t size = sn_world_state_size(world);
    void *whole = malloc(size), *broken = malloc(size);
    advance(world, 1e-3, 300);
    assert_false(sn_joint_is_broken(world, joint));
    assert_int_equal(sn_world_save_state(world, whole, size, NULL), SN_OK);
    uint64_t whole_hash = sn_world_hash(world);
    double angle = NAN;
    while (!sn_joint_is_broken(world, joint) && sn_world_time(world) < 2.0) {
        angle = sn_joint_position(world, joint, 0);
        advance(world, 1e-3, 1);
    }
    assert_true(sn_joint_is_broken(world, joint));
    assert_true(fabs(sin(angle) - 2.0 / 3.0) < 5e-3); // 3 m g sin(angle) = 2 m g
    assert_int_equal(sn_world_state_size(world), size);
    sn_vec3 v = sn_body_velocity(world, bob), p = sn_body_centre(world, bob);
    assert_int_equal(sn_world_save_state(world, broken, size, NULL), SN_OK);
    uint64_t broken_hash = sn_world_hash(world);
    advance(world, 1e-3, 100);
    sn_vec3 fell = sn_body_centre(world, bob);
    assert_true(fabs(fell.x - (p.x + 0.1 * v.x)) < 1e-9);
    assert_true(fabs(fell.z - (p.z + 0.1 * v.z - 0.5 * 9.81 * 0.01)) < 1e-9);
    uint64_t end = sn_world_hash(world);
    // Back to before the break and forward again, and to after it, to the bit.
    assert_int_equal(sn_world_load_state(world, whole, size, NULL), SN_OK);
    assert_true(sn_world_hash(world) == whole_hash);
    assert_false(sn_joint_is_broken(world, joint));
    while (!sn_joint_is_broken(world, joint)) {
        advance(world, 1e-3, 1);
    }
    assert_true(sn_world_hash(world) == broken_hash);
    assert_int_equal(sn_world_load_state(world, broken, size, NULL), SN_OK);
    advance(world, 1e-3, 100);
    assert_true(sn_world_hash(world) == end);
    sn_world *copy = NULL;
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    advance(world, 1e-3, 5);
    advance(copy, 1e-3, 5);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    sn_world_destroy(copy);
    sn_world_destroy(world);
    free(whole);
    free(broken);
}

// Angles count whole turns, also when another joint breaks and all is put together anew.
static void turns_are_counted_across_a_break(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_body wheel = add_mass(world, "wheel", SN_VEC3_ZERO, 1.0, sn_vec3_make(0.1, 0.1, 0.1)),
            lump = add_mass(world, "lump", sn_vec3_make(0.3, 0, 0), 0.1,
                            sn_vec3_make(1e-3, 1e-3, 1e-3));
    assert_int_equal(sn_body_set_velocity(world, wheel, SN_VEC3_ZERO, sn_vec3_make(0, 30, 0), NULL),
                     SN_OK);
    sn_joint axle = add_hinge(world, "axle", ground, wheel, SN_VEC3_ZERO);
    sn_joint_def def = joint_at(world, "glue", SN_JOINT_BALL, wheel, lump, sn_vec3_make(0.3, 0, 0),
                                sn_vec3_make(0, 1, 0));
    def.breakable = true;
    sn_joint glue = add(world, &def);
    advance(world, 1e-3, 1000);
    double before = sn_joint_position(world, axle, 0), rate = sn_joint_velocity(world, axle, 0);
    assert_true(before > 4.0 * SN_PI);
    assert_int_equal(sn_joint_break(world, glue, NULL), SN_OK);
    assert_true(fabs(sn_joint_position(world, axle, 0) - before) < 1e-9);
    advance(world, 1e-3, 10);
    assert_true(fabs(sn_joint_position(world, axle, 0) - before - 0.01 * rate) < 1e-6);
    sn_world_destroy(world);
}

// ---- steering ----

static void freedoms_can_be_taken_over_and_let_go(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
    sn_body upper = add_rod(world, "upper", SN_VEC3_ZERO, sn_vec3_make(1, 0, 0), 1.0),
            lower = add_rod(world, "lower", sn_vec3_make(1, 0, 0), sn_vec3_make(2, 0, 0), 1.0);
    sn_joint a = add_hinge(world, "a", ground, upper, SN_VEC3_ZERO),
             b = add_hinge(world, "b", upper, lower, sn_vec3_make(1, 0, 0));
    advance(world, 1e-3, 200);
    sn_drive_def drive = sn_joint_drive(world, a, 0);
    assert_int_equal(drive.type, SN_DRIVE_NONE);
    drive.type = SN_DRIVE_MOTION;
    drive.target = 0.0;
    sn_error error = {0};
    assert_int_equal(sn_joint_set_drive(world, a, 0, &drive, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "a");
    drive.target = sn_joint_position(world, a, 0);
    assert_int_equal(sn_joint_set_drive(world, a, 0, &drive, &error), SN_OK);
    assert_int_equal(sn_world_freedom_count(world), 1);
    double held = drive.target, moved = sn_joint_position(world, b, 0);
    advance(world, 1e-3, 300);
    assert_true(fabs(sn_joint_position(world, a, 0) - held) < 1e-12);
    assert_true(fabs(sn_joint_position(world, b, 0) - moved) > 0.1);
    assert_true(fabs(sn_joint_drive_force(world, a, 0)) > 1.0);
    drive.type = SN_DRIVE_NONE;
    assert_int_equal(sn_joint_set_drive(world, a, 0, &drive, &error), SN_OK);
    advance(world, 1e-3, 300);
    assert_true(fabs(sn_joint_position(world, a, 0) - held) > 0.05);
    assert_int_equal(sn_joint_set_target(world, (sn_joint){99, 1}, 0, 0.0, &error),
                     SN_ERROR_HANDLE);
    assert_int_equal(sn_joint_set_target(world, a, 1, 0.0, &error), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static void forces_in_freedoms_last_a_step(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_body wheel = add_mass(world, "wheel", SN_VEC3_ZERO, 1.0, sn_vec3_make(0.3, 0.5, 0.3));
    sn_joint axle = add_hinge(world, "axle", ground, wheel, SN_VEC3_ZERO);
    advance(world, 1e-3, 1);
    sn_joint_add_force(world, axle, 0, 10.0);
    advance(world, 1e-3, 5);
    assert_true(fabs(sn_joint_velocity(world, axle, 0) - 10.0 * 1e-3 / 0.5) < 1e-9);
    sn_world_destroy(world);
}

// ---- what is refused ----

static void contradictions_are_refused_by_name(void **state)
{
    (void)state;
    sn_error error = {0};
    // A triangle whose last corner is 0.4 m too far away to close.
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
    sn_body a = add_rod(world, "a", SN_VEC3_ZERO, sn_vec3_make(1, 0, 0), 1.0),
            b = add_rod(world, "b", sn_vec3_make(1, 0, 0), sn_vec3_make(2, 0, 0), 1.0);
    add_hinge(world, "one", ground, a, SN_VEC3_ZERO);
    add_hinge(world, "two", a, b, sn_vec3_make(1, 0, 0));
    sn_joint_def def = joint_at(world, "three", SN_JOINT_HINGE, ground, b, sn_vec3_make(2, 0, 0),
                                sn_vec3_make(0, 1, 0));
    def.parent_frame.position.x = 2.4;
    add(world, &def);
    sn_vec3 before = sn_body_centre(world, b);
    assert_int_equal(sn_world_step(world, 1e-3, &error), SN_ERROR_ARGUMENT);
    print_message("%s: %s\n", error.place, error.text);
    assert_non_null(strstr(error.text, "0.4 m"));
    assert_true(sn_distance(before, sn_body_centre(world, b)) < 1e-12);
    sn_world_destroy(world);
    // A limit that is crossed at the start.
    world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
    a = add_rod(world, "a", SN_VEC3_ZERO, sn_vec3_make(1, 0, 0), 1.0);
    def = joint_at(world, "knee", SN_JOINT_HINGE, ground, a, SN_VEC3_ZERO, sn_vec3_make(0, 1, 0));
    def.freedom[0].limit.lower = 0.2;
    def.freedom[0].limit.upper = 1.0;
    add(world, &def);
    assert_int_equal(sn_world_step(world, 1e-3, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "knee");
    assert_non_null(strstr(error.text, "0.2"));
    sn_world_destroy(world);
    // Two motions that fight: both ends of a parallelogram are to stand at different angles.
    world = make_four_bars(1, SN_POLICY_LOCKSTEP, 1e-9, false);
    sn_drive_def drive = sn_joint_drive(world, sn_world_find_joint(world, "foot 0"), 0);
    drive.type = SN_DRIVE_MOTION;
    assert_int_equal(
        sn_joint_set_drive(world, sn_world_find_joint(world, "foot 0"), 0, &drive, &error), SN_OK);
    drive.target = 0.3;
    assert_int_equal(
        sn_joint_set_drive(world, sn_world_find_joint(world, "foot 1"), 0, &drive, &error), SN_OK);
    assert_int_equal(sn_world_step(world, 1e-3, &error), SN_ERROR_ARGUMENT);
    print_message("%s: %s\n", error.place, error.text);
    assert_true(strncmp(error.place, "foot", 4) == 0 || strncmp(error.place, "right", 5) == 0 ||
                strncmp(error.place, "left", 4) == 0);
    sn_world_destroy(world);
}

static void loops_close_from_nearby(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
    sn_body a = add_rod(world, "a", SN_VEC3_ZERO, sn_vec3_make(0, 0, 1), 1.0),
            b = add_rod(world, "b", sn_vec3_make(0, 0, 1), sn_vec3_make(1, 0, 1), 1.0);
    add_hinge(world, "one", ground, a, SN_VEC3_ZERO);
    add_hinge(world, "two", a, b, sn_vec3_make(0, 0, 1));
    sn_joint_def def = joint_at(world, "three", SN_JOINT_HINGE, ground, b, sn_vec3_make(1, 0, 1),
                                sn_vec3_make(0, 1, 0));
    def.parent_frame.position.x += 0.05;
    def.parent_frame.position.z -= 0.1;
    sn_joint three = add(world, &def);
    sn_error error = {0};
    assert_int_equal(sn_world_assemble(world, &error), SN_OK);
    assert_true(gap(world, three) < 1e-12);
    assert_int_equal(sn_world_freedom_count(world), 0);
    sn_world_destroy(world);
}

static void lack_of_memory_is_harmless(void **state)
{
    (void)state;
    int failed = 0;
    for (int n = 0; n < 400; n += 3) {
        sn_world *world = make_four_bars(1, SN_POLICY_LOCKSTEP, 1e-9, false), *copy = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_world_step(world, 1e-3, &error);
        status = status == SN_OK ? sn_world_copy(world, &copy, &error) : status;
        sn_allocation_fail_after(-1);
        if (status != SN_OK && status != SN_ERROR_MEMORY) {
            fail_msg("%d: %s: %s", n, error.place, error.text);
        }
        failed += status != SN_OK;
        advance(world, 1e-3, 3);
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_may_run_towards_the_ground),
        cmocka_unit_test(backward_joints_keep_their_meaning),
        cmocka_unit_test(four_bars_follow_the_published_values),
        cmocka_unit_test(loops_keep_energy_and_stay_closed),
        cmocka_unit_test(steps_too_long_for_loops_go_in_parts),
        cmocka_unit_test(a_door_may_have_three_hinges),
        cmocka_unit_test(a_prescribed_crank_tells_its_torque),
        cmocka_unit_test(what_acts_in_a_closing_joint_counts),
        cmocka_unit_test(couplings_turn_freedoms_together),
        cmocka_unit_test(reactions_carry_the_weight),
        cmocka_unit_test(welds_carry_the_same_either_way),
        cmocka_unit_test(joints_break_where_they_carry_too_much),
        cmocka_unit_test(turns_are_counted_across_a_break),
        cmocka_unit_test(freedoms_can_be_taken_over_and_let_go),
        cmocka_unit_test(forces_in_freedoms_last_a_step),
        cmocka_unit_test(contradictions_are_refused_by_name),
        cmocka_unit_test(loops_close_from_nearby),
        cmocka_unit_test(lack_of_memory_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
