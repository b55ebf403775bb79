// Memory that runs out: first the first allocation fails, then the second, until all is well.
//
//     for (shortage s = {.most = 400}; shortage_goes_on(&s);) {
//         sn_world *world = make_world();
//         shortage_begin(&s);
//         sn_status status = sn_world_step(world, 0.01, NULL);
//         shortage_end(&s, status);
//         sn_world_destroy(world);
//     }
#ifndef SN_TESTS_SHORTAGE_H
#define SN_TESTS_SHORTAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sinew/base.h"

typedef struct shortage {
    int most; // allocations there may be
    int next; // the one that fails
    bool well;
} shortage;

static inline bool shortage_goes_on(shortage *s)
{
    assert_true(s->well || s->next < s->most);
    return !s->well;
}

static inline void shortage_begin(shortage *s)
{
    sn_allocation_fail_after(s->next++);
}

static inline void shortage_end(shortage *s, sn_status status)
{
    sn_allocation_fail_after(-1);
    assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
    s->well = status == SN_OK;
}

#endif
