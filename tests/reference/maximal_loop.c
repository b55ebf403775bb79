#include "reference/maximal_loop.h"

#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "reference/maximal_joint.h"

// Rounding leaves about 1e-14 of a row that the tree forbids; a loop 1e-5 rad from its singular
// position keeps 1e-10 of its row.
static const double rank_tolerance = 1e-11;

bool sn_maximal_loops_allocate(sn_maximal *m)
{
    sn_maximal_loops *loops = &m->loops;
    loops->tolerance = rank_tolerance;
    if (m->closure_count == 0) {
        return true;
    }
    for (int k = 0; k < m->closure_count; ++k) {
        loops->rows += m->joints[m->body_count + k].rows;
    }
    size_t rows = (size_t)loops->rows, closures = (size_t)m->closure_count;
    loops->order = sn_allocate_zero((2 * rows + closures + 1) * sizeof *loops->order);
    loops->matrix = sn_allocate_zero((5 * rows * rows + 4 * rows + rows * (size_t)m->v_count) *
                                     sizeof *loops->matrix);
    loops->ends =
        sn_allocate_zero((2 * closures * rows + 2 * (size_t)m->body_count) * sizeof *loops->ends);
    if (loops->order == NULL || loops->matrix == NULL || loops->ends == NULL) {
        return false;
    }
    loops->swaps = loops->order + rows;
    loops->first = loops->swaps + rows;
    loops->ldl = loops->matrix + rows * rows;
    loops->null = loops->ldl + rows * rows;
    loops->null_factor = loops->null + rows * rows;
    loops->between = loops->null_factor + rows * rows;
    loops->scale = loops->between + rows * rows;
    loops->x = loops->scale + rows;
    loops->y = loops->x + rows;
    loops->scratch = loops->y + rows;
    loops->rates = loops->scratch + rows;
    loops->push = loops->ends + 2 * closures * rows;
    loops->answer = loops->push + m->body_count;
    for (int k = 0; k < m->closure_count; ++k) {
        loops->first[k + 1] = loops->first[k] + m->joints[m->body_count + k].rows;
    }
    return true;
}

void sn_maximal_loops_free(sn_maximal_loops *loops)
{
    sn_free(loops->order);
    sn_free(loops->matrix);
    sn_free(loops->ends);
    *loops = (sn_maximal_loops){0};
}

// ---- X ----

// Row r of a closure on the motions of its two bodies.
static double row_of(const sn_maximal_joint *joint, int r, sn_spatial child, sn_spatial parent)
{
    double sum = 0.0;
    if (joint->child >= 0) {
        sum += sn_spatial_dot(joint->on_child[r], child);
    }
    if (joint->parent >= 0) {
        sum += sn_spatial_dot(joint->on_parent[r], parent);
    }
    return sum;
}

static sn_spatial motion_of(const sn_spatial *a, int body)
{
    return body >= 0 ? a[body] : SN_SPATIAL_ZERO;
}

// 1 / sqrt(L W L^T) of a row.
static double scale_of(const sn_maximal *m, const sn_maximal_joint *joint, int r)
{
    sn_spatial child = SN_SPATIAL_ZERO, parent = SN_SPATIAL_ZERO;
    if (joint->child >= 0) {
        child = sn_maximal_mobility(m, joint->child, joint->on_child[r]);
    }
    if (joint->parent >= 0) {
        parent = sn_maximal_mobility(m, joint->parent, joint->on_parent[r]);
    }
    return 1.0 / sqrt(row_of(joint, r, child, parent));
}

void sn_maximal_rates(const sn_maximal *m, const sn_spatial *a, double *rates)
{
    for (int j = 0; j < m->body_count; ++j) {
        double own[6];
        sn_maximal_fit(&m->joints[j], sn_maximal_relative(&m->joints[j], m->pose, a), own);
        sn_maximal_scatter(m, &m->joints[j], own, rates);
    }
}

// Motions of the bodies that closures are on.
static void keep_ends(const sn_maximal *m, const sn_spatial *a, sn_spatial *ends)
{
    for (int k = 0; k < m->closure_count; ++k) {
        const sn_maximal_joint *joint = &m->joints[m->body_count + k];
        ends[2 * k] = motion_of(a, joint->child);
        ends[2 * k + 1] = motion_of(a, joint->parent);
    }
}

