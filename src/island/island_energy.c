// The last line of contact: whatever solvers and agents made of an island in a step, contact does
// not add energy to it, and what is no longer a number does not end the world.
//
// An island may leave a step with the kinetic energy it came with, the work of gravity, of forces
// and of surfaces that move by themselves, and a share for what integrators are off by; where
// something overlaps, also with what it takes to lift its bodies by LIFT of their radius, since
// they are moved apart; where springs pull, with a share of what these hold. The share is one of
// the energy that is at stake: a fall or flight of the whole is not, as long as nothing from
// outside changes its momentum, else a pile in free fall would be allowed more the deeper it falls.
// Or, slow as it is, with less than what all its bodies have at FLOOR of their radius a step, the
// trace that undoing overlap leaves. What is beyond that is taken out: all its velocities shrink by
// one factor, which keeps to joints and loops, though not to momentum. The counter
// `velocity_scaled` has their agents, `energy_gained` those of islands with a smaller gain. Next to
// something large that is slow, what is small could hide any gain: agents that are fast for
// themselves must do with what the island may have, without that floor, or are slowed alone.
// Mechanisms with drives have sources of their own and are left alone.
//
// Islands with elastic bodies are looked at when their skins have been stopped where they had to be
// (soft_stop.c), with the energy of their material and a smaller share. Should that alone be more
// than the island may have, they are taken back on their way until it is not. Elastic bodies that
// touch nothing pay with the motion of their material, and keep their momenta. Bonds may do work by
// as far as their equations are off or led; hands and explicit steps are sources of their own.
//
// An island in which something is no longer a number, or a mechanism could not be followed at all,
// stands still for the step at half its velocity, with all impulses forgotten; `stopped` counts its
// agents. So does one that was moved to where no velocity would do: its height and its springs
// alone hold more than it can have. Where a force itself is not a number the step fails, as it
// must.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "island/field_spring.h"
#include "model/world.h"
#include "touch/touch.h"

static const double FLOOR = 1.0 / 20.0; // of the radius of a body, in a step
static const double LIFT = 1.0 / 32.0;  // the same
static const double SHARE = 0.02;       // of the energy it may have
static const double GROSS = 100.0;      // the same
static const double NAMED = 5e-3;       // the same: a gain that is counted
// Of all energies that are added up, large ones that cancel each other, too: bodies high up whose
// fall is all that happens come out right to their last digits only.
static const double ROUNDING = 1e-12;
// The same of elastic bodies, whose skins overlap by no more than their thickness.
static const double SOFT_FLOOR = 1.0 / 100.0, SOFT_LIFT = 2e-3, SOFT_SHARE = 2e-3;
static const double SOFT_ROUNDING = 1e-10;
// The same of those with bonds, whose bodies have accounts of what rules give them
// (agent/elastic_lean.c).
static const double BONDED_SHARE = 0.1, COMMON_SHARE = 0.02;

// ---- energies ----

static void add_agent(const sn_world *world, sn_agent_ref ref, double h, sn_energy_balance *sum)
{
    const sn_agent_set *set = world->sets[ref.set];
    bool soft = set->type->traits.deformable;
    sn_balance_def def = {.gravity = world->gravity,
                          .h = h,
                          .floor = soft ? SOFT_FLOOR : FLOOR,
                          .lift = soft ? SOFT_LIFT : LIFT};
    if (!soft) { // whose skins overlap by no more than their own thickness
        int number = sn_touch_agent_number(world, (sn_contact_side){ref.set, ref.agent, 0});
        def.thickness = world->touch.thickness.data[number];
        def.start = &world->touch.started.data[number];
    }
    set->type->balance(set, ref.agent, &def, sum);
}

static void note_thickness(const sn_world *world, const sn_contact_side *side, double size)
{
    if (side->set >= 0) {
        double *own = &world->touch.thickness.data[sn_touch_agent_number(world, *side)];
        *own = fmax(*own, size);
    }
}

