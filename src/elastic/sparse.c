#include "elastic/sparse.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/lanes_mean.h"
#include "elastic/lanes_stiffness.h"

// ---- pattern ----

typedef struct sparse_maker {
    const sn_sparse_def *def;
    sn_sparse *sparse;
    int *starts, *members;  // vertex_count + 1 of the next; what a vertex meets: slots of elements
    int *tie_starts, *ties; // the same of the definition's pairs: the lower vertex
    int *marks;             // vertex_count: the last row that has the column
} sparse_maker;

static int vertex_of(const sn_solid *solid, int slot, int node)
{
    return sn_solid_vertices(solid, slot / SN_LANES)[SN_LANES * node + slot % SN_LANES] /
           SN_SOLID_STRIDE;
}

static int slot_count(const sn_solid *solid)
{
    return SN_LANES * solid->block_count;
}

// Lists of `starts` from counts in starts[i + 1].
static void sum_up(int *starts, int count)
{
    for (int i = 0; i < count; ++i) {
        starts[i + 1] += starts[i];
    }
}

// After items were put at starts[i]++.
static void step_back(int *starts, int count)
{
    memmove(starts + 1, starts, (size_t)count * sizeof *starts);
    starts[0] = 0;
}

static void list_members(sparse_maker *m)
{
    const sn_solid *solid = m->def->solid;
    int slots = slot_count(solid);
    for (int s = 0; s < slots; ++s) {
        for (int n = 0; n < solid->nodes && solid->element_of[s] >= 0; ++n) {
            m->starts[vertex_of(solid, s, n) + 1] += 1;
        }
    }
    sum_up(m->starts, solid->vertex_count);
    for (int s = 0; s < slots; ++s) {
        for (int n = 0; n < solid->nodes && solid->element_of[s] >= 0; ++n) {
            m->members[m->starts[vertex_of(solid, s, n)]++] = s;
        }
    }
    step_back(m->starts, solid->vertex_count);
    for (int pass = 0; pass < 2; ++pass) {
        for (int p = 0; p < m->def->pair_count; ++p) {
            int a = m->def->pairs[2 * p], b = m->def->pairs[2 * p + 1];
            int high = a > b ? a : b, low = a > b ? b : a;
            if (pass == 0) {
                m->tie_starts[high + 1] += 1;
            } else {
                m->ties[m->tie_starts[high]++] = low;
            }
        }
        if (pass == 0) {
            sum_up(m->tie_starts, solid->vertex_count);
        }
    }
    step_back(m->tie_starts, solid->vertex_count);
}

static void sort_columns(int *columns, int count)
{
    for (int i = 1; i < count; ++i) {
        int key = columns[i], j = i;
        for (; j > 0 && columns[j - 1] > key; --j) {
            columns[j] = columns[j - 1];
        }
        columns[j] = key;
    }
}

// Columns of one row, into `columns` unless that is NULL; returns their number.
static int list_row(sparse_maker *m, int row, int stamp, int *columns)
{
    const sn_solid *solid = m->def->solid;
    int count = 0;
    for (int k = m->starts[row]; k < m->starts[row + 1]; ++k) {
        for (int n = 0; n < solid->nodes; ++n) {
            int column = vertex_of(solid, m->members[k], n);
            if (column < row && m->marks[column] != stamp) {
                m->marks[column] = stamp;
                if (columns != NULL) {
                    columns[count] = column;
                }
                ++count;
            }
        }
    }
    for (int k = m->tie_starts[row]; k < m->tie_starts[row + 1]; ++k) {
        int column = m->ties[k];
        if (column < row && m->marks[column] != stamp) {
            m->marks[column] = stamp;
            if (columns != NULL) {
                columns[count] = column;
            }
            ++count;
        }
    }
    if (columns != NULL) {
        sort_columns(columns, count);
        columns[count] = row;
    }
    return count + 1;
}

