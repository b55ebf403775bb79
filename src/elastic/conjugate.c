#include "elastic/conjugate.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "elastic/lanes.h"

enum { CHUNK_VERTICES = 512, STRIDE = SN_SOLID_STRIDE, INVERSE = 12 };

struct sn_conjugate {
    int vertex_count, chunk_count;
    sn_conjugate_system system;
    double *diagonal; // SN_DIAGONAL_STRIDE * vertex_count
    float *inverse;   // 12 * vertex_count: three columns of four
    double *r, *z, *p, *q;
    double *sums;             // 2 * chunk_count
    SN_ARRAY(int) fixed;      // places in vectors
    const sn_mass *rows_of;   // whose matrix the next three are, without its diagonal
    SN_ARRAY(int) row_starts; // vertex_count + 1
    SN_ARRAY(int) row_places; // places in vectors, ascending
    SN_ARRAY(double) row_masses;
};

sn_status sn_conjugate_create(int vertex_count, sn_conjugate **conjugate, sn_error *error)
{
    *conjugate = NULL;
    sn_conjugate *c = sn_allocate_zero(sizeof *c);
    size_t count = (size_t)vertex_count, bytes = STRIDE * count * sizeof(double);
    if (c == NULL) {
        return sn_fail_memory(error, sizeof *c);
    }
    c->vertex_count = vertex_count;
    c->chunk_count = sn_chunk_count(vertex_count, CHUNK_VERTICES);
    c->diagonal = sn_allocate(SN_DIAGONAL_STRIDE * count * sizeof(double));
    c->inverse = sn_allocate_zero(INVERSE * count * sizeof(float));
    c->r = sn_allocate_zero(bytes);
    c->z = sn_allocate_zero(bytes);
    c->p = sn_allocate_zero(bytes);
    c->q = sn_allocate_zero(bytes);
    c->sums = sn_allocate(2 * (size_t)c->chunk_count * sizeof(double));
    if (c->diagonal == NULL || c->inverse == NULL || c->r == NULL || c->z == NULL || c->p == NULL ||
        c->q == NULL || c->sums == NULL) {
        sn_conjugate_destroy(c);
        return sn_fail_memory(error, bytes);
    }
    *conjugate = c;
    return SN_OK;
}

void sn_conjugate_destroy(sn_conjugate *conjugate)
{
    if (conjugate == NULL) {
        return;
    }
    sn_free(conjugate->diagonal);
    sn_free(conjugate->inverse);
    sn_free(conjugate->r);
    sn_free(conjugate->z);
    sn_free(conjugate->p);
    sn_free(conjugate->q);
    sn_free(conjugate->sums);
    sn_array_free(&conjugate->fixed);
    sn_array_free(&conjugate->row_starts);
    sn_array_free(&conjugate->row_places);
    sn_array_free(&conjugate->row_masses);
    sn_free(conjugate);
}

// ---- preconditioner ----

// Columns of the inverse of a symmetric positive definite block by its cofactors; false when it has
// none.
static bool invert_block(const double *a, float *out)
{
    double xx = a[0], yy = a[1], zz = a[2], yz = a[4], zx = a[5], xy = a[6];
    double c00 = yy * zz - yz * yz, c01 = zx * yz - xy * zz, c02 = xy * yz - zx * yy;
    double c11 = xx * zz - zx * zx, c12 = xy * zx - xx * yz, c22 = xx * yy - xy * xy;
    double determinant = xx * c00 + xy * c01 + zx * c02;
    if (!(xx > 0.0) || !(c22 > 0.0) || !(determinant > 0.0) || !isfinite(determinant)) {
        return false;
    }
    double s = 1.0 / determinant;
    const double inverse[6] = {s * c00, s * c01, s * c02, s * c11, s * c12, s * c22};
    static const int place[INVERSE] = {0, 1, 2, -1, 1, 3, 4, -1, 2, 4, 5, -1};
    for (int k = 0; k < INVERSE; ++k) {
        out[k] = place[k] < 0 ? 0.0F : (float)inverse[place[k]];
    }
    return isfinite(s);
}