// What belts put in, bonds that are off or lead along a path, and springs that relax; whether bonds
// hold something; and how large what each agent touches is. True if anything overlaps.
static bool add_pairs(const sn_world *world, const sn_island *island, double h,
                      sn_energy_balance *sum)
{
    const sn_touch *touch = &world->touch;
    bool overlaps = false;
    for (int k = 0; k < island->pair_count; ++k) {
        int number = touch->active.data[touch->islands.pairs.data[island->pair_first + k]];
        if (number >= SN_TOUCH_SPRINGS) {
            sum->work += sn_world_field_spring_work(world, number - SN_TOUCH_SPRINGS, &sum->sprung);
            continue;
        }
        if (number >= SN_TOUCH_BONDS) {
            const sn_exact_bond *bond = &world->bonds.rows.data[number - SN_TOUCH_BONDS];
            sum->slack += fabs(bond->impulse) * bond->way / h;
            sum->bonded = true;
            continue;
        }
        const sn_contact *contact = sn_touch_contact(touch, number);
        double speed = sn_length(contact->surface_velocity);
        note_thickness(world, &contact->a, contact->size);
        note_thickness(world, &contact->b, contact->size);
        for (int i = 0; i < contact->count; ++i) {
            sum->work += speed > 0.0 ? speed * sn_length(contact->points[i].impulse) : 0.0;
            overlaps = overlaps || contact->points[i].gap < -SN_EXACT_OVERLAP * contact->size;
        }
    }
    return overlaps;
}

static bool is_fast(const sn_world *world, const sn_island *island, double h)
{
    const int *agents = &world->touch.islands.agents.data[island->agent_first];
    bool fast = false;
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref = sn_world_agent_at(world, agents[k]);
        fast = fast || !sn_world_traits(world, ref.set)->lone ||
               sn_rigid_is_fast(world->sets[ref.set], ref.agent, FLOOR, h);
    }
    return fast;
}

bool sn_touch_has_elastic(const sn_world *world, const sn_island *island)
{
    const int *agents = &world->touch.islands.agents.data[island->agent_first];
    bool any = false;
    for (int k = 0; k < island->agent_count && sn_world_has_deformable(world); ++k) {
        any = any || sn_world_traits(world, sn_world_agent_at(world, agents[k]).set)->deformable;
    }
    return any;
}

static sn_energy_balance sum_of(const sn_world *world, const sn_island *island, double h)
{
    const int *agents = &world->touch.islands.agents.data[island->agent_first];
    sn_energy_balance sum = {0};
    bool overlaps = add_pairs(world, island, h, &sum);
    for (int k = 0; k < island->agent_count; ++k) {
        add_agent(world, sn_world_agent_at(world, agents[k]), h, &sum);
    }
    sum.lift = overlaps ? sum.lift : 0.0;
    return sum;
}

// Kinetic energy that something can have changed: without that of the momentum which the island
// came with and nothing from outside took.
static double at_stake(const sn_energy_balance *sum, sn_vec3 gravity, double h)
{
    sn_vec3 fall = sn_vec3_add_scaled(sum->momentum_before, h * sum->mass, gravity);
    double given = sn_length(sn_vec3_sub(sum->momentum, fall));
    double kept = fmax(sn_length(sum->momentum) - given, 0.0);
    return sum->mass > 0.0 ? fmax(sum->kinetic - kept * kept / (2.0 * sum->mass), 0.0)
                           : sum->kinetic;
}

// Scales the velocities of those agents alone whose energy was counted as fast.
static void slow_fast(sn_world *world, const sn_island *island, double h, double share)
{
    const int *agents = &world->touch.islands.agents.data[island->agent_first];
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref = sn_world_agent_at(world, agents[k]);
        sn_agent_set *set = world->sets[ref.set];
        sn_energy_balance own = {0};
        add_agent(world, ref, h, &own);
        if (own.fast > 0.0) {
            set->type->contact->slow(set, ref.agent, share);
        }
    }
}

