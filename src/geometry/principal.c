// Principal axes, and whether mass properties can be those of a real body.
#include "base/error.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "sinew/geometry.h"

void sn_principal_axes(const sn_mat3 *inertia, sn_vec3 *moments, sn_quat *rotation)
{
    sn_mat3 axes;
    sn_mat3_eigen_symmetric(*inertia, moments, &axes);
    *rotation = sn_quat_from_mat3(axes);
}

static bool all_finite(const sn_mass_properties *mass)
{
    bool finite = isfinite(mass->mass) && isfinite(mass->volume) && sn_vec3_is_finite(mass->centre);
    for (int i = 0; i < 9; ++i) {
        finite = finite && isfinite(mass->inertia.m[i / 3][i % 3]);
    }
    return finite;
}

sn_status sn_mass_properties_check(const sn_mass_properties *mass, sn_error *error)
{
    if (!all_finite(mass)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "mass properties with infinities or NaN; finite numbers were expected");
    }
    if (!(mass->mass > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "mass %g kg; more than 0 was expected",
                       mass->mass);
    }
    const double(*i)[3] = mass->inertia.m;
    double largest = fabs(i[0][0]) + fabs(i[1][1]) + fabs(i[2][2]);
    double tolerance = 1e-9 * largest;
    if (fabs(i[0][1] - i[1][0]) > tolerance || fabs(i[1][2] - i[2][1]) > tolerance ||
        fabs(i[2][0] - i[0][2]) > tolerance) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, NULL,
            "inertia is not symmetric: products (%g, %g, %g) above and (%g, %g, %g) below "
            "the diagonal",
            i[0][1], i[0][2], i[1][2], i[1][0], i[2][0], i[2][1]);
    }
    sn_vec3 moments;
    sn_quat rotation;
    sn_principal_axes(&mass->inertia, &moments, &rotation);
    if (moments.x < -tolerance) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "principal moments %g, %g, %g kg m^2; none below 0 was expected", moments.x,
                       moments.y, moments.z);
    }
    if (moments.z > moments.x + moments.y + tolerance) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, NULL,
            "principal moments %g, %g, %g kg m^2; no body has one larger than the sum of "
            "the others",
            moments.x, moments.y, moments.z);
    }
    return SN_OK;
}
