// Contacts in a step of the world: which islands there are, which of them sleep, who solves which,
// and when.
//
//     sn_world_collide           contacts, from the state at the start of the step
//     sn_world_begin_contacts    islands; those at rest are held
//     - agents begin, forces are found, free step -
//     sn_world_press_contacts    piles are taken through the step; other islands are solved
//     - agents advance -
//     sn_world_relax_contacts    what struck is solved again where it now is
//     sn_world_rest_contacts     how long each agent has been at rest
//
// Islands of few contacts, and those with mechanisms, springs or damping in A, are solved to
// convergence (solve/exact.h); larger ones of free bodies, and heaps, by sweeps in sub-steps
// (solve/pile.h).
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "bond/bond.h"
#include "model/world.h"
#include "touch/touch.h"

// An agent is at rest below these shares of the speed of a fall over its size, sqrt(g size), for
// this many times sqrt(size / g): lengths and times of the scene's own scale.
static const double REST_SPEED = 2e-3, REST_TIME = 3.0;

static sn_agent *head_of(sn_world *world, int number)
{
    sn_agent_ref ref = sn_world_agent_at(world, number);
    return &world->sets[ref.set]->agents[ref.agent];
}

// ---- sleep ----

// Things that may begin to move by themselves keep their island awake: what hangs on a spring or a
// callback, or stands in a wind, and mechanisms with springs, drives or motions.
static bool may_sleep(const sn_world *world, int number)
{
    sn_agent_ref ref = sn_world_agent_at(world, number);
    if (world->has_callbacks || world->behaviours.count > 0 || world->air.winds.count > 0) {
        return false;
    }
    return world->sets[ref.set]->type->can_rest(world->sets[ref.set], ref.agent);
}

// Bonds may begin, end and lead along paths, and springs pull. What they hold is not at rest by
// itself either: the time for which it has been counts from when they are gone.
static bool is_bonded(const sn_touch *touch, const sn_island *island)
{
    bool bonded = false;
    for (int k = 0; k < island->pair_count; ++k) {
        int link = touch->islands.pairs.data[island->pair_first + k];
        bonded = bonded || touch->active.data[link] >= SN_TOUCH_BONDS;
    }
    return bonded;
}

static void rouse_sprung(sn_world *world)
{
    for (int i = 0; i < world->single_fields.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->single_fields.data[i]];
        sn_body ends[2];
        sn_field_kind_of(field)->ends(field, ends);
        for (int k = 0; k < 2 && sn_field_kind_of(field)->wakes; ++k) {
            const sn_body_record *record = sn_world_body_record(world, ends[k]);
            if (record != NULL && record->agent.agent >= 0) {
                sn_touch_rouse(world, record->agent);
            }
        }
    }
}

// What sleeps has no velocity: what was left of it would be told of bodies that stand, and be back
// when they wake.
static void stop(sn_world *world, int number)
{
    sn_agent_ref ref = sn_world_agent_at(world, number);
    sn_agent_set *set = world->sets[ref.set];
    double *v = sn_agent_v(set, ref.agent);
    bool moves = false;
    for (int i = 0; i < set->agents[ref.agent].v_count; ++i) {
        moves = moves || v[i] != 0.0;
        v[i] = 0.0;
    }
    if (moves) {
        sn_agent_touch(set, ref.agent);
    }
}

// Contacts of what sleeps are not solved for: the forces in them stay, and impulses are these over
// the step, which need not be as long as the last one.
static void carry_impulses(sn_world *world, const sn_island *island, double h)
{
    const sn_touch *touch = &world->touch;
    double share = world->last_step > 0.0 ? h / world->last_step : 1.0;
    for (int k = 0; k < island->pair_count && share != 1.0; ++k) {
        int link = touch->islands.pairs.data[island->pair_first + k];
        sn_contact *contact = sn_touch_contact(touch, touch->active.data[link]);
        for (int i = 0; i < contact->count; ++i) {
            contact->points[i].impulse = sn_vec3_scale(share, contact->points[i].impulse);
        }
        contact->turning = sn_vec3_scale(share, contact->turning);
    }
}

