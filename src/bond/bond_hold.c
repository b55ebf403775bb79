// Bonds between bodies that move, under integrators with stages: as agent/elastic_hold.c has it for
// the bonds of one body, with all bodies of a group in one system. With a the accelerations without
// bonds and s the rate at which errors die out,
//
//     J M^-1 J^T lambda = J a + curvature + 2 s g' + s^2 g,   a -= M^-1 J^T lambda
//
// Rows that say the same twice are left out by pivoting.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bond/bond.h"
#include "math/dense.h"
#include "model/world.h"

enum { STRIDE = SN_SOLID_STRIDE };

static const double DEPENDENT_ROWS = 1e-10; // pivots below this share of the first say nothing new

static bool has_two_ends(const sn_world *world, const sn_bond_record *record)
{
    const sn_body_record *other = sn_world_body_record(world, record->other);
    return other != NULL && other->agent.agent >= 0;
}

static bool is_staged(const sn_world *world, sn_agent_ref ref)
{
    return sn_integrator_is_staged(world->sets[ref.set]->agents[ref.agent].integrator);
}

// ---- which ----

bool sn_world_ties_groups(const sn_world *world)
{
    bool ties = false;
    for (int i = 0; i < world->bonds.order.count && !ties; ++i) {
        const sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        ties = has_two_ends(world, record) &&
               is_staged(world, sn_world_body_record(world, record->body)->agent);
    }
    return ties;
}

sn_status sn_world_check_tied(const sn_world *world, sn_body a, sn_body b, const char *name,
                              sn_error *error)
{
    const sn_body_record *ends[2] = {sn_world_body_record(world, a),
                                     sn_world_body_record(world, b)};
    if (ends[1] == NULL || ends[1]->agent.agent < 0 ||
        (!is_staged(world, ends[0]->agent) && !is_staged(world, ends[1]->agent))) {
        return SN_OK;
    }
    sn_integrator integrators[2];
    for (int i = 0; i < 2; ++i) {
        sn_agent_ref ref = ends[i]->agent;
        integrators[i] = (sn_integrator)world->sets[ref.set]->agents[ref.agent].integrator;
    }
    if (integrators[0] != integrators[1]) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, name,
                       "ties '%s', moved by %s, to '%s', moved by %s; where one has stages both "
                       "need the same",
                       ends[0]->name, sn_integrator_word(integrators[0]), ends[1]->name,
                       sn_integrator_word(integrators[1]));
    }
    if (sn_world_traits(world, ends[1]->agent.set)->jointed) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, name,
                       "'%s' is part of a mechanism and moved by %s; to mechanisms elastic bodies "
                       "can be tied under lie_midpoint and the rules of Euler only",
                       ends[1]->name, sn_integrator_word(integrators[1]));
    }
    return SN_OK;
}

double sn_world_next_bond_time(const sn_world *world, double t)
{
    double next = INFINITY;
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        const double times[2] = {record->item.start, record->item.end};
        for (int k = 0; k < 2 && !record->load.broken; ++k) {
            next = times[k] > t && times[k] < next ? times[k] : next;
        }
    }
    return next;
}

// ---- rows ----

// Where an agent's accelerations are among those of its group; -1: it is not in it.
static int place_in(const sn_group *group, sn_agent_ref ref)
{
    int at = 0;
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_ref own = group->agents.data[i];
        const sn_agent *head = &group->world->sets[own.set]->agents[own.agent];
        at += head->q_count;
        if (own.set == ref.set && own.agent == ref.agent) {
            return at;
        }
        at += head->v_count;
    }
    return -1;
}

// J of one end times numbers of its agent's velocities.
static double along(const sn_world *world, const sn_held_row *row, int end, const double *v)
{
    double sum = 0.0;
    if (!sn_world_traits(world, row->refs[end].set)->deformable) {
        for (int k = 0; k < SN_RIGID_V; ++k) {
            sum += row->projected[k] * v[k];
        }
        return sum;
    }
    for (int i = 0; i < row->row.count; ++i) {
        if (row->row.terms[i].end == end) {
            sum += sn_dot(row->row.terms[i].gradient,
                          sn_vec3_at(v + STRIDE * (size_t)row->row.terms[i].vertex));
        }
    }
    return sum;
}

// J^T of one end, in the agent's own numbers.
static void spread_elastic(const sn_elastic_item *item, const sn_bond_row *row, int end, double *x)
{
    for (int i = 0; i < row->count; ++i) {
        int vertex = row->terms[i].vertex;
        const double g[3] = {row->terms[i].gradient.x, row->terms[i].gradient.y,
                             row->terms[i].gradient.z};
        for (int k = 0; k < 3 && row->terms[i].end == end; ++k) {
            x[STRIDE * (size_t)vertex + (size_t)k] += item->fixed[vertex] >> k & 1 ? 0.0 : g[k];
        }
    }
}

static void project_rigid(const sn_world *world, sn_held_row *row, sn_vec3 point)
{
    const sn_agent_set *set = world->sets[row->refs[1].set];
    sn_part part;
    sn_vec3 force = SN_VEC3_ZERO;
    set->type->part(set, row->refs[1].agent, 0, &part);
    for (int i = 0; i < row->row.count; ++i) {
        force = row->row.terms[i].end == 1 ? sn_vec3_add(force, row->row.terms[i].gradient) : force;
    }
    sn_spatial wrench = sn_spatial_make(sn_cross(sn_vec3_sub(point, part.centre), force), force);
    set->type->contact->project(set, row->refs[1].agent, 0, &wrench, row->projected);
}

