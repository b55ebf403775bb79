#include "scene/script.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"

// ---- owning ----

sn_script *sn_script_create(void)
{
    sn_script *script = sn_allocate_zero(sizeof *script);
    if (script != NULL) {
        atomic_init(&script->references, 1);
    }
    return script;
}

void sn_script_release(sn_script *script)
{
    // Release and acquire: what other threads read from the script happens before it is freed.
    if (script != NULL &&
        atomic_fetch_sub_explicit(&script->references, 1, memory_order_acq_rel) == 1) {
        for (int i = 0; i < script->step_count; ++i) {
            sn_motion_release(script->steps[i].motion);
        }
        sn_arena_free(&script->arena);
        sn_free(script);
    }
}

int sn_script_value_count(const sn_script *script)
{
    int count = script->param_count + 1 + script->variable_count;
    for (int i = 0; i < script->enclosing_count; ++i) {
        count += script->enclosing[i].count;
    }
    return count;
}

sn_actor *sn_actor_create(sn_script *script, const double *params)
{
    size_t count = (size_t)sn_script_value_count(script);
    sn_actor *actor = sn_allocate_zero(sizeof *actor + count * sizeof(double));
    if (actor == NULL) {
        return NULL;
    }
    atomic_fetch_add_explicit(&script->references, 1, memory_order_relaxed);
    actor->script = script;
    actor->values = (double *)(actor + 1);
    memcpy(actor->values, params, (size_t)script->param_count * sizeof *params);
    return actor;
}

void *sn_actor_copy(void *user)
{
    const sn_actor *actor = user;
    return sn_actor_create(actor->script, actor->values);
}

void sn_actor_destroy(void *user)
{
    sn_actor *actor = user;
    if (actor != NULL) {
        sn_script_release(actor->script);
        sn_free(actor);
    }
}

// ---- acting ----

typedef struct acting {
    const sn_script *script;
    sn_world *world;
    sn_behaviour self;
    double *values;
    sn_error *error;
} acting;

static sn_status fail_at(const acting *a, sn_place place, sn_status status, const char *name,
                         const char *text)
{
    char where[SN_PLACE_SIZE];
    snprintf(where, sizeof where, "%.200s:%d:%d", a->script->sources[place.source], place.line,
             place.column);
    return sn_fail(a->error, status, where, "%s%s%s", name, name[0] != '\0' ? ": " : "", text);
}

// What the world refuses has the statement's place; its own is the name of a joint or a behaviour.
static sn_status judge(const acting *a, const sn_script_step *step, sn_status status,
                       const sn_error *inner)
{
    return status == SN_OK ? SN_OK : fail_at(a, step->place, status, inner->place, inner->text);
}

static double read(void *user, int number)
{
    const acting *a = user;
    return sn_probe_read(a->world, &a->script->readings[number]);
}

static sn_status evaluate(acting *a, const sn_formula *formula, double *value)
{
    *value = formula->quantity.number;
    if (formula->text == NULL) {
        return SN_OK;
    }
    sn_expression_source source = {.values = a->values, .read = read, .user = a};
    int offset = 0;
    sn_error inner = {0};
    sn_status status =
        sn_expression_evaluate_from(&formula->expression, &source, value, &offset, &inner);
    return status == SN_OK ? SN_OK
                           : fail_at(a,
                                     sn_expression_place(formula->place, formula->text,
                                                         formula->exact_columns, offset),
                                     status, "", inner.text);
}

// Where there is no formula the value stays as it is.
static sn_status evaluate_given(acting *a, const sn_formula *formula, double *value)
{
    return formula != NULL ? evaluate(a, formula, value) : SN_OK;
}

