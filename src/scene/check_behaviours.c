// Behaviours: what they name, the variables of their expressions, and the expressions themselves.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "scene/checker.h"

// They are found by comparing names, and each knows the variables of all it is within.
enum { BEHAVIOUR_LIMIT = 1000, VARIABLE_LIMIT = 100, DEPTH_LIMIT = 16 };

// While the statements of one behaviour are checked.
typedef struct scribe {
    sn_checker *c;
    sn_behaviour_item *behaviour;
    sn_expression_scope scope;
} scribe;

// ---- among themselves ----

static int find_named(const sn_item_list *list, const char *name)
{
    for (int i = 0; i < list->count && name != NULL; ++i) {
        const char *other = ((const sn_named_item *)list->data[i])->name;
        if (other != NULL && strcmp(other, name) == 0) {
            return i;
        }
    }
    return -1;
}

// Index of what a key names; -1 when it is not given, or is not there, which is a mistake.
static int find_reference(sn_checker *c, const sn_item *item, const char *key, const char *name,
                          const char *what, const sn_item_list *list)
{
    int found = find_named(list, name);
    if (found < 0 && name != NULL) {
        sn_checker_fail_reference(c, sn_item_place(item, key), name, what, list);
    }
    return found;
}

static void find_relations(sn_checker *c, sn_behaviour_item *behaviour)
{
    sn_root_item *root = &c->scene->root;
    const sn_item *item = &behaviour->item;
    behaviour->event = find_reference(c, item, "on", behaviour->on, "event", &root->events);
    behaviour->parent =
        find_reference(c, item, "within", behaviour->within, "behaviour", &root->behaviours);
    if (behaviour->event >= 0 &&
        !sn_item_gives(&SN_EVENT(c->scene, behaviour->event)->item, "action")) {
        SN_EVENT(c->scene, behaviour->event)->action = SN_EVENT_START;
    }
}

// Names the behaviours from one that is within itself around to it again. Told once, for the first
// of them in the file.
static void fail_circle(sn_checker *c, int index)
{
    const sn_scene *scene = c->scene;
    char text[400];
    int at = index, lowest = index;
    size_t length = (size_t)snprintf(text, sizeof text, "%.60s", SN_BEHAVIOUR(scene, index)->name);
    do {
        at = SN_BEHAVIOUR(scene, at)->parent;
        lowest = at < lowest ? at : lowest;
        if (length + 80 < sizeof text) {
            length += (size_t)snprintf(text + length, sizeof text - length, " -> %.60s",
                                       SN_BEHAVIOUR(scene, at)->name);
        }
    } while (at != index);
    if (lowest == index) {
        sn_checker_fail(c, sn_item_place(&SN_BEHAVIOUR(scene, index)->item, "within"),
                        "behaviours are within each other in a circle: %s", text);
    }
}

// Does the way outwards end?
static bool check_depth(sn_checker *c, int index)
{
    const sn_scene *scene = c->scene;
    int at = SN_BEHAVIOUR(scene, index)->parent, depth = 0;
    while (at >= 0 && at != index && depth <= scene->root.behaviours.count) {
        at = SN_BEHAVIOUR(scene, at)->parent;
        depth += 1;
    }
    if (at == index) {
        fail_circle(c, index);
    } else if (at < 0 && depth > DEPTH_LIMIT) {
        sn_checker_fail(c, sn_item_place(&SN_BEHAVIOUR(scene, index)->item, "within"),
                        "behaviours are nested more than %d deep, expected fewer", DEPTH_LIMIT);
    }
    return at < 0 && depth <= DEPTH_LIMIT;
}

// ---- variables ----

// The enclosing behaviour that has a variable of this name; NULL: none.
static const sn_behaviour_item *find_owner(const sn_scene *scene,
                                           const sn_behaviour_item *behaviour, const char *name)
{
    int at = behaviour->parent;
    while (at >= 0 && find_named(&SN_BEHAVIOUR(scene, at)->variables, name) < 0) {
        at = SN_BEHAVIOUR(scene, at)->parent;
    }
    return at >= 0 ? SN_BEHAVIOUR(scene, at) : NULL;
}

