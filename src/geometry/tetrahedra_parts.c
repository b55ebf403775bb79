#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_file.h"

void sn_tetrahedra_parts_node(sn_tetrahedra_parts *parts, int64_t tag, sn_vec3 position)
{
    if (parts->failed || parts->positions.count == INT_MAX ||
        !sn_array_push(&parts->tags, (sn_node_tag){tag, parts->positions.count}) ||
        !sn_array_push(&parts->positions, position)) {
        parts->failed = true;
    }
}

void sn_tetrahedra_parts_element(sn_tetrahedra_parts *parts, sn_words *words, sn_raw_kind kind,
                                 int nodes, const int *order, int region)
{
    if (parts->nodes != 0 && parts->nodes != nodes) {
        sn_words_fail(words, "elements of %d and of %d nodes; one kind in a file was expected",
                      parts->nodes, nodes);
    }
    parts->nodes = nodes;
    int64_t tags[10] = {0};
    for (int k = 0; k < nodes; ++k) {
        tags[order != NULL ? order[k] : k] =
            sn_words_stored_integer(words, kind, "a node's number", INT64_MIN / 16, INT64_MAX / 16);
    }
    for (int k = 0; k < 10 && !parts->failed && words->status == SN_OK; ++k) {
        parts->failed =
            parts->elements.count > INT_MAX - 10 || !sn_array_push(&parts->elements, tags[k]);
    }
    parts->failed = parts->failed || !sn_array_push(&parts->regions, region);
}

void sn_tetrahedra_parts_name(sn_tetrahedra_parts *parts, int region, const char *name,
                              size_t length)
{
    int first = parts->letters.count;
    if (parts->failed || length >= (size_t)(INT_MAX - first) ||
        !sn_array_resize(&parts->letters, first + (int)length + 1) ||
        !sn_array_push(&parts->names, (sn_node_tag){region, first})) {
        parts->failed = true;
        return;
    }
    memcpy(parts->letters.data + first, name, length);
    parts->letters.data[first + (int)length] = '\0';
}

// ---- the mesh ----

static int compare_tags(const void *left, const void *right)
{
    const sn_node_tag *a = left, *b = right;
    if (a->tag != b->tag) {
        return a->tag < b->tag ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static int find_tag(const sn_tetrahedra_parts *parts, int64_t tag)
{
    int low = 0, high = parts->tags.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (parts->tags.data[middle].tag < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < parts->tags.count && parts->tags.data[low].tag == tag ? parts->tags.data[low].index
                                                                       : -1;
}

static sn_status sort_tags(sn_tetrahedra_parts *parts, sn_words *words)
{
    bool sorted = true;
    for (int i = 1; i < parts->tags.count && sorted; ++i) {
        sorted = parts->tags.data[i - 1].tag < parts->tags.data[i].tag;
    }
    if (!sorted) {
        qsort(parts->tags.data, (size_t)parts->tags.count, sizeof *parts->tags.data, compare_tags);
    }
    for (int i = 1; i < parts->tags.count; ++i) {
        if (parts->tags.data[i - 1].tag == parts->tags.data[i].tag) {
            return sn_fail(words->error, SN_ERROR_SYNTAX, words->name,
                           "node %lld is there twice; different numbers were expected",
                           (long long)parts->tags.data[i].tag);
        }
    }
    return SN_OK;
}

// `number` (one a position) becomes the vertex of each node that is used, in the file's order.
static sn_status index_elements(sn_tetrahedra_parts *parts, sn_words *words, int *elements,
                                int *number, int *used)
{
    for (int i = 0; i < parts->positions.count; ++i) {
        number[i] = -1;
    }
    for (int e = 0; e < parts->regions.count; ++e) {
        for (int k = 0; k < parts->nodes; ++k) {
            int64_t tag = parts->elements.data[10 * (size_t)e + (size_t)k];
            int index = find_tag(parts, tag);
            if (index < 0) {
                return sn_fail(words->error, SN_ERROR_SYNTAX, words->name,
                               "tetrahedron %d of the file names node %lld, which is not there",
                               e + 1, (long long)tag);
            }
            elements[(size_t)e * (size_t)parts->nodes + (size_t)k] = index;
            number[index] = 0;
        }
    }
    *used = 0;
    for (int i = 0; i < parts->positions.count; ++i) {
        if (number[i] == 0) {
            parts->positions.data[*used] = parts->positions.data[i];
            number[i] = (*used)++;
        }
    }
    for (size_t k = 0; k < (size_t)parts->regions.count * (size_t)parts->nodes; ++k) {
        elements[k] = number[elements[k]];
    }
    return SN_OK;
}

static void put_names(const sn_tetrahedra_parts *parts, sn_region_name *names)
{
    for (int i = 0; i < parts->names.count; ++i) {
        const sn_node_tag *name = &parts->names.data[i];
        names[i] = (sn_region_name){(int)name->tag, parts->letters.data + name->index};
    }
}

static sn_status make(sn_tetrahedra_parts *parts, sn_words *words, sn_tetrahedra **tetrahedra)
{
    if (parts->failed) {
        return sn_fail_memory(words->error, (size_t)parts->positions.count * sizeof(sn_vec3));
    }
    if (parts->regions.count == 0) {
        return sn_fail(words->error, SN_ERROR_SYNTAX, words->name,
                       "there are no tetrahedra in the file; some were expected");
    }
    size_t count = (size_t)parts->regions.count * (size_t)parts->nodes;
    int *elements = sn_allocate(count * sizeof *elements);
    int *number = sn_allocate(((size_t)parts->positions.count + 1) * sizeof *number), used = 0;
    sn_region_name *names = sn_allocate(((size_t)parts->names.count + 1) * sizeof *names);
    sn_status status;
    if (elements == NULL || number == NULL || names == NULL) {
        status = sn_fail_memory(words->error, count * sizeof *elements);
    } else {
        status = sort_tags(parts, words);
        status = status == SN_OK ? index_elements(parts, words, elements, number, &used) : status;
    }
    if (status == SN_OK) {
        sn_tetrahedra_def def = sn_default_tetrahedra_def();
        def.least_quality = 1e-12; // slivers are read; what has no volume at all is not
        def.positions = parts->positions.data;
        def.vertex_count = used;
        def.elements = elements;
        def.element_count = parts->regions.count;
        def.nodes = parts->nodes;
        def.regions = parts->regions.data;
        put_names(parts, names);
        def.region_names = names;
        def.region_name_count = parts->names.count;
        sn_error inner = {0};
        status = sn_tetrahedra_create(&def, tetrahedra, &inner);
        if (status != SN_OK) {
            sn_fail(words->error, status, words->name, "%s", inner.text);
        }
    }
    sn_free(names);
    sn_free(number);
    sn_free(elements);
    return status;
}

sn_status sn_tetrahedra_parts_finish(sn_tetrahedra_parts *parts, sn_words *words,
                                     sn_tetrahedra **tetrahedra)
{
    sn_status status = words->status != SN_OK ? words->status : make(parts, words, tetrahedra);
    sn_array_free(&parts->positions);
    sn_array_free(&parts->tags);
    sn_array_free(&parts->elements);
    sn_array_free(&parts->regions);
    sn_array_free(&parts->names);
    sn_array_free(&parts->letters);
    return status;
}
