// Random shapes of every kind and of awkward proportions, shared by the tests that shake contact.
#ifndef SN_TESTS_RANDOM_SHAPE_H
#define SN_TESTS_RANDOM_SHAPE_H

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "sinew/sinew.h"

typedef enum random_kind {
    RANDOM_SPHERE,
    RANDOM_CAPSULE,
    RANDOM_BOX,
    RANDOM_ROUNDED_BOX,
    RANDOM_CYLINDER,
    RANDOM_CONE,
    RANDOM_HULL,
    RANDOM_CONVEX_KINDS,
    RANDOM_TORUS = RANDOM_CONVEX_KINDS,
    RANDOM_MESH,
    RANDOM_MOVING_KINDS,
    RANDOM_OPEN_MESH = RANDOM_MOVING_KINDS,
    RANDOM_HEIGHT_FIELD,
    RANDOM_PLANE,
    RANDOM_KINDS
} random_kind;

static inline void random_ok(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(error));
        fail();
    }
}

static inline sn_vec3 random_vec3(sn_random *random, double size)
{
    double x = sn_random_range(random, -size, size), y = sn_random_range(random, -size, size);
    return sn_vec3_make(x, y, sn_random_range(random, -size, size));
}

static inline sn_vec3 random_direction(sn_random *random)
{
    for (;;) {
        sn_vec3 v = random_vec3(random, 1.0);
        double square = sn_dot(v, v);
        if (square > 0.01 && square < 1.0) {
            return sn_vec3_scale(1.0 / sqrt(square), v);
        }
    }
}

static inline sn_quat random_turn(sn_random *random)
{
    sn_vec3 axis = random_direction(random);
    double w = sn_random_range(random, -1.0, 1.0);
    return sn_quat_normalize((sn_quat){w, axis.x, axis.y, axis.z});
}

// A power of ten between two exponents.
static inline double random_decade(sn_random *random, double from, double to)
{
    return pow(10.0, sn_random_range(random, from, to));
}

// Points of a ball or, thinner than that, of a plate or a needle: hulls with no two alike.
static inline sn_mesh *random_hull(sn_random *random, sn_vec3 size)
{
    enum { POINTS = 12 };
    sn_vec3 points[POINTS];
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    for (int i = 0; i < POINTS; ++i) {
        points[i] = sn_vec3_multiply(sn_vec3_scale(0.5, size), random_direction(random));
    }
    random_ok(sn_mesh_convex_hull(points, POINTS, &mesh, &error), &error);
    return mesh;
}

// An open sheet of bumps, 1 by 1 before it is scaled.
static inline sn_height_field *random_field(sn_random *random, sn_vec3 size)
{
    enum { SIDE = 7 };
    double heights[SIDE * SIDE];
    sn_height_field *field = NULL;
    sn_error error = {0};
    for (int i = 0; i < SIDE * SIDE; ++i) {
        heights[i] = size.z * sn_random_range(random, -0.5, 0.5);
    }
    random_ok(sn_height_field_create(heights, SIDE, SIDE, size.x, size.y, &field, &error), &error);
    return field;
}

// A shape of about this size in x, y and z. It holds a reference to its mesh or field, which
// sn_shape_release gives back.
static inline sn_shape random_shape(sn_random *random, random_kind kind, sn_vec3 size)
{
    static const sn_shape_type types[RANDOM_KINDS] = {
        SN_SHAPE_SPHERE,   SN_SHAPE_CAPSULE, SN_SHAPE_BOX,          SN_SHAPE_BOX,
        SN_SHAPE_CYLINDER, SN_SHAPE_CONE,    SN_SHAPE_HULL,         SN_SHAPE_TORUS,
        SN_SHAPE_MESH,     SN_SHAPE_MESH,    SN_SHAPE_HEIGHT_FIELD, SN_SHAPE_PLANE};
    sn_shape shape = sn_default_shape();
    sn_error error = {0};
    shape.type = types[kind];
    shape.size = size;
    shape.radius = 0.5 * (kind == RANDOM_SPHERE ? size.z : fmin(size.x, size.y));
    shape.height = size.z;
    if (kind == RANDOM_ROUNDED_BOX) {
        shape.rounding = sn_random_range(random, 0.05, 0.5) * fmin(size.x, fmin(size.y, size.z));
    } else if (kind == RANDOM_TORUS) {
        shape.tube_radius = fmin(0.4 * shape.radius, 0.5 * size.z);
        shape.radius -= shape.tube_radius;
    } else if (kind == RANDOM_HULL) {
        shape.mesh = random_hull(random, size);
        shape.rounding = sn_random_below(random, 3) == 0 ? 0.02 * size.z : 0.0;
    } else if (kind == RANDOM_MESH) {
        sn_mesh *mesh = NULL;
        random_ok(sn_random_below(random, 2) == 0 ? sn_mesh_torus(0.35, 0.15, 8, &mesh, &error)
                                                  : sn_mesh_sphere(0.5, 8, &mesh, &error),
                  &error);
        random_ok(sn_mesh_transformed(mesh, size, SN_TRANSFORM_IDENTITY, &shape.mesh, &error),
                  &error);
        sn_mesh_release(mesh);
    } else if (kind == RANDOM_OPEN_MESH || kind == RANDOM_HEIGHT_FIELD) {
        shape.field = random_field(random, size);
    }
    if (kind == RANDOM_OPEN_MESH) {
        sn_height_field *field = shape.field;
        shape.field = NULL;
        random_ok(sn_height_field_mesh(field, &shape.mesh, &error), &error);
        sn_height_field_release(field);
    }
    return shape;
}

#endif
