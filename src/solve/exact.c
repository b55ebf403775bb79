#include "solve/exact.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solve/seed_impulse.h"

// Tangential errors shrink by this share a step: with u1 = -RETURN x / h under the midpoint rule
// both eigenvalues of the error's recursion are 1/2 in size.
#define RETURN 0.5

// How far below the bound of friction an impulse must be, relative, for its point to stick; and how
// far a sticking point may be from its anchor, by the contact's size.
#define STICK_MARGIN 1e-9
#define ANCHOR_REACH 1e-8

sn_exact_problem sn_exact_default(void)
{
    return (sn_exact_problem){
        .limits = {.tolerance = 1e-11,
                   .start = 1e-10,
                   .enough = 1e-6,
                   .sweeps = 300,
                   .newton_steps = 60,
                   .newton_rows = 2000,
                   .work = 1e8},
    };
}

void sn_exact_free(sn_exact *exact)
{
    sn_exact_system_free(&exact->system);
    sn_array_free(&exact->spots);
    sn_array_free(&exact->impacts);
    sn_array_free(&exact->rows);
    sn_array_free(&exact->far);
    sn_array_free(&exact->free_v);
    sn_array_free(&exact->places);
    sn_array_free(&exact->total);
    sn_array_free(&exact->wishes);
    sn_array_free(&exact->start_v);
    sn_array_free(&exact->felt);
}

static sn_contact_point *spot_point(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    return &problem->contacts[spot->contact]->points[spot->point];
}

static sn_course_point *spot_course(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    return &problem->courses[spot->contact].points[spot->point];
}

static sn_vec3 to_world(const sn_vec3 axes[3], sn_vec3 p)
{
    sn_vec3 sum = sn_vec3_scale(p.x, axes[0]);
    return sn_vec3_add_scaled(sn_vec3_add_scaled(sum, p.y, axes[1]), p.z, axes[2]);
}

static sn_vec3 to_axes(const sn_vec3 axes[3], sn_vec3 x)
{
    return sn_vec3_make(sn_dot(axes[0], x), sn_dot(axes[1], x), sn_dot(axes[2], x));
}

// ---- what velocities are wanted ----

// The least normal velocity at the end of the first pass: what is apart may close, what overlaps
// may not do so more. Going back the way they came, all contacts can have it.
static double wanted_speed(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    const sn_contact *contact = problem->contacts[spot->contact];
    double way = spot->before * spot->start.x + (spot->gap > 0.0 ? spot->gap : 0.0) + spot->lag;
    return fabs(way) <= SN_EXACT_SMALL * contact->size ? 0.0 : -way / spot->after;
}

// How much faster it ought to part, to undo its overlap.
static double wished_speed(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    double most = SN_EXACT_PUSH * problem->contacts[spot->contact]->size;
    double deep = spot->gap < 0.0 ? -spot->gap : 0.0;
    return spot->after > 0.0 ? (deep < most ? deep : most) / spot->after : 0.0;
}

// The tangential velocity that leads back to the anchor.
static sn_vec3 wanted_return(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    return spot->returning ? sn_vec3_scale(-RETURN / problem->h, spot->anchor) : SN_VEC3_ZERO;
}

// The mean of both sides' normal velocities; a's row has the other sign.
static double common_speed(const sn_exact_system *system, const sn_exact_block *block)
{
    double sum = 0.0;
    for (int side = 0; side < block->side_count; ++side) {
        const sn_exact_agent *agent = &system->agents.data[block->side[side].agent];
        const double *j = system->j.data + block->side[side].first;
        for (int i = block->side[side].from; i < block->side[side].to; ++i) {
            sum += (side == 0 ? -0.5 : 0.5) * j[i] * system->v.data[agent->v_first + i];
        }
    }
    return sum;
}

// What unlike sides do to gaps, from the velocities as they are; the most by which that has
// changed, by contacts' sizes.
static double find_lags(sn_exact *exact, const sn_exact_problem *problem)
{
    double most = 0.0;
    for (int i = 0; i < exact->spots.count; ++i) {
        sn_exact_spot *spot = &exact->spots.data[i];
        const sn_exact_block *block = &exact->system.blocks.data[spot->block];
        if (spot->unlike == 0.0 || block->side_count < 2) {
            continue;
        }
        double before = spot->lag, more = common_speed(&exact->system, block);
        spot->lag = spot->unlike * (more - spot_course(problem, spot)->common);
        most = fmax(most, fabs(spot->lag - before) / problem->contacts[spot->contact]->size);
    }
    return most;
}

bool sn_exact_is_whole(const sn_exact_problem *problem, const sn_exact_agent *agent)
{
    const sn_agent_set *set = problem->sets[agent->set];
    const sn_agent *head = &set->agents[agent->agent];
    return !set->type->traits.jointed &&
           (head->whole || head->integrator != SN_INTEGRATOR_LIE_MIDPOINT);
}

