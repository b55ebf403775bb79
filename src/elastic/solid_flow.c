// Plastic flow of a solid's elements. Fe = sum of d_k (gradient_k^T Fp^-1): an element that has
// flowed has other gradients, and the same volume. Stress is compared with yield for four elements
// at a time; those that flow go one by one.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/solid_part.h"

enum { STATE = SN_PLASTIC_STATE };

// ---- making ----

void sn_solid_plastic_destroy(sn_solid_plastic *plastic)
{
    if (plastic == NULL) {
        return;
    }
    sn_free(plastic->laws);
    sn_free(plastic->number_of);
    sn_free(plastic->applied);
    sn_free(plastic->memory);
    sn_free(plastic);
}

static const sn_plastic *law_of(const sn_solid *solid, int element)
{
    const sn_solid_plastic *plastic = solid->plastic;
    return &plastic->laws[plastic->law_count == 1 ? 0 : solid->regions[element]];
}

static sn_status check_laws(const sn_solid *solid, const sn_plastic *laws, int count,
                            const char *place, sn_error *error)
{
    for (int e = 0; e < solid->element_count; ++e) {
        int region = count == 1 ? 0 : solid->regions[e];
        if (region < 0 || region >= count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, place,
                           "element %d is of region %d; 0 to %d have numbers for plastic flow", e,
                           region, count - 1);
        }
        sn_elastic material = sn_solid_material(solid, solid->slot_of[e], SN_ELASTIC_COROTATIONAL);
        sn_status status = sn_plastic_check(&laws[region], &material, place, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static size_t gradient_bytes(const sn_solid *solid)
{
    size_t points = (size_t)solid->block_count * (size_t)solid->points;
    return points * 3 * (size_t)(solid->nodes - 1) * sizeof(sn_lanes);
}

static bool fill(const sn_solid *solid, const sn_plastic *laws, int count, sn_solid_plastic *made)
{
    made->laws = sn_allocate((size_t)count * sizeof *laws);
    made->number_of = sn_allocate((size_t)solid->element_count * sizeof *made->number_of);
    if (made->laws == NULL || made->number_of == NULL) {
        return false;
    }
    memcpy(made->laws, laws, (size_t)count * sizeof *laws);
    made->law_count = count;
    for (int e = 0; e < solid->element_count; ++e) {
        bool flows = sn_plastic_flows(&laws[count == 1 ? 0 : solid->regions[e]]);
        made->number_of[e] = flows ? made->count++ : -1;
    }
    size_t points = (size_t)made->count * (size_t)solid->points, bytes = gradient_bytes(solid);
    made->applied = sn_allocate_zero(points * 9 * sizeof *made->applied + 1);
    made->gradients = sn_lanes_allocate(bytes, &made->memory);
    if (made->applied == NULL || made->gradients == NULL) {
        return false;
    }
    for (size_t i = 0; i < 3 * points; ++i) {
        made->applied[9 * (i / 3) + 4 * (i % 3)] = 1.0;
    }
    memcpy(made->gradients, solid->narrow, bytes);
    return true;
}

sn_status sn_solid_make_plastic(sn_solid *solid, const sn_plastic *laws, int count,
                                const char *place, sn_error *error)
{
    sn_status status = check_laws(solid, laws, count, place, error);
    bool any = false;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        any = any || sn_plastic_flows(&laws[i]);
    }
    if (!any) {
        return status;
    }
    sn_solid_plastic *made = sn_allocate_zero(sizeof *made);
    if (made == NULL || !fill(solid, laws, count, made)) {
        sn_solid_plastic_destroy(made);
        return sn_fail_memory(error, gradient_bytes(solid));
    }
    sn_solid_plastic_destroy(solid->plastic);
    solid->plastic = made;
    return SN_OK;
}

int sn_solid_plastic_size(const sn_solid *solid)
{
    return solid->plastic != NULL ? STATE * solid->points * solid->plastic->count : 0;
}

void sn_solid_plastic_start(const sn_solid *solid, double *state)
{
    for (int i = 0; i < sn_solid_plastic_size(solid); i += STATE) {
        sn_plastic_start(state + i);
    }
}

// ---- shapes at rest ----

// gradient_k <- Fp^-T gradient_k of the element where nothing has flowed.
static void apply(const sn_solid *solid, int slot, int point, const double *inverse)
{
    int block = slot / SN_LANES, lane = slot % SN_LANES;
    size_t first = sn_solid_point(solid, block, point) * (size_t)(3 * (solid->nodes - 1));
    const sn_lanes *from = solid->plastic->gradients + first;
    sn_lanes *to = solid->narrow + first;
    for (int k = 0; k < solid->nodes - 1; ++k, from += 3, to += 3) {
        for (int j = 0; j < 3; ++j) {
            to[j][lane] = from[0][lane] * inverse[j] + from[1][lane] * inverse[3 + j] +
                          from[2][lane] * inverse[6 + j];
        }
    }
}

static void keep(const sn_solid *solid, int element, int point, const double *state)
{
    const sn_solid_plastic *plastic = solid->plastic;
    int number = solid->points * plastic->number_of[element] + point;
    double *applied = plastic->applied + 9 * (size_t)number;
    if (memcmp(applied, state, 9 * sizeof *applied) != 0) {
        memcpy(applied, state, 9 * sizeof *applied);
        apply(solid, solid->slot_of[element], point, applied);
    }
}

void sn_solid_plastic_set(sn_solid *solid, const double *state)
{
    for (int e = 0; e < solid->element_count && solid->plastic != NULL; ++e) {
        for (int q = 0; q < solid->points && solid->plastic->number_of[e] >= 0;
             ++q, state += STATE) {
            keep(solid, e, q, state);
        }
    }
}

// ---- flow ----

typedef struct flowing {
    const sn_solid *solid;
    const double *x;
    double *state, *rate; // rate NULL: the state itself changes, over a time h
    double h;
    int base;
} flowing;

// Square of von Mises' stress: 3/2 |dev(P F^T)|^2.
SN_LANE_FUNCTION void mises_square(const sn_lanes_material *material, sn_elastic_law law,
                                   const sn_lanes3 *f, sn_lanes *square)
{
    sn_lanes3 p, t;
    sn_lanes_stress(material, law, false, f, &p);
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            t.m[i][j] = p.m[i][0] * f->m[j][0] + p.m[i][1] * f->m[j][1] + p.m[i][2] * f->m[j][2];
        }
    }
    sn_lanes third = (t.m[0][0] + t.m[1][1] + t.m[2][2]) / 3.0;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        t.m[i][i] -= third;
    }
    sn_lanes3_square_sum(&t, square);
    *square *= 1.5;
}

