// Pairs of a mechanism's bodies that need not be looked at: those that a joint connects, those that
// joints keep apart for ever, and those that overlap where the mechanism was put together (parts
// drawn through each other would otherwise burst apart).
//
// What keeps two bodies apart is told from one way between them, over joints that only turn. Their
// anchors J1 .. Jn stay l1, l2, ... apart; so the ends of that chain stay at least
// 2 max l - sum l from each other, and bodies that reach less far from their anchors in all never
// meet. And where all joints on the way turn about parallel axes (or slide across them), nothing
// moves along these axes: bodies whose extents along them have a gap never meet.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/reach.h"
#include "world/form.h"
#include "world/touch.h"
#include "world/world.h"

// Of larger mechanisms, only bodies that a joint connects are left out beforehand: the number of
// pairs grows with the square.
enum { ALL_PAIRS_LIMIT = 300 };

// What a way from a body to another one is like so far.
typedef struct way {
    uint32_t body;       // where it has got to
    sn_vec3 anchor;      // of the last joint, world
    double reach;        // of the first body from its anchor
    double sum, longest; // of the distances between anchors
    bool turns;          // all its joints only turn
    bool flat;           // nothing moves along `axis`
    sn_vec3 axis;
} way;

typedef struct search {
    sn_world *world;
    int *first, *next; // joints of each body: first by body index, next by 2 * order + side
    way *ways;         // of the bodies reached
    uint8_t *reached;  // by body index: 1 reached now, 2 of a mechanism too large for all pairs
} search;

static bool is_joined(const sn_joint_record *joint)
{
    return !joint->broken && joint->child.index != 0;
}

static bool add_drop(sn_world *world, uint32_t a, uint32_t b, sn_pair_drop why)
{
    sn_drop drop = {a < b ? a : b, a < b ? b : a, why};
    return sn_array_push(&world->touch.drops, drop);
}

static int compare_drops(const void *a, const void *b)
{
    const sn_drop *x = a, *y = b;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return x->b != y->b ? (x->b < y->b ? -1 : 1) : (int)x->why - (int)y->why;
}

static const sn_drop *find_drop(const sn_drop *drops, int count, uint32_t a, uint32_t b)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        const sn_drop *drop = &drops[middle];
        if (drop->a == a && drop->b == b) {
            return drop;
        }
        bool after = drop->a < a || (drop->a == a && drop->b < b);
        low = after ? middle + 1 : low;
        high = after ? high : middle;
    }
    return NULL;
}

bool sn_world_is_dropped(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_touch *touch = &world->touch;
    return find_drop(touch->drops.data, touch->drops.count, a < b ? a : b, a < b ? b : a) != NULL;
}

// ---- ways ----

static sn_transform joint_place(const sn_world *world, const sn_joint_record *joint)
{
    return sn_transform_multiply(sn_body_transform(world, joint->child), joint->child_frame);
}

static bool only_turns(sn_joint_type type)
{
    return type == SN_JOINT_FIXED || type == SN_JOINT_HINGE || type == SN_JOINT_UNIVERSAL ||
           type == SN_JOINT_BALL;
}

// Does the joint leave everything where it is along the axis?
static bool is_across(const sn_joint_record *joint, sn_vec3 own_axis, sn_vec3 axis)
{
    double along = fabs(sn_dot(own_axis, axis));
    bool parallel = along > 1.0 - 1e-12, crossing = along < 1e-9;
    return joint->type == SN_JOINT_FIXED ||
           ((joint->type == SN_JOINT_HINGE || joint->type == SN_JOINT_PLANAR) && parallel) ||
           (joint->type == SN_JOINT_SLIDER && crossing);
}

static way go_on(const search *s, const way *from, const sn_joint_record *joint, uint32_t to)
{
    sn_transform place = joint_place(s->world, joint);
    sn_vec3 own_axis = sn_rotate(place.rotation, (sn_vec3){0.0, 0.0, 1.0});
    way on = *from;
    on.body = to;
    bool first = from->sum < 0.0;
    if (first) {
        const sn_body_record *record = &s->world->bodies.data[from->body];
        sn_transform inverse =
            sn_transform_inverse(sn_body_transform(s->world, sn_touch_body(s->world, from->body)));
        on.reach = sn_shapes_reach(record->shapes, record->shape_count,
                                   sn_transform_point(inverse, place.position));
        on.sum = on.longest = 0.0;
        on.turns = true;
        on.flat = joint->type == SN_JOINT_HINGE || joint->type == SN_JOINT_PLANAR;
        on.axis = own_axis;
    } else {
        double length = sn_length(sn_vec3_sub(place.position, from->anchor));
        on.sum += length;
        on.longest = fmax(on.longest, length);
    }
    on.turns = on.turns && only_turns(joint->type);
    on.flat = on.flat && is_across(joint, own_axis, on.axis);
    on.anchor = place.position;
    return on;
}

