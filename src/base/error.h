// Filling in errors. Inside the library every failure goes through sn_fail, so that code, place and
// text always travel together.
#ifndef SN_BASE_ERROR_H
#define SN_BASE_ERROR_H

#include "sinew/base.h"

// Fills `error` (may be NULL) and returns `code`, so that a caller can write `return sn_fail(...)`.
// `place` may be NULL. Text that does not fit is cut with an ellipsis.
SN_API sn_status sn_fail(sn_error *error, sn_status code, const char *place, const char *format,
                         ...) SN_PRINTF(4, 5);

// The common out-of-memory answer: names how much was asked for.
SN_API sn_status sn_fail_memory(sn_error *error, size_t bytes);

#ifdef __clang_analyzer__
// The analyzer reads one source at a time and would suppose that a failure may return SN_OK.
// error.c puts the names in parentheses where it defines them, which keeps these macros out.
#define sn_fail(error, code, ...)    (sn_fail((error), (code), __VA_ARGS__), (code))
#define sn_fail_memory(error, bytes) (sn_fail_memory((error), (bytes)), SN_ERROR_MEMORY)
#endif

#endif