static void take_diagonal(sn_conjugate *c, sn_threads *threads)
{
    const sn_conjugate_system *system = &c->system;
    memset(c->diagonal, 0, SN_DIAGONAL_STRIDE * (size_t)c->vertex_count * sizeof(double));
    if (system->sparse != NULL) {
        for (int v = 0; v < c->vertex_count; ++v) {
            double *out = c->diagonal + SN_DIAGONAL_STRIDE * (size_t)v;
            const double *block =
                system->sparse->values + 9 * ((size_t)system->sparse->starts[v + 1] - 1);
            for (int i = 0; i < 3; ++i) {
                out[i] = block[4 * i];
                out[4 + i] = block[3 * ((i + 1) % 3) + (i + 2) % 3];
            }
        }
        return;
    }
    sn_solid_add_diagonal(system->solid, threads, system->stiffness_scale, c->diagonal);
    for (int v = 0; v < c->vertex_count; ++v) {
        double *out = c->diagonal + SN_DIAGONAL_STRIDE * (size_t)v;
        double mass = system->mass_scale * system->mass->diagonal[v];
        out[0] += mass;
        out[1] += mass;
        out[2] += mass;
    }
}

static bool list_fixed(sn_conjugate *c)
{
    const uint8_t *fixed = c->system.fixed;
    sn_array_clear(&c->fixed);
    for (int v = 0; fixed != NULL && v < c->vertex_count; ++v) {
        double *block = c->diagonal + SN_DIAGONAL_STRIDE * (size_t)v;
        for (int i = 0; fixed[v] != 0 && i < 3; ++i) {
            if ((fixed[v] >> i & 1) == 0) {
                continue;
            }
            if (!sn_array_push(&c->fixed, STRIDE * v + i)) {
                return false;
            }
            block[i] = 1.0;
            block[4 + (i + 1) % 3] = block[4 + (i + 2) % 3] = 0.0;
        }
    }
    return true;
}

// The pairs of the masses as rows: a row's sum stays in registers, and rows may run at once.
static bool list_masses(sn_conjugate *c, const sn_mass *mass)
{
    if (c->rows_of == mass || mass == NULL || mass->pair_count == 0) {
        return true;
    }
    int count = c->vertex_count;
    if (!sn_array_resize(&c->row_starts, count + 1) ||
        !sn_array_resize(&c->row_places, 2 * mass->pair_count) ||
        !sn_array_resize(&c->row_masses, 2 * mass->pair_count)) {
        return false;
    }
    int *starts = c->row_starts.data;
    memset(starts, 0, ((size_t)count + 1) * sizeof *starts);
    for (int k = 0; k < 2 * mass->pair_count; ++k) {
        starts[mass->pairs[k]] += 1;
    }
    for (int v = 0, sum = 0; v <= count; ++v) { // ends, which go down to starts below
        sum += v < count ? starts[v] : 0;
        starts[v] = sum;
    }
    for (int k = mass->pair_count - 1; k >= 0; --k) {
        for (int side = 0; side < 2; ++side) {
            int at = --starts[mass->pairs[2 * k + side]];
            c->row_places.data[at] = STRIDE * mass->pairs[2 * k + 1 - side];
            c->row_masses.data[at] = mass->entries[k];
        }
    }
    c->rows_of = mass;
    return true;
}

sn_status sn_conjugate_prepare(sn_conjugate *conjugate, sn_threads *threads,
                               const sn_conjugate_system *system, const char *place,
                               sn_error *error)
{
    conjugate->system = *system;
    take_diagonal(conjugate, threads);
    if (!list_fixed(conjugate) ||
        !list_masses(conjugate, system->sparse == NULL ? system->mass : NULL)) {
        return sn_fail_memory(error, (size_t)conjugate->vertex_count * sizeof(int));
    }
    for (int v = 0; v < conjugate->vertex_count; ++v) {
        const double *block = conjugate->diagonal + SN_DIAGONAL_STRIDE * (size_t)v;
        if (!invert_block(block, conjugate->inverse + INVERSE * (size_t)v)) {
            return sn_fail(error, SN_ERROR_INTEGRATOR, place,
                           "the matrix is not positive definite at vertex %d; lower stiffness of "
                           "compressed elements, a shorter step or fewer ties were expected",
                           v);
        }
    }
    return SN_OK;
}

// ---- passes ----

typedef struct pass {
    sn_conjugate *c;
    const double *b;
    double *x;
    double alpha, beta, mass_scale;
} pass;

SN_LANE_FUNCTION void sum_lanes(const sn_lanes *a, double *sum)
{
    *sum = ((*a)[0] + (*a)[1]) + ((*a)[2] + (*a)[3]);
}

// p . q
SN_LANE_FUNCTION void measure_body(void *context, int first, int last, int chunk)
{
    const pass *t = context;
    sn_lanes sum = {0};
    for (size_t k = (size_t)first; k < (size_t)last; ++k) {
        sn_lanes p, q;
        sn_lanes_load(t->c->p + STRIDE * k, &p);
        sn_lanes_load(t->c->q + STRIDE * k, &q);
        sum += p * q;
    }
    sum_lanes(&sum, &t->c->sums[2 * chunk]);
}

