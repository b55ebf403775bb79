#include "reference/maximal_joint.h"

#include <float.h>
#include <string.h>

#include "math/elementary.h"
#include "math/rotation.h"

// ---- along a run ----

static sn_vec3 column(const sn_mat3 *r, int k)
{
    return sn_vec3_make(r->m[0][k], r->m[1][k], r->m[2][k]);
}

// How far an elementary joint has moved, in its own frame.
static sn_frame moved(const sn_maximal_part *part, const double *q)
{
    sn_frame frame = SN_FRAME_IDENTITY;
    switch (part->joint) {
    case SN_TREE_HINGE:
    case SN_TREE_SCREW: {
        double s, c;
        sn_sincos(q[0], &s, &c);
        frame.rotation = (sn_mat3){{{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}}};
        frame.position.z = part->joint == SN_TREE_SCREW ? part->pitch * q[0] : 0.0;
        break;
    }
    case SN_TREE_SLIDER:
        frame.position.z = q[0];
        break;
    case SN_TREE_BALL:
        frame.rotation = sn_quat_to_mat3(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
        break;
    case SN_TREE_TRANSLATION:
        frame.position = sn_vec3_make(q[0], q[1], q[2]);
        break;
    }
    return frame;
}

// What a part at `at` lets move, at its origin. Gives the number of freedoms.
static int part_motion(const sn_maximal_part *part, const sn_frame *at, sn_spatial *motion)
{
    sn_vec3 z = column(&at->rotation, 2);
    switch (part->joint) {
    case SN_TREE_HINGE:
        motion[0] = sn_spatial_make(z, SN_VEC3_ZERO);
        return 1;
    case SN_TREE_SLIDER:
        motion[0] = sn_spatial_make(SN_VEC3_ZERO, z);
        return 1;
    case SN_TREE_SCREW:
        motion[0] = sn_spatial_make(z, sn_vec3_scale(part->pitch, z));
        return 1;
    case SN_TREE_BALL:
        for (int k = 0; k < 3; ++k) {
            motion[k] = sn_spatial_make(column(&at->rotation, k), SN_VEC3_ZERO);
        }
        return 3;
    case SN_TREE_TRANSLATION:
        break;
    }
    for (int k = 0; k < 3; ++k) {
        motion[k] = sn_spatial_make(SN_VEC3_ZERO, column(&at->rotation, k));
    }
    return 3;
}

// The end of a run whose parent is at its pose. motion: S at that end; origin: of each part; either
// may be NULL.
static sn_frame walk(const sn_maximal *m, const sn_maximal_joint *joint,
                     const sn_maximal_pose *pose, const double *q, sn_spatial *motion,
                     sn_vec3 *origin)
{
    sn_frame at = joint->parent >= 0 ? pose[joint->parent].frame : SN_FRAME_IDENTITY;
    sn_vec3 where[6];
    int columns = 0;
    for (int k = 0; k < joint->part_count; ++k) {
        const sn_maximal_part *part = &m->parts[joint->part + k];
        at = sn_frame_multiply(&at, &part->frame);
        if (joint->freedoms > 0) {
            sn_frame own = moved(part, q + part->q);
            at = sn_frame_multiply(&at, &own);
            if (motion != NULL) {
                int more = part_motion(part, &at, motion + columns);
                for (int c = 0; c < more; ++c) {
                    where[columns++] = at.position;
                }
            }
        }
        if (origin != NULL) {
            origin[k] = at.position;
        }
    }
    for (int c = 0; c < columns; ++c) {
        sn_vec3 arm = sn_vec3_sub(at.position, where[c]);
        motion[c].linear = sn_vec3_add(motion[c].linear, sn_cross(motion[c].angular, arm));
    }
    return at;
}

void sn_maximal_part_origins(const sn_maximal *m, const sn_maximal_joint *joint, sn_vec3 origin[6])
{
    if (joint->part_count == 1) {
        origin[0] = joint->at;
        return;
    }
    walk(m, joint, m->pose, m->q, NULL, origin);
}

void sn_maximal_move_pose(sn_maximal_pose *pose, sn_spatial by)
{
    pose->frame.position = sn_vec3_add(pose->frame.position, by.linear);
    pose->turn = sn_quat_normalize(sn_quat_multiply(sn_quat_exp(by.angular), pose->turn));
    pose->frame.rotation = sn_quat_to_mat3(pose->turn);
}

void sn_maximal_put_tree(const sn_maximal *m, const double *q, sn_maximal_pose *pose)
{
    for (int b = 0; b < m->body_count; ++b) {
        sn_frame end = walk(m, &m->joints[b], pose, q, NULL, NULL);
        pose[b].turn = sn_quat_normalize(sn_quat_from_mat3(end.rotation));
        pose[b].frame.rotation = sn_quat_to_mat3(pose[b].turn);
        pose[b].frame.position =
            sn_vec3_add(end.position, sn_mat3_apply(pose[b].frame.rotation, m->bodies[b].centre));
    }
}

// ---- S and its inverse ----

// S = Q R by modified Gram and Schmidt, twice for columns that lose much. A column that depends on
// those before it gets the zero q and a zero on R's diagonal.
static void orthonormalise(const sn_maximal_joint *joint, sn_spatial q[6], double r[36])
{
    memset(r, 0, 36 * sizeof *r);
    for (int k = 0; k < joint->freedoms; ++k) {
        q[k] = joint->basis[k];
        double size = sqrt(sn_spatial_dot(q[k], q[k]));
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < k; ++i) {
                double along = sn_spatial_dot(q[i], q[k]);
                r[6 * i + k] += along;
                q[k] = sn_spatial_add_scaled(q[k], -along, q[i]);
            }
        }
        double left = sqrt(sn_spatial_dot(q[k], q[k]));
        bool sound = left > 1e-10 * size;
        r[6 * k + k] = sound ? left : 0.0;
        q[k] = sn_spatial_scale(sound ? 1.0 / left : 0.0, q[k]);
    }
}