// The stretch of the axis that a body covers.
static void extent(const sn_world *world, uint32_t body, sn_vec3 axis, double *low, double *high)
{
    const sn_body_record *record = &world->bodies.data[body];
    sn_transform frame = sn_body_transform(world, sn_touch_body(world, body));
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < record->shape_count; ++i) {
        sn_transform place = sn_transform_multiply(frame, record->shapes[i].frame);
        const sn_aabb *box = &sn_form_colliders(record->form)[i].bounds;
        for (int corner = 0; corner < 8; ++corner) {
            sn_vec3 local = {corner & 1 ? box->upper.x : box->lower.x,
                             corner & 2 ? box->upper.y : box->lower.y,
                             corner & 4 ? box->upper.z : box->lower.z};
            double at = sn_dot(axis, sn_transform_point(place, local));
            *low = fmin(*low, at);
            *high = fmax(*high, at);
        }
    }
}

static bool keeps_apart(const sn_world *world, uint32_t start, const way *to)
{
    const sn_body_record *record = &world->bodies.data[to->body];
    if (to->flat) {
        double low_a, high_a, low_b, high_b;
        extent(world, start, to->axis, &low_a, &high_a);
        extent(world, to->body, to->axis, &low_b, &high_b);
        double rounding = 1e-9 * (high_a - low_a + high_b - low_b);
        if (low_a > high_b + rounding || low_b > high_a + rounding) {
            return true;
        }
    }
    if (!to->turns) {
        return false;
    }
    sn_transform inverse =
        sn_transform_inverse(sn_body_transform(world, sn_touch_body(world, to->body)));
    double reach = sn_shapes_reach(record->shapes, record->shape_count,
                                   sn_transform_point(inverse, to->anchor));
    return 2.0 * to->longest - to->sum > (to->reach + reach) * (1.0 + 1e-9);
}

