// What acts in a freedom, as it is reported: of prescribed motions the whole force of the drive,
// against closed forms, against the same robot without what resists, and by the balance of power.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jointed_world.h"
#include "random_vector.h"
#include "sanitized.h"

static const sn_body ground = {0};
static const sn_policy policies[] = {SN_POLICY_LOCKSTEP, SN_POLICY_PRECISE};

// A motion by points; `rate`: of both ends.
static sn_motion *make_motion(sn_motion_type type, const double *times, const double *values,
                              int count, double rate)
{
    sn_motion_def def = sn_default_motion_def();
    def.type = type;
    def.times = times;
    def.values = values;
    def.count = count;
    def.start_rate = type == SN_MOTION_SPLINE ? rate : NAN;
    def.end_rate = def.start_rate;
    sn_motion *motion = NULL;
    assert_int_equal(sn_motion_create(&def, &motion, NULL), SN_OK);
    return motion;
}

// From 0 at a rate, without end.
static void prescribe_rate(sn_freedom_def *freedom, double rate)
{
    const double times[] = {0.0, 1e3}, values[] = {0.0, 1e3 * rate};
    freedom->drive.type = SN_DRIVE_MOTION;
    freedom->drive.motion = make_motion(SN_MOTION_LINEAR, times, values, 2, 0.0);
}

static void release_motions(sn_joint_def *def)
{
    for (int k = 0; k < 6; ++k) {
        sn_motion_release(def->freedom[k].drive.motion);
        def->freedom[k].drive.motion = NULL;
    }
}

static void near(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s: %.12g, expected %.12g", what, value, expected);
    }
}

// ---- one freedom ----

// A wheel that a hinge turns, or a block that a slider lifts.
static sn_joint add_driven(sn_world *world, sn_joint_type type, sn_freedom_def freedom)
{
    sn_body body = add_mass(world, "body", SN_VEC3_ZERO, 2.0, sn_vec3_make(0.3, 0.3, 0.3));
    sn_joint_def def =
        joint_at(world, "joint", type, ground, body, SN_VEC3_ZERO, sn_vec3_make(0, 0, 1));
    def.freedom[0] = freedom;
    sn_joint joint = add(world, &def);
    release_motions(&def);
    return joint;
}

static void a_turned_hinge_reports_friction_and_damping(void **state)
{
    (void)state;
    for (int p = 0; p < 2; ++p) {
        for (int way = -1; way <= 1; way += 2) {
            sn_world *world = make_world(policies[p], down, 1e-10);
            sn_freedom_def freedom = sn_default_freedom_def();
            freedom.friction = 0.5;
            freedom.damping = 0.1;
            prescribe_rate(&freedom, way * 1.0);
            sn_joint joint = add_driven(world, SN_JOINT_HINGE, freedom);
            advance(world, 0.01, 20);
            near(sn_joint_drive_force(world, joint, 0), way * 0.6, 1e-9, "drive");
            near(sn_joint_friction_force(world, joint, 0), way * -0.5, 1e-9, "friction");
            near(sn_joint_limit_force(world, joint, 0), 0.0, 1e-12, "limit");
            sn_world_destroy(world);
        }
    }
}

// What stands still is held by friction as far as that goes, the rest is the drive's.
static void a_motion_that_stands_leaves_friction_its_share(void **state)
{
    (void)state;
    const double weight = 2.0 * 9.81;
    for (int p = 0; p < 2; ++p) {
        for (int i = 0; i < 2; ++i) {
            double friction = i == 0 ? 5.0 : 30.0;
            sn_world *world = make_world(policies[p], down, 1e-10);
            sn_freedom_def freedom = sn_default_freedom_def();
            freedom.friction = friction;
            prescribe_rate(&freedom, 0.0);
            sn_joint joint = add_driven(world, SN_JOINT_SLIDER, freedom);
            advance(world, 0.01, 20);
            near(sn_joint_drive_force(world, joint, 0), fmax(0.0, weight - friction), 1e-9,
                 "drive");
            near(sn_joint_friction_force(world, joint, 0), fmin(weight, friction), 1e-9,
                 "friction");
            sn_world_destroy(world);
        }
    }
}

