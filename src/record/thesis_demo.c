// The thesis' four demonstrations as models, in its CGS units. Counts of elements, vertices and
// fixed vertices, materials and gravity are those of its chapter 9; sizes and places, which it does
// not give, are chosen here.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"
#include "record/thesis_doll.h"
#include "sinew/thesis.h"

static const char *const names[SN_THESIS_DEMO_COUNT] = {"torus", "elast", "loop", "gizmo"};

const char *sn_thesis_demo_name(sn_thesis_demo demo)
{
    return names[demo];
}

bool sn_thesis_demo_find(const char *name, sn_thesis_demo *demo)
{
    for (int i = 0; i < SN_THESIS_DEMO_COUNT; ++i) {
        if (strcmp(names[i], name) == 0) {
            *demo = (sn_thesis_demo)i;
            return true;
        }
    }
    return false;
}

double sn_thesis_demo_gravity(sn_thesis_demo demo)
{
    static const double gravities[SN_THESIS_DEMO_COUNT] = {980.0, 400.0, 0.0, 327.0};
    return gravities[demo];
}

double sn_thesis_demo_time(sn_thesis_demo demo)
{
    return demo == SN_THESIS_LOOP ? 15.0 : 10.0;
}

// ---- parts ----

enum { PART_LIMIT = 3 };

// Models that become one, each with a texture of its own.
typedef struct demo_parts {
    sn_thesis_model models[PART_LIMIT];
    int count;
} demo_parts;

static sn_transform at(double x, double y, double z)
{
    return (sn_transform){sn_vec3_make(x, y, z), SN_QUAT_IDENTITY};
}

// Takes the mesh, placed, and passes failures on. Faces have the part's own texture and usual
// coefficients, which only the thesis' older impulse method reads.
static sn_status add_part(demo_parts *parts, sn_status status, sn_tetrahedra *mesh,
                          sn_transform place, const sn_thesis_material *material, sn_error *error)
{
    sn_tetrahedra *placed = NULL;
    if (status == SN_OK) {
        status =
            sn_tetrahedra_transformed(mesh, sn_vec3_make(1.0, 1.0, 1.0), place, &placed, error);
    }
    if (status == SN_OK) {
        sn_thesis_model *model = &parts->models[parts->count];
        status = sn_thesis_model_make(placed, material, 1, model, error);
        for (int f = 0; status == SN_OK && f < model->face_count; ++f) {
            model->faces[f].texture = parts->count;
            model->faces[f].static_friction = 0.5;
            model->faces[f].friction = 0.4;
            model->faces[f].restitution = 0.8;
        }
        parts->count += status == SN_OK;
    }
    sn_tetrahedra_release(placed);
    sn_tetrahedra_release(mesh);
    return status;
}

// Fixes the vertices of the last part that are within a box.
static sn_status fix_within(demo_parts *parts, sn_status status, sn_vec3 lower, sn_vec3 upper,
                            sn_error *error)
{
    sn_thesis_model *model = &parts->models[parts->count - (parts->count > 0)];
    for (int i = 0; status == SN_OK && i < model->mesh->vertex_count; ++i) {
        sn_vec3 p = model->mesh->positions[i];
        if (p.x >= lower.x && p.y >= lower.y && p.z >= lower.z && p.x <= upper.x &&
            p.y <= upper.y && p.z <= upper.z) {
            status = sn_thesis_model_fix(model, &i, 1, error);
        }
    }
    return status;
}

// ---- torus ----

static sn_status make_torus(demo_parts *parts, sn_error *error)
{
    static const sn_thesis_material material = {1.0, 220000.0, 160000.0, 30.0, 20.0};
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    torus.radius = 10.0;
    torus.tube_radius = 3.0;
    sn_tetrahedra *mesh = NULL;
    sn_status status = sn_tetrahedra_make_torus(&torus, &mesh, error);
    // Tilted about two axes, so that it does not hang in a plane of symmetry.
    sn_transform place = {SN_VEC3_ZERO, sn_quat_normalize((sn_quat){0.93, 0.28, 0.2, 0.12})};
    status = add_part(parts, status, mesh, place, &material, error);
    // The first vertex is the middle of the first section.
    return status == SN_OK ? sn_thesis_model_fix(&parts->models[0], (int[]){0}, 1, error) : status;
}

