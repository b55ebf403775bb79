// One fixed step of a tree in joint coordinates: second order, symplectic, with one evaluation of
// forces and one factorisation.
//
// The step is the leapfrog of discrete mechanics (Moser and Veselov 1991; Marsden and West 2001).
// Let c and c' be two configurations h apart. Between them each link has a kinetic energy, and the
// momentum P(c, c') is what joints feel of it: -h dL/dc. At each configuration they see the change
// of momentum and the forces balance,
//
//     S(c)^T (P(c, c') - P(c-, c) - h f) = 0,
//
// the discrete Euler-Lagrange equation of the tree. State (q, v) of a step's start stands half way
// between c- and c, and the next one half way between c and c': c = q + h/2 v, c- = q - h/2 v; on
// balls q exp(+-h/2 v). So forces, contacts and the factor are all taken at c, in the middle of the
// step, as for free bodies.
//
// Where a link is in c- and c' is told from c: by the quaternion (w, u), of any length, of the turn
// T that takes it there, and by the way of its origin. With f = 2 / (w^2 + u^2)
//
//     T - 1 = f (w [u]x + [u]x^2),
//
// so no rotation matrix is made but that of c, and nothing is lost to cancellation far from the
// root or in slow motion.
//
// Ways and turns are measured so that torque times time is angular momentum, however far a step
// turns: for the state, a turn by a about a fixed axis has J a / h. Chords have J sin(a) / h.
//
// Links that a hinge or a screw turns are measured by arcs. Let phi = a n be the turn as a vector,
// H half of it, s = (a / 2) / sin(a / 2) the ratio of arc to chord, and kappa = (1 - (a / 2) cot(a
// / 2)) / a^2. What such a link carries at x, its centre of mass or a link's origin, goes
//
//     d = s (T - 1) x,      and what slides along it  d = s (T - 1) (x + slide / 2) + H slide,
//
// the link's energy is (m |sum of d|^2 + phi . I phi) / (2 h^2), and from the derivatives, with F
// the momentum of what hangs on the link at x,
//
//     h L = I phi + phi x I phi / 2 + kappa phi x (phi x I phi),
//     of F the link feels   s x x F + kappa (d . F) phi.
//
// About parallel axes this is the midpoint rule, of which Noether's momentum is that of (q, v).
//
// Links that a ball turns carry what hangs on them along chords, d = (T - 1) x: arcs would give
// inertia to the twist of thin rods about themselves. Their spin is by the angles b_k between their
// principal axes r_k and T r_k. With the second moments of mass E = e 1 + sum_k d_k r_k r_k^T of
// tree.h, the energy is (2 e a^2 + sum_k d_k b_k^2) / (2 h^2), and
//
//     h L = 2 e phi + sum_k d_k (b_k / sin b_k) r_k x T r_k,
//
// exact about each principal axis, and about every axis across one that the link is round about.
// Rotary inertia that a link is given beside its own (tree_swing.h) is in I and in E alike:
// momentum and factor are those of one link.
//
// c' is found by Newton's method with the factor of M(c), which is the derivative up to O(h |v|).
// Balls are turned link by link, each in its own axes at the present guess: a thin rod's twist then
// moves nothing else, and the error of a turn is O(h |v|) in every direction, however small its
// inertia. The first guess mirrors the last step, s' = h M^-1 S^T (2 P(c-, c) + h f) - s-, in s =
// axis sin(angle) = f w u on balls, and with what arcs add in third order changed in sign: what is
// even in the movement is then right, and the guess off by O(h^3) only.
//
// What resists movement enters M: armature a of a freedom adds -a s', and B of a link -S^T B V',
// with s' the joints' movements from c to c' and V' = S s' what they are for the link. So springs
// (h^2 k / 4), dampers (h d / 2) and drag (h D / 2) are stable however strong. What they do to the
// movement s- from c to c- the caller adds to the forces. The movement of a ball is its turn as a
// vector, as in (q, v).
#ifndef SN_AGENT_TREE_TREE_STEP_H
#define SN_AGENT_TREE_TREE_STEP_H

#include "agent/tree/tree.h"

// From c to another configuration: how a link's frame moves.
typedef struct sn_tree_travel {
    double w;
    sn_vec3 turn;   // u, world axes
    double bend;    // f
    sn_vec3 shift;  // d summed up: the way of the link's origin
    sn_vec3 angle;  // phi; this and the next three only of links that are measured by arcs
    double stretch; // f s
    double over;    // s - 1
    double round;   // kappa
} sn_tree_travel;

// A link on the way from c to c'.
typedef struct sn_tree_search {
    sn_tree_travel travel;
    sn_spatial wrench; // h times the momentum that all that hangs on the link has beyond its due
    sn_spatial motion; // of the last turn
    sn_vec3 has;       // h times the momentum, at the last look
    sn_vec3 carried;   // F of what hangs on the link, on the way inwards; zero between
    sn_vec3 third;     // of the spin from c to c-: what is of third order, by arcs
    sn_vec3 moved;     // the joint's own movement, see tree_joint.h; not of balls
    sn_vec3 past;      // the same from c to c-
    sn_vec3 impulse;   // on the joint, times h
    sn_vec3 share;     // what the joint lacks
    sn_vec3 wanted;    // movement of the joint, of balls the link's turn, that a turn finds right
    sn_vec3 made;      // and what it makes of it
    sn_vec3 before;    // and how both differ from the turn before
} sn_tree_search;

