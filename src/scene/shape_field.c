#include "scene/shape_field.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// The names of the expression: params, in their order, then x and y. A param of one of these two
// names cannot be seen.
sn_status sn_shape_item_compile_field(const sn_scene *scene, sn_shape_item *shape, sn_place *place,
                                      sn_error *error)
{
    sn_formula *ground = &shape->ground;
    if (ground->text == NULL) {
        return SN_OK;
    }
    int params = scene->root.params.count;
    size_t bytes = ((size_t)params + 2) * sizeof(const char *);
    const char **names = sn_allocate(bytes);
    if (names == NULL) {
        return sn_fail_memory(error, bytes);
    }
    for (int i = 0; i < params; ++i) {
        const char *name = scene->param_names[i];
        bool hidden = strcmp(name, "x") == 0 || strcmp(name, "y") == 0;
        names[i] = hidden ? "" : name;
    }
    names[params] = "x";
    names[params + 1] = "y";
    sn_expression_scope scope = {
        .names = names, .name_count = params + 2, .named = "a param of the scene, x or y"};
    int offset = 0;
    sn_status status = sn_expression_compile_in(ground->text, strlen(ground->text), &scope,
                                                &ground->expression, &offset, error);
    *place = sn_expression_place(ground->place, ground->text, ground->exact_columns, offset);
    sn_free(names);
    return status;
}

// Heights at columns x rows points, x fastest.
static sn_status compute(const sn_scene *scene, const sn_shape_item *shape, double *heights,
                         sn_place *place, sn_error *error)
{
    const sn_formula *ground = &shape->ground;
    int params = scene->root.params.count;
    int columns = (int)shape->columns, rows = (int)shape->rows;
    size_t bytes = ((size_t)params + 2) * sizeof(double);
    double *values = sn_allocate(bytes);
    if (values == NULL) {
        return sn_fail_memory(error, bytes);
    }
    memcpy(values, scene->param_values, (size_t)params * sizeof *values);
    sn_expression_source source = {.values = values};
    double *at = values + params;
    sn_status status = SN_OK;
    for (int i = 0; i < columns * rows && status == SN_OK; ++i) {
        int column = i % columns, row = i / columns;
        at[0] = (column / (columns - 1.0) - 0.5) * shape->extent.data[0];
        at[1] = (row / (rows - 1.0) - 0.5) * shape->extent.data[1];
        int offset = 0;
        sn_error inner = {0};
        status =
            sn_expression_evaluate_from(&ground->expression, &source, &heights[i], &offset, &inner);
        if (status != SN_OK) {
            *place =
                sn_expression_place(ground->place, ground->text, ground->exact_columns, offset);
            sn_fail(error, status, NULL, "at x = %g, y = %g: %s", at[0], at[1], inner.text);
        }
    }
    sn_free(values);
    return status;
}

sn_status sn_shape_item_field(const sn_scene *scene, const sn_shape_item *shape,
                              sn_height_field **field, sn_place *place, sn_error *error)
{
    const double *size = shape->extent.data;
    const sn_row_list *listed = &shape->heights;
    *field = NULL;
    *place = sn_item_place(&shape->item, listed->count > 0 ? "heights" : "height");
    if (listed->count > 0) {
        return sn_height_field_create(listed->data, listed->width, listed->count, size[0], size[1],
                                      field, error);
    }
    int columns = (int)shape->columns, rows = (int)shape->rows;
    size_t bytes = (size_t)columns * (size_t)rows * sizeof(double);
    double *heights = sn_allocate(bytes);
    if (heights == NULL) {
        return sn_fail_memory(error, bytes);
    }
    sn_status status = SN_OK;
    if (shape->ground.text != NULL) {
        status = compute(scene, shape, heights, place, error);
    } else {
        for (int i = 0; i < columns * rows; ++i) {
            heights[i] = shape->ground.quantity.number;
        }
    }
    if (status == SN_OK) {
        status = sn_height_field_create(heights, columns, rows, size[0], size[1], field, error);
    }
    sn_free(heights);
    return status;
}
