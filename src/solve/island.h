// Islands: agents that touch each other, directly or through others, and nothing else that moves.
// Each can be solved, and put to sleep, on its own.
//
//     sn_islands islands = {0};
//     const sn_island_pair pairs[] = {{0, 2}, {2, -1}, {4, 5}};
//     if (!sn_islands_find(&islands, 6, pairs, 3)) { return sn_fail_memory(error, 0); }
//     // islands 0: agents 0 and 2, pairs 0 and 1; 1: agents 4 and 5, pair 2; 1 and 3 are free
//
// What never moves (-1) joins nothing: two piles on one floor are two islands. Agents that nothing
// touches are in no island.
//
// The result depends on the pairs as a set of edges only: islands are numbered by their lowest
// agent, agents in an island ascend, and its pairs keep the order in which they were given.
#ifndef SN_SOLVE_ISLAND_H
#define SN_SOLVE_ISLAND_H

#include "base/array.h"

typedef struct sn_island_pair {
    int a, b; // agents, or -1
} sn_island_pair;

typedef struct sn_island {
    int agent_first, agent_count; // in `agents`
    int pair_first, pair_count;   // in `pairs`
} sn_island;

typedef SN_ARRAY(int) sn_island_ints;

// Zero is none. The arrays are kept from call to call: a world that does not grow allocates
// nothing.
typedef struct sn_islands {
    SN_ARRAY(sn_island) islands;
    sn_island_ints agents; // numbers of agents, island by island
    sn_island_ints pairs;  // indices of pairs, likewise; those of two things at rest are left out
    sn_island_ints of;     // agent_count: the island it is in, or -1
    sn_island_ints parent; // scratch of the search
} sn_islands;

// Finds the islands of agents 0 .. agent_count - 1, in time proportional to agents and pairs.
// False when memory runs out; there are then no islands.
SN_API bool sn_islands_find(sn_islands *islands, int agent_count, const sn_island_pair *pairs,
                            int pair_count);

SN_API void sn_islands_free(sn_islands *islands);

#endif
