// The drag of a medium: a kernel, relative velocity in, force and its derivative out. Serves linear
// and angular drag alike.
#ifndef SN_FIELD_DRAG_H
#define SN_FIELD_DRAG_H

#include "sinew/math.h"

// force = -(linear + quadratic |u|) u for the velocity u relative to the medium, and
// damping = -d(force)/du = (linear + quadratic |u|) 1 + quadratic u u^T / |u|, symmetric and never
// negative.
SN_API void sn_drag_evaluate(double linear, double quadratic, sn_vec3 u, sn_vec3 *force,
                             sn_mat3 *damping);

#endif
