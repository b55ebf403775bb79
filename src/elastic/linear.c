#include "elastic/linear.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

enum { DIRECT_VERTICES = 300, MOST_ITERATIONS = 1000 };
static const double TOLERANCE = 1e-8;
static const double MOST_FACTOR_BYTES = 1073741824.0; // of one that nobody asked for

struct sn_linear {
    sn_linear_kind kind;
    bool automatic; // rows of compliance may be found by a factor all the same
    const sn_tetrahedra *mesh;
    const sn_solid *solid;
    const sn_mass *mass;
    int vertex_count;
    int *pairs;
    int pair_count;
    char *place;
    double tolerance, enough, loosest;
    int most_iterations;
    double mass_scale, stiffness_scale;
    const uint8_t *fixed;
    sn_sparse *sparse; // direct ones, and conjugate ones from the first added term on
    bool assembled;
    sn_factor *factor;
    bool factored; // the factor is of the present matrix, and solutions are found with it
    sn_conjugate *conjugate;
    sn_coarse *coarse;
    double *b, *x; // of compliance rows by conjugate gradients
    SN_ARRAY(double) numbers;
    int iterations;
    double residual, size;
};

// ---- making ----

static sn_status make_sparse(sn_linear *linear, sn_error *error)
{
    sn_sparse_def def = {.solid = linear->solid,
                         .mass = linear->mass,
                         .pairs = linear->pairs,
                         .pair_count = linear->pair_count,
                         .place = linear->place};
    return sn_sparse_create(&def, &linear->sparse, error);
}

static sn_status make_factor(sn_linear *linear, bool deferred, sn_error *error)
{
    sn_factor_def factor = {.count = linear->vertex_count,
                            .block = 3,
                            .starts = linear->sparse->starts,
                            .columns = linear->sparse->columns,
                            .positions = sn_tetrahedra_positions(linear->mesh),
                            .deferred = deferred,
                            .place = linear->place};
    return sn_factor_create(&factor, &linear->factor, error);
}

static sn_status make_direct(sn_linear *linear, sn_error *error)
{
    sn_status status = make_sparse(linear, error);
    return status == SN_OK ? make_factor(linear, false, error) : status;
}

static sn_status make_conjugate(sn_linear *linear, const sn_linear_def *def, sn_error *error)
{
    sn_coarse_def coarse = {
        .mesh = def->mesh, .solid = def->solid, .mass = def->mass, .place = def->place};
    sn_status status = sn_coarse_create(&coarse, &linear->coarse, error);
    return status == SN_OK ? sn_conjugate_create(linear->vertex_count, &linear->conjugate, error)
                           : status;
}

static bool copy_def(sn_linear *linear, const sn_linear_def *def)
{
    linear->solid = def->solid;
    linear->mass = def->mass;
    linear->vertex_count = sn_solid_vertex_count(def->solid);
    linear->mesh = def->mesh;
    linear->kind = def->kind;
    linear->automatic = def->kind == SN_LINEAR_AUTOMATIC;
    if (linear->automatic) {
        linear->kind =
            linear->vertex_count <= DIRECT_VERTICES ? SN_LINEAR_DIRECT : SN_LINEAR_CONJUGATE;
    }
    sn_linear_set_tolerance(linear, def->tolerance, def->most_iterations);
    linear->place = sn_copy_text(def->place);
    linear->pairs = sn_allocate((2 * (size_t)def->pair_count + 1) * sizeof(int));
    if (linear->pairs == NULL || (def->place != NULL && linear->place == NULL)) {
        return false;
    }
    if (def->pair_count > 0) {
        memcpy(linear->pairs, def->pairs, 2 * (size_t)def->pair_count * sizeof(int));
    }
    linear->pair_count = def->pair_count;
    return true;
}

sn_status sn_linear_create(const sn_linear_def *def, sn_linear **linear, sn_error *error)
{
    *linear = NULL;
    sn_linear *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    sn_status status = copy_def(made, def) ? SN_OK : sn_fail_memory(error, sizeof *made);
    if (status == SN_OK) {
        status = made->kind == SN_LINEAR_DIRECT ? make_direct(made, error)
                                                : make_conjugate(made, def, error);
    }
    if (status != SN_OK) {
        sn_linear_destroy(made);
        return status;
    }
    *linear = made;
    return SN_OK;
}

