// What an articulation's ties, limits, friction and drives do, read from outside, and changed.
#include <math.h>
#include <string.h>

#include "agent/tree/articulation.h"
#include "agent/tree/tie_mode.h"
#include "agent/tree/tie_project.h"
#include "agent/tree/tie_rate.h"
#include "agent/tree/tie_step.h"
#include "base/memory.h"
#include "math/dense.h"

// ---- freedoms ----

void sn_articulation_sum_freedoms(sn_articulation *item)
{
    item->sprung = item->prescribed = false;
    for (int j = 0; j < item->tree.v_count; ++j) {
        item->sprung = item->sprung || sn_freedom_is_sprung(&item->freedoms[j]);
        item->prescribed = item->prescribed || item->freedoms[j].drive.type == SN_DRIVE_MOTION;
    }
}

bool sn_articulation_set_freedom(sn_articulation_set *set, int agent, int freedom,
                                 const sn_freedom_def *def)
{
    sn_articulation *item = set->items[agent];
    sn_freedom_def before = item->freedoms[freedom];
    item->freedoms[freedom] = *def;
    if (item->ties == NULL && sn_tie_work_is_needed(&item->tree, item->freedoms, 0)) {
        item->ties = sn_tie_work_make(&item->tree, NULL, 0, NULL, 0, item->freedoms);
        if (item->ties == NULL) {
            item->freedoms[freedom] = before;
            return false;
        }
    } else if (item->ties != NULL && !sn_tie_work_order(item->ties, &item->tree)) {
        item->freedoms[freedom] = before;
        sn_tie_work_order(item->ties, &item->tree); // for which there was room
        return false;
    }
    sn_motion_retain(def->drive.motion);
    sn_motion_release(before.drive.motion);
    sn_articulation_sum_freedoms(item);
    return true;
}

// ---- closing ----

static sn_articulation_gap worst_gap(const sn_articulation *item, const double *error)
{
    const sn_tie_work *work = item->ties;
    sn_articulation_gap gap = {-1, -1, 0.0, 0.0};
    double most = -1.0;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        double off = fabs(error[r] / row->scale);
        if (!(off <= most)) {
            most = off;
            gap.tie = row->tag == SN_ROW_TIE ? row->source : -1;
            gap.freedom = row->tag == SN_ROW_TIE ? -1 : item->tree.links[row->source].v + row->part;
        }
    }
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        double off = error[r] / row->scale;
        bool turns = false;
        if (row->tag == SN_ROW_TIE) {
            if (row->source != gap.tie) {
                continue;
            }
            turns = work->ties[row->source].type == SN_TIE_WELD && row->part < 3;
        } else {
            const sn_tree_link *link = &item->tree.links[row->source];
            if (gap.freedom != link->v + row->part) {
                continue;
            }
            turns = link->joint != SN_TREE_SLIDER && link->joint != SN_TREE_TRANSLATION;
        }
        double *sum = turns ? &gap.angular : &gap.linear;
        *sum = sqrt(*sum * *sum + off * off);
    }
    return gap;
}

bool sn_articulation_close(sn_articulation_set *set, int agent, double time,
                           sn_articulation_gap *gap)
{
    sn_articulation *item = set->items[agent];
    sn_agent_set *agents = &set->agents;
    if (gap != NULL) {
        *gap = (sn_articulation_gap){-1, -1, 0.0, 0.0};
    }
    if (item->ties == NULL || item->ties->held_rows == 0) {
        return true;
    }
    sn_tie_work *work = item->ties;
    double *q = sn_agent_q(agents, agent), *v = sn_agent_v(agents, agent), largest;
    size_t size = (size_t)item->tree.q_count * sizeof *q;
    memcpy(work->before, q, size);
    bool closed = sn_tie_close(work, &item->tree, time, q, v, &largest);
    if (!closed) {
        if (gap != NULL && isfinite(largest)) { // else there was no memory to look
            sn_tie_work_errors(work, &item->tree, q, time, work->rest);
            *gap = worst_gap(item, work->rest);
        }
        memcpy(q, work->before, size);
    }
    agents->type->touch(agents, agent);
    return closed;
}

// ---- rows ----

int sn_articulation_rows(const sn_articulation_set *set, int agent)
{
    const sn_articulation *item = set->items[agent];
    return item->ties != NULL ? item->ties->held_rows : 0;
}

