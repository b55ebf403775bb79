// What a factor is without numbers: order, elimination tree, fronts, and where everything goes.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/dissection.h"
#include "elastic/factor_part.h"

// The pattern in the order of elimination, by rows of the lower triangle without the diagonal.
typedef struct analysis {
    const sn_factor_def *def;
    sn_factor *factor;
    int *starts, *columns; // permuted pattern
    int *parent;           // count: elimination tree
    int *marks;            // count
    int *heights;          // count: nodes of a column of L, the diagonal included
    int *swap;             // 2 * count
} analysis;

// Rows after elimination order `order`; needs factor->inverse.
static void permute_pattern(analysis *a)
{
    const sn_factor_def *def = a->def;
    const int *inverse = a->factor->inverse;
    memset(a->starts, 0, ((size_t)def->count + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < def->count; ++i) {
            for (int k = def->starts[i]; k < def->starts[i + 1]; ++k) {
                int p = inverse[i], q = inverse[def->columns[k]];
                if (p == q) {
                    continue;
                }
                int high = p > q ? p : q;
                if (pass == 0) {
                    a->starts[high + 1] += 1;
                } else {
                    a->columns[a->starts[high]++] = p > q ? q : p;
                }
            }
        }
        for (int i = 0; pass == 0 && i < def->count; ++i) {
            a->starts[i + 1] += a->starts[i];
        }
    }
    memmove(a->starts + 1, a->starts, (size_t)def->count * sizeof(int));
    a->starts[0] = 0;
}

// J. Liu 1986, with ancestors' paths shortened.
static void find_tree(analysis *a)
{
    int count = a->def->count, *ancestor = a->marks;
    for (int i = 0; i < count; ++i) {
        a->parent[i] = ancestor[i] = -1;
        for (int k = a->starts[i]; k < a->starts[i + 1]; ++k) {
            int j = a->columns[k];
            while (j >= 0 && j < i) {
                int next = ancestor[j];
                ancestor[j] = i;
                if (next < 0) {
                    a->parent[j] = i;
                }
                j = next;
            }
        }
    }
}

// Children before parents and subtrees together: `order` is changed to that. The roots hang below
// one more node, so that one walk takes them all.
static void put_in_postorder(analysis *a)
{
    int count = a->def->count, *head = a->swap, *next = a->swap + count + 1, *order = a->marks;
    for (int i = 0; i <= count; ++i) {
        head[i] = -1;
    }
    for (int i = count - 1; i >= 0; --i) {
        int p = a->parent[i] < 0 ? count : a->parent[i];
        next[i] = head[p];
        head[p] = i;
    }
    int node = count, put = 0;
    while (put < count) {
        if (head[node] >= 0) { // down to the next child, which then is taken off the list
            int child = head[node];
            head[node] = next[child];
            node = child;
        } else {
            order[put++] = node;
            node = a->parent[node] < 0 ? count : a->parent[node];
        }
    }
    for (int k = 0; k < count; ++k) {
        head[k] = a->factor->order[order[k]];
    }
    memcpy(a->factor->order, head, (size_t)count * sizeof(int));
    for (int k = 0; k < count; ++k) {
        a->factor->inverse[a->factor->order[k]] = k;
    }
}

// Row i of L has the nodes on the ways from the columns of A's row up to i.
static void count_heights(analysis *a)
{
    for (int i = 0; i < a->def->count; ++i) {
        a->heights[i] = 1;
        a->marks[i] = i;
        for (int k = a->starts[i]; k < a->starts[i + 1]; ++k) {
            for (int j = a->columns[k]; a->marks[j] != i; j = a->parent[j]) {
                a->marks[j] = i;
                a->heights[j] += 1;
            }
        }
    }
}

// ---- fronts ----

// A child is merged into its parent when the zeros that this keeps are few, more of them where the
// fronts are narrow (the habit of CHOLMOD: Y. Chen, T. Davis, W. Hager, S. Rajamanickam 2008).
static bool worth_merging(double zeros, int width, int height)
{
    double all = (double)width * (double)(2 * height - width + 1) / 2.0;
    double share = zeros / all;
    return width <= 4 || (width <= 16 && share < 0.5) || (width <= 48 && share < 0.1) ||
           share < 0.03;
}

typedef struct merged {
    int first, last, height;
    double zeros;
} merged;

