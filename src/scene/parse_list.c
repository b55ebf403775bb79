// Lists of numbers, points, indices and strings.
#include <math.h>
#include <stdio.h>

#include "scene/parse_value.h"

static const sn_json_node *node_at(const sn_reader *reader, int node)
{
    return &reader->json->nodes[node];
}

void *sn_reader_allocate(sn_reader *reader, int count, size_t size)
{
    void *memory = sn_arena_allocate(&reader->scene->arena, (size_t)count * size + 1);
    reader->out_of_memory = reader->out_of_memory || memory == NULL;
    return memory;
}

bool sn_reader_expect_list(sn_reader *reader, int node, const sn_key *key, const char *of)
{
    const sn_json_node *n = node_at(reader, node);
    if (n->type != SN_JSON_ARRAY) {
        char expected[96];
        snprintf(expected, sizeof expected, "a list of %s in [ ]", of);
        sn_reader_fail_expected(reader, node, key, expected);
        return false;
    }
    if (n->size < key->least || (key->most > 0 && n->size > key->most)) {
        char most[32] = "";
        if (key->most > 0) {
            snprintf(most, sizeof most, " and at most %d", key->most);
        }
        sn_reader_fail(reader, node, "\"%s\": expected at least %d%s %s, got %d", key->name,
                       key->least, most, of, n->size);
        return false;
    }
    return true;
}

void sn_parse_numbers(sn_reader *reader, int node, const sn_key *key, sn_number_list *list)
{
    if (!sn_reader_expect_list(reader, node, key, "numbers")) {
        return;
    }
    double *data = sn_reader_allocate(reader, node_at(reader, node)->size, sizeof *data);
    if (data == NULL) {
        return;
    }
    *list = (sn_number_list){data, node_at(reader, node)->size};
    for (int e = sn_json_first(reader->json, node); e >= 0 && !sn_reader_stopped(reader);
         e = sn_json_next(reader->json, e)) {
        sn_parse_number(reader, e, key, data++, NULL);
    }
}

// Width of the first row; 0 and a mistake when the rows are not of one length.
static int check_rows(sn_reader *reader, int node, const sn_key *key)
{
    int width = 0;
    for (int e = sn_json_first(reader->json, node); e >= 0; e = sn_json_next(reader->json, e)) {
        const sn_json_node *n = node_at(reader, e);
        if (n->type != SN_JSON_ARRAY || n->size < 2) {
            sn_reader_fail_expected(reader, e, key, "a row [a, b, ...] of at least 2 numbers");
            return 0;
        }
        width = width > 0 ? width : n->size;
        if (n->size != width) {
            sn_reader_fail(reader, e, "\"%s\": a row of %d numbers, expected %d as in the first",
                           key->name, n->size, width);
            return 0;
        }
    }
    return width;
}

void sn_parse_rows(sn_reader *reader, int node, const sn_key *key, sn_row_list *list)
{
    if (!sn_reader_expect_list(reader, node, key, "rows of numbers")) {
        return;
    }
    int count = node_at(reader, node)->size, width = check_rows(reader, node, key);
    double *data =
        width > 0 ? sn_reader_allocate(reader, count, (size_t)width * sizeof *data) : NULL;
    if (data == NULL) {
        return;
    }
    *list = (sn_row_list){data, count, width};
    for (int e = sn_json_first(reader->json, node); e >= 0; e = sn_json_next(reader->json, e)) {
        for (int i = sn_json_first(reader->json, e); i >= 0 && !sn_reader_stopped(reader);
             i = sn_json_next(reader->json, i)) {
            sn_parse_number(reader, i, key, data++, NULL);
        }
    }
}

void sn_parse_quantities(sn_reader *reader, int node, const sn_key *key, sn_quantity_list *list)
{
    bool single = node_at(reader, node)->type != SN_JSON_ARRAY;
    if (!single && !sn_reader_expect_list(reader, node, key, "numbers")) {
        return;
    }
    int count = single ? 1 : node_at(reader, node)->size;
    sn_quantity_value *data = sn_reader_allocate(reader, count, sizeof *data);
    sn_place *places = sn_reader_allocate(reader, count, sizeof *places);
    if (data == NULL || places == NULL) {
        return;
    }
    *list = (sn_quantity_list){data, places, count, single};
    int e = single ? node : sn_json_first(reader->json, node);
    for (int i = 0; i < count && !sn_reader_stopped(reader); ++i) {
        places[i] = sn_reader_place(reader, e);
        sn_parse_number(reader, e, key, &data[i].number, &data[i]);
        e = single ? -1 : sn_json_next(reader->json, e);
    }
}

