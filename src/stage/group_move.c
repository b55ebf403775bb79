// Moving a staged group: its integrator goes from switch to switch and from jump to jump of what
// drives its agents, over stretches on which everything that acts is smooth.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bond/bond.h"
#include "force/forces.h"
#include "mechanism/joint.h"
#include "model/world.h"
#include "probe/event.h"
#include "stage/group.h"
#include "stage/ode.h"
#include "touch/spring_touch.h"

// So many switches within so short a time of each other are no motion.
enum { MOST_SWITCHES = 1000, MOST_IMPACTS = 50 };
static const double at_once = 1e-9; // s

// ---- the state as one vector: q then v of each agent in turn ----

static void gather(const sn_group *group, double *y)
{
    for (int i = 0; i < group->agents.count; ++i) {
        const sn_agent_set *set = group->world->sets[group->agents.data[i].set];
        int agent = group->agents.data[i].agent;
        memcpy(y, sn_agent_q(set, agent), (size_t)set->agents[agent].q_count * sizeof(double));
        y += set->agents[agent].q_count;
        memcpy(y, sn_agent_v(set, agent), (size_t)set->agents[agent].v_count * sizeof(double));
        y += set->agents[agent].v_count;
    }
}

// Back into the agents. They are brought back onto their manifold there, never in y, whose past an
// integrator may remember.
static void spread(const sn_group *group, const double *y, double t, bool close)
{
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_set *set = group->world->sets[group->agents.data[i].set];
        set->now = t;
        int agent = group->agents.data[i].agent;
        memcpy(sn_agent_q(set, agent), y, (size_t)set->agents[agent].q_count * sizeof(double));
        y += set->agents[agent].q_count;
        memcpy(sn_agent_v(set, agent), y, (size_t)set->agents[agent].v_count * sizeof(double));
        y += set->agents[agent].v_count;
        if (close || set->type->switching == NULL) {
            set->type->restore(set, agent);
        } else {
            set->type->switching->follow(set, agent);
        }
    }
}

// Does the integrator start every step from the agents?
static bool starts_anew(const sn_group *group)
{
    return group->integrator == SN_INTEGRATOR_RK4 || group->integrator == SN_INTEGRATOR_FEHLBERG45;
}

// At the end of a stretch, what held before a jump holds.
static double before_edge(const sn_group *group, double t)
{
    return t < group->edge ? t : nextafter(group->edge, -INFINITY);
}

static sn_bond_record *brittle_bond(const sn_group *group, int i)
{
    return &group->world->bonds.records.data[group->brittle.data[i]];
}

void sn_group_begin(void *context)
{
    ((sn_group *)context)->strain = 0.0;
}

static void find_strain(sn_group *group)
{
    for (int i = 0; i < group->brittle.count; ++i) {
        const sn_bond_record *bond = brittle_bond(group, i);
        group->strain = fmax(group->strain, bond->load.force / bond->break_force);
    }
}

void sn_group_rate(void *context, double t, const double *y, double *y_rate)
{
    sn_group *group = context;
    sn_world *world = group->world;
    t = before_edge(group, t);
    spread(group, y, t, false);
    sn_world_evaluate_forces(world, t, group->index);
    double *at = y_rate;
    for (int i = 0; i < group->agents.count; ++i) {
        const sn_agent_set *set = world->sets[group->agents.data[i].set];
        int agent = group->agents.data[i].agent;
        double *q_rate = at, *v_rate = at + set->agents[agent].q_count;
        set->type->rate(set, agent, world->gravity, q_rate, v_rate);
        at = v_rate + set->agents[agent].v_count;
    }
    if (world->bonds.ties_groups && !sn_world_hold_bonds(world, group, t, y_rate)) {
        world->bonds.starved = true;
        y_rate[0] = NAN; // the integrator gives up
    }
    if (group->brittle.count > 0) {
        sn_world_weigh_bonds(world, group, t);
        find_strain(group);
    }
}

// ---- agents that switch ----

typedef struct switcher {
    sn_agent_set *set;
    const sn_agent_switching *of;
    int agent;
    int first, count; // of its switches in the group's
} switcher;

