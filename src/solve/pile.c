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

// Did it carry nothing in the last step? Then it is likely to do so again.
static bool is_idle(const sn_contact *contact)
{
    double sum = 0.0;
    for (int i = 0; i < contact->count; ++i) {
        sum += sn_dot(contact->points[i].impulse, contact->points[i].impulse);
    }
    return sum == 0.0;
}

// Contacts that have points and something that moves, as pairs of bodies. -1 when one names an
// agent that is not listed.
static int find_links(const sn_pile *pile, const sn_pile_work *work, const int *chosen, int count,
                      sn_pile_link *links)
{
    int found = 0;
    for (int i = 0; i < count; ++i) {
        int contact = chosen != NULL ? chosen[i] : i;
        const sn_contact *from = &work->contacts[contact];
        int a = body_of(pile, work, &from->a), b = body_of(pile, work, &from->b);
        if (a < 0 || b < 0) {
            return -1;
        }
        if (from->count > 0 && a != b) {
            links[found++] = (sn_pile_link){a, b, contact, from->count, is_idle(from), 0};
        }
    }
    return found;
}

// Overlap under a load goes as the load by the lighter body's mass, and as the square of the
// sub-step. Four times as many sub-steps hold a thousand times the own mass within 1 % of its size.
static int refinement(const sn_pile_work *work, const sn_pile_link *links, int count)
{
    double most = 1.0;
    for (int i = 0; i < count; ++i) {
        if (links[i].a != work->body_count && links[i].b != work->body_count) {
            double a = work->set->mass[work->agents[links[i].a]].mass;
            double b = work->set->mass[work->agents[links[i].b]].mass;
            most = fmax(most, a > b ? a / b : b / a);
        }
    }
    return most > 400.0 ? 4 : most > 100.0 ? 2 : 1;
}

static bool is_wedged(const sn_pile_work *work, const sn_pile_link *links, int count)
{
    bool any = false;
    for (int i = 0; i < count && !any; ++i) {
        any = sn_pile_overlaps_far(&work->contacts[links[i].contact]);
    }
    return any;
}

static int count_blocks(const sn_pile_link *links, int count)
{
    int of_colour[SN_PILE_COLOURS + 1] = {0}, blocks = 0;
    for (int i = 0; i < count; ++i) {
        of_colour[links[i].colour] += 1;
    }
    for (int i = 0; i < SN_PILE_COLOURS; ++i) {
        blocks += (of_colour[i] + SN_PILE_LANES - 1) / SN_PILE_LANES;
    }
    return blocks + of_colour[SN_PILE_COLOURS];
}

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
                    fmax(block->friction[lane] * point->press[lane], sqrt(t * t + s * s));
            }
        }
    }
}

static void step_work(sn_pile_work *work, int substeps, double start_scale)
{
    sn_pile_load_bodies(work);
    sn_pile_load_contacts(work, start_scale);
    for (int i = 0; i < substeps; ++i) {
        if (work->bounces) {
            sn_pile_run_sweep(work, SN_PILE_APPROACH);
        }
        work->elapsed = (i + 0.5) * work->h;
        sn_pile_kick_bodies(work);
        sn_pile_refresh_contacts(work, true);
        sn_pile_run_sweep(work, SN_PILE_START);
        work->tallies_up = false;
        sn_pile_run_sweep(work, SN_PILE_PRESS);
        work->elapsed = (i + 1) * work->h;
        sn_pile_drift_bodies(work);
        sn_pile_refresh_contacts(work, false);
        if (work->wedged) {
            hold_bounds(work);
        }
        for (int k = 0; work->wedged && k < WEDGED_SWEEPS; ++k) {
            sn_pile_run_sweep(work, SN_PILE_RELAX);
        }
        work->tallies_up = true;
        sn_pile_run_sweep(work, SN_PILE_RELAX);
    }
    sn_pile_store_contacts(work);
    sn_pile_store_bodies(work);
}

// What a step needs of the stack, taken in this order and given back in the other.
typedef struct pile_memory {
    void *pieces[12];
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

sn_status sn_pile_step(sn_pile *pile, sn_rigid_set *set, const int *agents, int agent_count,
                       sn_contact *contacts, const int *chosen, int chosen_count,
                       const sn_pile_step_def *def, sn_threads *threads, sn_stack *stack,
                       sn_error *error)
{
    pile_memory memory = {.count = 0};
    sn_pile_work work = {.set = set,
                         .agents = agents,
                         .body_count = agent_count,
                         .contacts = contacts,
                         .gravity = def->gravity,
                         .threads = threads};
    size_t bodies = (size_t)agent_count, links_size = (size_t)chosen_count;
    if (set->agents.damped != NULL) {
        work.start_velocity = take(&memory, stack, 2 * bodies, sizeof *work.start_velocity);
    }
    work.bodies = take(&memory, stack, bodies, sizeof *work.bodies);
    sn_pile_link *links = take(&memory, stack, links_size, sizeof *links);
    int *order = take(&memory, stack, links_size, sizeof *order);
    uint64_t *used = take(&memory, stack, bodies, sizeof *used);
    if (memory.failed || !place_agents(pile, &work)) {
        return fail_pile(&memory, stack, error, SN_ERROR_MEMORY);
    }
    int count = find_links(pile, &work, chosen, chosen_count, links);
    if (count < 0) {
        return fail_pile(&memory, stack, error, SN_ERROR_ARGUMENT);
    }
    int substeps = def->substeps * refinement(&work, links, count);
    work.h = def->h / substeps;
    work.step = def->h;
    sn_pile_colour_links(&work, links, count, used);
    size_t blocks = (size_t)count_blocks(links, count);
    work.blocks = take(&memory, stack, blocks, sizeof *work.blocks);
    work.extras = take(&memory, stack, blocks, sizeof *work.extras);
    work.points = take(&memory, stack, blocks * SN_MANIFOLD_POINTS, sizeof *work.points);
    work.tallies = take(&memory, stack, blocks * SN_MANIFOLD_POINTS, sizeof *work.tallies);
    work.wedged = is_wedged(&work, links, count);
    if (work.wedged) {
        work.bounds = take(&memory, stack, blocks * SN_MANIFOLD_POINTS, sizeof *work.bounds);
    }
    if (memory.failed) {
        return fail_pile(&memory, stack, error, SN_ERROR_MEMORY);
    }
    sn_pile_place_links(&work, links, count, order);
    double before = pile->h > 0.0 ? pile->h : def->h;
    step_work(&work, substeps, work.h / before);
    pile->h = def->h;
    give_back(&memory, stack);
    return SN_OK;
}

void sn_pile_free(sn_pile *pile)
{
    sn_array_free(&pile->place);
    pile->h = 0.0;
}
