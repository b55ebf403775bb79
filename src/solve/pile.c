#include "solve/pile.h"

#include <string.h>

#include "base/error.h"
#include "solve/pile_part.h"

// The number of an agent's body, or -1 when it is not listed. Entries of agents of earlier calls
// are left as they are: an entry counts only if the list agrees.
static int body_of(const sn_pile *pile, const sn_pile_work *work, const sn_contact_side *side)
{
    if (side->set < 0) {
        return work->body_count;
    }
    int place =
        side->agent >= 0 && side->agent < pile->place.count ? pile->place.data[side->agent] : -1;
    return place >= 0 && place < work->body_count && work->agents[place] == side->agent ? place
                                                                                        : -1;
}

static bool place_agents(sn_pile *pile, const sn_pile_work *work)
{
    int count = work->set->agents.count, old = pile->place.count;
    if (count > old) {
        if (!sn_array_resize(&pile->place, count)) {
            return false;
        }
        memset(pile->place.data + old, 0, (size_t)(count - old) * sizeof *pile->place.data);
    }
    for (int i = 0; i < work->body_count; ++i) {
        pile->place.data[work->agents[i]] = i;
    }
    return true;
}

// ---- links ----

typedef struct link_run {
    const sn_pile *pile;
    const sn_pile_work *work;
    const int *chosen;
    sn_pile_link *links;
    double before, substep; // s: the last step, and a sub-step of this one if it is not refined
} link_run;

// Did it carry nothing in the last step? Then it is likely to do so again.
static bool is_idle(const sn_contact *contact)
{
    double sum = 0.0;
    for (int i = 0; i < contact->count; ++i) {
        sum += sn_dot(contact->points[i].impulse, contact->points[i].impulse);
    }
    return sum == 0.0;
}

static bool is_plain(const sn_contact *contact)
{
    return contact->restitution == 0.0 && contact->rolling_friction == 0.0 &&
           contact->spinning_friction == 0.0 &&
           sn_dot(contact->surface_velocity, contact->surface_velocity) == 0.0;
}

static double mass_of(const sn_pile_work *work, int body)
{
    return body == work->body_count ? INFINITY : work->set->mass[work->agents[body]].mass;
}

static double normal_impulse(const sn_contact *contact)
{
    double sum = 0.0;
    for (int i = 0; i < contact->count; ++i) {
        sum += sn_dot(contact->points[i].impulse, contact->normal);
    }
    return sum;
}

// Overlap under a load goes as the load by the lighter body's mass, and as the square of the
// sub-step; of boxes that lie on each other by about the factor below. How many doublings of the
// sub-steps keep it small.
enum { FINEST = 3 };

static int load_level(double load, double size, double substep)
{
    const double give = 2.4;
    double overlap = give * substep * substep * load / size;
    return overlap > 0.08 ? 3 : overlap > 0.02 ? 2 : overlap > 0.01 ? 1 : 0;
}

// The weight of a pile of layers on its lowest one; what lies there has about two to lie on.
static int weight_level(const sn_pile_step_def *def, double substep)
{
    double load = 0.5 * sn_length(def->gravity) * def->height / def->thickness;
    return def->thickness > 0.0 ? load_level(load, def->thickness, substep) : 0;
}

// What one touches that is much heavier may come to be a load.
static int mass_level(double ratio)
{
    return ratio > 400.0 ? 2 : ratio > 100.0 ? 1 : 0;
}

static void find_levels(sn_pile_link *link, const sn_pile_work *work, const sn_contact *contact,
                        double before, double substep)
{
    double mass_a = mass_of(work, link->a), mass_b = mass_of(work, link->b);
    double most = fmax(mass_a, mass_b), least = fmin(mass_a, mass_b);
    double load = normal_impulse(contact) / (before * least);
    link->mass_level = (uint8_t)mass_level(isfinite(most) ? most / least : 1.0);
    link->load_level = (uint8_t)load_level(load, contact->size, substep);
}

// Contacts that have points and something that moves, as pairs of bodies.
enum { AHEAD = 4 };

static void link_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const link_run *run = context;
    for (int i = first; i < last; ++i) {
        int contact = run->chosen != NULL ? run->chosen[i] : i;
        const sn_contact *from = &run->work->contacts[contact];
        if (i + AHEAD < last) {
            sn_contact_prefetch(
                &run->work->contacts[run->chosen != NULL ? run->chosen[i + AHEAD] : i + AHEAD]);
        }
        int a = body_of(run->pile, run->work, &from->a),
            b = body_of(run->pile, run->work, &from->b);
        sn_pile_link link = {.a = a, .b = b, .contact = contact, .unknown = a < 0 || b < 0};
        if (!link.unknown && a != b && from->count > 0) {
            link.count = (uint8_t)from->count;
            link.idle = is_idle(from);
            link.wedged = sn_pile_overlaps_far(from);
            link.plain = is_plain(from);
            find_levels(&link, run->work, from, run->before, run->substep);
        }
        run->links[i] = link;
    }
}