// What resists a link's movement.
typedef struct sn_tree_resisted {
    sn_vec3 held;       // what armature takes of the joint's impulse
    sn_spatial dragged; // what the link's resistance takes
} sn_tree_resisted;

// The derivative of the momentum by the guess, factored at a link: see tree_newton.h.
typedef struct sn_tree_newton {
    double derivative[6][6];        // of the momentum of the link and of all that hangs on it
    double inward[6][3];            // G S' D^-1, on the parent
    double outward[3][6];           // D^-1 S^T G, of the parent's motion
    double row[6][3], column[6][3]; // S and S'
    double inverse[3][3];           // D^-1
    sn_mat3 drag;                   // on the joint
    sn_mat3 felt, moved;          // Z and X' of the arm: what the parent feels, and how it carries
    sn_vec3 force, moment, ahead; // F, and sums of x x F and T x x F over what the link carries
    double along;                 // and of d . F
    sn_spatial passed;            // what the turn asks of the link
} sn_tree_newton;

typedef struct sn_tree_step {
    double tolerance; // of the error that Newton's method leaves, relative to the whole movement
    double still;     // a movement of joints that turn, rad in all: below it none counts
    double limit;     // of `jump`
    double sure;      // of `turn`: no doubt about the energy
    double lively;    // of `jump`: where energy is kept
    bool keeps;       // energy is kept, where nothing but gravity acts: see sn_tree_step_keep
    bool alone;       // nothing does in the step under way
    bool uneven;      // masses or arms are: what gains energy is refused sooner
    double h;
    sn_vec3 gravity;
    double moment;              // sum of mass times distance to the root, all stretched out
    double weight;              // gravity times that: the energy that the tree has to play with
    double drag;                // of a part that is damped, times the inertia that each joint feels
    double share;               // of it that slow joints have, too
    sn_tree_travel *back;       // count: from c to c-
    sn_tree_search *search;     // count
    sn_tree_newton *newton;     // count: touched only by steps that converge badly
    sn_tree_resisted *resisted; // count: touched only when there is resistance
    sn_spatial *arrived;        // count: h P(c-, c) of each link, about its origin
    sn_spatial *due;            // count: h (P(c-, c) + h f), what it is to have but for its joints
    sn_spatial *pushed;         // count: wrenches beside gravity, while a step is taken in parts
    double *c;                  // q_count: the middle of the step; quaternions of any length
    double *impulse;            // v_count: h times the impulses of joint forces and solvers
    double *held;               // v_count: the same as forces, while a step is taken in parts
    double *start;              // q_count + v_count: on the way through equal parts; or room
    double *trial;              // q_count + v_count: the end of a part that may be refused
    bool driven;                // there are any
    bool balls;                 // a joint is one
    bool behind;                // the guess is that of the joints, and links are not moved there
    const double *armature;     // v_count, kg or kg m^2; NULL: none
    const sn_tree_inertia *resistance; // count: B of the links, about their origins; NULL: none
    double size;                       // of the first guess of the whole movement
    int turns;                         // of Newton's method in the last step
    int parts;                         // into which the last step was divided
    int fastest;   // the link whose joint turns farthest in a step that goes in parts; -1: none
    int damped;    // of these, taken with damped joints
    int coasted;   // of those, not even then
    double turn;   // the farthest of a link: square of the tangent of half the angle
    double jump;   // what the last step may be wrong by, as a part of the energy
    double change; // of the last turn, relative to the whole movement
} sn_tree_step;

SN_API bool sn_tree_step_allocate(sn_tree_step *step, const sn_tree *tree);
SN_API void sn_tree_step_free(sn_tree_step *step);

// Goes to the middle of the step from (q, v): places the tree there.
SN_API void sn_tree_step_begin(sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                               double h);

// The same from two configurations that are h apart, c- and c (which may be step->c).
SN_API void sn_tree_step_begin_between(sn_tree_step *step, sn_tree *tree, const double *before,
                                       const double *c, double h);

// The joints' movements (v_count) from c to c-.
SN_API void sn_tree_step_past(const sn_tree_step *step, const sn_tree *tree, double *moved);

// What resists the step under way, before the push; both NULL: nothing, as after the beginning. The
// arrays stay the caller's.
SN_API void sn_tree_step_resist(sn_tree_step *step, const double *armature,
                                const sn_tree_inertia *resistance);

// Factors M(c) and sums up what the links are to have: momentum that arrives, gravity, `wrench` on
// them (count, world axes, about their origins; NULL: none) and joint forces `force` (v_count;
// NULL: none). False: see sn_tree_factorise.
SN_API bool sn_tree_step_push(sn_tree_step *step, sn_tree *tree, sn_vec3 gravity,
                              const sn_spatial *wrench, const double *force);

