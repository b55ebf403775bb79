// Springs and dampers of fields at the default policy: decay and order against closed forms, and
// energy where steps do not resolve them.
#include <math.h>
#include <stdio.h>

#include "verify.h"

static const double STEP = 1.0 / 240.0, MASS_A = 2.0, MASS_B = 3.0;

// A spring along x between b and the world or a, in worlds where the ends move along x alone.
typedef enum ends_kind { FREE, FREE_PAIR, SLIDER, SLIDERS, KINDS } ends_kind;
static const char *const kind_names[KINDS] = {"free body", "two free bodies", "slider",
                                              "two links"};

typedef struct ends_def {
    ends_kind kind;
    double stiffness, damping, stretch, speed; // of b, at rest length 1
    sn_vec3 gravity;
} ends_def;

typedef struct ends {
    sn_world *world;
    sn_body a, b; // a is not there where the other end is on the world
} ends;

static bool has_two(ends_kind kind)
{
    return kind == FREE_PAIR || kind == SLIDERS;
}

// What answers a unit impulse between the ends.
static double answer_of(ends_kind kind)
{
    return has_two(kind) ? 1.0 / MASS_A + 1.0 / MASS_B : 1.0 / MASS_B;
}

static sn_status add_end(ends *e, const ends_def *def, bool is_b, sn_error *error)
{
    sn_body_def body = sn_default_body_def();
    body.name = is_b ? "b" : "a";
    body.mass.mass = is_b ? MASS_B : MASS_A;
    body.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.2, 0.25));
    body.frame.position.x = is_b ? 1.0 + def->stretch : 0.0;
    body.velocity.x = is_b ? def->speed : 0.0;
    sn_status status = sn_world_add_body(e->world, &body, is_b ? &e->b : &e->a, error);
    if (status != SN_OK || def->kind == FREE || def->kind == FREE_PAIR) {
        return status;
    }
    sn_joint_def joint = sn_default_joint_def();
    joint.type = SN_JOINT_SLIDER;
    joint.child = is_b ? e->b : e->a;
    joint.parent = is_b ? e->a : (sn_body){0};
    // z of a joint's frame is its axis: a quarter turn about y takes it to x.
    sn_quat along_x = {sqrt(0.5), 0.0, sqrt(0.5), 0.0};
    joint.child_frame.rotation = joint.parent_frame.rotation = along_x;
    joint.parent_frame.position = body.frame.position;
    sn_joint made;
    return sn_world_add_joint(e->world, &joint, &made, error);
}

static sn_status make_ends(const ends_def *def, ends *e, sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = def->gravity;
    sn_status status = sn_world_create(&world_def, &e->world, error);
    if (status == SN_OK && has_two(def->kind)) {
        status = add_end(e, def, false, error);
    }
    if (status == SN_OK) {
        status = add_end(e, def, true, error);
    }
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = e->a;
    spring.body_b = e->b;
    spring.stiffness = def->stiffness;
    spring.damping = def->damping;
    spring.rest_length = 1.0;
    sn_field field;
    return status == SN_OK ? sn_world_add_spring(e->world, &spring, &field, error) : status;
}

static sn_status advance(sn_world *world, double h, int steps, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
    }
    return status;
}

static double length_of(const ends *e)
{
    double a = e->a.index != 0 ? sn_body_centre(e->world, e->a).x : 0.0;
    return sn_body_centre(e->world, e->b).x - a;
}

static double speed_of(const ends *e)
{
    double a = e->a.index != 0 ? sn_body_velocity(e->world, e->a).x : 0.0;
    return sn_body_velocity(e->world, e->b).x - a;
}

// ---- decay ----

// A damper alone: the speed falls as exp(-c W t), however few steps there are for it.
static void damper_decays(sn_verify *verify)
{
    const double shares[4] = {0.1, 1.0, 10.0, 1e6}; // c h W
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < 4; ++i) {
            sn_error error = {0};
            ends e = {0};
            ends_def def = {
                .kind = kind, .damping = shares[i] / (STEP * answer_of(kind)), .speed = 0.5};
            sn_status status = make_ends(&def, &e, &error);
            status = status == SN_OK ? advance(e.world, STEP, 3, &error) : status;
            if (status != SN_OK) {
                sn_verify_broken(verify, &error);
            } else {
                char what[80];
                snprintf(what, sizeof what, "%s, c h / m = %g, speed after 3 steps",
                         kind_names[kind], shares[i]);
                sn_verify_near(verify, what, 0.5 * exp(-3.0 * shares[i]), speed_of(&e), 1e-12);
            }
            sn_world_destroy(e.world);
        }
    }
}

