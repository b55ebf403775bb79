#include "agent/tree/tie_box.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 100, PATIENCE = 5, SWEEPS = 300, SLIDING = 2 };

// ---- the rows as their steps make them ----

bool sn_tie_box_is_fixed(const sn_tie_work *work, int row)
{
    double target, softness;
    return work->bounds.data[row].cone == 0.0 &&
           !sn_tie_law_known(&work->bounds.data[row].law, work->states.data[row], &target,
                             &softness);
}

// Sets softness, x of fixed rows and, into z, targets of the others; factors these.
static void prepare(sn_tie_work *work, double *x, double *z, sn_tie_grip grip)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        sn_tie_row *row = &work->rows.rows.data[r];
        const sn_tie_bound *bound = &work->bounds.data[r];
        double target = 0.0, softness = 0.0;
        bool free = bound->cone != 0.0 ||
                    sn_tie_law_known(&bound->law, work->states.data[r], &target, &softness);
        work->out.data[r] = !free;
        x[r] = free ? 0.0 : target / row->scale;
        z[r] = free ? target * row->scale : 0.0;
        if (bound->cone == 0.0) {
            row->softness = softness * row->scale * row->scale;
        }
    }
    sn_tie_rows_factorise(&work->rows, work->out.data, grip);
}

// Solves for the free rows with the others given, and finds the movements w.
static void solve_free(sn_tie_work *work, const double *a, double *x, double *w, double *z)
{
    int count = work->rows.rows.count;
    sn_tie_rows_apply(&work->rows, x, w);
    for (int r = 0; r < count; ++r) {
        w[r] = work->out.data[r] ? 0.0 : z[r] - a[r] - w[r];
    }
    sn_tie_rows_solve(&work->rows, w, z);
    for (int r = 0; r < count; ++r) {
        x[r] += z[r];
    }
    sn_tie_rows_apply(&work->rows, x, w);
    for (int r = 0; r < count; ++r) {
        w[r] += a[r] - work->rows.rows.data[r].softness * x[r];
    }
}

static int next_step(const sn_tie_work *work, int r, double x, double w, double small)
{
    double scale = work->rows.rows.data[r].scale;
    return sn_tie_law_next(&work->bounds.data[r].law, work->states.data[r], w / scale, x * scale,
                           small / scale);
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

static double cone_movement(const sn_tie_work *work, int r, const double *w)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double movement = w[r + k] / work->rows.rows.data[r + k].scale;
        sum += movement * movement;
    }
    return sqrt(sum);
}

static void set_cone(sn_tie_work *work, int r, uint8_t state, double movement)
{
    double softness = state == SLIDING ? movement / work->bounds.data[r].cone : 0.0;
    for (int k = 0; k < 3; ++k) {
        sn_tie_row *row = &work->rows.rows.data[r + k];
        row->softness = softness * row->scale * row->scale;
        work->states.data[r + k] = state;
    }
}

// True when nothing more than rounding changed.
static bool turn_cone(sn_tie_work *work, int r, const double *x, const double *w, double first)
{
    double cone = work->bounds.data[r].cone, force = cone_force(work, r, x);
    double movement = cone_movement(work, r, w);
    const sn_tie_row *row = &work->rows.rows.data[r];
    if (work->states.data[r] != SLIDING) {
        if (force <= cone * (1.0 + 1e-12)) {
            return true;
        }
        set_cone(work, r, SLIDING, first > 0.0 ? first : 1e-9);
        return false;
    }
    double last = row->softness / (row->scale * row->scale) * cone;
    if (movement < 1e-15) {
        set_cone(work, r, 1, 0.0);
        return false;
    }
    set_cone(work, r, SLIDING, movement);
    return fabs(movement - last) <= 1e-11 * movement;
}

// ---- the last word ----

// Row r alone: along its law until force and movement, w + own (x' - x), fit.
static double fit_row(sn_tie_work *work, int r, double x, double w, double own)
{
    const sn_tie_law *law = &work->bounds.data[r].law;
    double scale = work->rows.rows.data[r].scale, found = x;
    for (int turn = 0; turn < 2 * SN_LAW_NODES; ++turn) {
        double target, softness;
        int step = work->states.data[r];
        if (!sn_tie_law_known(law, step, &target, &softness)) {
            found = target / scale;
        } else { // w + own (x' - x) + softness x' = target
            found = (target * scale - w + own * x) / (own + softness * scale * scale);
        }
        int next = sn_tie_law_next(law, step, (w + own * (found - x)) / scale, found * scale, 0.0);
        if (next == step) {
            break;
        }
        work->states.data[r] = (uint8_t)next;
    }
    return found;
}

// Sweeps of Gauss and Seidel along the laws; w is kept up to date column by column.
static void sweep(sn_tie_work *work, const double *a, double *x, double *w)
{
    const sn_tie_rows *rows = &work->rows;
    int count = rows->rows.count;
    memset(x, 0, (size_t)count * sizeof *x);
    memcpy(w, a, (size_t)count * sizeof *w);
    for (int turn = 0; turn < SWEEPS; ++turn) {
        for (int r = 0; r < count; ++r) {
            const sn_tie_row *row = &rows->rows.data[r];
            const double *line = rows->y.data + row->offset;
            double by = fit_row(work, r, x[r], w[r], line[r] + rows->eps) - x[r];
            x[r] += by;
            for (int s = row->first; s <= r; ++s) {
                w[s] += line[s] * by;
            }
            for (int s = r + 1; s < count && by != 0.0; ++s) {
                const sn_tie_row *other = &rows->rows.data[s];
                if (other->first <= r) {
                    w[s] += rows->y.data[other->offset + (size_t)r] * by;
                }
            }
        }
    }
}

// ---- pivoting ----

// Rows beyond the ends of their step go on: all of them, or the last. Gives their number.
static int turn_rows(sn_tie_work *work, const double *x, const double *w, double small, bool all)
{
    int wrong = 0, last = -1;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        if (work->bounds.data[r].cone == 0.0 &&
            next_step(work, r, x[r], w[r], small) != work->states.data[r]) {
            ++wrong;
            last = r;
        }
    }
    for (int r = all ? 0 : last; r >= 0 && r <= last; ++r) {
        if (work->bounds.data[r].cone == 0.0) {
            work->states.data[r] = (uint8_t)next_step(work, r, x[r], w[r], small);
        }
    }
    return wrong;
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
        prepare(work, x, z, grip);
        solve_free(work, a, x, w, z);
        bool settled = true;
        for (int r = 0; r < count; ++r) {
            if (work->bounds.data[r].cone > 0.0) {
                double first = turn == 0 ? sn_length(sn_vec3_at(a + r)) : size;
                settled = turn_cone(work, r, x, w, first) && settled;
            }
        }
        int wrong = turn_rows(work, x, w, 1e-13 * size, patience > 0);
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
