// The elastic laws of material.h for four elements at a time: stress and energy density. Tests hold
// them against those.
#ifndef SN_ELASTIC_LANES_LAW_H
#define SN_ELASTIC_LANES_LAW_H

#include "elastic/material.h"
#include "elastic/polar.h"
#include "math/elementary.h"

typedef struct sn_lanes_material {
    sn_lanes bulk, shear;
    sn_lanes excess; // of bulk: what acts on the mean of an element, see lanes_mean.h
    sn_lanes fibre_stiffness, fibre[3];
    sn_lanes volume_viscosity, shape_viscosity; // Pa s, the thesis' eta1 and eta2
} sn_lanes_material;

// ---- stress ----

SN_LANE_FUNCTION void sn_lanes_add_cofactor_stress(const sn_lanes3 *cofactor, const sn_lanes *scale,
                                                   sn_lanes3 *p)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            p->m[i][j] += *scale * cofactor->m[i][j];
        }
    }
}

// G F (C - Gamma/3) + K/8 (J^3 - J^-5) cof F
SN_LANE_FUNCTION void sn_lanes_liesenfeld_stress(const sn_lanes_material *b, const sn_lanes3 *f,
                                                 sn_lanes3 *p)
{
    sn_lanes3 c, cofactor;
    sn_lanes j, j2, inverse, third;
    sn_lanes3_metric(f, &c);
    sn_lanes3_cofactors(f, &cofactor);
    sn_lanes3_determinant(f, &cofactor, &j);
    third = (c.m[0][0] + c.m[1][1] + c.m[2][2]) / 3.0;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        c.m[i][i] -= third;
        SN_UNROLL
        for (int k = 0; k < 3; ++k) {
            c.m[i][k] *= b->shear;
        }
    }
    sn_lanes3_multiply(f, &c, p);
    j2 = j * j;
    inverse = 1.0 / j2;
    sn_lanes pressure = b->bulk / 8.0 * (j * j2 - inverse * inverse / j);
    sn_lanes_add_cofactor_stress(&cofactor, &pressure, p);
}

SN_LANE_FUNCTION void sn_lanes_neo_hookean_stress(const sn_lanes_material *b, const sn_lanes3 *f,
                                                  sn_lanes3 *p)
{
    sn_lanes m = b->shear * (4.0 / 3.0);
    sn_lanes l = b->bulk - b->shear * (2.0 / 3.0) + b->shear * (5.0 / 6.0);
    sn_lanes a = 1.0 + 0.75 * (m / l), gamma, j;
    sn_lanes3 cofactor;
    sn_lanes3_square_sum(f, &gamma);
    sn_lanes3_cofactors(f, &cofactor);
    sn_lanes3_determinant(f, &cofactor, &j);
    sn_lanes even = m * (gamma / (gamma + 1.0)), pressure = l * (j - a);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int k = 0; k < 3; ++k) {
            p->m[i][k] = even * f->m[i][k];
        }
    }
    sn_lanes_add_cofactor_stress(&cofactor, &pressure, p);
}

// F (2 G E + lambda tr E), with 2 E = C - 1
SN_LANE_FUNCTION void sn_lanes_st_venant_stress(const sn_lanes_material *b, const sn_lanes3 *f,
                                                sn_lanes3 *p)
{
    sn_lanes3 s;
    sn_lanes3_metric(f, &s);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        s.m[i][i] -= 1.0;
    }
    sn_lanes trace = s.m[0][0] + s.m[1][1] + s.m[2][2];
    sn_lanes even = 0.5 * (b->bulk - b->shear * (2.0 / 3.0)) * trace;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int k = 0; k < 3; ++k) {
            s.m[i][k] *= b->shear;
        }
        s.m[i][i] += even;
    }
    sn_lanes3_multiply(f, &s, p);
}

// 2 G (F - R) + lambda tr(R^T F - 1) R
SN_LANE_FUNCTION void sn_lanes_turned_stress(const sn_lanes_material *b, const sn_lanes3 *f,
                                             const sn_lanes3 *r, sn_lanes3 *p)
{
    sn_lanes trace[3];
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        trace[i] = r->m[i][0] * f->m[i][0] + r->m[i][1] * f->m[i][1] + r->m[i][2] * f->m[i][2];
    }
    sn_lanes pull = (b->bulk - b->shear * (2.0 / 3.0)) * (trace[0] + trace[1] + trace[2] - 3.0);
    sn_lanes twice = 2.0 * b->shear;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            p->m[i][j] = twice * (f->m[i][j] - r->m[i][j]) + pull * r->m[i][j];
        }
    }
}

SN_LANE_FUNCTION void sn_lanes_corotational_stress(const sn_lanes_material *b, const sn_lanes3 *f,
                                                   sn_lanes3 *p)
{
    sn_lanes3 r;
    sn_lanes_polar(f, &r);
    sn_lanes_turned_stress(b, f, &r, p);
}

SN_LANE_FUNCTION void sn_lanes_add_fibre_stress(const sn_lanes_material *b, const sn_lanes3 *f,
                                                sn_lanes3 *p)
{
    sn_lanes now[3], pull;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        now[i] = f->m[i][0] * b->fibre[0] + f->m[i][1] * b->fibre[1] + f->m[i][2] * b->fibre[2];
    }
    sn_lanes square = now[0] * now[0] + now[1] * now[1] + now[2] * now[2];
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        pull[l] = square[l] > 0.0 ? b->fibre_stiffness[l] * (1.0 - 1.0 / sqrt(square[l])) : 0.0;
    }
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            p->m[i][j] += pull * now[i] * b->fibre[j];
        }
    }
}

// ---- energy ----

