#include "elastic/coarse.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "elastic/factor.h"
#include "elastic/solid_part.h"
#include "math/dense.h"
#include "math/elementary.h"

enum {
    CELL_VERTICES = 48,
    CORNERS = 8, // of a cell: bits 1, 2, 4 of their number for x, y, z
    PAIRS = CORNERS * (CORNERS + 1) / 2,
    CELL_SAMPLES = 6, // elements of a cell whose deformation is looked at
    CHUNK_CELLS = 16
};

// An element that a cell's rotation is taken from.
typedef struct sample {
    int cell;
    int vertices[4];
    sn_mat3 inverse; // of its edges at rest
} sample;

struct sn_coarse {
    int vertex_count, cell_count, node_count, sample_count;
    sn_vec3 origin;
    double spacing[3];
    int cells[3];
    int *cell_of_vertex; // vertex_count
    int *members;        // vertex_count: vertices by cell
    int *starts;         // cell_count + 1
    float *shares;       // 3 * vertex_count, by cell: where in the cell, from 0 to 1
    int *nodes;          // CORNERS * cell_count
    int *places;         // PAIRS * cell_count: blocks of corners k >= l
    int *node_starts;    // node_count + 1
    int *node_corners;   // CORNERS * cell_count: corners of cells by node
    int *row_starts, *columns;
    double *stiffness, *values; // nine numbers a block
    double *inertia;            // one number a block
    double *masses;             // vertex_count: lumped
    double *stiff;              // vertex_count: about the diagonal of K, where it is fixed
    sample *samples;
    sn_mat3 *cell_turns, *turns; // cell_count, node_count
    sn_factor *factor;
    sn_lanes *corners; // CORNERS * cell_count: forces or motions
    void *corner_memory;
    double *forces, *motions; // SN_SOLID_STRIDE * node_count
    double mass_scale, stiffness_scale;
    uint8_t *fixed; // vertex_count
    bool set;
};

// ---- grid ----

