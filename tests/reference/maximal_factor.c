// The linear-time factor of A = J W J^T.
//
// Two joints are coupled in A only when a body touches both: A_ij = J_i W_b J_j^T. Bodies and their
// joints are numbered from the root, and joints are eliminated from the leaves, last number first.
// Write C for the rows of a body's own joint on it, K_i for those of the joints that it carries.
//
// A body of one child: its two joints are coupled by the block B = K W C^T. Elimination of the
// child's joint, with pivot D, touches nothing but the diagonal block of the other,
//
//     G = D^-1 B,      A_cc <- A_cc - B^T G,
//
// so chains have no fill-in.
//
// A body of more children would couple each with each, which is square in their number and dearer
// from two on. It is kept as an unknown instead: with y = W (sum of K_i^T lambda_i + C^T lambda)
// for its motion, the rows read
//
//     M y - sum K_i^T lambda_i - C^T lambda = 0,      D_i lambda_i + K_i y = b_i,
//
// where D_i is without the body's own part. Each child is eliminated by itself, at equal cost, and
// adds to the inertia, M + sum K_i^T D_i^-1 K_i; then the body, whose own joint gets C M^-1 C^T.
#include "reference/maximal.h"

#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "reference/maximal_joint.h"
#include "reference/maximal_loop.h"

sn_spatial sn_maximal_mobility(const sn_maximal *m, int body, sn_spatial force)
{
    return sn_spatial_make(sn_mat3_apply(m->mobility[body], force.angular),
                           sn_vec3_scale(1.0 / m->bodies[body].mass, force.linear));
}

static void to_array(sn_spatial s, double x[6])
{
    x[0] = s.angular.x;
    x[1] = s.angular.y;
    x[2] = s.angular.z;
    x[3] = s.linear.x;
    x[4] = s.linear.y;
    x[5] = s.linear.z;
}

static sn_spatial from_array(const double x[6])
{
    return sn_spatial_make(sn_vec3_make(x[0], x[1], x[2]), sn_vec3_make(x[3], x[4], x[5]));
}

// ---- A ----

// x += a W b^T
static void couple(const sn_maximal *m, int body, int rows, const sn_spatial *a, int columns,
                   const sn_spatial *b, double *x)
{
    for (int c = 0; c < columns; ++c) {
        sn_spatial moved = sn_maximal_mobility(m, body, b[c]);
        for (int r = 0; r < rows; ++r) {
            x[r * columns + c] += sn_spatial_dot(a[r], moved);
        }
    }
}

static void assemble_kept(sn_maximal *m, int b, const sn_mat3 *r, const sn_mat3 *back)
{
    const sn_maximal_body *body = &m->bodies[b];
    sn_mat3 turned = sn_mat3_multiply(sn_mat3_multiply(*r, body->inertia), *back);
    double *inertia = m->inertia + 36 * (size_t)body->kept;
    memset(inertia, 0, 36 * sizeof *inertia);
    for (int k = 0; k < 3; ++k) {
        inertia[7 * k + 21] = body->mass;
        memcpy(inertia + 6 * k, turned.m[k], sizeof turned.m[k]);
    }
}

// The joint's blocks: what its child and its parent give to the diagonal, and B, into `gain`, when
// the parent has no other child.
static void assemble(sn_maximal *m, int j)
{
    const sn_maximal_joint *joint = &m->joints[j];
    int p = joint->parent;
    double *pivot = m->pivot + 36 * (size_t)j, *gain = m->gain + 36 * (size_t)j;
    memset(pivot, 0, 36 * sizeof *pivot);
    if (m->bodies[j].kept < 0) {
        couple(m, j, joint->rows, joint->on_child, joint->rows, joint->on_child, pivot);
    }
    if (p >= 0 && m->bodies[p].kept < 0) {
        couple(m, p, joint->rows, joint->on_parent, joint->rows, joint->on_parent, pivot);
        memset(gain, 0, 36 * sizeof *gain);
        couple(m, p, joint->rows, joint->on_parent, m->joints[p].rows, m->joints[p].on_child, gain);
    }
}

// ---- elimination ----

// x (rows x columns) <- D^-1 x
static void solve_columns(int rows, const double *ldl, int columns, double *x)
{
    for (int c = 0; c < columns; ++c) {
        double one[6];
        for (int r = 0; r < rows; ++r) {
            one[r] = x[r * columns + c];
        }
        sn_ldl_solve(rows, ldl, one);
        for (int r = 0; r < rows; ++r) {
            x[r * columns + c] = one[r];
        }
    }
}

