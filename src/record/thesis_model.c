// Models: what the files of a scene say together, as a mesh with rest shapes and materials.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"
#include "record/thesis.h"

// Elements of a state may be nearly flat: only what has no volume is refused.
#define LEAST_QUALITY 1e-12

void sn_thesis_model_free(sn_thesis_model *model)
{
    sn_tetrahedra_release(model->mesh);
    sn_free(model->rest);
    sn_free(model->materials);
    sn_free(model->velocities);
    sn_free(model->fixed);
    sn_free(model->faces);
    sn_free(model->drags);
    *model = (sn_thesis_model){0};
}

static size_t at_least_one(int count)
{
    return (size_t)(count > 0 ? count : 1);
}

static bool allocate(sn_thesis_model *model, int vertices, int elements, int materials, int faces,
                     int fixed)
{
    model->rest = sn_allocate(at_least_one(elements) * sizeof *model->rest);
    model->velocities = sn_allocate_zero(at_least_one(vertices) * sizeof *model->velocities);
    model->materials = sn_allocate(at_least_one(materials) * sizeof *model->materials);
    model->faces = sn_allocate(at_least_one(faces) * sizeof *model->faces);
    model->fixed = sn_allocate(at_least_one(fixed) * sizeof *model->fixed);
    return model->rest != NULL && model->velocities != NULL && model->materials != NULL &&
           model->faces != NULL && model->fixed != NULL;
}

static sn_status fail_memory(sn_thesis_model *model, int elements, sn_error *error)
{
    sn_thesis_model_free(model);
    return sn_fail_memory(error, at_least_one(elements) * sizeof *model->rest);
}

// ---- reading ----

// Elements of the same five numbers have one material.
static bool number_materials(const sn_thesis_file *topology, sn_thesis_model *model, int *regions)
{
    size_t size = 16;
    while (size < 2 * (size_t)topology->count) {
        size *= 2;
    }
    int *table = sn_allocate_zero(size * sizeof *table); // material + 1
    for (int i = 0; table != NULL && i < topology->count; ++i) {
        const sn_thesis_element *e = &topology->elements[i];
        sn_thesis_material m = {e->density + 0.0, e->bulk + 0.0, e->shear + 0.0,
                                e->volume_viscosity + 0.0, e->shape_viscosity + 0.0};
        size_t place = (size_t)sn_hash64(&m, sizeof m, 0) & (size - 1);
        while (table[place] != 0 &&
               memcmp(&model->materials[table[place] - 1], &m, sizeof m) != 0) {
            place = (place + 1) & (size - 1);
        }
        if (table[place] == 0) {
            model->materials[model->material_count++] = m;
            table[place] = model->material_count;
        }
        regions[i] = table[place] - 1;
    }
    bool done = table != NULL;
    sn_free(table);
    return done;
}

static sn_status refuse_inverted(const sn_thesis_file *topology, const sn_thesis_state *state,
                                 const char *name, sn_error *error)
{
    for (int i = 0; i < topology->count; ++i) {
        const int *v = topology->elements[i].vertices;
        const sn_vec3 *p = state->positions;
        if (!(sn_tetrahedron_determinant(p[v[0]], p[v[1]], p[v[2]], p[v[3]]) > 0.0)) {
            return sn_fail(error, SN_ERROR_GEOMETRY, name,
                           "element %d is flat or inverted at the start; a positive volume was "
                           "expected",
                           i);
        }
    }
    return SN_OK;
}

static sn_status refuse_unused(const sn_tetrahedra *mesh, const char *name, sn_error *error)
{
    bool *used = sn_allocate_zero((size_t)mesh->vertex_count);
    if (used == NULL) {
        return sn_fail_memory(error, (size_t)mesh->vertex_count);
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->element_count; ++i) {
        used[mesh->elements[i]] = true;
    }
    int unused = 0;
    while (unused < mesh->vertex_count && used[unused]) {
        ++unused;
    }
    bool sound = unused == mesh->vertex_count;
    sn_free(used);
    return sound ? SN_OK
                 : sn_fail(error, SN_ERROR_GEOMETRY, name,
                           "vertex %d belongs to no element and so has no mass; every vertex was "
                           "expected to have one",
                           unused);
}

