#include "geometry/height_field.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"

static sn_status check_samples(const double *heights, int columns, int rows, double size_x,
                               double size_y, sn_error *error)
{
    if (columns < 2 || rows < 2 || (int64_t)columns * rows > INT_MAX / 8) {
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                       "a height field of %d x %d samples; at least 2 x 2 were expected, and at "
                       "most %d in all",
                       columns, rows, INT_MAX / 8);
    }
    if (!(size_x > 0.0 && size_y > 0.0 && isfinite(size_x) && isfinite(size_y))) {
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                       "a height field of %g x %g m; lengths above 0 were expected", size_x,
                       size_y);
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            double height = heights[(size_t)j * (size_t)columns + (size_t)i];
            if (!isfinite(height)) {
                return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                               "the height in column %d of row %d is %g; a finite number was "
                               "expected",
                               i, j, height);
            }
        }
    }
    return SN_OK;
}

static int halve(int count)
{
    return (count + 1) / 2;
}

// Sets the sizes of all levels; returns how many ranges they need.
static size_t plan_levels(sn_height_field *field)
{
    size_t total = 0;
    int columns = field->columns - 1, rows = field->rows - 1;
    field->level_count = 0;
    for (;;) {
        field->level_columns[field->level_count] = columns;
        field->level_rows[field->level_count] = rows;
        field->level_count += 1;
        total += (size_t)columns * (size_t)rows;
        if (columns == 1 && rows == 1) {
            return total;
        }
        columns = halve(columns);
        rows = halve(rows);
    }
}

static sn_height_range range_union(sn_height_range a, sn_height_range b)
{
    sn_height_range both = {a.lower < b.lower ? a.lower : b.lower,
                            a.upper > b.upper ? a.upper : b.upper};
    return both;
}

static void fill_cells(sn_height_field *field)
{
    for (int j = 0; j + 1 < field->rows; ++j) {
        for (int i = 0; i + 1 < field->columns; ++i) {
            const double *h = field->heights + (size_t)j * (size_t)field->columns + (size_t)i;
            sn_height_range all = {h[0], h[0]};
            const double others[3] = {h[1], h[field->columns], h[field->columns + 1]};
            for (int k = 0; k < 3; ++k) {
                all = range_union(all, (sn_height_range){others[k], others[k]});
            }
            field->levels[0][(size_t)j * (size_t)field->level_columns[0] + (size_t)i] = all;
        }
    }
}

static void fill_level(sn_height_field *field, int level)
{
    int columns = field->level_columns[level], rows = field->level_rows[level];
    int fine_columns = field->level_columns[level - 1], fine_rows = field->level_rows[level - 1];
    const sn_height_range *fine = field->levels[level - 1];
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            sn_height_range all = fine[(size_t)(2 * j) * (size_t)fine_columns + (size_t)(2 * i)];
            for (int k = 1; k < 4; ++k) {
                int column = 2 * i + k % 2, row = 2 * j + k / 2;
                if (column < fine_columns && row < fine_rows) {
                    all =
                        range_union(all, fine[(size_t)row * (size_t)fine_columns + (size_t)column]);
                }
            }
            field->levels[level][(size_t)j * (size_t)columns + (size_t)i] = all;
        }
    }
}

sn_status sn_height_field_create(const double *heights, int columns, int rows, double size_x,
                                 double size_y, sn_height_field **field, sn_error *error)
{
    *field = NULL;
    sn_status status = check_samples(heights, columns, rows, size_x, size_y, error);
    if (status != SN_OK) {
        return status;
    }
    sn_height_field *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    atomic_init(&made->references, 1);
    made->columns = columns;
    made->rows = rows;
    made->size_x = size_x;
    made->size_y = size_y;
    size_t samples = (size_t)columns * (size_t)rows, ranges = plan_levels(made);
    made->heights = sn_allocate(samples * sizeof *made->heights);
    made->ranges = sn_allocate(ranges * sizeof *made->ranges);
    if (made->heights == NULL || made->ranges == NULL) {
        sn_height_field_release(made);
        return sn_fail_memory(error,
                              samples * sizeof *made->heights + ranges * sizeof *made->ranges);
    }
    memcpy(made->heights, heights, samples * sizeof *heights);
    sn_height_range *next = made->ranges;
    for (int level = 0; level < made->level_count; ++level) {
        made->levels[level] = next;
        next += (size_t)made->level_columns[level] * (size_t)made->level_rows[level];
    }
    fill_cells(made);
    for (int level = 1; level < made->level_count; ++level) {
        fill_level(made, level);
    }
    sn_height_range all = made->levels[made->level_count - 1][0];
    made->bounds.lower = sn_vec3_make(-0.5 * size_x, -0.5 * size_y, all.lower);
    made->bounds.upper = sn_vec3_make(0.5 * size_x, 0.5 * size_y, all.upper);
    *field = made;
    return SN_OK;
}

