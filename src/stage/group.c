// Staged groups: agents whose integrators ask for forces several times in a step, joined where a
// force joins them, each group one system of differential equations. Agents that nothing joins are
// integrated apart, each with its own adaptive step.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "force/air.h"
#include "force/forces.h"
#include "model/world.h"
#include "probe/quantity.h"
#include "stage/group.h"
#include "stage/ode.h"

// ---- making groups: union-find over agents ----

typedef struct grouping {
    sn_world *world;
    int *parent;             // one entry per agent of all sets, sets one after the other
    int first[SN_SET_COUNT]; // of each set
    int count;
} grouping;

static int root_of(grouping *g, int i)
{
    while (g->parent[i] != i) {
        g->parent[i] = g->parent[g->parent[i]];
        i = g->parent[i];
    }
    return i;
}

static void join(grouping *g, int a, int b)
{
    int ra = root_of(g, a), rb = root_of(g, b);
    // The lower index leads, so that groups come out in the order of their first agents.
    g->parent[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

static sn_agent_ref ref_of(const grouping *g, int entry)
{
    int set = g->world->set_count - 1;
    while (g->first[set] > entry) {
        set -= 1;
    }
    return (sn_agent_ref){set, entry - g->first[set], 0};
}

static int integrator_of(const grouping *g, int entry)
{
    sn_agent_ref ref = ref_of(g, entry);
    return g->world->sets[ref.set]->agents[ref.agent].integrator;
}

// The entry of a body's agent, or -1 for the world, static bodies and single-stage agents.
static int staged_entry(const grouping *g, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(g->world, body);
    if (record == NULL || record->agent.agent < 0) {
        return -1;
    }
    const sn_agent_set *set = g->world->sets[record->agent.set];
    bool staged = sn_integrator_is_staged(set->agents[record->agent.agent].integrator);
    return staged ? g->first[record->agent.set] + record->agent.agent : -1;
}

static bool moves(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && record->agent.agent >= 0;
}

// A spring between two agents makes one system of them, which takes one integrator. Single-stage
// integrators mix freely.
static sn_status join_spring(grouping *g, const sn_field_record *field, sn_error *error)
{
    sn_body a = field->spring.body_a, b = field->spring.body_b;
    if (!moves(g->world, a) || !moves(g->world, b)) {
        return SN_OK;
    }
    int entry_a = staged_entry(g, a), entry_b = staged_entry(g, b);
    sn_integrator integrator_a = sn_body_integrator(g->world, a),
                  integrator_b = sn_body_integrator(g->world, b);
    if ((entry_a >= 0 || entry_b >= 0) && integrator_a != integrator_b) {
        return sn_fail(error, SN_ERROR_ARGUMENT, field->name,
                       "joins body '%s' (integrator %s) with body '%s' (integrator %s); bodies "
                       "joined by a force need the same",
                       sn_body_name(g->world, a), sn_integrator_word(integrator_a),
                       sn_body_name(g->world, b), sn_integrator_word(integrator_b));
    }
    if (entry_a >= 0) {
        join(g, entry_a, entry_b);
    }
    return SN_OK;
}

// A callback may read and push anything, and an event about the whole world looks at everything:
// all staged agents of one integrator then go together.
static void join_all(grouping *g)
{
    int leader[SN_INTEGRATOR_COUNT];
    memset(leader, -1, sizeof leader);
    for (int s = 0; s < g->world->set_count; ++s) {
        const sn_agent_set *set = g->world->sets[s];
        for (int i = 0; i < set->count; ++i) {
            int integrator = set->agents[i].integrator, entry = g->first[s] + i;
            if (!sn_integrator_is_staged(integrator)) {
                continue;
            }
            if (leader[integrator] < 0) {
                leader[integrator] = entry;
            }
            join(g, leader[integrator], entry);
        }
    }
}

// The body whose motion a probe follows; a joint's is its child, which is in one agent with its
// parent, and a bond's is the elastic one.
static sn_body body_of(const sn_world *world, const sn_probe *probe)
{
    const sn_bond_record *bond = sn_world_bond_record(world, probe->bond);
    if (bond != NULL) {
        return bond->body;
    }
    return probe->joint.index != 0 ? sn_joint_child(world, probe->joint) : probe->body;
}

// All located events must share a group, so that the first of them is known to be the first. Gives
// the group's leader or -1.
static int join_event(grouping *g, const sn_event_record *event, int leader)
{
    sn_body bodies[2] = {body_of(g->world, &event->def.probe), {0}};
    const sn_field_record *field = sn_world_field_record(g->world, event->def.probe.field);
    if (field != NULL && sn_field_kind_of(field)->stretches) {
        sn_field_kind_of(field)->ends(field, bodies);
    }
    for (int i = 0; i < 2; ++i) {
        int entry = staged_entry(g, bodies[i]);
        if (entry < 0 || integrator_of(g, entry) == SN_INTEGRATOR_RK4) {
            continue; // a fixed step locates nothing
        }
        // An event of another integrator than the first one's is watched from step to step.
        if (leader < 0) {
            leader = entry;
        } else if (integrator_of(g, entry) == integrator_of(g, leader)) {
            join(g, leader, entry);
        }
    }
    return leader;
}

static bool looks_at_world(const sn_event_record *event)
{
    const sn_probe *probe = &event->def.probe;
    return probe->body.index == 0 && probe->field.index == 0 && probe->joint.index == 0 &&
           probe->bond.index == 0;
}

static sn_status join_everything(grouping *g, sn_error *error)
{
    sn_world *world = g->world;
    bool all = false;
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        sn_status status =
            sn_field_kind_of(field)->stretches ? join_spring(g, field, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
        all = all || sn_field_kind_of(field)->couples;
    }
    all = all || sn_world_presses(world); // anything may meet anything
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *bond = &world->bonds.records.data[world->bonds.order.data[i]];
        int a = staged_entry(g, bond->body), b = staged_entry(g, bond->other);
        if (a >= 0 && b >= 0) {
            join(g, a, b);
        }
    }
    int leader = -1;
    for (int i = 0; i < world->event_order.count; ++i) {
        const sn_event_record *event = &world->events.data[world->event_order.data[i]];
        all = all || looks_at_world(event);
        leader = join_event(g, event, leader);
    }
    if (all) {
        join_all(g);
    }
    return SN_OK;
}

// ---- the groups themselves ----

static void free_group(sn_group *group)
{
    sn_array_free(&group->agents);
    sn_array_free(&group->fields);
    sn_array_free(&group->events);
    sn_array_free(&group->bonds);
    sn_array_free(&group->brittle);
    sn_ode_destroy(group->ode);
    sn_free(group->state);
    sn_free(group->slope);
}

void sn_world_free_groups(sn_world *world)
{
    for (int i = 0; i < world->groups.count; ++i) {
        free_group(&world->groups.data[i]);
    }
    sn_array_free(&world->groups);
    sn_array_free(&world->single_fields);
    sn_array_free(&world->wide_drags);
    for (int s = 0; s < world->set_count; ++s) {
        sn_array_free(&world->group_of[s]);
    }
    world->groups_current = false;
}

// Puts every staged agent into the group of its root; the strictest tolerance rules a group.
static bool fill_groups(grouping *g)
{
    sn_world *world = g->world;
    for (int s = 0; s < world->set_count; ++s) {
        const sn_agent_set *set = world->sets[s];
        if (!sn_array_resize(&world->group_of[s], set->count)) {
            return false;
        }
        for (int i = 0; i < set->count; ++i) {
            const sn_agent *agent = &set->agents[i];
            world->group_of[s].data[i] = -1;
            if (!sn_integrator_is_staged(agent->integrator)) {
                world->has_singles = true;
                continue;
            }
            int root = root_of(g, g->first[s] + i);
            if (root == g->first[s] + i) {
                sn_group fresh = {.integrator = agent->integrator,
                                  .relative_tolerance = agent->relative_tolerance,
                                  .absolute_tolerance = agent->absolute_tolerance,
                                  .fresh = true};
                if (!sn_array_push(&world->groups, fresh)) {
                    return false;
                }
                world->group_of[s].data[i] = world->groups.count - 1;
            } else {
                sn_agent_ref first = ref_of(g, root);
                world->group_of[s].data[i] = world->group_of[first.set].data[first.agent];
            }
            sn_group *group = &world->groups.data[world->group_of[s].data[i]];
            if (!sn_array_push(&group->agents, (sn_agent_ref){s, i, 0})) {
                return false;
            }
            group->size += agent->q_count + agent->v_count;
            group->relative_tolerance = group->relative_tolerance < agent->relative_tolerance
                                            ? group->relative_tolerance
                                            : agent->relative_tolerance;
            group->absolute_tolerance = group->absolute_tolerance < agent->absolute_tolerance
                                            ? group->absolute_tolerance
                                            : agent->absolute_tolerance;
        }
    }
    return true;
}

// The group of a body's agent; -1 for single-stage agents, -2 for what does not move.
static int group_of_body(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && record->agent.agent >= 0
               ? world->group_of[record->agent.set].data[record->agent.agent]
               : -2;
}

static int group_of_field(const sn_world *world, const sn_field_record *field)
{
    sn_body ends[2];
    sn_field_kind_of(field)->ends(field, ends);
    int a = group_of_body(world, ends[0]), b = group_of_body(world, ends[1]);
    return a > b ? a : b;
}

static bool assign_fields(sn_world *world)
{
    world->has_callbacks = false;
    for (int i = 0; i < world->field_order.count; ++i) {
        uint32_t index = world->field_order.data[i];
        const sn_field_record *field = &world->fields.data[index];
        const sn_field_kind *kind = sn_field_kind_of(field);
        int group = group_of_field(world, field);
        world->has_callbacks = world->has_callbacks || kind->couples;
        sn_body ends[2];
        kind->ends(field, ends);
        if (kind->wide && ends[0].index == 0 && !sn_array_push(&world->wide_drags, index)) {
            return false;
        }
        bool put =
            group == -2 || (group == -1 ? sn_array_push(&world->single_fields, index)
                                        : sn_array_push(&world->groups.data[group].fields, index));
        for (int s = 0; kind->damps && s < world->set_count; ++s) {
            put = put && sn_agent_set_reserve_damping(world->sets[s]);
        }
        if (!put) {
            return false;
        }
    }
    return true;
}

// The time passes in any adaptive group; anything else of the whole world can be located only while
// all that moves is one group.
static int group_of_world_event(const sn_world *world, const sn_event_record *event)
{
    if (event->def.probe.quantity == SN_QUANTITY_TIME) {
        int group = world->event_group >= 0 ? world->event_group : world->groups.count - 1;
        while (group >= 0 && world->groups.data[group].integrator == SN_INTEGRATOR_RK4) {
            group -= 1;
        }
        return group;
    }
    int moving = 0;
    for (int s = 0; s < world->set_count; ++s) {
        moving += world->sets[s]->count;
    }
    return world->groups.count == 1 && world->groups.data[0].agents.count == moving ? 0 : -1;
}

// What the error control cannot tell from the threshold is on neither side of it.
static double band_of(const sn_world *world, const sn_event_record *event)
{
    const sn_group *group = event->group >= 0 ? &world->groups.data[event->group] : NULL;
    double absolute = group != NULL ? group->absolute_tolerance : world->absolute_tolerance;
    double relative = group != NULL ? group->relative_tolerance : world->relative_tolerance;
    return absolute + relative * fabs(event->def.threshold);
}

static bool assign_bonds(sn_world *world)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        uint32_t index = world->bonds.order.data[i];
        const sn_bond_record *bond = &world->bonds.records.data[index];
        int at = group_of_body(world, bond->body);
        sn_group *group = at >= 0 ? &world->groups.data[at] : NULL;
        if (group != NULL &&
            (!sn_array_push(&group->bonds, index) ||
             (isfinite(bond->break_force) && !sn_array_push(&group->brittle, index)))) {
            return false;
        }
    }
    return true;
}

