// Masses of bodies of which a file says only the shapes: solid, with the density of water.
#include "base/error.h"
#include "base/memory.h"
#include "scene/path.h"
#include "scene/urdf_scene.h"
#include "sinew/geometry.h"

typedef SN_ARRAY(sn_shape) shape_array;

typedef struct weighing {
    sn_urdf_reader *reader;
    const sn_robot *robot;
    const sn_urdf *urdf;
    shape_array shapes; // in the body's frame
} weighing;

// The convex hull of a mesh: a shell or an open mesh has no volume of its own.
static sn_status read_hull(const weighing *w, const sn_urdf_shape *from, sn_mesh **hull,
                           sn_error *error)
{
    const char *folder = w->reader->scene->sources.data[w->reader->source].folder;
    char *path = sn_path_join(folder, from->file);
    if (path == NULL) {
        return sn_fail_memory(error, 0);
    }
    sn_import_options options = sn_default_import_options();
    options.up = SN_UP_Z; // axes as they are
    sn_mesh *mesh = NULL, *scaled = NULL;
    sn_status status = sn_mesh_import(path, &options, &mesh, error);
    if (status == SN_OK) {
        status = sn_mesh_transformed(mesh, from->scale, SN_TRANSFORM_IDENTITY, &scaled, error);
    }
    if (status == SN_OK) {
        status = sn_mesh_convex_hull(sn_mesh_positions(scaled), sn_mesh_vertex_count(scaled), hull,
                                     error);
    }
    sn_mesh_release(scaled);
    sn_mesh_release(mesh);
    sn_free(path);
    return status;
}

static void fail_shape(const weighing *w, const sn_urdf_shape *from, sn_status status,
                       const sn_error *error)
{
    if (status == SN_ERROR_MEMORY) {
        w->reader->out_of_memory = true;
        return;
    }
    sn_urdf_fail(w->reader, from->place,
                 "the link has no <inertial>, and its shape cannot be weighed: %.200s",
                 error->text);
}

static void add_shape(weighing *w, const sn_urdf_shape *from, sn_transform in_body)
{
    sn_shape shape = sn_default_shape();
    shape.type = from->type;
    shape.size = from->size;
    shape.radius = from->radius;
    shape.height = from->height;
    shape.frame = sn_transform_multiply(in_body, from->frame);
    shape.density = 1000.0;
    sn_error error = {0};
    sn_status status = SN_OK;
    if (from->type == SN_SHAPE_MESH) {
        status = read_hull(w, from, &shape.mesh, &error);
    }
    if (status != SN_OK) {
        fail_shape(w, from, status, &error);
    } else if (!sn_array_push(&w->shapes, shape)) {
        sn_mesh_release(shape.mesh);
        w->reader->out_of_memory = true;
    }
}

// What touches, or what is seen if nothing does.
static void add_link(weighing *w, int index)
{
    const sn_urdf_link *link = &w->urdf->links[index];
    const sn_urdf_shape *shapes = &w->urdf->shapes[link->first_shape];
    bool collision = false;
    for (int i = 0; i < link->shape_count; ++i) {
        collision = collision || shapes[i].collision;
    }
    for (int i = 0; i < link->shape_count; ++i) {
        if (shapes[i].collision == collision) {
            add_shape(w, &shapes[i], w->robot->links[index].in_host);
        }
    }
}

void sn_urdf_weigh(sn_urdf_reader *reader, const sn_robot *robot, sn_urdf *urdf, int index)
{
    weighing w = {.reader = reader, .robot = robot, .urdf = urdf};
    sn_urdf_link *link = &urdf->links[index];
    int mistakes = reader->mistakes;
    for (int i = 0; i < urdf->link_count && !reader->out_of_memory; ++i) {
        if (robot->links[i].host == index) {
            add_link(&w, i);
        }
    }
    if (!reader->out_of_memory && reader->mistakes == mistakes) {
        sn_mass_properties mass = {0};
        sn_error error = {0};
        sn_status status = sn_shape_mass_properties(w.shapes.data, w.shapes.count, &mass, &error);
        status = status == SN_OK ? sn_mass_properties_check(&mass, &error) : status;
        link->mass = mass.mass;
        link->centre = mass.centre;
        link->inertia = mass.inertia;
        if (status != SN_OK) {
            sn_urdf_fail(reader, link->place,
                         "the link \"%.60s\" has no <inertial>, and its shapes cannot be weighed: "
                         "%.200s",
                         link->name, error.text);
        } else {
            sn_urdf_note(reader, link->place,
                         "the link \"%.60s\" moves but has no mass, nor has anything below it: its "
                         "shapes are solid, of 1000 kg/m3 (%.3g kg)",
                         link->name, link->mass);
        }
    }
    for (int i = 0; i < w.shapes.count; ++i) {
        sn_shape_release(&w.shapes.data[i]);
    }
    sn_array_free(&w.shapes);
}
