#include "elastic/factor_part.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { SUBTREE_SHARES = 32 }; // a subtree is at most this part of the whole work

// ---- where numbers go ----

static double front_operations(const sn_factor *factor, const sn_front *front)
{
    double s = sn_front_width(factor, front), r = sn_front_height(factor, front) - s;
    return s * (s * s / 3.0 + r * (s + r));
}

// Whole subtrees of at most a share of the work, as large as they come.
static bool find_subtrees(sn_factor *factor)
{
    size_t count = (size_t)factor->front_count;
    double *below = sn_allocate_zero((count + 1) * sizeof *below);
    int *first = sn_allocate((count + 1) * sizeof *first);
    factor->in_subtree = sn_allocate_zero(count + 1);
    factor->subtrees = sn_allocate((count + 1) * sizeof *factor->subtrees);
    bool fits =
        below != NULL && first != NULL && factor->in_subtree != NULL && factor->subtrees != NULL;
    double all = 0.0;
    for (int f = 0; fits && f < factor->front_count; ++f) {
        const sn_front *front = &factor->fronts[f];
        double own = front_operations(factor, front);
        all += own;
        below[f] += own;
        first[f] = front->child >= 0 ? first[front->child] : f;
        if (front->parent >= 0) {
            below[front->parent] += below[f];
        }
    }
    for (int f = 0; fits && f < factor->front_count; ++f) {
        int up = factor->fronts[f].parent;
        if (below[f] <= all / SUBTREE_SHARES && (up < 0 || below[up] > all / SUBTREE_SHARES)) {
            factor->subtrees[factor->subtree_count++] = (sn_subtree){first[f], f + 1, 0};
            memset(factor->in_subtree + first[f], 1, (size_t)(f + 1 - first[f]));
        }
    }
    factor->statistics.operations = all;
    sn_free(below);
    sn_free(first);
    return fits;
}

// Two stacks, of fronts at even and at odd depth: while a front is put together, what its children
// left lies on top of the other one.
typedef struct stacks {
    size_t base, used[2], most[2];
} stacks;

static size_t update_size(const sn_factor *factor, const sn_front *front)
{
    size_t below = (size_t)factor->block * (size_t)front->row_count;
    return below * below;
}

// Offsets within the stacks at first, made absolute when their sizes are known.
static void stack_front(sn_factor *factor, stacks *s, const uint8_t *odd, int f, bool whole)
{
    sn_front *front = &factor->fronts[f];
    int own = odd[f];
    front->update = s->used[own];
    s->used[own] += update_size(factor, front);
    s->most[own] = s->used[own] > s->most[own] ? s->used[own] : s->most[own];
    for (int c = front->child; c >= 0; c = factor->fronts[c].sibling) {
        if (whole || !factor->in_subtree[c]) {
            s->used[1 - own] -= update_size(factor, &factor->fronts[c]);
        }
    }
}

static size_t end_stacks(const stacks *s)
{
    return s->base + s->most[0] + s->most[1];
}

// Numbers of all updates. Roots of subtrees leave theirs at the bottom of their own stacks.
static size_t place_updates(sn_factor *factor, uint8_t *odd)
{
    size_t total = 0;
    for (int f = factor->front_count - 1; f >= 0; --f) {
        int up = factor->fronts[f].parent;
        odd[f] = up < 0 ? 0 : 1 - odd[up];
    }
    for (int t = 0; t < factor->subtree_count; ++t) {
        stacks s = {.base = total};
        const sn_subtree *tree = &factor->subtrees[t];
        for (int f = tree->first; f < tree->last; ++f) {
            stack_front(factor, &s, odd, f, true);
        }
        for (int f = tree->first; f < tree->last; ++f) {
            factor->fronts[f].update += s.base + (odd[f] ? s.most[0] : 0);
        }
        total = end_stacks(&s);
    }
    stacks s = {.base = total};
    for (int f = 0; f < factor->front_count; ++f) {
        if (!factor->in_subtree[f]) {
            stack_front(factor, &s, odd, f, false);
        }
    }
    for (int f = 0; f < factor->front_count; ++f) {
        if (!factor->in_subtree[f]) {
            factor->fronts[f].update += s.base + (odd[f] ? s.most[0] : 0);
        }
    }
    return end_stacks(&s);
}

