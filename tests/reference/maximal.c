#include "reference/maximal.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"
#include "reference/maximal_joint.h"
#include "reference/maximal_loop.h"

// ---- making ----

static sn_status check_tree(const sn_tree *tree, int *children, sn_error *error)
{
    for (int i = 0; i < tree->count; ++i) {
        children[i] = 0;
        if (tree->links[i].parent >= 0) {
            children[tree->links[i].parent] += 1;
        }
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        if (!(link->mass > 0.0) && children[i] != 1) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                           "link %d has no mass and carries %d links, expected exactly one", i,
                           children[i]);
        }
        sn_vec3 moments = SN_VEC3_ZERO;
        sn_mat3 axes;
        sn_mat3_eigen_symmetric(link->inertia, &moments, &axes);
        if (link->mass > 0.0 && !(moments.x > 1e-14 * moments.z)) {
            return sn_fail(
                error, SN_ERROR_UNSUPPORTED, NULL,
                "link %d has principal moments of inertia %g, %g and %g kg m^2, expected "
                "all above zero",
                i, moments.x, moments.y, moments.z);
        }
        int freedoms = sn_tree_joint_v(link->joint), above = link->parent;
        for (; above >= 0 && !(tree->links[above].mass > 0.0); above = tree->links[above].parent) {
            freedoms += sn_tree_joint_v(tree->links[above].joint);
        }
        if (freedoms > 6) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "joints without mass between them give link %d %d degrees of freedom, "
                           "expected at most 6",
                           i, freedoms);
        }
    }
    return SN_OK;
}

static sn_status check_closures(const sn_tree *tree, const sn_maximal_closure *closures, int count,
                                sn_error *error)
{
    for (int k = 0; k < count; ++k) {
        const sn_maximal_closure *closure = &closures[k];
        const int ends[2] = {closure->a, closure->b};
        for (int e = 0; e < 2; ++e) {
            if (ends[e] < -1 || ends[e] >= tree->count) {
                return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                               "closure %d names link %d, expected -1 to %d", k, ends[e],
                               tree->count - 1);
            }
            if (ends[e] >= 0 && !(tree->links[ends[e]].mass > 0.0)) {
                return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                               "closure %d is on link %d, which has no mass", k, ends[e]);
            }
        }
        if (closure->a == closure->b) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "closure %d joins link %d to itself, expected two links", k, closure->a);
        }
    }
    return SN_OK;
}

static bool allocate(sn_maximal *m, int kept)
{
    size_t n = (size_t)m->body_count, j = (size_t)m->joint_count;
    size_t all = (size_t)(m->all_q > 0 ? m->all_q : 1);
    m->pose = sn_allocate_zero(n * sizeof *m->pose);
    m->velocity = sn_allocate_zero(6 * n * sizeof *m->velocity);
    m->q = sn_allocate_zero(2 * all * sizeof *m->q);
    m->mobility = sn_allocate_zero(n * sizeof *m->mobility);
    m->pivot = sn_allocate_zero(72 * j * sizeof *m->pivot);
    m->inertia = sn_allocate_zero((size_t)(72 * kept + 1) * sizeof *m->inertia);
    m->target = sn_allocate_zero(24 * j * sizeof *m->target);
    m->drive = sn_allocate_zero(j * sizeof *m->drive);
    if (m->pose == NULL || m->velocity == NULL || m->q == NULL || m->mobility == NULL ||
        m->pivot == NULL || m->inertia == NULL || m->target == NULL || m->drive == NULL ||
        !sn_maximal_loops_allocate(m)) {
        return false;
    }
    m->force = m->velocity + n;
    m->work = m->force + n;
    m->carried = m->work + n;
    m->sum = m->carried + n;
    m->delta = m->sum + n;
    m->rate = m->q + all;
    m->gain = m->pivot + 36 * j;
    m->lift = m->inertia + 36 * (size_t)kept;
    m->lambda = m->target + 6 * j;
    m->rhs = m->lambda + 6 * j;
    m->coarse = m->rhs + 6 * j;
    return true;
}

void sn_maximal_free(sn_maximal *m)
{
    sn_free(m->bodies);
    sn_free(m->joints);
    sn_free(m->parts);
    sn_free(m->link_joint);
    sn_free(m->pose);
    sn_free(m->velocity);
    sn_free(m->q);
    sn_free(m->mobility);
    sn_free(m->pivot);
    sn_free(m->inertia);
    sn_free(m->target);
    sn_free(m->drive);
    sn_maximal_loops_free(&m->loops);
    *m = (sn_maximal){0};
}

