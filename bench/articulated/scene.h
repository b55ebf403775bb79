// The articulated cases of the comparison with other engines, as trees: a chain and a random tree
// of rods on balls, a robot of 27 hinges, a double pendulum. World z is up, the root hangs at the
// origin, all joints start at zero and at rest.
//
//     sn_tree tree;
//     sn_vec3 *anchor = NULL;
//     if (articulated_scene("chain", 100, &tree)) { ... sn_tree_free(&tree); }
//
// Rods are solid cylinders from their joint to their end. What these scenes do not have: damping,
// limits, contact.
#ifndef SN_BENCH_ARTICULATED_SCENE_H
#define SN_BENCH_ARTICULATED_SCENE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tree.h"

// ---- links ----

// The link's axes in which its hinge's axis is z: a turn of the axes' names, so that inertias stay
// diagonal. 'z' changes nothing.
static inline sn_mat3 articulated_axes(char axis)
{
    static const sn_mat3 x = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    static const sn_mat3 y = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    return axis == 'x' ? x : (axis == 'y' ? y : SN_MAT3_IDENTITY);
}

// What the scenes say of a link, in axes of its own in which limbs lie along x, y or z.
typedef struct articulated_link {
    int parent;
    char axis;      // of its hinge; 0: a ball
    sn_mat3 rest;   // its axes in its parent's at the start
    sn_vec3 anchor; // the joint in the parent
    sn_vec3 centre;
    double mass;
    sn_vec3 inertia; // about the centre
} articulated_link;

static inline articulated_link articulated_rod(int parent, sn_vec3 anchor, sn_vec3 end,
                                               double radius, double mass)
{
    double along = 0.5 * mass * radius * radius;
    double across = mass * (3 * radius * radius + sn_dot(end, end)) / 12;
    articulated_link link = {
        parent,
        0,
        SN_MAT3_IDENTITY,
        anchor,
        sn_vec3_scale(0.5, end),
        mass,
        {end.x != 0 ? along : across, end.y != 0 ? along : across, end.z != 0 ? along : across}};
    return link;
}