// Rows of ties and motions at the present q, with errors in work->rest; false: there are none.
static bool prepare(sn_articulation_set *set, int agent, double time)
{
    sn_articulation *item = set->items[agent];
    const double *q = sn_agent_q(&set->agents, agent);
    if (item->ties == NULL || item->ties->held_rows == 0) {
        return false;
    }
    for (int i = 0; i < item->ties->tie_count; ++i) {
        item->ties->guides[i] = (sn_tie_guide){NAN, -1};
    }
    bool prepared = sn_tie_prepare(item->ties, &item->tree, q);
    if (prepared) {
        sn_tie_work_errors(item->ties, &item->tree, q, time, item->ties->rest);
    }
    item->placed = false;
    item->moving = false;
    return prepared;
}

int sn_articulation_rank(sn_articulation_set *set, int agent, double time)
{
    if (!prepare(set, agent, time)) {
        return 0;
    }
    const sn_tie_rows *rows = &set->items[agent]->ties->rows;
    int count = rows->rows.count, rank = -1;
    size_t n = (size_t)count;
    double *dense = sn_allocate_zero(n * n * sizeof *dense);
    int *order = sn_allocate(n * sizeof *order);
    if (dense != NULL && order != NULL) {
        for (int r = 0; r < count; ++r) {
            const sn_tie_row *row = &rows->rows.data[r];
            for (int s = row->first; s <= r; ++s) {
                dense[(size_t)r * n + (size_t)s] = rows->y.data[row->offset + (size_t)s];
            }
        }
        rank = sn_ldl_factor_pivoted(count, dense, order, 1e-10);
    }
    sn_free(dense);
    sn_free(order);
    return rank;
}

void sn_articulation_jacobian(sn_articulation_set *set, int agent, double time, double *j,
                              double *error)
{
    if (!prepare(set, agent, time)) {
        return;
    }
    sn_articulation *item = set->items[agent];
    sn_tie_work *work = item->ties;
    size_t nv = (size_t)item->tree.v_count;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        double scale = work->rows.rows.data[r].scale;
        error[r] = work->rest[r] / scale;
        memset(work->x, 0, (size_t)work->rows.rows.count * sizeof *work->x);
        memset(work->push, 0, (size_t)item->tree.count * sizeof *work->push);
        memset(work->force, 0, nv * sizeof *work->force);
        work->x[r] = 1.0 / scale;
        sn_tie_rows_push(&work->rows, &item->tree, work->x, work->push, work->force);
        sn_tree_gather(&item->tree, work->push, j + (size_t)r * nv);
        for (size_t k = 0; k < nv; ++k) {
            j[(size_t)r * nv + k] += work->force[k];
        }
    }
}

// ---- loads ----

bool sn_articulation_knows_loads(const sn_articulation_set *set, int agent)
{
    return set->items[agent]->known;
}

// Loads in the freedoms, of which those of rows are in `ties`; drive and limit: v_count, the rest.
static void write_freedom_loads(sn_articulation *item, const double *drive, const double *limit)
{
    for (int j = 0; j < item->tree.v_count; ++j) {
        sn_freedom_load *load = &item->freedom_load[j];
        *load = (sn_freedom_load){drive[j], limit[j], 0.0};
        if (item->ties != NULL) {
            load->drive += item->ties->drive_load[j];
            load->limit += item->ties->limit_load[j];
            load->friction += item->ties->friction_load[j];
        }
    }
}

// Of a step, or of one of its parts, but for contact.
static void find_step_loads(sn_articulation *item)
{
    sn_tree *tree = &item->tree;
    size_t nv = (size_t)tree->v_count;
    double *drive = item->force, *limit = drive + nv, *past = limit + nv, *moved = past + nv;
    memset(item->force, 0, 2 * nv * sizeof *item->force);
    tree->added = item->mass_scaled ? item->swings.added : NULL; // as the step had it
    sn_tree_place(tree, item->step.c);
    item->placed = false;
    item->moving = false;
    if (item->ties != NULL) {
        memcpy(item->load, item->ties->load, (size_t)tree->count * sizeof *item->load);
    } else {
        sn_tree_step_loads(&item->step, tree, item->load);
    }
    sn_tree_step_past(&item->step, tree, past);
    sn_tree_step_moved(&item->step, tree, moved);
    sn_tie_drive_loads(item->freedoms, tree, item->step.c, item->last_time, item->step.h, past,
                       moved, item->weight, drive);
    write_freedom_loads(item, drive, limit);
}