static bool find_start(sn_exact *exact, const sn_exact_problem *problem)
{
    if (!sn_array_resize(&exact->start_v, exact->system.v.count)) {
        return false;
    }
    for (int i = 0; i < exact->system.agents.count; ++i) {
        const sn_exact_agent *agent = &exact->system.agents.data[i];
        const sn_agent_set *set = problem->sets[agent->set];
        double *v = exact->start_v.data + agent->v_first;
        if (set->type->contact->start_velocity != NULL) {
            set->type->contact->start_velocity(set, agent->agent, v);
        } else {
            memcpy(v, set->v_last + set->agents[agent->agent].v_first,
                   (size_t)agent->v_count * sizeof *v);
        }
    }
    return true;
}

// The system has arms of the middle of the step. A corner that sticks while its body turns about it
// has no velocity with those of the end, and this one with those of the middle, less. Without it
// a tip on which something topples creeps by h^2/4 of its acceleration in every step.
static sn_vec3 bending(const sn_exact_problem *problem, const sn_exact_spot *spot)
{
    sn_vec3 more = sn_vec3_scale(spot->after, spot_course(problem, spot)->bend);
    double play = SN_EXACT_PLAY * problem->contacts[spot->contact]->size;
    return spot->after * sn_length(more) > play ? more : SN_VEC3_ZERO;
}

static void set_targets(sn_exact *exact, const sn_exact_problem *problem, bool at_end)
{
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_exact_block *block = &exact->system.blocks.data[spot->block];
        const sn_contact *contact = problem->contacts[spot->contact];
        sn_vec3 back = at_end ? SN_VEC3_ZERO : wanted_return(problem, spot);
        sn_vec3 slip = sn_vec3_sub(back, contact->surface_velocity);
        slip = at_end ? slip : sn_vec3_sub(slip, bending(problem, spot));
        double *target = exact->system.target.data + block->row;
        sn_vec3_put(target, to_axes(spot->axes, slip));
        target[0] = at_end ? spot_course(problem, spot)->rebound : wanted_speed(problem, spot);
    }
}

// ---- impulses in and out ----

// v from the impulses of blocks that the agents have not got yet.
static void push_start(sn_exact *exact, int first, int last)
{
    for (int i = first; i < last; ++i) {
        const sn_exact_block *block = &exact->system.blocks.data[i];
        sn_exact_push(&exact->system, block, sn_exact_impulse(&exact->system, block));
    }
}

static void add_generalised(sn_exact *exact, const sn_exact_block *block, sn_vec3 p)
{
    const double numbers[SN_BLOCK_ROWS] = {p.x, p.y, p.z};
    for (int side = 0; side < block->side_count; ++side) {
        const sn_exact_agent *agent = &exact->system.agents.data[block->side[side].agent];
        const double *j = block->side[side].felt >= 0
                              ? exact->felt.data + block->side[side].felt
                              : exact->system.j.data + block->side[side].first;
        double *total = exact->total.data + agent->v_first;
        for (int a = 0; a < block->width; ++a) {
            for (int i = 0; numbers[a] != 0.0 && i < agent->v_count; ++i) {
                total[i] += numbers[a] * j[a * agent->v_count + i];
            }
        }
    }
}

static void bear_side(const sn_exact_problem *problem, const sn_contact_side *side, sn_vec3 place,
                      sn_vec3 impulse, sn_vec3 turning)
{
    if (side->set < 0) {
        return;
    }
    sn_agent_set *set = problem->sets[side->set];
    if (set->type->contact == NULL || set->type->contact->bear == NULL) {
        return;
    }
    sn_part part;
    set->type->part(set, side->agent, side->part, &part);
    sn_vec3 moment = sn_cross(sn_vec3_sub(place, part.centre), impulse);
    sn_spatial f = sn_spatial_make(sn_vec3_add(moment, turning), impulse);
    set->type->contact->bear(set, side->agent, side->part, &f);
}

static void bear(const sn_exact_problem *problem, const sn_contact *contact, sn_vec3 place,
                 sn_vec3 impulse, sn_vec3 turning)
{
    if (!(sn_dot(impulse, impulse) + sn_dot(turning, turning) > 0.0)) {
        return; // it is open
    }
    bear_side(problem, &contact->b, place, impulse, turning);
    bear_side(problem, &contact->a, place, sn_vec3_negate(impulse), sn_vec3_negate(turning));
}

static void push_agents(sn_exact *exact, const sn_exact_problem *problem)
{
    for (int i = 0; i < exact->system.agents.count; ++i) {
        const sn_exact_agent *agent = &exact->system.agents.data[i];
        sn_agent_set *set = problem->sets[agent->set];
        set->type->contact->push(set, agent->agent, exact->total.data + agent->v_first);
    }
}