// ---- elast ----

static sn_status make_box(sn_vec3 size, int x, int y, int z, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = size;
    box.cells[0] = x;
    box.cells[1] = y;
    box.cells[2] = z;
    return sn_tetrahedra_make_box(&box, mesh, error);
}

static sn_status make_elast(demo_parts *parts, sn_error *error)
{
    static const sn_thesis_material bed = {0.8, 100000.0, 80000.0, 8.0, 6.0};
    static const sn_thesis_material cube = {2.0, 20000.0, 20000.0, 16.0, 16.0};
    static const sn_thesis_material ball = {2.0, 10000.0, 10000.0, 40.0, 40.0};
    sn_tetrahedra *mesh = NULL;
    sn_status status = make_box(sn_vec3_make(40.0, 40.0, 4.0), 8, 8, 2, &mesh, error);
    status = add_part(parts, status, mesh, at(0.0, 0.0, -2.0), &bed, error);
    for (int corner = 0; corner < 4; ++corner) {
        double x = corner % 2 ? 20.0 : -20.0, y = corner / 2 ? 20.0 : -20.0;
        status = fix_within(parts, status, sn_vec3_make(x - 0.1, y - 0.1, -5.0),
                            sn_vec3_make(x + 0.1, y + 0.1, 1.0), error);
    }
    mesh = NULL;
    status =
        status == SN_OK ? make_box(sn_vec3_make(6.0, 6.0, 6.0), 2, 2, 2, &mesh, error) : status;
    status = add_part(parts, status, mesh, at(20.0, 2.0, 12.0), &cube, error);
    mesh = NULL;
    status = status == SN_OK ? sn_tetrahedra_make_sphere(4.0, 1, &mesh, error) : status;
    return add_part(parts, status, mesh, at(-4.0, -2.0, 16.0), &ball, error);
}

// ---- loop ----

static sn_status make_cylinder(double radius, double height, int spokes, int layers,
                               sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_cylinder cylinder = {
        .radius = radius, .height = height, .rings = 1, .spokes = spokes, .layers = layers};
    return sn_tetrahedra_make_cylinder(&cylinder, mesh, error);
}

// The middle of the ring's first section, between the cylinders at the start, goes to the right and
// up, over the right one, and down beyond it: three constraints one after the other, as in the
// thesis, whose times they have.
static sn_status drag_ring(sn_thesis_model *model, sn_error *error)
{
    static const double times[4] = {0.0, 1.5, 3.0, 5.0};
    static const sn_vec3 velocities[4] = {
        {0.0, 0.0, 0.0}, {5.5, 0.0, 6.0}, {5.9, 0.0, -3.9}, {0.0, 0.0, 0.0}};
    const sn_vec3 places[4] = {
        model->mesh->positions[0], {14.0, 0.0, 6.0}, {22.0, 0.0, 10.0}, {27.0, 0.0, 0.0}};
    sn_thesis_drag drags[3];
    for (int k = 0; k < 3; ++k) {
        drags[k] = (sn_thesis_drag){
            0, times[k], times[k + 1], places[k], velocities[k], places[k + 1], velocities[k + 1]};
    }
    return sn_thesis_model_drag(model, drags, 3, error);
}

