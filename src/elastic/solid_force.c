// Energy and forces of all elements, four at a time.
#include "elastic/lanes_mean.h"

typedef struct forcing {
    const sn_solid *solid;
    const double *x;
    double *f;
    double *energy; // of chunks, for energies
    int base;
} forcing;

// ---- forces ----

SN_LANE_FUNCTION void spread_stress(const sn_solid *solid, int block, int point, int nodes,
                                    bool first, sn_lanes3 *p, sn_lanes *out)
{
    sn_lanes volume = -solid->volumes[sn_solid_point(solid, block, point)];
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            p->m[i][j] *= volume;
        }
    }
    sn_solid_spread(p, sn_solid_gradients(solid, block, point), nodes, first, out);
}

// What one point adds to the forces of its block's nodes; the first begins them.
SN_LANE_FUNCTION void force_point(const sn_solid *solid, const sn_solid_chunk *chunk, int block,
                                  int point, int nodes, sn_elastic_law law, bool first,
                                  const sn_lanes *d, sn_lanes *out)
{
    sn_lanes3 f, p;
    sn_solid_deform(d, sn_solid_gradients(solid, block, point), nodes, &f);
    sn_lanes_stress(&solid->materials[block], law, chunk->fibres, &f, &p);
    spread_stress(solid, block, point, nodes, first, &p, out);
}

// What the excess of bulk modulus adds.
SN_LANE_FUNCTION void force_mean(const sn_solid *solid, int block, sn_elastic_law law,
                                 const sn_lanes *d, sn_lanes *out)
{
    sn_lanes3 derivative[SN_MOST_POINTS];
    sn_lanes e[3];
    sn_lanes_find_mean(solid, law, block, d, derivative, e);
    for (int q = 0; q < SN_MOST_POINTS; ++q) {
        sn_lanes scale = -e[1] * solid->volumes[sn_solid_point(solid, block, q)];
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            SN_UNROLL
            for (int j = 0; j < 3; ++j) {
                derivative[q].m[i][j] *= scale;
            }
        }
        sn_solid_spread(&derivative[q], sn_solid_gradients(solid, block, q), SN_MOST_NODES, false,
                        out);
    }
}

// nodes, points and law are constants where this is inlined: one loop each, without branches in it.
SN_LANE_FUNCTION void force_chunk(const forcing *work, const sn_solid_chunk *chunk, int nodes,
                                  int points, sn_elastic_law law)
{
    const sn_solid *solid = work->solid;
    for (int k = chunk->first; k < chunk->last; ++k) {
        const int32_t *vertices = sn_solid_vertices(solid, k);
        sn_lanes d[3 * (SN_MOST_NODES - 1)], out[3 * (SN_MOST_NODES - 1)];
        sn_solid_gather(vertices, nodes, work->x, d);
        force_point(solid, chunk, k, 0, nodes, law, true, d, out);
        for (int q = 1; q < points; ++q) {
            force_point(solid, chunk, k, q, nodes, law, false, d, out);
        }
        if (nodes == SN_MOST_NODES && chunk->mean) {
            force_mean(solid, k, law, d, out);
        }
        sn_solid_scatter(vertices, nodes, out, work->f);
    }
}

SN_LANE_FUNCTION void force_by_law(const forcing *work, const sn_solid_chunk *chunk, int nodes,
                                   int points)
{
    switch (chunk->law) {
    case SN_ELASTIC_LIESENFELD:
        force_chunk(work, chunk, nodes, points, SN_ELASTIC_LIESENFELD);
        break;
    case SN_ELASTIC_NEO_HOOKEAN:
        force_chunk(work, chunk, nodes, points, SN_ELASTIC_NEO_HOOKEAN);
        break;
    case SN_ELASTIC_ST_VENANT:
        force_chunk(work, chunk, nodes, points, SN_ELASTIC_ST_VENANT);
        break;
    default:
        force_chunk(work, chunk, nodes, points, SN_ELASTIC_COROTATIONAL);
        break;
    }
}

SN_LANE_FUNCTION void force_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const forcing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        SN_SOLID_BY_NODES(work->solid, force_by_law, work, chunk);
    }
}

SN_LANE_TWINS(force_chunks)

void sn_solid_add_forces(const sn_solid *solid, sn_threads *threads, const double *x, double *f)
{
    forcing work = {.solid = solid, .x = x, .f = f};
    sn_solid_run(solid, threads, force_chunks, &work, &work.base);
}

// ---- forces and frozen axes at once ----

SN_LANE_FUNCTION void turned_point(const sn_solid *solid, const sn_solid_chunk *chunk, int block,
                                   int point, int nodes, bool first, const sn_lanes *d,
                                   sn_lanes *out)
{
    const sn_lanes_material *material = &solid->materials[block];
    sn_lanes3 f, r, p;
    sn_solid_deform(d, sn_solid_gradients(solid, block, point), nodes, &f);
    sn_lanes_polar(&f, &r);
    sn_solid_freeze(solid, block, point, nodes, &r);
    sn_lanes_turned_stress(material, &f, &r, &p);
    if (chunk->fibres) {
        sn_lanes_add_fibre_stress(material, &f, &p);
    }
    spread_stress(solid, block, point, nodes, first, &p, out);
}

SN_LANE_FUNCTION void turned_chunk(const forcing *work, const sn_solid_chunk *chunk, int nodes,
                                   int points)
{
    const sn_solid *solid = work->solid;
    for (int k = chunk->first; k < chunk->last; ++k) {
        const int32_t *vertices = sn_solid_vertices(solid, k);
        sn_lanes d[3 * (SN_MOST_NODES - 1)], out[3 * (SN_MOST_NODES - 1)];
        sn_solid_gather(vertices, nodes, work->x, d);
        turned_point(solid, chunk, k, 0, nodes, true, d, out);
        for (int q = 1; q < points; ++q) {
            turned_point(solid, chunk, k, q, nodes, false, d, out);
        }
        sn_solid_scatter(vertices, nodes, out, work->f);
    }
}

