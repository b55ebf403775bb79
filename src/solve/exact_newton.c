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
// W is in exact_matrix.c.
//
// Rows of bonds hold always: they are taken out beforehand (exact_firm.c).
#include <math.h>
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
           sn_array_resize(&system->scaled_p, rows) && sn_array_resize(&system->scaled_u, rows) &&
           sn_array_resize(&system->lines, rows) && sn_array_resize(&system->moved, rows) &&
           sn_array_resize(&system->coupled, system->blocks.count) &&
           sn_array_resize(&system->kept_p, rows) &&
           sn_array_resize(&system->kept_v, system->v.count) &&
           sn_array_resize(&system->last_p, rows) &&
           sn_array_resize(&system->last_v, system->v.count) &&
           sn_array_resize(&system->active, rows) && sn_array_resize(&system->first, rows) &&
           sn_array_resize(&system->last, rows) && sn_array_resize(&system->deepest, rows) &&
           sn_array_resize(&system->swaps, rows);
}

// ---- the state ----

typedef struct newton {
    sn_exact_system *system;
    int rows, count, moved;
    double shift;   // of the proximal term
    double *work;   // multiplications that may yet be spent
    double *p, *u;  // rows: scaled impulses, and the velocities they give
    double *centre; // rows: of the proximal term
} newton;

static bool is_solved(const sn_exact_block *block)
{
    return !block->idle && !block->firm && block->scale[0] > 0.0;
}

// Scaled impulses and velocities as they are.
static void read_state(newton *n)
{
    const sn_exact_system *system = n->system;
    for (int k = 0; k < system->blocks.count; ++k) {
        const sn_exact_block *block = &system->blocks.data[k];
        double u[SN_BLOCK_ROWS];
        sn_vec3_put(u, sn_exact_velocity(system, block));
        for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
            double s = block->scale[i];
            n->p[block->row + i] = s > 0.0 ? system->p.data[block->row + i] / s : 0.0;
            n->u[block->row + i] = s * u[i];
        }
    }
}

// Gives agents the impulses of `step`, and bonds theirs with them.
static void push_step(newton *n)
{
    sn_exact_system *system = n->system;
    sn_exact_firm_follow(system);
    for (int k = 0; k < system->blocks.count; ++k) {
        const sn_exact_block *block = &system->blocks.data[k];
        double dp[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0}, square = 0.0;
        for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
            dp[i] = block->scale[i] * system->step.data[block->row + i];
            square += dp[i] * dp[i];
        }
        if (square > 0.0) {
            sn_vec3 change = sn_vec3_at(dp);
            sn_exact_put(system, block, sn_vec3_add(sn_exact_impulse(system, block), change));
            sn_exact_push(system, block, change);
        }
    }
    sn_exact_firm_hold(system);
}

// Impulses and velocities to a place where they are kept, or back from there.
static void copy_state(sn_exact_system *system, double *p, double *v, bool back)
{
    size_t p_size = (size_t)system->p.count * sizeof *p;
    size_t v_size = (size_t)system->v.count * sizeof *v;
    memcpy(back ? system->p.data : p, back ? p : system->p.data, p_size);
    memcpy(back ? system->v.data : v, back ? v : system->v.data, v_size);
}

// The best so far.
static void keep(sn_exact_system *system, bool back)
{
    copy_state(system, system->kept_p.data, system->kept_v.data, back);
}

// What a row has of the scaled laws, with the proximal term.
static double shifted(const newton *n, int row)
{
    return n->u[row] + n->shift * (n->p[row] - n->centre[row]);
}

// ---- how far from the laws ----

static void largest(double *most, double x)
{
    *most = fabs(x) <= *most || isnan(*most) ? *most : fabs(x);
}

// The bound of tangential or turning impulses, scaled.
static double bound_of(const newton *n, const sn_exact_block *block)
{
    const sn_exact_system *system = n->system;
    if (block->kind == SN_BLOCK_POINT) {
        double pressed = n->p[block->row] > 0.0 ? n->p[block->row] : 0.0;
        return block->scale[1] > 0.0 ? block->friction * pressed * block->scale[0] / block->scale[1]
                                     : 0.0;
    }
    double pressed = 0.0;
    for (int i = block->owner; i < block->owner + block->owner_count; ++i) {
        const sn_exact_block *owner = &system->blocks.data[i];
        double p_n = n->p[owner->row];
        pressed += p_n > 0.0 ? p_n * owner->scale[0] : 0.0;
    }
    return (block->radius + block->length * pressed) / block->scale[0];
}

