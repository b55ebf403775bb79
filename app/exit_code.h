// How the command ends: one code for each kind of end, so that scripts can tell them apart.
#ifndef SN_APP_EXIT_CODE_H
#define SN_APP_EXIT_CODE_H

#include "sinew/base.h"

#define SN_EXIT_LIST(X)                                                                            \
    X(SN_EXIT_OK, 0, "all went well")                                                              \
    X(SN_EXIT_DIFFERENCE, 1, "verify or replay found a difference")                                \
    X(SN_EXIT_USAGE, 2, "the command line has no meaning")                                         \
    X(SN_EXIT_INPUT, 3, "a scene or file cannot be read, or is wrong")                             \
    X(SN_EXIT_SIMULATION, 4, "the simulation failed: it diverged or missed its tolerance")         \
    X(SN_EXIT_OUTPUT, 5, "a result cannot be written")                                             \
    X(SN_EXIT_INTERRUPTED, 130, "interrupted; the files written so far are valid")

typedef enum sn_exit_code {
#define X(name, code, text) name = code,
    SN_EXIT_LIST(X)
#undef X
} sn_exit_code;

// The code for a failure of the library. A file that fails is an input: outputs are known by the
// caller.
static inline int sn_exit_for(sn_status status)
{
    switch (status) {
    case SN_OK:
        return SN_EXIT_OK;
    case SN_ERROR_MISMATCH:
        return SN_EXIT_DIFFERENCE;
    case SN_ERROR_MEMORY:
    case SN_ERROR_DIVERGED:
    case SN_ERROR_INTEGRATOR:
        return SN_EXIT_SIMULATION;
    case SN_ERROR_STOPPED:
        return SN_EXIT_INTERRUPTED;
    default:
        return SN_EXIT_INPUT;
    }
}

#endif
