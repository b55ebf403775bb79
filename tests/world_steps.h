// Steps of a world that must go well.
#ifndef SN_TESTS_WORLD_STEPS_H
#define SN_TESTS_WORLD_STEPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sinew/world.h"

static inline void advance(sn_world *world, double h, int steps)
{
    sn_error error = {0};
    for (int i = 0; i < steps; ++i) {
        if (sn_world_step(world, h, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

#endif
