#include "agent/tree/tie_contact.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_mode_part.h"
#include "agent/tree/tie_project.h"

// A hinge that is further from its limit is not turned there in one step.
static const double out_of_reach = 1.1; // rad

static bool can_reach(const sn_tree_link *link, double room)
{
    bool turns = link->joint != SN_TREE_SLIDER && link->joint != SN_TREE_TRANSLATION;
    return !turns || room < out_of_reach;
}

void sn_tie_contact_project(sn_tie_work *work, sn_tree *tree, double *x)
{
    if (work->rows.rows.count > 0) {
        sn_tie_take_from(work, tree, NULL, x);
    }
}

// ---- rows as contact sees them ----

// The pieces of a row's law, one by one; `per`: 1 / h where laws are in movements and forces times
// h^2, 1 where in velocities and impulses. h: of the step that looks for limits.
static int tell_row(const sn_tie_work *work, const sn_tree *tree, int r, double per, double h,
                    sn_agent_row *rows, int capacity)
{
    const sn_tie_row *row = &work->rows.rows.data[r];
    const sn_tie_bound *bound = &work->bounds.data[r];
    const sn_tree_link *link = &tree->links[row->source];
    int count = 0;
    if (bound->cone < 0.0) {
        return 0; // told with the first of the three
    }
    for (int i = 0; i < bound->law.piece_count && count < capacity; ++i) {
        const sn_tie_piece *piece = &bound->law.pieces[i];
        double room = fabs(piece->at) * per * h;
        if (piece->kind == SN_PIECE_LIMIT && piece->slope == INFINITY && !can_reach(link, room)) {
            continue;
        }
        sn_agent_row *to = &rows[count++];
        *to = (sn_agent_row){.freedom = link->v + row->part,
                             .width = 1,
                             .target = per * piece->at,
                             .softness = piece->slope < INFINITY ? 1.0 / piece->slope : 0.0,
                             .lower = per * piece->lower,
                             .upper = per * piece->upper};
        if (row->tag == SN_ROW_CONE) {
            to->width = 3;
            to->cone = per * bound->cone;
        } else if (row->tag == SN_ROW_LIMIT) {
            sn_vec3 own = work->rows.ends.data[row->end].push.angular;
            to->width = 3;
            to->direction = sn_mat3_apply_transpose(tree->pose[row->source].rotation,
                                                    sn_vec3_scale(1.0 / row->scale, own));
        }
    }
    return count;
}

static int tell_rows(const sn_tie_work *work, const sn_tree *tree, double per, double h,
                     sn_agent_row *rows, int capacity)
{
    int count = 0;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        if (work->rows.rows.data[r].tag > SN_ROW_MOTION) {
            count += tell_row(work, tree, r, per, h, rows + count, capacity - count);
        }
    }
    return count;
}

// ---- in the step ----

// Hard limits may come into play by what contact does: all of them get rows.
static void note_hard_limits(sn_tie_work *work, const sn_tree *tree)
{
    for (int j = 0; j < tree->v_count; ++j) {
        const sn_limit_def *limit = &work->freedoms[j].limit;
        if (work->limit[j] == 0 && limit->stiffness == 0.0 &&
            (limit->upper < INFINITY || limit->lower > -INFINITY)) {
            work->limit[j] = 1;
        }
    }
}

int sn_tie_contact_rows(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                        sn_agent_row *rows, int capacity)
{
    note_hard_limits(work, tree);
    if (!sn_tie_step_rows(work, step, tree, time)) {
        return -1;
    }
    int count = tell_rows(work, tree, 1.0 / step->h, step->h, rows, capacity);
    if (!sn_tie_work_rows(work, tree, step->c, NULL, NULL)) {
        return -1;
    }
    sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_FIRM);
    return count;
}

// ---- at its end ----

typedef struct struck_context {
    double time, h;
    const double *q;
    const double *v; // not NULL: hard limits that these velocities are far from get no row
} struck_context;

bool sn_tie_contact_strike(sn_tie_work *work, sn_tree *tree, const double *q)
{
    for (int i = 0; i < work->tie_count; ++i) {
        work->guides[i] = (sn_tie_guide){NAN, -1};
    }
    return sn_tie_prepare(work, tree, q);
}

static void add_row(sn_tie_work *work, const sn_tree *tree, int tag, int link, int k, sn_vec3 local,
                    sn_tie_law *law)
{
    if (law->piece_count == 0) {
        return;
    }
    sn_tie_work_own(work, tree, tag, link, k, local);
    int count = work->rows.rows.count;
    if (work->rows.failed || !sn_array_reserve(&work->bounds, count)) {
        work->rows.failed = true;
        return;
    }
    sn_tie_law_finish(law);
    work->bounds.data[count - 1] = (sn_tie_bound){.law = *law};
}

// A velocity towards a limit that is less than this share of what leads to it: the limit is left
// out until it is seen to be gone beyond.
static const double far_share = 0.5;

