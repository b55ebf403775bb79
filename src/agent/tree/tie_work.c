#include "agent/tree/tie_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tree/tie_mode.h"
#include "agent/tree/tree_joint.h"
#include "base/memory.h"
#include "math/rotation.h"

// ---- making ----

static bool is_bounded(const sn_freedom_def *freedom)
{
    const sn_drive_def *drive = &freedom->drive;
    return freedom->friction > 0.0 || freedom->limit.lower > -INFINITY ||
           freedom->limit.upper < INFINITY || drive->type == SN_DRIVE_MOTION ||
           drive->type == SN_DRIVE_VELOCITY ||
           (drive->type == SN_DRIVE_POSITION && drive->force_limit < INFINITY);
}

bool sn_tie_work_is_needed(const sn_tree *tree, const sn_freedom_def *freedoms, int tie_count)
{
    bool needed = tie_count > 0;
    for (int j = 0; j < tree->v_count; ++j) {
        needed = needed || is_bounded(&freedoms[j]);
    }
    return needed;
}

static bool allocate_links(sn_tie_work *work, const sn_tree *tree)
{
    size_t n = (size_t)tree->count, nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
    work->pose = sn_allocate_zero(n * sizeof *work->pose);
    work->push = sn_allocate_zero(4 * n * sizeof *work->push);
    work->force = sn_allocate_zero((12 * nv + 2 * nq) * sizeof *work->force);
    work->limit = sn_allocate_zero(nv);
    work->order = sn_allocate_zero((n + (size_t)work->tie_count) * sizeof *work->order);
    if (work->pose == NULL || work->push == NULL || work->force == NULL || work->limit == NULL ||
        work->order == NULL) {
        return false;
    }
    work->velocity = work->push + n;
    work->load = work->velocity + n;
    work->part_load = work->load + n;
    work->moved = work->force + nv;
    work->past = work->moved + nv;
    work->armature = work->past + nv;
    work->mean = work->armature + nv;
    work->guessed = work->mean + nv;
    work->drive_load = work->guessed + nv;
    work->limit_load = work->drive_load + nv;
    work->friction_load = work->limit_load + nv;
    work->part_freedom = work->friction_load + nv;
    work->c = work->part_freedom + 3 * nv;
    work->before = work->c + nq;
    if (!sn_tie_modes_allocate(&work->modes, tree)) {
        return false;
    }
    return sn_tie_rows_allocate(&work->rows, tree);
}

static bool allocate_ties(sn_tie_work *work, const sn_tie *ties, const sn_tie_term *terms)
{
    size_t n = (size_t)work->tie_count;
    work->ties = sn_allocate(n * sizeof *ties);
    work->guides = sn_allocate_zero(n * sizeof *work->guides);
    work->places = sn_allocate_zero(2 * n * sizeof *work->places);
    work->tie_load = sn_allocate_zero(12 * n * sizeof *work->tie_load);
    work->terms = sn_allocate((size_t)work->term_count * sizeof *terms);
    if (work->ties == NULL || work->guides == NULL || work->places == NULL ||
        work->tie_load == NULL || work->terms == NULL) {
        work->tie_count = 0; // nothing to let go of
        return false;
    }
    work->ahead = work->places + n;
    work->part_tie = work->tie_load + 6 * n;
    for (size_t i = 0; i < n; ++i) {
        work->ties[i] = ties[i];
        if (ties[i].type == SN_TIE_CURVE) {
            sn_curve_retain(ties[i].curve);
        }
    }
    if (work->term_count > 0) {
        memcpy(work->terms, terms, (size_t)work->term_count * sizeof *terms);
    }
    return true;
}

sn_tie_work *sn_tie_work_make(const sn_tree *tree, const sn_tie *ties, int tie_count,
                              const sn_tie_term *terms, int term_count, sn_freedom_def *freedoms)
{
    sn_tie_work *work = sn_allocate_zero(sizeof *work);
    if (work == NULL) {
        return NULL;
    }
    *work = (sn_tie_work){.tie_count = tie_count, .term_count = term_count, .freedoms = freedoms};
    if (!allocate_ties(work, ties, terms) || !allocate_links(work, tree)) {
        sn_tie_work_free(work);
        return NULL;
    }
    if (!sn_tie_work_order(work, tree)) {
        sn_tie_work_free(work);
        return NULL;
    }
    return work;
}

