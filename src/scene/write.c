// The resolved scene: one self-contained text, written from the table. And fingerprints: hashes of
// those parts of it that come into a running world in one way (sn_change).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "scene/joint_def.h"
#include "scene/model.h"
#include "scene/resolve.h"
#include "scene/shape_mesh.h"
#include "scene/text.h"

typedef struct writer {
    const sn_scene *scene;
    sn_text text;
    int depth;
    bool partial; // nothing but keys of this change
    sn_change change;
} writer;

static void new_line(writer *w)
{
    sn_text_add(&w->text, "\n");
    for (int i = 0; i < w->depth; ++i) {
        sn_text_add(&w->text, "  ");
    }
}

static void write_numbers(writer *w, const double *numbers, int count)
{
    sn_text_add(&w->text, "[");
    for (int i = 0; i < count; ++i) {
        sn_text_add(&w->text, i > 0 ? ", " : "");
        sn_text_number(&w->text, numbers[i]);
    }
    sn_text_add(&w->text, "]");
}

static void write_quantities(writer *w, const sn_quantity_list *list)
{
    sn_text_add(&w->text, list->single ? "" : "[");
    for (int i = 0; i < list->count; ++i) {
        sn_text_add(&w->text, i > 0 ? ", " : "");
        sn_text_number(&w->text, list->data[i].number);
    }
    sn_text_add(&w->text, list->single ? "" : "]");
}

static void write_rows(writer *w, const sn_row_list *list)
{
    sn_text_add(&w->text, "[");
    w->depth += 1;
    for (int i = 0; i < list->count; ++i) {
        sn_text_add(&w->text, i > 0 ? "," : "");
        new_line(w);
        write_numbers(w, list->data + (size_t)i * (size_t)list->width, list->width);
    }
    w->depth -= 1;
    sn_text_add(&w->text, "]");
}

static void write_course(writer *w, const sn_course *course)
{
    sn_text_add(&w->text, "[");
    w->depth += 1;
    for (int i = 0; i < course->count; ++i) {
        double point[2] = {course->times[i], course->values[i].number};
        sn_text_add(&w->text, i > 0 ? "," : "");
        new_line(w);
        write_numbers(w, point, 2);
    }
    w->depth -= 1;
    sn_text_add(&w->text, "]");
}

static void write_named(writer *w, const sn_named_list *list)
{
    sn_text_add(&w->text, "{");
    for (int i = 0; i < list->count; ++i) {
        sn_text_add(&w->text, i > 0 ? ", " : "");
        sn_text_json_string(&w->text, list->data[i].name);
        sn_text_add(&w->text, ": ");
        write_quantities(w, &list->data[i].values);
    }
    sn_text_add(&w->text, "}");
}

static void write_points(writer *w, const sn_vec3 *points, int count, int size)
{
    sn_text_add(&w->text, "[");
    w->depth += 1;
    for (int i = 0; i < count; ++i) {
        sn_text_add(&w->text, i > 0 ? "," : "");
        new_line(w);
        write_numbers(w, &points[i].x, size);
    }
    w->depth -= 1;
    sn_text_add(&w->text, "]");
}

static void write_triangles(writer *w, const int *indices, int count)
{
    sn_text_add(&w->text, "[");
    w->depth += 1;
    for (int i = 0; i < count; ++i) {
        sn_text_add(&w->text, i > 0 ? "," : "");
        new_line(w);
        sn_text_format(&w->text, "[%d, %d, %d]", indices[3 * i], indices[3 * i + 1],
                       indices[3 * i + 2]);
    }
    w->depth -= 1;
    sn_text_add(&w->text, "]");
}

static void write_rotation(writer *w, const sn_rotation_value *rotation)
{
    const double *n = rotation->numbers;
    if (rotation->kind == SN_ROTATION_AXIS) {
        sn_text_add(&w->text, "{\"axis\": ");
        write_numbers(w, n, 3);
        sn_text_add(&w->text, ", \"angle\": ");
        sn_text_number(&w->text, n[3]);
        sn_text_add(&w->text, "}");
    } else if (rotation->kind == SN_ROTATION_EULER) {
        sn_text_add(&w->text, "{\"euler\": ");
        write_numbers(w, n, 3);
        sn_text_add(&w->text, "}");
    } else {
        write_numbers(w, n, 4);
    }
}

