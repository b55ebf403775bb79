#include "draw/model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/height_field.h"
#include "record/surface.h"
#include "sinew/elastic.h"
#include "sinew/geometry.h"
#include "sinew/joint.h"

// ---- meshes ----

static void mesh_free(sn_model_mesh *mesh)
{
    sn_shading_free(&mesh->shading);
    sn_free(mesh->outward);
}

static sn_status height_field_mesh(const sn_height_field *field, sn_mesh **mesh, sn_error *error)
{
    size_t samples = (size_t)field->columns * (size_t)field->rows;
    int cells = (field->columns - 1) * (field->rows - 1);
    sn_vec3 *positions = sn_allocate(samples * sizeof *positions);
    int *triangles = sn_allocate(6 * (size_t)cells * sizeof *triangles);
    sn_status status = SN_OK;
    if (positions == NULL || triangles == NULL) {
        status = sn_fail_memory(error, samples * sizeof *positions);
    }
    for (int k = 0; k < (int)samples && status == SN_OK; ++k) {
        positions[k] = sn_height_field_sample(field, k % field->columns, k / field->columns);
    }
    for (int k = 0; k < cells && status == SN_OK; ++k) {
        int i = k % (field->columns - 1), j = k / (field->columns - 1);
        int a = j * field->columns + i, b = a + 1, d = a + field->columns, c = d + 1;
        const int corners[6] = {a, b, c, a, c, d};
        memcpy(triangles + 6 * (size_t)k, corners, sizeof corners);
    }
    if (status == SN_OK) {
        status = sn_mesh_create(positions, (int)samples, triangles, 2 * cells, mesh, error);
    }
    sn_free(positions);
    sn_free(triangles);
    return status;
}

static bool is_round(const sn_shape *shape)
{
    return shape->type == SN_SHAPE_SPHERE || shape->type == SN_SHAPE_CYLINDER ||
           shape->type == SN_SHAPE_CONE || shape->type == SN_SHAPE_CAPSULE ||
           shape->type == SN_SHAPE_TORUS;
}

// Round things are fine enough to look round when they fill the picture; of many things each is
// small. And none is finer than can be seen where all of the world is in the picture.
#define UNSEEN   1.5e-4 // of the world's extent: a fifth of a pixel or so
#define COARSEST 0.3    // of the radius: six corners of a wire

static double choose_fineness(const sn_world *world)
{
    int count = 0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        for (int k = 0; k < sn_body_shape_count(world, body); ++k) {
            const sn_shape *shape = sn_body_shape(world, body, k);
            count += is_round(shape) && sn_shape_is_drawn(shape);
        }
    }
    return count <= 24 ? 2.5e-3 : count <= 150 ? 6e-3 : 1.5e-2;
}

// Of what moves: the middles of its bodies.
static double find_extent(const sn_world *world)
{
    sn_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = sn_vec3_negate(lower);
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        if (sn_body_get_type(world, body) != SN_BODY_STATIC) {
            lower = sn_vec3_min(lower, sn_body_centre(world, body));
            upper = sn_vec3_max(upper, sn_body_centre(world, body));
        }
    }
    return lower.x <= upper.x ? sn_distance(lower, upper) : 0.0;
}

static sn_status surface_mesh(const sn_shape *shape, const sn_model *model, sn_mesh **mesh,
                              sn_error *error)
{
    if (shape->type == SN_SHAPE_HEIGHT_FIELD) {
        return height_field_mesh(shape->field, mesh, error);
    }
    bool torus = shape->type == SN_SHAPE_TORUS;
    double radius = torus ? shape->radius + shape->tube_radius : shape->radius;
    double tolerance =
        fmax(model->fineness * radius, fmin(UNSEEN * model->extent, COARSEST * radius));
    return sn_shape_mesh(shape, is_round(shape) ? tolerance : 0.0, mesh, error);
}

// A tube of radius r has V / A = r / 2, a sheet of thickness t has t / 2. An open mesh has no
// volume, and counts as infinitely thin.
double sn_model_thickness(const sn_mesh *mesh)
{
    const sn_vec3 *x = sn_mesh_positions(mesh);
    const int *t = sn_mesh_triangles(mesh);
    double volume = 0.0, area = 0.0;
    for (int i = 0; i < sn_mesh_triangle_count(mesh); ++i) {
        sn_vec3 a = sn_vec3_sub(x[t[3 * i]], x[0]), b = sn_vec3_sub(x[t[3 * i + 1]], x[0]);
        sn_vec3 c = sn_vec3_sub(x[t[3 * i + 2]], x[0]);
        volume += sn_dot(a, sn_cross(b, c)) / 6.0;
        area += 0.5 * sn_length(sn_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a)));
    }
    return area > 0.0 ? fabs(2.0 * volume / area) : 0.0;
}

