// Mechanisms: pendulums against published values, a long chaotic run of the default integrator,
// and small swings of a hanging double pendulum.
#include <math.h>

#include "verify_loops.h"

// ---- pendulums of point masses ----

enum { MOST_BOBS = 2 };

typedef struct pendulum_def {
    int count;
    double mass[MOST_BOBS], length[MOST_BOBS];
    double angle[MOST_BOBS]; // of each rod from hanging straight down, towards +x
    sn_policy policy;
} pendulum_def;

typedef struct pendulum {
    sn_world *world;
    int count;
    sn_body bobs[MOST_BOBS];
    sn_joint joints[MOST_BOBS];
    sn_joint_def defs[MOST_BOBS];
} pendulum;

// A quarter turn about x takes z to -y: angles about that axis count from straight down towards +x.
static const sn_quat hinge_axis = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};

// A point mass; its frame has z along its rod, to the hinge above it.
static sn_status add_bob(pendulum *p, const pendulum_def *def, sn_vec3 hinge, sn_error *error)
{
    int i = p->count;
    double length = def->length[i], angle = def->angle[i];
    sn_body_def body = sn_default_body_def();
    body.mass.mass = def->mass[i];
    body.mass.inertia = sn_mat3_diagonal(sn_vec3_make(1e-12, 1e-12, 1e-12));
    body.frame.position =
        sn_vec3_add(hinge, sn_vec3_make(length * sin(angle), 0.0, -length * cos(angle)));
    body.frame.rotation = (sn_quat){cos(0.5 * angle), 0.0, -sin(0.5 * angle), 0.0};
    sn_status status = sn_world_add_body(p->world, &body, &p->bobs[i], error);
    if (status != SN_OK) {
        return status;
    }
    sn_joint_def joint = sn_default_joint_def();
    joint.type = SN_JOINT_HINGE;
    joint.parent = i > 0 ? p->bobs[i - 1] : (sn_body){0};
    joint.child = p->bobs[i];
    joint.parent_frame.rotation = hinge_axis;
    joint.child_frame = (sn_transform){sn_vec3_make(0.0, 0.0, length), hinge_axis};
    p->defs[i] = joint;
    p->count += 1;
    return sn_world_add_joint(p->world, &joint, &p->joints[i], error);
}

static sn_status make_pendulum(const pendulum_def *def, pendulum *p, sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.policy = def->policy;
    world_def.relative_tolerance = 1e-12;
    world_def.absolute_tolerance = 1e-14;
    *p = (pendulum){0};
    sn_status status = sn_world_create(&world_def, &p->world, error);
    sn_vec3 hinge = SN_VEC3_ZERO;
    for (int i = 0; i < def->count && status == SN_OK; ++i) {
        status = add_bob(p, def, hinge, error);
        hinge = sn_body_transform(p->world, p->bobs[i]).position;
    }
    return status == SN_OK ? sn_world_assemble(p->world, error) : status;
}

static sn_status advance(sn_world *world, double h, int steps, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
    }
    return status;
}

// How far the two frames of a joint are apart, the worst of all joints.
static double joint_gap(const pendulum *p)
{
    double gap = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const sn_joint_def *def = &p->defs[i];
        sn_vec3 above = sn_transform_point(sn_body_transform(p->world, def->parent),
                                           def->parent_frame.position);
        sn_vec3 below =
            sn_transform_point(sn_body_transform(p->world, def->child), def->child_frame.position);
        gap = fmax(gap, sn_distance(above, below));
    }
    return gap;
}

// ---- published positions, precise ----

typedef struct published {
    int tenths; // of a second
    double x, z;
} published;

static void compare_places(sn_verify *verify, const pendulum_def *def, const published *table,
                           int count)
{
    sn_error error = {0};
    pendulum p;
    sn_status status = make_pendulum(def, &p, &error);
    double gap = 0.0;
    for (int i = 0, now = 0; i < count && status == SN_OK; ++i) {
        status = advance(p.world, 0.1, table[i].tenths - now, &error);
        now = table[i].tenths;
        sn_vec3 tip = sn_body_centre(p.world, p.bobs[p.count - 1]);
        char what[32];
        snprintf(what, sizeof what, "x at %g s", 0.1 * now);
        sn_verify_near(verify, what, table[i].x, tip.x, 1e-9);
        snprintf(what, sizeof what, "z at %g s", 0.1 * now);
        sn_verify_near(verify, what, table[i].z, tip.z, 1e-9);
        gap = fmax(gap, joint_gap(&p));
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        sn_verify_row(verify, "joints apart, m", 0.0, gap, gap, 1e-10);
    }
    sn_world_destroy(p.world);
}

static void simple_pendulum(sn_verify *verify)
{
    static const pendulum_def def = {.count = 1,
                                     .mass = {1.0},
                                     .length = {1.0},
                                     .angle = {-0.5 * SN_PI},
                                     .policy = SN_POLICY_PRECISE};
    static const published table[] = {{10, 0.9862917511318753, -0.1650108531255412},
                                      {50, -0.9423054350437573, -0.3347543384140006},
                                      {100, -0.2750874625761169, -0.9614192050991251}};
    compare_places(verify, &def, table, 3);
}

static const pendulum_def double_def = {.count = 2,
                                        .mass = {1.0, 1.0},
                                        .length = {1.0, 1.0},
                                        .angle = {0.5 * SN_PI, 0.5 * SN_PI},
                                        .policy = SN_POLICY_PRECISE};

