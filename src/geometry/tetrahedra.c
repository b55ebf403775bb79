#include "geometry/tetrahedra.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sn_tetrahedra_def sn_default_tetrahedra_def(void)
{
    return (sn_tetrahedra_def){.nodes = 4, .least_quality = 1e-3};
}

static sn_tetrahedra *allocate(int vertex_count, int element_count, int nodes)
{
    sn_tetrahedra *made = sn_allocate(sizeof *made);
    sn_vec3 *positions = sn_allocate((size_t)vertex_count * sizeof *positions);
    int *elements = sn_allocate((size_t)element_count * (size_t)nodes * sizeof *elements);
    int *regions = sn_allocate_zero((size_t)element_count * sizeof *regions);
    if (made == NULL || positions == NULL || elements == NULL || regions == NULL) {
        sn_free(regions);
        sn_free(elements);
        sn_free(positions);
        sn_free(made);
        return NULL;
    }
    atomic_init(&made->references, 1);
    made->vertex_count = vertex_count;
    made->element_count = element_count;
    made->nodes = nodes;
    made->turned_count = 0;
    made->positions = positions;
    made->elements = elements;
    made->regions = regions;
    made->region_name_count = 0;
    made->region_names = NULL;
    return made;
}

// ---- making ----

static sn_status check_element(const sn_tetrahedra_def *def, int e, sn_error *error)
{
    const int *v = def->elements + (size_t)e * (size_t)def->nodes;
    for (int k = 0; k < def->nodes; ++k) {
        if (v[k] < 0 || v[k] >= def->vertex_count) {
            return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                           "element %d names vertex %d; 0 to %d were expected", e, v[k],
                           def->vertex_count - 1);
        }
        for (int j = 0; j < k; ++j) {
            if (v[j] == v[k]) {
                return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                               "element %d names vertex %d twice; %d different ones were expected",
                               e, v[k], def->nodes);
            }
        }
    }
    return SN_OK;
}

