#include "scene/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/error_list.h"
#include "scene/parse.h"
#include "scene/text.h"

static sn_status fail_at(const sn_scene *scene, sn_place place, sn_error_list *errors,
                         sn_status code, const char *text)
{
    char where[SN_PLACE_SIZE];
    return sn_error_list_add(errors, code, sn_place_text(scene, place, where), "%s", text);
}

static sn_place binding_place(const sn_binding *binding, int offset)
{
    return sn_expression_place(binding->place, binding->text, binding->exact_columns, offset);
}

// ---- compiling ----

// Without "unit", a param has the unit that its value, or else a limit, is written with.
static void choose_unit(sn_param_item *param)
{
    const sn_quantity_value *quantities[] = {&param->value, &param->minimum, &param->maximum};
    static const char *const keys[] = {"value", "min", "max"};
    for (int i = 0; i < 3 && !sn_item_gives(&param->item, "unit"); ++i) {
        if (quantities[i]->unit_text != NULL) {
            param->unit_text = quantities[i]->unit_text;
            param->item.places[sn_object_find_key(param->item.table, "unit")] =
                sn_item_place(&param->item, keys[i]);
        }
    }
}

static sn_status check_param(const sn_scene *scene, sn_param_item *param, sn_error_list *errors)
{
    char text[400], name[96];
    sn_error error = {0};
    if (!sn_expression_is_word(param->name)) {
        snprintf(
            text, sizeof text,
            "the param \"%.60s\" cannot be used in expressions, expected letters, digits and _",
            param->name);
        return fail_at(scene, param->item.place, errors, SN_ERROR_SCENE, text);
    }
    if (sn_expression_reserves(param->name)) {
        snprintf(
            text, sizeof text,
            "\"%s\" is a function or constant of expressions, expected another name for a param",
            param->name);
        return fail_at(scene, param->item.place, errors, SN_ERROR_SCENE, text);
    }
    param->unit = (sn_unit){.multiply = 1, .divide = 1};
    choose_unit(param);
    if (param->unit_text != NULL && param->unit_text[0] != '\0' &&
        sn_units_read_unit(param->unit_text, strlen(param->unit_text), &param->unit, &error) !=
            SN_OK) {
        return fail_at(scene, sn_item_place(&param->item, "unit"), errors, SN_ERROR_SCENE,
                       error.text);
    }
    param->factor = sn_unit_factor(&param->unit);
    const sn_quantity_value *quantities[] = {&param->value, &param->minimum, &param->maximum};
    static const char *const keys[] = {"value", "min", "max"};
    sn_status status = SN_OK;
    for (int i = 0; i < 3; ++i) {
        if (quantities[i]->has_dimension &&
            !sn_dimension_accepts(param->unit.dimension, quantities[i]->dimension)) {
            snprintf(text, sizeof text, "\"%s\": got %s, but the param's unit is \"%.40s\"",
                     keys[i], sn_dimension_describe(quantities[i]->dimension, name),
                     param->unit_text != NULL ? param->unit_text : "");
            status =
                fail_at(scene, sn_item_place(&param->item, keys[i]), errors, SN_ERROR_SCENE, text);
        }
    }
    return status;
}

// Follows the expressions from one param to those it uses; a param met again on the way closes a
// cycle.
static sn_status visit_param(sn_scene *scene, int index, int *chain, int depth, int *ordered,
                             sn_error_list *errors)
{
    sn_param_item *param = SN_PARAM(scene, index);
    chain[depth] = index;
    if (param->visit == 2) {
        return SN_OK;
    }
    if (param->visit == 1) {
        char text[400];
        int start = depth - 1;
        while (chain[start] != index) {
            start -= 1;
        }
        size_t at =
            (size_t)snprintf(text, sizeof text, "params depend on each other in a circle: ");
        for (int i = start; i <= depth && at < sizeof text; ++i) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i > start ? " -> " : "",
                                   scene->param_names[chain[i]]);
        }
        return fail_at(scene, sn_item_place(&param->item, "value"), errors, SN_ERROR_SCENE, text);
    }
    param->visit = 1;
    sn_status status = SN_OK;
    if (param->value.binding > 0) {
        const sn_expression *expression =
            &scene->bindings.data[param->value.binding - 1].expression;
        for (int i = 0; i < expression->count && status == SN_OK; ++i) {
            if (expression->data[i].code == SN_CODE_PARAM) {
                status = visit_param(scene, expression->data[i].count, chain, depth + 1, ordered,
                                     errors);
            }
        }
    }
    param->visit = 2;
    scene->param_order[(*ordered)++] = index;
    return status;
}