void sn_tie_work_free(sn_tie_work *work)
{
    if (work == NULL) {
        return;
    }
    for (int i = 0; i < work->tie_count; ++i) {
        if (work->ties[i].type == SN_TIE_CURVE) {
            sn_curve_release(work->ties[i].curve);
        }
    }
    sn_free(work->ties);
    sn_free(work->terms);
    sn_free(work->guides);
    sn_free(work->places);
    sn_free(work->tie_load);
    sn_free(work->order);
    sn_free(work->pose);
    sn_free(work->push);
    sn_free(work->force);
    sn_free(work->limit);
    sn_tie_rows_free(&work->rows);
    sn_array_free(&work->bounds);
    sn_array_free(&work->numbers);
    sn_array_free(&work->states);
    sn_array_free(&work->out);
    sn_array_free(&work->kept_rows);
    sn_tie_modes_free(&work->modes);
    sn_tie_mix_free(&work->mix);
    sn_array_free(&work->kept_x);
    sn_free(work);
}

// ---- which roots are neighbours ----

// The two outermost roots that a tie acts on; a coupling may have more, between them.
static void roots_of(const sn_tie_work *work, const sn_tie *tie, int *low, int *high)
{
    *low = INT32_MAX;
    *high = -1;
    int count = tie->type == SN_TIE_COUPLING ? tie->term_count : 2;
    for (int i = 0; i < count; ++i) {
        int link = i == 0 ? tie->a : tie->b;
        if (tie->type == SN_TIE_COUPLING) {
            link = work->terms[tie->term + i].link;
        }
        if (link >= 0) {
            int root = work->rows.root[link];
            *low = root < *low ? root : *low;
            *high = root > *high ? root : *high;
        }
    }
}

// The place of each root in the order of Cuthill and McKee: breadth first over ties, from a root
// with few. rank: -1 until it is known.
static void rank_roots(const sn_tie_work *work, const sn_tree *tree, int *rank)
{
    int *queue = work->rows.root_first; // free between evaluations, when all are -1
    int ranked = 0;
    for (int start = 0; start < tree->count; ++start) {
        if (work->rows.root[start] != start || rank[start] >= 0) {
            continue;
        }
        int head = ranked;
        queue[ranked] = start;
        rank[start] = ranked++;
        for (; head < ranked; ++head) {
            for (int i = 0; i < work->tie_count; ++i) {
                int low, high;
                roots_of(work, &work->ties[i], &low, &high);
                int other = low == queue[head] ? high : (high == queue[head] ? low : -1);
                if (other >= 0 && other < tree->count && rank[other] < 0) {
                    queue[ranked] = other;
                    rank[other] = ranked++;
                }
            }
        }
    }
    for (int i = 0; i < tree->count; ++i) {
        queue[i] = -1;
    }
}

// ---- room ----

static int depth_of(const sn_tree *tree, int link)
{
    int depth = 0;
    for (; link >= 0; link = tree->links[link].parent) {
        ++depth;
    }
    return depth;
}

// The most that all rows of all blocks together may need.
typedef struct room {
    int rows, ends, entries;
    size_t stored; // numbers of Y
} room;

static void add_root(const sn_tie_work *work, int link, int row, int *first)
{
    int *from = &work->rows.root_first[work->rows.root[link]];
    *from = *from < 0 ? row : *from;
    *first = *from < *first ? *from : *first;
}

static void add_room(const sn_tie_work *work, const sn_tree *tree, const sn_tie_block *block,
                     room *all)
{
    int rows = 0, ends = 0, depth = 0, first = all->rows;
    if (block->tie >= 0) {
        const sn_tie *tie = &work->ties[block->tie];
        rows = sn_tie_row_count(tie->type);
        ends = tie->type == SN_TIE_COUPLING ? tie->term_count : 2;
        for (int i = 0; i < ends; ++i) {
            int link = i == 0 ? tie->a : tie->b;
            if (tie->type == SN_TIE_COUPLING) {
                link = work->terms[tie->term + i].link;
            }
            if (link >= 0) {
                depth += depth_of(tree, link);
                add_root(work, link, all->rows, &first);
            }
        }
    } else { // in each freedom a motion or a drive, friction and a limit
        rows = 3 * sn_tree_joint_v(tree->links[block->link].joint);
        ends = 1;
        depth = depth_of(tree, block->link);
        add_root(work, block->link, all->rows, &first);
    }
    for (int r = 0; r < rows; ++r) {
        all->stored += (size_t)(all->rows + r - first + 1);
    }
    all->rows += rows;
    all->ends += rows * ends;
    all->entries += rows * depth;
}