// Holds the agents of islands all of which have been at rest long enough, and lets go all others.
static void hold_resting(sn_world *world, double h)
{
    sn_touch *touch = &world->touch;
    bool allowed = world->contact.sleep && !touch->wake;
    world->report.sleeping = 0;
    if (touch->wake && touch->still.count > 0) { // an empty world has no array
        memset(touch->still.data, 0, (size_t)touch->still.count * sizeof(double));
    }
    touch->wake = false;
    rouse_sprung(world);
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        const sn_island *island = &touch->islands.islands.data[i];
        const int *agents = &touch->islands.agents.data[island->agent_first];
        bool rests = allowed && !is_bonded(touch, island);
        for (int k = 0; k < island->agent_count && rests; ++k) {
            rests = touch->still.data[agents[k]] >= 1.0 && may_sleep(world, agents[k]);
        }
        touch->kinds.data[i] = rests ? SN_ISLAND_ASLEEP : SN_ISLAND_EXACT;
        world->report.sleeping += rests ? island->agent_count : 0;
        if (rests) {
            carry_impulses(world, island, h);
        }
        for (int k = 0; k < island->agent_count; ++k) {
            head_of(world, agents[k])->held = rests;
            if (rests) {
                stop(world, agents[k]);
            }
        }
    }
}

void sn_world_let_go(sn_world *world)
{
    for (int i = 0; i < sn_world_agent_count(world); ++i) {
        sn_agent *agent = head_of(world, i);
        agent->held = 0;
    }
}

// ---- the parts of a step ----

static bool find_islands(sn_world *world)
{
    sn_touch *touch = &world->touch;
    int agents = sn_world_agent_count(world), known = touch->still.count;
    bool made = sn_islands_find(&touch->islands, agents, touch->links.data, touch->links.count) &&
                sn_array_resize(&touch->still, agents) &&
                sn_array_resize(&touch->kinds, touch->islands.islands.count);
    for (int i = known; made && i < agents; ++i) {
        touch->still.data[i] = 0.0;
    }
    return made;
}

// A heap leans on itself in many places, so that nobody can tell the last digits of it. What stands
// by balance alone, such as towers, arches, card houses and a heavy thing on a light one, has few
// contacts, thin bodies or unlike masses; what rebounds passes impacts on one after another.
static const double HEAP_CONTACTS = 1.5;                       // at least so many of each body
static const double HEAP_SIZE = 0.3;                           // thickness by radius, at least
static const double HEAP_MASSES = 8.0, HEAP_RESTITUTION = 0.5; // at most

static bool is_heaped(const sn_world *world, const sn_contact *contact)
{
    const sn_contact_side sides[2] = {contact->a, contact->b};
    double least = INFINITY, most = 0.0, radius = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (sn_world_traits(world, sides[k].set)->lone) {
            const sn_agent_set *set = world->sets[sides[k].set];
            double mass = set->type->mass(set, sides[k].agent);
            least = fmin(least, mass);
            most = fmax(most, mass);
            radius = fmax(radius, sn_rigid_radius(set, sides[k].agent));
        }
    }
    return contact->size >= HEAP_SIZE * radius && most <= HEAP_MASSES * least &&
           contact->restitution <= HEAP_RESTITUTION;
}

static bool is_heap(const sn_world *world, const sn_island *island)
{
    const sn_touch *touch = &world->touch;
    bool heaped = island->pair_count > world->contact.heap_limit &&
                  island->pair_count >= HEAP_CONTACTS * island->agent_count;
    for (int k = 0; k < island->pair_count && heaped; ++k) {
        int link = touch->islands.pairs.data[island->pair_first + k];
        heaped = is_heaped(world, sn_touch_contact(touch, touch->active.data[link]));
    }
    return heaped;
}

// A large island, or a heap, of free bodies that nothing damped in the last step, without springs.
static bool is_pile(const sn_world *world, const sn_island *island)
{
    const sn_touch *touch = &world->touch;
    if (!sn_world_contact_traits(world)->piles || is_bonded(touch, island)) {
        return false;
    }
    for (int k = 0; k < island->agent_count; ++k) {
        int number = touch->islands.agents.data[island->agent_first + k];
        sn_agent_ref ref = sn_world_agent_at(world, number);
        if (!sn_world_traits(world, ref.set)->lone ||
            sn_agent_is_damped(world->sets[ref.set], ref.agent, 0)) {
            return false;
        }
    }
    return island->pair_count > world->contact.exact_limit || is_heap(world, island);
}

