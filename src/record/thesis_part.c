// Connected parts of a file of tetrahedra: the bodies that `sim` makes of it.
#include "base/error.h"
#include "base/memory.h"
#include "record/thesis.h"

static int root_of(int *parents, int vertex)
{
    while (parents[vertex] != vertex) {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    return vertex;
}

void sn_thesis_parts_begin(int *parents, int vertex_count)
{
    for (int i = 0; i < vertex_count; ++i) {
        parents[i] = i;
    }
}

// A parent is never above its child, so that a root is the lowest vertex of its part.
void sn_thesis_parts_join(int *parents, const int vertices[4])
{
    for (int k = 1; k < 4; ++k) {
        int a = root_of(parents, vertices[0]), b = root_of(parents, vertices[k]);
        parents[a > b ? a : b] = a < b ? a : b;
    }
}

int sn_thesis_parts_number(int *parents, int vertex_count)
{
    int count = 0;
    for (int i = 0; i < vertex_count; ++i) { // the parent has its number already
        parents[i] = parents[i] == i ? count++ : parents[parents[i]];
    }
    return count;
}

static sn_status check_bodies(const int *bodies, int count, int part_count, sn_error *error)
{
    for (int i = 0; i < count; ++i) {
        if (bodies[i] < 0 || bodies[i] >= part_count) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "there is no body %d; 0 to %d, the connected parts of the tetrahedra, "
                           "were expected",
                           bodies[i], part_count - 1);
        }
    }
    return SN_OK;
}

static bool is_listed(const int *bodies, int count, int body)
{
    for (int i = 0; i < count; ++i) {
        if (bodies[i] == body) {
            return true;
        }
    }
    return false;
}

sn_status sn_thesis_bodies(const sn_thesis_file *topology, int vertex_count, const int *bodies,
                           int count, sn_thesis_file *chosen, sn_error *error)
{
    *chosen = (sn_thesis_file){.kind = SN_THESIS_TOPOLOGY};
    sn_status status = sn_thesis_check_vertices(topology, NULL, vertex_count, error);
    if (status != SN_OK) {
        return status;
    }
    size_t part_bytes = ((size_t)vertex_count + 1) * sizeof(int);
    size_t row_bytes = ((size_t)topology->count + 1) * sizeof(sn_thesis_element);
    int *parts = sn_allocate(part_bytes);
    chosen->elements = sn_allocate(row_bytes);
    if (parts == NULL || chosen->elements == NULL) {
        sn_free(parts);
        sn_thesis_file_free(chosen);
        return sn_fail_memory(error, part_bytes + row_bytes);
    }
    sn_thesis_parts_begin(parts, vertex_count);
    for (int i = 0; i < topology->count; ++i) {
        sn_thesis_parts_join(parts, topology->elements[i].vertices);
    }
    status = check_bodies(bodies, count, sn_thesis_parts_number(parts, vertex_count), error);
    for (int i = 0; status == SN_OK && i < topology->count; ++i) {
        const sn_thesis_element *element = &topology->elements[i];
        if (is_listed(bodies, count, parts[element->vertices[0]])) {
            chosen->elements[chosen->count++] = *element;
        }
    }
    sn_free(parts);
    if (status != SN_OK) {
        sn_thesis_file_free(chosen);
    }
    return status;
}