sn_height_field *sn_height_field_retain(sn_height_field *field)
{
    if (field != NULL) {
        atomic_fetch_add_explicit(&field->references, 1, memory_order_relaxed);
    }
    return field;
}

void sn_height_field_release(sn_height_field *field)
{
    // Release and acquire: what other threads read from it happens before it is freed.
    if (field != NULL &&
        atomic_fetch_sub_explicit(&field->references, 1, memory_order_acq_rel) == 1) {
        sn_free(field->heights);
        sn_free(field->ranges);
        sn_free(field);
    }
}

int sn_height_field_columns(const sn_height_field *field)
{
    return field->columns;
}

int sn_height_field_rows(const sn_height_field *field)
{
    return field->rows;
}

const double *sn_height_field_heights(const sn_height_field *field)
{
    return field->heights;
}

sn_vec2 sn_height_field_size(const sn_height_field *field)
{
    sn_vec2 size = {field->size_x, field->size_y};
    return size;
}

sn_aabb sn_height_field_bounds(const sn_height_field *field)
{
    return field->bounds;
}

void sn_height_field_triangle(const sn_height_field *field, int triangle, sn_vec3 corners[3])
{
    int cell = triangle / 2;
    int i = cell % (field->columns - 1), j = cell / (field->columns - 1);
    corners[0] = sn_height_field_sample(field, i, j);
    if (triangle % 2 == 0) {
        corners[1] = sn_height_field_sample(field, i + 1, j);
        corners[2] = sn_height_field_sample(field, i + 1, j + 1);
    } else {
        corners[1] = sn_height_field_sample(field, i + 1, j + 1);
        corners[2] = sn_height_field_sample(field, i, j + 1);
    }
}

bool sn_height_field_height(const sn_height_field *field, double x, double y, double *height)
{
    double u = (x / field->size_x + 0.5) * (field->columns - 1);
    double v = (y / field->size_y + 0.5) * (field->rows - 1);
    if (!(u >= 0.0 && v >= 0.0 && u <= field->columns - 1 && v <= field->rows - 1)) {
        return false;
    }
    int i = (int)u, j = (int)v;
    i = i < field->columns - 2 ? i : field->columns - 2;
    j = j < field->rows - 2 ? j : field->rows - 2;
    u -= i;
    v -= j;
    const double *h = field->heights + (size_t)j * (size_t)field->columns + (size_t)i;
    double origin = h[0], x_end = h[1], y_end = h[field->columns], far = h[field->columns + 1];
    *height = u >= v ? origin + u * (x_end - origin) + v * (far - x_end)
                     : origin + v * (y_end - origin) + u * (far - y_end);
    return true;
}

sn_status sn_height_field_mesh(const sn_height_field *field, sn_mesh **mesh, sn_error *error)
{
    int triangles = 2 * (field->columns - 1) * (field->rows - 1);
    sn_mesh *made = sn_mesh_allocate(field->columns * field->rows, triangles);
    *mesh = made;
    if (made == NULL) {
        return sn_fail_memory(error, (size_t)triangles * 3 * sizeof(int));
    }
    for (int j = 0; j < field->rows; ++j) {
        for (int i = 0; i < field->columns; ++i) {
            made->positions[(size_t)j * (size_t)field->columns + (size_t)i] =
                sn_height_field_sample(field, i, j);
        }
    }
    int *next = made->triangles;
    for (int j = 0; j + 1 < field->rows; ++j) {
        for (int i = 0; i + 1 < field->columns; ++i) {
            int at = j * field->columns + i, up = at + field->columns;
            const int corners[6] = {at, at + 1, up + 1, at, up + 1, up};
            memcpy(next, corners, sizeof corners);
            next += 6;
        }
    }
    return SN_OK;
}
