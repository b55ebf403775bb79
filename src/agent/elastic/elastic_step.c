// The step of an elastic body: see elastic.h.
#include <math.h>
#include <string.h>

#include "agent/elastic/elastic.h"
#include "math/dense.h"

enum { STRIDE = SN_SOLID_STRIDE };

static size_t bytes_of(const sn_elastic_item *item)
{
    return (size_t)(STRIDE * item->mass.vertex_count) * sizeof(double);
}

static bool is_explicit(const sn_agent *head)
{
    return head->integrator == SN_INTEGRATOR_SYMPLECTIC_EULER;
}

static bool steps(const sn_agent *head)
{
    return !sn_integrator_is_staged(head->integrator) && !head->held;
}

bool sn_elastic_is_midpoint(const sn_agent *head)
{
    return head->integrator == SN_INTEGRATOR_LIE_MIDPOINT && !head->whole;
}

double sn_elastic_time(const sn_agent_set *set, int agent, double h)
{
    const sn_agent *head = &set->agents[agent];
    return sn_elastic_is_midpoint(head) ? 0.5 * h : (is_explicit(head) ? 0.0 : h);
}

// How much of a change of velocity acts where the rule looks at forces.
static double share_of(const sn_agent_set *set, int agent)
{
    return sn_elastic_is_midpoint(&set->agents[agent]) ? 0.5 : 1.0;
}

// Behind an agent's positions: what has flowed.
static double *flow_of(const sn_agent_set *set, int agent)
{
    return sn_agent_q(set, agent) + set->agents[agent].v_count;
}

void sn_elastic_follow_flow(const sn_agent_set *set, int agent)
{
    sn_solid_plastic_set(sn_elastic_item_of(set, agent)->solid, flow_of(set, agent));
}

// ---- forces ----

void sn_elastic_find_outer(const sn_agent_set *set, int agent, sn_vec3 gravity, double *outer)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *push = set->joint_force + set->agents[agent].v_first;
    const sn_spatial *wrench = sn_agent_force(set, agent);
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        double *f = outer + STRIDE * i, m = item->row_mass[i];
        f[0] = push[STRIDE * i] + m * gravity.x;
        f[1] = push[STRIDE * i + 1] + m * gravity.y;
        f[2] = push[STRIDE * i + 2] + m * gravity.z;
        f[3] = 0.0;
    }
    if (sn_spatial_dot(*wrench, *wrench) > 0.0) {
        sn_elastic_spread(set, agent, wrench, outer);
    }
}

// Adds what the material does at x and v, but for Rayleigh's share of stiffness. `freeze`: axes are
// frozen there, too.
static void add_inner(const sn_agent_set *set, const sn_elastic_item *item, const double *x,
                      const double *v, bool freeze, double *f)
{
    if (freeze) {
        sn_solid_set_damping(item->solid, 1.0, 0.0, NULL, 0, false);
        sn_solid_add_forces_frozen(item->solid, set->threads, x, f);
    } else {
        sn_solid_add_forces(item->solid, set->threads, x, f);
    }
    if (item->viscosities != NULL) {
        sn_solid_add_viscous_forces(item->solid, item->viscosities, item->material_count,
                                    item->viscosity_now, x, v, f);
    }
    if (item->rayleigh.mass_rate != 0.0) {
        sn_mass_add_product(&item->mass, STRIDE, -item->rayleigh.mass_rate, v, f);
    }
}

static void free_fixed(const sn_elastic_item *item, double *x)
{
    for (int i = 0; i < item->mass.vertex_count && item->fixed_count > 0; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[STRIDE * i + k] = item->fixed[i] >> k & 1 ? 0.0 : x[STRIDE * i + k];
        }
    }
}

// ---- implicit steps ----

