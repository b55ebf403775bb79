// Contact: balls that bounce and knock on each other, bodies that meet in space, what is told of
// it.
#include <math.h>

#include "verify_contact.h"

static const double g = SN_TRIAL_GRAVITY;

// ---- bounces ----

// From 1 m, restitution e: at rest after sqrt(2 h / g) (1 + e) / (1 - e). The last bounces are
// shorter than a step; it lies still once it is neither above the floor nor moving.
static double bounce(sn_trial *trial, double restitution)
{
    sn_shape ball = sn_trial_ball(0.1, 0.5);
    ball.surface.restitution = restitution;
    sn_trial_floor(trial, 0.0, 0.5);
    sn_body body = sn_trial_add(trial, &ball, sn_trial_at(0.0, 0.0, 1.1, 0.0), SN_VEC3_ZERO);
    double last = NAN;
    for (int i = 0; i < 2400 && trial->status == SN_OK; ++i) {
        sn_trial_run(trial, 1);
        double height = sn_trial_place(trial, body).z - 0.1,
               speed = sn_trial_velocity(trial, body).z;
        last = fabs(speed) > 1e-6 || fabs(height) > 1e-6 ? sn_trial_time(trial) : last;
    }
    return last;
}

static double bounce_half(sn_trial *trial)
{
    return bounce(trial, 0.5);
}

static double bounce_most(sn_trial *trial)
{
    return bounce(trial, 0.8);
}

// The height of the third bounce by that of the fall: e^6.
static double third_bounce(sn_trial *trial)
{
    sn_shape ball = sn_trial_ball(0.1, 0.5);
    ball.surface.restitution = 0.8;
    sn_trial_floor(trial, 0.0, 0.5);
    sn_body body = sn_trial_add(trial, &ball, sn_trial_at(0.0, 0.0, 1.1, 0.0), SN_VEC3_ZERO);
    double start = sqrt(2.0 / g), time = start * (1.0 + 2.0 * 0.8 + 2.0 * 0.64 + 0.512);
    sn_trial_run(trial, (int)(time / SN_TRIAL_STEP));
    sn_vec3 velocity = sn_trial_velocity(trial, body);
    return sn_trial_place(trial, body).z - 0.1 + velocity.z * velocity.z / (2.0 * g);
}

// A box that falls flat from 1 m: how high it comes back, e^2 of it.
static double flat_bounce(sn_trial *trial)
{
    sn_shape box = sn_trial_box(0.2, 0.3, 0.1, 0.5);
    box.surface.restitution = 0.5;
    sn_trial_floor(trial, 0.0, 0.5);
    sn_body body = sn_trial_add(trial, &box, sn_trial_at(0.0, 0.0, 1.05, 0.0), SN_VEC3_ZERO);
    sn_trial_run(trial, (int)(1.5 * sqrt(2.0 / g) / SN_TRIAL_STEP));
    return sn_trial_place(trial, body).z - 0.05;
}

// A small ball that slides through its bounce: friction (1 + e) v of its speed along the ground
// becomes spin, 5/2 of that by its radius.
static double bounce_spin(sn_trial *trial)
{
    sn_shape ball = sn_trial_ball(0.02, 0.05);
    ball.surface.restitution = 0.8;
    sn_trial_floor(trial, 0.0, 0.05);
    sn_body body =
        sn_trial_add(trial, &ball, sn_trial_at(0.0, 0.0, 0.52, 0.0), sn_vec3_make(3.0, 0.0, 0.0));
    sn_trial_run(trial, (int)(1.3 * sqrt(1.0 / g) / SN_TRIAL_STEP));
    return sn_trial_spin(trial, body).y;
}

// A smooth ball struck aslant, by one whose centre is off the line by 0.6 of two radii, leaves
// along the line of centres at the moment of the impact: tan = 0.75.
static double aslant(sn_trial *trial)
{
    sn_shape ball = sn_trial_ball(0.0286, 0.0);
    ball.surface.restitution = 1.0;
    sn_trial_floor(trial, 0.0, 0.0);
    sn_trial_add(trial, &ball, sn_trial_at(-0.1, 0.03432, 0.0286, 0.0),
                 sn_vec3_make(3.0, 0.0, 0.0));
    sn_body struck = sn_trial_add(trial, &ball, sn_trial_at(0.0, 0.0, 0.0286, 0.0), SN_VEC3_ZERO);
    sn_trial_run(trial, 12);
    sn_vec3 velocity = sn_trial_velocity(trial, struck);
    return -velocity.y / velocity.x;
}

