// The last line of contact for skins: no step ends with a crossing that its start did not have.
//
// All vertices go straight from where the step found them to where solvers and agents put them.
// Where that way is not free (collide/skin_step.h, skin_shape_step.h) the two that would meet, and
// all that leans on them, are taken back to where it still is, with their velocities: the rest of
// their way is lost, and the contacts of the next step, which now stand right before their eyes,
// take the impact. What is taken back may be met by others where it now stays, so ways are looked
// at again until all are free. After ROUNDS of that, what is still in the way goes back to where it
// was, of which all are known to be free: so this ends, at the latest with everything where it was.
//
// Vertices that bonds lead where nothing takes them back (paths, links with prescribed motions) go
// on without the rest of their body, as long as that helps: what tears then is not the bond.
//
// Not kept from crossing are pairs that touch at the start, to rounding (a world may be put
// together so), what bonds glue together, and what a prescribed motion drives into a skin. Two that
// cross at the start, as bodies may that were glued together, are left to their contacts, which
// push them apart, until they no longer do: of a vertex that is in a body nobody can tell whether
// it is about to go through its surface or to come back, and to forbid both would lock them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bond/bond.h"
#include "collide/skin_shape_step.h"
#include "collide/skin_step.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/touch.h"

// Gaps may shrink to this share of what they were at the start of the step, and hardly so below a
// share of the thickness.
static const double KEPT_GAP = 0.1, LEAST_GAP = 1e-3;

// Of a way that is free: what is left between two that stop is then well above what is to be kept,
// and found to be so when it is looked at again.
static const double ON_WAY = 0.98;

enum { ROUNDS = 12, STRIDE = SN_SOLID_STRIDE };

static sn_skin_keep keep_for(const sn_world *world, int a, int b)
{
    double size = fmin(sn_soft_item(world, a)->radius, sn_soft_item(world, b)->radius);
    return (sn_skin_keep){KEPT_GAP, LEAST_GAP * SN_SOFT_THICKNESS * size};
}

// ---- back ----

static void take_back(sn_world *world, int agent, double share)
{
    sn_agent_set *set = sn_soft_agents(world);
    double *q = sn_agent_q(set, agent);
    const double *q0 = set->q_last + set->agents[agent].q_first;
    const uint8_t *led = world->touch.soft.led.data + set->agents[agent].v_first / STRIDE;
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        double back = q0[i] + share * (q[i] - q0[i]);
        q[i] = share > 0.0 ? (led[i / STRIDE] ? q[i] : back) : q0[i];
    }
    world->touch.soft.restored.data[agent] = 1;
    sn_agent_count(&set->agents[agent], SN_COUNTER_RESTORED);
    sn_skin_place(sn_soft_item(world, agent)->skin, q0, q, 0.0);
}

static void place_on_way(sn_world *world)
{
    sn_agent_set *set = sn_soft_agents(world);
    for (int i = 0; i < set->count; ++i) {
        sn_skin_place(sn_soft_item(world, i)->skin, set->q_last + set->agents[i].q_first,
                      sn_agent_q(set, i), 0.0);
    }
}

static bool some_meets_itself(const sn_world *world)
{
    for (int i = 0; i < sn_soft_agents(world)->count; ++i) {
        if (sn_soft_item(world, i)->meets_itself) {
            return true;
        }
    }
    return false;
}

// ---- skins with skins ----

static bool is_of(const sn_skin_pair *pair, int low, int high)
{
    return (pair->skin_a == low && pair->skin_b == high) ||
           (pair->skin_a == high && pair->skin_b == low);
}

// The pairs of features of two skins stand together in a list: those from `*at` on.
static sn_skin_pair_list take_run(const sn_skin_pair_list *all, int low, int high, int *at)
{
    sn_skin_pair_list run = {.data = all->count > 0 ? all->data + *at : NULL};
    while (*at < all->count && is_of(&all->data[*at], low, high)) {
        *at += 1;
        run.count += 1;
    }
    return run;
}

static bool note_stop(sn_world *world, const sn_skin_step *step)
{
    const sn_agent *agents = sn_soft_agents(world)->agents;
    const sn_skin_pair *pair = &step->pair;
    sn_soft_key key = {agents[pair->skin_b].owner,
                       agents[pair->skin_a].owner,
                       pair->b,
                       pair->a,
                       SN_SOFT_WATCHED + (int32_t)step->kind,
                       0};
    return sn_array_push(&world->touch.soft.stops, key);
}

