#include "scene/parse_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "scene/error_list.h"
#include "scene/text.h"

static const sn_json_node *node_at(const sn_reader *reader, int node)
{
    return &reader->json->nodes[node];
}

// What stands there, short: "5kg", a list, true, 3.
static void describe(sn_reader *reader, int node, char text[64])
{
    const sn_json_node *n = node_at(reader, node);
    if (n->type == SN_JSON_STRING || n->type == SN_JSON_NUMBER || n->type == SN_JSON_BOOLEAN) {
        int count = n->end - n->start;
        bool cut = count > 40;
        count = cut ? 40 : count;
        // Not in the middle of a character.
        while (cut && count > 0 && (reader->json->text[n->start + count] & 0xc0) == 0x80) {
            count -= 1;
        }
        const char *quote = n->type == SN_JSON_STRING ? "\"" : "";
        snprintf(text, 64, "%s%.*s%s%s", quote, count, reader->json->text + n->start,
                 cut ? "..." : "", quote);
        return;
    }
    snprintf(text, 64, "%s", sn_json_type_text(n->type));
}

void sn_reader_fail_expected(sn_reader *reader, int node, const sn_key *key, const char *expected)
{
    char got[64];
    describe(reader, node, got);
    sn_reader_fail(reader, node, "\"%s\": expected %s, got %s", key->name, expected, got);
}

// ---- numbers ----

bool sn_key_check_range(const sn_key *key, double value, char text[160])
{
    char number[32], low[32], high[32];
    sn_number_to_text(value, number);
    if (key->type == SN_KEY_WHOLE && value != floor(value)) {
        snprintf(text, 160, "must be a whole number, got %s", number);
        return false;
    }
    switch (key->range) {
    case SN_RANGE_POSITIVE:
        snprintf(text, 160, "must be greater than 0, got %s", number);
        return value > 0.0;
    case SN_RANGE_NOT_NEGATIVE:
        snprintf(text, 160, "must not be negative, got %s", number);
        return value >= 0.0;
    case SN_RANGE_BETWEEN:
        sn_number_to_text(key->minimum, low);
        sn_number_to_text(key->maximum, high);
        if (key->minimum == key->maximum) {
            snprintf(text, 160, "must be %s, got %s", low, number);
        } else {
            snprintf(text, 160, "must lie between %s and %s, got %s", low, high, number);
        }
        return value >= key->minimum && value <= key->maximum;
    case SN_RANGE_ANY:
        break;
    }
    return true;
}

static void check_range(sn_reader *reader, int node, const sn_key *key, double value)
{
    char text[160];
    if (!sn_key_check_range(key, value, text)) {
        sn_reader_fail(reader, node, "\"%s\" %s", key->name, text);
    }
}

static void fail_dimension(sn_reader *reader, int node, const sn_key *key, const char *tail)
{
    char expected[128], got[64];
    snprintf(expected, sizeof expected, "%s such as %s", sn_dimension_name(key->dimension),
             sn_dimension_example(key->dimension));
    describe(reader, node, got);
    sn_reader_fail(reader, node, "\"%s\": expected %s, got %s%s", key->name, expected, got, tail);
}

static void bind(sn_reader *reader, int node, const sn_key *key, double *target)
{
    sn_binding binding = {.target = target, .key = key, .place = sn_reader_place(reader, node)};
    binding.text = sn_parse_expression(reader, node, key, &binding.exact_columns);
    if (binding.text == NULL) {
        return;
    }
    if (!sn_array_push(&reader->scene->bindings, binding)) {
        reader->out_of_memory = true;
    }
}

// "+5 mm" -> "mm"
static const char *skip_number(const char *text)
{
    text += strspn(text, " +");
    text += sn_number_length(text, strlen(text));
    return text + strspn(text, " ");
}

