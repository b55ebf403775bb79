#include "scene/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "probe/quantity.h"
#include "scene/body_def.h"
#include "scene/checker.h"
#include "scene/elastic_def.h"
#include "scene/error_list.h"
#include "scene/text.h"
#include "scene/urdf_scene.h"

void sn_checker_note(sn_checker *c, sn_status status)
{
    c->first = c->first == SN_OK || status == SN_ERROR_MEMORY ? status : c->first;
}

void sn_checker_fail(sn_checker *c, sn_place place, const char *format, ...)
{
    char where[SN_PLACE_SIZE], text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_checker_note(c, sn_error_list_add(c->errors, SN_ERROR_SCENE,
                                         sn_place_text(c->scene, place, where), "%s", text));
}

void sn_checker_remark(sn_checker *c, sn_place place, const char *format, ...)
{
    char where[SN_PLACE_SIZE], text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (sn_error_list_add(&c->scene->notes, SN_OK, sn_place_text(c->scene, place, where), "%s",
                          text) == SN_ERROR_MEMORY) {
        sn_checker_note(c, SN_ERROR_MEMORY);
    }
}

// ---- names ----

static sn_place name_place(const sn_item *item)
{
    return sn_item_place(item, "name");
}

// The thing that a number in `things` stands for.
static const sn_item *thing_at(const sn_checker *c, uint32_t number)
{
    const sn_root_item *root = &c->scene->root;
    const sn_item_list *lists[] = {&root->bodies, &root->fields, &root->joints, &root->bonds};
    int i = 0;
    while (i < 3 && number > (uint32_t)lists[i]->count) {
        number -= (uint32_t)lists[i++]->count;
    }
    return lists[i]->data[number - 1];
}

// Puts the names of a list into a table, numbered from offset + 1; a name that is there already is
// an error with both places.
static void put_names(sn_checker *c, sn_name_table *table, const sn_item_list *list,
                      uint32_t offset, const char *what)
{
    for (int i = 0; i < list->count; ++i) {
        const sn_named_item *named = (const sn_named_item *)list->data[i];
        if (named->name == NULL) {
            continue;
        }
        uint32_t found = sn_name_table_find(table, named->name);
        if (found == 0) {
            if (!sn_name_table_put(table, named->name, offset + (uint32_t)i + 1)) {
                sn_checker_note(c, SN_ERROR_MEMORY);
                return;
            }
            continue;
        }
        const sn_item *earlier =
            found > offset ? list->data[found - offset - 1] : thing_at(c, found);
        char where[SN_PLACE_SIZE];
        sn_checker_fail(c, name_place(&named->item),
                        "the %s \"%.60s\" has the name of the one at %.120s, expected another",
                        what, named->name, sn_place_text(c->scene, name_place(earlier), where));
    }
}

static void check_unique(sn_checker *c, const sn_item_list *list, const char *what)
{
    sn_name_table table = {0};
    put_names(c, &table, list, 0, what);
    sn_name_table_free(&table);
}

// "spring 1", or the next number that is free, put into the table.
static const char *make_name(sn_checker *c, sn_name_table *table, const char *word, int number,
                             uint32_t value)
{
    char name[64];
    do {
        snprintf(name, sizeof name, "%s %d", word, number++);
    } while (sn_name_table_find(table, name) != 0);
    const char *kept = sn_arena_text(&c->scene->arena, name, strlen(name));
    if (kept == NULL || !sn_name_table_put(table, kept, value)) {
        sn_checker_note(c, SN_ERROR_MEMORY);
    }
    return kept;
}

// Fields without a name get "spring 1", "drag 2", ...: probes and updates find them by it.
static void name_fields(sn_checker *c)
{
    int numbers[SN_SCENE_FIELD_COUNT] = {0};
    for (int i = 0; i < c->scene->root.fields.count; ++i) {
        sn_field_item *field = SN_FIELD(c->scene, i);
        const sn_object *table = field->item.table;
        numbers[table->id] += 1;
        if (field->name == NULL) {
            field->name = make_name(c, &c->things, table->word, numbers[table->id],
                                    (uint32_t)(c->scene->root.bodies.count + i + 1));
        }
    }
}

