// The JSON Schema (draft 2020-12) of the scene format, from the table.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/model.h"
#include "scene/text.h"

// Number with a unit, or an expression; what exactly it may say, only the reader knows.
#define TEXT_PATTERN "^\\\\s*(=|[-+]?[0-9])"

static void write_string(sn_text *out, const char *key, const char *value)
{
    sn_text_format(out, "\"%s\": ", key);
    sn_text_json_string(out, value);
}

static void write_range(sn_text *out, const sn_key *key)
{
    switch (key->range) {
    case SN_RANGE_POSITIVE:
        sn_text_add(out, ", \"exclusiveMinimum\": 0");
        break;
    case SN_RANGE_NOT_NEGATIVE:
        sn_text_add(out, ", \"minimum\": 0");
        break;
    case SN_RANGE_BETWEEN:
        sn_text_add(out, ", \"minimum\": ");
        sn_text_number(out, key->minimum);
        sn_text_add(out, ", \"maximum\": ");
        sn_text_number(out, key->maximum);
        break;
    case SN_RANGE_ANY:
        break;
    }
}

static void write_number(sn_text *out, const sn_key *key)
{
    if (key->range == SN_RANGE_BETWEEN && key->minimum == key->maximum) {
        sn_text_add(out, "\"const\": ");
        sn_text_number(out, key->minimum);
        return;
    }
    sn_text_format(out, "\"anyOf\": [{\"type\": \"%s\"",
                   key->type == SN_KEY_WHOLE ? "integer" : "number");
    write_range(out, key);
    sn_text_add(out, "}, {\"type\": \"string\", \"pattern\": \"" TEXT_PATTERN "\"}]");
}

