// Contact: a chain that slips round a fixed cylinder, T2 / T1 = exp(friction angle).
#include <math.h>

#include "verify_contact.h"

// KINKS beads, each fixed to the end of a rod, lie on half of a cylinder of radius 1 m; the rods
// between them are hinged at the beads, and from the first and the last hang 1 kg and 3 kg. Each
// bead turns the chain by d = pi / KINKS. With N = (T1 + T2) sin(d/2) and, about the cylinder's
// axis, (T2 - T1) (1 + r) cos(d/2) = friction N, the pull grows by
//
//     (1 + m tan(d/2)) / (1 - m tan(d/2)),  m = friction / (1 + r)
//
// at each, which differs from exp(friction d) by friction d^3 / 12 (1 + friction^2).
enum { KINKS = 24 };

static const double BEAD = 2e-3, FRICTION = 0.3, LIGHT = 1.0, HEAVY = 3.0, ROD = 1e-6;

// A quarter turn about x takes z to -y, the hinges' axis.
static const sn_quat hinge_axis = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};

static sn_vec3 bead_at(int i)
{
    double angle = SN_PI * (i + 0.5) / KINKS, radius = 1.0 + BEAD;
    return sn_vec3_make(radius * cos(angle), 0.0, radius * sin(angle));
}

// Link i goes from bead i - 1 to bead i and carries the latter; the first and the last are loads.
static sn_body add_link(sn_trial *trial, int i)
{
    sn_shape bead = sn_trial_ball(BEAD, FRICTION);
    sn_body_def def = sn_default_body_def();
    bool load = i == 0 || i == KINKS;
    sn_vec3 end = bead_at(i < KINKS ? i : KINKS - 1);
    double mass = i == 0 ? LIGHT : i == KINKS ? HEAVY : ROD;
    double size = load ? 0.1 : SN_PI / KINKS, moment = mass * size * size / 12.0;
    def.frame.position = load ? sn_vec3_make(end.x, 0.0, -0.5) : end;
    bead.frame.position = sn_vec3_sub(end, def.frame.position);
    def.shapes = &bead;
    def.shape_count = i < KINKS ? 1 : 0;
    def.mass.mass = mass;
    def.mass.centre =
        load ? SN_VEC3_ZERO : sn_vec3_scale(0.5, sn_vec3_sub(bead_at(i - 1), def.frame.position));
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(moment, moment, moment));
    return sn_trial_add_def(trial, &def);
}

static void add_hinge(sn_trial *trial, sn_body parent, sn_body child, sn_vec3 at)
{
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    def.type = SN_JOINT_HINGE;
    def.parent = parent;
    def.child = child;
    def.parent_frame = (sn_transform){
        sn_vec3_sub(at, sn_body_transform(trial->world, parent).position), hinge_axis};
    def.child_frame = (sn_transform){
        sn_vec3_sub(at, sn_body_transform(trial->world, child).position), hinge_axis};
    if (trial->status == SN_OK) {
        trial->status = sn_world_add_joint(trial->world, &def, &joint, &trial->error);
    }
}

// From the loads' speeds as they start: m2 (g - a2) = T2, m1 (g + a1) = T1.
void sn_verify_capstan(sn_verify *verify)
{
    enum { STEPS = 8 };
    sn_trial trial;
    sn_trial_open(&trial, 1.0, 1.0);
    sn_shape drum = sn_default_shape();
    drum.type = SN_SHAPE_CYLINDER;
    drum.radius = 1.0;
    drum.height = 0.5;
    drum.surface.friction = FRICTION;
    sn_trial_fix(&trial, &drum, (sn_transform){SN_VEC3_ZERO, hinge_axis});
    sn_body links[KINKS + 1];
    for (int i = 0; i <= KINKS; ++i) {
        links[i] = add_link(&trial, i);
        if (i > 0) {
            add_hinge(&trial, links[i - 1], links[i], bead_at(i - 1));
        }
    }
    sn_trial_run(&trial, STEPS);
    if (sn_trial_good(&trial, verify)) {
        double time = sn_trial_time(&trial);
        double down = -sn_trial_velocity(&trial, links[KINKS]).z / time;
        double up = sn_trial_velocity(&trial, links[0]).z / time;
        double ratio = HEAVY * (SN_TRIAL_GRAVITY - down) / (LIGHT * (SN_TRIAL_GRAVITY + up));
        sn_verify_relative(verify, "half a turn, friction 0.3: T2/T1", exp(FRICTION * SN_PI), ratio,
                           5e-3);
    }
    sn_trial_close(&trial);
}
