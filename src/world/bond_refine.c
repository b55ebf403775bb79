// Light elastic bodies that carry heavy things by bonds, and the step once more with what the bonds
// were found to do.
//
// Solvers add impulses linearly, by the matrix of the motion about which an elastic body was
// linearised (elastic_step.c: with the impulses of the step before). What they change by is off by
// the change of stresses and axes that it brings, and under the midpoint rule, which damps nothing,
// that adds up to energy. So an island that nothing but bonds holds together is solved again, its
// elastic bodies linearised with the impulses just found, until they change no more: Newton's
// method on bodies and bonds together.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "world/touch.h"
#include "world/world.h"

enum { STRIDE = SN_SOLID_STRIDE, PASSES = 4 };

// Impulses that change by less than this share are as good as found: what it leaves is its square.
static const double SETTLED = 1e-4;

static bool is_bond(const sn_world *world, const sn_island *island, int link)
{
    const sn_touch *touch = &world->touch;
    return touch->active.data[touch->islands.pairs.data[island->pair_first + link]] >=
           SN_TOUCH_BONDS;
}

// Elastic bodies under the midpoint rule and others, with bonds alone between them.
static bool may_refine(const sn_world *world, int number)
{
    const sn_touch *touch = &world->touch;
    const sn_island *island = &touch->islands.islands.data[number];
    bool fits = touch->kinds.data[number] == SN_ISLAND_EXACT && island->pair_count > 0;
    for (int k = 0; k < island->pair_count && fits; ++k) {
        fits = is_bond(world, island, k);
    }
    for (int k = 0; k < island->agent_count && fits; ++k) {
        sn_agent_ref ref =
            sn_world_agent_at(world, touch->islands.agents.data[island->agent_first + k]);
        const sn_agent *head = &world->sets[ref.set]->agents[ref.agent];
        bool midpoint = head->integrator == SN_INTEGRATOR_LIE_MIDPOINT;
        fits = !head->held && (ref.set == SN_SET_RIGID || (ref.set == SN_SET_ELASTIC && midpoint));
    }
    return fits;
}

// The free motion of all but the elastic ones, which does not depend on bonds.
static bool keep_island(sn_world *world, const sn_island *island)
{
    sn_bond_set *set = &world->bonds;
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref =
            sn_world_agent_at(world, world->touch.islands.agents.data[island->agent_first + k]);
        const sn_agent_set *agents = world->sets[ref.set];
        int first = set->kept_v.count;
        int count = ref.set != SN_SET_ELASTIC ? agents->agents[ref.agent].v_count : 0;
        if (!sn_array_resize(&set->kept_v, first + count)) {
            return false;
        }
        if (count > 0) {
            memcpy(set->kept_v.data + first, sn_agent_v(agents, ref.agent),
                   (size_t)count * sizeof(double));
        }
    }
    return true;
}

bool sn_world_keep_bonded(sn_world *world)
{
    sn_bond_set *set = &world->bonds;
    sn_array_clear(&set->kept_v);
    sn_array_clear(&set->refined);
    if (!sn_array_resize(&set->leaned, set->rows.count)) {
        return false;
    }
    for (int i = 0; i < set->rows.count; ++i) {
        set->leaned.data[i] = set->rows.data[i].impulse;
    }
    for (int i = 0; i < world->touch.islands.islands.count && set->rows.count > 0; ++i) {
        if (may_refine(world, i) && (!keep_island(world, &world->touch.islands.islands.data[i]) ||
                                     !sn_array_push(&set->refined, i))) {
            return false;
        }
    }
    return true;
}

static int row_of(const sn_world *world, const sn_island *island, int link)
{
    const sn_touch *touch = &world->touch;
    return touch->active.data[touch->islands.pairs.data[island->pair_first + link]] -
           SN_TOUCH_BONDS;
}

static bool has_settled(const sn_world *world, const sn_island *island)
{
    const sn_bond_set *set = &world->bonds;
    double sum = 0.0, change = 0.0;
    for (int k = 0; k < island->pair_count; ++k) {
        int row = row_of(world, island, k);
        double p = set->rows.data[row].impulse, d = p - set->leaned.data[row];
        sum += p * p;
        change += d * d;
    }
    return !(change > SETTLED * SETTLED * sum);
}

// Back to free motion, with elastic bodies leaning on what bonds do.
static void restart_island(sn_world *world, const sn_island *island, double h, size_t kept)
{
    sn_bond_set *set = &world->bonds;
    const sn_touch *touch = &world->touch;
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref =
            sn_world_agent_at(world, touch->islands.agents.data[island->agent_first + k]);
        sn_agent_set *agents = world->sets[ref.set];
        const sn_agent *head = &agents->agents[ref.agent];
        size_t count = (size_t)head->v_count;
        if (ref.set == SN_SET_ELASTIC) {
            memcpy(sn_agent_v(agents, ref.agent), agents->v_last + head->v_first,
                   count * sizeof(double));
            memset(world->elastics.items[ref.agent]->lean, 0, count * sizeof(double));
        } else if (count > 0) {
            memcpy(sn_agent_v(agents, ref.agent), set->kept_v.data + kept, count * sizeof(double));
            kept += count;
        }
    }
    for (int k = 0; k < island->pair_count; ++k) {
        int number = row_of(world, island, k);
        const sn_exact_bond *row = &set->rows.data[number];
        set->leaned.data[number] = row->impulse;
        for (int t = 0; t < row->count; ++t) {
            if (row->sides[t].set == SN_SET_ELASTIC) {
                sn_elastic_lean(world->elastics.items[row->sides[t].agent], row->sides[t].part,
                                sn_vec3_scale(row->impulse, row->forces[t].linear));
            }
        }
    }
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref =
            sn_world_agent_at(world, touch->islands.agents.data[island->agent_first + k]);
        sn_agent_set *agents = world->sets[ref.set];
        if (ref.set == SN_SET_ELASTIC) {
            agents->type->free_step(agents, ref.agent, ref.agent + 1, world->gravity, h);
        }
    }
}

// How many numbers keep_island has kept of it.
static size_t count_kept(const sn_world *world, const sn_island *island)
{
    size_t count = 0;
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref =
            sn_world_agent_at(world, world->touch.islands.agents.data[island->agent_first + k]);
        if (ref.set != SN_SET_ELASTIC) {
            count += (size_t)world->sets[ref.set]->agents[ref.agent].v_count;
        }
    }
    return count;
}

sn_status sn_world_refine_bonds(sn_world *world, double h, sn_error *error)
{
    const sn_bond_set *set = &world->bonds;
    sn_status status = SN_OK;
    size_t kept = 0;
    world->elastics.threads = world->threads;
    for (int i = 0; i < set->refined.count && status == SN_OK; ++i) {
        int number = set->refined.data[i];
        const sn_island *island = &world->touch.islands.islands.data[number];
        for (int pass = 0; pass < PASSES && status == SN_OK && !has_settled(world, island);
             ++pass) {
            restart_island(world, island, h, kept);
            status = sn_world_solve_again(world, number, h, error);
        }
        kept += count_kept(world, island);
    }
    world->elastics.threads = NULL;
    return status;
}
