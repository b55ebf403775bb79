// Expressions in the file, the numbers of statements, and maps of numbers.
#include <string.h>

#include "scene/parse_value.h"

#define EXPRESSION_LIMIT 10000 // bytes

bool sn_reader_has_expression(const sn_reader *reader, int node)
{
    const sn_json_node *n = &reader->json->nodes[node];
    return n->type == SN_JSON_STRING && n->end > n->start && reader->json->text[n->start] == '=';
}

const char *sn_parse_expression(sn_reader *reader, int node, const sn_key *key, bool *exact)
{
    const sn_json_node *n = &reader->json->nodes[node];
    size_t length = (size_t)(n->end - n->start);
    *exact = memchr(reader->json->text + n->start, '\\', length) == NULL;
    if (length > EXPRESSION_LIMIT) {
        sn_reader_fail(reader, node, "\"%s\": an expression of %zu bytes, expected at most %d",
                       key->name, length, EXPRESSION_LIMIT);
        return NULL;
    }
    const char *text = sn_reader_string(reader, node);
    return text != NULL ? text + 1 : NULL;
}

void sn_parse_formula(sn_reader *reader, int node, const sn_key *key, sn_formula *formula)
{
    formula->place = sn_reader_place(reader, node);
    if (!sn_reader_has_expression(reader, node)) {
        sn_parse_quantity(reader, node, key, &formula->quantity);
        return;
    }
    formula->text = sn_parse_expression(reader, node, key, &formula->exact_columns);
    if (formula->text != NULL && !sn_array_push(&reader->scene->formulas, formula)) {
        reader->out_of_memory = true;
    }
}

void sn_parse_formulas(sn_reader *reader, int node, const sn_key *key, sn_formula formulas[3])
{
    const sn_json_node *n = &reader->json->nodes[node];
    if (n->type != SN_JSON_ARRAY || n->size != 3) {
        sn_reader_fail(reader, node, "\"%s\": expected 3 numbers or expressions [x, y, z], each %s",
                       key->name, sn_dimension_name(key->dimension));
        return;
    }
    int i = 0;
    for (int e = sn_json_first(reader->json, node); e >= 0; e = sn_json_next(reader->json, e)) {
        sn_parse_formula(reader, e, key, &formulas[i++]);
    }
}

static void parse_named_number(sn_reader *reader, int name, const sn_key *key, sn_item_list *list)
{
    sn_named_item *item = sn_arena_allocate(&reader->scene->arena, key->object->size);
    if (item == NULL || !sn_item_prepare(reader->scene, key->object, &item->item) ||
        !sn_array_grow((void **)&list->data, &list->capacity, sizeof(void *), list->count + 1)) {
        reader->out_of_memory = true;
        return;
    }
    const sn_key *number = sn_object_key(key->object, 0);
    list->data[list->count++] = &item->item;
    item->name = sn_reader_string(reader, name);
    item->item.place = sn_reader_place(reader, name);
    item->item.places[0] = sn_reader_place(reader, name + 1);
    sn_parse_value(reader, name + 1, number, (char *)item + number->offset);
}

void sn_parse_number_map(sn_reader *reader, int node, const sn_key *key, sn_item_list *list)
{
    if (reader->json->nodes[node].type != SN_JSON_OBJECT) {
        sn_reader_fail(reader, node, "\"%s\": expected an object with a number for every name",
                       key->name);
        return;
    }
    for (int k = sn_json_first(reader->json, node); k >= 0 && !sn_reader_stopped(reader);
         k = sn_json_next(reader->json, k)) {
        parse_named_number(reader, k, key, list);
    }
}
