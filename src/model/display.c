#include "model/display.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/world.h"

struct sn_display {
    atomic_int references;
    sn_mesh *mesh;          // at rest, in the body's frame
    int *vertices;          // of the mesh: the body's vertex; NULL: bound
    sn_embedding embedding; // of a surface that is bound
    sn_display_part *parts;
    int part_count;
};

// `elements` gets the element of each triangle of the body's own faces, and stays of others.
static sn_status bind(const sn_elastic_def *def, sn_display *display, int **elements,
                      sn_error *error)
{
    if (def->display != NULL) {
        display->mesh = sn_mesh_retain(def->display);
        return sn_embedding_create(def->mesh, sn_mesh_positions(display->mesh),
                                   sn_mesh_vertex_count(display->mesh), &display->embedding, error);
    }
    sn_tetrahedra_surface surface = {0};
    sn_status status = sn_tetrahedra_find_surface(def->mesh, &surface, error);
    if (status == SN_OK) {
        display->mesh = surface.mesh;
        display->vertices = surface.vertices;
        *elements = surface.elements;
        surface.mesh = NULL;
        surface.vertices = surface.elements = NULL;
        sn_tetrahedra_surface_free(&surface);
    }
    return status;
}

// ---- looks ----

static bool look_alike(const sn_look *a, const sn_look *b)
{
    return a->colour == b->colour && a->roughness == b->roughness && a->metallic == b->metallic;
}

static bool has_one_look(const sn_elastic_def *def)
{
    bool one = true;
    for (int i = 1; i < def->material_count && def->region_looks != NULL; ++i) {
        one = one && look_alike(&def->region_looks[0], &def->region_looks[i]);
    }
    return one;
}

// The elements that faces of a bound surface lie in, by their middles.
static sn_status find_elements(const sn_elastic_def *def, const sn_mesh *mesh, int **elements,
                               sn_error *error)
{
    int count = sn_mesh_triangle_count(mesh);
    const sn_vec3 *x = sn_mesh_positions(mesh);
    sn_vec3 *middles = sn_allocate((size_t)count * sizeof *middles);
    if (middles == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *middles);
    }
    for (int i = 0; i < count; ++i) {
        const int *c = sn_mesh_triangles(mesh) + 3 * (size_t)i;
        middles[i] = sn_vec3_scale(1.0 / 3.0, sn_vec3_add(sn_vec3_add(x[c[0]], x[c[1]]), x[c[2]]));
    }
    sn_embedding embedding = {0};
    sn_status status = sn_embedding_create(def->mesh, middles, count, &embedding, error);
    if (status == SN_OK) {
        *elements = embedding.elements;
        embedding.elements = NULL;
    }
    sn_embedding_free(&embedding);
    sn_free(middles);
    return status;
}

// The first region that looks as the element's does.
static int look_of(const sn_elastic_def *def, int element)
{
    const sn_look *looks = def->region_looks;
    int region = def->material_count > 1 ? sn_tetrahedra_regions(def->mesh)[element] : 0, first = 0;
    while (!look_alike(&looks[first], &looks[region])) {
        first += 1;
    }
    return first;
}

// Faces that look alike one after the other, else in the order they had; `looks` (triangle_count)
// gives the look of each.
static sn_status sort_faces(const sn_elastic_def *def, sn_display *display, const int *looks,
                            sn_error *error)
{
    const sn_mesh *mesh = display->mesh;
    int count = sn_mesh_triangle_count(mesh), used = 0;
    int *triangles = sn_allocate(3 * (size_t)count * sizeof *triangles);
    if (triangles == NULL) {
        return sn_fail_memory(error, 3 * (size_t)count * sizeof *triangles);
    }
    display->part_count = 0;
    for (int look = 0; look < def->material_count; ++look) {
        int first = used;
        for (int i = 0; i < count; ++i) {
            if (looks[i] == look) {
                memcpy(triangles + 3 * (size_t)used++, sn_mesh_triangles(mesh) + 3 * (size_t)i,
                       3 * sizeof *triangles);
            }
        }
        if (used > first) {
            display->parts[display->part_count++] =
                (sn_display_part){def->region_looks[look], first, used - first};
        }
    }
    sn_mesh *sorted = NULL;
    sn_status status = sn_mesh_create(sn_mesh_positions(mesh), sn_mesh_vertex_count(mesh),
                                      triangles, count, &sorted, error);
    if (status == SN_OK) {
        sn_mesh_release(display->mesh);
        display->mesh = sorted;
    }
    sn_free(triangles);
    return status;
}

