// Forces of the air on patches of surfaces: the second half of sinew/wind.h.
#include "base/random.h"
#include "field/air_block.h"
#include "math/elementary.h"

sn_air_def sn_default_air_def(void)
{
    return (sn_air_def){.density = 1.2, .normal = 1.17, .tangential = 0.01};
}

sn_air_coefficients sn_air_coefficients_of(const sn_air_def *air, double area, int sides, bool wire)
{
    double half = 0.5 * air->density * area;
    if (!wire) {
        return (sn_air_coefficients){.across = half * air->normal,
                                     .along = half * sides * air->tangential,
                                     .face = air->density * area};
    }
    // Around a wire of radius r and length l, area = 2 pi r l, with faces at n = (cos f, sin f):
    // int |w n| w n n over the side that the air blows at is 4/3 r l |w| w for w across the wire,
    // int |w_t| w_t over both is 8/3 r l |w| w, and int |v| v_n n is pi/2 r l |v| v.
    return (sn_air_coefficients){.across = half * air->tangential,
                                 .along = half * (2.0 * air->normal + 4.0 * air->tangential) /
                                          (3.0 * SN_PI),
                                 .face_along = 0.25 * air->density * area};
}

// across |w_n| w_n n + along |w_t| w_t, and its derivative: d(|w_n| w_n n)/dw = 2 |w_n| n n^T,
// d(|w_t| w_t)/dw = |w_t| (1 - n n^T) + w_t w_t^T / |w_t|
static void find_force(sn_air_coefficients c, bool one_sided, sn_vec3 normal, sn_vec3 w,
                       sn_vec3 *force, sn_mat3 *damping)
{
    double across = sn_dot(w, normal);
    sn_vec3 along = sn_vec3_add_scaled(w, -across, normal);
    double speed = sn_length(along);
    double push = !one_sided || across < 0.0 ? c.across * fabs(across) : 0.0;
    *force = sn_vec3_add_scaled(sn_vec3_scale(push * across, normal), c.along * speed, along);

    double bend = speed > 0.0 ? c.along / speed : 0.0;
    const double n[3] = {normal.x, normal.y, normal.z}, t[3] = {along.x, along.y, along.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping->m[i][j] = (2.0 * push - c.along * speed) * n[i] * n[j] + bend * t[i] * t[j] +
                               (i == j ? c.along * speed : 0.0);
        }
    }
}

void sn_air_force(const sn_air_def *air, double area, int sides, sn_vec3 normal,
                  sn_vec3 relative_velocity, sn_vec3 *force, sn_mat3 *damping)
{
    find_force(sn_air_coefficients_of(air, area, sides, false), sides == 1, normal,
               relative_velocity, force, damping);
}

void sn_air_wire_force(const sn_air_def *air, double area, sn_vec3 axis, sn_vec3 relative_velocity,
                       sn_vec3 *force, sn_mat3 *damping)
{
    find_force(sn_air_coefficients_of(air, area, 2, true), false, axis, relative_velocity, force,
               damping);
}

sn_vec3 sn_wind_face_force(double density, double area, sn_vec3 normal, sn_vec3 velocity)
{
    // v^2 (n_v . n) = |v| (v . n)
    return sn_vec3_scale(density * area * sn_length(velocity) * sn_dot(velocity, normal), normal);
}

sn_vec3 sn_wind_wire_force(double density, double area, sn_vec3 axis, sn_vec3 velocity)
{
    sn_vec3 across = sn_vec3_add_scaled(velocity, -sn_dot(velocity, axis), axis);
    return sn_vec3_scale(0.25 * density * area * sn_length(velocity), across);
}

sn_vec3 sn_wind_random_force(sn_vec3 force, double share, uint64_t seed, uint64_t patch,
                             uint64_t tick)
{
    // Eight draws are set aside for each tick.
    sn_random random = {.seed = seed, .stream = patch, .counter = tick * 8};
    double z = sn_random_range(&random, -1.0, 1.0);
    double sine, cosine;
    sn_sincos(sn_random_range(&random, 0.0, 2.0 * SN_PI), &sine, &cosine);
    double length = share * sn_length(force) * sn_random_unit(&random);
    double level = length * sqrt(1.0 - z * z);
    return sn_vec3_make(level * cosine, level * sine, length * z);
}
