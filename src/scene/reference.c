// The reference page of the scene format in Markdown, from the table.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/model.h"
#include "scene/text.h"

static const char introduction[] =
    "# Scene reference\n\n"
    "Generated from the table in `src/scene/`; do not edit (`SINEW_UPDATE=1` with the schema test "
    "writes it anew).\n\n"
    "A scene is a JSON file; `//` and `/* */` comments and commas after the last element are "
    "allowed. Units are SI, z points up, "
    "quaternions are [w, x, y, z]. Every error is reported as `file:line:column: what, and what "
    "was expected`; unknown keys are "
    "errors.\n\n"
    "**Numbers** are SI numbers (`0.3`), strings with a unit (`\"30cm\"`, `\"10in\"`, `\"30deg\"`, "
    "`\"9.81 "
    "m/s^2\"`, `\"20 N m/rad\"`), or "
    "expressions over the scene's params (`\"=2*width + 5mm\"`). The unit must fit the key's "
    "dimension.\n\n"
    "**Rotations** are `[w, x, y, z]`, or `{\"axis\": [x, y, z], \"angle\": \"30deg\"}`, or "
    "`{\"euler\": [x, y, z]}`: about x, then "
    "the turned y, then the turned z.\n\n"
    "**Colours** are `\"#rrggbb\"` or `\"#rgb\"`.\n\n"
    "**Names** are unique among bodies, joints, bonds and fields together, and within materials, "
    "params, "
    "motions, couplings, probes and events; `world` and "
    "`all` are taken.\n\n"
    "Limits: 256 MB and 8,000,000 keys and values per file, 2,100 levels of nesting, 10,000 bytes "
    "per expression, 32 levels of "
    "includes. Up to 100 errors are listed at once, and a file is read up to its thousandth.\n";

