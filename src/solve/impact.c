#include "solve/impact.h"

#include <string.h>

#include "solve/cone.h"

// The first time in [0, most] at which g + u t + a t^2 / 2 comes down to 0, or -1.
static double time_of_contact(double g, double u, double a, double most)
{
    if (!(g > 0.0)) {
        return u < 0.0 ? 0.0 : -1.0;
    }
    double square = u * u - 2.0 * a * g, t = -1.0;
    if (!(square >= 0.0)) {
        return -1.0;
    }
    if (u < 0.0) {
        t = 2.0 * g / (sqrt(square) - u);
    } else if (a < 0.0) {
        t = (u + sqrt(square)) / -a;
    }
    return t <= most ? t : -1.0;
}

// Does a contact that is struck at the speed u < 0, with `left` of the step to come, fly off for
// the rest of it? The flight takes 2 e |u| / |a|.
static double rebound(const sn_impact_spot *spot, double u, double left)
{
    double e = spot->restitution, a = spot->rate.x;
    return a < 0.0 && -2.0 * e * u < -a * left ? 0.0 : e;
}

// The time from now at which it strikes and rebounds, or -1.
static double time_of_strike(const sn_impact_spot *spot, double g, double u, double left)
{
    if (!(spot->restitution > 0.0)) {
        return -1.0;
    }
    double t = time_of_contact(g > spot->touching ? g : 0.0, u, spot->rate.x, left);
    if (t < 0.0) {
        return -1.0;
    }
    double speed = u + spot->rate.x * t;
    bool slow = !(-speed * (left > 0.0 ? left : spot->after) > spot->touching);
    return slow || !(rebound(spot, speed, left - t) > 0.0) ? -1.0 : t;
}

bool sn_impact_is_due(const sn_impact_spot *spot, double h)
{
    return time_of_strike(spot, spot->gap, spot->start.x, h) >= 0.0;
}

// ---- one strike ----

static bool is_same_side(const sn_contact_side *a, const sn_contact_side *b)
{
    return a->set == b->set && (a->set < 0 || (a->agent == b->agent && a->part == b->part));
}

// Between the same two bodies? All that never moves is one.
static bool is_same_pair(const sn_impact_spot *spot, const sn_impact_spot *other)
{
    const sn_contact *p = spot->contact, *q = other->contact;
    return spot == other ||
           (p != NULL && q != NULL &&
            (p == q || (is_same_side(&p->a, &q->a) && is_same_side(&p->b, &q->b)) ||
             (is_same_side(&p->a, &q->b) && is_same_side(&p->b, &q->a))));
}

// Spots ascend by their blocks.
static int spot_of(const sn_impact_spot *spots, int count, int block)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (spots[middle].block < block) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && spots[low].block == block ? low : -1;
}

// Velocities after a strike on one block: those of spots that share an agent with it.
static void refresh(const sn_exact_system *system, sn_impact_spot *spots, int count,
                    const sn_exact_block *struck, const double *change)
{
    for (int side = 0; side < struck->side_count; ++side) {
        int block_count;
        const int *blocks = sn_exact_blocks_of(system, struck->side[side].agent, &block_count);
        for (int k = 0; k < block_count; ++k) {
            int i = spot_of(spots, count, blocks[k]);
            if (i >= 0) {
                sn_vec3 turn = sn_exact_along(system, &system->blocks.data[blocks[k]], change);
                spots[i].u_now = sn_vec3_add(spots[i].u_before_events, turn);
            }
        }
    }
}

// The touching contact that approaches with the most energy, of those faster than `least`.
static int strongest(const sn_exact_system *system, const sn_impact_spot *spots, int count,
                     double least)
{
    int best = -1;
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        const sn_impact_spot *spot = &spots[i];
        const sn_exact_block *block = &system->blocks.data[spot->block];
        double strength = -spot->u_now.x * block->scale[0];
        if (spot->gap_now <= spot->touching && strength > least && strength > most) {
            best = i;
            most = strength;
        }
    }
    return best;
}

