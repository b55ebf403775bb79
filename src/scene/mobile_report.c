// What is asked of a scene's mobiles: how they hang, other balances, and the text with their
// numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mobile/balance.h"
#include "scene/check.h"
#include "scene/error_list.h"
#include "scene/mobile_item.h"
#include "scene/text.h"
#include "scene/units.h"

// ---- parts ----

static const sn_made_mobile *made_at(const sn_scene *scene, int mobile)
{
    return mobile >= 0 && mobile < scene->root.mobiles.count ? SN_MOBILE(scene, mobile)->made
                                                             : NULL;
}

const sn_mobile *sn_scene_mobile(const sn_scene *scene, int mobile)
{
    const sn_made_mobile *made = made_at(scene, mobile);
    return made != NULL ? &made->mobile : NULL;
}

const sn_material_item *sn_scene_mobile_material(const sn_scene *scene, int mobile, int part)
{
    return made_at(scene, mobile)->parts[part].material;
}

uint32_t sn_scene_mobile_colour(const sn_scene *scene, int mobile, int part)
{
    const sn_made_part *made = &made_at(scene, mobile)->parts[part];
    if (sn_item_gives(&made->item->item, "colour")) {
        return made->item->colour;
    }
    bool painted = made->material != NULL && sn_item_gives(&made->material->item, "colour");
    return painted ? made->material->colour : 0x909498;
}

int sn_scene_mobile_count(const sn_scene *scene)
{
    return scene->root.mobiles.count;
}

const char *sn_scene_mobile_name(const sn_scene *scene, int mobile)
{
    const sn_made_mobile *made = made_at(scene, mobile);
    return made != NULL ? made->mobile.name : "";
}

int sn_scene_mobile_part_count(const sn_scene *scene, int mobile)
{
    const sn_made_mobile *made = made_at(scene, mobile);
    return made != NULL ? made->mobile.count : 0;
}

static double longest_extent(const sn_part *part)
{
    if (part->type == SN_PART_ARM) {
        return sn_wire_length(part);
    }
    if (part->type == SN_PART_DISC || part->type == SN_PART_BALL) {
        return 2.0 * part->size * part->radius;
    }
    sn_vec3 low = SN_VEC3_ZERO, high = SN_VEC3_ZERO;
    if (part->type == SN_PART_SOLID) {
        low = sn_mesh_bounds(part->mesh).lower;
        high = sn_mesh_bounds(part->mesh).upper;
    }
    for (int i = 0; part->type == SN_PART_SHEET && i < part->outline.loop_sizes[0]; ++i) {
        sn_vec3 p = sn_vec3_make(part->outline.points[i].x, part->outline.points[i].y, 0.0);
        low = i > 0 ? sn_vec3_min(low, p) : p;
        high = i > 0 ? sn_vec3_max(high, p) : p;
    }
    sn_vec3 extent = sn_vec3_sub(high, low);
    double longest = extent.x > extent.y ? extent.x : extent.y;
    return part->size * (longest > extent.z ? longest : extent.z);
}

sn_mobile_part sn_scene_mobile_part(const sn_scene *scene, int mobile, int index)
{
    static const char *const kinds[] = {"arm", "sheet", "disc", "ball", "solid"};
    const sn_made_mobile *made = made_at(scene, mobile);
    if (made == NULL || index < 0 || index >= made->mobile.count) {
        return (sn_mobile_part){.name = "", .kind = "", .parent = ""};
    }
    const sn_part *part = &made->mobile.parts[index];
    bool wire = part->type == SN_PART_ARM;
    bool thin = part->type == SN_PART_SHEET || part->type == SN_PART_DISC;
    return (sn_mobile_part){
        .name = part->name,
        .kind = kinds[part->type],
        .parent = part->parent >= 0 ? made->mobile.parts[part->parent].name : "",
        .fixed = part->fixed,
        .mass = part->own.mass,
        .length = longest_extent(part),
        .thickness = wire   ? 2.0 * part->radius
                     : thin ? part->thickness
                            : 0.0,
        .hook = wire ? part->hook : 0.0,
        .size = part->size,
        .string = part->string,
        .hanging = sn_part_hanging(&made->mobile, index),
    };
}

// ---- balancing again ----

// Meshes and masses after other numbers; the old ones come back when something does not fit.
static sn_status renew_meshes(sn_scene *scene, const sn_made_mobile *made, sn_error_list *errors)
{
    for (int i = 0; i < made->mobile.count; ++i) {
        for (int k = 0; k < made->parts[i].shape_count; ++k) {
            made->parts[i].shapes[k]->bound = true;
        }
    }
    sn_status status = sn_check_meshes(scene, true, errors);
    if (status == SN_OK) {
        sn_swap_meshes(scene);
        status = sn_check_masses(scene, errors);
        status = status == SN_OK ? sn_check_assembly(scene, errors) : status;
        if (status != SN_OK) {
            sn_swap_meshes(scene);
        }
    }
    sn_drop_meshes(scene);
    return status;
}

