// The matrix of Newton's method, W = S J A^-1 J^T S: the compliance of blocks
// to each other, scaled as in exact_system.h. It is made where it is asked for:
// of most limits and of points that stay open it never is.
#include <string.h>

#include "math/lanes.h"
#include "solve/exact_system.h"

// Rows of block a have entries in the columns of block b.
static void reach(sn_exact_system *system, const sn_exact_block *a, const sn_exact_block *b)
{
    for (int row = a->row; row < a->row + a->width; ++row) {
        int *low = &system->low.data[row], *high = &system->high.data[row];
        *low = b->row < *low ? b->row : *low;
        *high = b->row + b->width > *high ? b->row + b->width : *high;
    }
}

// Sums of products of up to three rows of J with up to three of Y over columns
// from .. to - 1; what is beyond their number is not used.
SN_WIDE void sum_products(const double *const j[SN_BLOCK_ROWS],
                          const double *const y[SN_BLOCK_ROWS], int m_count, int n_count, int from,
                          int to, double sums[SN_BLOCK_ROWS][SN_BLOCK_ROWS])
{
    for (int m = 0; m < m_count; ++m) {
        const double *a = j[m], *b0 = y[0], *b1 = y[1], *b2 = y[2];
        sn_lanes x = {0.0}, z0 = {0.0}, z1 = {0.0}, z2 = {0.0};
        int i = from;
        for (; i + SN_LANES <= to; i += SN_LANES) {
            x = *(const sn_lanes_row *)(a + i);
            z0 += x * *(const sn_lanes_row *)(b0 + i);
            if (n_count > 1) {
                z1 += x * *(const sn_lanes_row *)(b1 + i);
                z2 += x * *(const sn_lanes_row *)(b2 + i);
            }
        }
        sums[m][0] = (z0[0] + z0[1]) + (z0[2] + z0[3]);
        sums[m][1] = (z1[0] + z1[1]) + (z1[2] + z1[3]);
        sums[m][2] = (z2[0] + z2[1]) + (z2[2] + z2[3]);
        for (; i < to; ++i) {
            sums[m][0] += a[i] * b0[i];
            sums[m][1] += a[i] * b1[i];
            sums[m][2] += a[i] * b2[i];
        }
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void
sum_products_avx2(const double *const j[SN_BLOCK_ROWS], const double *const y[SN_BLOCK_ROWS],
                  int m_count, int n_count, int from, int to,
                  double sums[SN_BLOCK_ROWS][SN_BLOCK_ROWS])
{
    sum_products(j, y, m_count, n_count, from, to, sums);
}
#endif

static void sum_products_any(const double *const j[SN_BLOCK_ROWS],
                             const double *const y[SN_BLOCK_ROWS], int m_count, int n_count,
                             int from, int to, double sums[SN_BLOCK_ROWS][SN_BLOCK_ROWS])
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        sum_products_avx2(j, y, m_count, n_count, from, to, sums);
        return;
    }
#endif
    sum_products(j, y, m_count, n_count, from, to, sums);
}

// The same, column by column, in the order of block_matrix: with one point on a
// free body what it answers must be the same numbers here and there.
static void sum_in_order(const double *const j[SN_BLOCK_ROWS], const double *const y[SN_BLOCK_ROWS],
                         int m_count, const sn_exact_side *side,
                         double sums[SN_BLOCK_ROWS][SN_BLOCK_ROWS])
{
    for (int m = 0; m < m_count; ++m) {
        double a = 0.0, b = 0.0, c = 0.0;
        for (int i = side->from; i < side->gap; ++i) {
            a += j[m][i] * y[0][i];
            b += j[m][i] * y[1][i];
            c += j[m][i] * y[2][i];
        }
        for (int i = side->end; i < side->to; ++i) {
            a += j[m][i] * y[0][i];
            b += j[m][i] * y[1][i];
            c += j[m][i] * y[2][i];
        }
        sums[m][0] = a;
        sums[m][1] = b;
        sums[m][2] = c;
    }
}

