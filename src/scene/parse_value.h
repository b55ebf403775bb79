// One value of each type of the table.
#ifndef SN_SCENE_PARSE_VALUE_H
#define SN_SCENE_PARSE_VALUE_H

#include "scene/parse.h"

// Reads the value at `node` into `member`, which has the C type of the row.
void sn_parse_value(sn_reader *reader, int node, const sn_key *key, void *member);

void sn_parse_quantity(sn_reader *reader, int node, const sn_key *key, sn_quantity_value *quantity);

// A bare number, one with a unit, or an expression. `quantity` (may be NULL) learns which.
void sn_parse_number(sn_reader *reader, int node, const sn_key *key, double *target,
                     sn_quantity_value *quantity);
// A list of exactly `count` numbers.
void sn_parse_tuple(sn_reader *reader, int node, const sn_key *key, double *target, int count);
void sn_parse_string(sn_reader *reader, int node, const sn_key *key, const char **target);

// "<key>: expected <expected>, got <what stands there>".
void sn_reader_fail_expected(sn_reader *reader, int node, const sn_key *key, const char *expected);

// ---- parse_list.c ----

// Room that lives as long as the scene; NULL when memory runs out.
void *sn_reader_allocate(sn_reader *reader, int count, size_t size);
// Is it a list, of as many as the key allows?
bool sn_reader_expect_list(sn_reader *reader, int node, const sn_key *key, const char *of);

void sn_parse_numbers(sn_reader *reader, int node, const sn_key *key, sn_number_list *list);
void sn_parse_rows(sn_reader *reader, int node, const sn_key *key, sn_row_list *list);
void sn_parse_quantities(sn_reader *reader, int node, const sn_key *key, sn_quantity_list *list);
void sn_parse_course(sn_reader *reader, int node, const sn_key *key, sn_course *course);
void sn_parse_named(sn_reader *reader, int node, const sn_key *key, sn_named_list *list);
void sn_parse_points(sn_reader *reader, int node, const sn_key *key, int size,
                     sn_vector_list *list);
void sn_parse_loops(sn_reader *reader, int node, const sn_key *key, sn_loop_list *list);
void sn_parse_triangles(sn_reader *reader, int node, const sn_key *key, sn_index_list *list);
void sn_parse_strings(sn_reader *reader, int node, const sn_key *key, sn_string_list *list);
void sn_parse_string_map(sn_reader *reader, int node, const sn_key *key, sn_string_list *list);

// ---- parse_formula.c ----

// Is it a string that starts with "="?
bool sn_reader_has_expression(const sn_reader *reader, int node);
// What follows the "="; NULL when it is too long or memory runs out. Are columns in it those of the
// file?
const char *sn_parse_expression(sn_reader *reader, int node, const sn_key *key, bool *exact);
void sn_parse_formula(sn_reader *reader, int node, const sn_key *key, sn_formula *formula);
void sn_parse_formulas(sn_reader *reader, int node, const sn_key *key, sn_formula formulas[3]);
void sn_parse_number_map(sn_reader *reader, int node, const sn_key *key, sn_item_list *list);

#endif