static sn_status order_params(sn_scene *scene, sn_error_list *errors)
{
    int count = scene->root.params.count, ordered = 0;
    int *chain = sn_arena_allocate(&scene->arena, (size_t)(count + 1) * sizeof *chain);
    if (chain == NULL) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        sn_status status = visit_param(scene, i, chain, 0, &ordered, errors);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// Params are found by comparing names, and followed by recursion.
#define PARAM_LIMIT 1000

static sn_status name_params(sn_scene *scene, sn_error_list *errors)
{
    int count = scene->root.params.count;
    if (count > PARAM_LIMIT) {
        char text[100];
        snprintf(text, sizeof text, "%d params, expected at most %d", count, PARAM_LIMIT);
        return fail_at(scene, sn_item_place(&scene->root.item, "params"), errors, SN_ERROR_SCENE,
                       text);
    }
    size_t room = (size_t)count + 1;
    scene->param_names = sn_arena_allocate(&scene->arena, room * sizeof *scene->param_names);
    scene->param_values = sn_arena_allocate(&scene->arena, room * sizeof *scene->param_values);
    scene->param_order = sn_arena_allocate(&scene->arena, room * sizeof *scene->param_order);
    if (scene->param_names == NULL || scene->param_values == NULL || scene->param_order == NULL) {
        return SN_ERROR_MEMORY;
    }
    sn_status first = SN_OK;
    for (int i = 0; i < count; ++i) {
        sn_param_item *param = SN_PARAM(scene, i);
        scene->param_names[i] = param->name;
        sn_status status = check_param(scene, param, errors);
        first = first == SN_OK ? status : first;
    }
    return first;
}

sn_status sn_resolve_compile(sn_scene *scene, sn_error_list *errors)
{
    sn_status first = name_params(scene, errors);
    if (first == SN_ERROR_MEMORY || scene->root.params.count > PARAM_LIMIT) {
        return first;
    }
    for (int i = 0; i < scene->bindings.count; ++i) {
        sn_binding *binding = &scene->bindings.data[i];
        if (binding->key->type == SN_KEY_QUANTITY) {
            ((sn_quantity_value *)binding->target)->binding = i + 1; // number is its first member
        }
        int offset = 0;
        sn_error error = {0};
        sn_status status =
            sn_expression_compile(binding->text, strlen(binding->text), scene->param_names,
                                  scene->root.params.count, &binding->expression, &offset, &error);
        if (status == SN_ERROR_MEMORY) {
            return status;
        }
        if (status != SN_OK) {
            status =
                fail_at(scene, binding_place(binding, offset), errors, SN_ERROR_SCENE, error.text);
            first = first == SN_OK ? status : first;
        }
    }
    return first == SN_OK ? order_params(scene, errors) : first;
}

// ---- evaluating ----

static sn_status evaluate_binding(sn_scene *scene, sn_binding *binding, sn_error_list *errors)
{
    int offset = 0;
    sn_error error = {0};
    if (sn_expression_evaluate(&binding->expression, scene->param_values, &binding->value, &offset,
                               &error) != SN_OK) {
        return fail_at(scene, binding_place(binding, offset), errors, SN_ERROR_SCENE, error.text);
    }
    char range[160], text[300];
    if (!sn_key_check_range(binding->key, binding->value, range)) {
        snprintf(text, sizeof text, "\"%s\" %s from \"=%.60s\"", binding->key->name, range,
                 binding->text);
        return fail_at(scene, binding->place, errors, SN_ERROR_SCENE, text);
    }
    return SN_OK;
}

// The newest value of a number that may be computed.
static double quantity_si(const sn_scene *scene, const sn_param_item *param,
                          const sn_quantity_value *quantity)
{
    if (quantity->binding > 0) {
        return scene->bindings.data[quantity->binding - 1].value;
    }
    return quantity->in_si ? quantity->number : quantity->number * param->factor;
}

static sn_status check_limits(const sn_scene *scene, const sn_param_item *param,
                              sn_error_list *errors)
{
    char value[32], limit[32], text[300];
    const sn_quantity_value *quantities[] = {&param->value, &param->minimum, &param->maximum};
    static const char *const keys[] = {"value", "min", "max"};
    for (int i = 0; i < 3; ++i) {
        double si = quantity_si(scene, param, quantities[i]);
        if (!isfinite(si) || !isfinite(si / param->factor)) {
            snprintf(text, sizeof text,
                     "\"%s\" is out of range in the param's unit or in SI units, expected less",
                     keys[i]);
            return fail_at(scene, sn_item_place(&param->item, keys[i]), errors, SN_ERROR_SCENE,
                           text);
        }
    }
    bool low = sn_item_gives(&param->item, "min") &&
               param->si < quantity_si(scene, param, &param->minimum);
    bool high = sn_item_gives(&param->item, "max") &&
                param->si > quantity_si(scene, param, &param->maximum);
    if (!low && !high) {
        return SN_OK;
    }
    sn_number_to_text(param->si / param->factor, value);
    sn_number_to_text(
        quantity_si(scene, param, low ? &param->minimum : &param->maximum) / param->factor, limit);
    const char *unit = param->unit_text != NULL ? param->unit_text : "";
    const char *space = unit[0] != '\0' ? " " : "";
    snprintf(text, sizeof text, "the param \"%s\" is %s%s%.30s, expected at %s %s%s%.30s",
             param->name, value, space, unit, low ? "least" : "most", limit, space, unit);
    return fail_at(scene, sn_item_place(&param->item, "value"), errors, SN_ERROR_SCENE, text);
}

sn_status sn_resolve_evaluate(sn_scene *scene, sn_error_list *errors)
{
    sn_status first = SN_OK;
    for (int i = 0; i < scene->root.params.count; ++i) {
        int index = scene->param_order[i];
        sn_param_item *param = SN_PARAM(scene, index);
        if (param->value.binding > 0) {
            sn_binding *binding = &scene->bindings.data[param->value.binding - 1];
            sn_status status = evaluate_binding(scene, binding, errors);
            if (status != SN_OK) {
                return status; // everything that follows may depend on it
            }
            param->si = binding->value;
        } else {
            param->si = quantity_si(scene, param, &param->value);
        }
        scene->param_values[index] = param->si;
    }
    // Limits first: a param beyond its own is the cause of whatever does not fit further on.
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < scene->bindings.count; ++i) {
            sn_binding *binding = &scene->bindings.data[i];
            if ((binding->key->type != SN_KEY_QUANTITY) == pass) {
                sn_status status = evaluate_binding(scene, binding, errors);
                first = first == SN_OK ? status : first;
            }
        }
        for (int i = 0; i < scene->root.params.count && pass == 0 && first == SN_OK; ++i) {
            first = check_limits(scene, SN_PARAM(scene, i), errors);
        }
        if (first != SN_OK) {
            return first;
        }
    }
    return first;
}

void sn_resolve_commit(sn_scene *scene)
{
    for (int i = 0; i < scene->bindings.count; ++i) {
        sn_binding *binding = &scene->bindings.data[i];
        binding->before = *binding->target;
        *binding->target = binding->value;
    }
}

void sn_resolve_revert(sn_scene *scene)
{
    for (int i = 0; i < scene->bindings.count; ++i) {
        sn_binding *binding = &scene->bindings.data[i];
        *binding->target = binding->before;
    }
}

double sn_param_in_unit(const sn_param_item *param, const sn_quantity_value *quantity)
{
    return quantity->in_si ? quantity->number / param->factor : quantity->number;
}