// A bare length is in metres, which is hardly meant where it is far too long for what it is of.
static void note_doubtful(sn_reader *reader, int node, const sn_key *key, double value)
{
    if (key->doubtful > 0.0 && fabs(value) > key->doubtful) {
        sn_reader_note(reader, node,
                       "\"%s\": %g is %g m, since numbers without a unit are in metres; did you "
                       "mean \"%g%s\"?",
                       key->name, value, value, value,
                       fabs(value) < 200.0 && key->doubtful > 0.1 ? "cm" : "mm");
    }
}

void sn_parse_number(sn_reader *reader, int node, const sn_key *key, double *target,
                     sn_quantity_value *quantity)
{
    const sn_json_node *n = node_at(reader, node);
    double value;
    if (n->type == SN_JSON_NUMBER) {
        if (!sn_json_number(reader->json, node, &value)) {
            sn_reader_fail(reader, node,
                           "\"%s\": this number is out of range, expected at most 1.8e308 in size",
                           key->name);
            return;
        }
        *target = value;
        check_range(reader, node, key, value);
        note_doubtful(reader, node, key, value);
        return;
    }
    bool fixed = key->range == SN_RANGE_BETWEEN && key->minimum == key->maximum;
    if (n->type != SN_JSON_STRING || fixed) {
        fail_dimension(reader, node, key, fixed ? "; it must be written as a plain number" : "");
        return;
    }
    if (sn_reader_has_expression(reader, node)) {
        bind(reader, node, key, target);
        if (quantity != NULL) {
            quantity->in_si = true;
        }
        return;
    }
    const char *text = sn_reader_string(reader, node);
    if (text == NULL) {
        return;
    }
    sn_unit unit;
    bool has_unit;
    sn_error error = {0};
    if (sn_units_read(text, strlen(text), &value, &unit, &has_unit, &error) != SN_OK) {
        sn_reader_fail(reader, node, "\"%s\": %s", key->name, error.text);
        return;
    }
    char name[96], tail[160];
    if (key->dimension != SN_ANY_DIMENSION &&
        !sn_dimension_accepts(sn_dimension_powers(key->dimension), unit.dimension)) {
        snprintf(tail, sizeof tail, ", %s",
                 has_unit ? sn_dimension_describe(unit.dimension, name)
                          : "a number without unit in quotes");
        fail_dimension(reader, node, key, tail);
        return;
    }
    if (quantity != NULL && has_unit) {
        quantity->in_si = true;
        quantity->has_dimension = true;
        quantity->dimension = unit.dimension;
        quantity->unit_text = skip_number(text);
    }
    *target = value;
    check_range(reader, node, key, value);
}

static void parse_integer(sn_reader *reader, int node, const sn_key *key, int *target)
{
    double value = 0.0;
    bool good = node_at(reader, node)->type == SN_JSON_NUMBER &&
                sn_json_number(reader->json, node, &value) && value == floor(value) &&
                value >= key->minimum && value <= key->maximum;
    if (!good) {
        char expected[96];
        snprintf(expected, sizeof expected, "a plain whole number from %.0f to %.0f", key->minimum,
                 key->maximum);
        sn_reader_fail_expected(reader, node, key, expected);
        return;
    }
    *target = (int)value;
}

void sn_parse_tuple(sn_reader *reader, int node, const sn_key *key, double *target, int count)
{
    const sn_json_node *n = node_at(reader, node);
    if (n->type != SN_JSON_ARRAY || n->size != count) {
        char expected[160], got[64];
        static const char *const patterns[] = {"", "", "[x, y]", "[x, y, z]", "[w, x, y, z]"};
        describe(reader, node, got);
        if (n->type == SN_JSON_ARRAY) {
            snprintf(got, sizeof got, "%d", n->size);
        }
        snprintf(expected, sizeof expected, "%d numbers %s", count, patterns[count]);
        sn_reader_fail(reader, node, "\"%s\": expected %s, each %s such as %s, got %s", key->name,
                       expected, sn_dimension_name(key->dimension),
                       sn_dimension_example(key->dimension), got);
        return;
    }
    int i = 0;
    for (int e = sn_json_first(reader->json, node); e >= 0; e = sn_json_next(reader->json, e)) {
        sn_parse_number(reader, e, key, &target[i++], NULL);
    }
}

// ---- rotations ----