static void write_tuple(sn_text *out, const sn_key *key, int count)
{
    sn_text_format(out, "\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": {",
                   count, count);
    write_number(out, key);
    sn_text_add(out, "}");
}

static void write_list_limits(sn_text *out, const sn_key *key)
{
    if (key->least > 0) {
        sn_text_format(out, ", \"minItems\": %d", key->least);
    }
    if (key->most > 0) {
        sn_text_format(out, ", \"maxItems\": %d", key->most);
    }
}

static void write_points(sn_text *out, const sn_key *key, int size)
{
    sn_text_add(out, "\"type\": \"array\"");
    write_list_limits(out, key);
    sn_text_add(out, ", \"items\": {");
    write_tuple(out, key, size);
    sn_text_add(out, "}");
}

static void write_list(sn_text *out, const sn_key *key)
{
    sn_text_add(out, "\"type\": \"array\"");
    write_list_limits(out, key);
    sn_text_format(out, ", \"items\": {\"$ref\": \"#/$defs/%s\"}", key->object->name);
}

static void write_words(sn_text *out, const sn_key *key)
{
    sn_text_add(out, "\"enum\": [");
    for (const sn_word *word = key->words; word->word != NULL; ++word) {
        sn_text_add(out, word != key->words ? ", " : "");
        sn_text_json_string(out, word->word);
    }
    sn_text_add(out, "]");
}

static void write_quantities(sn_text *out, const sn_key *key)
{
    sn_text_add(out, "\"anyOf\": [{");
    write_number(out, key);
    sn_text_add(out, "}, {\"type\": \"array\"");
    write_list_limits(out, key);
    sn_text_add(out, ", \"items\": {");
    write_number(out, key);
    sn_text_add(out, "}}]");
}

static void write_type(sn_text *out, const sn_key *key)
{
    switch (key->type) {
    case SN_KEY_NUMBER:
    case SN_KEY_WHOLE:
    case SN_KEY_QUANTITY:
    case SN_KEY_FORMULA:
        write_number(out, key);
        break;
    case SN_KEY_INTEGER:
        sn_text_add(out, "\"type\": \"integer\"");
        write_range(out, key);
        break;
    case SN_KEY_BOOLEAN:
        sn_text_add(out, "\"type\": \"boolean\"");
        break;
    case SN_KEY_STRING:
    case SN_KEY_REFERENCE:
        sn_text_add(out, "\"type\": \"string\"");
        break;
    case SN_KEY_NAME:
        sn_text_add(out, "\"type\": \"string\", \"minLength\": 1, \"maxLength\": 100, \"not\": "
                         "{\"enum\": [\"world\", \"all\"]}");
        break;
    case SN_KEY_ENUM:
        write_words(out, key);
        break;
    case SN_KEY_COLOUR:
        sn_text_add(out,
                    "\"type\": \"string\", \"pattern\": \"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$\"");
        break;
    case SN_KEY_VECTOR:
    case SN_KEY_FORMULAS:
        write_tuple(out, key, 3);
        break;
    case SN_KEY_ROTATION:
        sn_text_add(out, "\"$ref\": \"#/$defs/rotation\"");
        break;
    case SN_KEY_NUMBERS:
        sn_text_add(out, "\"type\": \"array\"");
        write_list_limits(out, key);
        sn_text_add(out, ", \"items\": {");
        write_number(out, key);
        sn_text_add(out, "}");
        break;
    case SN_KEY_ROWS:
        sn_text_add(out, "\"type\": \"array\"");
        write_list_limits(out, key);
        sn_text_add(out, ", \"items\": {\"type\": \"array\", \"minItems\": 2, \"items\": {");
        write_number(out, key);
        sn_text_add(out, "}}");
        break;
    case SN_KEY_QUANTITIES:
        write_quantities(out, key);
        break;
    case SN_KEY_NAMED:
        sn_text_add(out, "\"type\": \"object\", \"additionalProperties\": {");
        write_quantities(out, key);
        sn_text_add(out, "}");
        break;
    case SN_KEY_COURSE:
    case SN_KEY_POINTS2:
        write_points(out, key, 2);
        break;
    case SN_KEY_POINTS3:
        write_points(out, key, 3);
        break;
    case SN_KEY_LOOPS:
        sn_text_add(out, "\"type\": \"array\", \"items\": {");
        write_points(out, key, 2);
        sn_text_add(out, "}");
        break;
    case SN_KEY_TRIANGLES:
        sn_text_add(out, "\"type\": \"array\"");
        write_list_limits(out, key);
        sn_text_add(out, ", \"items\": {\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, "
                         "\"items\": {\"type\": "
                         "\"integer\", \"minimum\": 0}}");
        break;
    case SN_KEY_STRINGS:
        sn_text_add(out, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\"");
        write_list_limits(out, key);
        sn_text_add(out, ", \"items\": {\"type\": \"string\"}}]");
        break;
    case SN_KEY_STRING_MAP:
        sn_text_add(out, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\"");
        write_list_limits(out, key);
        sn_text_format(out,
                       ", \"items\": {\"type\": \"string\"}}, {\"type\": \"object\", "
                       "\"minProperties\": %d, \"additionalProperties\": {\"type\": \"string\"}}]",
                       key->least);
        break;
    case SN_KEY_OBJECT:
    case SN_KEY_ONE:
        sn_text_format(out, "\"$ref\": \"#/$defs/%s\"", key->object->name);
        break;
    case SN_KEY_ONE_OR_NAME:
        sn_text_format(out, "\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/%s\"}]",
                       key->object->name);
        break;
    case SN_KEY_ONE_OR_MORE:
        sn_text_format(out, "\"anyOf\": [{\"$ref\": \"#/$defs/%s\"}, {", key->object->name);
        write_list(out, key);
        sn_text_add(out, "}]");
        break;
    case SN_KEY_OBJECTS:
        write_list(out, key);
        break;
    case SN_KEY_MAP:
        sn_text_format(out,
                       "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/%s\"}",
                       key->object->name);
        break;
    case SN_KEY_NUMBER_MAP:
        sn_text_add(out, "\"type\": \"object\", \"additionalProperties\": {");
        write_number(out, sn_object_key(key->object, 0));
        sn_text_add(out, "}");
        break;
    }
}

static void write_key(sn_text *out, const sn_key *key, int indent)
{
    char text[512];
    bool unit = key->dimension != SN_NUMBER && key->dimension != SN_ANY_DIMENSION;
    snprintf(text, sizeof text, "%s%s%s%s", key->text, unit ? " In " : "",
             unit ? sn_dimension_unit(key->dimension) : "", unit ? "." : "");
    sn_text_format(out, "%*s", indent + 2, "");
    sn_text_json_string(out, key->name);
    sn_text_add(out, ": {");
    write_string(out, "description", text);
    sn_text_add(out, ", ");
    write_type(out, key);
    sn_text_add(out, "}");
}

static void write_required(sn_text *out, const sn_object *object, int indent)
{
    bool any = object->word != NULL;
    sn_text_format(out, ",\n%*s\"required\": [", indent, "");
    sn_text_add(out, any ? "\"type\"" : "");
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        if (key->required) {
            sn_text_add(out, any ? ", " : "");
            sn_text_json_string(out, key->name);
            any = true;
        }
    }
    sn_text_add(out, "]");
}

// Everything inside the braces of one object's schema.
static void write_object(sn_text *out, const sn_object *object, int indent)
{
    sn_text_format(out, "%*s", indent, "");
    write_string(out, "description", object->text);
    sn_text_format(
        out,
        ",\n%*s\"type\": \"object\",\n%*s\"additionalProperties\": false,\n%*s\"properties\": {\n",
        indent, "", indent, "", indent, "");
    int count = sn_object_key_count(object);
    if (object->word != NULL) {
        sn_text_format(out, "%*s\"type\": {\"const\": \"%s\"}%s\n", indent + 2, "", object->word,
                       count > 0 ? "," : "");
    }
    for (int i = 0; i < count; ++i) {
        write_key(out, sn_object_key(object, i), indent);
        sn_text_add(out, i + 1 < count ? ",\n" : "\n");
    }
    sn_text_format(out, "%*s}", indent, "");
    write_required(out, object, indent);
}

