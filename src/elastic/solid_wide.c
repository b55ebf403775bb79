// Places halfway between two others, made wide again.
//
// With F0 and F1 of the two and F = (F0 + F1)/2, D = F1 - F0, the mean of both metrics is
//
//     (F0^T F0 + F1^T F1) / 2 = F^T F + D^T D / 4:
//
// F alone is too small, by the cosine of half the angle for what turns. An F' with that metric is
// F Q^T, Q = F^T sqrt(1 + X) F^-T, X = (D F^-1)^T (D F^-1) / 4, so an element has it whose
// gradients at rest are Q times what they are. Energy in such elements is the same however the body
// turns as a whole, so their forces have no sum and no moment.
#include "base/error.h"
#include "elastic/solid_part.h"

typedef struct widening {
    const sn_solid *solid;
    const double *x, *v;
    double time;
    int base;
} widening;

// The trace of X up to which the square root's series is used: it is good to 2e-3 there, at a turn
// by 70 degrees, which has half of it across each of two axes. What moves more gets this much.
static const double MOST = 1.0;
// Elements flatter than this, det F by |F|^3, are left alone.
static const double FLAT = 1e-3;

// Q = F^T (1 + X/2 - X^2/8 + X^3/16) F^-T
SN_LANE_FUNCTION void find_widening(const sn_lanes3 *f, const sn_lanes3 *d, sn_lanes3 *q)
{
    const sn_lanes one = {1.0, 1.0, 1.0, 1.0}, zero = {0.0, 0.0, 0.0, 0.0};
    sn_lanes3 cofactors, e, x, poly, half;
    sn_lanes determinant, size;
    sn_lanes3_cofactors(f, &cofactors);
    sn_lanes3_determinant(f, &cofactors, &determinant);
    sn_lanes3_square_sum(f, &size);
    sn_lanes inverse = 1.0 / determinant, least = (FLAT * FLAT) * (size * size * size);
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        inverse[l] = determinant[l] * determinant[l] > least[l] ? inverse[l] : 0.0;
    }
    SN_UNROLL
    for (int i = 0; i < 3; ++i) { // E = D F^-1, F^-1 = cofactors^T / det
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            e.m[i][j] = inverse * (d->m[i][0] * cofactors.m[j][0] + d->m[i][1] * cofactors.m[j][1] +
                                   d->m[i][2] * cofactors.m[j][2]);
        }
    }
    sn_lanes3_metric(&e, &x);
    sn_lanes trace = 0.25 * (x.m[0][0] + x.m[1][1] + x.m[2][2]), scale = 0.25 * one;
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        scale[l] = trace[l] > MOST ? 0.25 * MOST / trace[l] : scale[l];
    }
    SN_UNROLL
    for (int i = 0; i < 9; ++i) {
        x.m[i / 3][i % 3] *= scale;
        poly.m[i / 3][i % 3] = (1.0 / 16.0) * x.m[i / 3][i % 3] - (i % 4 == 0 ? 0.125 : 0.0);
    }
    sn_lanes3_multiply(&x, &poly, &half);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        half.m[i][i] += 0.5;
    }
    sn_lanes3_multiply(&x, &half, &poly); // but for the 1, which F^T and F^-T leave
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            half.m[i][j] =
                inverse * (poly.m[i][0] * cofactors.m[0][j] + poly.m[i][1] * cofactors.m[1][j] +
                           poly.m[i][2] * cofactors.m[2][j]);
        }
    }
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            sn_lanes more =
                f->m[0][i] * half.m[0][j] + f->m[1][i] * half.m[1][j] + f->m[2][i] * half.m[2][j];
            q->m[i][j] = (i == j ? one : zero) + more;
        }
    }
}

SN_LANE_FUNCTION void widen_chunk(const widening *work, const sn_solid_chunk *chunk, int nodes,
                                  int points)
{
    const sn_solid *solid = work->solid;
    for (int k = chunk->first; k < chunk->last; ++k) {
        sn_lanes x[3 * (SN_MOST_NODES - 1)], v[3 * (SN_MOST_NODES - 1)];
        sn_solid_gather(sn_solid_vertices(solid, k), nodes, work->x, x);
        sn_solid_gather(sn_solid_vertices(solid, k), nodes, work->v, v);
        for (int i = 0; i < 3 * (nodes - 1); ++i) {
            v[i] *= work->time;
        }
        for (int p = 0; p < points; ++p) {
            size_t at = sn_solid_point(solid, k, p) * (size_t)(3 * (nodes - 1));
            const sn_lanes *from = solid->narrow + at;
            sn_lanes *to = solid->wide + at;
            sn_lanes3 f, d, q;
            sn_solid_deform(x, from, nodes, &f);
            sn_solid_deform(v, from, nodes, &d);
            find_widening(&f, &d, &q);
            for (int n = 0; n < nodes - 1; ++n) {
                SN_UNROLL
                for (int i = 0; i < 3; ++i) {
                    to[3 * n + i] = q.m[i][0] * from[3 * n] + q.m[i][1] * from[3 * n + 1] +
                                    q.m[i][2] * from[3 * n + 2];
                }
            }
        }
    }
}

SN_LANE_FUNCTION void widen_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const widening *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        SN_SOLID_BY_NODES(work->solid, widen_chunk, work, chunk);
    }
}

SN_LANE_TWINS(widen_chunks)

sn_status sn_solid_widen(sn_solid *solid, sn_threads *threads, const double *x, const double *v,
                         double time, sn_error *error)
{
    size_t points = (size_t)solid->block_count * (size_t)solid->points;
    size_t bytes = points * 3 * (size_t)(solid->nodes - 1) * sizeof(sn_lanes);
    if (solid->wide == NULL) {
        solid->wide = sn_lanes_allocate(bytes, &solid->memory[6]);
    }
    if (solid->wide == NULL) {
        return sn_fail_memory(error, bytes);
    }
    widening work = {.solid = solid, .x = x, .v = v, .time = time};
    sn_solid_run(solid, threads, widen_chunks, &work, &work.base);
    solid->gradients = solid->wide;
    return SN_OK;
}

bool sn_solid_use_wide(sn_solid *solid, bool wide)
{
    bool was = solid->gradients == solid->wide && solid->wide != NULL;
    solid->gradients = wide && solid->wide != NULL ? solid->wide : solid->narrow;
    return was;
}