static sn_status fill_mesh(sn_model_mesh *made, const sn_mesh *mesh, sn_error *error)
{
    sn_status status = sn_shading_make(mesh, &made->shading, error);
    if (status != SN_OK) {
        return status;
    }
    int vertices = sn_mesh_vertex_count(mesh), count = made->shading.vertex_count;
    sn_vec3 *normals = sn_allocate(sizeof *normals * ((size_t)vertices + 1));
    made->outward = sn_allocate(sizeof *made->outward * ((size_t)count + 1));
    if (normals == NULL || made->outward == NULL) {
        sn_free(normals);
        return sn_fail_memory(error, sizeof *normals * (size_t)vertices);
    }
    sn_mesh_vertex_normals(mesh, normals);
    for (int i = 0; i < count; ++i) {
        made->outward[i] = normals[made->shading.origins[i]];
    }
    sn_free(normals);
    made->thickness = sn_model_thickness(mesh);
    return SN_OK;
}

static sn_status find_mesh(sn_model *model, const sn_shape *shape, int *found, sn_error *error)
{
    for (int i = 0; i < model->meshes.count; ++i) {
        if (sn_surface_same(&model->meshes.data[i].shape, shape)) {
            *found = i;
            return SN_OK;
        }
    }
    sn_model_mesh made = {.shape = *shape};
    sn_mesh *mesh = NULL;
    sn_status status = surface_mesh(shape, model, &mesh, error);
    if (status == SN_OK) {
        status = fill_mesh(&made, mesh, error);
    }
    sn_mesh_release(mesh);
    if (status == SN_OK && !sn_array_push(&model->meshes, made)) {
        status = sn_fail_memory(error, sizeof made);
    }
    if (status != SN_OK) {
        mesh_free(&made);
        return status;
    }
    *found = model->meshes.count - 1;
    return SN_OK;
}

int sn_model_material_index(sn_model *model, sn_model_material material)
{
    for (int i = 0; i < model->materials.count; ++i) {
        const sn_model_material *known = &model->materials.data[i];
        if (known->colour == material.colour && known->roughness == material.roughness &&
            known->metallic == material.metallic) {
            return i;
        }
    }
    return sn_array_push(&model->materials, material) ? model->materials.count - 1 : -1;
}

// ---- bodies ----

static sn_model_material material_of(const sn_shape *shape)
{
    return (sn_model_material){shape->colour & 0xFFFFFF, (float)shape->roughness,
                               (float)shape->metallic};
}

// A level plane, and the highest of several: the floor. Others are drawn as sheets.
static bool take_floor(sn_model *model, const sn_shape *shape, sn_transform frame)
{
    if (shape->type != SN_SHAPE_PLANE) {
        return false;
    }
    sn_transform place = sn_transform_multiply(frame, shape->frame);
    sn_vec3 normal = sn_rotate(place.rotation, sn_vec3_make(0.0, 0.0, 1.0));
    if (normal.z < 0.9999) {
        return false;
    }
    if (!model->floor.given || place.position.z > model->floor.height) {
        sn_model_material material = material_of(shape);
        model->floor =
            (sn_model_floor){true, place.position.z, material.colour, material.roughness};
    }
    return true;
}

static sn_status add_body(sn_model *model, const sn_world *world, int order, sn_error *error)
{
    sn_body body = sn_world_body(world, order);
    if (!sn_array_push(&model->moves, sn_body_get_type(world, body) != SN_BODY_STATIC)) {
        return sn_fail_memory(error, sizeof(bool));
    }
    for (int i = 0; i < sn_body_shape_count(world, body); ++i) {
        const sn_shape *shape = sn_body_shape(world, body, i);
        if (shape->surface.sensor || !sn_shape_is_drawn(shape) ||
            take_floor(model, shape, sn_body_transform(world, body))) {
            continue;
        }
        sn_model_part part = {.body = order, .frame = shape->frame};
        sn_status status = find_mesh(model, shape, &part.mesh, error);
        if (status != SN_OK) {
            return status;
        }
        part.material = sn_model_material_index(model, material_of(shape));
        if (part.material < 0 || !sn_array_push(&model->parts, part)) {
            return sn_fail_memory(error, sizeof part);
        }
    }
    return SN_OK;
}