// exp(-z t) (cos(w t) + z/w sin(w t)), z = c W / 2, at 1 s and at two steps: it tends there as h^2.
static void damped_spring(sn_verify *verify)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        sn_error error = {0};
        ends_def def = {.kind = kind, .stiffness = 50.0, .damping = 2.0, .stretch = 0.2};
        double answer = answer_of(kind), decay = 0.5 * def.damping * answer;
        double frequency = sqrt(def.stiffness * answer - decay * decay), off[2] = {0.0, 0.0};
        double swing = exp(-decay) * (cos(frequency) + decay / frequency * sin(frequency));
        double length = 0.0;
        sn_status status = SN_OK;
        for (int i = 0; i < 2 && status == SN_OK; ++i) {
            ends e = {0};
            int steps = i == 0 ? 120 : 240;
            status = make_ends(&def, &e, &error);
            status = status == SN_OK ? advance(e.world, 1.0 / steps, steps, &error) : status;
            length = status == SN_OK ? length_of(&e) : 0.0;
            off[i] = fabs(length - 1.0 - 0.2 * swing);
            sn_world_destroy(e.world);
        }
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
            continue;
        }
        char what[80];
        snprintf(what, sizeof what, "%s, length at 1 s", kind_names[kind]);
        sn_verify_near(verify, what, 1.0 + 0.2 * swing, length, 1e-4);
        snprintf(what, sizeof what, "%s, order", kind_names[kind]);
        sn_verify_near(verify, what, 2.0, log2(off[0] / off[1]), 0.05);
    }
}

// ---- a bar on a hinge, with a spring from its end to the world ----

static const double BAR = 0.5, BAR_INERTIA = 0.1; // m from hinge to end, kg m^2 about the hinge

typedef struct bar_def {
    double stiffness, damping, rest_length;
    double x, z; // of the spring's other end
} bar_def;

// The moment by the angle from x towards z, about -y.
static double bar_moment(const bar_def *def, double angle, double speed)
{
    double x = BAR * cos(angle), z = BAR * sin(angle);
    double length = hypot(def->x - x, def->z - z);
    double along = ((def->x - x) * -sin(angle) + (def->z - z) * cos(angle)) * BAR / length;
    return along * (def->stiffness * (length - def->rest_length) - def->damping * along * speed);
}

// Runge and Kutta's fourth-order rule, in steps so short that nothing is left of their error.
static double bar_reference(const bar_def *def, double time)
{
    enum { STEPS = 20000 };
    double h = time / STEPS, angle = 0.0, speed = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        double a1 = bar_moment(def, angle, speed) / BAR_INERTIA, v1 = speed;
        double v2 = speed + 0.5 * h * a1,
               a2 = bar_moment(def, angle + 0.5 * h * v1, v2) / BAR_INERTIA;
        double v3 = speed + 0.5 * h * a2,
               a3 = bar_moment(def, angle + 0.5 * h * v2, v3) / BAR_INERTIA;
        double v4 = speed + h * a3, a4 = bar_moment(def, angle + h * v3, v4) / BAR_INERTIA;
        angle += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
        speed += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return angle;
}

static sn_status make_bar(const bar_def *def, sn_world **world, sn_joint *hinge, sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    sn_status status = sn_world_create(&world_def, world, error);
    sn_body_def body = sn_default_body_def();
    body.mass.mass = 1.0;
    body.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, BAR_INERTIA, 0.1));
    sn_body bar = {0};
    status = status == SN_OK ? sn_world_add_body(*world, &body, &bar, error) : status;
    sn_joint_def joint = sn_default_joint_def();
    joint.type = SN_JOINT_HINGE;
    joint.child = bar;
    sn_quat about_y = {sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // takes z to -y
    joint.child_frame.rotation = joint.parent_frame.rotation = about_y;
    status = status == SN_OK ? sn_world_add_joint(*world, &joint, hinge, error) : status;
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = bar;
    spring.point_a = sn_vec3_make(BAR, 0.0, 0.0);
    spring.point_b = sn_vec3_make(def->x, 0.0, def->z);
    spring.stiffness = def->stiffness;
    spring.damping = def->damping;
    spring.rest_length = def->rest_length;
    sn_field field;
    return status == SN_OK ? sn_world_add_spring(*world, &spring, &field, error) : status;
}

