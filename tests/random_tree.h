// Random trees for the tests of maximal coordinates: all joints, runs of them with massless links
// between, and bodies that carry many.
#ifndef SN_TESTS_RANDOM_TREE_H
#define SN_TESTS_RANDOM_TREE_H

#include <math.h>

#include "agent/tree/tree.h"
#include "base/random.h"
#include "math/rotation.h"
#include "reference/maximal.h"
#include "reference/maximal_joint.h"

enum { MOST = 64 };

static const sn_vec3 gravity = {0.4, -0.3, -9.81};

static inline sn_vec3 random_vec3(sn_random *random, double size)
{
    double x = sn_random_range(random, -size, size), y = sn_random_range(random, -size, size);
    return sn_vec3_make(x, y, sn_random_range(random, -size, size));
}

static inline sn_mat3 random_rotation(sn_random *random)
{
    return sn_quat_to_mat3(sn_quat_exp(random_vec3(random, 2.0)));
}

// Compilers order arguments as they like: numbers that are drawn from one stream are drawn in
// statements of their own.
static inline sn_frame random_frame(sn_random *random, double size)
{
    sn_mat3 rotation = random_rotation(random);
    return (sn_frame){rotation, random_vec3(random, size)};
}

static inline void give_mass(sn_random *random, sn_tree_link *link)
{
    double a = sn_random_range(random, 0.1, 1.0), b = sn_random_range(random, 0.1, 1.0);
    double c = sn_random_range(random, fabs(a - b) + 0.05, a + b);
    sn_mat3 r = random_rotation(random), d = sn_mat3_diagonal(sn_vec3_make(a, b, c));
    link->mass = sn_random_range(random, 0.5, 3.0);
    link->centre = random_vec3(random, 0.3);
    link->inertia = sn_mat3_multiply(sn_mat3_multiply(r, d), sn_mat3_transpose(r));
}

// The elementary joints of what stands between two bodies: most often one, else a universal,
// cylindrical, planar or free joint.
static inline int random_run(sn_random *random, sn_tree_joint run[3])
{
    switch (sn_random_below(random, 9)) {
    case 0:
        run[0] = run[1] = SN_TREE_HINGE;
        return 2;
    case 1:
        run[0] = SN_TREE_HINGE;
        run[1] = SN_TREE_SLIDER;
        return 2;
    case 2:
        run[0] = run[1] = SN_TREE_SLIDER;
        run[2] = SN_TREE_HINGE;
        return 3;
    case 3:
        run[0] = SN_TREE_TRANSLATION;
        run[1] = SN_TREE_BALL;
        return 2;
    default:
        run[0] = (sn_tree_joint)sn_random_below(random, 5);
        return 1;
    }
}

// The second of two joints in a run turns a right angle about x, so that no two of its axes are
// parallel at zero; the third, back again.
static inline sn_frame in_run(sn_random *random, int place)
{
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), place == 1 ? 0.5 * SN_PI : 0.0);
    if (place == 2) {
        turn = sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), 0.5 * SN_PI);
    }
    return (sn_frame){sn_quat_to_mat3(turn), random_vec3(random, 0.1)};
}

// `bodies` links with mass. hub: in parts of 8 how often a body hangs on the first one.
static inline void make_tree(sn_random *random, int bodies, int hub, sn_tree *tree)
{
    sn_tree_link links[3 * MOST];
    int massive[MOST], count = 0;
    assert_true(bodies < MOST / 3);
    for (int b = 0; b < bodies; ++b) {
        sn_tree_joint run[3];
        int length = random_run(random, run);
        int parent = sn_random_below(random, b + 1) - 1;
        if (b > 0 && sn_random_below(random, 8) < hub) {
            parent = 0;
        }
        for (int k = 0; k < length; ++k) {
            sn_tree_link *link = &links[count];
            *link = (sn_tree_link){.joint = run[k]};
            link->parent = k > 0 ? count - 1 : (parent >= 0 ? massive[parent] : -1);
            link->pitch = sn_random_range(random, -0.2, 0.2);
            link->frame = k > 0 ? in_run(random, k) : random_frame(random, 0.5);
            ++count;
        }
        give_mass(random, &links[count - 1]);
        massive[b] = count - 1;
    }
    assert_true(sn_tree_allocate(tree, count));
    for (int i = 0; i < count; ++i) {
        tree->links[i] = links[i];
    }
    sn_tree_finish(tree);
}

// Joint angles stay where universal joints keep away from the position in which they lock.
static inline void random_state(sn_random *random, const sn_tree *tree, double *q, double *v)
{
    double d[3 * MOST];
    sn_tree_zero(tree, q);
    for (int j = 0; j < tree->v_count; ++j) {
        d[j] = sn_random_range(random, -1.0, 1.0);
        v[j] = sn_random_range(random, -2.0, 2.0);
    }
    sn_tree_move(tree, q, d, 1.0, q);
}

static inline void make_maximal(sn_maximal *m, const sn_tree *tree,
                                const sn_maximal_closure *closures, int count)
{
    sn_error error = {0};
    sn_status status = sn_maximal_make(m, tree, closures, count, &error);
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
}

static inline sn_spatial velocity_at(const sn_spatial *v, const sn_tree_pose *pose)
{
    sn_vec3 arm = sn_vec3_sub(pose->centre, pose->origin);
    return sn_spatial_make(v->angular, sn_vec3_add(v->linear, sn_cross(v->angular, arm)));
}

static inline double spatial_distance(sn_spatial a, sn_spatial b)
{
    return fmax(sn_distance(a.angular, b.angular), sn_distance(a.linear, b.linear));
}

static inline sn_spatial random_spatial(sn_random *random, double size)
{
    sn_vec3 angular = random_vec3(random, size);
    return sn_spatial_make(angular, random_vec3(random, size));
}

static inline void random_loads(sn_random *random, const sn_tree *tree, sn_spatial *wrench,
                                double *force)
{
    for (int i = 0; i < tree->count; ++i) {
        wrench[i] = random_spatial(random, 3.0);
    }
    for (int j = 0; j < tree->v_count; ++j) {
        force[j] = sn_random_range(random, -3.0, 3.0);
    }
}

static inline double velocity_drift(const sn_maximal *m)
{
    double most = 0.0;
    for (int j = 0; j < m->joint_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        for (int r = 0; r < joint->rows; ++r) {
            most = fmax(most, fabs(sn_maximal_row(joint, r, m->velocity)));
        }
    }
    return most;
}

#endif