// ---- what can fall ----

static bool has_fixed_vertex(const sn_world *world, sn_body body)
{
    if (sn_body_get_type(world, body) != SN_BODY_ELASTIC) {
        return false;
    }
    int count = sn_tetrahedra_vertex_count(sn_body_tetrahedra(world, body));
    for (int i = 0; i < count; ++i) {
        if (sn_body_vertex_is_fixed(world, body, i)) {
            return true;
        }
    }
    return false;
}

// Is there a body that moves and that nothing holds? Springs are known by their links.
static sn_status find_falling(sn_model *model, const sn_world *world, sn_error *error)
{
    int count = sn_world_body_count(world);
    uint32_t most = 0;
    for (int i = 0; i < count; ++i) {
        uint32_t index = sn_world_body(world, i).index;
        most = index > most ? index : most;
    }
    bool *held = sn_allocate_zero((size_t)most + 1); // by a body's index
    if (held == NULL) {
        return sn_fail_memory(error, (size_t)most + 1);
    }
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        held[sn_joint_child(world, sn_world_joint(world, i)).index] = true;
    }
    for (int i = 0; i < model->links.count; ++i) {
        const int ends[2] = {model->links.data[i].body_a, model->links.data[i].body_b};
        for (int k = 0; k < 2; ++k) {
            if (ends[k] >= 0) {
                held[sn_world_body(world, ends[k]).index] = true;
            }
        }
    }
    for (int i = 0; i < count && !model->falls; ++i) {
        sn_body body = sn_world_body(world, i);
        model->falls = model->moves.data[i] && !held[body.index] && !has_fixed_vertex(world, body);
    }
    sn_free(held);
    return SN_OK;
}

// Numbers of vertices and triangles, and where each part's begin.
static sn_status make_room(sn_model *model, sn_error *error)
{
    int64_t vertices = 0, triangles = 0;
    for (int i = 0; i < model->parts.count && triangles < INT_MAX / 8; ++i) {
        sn_model_part *part = &model->parts.data[i];
        const sn_shading *shading = &model->meshes.data[part->mesh].shading;
        part->first_vertex = (int)vertices;
        part->first_triangle = (int)triangles;
        vertices += shading->vertex_count;
        triangles += shading->triangle_count;
    }
    for (int i = 0; i < model->links.count && triangles < INT_MAX / 8; ++i) {
        sn_model_link *link = &model->links.data[i];
        link->first_vertex = (int)vertices;
        link->first_triangle = (int)triangles;
        vertices += (int64_t)sn_model_link_rings(link) * SN_LINK_SIDES;
        triangles += 2 * (int64_t)(sn_model_link_rings(link) - 1) * SN_LINK_SIDES;
    }
    for (int i = 0; i < model->bends.count && triangles < INT_MAX / 8; ++i) {
        sn_model_bend *bend = &model->bends.data[i];
        bend->first_vertex = (int)vertices;
        bend->first_triangle = (int)triangles;
        vertices += bend->shading.vertex_count;
        triangles += bend->shading.triangle_count;
    }
    if (triangles >= INT_MAX / 8) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                       "the world has more than %d triangles, too many to draw", INT_MAX / 8);
    }
    if (!sn_array_resize(&model->positions, (int)vertices) ||
        !sn_array_resize(&model->outward, (int)vertices) ||
        !sn_array_resize(&model->thickness, (int)vertices) ||
        !sn_array_resize(&model->normals, 3 * (int)vertices) ||
        !sn_array_resize(&model->triangles, 3 * (int)triangles) ||
        !sn_array_resize(&model->owners, (int)triangles) ||
        !sn_array_resize(&model->bodies, (int)triangles)) {
        return sn_fail_memory(error, (size_t)vertices * sizeof(sn_vec3));
    }
    return SN_OK;
}