// A slider driven into a soft limit, past its spring: each force by its law.
static void a_motion_presses_springs_and_soft_limits(void **state)
{
    (void)state;
    const double k = 200.0, c = 3.0, edge = 0.05, rate = 0.5, spring = 40.0, weight = 2.0 * 9.81;
    for (int p = 0; p < 2; ++p) {
        for (int way = -1; way <= 1; way += 2) {
            sn_world *world = make_world(policies[p], down, 1e-10);
            sn_freedom_def freedom = sn_default_freedom_def();
            freedom.stiffness = spring;
            freedom.rest = 0.02;
            freedom.limit.upper = edge;
            freedom.limit.lower = -edge;
            freedom.limit.stiffness = k;
            freedom.limit.damping = c;
            prescribe_rate(&freedom, way * rate);
            sn_joint joint = add_driven(world, SN_JOINT_SLIDER, freedom);
            const double h = 0.001;
            for (int i = 1; i <= 200; ++i) {
                advance(world, h, 1);
                // The mean of a step is that of its middle.
                double t = sn_world_time(world) - (p == 0 ? 0.5 * h : 0.0), x = rate * t;
                double press = x > edge ? k * (x - edge) + c * rate : 0.0;
                if (i == 1 || fabs(x - edge) < 1.01 * h * rate) {
                    continue; // it sets out at once, and the damper comes in at once
                }
                near(sn_joint_limit_force(world, joint, 0), -way * press, 1e-8, "limit");
                near(sn_joint_drive_force(world, joint, 0),
                     weight + way * press + spring * (way * x - 0.02), 1e-7, "drive");
            }
            sn_world_destroy(world);
        }
    }
}

// ---- robots ----

enum { BODIES = 6 };

typedef struct robot {
    sn_world *world;
    int count;
    sn_body body[BODIES];
    sn_joint joint[BODIES];
    sn_joint_def def[BODIES];
} robot;

typedef enum acting {
    BARE,     // prescribed motions alone
    RESISTED, // and springs, dampers, friction and soft limits
    MIXED,    // some freedoms prescribed, others under drives, or free
} acting;

static const sn_joint_type kinds[] = {SN_JOINT_HINGE,       SN_JOINT_SLIDER,    SN_JOINT_SCREW,
                                      SN_JOINT_CYLINDRICAL, SN_JOINT_UNIVERSAL, SN_JOINT_BALL,
                                      SN_JOINT_PLANAR,      SN_JOINT_FREE};
enum { KINDS = sizeof kinds / sizeof *kinds };

static sn_body add_random_body(sn_world *world, sn_random *random, int number)
{
    char name[20];
    snprintf(name, sizeof name, "body %d", number);
    sn_body_def def = sn_default_body_def();
    double a = sn_random_range(random, 0.02, 0.05), b = sn_random_range(random, 0.02, 0.05);
    double c = sn_random_range(random, 0.03, 0.04);
    def.name = name;
    def.frame.position = random_vector(random, 0.4);
    def.frame.rotation = random_rotation(random);
    def.mass.mass = sn_random_range(random, 0.5, 2.0);
    def.mass.centre = random_vector(random, 0.1);
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(a, b, c));
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

// A smooth motion about 0 that starts there at its own rate, and its resistance.
static void fill_freedom(sn_random *random, acting acts, bool ball, int k, sn_freedom_def *freedom)
{
    double times[] = {0.0, 0.3, 0.6, 0.9, 1.2}, values[5] = {0.0};
    for (int i = 1; i < 5; ++i) {
        values[i] = sn_random_range(random, -0.4, 0.4);
    }
    double draw[8];
    for (int i = 0; i < 8; ++i) {
        draw[i] = sn_random_unit(random);
    }
    if (acts != BARE && !(ball && k > 0)) {
        freedom->friction = 0.5 * draw[0];
        freedom->damping = 0.3 * draw[1];
        freedom->stiffness = 8.0 * draw[2];
        freedom->rest = ball ? 0.0 : draw[3] - 0.5;
        freedom->limit.upper = 0.1 * draw[4] + 0.02;
        freedom->limit.lower = ball ? -INFINITY : -0.1 * draw[5];
        freedom->limit.stiffness = 20.0;
        freedom->limit.damping = 0.5 * draw[6];
    }
    bool prescribed = acts != MIXED || draw[7] < 0.5;
    if (prescribed) {
        freedom->drive.type = SN_DRIVE_MOTION;
        freedom->drive.motion = make_motion(SN_MOTION_SPLINE, times, values, 5, NAN);
    } else if (draw[7] < 0.7) {
        freedom->drive.type = SN_DRIVE_POSITION;
        freedom->drive.target = 0.1;
        freedom->drive.stiffness = 10.0;
        freedom->drive.damping = 1.0;
    }
}

