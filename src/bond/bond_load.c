// What bonds carry, and how they break. In lockstep the solver's impulses tell (bond_step.c); under
// integrators with stages the multipliers do that an evaluation of the group's rate has found, by
// agent/elastic_hold.c for the bonds of one body and by bond_hold.c where bodies are tied: the
// force on the body is -lambda times the gradient.
#include <math.h>

#include "base/error.h"
#include "bond/bond.h"
#include "model/world.h"

void sn_bond_let_go(sn_bond_record *record, double time)
{
    record->load.broken = true;
    record->load.break_time = time;
    record->load.break_force = record->load.force;
}

// ---- under integrators with stages ----

// As bond_step.c has it for impulses: ends that do not move do not count.
static void weigh_row(const sn_bond_row *row, bool two_ends, double lambda, sn_bond_load *load)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    double steepest = 0.0;
    for (int t = 0; t < row->count; ++t) {
        sn_vec3 gradient = row->terms[t].gradient;
        bool own = row->terms[t].end == 0;
        sum = own ? sn_vec3_add(sum, gradient) : sum;
        steepest = own || two_ends ? fmax(steepest, sn_length(gradient)) : steepest;
    }
    steepest = fmax(steepest, sn_length(sum));
    load->total = sn_vec3_add_scaled(load->total, -lambda, sum);
    load->force = fmax(load->force, fabs(lambda) * steepest);
}

// Rows of tied bodies, and of one body: both in the order of bonds, from `at` on.
static void weigh_tied(const sn_world *world, sn_bond_record *record, int *at)
{
    const sn_bond_set *set = &world->bonds;
    const sn_body_record *other = sn_world_body_record(world, record->other);
    int rows = set->held.count;
    for (int k = 0; k < sn_bond_row_count(&record->item) && *at < rows; ++k, ++*at) {
        weigh_row(&set->held.data[*at].row, other != NULL && other->agent.agent >= 0,
                  set->numbers.data[rows * rows + *at], &record->load);
    }
}

static void weigh_own(const sn_elastic_item *item, sn_bond_record *record, int *at)
{
    int rows = item->bond_rows.count;
    for (int k = 0; k < sn_bond_row_count(&record->item) && *at < rows; ++k, ++*at) {
        weigh_row(&item->bond_rows.data[*at], false, item->bond_numbers.data[rows * rows + *at],
                  &record->load);
    }
}

void sn_world_weigh_bonds(sn_world *world, const sn_group *group, double time)
{
    sn_bond_set *set = &world->bonds;
    int tied = 0;
    for (int i = 0; i < group->agents.count; ++i) {
        if (sn_world_traits(world, group->agents.data[i].set)->deformable) {
            sn_agent_ref ref = group->agents.data[i];
            sn_elastic_item_of(world->sets[ref.set], ref.agent)->bond_rows_read = 0;
        }
    }
    for (int i = 0; i < group->bonds.count; ++i) {
        sn_bond_record *record = &set->records.data[group->bonds.data[i]];
        sn_agent_ref ref = sn_world_body_record(world, record->body)->agent;
        sn_elastic_item *item = sn_elastic_item_of(world->sets[ref.set], ref.agent);
        record->load.force = 0.0;
        record->load.total = SN_VEC3_ZERO;
        bool starved = set->starved || world->sets[ref.set]->agents[ref.agent].failed;
        if (!sn_bond_is_active(record, time) || starved) {
            continue;
        }
        if (set->ties_groups) {
            weigh_tied(world, record, &tied);
        } else {
            weigh_own(item, record, &item->bond_rows_read);
        }
    }
}

// ---- from outside ----

sn_status sn_bond_break(sn_world *world, sn_bond bond, sn_error *error)
{
    sn_bond_record *record = sn_world_bond_record(world, bond);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the bond to break does not exist");
    }
    sn_status status = sn_world_check_steering(world, error);
    if (status == SN_OK && !record->load.broken) {
        sn_bond_let_go(record, world->time);
        sn_world_touch(world);
    }
    return status;
}
