// Models in worlds: each connected part of a model becomes an elastic body, numbered in the order
// in which the model first names its vertices.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"
#include "record/thesis.h"

typedef struct stage_part {
    sn_body body;
    int first, count; // of the stage's `vertices`
} stage_part;

struct sn_thesis_stage {
    sn_world *world;
    stage_part *parts;
    int part_count;
    int *vertices; // vertex_count of the model: its numbers, part after part
    int *places;   // vertex_count: where in its part a vertex of the model is
    int *part_of;  // vertex_count
    double start;  // the model's time at the world's 0
    sn_thesis_state state;
    sn_vec3 *positions, *velocities; // of a part, vertex_count
};

sn_thesis_stage_def sn_default_thesis_stage_def(void)
{
    return (sn_thesis_stage_def){.policy = SN_POLICY_PRECISE,
                                 .law = SN_ELASTIC_LIESENFELD,
                                 .tolerance = 1e-6,
                                 .contact = sn_default_contact_def(),
                                 .threads = 1};
}

void sn_thesis_stage_destroy(sn_thesis_stage *stage)
{
    if (stage == NULL) {
        return;
    }
    sn_world_destroy(stage->world);
    sn_thesis_state_free(&stage->state);
    sn_free(stage->parts);
    sn_free(stage->vertices);
    sn_free(stage->places);
    sn_free(stage->part_of);
    sn_free(stage->positions);
    sn_free(stage->velocities);
    sn_free(stage);
}

sn_world *sn_thesis_stage_world(sn_thesis_stage *stage)
{
    return stage->world;
}

static sn_thesis_stage *allocate_stage(const sn_thesis_model *model)
{
    size_t count = (size_t)model->mesh->vertex_count;
    sn_thesis_stage *stage = sn_allocate_zero(sizeof *stage);
    if (stage == NULL) {
        return NULL;
    }
    stage->start = model->time;
    stage->parts = sn_allocate_zero(count * sizeof *stage->parts);
    stage->vertices = sn_allocate(count * sizeof *stage->vertices);
    stage->places = sn_allocate(count * sizeof *stage->places);
    stage->part_of = sn_allocate(count * sizeof *stage->part_of);
    stage->positions = sn_allocate(count * sizeof(sn_vec3));
    stage->velocities = sn_allocate(count * sizeof(sn_vec3));
    stage->state.positions = sn_allocate(count * sizeof(sn_vec3));
    stage->state.velocities = sn_allocate(count * sizeof(sn_vec3));
    stage->state.vertex_count = model->mesh->vertex_count;
    if (stage->parts == NULL || stage->vertices == NULL || stage->places == NULL ||
        stage->part_of == NULL || stage->positions == NULL || stage->velocities == NULL ||
        stage->state.positions == NULL || stage->state.velocities == NULL) {
        sn_thesis_stage_destroy(stage);
        return NULL;
    }
    return stage;
}

// ---- parts ----

// Vertices of one element belong together.
static void find_parts(const sn_tetrahedra *mesh, sn_thesis_stage *stage)
{
    int count = mesh->vertex_count;
    sn_thesis_parts_begin(stage->part_of, count);
    for (int e = 0; e < mesh->element_count; ++e) {
        sn_thesis_parts_join(stage->part_of, mesh->elements + 4 * (size_t)e);
    }
    stage->part_count = sn_thesis_parts_number(stage->part_of, count);
    for (int i = 0; i < count; ++i) {
        stage->parts[stage->part_of[i]].count += 1;
    }
    for (int p = 1; p < stage->part_count; ++p) {
        stage->parts[p].first = stage->parts[p - 1].first + stage->parts[p - 1].count;
    }
    for (int p = 0; p < stage->part_count; ++p) {
        stage->parts[p].count = 0;
    }
    for (int i = 0; i < count; ++i) {
        stage_part *part = &stage->parts[stage->part_of[i]];
        stage->places[i] = part->count;
        stage->vertices[part->first + part->count++] = i;
    }
}

// ---- bodies ----

// What of a model goes into one body; arrays are as long as the model's and filled anew for each.
typedef struct body_work {
    int *elements, *regions, *fixed;
    sn_mat3 *rest;
    sn_elastic_material *materials;
} body_work;

static void free_work(body_work *work)
{
    sn_free(work->elements);
    sn_free(work->regions);
    sn_free(work->fixed);
    sn_free(work->rest);
    sn_free(work->materials);
}