// Chosen by "type": if/then gives an editor's reader errors about the one variant that is meant.
static void write_variants(sn_text *out, const sn_object *object)
{
    sn_text_add(out, "      ");
    write_string(out, "description", object->text);
    sn_text_add(out, ",\n      \"type\": \"object\",\n      \"required\": [\"type\"],\n"
                     "      \"properties\": {\"type\": {\"enum\": [");
    for (int i = 0; i < object->variant_count; ++i) {
        sn_text_format(out, "%s\"%s\"", i > 0 ? ", " : "", object->variants[i]->word);
    }
    sn_text_add(out, "]}},\n      \"allOf\": [\n");
    for (int i = 0; i < object->variant_count; ++i) {
        sn_text_format(out,
                       "        {\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}}, "
                       "\"then\": {\"$ref\": "
                       "\"#/$defs/%s\"}}%s\n",
                       object->variants[i]->word, object->variants[i]->name,
                       i + 1 < object->variant_count ? "," : "");
    }
    sn_text_add(out, "      ]");
}

// Chosen by the first leading key that is there.
static void write_led(sn_text *out, const sn_object *object)
{
    int last = object->variant_count - 1;
    sn_text_add(out, "      ");
    write_string(out, "description", object->text);
    sn_text_add(out, ",\n      \"type\": \"object\",\n      ");
    for (int i = 0; i < last; ++i) {
        sn_text_format(out,
                       "\"if\": {\"required\": [\"%s\"]}, \"then\": {\"$ref\": \"#/$defs/%s\"}, "
                       "\"else\": {\n      ",
                       object->variants[i]->lead, object->variants[i]->name);
    }
    sn_text_format(out, "\"$ref\": \"#/$defs/%s\"", object->variants[last]->name);
    for (int i = 0; i < last; ++i) {
        sn_text_add(out, "}");
    }
}

static void write_definition(sn_text *out, const sn_object *object, sn_object_set *done);

// The objects below this one, each once.
static void write_below(sn_text *out, const sn_object *object, sn_object_set *done)
{
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        const sn_object *below = key->type != SN_KEY_NUMBER_MAP ? key->object : NULL;
        if (below != NULL && sn_object_set_add(done, below)) {
            write_definition(out, below, done);
        }
    }
}

static void write_definition(sn_text *out, const sn_object *object, sn_object_set *done)
{
    sn_text_format(out, ",\n    \"%s\": {\n", object->name);
    if (object->variants != NULL && object->variants[0]->lead != NULL) {
        write_led(out, object);
    } else if (object->variants != NULL) {
        write_variants(out, object);
    } else {
        write_object(out, object, 6);
    }
    sn_text_add(out, "\n    }");
    for (int i = 0; object->variants != NULL && i < object->variant_count; ++i) {
        write_definition(out, object->variants[i], done);
    }
    write_below(out, object, done);
}

static void write_rotation(sn_text *out)
{
    static const sn_key plain = {.name = "quaternion"},
                        angle = {.name = "angle", .dimension = SN_ANGLE};
    sn_text_add(out, "    \"rotation\": {\n      \"description\": \"[w, x, y, z]; or axis and "
                     "angle; or euler angles about x, "
                     "then the turned y, then the turned z.\",\n      \"oneOf\": [\n        {");
    write_tuple(out, &plain, 4);
    sn_text_add(out, "},\n        {\"type\": \"object\", \"additionalProperties\": false, "
                     "\"required\": [\"axis\", \"angle\"], "
                     "\"properties\": {\"axis\": {");
    write_tuple(out, &plain, 3);
    sn_text_add(out, "}, \"angle\": {");
    write_number(out, &angle);
    sn_text_add(out, "}}},\n        {\"type\": \"object\", \"additionalProperties\": false, "
                     "\"required\": [\"euler\"], "
                     "\"properties\": {\"euler\": {");
    write_tuple(out, &angle, 3);
    sn_text_add(out, "}}}\n      ]\n    }");
}

sn_status sn_scene_schema_text(char **text, size_t *length, sn_error *error)
{
    sn_text out = {0};
    sn_text_add(&out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                      "  \"title\": \"Sinew scene\",\n");
    write_object(&out, sn_scene_table(), 2);
    sn_text_add(&out, ",\n  \"$defs\": {\n");
    write_rotation(&out);
    write_below(&out, sn_scene_table(), &(sn_object_set){0});
    sn_text_add(&out, "\n  }\n}\n");
    *text = NULL;
    *length = 0;
    if (out.failed) {
        size_t bytes = out.length;
        sn_text_free(&out);
        return sn_fail_memory(error, bytes);
    }
    *text = out.data;
    *length = out.length;
    return SN_OK;
}