// M^-1 J^T of one end to the list of answers.
static bool answer(sn_world *world, sn_held_row *row, int end)
{
    sn_bond_set *bonds = &world->bonds;
    sn_agent_ref ref = row->refs[end];
    sn_agent_set *set = world->sets[ref.set];
    int count = set->agents[ref.agent].v_count;
    row->answers[end] = bonds->answers.count;
    if (!sn_array_resize(&bonds->answers, bonds->answers.count + count)) {
        return false;
    }
    double *x = bonds->answers.data + row->answers[end];
    if (sn_world_traits(world, ref.set)->deformable) {
        sn_elastic_item *item = sn_elastic_item_of(set, ref.agent);
        memset(item->right, 0, (size_t)count * sizeof *x);
        spread_elastic(item, &row->row, end, item->right);
        sn_elastic_divide_by_mass(set, ref.agent, item->right, x);
    } else {
        memcpy(x, row->projected, sizeof row->projected);
        set->type->contact->inverse(set, ref.agent, x);
    }
    return true;
}

static bool add_row(sn_world *world, const sn_group *group, const sn_bond_record *record, int index,
                    double time)
{
    const sn_body_record *bodies[2] = {sn_world_body_record(world, record->body),
                                       sn_world_body_record(world, record->other)};
    sn_held_row row = {.places = {-1, -1}};
    sn_bond_view view = sn_world_bond_view(world, record, index, time);
    sn_bond_read_row(&record->item, index, &view, &row.row);
    for (int end = 0; end < 2; ++end) {
        bool moves = bodies[end] != NULL && bodies[end]->agent.agent >= 0;
        row.refs[end] = moves ? bodies[end]->agent : (sn_agent_ref){-1, -1, 0};
        row.places[end] = moves ? place_in(group, row.refs[end]) : -1;
    }
    if (row.places[1] >= 0 && sn_world_traits(world, row.refs[1].set)->lone) {
        project_rigid(world, &row, view.point);
    }
    for (int end = 0; end < 2; ++end) {
        if (row.places[end] >= 0 && !answer(world, &row, end)) {
            return false;
        }
    }
    return sn_array_push(&world->bonds.held, row);
}

static bool find_rows(sn_world *world, const sn_group *group, double time)
{
    sn_bond_set *bonds = &world->bonds;
    sn_array_clear(&bonds->held);
    sn_array_clear(&bonds->answers);
    for (int i = 0; i < bonds->order.count; ++i) {
        const sn_bond_record *record = &bonds->records.data[bonds->order.data[i]];
        sn_agent_ref ref = sn_world_body_record(world, record->body)->agent;
        bool active = sn_bond_is_active(record, time) &&
                      world->group_of[ref.set].data[ref.agent] == group->index;
        for (int k = 0; k < sn_bond_row_count(&record->item) && active; ++k) {
            if (!add_row(world, group, record, k, time)) {
                return false;
            }
        }
    }
    return true;
}

// ---- all together ----

static double couple(const sn_world *world, const sn_held_row *pulled, const sn_held_row *read)
{
    const sn_bond_set *bonds = &world->bonds;
    double sum = 0.0;
    for (int e = 0; e < 2; ++e) {
        for (int f = 0; f < 2; ++f) {
            if (pulled->places[e] >= 0 && pulled->places[e] == read->places[f]) {
                sum += along(world, read, f, bonds->answers.data + pulled->answers[e]);
            }
        }
    }
    return sum;
}

static double right_side(const sn_world *world, const sn_held_row *row, const double *y_rate)
{
    const double s = SN_BOND_STABILISATION;
    double sum = row->row.acceleration + 2.0 * s * row->row.rate + s * s * row->row.value;
    for (int e = 0; e < 2; ++e) {
        if (row->places[e] >= 0) {
            const double *v = sn_agent_v(world->sets[row->refs[e].set], row->refs[e].agent);
            sum +=
                along(world, row, e, y_rate + row->places[e]) + 2.0 * s * along(world, row, e, v);
        }
    }
    return sum;
}

bool sn_world_hold_bonds(sn_world *world, const sn_group *group, double time, double *y_rate)
{
    sn_bond_set *bonds = &world->bonds;
    if (!find_rows(world, group, time)) {
        return false;
    }
    int rows = bonds->held.count;
    if (rows == 0) {
        return true;
    }
    if (!sn_array_resize(&bonds->numbers, rows * rows + 2 * rows) ||
        !sn_array_resize(&bonds->pivots, rows)) {
        return false;
    }
    double *w = bonds->numbers.data, *lambda = w + (size_t)rows * (size_t)rows,
           *scratch = lambda + rows;
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < rows; ++k) {
            w[i * rows + k] = couple(world, &bonds->held.data[i], &bonds->held.data[k]);
        }
        lambda[i] = right_side(world, &bonds->held.data[i], y_rate);
    }
    int rank = sn_ldl_factor_pivoted(rows, w, bonds->pivots.data, DEPENDENT_ROWS);
    sn_ldl_solve_pivoted(rows, w, bonds->pivots.data, rank, lambda, scratch);
    for (int i = 0; i < rows; ++i) {
        const sn_held_row *row = &bonds->held.data[i];
        for (int e = 0; e < 2; ++e) {
            if (row->places[e] < 0) {
                continue;
            }
            const double *x = bonds->answers.data + row->answers[e];
            int count = world->sets[row->refs[e].set]->agents[row->refs[e].agent].v_count;
            for (int k = 0; k < count; ++k) {
                y_rate[row->places[e] + k] -= lambda[i] * x[k];
            }
        }
    }
    return true;
}
