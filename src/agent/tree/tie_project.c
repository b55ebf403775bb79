#include "agent/tree/tie_project.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_mode.h"
#include "math/rotation.h"

// What a loose grip may leave, at positions so near a singular one that nothing else is found: m.
static const double good_enough = 1e-3;

// Of what a firm grip is to leave, in parts of rounding.
static const double settled = 1e3;

static const double least_damping = 1e-9;

enum { MOST_CLOSING_TURNS = 300, MOST_FOLLOWING_TURNS = 8, MOST_TURNS = 25 };

static sn_quat quat_at(const double *x)
{
    return (sn_quat){x[0], x[1], x[2], x[3]};
}

static void quat_put(double *x, sn_quat value)
{
    x[0] = value.w;
    x[1] = value.x;
    x[2] = value.y;
    x[3] = value.z;
}

// c = q displaced by y.
static void displace(const sn_tree *tree, const double *q, const double *y, double *c)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = q + link->q, *by = y + link->v;
        if (link->joint == SN_TREE_BALL) {
            sn_quat turn = sn_quat_exp(sn_vec3_at(by));
            quat_put(c + link->q, sn_quat_normalize(sn_quat_multiply(quat_at(from), turn)));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            c[link->q + k] = from[k] + by[k];
        }
    }
}

// The displacement from q to c.
static void displacement(const sn_tree *tree, const double *q, const double *c, double *y)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = q + link->q, *to = c + link->q;
        if (link->joint == SN_TREE_BALL) {
            sn_quat turn = sn_quat_multiply(sn_quat_conjugate(quat_at(from)), quat_at(to));
            sn_vec3_put(y + link->v, sn_quat_log(turn));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            y[link->v + k] = to[k] - from[k];
        }
    }
}

// Half way between two configurations.
static void middle(const sn_tree *tree, const double *a, const double *b, double *q)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = a + link->q, *to = b + link->q;
        double side = 1.0;
        if (link->joint == SN_TREE_BALL) {
            side = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
            side = side < 0.0 ? -1.0 : 1.0;
        }
        for (int k = 0; k < sn_tree_joint_q(link->joint); ++k) {
            q[link->q + k] = 0.5 * (from[k] + side * to[k]);
        }
        if (link->joint == SN_TREE_BALL) {
            quat_put(q + link->q, sn_quat_normalize(quat_at(q + link->q)));
        }
    }
}

bool sn_tie_prepare(sn_tie_work *work, sn_tree *tree, const double *q)
{
    sn_tie_state state = {NAN, q, NULL};
    sn_tree_place(tree, q);
    if (!sn_tree_factorise(tree, NULL) ||
        !sn_tie_work_rows(work, tree, q, work->modes.held ? sn_tie_mode_rows : NULL, &state)) {
        return false;
    }
    sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_FIRM);
    return true;
}

void sn_tie_answer(sn_tie_work *work, sn_tree *tree, const double *x, double *y)
{
    memset(tree->scratch, 0, (size_t)tree->count * sizeof *tree->scratch);
    memset(work->force, 0, (size_t)tree->v_count * sizeof *work->force);
    sn_tie_rows_push(&work->rows, tree, x, tree->scratch, work->force);
    sn_tree_solve_wrench(tree, work->force, work->force);
    for (int j = 0; j < tree->v_count; ++j) {
        y[j] += work->force[j];
    }
}

void sn_tie_take_from(sn_tie_work *work, sn_tree *tree, const double *rate, double *v)
{
    int count = work->rows.rows.count;
    sn_tree_velocity(tree, v, work->velocity);
    sn_tie_rows_rate(&work->rows, tree, work->velocity, v, work->y);
    for (int r = 0; r < count; ++r) {
        work->y[r] = (rate != NULL ? rate[r] : 0.0) - work->y[r];
    }
    sn_tie_rows_solve(&work->rows, work->y, work->x);
    sn_tie_answer(work, tree, work->x, v);
}

void sn_tie_hold_velocity(sn_tie_work *work, sn_tree *tree, double time, double *v)
{
    for (int turn = 0; turn < 2; ++turn) { // the second leaves rounding alone
        sn_tie_work_rates(work, tree, time, work->rest);
        sn_tie_take_from(work, tree, work->rest, v);
    }
}

// ---- from half a step away ----

