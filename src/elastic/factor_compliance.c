// W = J A^-1 J^T = Y^T Y with Y = L^-1 P J^T. Y is never kept: fronts are visited from the leaves
// up, with only those columns of Y that have something in them; what they have below goes into the
// parent's, and what they have in the front's own rows goes into W.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/factor_part.h"
#include "elastic/lanes.h"

// One number of a row, where it enters.
typedef struct entering {
    int front, column, entry; // of the factor, of Y, of the rows
} entering;

// Columns that a front left to its parent: (height - width) x padded by rows.
typedef struct left {
    int front;
    int column_start, column_count; // of columns[]
    size_t numbers;                 // of numbers[]
} left;

struct sn_local_columns {
    SN_ARRAY(entering) entering;
    SN_ARRAY(left) stack;
    SN_ARRAY(int) columns; // stack
    SN_ARRAY(int) own;
    double *numbers; // stack, the present front on top
    size_t used, capacity;
    int *place; // columns of W: where they are in the present front
    int place_capacity;
    int *pending; // front_count: 1 when the front is to be visited
};

void sn_factor_local_free(sn_local_columns *local)
{
    if (local == NULL) {
        return;
    }
    sn_array_free(&local->entering);
    sn_array_free(&local->stack);
    sn_array_free(&local->columns);
    sn_array_free(&local->own);
    sn_free(local->numbers);
    sn_free(local->place);
    sn_free(local->pending);
    sn_free(local);
}

static int padded(int columns)
{
    return (columns + SN_LANES - 1) / SN_LANES * SN_LANES;
}

static bool reserve_numbers(sn_local_columns *local, size_t more)
{
    if (local->used + more <= local->capacity) {
        return true;
    }
    size_t wanted = 2 * (local->used + more);
    double *numbers = sn_reallocate(local->numbers, wanted * sizeof *numbers);
    if (numbers == NULL) {
        return false;
    }
    local->numbers = numbers;
    local->capacity = wanted;
    return true;
}

static bool prepare(sn_factor *factor, int count)
{
    if (factor->local == NULL) {
        factor->local = sn_allocate_zero(sizeof *factor->local);
    }
    sn_local_columns *local = factor->local;
    if (local == NULL) {
        return false;
    }
    if (local->pending == NULL) {
        local->pending = sn_allocate_zero(((size_t)factor->front_count + 1) * sizeof(int));
    }
    if (local->place_capacity < count) {
        int *place = sn_reallocate(local->place, (size_t)count * sizeof(int));
        local->place_capacity = place != NULL ? count : local->place_capacity;
        local->place = place != NULL ? place : local->place;
    }
    sn_array_clear(&local->entering);
    sn_array_clear(&local->stack);
    sn_array_clear(&local->columns);
    local->used = 0;
    return local->pending != NULL && local->place_capacity >= count;
}

static int compare_entering(const void *a, const void *b)
{
    const entering *p = a, *q = b;
    return p->front != q->front     ? (p->front < q->front ? -1 : 1)
           : p->column != q->column ? (p->column < q->column ? -1 : 1)
           : p->entry != q->entry   ? (p->entry < q->entry ? -1 : 1)
                                    : 0;
}

static bool list_entering(sn_factor *factor, const sn_factor_rows *rows)
{
    sn_local_columns *local = factor->local;
    if (!sn_array_reserve(&local->entering, rows->starts[rows->count] + 1)) {
        return false;
    }
    memset(local->pending, 0, (size_t)factor->front_count * sizeof(int));
    for (int r = 0; r < rows->count; ++r) {
        for (int e = rows->starts[r]; e < rows->starts[r + 1]; ++e) {
            int front = factor->front_of[factor->inverse[rows->nodes[e]]];
            local->entering.data[local->entering.count++] = (entering){front, r, e};
            for (int f = front; f >= 0 && !local->pending[f]; f = factor->fronts[f].parent) {
                local->pending[f] = 1;
            }
        }
    }
    if (local->entering.count > 1) {
        qsort(local->entering.data, (size_t)local->entering.count, sizeof(entering),
              compare_entering);
    }
    return true;
}

static int compare_columns(const void *a, const void *b)
{
    int p = *(const int *)a, q = *(const int *)b;
    return p < q ? -1 : p > q;
}

static bool push_own(sn_local_columns *local, int column)
{
    if (local->place[column] >= 0) {
        return true;
    }
    local->place[column] = 0;
    return sn_array_push(&local->own, column);
}

// Columns that have something in this front, ascending: those that enter and those of its children,
// the last `children` of the stack.
static bool list_columns(sn_local_columns *local, int first, int last, int children)
{
    bool fits = true;
    sn_array_clear(&local->own);
    for (int e = first; fits && e < last; ++e) {
        fits = push_own(local, local->entering.data[e].column);
    }
    for (int k = local->stack.count - children; fits && k < local->stack.count; ++k) {
        const left *child = &local->stack.data[k];
        for (int c = 0; fits && c < child->column_count; ++c) {
            fits = push_own(local, local->columns.data[child->column_start + c]);
        }
    }
    if (local->own.count > 1) {
        qsort(local->own.data, (size_t)local->own.count, sizeof(int), compare_columns);
    }
    for (int c = 0; c < local->own.count; ++c) {
        local->place[local->own.data[c]] = c;
    }
    return fits;
}

