#include "mechanism/span.h"

#include <string.h>

#include "base/memory.h"
#include "mechanism/joint.h"

typedef struct search {
    const sn_world *world;
    sn_span *span;
    int *first;         // by body index, the ground's joints under 0: where its joints start in
    uint32_t *touching; // this list
    uint32_t *deque;    // bodies reached and not yet left; grows both ways from the middle
    int head, tail;
    int cursor[2]; // of find_root
    int *set;      // by body index: union-find
} search;

static uint32_t node_of(const sn_world *world, uint32_t body)
{
    return sn_world_is_ground(world, body) ? 0 : body;
}

// Can a joint carry a body? Rods, curves and surfaces leave too much free, and a weld that may
// break must tell what it carries.
static bool can_carry(const sn_joint_record *joint)
{
    return !joint->broken && joint->type < SN_JOINT_DISTANCE &&
           !(joint->type == SN_JOINT_FIXED && joint->breakable);
}

// ---- mechanisms ----

static int find_set(search *s, int body)
{
    while (s->set[body] != body) {
        s->set[body] = s->set[s->set[body]];
        body = s->set[body];
    }
    return body;
}

static void unite(search *s, uint32_t a, uint32_t b)
{
    int x = find_set(s, (int)a), y = find_set(s, (int)b);
    s->set[x < y ? y : x] = x < y ? x : y;
}

// The body of a joint that is not ground; one is not, for a child may not be static.
static uint32_t moving_body(const sn_world *world, uint32_t joint)
{
    return world->joints.data[joint].child.index;
}

static void find_components(search *s)
{
    const sn_world *world = s->world;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        if (!joint->broken && !sn_world_is_ground(world, joint->parent.index)) {
            unite(s, joint->parent.index, joint->child.index);
        }
    }
    for (int i = 0; i < world->coupling_order.count; ++i) {
        const sn_coupling_record *coupling = &world->couplings.data[world->coupling_order.data[i]];
        bool whole = sn_coupling_is_whole(world, coupling);
        for (int k = 1; k < coupling->term_count && whole; ++k) {
            unite(s, moving_body(world, coupling->terms[0].joint.index),
                  moving_body(world, coupling->terms[k].joint.index));
        }
    }
    int *number = s->span->component; // of a set, kept at its first body until all are numbered
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        if (world->joints.data[index].broken) {
            continue;
        }
        int root = find_set(s, (int)moving_body(world, index));
        if (number[root] < 0) {
            number[root] = s->span->components++;
        }
        s->span->joint_component[index] = number[root];
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        if (!sn_world_is_ground(world, body)) {
            number[body] = number[find_set(s, (int)body)];
        }
    }
}

// ---- the search ----

// Which joints touch which body, in order of adding.
static void list_joints(search *s)
{
    const sn_world *world = s->world;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = world->joint_order.count - 1; i >= 0; --i) {
            uint32_t index = world->joint_order.data[i];
            const sn_joint_record *joint = &world->joints.data[index];
            if (!can_carry(joint)) {
                continue;
            }
            uint32_t ends[2] = {node_of(world, joint->parent.index), joint->child.index};
            for (int k = 0; k < 2; ++k) {
                if (pass == 0) {
                    s->first[ends[k] + 1] += 1;
                } else {
                    s->touching[--s->first[ends[k] + 1]] = index;
                }
            }
        }
        for (int body = 0; pass == 0 && body < world->bodies.count + 1; ++body) {
            s->first[body + 1] += s->first[body]; // ends; the second pass takes them down to starts
        }
    }
}

static void reach(search *s, uint32_t body, uint32_t joint, bool reversed, bool at_once)
{
    sn_span *span = s->span;
    span->carrier[body] = joint;
    span->shares[body] = 1;
    if (joint != 0) {
        span->role[joint] = SN_ROLE_TREE;
        span->reversed[joint] = reversed;
    }
    span->order[span->reached++] = body;
    if (at_once) {
        s->deque[--s->head] = body;
    } else {
        s->deque[s->tail++] = body;
    }
}

// Carries on with every body that joints of the given kind reach from those in the deque.
static void spread(search *s)
{
    const sn_world *world = s->world;
    while (s->head < s->tail) {
        uint32_t body = s->deque[s->head++];
        for (int i = s->first[body + 1]; i < s->first[body + 2]; ++i) {
            uint32_t index = s->touching[i];
            const sn_joint_record *joint = &world->joints.data[index];
            bool reversed = node_of(world, joint->parent.index) != body;
            uint32_t other = reversed ? joint->parent.index : joint->child.index;
            if (joint->type == SN_JOINT_FREE || sn_world_is_ground(world, other) ||
                s->span->shares[other] != 0) {
                continue;
            }
            reach(s, other, index, reversed, joint->type == SN_JOINT_FIXED);
        }
    }
}