sn_status sn_scene_balance(sn_scene *scene, int mobile, sn_balance_for what, sn_error *error)
{
    if (made_at(scene, mobile) == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "the scene has %d mobiles, not one numbered %d", scene->root.mobiles.count,
                       mobile);
    }
    if ((int)what < 0 || what >= SN_BALANCE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d is nothing that can be balanced",
                       (int)what);
    }
    sn_mobile_item *item = SN_MOBILE(scene, mobile);
    sn_balance_for before = item->made->balanced;
    sn_error_list errors = {0};
    sn_status status = sn_mobile_item_place(scene, item, what, &errors);
    status = status == SN_OK ? renew_meshes(scene, item->made, &errors) : status;
    if (status != SN_OK) {
        if (errors.count > 0 && error != NULL) {
            *error = errors.items[0];
        } else if (status == SN_ERROR_MEMORY) {
            sn_fail_memory(error, 0);
        }
        // What it was balanced for before worked then.
        (void)sn_mobile_item_place(scene, item, before, NULL);
    }
    sn_error_list_free(&errors);
    return status;
}

// ---- the text ----

typedef struct edit {
    size_t from, to; // bytes replaced; from == to: inserted
    const char *key; // inserted with this key; NULL: the value alone
    double number;
    char unit[40]; // that it is written with; "": a bare number
} edit;

typedef struct editing {
    const char *text;
    size_t length;
    SN_ARRAY(edit) edits;
    sn_error *error;
} editing;

// Columns count characters.
static size_t offset_of(const editing *e, sn_place place)
{
    size_t at = 0;
    for (int line = 1; line < place.line && at < e->length; ++at) {
        line += e->text[at] == '\n';
    }
    for (int column = 1; column < place.column && at < e->length; ++column) {
        at += 1;
        while (at < e->length && ((unsigned char)e->text[at] & 0xc0) == 0x80) {
            at += 1;
        }
    }
    return at;
}

// The end of the number or string that starts there.
static size_t value_end(const editing *e, size_t at)
{
    bool quoted = e->text[at] == '"';
    for (at += quoted ? 1 : 0; at < e->length; ++at) {
        char c = e->text[at];
        if (quoted && c == '\\') {
            at += 1;
        } else if (quoted && c == '"') {
            return at + 1;
        } else if (!quoted && strchr(",}] \t\r\n/", c) != NULL) {
            return at;
        }
    }
    return e->length;
}

// A number as the author wrote it: its value, and its unit ("" when it has none). False where it is
// an expression.
static bool read_given(const editing *e, sn_place place, double *value, char unit[40])
{
    size_t at = offset_of(e, place);
    size_t end = at < e->length ? value_end(e, at) : at;
    bool quoted = end >= at + 2 && e->text[at] == '"';
    char plain[64];
    size_t count = 0;
    for (size_t i = at + quoted; i < end - quoted && count < sizeof plain - 1; ++i) {
        i += quoted && e->text[i] == '\\' ? 1 : 0; // inches: "5\""
        plain[count++] = e->text[i];
    }
    plain[count] = '\0';
    sn_unit read;
    bool has_unit = false;
    if (sn_units_read(plain, count, value, &read, &has_unit, NULL) != SN_OK) {
        return false;
    }
    size_t number = sn_number_length(plain, count);
    snprintf(unit, 40, "%s", has_unit ? plain + number : "");
    return true;
}

// The new number takes the place and the unit of the one that is there, which stays as it was
// written when it is the same. One that is not there yet has the unit of `like`, a key of `host`.
static sn_status add_edit(editing *e, const sn_item *item, const char *key, double number,
                          const sn_item *host, const char *like)
{
    // Balancing what is balanced gives the same numbers up to rounding.
    const double same = 1e-12;
    bool there = sn_item_gives(item, key);
    sn_place place = there ? sn_item_place(item, key) : item->place;
    if (place.source != 0) {
        return sn_fail(e->error, SN_ERROR_UNSUPPORTED, NULL,
                       "a mobile stands in a file that the scene includes; expected it in the "
                       "scene's own text");
    }
    size_t at = offset_of(e, place);
    if (at >= e->length || (!there && e->text[at] != '{')) {
        return sn_fail(e->error, SN_ERROR_MISMATCH, NULL,
                       "the text is not the one that the scene was loaded from");
    }
    edit made = {there ? at : at + 1, there ? value_end(e, at) : at + 1, there ? NULL : key, number,
                 ""};
    double given = 0.0;
    if (there && read_given(e, place, &given, made.unit) &&
        fabs(given - number) <= same * fabs(number)) {
        return SN_OK;
    }
    if (!there && host != NULL && sn_item_gives(host, like) &&
        sn_item_place(host, like).source == 0) {
        (void)read_given(e, sn_item_place(host, like), &given, made.unit);
    }
    return sn_array_push(&e->edits, made) ? SN_OK : sn_fail_memory(e->error, sizeof made);
}