static void finish_joint(const sn_maximal *m, sn_maximal_joint *joint)
{
    joint->freedoms = 0;
    for (int k = 0; k < joint->part_count; ++k) {
        joint->freedoms += sn_tree_joint_v(m->parts[joint->part + k].joint);
    }
    joint->rows = 6 - joint->freedoms;
    if (joint->parent >= 0 && joint->part_count > 0) { // from the parent's centre
        sn_vec3 *first = &m->parts[joint->part].frame.position;
        *first = sn_vec3_sub(*first, m->bodies[joint->parent].centre);
    }
}

// Bodies of links with mass, and the runs of joints above each. Parts are numbered link by link, so
// a run's parts follow each other only after they are sorted by the body that ends the run.
static void make_bodies(sn_maximal *m, const sn_tree *tree)
{
    int part = 0;
    for (int i = 0, b = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        m->link_joint[i] = -1;
        if (!(link->mass > 0.0)) {
            continue;
        }
        sn_maximal_body *body = &m->bodies[b];
        *body =
            (sn_maximal_body){.link = i, .kept = -1, .mass = link->mass, .centre = link->centre};
        body->inertia = link->inertia;
        body->inverse_inertia = sn_mat3_inverse(link->inertia);
        int length = 1, above = link->parent;
        m->link_joint[i] = b;
        for (; above >= 0 && !(tree->links[above].mass > 0.0); above = tree->links[above].parent) {
            m->link_joint[above] = b;
            ++length;
        }
        sn_maximal_joint *joint = &m->joints[b];
        *joint = (sn_maximal_joint){.child = b, .part = part, .part_count = length};
        joint->parent = above >= 0 ? m->link_joint[above] : -1;
        joint->end = (sn_frame){SN_MAT3_IDENTITY, sn_vec3_negate(link->centre)};
        int at = i;
        for (int k = length - 1; k >= 0; --k, at = tree->links[at].parent) {
            const sn_tree_link *from = &tree->links[at];
            m->parts[part + k] =
                (sn_maximal_part){from->joint, at, from->q, from->v, from->pitch, from->frame};
        }
        part += length;
        finish_joint(m, joint);
        ++b;
    }
}

static sn_frame on_body(const sn_maximal *m, int body, sn_frame frame)
{
    if (body >= 0) {
        frame.position = sn_vec3_sub(frame.position, m->bodies[body].centre);
    }
    return frame;
}

static void make_closures(sn_maximal *m, const sn_maximal_closure *closures)
{
    int part = m->link_count;
    m->all_q = m->q_count;
    m->all_v = m->v_count;
    for (int k = 0; k < m->closure_count; ++k) {
        const sn_maximal_closure *closure = &closures[k];
        sn_maximal_joint *joint = &m->joints[m->body_count + k];
        *joint = (sn_maximal_joint){.part = part, .part_count = 1};
        joint->parent = closure->a >= 0 ? m->link_joint[closure->a] : -1;
        joint->child = closure->b >= 0 ? m->link_joint[closure->b] : -1;
        joint->end = on_body(m, joint->child, closure->on_b);
        m->parts[part] = (sn_maximal_part){.joint = closure->joint,
                                           .link = -1,
                                           .q = m->all_q,
                                           .v = m->all_v,
                                           .pitch = closure->pitch,
                                           .frame = closure->on_a};
        finish_joint(m, joint);
        if (closure->weld) { // the part only says where, and allows nothing
            joint->freedoms = 0;
            joint->rows = 6;
        } else {
            m->all_q += sn_tree_joint_q(closure->joint);
            m->all_v += sn_tree_joint_v(closure->joint);
        }
        ++part;
    }
}

// Who couples with whom: a body of one child couples its two joints directly, one of more is kept
// as an unknown of its own. Gives the number of kept bodies.
static int make_pattern(sn_maximal *m)
{
    int kept = 0;
    for (int b = m->body_count - 1; b >= 0; --b) {
        if (m->bodies[b].child_count > 1) { // all its children have been seen
            m->bodies[b].kept = kept++;
        }
        if (m->joints[b].parent >= 0) {
            m->bodies[m->joints[b].parent].child_count += 1;
        }
    }
    return kept;
}