static void double_pendulum(sn_verify *verify)
{
    static const published table[] = {{5, 1.473465670052, -1.200389435184},
                                      {10, -1.444818849943, -1.321794461381},
                                      {20, -1.434124817464, -1.129870195647},
                                      {30, 1.876250850682, -0.224038497913}};
    compare_places(verify, &double_def, table, 4);
}

// ---- a long run of the default integrator ----

enum { STEPS = 100000 };

// Energy in units of 3 g m l, the most the two weights could fall by; at the start it is zero.
static void double_pendulum_energy(sn_verify *verify)
{
    sn_error error = {0};
    pendulum p;
    pendulum_def def = double_def;
    def.policy = SN_POLICY_LOCKSTEP;
    sn_status status = make_pendulum(&def, &p, &error);
    double unit = 3.0 * 9.81, start = sn_world_energy(p.world).total / unit;
    double worst = 0.0, gap = 0.0, sum_xy = 0.0, sum_xx = 0.0;
    for (int i = 0; i < STEPS && status == SN_OK; ++i) {
        status = sn_world_step(p.world, 1e-3, &error);
        double y = sn_world_energy(p.world).total / unit - start;
        double x = (i + 0.5) / STEPS - 0.5; // its mean is zero, so the line's slope is Sxy / Sxx
        sum_xy += x * y;
        sum_xx += x * x;
        worst = fmax(worst, fabs(y));
        gap = fmax(gap, joint_gap(&p));
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        double trend = sum_xy / sum_xx;
        sn_verify_row(verify, "largest energy error", 0.0, worst, worst, 1e-4);
        sn_verify_row(verify, "trend of the energy over the run", 0.0, trend, fabs(trend), 1e-5);
        sn_verify_row(verify, "joints apart, m", 0.0, gap, gap, 1e-10);
    }
    sn_world_destroy(p.world);
}

// ---- small swings ----

// Swings of frequency w in one mode keep their shape: the lower rod's equation of motion,
// L2 a2'' + L1 a1'' + g a2 = 0, gives a2 / a1 = L1 w^2 / (g - L2 w^2). The upper rod is started
// with it, and the times at which it passes the middle are located.
static sn_status measure_swing(const pendulum_def *def, double *frequency, sn_error *error)
{
    enum { SWINGS = 20 };
    pendulum p;
    sn_status status = make_pendulum(def, &p, error);
    sn_event_def event_def = sn_default_event_def();
    sn_event event;
    event_def.name = "middle";
    event_def.probe = (sn_probe){.joint = p.joints[0], .quantity = SN_QUANTITY_JOINT_POSITION};
    if (status == SN_OK) {
        status = sn_world_add_event(p.world, &event_def, &event, error);
    }
    double half = SN_PI / *frequency;
    for (int i = 0; i < SWINGS && status == SN_OK; ++i) {
        status = sn_world_step(p.world, half, error);
    }
    int count = status == SN_OK ? sn_world_event_count(p.world) : 0;
    *frequency = NAN;
    if (count > SWINGS / 2) {
        double first = sn_world_event_entry(p.world, 0).time;
        double last = sn_world_event_entry(p.world, count - 1).time;
        *frequency = SN_PI * (count - 1) / (last - first);
    }
    sn_world_destroy(p.world);
    return status;
}

static void small_swings(sn_verify *verify)
{
    static const struct {
        double mass[2], length[2], frequency[2];
    } table[] = {{{1, 1}, {1, 1}, {2.397199, 5.787351}},
                 {{600, 10000}, {20, 3}, {0.655207, 8.124420}},
                 {{300, 300}, {20, 2}, {0.682668, 3.213248}}};
    for (int i = 0; i < 3; ++i) {
        for (int mode = 0; mode < 2; ++mode) {
            sn_error error = {0};
            double w = table[i].frequency[mode];
            const double *l = table[i].length;
            double shape = l[0] * w * w / (9.81 - l[1] * w * w), most = fmax(1.0, fabs(shape));
            pendulum_def def = {.count = 2,
                                .mass = {table[i].mass[0], table[i].mass[1]},
                                .length = {l[0], l[1]},
                                .angle = {1e-3 / most, 1e-3 * shape / most},
                                .policy = SN_POLICY_PRECISE};
            double measured = w;
            if (measure_swing(&def, &measured, &error) != SN_OK) {
                sn_verify_broken(verify, &error);
                return;
            }
            char what[96];
            snprintf(what, sizeof what, "(%g, %g, %g, %g) omega %d", table[i].mass[0],
                     table[i].mass[1], l[0], l[1], mode + 1);
            sn_verify_relative(verify, what, w, measured, 1e-4);
        }
    }
}

static const sn_verify_case cases[] = {
    {"simple pendulum, precise", simple_pendulum},
    {"double pendulum, precise", double_pendulum},
    {"double pendulum, 100 s at 1 ms", double_pendulum_energy},
    {"hanging double pendulum", small_swings},
    {"two four-bars, precise", sn_verify_two_four_bars},
    {"forty four-bars, precise", sn_verify_forty_four_bars, .slow = true},
    {"Andrews' squeezer, precise", sn_verify_andrews},
};

const sn_verify_group sn_verify_articulated = {
    "articulated", "mechanisms: pendulums, kept energy, small swings, loops", cases,
    sizeof cases / sizeof cases[0]};
