// sn_body_place_point: a body that a hand moves while time stands still. Kinematics alone: no force
// acts, and what was moved is at rest.
//
// A free body, rigid or elastic, is shifted without turning, and with it all that bonds hold to it.
// Of a mechanism the links move as joints allow (place_mechanism.c), and what bonds hold to one of
// them follows it. An elastic body that is fixed,
// or bonded to what is not free, bends (place_elastic.c). A body does not go into another: where it
// would, it goes as far on the straight way as it can (by bisection; what is thinner than the way
// may be passed through).
//
// What it does not do: bend elastic bodies under explicit integrators, and move rigid bodies and
// mechanisms that bonds hold to what is fixed or static, to another mechanism, or link to link.
// Those are refused.
#include "statics/place.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "touch/touch.h"

enum { BISECTIONS = 7 };

// An agent that moves, and the link that it follows by bonds.
typedef struct follower {
    sn_agent_ref ref;
    sn_body leader;   // null: none
    sn_transform was; // the leader's frame at the start
} follower;

typedef struct placing {
    sn_world *world;
    sn_body body;
    sn_vec3 local, from, target;        // local: in the body's frame
    bool bends;                         // an elastic body that is held somewhere
    SN_ARRAY(follower) moved;           // agents that move with it, the body's own first
    SN_ARRAY(double) start;             // their q and v, as they were
    SN_ARRAY(sn_body_overlap) overlaps; // scratch
} placing;

static bool same_agent(sn_agent_ref a, sn_agent_ref b)
{
    return a.set == b.set && a.agent == b.agent;
}

static bool is_moved(const placing *p, sn_agent_ref ref)
{
    for (int i = 0; i < p->moved.count; ++i) {
        if (same_agent(p->moved.data[i].ref, ref)) {
            return true;
        }
    }
    return false;
}

static sn_agent_ref own_agent(const placing *p)
{
    return p->moved.data[0].ref;
}

static bool is_mechanism(const placing *p)
{
    return sn_world_traits(p->world, own_agent(p).set)->jointed;
}

static sn_agent_ref agent_of(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL ? record->agent : (sn_agent_ref){.agent = -1};
}

// ---- what moves ----

static sn_status refuse(const placing *p, sn_error *error, const char *why)
{
    return sn_fail(error, SN_ERROR_UNSUPPORTED, sn_body_name(p->world, p->body), "%s", why);
}

// Of an elastic body the rest can stay.
static bool stays(const placing *p, sn_agent_ref ref)
{
    const sn_world *world = p->world;
    sn_agent_ref own = p->moved.count > 0 ? own_agent(p) : ref;
    bool held = ref.agent < 0 || sn_world_traits(world, ref.set)->jointed ||
                (sn_world_traits(world, ref.set)->deformable &&
                 sn_elastic_item_of(world->sets[ref.set], ref.agent)->fixed_count > 0);
    return held && sn_world_traits(world, own.set)->deformable &&
           sn_elastic_item_of(world->sets[own.set], own.agent)->linear != NULL;
}

static sn_status add_agent(placing *p, sn_agent_ref ref, sn_body leader, sn_error *error)
{
    const sn_world *world = p->world;
    follower made = {.ref = ref, .leader = leader};
    if (stays(p, ref)) {
        p->bends = true;
        made.ref = p->moved.count > 0 ? own_agent(p) : ref;
        p->moved.count = 0; // what it had taken along stays, too
        return sn_array_push(&p->moved, made) ? SN_OK : sn_fail_memory(error, sizeof made);
    }
    if (ref.agent < 0) {
        return refuse(p, error, "is bonded to what does not move; run the clock to pull it");
    }
    if (sn_world_traits(world, ref.set)->jointed && p->moved.count > 0) {
        return refuse(p, error, "is bonded to a mechanism; run the clock to pull it");
    }
    if (sn_world_traits(world, ref.set)->deformable &&
        sn_elastic_item_of(world->sets[ref.set], ref.agent)->fixed_count > 0) {
        return refuse(p, error, "has vertices that are fixed; run the clock to pull it");
    }
    return sn_array_push(&p->moved, made) ? SN_OK : sn_fail_memory(error, sizeof made);
}

// Whom a body follows that is bonded to this one: the link itself, or whom that one follows.
static sn_body leader_of(const placing *p, sn_body body)
{
    sn_agent_ref ref = agent_of(p->world, body);
    for (int i = 0; i < p->moved.count; ++i) {
        if (same_agent(p->moved.data[i].ref, ref)) {
            return i == 0 && is_mechanism(p) ? body : p->moved.data[i].leader;
        }
    }
    return (sn_body){0};
}

