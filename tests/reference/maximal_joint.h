// Runs of elementary joints between two bodies: where they end, what they let move, and the rows of
// what they do not.
//
// A run's coordinates q are not part of the state: they are the ones that fit the poses of its two
// bodies best. The error that is left, a turn and a shift, is then at right angles to S, and its
// products with the rows are the constraint g, zero when and only when the joint fits.
#ifndef SN_REFERENCE_MAXIMAL_JOINT_H
#define SN_REFERENCE_MAXIMAL_JOINT_H

#include "reference/maximal.h"

// Poses of all bodies for coordinates of the tree's joints.
void sn_maximal_put_tree(const sn_maximal *m, const double *q, sn_maximal_pose *pose);

// Turns a pose by by.angular and shifts it by by.linear, world axes.
void sn_maximal_move_pose(sn_maximal_pose *pose, sn_spatial by);

// Moves q (all_q) to the coordinates of one joint that fit the poses best. Gives the error left,
// the end of the run, its axes and S there.
sn_spatial sn_maximal_settle(const sn_maximal *m, const sn_maximal_joint *joint,
                             const sn_maximal_pose *pose, double *q, sn_frame *end,
                             sn_spatial motion[6]);

// sn_maximal_settle and the rows, into the joint itself.
void sn_maximal_place_joint(const sn_maximal *m, sn_maximal_joint *joint,
                            const sn_maximal_pose *pose, double *q);

// Origins of the parts at the present coordinates, those of m->pose and m->q.
void sn_maximal_part_origins(const sn_maximal *m, const sn_maximal_joint *joint, sn_vec3 origin[6]);

// S^+ twist: the rates that come nearest to it. Directions that S has twice get no rate of their
// own.
void sn_maximal_fit(const sn_maximal_joint *joint, sn_spatial twist, double rates[6]);

// S^+^T rates: the smallest force that does on S what the joint's forces do.
sn_spatial sn_maximal_fit_transposed(const sn_maximal_joint *joint, const double force[6]);

// The twist of a joint's child relative to its parent, at the end of the run.
sn_spatial sn_maximal_relative(const sn_maximal_joint *joint, const sn_maximal_pose *pose,
                               const sn_spatial *velocity);

// Velocities of all bodies for rates v (v_count) of the tree's joints, as `joints` and `pose` are
// placed.
void sn_maximal_velocities(const sn_maximal *m, const sn_maximal_joint *joints,
                           const sn_maximal_pose *pose, const double *v, sn_spatial *velocity);

// Moves coordinates q (all_q) of one joint by `by` (freedoms): added, and multiplied for balls.
void sn_maximal_move_joint(const sn_maximal *m, const sn_maximal_joint *joint, const double *by,
                           double *q);

// Row r of J on motions of the bodies.
SN_API double sn_maximal_row(const sn_maximal_joint *joint, int r, const sn_spatial *motion);

// Between the joint's own numbers and those of all velocities.
void sn_maximal_scatter(const sn_maximal *m, const sn_maximal_joint *joint, const double own[6],
                        double *all);
void sn_maximal_collect(const sn_maximal *m, const sn_maximal_joint *joint, const double *all,
                        double own[6]);

#endif
