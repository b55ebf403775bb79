#include "sinew/geometry.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mass.h"

const char *sn_shape_type_word(sn_shape_type type)
{
    static const char *const words[] = {"sphere", "box",  "cylinder", "cone",  "capsule",
                                        "torus",  "mesh", "hull",     "plane", "height_field"};
    return (unsigned)type < SN_SHAPE_TYPE_COUNT ? words[type] : "";
}

sn_surface sn_default_surface(void)
{
    return (sn_surface){.friction = 0.5, .group = 1, .meets = 0xFFFFFFFF};
}

sn_shape sn_default_shape(void)
{
    sn_shape shape = {
        .type = SN_SHAPE_SPHERE,
        .radius = 1.0,
        .tube_radius = 0.25,
        .height = 1.0,
        .size = {1.0, 1.0, 1.0},
        .rounding = 0.0,
        .mesh = NULL,
        .field = NULL,
        .frame = SN_TRANSFORM_IDENTITY,
        .density = 1000.0,
        .colour = 0xB8BCC4,
        .roughness = 0.5,
        .surface = sn_default_surface(),
    };
    return shape;
}

static sn_status check_length(const char *place, const char *name, double value, sn_error *error)
{
    if (!(value > 0.0) || !isfinite(value)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "%s is %g m; a finite length above 0 was expected", name, value);
    }
    return SN_OK;
}

bool sn_shape_touches(const sn_shape *shape)
{
    return shape->role != SN_ROLE_VISUAL;
}

bool sn_shape_is_drawn(const sn_shape *shape)
{
    return shape->role != SN_ROLE_COLLISION;
}

bool sn_shape_is_ground(const sn_shape *shape)
{
    return shape->type == SN_SHAPE_PLANE || shape->type == SN_SHAPE_HEIGHT_FIELD;
}

void sn_shape_retain(const sn_shape *shape)
{
    if (shape->type == SN_SHAPE_MESH || shape->type == SN_SHAPE_HULL) {
        sn_mesh_retain(shape->mesh);
    } else if (shape->type == SN_SHAPE_HEIGHT_FIELD) {
        sn_height_field_retain(shape->field);
    }
}

void sn_shape_release(const sn_shape *shape)
{
    if (shape->type == SN_SHAPE_MESH || shape->type == SN_SHAPE_HULL) {
        sn_mesh_release(shape->mesh);
    } else if (shape->type == SN_SHAPE_HEIGHT_FIELD) {
        sn_height_field_release(shape->field);
    }
}

// ---- checks ----

// The dimensions that the type uses, in the order of the struct.
static sn_status check_dimensions(const sn_shape *shape, const char *place, sn_error *error)
{
    sn_shape_type type = shape->type;
    bool round = type != SN_SHAPE_BOX && type < SN_SHAPE_MESH;
    bool high = type == SN_SHAPE_CYLINDER || type == SN_SHAPE_CONE || type == SN_SHAPE_CAPSULE;
    sn_status status = SN_OK;
    if (round) {
        status = check_length(place, "radius", shape->radius, error);
    }
    if (status == SN_OK && high && !(type == SN_SHAPE_CAPSULE && shape->height == 0.0)) {
        status = check_length(place, "height", shape->height, error);
    }
    if (status == SN_OK && type == SN_SHAPE_TORUS) {
        status = check_length(place, "tube radius", shape->tube_radius, error);
        if (status == SN_OK && shape->tube_radius > shape->radius) {
            status = sn_fail(error, SN_ERROR_ARGUMENT, place,
                             "tube radius is %g m; at most the torus' radius %g m was expected",
                             shape->tube_radius, shape->radius);
        }
    }
    if (status == SN_OK && type == SN_SHAPE_BOX) {
        status = check_length(place, "size in x", shape->size.x, error);
        status = status == SN_OK ? check_length(place, "size in y", shape->size.y, error) : status;
        status = status == SN_OK ? check_length(place, "size in z", shape->size.z, error) : status;
    }
    if (status == SN_OK && (type == SN_SHAPE_MESH || type == SN_SHAPE_HULL) &&
        shape->mesh == NULL) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, place, "a %s shape without a mesh",
                         type == SN_SHAPE_MESH ? "mesh" : "hull");
    }
    if (status == SN_OK && type == SN_SHAPE_HEIGHT_FIELD && shape->field == NULL) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, place, "a height field shape without a field");
    }
    return status;
}

// Of the two types that have one.
static sn_status check_rounding(const sn_shape *shape, const char *place, sn_error *error)
{
    double least = fmin(shape->size.x, fmin(shape->size.y, shape->size.z));
    if (!(shape->rounding >= 0.0) || !isfinite(shape->rounding)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "rounding is %g m; a finite length not below 0 was expected",
                       shape->rounding);
    }
    if (shape->type == SN_SHAPE_BOX && 2.0 * shape->rounding > least) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "rounding is %g m; at most half of the smallest edge, %g m, was expected",
                       shape->rounding, least);
    }
    return SN_OK;
}

