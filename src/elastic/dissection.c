#include "elastic/dissection.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    LEAF_NODES = 120,
    BUCKETS = 4096, // coordinates are told apart to this share of a part's length
    CUT_COUNT = 7,  // places along a key that are tried
    AXIS_COUNT = 4, // keys: x, y, z, distance from one end
    WORD_BITS = 64
};

typedef struct segment {
    int first, last; // of the order
} segment;

typedef struct cutter {
    int count;
    const sn_vec3 *positions;
    int *starts, *neighbours; // full pattern without the diagonal
    int *order;               // count: in segments
    int *part_of;             // count: which segment is looked at, or who is eliminated
    int *key;                 // count
    int *histogram;           // count + BUCKETS
    int *queue;               // count
    uint8_t *side;            // count: 0 below, 1 above, 2 separator
    uint64_t *bits;           // adjacency of a leaf
    int bit_words;
    int part; // number of the present segment
    SN_ARRAY(segment) stack;
} cutter;

static void fill_neighbours(cutter *c, const int *starts, const int *columns)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < c->count; ++i) {
            for (int k = starts[i]; k < starts[i + 1]; ++k) {
                int j = columns[k];
                if (j == i) {
                    continue;
                }
                if (pass == 0) {
                    c->starts[i + 1] += 1;
                    c->starts[j + 1] += 1;
                } else {
                    c->neighbours[c->starts[i]++] = j;
                    c->neighbours[c->starts[j]++] = i;
                }
            }
        }
        for (int i = 0; pass == 0 && i < c->count; ++i) {
            c->starts[i + 1] += c->starts[i];
        }
    }
    memmove(c->starts + 1, c->starts, (size_t)c->count * sizeof(int));
    c->starts[0] = 0;
}

// ---- keys along which a part is cut ----

static double coordinate(const cutter *c, int node, int axis)
{
    const sn_vec3 *p = &c->positions[node];
    return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

// Returns the number of keys; 0: the part has no length along the axis.
static int key_by_axis(cutter *c, segment s, int axis)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = s.first; k < s.last; ++k) {
        double x = coordinate(c, c->order[k], axis);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    if (!(high > low) || !isfinite(high - low)) {
        return 0;
    }
    double scale = (BUCKETS - 1) / (high - low);
    for (int k = s.first; k < s.last; ++k) {
        int node = c->order[k];
        c->key[node] = (int)((coordinate(c, node, axis) - low) * scale + 0.5);
    }
    return BUCKETS;
}

// Distances from `from` as keys; nodes that cannot be reached come behind. Returns the last node
// and the number of keys.
static int search_from(cutter *c, segment s, int from, int *last)
{
    for (int k = s.first; k < s.last; ++k) {
        c->key[c->order[k]] = -1;
    }
    int head = 0, tail = 0;
    c->key[from] = 0;
    c->queue[tail++] = from;
    for (; head < tail; ++head) {
        int node = c->queue[head];
        for (int k = c->starts[node]; k < c->starts[node + 1]; ++k) {
            int other = c->neighbours[k];
            if (c->part_of[other] == c->part && c->key[other] < 0) {
                c->key[other] = c->key[node] + 1;
                c->queue[tail++] = other;
            }
        }
    }
    *last = c->queue[tail - 1];
    int depth = c->key[*last] + 1;
    for (int k = s.first; k < s.last; ++k) {
        int *key = &c->key[c->order[k]];
        *key = *key < 0 ? depth : *key;
    }
    return depth + 1;
}

static int key_by_search(cutter *c, segment s)
{
    int end = c->order[s.first];
    search_from(c, s, end, &end);
    search_from(c, s, end, &end);
    int ignored;
    return search_from(c, s, end, &ignored);
}

// ---- separators ----

typedef struct cut {
    int axis, threshold; // keys up to the threshold are below
    bool from_below;     // the separator is taken from those below
    double cost;
} cut;

static bool has_neighbour_on(const cutter *c, int node, uint8_t side)
{
    for (int k = c->starts[node]; k < c->starts[node + 1]; ++k) {
        int other = c->neighbours[k];
        if (c->part_of[other] == c->part && c->side[other] == side) {
            return true;
        }
    }
    return false;
}

// Small separators first, halves of a like size second.
static void weigh(cut *best, cut candidate, int below, int above, int separator)
{
    if (below <= 0 || above <= 0) {
        return;
    }
    double off = fabs((double)(below - above)) / (below + above);
    candidate.cost = (separator + 0.01) * (1.0 + 3.0 * off * off);
    if (candidate.cost < best->cost) {
        *best = candidate;
    }
}

