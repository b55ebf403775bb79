// Masses and inertias as files have them, and the nearest ones that a body can have.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "math/dense.h"
#include "math/elementary.h"
#include "scene/urdf.h"
#include "sinew/geometry.h"

// Links that cannot move: the root, if the world holds it, and what is fixed to it.
static bool *find_held(const sn_urdf *urdf, bool holds)
{
    bool *held = sn_allocate_zero((size_t)urdf->link_count + 1);
    if (held == NULL) {
        return NULL;
    }
    held[urdf->root] = holds;
    for (int i = 0; i < urdf->joint_count; ++i) {
        const sn_urdf_joint *joint = &urdf->joints[urdf->order[i]];
        held[joint->child] = held[joint->parent] && joint->type == SN_JOINT_FIXED;
    }
    return held;
}

// ---- the nearest inertia ----

// A body has second moments p_k = integral of x_k^2 dm >= 0 along its principal axes, and moments
// of inertia I_k = p_1 + p_2 + p_3 - p_k. The nearest inertia in Frobenius' norm has the same axes,
// and as moments the point of the cone p >= f that is nearest to I. With p0 the second moments of
// I, S0 their sum, and S that of the result, the conditions of Karush, Kuhn and Tucker are
//
//     p_k = max(f, p0_k + S0 - S),    S = p_1 + p_2 + p_3:
//
// if only the m largest ones are above f, S (1 + m) = (3 - m) f + m S0 + the m largest p0.
static void nearest_moments(double moments[3], double floor)
{
    // Ascending moments have descending second moments.
    double half = 0.5 * (moments[0] + moments[1] + moments[2]), p0[3], sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        p0[k] = half - moments[k];
    }
    for (int m = 3; m >= 0; --m) {
        double above = 0.0;
        for (int k = 0; k < m; ++k) {
            above += p0[k];
        }
        sum = ((3 - m) * floor + above + m * half) / (1 + m);
        if (m == 0 || p0[m - 1] + half - sum >= floor) {
            break;
        }
    }
    double p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = fmax(floor, p0[k] + half - sum);
    }
    for (int k = 0; k < 3; ++k) {
        moments[k] = p[(k + 1) % 3] + p[(k + 2) % 3];
    }
}

// Steel ball of that mass: the least inertia that a piece of machine can have. I = 2/5 m r^2.
static double ball_moment(double mass)
{
    const double density = 7850.0, pi = 3.14159265358979323846;
    double radius = sn_cbrt(0.75 * mass / (pi * density));
    return 0.4 * mass * radius * radius;
}

// Moments below this share of the largest are 0 for a body that turns about their axis.
static const double LEAST_SHARE = 1e-12;
// And this share of the largest is given to second moments that would be negative.
static const double FLOOR_SHARE = 1e-6;

static void mend_inertia(sn_urdf_link *link, sn_vec3 moments, const sn_mat3 *axes)
{
    double m[3] = {moments.x, moments.y, moments.z};
    if (m[2] > 0.0) {
        nearest_moments(m, FLOOR_SHARE * m[2]);
    } else {
        m[0] = m[1] = m[2] = ball_moment(link->mass);
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k <= i; ++k) {
            double sum = 0.0;
            for (int n = 0; n < 3; ++n) {
                sum += axes->m[i][n] * m[n] * axes->m[k][n];
            }
            link->inertia.m[i][k] = link->inertia.m[k][i] = sum;
        }
    }
}

static void check_inertia(sn_urdf_reader *reader, sn_urdf_link *link, bool quiet)
{
    sn_mass_properties properties = {
        .mass = link->mass, .centre = link->centre, .inertia = link->inertia};
    sn_error error = {0};
    sn_vec3 given = link->moments;
    double least = fmin(given.x, fmin(given.y, given.z));
    double most = fmax(given.x, fmax(given.y, given.z));
    bool signs = least < 0.0 || most == 0.0;
    bool possible = sn_mass_properties_check(&properties, &error) == SN_OK;
    sn_vec3 moments;
    sn_mat3 axes;
    sn_mat3_eigen_symmetric(link->inertia, &moments, &axes);
    if (!signs && possible && (reader->strict || moments.x > LEAST_SHARE * moments.z)) {
        return;
    }
    double largest = 1e140; // that worlds take
    if (!(fabs(moments.x) < largest && fabs(moments.z) < largest && link->mass < largest)) {
        sn_urdf_fail(reader, link->inertia_place,
                     "the moments of inertia of \"%.60s\" are out of range", link->name);
        return;
    }
    mend_inertia(link, moments, &axes);
    if (quiet && !reader->strict) {
        return;
    }
    sn_mat3_eigen_symmetric(link->inertia, &moments, &axes);
    char remedy[120];
    snprintf(remedy, sizeof remedy, "the nearest possible principal ones are %.4g, %.4g, %.4g",
             moments.x, moments.y, moments.z);
    if (signs) {
        sn_urdf_mend(reader, link->inertia_place, remedy,
                     "the moments of inertia of \"%.60s\" must not be negative, nor all 0, got %g, "
                     "%g, %g",
                     link->name, given.x, given.y, given.z);
    } else if (!possible) {
        sn_urdf_mend(reader, link->inertia_place, remedy, "link \"%.60s\": %s", link->name,
                     error.text);
    } else {
        sn_urdf_mend(reader, link->inertia_place, remedy,
                     "a moment of inertia of \"%.60s\" is 0, got %g, %g, %g", link->name, given.x,
                     given.y, given.z);
    }
}

static void check_mass(sn_urdf_reader *reader, sn_urdf_link *link, bool quiet)
{
    if (!link->has_inertial) {
        return;
    }
    bool zeros = link->moments.x == 0.0 && link->moments.y == 0.0 && link->moments.z == 0.0;
    if (link->mass > 0.0) {
        link->has_mass = true;
        check_inertia(reader, link, quiet);
    } else if ((link->mass < 0.0 || !zeros) && (!quiet || reader->strict)) {
        sn_urdf_mend(reader, link->mass_place,
                     link->mass < 0.0 ? "it has no mass" : "it has no mass, and no inertia",
                     "the mass of \"%.60s\" must be greater than 0, got %g", link->name,
                     link->mass);
    }
}

void sn_urdf_mend_masses(sn_urdf_reader *reader, sn_urdf *urdf, bool holds)
{
    bool *held = find_held(urdf, holds);
    if (held == NULL) {
        reader->out_of_memory = true;
        return;
    }
    for (int i = 0; i < urdf->link_count && !reader->out_of_memory; ++i) {
        check_mass(reader, &urdf->links[i], held[i]);
    }
    sn_free(held);
}
