// Worlds of bodies, joints and springs for the tests of statics, modes and inverse dynamics.
#ifndef SN_TESTS_MECHANICS_WORLD_H
#define SN_TESTS_MECHANICS_WORLD_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "joint_at.h"
#include "sinew/mechanics.h"

static const double g = 9.81;
static const sn_vec3 down = {0, 0, -9.81}, along_y = {0, 1, 0};
static const sn_body ground = {0};

static inline sn_world *make_world(sn_vec3 gravity)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = gravity;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static inline sn_body add_body(sn_world *world, const char *name, double mass, sn_vec3 inertia,
                               sn_transform frame)
{
    sn_body_def def = sn_default_body_def();
    def.name = name;
    def.frame = frame;
    def.mass.mass = mass;
    def.mass.inertia = sn_mat3_diagonal(inertia);
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static inline sn_body add_bob(sn_world *world, const char *name, double mass, sn_vec3 position)
{
    double i = 1e-12 * mass;
    return add_body(world, name, mass, sn_vec3_make(i, i, i),
                    (sn_transform){position, SN_QUAT_IDENTITY});
}

static inline sn_joint add_joint(sn_world *world, const char *name, sn_joint_type type,
                                 sn_body parent, sn_body child, sn_vec3 at, sn_vec3 axis)
{
    sn_joint_def def = joint_at(world, name, type, parent, child, at, axis);
    return add(world, &def);
}

static inline void add_spring(sn_world *world, sn_body a, sn_vec3 on_a, sn_body b, sn_vec3 on_b,
                              double stiffness, double rest)
{
    sn_spring_def def = sn_default_spring_def();
    def.body_a = a;
    def.body_b = b;
    def.point_a = on_a;
    def.point_b = on_b;
    def.stiffness = stiffness;
    def.rest_length = rest;
    sn_field field;
    assert_int_equal(sn_world_add_spring(world, &def, &field, NULL), SN_OK);
}

static inline sn_equilibrium settle(sn_world *world, const sn_equilibrium_def *def)
{
    sn_equilibrium rest;
    sn_error error = {0};
    if (sn_world_equilibrium(world, def, &rest, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return rest;
}

static inline sn_modes find_modes(sn_world *world)
{
    sn_modes modes;
    sn_error error = {0};
    if (sn_world_modes(world, &modes, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return modes;
}

static inline void close_to(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        fail_msg("%.15g, expected %.15g: off by %.2g", value, expected,
                 fabs(value / expected - 1.0));
    }
}

static inline double random_in(sn_random *random, double size)
{
    return sn_random_range(random, -size, size);
}

static inline sn_vec3 random_vec3(sn_random *random, double size)
{
    double x = random_in(random, size), y = random_in(random, size);
    return sn_vec3_make(x, y, random_in(random, size));
}

// Each mode against what it was derived from: the potential's second difference along it is
// omega^2, and as velocities it has the kinetic energy 1/2.
static inline void check_modes_by_energy(sn_world *world)
{
    sn_modes modes = find_modes(world);
    double rest = sn_world_energy(world).potential, a = 1e-3;
    for (int i = 0; i < modes.count; ++i) {
        double w = modes.list[i].angular_frequency, quarter = 0.5 * SN_PI / w, sum = 0.0;
        if (modes.list[i].type != SN_MODE_SWINGS) {
            continue;
        }
        double scale = a;
        for (int j = 0; j < modes.coordinates; ++j) {
            double entry = fabs(modes.shapes[i * modes.coordinates + j]);
            scale = entry > 1.0 ? fmin(scale, a / entry) : scale;
        }
        for (int side = -1; side <= 1; side += 2) {
            assert_int_equal(sn_modes_swing(world, &modes, i, side * scale, quarter, NULL), SN_OK);
            sum += sn_world_energy(world).potential - rest;
        }
        if (fabs(sum / (scale * scale) - w * w) >
            1e-4 * w * w + 1e-13 * fabs(rest) / (scale * scale)) {
            fail_msg("mode %d: %g, expected %g", i, sum / (scale * scale), w * w);
        }
        assert_int_equal(sn_modes_swing(world, &modes, i, scale, 0.0, NULL), SN_OK);
        close_to(sn_world_energy(world).kinetic, 0.5 * scale * scale * w * w, 1e-7);
    }
    sn_modes_free(&modes);
}

#endif