// Columns with the pattern of the one before make a front; then children next to their parents are
// looked at from the leaves up. Fronts are listed by their nodes alone.
static bool find_fronts(analysis *a)
{
    sn_factor *factor = a->factor;
    int count = a->def->count;
    SN_ARRAY(merged) stack = {0};
    bool fits = true;
    for (int i = 0; fits && i < count;) {
        merged front = {.first = i, .last = i + 1, .height = a->heights[i]};
        while (front.last < count && a->parent[front.last - 1] == front.last &&
               a->heights[front.last] == a->heights[front.last - 1] - 1) {
            front.last += 1;
        }
        i = front.last;
        while (stack.count > 0) {
            const merged *child = &stack.data[stack.count - 1];
            if (a->parent[child->last - 1] < front.first ||
                a->parent[child->last - 1] >= front.last) {
                break;
            }
            int width = child->last - child->first, joined = front.last - child->first;
            int height = front.height + width;
            double zeros = child->zeros + front.zeros + (double)width * (height - child->height);
            if (!worth_merging(zeros, joined, height)) {
                break;
            }
            front = (merged){child->first, front.last, height, zeros};
            stack.count -= 1;
        }
        fits = sn_array_push(&stack, front);
    }
    factor->front_count = stack.count;
    factor->fronts = fits ? sn_allocate_zero(((size_t)stack.count + 1) * sizeof(sn_front)) : NULL;
    for (int f = 0; factor->fronts != NULL && f < stack.count; ++f) {
        factor->fronts[f].first = stack.data[f].first;
        factor->fronts[f].last = stack.data[f].last;
        for (int k = stack.data[f].first; k < stack.data[f].last; ++k) {
            factor->front_of[k] = f;
        }
    }
    sn_array_free(&stack);
    return factor->fronts != NULL;
}

static void link_fronts(analysis *a)
{
    sn_factor *factor = a->factor;
    for (int f = 0; f < factor->front_count; ++f) {
        factor->fronts[f].parent = factor->fronts[f].child = factor->fronts[f].sibling = -1;
    }
    for (int f = factor->front_count - 1; f >= 0; --f) {
        sn_front *front = &factor->fronts[f];
        int up = a->parent[front->last - 1];
        if (up >= 0) {
            front->parent = factor->front_of[up];
            sn_front *parent = &factor->fronts[front->parent];
            front->sibling = parent->child;
            parent->child = f;
        }
    }
}

static void sort_rows(int *rows, int count)
{
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; ++i) {
            int key = rows[i], j = i;
            for (; j >= gap && rows[j - gap] > key; j -= gap) {
                rows[j] = rows[j - gap];
            }
            rows[j] = key;
        }
    }
}

// Transposed pattern: who is below a column in A, in a->columns by a->starts.
static void transpose_pattern(analysis *a, int *starts, int *below)
{
    int count = a->def->count;
    memset(starts, 0, ((size_t)count + 1) * sizeof(int));
    for (int k = 0; k < a->starts[count]; ++k) {
        starts[a->columns[k] + 1] += 1;
    }
    for (int i = 0; i < count; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int i = 0; i < count; ++i) {
        for (int k = a->starts[i]; k < a->starts[i + 1]; ++k) {
            below[starts[a->columns[k]]++] = i;
        }
    }
    memmove(starts + 1, starts, (size_t)count * sizeof(int));
    starts[0] = 0;
}

static int push_row(analysis *a, int front, int row, int *rows, int count)
{
    if (row >= a->factor->fronts[front].last && a->marks[row] != front + 1) {
        a->marks[row] = front + 1;
        rows[count++] = row;
    }
    return count;
}

// Nodes below each front: those below its columns in A and those its children leave.
static bool find_rows(analysis *a)
{
    sn_factor *factor = a->factor;
    int count = a->def->count;
    int *starts = sn_allocate(((size_t)count + 1) * sizeof(int));
    int *below = sn_allocate(((size_t)a->starts[count] + 1) * sizeof(int));
    int *rows = sn_allocate(((size_t)count + 1) * sizeof(int));
    SN_ARRAY(int) all = {0};
    bool fits = starts != NULL && below != NULL && rows != NULL;
    if (fits) {
        transpose_pattern(a, starts, below);
        memset(a->marks, 0, (size_t)count * sizeof(int));
    }
    for (int f = 0; fits && f < factor->front_count; ++f) {
        sn_front *front = &factor->fronts[f];
        int own = 0;
        for (int k = starts[front->first]; k < starts[front->last]; ++k) {
            own = push_row(a, f, below[k], rows, own);
        }
        for (int c = front->child; c >= 0; c = factor->fronts[c].sibling) {
            for (int k = 0; all.data != NULL && k < factor->fronts[c].row_count; ++k) {
                own = push_row(a, f, all.data[factor->fronts[c].row_start + k], rows, own);
            }
        }
        sort_rows(rows, own);
        front->row_start = all.count;
        front->row_count = own;
        fits = sn_array_reserve(&all, all.count + own + 1);
        if (fits && own > 0) {
            memcpy(all.data + all.count, rows, (size_t)own * sizeof(int));
            all.count += own;
        }
    }
    sn_free(starts);
    sn_free(below);
    sn_free(rows);
    factor->rows = all.data;
    factor->fronts[factor->front_count].row_start = all.count;
    return fits;
}

