// Rotors that a torque drives: the angular momentum is torque times time, however far a step turns.
// Nothing weighs anything; steps take 1 ms unless a case says otherwise.
#include <math.h>

#include "verify.h"

// Reached at the end by what does not change its shape.
static const double speeds[] = {1e3, 1e4, 1e5}; // rpm
enum { SPEEDS = 3, STEPS = 150 };

typedef struct rotor {
    sn_world *world;
    sn_body body[2];
    sn_joint joint[2];
} rotor;

static double per_second(double rpm)
{
    return rpm * SN_PI / 30.0;
}

// ---- making ----

static const sn_joint_type no_joint = SN_JOINT_FREE; // of bodies that nothing holds

typedef struct part_def {
    sn_joint_type type;
    double mass;
    sn_vec3 inertia, centre; // of mass, from the joint
    sn_vec3 anchor;          // in the part before it, from its centre
    sn_quat axis;            // turns z to the joint's axis, in both
    double pitch, damping;
} part_def;

// A body at `joint` in the world, level; hung on the body before it, or on the world.
static sn_status add_part(rotor *r, int i, const part_def *def, sn_vec3 joint, sn_error *error)
{
    sn_body_def body = sn_default_body_def();
    body.mass.mass = def->mass;
    body.mass.inertia = sn_mat3_diagonal(def->inertia);
    body.frame.position = sn_vec3_add(joint, def->centre);
    sn_status status = sn_world_add_body(r->world, &body, &r->body[i], error);
    if (status != SN_OK || def->type == no_joint) {
        return status;
    }
    sn_joint_def hold = sn_default_joint_def();
    hold.type = def->type;
    hold.parent = i > 0 ? r->body[i - 1] : (sn_body){0};
    hold.child = r->body[i];
    hold.parent_frame = (sn_transform){def->anchor, def->axis};
    hold.child_frame = (sn_transform){sn_vec3_negate(def->centre), def->axis};
    hold.pitch = def->pitch;
    hold.freedom[0].damping = def->damping;
    return sn_world_add_joint(r->world, &hold, &r->joint[i], error);
}

static sn_status make_rotor(rotor *r, const part_def *parts, int count, sn_error *error)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = SN_VEC3_ZERO;
    *r = (rotor){0};
    sn_status status = sn_world_create(&def, &r->world, error);
    sn_vec3 joint = SN_VEC3_ZERO;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        joint = sn_vec3_add(joint, parts[i].anchor);
        status = add_part(r, i, &parts[i], joint, error);
        joint = sn_vec3_add(joint, parts[i].centre);
    }
    return status == SN_OK ? sn_world_assemble(r->world, error) : status;
}

// ---- driving ----

// A torque for `steps` steps: on the first joint, or on the body that has none. Gives the angular
// momentum about the world's z axis.
static sn_status drive(rotor *r, double torque, double h, int steps, double *momentum,
                       sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        if (sn_joint_is_valid(r->world, r->joint[0])) {
            int freedom = sn_joint_get_type(r->world, r->joint[0]) == SN_JOINT_BALL ? 2 : 0;
            sn_joint_add_force(r->world, r->joint[0], freedom, torque);
        } else {
            sn_body_add_torque(r->world, r->body[0], sn_vec3_make(0.0, 0.0, torque));
        }
        status = sn_world_step(r->world, h, error);
    }
    *momentum = status == SN_OK ? sn_world_angular_momentum(r->world).z : NAN;
    return status;
}

typedef struct run_def {
    double inertia; // the torque is what gives each speed to such a moment of inertia
    double turn;    // rad in a step at the end, 0: in steps of 1 ms
    int steps;
    bool by_speed; // compares the first joint's speed, not the angular momentum
} run_def;