// Turning blocks follow their contact's points: gives their impulses back to the contact, and what
// is new of them to the agents. `last`: the spot of the contact's last point.
static void finish_turning(sn_exact *exact, const sn_exact_problem *problem,
                           const sn_exact_spot *last, bool bearing)
{
    sn_contact *contact = problem->contacts[last->contact];
    sn_exact_system *system = &exact->system;
    sn_vec3 turning = SN_VEC3_ZERO;
    for (int i = last->block + 1; i < exact->contact_blocks; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (block->kind != SN_BLOCK_BALL) {
            break;
        }
        sn_vec3 p = sn_exact_impulse(system, block);
        turning = sn_vec3_add(turning, block->width == 1 ? p : sn_vec3_make(0.0, p.x, p.y));
    }
    turning = to_world(last->axes, turning);
    if (bearing) {
        bear(problem, contact, last->place, SN_VEC3_ZERO, turning);
    } else {
        contact->turning = turning;
    }
}

static bool ends_contact(const sn_exact *exact, int spot)
{
    return spot + 1 == exact->spots.count ||
           exact->spots.data[spot + 1].contact != exact->spots.data[spot].contact;
}

// The generalised impulses of this pass: points with what is new of theirs, turning blocks less
// what contacts had before (`earlier`, at the end only).
static void collect(sn_exact *exact, const sn_exact_problem *problem, bool at_end)
{
    sn_exact_system *system = &exact->system;
    memset(exact->total.data, 0, (size_t)system->v.count * sizeof *exact->total.data);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_exact_block *block = &system->blocks.data[spot->block];
        const sn_course_point *course = spot_course(problem, spot);
        sn_vec3 p = sn_exact_impulse(system, block);
        if (at_end) {
            p = sn_vec3_add(sn_vec3_sub(p, spot->first), to_axes(spot->axes, course->later));
        } else {
            sn_vec3 middle = sn_vec3_sub(course->strike, course->later);
            p = sn_vec3_add(p, to_axes(spot->axes, middle));
        }
        add_generalised(exact, block, p);
        if (!ends_contact(exact, i)) {
            continue;
        }
        sn_vec3 earlier = to_axes(spot->axes, problem->contacts[spot->contact]->turning);
        for (int k = spot->block + 1; k < exact->contact_blocks; ++k) {
            const sn_exact_block *turn = &system->blocks.data[k];
            if (turn->kind != SN_BLOCK_BALL) {
                break;
            }
            sn_vec3 was = turn->width == 1 ? sn_vec3_make(earlier.x, 0.0, 0.0)
                                           : sn_vec3_make(earlier.y, earlier.z, 0.0);
            sn_vec3 now = sn_exact_impulse(system, turn);
            add_generalised(exact, turn, at_end ? sn_vec3_sub(now, was) : now);
        }
    }
}

// Those of bonds, which keep what they are for the next step.
static void collect_bonds(sn_exact *exact, const sn_exact_problem *problem, bool at_end)
{
    for (int i = 0; i < problem->bond_count; ++i) {
        const sn_exact_block *block = &exact->system.blocks.data[exact->contact_blocks + i];
        double p = exact->system.p.data[block->row];
        add_generalised(exact, block, sn_vec3_make(p, 0.0, 0.0));
        problem->bonds[i]->impulse = p + (at_end ? problem->bonds[i]->impulse : 0.0);
    }
}

static void bear_all(sn_exact *exact, const sn_exact_problem *problem)
{
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        sn_vec3 middle =
            sn_vec3_sub(spot_point(problem, spot)->impulse, spot_course(problem, spot)->later);
        bear(problem, problem->contacts[spot->contact], spot->place, middle, SN_VEC3_ZERO);
        if (ends_contact(exact, i)) {
            finish_turning(exact, problem, spot, true);
        }
    }
    for (int i = 0; i < problem->bond_count; ++i) {
        const sn_exact_bond *bond = problem->bonds[i];
        for (int k = 0; k < bond->count; ++k) {
            sn_agent_set *set = problem->sets[bond->sides[k].set];
            sn_spatial f = sn_spatial_scale(bond->impulse, bond->forces[k]);
            if (set->type->contact->bear != NULL) {
                set->type->contact->bear(set, bond->sides[k].agent, bond->sides[k].part, &f);
            }
        }
    }
}

static bool solve(sn_exact *exact, const sn_exact_problem *problem, sn_exact_effort *effort)
{
    bool done = problem->predict ? sn_exact_calm_begin(&exact->system) &&
                                       sn_seed_impulse_solve(&exact->system, effort)
                                 : sn_exact_system_solve(&exact->system, &problem->limits, effort);
    if (!done) {
        return false;
    }
    bool gained = problem->predict && exact->at_end ? sn_seed_impulse_gained(&exact->system)
                                                    : sn_exact_ran_away(&exact->system);
    if (gained) {
        effort->residual = sn_exact_calm(&exact->system);
        effort->tresca = true;
    }
    if (sn_exact_is_off(problem, effort)) { // where the solve began is no longer asked for
        effort->worst = sn_exact_worst_block(&exact->system, exact->system.start_p.data);
    }
    return true;
}