// Place of a node within a front, in nodes.
static int place_in(const sn_factor *factor, const sn_front *front, int node)
{
    if (node < front->last) {
        return node - front->first;
    }
    const int *rows = factor->rows + front->row_start;
    int low = 0, high = front->row_count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rows[middle] < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return front->last - front->first + low;
}

static bool find_places(analysis *a)
{
    sn_factor *factor = a->factor;
    int total = factor->fronts[factor->front_count].row_start;
    factor->places = sn_allocate(((size_t)total + 1) * sizeof(int));
    for (int f = 0; factor->places != NULL && f < factor->front_count; ++f) {
        const sn_front *front = &factor->fronts[f];
        for (int k = 0; k < front->row_count; ++k) {
            int at = front->row_start + k;
            factor->places[at] = place_in(factor, &factor->fronts[front->parent], factor->rows[at]);
        }
    }
    return factor->places != NULL;
}

// Blocks of A by front.
static bool find_entries(analysis *a)
{
    sn_factor *factor = a->factor;
    const sn_factor_def *def = a->def;
    int total = def->starts[def->count];
    factor->entries = sn_allocate(((size_t)total + 1) * sizeof *factor->entries);
    if (factor->entries == NULL) {
        return false;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < def->count; ++i) {
            for (int k = def->starts[i]; k < def->starts[i + 1]; ++k) {
                int p = factor->inverse[i], q = factor->inverse[def->columns[k]];
                int low = p < q ? p : q, f = factor->front_of[low];
                sn_front *front = &factor->fronts[f];
                if (pass == 0) {
                    factor->fronts[f + 1].entry_start += 1;
                    continue;
                }
                factor->entries[front->entry_start++] =
                    (sn_factor_entry){.block = k,
                                      .row = place_in(factor, front, p < q ? q : p),
                                      .column = low - front->first,
                                      .transposed = p < q};
            }
        }
        for (int f = 0; pass == 0 && f < factor->front_count; ++f) {
            factor->fronts[f + 1].entry_start += factor->fronts[f].entry_start;
        }
    }
    for (int f = factor->front_count; f > 0; --f) {
        factor->fronts[f].entry_start = factor->fronts[f - 1].entry_start;
    }
    factor->fronts[0].entry_start = 0;
    return true;
}

// ---- all of it ----

static bool reserve(analysis *a)
{
    sn_factor *factor = a->factor;
    size_t count = (size_t)a->def->count, entries = (size_t)a->def->starts[count];
    factor->order = sn_allocate((count + 1) * sizeof(int));
    factor->inverse = sn_allocate((count + 1) * sizeof(int));
    factor->front_of = sn_allocate((count + 1) * sizeof(int));
    a->starts = sn_allocate((count + 1) * sizeof(int));
    a->columns = sn_allocate((entries + 1) * sizeof(int));
    a->parent = sn_allocate((count + 1) * sizeof(int));
    a->marks = sn_allocate((count + 1) * sizeof(int));
    a->heights = sn_allocate((count + 1) * sizeof(int));
    a->swap = sn_allocate(2 * (count + 1) * sizeof(int));
    return factor->order != NULL && factor->inverse != NULL && factor->front_of != NULL &&
           a->starts != NULL && a->columns != NULL && a->parent != NULL && a->marks != NULL &&
           a->heights != NULL && a->swap != NULL;
}

static sn_status analyse(analysis *a, sn_error *error)
{
    const sn_factor_def *def = a->def;
    sn_factor *factor = a->factor;
    size_t bytes = (size_t)def->count * 64;
    if (!reserve(a)) {
        return sn_fail_memory(error, bytes);
    }
    sn_status status =
        sn_dissect(def->count, def->starts, def->columns, def->positions, factor->order, error);
    if (status != SN_OK) {
        return status;
    }
    for (int k = 0; k < def->count; ++k) {
        factor->inverse[factor->order[k]] = k;
    }
    permute_pattern(a);
    find_tree(a);
    put_in_postorder(a);
    permute_pattern(a);
    find_tree(a);
    count_heights(a);
    if (!find_fronts(a)) {
        return sn_fail_memory(error, bytes);
    }
    link_fronts(a);
    return find_rows(a) && find_places(a) && find_entries(a) ? SN_OK : sn_fail_memory(error, bytes);
}

sn_status sn_factor_analyse(const sn_factor_def *def, sn_factor *factor, sn_error *error)
{
    analysis a = {.def = def, .factor = factor};
    factor->count = def->count;
    factor->block = def->block;
    sn_status status = analyse(&a, error);
    sn_free(a.starts);
    sn_free(a.columns);
    sn_free(a.parent);
    sn_free(a.marks);
    sn_free(a.heights);
    sn_free(a.swap);
    return status;
}