static sn_status make_mesh(const sn_thesis_file *topology, const sn_thesis_state *state,
                           const int *regions, const char *name, sn_thesis_model *model,
                           sn_error *error)
{
    size_t count = at_least_one(4 * topology->count);
    int *elements = sn_allocate(count * sizeof *elements);
    if (elements == NULL) {
        return sn_fail_memory(error, count * sizeof *elements);
    }
    for (int i = 0; i < topology->count; ++i) {
        memcpy(elements + 4 * (size_t)i, topology->elements[i].vertices, 4 * sizeof *elements);
        model->rest[i] = topology->elements[i].rest;
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = state->positions;
    def.vertex_count = state->vertex_count;
    def.elements = elements;
    def.element_count = topology->count;
    def.regions = regions;
    def.least_quality = LEAST_QUALITY;
    sn_error reason = {0};
    sn_status status = sn_tetrahedra_create(&def, &model->mesh, &reason);
    sn_free(elements);
    if (status != SN_OK) {
        return sn_fail(error, status, name, "%.400s", reason.text);
    }
    return refuse_unused(model->mesh, name, error);
}

typedef struct model_files {
    sn_thesis_file topology, surface, constraints, drags;
    sn_thesis_state state;
} model_files;

static sn_status read_files(const sn_thesis_paths *paths, model_files *files, sn_error *error)
{
    sn_status status = sn_thesis_read(SN_THESIS_TOPOLOGY, paths->topology, &files->topology, error);
    if (status == SN_OK) {
        status = sn_thesis_read_state(paths->state, &files->state, error);
    }
    int vertices = files->state.vertex_count;
    if (status == SN_OK) {
        status = sn_thesis_check_vertices(&files->topology, paths->topology, vertices, error);
    }
    if (status == SN_OK && paths->surface != NULL) {
        status = sn_thesis_read(SN_THESIS_SURFACE, paths->surface, &files->surface, error);
    } else if (status == SN_OK) {
        sn_thesis_face look = {0};
        status = sn_thesis_surf(&files->topology, &look, &files->surface, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_check_vertices(&files->surface, paths->surface, vertices, error);
    }
    if (status == SN_OK && paths->constraints != NULL) {
        status =
            sn_thesis_read(SN_THESIS_CONSTRAINTS, paths->constraints, &files->constraints, error);
    }
    if (status == SN_OK && paths->constraints != NULL) {
        status = sn_thesis_check_vertices(&files->constraints, paths->constraints, vertices, error);
    }
    if (status == SN_OK && paths->drags != NULL) {
        status = sn_thesis_read(SN_THESIS_DRAGS, paths->drags, &files->drags, error);
    }
    if (status == SN_OK && paths->drags != NULL) {
        status = sn_thesis_check_vertices(&files->drags, paths->drags, vertices, error);
    }
    return status;
}

static sn_status put_together(const sn_thesis_paths *paths, const model_files *files,
                              sn_thesis_model *model, sn_error *error)
{
    int elements = files->topology.count;
    size_t bytes = at_least_one(elements) * sizeof(int);
    int *regions = sn_allocate(bytes);
    if (regions == NULL ||
        !allocate(model, files->state.vertex_count, elements, elements, files->surface.count,
                  files->constraints.count) ||
        !number_materials(&files->topology, model, regions)) {
        sn_free(regions);
        return fail_memory(model, elements, error);
    }
    sn_status status = refuse_inverted(&files->topology, &files->state, paths->topology, error);
    if (status == SN_OK) {
        status = make_mesh(&files->topology, &files->state, regions, paths->topology, model, error);
    }
    sn_free(regions);
    if (status == SN_OK) {
        model->time = files->state.time;
        memcpy(model->velocities, files->state.velocities,
               (size_t)files->state.vertex_count * sizeof *model->velocities);
        model->face_count = files->surface.count;
        memcpy(model->faces, files->surface.rows,
               (size_t)files->surface.count * sizeof *model->faces);
        status =
            sn_thesis_model_fix(model, files->constraints.fixed, files->constraints.count, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_model_drag(model, files->drags.drags, files->drags.count, error);
    }
    return status;
}

sn_status sn_thesis_model_read(const sn_thesis_paths *paths, sn_thesis_model *model,
                               sn_error *error)
{
    *model = (sn_thesis_model){0};
    if (paths->state == NULL || paths->topology == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a file of states and one of tetrahedra were expected");
    }
    model_files files = {0};
    sn_status status = read_files(paths, &files, error);
    if (status == SN_OK) {
        status = put_together(paths, &files, model, error);
    }
    if (status != SN_OK) {
        sn_thesis_model_free(model);
    }
    sn_thesis_file_free(&files.topology);
    sn_thesis_file_free(&files.surface);
    sn_thesis_file_free(&files.constraints);
    sn_thesis_file_free(&files.drags);
    sn_thesis_state_free(&files.state);
    return status;
}

// ---- making ----

static sn_status check_material(const sn_thesis_material *m, int number, sn_error *error)
{
    const double values[5] = {m->density, m->bulk, m->shear, m->volume_viscosity,
                              m->shape_viscosity};
    bool sound = m->density > 0.0;
    for (int k = 0; k < 5; ++k) {
        sound = sound && isfinite(values[k]) && values[k] >= 0.0;
    }
    return sound ? SN_OK
                 : sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "material %d: a density above 0 and moduli and viscosities of at least "
                           "0 were expected",
                           number);
}

static sn_status check_materials(const sn_tetrahedra *mesh, const sn_thesis_material *materials,
                                 int count, sn_error *error)
{
    if (mesh->nodes != 4 || count < 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "elements of 4 nodes and at least one material were expected");
    }
    for (int i = 0; i < count; ++i) {
        sn_status status = check_material(&materials[i], i, error);
        if (status != SN_OK) {
            return status;
        }
    }
    for (int e = 0; count > 1 && e < mesh->element_count; ++e) {
        if (mesh->regions[e] < 0 || mesh->regions[e] >= count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "element %d is in region %d; there are materials for 0 to %d", e,
                           mesh->regions[e], count - 1);
        }
    }
    return SN_OK;
}

