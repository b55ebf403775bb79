#include "scene/elastic_mesh.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/fill_cache.h"
#include "scene/path.h"
#include "scene/shape_mesh.h"
#include "scene/surface_note.h"

sn_tetrahedra_item *sn_body_item_mesh(const sn_body_item *body)
{
    return body->mesh.count > 0 ? (sn_tetrahedra_item *)body->mesh.data[0] : NULL;
}

// ---- generators ----

static sn_status make_box(const sn_tetrahedra_item *item, sn_tetrahedra **made, sn_error *error)
{
    static const sn_tetrahedra_cell cells[] = {SN_CELL_SIX_MIRRORED, SN_CELL_SIX, SN_CELL_FIVE};
    sn_tetrahedra_box box = {.size = item->size,
                             .cells = {(int)item->cells.x, (int)item->cells.y, (int)item->cells.z},
                             .cell = cells[item->cell]};
    return sn_tetrahedra_make_box(&box, made, error);
}

static sn_status make_round(const sn_tetrahedra_item *item, sn_tetrahedra **made, sn_error *error)
{
    int rings = (int)item->rings, spokes = (int)item->spokes, segments = (int)item->segments,
        layers = (int)item->layers;
    switch (item->item.table->id) {
    case SN_SCENE_CELLS_CYLINDER:
        return sn_tetrahedra_make_cylinder(
            &(sn_tetrahedra_cylinder){item->radius, item->height, rings, spokes, layers}, made,
            error);
    case SN_SCENE_CELLS_SPHERE:
        return sn_tetrahedra_make_sphere(item->radius, rings, made, error);
    case SN_SCENE_CELLS_TORUS:
        return sn_tetrahedra_make_torus(
            &(sn_tetrahedra_torus){item->radius, item->tube_radius, rings, spokes, segments}, made,
            error);
    default:
        return sn_tetrahedra_make_tube(&(sn_tetrahedra_tube){item->inner_radius, item->radius,
                                                             item->height, rings, segments, layers},
                                       made, error);
    }
}

static sn_status make_flat(const sn_tetrahedra_item *item, sn_tetrahedra **made, sn_error *error)
{
    sn_flat_outline flat = {0};
    sn_status status = SN_OK;
    if (!sn_flat_outline_make(&item->points, &item->holes, &flat)) {
        status = sn_fail_memory(error, (size_t)item->points.count * sizeof(sn_vec2));
    } else if (item->item.table->id == SN_SCENE_CELLS_EXTRUSION) {
        status = sn_tetrahedra_make_extrusion(&flat.outline, item->height, (int)item->layers,
                                              item->edge, made, error);
    } else {
        status = sn_tetrahedra_make_revolution(flat.points, item->points.count, (int)item->segments,
                                               item->edge, made, error);
    }
    sn_flat_outline_free(&flat);
    return status;
}

// Twice the area within an outline, by the shoelace formula.
static double doubled_area(const sn_vector_list *points)
{
    double sum = 0.0;
    for (int i = 0; i < points->count; ++i) {
        sn_vec3 a = points->data[i], b = points->data[(i + 1) % points->count];
        sum += a.x * b.y - b.x * a.y;
    }
    return fabs(sum);
}

// A prism is three tetrahedra; a section of r rings of s spokes has s r^2 triangles; triangles of
// edge e have the area e^2 sqrt(3) / 4.
double sn_tetrahedra_item_elements(const sn_tetrahedra_item *item)
{
    double section = item->spokes * item->rings * item->rings;
    double flat =
        item->edge > 0.0 ? doubled_area(&item->points) / 2.0 * 2.31 / item->edge / item->edge : 0.0;
    switch (item->item.table->id) {
    case SN_SCENE_CELLS_BOX:
        return 6.0 * item->cells.x * item->cells.y * item->cells.z;
    case SN_SCENE_CELLS_CYLINDER:
        return 3.0 * section * item->layers;
    case SN_SCENE_CELLS_SPHERE:
        return 20.0 * item->rings * item->rings * item->rings;
    case SN_SCENE_CELLS_TORUS:
        return 3.0 * section * item->segments;
    case SN_SCENE_CELLS_TUBE:
        return 6.0 * item->rings * item->segments * item->layers;
    case SN_SCENE_CELLS_EXTRUSION:
        return 3.0 * flat * item->layers;
    case SN_SCENE_CELLS_REVOLUTION:
        return 3.0 * flat * item->segments;
    default:
        return 0.0;
    }
}

// ---- lists ----

