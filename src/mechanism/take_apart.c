// The end of mechanisms: every body is an agent of its own again.
#include "base/error.h"
#include "base/memory.h"
#include "geometry/reach.h"
#include "mechanism/joint.h"
#include "model/world.h"

// Angles of joints count whole turns, which bodies do not show.
static void keep_coordinates(sn_world *world)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        for (int k = 0; k < sn_joint_type_freedoms(joint->type) && joint->agent >= 0; ++k) {
            joint->kept[k] = sn_joint_position(world, sn_world_joint(world, i), k);
        }
    }
}

sn_status sn_world_take_apart(sn_world *world, sn_error *error)
{
    int count = 0;
    for (int i = 0; i < world->body_order.count; ++i) {
        count += sn_body_is_jointed(&world->bodies.data[world->body_order.data[i]]);
    }
    if (!sn_rigid_reserve(&world->rigid, count)) {
        return sn_fail_memory(error, (size_t)count * sizeof(sn_rigid_def));
    }
    keep_coordinates(world);
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        sn_body_record *record = &world->bodies.data[index];
        bool own_agent =
            sn_world_traits(world, record->agent.set)->lone && record->agent.agent >= 0;
        if (!sn_body_is_jointed(record) || own_agent) {
            continue;
        }
        sn_body body = {index, world->body_ids.generation.data[index]};
        const sn_agent *head = record->agent.agent >= 0
                                   ? &world->articulations.agents.agents[record->agent.agent]
                                   : NULL;
        sn_rigid_def def = {
            .mass = record->own->mass,
            .frame = sn_body_transform(world, body),
            .velocity = sn_body_velocity(world, body),
            .angular_velocity = sn_body_angular_velocity(world, body),
            .radius =
                sn_shapes_reach(record->shapes, record->shape_count, record->own->mass.centre),
            .integrator =
                head != NULL ? (sn_integrator)head->integrator : sn_world_default_integrator(world),
            .relative_tolerance =
                head != NULL ? head->relative_tolerance : world->relative_tolerance,
            .absolute_tolerance =
                head != NULL ? head->absolute_tolerance : world->absolute_tolerance,
            .owner = index,
            .time = world->time,
        };
        record->agent = (sn_agent_ref){SN_SET_RIGID, sn_rigid_add(&world->rigid, &def), 0};
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        sn_body_record *record = &world->bodies.data[world->body_order.data[i]];
        if (sn_body_is_jointed(record)) {
            sn_free(record->own);
            record->own = NULL;
        }
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        joint->agent = joint->first_link = joint->tie = -1;
        joint->closes = false;
    }
    for (int i = 0; i < world->coupling_order.count; ++i) {
        sn_coupling_record *coupling = &world->couplings.data[world->coupling_order.data[i]];
        coupling->agent = coupling->tie = -1;
    }
    sn_articulation_set_free(&world->articulations);
    world->assembled = world->joint_order.count == 0;
    world->groups_current = false;
    return SN_OK;
}
