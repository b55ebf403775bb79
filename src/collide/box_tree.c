#include "collide/box_tree.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"

enum {
    BIN_COUNT = 16,
    EVEN_DEPTH = 48 // below it, leaves are halved by number: the height stays below 48 + 32
};

// ---- boxes ----

// A rounded number is off by half a unit of its last place; one whole unit and the smallest normal
// number are always enough.
float sn_float_below(double x)
{
    float f = (float)x;
    return f - (fabsf(f) * FLT_EPSILON + FLT_MIN);
}

float sn_float_above(double x)
{
    float f = (float)x;
    return f + (fabsf(f) * FLT_EPSILON + FLT_MIN);
}

sn_float_box sn_float_box_around(sn_aabb box)
{
    sn_float_box around = {
        {sn_float_below(box.lower.x), sn_float_below(box.lower.y), sn_float_below(box.lower.z)},
        {sn_float_above(box.upper.x), sn_float_above(box.upper.y), sn_float_above(box.upper.z)}};
    return around;
}

static sn_float_box node_box(const sn_box_node *node)
{
    sn_float_box box;
    memcpy(box.lower, node->lower, sizeof box.lower);
    memcpy(box.upper, node->upper, sizeof box.upper);
    return box;
}

static sn_float_box box_union(sn_float_box a, sn_float_box b)
{
    for (int k = 0; k < 3; ++k) {
        a.lower[k] = a.lower[k] < b.lower[k] ? a.lower[k] : b.lower[k];
        a.upper[k] = a.upper[k] > b.upper[k] ? a.upper[k] : b.upper[k];
    }
    return a;
}

// Half the surface.
static double box_area(sn_float_box box)
{
    double x = (double)box.upper[0] - (double)box.lower[0];
    double y = (double)box.upper[1] - (double)box.lower[1];
    double z = (double)box.upper[2] - (double)box.lower[2];
    return x * y + y * z + z * x;
}

// ---- memory ----

void sn_box_tree_init(sn_box_tree *tree)
{
    *tree = (sn_box_tree){.root = -1, .free_node = -1};
}

void sn_box_tree_free(sn_box_tree *tree)
{
    sn_free(tree->nodes);
    sn_free(tree->parents);
    sn_free(tree->heights);
    sn_free(tree->marks);
    sn_free(tree->leaves);
    sn_free(tree->leaf_of);
    sn_box_tree_init(tree);
}

// What has grown stays larger when something after it fails: it is only capacity.
static bool grow(void *memory, size_t bytes)
{
    void **place = memory;
    void *grown = sn_reallocate(*place, bytes);
    if (grown == NULL) {
        return false;
    }
    *place = grown;
    return true;
}

bool sn_box_tree_reserve(sn_box_tree *tree, int items, int leaves)
{
    if (items > tree->item_capacity) {
        size_t room = (size_t)items + (size_t)items / 2 + 8;
        if (!grow(&tree->leaf_of, room * sizeof *tree->leaf_of)) {
            return false;
        }
        for (size_t i = (size_t)tree->item_capacity; i < room; ++i) {
            tree->leaf_of[i] = -1;
        }
        tree->item_capacity = (int)room;
    }
    if (leaves > tree->leaf_capacity) {
        size_t room = (size_t)leaves + (size_t)leaves / 2 + 8;
        if (!grow(&tree->nodes, 2 * room * sizeof *tree->nodes) ||
            !grow(&tree->parents, 2 * room * sizeof *tree->parents) ||
            !grow(&tree->heights, 2 * room * sizeof *tree->heights) ||
            !grow(&tree->marks, 2 * room * sizeof *tree->marks) ||
            !grow(&tree->leaves, room * sizeof *tree->leaves)) {
            return false;
        }
        tree->leaf_capacity = (int)room;
    }
    return true;
}

static int take_node(sn_box_tree *tree)
{
    int index = tree->free_node;
    if (index >= 0) {
        tree->free_node = tree->nodes[index].left;
    } else {
        index = tree->node_count++;
    }
    tree->marks[index] = 0;
    tree->heights[index] = 0;
    tree->parents[index] = -1;
    return index;
}

static void give_node(sn_box_tree *tree, int index)
{
    tree->nodes[index].left = tree->free_node;
    tree->nodes[index].right = SN_BOX_NODE_FREE;
    tree->marks[index] = 0;
    tree->free_node = index;
}

// ---- one node ----