// K/32 (J^2 - J^-2)^2 + G/4 |C - Gamma/3|^2
SN_LANE_FUNCTION void sn_lanes_liesenfeld_energy(const sn_lanes_material *b, const sn_lanes3 *f,
                                                 sn_lanes *e)
{
    sn_lanes3 c, cofactor;
    sn_lanes j, shape, difference;
    sn_lanes3_metric(f, &c);
    sn_lanes3_cofactors(f, &cofactor);
    sn_lanes3_determinant(f, &cofactor, &j);
    sn_lanes third = (c.m[0][0] + c.m[1][1] + c.m[2][2]) / 3.0;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        c.m[i][i] -= third;
    }
    sn_lanes3_square_sum(&c, &shape);
    difference = j * j - 1.0 / (j * j);
    *e = b->bulk / 32.0 * (difference * difference) + 0.25 * b->shear * shape;
}

SN_LANE_FUNCTION void sn_lanes_neo_hookean_energy(const sn_lanes_material *b, const sn_lanes3 *f,
                                                  sn_lanes *e)
{
    sn_lanes m = b->shear * (4.0 / 3.0);
    sn_lanes l = b->bulk - b->shear * (2.0 / 3.0) + b->shear * (5.0 / 6.0);
    sn_lanes a = 1.0 + 0.75 * (m / l), gamma, j, logarithm;
    sn_lanes3 cofactor;
    sn_lanes3_square_sum(f, &gamma);
    sn_lanes3_cofactors(f, &cofactor);
    sn_lanes3_determinant(f, &cofactor, &j);
    sn_lanes grown = gamma - 3.0;
    SN_UNROLL
    for (int k = 0; k < SN_LANES; ++k) {
        logarithm[k] = sn_log1p(0.25 * grown[k]);
    }
    *e = 0.5 * m * (grown - logarithm) + 0.5 * l * ((j - 1.0) * (j + 1.0 - 2.0 * a));
}

SN_LANE_FUNCTION void sn_lanes_st_venant_energy(const sn_lanes_material *b, const sn_lanes3 *f,
                                                sn_lanes *e)
{
    sn_lanes3 s;
    sn_lanes squares;
    sn_lanes3_metric(f, &s);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        s.m[i][i] -= 1.0;
    }
    sn_lanes trace = s.m[0][0] + s.m[1][1] + s.m[2][2]; // of 2 E
    sn_lanes3_square_sum(&s, &squares);
    sn_lanes lambda = b->bulk - b->shear * (2.0 / 3.0);
    *e = 0.25 * b->shear * squares + 0.125 * lambda * (trace * trace);
}

SN_LANE_FUNCTION void sn_lanes_corotational_energy(const sn_lanes_material *b, const sn_lanes3 *f,
                                                   sn_lanes *e)
{
    sn_lanes3 r, gap;
    sn_lanes squares, trace[3];
    sn_lanes_polar(f, &r);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        trace[i] = (sn_lanes){0.0, 0.0, 0.0, 0.0};
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            gap.m[i][j] = f->m[i][j] - r.m[i][j];
            trace[i] += r.m[i][j] * gap.m[i][j];
        }
    }
    sn_lanes3_square_sum(&gap, &squares);
    sn_lanes sum = trace[0] + trace[1] + trace[2]; // tr(R^T F - 1), for |R|^2 = 3
    *e = b->shear * squares + 0.5 * (b->bulk - b->shear * (2.0 / 3.0)) * (sum * sum);
}

SN_LANE_FUNCTION void sn_lanes_add_fibre_energy(const sn_lanes_material *b, const sn_lanes3 *f,
                                                sn_lanes *e)
{
    sn_lanes square = {0.0, 0.0, 0.0, 0.0};
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        sn_lanes now =
            f->m[i][0] * b->fibre[0] + f->m[i][1] * b->fibre[1] + f->m[i][2] * b->fibre[2];
        square += now * now;
    }
    for (int l = 0; l < SN_LANES; ++l) {
        double stretched = sqrt(square[l]) - 1.0;
        (*e)[l] += 0.5 * b->fibre_stiffness[l] * (stretched * stretched);
    }
}

// ---- by law ----

// `law` is a constant where these are inlined into a loop of its own.
SN_LANE_FUNCTION void sn_lanes_stress(const sn_lanes_material *b, sn_elastic_law law, bool fibres,
                                      const sn_lanes3 *f, sn_lanes3 *p)
{
    if (law == SN_ELASTIC_LIESENFELD) {
        sn_lanes_liesenfeld_stress(b, f, p);
    } else if (law == SN_ELASTIC_NEO_HOOKEAN) {
        sn_lanes_neo_hookean_stress(b, f, p);
    } else if (law == SN_ELASTIC_ST_VENANT) {
        sn_lanes_st_venant_stress(b, f, p);
    } else {
        sn_lanes_corotational_stress(b, f, p);
    }
    if (fibres) {
        sn_lanes_add_fibre_stress(b, f, p);
    }
}

SN_LANE_FUNCTION void sn_lanes_energy(const sn_lanes_material *b, sn_elastic_law law, bool fibres,
                                      const sn_lanes3 *f, sn_lanes *e)
{
    if (law == SN_ELASTIC_LIESENFELD) {
        sn_lanes_liesenfeld_energy(b, f, e);
    } else if (law == SN_ELASTIC_NEO_HOOKEAN) {
        sn_lanes_neo_hookean_energy(b, f, e);
    } else if (law == SN_ELASTIC_ST_VENANT) {
        sn_lanes_st_venant_energy(b, f, e);
    } else {
        sn_lanes_corotational_energy(b, f, e);
    }
    if (fibres) {
        sn_lanes_add_fibre_energy(b, f, e);
    }
}

#endif
