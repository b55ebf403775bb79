#include "collide/sweep_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void sn_sweep_list_init(sn_sweep_list *list)
{
    *list = (sn_sweep_list){.count = 0};
}

bool sn_sweep_list_create(sn_sweep_list *list, int count, int split)
{
    size_t n = (size_t)count;
    sn_sweep_list_init(list);
    list->count = count;
    list->split = split;
    list->boxes = sn_allocate_zero((n + 1) * sizeof *list->boxes);
    list->before = sn_allocate_zero((n + 1) * sizeof *list->before);
    for (int k = 0; k < 3; ++k) {
        list->ends[k] = sn_allocate((2 * n + 1) * sizeof *list->ends[k]);
    }
    if (list->boxes == NULL || list->before == NULL || list->ends[0] == NULL ||
        list->ends[1] == NULL || list->ends[2] == NULL) {
        sn_sweep_list_free(list);
        return false;
    }
    return true;
}

void sn_sweep_list_free(sn_sweep_list *list)
{
    sn_free(list->boxes);
    sn_free(list->before);
    for (int k = 0; k < 3; ++k) {
        sn_free(list->ends[k]);
    }
    sn_array_free(&list->pairs);
    sn_sweep_list_init(list);
}

// ---- order ----

static int item_of(const sn_sweep_end *end)
{
    return end->item < 0 ? ~end->item : end->item;
}

// At one place lower ends come first: boxes that touch overlap. Then by number, so that there is
// one order only.
static int compare_ends(const void *first, const void *second)
{
    const sn_sweep_end *a = first, *b = second;
    if (a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    if ((a->item < 0) != (b->item < 0)) {
        return a->item < 0 ? 1 : -1;
    }
    int of_a = item_of(a), of_b = item_of(b);
    return (of_a > of_b) - (of_a < of_b);
}

static double end_of(const sn_aabb *box, bool upper, int axis)
{
    return (upper ? &box->upper.x : &box->lower.x)[axis];
}

static bool axis_overlaps(const sn_aabb *a, const sn_aabb *b, int axis)
{
    return end_of(a, false, axis) <= end_of(b, true, axis) &&
           end_of(b, false, axis) <= end_of(a, true, axis);
}

static bool is_paired(const sn_sweep_list *list, int a, int b)
{
    return list->split == list->count || (a < list->split) != (b < list->split);
}

typedef struct filter {
    sn_sweep_relevant *relevant;
    const void *context;
} filter;

static bool add_pair(sn_sweep_list *list, const filter *by, int a, int b)
{
    sn_sweep_pair pair = {a < b ? a : b, a < b ? b : a};
    return (by->relevant != NULL && !by->relevant(by->context, pair.a, pair.b)) ||
           sn_array_push(&list->pairs, pair);
}

// ---- the first time ----

// Along the first axis, with the boxes that are open at each place.
static bool sweep(sn_sweep_list *list, const filter *by)
{
    SN_ARRAY(int32_t) open = {0};
    bool good = sn_array_reserve(&open, list->count);
    for (int i = 0; good && i < 2 * list->count; ++i) {
        const sn_sweep_end *end = &list->ends[0][i];
        if (end->item < 0) {
            int at = 0;
            while (open.data[at] != ~end->item) {
                at += 1;
            }
            open.data[at] = open.data[--open.count];
            continue;
        }
        for (int k = 0; good && k < open.count; ++k) {
            if (is_paired(list, end->item, open.data[k]) &&
                sn_boxes_meet(&list->boxes[end->item], &list->boxes[open.data[k]])) {
                good = add_pair(list, by, end->item, open.data[k]);
            }
        }
        open.data[open.count++] = end->item;
    }
    sn_array_free(&open);
    return good;
}

static bool start_anew(sn_sweep_list *list, const filter *by)
{
    sn_array_clear(&list->pairs);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < list->count; ++i) {
            list->ends[k][2 * i] = (sn_sweep_end){end_of(&list->boxes[i], false, k), i};
            list->ends[k][2 * i + 1] = (sn_sweep_end){end_of(&list->boxes[i], true, k), ~i};
        }
        qsort(list->ends[k], 2 * (size_t)list->count, sizeof *list->ends[k], compare_ends);
    }
    return sweep(list, by);
}

// ---- every time after ----

// A lower end has passed an upper one of another: on this axis an overlap begins, if it lasts. A
// pair is new if the boxes overlap now and did not before; it is added on the first of the axes on
// which they did not, and so once, since two ends pass each other once in a sort.
static bool pass(sn_sweep_list *list, const filter *by, int axis, int a, int b)
{
    const sn_aabb *of_a = &list->boxes[a], *of_b = &list->boxes[b];
    if (!is_paired(list, a, b) || !sn_boxes_meet(of_a, of_b)) {
        return true;
    }
    int first = 0;
    while (first < 3 && axis_overlaps(&list->before[a], &list->before[b], first)) {
        first += 1;
    }
    return first != axis || add_pair(list, by, a, b);
}

static bool sort_axis(sn_sweep_list *list, const filter *by, int axis)
{
    sn_sweep_end *ends = list->ends[axis];
    bool good = true;
    for (int i = 0; i < 2 * list->count; ++i) {
        bool upper = ends[i].item < 0;
        sn_sweep_end end = {end_of(&list->boxes[item_of(&ends[i])], upper, axis), ends[i].item};
        int at = i;
        while (at > 0 && compare_ends(&end, &ends[at - 1]) < 0) {
            if (!upper && ends[at - 1].item < 0 && good) {
                good = pass(list, by, axis, end.item, ~ends[at - 1].item);
            }
            ends[at] = ends[at - 1];
            at -= 1;
        }
        list->swaps += (uint64_t)(i - at);
        ends[at] = end;
    }
    return good;
}

static void drop_apart(sn_sweep_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->pairs.count; ++i) {
        sn_sweep_pair pair = list->pairs.data[i];
        if (sn_boxes_meet(&list->boxes[pair.a], &list->boxes[pair.b])) {
            list->pairs.data[kept++] = pair;
        }
    }
    list->pairs.count = kept;
}

bool sn_sweep_list_update(sn_sweep_list *list, sn_sweep_relevant *relevant, const void *context)
{
    filter by = {relevant, context};
    bool good = true;
    if (!list->sorted) {
        good = start_anew(list, &by);
    } else {
        drop_apart(list);
        for (int k = 0; k < 3; ++k) {
            good = sort_axis(list, &by, k) && good;
        }
    }
    list->sorted = good;
    memcpy(list->before, list->boxes, (size_t)list->count * sizeof *list->boxes);
    return good;
}