static sn_mat3 edges_at_rest(const sn_tetrahedra *mesh, int element)
{
    const int *v = mesh->elements + 4 * (size_t)element;
    sn_mat3 m;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 edge = sn_vec3_sub(mesh->positions[v[k + 1]], mesh->positions[v[0]]);
        m.m[0][k] = edge.x;
        m.m[1][k] = edge.y;
        m.m[2][k] = edge.z;
    }
    return m;
}

sn_status sn_thesis_model_make(sn_tetrahedra *mesh, const sn_thesis_material *materials,
                               int material_count, sn_thesis_model *model, sn_error *error)
{
    *model = (sn_thesis_model){0};
    sn_status status = check_materials(mesh, materials, material_count, error);
    sn_tetrahedra_surface surface = {0};
    if (status == SN_OK) {
        status = sn_tetrahedra_find_surface(mesh, &surface, error);
    }
    if (status != SN_OK) {
        return status;
    }
    int faces = sn_mesh_triangle_count(surface.mesh);
    if (!allocate(model, mesh->vertex_count, mesh->element_count, material_count, faces, 0)) {
        sn_tetrahedra_surface_free(&surface);
        return fail_memory(model, mesh->element_count, error);
    }
    model->mesh = sn_tetrahedra_retain(mesh);
    model->material_count = material_count;
    memcpy(model->materials, materials, (size_t)material_count * sizeof *materials);
    for (int e = 0; e < mesh->element_count; ++e) {
        model->rest[e] = edges_at_rest(mesh, e);
    }
    for (int f = 0; f < faces; ++f) {
        const int *t = sn_mesh_triangles(surface.mesh) + 3 * (size_t)f;
        model->faces[f] = (sn_thesis_face){
            .vertices = {surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]]}};
    }
    model->face_count = faces;
    sn_tetrahedra_surface_free(&surface);
    return SN_OK;
}