// `elements` of the faces, or NULL where these are still to be found; they are freed.
static sn_status part_faces(const sn_elastic_def *def, sn_display *display, int *elements,
                            sn_error *error)
{
    size_t room = (size_t)(def->material_count > 1 ? def->material_count : 1);
    int count = sn_mesh_triangle_count(display->mesh);
    sn_status status = SN_OK;
    display->parts = sn_allocate(room * sizeof *display->parts);
    if (display->parts == NULL) {
        status = sn_fail_memory(error, room * sizeof *display->parts);
    } else if (has_one_look(def)) {
        display->parts[display->part_count++] = (sn_display_part){
            def->region_looks != NULL ? def->region_looks[0] : def->look, 0, count};
    } else {
        status = elements == NULL ? find_elements(def, display->mesh, &elements, error) : SN_OK;
        for (int i = 0; i < count && status == SN_OK; ++i) {
            elements[i] = look_of(def, elements[i]);
        }
        status = status == SN_OK ? sort_faces(def, display, elements, error) : status;
    }
    sn_free(elements);
    return status;
}

sn_status sn_display_make(const sn_elastic_def *def, sn_display **display, sn_error *error)
{
    *display = NULL;
    sn_display *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    atomic_init(&made->references, 1);
    int *elements = NULL;
    sn_status status = bind(def, made, &elements, error);
    status = status == SN_OK ? part_faces(def, made, elements, error) : status;
    if (status != SN_OK) {
        sn_display_release(made);
        return status;
    }
    *display = made;
    return SN_OK;
}

sn_display *sn_display_retain(sn_display *display)
{
    if (display != NULL) {
        atomic_fetch_add(&display->references, 1);
    }
    return display;
}

void sn_display_release(sn_display *display)
{
    if (display == NULL || atomic_fetch_sub(&display->references, 1) > 1) {
        return;
    }
    sn_mesh_release(display->mesh);
    sn_free(display->vertices);
    sn_embedding_free(&display->embedding);
    sn_free(display->parts);
    sn_free(display);
}

const sn_mesh *sn_display_mesh(const sn_display *display)
{
    return display->mesh;
}

sn_vec3 sn_display_point(const sn_display *display, const double *x, int stride, int vertex)
{
    if (display->vertices != NULL) {
        return sn_vec3_at(x + (size_t)stride * (size_t)display->vertices[vertex]);
    }
    int nodes = display->embedding.nodes;
    sn_embedding one = display->embedding;
    one.point_count = 1;
    one.vertices += (size_t)vertex * (size_t)nodes;
    one.weights += (size_t)vertex * (size_t)nodes;
    sn_vec3 point;
    sn_embedding_apply(&one, x, stride, &point);
    return point;
}

void sn_display_read(const sn_display *display, const double *x, int stride, sn_vec3 *points)
{
    for (int i = 0; i < sn_mesh_vertex_count(display->mesh); ++i) {
        points[i] = sn_display_point(display, x, stride, i);
    }
}

// ---- of bodies ----

static const sn_body_record *record_of(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && record->display != NULL ? record : NULL;
}

const sn_mesh *sn_body_display(const sn_world *world, sn_body body)
{
    const sn_body_record *record = record_of(world, body);
    return record != NULL ? record->display->mesh : NULL;
}

bool sn_body_read_display(const sn_world *world, sn_body body, sn_vec3 *positions,
                          sn_vec3 *velocities)
{
    const sn_body_record *record = record_of(world, body);
    if (record == NULL) {
        return false;
    }
    const sn_agent_set *set = &world->elastics.agents;
    if (positions != NULL) {
        sn_display_read(record->display, sn_agent_q(set, record->agent.agent), SN_SOLID_STRIDE,
                        positions);
    }
    if (velocities != NULL) {
        sn_display_read(record->display, sn_agent_v(set, record->agent.agent), SN_SOLID_STRIDE,
                        velocities);
    }
    return true;
}

sn_look sn_body_look(const sn_world *world, sn_body body)
{
    const sn_body_record *record = record_of(world, body);
    return record != NULL ? record->display->parts[0].look : (sn_look){0};
}

int sn_body_display_part_count(const sn_world *world, sn_body body)
{
    const sn_body_record *record = record_of(world, body);
    return record != NULL ? record->display->part_count : 0;
}

sn_display_part sn_body_display_part(const sn_world *world, sn_body body, int index)
{
    const sn_body_record *record = record_of(world, body);
    bool there = record != NULL && index >= 0 && index < record->display->part_count;
    return there ? record->display->parts[index] : (sn_display_part){0};
}