SN_LANE_TWINS(measure)

typedef float short_lanes __attribute__((vector_size(SN_LANES * sizeof(float)), aligned(4)));

SN_LANE_FUNCTION void load_short(const float *numbers, sn_lanes *a)
{
    *a = __builtin_convertvector(*(const short_lanes *)numbers, sn_lanes);
}

SN_LANE_FUNCTION void precondition(const sn_conjugate *c, size_t vertex, const sn_lanes *r,
                                   sn_lanes *z)
{
    const float *inverse = c->inverse + INVERSE * vertex;
    sn_lanes a, b, d;
    load_short(inverse, &a);
    load_short(inverse + 4, &b);
    load_short(inverse + 8, &d);
    *z = a * (*r)[0] + b * (*r)[1] + d * (*r)[2];
}

// x += alpha p, r -= alpha q, z = D^-1 r, and r . z
SN_LANE_FUNCTION void advance_body(void *context, int first, int last, int chunk)
{
    const pass *t = context;
    sn_conjugate *c = t->c;
    sn_lanes sum = {0};
    for (size_t k = (size_t)first; k < (size_t)last; ++k) {
        sn_lanes p, q, r, z;
        sn_lanes_load(c->p + STRIDE * k, &p);
        sn_lanes_load(c->q + STRIDE * k, &q);
        sn_lanes_load(c->r + STRIDE * k, &r);
        *(sn_lanes_loose *)(t->x + STRIDE * k) += t->alpha * p;
        r -= t->alpha * q;
        *(sn_lanes_loose *)(c->r + STRIDE * k) = r;
        precondition(c, k, &r, &z);
        *(sn_lanes_loose *)(c->z + STRIDE * k) = z;
        sum += r * z;
    }
    sum_lanes(&sum, &c->sums[2 * chunk]);
}

SN_LANE_TWINS(advance)

// p = z + beta p
SN_LANE_FUNCTION void turn_body(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const pass *t = context;
    sn_conjugate *c = t->c;
    for (size_t k = (size_t)first; k < (size_t)last; ++k) {
        sn_lanes p, z;
        sn_lanes_load(c->p + STRIDE * k, &p);
        sn_lanes_load(c->z + STRIDE * k, &z);
        p = z + t->beta * p;
        *(sn_lanes_loose *)(c->p + STRIDE * k) = p;
    }
}

SN_LANE_TWINS(turn)

// q = m M p
SN_LANE_FUNCTION void weigh_body(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const pass *t = context;
    sn_conjugate *c = t->c;
    const sn_mass *mass = c->system.mass;
    const bool pairs = mass->pair_count > 0;
    const int *starts = c->row_starts.data, *places = c->row_places.data;
    const double *masses = c->row_masses.data;
    for (size_t k = (size_t)first; k < (size_t)last; ++k) {
        sn_lanes sum, other = {0}, p;
        sn_lanes_load(c->p + STRIDE * k, &sum);
        sum *= mass->diagonal[k];
        int e = pairs ? starts[k] : 0, end = pairs ? starts[k + 1] : 0;
        for (; e + 1 < end; e += 2) {
            sn_lanes_load(c->p + places[e], &p);
            sum += masses[e] * p;
            sn_lanes_load(c->p + places[e + 1], &p);
            other += masses[e + 1] * p;
        }
        if (e < end) {
            sn_lanes_load(c->p + places[e], &p);
            sum += masses[e] * p;
        }
        *(sn_lanes_loose *)(c->q + STRIDE * k) = t->mass_scale * (sum + other);
    }
}

SN_LANE_TWINS(weigh)

static double run_pass(pass *t, sn_threads *threads, sn_chunk_work *work)
{
    sn_threads_run(threads, t->c->vertex_count, CHUNK_VERTICES, work, t);
    double sum = 0.0;
    for (int k = 0; k < t->c->chunk_count; ++k) {
        sum += t->c->sums[2 * k];
    }
    return sum;
}

static void clear_fixed(const sn_conjugate *c, double *v)
{
    for (int k = 0; k < c->fixed.count; ++k) {
        v[c->fixed.data[k]] = 0.0;
    }
}

