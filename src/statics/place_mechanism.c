// A mechanism led by one of its points, without time: damped least squares (C. W. Wampler 1986,
// "Manipulator inverse kinematic solutions based on vector formulations and damped least-squares
// methods") in the metric of masses, so that light things go before heavy ones. With e from the
// point to its target, J the point's Jacobian, C the rows of ties, prescribed motions and pressed
// limits, and Z an M-orthonormal basis of what C leaves free, a step is
//
//     d = Z (J Z)^T ((J Z) (J Z)^T + damping)^-1 e
//
// A step turns no joint far, ends at the first hard limit it meets, is put back onto the ties, and
// counts only if the point has come nearer.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "statics/place.h"
#include "statics/system.h"

enum { MOST_STEPS = 60, MOST_TRIALS = 10 };

static const double DAMPING = 1e-4;        // of the mean square singular value of J Z
static const double LONGEST_TURN = 0.3;    // rad a step
static const double CLOSE = 1e-9;          // of the mechanism's size: there
static const double SMALLEST = 1e-7;       // rad, or of the size: steps that end the search
static const double RANK_TOLERANCE = 1e-9; // rows apart by less than this hold the same

typedef struct leading {
    sn_world *world;
    sn_agent_set *set;
    sn_articulation *item;
    sn_tree *tree;
    int agent, part;
    int n, q_count, tie_rows, rows; // rows: of ties and of limits that press
    sn_vec3 local, target;
    double size; // m
    sn_system_limit_list limits;
    double *memory;
    double *q, *moved; // q_count
    double *l, *basis; // n x n: M = L L^T, rows of Z
    double *c, *gap;   // most rows x n, most rows
    double *beta;      // most rows
    double *j, *jz;    // 3 x n
    double *d, *y, *v; // n
    int *order;        // most rows
    int free;
} leading;

// ---- memory ----

static double *take(double **at, size_t count)
{
    double *taken = *at;
    *at += count;
    return taken;
}

static bool make_lead(leading *lead)
{
    if (!sn_system_add_limits(lead->item, 0, 0, &lead->limits)) {
        return false;
    }
    size_t n = (size_t)lead->n + 1, q = (size_t)lead->q_count + 1;
    size_t rows = (size_t)lead->tie_rows + (size_t)lead->limits.count + 1;
    lead->memory =
        sn_allocate_zero((2 * q + 2 * n * n + rows * n + 2 * rows + 9 * n) * sizeof(double));
    lead->order = sn_allocate_zero(rows * sizeof(int));
    if (lead->memory == NULL || lead->order == NULL) {
        return false;
    }
    double *at = lead->memory;
    lead->q = take(&at, q);
    lead->moved = take(&at, q);
    lead->l = take(&at, n * n);
    lead->basis = take(&at, n * n);
    lead->c = take(&at, rows * n);
    lead->gap = take(&at, rows);
    lead->beta = take(&at, rows);
    lead->j = take(&at, 3 * n);
    lead->jz = take(&at, 3 * n);
    lead->d = take(&at, n);
    lead->y = take(&at, n);
    lead->v = take(&at, n);
    return true;
}

static void free_lead(leading *lead)
{
    sn_array_free(&lead->limits);
    sn_free(lead->memory);
    sn_free(lead->order);
}

// ---- where it stands ----

static void write_pose(leading *lead, const double *q)
{
    memcpy(sn_agent_q(lead->set, lead->agent), q, (size_t)lead->q_count * sizeof *q);
    lead->set->type->touch(lead->set, lead->agent);
}

static sn_vec3 point_now(const leading *lead)
{
    sn_part now;
    lead->set->type->part(lead->set, lead->agent, lead->part, &now);
    return sn_transform_point(now.frame, lead->local);
}

static double distance_now(const leading *lead)
{
    return sn_distance(point_now(lead), lead->target);
}

// ---- a step ----

// J: what a unit force at the point does to each freedom.
static void find_jacobian(leading *lead)
{
    const sn_tree *tree = lead->tree;
    int link = lead->item->parts[lead->part].link;
    sn_vec3 arm = sn_vec3_sub(point_now(lead), tree->pose[link].origin);
    for (int axis = 0; axis < 3; ++axis) {
        sn_vec3 force = {axis == 0, axis == 1, axis == 2};
        sn_spatial *wrench = tree->scratch;
        memset(wrench, 0, (size_t)tree->count * sizeof *wrench);
        wrench[link] = (sn_spatial){.angular = sn_cross(arm, force), .linear = force};
        sn_tree_gather(tree, wrench, lead->j + (size_t)axis * (size_t)lead->n);
    }
}

