// The tree of tree.h in maximal coordinates: every link with mass is a free rigid body, and the
// joints are rows of constraints with Lagrange multipliers, solved in linear time. Joints that
// close loops are rows too.
//
//     sn_maximal m;
//     if (sn_maximal_make(&m, &tree, closures, closure_count, &error) != SN_OK) { ... }
//     sn_maximal_from_tree(&m, q, v);
//     sn_maximal_project(&m, &gap, &error);
//     sn_maximal_accelerate(&m, gravity, NULL, NULL, a, &error);
//     sn_maximal_joint_accelerations(&m, a, joint_a);
//     sn_maximal_reactions(&m, reaction);
//     sn_maximal_free(&m);
//
// places the bodies for coordinates of the tree, closes loops, and gives the accelerations of the
// bodies, those of the joints (as solver (b), tree.h, would) and the joints' reactions.
//
// A body's pose is its centre of mass and its rotation; its velocity is angular and linear at the
// centre, both in world axes; forces on bodies are moments about the centre and forces, world axes.
// Body k's joint is joint k: it goes to the nearest link with mass on the way to the root, or to
// the world, and is made of all elementary joints in between, whose links have no mass and so no
// body. With the motions S (6 x d) that they allow, a row n is a force that does no work on them,
// S^T n = 0: 6 - d rows in all, orthonormal, as forces and moments at the end of the run. J v = n .
// (child's velocity there - parent's), so J^T lambda is the joint's reaction and its negative.
//
// Solving (seed 000, equation 6): J W J^T lambda = target - J W Q, a = W (Q + J^T lambda), then J a
// = target. Bodies are numbered from the root; elimination goes from the leaves. See
// maximal_factor.c; runs of joints: maximal_joint.h; loops: maximal_loop.h; a step: maximal_step.h.
//
// What this does not do: links with mass but without inertia about some axis (a body of its own
// could spin there freely), links without mass that branch, end the tree or carry a closure, and
// runs of more than six freedoms; sn_maximal_make refuses them. Armature is left to solver (b).
#ifndef SN_REFERENCE_MAXIMAL_H
#define SN_REFERENCE_MAXIMAL_H

#include "agent/tree/tree.h"

// A joint that closes a loop, between any two links with mass.
typedef struct sn_maximal_closure {
    int a, b;            // links; -1: the world
    bool weld;           // nothing moves; else what `joint` allows
    sn_tree_joint joint; // a ball keeps two points together
    double pitch;        // m/rad, screws
    sn_frame on_a, on_b; // of the joint, in each link's frame; equal where the joint is at its zero
} sn_maximal_closure;

// An elementary joint in a run.
typedef struct sn_maximal_part {
    sn_tree_joint joint;
    int link; // of the tree; -1 for closures
    int q, v; // its coordinates; those of closures come after the tree's
    double pitch;
    sn_frame frame; // in the part before; in the parent body, from its centre, for the first
} sn_maximal_part;

typedef struct sn_maximal_joint {
    int child, parent; // bodies; -1: the world
    int part, part_count;
    int freedoms, rows; // their sum is six
    sn_frame end;       // of the run, on the child, from its centre
    // Of the last sn_maximal_place, at the end of the run in world axes:
    sn_vec3 at;
    sn_spatial error;    // turn and shift from where the run ends to the child's end
    sn_spatial basis[6]; // first S, then the rows
    sn_spatial on_child[6], on_parent[6]; // J: the rows as forces on the two bodies
} sn_maximal_joint;

typedef struct sn_maximal_body {
    int link;
    int child_count;
    int kept; // its place in `inertia`, when it has more than one child; or -1
    double mass;
    sn_vec3 centre; // in link axes
    sn_mat3 inertia, inverse_inertia;
} sn_maximal_body;

typedef struct sn_maximal_pose {
    sn_quat turn;
    sn_frame frame; // centre of mass, and `turn` as a matrix
} sn_maximal_pose;

// Rows of all closures against the tree: see maximal_loop.h.
typedef struct sn_maximal_loops {
    int rows;
    int rank;                   // of the rows, given the tree: of the last factor
    int *order;                 // rows: order[rank ..] are the redundant ones
    int *first;                 // closure_count + 1: rows of a closure
    double tolerance;           // of the rank, in parts of what the rows are for free bodies
    double *scale;              // rows
    double *matrix, *ldl;       // rows^2
    double *null, *null_factor; // rows^2: directions without effect, and their products
    sn_spatial *ends;           // 2 closure_count rows: what each row does to bodies with closures
    double *rates;              // rows v_count: the same as rates of the tree's joints
    double *between;            // rows^2, and
    int *swaps;                 // rows: see sn_maximal_loops_between
    double *x, *y, *scratch;    // rows
    sn_spatial *push, *answer;  // body_count
} sn_maximal_loops;

