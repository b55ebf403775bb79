#include "agent/tree/tree_swing.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tree_joint.h"
#include "base/memory.h"
#include "math/dense.h"

// Both well below 1, where six steps to a swing and fewer resonate with it (Mandziuk and Schlick,
// Chem. Phys. Lett. 237, 1995). What the leapfrog keeps of a swing is (omega h)^2 / 8 of its energy
// below T + V, so that T + V drifts as energy wanders between slow swings and fast ones: with 0.7
// and 0.5, of struck mobiles on strings, by up to 1.1e-3 in a minute, with these by 6e-4.
static const double SLOWED_LIMIT = 0.6; // of omega h, where links are slowed
static const double SLOW = 0.4;         // of the slowed links, were they all

static sn_mat3 full(const sn_sym3 *a)
{
    return (sn_mat3){{{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}}};
}

static sn_sym3 scaled(double s, const sn_sym3 *a)
{
    return (sn_sym3){s * a->xx, s * a->xy, s * a->xz, s * a->yy, s * a->yz, s * a->zz};
}

// ---- the stiffness of gravity ----

// Inwards, with the moment and the mass that each link carries in tree->scratch.
static void find_stiffness(const sn_tree *tree, sn_sym3 *stiffness)
{
    sn_spatial *carried = tree->scratch; // angular: the moment; linear.x: the mass
    memset(carried, 0, (size_t)tree->count * sizeof *carried);
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_link *link = &tree->links[i];
        sn_vec3 moment = sn_vec3_add_scaled(carried[i].angular, link->mass, link->centre);
        double length = sn_length(moment), mass = carried[i].linear.x + link->mass;
        sn_sym3 k = {length, 0.0, 0.0, length, 0.0, length};
        stiffness[i] = length > 0.0 ? sn_sym3_add_outer(&k, -1.0 / length, moment) : k;
        if (link->parent >= 0 && link->joint != SN_TREE_TRANSLATION) {
            sn_spatial *up = &carried[link->parent];
            up->angular = sn_vec3_add_scaled(up->angular, mass, link->frame.position);
            up->linear.x += mass;
        }
    }
    for (int i = 0; i < tree->count; ++i) { // falls: marked outwards
        const sn_tree_link *link = &tree->links[i];
        bool falls = link->joint == SN_TREE_TRANSLATION ||
                     (link->parent >= 0 && carried[link->parent].linear.y > 0.0);
        carried[i].linear.y = falls ? 1.0 : 0.0;
        stiffness[i] = falls ? SN_SYM3_ZERO : stiffness[i];
    }
}

bool sn_tree_swings_allocate(sn_tree_swings *swings, const sn_tree *tree)
{
    *swings = (sn_tree_swings){
        .stiffness = sn_allocate_zero((size_t)tree->count * sizeof *swings->stiffness),
        .added = sn_allocate_zero((size_t)tree->count * sizeof *swings->added),
        .chosen = sn_allocate_zero((size_t)tree->count * sizeof *swings->chosen)};
    if (swings->stiffness == NULL || swings->added == NULL || swings->chosen == NULL) {
        sn_tree_swings_free(swings);
        return false;
    }
    find_stiffness(tree, swings->stiffness);
    return true;
}

void sn_tree_swings_free(sn_tree_swings *swings)
{
    sn_free(swings->stiffness);
    sn_free(swings->added);
    sn_free(swings->chosen);
    *swings = (sn_tree_swings){0};
}

// ---- is one too fast? ----

static bool is_positive(const sn_sym3 *a)
{
    double minor = a->xx * a->yy - a->xy * a->xy;
    double determinant =
        a->zz * minor - a->xx * a->yz * a->yz - a->yy * a->xz * a->xz + 2.0 * a->xy * a->xz * a->yz;
    return a->xx > 0.0 && minor > 0.0 && determinant > 0.0;
}

// What the joint of a link must overcome, of three freedoms.
static const sn_sym3 *pivot_of(const sn_tree *tree, int i)
{
    return tree->links[i].joint == SN_TREE_BALL ? &tree->inertia[i].angular
                                                : &tree->inertia[i].linear;
}

