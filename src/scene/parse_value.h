// One value of each type of the table.
#ifndef SN_SCENE_PARSE_VALUE_H
#define SN_SCENE_PARSE_VALUE_H

#include "scene/parse.h"

// Reads the value at `node` into `member`, which has the C type of the row.
void sn_parse_value(sn_reader *reader, int node, const sn_key *key, void *member);

void sn_parse_quantity(sn_reader *reader, int node, const sn_key *key, sn_quantity_value *quantity);

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
