#include "solve/penalty.h"

static sn_vec3 tangential(sn_vec3 v, sn_vec3 normal)
{
    return sn_vec3_add_scaled(v, -sn_dot(v, normal), normal);
}

sn_vec3 sn_penalty_force(const sn_penalty *law, double gap, sn_vec3 normal, sn_vec3 u,
                         sn_vec3 spring, double elapsed, sn_vec3 *spring_now)
{
    *spring_now = SN_VEC3_ZERO;
    if (!(gap < 0.0)) {
        return SN_VEC3_ZERO;
    }
    double k = law->stiffness, k_t = law->tangential * k;
    double c = 2.0 * law->damping * sqrt(k * law->mass);
    double c_t = 2.0 * law->damping * sqrt(k_t * law->mass);
    double f_n = -k * gap - c * sn_dot(u, normal);
    f_n = f_n > 0.0 ? f_n : 0.0;
    sn_vec3 slip = tangential(u, normal);
    sn_vec3 held = sn_vec3_add_scaled(tangential(spring, normal), elapsed, slip);
    sn_vec3 f_t = sn_vec3_add_scaled(sn_vec3_scale(-k_t, held), -c_t, slip);
    double length = sn_length(f_t), most = law->friction * f_n;
    if (length > most) {
        // It slides: the spring is what gives just the bound, so that it lets go smoothly.
        f_t = sn_vec3_scale(most / length, f_t);
        held = k_t > 0.0 ? sn_vec3_scale(-1.0 / k_t, sn_vec3_add_scaled(f_t, c_t, slip))
                         : SN_VEC3_ZERO;
    }
    *spring_now = held;
    return sn_vec3_add_scaled(f_t, f_n, normal);
}