static void name_bonds(sn_checker *c)
{
    const sn_root_item *root = &c->scene->root;
    int before = root->bodies.count + root->fields.count + root->joints.count;
    for (int i = 0; i < root->bonds.count && c->first != SN_ERROR_MEMORY; ++i) {
        sn_bonding_item *bond = SN_BONDING(c->scene, i);
        if (bond->name == NULL) {
            bond->name = make_name(c, &c->things, "bond", i + 1, (uint32_t)(before + i + 1));
        }
    }
}

static void name_couplings(sn_checker *c)
{
    sn_name_table names = {0};
    put_names(c, &names, &c->scene->root.couplings, 0, "coupling");
    for (int i = 0; i < c->scene->root.couplings.count && c->first != SN_ERROR_MEMORY; ++i) {
        sn_coupling_item *coupling = SN_COUPLING(c->scene, i);
        if (coupling->name == NULL) {
            coupling->name = make_name(c, &names, "coupling", i + 1, (uint32_t)i + 1);
        }
    }
    sn_name_table_free(&names);
}

// "there is no ...", without a place; `also` is a word that means something too.
static sn_status miss_reference(sn_error *error, const char *name, const char *what,
                                const sn_item_list *const *lists, int list_count, const char *also)
{
    const char *known[256];
    int count = 0;
    known[count++] = also;
    for (int k = 0; k < list_count; ++k) {
        for (int i = 0; i < lists[k]->count && count < 256; ++i) {
            known[count++] = ((const sn_named_item *)lists[k]->data[i])->name;
        }
    }
    const char *near = sn_suggest(name, known, count);
    if (near != NULL) {
        return sn_fail(error, SN_ERROR_SCENE, NULL,
                       "there is no %s \"%.60s\"; did you mean \"%.60s\"?", what, name, near);
    }
    char list[260] = "";
    size_t at = 0;
    for (int i = 0; i < count && at + 64 < sizeof list; ++i) {
        if (known[i] != NULL) {
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%.40s", at > 0 ? ", " : "",
                                   known[i]);
        }
    }
    return sn_fail(error, SN_ERROR_SCENE, NULL, "there is no %s \"%.60s\", expected one of: %s",
                   what, name, at > 0 ? list : "(there are none)");
}

static void fail_reference(sn_checker *c, sn_place place, const char *name, const char *what,
                           const sn_item_list *list, const char *also)
{
    sn_error error = {0};
    miss_reference(&error, name, what, &list, 1, also);
    sn_checker_fail(c, place, "%s", error.text);
}

static const sn_material_item *find_material(sn_checker *c, const sn_item *item, const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    uint32_t found = sn_name_table_find(&c->materials, name);
    if (found == 0) {
        sn_checker_fail_reference(c, sn_item_place(item, "material"), name, "material",
                                  &c->scene->root.materials);
        return NULL;
    }
    return SN_MATERIAL(c->scene, found - 1);
}

void sn_checker_fail_reference(sn_checker *c, sn_place place, const char *name, const char *what,
                               const sn_item_list *list)
{
    fail_reference(c, place, name, what, list, NULL);
}

sn_status sn_checker_miss_reference(sn_error *error, const char *name, const char *what,
                                    const sn_item_list *list)
{
    return miss_reference(error, name, what, &list, 1, NULL);
}

int sn_checker_find_joint(sn_checker *c, const sn_item *item, const char *key, const char *name)
{
    const sn_root_item *root = &c->scene->root;
    int before = root->bodies.count + root->fields.count;
    int found = (int)sn_name_table_find(&c->things, name);
    if (found <= before || found > before + root->joints.count) {
        sn_checker_fail_reference(c, sn_item_place(item, key), name, "joint", &root->joints);
        return -1;
    }
    return found - before - 1;
}

