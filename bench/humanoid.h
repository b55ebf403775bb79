// The work of the benchmark case about a humanoid that lies on a plane, and how the outcome is
// judged: one definition for Sinew, for its peers and for tests.
//
// 29 hinges in the order of common humanoids: waist 3, legs 6 each, arms 7 each; 30 links of 36 kg
// together, the pelvis free. Feet, hands and trunk (torso and pelvis) are hulls of 200 vertices
// each: random points (splitmix64, fixed seed) on x^4/a^4 + y^4/b^4 + z^4/c^4 = 1, which is
// strictly convex, so that every point is a corner. Links have the inertia of boxes; hinges have
// limits and a damping of 0.2 N m s/rad. It lies on its back, 5 mm above the plane z = 0, at rest;
// gravity (0, 0, -9.81), friction 0.5, no rebound, and nothing sleeps.
//
//   humanoid  us of processor time per step, over one second; ten steps of warm-up, which allocate
//
// Poses are read and judged every ten steps. Quality:
//
//   deepest      m, how far a corner of a hull was below the plane
//   deepest_end  m, the same at the end
//   trunk        m, height of the trunk's centre at the end
//   kinetic_end  J
//   energy_rise  J, the largest rise of the energy from one look to the next: everything here only
//                takes energy
#ifndef SN_BENCH_HUMANOID_H
#define SN_BENCH_HUMANOID_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sinew/math.h"

enum {
    SN_HUMANOID_LINKS = 30,
    SN_HUMANOID_CORNERS = 200,
    SN_HUMANOID_QUALITIES = 5,
    SN_HUMANOID_WARM_UP = 10,
    SN_HUMANOID_STEPS_BETWEEN = 10,
    SN_HUMANOID_TRUNK = 3
};

#define SN_HUMANOID_GRAVITY  9.81
#define SN_HUMANOID_FRICTION 0.5
#define SN_HUMANOID_DAMPING  0.2
#define SN_HUMANOID_HEIGHT   0.005 // of the lowest corner at the start

static const char *const sn_humanoid_quality_names[SN_HUMANOID_QUALITIES] = {
    "deepest", "deepest_end", "trunk", "kinetic_end", "energy_rise"};

typedef struct sn_humanoid_link {
    char name[24];
    int parent;          // -1: the pelvis, which is free
    char axis;           // of the hinge it hangs on
    double lower, upper; // rad
    sn_vec3 anchor;      // of that hinge in the parent's frame; the link's own origin
    double mass;
    sn_vec3 centre, half; // of a box of the same mass and inertia
    bool hull;            // its form is a hull about the centre, else it has none
} sn_humanoid_link;

// What an engine tells of a link, in world axes.
typedef struct sn_humanoid_body {
    sn_vec3 position; // of the link's origin
    sn_mat3 rotation;
    sn_vec3 velocity, spin; // of the centre of mass; of the link
} sn_humanoid_body;

// ---- links ----

// The robot's own axes: z up the spine, x forward, y left. Rows of a limb come twice, first for the
// left; the right has y mirrored. `parent` counts rows of the same limb, unless it is the first.
typedef struct sn_humanoid_row {
    const char *name;
    int parent;
    char axis;
    double lower, upper, anchor[3], mass, centre[3], half[3];
    bool hull;
} sn_humanoid_row;

enum { SN_HUMANOID_BODY_ROWS = 4, SN_HUMANOID_LEG_ROWS = 6, SN_HUMANOID_ARM_ROWS = 7 };

static const sn_humanoid_row sn_humanoid_body_rows[SN_HUMANOID_BODY_ROWS] = {
    {"pelvis", -1, 0, 0, 0, {0, 0, 0}, 4.0, {0, 0, 0}, {0.08, 0.1, 0.07}, true},
    {"waist_yaw", 0, 'z', -2.6, 2.6, {0, 0, 0.06}, 0.5, {0, 0, 0}, {0.05, 0.05, 0.03}, false},
    {"waist_roll", 1, 'x', -0.52, 0.52, {0, 0, 0.03}, 0.5, {0, 0, 0}, {0.05, 0.05, 0.03}, false},
    {"torso", 2, 'y', -0.52, 0.52, {0, 0, 0.03}, 9.0, {0, 0, 0.2}, {0.09, 0.14, 0.2}, true},
};

