// Springs, damping and what must stay the same: energy, momentum, angular momentum.
#include <math.h>

#include "verify.h"

typedef struct pair {
    sn_world *world;
    sn_body a, b;
    sn_field spring;
} pair;

typedef struct pair_def {
    sn_policy policy;
    double mass_a, mass_b, stiffness, damping, rest_length, distance;
    sn_vec3 point_a, point_b, spin_a, gravity;
} pair_def;

static pair_def default_pair(void)
{
    pair_def def = {.policy = SN_POLICY_PRECISE,
                    .mass_a = 2.0,
                    .mass_b = 3.0,
                    .stiffness = 50.0,
                    .rest_length = 1.0,
                    .distance = 1.2};
    return def;
}

static sn_status make_pair(const pair_def *def, pair *two, sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = def->gravity;
    world_def.policy = def->policy;
    world_def.relative_tolerance = 1e-12;
    sn_status status = sn_world_create(&world_def, &two->world, error);
    sn_body_def body_def = sn_default_body_def();
    body_def.name = "a";
    body_def.mass.mass = def->mass_a;
    body_def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.2, 0.25));
    body_def.angular_velocity = def->spin_a;
    if (status == SN_OK) {
        status = sn_world_add_body(two->world, &body_def, &two->a, error);
    }
    body_def.name = "b";
    body_def.mass.mass = def->mass_b;
    body_def.angular_velocity = SN_VEC3_ZERO;
    body_def.frame.position.x = def->distance;
    if (status == SN_OK) {
        status = sn_world_add_body(two->world, &body_def, &two->b, error);
    }
    sn_spring_def spring_def = sn_default_spring_def();
    spring_def.name = "spring";
    spring_def.body_a = two->a;
    spring_def.body_b = two->b;
    spring_def.point_a = def->point_a;
    spring_def.point_b = def->point_b;
    spring_def.stiffness = def->stiffness;
    spring_def.damping = def->damping;
    spring_def.rest_length = def->rest_length;
    if (status == SN_OK) {
        status = sn_world_add_spring(two->world, &spring_def, &two->spring, error);
    }
    return status;
}

static sn_status advance(sn_world *world, double h, int steps, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
    }
    return status;
}

static double distance_of(const pair *two)
{
    return sn_body_centre(two->world, two->b).x - sn_body_centre(two->world, two->a).x;
}

// Two masses on a spring: length = l0 + (d - l0) cos(w t), w^2 = k (1/ma + 1/mb).
static void spring_pair(sn_verify *verify)
{
    sn_error error = {0};
    pair two = {0};
    pair_def def = default_pair();
    sn_status status = make_pair(&def, &two, &error);
    if (status == SN_OK) {
        status = advance(two.world, 0.1, 50, &error);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        double frequency = sqrt(50.0 * (1.0 / 2.0 + 1.0 / 3.0));
        sn_verify_near(verify, "length at 5 s", 1.0 + 0.2 * cos(5.0 * frequency), distance_of(&two),
                       1e-9);
        sn_verify_relative(verify, "energy at 5 s", 0.5 * 50.0 * 0.04,
                           sn_world_energy(two.world).total, 1e-9);
        sn_verify_near(verify, "momentum at 5 s", 0.0, sn_length(sn_world_momentum(two.world)),
                       1e-12);
        sn_verify_near(
            verify, "centre of mass at 5 s", 3.0 * 1.2 / 5.0,
            (2.0 * sn_body_centre(two.world, two.a).x + 3.0 * sn_body_centre(two.world, two.b).x) /
                5.0,
            1e-12);
    }
    sn_world_destroy(two.world);
}

