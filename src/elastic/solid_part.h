// The inside of a solid, for the sources of this folder.
#ifndef SN_ELASTIC_SOLID_PART_H
#define SN_ELASTIC_SOLID_PART_H

#include "elastic/lanes_law.h"
#include "elastic/solid.h"

enum {
    SN_CHUNK_ELEMENTS = 128, // stay in the nearest cache with their vertices; more in large meshes
    SN_HESSIAN_ENTRIES = 45, // upper triangle of a symmetric 9 x 9
    SN_MEAN_LANES = 29,
    SN_MOST_NODES = 10,
    SN_MOST_POINTS = 4
};

typedef struct sn_solid_chunk {
    int first, last; // blocks
    sn_elastic_law law;
    bool fibres;
    bool mean; // some of their bulk modulus acts on means: ten nodes
} sn_solid_chunk;

// What flows, if anything does: see sn_solid_make_plastic.
typedef struct sn_solid_plastic {
    sn_plastic *laws;     // law_count: by regions, or one for all
    int law_count, count; // of elements that may flow
    int *number_of;       // element_count: among those; -1: it cannot
    double *applied;      // count, point, 9: Fp^-1 that gradients have
    void *memory;         // of the next, aligned within
    sn_lanes *gradients;  // as of the solid, where nothing has flowed
} sn_solid_plastic;

// Blocks are four elements of one law. What is left of the last block of a run repeats its first
// element with no volume. Elements have one point where F is looked at, or four. Gradients are
// those of the shape functions of all nodes but the first, whose own is minus their sum.
struct sn_solid {
    int nodes, points; // of an element: 4 and 1, or 10 and 4
    int vertex_count, element_count, block_count, chunk_count, colour_count;
    void *memory[7];     // of the lanes below, which are aligned within
    sn_lanes *gradients; // block, point, node - 1, component: one of the next two
    sn_lanes *narrow;    // at rest
    sn_lanes *wide;      // of the last sn_solid_widen; NULL as long as nobody asked
    sn_lanes *volumes;   // block, point: at rest
    sn_lanes *frozen;    // block, point: turned gradients, then shear modulus and lambda * volume
    sn_lanes *hessians;  // block, point: entries times volume; NULL as long as nobody asked
    sn_lanes *means;     // block: SN_MEAN_LANES, see lanes_mean.h; NULL: there are none
    sn_lanes_material *materials; // block
    int32_t *vertices;            // block, node, lane: where a vertex's numbers start in a vector
    sn_solid_chunk *chunks;       // by colour
    int *colours;                 // colour_count + 1: first chunk of each
    int *slot_of;                 // element_count: 4 block + lane
    int *element_of;              // 4 * block_count: -1: repeated
    int *regions;                 // element_count
    double *chunk_energy;         // chunk_count
    sn_stiffness kind;            // of the last linearise
    sn_solid_plastic *plastic;    // NULL: nothing flows
    double elastic_share;         // what the next one keeps: this much of the stiffness,
    double viscous_rate;          // 1/s, and this much of the viscosity
    bool viscous_now;             // whose power is per volume as it is
};

// `bytes` zeroed in *memory, and where in it an address is aligned for lanes; NULL when memory runs
// out.
void *sn_lanes_allocate(size_t bytes, void **memory);

// Gradients by the coordinates at rest and volumes (of points) of an element that is given by the
// differences of its nodes to the first; false when it has no volume somewhere.
bool sn_element_gradients(int nodes, const sn_vec3 *differences, double *gradients,
                          double *volumes);

void sn_solid_plastic_destroy(sn_solid_plastic *plastic); // NULL is allowed

// Runs `work` over all chunks, colour by colour. first and last count chunks from the colour's
// first, which the context gets in *base.
void sn_solid_run(const sn_solid *solid, sn_threads *threads, sn_chunk_work *work, void *context,
                  int *base);

// What chunks left in chunk_energy, in their order.
static inline double sn_solid_sum_chunks(const sn_solid *solid)
{
    double sum = 0.0;
    for (int c = 0; c < solid->chunk_count; ++c) {
        sum += solid->chunk_energy[c];
    }
    return sum;
}

// function(..., nodes, points) with numbers that the compiler knows, so that it unrolls loops.
#define SN_SOLID_BY_NODES(solid, function, ...)                                                    \
    do {                                                                                           \
        if ((solid)->nodes == 4) {                                                                 \
            function(__VA_ARGS__, 4, 1);                                                           \
        } else {                                                                                   \
            function(__VA_ARGS__, SN_MOST_NODES, SN_MOST_POINTS);                                  \
        }                                                                                          \
    } while (0)

// ---- where things are ----

static inline size_t sn_solid_point(const sn_solid *solid, int block, int point)
{
    return (size_t)block * (size_t)solid->points + (size_t)point;
}

static inline const sn_lanes *sn_solid_gradients(const sn_solid *solid, int block, int point)
{
    return solid->gradients +
           sn_solid_point(solid, block, point) * (size_t)(3 * (solid->nodes - 1));
}