// Adds J Y^T of two blocks that share an agent to both places of the matrix.
// Rows of normalised agents are as short in Y as in J.
static void couple(sn_exact_system *system, const sn_exact_block *a, const sn_exact_side *side_a,
                   const sn_exact_block *b, const sn_exact_side *side_b)
{
    const sn_exact_agent *agent = &system->agents.data[side_a->agent];
    int count = agent->v_count, rows = system->p.count, from = side_a->from, to = side_a->to;
    const double *j[SN_BLOCK_ROWS], *y[SN_BLOCK_ROWS];
    double sums[SN_BLOCK_ROWS][SN_BLOCK_ROWS];
    if (agent->normalised) {
        from = side_b->from > from ? side_b->from : from;
        to = side_b->to < to ? side_b->to : to;
    }
    reach(system, a, b);
    reach(system, b, a);
    for (int m = 0; m < SN_BLOCK_ROWS; ++m) {
        j[m] = system->j.data + side_a->first + (m < a->width ? m : 0) * count;
        y[m] = system->y.data + side_b->first + (m < b->width ? m : 0) * count;
    }
    if (agent->normalised) {
        sum_products_any(j, y, a->width, b->width, from, to, sums);
    } else {
        sum_in_order(j, y, a->width, side_a, sums);
    }
    for (int m = 0; m < a->width && m < SN_BLOCK_ROWS; ++m) {
        for (int n = 0; n < b->width && n < SN_BLOCK_ROWS; ++n) {
            double sum = sums[m][n] * (a->scale[m] * b->scale[n]);
            system->matrix.data[(a->row + m) * rows + b->row + n] += sum;
            if (a != b) {
                system->matrix.data[(b->row + n) * rows + a->row + m] += sum;
            }
        }
    }
}

static void clear_pair(sn_exact_system *system, const sn_exact_block *a, const sn_exact_block *b)
{
    int rows = system->p.count;
    for (int m = 0; m < a->width; ++m) {
        for (int n = 0; n < b->width; ++n) {
            system->matrix.data[(a->row + m) * rows + b->row + n] = 0.0;
            system->matrix.data[(b->row + n) * rows + a->row + m] = 0.0;
        }
    }
}

// The order is that of blocks, whichever comes in first: sums have the same
// bits then.
static void couple_blocks(sn_exact_system *system, int one, int other)
{
    const sn_exact_block *a = &system->blocks.data[one < other ? one : other];
    const sn_exact_block *b = &system->blocks.data[one < other ? other : one];
    for (int m = 0; m < a->side_count; ++m) {
        for (int n = 0; n < b->side_count; ++n) {
            if (a->side[m].agent == b->side[n].agent) {
                couple(system, a, &a->side[m], b, &b->side[n]);
            }
        }
    }
}

// cleared: all of the matrix is 0 but for what was added.
static void add_block(sn_exact_system *system, int index, bool cleared)
{
    sn_exact_block *block = &system->blocks.data[index];
    int rows = system->p.count;
    if (block->coupled) {
        return;
    }
    block->coupled = true;
    system->coupled.data[system->coupled_count++] = index;
    for (int i = 0; i < system->coupled_count; ++i) {
        if (!cleared) {
            clear_pair(system, block, &system->blocks.data[system->coupled.data[i]]);
        }
        couple_blocks(system, index, system->coupled.data[i]);
    }
    for (int m = 0; m < block->width; ++m) {
        double s = block->scale[m];
        system->matrix.data[(block->row + m) * rows + block->row + m] +=
            sn_exact_softness(block, m) * s * s;
    }
}

void sn_exact_matrix_add(sn_exact_system *system, int index)
{
    add_block(system, index, false);
}

bool sn_exact_newton_prepare(sn_exact_system *system)
{
    int rows = system->p.count;
    if (system->has_matrix) {
        return true;
    }
    system->has_matrix = true;
    system->coupled_count = 0;
    for (int row = 0; row < rows; ++row) {
        system->low.data[row] = row;
        system->high.data[row] = row + 1;
    }
    bool firm = sn_exact_firm_count(system) > 0;
    for (int k = 0; k < system->blocks.count; ++k) {
        system->blocks.data[k].coupled = false;
    }
    if (firm) {
        memset(system->matrix.data, 0, (size_t)rows * (size_t)rows * sizeof *system->matrix.data);
    }
    for (int k = 0; k < system->blocks.count && firm; ++k) {
        add_block(system, k, true);
    }
    return sn_exact_firm_take_out(system);
}
