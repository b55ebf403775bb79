#include "collide/mesh_near.h"

#include "collide/convex.h"

// Each turn of the search takes one pair off the stack and puts two in its place, one level deeper
// in one of the trees.
enum { STACK = 2 * SN_BOX_TREE_HEIGHT + 2 };

typedef struct node_pair {
    int32_t a, b;
    double least; // m: no facets of both are nearer
} node_pair;

typedef struct near_search {
    const sn_mesh_tree *a, *b;
    sn_mat3 turn; // of b in a's frame
    sn_vec3 shift;
    double limit;
    bool found;
    sn_mesh_near *near;
} near_search;

static void node_middle(const sn_box_node *node, double middle[3], double half[3])
{
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * ((double)node->lower[k] + (double)node->upper[k]);
        half[k] = 0.5 * ((double)node->upper[k] - (double)node->lower[k]);
    }
}

// How far apart the box of a node of a and the box, along a's axes, around that of a node of b are
// at least; less what rounding can add.
static double least_gap(const near_search *s, int32_t of_a, int32_t of_b)
{
    double middle_a[3], half_a[3], middle_b[3], half_b[3], shift[3], sum = 0.0;
    node_middle(&s->a->boxes.nodes[of_a], middle_a, half_a);
    node_middle(&s->b->boxes.nodes[of_b], middle_b, half_b);
    sn_vec3_put(shift, s->shift);
    for (int k = 0; k < 3; ++k) {
        const double *r = s->turn.m[k];
        double middle = r[0] * middle_b[0] + r[1] * middle_b[1] + r[2] * middle_b[2] + shift[k];
        double half = fabs(r[0]) * half_b[0] + fabs(r[1]) * half_b[1] + fabs(r[2]) * half_b[2];
        double lost = 1e-14 * (fabs(middle) + fabs(middle_a[k]) + fabs(shift[k]));
        double out = fabs(middle - middle_a[k]) - half - half_a[k] - lost;
        sum += out > 0.0 ? out * out : 0.0;
    }
    return sqrt(sum);
}

static void facet_corners(const sn_mesh_tree *tree, int facet, sn_vec3 corners[3])
{
    for (int k = 0; k < 3; ++k) {
        corners[k] = tree->positions[tree->triangles[3 * (size_t)facet + (size_t)k]];
    }
}

static void try_facets(near_search *s, int facet_a, int facet_b)
{
    sn_vec3 of_a[3], of_b[3];
    facet_corners(s->a, facet_a, of_a);
    facet_corners(s->b, facet_b, of_b);
    for (int k = 0; k < 3; ++k) {
        of_b[k] = sn_vec3_add(sn_mat3_apply(s->turn, of_b[k]), s->shift);
    }
    sn_collider first = sn_collider_triangle(of_a, 0.0), second = sn_collider_triangle(of_b, 0.0);
    sn_core_pair pair = {&first, &second, SN_MAT3_IDENTITY, SN_VEC3_ZERO};
    sn_convex_gap found;
    if (!sn_convex_gap_find(&pair, s->limit, NULL, &found) && found.gap <= s->limit) {
        s->found = true;
        s->limit = found.gap;
        *s->near = (sn_mesh_near){found.gap, found.on_a, found.on_b, facet_a, facet_b};
    }
}

static double node_size(const sn_box_node *node)
{
    double x = (double)node->upper[0] - (double)node->lower[0],
           y = (double)node->upper[1] - (double)node->lower[1],
           z = (double)node->upper[2] - (double)node->lower[2];
    return x * x + y * y + z * z;
}

// The children of the larger node of both, the nearer on top.
static int push_children(const near_search *s, node_pair pair, node_pair *stack, int top)
{
    const sn_box_node *of_a = &s->a->boxes.nodes[pair.a], *of_b = &s->b->boxes.nodes[pair.b];
    bool split_a = of_b->right < 0 || (of_a->right >= 0 && node_size(of_a) >= node_size(of_b));
    node_pair left = pair, right = pair;
    if (split_a) {
        left.a = of_a->left;
        right.a = of_a->right;
    } else {
        left.b = of_b->left;
        right.b = of_b->right;
    }
    left.least = least_gap(s, left.a, left.b);
    right.least = least_gap(s, right.a, right.b);
    bool left_first = left.least <= right.least;
    node_pair last = left_first ? right : left, next = left_first ? left : right;
    if (last.least <= s->limit) {
        stack[top++] = last;
    }
    if (next.least <= s->limit) {
        stack[top++] = next;
    }
    return top;
}

bool sn_mesh_near_find(const sn_mesh_tree *a, const sn_mesh_tree *b, const sn_transform *place,
                       double limit, sn_mesh_near *near)
{
    near_search s = {.a = a, .b = b, .shift = place->position, .limit = limit, .near = near};
    s.turn = sn_quat_to_mat3(place->rotation);
    if (near->facet_a >= 0) {
        try_facets(&s, near->facet_a, near->facet_b);
    }
    node_pair stack[STACK];
    int top = 0;
    if (a->boxes.root >= 0 && b->boxes.root >= 0) {
        stack[top++] = (node_pair){a->boxes.root, b->boxes.root, 0.0};
    }
    while (top > 0 && s.limit > 0.0) {
        node_pair pair = stack[--top];
        if (pair.least > s.limit) {
            continue;
        }
        const sn_box_node *of_a = &a->boxes.nodes[pair.a], *of_b = &b->boxes.nodes[pair.b];
        if (of_a->right < 0 && of_b->right < 0) {
            try_facets(&s, of_a->left, of_b->left);
        } else {
            top = push_children(&s, pair, stack, top);
        }
    }
    if (!s.found) {
        near->facet_a = near->facet_b = -1;
    }
    return s.found;
}