static void write_item(writer *w, const sn_item *item, const char *name);

static void write_list(writer *w, const sn_item_list *list, bool map)
{
    sn_text_add(&w->text, map ? "{" : "[");
    w->depth += 1;
    for (int i = 0; i < list->count; ++i) {
        sn_text_add(&w->text, i > 0 ? "," : "");
        new_line(w);
        write_item(w, list->data[i], map ? ((const sn_named_item *)list->data[i])->name : NULL);
    }
    w->depth -= 1;
    new_line(w);
    sn_text_add(&w->text, map ? "}" : "]");
}

static void write_string_list(writer *w, const sn_string_list *list)
{
    sn_text_add(&w->text, "[");
    for (int i = 0; i < list->count; ++i) {
        sn_text_add(&w->text, i > 0 ? ", " : "");
        sn_text_json_string(&w->text, list->data[i]);
    }
    sn_text_add(&w->text, "]");
}

static void write_loops(writer *w, const sn_loop_list *list)
{
    sn_text_add(&w->text, "[");
    for (int i = 0; i < list->count; ++i) {
        sn_text_add(&w->text, i > 0 ? ", " : "");
        write_points(w, list->data[i].data, list->data[i].count, 2);
    }
    sn_text_add(&w->text, "]");
}

static void write_string(writer *w, const char *string)
{
    sn_text_json_string(&w->text, string != NULL ? string : "");
}

static void write_one_or_name(writer *w, const sn_one_or_name *member)
{
    if (member->name != NULL) {
        write_string(w, member->name);
    } else {
        write_item(w, member->own.data[0], NULL);
    }
}

// An expression stays one, with its params at their present values: to the bit, which a param in
// its own unit is not.
static void write_formula(writer *w, const sn_formula *formula)
{
    if (formula->text == NULL) {
        sn_text_number(&w->text, formula->quantity.number);
        return;
    }
    sn_text text = {0};
    size_t at = 0;
    sn_text_add(&text, "=");
    for (int i = 0; i < formula->expression.count; ++i) {
        const sn_expression_step *step = &formula->expression.data[i];
        if (step->code == SN_CODE_PARAM && step->count < w->scene->root.params.count) {
            sn_text_add_bytes(&text, formula->text + at, (size_t)step->offset - at);
            sn_text_add(&text, "(");
            sn_text_number(&text, w->scene->param_values[step->count]);
            sn_text_add(&text, ")");
            at = (size_t)step->offset + strlen(w->scene->param_names[step->count]);
        }
    }
    sn_text_add(&text, formula->text + at);
    w->text.failed = w->text.failed || text.failed;
    if (!text.failed) {
        sn_text_json_string(&w->text, text.data);
    }
    sn_text_free(&text);
}

static void write_formulas(writer *w, const sn_formula formulas[3])
{
    sn_text_add(&w->text, "[");
    for (int i = 0; i < 3; ++i) {
        sn_text_add(&w->text, i > 0 ? ", " : "");
        write_formula(w, &formulas[i]);
    }
    sn_text_add(&w->text, "]");
}

static void write_number_map(writer *w, const sn_item_list *list)
{
    sn_text_add(&w->text, "{");
    for (int i = 0; i < list->count; ++i) {
        const sn_variable_item *variable = (const sn_variable_item *)list->data[i];
        sn_text_add(&w->text, i > 0 ? ", " : "");
        sn_text_json_string(&w->text, variable->name);
        sn_text_add(&w->text, ": ");
        sn_text_number(&w->text, variable->value.number);
    }
    sn_text_add(&w->text, "}");
}