// One point of one element that is above yield. Its stress from lanes may differ from that of the
// single point in the last digits, which then decides.
static void flow_point(const flowing *work, sn_elastic_law law, int slot, int point, double *state)
{
    const sn_solid *solid = work->solid;
    int element = solid->element_of[slot];
    const sn_plastic *plastic = law_of(solid, element);
    sn_elastic material = sn_solid_material(solid, slot, law);
    sn_mat3 elastic = sn_solid_deformation(solid, slot, point, work->x);
    if (work->rate != NULL) {
        sn_plastic_rate(&material, plastic, &elastic, state, work->rate + (state - work->state));
    } else if (sn_plastic_flow(&material, plastic, work->h, &elastic, state)) {
        keep(solid, element, point, state);
    }
}

static bool any_flows(const sn_solid *solid, int block)
{
    bool any = false;
    for (int l = 0; l < SN_LANES; ++l) {
        int element = solid->element_of[SN_LANES * block + l];
        any = any || (element >= 0 && solid->plastic->number_of[element] >= 0);
    }
    return any;
}

SN_LANE_FUNCTION void flow_block(const flowing *work, sn_elastic_law law, int block, int nodes,
                                 int points)
{
    const sn_solid *solid = work->solid;
    sn_lanes d[3 * (SN_MOST_NODES - 1)], square;
    sn_lanes3 f;
    sn_solid_gather(sn_solid_vertices(solid, block), nodes, work->x, d);
    for (int q = 0; q < points; ++q) {
        sn_solid_deform(d, sn_solid_gradients(solid, block, q), nodes, &f);
        mises_square(&solid->materials[block], law, &f, &square);
        for (int l = 0; l < SN_LANES; ++l) {
            int slot = SN_LANES * block + l, element = solid->element_of[slot];
            int number = element >= 0 ? solid->plastic->number_of[element] : -1;
            if (number < 0) {
                continue;
            }
            double *state = work->state + (size_t)STATE * (size_t)(points * number + q);
            const sn_plastic *plastic = law_of(solid, element);
            double yield = plastic->yield_stress + plastic->hardening * state[SN_PLASTIC_STRAIN];
            if (square[l] > yield * yield) {
                flow_point(work, law, slot, q, state);
            }
        }
    }
}