static void zero_coordinates(sn_maximal *m)
{
    memset(m->q, 0, (size_t)m->all_q * sizeof *m->q);
    for (int j = 0; j < m->joint_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        for (int k = 0; k < joint->part_count && joint->freedoms > 0; ++k) {
            if (m->parts[joint->part + k].joint == SN_TREE_BALL) {
                m->q[m->parts[joint->part + k].q] = 1.0;
            }
        }
    }
}

sn_status sn_maximal_make(sn_maximal *m, const sn_tree *tree, const sn_maximal_closure *closures,
                          int closure_count, sn_error *error)
{
    *m = (sn_maximal){.link_count = tree->count,
                      .closure_count = closure_count,
                      .q_count = tree->q_count,
                      .v_count = tree->v_count};
    size_t parts = (size_t)tree->count + (size_t)closure_count;
    m->link_joint = sn_allocate_zero((size_t)tree->count * sizeof *m->link_joint);
    m->parts = sn_allocate_zero(parts * sizeof *m->parts);
    if (m->link_joint == NULL || m->parts == NULL) {
        sn_maximal_free(m);
        return sn_fail_memory(error, parts * sizeof *m->parts);
    }
    sn_status status = check_tree(tree, m->link_joint, error);
    if (status == SN_OK) {
        status = check_closures(tree, closures, closure_count, error);
    }
    if (status != SN_OK) {
        sn_maximal_free(m);
        return status;
    }
    for (int i = 0; i < tree->count; ++i) {
        m->body_count += tree->links[i].mass > 0.0;
    }
    m->joint_count = m->body_count + closure_count;
    m->bodies = sn_allocate_zero((size_t)m->body_count * sizeof *m->bodies);
    m->joints = sn_allocate_zero((size_t)m->joint_count * sizeof *m->joints);
    int kept = 0;
    if (m->bodies != NULL && m->joints != NULL) {
        make_bodies(m, tree);
        make_closures(m, closures);
        kept = make_pattern(m);
    }
    if (m->bodies == NULL || m->joints == NULL || !allocate(m, kept)) {
        size_t bytes = (size_t)m->joint_count * sizeof *m->joints;
        sn_maximal_free(m);
        return sn_fail_memory(error, bytes);
    }
    zero_coordinates(m);
    sn_maximal_put_tree(m, m->q, m->pose);
    sn_maximal_place(m);
    return SN_OK;
}

// ---- state ----

void sn_maximal_from_tree(sn_maximal *m, const double *q, const double *v)
{
    memcpy(m->q, q, (size_t)m->q_count * sizeof *q);
    sn_maximal_put_tree(m, m->q, m->pose);
    sn_maximal_place(m);
    sn_maximal_velocities(m, m->joints, m->pose, v, m->velocity);
}

void sn_maximal_to_tree(sn_maximal *m, double *q, double *v)
{
    memcpy(q, m->q, (size_t)m->q_count * sizeof *q);
    for (int j = 0; j < m->body_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        double rates[6];
        sn_maximal_fit(joint, sn_maximal_relative(joint, m->pose, m->velocity), rates);
        sn_maximal_scatter(m, joint, rates, v);
    }
}

double sn_maximal_energy(const sn_maximal *m, sn_vec3 gravity)
{
    double sum = 0.0;
    for (int b = 0; b < m->body_count; ++b) {
        const sn_maximal_body *body = &m->bodies[b];
        sn_vec3 w = sn_mat3_apply_transpose(m->pose[b].frame.rotation, m->velocity[b].angular);
        sum += 0.5 * sn_dot(w, sn_mat3_apply(body->inertia, w));
        sum += 0.5 * body->mass * sn_dot(m->velocity[b].linear, m->velocity[b].linear);
        sum -= body->mass * sn_dot(gravity, m->pose[b].frame.position);
    }
    return sum;
}

// ---- forces and accelerations ----

