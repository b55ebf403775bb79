#include "elastic/solid_part.h"

#include <limits.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/tetrahedra.h"

void *sn_lanes_allocate(size_t bytes, void **memory)
{
    *memory = sn_allocate_zero(bytes + sizeof(sn_lanes));
    if (*memory == NULL) {
        return NULL;
    }
    uintptr_t start = (uintptr_t)*memory, past = start % sizeof(sn_lanes);
    return (char *)*memory + (past == 0 ? 0 : sizeof(sn_lanes) - past);
}

// ---- order ----

typedef struct maker {
    const sn_solid_def *def;
    const sn_tetrahedra *mesh;
    sn_solid *solid;
    int *order;      // element_count
    int *scratch;    // 2 * element_count + starts
    uint64_t *masks; // vertex_count: colours of the chunks that have the vertex
    int *colour_of;  // chunk_count
    sn_error *error;
} maker;

static const sn_elastic *material_of(const maker *m, int element)
{
    int region = m->def->material_count == 1 ? 0 : m->mesh->regions[element];
    return &m->def->materials[region];
}

// The bulk modulus that acts point by point: up to a Poisson's ratio of 0.35. The rest acts on the
// mean of an element of ten nodes, so that a body near the incompressible limit does not lock. Much
// more (0.4) locks in coarse meshes, much less (0) is too soft in them.
static double pointwise_bulk(const maker *m, const sn_elastic *material)
{
    double most = material->shear * 3.0;
    return m->mesh->nodes == 10 && material->bulk > most ? most : material->bulk;
}

enum { GROUPS = 4 * SN_ELASTIC_LAW_COUNT };

static int group_of(const maker *m, int element)
{
    const sn_elastic *material = material_of(m, element);
    return 4 * (int)material->law + 2 * (pointwise_bulk(m, material) < material->bulk) +
           (material->fibre_stiffness > 0.0);
}

// By law and fibres, then by the lowest vertex, so that neighbours in the mesh are neighbours in
// memory.
static void order_elements(maker *m)
{
    int count = m->mesh->element_count;
    int *keys = m->scratch, *sorted = keys + count, *starts = sorted + count;
    for (int e = 0; e < count; ++e) {
        const int *v = m->mesh->elements + (size_t)e * (size_t)m->mesh->nodes;
        int low = v[0] < v[1] ? v[0] : v[1], other = v[2] < v[3] ? v[2] : v[3];
        keys[e] = low < other ? low : other;
        m->order[e] = e;
    }
    sn_counting_sort(keys, 1, m->order, count, m->mesh->vertex_count, starts, sorted);
    for (int e = 0; e < count; ++e) {
        keys[e] = group_of(m, e);
    }
    sn_counting_sort(keys, 1, sorted, count, GROUPS, starts, m->order);
}

// Blocks of a group fill one after the other; returns how many all groups need.
static int count_blocks(const maker *m)
{
    int counts[GROUPS] = {0}, blocks = 0;
    for (int e = 0; e < m->mesh->element_count; ++e) {
        counts[group_of(m, e)] += 1;
    }
    for (int g = 0; g < GROUPS; ++g) {
        blocks += (counts[g] + SN_LANES - 1) / SN_LANES;
    }
    return blocks;
}

// ---- blocks ----

// Differences of all nodes but the first to the first, at rest.
static void rest_differences(const maker *m, int element, sn_vec3 *d)
{
    const int *v = m->mesh->elements + (size_t)element * (size_t)m->mesh->nodes;
    for (int k = 1; k < m->mesh->nodes; ++k) {
        if (m->def->rest != NULL) {
            const sn_mat3 *edges = &m->def->rest[element];
            d[k - 1] = (sn_vec3){edges->m[0][k - 1], edges->m[1][k - 1], edges->m[2][k - 1]};
        } else {
            d[k - 1] = sn_vec3_sub(m->mesh->positions[v[k]], m->mesh->positions[v[0]]);
        }
    }
}

