#include "scene/shape_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/path.h"

bool sn_shape_item_is_mesh(const sn_shape_item *shape)
{
    int id = shape->item.table->id;
    return id == SN_SHAPE_MESH || id == SN_SHAPE_HULL || id >= SN_SHAPE_TYPE_COUNT;
}

// ---- meshes ----

static sn_status import(const sn_scene *scene, const sn_shape_item *shape, sn_mesh **mesh,
                        sn_mesh_repair *repair, sn_error *error)
{
    sn_import_options options = sn_default_import_options();
    options.up = (sn_up_axis)shape->up;
    options.merge_distance = shape->merge_distance;
    options.repair = shape->repair || shape->item.table->id == SN_SHAPE_HULL ? repair : NULL;
    if (shape->unit != NULL) {
        sn_unit unit;
        sn_status status = sn_units_read_unit(shape->unit, strlen(shape->unit), &unit, error);
        if (status != SN_OK) {
            return status;
        }
        options.unit = sn_unit_factor(&unit);
    }
    if (scene->sealed) {
        return sn_fail(error, SN_ERROR_FILE, NULL,
                       "\"%.100s\" is a file, and a text from elsewhere reads none", shape->file);
    }
    const char *folder = scene->sources.data[sn_item_place(&shape->item, "file").source].folder;
    char *path = sn_path_join(folder, shape->file);
    if (path == NULL) {
        return sn_fail_memory(error, strlen(folder) + strlen(shape->file));
    }
    sn_error inner = {0};
    sn_status status = sn_mesh_import(path, &options, mesh, &inner);
    char near[SN_PATH_NEAR_SIZE];
    sn_vec3 scale = shape->scale;
    if (status == SN_OK && (scale.x != 1.0 || scale.y != 1.0 || scale.z != 1.0)) {
        sn_mesh *read = *mesh;
        *mesh = NULL;
        status = sn_mesh_transformed(read, scale, SN_TRANSFORM_IDENTITY, mesh, &inner);
        sn_mesh_release(read);
    }
    if (status == SN_ERROR_FILE && sn_path_near(path, near)) {
        sn_fail(error, status, inner.place, "%s; did you mean \"%s\"?", inner.text, near);
    } else if (status == SN_ERROR_GEOMETRY && options.repair == NULL) {
        sn_fail(error, status, inner.place,
                "%.400s; write \"repair\": true to have it repaired, or \"type\": \"hull\" for its "
                "convex hull",
                inner.text);
    } else if (status != SN_OK) {
        sn_fail(error, status, inner.place, "%s", inner.text);
    }
    sn_free(path);
    return status;
}

bool sn_flat_outline_make(const sn_vector_list *edge, const sn_loop_list *holes,
                          sn_flat_outline *flat)
{
    int count = edge->count, loops = 1 + holes->count;
    for (int i = 0; i < holes->count; ++i) {
        count += holes->data[i].count;
    }
    flat->points = sn_allocate((size_t)count * sizeof *flat->points);
    flat->sizes = sn_allocate((size_t)loops * sizeof *flat->sizes);
    if (flat->points == NULL || flat->sizes == NULL) {
        return false;
    }
    int at = 0;
    for (int i = 0; i < loops; ++i) {
        const sn_vector_list *loop = i == 0 ? edge : &holes->data[i - 1];
        flat->sizes[i] = loop->count;
        for (int k = 0; k < loop->count; ++k) {
            flat->points[at++] = (sn_vec2){loop->data[k].x, loop->data[k].y};
        }
    }
    flat->outline = (sn_outline){flat->points, flat->sizes, loops};
    return true;
}

void sn_flat_outline_free(sn_flat_outline *flat)
{
    sn_free(flat->points);
    sn_free(flat->sizes);
}