// The tables' 906 elements, 353 vertices and 630 faces fit wedges around a middle line (6 spokes by
// 10 layers, 7 by 6, 10 by 20 around the torus). Of its 34 fixed vertices 22 are ends of cylinders;
// here the other 12 are the rims next to the left one's ends.
static sn_status make_loop(demo_parts *parts, sn_error *error)
{
    static const sn_thesis_material left = {3.0, 10000.0, 9000.0, 10.0, 10.0};
    static const sn_thesis_material right = {1.5, 40000.0, 25000.0, 4.0, 4.0};
    static const sn_thesis_material ring = {3.0, 8000.0, 8000.0, 20.0, 20.0};
    sn_tetrahedra *mesh = NULL;
    sn_status status = make_cylinder(2.0, 40.0, 6, 10, &mesh, error);
    status = add_part(parts, status, mesh, at(0.0, 0.0, 0.0), &left, error);
    for (int end = -1; end <= 1; end += 2) {
        status = fix_within(parts, status, sn_vec3_make(-9.0, -9.0, 20.0 * end - 0.1),
                            sn_vec3_make(9.0, 9.0, 20.0 * end + 0.1), error);
        // All of the section but its middle.
        for (int side = 0; side < 2; ++side) {
            status =
                fix_within(parts, status, sn_vec3_make(side ? 0.1 : -9.0, -9.0, 16.0 * end - 0.1),
                           sn_vec3_make(side ? 9.0 : -0.1, 9.0, 16.0 * end + 0.1), error);
        }
    }
    mesh = NULL;
    status = status == SN_OK ? make_cylinder(2.0, 24.0, 7, 6, &mesh, error) : status;
    status = add_part(parts, status, mesh, at(22.0, 0.0, -8.0), &right, error);
    status = fix_within(parts, status, sn_vec3_make(0.0, -9.0, -20.1),
                        sn_vec3_make(40.0, 9.0, -19.9), error);
    sn_tetrahedra_torus torus = {
        .radius = 8.0, .tube_radius = 2.0, .rings = 1, .spokes = 10, .segments = 20};
    mesh = NULL;
    status = status == SN_OK ? sn_tetrahedra_make_torus(&torus, &mesh, error) : status;
    status = add_part(parts, status, mesh, at(0.0, 0.0, 0.0), &ring, error);
    return status == SN_OK ? drag_ring(&parts->models[2], error) : status;
}

// ---- gizmo ----

static sn_status make_gizmo(demo_parts *parts, sn_error *error)
{
    static const sn_thesis_material material = {1.0, 10000.0, 10000.0, 1.0, 1.0};
    sn_tetrahedra *mesh = NULL;
    sn_status status = sn_thesis_doll(5.0, &mesh, error);
    status = add_part(parts, status, mesh, at(0.0, 0.0, 12.0), &material, error);
    if (status != SN_OK) {
        return status;
    }
    // The floor: one element with its upper face level.
    const sn_vec3 corners[4] = {
        {0.0, 60.0, 0.0}, {-52.0, -30.0, 0.0}, {52.0, -30.0, 0.0}, {0.0, 0.0, -30.0}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = corners;
    def.vertex_count = 4;
    def.elements = (int[]){0, 1, 2, 3};
    def.element_count = 1;
    mesh = NULL;
    status = sn_tetrahedra_create(&def, &mesh, error);
    status = add_part(parts, status, mesh, at(0.0, 0.0, 0.0), &material, error);
    return status == SN_OK ? sn_thesis_model_fix(&parts->models[1], (int[]){0, 1, 2, 3}, 4, error)
                           : status;
}

sn_status sn_thesis_demo_make(sn_thesis_demo demo, sn_thesis_model *model, sn_error *error)
{
    static sn_status (*const makers[SN_THESIS_DEMO_COUNT])(demo_parts *, sn_error *) = {
        make_torus, make_elast, make_loop, make_gizmo};
    *model = (sn_thesis_model){0};
    if ((int)demo < 0 || demo >= SN_THESIS_DEMO_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "there is no such demonstration");
    }
    demo_parts parts = {0};
    sn_status status = makers[demo](&parts, error);
    if (status == SN_OK) {
        status = sn_thesis_model_join(parts.models, parts.count, model, error);
    }
    for (int i = 0; i < parts.count; ++i) {
        sn_thesis_model_free(&parts.models[i]);
    }
    return status;
}
