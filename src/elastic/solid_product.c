// Stiffness without a matrix. With axes frozen an element's stiffness is Hooke's law between turned
// gradients b_k = R gradient_k: the strain of v is the symmetric part of G = sum v_k b_k^T, so nine
// numbers and two moduli a linear element are all that a product reads (the stiffness R K R^T of M.
// Mueller and M. Gross 2004, never put together). A law's own stiffness keeps dP/dF, 45 numbers.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/lanes_mean.h"
#include "elastic/lanes_stiffness.h"

typedef struct producing {
    sn_solid *solid;
    const double *x; // where it is linearised
    const double *v;
    double *y;
    double scale;
    sn_hessian hessian;
    bool frozen; // means of frozen axes
    int base;
} producing;

// ---- what products need ----

SN_LANE_FUNCTION void freeze_chunk(const producing *work, const sn_solid_chunk *chunk, int nodes,
                                   int points)
{
    const sn_solid *solid = work->solid;
    for (int k = chunk->first; k < chunk->last; ++k) {
        sn_lanes d[3 * (SN_MOST_NODES - 1)];
        sn_solid_gather(sn_solid_vertices(solid, k), nodes, work->x, d);
        for (int q = 0; q < points; ++q) {
            sn_lanes3 f, r;
            sn_solid_deform(d, sn_solid_gradients(solid, k, q), nodes, &f);
            sn_lanes_polar(&f, &r);
            sn_solid_freeze(solid, k, q, nodes, &r);
        }
    }
}

SN_LANE_FUNCTION void freeze_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const producing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        SN_SOLID_BY_NODES(work->solid, freeze_chunk, work, chunk);
    }
}

SN_LANE_TWINS(freeze_chunks)

// means of a block: with axes frozen the derivatives of dilatations are the rotations, which turned
// gradients have in them, and e'' is that of rest.
SN_LANE_FUNCTION void put_mean(const producing *work, sn_elastic_law law, int block)
{
    const sn_solid *solid = work->solid;
    sn_lanes d[3 * (SN_MOST_NODES - 1)], e[3], total, share[SN_MOST_POINTS];
    sn_lanes *out = solid->means + (size_t)SN_MEAN_LANES * (size_t)block;
    sn_lanes3 derivative[SN_MOST_POINTS];
    e[1] = (sn_lanes){0.0, 0.0, 0.0, 0.0};
    e[2] = solid->materials[block].excess;
    sn_lanes_shares(solid, block, &total, share);
    if (!work->frozen) {
        sn_solid_gather(sn_solid_vertices(solid, block), SN_MOST_NODES, work->x, d);
        sn_lanes_find_mean(solid, law, block, d, derivative, e);
    }
    memset(out, 0, SN_MEAN_LANES * sizeof *out);
    for (int q = 0; q < SN_MOST_POINTS; ++q) {
        const sn_lanes *g =
            work->frozen ? sn_solid_frozen(solid, block, q) : sn_solid_gradients(solid, block, q);
        for (int n = 0; n < SN_MOST_NODES - 1; ++n) {
            for (int i = 0; i < 3; ++i) {
                const sn_lanes *row = derivative[q].m[i];
                out[3 * n + i] +=
                    share[q] * (work->frozen ? g[3 * n + i]
                                             : row[0] * g[3 * n] + row[1] * g[3 * n + 1] +
                                                   row[2] * g[3 * n + 2]);
            }
        }
    }
    out[SN_MEAN_STIFFNESS] = solid->elastic_share * (total * e[2]);
    out[SN_MEAN_PULL] = e[1];
}

SN_LANE_FUNCTION void mean_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const producing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        for (int k = chunk->first; k < chunk->last && chunk->mean; ++k) {
            put_mean(work, chunk->law, k);
        }
    }
}

SN_LANE_TWINS(mean_chunks)