int sn_checker_find_joint_or_bond(sn_checker *c, const sn_item *item, const char *key,
                                  const char *name, bool *bond)
{
    const sn_root_item *root = &c->scene->root;
    int joints = root->bodies.count + root->fields.count, bonds = joints + root->joints.count;
    int found = (int)sn_name_table_find(&c->things, name) - 1;
    *bond = found >= bonds;
    if (found < joints) {
        const sn_item_list *lists[] = {&root->joints, &root->bonds};
        sn_error error = {0};
        miss_reference(&error, name, "joint or bond", lists, 2, NULL);
        sn_checker_fail(c, sn_item_place(item, key), "%s", error.text);
        return -1;
    }
    return found - (*bond ? bonds : joints);
}

// Index of a body; -1 for `own`, the word that means none in particular.
int sn_checker_find_body(sn_checker *c, const sn_item *item, const char *key, const char *name,
                         const char *own)
{
    if (name == NULL || (own != NULL && strcmp(name, own) == 0)) {
        return -1;
    }
    uint32_t found = sn_name_table_find(&c->things, name);
    if (found == 0 || found > (uint32_t)c->scene->root.bodies.count) {
        fail_reference(c, sn_item_place(item, key), name, "body", &c->scene->root.bodies, own);
        return -1;
    }
    return (int)found - 1;
}

// ---- bodies ----

static void check_body(sn_checker *c, sn_body_item *body)
{
    const sn_item *item = &body->item;
    body->material_item = find_material(c, item, body->material);
    sn_check_elastic(c, body);
    const sn_item_list *lists[] = {&body->shape, &body->shapes, &body->display};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < lists[k]->count; ++i) {
            sn_shape_item *shape = (sn_shape_item *)lists[k]->data[i];
            shape->material_item = find_material(c, &shape->item, shape->material);
            sn_check_shape(c, body, shape);
        }
    }
    if (sn_item_gives(item, "shape") && sn_item_gives(item, "shapes")) {
        sn_checker_fail(c, sn_item_place(item, "shapes"),
                        "a body has both \"shape\" and \"shapes\", expected one of them");
    }
    if (sn_item_gives(item, "angular_velocity") && sn_item_gives(item, "body_angular_velocity")) {
        sn_checker_fail(
            c, sn_item_place(item, "body_angular_velocity"),
            "a body has both \"angular_velocity\" and \"body_angular_velocity\", expected one of "
            "them");
    }
    if (body->inertia.count == 4 || body->inertia.count == 5) {
        sn_checker_fail(c, sn_item_place(item, "inertia"),
                        "\"inertia\": expected 3 or 6 numbers, got %d", body->inertia.count);
    }
    bool shaped = sn_item_gives(item, "shape") || sn_item_gives(item, "shapes");
    static const char *const moving[] = {
        "velocity",   "angular_velocity",   "body_angular_velocity", "mass", "inertia", "centre",
        "integrator", "relative_tolerance", "absolute_tolerance"};
    for (size_t i = 0; body->type == SN_BODY_STATIC && i < sizeof moving / sizeof *moving; ++i) {
        if (sn_item_gives(item, moving[i])) {
            sn_checker_fail(
                c, sn_item_place(item, moving[i]),
                "a static body never moves and takes no \"%s\"; expected none, or the type "
                "\"rigid\"",
                moving[i]);
        }
    }
    if (body->type == SN_BODY_RIGID && !shaped && !item->faulty &&
        !(sn_item_gives(item, "mass") && sn_item_gives(item, "inertia"))) {
        sn_checker_fail(
            c, item->place,
            "a rigid body needs \"shape\" or \"shapes\", or both \"mass\" and \"inertia\"");
    }
}

// ---- fields, probes, events ----

int sn_body_item_integrator(const sn_scene *scene, const sn_body_item *body)
{
    const sn_run_item *run = &scene->root.run;
    int integrator = body->integrator != SN_INTEGRATOR_DEFAULT ? body->integrator : run->integrator;
    if (integrator == SN_INTEGRATOR_DEFAULT) {
        return run->policy == SN_POLICY_PRECISE ? SN_INTEGRATOR_FEHLBERG45
                                                : SN_INTEGRATOR_LIE_MIDPOINT;
    }
    return integrator;
}