static void try_threshold(cutter *c, segment s, cut candidate, cut *best)
{
    int count[2] = {0, 0}, border[2] = {0, 0};
    for (int k = s.first; k < s.last; ++k) {
        int node = c->order[k];
        c->side[node] = c->key[node] > candidate.threshold;
    }
    for (int k = s.first; k < s.last; ++k) {
        int node = c->order[k], side = c->side[node];
        count[side] += 1;
        border[side] += has_neighbour_on(c, node, (uint8_t)(1 - side));
    }
    candidate.from_below = true;
    weigh(best, candidate, count[0] - border[0], count[1], border[0]);
    candidate.from_below = false;
    weigh(best, candidate, count[0], count[1] - border[1], border[1]);
}

static int make_keys(cutter *c, segment s, int axis)
{
    if (axis == AXIS_COUNT - 1) {
        return key_by_search(c, s);
    }
    return c->positions != NULL ? key_by_axis(c, s, axis) : 0;
}

static void try_axis(cutter *c, segment s, int axis, cut *best)
{
    int keys = make_keys(c, s, axis), nodes = s.last - s.first;
    memset(c->histogram, 0, (size_t)keys * sizeof(int));
    for (int k = s.first; keys > 0 && k < s.last; ++k) {
        c->histogram[c->key[c->order[k]]] += 1;
    }
    int below = 0, tried = 0;
    for (int key = 0; key < keys - 1 && tried < CUT_COUNT; ++key) {
        below += c->histogram[key];
        if (c->histogram[key] == 0 || below < nodes * (7 + tried) / 20) {
            continue;
        }
        while (tried < CUT_COUNT && below >= nodes * (7 + tried) / 20) {
            ++tried;
        }
        try_threshold(c, s, (cut){.axis = axis, .threshold = key}, best);
    }
}

// Sides of the chosen cut. Of the separator, who touches one half only goes to the other.
static void take_cut(cutter *c, segment s, const cut *best)
{
    make_keys(c, s, best->axis);
    for (int k = s.first; k < s.last; ++k) {
        int node = c->order[k];
        c->side[node] = c->key[node] > best->threshold;
    }
    int from = best->from_below ? 0 : 1;
    int separators = 0;
    for (int k = s.first; k < s.last; ++k) {
        int node = c->order[k];
        if (c->side[node] == from && has_neighbour_on(c, node, (uint8_t)(1 - from))) {
            c->queue[separators++] = node;
        }
    }
    for (int k = 0; k < separators; ++k) {
        c->side[c->queue[k]] = 2;
    }
    for (int k = 0; k < separators; ++k) {
        int node = c->queue[k];
        if (!has_neighbour_on(c, node, (uint8_t)from)) {
            c->side[node] = (uint8_t)(1 - from);
        }
    }
}

// ---- small parts ----

static int lowest_degree(const cutter *c, const uint64_t *bits, int words, int nodes)
{
    int best = -1, degree = 0;
    for (int i = 0; i < nodes; ++i) {
        if (c->key[c->queue[i]] < 0) {
            continue;
        }
        int own = 0;
        for (int w = 0; w < words; ++w) {
            own += __builtin_popcountll(bits[(size_t)i * (size_t)words + (size_t)w]);
        }
        if (best < 0 || own < degree) {
            best = i;
            degree = own;
        }
    }
    return best;
}

// Local numbers: the leaf's own nodes, then those around it. Returns how many there are.
static int number_leaf(cutter *c, segment s)
{
    int nodes = s.last - s.first, total = 0;
    for (int k = s.first; k < s.last; ++k) {
        c->key[c->order[k]] = total;
        c->queue[total++] = c->order[k];
    }
    for (int i = 0; i < nodes; ++i) {
        int node = c->queue[i];
        for (int k = c->starts[node]; k < c->starts[node + 1]; ++k) {
            int other = c->neighbours[k];
            if (c->part_of[other] < c->part) {
                c->part_of[other] = c->part;
                c->key[other] = total;
                c->queue[total++] = other;
            }
        }
    }
    return total;
}