static void slow(sn_world *world, const sn_island *island, double share)
{
    const int *agents = &world->touch.islands.agents.data[island->agent_first];
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref = sn_world_agent_at(world, agents[k]);
        sn_agent_set *set = world->sets[ref.set];
        set->type->contact->slow(set, ref.agent, share);
    }
}

// ---- what is no longer a number ----

// Nor are numbers whose squares are none: energies would not be.
static bool all_finite(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += 0.0 * (x[i] * x[i]);
    }
    return sum == 0.0;
}

static bool is_lost(const sn_agent_set *set, int agent)
{
    const sn_agent *head = &set->agents[agent];
    return head->failed || !all_finite(sn_agent_q(set, agent), head->q_count) ||
           !all_finite(sn_agent_v(set, agent), head->v_count);
}

// Nobody but contact can be to blame, and no motion must be followed.
static bool may_stand(const sn_world *world, sn_agent_ref ref)
{
    const sn_agent_set *set = world->sets[ref.set];
    const sn_agent *head = &set->agents[ref.agent];
    bool may = head->failed != SN_FAILURE_MEMORY && sn_vec3_is_finite(world->gravity);
    for (int i = 0; i < head->part_count && may; ++i) {
        const sn_spatial *f = &set->force[head->part_first + i];
        may = sn_vec3_is_finite(f->linear) && sn_vec3_is_finite(f->angular);
    }
    if (set->type->has_joints && may) {
        may = all_finite(set->joint_force + head->v_first, head->v_count);
    }
    return may && !(set->type->traits.jointed && sn_articulation_follows_motion(set, ref.agent));
}

static void stand(sn_agent_set *set, int agent)
{
    sn_agent *head = &set->agents[agent];
    double *v = sn_agent_v(set, agent);
    memcpy(sn_agent_q(set, agent), set->q_last + head->q_first,
           (size_t)head->q_count * sizeof(double));
    for (int j = 0; j < head->v_count; ++j) {
        v[j] = 0.5 * set->v_last[head->v_first + j];
    }
    sn_agent_touch(set, agent);
    head->failed = SN_FAILURE_NONE;
    sn_agent_count(head, SN_COUNTER_STOPPED);
}

void sn_world_stand(sn_world *world, sn_agent_ref ref)
{
    if (may_stand(world, ref)) {
        stand(world->sets[ref.set], ref.agent);
    }
}

static void forget_impulses(sn_touch *touch, const sn_island *island)
{
    for (int k = 0; k < island->pair_count; ++k) {
        int number = touch->active.data[touch->islands.pairs.data[island->pair_first + k]];
        if (number >= SN_TOUCH_BONDS) {
            continue;
        }
        sn_contact *contact = sn_touch_contact(touch, number);
        contact->turning = SN_VEC3_ZERO;
        for (int i = 0; i < contact->count; ++i) {
            sn_contact_point *point = &contact->points[i];
            point->impulse = point->anchor = SN_VEC3_ZERO;
            point->touched = 0;
        }
    }
}

// Its agents stand still, if something is lost there or the island is as a whole.
static void stand_island(sn_world *world, int index, bool lost)
{
    sn_touch *touch = &world->touch;
    const sn_island *island = &touch->islands.islands.data[index];
    const int *agents = &touch->islands.agents.data[island->agent_first];
    bool may = touch->kinds.data[index] != SN_ISLAND_ASLEEP;
    for (int k = 0; k < island->agent_count && may; ++k) {
        sn_agent_ref ref = sn_world_agent_at(world, agents[k]);
        may = may_stand(world, ref);
        lost = lost || is_lost(world->sets[ref.set], ref.agent);
    }
    if (!lost || !may) {
        return;
    }
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref = sn_world_agent_at(world, agents[k]);
        stand(world->sets[ref.set], ref.agent);
    }
    forget_impulses(touch, island);
    touch->struck.data[index] = 0;
    touch->residual.data[index] = world->report.worst_residual = 1.0;
}

