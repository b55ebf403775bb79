// The energy of steps: what one gains beyond the work of what was pushed (sn_tree_step_gain), and
// keeping it where nothing else is at work (sn_tree_step_keep).
#include <float.h>
#include <math.h>

#include "agent/tree/tree_joint.h"
#include "agent/tree/tree_step.h"
#include "agent/tree/tree_travel.h"
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
        sn_vec3 centre = sn_velocity_at(moves.linear, moves.angular, body->reach);
        sn_vec3 spin = sn_sym3_apply(&body->inertia, moves.angular);
        *kinetic +=
            sn_kinetic_energy(centre, sn_vec3_scale(body->mass, centre), moves.angular, spin);
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

// The same of armature and resistance, as the last search left them.
static double resisted_work(const sn_tree_step *step, const sn_tree *tree, const double *v)
{
    double sum = 0.0;
    if (step->armature == NULL && step->resistance == NULL) {
        return 0.0;
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 own = sn_tree_joint_read(body, &tree->pose[i].rotation, v + body->v);
        sum += sn_dot(step->resisted[i].held, own);
        sum += sn_spatial_dot(step->resisted[i].dragged, tree->scratch[i]);
    }
    return -sum / step->h;
}

// gain: E1 - E0 - W; rounding: of these energies.
typedef struct balance {
    double gain, kinetic, rounding;
} balance;

static balance balance_of(const sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                          const double *next_q, const double *next_v)
{
    const double rounding = 1e-10; // of energies: the rest is rounding
    double kinetic[2], energy[2];
    energy[0] = energy_of(tree, step->gravity, q, v, &kinetic[0]);
    double work = work_of(step, tree, v) + resisted_work(step, tree, v);
    energy[1] = energy_of(tree, step->gravity, next_q, next_v, &kinetic[1]);
    work += work_of(step, tree, next_v) + resisted_work(step, tree, next_v);
    sn_tree_place(tree, step->c);
    return (balance){energy[1] - energy[0] - 0.5 * work, 0.5 * (kinetic[0] + kinetic[1]),
                     rounding * (fabs(energy[0]) + fabs(energy[1]))};
}

double sn_tree_step_surplus(const sn_tree_step *step, sn_tree *tree, const double *q,
                            const double *v, const double *next_q, const double *next_v,
                            double *scale)
{
    balance sum = balance_of(step, tree, q, v, next_q, next_v);
    *scale = sum.kinetic + sum.rounding + step->weight + DBL_MIN;
    return sum.gain;
}

double sn_tree_step_gain(const sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                         const double *next_q, const double *next_v)
{
    balance sum = balance_of(step, tree, q, v, next_q, next_v);
    return sum.gain / (sum.kinetic + step->weight + DBL_MIN);
}

void sn_tree_step_take_out(const sn_tree_step *step, sn_tree *tree, double surplus, const double *q,
                           double *v)
{
    double kinetic;
    energy_of(tree, step->gravity, q, v, &kinetic);
    sn_tree_place(tree, step->c);
    double share = sqrt(fmax(kinetic - surplus, 0.0) / (kinetic + DBL_MIN));
    for (int j = 0; j < tree->v_count && surplus > 0.0; ++j) {
        v[j] *= share;
    }
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

// ---- by ways ----
//
// Of a state, the energy between its two configurations h apart, which are both known from c: the
// kinetic energy of ways in place of velocities, and the mean of the potentials. What a link that
// is not measured by arcs carries, it moves along chords, which are 2 sin(a / 2) / a of their arcs:
// with sin^2(a / 2) = f u^2 / 2 they are stretched by 1 + f u^2 / 12, and a^2 = 2 f u^2 (1 + f u^2
// / 6). So it differs from the energy of (q, v) by the fourth power of turns and by h^2 of weights.

typedef struct way_energy {
    double kinetic2;  // twice, times h^2
    double potential; // beyond that of c
} way_energy;

// From c to one of the two configurations, at a link's origin.
typedef struct origin_way {
    sn_vec3 moved;     // how far it is from where it was
    sn_vec3 stretched; // the travel's shift, with chords as long as arcs
} origin_way;

// on: of the parent (zero for the root). Gives that of the link.
SN_TREE_INLINE origin_way add_way(const sn_tree *tree, int i, const sn_tree_travel *parent,
                                  const sn_tree_travel *travel, sn_vec3 own, sn_vec3 gravity,
                                  const origin_way *on, way_energy *sum)
{
    const sn_tree_body *body = &tree->body[i];
    sn_vec3 swung = sn_tree_displaced(travel, body->reach),
            carried = sn_tree_displaced(parent, body->arm);
    origin_way at = {sn_vec3_add(on->moved, carried), on->stretched};
    if (sn_tree_slides(body)) {
        sn_vec3 slide = sn_tree_joint_motion(body, own).linear;
        at.moved = sn_vec3_add(at.moved, sn_vec3_add(slide, sn_tree_displaced(parent, slide)));
    }
    if (!body->on_arcs) {
        double bent = parent->bend * sn_dot(parent->turn, parent->turn);
        at.stretched = sn_vec3_add_scaled(at.stretched, bent / 12.0, carried);
    }
    double bent = travel->bend * sn_dot(travel->turn, travel->turn);
    double over = body->arcs ? travel->over : bent / 12.0;
    sn_vec3 way = sn_vec3_add_scaled(sn_vec3_add(travel->shift, at.stretched), 1.0 + over, swung);
    sn_vec3 turn = body->arcs ? travel->angle : travel->turn;
    double square = sn_dot(turn, sn_sym3_apply(&body->inertia, turn));
    sum->kinetic2 += body->mass * sn_dot(way, way) +
                     (body->arcs ? square : 2.0 * travel->bend * (1.0 + bent / 6.0) * square);
    sum->potential -= 0.5 * body->mass * sn_dot(gravity, sn_vec3_add(at.moved, swung));
    return at;
}

// As the tree stands at q, half way between c and c'; momenta are those of the whole way, times h.
// The ways of the origins are in the tree's scratch.
static void lock_half_way(sn_tree_step *step, const sn_tree *tree, locked_tree *locked)
{
    static const sn_tree_travel at_rest = SN_TREE_AT_REST;
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *ahead = &step->search[i];
        const sn_tree_travel *travel = &ahead->travel;
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        sn_vec3 third;
        sn_spatial momentum = sn_tree_momentum(tree, i, tree->arcs, parent, travel, ahead->moved,
                                               step->search, &third);
        momentum = sn_spatial_add(momentum, ahead->wrench);
        ahead->wrench = SN_SPATIAL_ZERO;
        sn_vec3 at = sn_vec3_sub(tree->pose[i].origin, tree->pose[0].origin);
        sn_vec3 moved =
            sn_vec3_add(tree->scratch[i].linear, sn_tree_displaced(travel, body->reach));
        sn_vec3 centre = sn_vec3_add_scaled(sn_vec3_add(at, body->reach), 0.5, moved);
        // Half of a turn has the quaternion (|t| + w, u) for (w, u) of the whole.
        double w = travel->w + sqrt(travel->w * travel->w + sn_dot(travel->turn, travel->turn));
        sn_quat half = {w, travel->turn.x, travel->turn.y, travel->turn.z};
        sn_mat3 rotation = sn_quat_to_mat3(sn_quat_normalize(half));
        sn_sym3 inertia = sn_sym3_turned(&rotation, &body->inertia);
        lock(locked, &momentum, at, body->mass, centre, &inertia);
    }
}

