// The one table of the scene format: every object, its keys, their types, defaults, ranges and
// sentences. Parser, defaults, resolved text, JSON Schema and reference page all read it, so none
// of them can disagree.
//
// To add a key: a member in the object's struct (model.h) and a row in its table. To add a kind of
// shape, field or body: one object with its rows, named in the list of variants. Nothing else needs
// to know. When a param in the key is turned, a world that runs is built anew; a row that says
// otherwise (`change`) must be right about sn_scene_update.
#ifndef SN_SCENE_TABLE_H
#define SN_SCENE_TABLE_H

#include "scene/units.h"

typedef struct sn_object sn_object;

// What stands in the file, and the C type that a row's offset points to.
typedef enum sn_key_type {
    SN_KEY_NUMBER,      // double, in SI units
    SN_KEY_WHOLE,       // double holding a whole number
    SN_KEY_QUANTITY,    // sn_quantity_value: number of a dimension that only the context knows
    SN_KEY_INTEGER,     // int: a plain whole number in `range`, which no param can change
    SN_KEY_FORMULA,     // sn_formula: number, or an expression computed while a world runs
    SN_KEY_FORMULAS,    // sn_formula[3]
    SN_KEY_BOOLEAN,     // bool
    SN_KEY_STRING,      // const char *
    SN_KEY_NAME,        // const char *: must not be empty, nor a word with a meaning of its own
    SN_KEY_REFERENCE,   // const char *: the name of something else
    SN_KEY_ENUM,        // int: index in `words`
    SN_KEY_COLOUR,      // uint32_t 0xRRGGBB
    SN_KEY_VECTOR,      // sn_vec3
    SN_KEY_ROTATION,    // sn_rotation_value
    SN_KEY_NUMBERS,     // sn_number_list
    SN_KEY_ROWS,        // sn_row_list: lists of numbers, all of one length
    SN_KEY_QUANTITIES,  // sn_quantity_list: one number or several
    SN_KEY_NAMED,       // sn_named_list: an object of SN_KEY_QUANTITIES, whose keys are names
    SN_KEY_COURSE,      // sn_course: points [time, value] whose dimension only the context knows
    SN_KEY_POINTS2,     // sn_vector_list with z = 0
    SN_KEY_POINTS3,     // sn_vector_list
    SN_KEY_LOOPS,       // sn_loop_list: lists of points in the plane
    SN_KEY_TRIANGLES,   // sn_index_list
    SN_KEY_STRINGS,     // sn_string_list: one string or several
    SN_KEY_STRING_MAP,  // sn_string_list with `keys`: the same, or an object of strings
    SN_KEY_OBJECT,      // the object's struct itself
    SN_KEY_ONE,         // sn_item_list of one: an object in the file
    SN_KEY_ONE_OR_NAME, // sn_one_or_name: an object, or the name of one that stands elsewhere
    SN_KEY_ONE_OR_MORE, // sn_item_list with `single`: an object, or a list of them
    SN_KEY_OBJECTS,     // sn_item_list
    SN_KEY_MAP,         // sn_item_list: an object whose keys are names
    SN_KEY_NUMBER_MAP,  // the same with a number for every name, the first key of `object`
} sn_key_type;

typedef enum sn_range {
    SN_RANGE_ANY,
    SN_RANGE_POSITIVE,
    SN_RANGE_NOT_NEGATIVE,
    SN_RANGE_BETWEEN, // minimum .. maximum, both included
} sn_range;

// How a new number of a key, from a param that is turned, comes into a world that runs.
typedef enum sn_change {
    SN_CHANGE_BUILD,   // the world is built anew and its state goes on: what holds for every key
    SN_CHANGE_CARRIED, // sn_scene_update carries it into the world
    SN_CHANGE_START,   // it is about how things begin: seen after a reset
    SN_CHANGE_NONE,    // the world has nothing of it, or has it from elsewhere in the scene
} sn_change;

typedef struct sn_word {
    const char *word, *text;
} sn_word;

typedef struct sn_key {
    const char *name;
    sn_key_type type;
    size_t offset;
    const char *text; // a sentence for the reference page
    bool required;
    sn_dimension_id dimension;
    sn_range range;
    double minimum, maximum;
    double standard[3]; // the default
    const char
        *standard_text;      // what the reference page says instead, where the default is no number
    const sn_word *words;    // SN_KEY_ENUM, ended by a NULL word
    const char *refers_to;   // names: of a "body", "material", ...
    const sn_object *object; // the kinds from SN_KEY_OBJECT on
    int least, most;         // elements of a list; most 0: any number
    double doubtful;         // m; a number without unit beyond this is noted; 0: none is
    sn_change change;        // of the key and, unless it is SN_CHANGE_BUILD, of all inside it
} sn_key;

struct sn_object {
    const char *name; // of the definition in schema and reference page
    const char *word; // of a variant: what its "type" says
    const char
        *lead; // of a variant: the key that tells it from those after it, instead of a "type"
    int id;    // of a variant
    const char *text;
    size_t size;
    const sn_object *base; // its keys come first
    const sn_key *keys;
    int key_count;
    const sn_object *const *variants; // chosen by "type" or their leads; NULL: this object itself
    int variant_count;
};

SN_API const sn_object *sn_scene_table(void); // the scene itself

SN_API int sn_object_key_count(const sn_object *object); // those of the base included
SN_API const sn_key *sn_object_key(const sn_object *object, int index);
SN_API int sn_object_find_key(const sn_object *object, const char *name); // -1: none

// Objects met while going through the table: several keys may name one.
#define SN_OBJECT_SET_LIMIT 128
typedef struct sn_object_set {
    const sn_object *objects[SN_OBJECT_SET_LIMIT];
    int count;
} sn_object_set;

// False when it is there already.
SN_API bool sn_object_set_add(sn_object_set *set, const sn_object *object);

// Parts of the table, one file per section.
extern const sn_object sn_table_bodies, sn_table_shapes, sn_table_motions, sn_table_joints,
    sn_table_couplings, sn_table_bonds, sn_table_robots, sn_table_mobiles, sn_table_fields,
    sn_table_probes, sn_table_events, sn_table_behaviours, sn_table_statements, sn_table_tetrahedra,
    sn_table_choices, sn_table_rayleigh, sn_table_skin;

#endif