void sn_world_stand_lost(sn_world *world)
{
    for (int i = 0; i < world->touch.islands.islands.count; ++i) {
        stand_island(world, i, false);
    }
    for (int s = 0, first = 0; s < world->set_count; first += world->sets[s++]->count) {
        const sn_agent_set *set = world->sets[s];
        for (int i = 0; i < set->count && set->type->traits.deformable; ++i) {
            if (world->touch.islands.of.data[first + i] < 0 && is_lost(set, i)) {
                sn_world_stand(world, (sn_agent_ref){.set = s, .agent = i}); // whatever contact did
            }
        }
    }
}

// ---- in a step ----

// Mechanisms are looked at that touch something, or whose ties may do anything at once.
static bool is_watched(const sn_world *world, const sn_agent_set *set, int agent, int number)
{
    return world->touch.islands.of.data[number] >= 0 ||
           sn_articulation_of(set, agent)->ties != NULL;
}

static void note_starts(sn_world *world, const sn_agent_set *set, int first)
{
    for (int i = 0; i < set->count && set->type->traits.jointed; ++i) {
        if (is_watched(world, set, i, first + i)) {
            sn_measure measure;
            set->type->measure(set, i, world->gravity, &measure);
            measure.kinetic += measure.added;
            world->touch.started.data[first + i] =
                (sn_agent_start){.energy = measure.kinetic + measure.potential,
                                 .kinetic = measure.kinetic,
                                 .momentum = measure.momentum};
        }
    }
}

bool sn_world_note_energies(sn_world *world)
{
    const sn_touch *touch = &world->touch;
    int agents = sn_world_agent_count(world);
    if (!sn_array_resize(&world->touch.started, agents) ||
        !sn_array_resize(&world->touch.thickness, agents)) {
        return false;
    }
    for (int i = 0; i < agents; ++i) {
        touch->thickness.data[i] = 0.0;
    }
    for (int s = 0, first = 0; s < world->set_count; first += world->sets[s++]->count) {
        note_starts(world, world->sets[s], first);
    }
    return true;
}

// Energy it may have, and what of that is left for its motion.
static double all_of(const sn_energy_balance *sum)
{
    return sum->before + fmax(sum->work + sum->slack, 0.0) + sum->lift + SHARE * sum->sprung;
}

// What it has gained beyond the work of forces.
static double gain_of(const sn_energy_balance *sum)
{
    return sum->kinetic + sum->potential - sum->before - fmax(sum->work, 0.0);
}

// Whose motion and energy is summed up: an island, or one agent that touches nothing.
typedef struct energy_group {
    const sn_island *island; // NULL: the agent alone
    sn_agent_ref alone;
} energy_group;

static void count_group(sn_world *world, const energy_group *group, sn_counter counter,
                        double amount)
{
    if (group->island != NULL) {
        sn_world_count_island(world, group->island, counter, amount);
    } else {
        sn_world_count_agent(world, group->alone, counter, amount);
    }
}

// A gain that is left: it is counted, so that nobody has to find it.
static void note_left(sn_world *world, const energy_group *group, const sn_energy_balance *sum)
{
    double all = fmax(sum->kinetic, sum->before - sum->potential) + sum->sprung;
    double gain = gain_of(sum);
    if (!sum->driven && gain > NAMED * all + SOFT_ROUNDING * sum->added) {
        count_group(world, group, SN_COUNTER_ENERGY_GAINED, gain);
    }
}

static double motion_of(const sn_energy_balance *sum)
{
    return fmax(all_of(sum) - sum->potential, 0.0);
}

// Velocities so far beyond what it may have that the way they led is none either: what was thrown
// down may have all that its fall gives.
static bool is_thrown(const sn_energy_balance *sum)
{
    return !sum->driven && sum->kinetic > GROSS * fmax(motion_of(sum), sum->floor);
}

static bool is_out_of_place(const sn_energy_balance *sum)
{
    return is_thrown(sum) || (!sum->driven && sum->potential > all_of(sum) + sum->floor);
}