static inline sn_lanes *sn_solid_frozen(const sn_solid *solid, int block, int point)
{
    return solid->frozen + sn_solid_point(solid, block, point) * (size_t)(3 * solid->nodes - 1);
}

static inline const int32_t *sn_solid_vertices(const sn_solid *solid, int block)
{
    return solid->vertices + (size_t)block * (size_t)(SN_LANES * solid->nodes);
}

// Deformation gradient of one element at one point, and its material.
sn_mat3 sn_solid_deformation(const sn_solid *solid, int slot, int point, const double *x);
sn_elastic sn_solid_material(const sn_solid *solid, int slot, sn_elastic_law law);

// ---- lanes; `nodes` is a constant where these are inlined ----

// Differences of nodes 1 and on to node 0: d[3 (node - 1) + component].
SN_LANE_FUNCTION void sn_solid_gather(const int32_t *vertices, int nodes, const double *x,
                                      sn_lanes *d)
{
    sn_lanes first[SN_LANES], row[SN_LANES];
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        sn_lanes_load(x + vertices[l], &first[l]);
    }
    SN_UNROLL
    for (int k = 1; k < nodes; ++k) {
        SN_UNROLL
        for (int l = 0; l < SN_LANES; ++l) {
            sn_lanes_load(x + vertices[SN_LANES * k + l], &row[l]);
            row[l] -= first[l];
        }
        sn_lanes_from_rows(row, d + 3 * (k - 1));
    }
}

// Adds f[3 (node - 1)] to nodes 1 and on and takes their sum from node 0. Lanes may share vertices:
// one after the other.
SN_LANE_FUNCTION void sn_solid_scatter(const int32_t *vertices, int nodes, const sn_lanes *f,
                                       double *y)
{
    sn_lanes row[SN_MOST_NODES][SN_LANES];
    SN_UNROLL
    for (int k = 1; k < nodes; ++k) {
        sn_lanes_to_rows(f + 3 * (k - 1), row[k]);
    }
    SN_UNROLL
    for (int l = 0; l < SN_LANES; ++l) {
        sn_lanes rest = row[1][l];
        SN_UNROLL
        for (int k = 2; k < nodes; ++k) {
            rest += row[k][l];
        }
        rest = -rest;
        sn_lanes_add_to(&rest, y + vertices[l]);
        SN_UNROLL
        for (int k = 1; k < nodes; ++k) {
            sn_lanes_add_to(&row[k][l], y + vertices[SN_LANES * k + l]);
        }
    }
}

// F = sum of d_k gradient_k^T
SN_LANE_FUNCTION void sn_solid_deform(const sn_lanes *d, const sn_lanes *gradient, int nodes,
                                      sn_lanes3 *f)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            f->m[i][j] = d[i] * gradient[j];
        }
    }
    SN_UNROLL
    for (int k = 1; k < nodes - 1; ++k) {
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            SN_UNROLL
            for (int j = 0; j < 3; ++j) {
                f->m[i][j] += d[3 * k + i] * gradient[3 * k + j];
            }
        }
    }
}

// f_k += P gradient_k, or f_k = P gradient_k for the first point.
SN_LANE_FUNCTION void sn_solid_spread(const sn_lanes3 *p, const sn_lanes *gradient, int nodes,
                                      bool first, sn_lanes *f)
{
    SN_UNROLL
    for (int k = 0; k < nodes - 1; ++k) {
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            sn_lanes sum = p->m[i][0] * gradient[3 * k] + p->m[i][1] * gradient[3 * k + 1] +
                           p->m[i][2] * gradient[3 * k + 2];
            f[3 * k + i] = first ? sum : f[3 * k + i] + sum;
        }
    }
}

// What products with frozen axes need of a point whose rotation is r. D of small strains is Hooke's
// law with the moduli 2 eta1 and 2 eta2.
SN_LANE_FUNCTION void sn_solid_freeze(const sn_solid *solid, int block, int point, int nodes,
                                      const sn_lanes3 *r)
{
    const sn_lanes_material *m = &solid->materials[block];
    const sn_lanes *gradient = sn_solid_gradients(solid, block, point);
    sn_lanes *out = sn_solid_frozen(solid, block, point);
    sn_lanes volume = solid->volumes[sn_solid_point(solid, block, point)];
    SN_UNROLL
    for (int n = 0; n < nodes - 1; ++n) {
        SN_UNROLL
        for (int i = 0; i < 3; ++i) {
            out[3 * n + i] = r->m[i][0] * gradient[3 * n] + r->m[i][1] * gradient[3 * n + 1] +
                             r->m[i][2] * gradient[3 * n + 2];
        }
    }
    sn_lanes shear =
        solid->elastic_share * m->shear + 2.0 * solid->viscous_rate * m->shape_viscosity;
    sn_lanes bulk =
        solid->elastic_share * m->bulk + 2.0 * solid->viscous_rate * m->volume_viscosity;
    out[3 * (nodes - 1)] = volume * shear;
    out[3 * (nodes - 1) + 1] = volume * (bulk - shear * (2.0 / 3.0));
}

#endif
