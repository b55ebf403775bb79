#include "field/jet.h"

#include "math/elementary.h"
#include "sinew/math.h"

#define Q SN_JET_Q

sn_jet_profile sn_jet_profile_at(double radius, double x)
{
    double length = SN_JET_CORE * radius;
    double axis = x > length ? length / x : 1.0;
    double core = x < length ? radius * (1.0 - x / length) : 0.0;
    // Momentum, int s^2 r dr = core^2/2 + Q core b + b^2/4, for the profile s is R^2/2 / axis^2;
    // solved for b.
    double whole = radius * radius / (axis * axis);
    double b = 2.0 * (whole - core * core) /
               (2.0 * Q * core + sqrt(4.0 * Q * Q * core * core + 2.0 * (whole - core * core)));
    return (sn_jet_profile){axis, core, b};
}

sn_jet_state sn_jet_at(double radius, double x, double r)
{
    if (!(x >= 0.0)) {
        return (sn_jet_state){0};
    }
    sn_jet_profile section = sn_jet_profile_at(radius, x);
    double axis = section.axis, core = section.core, b = section.width;
    double beyond = r - core;
    double profile = 1.0;
    if (beyond > 0.0) {
        profile = b > 0.0 ? sn_exp(-(beyond / b) * (beyond / b)) : 0.0;
    }
    // Angular momentum: int s^2 r^3 dr, which is R^4/4 in the mouth with g = 1/R.
    double c2 = core * core, b2 = b * b;
    double third = 0.25 * c2 * c2 + Q * c2 * core * b + 0.75 * c2 * b2 + 0.75 * Q * core * b2 * b +
                   0.125 * b2 * b2;
    double g = radius * radius * radius / (4.0 * third * axis * axis);
    return (sn_jet_state){axis * profile, axis * profile * r * g};
}