// -b K v of Rayleigh's damping, with K at x. `kept`: the solid has been linearised there, as it is
// without viscosity, and nothing need be done again for A.
static bool add_stiffness_damping(const sn_agent_set *set, const sn_elastic_item *item,
                                  const double *x, const double *v, double *f, bool *kept)
{
    if (item->rayleigh.stiffness_time == 0.0) {
        return true;
    }
    if (!*kept) {
        sn_solid_set_damping(item->solid, 1.0, 0.0, NULL, 0, false);
        if (sn_solid_linearise(item->solid, set->threads, x, item->stiffness, NULL) != SN_OK) {
            return false;
        }
    }
    sn_solid_add_product(item->solid, set->threads, -item->rayleigh.stiffness_time, v, f);
    *kept = item->viscosities == NULL;
    return true;
}

// t (t k + c) w w^T of a hand on the point of weights w.
static sn_status add_hand(const sn_elastic_item *item, sn_threads *threads,
                          const sn_elastic_hand *hand, double t)
{
    const sn_elastic_point *point = &hand->point;
    double scale = t * (t * hand->stiffness + hand->damping);
    sn_status status = SN_OK;
    for (int a = 0; a < point->count; ++a) {
        for (int b = 0; b <= a && status == SN_OK; ++b) { // and its twin
            double m = scale * point->weights[a] * point->weights[b];
            const double block[9] = {m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m};
            status = sn_linear_add_block(item->linear, threads, point->vertices[a],
                                         point->vertices[b], block, NULL);
        }
    }
    return status;
}

// What hands do less, where velocities change so: -s (t k + c) w w^T dv.
static void add_hands(const sn_elastic_item *item, double share, double t, const double *dv,
                      double *f)
{
    for (int i = 0; i < item->hands.count && item->held; ++i) {
        const sn_elastic_hand *hand = &item->hands.data[i];
        sn_vec3 change = SN_VEC3_ZERO;
        for (int k = 0; k < hand->point.count; ++k) {
            change = sn_vec3_add_scaled(change, hand->point.weights[k],
                                        sn_vec3_at(dv + STRIDE * hand->point.vertices[k]));
        }
        double less = -share * (t * hand->stiffness + hand->damping);
        sn_elastic_push(&hand->point, sn_vec3_scale(less, change), f);
    }
}