// The contacts of an island, and rows of bonds, for its solver; how many of them.
static void gather_island(sn_world *world, const sn_island *island, int *contacts, int *bonds)
{
    sn_touch *touch = &world->touch;
    *contacts = *bonds = 0;
    for (int k = 0; k < island->pair_count; ++k) {
        int number = touch->active.data[touch->islands.pairs.data[island->pair_first + k]];
        if (number >= SN_TOUCH_BONDS) {
            touch->bound.data[island->pair_first + (*bonds)++] =
                number >= SN_TOUCH_SPRINGS
                    ? &world->field_springs.rows.data[number - SN_TOUCH_SPRINGS]
                    : &world->bonds.rows.data[number - SN_TOUCH_BONDS];
        } else {
            touch->pressed.data[island->pair_first + (*contacts)++] =
                sn_touch_contact(touch, number);
        }
    }
}

static void begin_island(sn_world *world, const sn_island *island)
{
    sn_touch *touch = &world->touch;
    int contacts, bonds;
    gather_island(world, island, &contacts, &bonds);
    for (int i = island->pair_first; i < island->pair_first + contacts; ++i) {
        sn_contact_begin(touch->pressed.data[i], world->sets, &touch->courses.data[i]);
    }
}

// Only pairs that come far in the step, by their size, can.
static const double SWIFT = 0.5;

static bool may_whirl(const sn_world *world, const sn_pair *pair)
{
    const sn_touch *touch = &world->touch;
    const sn_touch_place *a = &touch->places.data[pair->a], *b = &touch->places.data[pair->b];
    if (pair->count == 0 || (pair->flags & SN_PAIR_SENSOR) ||
        !(a->travel + b->travel > SWIFT * pair->size)) {
        return false;
    }
    int number = sn_touch_agent_number(world, a->side.agent >= 0 ? a->side : b->side);
    int island = touch->islands.of.data[number];
    return island >= 0 && touch->kinds.data[island] == SN_ISLAND_EXACT;
}

// What an impact sets whirling strikes at once (strike.c). One strike may lead to another.
static sn_status strike_whirling(sn_world *world, double h, sn_error *error)
{
    enum { ROUNDS = 8 };
    const sn_touch *touch = &world->touch;
    bool struck = false; // to begin with: there is something to strike at all
    for (int i = 0; i < touch->islands.islands.count && !struck; ++i) {
        struck = touch->kinds.data[i] == SN_ISLAND_EXACT;
    }
    for (int round = 0; round < ROUNDS && struck; ++round) {
        struck = false;
        for (int i = 0; i < touch->pairs.count; ++i) {
            const sn_pair *pair = &touch->pairs.data[i];
            int count = may_whirl(world, pair) ? pair->count : 0;
            for (int k = 0; k < count; ++k) {
                sn_status status =
                    sn_world_strike_whirling(world, pair, pair->contacts + k, h, &struck, error);
                if (status != SN_OK) {
                    return status;
                }
            }
        }
    }
    return SN_OK;
}

sn_status sn_world_begin_contacts(sn_world *world, double h, sn_error *error)
{
    sn_touch *touch = &world->touch;
    if (!find_islands(world)) {
        return sn_fail_memory(error, sizeof(int) * (size_t)sn_world_agent_count(world));
    }
    int links = touch->islands.pairs.count;
    if (!sn_array_resize(&touch->pressed, links) || !sn_array_resize(&touch->bound, links) ||
        !sn_array_resize(&touch->courses, links)) {
        return sn_fail_memory(error, sizeof(sn_contact_course) * (size_t)links);
    }
    sn_world_let_go(world);
    hold_resting(world, h);
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        const sn_island *island = &touch->islands.islands.data[i];
        if (touch->kinds.data[i] == SN_ISLAND_EXACT && is_pile(world, island)) {
            touch->kinds.data[i] = SN_ISLAND_PILE;
        }
    }
    if (sn_world_contact_traits(world)->piles) {
        sn_status status = strike_whirling(world, h, error);
        if (status != SN_OK) {
            return status;
        }
    }
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        const sn_island *island = &touch->islands.islands.data[i];
        if (touch->kinds.data[i] == SN_ISLAND_EXACT) {
            begin_island(world, island);
        }
    }
    return sn_world_note_energies(world) ? SN_OK : sn_fail_memory(error, sizeof(sn_agent_start));
}