void sn_verify_bounce(sn_verify *verify)
{
    double fall = sqrt(2.0 / g);
    const sn_trial_measure measures[] = {
        {"restitution 0.5 from 1 m: at rest after, s", bounce_half, fall * 3.0, 5e-3},
        {"restitution 0.8 from 1 m: at rest after, s", bounce_most, fall * 9.0, 5e-3},
        {"restitution 0.8 from 1 m: third bounce, m", third_bounce, 0.262144, 5e-3},
        {"box that falls flat, restitution 0.5: comes back to, m", flat_bounce, 0.25, 5e-3},
        {"ball that slides through a bounce: spin, rad/s", bounce_spin,
         2.5 * 0.05 * 1.8 * sqrt(g) / 0.02, 5e-3},
        {"ball struck aslant: tangent of its way", aslant, 0.75, 5e-3},
    };
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
}

// ---- Newton's cradle ----

enum { BALLS = 5 };

static sn_shape cradle_ball(void)
{
    sn_shape ball = sn_trial_ball(0.05, 0.0);
    ball.surface.restitution = 1.0;
    return ball;
}

// `count` balls at 1 m/s against the rest, which touch: as many leave at the other end.
static void sliding_cradle(sn_trial *trial, int count, double speeds[BALLS])
{
    sn_shape ball = cradle_ball();
    sn_body bodies[BALLS];
    sn_trial_floor(trial, 0.0, 0.0);
    for (int i = 0; i < BALLS; ++i) {
        bool comes = i < count;
        bodies[i] =
            sn_trial_add(trial, &ball, sn_trial_at(0.1 * i - (comes ? 0.2 : 0.0), 0.0, 0.05, 0.0),
                         sn_vec3_make(comes ? 1.0 : 0.0, 0.0, 0.0));
    }
    sn_trial_run(trial, 120);
    for (int i = 0; i < BALLS; ++i) {
        speeds[i] = sn_trial_velocity(trial, bodies[i]).x;
    }
}

static double last_of_one(sn_trial *trial)
{
    double speeds[BALLS];
    sliding_cradle(trial, 1, speeds);
    return speeds[BALLS - 1];
}

static double last_of_two(sn_trial *trial)
{
    double speeds[BALLS];
    sliding_cradle(trial, 2, speeds);
    return speeds[BALLS - 1];
}

static double second_of_two(sn_trial *trial)
{
    double speeds[BALLS];
    sliding_cradle(trial, 2, speeds);
    return speeds[BALLS - 2];
}

static void left_behind(sn_verify *verify, int count)
{
    sn_trial trial;
    double speeds[BALLS], most = 0.0;
    char what[64];
    sn_trial_open(&trial, 1.0, 1.0);
    sliding_cradle(&trial, count, speeds);
    for (int i = 0; i < BALLS - count; ++i) {
        most = fmax(most, fabs(speeds[i]));
    }
    if (sn_trial_good(&trial, verify)) {
        snprintf(what, sizeof what, "%d in: fastest of those that stay, m/s", count);
        sn_verify_row(verify, what, 0.0, most, most, 5e-3);
    }
    sn_trial_close(&trial);
}

void sn_verify_cradle(sn_verify *verify)
{
    static const sn_trial_measure measures[] = {
        {"1 in: the last leaves at, m/s", last_of_one, 1.0, 5e-3},
        {"2 in: the last leaves at, m/s", last_of_two, 1.0, 5e-3},
        {"2 in: the one before it, m/s", second_of_two, 1.0, 5e-3},
    };
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
    left_behind(verify, 1);
    left_behind(verify, 2);
}

// ---- the same on rods ----

// A quarter turn about x takes z to -y, the hinges' axis.
static const sn_quat hinge_axis = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};

