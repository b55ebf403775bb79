// The energy of steps: what one gains beyond the work of what was pushed (sn_tree_step_gain), and
// keeping it where nothing else is at work (sn_tree_step_keep).
#include <float.h>
#include <math.h>

#include "agent/tree_step.h"
#include "agent/tree_travel.h"
#include "math/rotation.h"

// Leaves the tree placed at q, with the links' velocities in its scratch.
static double energy_of(sn_tree *tree, sn_vec3 gravity, const double *q, const double *v,
                        double *kinetic)
{
    double height = 0.0;
    *kinetic = 0.0;
    sn_tree_place(tree, q);
    sn_tree_velocity(tree, v, tree->scratch);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_spatial moves = tree->scratch[i];
        sn_vec3 centre = sn_vec3_add(moves.linear, sn_cross(moves.angular, body->reach));
        sn_vec3 spin = sn_sym3_apply(&body->inertia, moves.angular);
        *kinetic += 0.5 * body->mass * sn_dot(centre, centre) + 0.5 * sn_dot(spin, moves.angular);
        height -= body->mass * sn_dot(gravity, tree->pose[i].centre);
    }
    return *kinetic + height;
}

// Work of what was pushed beside gravity, were the whole step as the state that energy_of saw.
static double work_of(const sn_tree_step *step, const sn_tree *tree, const double *v)
{
    double sum = 0.0, h2 = step->h * step->h;
    for (int j = 0; j < tree->v_count; ++j) {
        sum += step->impulse[j] * v[j];
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_spatial push = sn_spatial_sub(step->due[i], step->arrived[i]);
        sn_vec3 weight = sn_vec3_scale(h2 * body->mass, step->gravity);
        push.angular = sn_vec3_sub(push.angular, sn_cross(body->reach, weight));
        push.linear = sn_vec3_sub(push.linear, weight);
        sum += sn_spatial_dot(push, tree->scratch[i]);
    }
    return sum / step->h;
}

double sn_tree_step_gain(const sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                         const double *next_q, const double *next_v)
{
    double kinetic[2];
    double gain = -energy_of(tree, step->gravity, q, v, &kinetic[0]);
    gain -= 0.5 * work_of(step, tree, v);
    gain += energy_of(tree, step->gravity, next_q, next_v, &kinetic[1]);
    gain -= 0.5 * work_of(step, tree, next_v);
    sn_tree_place(tree, step->c);
    return gain / (0.5 * (kinetic[0] + kinetic[1]) + step->weight + DBL_MIN);
}

// ---- keeping it ----

// A tree on a nail: its angular momentum about it, and the inertia with all joints locked.
typedef struct locked_tree {
    sn_vec3 spin;
    sn_sym3 inertia;
} locked_tree;

// momentum: of a link, about its origin, `at` from the nail; centre: its centre of mass, likewise.
SN_TREE_INLINE void lock(locked_tree *tree, const sn_spatial *momentum, sn_vec3 at, double mass,
                         sn_vec3 centre, const sn_sym3 *inertia)
{
    double square = mass * sn_dot(centre, centre);
    tree->spin =
        sn_vec3_add(tree->spin, sn_vec3_add(momentum->angular, sn_cross(at, momentum->linear)));
    tree->inertia = sn_sym3_add(&tree->inertia, inertia);
    tree->inertia = sn_sym3_add_outer(&tree->inertia, -mass, centre);
    tree->inertia.xx += square;
    tree->inertia.yy += square;
    tree->inertia.zz += square;
}

// How it would turn, with the angular momentum it has about what nothing holds back: the axis of a
// hinge, the direction of gravity, or all directions without any.
static sn_vec3 locked_rate(const sn_tree_step *step, const sn_tree *tree, const locked_tree *locked)
{
    bool hinge = tree->body[0].joint == SN_TREE_HINGE;
    double pull = sn_length(step->gravity);
    sn_sym3 inverse;
    if (hinge || pull > 0.0) {
        sn_vec3 axis = hinge ? tree->body[0].axis : sn_vec3_scale(1.0 / pull, step->gravity);
        double moment = sn_dot(axis, sn_sym3_apply(&locked->inertia, axis));
        return moment > 0.0 ? sn_vec3_scale(sn_dot(axis, locked->spin) / moment, axis)
                            : SN_VEC3_ZERO;
    }
    return sn_sym3_inverse(&locked->inertia, &inverse) ? sn_sym3_apply(&inverse, locked->spin)
                                                       : SN_VEC3_ZERO;
}