static sn_status make_listed(const sn_tetrahedra_item *item, sn_tetrahedra **made, sn_error *error)
{
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = item->vertices.data;
    def.vertex_count = item->vertices.count;
    def.element_count = item->elements.count;
    def.nodes = item->elements.width;
    size_t corners = (size_t)def.element_count * (size_t)def.nodes;
    size_t bytes = (corners + (size_t)def.element_count) * sizeof(int);
    int *indices = sn_allocate(bytes);
    if (indices == NULL) {
        return sn_fail_memory(error, bytes);
    }
    for (size_t i = 0; i < corners; ++i) {
        indices[i] = (int)item->elements.data[i];
    }
    for (int i = 0; i < item->regions.count; ++i) {
        indices[corners + (size_t)i] = (int)item->regions.data[i];
    }
    def.elements = indices;
    def.regions = item->regions.count > 0 ? indices + corners : NULL;
    sn_status status = sn_tetrahedra_create(&def, made, error);
    sn_free(indices);
    return status;
}

// ---- surfaces ----

// The lattice takes surfaces that are nearly closed, and fills the union of parts that overlap.
static sn_status settle(const sn_tetrahedra_item *item, sn_mesh **surface, sn_error *error)
{
    sn_surface_notes *notes = item->notes;
    bool lattice = item->fill == SN_FILL_LATTICE;
    sn_status status = SN_OK;
    if (item->repair || !lattice) {
        status = sn_surface_settle(surface, item->repair, false, false, notes, error);
    } else {
        sn_aabb box = sn_mesh_bounds(*surface);
        sn_vec3 size = sn_vec3_sub(box.upper, box.lower);
        notes->size = fmax(size.x, fmax(size.y, size.z));
    }
    notes->overlap = lattice ? 0.0 : notes->overlap;
    return status;
}

// Whom the scene's options ask to be called, and about what.
typedef struct listener {
    const sn_scene *scene;
    const char *surface;
} listener;

static void pass_progress(void *user, double seconds, bool ended)
{
    const listener *l = user;
    l->scene->filling(l->scene->filling_user, l->surface, seconds, ended);
}

static sn_status fill(const sn_scene *scene, const sn_tetrahedra_item *item, const sn_mesh *surface,
                      sn_tetrahedra **made, sn_filled_surface *filled, sn_error *error)
{
    sn_mesh *scaled = NULL;
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    options.method = (sn_fill_method)item->fill;
    options.edge = item->edge;
    listener listening = {scene, item->file != NULL ? item->file : "a surface"};
    options.progress = scene->filling != NULL ? pass_progress : NULL;
    options.user = &listening;
    sn_error inner = {0};
    sn_status status =
        sn_mesh_transformed(surface, item->scale, SN_TRANSFORM_IDENTITY, &scaled, &inner);
    status = status == SN_OK ? settle(item, &scaled, &inner) : status;
    if (status == SN_OK) {
        status = sn_fill_cached(scene->sealed ? NULL : scene->cache, scaled, &options, made,
                                &filled->report, &inner);
    }
    if (status != SN_OK) {
        bool exact = status == SN_ERROR_GEOMETRY && options.method == SN_FILL_GMSH;
        sn_fail(error, status, inner.place, "%s%s", inner.text,
                exact ? "; \"fill\": \"lattice\" takes it as it is" : "");
    }
    if (status == SN_OK && sn_mesh_vertex_count(scaled) <= SN_SEEN_VERTICES) {
        filled->surface = sn_mesh_retain(scaled);
    }
    sn_mesh_release(scaled);
    return status;
}

static sn_status fill_listed(const sn_scene *scene, const sn_tetrahedra_item *item,
                             sn_tetrahedra **made, sn_filled_surface *filled, sn_error *error)
{
    sn_mesh *surface = NULL;
    sn_status status = sn_mesh_create(item->vertices.data, item->vertices.count,
                                      item->triangles.data, item->triangles.count, &surface, error);
    status = status == SN_OK ? fill(scene, item, surface, made, filled, error) : status;
    sn_mesh_release(surface);
    return status;
}

// ---- files ----

static sn_status fill_file(const sn_scene *scene, const sn_tetrahedra_item *item, const char *path,
                           double unit, sn_tetrahedra **made, sn_filled_surface *filled,
                           sn_error *error)
{
    sn_import_options options = sn_default_import_options();
    options.up = (sn_up_axis)item->up;
    options.unit = unit;
    options.repair = item->repair ? &item->notes->repair : NULL;
    sn_mesh *surface = NULL;
    sn_error inner = {0};
    sn_status status = sn_mesh_import(path, &options, &surface, &inner);
    if (status != SN_OK) {
        sn_fail(error, status, inner.place, "%s%s", inner.text,
                status == SN_ERROR_UNSUPPORTED ? ", or tetrahedra in .msh, .vtk, .node or .ele"
                                               : "");
    }
    status = status == SN_OK ? fill(scene, item, surface, made, filled, error) : status;
    sn_mesh_release(surface);
    return status;
}