// How far each may go, by itself: as far as the first that it would meet allows. False when memory
// runs out.
static bool find_shares(sn_world *world, const sn_skin_pairs *pairs)
{
    sn_soft_touch *soft = &world->touch.soft;
    double *shares = soft->shares.data;
    int vertex = 0, edge = 0;
    while (vertex < pairs->vertex_faces.count || edge < pairs->edge_edges.count) {
        const sn_skin_pair *first = vertex < pairs->vertex_faces.count
                                        ? &pairs->vertex_faces.data[vertex]
                                        : &pairs->edge_edges.data[edge];
        int a = first->skin_a, b = first->skin_b;
        sn_skin_pairs run = {.vertex_faces = take_run(&pairs->vertex_faces, a, b, &vertex)};
        run.edge_edges = take_run(&pairs->edge_edges, a, b, &edge);
        if (!sn_soft_may_meet(world, a, b) || sn_soft_crosses(soft, a, b, 0)) {
            continue;
        }
        sn_skin_step step =
            sn_skin_step_find(soft->skins.data, &run, keep_for(world, a, b), world->threads);
        if (step.share < 1.0 && !note_stop(world, &step)) {
            return false;
        }
        shares[a] = fmin(shares[a], step.share);
        shares[b] = fmin(shares[b], step.share);
    }
    return true;
}

static void begin_shares(sn_soft_touch *soft)
{
    for (int i = 0; i < soft->shares.count; ++i) {
        soft->shares.data[i] = 1.0;
    }
    for (int i = 0; i < soft->island_shares.count; ++i) {
        soft->island_shares.data[i] = 1.0;
    }
}

static sn_status look_at_skins(sn_world *world, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    int count = soft->skins.count;
    bool self = some_meets_itself(world);
    if (count < 2 && !self) {
        return SN_OK;
    }
    sn_status status =
        sn_skin_pairs_find(&soft->pairs, soft->skins.data, count,
                           self ? SN_SKIN_ALL : SN_SKIN_OTHERS, world->threads, error);
    if (status == SN_OK && !find_shares(world, &soft->pairs)) {
        status = sn_fail_memory(error, sizeof(sn_soft_key));
    }
    return status;
}

// ---- skins with shapes ----

// By how much the ways of shapes lead out of the boxes that the broad phase has for them.
static double farthest_out(const sn_world *world)
{
    double most = 0.0;
    for (int i = 0; i < world->touch.shapes.count; ++i) {
        const sn_touch_shape *shape = &world->touch.shapes.data[i];
        const sn_touch_place *place = &world->touch.places.data[i];
        if (shape->body == 0 || world->bodies.data[shape->body].agent.agent < 0 ||
            sn_touch_collider(world, shape)->type == SN_COLLIDER_PLANE) {
            continue;
        }
        sn_sweep sweep = sn_touch_sweep(world, (uint32_t)i);
        sn_aabb end = sn_collider_bounds(sn_touch_collider(world, shape), &sweep.end);
        sn_vec3 below = sn_vec3_sub(place->bounds.lower, end.lower),
                above = sn_vec3_sub(end.upper, place->bounds.upper);
        double out =
            fmax(fmax(fmax(below.x, below.y), below.z), fmax(fmax(above.x, above.y), above.z));
        most = fmax(most, out - shape->near - place->travel);
    }
    return most;
}

// Of the island that an agent is in, or -1.
static int island_of(const sn_world *world, sn_contact_side side)
{
    return side.set >= 0 ? world->touch.islands.of.data[sn_touch_agent_number(world, side)] : -1;
}

static sn_status look_at_shapes(sn_world *world, int agent, double reach, bool at_start,
                                sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    const sn_agent_set *set = sn_soft_agents(world);
    const sn_elastic_item *item = sn_soft_item(world, agent);
    const double *q0 = set->q_last + set->agents[agent].q_first;
    sn_status status =
        sn_soft_find_met_shapes(world, agent, q0, sn_agent_q(set, agent), reach, error);
    for (int i = 0; i < soft->shapes.count && status == SN_OK; ++i) {
        uint32_t shape = soft->shapes.data[i];
        const sn_touch_shape *own = &world->touch.shapes.data[shape];
        if (sn_soft_crosses(soft, agent, -1, shape)) {
            continue;
        }
        sn_sweep sweep = sn_touch_sweep(world, shape);
        sn_skin_shape_step step = sn_skin_shape_step_find(item->skin, sn_touch_collider(world, own),
                                                          &sweep, keep_for(world, agent, agent));
        sn_contact_side side = sn_touch_side(world, own);
        soft->shares.data[agent] = fmin(soft->shares.data[agent], step.share);
        int island = island_of(world, side);
        if (step.share < 1.0 && island >= 0) { // goes back with all that leans on it
            double *all = &soft->island_shares.data[island];
            *all = fmin(*all, step.share);
        } else if (step.share < 1.0) {
            sn_touch_take_back(world, shape, at_start ? 0.0 : ON_WAY * step.share);
        }
    }
    return status;
}

// ---- islands ----

// What leans on each other goes back together: up to the least of their shares all of them were
// found to be free of each other at the same time.
static void share_islands(sn_world *world)
{
    sn_soft_touch *soft = &world->touch.soft;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < soft->skins.count; ++i) {
            int island = island_of(world, sn_soft_side(i, 0));
            double *own = &soft->shares.data[i];
            double *all = island >= 0 ? &soft->island_shares.data[island] : own;
            *(pass == 0 ? all : own) = fmin(*own, *all);
        }
    }
}

