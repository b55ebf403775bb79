// The law of a row with bounded force: force as a function of movement that never grows.
//
// All that acts in one freedom acts along one row, so that friction, a limit and a drive there are
// one law, the sum of its pieces,
//
//     force = slope (at - movement), but within [lower, upper]
//
// of which those with infinite slope jump: dry friction from friction to -friction at 0, a hard
// limit from 0 to -infinity where it is, a velocity drive at its velocity. The sum is a staircase
// of segments, with a jump or a knee at each node between them; a tie is a jump from +infinity to
// -infinity at 0. A solver only asks on which step a row is: on a jump its movement is known, on a
// segment the force, but for its slope.
#ifndef SN_AGENT_TREE_TIE_LAW_H
#define SN_AGENT_TREE_TIE_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/base.h"

enum { SN_LAW_PIECES = 5, SN_LAW_NODES = 10 };

typedef struct sn_tie_piece {
    int kind; // the caller's
    double at, slope, lower, upper;
} sn_tie_piece;

typedef struct sn_tie_law {
    int piece_count, node_count;
    sn_tie_piece pieces[SN_LAW_PIECES];
    double node[SN_LAW_NODES];
    double left[SN_LAW_NODES], right[SN_LAW_NODES]; // force before and after a node
    double slope[SN_LAW_NODES + 1];                 // of segments, node_count + 1
} sn_tie_law;

SN_API void sn_tie_law_add(sn_tie_law *law, sn_tie_piece piece);
SN_API void sn_tie_law_finish(sn_tie_law *law);
SN_API sn_tie_law sn_tie_law_hold(void); // of a tie

// Steps: 2 k is segment k, 2 k + 1 the jump at node k.
SN_API int sn_tie_law_step_at(const sn_tie_law *law, double movement);

// What is known on a step. True: movement + softness * force = target; false: the force is
// `target`.
SN_API bool sn_tie_law_known(const sn_tie_law *law, int step, double *target, double *softness);

// The step that follows when a movement and a force were found on one: the same, or a neighbour.
SN_API int sn_tie_law_next(const sn_tie_law *law, int step, double movement, double force,
                           double small);

// The share of a piece in a force at a movement on a step.
SN_API double sn_tie_law_share(const sn_tie_law *law, int step, int piece, double movement,
                               double force);

#endif
