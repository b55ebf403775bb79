// Newton's method for the exact solver: the natural map p - projection(p - u) = 0 is piecewise
// smooth, and on each piece a linear system gives the next impulses (Alart and Curnier 1991).
// Scaled as in exact_system.h, with W the scaled matrix, d = z / |z|, z = p_t - u_t:
//
//     open      p = 0
//     pressed   W_n dp = -u_n
//     sticking  W_t dp = -u_t
//     sliding   dp_t - dr d - (r / |z|) (1 - d d^T) (dp_t - W_t dp) = -(p_t - r d)
//
// with r the bound of p_t and dr its change with normal impulses.
//
// Redundant contacts make W singular: impulses are not unique, velocities are. Therefore u is
// replaced by u + shift (p - centre), and the centre by what comes out: proximal steps, which leave
// what has no effect where it was, and end where u alone is right.
//
// Rows of bonds hold always: they are taken out beforehand (exact_firm.c).
#include <string.h>

#include "solve/band.h"
#include "solve/exact_system.h"

bool sn_exact_newton_reserve(sn_exact_system *system)
{
    int rows = system->p.count;
    return sn_array_resize(&system->matrix, rows * rows) && sn_array_resize(&system->low, rows) &&
           sn_array_resize(&system->high, rows) && sn_array_resize(&system->before, rows + 1) &&
           sn_array_resize(&system->factor, rows * rows) && sn_array_resize(&system->right, rows) &&
           sn_array_resize(&system->step, rows) && sn_array_resize(&system->centre, rows) &&
           sn_array_resize(&system->kept_p, rows) &&
           sn_array_resize(&system->kept_v, system->v.count) &&
           sn_array_resize(&system->active, rows) && sn_array_resize(&system->first, rows) &&
           sn_array_resize(&system->last, rows) && sn_array_resize(&system->deepest, rows) &&
           sn_array_resize(&system->swaps, rows);
}

// ---- the matrix ----

// Rows of block a have entries in the columns of block b.
static void reach(sn_exact_system *system, const sn_exact_block *a, const sn_exact_block *b)
{
    for (int row = a->row; row < a->row + a->width; ++row) {
        int *low = &system->low.data[row], *high = &system->high.data[row];
        *low = b->row < *low ? b->row : *low;
        *high = b->row + b->width > *high ? b->row + b->width : *high;
    }
}

