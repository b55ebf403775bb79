// Contact: closed forms of friction, rolling and impact, what must stand and what must fall.
#include "verify_contact.h"

#include <math.h>

// ---- trials ----

void sn_trial_open_with(sn_trial *trial, double length, double mass, const sn_contact_def *contact,
                        double gravity)
{
    *trial = (sn_trial){.length = length, .mass = mass, .time = sqrt(length)};
    sn_world_def def = sn_default_world_def();
    def.gravity = sn_vec3_make(0.0, 0.0, -gravity);
    def.contact = *contact;
    trial->status = sn_world_create(&def, &trial->world, &trial->error);
}

void sn_trial_open(sn_trial *trial, double length, double mass)
{
    sn_contact_def contact = sn_default_contact_def();
    contact.sleep = false;
    sn_trial_open_with(trial, length, mass, &contact, SN_TRIAL_GRAVITY);
}

void sn_trial_close(sn_trial *trial)
{
    sn_world_destroy(trial->world);
    trial->world = NULL;
}

bool sn_trial_good(sn_trial *trial, sn_verify *verify)
{
    return trial->status == SN_OK || sn_verify_broken(verify, &trial->error);
}

sn_shape sn_trial_box(double x, double y, double z, double friction)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = sn_vec3_make(x, y, z);
    shape.surface.friction = friction;
    return shape;
}

sn_shape sn_trial_ball(double radius, double friction)
{
    sn_shape shape = sn_default_shape();
    shape.radius = radius;
    shape.surface.friction = friction;
    return shape;
}

sn_transform sn_trial_at(double x, double y, double z, double slope)
{
    return (sn_transform){{x, y, z}, {cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0}};
}

sn_transform sn_trial_on(double slope, double x, double y, double z)
{
    sn_transform floor = sn_trial_at(0.0, 0.0, 0.0, slope);
    floor.position = sn_rotate(floor.rotation, sn_vec3_make(x, y, z));
    return floor;
}

static sn_shape scaled(const sn_trial *trial, sn_shape shape)
{
    double l = trial->length;
    shape.radius *= l;
    shape.tube_radius *= l;
    shape.height *= l;
    shape.rounding *= l;
    shape.size = sn_vec3_scale(l, shape.size);
    shape.frame.position = sn_vec3_scale(l, shape.frame.position);
    shape.density *= trial->mass / (l * l * l);
    shape.surface.rolling_friction *= l;
    shape.surface.spinning_friction *= l;
    shape.surface.velocity = sn_vec3_scale(l / trial->time, shape.surface.velocity);
    return shape;
}

sn_body sn_trial_add_def(sn_trial *trial, const sn_body_def *def)
{
    enum { MOST_SHAPES = 4 };
    sn_shape shapes[MOST_SHAPES];
    sn_body_def own = *def;
    sn_body body = {0};
    for (int i = 0; i < def->shape_count && i < MOST_SHAPES; ++i) {
        shapes[i] = scaled(trial, def->shapes[i]);
    }
    own.shapes = shapes;
    own.frame.position = sn_vec3_scale(trial->length, def->frame.position);
    own.mass.mass *= trial->mass;
    own.mass.centre = sn_vec3_scale(trial->length, def->mass.centre);
    own.mass.inertia =
        sn_mat3_scale(trial->mass * trial->length * trial->length, def->mass.inertia);
    own.velocity = sn_vec3_scale(trial->length / trial->time, def->velocity);
    own.angular_velocity = sn_vec3_scale(1.0 / trial->time, def->angular_velocity);
    if (trial->status == SN_OK) {
        trial->status = sn_world_add_body(trial->world, &own, &body, &trial->error);
    }
    return body;
}

sn_body sn_trial_add(sn_trial *trial, const sn_shape *shape, sn_transform frame, sn_vec3 velocity)
{
    sn_body_def def = sn_default_body_def();
    def.shapes = shape;
    def.shape_count = 1;
    def.frame = frame;
    def.velocity = velocity;
    return sn_trial_add_def(trial, &def);
}

sn_body sn_trial_fix(sn_trial *trial, const sn_shape *shape, sn_transform frame)
{
    sn_body_def def = sn_default_body_def();
    def.type = SN_BODY_STATIC;
    def.shapes = shape;
    def.shape_count = 1;
    def.frame = frame;
    return sn_trial_add_def(trial, &def);
}