// A wrench on a link without mass: its parent body takes it, and the joints up to the link feel it.
static void gather_massless(sn_maximal *m, const sn_maximal_joint *joint, const sn_spatial *wrench)
{
    sn_vec3 origin[6];
    sn_maximal_part_origins(m, joint, origin);
    for (int k = 0; k < joint->part_count - 1; ++k) {
        const sn_spatial *f = &wrench[m->parts[joint->part + k].link];
        if (joint->parent >= 0) {
            sn_vec3 arm = sn_vec3_sub(origin[k], m->pose[joint->parent].frame.position);
            sn_spatial *to = &m->force[joint->parent];
            to->linear = sn_vec3_add(to->linear, f->linear);
            to->angular =
                sn_vec3_add(to->angular, sn_vec3_add(f->angular, sn_cross(arm, f->linear)));
        }
        // Moment about the end of the run, where S is given.
        sn_spatial at_end = *f;
        at_end.angular =
            sn_vec3_add(at_end.angular, sn_cross(sn_vec3_sub(origin[k], joint->at), at_end.linear));
        for (int l = 0, column = 0; l <= k; ++l) {
            const sn_maximal_part *part = &m->parts[joint->part + l];
            for (int c = 0; c < sn_tree_joint_v(part->joint); ++c, ++column) {
                m->rate[part->v + c] += sn_spatial_dot(joint->basis[column], at_end);
            }
        }
    }
}

// The force and its moment about the run's end, as one on a body's centre.
static void add_at(const sn_maximal *m, sn_vec3 at, int body, double sign, sn_spatial f)
{
    if (body < 0) {
        return;
    }
    sn_vec3 arm = sn_vec3_sub(at, m->pose[body].frame.position);
    f.angular = sn_vec3_add(f.angular, sn_cross(arm, f.linear));
    m->force[body] = sn_spatial_add_scaled(m->force[body], sign, f);
}

void sn_maximal_gather(sn_maximal *m, sn_vec3 gravity, const sn_spatial *wrench,
                       const double *force)
{
    memset(m->rate, 0, (size_t)m->all_v * sizeof *m->rate);
    if (force != NULL) {
        memcpy(m->rate, force, (size_t)m->v_count * sizeof *force);
    }
    for (int b = 0; b < m->body_count; ++b) {
        m->force[b] = sn_spatial_make(SN_VEC3_ZERO, sn_vec3_scale(m->bodies[b].mass, gravity));
        if (wrench != NULL) {
            const sn_frame *frame = &m->pose[b].frame;
            sn_vec3 arm = sn_mat3_apply(frame->rotation, m->bodies[b].centre); // from the origin
            const sn_spatial *f = &wrench[m->bodies[b].link];
            m->force[b].angular = sn_vec3_sub(f->angular, sn_cross(arm, f->linear));
            m->force[b].linear = sn_vec3_add(m->force[b].linear, f->linear);
        }
    }
    for (int j = 0; j < m->body_count && (wrench != NULL || force != NULL); ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        if (wrench != NULL && joint->part_count > 1) {
            gather_massless(m, joint, wrench);
        }
        double felt[6];
        sn_maximal_collect(m, joint, m->rate, felt);
        sn_spatial drive = sn_maximal_fit_transposed(joint, felt);
        m->drive[j] = drive;
        add_at(m, joint->at, joint->child, 1.0, drive);
        add_at(m, joint->at, joint->parent, -1.0, drive);
    }
    if (wrench == NULL && force == NULL) {
        memset(m->drive, 0, (size_t)m->joint_count * sizeof *m->drive);
    }
}

// What the turning of the bodies and of the run's own parts asks of the accelerations: the end of
// the run accelerates so beyond what the parent's and the joints' accelerations give it, less what
// the child's own turning gives its end. Walks the run as sn_tree_inverse does.
static sn_spatial turning(const sn_maximal *m, const sn_maximal_joint *joint)
{
    sn_vec3 w = SN_VEC3_ZERO, w_rate = SN_VEC3_ZERO, acceleration = SN_VEC3_ZERO;
    sn_vec3 from = SN_VEC3_ZERO, origin[6];
    double rates[6];
    if (joint->parent >= 0) {
        w = m->velocity[joint->parent].angular;
        from = m->pose[joint->parent].frame.position;
    }
    sn_maximal_part_origins(m, joint, origin);
    sn_maximal_fit(joint, sn_maximal_relative(joint, m->pose, m->velocity), rates);
    for (int k = 0, column = 0; k < joint->part_count; ++k) {
        sn_tree_joint kind = m->parts[joint->part + k].joint;
        sn_vec3 arm = sn_vec3_sub(origin[k], from), to_end = sn_vec3_sub(joint->at, origin[k]);
        sn_spatial own = SN_SPATIAL_ZERO; // the part's velocity, at its origin
        for (int c = 0; joint->freedoms > 0 && c < sn_tree_joint_v(kind); ++c, ++column) {
            own = sn_spatial_add_scaled(own, rates[column], joint->basis[column]);
        }
        own.linear = sn_vec3_sub(own.linear, sn_cross(own.angular, to_end));
        acceleration = sn_vec3_add(
            acceleration, sn_vec3_add(sn_cross(w_rate, arm), sn_cross(w, sn_cross(w, arm))));
        acceleration = sn_vec3_add_scaled(acceleration, 2.0, sn_cross(w, own.linear));
        w_rate = sn_vec3_add(w_rate, sn_cross(w, own.angular));
        w = sn_vec3_add(w, own.angular);
        from = origin[k];
    }
    if (joint->child >= 0) {
        sn_vec3 spin = m->velocity[joint->child].angular;
        sn_vec3 arm = sn_vec3_sub(joint->at, m->pose[joint->child].frame.position);
        acceleration = sn_vec3_sub(acceleration, sn_cross(spin, sn_cross(spin, arm)));
    }
    return sn_spatial_make(w_rate, acceleration);
}

