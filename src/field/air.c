// Forces of the air on patches of surfaces: the second half of sinew/wind.h.
#include "base/random.h"
#include "math/elementary.h"
#include "sinew/wind.h"

sn_air_def sn_default_air_def(void)
{
    return (sn_air_def){.density = 1.2, .normal = 1.17, .tangential = 0.01};
}

void sn_air_force(const sn_air_def *air, double area, int sides, sn_vec3 normal,
                  sn_vec3 relative_velocity, sn_vec3 *force, sn_mat3 *damping)
{
    double across = sn_dot(relative_velocity, normal);
    sn_vec3 along = sn_vec3_add_scaled(relative_velocity, -across, normal);
    double speed = sn_length(along);
    double half = 0.5 * air->density * area;
    bool met = sides > 1 || across < 0.0;
    double push = met ? half * air->normal * fabs(across) : 0.0;
    double rub = half * sides * air->tangential;
    *force = sn_vec3_add_scaled(sn_vec3_scale(push * across, normal), rub * speed, along);

    // d(|w_n| w_n n)/dw = 2 |w_n| n n^T, d(|w_t| w_t)/dw = |w_t| (1 - n n^T) + w_t w_t^T / |w_t|
    double bend = speed > 0.0 ? rub / speed : 0.0;
    const double n[3] = {normal.x, normal.y, normal.z}, t[3] = {along.x, along.y, along.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping->m[i][j] = (2.0 * push - rub * speed) * n[i] * n[j] + bend * t[i] * t[j] +
                               (i == j ? rub * speed : 0.0);
        }
    }
}

sn_vec3 sn_wind_face_force(double density, double area, sn_vec3 normal, sn_vec3 velocity)
{
    // v^2 (n_v . n) = |v| (v . n)
    return sn_vec3_scale(density * area * sn_length(velocity) * sn_dot(velocity, normal), normal);
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