static bool overlaps(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_body_record *of_a = &world->bodies.data[a], *of_b = &world->bodies.data[b];
    sn_transform at_a = sn_body_transform(world, sn_touch_body(world, a));
    sn_transform at_b = sn_body_transform(world, sn_touch_body(world, b));
    for (int i = 0; i < of_a->shape_count; ++i) {
        for (int k = 0; k < of_b->shape_count; ++k) {
            const sn_collider *first = &sn_form_colliders(of_a->form)[i],
                              *second = &sn_form_colliders(of_b->form)[k];
            sn_transform place_a = sn_transform_multiply(at_a, of_a->shapes[i].frame);
            sn_transform place_b = sn_transform_multiply(at_b, of_b->shapes[k].frame);
            sn_manifold manifolds[SN_PATCHES];
            sn_collide_cache cache = {0};
            int count = sn_collide(first, &place_a, second, &place_b, 0.0, &cache, manifolds,
                                   SN_PATCHES, NULL);
            double deep = -0.01 * fmin(first->size, second->size);
            for (int m = 0; m < count; ++m) {
                for (int p = 0; p < manifolds[m].count; ++p) {
                    if (manifolds[m].points[p].gap < deep) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

// From one body over all joints, breadth first: each body of its mechanism once, with a way to it,
// or more than ALL_PAIRS_LIMIT of them.
static int find_ways(search *s, uint32_t start)
{
    const sn_world *world = s->world;
    int count = 1;
    s->ways[0] = (way){.body = start, .sum = -1.0};
    s->reached[start] = 1;
    for (int i = 0; i < count && count <= ALL_PAIRS_LIMIT; ++i) {
        for (int at = s->first[s->ways[i].body]; at >= 0; at = s->next[at]) {
            const sn_joint_record *joint = &world->joints.data[world->joint_order.data[at / 2]];
            uint32_t to = at % 2 == 0 ? joint->child.index : joint->parent.index;
            bool rigid = to != 0 && world->bodies.data[to].type == SN_BODY_RIGID;
            if (rigid && s->reached[to] != 1) {
                s->reached[to] = 1;
                s->ways[count++] = go_on(s, &s->ways[i], joint, to);
            }
        }
    }
    for (int i = 0; i < count; ++i) { // those of a large mechanism need not be asked again
        s->reached[s->ways[i].body] = count > ALL_PAIRS_LIMIT ? 2 : 0;
    }
    return count;
}

static bool drop_of_body(search *s, uint32_t start, int joined)
{
    sn_world *world = s->world;
    sn_touch *touch = &world->touch;
    int count = find_ways(s, start);
    for (int i = 1; i < count && count <= ALL_PAIRS_LIMIT; ++i) {
        uint32_t other = s->ways[i].body;
        if (other < start || world->bodies.data[start].form == NULL ||
            world->bodies.data[other].form == NULL ||
            find_drop(touch->drops.data, joined, start, other) != NULL) {
            continue;
        }
        bool apart = keeps_apart(world, start, &s->ways[i]);
        if ((apart && !add_drop(world, start, other, SN_PAIR_APART)) ||
            (!apart && overlaps(world, start, other) &&
             !add_drop(world, start, other, SN_PAIR_OVERLAPS))) {
            return false;
        }
    }
    return true;
}

static bool drop_joined(search *s)
{
    sn_world *world = s->world;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        if (!is_joined(joint)) {
            continue;
        }
        s->next[2 * i] = s->first[joint->parent.index];
        s->first[joint->parent.index] = 2 * i;
        s->next[2 * i + 1] = s->first[joint->child.index];
        s->first[joint->child.index] = 2 * i + 1;
        if (joint->parent.index != 0 && !joint->contact &&
            !add_drop(world, joint->parent.index, joint->child.index, SN_PAIR_JOINED)) {
            return false;
        }
    }
    s->first[0] = -1; // the world itself is no body
    return true;
}

sn_status sn_world_drop_pairs(sn_world *world, sn_error *error)
{
    sn_touch *touch = &world->touch;
    size_t bodies = (size_t)world->bodies.count, joints = (size_t)world->joint_order.count;
    search s = {.world = world,
                .first = sn_allocate((bodies + 1) * sizeof(int)),
                .next = sn_allocate((2 * joints + 1) * sizeof(int)),
                .ways = sn_allocate((bodies + 1) * sizeof(way)),
                .reached = sn_allocate_zero(bodies + 1)};
    bool made = s.first != NULL && s.next != NULL && s.ways != NULL && s.reached != NULL;
    sn_array_clear(&touch->drops);
    for (size_t i = 0; made && i < bodies; ++i) {
        s.first[i] = -1;
    }
    made = made && drop_joined(&s);
    int joined = touch->drops.count;
    if (made && joined > 0) {
        qsort(touch->drops.data, (size_t)joined, sizeof *touch->drops.data, compare_drops);
    }
    for (int i = 0; made && i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        bool jointed = s.first[body] >= 0 && world->bodies.data[body].type == SN_BODY_RIGID;
        bool asked = jointed && s.reached[body] == 0 && world->bodies.data[body].form != NULL;
        made = !asked || drop_of_body(&s, body, joined);
    }
    if (made && touch->drops.count > 0) {
        qsort(touch->drops.data, (size_t)touch->drops.count, sizeof *touch->drops.data,
              compare_drops);
    }
    touch->surfaces_current = false; // pairs ask again
    sn_free(s.first);
    sn_free(s.next);
    sn_free(s.ways);
    sn_free(s.reached);
    return made ? SN_OK : sn_fail_memory(error, bodies * sizeof(way));
}

int sn_world_dropped_pair_count(const sn_world *world)
{
    return world->touch.drops.count;
}

sn_dropped_pair sn_world_dropped_pair(const sn_world *world, int index)
{
    if (index < 0 || index >= world->touch.drops.count) {
        return (sn_dropped_pair){0};
    }
    const sn_drop *drop = &world->touch.drops.data[index];
    return (sn_dropped_pair){sn_touch_body(world, drop->a), sn_touch_body(world, drop->b),
                             drop->why};
}