// Chooses what is struck at once with a spot, and notes how it approaches. How many.
static int choose_struck(sn_impact_spot *spots, int count, const sn_impact_spot *first, double left)
{
    bool flies = rebound(first, first->u_now.x, left) > 0.0;
    int chosen = 0;
    for (int i = 0; i < count; ++i) {
        sn_impact_spot *spot = &spots[i];
        spot->strikes = spot->gap_now <= spot->touching && is_same_pair(first, spot);
        if (spot->strikes) {
            spot->bounce = flies ? spot->restitution : 0.0;
            spot->u_struck = spot->u_now;
            spot->struck = SN_VEC3_ZERO;
            ++chosen;
        }
    }
    return chosen;
}

static sn_vec3 velocity_now(const sn_exact_system *system, const sn_impact_spot *spot,
                            const double *change)
{
    const sn_exact_block *block = &system->blocks.data[spot->block];
    return sn_vec3_add(spot->u_before_events, sn_exact_along(system, block, change));
}

// Each of those that are struck in turn, until impulses stay as they are. Four points under a box
// share what three could carry: velocities are found all the same. Friction so strong that turns
// run away is given up while numbers are small.
static void strike_chosen(const sn_exact_system *system, sn_impact_spot *spots, int count,
                          int chosen, double share, double *change)
{
    enum { SWEEPS = 200 };
    const double too_much = 1e3;
    double off = INFINITY, most = 0.0, first = INFINITY;
    for (int sweep = 0; sweep < (chosen > 1 ? SWEEPS : 1) && off > 1e-14 * most; ++sweep) {
        off = 0.0;
        for (int i = 0; i < count; ++i) {
            sn_impact_spot *spot = &spots[i];
            if (!spot->strikes) {
                continue;
            }
            const sn_exact_block *block = &system->blocks.data[spot->block];
            sn_vec3 old = spot->struck, b = velocity_now(system, spot, change);
            b = sn_vec3_sub(b, sn_sym3_apply(&block->w, old));
            b.x += share * spot->bounce * spot->u_struck.x;
            sn_cone_solve(&block->w, b, block->friction, &spot->struck);
            sn_vec3 more = sn_vec3_sub(spot->struck, old);
            sn_exact_push_into(system, block, more, change);
            off = fmax(off, sn_length(more));
            most = fmax(most, sn_length(spot->struck));
        }
        first = sweep == 0 ? most : first;
        if (!(most <= too_much * first)) {
            return;
        }
    }
}

// What they have gained is p (u before + u after) / 2; and what that is small by.
static double energy_gained(const sn_exact_system *system, const sn_impact_spot *spots, int count,
                            const double *change, double *size)
{
    double gained = 0.0;
    *size = 0.0;
    for (int i = 0; i < count; ++i) {
        const sn_impact_spot *spot = &spots[i];
        if (spot->strikes) {
            sn_vec3 sum = sn_vec3_add(spot->u_struck, velocity_now(system, spot, change));
            gained += 0.5 * sn_dot(spot->struck, sum);
            *size += fabs(sn_dot(spot->struck, spot->u_struck));
        }
    }
    return gained;
}

static void take_back(const sn_exact_system *system, sn_impact_spot *spots, int count,
                      double *change)
{
    for (int i = 0; i < count; ++i) {
        if (spots[i].strikes) {
            const sn_exact_block *block = &system->blocks.data[spots[i].block];
            sn_exact_push_into(system, block, sn_vec3_negate(spots[i].struck), change);
            spots[i].struck = SN_VEC3_ZERO;
        }
    }
}

// One strike of all that is chosen, which rebounds less where it would gain energy. False, and
// nothing done: it gains all the same, since friction jams.
static bool strike_once(const sn_exact_system *system, sn_impact_spot *spots, int count, int chosen,
                        double *change)
{
    enum { TURNS = 8 };
    double share = 1.0, size;
    for (int turn = 0; turn < TURNS; ++turn) {
        strike_chosen(system, spots, count, chosen, share, change);
        if (energy_gained(system, spots, count, change, &size) <= 1e-12 * size) {
            return true;
        }
        share = turn + 2 < TURNS ? 0.5 * share : 0.0;
        take_back(system, spots, count, change);
    }
    return false;
}