static void add_left(const sn_factor *factor, const left *child, int columns, double *x)
{
    const sn_local_columns *local = factor->local;
    const sn_front *from = &factor->fronts[child->front];
    const double *in = local->numbers + child->numbers;
    const int *list = local->columns.data + child->column_start;
    int b = factor->block, stride = padded(child->column_count);
    for (int k = 0; k < from->row_count; ++k) {
        double *out = x + (size_t)(factor->places[from->row_start + k] * b) * (size_t)columns;
        for (int i = 0; i < b; ++i, in += stride, out += columns) {
            for (int c = 0; c < child->column_count; ++c) {
                out[local->place[list[c]]] += in[c];
            }
        }
    }
}

// w += y^T y over the front's own rows; the lower triangle. products: columns x columns.
static void add_products(const sn_local_columns *local, int rows, int columns, const double *y,
                         double *products, int count, double *w)
{
    sn_front_square(rows, columns, y, products);
    for (int a = 0; a < local->own.count; ++a) {
        double *out = w + (size_t)local->own.data[a] * (size_t)count;
        const double *in = products + (size_t)a * (size_t)columns;
        for (int b = 0; b <= a; ++b) {
            out[local->own.data[b]] += in[b];
        }
    }
}

// What is below the front's own rows takes the place of what its children had left.
static bool leave(sn_local_columns *local, int f, int children, int below, int columns,
                  const double *x)
{
    local->stack.count -= children;
    left out = {.front = f, .column_count = local->own.count};
    if (children > 0) {
        const left *child = &local->stack.data[local->stack.count];
        local->columns.count = child->column_start;
        local->used = child->numbers;
    }
    out.column_start = local->columns.count;
    out.numbers = local->used;
    if (!sn_array_reserve(&local->columns, local->columns.count + local->own.count)) {
        return false;
    }
    memcpy(local->columns.data + local->columns.count, local->own.data,
           (size_t)local->own.count * sizeof(int));
    local->columns.count += local->own.count;
    size_t size = (size_t)below * (size_t)columns;
    memmove(local->numbers + out.numbers, x, size * sizeof *x);
    local->used += size;
    return sn_array_push(&local->stack, out);
}

static bool visit(sn_factor *factor, int f, const sn_factor_rows *rows, int first, int last,
                  double *w)
{
    sn_local_columns *local = factor->local;
    const sn_front *front = &factor->fronts[f];
    int children = 0, b = factor->block;
    for (int c = front->child; c >= 0; c = factor->fronts[c].sibling) {
        children += local->pending[c];
    }
    if (!list_columns(local, first, last, children)) {
        return false;
    }
    int width = sn_front_width(factor, front), height = sn_front_height(factor, front);
    int columns = padded(local->own.count);
    size_t size = (size_t)height * (size_t)columns;
    if (!reserve_numbers(local, size + (size_t)columns * (size_t)columns)) {
        return false;
    }
    double *x = local->numbers + local->used;
    memset(x, 0, size * sizeof *x);
    for (int e = first; e < last; ++e) {
        const entering *in = &local->entering.data[e];
        int at = b * (factor->inverse[rows->nodes[in->entry]] - front->first);
        for (int i = 0; i < b; ++i) {
            x[(size_t)(at + i) * (size_t)columns + (size_t)local->place[in->column]] +=
                rows->numbers[(size_t)in->entry * (size_t)b + (size_t)i];
        }
    }
    for (int k = local->stack.count - children; k < local->stack.count; ++k) {
        add_left(factor, &local->stack.data[k], columns, x);
    }
    for (int c = 0; c < local->own.count; ++c) {
        local->place[local->own.data[c]] = -1;
    }
    sn_front_forward_many(factor->numbers + front->panel, width, height, columns, x);
    add_products(local, width, columns, x, x + size, rows->count, w);
    return leave(local, f, children, height - width, columns, x + (size_t)width * (size_t)columns);
}

sn_status sn_factor_compliance(sn_factor *factor, const sn_factor_rows *rows, double *w,
                               sn_error *error)
{
    size_t count = (size_t)rows->count;
    memset(w, 0, count * count * sizeof *w);
    if (!prepare(factor, rows->count) || !list_entering(factor, rows)) {
        return sn_fail_memory(error, count * 64);
    }
    sn_local_columns *local = factor->local;
    for (int c = 0; c < rows->count; ++c) {
        local->place[c] = -1;
    }
    for (int f = 0, first = 0; f < factor->front_count; ++f) {
        int last = first;
        while (last < local->entering.count && local->entering.data[last].front == f) {
            ++last;
        }
        if (local->pending[f] && !visit(factor, f, rows, first, last, w)) {
            return sn_fail_memory(error, local->capacity * sizeof(double));
        }
        first = last;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            w[j * count + i] = w[i * count + j];
        }
    }
    return SN_OK;
}
