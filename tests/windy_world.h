// Worlds with winds in them, for tests.
#ifndef SN_TESTS_WINDY_WORLD_H
#define SN_TESTS_WINDY_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sinew/wind.h"

static inline void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
    }
}

static inline sn_body add_defined(sn_world *world, const sn_body_def *def)
{
    sn_body body;
    sn_error error = {0};
    if (sn_world_add_body(world, def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

static inline sn_field add_wind(sn_world *world, const sn_wind_def *def)
{
    sn_field field;
    sn_error error = {0};
    if (sn_world_add_wind(world, def, &field, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return field;
}

#endif