static void write_box(sn_box_node *node, sn_float_box box)
{
    memcpy(node->lower, box.lower, sizeof box.lower);
    memcpy(node->upper, box.upper, sizeof box.upper);
}

// Box and height of an inner node from its children.
static void gather(sn_box_tree *tree, int index)
{
    sn_box_node *node = &tree->nodes[index];
    sn_float_box box =
        box_union(node_box(&tree->nodes[node->left]), node_box(&tree->nodes[node->right]));
    tree->cost += box_area(box) - box_area(node_box(node));
    write_box(node, box);
    int left = tree->heights[node->left], right = tree->heights[node->right];
    tree->heights[index] = (uint8_t)(1 + (left > right ? left : right));
}

// Swaps a child of `index` with a grandchild on the other side, if that shrinks the box between
// them. Of the four swaps the best is taken. The box of `index` stays the same.
static void rotate(sn_box_tree *tree, int index)
{
    sn_box_node *nodes = tree->nodes;
    int32_t sides[2] = {nodes[index].left, nodes[index].right};
    int best_side = -1, best_kept = 0;
    double best_gain = 0.0;
    for (int side = 0; side < 2; ++side) {
        const sn_box_node *inner = &nodes[sides[side]];
        if (inner->right < 0) {
            continue;
        }
        double area = box_area(node_box(inner));
        sn_float_box other = node_box(&nodes[sides[1 - side]]);
        for (int kept = 0; kept < 2; ++kept) {
            int child = kept == 0 ? inner->left : inner->right;
            double gain = area - box_area(box_union(other, node_box(&nodes[child])));
            if (gain > best_gain) {
                best_gain = gain;
                best_side = side;
                best_kept = kept;
            }
        }
    }
    if (best_side < 0 || !(best_gain > 1e-6 * box_area(node_box(&nodes[index])))) {
        return;
    }
    int inner = sides[best_side], down = sides[1 - best_side];
    int kept = best_kept == 0 ? nodes[inner].left : nodes[inner].right;
    int up = best_kept == 0 ? nodes[inner].right : nodes[inner].left;
    nodes[inner].left = kept;
    nodes[inner].right = down;
    nodes[index].left = inner;
    nodes[index].right = up;
    tree->parents[down] = inner;
    tree->parents[up] = index;
    gather(tree, inner);
    gather(tree, index);
}

static void refit_way(sn_box_tree *tree, int index, bool with_rotation)
{
    for (; index >= 0; index = tree->parents[index]) {
        gather(tree, index);
        if (with_rotation) {
            rotate(tree, index);
        }
    }
}

// ---- changes ----

// Where a new leaf costs least, going down greedily: a new parent here enlarges nothing below, a
// place further down enlarges this box for certain.
static int find_sibling(const sn_box_tree *tree, sn_float_box box)
{
    int index = tree->root;
    double inherited = 0.0;
    for (;;) {
        const sn_box_node *node = &tree->nodes[index];
        sn_float_box own = node_box(node);
        double joined = box_area(box_union(own, box));
        double here = inherited + joined;
        if (node->right < 0) {
            return index;
        }
        double below = inherited + joined - box_area(own);
        double best = here;
        int next = -1;
        for (int side = 0; side < 2; ++side) {
            int child = side == 0 ? node->left : node->right;
            sn_float_box child_box = node_box(&tree->nodes[child]);
            double area = box_area(box_union(child_box, box));
            if (tree->nodes[child].right >= 0) {
                area -= box_area(child_box);
            }
            // Equal costs go where the tree is lower, so that equal boxes make no chain.
            bool lower =
                next >= 0 && below + area == best && tree->heights[child] < tree->heights[next];
            if (below + area < best || lower || (next < 0 && below + area == best)) {
                best = below + area;
                next = child;
            }
        }
        if (next < 0) {
            return index;
        }
        inherited = below;
        index = next;
    }
}