static sn_status check_arrays(const sn_tetrahedra_def *def, sn_error *error)
{
    if (def->nodes != 4 && def->nodes != 10) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "elements of %d nodes; 4 or 10 were expected", def->nodes);
    }
    int most = INT_MAX / (4 * def->nodes);
    if (def->vertex_count < def->nodes || def->element_count < 1 || def->element_count > most) {
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                       "%d vertices and %d elements; at least %d and 1 were expected, and at most "
                       "%d elements",
                       def->vertex_count, def->element_count, def->nodes, most);
    }
    for (int i = 0; i < def->vertex_count; ++i) {
        if (!sn_vec3_is_finite(def->positions[i])) {
            sn_vec3 p = def->positions[i];
            return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                           "vertex %d is at (%g, %g, %g); finite numbers were expected", i, p.x,
                           p.y, p.z);
        }
    }
    for (int i = 0; i < def->region_name_count; ++i) {
        if (strpbrk(def->region_names[i].name, "\"\r\n") != NULL) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "the name of region %d has quotes or line breaks, which no file of "
                           "tetrahedra can hold",
                           def->region_names[i].region);
        }
    }
    for (int e = 0; e < def->element_count; ++e) {
        sn_status status = check_element(def, e, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

void sn_tetrahedron_turn(int *element, int nodes)
{
    static const int pairs[3][2] = {{1, 2}, {4, 6}, {8, 9}};
    for (int k = 0; k < (nodes == 10 ? 3 : 1); ++k) {
        int *a = &element[pairs[k][0]], *b = &element[pairs[k][1]], swap = *a;
        *a = *b;
        *b = swap;
    }
}

static void turn_negative(sn_tetrahedra *made)
{
    for (int e = 0; e < made->element_count; ++e) {
        if (sn_tetrahedra_determinant(made, e) < 0.0) {
            sn_tetrahedron_turn(made->elements + (size_t)e * (size_t)made->nodes, made->nodes);
            made->turned_count += 1;
        }
    }
}

static bool copy_names(const sn_tetrahedra_def *def, sn_tetrahedra *made)
{
    size_t count = (size_t)def->region_name_count, bytes = count * sizeof *made->region_names;
    if (count == 0) {
        return true;
    }
    for (size_t i = 0; i < count; ++i) {
        bytes += strlen(def->region_names[i].name) + 1;
    }
    made->region_names = sn_allocate(bytes);
    if (made->region_names == NULL) {
        return false;
    }
    char *letters = (char *)(made->region_names + count);
    for (size_t i = 0; i < count; ++i) {
        size_t length = strlen(def->region_names[i].name) + 1;
        memcpy(letters, def->region_names[i].name, length);
        made->region_names[i] = (sn_region_name){def->region_names[i].region, letters};
        letters += length;
    }
    made->region_name_count = def->region_name_count;
    return true;
}

// The arrays of a definition as a mesh in positive order, without the check of its shape.
static sn_status make(const sn_tetrahedra_def *def, sn_tetrahedra **made, sn_error *error)
{
    sn_status status = check_arrays(def, error);
    if (status != SN_OK) {
        return status;
    }
    size_t vertex_bytes = (size_t)def->vertex_count * sizeof *def->positions;
    size_t element_bytes = (size_t)def->element_count * (size_t)def->nodes * sizeof *def->elements;
    *made = allocate(def->vertex_count, def->element_count, def->nodes);
    if (*made == NULL) {
        return sn_fail_memory(error, vertex_bytes + element_bytes);
    }
    memcpy((*made)->positions, def->positions, vertex_bytes);
    memcpy((*made)->elements, def->elements, element_bytes);
    if (def->regions != NULL) {
        memcpy((*made)->regions, def->regions, (size_t)def->element_count * sizeof(int));
    }
    if (!copy_names(def, *made)) {
        return sn_fail_memory(error, (size_t)def->region_name_count * sizeof(sn_region_name));
    }
    turn_negative(*made);
    return SN_OK;
}

sn_status sn_tetrahedra_create(const sn_tetrahedra_def *def, sn_tetrahedra **tetrahedra,
                               sn_error *error)
{
    *tetrahedra = NULL;
    sn_tetrahedra *made = NULL;
    sn_status status = make(def, &made, error);
    if (status == SN_OK) {
        status = sn_tetrahedra_refuse(made, def->least_quality, error);
    }
    if (status != SN_OK) {
        sn_tetrahedra_release(made);
        return status;
    }
    *tetrahedra = made;
    return SN_OK;
}

sn_status sn_tetrahedra_def_check(const sn_tetrahedra_def *def, sn_tetrahedra_report *report,
                                  sn_error *error)
{
    if (report != NULL) {
        *report = (sn_tetrahedra_report){0};
    }
    sn_tetrahedra *made = NULL;
    sn_status status = make(def, &made, error);
    if (status == SN_OK) {
        status = sn_tetrahedra_examine(made, def->least_quality, report, error);
    }
    sn_tetrahedra_release(made);
    return status;
}

sn_tetrahedra *sn_tetrahedra_retain(sn_tetrahedra *tetrahedra)
{
    if (tetrahedra != NULL) {
        atomic_fetch_add_explicit(&tetrahedra->references, 1, memory_order_relaxed);
    }
    return tetrahedra;
}

void sn_tetrahedra_release(sn_tetrahedra *tetrahedra)
{
    // Release and acquire: what other threads read from the mesh happens before it is freed.
    if (tetrahedra != NULL &&
        atomic_fetch_sub_explicit(&tetrahedra->references, 1, memory_order_acq_rel) == 1) {
        sn_free(tetrahedra->positions);
        sn_free(tetrahedra->elements);
        sn_free(tetrahedra->regions);
        sn_free(tetrahedra->region_names);
        sn_free(tetrahedra);
    }
}

// ---- reading ----

int sn_tetrahedra_vertex_count(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->vertex_count;
}

int sn_tetrahedra_element_count(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->element_count;
}

int sn_tetrahedra_nodes(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->nodes;
}

const sn_vec3 *sn_tetrahedra_positions(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->positions;
}

const int *sn_tetrahedra_elements(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->elements;
}

const int *sn_tetrahedra_regions(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->regions;
}

int sn_tetrahedra_region_name_count(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->region_name_count;
}

const sn_region_name *sn_tetrahedra_region_names(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->region_names;
}

int sn_tetrahedra_turned_count(const sn_tetrahedra *tetrahedra)
{
    return tetrahedra->turned_count;
}

// ---- copies ----

sn_status sn_tetrahedra_transformed(const sn_tetrahedra *tetrahedra, sn_vec3 scale,
                                    sn_transform place, sn_tetrahedra **copy, sn_error *error)
{
    *copy = NULL;
    if (!sn_vec3_is_finite(scale) || scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "scale (%g, %g, %g); finite factors other than 0 were expected", scale.x,
                       scale.y, scale.z);
    }
    size_t bytes = (size_t)tetrahedra->vertex_count * sizeof(sn_vec3);
    sn_vec3 *positions = sn_allocate(bytes);
    if (positions == NULL) {
        return sn_fail_memory(error, bytes);
    }
    for (int i = 0; i < tetrahedra->vertex_count; ++i) {
        sn_vec3 scaled = sn_vec3_multiply(scale, tetrahedra->positions[i]);
        positions[i] = sn_transform_point(place, scaled);
    }
    sn_tetrahedra_def def = {.positions = positions,
                             .vertex_count = tetrahedra->vertex_count,
                             .elements = tetrahedra->elements,
                             .element_count = tetrahedra->element_count,
                             .nodes = tetrahedra->nodes,
                             .regions = tetrahedra->regions,
                             .region_names = tetrahedra->region_names,
                             .region_name_count = tetrahedra->region_name_count};
    sn_status status = sn_tetrahedra_create(&def, copy, error);
    sn_free(positions);
    if (status == SN_OK) {
        (*copy)->turned_count = tetrahedra->turned_count;
    }
    return status;
}