typedef struct sn_maximal {
    int body_count, closure_count, joint_count; // joints: one for each body, then the closures
    int link_count, q_count, v_count;           // of the tree
    int all_q, all_v;                           // with closures'
    sn_maximal_body *bodies;
    sn_maximal_joint *joints;
    sn_maximal_part *parts;
    int *link_joint; // link_count: the joint whose run it is in; its body, too, when it has mass

    // The state.
    sn_maximal_pose *pose; // body_count
    sn_spatial *velocity;  // body_count
    double *q;             // all_q: coordinates of the joints that fit the poses best

    // The factor.
    sn_mat3 *mobility; // body_count: inverse inertias, world axes
    double *pivot;     // 36 joint_count: LDL of each joint's block
    double *gain;      // 36 joint_count: D^-1 K on a kept parent, D^-1 B otherwise
    double *inertia;   // 36 for each kept body: LDL of its inertia with all it carries
    double *lift;      // 36 for each kept body: C M^-1
    sn_maximal_loops loops;

    double *target, *lambda, *rhs, *coarse; // 6 joint_count
    double *rate;                           // all_v
    sn_spatial *drive;                      // joint_count: what joint forces do at the ends of runs
    sn_spatial *force, *delta, *work, *carried, *sum; // body_count
} sn_maximal;

// How far joints are apart.
typedef struct sn_maximal_gap {
    double linear, angular; // m, rad: the largest
    int joint;              // with the largest of all
    int turns;              // that a projection took
} sn_maximal_gap;

// A maximal copy of the tree, at zero coordinates and rest. It keeps nothing of the tree's memory.
SN_API sn_status sn_maximal_make(sn_maximal *m, const sn_tree *tree,
                                 const sn_maximal_closure *closures, int closure_count,
                                 sn_error *error);
SN_API void sn_maximal_free(sn_maximal *m);

// ---- state ----

// Poses and velocities for the tree's q and v.
SN_API void sn_maximal_from_tree(sn_maximal *m, const double *q, const double *v);

// And back, after sn_maximal_place: the nearest coordinates to those the joints had before (so
// angles count turns), and their rates.
SN_API void sn_maximal_to_tree(sn_maximal *m, double *q, double *v);

// Finds the joints' coordinates, rows and errors for the present poses.
SN_API sn_maximal_gap sn_maximal_place(sn_maximal *m);

// Kinetic energy, and potential energy under gravity.
SN_API double sn_maximal_energy(const sn_maximal *m, sn_vec3 gravity);

// Moves the bodies to the nearest poses (in the metric of masses) where all joints fit, and takes
// from velocities what the joints forbid. Fails when loops cannot close: `gap` (may be NULL) is
// then what is left between their ends, with the tree put together.
SN_API sn_status sn_maximal_project(sn_maximal *m, sn_maximal_gap *gap, sn_error *error);

// ---- dynamics, at the placed poses ----

// Factors J W J^T, and the loops' rows against it.
SN_API sn_status sn_maximal_factorise(sn_maximal *m, sn_error *error);

// a (body_count) = W (force + J^T lambda) with J a = target (6 for each joint; NULL: zero).
SN_API void sn_maximal_solve(sn_maximal *m, const sn_spatial *force, const double *target,
                             sn_spatial *a);

// The same without loops; W force of one body; J^T lambda of one joint, added to what is there.
SN_API void sn_maximal_solve_tree(sn_maximal *m, const sn_spatial *force, const double *target,
                                  sn_spatial *a);
SN_API sn_spatial sn_maximal_mobility(const sn_maximal *m, int body, sn_spatial force);
SN_API void sn_maximal_add_reaction(const sn_maximal *m, int joint, const double *lambda,
                                    sn_spatial *force);

// Forces on bodies (into m->force) from gravity, wrenches on links and joint forces (into
// m->drive), as below.
SN_API void sn_maximal_gather(sn_maximal *m, sn_vec3 gravity, const sn_spatial *wrench,
                              const double *force);

// Accelerations of the bodies under gravity, `wrench` on links (link_count, about their origins,
// world axes; NULL: none) and joint forces `force` (v_count; NULL: none). Places and factors.
SN_API sn_status sn_maximal_accelerate(sn_maximal *m, sn_vec3 gravity, const sn_spatial *wrench,
                                       const double *force, sn_spatial *a, sn_error *error);

// The joints' accelerations (v_count) for accelerations of the bodies.
SN_API void sn_maximal_joint_accelerations(const sn_maximal *m, const sn_spatial *a,
                                           double *joint_a);

// What each joint (joint_count) does to its child at the end of its run, which is the link's
// origin, in world axes, drives included: of the last sn_maximal_accelerate. The parent gets the
// opposite at the same place; links without mass only hand it on.
SN_API void sn_maximal_reactions(const sn_maximal *m, sn_spatial *reaction);

#endif
