#include "elastic/mass.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/tetrahedra.h"

// m / 20 (1 + delta) for four nodes; m / 420 times these for ten with straight edges: corners 6 and
// 1, corner and edge -4 where the edge ends in the corner and -6 elsewhere, edges 32, 16 where they
// share a corner, 8 where they do not.
static double share_of(int nodes, int a, int b)
{
    if (nodes == 4) {
        return (a == b ? 2.0 : 1.0) / 20.0;
    }
    if (a < 4 && b < 4) {
        return (a == b ? 6.0 : 1.0) / 420.0;
    }
    if (a >= 4 && b < 4) {
        return share_of(nodes, b, a);
    }
    const int *e = sn_tetrahedron_edges[b - 4];
    if (a < 4) {
        return (e[0] == a || e[1] == a ? -4.0 : -6.0) / 420.0;
    }
    const int *d = sn_tetrahedron_edges[a - 4];
    bool touch = d[0] == e[0] || d[0] == e[1] || d[1] == e[0] || d[1] == e[1];
    return (a == b ? 32.0 : touch ? 16.0 : 8.0) / 420.0;
}

// Four nodes: a quarter each. Ten: corners 6, edges 32 of 4 * 6 + 6 * 32.
static double lumped_share(int nodes, int a)
{
    return nodes == 4 ? 0.25 : a < 4 ? 6.0 / 216.0 : 32.0 / 216.0;
}

// Of ten nodes by four points: exact for straight edges, of third order in the curving.
static double element_volume(const sn_tetrahedra *t, int element)
{
    if (t->nodes == 4) {
        return sn_tetrahedra_determinant(t, element) / 6.0;
    }
    const double inner = 0.58541019662496845446, outer = 0.13819660112501051518;
    const int *v = t->elements + 10 * (size_t)element;
    double sum = 0.0;
    for (int q = 0; q < 4; ++q) {
        double l[4] = {outer, outer, outer, outer};
        l[q] = inner;
        sn_vec3 d[4];
        for (int i = 0; i < 4; ++i) {
            d[i] = sn_vec3_scale(4.0 * l[i] - 1.0, t->positions[v[i]]);
        }
        for (int k = 0; k < 6; ++k) {
            int i = sn_tetrahedron_edges[k][0], j = sn_tetrahedron_edges[k][1];
            d[i] = sn_vec3_add_scaled(d[i], 4.0 * l[j], t->positions[v[4 + k]]);
            d[j] = sn_vec3_add_scaled(d[j], 4.0 * l[i], t->positions[v[4 + k]]);
        }
        sum += sn_tetrahedron_determinant(d[0], d[1], d[2], d[3]);
    }
    return sum / 24.0;
}

// ---- pairs of vertices ----

typedef struct pairing {
    size_t count;    // pairs of nodes of all elements
    int *keys;       // 2 * count
    int *order;      // count
    int *sorted;     // count
    int *starts;     // vertex_count + 1
    double *weights; // count, kg
} pairing;

static void pairing_free(pairing *p)
{
    sn_free(p->keys);
    sn_free(p->order);
    sn_free(p->sorted);
    sn_free(p->starts);
    sn_free(p->weights);
}

static bool pairing_reserve(pairing *p, const sn_tetrahedra *t)
{
    p->count = (size_t)t->element_count * (size_t)(t->nodes * (t->nodes - 1) / 2);
    p->keys = sn_allocate(2 * p->count * sizeof *p->keys);
    p->order = sn_allocate(p->count * sizeof *p->order);
    p->sorted = sn_allocate(p->count * sizeof *p->sorted);
    p->starts = sn_allocate(((size_t)t->vertex_count + 1) * sizeof *p->starts);
    p->weights = sn_allocate(p->count * sizeof *p->weights);
    return p->keys != NULL && p->order != NULL && p->sorted != NULL && p->starts != NULL &&
           p->weights != NULL;
}

static void list_pairs(const sn_tetrahedra *t, const double *masses, pairing *p)
{
    size_t k = 0;
    for (int e = 0; e < t->element_count; ++e) {
        const int *v = t->elements + (size_t)e * (size_t)t->nodes;
        for (int a = 0; a < t->nodes; ++a) {
            for (int b = a + 1; b < t->nodes; ++b) {
                p->keys[2 * k] = v[a] < v[b] ? v[a] : v[b];
                p->keys[2 * k + 1] = v[a] < v[b] ? v[b] : v[a];
                p->weights[k] = masses[e] * share_of(t->nodes, a, b);
                p->order[k] = (int)k;
                ++k;
            }
        }
    }
    int count = (int)p->count;
    sn_counting_sort(p->keys + 1, 2, p->order, count, t->vertex_count, p->starts, p->sorted);
    sn_counting_sort(p->keys, 2, p->sorted, count, t->vertex_count, p->starts, p->order);
}