static sn_status check_coefficient(const char *place, const char *name, const char *unit,
                                   double value, sn_error *error)
{
    if (!(value >= 0.0) || !isfinite(value)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "%s is %g%s; a finite number not below 0 was expected", name, value, unit);
    }
    return SN_OK;
}

sn_status sn_shape_surface_check(const sn_surface *surface, const char *place, sn_error *error)
{
    sn_status status = check_coefficient(place, "friction", "", surface->friction, error);
    if (status == SN_OK && !(surface->restitution >= 0.0 && surface->restitution <= 1.0)) {
        status =
            sn_fail(error, SN_ERROR_ARGUMENT, place,
                    "restitution is %g; a number from 0 to 1 was expected", surface->restitution);
    }
    if (status == SN_OK) {
        status =
            check_coefficient(place, "rolling friction", " m", surface->rolling_friction, error);
    }
    if (status == SN_OK) {
        status =
            check_coefficient(place, "spinning friction", " m", surface->spinning_friction, error);
    }
    if (status == SN_OK && !sn_vec3_is_finite(surface->velocity)) {
        status =
            sn_fail(error, SN_ERROR_ARGUMENT, place,
                    "velocity of the surface is (%g, %g, %g) m/s; finite numbers were expected",
                    surface->velocity.x, surface->velocity.y, surface->velocity.z);
    }
    return status;
}

sn_status sn_shape_check(const sn_shape *shape, const char *place, sn_error *error)
{
    if ((unsigned)shape->type >= SN_SHAPE_TYPE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place, "type %d; 0 to %d were expected",
                       (int)shape->type, SN_SHAPE_TYPE_COUNT - 1);
    }
    if ((unsigned)shape->role > SN_ROLE_COLLISION) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place, "role %d; 0 to %d were expected",
                       (int)shape->role, SN_ROLE_COLLISION);
    }
    sn_status status = check_dimensions(shape, place, error);
    if (status == SN_OK && (shape->type == SN_SHAPE_BOX || shape->type == SN_SHAPE_HULL)) {
        status = check_rounding(shape, place, error);
    }
    status = status == SN_OK ? sn_shape_surface_check(&shape->surface, place, error) : status;
    if (status != SN_OK) {
        return status;
    }
    if (!(shape->density >= 0.0) || !isfinite(shape->density)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "density is %g kg/m^3; a finite number not below 0 was expected",
                       shape->density);
    }
    sn_quat q = shape->frame.rotation;
    double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!sn_vec3_is_finite(shape->frame.position) || !(fabs(norm2 - 1.0) < 1e-6)) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, place,
            "frame has position (%g, %g, %g) and a rotation of length %g; a finite position "
            "and length 1 were expected",
            shape->frame.position.x, shape->frame.position.y, shape->frame.position.z, sqrt(norm2));
    }
    return SN_OK;
}

// ---- mass properties ----

static sn_status hull_mass_properties(const sn_shape *shape, sn_mass_properties *mass,
                                      sn_error *error)
{
    sn_mesh *hull;
    sn_status status = sn_mesh_convex_hull(sn_mesh_positions(shape->mesh),
                                           sn_mesh_vertex_count(shape->mesh), &hull, error);
    status = status == SN_OK ? sn_mesh_mass_properties(hull, shape->density, mass, error) : status;
    sn_mesh_release(hull);
    return status;
}

static sn_status own_mass_properties(const sn_shape *shape, sn_mass_properties *mass,
                                     sn_error *error)
{
    double density = shape->density;
    switch (shape->type) {
    case SN_SHAPE_SPHERE:
        *mass = sn_sphere_mass_properties(shape->radius, density);
        return SN_OK;
    case SN_SHAPE_BOX:
        *mass = shape->rounding > 0.0
                    ? sn_rounded_box_mass_properties(shape->size, shape->rounding, density)
                    : sn_box_mass_properties(shape->size, density);
        return SN_OK;
    case SN_SHAPE_CYLINDER:
        *mass = sn_cylinder_mass_properties(shape->radius, shape->height, density);
        return SN_OK;
    case SN_SHAPE_CONE:
        *mass = sn_cone_mass_properties(shape->radius, shape->height, density);
        return SN_OK;
    case SN_SHAPE_CAPSULE:
        *mass = sn_capsule_mass_properties(shape->radius, shape->height, density);
        return SN_OK;
    case SN_SHAPE_TORUS:
        *mass = sn_torus_mass_properties(shape->radius, shape->tube_radius, density);
        return SN_OK;
    case SN_SHAPE_HULL:
        return hull_mass_properties(shape, mass, error);
    default:
        return sn_mesh_mass_properties(shape->mesh, density, mass, error);
    }
}

static bool is_identity(sn_transform frame)
{
    return frame.position.x == 0.0 && frame.position.y == 0.0 && frame.position.z == 0.0 &&
           frame.rotation.x == 0.0 && frame.rotation.y == 0.0 && frame.rotation.z == 0.0;
}