static sn_status find_metric(leading *lead, sn_error *error)
{
    int bad = 0;
    lead->tree->added = NULL;
    sn_tree_place(lead->tree, sn_agent_q(lead->set, lead->agent));
    sn_tree_mass_matrix(lead->tree, lead->l);
    return sn_cholesky_factor(lead->n, lead->l, &bad)
               ? SN_OK
               : sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                         "freedom %d of the mechanism has nothing to move", bad);
}

static double norm(int count, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// Rows of C in the metric, C L^-T, each of length 1. Those that nothing can move (of a planar loop
// those out of its plane) are left out. Gives how many are left.
static int scale_rows(leading *lead)
{
    size_t n = (size_t)lead->n;
    double largest = 0.0;
    int kept = 0;
    for (int i = 0; i < lead->rows; ++i) {
        double *row = lead->c + (size_t)i * n;
        sn_cholesky_solve_lower(lead->n, lead->l, row);
        largest = fmax(largest, norm(lead->n, row));
    }
    for (int i = 0; i < lead->rows; ++i) {
        double *row = lead->c + (size_t)kept * n;
        double length = norm(lead->n, lead->c + (size_t)i * n);
        memmove(row, lead->c + (size_t)i * n, n * sizeof *row);
        for (size_t k = 0; k < n && length > 0.0; ++k) {
            row[k] /= length;
        }
        kept += length > RANK_TOLERANCE * largest;
    }
    return kept;
}

// Z, from the rows of C as LQ.
static sn_status find_basis(leading *lead, sn_error *error)
{
    size_t n = (size_t)lead->n;
    lead->rows = lead->tie_rows;
    if (lead->tie_rows > 0) {
        lead->gap[0] = NAN; // stays so when memory runs out
        sn_articulation_jacobian(&lead->world->articulations, lead->agent, lead->world->time,
                                 lead->c, lead->gap);
        if (isnan(lead->gap[0])) {
            return sn_fail_memory(error, (size_t)lead->tie_rows * n * sizeof(double));
        }
    }
    for (int i = 0; i < lead->limits.count; ++i) {
        const sn_system_limit *limit = &lead->limits.data[i];
        if (limit->side != 0) {
            double *row = lead->c + (size_t)lead->rows * n;
            memset(row, 0, n * sizeof *row);
            sn_system_limit_row(limit, lead->q + limit->q, row, &lead->gap[lead->rows]);
            lead->rows += 1;
        }
    }
    int kept = scale_rows(lead);
    int rank = kept > 0
                   ? sn_lq_factor(kept, lead->n, lead->c, lead->order, lead->beta, RANK_TOLERANCE)
                   : 0;
    lead->free = lead->n - rank;
    for (int k = 0; k < lead->free; ++k) {
        double *z = lead->basis + (size_t)k * n;
        memset(z, 0, n * sizeof *z);
        z[rank + k] = 1.0;
        sn_lq_apply_transpose(lead->n, lead->c, lead->beta, rank, z);
        sn_cholesky_solve_upper(lead->n, lead->l, z);
    }
    return SN_OK;
}

// d for the way e that is left. False: the point cannot move from here.
static bool find_step(leading *lead)
{
    int n = lead->n, free = lead->free;
    double square[9], e[3], trace = 0.0;
    for (int axis = 0; axis < 3; ++axis) { // J Z
        sn_dense_apply(free, n, lead->basis, lead->j + (size_t)axis * (size_t)n,
                       lead->jz + (size_t)axis * (size_t)n);
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            double sum = 0.0;
            for (int k = 0; k < free; ++k) {
                sum += lead->jz[(size_t)a * (size_t)n + (size_t)k] *
                       lead->jz[(size_t)b * (size_t)n + (size_t)k];
            }
            square[3 * a + b] = sum;
        }
        trace += square[4 * a];
    }
    for (int a = 0; a < 3; ++a) {
        square[4 * a] += DAMPING * trace / 3.0;
    }
    sn_vec3_put(e, sn_vec3_sub(lead->target, point_now(lead)));
    if (!(trace > 0.0) || !sn_cholesky_factor(3, square, NULL)) {
        return false;
    }
    sn_cholesky_solve(3, square, e);
    for (int k = 0; k < free; ++k) {
        lead->y[k] = lead->jz[k] * e[0] + lead->jz[(size_t)n + (size_t)k] * e[1] +
                     lead->jz[2 * (size_t)n + (size_t)k] * e[2];
    }
    sn_dense_multiply(1, free, n, lead->y, lead->basis, lead->d);
    return true;
}