// A free joint with one end reached: it carries a body only where nothing else does.
static bool reach_by_free_joint(search *s)
{
    const sn_world *world = s->world;
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        const sn_joint_record *joint = &world->joints.data[index];
        if (joint->type != SN_JOINT_FREE || joint->broken || s->span->role[index] != SN_ROLE_NONE) {
            continue;
        }
        bool parent = sn_world_is_ground(world, joint->parent.index) ||
                      s->span->shares[joint->parent.index] != 0,
             child = s->span->shares[joint->child.index] != 0;
        if (parent != child) {
            reach(s, parent ? joint->child.index : joint->parent.index, index, child, false);
            return true;
        }
    }
    return false;
}

// The next body to be a root, or 0. Each cursor only goes forward, for what is reached stays so.
static uint32_t find_root(search *s, const bool *is_child)
{
    const sn_world *world = s->world;
    for (int pass = 0; pass < 2; ++pass) {
        for (; s->cursor[pass] < world->body_order.count; ++s->cursor[pass]) {
            uint32_t body = world->body_order.data[s->cursor[pass]];
            if (s->span->component[body] >= 0 && s->span->shares[body] == 0 &&
                (pass == 1 || !is_child[body])) {
                return body;
            }
        }
    }
    return 0;
}

static void search_all(search *s, bool *is_child)
{
    const sn_world *world = s->world;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        is_child[joint->child.index] = is_child[joint->child.index] || can_carry(joint);
    }
    s->deque[s->tail++] = 0; // the ground
    for (;;) {
        spread(s);
        if (reach_by_free_joint(s)) {
            continue;
        }
        uint32_t root = find_root(s, is_child);
        if (root == 0) {
            return;
        }
        reach(s, root, 0, false, false);
    }
}

// ---- what the other joints do ----

static void give_roles(search *s)
{
    const sn_world *world = s->world;
    sn_span *span = s->span;
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        const sn_joint_record *joint = &world->joints.data[index];
        if (joint->broken || span->role[index] != SN_ROLE_NONE) {
            continue;
        }
        if (!can_carry(joint) || joint->type == SN_JOINT_FIXED) {
            span->role[index] = SN_ROLE_TIE;
            continue;
        }
        span->role[index] = SN_ROLE_CLOSE;
        span->shares[joint->child.index] += 1;
    }
}

bool sn_span_make(const sn_world *world, sn_span *span)
{
    size_t bodies = (size_t)world->bodies.count + 2, joints = (size_t)world->joints.count + 1;
    *span = (sn_span){0};
    span->role = sn_allocate_zero(joints);
    span->reversed = sn_allocate_zero(joints * sizeof *span->reversed);
    span->component = sn_allocate(bodies * sizeof *span->component);
    span->joint_component = sn_allocate(joints * sizeof *span->joint_component);
    span->carrier = sn_allocate_zero(bodies * sizeof *span->carrier);
    span->shares = sn_allocate_zero(bodies * sizeof *span->shares);
    span->order = sn_allocate_zero(bodies * sizeof *span->order);
    search s = {.world = world, .span = span};
    s.first = sn_allocate_zero((bodies + 1) * sizeof *s.first);
    s.touching = sn_allocate(2 * joints * sizeof *s.touching);
    s.deque = sn_allocate(2 * bodies * sizeof *s.deque);
    s.set = sn_allocate(bodies * sizeof *s.set);
    s.head = s.tail = (int)bodies;
    bool *is_child = sn_allocate_zero(bodies * sizeof *is_child);
    bool made = span->role != NULL && span->reversed != NULL && span->component != NULL &&
                span->joint_component != NULL && span->carrier != NULL && span->shares != NULL &&
                span->order != NULL && s.first != NULL && s.touching != NULL && s.deque != NULL &&
                s.set != NULL && is_child != NULL;
    if (made) {
        for (size_t i = 0; i < bodies; ++i) {
            span->component[i] = -1;
            s.set[i] = (int)i;
        }
        for (size_t i = 0; i < joints; ++i) {
            span->joint_component[i] = -1;
        }
        find_components(&s);
        list_joints(&s);
        search_all(&s, is_child);
        give_roles(&s);
    }
    sn_free(s.first);
    sn_free(s.touching);
    sn_free(s.deque);
    sn_free(s.set);
    sn_free(is_child);
    return made;
}

void sn_span_free(sn_span *span)
{
    sn_free(span->role);
    sn_free(span->reversed);
    sn_free(span->component);
    sn_free(span->joint_component);
    sn_free(span->carrier);
    sn_free(span->shares);
    sn_free(span->order);
    *span = (sn_span){0};
}
