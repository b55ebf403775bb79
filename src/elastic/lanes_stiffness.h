// Stiffness of four elements at a time, block by block: what assembling and preconditioning are
// made of.
#ifndef SN_ELASTIC_LANES_STIFFNESS_H
#define SN_ELASTIC_LANES_STIFFNESS_H

#include "elastic/solid_part.h"

// Gradients of all nodes, the first's too: minus the others' sum.
SN_LANE_FUNCTION void sn_lanes_all_gradients(const sn_lanes *gradient, int nodes, sn_lanes *b)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        sn_lanes rest = gradient[i];
        b[3 + i] = gradient[i];
        SN_UNROLL
        for (int n = 2; n < nodes; ++n) {
            rest += gradient[3 * (n - 1) + i];
            b[3 * n + i] = gradient[3 * (n - 1) + i];
        }
        b[i] = -rest;
    }
}

// K_ab += V (G (a . b) + G b a^T + lambda a b^T)
SN_LANE_FUNCTION void sn_lanes_add_frozen(const sn_lanes moduli[2], double scale, const sn_lanes *a,
                                          const sn_lanes *b, sn_lanes *out)
{
    sn_lanes shear = scale * moduli[0], lambda = scale * moduli[1];
    sn_lanes dot = shear * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int k = 0; k < 3; ++k) {
            out[3 * i + k] += shear * (b[i] * a[k]) + lambda * (a[i] * b[k]);
        }
        out[4 * i] += dot;
    }
}

// Entry (i, j) of a symmetric 9 x 9 whose upper triangle is kept by rows.
SN_LANE_FUNCTION void sn_lanes_hessian_entry(const sn_lanes *h, int i, int j, sn_lanes *entry)
{
    int row = i < j ? i : j, column = i < j ? j : i;
    *entry = h[9 * row - row * (row - 1) / 2 + column - row];
}

// t(ij, k) = sum over l of H(ij, kl) b_l
SN_LANE_FUNCTION void sn_lanes_turn_hessian(const sn_lanes *h, double scale, const sn_lanes *b,
                                            sn_lanes *t)
{
    for (int ij = 0; ij < 9; ++ij) {
        for (int k = 0; k < 3; ++k) {
            sn_lanes sum = {0.0, 0.0, 0.0, 0.0};
            for (int l = 0; l < 3; ++l) {
                sn_lanes entry;
                sn_lanes_hessian_entry(h, ij, 3 * k + l, &entry);
                sum += entry * b[l];
            }
            t[3 * ij + k] = scale * sum;
        }
    }
}

// K_ab(i, k) += sum over j of a_j t_b(ij, k)
SN_LANE_FUNCTION void sn_lanes_add_turned(const sn_lanes *a, const sn_lanes *t, sn_lanes *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[3 * i + k] +=
                a[0] * t[9 * i + k] + a[1] * t[9 * i + 3 + k] + a[2] * t[9 * i + 6 + k];
        }
    }
}

#endif