void sn_maximal_fit(const sn_maximal_joint *joint, sn_spatial twist, double rates[6])
{
    if (joint->part_count == 1) { // columns at right angles
        for (int k = 0; k < joint->freedoms; ++k) {
            const sn_spatial *s = &joint->basis[k];
            rates[k] = sn_spatial_dot(*s, twist) / sn_spatial_dot(*s, *s);
        }
        return;
    }
    sn_spatial q[6];
    double r[36];
    orthonormalise(joint, q, r);
    for (int k = 0; k < joint->freedoms; ++k) {
        rates[k] = sn_spatial_dot(q[k], twist);
    }
    for (int k = joint->freedoms - 1; k >= 0; --k) {
        for (int i = k + 1; i < joint->freedoms; ++i) {
            rates[k] -= r[6 * k + i] * rates[i];
        }
        rates[k] = r[6 * k + k] > 0.0 ? rates[k] / r[6 * k + k] : 0.0;
    }
}

sn_spatial sn_maximal_fit_transposed(const sn_maximal_joint *joint, const double force[6])
{
    sn_spatial sum = SN_SPATIAL_ZERO, q[6];
    double r[36], y[6];
    orthonormalise(joint, q, r);
    for (int k = 0; k < joint->freedoms; ++k) {
        y[k] = force[k];
        for (int i = 0; i < k; ++i) {
            y[k] -= r[6 * i + k] * y[i];
        }
        y[k] = r[6 * k + k] > 0.0 ? y[k] / r[6 * k + k] : 0.0;
        sum = sn_spatial_add_scaled(sum, y[k], q[k]);
    }
    return sum;
}

void sn_maximal_scatter(const sn_maximal *m, const sn_maximal_joint *joint, const double own[6],
                        double *all)
{
    for (int k = 0, column_index = 0; k < joint->part_count && joint->freedoms > 0; ++k) {
        const sn_maximal_part *part = &m->parts[joint->part + k];
        for (int c = 0; c < sn_tree_joint_v(part->joint); ++c) {
            all[part->v + c] = own[column_index++];
        }
    }
}

void sn_maximal_collect(const sn_maximal *m, const sn_maximal_joint *joint, const double *all,
                        double own[6])
{
    for (int k = 0, column_index = 0; k < joint->part_count && joint->freedoms > 0; ++k) {
        const sn_maximal_part *part = &m->parts[joint->part + k];
        for (int c = 0; c < sn_tree_joint_v(part->joint); ++c) {
            own[column_index++] = all[part->v + c];
        }
    }
}

// ---- velocities ----

sn_spatial sn_maximal_relative(const sn_maximal_joint *joint, const sn_maximal_pose *pose,
                               const sn_spatial *velocity)
{
    sn_spatial sum = SN_SPATIAL_ZERO;
    const int body[2] = {joint->child, joint->parent};
    for (int e = 0; e < 2; ++e) {
        if (body[e] < 0) {
            continue;
        }
        sn_spatial v = velocity[body[e]];
        sn_vec3 arm = sn_vec3_sub(joint->at, pose[body[e]].frame.position);
        v.linear = sn_vec3_add(v.linear, sn_cross(v.angular, arm));
        sum = e == 0 ? v : sn_spatial_sub(sum, v);
    }
    return sum;
}