// ---- piles ----

// Small piles can afford more care, and want it: walls and columns are among them.
enum { SMALL_PILE = 512 }; // bodies

// How high a pile stands, by its centres: what lies on the ground alone does not.
static double pile_height(const sn_world *world, const sn_island *island)
{
    const sn_agent_set *set = &world->rigid.agents;
    double low = INFINITY, high = -INFINITY, gravity = sn_length(world->gravity);
    for (int k = 0; k < island->agent_count; ++k) {
        int agent = world->touch.islands.agents.data[island->agent_first + k];
        double at = sn_dot(world->gravity, sn_vec3_at(set->q_last + set->agents[agent].q_first));
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return gravity > 0.0 ? (high - low) / gravity : 0.0;
}

// How thick its bodies are, by some of its contacts.
static double pile_thickness(const sn_world *world, const sn_island *island)
{
    enum { SAMPLES = 64 };
    const sn_touch *touch = &world->touch;
    int stride = island->pair_count / SAMPLES + 1, count = 0;
    double sum = 0.0;
    for (int k = 0; k < island->pair_count; k += stride, ++count) {
        int link = touch->islands.pairs.data[island->pair_first + k];
        sum += sn_touch_contact(touch, touch->active.data[link])->size;
    }
    return count > 0 ? sum / count : 0.0;
}

// Bodies of piles have drifted to the middle of the step, where forces were asked for; the pile
// takes them from its start.
static bool gather_pile(sn_world *world, const sn_island *island)
{
    sn_touch *touch = &world->touch;
    sn_agent_set *set = &world->rigid.agents;
    bool small = island->agent_count <= SMALL_PILE;
    sn_touch_piles *piles = small ? &touch->careful_piles : &touch->piles;
    for (int k = 0; k < island->agent_count; ++k) {
        int agent = touch->islands.agents.data[island->agent_first + k];
        size_t q = (size_t)set->agents[agent].q_first, v = (size_t)set->agents[agent].v_first;
        memcpy(set->q + q, set->q_last + q, SN_RIGID_Q * sizeof(double));
        memcpy(set->v + v, set->v_last + v, SN_RIGID_V * sizeof(double));
        set->agents[agent].held = 1;
        if (!sn_array_push(&piles->agents, agent)) {
            return false;
        }
    }
    for (int k = 0; k < island->pair_count; ++k) {
        int link = touch->islands.pairs.data[island->pair_first + k];
        if (!sn_array_push(&piles->contacts, touch->active.data[link])) {
            return false;
        }
    }
    // The one that asks for most is heeded: overlap by size goes as height by thickness squared.
    double height = pile_height(world, island), thickness = pile_thickness(world, island);
    if (height * piles->thickness * piles->thickness >= piles->height * thickness * thickness) {
        piles->height = height;
        piles->thickness = thickness;
    }
    return true;
}

static void clear_piles(sn_touch_piles *piles)
{
    sn_array_clear(&piles->contacts);
    sn_array_clear(&piles->agents);
    piles->height = piles->thickness = 0.0;
}

static bool gather_piles(sn_world *world)
{
    sn_touch *touch = &world->touch;
    clear_piles(&touch->piles);
    clear_piles(&touch->careful_piles);
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        if (touch->kinds.data[i] == SN_ISLAND_PILE &&
            !gather_pile(world, &touch->islands.islands.data[i])) {
            return false;
        }
    }
    return true;
}

sn_status sn_world_choose_solvers(sn_world *world, sn_error *error)
{
    return gather_piles(world) ? SN_OK : sn_fail_memory(error, sizeof(int));
}

// Elastic bodies whose bonds or contacts lead elsewhere than their free motion need three to five,
// as a rule.
enum { MOST_LEANS = 24 };

// Where elastic bodies touch, all points answer each other: the matrix is full, sweeps cost as much
// as Newton's method and do not come near in hundreds of them. So that may spend this.
static const double SOFT_WORK = 2e9;