void sn_linear_destroy(sn_linear *linear)
{
    if (linear == NULL) {
        return;
    }
    sn_sparse_destroy(linear->sparse);
    sn_factor_destroy(linear->factor);
    sn_conjugate_destroy(linear->conjugate);
    sn_coarse_destroy(linear->coarse);
    sn_free(linear->pairs);
    sn_free(linear->place);
    sn_free(linear->b);
    sn_free(linear->x);
    sn_array_free(&linear->numbers);
    sn_free(linear);
}

void sn_linear_set_tolerance(sn_linear *linear, double tolerance, int most_iterations)
{
    linear->tolerance = tolerance > 0.0 ? tolerance : TOLERANCE;
    linear->most_iterations = most_iterations > 0 ? most_iterations : MOST_ITERATIONS;
}

void sn_linear_set_enough(sn_linear *linear, double enough, double loosest)
{
    linear->enough = enough;
    linear->loosest = loosest;
}

// ---- the matrix ----

void sn_linear_begin(sn_linear *linear, sn_threads *threads, double mass_scale,
                     double stiffness_scale)
{
    linear->mass_scale = mass_scale;
    linear->stiffness_scale = stiffness_scale;
    linear->assembled = linear->kind == SN_LINEAR_DIRECT;
    linear->factored = false;
    if (linear->assembled) {
        sn_sparse_assemble(linear->sparse, threads, mass_scale, stiffness_scale);
    }
}

static sn_status assemble(sn_linear *linear, sn_threads *threads, sn_error *error)
{
    sn_status status = linear->sparse == NULL ? make_sparse(linear, error) : SN_OK;
    if (status == SN_OK && !linear->assembled) {
        sn_sparse_assemble(linear->sparse, threads, linear->mass_scale, linear->stiffness_scale);
        linear->assembled = true;
    }
    return status;
}

sn_status sn_linear_add_block(sn_linear *linear, sn_threads *threads, int a, int b,
                              const double block[9], sn_error *error)
{
    sn_status status = assemble(linear, threads, error);
    if (status == SN_OK && !sn_sparse_add_block(linear->sparse, a, b, block)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, linear->place,
                       "vertices %d and %d share no element; a pair of the definition was expected",
                       a, b);
    }
    return status;
}

sn_status sn_linear_add_element(sn_linear *linear, sn_threads *threads, int element, double scale,
                                const double *matrix, sn_error *error)
{
    sn_status status = assemble(linear, threads, error);
    if (status == SN_OK) {
        sn_sparse_add_element(linear->sparse, element, scale, matrix);
    }
    return status;
}

sn_status sn_linear_finish(sn_linear *linear, sn_threads *threads, const uint8_t *fixed,
                           const double *x, sn_error *error)
{
    linear->fixed = fixed;
    if (linear->assembled) {
        sn_sparse_fix(linear->sparse, fixed);
    }
    if (linear->kind == SN_LINEAR_DIRECT) {
        linear->factored = true;
        return sn_factor_update(linear->factor, threads, linear->sparse->values, error);
    }
    sn_status status = sn_coarse_set(linear->coarse, threads, linear->mass_scale,
                                     linear->stiffness_scale, fixed, error);
    if (status != SN_OK) {
        return status;
    }
    sn_coarse_turn(linear->coarse, x);
    sn_conjugate_system system = {.solid = linear->solid,
                                  .mass = linear->mass,
                                  .mass_scale = linear->mass_scale,
                                  .stiffness_scale = linear->stiffness_scale,
                                  .sparse = linear->assembled ? linear->sparse : NULL,
                                  .fixed = fixed,
                                  .coarse = linear->coarse};
    return sn_conjugate_prepare(linear->conjugate, threads, &system, linear->place, error);
}

// ---- solutions ----