static void add_link(robot *r, sn_random *random, sn_joint_type type, int parent, bool reversed,
                     acting acts)
{
    char name[20];
    int i = r->count++;
    r->body[i] = add_random_body(r->world, random, i);
    snprintf(name, sizeof name, "joint %d", i);
    sn_body from = parent < 0 ? ground : r->body[parent];
    sn_vec3 at = random_vector(random, 0.4), axis = sn_normalize(random_vector(random, 1.0));
    sn_joint_def def = joint_at(r->world, name, type, reversed ? r->body[i] : from,
                                reversed ? from : r->body[i], at, axis);
    def.pitch = type == SN_JOINT_SCREW ? 0.1 : 0.0;
    for (int k = 0; k < sn_joint_type_freedoms(type); ++k) {
        bool ball = type == SN_JOINT_BALL || (type == SN_JOINT_FREE && k > 2);
        int own = ball ? k % 3 : k;
        fill_freedom(random, acts, ball, own, &def.freedom[k]);
    }
    r->joint[i] = add(r->world, &def);
    r->def[i] = def;
}

static void end_robot(robot *r)
{
    sn_world_destroy(r->world);
    for (int i = 0; i < r->count; ++i) {
        release_motions(&r->def[i]);
    }
}

// One kind of joint between two links, the first on a prescribed hinge.
static robot make_pair(sn_policy policy, uint64_t seed, sn_joint_type type, bool reversed,
                       acting acts)
{
    sn_random random = {.seed = seed};
    robot r = {.world = make_world(policy, down, 1e-11)};
    add_link(&r, &random, SN_JOINT_HINGE, -1, false, acts);
    add_link(&r, &random, type, 0, reversed, acts);
    return r;
}

// Where the spring, damper, friction and limit of a freedom are given: those of a ball in its
// first.
static const sn_freedom_def *acts_in(const robot *r, int i, int k)
{
    sn_joint_type type = r->def[i].type;
    int first = type == SN_JOINT_BALL ? 0 : (type == SN_JOINT_FREE && k > 2 ? 3 : k);
    return &r->def[i].freedom[first];
}

// Position and velocity of a freedom.
typedef struct coordinate {
    double x, v;
} coordinate;

static coordinate read_freedom(const robot *r, int i, int k)
{
    return (coordinate){sn_joint_position(r->world, r->joint[i], k),
                        sn_joint_velocity(r->world, r->joint[i], k)};
}

// What is reported of the freedoms of one joint after a step, by the same robot with nothing but
// motions: the drive has the rest of the forces to overcome. Gives the largest difference.
static double compare(const robot *bare, const robot *full, int i, const coordinate before[6],
                      double share)
{
    double worst = 0.0;
    for (int k = 0; k < sn_joint_type_freedoms(full->def[i].type); ++k) {
        const sn_freedom_def *own = acts_in(full, i, k);
        coordinate now = read_freedom(full, i, k);
        // Means of the step, or at its end.
        double x = share * before[k].x + (1.0 - share) * now.x;
        double v = share * before[k].v + (1.0 - share) * now.v;
        double drive = sn_joint_drive_force(bare->world, bare->joint[i], k);
        drive += own->stiffness * (x - own->rest) + own->damping * v;
        drive -= sn_joint_friction_force(full->world, full->joint[i], k);
        drive -= sn_joint_limit_force(full->world, full->joint[i], k);
        worst = fmax(worst, fabs(sn_joint_drive_force(full->world, full->joint[i], k) - drive));
    }
    return worst;
}