static bool reserve(sn_tie_work *work, const sn_tree *tree)
{
    room all = {0, 0, 0, 0};
    for (int i = 0; i < work->block_count; ++i) {
        add_room(work, tree, &work->order[i], &all);
    }
    for (int i = 0; i < tree->count; ++i) {
        work->rows.root_first[i] = -1;
    }
    int mixed = 3 * SN_MIX_DEPTH * all.rows;
    return all.stored < INT32_MAX &&
           sn_tie_rows_reserve(&work->rows, all.rows, all.ends, all.entries, (int)all.stored) &&
           sn_array_reserve(&work->bounds, all.rows) &&
           sn_array_reserve(&work->numbers, 5 * all.rows) &&
           sn_array_reserve(&work->states, all.rows) && sn_array_reserve(&work->out, all.rows) &&
           sn_array_reserve(&work->kept_rows, all.rows) &&
           sn_array_reserve(&work->kept_x, all.rows) && sn_array_reserve(&work->mix.memory, mixed);
}

// ---- the order of rows ----

static int compare_blocks(const void *a, const void *b)
{
    const sn_tie_block *x = a, *y = b;
    if (x->last != y->last) {
        return x->last < y->last ? -1 : 1;
    }
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    if (x->tie != y->tie) {
        return x->tie < y->tie ? -1 : 1;
    }
    return x->link < y->link ? -1 : x->link > y->link;
}

bool sn_tie_work_order(sn_tie_work *work, const sn_tree *tree)
{
    int *rank = work->rows.stamp; // free between evaluations, when all are -1
    sn_tie_rows_clear(&work->rows);
    rank_roots(work, tree, rank);
    work->block_count = 0;
    work->held_rows = 0;
    for (int i = 0; i < work->tie_count; ++i) {
        int low, high;
        roots_of(work, &work->ties[i], &low, &high);
        sn_tie_block block = {.tie = i, .link = -1};
        if (high >= 0) {
            block.last = rank[low] > rank[high] ? rank[low] : rank[high];
            block.first = rank[low] > rank[high] ? rank[high] : rank[low];
        }
        work->order[work->block_count++] = block;
        work->held_rows += sn_tie_row_count(work->ties[i].type);
    }
    for (int i = 0; i < tree->count; ++i) {
        bool acts = false;
        for (int k = 0; k < sn_tree_joint_v(tree->links[i].joint); ++k) {
            const sn_freedom_def *freedom = &work->freedoms[tree->links[i].v + k];
            acts = acts || is_bounded(freedom);
            work->held_rows += freedom->drive.type == SN_DRIVE_MOTION;
        }
        if (acts) {
            int at = rank[work->rows.root[i]];
            work->order[work->block_count++] =
                (sn_tie_block){.tie = -1, .link = i, .last = at, .first = at};
        }
    }
    qsort(work->order, (size_t)work->block_count, sizeof *work->order, compare_blocks);
    for (int i = 0; i < tree->count; ++i) {
        rank[i] = -1;
    }
    sn_tie_modes_arrange(work, tree);
    return reserve(work, tree);
}

// ---- freedoms ----

sn_motion_state sn_tie_target(const sn_drive_def *drive, double time)
{
    if (drive->motion != NULL) {
        sn_motion_state at = sn_motion_at(drive->motion, time);
        return drive->target == SN_TARGET_MIRRORED
                   ? (sn_motion_state){-at.value, -at.rate, -at.acceleration}
                   : at;
    }
    return (sn_motion_state){.value = drive->target};
}