// Bodies that a spring joins move as one system.
static void check_integrators(sn_checker *c, const sn_field_item *field)
{
    if (field->body_a < 0 || field->body_b < 0) {
        return;
    }
    const sn_body_item *a = SN_BODY(c->scene, field->body_a), *b = SN_BODY(c->scene, field->body_b);
    if (a->type == SN_BODY_RIGID && b->type == SN_BODY_RIGID &&
        sn_body_item_integrator(c->scene, a) != sn_body_item_integrator(c->scene, b)) {
        sn_checker_fail(
            c, field->item.place,
            "the spring joins \"%.60s\" and \"%.60s\", which have different integrators; expected "
            "the "
            "same",
            a->name, b->name);
    }
}

static void check_field(sn_checker *c, sn_field_item *field)
{
    const sn_item *item = &field->item;
    if (item->table->id == SN_SCENE_WIND) {
        field->body_a = field->body_b = -1;
        sn_check_wind_strength(c, field);
        return;
    }
    if (item->table->id == SN_SCENE_LOAD) {
        field->body_a = sn_checker_find_body(c, item, "of", field->of, NULL);
        field->body_b = -1;
        if (field->body_a >= 0 &&
            !sn_body_item_may_be(SN_BODY(c->scene, field->body_a), SN_BODY_ELASTIC)) {
            sn_checker_fail(
                c, sn_item_place(item, "of"),
                "\"of\" names \"%.60s\", which is not elastic; a load is on the surface "
                "of an elastic body",
                SN_BODY(c->scene, field->body_a)->name);
        }
        return;
    }
    if (item->table->id == SN_SCENE_DRAG) {
        field->body_a = sn_checker_find_body(c, item, "of", field->of, "all");
        field->body_b = -1;
        return;
    }
    field->body_a = sn_checker_find_body(c, item, "a", field->a, "world");
    field->body_b = sn_checker_find_body(c, item, "b", field->b, "world");
    bool found = !item->faulty && (field->body_a >= 0 || strcmp(field->a, "world") == 0) &&
                 (field->body_b >= 0 || field->b == NULL || strcmp(field->b, "world") == 0);
    if (found && field->body_a == field->body_b) {
        sn_checker_fail(c, item->place,
                        "a spring joins %s%s%s to itself, expected two different ends",
                        field->body_a < 0 ? "the world" : "\"", field->body_a < 0 ? "" : field->a,
                        field->body_a < 0 ? "" : "\"");
    } else if (found) {
        check_integrators(c, field);
    }
}

// Which letters of SN_QUANTITY_LIST a target has, and how they are called.
static const char *const quantity_of[] = {
#define X(name, word, unit, of) of,
    SN_QUANTITY_LIST(X)
#undef X
};
static const char *const quantity_words[] = {
#define X(name, word, unit, of) word,
    SN_QUANTITY_LIST(X)
#undef X
};
static const char *const quantity_units[] = {
#define X(name, word, unit, of) unit,
    SN_QUANTITY_LIST(X)
#undef X
};

// What the letters of SN_QUANTITY_LIST are called.
static const char *letter_text(char letter)
{
    return letter == 'w'   ? "the world"
           : letter == 'b' ? "a body"
           : letter == 'j' ? "a joint"
           : letter == 'o' ? "a bond"
                           : "a spring";
}

// What `of` names, and its letter; 0 when it is not there.
static char find_thing(const sn_checker *c, const char *of, sn_target *target)
{
    const sn_root_item *root = &c->scene->root;
    *target = (sn_target){-1, -1, -1, -1};
    if (of == NULL || strcmp(of, "world") == 0) {
        return 'w';
    }
    int found = (int)sn_name_table_find(&c->things, of);
    if (found == 0) {
        return 0;
    }
    if (found <= root->bodies.count) {
        target->body = found - 1;
        return 'b';
    }
    found -= root->bodies.count;
    if (found <= root->fields.count) {
        target->field = found - 1;
        return 'f';
    }
    found -= root->fields.count;
    if (found <= root->joints.count) {
        target->joint = found - 1;
        return 'j';
    }
    target->bond = found - root->joints.count - 1;
    return 'o';
}