static sn_exact_problem problem_of(sn_world *world, int island, double h)
{
    sn_touch *touch = &world->touch;
    const sn_island *own = &touch->islands.islands.data[island];
    sn_exact_problem problem = sn_exact_default();
    problem.contacts = touch->pressed.data + own->pair_first;
    problem.bonds = touch->bound.data + own->pair_first;
    problem.courses = touch->courses.data + own->pair_first;
    gather_island(world, own, &problem.contact_count, &problem.bond_count);
    problem.sets = world->sets;
    problem.leans = MOST_LEANS;
    problem.bend = sn_world_bend_bonds;
    problem.context = world;
    problem.limits.work = sn_touch_has_elastic(world, own) ? SOFT_WORK : problem.limits.work;
    problem.h = h;
    // The simultaneous impulse knows of points alone.
    problem.predict = sn_world_contact_traits(world)->predicted && problem.bond_count == 0;
    return problem;
}

// Islands share nothing that moves, so each is solved by whoever comes first, with memory of its
// own: the result is the same.
typedef struct island_work {
    sn_world *world;
    double h;
    bool at_end;       // the second pass, of what struck
    atomic_int next;   // island
    atomic_int failed; // some, for lack of memory
} island_work;

static sn_status solve_island(const island_work *work, int island, sn_exact *exact)
{
    sn_touch *touch = &work->world->touch;
    sn_exact_problem problem = problem_of(work->world, island, work->h);
    sn_exact_report report = {0};
    sn_status status = work->at_end ? sn_exact_relax(exact, &problem, &report, NULL)
                                    : sn_exact_solve(exact, &problem, &report, NULL);
    touch->struck.data[island] = !work->at_end && report.struck;
    double residual = isfinite(report.effort.residual) ? report.effort.residual : 1.0;
    touch->residual.data[island] = fmax(touch->residual.data[island], residual);
    if (report.unconverged && residual >= touch->unsolved.data[island].residual) {
        touch->unsolved.data[island] =
            (sn_touch_unsolved){residual, {report.worst[0], report.worst[1]}};
    }
    return status;
}

static void island_chunk(void *context, int first, int last, int chunk)
{
    (void)first;
    (void)last;
    island_work *work = context;
    sn_touch *touch = &work->world->touch;
    sn_exact *exact = chunk == 0 ? &touch->exact : &touch->helpers.data[chunk - 1];
    for (int i; (i = atomic_fetch_add(&work->next, 1)) < touch->islands.islands.count;) {
        bool due = work->at_end ? touch->struck.data[i] : touch->kinds.data[i] == SN_ISLAND_EXACT;
        if (due && solve_island(work, i, exact) != SN_OK) {
            atomic_store(&work->failed, 1);
        }
    }
}

// Names the bodies of the row that is off most.
static void note_unsolved(sn_world *world, const sn_touch_unsolved *unsolved)
{
    uint32_t bodies[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        const sn_contact_side *side = &unsolved->sides[k];
        bodies[k] = side->set >= 0 ? world->sets[side->set]->agents[side->agent].owner : 0;
    }
    sn_counter_worst *worst = &world->report.worst[SN_COUNTER_UNCONVERGED];
    double before = worst->amount;
    sn_world_note_worst(world, SN_COUNTER_UNCONVERGED, bodies[0], unsolved->residual);
    if (bodies[1] != 0 && worst->amount > before) {
        worst->other = (sn_body){bodies[1], world->body_ids.generation.data[bodies[1]]};
    }
}

static sn_status solve_islands(sn_world *world, double h, bool at_end, sn_error *error)
{
    sn_touch *touch = &world->touch;
    island_work work = {.world = world, .h = h, .at_end = at_end};
    int threads = sn_threads_count(world->threads), known = touch->helpers.count, due = 0;
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        due += at_end ? touch->struck.data[i] : touch->kinds.data[i] == SN_ISLAND_EXACT;
    }
    if (due == 0) {
        return SN_OK;
    }
    if (known < threads - 1) {
        if (!sn_array_resize(&touch->helpers, threads - 1)) {
            return sn_fail_memory(error, sizeof(sn_exact));
        }
        memset(touch->helpers.data + known, 0,
               (size_t)(threads - 1 - known) * sizeof *touch->helpers.data);
    }
    if (due == 1) { // threads share what is inside of it
        sn_world_share_threads(world, true);
        island_chunk(&work, 0, 1, 0);
        sn_world_share_threads(world, false);
    } else {
        sn_threads_run(world->threads, due < threads ? due : threads, 1, island_chunk, &work);
    }
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        world->report.worst_residual = fmax(world->report.worst_residual, touch->residual.data[i]);
        if (touch->unsolved.data[i].residual > 0.0) {
            note_unsolved(world, &touch->unsolved.data[i]);
        }
    }
    return atomic_load(&work.failed) ? sn_fail_memory(error, 0) : SN_OK;
}