void sn_box_tree_insert(sn_box_tree *tree, int item, const sn_float_box *box)
{
    double cost = tree->cost;
    int leaf = take_node(tree);
    sn_box_node *nodes = tree->nodes;
    nodes[leaf].left = item;
    nodes[leaf].right = -1;
    write_box(&nodes[leaf], *box);
    tree->leaf_of[item] = leaf;
    tree->leaf_count += 1;
    if (tree->root < 0) {
        tree->root = leaf;
        return;
    }
    int sibling = find_sibling(tree, *box);
    int old_parent = tree->parents[sibling];
    int parent = take_node(tree);
    nodes[parent].left = sibling;
    nodes[parent].right = leaf;
    sn_float_box none = {{0}, {0}};
    write_box(&nodes[parent], none);
    tree->parents[parent] = old_parent;
    tree->parents[sibling] = parent;
    tree->parents[leaf] = parent;
    if (old_parent < 0) {
        tree->root = parent;
    } else if (nodes[old_parent].left == sibling) {
        nodes[old_parent].left = parent;
    } else {
        nodes[old_parent].right = parent;
    }
    refit_way(tree, parent, true);
    tree->best_cost += tree->cost - cost;
    tree->changes += 1;
}

void sn_box_tree_remove(sn_box_tree *tree, int item)
{
    double cost = tree->cost;
    int leaf = tree->leaf_of[item];
    tree->leaf_of[item] = -1;
    tree->leaf_count -= 1;
    int parent = tree->parents[leaf];
    if (parent < 0) {
        tree->root = -1;
        tree->cost = 0.0;
        tree->best_cost = 0.0;
        give_node(tree, leaf);
        return;
    }
    sn_box_node *nodes = tree->nodes;
    int sibling = nodes[parent].left == leaf ? nodes[parent].right : nodes[parent].left;
    int above = tree->parents[parent];
    tree->cost -= box_area(node_box(&nodes[parent]));
    tree->parents[sibling] = above;
    if (above < 0) {
        tree->root = sibling;
    } else if (nodes[above].left == parent) {
        nodes[above].left = sibling;
    } else {
        nodes[above].right = sibling;
    }
    give_node(tree, leaf);
    give_node(tree, parent);
    refit_way(tree, above, false);
    tree->best_cost += tree->cost - cost;
    tree->changes += 1;
}

void sn_box_tree_place(sn_box_tree *tree, int item, const sn_float_box *box)
{
    int leaf = tree->leaf_of[item];
    write_box(&tree->nodes[leaf], *box);
    for (int up = tree->parents[leaf]; up >= 0 && !tree->marks[up]; up = tree->parents[up]) {
        tree->marks[up] = 1;
    }
}

// Marked nodes below `index`, children first.
static void refit_below(sn_box_tree *tree, int index)
{
    tree->marks[index] = 0;
    int left = tree->nodes[index].left, right = tree->nodes[index].right;
    if (tree->marks[left]) {
        refit_below(tree, left);
    }
    if (tree->marks[right]) {
        refit_below(tree, right);
    }
    gather(tree, index);
    rotate(tree, index);
}

void sn_box_tree_refit(sn_box_tree *tree)
{
    if (tree->root >= 0 && tree->marks[tree->root]) {
        refit_below(tree, tree->root);
    }
    if (tree->cost < tree->best_cost) {
        tree->best_cost = tree->cost;
    }
}

bool sn_box_tree_is_worn(const sn_box_tree *tree)
{
    return tree->root >= 0 &&
           (tree->heights[tree->root] >= SN_BOX_TREE_HEIGHT || tree->cost > 1.3 * tree->best_cost ||
            tree->changes > tree->leaf_count + 64);
}

// ---- building ----

typedef struct bin {
    sn_float_box box;
    int count;
} bin;

static const sn_float_box nothing = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static int bin_of(const sn_box_leaf *leaf, int axis, float start, float scale)
{
    int index = (int)((leaf->centre[axis] - start) * scale);
    return index < BIN_COUNT ? index : BIN_COUNT - 1;
}