// From the velocities that the last step's impulses give, which at rest are right. Each time what
// is off shrinks to a third or less, the worst being one side that is much lighter.
static bool solve_unlike(sn_exact *exact, const sn_exact_problem *problem, sn_exact_effort *effort)
{
    enum { TURNS = 5 };
    if (find_lags(exact, problem) > 0.0) {
        set_targets(exact, problem, false);
    }
    bool done = solve(exact, problem, effort);
    for (int i = 0; i < TURNS && done; ++i) {
        double off = fmax(find_lags(exact, problem), sn_exact_bond_lags(exact, problem));
        if (!(off > SN_EXACT_SMALL)) {
            break;
        }
        set_targets(exact, problem, false);
        done = solve(exact, problem, effort);
    }
    return done;
}

// ---- overlap ----

// How fast contacts ought to part, by blocks. False when none ought to.
static bool find_wishes(sn_exact *exact, const sn_exact_problem *problem)
{
    bool any = false;
    for (int i = 0; i < exact->wishes.count; ++i) {
        exact->wishes.data[i] = 0.0;
    }
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        exact->wishes.data[spot->block] = wished_speed(problem, spot);
        if (spot->gap < 0.0) {
            any = true;
            sn_contact_count(problem->contacts[spot->contact], problem->sets,
                             SN_COUNTER_DEPENETRATED);
        }
    }
    return any;
}

// A velocity that bodies have in the middle of the step and lose at its end keeps momentum and
// angular momentum, which moving them by hand would not. Mechanisms are moved by hand: in their
// step velocities that are soon to be lost can do anything.
static bool has_mechanism(const sn_exact *exact, const sn_exact_problem *problem)
{
    bool any = false;
    for (int i = 0; i < exact->system.agents.count; ++i) {
        const sn_exact_agent *agent = &exact->system.agents.data[i];
        any = any || problem->sets[agent->set]->type->traits.jointed;
    }
    return any;
}

static void push_apart(sn_exact *exact, const sn_exact_problem *problem)
{
    if (has_mechanism(exact, problem) || !find_wishes(exact, problem)) {
        return;
    }
    sn_exact_push_apart(&exact->system, exact->wishes.data);
    for (int i = 0; i < exact->system.agents.count; ++i) {
        const sn_exact_agent *agent = &exact->system.agents.data[i];
        sn_agent_set *set = problem->sets[agent->set];
        if (set->type->contact->parted != NULL) {
            set->type->contact->parted(set, agent->agent);
        }
    }
}

// Those that take the impulses of the pushing rather than its velocities.
static void shove_apart(sn_exact *exact, const sn_exact_problem *problem)
{
    sn_exact_system *system = &exact->system;
    memset(exact->total.data, 0, (size_t)system->v.count * sizeof *exact->total.data);
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        double more = system->p.data[block->row] - system->start_p.data[block->row];
        add_generalised(exact, block, sn_vec3_make(more, 0.0, 0.0));
    }
    for (int i = 0; i < system->agents.count; ++i) {
        const sn_exact_agent *agent = &system->agents.data[i];
        sn_agent_set *set = problem->sets[agent->set];
        if (set->type->contact->shove != NULL) {
            set->type->contact->shove(set, agent->agent, exact->total.data + agent->v_first,
                                      0.5 * problem->h);
        }
    }
}

// At the end of the step.
static void move_apart(sn_exact *exact, const sn_exact_problem *problem)
{
    sn_exact_system *system = &exact->system;
    double *moving = exact->total.data;
    if (!has_mechanism(exact, problem) || !find_wishes(exact, problem)) {
        return;
    }
    memcpy(moving, system->v.data, (size_t)system->v.count * sizeof *moving);
    sn_exact_push_apart(system, exact->wishes.data);
    for (int i = 0; i < system->v.count; ++i) {
        moving[i] = system->v.data[i] - moving[i];
    }
    bool shoved = false;
    for (int i = 0; i < system->agents.count; ++i) {
        const sn_exact_agent *agent = &system->agents.data[i];
        sn_agent_set *set = problem->sets[agent->set];
        if (set->type->contact->shove != NULL) {
            shoved = true;
        } else {
            if (agent->normalised) {
                set->type->contact->denormalise(set, agent->agent, moving + agent->v_first);
            }
            set->type->contact->displace(set, agent->agent, moving + agent->v_first,
                                         0.5 * problem->h);
        }
    }
    if (shoved) {
        shove_apart(exact, problem);
    }
}

// ---- impacts ----