static sn_vec3 ball_turn(const double *q)
{
    return sn_quat_log(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
}

double sn_tie_lack(const sn_freedom_def *freedoms, const sn_tree_link *link, int own,
                   const double *q, double time)
{
    const sn_freedom_def *all = freedoms + link->v;
    if (link->joint != SN_TREE_BALL) {
        return sn_tie_target(&all[own].drive, time).value - q[link->q + own];
    }
    sn_vec3 now = ball_turn(q + link->q);
    double target[3] = {now.x, now.y, now.z};
    for (int i = 0; i < 3; ++i) {
        if (all[i].drive.type == SN_DRIVE_POSITION) {
            target[i] = sn_tie_target(&all[i].drive, time).value;
        }
    }
    sn_quat there = sn_quat_exp(sn_vec3_at(target)), here = sn_quat_exp(now);
    return sn_vec3_component(sn_quat_log(sn_quat_multiply(sn_quat_conjugate(here), there)), own);
}

double sn_tie_position(const sn_tree *tree, int link, int own, const double *q)
{
    const double *at = q + tree->links[link].q;
    return tree->links[link].joint == SN_TREE_BALL ? sn_vec3_component(ball_turn(at), own)
                                                   : at[own];
}

void sn_tie_work_own(sn_tie_work *work, const sn_tree *tree, int tag, int link, int part,
                     sn_vec3 local)
{
    sn_vec3 own = local;
    if (tree->links[link].joint >= SN_TREE_BALL) {
        own = sn_mat3_apply(tree->pose[link].rotation, local);
    }
    sn_tie_rows_add(&work->rows, tag, link, part);
    sn_tie_rows_own(&work->rows, link, own);
}

// ---- rows ----

static void add_tie(sn_tie_work *work, const sn_tree *tree, int index)
{
    const sn_tie *tie = &work->ties[index];
    const sn_tie_place *place = &work->places[index];
    for (int r = 0; r < place->rows; ++r) {
        sn_tie_rows_add(&work->rows, SN_ROW_TIE, index, r);
        if (tie->type == SN_TIE_COUPLING) {
            for (int i = 0; i < tie->term_count; ++i) {
                const sn_tie_term *term = &work->terms[tie->term + i];
                sn_vec3 own = {term->own == 0, term->own == 1, term->own == 2};
                if (tree->links[term->link].joint >= SN_TREE_BALL) {
                    own = sn_mat3_apply(tree->pose[term->link].rotation, own);
                }
                sn_tie_rows_own(&work->rows, term->link, sn_vec3_scale(term->factor, own));
            }
            continue;
        }
        const sn_spatial *row = &place->row[r];
        for (int side = 0; side < 2; ++side) {
            int link = side == 0 ? tie->a : tie->b;
            if (link >= 0) {
                sn_vec3 at = side == 0 ? place->at_a : place->at_b;
                sn_vec3 arm = sn_vec3_sub(at, tree->pose[link].origin);
                sn_spatial push = {sn_vec3_add(row->angular, sn_cross(arm, row->linear)),
                                   row->linear};
                sn_tie_rows_wrench(&work->rows, link,
                                   side == 0 ? sn_spatial_scale(-1.0, push) : push);
            }
        }
    }
}

// k = (1 - a/2 cot(a/2)) / a^2 with a^2 = `square`.
void sn_tie_turn_factor(double square, double *k, double *rate)
{
    if (square < 1e-3) { // 1/12 + x/720 + x^2/30240 + x^3/1209600
        *k = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0));
        *rate = 1.0 / 720.0 + square * (1.0 / 15120.0 + square / 403200.0);
        return;
    }
    double half = 0.5 * sqrt(square), sine = sn_sin(half), cotangent = sn_cos(half) / sine;
    double whole = half * cotangent; // its derivative by a: cot / 2 - a / (4 sin^2)
    double slope = 0.5 * cotangent - 0.5 * half / (sine * sine);
    *k = (1.0 - whole) / square;
    *rate = -slope / (4.0 * half * square) - *k / square;
}

// Row k of 1 + [r]x / 2 + factor [r]x^2: that of component k of a ball's rotation vector.
static sn_vec3 turn_row(sn_vec3 r, int k)
{
    sn_vec3 e = {k == 0, k == 1, k == 2};
    sn_vec3 across = sn_cross(e, r); // e^T [r]x
    sn_vec3 twice = sn_cross(across, r);
    double factor, rate;
    sn_tie_turn_factor(sn_dot(r, r), &factor, &rate);
    return sn_vec3_add_scaled(sn_vec3_add_scaled(e, 0.5, across), factor, twice);
}

static void add_motions(sn_tie_work *work, const sn_tree *tree, const double *q, int link)
{
    for (int k = 0; k < sn_tree_joint_v(tree->links[link].joint); ++k) {
        if (work->freedoms[tree->links[link].v + k].drive.type != SN_DRIVE_MOTION) {
            continue;
        }
        sn_vec3 local = {k == 0, k == 1, k == 2};
        if (tree->links[link].joint < SN_TREE_BALL) {
            local = sn_vec3_make(1.0, 0.0, 0.0);
        } else if (tree->links[link].joint == SN_TREE_BALL) {
            local = turn_row(ball_turn(q + tree->links[link].q), k);
        }
        sn_tie_work_own(work, tree, SN_ROW_MOTION, link, k, local);
    }
}

bool sn_tie_work_list(sn_tie_work *work, sn_tree *tree, const double *q, sn_tie_bounded *bounded,
                      void *context)
{
    sn_tie_rows_clear(&work->rows);
    work->ready = false;
    memset(work->modes.row, -1, 3 * (size_t)tree->v_count * sizeof *work->modes.row);
    for (int i = 0; i < work->block_count; ++i) {
        const sn_tie_block *block = &work->order[i];
        if (block->tie >= 0) {
            sn_tie_locate(&work->ties[block->tie], work->terms, tree, tree->pose, q,
                          &work->guides[block->tie], &work->places[block->tie]);
            add_tie(work, tree, block->tie);
        } else {
            add_motions(work, tree, q, block->link);
            if (bounded != NULL) {
                bounded(context, work, tree, block->link);
            }
        }
    }
    return !work->rows.failed;
}