// A = (1 + t a) M + t (t + b) (K + D / (t + b)) at x.
sn_status sn_elastic_linearise(const sn_agent_set *set, const sn_elastic_item *item,
                               const double *x, double t, bool kept)
{
    sn_threads *threads = set->threads;
    double sum = t + item->rayleigh.stiffness_time;
    sn_status status = SN_OK;
    if (!kept) {
        sn_solid_set_damping(item->solid, 1.0, item->viscosities != NULL ? 1.0 / sum : 0.0,
                             item->viscosities, item->material_count, item->viscosity_now);
        status = sn_solid_linearise(item->solid, threads, x, item->stiffness, NULL);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_linear_begin(item->linear, threads, 1.0 + t * item->rayleigh.mass_rate, t * sum);
    for (int i = 0; i < item->hands.count && item->held && status == SN_OK; ++i) {
        status = add_hand(item, threads, &item->hands.data[i], t);
    }
    for (int i = 0; i < item->mass.vertex_count && item->dragged && status == SN_OK; ++i) {
        double block[9], most = 0.0;
        for (int k = 0; k < 9; ++k) {
            block[k] = t * item->drag[9 * i + k];
            most = fmax(most, fabs(block[k]));
        }
        status = most > 0.0 ? sn_linear_add_block(item->linear, threads, i, i, block, NULL) : SN_OK;
    }
    return status == SN_OK ? sn_linear_finish(item->linear, threads, item->fixed, x, NULL) : status;
}

double sn_elastic_square_sum(const sn_elastic_item *item, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

// `right` becomes h f - M dv, with f of where the change dv of velocity leads, which `place` gets.
// `first`: the solid is linearised there, too, where that costs little; see add_stiffness_damping
// for `kept`.
bool sn_elastic_find_lack(const sn_agent_set *set, int agent, double h, bool first, bool *kept)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *dv = item->change;
    double *place = item->place, *right = item->right;
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    double t = sn_elastic_time(set, agent, h);
    double share = share_of(set, agent);
    int count = STRIDE * item->mass.vertex_count;
    double *speed = item->impulse;
    for (int i = 0; i < count; ++i) {
        speed[i] = v[i] + share * dv[i];
        place[i] = q[i] + share * t * dv[i];
        right[i] = item->force[i];
    }
    for (int i = 0; i < item->mass.vertex_count && item->dragged; ++i) {
        for (int k = 0; k < 9; ++k) {
            right[STRIDE * i + k / 3] -= share * item->drag[9 * i + k] * dv[STRIDE * i + k % 3];
        }
    }
    add_hands(item, share, t, dv, right);
    if (item->bound && !item->on_linkage && sn_elastic_is_midpoint(&set->agents[agent]) &&
        sn_solid_widen(item->solid, set->threads, place, speed, h, NULL) != SN_OK) {
        return false;
    }
    *kept = first && item->stiffness == SN_STIFFNESS_FROZEN && item->viscosities == NULL;
    add_inner(set, item, place, speed, *kept, right);
    if (!add_stiffness_damping(set, item, place, speed, right, kept)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        right[i] *= h;
    }
    if (!first || item->barrier) { // else dv is 0
        sn_mass_add_product(&item->mass, STRIDE, -1.0, dv, right);
    }
    free_fixed(item, right);
    return true;
}

// Where the first linearisation left more than this of h f, another one follows always.
static const double NEWTON_RESIDUAL = 1e-12;
// Of several linearisations the first is solved to this share and the others to what is left of the
// tolerance of it (an inexact Newton method: R. Dembo, S. Eisenstat, T. Steihaug 1982): two take no
// more products than one.
static const double FORCING = 1e-2, LOOSEST = 0.1;
// A first one that leaves so many times the squares it found has gone astray: laws that become
// infinite at no volume do that in long steps.
static const double GONE = 4.0;
// One that left less than this share of squares did so with a matrix that is good for the next.
static const double GOOD_MATRIX = 1e-2;

// What conjugate gradients have not reached is told, not failed for. `first` is how large the right
// side of the step's first linearisation was, in the preconditioner's norm, or 0 for that one
// itself: it is solved to FORCING if others follow, and those to what is left of the tolerance of
// it. Other rows of the step are solved to the body's own.
void sn_elastic_solve(const sn_agent_set *set, sn_elastic_item *item, double *first)
{
    bool coarse = *first == 0.0 && item->newton > 1;
    memset(item->turn, 0, bytes_of(item));
    sn_linear_set_tolerance(item->linear, coarse ? fmax(item->tolerance, FORCING) : item->tolerance,
                            0);
    sn_linear_set_enough(item->linear, item->tolerance * *first, LOOSEST);
    sn_linear_solve(item->linear, set->threads, item->right, item->turn, NULL);
    sn_linear_set_tolerance(item->linear, item->tolerance, 0);
    sn_linear_set_enough(item->linear, 0.0, 0.0);
    sn_linear_statistics done = sn_linear_statistics_of(item->linear);
    *first = *first > 0.0 ? *first : done.size;
    item->iterations += done.iterations;
    item->residual = *first > 0.0 ? done.residual * (done.size / *first) : 0.0;
    item->newtons += 1;
}

// Whether the second turn need not be looked at: with matrices held it leaves the same share of
// what it finds as the first did, about, and half of what is allowed would be left by that. Of both
// the decrement of Newton's method counts, g . A^-1 g: lengths of g follow the stiffest modes, and
// what little is left of those may be all there is of the softest and lead these anywhere.
static bool is_sure(const sn_elastic_item *item, double first, double now)
{
    return !item->barrier && now < 0.5 * item->newton_tolerance * first;
}

// Newton's method may look where an element has this share of its volume left, a step may end where
// it has this one.
static const double KEPT_IN_TURN = 0.2, KEPT_IN_STEP = 0.1;

// Where the velocity at the start would lead an element through zero volume, the search begins with
// less of it: x0 + s t v.
void sn_elastic_begin_safely(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *x0 = set->q_last + set->agents[agent].q_first, *v = sn_agent_v(set, agent);
    double s =
        sn_solid_safe_share(item->solid, set->threads, x0, sn_agent_q(set, agent), KEPT_IN_TURN);
    for (int i = 0; i < STRIDE * item->mass.vertex_count && s < 1.0; ++i) {
        item->change[i] = -(1.0 - s) / share_of(set, agent) * v[i];
    }
}

// How far the change of velocity may go from one that is safe to another.
double sn_elastic_safe_share(sn_agent_set *set, int agent, const double *from, const double *to)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent);
    double way = share_of(set, agent) * sn_elastic_time(set, agent, item->step);
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        item->place[i] = q[i] + way * from[i];
        item->right[i] = q[i] + way * to[i];
    }
    return sn_solid_safe_share(item->solid, set->threads, item->place, item->right, KEPT_IN_TURN);
}