// x (a x b) += sign u^T v, u: rows x a, v: rows x b
static void add_product(int rows, int a, int b, double sign, const double *u, const double *v,
                        double *x)
{
    for (int i = 0; i < a; ++i) {
        for (int j = 0; j < b; ++j) {
            double sum = 0.0;
            for (int r = 0; r < rows; ++r) {
                sum += u[r * a + i] * v[r * b + j];
            }
            x[i * b + j] += sign * sum;
        }
    }
}

// A kept body, all of whose children are done: C M^-1, and C M^-1 C^T for its own joint.
static bool eliminate_body(sn_maximal *m, int b)
{
    const sn_maximal_joint *joint = &m->joints[b];
    double *inertia = m->inertia + 36 * (size_t)m->bodies[b].kept;
    double *lift = m->lift + 36 * (size_t)m->bodies[b].kept, *pivot = m->pivot + 36 * (size_t)b;
    if (!sn_ldl6_factor(inertia)) {
        return false;
    }
    for (int r = 0; r < joint->rows; ++r) {
        to_array(joint->on_child[r], lift + 6 * r);
        sn_ldl6_solve(inertia, lift + 6 * r);
        for (int c = 0; c < joint->rows; ++c) {
            pivot[r * joint->rows + c] +=
                sn_spatial_dot(from_array(lift + 6 * r), joint->on_child[c]);
        }
    }
    return true;
}

static void eliminate_into_kept(sn_maximal *m, int j)
{
    const sn_maximal_joint *joint = &m->joints[j];
    double rows[36], *gain = m->gain + 36 * (size_t)j;
    for (int r = 0; r < joint->rows; ++r) {
        to_array(joint->on_parent[r], rows + 6 * r);
        to_array(joint->on_parent[r], gain + 6 * r);
    }
    solve_columns(joint->rows, m->pivot + 36 * (size_t)j, 6, gain);
    add_product(joint->rows, 6, 6, 1.0, rows, gain,
                m->inertia + 36 * (size_t)m->bodies[joint->parent].kept);
}

static void eliminate_into_joint(sn_maximal *m, int j)
{
    int p = m->joints[j].parent, rows = m->joints[j].rows, above = m->joints[p].rows;
    double before[36], *gain = m->gain + 36 * (size_t)j;
    memcpy(before, gain, sizeof before);
    solve_columns(rows, m->pivot + 36 * (size_t)j, above, gain);
    add_product(rows, above, above, -1.0, before, gain, m->pivot + 36 * (size_t)p);
}

sn_status sn_maximal_factorise(sn_maximal *m, sn_error *error)
{
    for (int b = 0; b < m->body_count; ++b) {
        sn_mat3 r = m->pose[b].frame.rotation, back = sn_mat3_transpose(r);
        m->mobility[b] = sn_mat3_multiply(sn_mat3_multiply(r, m->bodies[b].inverse_inertia), back);
        if (m->bodies[b].kept >= 0) {
            assemble_kept(m, b, &r, &back);
        }
    }
    for (int j = 0; j < m->body_count; ++j) {
        assemble(m, j);
    }
    for (int j = m->body_count - 1; j >= 0; --j) {
        const sn_maximal_joint *joint = &m->joints[j];
        bool sound = m->bodies[j].kept < 0 || eliminate_body(m, j);
        sound = sound && sn_ldl_factor(joint->rows, m->pivot + 36 * (size_t)j, NULL);
        if (!sound) {
            return sn_fail(error, SN_ERROR_DIVERGED, NULL,
                           "the joint of link %d has no positive mass to act on: masses or lengths "
                           "are too far apart, or not finite",
                           m->bodies[j].link);
        }
        if (joint->parent >= 0 && m->bodies[joint->parent].kept >= 0) {
            eliminate_into_kept(m, j);
        } else if (joint->parent >= 0) {
            eliminate_into_joint(m, j);
        }
    }
    sn_maximal_loops_factorise(m);
    return SN_OK;
}

// ---- solving ----