// The next agent that may switch, after `at` (from NULL set).
static bool next_switcher(const sn_group *group, int *index, switcher *at)
{
    at->first += at->count;
    at->count = 0;
    for (; *index < group->agents.count; ++*index) {
        sn_agent_ref ref = group->agents.data[*index];
        sn_agent_set *set = group->world->sets[ref.set];
        if (set->type->switching != NULL) {
            at->set = set;
            at->of = set->type->switching;
            at->agent = ref.agent;
            at->count = at->of->count(set, ref.agent);
            ++*index;
            return true;
        }
    }
    return false;
}

static void hold(const sn_group *group, bool held)
{
    switcher at = {0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        at.of->hold(at.set, at.agent, held);
    }
}

static bool is_starved(const sn_group *group)
{
    bool starved = false;
    switcher at = {0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        starved = starved || at.of->starved(at.set, at.agent);
    }
    return starved || group->world->touch.springs.starved || group->world->bonds.starved;
}

static double next_jump(const sn_group *group, double t)
{
    double first = INFINITY;
    switcher at = {0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        first = fmin(first, at.of->next_jump(at.set, at.agent, t));
    }
    return first;
}

static void switch_values(const sn_group *group, double t, double *values)
{
    bool asks = false;
    switcher at = {0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        asks = asks || at.of->asks_forces(at.set, at.agent);
    }
    if (asks) {
        sn_world_evaluate_forces(group->world, t, group->index);
    }
    at = (switcher){0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        at.of->values(at.set, at.agent, group->world->gravity, values + at.first);
    }
}

// ---- bonds ----

// The stages of a step find what bonds carry anyway. Where none has more than this share of its
// strength in any of them, it does not come to all of it between them, because a step that error
// control lets pass is smooth: nobody looks, which would cost half a step more.
static const double LITTLE_STRAIN = 0.5;

bool sn_group_is_calm(void *context)
{
    const sn_group *group = context;
    return group->events.count + group->switch_count == 0 && group->strain <= LITTLE_STRAIN;
}

// Finds what bonds carry at a time, with the group there.
static void weigh(sn_group *group, double t, const double *y)
{
    sn_group_rate(group, t, y, group->slope);
    sn_world_weigh_bonds(group->world, group, before_edge(group, t));
}

// The share of its strength that a bond has left; below 0 it breaks.
static double left_of(const sn_bond_record *bond)
{
    return 1.0 - bond->load.force / bond->break_force;
}

// May one break at a time?
static bool is_brittle(const sn_group *group, double t)
{
    bool brittle = false;
    for (int i = 0; i < group->brittle.count && !brittle; ++i) {
        brittle = sn_bond_is_active(brittle_bond(group, i), before_edge(group, t));
    }
    return brittle;
}

// ---- roots ----

static double event_value(const sn_group *group, int i)
{
    return sn_world_event_value(group->world, &group->world->events.data[group->events.data[i]]);
}

void sn_group_roots(void *context, double t, const double *y, double *values)
{
    sn_group *group = context;
    double clock = group->world->time;
    bool strained = group->strain > LITTLE_STRAIN && is_brittle(group, t);
    if (group->tells_bonds || strained) {
        weigh(group, t, y);
    }
    double *left = values + group->events.count + group->switch_count;
    for (int i = 0; i < group->brittle.count; ++i) {
        const sn_bond_record *bond = brittle_bond(group, i);
        bool acts = strained && sn_bond_is_active(bond, before_edge(group, t));
        left[i] = acts ? left_of(bond) : 1.0;
    }
    group->world->time = t; // for events that look at the time
    spread(group, y, before_edge(group, t), false);
    for (int i = 0; i < group->events.count; ++i) {
        values[i] = event_value(group, i);
    }
    group->world->time = clock;
    if (group->switch_count > 0) {
        switch_values(group, before_edge(group, t), values + group->events.count);
    }
}

// ---- contact springs ----

static bool look_between(void *context, double t)
{
    const sn_group *group = context;
    const double *y = sn_ode_look(group->ode, t);
    if (y != NULL) {
        spread(group, y, before_edge(group, t), false);
    }
    return y != NULL;
}

