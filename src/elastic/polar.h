// The rotation nearest to each of four matrices.
#ifndef SN_ELASTIC_POLAR_H
#define SN_ELASTIC_POLAR_H

#include "elastic/lanes.h"
#include "math/dense.h"

// Newton's method for the polar factor, R <- (g R + R^-T / g) / 2, with g = sqrt(|R^-1| / |R|) in
// the first turns (N. J. Higham, "Computing the polar decomposition - with applications", SIAM J.
// Sci. Stat. Comput. 7, 1986). It converges quadratically to the nearest rotation as long as det F
// > 0; inverted and nearly flat lanes go through the singular value decomposition.
SN_LANE_FUNCTION void sn_lanes_polar(const sn_lanes3 *f, sn_lanes3 *r)
{
    enum { SCALED = 2, TURNS = 9 };
    sn_lanes size, determinant, change = {1.0, 1.0, 1.0, 1.0};
    sn_lanes3 cofactor;
    sn_lanes3_square_sum(f, &size);
    sn_lanes3_cofactors(f, &cofactor);
    sn_lanes3_determinant(f, &cofactor, &determinant);
    sn_lanes flat = determinant * determinant; // against 1e-8 |F|^6: det F > 1e-4 |F|^3
    sn_lanes_mask sound =
        (determinant > 0.0) & (flat > 1e-8 * (size * size * size)) & (flat < 1e200);
    *r = *f;
    for (int turn = 0; turn < TURNS; ++turn) {
        sn_lanes_mask moving = sound & (change > 1e-14);
        if (!(moving[0] | moving[1] | moving[2] | moving[3])) {
            break;
        }
        sn_lanes one = {0.5, 0.5, 0.5, 0.5}, other = 0.5 / determinant;
        if (turn < SCALED) {
            sn_lanes inverse_size;
            sn_lanes3_square_sum(&cofactor, &inverse_size); // |R^-1|^2 det^2
            SN_UNROLL
            for (int l = 0; l < SN_LANES; ++l) {
                double g = sqrt(sqrt(inverse_size[l] / size[l]) / fabs(determinant[l]));
                one[l] *= g;
                other[l] /= g;
            }
        }
        change = (sn_lanes){0.0, 0.0, 0.0, 0.0};
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            SN_UNROLL
            for (int j = 0; j < 3; ++j) {
                sn_lanes next = one * r->m[i][j] + other * cofactor.m[i][j];
                sn_lanes moved = next - r->m[i][j];
                change += moved * moved;
                r->m[i][j] = next;
            }
        }
        sn_lanes3_square_sum(r, &size);
        sn_lanes3_cofactors(r, &cofactor);
        sn_lanes3_determinant(r, &cofactor, &determinant);
    }
    sn_lanes_mask done = sound & (change <= 1e-14);
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        if (!done[l]) {
            sn_mat3 rotation, stretch;
            sn_mat3_polar(sn_lanes3_lane(f, l), &rotation, &stretch);
            sn_lanes3_set_lane(r, l, &rotation);
        }
    }
}

#endif
