// The work of the benchmark cases about mechanisms, and how the outcome is judged: one definition
// for Sinew and for every peer, so that nobody measures itself. Plain C that is C++ as well.
//
//     sn_linkage linkage;
//     if (sn_linkage_make(&linkage, "chain", 100)) { ... sn_linkage_free(&linkage); }
//
// A linkage is a tree of links under gravity (0, 0, -9.81), at rest, its root hanging from the
// world's origin; nothing damps, limits or collides. A link's frame sits at its joint with its
// parent; it starts turned by `rest` against the parent's, and all joint coordinates start at 0.
//
//   chain  N rods on ball joints, released level along x
//   tree   the same rods; each picks its parent among those with fewer than two children and its
//          direction at random (splitmix64, seed 2026)
//   robot  27 links on 27 hinges (N is not looked at): chest, head, pelvis, two arms, two legs,
//          held at the top of the chest, released lying face down with bent limbs. Joints of two
//          or three hinges have middle pieces between them.
//
// Rods are solid cylinders of 0.1 m, 1 cm radius and 0.1 kg from their joint to their end.
//
// After SN_LINKAGE_WARM_UP steps unmeasured, S steps are timed: ns of processor time per joint and
// step. Quality is judged at about SN_LINKAGE_LOOKS moments spread over the timed steps, from what
// an engine tells of poses and velocities:
//
//   energy_drift   the largest |E - E_start| at any look, over the energy of everything hanging
//                  straight below the root; infinite once anything is not a number
//   joint_gap      m: the largest distance between a joint's two anchors at any look
//   centre_height  m: of the centre of mass at the end; alike as long as the motion is
//   followed       the share of the steps that the engine took before it refused to go on; 1: all
//   resets         how often an engine gave up and went on from the start instead
#ifndef SN_BENCH_LINKAGES_H
#define SN_BENCH_LINKAGES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/math.h"

enum {
    SN_LINKAGE_WARM_UP = 5,
    SN_LINKAGE_LOOKS = 100,
    SN_LINKAGE_STEPS_BETWEEN = 10, // looks, at least: reading all bodies empties the caches
    SN_LINKAGE_QUALITIES = 5
};

#define SN_LINKAGE_GRAVITY 9.81

static const char *const sn_linkage_quality_names[SN_LINKAGE_QUALITIES] = {
    "energy_drift", "joint_gap", "centre_height", "followed", "resets"};

typedef struct sn_linkage_link {
    int parent;     // below its own number; -1: the world
    char axis;      // of its hinge, 'x', 'y' or 'z' in its frame; 0: a ball
    sn_quat rest;   // from its frame to its parent's, at the start
    sn_vec3 anchor; // the joint, in the parent's frame
    sn_vec3 centre; // of mass, in its frame
    double mass;
    sn_vec3 inertia; // about the centre, along its frame's axes
} sn_linkage_link;

typedef struct sn_linkage {
    sn_linkage_link *links;
    int count;
} sn_linkage;

// What an engine tells of a link, in world axes.
typedef struct sn_linkage_body {
    sn_vec3 position, velocity; // of the centre of mass
    sn_mat3 rotation;           // from the link's axes to the world's
    sn_vec3 spin;               // angular velocity
} sn_linkage_body;

// ---- rods ----

// A cylinder that runs along one of its frame's axes from the origin to `end`.
static inline sn_linkage_link sn_linkage_rod(int parent, sn_vec3 anchor, sn_vec3 end, double radius,
                                             double mass)
{
    double along = 0.5 * mass * radius * radius;
    double across = mass * (3.0 * radius * radius + sn_dot(end, end)) / 12.0;
    sn_linkage_link link;
    memset(&link, 0, sizeof link);
    link.parent = parent;
    link.rest = SN_QUAT_IDENTITY;
    link.anchor = anchor;
    link.centre = sn_vec3_scale(0.5, end);
    link.mass = mass;
    link.inertia = sn_vec3_make(end.x != 0.0 ? along : across, end.y != 0.0 ? along : across,
                                end.z != 0.0 ? along : across);
    return link;
}

static inline uint64_t sn_linkage_random(uint64_t *state) // splitmix64
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double sn_linkage_fraction(uint64_t *state)
{
    return (double)(sn_linkage_random(state) >> 11) / 9007199254740992.0; // 2^53
}

