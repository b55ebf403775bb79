// What joints are made of: a joint is a run of the tree's elementary joints,
//
//     T = B0 E0(q0) B1 E1(q1) ... A,
//
// the child's joint frame in the parent's, with constant turns B and A that bring each axis to z. A
// mechanism may need it the other way round, from child to parent:
//
//     T^-1 = A^-1 E1^-1 B1^-1 E0^-1 B0^-1.
//
// With F half a turn about x, E(q)^-1 = F E(q) F^-1 for hinges, sliders and screws: they keep their
// coordinate, and F goes into the constant turns. A ball's quaternion is conjugated.
#ifndef SN_MECHANISM_JOINT_RUN_H
#define SN_MECHANISM_JOINT_RUN_H

#include "agent/tree/tree.h"
#include "sinew/joint.h"

enum { SN_RUN_MOST = 4 };

typedef struct sn_joint_run {
    int count;
    bool reversed;
    sn_tree_joint joint[SN_RUN_MOST];
    sn_quat before[SN_RUN_MOST]; // from the frame so far to one with the next axis along z
    sn_quat after;               // from the last element's frame to the joint's far frame
    int freedom[SN_RUN_MOST];    // the joint's first freedom that each element holds
} sn_joint_run;

// Types that have no coordinates (fixed, distance, curve, surface) give an empty run.
sn_joint_run sn_joint_run_of(sn_joint_type type, bool reversed);

// Coordinates (as the tree has them, in the order of the run) of a joint whose child frame stands
// at t in its parent frame.
void sn_joint_run_coordinates(const sn_joint_run *run, sn_joint_type type, double pitch,
                              sn_transform t, double *q);

// Their rates for a child frame that moves against its parent frame with `shift` and `turning`, in
// the parent's joint axes, where it stands at t.
void sn_joint_run_rates(const sn_joint_run *run, sn_joint_type type, sn_transform t, sn_vec3 shift,
                        sn_vec3 turning, double *v);

// What acts in a freedom, as the tree is to have it: a ball that is run backwards turns by the
// opposite rotation vector, towards the opposite target.
sn_freedom_def sn_joint_run_freedom(const sn_freedom_def *freedom, bool reversed_ball);

// Where the run's far frame stands in its near one for coordinates q: T, or T^-1 when reversed.
sn_transform sn_joint_run_place(const sn_joint_run *run, double pitch, const double *q);

#endif
