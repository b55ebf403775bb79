// The numbering of a world's freedoms, and their names.
#include <stdio.h>

#include "world/system.h"

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

// The joint whose elementary joints a link is one of; 0: none, the link is of a floating root.
static uint32_t find_joint(const sn_world *world, int agent, int link)
{
    const sn_tree *tree = &world->articulations.items[agent]->tree;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        int freedoms = sn_joint_type_freedoms(joint->def.type);
        if (joint->agent == agent && freedoms > 0 && link >= joint->first_link &&
            tree->links[link].v - tree->links[joint->first_link].v < freedoms) {
            return world->joint_order.data[i];
        }
    }
    return 0;
}

static sn_freedom freedom_of_tree(const sn_world *world, int agent, int v)
{
    const sn_articulation *item = world->articulations.items[agent];
    int link = find_link(&item->tree, v);
    sn_tree_joint elementary = item->tree.links[link].joint;
    sn_freedom freedom = {.turns = elementary == SN_TREE_HINGE || elementary == SN_TREE_BALL ||
                                   elementary == SN_TREE_SCREW};
    uint32_t index = find_joint(world, agent, link);
    if (index != 0) {
        const sn_joint_record *joint = &world->joints.data[index];
        freedom.joint = (sn_joint){index, world->joint_ids.generation.data[index]};
        freedom.body = joint->def.child;
        freedom.freedom = v - item->tree.links[joint->first_link].v;
        return freedom;
    }
    freedom.freedom = v - item->tree.links[link].v + (freedom.turns ? 3 : 0);
    freedom.body = body_at(world, world->articulations.agents.agents[agent].owner);
    return freedom;
}

sn_freedom sn_world_freedom(const sn_world *world, int index)
{
    int rigid = world->rigid.agents.v_count;
    if (!world->assembled || index < 0 || index >= set_offset(world, world->set_count)) {
        return (sn_freedom){0};
    }
    if (index < rigid) {
        int agent = find_agent(&world->rigid.agents, index),
            own = index - world->rigid.agents.agents[agent].v_first;
        return (sn_freedom){.body = body_at(world, world->rigid.agents.agents[agent].owner),
                            .freedom = own,
                            .turns = own >= 3};
    }
    const sn_agent_set *set = &world->articulations.agents;
    int agent = find_agent(set, index - rigid);
    return freedom_of_tree(world, agent, index - rigid - set->agents[agent].v_first);
}

int sn_joint_coordinate(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    if (record == NULL || !world->assembled || record->agent < 0 || freedom < 0 ||
        freedom >= sn_joint_type_freedoms(record->def.type)) {
        return -1;
    }
    const sn_tree *tree = &world->articulations.items[record->agent]->tree;
    return set_offset(world, SN_SET_ARTICULATION) +
           world->articulations.agents.agents[record->agent].v_first +
           tree->links[record->first_link].v + freedom;
}

void sn_system_freedom_name(const sn_world *world, int index, char *name, size_t size)
{
    sn_freedom freedom = sn_world_freedom(world, index);
    if (freedom.joint.index != 0) {
        snprintf(name, size, "joint '%s', freedom %d", sn_joint_name(world, freedom.joint),
                 freedom.freedom + 1);
    } else {
        snprintf(name, size, "body '%s', %s %c", sn_body_name(world, freedom.body),
                 freedom.turns ? "turn about" : "shift along", 'x' + freedom.freedom % 3);
    }
}
