// Elastic bodies with bonds or contacts.
//
// Where these lead is far from where a body would go by itself, its stresses and axes with it: a
// light one that carries a heavy weight, a thin one on a quick arm, a bell that is pressed flat. So
// nothing is gained by finding its free motion well, and much is lost by linearising there: what
// rests would rest elsewhere, and what is pressed hard explode. With g(dv) = h f - M dv what
// momentum lacks at a change dv of velocity, and p the impulses of bonds and contacts, Newton's
// method on g(dv) + p = 0 and on what bonds ask of v0 + dv goes
//
//     free velocity   v0 + dv_k + A^-1 g(dv_k), with A at dv_k
//     solver          p, v = free velocity + A^-1 p, which bonds are content with
//     next            dv_k+1 = v - v0
//
// What bonds ask is linear, so every dv_k after the first keeps to it, however far from the end: a
// patch on a rigid body moves rigidly at once. (Newton's method on p alone, from where impulses
// lead a body that nothing holds, was tried and does not: patches of stiff bodies are torn by it.)
//
// The midpoint rule may give energy to what it does not resolve, such as a thin leaf that bends and
// stretches (elastic.h). What a step gives beyond the work of forces and impulses,
//
//     E1 - E0 - (f + p / h) . (x1 - x0),
//
// is known here and kept as an account. A step that would overdraw it, or that is not found, is
// made by Euler's rule instead, x1 = x0 + h v1: it is `whole`.
#include <math.h>
#include <string.h>

#include "agent/elastic/elastic.h"

enum { STRIDE = SN_SOLID_STRIDE };

// Newton's method goes on until this share is left of what momentum lacked at first, and for so
// many turns. Contacts change from step to step, so that digits are lost on them; at rest the first
// linearisation is that of the solution, and nothing is left.
static const double ENOUGH = 1e-5, ENOUGH_IN_TOUCH = 1e-2;
enum { TURNS = 12, SHORTENINGS = 6 };
// A turn that left less than this share of squares did so with a matrix that is good for the next.
static const double GOOD_MATRIX = 1e-2;

// A turn may end where it goes up by this share of how it went down at first. One that is shortened
// keeps at least and at most these shares.
static const double UPHILL = 0.5, SHORTEST = 0.1, LONGEST = 0.7;

// A body may have gained this share of its energy but for that of its mean motion: of the most that
// it has had of late, by a memory that fades by so much a step.
static const double MOST_GAIN = 0.05, FADING = 0.98;
static const double ROUNDING = 1e-10; // of energies that are told apart

static int count_of(const sn_elastic_item *item)
{
    return STRIDE * item->mass.vertex_count;
}

static size_t bytes_of(const sn_elastic_item *item)
{
    return (size_t)count_of(item) * sizeof(double);
}

// A turn with the A of now, whose answers to all grips are asked for next.
static sn_status find_turn(sn_agent_set *set, sn_elastic_item *item)
{
    double exactly = 1.0;
    sn_status status = sn_linear_expect(item->linear, set->threads, 3 * item->grips.count, NULL);
    if (status == SN_OK) {
        sn_elastic_solve(set, item, &exactly);
    }
    return status;
}

// ---- the first turn ----

// From v = v0, with q = x*.
static int begin_turns(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double t = sn_elastic_time(set, agent, item->step);
    bool kept;
    memset(item->change, 0, bytes_of(item));
    item->turns = 0;
    if (item->barrier) {
        sn_elastic_begin_safely(set, agent);
    }
    memcpy(item->bend, item->change, bytes_of(item));
    if (!sn_elastic_find_lack(set, agent, item->step, true, &kept)) {
        return SN_FAILURE_MEMORY;
    }
    sn_status status = sn_elastic_linearise(set, item, item->place, t, kept);
    if (status != SN_OK) {
        return sn_elastic_failure(status);
    }
    memcpy(item->lean, item->right, bytes_of(item));
    item->first_lack = sn_elastic_square_sum(item, item->right);
    item->lack = INFINITY;
    status = find_turn(set, item);
    if (status != SN_OK) {
        return sn_elastic_failure(status);
    }
    sn_elastic_take_turn(set, agent, t);
    return SN_FAILURE_NONE;
}

int sn_elastic_begin_leaning(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    memcpy(item->v_start, sn_agent_v(set, agent), bytes_of(item));
    item->gain = item->stake_now = 0.0;
    return begin_turns(set, agent);
}

// ---- what a step gains ----

static double inner_energy(const sn_elastic_item *item, const sn_measure *measure)
{
    double mean = 0.5 * sn_dot(measure->momentum, measure->momentum) / item->mass.total;
    return measure->kinetic - mean + measure->potential;
}