static sn_status generate_flat(const sn_shape_item *shape, sn_mesh **mesh, sn_error *error)
{
    sn_flat_outline flat = {0};
    sn_status status;
    if (!sn_flat_outline_make(&shape->points, &shape->holes, &flat)) {
        status = sn_fail_memory(error, (size_t)shape->points.count * sizeof(sn_vec2));
    } else if (shape->item.table->id == SN_SCENE_EXTRUSION) {
        status = sn_mesh_extrusion(&flat.outline, shape->height, mesh, error);
    } else if (shape->item.table->id == SN_SCENE_SHEET) {
        status = sn_mesh_sheet(&flat.outline, shape->thickness, shape->bend_radius,
                               (int)shape->segments, mesh, error);
    } else {
        status =
            sn_mesh_revolution(flat.points, shape->points.count, (int)shape->segments, mesh, error);
    }
    sn_flat_outline_free(&flat);
    return status;
}

static sn_status generate_tube(const sn_shape_item *shape, sn_mesh **mesh, sn_error *error)
{
    sn_tube tube = sn_default_tube();
    tube.points = shape->points.data;
    tube.point_count = shape->points.count;
    tube.closed = shape->closed;
    tube.smooth = shape->smooth;
    tube.steps = (int)shape->steps;
    tube.radius = shape->radius;
    tube.segments = (int)shape->segments;
    return sn_mesh_tube(&tube, mesh, error);
}

static int compare_points(const void *a, const void *b)
{
    const double *p = a, *q = b;
    for (int i = 0; i < 3; ++i) {
        if (p[i] != q[i]) {
            return p[i] < q[i] ? -1 : 1;
        }
    }
    return 0;
}

sn_vec3 *sn_sorted_corners(const sn_mesh *mesh)
{
    size_t count = (size_t)sn_mesh_vertex_count(mesh);
    sn_vec3 *points = sn_allocate(count * sizeof *points);
    if (points != NULL) {
        memcpy(points, sn_mesh_positions(mesh), count * sizeof *points);
        qsort(points, count, sizeof *points, compare_points);
    }
    return points;
}

static sn_status hull_of_corners(const sn_mesh *mesh, sn_mesh **hull, sn_error *error)
{
    int count = sn_mesh_vertex_count(mesh);
    sn_vec3 *points = sn_sorted_corners(mesh);
    if (points == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *points);
    }
    sn_status status = sn_mesh_convex_hull(points, count, hull, error);
    sn_free(points);
    return status;
}

static sn_status make_hull(const sn_scene *scene, const sn_shape_item *shape, sn_mesh **mesh,
                           sn_error *error)
{
    if (shape->file == NULL) {
        return sn_mesh_convex_hull(shape->points.data, shape->points.count, mesh, error);
    }
    sn_mesh *all = NULL;
    sn_mesh_repair left_alone = {0}; // faces do not matter to a hull
    sn_status status = import(scene, shape, &all, &left_alone, error);
    while (status == SN_OK && *mesh == NULL) {
        sn_mesh *part = NULL;
        status = hull_of_corners(all, &part, error);
        bool settled = status == SN_OK && sn_mesh_vertex_count(part) == sn_mesh_vertex_count(all);
        *mesh = settled ? sn_mesh_retain(part) : NULL;
        sn_mesh_release(all);
        all = part;
    }
    sn_mesh_release(all);
    return status;
}

static sn_status make(const sn_scene *scene, const sn_shape_item *shape, sn_mesh **mesh,
                      sn_mesh_repair *repair, sn_error *error)
{
    switch (shape->item.table->id) {
    case SN_SHAPE_MESH:
        if (shape->file != NULL) {
            return import(scene, shape, mesh, repair, error);
        }
        return sn_mesh_create(shape->vertices.data, shape->vertices.count, shape->triangles.data,
                              shape->triangles.count, mesh, error);
    case SN_SCENE_TUBE:
        return generate_tube(shape, mesh, error);
    case SN_SHAPE_HULL:
        return make_hull(scene, shape, mesh, error);
    default:
        return generate_flat(shape, mesh, error);
    }
}