static void write_kind(sn_text *out, const sn_key *key)
{
    switch (key->type) {
    case SN_KEY_NUMBER:
        if (key->dimension == SN_NUMBER) {
            sn_text_add(out, "number");
        } else {
            sn_text_format(out, "number, %s", sn_dimension_unit(key->dimension));
        }
        break;
    case SN_KEY_WHOLE:
    case SN_KEY_INTEGER:
        sn_text_add(out, "whole number");
        break;
    case SN_KEY_QUANTITY:
        sn_text_add(out, "number, any unit");
        break;
    case SN_KEY_FORMULA:
        sn_text_add(out, "number or expression");
        break;
    case SN_KEY_FORMULAS:
        sn_text_format(out, "[x, y, z], each a number or expression, %s",
                       sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_BOOLEAN:
        sn_text_add(out, "true or false");
        break;
    case SN_KEY_STRING:
        sn_text_add(out, "string");
        break;
    case SN_KEY_NAME:
        sn_text_add(out, "name");
        break;
    case SN_KEY_REFERENCE:
        sn_text_format(out, "name of %s %s", key->refers_to[0] == 'e' ? "an" : "a", key->refers_to);
        break;
    case SN_KEY_ENUM:
        sn_text_add(out, "word, see below");
        break;
    case SN_KEY_COLOUR:
        sn_text_add(out, "colour");
        break;
    case SN_KEY_VECTOR:
        sn_text_format(out, "[x, y, z], %s", sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_ROTATION:
        sn_text_add(out, "rotation");
        break;
    case SN_KEY_NUMBERS:
        sn_text_format(out, "list of numbers, %s", sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_ROWS:
        sn_text_format(out, "list of rows of numbers, %s", sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_QUANTITIES:
        sn_text_add(out, "number or list of numbers");
        break;
    case SN_KEY_COURSE:
        sn_text_add(out, "list of [time, value], s and any unit");
        break;
    case SN_KEY_NAMED:
        sn_text_add(out, "{name: number or list of numbers}");
        break;
    case SN_KEY_POINTS2:
        sn_text_format(out, "list of [x, y], %s", sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_POINTS3:
        sn_text_format(out, "list of [x, y, z], %s", sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_LOOPS:
        sn_text_format(out, "list of outlines, %s", sn_dimension_unit(key->dimension));
        break;
    case SN_KEY_TRIANGLES:
        sn_text_add(out, "list of [i, j, k]");
        break;
    case SN_KEY_STRINGS:
        sn_text_add(out, "string or list of strings");
        break;
    case SN_KEY_STRING_MAP:
        sn_text_add(out, "string, list of strings, or {name: string}");
        break;
    case SN_KEY_OBJECT:
    case SN_KEY_ONE:
        sn_text_format(out, "[%s](#%s)", key->object->name, key->object->name);
        break;
    case SN_KEY_ONE_OR_NAME:
        sn_text_format(out, "[%s](#%s) or the name of one", key->object->name, key->object->name);
        break;
    case SN_KEY_ONE_OR_MORE:
        sn_text_format(out, "[%s](#%s) or a list of them", key->object->name, key->object->name);
        break;
    case SN_KEY_OBJECTS:
        sn_text_format(out, "list of [%s](#%s)", key->object->name, key->object->name);
        break;
    case SN_KEY_MAP:
        sn_text_format(out, "{name: [%s](#%s)}", key->object->name, key->object->name);
        break;
    case SN_KEY_NUMBER_MAP:
        sn_text_add(out, "{name: number}");
        break;
    }
}

static void write_default(sn_text *out, const sn_key *key)
{
    if (key->required) {
        sn_text_add(out, "**required**");
    } else if (key->standard_text != NULL) {
        sn_text_add(out, key->standard_text);
    } else if (key->type == SN_KEY_NUMBER || key->type == SN_KEY_WHOLE ||
               key->type == SN_KEY_QUANTITY || key->type == SN_KEY_QUANTITIES) {
        sn_text_number(out, key->standard[0]);
    } else if (key->type == SN_KEY_VECTOR) {
        sn_text_add(out, "[");
        for (int i = 0; i < 3; ++i) {
            sn_text_add(out, i > 0 ? ", " : "");
            sn_text_number(out, key->standard[i]);
        }
        sn_text_add(out, "]");
    } else if (key->type == SN_KEY_ENUM) {
        sn_text_format(out, "`%s`", key->words[0].word);
    } else if (key->type == SN_KEY_BOOLEAN) {
        sn_text_add(out, key->standard[0] != 0.0 ? "true" : "false");
    }
}

static void write_range(sn_text *out, const sn_key *key)
{
    if (key->range == SN_RANGE_POSITIVE) {
        sn_text_add(out, " Greater than 0.");
    } else if (key->range == SN_RANGE_NOT_NEGATIVE) {
        sn_text_add(out, " Not negative.");
    } else if (key->range == SN_RANGE_BETWEEN && key->minimum < key->maximum) {
        sn_text_add(out, " From ");
        sn_text_number(out, key->minimum);
        sn_text_add(out, " to ");
        sn_text_number(out, key->maximum);
        sn_text_add(out, ".");
    }
}

static void write_rows(sn_text *out, const sn_object *object)
{
    sn_text_add(out, "\n| key | value | default | |\n|---|---|---|---|\n");
    if (object->word != NULL) {
        sn_text_format(out, "| `type` | `\"%s\"` | **required** | |\n", object->word);
    }
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        sn_text_format(out, "| `%s` | ", key->name);
        write_kind(out, key);
        sn_text_add(out, " | ");
        write_default(out, key);
        sn_text_format(out, " | %s", key->text);
        write_range(out, key);
        sn_text_add(out, " |\n");
    }
}

static void write_words(sn_text *out, const sn_object *object)
{
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        if (key->type != SN_KEY_ENUM) {
            continue;
        }
        sn_text_format(out, "\nWords of `%s`:", key->name);
        for (const sn_word *word = key->words; word->word != NULL; ++word) {
            sn_text_format(out, "%s `%s` (%s)", word != key->words ? "," : "", word->word,
                           word->text);
        }
        sn_text_add(out, ".\n");
    }
}

static void write_object(sn_text *out, const sn_object *object, int level, sn_object_set *done)
{
    sn_text_format(out, "\n%s %s\n\n%s\n", level == 2 ? "##" : "###", object->name, object->text);
    if (object->variants != NULL) {
        bool led = object->variants[0]->lead != NULL;
        sn_text_add(out, led ? "\nIt has one of these keys:" : "\nThe key `type` chooses one of:");
        for (int i = 0; i < object->variant_count; ++i) {
            const char *name = object->variants[i]->name;
            sn_text_format(out, "%s [%s](#%s)", i > 0 ? "," : "",
                           led ? object->variants[i]->lead : name, name);
        }
        sn_text_add(out, ".\n");
        for (int i = 0; i < object->variant_count; ++i) {
            write_object(out, object->variants[i], 3, done);
        }
        return;
    }
    write_rows(out, object);
    write_words(out, object);
    for (int i = 0; i < sn_object_key_count(object); ++i) {
        const sn_key *key = sn_object_key(object, i);
        const sn_object *below = key->type != SN_KEY_NUMBER_MAP ? key->object : NULL;
        if (below != NULL && sn_object_set_add(done, below)) {
            write_object(out, below, 2, done);
        }
    }
}

static void write_functions(sn_text *out)
{
    sn_text_add(
        out,
        "\n## Expressions\n\n`+ - * / ^`, parentheses, params by name, `pi`, `tau`, `g0` "
        "(9.80665), "
        "numbers with one unit symbol (`5 cm`), and the functions below. `< <= > >= == !=` give 1 "
        "or 0; `&& || !` and `a ? b : c` take everything but 0 for true, and leave uncomputed what "
        "does not count. Everything is a plain number in SI units: dimensions are not followed, "
        "`\"=5mm + 3kg\"` is 3.005 wherever a number may stand. Division by zero and results that "
        "are not finite are errors.\n\n"
        "| function | |\n|---|---|\n");
#define X(id, name, least, most, text) sn_text_add(out, "| `" name "` | " text " |\n");
    SN_FUNCTION_LIST(X)
#undef X
}

static void write_units(sn_text *out)
{
    sn_text_add(out,
                "\n## Units\n\nm g s rad K mol A t l L Hz N Pa J W V C T bar, each with the "
                "prefixes da h k M G T d c m u µ n p f; "
                "also min h d deg ° rev turn rpm in ft yd mi lb oz lbf kgf gn psi atm %. Factors "
                "stand side by side or "
                "are joined by `*` or `·`; `/` divides by the one factor after it; `^` (or ² ³) "
                "raises to a whole power; "
                "parentheses group. A unit without radians is taken where radians are expected.\n\n"
                "| dimension | SI unit | example |\n|---|---|---|\n");
    for (int i = 0; i < SN_DIMENSION_COUNT; ++i) {
        sn_dimension_id id = (sn_dimension_id)i;
        sn_text_format(out, "| %s | %s | %s |\n", sn_dimension_name(id), sn_dimension_unit(id),
                       sn_dimension_example(id));
    }
}

sn_status sn_scene_reference_text(char **text, size_t *length, sn_error *error)
{
    sn_text out = {0};
    sn_text_add(&out, introduction);
    write_object(&out, sn_scene_table(), 2, &(sn_object_set){0});
    write_functions(&out);
    write_units(&out);
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