void sn_articulation_add_part_loads(sn_articulation *item, double share, bool first)
{
    sn_tie_work *work = item->ties;
    find_step_loads(item);
    work->in_parts = true;
    if (first) {
        memset(work->part_load, 0, (size_t)item->tree.count * sizeof *work->part_load);
        memset(work->part_freedom, 0, 3 * (size_t)item->tree.v_count * sizeof *work->part_freedom);
        memset(work->part_tie, 0, 6 * (size_t)work->tie_count * sizeof *work->part_tie);
    }
    for (int i = 0; i < item->tree.count; ++i) {
        work->part_load[i] = sn_spatial_add_scaled(work->part_load[i], share, item->load[i]);
    }
    for (int j = 0; j < item->tree.v_count; ++j) {
        work->part_freedom[3 * j] += share * item->freedom_load[j].drive;
        work->part_freedom[3 * j + 1] += share * item->freedom_load[j].limit;
        work->part_freedom[3 * j + 2] += share * item->freedom_load[j].friction;
    }
    for (int k = 0; k < 6 * work->tie_count; ++k) {
        work->part_tie[k] += share * work->tie_load[k];
    }
}

// Of a step: asked for more rarely than steps are made.
static void sum_loads(sn_articulation *item)
{
    if (item->summed) {
        return;
    }
    const sn_tree *tree = &item->tree;
    const sn_tie_work *work = item->ties;
    if (work != NULL && work->in_parts) {
        memcpy(item->load, work->part_load, (size_t)tree->count * sizeof *item->load);
        for (int j = 0; j < tree->v_count; ++j) {
            const double *mean = work->part_freedom + 3 * (size_t)j;
            item->freedom_load[j] = (sn_freedom_load){mean[0], mean[1], mean[2]};
        }
    } else {
        find_step_loads(item);
    }
    if (item->touched) {
        for (int i = 0; i < tree->count; ++i) {
            item->load[i] =
                sn_spatial_add_scaled(item->load[i], 1.0 / item->last_step, item->struck[i]);
        }
    }
    item->summed = true;
}

void sn_articulation_find_loads(sn_articulation_set *set, int agent, sn_vec3 gravity)
{
    sn_articulation *item = set->items[agent];
    sn_agent_set *agents = &set->agents;
    sn_tree *tree = &item->tree;
    const double *q = sn_agent_q(agents, agent), *v = sn_agent_v(agents, agent);
    size_t nv = (size_t)tree->v_count;
    double *a = item->force + 2 * nv, *rest = a + nv;
    sn_articulation_accelerations(agents, agent, gravity, a);
    if (item->ties != NULL) {
        sn_tie_state state = {agents->now, q, v};
        item->ties->in_parts = false;
        sn_tie_note_rows(item->ties, tree, 1.0);
        sn_tie_mode_forces(item->ties, tree, &state, item->ties->drive_load,
                           item->ties->friction_load);
        sn_tie_note_motions(item->ties, tree, agents->now, 0.0);
        memset(item->ties->force, 0, nv * sizeof(double));
        sn_tie_rows_push(&item->ties->rows, tree, item->ties->x, item->wrench, item->ties->force);
    }
    sn_tree_inverse(tree, v, a, gravity, item->wrench, rest); // and leaves what joints pass on
    memcpy(item->load, tree->scratch, (size_t)tree->count * sizeof *item->load);
    memset(item->force, 0, 2 * nv * sizeof *item->force);
    sn_tie_force_loads(item->freedoms, NULL, tree, agents->now, q, v, item->force,
                       item->force + nv);
    write_freedom_loads(item, item->force, item->force + nv);
    item->known = true;
    item->summed = true;
}

sn_spatial sn_articulation_load(sn_articulation_set *set, int agent, int link)
{
    sum_loads(set->items[agent]);
    return set->items[agent]->load[link];
}

sn_freedom_load sn_articulation_freedom_load(sn_articulation_set *set, int agent, int freedom)
{
    sum_loads(set->items[agent]);
    return set->items[agent]->freedom_load[freedom];
}

void sn_articulation_tie_load(sn_articulation_set *set, int agent, int tie, double load[6])
{
    const sn_tie_work *work = set->items[agent]->ties;
    const double *loads = work->in_parts ? work->part_tie : work->tie_load;
    memcpy(load, loads + 6 * (size_t)tie, 6 * sizeof *load);
}