static void put_hessian(const producing *work, sn_elastic_law law, int slot, int point)
{
    const sn_solid *solid = work->solid;
    int lane = slot % SN_LANES;
    size_t at = sn_solid_point(solid, slot / SN_LANES, point);
    sn_elastic material = sn_solid_material(solid, slot, law);
    sn_mat3 f = sn_solid_deformation(solid, slot, point, work->x);
    double h[81];
    double pull =
        solid->means != NULL ? sn_lanes_mean_of(solid, slot / SN_LANES)[SN_MEAN_PULL][lane] : 0.0;
    sn_elastic_hessian_pulled(&material, &f, pull, work->hessian, h);
    for (int i = 0; i < 81 && solid->elastic_share != 1.0; ++i) {
        h[i] *= solid->elastic_share;
    }
    if (solid->viscous_rate > 0.0) {
        const sn_lanes_material *m = &solid->materials[slot / SN_LANES];
        sn_viscosity viscosity = {m->volume_viscosity[lane], m->shape_viscosity[lane]};
        double d[81], rate = solid->viscous_rate;
        rate *= solid->viscous_now ? fabs(sn_mat3_determinant(f)) : 1.0;
        sn_viscosity_hessian(&viscosity, &f, d);
        for (int i = 0; i < 81; ++i) {
            h[i] += rate * d[i];
        }
    }
    for (int i = 0, k = 0; i < 9; ++i) {
        for (int j = i; j < 9; ++j, ++k) {
            solid->hessians[SN_HESSIAN_ENTRIES * at + (size_t)k][lane] =
                solid->volumes[at][lane] * h[9 * i + j];
        }
    }
}

static void hessian_chunks(void *context, int first, int last, int number)
{
    (void)number;
    const producing *work = context;
    const sn_solid *solid = work->solid;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &solid->chunks[work->base + c];
        for (int slot = SN_LANES * chunk->first; slot < SN_LANES * chunk->last; ++slot) {
            for (int q = 0; q < solid->points && solid->element_of[slot] >= 0; ++q) {
                put_hessian(work, chunk->law, slot, q); // repeated ones stay zero
            }
        }
    }
}

void sn_solid_set_damping(sn_solid *solid, double share, double rate,
                          const sn_viscosity *viscosities, int count, bool current)
{
    solid->elastic_share = share;
    solid->viscous_rate = rate;
    solid->viscous_now = current;
    for (int e = 0; e < solid->element_count && rate > 0.0; ++e) {
        const sn_viscosity *viscosity = &viscosities[count == 1 ? 0 : solid->regions[e]];
        sn_lanes_material *m = &solid->materials[solid->slot_of[e] / SN_LANES];
        m->volume_viscosity[solid->slot_of[e] % SN_LANES] = viscosity->volume;
        m->shape_viscosity[solid->slot_of[e] % SN_LANES] = viscosity->shape;
    }
}

static void find_means(producing *work, sn_threads *threads, bool frozen)
{
    if (work->solid->means != NULL) {
        work->frozen = frozen;
        sn_solid_run(work->solid, threads, mean_chunks, work, &work->base);
    }
}

sn_status sn_solid_linearise(sn_solid *solid, sn_threads *threads, const double *x,
                             sn_stiffness kind, sn_error *error)
{
    producing work = {.solid = solid, .x = x};
    if (kind == SN_STIFFNESS_FROZEN) {
        sn_solid_run(solid, threads, freeze_chunks, &work, &work.base);
        find_means(&work, threads, true);
        solid->kind = kind;
        return SN_OK;
    }
    size_t count = (size_t)solid->block_count * (size_t)solid->points;
    size_t bytes = count * SN_HESSIAN_ENTRIES * sizeof(sn_lanes);
    if (solid->hessians == NULL) {
        solid->hessians = sn_lanes_allocate(bytes, &solid->memory[4]);
    }
    if (solid->hessians == NULL) {
        return sn_fail_memory(error, bytes);
    }
    work.hessian = kind == SN_STIFFNESS_EXACT ? SN_HESSIAN_EXACT : SN_HESSIAN_PROJECTED;
    find_means(&work, threads, false);
    sn_solid_run(solid, threads, hessian_chunks, &work, &work.base);
    solid->kind = kind;
    return SN_OK;
}

// ---- products ----

// P = G (g + g^T) + lambda tr(g), with g = sum v_k b_k^T
SN_LANE_FUNCTION void frozen_stress(const sn_lanes moduli[2], double scale, const sn_lanes3 *g,
                                    sn_lanes3 *p)
{
    sn_lanes shear = scale * moduli[0], lambda = scale * moduli[1];
    sn_lanes even = lambda * (g->m[0][0] + g->m[1][1] + g->m[2][2]);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        p->m[i][i] = (shear + shear) * g->m[i][i] + even;
        SN_UNROLL
        for (int j = i + 1; j < 3; ++j) {
            p->m[i][j] = shear * (g->m[i][j] + g->m[j][i]);
            p->m[j][i] = p->m[i][j];
        }
    }
}