// From q displaced by `start`, along M^-1 J^T of the prepared q, to where everything holds at
// `time`. Ties bend the way only: they move nothing further than it went anyway, as masses measure
// it; but at a singular position they may send it along another branch, which is refused.
static bool land(sn_tie_work *work, sn_tree *tree, double time, const double *q,
                 const double *start, sn_tie_grip grip, double *c)
{
    double tolerance = sn_tie_work_tolerance(work), before = INFINITY, least = INFINITY;
    double left = INFINITY, reach = sn_tie_work_norm(work, tree, start);
    int count = work->rows.rows.count, idle = 0, turn = 0;
    double *y = work->mean;
    memset(work->sum, 0, (size_t)count * sizeof *work->sum);
    sn_tie_mix_start(&work->mix);
    sn_tie_rows_factorise(&work->rows, NULL, grip);
    for (;; ++turn) {
        memcpy(y, start, (size_t)tree->v_count * sizeof *y);
        sn_tie_answer(work, tree, work->sum, y);
        displace(tree, q, y, c);
        left = sn_tie_work_errors(work, tree, c, time, work->y);
        idle = left < 0.5 * least ? 0 : idle + 1;
        least = fmin(left, least);
        if (left <= tolerance || !isfinite(left) || turn == MOST_TURNS ||
            (idle > 2 && left <= settled * tolerance) || (idle > 1 && grip == SN_GRIP_LOOSE)) {
            break;
        }
        for (int r = 0; r < count; ++r) {
            work->z[r] = -work->y[r];
        }
        sn_tie_rows_solve(&work->rows, work->z, work->x);
        bool mixed = left > 0.2 * before && grip == SN_GRIP_FIRM;
        if (!sn_tie_mix_step(&work->mix, count, work->sum, work->y, mixed, work->x)) {
            return false;
        }
        for (int r = 0; r < count; ++r) {
            work->sum[r] += work->x[r];
        }
        before = left;
    }
    if (grip == SN_GRIP_LOOSE) {
        return left < good_enough;
    }
    return left <= settled * tolerance &&
           (turn < 4 || sn_tie_work_reach(work, work->sum) <= 0.25 * reach);
}

static void forget_guides(sn_tie_work *work)
{
    for (int i = 0; i < work->tie_count; ++i) {
        work->guides[i] = (sn_tie_guide){NAN, -1};
    }
}

bool sn_tie_spread(sn_tie_work *work, sn_tree *tree, double time, double h, const double *q,
                   const double *v, double *before, double *c)
{
    forget_guides(work);
    if (!sn_tie_prepare(work, tree, q)) {
        return false;
    }
    bool good = true;
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < tree->v_count; ++j) {
            work->moved[j] = 0.5 * side * h * v[j];
        }
        double *to = side < 0 ? before : c, there = time + 0.5 * side * h;
        good = good && (land(work, tree, there, q, work->moved, SN_GRIP_FIRM, to) ||
                        land(work, tree, there, q, work->moved, SN_GRIP_LOOSE, to));
    }
    return good;
}

// q moves by what both displacements have in common along the ties, and back onto them.
static double centre(sn_tie_work *work, sn_tree *tree, double time, const double *c,
                     const double *ahead, double *q)
{
    double *mean = work->mean, moved = 0.0;
    displacement(tree, q, c, mean);
    displacement(tree, q, ahead, work->moved);
    for (int j = 0; j < tree->v_count; ++j) {
        mean[j] = 0.5 * (mean[j] + work->moved[j]);
    }
    sn_tie_work_errors(work, tree, q, time, work->rest);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        work->rest[r] = -work->rest[r];
    }
    sn_tie_take_from(work, tree, work->rest, mean);
    displace(tree, q, mean, q);
    for (int j = 0; j < tree->v_count; ++j) {
        moved += fabs(mean[j]);
    }
    return moved;
}

// The state's q, with J and M of q itself to O(h^6).
static bool find_centre(sn_tie_work *work, sn_tree *tree, double time, const double *c,
                        const double *ahead, sn_tie_grip grip, double *q)
{
    double left = INFINITY, moved = 0.0, before = INFINITY;
    middle(tree, c, ahead, q);
    displacement(tree, q, ahead, work->moved);
    for (int turn = 0; turn < 2 + MOST_TURNS; ++turn) {
        if (turn < 2) {
            if (!sn_tie_prepare(work, tree, q)) {
                return false;
            }
            sn_tie_rows_factorise(&work->rows, NULL, grip);
        }
        moved += centre(work, tree, time, c, ahead, q);
        left = sn_tie_work_errors(work, tree, q, time, work->y);
        if (turn > 1 && (left <= sn_tie_work_tolerance(work) || !(left < 0.5 * before))) {
            break;
        }
        before = left;
    }
    double size = 0.0;
    displacement(tree, q, ahead, work->moved);
    for (int j = 0; j < tree->v_count; ++j) {
        size += fabs(work->moved[j]);
    }
    double tolerance = sn_tie_work_tolerance(work);
    if (grip == SN_GRIP_LOOSE && left > settled * tolerance) {
        work->miss = fmax(work->miss, left);
    }
    return grip == SN_GRIP_LOOSE ? left < good_enough
                                 : left <= settled * tolerance && moved <= 4.0 * size + tolerance;
}