// q = A p
static void multiply(pass *t, sn_threads *threads)
{
    sn_conjugate *c = t->c;
    const sn_conjugate_system *system = &c->system;
    if (system->sparse != NULL) {
        sn_sparse_product(system->sparse, c->p, c->q);
    } else {
        sn_threads_run(threads, c->vertex_count, CHUNK_VERTICES, weigh, t);
        sn_solid_add_product(system->solid, threads, system->stiffness_scale, c->p, c->q);
    }
    clear_fixed(c, c->q);
}

// z = D^-1 r with alpha 0, and what the coarse system adds; returns r . z
static double apply_preconditioner(pass *t, sn_threads *threads)
{
    sn_conjugate *c = t->c;
    double rz = run_pass(t, threads, advance);
    if (c->system.coarse != NULL) {
        rz += sn_coarse_add(c->system.coarse, threads, c->r, c->z);
        clear_fixed(c, c->z);
    }
    return rz;
}

// ---- iteration ----

// Whether a guess says nothing of what is free, and costs a product for nothing.
static bool is_zero(const sn_conjugate *c, double *x)
{
    clear_fixed(c, x);
    for (size_t k = 0; k < STRIDE * (size_t)c->vertex_count; ++k) {
        if (x[k] != 0.0) {
            return false;
        }
    }
    return true;
}

// r = b and r . z of it, which residuals are measured by; then r = b - A x, without what is fixed,
// and z and r . z of that.
static double start(pass *t, sn_threads *threads, double *rz)
{
    sn_conjugate *c = t->c;
    size_t numbers = STRIDE * (size_t)c->vertex_count;
    memcpy(c->r, t->b, numbers * sizeof(double));
    clear_fixed(c, c->r);
    memset(c->p, 0, numbers * sizeof(double));
    memset(c->q, 0, numbers * sizeof(double));
    t->alpha = 0.0;
    double scale = apply_preconditioner(t, threads);
    *rz = scale;
    if (is_zero(c, t->x)) {
        return scale;
    }
    memcpy(c->z, t->x, numbers * sizeof(double));
    t->beta = 0.0;
    run_pass(t, threads, turn);
    multiply(t, threads);
    for (size_t k = 0; k < numbers; ++k) {
        c->r[k] -= c->q[k];
    }
    memset(c->p, 0, numbers * sizeof(double));
    *rz = apply_preconditioner(t, threads);
    return scale;
}

// The square of the residual's norm where an iteration may end, for that of b.
static double limit_of(const sn_conjugate_goal *goal, double scale)
{
    double limit = goal->tolerance * goal->tolerance * scale;
    double loosest = goal->loosest * goal->loosest * scale;
    return fmax(limit, fmin(loosest, goal->enough * goal->enough));
}

sn_conjugate_result sn_conjugate_solve(sn_conjugate *conjugate, sn_threads *threads,
                                       const sn_conjugate_goal *goal, const double *b, double *x)
{
    pass t = {.c = conjugate, .b = b, .x = x, .mass_scale = conjugate->system.mass_scale};
    sn_conjugate_result result = {.definite = true};
    double rz, scale = start(&t, threads, &rz), limit = limit_of(goal, scale);
    while (rz > limit && result.iterations < goal->most) {
        run_pass(&t, threads, turn);
        multiply(&t, threads);
        double pq = run_pass(&t, threads, measure);
        if (!(pq > 0.0)) {
            result.definite = false;
            break;
        }
        t.alpha = rz / pq;
        double next = apply_preconditioner(&t, threads);
        t.beta = next / rz;
        rz = next;
        result.iterations += 1;
    }
    result.size = scale > 0.0 ? sqrt(scale) : 0.0;
    result.residual = scale > 0.0 ? sqrt(rz > 0.0 ? rz / scale : 0.0) : 0.0;
    result.converged = rz <= limit;
    for (int k = 0; k < conjugate->fixed.count; ++k) {
        x[conjugate->fixed.data[k]] = b[conjugate->fixed.data[k]];
    }
    return result;
}

void sn_conjugate_product(sn_conjugate *conjugate, sn_threads *threads, const double *v, double *y)
{
    sn_conjugate *c = conjugate;
    pass t = {.c = c, .mass_scale = c->system.mass_scale};
    size_t bytes = STRIDE * (size_t)c->vertex_count * sizeof(double);
    memcpy(c->z, v, bytes);
    clear_fixed(c, c->z);
    memset(c->p, 0, bytes);
    run_pass(&t, threads, turn);
    multiply(&t, threads);
    memcpy(y, c->q, bytes);
    for (int k = 0; k < c->fixed.count; ++k) {
        y[c->fixed.data[k]] = v[c->fixed.data[k]];
    }
}
