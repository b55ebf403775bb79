// A tree of rigid links in joint coordinates: kinematics, inverse and forward dynamics, all in
// linear time.
//
// Links are numbered so that a parent comes before its children. Each hangs on its parent by one
// elementary joint; a joint of more kinds of freedom (universal, cylindrical, planar, free) is a
// row of elementary ones with massless links between. A link's frame sits at its joint, axis z; at
// zero coordinates it coincides with the joint's frame in the parent.
//
//     joint        q                       v                                   motion of the link
//     in its parent hinge        angle                   rate                                turn
//     about z slider       distance                rate                                shift along
//     z screw        angle                   rate                                turn about z with
//     a shift of pitch per radian ball         quaternion (4)          angular velocity in link
//     axes (3)   any turn translation  vector (3)              its rate (3) any shift, along the
//     joint frame's axes
//
// Vectors between links are all in world axes, moments about each link's own origin. So passing
// something on to the parent is a shift of the moment, not a change of axes (Featherstone, Rigid
// Body Dynamics Algorithms, 2008, section 10.1 weighs the two).
#ifndef SN_AGENT_TREE_H
#define SN_AGENT_TREE_H

#include "math/spatial.h"
#include "sinew/math.h"

typedef enum sn_tree_joint {
    SN_TREE_HINGE,
    SN_TREE_SLIDER,
    SN_TREE_SCREW,
    SN_TREE_BALL,
    SN_TREE_TRANSLATION,
} sn_tree_joint;

// What never changes of a link.
typedef struct sn_tree_link {
    int parent; // -1: the world
    sn_tree_joint joint;
    int q, v;        // first of its coordinates and velocities
    double pitch;    // m/rad, screws
    sn_frame frame;  // of the joint, in the parent
    double mass;     // 0 for the links between elementary joints
    sn_vec3 centre;  // of mass, in link axes from the link's origin
    sn_mat3 inertia; // about the centre, in link axes
    sn_mat3 spread;  // 1/2 trace(inertia) 1 - inertia: second moments of mass
} sn_tree_link;

// Where a link is: link axes to world, origin and centre of mass.
typedef struct sn_tree_pose {
    sn_mat3 rotation;
    sn_vec3 origin, centre;
} sn_tree_pose;

// The factored dynamics of a link: the articulated inertia I about its origin, and what a solve
// needs of its joint's S.
typedef struct sn_tree_factor {
    sn_mat6 inertia;
    sn_spatial u;                      // one freedom: I S
    double inverse_d;                  // one freedom: 1 / (S^T I S + armature)
    sn_mat3 inverse;                   // three freedoms, world axes: D^-1
    sn_mat3 gain_angular, gain_linear; // three freedoms: D^-1 (I S)^T, its two halves
} sn_tree_factor;

// How a link moves, for inverse dynamics.
typedef struct sn_tree_motion {
    sn_vec3 angular, angular_rate, acceleration; // the latter of the origin, less gravity
} sn_tree_motion;

typedef struct sn_tree {
    int count, q_count, v_count;
    sn_tree_link *links;    // count
    sn_tree_pose *pose;     // count: of the last sn_tree_place
    sn_tree_factor *factor; // count: of the last sn_tree_factorise
    sn_tree_motion *motion; // count: of the last sn_tree_inverse
    sn_spatial *scratch;    // count
} sn_tree;

// Degrees of freedom of a joint, and numbers in its q.
static inline int sn_tree_joint_v(sn_tree_joint joint)
{
    return joint < SN_TREE_BALL ? 1 : 3;
}

static inline int sn_tree_joint_q(sn_tree_joint joint)
{
    return joint == SN_TREE_BALL ? 4 : sn_tree_joint_v(joint);
}

// Memory for `count` links, all zero; the caller fills in parent, joint, frame, mass, centre and
// inertia and then calls sn_tree_finish, which numbers the coordinates and derives the rest. False
// when memory runs out.
SN_API bool sn_tree_allocate(sn_tree *tree, int count);
SN_API void sn_tree_finish(sn_tree *tree);
SN_API bool sn_tree_copy(const sn_tree *tree, sn_tree *copy);
SN_API void sn_tree_free(sn_tree *tree);

// q <- q moved by d (v_count) along each joint: q + d, and q exp(d) for balls. In place is allowed.
SN_API void sn_tree_move(const sn_tree *tree, const double *q, const double *d, double scale,
                         double *moved);

// Coordinates at which every joint is at its zero.
SN_API void sn_tree_zero(const sn_tree *tree, double *q);

// Poses of all links for q, into `pose` (count).
SN_API void sn_tree_place_into(const sn_tree *tree, const double *q, sn_tree_pose *pose);

// The same, but links on balls are turned by turn (count) in their own axes from where the tree is
// placed, whatever q says of them.
SN_API void sn_tree_place_turned(const sn_tree *tree, const double *q, const sn_quat *turn,
                                 sn_tree_pose *pose);
SN_API void sn_tree_place(sn_tree *tree, const double *q);

// Velocities of all links for v at the placed pose: angular, and linear at the link's origin; world
// axes.
SN_API void sn_tree_velocity(const sn_tree *tree, const double *v, sn_spatial *velocity);

// Inverse dynamics at the placed pose: the joint forces that give accelerations `a` at velocities
// `v` under gravity and `wrench` (count, or NULL: moment about the link's origin and force, world
// axes). force: v_count.
SN_API void sn_tree_inverse(sn_tree *tree, const double *v, const double *a, sn_vec3 gravity,
                            const sn_spatial *wrench, double *force);

// J^T of a set of wrenches on links: force (v_count) = sum of what each joint feels of them.
// `wrench` is changed.
SN_API void sn_tree_gather(const sn_tree *tree, sn_spatial *wrench, double *force);

// Factors the joint-space mass matrix M(q), plus `armature` (v_count, or NULL) on its diagonal, at
// the placed pose; false when a joint has nothing to move.
SN_API bool sn_tree_factorise(sn_tree *tree, const double *armature);

// a = M^-1 force with that factor; the same array is allowed. Leaves the links' accelerations
// (angular, and linear at the origin, world axes) in tree->scratch.
SN_API void sn_tree_solve(sn_tree *tree, const double *force, double *a);

// The mass matrix itself (v_count^2 by rows), by solving nothing: for tests and small systems. Cost
// grows with depth.
SN_API void sn_tree_mass_matrix(sn_tree *tree, double *m);

#endif
