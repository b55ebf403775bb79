// Elements that turn inside out: how many have, and how far a body may move before one does.
#include <math.h>

#include "elastic/solid_part.h"

typedef struct turning {
    const sn_solid *solid;
    const double *x, *y;
    double kept, share; // of volumes; of the way, that is looked at
    double *result;     // of chunks
    int base;
} turning;

SN_LANE_FUNCTION void find_gradient(const sn_solid *solid, int block, int point, int nodes,
                                    const double *x, sn_lanes3 *f)
{
    sn_lanes d[3 * (SN_MOST_NODES - 1)];
    sn_solid_gather(sn_solid_vertices(solid, block), nodes, x, d);
    sn_solid_deform(d, sn_solid_gradients(solid, block, point), nodes, f);
}

SN_LANE_FUNCTION void find_determinant(const sn_lanes3 *f, sn_lanes *determinant)
{
    sn_lanes3 cofactors;
    sn_lanes3_cofactors(f, &cofactors);
    sn_lanes3_determinant(f, &cofactors, determinant);
}

// ---- how many ----

SN_LANE_FUNCTION void count_chunk(const turning *work, int number, int nodes, int points)
{
    const sn_solid *solid = work->solid;
    const sn_solid_chunk *chunk = &solid->chunks[number];
    int count = 0;
    for (int k = chunk->first; k < chunk->last; ++k) {
        sn_lanes_mask sound = {-1, -1, -1, -1};
        for (int q = 0; q < points; ++q) {
            sn_lanes3 f;
            sn_lanes stretch;
            find_gradient(solid, k, q, nodes, work->x, &f);
            find_determinant(&f, &stretch);
            sound &= stretch > 0.0;
        }
        for (int l = 0; l < SN_LANES; ++l) {
            count += !sound[l] && solid->element_of[SN_LANES * k + l] >= 0;
        }
    }
    work->result[number] = count;
}

SN_LANE_FUNCTION void count_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const turning *work = context;
    for (int c = work->base + first; c < work->base + last; ++c) {
        SN_SOLID_BY_NODES(work->solid, count_chunk, work, c);
    }
}

SN_LANE_TWINS(count_chunks)

int sn_solid_count_inverted(sn_solid *solid, sn_threads *threads, const double *x)
{
    turning work = {.solid = solid, .x = x, .result = solid->chunk_energy};
    sn_solid_run(solid, threads, count_chunks, &work, &work.base);
    return (int)sn_solid_sum_chunks(solid);
}

// ---- how far ----

enum { HALVINGS = 20 };

// Halves the way until one element keeps enough of its volume. F is linear along it.
static double halve(const turning *work, int slot, int point, double share)
{
    sn_mat3 from = sn_solid_deformation(work->solid, slot, point, work->x),
            to = sn_solid_deformation(work->solid, slot, point, work->y);
    double least = work->kept * sn_mat3_determinant(from);
    for (int i = 0; i < HALVINGS; ++i, share *= 0.5) {
        sn_mat3 f;
        for (int k = 0; k < 9; ++k) {
            f.m[k / 3][k % 3] = (1.0 - share) * from.m[k / 3][k % 3] + share * to.m[k / 3][k % 3];
        }
        if (sn_mat3_determinant(f) >= least) {
            return share;
        }
    }
    return 0.0;
}

SN_LANE_FUNCTION void limit_chunk(const turning *work, int number, int nodes, int points)
{
    const sn_solid *solid = work->solid;
    const sn_solid_chunk *chunk = &solid->chunks[number];
    double share = work->share;
    for (int k = chunk->first; k < chunk->last; ++k) {
        for (int q = 0; q < points; ++q) {
            sn_lanes before, after;
            sn_lanes3 from, to;
            find_gradient(solid, k, q, nodes, work->x, &from);
            find_gradient(solid, k, q, nodes, work->y, &to);
            find_determinant(&from, &before);
            SN_UNROLL
            for (int i = 0; i < 3; ++i) {
                SN_UNROLL
                for (int j = 0; j < 3; ++j) {
                    to.m[i][j] = (1.0 - work->share) * from.m[i][j] + work->share * to.m[i][j];
                }
            }
            find_determinant(&to, &after);
            for (int l = 0; l < SN_LANES; ++l) {
                if (before[l] > 0.0 && !(after[l] >= work->kept * before[l])) {
                    share = halve(work, SN_LANES * k + l, q, share);
                }
            }
        }
    }
    work->result[number] = share;
}

SN_LANE_FUNCTION void limit_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const turning *work = context;
    for (int c = work->base + first; c < work->base + last; ++c) {
        if (work->solid->chunks[c].law != SN_ELASTIC_LIESENFELD) {
            work->result[c] = work->share;
        } else
            SN_SOLID_BY_NODES(work->solid, limit_chunk, work, c);
    }
}

SN_LANE_TWINS(limit_chunks)

double sn_solid_safe_share(sn_solid *solid, sn_threads *threads, const double *x, const double *y,
                           double kept)
{
    // Where the way ends earlier, an element may have less than where it ended before: volumes are
    // cubic along it.
    turning work = {.solid = solid, .x = x, .y = y, .kept = kept, .result = solid->chunk_energy};
    double share = 1.0;
    do {
        work.share = share;
        sn_solid_run(solid, threads, limit_chunks, &work, &work.base);
        for (int c = 0; c < solid->chunk_count; ++c) {
            share = fmin(share, solid->chunk_energy[c]);
        }
    } while (share < work.share && share > 0.0);
    return share;
}

bool sn_solid_has_barrier(const sn_solid *solid)
{
    for (int c = 0; c < solid->chunk_count; ++c) {
        if (solid->chunks[c].law == SN_ELASTIC_LIESENFELD) {
            return true;
        }
    }
    return false;
}