static sn_status evaluate_vector(acting *a, const sn_formula *formulas, sn_vec3 *value)
{
    *value = SN_VEC3_ZERO;
    double *numbers[3] = {&value->x, &value->y, &value->z};
    for (int i = 0; i < 3 && formulas != NULL; ++i) {
        sn_status status = evaluate(a, &formulas[i], numbers[i]);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status let(acting *a, const sn_script_step *step)
{
    double value;
    sn_status status = evaluate(a, step->value, &value);
    if (status == SN_OK) {
        sn_behaviour_memory(a->world, a->self)[step->variable] = value;
        a->values[a->script->param_count + 1 + step->variable] = value;
    }
    return status;
}

// A set-point that does not change is no jump.
static sn_status set_target(acting *a, const sn_script_step *step)
{
    double target;
    sn_status status = evaluate(a, step->value, &target);
    sn_drive_def before = sn_joint_drive(a->world, step->joint, step->freedom);
    if (status != SN_OK || (before.motion == NULL && before.target == target)) {
        return status;
    }
    sn_error inner = {0};
    status = sn_joint_set_target(a->world, step->joint, step->freedom, target, &inner);
    return judge(a, step, status, &inner);
}

static bool same_drive(const sn_drive_def *a, const sn_drive_def *b)
{
    return a->type == b->type && a->target == b->target && a->motion == b->motion &&
           a->stiffness == b->stiffness && a->damping == b->damping &&
           a->force_limit == b->force_limit;
}

static sn_status set_drive(acting *a, const sn_script_step *step)
{
    sn_drive_def drive = sn_default_freedom_def().drive;
    drive.type = step->drive;
    drive.motion = step->motion;
    sn_status status = evaluate_given(a, step->value, &drive.target);
    status = status == SN_OK ? evaluate_given(a, step->stiffness, &drive.stiffness) : status;
    status = status == SN_OK ? evaluate_given(a, step->damping, &drive.damping) : status;
    status = status == SN_OK ? evaluate_given(a, step->force_limit, &drive.force_limit) : status;
    sn_drive_def before = sn_joint_drive(a->world, step->joint, step->freedom);
    if (status != SN_OK || same_drive(&before, &drive)) {
        return status;
    }
    sn_error inner = {0};
    status = sn_joint_set_drive(a->world, step->joint, step->freedom, &drive, &inner);
    return judge(a, step, status, &inner);
}

static sn_status push(acting *a, const sn_script_step *step)
{
    sn_vec3 force, torque, at;
    sn_status status = evaluate_vector(a, step->force, &force);
    status = status == SN_OK ? evaluate_vector(a, step->torque, &torque) : status;
    status = status == SN_OK ? evaluate_vector(a, step->at, &at) : status;
    if (status != SN_OK) {
        return status;
    }
    sn_transform frame = sn_body_transform(a->world, step->body);
    if (step->in_body) {
        force = sn_rotate(frame.rotation, force);
        torque = sn_rotate(frame.rotation, torque);
    }
    if (step->force != NULL) {
        sn_body_add_force(a->world, step->body, force,
                          step->at != NULL ? sn_transform_point(frame, at)
                                           : sn_body_centre(a->world, step->body));
    }
    if (step->torque != NULL) {
        sn_body_add_torque(a->world, step->body, torque);
    }
    return SN_OK;
}

static sn_status add_force(acting *a, const sn_script_step *step)
{
    double force;
    sn_status status = evaluate(a, step->value, &force);
    if (status == SN_OK) {
        sn_joint_add_force(a->world, step->joint, step->freedom, force);
    }
    return status;
}

static sn_status choose(acting *a, const sn_script_step *step, int *next)
{
    double value;
    sn_status status = evaluate(a, step->value, &value);
    *next = status == SN_OK && value == 0.0 ? step->next : *next;
    return status;
}

static sn_status do_step(acting *a, int *next)
{
    const sn_script_step *step = &a->script->steps[(*next)++];
    sn_error inner = {0};
    switch (step->code) {
    case SN_SCRIPT_LET:
        return let(a, step);
    case SN_SCRIPT_SET:
        return set_target(a, step);
    case SN_SCRIPT_DRIVE:
        return set_drive(a, step);
    case SN_SCRIPT_PUSH:
        return push(a, step);
    case SN_SCRIPT_FORCE:
        return add_force(a, step);
    case SN_SCRIPT_START:
        return judge(a, step, sn_behaviour_start(a->world, step->behaviour, &inner), &inner);
    case SN_SCRIPT_STOP:
        return judge(a, step, sn_behaviour_stop(a->world, step->behaviour, &inner), &inner);
    case SN_SCRIPT_BREAK:
        return sn_joint_is_broken(a->world, step->joint)
                   ? SN_OK
                   : judge(a, step, sn_joint_break(a->world, step->joint, &inner), &inner);
    case SN_SCRIPT_UNBIND:
        return judge(a, step, sn_bond_break(a->world, step->bond, &inner), &inner);
    case SN_SCRIPT_IF:
        return choose(a, step, next);
    case SN_SCRIPT_JUMP:
        *next = step->next;
        break;
    }
    return SN_OK;
}

static double *take_variables(acting *a, sn_behaviour behaviour, int count, double *values)
{
    if (count > 0) {
        memcpy(values, sn_behaviour_memory(a->world, behaviour), (size_t)count * sizeof *values);
    }
    return values + count;
}

sn_status sn_actor_act(void *user, sn_world *world, sn_behaviour self, double time, sn_error *error)
{
    const sn_actor *actor = user;
    const sn_script *script = actor->script;
    acting a = {script, world, self, actor->values, error};
    double *values = actor->values + script->param_count;
    *values++ = time;
    values = take_variables(&a, self, script->variable_count, values);
    for (int i = 0; i < script->enclosing_count; ++i) {
        values =
            take_variables(&a, script->enclosing[i].behaviour, script->enclosing[i].count, values);
    }
    sn_status status = SN_OK;
    for (int next = 0; next < script->step_count && status == SN_OK;) {
        status = do_step(&a, &next);
    }
    return status;
}
