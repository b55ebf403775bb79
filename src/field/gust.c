#include "field/gust.h"

#include "base/random.h"
#include "math/lanes.h"

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
    for (int i = 0; i < STEPS; ++i) {
        total += energy(spectrum, k) * k + energy(spectrum, k * ratio) * k * ratio;
        k *= ratio;
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

// ---- expansion ----

#define LONG 0.4 // |k| radius

int sn_gust_count_long(const sn_gust_mode *modes, int count, double radius)
{
    double square = LONG * LONG;
    while (count > 0 &&
           sn_dot(modes[count - 1].wave, modes[count - 1].wave) * (radius * radius) > square) {
        count -= 1;
    }
    return count;
}

typedef struct wide_expansion {
    sn_wide3 value, slope[3], bend[6];
} wide_expansion;

// Four waves: with f = k . x + phase, cos(f + k . d) = cos f - sin f k . d - cos f (k . d)^2 / 2.
SN_WIDE void expand_waves(const sn_gust_mode *m, sn_vec3 point, wide_expansion *sum)
{
    sn_wide3 k = {{m[0].wave.x, m[1].wave.x, m[2].wave.x, m[3].wave.x},
                  {m[0].wave.y, m[1].wave.y, m[2].wave.y, m[3].wave.y},
                  {m[0].wave.z, m[1].wave.z, m[2].wave.z, m[3].wave.z}};
    sn_wide3 swing = {{m[0].swing.x, m[1].swing.x, m[2].swing.x, m[3].swing.x},
                      {m[0].swing.y, m[1].swing.y, m[2].swing.y, m[3].swing.y},
                      {m[0].swing.z, m[1].swing.z, m[2].swing.z, m[3].swing.z}};
    sn_lanes phase = {m[0].phase, m[1].phase, m[2].phase, m[3].phase}, sine, cosine;
    phase += k.x * point.x + k.y * point.y + k.z * point.z;
    wide_sincos(&phase, &sine, &cosine);
    sn_wide3 here = swing, rise = swing;
    sn_lanes factor = -sine;
    wide_scale(&here, &cosine);
    wide_scale(&rise, &factor);
    wide_add(&sum->value, &here);
    wide_add_scaled(&sum->slope[0], &k.x, &rise);
    wide_add_scaled(&sum->slope[1], &k.y, &rise);
    wide_add_scaled(&sum->slope[2], &k.z, &rise);
    const sn_lanes square[6] = {-0.5 * (k.x * k.x), -0.5 * (k.y * k.y), -0.5 * (k.z * k.z),
                                -(k.x * k.y),       -(k.x * k.z),       -(k.y * k.z)};
    for (int i = 0; i < 6; ++i) {
        wide_add_scaled(&sum->bend[i], &square[i], &here);
    }
}

SN_WIDE void expand(const sn_gust_mode *modes, int count, sn_vec3 point, sn_gust_expansion *result)
{
    wide_expansion sum = {0};
    int i = 0;
    for (; i + SN_LANES <= count; i += SN_LANES) {
        expand_waves(modes + i, point, &sum);
    }
    if (i < count) {
        sn_gust_mode last[SN_LANES] = {{{0}, {0}, 0.0}};
        for (int k = 0; i + k < count; ++k) {
            last[k] = modes[i + k];
        }
        expand_waves(last, point, &sum);
    }
    const sn_wide3 *wide[10] = {&sum.value,   &sum.slope[0], &sum.slope[1], &sum.slope[2],
                                &sum.bend[0], &sum.bend[1],  &sum.bend[2],  &sum.bend[3],
                                &sum.bend[4], &sum.bend[5]};
    for (int k = 0; k < 10; ++k) {
        const double part[3] = {wide_sum(&wide[k]->x), wide_sum(&wide[k]->y),
                                wide_sum(&wide[k]->z)};
        for (int c = 0; c < 3; ++c) {
            double *at = k == 0 ? &result->value[c]
                                : (k < 4 ? &result->slope[c][k - 1] : &result->bend[c][k - 4]);
            *at = part[c];
        }
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void expand_avx2(const sn_gust_mode *modes, int count,
                                                        sn_vec3 point, sn_gust_expansion *result)
{
    expand(modes, count, point, result);
}
#endif

sn_gust_expansion sn_gust_expand(const sn_gust_mode *modes, int count, sn_vec3 point)
{
    sn_gust_expansion result;
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        expand_avx2(modes, count, point, &result);
        return result;
    }
#endif
    expand(modes, count, point, &result);
    return result;
}