static const sn_key quaternion_key = {.name = "rotation"};
static const sn_key axis_key = {.name = "axis"};
static const sn_key angle_key = {.name = "angle", .dimension = SN_ANGLE};
static const sn_key euler_key = {.name = "euler", .dimension = SN_ANGLE};

static void parse_rotation(sn_reader *reader, int node, const sn_key *key,
                           sn_rotation_value *rotation)
{
    const sn_json *json = reader->json;
    *rotation = (sn_rotation_value){0};
    if (node_at(reader, node)->type == SN_JSON_ARRAY) {
        rotation->kind = SN_ROTATION_QUATERNION;
        sn_parse_tuple(reader, node, &quaternion_key, rotation->numbers, 4);
        return;
    }
    int axis = -1, angle = -1, euler = -1;
    if (node_at(reader, node)->type == SN_JSON_OBJECT) {
        for (int k = sn_json_first(json, node); k >= 0; k = sn_json_next(json, k)) {
            int *found = sn_json_is(json, k, "axis")    ? &axis
                         : sn_json_is(json, k, "angle") ? &angle
                         : sn_json_is(json, k, "euler") ? &euler
                                                        : NULL;
            if (found == NULL) {
                sn_reader_fail(
                    reader, k,
                    "unknown key in a rotation, expected \"axis\" and \"angle\", or \"euler\"");
                return;
            }
            *found = k + 1;
        }
    }
    if (axis >= 0 && angle >= 0 && euler < 0) {
        rotation->kind = SN_ROTATION_AXIS;
        sn_parse_tuple(reader, axis, &axis_key, rotation->numbers, 3);
        sn_parse_number(reader, angle, &angle_key, &rotation->numbers[3], NULL);
    } else if (euler >= 0 && axis < 0 && angle < 0) {
        rotation->kind = SN_ROTATION_EULER;
        sn_parse_tuple(reader, euler, &euler_key, rotation->numbers, 3);
    } else {
        sn_reader_fail_expected(
            reader, node, key,
            "a rotation: [w, x, y, z], or {\"axis\": [x, y, z], \"angle\": \"30deg\"}, or "
            "{\"euler\": [x, y, z]}");
    }
}

// ---- words ----

#define WORD_LIMIT 128 // of one key; a test counts them

// "a, b, c" as far as there is room, then "...".
static void list_words(const char *const *words, int count, char *list, size_t size)
{
    size_t at = 0;
    list[0] = '\0';
    for (int i = 0; i < count; ++i) {
        if (at + strlen(words[i]) + sizeof ", ..." > size) {
            snprintf(list + at, size - at, ", ...");
            return;
        }
        at += (size_t)snprintf(list + at, size - at, "%s%s", i > 0 ? ", " : "", words[i]);
    }
}

