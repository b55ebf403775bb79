#include "field/gust.h"

#include "base/random.h"
#include "math/elementary.h"

// Energy is shared out between these wave numbers, in units of 1/length of the spectrum: what is
// left out at both ends is 0.5 % of it.
#define LOWEST  1e-3
#define HIGHEST 3e3
enum { STEPS = 600 };

// The spectra along a line, F(k) = (1 + k)^(-5/3) and (1 + k^2)^(-5/6) with k in units of 1/length,
// belong to isotropic fields without divergence of the energy E = k^3 d/dk (dF/dk / k) (G. K.
// Batchelor, The Theory of Homogeneous Turbulence, 1953, 3.4).
static double energy(sn_wind_spectrum spectrum, double k)
{
    if (spectrum == SN_WIND_VON_KARMAN) {
        double k2 = k * k;
        return 55.0 / 9.0 * k2 * k2 * sn_pow(1.0 + k2, -17.0 / 6.0);
    }
    return 5.0 / 3.0 * k * (1.0 + 11.0 / 3.0 * k) * sn_pow(1.0 + k, -11.0 / 3.0);
}

// f = n L / speed and k = 2 pi n / speed: 6 f = k 6 L / (2 pi), and 70.8 f^2 alike.
static double spectrum_length(sn_wind_spectrum spectrum, double scale)
{
    double factor = spectrum == SN_WIND_VON_KARMAN ? sqrt(70.8) : 6.0;
    return factor * scale / (2.0 * SN_PI);
}

static sn_vec3 random_direction(sn_random *random)
{
    double z = sn_random_range(random, -1.0, 1.0);
    double sine, cosine;
    sn_sincos(sn_random_range(random, 0.0, 2.0 * SN_PI), &sine, &cosine);
    double r = sqrt(1.0 - z * z);
    return sn_vec3_make(r * cosine, r * sine, z);
}

static void fill_mode(sn_gust_mode *mode, double wave_number, double amplitude, sn_random *random)
{
    sn_vec3 along = random_direction(random);
    sn_vec3 first = sn_perpendicular(along), second = sn_cross(along, first);
    double sine, cosine;
    sn_sincos(sn_random_range(random, 0.0, 2.0 * SN_PI), &sine, &cosine);
    sn_vec3 swing = sn_vec3_add(sn_vec3_scale(amplitude * cosine, first),
                                sn_vec3_scale(amplitude * sine, second));
    *mode = (sn_gust_mode){sn_vec3_scale(wave_number, along), swing,
                           sn_random_range(random, 0.0, 2.0 * SN_PI)};
}

void sn_gust_fill(sn_wind_spectrum spectrum, double scale, uint64_t seed, sn_gust_mode *modes,
                  int count)
{
    double ratio = sn_exp(sn_log(HIGHEST / LOWEST) / STEPS);
    double total = 0.0, k = LOWEST;
    for (int i = 0; i < STEPS; ++i, k *= ratio) {
        total += energy(spectrum, k) * k + energy(spectrum, k * ratio) * k * ratio;
    }
    sn_random random = {.seed = seed};
    double amplitude = sqrt(6.0 / count), length = spectrum_length(spectrum, scale);
    double sum = 0.0, next = 0.0;
    k = LOWEST;
    int step = 0;
    // One wave for each count-th part of the energy, anywhere within it.
    for (int i = 0; i < count; ++i) {
        double wanted = (i + sn_random_unit(&random)) / count * total;
        next = energy(spectrum, k) * k + energy(spectrum, k * ratio) * k * ratio;
        while (step < STEPS - 1 && sum + next < wanted) {
            sum += next;
            step += 1;
            k *= ratio;
            next = energy(spectrum, k) * k + energy(spectrum, k * ratio) * k * ratio;
        }
        double share = next > 0.0 ? (wanted - sum) / next : 0.0;
        fill_mode(&modes[i], k * (1.0 + share * (ratio - 1.0)) / length, amplitude, &random);
    }
}

sn_vec3 sn_gust_velocity(const sn_gust_mode *modes, int count, sn_vec3 point)
{
    sn_vec3 velocity = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        double sine, cosine;
        sn_sincos(sn_dot(modes[i].wave, point) + modes[i].phase, &sine, &cosine);
        velocity = sn_vec3_add_scaled(velocity, cosine, modes[i].swing);
    }
    return velocity;
}