static const sn_key time_key = {.name = "time", .dimension = SN_TIME};

void sn_parse_course(sn_reader *reader, int node, const sn_key *key, sn_course *course)
{
    if (!sn_reader_expect_list(reader, node, key, "points [time, value]")) {
        return;
    }
    int count = node_at(reader, node)->size;
    sn_course made = {.times = sn_reader_allocate(reader, count, sizeof(double)),
                      .values = sn_reader_allocate(reader, count, sizeof(sn_quantity_value)),
                      .places = sn_reader_allocate(reader, count, sizeof(sn_place)),
                      .count = count};
    if (made.times == NULL || made.values == NULL || made.places == NULL) {
        return;
    }
    *course = made;
    int i = 0;
    for (int e = sn_json_first(reader->json, node); e >= 0 && !sn_reader_stopped(reader);
         e = sn_json_next(reader->json, e), ++i) {
        made.places[i] = sn_reader_place(reader, e);
        if (node_at(reader, e)->type != SN_JSON_ARRAY || node_at(reader, e)->size != 2) {
            sn_reader_fail_expected(reader, e, key,
                                    "a point [time, value] such as [\"0.5s\", \"30deg\"]");
            continue;
        }
        int time = sn_json_first(reader->json, e), value = sn_json_next(reader->json, time);
        sn_parse_number(reader, time, &time_key, &made.times[i], NULL);
        sn_parse_number(reader, value, key, &made.values[i].number, &made.values[i]);
    }
}

void sn_parse_named(sn_reader *reader, int node, const sn_key *key, sn_named_list *list)
{
    if (node_at(reader, node)->type != SN_JSON_OBJECT) {
        sn_reader_fail_expected(reader, node, key, "an object with a number for every name");
        return;
    }
    sn_named_quantities *data =
        sn_reader_allocate(reader, node_at(reader, node)->size, sizeof *data);
    if (data == NULL) {
        return;
    }
    *list = (sn_named_list){data, 0};
    for (int k = sn_json_first(reader->json, node); k >= 0 && !sn_reader_stopped(reader);
         k = sn_json_next(reader->json, k)) {
        sn_named_quantities *named = &data[list->count++];
        named->name = sn_reader_string(reader, k);
        named->place = sn_reader_place(reader, k);
        sn_parse_quantities(reader, k + 1, key, &named->values);
    }
}

void sn_parse_points(sn_reader *reader, int node, const sn_key *key, int size, sn_vector_list *list)
{
    if (!sn_reader_expect_list(reader, node, key,
                               size == 2 ? "points [x, y]" : "points [x, y, z]")) {
        return;
    }
    sn_vec3 *data = sn_reader_allocate(reader, node_at(reader, node)->size, sizeof *data);
    if (data == NULL) {
        return;
    }
    *list = (sn_vector_list){data, node_at(reader, node)->size};
    for (int e = sn_json_first(reader->json, node); e >= 0 && !sn_reader_stopped(reader);
         e = sn_json_next(reader->json, e)) {
        sn_parse_tuple(reader, e, key, &(data++)->x, size);
    }
}

void sn_parse_loops(sn_reader *reader, int node, const sn_key *key, sn_loop_list *list)
{
    if (node_at(reader, node)->type != SN_JSON_ARRAY) {
        sn_reader_fail_expected(reader, node, key, "a list of outlines [[x, y], ...]");
        return;
    }
    sn_vector_list *data = sn_reader_allocate(reader, node_at(reader, node)->size, sizeof *data);
    if (data == NULL) {
        return;
    }
    *list = (sn_loop_list){data, node_at(reader, node)->size};
    for (int e = sn_json_first(reader->json, node); e >= 0 && !sn_reader_stopped(reader);
         e = sn_json_next(reader->json, e)) {
        sn_parse_points(reader, e, key, 2, data++);
    }
}