SN_LANE_FUNCTION void flow_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const flowing *work = context;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &work->solid->chunks[work->base + c];
        for (int k = chunk->first; k < chunk->last; ++k) {
            if (!any_flows(work->solid, k)) {
                continue;
            }
            SN_SOLID_BY_NODES(work->solid, flow_block, work, chunk->law, k);
        }
    }
}

SN_LANE_TWINS(flow_chunks)

void sn_solid_plastic_flow(sn_solid *solid, sn_threads *threads, double h, const double *x,
                           double *state)
{
    if (solid->plastic == NULL) {
        return;
    }
    sn_solid_plastic_set(solid, state);
    flowing work = {.solid = solid, .x = x, .state = state, .h = h};
    sn_solid_run(solid, threads, flow_chunks, &work, &work.base);
}

bool sn_solid_plastic_has_rate(const sn_solid *solid)
{
    bool has = true;
    for (int i = 0; solid->plastic != NULL && i < solid->plastic->law_count; ++i) {
        const sn_plastic *law = &solid->plastic->laws[i];
        has = has && (!sn_plastic_flows(law) || (law->creep_rate > 0.0 && law->limit == 0.0));
    }
    return has;
}

void sn_solid_plastic_rate(sn_solid *solid, sn_threads *threads, const double *x,
                           const double *state, double *rate)
{
    if (solid->plastic == NULL) {
        return;
    }
    sn_solid_plastic_set(solid, state);
    memset(rate, 0, (size_t)sn_solid_plastic_size(solid) * sizeof *rate);
    flowing work = {.solid = solid, .x = x, .state = (double *)state, .rate = rate};
    sn_solid_run(solid, threads, flow_chunks, &work, &work.base);
}

// ---- reading ----

double sn_solid_plastic_heat(const sn_solid *solid, const double *state)
{
    double sum = 0.0;
    for (int e = 0; e < solid->element_count && solid->plastic != NULL; ++e) {
        int slot = solid->slot_of[e];
        double shear = sn_solid_material(solid, slot, SN_ELASTIC_COROTATIONAL).shear;
        for (int q = 0; q < solid->points && solid->plastic->number_of[e] >= 0;
             ++q, state += STATE) {
            size_t at = sn_solid_point(solid, slot / SN_LANES, q);
            sum += solid->volumes[at][slot % SN_LANES] * shear * state[SN_PLASTIC_HEAT];
        }
    }
    return sum;
}

double sn_solid_plastic_strain(const sn_solid *solid, const double *state)
{
    double most = 0.0;
    for (int i = SN_PLASTIC_STRAIN; i < sn_solid_plastic_size(solid); i += STATE) {
        most = state[i] > most ? state[i] : most;
    }
    return most;
}