static sn_status put_element(maker *m, int element, int block, int lane)
{
    sn_solid *solid = m->solid;
    int nodes = solid->nodes, points = solid->points;
    const int *v = m->mesh->elements + (size_t)element * (size_t)nodes;
    sn_vec3 d[SN_MOST_NODES - 1];
    double gradients[SN_MOST_POINTS * 3 * (SN_MOST_NODES - 1)], volumes[SN_MOST_POINTS] = {0};
    rest_differences(m, element, d);
    if (!sn_element_gradients(nodes, d, gradients, volumes)) {
        return sn_fail(m->error, SN_ERROR_GEOMETRY, m->def->place,
                       "element %d has no volume at rest, or is inverted in part; a shape of "
                       "positive volume was expected",
                       element);
    }
    sn_lanes *gradient =
        solid->gradients + sn_solid_point(solid, block, 0) * 3 * (size_t)(nodes - 1);
    for (int k = 0; k < points * 3 * (nodes - 1); ++k) {
        gradient[k][lane] = gradients[k];
    }
    for (int q = 0; q < points; ++q) {
        solid->volumes[sn_solid_point(solid, block, q)][lane] = volumes[q];
    }
    const sn_elastic *material = material_of(m, element);
    sn_lanes_material *out = &solid->materials[block];
    out->bulk[lane] = pointwise_bulk(m, material);
    out->excess[lane] = material->bulk - out->bulk[lane];
    out->shear[lane] = material->shear;
    out->fibre_stiffness[lane] = material->fibre_stiffness;
    out->fibre[0][lane] = material->fibre.x;
    out->fibre[1][lane] = material->fibre.y;
    out->fibre[2][lane] = material->fibre.z;
    int32_t *vertices = solid->vertices + (size_t)block * (size_t)(SN_LANES * nodes);
    for (int k = 0; k < nodes; ++k) {
        vertices[SN_LANES * k + lane] = SN_SOLID_STRIDE * v[k];
    }
    return SN_OK;
}

// Fills the block up to where slot % SN_LANES is 0 with its first element, which then has no
// volume.
static int fill_up(maker *m, int slot)
{
    sn_solid *solid = m->solid;
    for (; slot % SN_LANES != 0; ++slot) {
        int block = slot / SN_LANES, lane = slot % SN_LANES;
        put_element(m, solid->element_of[SN_LANES * block], block, lane);
        for (int q = 0; q < solid->points; ++q) {
            solid->volumes[sn_solid_point(solid, block, q)][lane] = 0.0;
        }
        solid->element_of[slot] = -1;
    }
    return slot;
}

static void end_chunk(sn_solid *solid, int block, int group)
{
    int first = solid->chunk_count > 0 ? solid->chunks[solid->chunk_count - 1].last : 0;
    if (first < block) {
        solid->chunks[solid->chunk_count++] = (sn_solid_chunk){
            first, block, (sn_elastic_law)(group / 4), group % 2 == 1, (group & 2) != 0};
    }
}

// Large meshes do not stay in the caches anyway: longer chunks then read memory in longer runs, and
// there are still many of each colour for all threads.
static int chunk_elements(int elements)
{
    int parts = elements / SN_CHUNK_ELEMENTS / SN_CHUNK_ELEMENTS;
    return SN_CHUNK_ELEMENTS * (parts < 1 ? 1 : parts < 4 ? parts : 4);
}

static sn_status fill_blocks(maker *m)
{
    sn_solid *solid = m->solid;
    int slot = 0; // 4 block + lane
    int chunk = chunk_elements(m->mesh->element_count);
    for (int i = 0; i < m->mesh->element_count; ++i) {
        int element = m->order[i], group = group_of(m, element);
        int last_group = i > 0 ? group_of(m, m->order[i - 1]) : group;
        if (group != last_group) {
            slot = fill_up(m, slot);
            end_chunk(solid, slot / SN_LANES, last_group);
        } else if (slot % chunk == 0) {
            end_chunk(solid, slot / SN_LANES, group);
        }
        sn_status status = put_element(m, element, slot / SN_LANES, slot % SN_LANES);
        if (status != SN_OK) {
            return status;
        }
        solid->slot_of[element] = slot;
        solid->element_of[slot++] = element;
        solid->regions[element] = m->mesh->regions[element];
    }
    slot = fill_up(m, slot);
    end_chunk(solid, slot / SN_LANES, group_of(m, m->order[m->mesh->element_count - 1]));
    return SN_OK;
}

// ---- colours ----

enum { MASK_COLOURS = 64 };

// The lowest colour that no neighbour has; beyond 64 each chunk has its own.
static int choose_colour(const maker *m, const sn_solid_chunk *chunk, int *crowded)
{
    const int32_t *vertices = sn_solid_vertices(m->solid, chunk->first);
    int count = (chunk->last - chunk->first) * SN_LANES * m->solid->nodes;
    uint64_t taken = 0;
    for (int k = 0; k < count; ++k) {
        taken |= m->masks[vertices[k] / SN_SOLID_STRIDE];
    }
    if (taken == UINT64_MAX) {
        return MASK_COLOURS + (*crowded)++;
    }
    int colour = __builtin_ctzll(~taken);
    for (int k = 0; k < count; ++k) {
        m->masks[vertices[k] / SN_SOLID_STRIDE] |= UINT64_C(1) << colour;
    }
    return colour;
}