static bool order_leaf(cutter *c, segment s)
{
    int nodes = s.last - s.first, total = number_leaf(c, s);
    int words = (total + WORD_BITS - 1) / WORD_BITS;
    if (nodes * words > c->bit_words) {
        uint64_t *more = sn_reallocate(c->bits, (size_t)(nodes * words) * sizeof *more);
        if (more == NULL) {
            return false;
        }
        c->bits = more;
        c->bit_words = nodes * words;
    }
    memset(c->bits, 0, (size_t)(nodes * words) * sizeof *c->bits);
    for (int i = 0; i < nodes; ++i) {
        uint64_t *row = c->bits + (size_t)i * (size_t)words;
        int node = c->queue[i];
        row[i / WORD_BITS] |= UINT64_C(1) << (i % WORD_BITS);
        for (int k = c->starts[node]; k < c->starts[node + 1]; ++k) {
            unsigned other = (unsigned)c->key[c->neighbours[k]];
            row[other / WORD_BITS] |= UINT64_C(1) << (other % WORD_BITS);
        }
    }
    for (int step = 0; step < nodes; ++step) {
        int best = lowest_degree(c, c->bits, words, nodes);
        assert(best >= 0);
        const uint64_t *row = c->bits + (size_t)best * (size_t)words;
        c->order[s.first + step] = c->queue[best];
        c->key[c->queue[best]] = -1;
        for (int i = 0; i < nodes; ++i) {
            uint64_t *other = c->bits + (size_t)i * (size_t)words;
            if (c->key[c->queue[i]] < 0 || (row[i / WORD_BITS] >> (i % WORD_BITS) & 1) == 0) {
                continue;
            }
            for (int w = 0; w < words; ++w) {
                other[w] |= row[w];
            }
            other[best / WORD_BITS] &= ~(UINT64_C(1) << ((unsigned)best % WORD_BITS));
        }
    }
    return true;
}

// ---- parts ----

static bool split(cutter *c, segment s)
{
    cut best = {.cost = INFINITY};
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        try_axis(c, s, axis, &best);
    }
    if (best.cost == INFINITY) {
        return true; // everybody touches everybody: any order is as good
    }
    take_cut(c, s, &best);
    int put = 0, ends[3];
    for (uint8_t side = 0; side < 3; ++side) {
        for (int k = s.first; k < s.last; ++k) {
            if (c->side[c->order[k]] == side) {
                c->queue[put++] = c->order[k];
            }
        }
        ends[side] = s.first + put;
    }
    memcpy(c->order + s.first, c->queue, (size_t)put * sizeof(int));
    return sn_array_push(&c->stack, (segment){ends[0], ends[1]}) &&
           sn_array_push(&c->stack, (segment){s.first, ends[0]});
}

static bool cut_all(cutter *c)
{
    bool fits = sn_array_push(&c->stack, (segment){0, c->count});
    while (fits && c->stack.count > 0) {
        segment s = c->stack.data[--c->stack.count];
        c->part += 1;
        for (int k = s.first; k < s.last; ++k) {
            c->part_of[c->order[k]] = c->part;
        }
        fits = s.last - s.first <= LEAF_NODES ? order_leaf(c, s) : split(c, s);
    }
    return fits;
}

static bool reserve(cutter *c, const int *starts)
{
    size_t count = (size_t)c->count, entries = 2 * (size_t)(starts[c->count] - starts[0]);
    c->starts = sn_allocate_zero((count + 1) * sizeof(int));
    c->neighbours = sn_allocate((entries + 1) * sizeof(int));
    c->part_of = sn_allocate_zero((count + 1) * sizeof(int));
    c->key = sn_allocate_zero((count + 1) * sizeof(int));
    c->histogram = sn_allocate((count + BUCKETS) * sizeof(int));
    c->queue = sn_allocate((count + 1) * sizeof(int));
    c->side = sn_allocate_zero(count + 1);
    return c->starts != NULL && c->neighbours != NULL && c->part_of != NULL && c->key != NULL &&
           c->histogram != NULL && c->queue != NULL && c->side != NULL;
}

sn_status sn_dissect(int count, const int *starts, const int *columns, const sn_vec3 *positions,
                     int *order, sn_error *error)
{
    cutter c = {.count = count, .positions = positions, .order = order};
    bool fits = reserve(&c, starts);
    if (fits) {
        for (int i = 0; i < count; ++i) {
            order[i] = i;
        }
        fill_neighbours(&c, starts, columns);
        fits = cut_all(&c);
    }
    sn_free(c.starts);
    sn_free(c.neighbours);
    sn_free(c.part_of);
    sn_free(c.key);
    sn_free(c.histogram);
    sn_free(c.queue);
    sn_free(c.side);
    sn_free(c.bits);
    sn_array_free(&c.stack);
    return fits ? SN_OK : sn_fail_memory(error, (size_t)count * 64);
}