static int compare_numbers(const void *left, const void *right)
{
    const int *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

sn_status sn_thesis_model_fix(sn_thesis_model *model, const int *vertices, int count,
                              sn_error *error)
{
    for (int i = 0; i < count; ++i) {
        if (vertices[i] < 0 || vertices[i] >= model->mesh->vertex_count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "vertex %d cannot be fixed; 0 to %d were expected", vertices[i],
                           model->mesh->vertex_count - 1);
        }
    }
    size_t bytes = at_least_one(model->fixed_count + count) * sizeof *model->fixed;
    int *fixed = sn_reallocate(model->fixed, bytes);
    if (fixed == NULL) {
        return sn_fail_memory(error, bytes);
    }
    model->fixed = fixed;
    if (count > 0) {
        memcpy(fixed + model->fixed_count, vertices, (size_t)count * sizeof *fixed);
    }
    int total = model->fixed_count + count, kept = 0;
    qsort(fixed, (size_t)total, sizeof *fixed, compare_numbers);
    for (int i = 0; i < total; ++i) {
        if (kept == 0 || fixed[kept - 1] != fixed[i]) {
            fixed[kept++] = fixed[i];
        }
    }
    model->fixed_count = kept;
    return SN_OK;
}

sn_status sn_thesis_model_drag(sn_thesis_model *model, const sn_thesis_drag *drags, int count,
                               sn_error *error)
{
    for (int i = 0; i < count; ++i) {
        if (drags[i].vertex < 0 || drags[i].vertex >= model->mesh->vertex_count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "vertex %d cannot be dragged; 0 to %d were expected", drags[i].vertex,
                           model->mesh->vertex_count - 1);
        }
    }
    if (count == 0) {
        return SN_OK;
    }
    size_t bytes = (size_t)(model->drag_count + count) * sizeof *drags;
    sn_thesis_drag *all = sn_reallocate(model->drags, bytes);
    if (all == NULL) {
        return sn_fail_memory(error, bytes);
    }
    model->drags = all;
    memcpy(all + model->drag_count, drags, (size_t)count * sizeof *drags);
    model->drag_count += count;
    return SN_OK;
}

// ---- joining ----

typedef struct model_arrays {
    sn_vec3 *positions;
    int *elements, *regions;
    int vertex_count, element_count, material_count, face_count, fixed_count;
} model_arrays;

// Puts a model behind those that are there.
static void append(const sn_thesis_model *from, model_arrays *arrays, sn_thesis_model *to)
{
    const sn_tetrahedra *mesh = from->mesh;
    int shift = arrays->vertex_count;
    size_t vertices = (size_t)mesh->vertex_count, elements = (size_t)mesh->element_count;
    memcpy(arrays->positions + shift, mesh->positions, vertices * sizeof *mesh->positions);
    memcpy(to->velocities + shift, from->velocities, vertices * sizeof *from->velocities);
    memcpy(to->rest + arrays->element_count, from->rest, elements * sizeof *from->rest);
    memcpy(to->materials + arrays->material_count, from->materials,
           (size_t)from->material_count * sizeof *from->materials);
    for (size_t i = 0; i < 4 * elements; ++i) {
        arrays->elements[4 * (size_t)arrays->element_count + i] = mesh->elements[i] + shift;
    }
    for (size_t e = 0; e < elements; ++e) {
        int region = from->material_count > 1 ? mesh->regions[e] : 0;
        arrays->regions[(size_t)arrays->element_count + e] = arrays->material_count + region;
    }
    for (int f = 0; f < from->face_count; ++f) {
        sn_thesis_face *face = &to->faces[arrays->face_count + f];
        *face = from->faces[f];
        for (int k = 0; k < 3; ++k) {
            face->vertices[k] += shift;
        }
    }
    for (int i = 0; i < from->fixed_count; ++i) {
        to->fixed[arrays->fixed_count + i] = from->fixed[i] + shift;
    }
    arrays->vertex_count += mesh->vertex_count;
    arrays->element_count += mesh->element_count;
    arrays->material_count += from->material_count;
    arrays->face_count += from->face_count;
    arrays->fixed_count += from->fixed_count;
}