static bool is_sound(const sn_tree *tree, int i)
{
    return tree->links[i].joint >= SN_TREE_BALL ? is_positive(pivot_of(tree, i))
                                                : tree->factor[i].one.inverse_d > 0.0;
}

// Factors M' - scale K with all joints at zero. Gives the number of pivots that are not positive.
static int factor(const sn_tree_swings *swings, double scale, const sn_swing_work *work)
{
    sn_tree *tree = work->tree;
    int count = 0;
    for (int i = 0; i < tree->count; ++i) {
        sn_sym3 k = scaled(-scale, &swings->stiffness[i]);
        k = swings->chosen[i] ? sn_sym3_add(&k, &swings->added[i].inertia) : k;
        work->extra[i] = (sn_tree_inertia){.angular = sn_sym3_turned(&tree->pose[i].rotation, &k)};
    }
    sn_tree_factorise_with(tree, NULL, work->extra);
    for (int i = 0; i < tree->count; ++i) {
        count += !is_sound(tree, i);
    }
    return count;
}

static void place_at_zero(const sn_swing_work *work)
{
    work->tree->added = NULL;
    sn_tree_zero(work->tree, work->q);
    sn_tree_place(work->tree, work->q);
}

// M - scale_of(h, limit) K has a pivot that is not positive for every swing of omega h > limit.
static double scale_of(double gravity, double h, double limit)
{
    return gravity * h * h / (limit * limit);
}

// ---- which one it is ----

// The movement of the joint that has the pivot: along its least eigenvector.
static sn_vec3 fast_movement(const sn_tree *tree, int link)
{
    if (tree->links[link].joint < SN_TREE_BALL) {
        return sn_vec3_make(1.0, 0.0, 0.0);
    }
    sn_vec3 values;
    sn_mat3 v;
    sn_mat3_eigen_symmetric(full(pivot_of(tree, link)), &values, &v);
    double x[3] = {values.x, values.y, values.z};
    int least = 0;
    for (int k = 1; k < 3; ++k) {
        least = x[k] < x[least] ? k : least;
    }
    return sn_vec3_make(v.m[0][least], v.m[1][least], v.m[2][least]);
}

// A movement x with x^T (M' - scale K) x < 0, as link motions in tree->scratch: L^T x = y, where
// the factor is L D L^T and y moves the joints of all pivots that are not positive, so that the
// product is the sum of y^T D y over these. One pass outwards: other joints follow freely.
static void find_fast_motion(sn_tree *tree)
{
    sn_spatial *motion = tree->scratch;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        motion[i] =
            body->parent >= 0 ? sn_tree_carried(body, &motion[body->parent]) : SN_SPATIAL_ZERO;
        sn_tree_accelerate(body, &tree->factor[i], NULL, SN_VEC3_ZERO, &motion[i]);
        if (!is_sound(tree, i)) {
            sn_spatial own = sn_tree_joint_motion(body, fast_movement(tree, i));
            motion[i] = sn_spatial_add(motion[i], own);
        }
    }
}

// The part that a link has in x^T (M - scale K) x.
static double part_of(const sn_tree_swings *swings, const sn_tree *tree, double scale, int i)
{
    const sn_tree_body *body = &tree->body[i];
    sn_vec3 spin = tree->scratch[i].angular;
    sn_vec3 v = sn_velocity_at(tree->scratch[i].linear, spin, body->reach);
    sn_vec3 w = sn_mat3_apply_transpose(tree->pose[i].rotation, spin);
    return body->mass * sn_dot(v, v) + sn_dot(spin, sn_sym3_apply(&body->inertia, spin)) -
           scale * sn_dot(w, sn_sym3_apply(&swings->stiffness[i], w));
}

// ---- what slows it ----

