#include "probe/quantity.h"

#include <math.h>

bool sn_quantity_has_point(sn_quantity quantity)
{
    return (quantity >= SN_QUANTITY_POSITION_X && quantity <= SN_QUANTITY_POSITION_Z) ||
           (quantity >= SN_QUANTITY_VELOCITY_X && quantity <= SN_QUANTITY_SPEED);
}

sn_joint_quantity sn_joint_quantity_of(sn_quantity quantity)
{
    static const struct {
        sn_quantity first; // the others follow it
        sn_joint_number number;
    } rows[] = {
        {SN_QUANTITY_JOINT_REACTION_TORQUE, SN_JOINT_NUMBER_REACTION_TORQUE},
        {SN_QUANTITY_JOINT_REACTION_FORCE, SN_JOINT_NUMBER_REACTION_FORCE},
        {SN_QUANTITY_JOINT_FRICTION_FORCE, SN_JOINT_NUMBER_FRICTION_FORCE},
        {SN_QUANTITY_JOINT_LIMIT_FORCE, SN_JOINT_NUMBER_LIMIT_FORCE},
        {SN_QUANTITY_JOINT_DRIVE_FORCE, SN_JOINT_NUMBER_DRIVE_FORCE},
        {SN_QUANTITY_JOINT_VELOCITY, SN_JOINT_NUMBER_VELOCITY},
        {SN_QUANTITY_JOINT_POSITION, SN_JOINT_NUMBER_POSITION},
    };
    int i = 0;
    while (quantity < rows[i].first && rows[i].number != SN_JOINT_NUMBER_POSITION) {
        i += 1;
    }
    int offset = (int)quantity - (int)rows[i].first;
    bool whole = rows[i].number >= SN_JOINT_NUMBER_REACTION_FORCE;
    return (sn_joint_quantity){rows[i].number, whole ? -1 : offset, whole ? offset - 1 : -1};
}

bool sn_joint_quantity_fits(sn_quantity quantity, sn_joint_type type)
{
    return sn_joint_quantity_of(quantity).freedom < sn_joint_type_freedoms(type);
}

bool sn_quantity_is_load(sn_quantity quantity)
{
    return quantity >= SN_QUANTITY_JOINT_DRIVE_FORCE &&
           quantity <= SN_QUANTITY_JOINT_REACTION_TORQUE_Z;
}

const char *sn_joint_quantity_unit(sn_quantity quantity, sn_joint_type type)
{
    sn_joint_quantity q = sn_joint_quantity_of(quantity);
    bool turns = q.freedom >= 0 && sn_joint_type_turns(type, q.freedom);
    switch (q.number) {
    case SN_JOINT_NUMBER_POSITION:
        return turns ? "rad" : "m";
    case SN_JOINT_NUMBER_VELOCITY:
        return turns ? "rad/s" : "m/s";
    case SN_JOINT_NUMBER_DRIVE_FORCE:
    case SN_JOINT_NUMBER_LIMIT_FORCE:
    case SN_JOINT_NUMBER_FRICTION_FORCE:
        return turns ? "N m" : "N";
    case SN_JOINT_NUMBER_REACTION_FORCE:
        return "N";
    case SN_JOINT_NUMBER_REACTION_TORQUE:
        return "N m";
    }
    return "";
}

static double part_of(sn_vec3 v, int axis)
{
    return axis < 0 ? sn_length(v) : (axis == 0 ? v.x : (axis == 1 ? v.y : v.z));
}

double sn_joint_quantity_read(const sn_world *world, sn_joint joint, sn_quantity quantity)
{
    sn_joint_quantity q = sn_joint_quantity_of(quantity);
    switch (q.number) {
    case SN_JOINT_NUMBER_POSITION:
        return sn_joint_position(world, joint, q.freedom);
    case SN_JOINT_NUMBER_VELOCITY:
        return sn_joint_velocity(world, joint, q.freedom);
    case SN_JOINT_NUMBER_DRIVE_FORCE:
        return sn_joint_drive_force(world, joint, q.freedom);
    case SN_JOINT_NUMBER_LIMIT_FORCE:
        return sn_joint_limit_force(world, joint, q.freedom);
    case SN_JOINT_NUMBER_FRICTION_FORCE:
        return sn_joint_friction_force(world, joint, q.freedom);
    case SN_JOINT_NUMBER_REACTION_FORCE:
        return part_of(sn_joint_reaction(world, joint).force, q.axis);
    case SN_JOINT_NUMBER_REACTION_TORQUE:
        return part_of(sn_joint_reaction(world, joint).torque, q.axis);
    }
    return NAN;
}