sn_status sn_shape_mass_properties(const sn_shape *shapes, int count, sn_mass_properties *mass,
                                   sn_error *error)
{
    if (count < 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d shapes; at least one was expected",
                       count);
    }
    sn_mass_properties *parts = sn_allocate((size_t)count * sizeof *parts);
    if (parts == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *parts);
    }
    sn_status status = SN_OK;
    int weighed = 0;
    for (int i = 0; status == SN_OK && i < count; ++i) {
        char place[32] = "shape";
        if (count > 1) {
            snprintf(place, sizeof place, "shape %d", i);
        }
        status = sn_shape_check(&shapes[i], place, error);
        if (status == SN_OK && sn_shape_is_ground(&shapes[i])) {
            status = sn_fail(error, SN_ERROR_ARGUMENT, place,
                             "a %s has no mass; it can only be part of a static body",
                             shapes[i].type == SN_SHAPE_PLANE ? "plane" : "height field");
        }
        if (status != SN_OK || !sn_shape_touches(&shapes[i])) {
            continue;
        }
        sn_mass_properties *part = &parts[weighed++];
        status = own_mass_properties(&shapes[i], part, error);
        if (status == SN_OK && !is_identity(shapes[i].frame)) {
            sn_transform frame = shapes[i].frame;
            frame.rotation = sn_quat_normalize(frame.rotation);
            *part = sn_mass_properties_move(part, frame);
        }
    }
    if (status == SN_OK) {
        *mass = weighed > 0 ? sn_mass_properties_sum(parts, weighed) : (sn_mass_properties){0};
    }
    sn_free(parts);
    if (status == SN_OK && !(mass->mass > 0.0 && isfinite(mass->mass))) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "the shapes weigh %g kg together; a finite mass above 0 was expected",
                         mass->mass);
    }
    return status;
}

// ---- meshes ----

// Surfaces curved in both directions deviate by the sag of both, so each gets half of the
// tolerance.
static int segments_for(const sn_shape *shape, double tolerance)
{
    if (tolerance == 0.0) {
        return 32;
    }
    bool single = shape->type == SN_SHAPE_CYLINDER || shape->type == SN_SHAPE_CONE;
    double widest = shape->type == SN_SHAPE_TORUS ? shape->radius + shape->tube_radius
                    : shape->type == SN_SHAPE_BOX ? shape->rounding
                                                  : shape->radius;
    return sn_segments_for_tolerance(widest, single ? tolerance : 0.5 * tolerance);
}

static sn_status curved_mesh(const sn_shape *shape, double tolerance, sn_mesh **mesh,
                             sn_error *error)
{
    int segments = segments_for(shape, tolerance);
    switch (shape->type) {
    case SN_SHAPE_BOX:
        return sn_mesh_rounded_box(shape->size, shape->rounding, segments, mesh, error);
    case SN_SHAPE_SPHERE:
        return sn_mesh_sphere(shape->radius, segments, mesh, error);
    case SN_SHAPE_CYLINDER:
        return sn_mesh_cylinder(shape->radius, shape->height, segments, mesh, error);
    case SN_SHAPE_CONE:
        return sn_mesh_cone(shape->radius, shape->height, segments, mesh, error);
    case SN_SHAPE_CAPSULE:
        return sn_mesh_capsule(shape->radius, shape->height, segments, mesh, error);
    default:
        return sn_mesh_torus(shape->radius, shape->tube_radius, segments, mesh, error);
    }
}

static sn_status plane_mesh(sn_vec3 size, sn_mesh **mesh, sn_error *error)
{
    double x = 0.5 * size.x, y = 0.5 * size.y;
    const sn_vec3 corners[4] = {{-x, -y, 0.0}, {x, -y, 0.0}, {x, y, 0.0}, {-x, y, 0.0}};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    if (!(x > 0.0) || !(y > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "size of the plane to draw is %g by %g m; lengths above 0 were expected",
                       size.x, size.y);
    }
    return sn_mesh_create(corners, 4, triangles, 2, mesh, error);
}

sn_status sn_shape_mesh(const sn_shape *shape, double tolerance, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_shape_check(shape, "shape", error);
    if (status == SN_OK && !(tolerance >= 0.0)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "tolerance %g m; a length, or 0 for the default, was expected", tolerance);
    }
    if (status != SN_OK) {
        return status;
    }
    switch (shape->type) {
    case SN_SHAPE_MESH:
        *mesh = sn_mesh_retain(shape->mesh);
        return SN_OK;
    case SN_SHAPE_HULL:
        return sn_mesh_convex_hull(sn_mesh_positions(shape->mesh),
                                   sn_mesh_vertex_count(shape->mesh), mesh, error);
    case SN_SHAPE_PLANE:
        return plane_mesh(shape->size, mesh, error);
    case SN_SHAPE_HEIGHT_FIELD:
        return sn_height_field_mesh(shape->field, mesh, error);
    default:
        return curved_mesh(shape, tolerance, mesh, error);
    }
}