SN_LANE_FUNCTION void frozen_point(const producing *work, int block, int point, int nodes,
                                   bool first, const sn_lanes *d, sn_lanes *out)
{
    const sn_lanes *gradient = sn_solid_frozen(work->solid, block, point);
    sn_lanes3 g, p;
    sn_solid_deform(d, gradient, nodes, &g);
    frozen_stress(gradient + 3 * (nodes - 1), work->scale, &g, &p);
    sn_solid_spread(&p, gradient, nodes, first, out);
}

SN_LANE_FUNCTION void frozen_product(const producing *work, const sn_solid_chunk *chunk, int nodes,
                                     int points)
{
    for (int k = chunk->first; k < chunk->last; ++k) {
        const int32_t *vertices = sn_solid_vertices(work->solid, k);
        sn_lanes d[3 * (SN_MOST_NODES - 1)], out[3 * (SN_MOST_NODES - 1)];
        sn_solid_gather(vertices, nodes, work->v, d);
        frozen_point(work, k, 0, nodes, true, d, out);
        for (int q = 1; q < points; ++q) {
            frozen_point(work, k, q, nodes, false, d, out);
        }
        if (nodes == SN_MOST_NODES && chunk->mean) {
            sn_lanes_add_mean_product(work->solid, k, work->scale, d, out);
        }
        sn_solid_scatter(vertices, nodes, out, work->y);
    }
}

SN_LANE_FUNCTION void frozen_products_body(void *context, int first, int last, int number)
{
    (void)number;
    const producing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        SN_SOLID_BY_NODES(work->solid, frozen_product, work, chunk);
    }
}

SN_LANE_TWINS(frozen_products)

// scale H df
SN_LANE_FUNCTION void hessian_stress(const sn_lanes *h, double scale, const sn_lanes3 *df,
                                     sn_lanes3 *p)
{
    sn_lanes dp[9];
    SN_UNROLL
    for (int i = 0; i < 9; ++i) {
        dp[i] = (sn_lanes){0.0, 0.0, 0.0, 0.0};
    }
    SN_UNROLL
    for (int i = 0; i < 9; ++i) {
        const sn_lanes *row = h + 9 * i - i * (i - 1) / 2 - i; // entry (i, j) is row[j]
        dp[i] += row[i] * df->m[i / 3][i % 3];
        SN_UNROLL
        for (int j = i + 1; j < 9; ++j) {
            dp[i] += row[j] * df->m[j / 3][j % 3];
            dp[j] += row[j] * df->m[i / 3][i % 3];
        }
    }
    SN_UNROLL
    for (int i = 0; i < 9; ++i) {
        p->m[i / 3][i % 3] = scale * dp[i];
    }
}

SN_LANE_FUNCTION void hessian_point(const producing *work, int block, int point, int nodes,
                                    bool first, const sn_lanes *d, sn_lanes *out)
{
    const sn_solid *solid = work->solid;
    const sn_lanes *gradient = sn_solid_gradients(solid, block, point);
    const sn_lanes *h = solid->hessians + SN_HESSIAN_ENTRIES * sn_solid_point(solid, block, point);
    sn_lanes3 df, p;
    sn_solid_deform(d, gradient, nodes, &df);
    hessian_stress(h, work->scale, &df, &p);
    sn_solid_spread(&p, gradient, nodes, first, out);
}

SN_LANE_FUNCTION void hessian_product(const producing *work, const sn_solid_chunk *chunk, int nodes,
                                      int points)
{
    for (int k = chunk->first; k < chunk->last; ++k) {
        const int32_t *vertices = sn_solid_vertices(work->solid, k);
        sn_lanes d[3 * (SN_MOST_NODES - 1)], out[3 * (SN_MOST_NODES - 1)];
        sn_solid_gather(vertices, nodes, work->v, d);
        hessian_point(work, k, 0, nodes, true, d, out);
        for (int q = 1; q < points; ++q) {
            hessian_point(work, k, q, nodes, false, d, out);
        }
        if (nodes == SN_MOST_NODES && chunk->mean) {
            sn_lanes_add_mean_product(work->solid, k, work->scale, d, out);
        }
        sn_solid_scatter(vertices, nodes, out, work->y);
    }
}

