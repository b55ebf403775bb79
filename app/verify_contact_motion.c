// Contact: blocks that slide, balls that roll and spin, belts that carry.
#include <math.h>

#include "verify_contact.h"

static const double g = SN_TRIAL_GRAVITY, h = SN_TRIAL_STEP;

// ---- blocks ----

// Slope atan(1/2): friction 0.5 just holds.
static const double SLOPE = 0.46364760900080612;

static sn_body add_block(sn_trial *trial, double slope, double friction, double speed)
{
    sn_shape box = sn_trial_box(0.2, 0.2, 0.1, friction);
    sn_transform frame = sn_trial_on(slope, 0.0, 0.0, 0.05);
    sn_vec3 velocity = sn_rotate(frame.rotation, sn_vec3_make(speed, 0.0, 0.0));
    sn_trial_floor(trial, slope, friction);
    return sn_trial_add(trial, &box, frame, velocity);
}

// a = g (sin a - friction cos a), from the way in two seconds.
static double slide_down(sn_trial *trial)
{
    sn_body block = add_block(trial, SLOPE, 0.49, 0.0);
    sn_vec3 start = sn_trial_place(trial, block);
    sn_trial_run(trial, 480);
    return 2.0 * sn_distance(sn_trial_place(trial, block), start) / 4.0;
}

// The time at which a speed that falls at a steady rate is zero. The step in which it gets there
// is shorter than the others, so the rate is that of the step before; afterwards it must be zero.
static double time_of_stop(sn_trial *trial, sn_body body, double (*read)(const sn_trial *, sn_body))
{
    double first = read(trial, body), last = first, rate = 0.0;
    for (int i = 0; i < 2400 && trial->status == SN_OK && (i < 2 || last > rate * h); ++i) {
        sn_trial_run(trial, 1);
        double now = read(trial, body);
        rate = (last - now) / h;
        last = now;
    }
    double time = sn_trial_time(trial) + last / rate;
    sn_trial_run(trial, 4);
    return fabs(read(trial, body)) < 1e-6 * first ? time : NAN;
}

static double speed_along(const sn_trial *trial, sn_body body)
{
    return sn_trial_velocity(trial, body).x;
}

static double stop_time(sn_trial *trial)
{
    return time_of_stop(trial, add_block(trial, 0.0, 0.3, 2.0), speed_along);
}

static double stop_way(sn_trial *trial)
{
    sn_body block = add_block(trial, 0.0, 0.3, 2.0);
    sn_trial_run(trial, 240);
    return sn_trial_place(trial, block).x;
}

static void hold_on_slope(sn_verify *verify)
{
    sn_trial trial;
    sn_trial_open(&trial, 1.0, 1.0);
    sn_body block = add_block(&trial, SLOPE, 0.5, 0.0);
    sn_transform start = sn_body_transform(trial.world, block);
    sn_trial_run(&trial, 60 * 240);
    if (sn_trial_good(&trial, verify)) {
        double moved = sn_trial_moved(&trial, block, start, 0.15);
        sn_verify_row(verify, "friction 0.5 on a slope of 1/2: way in 60 s, m", 0.0, moved, moved,
                      1e-9);
    }
    sn_trial_close(&trial);
}

void sn_verify_slide(sn_verify *verify)
{
    static const sn_trial_measure measures[] = {
        {"friction 0.49 on a slope of 1/2: m/s^2", slide_down, 0.087743, 5e-3},
        {"stop from 2 m/s, friction 0.3: s", stop_time, 0.67958, 5e-3},
        {"stop from 2 m/s, friction 0.3: m", stop_way, 0.67958, 5e-3},
    };
    hold_on_slope(verify);
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
}

// ---- balls ----

static const double RADIUS = 0.1;

static sn_body add_ball(sn_trial *trial, double slope, double friction, double speed, double spin)
{
    sn_shape ball = sn_trial_ball(RADIUS, friction);
    sn_body_def def = sn_default_body_def();
    def.shapes = &ball;
    def.shape_count = 1;
    def.frame = sn_trial_on(slope, 0.0, 0.0, RADIUS);
    def.velocity = sn_rotate(def.frame.rotation, sn_vec3_make(speed, 0.0, 0.0));
    def.angular_velocity = sn_vec3_make(0.0, spin, 0.0);
    sn_trial_floor(trial, slope, friction);
    return sn_trial_add_def(trial, &def);
}

static double slip_speed(const sn_trial *trial, sn_body ball)
{
    return sn_trial_velocity(trial, ball).x - RADIUS * sn_trial_spin(trial, ball).y;
}

// Thrown at v0 without spin: rolls after 2 v0 / (7 friction g) at 5/7 v0.
static double roll_after(sn_trial *trial)
{
    return time_of_stop(trial, add_ball(trial, 0.0, 0.3, 2.0, 0.0), slip_speed);
}

static double roll_at(sn_trial *trial)
{
    sn_body ball = add_ball(trial, 0.0, 0.3, 2.0, 0.0);
    sn_trial_run(trial, 120);
    return sn_trial_velocity(trial, ball).x;
}

// On a slope of 30 deg a ball rolls where friction >= 2/7 tan(slope).
static double speed_down(sn_trial *trial, double share, double *rim)
{
    double slope = SN_PI / 6.0;
    sn_body ball = add_ball(trial, slope, share * 2.0 / 7.0 * tan(slope), 0.0, 0.0);
    sn_trial_run(trial, 240);
    *rim = RADIUS * sn_trial_spin(trial, ball).y;
    return sn_length(sn_trial_velocity(trial, ball));
}

