#include "verify_elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sn_bar_def sn_default_bar_def(void)
{
    return (sn_bar_def){.size = {4.0, 1.0, 1.0},
                        .cells = {8, 2, 2},
                        .nodes = 10,
                        .law = SN_ELASTIC_COROTATIONAL,
                        .young = 1e7,
                        .poisson = 0.3,
                        .density = 1000.0,
                        .clamped = true,
                        .policy = SN_POLICY_LOCKSTEP,
                        .integrator = SN_INTEGRATOR_IMPLICIT_EULER,
                        .solver = SN_ELASTIC_SOLVER_DIRECT,
                        .newton = 1};
}

sn_bar_def sn_wave_bar_def(void)
{
    sn_bar_def def = sn_default_bar_def();
    def.size = (sn_vec3){10.0, 1.0, 1.0};
    def.cells[0] = 40;
    def.cells[1] = def.cells[2] = 1;
    def.nodes = 4;
    def.young = def.density = 1.0;
    def.poisson = 0.0;
    def.clamped = false;
    def.integrator = SN_INTEGRATOR_LIE_MIDPOINT;
    return def;
}

// ---- making ----

// Cells shorter towards x = 0: see sn_bar_def.grading.
static sn_status grade(const sn_bar_def *def, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_def graded = sn_default_tetrahedra_def();
    graded.vertex_count = sn_tetrahedra_vertex_count(*mesh);
    graded.elements = sn_tetrahedra_elements(*mesh);
    graded.element_count = sn_tetrahedra_element_count(*mesh);
    sn_vec3 *p = malloc((size_t)graded.vertex_count * sizeof *p);
    if (p == NULL) {
        return sn_fail_memory(error, (size_t)graded.vertex_count * sizeof *p);
    }
    for (int i = 0; i < graded.vertex_count; ++i) {
        p[i] = sn_tetrahedra_positions(*mesh)[i];
        p[i].x *= def->grading + (1.0 - def->grading) * p[i].x / def->size.x;
    }
    graded.positions = p;
    sn_tetrahedra *made = NULL;
    sn_status status = sn_tetrahedra_create(&graded, &made, error);
    free(p);
    if (status == SN_OK) {
        sn_tetrahedra_release(*mesh);
        *mesh = made;
    }
    return status;
}

// Its left end at x = 0.
static sn_status make_mesh(const sn_bar_def *def, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_box box = {.size = def->size, .cell = SN_CELL_SIX_MIRRORED};
    memcpy(box.cells, def->cells, sizeof box.cells);
    sn_tetrahedra *centred = NULL, *plain = NULL;
    sn_transform place = SN_TRANSFORM_IDENTITY;
    place.position.x = 0.5 * def->size.x;
    sn_status status = sn_tetrahedra_make_box(&box, &centred, error);
    if (status == SN_OK) {
        status = sn_tetrahedra_transformed(centred, (sn_vec3){1.0, 1.0, 1.0}, place, &plain, error);
    }
    if (status == SN_OK && def->grading > 0.0) {
        status = grade(def, &plain, error);
    }
    if (status == SN_OK && def->nodes == 10) {
        status = sn_tetrahedra_quadratic(plain, mesh, error);
    } else if (status == SN_OK) {
        *mesh = sn_tetrahedra_retain(plain);
    }
    sn_tetrahedra_release(plain);
    sn_tetrahedra_release(centred);
    return status;
}

static sn_status add(sn_world *world, const sn_bar_def *def, sn_elastic_def *body_def,
                     sn_tetrahedra *mesh, sn_body *body, sn_error *error)
{
    int count = sn_tetrahedra_vertex_count(mesh), fixed_count = 0;
    int *fixed = malloc((size_t)count * sizeof *fixed);
    if (fixed == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *fixed);
    }
    const sn_vec3 *p = sn_tetrahedra_positions(mesh);
    for (int i = 0; i < count && def->clamped; ++i) {
        if (p[i].x < 1e-9 * def->size.x) {
            fixed[fixed_count++] = i;
        }
    }
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(def->law, def->young, def->poisson);
    material.density = def->density;
    body_def->mesh = mesh;
    body_def->materials = &material;
    body_def->material_count = 1;
    body_def->integrator = def->integrator;
    body_def->mass = SN_ELASTIC_MASS_CONSISTENT;
    body_def->solver = def->solver;
    body_def->newton = def->newton;
    body_def->fixed = fixed;
    body_def->fixed_count = fixed_count;
    if (def->tolerance > 0.0) {
        body_def->solver_tolerance = def->tolerance;
    }
    sn_status status = sn_world_add_elastic(world, body_def, body, error);
    free(fixed);
    return status;
}

sn_status sn_bar_add(sn_world *world, const sn_bar_def *def, const char *name, sn_vec3 from,
                     sn_vec3 velocity, sn_surface surface, sn_body *body, sn_error *error)
{
    sn_tetrahedra *mesh = NULL;
    sn_status status = make_mesh(def, &mesh, error);
    if (status == SN_OK) {
        sn_elastic_def body_def = sn_default_elastic_def();
        body_def.name = name;
        body_def.frame.position = from;
        body_def.velocity = velocity;
        body_def.surface = surface;
        status = add(world, def, &body_def, mesh, body, error);
    }
    sn_tetrahedra_release(mesh);
    return status;
}