sn_status sn_shape_item_mesh(const sn_scene *scene, const sn_shape_item *shape, bool may_end,
                             sn_mesh **mesh, sn_surface_notes *notes, sn_error *error)
{
    *mesh = NULL;
    *notes = (sn_surface_notes){0};
    sn_status status = make(scene, shape, mesh, &notes->repair, error);
    if (status == SN_OK && (shape->role != SN_ROLE_VISUAL || shape->repair)) {
        bool offer_hull = shape->item.table->id == SN_SHAPE_MESH;
        status = sn_surface_settle(mesh, shape->repair, may_end, offer_hull, notes, error);
        if (status == SN_ERROR_GEOMETRY && shape->hull_when_open) {
            sn_mesh *open = *mesh;
            *mesh = NULL;
            status = sn_mesh_convex_hull(sn_mesh_positions(open), sn_mesh_vertex_count(open), mesh,
                                         error);
            sn_mesh_release(open);
            notes->hull = true;
        }
    }
    if (status != SN_OK) {
        sn_mesh_release(*mesh);
        *mesh = NULL;
    }
    return status;
}

// ---- shapes ----

sn_surface sn_shape_item_surface(const sn_body_item *body, const sn_shape_item *shape)
{
    sn_surface surface = sn_default_surface();
    const sn_material_item *material =
        shape->material_item != NULL ? shape->material_item : body->material_item;
    const struct {
        const char *key;
        double *target;
        double material, own;
    } numbers[] = {
        {"friction", &surface.friction, material != NULL ? material->friction : surface.friction,
         shape->friction},
        {"restitution", &surface.restitution, material != NULL ? material->restitution : 0.0,
         shape->restitution},
        {"rolling_friction", &surface.rolling_friction,
         material != NULL ? material->rolling_friction : 0.0, shape->rolling_friction},
        {"spinning_friction", &surface.spinning_friction,
         material != NULL ? material->spinning_friction : 0.0, shape->spinning_friction},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        bool own = sn_item_gives(&shape->item, numbers[i].key);
        *numbers[i].target = own ? numbers[i].own : numbers[i].material;
    }
    surface.velocity = shape->surface_velocity;
    surface.group = shape->group_bits;
    surface.meets = shape->meets_bits;
    surface.sensor = shape->sensor;
    return surface;
}

sn_shape sn_shape_item_shape(const sn_body_item *body, const sn_shape_item *item)
{
    sn_shape shape = sn_default_shape();
    const sn_material_item *material =
        item->material_item != NULL ? item->material_item : body->material_item;
    int type = item->item.table->id;
    shape.type = type < SN_SHAPE_TYPE_COUNT ? (sn_shape_type)type : SN_SHAPE_MESH;
    shape.radius = item->radius;
    shape.tube_radius = item->tube_radius;
    shape.height = item->height;
    shape.size = shape.type == SN_SHAPE_BOX ? item->size : shape.size;
    shape.rounding = item->rounding;
    shape.mesh = item->mesh;
    shape.field = item->field;
    shape.role = (sn_shape_role)item->role;
    shape.surface = sn_shape_item_surface(body, item);
    shape.frame.position = item->position;
    shape.frame.rotation = sn_rotation_value_quat(&item->rotation);
    shape.density = item->density > 0.0 ? item->density
                    : item->sensor      ? 0.0
                    : material != NULL  ? material->density
                                        : 1000.0;
    shape.roughness = material != NULL ? material->roughness : shape.roughness;
    shape.metallic = material != NULL ? material->metallic : shape.metallic;
    // The nearest one that names a colour: the shape, its own material, the body, the body's
    // material.
    const sn_material_item *own = item->material_item, *common = body->material_item;
    if (sn_item_gives(&item->item, "colour")) {
        shape.colour = item->colour;
    } else if (own != NULL && sn_item_gives(&own->item, "colour")) {
        shape.colour = own->colour;
    } else if (sn_item_gives(&body->item, "colour")) {
        shape.colour = body->colour;
    } else if (common != NULL && sn_item_gives(&common->item, "colour")) {
        shape.colour = common->colour;
    }
    return shape;
}
