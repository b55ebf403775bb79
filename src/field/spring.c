#include "field/spring.h"

sn_spring_state sn_spring_evaluate(double stiffness, double damping, double rest_length, sn_vec3 a,
                                   sn_vec3 a_velocity, sn_vec3 b, sn_vec3 b_velocity)
{
    sn_vec3 reach = sn_vec3_sub(b, a);
    sn_spring_state state = {.length = sn_length(reach)};
    if (state.length > 0.0) {
        state.direction = sn_vec3_scale(1.0 / state.length, reach);
    }
    double rate = sn_dot(sn_vec3_sub(b_velocity, a_velocity), state.direction);
    state.tension = stiffness * (state.length - rest_length) + damping * rate;
    return state;
}

double sn_spring_energy(double stiffness, double rest_length, double length)
{
    double stretch = length - rest_length;
    return 0.5 * stiffness * stretch * stretch;
}