static sn_status edit_part(editing *e, const sn_item *mobile, const sn_made_mobile *made, int index)
{
    const sn_part *part = &made->mobile.parts[index];
    const sn_item *item = &made->parts[index].item->item;
    bool arm = part->type == SN_PART_ARM;
    bool thin = part->type == SN_PART_SHEET || part->type == SN_PART_DISC;
    if (part->keep) {
        return SN_OK;
    }
    switch (made->balanced) {
    case SN_BALANCE_PIVOTS:
        return arm ? add_edit(e, item, "hook", part->hook, item, "arm") : SN_OK;
    case SN_BALANCE_MASSES:
        return arm ? SN_OK : add_edit(e, item, "mass", part->mass, NULL, NULL);
    case SN_BALANCE_SIZES:
        return arm ? SN_OK : add_edit(e, item, "size", part->size, NULL, NULL);
    case SN_BALANCE_THICKNESS:
        return thin ? add_edit(e, item, "thickness", part->thickness, mobile, "sheet_thickness")
                    : SN_OK;
    default:
        return SN_OK;
    }
}

// The number in a unit, with the fewest digits that are read as the same, or else 17.
static void write_with_unit(sn_text *out, double number, const char *unit)
{
    char text[80] = "";
    sn_unit read;
    bool has_unit;
    double one = 1.0, value = NAN;
    snprintf(text, sizeof text, "1%s", unit);
    (void)sn_units_read(text, strlen(text), &one, &read, &has_unit, NULL);
    for (int digits = 1; digits <= 17 && value != number; ++digits) {
        snprintf(text, sizeof text, "%.*g%s", digits, number / one, unit);
        (void)sn_units_read(text, strlen(text), &value, &read, &has_unit, NULL);
    }
    sn_text_json_string(out, text);
}

static void write_edit(sn_text *out, const edit *made)
{
    if (made->key != NULL) {
        sn_text_format(out, "\"%s\": ", made->key);
    }
    if (made->unit[0] != '\0') {
        write_with_unit(out, made->number, made->unit);
    } else {
        sn_text_number(out, made->number);
    }
    sn_text_add(out, made->key != NULL ? ", " : "");
}

// Edits in the order of the text.
static void sort_edits(editing *e)
{
    for (int i = 1; i < e->edits.count; ++i) {
        edit moved = e->edits.data[i];
        int k = i;
        for (; k > 0 && e->edits.data[k - 1].from > moved.from; --k) {
            e->edits.data[k] = e->edits.data[k - 1];
        }
        e->edits.data[k] = moved;
    }
}

sn_status sn_scene_balanced_text(const sn_scene *scene, const char *text, size_t length,
                                 char **balanced, size_t *balanced_length, sn_error *error)
{
    editing e = {.text = text, .length = length, .error = error};
    sn_status status = SN_OK;
    *balanced = NULL;
    *balanced_length = 0;
    for (int i = 0; i < scene->root.mobiles.count && status == SN_OK; ++i) {
        const sn_made_mobile *made = made_at(scene, i);
        for (int k = 0; k < made->mobile.count && status == SN_OK; ++k) {
            status = edit_part(&e, &SN_MOBILE(scene, i)->item, made, k);
        }
    }
    sn_text out = {0};
    size_t at = 0;
    sort_edits(&e);
    for (int i = 0; i < e.edits.count && status == SN_OK; ++i) {
        sn_text_add_bytes(&out, text + at, e.edits.data[i].from - at);
        write_edit(&out, &e.edits.data[i]);
        at = e.edits.data[i].to;
    }
    sn_text_add_bytes(&out, text + at, length - at);
    sn_array_free(&e.edits);
    if (status == SN_OK && out.failed) {
        status = sn_fail_memory(error, out.length);
    }
    if (status != SN_OK) {
        sn_text_free(&out);
        return status;
    }
    *balanced = out.data;
    *balanced_length = out.length;
    return SN_OK;
}