static bool is_far(const struck_context *context, double room, double rate)
{
    return 0.5 * context->h * rate < far_share * room;
}

static void add_limits(const struck_context *context, const sn_limit_def *limit,
                       const sn_tie_reach *reach, sn_tie_law *law)
{
    for (int lower = 0; lower < 2; ++lower) {
        double end = lower ? limit->lower : limit->upper, side = lower ? -1.0 : 1.0;
        if (!isfinite(end) || limit->stiffness > 0.0 || (lower && reach->ball)) {
            continue;
        }
        double room = side * (end - reach->at);
        if (context->v != NULL && !reach->ball && is_far(context, room, side * reach->rate)) {
            continue;
        }
        if (room <= 1e-12 * (1.0 + fabs(end))) {
            room = 0.0;
        } else if (context->h == 0.0) {
            continue;
        }
        sn_tie_law_add(
            law, (sn_tie_piece){SN_PIECE_LIMIT, room > 0.0 ? side * 2.0 * room / context->h : 0.0,
                                INFINITY, lower ? 0.0 : -INFINITY, lower ? INFINITY : 0.0});
    }
}

static void add_struck(void *user, sn_tie_work *work, sn_tree *tree, int link)
{
    const struck_context *context = user;
    const sn_tree_link *at = &tree->links[link];
    bool ball = at->joint == SN_TREE_BALL;
    for (int k = 0; k < sn_tree_joint_v(at->joint); ++k) {
        const sn_freedom_def *freedom = &work->freedoms[at->v + k];
        const sn_drive_def *drive = &freedom->drive;
        sn_tie_law law = {0}, angle = {0};
        if (drive->type == SN_DRIVE_VELOCITY && drive->force_limit == INFINITY) {
            sn_tie_law_add(&law,
                           (sn_tie_piece){SN_PIECE_DRIVE, sn_tie_target(drive, context->time).value,
                                          INFINITY, -INFINITY, INFINITY});
        }
        sn_tie_reach reach = sn_tie_reach_of(tree, link, k, context->q, context->v);
        if (ball ? k == 0 : !sn_tie_is_moved(freedom)) {
            add_limits(context, &freedom->limit, &reach, ball ? &angle : &law);
        }
        add_row(work, tree, SN_ROW_FREEDOM, link, k, sn_vec3_make(k == 0, k == 1, k == 2), &law);
        if (reach.at > 0.0) {
            add_row(work, tree, SN_ROW_LIMIT, link, k, reach.along, &angle);
        }
    }
}

int sn_tie_struck_rows(sn_tie_work *work, sn_tree *tree, double time, double h, const double *q,
                       sn_agent_row *rows, int capacity)
{
    struck_context context = {time, h, q, NULL};
    if (!sn_tie_work_list(work, tree, q, add_struck, &context)) {
        return -1;
    }
    int count = tell_rows(work, tree, 1.0, 0.5 * h, rows, capacity);
    if (!sn_tie_work_rows(work, tree, q, NULL, NULL)) {
        return -1;
    }
    sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_FIRM);
    return count;
}

// Do velocities lead beyond a limit that was left out?
static bool goes_beyond(const struck_context *context, const sn_tie_work *work, const sn_tree *tree,
                        const double *v)
{
    bool any = false;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint) && link->joint != SN_TREE_BALL; ++k) {
            const sn_freedom_def *freedom = &work->freedoms[link->v + k];
            const sn_limit_def *limit = &freedom->limit;
            double at = context->q[link->q + k], way = 0.5 * context->h * v[link->v + k];
            bool held = limit->stiffness > 0.0 || sn_tie_is_moved(freedom);
            any = any || (!held && ((at + way > limit->upper &&
                                     is_far(context, limit->upper - at, context->v[link->v + k])) ||
                                    (at + way < limit->lower && is_far(context, at - limit->lower,
                                                                       -context->v[link->v + k]))));
        }
    }
    return any;
}

bool sn_tie_struck_settle(sn_tie_work *work, sn_tree *tree, double time, double h, const double *q,
                          sn_spatial *wrench, double *v)
{
    struck_context context = {time, h, q, work->modes.v_before};
    size_t size = (size_t)tree->v_count * sizeof *v;
    memcpy(work->modes.v_before, v, size);
    if (!sn_tie_work_rows(work, tree, q, add_struck, &context)) {
        return false;
    }
    sn_tie_throw(work, tree, time, wrench, v);
    if (!goes_beyond(&context, work, tree, v)) {
        return true;
    }
    memcpy(v, work->modes.v_before, size);
    memset(wrench, 0, (size_t)tree->count * sizeof *wrench);
    context.v = NULL;
    if (!sn_tie_work_rows(work, tree, q, add_struck, &context)) {
        return false;
    }
    sn_tie_throw(work, tree, time, wrench, v);
    return true;
}