static void ball_miss(const newton *n, int row, int width, double radius, double *miss)
{
    double z[SN_BLOCK_ROWS], square = 0.0;
    for (int i = 0; i < width; ++i) {
        z[i] = n->p[row + i] - shifted(n, row + i);
        square += z[i] * z[i];
    }
    double keep = square > radius * radius ? radius / sqrt(square) : 1.0;
    for (int i = 0; i < width; ++i) {
        largest(miss, n->p[row + i] - keep * z[i]);
    }
}

// The largest of impulses and of velocities without the block's own.
static void block_size(const newton *n, const sn_exact_block *block, double *size)
{
    double raw[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0}, own[SN_BLOCK_ROWS];
    for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
        raw[i] = block->scale[i] * n->p[block->row + i];
    }
    sn_vec3_put(own, sn_sym3_apply(&block->w, sn_vec3_at(raw)));
    for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
        largest(size, n->p[block->row + i]);
        largest(size, n->u[block->row + i] - block->scale[i] * own[i]);
    }
}

// As sn_exact_residual, on rows and with the proximal term.
static double residual_of(const newton *n)
{
    double miss = 0.0, size = 0.0;
    for (int k = 0; k < n->system->blocks.count; ++k) {
        const sn_exact_block *block = &n->system->blocks.data[k];
        int row = block->row;
        block_size(n, block, &size);
        if (!is_solved(block)) {
            continue;
        }
        if (block->kind == SN_BLOCK_POINT) {
            double z = n->p[row] - shifted(n, row);
            largest(&miss, n->p[row] - (z > 0.0 ? z : 0.0));
            if (block->scale[1] > 0.0) {
                ball_miss(n, row + 1, 2, bound_of(n, block), &miss);
            }
        } else if (block->kind == SN_BLOCK_BOX) {
            double z = n->p[row] - shifted(n, row), s = block->scale[0];
            double lower = block->lower / s, upper = block->upper / s;
            largest(&miss, n->p[row] - (z < lower ? lower : z > upper ? upper : z));
        } else {
            ball_miss(n, row, block->width, bound_of(n, block), &miss);
        }
    }
    if (!isfinite(miss) || !isfinite(size)) {
        return INFINITY;
    }
    return size > 0.0 ? miss / size : 0.0;
}

// The same without it.
static double true_residual(const newton *n)
{
    newton plain = *n;
    plain.shift = 0.0;
    plain.centre = plain.p;
    return residual_of(&plain);
}

// ---- the pieces: which rows are solved for ----

static void fix_row(newton *n, int row, double step)
{
    n->system->step.data[row] = step;
    if (step != 0.0) {
        n->system->moved.data[n->moved++] = row;
    }
}

static void add_line(newton *n, sn_newton_line line)
{
    n->system->lines.data[n->count] = line;
    n->system->active.data[n->count++] = line.row;
    n->system->step.data[line.row] = 0.0;
}

// (W + shift) dp = -u for one row.
static void hold_row(newton *n, const sn_exact_block *block, int row)
{
    add_line(n, (sn_newton_line){.block = block,
                                 .row = row,
                                 .source = row,
                                 .width = 1,
                                 .turn = {1.0, 0.0, 0.0},
                                 .right = -shifted(n, row)});
}

// Rows of an impulse within a ball of radius r, from block->row + first on.
static void ball_rows(newton *n, const sn_exact_block *block, int first, double r)
{
    int width = block->width - first, source = block->row + first;
    double z[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0}, square = 0.0;
    for (int i = 0; i < width; ++i) {
        z[i] = n->p[source + i] - shifted(n, source + i);
        square += z[i] * z[i];
    }
    double length = sqrt(square);
    for (int i = 0; i < width && length <= r; ++i) {
        hold_row(n, block, source + i);
    }
    for (int i = 0; i < width && length > r; ++i) {
        double keep = r / length, d = z[i] / length;
        sn_newton_line line = {.block = block,
                               .row = source + i,
                               .source = source,
                               .width = width,
                               .slides = true,
                               .direction = d,
                               .right = -(n->p[source + i] - r * d)};
        for (int k = 0; k < width; ++k) {
            line.turn[k] = keep * ((i == k ? 1.0 : 0.0) - d * z[k] / length);
        }
        add_line(n, line);
    }
}

static void point_rows(newton *n, const sn_exact_block *block)
{
    int row = block->row;
    if (n->p[row] - shifted(n, row) <= 0.0) {
        for (int i = 0; i < SN_BLOCK_ROWS; ++i) {
            fix_row(n, row + i, -n->p[row + i]);
        }
        return;
    }
    hold_row(n, block, row);
    if (!(block->scale[1] > 0.0) || !(block->friction > 0.0)) {
        fix_row(n, row + 1, -n->p[row + 1]);
        fix_row(n, row + 2, -n->p[row + 2]);
        return;
    }
    ball_rows(n, block, 1, bound_of(n, block));
}