// With the impulses `turn` and the change of velocity `change`.
static void find_gain(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q0 = set->q_last + set->agents[agent].q_first, *v0 = item->v_start;
    const double *q = sn_agent_q(set, agent);
    double h = item->step, work = 0.0;
    double *x1 = item->place, *v1 = item->impulse;
    for (int i = 0; i < count_of(item); ++i) {
        v1[i] = v0[i] + item->change[i];
        x1[i] = q[i] + 0.5 * h * v1[i];
        work += (item->force[i] + item->turn[i] / h) * (x1[i] - q0[i]);
    }
    sn_measure start, end;
    sn_elastic_measure_at(set, agent, SN_VEC3_ZERO, q0, v0, &start);
    sn_elastic_measure_at(set, agent, SN_VEC3_ZERO, x1, v1, &end);
    item->gain = end.kinetic + end.potential - start.kinetic - start.potential - work;
    item->stake_now = fmax(FADING * sn_elastic_memory_of(set, agent)->stake,
                           fmax(inner_energy(item, &start), inner_energy(item, &end)));
    // Of what falls unbent nothing but rounding is at stake.
    item->gain -= ROUNDING * (start.kinetic + end.kinetic + fabs(work));
}

void sn_elastic_settle_gain(sn_agent_set *set, int agent)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_elastic_memory *memory = sn_elastic_memory_of(set, agent);
    bool midpoint = sn_elastic_is_midpoint(&set->agents[agent]);
    memory->account = midpoint ? fmax(0.0, memory->account + item->gain) : 0.0;
    memory->stake = midpoint ? item->stake_now : FADING * memory->stake;
}

// The step anew by Euler's rule, from v = v0.
static bool go_whole(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_agent *head = &set->agents[agent];
    const double *q0 = set->q_last + head->q_first;
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    head->whole = 1;
    item->answers = false;
    sn_solid_use_wide(item->solid, false);
    for (int i = 0; i < count_of(item); ++i) {
        q[i] = q0[i] + item->step * v[i];
    }
    head->failed = (uint8_t)begin_turns(set, agent);
    item->pushed = head->failed == SN_FAILURE_NONE;
    for (int i = 0; i < count_of(item) && item->pushed; ++i) {
        v[i] += item->change[i];
    }
    return item->pushed;
}

// `found`: the turns have come to an end.
static bool is_overdrawn(sn_agent_set *set, int agent, bool found)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    if (!sn_elastic_is_midpoint(&set->agents[agent])) {
        return false;
    }
    find_gain(set, agent);
    double account = sn_elastic_memory_of(set, agent)->account;
    return !found || !(account + item->gain <= MOST_GAIN * item->stake_now);
}

// ---- further turns ----

// g + p at `change` and the impulses `turn`, into `right`.
static bool find_rest(sn_agent_set *set, int agent, double *rest)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    bool kept;
    if (!sn_elastic_find_lack(set, agent, item->step, false, &kept)) {
        return false;
    }
    for (int i = 0; i < count_of(item); ++i) {
        item->right[i] += item->turn[i];
    }
    *rest = sn_elastic_square_sum(item, item->right);
    return true;
}

// This share of the way from where it was linearised last.
static void turn_back(sn_elastic_item *item, double share)
{
    for (int i = 0; i < count_of(item); ++i) {
        item->change[i] = item->bend[i] + share * (item->change[i] - item->bend[i]);
    }
}

// Cuts short what would lead an element through zero volume. False when it did.
static bool turn_safely(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double share =
        item->barrier ? sn_elastic_safe_share(set, agent, item->bend, item->change) : 1.0;
    if (share < 1.0) {
        turn_back(item, share);
    }
    return !(share < 1.0);
}

// How steeply it still goes down along the turn, there and where that began.
static double slope_of(const sn_elastic_item *item, double *first)
{
    double now = 0.0;
    *first = 0.0;
    for (int i = 0; i < count_of(item); ++i) {
        double way = item->change[i] - item->bend[i];
        now += item->right[i] * way;
        *first += (item->lean[i] + item->turn[i]) * way;
    }
    return now;
}

typedef enum verdict { FOUND, LEFT, LOST } verdict;