bool sn_group_watch(void *context, double t_a, double t_b, double *t)
{
    const sn_group *group = context;
    return sn_world_watch_springs(group->world, look_between, context, t_a, t_b, t);
}

bool sn_group_is_stopping(void *context)
{
    const sn_group *group = context;
    return sn_world_is_stopping(group->world);
}

// ---- what happens at once ----

// What happens at once at a time: `found` (switches, or NULL), a jump of what drives the agents,
// and whatever stands into its limit. Impacts first, then how everything goes on.
static sn_status settle(sn_group *group, double t, const int *found, bool jump, sn_error *error)
{
    sn_world *world = group->world;
    bool again = true, made = true;
    switcher at = {0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        at.set->now = t;
        made =
            at.of->strike(at.set, at.agent, found != NULL ? found + at.first : NULL, jump) && made;
    }
    for (int turn = 0; turn < MOST_IMPACTS && again && made; ++turn) {
        again = false;
        sn_world_evaluate_forces(world, t, group->index);
        at = (switcher){0};
        for (int i = 0; next_switcher(group, &i, &at);) {
            again = at.of->settle(at.set, at.agent, world->gravity) || again;
        }
    }
    hold(group, true);
    at = (switcher){0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        at.of->sides(at.set, at.agent, sn_ode_sides(group->ode) + group->events.count + at.first);
    }
    gather(group, group->state);
    sn_ode_forget(group->ode);
    return made && !is_starved(group) ? SN_OK : sn_fail_memory(error, sizeof(double));
}

// ---- the way to the end ----

static double first_next_step(const sn_group *group)
{
    sn_agent_ref first = group->agents.data[0];
    return group->world->sets[first.set]->agents[first.agent].next_step;
}

static void set_next_step(sn_group *group, double step)
{
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_ref ref = group->agents.data[i];
        group->world->sets[ref.set]->agents[ref.agent].next_step = step;
    }
}

// What to say of a group that could not go on: its first body stands for it.
static sn_status fail_group(const sn_group *group, sn_error *inner, sn_error *error)
{
    char place[200];
    sn_agent_ref first = group->agents.data[0];
    const sn_error *fault = &group->world->touch.springs.fault;
    if (is_starved(group)) {
        return sn_fail_memory(error, sizeof(double));
    }
    if (fault->code != SN_OK) {
        return sn_fail(error, fault->code, fault->place, "%s", fault->text);
    }
    sn_world_place(group->world, group->world->sets[first.set]->agents[first.agent].owner, place,
                   sizeof place);
    return sn_fail(error, inner->code, place, "%s%s", inner->text,
                   group->agents.count > 1
                       ? " (the body shares its integrator with those it is joined to)"
                       : "");
}

static sn_status fail_switching(const sn_group *group, double t, sn_error *error)
{
    const int *found = sn_ode_roots_found(group->ode) + group->events.count;
    char name[200] = "";
    switcher at = {0};
    for (int i = 0; next_switcher(group, &i, &at);) {
        int which = -1, freedom = at.set->agents[at.agent].v_first;
        for (int k = 0; k < at.count; ++k) {
            which = found[at.first + k] != 0 ? k : which;
        }
        for (int s = 0; which >= 0 && group->world->sets[s] != at.set; ++s) {
            freedom += group->world->sets[s]->v_count;
        }
        if (which >= 0) {
            sn_world_freedom_name(group->world, freedom + at.of->velocity(at.set, at.agent, which),
                                  name, sizeof name);
        }
    }
    return sn_fail(error, SN_ERROR_INTEGRATOR, name,
                   "changes without end between sticking and slipping, or resting and leaving, at "
                   "t = %.9g s: forces or limits there contradict each other",
                   t);
}

static sn_status log_event(sn_group *group, int i, double time, int direction, bool *stop,
                           sn_error *error)
{
    sn_world *world = group->world;
    uint32_t event = group->events.data[i];
    *stop = *stop || world->events.data[event].def.action != SN_EVENT_MARK;
    return sn_world_log_event(world, event, time, direction, error);
}