// Cuts a turn short that would lead an element through zero volume.
static void turn_safely(sn_agent_set *set, int agent, double t)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double way = share_of(set, agent) * t;
    int count = STRIDE * item->mass.vertex_count;
    for (int i = 0; i < count; ++i) {
        item->right[i] = item->place[i] + way * item->turn[i];
    }
    double s =
        sn_solid_safe_share(item->solid, set->threads, item->place, item->right, KEPT_IN_TURN);
    for (int i = 0; i < count && s < 1.0; ++i) {
        item->turn[i] *= s;
    }
}

void sn_elastic_take_turn(sn_agent_set *set, int agent, double t)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    if (item->barrier) {
        turn_safely(set, agent, t);
    }
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        item->change[i] += item->turn[i];
    }
}

int sn_elastic_failure(sn_status status)
{
    return status == SN_OK             ? SN_FAILURE_NONE
           : status == SN_ERROR_MEMORY ? SN_FAILURE_MEMORY
                                       : SN_FAILURE_TOO_FAST;
}

// What momentum lacks at `change`, times the turn. Where the turn is A^-1 of that it is Newton's
// decrement: twice what the potential whose gradient it is (elastic_lean.c) would lose by the turn.
static double work_along_turn(const sn_elastic_item *item)
{
    double along = 0.0;
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        along += item->right[i] * item->turn[i];
    }
    return along;
}

// By the length of the turn: how steeply that potential goes down.
static double slope_along_turn(const sn_elastic_item *item)
{
    double square = sn_elastic_square_sum(item, item->turn);
    return square > 0.0 ? work_along_turn(item) / sqrt(square) : 0.0;
}

static void scale_turn(sn_elastic_item *item, double share)
{
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        double rest = share * item->turn[i];
        item->change[i] -= item->turn[i] - rest;
        item->turn[i] = rest;
    }
}

// Where Newton's method stands: the squares of what momentum lacked before the last turn, how
// steeply the potential went down along it, its decrement, and the squares after it.
typedef struct newton_search {
    double last, slope, decrement, now;
    bool kept; // see sn_elastic_find_lack
} newton_search;

static bool look(sn_agent_set *set, int agent, double h, newton_search *search)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    if (!sn_elastic_find_lack(set, agent, h, false, &search->kept)) {
        return false;
    }
    search->now = sn_elastic_square_sum(item, item->right);
    return true;
}

// Whether a turn leaves more than it found and goes up again by more than a share of how it went
// down. What is not a number does.
static bool leads_up(const sn_elastic_item *item, const newton_search *search)
{
    const double uphill = 0.5;
    return !(search->now < search->last) && !(slope_along_turn(item) >= -uphill * search->slope);
}

