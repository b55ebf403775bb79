// Back onto the joints: Newton's method in the metric of masses.
#include "reference/maximal.h"

#include <string.h>

#include "base/error.h"
#include "reference/maximal_joint.h"

enum { MOST_TURNS = 60 };

// Turns beyond this are cut: the rows are only good near where they were taken. Shifts go with
// them.
static const double longest_turn = 0.5;

static double largest(sn_maximal_gap gap)
{
    return fmax(gap.linear, gap.angular);
}

static void move_bodies(sn_maximal *m, const sn_spatial *by, double trust)
{
    double most = 0.0;
    for (int b = 0; b < m->body_count; ++b) {
        most = fmax(most, sn_length(by[b].angular));
    }
    double scale = trust * (most > longest_turn ? longest_turn / most : 1.0);
    for (int b = 0; b < m->body_count; ++b) {
        sn_maximal_move_pose(&m->pose[b], sn_spatial_scale(scale, by[b]));
    }
}

// J delta = -g, and a part `trust` of delta.
static void close_gaps(sn_maximal *m, double trust)
{
    for (int j = 0; j < m->joint_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        for (int r = 0; r < joint->rows; ++r) {
            m->target[6 * j + r] = -sn_spatial_dot(joint->error, joint->basis[joint->freedoms + r]);
        }
    }
    memset(m->force, 0, (size_t)m->body_count * sizeof *m->force);
    sn_maximal_solve(m, m->force, m->target, m->delta);
    move_bodies(m, m->delta, trust);
}

// J (v + delta) = 0, twice: the second takes what rounding left.
static void project_velocity(sn_maximal *m)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < m->joint_count; ++j) {
            const sn_maximal_joint *joint = &m->joints[j];
            for (int r = 0; r < joint->rows; ++r) {
                m->target[6 * j + r] = -sn_maximal_row(joint, r, m->velocity);
            }
        }
        memset(m->force, 0, (size_t)m->body_count * sizeof *m->force);
        sn_maximal_solve(m, m->force, m->target, m->delta);
        for (int b = 0; b < m->body_count; ++b) {
            m->velocity[b] = sn_spatial_add(m->velocity[b], m->delta[b]);
        }
    }
}

sn_status sn_maximal_project(sn_maximal *m, sn_maximal_gap *gap, sn_error *error)
{
    // Drift is small and one factor serves for all turns; it is made anew only when they do not
    // shrink the gaps fast.
    double size = 1.0, before = INFINITY, trust = 1.0;
    for (int b = 0; b < m->body_count; ++b) {
        size = fmax(size, sn_length(m->pose[b].frame.position));
    }
    sn_maximal_gap now = sn_maximal_place(m);
    bool factored = false;
    int turn = 0;
    for (; turn < MOST_TURNS; ++turn) {
        double left = largest(now);
        if (!(left > 1e-16 * size) || (left < 1e-12 * size && left > 0.5 * before)) {
            break;
        }
        if (!factored || left > 0.01 * before) {
            sn_status status = sn_maximal_factorise(m, error);
            if (status != SN_OK) {
                return status;
            }
            factored = true;
        }
        // Where gaps grow, as they must when a loop is too short to close, steps get shorter.
        trust = left > before ? 0.5 * trust : fmin(1.0, 2.0 * trust);
        close_gaps(m, trust);
        before = left;
        now = sn_maximal_place(m);
    }
    bool closed = largest(now) <= 1e-9 * size;
    if (!closed) { // the tree can always be put together: what is left, closures have to answer for
        sn_maximal_put_tree(m, m->q, m->pose);
        now = sn_maximal_place(m);
    }
    now.turns = turn;
    if (gap != NULL) {
        *gap = now;
    }
    if (!closed) {
        int closure = now.joint - m->body_count;
        return sn_fail(error, SN_ERROR_SCENE, NULL,
                       "%s %d cannot close: %.3g m and %.3g rad are left after %d turns",
                       closure >= 0 ? "closure" : "the joint of link",
                       closure >= 0 ? closure : m->bodies[now.joint].link, now.linear, now.angular,
                       turn);
    }
    sn_status status = sn_maximal_factorise(m, error);
    if (status == SN_OK) {
        project_velocity(m);
    }
    return status;
}