static bool allocate_work(const sn_thesis_model *model, const sn_thesis_stage_def *def,
                          body_work *work)
{
    size_t elements = (size_t)model->mesh->element_count;
    work->elements = sn_allocate(4 * elements * sizeof *work->elements);
    work->regions = sn_allocate(elements * sizeof *work->regions);
    work->rest = sn_allocate(elements * sizeof *work->rest);
    work->fixed = sn_allocate((size_t)(model->fixed_count + 1) * sizeof *work->fixed);
    work->materials = sn_allocate_zero((size_t)model->material_count * sizeof *work->materials);
    if (work->elements == NULL || work->regions == NULL || work->rest == NULL ||
        work->fixed == NULL || work->materials == NULL) {
        return false;
    }
    for (int i = 0; i < model->material_count; ++i) {
        const sn_thesis_material *m = &model->materials[i];
        work->materials[i] =
            (sn_elastic_material){.elastic = {.law = def->law, .bulk = m->bulk, .shear = m->shear},
                                  .density = m->density,
                                  .viscosity = {m->volume_viscosity, m->shape_viscosity}};
    }
    return true;
}

// The mesh of a part; shapes at rest in the order of its elements.
static sn_status make_mesh(const sn_thesis_model *model, const sn_thesis_stage *stage, int number,
                           body_work *work, sn_tetrahedra **mesh, sn_error *error)
{
    const stage_part *part = &stage->parts[number];
    int count = 0;
    for (int e = 0; e < model->mesh->element_count; ++e) {
        const int *v = model->mesh->elements + 4 * (size_t)e;
        if (stage->part_of[v[0]] != number) {
            continue;
        }
        for (int k = 0; k < 4; ++k) {
            work->elements[4 * (size_t)count + (size_t)k] = stage->places[v[k]];
        }
        work->regions[count] = model->material_count > 1 ? model->mesh->regions[e] : 0;
        work->rest[count++] = model->rest[e];
    }
    for (int i = 0; i < part->count; ++i) {
        stage->positions[i] = model->mesh->positions[stage->vertices[part->first + i]];
        stage->velocities[i] = model->velocities[stage->vertices[part->first + i]];
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = stage->positions;
    def.vertex_count = part->count;
    def.elements = work->elements;
    def.element_count = count;
    def.regions = work->regions;
    def.least_quality = 1e-12; // as a model's
    return sn_tetrahedra_create(&def, mesh, error);
}

static sn_surface surface_of(const sn_thesis_model *model, const sn_thesis_stage *stage, int number)
{
    sn_surface surface = sn_default_surface();
    double sum = 0.0;
    int count = 0;
    for (int f = 0; f < model->face_count; ++f) {
        bool own = stage->part_of[model->faces[f].vertices[0]] == number;
        sum += own ? model->faces[f].friction : 0.0;
        count += own;
    }
    surface.friction = count > 0 ? sum / count : 0.0;
    surface.meets = count > 0 ? surface.meets : 0;
    return surface;
}

static sn_status add_body(const sn_thesis_model *model, const sn_thesis_stage_def *def,
                          sn_thesis_stage *stage, int number, body_work *work, sn_error *error)
{
    stage_part *part = &stage->parts[number];
    sn_tetrahedra *mesh = NULL;
    sn_status status = make_mesh(model, stage, number, work, &mesh, error);
    if (status != SN_OK) {
        return status;
    }
    int fixed = 0;
    for (int i = 0; i < model->fixed_count; ++i) {
        if (stage->part_of[model->fixed[i]] == number) {
            work->fixed[fixed++] = stage->places[model->fixed[i]];
            stage->velocities[stage->places[model->fixed[i]]] = SN_VEC3_ZERO;
        }
    }
    sn_aabb box = {stage->positions[0], stage->positions[0]};
    for (int i = 1; i < part->count; ++i) {
        box.lower = sn_vec3_min(box.lower, stage->positions[i]);
        box.upper = sn_vec3_max(box.upper, stage->positions[i]);
    }
    char name[32];
    snprintf(name, sizeof name, "part %d", number);
    sn_elastic_def body = sn_default_elastic_def();
    body.name = name;
    body.mesh = mesh;
    body.rest = work->rest;
    body.materials = work->materials;
    body.material_count = model->material_count;
    body.positions = stage->positions;
    body.velocities = stage->velocities;
    body.mass = SN_ELASTIC_MASS_CONSISTENT;
    body.fixed = work->fixed;
    body.fixed_count = fixed;
    body.relative_tolerance = def->tolerance;
    body.absolute_tolerance = def->tolerance * sn_length(sn_vec3_sub(box.upper, box.lower));
    body.surface = surface_of(model, stage, number);
    body.meets_itself = body.surface.meets != 0;
    status = sn_world_add_elastic(stage->world, &body, &part->body, error);
    sn_tetrahedra_release(mesh);
    return status;
}

// ---- dragged vertices ----

static sn_status add_drag(const sn_thesis_drag *drag, sn_thesis_stage *stage, sn_error *error)
{
    sn_bond_def bond = sn_default_bond_def();
    bond.type = SN_BOND_PATH;
    bond.body = stage->parts[stage->part_of[drag->vertex]].body;
    bond.vertices = &stage->places[drag->vertex];
    bond.vertex_count = 1;
    bond.start = drag->start - stage->start;
    bond.end = drag->end - stage->start;
    const double from[3] = {drag->from.x, drag->from.y, drag->from.z},
                 to[3] = {drag->to.x, drag->to.y, drag->to.z},
                 first[3] = {drag->from_velocity.x, drag->from_velocity.y, drag->from_velocity.z},
                 last[3] = {drag->to_velocity.x, drag->to_velocity.y, drag->to_velocity.z};
    sn_status status = SN_OK;
    for (int k = 0; k < 3 && status == SN_OK; ++k) { // a spline of one piece is Hermite's cubic
        const double values[2] = {from[k], to[k]}, times[2] = {bond.start, bond.end};
        sn_motion_def motion = sn_default_motion_def();
        motion.times = times;
        motion.values = values;
        motion.count = 2;
        motion.start_rate = first[k];
        motion.end_rate = last[k];
        status = sn_motion_create(&motion, &bond.path[k], error);
    }
    sn_bond made;
    if (status == SN_OK) {
        status = sn_world_add_bond(stage->world, &bond, &made, error);
    }
    for (int k = 0; k < 3; ++k) {
        sn_motion_release(bond.path[k]);
    }
    return status;
}

// ---- the stage ----

static sn_status fill(const sn_thesis_model *model, const sn_thesis_stage_def *def,
                      sn_thesis_stage *stage, sn_error *error)
{
    sn_world_def world = sn_default_world_def();
    world.gravity = def->gravity;
    world.policy = def->policy;
    world.threads = def->threads;
    world.contact = def->contact;
    find_parts(model->mesh, stage);
    if (def->policy == SN_POLICY_PRECISE && def->contact.method == SN_CONTACT_DEFAULT &&
        stage->part_count > 1) {
        world.contact.method = SN_CONTACT_SPRINGS;
    }
    sn_status status = sn_world_create(&world, &stage->world, error);
    if (status != SN_OK) {
        return status;
    }
    body_work work = {0};
    if (!allocate_work(model, def, &work)) {
        status = sn_fail_memory(error, (size_t)model->mesh->element_count * sizeof *work.rest);
    }
    for (int p = 0; p < stage->part_count && status == SN_OK; ++p) {
        status = add_body(model, def, stage, p, &work, error);
    }
    free_work(&work);
    for (int i = 0; i < model->drag_count && status == SN_OK; ++i) {
        status =
            model->drags[i].end > stage->start ? add_drag(&model->drags[i], stage, error) : SN_OK;
    }
    return status;
}

sn_status sn_thesis_stage_create(const sn_thesis_model *model, const sn_thesis_stage_def *def,
                                 sn_thesis_stage **stage, sn_error *error)
{
    *stage = NULL;
    if (model->mesh == NULL || model->mesh->element_count < 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "a model with elements was expected");
    }
    if (!(def->tolerance > 0.0 && def->tolerance < 1.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a tolerance of %g; above 0 and below 1 was expected", def->tolerance);
    }
    sn_thesis_stage *made = allocate_stage(model);
    if (made == NULL) {
        return sn_fail_memory(error, (size_t)model->mesh->vertex_count * sizeof(sn_vec3));
    }
    sn_status status = fill(model, def, made, error);
    if (status != SN_OK) {
        sn_thesis_stage_destroy(made);
        return status;
    }
    *stage = made;
    return SN_OK;
}

const sn_thesis_state *sn_thesis_stage_state(sn_thesis_stage *stage)
{
    stage->state.time = stage->start + sn_world_time(stage->world);
    for (int p = 0; p < stage->part_count; ++p) {
        const stage_part *part = &stage->parts[p];
        sn_body_read_vertices(stage->world, part->body, stage->positions, stage->velocities);
        for (int i = 0; i < part->count; ++i) {
            int vertex = stage->vertices[part->first + i];
            stage->state.positions[vertex] = stage->positions[i];
            stage->state.velocities[vertex] = stage->velocities[i];
        }
    }
    return &stage->state;
}