static bool assign_events(sn_world *world)
{
    for (int i = 0; i < world->event_order.count; ++i) {
        uint32_t index = world->event_order.data[i];
        sn_event_record *event = &world->events.data[index];
        const sn_field_record *field = sn_world_field_record(world, event->def.probe.field);
        int group = group_of_body(world, body_of(world, &event->def.probe));
        if (field != NULL && sn_field_kind_of(field)->stretches) {
            group = group_of_field(world, field);
        } else if (looks_at_world(event)) {
            group = group_of_world_event(world, event);
        }
        // Loads of joints are known only between steps.
        if (sn_quantity_is_load(event->def.probe.quantity)) {
            group = -1;
        }
        // Located by one group only: that of the first located event.
        if (group >= 0 && world->event_group >= 0 && group != world->event_group) {
            group = -1;
        }
        event->group =
            group >= 0 && world->groups.data[group].integrator != SN_INTEGRATOR_RK4 ? group : -1;
        event->band = band_of(world, event);
        if (event->group >= 0) {
            world->event_group = event->group;
            sn_quantity quantity = event->def.probe.quantity;
            world->groups.data[group].tells_bonds = world->groups.data[group].tells_bonds ||
                                                    quantity == SN_QUANTITY_BOND_FORCE ||
                                                    quantity == SN_QUANTITY_BOND_TOTAL;
            if (!sn_array_push(&world->groups.data[event->group].events, index)) {
                return false;
            }
        }
    }
    return true;
}