// One row of J with three of Y, side by side.
static void sum_three(const double *restrict j, const double *restrict y, int count,
                      const sn_exact_side *side, double *restrict sums)
{
    const double *y1 = y + count, *y2 = y1 + count;
    double a = 0.0, b = 0.0, c = 0.0;
    for (int i = side->from; i < side->gap; ++i) {
        a += j[i] * y[i];
        b += j[i] * y1[i];
        c += j[i] * y2[i];
    }
    for (int i = side->end; i < side->to; ++i) {
        a += j[i] * y[i];
        b += j[i] * y1[i];
        c += j[i] * y2[i];
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
}

// Adds J Y^T of two blocks that share an agent to both places of the matrix.
static void couple(sn_exact_system *system, const sn_exact_block *a, const sn_exact_side *side_a,
                   const sn_exact_block *b, const sn_exact_side *side_b)
{
    int count = system->agents.data[side_a->agent].v_count, rows = system->p.count;
    const double *j = system->j.data + side_a->first, *y = system->y.data + side_b->first;
    reach(system, a, b);
    reach(system, b, a);
    bool points = b->width == SN_BLOCK_ROWS;
    for (int m = 0; m < a->width; ++m) {
        double sums[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0};
        if (points) {
            sum_three(j + m * count, y, count, side_a, sums);
        }
        for (int n = 0; n < b->width; ++n) {
            double sum = sums[n];
            for (int i = side_a->from; i < side_a->gap && !points; ++i) {
                sum += j[m * count + i] * y[n * count + i];
            }
            for (int i = side_a->end; i < side_a->to && !points; ++i) {
                sum += j[m * count + i] * y[n * count + i];
            }
            sum *= a->scale[m] * b->scale[n];
            system->matrix.data[(a->row + m) * rows + b->row + n] += sum;
            if (a != b) {
                system->matrix.data[(b->row + n) * rows + a->row + m] += sum;
            }
        }
    }
}

bool sn_exact_newton_prepare(sn_exact_system *system)
{
    int rows = system->p.count;
    if (system->has_matrix) {
        return true;
    }
    system->has_matrix = true;
    memset(system->matrix.data, 0, (size_t)rows * (size_t)rows * sizeof *system->matrix.data);
    for (int row = 0; row < rows; ++row) {
        system->low.data[row] = row;
        system->high.data[row] = row + 1;
    }
    for (int k = 0; k < system->blocks.count; ++k) {
        const sn_exact_block *a = &system->blocks.data[k];
        for (int l = k; l < system->blocks.count; ++l) {
            const sn_exact_block *b = &system->blocks.data[l];
            for (int m = 0; m < a->side_count; ++m) {
                for (int n = 0; n < b->side_count; ++n) {
                    if (a->side[m].agent == b->side[n].agent) {
                        couple(system, a, &a->side[m], b, &b->side[n]);
                    }
                }
            }
        }
        for (int m = 0; m < a->width; ++m) {
            double s = a->scale[m];
            system->matrix.data[(a->row + m) * rows + a->row + m] +=
                sn_exact_softness(a, m) * s * s;
        }
    }
    return sn_exact_firm_take_out(system);
}

// ---- one step ----

// The step is sought for all rows at once: rows that are fixed have their step in `step` already,
// the others are numbered in `active`.
typedef struct newton {
    sn_exact_system *system;
    int rows, count;
    double shift;         // of the proximal term
    double *work;         // multiplications that may yet be spent
    const double *centre; // the same, rows: impulses
} newton;

static void fix_row(newton *n, int row, double step)
{
    n->system->step.data[row] = step;
}

// The next active row; its coefficients are in columns low .. high - 1 of the line.
static void add_line(newton *n, int row, double right, int low, int high)
{
    n->system->right.data[n->count] = right;
    n->system->first.data[n->count] = low;
    n->system->last.data[n->count] = high;
    n->system->active.data[n->count++] = row;
}

// (W + shift) dp = -u for one row.
static void hold_row(newton *n, int row, double u, double *line)
{
    int low = n->system->low.data[row], high = n->system->high.data[row];
    const double *w = n->system->matrix.data + (size_t)row * (size_t)n->rows;
    memcpy(line + low, w + low, (size_t)(high - low) * sizeof *line);
    line[row] += n->shift;
    add_line(n, row, -u, low, high);
}

static double *next_line(const newton *n)
{
    return n->system->factor.data + (size_t)n->count * (size_t)n->rows;
}

static void reach_of_ball(const sn_exact_system *system, const sn_exact_block *block, int *low,
                          int *high)
{
    *low = block->row;
    *high = block->row + block->width;
    for (int row = block->row; row < block->row + block->width; ++row) {
        *low = system->low.data[row] < *low ? system->low.data[row] : *low;
        *high = system->high.data[row] > *high ? system->high.data[row] : *high;
    }
    for (int k = 0; k < (block->kind == SN_BLOCK_POINT ? 0 : block->owner_count); ++k) {
        int row = system->blocks.data[block->owner + k].row;
        *low = row < *low ? row : *low;
        *high = row + 1 > *high ? row + 1 : *high;
    }
}

// Rows of an impulse p within a ball of radius r, of which `dr` tells the change by normal
// impulses: dr = sum of slope * dp over owners' normal rows.
static void ball_rows(newton *n, const sn_exact_block *block, int first, const double *p,
                      const double *u, double r)
{
    int width = block->width - first;
    double z[SN_BLOCK_ROWS], square = 0.0;
    for (int i = 0; i < width; ++i) {
        z[i] = p[i] - u[i];
        square += z[i] * z[i];
    }
    double length = sqrt(square);
    if (length <= r) {
        for (int i = 0; i < width; ++i) {
            hold_row(n, block->row + first + i, u[i], next_line(n));
        }
        return;
    }
    double keep = r / length;
    const double *matrix = n->system->matrix.data;
    int low, high;
    reach_of_ball(n->system, block, &low, &high);
    for (int i = 0; i < width; ++i) {
        double *line = next_line(n), d = z[i] / length;
        memset(line + low, 0, (size_t)(high - low) * sizeof *line);
        for (int k = 0; k < width; ++k) {
            int row = block->row + first + k;
            double turn = keep * ((i == k ? 1.0 : 0.0) - d * z[k] / length);
            line[row] -= turn;
            for (int c = n->system->low.data[row]; c < n->system->high.data[row]; ++c) {
                line[c] += turn * matrix[(size_t)row * (size_t)n->rows + (size_t)c];
            }
            line[row] += turn * n->shift;
        }
        line[block->row + first + i] += 1.0;
        if (block->kind == SN_BLOCK_POINT) {
            line[block->row] -= d * block->friction * block->scale[0] / block->scale[1];
        } else {
            for (int k = block->owner; k < block->owner + block->owner_count; ++k) {
                const sn_exact_block *owner = &n->system->blocks.data[k];
                line[owner->row] -= d * block->length * owner->scale[0] / block->scale[0];
            }
        }
        add_line(n, block->row + first + i, -(p[i] - r * d), low, high);
    }
}

static void point_rows(newton *n, const sn_exact_block *block, const double *p, const double *u)
{
    if (p[0] - u[0] <= 0.0) {
        for (int i = 0; i < SN_BLOCK_ROWS; ++i) {
            fix_row(n, block->row + i, -p[i]);
        }
        return;
    }
    hold_row(n, block->row, u[0], next_line(n));
    if (!(block->scale[1] > 0.0) || !(block->friction > 0.0)) {
        fix_row(n, block->row + 1, -p[1]);
        fix_row(n, block->row + 2, -p[2]);
        return;
    }
    double pressed = p[0] > 0.0 ? p[0] : 0.0;
    double r = block->friction * pressed * block->scale[0] / block->scale[1];
    ball_rows(n, block, 1, p + 1, u + 1, r);
}

static void box_row(newton *n, const sn_exact_block *block, double p, double u)
{
    double lower = block->lower / block->scale[0], upper = block->upper / block->scale[0];
    double z = p - u;
    if (z <= lower || z >= upper) {
        fix_row(n, block->row, (z <= lower ? lower : upper) - p);
    } else {
        hold_row(n, block->row, u, next_line(n));
    }
}

static void block_rows(newton *n, const sn_exact_block *block)
{
    double p[SN_BLOCK_ROWS], u[SN_BLOCK_ROWS];
    sn_vec3 impulse = sn_exact_impulse(n->system, block);
    sn_vec3 velocity = sn_exact_velocity(n->system, block);
    sn_vec3_put(p, impulse);
    sn_vec3_put(u, velocity);
    for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
        fix_row(n, block->row + i, 0.0);
        double s = block->scale[i];
        double from = s > 0.0 ? n->centre[block->row + i] / s : 0.0;
        p[i] = s > 0.0 ? p[i] / s : 0.0;
        u[i] = s * u[i] + n->shift * (p[i] - from);
    }
    if (block->idle || block->firm || !(block->scale[0] > 0.0)) {
        return;
    }
    if (block->kind == SN_BLOCK_POINT) {
        point_rows(n, block, p, u);
    } else if (block->kind == SN_BLOCK_BOX) {
        box_row(n, block, p[0], u[0]);
    } else {
        double r = sn_exact_radius(n->system, block) / block->scale[0];
        if (r > 0.0) {
            ball_rows(n, block, 0, p, u, r);
        } else {
            for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
                fix_row(n, block->row + i, -p[i]);
            }
        }
    }
}