static size_t place_packed(sn_factor *factor)
{
    size_t total = 0;
    for (int t = 0; t < factor->subtree_count; ++t) {
        sn_subtree *tree = &factor->subtrees[t];
        size_t most = 0;
        for (int f = tree->first; f < tree->last; ++f) {
            size_t own = sn_front_packed(sn_front_height(factor, &factor->fronts[f]));
            most = own > most ? own : most;
        }
        tree->packed = total;
        total += most;
    }
    factor->top_packed = total;
    return total + sn_front_packed(factor->statistics.tallest_front);
}

// Where panels, updates and strips go, and what that comes to.
static bool place_numbers(sn_factor *factor)
{
    sn_factor_statistics *told = &factor->statistics;
    size_t panels = 0;
    told->front_count = factor->front_count;
    for (int f = 0; f < factor->front_count; ++f) {
        sn_front *front = &factor->fronts[f];
        int s = sn_front_width(factor, front), n = sn_front_height(factor, front);
        front->panel = panels;
        panels += (size_t)s * (size_t)n;
        told->widest_front = s > told->widest_front ? s : told->widest_front;
        told->tallest_front = n > told->tallest_front ? n : told->tallest_front;
        told->entries += (double)s * (double)(2 * n - s + 1) / 2.0;
    }
    uint8_t *odd = sn_allocate((size_t)factor->front_count + 1);
    if (odd == NULL) {
        return false;
    }
    factor->panel_size = panels;
    factor->update_size = place_updates(factor, odd);
    factor->packed_size = place_packed(factor);
    told->bytes = (double)(panels + factor->update_size + factor->packed_size) * sizeof(double);
    sn_free(odd);
    return true;
}

static void free_numbers(sn_factor *factor)
{
    double **numbers[] = {&factor->numbers,  &factor->updates, &factor->packed,
                          &factor->diagonal, &factor->scratch, &factor->gathered};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        sn_free(*numbers[k]);
        *numbers[k] = NULL;
    }
    sn_free(factor->bad);
    factor->bad = NULL;
}

// All of them or, when memory runs out, none: the next update then asks again.
static bool allocate_numbers(sn_factor *factor)
{
    size_t rows = (size_t)factor->count * (size_t)factor->block;
    factor->numbers = sn_allocate((factor->panel_size + 1) * sizeof(double));
    factor->updates = sn_allocate((factor->update_size + 1) * sizeof(double));
    factor->packed = sn_allocate((factor->packed_size + 1) * sizeof(double));
    factor->diagonal = sn_allocate((rows + 1) * sizeof(double));
    factor->scratch = sn_allocate((rows + 1) * sizeof(double));
    factor->gathered = sn_allocate(((size_t)factor->statistics.tallest_front + 1) * sizeof(double));
    factor->bad = sn_allocate(((size_t)factor->subtree_count + 1) * sizeof(int));
    bool fits = factor->numbers != NULL && factor->updates != NULL && factor->packed != NULL &&
                factor->diagonal != NULL && factor->scratch != NULL && factor->gathered != NULL &&
                factor->bad != NULL;
    if (!fits) {
        free_numbers(factor);
    }
    return fits;
}

sn_status sn_factor_create(const sn_factor_def *def, sn_factor **factor, sn_error *error)
{
    *factor = NULL;
    if (def->block < 1 || def->block > 12) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                       "blocks of %d rows; 1 to 12 were expected", def->block);
    }
    sn_factor *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    sn_status status = sn_factor_analyse(def, made, error);
    made->place = sn_copy_text(def->place);
    if (status == SN_OK && ((def->place != NULL && made->place == NULL) || !find_subtrees(made) ||
                            !place_numbers(made) || (!def->deferred && !allocate_numbers(made)))) {
        status = sn_fail_memory(error, (size_t)(made->statistics.entries * sizeof(double)));
    }
    if (status != SN_OK) {
        sn_factor_destroy(made);
        return status;
    }
    *factor = made;
    return SN_OK;
}

void sn_factor_destroy(sn_factor *factor)
{
    if (factor == NULL) {
        return;
    }
    sn_free(factor->order);
    sn_free(factor->inverse);
    sn_free(factor->fronts);
    sn_free(factor->front_of);
    sn_free(factor->rows);
    sn_free(factor->places);
    sn_free(factor->entries);
    sn_free(factor->subtrees);
    sn_free(factor->in_subtree);
    free_numbers(factor);
    sn_free(factor->place);
    sn_factor_local_free(factor->local);
    sn_free(factor);
}

