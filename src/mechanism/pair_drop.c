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
#include "collide/query.h"
#include "geometry/reach.h"
#include "mechanism/joint.h"
#include "model/form.h"
#include "model/world.h"

// In larger mechanisms nobody asks what joints keep apart for ever: the number of pairs grows with
// the square.
enum { ALL_PAIRS_LIMIT = 300 };

// What a way from a body to another one is like so far.
typedef struct way {
    uint32_t body;       // where it has got to
    sn_vec3 anchor;      // of the last joint, world
    double reach;        // of the first body from its anchor
    double last_reach;   // and of the last one from its own
    double sum, longest; // of the distances between anchors
    bool turns;          // all its joints only turn
    bool flat;           // nothing moves along `axis`
    sn_vec3 axis;
} way;

// A shape where it stands.
typedef struct stand {
    uint32_t body;
    const sn_collider *collider;
    sn_transform place;
} stand;

typedef struct search {
    sn_world *world;
    int *first, *next;     // joints of each body: first by body index, next by 2 * order + side
    sn_transform *frames;  // by body index
    sn_transform *joints;  // by order: where each joint is, its z axis the joint's own
    double *reach;         // by 2 * order + side: of that body from the joint
    way *ways;             // of the bodies reached
    uint8_t *reached;      // by body index
    int *mechanism, *size; // by body index: the number of its mechanism; bodies in that
    SN_ARRAY(stand) stands;
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

// Over the joint `at` / 2 to the body that is not on the side `at` % 2.
static way go_on(const search *s, const way *from, int at, uint32_t to)
{
    const sn_joint_record *joint = &s->world->joints.data[s->world->joint_order.data[at / 2]];
    const sn_transform *place = &s->joints[at / 2];
    sn_vec3 own_axis = sn_rotate(place->rotation, (sn_vec3){0.0, 0.0, 1.0});
    way on = *from;
    on.body = to;
    if (from->sum < 0.0) {
        on.reach = s->reach[at];
        on.sum = on.longest = 0.0;
        on.turns = true;
        on.flat = joint->type == SN_JOINT_HINGE || joint->type == SN_JOINT_PLANAR;
        on.axis = own_axis;
    } else {
        double length = sn_length(sn_vec3_sub(place->position, from->anchor));
        on.sum += length;
        on.longest = fmax(on.longest, length);
    }
    on.last_reach = s->reach[at ^ 1];
    on.turns = on.turns && only_turns(joint->type);
    on.flat = on.flat && is_across(joint, own_axis, on.axis);
    on.anchor = place->position;
    return on;
}

// The stretch of the axis that a body covers.
static void extent(const search *s, uint32_t body, sn_vec3 axis, double *low, double *high)
{
    const sn_body_record *record = &s->world->bodies.data[body];
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < record->shape_count; ++i) {
        if (!sn_shape_touches(&record->shapes[i])) {
            continue;
        }
        sn_transform place = sn_transform_multiply(s->frames[body], record->shapes[i].frame);
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

static bool keeps_apart(const search *s, uint32_t start, const way *to)
{
    if (to->flat) {
        double low_a, high_a, low_b, high_b;
        extent(s, start, to->axis, &low_a, &high_a);
        extent(s, to->body, to->axis, &low_b, &high_b);
        double rounding = 1e-9 * (high_a - low_a + high_b - low_b);
        if (low_a > high_b + rounding || low_b > high_a + rounding) {
            return true;
        }
    }
    return to->turns && 2.0 * to->longest - to->sum > (to->reach + to->last_reach) * (1.0 + 1e-9);
}

// From one body over all joints, breadth first: each body of its mechanism once, with a way to it.
static int find_ways(search *s, uint32_t start, bool measured)
{
    const sn_world *world = s->world;
    int count = 1;
    s->ways[0] = (way){.body = start, .sum = -1.0};
    s->reached[start] = 1;
    for (int i = 0; i < count; ++i) {
        for (int at = s->first[s->ways[i].body]; at >= 0; at = s->next[at]) {
            const sn_joint_record *joint = &world->joints.data[world->joint_order.data[at / 2]];
            uint32_t to = at % 2 == 0 ? joint->child.index : joint->parent.index;
            bool rigid = to != 0 && world->bodies.data[to].type == SN_BODY_RIGID;
            if (rigid && s->reached[to] == 0) {
                s->reached[to] = 1;
                s->ways[count++] = measured ? go_on(s, &s->ways[i], at, to) : (way){.body = to};
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        s->reached[s->ways[i].body] = 0;
    }
    return count;
}

static bool drop_apart(search *s, uint32_t start, int joined)
{
    sn_world *world = s->world;
    sn_touch *touch = &world->touch;
    int count = find_ways(s, start, true);
    for (int i = 1; i < count; ++i) {
        uint32_t other = s->ways[i].body;
        if (other < start || world->bodies.data[other].form == NULL ||
            find_drop(touch->drops.data, joined, start, other) != NULL) {
            continue;
        }
        if (keeps_apart(s, start, &s->ways[i]) && !add_drop(world, start, other, SN_PAIR_APART)) {
            return false;
        }
    }
    return true;
}

// ---- overlaps ----

static bool may_overlap(void *context, uint32_t a, uint32_t b)
{
    const search *s = context;
    uint32_t of_a = s->stands.data[a].body, of_b = s->stands.data[b].body;
    return of_a != of_b && s->mechanism[of_a] == s->mechanism[of_b];
}

static bool overlaps(const stand *a, const stand *b)
{
    sn_manifold manifolds[SN_PATCHES];
    sn_collide_cache cache = {0};
    int count = sn_collide(a->collider, &a->place, b->collider, &b->place, 0.0, &cache, manifolds,
                           SN_PATCHES, NULL);
    double deep = -0.01 * fmin(a->collider->size, b->collider->size);
    for (int m = 0; m < count; ++m) {
        for (int p = 0; p < manifolds[m].count; ++p) {
            if (manifolds[m].points[p].gap < deep) {
                return true;
            }
        }
    }
    sn_vec3 on_a, on_b; // plates in one plane may be in each other by more than contact can tell
    return count == 0 && !sn_collider_is_convex(a->collider) &&
           !sn_collider_is_convex(b->collider) &&
           sn_collide_distance(a->collider, &a->place, b->collider, &b->place, NULL, &on_a, &on_b) <
               deep;
}

// Drops the pairs of bodies that overlap, found from boxes around their shapes; `known` drops are
// sorted. A pair may be found several times.
static sn_status drop_overlaps(search *s, sn_broad *broad, int known, sn_error *error)
{
    sn_world *world = s->world;
    for (int i = 0; i < s->stands.count; ++i) {
        const stand *at = &s->stands.data[i];
        if (sn_broad_add(broad, sn_collider_bounds(at->collider, &at->place), (uint32_t)i, true) <
            0) {
            return sn_fail_memory(error, sizeof(sn_aabb));
        }
    }
    const sn_broad_pair *pairs = NULL;
    int count = 0;
    sn_status status = sn_broad_pairs(broad, NULL, may_overlap, s, &pairs, &count, error);
    for (int i = 0; i < count && status == SN_OK; ++i) {
        const stand *a = &s->stands.data[pairs[i].user_a], *b = &s->stands.data[pairs[i].user_b];
        uint32_t low = a->body < b->body ? a->body : b->body;
        uint32_t high = a->body < b->body ? b->body : a->body;
        if (find_drop(world->touch.drops.data, known, low, high) == NULL && overlaps(a, b) &&
            !add_drop(world, low, high, SN_PAIR_OVERLAPS)) {
            status = sn_fail_memory(error, sizeof(sn_drop));
        }
    }
    return status;
}

// ---- all ----

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

// Where everything is, and how far bodies reach from their joints.
static bool measure(search *s)
{
    const sn_world *world = s->world;
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        const sn_body_record *record = &world->bodies.data[body];
        s->frames[body] = sn_body_transform(world, sn_touch_body(world, body));
        bool jointed = s->first[body] >= 0 && record->type == SN_BODY_RIGID;
        for (int k = 0; jointed && record->form != NULL && k < record->shape_count; ++k) {
            if (!sn_shape_touches(&record->shapes[k])) {
                continue;
            }
            stand made = {body, &sn_form_colliders(record->form)[k],
                          sn_transform_multiply(s->frames[body], record->shapes[k].frame)};
            if (!sn_array_push(&s->stands, made)) {
                return false;
            }
        }
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        if (!is_joined(joint)) {
            continue;
        }
        s->joints[i] = sn_transform_multiply(s->frames[joint->child.index], joint->child_frame);
        const uint32_t bodies[2] = {joint->parent.index, joint->child.index};
        for (int side = 0; side < 2; ++side) {
            const sn_body_record *record = &world->bodies.data[bodies[side]];
            sn_transform inverse = sn_transform_inverse(s->frames[bodies[side]]);
            s->reach[2 * i + side] =
                bodies[side] == 0 || record->form == NULL
                    ? 0.0
                    : sn_shapes_reach(record->shapes, record->shape_count,
                                      sn_transform_point(inverse, s->joints[i].position));
        }
    }
    return true;
}

static void number_mechanisms(search *s)
{
    const sn_world *world = s->world;
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        bool jointed = s->first[body] >= 0 && world->bodies.data[body].type == SN_BODY_RIGID;
        if (!jointed || s->mechanism[body] >= 0) {
            continue;
        }
        int count = find_ways(s, body, false);
        for (int k = 0; k < count; ++k) {
            s->mechanism[s->ways[k].body] = i;
            s->size[s->ways[k].body] = count;
        }
    }
}

// The same pair once.
static void sort_drops(sn_touch *touch)
{
    if (touch->drops.count == 0) {
        return;
    }
    qsort(touch->drops.data, (size_t)touch->drops.count, sizeof *touch->drops.data, compare_drops);
    int kept = 1;
    for (int i = 1; i < touch->drops.count; ++i) {
        const sn_drop *drop = &touch->drops.data[i], *last = &touch->drops.data[kept - 1];
        if (drop->a != last->a || drop->b != last->b) {
            touch->drops.data[kept++] = *drop;
        }
    }
    touch->drops.count = kept;
}

static sn_status drop_all(search *s, sn_error *error)
{
    sn_world *world = s->world;
    sn_touch *touch = &world->touch;
    bool made = drop_joined(s) && measure(s);
    sort_drops(touch);
    int joined = touch->drops.count;
    if (made) {
        number_mechanisms(s);
    }
    for (int i = 0; made && i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        bool asked = s->mechanism[body] >= 0 && s->size[body] <= ALL_PAIRS_LIMIT &&
                     world->bodies.data[body].form != NULL;
        made = !asked || drop_apart(s, body, joined);
    }
    if (!made) {
        return sn_fail_memory(error, sizeof(way));
    }
    sort_drops(touch);
    sn_broad *broad = NULL;
    sn_status status = s->stands.count > 0 ? sn_broad_create(0.0, &broad, error) : SN_OK;
    if (status == SN_OK && broad != NULL) {
        status = drop_overlaps(s, broad, touch->drops.count, error);
    }
    sn_broad_destroy(broad);
    sort_drops(touch);
    return status;
}

sn_status sn_world_drop_pairs(sn_world *world, sn_error *error)
{
    size_t bodies = (size_t)world->bodies.count + 1, joints = (size_t)world->joint_order.count + 1;
    search s = {.world = world,
                .first = sn_allocate(bodies * sizeof(int)),
                .next = sn_allocate(2 * joints * sizeof(int)),
                .frames = sn_allocate_zero(bodies * sizeof(sn_transform)),
                .joints = sn_allocate(joints * sizeof(sn_transform)),
                .reach = sn_allocate(2 * joints * sizeof(double)),
                .ways = sn_allocate(bodies * sizeof(way)),
                .reached = sn_allocate_zero(bodies),
                .mechanism = sn_allocate(bodies * sizeof(int)),
                .size = sn_allocate_zero(bodies * sizeof(int))};
    sn_status status = SN_OK;
    sn_array_clear(&world->touch.drops);
    if (s.first == NULL || s.next == NULL || s.frames == NULL || s.joints == NULL ||
        s.reach == NULL || s.ways == NULL || s.reached == NULL || s.mechanism == NULL ||
        s.size == NULL) {
        status = sn_fail_memory(error, bodies * sizeof(way));
    }
    for (size_t i = 0; status == SN_OK && i < bodies; ++i) {
        s.first[i] = s.mechanism[i] = -1;
    }
    status = status == SN_OK ? drop_all(&s, error) : status;
    world->touch.surfaces_current = false; // pairs ask again
    void *const parts[] = {s.first, s.next,    s.frames,    s.joints, s.reach,
                           s.ways,  s.reached, s.mechanism, s.size};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        sn_free(parts[i]);
    }
    sn_array_free(&s.stands);
    return status;
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