// What velocities v make of u at a spot that may strike.
static sn_vec3 striking_velocity(const sn_exact *exact, const sn_exact_problem *problem,
                                 const sn_exact_spot *spot)
{
    const sn_exact_system *system = &exact->system;
    sn_vec3 u = sn_exact_along(system, &system->blocks.data[spot->striking], system->v.data);
    sn_vec3 surface = problem->contacts[spot->contact]->surface_velocity;
    return sn_vec3_add(u, to_axes(spot->axes, surface));
}

// Accelerations with everything but the impacts solved for, as slopes over the step.
static bool find_rates(sn_exact *exact, const sn_exact_problem *problem)
{
    sn_exact_effort effort;
    if (!sn_exact_system_solve(&exact->system, &problem->limits, &effort)) {
        return false;
    }
    for (int i = 0; i < exact->spots.count; ++i) {
        sn_impact_spot *impact = &exact->impacts.data[i];
        sn_vec3 u = striking_velocity(exact, problem, &exact->spots.data[i]);
        impact->rate = sn_vec3_scale(1.0 / problem->h, sn_vec3_sub(u, impact->start));
    }
    return true;
}

// Is a side of it elastic? Then the waves of its material are the rebound. An impulse at a vertex
// that turned its velocity round, and the stiffness of A with it, would give energy: the speed at
// the end of a step is that of a wave which the step does not resolve.
static bool is_soft(const sn_exact_problem *problem, const sn_contact *contact)
{
    const sn_contact_side *sides[2] = {&contact->a, &contact->b};
    bool soft = false;
    for (int i = 0; i < 2; ++i) {
        soft =
            soft || (sides[i]->set >= 0 && problem->sets[sides[i]->set]->type->traits.deformable);
    }
    return soft;
}

// What overlaps met long ago, and does not rebound: wedged in, it would rattle without end.
static void describe_impacts(sn_exact *exact, const sn_exact_problem *problem)
{
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_contact *contact = problem->contacts[spot->contact];
        const sn_course_point *course = spot_course(problem, spot);
        bool arrives = spot->striking != spot->block;
        sn_vec3 free = striking_velocity(exact, problem, spot);
        sn_vec3 start = arrives ? to_axes(spot->axes, course->impact) : spot->start;
        exact->impacts.data[i] = (sn_impact_spot){
            .block = spot->striking,
            .contact = contact,
            .gap = arrives ? -course->arrival * start.x : spot->gap,
            .touching = 10.0 * SN_EXACT_SMALL * contact->size,
            .start = start,
            .rate = sn_vec3_scale(1.0 / problem->h, sn_vec3_sub(free, start)),
            .restitution =
                spot->gap < 0.0 || is_soft(problem, contact) ? 0.0 : contact->restitution,
            .after = spot->after,
        };
    }
}

// Impacts that rebound: their impulses go into the points, and the part of them that acts in the
// middle of the step into v, as the start of all other impulses does. Their blocks are left out
// while accelerations are found.
static bool make_impacts(sn_exact *exact, const sn_exact_problem *problem, int *strikes)
{
    sn_exact_system *system = &exact->system;
    describe_impacts(exact, problem);
    bool due = false;
    for (int i = 0; i < exact->spots.count; ++i) {
        sn_exact_block *block = &system->blocks.data[exact->spots.data[i].block];
        block->idle = !problem->predict && sn_impact_is_due(&exact->impacts.data[i], problem->h);
        due = due || block->idle;
        if (block->idle) {
            sn_exact_put(system, block, SN_VEC3_ZERO);
        }
    }
    *strikes = 0;
    push_start(exact, 0, system->blocks.count);
    if (!due || problem->predict) {
        return true;
    }
    if (!find_rates(exact, problem)) {
        return false;
    }
    *strikes = sn_impact_run(system, exact->impacts.data, exact->impacts.count, problem->h,
                             exact->total.data);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_impact_spot *impact = &exact->impacts.data[i];
        sn_exact_block *block = &system->blocks.data[spot->block];
        sn_course_point *course = spot_course(problem, spot);
        block->idle = false;
        course->strike = to_world(spot->axes, impact->strike);
        course->later = to_world(spot->axes, impact->later);
        course->effect = sn_dot(impact->later, sn_sym3_apply(&block->w, impact->later));
        sn_exact_push(system, block, sn_vec3_sub(impact->strike, impact->later));
    }
    return true;
}

// The kinetic energy that the impulses `later` of all spots would give to the velocities of now
// together: sum of later . u, and half of sum later . W later.
typedef struct later_energy {
    double along, own;
    bool any;
} later_energy;

