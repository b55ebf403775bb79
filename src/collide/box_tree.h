// A binary tree of boxes that follows its items as they move: the core of the broad phase, and of
// triangle meshes, whose items stay.
//
// Boxes are floats, rounded outward, so that a node is half a cache line. A moved leaf marks its
// way to the root; one refit then visits marked nodes only, from below, and swaps a child with a
// grandchild where that shrinks a box (Kopta et al., "Fast, effective BVH updates for animated
// scenes", I3D 2012). So a tree keeps its quality at the cost of what moved. `cost` (the sum of the
// inner boxes' areas, which the surface-area heuristic makes small) tells when it has not, and the
// owner then builds it anew.
//
// Nothing here allocates except reserve. The height stays below SN_BOX_TREE_HEIGHT, if the owner
// rebuilds when sn_box_tree_is_worn says so, before it walks.
#ifndef SN_COLLIDE_BOX_TREE_H
#define SN_COLLIDE_BOX_TREE_H

#include <string.h>

#include "sinew/math.h"

enum { SN_BOX_TREE_HEIGHT = 96, SN_BOX_NODE_LEAF = -1, SN_BOX_NODE_FREE = -2 };

typedef struct sn_float_box {
    float lower[3], upper[3];
} sn_float_box;

// A leaf has its item in left and SN_BOX_NODE_LEAF in right, one that is not in use
// SN_BOX_NODE_FREE.
typedef struct sn_box_node {
    float lower[3];
    int32_t left;
    float upper[3];
    int32_t right;
} sn_box_node;

typedef struct sn_box_leaf {
    sn_float_box box;
    float centre[3]; // twice the middle
    int32_t item;
} sn_box_leaf;

typedef struct sn_box_tree {
    int root; // -1: empty
    int leaf_count, node_count, free_node;
    int leaf_capacity, item_capacity;
    sn_box_node *nodes;  // 2 * leaf_capacity
    int32_t *parents;    // 2 * leaf_capacity
    uint8_t *heights;    // 2 * leaf_capacity
    uint8_t *marks;      // 2 * leaf_capacity: to be refitted
    sn_box_leaf *leaves; // leaf_capacity: scratch of building
    int32_t *leaf_of;    // item_capacity: -1: not in this tree
    double cost;         // sum of inner boxes' areas
    double best_cost;    // the smallest since it was built, as if built with what came since
    int changes;         // insertions and removals since it was built
} sn_box_tree;

void sn_box_tree_init(sn_box_tree *tree);
void sn_box_tree_free(sn_box_tree *tree);

// Room for items numbered below `items`, of which `leaves` at once; false when memory runs out.
bool sn_box_tree_reserve(sn_box_tree *tree, int items, int leaves);

// A float just below x, and one just above; and a box of such around a box.
float sn_float_below(double x);
float sn_float_above(double x);
sn_float_box sn_float_box_around(sn_aabb box);