static void parse_enum(sn_reader *reader, int node, const sn_key *key, int *target)
{
    const char *known[WORD_LIMIT], *wrong = NULL;
    int count = 0;
    for (const sn_word *word = key->words; word->word != NULL && count < WORD_LIMIT;
         ++word, ++count) {
        if (sn_json_is(reader->json, node, word->word)) {
            *target = count;
            return;
        }
        known[count] = word->word;
    }
    if (node_at(reader, node)->type == SN_JSON_STRING) {
        wrong = sn_reader_string(reader, node);
    }
    const char *near = wrong != NULL ? sn_suggest(wrong, known, count) : NULL;
    // What follows is checked against what was probably meant.
    for (int i = 0; near != NULL && i < count; ++i) {
        *target = known[i] == near ? i : *target;
    }
    char list[360], got[64];
    list_words(known, count, list, sizeof list);
    describe(reader, node, got);
    sn_reader_fail(reader, node, "\"%s\": got %s%s%s%s one of: %s", key->name, got,
                   near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"? Expected" : "; expected", list);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void parse_colour(sn_reader *reader, int node, const sn_key *key, uint32_t *target)
{
    const sn_json_node *n = node_at(reader, node);
    const char *text = reader->json->text + n->start;
    int length = n->end - n->start;
    bool good = n->type == SN_JSON_STRING && (length == 4 || length == 7) && text[0] == '#';
    uint32_t colour = 0;
    for (int i = 1; good && i < length; ++i) {
        int digit = hex_digit(text[i]);
        good = digit >= 0;
        colour = length == 4 ? colour << 8 | (uint32_t)(17 * digit) : colour << 4 | (uint32_t)digit;
    }
    if (!good) {
        sn_reader_fail_expected(reader, node, key, "a colour such as \"#c08040\"");
        return;
    }
    *target = colour;
}

void sn_parse_string(sn_reader *reader, int node, const sn_key *key, const char **target)
{
    if (node_at(reader, node)->type != SN_JSON_STRING) {
        sn_reader_fail_expected(reader, node, key, "a string in double quotes");
        return;
    }
    *target = sn_reader_string(reader, node);
}

// A name stands in CSV headers and messages and must not be taken for something else.
static void check_name(sn_reader *reader, int node, const char *name)
{
    if (name == NULL) {
        return;
    }
    if (name[0] == '\0') {
        sn_reader_fail(reader, node, "a name is empty, expected at least one character");
    }
    if (strcmp(name, "world") == 0 || strcmp(name, "all") == 0) {
        sn_reader_fail(reader, node, "\"%s\" has a meaning of its own, expected another name",
                       name);
    }
    for (const char *c = name; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            sn_reader_fail(reader, node,
                           "a name with a control character in it, expected plain text");
            return;
        }
    }
    if (strlen(name) > 100) {
        sn_reader_fail(reader, node, "a name of %zu bytes, expected at most 100", strlen(name));
    }
}

// ---- objects in lists ----

