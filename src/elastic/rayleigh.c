#include "elastic/rayleigh.h"

// z = a/(2 w) + b w/2 at two w: b = 2 (z2 w2 - z1 w1)/(w2^2 - w1^2), a = 2 w1 z1 - b w1^2.
sn_rayleigh sn_rayleigh_from_ratios(double first_frequency, double first_ratio,
                                    double second_frequency, double second_ratio)
{
    double w1 = 2.0 * SN_PI * first_frequency, w2 = 2.0 * SN_PI * second_frequency;
    double b = 2.0 * (second_ratio * w2 - first_ratio * w1) / (w2 * w2 - w1 * w1);
    return (sn_rayleigh){.mass_rate = 2.0 * first_ratio * w1 - b * (w1 * w1), .stiffness_time = b};
}

void sn_rayleigh_add_forces(const sn_rayleigh *damping, const sn_mass *mass, const sn_solid *solid,
                            sn_threads *threads, const double *v, double *f)
{
    sn_mass_add_product(mass, SN_SOLID_STRIDE, -damping->mass_rate, v, f);
    sn_solid_add_product(solid, threads, -damping->stiffness_time, v, f);
}