static void check_variable(sn_checker *c, const sn_behaviour_item *behaviour,
                           const sn_variable_item *variable)
{
    const sn_root_item *root = &c->scene->root;
    const char *name = variable->name != NULL ? variable->name : "";
    const sn_behaviour_item *owner = find_owner(c->scene, behaviour, name);
    sn_place place = variable->item.place;
    if (!sn_expression_is_word(name)) {
        sn_checker_fail(c, place,
                        "the variable \"%.60s\" cannot be used in expressions, expected letters, "
                        "digits and _",
                        name);
    } else if (sn_expression_reserves(name) || strcmp(name, "time") == 0 ||
               strcmp(name, "probe") == 0 || strcmp(name, "of") == 0) {
        sn_checker_fail(c, place,
                        "\"%s\" has a meaning of its own in expressions, expected "
                        "another name for a variable",
                        name);
    } else if (find_named(&root->params, name) >= 0 || find_named(&root->probes, name) >= 0) {
        sn_checker_fail(c, place, "the variable \"%.60s\" has the name of a %s, expected another",
                        name, find_named(&root->params, name) >= 0 ? "param" : "probe");
    } else if (owner != NULL) {
        sn_checker_fail(c, place,
                        "the variable \"%.60s\" has the name of one of \"%.60s\", which this "
                        "behaviour is within; expected another",
                        name, owner->name);
    }
}

// Names in the order of script.h's values: params, time, own variables, enclosing ones.
static bool make_names(sn_checker *c, const sn_behaviour_item *behaviour,
                       sn_expression_scope *scope)
{
    const sn_scene *scene = c->scene;
    int params = scene->root.params.count, count = params + 1;
    for (const sn_behaviour_item *b = behaviour; b != NULL;
         b = b->parent >= 0 ? SN_BEHAVIOUR(scene, b->parent) : NULL) {
        count += b->variables.count;
    }
    const char **names = sn_arena_allocate(&c->scene->arena, (size_t)count * sizeof *names);
    if (names == NULL) {
        sn_checker_note(c, SN_ERROR_MEMORY);
        return false;
    }
    memcpy(names, scene->param_names, (size_t)params * sizeof *names);
    names[params] = "time";
    count = params + 1;
    for (const sn_behaviour_item *b = behaviour; b != NULL;
         b = b->parent >= 0 ? SN_BEHAVIOUR(scene, b->parent) : NULL) {
        for (int i = 0; i < b->variables.count; ++i) {
            const char *name = ((const sn_variable_item *)b->variables.data[i])->name;
            names[count++] = name != NULL ? name : "";
        }
    }
    scope->names = names;
    scope->name_count = count;
    return true;
}

// ---- expressions ----

static sn_status find_probe(const scribe *s, const char *name, sn_reading *reading, sn_error *error)
{
    const sn_scene *scene = s->c->scene;
    int found = find_named(&scene->root.probes, name);
    if (found < 0) {
        return sn_checker_miss_reference(error, name, "probe", &scene->root.probes);
    }
    const sn_probe_item *probe = SN_PROBE(scene, found);
    bool at_point = sn_item_gives(&probe->item, "point");
    *reading = (sn_reading){probe->target, probe->quantity, at_point ? probe : NULL};
    return SN_OK;
}

static sn_status find_quantity(const scribe *s, const char *thing, const char *word,
                               sn_reading *reading, sn_error *error)
{
    reading->quantity = sn_quantity_find(word);
    if (reading->quantity < 0) {
        static const char *const words[] = {
#define X(name, text, unit, of) text,
            SN_QUANTITY_LIST(X)
#undef X
        };
        const char *near = sn_suggest(word, words, SN_QUANTITY_COUNT);
        return sn_fail(error, SN_ERROR_SCENE, NULL, "there is no quantity \"%.60s\"%s%s%s", word,
                       near != NULL ? "; did you mean \"" : ", expected one such as \"speed\"",
                       near != NULL ? near : "", near != NULL ? "\"?" : "");
    }
    return sn_checker_find_target(s->c, thing, reading->quantity, &reading->target, error);
}

static bool same_reading(const sn_reading *a, const sn_reading *b)
{
    return a->quantity == b->quantity && a->probe == b->probe && a->target.body == b->target.body &&
           a->target.field == b->target.field && a->target.joint == b->target.joint;
}

static sn_status find_reading(void *user, const char *thing, const char *quantity, int *number,
                              sn_error *error)
{
    const scribe *s = user;
    sn_reading reading = {0};
    sn_status status = quantity == NULL ? find_probe(s, thing, &reading, error)
                                        : find_quantity(s, thing, quantity, &reading, error);
    if (status != SN_OK) {
        return status;
    }
    sn_behaviour_item *behaviour = s->behaviour;
    for (*number = 0; *number < behaviour->readings.count; ++*number) {
        if (same_reading(&behaviour->readings.data[*number], &reading)) {
            return SN_OK;
        }
    }
    return sn_array_push(&behaviour->readings, reading) ? SN_OK
                                                        : sn_fail_memory(error, sizeof reading);
}

