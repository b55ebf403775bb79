// Articulations under integrators of their own: what happens at once in their freedoms.
#include <math.h>
#include <string.h>

#include "agent/tree/articulation.h"
#include "agent/tree/tie_mode.h"

static bool switch_jumps(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    return item->ties != NULL && item->ties->modes.jumps;
}

static int switch_count(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    return item->ties != NULL ? item->ties->modes.switch_count : 0;
}

static void switch_hold(sn_agent_set *set, int agent, bool held)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (item->ties != NULL) {
        item->ties->modes.held = held;
        item->ties->modes.smooth = held;
    }
}

static bool switch_asks_forces(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    return item->ties != NULL && sn_tie_mode_asks_forces(item->ties, &item->tree);
}

static void switch_values(sn_agent_set *set, int agent, sn_vec3 gravity, double *values)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (switch_count(set, agent) == 0) {
        return;
    }
    sn_tie_state state = {set->now, sn_agent_q(set, agent), sn_agent_v(set, agent)};
    if (switch_asks_forces(set, agent)) {
        sn_articulation_accelerations(set, agent, gravity,
                                      item->force + 2 * (size_t)item->tree.v_count);
    }
    sn_tie_mode_values(item->ties, &item->tree, &state, values);
}

static void switch_sides(const sn_agent_set *set, int agent, int *sides)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    if (item->ties != NULL) {
        sn_tie_mode_sides(item->ties, &item->tree, sn_agent_v(set, agent), sides);
    }
}

static bool switch_strike(sn_agent_set *set, int agent, const int *found, bool jump)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (item->ties == NULL) {
        return true;
    }
    // What is smaller is lost in the errors of the integrator, and of ties closed to roundings.
    double error = set->agents[agent].absolute_tolerance;
    item->ties->modes.smooth = true;
    item->ties->modes.slow = 1e-9 + 100.0 * error;
    item->ties->modes.height = (item->ties->held_rows > 0 ? 1e-12 : 1e-14) + 10.0 * error;
    bool struck = sn_tie_strike(item->ties, &item->tree, set->now, found, jump,
                                sn_agent_q(set, agent), sn_agent_v(set, agent));
    set->type->touch(set, agent);
    return struck;
}

static bool switch_settle(sn_agent_set *set, int agent, sn_vec3 gravity)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    double *a = item->force + 2 * (size_t)item->tree.v_count;
    sn_tie_state state = {set->now, q, v};
    if (item->ties == NULL) {
        return false;
    }
    sn_tie_work *work = item->ties;
    work->modes.held = false;
    if (!sn_articulation_accelerations(set, agent, gravity, a)) {
        return false;
    }
    sn_tie_mode_note(work, &item->tree, &state);
    if (sn_tie_calm(work, &item->tree, set->now, a, q, v)) {
        set->type->touch(set, agent);
        return true;
    }
    work->modes.held = true;
    sn_tie_mode_snap(work, &item->tree, set->now, q, v);
    set->type->touch(set, agent);
    return false;
}

static int switch_velocity(const sn_agent_set *set, int agent, int switch_index)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    const sn_tie_switch *at = &item->ties->modes.switches[switch_index];
    return item->tree.links[at->link].v + at->own;
}

static double switch_next_jump(const sn_agent_set *set, int agent, double time)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    double first = INFINITY;
    for (int j = 0; j < item->tree.v_count; ++j) {
        const sn_motion *motion = item->freedoms[j].drive.motion;
        if (motion != NULL && item->freedoms[j].drive.type != SN_DRIVE_NONE) {
            first = fmin(first, sn_motion_next_jump(motion, time));
        }
    }
    return first;
}

static bool switch_starved(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    return item->ties != NULL && item->ties->rows.failed;
}

const sn_agent_switching sn_articulation_switching = {
    .jumps = switch_jumps,
    .count = switch_count,
    .hold = switch_hold,
    .asks_forces = switch_asks_forces,
    .values = switch_values,
    .sides = switch_sides,
    .strike = switch_strike,
    .settle = switch_settle,
    .velocity = switch_velocity,
    .next_jump = switch_next_jump,
    .starved = switch_starved,
    .follow = sn_articulation_follow,
};