// A turn that leaves more than it found is halved, a few times: what momentum lacks may have to
// grow, since a linear turn that bends a thin body stretches it by the square of the angle. One
// that even then leads up is shortened to where the slope, taken as linear along it, is zero, until
// it does not: A is positive, so it goes down at first. One that still leads up is taken back.
// False when memory runs out.
static bool shorten_turn(sn_agent_set *set, int agent, double h, newton_search *search)
{
    enum { HALVINGS = 4, SHORTENINGS = 6 };
    const double shortest = 0.1, longest = 0.7;
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    for (int k = 0; k < HALVINGS && !(search->now < search->last); ++k) {
        scale_turn(item, 0.5);
        if (!look(set, agent, h, search)) {
            return false;
        }
    }
    for (int k = 0; k < SHORTENINGS && leads_up(item, search); ++k) {
        double share = search->slope / (search->slope - slope_along_turn(item));
        scale_turn(item, fmin(fmax(share, shortest), longest));
        if (!look(set, agent, h, search)) {
            return false;
        }
    }
    if (!leads_up(item, search)) {
        return true;
    }
    scale_turn(item, 0.0);
    bool looked = look(set, agent, h, search);
    if (looked && !isfinite(search->now)) { // not even what it began with is left
        memset(item->change, 0, bytes_of(item));
        looked = look(set, agent, h, search);
    }
    return looked;
}

void sn_elastic_count_unconverged(sn_agent_set *set, int agent, double residual)
{
    sn_agent *head = &set->agents[agent];
    double most = isfinite(residual) ? residual : 1.0;
    sn_agent_count(head, SN_COUNTER_UNCONVERGED);
    head->residual = fmaxf(head->residual, (float)most);
}

// Whether what Newton's method leaves can be seen: below the energy of moving by a hundred
// thousandth of the radius in a step it is rounding, as of a body at rest, whose first residual is
// nothing else.
static bool is_unconverged(const sn_elastic_item *item, double h, double decrement)
{
    const double negligible = 1e-5;
    double speed = negligible * item->radius / h;
    return item->residual > item->newton_tolerance &&
           !(decrement <= 0.5 * item->mass.total * speed * speed);
}

static void turn_once(sn_agent_set *set, int agent, double t, double *size, newton_search *search)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_elastic_solve(set, item, size);
    search->slope = slope_along_turn(item);
    search->decrement = work_along_turn(item);
    sn_elastic_take_turn(set, agent, t);
}

// The change of velocity with nothing in the way, into `change`; `force` has what acts from
// outside. Where the material is so far gone that there is no factor, the turns before it must do.
static int implicit_change(sn_agent_set *set, int agent, double h)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double t = sn_elastic_time(set, agent, h);
    newton_search search;
    memset(item->change, 0, bytes_of(item));
    if (item->barrier) {
        sn_elastic_begin_safely(set, agent);
    }
    if (!sn_elastic_find_lack(set, agent, h, true, &search.kept)) {
        return SN_FAILURE_MEMORY;
    }
    sn_status status = sn_elastic_linearise(set, item, item->place, t, search.kept);
    if (status != SN_OK) {
        return sn_elastic_failure(status);
    }
    double first = sn_elastic_square_sum(item, item->right), size = 0.0;
    search.last = first;
    turn_once(set, agent, t, &size, &search);
    double decrement = search.decrement;
    for (int turn = 1; turn <= item->newton && item->newton > 1; ++turn) {
        if (!look(set, agent, h, &search)) {
            return SN_FAILURE_MEMORY;
        }
        if ((turn > 1 || item->barrier || !(search.now <= GONE * search.last)) &&
            !shorten_turn(set, agent, h, &search)) {
            return SN_FAILURE_MEMORY;
        }
        item->residual = sqrt(search.now / (first > 0.0 ? first : 1.0));
        double enough = turn > 1 ? item->newton_tolerance : NEWTON_RESIDUAL;
        if (!(item->residual > enough) || (turn > 1 && !(search.now < search.last)) ||
            turn == item->newton) {
            if (is_unconverged(item, h, search.decrement)) {
                sn_elastic_count_unconverged(set, agent, item->residual);
            }
            break;
        }
        bool fresh = (item->viscosities != NULL && item->rayleigh.stiffness_time != 0.0) ||
                     !(search.now < GOOD_MATRIX * search.last);
        status = fresh ? sn_elastic_linearise(set, item, item->place, t, search.kept) : SN_OK;
        if (status != SN_OK) {
            sn_elastic_count_unconverged(set, agent, item->residual);
            return sn_elastic_failure(
                status == SN_ERROR_MEMORY
                    ? status
                    : sn_elastic_linearise(set, item, sn_agent_q(set, agent), t, false));
        }
        search.last = search.now;
        turn_once(set, agent, t, &size, &search);
        if (turn == 1 && is_sure(item, decrement, search.decrement)) {
            break;
        }
    }
    return SN_FAILURE_NONE;
}