static void compile(scribe *s, sn_formula *formula)
{
    if (formula->text == NULL || s->c->first == SN_ERROR_MEMORY) {
        return;
    }
    int offset = 0;
    sn_error error = {0};
    sn_status status = sn_expression_compile_in(formula->text, strlen(formula->text), &s->scope,
                                                &formula->expression, &offset, &error);
    if (status == SN_ERROR_MEMORY) {
        sn_checker_note(s->c, status);
    } else if (status != SN_OK) {
        sn_checker_fail(
            s->c,
            sn_expression_place(formula->place, formula->text, formula->exact_columns, offset),
            "%s", error.text);
    }
}

static void compile_all(scribe *s, sn_statement_item *statement)
{
    compile(s, &statement->value);
    compile(s, &statement->stiffness);
    compile(s, &statement->damping);
    compile(s, &statement->force_limit);
    for (int i = 0; i < 3; ++i) {
        compile(s, &statement->force[i]);
        compile(s, &statement->at[i]);
        compile(s, &statement->torque[i]);
    }
}

// ---- statements ----

static void check_let(scribe *s, sn_statement_item *statement)
{
    const sn_behaviour_item *behaviour = s->behaviour;
    statement->order = find_named(&behaviour->variables, statement->name);
    if (statement->order >= 0) {
        return;
    }
    const sn_behaviour_item *owner = find_owner(s->c->scene, behaviour, statement->name);
    sn_place place = sn_item_place(&statement->item, "let");
    if (owner != NULL) {
        sn_checker_fail(s->c, place,
                        "the variable \"%.60s\" belongs to \"%.60s\", which alone can change it; "
                        "expected one of this behaviour's own",
                        statement->name, owner->name);
    } else {
        sn_checker_fail_reference(s->c, place, statement->name, "variable", &behaviour->variables);
    }
}

static bool check_unit(scribe *s, const sn_statement_item *statement, const char *key,
                       const sn_formula *formula, sn_dimension_id sliding, sn_dimension_id turning)
{
    return sn_check_freedom_unit(s->c, SN_JOINT(s->c->scene, statement->order),
                                 sn_statement_item_freedom(statement), key, &formula->quantity,
                                 formula->place, sliding, turning);
}

// A target alone may be of any kind of drive.
static void check_target_unit(scribe *s, const sn_statement_item *statement)
{
    static const struct {
        sn_dimension_id sliding, turning;
    } kinds[] = {{SN_SPEED, SN_ANGULAR_SPEED}, {SN_FORCE, SN_TORQUE}};
    const sn_joint_item *joint = SN_JOINT(s->c->scene, statement->order);
    bool turns =
        sn_joint_type_turns((sn_joint_type)joint->type, sn_statement_item_freedom(statement));
    const sn_quantity_value *target = &statement->value.quantity;
    for (int i = 0; i < 2; ++i) {
        sn_dimension_id wanted = turns ? kinds[i].turning : kinds[i].sliding;
        if (sn_dimension_accepts(sn_dimension_powers(wanted), target->dimension)) {
            return;
        }
    }
    check_unit(s, statement, "target", &statement->value, SN_LENGTH, SN_ANGLE);
}

// The joint, and its freedom counted from 0.
static bool check_joint(scribe *s, sn_statement_item *statement)
{
    const char *lead = statement->item.table->lead;
    statement->order = sn_checker_find_joint(s->c, &statement->item, lead, statement->name);
    int freedom = sn_statement_item_freedom(statement);
    if (statement->order < 0 || SN_JOINT(s->c->scene, statement->order)->item.faulty) {
        return false;
    }
    sn_joint_type type = (sn_joint_type)SN_JOINT(s->c->scene, statement->order)->type;
    int freedoms = sn_joint_type_freedoms(type);
    bool there = freedom < freedoms;
    if (!there) {
        sn_checker_fail(s->c,
                        sn_item_place(&statement->item, sn_item_gives(&statement->item, "freedom")
                                                            ? "freedom"
                                                            : lead),
                        "\"%s\" is of freedom %d, and the %s \"%.60s\" has %d", lead, freedom + 1,
                        sn_joint_type_word(type), statement->name, freedoms);
    }
    return there;
}

static void fail_key(scribe *s, const sn_statement_item *statement, const char *key,
                     const char *types)
{
    if (sn_item_gives(&statement->item, key)) {
        sn_checker_fail(s->c, sn_item_place(&statement->item, key),
                        "a %s drive takes no \"%s\"; expected none, or the type %s",
                        sn_drive_type_word((sn_drive_type)statement->type), key, types);
    }
}

