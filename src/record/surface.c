#include "record/surface.h"

#include <math.h>

#include "base/error.h"
#include "geometry/reach.h"
#include "sinew/elastic.h"

bool sn_surface_same(const sn_shape *a, const sn_shape *b)
{
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case SN_SHAPE_SPHERE:
        return a->radius == b->radius;
    case SN_SHAPE_BOX:
        return a->size.x == b->size.x && a->size.y == b->size.y && a->size.z == b->size.z &&
               a->rounding == b->rounding;
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
    case SN_SHAPE_CAPSULE:
        return a->radius == b->radius && a->height == b->height;
    case SN_SHAPE_TORUS:
        return a->radius == b->radius && a->tube_radius == b->tube_radius;
    case SN_SHAPE_PLANE:
        return a->size.x == b->size.x && a->size.y == b->size.y;
    case SN_SHAPE_HEIGHT_FIELD:
        return a->field == b->field;
    default:
        return a->mesh == b->mesh && a->field == b->field && a->rounding == b->rounding;
    }
}

static sn_status find_mesh(sn_surfaces *surfaces, const sn_shape *shape, int *found,
                           sn_error *error)
{
    for (int i = 0; i < surfaces->meshes.count; ++i) {
        if (sn_surface_same(&surfaces->meshes.data[i].shape, shape)) {
            *found = i;
            return SN_OK;
        }
    }
    sn_surface_mesh made = {.shape = *shape, .bent = -1};
    sn_status status = sn_shape_mesh(shape, 0.0, &made.mesh, error);
    if (status != SN_OK) {
        return status;
    }
    if (!sn_array_push(&surfaces->meshes, made)) {
        sn_mesh_release(made.mesh);
        return sn_fail_memory(error, sizeof made);
    }
    *found = surfaces->meshes.count - 1;
    return SN_OK;
}

// ---- planes ----

// A box that holds everything but planes.
typedef struct extent {
    sn_vec3 lower, upper;
    bool any;
} extent;

static void extend(extent *all, sn_vec3 centre, double radius)
{
    sn_vec3 reach = {radius, radius, radius};
    sn_vec3 lower = sn_vec3_sub(centre, reach), upper = sn_vec3_add(centre, reach);
    all->lower = all->any ? sn_vec3_min(all->lower, lower) : lower;
    all->upper = all->any ? sn_vec3_max(all->upper, upper) : upper;
    all->any = true;
}

static extent find_extent(const sn_world *world)
{
    extent all = {0};
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        for (int k = 0; k < sn_body_shape_count(world, body); ++k) {
            const sn_shape *shape = sn_body_shape(world, body, k);
            if (shape->type != SN_SHAPE_PLANE) {
                extend(&all,
                       sn_transform_point(sn_body_transform(world, body), shape->frame.position),
                       sn_shape_reach(shape));
            }
        }
        const sn_mesh *bends = sn_body_display(world, body);
        for (int k = 0; bends != NULL && k < sn_mesh_vertex_count(bends); ++k) {
            extend(&all,
                   sn_transform_point(sn_body_transform(world, body), sn_mesh_positions(bends)[k]),
                   0.0);
        }
    }
    return all;
}

// What is shown of a plane without end: a square about its origin that reaches twice as far as
// anything else does at the start.
static sn_shape drawn_shape(const sn_world *world, sn_body body, const sn_shape *shape,
                            const extent *all)
{
    sn_shape drawn = *shape;
    if (shape->type != SN_SHAPE_PLANE || !all->any) {
        return drawn;
    }
    sn_vec3 origin = sn_transform_point(sn_body_transform(world, body), shape->frame.position);
    sn_vec3 below = sn_vec3_sub(origin, all->lower), above = sn_vec3_sub(all->upper, origin);
    sn_vec3 far = {fmax(fabs(below.x), fabs(above.x)), fmax(fabs(below.y), fabs(above.y)),
                   fmax(fabs(below.z), fabs(above.z))};
    double size = 4.0 * sn_length(far);
    drawn.size = size > 0.0 && isfinite(size) ? sn_vec3_make(size, size, size) : drawn.size;
    return drawn;
}

static sn_status collect_body(const sn_world *world, int order, const extent *all,
                              sn_surfaces *surfaces, sn_error *error)
{
    sn_body body = sn_world_body(world, order);
    for (int i = 0; i < sn_body_shape_count(world, body); ++i) {
        if (!sn_shape_is_drawn(sn_body_shape(world, body, i))) {
            continue;
        }
        sn_shape shape = drawn_shape(world, body, sn_body_shape(world, body, i), all);
        sn_placement placement = {.body = order,
                                  .frame = shape.frame,
                                  .colour = shape.colour & 0xFFFFFF,
                                  .roughness = shape.roughness,
                                  .metallic = shape.metallic};
        sn_status status = find_mesh(surfaces, &shape, &placement.mesh, error);
        if (status != SN_OK) {
            return status;
        }
        if (!sn_array_push(&surfaces->placements, placement)) {
            return sn_fail_memory(error, sizeof placement);
        }
    }
    return SN_OK;
}

// What is seen of a body that bends has a mesh of its own.
static sn_status collect_bend(const sn_world *world, int order, const sn_mesh *mesh,
                              sn_surfaces *surfaces, sn_error *error)
{
    sn_look look = sn_body_look(world, sn_world_body(world, order));
    sn_placement placement = {.body = order,
                              .mesh = surfaces->meshes.count,
                              .frame = SN_TRANSFORM_IDENTITY,
                              .colour = look.colour & 0xFFFFFF,
                              .roughness = look.roughness,
                              .metallic = look.metallic,
                              .bends = true};
    sn_surface_mesh made = {.mesh = sn_mesh_retain((sn_mesh *)mesh), .bent = order};
    made.shape.type = SN_SHAPE_TYPE_COUNT; // like no other
    if (!sn_array_push(&surfaces->meshes, made)) {
        sn_mesh_release(made.mesh);
        return sn_fail_memory(error, sizeof made);
    }
    return sn_array_push(&surfaces->placements, placement)
               ? SN_OK
               : sn_fail_memory(error, sizeof placement);
}

sn_status sn_surfaces_collect(const sn_world *world, sn_surfaces *surfaces, sn_error *error)
{
    *surfaces = (sn_surfaces){0};
    extent all = find_extent(world);
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_status status = collect_body(world, i, &all, surfaces, error);
        const sn_mesh *display = sn_body_display(world, sn_world_body(world, i));
        if (status == SN_OK && display != NULL) {
            status = collect_bend(world, i, display, surfaces, error);
        }
        if (status != SN_OK) {
            sn_surfaces_free(surfaces);
            return status;
        }
    }
    return SN_OK;
}

void sn_surfaces_free(sn_surfaces *surfaces)
{
    for (int i = 0; i < surfaces->meshes.count; ++i) {
        sn_mesh_release(surfaces->meshes.data[i].mesh);
    }
    sn_array_free(&surfaces->meshes);
    sn_array_free(&surfaces->placements);
}
