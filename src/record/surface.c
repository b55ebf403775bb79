#include "record/surface.h"

#include "base/error.h"

// Do two shapes have the same surface, wherever they are and whatever their colour?
static bool same_surface(const sn_shape *a, const sn_shape *b)
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
    default:
        return a->mesh == b->mesh;
    }
}

static sn_status find_mesh(sn_surfaces *surfaces, const sn_shape *shape, int *found,
                           sn_error *error)
{
    for (int i = 0; i < surfaces->meshes.count; ++i) {
        if (same_surface(&surfaces->meshes.data[i].shape, shape)) {
            *found = i;
            return SN_OK;
        }
    }
    sn_surface_mesh made = {.shape = *shape};
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

static sn_status collect_body(const sn_world *world, int order, sn_surfaces *surfaces,
                              sn_error *error)
{
    sn_body body = sn_world_body(world, order);
    for (int i = 0; i < sn_body_shape_count(world, body); ++i) {
        const sn_shape *shape = sn_body_shape(world, body, i);
        sn_placement placement = {.body = order, .frame = shape->frame, .colour = shape->colour};
        sn_status status = find_mesh(surfaces, shape, &placement.mesh, error);
        if (status != SN_OK) {
            return status;
        }
        if (!sn_array_push(&surfaces->placements, placement)) {
            return sn_fail_memory(error, sizeof placement);
        }
    }
    return SN_OK;
}

sn_status sn_surfaces_collect(const sn_world *world, sn_surfaces *surfaces, sn_error *error)
{
    *surfaces = (sn_surfaces){0};
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_status status = collect_body(world, i, surfaces, error);
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
