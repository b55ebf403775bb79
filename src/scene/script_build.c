// From a scene's behaviours to those of a world built from it.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/world.h"
#include "probe/reading.h"
#include "scene/motion_def.h"
#include "scene/script.h"

typedef struct builder {
    const sn_scene *scene;
    sn_world *world;
    sn_script *script; // of the behaviour under way
    sn_error *error;
} builder;

static void *allocate(builder *b, size_t count, size_t size)
{
    void *memory = sn_arena_allocate(&b->script->arena, count * size + 1);
    if (memory == NULL) {
        sn_fail_memory(b->error, count * size);
    }
    return memory;
}

// ---- what belongs to the whole script ----

static bool copy_sources(builder *b)
{
    int count = b->scene->sources.count;
    b->script->sources = allocate(b, (size_t)count, sizeof *b->script->sources);
    for (int i = 0; i < count && b->script->sources != NULL; ++i) {
        const char *name = b->scene->sources.data[i].name;
        b->script->sources[i] = sn_arena_text(&b->script->arena, name, strlen(name));
        if (b->script->sources[i] == NULL) {
            return false;
        }
    }
    return b->script->sources != NULL;
}

static sn_probe probe_of(const builder *b, const sn_reading *reading)
{
    const sn_scene *scene = b->scene;
    sn_target target = reading->target;
    sn_probe probe = {.quantity = (sn_quantity)reading->quantity};
    if (reading->probe != NULL) {
        probe.at_point = true;
        probe.point = reading->probe->point;
    }
    if (target.body >= 0) {
        probe.body = sn_world_find_body(b->world, SN_BODY(scene, target.body)->name);
    } else if (target.field >= 0) {
        probe.field = sn_world_find_field(b->world, SN_FIELD(scene, target.field)->name);
    } else if (target.joint >= 0) {
        probe.joint = sn_world_find_joint(b->world, SN_JOINT(scene, target.joint)->name);
    } else if (target.bond >= 0) {
        probe.bond = sn_world_find_bond(b->world, SN_BONDING(scene, target.bond)->name);
    }
    return probe;
}

static bool make_readings(builder *b, const sn_behaviour_item *item)
{
    sn_script *script = b->script;
    script->reading_count = item->readings.count;
    script->readings = allocate(b, (size_t)item->readings.count, sizeof *script->readings);
    for (int i = 0; i < item->readings.count && script->readings != NULL; ++i) {
        script->readings[i] = probe_of(b, &item->readings.data[i]);
        if (!sn_world_add_reading(b->world, &script->readings[i])) {
            sn_fail_memory(b->error, sizeof *script->readings);
            return false;
        }
    }
    return script->readings != NULL;
}

static sn_behaviour find_behaviour(const builder *b, int index)
{
    return sn_world_find_behaviour(b->world, SN_BEHAVIOUR(b->scene, index)->name);
}

static bool note_enclosing(builder *b, const sn_behaviour_item *item)
{
    sn_script *script = b->script;
    int depth = 0;
    for (int at = item->parent; at >= 0; at = SN_BEHAVIOUR(b->scene, at)->parent) {
        depth += 1;
    }
    script->param_count = b->scene->root.params.count;
    script->variable_count = item->variables.count;
    script->enclosing_count = depth;
    script->enclosing = allocate(b, (size_t)depth, sizeof *script->enclosing);
    depth = 0;
    for (int at = item->parent; at >= 0 && script->enclosing != NULL;
         at = SN_BEHAVIOUR(b->scene, at)->parent) {
        script->enclosing[depth++] = (sn_script_enclosing){
            find_behaviour(b, at), SN_BEHAVIOUR(b->scene, at)->variables.count};
    }
    return script->enclosing != NULL;
}

// ---- statements ----

// Copies formulas and all they stand on.
static bool copy_formulas(builder *b, const sn_formula *from, int count, const sn_formula **to)
{
    sn_formula *copies = allocate(b, (size_t)count, sizeof *copies);
    for (int i = 0; i < count && copies != NULL; ++i) {
        copies[i] = from[i];
        if (from[i].text == NULL) {
            continue;
        }
        const sn_expression *expression = &from[i].expression;
        copies[i].text = sn_arena_text(&b->script->arena, from[i].text, strlen(from[i].text));
        copies[i].expression.data =
            allocate(b, (size_t)expression->count, sizeof *expression->data);
        if (copies[i].text == NULL || copies[i].expression.data == NULL) {
            return false;
        }
        memcpy(copies[i].expression.data, expression->data,
               (size_t)expression->count * sizeof *expression->data);
    }
    *to = copies;
    return copies != NULL;
}

