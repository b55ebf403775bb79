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

// The impulse that turns u into -e u along the normal; less e where friction would add energy:
// dE = p (u + W p / 2).
static sn_vec3 strike_impulse(const sn_exact_block *block, sn_vec3 u, double e)
{
    sn_vec3 p = SN_VEC3_ZERO;
    for (int turn = 0; turn < 8; ++turn) {
        sn_vec3 b = {(1.0 + e) * u.x, u.y, u.z};
        p = SN_VEC3_ZERO;
        sn_cone_solve(&block->w, b, block->friction, &p);
        double gained = sn_dot(p, sn_vec3_add_scaled(u, 0.5, sn_sym3_apply(&block->w, p)));
        if (gained <= 1e-14 * fabs(sn_dot(p, u))) {
            return p;
        }
        e = turn < 6 ? 0.5 * e : 0.0;
    }
    return p;
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

// All strikes of one moment, at most so many.
static int strike_all(const sn_exact_system *system, sn_impact_spot *spots, int count, double left,
                      int most, double *change)
{
    int strikes = 0;
    double least = -1.0;
    while (strikes < most) {
        int i = strongest(system, spots, count, least);
        if (i < 0) {
            break;
        }
        sn_impact_spot *spot = &spots[i];
        const sn_exact_block *block = &system->blocks.data[spot->block];
        if (least < 0.0) { // what is a millionth of the first is left to the solver
            least = -1e-6 * spot->u_now.x * block->scale[0];
        }
        double e = rebound(spot, spot->u_now.x, left), share = left / spot->after;
        sn_vec3 p = strike_impulse(block, spot->u_now, e);
        spot->strike = sn_vec3_add(spot->strike, p);
        spot->later = sn_vec3_add_scaled(spot->later, 1.0 - share, p);
        sn_exact_push_into(system, block, p, change);
        refresh(system, spots, count, block, change);
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

int sn_impact_run(const sn_exact_system *system, sn_impact_spot *spots, int count, double h,
                  double *change)
{
    memset(change, 0, (size_t)system->v.count * sizeof *change);
    for (int i = 0; i < count; ++i) {
        spots[i].strike = spots[i].later = SN_VEC3_ZERO;
        spots[i].gap_now = spots[i].gap > 0.0 ? spots[i].gap : 0.0;
        spots[i].u_now = spots[i].u_before_events = spots[i].start;
    }
    // Things wedged in rattle without end: what is left of it is the solver's. A strike is felt by
    // all, so the more there are, the fewer.
    enum { MOST_FELT = 200000 };
    int strikes = 0, moments = 0, most_moments = 4 * count + 8;
    int most_at_once = 40 * count + 100, most = 4 * most_at_once;
    int least = count > 0 ? MOST_FELT / count : most;
    most_at_once = most_at_once < least ? most_at_once : least;
    most = most < 4 * least ? most : 4 * least;
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
