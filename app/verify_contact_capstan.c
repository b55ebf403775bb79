// Contact: a chain that slips round a fixed cylinder, T2 / T1 = exp(friction angle).
#include <math.h>

#include "verify_contact.h"

// KINKS beads, each fixed to the end of a rod, lie on half of a cylinder of radius 1 m; the rods
// between them are hinged at the beads, and from the first and the last hang LIGHT and HEAVY. Each
// bead turns the chain by d = pi / KINKS. With N = (T1 + T2) sin(d/2) and, about the cylinder's
// axis, (T2 - T1) (1 + r) cos(d/2) = friction N, the pull grows by
//
//     (1 + m tan(d/2)) / (1 - m tan(d/2)),  m = friction / (1 + r)
//
// at each, which differs from exp(friction d) by friction d^3 / 12 (1 + friction^2).
enum { KINKS = 24 };

static const double BEAD = 2e-3, FRICTION = 0.3, LIGHT = 1.0, HEAVY = 3.0, HELD = 2.5, ROD = 1e-6;

// A quarter turn about x takes z to -y, the hinges' axis.
static const sn_quat hinge_axis = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};

static sn_vec3 bead_at(int i)
{
    double angle = SN_PI * (i + 0.5) / KINKS, radius = 1.0 + BEAD;
    return sn_vec3_make(radius * cos(angle), 0.0, radius * sin(angle));
}

// Link i goes from bead i - 1 to bead i and carries the latter; the first and the last are loads.
static sn_body add_link(sn_trial *trial, int i, double heavy)
{
    sn_shape bead = sn_trial_ball(BEAD, FRICTION);
    sn_body_def def = sn_default_body_def();
    bool load = i == 0 || i == KINKS;
    sn_vec3 end = bead_at(i < KINKS ? i : KINKS - 1);
    double mass = i == 0 ? LIGHT : i == KINKS ? heavy : ROD;
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
    sn_vec3 place = sn_vec3_scale(trial->length, at);
    def.type = SN_JOINT_HINGE;
    def.parent = parent;
    def.child = child;
    def.parent_frame.position =
        sn_vec3_sub(place, sn_body_transform(trial->world, parent).position);
    def.parent_frame.rotation = hinge_axis;
    def.child_frame.position = sn_vec3_sub(place, sn_body_transform(trial->world, child).position);
    def.child_frame.rotation = hinge_axis;
    if (trial->status == SN_OK) {
        trial->status = sn_world_add_joint(trial->world, &def, &joint, &trial->error);
    }
}

// The accelerations of the loads as they start: of the light one up, of the heavy one down.
static void pull(sn_trial *trial, double heavy, double *up, double *down)
{
    enum { STEPS = 8 };
    sn_shape drum = sn_default_shape();
    drum.type = SN_SHAPE_CYLINDER;
    drum.radius = 1.0;
    drum.height = 0.5;
    drum.surface.friction = FRICTION;
    sn_trial_fix(trial, &drum, (sn_transform){SN_VEC3_ZERO, hinge_axis});
    sn_body links[KINKS + 1];
    for (int i = 0; i <= KINKS; ++i) {
        links[i] = add_link(trial, i, heavy);
        if (i > 0) {
            add_hinge(trial, links[i - 1], links[i], bead_at(i - 1));
        }
    }
    sn_trial_run(trial, STEPS);
    double time = sn_trial_time(trial);
    *up = sn_trial_velocity(trial, links[0]).z / time;
    *down = -sn_trial_velocity(trial, links[KINKS]).z / time;
}

// m2 (g - a2) = T2, m1 (g + a1) = T1.
static double pull_ratio(sn_trial *trial)
{
    double up, down;
    pull(trial, HEAVY, &up, &down);
    return HEAVY * (SN_TRIAL_GRAVITY - down) / (LIGHT * (SN_TRIAL_GRAVITY + up));
}

void sn_verify_capstan(sn_verify *verify)
{
    const sn_trial_measure measure = {"half a turn, friction 0.3, slips at T2/T1", pull_ratio,
                                      exp(FRICTION * SN_PI), 5e-3};
    sn_trial_compare(verify, &measure, 1);
    sn_trial trial;
    double up, down;
    sn_trial_open(&trial, 1.0, 1.0);
    pull(&trial, HELD, &up, &down);
    if (sn_trial_good(&trial, verify)) {
        sn_verify_near(verify, "half a turn, friction 0.3, holds T2/T1 = 2.5: m/s^2", 0.0, down,
                       1e-4);
    }
    sn_trial_close(&trial);
}
