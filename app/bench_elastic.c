// Elastic bodies: what a step of a beam costs, and a product with its stiffness.
//
// The beam is 4 x 1 x 1 m of 4-node elements, six a cube, 10 MPa, Poisson's ratio 0.3, 1000 kg/m^3,
// corotational, one end held, let go straight under its weight; steps of 1/60 s on one core with
// everything at its default. Peers are given `size` as cells across: 4 size x size x size cubes.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench.h"
#include "bench_world.h"
#include "elastic/solid.h"
#include "progress.h"
#include "sinew/elastic.h"

typedef struct beam {
    sn_world *world;
    sn_body body;
    sn_tetrahedra *mesh;
    int elements;
} beam;

static sn_status make_mesh(sn_vec3 size, const int cells[3], sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_box box = {.size = size, .cell = SN_CELL_SIX_MIRRORED};
    for (int k = 0; k < 3; ++k) {
        box.cells[k] = cells[k];
    }
    return sn_tetrahedra_make_box(&box, mesh, error);
}

static sn_status make_beam(const int cells[3], double gravity, sn_integrator rule,
                           sn_elastic_solver solver, beam *made, sn_error *error)
{
    *made = (beam){0};
    const sn_vec3 size = {4.0, 1.0, 1.0};
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    world_def.threads = 1;
    sn_status status = make_mesh(size, cells, &made->mesh, error);
    if (status == SN_OK) {
        status = sn_world_create(&world_def, &made->world, error);
    }
    if (status != SN_OK) {
        return status;
    }
    int count = sn_tetrahedra_vertex_count(made->mesh);
    int *fixed = malloc((size_t)count * sizeof *fixed);
    if (fixed == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *fixed);
    }
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1e7, 0.3);
    sn_elastic_def def = sn_default_elastic_def();
    def.name = "beam";
    def.mesh = made->mesh;
    def.materials = &material;
    def.material_count = 1;
    def.integrator = rule;
    def.solver = solver;
    def.fixed = fixed;
    for (int i = 0; i < count; ++i) {
        if (sn_tetrahedra_positions(made->mesh)[i].x < -0.5 * size.x * (1.0 - 1e-9)) {
            fixed[def.fixed_count++] = i;
        }
    }
    status = sn_world_add_elastic(made->world, &def, &made->body, error);
    made->elements = sn_tetrahedra_element_count(made->mesh);
    free(fixed);
    return status;
}

static void free_beam(beam *b)
{
    sn_world_destroy(b->world);
    sn_tetrahedra_release(b->mesh);
}

// Seconds of a step, after a few that warm up; `iterations` of the last one.
static sn_status time_beam(const int cells[3], sn_elastic_solver solver, double h, int steps,
                           double *seconds, double *elements, double *iterations, sn_error *error)
{
    enum { WARM = 3 };
    beam b;
    sn_status status = make_beam(cells, 9.81, SN_INTEGRATOR_DEFAULT, solver, &b, error);
    if (status == SN_OK) {
        status = sn_bench_advance(b.world, h, WARM, error);
    }
    if (status == SN_OK) {
        status = sn_bench_time_processor(b.world, h, steps, seconds, error);
        *seconds /= steps;
        *elements = b.elements;
        *iterations = sn_body_elastic_report(b.world, b.body).iterations;
    }
    free_beam(&b);
    return status;
}

// How far off the tip is in the limit of small loads, relative: one step so long that only the
// equilibrium counts.
static sn_status tip_error(const int cells[3], double *off, sn_error *error)
{
    const double share = 1e-6, reference = -0.3911001;
    beam b;
    sn_status status = make_beam(cells, 9.81 * share, SN_INTEGRATOR_IMPLICIT_EULER,
                                 SN_ELASTIC_SOLVER_DIRECT, &b, error);
    int count = status == SN_OK ? sn_body_vertex_count(b.world, b.body) : 0;
    sn_vec3 *now = malloc(((size_t)count + 1) * sizeof *now);
    if (status == SN_OK && now == NULL) {
        status = sn_fail_memory(error, (size_t)count * sizeof *now);
    }
    if (status == SN_OK) {
        status = sn_world_step(b.world, 1e4, error);
    }
    if (status == SN_OK) {
        const sn_vec3 *rest = sn_tetrahedra_positions(b.mesh);
        int tip = 0;
        sn_vec3 end = {2.0, 0.0, 0.0};
        sn_body_read_vertices(b.world, b.body, now, NULL);
        for (int i = 0; i < count; ++i) {
            tip = sn_distance(rest[i], end) < sn_distance(rest[tip], end) ? i : tip;
        }
        *off = fabs((now[tip].z - rest[tip].z) / share / reference - 1.0);
    }
    free(now);
    free_beam(&b);
    return status;
}

static sn_status run_beam(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const int cells[3] = {4 * bench->size, bench->size, bench->size};
    double seconds = NAN;
    sn_status status = time_beam(cells, SN_ELASTIC_SOLVER_DEFAULT, bench->step, bench->steps,
                                 &seconds, &result->quality[1], &result->quality[2], error);
    result->value = 1e3 * seconds;
    return status == SN_OK ? tip_error(cells, &result->quality[0], error) : status;
}

// 28 x 11 x 11 cells: 20,328 elements.
static sn_status run_large(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const int cells[3] = {28, 11, 11};
    double seconds = NAN;
    sn_status status = time_beam(cells, SN_ELASTIC_SOLVER_DEFAULT, bench->step, bench->steps,
                                 &seconds, &result->quality[0], &result->quality[1], error);
    result->value = 1e3 * seconds;
    return status;
}