// Uniform over rotations (Shoemake 1992).
static inline sn_quat sn_linkage_random_turn(uint64_t *state)
{
    double u = sn_linkage_fraction(state), a = 2.0 * SN_PI * sn_linkage_fraction(state);
    double b = 2.0 * SN_PI * sn_linkage_fraction(state), r = sqrt(1.0 - u), s = sqrt(u);
    sn_quat turn = {r * sin(a), r * cos(a), s * sin(b), s * cos(b)};
    return turn;
}

// open[count]: links that take another child, and children[count]: how many each has; of a tree.
static inline void sn_linkage_rods(sn_linkage *linkage, bool branching, int *open, int *children)
{
    uint64_t state = 2026;
    int opened = 0;
    for (int i = 0; i < linkage->count; ++i) {
        int parent = i - 1;
        if (branching && i > 0) {
            int pick = (int)(sn_linkage_random(&state) % (uint64_t)opened);
            parent = open[pick];
            if (++children[parent] == 2) {
                open[pick] = open[--opened];
            }
        }
        sn_linkage_link *link = &linkage->links[i];
        *link = sn_linkage_rod(parent, sn_vec3_make(i > 0 ? 0.1 : 0.0, 0.0, 0.0),
                               sn_vec3_make(0.1, 0.0, 0.0), 0.01, 0.1);
        if (branching) {
            link->rest = sn_linkage_random_turn(&state);
            open[opened++] = i;
        }
    }
}

// ---- the robot ----

// One row a hinge. The robot's own axes: z up the spine, x forward, y left. The rows of a side come
// twice, first for the right (y mirrored).
typedef struct sn_linkage_row {
    int parent;               // a row's number; of a row of the same side when `limb`
    bool limb;                // hangs on its own side, not on the trunk
    char axis;                // of the hinge
    double bend;              // at the start, rad
    double right;             // what the right side multiplies the bend by
    double anchor[3], end[3]; // in the parent; of the rod. No rod: a middle piece
    double radius, mass;
} sn_linkage_row;

enum { SN_LINKAGE_TRUNK = 9, SN_LINKAGE_SIDE = 9, SN_LINKAGE_HINGES = 27 };

static const sn_linkage_row sn_linkage_robot[SN_LINKAGE_TRUNK + SN_LINKAGE_SIDE] = {
    {-1, false, 'z', 0.2, 1.0, {0, 0, 0}, {0, 0, 0}, 0.0, 0.5},
    {0, false, 'y', 0.0, 1.0, {0, 0, 0}, {0, 0, 0}, 0.0, 0.5},
    {1, false, 'x', 0.1, 1.0, {0, 0, 0}, {0, 0, -0.35}, 0.14, 14.0}, // 2: chest
    {2, false, 'z', 0.1, 1.0, {0, 0, 0.02}, {0, 0, 0}, 0.0, 0.5},
    {3, false, 'y', 0.2, 1.0, {0, 0, 0}, {0, 0, 0}, 0.0, 0.5},
    {4, false, 'x', 0.1, 1.0, {0, 0, 0}, {0, 0, 0.25}, 0.09, 4.5}, // head
    {2, false, 'z', -0.1, 1.0, {0, 0, -0.35}, {0, 0, 0}, 0.0, 0.5},
    {6, false, 'y', 0.2, 1.0, {0, 0, 0}, {0, 0, 0}, 0.0, 0.5},
    {7, false, 'x', 0.0, 1.0, {0, 0, 0}, {0, 0, -0.2}, 0.13, 9.0},   // 8: pelvis
    {2, false, 'y', 0.5, 0.6, {0, 0.2, -0.05}, {0, 0, 0}, 0.0, 0.5}, // shoulder
    {0, true, 'x', 0.3, -1.0, {0, 0, 0}, {0, 0, -0.3}, 0.045, 2.2},
    {1, true, 'y', -0.8, 0.6, {0, 0, -0.3}, {0, 0, -0.27}, 0.04, 1.4},
    {2, true, 'x', 0.1, 1.0, {0, 0, -0.27}, {0, 0, -0.18}, 0.03, 0.5},
    {8, false, 'z', 0.1, -1.0, {0, 0.1, -0.2}, {0, 0, 0}, 0.0, 0.5}, // hip
    {4, true, 'x', 0.2, -1.0, {0, 0, 0}, {0, 0, 0}, 0.0, 0.5},
    {5, true, 'y', -0.6, 0.6, {0, 0, 0}, {0, 0, -0.42}, 0.07, 8.0},
    {6, true, 'y', 0.7, 1.0, {0, 0, -0.42}, {0, 0, -0.42}, 0.05, 3.5},
    {7, true, 'y', 0.1, 1.0, {0, 0, -0.42}, {0.22, 0, 0}, 0.04, 1.2},
};