static void write_value(writer *w, const sn_key *key, const void *member)
{
    const sn_vector_list *points = member;
    switch (key->type) {
    case SN_KEY_NUMBER:
    case SN_KEY_WHOLE:
        sn_text_number(&w->text, *(const double *)member);
        break;
    case SN_KEY_QUANTITY:
        sn_text_number(&w->text, ((const sn_quantity_value *)member)->number);
        break;
    case SN_KEY_INTEGER:
        sn_text_format(&w->text, "%d", *(const int *)member);
        break;
    case SN_KEY_FORMULA:
        write_formula(w, member);
        break;
    case SN_KEY_FORMULAS:
        write_formulas(w, member);
        break;
    case SN_KEY_BOOLEAN:
        sn_text_add(&w->text, *(const bool *)member ? "true" : "false");
        break;
    case SN_KEY_STRING:
    case SN_KEY_NAME:
    case SN_KEY_REFERENCE:
        write_string(w, *(const char *const *)member);
        break;
    case SN_KEY_ENUM:
        write_string(w, key->words[*(const int *)member].word);
        break;
    case SN_KEY_COLOUR:
        sn_text_format(&w->text, "\"#%06x\"", (unsigned)*(const uint32_t *)member);
        break;
    case SN_KEY_VECTOR:
        write_numbers(w, member, 3);
        break;
    case SN_KEY_ROTATION:
        write_rotation(w, member);
        break;
    case SN_KEY_NUMBERS:
        write_numbers(w, ((const sn_number_list *)member)->data,
                      ((const sn_number_list *)member)->count);
        break;
    case SN_KEY_ROWS:
        write_rows(w, member);
        break;
    case SN_KEY_QUANTITIES:
        write_quantities(w, member);
        break;
    case SN_KEY_COURSE:
        write_course(w, member);
        break;
    case SN_KEY_NAMED:
        write_named(w, member);
        break;
    case SN_KEY_POINTS2:
        write_points(w, points->data, points->count, 2);
        break;
    case SN_KEY_POINTS3:
        write_points(w, points->data, points->count, 3);
        break;
    case SN_KEY_LOOPS:
        write_loops(w, member);
        break;
    case SN_KEY_TRIANGLES:
        write_triangles(w, ((const sn_index_list *)member)->data,
                        ((const sn_index_list *)member)->count);
        break;
    case SN_KEY_STRINGS:
    case SN_KEY_STRING_MAP: // what has been found by their keys is in their order
        write_string_list(w, member);
        break;
    case SN_KEY_OBJECT:
        write_item(w, member, NULL);
        break;
    case SN_KEY_ONE:
        write_item(w, ((const sn_item_list *)member)->data[0], NULL);
        break;
    case SN_KEY_ONE_OR_NAME:
        write_one_or_name(w, member);
        break;
    case SN_KEY_ONE_OR_MORE:
        if (((const sn_item_list *)member)->single) {
            write_item(w, ((const sn_item_list *)member)->data[0], NULL);
            break;
        }
        write_list(w, member, false);
        break;
    case SN_KEY_OBJECTS:
        write_list(w, member, false);
        break;
    case SN_KEY_MAP:
        write_list(w, member, true);
        break;
    case SN_KEY_NUMBER_MAP:
        write_number_map(w, member);
        break;
    }
}

static void write_key(writer *w, const char *name, bool *first)
{
    sn_text_add(&w->text, *first ? "" : ",");
    *first = false;
    new_line(w);
    sn_text_json_string(&w->text, name);
    sn_text_add(&w->text, ": ");
}

// A param's numbers are written in its own unit, as they were most likely given. Dividing by the
// unit rounds, so a limit that the value would then seem to pass gives way to it.
static void write_param(writer *w, const sn_param_item *param, bool *first)
{
    double value = sn_param_in_unit(param, &param->value);
    write_key(w, "value", first);
    sn_text_number(&w->text, value);
    if (sn_item_gives(&param->item, "min")) {
        double limit = sn_param_in_unit(param, &param->minimum);
        write_key(w, "min", first);
        sn_text_number(&w->text, limit < value ? limit : value);
    }
    if (sn_item_gives(&param->item, "max")) {
        double limit = sn_param_in_unit(param, &param->maximum);
        write_key(w, "max", first);
        sn_text_number(&w->text, limit > value ? limit : value);
    }
}