static void count_active(const newton *n)
{
    const int *active = n->system->active.data;
    int *before = n->system->before.data, count = 0;
    for (int row = 0; row <= n->rows; ++row) {
        before[row] = count;
        count += count < n->count && active[count] == row;
    }
}

// Moves what is known of the fixed rows' steps to the right, and packs the active columns.
static void pack(newton *n)
{
    sn_exact_system *system = n->system;
    count_active(n);
    for (int i = 0; i < n->count; ++i) {
        int low = system->first.data[i], high = system->last.data[i];
        const double *line = system->factor.data + (size_t)i * (size_t)n->rows;
        double known = 0.0;
        for (int c = low; c < high; ++c) { // active rows have no step yet
            known += system->step.data[c] != 0.0 ? line[c] * system->step.data[c] : 0.0;
        }
        system->right.data[i] -= known;
        // Active ascends, so nothing is overwritten that is yet to be read.
        double *packed = system->factor.data + (size_t)i * (size_t)n->count;
        int first = system->before.data[low], end = system->before.data[high];
        memset(packed, 0, (size_t)first * sizeof *packed);
        for (int c = first; c < end; ++c) {
            packed[c] = line[system->active.data[c]];
        }
        memset(packed + end, 0, (size_t)(n->count - end) * sizeof *packed);
        system->first.data[i] = first < i ? first : i;
        system->last.data[i] = end > 0 ? end - 1 : 0;
    }
}

// ---- the step itself ----