// The velocity (v_count) that this gives if nothing is in the way: M^-1 S^T of that momentum.
SN_API void sn_tree_step_free_velocity(sn_tree_step *step, sn_tree *tree, double *v);

// Adds an impulse (v_count, generalised) found by a solver.
SN_API void sn_tree_step_add_impulse(sn_tree_step *step, const sn_tree *tree,
                                     const double *impulse);

// Finds c' and gives the state at the end. False when the step is too long for the motion: a link
// turns too far, Newton's method does not get there, or the energy would be wrong by more than
// `limit`; q and v are then left as they are.
SN_API bool sn_tree_step_advance(sn_tree_step *step, sn_tree *tree, double *q, double *v);

// For solvers that look for more than c': the first guess of it; and, from the guess that is there,
// the end of the search. Wrenches may be added to step->due (h^2 times) and forces to step->impulse
// (likewise) in between. Then the coordinates of the guess (q_count) and the joints' movements
// (v_count) to it.
SN_API void sn_tree_step_guess(sn_tree_step *step, const sn_tree *tree);
SN_API bool sn_tree_step_search(sn_tree_step *step, const sn_tree *tree);
SN_API void sn_tree_step_ahead(const sn_tree_step *step, const sn_tree *tree, double *c);
SN_API void sn_tree_step_moved(const sn_tree_step *step, const sn_tree *tree, double *moved);

// The state half way between c and the guess.
SN_API void sn_tree_step_finish(const sn_tree_step *step, const sn_tree *tree, double *q,
                                double *v);

// What each link's joint passed on to it (count), the mean of the step: moment about its origin and
// force, world axes. The tree must stand at c.
SN_API void sn_tree_step_loads(sn_tree_step *step, const sn_tree *tree, sn_spatial *load);

// The same with joints that resist, each by `drag` times the inertia that it feels; for parts that
// are too long for the motion and cannot be divided. Keeps the momentum of trees that float.
SN_API bool sn_tree_step_advance_damped(sn_tree_step *step, sn_tree *tree, double drag,
                                        double share, double *q, double *v);

// What the energy gains from a step that ends at (next_q, next_v), beyond the work of what was
// pushed and of what resists, J; and all the energy there is.
SN_API double sn_tree_step_surplus(const sn_tree_step *step, sn_tree *tree, const double *q,
                                   const double *v, const double *next_q, const double *next_v,
                                   double *scale);

// Takes so much kinetic energy out of a state, if it is any: all velocities shrink alike.
SN_API void sn_tree_step_take_out(const sn_tree_step *step, sn_tree *tree, double surplus,
                                  const double *q, double *v);

// The first as a part of the kinetic energy and of what its weight could give.
SN_API double sn_tree_step_gain(const sn_tree_step *step, sn_tree *tree, const double *q,
                                const double *v, const double *next_q, const double *next_v);

// Where nothing but gravity acts on a tree that hangs on a hinge or a ball (`keeps`, for which this
// says whether it can), steps that stir it more than `lively` scale its velocities, so that the
// energy stays that before the step: what a leapfrog keeps is a neighbouring energy, far from it
// where a chain cracks, and another one after each change of the step. The angular momentum about
// the nail stays where nothing turns against it.
SN_API bool sn_tree_step_can_keep(const sn_tree *tree);

// The state (q, v) that an advance ends in is given the energy that it had before, in the measure
// of chords; the tree stands at c.
SN_API void sn_tree_step_keep(sn_tree_step *step, sn_tree *tree, const double *q, double *v);

// The same of uneven and deep trees, at more cost: the energy of a state as the leapfrog keeps it
// in small swings, which is within O(h^2) of T + V; and a state that is given it, but for (h v)^2
// of what it lacks. Both leave the tree there.
SN_API double sn_tree_step_energy(const sn_tree_step *step, sn_tree *tree, const double *q,
                                  const double *v);
SN_API void sn_tree_step_restore(const sn_tree_step *step, sn_tree *tree, double energy,
                                 const double *q, double *v);

// Takes a step that sn_tree_step_advance refused in parts, from the same q and v: the forces,
// wrenches and impulses that it was given are held over the step, without armature and resistance.
// False when a joint has nothing to move, or turns by so much that no number of parts follows it.
SN_API bool sn_tree_step_recover(sn_tree_step *step, sn_tree *tree, double *q, double *v);

// After the push: could any number of parts follow what acts on it? False: see step->fastest.
SN_API bool sn_tree_step_can_follow(sn_tree_step *step, sn_tree *tree);

// All of the above for a tree that nothing is in the way of, with forces held over the step. False
// as above; q and v are then those of the last part that went well.
SN_API bool sn_tree_step_take(sn_tree_step *step, sn_tree *tree, double h, sn_vec3 gravity,
                              const sn_spatial *wrench, const double *force, double *q, double *v);

#endif
