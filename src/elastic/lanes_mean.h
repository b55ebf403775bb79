// The incompressible limit of elements with ten nodes. Where a bulk modulus is large, every point
// of an element that must keep its volume takes a freedom away, and four points an element are too
// many: it locks. So the excess k of the bulk modulus over a modest one acts on the mean of the
// dilatation over the element alone (J. C. Nagtegaal, D. M. Parks, J. R. Rice 1974):
//
//     d = sum of w_q d_q,  w_q = V_q / V,   energy V e(d),  e = k/2 d^2 or Liesenfeld's
//     forces    -e'(d) sum of V_q (dd_q/dF_q) gradient_q
//     K         V e'' c c^T + e' sum of V_q d^2 d_q,   c = sum of w_q (dd_q/dF_q) gradient_q
//
// The second part of K goes into the points' own Hessians. Of the first a block keeps
//
//     means    c of nodes 1 to 9, x, y, z each; V e''; e'
#ifndef SN_ELASTIC_LANES_MEAN_H
#define SN_ELASTIC_LANES_MEAN_H

#include "elastic/solid_part.h"

enum { SN_MEAN_STIFFNESS = 27, SN_MEAN_PULL = 28 };

// The dilatation d of material.h and its derivative by F.
SN_LANE_FUNCTION void sn_lanes_dilatation(sn_elastic_law law, const sn_lanes3 *f, sn_lanes *d,
                                          sn_lanes3 *derivative)
{
    if (law == SN_ELASTIC_ST_VENANT) {
        sn_lanes squares;
        sn_lanes3_square_sum(f, &squares);
        *derivative = *f;
        *d = 0.5 * (squares - 3.0);
    } else if (law == SN_ELASTIC_COROTATIONAL) {
        sn_lanes3 *r = derivative;
        sn_lanes_polar(f, r);
        *d = (sn_lanes){0.0, 0.0, 0.0, 0.0};
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            *d += r->m[i][0] * f->m[i][0] + r->m[i][1] * f->m[i][1] + r->m[i][2] * f->m[i][2] - 1.0;
        }
    } else {
        sn_lanes3_cofactors(f, derivative);
        sn_lanes3_determinant(f, derivative, d);
        *d -= 1.0;
    }
}

// e, e' and e'' of a mean dilatation.
SN_LANE_FUNCTION void sn_lanes_excess(sn_elastic_law law, const sn_lanes *excess, const sn_lanes *d,
                                      sn_lanes e[3])
{
    if (law == SN_ELASTIC_LIESENFELD) {
        sn_lanes j = 1.0 + *d, square = j * j, inverse = 1.0 / square,
                 difference = square - inverse;
        e[0] = *excess / 32.0 * (difference * difference);
        e[1] = *excess / 8.0 * (j * square - inverse * inverse / j);
        e[2] = *excess / 8.0 * (3.0 * square + 5.0 * (inverse * inverse * inverse));
    } else {
        e[0] = 0.5 * *excess * (*d * *d);
        e[1] = *excess * *d;
        e[2] = *excess;
    }
}

// Volumes of the points of a block, their sum, and shares w. Repeated elements have no volume, but
// shares.
SN_LANE_FUNCTION void sn_lanes_shares(const sn_solid *solid, int block, sn_lanes *total,
                                      sn_lanes share[SN_MOST_POINTS])
{
    const sn_lanes *v = solid->volumes + sn_solid_point(solid, block, 0);
    *total = (v[0] + v[1]) + (v[2] + v[3]);
    for (int q = 0; q < SN_MOST_POINTS; ++q) {
        SN_UNROLL
        for (int l = 0; l < SN_LANES; ++l) {
            share[q][l] = (*total)[l] > 0.0 ? v[q][l] / (*total)[l] : 0.25;
        }
    }
}

// A block's e, e', e'' at the mean of its dilatation, and dd_q/dF_q of its points; `differences`
// are those of its nodes.
SN_LANE_FUNCTION void sn_lanes_find_mean(const sn_solid *solid, sn_elastic_law law, int block,
                                         const sn_lanes *differences,
                                         sn_lanes3 derivative[SN_MOST_POINTS], sn_lanes e[3])
{
    sn_lanes total, share[SN_MOST_POINTS], mean = {0.0, 0.0, 0.0, 0.0};
    sn_lanes_shares(solid, block, &total, share);
    for (int q = 0; q < SN_MOST_POINTS; ++q) {
        sn_lanes3 f;
        sn_lanes d;
        sn_solid_deform(differences, sn_solid_gradients(solid, block, q), SN_MOST_NODES, &f);
        sn_lanes_dilatation(law, &f, &d, &derivative[q]);
        mean += share[q] * d;
    }
    sn_lanes_excess(law, &solid->materials[block].excess, &mean, e);
}

SN_LANE_FUNCTION const sn_lanes *sn_lanes_mean_of(const sn_solid *solid, int block)
{
    return solid->means + (size_t)SN_MEAN_LANES * (size_t)block;
}

// out += scale V e'' c (c . d)
SN_LANE_FUNCTION void sn_lanes_add_mean_product(const sn_solid *solid, int block, double scale,
                                                const sn_lanes *d, sn_lanes *out)
{
    const sn_lanes *mean = sn_lanes_mean_of(solid, block);
    sn_lanes sum = mean[0] * d[0];
    for (int k = 1; k < SN_MEAN_STIFFNESS; ++k) {
        sum += mean[k] * d[k];
    }
    sum *= scale * mean[SN_MEAN_STIFFNESS];
    for (int k = 0; k < SN_MEAN_STIFFNESS; ++k) {
        out[k] += sum * mean[k];
    }
}

#endif