// plans: each spot's share of it is noted.
static later_energy find_later_energy(sn_exact *exact, const sn_exact_problem *problem, bool plans)
{
    sn_exact_system *system = &exact->system;
    later_energy energy = {0};
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_exact_block *block = &system->blocks.data[spot->block];
        sn_course_point *course = spot_course(problem, spot);
        sn_vec3 later = to_axes(spot->axes, course->later);
        bool acts = sn_dot(later, later) > 0.0;
        double along = acts ? sn_dot(later, sn_exact_along(system, block, system->v.data)) : 0.0;
        course->planned = plans ? along : course->planned;
        energy.along += along;
        energy.any = energy.any || acts;
    }
    if (!energy.any) {
        return energy;
    }
    size_t bytes = (size_t)system->v.count * sizeof *system->v.data;
    memcpy(exact->total.data, system->v.data, bytes);
    memset(system->v.data, 0, bytes);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        sn_vec3 later = to_axes(spot->axes, spot_course(problem, spot)->later);
        sn_exact_push(system, &system->blocks.data[spot->block], later);
    }
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_exact_block *block = &system->blocks.data[spot->block];
        sn_course_point *course = spot_course(problem, spot);
        sn_vec3 later = to_axes(spot->axes, course->later);
        double own = 0.5 * sn_dot(later, sn_exact_along(system, block, system->v.data));
        course->planned += plans ? own : 0.0;
        energy.own += own;
    }
    memcpy(system->v.data, exact->total.data, bytes);
    return energy;
}

// ---- the two passes ----

// Whether u must be made anew there.
static bool finish_point(const sn_exact *exact, const sn_exact_problem *problem,
                         const sn_exact_spot *spot)
{
    const sn_exact_system *system = &exact->system;
    const sn_exact_block *block = &system->blocks.data[spot->block];
    const sn_contact *contact = problem->contacts[spot->contact];
    sn_contact_point *point = spot_point(problem, spot);
    sn_course_point *course = spot_course(problem, spot);
    sn_vec3 p = sn_exact_impulse(system, block);
    sn_vec3 u = sn_exact_along(system, block, system->v.data);
    u = sn_vec3_add(u, to_axes(spot->axes, contact->surface_velocity));
    bool hit = sn_dot(course->strike, course->strike) > 0.0, touched = point->touched;
    point->impulse = sn_vec3_add(to_world(spot->axes, p), course->strike);
    point->touched = sn_dot(p, p) > 0.0 || hit;
    course->gap_end = spot->gap + spot->before * spot->start.x + spot->after * u.x + spot->lag;

    // It sticks within the cone; at its bound it slides, however slowly, and the anchor lets go.
    u = sn_vec3_add(u, to_axes(spot->axes, bending(problem, spot)));
    sn_vec3 way = sn_vec3_add_scaled(sn_vec3_scale(spot->before, spot->start), spot->after, u);
    way.x = 0.0;
    sn_vec3 moved = sn_vec3_add(spot->anchor, to_world(spot->axes, way));
    double bound = block->friction * p.x * (1.0 - STICK_MARGIN);
    bool slides =
        p.y * p.y + p.z * p.z >= bound * bound && sn_length(way) > SN_EXACT_PLAY * contact->size;
    bool sticks =
        touched && p.x > 0.0 && !hit && !slides && sn_length(moved) <= ANCHOR_REACH * contact->size;
    point->anchor = sticks ? moved : SN_VEC3_ZERO;
    return hit || spot->gap < 0.0 || (p.x > 0.0 && wanted_speed(problem, spot) != 0.0);
}

// Without timing: the speed at the start of the step, turned round, unless the flight after it
// would be over within a step. Whether it flies.
static bool set_rebound(const sn_exact *exact, const sn_exact_problem *problem, int index)
{
    const sn_exact_spot *spot = &exact->spots.data[index];
    const sn_impact_spot *impact = &exact->impacts.data[index];
    const sn_exact_block *block = &exact->system.blocks.data[spot->block];
    double back = -impact->restitution * spot->start.x;
    bool pressed = sn_exact_impulse(&exact->system, block).x > 0.0;
    bool flies = pressed && back > 0.0 && 2.0 * back > -impact->rate.x * problem->h;
    spot_course(problem, spot)->rebound = flies ? back : 0.0;
    return flies;
}

// What the next turn begins with: what this one has found, or nothing.
static void keep_impulses(sn_exact *exact, const sn_exact_problem *problem, bool none)
{
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        sn_course_point *course = spot_course(problem, spot);
        sn_vec3 p = sn_exact_impulse(&exact->system, &exact->system.blocks.data[spot->block]);
        course->strike = course->later = SN_VEC3_ZERO;
        spot_point(problem, spot)->impulse = none ? SN_VEC3_ZERO : to_world(spot->axes, p);
        if (ends_contact(exact, i)) {
            finish_turning(exact, problem, spot, false);
        }
    }
    for (int i = 0; i < problem->contact_count && none; ++i) {
        problem->contacts[i]->turning = SN_VEC3_ZERO;
    }
    for (int i = 0; i < problem->bond_count && none; ++i) {
        problem->bonds[i]->impulse = 0.0;
    }
}

