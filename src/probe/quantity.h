// Quantities of points and of joints: which of a joint's numbers one is, and its unit, which
// depends on whether the freedom turns or slides.
#ifndef SN_PROBE_QUANTITY_H
#define SN_PROBE_QUANTITY_H

#include "sinew/joint.h"

typedef enum sn_joint_number {
    SN_JOINT_NUMBER_POSITION,
    SN_JOINT_NUMBER_VELOCITY,
    SN_JOINT_NUMBER_DRIVE_FORCE,
    SN_JOINT_NUMBER_LIMIT_FORCE,
    SN_JOINT_NUMBER_FRICTION_FORCE,
    SN_JOINT_NUMBER_REACTION_FORCE,
    SN_JOINT_NUMBER_REACTION_TORQUE,
} sn_joint_number;

typedef struct sn_joint_quantity {
    sn_joint_number number;
    int freedom; // -1: of the whole joint
    int axis;    // of a reaction: 0, 1, 2; -1: its length
} sn_joint_quantity;

// Position, velocity and speed, which points of bodies have, too.
SN_API bool sn_quantity_has_point(sn_quantity quantity);

// The quantity is one of joints.
SN_API sn_joint_quantity sn_joint_quantity_of(sn_quantity quantity);

// Has a joint of this type the quantity?
SN_API bool sn_joint_quantity_fits(sn_quantity quantity, sn_joint_type type);

// Is it a force or torque in a joint? Such are means over a step, and unknown while one is under
// way.
SN_API bool sn_quantity_is_load(sn_quantity quantity);

SN_API const char *sn_joint_quantity_unit(sn_quantity quantity, sn_joint_type type);
SN_API double sn_joint_quantity_read(const sn_world *world, sn_joint joint, sn_quantity quantity);

#endif