static void explicit_change(sn_agent_set *set, int agent, double h)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    memcpy(item->right, item->force, bytes_of(item));
    add_inner(set, item, q, v, false, item->right);
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        item->right[i] *= h;
    }
    free_fixed(item, item->right);
    if (item->inertia != NULL) {
        memset(item->change, 0, bytes_of(item));
        sn_linear_solve(item->inertia, set->threads, item->right, item->change, NULL);
        return;
    }
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        item->change[i] = item->right[i] / item->mass.diagonal[i / STRIDE];
    }
}

// ---- the step ----

void sn_elastic_begin(sn_agent_set *set, int first, int last, double h)
{
    for (int agent = first; agent < last; ++agent) {
        sn_elastic_item *item = sn_elastic_item_of(set, agent);
        sn_elastic_memory *memory = sn_elastic_memory_of(set, agent);
        item->held = item->dragged = false; // forces are yet to come; a step that failed left these
        set->agents[agent].whole = memory->parted != 0.0 && item->linear != NULL &&
                                   item->grips.count > 0 &&
                                   set->agents[agent].integrator == SN_INTEGRATOR_LIE_MIDPOINT;
        memory->parted = 0.0;
        double t = sn_elastic_time(set, agent, h);
        double *q = sn_agent_q(set, agent);
        const double *v = sn_agent_v(set, agent);
        if (!steps(&set->agents[agent])) {
            continue;
        }
        sn_solid_plastic_flow(sn_elastic_item_of(set, agent)->solid, set->threads, h, q,
                              flow_of(set, agent));
        for (int i = 0; i < set->agents[agent].v_count; ++i) {
            q[i] += t * v[i];
        }
    }
}

bool sn_elastic_is_free(const sn_elastic_item *item)
{
    return !item->bound && item->fixed_count == 0 && item->rayleigh.mass_rate == 0.0 &&
           !item->held && !item->dragged;
}

// The velocity at the end with nothing in the way; `force` has what acts from outside.
int sn_elastic_find_velocity(sn_agent_set *set, int agent, double h)
{
    sn_agent *head = &set->agents[agent];
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *v = sn_agent_v(set, agent);
    if (is_explicit(head)) {
        explicit_change(set, agent, h);
    } else {
        int failure =
            item->leans ? sn_elastic_begin_leaning(set, agent) : implicit_change(set, agent, h);
        if (failure != SN_FAILURE_NONE) {
            return failure;
        }
    }
    for (int i = 0; i < head->v_count; ++i) {
        v[i] += item->change[i];
        item->impulse[i] = h * item->force[i];
    }
    if (sn_elastic_is_free(item)) {
        sn_elastic_restore_momentum(set, agent,
                                    sn_elastic_is_midpoint(head) ? sn_agent_q(set, agent)
                                                                 : set->q_last + head->q_first);
    }
    return SN_FAILURE_NONE;
}