int sn_sparse_find(const sn_sparse *sparse, int a, int b)
{
    int low = sparse->starts[a], high = sparse->starts[a + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sparse->columns[middle] < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return sparse->columns[low] == b ? low : -1;
}

static int pair_total(int nodes)
{
    return nodes * (nodes + 1) / 2;
}

static void find_places(sparse_maker *m)
{
    sn_sparse *sparse = m->sparse;
    const sn_solid *solid = m->def->solid;
    int *put = sparse->scatter;
    for (int k = 0; k < solid->block_count; ++k) {
        for (int a = 0; a < solid->nodes; ++a) {
            for (int b = 0; b <= a; ++b) {
                for (int l = 0; l < SN_LANES; ++l) {
                    int i = vertex_of(solid, SN_LANES * k + l, a);
                    int j = vertex_of(solid, SN_LANES * k + l, b);
                    *put++ = i >= j ? 2 * sn_sparse_find(sparse, i, j)
                                    : 2 * sn_sparse_find(sparse, j, i) + 1;
                }
            }
        }
    }
    for (int p = 0; m->def->mass != NULL && p < m->def->mass->pair_count; ++p) {
        const int *pair = m->def->mass->pairs + 2 * (size_t)p;
        sparse->mass_place[p] = sn_sparse_find(sparse, pair[1], pair[0]);
    }
}

// ---- making ----

static sn_status check_def(const sn_sparse_def *def, sn_error *error)
{
    int vertices = def->solid->vertex_count;
    for (int p = 0; p < def->pair_count; ++p) {
        const int *pair = def->pairs + 2 * (size_t)p;
        if (pair[0] < 0 || pair[0] >= vertices || pair[1] < 0 || pair[1] >= vertices) {
            return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                           "pair %d ties vertices %d and %d; 0 to %d were expected", p, pair[0],
                           pair[1], vertices - 1);
        }
    }
    if (def->mass != NULL && def->mass->vertex_count != vertices) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                       "masses of %d vertices; those of %d were expected", def->mass->vertex_count,
                       vertices);
    }
    return SN_OK;
}

static bool reserve_maker(sparse_maker *m)
{
    const sn_solid *solid = m->def->solid;
    size_t vertices = (size_t)solid->vertex_count;
    m->starts = sn_allocate_zero((vertices + 1) * sizeof(int));
    m->members = sn_allocate((size_t)solid->element_count * (size_t)solid->nodes * sizeof(int));
    m->tie_starts = sn_allocate_zero((vertices + 1) * sizeof(int));
    m->ties = sn_allocate(((size_t)m->def->pair_count + 1) * sizeof(int));
    m->marks = sn_allocate_zero((vertices + 1) * sizeof(int));
    return m->starts != NULL && m->members != NULL && m->tie_starts != NULL && m->ties != NULL &&
           m->marks != NULL;
}

static bool make_pattern(sparse_maker *m)
{
    sn_sparse *sparse = m->sparse;
    const sn_solid *solid = m->def->solid;
    int vertices = solid->vertex_count;
    sparse->starts = sn_allocate_zero(((size_t)vertices + 1) * sizeof(int));
    if (sparse->starts == NULL) {
        return false;
    }
    list_members(m);
    for (int v = 0; v < vertices; ++v) {
        sparse->starts[v + 1] = sparse->starts[v] + list_row(m, v, v + 1, NULL);
    }
    sparse->block_count = sparse->starts[vertices];
    size_t pairs = (size_t)pair_total(solid->nodes), blocks = (size_t)sparse->block_count;
    sparse->columns = sn_allocate(blocks * sizeof(int));
    sparse->values = sn_allocate_zero(9 * blocks * sizeof(double));
    sparse->scatter = sn_allocate((size_t)slot_count(solid) * pairs * sizeof(int));
    size_t masses = m->def->mass != NULL ? (size_t)m->def->mass->pair_count : 0;
    sparse->mass_place = sn_allocate((masses + 1) * sizeof(int));
    if (sparse->columns == NULL || sparse->values == NULL || sparse->scatter == NULL ||
        sparse->mass_place == NULL) {
        return false;
    }
    memset(m->marks, 0, (size_t)vertices * sizeof(int));
    for (int v = 0; v < vertices; ++v) {
        list_row(m, v, v + 1, sparse->columns + sparse->starts[v]);
    }
    find_places(m);
    return true;
}

sn_status sn_sparse_create(const sn_sparse_def *def, sn_sparse **sparse, sn_error *error)
{
    *sparse = NULL;
    sn_status status = check_def(def, error);
    if (status != SN_OK) {
        return status;
    }
    sparse_maker m = {.def = def, .sparse = sn_allocate_zero(sizeof *m.sparse)};
    if (m.sparse != NULL) {
        m.sparse->solid = def->solid;
        m.sparse->mass = def->mass;
        m.sparse->vertex_count = def->solid->vertex_count;
    }
    if (m.sparse == NULL || !reserve_maker(&m) || !make_pattern(&m)) {
        status = sn_fail_memory(error, (size_t)def->solid->element_count * 1000);
        sn_sparse_destroy(m.sparse);
    } else {
        *sparse = m.sparse;
    }
    sn_free(m.starts);
    sn_free(m.members);
    sn_free(m.tie_starts);
    sn_free(m.ties);
    sn_free(m.marks);
    return status;
}

void sn_sparse_destroy(sn_sparse *sparse)
{
    if (sparse == NULL) {
        return;
    }
    sn_free(sparse->starts);
    sn_free(sparse->columns);
    sn_free(sparse->values);
    sn_free(sparse->scatter);
    sn_free(sparse->mass_place);
    sn_free(sparse);
}