// The first variant whose leading key the object has.
static const sn_object *choose_by_lead(sn_reader *reader, int node, const sn_object *table)
{
    const sn_json *json = reader->json;
    const char *known[32];
    char list[300];
    size_t at = 0;
    for (int i = 0; i < table->variant_count; ++i) {
        known[i] = table->variants[i]->lead;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", known[i]);
        for (int k = sn_json_first(json, node); k >= 0; k = sn_json_next(json, k)) {
            if (sn_json_is(json, k, known[i])) {
                return table->variants[i];
            }
        }
    }
    int first = sn_json_first(json, node);
    const char *wrong = first >= 0 ? sn_reader_string(reader, first) : NULL;
    const char *near = wrong != NULL ? sn_suggest(wrong, known, table->variant_count) : NULL;
    sn_reader_fail(reader, first >= 0 ? first : node, "a %s starts with one of the keys %s%s%s%s",
                   table->name, list, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
    return NULL;
}

// Apart from those that call themselves for what is nested: a scene of a thousand arms, each on the
// one above, must not take room for its words a thousand times.
__attribute__((noinline)) static const sn_object *choose_variant(sn_reader *reader, int node,
                                                                 const sn_object *table)
{
    const sn_json *json = reader->json;
    if (table->variants == NULL || node_at(reader, node)->type != SN_JSON_OBJECT) {
        return table;
    }
    if (table->variants[0]->lead != NULL) {
        return choose_by_lead(reader, node, table);
    }
    const char *known[32], *wrong = NULL;
    char list[300];
    size_t at = 0;
    for (int i = 0; i < table->variant_count; ++i) {
        known[i] = table->variants[i]->word;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    int type = -1;
    for (int k = sn_json_first(json, node); k >= 0 && type < 0; k = sn_json_next(json, k)) {
        type = sn_json_is(json, k, "type") ? k + 1 : -1;
    }
    if (type < 0) {
        sn_reader_fail(reader, node, "a %s needs the key \"type\", one of: %s", table->name, list);
        return NULL;
    }
    for (int i = 0; i < table->variant_count; ++i) {
        if (sn_json_is(json, type, known[i])) {
            return table->variants[i];
        }
    }
    char got[64];
    describe(reader, type, got);
    if (node_at(reader, type)->type == SN_JSON_STRING) {
        wrong = sn_reader_string(reader, type);
    }
    const char *near = wrong != NULL ? sn_suggest(wrong, known, table->variant_count) : NULL;
    sn_reader_fail(reader, type, "no %s has the type %s%s%s%s one of: %s", table->name, got,
                   near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"? Expected" : "; expected", list);
    return NULL;
}

__attribute__((noinline)) static void fail_no_object(sn_reader *reader, int node,
                                                     const sn_object *table)
{
    char got[64];
    describe(reader, node, got);
    sn_reader_fail(reader, node, "expected a %s, that is an object in { }, got %s", table->name,
                   got);
}

static sn_item *parse_item(sn_reader *reader, int node, const sn_object *object, sn_item_list *list)
{
    const sn_object *table = choose_variant(reader, node, object);
    if (table == NULL) {
        return NULL;
    }
    if (node_at(reader, node)->type != SN_JSON_OBJECT) {
        fail_no_object(reader, node, table);
        return NULL;
    }
    sn_item *item = sn_reader_allocate(reader, 1, table->size);
    if (item == NULL) {
        return NULL;
    }
    // In the list first, so that whatever the item comes to own is freed with the scene.
    if (!sn_array_grow((void **)&list->data, &list->capacity, sizeof(void *), list->count + 1)) {
        reader->out_of_memory = true;
        return NULL;
    }
    list->data[list->count++] = item;
    int bindings = reader->scene->bindings.count, mistakes = reader->mistakes;
    int formulas = reader->scene->formulas.count;
    sn_parse_object(reader, node, table, item);
    item->faulty = reader->mistakes > mistakes;
    bool bound =
        reader->scene->bindings.count > bindings || reader->scene->formulas.count > formulas;
    if (object == &sn_table_shapes) {
        ((sn_shape_item *)item)->bound = bound;
    } else if (object == &sn_table_tetrahedra) {
        ((sn_tetrahedra_item *)item)->bound = bound;
    } else if (object == &sn_table_robots) {
        ((sn_robot_item *)item)->bound = bound;
    }
    return item;
}

__attribute__((noinline)) static bool expect_items(sn_reader *reader, int node, const sn_key *key)
{
    char of[64];
    snprintf(of, sizeof of, "%s objects", key->object->name);
    return sn_reader_expect_list(reader, node, key, of);
}

static void parse_items(sn_reader *reader, int node, const sn_key *key, sn_item_list *list)
{
    if (!expect_items(reader, node, key)) {
        return;
    }
    for (int e = sn_json_first(reader->json, node); e >= 0 && !sn_reader_stopped(reader);
         e = sn_json_next(reader->json, e)) {
        (void)parse_item(reader, e, key->object, list);
    }
}

static void parse_one_or_more(sn_reader *reader, int node, const sn_key *key, sn_item_list *list)
{
    list->single = node_at(reader, node)->type != SN_JSON_ARRAY;
    if (list->single) {
        (void)parse_item(reader, node, key->object, list);
    } else {
        parse_items(reader, node, key, list);
    }
}

static void parse_one_or_name(sn_reader *reader, int node, const sn_key *key,
                              sn_one_or_name *member)
{
    if (node_at(reader, node)->type == SN_JSON_STRING) {
        member->name = sn_reader_string(reader, node);
    } else if (node_at(reader, node)->type == SN_JSON_OBJECT) {
        (void)parse_item(reader, node, key->object, &member->own);
    } else {
        char expected[96];
        snprintf(expected, sizeof expected, "a %s in { }, or the name of one", key->object->name);
        sn_reader_fail_expected(reader, node, key, expected);
    }
}

static void parse_map(sn_reader *reader, int node, const sn_key *key, sn_item_list *list)
{
    if (node_at(reader, node)->type != SN_JSON_OBJECT) {
        char expected[96];
        snprintf(expected, sizeof expected, "an object with a %s for every name",
                 key->object->name);
        sn_reader_fail_expected(reader, node, key, expected);
        return;
    }
    for (int k = sn_json_first(reader->json, node); k >= 0 && !sn_reader_stopped(reader);
         k = sn_json_next(reader->json, k)) {
        const char *name = sn_reader_string(reader, k);
        check_name(reader, k, name);
        sn_item *item = parse_item(reader, k + 1, key->object, list);
        if (item != NULL) {
            ((sn_named_item *)item)->name = name;
            item->place = sn_reader_place(reader, k);
        }
    }
}

void sn_parse_quantity(sn_reader *reader, int node, const sn_key *key, sn_quantity_value *quantity)
{
    *quantity = (sn_quantity_value){0};
    sn_parse_number(reader, node, key, &quantity->number, quantity);
}

void sn_parse_value(sn_reader *reader, int node, const sn_key *key, void *member)
{
    switch (key->type) {
    case SN_KEY_NUMBER:
    case SN_KEY_WHOLE:
        sn_parse_number(reader, node, key, member, NULL);
        break;
    case SN_KEY_QUANTITY:
        sn_parse_quantity(reader, node, key, member);
        break;
    case SN_KEY_FORMULA:
        sn_parse_formula(reader, node, key, member);
        break;
    case SN_KEY_FORMULAS:
        sn_parse_formulas(reader, node, key, member);
        break;
    case SN_KEY_INTEGER:
        parse_integer(reader, node, key, member);
        break;
    case SN_KEY_BOOLEAN:
        if (node_at(reader, node)->type != SN_JSON_BOOLEAN) {
            sn_reader_fail_expected(reader, node, key, "true or false");
        } else {
            *(bool *)member = sn_json_boolean(reader->json, node);
        }
        break;
    case SN_KEY_STRING:
    case SN_KEY_REFERENCE:
        sn_parse_string(reader, node, key, member);
        break;
    case SN_KEY_NAME:
        sn_parse_string(reader, node, key, member);
        check_name(reader, node, *(const char **)member);
        break;
    case SN_KEY_ENUM:
        parse_enum(reader, node, key, member);
        break;
    case SN_KEY_COLOUR:
        parse_colour(reader, node, key, member);
        break;
    case SN_KEY_VECTOR:
        sn_parse_tuple(reader, node, key, member, 3);
        break;
    case SN_KEY_ROTATION:
        parse_rotation(reader, node, key, member);
        break;
    case SN_KEY_NUMBERS:
        sn_parse_numbers(reader, node, key, member);
        break;
    case SN_KEY_ROWS:
        sn_parse_rows(reader, node, key, member);
        break;
    case SN_KEY_QUANTITIES:
        sn_parse_quantities(reader, node, key, member);
        break;
    case SN_KEY_COURSE:
        sn_parse_course(reader, node, key, member);
        break;
    case SN_KEY_NAMED:
        sn_parse_named(reader, node, key, member);
        break;
    case SN_KEY_POINTS2:
        sn_parse_points(reader, node, key, 2, member);
        break;
    case SN_KEY_POINTS3:
        sn_parse_points(reader, node, key, 3, member);
        break;
    case SN_KEY_LOOPS:
        sn_parse_loops(reader, node, key, member);
        break;
    case SN_KEY_TRIANGLES:
        sn_parse_triangles(reader, node, key, member);
        break;
    case SN_KEY_STRINGS:
        sn_parse_strings(reader, node, key, member);
        break;
    case SN_KEY_STRING_MAP:
        sn_parse_string_map(reader, node, key, member);
        break;
    case SN_KEY_OBJECT:
        sn_parse_object(reader, node, key->object, member);
        break;
    case SN_KEY_ONE:
        (void)parse_item(reader, node, key->object, member);
        break;
    case SN_KEY_ONE_OR_NAME:
        parse_one_or_name(reader, node, key, member);
        break;
    case SN_KEY_ONE_OR_MORE:
        parse_one_or_more(reader, node, key, member);
        break;
    case SN_KEY_OBJECTS:
        parse_items(reader, node, key, member);
        break;
    case SN_KEY_MAP:
        parse_map(reader, node, key, member);
        break;
    case SN_KEY_NUMBER_MAP:
        sn_parse_number_map(reader, node, key, member);
        break;
    }
}