// Gyration: the moment that a turning body's own inertia gives, -w x I w.
static void add_gyration(sn_maximal *m)
{
    for (int b = 0; b < m->body_count; ++b) {
        const sn_mat3 *r = &m->pose[b].frame.rotation;
        sn_vec3 w = sn_mat3_apply_transpose(*r, m->velocity[b].angular);
        sn_vec3 moment = sn_cross(sn_mat3_apply(m->bodies[b].inertia, w), w);
        m->force[b].angular = sn_vec3_add(m->force[b].angular, sn_mat3_apply(*r, moment));
    }
}

// What J a lacks of the target is solved for once more. Light bodies between heavy ones need it:
// the multipliers are then exact to round-off of the heavy ones' forces, and W makes much of the
// rest.
static void refine(sn_maximal *m, sn_spatial *a)
{
    memcpy(m->coarse, m->lambda, 6 * (size_t)m->joint_count * sizeof *m->lambda);
    for (int j = 0; j < m->joint_count; ++j) {
        for (int r = 0; r < m->joints[j].rows; ++r) {
            m->target[6 * j + r] -= sn_maximal_row(&m->joints[j], r, a);
        }
    }
    memset(m->force, 0, (size_t)m->body_count * sizeof *m->force);
    sn_maximal_solve(m, m->force, m->target, m->delta);
    for (int b = 0; b < m->body_count; ++b) {
        a[b] = sn_spatial_add(a[b], m->delta[b]);
    }
    for (int k = 0; k < 6 * m->joint_count; ++k) {
        m->lambda[k] += m->coarse[k];
    }
}

sn_status sn_maximal_accelerate(sn_maximal *m, sn_vec3 gravity, const sn_spatial *wrench,
                                const double *force, sn_spatial *a, sn_error *error)
{
    sn_maximal_place(m);
    sn_status status = sn_maximal_factorise(m, error);
    if (status != SN_OK) {
        return status;
    }
    sn_maximal_gather(m, gravity, wrench, force);
    add_gyration(m);
    for (int j = 0; j < m->joint_count; ++j) { // -Jdot v
        const sn_maximal_joint *joint = &m->joints[j];
        sn_spatial bias = turning(m, joint);
        for (int r = 0; r < joint->rows; ++r) {
            m->target[6 * j + r] = sn_spatial_dot(bias, joint->basis[joint->freedoms + r]);
        }
    }
    sn_maximal_solve(m, m->force, m->target, a);
    refine(m, a);
    return SN_OK;
}

void sn_maximal_joint_accelerations(const sn_maximal *m, const sn_spatial *a, double *joint_a)
{
    for (int j = 0; j < m->body_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        sn_spatial own = sn_spatial_sub(sn_maximal_relative(joint, m->pose, a), turning(m, joint));
        double rates[6];
        sn_maximal_fit(joint, own, rates);
        sn_maximal_scatter(m, joint, rates, joint_a);
    }
}

void sn_maximal_reactions(const sn_maximal *m, sn_spatial *reaction)
{
    for (int j = 0; j < m->joint_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        reaction[j] = m->drive[j];
        for (int r = 0; r < joint->rows; ++r) {
            reaction[j] = sn_spatial_add_scaled(reaction[j], m->lambda[6 * j + r],
                                                joint->basis[joint->freedoms + r]);
        }
    }
}