// The energy of one of the two. Leaves the ways of the origins in the tree's scratch.
static way_energy energy_of_ways(const sn_tree_step *step, sn_tree *tree, bool back)
{
    static const sn_tree_travel at_rest = SN_TREE_AT_REST;
    way_energy sum = {0.0, 0.0};
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_search *at = &step->search[i];
        int p = tree->body[i].parent;
        const sn_tree_travel *parent = p < 0  ? &at_rest
                                       : back ? &step->back[p]
                                              : &step->search[p].travel;
        sn_spatial before = p >= 0 ? tree->scratch[p] : SN_SPATIAL_ZERO;
        origin_way on = {before.linear, before.angular};
        on = add_way(tree, i, parent, back ? &step->back[i] : &at->travel,
                     back ? at->past : at->moved, step->gravity, &on, &sum);
        tree->scratch[i] = sn_spatial_make(on.stretched, on.moved);
    }
    return sum;
}

void sn_tree_step_keep(sn_tree_step *step, sn_tree *tree, const double *q, double *v)
{
    way_energy before = energy_of_ways(step, tree, true);
    way_energy after = energy_of_ways(step, tree, false);
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

// ---- as small swings keep it ----
//
// Of a state with c- and c on its two sides: T + 2 V(q) - (V(c-) + V(c)) / 2. Where M and K = V''
// are constant, as in small swings, the leapfrog keeps this exactly: it is T + x- K x / 2, and with
// M (x' - 2 x + x-) = -h^2 K x that does not change. T + V is h^2/8 v . K v above it, which goes up
// and down with the swings: steps that were given the T + V before them, now and then, would each
// time shift what the others keep.

static double height_at(const sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                        double part)
{
    double height = 0.0;
    sn_tree_move(tree, q, v, part * step->h, step->start);
    sn_tree_place_into(tree, step->start, tree->pose);
    for (int i = 0; i < tree->count; ++i) {
        height -= tree->body[i].mass * sn_dot(step->gravity, tree->pose[i].centre);
    }
    return height;
}

// square: what in it goes with the square of v.
static double kept_energy(const sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                          double *square)
{
    double sides = height_at(step, tree, q, v, -0.5) + height_at(step, tree, q, v, 0.5);
    double kinetic, energy = energy_of(tree, step->gravity, q, v, &kinetic);
    double bend = 0.5 * sides - (energy - kinetic);
    *square = kinetic - bend;
    return energy - bend;
}

static sn_spatial momentum_of(const sn_tree_body *body, const sn_spatial *velocity)
{
    sn_vec3 w = velocity->angular;
    sn_vec3 p = sn_vec3_scale(body->mass, sn_velocity_at(velocity->linear, w, body->reach));
    return sn_spatial_make(sn_vec3_add(sn_sym3_apply(&body->inertia, w), sn_cross(body->reach, p)),
                           p);
}

double sn_tree_step_energy(const sn_tree_step *step, sn_tree *tree, const double *q,
                           const double *v)
{
    double square;
    return kept_energy(step, tree, q, v, &square);
}

void sn_tree_step_restore(const sn_tree_step *step, sn_tree *tree, double energy, const double *q,
                          double *v)
{
    double square, lack = energy - kept_energy(step, tree, q, v, &square);
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
    give(tree, lack / (square - 0.5 * sn_dot(turn, locked.spin)), turn, q, v);
}
