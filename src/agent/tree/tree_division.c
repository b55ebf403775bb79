// Steps in parts: see sn_tree_step_recover in tree_step.h.
//
// A part is refused for what happens about its middle, which is the same for the motion run
// backwards: so division leaves no drift. What not even the smallest part can hold, links of a
// tenth of a millimetre that whirl at thousands of radians a second, is damped until it can; and a
// part that defies this too coasts, with its speed kept to the energy that it has.
#include <float.h>
#include <math.h>
#include <string.h>

#include "agent/tree/tree_step.h"

// Of the smallest part in a step; of one in which a rotor turns many times, up to MOST.
enum { WHOLE = 64, MOST = 1 << 16 };
static const double PART_TURN = 0.5; // rad, that a joint turns in the smallest part

// Notes what acts beside gravity.
static void hold(sn_tree_step *step, const sn_tree *tree)
{
    double per_step = 1.0 / (step->h * step->h);
    for (int j = 0; j < tree->v_count; ++j) {
        step->held[j] = per_step * step->impulse[j];
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 weight = sn_vec3_scale(body->mass, step->gravity);
        sn_spatial push = sn_spatial_sub(step->due[i], step->arrived[i]);
        step->pushed[i] = sn_spatial_add_scaled(
            sn_spatial_make(sn_vec3_negate(sn_cross(body->reach, weight)), sn_vec3_negate(weight)),
            per_step, push);
    }
}

static bool push(sn_tree_step *step, sn_tree *tree, double h, const double *q, const double *v)
{
    sn_tree_step_begin(step, tree, q, v, h);
    return sn_tree_step_push(step, tree, step->gravity, step->pushed, step->held);
}

static void keep(const sn_tree_step *step, const sn_tree *tree, double *q, double *v)
{
    memcpy(q, step->trial, (size_t)tree->q_count * sizeof *q);
    memcpy(v, step->trial + tree->q_count, (size_t)tree->v_count * sizeof *v);
}

// The smallest part, damped as little as does. False: no damping helps.
static bool settle(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    static const struct {
        double drag, share;
    } tries[] = {{0.3, 0.0}, {2.0, 0.0}, {10.0, 0.001}, {100.0, 0.01}, {1e4, 1.0}};
    double *next_q = step->trial, *next_v = step->trial + tree->q_count;
    for (int i = 0; i < (int)(sizeof tries / sizeof tries[0]); ++i) {
        if (sn_tree_step_advance_damped(step, tree, tries[i].drag, tries[i].share, next_q,
                                        next_v) &&
            sn_tree_step_gain(step, tree, q, v, next_q, next_v) <= 0.01 * step->limit) {
            keep(step, tree, q, v);
            return true;
        }
    }
    return false;
}

// Goes on as it goes, but slower if that would gain energy.
static void coast(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    double *next_q = step->trial, *next_v = step->trial + tree->q_count;
    sn_tree_move(tree, q, v, step->h, next_q);
    memcpy(next_v, v, (size_t)tree->v_count * sizeof *v);
    for (int turn = 0; turn < 60 && sn_tree_step_gain(step, tree, q, v, next_q, next_v) > 0.0;
         ++turn) {
        for (int j = 0; j < tree->v_count; ++j) {
            next_v[j] *= 0.5;
        }
    }
    keep(step, tree, q, v);
}

// The next smaller part: an error goes with the square of its length.
static int divided(const sn_tree_step *step, int part)
{
    double over = step->jump / step->limit;
    do {
        part /= 2;
        over /= 4.0;
    } while (part > 1 && over > 1.0 && over < DBL_MAX);
    return part;
}

// The turn of a link's joint in the step, with what acts on it by the end of it.
static double turn_of(const sn_tree_step *step, const sn_tree *tree, int i, const double *gain)
{
    const sn_tree_link *link = &tree->links[i];
    double h2 = step->h * step->h;
    switch (link->joint) {
    case SN_TREE_HINGE:
    case SN_TREE_SCREW:
        return fabs(step->search[i].past.x) + h2 * fabs(gain[link->v]);
    case SN_TREE_BALL:
        return sn_length(step->search[i].past) + h2 * sn_length(sn_vec3_at(gain + link->v));
    default:
        return 0.0;
    }
}