// What is made from files and generators is written out.
static void write_mesh(writer *w, const sn_shape_item *shape, bool *first)
{
    const sn_mesh *mesh = shape->mesh;
    if (shape->item.table->id == SN_SHAPE_HULL) {
        sn_vec3 *points = sn_sorted_corners(mesh);
        w->text.failed = w->text.failed || points == NULL;
        write_key(w, "points", first);
        write_points(w, points, points != NULL ? sn_mesh_vertex_count(mesh) : 0, 3);
        sn_free(points);
        return;
    }
    write_key(w, "vertices", first);
    write_points(w, sn_mesh_positions(mesh), sn_mesh_vertex_count(mesh), 3);
    write_key(w, "triangles", first);
    write_triangles(w, sn_mesh_triangles(mesh), sn_mesh_triangle_count(mesh));
}

static void write_solid(writer *w, const sn_tetrahedra *mesh, bool *first)
{
    int nodes = sn_tetrahedra_nodes(mesh), count = sn_tetrahedra_element_count(mesh);
    const int *elements = sn_tetrahedra_elements(mesh), *regions = sn_tetrahedra_regions(mesh);
    write_key(w, "vertices", first);
    write_points(w, sn_tetrahedra_positions(mesh), sn_tetrahedra_vertex_count(mesh), 3);
    write_key(w, "elements", first);
    sn_text_add(&w->text, "[");
    w->depth += 1;
    for (int i = 0; i < count; ++i) {
        sn_text_add(&w->text, i > 0 ? "," : "");
        new_line(w);
        for (int k = 0; k < nodes; ++k) {
            sn_text_format(&w->text, "%s%d", k > 0 ? ", " : "[", elements[i * nodes + k]);
        }
        sn_text_add(&w->text, "]");
    }
    w->depth -= 1;
    sn_text_add(&w->text, "]");
    write_key(w, "regions", first);
    sn_text_add(&w->text, "[");
    for (int i = 0; i < count; ++i) {
        sn_text_format(&w->text, "%s%d", i > 0 ? ", " : "", regions[i]);
    }
    sn_text_add(&w->text, "]");
}

// A mesh of tetrahedra that a file holds, or whose regions are no longer those that it lists.
static bool is_solid_made(const sn_item *item)
{
    return strcmp(item->table->name, "file_mesh") == 0 ||
           (strcmp(item->table->name, "listed_mesh") == 0 &&
            ((const sn_tetrahedra_item *)item)->renumbered);
}

// Keys that are not written as they stand in the file.
static bool is_replaced(const sn_item *item, const sn_key *key, bool mesh)
{
    if (item->table == sn_scene_table()) {
        return strcmp(key->name, "include") == 0 || strcmp(key->name, "$schema") == 0 ||
               strcmp(key->name, "robots") == 0 || strcmp(key->name, "mobiles") == 0;
    }
    if (key->type == SN_KEY_QUANTITY) {
        return strcmp(item->table->name, "param") == 0;
    }
    if (item->table == &sn_table_motions) {
        return strcmp(key->name, "file") == 0;
    }
    if (is_solid_made(item)) {
        return true;
    }
    return mesh && sn_object_find_key(item->table->base, key->name) < 0 &&
           strcmp(key->name, "rounding") != 0;
}

// ---- parts ----

static bool has_objects(const sn_key *key)
{
    return key->object != NULL && key->type != SN_KEY_NUMBER_MAP;
}

// How a new number of this key comes into a world that runs.
static sn_change change_of(const writer *w, const sn_item *item, const sn_key *key)
{
    bool is_static =
        item->table == &sn_table_bodies && ((const sn_body_item *)item)->type == SN_BODY_STATIC;
    if (key->change == SN_CHANGE_START && is_static) {
        return SN_CHANGE_BUILD; // it stands where it begins
    }
    // Drives and winds that run take new motions up; scripts hold on to theirs.
    bool scripted = item->table == sn_scene_table() && strcmp(key->name, "motions") == 0 &&
                    w->scene->root.behaviours.count > 0;
    return scripted ? SN_CHANGE_BUILD : key->change;
}

// A key with all that is inside it, if that is wanted. Objects are looked into as long as the table
// says nothing of them as a whole.
static void write_part(writer *w, const sn_item *item, const sn_key *key, bool *first)
{
    sn_change change = change_of(w, item, key);
    bool opens = change == SN_CHANGE_BUILD && has_objects(key);
    if (change != w->change && !opens) {
        return;
    }
    write_key(w, key->name, first);
    w->partial = opens;
    write_value(w, key, (const char *)item + key->offset);
    w->partial = true;
}