static const sn_humanoid_row sn_humanoid_leg_rows[SN_HUMANOID_LEG_ROWS] = {
    {"hip_pitch", 0, 'y', -2.5, 2.9, {0, 0.08, -0.05}, 1.3, {0, 0, 0}, {0.05, 0.05, 0.05}, false},
    {"hip_roll", 0, 'x', -0.5, 2.9, {0, 0.03, -0.02}, 1.5, {0, 0, 0}, {0.05, 0.05, 0.05}, false},
    {"hip_yaw", 1, 'z', -2.7, 2.7, {0, 0, -0.1}, 1.7, {0, 0, -0.1}, {0.05, 0.05, 0.1}, false},
    {"knee", 2, 'y', -0.08, 2.88, {0, 0, -0.2}, 1.9, {0, 0, -0.13}, {0.04, 0.04, 0.15}, false},
    {"ankle_pitch", 3, 'y', -0.87, 0.52, {0, 0, -0.3}, 0.2, {0, 0, 0}, {0.03, 0.03, 0.03}, false},
    {"foot", 4, 'x', -0.26, 0.26, {0, 0, -0.02}, 0.6, {0.03, 0, -0.03}, {0.11, 0.04, 0.03}, true},
};

static const sn_humanoid_row sn_humanoid_arm_rows[SN_HUMANOID_ARM_ROWS] = {
    {"shoulder_pitch",
     3,
     'y',
     -3.08,
     2.67,
     {0, 0.16, 0.3},
     0.7,
     {0, 0, 0},
     {0.04, 0.04, 0.04},
     false},
    {"shoulder_roll", 0, 'x', -1.6, 2.25, {0, 0.04, 0}, 0.7, {0, 0, 0}, {0.04, 0.04, 0.04}, false},
    {"shoulder_yaw", 1, 'z', -2.6, 2.6, {0, 0, -0.1}, 0.7, {0, 0, 0}, {0.04, 0.04, 0.06}, false},
    {"elbow", 2, 'y', -1.04, 2.09, {0, 0, -0.1}, 0.6, {0, 0, -0.04}, {0.03, 0.03, 0.06}, false},
    {"wrist_roll", 3, 'z', -1.97, 1.97, {0, 0, -0.1}, 0.3, {0, 0, 0}, {0.03, 0.03, 0.03}, false},
    {"wrist_pitch", 4, 'y', -1.6, 1.6, {0, 0, -0.04}, 0.4, {0, 0, 0}, {0.03, 0.03, 0.03}, false},
    {"hand", 5, 'x', -1.6, 1.6, {0, 0, -0.04}, 0.3, {0, 0, -0.06}, {0.03, 0.04, 0.08}, true},
};

static inline void sn_humanoid_row_link(const sn_humanoid_row *row, const char *side, int parent,
                                        sn_humanoid_link *link)
{
    bool right = side[0] == 'r', mirrored = right && (row->axis == 'x' || row->axis == 'z');
    memset(link, 0, sizeof *link);
    strcpy(link->name, side);
    strcat(link->name, row->name);
    link->parent = parent;
    link->axis = row->axis;
    link->lower = mirrored ? -row->upper : row->lower;
    link->upper = mirrored ? -row->lower : row->upper;
    link->anchor =
        sn_vec3_make(row->anchor[0], right ? -row->anchor[1] : row->anchor[1], row->anchor[2]);
    link->mass = row->mass;
    link->centre = sn_vec3_make(row->centre[0], row->centre[1], row->centre[2]);
    link->half = sn_vec3_make(row->half[0], row->half[1], row->half[2]);
    link->hull = row->hull;
}