// In how many smallest parts: as many as the fastest turn of a joint asks for. 0: not even the most
// would do. Uneven trees have tiny links that whirl, which are damped instead: see settle.
static int smallest_parts(sn_tree_step *step, sn_tree *tree)
{
    double most = 0.0, *gain = step->trial;
    if (step->uneven) {
        return WHOLE;
    }
    for (int i = 0; i < tree->count; ++i) {
        sn_vec3 weight = sn_vec3_scale(tree->body[i].mass, step->gravity);
        tree->scratch[i] = sn_spatial_add(
            step->pushed[i], sn_spatial_make(sn_cross(tree->body[i].reach, weight), weight));
    }
    sn_tree_solve_wrench(tree, step->held, gain);
    for (int i = 0; i < tree->count; ++i) {
        double turn = turn_of(step, tree, i, gain);
        if (!(turn <= most)) {
            most = turn;
            step->fastest = i;
        }
        if (!isfinite(turn)) {
            return 0;
        }
    }
    int parts = WHOLE;
    while (parts < MOST && most > PART_TURN * parts) {
        parts *= 2;
    }
    return most <= PART_TURN * parts ? parts : 0;
}

// In equal parts, the fewest that all go well.
static bool take_evenly(sn_tree_step *step, sn_tree *tree, double h, int whole, double *q,
                        double *v)
{
    int part = whole;
    do {
        part = divided(step, part);
        memcpy(step->start, q, (size_t)tree->q_count * sizeof *q);
        memcpy(step->start + tree->q_count, v, (size_t)tree->v_count * sizeof *v);
        bool sound = true;
        int done = 0;
        for (; done < whole && sound; done += part) {
            sound = push(step, tree, h * part / whole, step->start, step->start + tree->q_count) &&
                    sn_tree_step_advance(step, tree, step->start, step->start + tree->q_count);
        }
        if (sound) {
            memcpy(q, step->start, (size_t)tree->q_count * sizeof *q);
            memcpy(v, step->start + tree->q_count, (size_t)tree->v_count * sizeof *v);
            step->parts = whole / part;
            return true;
        }
    } while (part > 1);
    return false;
}

// Each part as long as goes well, and damped where none does.
static bool take_warily(sn_tree_step *step, sn_tree *tree, double h, int whole, double *q,
                        double *v)
{
    int part = divided(step, whole), done = 0;
    while (done < whole) {
        if (!push(step, tree, h * part / whole, q, v)) {
            return false;
        }
        if (!sn_tree_step_advance(step, tree, q, v)) {
            if (part > 1) {
                part = divided(step, part);
                continue;
            }
            step->damped += 1;
            if (!settle(step, tree, q, v)) {
                coast(step, tree, q, v);
                step->coasted += 1;
            }
        }
        step->parts += 1;
        done += part;
        if (part < whole && done % (2 * part) == 0 && 4.0 * step->jump < step->limit) {
            part *= 2;
        }
    }
    return true;
}

bool sn_tree_step_can_follow(sn_tree_step *step, sn_tree *tree)
{
    sn_tree_place(tree, step->c);
    hold(step, tree);
    return smallest_parts(step, tree) > 0;
}

bool sn_tree_step_recover(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    double h = step->h, sure = step->sure;
    bool kept = step->keeps, keeps = kept && step->alone;
    double energy = keeps ? sn_tree_step_energy(step, tree, q, v) : 0.0;
    step->keeps = false;
    step->parts = 0;
    step->damped = 0;
    step->coasted = 0;
    sn_tree_place(tree, step->c);
    hold(step, tree);
    int whole = smallest_parts(step, tree);
    if (whole == 0) { // what drives it cannot be followed
        step->keeps = kept;
        return false;
    }
    bool taken = !step->uneven && take_evenly(step, tree, h, whole, q, v);
    if (!taken) {
        step->sure = 0.0; // look at the energy of every part
        taken = take_warily(step, tree, h, whole, q, v);
        step->sure = sure;
    }
    step->h = h;
    step->keeps = kept;
    if (keeps && taken && step->damped == 0) {
        sn_tree_step_restore(step, tree, energy, q, v);
    }
    return taken;
}

bool sn_tree_step_take(sn_tree_step *step, sn_tree *tree, double h, sn_vec3 gravity,
                       const sn_spatial *wrench, const double *force, double *q, double *v)
{
    sn_tree_step_begin(step, tree, q, v, h);
    if (!sn_tree_step_push(step, tree, gravity, wrench, force)) {
        return false;
    }
    step->parts = 1;
    step->damped = 0;
    return sn_tree_step_advance(step, tree, q, v) || sn_tree_step_recover(step, tree, q, v);
}