// A spot and all that is struck at once with it; by itself if that cannot be.
static void strike_from(const sn_exact_system *system, sn_impact_spot *spots, int count, int first,
                        double left, double *change)
{
    int chosen = choose_struck(spots, count, &spots[first], left);
    if (strike_once(system, spots, count, chosen, change) || chosen == 1) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        spots[i].strikes = i == first;
    }
    strike_once(system, spots, count, 1, change);
}

// All strikes of one moment, at most so many.
static int strike_all(const sn_exact_system *system, sn_impact_spot *spots, int count, double left,
                      int most, double *change)
{
    int strikes = 0;
    double least = -1.0;
    while (strikes < most) {
        int first = strongest(system, spots, count, least);
        if (first < 0) {
            break;
        }
        if (least < 0.0) { // what is a millionth of the first is left to the solver
            const sn_exact_block *block = &system->blocks.data[spots[first].block];
            least = -1e-6 * spots[first].u_now.x * block->scale[0];
        }
        strike_from(system, spots, count, first, left, change);
        for (int i = 0; i < count; ++i) {
            sn_impact_spot *spot = &spots[i];
            if (spot->strikes) {
                double share = left / spot->after;
                spot->strike = sn_vec3_add(spot->strike, spot->struck);
                spot->later = sn_vec3_add_scaled(spot->later, 1.0 - share, spot->struck);
                refresh(system, spots, count, &system->blocks.data[spot->block], change);
            }
        }
        ++strikes;
    }
    return strikes;
}

// ---- one after another ----

static void move_on(sn_impact_spot *spots, int count, double t)
{
    for (int i = 0; i < count; ++i) {
        sn_impact_spot *spot = &spots[i];
        double a = spot->rate.x;
        spot->gap_now += (spot->u_now.x + 0.5 * a * t) * t;
        // What comes down without a rebound rests there, by the solver's doing.
        spot->gap_now = spot->gap_now > 0.0 ? spot->gap_now : 0.0;
        spot->u_now = sn_vec3_add_scaled(spot->u_now, t, spot->rate);
        spot->u_before_events = sn_vec3_add_scaled(spot->u_before_events, t, spot->rate);
    }
}

static void begin_spots(const sn_exact_system *system, sn_impact_spot *spots, int count,
                        double *change)
{
    memset(change, 0, (size_t)system->v.count * sizeof *change);
    for (int i = 0; i < count; ++i) {
        spots[i].strike = spots[i].later = SN_VEC3_ZERO;
        spots[i].gap_now = spots[i].gap > 0.0 ? spots[i].gap : 0.0;
        spots[i].u_now = spots[i].u_before_events = spots[i].start;
    }
}

// Things wedged in rattle without end: what is left of it is the solver's. A strike is felt by all,
// so the more there are, the fewer.
static int most_strikes(int count)
{
    enum { MOST_FELT = 200000 };
    int most = 40 * count + 100, felt = count > 0 ? MOST_FELT / count : most;
    return most < felt ? most : felt;
}

int sn_impact_now(const sn_exact_system *system, sn_impact_spot *spots, int count, double *change)
{
    for (int i = 0; i < count; ++i) {
        spots[i].gap = spots[i].touching = 0.0;
        spots[i].rate = SN_VEC3_ZERO;
        spots[i].after = 1.0;
    }
    begin_spots(system, spots, count, change);
    return strike_all(system, spots, count, 1.0, most_strikes(count), change);
}

int sn_impact_run(const sn_exact_system *system, sn_impact_spot *spots, int count, double h,
                  double *change)
{
    begin_spots(system, spots, count, change);
    int strikes = 0, moments = 0, most_moments = 4 * count + 8;
    int most_at_once = most_strikes(count), most = 4 * most_at_once;
    double now = 0.0;
    while (moments++ < most_moments && strikes < most) {
        double next = -1.0;
        int first = -1;
        for (int i = 0; i < count; ++i) {
            const sn_impact_spot *spot = &spots[i];
            double t = time_of_strike(spot, spot->gap_now, spot->u_now.x, h - now);
            if (t >= 0.0 && (first < 0 || t < next)) {
                next = t;
                first = i;
            }
        }
        if (first < 0) {
            break;
        }
        move_on(spots, count, next);
        now += next;
        spots[first].gap_now = 0.0;
        strikes += strike_all(system, spots, count, h - now, most_at_once, change);
    }
    return strikes;
}