static sn_status sum_pairs(const pairing *p, sn_mass *mass, sn_error *error)
{
    mass->pairs = sn_allocate(2 * p->count * sizeof *mass->pairs);
    mass->entries = sn_allocate(p->count * sizeof *mass->entries);
    if (mass->pairs == NULL || mass->entries == NULL) {
        return sn_fail_memory(error, p->count * 16);
    }
    for (size_t k = 0; k < p->count; ++k) {
        const int *key = p->keys + 2 * (size_t)p->order[k];
        const int *last = k > 0 ? p->keys + 2 * (size_t)p->order[k - 1] : NULL;
        if (last == NULL || key[0] != last[0] || key[1] != last[1]) {
            memcpy(mass->pairs + 2 * (size_t)mass->pair_count, key, 2 * sizeof *key);
            mass->entries[mass->pair_count++] = 0.0;
        }
        mass->entries[mass->pair_count - 1] += p->weights[p->order[k]];
    }
    return SN_OK;
}

// ---- making ----

static sn_status weigh_elements(const sn_tetrahedra *mesh, const double *densities, int count,
                                const double *volumes, double *masses, sn_error *error)
{
    for (int e = 0; e < mesh->element_count; ++e) {
        int region = count == 1 ? 0 : mesh->regions[e];
        if (region < 0 || region >= count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "element %d is of region %d; 0 to %d have a density", e, region,
                           count - 1);
        }
        double volume = volumes != NULL ? volumes[e] : element_volume(mesh, e);
        masses[e] = densities[region] * volume;
        if (!(masses[e] > 0.0) || !isfinite(masses[e])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "element %d of density %g kg/m^3 has mass %g kg; a finite one above 0 "
                           "was expected",
                           e, densities[region], masses[e]);
        }
    }
    return SN_OK;
}

static sn_status add_pairs(const sn_tetrahedra *mesh, const double *masses, sn_mass *mass,
                           sn_error *error)
{
    pairing p = {0};
    sn_status status;
    if (!pairing_reserve(&p, mesh)) {
        status = sn_fail_memory(error, p.count * 32);
    } else {
        list_pairs(mesh, masses, &p);
        status = sum_pairs(&p, mass, error);
    }
    pairing_free(&p);
    return status;
}

sn_status sn_mass_create(const sn_tetrahedra *mesh, const double *densities, int count,
                         sn_mass_kind kind, const double *volumes, sn_mass *mass, sn_error *error)
{
    *mass = (sn_mass){.vertex_count = mesh->vertex_count};
    double *masses = sn_allocate((size_t)mesh->element_count * sizeof *masses);
    mass->diagonal = sn_allocate_zero((size_t)mesh->vertex_count * sizeof *mass->diagonal);
    sn_status status = SN_OK;
    if (masses == NULL || mass->diagonal == NULL) {
        status = sn_fail_memory(error, (size_t)mesh->element_count * sizeof *masses);
    }
    status =
        status == SN_OK ? weigh_elements(mesh, densities, count, volumes, masses, error) : status;
    for (int e = 0; status == SN_OK && e < mesh->element_count; ++e) {
        const int *v = mesh->elements + (size_t)e * (size_t)mesh->nodes;
        mass->total += masses[e];
        for (int a = 0; a < mesh->nodes; ++a) {
            double share =
                kind == SN_MASS_LUMPED ? lumped_share(mesh->nodes, a) : share_of(mesh->nodes, a, a);
            mass->diagonal[v[a]] += masses[e] * share;
        }
    }
    if (status == SN_OK && kind == SN_MASS_CONSISTENT) {
        status = add_pairs(mesh, masses, mass, error);
    }
    sn_free(masses);
    if (status != SN_OK) {
        sn_mass_free(mass);
    }
    return status;
}

void sn_mass_free(sn_mass *mass)
{
    sn_free(mass->diagonal);
    sn_free(mass->pairs);
    sn_free(mass->entries);
    *mass = (sn_mass){0};
}

void sn_mass_add_product(const sn_mass *mass, int stride, double scale, const double *v, double *y)
{
    for (int i = 0; i < mass->vertex_count; ++i) {
        size_t at = (size_t)i * (size_t)stride;
        double m = scale * mass->diagonal[i];
        for (int k = 0; k < 3; ++k) {
            y[at + (size_t)k] += m * v[at + (size_t)k];
        }
    }
    for (int p = 0; p < mass->pair_count; ++p) {
        size_t a = (size_t)mass->pairs[2 * (size_t)p] * (size_t)stride;
        size_t b = (size_t)mass->pairs[2 * (size_t)p + 1] * (size_t)stride;
        double m = scale * mass->entries[p];
        for (size_t k = 0; k < 3; ++k) {
            y[a + k] += m * v[b + k];
            y[b + k] += m * v[a + k];
        }
    }
}

int64_t sn_mass_nonzeros(const sn_mass *mass)
{
    return 3 * (int64_t)mass->vertex_count + 6 * (int64_t)mass->pair_count;
}