// A bond between two that move: of a mechanism they must follow the same link.
static sn_status check_bond(const placing *p, const sn_bond_record *bond, sn_error *error)
{
    sn_body a = leader_of(p, bond->body), b = leader_of(p, bond->other);
    return is_mechanism(p) && (a.index != b.index || a.generation != b.generation)
               ? refuse(p, error, "bonds tie its links to each other; run the clock to pull it")
               : SN_OK;
}

// Elements that keep their shape or volume are held by nothing but the body itself.
static bool is_inner(const sn_bond_record *bond)
{
    return bond->item.type == SN_BOND_RIGID || bond->item.type == SN_BOND_VOLUME;
}

// The body's agent, and all that bonds hold to it, directly or through others.
static sn_status gather(placing *p, sn_error *error)
{
    const sn_world *world = p->world;
    sn_status status = add_agent(p, agent_of(world, p->body), (sn_body){0}, error);
    for (bool more = true; more && status == SN_OK && !p->bends;) {
        more = false;
        for (int i = 0; i < world->bonds.order.count && status == SN_OK && !p->bends; ++i) {
            const sn_bond_record *bond = &world->bonds.records.data[world->bonds.order.data[i]];
            sn_agent_ref a = agent_of(world, bond->body), b = agent_of(world, bond->other);
            bool has_a = a.agent >= 0 && is_moved(p, a), has_b = b.agent >= 0 && is_moved(p, b);
            if (!sn_bond_is_active(bond, world->time) || (!has_a && !has_b)) {
                continue;
            }
            if (is_inner(bond)) {
                continue;
            }
            if (has_a && has_b) {
                status = check_bond(p, bond, error);
            } else {
                status = add_agent(p, has_a ? b : a, leader_of(p, has_a ? bond->body : bond->other),
                                   error);
                more = true;
            }
        }
    }
    return status;
}

static size_t numbers_of(const sn_agent *agent)
{
    return (size_t)agent->q_count + (size_t)agent->v_count;
}

static bool keep_start(placing *p)
{
    size_t count = 0;
    for (int i = 0; i < p->moved.count; ++i) {
        sn_agent_ref ref = p->moved.data[i].ref;
        count += numbers_of(&p->world->sets[ref.set]->agents[ref.agent]);
    }
    if (count > (size_t)INT32_MAX || !sn_array_resize(&p->start, (int)count)) {
        return false;
    }
    double *at = p->start.data;
    for (int i = 0; i < p->moved.count; ++i) {
        sn_agent_ref ref = p->moved.data[i].ref;
        const sn_agent_set *set = p->world->sets[ref.set];
        const sn_agent *agent = &set->agents[ref.agent];
        memcpy(at, sn_agent_q(set, ref.agent), (size_t)agent->q_count * sizeof *at);
        at += agent->q_count;
        memcpy(at, sn_agent_v(set, ref.agent), (size_t)agent->v_count * sizeof *at);
        at += agent->v_count;
    }
    return true;
}

static void put_start(placing *p)
{
    const double *at = p->start.data;
    for (int i = 0; i < p->moved.count; ++i) {
        sn_agent_ref ref = p->moved.data[i].ref;
        sn_agent_set *set = p->world->sets[ref.set];
        const sn_agent *agent = &set->agents[ref.agent];
        memcpy(sn_agent_q(set, ref.agent), at, (size_t)agent->q_count * sizeof *at);
        at += agent->q_count;
        memcpy(sn_agent_v(set, ref.agent), at, (size_t)agent->v_count * sizeof *at);
        at += agent->v_count;
        sn_agent_touch(set, ref.agent);
    }
}

// ---- moving ----

static void shift(sn_agent_set *set, sn_agent_ref ref, sn_vec3 by)
{
    const sn_agent *agent = &set->agents[ref.agent];
    double *q = sn_agent_q(set, ref.agent);
    int stride = set->type->traits.deformable ? SN_SOLID_STRIDE : agent->v_count;
    for (int i = 0; i < agent->v_count; i += stride) { // a body's q begins with its place
        sn_vec3_put(q + i, sn_vec3_add(sn_vec3_at(q + i), by));
    }
    memset(sn_agent_v(set, ref.agent), 0, (size_t)agent->v_count * sizeof(double));
    sn_agent_touch(set, ref.agent);
}