SN_LANE_FUNCTION void turned_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const forcing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        if (work->solid->nodes == 4) {
            turned_chunk(work, chunk, 4, 1);
        } else {
            turned_chunk(work, chunk, 10, 4);
        }
    }
}

SN_LANE_TWINS(turned_chunks)

void sn_solid_add_forces_frozen(sn_solid *solid, sn_threads *threads, const double *x, double *f)
{
    bool turned = solid->means == NULL;
    for (int c = 0; turned && c < solid->chunk_count; ++c) {
        turned = solid->chunks[c].law == SN_ELASTIC_COROTATIONAL;
    }
    if (!turned) {
        sn_solid_add_forces(solid, threads, x, f);
        sn_solid_linearise(solid, threads, x, SN_STIFFNESS_FROZEN, NULL);
        return;
    }
    forcing work = {.solid = solid, .x = x, .f = f};
    sn_solid_run(solid, threads, turned_chunks, &work, &work.base);
    solid->kind = SN_STIFFNESS_FROZEN;
}

// ---- energy ----

SN_LANE_FUNCTION void energy_chunk(const forcing *work, int number, int nodes, int points)
{
    const sn_solid *solid = work->solid;
    const sn_solid_chunk *chunk = &solid->chunks[number];
    sn_lanes sum = {0.0, 0.0, 0.0, 0.0};
    for (int k = chunk->first; k < chunk->last; ++k) {
        sn_lanes d[3 * (SN_MOST_NODES - 1)], e;
        sn_solid_gather(sn_solid_vertices(solid, k), nodes, work->x, d);
        for (int q = 0; q < points; ++q) {
            sn_lanes3 f;
            sn_solid_deform(d, sn_solid_gradients(solid, k, q), nodes, &f);
            sn_lanes_energy(&solid->materials[k], chunk->law, chunk->fibres, &f, &e);
            sum += solid->volumes[sn_solid_point(solid, k, q)] * e;
        }
        if (nodes == SN_MOST_NODES && chunk->mean) {
            sn_lanes3 derivative[SN_MOST_POINTS];
            sn_lanes total, share[SN_MOST_POINTS], excess[3];
            sn_lanes_shares(solid, k, &total, share);
            sn_lanes_find_mean(solid, chunk->law, k, d, derivative, excess);
            sum += total * excess[0];
        }
    }
    work->energy[number] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

SN_LANE_FUNCTION void energy_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const forcing *work = context;
    for (int c = work->base + first; c < work->base + last; ++c) {
        SN_SOLID_BY_NODES(work->solid, energy_chunk, work, c);
    }
}

SN_LANE_TWINS(energy_chunks)

double sn_solid_energy(sn_solid *solid, sn_threads *threads, const double *x)
{
    forcing work = {.solid = solid, .x = x, .energy = solid->chunk_energy};
    sn_solid_run(solid, threads, energy_chunks, &work, &work.base);
    return sn_solid_sum_chunks(solid);
}

// ---- single elements ----

sn_mat3 sn_solid_deformation(const sn_solid *solid, int slot, int point, const double *x)
{
    int block = slot / SN_LANES, lane = slot % SN_LANES;
    const int32_t *vertices = sn_solid_vertices(solid, block);
    const sn_lanes *gradient = sn_solid_gradients(solid, block, point);
    const double *origin = x + vertices[lane];
    sn_mat3 f = SN_MAT3_ZERO;
    for (int k = 1; k < solid->nodes; ++k) {
        const double *p = x + vertices[SN_LANES * k + lane];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                f.m[i][j] += (p[i] - origin[i]) * gradient[3 * (k - 1) + j][lane];
            }
        }
    }
    return f;
}

sn_elastic sn_solid_material(const sn_solid *solid, int slot, sn_elastic_law law)
{
    const sn_lanes_material *m = &solid->materials[slot / SN_LANES];
    int lane = slot % SN_LANES;
    return (sn_elastic){.law = law,
                        .bulk = m->bulk[lane],
                        .shear = m->shear[lane],
                        .fibre_stiffness = m->fibre_stiffness[lane],
                        .fibre = {m->fibre[0][lane], m->fibre[1][lane], m->fibre[2][lane]}};
}

sn_mat3 sn_solid_gradient(const sn_solid *solid, int element, int point, const double *x)
{
    return sn_solid_deformation(solid, solid->slot_of[element], point, x);
}

double sn_solid_least_stretch(const sn_solid *solid, const double *x, int *element)
{
    double least = INFINITY;
    *element = -1;
    for (int k = 0; k < solid->element_count * solid->points; ++k) {
        sn_mat3 f = sn_solid_gradient(solid, k / solid->points, k % solid->points, x);
        double stretch = sn_mat3_determinant(f);
        if (!(stretch >= least)) { // what is no number is the least of all
            least = stretch;
            *element = k / solid->points;
        }
        if (isnan(stretch)) {
            break;
        }
    }
    return least;
}

int sn_solid_list_inverted(const sn_solid *solid, const double *x, int *elements, int capacity)
{
    int count = 0;
    for (int e = 0; e < solid->element_count; ++e) {
        bool sound = true;
        for (int p = 0; p < solid->points; ++p) {
            sn_mat3 f = sn_solid_gradient(solid, e, p, x);
            sound = sound && sn_mat3_determinant(f) > 0.0;
        }
        if (!sound && count++ < capacity) {
            elements[count - 1] = e;
        }
    }
    return count;
}