static inline bool sn_float_box_overlap(const sn_float_box *a, const sn_float_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

void sn_box_tree_insert(sn_box_tree *tree, int item, const sn_float_box *box);
void sn_box_tree_remove(sn_box_tree *tree, int item);

// Gives a leaf another box. Walks may miss it until the next refit.
void sn_box_tree_place(sn_box_tree *tree, int item, const sn_float_box *box);
void sn_box_tree_refit(sn_box_tree *tree);

// Too deep, or so much worse than it was that building it anew pays.
bool sn_box_tree_is_worn(const sn_box_tree *tree);

// Builds it anew from `count` items, which the caller has put into tree->leaves (box and item), by
// the surface-area heuristic over bins of the leaves' middles.
void sn_box_tree_build(sn_box_tree *tree, int count);

// Gives back the memory that only changes need, of a tree that will see none.
void sn_box_tree_keep_boxes(sn_box_tree *tree);

// Does every node hold its children, and all links agree? For tests.
SN_API bool sn_box_tree_is_sound(const sn_box_tree *tree);

// ---- walks over all leaves that overlap a box ----

// Four floats at once: three of a corner and one that does not count.
typedef float sn_float4 __attribute__((vector_size(16)));
typedef int32_t sn_int4 __attribute__((vector_size(16)));

typedef struct sn_box_walk {
    const sn_box_node *nodes;
    sn_float4 lower, upper;
    int top;
    int32_t stack[SN_BOX_TREE_HEIGHT + 2];
} sn_box_walk;

static inline bool sn_box_walk_meets(const sn_box_walk *walk, const sn_box_node *node)
{
    sn_float4 lower, upper;
    memcpy(&lower, node->lower, sizeof lower);
    memcpy(&upper, node->upper, sizeof upper);
    sn_int4 meets = (lower <= walk->upper) & (walk->lower <= upper);
#ifdef __SSE__
    return (__builtin_ia32_movmskps((sn_float4)meets) & 7) == 7;
#else
    return (meets[0] & meets[1] & meets[2]) != 0;
#endif
}

static inline void sn_box_walk_start(sn_box_walk *walk, const sn_box_tree *tree,
                                     const sn_float_box *box)
{
    walk->nodes = tree->nodes;
    walk->lower = (sn_float4){box->lower[0], box->lower[1], box->lower[2], 0.0f};
    walk->upper = (sn_float4){box->upper[0], box->upper[1], box->upper[2], 0.0f};
    walk->top = 0;
    if (tree->root >= 0 && sn_box_walk_meets(walk, &tree->nodes[tree->root])) {
        walk->stack[walk->top++] = tree->root;
    }
}

// The next item, or -1. Whether a child overlaps is a coin's toss, so no branch depends on it.
static inline int sn_box_walk_next(sn_box_walk *walk)
{
    int top = walk->top;
    while (top > 0) {
        const sn_box_node *node = &walk->nodes[walk->stack[--top]];
        if (node->right < 0) {
            walk->top = top;
            return node->left;
        }
        int32_t left = node->left, right = node->right;
        walk->stack[top] = right;
        top += sn_box_walk_meets(walk, &walk->nodes[right]);
        walk->stack[top] = left;
        top += sn_box_walk_meets(walk, &walk->nodes[left]);
    }
    walk->top = 0;
    return -1;
}

// ---- walks from a point, nearer boxes mostly first ----

typedef struct sn_box_search {
    const sn_box_node *nodes;
    double point[3];
    int top;
    int32_t stack[SN_BOX_TREE_HEIGHT + 2];
    double least[SN_BOX_TREE_HEIGHT + 2]; // squares of the boxes' distances
} sn_box_search;

static inline double sn_box_search_square(const sn_box_search *search, int32_t index)
{
    const sn_box_node *node = &search->nodes[index];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = (double)node->lower[k] - search->point[k];
        double above = search->point[k] - (double)node->upper[k];
        double out = below > above ? below : above;
        out = out > 0.0 ? out : 0.0;
        sum += out * out;
    }
    return sum;
}

static inline void sn_box_search_start(sn_box_search *search, const sn_box_tree *tree,
                                       sn_vec3 point)
{
    search->nodes = tree->nodes;
    sn_vec3_put(search->point, point);
    search->top = tree->root >= 0 ? 1 : 0;
    search->stack[0] = tree->root;
    search->least[0] = 0.0;
}

// The next item whose box is no farther than the root of `square`, or -1.
static inline int sn_box_search_next(sn_box_search *search, double square)
{
    while (search->top > 0) {
        int top = search->top -= 1;
        const sn_box_node *node = &search->nodes[search->stack[top]];
        if (search->least[top] > square) {
            continue;
        }
        if (node->right < 0) {
            return node->left;
        }
        double left = sn_box_search_square(search, node->left);
        double right = sn_box_search_square(search, node->right);
        bool left_first = left <= right; // the nearer on top
        search->stack[top] = left_first ? node->right : node->left;
        search->least[top] = left_first ? right : left;
        search->stack[top + 1] = left_first ? node->left : node->right;
        search->least[top + 1] = left_first ? left : right;
        search->top = top + 2;
    }
    return -1;
}

// ---- rays and nearness ----

// One item that may be met or be near before `limit`: the new limit, or a negative one to end.
typedef double sn_box_test(void *context, int item, double limit);

// A line origin + t direction for boxes that are enlarged by `half` on each side.
typedef struct sn_box_ray {
    double origin[3], direction[3], inverse[3], half[3];
} sn_box_ray;

sn_box_ray sn_box_ray_make(sn_vec3 origin, sn_vec3 direction, sn_vec3 half);

// Where it enters the box, or a negative number if not within 0 .. limit.
double sn_box_ray_enter(const sn_box_ray *ray, const double lower[3], const double upper[3],
                        double limit);

// All items whose enlarged boxes the line meets for 0 <= t <= limit, nearer ones mostly first.
// Returns the last limit.
double sn_box_tree_ray(const sn_box_tree *tree, const sn_box_ray *ray, double limit,
                       sn_box_test *test, void *context);

// All items whose boxes are no farther than `limit` from the box, nearer ones mostly first.
double sn_box_tree_near(const sn_box_tree *tree, sn_aabb box, double limit, sn_box_test *test,
                        void *context);

// The distance of two boxes.
double sn_box_distance(const double lower_a[3], const double upper_a[3], const double lower_b[3],
                       const double upper_b[3]);

#endif