static inline sn_quat sn_linkage_turn(char axis, double angle)
{
    double s = sin(0.5 * angle);
    sn_quat turn = {cos(0.5 * angle), axis == 'x' ? s : 0.0, axis == 'y' ? s : 0.0,
                    axis == 'z' ? s : 0.0};
    return turn;
}

// `base`: where the side's links start.
static inline sn_linkage_link sn_linkage_limb(const sn_linkage_row *row, int base, bool right)
{
    const double middle_piece = 5e-4; // kg m^2
    const double *a = row->anchor, *e = row->end;
    sn_linkage_link link = sn_linkage_rod(row->parent + (row->limb ? base : 0),
                                          sn_vec3_make(a[0], right ? -a[1] : a[1], a[2]),
                                          sn_vec3_make(e[0], e[1], e[2]), row->radius, row->mass);
    if (row->radius == 0.0) {
        link.inertia = sn_vec3_make(middle_piece, middle_piece, middle_piece);
    }
    link.axis = row->axis;
    link.rest = sn_linkage_turn(row->axis, row->bend * (right ? row->right : 1.0));
    return link;
}

static inline void sn_linkage_assemble_robot(sn_linkage *linkage)
{
    for (int i = 0; i < SN_LINKAGE_HINGES; ++i) {
        bool left = i >= SN_LINKAGE_TRUNK + SN_LINKAGE_SIDE;
        bool right = i >= SN_LINKAGE_TRUNK && !left;
        const sn_linkage_row *row = &sn_linkage_robot[left ? i - SN_LINKAGE_SIDE : i];
        int base = SN_LINKAGE_TRUNK + (left ? SN_LINKAGE_SIDE : 0);
        linkage->links[i] = sn_linkage_limb(row, base, right);
    }
    sn_linkage_link *root = &linkage->links[0]; // face down: the spine lies along the world's x
    root->rest = sn_quat_multiply(sn_linkage_turn('y', 0.5 * SN_PI), root->rest);
}

// ---- all ----

static inline void sn_linkage_free(sn_linkage *linkage)
{
    free(linkage->links);
    linkage->links = NULL;
}

// False: no such case, or no memory; nothing is left to free then.
static inline bool sn_linkage_make(sn_linkage *linkage, const char *name, int count)
{
    bool branching = strcmp(name, "tree") == 0, robot = strcmp(name, "robot") == 0;
    linkage->links = NULL;
    linkage->count = robot ? SN_LINKAGE_HINGES : count;
    if (linkage->count < 1 || (!branching && !robot && strcmp(name, "chain") != 0)) {
        return false;
    }
    size_t size = (size_t)linkage->count;
    int *numbers = (int *)calloc(2 * size, sizeof *numbers);
    linkage->links = (sn_linkage_link *)calloc(size, sizeof *linkage->links);
    bool made = numbers != NULL && linkage->links != NULL;
    if (made && robot) {
        sn_linkage_assemble_robot(linkage);
    } else if (made) {
        sn_linkage_rods(linkage, branching, numbers, numbers + size);
    } else {
        sn_linkage_free(linkage);
    }
    free(numbers);
    return made;
}

// ---- the judgement ----

static inline double sn_linkage_energy(const sn_linkage *linkage, const sn_linkage_body *bodies)
{
    double sum = 0.0;
    for (int i = 0; i < linkage->count; ++i) {
        const sn_linkage_link *link = &linkage->links[i];
        sn_vec3 w = sn_mat3_apply_transpose(bodies[i].rotation, bodies[i].spin);
        sn_vec3 momentum = {link->inertia.x * w.x, link->inertia.y * w.y, link->inertia.z * w.z};
        sum += 0.5 * link->mass * sn_dot(bodies[i].velocity, bodies[i].velocity) +
               0.5 * sn_dot(w, momentum) + link->mass * SN_LINKAGE_GRAVITY * bodies[i].position.z;
    }
    return sum;
}