double sn_maximal_row(const sn_maximal_joint *joint, int r, const sn_spatial *motion)
{
    double row = 0.0;
    if (joint->child >= 0) {
        row += sn_spatial_dot(joint->on_child[r], motion[joint->child]);
    }
    if (joint->parent >= 0) {
        row += sn_spatial_dot(joint->on_parent[r], motion[joint->parent]);
    }
    return row;
}

void sn_maximal_velocities(const sn_maximal *m, const sn_maximal_joint *joints,
                           const sn_maximal_pose *pose, const double *v, sn_spatial *velocity)
{
    for (int j = 0; j < m->body_count; ++j) {
        const sn_maximal_joint *joint = &joints[j];
        double own[6] = {0.0};
        sn_maximal_collect(m, joint, v, own);
        // With the child at rest the relative twist is minus what the parent carries.
        velocity[j] = SN_SPATIAL_ZERO;
        sn_spatial at_end = sn_spatial_scale(-1.0, sn_maximal_relative(joint, pose, velocity));
        for (int k = 0; k < joint->freedoms; ++k) {
            at_end = sn_spatial_add_scaled(at_end, own[k], joint->basis[k]);
        }
        sn_vec3 arm = sn_vec3_sub(pose[j].frame.position, joint->at);
        at_end.linear = sn_vec3_add(at_end.linear, sn_cross(at_end.angular, arm));
        velocity[j] = at_end;
    }
}

// ---- settling ----

void sn_maximal_move_joint(const sn_maximal *m, const sn_maximal_joint *joint, const double *by,
                           double *q)
{
    for (int k = 0; k < joint->part_count; ++k) {
        const sn_maximal_part *part = &m->parts[joint->part + k];
        double *at = q + part->q;
        if (part->joint == SN_TREE_BALL) {
            sn_quat turn = sn_quat_exp(sn_vec3_make(by[0], by[1], by[2]));
            turn = sn_quat_normalize(sn_quat_multiply((sn_quat){at[0], at[1], at[2], at[3]}, turn));
            at[0] = turn.w;
            at[1] = turn.x;
            at[2] = turn.y;
            at[3] = turn.z;
        } else {
            for (int c = 0; c < sn_tree_joint_v(part->joint); ++c) {
                at[c] += by[c];
            }
        }
        by += sn_tree_joint_v(part->joint);
    }
}

static sn_spatial error_at(const sn_maximal_joint *joint, const sn_maximal_pose *pose,
                           const sn_frame *end)
{
    sn_frame child = joint->end;
    if (joint->child >= 0) {
        child = sn_frame_multiply(&pose[joint->child].frame, &joint->end);
    }
    sn_mat3 turned = sn_mat3_multiply(child.rotation, sn_mat3_transpose(end->rotation));
    return sn_spatial_make(sn_quat_log(sn_quat_from_mat3(turned)),
                           sn_vec3_sub(child.position, end->position));
}

// Gauss and Newton: q moves by S^+ error. One turn is exact for a single joint that fits.
sn_spatial sn_maximal_settle(const sn_maximal *m, const sn_maximal_joint *joint,
                             const sn_maximal_pose *pose, double *q, sn_frame *end,
                             sn_spatial motion[6])
{
    enum { MOST_TURNS = 20 };
    sn_maximal_joint trial = {.part_count = joint->part_count, .freedoms = joint->freedoms};
    sn_spatial error = SN_SPATIAL_ZERO;
    double before = INFINITY;
    for (int turn = 0; turn < MOST_TURNS; ++turn) {
        *end = walk(m, joint, pose, q, trial.basis, NULL);
        error = error_at(joint, pose, end);
        if (joint->freedoms == 0) {
            break;
        }
        double by[6], size = 0.0;
        sn_maximal_fit(&trial, error, by);
        for (int k = 0; k < joint->freedoms; ++k) {
            size = fmax(size, fabs(by[k]));
        }
        // Two parts of the last place cannot be told from none; and what no longer shrinks is
        // rounding.
        if (size < 4.0 * DBL_EPSILON || (size < 1e-11 && size > 0.25 * before)) {
            break;
        }
        before = size;
        sn_maximal_move_joint(m, joint, by, q);
    }
    memcpy(motion, trial.basis, (size_t)joint->freedoms * sizeof *motion);
    return error;
}