static sn_status iterate(sn_linear *linear, sn_threads *threads, const double *b, double *x,
                         sn_error *error)
{
    sn_conjugate_goal goal = {.tolerance = linear->tolerance,
                              .enough = linear->enough,
                              .loosest = linear->loosest,
                              .most = linear->most_iterations};
    sn_conjugate_result result = sn_conjugate_solve(linear->conjugate, threads, &goal, b, x);
    linear->iterations = result.iterations;
    linear->residual = result.residual;
    linear->size = result.size;
    if (!result.definite) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, linear->place,
                       "the matrix is not positive definite; lower stiffness of compressed "
                       "elements, a shorter step or fewer ties were expected");
    }
    if (!result.converged) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, linear->place,
                       "conjugate gradients reached %.3g after %d iterations; %.3g was expected",
                       result.residual, result.iterations, linear->tolerance);
    }
    return SN_OK;
}

sn_status sn_linear_solve(sn_linear *linear, sn_threads *threads, const double *b, double *x,
                          sn_error *error)
{
    if (!linear->factored) {
        return iterate(linear, threads, b, x, error);
    }
    linear->iterations = 0;
    linear->residual = linear->size = 0.0;
    if (x != b) {
        memcpy(x, b, (size_t)(SN_SOLID_STRIDE * linear->vertex_count) * sizeof *x);
    }
    sn_factor_solve(linear->factor, SN_SOLID_STRIDE, x);
    return SN_OK;
}

// Rows without their numbers on fixed coordinates.
static bool mask_rows(sn_linear *linear, const sn_factor_rows *rows)
{
    int entries = rows->starts[rows->count];
    if (!sn_array_resize(&linear->numbers, 3 * entries + 1)) {
        return false;
    }
    for (int e = 0; e < entries; ++e) {
        int bits = linear->fixed != NULL ? linear->fixed[rows->nodes[e]] : 0;
        for (int i = 0; i < 3; ++i) {
            linear->numbers.data[3 * e + i] = (bits >> i & 1) ? 0.0 : rows->numbers[3 * e + i];
        }
    }
    return true;
}

static void spread_row(const sn_factor_rows *rows, int row, double *b)
{
    for (int e = rows->starts[row]; e < rows->starts[row + 1]; ++e) {
        double *out = b + SN_SOLID_STRIDE * (size_t)rows->nodes[e];
        for (int i = 0; i < 3; ++i) {
            out[i] += rows->numbers[3 * e + i];
        }
    }
}

static double apply_row(const sn_factor_rows *rows, int row, const double *x)
{
    double sum = 0.0;
    for (int e = rows->starts[row]; e < rows->starts[row + 1]; ++e) {
        const double *p = x + SN_SOLID_STRIDE * (size_t)rows->nodes[e];
        const double *n = rows->numbers + 3 * (size_t)e;
        sum += n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
    }
    return sum;
}

static sn_status iterate_rows(sn_linear *linear, sn_threads *threads, const sn_factor_rows *rows,
                              double *w, sn_error *error)
{
    size_t bytes = (size_t)(SN_SOLID_STRIDE * linear->vertex_count) * sizeof(double);
    size_t count = (size_t)rows->count;
    linear->b = linear->b != NULL ? linear->b : sn_allocate(bytes);
    linear->x = linear->x != NULL ? linear->x : sn_allocate(bytes);
    if (linear->b == NULL || linear->x == NULL) {
        return sn_fail_memory(error, bytes);
    }
    for (int r = 0; r < rows->count; ++r) {
        memset(linear->b, 0, bytes);
        memset(linear->x, 0, bytes);
        spread_row(rows, r, linear->b);
        sn_status status = iterate(linear, threads, linear->b, linear->x, error);
        if (status != SN_OK) {
            return status;
        }
        for (int q = 0; q < rows->count; ++q) {
            w[(size_t)q * count + (size_t)r] = apply_row(rows, q, linear->x);
        }
    }
    for (size_t i = 0; i < count; ++i) { // symmetric but for the tolerance: to the bit
        for (size_t j = 0; j < i; ++j) {
            w[i * count + j] = w[j * count + i] = 0.5 * (w[i * count + j] + w[j * count + i]);
        }
    }
    return SN_OK;
}