// P L^T of row r of a closure, row `all` of all of them.
static void answer_to_row(sn_maximal *m, const sn_maximal_joint *joint, int r, int all)
{
    sn_maximal_loops *loops = &m->loops;
    double scale = loops->scale[all] = scale_of(m, joint, r);
    memset(loops->push, 0, (size_t)m->body_count * sizeof *loops->push);
    if (joint->child >= 0) {
        loops->push[joint->child] = sn_spatial_scale(scale, joint->on_child[r]);
    }
    if (joint->parent >= 0) {
        loops->push[joint->parent] = sn_spatial_scale(scale, joint->on_parent[r]);
    }
    sn_maximal_solve_tree(m, loops->push, NULL, loops->answer);
    keep_ends(m, loops->answer, loops->ends + 2 * (size_t)m->closure_count * (size_t)all);
    sn_maximal_rates(m, loops->answer, loops->rates + (size_t)all * (size_t)m->v_count);
}

// x (rows^2) = L P L^T, scaled, with the closures' rows in `left` and loops->ends.
static void multiply(const sn_maximal *m, const sn_maximal_joint *left, double *x)
{
    const sn_maximal_loops *loops = &m->loops;
    for (int c = 0; c < loops->rows; ++c) {
        const sn_spatial *ends = loops->ends + 2 * (size_t)m->closure_count * (size_t)c;
        for (int k = 0; k < m->closure_count; ++k) {
            for (int r = loops->first[k]; r < loops->first[k + 1]; ++r) {
                x[(size_t)r * (size_t)loops->rows + (size_t)c] =
                    loops->scale[r] *
                    row_of(&left[k], r - loops->first[k], ends[2 * k], ends[2 * k + 1]);
            }
        }
    }
}

void sn_maximal_loops_factorise(sn_maximal *m)
{
    sn_maximal_loops *loops = &m->loops;
    if (loops->rows == 0) {
        return;
    }
    for (int k = 0; k < m->closure_count; ++k) {
        const sn_maximal_joint *joint = &m->joints[m->body_count + k];
        for (int r = loops->first[k]; r < loops->first[k + 1]; ++r) {
            answer_to_row(m, joint, r - loops->first[k], r);
        }
    }
    multiply(m, m->joints + m->body_count, loops->matrix);
    sn_maximal_loops_rank(loops, rank_tolerance);
}

// ---- the rank, and the directions without effect ----

// With rows in the order of their pivots X = [L1; L2] D [L1; L2]^T, and N = [-L1^-T L2^T; 1].
static void find_null(sn_maximal_loops *loops)
{
    int n = loops->rows, rank = loops->rank, rest = n - rank;
    double *null = loops->null; // n x rest
    for (int c = 0; c < rest; ++c) {
        for (int r = n - 1; r >= 0; --r) {
            double sum = r >= rank ? (r - rank == c) : -loops->ldl[(rank + c) * n + r];
            for (int i = r + 1; i < rank; ++i) {
                sum -= loops->ldl[i * n + r] * null[i * rest + c];
            }
            null[r * rest + c] = sum;
        }
    }
    for (int a = 0; a < rest; ++a) {
        for (int b = 0; b < rest; ++b) {
            double sum = 0.0;
            for (int r = 0; r < n; ++r) {
                sum += null[r * rest + a] * null[r * rest + b];
            }
            loops->null_factor[a * rest + b] = sum;
        }
    }
    sn_cholesky_factor(rest, loops->null_factor, NULL); // at least 1: never singular
}

void sn_maximal_loops_rank(sn_maximal_loops *loops, double tolerance)
{
    int n = loops->rows;
    double most = 0.0;
    memcpy(loops->ldl, loops->matrix, (size_t)n * (size_t)n * sizeof *loops->ldl);
    for (int r = 0; r < n; ++r) {
        most = fmax(most, loops->matrix[r * n + r]);
        loops->order[r] = r;
    }
    loops->tolerance = tolerance;
    loops->rank =
        most > tolerance ? sn_ldl_factor_pivoted(n, loops->ldl, loops->order, tolerance / most) : 0;
    find_null(loops);
}

// x - N (N^T N)^-1 N^T x, x in the order of the rows.
static void clear_null(const sn_maximal_loops *loops, double *x)
{
    int n = loops->rows, rest = n - loops->rank;
    double *along = loops->scratch;
    for (int c = 0; c < rest; ++c) {
        along[c] = 0.0;
        for (int r = 0; r < n; ++r) {
            along[c] += loops->null[r * rest + c] * x[loops->order[r]];
        }
    }
    sn_cholesky_solve(rest, loops->null_factor, along);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < rest; ++c) {
            x[loops->order[r]] -= loops->null[r * rest + c] * along[c];
        }
    }
}

