#include "field/occluder.h"

#include "base/error.h"
#include "geometry/mesh.h"
#include "geometry/mesh_check.h"

#define SLENDER   4.0 // height of a bar by its radius
#define BAR_CAP   (0.25 * SN_PI)
#define FLAT      0.99 // cosine between normals of a flat sheet's faces,
#define FLAT_PART 0.85 // and the share of the area that they must have

bool sn_occluder_is_bar(const sn_shape *shape)
{
    return (shape->type == SN_SHAPE_CAPSULE || shape->type == SN_SHAPE_CYLINDER) &&
           shape->height > SLENDER * shape->radius;
}

static bool hides(const sn_shape *shape)
{
    return !shape->surface.sensor && sn_shape_touches(shape) && shape->type != SN_SHAPE_PLANE;
}

// ---- bars ----

// The picture of a capsule is a rectangle and two half discs, which have the area of a rectangle
// pi/4 radii long.
static bool add_bar(sn_occluder *occluder, const sn_shape *shape)
{
    double half =
        0.5 * shape->height + (shape->type == SN_SHAPE_CAPSULE ? BAR_CAP * shape->radius : 0.0);
    sn_occluder_bar bar = {
        {sn_transform_point(shape->frame, sn_vec3_make(0.0, 0.0, -half)),
         sn_transform_point(shape->frame, sn_vec3_make(0.0, 0.0, half))},
        shape->radius,
    };
    return sn_array_push(&occluder->bars, bar);
}

// ---- faces ----

// Along the normal of the largest triangle: a sheet has nearly all of its area there, on two sides.
static bool find_sheet(const sn_mesh *mesh, sn_vec3 *normal)
{
    double most = 0.0, flat = 0.0, whole = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_vec3 vector = sn_mesh_area_vector(mesh, i);
        double area = sn_length(vector);
        whole += area;
        if (area > most) {
            most = area;
            *normal = sn_vec3_scale(1.0 / area, vector);
        }
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_vec3 vector = sn_mesh_area_vector(mesh, i);
        flat += fabs(sn_dot(vector, *normal)) > FLAT * sn_length(vector) ? sn_length(vector) : 0.0;
    }
    return most > 0.0 && flat > FLAT_PART * whole;
}

static bool add_faces(sn_occluder *occluder, const sn_shape *shape, const sn_mesh *mesh)
{
    bool open = sn_mesh_check_closed(mesh, NULL) != SN_OK;
    sn_vec3 sheet = SN_VEC3_ZERO;
    bool is_sheet = !open && find_sheet(mesh, &sheet);
    int first = occluder->corners.count;
    bool done = true;
    for (int i = 0; i < mesh->vertex_count && done; ++i) {
        sn_vec3 corner = sn_transform_point(shape->frame, mesh->positions[i]);
        done = sn_array_push(&occluder->corners, corner);
    }
    for (int i = 0; i < mesh->triangle_count && done; ++i) {
        sn_vec3 vector = sn_mesh_area_vector(mesh, i);
        double area = sn_length(vector);
        if (!(area > 0.0) || (is_sheet && fabs(sn_dot(vector, sheet)) < 0.5 * area)) {
            continue;
        }
        const int *corners = mesh->triangles + 3 * (size_t)i;
        sn_occluder_face face = {
            .corners = {first + corners[0], first + corners[1], first + corners[2]},
            .open = open,
            .normal = sn_rotate(shape->frame.rotation, vector)};
        face.offset = sn_dot(face.normal, occluder->corners.data[face.corners[0]]);
        done = sn_array_push(&occluder->faces, face);
    }
    return done;
}

// ---- the whole ----

static void grow(sn_aabb *box, sn_vec3 point, double by)
{
    sn_vec3 margin = {by, by, by};
    box->lower = sn_vec3_min(box->lower, sn_vec3_sub(point, margin));
    box->upper = sn_vec3_max(box->upper, sn_vec3_add(point, margin));
}

// A ball about the middle of the box around it.
static void find_ball(sn_occluder *occluder, const sn_patch *patches, int count)
{
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < occluder->corners.count; ++i) {
        grow(&box, occluder->corners.data[i], 0.0);
    }
    for (int i = 0; i < occluder->bars.count; ++i) {
        grow(&box, occluder->bars.data[i].ends[0], occluder->bars.data[i].radius);
        grow(&box, occluder->bars.data[i].ends[1], occluder->bars.data[i].radius);
    }
    for (int i = 0; i < count; ++i) {
        grow(&box, patches[i].centre, 0.0);
    }
    occluder->centre = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    occluder->radius = 0.5 * sn_distance(box.lower, box.upper);
    if (!(box.lower.x <= box.upper.x)) {
        occluder->centre = SN_VEC3_ZERO;
        occluder->radius = -1.0;
    }
}

sn_status sn_occluder_make(sn_occluder *occluder, const sn_shape *shapes, int shape_count,
                           const sn_patch *patches, int patch_count, sn_error *error)
{
    *occluder = (sn_occluder){0};
    sn_status status = SN_OK;
    for (int i = 0; i < shape_count && status == SN_OK; ++i) {
        sn_mesh *mesh = NULL;
        bool done = true;
        if (hides(&shapes[i]) && sn_occluder_is_bar(&shapes[i])) {
            done = add_bar(occluder, &shapes[i]);
        } else if (hides(&shapes[i])) {
            status = sn_shape_mesh(&shapes[i], 0.0, &mesh, error);
            done = status != SN_OK || add_faces(occluder, &shapes[i], mesh);
        }
        sn_mesh_release(mesh);
        status = done ? status : sn_fail_memory(error, sizeof(sn_occluder_face));
    }
    if (status != SN_OK) {
        sn_occluder_free(occluder);
        return status;
    }
    find_ball(occluder, patches, patch_count);
    return SN_OK;
}

void sn_occluder_free(sn_occluder *occluder)
{
    sn_array_free(&occluder->corners);
    sn_array_free(&occluder->faces);
    sn_array_free(&occluder->bars);
}