static inline int sn_humanoid_limb(const sn_humanoid_row *rows, int count, const char *side,
                                   int first, sn_humanoid_link *links)
{
    for (int i = 0; i < count; ++i) {
        int parent = i == 0 ? rows[0].parent : first + rows[i].parent;
        sn_humanoid_row_link(&rows[i], side, parent, &links[first + i]);
    }
    return first + count;
}

// Parents come before their children.
static inline void sn_humanoid_make(sn_humanoid_link links[SN_HUMANOID_LINKS])
{
    for (int i = 0; i < SN_HUMANOID_BODY_ROWS; ++i) {
        sn_humanoid_row_link(&sn_humanoid_body_rows[i], "", sn_humanoid_body_rows[i].parent,
                             &links[i]);
    }
    int at = SN_HUMANOID_BODY_ROWS;
    at = sn_humanoid_limb(sn_humanoid_leg_rows, SN_HUMANOID_LEG_ROWS, "left_", at, links);
    at = sn_humanoid_limb(sn_humanoid_leg_rows, SN_HUMANOID_LEG_ROWS, "right_", at, links);
    at = sn_humanoid_limb(sn_humanoid_arm_rows, SN_HUMANOID_ARM_ROWS, "left_", at, links);
    sn_humanoid_limb(sn_humanoid_arm_rows, SN_HUMANOID_ARM_ROWS, "right_", at, links);
}

// About the centre, along the link's axes.
static inline sn_vec3 sn_humanoid_inertia(const sn_humanoid_link *link)
{
    sn_vec3 s = sn_vec3_make(link->half.x * link->half.x, link->half.y * link->half.y,
                             link->half.z * link->half.z);
    double third = link->mass / 3.0;
    return sn_vec3_make(third * (s.y + s.z), third * (s.z + s.x), third * (s.x + s.y));
}

// ---- hulls ----

static inline double sn_humanoid_random(uint64_t *state) // splitmix64, -1 .. 1
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) / 4503599627370496.0 - 1.0; // 2^52
}

// In the link's frame.
static inline void sn_humanoid_hull(const sn_humanoid_link *link, int index,
                                    sn_vec3 corners[SN_HUMANOID_CORNERS])
{
    uint64_t state = 2026u + (uint64_t)index;
    for (int i = 0; i < SN_HUMANOID_CORNERS;) {
        sn_vec3 d = sn_vec3_make(sn_humanoid_random(&state), sn_humanoid_random(&state),
                                 sn_humanoid_random(&state));
        double square = sn_dot(d, d);
        if (square > 1.0 || square < 1e-4) {
            continue; // outside of the ball: directions are to be uniform
        }
        double x = d.x * d.x, y = d.y * d.y, z = d.z * d.z;
        double scale = 1.0 / sqrt(sqrt(x * x + y * y + z * z));
        corners[i++] = sn_vec3_make(link->centre.x + scale * d.x * link->half.x,
                                    link->centre.y + scale * d.y * link->half.y,
                                    link->centre.z + scale * d.z * link->half.z);
    }
}

// ---- start ----

// On its back: x points up, the head towards -x.
static inline sn_quat sn_humanoid_turn(void)
{
    sn_quat turn = {sqrt(0.5), 0.0, -sqrt(0.5), 0.0};
    return turn;
}

// All joints at 0: links are turned as the pelvis is, whose frame stands at this height.
static inline double sn_humanoid_height(const sn_humanoid_link links[SN_HUMANOID_LINKS])
{
    double lowest = 0.0;
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        double ahead = 0.0;
        for (int k = i; k >= 0; k = links[k].parent) {
            ahead += links[k].anchor.x;
        }
        sn_vec3 corners[SN_HUMANOID_CORNERS];
        sn_humanoid_hull(&links[i], i, corners);
        for (int k = 0; links[i].hull && k < SN_HUMANOID_CORNERS; ++k) {
            lowest = fmin(lowest, ahead + corners[k].x);
        }
    }
    return SN_HUMANOID_HEIGHT - lowest;
}

