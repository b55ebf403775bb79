// The force of a spring and damper between two points: a kernel, points in, force out.
#ifndef SN_FIELD_SPRING_H
#define SN_FIELD_SPRING_H

#include "sinew/world.h"

typedef struct sn_spring_state {
    double length;     // |b - a|
    double tension;    // N, positive pulls the points together
    sn_vec3 direction; // unit, from a to b; zero when the points coincide
} sn_spring_state;

// tension = stiffness (length - rest) + damping d(length)/dt; the force on a is tension *
// direction, on b its opposite.
SN_API sn_spring_state sn_spring_evaluate(double stiffness, double damping, double rest_length,
                                          sn_vec3 a, sn_vec3 a_velocity, sn_vec3 b,
                                          sn_vec3 b_velocity);

// 1/2 stiffness (length - rest)^2, J; the elastic force is minus its gradient.
SN_API double sn_spring_energy(double stiffness, double rest_length, double length);

#endif