static void box_row(newton *n, const sn_exact_block *block)
{
    double lower = block->lower / block->scale[0], upper = block->upper / block->scale[0];
    double p = n->p[block->row], z = p - shifted(n, block->row);
    if (z <= lower || z >= upper) {
        fix_row(n, block->row, (z <= lower ? lower : upper) - p);
    } else {
        hold_row(n, block, block->row);
    }
}

static void block_rows(newton *n, const sn_exact_block *block)
{
    if (!is_solved(block)) {
        for (int i = 0; i < block->width; ++i) {
            fix_row(n, block->row + i, 0.0);
        }
    } else if (block->kind == SN_BLOCK_POINT) {
        point_rows(n, block);
    } else if (block->kind == SN_BLOCK_BOX) {
        box_row(n, block);
    } else {
        double r = bound_of(n, block);
        for (int i = 0; i < block->width && !(r > 0.0); ++i) {
            fix_row(n, block->row + i, -n->p[block->row + i]);
        }
        if (r > 0.0) {
            ball_rows(n, block, 0, r);
        }
    }
}

// ---- their linear system ----

static void count_active(const newton *n)
{
    const int *active = n->system->active.data;
    int *before = n->system->before.data, count = 0;
    for (int row = 0; row <= n->rows; ++row) {
        before[row] = count;
        count += count < n->count && active[count] == row;
    }
}

// Columns low .. high - 1 may not be 0 in a line.
static void line_reach(const sn_exact_system *system, const sn_newton_line *line, int *low,
                       int *high)
{
    *low = line->row;
    *high = line->row + 1;
    for (int row = line->source; row < line->source + line->width; ++row) {
        *low = system->low.data[row] < *low ? system->low.data[row] : *low;
        *high = system->high.data[row] > *high ? system->high.data[row] : *high;
    }
    for (int k = 0; line->slides && k < line->block->owner_count; ++k) {
        int row = system->blocks.data[line->block->owner + k].row;
        *low = row < *low ? row : *low;
        *high = row + 1 > *high ? row + 1 : *high;
    }
}

// The line's entry of W in a column.
static double entry(const newton *n, const sn_newton_line *line, int column)
{
    const double *w = n->system->matrix.data + (size_t)line->source * (size_t)n->rows + column;
    double sum = line->turn[0] * w[0];
    for (int k = 1; k < line->width; ++k) {
        sum += line->turn[k] * w[(size_t)k * (size_t)n->rows];
    }
    return sum;
}

// Normal impulses of a sliding line's bound: `by` is their factor. Those that are fixed go to the
// right side.
static void couple_bound(const newton *n, int row, double by, double *packed, double *known)
{
    const int *before = n->system->before.data;
    if (before[row + 1] > before[row]) {
        packed[before[row]] -= by;
    } else {
        *known -= by * n->system->step.data[row];
    }
}

static void slide_terms(const newton *n, const sn_newton_line *line, double *packed, double *known)
{
    const sn_exact_system *system = n->system;
    const sn_exact_block *block = line->block;
    const int *before = system->before.data;
    for (int k = 0; k < line->width; ++k) {
        packed[before[line->source + k]] += line->turn[k] * (n->shift - 1.0);
    }
    packed[before[line->row]] += 1.0;
    if (block->kind == SN_BLOCK_POINT) {
        couple_bound(n, block->row,
                     line->direction * block->friction * block->scale[0] / block->scale[1], packed,
                     known);
    }
    for (int k = block->owner; k < block->owner + block->owner_count; ++k) {
        const sn_exact_block *owner = &system->blocks.data[k];
        couple_bound(n, owner->row,
                     line->direction * block->length * owner->scale[0] / block->scale[0], packed,
                     known);
    }
}