static void take_back_rigid(sn_world *world, bool at_start)
{
    const sn_touch *touch = &world->touch;
    for (int i = 0; i < touch->shapes.count; ++i) {
        const sn_touch_shape *shape = &touch->shapes.data[i];
        bool first = i == 0 || touch->shapes.data[i - 1].body != shape->body;
        sn_contact_side side = {.set = -1};
        if (shape->body != 0 && first) {
            side = sn_touch_side(world, shape);
        }
        int island = sn_world_traits(world, side.set)->lone ? island_of(world, side) : -1;
        double share = island >= 0 ? touch->soft.island_shares.data[island] : 1.0;
        if (share < 1.0) {
            sn_touch_take_back(world, (uint32_t)i, at_start ? 0.0 : ON_WAY * share);
        }
    }
}

// Bonds would be torn by as far as a link went on alone. Motions are followed whatever is in the
// way.
static void take_back_mechanisms(sn_world *world, bool at_start)
{
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_jointed(world, &at);) {
        sn_agent_set *set = world->sets[at.set];
        int island = island_of(world, (sn_contact_side){at.set, at.agent, 0});
        double share = island >= 0 ? world->touch.soft.island_shares.data[island] : 1.0;
        if (share < 1.0 && sn_articulation_may_turn_back(set, at.agent)) {
            sn_articulation_take_back(set, at.agent, world->gravity,
                                      at_start ? 0.0 : ON_WAY * share);
        }
    }
}

// Whether anything was in the way.
static bool take_all_back(sn_world *world, bool at_start)
{
    const sn_soft_touch *soft = &world->touch.soft;
    bool any = false;
    for (int i = 0; i < soft->skins.count; ++i) { // the shape that is in a skin's way has it, too
        if (soft->shares.data[i] < 1.0) {
            take_back(world, i, at_start ? 0.0 : ON_WAY * soft->shares.data[i]);
            any = true;
        }
    }
    if (any) {
        take_back_rigid(world, at_start);
        take_back_mechanisms(world, at_start);
    }
    return any;
}

// ---- all ----

static bool make_room(sn_soft_touch *soft, int count, int islands)
{
    if (!sn_array_resize(&soft->shares, count) || !sn_array_resize(&soft->restored, count) ||
        !sn_array_resize(&soft->island_shares, islands)) {
        return false;
    }
    memset(soft->restored.data, 0, (size_t)count);
    return true;
}

static sn_status free_ways(sn_world *world, sn_error *error)
{
    int count = sn_soft_agents(world)->count, agents = sn_world_agent_count(world);
    int vertices = sn_soft_agents(world)->v_count / STRIDE;
    if (!sn_array_resize(&world->touch.soft.led, vertices)) {
        return sn_fail_memory(error, (size_t)vertices);
    }
    memset(world->touch.soft.led.data, 0, (size_t)vertices);
    sn_world_mark_led(world, world->touch.soft.led.data);
    place_on_way(world);
    double reach = farthest_out(world);
    sn_status status = SN_OK;
    bool moved = true;
    for (int round = 0; round < ROUNDS + agents && moved && status == SN_OK; ++round) {
        bool at_start = round >= ROUNDS;
        begin_shares(&world->touch.soft);
        status = look_at_skins(world, error);
        for (int i = 0; i < count && status == SN_OK; ++i) {
            status = look_at_shapes(world, i, reach, at_start, error);
        }
        share_islands(world);
        moved = status == SN_OK && take_all_back(world, at_start);
    }
    world->touch.soft.sound = moved ? 0 : world->touch.soft.sound;
    return status;
}

// Does a bond hold something that may be stopped by itself?
static bool has_bonds_to_rigid(const sn_world *world)
{
    bool any = false;
    for (int i = 0; i < world->bonds.rows.count && !any; ++i) {
        const sn_exact_bond *bond = &world->bonds.rows.data[i];
        for (int k = 0; k < bond->count; ++k) {
            any = any || !sn_world_traits(world, bond->sides[k].set)->deformable;
        }
    }
    return any;
}

sn_status sn_world_stop_bonded(sn_world *world, sn_error *error)
{
    int count = sn_soft_agents(world)->count;
    if (count == 0) {
        return SN_OK;
    }
    if (!make_room(&world->touch.soft, count, world->touch.islands.islands.count)) {
        return sn_fail_memory(error, sizeof(double));
    }
    return has_bonds_to_rigid(world) ? free_ways(world, error) : SN_OK;
}

sn_status sn_world_stop_soft(sn_world *world, double h, sn_error *error)
{
    int count = sn_soft_agents(world)->count;
    if (count == 0) {
        return SN_OK;
    }
    sn_status status = free_ways(world, error);
    if (status == SN_OK && sn_world_check_soft_energies(world, h)) {
        status = free_ways(world, error);
    }
    return status;
}