static bool copy_given(builder *b, const sn_statement_item *item, const char *key,
                       const sn_formula *from, int count, const sn_formula **to)
{
    return !sn_item_gives(&item->item, key) || copy_formulas(b, from, count, to);
}

static bool copy_statement_formulas(builder *b, const sn_statement_item *item, sn_script_step *step)
{
    static const char *const values[] = {"be", "target", "value", "if"};
    bool valued = false;
    for (int i = 0; i < 4; ++i) {
        valued = valued || sn_item_gives(&item->item, values[i]);
    }
    return (!valued || copy_formulas(b, &item->value, 1, &step->value)) &&
           copy_given(b, item, "stiffness", &item->stiffness, 1, &step->stiffness) &&
           copy_given(b, item, "damping", &item->damping, 1, &step->damping) &&
           copy_given(b, item, "force_limit", &item->force_limit, 1, &step->force_limit) &&
           (step->code != SN_SCRIPT_PUSH ||
            (copy_given(b, item, "force", item->force, 3, &step->force) &&
             copy_given(b, item, "at", item->at, 3, &step->at) &&
             copy_given(b, item, "torque", item->torque, 3, &step->torque)));
}

static bool make_motion(builder *b, const sn_statement_item *item, sn_script_step *step)
{
    if (item->motion == NULL) {
        return true;
    }
    sn_motion *motion = NULL;
    const sn_motion_item *given = SN_MOTION(b->scene, item->motion_order);
    if (sn_motion_item_create(b->scene, given, &motion, b->error) != SN_OK) {
        return false;
    }
    step->motion = motion; // the script's from here on
    return sn_world_add_motion(b->world, motion, b->error) == SN_OK;
}

static bool make_step(builder *b, const sn_statement_item *item)
{
    static const sn_script_code codes[] = {
        [SN_SCENE_LET] = SN_SCRIPT_LET,     [SN_SCENE_SET] = SN_SCRIPT_SET,
        [SN_SCENE_DRIVE] = SN_SCRIPT_DRIVE, [SN_SCENE_PUSH] = SN_SCRIPT_PUSH,
        [SN_SCENE_FORCE] = SN_SCRIPT_FORCE, [SN_SCENE_START] = SN_SCRIPT_START,
        [SN_SCENE_STOP] = SN_SCRIPT_STOP,   [SN_SCENE_BREAK] = SN_SCRIPT_BREAK,
        [SN_SCENE_IF] = SN_SCRIPT_IF,
    };
    sn_script_step *step = &b->script->steps[b->script->step_count++];
    step->code = item->bond ? SN_SCRIPT_UNBIND : codes[item->item.table->id];
    step->place = item->item.place;
    step->freedom = sn_statement_item_freedom(item);
    step->drive = (sn_drive_type)item->type;
    step->in_body = item->axes == 1;
    switch (step->code) {
    case SN_SCRIPT_LET:
        step->variable = item->order;
        break;
    case SN_SCRIPT_PUSH:
        step->body = sn_world_find_body(b->world, item->name);
        break;
    case SN_SCRIPT_UNBIND:
        step->bond = sn_world_find_bond(b->world, item->name);
        break;
    case SN_SCRIPT_START:
    case SN_SCRIPT_STOP:
        step->behaviour = find_behaviour(b, item->order);
        break;
    case SN_SCRIPT_IF:
    case SN_SCRIPT_JUMP:
        break;
    default:
        step->joint = sn_world_find_joint(b->world, item->name);
        break;
    }
    return copy_statement_formulas(b, item, step) && make_motion(b, item, step);
}

// if: jumps past `then` and the jump behind it; that one jumps past `else`.
static bool make_steps(builder *b, const sn_item_list *list)
{
    sn_script *script = b->script;
    for (int i = 0; i < list->count; ++i) {
        const sn_statement_item *item = (const sn_statement_item *)list->data[i];
        int first = script->step_count;
        if (!make_step(b, item)) {
            return false;
        }
        if (item->item.table->id != SN_SCENE_IF) {
            continue;
        }
        if (!make_steps(b, &item->then)) {
            return false;
        }
        int jump = script->step_count++;
        script->steps[jump].code = SN_SCRIPT_JUMP;
        script->steps[first].next = script->step_count;
        if (!make_steps(b, &item->otherwise)) {
            return false;
        }
        script->steps[jump].next = script->step_count;
    }
    return true;
}

static int count_steps(const sn_item_list *list)
{
    int count = list->count;
    for (int i = 0; i < list->count; ++i) {
        const sn_statement_item *item = (const sn_statement_item *)list->data[i];
        if (item->item.table->id == SN_SCENE_IF) {
            count += 1 + count_steps(&item->then) + count_steps(&item->otherwise);
        }
    }
    return count;
}