static sn_status check_freedom(const sn_joint_item *joint, int quantity, sn_error *error)
{
    sn_joint_type type = (sn_joint_type)joint->type;
    return joint->item.faulty || sn_joint_quantity_fits((sn_quantity)quantity, type)
               ? SN_OK
               : sn_fail(error, SN_ERROR_SCENE, "quantity",
                         "\"%s\" is of freedom %d, and the %s \"%.60s\" has %d",
                         quantity_words[quantity],
                         sn_joint_quantity_of((sn_quantity)quantity).freedom + 1,
                         sn_joint_type_word(type), joint->name, sn_joint_type_freedoms(type));
}

sn_status sn_checker_find_target(const sn_checker *c, const char *of, int quantity,
                                 sn_target *target, sn_error *error)
{
    const sn_root_item *root = &c->scene->root;
    char letter = find_thing(c, of, target);
    if (letter == 0) {
        const sn_item_list *lists[] = {&root->bodies, &root->fields, &root->joints, &root->bonds};
        sn_error inner = {0};
        miss_reference(&inner, of, "body, joint, bond or field", lists, 4, "world");
        return sn_fail(error, SN_ERROR_SCENE, "of", "%s", inner.text);
    }
    const char *letters = quantity_of[quantity];
    bool drag =
        letter == 'f' && SN_FIELD(c->scene, target->field)->item.table->id != SN_SCENE_SPRING;
    if (strchr(letters, letter) == NULL || drag) {
        return sn_fail(error, SN_ERROR_SCENE, "quantity", "%s has no \"%s\", expected it of %s%s%s",
                       drag ? "a drag field" : letter_text(letter), quantity_words[quantity],
                       letter_text(letters[0]), letters[1] == 'w' ? " or the world" : "",
                       letter == 'w' ? " (name it in \"of\")" : "");
    }
    bool elastic = quantity == SN_QUANTITY_ELASTIC_ENERGY || quantity == SN_QUANTITY_LEAST_STRETCH;
    if (elastic && !sn_body_item_may_be(SN_BODY(c->scene, target->body), SN_BODY_ELASTIC)) {
        return sn_fail(error, SN_ERROR_SCENE, "quantity", "\"%s\" is of elastic bodies",
                       quantity_words[quantity]);
    }
    return letter == 'j' ? check_freedom(SN_JOINT(c->scene, target->joint), quantity, error)
                         : SN_OK;
}

static sn_target find_target(sn_checker *c, const sn_item *item, const char *of, int quantity)
{
    sn_target target;
    sn_error error = {0};
    if (sn_checker_find_target(c, of, quantity, &target, &error) != SN_OK) {
        sn_checker_fail(c, sn_item_place(item, error.place), "%s", error.text);
    }
    return target;
}

static void check_point(sn_checker *c, const sn_item *item, sn_target target, int quantity)
{
    if (sn_item_gives(item, "point") &&
        (target.body < 0 || !sn_quantity_has_point((sn_quantity)quantity))) {
        sn_checker_fail(c, sn_item_place(item, "point"),
                        "\"%s\" is not of a point; expected position, velocity or speed of a body, "
                        "or no \"point\"",
                        quantity_words[quantity]);
    }
}

// The unit of what an event watches; a joint's depends on its freedom.
static const char *unit_of(const sn_checker *c, sn_target target, int quantity)
{
    if (target.joint < 0) {
        return quantity_units[quantity];
    }
    return sn_joint_quantity_unit((sn_quantity)quantity,
                                  (sn_joint_type)SN_JOINT(c->scene, target.joint)->type);
}

static void check_event(sn_checker *c, sn_event_item *event)
{
    event->target = find_target(c, &event->item, event->of, event->quantity);
    check_point(c, &event->item, event->target, event->quantity);
    const char *text = unit_of(c, event->target, event->quantity);
    sn_unit unit;
    char name[96];
    if (event->threshold.has_dimension &&
        sn_units_read_unit(text, strlen(text), &unit, NULL) == SN_OK &&
        !sn_dimension_accepts(unit.dimension, event->threshold.dimension)) {
        sn_checker_fail(c, sn_item_place(&event->item, "threshold"),
                        "\"threshold\": expected a number in %s for \"%s\", got %s", text,
                        quantity_words[event->quantity],
                        sn_dimension_describe(event->threshold.dimension, name));
    }
}