// ---- rows ----

// At right angles to what a single joint lets move.
static void single_rows(const sn_maximal_part *part, const sn_mat3 *axes, sn_spatial *row)
{
    sn_vec3 x = column(axes, 0), y = column(axes, 1), z = column(axes, 2), none = SN_VEC3_ZERO;
    if (part->joint == SN_TREE_BALL || part->joint == SN_TREE_TRANSLATION) {
        bool ball = part->joint == SN_TREE_BALL;
        for (int k = 0; k < 3; ++k) {
            row[k] = sn_spatial_make(ball ? none : column(axes, k), ball ? column(axes, k) : none);
        }
        return;
    }
    row[0] = sn_spatial_make(x, none);
    row[1] = sn_spatial_make(y, none);
    row[2] = sn_spatial_make(none, x);
    row[3] = sn_spatial_make(none, y);
    if (part->joint == SN_TREE_SLIDER) {
        row[4] = sn_spatial_make(z, none);
        return;
    }
    double pitch = part->joint == SN_TREE_SCREW ? part->pitch : 0.0;
    double unit = 1.0 / sqrt(1.0 + pitch * pitch);
    row[4] = sn_spatial_make(sn_vec3_scale(-pitch * unit, z), sn_vec3_scale(unit, z));
}

static sn_spatial unit_vector(int k)
{
    const double e[6] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
    return sn_spatial_make(sn_vec3_make(e[0], e[1], e[2]), sn_vec3_make(e[3], e[4], e[5]));
}

// An orthonormal complement of S: S's own orthonormal basis is filled up, each time with the unit
// vector that has most left outside of it.
static void complement(const sn_maximal_joint *joint, sn_spatial *row)
{
    sn_spatial q[12];
    double r[36];
    orthonormalise(joint, q, r);
    int count = joint->freedoms;
    for (int made = 0; made < joint->rows; ++made, ++count) {
        double most = -1.0;
        int best = 0;
        for (int k = 0; k < 6; ++k) {
            double left = 1.0;
            for (int i = 0; i < count; ++i) {
                double along = sn_spatial_dot(unit_vector(k), q[i]);
                left -= along * along;
            }
            if (left > most) {
                most = left;
                best = k;
            }
        }
        sn_spatial next = unit_vector(best);
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < count; ++i) {
                next = sn_spatial_add_scaled(next, -sn_spatial_dot(next, q[i]), q[i]);
            }
        }
        q[count] = sn_spatial_scale(1.0 / sqrt(sn_spatial_dot(next, next)), next);
        row[made] = q[count];
    }
}

void sn_maximal_place_joint(const sn_maximal *m, sn_maximal_joint *joint,
                            const sn_maximal_pose *pose, double *q)
{
    sn_frame end;
    joint->error = sn_maximal_settle(m, joint, pose, q, &end, joint->basis);
    joint->at = end.position;
    sn_spatial *row = joint->basis + joint->freedoms;
    if (joint->part_count == 1 && joint->freedoms > 0) {
        single_rows(&m->parts[joint->part], &end.rotation, row);
    } else {
        complement(joint, row);
    }
    for (int e = 0; e < 2; ++e) {
        int body = e == 0 ? joint->child : joint->parent;
        sn_spatial *on = e == 0 ? joint->on_child : joint->on_parent;
        sn_vec3 arm = body >= 0 ? sn_vec3_sub(joint->at, pose[body].frame.position) : SN_VEC3_ZERO;
        for (int r = 0; r < joint->rows; ++r) {
            on[r] = row[r];
            on[r].angular = sn_vec3_add(on[r].angular, sn_cross(arm, on[r].linear));
            on[r] = sn_spatial_scale(body < 0 ? 0.0 : (e == 0 ? 1.0 : -1.0), on[r]);
        }
    }
}

sn_maximal_gap sn_maximal_place(sn_maximal *m)
{
    sn_maximal_gap gap = {0};
    double most = -1.0;
    for (int j = 0; j < m->joint_count; ++j) {
        sn_maximal_joint *joint = &m->joints[j];
        sn_maximal_place_joint(m, joint, m->pose, m->q);
        double linear = sn_length(joint->error.linear), angular = sn_length(joint->error.angular);
        gap.linear = fmax(gap.linear, linear);
        gap.angular = fmax(gap.angular, angular);
        if (fmax(linear, angular) > most) {
            most = fmax(linear, angular);
            gap.joint = j;
        }
    }
    return gap;
}
