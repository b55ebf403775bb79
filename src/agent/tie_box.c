#include "agent/tie_box.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 100, PATIENCE = 5, SWEEPS = 400 };

// Solves for the free rows with the others at their bounds, and finds w.
static void solve_free(sn_tie_work *work, const double *a, double *x, double *w, double *z)
{
    int count = work->rows.rows.count;
    uint8_t *out = work->states.data;
    for (int r = 0; r < count; ++r) {
        const sn_tie_bound *bound = &work->bounds.data[r];
        x[r] =
            out[r] == SN_BOX_LOWER ? bound->lower : (out[r] == SN_BOX_UPPER ? bound->upper : 0.0);
    }
    sn_tie_rows_apply(&work->rows, x, w);
    for (int r = 0; r < count; ++r) {
        bool fixed = out[r] == SN_BOX_LOWER || out[r] == SN_BOX_UPPER;
        w[r] = fixed ? 0.0 : -(a[r] + w[r]);
    }
    sn_tie_rows_solve(&work->rows, w, z);
    for (int r = 0; r < count; ++r) {
        x[r] += z[r];
    }
    sn_tie_rows_apply(&work->rows, x, w);
    for (int r = 0; r < count; ++r) {
        w[r] += a[r];
    }
}

// Where the row belongs by what was found.
static uint8_t side_of(const sn_tie_work *work, int r, double x, double w, double small)
{
    const sn_tie_bound *bound = &work->bounds.data[r];
    uint8_t state = work->states.data[r];
    if (state == SN_BOX_FREE) {
        double slack = 1e-12 * (fabs(bound->lower) < INFINITY ? fabs(bound->lower) : 0.0) +
                       1e-12 * (fabs(bound->upper) < INFINITY ? fabs(bound->upper) : 0.0);
        if (x < bound->lower - slack) {
            return SN_BOX_LOWER;
        }
        return x > bound->upper + slack ? SN_BOX_UPPER : SN_BOX_FREE;
    }
    if (state == SN_BOX_LOWER) {
        return w < -small ? SN_BOX_FREE : SN_BOX_LOWER;
    }
    return w > small ? SN_BOX_FREE : SN_BOX_UPPER;
}

// ---- cones ----

// The forces of three rows and their movements, as the joint has them.
static double cone_force(const sn_tie_work *work, int r, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double force = work->rows.rows.data[r + k].scale * x[r + k];
        sum += force * force;
    }
    return sqrt(sum);
}

static double cone_movement(const sn_tie_work *work, int r, const double *x, const double *w)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const sn_tie_row *row = &work->rows.rows.data[r + k];
        double movement = (w[r + k] - row->softness * x[r + k]) / row->scale;
        sum += movement * movement;
    }
    return sqrt(sum);
}

static void set_cone(sn_tie_work *work, int r, uint8_t state, double movement)
{
    double softness = state == SN_BOX_SLIDING ? movement / work->bounds.data[r].cone : 0.0;
    for (int k = 0; k < 3; ++k) {
        sn_tie_row *row = &work->rows.rows.data[r + k];
        row->softness = softness * row->scale * row->scale;
        work->states.data[r + k] = state;
    }
}

// True when nothing more than rounding changed. `stuck`: movement below which it rests.
static bool turn_cone(sn_tie_work *work, int r, const double *x, const double *w, double first)
{
    double cone = work->bounds.data[r].cone, force = cone_force(work, r, x);
    double movement = cone_movement(work, r, x, w);
    const sn_tie_row *row = &work->rows.rows.data[r];
    if (work->states.data[r] == SN_BOX_FREE) {
        if (force <= cone * (1.0 + 1e-12)) {
            return true;
        }
        set_cone(work, r, SN_BOX_SLIDING, first > 0.0 ? first : 1e-9);
        return false;
    }
    double last = row->softness / (row->scale * row->scale) * cone;
    if (movement < 1e-15) {
        set_cone(work, r, SN_BOX_FREE, 0.0);
        return false;
    }
    set_cone(work, r, SN_BOX_SLIDING, movement);
    return fabs(movement - last) <= 1e-11 * movement;
}