static void compare_speeds(sn_verify *verify, const part_def *parts, int count, run_def def)
{
    for (int i = 0; i < SPEEDS; ++i) {
        sn_error error = {0};
        rotor r;
        double speed = per_second(speeds[i]), end = def.inertia * speed, momentum = NAN;
        double h = def.turn > 0.0 ? def.turn / speed : 1e-3;
        sn_status status = make_rotor(&r, parts, count, &error);
        if (status == SN_OK) {
            status = drive(&r, end / (def.steps * h), h, def.steps, &momentum, &error);
        }
        char what[64];
        snprintf(what, sizeof what, "%s at %.0e rpm", def.by_speed ? "rad/s" : "kg m^2/s",
                 speeds[i]);
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
        } else if (def.by_speed) {
            sn_verify_relative(verify, what, speed, sn_joint_velocity(r.world, r.joint[0], 0),
                               1e-9);
        } else {
            sn_verify_relative(verify, what, end, momentum, 1e-9);
        }
        sn_world_destroy(r.world);
    }
}

static void compare_momenta(sn_verify *verify, const part_def *parts, int count, double inertia)
{
    compare_speeds(verify, parts, count, (run_def){.inertia = inertia, .steps = STEPS});
}

// ---- the cases ----

// 10 N m on a disc of pi g m^2 for 0.15, 10 and 30 s: up to 95,493 rad/s.
static const part_def disc = {.type = SN_JOINT_HINGE,
                              .mass = 1.0,
                              .inertia = {2e-3, 2e-3, 1e-3 * SN_PI},
                              .axis = {1.0, 0.0, 0.0, 0.0}};

static void flywheel(sn_verify *verify)
{
    static const int ends[] = {150, 10000, 30000};
    sn_error error = {0};
    rotor r;
    sn_status status = make_rotor(&r, &disc, 1, &error);
    for (int i = 0, done = 0; i < 3 && status == SN_OK; done = ends[i++]) {
        double momentum;
        status = drive(&r, 10.0, 1e-3, ends[i] - done, &momentum, &error);
        char what[64];
        snprintf(what, sizeof what, "kg m^2/s after %g s", 1e-3 * ends[i]);
        sn_verify_relative(verify, what, 1e-2 * ends[i], momentum, 1e-9);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    }
    sn_world_destroy(r.world);
}

static void flywheel_speeds(sn_verify *verify)
{
    compare_momenta(verify, &disc, 1, 1e-3 * SN_PI);
}

// Bars of 1 kg and 1 m; one kind of inertia for all: 1/12 across.
static const sn_vec3 bar_inertia = {1e-4, 1.0 / 12.0, 1.0 / 12.0};

static void centred_bar(sn_verify *verify)
{
    const part_def bar = {
        .type = SN_JOINT_HINGE, .mass = 1.0, .inertia = bar_inertia, .axis = SN_QUAT_IDENTITY};
    compare_momenta(verify, &bar, 1, 1.0 / 12.0);
}

static void bar_at_its_end(sn_verify *verify)
{
    const part_def bar = {.type = SN_JOINT_HINGE,
                          .mass = 1.0,
                          .inertia = bar_inertia,
                          .centre = {0.5, 0.0, 0.0},
                          .axis = SN_QUAT_IDENTITY};
    compare_momenta(verify, &bar, 1, 1.0 / 3.0);
}

// About none of its principal axes: z in a body whose axes are turned by 1 rad about x.
static void slanted_bar(sn_verify *verify)
{
    const sn_vec3 inertia = {0.05, 0.03, 0.07};
    double sine = sin(0.5), cosine = cos(0.5);
    sn_quat axis = {cosine, sine, 0.0, 0.0};
    const part_def bar = {.type = SN_JOINT_HINGE,
                          .mass = 1.0,
                          .inertia = inertia,
                          .centre = {0.2, 0.0, 0.0},
                          .axis = axis};
    double moment = 0.03 * sin(1.0) * sin(1.0) + 0.07 * cos(1.0) * cos(1.0) + 0.04;
    compare_speeds(verify, &bar, 1, (run_def){moment, .steps = STEPS, .by_speed = true});
}

static void screw(sn_verify *verify)
{
    part_def nut = disc;
    nut.type = SN_JOINT_SCREW;
    nut.pitch = 0.003;
    double moment = 1e-3 * SN_PI + nut.mass * nut.pitch * nut.pitch;
    compare_speeds(verify, &nut, 1, (run_def){moment, .steps = STEPS, .by_speed = true});
}