static void fill_part(sn_model *model, const sn_model_part *part, const sn_shading *shading,
                      double thickness)
{
    int *corners = model->triangles.data + 3 * (size_t)part->first_triangle;
    for (int k = 0; k < 3 * shading->triangle_count; ++k) {
        corners[k] = part->first_vertex + (int)shading->indices[k];
    }
    for (int k = 0; k < shading->triangle_count; ++k) {
        model->owners.data[part->first_triangle + k] = part->material;
        model->bodies.data[part->first_triangle + k] = part->body;
    }
    for (int k = 0; k < shading->vertex_count; ++k) {
        model->thickness.data[part->first_vertex + k] = (float)thickness;
    }
}

// What no pose changes.
static void fill_fixed(sn_model *model)
{
    for (int i = 0; i < model->parts.count; ++i) {
        const sn_model_part *part = &model->parts.data[i];
        const sn_model_mesh *mesh = &model->meshes.data[part->mesh];
        fill_part(model, part, &mesh->shading, mesh->thickness);
    }
    for (int i = 0; i < model->bends.count; ++i) {
        const sn_model_bend *bend = &model->bends.data[i];
        sn_model_part part = {.body = bend->body,
                              .first_vertex = bend->first_vertex,
                              .first_triangle = bend->first_triangle};
        fill_part(model, &part, &bend->shading, bend->thickness);
        for (int k = bend->first_part; k < bend->first_part + bend->part_count; ++k) {
            const sn_model_bend_part *alike = &model->bend_parts.data[k];
            for (int t = alike->first; t < alike->first + alike->count; ++t) {
                model->owners.data[bend->first_triangle + t] = alike->material;
            }
        }
    }
    for (int i = 0; i < model->links.count; ++i) {
        const sn_model_link *link = &model->links.data[i];
        int rings = sn_model_link_rings(link);
        int *corners = model->triangles.data + 3 * (size_t)link->first_triangle;
        for (int k = 0; k < (rings - 1) * SN_LINK_SIDES; ++k) {
            int ring = link->first_vertex + k / SN_LINK_SIDES * SN_LINK_SIDES;
            int a = ring + k % SN_LINK_SIDES, b = ring + (k + 1) % SN_LINK_SIDES;
            const int quad[6] = {a, b, b + SN_LINK_SIDES, a, b + SN_LINK_SIDES, a + SN_LINK_SIDES};
            memcpy(corners + 6 * (size_t)k, quad, sizeof quad);
            model->owners.data[link->first_triangle + 2 * k] = link->material;
            model->owners.data[link->first_triangle + 2 * k + 1] = link->material;
            model->bodies.data[link->first_triangle + 2 * k] = -1;
            model->bodies.data[link->first_triangle + 2 * k + 1] = -1;
        }
        for (int k = 0; k < rings * SN_LINK_SIDES; ++k) {
            model->thickness.data[link->first_vertex + k] = (float)link->wire;
        }
    }
}

sn_status sn_model_make(sn_model *model, const sn_world *world, sn_error *error)
{
    *model = (sn_model){.fineness = choose_fineness(world), .extent = find_extent(world)};
    sn_status status = SN_OK;
    for (int i = 0; i < sn_world_body_count(world) && status == SN_OK; ++i) {
        status = add_body(model, world, i, error);
    }
    if (status == SN_OK) {
        status = sn_model_find_links(model, world, error);
    }
    if (status == SN_OK) {
        status = find_falling(model, world, error);
    }
    if (status == SN_OK) {
        status = sn_model_find_bends(model, world, error);
    }
    if (status == SN_OK) {
        status = make_room(model, error);
    }
    if (status != SN_OK) {
        sn_model_free(model);
        return status;
    }
    fill_fixed(model);
    return SN_OK;
}

void sn_model_free(sn_model *model)
{
    for (int i = 0; i < model->meshes.count; ++i) {
        mesh_free(&model->meshes.data[i]);
    }
    for (int i = 0; i < model->bends.count; ++i) {
        sn_shading_free(&model->bends.data[i].shading);
    }
    sn_array_free(&model->bends);
    sn_array_free(&model->bend_parts);
    sn_array_free(&model->meshes);
    sn_array_free(&model->materials);
    sn_array_free(&model->parts);
    sn_array_free(&model->links);
    sn_array_free(&model->moves);
    sn_array_free(&model->positions);
    sn_array_free(&model->outward);
    sn_array_free(&model->thickness);
    sn_array_free(&model->normals);
    sn_array_free(&model->triangles);
    sn_array_free(&model->owners);
    sn_array_free(&model->bodies);
    sn_array_free(&model->points);
    sn_array_free(&model->still);
}

