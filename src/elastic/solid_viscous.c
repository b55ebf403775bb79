// Forces of the thesis' viscosity (material.h), four elements at a time.
#include "elastic/solid_part.h"

typedef struct flowing {
    const sn_solid *solid;
    const sn_viscosity *viscosities;
    int count;
    bool current;
    const double *x, *v;
    double *f;
    sn_lanes power;
    int base;
} flowing;

// S = F (2 eta2 T + (eta1 - 2/3 eta2) tr T), T = F^T R + R^T F, R the rate of F; and the power per
// volume at rest of its own, eta1/2 (tr T)^2 + eta2 |T - tr T / 3|^2.
SN_LANE_FUNCTION void viscous_stress(const sn_lanes viscosity[2], const sn_lanes3 *f,
                                     const sn_lanes3 *rate, sn_lanes3 *stress, sn_lanes *power)
{
    sn_lanes3 t, q;
    sn_lanes squares = {0.0, 0.0, 0.0, 0.0};
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = i; j < 3; ++j) {
            t.m[i][j] = f->m[0][i] * rate->m[0][j] + f->m[1][i] * rate->m[1][j] +
                        f->m[2][i] * rate->m[2][j] +
                        (f->m[0][j] * rate->m[0][i] + f->m[1][j] * rate->m[1][i] +
                         f->m[2][j] * rate->m[2][i]);
            t.m[j][i] = t.m[i][j];
        }
    }
    sn_lanes trace = t.m[0][0] + t.m[1][1] + t.m[2][2];
    sn_lanes more = (viscosity[0] - viscosity[1] * (2.0 / 3.0)) * trace;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            sn_lanes own = i == j ? t.m[i][j] - trace / 3.0 : t.m[i][j];
            squares += own * own;
            q.m[i][j] = 2.0 * viscosity[1] * t.m[i][j];
            q.m[i][j] = i == j ? q.m[i][j] + more : q.m[i][j];
        }
    }
    sn_lanes3_multiply(f, &q, stress);
    *power = 0.5 * viscosity[0] * (trace * trace) + viscosity[1] * squares;
}

SN_LANE_FUNCTION void flow_block(flowing *work, int block, int nodes, int points)
{
    const sn_solid *solid = work->solid;
    const int32_t *vertices = sn_solid_vertices(solid, block);
    sn_lanes d[3 * (SN_MOST_NODES - 1)], u[3 * (SN_MOST_NODES - 1)], out[3 * (SN_MOST_NODES - 1)];
    sn_lanes viscosity[2];
    for (int l = 0; l < SN_LANES; ++l) {
        int element = solid->element_of[SN_LANES * block + l];
        int region = work->count > 1 && element >= 0 ? solid->regions[element] : 0;
        viscosity[0][l] = work->viscosities[region].volume;
        viscosity[1][l] = work->viscosities[region].shape;
    }
    sn_solid_gather(vertices, nodes, work->x, d);
    sn_solid_gather(vertices, nodes, work->v, u);
    for (int p = 0; p < points; ++p) {
        const sn_lanes *gradient = sn_solid_gradients(solid, block, p);
        sn_lanes volume = solid->volumes[sn_solid_point(solid, block, p)], power;
        sn_lanes3 f, rate, stress, cofactors;
        sn_solid_deform(d, gradient, nodes, &f);
        sn_solid_deform(u, gradient, nodes, &rate);
        if (work->current) { // what is inside out has a volume, too
            sn_lanes stretch;
            sn_lanes3_cofactors(&f, &cofactors);
            sn_lanes3_determinant(&f, &cofactors, &stretch);
            for (int l = 0; l < SN_LANES; ++l) {
                volume[l] *= fabs(stretch[l]);
            }
        }
        viscous_stress(viscosity, &f, &rate, &stress, &power);
        work->power += volume * power;
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            SN_UNROLL
            for (int j = 0; j < 3; ++j) {
                stress.m[i][j] *= -volume;
            }
        }
        sn_solid_spread(&stress, gradient, nodes, p == 0, out);
    }
    sn_solid_scatter(vertices, nodes, out, work->f);
}

SN_LANE_FUNCTION void flow_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    flowing *work = context;
    for (int c = work->base + first; c < work->base + last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[c];
        for (int k = chunk->first; k < chunk->last; ++k) {
            SN_SOLID_BY_NODES(work->solid, flow_block, work, k);
        }
    }
}

SN_LANE_TWINS(flow_chunks)

double sn_solid_add_viscous_forces(const sn_solid *solid, const sn_viscosity *viscosities,
                                   int count, bool current, const double *x, const double *v,
                                   double *f)
{
    flowing work = {.solid = solid,
                    .viscosities = viscosities,
                    .count = count,
                    .current = current,
                    .x = x,
                    .v = v,
                    .f = f};
    sn_solid_run(solid, NULL, flow_chunks, &work, &work.base);
    return (work.power[0] + work.power[1]) + (work.power[2] + work.power[3]);
}
