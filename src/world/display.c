#include "world/display.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

struct sn_display {
    atomic_int references;
    sn_mesh *mesh;          // at rest, in the body's frame
    int *vertices;          // of the mesh: the body's vertex; NULL: bound
    sn_embedding embedding; // of a surface that is bound
    sn_look look;
};

static sn_status bind(const sn_elastic_def *def, sn_display *display, sn_error *error)
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
        surface.mesh = NULL;
        surface.vertices = NULL;
        sn_tetrahedra_surface_free(&surface);
    }
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
    made->look = def->look;
    sn_status status = bind(def, made, error);
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
    sn_free(display);
}

const sn_mesh *sn_display_mesh(const sn_display *display)
{
    return display->mesh;
}

sn_look sn_display_look(const sn_display *display)
{
    return display->look;
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
    return record != NULL ? record->display->look : (sn_look){0};
}