// ---- assembly ----

enum { MOST_PAIRS = SN_MOST_NODES * (SN_MOST_NODES + 1) / 2 };

typedef struct assembling {
    const sn_sparse *sparse;
    double scale;
    int base;
} assembling;

SN_LANE_FUNCTION void scatter_blocks(const sn_sparse *sparse, const int *place, int pairs,
                                     const sn_lanes *blocks)
{
    for (int p = 0; p < pairs; ++p, blocks += 9) {
        SN_UNROLL
        for (int l = 0; l < SN_LANES; ++l) {
            int at = *place++;
            double *out = sparse->values + 9 * (size_t)(at >> 1);
            if ((at & 1) == 0) {
                SN_UNROLL
                for (int k = 0; k < 9; ++k) {
                    out[k] += blocks[k][l];
                }
            } else {
                SN_UNROLL
                for (int k = 0; k < 9; ++k) {
                    out[k] += blocks[3 * (k % 3) + k / 3][l];
                }
            }
        }
    }
}

SN_LANE_FUNCTION void frozen_blocks(const assembling *work, int block, int nodes, int points,
                                    sn_lanes *blocks)
{
    for (int q = 0; q < points; ++q) {
        const sn_lanes *gradient = sn_solid_frozen(work->sparse->solid, block, q);
        sn_lanes b[3 * SN_MOST_NODES];
        sn_lanes_all_gradients(gradient, nodes, b);
        sn_lanes *out = blocks;
        for (int m = 0; m < nodes; ++m) {
            for (int n = 0; n <= m; ++n, out += 9) {
                sn_lanes_add_frozen(gradient + 3 * (nodes - 1), work->scale, b + 3 * m, b + 3 * n,
                                    out);
            }
        }
    }
}

SN_LANE_FUNCTION void hessian_blocks(const assembling *work, int block, int nodes, int points,
                                     sn_lanes *blocks)
{
    const sn_solid *solid = work->sparse->solid;
    for (int q = 0; q < points; ++q) {
        const sn_lanes *h = solid->hessians + SN_HESSIAN_ENTRIES * sn_solid_point(solid, block, q);
        sn_lanes b[3 * SN_MOST_NODES], t[27];
        sn_lanes_all_gradients(sn_solid_gradients(solid, block, q), nodes, b);
        for (int n = 0; n < nodes; ++n) {
            sn_lanes_turn_hessian(h, work->scale, b + 3 * n, t);
            for (int m = n; m < nodes; ++m) {
                sn_lanes_add_turned(b + 3 * m, t, blocks + 9 * (m * (m + 1) / 2 + n));
            }
        }
    }
}

SN_LANE_FUNCTION void mean_blocks(const assembling *work, int block, sn_lanes *blocks)
{
    const sn_lanes *mean = sn_lanes_mean_of(work->sparse->solid, block);
    sn_lanes c[3 * SN_MOST_NODES], scale = work->scale * mean[SN_MEAN_STIFFNESS];
    sn_lanes_all_gradients(mean, SN_MOST_NODES, c);
    for (int m = 0; m < SN_MOST_NODES; ++m) {
        for (int n = 0; n <= m; ++n, blocks += 9) {
            for (int k = 0; k < 9; ++k) {
                blocks[k] += scale * (c[3 * m + k / 3] * c[3 * n + k % 3]);
            }
        }
    }
}

SN_LANE_FUNCTION void assemble_chunk(const assembling *work, const sn_solid_chunk *chunk, int nodes,
                                     int points)
{
    const sn_sparse *sparse = work->sparse;
    int pairs = nodes * (nodes + 1) / 2;
    for (int k = chunk->first; k < chunk->last; ++k) {
        sn_lanes blocks[9 * MOST_PAIRS];
        memset(blocks, 0, (size_t)(9 * pairs) * sizeof *blocks);
        if (sparse->solid->kind == SN_STIFFNESS_FROZEN) {
            frozen_blocks(work, k, nodes, points, blocks);
        } else {
            hessian_blocks(work, k, nodes, points, blocks);
        }
        if (nodes == SN_MOST_NODES && chunk->mean) {
            mean_blocks(work, k, blocks);
        }
        scatter_blocks(sparse, sparse->scatter + (size_t)k * (size_t)(SN_LANES * pairs), pairs,
                       blocks);
    }
}

SN_LANE_FUNCTION void assemble_chunks_body(void *context, int first, int last, int number)
{
    (void)number;
    const assembling *work = context;
    const sn_solid *solid = work->sparse->solid;
    for (int c = first; c < last; ++c) {
        const sn_solid_chunk *chunk = &solid->chunks[work->base + c];
        SN_SOLID_BY_NODES(solid, assemble_chunk, work, chunk);
    }
}