// ---- judging ----

typedef struct sn_humanoid_judge {
    sn_humanoid_link links[SN_HUMANOID_LINKS];
    sn_vec3 corners[SN_HUMANOID_LINKS][SN_HUMANOID_CORNERS];
    double energy, quality[SN_HUMANOID_QUALITIES];
    int looks;
} sn_humanoid_judge;

static inline void sn_humanoid_judge_start(sn_humanoid_judge *judge)
{
    memset(judge, 0, sizeof *judge);
    sn_humanoid_make(judge->links);
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        sn_humanoid_hull(&judge->links[i], i, judge->corners[i]);
    }
}

static inline void sn_humanoid_judge_look(sn_humanoid_judge *judge, const sn_humanoid_body *bodies)
{
    double kinetic = 0.0, potential = 0.0, deepest = 0.0;
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        const sn_humanoid_link *link = &judge->links[i];
        const sn_humanoid_body *body = &bodies[i];
        sn_vec3 inertia = sn_humanoid_inertia(link);
        sn_vec3 w = sn_mat3_apply_transpose(body->rotation, body->spin);
        sn_vec3 arm = sn_mat3_apply(body->rotation, link->centre);
        kinetic += 0.5 * (link->mass * sn_dot(body->velocity, body->velocity) +
                          inertia.x * w.x * w.x + inertia.y * w.y * w.y + inertia.z * w.z * w.z);
        potential += link->mass * SN_HUMANOID_GRAVITY * (body->position.z + arm.z);
        for (int k = 0; link->hull && k < SN_HUMANOID_CORNERS; ++k) {
            sn_vec3 at = sn_mat3_apply(body->rotation, judge->corners[i][k]);
            deepest = fmax(deepest, -(body->position.z + at.z));
        }
        if (i == SN_HUMANOID_TRUNK) {
            judge->quality[2] = body->position.z + arm.z;
        }
    }
    judge->quality[0] = fmax(judge->quality[0], deepest);
    judge->quality[1] = deepest;
    judge->quality[3] = kinetic;
    if (judge->looks > 0) {
        judge->quality[4] = fmax(judge->quality[4], kinetic + potential - judge->energy);
    }
    judge->energy = kinetic + potential;
    judge->looks += 1;
}

// ---- running ----

typedef struct sn_humanoid_engine {
    void *context;
    bool (*advance)(void *context, int steps);
    void (*read)(void *context, sn_humanoid_body *bodies);
    double (*seconds)(void);
} sn_humanoid_engine;

// The cost in us per step; false: the engine failed.
static inline bool sn_humanoid_run(const sn_humanoid_engine *engine, int steps, double *cost,
                                   double *quality)
{
    static sn_humanoid_judge judge;
    sn_humanoid_body bodies[SN_HUMANOID_LINKS];
    double seconds = 0.0;
    sn_humanoid_judge_start(&judge);
    if (!engine->advance(engine->context, SN_HUMANOID_WARM_UP)) {
        return false;
    }
    for (int done = 0; done < steps; done += SN_HUMANOID_STEPS_BETWEEN) {
        int count =
            steps - done < SN_HUMANOID_STEPS_BETWEEN ? steps - done : SN_HUMANOID_STEPS_BETWEEN;
        double started = engine->seconds();
        bool went_on = engine->advance(engine->context, count);
        seconds += engine->seconds() - started;
        if (!went_on) {
            return false;
        }
        engine->read(engine->context, bodies);
        sn_humanoid_judge_look(&judge, bodies);
    }
    *cost = 1e6 * seconds / steps;
    memcpy(quality, judge.quality, sizeof judge.quality);
    return true;
}

#endif