SN_LANE_FUNCTION void hessian_products_body(void *context, int first, int last, int number)
{
    (void)number;
    const producing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        SN_SOLID_BY_NODES(work->solid, hessian_product, work, chunk);
    }
}

SN_LANE_TWINS(hessian_products)

void sn_solid_add_product(const sn_solid *solid, sn_threads *threads, double scale, const double *v,
                          double *y)
{
    producing work = {.solid = (sn_solid *)solid, .v = v, .y = y, .scale = scale};
    sn_solid_run(solid, threads,
                 solid->kind == SN_STIFFNESS_FROZEN ? frozen_products : hessian_products, &work,
                 &work.base);
}

// ---- single elements ----

// One point of one element: gradients of all nodes, turned where axes are frozen, and moduli or
// Hessian.
typedef struct element_point {
    bool frozen;
    double b[SN_MOST_NODES][3];
    double shear, lambda;
    double h[81];
} element_point;

static void take_point(const sn_solid *solid, int slot, int point, element_point *out)
{
    int block = slot / SN_LANES, lane = slot % SN_LANES, last = 3 * (solid->nodes - 1);
    out->frozen = solid->kind == SN_STIFFNESS_FROZEN;
    const sn_lanes *gradient = out->frozen ? sn_solid_frozen(solid, block, point)
                                           : sn_solid_gradients(solid, block, point);
    memset(out->b[0], 0, sizeof out->b[0]);
    for (int k = 0; k < last; ++k) {
        out->b[k / 3 + 1][k % 3] = gradient[k][lane];
        out->b[0][k % 3] -= gradient[k][lane];
    }
    if (out->frozen) {
        out->shear = gradient[last][lane];
        out->lambda = gradient[last + 1][lane];
        return;
    }
    const sn_lanes *entry =
        solid->hessians + SN_HESSIAN_ENTRIES * sn_solid_point(solid, block, point);
    for (int i = 0, k = 0; i < 9; ++i) {
        for (int j = i; j < 9; ++j) {
            out->h[9 * i + j] = out->h[9 * j + i] = entry[k++][lane];
        }
    }
}

// K_ab = V (G (a . b) + G b a^T + lambda a b^T), or K_ab(i, k) = sum over j, l of a_j H(ij, kl) b_l
static void point_block(const element_point *p, int m, int n, double out[9])
{
    const double *a = p->b[m], *b = p->b[n];
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            double sum =
                p->shear * ((i == k ? dot : 0.0) + b[i] * a[k]) + p->lambda * (a[i] * b[k]);
            for (int j = 0; !p->frozen && j < 3; ++j) {
                const double *row = p->h + 9 * (3 * i + j) + 3 * k;
                sum = (j == 0 ? 0.0 : sum) + a[j] * (row[0] * b[0] + row[1] * b[1] + row[2] * b[2]);
            }
            out[3 * i + k] = sum;
        }
    }
}

// V e'' c c^T of one element
static void add_mean(const sn_solid *solid, int slot, double *stiffness)
{
    enum { SIZE = 3 * SN_MOST_NODES };
    const sn_lanes *mean = sn_lanes_mean_of(solid, slot / SN_LANES);
    int lane = slot % SN_LANES;
    double c[SIZE] = {0.0};
    for (int k = 0; k < SN_MEAN_STIFFNESS; ++k) {
        c[3 + k] = mean[k][lane];
        c[k % 3] -= mean[k][lane];
    }
    for (int k = 0; k < SIZE * SIZE; ++k) {
        stiffness[k] += mean[SN_MEAN_STIFFNESS][lane] * (c[k / SIZE] * c[k % SIZE]);
    }
}

void sn_solid_stiffness(const sn_solid *solid, int element, double *stiffness)
{
    int size = 3 * solid->nodes;
    memset(stiffness, 0, (size_t)(size * size) * sizeof *stiffness);
    for (int q = 0; q < solid->points; ++q) {
        element_point p = {0};
        double block[9];
        take_point(solid, solid->slot_of[element], q, &p);
        for (int m = 0; m < solid->nodes; ++m) {
            for (int n = 0; n < solid->nodes; ++n) {
                point_block(&p, m, n, block);
                for (int k = 0; k < 9; ++k) {
                    stiffness[size * (3 * m + k / 3) + 3 * n + k % 3] += block[k];
                }
            }
        }
    }
    if (solid->means != NULL) {
        add_mean(solid, solid->slot_of[element], stiffness);
    }
}