// Joint frames with the hinges' axes along z, as trees want them.
static inline bool articulated_build(const articulated_link *links, int count, sn_tree *tree)
{
    if (!sn_tree_allocate(tree, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const articulated_link *from = &links[i];
        sn_mat3 up =
            from->parent >= 0 ? articulated_axes(links[from->parent].axis) : SN_MAT3_IDENTITY;
        sn_mat3 own = articulated_axes(from->axis);
        sn_tree_link *to = &tree->links[i];
        to->parent = from->parent;
        to->joint = from->axis != 0 ? SN_TREE_HINGE : SN_TREE_BALL;
        to->frame.rotation =
            sn_mat3_multiply(sn_mat3_transpose(up), sn_mat3_multiply(from->rest, own));
        to->frame.position = sn_mat3_apply_transpose(up, from->anchor);
        to->mass = from->mass;
        to->centre = sn_mat3_apply_transpose(own, from->centre);
        to->inertia = sn_mat3_diagonal(sn_mat3_apply_transpose(own, from->inertia));
    }
    sn_tree_finish(tree);
    return true;
}

// ---- chain and tree ----

static inline uint64_t articulated_random(uint64_t *state) // splitmix64
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double articulated_unit(uint64_t *state)
{
    return (double)(articulated_random(state) >> 11) * 0x1p-53;
}

// Uniform over rotations (Shoemake).
static inline sn_mat3 articulated_rotation(uint64_t *state)
{
    double u = articulated_unit(state), a = 2 * SN_PI * articulated_unit(state);
    double b = 2 * SN_PI * articulated_unit(state), r = sqrt(1 - u), s = sqrt(u);
    return sn_quat_to_mat3((sn_quat){r * sin(a), r * cos(a), s * sin(b), s * cos(b)});
}

// Rods of 0.1 m and 0.1 kg. A chain lies along x; in a tree every rod picks its parent at random
// among those with fewer than two children, and its direction at random.
static inline void articulated_rods(bool tree, articulated_link *links, int count, int *open,
                                    int *children)
{
    uint64_t state = 2026;
    int opened = 0;
    for (int i = 0; i < count; ++i) {
        int parent = i - 1;
        if (tree && i > 0) {
            int pick = (int)(articulated_random(&state) % (uint64_t)opened);
            parent = open[pick];
            children[parent] += 1;
            if (children[parent] == 2) {
                open[pick] = open[--opened];
            }
        }
        links[i] = articulated_rod(parent, sn_vec3_make(i > 0 ? 0.1 : 0.0, 0, 0),
                                   sn_vec3_make(0.1, 0, 0), 0.01, 0.1);
        if (tree) {
            links[i].rest = articulated_rotation(&state);
            open[opened++] = i;
        }
    }
}

// Numbers links depth first, as trees like them best. order[i]: the new i-th link's old number.
static inline void articulated_depth_first(articulated_link *links, int count, int *order,
                                           articulated_link *copy)
{
    int *first = order + count, *next = order + 2 * count, *number = order + 3 * count;
    memset(first, -1, (size_t)count * sizeof *first);
    for (int i = count - 1; i > 0; --i) {
        next[i] = first[links[i].parent];
        first[links[i].parent] = i;
    }
    int at = 0;
    for (int i = 0; i >= 0;) {
        number[i] = at;
        order[at++] = i;
        int to = first[i];
        while (to < 0 && i > 0) { // up until there is a sister
            int up = links[i].parent;
            first[up] = next[i];
            to = first[up];
            i = up;
        }
        i = to;
    }
    memcpy(copy, links, (size_t)count * sizeof *copy);
    for (int i = 0; i < count; ++i) {
        links[i] = copy[order[i]];
        links[i].parent = i > 0 ? number[links[i].parent] : -1;
    }
}

// ---- robot ----

// One row a hinge: parent, axis, bend at the start, anchor in the parent, end of the limb (none: a
// joint's middle piece of 0.5 kg and 5e-4 kg m^2), radius, mass. The body's own axes: z up the
// spine, x forward, y left. `side`: these rows come twice, for y mirrored with less bend and for y.
typedef struct articulated_row {
    int parent; // within the first rows, or counted from the side's first row when `side`
    bool side;
    char axis;
    double bend;        // times 1 or 0.6 by side if `slack`
    bool slack, mirror; // bend changes with the side
    sn_vec3 anchor, end;
    double radius, mass;
} articulated_row;

static const articulated_row articulated_robot[] = {
    {-1, false, 'z', 0.2, false, false, {0, 0, 0}, {0, 0, 0}, 0, 0.5},
    {0, false, 'y', 0.0, false, false, {0, 0, 0}, {0, 0, 0}, 0, 0.5},
    {1, false, 'x', 0.1, false, false, {0, 0, 0}, {0, 0, -0.35}, 0.14, 14}, // 2: chest
    {2, false, 'z', 0.1, false, false, {0, 0, 0.02}, {0, 0, 0}, 0, 0.5},
    {3, false, 'y', 0.2, false, false, {0, 0, 0}, {0, 0, 0}, 0, 0.5},
    {4, false, 'x', 0.1, false, false, {0, 0, 0}, {0, 0, 0.25}, 0.09, 4.5}, // head
    {2, false, 'z', -0.1, false, false, {0, 0, -0.35}, {0, 0, 0}, 0, 0.5},
    {6, false, 'y', 0.2, false, false, {0, 0, 0}, {0, 0, 0}, 0, 0.5},
    {7, false, 'x', 0.0, false, false, {0, 0, 0}, {0, 0, -0.2}, 0.13, 9}, // 8: pelvis
    {2, false, 'y', 0.5, true, false, {0, 0.2, -0.05}, {0, 0, 0}, 0, 0.5},
    {0, true, 'x', 0.3, false, true, {0, 0, 0}, {0, 0, -0.3}, 0.045, 2.2},
    {1, true, 'y', -0.8, true, false, {0, 0, -0.3}, {0, 0, -0.27}, 0.04, 1.4},
    {2, true, 'x', 0.1, false, false, {0, 0, -0.27}, {0, 0, -0.18}, 0.03, 0.5},
    {8, false, 'z', 0.1, false, true, {0, 0.1, -0.2}, {0, 0, 0}, 0, 0.5},
    {4, true, 'x', 0.2, false, true, {0, 0, 0}, {0, 0, 0}, 0, 0.5},
    {5, true, 'y', -0.6, true, false, {0, 0, 0}, {0, 0, -0.42}, 0.07, 8},
    {6, true, 'y', 0.7, false, false, {0, 0, -0.42}, {0, 0, -0.42}, 0.05, 3.5},
    {7, true, 'y', 0.1, false, false, {0, 0, -0.42}, {0.22, 0, 0}, 0.04, 1.2},
};
enum { ARTICULATED_TRUNK = 9, ARTICULATED_SIDE = 9, ARTICULATED_HINGES = 27 };

static inline sn_mat3 articulated_about(char axis, double angle)
{
    double s = sin(0.5 * angle), c = cos(0.5 * angle);
    return sn_quat_to_mat3(
        (sn_quat){c, axis == 'x' ? s : 0, axis == 'y' ? s : 0, axis == 'z' ? s : 0});
}

static inline articulated_link articulated_limb(const articulated_row *row, int base, int side)
{
    sn_vec3 anchor = {row->anchor.x, side * row->anchor.y, row->anchor.z};
    articulated_link link = articulated_rod(row->parent + (row->side ? base : 0), anchor, row->end,
                                            row->radius, row->mass);
    if (row->radius == 0) {
        link.inertia = sn_vec3_make(5e-4, 5e-4, 5e-4);
    }
    double bend = row->bend * (row->slack && side < 0 ? 0.6 : 1) * (row->mirror ? side : 1);
    link.axis = row->axis;
    link.rest = articulated_about(row->axis, bend);
    return link;
}

static inline int articulated_robot_links(articulated_link *links)
{
    int count = 0;
    for (int i = 0; i < ARTICULATED_TRUNK; ++i) {
        links[count++] = articulated_limb(&articulated_robot[i], 0, 1);
    }
    for (int side = -1; side <= 1; side += 2) {
        int base = count;
        for (int i = 0; i < ARTICULATED_SIDE; ++i) {
            links[count++] =
                articulated_limb(&articulated_robot[ARTICULATED_TRUNK + i], base, side);
        }
    }
    // Lying face down: the spine along world x.
    links[0].rest = sn_mat3_multiply(articulated_about('y', 0.5 * SN_PI), links[0].rest);
    return count;
}

// ---- all ----

static inline int articulated_pendulum(articulated_link *links)
{
    for (int i = 0; i < 2; ++i) {
        links[i] = (articulated_link){i - 1,     'y', SN_MAT3_IDENTITY,  {i, 0, 0},
                                      {1, 0, 0}, 1,   {4e-5, 4e-5, 4e-5}};
    }
    return 2;
}

// False: no such case, or no memory.
static inline bool articulated_scene(const char *name, int n, sn_tree *tree)
{
    size_t most = (size_t)(n > ARTICULATED_HINGES ? n : ARTICULATED_HINGES);
    articulated_link *links = calloc(2 * most, sizeof *links);
    int *numbers = calloc(4 * most, sizeof *numbers), count = 0;
    if (links != NULL && numbers != NULL) {
        if (strcmp(name, "chain") == 0 || strcmp(name, "tree") == 0) {
            count = n;
            articulated_rods(name[0] == 't', links, n, numbers, numbers + most);
            articulated_depth_first(links, n, numbers, links + most);
        } else if (strcmp(name, "robot") == 0) {
            count = articulated_robot_links(links);
        } else if (strcmp(name, "doublependulum") == 0) {
            count = articulated_pendulum(links);
        }
    }
    bool made = count > 0 && articulated_build(links, count, tree);
    free(links);
    free(numbers);
    return made;
}

#endif