// ---- behaviours ----

// All but the steps: these may name behaviours that are not there yet.
static sn_status make_script(builder *b, const sn_behaviour_item *item)
{
    bool made = copy_sources(b) && make_readings(b, item) && note_enclosing(b, item);
    return made ? SN_OK : sn_fail_memory(b->error, 0);
}

static sn_status fill_script(builder *b, const sn_behaviour_item *item)
{
    size_t count = (size_t)count_steps(&item->statements);
    sn_error inner = {0};
    sn_error *error = b->error;
    b->error = &inner;
    b->script->steps = allocate(b, count, sizeof *b->script->steps);
    bool made = b->script->steps != NULL && make_steps(b, &item->statements);
    b->error = error;
    return made ? SN_OK
           : inner.code != SN_OK && inner.code != SN_ERROR_MEMORY
               ? sn_fail(error, inner.code, inner.place, "%s", inner.text)
               : sn_fail_memory(error, count * sizeof *b->script->steps);
}

static sn_status add_behaviour(builder *b, const sn_behaviour_item *item)
{
    const sn_scene *scene = b->scene;
    size_t count = (size_t)item->variables.count;
    sn_actor *actor = sn_actor_create(b->script, scene->param_values);
    double *memory = sn_allocate((count + 1) * sizeof *memory);
    if (actor == NULL || memory == NULL) {
        sn_actor_destroy(actor);
        sn_free(memory);
        return sn_fail_memory(b->error, sizeof *actor);
    }
    for (size_t i = 0; i < count; ++i) {
        memory[i] = ((const sn_variable_item *)item->variables.data[i])->value.number;
    }
    sn_behaviour_def def = sn_default_behaviour_def();
    def.name = item->name;
    def.act = sn_actor_act;
    def.user = actor;
    def.copy = sn_actor_copy;
    def.destroy = sn_actor_destroy;
    def.period = item->period;
    def.active = sn_behaviour_item_is_active(item);
    def.once = item->once;
    def.on = item->event >= 0 ? sn_world_find_event(b->world, item->on) : (sn_event){0};
    def.parent = item->parent >= 0 ? find_behaviour(b, item->parent) : (sn_behaviour){0};
    def.memory_count = (int)count;
    def.memory = memory;
    sn_behaviour behaviour;
    sn_status status = sn_world_add_behaviour(b->world, &def, &behaviour, b->error);
    sn_free(memory);
    if (status != SN_OK) {
        sn_actor_destroy(actor);
    }
    return status;
}

// In the order of the file, but each after the one it is within.
static sn_status add_with_parents(builder *b, int index, sn_script **scripts)
{
    const sn_behaviour_item *item = SN_BEHAVIOUR(b->scene, index);
    sn_status status = SN_OK;
    if (scripts[index] != NULL) {
        return SN_OK;
    }
    if (item->parent >= 0) {
        status = add_with_parents(b, item->parent, scripts);
    }
    if (status == SN_OK) {
        scripts[index] = b->script = sn_script_create();
        status =
            b->script != NULL ? make_script(b, item) : sn_fail_memory(b->error, sizeof *b->script);
    }
    return status == SN_OK ? add_behaviour(b, item) : status;
}

sn_status sn_scripts_build(const sn_scene *scene, sn_world *world, sn_error *error)
{
    int count = scene->root.behaviours.count;
    if (count == 0) {
        return SN_OK;
    }
    builder b = {.scene = scene, .world = world, .error = error};
    sn_script **scripts = sn_allocate_zero((size_t)count * sizeof(sn_script *));
    if (scripts == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof(sn_script *));
    }
    sn_status status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        status = add_with_parents(&b, i, scripts);
    }
    for (int i = 0; i < count && status == SN_OK; ++i) {
        b.script = scripts[i];
        status = fill_script(&b, SN_BEHAVIOUR(scene, i));
    }
    for (int i = 0; i < count; ++i) {
        sn_script_release(scripts[i]);
    }
    sn_free(scripts);
    return status;
}

void sn_scripts_update(const sn_scene *scene, sn_world *world)
{
    for (int i = 0; i < scene->root.behaviours.count; ++i) {
        sn_behaviour behaviour = sn_world_find_behaviour(world, SN_BEHAVIOUR(scene, i)->name);
        sn_actor *actor = sn_behaviour_user(world, behaviour);
        if (actor != NULL) {
            memcpy(actor->values, scene->param_values,
                   (size_t)actor->script->param_count * sizeof *actor->values);
        }
    }
}