// ---- the diagonal ----

// xx, yy, zz, yz, zx, xy of V ((G + lambda) b b^T + G (b . b)), or of a law's own stiffness
SN_LANE_FUNCTION void add_diagonal_point(const producing *work, int block, int point, int nodes,
                                         sn_lanes *out)
{
    const sn_solid *solid = work->solid;
    bool frozen = solid->kind == SN_STIFFNESS_FROZEN;
    const sn_lanes *gradient =
        frozen ? sn_solid_frozen(solid, block, point) : sn_solid_gradients(solid, block, point);
    sn_lanes all[3 * SN_MOST_NODES];
    sn_lanes_all_gradients(gradient, nodes, all);
    for (int n = 0; n < nodes; ++n, out += 6) {
        const sn_lanes *b = all + 3 * n;
        if (frozen) {
            sn_lanes shear = work->scale * gradient[3 * (nodes - 1)];
            sn_lanes both = shear + work->scale * gradient[3 * (nodes - 1) + 1];
            sn_lanes dot = shear * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
            SN_UNROLL
            for (int i = 0; i < 3; ++i) {
                out[i] += both * (b[i] * b[i]) + dot;
                out[3 + i] += both * (b[(i + 1) % 3] * b[(i + 2) % 3]);
            }
            continue;
        }
        sn_lanes t[27], k[9] = {{0}};
        sn_lanes_turn_hessian(solid->hessians +
                                  SN_HESSIAN_ENTRIES * sn_solid_point(solid, block, point),
                              work->scale, b, t);
        sn_lanes_add_turned(b, t, k);
        for (int i = 0; i < 3; ++i) {
            out[i] += k[4 * i];
            out[3 + i] += k[3 * ((i + 1) % 3) + (i + 2) % 3];
        }
    }
}

SN_LANE_FUNCTION void add_diagonal_mean(const producing *work, int block, sn_lanes *out)
{
    const sn_lanes *mean = sn_lanes_mean_of(work->solid, block);
    sn_lanes all[3 * SN_MOST_NODES], scale = work->scale * mean[SN_MEAN_STIFFNESS];
    sn_lanes_all_gradients(mean, SN_MOST_NODES, all);
    for (int n = 0; n < SN_MOST_NODES; ++n, out += 6) {
        const sn_lanes *c = all + 3 * n;
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            out[i] += scale * (c[i] * c[i]);
            out[3 + i] += scale * (c[(i + 1) % 3] * c[(i + 2) % 3]);
        }
    }
}

SN_LANE_FUNCTION void add_diagonal_block(const producing *work, int block, int nodes, int points)
{
    const int32_t *vertices = sn_solid_vertices(work->solid, block);
    sn_lanes sums[6 * SN_MOST_NODES], row[SN_LANES];
    memset(sums, 0, (size_t)(6 * nodes) * sizeof *sums);
    for (int q = 0; q < points; ++q) {
        add_diagonal_point(work, block, q, nodes, sums);
    }
    if (nodes == SN_MOST_NODES && work->solid->means != NULL) {
        add_diagonal_mean(work, block, sums);
    }
    for (int k = 0; k < 2 * nodes; ++k) {
        sn_lanes_to_rows(sums + 3 * k, row);
        SN_UNROLL
        for (int l = 0; l < SN_LANES; ++l) {
            int vertex = vertices[SN_LANES * (k / 2) + l] / SN_SOLID_STRIDE;
            sn_lanes_add_to(&row[l], work->y + SN_DIAGONAL_STRIDE * (size_t)vertex + 4 * (k % 2));
        }
    }
}

SN_LANE_FUNCTION void add_diagonals_body(void *context, int first, int last, int number)
{
    (void)number;
    const producing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        for (int k = chunk->first; k < chunk->last; ++k) {
            SN_SOLID_BY_NODES(work->solid, add_diagonal_block, work, k);
        }
    }
}

SN_LANE_TWINS(add_diagonals)

void sn_solid_add_diagonal(const sn_solid *solid, sn_threads *threads, double scale,
                           double *diagonal)
{
    producing work = {.solid = (sn_solid *)solid, .y = diagonal, .scale = scale};
    sn_solid_run(solid, threads, add_diagonals, &work, &work.base);
}
