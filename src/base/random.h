// Counter-based random numbers: value = f(key, counter). No hidden state, so that any agent, step
// or thread can ask for its own numbers in any order and always gets the same ones. Philox4x32-10
// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#ifndef SN_BASE_RANDOM_H
#define SN_BASE_RANDOM_H

#include "sinew/base.h"

typedef struct sn_philox {
    uint32_t word[4];
} sn_philox;

// The raw function of the paper.
SN_API sn_philox sn_philox4x32(const uint32_t counter[4], const uint32_t key[2]);

// A stream of numbers for convenience: the key names the stream, the counter its place.
typedef struct sn_random {
    uint64_t seed;    // key
    uint64_t stream;  // upper half of the counter: an agent's number, say
    uint64_t counter; // lower half, counted up by every draw
} sn_random;

SN_API uint64_t sn_random_bits(sn_random *random); // 64 random bits
SN_API double sn_random_unit(sn_random *random);   // [0, 1), 53 bits
SN_API double sn_random_range(sn_random *random, double lower,
                              double upper);              // [lower, upper), upper only by rounding
SN_API int sn_random_below(sn_random *random, int bound); // 0 .. bound - 1, without bias; bound > 0

#endif