// Friction against the motion, and soft limits by their law: of what is no ball, freedom by
// freedom.
static double compare_laws(const robot *full, int i, const coordinate before[6], double share)
{
    double worst = 0.0;
    for (int k = 0; k < sn_joint_type_freedoms(full->def[i].type); ++k) {
        const sn_freedom_def *own = acts_in(full, i, k);
        const sn_limit_def *limit = &own->limit;
        coordinate now = read_freedom(full, i, k);
        double x = share * before[k].x + (1.0 - share) * now.x;
        double v = share * before[k].v + (1.0 - share) * now.v, press = 0.0;
        if (sn_joint_type_freedoms(full->def[i].type) != k + 1 && acts_in(full, i, k + 1) == own) {
            break;
        }
        if (x > limit->upper) {
            press = fmin(0.0, -limit->stiffness * (x - limit->upper) - limit->damping * v);
        } else if (x < limit->lower) {
            press = fmax(0.0, -limit->stiffness * (x - limit->lower) - limit->damping * v);
        }
        bool near_edge = fabs(x - limit->upper) < 0.005 || fabs(x - limit->lower) < 0.005;
        if (!near_edge && fabs(v) > 0.02) { // away from where they jump
            worst = fmax(worst, fabs(sn_joint_limit_force(full->world, full->joint[i], k) - press));
            double friction = v > 0.0 ? -own->friction : own->friction;
            worst = fmax(worst,
                         fabs(sn_joint_friction_force(full->world, full->joint[i], k) - friction));
        }
    }
    return worst;
}

// Over 0.6 s; the first step, in which what rested is set going, is passed over.
static double run_pair(sn_policy policy, sn_joint_type type, bool reversed, double h, double *laws)
{
    robot bare = make_pair(policy, 5, type, reversed, BARE);
    robot full = make_pair(policy, 5, type, reversed, RESISTED);
    double worst = 0.0, share = policy == SN_POLICY_LOCKSTEP ? 0.5 : 0.0;
    coordinate before[2][6];
    *laws = 0.0;
    for (int step = 0; step * h < 0.6; ++step) {
        advance(bare.world, h, 1);
        advance(full.world, h, 1);
        for (int i = 0; i < 2; ++i) {
            if (step > 0) {
                worst = fmax(worst, compare(&bare, &full, i, before[i], share));
                *laws = fmax(*laws, compare_laws(&full, i, before[i], share));
            }
            for (int k = 0; k < sn_joint_type_freedoms(full.def[i].type); ++k) {
                before[i][k] = read_freedom(&full, i, k);
            }
        }
    }
    end_robot(&bare);
    end_robot(&full);
    return worst;
}

static void every_kind_of_joint_reports_the_whole_force(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; ++i) {
        for (int reversed = 0; reversed < 2; ++reversed) {
            double laws[3];
            double exact = run_pair(SN_POLICY_PRECISE, kinds[i], reversed, 0.01, &laws[0]);
            double coarse = run_pair(SN_POLICY_LOCKSTEP, kinds[i], reversed, 0.002, &laws[1]);
            double fine = run_pair(SN_POLICY_LOCKSTEP, kinds[i], reversed, 0.001, &laws[2]);
            // Of second order; where they jump, the middle of a step does not say all.
            assert_true(exact < 1e-11 && laws[0] < 1e-11);
            assert_true(coarse < 2e-4 && fine < 0.3 * coarse);
            assert_true(laws[1] < 3e-4 && laws[2] < 0.3 * laws[1]);
            print_message("%-12s %s: %.1e precise, %.1e and %.1e in steps; laws %.1e %.1e %.1e\n",
                          sn_joint_type_word(kinds[i]), reversed ? "back" : "    ", exact, coarse,
                          fine, laws[0], laws[1], laws[2]);
        }
    }
}

// ---- the balance of power ----

static robot make_robot(sn_policy policy, uint64_t seed)
{
    sn_random random = {.seed = seed};
    robot r = {.world = make_world(policy, down, 1e-11)};
    for (int i = 0; i < BODIES; ++i) {
        int parent = i == 0 ? -1 : sn_random_below(&random, i);
        sn_joint_type type = kinds[sn_random_below(&random, KINDS)];
        bool reversed = i > 0 && sn_random_below(&random, 2) == 1;
        add_link(&r, &random, type, parent, reversed, MIXED);
    }
    return r;
}

// Kinetic energy, and that of weights and of the springs of joints.
static double energy_of(const robot *r)
{
    double energy = sn_world_energy(r->world).kinetic;
    for (int i = 0; i < r->count; ++i) {
        double mass = sn_body_mass_properties(r->world, r->body[i]).mass;
        energy -= mass * sn_dot(down, sn_body_centre(r->world, r->body[i]));
        for (int k = 0; k < sn_joint_type_freedoms(r->def[i].type); ++k) {
            const sn_freedom_def *own = acts_in(r, i, k);
            double stretch = sn_joint_position(r->world, r->joint[i], k) - own->rest;
            energy += 0.5 * own->stiffness * stretch * stretch;
        }
    }
    return energy;
}