static bool colour_chunks(maker *m)
{
    sn_solid *solid = m->solid;
    int count = solid->chunk_count, crowded = 0;
    sn_solid_chunk *sorted = sn_allocate((size_t)count * sizeof *sorted);
    solid->colours = sn_allocate_zero(((size_t)count + 1) * sizeof *solid->colours);
    if (sorted == NULL || solid->colours == NULL) {
        sn_free(sorted);
        return false;
    }
    for (int c = 0; c < count; ++c) {
        m->colour_of[c] = choose_colour(m, &solid->chunks[c], &crowded);
        solid->colour_count =
            m->colour_of[c] + 1 > solid->colour_count ? m->colour_of[c] + 1 : solid->colour_count;
    }
    int put = 0;
    for (int colour = 0; colour < solid->colour_count; ++colour) {
        solid->colours[colour] = put;
        for (int c = 0; c < count; ++c) {
            if (m->colour_of[c] == colour) {
                sorted[put++] = solid->chunks[c];
            }
        }
    }
    solid->colours[solid->colour_count] = put;
    sn_free(solid->chunks);
    solid->chunks = sorted;
    return true;
}

void sn_solid_run(const sn_solid *solid, sn_threads *threads, sn_chunk_work *work, void *context,
                  int *base)
{
    for (int colour = 0; colour < solid->colour_count; ++colour) {
        *base = solid->colours[colour];
        sn_threads_run(threads, solid->colours[colour + 1] - *base, 1, work, context);
    }
}

// ---- making ----

static sn_status check_def(const sn_solid_def *def, sn_error *error)
{
    if (def->mesh->vertex_count > INT_MAX / SN_SOLID_STRIDE) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                       "%d vertices; at most %d were expected", def->mesh->vertex_count,
                       INT_MAX / SN_SOLID_STRIDE);
    }
    if (def->rest != NULL && def->mesh->nodes != 4) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                       "rest shapes for elements of %d nodes; 4 were expected", def->mesh->nodes);
    }
    for (int i = 0; i < def->material_count; ++i) {
        sn_status status = sn_elastic_check(&def->materials[i], def->place, error);
        if (status != SN_OK) {
            return status;
        }
    }
    for (int e = 0; def->material_count != 1 && e < def->mesh->element_count; ++e) {
        if (def->mesh->regions[e] < 0 || def->mesh->regions[e] >= def->material_count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                           "element %d is of region %d; 0 to %d have materials", e,
                           def->mesh->regions[e], def->material_count - 1);
        }
    }
    return SN_OK;
}

static bool has_means(const maker *m)
{
    bool any = false;
    for (int i = 0; i < m->def->material_count; ++i) {
        const sn_elastic *material = &m->def->materials[i];
        any = any || pointwise_bulk(m, material) < material->bulk;
    }
    return any;
}