// The most that gravity can give: everything hanging straight below the root. 0: out of memory.
static inline double sn_linkage_energy_scale(const sn_linkage *linkage)
{
    double *depth = (double *)calloc((size_t)linkage->count, sizeof *depth), sum = 0.0;
    for (int i = 0; depth != NULL && i < linkage->count; ++i) {
        const sn_linkage_link *link = &linkage->links[i];
        depth[i] = sn_length(link->anchor) + (link->parent >= 0 ? depth[link->parent] : 0.0);
        sum += link->mass * SN_LINKAGE_GRAVITY * (depth[i] + sn_length(link->centre));
    }
    free(depth);
    return sum;
}

static inline double sn_linkage_gap(const sn_linkage *linkage, const sn_linkage_body *bodies)
{
    double worst = 0.0;
    for (int i = 0; i < linkage->count; ++i) {
        const sn_linkage_link *link = &linkage->links[i];
        sn_vec3 here =
            sn_vec3_sub(bodies[i].position, sn_mat3_apply(bodies[i].rotation, link->centre));
        sn_vec3 there = link->anchor;
        if (link->parent >= 0) {
            const sn_linkage_body *up = &bodies[link->parent];
            sn_vec3 arm = sn_vec3_sub(there, linkage->links[link->parent].centre);
            there = sn_vec3_add(up->position, sn_mat3_apply(up->rotation, arm));
        }
        double gap = sn_distance(here, there);
        worst = gap <= worst ? worst : gap; // what is not a number stays
        if (isnan(worst)) {
            return INFINITY;
        }
    }
    return worst;
}

static inline double sn_linkage_centre_height(const sn_linkage *linkage,
                                              const sn_linkage_body *bodies)
{
    double sum = 0.0, mass = 0.0;
    for (int i = 0; i < linkage->count; ++i) {
        sum += linkage->links[i].mass * bodies[i].position.z;
        mass += linkage->links[i].mass;
    }
    return sum / mass;
}

// ---- the run ----

// An engine that has built the linkage.
typedef struct sn_linkage_engine {
    void *context;
    int (*advance)(void *context, int steps); // steps taken: fewer than asked when it refuses more
    void (*read)(void *context, sn_linkage_body *bodies);
    double (*seconds)(void); // of processor time
} sn_linkage_engine;

// Runs an engine over the work above: ns per joint and step, and all qualities but the resets,
// which only the engine can tell. False: it took no step at all, or there is no memory.
static inline bool sn_linkage_run(const sn_linkage *linkage, const sn_linkage_engine *engine,
                                  int steps, double *cost, double quality[SN_LINKAGE_QUALITIES])
{
    sn_linkage_body *bodies = (sn_linkage_body *)calloc((size_t)linkage->count, sizeof *bodies);
    double scale = sn_linkage_energy_scale(linkage), start = 0.0, seconds = 0.0;
    memset(quality, 0, SN_LINKAGE_QUALITIES * sizeof *quality);
    bool sound = bodies != NULL && scale > 0.0;
    if (sound) {
        engine->read(engine->context, bodies);
        start = sn_linkage_energy(linkage, bodies);
        sound = engine->advance(engine->context, SN_LINKAGE_WARM_UP) == SN_LINKAGE_WARM_UP;
    }
    int turn = steps / SN_LINKAGE_LOOKS, done = 0;
    turn = turn > SN_LINKAGE_STEPS_BETWEEN ? turn : SN_LINKAGE_STEPS_BETWEEN;
    while (sound && done < steps) {
        int next = turn < steps - done ? turn : steps - done;
        double began = engine->seconds();
        int taken = engine->advance(engine->context, next);
        seconds += engine->seconds() - began;
        done += taken;
        sound = taken == next;
        engine->read(engine->context, bodies);
        double drift = fabs(sn_linkage_energy(linkage, bodies) - start) / scale;
        quality[0] = isnan(drift) ? INFINITY : fmax(quality[0], drift);
        quality[1] = fmax(quality[1], sn_linkage_gap(linkage, bodies));
        quality[2] = sn_linkage_centre_height(linkage, bodies);
    }
    quality[3] = (double)done / steps;
    *cost = 1e9 * seconds / ((double)linkage->count * done);
    free(bodies);
    return done > 0;
}

#endif
