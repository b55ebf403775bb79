// The numbering of a world's freedoms, and their names.
#include <stdio.h>

#include "mechanism/joint.h"
#include "mechanism/joint_read.h"

static sn_body body_at(const sn_world *world, uint32_t index)
{
    return (sn_body){index, world->body_ids.generation.data[index]};
}

// The first coordinate of a set.
static int set_offset(const sn_world *world, int set)
{
    int offset = 0;
    for (int s = 0; s < set; ++s) {
        offset += world->sets[s]->v_count;
    }
    return offset;
}

sn_status sn_world_coordinate_count(sn_world *world, int *count, sn_error *error)
{
    *count = 0;
    sn_status status = world->assembled ? SN_OK : sn_world_assemble(world, error);
    if (status == SN_OK) {
        *count = set_offset(world, world->set_count);
    }
    return status;
}

// The agent of a set that has a velocity, by its place in the set.
static int find_agent(const sn_agent_set *set, int v)
{
    int low = 0, high = set->count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (set->agents[middle].v_first <= v) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static int find_link(const sn_tree *tree, int v)
{
    int low = 0, high = tree->count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (tree->links[middle].v <= v) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// The velocity in its tree that is a freedom of an assembled joint; -1: none.
static int velocity_of(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0, link = sn_joint_find_link(record, freedom, &own);
    return link >= 0 ? sn_articulation_of(world->sets[sn_joint_agent(record).set], record->agent)
                               ->tree.links[link]
                               .v +
                           own
                     : -1;
}

// The joint and its freedom that a velocity of a tree is of; false: it is of a floating root.
static bool find_joint(const sn_world *world, int agent, int v, sn_freedom *found)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        sn_joint joint = {index, world->joint_ids.generation.data[index]};
        int freedoms = sn_joint_type_freedoms(sn_joint_get_type(world, joint));
        for (int k = 0; k < freedoms && world->joints.data[index].agent == agent; ++k) {
            if (velocity_of(world, joint, k) == v) {
                found->joint = joint;
                found->body = sn_joint_child(world, joint);
                found->freedom = k;
                return true;
            }
        }
    }
    return false;
}

static sn_freedom freedom_of_tree(const sn_world *world, const sn_agent_set *set, int agent, int v)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    int link = find_link(&item->tree, v);
    sn_tree_joint elementary = item->tree.links[link].joint;
    sn_freedom freedom = {.turns = elementary == SN_TREE_HINGE || elementary == SN_TREE_BALL ||
                                   elementary == SN_TREE_SCREW};
    if (find_joint(world, agent, v, &freedom)) {
        return freedom;
    }
    freedom.freedom = v - item->tree.links[link].v + (freedom.turns ? 3 : 0);
    freedom.body = body_at(world, set->agents[agent].owner);
    return freedom;
}

sn_freedom sn_world_freedom(const sn_world *world, int index)
{
    if (!world->assembled || index < 0 || index >= set_offset(world, world->set_count)) {
        return (sn_freedom){0};
    }
    int s = 0;
    for (; index >= world->sets[s]->v_count; ++s) {
        index -= world->sets[s]->v_count;
    }
    const sn_agent_set *set = world->sets[s];
    int agent = find_agent(set, index), own = index - set->agents[agent].v_first;
    if (set->type->traits.jointed) {
        return freedom_of_tree(world, set, agent, own);
    }
    return (sn_freedom){.body = body_at(world, set->agents[agent].owner),
                        .freedom = own,
                        .turns = set->type->traits.lone && own >= 3};
}

int sn_joint_coordinate(const sn_world *world, sn_joint joint, int freedom)
{
    int v = world->assembled ? velocity_of(world, joint, freedom) : -1;
    if (v < 0) {
        return -1;
    }
    sn_agent_ref ref = sn_joint_agent(sn_world_joint_record(world, joint));
    return set_offset(world, ref.set) + world->sets[ref.set]->agents[ref.agent].v_first + v;
}

void sn_world_freedom_name(const sn_world *world, int index, char *name, size_t size)
{
    sn_freedom freedom = sn_world_freedom(world, index);
    if (freedom.joint.index != 0) {
        snprintf(name, size, "joint '%s', freedom %d", sn_joint_name(world, freedom.joint),
                 freedom.freedom + 1);
    } else if (sn_body_get_type(world, freedom.body) == SN_BODY_ELASTIC) {
        snprintf(name, size, "body '%s', vertex %d", sn_body_name(world, freedom.body),
                 freedom.freedom / 4);
    } else {
        snprintf(name, size, "body '%s', %s %c", sn_body_name(world, freedom.body),
                 freedom.turns ? "turn about" : "shift along", 'x' + freedom.freedom % 3);
    }
}