static void add_motion(sn_checker *c, sn_motion_item *motion)
{
    motion->order = c->scene->motions.count;
    if (!sn_array_push(&c->scene->motions, motion)) {
        sn_checker_note(c, SN_ERROR_MEMORY);
        return;
    }
    sn_check_motion(c, motion);
}

// All motions into one list, and from each drive and wind to the one it follows.
static void collect_motions(sn_checker *c)
{
    const sn_root_item *root = &c->scene->root;
    for (int i = 0; i < root->motions.count && c->first != SN_ERROR_MEMORY; ++i) {
        add_motion(c, SN_MOTION(c->scene, i));
    }
    for (int i = 0; i < root->joints.count; ++i) {
        const sn_joint_item *joint = SN_JOINT(c->scene, i);
        for (int k = 0; k < joint->drive.count && c->first != SN_ERROR_MEMORY; ++k) {
            sn_drive_item *drive = (sn_drive_item *)joint->drive.data[k];
            if (drive->motion.own.count > 0) {
                drive->motion_item = (sn_motion_item *)drive->motion.own.data[0];
                add_motion(c, drive->motion_item);
            }
        }
    }
    for (int i = 0; i < root->fields.count && c->first != SN_ERROR_MEMORY; ++i) {
        sn_wind_item *wind = &SN_FIELD(c->scene, i)->wind;
        if (wind->strength.own.count > 0) {
            wind->strength_item = (sn_motion_item *)wind->strength.own.data[0];
            add_motion(c, wind->strength_item);
        }
    }
}

sn_status sn_check_structure(sn_scene *scene, sn_error_list *errors)
{
    sn_checker c = {.scene = scene, .errors = errors};
    sn_root_item *root = &scene->root;
    check_unique(&c, &root->params, "param");
    check_unique(&c, &root->probes, "probe");
    check_unique(&c, &root->events, "event");
    check_unique(&c, &root->robots, "robot");
    check_unique(&c, &root->mobiles, "mobile");
    check_unique(&c, &root->behaviours, "behaviour");
    uint32_t bodies = (uint32_t)root->bodies.count, fields = (uint32_t)root->fields.count;
    put_names(&c, &c.materials, &root->materials, 0, "material");
    put_names(&c, &c.motions, &root->motions, 0, "motion");
    put_names(&c, &c.things, &root->bodies, 0, "body");
    put_names(&c, &c.things, &root->fields, bodies, "field");
    put_names(&c, &c.things, &root->joints, bodies + fields, "joint");
    put_names(&c, &c.things, &root->bonds, bodies + fields + (uint32_t)root->joints.count, "bond");
    name_fields(&c);
    name_bonds(&c);
    name_couplings(&c);
    collect_motions(&c);
    for (int i = 0; i < root->materials.count; ++i) {
        sn_check_material(&c, SN_MATERIAL(scene, i));
    }
    for (int i = 0; i < root->bodies.count && c.first != SN_ERROR_MEMORY; ++i) {
        check_body(&c, SN_BODY(scene, i));
    }
    sn_check_groups(&c);
    sn_check_contact(&c);
    for (int i = 0; i < root->joints.count && c.first != SN_ERROR_MEMORY; ++i) {
        sn_check_joint(&c, SN_JOINT(scene, i));
    }
    for (int i = 0; i < root->couplings.count && c.first != SN_ERROR_MEMORY; ++i) {
        sn_check_coupling(&c, SN_COUPLING(scene, i));
    }
    for (int i = 0; i < root->bonds.count && c.first != SN_ERROR_MEMORY; ++i) {
        sn_check_bond(&c, SN_BONDING(scene, i));
    }
    for (int i = 0; i < root->fields.count && c.first != SN_ERROR_MEMORY; ++i) {
        check_field(&c, SN_FIELD(scene, i));
    }
    for (int i = 0; i < root->probes.count && c.first != SN_ERROR_MEMORY; ++i) {
        sn_probe_item *probe = SN_PROBE(scene, i);
        if (probe->item.faulty) {
            continue;
        }
        probe->target = find_target(&c, &probe->item, probe->of, probe->quantity);
        check_point(&c, &probe->item, probe->target, probe->quantity);
    }
    for (int i = 0; i < root->events.count && c.first != SN_ERROR_MEMORY; ++i) {
        if (!SN_EVENT(scene, i)->item.faulty) {
            check_event(&c, SN_EVENT(scene, i));
        }
    }
    sn_check_behaviours(&c);
    sn_name_table_free(&c.materials);
    sn_name_table_free(&c.motions);
    sn_name_table_free(&c.things);
    return c.first;
}