sn_factor_statistics sn_factor_statistics_of(const sn_factor *factor)
{
    return factor->statistics;
}

// ---- numbers ----

typedef struct updating {
    sn_factor *factor;
    const double *values;
} updating;

static void put_entries(const updating *work, const sn_front *front, double *panel)
{
    sn_factor *factor = work->factor;
    int b = factor->block;
    size_t height = (size_t)sn_front_height(factor, front);
    for (int e = front[0].entry_start; e < front[1].entry_start; ++e) {
        const sn_factor_entry *entry = &factor->entries[e];
        const double *block = work->values + (size_t)entry->block * (size_t)(b * b);
        int down = entry->transposed ? 1 : b, across = entry->transposed ? b : 1;
        double *out = panel + (size_t)(entry->column * b) * height + (size_t)(entry->row * b);
        for (int j = 0; j < b; ++j, out += height) {
            for (int i = 0; i < b; ++i) {
                out[i] = block[i * down + j * across];
            }
        }
    }
    double *diagonal = factor->diagonal + (size_t)front->first * (size_t)b;
    for (size_t j = 0; j < (size_t)sn_front_width(factor, front); ++j) {
        diagonal[j] = panel[j * height + j];
    }
}

// One column of what a child leaves, from its diagonal block down, into a column of the front that
// starts at the front's row `top`, in nodes.
static void add_column(const double *from, const int *places, int count, int block, int top,
                       double *to)
{
    if (block == 3) {
        for (int k = 0; k < count; ++k, from += 3) {
            double *out = to + 3 * (size_t)(places[k] - top);
            out[0] += from[0];
            out[1] += from[1];
            out[2] += from[2];
        }
        return;
    }
    for (int k = 0; k < count; ++k, from += block) {
        double *out = to + (size_t)(places[k] - top) * (size_t)block;
        for (int i = 0; i < block; ++i) {
            out[i] += from[i];
        }
    }
}

static void add_child(sn_factor *factor, const sn_front *front, const sn_front *child)
{
    int b = factor->block, nodes = front->last - front->first;
    size_t height = (size_t)sn_front_height(factor, front);
    size_t below = (size_t)b * (size_t)front->row_count;
    size_t from_below = (size_t)b * (size_t)child->row_count;
    const int *places = factor->places + child->row_start;
    const double *from = factor->updates + child->update;
    for (int k = 0; k < child->row_count; ++k) {
        bool own = places[k] < nodes;
        double *to =
            own ? factor->numbers + front->panel + (size_t)(b * places[k]) * height
                : factor->updates + front->update + (size_t)(b * (places[k] - nodes)) * below;
        for (int j = 0; j < b; ++j, to += own ? height : below) {
            const double *column = from + (size_t)(b * k + j) * from_below + (size_t)(b * k);
            add_column(column, places + k, child->row_count - k, b, own ? 0 : nodes, to);
        }
    }
}

// Returns the row, in the order of elimination, that has no pivot, or -1.
static int update_front(const updating *work, sn_threads *threads, int f, double *packed)
{
    sn_factor *factor = work->factor;
    const sn_front *front = &factor->fronts[f];
    sn_front_work dense = {.panel = factor->numbers + front->panel,
                           .update = factor->updates + front->update,
                           .width = sn_front_width(factor, front),
                           .height = sn_front_height(factor, front),
                           .diagonal =
                               factor->diagonal + (size_t)front->first * (size_t)factor->block,
                           .packed = packed};
    memset(dense.panel, 0, (size_t)dense.width * (size_t)dense.height * sizeof(double));
    memset(dense.update, 0, update_size(factor, front) * sizeof(double));
    put_entries(work, front, dense.panel);
    for (int c = front->child; c >= 0; c = factor->fronts[c].sibling) {
        add_child(factor, front, &factor->fronts[c]);
    }
    sn_front_factor(&dense, threads);
    return dense.bad < 0 ? -1 : front->first * factor->block + dense.bad;
}

static void update_subtrees(void *context, int first, int last, int number)
{
    (void)number;
    const updating *work = context;
    sn_factor *factor = work->factor;
    for (int t = first; t < last; ++t) {
        const sn_subtree *tree = &factor->subtrees[t];
        factor->bad[t] = -1;
        for (int f = tree->first; f < tree->last && factor->bad[t] < 0; ++f) {
            factor->bad[t] = update_front(work, NULL, f, factor->packed + tree->packed);
        }
    }
}