// ---- solving ----

// x = target - L a, scaled.
static void residual(const sn_maximal *m, const sn_maximal_joint *left, const double *target,
                     const sn_spatial *a, double *x)
{
    const sn_maximal_loops *loops = &m->loops;
    for (int k = 0; k < m->closure_count; ++k) {
        const sn_maximal_joint *joint = &left[k];
        sn_spatial child = motion_of(a, joint->child), parent = motion_of(a, joint->parent);
        for (int r = loops->first[k]; r < loops->first[k + 1]; ++r) {
            int own = r - loops->first[k];
            double wanted = target != NULL ? target[6 * (m->body_count + k) + own] : 0.0;
            x[r] = loops->scale[r] * (wanted - row_of(joint, own, child, parent));
        }
    }
}

static void keep_multipliers(sn_maximal *m, const double *x)
{
    const sn_maximal_loops *loops = &m->loops;
    for (int k = 0; k < m->closure_count; ++k) {
        for (int r = loops->first[k]; r < loops->first[k + 1]; ++r) {
            m->lambda[6 * (m->body_count + k) + r - loops->first[k]] = loops->scale[r] * x[r];
        }
    }
}

void sn_maximal_loops_solve(sn_maximal *m, const double *target, const sn_spatial *a)
{
    sn_maximal_loops *loops = &m->loops;
    residual(m, m->joints + m->body_count, target, a, loops->x);
    clear_null(loops, loops->x);
    sn_ldl_solve_pivoted(loops->rows, loops->ldl, loops->order, loops->rank, loops->x,
                         loops->scratch);
    clear_null(loops, loops->x);
    keep_multipliers(m, loops->x);
}

void sn_maximal_loops_push(sn_maximal *m, const sn_spatial *force, const double *target,
                           sn_spatial *a)
{
    sn_maximal_loops *loops = &m->loops;
    memcpy(loops->push, force, (size_t)m->body_count * sizeof *force);
    for (int k = 0; k < m->closure_count; ++k) {
        int j = m->body_count + k;
        sn_maximal_add_reaction(m, j, m->lambda + 6 * (size_t)j, loops->push);
    }
    sn_maximal_solve_tree(m, loops->push, target, a);
}

// The good pivots' rows and columns only: the other rows hold when these do.
bool sn_maximal_loops_between(sn_maximal *m, const sn_maximal_joint *there,
                              const sn_maximal_pose *pose)
{
    sn_maximal_loops *loops = &m->loops;
    int n = loops->rows, rank = loops->rank;
    double *all = loops->ldl; // of no use any more: the pivots are chosen
    for (int r = 0; r < n; ++r) {
        sn_maximal_velocities(m, there, pose, loops->rates + (size_t)r * (size_t)m->v_count,
                              loops->answer);
        keep_ends(m, loops->answer, loops->ends + 2 * (size_t)m->closure_count * (size_t)r);
    }
    multiply(m, there + m->body_count, all);
    for (int r = 0; r < rank; ++r) {
        for (int c = 0; c < rank; ++c) {
            loops->between[r * rank + c] = all[loops->order[r] * n + loops->order[c]];
        }
    }
    return rank == 0 || sn_lu_factor(rank, loops->between, loops->swaps);
}

void sn_maximal_loops_solve_between(sn_maximal *m, const sn_maximal_joint *there,
                                    const sn_maximal_pose *pose, const double *target,
                                    const sn_spatial *a)
{
    sn_maximal_loops *loops = &m->loops;
    sn_maximal_rates(m, a, m->rate);
    sn_maximal_velocities(m, there, pose, m->rate, loops->answer);
    residual(m, there + m->body_count, target, loops->answer, loops->x);
    for (int r = 0; r < loops->rank; ++r) {
        loops->y[r] = loops->x[loops->order[r]];
    }
    if (loops->rank > 0) {
        sn_lu_solve(loops->rank, loops->between, loops->swaps, loops->y);
    }
    for (int r = 0; r < loops->rows; ++r) {
        loops->x[loops->order[r]] = r < loops->rank ? loops->y[r] : 0.0;
    }
    clear_null(loops, loops->x);
    keep_multipliers(m, loops->x);
}