// By the motion of what it follows.
static void follow(sn_world *world, const follower *f)
{
    sn_agent_set *set = world->sets[f->ref.set];
    sn_transform by =
        sn_transform_multiply(sn_body_transform(world, f->leader), sn_transform_inverse(f->was));
    const sn_agent *agent = &set->agents[f->ref.agent];
    if (sn_world_traits(world, f->ref.set)->lone) {
        sn_part now;
        set->type->part(set, f->ref.agent, f->ref.part, &now);
        set->type->set_frame(set, f->ref.agent, sn_transform_multiply(by, now.frame));
    } else {
        double *q = sn_agent_q(set, f->ref.agent);
        for (int i = 0; i < agent->v_count; i += SN_SOLID_STRIDE) {
            sn_vec3_put(q + i, sn_transform_point(by, sn_vec3_at(q + i)));
        }
    }
    memset(sn_agent_v(set, f->ref.agent), 0, (size_t)agent->v_count * sizeof(double));
    sn_agent_touch(set, f->ref.agent);
}

static sn_status lead(placing *p, sn_vec3 target, sn_error *error)
{
    for (int i = 1; i < p->moved.count; ++i) {
        p->moved.data[i].was = sn_body_transform(p->world, p->moved.data[i].leader);
    }
    sn_status status = sn_world_place_mechanism(p->world, own_agent(p), p->local, target, error);
    for (int i = 1; i < p->moved.count && status == SN_OK; ++i) {
        follow(p->world, &p->moved.data[i]);
    }
    return status;
}

// From the start, that share of the way.
static sn_status move(placing *p, double share, sn_error *error)
{
    sn_vec3 by = sn_vec3_scale(share, sn_vec3_sub(p->target, p->from));
    put_start(p);
    if (p->bends) {
        return sn_world_bend_elastic(p->world, own_agent(p).agent, p->local,
                                     sn_vec3_add(p->from, by), error);
    }
    if (is_mechanism(p)) {
        return lead(p, sn_vec3_add(p->from, by), error);
    }
    for (int i = 0; i < p->moved.count; ++i) {
        sn_agent_ref ref = p->moved.data[i].ref;
        shift(p->world->sets[ref.set], ref, by);
    }
    return SN_OK;
}

// How deep what moves is in something, at most.
static sn_status find_depth(placing *p, double *depth, sn_error *error)
{
    int count = 0;
    *depth = 0.0;
    sn_status status =
        sn_world_find_overlaps(p->world, p->overlaps.data, p->overlaps.capacity, &count, error);
    if (status == SN_OK && count > p->overlaps.capacity) {
        if (!sn_array_reserve(&p->overlaps, 2 * count)) {
            return sn_fail_memory(error, (size_t)count * sizeof(sn_body_overlap));
        }
        status =
            sn_world_find_overlaps(p->world, p->overlaps.data, p->overlaps.capacity, &count, error);
    }
    for (int i = 0; status == SN_OK && i < count; ++i) {
        const sn_body_overlap *overlap = &p->overlaps.data[i];
        if (is_moved(p, agent_of(p->world, overlap->body_a)) ||
            is_moved(p, agent_of(p->world, overlap->body_b))) {
            *depth = fmax(*depth, overlap->depth);
        }
    }
    return status;
}

// As far as nothing is deeper in another than it was.
static sn_status move_freely(placing *p, sn_error *error)
{
    double before, now, low = 0.0, high = 1.0;
    sn_status status = find_depth(p, &before, error);
    status = status == SN_OK ? move(p, 1.0, error) : status;
    status = status == SN_OK ? find_depth(p, &now, error) : status;
    if (status != SN_OK || now <= before) {
        return status;
    }
    for (int i = 0; i < BISECTIONS && status == SN_OK; ++i) {
        double middle = 0.5 * (low + high);
        status = move(p, middle, error);
        status = status == SN_OK ? find_depth(p, &now, error) : status;
        low = status == SN_OK && now <= before ? middle : low;
        high = low == middle ? high : middle;
    }
    return status == SN_OK ? move(p, low, error) : status;
}

sn_status sn_body_place_point(sn_world *world, sn_body body, sn_vec3 point, sn_vec3 target,
                              sn_error *error)
{
    if (!sn_body_is_valid(world, body)) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body does not exist");
    }
    if (!sn_vec3_is_finite(point) || !sn_vec3_is_finite(target)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                       "the point or its new place is not finite");
    }
    if (sn_body_get_type(world, body) == SN_BODY_STATIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                       "is static, so it cannot be moved by hand");
    }
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    placing p = {.world = world, .body = body, .local = point, .target = target};
    sn_status status = sn_world_assemble(world, error);
    status = status == SN_OK ? gather(&p, error) : status;
    p.from = sn_body_point(world, body, point);
    if (status == SN_OK && !keep_start(&p)) {
        status = sn_fail_memory(error, sizeof(double));
    }
    if (status == SN_OK) {
        status = move_freely(&p, error);
        if (status != SN_OK) {
            put_start(&p);
        }
        sn_world_touch(world);
    }
    sn_array_free(&p.moved);
    sn_array_free(&p.start);
    sn_array_free(&p.overlaps);
    return status;
}
