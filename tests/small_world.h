// Worlds of a few plain bodies, shared by the tests of steps and events.
#ifndef SN_TESTS_SMALL_WORLD_H
#define SN_TESTS_SMALL_WORLD_H

#include "sinew/world.h"
#include "world_steps.h"

static inline sn_world *make_world(sn_policy policy, sn_vec3 gravity)
{
    sn_world_def def = sn_default_world_def();
    def.policy = policy;
    def.gravity = gravity;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

// One kilogram, with three different moments and its centre of mass beside its origin.
static inline sn_body add_body(sn_world *world, const char *name, sn_vec3 velocity,
                               sn_vec3 angular_velocity, sn_integrator integrator)
{
    sn_body_def def = sn_default_body_def();
    def.name = name;
    def.velocity = velocity;
    def.angular_velocity = angular_velocity;
    def.mass.mass = 1.0;
    def.mass.centre = sn_vec3_make(0.1, 0.05, 0.02);
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.15, 0.2));
    def.integrator = integrator;
    sn_body body;
    sn_error error = {0};
    if (sn_world_add_body(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

static inline double read(const sn_world *world, sn_body body, sn_quantity quantity)
{
    sn_probe probe = {.body = body, .quantity = quantity};
    return sn_probe_read(world, &probe);
}

#endif