static bool newton_step(newton *n)
{
    sn_exact_system *system = n->system;
    n->count = 0;
    sn_exact_firm_hold(system);
    bool ordered = system->order.count == system->blocks.count;
    for (int k = 0; k < system->blocks.count; ++k) {
        block_rows(n, &system->blocks.data[ordered ? system->order.data[k] : k]);
    }
    pack(n);
    sn_band band = {.n = n->count,
                    .a = system->factor.data,
                    .first = system->first.data,
                    .last = system->last.data,
                    .deepest = system->deepest.data,
                    .swaps = system->swaps.data};
    sn_band_measure(&band);
    *n->work -= sn_band_work(&band);
    if (!(*n->work >= 0.0) || !sn_band_factor(&band)) {
        return false;
    }
    sn_band_solve(&band, system->right.data);
    for (int i = 0; i < n->count; ++i) {
        system->step.data[system->active.data[i]] = system->right.data[i];
    }
    sn_exact_firm_follow(system);
    for (int k = 0; k < system->blocks.count; ++k) {
        const sn_exact_block *block = &system->blocks.data[k];
        double dp[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0};
        for (int i = 0; i < block->width; ++i) {
            dp[i] = block->scale[i] * system->step.data[block->row + i];
        }
        sn_vec3 change = sn_vec3_at(dp);
        sn_exact_put(system, block, sn_vec3_add(sn_exact_impulse(system, block), change));
        sn_exact_push(system, block, change);
    }
    return true;
}

// ---- until it is good or no more progress is made ----

static void keep(sn_exact_system *system, bool back)
{
    size_t p = (size_t)system->p.count * sizeof *system->p.data;
    size_t v = (size_t)system->v.count * sizeof *system->v.data;
    double *from_p = back ? system->kept_p.data : system->p.data;
    double *from_v = back ? system->kept_v.data : system->v.data;
    memcpy(back ? system->p.data : system->kept_p.data, from_p, p);
    memcpy(back ? system->v.data : system->kept_v.data, from_v, v);
}

// Rows up to which no turn is spared: what stands in small systems is to be had to the last digit.
enum { SMALL = 240 };

// Newton's method on the laws with u + shift (p - centre) in place of u, from the centre on. The
// larger the shift, the surer. True when its residual has come down to `enough`, a tenth of what it
// began with; one that is far above that after a few turns hardly ever comes back, and large
// systems do not wait for it.
static bool approach(newton *n, double enough, int most, int *steps)
{
    enum { FEW = 3 };
    const double far = 1e3;
    for (int turn = 0; turn < most; ++turn) {
        if (!newton_step(n)) {
            return false;
        }
        ++*steps;
        double residual = sn_exact_residual_near(n->system, n->shift, n->centre, NULL);
        if (residual <= enough) {
            return true;
        }
        if (!(residual < 1e12) || (n->rows > SMALL && turn >= FEW && residual > far * enough)) {
            return false;
        }
    }
    return false;
}

// Proximal points (Rockafellar 1976): each centre is the solution about the one before. The first
// shift is no more than what a singular matrix needs, as most systems are easy; those that are not
// begin anew with a large one, which shrinks as they come closer. Steps with a shift but no centre
// to hold on to (the last impulses instead) took turns in leaving the solution again.
double sn_exact_newton(sn_exact_system *system, double tolerance, int most, int *steps,
                       double *work)
{
    enum { MOST_TURNS = 10, QUICK = 4, PATIENCE = 6, FINE_PATIENCE = 3 };
    const double least = 1e-10, large = 0.1, fine = 1e-6;
    newton n = {
        .system = system, .rows = system->p.count, .work = work, .centre = system->centre.data};
    double best = sn_exact_residual(system, NULL), shift = least;
    int last = *steps + most;
    keep(system, false);
    for (int idle = 0; idle < (best > fine || n.rows <= SMALL ? PATIENCE : FINE_PATIENCE) &&
                       best > tolerance && *steps<last && * work> 0.0;) {
        memcpy(system->centre.data, system->p.data,
               (size_t)system->p.count * sizeof *system->centre.data);
        n.shift = shift;
        double enough = 0.1 * (best > tolerance ? best : tolerance);
        int before = *steps, left = last - before;
        bool found = approach(&n, enough, left < MOST_TURNS ? left : MOST_TURNS, steps);
        double residual = sn_exact_residual(system, NULL);
        idle = residual < 0.5 * best ? 0 : idle + 1;
        if (residual < best) {
            best = residual;
            keep(system, false);
        } else {
            keep(system, true);
        }
        if (!found) {
            shift = shift < 1e-6 ? large : 10.0 * shift;
        } else if (*steps - before <= QUICK) {
            shift = 0.1 * shift > least ? 0.1 * shift : least;
        }
    }
    keep(system, true);
    return best;
}