static sn_body hang_ball(sn_trial *trial, double x, double rod, double angle)
{
    sn_shape ball = cradle_ball();
    sn_transform frame = {{x - rod * sin(angle), 0.0, -rod * cos(angle)},
                          {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0}};
    sn_body body = sn_trial_add(trial, &ball, frame, SN_VEC3_ZERO);
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    def.type = SN_JOINT_HINGE;
    def.child = body;
    def.parent_frame = (sn_transform){{x * trial->length, 0.0, 0.0}, hinge_axis};
    def.child_frame = (sn_transform){{0.0, 0.0, rod * trial->length}, hinge_axis};
    if (trial->status == SN_OK) {
        trial->status = sn_world_add_joint(trial->world, &def, &joint, &trial->error);
    }
    return body;
}

// `count` balls on rods of 0.5 m let go at 0.3 rad: as many swing out on the other side, as high.
// How far the last gets, and the farthest of those that stay.
static const double CRADLE_ROD = 0.5, CRADLE_ANGLE = 0.3;

static double swing(sn_trial *trial, int count, double *stays)
{
    sn_body bodies[BALLS];
    double farthest[BALLS] = {0.0};
    for (int i = 0; i < BALLS; ++i) {
        bodies[i] = hang_ball(trial, 0.1 * i, CRADLE_ROD, i < count ? CRADLE_ANGLE : 0.0);
    }
    double quarter = 0.5 * SN_PI * sqrt(CRADLE_ROD / g);
    for (int k = 0; k < (int)(2.5 * quarter / SN_TRIAL_STEP) && trial->status == SN_OK; ++k) {
        sn_trial_run(trial, 1);
        for (int i = 0; i < BALLS; ++i) {
            farthest[i] = fmax(farthest[i], sn_trial_place(trial, bodies[i]).x - 0.1 * i);
        }
    }
    *stays = 0.0;
    for (int i = 0; i < BALLS - count; ++i) {
        *stays = fmax(*stays, farthest[i]);
    }
    return farthest[BALLS - 1];
}

static double swing_one(sn_trial *trial)
{
    double stays;
    return swing(trial, 1, &stays);
}

static double swing_two(sn_trial *trial)
{
    double stays;
    return swing(trial, 2, &stays);
}

void sn_verify_hanging_cradle(sn_verify *verify)
{
    double out = CRADLE_ROD * sin(CRADLE_ANGLE);
    const sn_trial_measure measures[] = {
        {"1 in: the last swings out by, m", swing_one, out, 5e-3},
        {"2 in: the last swings out by, m", swing_two, out, 5e-3},
    };
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
    for (int count = 1; count <= 2; ++count) {
        sn_trial trial;
        double stays;
        char what[64];
        sn_trial_open(&trial, 1.0, 1.0);
        swing(&trial, count, &stays);
        if (sn_trial_good(&trial, verify)) {
            snprintf(what, sizeof what, "%d in: those that stay, m", count);
            sn_verify_row(verify, what, 0.0, stays, stays, 5e-3 * out);
        }
        sn_trial_close(&trial);
    }
}

// ---- bodies that meet in space ----