// Line i of the packed matrix: active columns alone; what is known of the others' steps goes to the
// right.
static void pack_line(newton *n, int i)
{
    sn_exact_system *system = n->system;
    const sn_newton_line *line = &system->lines.data[i];
    double *packed = system->factor.data + (size_t)i * (size_t)n->count, known = 0.0;
    int low, high;
    line_reach(system, line, &low, &high);
    int first = system->before.data[low], end = system->before.data[high];
    memset(packed, 0, (size_t)n->count * sizeof *packed);
    if (line->width == 1) {
        const double *w = system->matrix.data + (size_t)line->source * (size_t)n->rows;
        for (int c = first; c < end; ++c) {
            packed[c] = line->turn[0] * w[system->active.data[c]];
        }
    } else if (line->width == 2) {
        const double *w = system->matrix.data + (size_t)line->source * (size_t)n->rows;
        const double *next = w + n->rows;
        for (int c = first; c < end; ++c) {
            int column = system->active.data[c];
            packed[c] = line->turn[0] * w[column] + line->turn[1] * next[column];
        }
    } else {
        for (int c = first; c < end; ++c) {
            packed[c] = entry(n, line, system->active.data[c]);
        }
    }
    for (int k = 0; k < n->moved; ++k) {
        int column = system->moved.data[k];
        if (column >= low && column < high) {
            known += entry(n, line, column) * system->step.data[column];
        }
    }
    if (line->slides) {
        slide_terms(n, line, packed, &known);
    } else {
        packed[system->before.data[line->row]] += n->shift;
    }
    system->right.data[i] = line->right - known;
    system->first.data[i] = first < i ? first : i;
    system->last.data[i] = end > 0 ? end - 1 : 0;
}

static bool newton_step(newton *n)
{
    sn_exact_system *system = n->system;
    n->count = n->moved = 0;
    bool ordered = system->order.count == system->blocks.count;
    for (int k = 0; k < system->blocks.count; ++k) {
        int index = ordered ? system->order.data[k] : k, before = n->count + n->moved;
        block_rows(n, &system->blocks.data[index]);
        if (n->count + n->moved > before) {
            sn_exact_matrix_add(system, index);
        }
    }
    count_active(n);
    for (int i = 0; i < n->count; ++i) {
        pack_line(n, i);
    }
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
    push_step(n);
    read_state(n);
    return true;
}

// ---- until it is good or no more progress is made ----

static const double shift_least = 1e-10;

// What has been found so far: the best is kept in the system.
typedef struct search {
    double best, tolerance;
    int steps, most;
} search;

static bool goes_on(const newton *n, const search *s)
{
    return s->best > s->tolerance && s->steps<s->most && * n->work> 0.0;
}

static double note(newton *n, search *s)
{
    double residual = true_residual(n);
    if (residual < s->best) {
        s->best = residual;
        keep(n->system, false);
    }
    return residual;
}

static void go_back(newton *n)
{
    keep(n->system, true);
    read_state(n);
}

// Rows up to which no iteration is spared: what stands in small systems is to be had to the last
// digit.
enum { SMALL = 240 };

// Newton's method on the laws with u + shift (p - centre) in place of u, from the centre on. The
// larger the shift, the surer. True when its residual has come down to `enough`, a tenth of what it
// began with; one that is far above that after a few iterations hardly ever comes back, and large
// systems do not wait for it.
static bool approach(newton *n, double enough, int most, int *steps)
{
    enum { FEW = 3 };
    const double far = 1e3;
    for (int iteration = 0; iteration < most; ++iteration) {
        if (!newton_step(n)) {
            return false;
        }
        ++*steps;
        double residual = residual_of(n);
        if (residual <= enough) {
            return true;
        }
        if (!(residual < 1e12) ||
            (n->rows > SMALL && iteration >= FEW && residual > far * enough)) {
            return false;
        }
    }
    return false;
}

// Proximal points (Rockafellar 1976): each centre is the solution about the one before. The first
// shift is no more than what a singular matrix needs, as most systems are easy; those that are not
// begin anew with a large one, which shrinks as they come closer. Weighed against it: steps about
// where they begin, with a shift by how the last one fared (Levenberg and Marquardt), which take
// half as many steps on a robot that lies on the ground, and lose what stands at the very bound of
// friction.
static void search_points(newton *n, search *s)
{
    enum { MOST_ITERATIONS = 10, QUICK = 4, PATIENCE = 6, FINE_PATIENCE = 3 };
    const double large = 0.1, fine = 1e-6;
    n->shift = shift_least;
    for (int idle = 0;
         idle < (s->best > fine || n->rows <= SMALL ? PATIENCE : FINE_PATIENCE) && goes_on(n, s);) {
        memcpy(n->centre, n->p, (size_t)n->rows * sizeof *n->p);
        double before = s->best, enough = 0.1 * fmax(s->best, s->tolerance);
        int start = s->steps, left = s->most - start;
        bool found =
            approach(n, enough, left < MOST_ITERATIONS ? left : MOST_ITERATIONS, &s->steps);
        double residual = note(n, s);
        idle = residual < 0.5 * before ? 0 : idle + 1;
        if (!(residual < before)) {
            go_back(n);
        }
        if (!found) {
            n->shift = n->shift < 1e-6 ? large : 10.0 * n->shift;
        } else if (s->steps - start <= QUICK) {
            n->shift = fmax(0.1 * n->shift, shift_least);
        }
    }
}