// ---- limits ----

static double rate_of(const leading *lead, const sn_system_limit *limit)
{
    double row_gap;
    memset(lead->v, 0, (size_t)lead->n * sizeof *lead->v);
    sn_system_limit_row(limit, lead->q + limit->q, lead->v, &row_gap);
    double rate = 0.0;
    for (int i = 0; i < lead->n; ++i) {
        rate += lead->v[i] * lead->d[i];
    }
    return rate;
}

// A limit that stands at its end and that d would go beyond becomes a row. False: there is none.
static bool press_one(leading *lead)
{
    for (int i = 0; i < lead->limits.count; ++i) {
        sn_system_limit *limit = &lead->limits.data[i];
        double at = sn_system_limit_position(limit, lead->q), near = 1e-9 * fmax(1.0, fabs(at));
        int end = at >= limit->upper - near ? 1 : at <= limit->lower + near ? -1 : 0;
        if (limit->side == 0 && end != 0 && end * rate_of(lead, limit) > 0.0) {
            limit->side = end;
            return true;
        }
    }
    return false;
}

// d, with the limits that it presses on.
static sn_status find_held_step(leading *lead, bool *moves, sn_error *error)
{
    sn_status status = find_metric(lead, error);
    for (int i = 0; i < lead->limits.count; ++i) {
        lead->limits.data[i].side = lead->limits.data[i].locked ? 1 : 0;
    }
    if (status == SN_OK) {
        find_jacobian(lead);
    }
    *moves = status == SN_OK;
    do {
        status = status == SN_OK ? find_basis(lead, error) : status;
        *moves = status == SN_OK && find_step(lead);
    } while (*moves && press_one(lead));
    return status;
}

// The share of d after which the first limit is met; 1: none is.
static double share_to_limits(leading *lead)
{
    double share = 1.0;
    for (int i = 0; i < lead->limits.count; ++i) {
        const sn_system_limit *limit = &lead->limits.data[i];
        if (limit->side != 0) {
            continue;
        }
        sn_tree_move(lead->tree, lead->q, lead->d, share, lead->moved);
        double end = sn_system_limit_position(limit, lead->moved), low = 0.0, high = share;
        if (end <= limit->upper && end >= limit->lower) {
            continue;
        }
        for (int turn = 0; turn < 60; ++turn) {
            double middle = 0.5 * (low + high);
            sn_tree_move(lead->tree, lead->q, lead->d, middle, lead->moved);
            double at = sn_system_limit_position(limit, lead->moved);
            bool inside = at <= limit->upper && at >= limit->lower;
            low = inside ? middle : low;
            high = inside ? high : middle;
        }
        share = low;
    }
    return share;
}

static bool within_limits(const leading *lead, const double *q)
{
    for (int i = 0; i < lead->limits.count; ++i) {
        const sn_system_limit *limit = &lead->limits.data[i];
        double at = sn_system_limit_position(limit, q), slack = 1e-9 * fmax(1.0, fabs(at));
        if (!(at <= limit->upper + slack && at >= limit->lower - slack)) {
            return false;
        }
    }
    return true;
}

// ---- on the way ----

// By how much d turns, or shifts, the joint that it moves most.
static double largest_move(const leading *lead, bool turns)
{
    const sn_tree *tree = lead->tree;
    double most = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        bool slides = link->joint == SN_TREE_SLIDER || link->joint == SN_TREE_TRANSLATION;
        for (int k = 0; k < sn_tree_joint_v(link->joint) && slides != turns; ++k) {
            most = fmax(most, fabs(lead->d[link->v + k]));
        }
    }
    return most;
}