SN_LANE_TWINS(assemble_chunks)

static void add_unit(double *block, double number)
{
    block[0] += number;
    block[4] += number;
    block[8] += number;
}

void sn_sparse_assemble(sn_sparse *sparse, sn_threads *threads, double mass_scale,
                        double stiffness_scale)
{
    const sn_mass *mass = sparse->mass;
    memset(sparse->values, 0, 9 * (size_t)sparse->block_count * sizeof *sparse->values);
    for (int v = 0; mass != NULL && v < sparse->vertex_count; ++v) {
        size_t diagonal = (size_t)sparse->starts[v + 1] - 1;
        add_unit(sparse->values + 9 * diagonal, mass_scale * mass->diagonal[v]);
    }
    for (int p = 0; mass != NULL && p < mass->pair_count; ++p) {
        add_unit(sparse->values + 9 * (size_t)sparse->mass_place[p], mass_scale * mass->entries[p]);
    }
    assembling work = {.sparse = sparse, .scale = stiffness_scale};
    sn_solid_run(sparse->solid, threads, assemble_chunks, &work, &work.base);
}

// ---- more terms ----

bool sn_sparse_add_block(sn_sparse *sparse, int a, int b, const double block[9])
{
    int at = a >= b ? sn_sparse_find(sparse, a, b) : sn_sparse_find(sparse, b, a);
    if (at < 0) {
        return false;
    }
    double *out = sparse->values + 9 * (size_t)at;
    for (int k = 0; k < 9; ++k) {
        out[k] += a >= b ? block[k] : block[3 * (k % 3) + k / 3];
    }
    return true;
}

void sn_sparse_add_element(sn_sparse *sparse, int element, double scale, const double *matrix)
{
    const sn_solid *solid = sparse->solid;
    int nodes = solid->nodes, slot = solid->slot_of[element], size = 3 * nodes;
    const int *place = sparse->scatter +
                       (size_t)(slot / SN_LANES) * (size_t)(SN_LANES * pair_total(nodes)) +
                       slot % SN_LANES;
    for (int m = 0; m < nodes; ++m) {
        for (int n = 0; n <= m; ++n, place += SN_LANES) {
            double *out = sparse->values + 9 * (size_t)(*place >> 1);
            for (int k = 0; k < 9; ++k) {
                int i = *place & 1 ? k % 3 : k / 3, j = *place & 1 ? k / 3 : k % 3;
                out[k] += scale * matrix[size * (3 * m + i) + 3 * n + j];
            }
        }
    }
}

void sn_sparse_fix(sn_sparse *sparse, const uint8_t *fixed)
{
    for (int row = 0; fixed != NULL && row < sparse->vertex_count; ++row) {
        for (int k = sparse->starts[row]; k < sparse->starts[row + 1]; ++k) {
            int column = sparse->columns[k];
            if ((fixed[row] | fixed[column]) == 0) {
                continue;
            }
            double *block = sparse->values + 9 * (size_t)k;
            for (int e = 0; e < 9; ++e) {
                bool unit = (fixed[row] >> (e / 3) & 1) != 0 || (fixed[column] >> (e % 3) & 1) != 0;
                block[e] = unit ? (row == column && e % 4 == 0 ? 1.0 : 0.0) : block[e];
            }
        }
    }
}

void sn_sparse_product(const sn_sparse *sparse, const double *v, double *y)
{
    memset(y, 0, SN_SOLID_STRIDE * (size_t)sparse->vertex_count * sizeof *y);
    for (int row = 0; row < sparse->vertex_count; ++row) {
        const double *own = v + SN_SOLID_STRIDE * (size_t)row;
        double sum[3] = {0.0, 0.0, 0.0};
        int last = sparse->starts[row + 1] - 1;
        for (int k = sparse->starts[row]; k < last; ++k) {
            const double *b = sparse->values + 9 * (size_t)k;
            const double *other = v + SN_SOLID_STRIDE * (size_t)sparse->columns[k];
            double *out = y + SN_SOLID_STRIDE * (size_t)sparse->columns[k];
            for (int i = 0; i < 3; ++i) {
                sum[i] += b[3 * i] * other[0] + b[3 * i + 1] * other[1] + b[3 * i + 2] * other[2];
                out[i] += b[i] * own[0] + b[3 + i] * own[1] + b[6 + i] * own[2];
            }
        }
        const double *b = sparse->values + 9 * (size_t)last;
        double *out = y + SN_SOLID_STRIDE * (size_t)row;
        for (int i = 0; i < 3; ++i) {
            out[i] += sum[i] + (b[3 * i] * own[0] + b[3 * i + 1] * own[1] + b[3 * i + 2] * own[2]);
        }
    }
}