int sn_group_count_switches(const sn_group *group)
{
    int count = 0;
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_ref ref = group->agents.data[i];
        const sn_agent_set *set = group->world->sets[ref.set];
        count += set->type->switching != NULL ? set->type->switching->count(set, ref.agent) : 0;
    }
    return count;
}

// Finds what can happen at once in a group.
static void find_switches(sn_group *group)
{
    group->jumps = false;
    for (int i = 0; i < group->agents.count; ++i) {
        sn_agent_ref ref = group->agents.data[i];
        sn_agent_set *set = group->world->sets[ref.set];
        if (set->type->switching != NULL) {
            group->jumps = set->type->switching->jumps(set, ref.agent) || group->jumps;
        }
    }
    group->switch_count = sn_group_count_switches(group);
}

static int count_roots(const sn_group *group)
{
    return group->events.count + group->switch_count + group->brittle.count;
}

static sn_ode_root *make_roots(const sn_group *group)
{
    int count = count_roots(group), first = group->events.count;
    sn_ode_root *roots = sn_allocate((size_t)count * sizeof *roots);
    for (int i = first; roots != NULL && i < count; ++i) {
        roots[i] = (sn_ode_root){-1, i < first + group->switch_count ? SN_SWITCH_BAND : 0.0};
    }
    for (int i = 0; roots != NULL && i < group->events.count; ++i) {
        const sn_event_record *event = &group->world->events.data[group->events.data[i]];
        sn_direction wanted = event->def.direction;
        roots[i].direction = (wanted == SN_DIRECTION_RISING) - (wanted == SN_DIRECTION_FALLING);
        roots[i].band = event->band;
    }
    return roots;
}