static sn_status read_tetrahedra(const sn_tetrahedra_item *item, const char *path, double unit,
                                 sn_tetrahedra **made, sn_error *error)
{
    sn_vec3 scale = sn_vec3_scale(unit > 0.0 ? unit : 1.0, item->scale);
    sn_tetrahedra *read = NULL;
    sn_status status = sn_tetrahedra_read(path, &read, error);
    if (status == SN_OK && (scale.x != 1.0 || scale.y != 1.0 || scale.z != 1.0)) {
        status = sn_tetrahedra_transformed(read, scale, SN_TRANSFORM_IDENTITY, made, error);
        sn_tetrahedra_release(read);
    } else {
        *made = read;
    }
    return status;
}

static bool holds_tetrahedra(const char *path)
{
    static const char *const endings[] = {".msh", ".vtk", ".node", ".ele"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        if (dot != NULL && strcmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static sn_status read_file(const sn_scene *scene, const sn_tetrahedra_item *item,
                           sn_tetrahedra **made, sn_filled_surface *filled, sn_error *error)
{
    double factor = 0.0; // as the file says
    sn_unit unit;
    if (item->unit != NULL) {
        sn_status status = sn_units_read_unit(item->unit, strlen(item->unit), &unit, error);
        if (status != SN_OK) {
            return status;
        }
        factor = sn_unit_factor(&unit);
    }
    if (scene->sealed) {
        return sn_fail(error, SN_ERROR_FILE, NULL,
                       "\"%.100s\" is a file, and a text from elsewhere reads none", item->file);
    }
    const char *folder = scene->sources.data[sn_item_place(&item->item, "file").source].folder;
    char *path = sn_path_join(folder, item->file);
    if (path == NULL) {
        return sn_fail_memory(error, strlen(folder) + strlen(item->file));
    }
    sn_error inner = {0};
    bool surface = !holds_tetrahedra(path);
    const char *idle = surface                                ? NULL
                       : sn_item_gives(&item->item, "edge")   ? "edge"
                       : sn_item_gives(&item->item, "fill")   ? "fill"
                       : sn_item_gives(&item->item, "up")     ? "up"
                       : sn_item_gives(&item->item, "repair") ? "repair"
                                                              : NULL;
    sn_status status = idle != NULL
                           ? sn_fail(&inner, SN_ERROR_SCENE, path,
                                     "\"%s\" is of surfaces that are filled, and this file holds "
                                     "tetrahedra; expected it not here",
                                     idle)
                       : surface ? fill_file(scene, item, path, factor, made, filled, &inner)
                                 : read_tetrahedra(item, path, factor, made, &inner);
    char near[SN_PATH_NEAR_SIZE];
    bool meant = status == SN_ERROR_FILE && sn_path_near(path, near);
    if (status != SN_OK) {
        sn_fail(error, status, inner.place, "%s%s%s%s", inner.text,
                meant ? "; did you mean \"" : "", meant ? near : "", meant ? "\"?" : "");
    }
    sn_free(path);
    return status;
}

// ---- all ----

static sn_status make(const sn_scene *scene, const sn_tetrahedra_item *item, sn_tetrahedra **made,
                      sn_filled_surface *filled, sn_error *error)
{
    switch (item->item.table->id) {
    case SN_SCENE_CELLS_BOX:
        return make_box(item, made, error);
    case SN_SCENE_CELLS_EXTRUSION:
    case SN_SCENE_CELLS_REVOLUTION:
        return make_flat(item, made, error);
    case SN_SCENE_CELLS_FILE:
        return read_file(scene, item, made, filled, error);
    case SN_SCENE_CELLS_SURFACE:
        return fill_listed(scene, item, made, filled, error);
    case SN_SCENE_CELLS_LISTED:
        return make_listed(item, made, error);
    default:
        return make_round(item, made, error);
    }
}

sn_status sn_tetrahedra_item_make(const sn_scene *scene, const sn_tetrahedra_item *item, int nodes,
                                  sn_tetrahedra **made, sn_filled_surface *filled, sn_error *error)
{
    *made = NULL;
    *filled = (sn_filled_surface){0};
    sn_tetrahedra *plain = NULL;
    sn_status status = make(scene, item, &plain, filled, error);
    if (status != SN_OK) {
        return status;
    }
    int has = sn_tetrahedra_nodes(plain);
    if (nodes == 0 || nodes == has) {
        *made = plain;
        return SN_OK;
    }
    status = nodes == 10 ? sn_tetrahedra_quadratic(plain, made, error)
                         : sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                                   "its elements have 10 nodes, and \"nodes\" asks for 4");
    sn_tetrahedra_release(plain);
    if (status != SN_OK) {
        sn_mesh_release(filled->surface);
        filled->surface = NULL;
    }
    return status;
}
