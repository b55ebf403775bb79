// The rotation nearest to each of four matrices.
#ifndef SN_ELASTIC_POLAR_H
#define SN_ELASTIC_POLAR_H

#include "elastic/lanes.h"
#include "math/dense.h"

// one = g / 2 and other = 1 / (2 g det R), with g = sqrt(|R^-1| / |R|), or 1 where all that are
// sound are so near to it that a turn gains nothing: square roots cost more than the rest of it.
SN_LANE_FUNCTION void sn_lanes_scale_turn(const sn_lanes3 *r, const sn_lanes3 *cofactor,
                                          const sn_lanes *determinant, const sn_lanes_mask *sound,
                                          sn_lanes *one, sn_lanes *other)
{
    sn_lanes size, inverse_size; // the latter by det^2
    sn_lanes3_square_sum(r, &size);
    sn_lanes3_square_sum(cofactor, &inverse_size);
    sn_lanes full = size * (*determinant * *determinant);
    sn_lanes_mask off = *sound & ~((inverse_size < 2.0 * full) & (full < 2.0 * inverse_size));
    if (!(off[0] | off[1] | off[2] | off[3])) {
        return;
    }
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        double g = sqrt(sqrt(inverse_size[l] / full[l]));
        (*one)[l] *= g;
        (*other)[l] /= g;
    }
}

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
    sn_lanes_mask moving = sound;
    *r = *f;
    for (int turn = 0; turn < TURNS && (moving[0] | moving[1] | moving[2] | moving[3]); ++turn) {
        if (turn > 0) {
            sn_lanes3_cofactors(r, &cofactor);
            sn_lanes3_determinant(r, &cofactor, &determinant);
        }
        sn_lanes one = {0.5, 0.5, 0.5, 0.5}, other = 0.5 / determinant;
        if (turn < SCALED) {
            sn_lanes_scale_turn(r, &cofactor, &determinant, &sound, &one, &other);
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
        moving = sound & (change > 1e-14);
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