// ---- from a warm start ----

// The positive root of |t + x dt| = r + x dr for a point within its cone; at most `most`.
static double leave_cone(const double *t, const double *dt, double r, double dr, double most)
{
    double a = dt[0] * dt[0] + dt[1] * dt[1] - dr * dr;
    double b = t[0] * dt[0] + t[1] * dt[1] - r * dr;
    double c = t[0] * t[0] + t[1] * t[1] - r * r;
    double inner = b * b - a * c;
    if (!(c < 0.0) || !(inner >= 0.0) || !(b + sqrt(inner) > 0.0)) {
        return most; // beyond it already, or it never leaves
    }
    return fmin(most, -c / (b + sqrt(inner)));
}

static double leave_bound(double p, double dp, double bound, double most)
{
    return (bound - p) * dp > 0.0 ? fmin(most, (bound - p) / dp) : most;
}

// The share of `step` with which the first row that is held goes beyond the bound of its impulse, a
// little further than that, so that it counts as open or sliding from there on. At most 1.
static double first_break(const newton *n)
{
    const double beyond = 1.5;
    const sn_exact_system *system = n->system;
    const double *step = system->step.data;
    double most = 1.0;
    for (int i = 0; i < n->count; ++i) {
        const sn_newton_line *line = &system->lines.data[i];
        const sn_exact_block *block = line->block;
        int row = line->row;
        if (row == block->row && block->kind == SN_BLOCK_BOX) {
            double s = block->scale[0];
            double slower = step[row] / beyond;
            most = leave_bound(n->p[row], slower, block->lower / s, most);
            most = leave_bound(n->p[row], slower, block->upper / s, most);
        } else if (row == block->row && block->kind == SN_BLOCK_POINT && step[row] < 0.0 &&
                   n->p[row] > 0.0) {
            most = fmin(most, -beyond * n->p[row] / step[row]);
        } else if (row == block->row + 1 && block->kind == SN_BLOCK_POINT && !line->slides) {
            double friction = beyond * block->friction * block->scale[0] / block->scale[1];
            most = leave_cone(&n->p[row], &step[row], friction * n->p[row - 1],
                              friction * step[row - 1], most);
        }
    }
    return most;
}

// Takes the step that newton_step took once more from where that began, as far as the first row
// breaks.
static void shorten_step(newton *n)
{
    sn_exact_system *system = n->system;
    copy_state(system, system->last_p.data, system->last_v.data, true);
    memcpy(n->p, n->centre, (size_t)n->rows * sizeof *n->p);
    double share = first_break(n);
    for (int row = 0; row < n->rows; ++row) {
        system->step.data[row] *= share;
    }
    push_step(n);
    read_state(n);
}

// Most states are those of the last step, and one or two change. Rows that are held together and
// contradict each other, as anchors of a link that sticks at four points do in their last digits,
// ask for impulses without bound along what has no effect: what truly happens is that the first of
// them to reach its bound gives in. So where a whole step leads further from the laws, it is taken
// up to there.
static void search_warm(newton *n, search *s)
{
    sn_exact_system *system = n->system;
    double last = s->best;
    n->shift = shift_least;
    while (goes_on(n, s)) {
        memcpy(n->centre, n->p, (size_t)n->rows * sizeof *n->p);
        copy_state(system, system->last_p.data, system->last_v.data, false);
        if (!newton_step(n)) {
            return;
        }
        ++s->steps;
        double residual = note(n, s);
        if (!(residual < last)) {
            shorten_step(n);
            residual = note(n, s);
        }
        last = residual;
    }
}

static double run(sn_exact_system *system, void (*find)(newton *, search *), double tolerance,
                  int most, int *steps, double *work)
{
    newton n = {.system = system,
                .rows = system->p.count,
                .work = work,
                .p = system->scaled_p.data,
                .u = system->scaled_u.data,
                .centre = system->centre.data};
    sn_exact_firm_hold(system);
    read_state(&n);
    search s = {.best = true_residual(&n), .tolerance = tolerance, .most = most};
    keep(system, false);
    find(&n, &s);
    keep(system, true);
    *steps += s.steps;
    return s.best;
}

double sn_exact_newton(sn_exact_system *system, double tolerance, int most, int *steps,
                       double *work)
{
    return run(system, search_points, tolerance, most, steps, work);
}

double sn_exact_newton_warm(sn_exact_system *system, double tolerance, int most, int *steps,
                            double *work)
{
    return run(system, search_warm, tolerance, most, steps, work);
}