// Cells fill the body's box, with some `size` vertices where they are full. Where the body fills
// little of its box, they grow until there are not many more nodes than vertices.
static void choose_grid(sn_coarse *c, const sn_coarse_def *def, int size)
{
    const sn_vec3 *p = sn_tetrahedra_positions(def->mesh);
    sn_vec3 low = p[0], high = p[0];
    double volume = 0.0, nodes;
    for (int v = 1; v < c->vertex_count; ++v) {
        low = sn_vec3_min(low, p[v]);
        high = sn_vec3_max(high, p[v]);
    }
    for (int e = 0; e < sn_solid_element_count(def->solid); ++e) {
        volume += sn_solid_rest_volume(def->solid, e);
    }
    double sides[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    double edge = sn_cbrt(volume / c->vertex_count * size);
    do {
        nodes = 1.0;
        for (int i = 0; i < 3; ++i) {
            double cells = floor(sides[i] / edge + 0.5);
            c->cells[i] = cells < 1.0 ? 1 : cells < 1e6 ? (int)cells : 1000000;
            c->spacing[i] = sides[i] / c->cells[i];
            nodes *= c->cells[i] + 1.0;
        }
        edge *= 1.25;
    } while (nodes > c->vertex_count + 64.0);
    c->origin = low;
}

// The cell of a point, by its place in the whole grid, and where it is in it.
static int find_cell(const sn_coarse *c, sn_vec3 point, double share[3])
{
    sn_vec3 p = sn_vec3_sub(point, c->origin);
    double at[3] = {p.x / c->spacing[0], p.y / c->spacing[1], p.z / c->spacing[2]};
    int cell[3];
    for (int i = 0; i < 3; ++i) {
        int k = (int)floor(at[i]);
        cell[i] = k < 0 ? 0 : k < c->cells[i] ? k : c->cells[i] - 1;
        double s = at[i] - cell[i];
        share[i] = s < 0.0 ? 0.0 : s < 1.0 ? s : 1.0;
    }
    return (cell[2] * c->cells[1] + cell[1]) * c->cells[0] + cell[0];
}

// The node at a cell's corner, by its place in the whole grid: ascending with the corner.
static int grid_node(const sn_coarse *c, int cell, int corner)
{
    int x = cell % c->cells[0], y = cell / c->cells[0] % c->cells[1];
    int z = cell / (c->cells[0] * c->cells[1]);
    x += corner & 1;
    y += corner >> 1 & 1;
    z += corner >> 2;
    return (z * (c->cells[1] + 1) + y) * (c->cells[0] + 1) + x;
}

static sn_vec3 element_middle(const sn_tetrahedra *mesh, int element)
{
    const int *v =
        sn_tetrahedra_elements(mesh) + (size_t)element * (size_t)sn_tetrahedra_nodes(mesh);
    const sn_vec3 *p = sn_tetrahedra_positions(mesh);
    sn_vec3 sum = sn_vec3_add(sn_vec3_add(p[v[0]], p[v[1]]), sn_vec3_add(p[v[2]], p[v[3]]));
    return sn_vec3_scale(0.25, sum);
}

typedef struct coarse_maker {
    const sn_coarse_def *def;
    sn_coarse *coarse;
    int *cell_number, *node_number; // of the whole grid; -1: empty
    int *cell_of_element;
} coarse_maker;

// Cells that have a vertex or the middle of an element, and their nodes, are numbered in order.
static bool number_cells(coarse_maker *m)
{
    sn_coarse *c = m->coarse;
    int elements = sn_solid_element_count(m->def->solid);
    size_t all = (size_t)c->cells[0] * (size_t)c->cells[1] * (size_t)c->cells[2];
    size_t nodes =
        (size_t)(c->cells[0] + 1) * (size_t)(c->cells[1] + 1) * (size_t)(c->cells[2] + 1);
    m->cell_number = sn_allocate_zero((all + 1) * sizeof(int));
    m->node_number = sn_allocate_zero((nodes + 1) * sizeof(int));
    m->cell_of_element = sn_allocate(((size_t)elements + 1) * sizeof(int));
    if (m->cell_number == NULL || m->node_number == NULL || m->cell_of_element == NULL) {
        return false;
    }
    double share[3];
    for (int v = 0; v < c->vertex_count; ++v) {
        c->cell_of_vertex[v] = find_cell(c, sn_tetrahedra_positions(m->def->mesh)[v], share);
        m->cell_number[c->cell_of_vertex[v]] = 1;
    }
    for (int e = 0; e < elements; ++e) {
        m->cell_of_element[e] = find_cell(c, element_middle(m->def->mesh, e), share);
        m->cell_number[m->cell_of_element[e]] = 1;
    }
    for (size_t k = 0; k < all; ++k) {
        for (int corner = 0; m->cell_number[k] != 0 && corner < CORNERS; ++corner) {
            m->node_number[grid_node(c, (int)k, corner)] = 1;
        }
        m->cell_number[k] = m->cell_number[k] != 0 ? c->cell_count++ : -1;
    }
    for (size_t k = 0; k < nodes; ++k) {
        m->node_number[k] = m->node_number[k] != 0 ? c->node_count++ : -1;
    }
    return true;
}

static bool list_cells(coarse_maker *m)
{
    sn_coarse *c = m->coarse;
    size_t cells = (size_t)c->cell_count, count = (size_t)c->vertex_count;
    size_t all = (size_t)c->cells[0] * (size_t)c->cells[1] * (size_t)c->cells[2];
    c->members = sn_allocate((count + 1) * sizeof(int));
    c->shares = sn_allocate((3 * count + 1) * sizeof(float));
    c->starts = sn_allocate_zero((cells + 2) * sizeof(int));
    c->nodes = sn_allocate((CORNERS * cells + 1) * sizeof(int));
    c->places = sn_allocate((PAIRS * cells + 1) * sizeof(int));
    c->node_starts = sn_allocate_zero(((size_t)c->node_count + 2) * sizeof(int));
    c->node_corners = sn_allocate((CORNERS * cells + 1) * sizeof(int));
    c->corners = sn_lanes_allocate(CORNERS * cells * sizeof(sn_lanes), &c->corner_memory);
    c->cell_turns = sn_allocate((cells + 1) * sizeof(sn_mat3));
    if (c->members == NULL || c->shares == NULL || c->starts == NULL || c->nodes == NULL ||
        c->places == NULL || c->node_starts == NULL || c->node_corners == NULL ||
        c->corners == NULL || c->cell_turns == NULL) {
        return false;
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        c->cell_of_vertex[v] = m->cell_number[c->cell_of_vertex[v]];
        c->starts[c->cell_of_vertex[v] + 2] += 1;
    }
    for (int k = 0; k < c->cell_count; ++k) {
        c->starts[k + 2] += c->starts[k + 1];
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        int at = c->starts[c->cell_of_vertex[v] + 1]++;
        double share[3];
        find_cell(c, sn_tetrahedra_positions(m->def->mesh)[v], share);
        c->members[at] = v;
        for (int i = 0; i < 3; ++i) {
            c->shares[3 * (size_t)at + (size_t)i] = (float)share[i];
        }
    }
    for (size_t k = 0; k < all; ++k) {
        for (int corner = 0; m->cell_number[k] >= 0 && corner < CORNERS; ++corner) {
            int node = m->node_number[grid_node(c, (int)k, corner)];
            c->nodes[CORNERS * m->cell_number[k] + corner] = node;
            c->node_starts[node + 2] += 1;
        }
    }
    for (int a = 0; a < c->node_count; ++a) {
        c->node_starts[a + 2] += c->node_starts[a + 1];
    }
    for (int k = 0; k < CORNERS * c->cell_count; ++k) {
        c->node_corners[c->node_starts[c->nodes[k] + 1]++] = k;
    }
    return true;
}

// ---- the pattern of nodes ----

// Lower columns of a node, ascending, its own last; returns how many. marks: node_count.
static int list_row(const sn_coarse *c, int node, int *marks, int *columns)
{
    int count = 0;
    for (int k = c->node_starts[node]; k < c->node_starts[node + 1]; ++k) {
        const int *nodes = c->nodes + c->node_corners[k] / CORNERS * CORNERS;
        for (int corner = 0; corner < CORNERS; ++corner) {
            int other = nodes[corner];
            if (other > node || marks[other] == node + 1) {
                continue;
            }
            marks[other] = node + 1;
            int at = count++;
            for (; at > 0 && columns[at - 1] > other; --at) {
                columns[at] = columns[at - 1];
            }
            columns[at] = other;
        }
    }
    return count;
}

static bool find_pattern(sn_coarse *c)
{
    enum { MOST_COLUMNS = 14 }; // half of 27, and its own
    size_t nodes = (size_t)c->node_count;
    int *marks = sn_allocate_zero((nodes + 1) * sizeof(int));
    c->row_starts = sn_allocate_zero((nodes + 1) * sizeof(int));
    c->columns = sn_allocate((MOST_COLUMNS * nodes + 1) * sizeof(int));
    if (marks == NULL || c->row_starts == NULL || c->columns == NULL) {
        sn_free(marks);
        return false;
    }
    for (int a = 0; a < c->node_count; ++a) {
        c->row_starts[a + 1] =
            c->row_starts[a] + list_row(c, a, marks, c->columns + c->row_starts[a]);
    }
    sn_free(marks);
    for (int cell = 0; cell < c->cell_count; ++cell) {
        const int *corner = c->nodes + CORNERS * cell;
        int *place = c->places + PAIRS * (size_t)cell;
        for (int k = 0; k < CORNERS; ++k) {
            for (int l = 0; l <= k; ++l) {
                int at = c->row_starts[corner[k]];
                while (c->columns[at] != corner[l]) {
                    ++at;
                }
                *place++ = at;
            }
        }
    }
    size_t blocks = (size_t)c->row_starts[c->node_count];
    c->stiffness = sn_allocate_zero((9 * blocks + 1) * sizeof(double));
    c->values = sn_allocate((9 * blocks + 1) * sizeof(double));
    c->inertia = sn_allocate_zero((blocks + 1) * sizeof(double));
    c->forces = sn_allocate_zero((SN_SOLID_STRIDE * nodes + 1) * sizeof(double));
    c->motions = sn_allocate_zero((SN_SOLID_STRIDE * nodes + 1) * sizeof(double));
    c->turns = sn_allocate((nodes + 1) * sizeof(sn_mat3));
    return c->stiffness != NULL && c->values != NULL && c->inertia != NULL && c->forces != NULL &&
           c->motions != NULL && c->turns != NULL;
}

// ---- the matrix of nodes ----

static void hat_weights(const double share[3], double weights[CORNERS])
{
    for (int k = 0; k < CORNERS; ++k) {
        weights[k] = (k & 1 ? share[0] : 1.0 - share[0]) * (k & 2 ? share[1] : 1.0 - share[1]) *
                     (k & 4 ? share[2] : 1.0 - share[2]);
    }
}

static void hat_gradients(const sn_coarse *c, const double share[3], double g[CORNERS][3])
{
    for (int k = 0; k < CORNERS; ++k) {
        double w[3], d[3];
        for (int i = 0; i < 3; ++i) {
            bool up = (k >> i & 1) != 0;
            w[i] = up ? share[i] : 1.0 - share[i];
            d[i] = (up ? 1.0 : -1.0) / c->spacing[i];
        }
        g[k][0] = d[0] * w[1] * w[2];
        g[k][1] = w[0] * d[1] * w[2];
        g[k][2] = w[0] * w[1] * d[2];
    }
}

// K_ab += V (G (a . b) + G b a^T + lambda a b^T) between the hats of a cell, at an element's middle
static void add_element(sn_coarse *c, int cell, const double share[3], double shear, double lambda)
{
    double g[CORNERS][3];
    hat_gradients(c, share, g);
    const int *place = c->places + PAIRS * (size_t)cell;
    for (int k = 0; k < CORNERS; ++k) {
        for (int l = 0; l <= k; ++l) {
            const double *a = g[k], *b = g[l];
            double *out = c->stiffness + 9 * (size_t)*place++;
            double dot = shear * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            for (int e = 0; e < 9; ++e) {
                int i = e / 3, j = e % 3;
                out[e] += shear * b[i] * a[j] + lambda * a[i] * b[j] + (i == j ? dot : 0.0);
            }
        }
    }
}

static void integrate(coarse_maker *m)
{
    sn_coarse *c = m->coarse;
    const sn_solid *solid = m->def->solid;
    int nodes = sn_tetrahedra_nodes(m->def->mesh);
    for (int e = 0; e < solid->element_count; ++e) {
        int slot = solid->slot_of[e], block = slot / SN_LANES, lane = slot % SN_LANES;
        double volume = sn_solid_rest_volume(solid, e), share[3];
        double shear = volume * solid->materials[block].shear[lane];
        double lambda = volume * solid->materials[block].bulk[lane] - shear * (2.0 / 3.0);
        int cell = m->cell_number[find_cell(c, element_middle(m->def->mesh, e), share)];
        add_element(c, cell, share, shear, lambda);
        const int *v = sn_tetrahedra_elements(m->def->mesh) + (size_t)e * (size_t)nodes;
        // of the order of K's diagonal: V (lambda + 2 G) / edge^2, shared by the nodes
        double edge = sn_cbrt(volume);
        for (int n = 0; n < nodes; ++n) {
            c->stiff[v[n]] += (lambda + 2.0 * shear) / (edge * edge);
        }
    }
    for (int k = 0; k < c->vertex_count; ++k) {
        double share[3], w[CORNERS];
        int v = c->members[k];
        for (int i = 0; i < 3; ++i) {
            share[i] = (double)c->shares[3 * (size_t)k + (size_t)i];
        }
        hat_weights(share, w);
        const int *place = c->places + PAIRS * (size_t)c->cell_of_vertex[v];
        for (int a = 0; a < CORNERS; ++a) {
            for (int b = 0; b <= a; ++b) {
                c->inertia[*place++] += w[a] * w[b] * c->masses[v];
            }
        }
    }
}

// Consistent masses keep their diagonal's shares: row sums may be negative.
static void lump_masses(sn_coarse *c, const sn_mass *mass)
{
    double sum = 0.0;
    for (int v = 0; v < c->vertex_count; ++v) {
        sum += mass->diagonal[v];
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        c->masses[v] = mass->diagonal[v] * (mass->total / sum);
    }
}

// ---- rotations ----

// Every cell's elements in turn, up to CELL_SAMPLES of them.
static bool take_samples(coarse_maker *m)
{
    sn_coarse *c = m->coarse;
    int elements = sn_solid_element_count(m->def->solid);
    int *counts = sn_allocate_zero(2 * ((size_t)c->cell_count + 1) * sizeof(int));
    size_t most = CELL_SAMPLES * (size_t)c->cell_count;
    c->samples = sn_allocate((most + 1) * sizeof *c->samples);
    if (counts == NULL || c->samples == NULL) {
        sn_free(counts);
        return false;
    }
    int *seen = counts + c->cell_count + 1, nodes = sn_tetrahedra_nodes(m->def->mesh);
    for (int e = 0; e < elements; ++e) {
        counts[m->cell_number[m->cell_of_element[e]]] += 1;
    }
    const sn_vec3 *p = sn_tetrahedra_positions(m->def->mesh);
    for (int e = 0; e < elements; ++e) {
        int cell = m->cell_number[m->cell_of_element[e]], number = seen[cell]++;
        int stride = (counts[cell] + CELL_SAMPLES - 1) / CELL_SAMPLES;
        if (number % stride != 0) {
            continue;
        }
        sample *s = &c->samples[c->sample_count++];
        const int *v = sn_tetrahedra_elements(m->def->mesh) + (size_t)e * (size_t)nodes;
        sn_mat3 edges;
        s->cell = cell;
        for (int k = 0; k < 4; ++k) {
            s->vertices[k] = v[k];
            sn_vec3 d = sn_vec3_sub(p[v[k]], p[v[0]]);
            for (int i = 0; k > 0 && i < 3; ++i) {
                edges.m[i][k - 1] = i == 0 ? d.x : i == 1 ? d.y : d.z;
            }
        }
        s->inverse = sn_mat3_inverse(edges);
    }
    sn_free(counts);
    return true;
}

// Rotations nearest to the mean deformation around each node.
void sn_coarse_turn(sn_coarse *c, const double *x)
{
    const sn_mat3 unit = sn_mat3_diagonal((sn_vec3){1.0, 1.0, 1.0});
    sn_mat3 whole = {{{0.0}}}, ignored;
    memset(c->cell_turns, 0, (size_t)c->cell_count * sizeof *c->cell_turns);
    for (int k = 0; x != NULL && k < c->sample_count; ++k) {
        const sample *s = &c->samples[k];
        const double *first = x + SN_SOLID_STRIDE * (size_t)s->vertices[0];
        sn_mat3 edges;
        for (int n = 1; n < 4; ++n) {
            const double *p = x + SN_SOLID_STRIDE * (size_t)s->vertices[n];
            for (int i = 0; i < 3; ++i) {
                edges.m[i][n - 1] = p[i] - first[i];
            }
        }
        sn_mat3 f = sn_mat3_multiply(edges, s->inverse);
        c->cell_turns[s->cell] = sn_mat3_add(c->cell_turns[s->cell], f);
    }
    for (int k = 0; k < c->cell_count; ++k) {
        whole = sn_mat3_add(whole, c->cell_turns[k]);
    }
    for (int a = 0; a < c->node_count; ++a) {
        sn_mat3 sum = {{{0.0}}};
        for (int k = c->node_starts[a]; k < c->node_starts[a + 1]; ++k) {
            sum = sn_mat3_add(sum, c->cell_turns[c->node_corners[k] / CORNERS]);
        }
        c->turns[a] = unit;
        if (x != NULL) {
            bool flat = !(sn_mat3_determinant(sum) > 0.0);
            sn_mat3_polar(flat ? whole : sum, &c->turns[a], &ignored);
        }
    }
}

// ---- making ----

static bool reserve(sn_coarse *c)
{
    size_t count = (size_t)c->vertex_count;
    c->cell_of_vertex = sn_allocate((count + 1) * sizeof(int));
    c->masses = sn_allocate((count + 1) * sizeof(double));
    c->stiff = sn_allocate_zero((count + 1) * sizeof(double));
    c->fixed = sn_allocate_zero(count + 1);
    return c->cell_of_vertex != NULL && c->masses != NULL && c->stiff != NULL && c->fixed != NULL;
}

static sn_status make_factor(coarse_maker *m, sn_error *error)
{
    sn_coarse *c = m->coarse;
    size_t bytes = ((size_t)c->node_count + 1) * sizeof(sn_vec3);
    sn_vec3 *middles = sn_allocate(bytes);
    if (middles == NULL) {
        return sn_fail_memory(error, bytes);
    }
    size_t all = (size_t)(c->cells[0] + 1) * (size_t)(c->cells[1] + 1) * (size_t)(c->cells[2] + 1);
    for (size_t k = 0; k < all; ++k) {
        if (m->node_number[k] >= 0) {
            size_t x = (size_t)c->cells[0] + 1, y = (size_t)c->cells[1] + 1;
            size_t row = k / x, layer = row / y;
            middles[m->node_number[k]] =
                (sn_vec3){(double)(k % x), (double)(row % y), (double)layer};
        }
    }
    sn_factor_def factor = {.count = c->node_count,
                            .block = 3,
                            .starts = c->row_starts,
                            .columns = c->columns,
                            .positions = middles,
                            .place = m->def->place};
    sn_status status = sn_factor_create(&factor, &c->factor, error);
    sn_free(middles);
    return status;
}

static sn_status make(coarse_maker *m, sn_error *error)
{
    sn_coarse *c = m->coarse;
    if (!reserve(c)) {
        return sn_fail_memory(error, (size_t)c->vertex_count * 32);
    }
    choose_grid(c, m->def, m->def->cell_size > 0 ? m->def->cell_size : CELL_VERTICES);
    if (!number_cells(m) || !list_cells(m) || !find_pattern(c) || !take_samples(m)) {
        return sn_fail_memory(error, (size_t)c->vertex_count * 64);
    }
    lump_masses(c, m->def->mass);
    integrate(m);
    sn_coarse_turn(c, NULL);
    return make_factor(m, error);
}

sn_status sn_coarse_create(const sn_coarse_def *def, sn_coarse **coarse, sn_error *error)
{
    *coarse = NULL;
    coarse_maker m = {.def = def, .coarse = sn_allocate_zero(sizeof *m.coarse)};
    if (m.coarse == NULL) {
        return sn_fail_memory(error, sizeof *m.coarse);
    }
    m.coarse->vertex_count = sn_solid_vertex_count(def->solid);
    sn_status status = make(&m, error);
    sn_free(m.cell_number);
    sn_free(m.node_number);
    sn_free(m.cell_of_element);
    if (status != SN_OK) {
        sn_coarse_destroy(m.coarse);
        return status;
    }
    *coarse = m.coarse;
    return SN_OK;
}

void sn_coarse_destroy(sn_coarse *coarse)
{
    if (coarse == NULL) {
        return;
    }
    sn_factor_destroy(coarse->factor);
    sn_free(coarse->cell_of_vertex);
    sn_free(coarse->members);
    sn_free(coarse->starts);
    sn_free(coarse->shares);
    sn_free(coarse->nodes);
    sn_free(coarse->places);
    sn_free(coarse->node_starts);
    sn_free(coarse->node_corners);
    sn_free(coarse->row_starts);
    sn_free(coarse->columns);
    sn_free(coarse->stiffness);
    sn_free(coarse->values);
    sn_free(coarse->inertia);
    sn_free(coarse->masses);
    sn_free(coarse->stiff);
    sn_free(coarse->samples);
    sn_free(coarse->cell_turns);
    sn_free(coarse->turns);
    sn_free(coarse->corner_memory);
    sn_free(coarse->forces);
    sn_free(coarse->motions);
    sn_free(coarse->fixed);
    sn_free(coarse);
}

int sn_coarse_node_count(const sn_coarse *coarse)
{
    return coarse->node_count;
}

// ---- numbers ----

// Fixed vertices hold the hats around them as stiffly as elements hold vertices.
static void hold_fixed(sn_coarse *c)
{
    for (int k = 0; k < c->vertex_count; ++k) {
        int v = c->members[k];
        if (c->fixed[v] == 0) {
            continue;
        }
        double share[3], w[CORNERS];
        for (int i = 0; i < 3; ++i) {
            share[i] = (double)c->shares[3 * (size_t)k + (size_t)i];
        }
        hat_weights(share, w);
        const int *place = c->places + PAIRS * (size_t)c->cell_of_vertex[v];
        double stiff = c->stiffness_scale * c->stiff[v] + c->mass_scale * c->masses[v];
        for (int a = 0; a < CORNERS; ++a) {
            for (int b = 0; b <= a; ++b) {
                double *out = c->values + 9 * (size_t)*place++;
                for (int i = 0; i < 3; ++i) {
                    out[4 * i] += (c->fixed[v] >> i & 1) ? w[a] * w[b] * stiff : 0.0;
                }
            }
        }
    }
}

// A trace of the diagonal is added: hats that few vertices tell apart must not stop the factor.
static void put_together(sn_coarse *c)
{
    for (int k = 0; k < c->row_starts[c->node_count]; ++k) {
        double *out = c->values + 9 * (size_t)k;
        for (int e = 0; e < 9; ++e) {
            out[e] = c->stiffness_scale * c->stiffness[9 * (size_t)k + (size_t)e] +
                     (e % 4 == 0 ? c->mass_scale * c->inertia[k] : 0.0);
        }
    }
    hold_fixed(c);
    for (int a = 0; a < c->node_count; ++a) {
        double *own = c->values + 9 * ((size_t)c->row_starts[a + 1] - 1);
        for (int i = 0; i < 3; ++i) {
            own[4 * i] += own[4 * i] > 0.0 ? 1e-7 * own[4 * i] : 1.0;
        }
    }
}

sn_status sn_coarse_set(sn_coarse *c, sn_threads *threads, double mass_scale,
                        double stiffness_scale, const uint8_t *fixed, sn_error *error)
{
    size_t count = (size_t)c->vertex_count;
    bool same = c->set && c->mass_scale == mass_scale && c->stiffness_scale == stiffness_scale;
    for (size_t v = 0; same && v < count; ++v) {
        same = c->fixed[v] == (fixed != NULL ? fixed[v] : 0);
    }
    if (same) {
        return SN_OK;
    }
    c->mass_scale = mass_scale;
    c->stiffness_scale = stiffness_scale;
    if (fixed != NULL) {
        memcpy(c->fixed, fixed, count);
    } else {
        memset(c->fixed, 0, count);
    }
    put_together(c);
    sn_status status = sn_factor_update(c->factor, threads, c->values, error);
    c->set = status == SN_OK;
    return status;
}

// ---- use ----

typedef struct changing {
    sn_coarse *coarse;
    const double *r;
    double *z;
} changing;

// 1, x, y, xy, z, xz, yz, xyz: by corner.
SN_LANE_FUNCTION void take_monomials(const float *share, double m[CORNERS])
{
    double x = (double)share[0], y = (double)share[1], z = (double)share[2];
    m[0] = 1.0;
    m[1] = x;
    m[2] = y;
    m[3] = x * y;
    m[4] = z;
    m[5] = x * z;
    m[6] = y * z;
    m[7] = m[3] * z;
}

// Forces on a cell's corners: moments of the vertices' forces, and hats out of monomials one axis
// after the other, 1 - x and x out of 1 and x.
SN_LANE_FUNCTION void restrict_cells_body(void *context, int first, int last, int number)
{
    (void)number;
    const changing *t = context;
    sn_coarse *c = t->coarse;
    for (int cell = first; cell < last; ++cell) {
        sn_lanes sum[CORNERS] = {{0}};
        for (int k = c->starts[cell]; k < c->starts[cell + 1]; ++k) {
            double m[CORNERS];
            sn_lanes r;
            take_monomials(c->shares + 3 * (size_t)k, m);
            sn_lanes_load(t->r + SN_SOLID_STRIDE * (size_t)c->members[k], &r);
            sum[0] += r;
            SN_UNROLL
            for (int e = 1; e < CORNERS; ++e) {
                sum[e] += r * m[e];
            }
        }
        SN_UNROLL
        for (int bit = 1; bit < CORNERS; bit *= 2) {
            SN_UNROLL
            for (int e = 0; e < CORNERS; ++e) {
                if ((e & bit) == 0) {
                    sum[e] -= sum[e | bit];
                }
            }
        }
        memcpy(c->corners + CORNERS * (size_t)cell, sum, sizeof sum);
    }
}

SN_LANE_TWINS(restrict_cells)

// The way back: monomials out of hats, then motions of vertices.
SN_LANE_FUNCTION void prolong_cells_body(void *context, int first, int last, int number)
{
    (void)number;
    const changing *t = context;
    sn_coarse *c = t->coarse;
    for (int cell = first; cell < last; ++cell) {
        sn_lanes sum[CORNERS];
        for (int e = 0; e < CORNERS; ++e) {
            int node = c->nodes[CORNERS * (size_t)cell + (size_t)e];
            sn_lanes_load(c->motions + SN_SOLID_STRIDE * (size_t)node, &sum[e]);
        }
        SN_UNROLL
        for (int bit = 1; bit < CORNERS; bit *= 2) {
            SN_UNROLL
            for (int e = 0; e < CORNERS; ++e) {
                if ((e & bit) == 0) {
                    sum[e | bit] -= sum[e];
                }
            }
        }
        for (int k = c->starts[cell]; k < c->starts[cell + 1]; ++k) {
            double m[CORNERS];
            take_monomials(c->shares + 3 * (size_t)k, m);
            sn_lanes u = (sum[0] + sum[1] * m[1]) + (sum[2] * m[2] + sum[3] * m[3]);
            u += (sum[4] * m[4] + sum[5] * m[5]) + (sum[6] * m[6] + sum[7] * m[7]);
            *(sn_lanes_loose *)(t->z + SN_SOLID_STRIDE * (size_t)c->members[k]) += u;
        }
    }
}

SN_LANE_TWINS(prolong_cells)

static void gather_forces(sn_coarse *c)
{
    for (int a = 0; a < c->node_count; ++a) {
        sn_lanes sum = {0};
        for (int k = c->node_starts[a]; k < c->node_starts[a + 1]; ++k) {
            sum += c->corners[c->node_corners[k]];
        }
        sn_vec3 f = sn_mat3_apply_transpose(c->turns[a], (sn_vec3){sum[0], sum[1], sum[2]});
        sn_vec3_put(c->forces + SN_SOLID_STRIDE * (size_t)a, f);
    }
}

double sn_coarse_add(sn_coarse *c, sn_threads *threads, const double *r, double *z)
{
    changing t = {c, r, z};
    size_t numbers = SN_SOLID_STRIDE * (size_t)c->node_count;
    sn_threads_run(threads, c->cell_count, CHUNK_CELLS, restrict_cells, &t);
    gather_forces(c);
    memcpy(c->motions, c->forces, numbers * sizeof(double));
    sn_factor_solve(c->factor, SN_SOLID_STRIDE, c->motions);
    double gain = 0.0;
    for (size_t k = 0; k < numbers; ++k) {
        gain += c->forces[k] * c->motions[k];
    }
    for (int a = 0; a < c->node_count; ++a) {
        double *u = c->motions + SN_SOLID_STRIDE * (size_t)a;
        sn_vec3_put(u, sn_mat3_apply(c->turns[a], sn_vec3_at(u)));
    }
    sn_threads_run(threads, c->cell_count, CHUNK_CELLS, prolong_cells, &t);
    return gain;
}