// J v' = torque - c v, through `times` time constants J / c: v = torque / c (1 - exp(-times)).
// Steps of h are wrong by about (c h / J)^2 / 12 times exp(-times).
static void compare_damped(sn_verify *verify, double times, double limit)
{
    part_def braked = disc;
    double inertia = 1e-3 * SN_PI, h = 1e-3;
    braked.damping = times * inertia / (STEPS * h);
    for (int i = 0; i < SPEEDS; ++i) {
        sn_error error = {0};
        rotor r;
        double speed = per_second(speeds[i]), momentum;
        double torque = braked.damping * speed / (1.0 - exp(-times));
        sn_status status = make_rotor(&r, &braked, 1, &error);
        if (status == SN_OK) {
            status = drive(&r, torque, h, STEPS, &momentum, &error);
        }
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
        } else {
            char what[64];
            snprintf(what, sizeof what, "%g time constants, %.0e rpm", times, speeds[i]);
            sn_verify_relative(verify, what, speed, sn_joint_velocity(r.world, r.joint[0], 0),
                               limit);
        }
        sn_world_destroy(r.world);
    }
}

static void damped(sn_verify *verify)
{
    compare_damped(verify, 0.01, 1e-9);
    compare_damped(verify, 2.0, 1e-5);
}

static void on_a_ball(sn_verify *verify)
{
    part_def ball = disc;
    ball.type = SN_JOINT_BALL;
    compare_momenta(verify, &ball, 1, 1e-3 * SN_PI);
    ball.inertia.x = 4e-3; // and one that is not round
    compare_momenta(verify, &ball, 1, 1e-3 * SN_PI);
}

static void free_body(sn_verify *verify)
{
    part_def body = disc;
    body.type = no_joint;
    compare_momenta(verify, &body, 1, 1e-3 * SN_PI);
    body.inertia.x = 4e-3;
    compare_momenta(verify, &body, 1, 1e-3 * SN_PI);
}

// The second one stands across the first and swings about its end as it likes.
static void two_bars(sn_verify *verify)
{
    const part_def bars[2] = {{.type = SN_JOINT_HINGE,
                               .mass = 1.0,
                               .inertia = bar_inertia,
                               .centre = {0.5, 0.0, 0.0},
                               .axis = SN_QUAT_IDENTITY},
                              {.type = SN_JOINT_HINGE,
                               .mass = 1.0,
                               .inertia = {1.0 / 12.0, 1e-4, 1.0 / 12.0},
                               .centre = {0.0, 0.5, 0.0},
                               .anchor = {0.5, 0.0, 0.0},
                               .axis = SN_QUAT_IDENTITY}};
    compare_momenta(verify, bars, 2, 5.0 / 3.0);
}

// A bar that slides along another one, thrown out: 2 rad in 20 steps.
static void sliding_bar(sn_verify *verify)
{
    const part_def bars[2] = {{.type = SN_JOINT_HINGE,
                               .mass = 1.0,
                               .inertia = bar_inertia,
                               .centre = {0.5, 0.0, 0.0},
                               .axis = SN_QUAT_IDENTITY},
                              {.type = SN_JOINT_SLIDER,
                               .mass = 1.0,
                               .inertia = bar_inertia,
                               .centre = {0.2, 0.1, 0.0},
                               .anchor = {0.0, 0.0, 0.0},
                               .axis = {0.70710678118654752, 0.0, 0.70710678118654752, 0.0}}};
    compare_speeds(verify, bars, 2, (run_def){.inertia = 1.0, .turn = 0.1, .steps = 20});
}

static const sn_verify_case cases[] = {
    {"flywheel, 10 N m", flywheel, .slow = true},
    {"flywheel", flywheel_speeds},
    {"centred bar", centred_bar},
    {"bar at its end", bar_at_its_end},
    {"slanted body", slanted_bar},
    {"screw", screw},
    {"damped flywheel", damped},
    {"rotor on a ball", on_a_ball},
    {"free body", free_body},
    {"two hinged bars", two_bars},
    {"hinge and sliding bar", sliding_bar},
};

const sn_verify_group sn_verify_rotors = {"rotors", "torque times time is angular momentum", cases,
                                          sizeof cases / sizeof cases[0]};