// Cuts leaves first .. last - 1 in two: the first leaf of the second part, or -1 when all middles
// fall into one bin.
static int split(sn_box_leaf *leaves, int first, int last)
{
    float lower[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, upper[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int i = first; i < last; ++i) {
        for (int k = 0; k < 3; ++k) {
            float c = leaves[i].centre[k];
            lower[k] = c < lower[k] ? c : lower[k];
            upper[k] = c > upper[k] ? c : upper[k];
        }
    }
    int axis = upper[1] - lower[1] > upper[0] - lower[0] ? 1 : 0;
    axis = upper[2] - lower[2] > upper[axis] - lower[axis] ? 2 : axis;
    float width = upper[axis] - lower[axis];
    // A width too small to be inverted counts as none.
    if (!(width > 1e-30f)) {
        return -1;
    }
    float start = lower[axis], scale = BIN_COUNT * 0.99999f / width;
    bin bins[BIN_COUNT];
    for (int b = 0; b < BIN_COUNT; ++b) {
        bins[b] = (bin){nothing, 0};
    }
    for (int i = first; i < last; ++i) {
        bin *to = &bins[bin_of(&leaves[i], axis, start, scale)];
        to->box = box_union(to->box, leaves[i].box);
        to->count += 1;
    }
    double above[BIN_COUNT] = {0};
    sn_float_box box = nothing;
    int count = 0;
    for (int b = BIN_COUNT - 1; b > 0; --b) {
        box = box_union(box, bins[b].box);
        count += bins[b].count;
        above[b] = count > 0 ? count * box_area(box) : 0.0;
    }
    int best = -1;
    double best_cost = DBL_MAX;
    box = nothing;
    count = 0;
    for (int b = 1; b < BIN_COUNT; ++b) {
        box = box_union(box, bins[b - 1].box);
        count += bins[b - 1].count;
        if (count > 0 && count < last - first && count * box_area(box) + above[b] < best_cost) {
            best_cost = count * box_area(box) + above[b];
            best = b;
        }
    }
    if (best < 0) {
        return -1;
    }
    int middle = first, end = last;
    while (middle < end) {
        if (bin_of(&leaves[middle], axis, start, scale) < best) {
            middle += 1;
        } else {
            end -= 1;
            sn_box_leaf swap = leaves[middle];
            leaves[middle] = leaves[end];
            leaves[end] = swap;
        }
    }
    return middle;
}

static int build(sn_box_tree *tree, int first, int last, int parent, int depth)
{
    int index = tree->node_count++;
    tree->parents[index] = parent;
    tree->marks[index] = 0;
    sn_box_leaf *leaves = tree->leaves;
    if (last - first == 1) {
        write_box(&tree->nodes[index], leaves[first].box);
        tree->nodes[index].left = leaves[first].item;
        tree->nodes[index].right = -1;
        tree->heights[index] = 0;
        tree->leaf_of[leaves[first].item] = index;
        return index;
    }
    int middle = last - first > 2 && depth < EVEN_DEPTH ? split(leaves, first, last) : -1;
    if (middle < 0) {
        middle = first + (last - first) / 2;
    }
    sn_float_box none = {{0}, {0}};
    write_box(&tree->nodes[index], none);
    tree->nodes[index].left = build(tree, first, middle, index, depth + 1);
    tree->nodes[index].right = build(tree, middle, last, index, depth + 1);
    gather(tree, index);
    return index;
}

void sn_box_tree_build(sn_box_tree *tree, int count)
{
    for (int i = 0; i < count; ++i) {
        sn_box_leaf *leaf = &tree->leaves[i];
        for (int k = 0; k < 3; ++k) {
            leaf->centre[k] = leaf->box.lower[k] + leaf->box.upper[k];
        }
    }
    tree->node_count = 0;
    tree->free_node = -1;
    tree->leaf_count = count;
    tree->cost = 0.0;
    tree->root = count > 0 ? build(tree, 0, count, -1, 0) : -1;
    tree->best_cost = tree->cost;
    tree->changes = 0;
}

void sn_box_tree_keep_boxes(sn_box_tree *tree)
{
    sn_free(tree->leaves);
    sn_free(tree->marks);
    tree->leaves = NULL;
    tree->marks = NULL;
}

// ---- rays and nearness ----

sn_box_ray sn_box_ray_make(sn_vec3 origin, sn_vec3 direction, sn_vec3 half)
{
    sn_box_ray ray;
    sn_vec3_put(ray.origin, origin);
    sn_vec3_put(ray.direction, direction);
    sn_vec3_put(ray.half, half);
    for (int k = 0; k < 3; ++k) {
        ray.inverse[k] = ray.direction[k] != 0.0 ? 1.0 / ray.direction[k] : 0.0;
    }
    return ray;
}

double sn_box_ray_enter(const sn_box_ray *ray, const double lower[3], const double upper[3],
                        double limit)
{
    double from = 0.0, to = limit;
    for (int k = 0; k < 3; ++k) {
        double below = lower[k] - ray->half[k] - ray->origin[k];
        double above = upper[k] + ray->half[k] - ray->origin[k];
        if (ray->direction[k] == 0.0) {
            if (below > 0.0 || above < 0.0) {
                return -1.0;
            }
            continue;
        }
        double a = below * ray->inverse[k], b = above * ray->inverse[k];
        double near = a < b ? a : b, far = a < b ? b : a;
        // Two roundings more than the product has: a line along a face is not lost.
        far += 4e-16 * fabs(far);
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    return from <= to ? from : -1.0;
}

double sn_box_distance(const double lower_a[3], const double upper_a[3], const double lower_b[3],
                       const double upper_b[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = lower_a[k] - upper_b[k], above = lower_b[k] - upper_a[k];
        double out = below > above ? below : above;
        out = out > 0.0 ? out : 0.0;
        sum += out * out;
    }
    return sqrt(sum);
}

static void node_bounds(const sn_box_node *node, double lower[3], double upper[3])
{
    for (int k = 0; k < 3; ++k) {
        lower[k] = (double)node->lower[k];
        upper[k] = (double)node->upper[k];
    }
}

// What a descent asks of a node: how soon something in it can matter; negative: never.
typedef struct descent {
    const sn_box_ray *ray; // or, without one,
    double lower[3], upper[3];
} descent;

static double reach_node(const descent *to, const sn_box_node *node, double limit)
{
    double lower[3], upper[3];
    node_bounds(node, lower, upper);
    if (to->ray != NULL) {
        return sn_box_ray_enter(to->ray, lower, upper, limit);
    }
    double distance = sn_box_distance(to->lower, to->upper, lower, upper);
    return distance <= limit ? distance : -1.0;
}

static double descend(const sn_box_tree *tree, const descent *to, double limit, sn_box_test *test,
                      void *context)
{
    int32_t stack[SN_BOX_TREE_HEIGHT + 2];
    double entry[SN_BOX_TREE_HEIGHT + 2];
    int top = 0;
    if (tree->root >= 0 && (entry[0] = reach_node(to, &tree->nodes[tree->root], limit)) >= 0.0) {
        stack[top++] = tree->root;
    }
    while (top > 0 && limit >= 0.0) {
        top -= 1;
        if (entry[top] > limit) {
            continue;
        }
        const sn_box_node *node = &tree->nodes[stack[top]];
        if (node->right < 0) {
            limit = test(context, node->left, limit);
            continue;
        }
        double left = reach_node(to, &tree->nodes[node->left], limit);
        double right = reach_node(to, &tree->nodes[node->right], limit);
        bool left_first = left <= right;
        for (int k = 0; k < 2; ++k) {
            bool is_left = (k == 0) != left_first; // the nearer on top
            double at = is_left ? left : right;
            if (at >= 0.0) {
                stack[top] = is_left ? node->left : node->right;
                entry[top++] = at;
            }
        }
    }
    return limit;
}

double sn_box_tree_ray(const sn_box_tree *tree, const sn_box_ray *ray, double limit,
                       sn_box_test *test, void *context)
{
    descent to = {.ray = ray};
    return descend(tree, &to, limit, test, context);
}

double sn_box_tree_near(const sn_box_tree *tree, sn_aabb box, double limit, sn_box_test *test,
                        void *context)
{
    descent to = {.ray = NULL};
    sn_vec3_put(to.lower, box.lower);
    sn_vec3_put(to.upper, box.upper);
    return descend(tree, &to, limit, test, context);
}

bool sn_box_tree_is_sound(const sn_box_tree *tree)
{
    if (tree->root < 0) {
        return tree->leaf_count == 0;
    }
    int leaves = 0;
    bool sound = tree->parents[tree->root] == -1;
    // Leaves lead to all nodes: each must be held by its parent, and be one of its children.
    for (int item = 0; item < tree->item_capacity; ++item) {
        int index = tree->leaf_of[item];
        if (index < 0) {
            continue;
        }
        leaves += 1;
        sound = sound && tree->nodes[index].left == item && tree->nodes[index].right == -1;
        int steps = 0;
        for (int up = tree->parents[index]; up >= 0; index = up, up = tree->parents[up]) {
            const sn_box_node *node = &tree->nodes[up];
            sn_float_box own = node_box(node);
            sn_float_box all = box_union(own, node_box(&tree->nodes[index]));
            sound = sound && (node->left == index || node->right == index) &&
                    memcmp(&own, &all, sizeof own) == 0 && ++steps < SN_BOX_TREE_HEIGHT &&
                    tree->heights[up] > tree->heights[index];
        }
        sound = sound && index == tree->root;
    }
    return sound && leaves == tree->leaf_count;
}