static sn_sym3 positive_part(sn_mat3 a)
{
    sn_vec3 values;
    sn_mat3 v;
    sn_mat3_eigen_symmetric(a, &values, &v);
    double x[3] = {values.x, values.y, values.z};
    sn_sym3 part = SN_SYM3_ZERO;
    for (int k = 0; k < 3; ++k) {
        if (x[k] > 0.0) {
            part = sn_sym3_add_outer(&part, x[k], sn_vec3_make(v.m[0][k], v.m[1][k], v.m[2][k]));
        }
    }
    return part;
}

static void choose(sn_tree_swings *swings, const sn_tree *tree, double gravity, double h, int link)
{
    sn_sym3 wanted = scaled(scale_of(gravity, h, SLOW), &swings->stiffness[link]);
    const sn_mat3 *own = &tree->links[link].inertia;
    sn_tree_added *added = &swings->added[link];
    added->inertia = positive_part(sn_mat3_add(full(&wanted), sn_mat3_scale(-1.0, *own)));
    sn_mat3 both = sn_mat3_add(*own, full(&added->inertia));
    added->spread = sn_tree_spread_of(&both);
    swings->chosen[link] = true;
}

// Chooses the links that are too fast for their own inertia in a movement that is too fast. Since
// x^T (M' - scale K) x < 0 some link has a negative part, and no chosen link has: there is one
// unless round-off hides it. False: there is none.
static bool choose_parts(sn_tree_swings *swings, sn_tree *tree, double scale)
{
    bool any = false;
    find_fast_motion(tree);
    for (int i = 0; i < tree->count; ++i) {
        if (!swings->chosen[i] && part_of(swings, tree, scale, i) < 0.0) {
            choose(swings, tree, swings->gravity, swings->step, i);
            any = true;
        }
    }
    return any;
}

bool sn_tree_swings_find(sn_tree_swings *swings, double gravity, double h,
                         const sn_swing_work *work)
{
    sn_tree *tree = work->tree;
    swings->step = h;
    swings->gravity = gravity;
    memset(swings->chosen, 0, (size_t)tree->count * sizeof *swings->chosen);
    for (int i = 0; i < tree->count; ++i) {
        swings->added[i] = (sn_tree_added){SN_SYM3_ZERO, tree->links[i].spread};
    }
    place_at_zero(work);
    swings->mass_scaled = factor(swings, scale_of(gravity, h, SN_SWING_LIMIT), work) > 0;
    double scale = scale_of(gravity, h, SLOWED_LIMIT);
    bool left = swings->mass_scaled;
    for (swings->rounds = 0; left && factor(swings, scale, work) > 0; ++swings->rounds) {
        left = choose_parts(swings, tree, scale);
    }
    return swings->mass_scaled;
}

// The link with most of x^T K x.
static int stiffest_part(const sn_tree_swings *swings, const sn_tree *tree)
{
    double most = 0.0;
    int found = -1;
    for (int i = 0; i < tree->count; ++i) {
        sn_vec3 w = sn_mat3_apply_transpose(tree->pose[i].rotation, tree->scratch[i].angular);
        double part = sn_dot(w, sn_sym3_apply(&swings->stiffness[i], w));
        found = part > most ? i : found;
        most = fmax(most, part);
    }
    return found;
}

double sn_tree_swings_longest_step(sn_tree_swings *swings, double gravity, double h,
                                   const sn_swing_work *work, int *link)
{
    enum { HALVINGS = 40 };
    double slow = 0.0, fast = h;
    *link = -1;
    swings->step = 0.0; // to be found anew
    memset(swings->chosen, 0, (size_t)work->tree->count * sizeof *swings->chosen);
    place_at_zero(work);
    if (factor(swings, scale_of(gravity, h, SN_SWING_LIMIT), work) == 0) {
        return h;
    }
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (slow + fast);
        bool is_fast = factor(swings, scale_of(gravity, middle, SN_SWING_LIMIT), work) > 0;
        slow = is_fast ? slow : middle;
        fast = is_fast ? middle : fast;
    }
    factor(swings, scale_of(gravity, fast, SN_SWING_LIMIT), work);
    find_fast_motion(work->tree);
    *link = stiffest_part(swings, work->tree);
    return slow;
}