// The mesh of SOFA's benchmark beams, 26 x 8 x 8 vertices: 7,350 elements.
static sn_status run_rate(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const int cells[3] = {25, 7, 7};
    double seconds = NAN, elements = NAN;
    sn_status status = time_beam(cells, SN_ELASTIC_SOLVER_DEFAULT, bench->step, bench->steps,
                                 &seconds, &elements, &result->quality[0], error);
    result->value = 1e-6 * elements / seconds;
    return status;
}

// Least-squares slope of log cost by log size, all by conjugate gradients.
static sn_status run_growth(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    enum { SIZES = 4 };
    static const int cells[SIZES][3] = {{14, 4, 3}, {23, 6, 6}, {37, 10, 10}, {92, 19, 19}};
    static const int parts[SIZES] = {1, 5, 20, 200}; // of the steps
    double xx = 0.0, xy = 0.0, x_mean = 0.0, y_mean = 0.0, x[SIZES], y[SIZES];
    for (int k = 0; k < SIZES; ++k) {
        double seconds = NAN, elements = NAN, iterations = NAN;
        int steps = bench->steps / parts[k];
        sn_status status =
            time_beam(cells[k], SN_ELASTIC_SOLVER_CONJUGATE, bench->step, steps > 1 ? steps : 1,
                      &seconds, &elements, &iterations, error);
        if (status != SN_OK) {
            return status;
        }
        x[k] = log(elements);
        y[k] = log(seconds);
        x_mean += x[k] / SIZES;
        y_mean += y[k] / SIZES;
        result->quality[k == 0 ? 0 : 1] = 1e9 * seconds / elements;
        result->quality[2] = elements;
    }
    for (int k = 0; k < SIZES; ++k) {
        xx += (x[k] - x_mean) * (x[k] - x_mean);
        xy += (x[k] - x_mean) * (y[k] - y_mean);
    }
    result->value = xy / xx;
    return SN_OK;
}

// y += K v without a matrix, in millions of elements a second.
static sn_status run_product(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const int cells[3] = {4 * bench->size, bench->size, bench->size};
    sn_tetrahedra *mesh = NULL;
    sn_solid *solid = NULL;
    sn_elastic material = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1e7, 0.3);
    sn_status status = make_mesh((sn_vec3){4.0, 1.0, 1.0}, cells, &mesh, error);
    if (status == SN_OK) {
        sn_solid_def def = {.mesh = mesh, .materials = &material, .material_count = 1};
        status = sn_solid_create(&def, &solid, error);
    }
    size_t size = status == SN_OK ? SN_SOLID_STRIDE * (size_t)sn_solid_vertex_count(solid) : 1;
    double *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y);
    if (status == SN_OK && (x == NULL || y == NULL)) {
        status = sn_fail_memory(error, size * sizeof *x);
    }
    if (status == SN_OK) {
        sn_solid_pad(solid, &sn_tetrahedra_positions(mesh)->x, x);
        status = sn_solid_linearise(solid, NULL, x, SN_STIFFNESS_FROZEN, error);
    }
    if (status == SN_OK) {
        sn_solid_add_product(solid, NULL, 1.0, x, y);
        double started = sn_processor_time();
        for (int k = 0; k < bench->steps; ++k) {
            sn_solid_add_product(solid, NULL, 1e-3, x, y);
        }
        double seconds = sn_processor_time() - started;
        result->quality[0] = sn_solid_element_count(solid);
        result->value = 1e-6 * bench->steps * result->quality[0] / seconds;
    }
    free(x);
    free(y);
    sn_solid_destroy(solid);
    sn_tetrahedra_release(mesh);
    return status;
}

static const sn_bench_case cases[] = {
    {.name = "elastic-beam",
     .title = "beam 4 x 1 x 1 m, 1,536 elements",
     .unit = "ms/step",
     .size = 4,
     .steps = 120,
     .step = 1.0 / 60.0,
     .quality = {"tip_error", "elements", "iterations"},
     .run = run_beam,
     .bars = {{.peer = "mujoco_flex", .limit = 0.25},
              {.peer = "mujoco_flex", .quality = "tip_error", .limit = 1.0}}},
    {.name = "elastic-product",
     .title = "stiffness by a vector, no matrix",
     .unit = "M elements/s",
     .size = 8,
     .steps = 2000,
     .step = 1.0,
     .quality = {"elements"},
     .run = run_product,
     .bars = {{.limit = 60.0, .least = true}}},
    {.name = "elastic-sofa",
     .title = "beam of 26 x 8 x 8 vertices",
     .unit = "M elements/s",
     .size = 7350,
     .steps = 60,
     .step = 1.0 / 60.0,
     .quality = {"iterations"},
     .run = run_rate,
     .bars = {{.limit = 1.3, .least = true}}},
    {.name = "elastic-large",
     .title = "beam of 20,328 elements",
     .unit = "ms/step",
     .size = 20328,
     .steps = 40,
     .step = 1.0 / 60.0,
     .quality = {"elements", "iterations"},
     .run = run_large,
     .bars = {{.limit = 33.0}}},
    {.name = "elastic-growth",
     .title = "cost by size, 1,000 to 200,000 elements",
     .unit = "exponent",
     .size = 199272,
     .steps = 400,
     .step = 1.0 / 60.0,
     .repeats = 2,
     .quality = {"small_ns_per_element", "large_ns_per_element", "elements"},
     .run = run_growth,
     .bars = {{.limit = 1.15}}},
};

const sn_bench_group sn_bench_elastic = {"elastic", "elastic bodies: steps and products", cases,
                                         sizeof cases / sizeof cases[0]};