void sn_elastic_free_step(sn_agent_set *set, int first, int last, sn_vec3 gravity, double h)
{
    for (int agent = first; agent < last; ++agent) {
        sn_agent *head = &set->agents[agent];
        sn_elastic_item *item = sn_elastic_item_of(set, agent);
        item->pushed = item->answers = item->truncated = item->placed = item->gained = false;
        if (!steps(head)) {
            continue;
        }
        item->step = h;
        item->leans =
            item->linear != NULL && !is_explicit(head) && (item->bound || item->grips.count > 0);
        item->iterations = item->newtons = 0;
        sn_solid_use_wide(item->solid, false);
        sn_elastic_follow_flow(set, agent);
        sn_elastic_find_outer(set, agent, gravity, item->force);
        int failure = sn_elastic_find_velocity(set, agent, h);
        if (failure == SN_FAILURE_NONE && item->grips.count == 0 && !item->held && !item->dragged &&
            !is_explicit(head)) {
            failure = sn_elastic_check_gain(set, agent, h);
        }
        head->failed = (uint8_t)failure;
        item->pushed = failure == SN_FAILURE_NONE;
    }
}

// What the material, contacts and bonds made of the step together may still lead an element through
// zero volume: the body then stops before, velocities with it.
static void end_safely(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    const double *q0 = set->q_last + set->agents[agent].q_first;
    double s = sn_solid_safe_share(item->solid, set->threads, q0, q, KEPT_IN_STEP);
    item->truncated = item->truncated || s < 1.0;
    for (int i = 0; i < set->agents[agent].v_count && s < 1.0; ++i) {
        q[i] = q0[i] + s * (q[i] - q0[i]);
        v[i] *= s;
    }
}

void sn_elastic_find_end(const sn_agent_set *set, int agent, double h, double *end)
{
    const sn_agent *head = &set->agents[agent];
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    const double *q0 = set->q_last + head->q_first;
    bool midpoint = sn_elastic_is_midpoint(head);
    for (int i = 0; i < head->v_count; ++i) {
        end[i] = midpoint ? q[i] + 0.5 * h * v[i] : q0[i] + h * v[i];
    }
}

void sn_elastic_move(sn_agent_set *set, int agent, double h)
{
    sn_elastic_find_end(set, agent, h, sn_agent_q(set, agent));
    if (sn_elastic_item_of(set, agent)->barrier) {
        end_safely(set, agent);
    }
}

void sn_elastic_advance(sn_agent_set *set, int first, int last, double h)
{
    for (int agent = first; agent < last; ++agent) {
        sn_elastic_item *item = sn_elastic_item_of(set, agent);
        sn_solid_use_wide(item->solid, false);
        if (!steps(&set->agents[agent]) || !item->pushed) {
            continue;
        }
        if (!item->placed) {
            sn_elastic_move(set, agent, h);
        }
        if (item->leans) {
            sn_elastic_settle_gain(set, agent);
        }
        if (set->agents[agent].whole) {
            sn_agent_count(&set->agents[agent], SN_COUNTER_EULER);
        }
        if (item->truncated) {
            sn_agent_count(&set->agents[agent], SN_COUNTER_TRUNCATED);
        }
        item->pushed = false;
        item->was_held = item->held || item->dragged;
        item->held = item->dragged = false;
    }
}

// ---- what else is asked ----

void sn_elastic_rate(const sn_agent_set *set, int agent, sn_vec3 gravity, double *q_rate,
                     double *v_rate)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    double *f = item->force;
    sn_elastic_follow_flow(set, agent);
    sn_elastic_find_outer(set, agent, gravity, f);
    add_inner(set, item, q, v, false, f);
    bool kept = false;
    add_stiffness_damping(set, item, q, v, f, &kept);
    free_fixed(item, f);
    memcpy(q_rate, v, bytes_of(item));
    free_fixed(item, q_rate);
    sn_solid_plastic_rate(item->solid, set->threads, q, flow_of(set, agent),
                          q_rate + set->agents[agent].v_count);
    if (item->inertia != NULL) {
        memset(v_rate, 0, bytes_of(item));
        sn_linear_solve(item->inertia, set->threads, f, v_rate, NULL);
    }
    for (int i = 0; i < STRIDE * item->mass.vertex_count && item->inertia == NULL; ++i) {
        v_rate[i] = f[i] / item->mass.diagonal[i / STRIDE];
    }
    if (item->bonds.count > 0 && !sn_elastic_hold_rate(set, agent, v_rate)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
    }
}
