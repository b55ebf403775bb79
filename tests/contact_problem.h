// Random frictional problems for the exact solver: rigid bodies with random masses, arms and
// normals, as rows of an sn_exact_system.
#ifndef SN_TESTS_CONTACT_PROBLEM_H
#define SN_TESTS_CONTACT_PROBLEM_H

#include <math.h>

#include "base/random.h"
#include "math/elementary.h"
#include "solve/exact_system.h"

typedef struct contact_problem_def {
    int bodies, contacts;
    int repeats;    // every contact has so many points in one plane: redundant from three on
    double decades; // of masses
    double friction;
} contact_problem_def;

static inline sn_vec3 random_vec3(sn_random *random, double size)
{
    sn_vec3 v = {sn_random_range(random, -size, size), sn_random_range(random, -size, size),
                 sn_random_range(random, -size, size)};
    return v;
}

static inline void contact_problem_body(sn_exact_system *system, sn_random *random)
{
    sn_exact_agent agent = {.v_first = system->v.count, .v_count = 6};
    (void)sn_array_push(&system->agents, agent);
    for (int i = 0; i < 6; ++i) {
        (void)sn_array_push(&system->v, sn_random_range(random, -1.0, 1.0));
    }
}

// One point between bodies a (-1: the ground) and b; inverse: 1/m and 1/I of each body.
static inline void contact_problem_point(sn_exact_system *system, const double (*inverse)[2], int a,
                                         int b, const sn_vec3 axes[3], sn_vec3 arm_a, sn_vec3 arm_b,
                                         double friction)
{
    sn_exact_block block = {
        .kind = SN_BLOCK_POINT, .width = 3, .row = system->p.count, .friction = friction};
    const int bodies[2] = {a, b};
    const sn_vec3 arms[2] = {arm_a, arm_b};
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] < 0) {
            continue;
        }
        block.side[block.side_count++] = (sn_exact_side){bodies[side], system->j.count};
        for (int k = 0; k < 3; ++k) {
            sn_vec3 force = sn_vec3_scale(side == 0 ? -1.0 : 1.0, axes[k]);
            double row[6];
            sn_vec3_put(row, force);
            sn_vec3_put(row + 3, sn_cross(arms[side], force));
            for (int i = 0; i < 6; ++i) {
                (void)sn_array_push(&system->j, row[i]);
                (void)sn_array_push(&system->y, row[i] * inverse[bodies[side]][i / 3]);
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        (void)sn_array_push(&system->p, 0.0);
        (void)sn_array_push(&system->target, 0.0);
    }
    (void)sn_array_push(&system->blocks, block);
}

static inline void contact_problem_make(sn_exact_system *system, const contact_problem_def *def,
                                        uint64_t seed)
{
    enum { MOST_BODIES = 128 };
    sn_random random = {.seed = seed};
    double inverse[MOST_BODIES][2];
    sn_exact_system_clear(system);
    for (int i = 0; i < def->bodies; ++i) {
        contact_problem_body(system, &random);
        inverse[i][0] = sn_exp(2.302585092994046 * def->decades * sn_random_unit(&random));
        inverse[i][1] = inverse[i][0] * sn_random_range(&random, 2.0, 20.0);
    }
    for (int i = 0; i < def->contacts; ++i) {
        int b = i < def->bodies ? i : sn_random_below(&random, def->bodies);
        int a = sn_random_below(&random, def->bodies + 1) - 1;
        a = a == b ? -1 : a;
        sn_vec3 axes[3];
        axes[0] = sn_normalize(random_vec3(&random, 1.0));
        axes[1] = sn_perpendicular(axes[0]);
        axes[2] = sn_cross(axes[0], axes[1]);
        sn_vec3 arm_a = random_vec3(&random, 0.5), arm_b = random_vec3(&random, 0.5);
        double friction = def->friction * sn_random_unit(&random);
        for (int k = 0; k < def->repeats; ++k) {
            sn_vec3 shift = k == 0
                                ? SN_VEC3_ZERO
                                : sn_vec3_add_scaled(
                                      sn_vec3_scale(sn_random_range(&random, -0.4, 0.4), axes[1]),
                                      sn_random_range(&random, -0.4, 0.4), axes[2]);
            contact_problem_point(system, (const double(*)[2])inverse, a, b, axes,
                                  sn_vec3_add(arm_a, shift), sn_vec3_add(arm_b, shift), friction);
        }
    }
    sn_exact_system_prepare(system);
}

#endif