static sn_status make_integrators(sn_world *world, sn_error *error)
{
    for (int i = 0; i < world->groups.count; ++i) {
        sn_group *group = &world->groups.data[i];
        size_t bytes = (size_t)group->size * sizeof(double);
        group->world = world;
        group->index = i;
        group->edge = INFINITY;
        group->state = sn_allocate(bytes);
        group->slope = sn_allocate(bytes);
        if (group->state == NULL || group->slope == NULL) {
            return sn_fail_memory(error, bytes);
        }
        find_switches(group);
        int root_count = count_roots(group);
        sn_ode_root *roots = make_roots(group);
        if (roots == NULL) {
            return sn_fail_memory(error, (size_t)root_count * sizeof *roots);
        }
        sn_ode_def def = {
            .method = group->integrator,
            .size = group->size,
            .relative_tolerance = group->relative_tolerance,
            .absolute_tolerance = group->absolute_tolerance,
            .root_count = root_count,
            .root = roots,
            .inner_looks = group->switch_count + group->brittle.count > 0 ? 2 : 0,
            .rate = sn_group_rate,
            .roots = sn_group_roots,
            .begin = group->brittle.count > 0 ? sn_group_begin : NULL,
            .is_calm = group->brittle.count > 0 ? sn_group_is_calm : NULL,
            .stop = sn_group_is_stopping,
            .watch = sn_world_contact_traits(world)->springs ? sn_group_watch : NULL,
            .context = group,
        };
        sn_status status = sn_ode_create(&def, &group->ode, error);
        sn_free(roots);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// What acts in a joint may have been changed since.
static bool switches_current(const sn_world *world)
{
    bool current = true;
    for (int i = 0; i < world->groups.count; ++i) {
        const sn_group *group = &world->groups.data[i];
        bool jumps = false;
        for (int k = 0; k < group->agents.count; ++k) {
            sn_agent_ref ref = group->agents.data[k];
            const sn_agent_set *set = world->sets[ref.set];
            jumps = jumps ||
                    (set->type->switching != NULL && set->type->switching->jumps(set, ref.agent));
        }
        current = current && group->jumps == jumps &&
                  group->switch_count == sn_group_count_switches(group);
    }
    return current;
}

sn_status sn_world_make_groups(sn_world *world, sn_error *error)
{
    if (world->groups_current && switches_current(world)) {
        return SN_OK;
    }
    sn_world_free_groups(world);
    world->field_springs.sweep.current = false;
    world->event_group = -1;
    world->forces_clear = false;
    world->has_singles = false;
    grouping g = {.world = world};
    for (int s = 0; s < world->set_count; ++s) {
        g.first[s] = g.count;
        g.count += world->sets[s]->count;
    }
    g.parent = sn_allocate((size_t)g.count * sizeof *g.parent);
    if (g.parent == NULL) {
        return sn_fail_memory(error, (size_t)g.count * sizeof *g.parent);
    }
    for (int i = 0; i < g.count; ++i) {
        g.parent[i] = i;
    }
    sn_status status = join_everything(&g, error);
    if (status == SN_OK &&
        !(fill_groups(&g) && assign_fields(world) && assign_bonds(world) && assign_events(world))) {
        status = sn_fail_memory(error, (size_t)g.count * sizeof(sn_agent_ref));
    }
    sn_free(g.parent);
    if (status == SN_OK) {
        status = sn_world_make_air(world, error);
    }
    if (status == SN_OK) {
        status = make_integrators(world, error);
    }
    world->groups_current = status == SN_OK;
    return status;
}