static bool is_too_tense(const sn_energy_balance *sum)
{
    return !sum->driven && !(sum->potential <= all_of(sum) + sum->floor);
}

// Nothing but springs makes it one: contact has done nothing to it.
static bool touches_nothing(const sn_touch *touch, const sn_island *island)
{
    bool sprung = true;
    for (int k = 0; k < island->pair_count && sprung; ++k) {
        int link = touch->islands.pairs.data[island->pair_first + k];
        sprung = touch->active.data[link] >= SN_TOUCH_SPRINGS;
    }
    return sprung;
}

static void check_island(sn_world *world, int index, double h)
{
    const sn_island *island = &world->touch.islands.islands.data[index];
    if (touches_nothing(&world->touch, island)) {
        return;
    }
    sn_energy_balance sum = sum_of(world, island, h);
    double may = motion_of(&sum);
    double off = SHARE * fmin(may, at_stake(&sum, world->gravity, h));
    if (!isfinite(sum.kinetic) || is_out_of_place(&sum)) {
        stand_island(world, index, isfinite(sum.kinetic));
    } else if (!sum.driven && sum.kinetic > fmax(may + off, sum.floor) + ROUNDING * sum.added) {
        slow(world, island, sqrt(fmax(may, sum.floor) / sum.kinetic));
        sn_world_count_island(world, island, SN_COUNTER_VELOCITY_SCALED,
                              sum.kinetic - fmax(may, sum.floor));
    } else if (!sum.driven && sum.fast > may + off + ROUNDING * sum.added) {
        slow_fast(world, island, h, sqrt(may / sum.fast));
        sn_world_count_island(world, island, SN_COUNTER_VELOCITY_SCALED, sum.fast - may);
    } else {
        note_left(world, &(energy_group){.island = island}, &sum);
    }
}

// Where steps do not resolve a spring there is no neighbouring energy that they keep: its island
// has at most what it came with and got. What else can be gained there comes from arms and ways
// that turn by much in a step.
static bool has_unresolved_spring(const sn_world *world, const sn_island *island)
{
    const sn_touch *touch = &world->touch;
    bool any = false;
    for (int k = 0; k < island->pair_count && !any; ++k) {
        int number = touch->active.data[touch->islands.pairs.data[island->pair_first + k]];
        any =
            number >= SN_TOUCH_SPRINGS &&
            world->field_springs.laws.data[number - SN_TOUCH_SPRINGS].share > SN_SPRING_UNRESOLVED;
    }
    return any;
}

void sn_world_check_sprung(sn_world *world, double h)
{
    const double share =
        1e-3; // of what moves and is held: what rules for turning bodies are off by
    const sn_islands *islands = &world->touch.islands;
    for (int i = 0; i < islands->islands.count && world->field_springs.rows.count > 0; ++i) {
        const sn_island *island = &islands->islands.data[i];
        if (!has_unresolved_spring(world, island)) {
            continue;
        }
        sn_energy_balance sum = sum_of(world, island, h);
        double excess = sum.kinetic + sum.potential - sum.before - sum.work - sum.lift;
        if (sum.driven || !(excess > share * (sum.kinetic + sum.sprung) + ROUNDING * sum.added)) {
            continue;
        }
        if (excess > sum.kinetic) { // it was moved to where no velocity would do
            stand_island(world, i, true);
        } else {
            slow(world, island, sqrt((sum.kinetic - excess) / sum.kinetic));
            sn_world_count_island(world, island, SN_COUNTER_VELOCITY_SCALED, excess);
        }
    }
}