// Lets agents lean on what has been found: whether any has changed, and the solution with it. One
// that begins anew was led nowhere by impulses of any size: beside those, the velocities that the
// next turn is to find would be lost in rounding.
static bool lean_agents(sn_exact *exact, const sn_exact_problem *problem)
{
    bool changed = false, any = false, anew = false;
    for (int i = 0; i < exact->system.agents.count && !any; ++i) {
        any = problem->sets[exact->system.agents.data[i].set]->type->traits.deformable;
    }
    if (!any) {
        return false;
    }
    collect(exact, problem, false);
    collect_bonds(exact, problem, false);
    for (int i = 0; i < exact->system.agents.count; ++i) {
        const sn_exact_agent *agent = &exact->system.agents.data[i];
        sn_agent_set *set = problem->sets[agent->set];
        const double *impulse = exact->total.data + agent->v_first;
        sn_lean (*lean)(sn_agent_set *, int, const double *) = set->type->contact->lean;
        sn_lean leant = lean != NULL ? lean(set, agent->agent, impulse) : SN_LEAN_DONE;
        changed = changed || leant != SN_LEAN_DONE;
        anew = anew || leant == SN_LEAN_ANEW;
    }
    if (changed) {
        keep_impulses(exact, problem, anew);
    }
    return changed;
}

// Newton's method on agents and all that is between them: solved for the A that agents have, which
// then lean on it.
static bool solve_leaning(sn_exact *exact, const sn_exact_problem *problem, sn_exact_report *report)
{
    exact->all_rows = false;
    for (int turn = 0;; ++turn) {
        sn_exact_share_rules(problem);
        if (!sn_exact_gather(exact, problem, false)) {
            return false;
        }
        sn_exact_fit_anchors(exact, problem);
        set_targets(exact, problem, false);
        if (!find_start(exact, problem) || !make_impacts(exact, problem, &report->strikes) ||
            !solve_unlike(exact, problem, &report->effort)) {
            return false;
        }
        if (sn_exact_goes_beyond(exact, problem)) {
            exact->all_rows = true;
            --turn;
            continue;
        }
        report->unfinished = turn == problem->leans;
        if (report->unfinished || !lean_agents(exact, problem)) {
            return true;
        }
        if (problem->bend != NULL) {
            sn_exact_bend_bonds(exact, problem);
        }
    }
}

sn_status sn_exact_solve(sn_exact *exact, const sn_exact_problem *problem, sn_exact_report *report,
                         sn_error *error)
{
    *report = (sn_exact_report){.effort.converged = true};
    if (!solve_leaning(exact, problem, report)) {
        return sn_fail_memory(error, 0);
    }
    sn_exact_count_effort(exact, problem, report);
    find_later_energy(exact, problem, true);
    push_apart(exact, problem);
    collect(exact, problem, false);
    collect_bonds(exact, problem, false);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        bool struck = finish_point(exact, problem, spot);
        struck = (problem->predict && set_rebound(exact, problem, i)) || struck;
        report->struck = report->struck || struck;
        if (ends_contact(exact, i)) {
            finish_turning(exact, problem, spot, false);
        }
    }
    report->struck = report->struck || sn_exact_bonds_differ(problem);
    push_agents(exact, problem);
    bear_all(exact, problem);
    return SN_OK;
}

static bool is_stopped(const sn_exact_problem *problem, const sn_contact_side *side)
{
    return side->set >= 0 &&
           sn_agent_is_counted(&problem->sets[side->set]->agents[side->agent], SN_COUNTER_STOPPED);
}

// Mechanisms that could not be followed have not moved by the impulses of the first pass.
static void forget_stopped(const sn_exact_problem *problem)
{
    for (int i = 0; i < problem->contact_count; ++i) {
        sn_contact *contact = problem->contacts[i];
        if (!is_stopped(problem, &contact->a) && !is_stopped(problem, &contact->b)) {
            continue;
        }
        contact->turning = SN_VEC3_ZERO;
        for (int k = 0; k < contact->count; ++k) {
            sn_course_point *course = &problem->courses[i].points[k];
            contact->points[k].impulse = course->strike = course->later = SN_VEC3_ZERO;
        }
    }
}

static void scale_later(const sn_exact_problem *problem, const sn_exact_spot *spot, double share)
{
    sn_contact_point *point = spot_point(problem, spot);
    sn_course_point *course = spot_course(problem, spot);
    sn_vec3 less = sn_vec3_scale(1.0 - share, course->later);
    sn_contact_count(problem->contacts[spot->contact], problem->sets, SN_COUNTER_IMPULSE_SCALED);
    course->strike = sn_vec3_sub(course->strike, less);
    point->impulse = sn_vec3_sub(point->impulse, less);
    course->later = sn_vec3_scale(share, course->later);
}

