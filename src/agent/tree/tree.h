// A tree of rigid links in joint coordinates: kinematics, inverse and forward dynamics, all in
// linear time.
//
// Links are numbered so that a parent comes before its children; depth first is best, for then a
// parent is still in the cache when its children ask for it. Each hangs on its parent by one
// elementary joint; a joint of more kinds of freedom (universal, cylindrical, planar, free) is a
// row of elementary ones with massless links between. A link's frame sits at its joint, axis z; at
// zero coordinates it coincides with the joint's frame in the parent.
//
// | joint       | q              | v                                  | the link in its parent    |
// |-------------|----------------|------------------------------------|---------------------------|
// | hinge       | angle          | rate                               | turns about z             |
// | slider      | distance       | rate                               | shifts along z            |
// | screw       | angle          | rate                               | turns, shifts pitch a rad |
// | ball        | quaternion (4) | angular velocity in link axes (3)  | turns in any way          |
// | translation | vector (3)     | its rate (3)                       | shifts in joint axes      |
//
// A ball's quaternion need not be of unit length.
//
// Vectors between links are all in world axes, moments about each link's own origin. So passing
// something on to the parent is a shift of the moment, not a change of axes (Featherstone, Rigid
// Body Dynamics Algorithms, 2008, section 10.1 weighs the two), and a ball without armature passes
// on nothing but a force: its factor is a 3 x 3 inverse and a 3 x 3 gain.
#ifndef SN_AGENT_TREE_TREE_H
#define SN_AGENT_TREE_TREE_H

#include "math/spatial.h"
#include "math/symmetric.h"
#include "sinew/math.h"

typedef enum sn_tree_joint {
    SN_TREE_HINGE,
    SN_TREE_SLIDER,
    SN_TREE_SCREW,
    SN_TREE_BALL,
    SN_TREE_TRANSLATION,
} sn_tree_joint;

// Second moments of mass about the centre, E = 1/2 trace(I) 1 - I, by principal axes: E = e 1 +
// sum_k d_k r_k r_k^T, with the middle one for e. A body that is round has one d_k at most, a
// sphere none.
typedef struct sn_tree_spread {
    double middle; // e
    int count;     // of those that differ from it
    double beyond[2];
    sn_vec3 axis[2]; // r, in link axes
    int column[2];   // the link axis that this is; -1: none
    int round;       // of bodies that are round about a link axis, and no spheres: this axis; or -1
} sn_tree_spread;

// Rotary inertia that a link has beside its own, in link axes, and the spread of their sum: steps
// turn a link by the principal axes of what it has in all.
typedef struct sn_tree_added {
    sn_sym3 inertia;
    sn_tree_spread spread;
} sn_tree_added;

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
    bool parallel;   // frame.rotation is the identity
    bool principal;  // inertia is diagonal
    int round;       // and the same across this axis, as that of rods and spheres; -1: none
    sn_tree_spread spread;
} sn_tree_link;

// Where a link is: link axes to world, origin and centre of mass.
typedef struct sn_tree_pose {
    sn_mat3 rotation;
    sn_vec3 origin, centre;
} sn_tree_pose;

// What dynamics asks of a link at the placed pose, in world axes and side by side in memory. Arm
// and reach are turned vectors, not differences of places, and so as exact far from the origin.
typedef struct sn_tree_body {
    int parent;
    sn_tree_joint joint;
    int v;
    double pitch, mass;
    bool arcs;       // the last joint before it that turns is a hinge or a screw: see tree_step.h
    bool on_arcs;    // so is its parent
    bool gathers;    // it is, or a link before it
    sn_vec3 arm;     // from the parent's origin to the link's
    sn_vec3 reach;   // from the link's origin to its centre of mass
    sn_vec3 axis;    // z of the joint
    sn_sym3 inertia; // about the centre of mass
} sn_tree_body;

// An articulated inertia about a link's origin: [[angular, coupling], [coupling^T, linear]].
typedef struct sn_tree_inertia {
    sn_sym3 angular;
    sn_mat3 coupling;
    sn_sym3 linear;
} sn_tree_inertia;

// What a solve needs of a link's articulated inertia I and of its joint's S, with D = S^T I S +
// armature.
typedef union sn_tree_factor {
    struct {
        sn_spatial u;     // I S
        double inverse_d; // 1 / D
    } one;                // freedom
    struct {
        sn_sym3 inverse; // D^-1, world axes
        sn_mat3 gain;    // D^-1 times the half of S^T I that the joint does not free
    } three;             // freedoms
} sn_tree_factor;

// How a link moves, for inverse dynamics.
typedef struct sn_tree_motion {
    sn_vec3 angular, angular_rate, acceleration; // the latter of the origin, less gravity
} sn_tree_motion;

typedef struct sn_tree {
    int count, q_count, v_count;
    sn_tree_link *links;      // count
    sn_tree_pose *pose;       // count: of the last sn_tree_place
    sn_tree_body *body;       // count: likewise
    sn_tree_inertia *inertia; // count: of the last sn_tree_factorise
    sn_tree_factor *factor;   // count: likewise
    sn_sym3 *armature;        // count: likewise, of three freedoms in world axes
    bool armed;               // armature was given
    bool arcs;                // some of its links have them
    sn_tree_motion *motion;   // count: of the last sn_tree_inverse
    sn_spatial *scratch;      // count
    sn_sym3 *root;            // count: of the last sn_tree_root_begin (tree_root.h)
    // count: what bodies get when they are placed (see tree_swing.h); NULL: none. The caller's;
    // copies have none.
    const sn_tree_added *added;
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

// Of an inertia in link axes; it need not be that of a real body.
SN_API sn_tree_spread sn_tree_spread_of(const sn_mat3 *inertia);

// q <- q moved by d (v_count) along each joint: q + d, and q exp(d) for balls. In place is allowed.
SN_API void sn_tree_move(const sn_tree *tree, const double *q, const double *d, double scale,
                         double *moved);

// The link's joint is of those that let the whole tree go where it likes: from the world through
// massless links, a translation among them.
SN_API bool sn_tree_floats(const sn_tree *tree, int link);

// Coordinates at which every joint is at its zero.
SN_API void sn_tree_zero(const sn_tree *tree, double *q);

// Poses of all links for q, into `pose` (count).
SN_API void sn_tree_place_into(const sn_tree *tree, const double *q, sn_tree_pose *pose);

// The same into tree->pose, and tree->body with it.
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

// The same with `extra` inertias (count, or NULL) of the links, about their origins in world axes.
SN_API bool sn_tree_factorise_with(sn_tree *tree, const double *armature,
                                   const sn_tree_inertia *extra);

// a = M^-1 force with that factor; the same array is allowed. Leaves the links' accelerations
// (angular, and linear at the origin, world axes) in tree->scratch.
SN_API void sn_tree_solve(sn_tree *tree, const double *force, double *a);

// The same for M a = force + J^T wrench, with `wrench` (count) in tree->scratch. Better than
// gathering the wrenches first: what nearly balances on a link cancels there, before it adds up to
// large moments along a chain.
SN_API void sn_tree_solve_wrench(sn_tree *tree, const double *force, double *a);

// The mass matrix itself (v_count^2 by rows), by solving nothing: for tests and small systems. Cost
// grows with depth.
SN_API void sn_tree_mass_matrix(sn_tree *tree, double *m);

#endif