static sn_status log_roots(sn_group *group, double time, bool *stop, sn_error *error)
{
    const int *found = sn_ode_roots_found(group->ode);
    sn_status status = SN_OK;
    for (int i = 0; i < group->events.count && status == SN_OK; ++i) {
        status = found[i] != 0 ? log_event(group, i, time, found[i], stop, error) : SN_OK;
    }
    return status;
}

// An impact may carry what an event looks at to the other side of its threshold.
static sn_status log_jumps(sn_group *group, double time, bool *stop, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < group->events.count && status == SN_OK; ++i) {
        const sn_event_record *event = &group->world->events.data[group->events.data[i]];
        int *side = &sn_ode_sides(group->ode)[i];
        double clock = group->world->time;
        group->world->time = time;
        double value = event_value(group, i);
        group->world->time = clock;
        int now = (value > event->band) - (value < -event->band);
        sn_direction wanted = event->def.direction;
        bool counts = wanted == SN_DIRECTION_BOTH || (wanted == SN_DIRECTION_RISING) == (now > 0);
        if (*side * now < 0 && counts) {
            status = log_event(group, i, time, now, stop, error);
        }
        *side = now != 0 ? now : *side;
    }
    return status;
}

static void set_sides(sn_group *group)
{
    for (int i = 0; i < group->events.count; ++i) {
        sn_ode_sides(group->ode)[i] = group->world->events.data[group->events.data[i]].step_side;
    }
}

static void keep_sides(sn_group *group)
{
    for (int i = 0; i < group->events.count; ++i) {
        group->world->events.data[group->events.data[i]].step_side = sn_ode_sides(group->ode)[i];
    }
}

// ---- breaking ----

// What has broken no longer acts: all goes on from here, without it.
static sn_status go_without(sn_group *group, double t, bool *stop, sn_error *error)
{
    sn_status status = sn_world_give_bonds(group->world, error);
    if (status == SN_OK && group->jumps) {
        spread(group, group->state, t, true);
        status = settle(group, t, NULL, true, error);
    } else if (status == SN_OK) {
        sn_ode_forget(group->ode);
    }
    if (status == SN_OK) {
        weigh(group, t, group->state);
        status = log_jumps(group, t, stop, error);
    }
    return status;
}

// Those whose force was found to pass their bounds.
static sn_status break_found(sn_group *group, double t, const int *found, bool *stop,
                             sn_error *error)
{
    bool any = false;
    for (int i = 0; i < group->brittle.count; ++i) {
        any = any || found[i] != 0;
    }
    if (!any) {
        return SN_OK;
    }
    weigh(group, t, group->state);
    for (int i = 0; i < group->brittle.count; ++i) {
        if (found[i] != 0) {
            sn_bond_let_go(brittle_bond(group, i), t);
        }
    }
    return go_without(group, t, stop, error);
}

// What carries too much as a stretch begins, because another has just let go, it begins to hold or
// something was changed from outside, breaks at once: the worst first, for the others may be
// relieved.
static sn_status break_overloaded(sn_group *group, double t, bool *stop, sn_error *error)
{
    sn_status status = SN_OK;
    while (status == SN_OK && is_brittle(group, t)) {
        sn_bond_record *worst = NULL;
        weigh(group, t, group->state);
        for (int i = 0; i < group->brittle.count; ++i) {
            sn_bond_record *bond = brittle_bond(group, i);
            bool over = sn_bond_is_active(bond, t) && left_of(bond) < 0.0;
            worst = over && (worst == NULL || left_of(bond) < left_of(worst)) ? bond : worst;
        }
        if (worst == NULL) {
            break;
        }
        sn_bond_let_go(worst, t);
        status = go_without(group, t, stop, error);
    }
    int *sides = sn_ode_sides(group->ode) + group->events.count + group->switch_count;
    for (int i = 0; i < group->brittle.count; ++i) {
        sides[i] = 1;
    }
    return status;
}

// ---- stretches ----