// Impulses that were to act at the end were found for bodies as they stood in the middle. On a
// needle that has turned since they may do a thousand times as much: such are made smaller.
static void fit_later(sn_exact *exact, const sn_exact_problem *problem)
{
    const double much = 4.0; // twice the velocity
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_course_point *course = spot_course(problem, spot);
        sn_vec3 later = to_axes(spot->axes, course->later);
        const sn_sym3 *w = &exact->system.blocks.data[spot->block].w;
        double effect = sn_dot(later, sn_sym3_apply(w, later));
        if (effect > much * course->effect) {
            scale_later(problem, spot, sqrt(course->effect / effect));
        }
    }
}

// Nor do they give more energy together than they would have given in the middle: a share s of them
// gives s along + s^2 own.
static void fit_later_energy(sn_exact *exact, const sn_exact_problem *problem)
{
    double planned = 0.0;
    for (int i = 0; i < exact->spots.count; ++i) {
        planned += spot_course(problem, &exact->spots.data[i])->planned;
    }
    planned = fmax(planned, 0.0);
    later_energy energy = find_later_energy(exact, problem, false);
    if (!energy.any || energy.along + energy.own <= planned) {
        return;
    }
    double root = sqrt(energy.along * energy.along + 4.0 * energy.own * planned);
    double share = (root - energy.along) / (2.0 * energy.own);
    share = share >= 0.0 && share <= 1.0 ? share : 0.0;
    for (int i = 0; i < exact->spots.count; ++i) {
        scale_later(problem, &exact->spots.data[i], share);
    }
}

static bool solve_end(sn_exact *exact, const sn_exact_problem *problem, sn_exact_report *report)
{
    sn_exact_system *system = &exact->system;
    if (!sn_exact_gather(exact, problem, true)) {
        return false;
    }
    set_targets(exact, problem, true);
    fit_later(exact, problem);
    fit_later_energy(exact, problem);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        sn_vec3 later = to_axes(spot->axes, spot_course(problem, spot)->later);
        sn_exact_push(system, &system->blocks.data[spot->block], later);
    }
    push_start(exact, exact->contact_blocks, system->blocks.count);
    return solve(exact, problem, &report->effort);
}

sn_status sn_exact_relax(sn_exact *exact, const sn_exact_problem *problem, sn_exact_report *report,
                         sn_error *error)
{
    sn_exact_system *system = &exact->system;
    forget_stopped(problem);
    exact->all_rows = false;
    if (!solve_end(exact, problem, report)) {
        return sn_fail_memory(error, 0);
    }
    if (sn_exact_goes_beyond(exact, problem)) {
        exact->all_rows = true;
        if (!solve_end(exact, problem, report)) {
            return sn_fail_memory(error, 0);
        }
    }
    sn_exact_count_effort(exact, problem, report);
    collect(exact, problem, true);
    collect_bonds(exact, problem, true);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        sn_contact_point *point = spot_point(problem, spot);
        sn_vec3 p = sn_exact_impulse(system, &system->blocks.data[spot->block]);
        if (sn_dot(spot->pressed, spot->pressed) > 0.0) {
            sn_vec3 more = to_world(spot->axes, sn_vec3_sub(p, spot->first));
            point->impulse = sn_vec3_add(point->impulse, more);
        } else {
            point->impulse =
                sn_vec3_add(to_world(spot->axes, p), spot_course(problem, spot)->strike);
        }
        point->touched = point->touched || sn_dot(p, p) > 0.0;
        if (ends_contact(exact, i)) {
            finish_turning(exact, problem, spot, false);
        }
    }
    push_agents(exact, problem);
    move_apart(exact, problem);
    return SN_OK;
}

sn_status sn_exact_strike(sn_exact *exact, const sn_exact_problem *problem, sn_error *error)
{
    sn_exact_system *system = &exact->system;
    exact->all_rows = false;
    for (int i = 0; i < problem->contact_count; ++i) {
        problem->courses[i] = (sn_contact_course){.normal_rate = SN_VEC3_ZERO};
    }
    if (!sn_exact_gather(exact, problem, true)) {
        return sn_fail_memory(error, 0);
    }
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        const sn_contact *contact = problem->contacts[spot->contact];
        sn_vec3 u = sn_exact_along(system, &system->blocks.data[spot->block], system->v.data);
        exact->impacts.data[i] = (sn_impact_spot){
            .block = spot->block,
            .contact = contact,
            .start = sn_vec3_add(u, to_axes(spot->axes, contact->surface_velocity)),
            .restitution = contact->restitution,
        };
    }
    sn_impact_now(system, exact->impacts.data, exact->impacts.count, exact->total.data);
    memset(exact->total.data, 0, (size_t)system->v.count * sizeof *exact->total.data);
    for (int i = 0; i < exact->spots.count; ++i) {
        const sn_exact_spot *spot = &exact->spots.data[i];
        sn_vec3 strike = exact->impacts.data[i].strike;
        spot_point(problem, spot)->impulse = to_world(spot->axes, strike);
        add_generalised(exact, &system->blocks.data[spot->block], strike);
    }
    push_agents(exact, problem);
    return SN_OK;
}