// Links may have no shapes, and so no size to tell what is slow: only what is beyond GROSS of all
// that it had and got.
static void check_alone(sn_world *world, int number, double h)
{
    const double rounding = 1e-6;
    sn_agent_ref ref = sn_world_agent_at(world, number);
    double before = world->touch.started.data[number].kinetic;
    sn_energy_balance sum = {0};
    add_agent(world, ref, h, &sum);
    sum.lift = 0.0;
    double may = fmax(fmax(motion_of(&sum), sum.floor), before) +
                 rounding * (fabs(sum.before) + fabs(sum.potential));
    if (!sum.driven && isfinite(sum.kinetic) && sum.kinetic > GROSS * may &&
        may_stand(world, ref)) {
        stand(world->sets[ref.set], ref.agent);
    } else {
        note_left(world, &(energy_group){.alone = ref}, &sum);
    }
}

void sn_world_check_energies(sn_world *world, double h)
{
    const sn_islands *islands = &world->touch.islands;
    for (int i = 0; i < islands->islands.count; ++i) {
        if (world->touch.kinds.data[i] != SN_ISLAND_ASLEEP &&
            !sn_touch_has_elastic(world, &islands->islands.data[i]) &&
            is_fast(world, &islands->islands.data[i], h)) {
            check_island(world, i, h);
        }
    }
    for (int s = 0, first = 0; s < world->set_count; first += world->sets[s++]->count) {
        const sn_agent_set *set = world->sets[s];
        for (int i = 0; i < set->count && set->type->traits.jointed; ++i) {
            if (islands->of.data[first + i] < 0 && is_watched(world, set, i, first + i)) {
                check_alone(world, first + i, h);
            }
        }
    }
}

// ---- elastic bodies ----

static sn_energy_balance sum_of_group(const sn_world *world, const energy_group *group, double h)
{
    if (group->island != NULL) {
        return sum_of(world, group->island, h);
    }
    sn_energy_balance sum = {0};
    add_agent(world, group->alone, h, &sum);
    sum.lift = 0.0;
    return sum;
}

static void halve_way(sn_agent_set *set, int agent, bool all)
{
    double *q = sn_agent_q(set, agent);
    const double *q_0 = set->q_last + set->agents[agent].q_first;
    sn_agent_count(&set->agents[agent], SN_COUNTER_DISPLACEMENT_SCALED);
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        q[i] = all ? q_0[i] : q_0[i] + 0.5 * (q[i] - q_0[i]);
    }
}

static void halve_ways(sn_world *world, const energy_group *group, bool all)
{
    const sn_island *island = group->island;
    for (int k = 0; island != NULL && k < island->agent_count; ++k) {
        int number = world->touch.islands.agents.data[island->agent_first + k];
        sn_agent_ref ref = sn_world_agent_at(world, number);
        if (sn_world_traits(world, ref.set)->deformable) {
            halve_way(world->sets[ref.set], ref.agent, all);
        }
    }
    if (island == NULL) {
        halve_way(world->sets[group->alone.set], group->alone.agent, all);
    }
}

// The mean velocity of an island of bodies whose momentum nothing from outside has changed; else 0.
static sn_vec3 flight_of(const sn_world *world, const sn_island *island,
                         const sn_energy_balance *sum, double h)
{
    const double little = 1e-6;
    sn_vec3 fall = sn_vec3_add_scaled(sum->momentum_before, h * sum->mass, world->gravity);
    double given = sn_length(sn_vec3_sub(sum->momentum, fall));
    bool free = given <= little * (sn_length(sum->momentum) + sn_length(fall));
    for (int k = 0; k < island->agent_count && free; ++k) {
        int number = world->touch.islands.agents.data[island->agent_first + k];
        sn_agent_ref ref = sn_world_agent_at(world, number);
        free = sn_world_traits(world, ref.set)->lone ||
               (sn_world_traits(world, ref.set)->deformable &&
                sn_elastic_item_of(world->sets[ref.set], ref.agent)->fixed_count == 0);
    }
    return free && sum->mass > 0.0 ? sn_vec3_scale(1.0 / sum->mass, sum->momentum) : SN_VEC3_ZERO;
}