static sn_status tell_bad(const sn_factor *factor, int row, sn_error *error)
{
    int node = factor->order[row / factor->block];
    return sn_fail(error, SN_ERROR_INTEGRATOR, factor->place,
                   "the matrix is not positive definite at vertex %d, row %d of its %d; lower "
                   "stiffness of compressed elements, a shorter step or fewer ties were expected",
                   node, row % factor->block, factor->block);
}

sn_status sn_factor_update(sn_factor *factor, sn_threads *threads, const double *values,
                           sn_error *error)
{
    updating work = {factor, values};
    if (factor->numbers == NULL && !allocate_numbers(factor)) {
        return sn_fail_memory(error, (size_t)factor->statistics.bytes);
    }
    sn_threads_run(threads, factor->subtree_count, 1, update_subtrees, &work);
    int bad = -1;
    for (int t = 0; t < factor->subtree_count; ++t) {
        bad = bad < 0 ? factor->bad[t] : bad;
    }
    for (int f = 0; f < factor->front_count && bad < 0; ++f) {
        if (!factor->in_subtree[f]) {
            bad = update_front(&work, threads, f, factor->packed + factor->top_packed);
        }
    }
    return bad < 0 ? SN_OK : tell_bad(factor, bad, error);
}

// ---- right sides ----

// A front's own rows of y and those below, together; and back.
static void gather(const sn_factor *factor, const sn_front *front, const double *y, double *x)
{
    size_t b = (size_t)factor->block, s = (size_t)sn_front_width(factor, front);
    memcpy(x, y + (size_t)front->first * b, s * sizeof *x);
    x += s;
    for (int k = 0; k < front->row_count; ++k, x += b) {
        memcpy(x, y + (size_t)factor->rows[front->row_start + k] * b, b * sizeof *x);
    }
}

static void forward(sn_factor *factor, double *y)
{
    size_t b = (size_t)factor->block;
    for (int f = 0; f < factor->front_count; ++f) {
        const sn_front *front = &factor->fronts[f];
        int s = sn_front_width(factor, front);
        double *x = factor->gathered;
        gather(factor, front, y, x);
        sn_front_forward(factor->numbers + front->panel, s, sn_front_height(factor, front), x);
        memcpy(y + (size_t)front->first * b, x, (size_t)s * sizeof *x);
        x += s;
        for (int k = 0; k < front->row_count; ++k, x += b) {
            memcpy(y + (size_t)factor->rows[front->row_start + k] * b, x, b * sizeof *x);
        }
    }
}

static void backward(sn_factor *factor, double *y)
{
    size_t b = (size_t)factor->block;
    for (int f = factor->front_count - 1; f >= 0; --f) {
        const sn_front *front = &factor->fronts[f];
        int s = sn_front_width(factor, front);
        gather(factor, front, y, factor->gathered);
        sn_front_backward(factor->numbers + front->panel, s, sn_front_height(factor, front),
                          factor->gathered);
        memcpy(y + (size_t)front->first * b, factor->gathered, (size_t)s * sizeof(double));
    }
}

static void permute(const sn_factor *factor, int stride, const double *x, double *y)
{
    for (int k = 0; k < factor->count; ++k) {
        const double *from = x + (size_t)factor->order[k] * (size_t)stride;
        for (int i = 0; i < factor->block; ++i) {
            *y++ = from[i];
        }
    }
}

static void permute_back(const sn_factor *factor, int stride, const double *y, double *x)
{
    for (int k = 0; k < factor->count; ++k) {
        double *to = x + (size_t)factor->order[k] * (size_t)stride;
        for (int i = 0; i < factor->block; ++i) {
            to[i] = *y++;
        }
    }
}

void sn_factor_solve(sn_factor *factor, int stride, double *x)
{
    permute(factor, stride, x, factor->scratch);
    forward(factor, factor->scratch);
    backward(factor, factor->scratch);
    permute_back(factor, stride, factor->scratch, x);
}

void sn_factor_half_solve(sn_factor *factor, int stride, const double *x, double *y)
{
    permute(factor, stride, x, y);
    forward(factor, y);
}

void sn_factor_half_solve_back(sn_factor *factor, int stride, const double *y, double *x)
{
    memcpy(factor->scratch, y, (size_t)factor->count * (size_t)factor->block * sizeof *y);
    backward(factor, factor->scratch);
    permute_back(factor, stride, factor->scratch, x);
}