// Impacts load some contacts of a large pile for a moment, which asks for nothing: a load counts
// where more than such a share of all contacts bear its like.
static const double LOADED = 1.0 / 8.0, CAREFUL_LOADED = 1.0 / 64.0;

// How many there are, and what they ask for; -1 when one names an agent that is not listed.
static int find_links(const sn_pile *pile, sn_pile_work *work, const int *chosen, int count,
                      const sn_pile_step_def *def, sn_pile_link *links, int *refined)
{
    double substep = def->h / def->substeps, share = def->careful ? CAREFUL_LOADED : LOADED;
    link_run run = {pile, work, chosen, links, pile->h > 0.0 ? pile->h : def->h, substep};
    int found = 0, level = weight_level(def, substep), loaded[FINEST + 1] = {0};
    bool unknown = false;
    sn_threads_run(work->threads, count, SN_PILE_LINK_CHUNK, link_chunk, &run);
    work->plain = true;
    for (int i = 0; i < count; ++i) {
        unknown |= links[i].unknown;
        if (links[i].count > 0) {
            work->wedged |= links[i].wedged;
            work->plain &= links[i].plain;
            level = links[i].mass_level > level ? links[i].mass_level : level;
            loaded[links[i].load_level] += 1;
            links[found++] = links[i];
        }
    }
    for (int i = FINEST, above = 0; i > level; --i) {
        above += loaded[i];
        level = above > share * found ? i : level;
    }
    *refined = 1 << level;
    return unknown ? -1 : found;
}

// ---- sub-steps ----

// More of relaxing where things are wedged in, with bounds of friction that are held: bounds that
// follow the normal impulses have no potential, and sweeps that chase them may grow without end;
// with held ones each visit takes energy out, whatever the others do (exact_calm.c has the
// formula).
enum { WEDGED_SWEEPS = 16 };

static void hold_bounds(sn_pile_work *work)
{
    for (int i = 0; i < work->block_count; ++i) {
        const sn_pile_block *block = &work->blocks[i];
        for (int k = block->point_first; k < block->point_first + block->point_count; ++k) {
            const sn_pile_point *point = &work->points[k];
            for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
                double t = point->rub_t[lane], s = point->rub_s[lane];
                work->bounds[k][lane] =
                    fmax((double)block->friction[lane] * point->press[lane], sqrt(t * t + s * s));
            }
        }
    }
}

// What is wedged in or uneven looks at all contacts between the sweeps.
static void press_and_relax_apart(sn_pile_work *work, sn_pile_work *relaxing, int sweeps)
{
    sn_pile_work more = *relaxing;
    more.tallies_up = more.first_tally = false;
    sn_pile_run_sweep(work, SN_PILE_PRESS);
    sn_pile_drift_bodies(work);
    sn_pile_refresh_contacts(work, false);
    if (work->wedged) {
        hold_bounds(work);
        sweeps += WEDGED_SWEEPS;
    }
    for (int k = 1; k < sweeps; ++k) {
        sn_pile_run_sweep(&more, SN_PILE_RELAX);
    }
    sn_pile_run_sweep(relaxing, SN_PILE_RELAX);
}

static void step_work(sn_pile_work *work, int substeps, int relaxing_sweeps, double start_scale)
{
    sn_pile_load_bodies(work);
    sn_pile_load_contacts(work, start_scale);
    bool apart = work->uneven || relaxing_sweeps > 1;
    for (int i = 0; i < substeps; ++i) {
        if (work->bounces) {
            sn_pile_run_sweep(work, SN_PILE_APPROACH);
        }
        work->elapsed = (i + 0.5) * work->h;
        sn_pile_kick_bodies(work);
        sn_pile_refresh_contacts(work, true);
        if (work->uneven) { // else bodies have been given it
            sn_pile_run_sweep(work, SN_PILE_START);
        }
        sn_pile_work relaxing = *work;
        relaxing.elapsed = (i + 1) * work->h;
        relaxing.tallies_up = true;
        relaxing.first_tally = i == 0;
        relaxing.starts_next = !work->uneven && i + 1 < substeps;
        if (apart) {
            press_and_relax_apart(work, &relaxing, relaxing_sweeps);
        } else {
            sn_pile_run_substep(work, &relaxing, i + 1 == substeps);
        }
        work->elapsed = relaxing.elapsed;
    }
    if (apart) {
        sn_pile_run_sweep(work, SN_PILE_STORE);
    }
    sn_pile_store_bodies(work);
}

// Scaling by it is exact.
static double power_of_two_below(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&x, &bits, sizeof bits);
    return x > 0.0 ? x : 1.0;
}

// What a step needs of the stack, taken in this order and given back in the other.
typedef struct pile_memory {
    void *pieces[20];
    int count;
    bool failed;
} pile_memory;