static void check_drive_motion(scribe *s, sn_statement_item *statement)
{
    const sn_scene *scene = s->c->scene;
    statement->motion_order = find_reference(s->c, &statement->item, "motion", statement->motion,
                                             "motion", &scene->root.motions);
    if (statement->motion_order < 0 || SN_MOTION(scene, statement->motion_order)->item.faulty) {
        return;
    }
    const sn_motion_item *motion = SN_MOTION(scene, statement->motion_order);
    if (statement->type == SN_DRIVE_MOTION && motion->type == SN_MOTION_STEP) {
        sn_checker_fail(s->c, sn_item_place(&statement->item, "motion"),
                        "a motion of type \"step\" jumps, and a motion drive follows exactly; "
                        "expected spline, smooth or linear, or a position drive");
    }
}

static void check_drive_keys(scribe *s, const sn_statement_item *statement)
{
    const sn_item *item = &statement->item;
    bool none = statement->type == SN_DRIVE_NONE, position = statement->type == SN_DRIVE_POSITION;
    bool target = sn_item_gives(item, "target"), motion = sn_item_gives(item, "motion");
    if (none) {
        fail_key(s, statement, "target", "of another drive");
        fail_key(s, statement, "motion", "of another drive");
    } else if (target == motion) {
        sn_checker_fail(s->c, target ? sn_item_place(item, "motion") : item->place,
                        target ? "a %s drive has both \"target\" and \"motion\", expected one of "
                                 "them"
                               : "a %s drive needs \"target\" or \"motion\"",
                        sn_drive_type_word((sn_drive_type)statement->type));
    }
    if (!position) {
        fail_key(s, statement, "stiffness", "\"position\"");
        fail_key(s, statement, "damping", "\"position\"");
    }
    if (!position && statement->type != SN_DRIVE_VELOCITY) {
        fail_key(s, statement, "force_limit", "\"velocity\" or \"position\"");
    }
}

static void check_drive(scribe *s, sn_statement_item *statement)
{
    check_drive_keys(s, statement);
    check_drive_motion(s, statement);
    static const sn_dimension_id sliding[] = {[SN_DRIVE_NONE] = SN_LENGTH,
                                              [SN_DRIVE_FORCE] = SN_FORCE,
                                              [SN_DRIVE_VELOCITY] = SN_SPEED,
                                              [SN_DRIVE_POSITION] = SN_LENGTH,
                                              [SN_DRIVE_MOTION] = SN_LENGTH};
    static const sn_dimension_id turning[] = {[SN_DRIVE_NONE] = SN_ANGLE,
                                              [SN_DRIVE_FORCE] = SN_TORQUE,
                                              [SN_DRIVE_VELOCITY] = SN_ANGULAR_SPEED,
                                              [SN_DRIVE_POSITION] = SN_ANGLE,
                                              [SN_DRIVE_MOTION] = SN_ANGLE};
    check_unit(s, statement, "target", &statement->value, sliding[statement->type],
               turning[statement->type]);
    check_unit(s, statement, "stiffness", &statement->stiffness, SN_STIFFNESS,
               SN_ANGULAR_STIFFNESS);
    check_unit(s, statement, "damping", &statement->damping, SN_DAMPING, SN_ANGULAR_DAMPING);
    check_unit(s, statement, "force_limit", &statement->force_limit, SN_FORCE, SN_TORQUE);
}

static void check_push(scribe *s, sn_statement_item *statement)
{
    const sn_item *item = &statement->item;
    statement->order = sn_checker_find_body(s->c, item, "push", statement->name, NULL);
    if (statement->order >= 0 && !SN_BODY(s->c->scene, statement->order)->item.faulty &&
        SN_BODY(s->c->scene, statement->order)->type == SN_BODY_STATIC) {
        sn_checker_fail(s->c, sn_item_place(item, "push"),
                        "\"%.60s\" is static and cannot be pushed; expected a rigid body",
                        statement->name);
    }
    bool force = sn_item_gives(item, "force");
    if (!force && !sn_item_gives(item, "torque")) {
        sn_checker_fail(s->c, item->place, "a push needs \"force\" or \"torque\", or both");
    } else if (!force && sn_item_gives(item, "at")) {
        sn_checker_fail(s->c, sn_item_place(item, "at"),
                        "a push without \"force\" takes no \"at\"; a torque has no place");
    }
}

