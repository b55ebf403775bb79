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

#endif
