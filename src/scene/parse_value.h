// One value of each type of the table.
#ifndef SN_SCENE_PARSE_VALUE_H
#define SN_SCENE_PARSE_VALUE_H

#include "scene/parse.h"

// Reads the value at `node` into `member`, which has the C type of the row.
void sn_parse_value(sn_reader *reader, int node, const sn_key *key, void *member);

#endif