static void add_velocity(sn_world *world, const sn_island *island, sn_vec3 more)
{
    for (int k = 0; k < island->agent_count; ++k) {
        int number = world->touch.islands.agents.data[island->agent_first + k];
        sn_agent_ref ref = sn_world_agent_at(world, number);
        sn_agent_set *set = world->sets[ref.set];
        double *v = sn_agent_v(set, ref.agent);
        int count = sn_world_traits(world, ref.set)->lone
                        ? 1
                        : set->agents[ref.agent].v_count / SN_SOLID_STRIDE;
        for (int i = 0; i < count; ++i, v += SN_SOLID_STRIDE) {
            sn_vec3_put(v, sn_vec3_add(sn_vec3_at(v), more));
        }
    }
}

// An island that bonds hold together keeps its momentum while it flies.
static void slow_island(sn_world *world, const sn_island *island, const sn_energy_balance *sum,
                        double may, double h)
{
    sn_vec3 flight = flight_of(world, island, sum, h);
    double kept = 0.5 * sum->mass * sn_dot(flight, flight);
    if (!sum->bonded || !(kept > 0.0) || !(may > kept) || !(sum->kinetic > kept)) {
        slow(world, island, sqrt(may / sum->kinetic));
        return;
    }
    add_velocity(world, island, sn_vec3_negate(flight));
    slow(world, island, sqrt((may - kept) / (sum->kinetic - kept)));
    add_velocity(world, island, flight);
}

// Velocities shrink until no more than so much kinetic energy is left; of a body that touches
// nothing those within it, unless what it may have at stake is no match for the excess.
static void slow_group(sn_world *world, const energy_group *group, const sn_energy_balance *sum,
                       double may, double stake, double h)
{
    const double gross = 0.25; // of that
    sn_agent_set *set = world->sets[group->alone.set];
    double share = sqrt(may / sum->kinetic);
    if (group->island != NULL) {
        slow_island(world, group->island, sum, may, h);
        return;
    }
    double flight = sn_elastic_rigid_energy(set, group->alone.agent);
    if (flight - may > gross * (stake + sum->floor)) {
        set->type->contact->slow(set, group->alone.agent, share);
    } else if (sum->kinetic > flight) {
        sn_elastic_calm(set, group->alone.agent,
                        sqrt(fmax(may - flight, 0.0) / (sum->kinetic - flight)));
    }
}

// Bonds act on mechanisms where these are in the middle of the step but for what its accelerations
// change, and do some work by that, of which motions quicker than the step may get ever more. What
// an island with bonds has gained of late is kept; beyond a share of what it has at stake its
// elastic bodies make their next step by Euler's rule.
static void note_gain(sn_world *world, const sn_island *island, const sn_energy_balance *sum,
                      double stake)
{
    double gain = sum->kinetic + sum->potential - sum->before - sum->work - sum->slack;
    for (int k = 0; k < island->agent_count; ++k) {
        int number = world->touch.islands.agents.data[island->agent_first + k];
        sn_agent_ref ref = sn_world_agent_at(world, number);
        if (!sn_world_traits(world, ref.set)->deformable) {
            continue;
        }
        sn_elastic_memory *memory = sn_elastic_memory_of(world->sets[ref.set], ref.agent);
        bool whole = world->sets[ref.set]->agents[ref.agent].whole;
        memory->common_gain = whole ? 0.0 : fmax(0.0, memory->common_gain + gain);
        double most = COMMON_SHARE * fmax(stake, memory->stake) + SOFT_ROUNDING * sum->added;
        memory->parted = memory->parted != 0.0 || memory->common_gain > most;
    }
}

// Whether skins were stopped on their way.
static bool is_restored(const sn_world *world, const energy_group *group)
{
    const uint8_t *restored = world->touch.soft.restored.data;
    const sn_island *island = group->island;
    bool any = island == NULL && restored[group->alone.agent];
    for (int k = 0; island != NULL && k < island->agent_count && !any; ++k) {
        int number = world->touch.islands.agents.data[island->agent_first + k];
        sn_agent_ref ref = sn_world_agent_at(world, number);
        any = sn_world_traits(world, ref.set)->deformable && restored[ref.agent];
    }
    return any;
}

