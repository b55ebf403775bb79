// "did you mean ...?": the nearest known word to one that is not known.
#ifndef SN_BASE_SUGGEST_H
#define SN_BASE_SUGGEST_H

#include "sinew/base.h"

// The word among `words` (count of them, NULLs skipped) nearest to `wrong`, or NULL when none is
// near enough to be worth naming: at most a third of its letters (rounded) may differ, with one
// always allowed but never all of them. Case does not count.
SN_API const char *sn_suggest(const char *wrong, const char *const *words, int count);

#endif