static void *take(pile_memory *memory, sn_stack *stack, size_t count, size_t size)
{
    void *piece = memory->failed ? NULL : sn_stack_push(stack, (count + 1) * size, "pile");
    if (piece == NULL) {
        memory->failed = true;
        return NULL;
    }
    memory->pieces[memory->count++] = piece;
    return piece;
}

static void give_back(pile_memory *memory, sn_stack *stack)
{
    while (memory->count > 0) {
        sn_stack_pop(stack, memory->pieces[--memory->count]);
    }
}

static sn_status fail_pile(pile_memory *memory, sn_stack *stack, sn_error *error, sn_status status)
{
    give_back(memory, stack);
    return status == SN_ERROR_MEMORY
               ? sn_fail_memory(error, 0)
               : sn_fail(error, status, NULL,
                         "a contact of a pile names an agent that is not in it, expected one of "
                         "those listed");
}

// Arrays whose sizes the links tell.
static void take_blocks(sn_pile_work *work, pile_memory *memory, sn_stack *stack)
{
    size_t blocks = (size_t)work->block_count, points = (size_t)work->point_count;
    work->blocks = take(memory, stack, blocks, sizeof *work->blocks);
    work->points = take(memory, stack, points, sizeof *work->points);
    work->tallies = take(memory, stack, points, sizeof *work->tallies);
    if (!work->plain) {
        work->extras = take(memory, stack, blocks, sizeof *work->extras);
        work->approaches = take(memory, stack, points, sizeof *work->approaches);
    }
    if (work->wedged) {
        work->bounds = take(memory, stack, points, sizeof *work->bounds);
    }
}

sn_status sn_pile_step(sn_pile *pile, sn_rigid_set *set, const int *agents, int agent_count,
                       sn_contact *contacts, const int *chosen, int chosen_count,
                       const sn_pile_step_def *def, sn_threads *threads, sn_stack *stack,
                       sn_error *error)
{
    pile_memory memory = {.count = 0};
    int cluster_size = sn_pile_cluster_size(agent_count), refined = 1;
    sn_pile_work work = {.set = set,
                         .body_count = agent_count,
                         .contacts = contacts,
                         .cluster_size = cluster_size,
                         .cluster_count = sn_chunk_count(agent_count, cluster_size),
                         .gravity = def->gravity,
                         .threads = threads};
    sn_pile_layout layout = {.work = &work};
    size_t bodies = (size_t)agent_count, links = (size_t)chosen_count;
    if (set->agents.damped != NULL) {
        work.start_velocity = take(&memory, stack, 2 * bodies, sizeof *work.start_velocity);
    }
    work.bodies = take(&memory, stack, bodies, sizeof *work.bodies);
    work.clusters = take(&memory, stack, (size_t)work.cluster_count, sizeof *work.clusters);
    work.q = take(&memory, stack, bodies, SN_RIGID_Q * sizeof *work.q);
    work.v = take(&memory, stack, bodies, SN_RIGID_V * sizeof *work.v);
    work.mass = take(&memory, stack, bodies, sizeof *work.mass);
    work.force = take(&memory, stack, bodies, sizeof *work.force);
    int *ordered = take(&memory, stack, bodies, sizeof *ordered);
    sn_pile_place *places = take(&memory, stack, bodies, sizeof *places);
    layout.links = take(&memory, stack, links, sizeof *layout.links);
    layout.list = take(&memory, stack, links, sizeof *layout.list);
    layout.order = take(&memory, stack, links, sizeof *layout.order);
    layout.spare = take(&memory, stack, links, sizeof *layout.spare);
    layout.used = take(&memory, stack, bodies, sizeof *layout.used);
    if (memory.failed) {
        return fail_pile(&memory, stack, error, SN_ERROR_MEMORY);
    }
    sn_pile_order_bodies(set, agents, agent_count, cluster_size, places, ordered);
    work.agents = ordered;
    if (!place_agents(pile, &work)) {
        return fail_pile(&memory, stack, error, SN_ERROR_MEMORY);
    }
    layout.count = find_links(pile, &work, chosen, chosen_count, def, layout.links, &refined);
    if (layout.count < 0) {
        return fail_pile(&memory, stack, error, SN_ERROR_ARGUMENT);
    }
    int substeps = def->substeps * refined;
    work.mass_unit = power_of_two_below(agent_count > 0 ? set->mass[agents[0]].mass : 1.0);
    work.h = def->h / substeps;
    work.step = def->h;
    sn_pile_sort_links(&layout);
    take_blocks(&work, &memory, stack);
    if (memory.failed) {
        return fail_pile(&memory, stack, error, SN_ERROR_MEMORY);
    }
    sn_pile_fill_blocks(&layout);
    double before = pile->h > 0.0 ? pile->h : def->h;
    int relaxing = def->careful || refined > 1 ? 2 : 1;
    step_work(&work, substeps, relaxing, work.h / before);
    pile->h = def->h;
    give_back(&memory, stack);
    return SN_OK;
}

void sn_pile_free(sn_pile *pile)
{
    sn_array_free(&pile->place);
    pile->h = 0.0;
}