static sn_status press_islands(sn_world *world, double h, sn_error *error)
{
    sn_touch *touch = &world->touch;
    int islands = touch->islands.islands.count;
    if (!sn_array_resize(&touch->struck, islands) || !sn_array_resize(&touch->residual, islands) ||
        !sn_array_resize(&touch->unsolved, islands)) {
        return sn_fail_memory(error, sizeof(double) * (size_t)islands);
    }
    world->report.worst_residual = 0.0;
    for (int i = 0; i < islands; ++i) {
        touch->struck.data[i] = 0;
        touch->residual.data[i] = 0.0;
        touch->unsolved.data[i].residual = 0.0;
    }
    return solve_islands(world, h, false, error);
}

static sn_status press_piles(sn_world *world, sn_touch_piles *piles, double h, sn_error *error)
{
    sn_pile_step_def def = {.gravity = world->gravity,
                            .h = h,
                            .substeps = world->contact.substeps,
                            .careful = piles == &world->touch.careful_piles,
                            .height = piles->height,
                            .thickness = piles->thickness};
    return piles->agents.count == 0
               ? SN_OK
               : sn_pile_step(&piles->pile, &world->rigid, piles->agents.data, piles->agents.count,
                              world->touch.pool.data, piles->contacts.data, piles->contacts.count,
                              &def, world->threads, &world->stack, error);
}

static void release_piles(sn_world *world, const sn_touch_piles *piles)
{
    for (int i = 0; i < piles->agents.count; ++i) {
        world->rigid.agents.agents[piles->agents.data[i]].held = 0;
    }
}

sn_status sn_world_press_contacts(sn_world *world, double h, sn_error *error)
{
    sn_status status = press_piles(world, &world->touch.careful_piles, h, error);
    status = status == SN_OK ? press_piles(world, &world->touch.piles, h, error) : status;
    return status == SN_OK ? press_islands(world, h, error) : status;
}

sn_status sn_world_relax_contacts(sn_world *world, double h, sn_error *error)
{
    release_piles(world, &world->touch.careful_piles); // held while others were moved
    release_piles(world, &world->touch.piles);
    return solve_islands(world, h, true, error);
}

// ---- rest ----

// The fastest point of an agent, by the speed that a fall over its size has; and the time that such
// a fall takes.
static double pace_of(const sn_world *world, int number, double gravity, double *time)
{
    sn_agent_ref ref = sn_world_agent_at(world, number);
    const sn_agent_set *set = world->sets[ref.set];
    double size, fastest = set->type->pace(set, ref.agent, &size);
    *time = sqrt(size / gravity);
    return fastest / sqrt(size * gravity);
}

void sn_world_rest_contacts(sn_world *world, double h)
{
    sn_touch *touch = &world->touch;
    double gravity = sn_length(world->gravity);
    if (!world->contact.sleep || !(gravity > 0.0)) {
        return;
    }
    for (int i = 0; i < touch->islands.islands.count; ++i) {
        const sn_island *island = &touch->islands.islands.data[i];
        if (touch->kinds.data[i] == SN_ISLAND_ASLEEP) {
            continue;
        }
        bool bonded = is_bonded(touch, island);
        for (int k = 0; k < island->agent_count; ++k) {
            int number = touch->islands.agents.data[island->agent_first + k];
            double time, pace = pace_of(world, number, gravity, &time);
            double *still = &touch->still.data[number];
            *still = pace < REST_SPEED && !bonded ? *still + h / (REST_TIME * time) : 0.0;
        }
    }
}