static sn_status take_notes(sn_bar *bar, sn_error *error)
{
    bar->count = sn_tetrahedra_vertex_count(bar->mesh);
    size_t bytes = (size_t)bar->count * sizeof(sn_vec3);
    bar->rest = malloc(bytes);
    bar->now = malloc(bytes);
    bar->speed = malloc(bytes);
    bar->ends = malloc((size_t)bar->count * sizeof(int));
    if (bar->rest == NULL || bar->now == NULL || bar->speed == NULL || bar->ends == NULL) {
        return sn_fail_memory(error, bytes);
    }
    memcpy(bar->rest, sn_tetrahedra_positions(bar->mesh), bytes);
    double least = HUGE_VAL;
    for (int i = 0; i < bar->count; ++i) {
        sn_vec3 p = bar->rest[i];
        double off = sn_distance(p, (sn_vec3){bar->size.x, 0.0, 0.0});
        bar->middle = off < least ? i : bar->middle;
        least = fmin(least, off);
        if (p.x > bar->size.x * (1.0 - 1e-9)) {
            bar->ends[bar->end_count++] = i;
        }
    }
    return SN_OK;
}

sn_status sn_bar_make(const sn_bar_def *def, sn_bar *bar, sn_error *error)
{
    *bar = (sn_bar){.size = def->size};
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = (sn_vec3){0.0, 0.0, -def->gravity};
    world_def.policy = def->policy;
    sn_status status = sn_world_create(&world_def, &bar->world, error);
    if (status == SN_OK) {
        status = make_mesh(def, &bar->mesh, error);
    }
    if (status == SN_OK) {
        sn_elastic_def body_def = sn_default_elastic_def();
        body_def.name = "bar";
        status = add(bar->world, def, &body_def, bar->mesh, &bar->body, error);
    }
    return status == SN_OK ? take_notes(bar, error) : status;
}

void sn_bar_free(sn_bar *bar)
{
    sn_world_destroy(bar->world);
    sn_tetrahedra_release(bar->mesh);
    free(bar->rest);
    free(bar->now);
    free(bar->speed);
    free(bar->ends);
    *bar = (sn_bar){0};
}

// ---- use ----

void sn_bar_read(sn_bar *bar)
{
    sn_body_read_vertices(bar->world, bar->body, bar->now, bar->speed);
}

sn_status sn_bar_settle(sn_bar *bar, double step, sn_bar_push *push, double share, void *context,
                        int most, sn_error *error)
{
    sn_status status = SN_OK;
    double moved = HUGE_VAL;
    for (int i = 0; i < most && moved > 1e-9 * bar->size.x && status == SN_OK; ++i) {
        sn_bar_read(bar);
        if (push != NULL) {
            push(bar, share, context);
        }
        status = sn_world_step(bar->world, step, error);
        sn_bar_read(bar);
        moved = 0.0;
        for (int k = 0; k < bar->count; ++k) {
            moved = fmax(moved, step * sn_length(bar->speed[k]));
            bar->speed[k] = SN_VEC3_ZERO;
        }
        if (status == SN_OK) {
            status = sn_body_write_vertices(bar->world, bar->body, NULL, bar->speed, error);
        }
    }
    return status == SN_OK && !(moved <= 1e-9 * bar->size.x)
               ? sn_fail(error, SN_ERROR_INTEGRATOR, "bar",
                         "has not settled after %d steps: the last moved it by %g of its length; "
                         "1e-9 was expected",
                         most, moved / bar->size.x)
               : status;
}

sn_vec3 sn_bar_tip(sn_bar *bar)
{
    sn_bar_read(bar);
    return sn_vec3_sub(bar->now[bar->middle], bar->rest[bar->middle]);
}

static const sn_verify_case cases[] = {
    {"patch", sn_verify_elastic_patch},
    {"derivatives", sn_verify_elastic_derivatives},
    {"energy density", sn_verify_elastic_thesis},
    {"mass matrix", sn_verify_elastic_mass},
    {"beam 4 x 1 x 1", sn_verify_elastic_refined, .slow = true},
    {"rubber beam", sn_verify_elastic_rubber, .slow = true},
    {"dead load", sn_verify_elastic_loads, .slow = true},
    {"end moment", sn_verify_elastic_circle},
    {"end couple", sn_verify_elastic_couple, .slow = true},
    {"frequencies", sn_verify_elastic_modes, .slow = true},
    {"weight", sn_verify_elastic_weight, .slow = true},
    {"kept energy", sn_verify_elastic_energy, .slow = true},
    {"kept momentum", sn_verify_elastic_momentum},
    {"two bars", sn_verify_elastic_impact, .slow = true},
    {"bar at a wall", sn_verify_elastic_wall},
    {"block", sn_verify_elastic_slide, .slow = true},
    {"sticking", sn_verify_elastic_stick, .slow = true},
    {"tipping", sn_verify_elastic_tip},
    {"two plates", sn_verify_elastic_plates},
    {"springs, bounce", sn_verify_elastic_spring_bounce},
    {"springs, two bodies", sn_verify_elastic_spring_pair},
    {"springs, two bars", sn_verify_elastic_spring_bars, .slow = true},
};

const sn_verify_group sn_verify_elastic = {
    "elastic", "elastic bodies: laws, beams, frequencies, impact, what must stay the same", cases,
    sizeof cases / sizeof cases[0]};