static bool reserve(maker *m)
{
    sn_solid *solid = m->solid;
    size_t elements = (size_t)m->mesh->element_count, vertices = (size_t)m->mesh->vertex_count;
    size_t blocks = (size_t)count_blocks(m), nodes = (size_t)m->mesh->nodes;
    size_t points = nodes == 4 ? 1 : 4;
    size_t chunks = blocks / (SN_CHUNK_ELEMENTS / SN_LANES) + 2 + 2 * GROUPS;
    solid->nodes = (int)nodes;
    solid->points = (int)points;
    solid->vertex_count = m->mesh->vertex_count;
    solid->element_count = m->mesh->element_count;
    solid->block_count = (int)blocks;
    size_t lanes = blocks * points * sizeof(sn_lanes);
    solid->narrow = sn_lanes_allocate(lanes * 3 * (nodes - 1), &solid->memory[0]);
    solid->gradients = solid->narrow;
    solid->volumes = sn_lanes_allocate(lanes, &solid->memory[1]);
    solid->frozen = sn_lanes_allocate(lanes * (3 * nodes - 1), &solid->memory[2]);
    solid->materials = sn_lanes_allocate(blocks * sizeof *solid->materials, &solid->memory[3]);
    bool means = has_means(m);
    if (means) {
        solid->means =
            sn_lanes_allocate(blocks * SN_MEAN_LANES * sizeof(sn_lanes), &solid->memory[5]);
    }
    solid->vertices = sn_allocate(blocks * nodes * SN_LANES * sizeof *solid->vertices);
    solid->chunks = sn_allocate(chunks * sizeof *solid->chunks);
    solid->chunk_energy = sn_allocate(chunks * sizeof *solid->chunk_energy);
    solid->slot_of = sn_allocate(elements * sizeof *solid->slot_of);
    solid->element_of = sn_allocate(SN_LANES * blocks * sizeof *solid->element_of);
    solid->regions = sn_allocate(elements * sizeof *solid->regions);
    m->order = sn_allocate(elements * sizeof *m->order);
    m->scratch = sn_allocate((2 * elements + vertices + GROUPS + 1) * sizeof(int));
    m->masks = sn_allocate_zero(vertices * sizeof *m->masks);
    m->colour_of = sn_allocate(chunks * sizeof *m->colour_of);
    return (!means || solid->means != NULL) && solid->gradients != NULL && solid->volumes != NULL &&
           solid->frozen != NULL && solid->materials != NULL && solid->vertices != NULL &&
           solid->chunks != NULL && solid->chunk_energy != NULL && solid->slot_of != NULL &&
           solid->element_of != NULL && solid->regions != NULL && m->order != NULL &&
           m->scratch != NULL && m->masks != NULL && m->colour_of != NULL;
}

sn_status sn_solid_create(const sn_solid_def *def, sn_solid **solid, sn_error *error)
{
    *solid = NULL;
    sn_status status = check_def(def, error);
    if (status != SN_OK) {
        return status;
    }
    size_t bytes = (size_t)def->mesh->element_count * (size_t)def->mesh->nodes * sizeof(sn_lanes);
    maker m = {.def = def, .mesh = def->mesh, .error = error};
    m.solid = sn_allocate_zero(sizeof *m.solid);
    if (m.solid == NULL || !reserve(&m)) {
        status = sn_fail_memory(error, bytes);
    } else {
        m.solid->elastic_share = 1.0;
    }
    if (status == SN_OK) {
        order_elements(&m);
        status = fill_blocks(&m);
    }
    if (status == SN_OK && !colour_chunks(&m)) {
        status = sn_fail_memory(error, bytes);
    }
    sn_free(m.colour_of);
    sn_free(m.masks);
    sn_free(m.scratch);
    sn_free(m.order);
    if (status != SN_OK) {
        sn_solid_destroy(m.solid);
        return status;
    }
    *solid = m.solid;
    return SN_OK;
}

void sn_solid_destroy(sn_solid *solid)
{
    if (solid == NULL) {
        return;
    }
    for (size_t k = 0; k < sizeof solid->memory / sizeof *solid->memory; ++k) {
        sn_free(solid->memory[k]);
    }
    sn_solid_plastic_destroy(solid->plastic);
    sn_free(solid->vertices);
    sn_free(solid->chunks);
    sn_free(solid->colours);
    sn_free(solid->chunk_energy);
    sn_free(solid->slot_of);
    sn_free(solid->element_of);
    sn_free(solid->regions);
    sn_free(solid);
}

// ---- reading ----

int sn_solid_vertex_count(const sn_solid *solid)
{
    return solid->vertex_count;
}

int sn_solid_element_count(const sn_solid *solid)
{
    return solid->element_count;
}

double sn_solid_rest_volume(const sn_solid *solid, int element)
{
    int slot = solid->slot_of[element];
    double volume = 0.0;
    for (int q = 0; q < solid->points; ++q) {
        volume += solid->volumes[sn_solid_point(solid, slot / SN_LANES, q)][slot % SN_LANES];
    }
    return volume;
}

void sn_solid_pad(const sn_solid *solid, const double *from, double *to)
{
    for (int i = 0; i < solid->vertex_count; ++i) {
        double *p = to + SN_SOLID_STRIDE * (size_t)i;
        sn_vec3_put(p, sn_vec3_at(from + 3 * (size_t)i));
        p[3] = 0.0;
    }
}

void sn_solid_unpad(const sn_solid *solid, const double *from, double *to)
{
    for (int i = 0; i < solid->vertex_count; ++i) {
        sn_vec3_put(to + 3 * (size_t)i, sn_vec3_at(from + SN_SOLID_STRIDE * (size_t)i));
    }
}