static void hinged_bar(sn_verify *verify)
{
    const bar_def def = {.stiffness = 30.0, .damping = 1.0, .rest_length = 0.5, .x = 0.7, .z = 0.8};
    double reference = bar_reference(&def, 1.0), off[2] = {0.0, 0.0}, angle = 0.0;
    sn_error error = {0};
    sn_status status = SN_OK;
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        sn_world *world = NULL;
        sn_joint hinge;
        int steps = i == 0 ? 120 : 240;
        status = make_bar(&def, &world, &hinge, &error);
        status = status == SN_OK ? advance(world, 1.0 / steps, steps, &error) : status;
        if (status == SN_OK) {
            angle = sn_joint_position(world, hinge, 0);
            off[i] = fabs(angle - reference);
        }
        sn_world_destroy(world);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_verify_near(verify, "hinge, angle at 1 s", reference, angle, 3e-4);
    sn_verify_near(verify, "hinge, order", 2.0, log2(off[0] / off[1]), 0.1);
}

// ---- what no step resolves ----

// Nothing is gained: the most energy there is after the start, by that at the start.
static void unresolved_spring(sn_verify *verify)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        double gain = 0.0;
        sn_error error = {0};
        sn_status status = SN_OK;
        for (double share = 0.1; share < 2e6 && status == SN_OK; share *= 10.0) {
            ends e = {0};
            ends_def def = {.kind = kind,
                            .stiffness = share / (STEP * STEP * answer_of(kind)),
                            .stretch = 0.1,
                            .speed = 0.3};
            status = make_ends(&def, &e, &error);
            double start = status == SN_OK ? sn_world_energy(e.world).total : 0.0;
            for (int i = 0; i < 240 && status == SN_OK; ++i) {
                status = sn_world_step(e.world, STEP, &error);
                gain = fmax(gain, sn_world_energy(e.world).total / start - 1.0);
            }
            sn_world_destroy(e.world);
        }
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
            continue;
        }
        char what[80];
        snprintf(what, sizeof what, "%s, k h^2 / m to 1e6, energy gained", kind_names[kind]);
        sn_verify_row(verify, what, 0.0, gain, gain, 1e-9);
    }
}

// A damper of c h W = 1e6 lets a weight sink at m g / c; between two bodies it does not hold up
// their fall.
static void strong_damper(sn_verify *verify)
{
    sn_error error = {0};
    ends one = {0}, two = {0};
    ends_def def = {
        .kind = SLIDER, .damping = 1e6 * MASS_B / STEP, .gravity = sn_vec3_make(9.81, 0.0, 0.0)};
    sn_status status = make_ends(&def, &one, &error);
    status = status == SN_OK ? advance(one.world, STEP, 240, &error) : status;
    def.kind = FREE_PAIR;
    status = status == SN_OK ? make_ends(&def, &two, &error) : status;
    status = status == SN_OK ? advance(two.world, STEP, 240, &error) : status;
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        sn_verify_relative(verify, "slider, speed under a weight", 9.81 * STEP / 1e6,
                           speed_of(&one), 1e-9);
        sn_verify_near(verify, "two free bodies, fall after 1 s", 4.905,
                       sn_body_centre(two.world, two.a).x, 1e-11);
    }
    sn_world_destroy(one.world);
    sn_world_destroy(two.world);
}

static const sn_verify_case cases[] = {
    {"damper, lockstep", damper_decays},
    {"damped spring, lockstep", damped_spring},
    {"spring on a bar, lockstep", hinged_bar},
    {"spring that no step resolves", unresolved_spring},
    {"damper that no step resolves", strong_damper},
};

const sn_verify_group sn_verify_spring = {
    "springs", "springs and dampers of fields: decay, order, and strong ones", cases,
    sizeof cases / sizeof cases[0]};