static double roll_down(sn_trial *trial)
{
    double rim;
    return speed_down(trial, 1.01, &rim);
}

static double rim_down(sn_trial *trial)
{
    double rim;
    speed_down(trial, 1.01, &rim);
    return rim;
}

static double skid_down(sn_trial *trial)
{
    double rim;
    return speed_down(trial, 0.9, &rim);
}

static double skid_rim(sn_trial *trial)
{
    double rim;
    speed_down(trial, 0.9, &rim);
    return rim;
}

// A rolling moment c N takes 5/7 c g / r from the speed of a ball: I a / r = c m g - f r, m a = f.
static double roll_out(sn_trial *trial)
{
    sn_shape ball = sn_trial_ball(RADIUS, 0.8);
    ball.surface.rolling_friction = 0.002;
    sn_body_def def = sn_default_body_def();
    def.shapes = &ball;
    def.shape_count = 1;
    def.frame = sn_trial_at(0.0, 0.0, RADIUS, 0.0);
    def.velocity.x = 0.2;
    def.angular_velocity.y = 0.2 / RADIUS;
    sn_trial_floor(trial, 0.0, 0.8);
    return time_of_stop(trial, sn_trial_add_def(trial, &def), speed_along);
}

static double spin_rate(const sn_trial *trial, sn_body ball)
{
    return sn_trial_spin(trial, ball).z;
}

// A spinning moment c N takes 5/2 c g / r^2 from the spin of a ball on its place.
static double spin_out(sn_trial *trial)
{
    sn_shape ball = sn_trial_ball(RADIUS, 0.8);
    ball.surface.spinning_friction = 0.002;
    sn_body_def def = sn_default_body_def();
    def.shapes = &ball;
    def.shape_count = 1;
    def.frame = sn_trial_at(0.0, 0.0, RADIUS, 0.0);
    def.angular_velocity.z = 5.0;
    sn_trial_floor(trial, 0.0, 0.8);
    return time_of_stop(trial, sn_trial_add_def(trial, &def), spin_rate);
}

void sn_verify_roll(sn_verify *verify)
{
    double slope = SN_PI / 6.0, skid = 0.9 * 2.0 / 7.0 * tan(slope);
    const sn_trial_measure measures[] = {
        {"thrown at 2 m/s, friction 0.3, rolls after: s", roll_after, 4.0 / (2.1 * g), 5e-3},
        {"thrown at 2 m/s, friction 0.3, rolls at: m/s", roll_at, 10.0 / 7.0, 5e-3},
        {"rolls down 30 deg, friction just enough: m/s at 1 s", roll_down,
         5.0 / 7.0 * g * sin(slope), 5e-3},
        {"rolls down 30 deg, friction just enough: rim, m/s", rim_down, 5.0 / 7.0 * g * sin(slope),
         5e-3},
        {"skids down 30 deg, friction too small: m/s at 1 s", skid_down,
         g * (sin(slope) - skid * cos(slope)), 5e-3},
        {"skids down 30 deg, friction too small: rim, m/s", skid_rim, 2.5 * skid * g * cos(slope),
         5e-3},
        {"rolling friction stops it after: s", roll_out, 0.2 * 7.0 * RADIUS / (5.0 * 0.002 * g),
         5e-3},
        {"spinning friction stops it after: s", spin_out,
         5.0 * 2.0 * RADIUS * RADIUS / (5.0 * 0.002 * g), 5e-3},
    };
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
}

// ---- belts ----

static sn_body add_on_belt(sn_trial *trial, const sn_shape *shape, double height)
{
    sn_shape belt = sn_trial_box(20.0, 2.0, 0.2, 0.4);
    belt.surface.velocity.x = 1.5;
    sn_trial_fix(trial, &belt, sn_trial_at(0.0, 0.0, -0.1, 0.0));
    return sn_trial_add(trial, shape, sn_trial_at(0.0, 0.0, height, 0.0), SN_VEC3_ZERO);
}

static double lag_of_block(const sn_trial *trial, sn_body body)
{
    return 1.5 - sn_trial_velocity(trial, body).x;
}

// A block laid on a belt of speed u goes with it after u / (friction g), and keeps u.
static double carried_after(sn_trial *trial)
{
    sn_shape box = sn_trial_box(0.2, 0.2, 0.1, 0.4);
    return time_of_stop(trial, add_on_belt(trial, &box, 0.05), lag_of_block);
}

static double carried_way(sn_trial *trial)
{
    sn_shape box = sn_trial_box(0.2, 0.2, 0.1, 0.4);
    sn_body block = add_on_belt(trial, &box, 0.05);
    sn_trial_run(trial, 480);
    return sn_trial_place(trial, block).x;
}

// A ball on a belt rolls on it with 2/7 of its speed.
static double ball_on_belt(sn_trial *trial)
{
    sn_shape ball = sn_trial_ball(RADIUS, 0.4);
    sn_body body = add_on_belt(trial, &ball, RADIUS);
    sn_trial_run(trial, 240);
    return sn_trial_velocity(trial, body).x;
}

void sn_verify_belt(sn_verify *verify)
{
    double stick = 1.5 / (0.4 * g);
    const sn_trial_measure measures[] = {
        {"a block goes with it after: s", carried_after, stick, 5e-3},
        {"a block in 2 s: m", carried_way, 1.5 * (2.0 - 0.5 * stick), 5e-3},
        {"a ball rolls on it at: m/s", ball_on_belt, 3.0 / 7.0, 5e-3},
    };
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
}