// Leaves to root: takes joint j out of the right-hand sides of those after it.
static void forward(sn_maximal *m, int j)
{
    const sn_maximal_joint *joint = &m->joints[j];
    int p = joint->parent, kept = m->bodies[j].kept;
    double *b = m->rhs + 6 * (size_t)j;
    if (kept >= 0) {
        for (int r = 0; r < joint->rows; ++r) {
            b[r] -= sn_spatial_dot(from_array(m->lift + 36 * (size_t)kept + 6 * r), m->carried[j]);
        }
    }
    if (p >= 0 && m->bodies[p].kept >= 0) {
        for (int r = 0; r < joint->rows; ++r) {
            m->carried[p] = sn_spatial_add_scaled(m->carried[p], b[r],
                                                  from_array(m->gain + 36 * (size_t)j + 6 * r));
        }
    } else if (p >= 0) {
        int above = m->joints[p].rows;
        const double *g = m->gain + 36 * (size_t)j;
        for (int r = 0; r < joint->rows; ++r) {
            for (int c = 0; c < above; ++c) {
                m->rhs[6 * p + c] -= g[r * above + c] * b[r];
            }
        }
    }
}

// Root to leaves: the multipliers of joint j, and the motion of its body if that is kept.
static void backward(sn_maximal *m, int j)
{
    const sn_maximal_joint *joint = &m->joints[j];
    int p = joint->parent, kept = m->bodies[j].kept;
    double *lambda = m->lambda + 6 * (size_t)j;
    memcpy(lambda, m->rhs + 6 * (size_t)j, 6 * sizeof *lambda);
    sn_ldl_solve(joint->rows, m->pivot + 36 * (size_t)j, lambda);
    if (p >= 0 && m->bodies[p].kept >= 0) {
        for (int r = 0; r < joint->rows; ++r) {
            lambda[r] -=
                sn_spatial_dot(from_array(m->gain + 36 * (size_t)j + 6 * r), m->carried[p]);
        }
    } else if (p >= 0) {
        int above = m->joints[p].rows;
        const double *g = m->gain + 36 * (size_t)j;
        for (int r = 0; r < joint->rows; ++r) {
            for (int c = 0; c < above; ++c) {
                lambda[r] -= g[r * above + c] * m->lambda[6 * p + c];
            }
        }
    }
    if (kept >= 0) {
        double y[6];
        to_array(m->carried[j], y);
        sn_ldl6_solve(m->inertia + 36 * (size_t)kept, y);
        m->carried[j] = from_array(y);
        for (int r = 0; r < joint->rows; ++r) {
            m->carried[j] = sn_spatial_add_scaled(m->carried[j], lambda[r],
                                                  from_array(m->lift + 36 * (size_t)kept + 6 * r));
        }
    }
}

void sn_maximal_add_reaction(const sn_maximal *m, int j, const double *lambda, sn_spatial *force)
{
    const sn_maximal_joint *joint = &m->joints[j];
    for (int r = 0; r < joint->rows; ++r) {
        if (joint->child >= 0) {
            force[joint->child] =
                sn_spatial_add_scaled(force[joint->child], lambda[r], joint->on_child[r]);
        }
        if (joint->parent >= 0) {
            force[joint->parent] =
                sn_spatial_add_scaled(force[joint->parent], lambda[r], joint->on_parent[r]);
        }
    }
}

void sn_maximal_solve_tree(sn_maximal *m, const sn_spatial *force, const double *target,
                           sn_spatial *a)
{
    for (int b = 0; b < m->body_count; ++b) {
        m->work[b] = sn_maximal_mobility(m, b, force[b]);
        m->sum[b] = force[b];
        m->carried[b] = SN_SPATIAL_ZERO;
    }
    for (int j = 0; j < m->body_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        for (int r = 0; r < joint->rows; ++r) {
            m->rhs[6 * j + r] =
                (target != NULL ? target[6 * j + r] : 0.0) - sn_maximal_row(joint, r, m->work);
        }
    }
    for (int j = m->body_count - 1; j >= 0; --j) {
        forward(m, j);
    }
    for (int j = 0; j < m->body_count; ++j) {
        backward(m, j);
        sn_maximal_add_reaction(m, j, m->lambda + 6 * (size_t)j, m->sum);
    }
    for (int b = 0; b < m->body_count; ++b) {
        a[b] = sn_maximal_mobility(m, b, m->sum[b]);
    }
}

void sn_maximal_solve(sn_maximal *m, const sn_spatial *force, const double *target, sn_spatial *a)
{
    sn_maximal_solve_tree(m, force, target, a);
    if (m->loops.rows > 0) {
        sn_maximal_loops_solve(m, target, a);
        sn_maximal_loops_push(m, force, target, a);
    }
}