// Velocities of the end of a step are too high for what was stopped on its way, by what gravity and
// material would have done on the rest of it: they are what it came with, and got on the way that
// it went. (sweep.c has the same of rigid bodies, articulation_way.c of mechanisms.) Else it gained
// as it would in its fall, in every step in which it is stopped. Nothing is excused as the trace of
// undoing overlap: it is the way that was cut short. It belongs to being set back, and is counted
// with that (`restored`).
static bool slow_restored(sn_world *world, const energy_group *group, const sn_energy_balance *sum,
                          double stake, double h)
{
    double may = fmax(motion_of(sum) - sum->lift, 0.0);
    if (sum->driven || !is_restored(world, group) ||
        !(sum->kinetic > may + SOFT_ROUNDING * sum->added)) {
        return false;
    }
    slow_group(world, group, sum, may, stake, h);
    return true;
}

// Whether it was moved.
static bool check_group(sn_world *world, const energy_group *group, double h)
{
    enum { HALVINGS = 6 };
    bool moved = false;
    sn_energy_balance sum = sum_of_group(world, group, h);
    for (int k = 1; k <= HALVINGS && is_too_tense(&sum); ++k) {
        halve_ways(world, group, k == HALVINGS);
        moved = true;
        sum = sum_of_group(world, group, h);
    }
    if (group->island != NULL &&
        (is_too_tense(&sum) || is_thrown(&sum))) { // what is rigid was, too
        stand_island(world, (int)(group->island - world->touch.islands.islands.data), true);
        return true;
    }
    double may = motion_of(&sum), stake = at_stake(&sum, world->gravity, h);
    double share = sum.bonded ? BONDED_SHARE : SOFT_SHARE;
    if (sum.bonded && !sum.driven && group->island != NULL && isfinite(sum.kinetic)) {
        note_gain(world, group->island, &sum, stake);
    }
    if (!sum.driven && !(sum.kinetic <= fmax(may + share * fmin(may, stake), sum.floor) +
                                            SOFT_ROUNDING * sum.added)) {
        slow_group(world, group, &sum, fmax(may, sum.floor), fmin(may, stake), h);
        count_group(world, group, SN_COUNTER_VELOCITY_SCALED, sum.kinetic - fmax(may, sum.floor));
    } else if (!slow_restored(world, group, &sum, fmin(may, stake), h)) {
        note_left(world, group, &sum);
    }
    return moved;
}

// Bodies that touch nothing can gain energy in a step that does not resolve their motion, or where
// they were stopped on their way: only those are looked at.
static bool may_run_away(const sn_world *world, sn_agent_ref ref)
{
    const sn_agent_set *set = world->sets[ref.set];
    const sn_agent *head = &set->agents[ref.agent];
    return (sn_elastic_item_of(set, ref.agent)->gained ||
            world->touch.soft.restored.data[ref.agent]) &&
           !head->held && !sn_integrator_is_staged(head->integrator);
}

bool sn_world_check_soft_energies(sn_world *world, double h)
{
    const sn_islands *islands = &world->touch.islands;
    bool moved = false;
    for (int i = 0; i < islands->islands.count; ++i) {
        energy_group group = {.island = &islands->islands.data[i]};
        if (world->touch.kinds.data[i] != SN_ISLAND_ASLEEP &&
            sn_touch_has_elastic(world, group.island)) {
            moved = check_group(world, &group, h) || moved;
        }
    }
    for (int s = 0, first = 0; s < world->set_count; first += world->sets[s++]->count) {
        for (int i = 0; i < world->sets[s]->count && sn_world_traits(world, s)->deformable; ++i) {
            energy_group group = {.alone = {.set = s, .agent = i}};
            if (islands->of.data[first + i] < 0 && may_run_away(world, group.alone)) {
                moved = check_group(world, &group, h) || moved;
            }
        }
    }
    return moved;
}