// Joints are given in the world, as bodies stand at the start, and hold to frames of their bodies:
// these, and not the keys that they follow from, are what a world is built of.
static void write_frames(writer *w, const sn_joint_item *joint, bool *first)
{
    sn_transform frames[2];
    sn_joint_item_frames(w->scene, joint, &frames[0], &frames[1]);
    write_key(w, "frames", first);
    write_numbers(w, &frames[0].position.x, 14); // two positions and two quaternions
}

static void write_item_part(writer *w, const sn_item *item)
{
    bool first = true;
    sn_text_add(&w->text, "{");
    for (int i = 0; i < sn_object_key_count(item->table); ++i) {
        if (item->places[i].line > 0) {
            write_part(w, item, sn_object_key(item->table, i), &first);
        }
    }
    if (item->table == &sn_table_joints && w->change == SN_CHANGE_BUILD) {
        write_frames(w, (const sn_joint_item *)item, &first);
    }
    sn_text_add(&w->text, "}");
}

sn_status sn_scene_fingerprint(const sn_scene *scene, sn_change change, uint64_t *hash,
                               sn_error *error)
{
    writer w = {.scene = scene, .partial = true, .change = change};
    write_item(&w, &scene->root.item, NULL);
    size_t bytes = w.text.length;
    bool failed = w.text.failed;
    *hash = failed ? 0 : sn_hash64(w.text.data, bytes, 0);
    sn_text_free(&w.text);
    return failed ? sn_fail_memory(error, bytes) : SN_OK;
}

// ---- all ----

static void write_item(writer *w, const sn_item *item, const char *name)
{
    const sn_object *table = item->table;
    if (w->partial) {
        write_item_part(w, item);
        return;
    }
    if (name != NULL) {
        sn_text_json_string(&w->text, name);
        sn_text_add(&w->text, ": ");
    }
    sn_text_add(&w->text, "{");
    w->depth += 1;
    bool first = true;
    const sn_shape_item *shape = (const sn_shape_item *)item;
    bool mesh = sn_item_is_shape(item) && sn_shape_item_is_mesh(shape);
    bool listed = mesh && table->id == SN_SHAPE_HULL && shape->file == NULL;
    if (table->word != NULL) {
        write_key(w, "type", &first);
        bool plain = !mesh || table->id == SN_SHAPE_HULL;
        sn_text_json_string(&w->text, is_solid_made(item) ? "listed"
                                      : plain             ? table->word
                                                          : "mesh");
    }
    for (int i = 0; i < sn_object_key_count(table); ++i) {
        const sn_key *key = sn_object_key(table, i);
        if (item->places[i].line > 0 && !is_replaced(item, key, mesh && !listed)) {
            write_key(w, key->name, &first);
            write_value(w, key, (const char *)item + key->offset);
        }
    }
    if (mesh && !listed) {
        write_mesh(w, shape, &first);
    }
    if (is_solid_made(item)) {
        write_solid(w, ((const sn_tetrahedra_item *)item)->made, &first);
    }
    if (table == &sn_table_motions && sn_item_gives(item, "file")) {
        write_key(w, "points", &first);
        write_course(w, &((const sn_motion_item *)item)->points);
    }
    if (strcmp(table->name, "param") == 0) {
        write_param(w, (const sn_param_item *)item, &first);
    }
    w->depth -= 1;
    new_line(w);
    sn_text_add(&w->text, "}");
}

sn_status sn_scene_resolved_text(const sn_scene *scene, char **text, size_t *length,
                                 sn_error *error)
{
    writer w = {.scene = scene};
    write_item(&w, &scene->root.item, NULL);
    sn_text_add(&w.text, "\n");
    *text = NULL;
    *length = 0;
    if (w.text.failed) {
        size_t bytes = w.text.length;
        sn_text_free(&w.text);
        return sn_fail_memory(error, bytes);
    }
    *text = w.text.data;
    *length = w.text.length;
    return SN_OK;
}

void sn_scene_free_text(char *text)
{
    sn_free(text);
}