// ---- numbers ----

void sn_checker_rotation(sn_checker *c, const sn_item *item, const sn_rotation_value *rotation)
{
    const double *n = rotation->numbers;
    int count = rotation->kind == SN_ROTATION_QUATERNION ? 4
                : rotation->kind == SN_ROTATION_AXIS     ? 3
                                                         : 0;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += n[i] * n[i];
    }
    if (count > 0 && !(sum > 1e-200 && sum < 1e200)) {
        sn_checker_fail(c, sn_item_place(item, "rotation"),
                        "\"rotation\": the %s has no direction, expected a length near 1",
                        count == 4 ? "quaternion" : "axis");
    }
}

sn_status sn_check_values(const sn_scene *scene, sn_error_list *errors)
{
    sn_checker c = {.scene = (sn_scene *)scene, .errors = errors};
    for (int i = 0; i < scene->root.materials.count; ++i) {
        sn_check_material_values(&c, SN_MATERIAL(scene, i));
    }
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        const sn_body_item *body = SN_BODY(scene, i);
        const sn_item_list *shapes = sn_body_item_shapes(body);
        if (body->type == SN_BODY_ELASTIC) {
            sn_check_elastic_values(&c, body);
        }
        sn_checker_rotation(&c, &body->item, &body->rotation);
        for (int k = 0; k < shapes->count; ++k) {
            sn_check_shape_values(&c, (const sn_shape_item *)shapes->data[k]);
        }
    }
    for (int i = 0; i < scene->root.joints.count; ++i) {
        sn_check_joint_values(&c, SN_JOINT(scene, i));
    }
    for (int i = 0; i < scene->motions.count; ++i) {
        sn_check_motion_values(&c, scene->motions.data[i]);
    }
    for (int i = 0; i < scene->root.couplings.count; ++i) {
        sn_check_coupling_values(&c, SN_COUPLING(scene, i));
    }
    for (int i = 0; i < scene->root.bonds.count; ++i) {
        sn_check_bond_values(&c, SN_BONDING(scene, i));
    }
    for (int i = 0; i < scene->root.robots.count; ++i) {
        sn_check_robot_values(&c, SN_ROBOT(scene, i));
    }
    const sn_camera_item *camera = &scene->root.camera;
    if (sn_item_gives(&scene->root.item, "camera") &&
        sn_distance(camera->position, camera->target) == 0.0) {
        sn_checker_fail(&c, camera->item.place,
                        "the camera's position is its target, expected two different points");
    }
    return c.first;
}

// ---- masses ----

static sn_status check_mass(const sn_scene *scene, const sn_body_item *body, sn_shape_array *shapes,
                            sn_error *error)
{
    sn_body_def def;
    if (body->type != SN_BODY_ELASTIC) {
        return sn_body_item_def(scene, body, shapes, &def, error);
    }
    sn_elastic_def elastic;
    sn_elastic_parts parts;
    sn_status status = sn_body_item_elastic(scene, body, &parts, &elastic, error);
    sn_elastic_parts_free(&parts);
    return status;
}

sn_status sn_check_masses(const sn_scene *scene, sn_error_list *errors)
{
    sn_shape_array shapes = {0};
    sn_status first = SN_OK;
    for (int i = 0; i < scene->root.bodies.count && first != SN_ERROR_MEMORY; ++i) {
        sn_error error = {0};
        sn_status status = check_mass(scene, SN_BODY(scene, i), &shapes, &error);
        if (status != SN_OK && status != SN_ERROR_MEMORY) {
            status = sn_error_list_add_error(errors, &error);
        }
        first = first == SN_OK || status == SN_ERROR_MEMORY ? status : first;
    }
    sn_array_free(&shapes);
    return first;
}