// With impulses held, a body has the least of a potential whose gradient is -(g + p), of which
// every turn goes down at first: A is positive. (What is lacking itself may grow on the best way,
// where the stiffness of the law is not.) A turn that has gone so far that this goes up again, by
// more than a share of how it went down, is shortened.
static bool find_end(sn_agent_set *set, int agent, double *rest, bool *all)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    for (int k = 0; k < SHORTENINGS; ++k) {
        double first, now = slope_of(item, &first);
        if (now >= -UPHILL * fabs(first)) {
            return true;
        }
        turn_back(item, fmin(fmax(first / (first - now), SHORTEST), LONGEST));
        *all = false;
        if (!find_rest(set, agent, rest)) {
            return false;
        }
    }
    return true;
}

// How good `change` is with the impulses `turn`. LEFT: it is where to linearise next, or that is
// some part of the way there, with what is missing in `right`.
static verdict judge(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    bool all = turn_safely(set, agent);
    double rest;
    if (!find_rest(set, agent, &rest)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
        return LOST;
    }
    if (item->lack == INFINITY) {
        item->first_lack = fmax(item->first_lack, rest);
    }
    double enough = item->bound ? ENOUGH : ENOUGH_IN_TOUCH;
    if (all && isfinite(rest) && rest <= enough * enough * item->first_lack) {
        return FOUND;
    }
    if (++item->turns > TURNS || !isfinite(rest)) {
        return LOST;
    }
    if (!find_end(set, agent, &rest, &all)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
        return LOST;
    }
    item->answers = all && rest < GOOD_MATRIX * item->lack;
    item->lack = rest;
    return LEFT;
}

// Where there is no factor it stays linearised as it was.
static bool stay(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double t = sn_elastic_time(set, agent, item->step);
    bool kept;
    sn_elastic_count_unconverged(set, agent, sqrt(item->lack / item->first_lack));
    memcpy(item->change, item->bend, bytes_of(item));
    item->answers = true; // and what it answers
    if (!sn_elastic_find_lack(set, agent, item->step, false, &kept)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
        return false;
    }
    sn_status status = sn_elastic_linearise(set, item, item->place, t, false);
    set->agents[agent].failed = (uint8_t)sn_elastic_failure(status);
    return false;
}

// Linearises there: v becomes the free velocity.
static bool turn_further(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *v = sn_agent_v(set, agent), t = sn_elastic_time(set, agent, item->step);
    if (!item->answers && sn_elastic_linearise(set, item, item->place, t, false) != SN_OK) {
        return stay(set, agent);
    }
    memcpy(item->bend, item->change, bytes_of(item));
    for (int i = 0; i < count_of(item); ++i) {
        item->right[i] -= item->turn[i];
        item->lean[i] = item->right[i];
    }
    if (find_turn(set, item) != SN_OK) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
        return false;
    }
    for (int i = 0; i < count_of(item); ++i) {
        v[i] += item->bend[i] + item->turn[i];
        item->impulse[i] = item->step * item->force[i];
    }
    if (sn_elastic_is_free(item)) {
        bool midpoint = sn_elastic_is_midpoint(&set->agents[agent]);
        sn_elastic_restore_momentum(
            set, agent, midpoint ? item->place : set->q_last + set->agents[agent].q_first);
    }
    return true;
}

// What contacts ask is not found: its free motion after all, and what A makes of impulses there.
static bool go_free(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_agent *head = &set->agents[agent];
    const double *q0 = set->q_last + head->q_first;
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    head->whole = 0;
    item->leans = item->answers = false;
    sn_solid_use_wide(item->solid, false);
    double t = sn_elastic_time(set, agent, item->step);
    for (int i = 0; i < count_of(item); ++i) {
        q[i] = q0[i] + t * v[i];
    }
    head->failed = (uint8_t)sn_elastic_find_velocity(set, agent, item->step);
    return head->failed == SN_FAILURE_NONE;
}

sn_lean sn_elastic_lean(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *v = sn_agent_v(set, agent), *free = item->q_start;
    memcpy(free, v, bytes_of(item));
    for (int i = 0; i < count_of(item); ++i) {
        item->change[i] += v[i] - item->v_start[i];
        item->turn[i] = item->right[i];
    }
    memcpy(v, item->v_start, bytes_of(item)); // where the turns begin
    verdict now = judge(set, agent);
    bool leant = now == LEFT ? turn_further(set, agent)
                             : is_overdrawn(set, agent, now == FOUND) && go_whole(set, agent);
    if (now == LOST && !leant && set->agents[agent].failed == SN_FAILURE_NONE) {
        sn_elastic_count_unconverged(set, agent, sqrt(item->lack / item->first_lack));
        leant = !item->bound && go_free(set, agent);
    }
    if (!leant) {
        memcpy(v, free, bytes_of(item));
        return SN_LEAN_DONE;
    }
    return now == LOST ? SN_LEAN_ANEW : SN_LEAN_ON;
}