static void check_statement(scribe *s, sn_statement_item *statement)
{
    switch ((sn_scene_statement)statement->item.table->id) {
    case SN_SCENE_LET:
        check_let(s, statement);
        break;
    case SN_SCENE_SET:
        if (check_joint(s, statement)) {
            SN_JOINT(s->c->scene, statement->order)->steered = true;
            check_target_unit(s, statement);
        }
        break;
    case SN_SCENE_DRIVE:
        if (check_joint(s, statement)) {
            SN_JOINT(s->c->scene, statement->order)->steered = true;
            check_drive(s, statement);
        }
        break;
    case SN_SCENE_PUSH:
        check_push(s, statement);
        break;
    case SN_SCENE_FORCE:
        if (check_joint(s, statement)) {
            check_unit(s, statement, "value", &statement->value, SN_FORCE, SN_TORQUE);
        }
        break;
    case SN_SCENE_START:
    case SN_SCENE_STOP:
        statement->order =
            find_reference(s->c, &statement->item, statement->item.table->lead, statement->name,
                           "behaviour", &s->c->scene->root.behaviours);
        break;
    case SN_SCENE_BREAK:
        statement->order = sn_checker_find_joint_or_bond(s->c, &statement->item, "break",
                                                         statement->name, &statement->bond);
        if (statement->order >= 0 && !statement->bond) {
            SN_JOINT(s->c->scene, statement->order)->breakable = true;
        }
        break;
    case SN_SCENE_IF:
        break;
    }
}

static void check_statements(scribe *s, const sn_item_list *list)
{
    for (int i = 0; i < list->count && s->c->first != SN_ERROR_MEMORY; ++i) {
        sn_statement_item *statement = (sn_statement_item *)list->data[i];
        if (!statement->item.faulty) {
            check_statement(s, statement);
            compile_all(s, statement);
        }
        check_statements(s, &statement->then);
        check_statements(s, &statement->otherwise);
    }
}

static void check_behaviour(sn_checker *c, sn_behaviour_item *behaviour, const char *const *probes,
                            int probe_count)
{
    if (behaviour->variables.count > VARIABLE_LIMIT) {
        sn_checker_fail(c, sn_item_place(&behaviour->item, "variables"),
                        "%d variables, expected at most %d", behaviour->variables.count,
                        VARIABLE_LIMIT);
        return;
    }
    for (int i = 0; i < behaviour->variables.count; ++i) {
        check_variable(c, behaviour, (const sn_variable_item *)behaviour->variables.data[i]);
    }
    scribe s = {.c = c,
                .behaviour = behaviour,
                .scope = {.named = "a variable, a param, a probe, time",
                          .find = find_reading,
                          .probes = probes,
                          .probe_count = probe_count}};
    s.scope.user = &s;
    if (make_names(c, behaviour, &s.scope)) {
        check_statements(&s, &behaviour->statements);
    }
}

// Probes that can be written without probe(...).
static const char **plain_probes(sn_checker *c, int *count)
{
    const sn_item_list *probes = &c->scene->root.probes;
    const char **words =
        sn_arena_allocate(&c->scene->arena, ((size_t)probes->count + 1) * sizeof *words);
    *count = 0;
    for (int i = 0; i < probes->count && words != NULL; ++i) {
        const char *name = SN_PROBE(c->scene, i)->name;
        if (name != NULL && sn_expression_is_word(name)) {
            words[(*count)++] = name;
        }
    }
    return words;
}

void sn_check_behaviours(sn_checker *c)
{
    const sn_scene *scene = c->scene;
    int count = scene->root.behaviours.count, probe_count;
    if (count == 0 || scene->param_names == NULL) {
        return;
    }
    if (count > BEHAVIOUR_LIMIT) {
        sn_checker_fail(c, sn_item_place(&scene->root.item, "behaviours"),
                        "%d behaviours, expected at most %d", count, BEHAVIOUR_LIMIT);
        return;
    }
    for (int i = 0; i < count; ++i) {
        find_relations(c, SN_BEHAVIOUR(scene, i));
    }
    bool sound = true;
    for (int i = 0; i < count; ++i) {
        sound = check_depth(c, i) && sound;
    }
    int clock = find_named(&scene->root.params, "time");
    if (clock >= 0) {
        sn_checker_fail(c, SN_PARAM(scene, clock)->item.place,
                        "\"time\" is the clock in behaviours, expected another name for a param");
    }
    const char **probes = plain_probes(c, &probe_count);
    if (probes == NULL) {
        sn_checker_note(c, SN_ERROR_MEMORY);
    }
    for (int i = 0; i < count && sound && c->first != SN_ERROR_MEMORY; ++i) {
        check_behaviour(c, SN_BEHAVIOUR(scene, i), probes, probe_count);
    }
}