static sn_status join_mesh(const model_arrays *arrays, sn_thesis_model *joined, sn_error *error)
{
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = arrays->positions;
    def.vertex_count = arrays->vertex_count;
    def.elements = arrays->elements;
    def.element_count = arrays->element_count;
    def.regions = arrays->regions;
    def.least_quality = LEAST_QUALITY;
    joined->material_count = arrays->material_count;
    joined->face_count = arrays->face_count;
    joined->fixed_count = arrays->fixed_count;
    return sn_tetrahedra_create(&def, &joined->mesh, error);
}

static sn_status append_drags(sn_thesis_model *to, const sn_thesis_model *from, int shift,
                              sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < from->drag_count && status == SN_OK; ++i) {
        sn_thesis_drag drag = from->drags[i];
        drag.vertex += shift;
        status = sn_thesis_model_drag(to, &drag, 1, error);
    }
    return status;
}

sn_status sn_thesis_model_join(const sn_thesis_model *models, int count, sn_thesis_model *joined,
                               sn_error *error)
{
    *joined = (sn_thesis_model){0};
    int vertices = 0, elements = 0, materials = 0, faces = 0, fixed = 0;
    for (int i = 0; i < count; ++i) {
        vertices += models[i].mesh->vertex_count;
        elements += models[i].mesh->element_count;
        materials += models[i].material_count;
        faces += models[i].face_count;
        fixed += models[i].fixed_count;
    }
    model_arrays arrays = {0};
    arrays.positions = sn_allocate(at_least_one(vertices) * sizeof *arrays.positions);
    arrays.elements = sn_allocate(at_least_one(4 * elements) * sizeof *arrays.elements);
    arrays.regions = sn_allocate(at_least_one(elements) * sizeof *arrays.regions);
    sn_status status = SN_OK;
    if (arrays.positions == NULL || arrays.elements == NULL || arrays.regions == NULL ||
        !allocate(joined, vertices, elements, materials, faces, fixed)) {
        status = sn_fail_memory(error, at_least_one(elements) * sizeof(sn_mat3));
    }
    for (int i = 0; status == SN_OK && i < count; ++i) {
        append(&models[i], &arrays, joined);
    }
    if (status == SN_OK) {
        joined->time = count > 0 ? models[0].time : 0.0;
        status = join_mesh(&arrays, joined, error);
    }
    for (int i = 0, shift = 0; status == SN_OK && i < count; ++i) {
        status = append_drags(joined, &models[i], shift, error);
        shift += models[i].mesh->vertex_count;
    }
    sn_free(arrays.positions);
    sn_free(arrays.elements);
    sn_free(arrays.regions);
    if (status != SN_OK) {
        sn_thesis_model_free(joined);
    }
    return status;
}

// ---- units ----

sn_status sn_thesis_model_rescale(sn_thesis_model *model, double length, double mass,
                                  sn_error *error)
{
    if (!(length > 0.0 && isfinite(length) && mass > 0.0 && isfinite(mass))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "units of length and mass above 0 were expected");
    }
    sn_tetrahedra *mesh = NULL;
    sn_status status = sn_tetrahedra_transformed(model->mesh, sn_vec3_make(length, length, length),
                                                 SN_TRANSFORM_IDENTITY, &mesh, error);
    if (status != SN_OK) {
        return status;
    }
    sn_tetrahedra_release(model->mesh);
    model->mesh = mesh;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        model->velocities[i] = sn_vec3_scale(length, model->velocities[i]);
    }
    for (int e = 0; e < mesh->element_count; ++e) {
        model->rest[e] = sn_mat3_scale(length, model->rest[e]);
    }
    for (int i = 0; i < model->drag_count; ++i) {
        sn_thesis_drag *d = &model->drags[i];
        d->from = sn_vec3_scale(length, d->from);
        d->from_velocity = sn_vec3_scale(length, d->from_velocity);
        d->to = sn_vec3_scale(length, d->to);
        d->to_velocity = sn_vec3_scale(length, d->to_velocity);
    }
    // Moduli are force by area, M/(L T^2), viscosities M/(L T): the same factor, since T stays.
    for (int i = 0; i < model->material_count; ++i) {
        sn_thesis_material *m = &model->materials[i];
        m->density *= mass / (length * length * length);
        m->bulk *= mass / length;
        m->shear *= mass / length;
        m->volume_viscosity *= mass / length;
        m->shape_viscosity *= mass / length;
    }
    return SN_OK;
}