bool sn_tie_gather(sn_tie_work *work, sn_tree *tree, double time, double h, const double *c,
                   const double *ahead, double *q, double *v)
{
    if (!find_centre(work, tree, time, c, ahead, SN_GRIP_FIRM, q) &&
        !find_centre(work, tree, time, c, ahead, SN_GRIP_LOOSE, q)) {
        return false;
    }
    displacement(tree, q, c, v);
    displacement(tree, q, ahead, work->moved);
    for (int j = 0; j < tree->v_count; ++j) {
        v[j] = (work->moved[j] - v[j]) / h;
    }
    sn_tie_hold_velocity(work, tree, time, v);
    return true;
}

// ---- from anywhere ----

static double square(int count, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

// Gauss and Newton's direction into y, with so much of it as turns no joint by more than half a
// radian, and of Levenberg's damping as was found good.
static void aim(sn_tie_work *work, sn_tree *tree, double damping, double *y)
{
    double largest = 0.0;
    sn_tie_rows_factorise_with(&work->rows, NULL, damping);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        work->x[r] = -work->rest[r];
    }
    sn_tie_rows_back(&work->rows, work->x);
    memset(y, 0, (size_t)tree->v_count * sizeof *y);
    sn_tie_answer(work, tree, work->x, y);
    for (int i = 0; i < tree->count; ++i) {
        for (int k = 0; k < sn_tree_joint_v(tree->links[i].joint); ++k) {
            bool slides = tree->links[i].joint == SN_TREE_SLIDER ||
                          tree->links[i].joint == SN_TREE_TRANSLATION;
            largest = slides ? largest : fmax(largest, fabs(y[tree->links[i].v + k]));
        }
    }
    for (int j = 0; j < tree->v_count && largest > 0.5; ++j) {
        y[j] *= 0.5 / largest;
    }
}

bool sn_tie_close(sn_tie_work *work, sn_tree *tree, double time, double *q, double *v,
                  double *largest)
{
    double damping = least_damping, last = INFINITY;
    double *to = work->c, *y = work->mean;
    int idle = 0;
    *largest = INFINITY;
    for (int turn = 0; turn < MOST_CLOSING_TURNS && idle < 40; ++turn) {
        forget_guides(work);
        if (!sn_tie_prepare(work, tree, q)) {
            return false;
        }
        int count = work->rows.rows.count;
        *largest = sn_tie_work_errors(work, tree, q, time, work->rest);
        double tolerance = sn_tie_work_tolerance(work), size = square(count, work->rest);
        bool near = *largest <= 1e4 * tolerance;
        if (*largest <= 0.25 * tolerance || (near && !(size < 0.25 * last))) {
            break;
        }
        last = size;
        aim(work, tree, damping, y);
        bool better = false;
        for (int half = 0; half < 8 && !better; ++half) {
            displace(tree, q, y, to);
            sn_tie_work_errors(work, tree, to, time, work->y);
            better = square(count, work->y) < size;
            for (int j = 0; j < tree->v_count && !better; ++j) {
                y[j] *= 0.5;
            }
        }
        if (better) {
            memcpy(q, to, (size_t)tree->q_count * sizeof *q);
            damping = fmax(least_damping, 0.1 * damping);
            idle = square(count, work->y) < 0.99 * size ? 0 : idle + 1;
        } else if (near) {
            break;
        } else {
            damping *= 10.0;
            last = INFINITY;
            ++idle;
        }
    }
    bool closed = *largest <= 1e4 * sn_tie_work_tolerance(work);
    if (closed) {
        sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_FIRM);
        sn_tie_hold_velocity(work, tree, time, v);
    }
    return closed;
}

// ---- from nearby ----

bool sn_tie_follow(sn_tie_work *work, sn_tree *tree, double time, double *q, double *v)
{
    // Newton squares errors: from the first of these it gets to the second.
    const double near = 1e-7, there = 1e-14;
    bool arrived = false;
    for (int turn = 0; turn < MOST_FOLLOWING_TURNS; ++turn) {
        forget_guides(work);
        if (!sn_tie_prepare(work, tree, q)) {
            return false;
        }
        double left = arrived ? 0.0 : sn_tie_work_errors_here(work, tree, q, time, work->rest);
        if (arrived || left <= there) {
            sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_EVEN);
            sn_tie_hold_velocity(work, tree, time, v);
            work->ready = true;
            return true;
        }
        if (!isfinite(left)) {
            return false;
        }
        for (int r = 0; r < work->rows.rows.count; ++r) {
            work->rest[r] = -work->rest[r];
        }
        sn_tie_rows_solve(&work->rows, work->rest, work->x);
        memset(work->mean, 0, (size_t)tree->v_count * sizeof *work->mean);
        sn_tie_answer(work, tree, work->x, work->mean);
        displace(tree, q, work->mean, q);
        arrived = left <= near;
    }
    return false;
}