// ---- the last word ----

// Sweeps of Gauss and Seidel within the bounds; w is kept up to date column by column.
static void sweep(sn_tie_work *work, const double *a, double *x, double *w)
{
    const sn_tie_rows *rows = &work->rows;
    int count = rows->rows.count;
    for (int r = 0; r < count; ++r) {
        const sn_tie_bound *bound = &work->bounds.data[r];
        x[r] = fmin(fmax(x[r], bound->lower), bound->upper);
    }
    sn_tie_rows_apply(rows, x, w);
    for (int r = 0; r < count; ++r) {
        w[r] += a[r];
    }
    for (int turn = 0; turn < SWEEPS; ++turn) {
        for (int r = 0; r < count; ++r) {
            const sn_tie_row *row = &rows->rows.data[r];
            const sn_tie_bound *bound = &work->bounds.data[r];
            const double *line = rows->y.data + row->offset;
            double old = x[r], own = line[r] + row->softness + rows->eps;
            x[r] = fmin(fmax(old - w[r] / own, bound->lower), bound->upper);
            double by = x[r] - old;
            for (int s = row->first; s < r; ++s) {
                w[s] += line[s] * by;
            }
            w[r] += (line[r] + row->softness) * by;
            for (int s = r + 1; s < count && by != 0.0; ++s) {
                const sn_tie_row *other = &rows->rows.data[s];
                if (other->first <= r) {
                    w[s] += rows->y.data[other->offset + (size_t)r] * by;
                }
            }
            work->states.data[r] = x[r] <= bound->lower
                                       ? SN_BOX_LOWER
                                       : (x[r] >= bound->upper ? SN_BOX_UPPER : SN_BOX_FREE);
        }
    }
}

// ---- pivoting ----

// Rows on the wrong side change it: all of them, or the last. Gives their number.
static int turn_rows(sn_tie_work *work, const double *x, const double *w, double small, bool all)
{
    int wrong = 0, last = -1;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        if (work->bounds.data[r].cone != 0.0) {
            continue;
        }
        if (side_of(work, r, x[r], w[r], small) != work->states.data[r]) {
            ++wrong;
            last = r;
        }
    }
    for (int r = all ? 0 : last; r >= 0 && r <= last; ++r) {
        if (work->bounds.data[r].cone == 0.0) {
            work->states.data[r] = side_of(work, r, x[r], w[r], small);
        }
    }
    return wrong;
}

static void factor_free(sn_tie_work *work, uint8_t *out, sn_tie_grip grip)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        out[r] = work->states.data[r] == SN_BOX_LOWER || work->states.data[r] == SN_BOX_UPPER;
    }
    sn_tie_rows_factorise(&work->rows, out, grip);
}

void sn_tie_box_solve(sn_tie_work *work, const double *a, double *x, double *w, double *z,
                      sn_tie_grip grip)
{
    int count = work->rows.rows.count, best = count + 1, patience = PATIENCE;
    double size = 0.0;
    for (int r = 0; r < count; ++r) {
        size = fmax(size, fabs(a[r]));
    }
    for (int turn = 0; turn < MOST_TURNS; ++turn) {
        factor_free(work, work->out.data, grip);
        solve_free(work, a, x, w, z);
        bool settled = true;
        for (int r = 0; r < count; ++r) {
            if (work->bounds.data[r].cone > 0.0) {
                double first = turn == 0 ? sn_length(sn_vec3_at(a + r)) : size;
                settled = turn_cone(work, r, x, w, first) && settled;
            }
        }
        bool all = patience > 0;
        int wrong = turn_rows(work, x, w, 1e-13 * size, all);
        if (wrong == 0 && settled) {
            return;
        }
        if (wrong < best) {
            best = wrong;
            patience = PATIENCE;
        } else if (wrong > 0) {
            patience -= patience > 0;
        }
    }
    sweep(work, a, x, w);
}