bool sn_tie_work_rows(sn_tie_work *work, sn_tree *tree, const double *q, sn_tie_bounded *bounded,
                      void *context)
{
    if (!sn_tie_work_list(work, tree, q, bounded, context)) {
        return false;
    }
    int count = work->rows.rows.count;
    // One number too many, so that there is an array to point into also without rows.
    if (!sn_tie_rows_finish(&work->rows, tree) || !sn_array_resize(&work->bounds, count) ||
        !sn_array_resize(&work->numbers, 5 * count + 1) || !sn_array_resize(&work->states, count) ||
        !sn_array_resize(&work->out, count)) {
        return false;
    }
    work->x = work->numbers.data;
    work->rest = work->x + count;
    work->y = work->rest + count;
    work->z = work->y + count;
    work->sum = work->z + count;
    for (int r = 0; r < count; ++r) {
        if (work->rows.rows.data[r].tag <= SN_ROW_MOTION) {
            work->bounds.data[r] = (sn_tie_bound){.law = sn_tie_law_hold()};
        }
        work->states.data[r] = 1;
        work->x[r] = 0.0;
    }
    return true;
}

// ---- errors ----

// Of the rows, with ties at `places`.
static double measure_errors(const sn_tie_work *work, const sn_tree *tree,
                             const sn_tie_place *places, const double *q, double time,
                             double *error)
{
    double largest = 0.0;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        double off = 0.0;
        if (row->tag == SN_ROW_TIE) {
            off = places[row->source].error[row->part];
        } else if (row->tag == SN_ROW_MOTION) {
            const sn_freedom_def *freedom = &work->freedoms[tree->links[row->source].v + row->part];
            off = sn_tie_position(tree, row->source, row->part, q) -
                  sn_tie_target(&freedom->drive, time).value;
        } else if (work->modes.held) {
            off = sn_tie_mode_error(work, tree, row->tag, row->source, row->part, q);
        }
        largest = fabs(off) <= largest ? largest : fabs(off);
        error[r] = row->scale * off;
    }
    return largest;
}

double sn_tie_work_errors(sn_tie_work *work, const sn_tree *tree, const double *q, double time,
                          double *error)
{
    sn_tree_place_into(tree, q, work->pose);
    for (int i = 0; i < work->tie_count; ++i) {
        sn_tie_guide guide = work->guides[i];
        sn_tie_locate(&work->ties[i], work->terms, tree, work->pose, q, &guide, &work->ahead[i]);
    }
    return measure_errors(work, tree, work->ahead, q, time, error);
}

double sn_tie_work_errors_here(const sn_tie_work *work, const sn_tree *tree, const double *q,
                               double time, double *error)
{
    return measure_errors(work, tree, work->places, q, time, error);
}

void sn_tie_work_rates(const sn_tie_work *work, const sn_tree *tree, double time, double *rate)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        rate[r] = 0.0;
        if (row->tag == SN_ROW_MOTION) {
            const sn_freedom_def *freedom = &work->freedoms[tree->links[row->source].v + row->part];
            rate[r] = row->scale * sn_tie_target(&freedom->drive, time).rate;
        } else if (row->tag == SN_ROW_FREEDOM && work->modes.held) {
            rate[r] = row->scale * sn_tie_mode_velocity(work, tree, row->source, row->part, time);
        }
    }
}

double sn_tie_work_norm(sn_tie_work *work, const sn_tree *tree, const double *y)
{
    double sum = 0.0;
    sn_tree_velocity(tree, y, work->velocity);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 w = work->velocity[i].angular;
        sn_vec3 v = sn_velocity_at(work->velocity[i].linear, w, body->reach);
        sum += body->mass * sn_dot(v, v) + sn_dot(w, sn_sym3_apply(&body->inertia, w));
    }
    return sum;
}

double sn_tie_work_reach(sn_tie_work *work, const double *x)
{
    double sum = 0.0;
    sn_tie_rows_apply(&work->rows, x, work->z);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        sum += x[r] * work->z[r];
    }
    return sum;
}

double sn_tie_work_tolerance(const sn_tie_work *work)
{
    double size = 1e-3;
    for (int i = 0; i < work->tie_count; ++i) {
        if (work->ties[i].type != SN_TIE_COUPLING) {
            size = fmax(size, sn_length(work->places[i].at_b));
            size = fmax(size, sn_length(work->places[i].at_a));
        }
    }
    return 2e-14 * (1.0 + size);
}