// Is there any such direction?
static bool turns_freely(const sn_tree_step *step, const sn_tree *tree)
{
    return tree->body[0].joint == SN_TREE_BALL ||
           sn_length(sn_cross(tree->body[0].axis, step->gravity)) <=
               1e-9 * sn_length(step->gravity);
}

// Gives a state a share more of its kinetic energy, by all velocities alike, but for those of the
// locked tree.
static void give(const sn_tree *tree, double share, sn_vec3 locked, const double *q, double *v)
{
    if (!(fabs(share) < 0.2)) { // not what an error of a step can be
        return;
    }
    double scale = sqrt(1.0 + share);
    for (int j = 0; j < tree->v_count; ++j) {
        v[j] *= scale;
    }
    if (tree->body[0].joint == SN_TREE_HINGE) {
        v[0] += (1.0 - scale) * sn_dot(locked, tree->body[0].axis);
        return;
    }
    sn_mat3 turn = sn_quat_to_mat3(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
    sn_vec3 own = sn_mat3_apply_transpose(
        turn, sn_mat3_apply_transpose(tree->links[0].frame.rotation, locked));
    sn_vec3_put(v, sn_vec3_add_scaled(sn_vec3_at(v), 1.0 - scale, own));
}

bool sn_tree_step_can_keep(const sn_tree *tree)
{
    bool nailed = tree->links[0].joint == SN_TREE_HINGE || tree->links[0].joint == SN_TREE_BALL;
    for (int i = 1; i < tree->count; ++i) {
        nailed = nailed && tree->links[i].parent >= 0;
    }
    return nailed;
}

// ---- by chords ----
//
// Of a state, the energy between its two configurations h apart, which are both known from c: the
// kinetic energy of ways in place of velocities, and the mean of the potentials. A link that turns
// by the angle a moves what it carries along chords, which are 2 sin(a / 2) / a of their arcs: with
// sin^2(a / 2) = f u^2 / 2 they are stretched by 1 + f u^2 / 12, and a^2 = 2 f u^2 (1 + f u^2 / 6).
// So it differs from the energy of (q, v) by the fourth power of turns and by h^2 of weights.

typedef struct chord {
    double kinetic2;  // twice, times h^2
    double potential; // beyond that of c
} chord;

// carried: by how much its origin is more than its shift, of the parent (zero for the root) and,
// out, of the link.
SN_TREE_INLINE void add_chord(const sn_tree_body *body, const sn_tree_travel *parent,
                              const sn_tree_travel *travel, sn_vec3 gravity, sn_vec3 before,
                              sn_vec3 *carried, chord *sum)
{
    double bent = travel->bend * sn_dot(travel->turn, travel->turn);
    double parent_bent = parent->bend * sn_dot(parent->turn, parent->turn);
    sn_vec3 swung = sn_tree_displaced(travel, body->reach);
    *carried = sn_vec3_add_scaled(before, parent_bent / 12.0, sn_tree_displaced(parent, body->arm));
    sn_vec3 straight = sn_vec3_add(travel->shift, swung);
    sn_vec3 way = sn_vec3_add_scaled(sn_vec3_add(straight, *carried), bent / 12.0, swung);
    sn_vec3 spin = sn_sym3_apply(&body->inertia, travel->turn);
    sum->kinetic2 += body->mass * sn_dot(way, way) +
                     2.0 * travel->bend * (1.0 + bent / 6.0) * sn_dot(travel->turn, spin);
    sum->potential -= 0.5 * body->mass * sn_dot(gravity, straight);
}

// As the tree stands at q, half way between c and c'; momenta are those of the whole way, times h.
static void lock_half_way(const sn_tree_step *step, const sn_tree *tree, locked_tree *locked)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_tree_travel *travel = &step->search[i].travel;
        sn_spatial momentum = sn_tree_momentum(body, travel);
        sn_vec3 at = sn_vec3_sub(tree->pose[i].origin, tree->pose[0].origin);
        sn_vec3 moved = sn_vec3_add(travel->shift, sn_tree_displaced(travel, body->reach));
        sn_vec3 centre = sn_vec3_add_scaled(sn_vec3_add(at, body->reach), 0.5, moved);
        // Half of a turn has the quaternion (|t| + w, u) for (w, u) of the whole.
        double w = travel->w + sqrt(travel->w * travel->w + sn_dot(travel->turn, travel->turn));
        sn_quat half = {w, travel->turn.x, travel->turn.y, travel->turn.z};
        sn_mat3 rotation = sn_quat_to_mat3(sn_quat_normalize(half));
        sn_sym3 inertia = sn_sym3_turned(&rotation, &body->inertia);
        lock(locked, &momentum, at, body->mass, centre, &inertia);
    }
}

