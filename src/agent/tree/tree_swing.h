// Swings of a tree under gravity that steps are too long for.
//
// A light link that bears a heavy load is a stiff spring: an arm of some grams rolls about its own
// length under all that hangs below it at tens of hertz, whereas the leapfrog of tree_step.h is
// stable for omega h < 2 only. Let A be the moment of mass that a link carries about its origin:
// its own, and all that hangs on it as if it were at its joints. It is constant in link axes,
//
//     A = m centre + sum over children of M_child arm_child,
//
// and gravity's potential is -g . sum of R A over the links. Its second derivative by the links'
// turns w (world axes) is therefore one 3 x 3 block a link, and where the link hangs still
//
//     w^T K w,      K = |g| (|A| 1 - A A^T / |A|).
//
// By Sylvester's law of inertia the factor of M - (h / LIMIT)^2 K, which takes linear time, has a
// pivot that is not positive exactly when some swing has omega h > LIMIT. Only then links get
// rotary inertia, and no weight (selective mass scaling, Olovsson, Simonsson and Unosson, Int. J.
// Numer. Meth. Eng. 63, 2005):
//
//     I' = I + (h^2 / SLOW^2 K - I)+,
//
// with ()+ the positive part of a symmetric matrix. M is at least the sum of w^T I w over the
// links, so that no swing about rest has omega h > SLOW. The step remains the leapfrog of a
// mechanism whose links have I', about the principal axes of I', and keeps what that keeps. The
// error is of second order in h, as the step's own; what swings slowly is hardly changed, what
// swings too fast is slowed.
//
// Which links: those with a negative part in a movement x for which x^T (M' - (h / LIMIT)^2 K) x,
// a sum over links, is negative, and again until there is no such movement. The factor gives one in
// a single pass. A round takes linear time, and a few are enough: three for a chain of ten thousand
// links.
//
// It is judged where all joints are at zero: it follows from the tree, h and |g| alone, so that
// copies and worlds loaded from a file have the same. What hangs on a translation falls freely and
// bears nothing. Springs and loops have swings of their own, which are not looked at.
#ifndef SN_AGENT_TREE_TREE_SWING_H
#define SN_AGENT_TREE_TREE_SWING_H

#include "agent/tree/tree.h"

typedef struct sn_tree_swings {
    sn_sym3 *stiffness;   // count: K for gravity of 1 m/s^2, link axes
    sn_tree_added *added; // count: I' - I
    bool *chosen;         // count: links that have any
    double step, gravity; // of which `added` was found
    bool mass_scaled;     // and is not zero
    int rounds;           // of the search for it
} sn_tree_swings;

// A tree and memory to look at it with, both changed: place the tree anew.
typedef struct sn_swing_work {
    sn_tree *tree;
    double *q;              // tree->q_count
    sn_tree_inertia *extra; // tree->count
} sn_swing_work;

SN_API bool sn_tree_swings_allocate(sn_tree_swings *swings, const sn_tree *tree);
SN_API void sn_tree_swings_free(sn_tree_swings *swings);

// What links are to have in steps of h, found anew. True: something, in swings->added.
SN_API bool sn_tree_swings_find(sn_tree_swings *swings, double gravity, double h,
                                const sn_swing_work *work);

// Is it that of the last call?
static inline bool sn_tree_swings_know(const sn_tree_swings *swings, double gravity, double h)
{
    return swings->step == h && swings->gravity == gravity;
}

// The longest step below h for which nothing is added; and the link that the fastest swing, of
// omega = SN_SWING_LIMIT / that step, is most of. Where nothing is added for h: h, and -1.
SN_API double sn_tree_swings_longest_step(sn_tree_swings *swings, double gravity, double h,
                                          const sn_swing_work *work, int *link);

#define SN_SWING_LIMIT 1.0

#endif
