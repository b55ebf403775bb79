// Boxes whose overlaps are kept from step to step: sorted lists of their ends on each axis (7.3 of
// the thesis clearance.h names, after Cohen, Lin, Manocha and Ponamgi, "I-COLLIDE", I3D 1995).
//
//     sn_sweep_list list;
//     sn_sweep_list_init(&list);
//     if (!sn_sweep_list_create(&list, count, split)) { ... no memory ... }
//     ... list.boxes[i] = ...; each step
//     if (!sn_sweep_list_update(&list, relevant, context)) { ... no memory ... }
//     for (int i = 0; i < list.pairs.count; ++i) { ... }
//     sn_sweep_list_free(&list);
//
// Ends move little from one step to the next, so insertion sort is nearly linear, and only where an
// end passes another can an overlap begin or stop. Items below `split` are paired with those from
// it on; if it is the count, all are paired with all. What once was not relevant is not asked about
// again while the two overlap.
#ifndef SN_COLLIDE_SWEEP_LIST_H
#define SN_COLLIDE_SWEEP_LIST_H

#include "base/array.h"
#include "sinew/math.h"

typedef struct sn_sweep_end {
    double value;
    int32_t item; // ~item: its upper end
} sn_sweep_end;

typedef struct sn_sweep_pair {
    int32_t a, b; // a < b
} sn_sweep_pair;

typedef struct sn_sweep_list {
    int count, split;
    bool sorted;
    sn_aabb *boxes, *before; // count: those to sort by, and those of the last update
    sn_sweep_end *ends[3];   // 2 * count each
    SN_ARRAY(sn_sweep_pair) pairs;
    uint64_t swaps; // in all, of two ends
} sn_sweep_list;

// May the pair meet at all?
typedef bool sn_sweep_relevant(const void *context, int a, int b);

SN_API void sn_sweep_list_init(sn_sweep_list *list);
SN_API bool sn_sweep_list_create(sn_sweep_list *list, int count, int split);
SN_API void sn_sweep_list_free(sn_sweep_list *list);

// Brings lists and pairs up to the boxes. False when memory runs out: the next update starts anew.
SN_API bool sn_sweep_list_update(sn_sweep_list *list, sn_sweep_relevant *relevant,
                                 const void *context);

// Do they have a point in common?
static inline bool sn_boxes_meet(const sn_aabb *a, const sn_aabb *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

#endif