// Numbers from -1 to 1 without a pattern: a linear congruence (Knuth's MMIX).
static double scatter(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static sn_shape odd_shape(int i)
{
    sn_shape shape = i % 3 == 0 ? sn_trial_ball(0.1, 0.4) : sn_trial_box(0.2, 0.15, 0.18, 0.4);
    if (i % 3 == 2) {
        shape.type = SN_SHAPE_CAPSULE;
        shape.radius = 0.07;
        shape.height = 0.1;
    }
    shape.density = 500.0 + 300.0 * (i % 5);
    return shape;
}

// A cube of bodies, each with a spin of its own, all flying to the middle, which drifts and turns.
static void throw_together(sn_verify *verify, int edge, double restitution)
{
    sn_trial trial;
    sn_contact_def contact = sn_default_contact_def();
    contact.sleep = false;
    sn_trial_open_with(&trial, 1.0, 1.0, &contact, 0.0);
    uint64_t state = 4;
    for (int i = 0; i < edge * edge * edge; ++i) {
        sn_shape shape = odd_shape(i);
        shape.surface.restitution = restitution;
        sn_body_def def = sn_default_body_def();
        def.shapes = &shape;
        def.shape_count = 1;
        double middle = 0.5 * (edge - 1);
        sn_vec3 place = sn_vec3_scale(0.3, sn_vec3_make(i % edge - middle, i / edge % edge - middle,
                                                        (double)(i / (edge * edge)) - middle));
        sn_vec3 turning = sn_cross(sn_vec3_make(0.0, 0.3, 1.0), place);
        def.frame.position = place;
        def.velocity = sn_vec3_add(sn_vec3_add(sn_vec3_scale(-2.0, place), turning),
                                   sn_vec3_make(0.3, -0.2, 0.1));
        def.angular_velocity =
            sn_vec3_make(3.0 * scatter(&state), 3.0 * scatter(&state), 3.0 * scatter(&state));
        sn_trial_add_def(&trial, &def);
    }
    sn_vec3 p = sn_world_momentum(trial.world), l = sn_world_angular_momentum(trial.world);
    double energy = sn_world_energy(trial.world).total;
    int most = 0;
    for (int i = 0; i < 240 && trial.status == SN_OK; ++i) {
        sn_trial_run(&trial, 1);
        int touching = sn_world_report(trial.world).contacts;
        most = touching > most ? touching : most;
    }
    if (sn_trial_good(&trial, verify)) {
        char what[96];
        double p_error = sn_distance(sn_world_momentum(trial.world), p) / sn_length(p);
        double l_error = sn_distance(sn_world_angular_momentum(trial.world), l) / sn_length(l);
        double gained = sn_world_energy(trial.world).total / energy;
        snprintf(what, sizeof what, "%d, up to %d contacts: momentum", edge * edge * edge, most);
        sn_verify_row(verify, what, 0.0, p_error, p_error, 1e-10);
        snprintf(what, sizeof what, "%d, up to %d contacts: angular momentum", edge * edge * edge,
                 most);
        sn_verify_row(verify, what, 0.0, l_error, l_error, 1e-10);
        snprintf(what, sizeof what, "%d: energy by that at the start, below", edge * edge * edge);
        sn_verify_row(verify, what, 1.0, gained, fmax(0.0, gained - 1.0), 1e-9);
    }
    sn_trial_close(&trial);
}

void sn_verify_thrown_together(sn_verify *verify)
{
    throw_together(verify, 3, 0.0);
    throw_together(verify, 3, 0.6);
    throw_together(verify, 6, 0.0);
}

// ---- events ----

// A ball falls from 2 m through a sensor between 1.2 m and 1.0 m onto the floor, and rebounds.
void sn_verify_contact_events(sn_verify *verify)
{
    enum { TIMES = 4 };
    static const char *const names[TIMES] = {"comes into the sensor: s", "leaves it: s",
                                             "strikes the floor: s", "parts from it: s"};
    double landing = sqrt(2.0 * 1.9 / g);
    const double expected[TIMES] = {sqrt(2.0 * 0.7 / g), sqrt(2.0 * 1.1 / g), landing, landing};
    double told[TIMES] = {NAN, NAN, NAN, NAN};
    int events = 0;
    sn_trial trial;
    sn_trial_open(&trial, 1.0, 1.0);
    sn_shape ball = sn_trial_ball(0.1, 0.5), sensor = sn_trial_box(1.0, 1.0, 0.2, 0.5);
    ball.surface.restitution = 0.5;
    sensor.surface.sensor = true;
    sn_trial_floor(&trial, 0.0, 0.5);
    sn_trial_fix(&trial, &sensor, sn_trial_at(0.0, 0.0, 1.1, 0.0));
    sn_trial_add(&trial, &ball, sn_trial_at(0.0, 0.0, 2.0, 0.0), SN_VEC3_ZERO);
    for (int i = 0; i < 180 && trial.status == SN_OK; ++i) {
        sn_trial_run(&trial, 1);
        for (int k = 0; k < sn_world_contact_event_count(trial.world); ++k) {
            sn_contact_event event = sn_world_contact_event(trial.world, k);
            int which = (event.sensor ? 0 : 2) + (event.change == SN_CONTACT_END ? 1 : 0);
            told[which] = event.time;
            events += 1;
        }
    }
    if (sn_trial_good(&trial, verify)) {
        for (int i = 0; i < TIMES; ++i) { // told at the end of the step in which it happens
            sn_verify_near(verify, names[i], expected[i], told[i],
                           (i == 3 ? 2.0 : 1.0) * SN_TRIAL_STEP);
        }
        sn_verify_near(verify, "events in all", TIMES, events, 0.0);
    }
    sn_trial_close(&trial);
}
