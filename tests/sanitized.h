// Sanitizers make tests ten times as slow. Under them tests show that memory is sound and nothing
// is undefined, for which every path has to be taken, but not ten thousand times: long loops do
// fewer rounds there. What their numbers prove the release build proves, with all rounds.
//
//     for (int run = 0; run < rounds_of(3000, 300); ++run) {
#ifndef SN_TESTS_SANITIZED_H
#define SN_TESTS_SANITIZED_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_sanitized(void)
{
    return getenv("SINEW_SANITIZED") != NULL;
}

static inline int rounds_of(int all, int sanitized)
{
    return is_sanitized() ? sanitized : all;
}

#endif