// What drives, friction, limits and dampers do, at velocities given freedom by freedom. `gross`:
// the sum of what each of them does.
static double power_of(const robot *r, coordinate (*v)[6], double *gross)
{
    double power = 0.0;
    *gross = 0.0;
    for (int i = 0; i < r->count; ++i) {
        for (int k = 0; k < sn_joint_type_freedoms(r->def[i].type); ++k) {
            double damping = acts_in(r, i, k)->damping * v[i][k].v;
            double force = sn_joint_drive_force(r->world, r->joint[i], k) +
                           sn_joint_friction_force(r->world, r->joint[i], k) +
                           sn_joint_limit_force(r->world, r->joint[i], k) - damping;
            power += force * v[i][k].v;
            *gross += fabs(force * v[i][k].v);
        }
    }
    return power;
}

static void read_all(const robot *r, coordinate (*to)[6])
{
    for (int i = 0; i < r->count; ++i) {
        for (int k = 0; k < sn_joint_type_freedoms(r->def[i].type); ++k) {
            to[i][k] = read_freedom(r, i, k);
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

enum { STEPS = 400 };

// Steps in which something jumps (a limit is reached, a freedom sticks) are off by more: the
// errors' median, with nine tenths below `most`.
static double typical_error(double *errors, int count, double *most)
{
    qsort(errors, (size_t)count, sizeof *errors, compare_numbers);
    *most = errors[(9 * count) / 10];
    return errors[count / 2];
}

static double balance_in_steps(uint64_t seed, double h, double *most)
{
    robot r = make_robot(SN_POLICY_LOCKSTEP, seed);
    coordinate before[BODIES][6], now[BODIES][6];
    double errors[STEPS], gross;
    advance(r.world, h, 2);
    for (int step = 0; step < STEPS; ++step) {
        double energy = energy_of(&r);
        read_all(&r, before);
        advance(r.world, h, 1);
        read_all(&r, now);
        for (int i = 0; i < BODIES; ++i) {
            for (int k = 0; k < 6; ++k) {
                now[i][k].v = 0.5 * (now[i][k].v + before[i][k].v);
            }
        }
        double power = power_of(&r, now, &gross);
        errors[step] = fabs((energy_of(&r) - energy) / h - power) / (1.0 + gross);
    }
    end_robot(&r);
    return typical_error(errors, STEPS, most);
}

// Central differences of the energy about each moment.
static double balance_precisely(uint64_t seed, double *most)
{
    const double h = 2e-4;
    robot r = make_robot(SN_POLICY_PRECISE, seed);
    coordinate now[BODIES][6];
    double errors[STEPS / 4], gross;
    for (int step = 0; step < STEPS / 4; ++step) {
        double before = energy_of(&r);
        advance(r.world, h, 1);
        read_all(&r, now);
        double power = power_of(&r, now, &gross);
        advance(r.world, h, 1);
        errors[step] = fabs((energy_of(&r) - before) / (2.0 * h) - power) / (1.0 + gross);
        advance(r.world, 2e-3, 1);
    }
    end_robot(&r);
    return typical_error(errors, STEPS / 4, most);
}

static void random_robots_balance_their_power(void **state)
{
    (void)state;
    double total[2] = {0.0, 0.0};
    for (int seed = 1; seed <= rounds_of(12, 3); ++seed) {
        double most[3];
        double exact = balance_precisely((uint64_t)seed, &most[0]);
        double coarse = balance_in_steps((uint64_t)seed, 1e-3, &most[1]);
        double fine = balance_in_steps((uint64_t)seed, 5e-4, &most[2]);
        // The differences are of second order.
        assert_true(exact < 1e-5 && most[0] < 1e-4);
        assert_true(coarse < 5e-5 && most[1] < 5e-4);
        total[0] += coarse;
        total[1] += fine;
        print_message("robot %2d: %.1e (%.1e) precise, %.1e (%.1e), %.1e (%.1e) in steps\n", seed,
                      exact, most[0], coarse, most[1], fine, most[2]);
    }
    assert_true(total[1] < 0.4 * total[0]);
}

// ---- steps in parts ----

// A parallelogram of cranks that turns by three radians in a step, which no step follows as a
// whole: what its bearings are reported to have done is the mean, the change of momentum.
static void a_step_in_parts_reports_its_mean(void **state)
{
    (void)state;
    const double h = 0.03, speed = 100.0;
    const sn_vec3 turning = {0, speed, 0},
                  corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0.3}, {1, 0, 0.3}};
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_body left = add_rod(world, "left", corner[0], corner[2], 1.0);
    sn_body right = add_rod(world, "right", corner[1], corner[3], 1.5);
    sn_body bar = add_rod(world, "bar", corner[2], corner[3], 2.0);
    sn_joint bearing[2] = {add_hinge(world, "1", ground, left, corner[0]),
                           add_hinge(world, "2", ground, right, corner[1])};
    add_hinge(world, "3", left, bar, corner[2]);
    add_hinge(world, "4", right, bar, corner[3]);
    sn_vec3 along = sn_cross(turning, corner[2]);
    sn_body_set_velocity(world, left, sn_vec3_scale(0.5, along), turning, NULL);
    sn_body_set_velocity(world, right, sn_vec3_scale(0.5, along), turning, NULL);
    sn_body_set_velocity(world, bar, along, SN_VEC3_ZERO, NULL);
    for (int i = 0; i < 20; ++i) {
        sn_vec3 before = sn_world_momentum(world);
        advance(world, h, 1);
        sn_vec3 change = sn_vec3_sub(sn_world_momentum(world), before);
        sn_vec3 force = sn_vec3_add(sn_joint_reaction(world, bearing[0]).force,
                                    sn_joint_reaction(world, bearing[1]).force);
        double off = sn_distance(force, sn_vec3_scale(1.0 / h, change));
        assert_true(off < 0.03 * sn_length(change) / h);
    }
    sn_world_destroy(world);
}

// ---- centres of mass ----

// A bracket whose mass is 0.3 m beside its origin, welded to the world: its centre, the probes of
// it, and the moment of its weight in the weld.
static void a_welded_body_has_its_centre_of_mass(void **state)
{
    (void)state;
    for (int p = 0; p < 2; ++p) {
        sn_world *world = make_world(policies[p], down, 1e-9);
        sn_body_def def = sn_default_body_def();
        def.name = "bracket";
        def.frame.position = sn_vec3_make(1, 2, 3);
        def.frame.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 0.5 * SN_PI);
        def.mass.mass = 2.0;
        def.mass.centre = sn_vec3_make(0.3, 0, 0);
        def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.1, 0.1));
        sn_body body;
        assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
        sn_joint_def weld = joint_at(world, "weld", SN_JOINT_FIXED, ground, body,
                                     def.frame.position, sn_vec3_make(0, 0, 1));
        sn_joint joint = add(world, &weld);
        advance(world, 0.01, 2);
        const double expected[3] = {1.0, 2.3, 3.0};
        sn_vec3 centre = sn_body_centre(world, body);
        const double found[3] = {centre.x, centre.y, centre.z};
        for (int k = 0; k < 3; ++k) {
            sn_probe probe = {.body = body,
                              .quantity = (sn_quantity)((int)SN_QUANTITY_CENTRE_X + k)};
            near(found[k], expected[k], 1e-15, "centre");
            near(sn_probe_read(world, &probe), expected[k], 1e-15, "probe");
        }
        sn_joint_load load = sn_joint_reaction(world, joint);
        near(load.force.z, 2.0 * 9.81, 1e-12, "force");
        near(load.torque.x, 0.3 * 2.0 * 9.81, 1e-12, "moment");
        near(load.torque.y, 0.0, 1e-12, "moment");
        near(sn_body_energy(world, body).potential, 3.0 * 2.0 * 9.81, 1e-12, "energy");
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_hinge_reports_friction_and_damping),
        cmocka_unit_test(a_motion_that_stands_leaves_friction_its_share),
        cmocka_unit_test(a_motion_presses_springs_and_soft_limits),
        cmocka_unit_test(every_kind_of_joint_reports_the_whole_force),
        cmocka_unit_test(random_robots_balance_their_power),
        cmocka_unit_test(a_step_in_parts_reports_its_mean),
        cmocka_unit_test(a_welded_body_has_its_centre_of_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