static bool parse_index(sn_reader *reader, int node, int *index)
{
    double value;
    bool good = node_at(reader, node)->type == SN_JSON_NUMBER &&
                sn_json_number(reader->json, node, &value) && value >= 0.0 &&
                value <= 2147483647.0 && value == floor(value);
    *index = good ? (int)value : 0;
    return good;
}

void sn_parse_triangles(sn_reader *reader, int node, const sn_key *key, sn_index_list *list)
{
    if (!sn_reader_expect_list(reader, node, key, "triangles [i, j, k]")) {
        return;
    }
    int *data = sn_reader_allocate(reader, node_at(reader, node)->size, 3 * sizeof *data);
    if (data == NULL) {
        return;
    }
    *list = (sn_index_list){data, node_at(reader, node)->size};
    for (int e = sn_json_first(reader->json, node); e >= 0 && !sn_reader_stopped(reader);
         e = sn_json_next(reader->json, e)) {
        bool good = node_at(reader, e)->type == SN_JSON_ARRAY && node_at(reader, e)->size == 3;
        int i = good ? sn_json_first(reader->json, e) : -1;
        for (; i >= 0; i = sn_json_next(reader->json, i)) {
            good = parse_index(reader, i, data++) && good;
        }
        if (!good) {
            sn_reader_fail_expected(reader, e, key,
                                    "a triangle: three indices of vertices, counted from 0");
        }
    }
}

void sn_parse_strings(sn_reader *reader, int node, const sn_key *key, sn_string_list *list)
{
    sn_json_type type = node_at(reader, node)->type;
    bool single = type == SN_JSON_STRING;
    if (!single && type != SN_JSON_ARRAY) {
        sn_reader_fail_expected(reader, node, key, "a string, or a list of strings in [ ]");
        return;
    }
    if (!single && !sn_reader_expect_list(reader, node, key, "strings")) {
        return;
    }
    int count = single ? 1 : node_at(reader, node)->size;
    const char **data = sn_reader_allocate(reader, count, sizeof *data);
    sn_place *places = sn_reader_allocate(reader, count, sizeof *places);
    if (data == NULL || places == NULL) {
        return;
    }
    *list = (sn_string_list){.data = data, .places = places, .count = count};
    int e = single ? node : sn_json_first(reader->json, node);
    for (int i = 0; i < count; ++i, e = sn_json_next(reader->json, e)) {
        data[i] = "";
        places[i] = sn_reader_place(reader, e);
        sn_parse_string(reader, e, key, &data[i]);
    }
}

void sn_parse_string_map(sn_reader *reader, int node, const sn_key *key, sn_string_list *list)
{
    sn_json_type type = node_at(reader, node)->type;
    if (type == SN_JSON_STRING || type == SN_JSON_ARRAY) {
        sn_parse_strings(reader, node, key, list);
        return;
    }
    if (type != SN_JSON_OBJECT) {
        sn_reader_fail_expected(reader, node, key,
                                "a string, a list of strings in [ ], or an object of strings");
        return;
    }
    int count = node_at(reader, node)->size;
    if (count < key->least) {
        sn_reader_fail(reader, node, "\"%s\": expected at least %d strings, got %d", key->name,
                       key->least, count);
        return;
    }
    sn_string_list made = {.data = sn_reader_allocate(reader, count, sizeof *made.data),
                           .places = sn_reader_allocate(reader, count, sizeof *made.places),
                           .count = count,
                           .keys = sn_reader_allocate(reader, count, sizeof *made.keys),
                           .key_places = sn_reader_allocate(reader, count, sizeof *made.places)};
    if (sn_reader_stopped(reader)) {
        return;
    }
    *list = made;
    int i = 0;
    for (int k = sn_json_first(reader->json, node); k >= 0; k = sn_json_next(reader->json, k)) {
        made.keys[i] = sn_reader_string(reader, k);
        made.key_places[i] = sn_reader_place(reader, k);
        made.data[i] = "";
        made.places[i] = sn_reader_place(reader, k + 1);
        sn_parse_string(reader, k + 1, key, &made.data[i]);
        ++i;
    }
}