// The distance after that share of d, on the ties; infinite where they cannot close, or a limit is
// passed on the way back to them.
static double try_share(leading *lead, double share)
{
    sn_tree_move(lead->tree, lead->q, lead->d, share, lead->moved);
    write_pose(lead, lead->moved);
    bool closed =
        lead->tie_rows == 0 ||
        sn_articulation_close(&lead->world->articulations, lead->agent, lead->world->time, NULL);
    lead->set->type->touch(lead->set, lead->agent);
    return closed && within_limits(lead, sn_agent_q(lead->set, lead->agent)) ? distance_now(lead)
                                                                             : INFINITY;
}

// Goes along d to about where the point is nearest: that share of it, 0 where it comes no nearer.
// The square of the distance is taken for a parabola, of its value and slope at the start and its
// value at the end. No joint turns far at once, for J is that of the start of the step.
static double go(leading *lead, double before)
{
    double turn = largest_move(lead, true);
    double share = fmin(turn > LONGEST_TURN ? LONGEST_TURN / turn : 1.0, share_to_limits(lead));
    double e[3], along[3], slope = 0.0, best = 0.0, nearest = before;
    sn_vec3_put(e, sn_vec3_sub(lead->target, point_now(lead)));
    sn_dense_apply(3, lead->n, lead->j, lead->d, along);
    for (int axis = 0; axis < 3; ++axis) {
        slope -= 2.0 * e[axis] * along[axis];
    }
    for (int i = 0; i < MOST_TRIALS && share > 0.0 && slope < 0.0; ++i) {
        double now = try_share(lead, share);
        best = now < nearest ? share : best;
        nearest = fmin(now, nearest);
        double bend = (now * now - before * before - slope * share) / (share * share);
        double lowest = isfinite(bend) && bend > 0.0 ? -0.5 * slope / bend : 0.1 * share;
        if (best > 0.0 && (lowest > 0.8 * share || best != share)) {
            break;
        }
        share = fmax(fmin(lowest, 0.8 * share), 0.1 * share);
    }
    if (best > 0.0) {
        (void)try_share(lead, best);
        memcpy(lead->q, sn_agent_q(lead->set, lead->agent), (size_t)lead->q_count * sizeof(double));
    } else {
        write_pose(lead, lead->q);
    }
    return best;
}

static sn_status approach(leading *lead, sn_error *error)
{
    double before = distance_now(lead);
    for (int i = 0; i < MOST_STEPS && before > CLOSE * lead->size; ++i) {
        bool moves;
        sn_status status = find_held_step(lead, &moves, error);
        if (status != SN_OK) {
            return status;
        }
        double share = moves ? go(lead, before) : 0.0;
        if (share * largest_move(lead, true) < SMALLEST &&
            share * largest_move(lead, false) < SMALLEST * lead->size) {
            break;
        }
        before = distance_now(lead);
    }
    return SN_OK;
}

sn_status sn_world_place_mechanism(sn_world *world, sn_agent_ref part, sn_vec3 local,
                                   sn_vec3 target, sn_error *error)
{
    sn_articulation *item = world->articulations.items[part.agent];
    sn_agent_set *set = &world->articulations.agents;
    leading lead = {.world = world,
                    .set = set,
                    .item = item,
                    .tree = &item->tree,
                    .agent = part.agent,
                    .part = part.part,
                    .n = item->tree.v_count,
                    .q_count = item->tree.q_count,
                    .tie_rows = sn_articulation_rows(&world->articulations, part.agent),
                    .local = local,
                    .target = target};
    sn_aabb box = set->type->bounds(set, part.agent);
    lead.size = fmax(sn_length(sn_vec3_sub(box.upper, box.lower)), 1e-9);
    sn_status status = make_lead(&lead) ? SN_OK : sn_fail_memory(error, sizeof(double));
    if (status == SN_OK) {
        memcpy(lead.q, sn_agent_q(set, part.agent), (size_t)lead.q_count * sizeof *lead.q);
        memset(sn_agent_v(set, part.agent), 0, (size_t)lead.n * sizeof(double));
        set->type->touch(set, part.agent);
        status = approach(&lead, error);
    }
    // Prescribed motions go on: their rates are what is left of the velocities.
    if (status == SN_OK && lead.tie_rows > 0) {
        (void)sn_articulation_close(&world->articulations, part.agent, world->time, NULL);
        set->type->touch(set, part.agent);
    }
    free_lead(&lead);
    return status;
}