void sn_tree_step_keep(const sn_tree_step *step, sn_tree *tree, const double *q, double *v)
{
    static const sn_tree_travel at_rest = SN_TREE_AT_REST;
    chord before = {0.0, 0.0}, after = {0.0, 0.0};
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        int p = body->parent;
        sn_spatial carried = p >= 0 ? tree->scratch[p] : SN_SPATIAL_ZERO;
        add_chord(body, p >= 0 ? &step->back[p] : &at_rest, &step->back[i], step->gravity,
                  carried.angular, &tree->scratch[i].angular, &before);
        add_chord(body, p >= 0 ? &step->search[p].travel : &at_rest, &step->search[i].travel,
                  step->gravity, carried.linear, &tree->scratch[i].linear, &after);
    }
    double h2 = step->h * step->h;
    double lack2 =
        before.kinetic2 - after.kinetic2 + 2.0 * h2 * (before.potential - after.potential);
    locked_tree locked = {SN_VEC3_ZERO, {0}};
    sn_vec3 turn = SN_VEC3_ZERO;
    if (turns_freely(step, tree)) {
        lock_half_way(step, tree, &locked);
        turn = locked_rate(step, tree, &locked);
    }
    give(tree, lack2 / (after.kinetic2 - sn_dot(turn, locked.spin)),
         sn_vec3_scale(1.0 / step->h, turn), q, v);
}

// ---- exactly ----

static sn_spatial momentum_of(const sn_tree_body *body, const sn_spatial *velocity)
{
    sn_vec3 w = velocity->angular;
    sn_vec3 p = sn_vec3_scale(body->mass, sn_vec3_add(velocity->linear, sn_cross(w, body->reach)));
    return sn_spatial_make(sn_vec3_add(sn_sym3_apply(&body->inertia, w), sn_cross(body->reach, p)),
                           p);
}

double sn_tree_step_energy(const sn_tree_step *step, sn_tree *tree, const double *q,
                           const double *v)
{
    double kinetic;
    return energy_of(tree, step->gravity, q, v, &kinetic);
}

void sn_tree_step_restore(const sn_tree_step *step, sn_tree *tree, double energy, const double *q,
                          double *v)
{
    double kinetic, lack = energy - energy_of(tree, step->gravity, q, v, &kinetic);
    locked_tree locked = {SN_VEC3_ZERO, {0}};
    sn_vec3 turn = SN_VEC3_ZERO;
    if (turns_freely(step, tree)) {
        for (int i = 0; i < tree->count; ++i) {
            const sn_tree_body *body = &tree->body[i];
            sn_vec3 at = sn_vec3_sub(tree->pose[i].origin, tree->pose[0].origin);
            sn_spatial momentum = momentum_of(body, &tree->scratch[i]);
            lock(&locked, &momentum, at, body->mass, sn_vec3_add(at, body->reach), &body->inertia);
        }
        turn = locked_rate(step, tree, &locked);
    }
    give(tree, lack / (kinetic - 0.5 * sn_dot(turn, locked.spin)), turn, q, v);
}