// ---- poses ----

static void place_part(sn_model *model, const sn_model_part *part, const sn_transform *frames)
{
    const sn_model_mesh *mesh = &model->meshes.data[part->mesh];
    sn_transform place = sn_transform_multiply(frames[part->body], part->frame);
    sn_mat3 turn = sn_quat_to_mat3(place.rotation);
    for (int i = 0; i < mesh->shading.vertex_count; ++i) {
        const sn_shaded_vertex *v = &mesh->shading.vertices[i];
        size_t at = (size_t)part->first_vertex + (size_t)i;
        sn_vec3 p = sn_vec3_make(v->position[0], v->position[1], v->position[2]);
        sn_vec3 n = sn_vec3_make(v->normal[0], v->normal[1], v->normal[2]);
        model->positions.data[at] = sn_vec3_add(sn_mat3_apply(turn, p), place.position);
        model->outward.data[at] = sn_mat3_apply(turn, mesh->outward[i]);
        n = sn_mat3_apply(turn, n);
        model->normals.data[3 * at] = (float)n.x;
        model->normals.data[3 * at + 1] = (float)n.y;
        model->normals.data[3 * at + 2] = (float)n.z;
    }
}

sn_status sn_model_place(sn_model *model, const sn_transform *frames, const sn_vec3 *points,
                         sn_error *error)
{
    for (int i = 0; i < model->moves.count; ++i) {
        sn_quat q = frames[i].rotation;
        if (!sn_vec3_is_finite(frames[i].position) || !isfinite(q.w + q.x + q.y + q.z)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "body %d of the pose has no finite position and rotation", i);
        }
    }
    for (int i = 0; i < model->point_count; ++i) {
        if (points == NULL || !sn_vec3_is_finite(points[i])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "point %d of the pose, of a body that bends, is not there or not finite",
                           i);
        }
    }
    for (int i = 0; i < model->bends.count; ++i) {
        sn_model_place_bend(model, &model->bends.data[i], points);
    }
    for (int i = 0; i < model->parts.count; ++i) {
        place_part(model, &model->parts.data[i], frames);
    }
    for (int i = 0; i < model->links.count; ++i) {
        sn_model_place_link(model, &model->links.data[i], frames);
    }
    return SN_OK;
}

// ---- bounds ----

sn_model_bounds sn_model_no_bounds(void)
{
    sn_aabb none = {sn_vec3_make(INFINITY, INFINITY, INFINITY),
                    sn_vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    return (sn_model_bounds){none, none};
}

static void enlarge(sn_aabb *box, sn_vec3 centre, double reach)
{
    sn_vec3 r = sn_vec3_make(reach, reach, reach);
    box->lower = sn_vec3_min(box->lower, sn_vec3_sub(centre, r));
    box->upper = sn_vec3_max(box->upper, sn_vec3_add(centre, r));
}

void sn_model_measure(const sn_model *model, const sn_transform *frames, const sn_vec3 *points,
                      sn_model_bounds *bounds)
{
    for (int i = 0; i < model->point_count && points != NULL; ++i) {
        enlarge(&bounds->moving, points[i], 0.0);
    }
    for (int i = 0; i < model->parts.count; ++i) {
        const sn_model_part *part = &model->parts.data[i];
        const sn_model_mesh *mesh = &model->meshes.data[part->mesh];
        sn_transform place = sn_transform_multiply(frames[part->body], part->frame);
        sn_mat3 turn = sn_quat_to_mat3(place.rotation);
        sn_aabb *box = model->moves.data[part->body] ? &bounds->moving : &bounds->still;
        for (int k = 0; k < mesh->shading.vertex_count; ++k) {
            const float *p = mesh->shading.vertices[k].position;
            sn_vec3 x = sn_mat3_apply(turn, sn_vec3_make(p[0], p[1], p[2]));
            enlarge(box, sn_vec3_add(x, place.position), 0.0);
        }
    }
    for (int i = 0; i < model->links.count; ++i) {
        const sn_model_link *link = &model->links.data[i];
        sn_vec3 ends[2];
        sn_model_link_ends(link, frames, &ends[0], &ends[1]);
        for (int k = 0; k < 2; ++k) {
            enlarge(&bounds->moving, ends[k], link->radius + link->wire);
        }
    }
}
