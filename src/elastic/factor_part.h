// The inside of a factor, for the sources of this folder.
#ifndef SN_ELASTIC_FACTOR_PART_H
#define SN_ELASTIC_FACTOR_PART_H

#include "base/array.h"
#include "elastic/factor.h"

// Nodes first .. last - 1 in the order of elimination are eliminated together. With s = rows of
// these nodes and n = s + rows of the nodes below, the front's panel is n x s by columns: L11 on
// top, L21 below. What it leaves to its parent is (n - s) x (n - s) by columns, of which the lower
// triangle counts. L's diagonal is kept as its reciprocal.
typedef struct sn_front {
    int first, last;
    int parent;               // -1: a root
    int child, sibling;       // first child and next one of the same parent, ascending; -1: none
    int row_start, row_count; // nodes below: of rows[]
    int entry_start;          // of entries[], up to the next front's
    size_t panel;             // of numbers[]
    size_t update;            // of updates[]
} sn_front;

// Where a block of A goes: row and column within the front, in nodes, and whether transposed.
typedef struct sn_factor_entry {
    int block, row, column;
    bool transposed;
} sn_factor_entry;

// Fronts first .. last - 1, the last of them the subtree's root, that one thread takes on.
typedef struct sn_subtree {
    int first, last;
    size_t packed; // of packed[]
} sn_subtree;

typedef struct sn_local_columns sn_local_columns; // see factor_compliance.c

struct sn_factor {
    int count, block;
    int *order;   // count: node that is eliminated as the k-th
    int *inverse; // count
    int front_count;
    sn_front *fronts; // front_count + 1; the last is the end of lists
    int *front_of;    // count: of the k-th
    int *rows;        // nodes below fronts, in the order of elimination
    int *places;      // the same: where they are in the parent's front, in nodes
    sn_factor_entry *entries;
    int subtree_count; // fronts in no subtree are taken one by one
    sn_subtree *subtrees;
    uint8_t *in_subtree;                         // front_count
    size_t panel_size, update_size, packed_size; // of the next three
    double *numbers; // panels; NULL until the first update of a deferred factor
    double *updates;
    double *packed;    // strips of fronts
    size_t top_packed; // of packed[]: for fronts in no subtree
    double *diagonal;  // count * block: of A, in the order of elimination
    double *scratch;   // count * block
    double *gathered;  // the tallest front
    int *bad;          // subtree_count: row where it was not positive definite; -1
    char *place;       // may be NULL
    sn_factor_statistics statistics;
    sn_local_columns *local;
};

static inline int sn_front_width(const sn_factor *factor, const sn_front *front)
{
    return factor->block * (front->last - front->first);
}

static inline int sn_front_height(const sn_factor *factor, const sn_front *front)
{
    return factor->block * (front->last - front->first + front->row_count);
}

// Order, tree, fronts, places; no numbers yet.
sn_status sn_factor_analyse(const sn_factor_def *def, sn_factor *factor, sn_error *error);

// ---- dense fronts: front.c ----

enum { SN_PANEL_WIDTH = 32, SN_STRIP = 8 };

typedef struct sn_front_work {
    double *panel;  // height x width by columns
    double *update; // (height - width)^2 by columns; NULL when there is none
    int width, height;
    const double *diagonal; // width: what pivots came from
    double *packed;         // sn_front_packed(height)
    int bad;                // out: column that has no pivot above round-off, or -1
} sn_front_work;

static inline size_t sn_front_packed(int height)
{
    return (size_t)SN_PANEL_WIDTH * (size_t)(height + SN_STRIP);
}

// L11 (with the reciprocal of its diagonal), L21 and update - L21 L21^T, in place.
void sn_front_factor(sn_front_work *work, sn_threads *threads);

// With a panel that is factored, x: width, then height - width below: x1 <- L11^-1 x1, x2 -= L21
// x1; and x1 <- L11^-T (x1 - L21^T x2).
void sn_front_forward(const double *panel, int width, int height, double *x);
void sn_front_backward(const double *panel, int width, int height, double *x);

// The first for `columns` (a multiple of 4) right sides at once, x: height x columns by rows.
void sn_front_forward_many(const double *panel, int width, int height, int columns, double *x);

// x^T x of those: the lower triangle of columns x columns, by rows.
void sn_front_square(int rows, int columns, const double *x, double *products);

void sn_factor_local_free(sn_local_columns *local);

#endif