// With a damper: exp(-z t) (cos(wd t) + z/wd sin(wd t)), z = c/2 (1/ma + 1/mb).
static void damped_pair(sn_verify *verify)
{
    sn_error error = {0};
    pair two = {0};
    pair_def def = default_pair();
    def.damping = 1.5;
    sn_status status = make_pair(&def, &two, &error);
    if (status == SN_OK) {
        status = advance(two.world, 0.1, 20, &error);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        double inverse_mass = 1.0 / 2.0 + 1.0 / 3.0, decay = 0.5 * 1.5 * inverse_mass;
        double frequency = sqrt(50.0 * inverse_mass - decay * decay);
        double swing =
            exp(-2.0 * decay) * (cos(2.0 * frequency) + decay / frequency * sin(2.0 * frequency));
        sn_verify_near(verify, "length at 2 s", 1.0 + 0.2 * swing, distance_of(&two), 1e-9);
    }
    sn_world_destroy(two.world);
}

// The spring holds both bodies off centre and one spins: motion without a closed form, whose
// momentum, angular momentum and energy still are known.
static void turning_pair(sn_verify *verify, sn_policy policy, double h, int steps,
                         double energy_limit)
{
    sn_error error = {0};
    pair two = {0};
    pair_def def = default_pair();
    def.policy = policy;
    def.point_a = sn_vec3_make(0.1, 0.05, 0.0);
    def.point_b = sn_vec3_make(-0.1, 0.0, 0.08);
    def.spin_a = sn_vec3_make(1.0, 2.0, 3.0);
    sn_status status = make_pair(&def, &two, &error);
    sn_vec3 angular_momentum = SN_VEC3_ZERO;
    double energy = 0.0, swing = 0.0, turned = 0.0;
    if (status == SN_OK) {
        angular_momentum = sn_world_angular_momentum(two.world);
        energy = sn_world_energy(two.world).total;
    }
    for (int i = 0; i < 100 && status == SN_OK; ++i) {
        status = advance(two.world, h, steps / 100, &error);
        swing = fmax(swing, fabs(sn_world_energy(two.world).total - energy) / energy);
        turned = fmax(turned, sn_distance(sn_world_angular_momentum(two.world), angular_momentum));
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        turned /= sn_length(angular_momentum);
        sn_verify_near(verify, "momentum", 0.0, sn_length(sn_world_momentum(two.world)), 1e-10);
        sn_verify_row(verify, "angular momentum, relative", 0.0, turned, turned,
                      policy == SN_POLICY_PRECISE ? 1e-9 : 1e-10);
        sn_verify_row(verify, "energy, relative", 0.0, swing, swing, energy_limit);
    }
    sn_world_destroy(two.world);
}

static void turning_precise(sn_verify *verify)
{
    turning_pair(verify, SN_POLICY_PRECISE, 0.1, 200, 1e-8);
}

static void turning_lockstep(sn_verify *verify)
{
    turning_pair(verify, SN_POLICY_LOCKSTEP, 1e-3, 100000, 1e-5);
}

// Constant gravity is integrated without error by the default integrator: z = v t - g t^2 / 2.
static void free_fall(sn_verify *verify)
{
    sn_error error = {0};
    pair two = {0};
    pair_def def = default_pair();
    def.policy = SN_POLICY_LOCKSTEP;
    def.gravity = sn_vec3_make(0.0, 0.0, -9.81);
    def.distance = def.rest_length;
    sn_status status = make_pair(&def, &two, &error);
    if (status == SN_OK) {
        status = advance(two.world, 0.01, 100, &error);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        sn_verify_near(verify, "height at 1 s", -4.905, sn_body_centre(two.world, two.a).z, 1e-12);
        sn_verify_near(verify, "speed at 1 s", -9.81, sn_body_velocity(two.world, two.b).z, 1e-12);
        sn_verify_near(verify, "potential energy at 1 s", -5.0 * 9.81 * 4.905,
                       sn_world_energy(two.world).potential, 1e-9);
    }
    sn_world_destroy(two.world);
}

static const sn_verify_case cases[] = {
    {"spring pair, precise", spring_pair},
    {"damped spring pair, precise", damped_pair},
    {"turning spring pair, precise, 20 s", turning_precise},
    {"turning spring pair, lockstep, 1e5 steps", turning_lockstep},
    {"free fall, lockstep", free_fall},
};

const sn_verify_group sn_verify_energy = {"energy",
                                          "springs and gravity: energy, momentum, angular momentum",
                                          cases, sizeof cases / sizeof cases[0]};