sn_body sn_trial_floor(sn_trial *trial, double slope, double friction)
{
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    plane.surface.friction = friction;
    return sn_trial_fix(trial, &plane, sn_trial_at(0.0, 0.0, 0.0, slope));
}

void sn_trial_run(sn_trial *trial, int steps)
{
    for (int i = 0; i < steps && trial->status == SN_OK; ++i) {
        trial->status = sn_world_step(trial->world, trial->time * SN_TRIAL_STEP, &trial->error);
    }
}

void sn_trial_push(sn_trial *trial, sn_body body, sn_vec3 force)
{
    if (trial->status == SN_OK) {
        sn_body_add_force(trial->world, body, sn_vec3_scale(trial->mass, force),
                          sn_body_centre(trial->world, body));
    }
}

// ---- readings ----

static sn_vec3 reading(const sn_trial *trial, sn_vec3 value, double unit)
{
    return sn_vec3_scale(trial->status == SN_OK ? 1.0 / unit : NAN, value);
}

double sn_trial_time(const sn_trial *trial)
{
    return trial->status == SN_OK ? sn_world_time(trial->world) / trial->time : NAN;
}

sn_vec3 sn_trial_place(const sn_trial *trial, sn_body body)
{
    return reading(trial, sn_body_centre(trial->world, body), trial->length);
}

sn_vec3 sn_trial_velocity(const sn_trial *trial, sn_body body)
{
    return reading(trial, sn_body_velocity(trial->world, body), trial->length / trial->time);
}

sn_vec3 sn_trial_spin(const sn_trial *trial, sn_body body)
{
    return reading(trial, sn_body_angular_velocity(trial->world, body), 1.0 / trial->time);
}

double sn_trial_moved(const sn_trial *trial, sn_body body, sn_transform start, double radius)
{
    sn_transform now = sn_body_transform(trial->world, body);
    sn_vec3 place = reading(trial, now.position, trial->length);
    sn_quat turn = sn_quat_multiply(now.rotation, sn_quat_conjugate(start.rotation));
    double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return sn_distance(place, start.position) + 2.0 * radius * sine;
}

// ---- measures ----

void sn_trial_compare(sn_verify *verify, const sn_trial_measure *measures, int count)
{
    static const double scales[][2] = {
        {1.0, 1.0}, {0.01, 1.0}, {100.0, 1.0}, {1.0, 1e-3}, {1.0, 1e3}};
    for (int i = 0; i < count; ++i) {
        const sn_trial_measure *measure = &measures[i];
        double first = NAN, farthest = NAN;
        for (int k = 0; k < 5; ++k) {
            sn_trial trial;
            sn_trial_open(&trial, scales[k][0], scales[k][1]);
            double value = measure->run(&trial);
            bool good = sn_trial_good(&trial, verify);
            sn_trial_close(&trial);
            if (!good) {
                return;
            }
            first = k == 0 ? value : first;
            bool farther = k == 0 || !(fabs(value - first) <= fabs(farthest - first));
            farthest = farther ? value : farthest;
        }
        char what[96];
        sn_verify_relative(verify, measure->what, measure->reference, first, measure->limit);
        snprintf(what, sizeof what, "%s, scaled", measure->what);
        sn_verify_relative(verify, what, first, farthest, 1e-6);
    }
}

static const sn_verify_case cases[] = {
    {"block", sn_verify_slide},
    {"ball", sn_verify_roll},
    {"trough", sn_verify_trough, .slow = true},
    {"belt", sn_verify_belt},
    {"bounces", sn_verify_bounce},
    {"cradle", sn_verify_cradle},
    {"hanging cradle", sn_verify_hanging_cradle},
    {"thrown together", sn_verify_thrown_together},
    {"events", sn_verify_contact_events},
    {"tipping", sn_verify_tip},
    {"sticking", sn_verify_stick, .slow = true},
    {"capstan", sn_verify_capstan},
    {"tower", sn_verify_tower, .slow = true},
    {"heavy on light", sn_verify_heavy},
    {"card house", sn_verify_cards, .slow = true},
    {"arch", sn_verify_arch, .slow = true},
    {"settled pile", sn_verify_settled, .slow = true},
};

const sn_verify_group sn_verify_contact = {
    "contact", "contact: friction, rolling, impacts, what stands and what falls", cases,
    sizeof cases / sizeof cases[0]};
