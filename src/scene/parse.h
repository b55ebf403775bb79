// From JSON to the structs of model.h, as the table says.
#ifndef SN_SCENE_PARSE_H
#define SN_SCENE_PARSE_H

#include "scene/json.h"
#include "scene/model.h"

typedef struct sn_reader {
    sn_scene *scene;
    const sn_json *json;
    int source; // of `json` in scene->sources
    sn_error_list *errors;
    int mistakes; // errors added
    bool out_of_memory;
} sn_reader;

// Reading goes on after a mistake, but not for ever: after a thousand in one file, or without
// memory, lists and objects are left where they are.
#define SN_MISTAKE_LIMIT 1000
bool sn_reader_stopped(const sn_reader *reader);

// Reads an object into `item`. A first reading sets the defaults; a second one (another file)
// overrides what it gives. Mistakes go to reader->errors, and reading goes on.
void sn_parse_object(sn_reader *reader, int node, const sn_object *table, sn_item *item);

// Fills in the defaults of an object that the file does not give.
bool sn_item_prepare(sn_scene *scene, const sn_object *table, sn_item *item);

void sn_reader_fail(sn_reader *reader, int node, const char *format, ...) SN_PRINTF(3, 4);
// What is no mistake, but hardly meant.
void sn_reader_note(sn_reader *reader, int node, const char *format, ...) SN_PRINTF(3, 4);
sn_place sn_reader_place(const sn_reader *reader, int node);

// A copy of a string that lives as long as the scene; NULL when memory runs out.
const char *sn_reader_string(sn_reader *reader, int node);

// Does `value` lie in the key's range? If not, says so in `text`: "must be positive, got -1".
bool sn_key_check_range(const sn_key *key, double value, char text[160]);

#endif