// Over one stretch, or up to an event of the user within it: to `to`, a jump of what drives the
// agents if `jump`.
static sn_status go_on(sn_group *group, double *t, double to, bool jump, bool *switched, bool *stop,
                       sn_error *error)
{
    sn_world *world = group->world;
    sn_ode_result result;
    sn_error inner = {0};
    group->edge = jump ? to : INFINITY;
    sn_status status =
        sn_ode_advance(group->ode, *t, to, first_next_step(group), group->state, &result, &inner);
    if (status != SN_OK) {
        return fail_group(group, &inner, error);
    }
    if (group->integrator != SN_INTEGRATOR_RK4) {
        world->report.internal_steps += result.steps;
        world->report.failed_steps += result.failed_steps;
        set_next_step(group, result.next_step);
    }
    *t = result.time;
    const int *found = sn_ode_roots_found(group->ode) + group->events.count;
    *switched = false;
    for (int i = 0; i < group->switch_count && result.at_root; ++i) {
        *switched = *switched || found[i] != 0;
    }
    if (result.at_root) {
        status = log_roots(group, *t, stop, error);
    }
    if (status == SN_OK && result.at_root) {
        status = break_found(group, *t, found + group->switch_count, stop, error);
    }
    if (result.watched) {
        sn_world_take_springs(world);
        sn_ode_forget(group->ode);
    }
    if (status == SN_OK && (*switched || (jump && *t >= to))) {
        spread(group, group->state, before_edge(group, *t), true);
        status = settle(group, *t, *switched ? found : NULL, jump && *t >= to, error);
        group->edge = INFINITY;
        status = status == SN_OK ? log_jumps(group, *t, stop, error) : status;
    }
    return status;
}

static sn_status go(sn_group *group, double t, double end, double *reached, sn_error *error)
{
    bool stop = false;
    sn_status status = SN_OK;
    double last = -INFINITY;
    int switches = 0;
    set_sides(group);
    if (group->bonds.count > 0) { // behaviours may have broken some
        status = log_jumps(group, t, &stop, error);
    }
    while (t < end && status == SN_OK) {
        bool switched = false;
        status = break_overloaded(group, t, &stop, error);
        stop = stop && t > group->world->time; // no step is of length zero
        if (status != SN_OK || stop) {
            break;
        }
        double jump = group->jumps ? next_jump(group, t) : INFINITY;
        jump = fmin(jump, sn_world_next_bond_time(group->world, t));
        status = go_on(group, &t, jump < end ? jump : end, jump <= end, &switched, &stop, error);
        if (switched && status == SN_OK) {
            switches = t - last < at_once ? switches + 1 : 0;
            last = t;
            status = switches > MOST_SWITCHES ? fail_switching(group, t, error) : status;
        }
    }
    keep_sides(group);
    *reached = t;
    return status;
}

// What ran out of memory in a step that failed may have it now.
static void forget_failures(sn_group *group)
{
    group->world->bonds.starved = false;
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_ref ref = group->agents.data[i];
        if (sn_world_traits(group->world, ref.set)->deformable) {
            group->world->sets[ref.set]->agents[ref.agent].failed = SN_FAILURE_NONE;
        }
    }
}

sn_status sn_world_step_group(sn_world *world, int index, double end, double *reached,
                              sn_error *error)
{
    sn_group *group = &world->groups.data[index];
    sn_status status = SN_OK;
    *reached = end;
    forget_failures(group);
    sn_ode_allow(group->ode);
    group->edge = INFINITY;
    // Adams and BDF go on from their own y, whose rotations are not of unit length to the last bit.
    // The others start every step anew, so that a step depends on the saved state alone.
    if (!group->fresh && !starts_anew(group)) {
        hold(group, true);
    } else if (group->jumps) {
        status = settle(group, world->time, NULL, false, error);
    } else {
        hold(group, true);
        sn_ode_forget(group->ode);
        gather(group, group->state);
    }
    if (status == SN_OK) {
        status = go(group, world->time, end, reached, error);
    }
    group->edge = INFINITY;
    if (status == SN_OK && group->bonds.count > 0) {
        weigh(group, *reached, group->state);
    }
    spread(group, group->state, *reached, true);
    hold(group, false);
    if (status == SN_OK && is_starved(group)) {
        status = sn_fail_memory(error, sizeof(double));
    }
    // A method that was stopped at an event stands beyond it.
    group->fresh = status != SN_OK || *reached < end;
    return status;
}