// ---- writing ----

sn_status sn_thesis_model_topology(const sn_thesis_model *model, sn_thesis_file *topology,
                                   sn_error *error)
{
    const sn_tetrahedra *mesh = model->mesh;
    *topology = (sn_thesis_file){.kind = SN_THESIS_TOPOLOGY, .count = mesh->element_count};
    size_t bytes = at_least_one(topology->count) * sizeof *topology->elements;
    topology->elements = sn_allocate_zero(bytes);
    if (topology->elements == NULL) {
        *topology = (sn_thesis_file){0};
        return sn_fail_memory(error, bytes);
    }
    for (int e = 0; e < topology->count; ++e) {
        const sn_thesis_material *m =
            &model->materials[model->material_count > 1 ? mesh->regions[e] : 0];
        sn_thesis_element *element = &topology->elements[e];
        *element = (sn_thesis_element){.rest = model->rest[e],
                                       .density = m->density,
                                       .bulk = m->bulk,
                                       .shear = m->shear,
                                       .volume_viscosity = m->volume_viscosity,
                                       .shape_viscosity = m->shape_viscosity};
        memcpy(element->vertices, mesh->elements + 4 * (size_t)e, sizeof element->vertices);
    }
    return SN_OK;
}

static sn_status write_topology(const sn_thesis_model *model, const char *path, sn_error *error)
{
    sn_thesis_file file;
    sn_status status = sn_thesis_model_topology(model, &file, error);
    if (status == SN_OK) {
        status = sn_thesis_write(&file, path, error);
    }
    sn_thesis_file_free(&file);
    return status;
}

static sn_status write_state(const sn_thesis_model *model, const char *path, sn_error *error)
{
    sn_thesis_state state = {model->time, model->mesh->vertex_count, model->mesh->positions,
                             model->velocities};
    sn_thesis_state_writer *writer = NULL;
    sn_status status = sn_thesis_writer_open(path, &writer, error);
    if (status == SN_OK) {
        status = sn_thesis_writer_put(writer, &state, error);
        sn_status closed = sn_thesis_writer_close(writer, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
    }
    return status;
}

sn_status sn_thesis_model_write(const sn_thesis_model *model, const sn_thesis_paths *paths,
                                sn_error *error)
{
    sn_status status = SN_OK;
    if (paths->topology != NULL) {
        status = write_topology(model, paths->topology, error);
    }
    if (status == SN_OK && paths->state != NULL) {
        status = write_state(model, paths->state, error);
    }
    if (status == SN_OK && paths->surface != NULL) {
        sn_thesis_file file = {SN_THESIS_SURFACE, model->face_count, {model->faces}};
        status = sn_thesis_write(&file, paths->surface, error);
    }
    if (status == SN_OK && paths->constraints != NULL) {
        sn_thesis_file file = {SN_THESIS_CONSTRAINTS, model->fixed_count, {model->fixed}};
        status = sn_thesis_write(&file, paths->constraints, error);
    }
    if (status == SN_OK && paths->drags != NULL) {
        sn_thesis_file file = {SN_THESIS_DRAGS, model->drag_count, {model->drags}};
        status = sn_thesis_write(&file, paths->drags, error);
    }
    return status;
}
