// Bonds in the exact solver, where their two sides make a step by different rules, or are led
// elsewhere than where they were linearised.
#include <math.h>

#include "solve/exact.h"

// ---- rules ----

// A rigid body makes its step by Euler's rule where a bond joins it to something that does. (What
// goes to where the other is by half of both its velocities would swing about it.)
void sn_exact_share_rules(const sn_exact_problem *problem)
{
    for (int i = 0; i < problem->bond_count; ++i) {
        const sn_exact_bond *bond = problem->bonds[i];
        bool whole = false;
        for (int pass = 0; pass < 2; ++pass) {
            for (int k = 0; k < bond->count; ++k) {
                sn_agent_set *set = problem->sets[bond->sides[k].set];
                sn_agent *head = &set->agents[bond->sides[k].agent];
                const sn_agent_traits *traits = &set->type->traits;
                if (pass == 0) {
                    whole =
                        whole || (traits->deformable &&
                                  (head->whole || head->integrator != SN_INTEGRATOR_LIE_MIDPOINT));
                } else if (whole && traits->lone &&
                           head->integrator == SN_INTEGRATOR_LIE_MIDPOINT) {
                    head->whole = 1;
                }
            }
        }
    }
}

double sn_exact_bond_lags(sn_exact *exact, const sn_exact_problem *problem)
{
    const sn_exact_system *system = &exact->system;
    double most = 0.0;
    for (int i = 0; i < problem->bond_count; ++i) {
        sn_exact_bond *bond = problem->bonds[i];
        const sn_exact_block *block = &system->blocks.data[exact->contact_blocks + i];
        double lag = 0.0;
        bool whole = false;
        for (int side = 0; side < block->side_count; ++side) {
            const sn_exact_agent *agent = &system->agents.data[block->side[side].agent];
            const double *j = system->j.data + block->side[side].first,
                         *v = system->v.data + agent->v_first,
                         *v0 = exact->start_v.data + agent->v_first;
            bool here = sn_exact_is_whole(problem, agent);
            whole = whole || here;
            for (int k = block->side[side].from; k < block->side[side].to && !here; ++k) {
                lag += 0.5 * j[k] * (v[k] - v0[k]);
            }
        }
        if (whole && bond->soft == NULL) {
            most = fmax(most, problem->h * fabs(lag - bond->lag) / bond->size);
            system->target.data[block->row] = bond->whole_target + lag;
            bond->lag = lag;
        }
    }
    return most;
}

// Links that can turn in several ways: what an elastic body's A makes of impulses there at the end
// of a step may be more energy.
static bool holds_links(const sn_exact_problem *problem, const sn_exact_bond *bond)
{
    bool any = false;
    for (int k = 0; k < bond->count; ++k) {
        const sn_agent_set *set = problem->sets[bond->sides[k].set];
        any = any || (set->type->traits.jointed && set->agents[bond->sides[k].agent].v_count > 1);
    }
    return any;
}

bool sn_exact_bonds_differ(const sn_exact_problem *problem)
{
    bool any = false;
    for (int i = 0; i < problem->bond_count && !any; ++i) {
        const sn_exact_bond *bond = problem->bonds[i];
        any = !holds_links(problem, bond) &&
              problem->h * fabs(bond->lag) > SN_EXACT_SMALL * bond->size;
    }
    return any;
}

// ---- in the middle of the step ----

// How a part turns with generalised velocities v less v0.
static sn_vec3 spin_of(sn_exact *exact, const sn_exact_problem *problem,
                       const sn_contact_side *side, const sn_exact_agent *agent)
{
    const double *v = exact->system.v.data + agent->v_first,
                 *v0 = exact->start_v.data + agent->v_first;
    double *row = exact->total.data, sums[3] = {0};
    for (int k = 0; k < 3; ++k) {
        sn_spatial moment = {.angular = sn_vec3_make(k == 0, k == 1, k == 2)};
        problem->sets[side->set]->type->contact->project(problem->sets[side->set], side->agent,
                                                         side->part, &moment, row);
        for (int i = 0; i < agent->v_count; ++i) {
            sums[k] += row[i] * (v[i] - v0[i]);
        }
    }
    return sn_vec3_make(sums[0], sums[1], sums[2]);
}

// How much further than predicted the bond's rigid side has turned by the middle of the step.
static sn_vec3 turn_of(sn_exact *exact, const sn_exact_problem *problem, int index,
                       const sn_contact_side *side)
{
    const sn_exact_system *system = &exact->system;
    const sn_exact_block *block = &system->blocks.data[exact->contact_blocks + index];
    for (int k = 0; k < block->side_count; ++k) {
        const sn_exact_agent *agent = &system->agents.data[block->side[k].agent];
        if (agent->set == side->set && agent->agent == side->agent) {
            double share = sn_exact_is_whole(problem, agent) ? 0.5 : 0.25;
            return sn_vec3_scale(share * problem->h, spin_of(exact, problem, side, agent));
        }
    }
    return SN_VEC3_ZERO;
}

static bool is_same(const sn_contact_side *a, const sn_contact_side *b)
{
    return a->set == b->set && a->agent == b->agent && a->part == b->part;
}

void sn_exact_bend_bonds(sn_exact *exact, const sn_exact_problem *problem)
{
    sn_contact_side last = {-1, -1, -1}; // the rows of a bond follow each other
    sn_vec3 turn = SN_VEC3_ZERO;
    for (int i = 0; i < problem->bond_count; ++i) {
        sn_exact_bond *bond = problem->bonds[i];
        bond->turn = SN_VEC3_ZERO;
        for (int k = 0; k < bond->count; ++k) {
            const sn_contact_side *side = &bond->sides[k];
            if (problem->sets[side->set]->type->traits.deformable) {
                continue;
            }
            turn = is_same(side, &last) ? turn : turn_of(exact, problem, i, side);
            last = *side;
            bond->turn = turn;
        }
    }
    problem->bend(problem->context, problem->bonds, problem->bond_count);
}