// ---- rows by a factor ----

// Iterations of conjugate gradients for a row: they take 9 (soft bodies in short steps) to 35
// (stiff ones in long steps) for four digits. The least of that, so that a factor is never made
// where it costs more.
static double least_iterations(double tolerance)
{
    double count = 1.0;
    for (double left = tolerance; left < 1.0 && count < MOST_ITERATIONS; left *= 10.0) {
        count += 2.0;
    }
    return count;
}

// Whether a factor of this matrix, which all rows share, costs less than conjugate gradients for
// each of them, in instructions: counted (callgrind, meshes of 400 to 10,000 vertices) and not
// timed, and by sizes alone, so that the choice is the same everywhere and in every step.
static bool pays(const sn_linear *linear, int rows)
{
    static const double EACH_OPERATION = 0.6, EACH_ENTRY = 64.0, EACH_ENTRY_OF_ROW = 0.5;
    bool fine = sn_tetrahedra_nodes(linear->mesh) == 10;
    double elements = sn_solid_element_count(linear->solid), count = rows;
    double iteration = (fine ? 1300.0 : 150.0) * elements;
    double assembly = (fine ? 12000.0 : 850.0) * elements;
    sn_factor_statistics f = sn_factor_statistics_of(linear->factor);
    double direct = assembly + EACH_OPERATION * f.operations + EACH_ENTRY * f.entries +
                    count * (EACH_ENTRY_OF_ROW * f.entries + 0.25 * count * f.widest_front);
    return f.bytes <= MOST_FACTOR_BYTES &&
           direct < count * least_iterations(linear->tolerance) * iteration;
}

sn_status sn_linear_expect(sn_linear *linear, sn_threads *threads, int rows, sn_error *error)
{
    if (linear->factored || !linear->automatic || rows == 0) {
        return SN_OK;
    }
    sn_status status = linear->sparse == NULL ? make_sparse(linear, error) : SN_OK;
    if (status == SN_OK && linear->factor == NULL) {
        status = make_factor(linear, true, error);
    }
    if (status != SN_OK || !pays(linear, rows)) {
        return status;
    }
    if (!linear->assembled) {
        sn_sparse_assemble(linear->sparse, threads, linear->mass_scale, linear->stiffness_scale);
        sn_sparse_fix(linear->sparse, linear->fixed);
        linear->assembled = true;
    }
    status = sn_factor_update(linear->factor, threads, linear->sparse->values, error);
    linear->factored = status == SN_OK;
    return status == SN_ERROR_MEMORY ? status : SN_OK;
}

sn_status sn_linear_compliance(sn_linear *linear, sn_threads *threads, const sn_factor_rows *rows,
                               double *w, sn_error *error)
{
    if (!mask_rows(linear, rows)) {
        return sn_fail_memory(error, (size_t)rows->starts[rows->count] * 3 * sizeof(double));
    }
    sn_status status = sn_linear_expect(linear, threads, rows->count, error);
    if (status != SN_OK) {
        return status;
    }
    sn_factor_rows masked = {rows->count, rows->starts, rows->nodes, linear->numbers.data};
    return linear->factored ? sn_factor_compliance(linear->factor, &masked, w, error)
                            : iterate_rows(linear, threads, &masked, w, error);
}

void sn_linear_product(sn_linear *linear, sn_threads *threads, const double *v, double *y)
{
    if (linear->assembled) {
        sn_sparse_product(linear->sparse, v, y);
    } else {
        sn_conjugate_product(linear->conjugate, threads, v, y);
    }
}

sn_linear_statistics sn_linear_statistics_of(const sn_linear *linear)
{
    sn_linear_statistics told = {.kind = linear->kind,
                                 .iterations = linear->iterations,
                                 .residual = linear->residual,
                                 .size = linear->size};
    if (linear->factor != NULL) {
        told.factor = sn_factor_statistics_of(linear->factor);
    }
    if (linear->coarse != NULL) {
        told.node_count = sn_coarse_node_count(linear->coarse);
    }
    return told;
}
