// The exact test of a pair: manifolds become contacts, which go on from those of the last step.
#include <math.h>

#include "collide/torus_pairs.h"
#include "model/form.h"
#include "model/world.h"
#include "touch/touch.h"

// Contacts are looked for no further ahead than this share of the pair's size, however fast things
// are: what is further away is told wrongly by the plane between nearest points, and things would
// bounce off what they pass by. Pairs that may come further than that in the step, thin things
// above all, are left to sweep.c, which stops them where they meet.
static const double FORESIGHT = 0.25;

// Patches that can be one: the cosine of the angle between normals, at least, and how far points
// may come in a step, as a share of the pair's size.
static const double PATCH_COSINE = 0.94, PATCH_STRIDE = 0.25;

// Cosine of the angle from a ring's plane, outwards, beyond which its surface counts as hollow.
static const double INNER = -0.9;

void sn_touch_clear_pair(sn_touch *touch, sn_pair *pair)
{
    for (int i = 0; i < pair->count; ++i) {
        touch->pool.data[pair->contacts + i].count = 0;
    }
    pair->count = 0;
}

// What a point of the last step remembers.
typedef struct remembered {
    sn_vec3 on_b, impulse, anchor;
    uint32_t feature;
    bool touched, used;
} remembered;

typedef struct memory {
    remembered points[SN_MANIFOLD_POINTS];
    sn_vec3 turning, normal;
    int count;
    uint32_t patch;
    bool used;
} memory;

static void remember(const sn_contact *contact, memory *old)
{
    old->count = contact->count;
    old->patch = contact->patch;
    old->turning = contact->turning;
    old->normal = contact->normal;
    old->used = false;
    for (int i = 0; i < contact->count; ++i) {
        const sn_contact_point *point = &contact->points[i];
        old->points[i] = (remembered){point->on_b,    point->impulse, point->anchor,
                                      point->feature, point->touched, false};
    }
}

// The nearest point that nobody has, within `near`.
static remembered *find_place(memory *old, sn_vec3 on_b, double near)
{
    remembered *best = NULL;
    double least = near * near;
    for (int i = 0; i < old->count; ++i) {
        sn_vec3 apart = sn_vec3_sub(old->points[i].on_b, on_b);
        double square = sn_dot(apart, apart);
        if (!old->points[i].used && square < least) {
            least = square;
            best = &old->points[i];
        }
    }
    if (best != NULL) {
        best->used = true;
    }
    return best;
}

// A point that was there in the last step has its feature's name, or failing that its place.
static const remembered *find_point(memory *old, const sn_manifold_point *point, double near)
{
    for (int i = 0; i < old->count; ++i) {
        remembered *own = &old->points[i];
        if (!own->used && own->feature == point->feature) {
            own->used = true;
            return own;
        }
    }
    return find_place(old, point->on_b, near);
}

// Of the least of the distances between points of both.
static double square_apart(const memory *old, const sn_manifold *manifold)
{
    double least = INFINITY;
    for (int i = 0; i < old->count; ++i) {
        for (int k = 0; k < manifold->count; ++k) {
            sn_vec3 apart = sn_vec3_sub(old->points[i].on_b, manifold->points[k].on_b);
            least = fmin(least, sn_dot(apart, apart));
        }
    }
    return least;
}

// The patch of the last step that this one goes on from: of the same name, or, on curved ground,
// where what rolls or slides comes from facet to facet, the nearest of those whose normal is within
// 20 degrees. NULL: none.
static memory *find_patch(memory *old, int count, const sn_manifold *manifold, bool named,
                          double near)
{
    memory *best = NULL;
    double least = near * near;
    for (int k = 0; k < count; ++k) {
        bool same = old[k].patch == manifold->patch;
        if (old[k].used || old[k].count == 0 || (named && !same)) {
            continue;
        }
        if (same) {
            return &old[k];
        }
        double square = square_apart(&old[k], manifold);
        if (sn_dot(old[k].normal, manifold->normal) > PATCH_COSINE && square < least) {
            least = square;
            best = &old[k];
        }
    }
    return best;
}

// What a patch remembers, for another that takes its place: each point gets what the nearest has,
// the normal part of its impulse along the new normal, the rest in the new plane.
static void carry_over(memory *old, const sn_manifold *manifold, double near)
{
    memory from = *old;
    sn_vec3 n = manifold->normal;
    old->count = 0;
    for (int i = 0; i < manifold->count; ++i) {
        remembered next = {.on_b = manifold->points[i].on_b};
        const remembered *before = find_place(&from, next.on_b, near);
        if (before == NULL) {
            continue;
        }
        double press = sn_dot(before->impulse, from.normal);
        sn_vec3 rub = sn_vec3_add_scaled(before->impulse, -press, from.normal);
        rub = sn_vec3_add_scaled(rub, -sn_dot(rub, n), n);
        next.impulse = sn_vec3_add_scaled(rub, press, n);
        next.anchor = sn_vec3_add_scaled(before->anchor, -sn_dot(before->anchor, n), n);
        next.feature = manifold->points[i].feature;
        next.touched = before->touched;
        old->points[old->count++] = next;
    }
}

// A ring that stands rolls on its outer rim. Its inner side is hollow along the ring, which slides
// or rolls about what it hangs on. Between both a surface is bent in two ways, and the tube's is
// the one that counts; so it is for two rings that hang on each other, each hollow across the
// other.
static double ring_roundness(const sn_collider *torus, const sn_transform *place,
                             const sn_collider *other, sn_vec3 normal, sn_vec3 point)
{
    sn_vec3 axis = sn_rotate(place->rotation, (sn_vec3){0.0, 0.0, 1.0}),
            from = sn_vec3_sub(point, place->position);
    double across = sn_length(sn_vec3_add_scaled(from, -sn_dot(from, axis), axis));
    double out = fmax(-1.0, (across - torus->radius) / torus->tube); // cosine of the normal's lean
    if (out < INNER && !(other->tube > 0.0)) {
        return (torus->radius + out * torus->tube) / out; // 1 / normal curvature
    }
    bool round = other->tube > 0.0 || other->type == SN_COLLIDER_SPHERE ||
                 other->type == SN_COLLIDER_CAPSULE;
    bool rolls = !round && out > 0.0 && fabs(sn_dot(axis, normal)) < 1e-3;
    return rolls ? torus->radius + torus->tube : torus->tube;
}

double sn_touch_roundness(const sn_collider *collider, const sn_transform *place,
                          const sn_collider *other, sn_vec3 normal, sn_vec3 point)
{
    if (collider->tube > 0.0 &&
        (other->type == SN_COLLIDER_PLANE || sn_is_torus_pair(collider, other))) {
        return ring_roundness(collider, place, other, normal, point);
    }
    if (collider->type != SN_COLLIDER_CYLINDER) {
        return sn_collider_is_convex(collider) ? collider->rounding : 0.0;
    }
    sn_vec3 axis = sn_rotate(place->rotation, (sn_vec3){0.0, 0.0, 1.0});
    return fabs(sn_dot(axis, normal)) < 1e-3 ? collider->radius : 0.0;
}

// What points that are no more have carried goes to those that have come in their place: else all
// that stands above would fall for as long as it takes to find it out anew. Each to the nearest.
static void hand_over(const memory *old, sn_contact *contact, const bool *fresh)
{
    for (int i = 0; i < old->count; ++i) {
        const remembered *gone = &old->points[i];
        sn_contact_point *heir = NULL;
        double least = INFINITY;
        for (int k = 0; k < contact->count && !gone->used; ++k) {
            sn_vec3 apart = sn_vec3_sub(contact->points[k].on_b, gone->on_b);
            double square = sn_dot(apart, apart);
            if (fresh[k] && square < least) {
                least = square;
                heir = &contact->points[k];
            }
        }
        if (heir != NULL) {
            heir->impulse = sn_vec3_add(heir->impulse, gone->impulse);
            heir->touched = heir->touched || gone->touched;
        }
    }
}

// A manifold becomes a contact, with what the last step's remembers.
static void fill_contact(const sn_world *world, const sn_pair *pair, const sn_manifold *manifold,
                         memory *old, sn_contact *contact)
{
    const sn_touch *touch = &world->touch;
    const sn_touch_place *at_a = &touch->places.data[pair->a], *at_b = &touch->places.data[pair->b];
    contact->a = at_a->side;
    contact->b = at_b->side;
    contact->normal = manifold->normal;
    contact->friction = pair->friction;
    contact->restitution = pair->restitution;
    contact->rolling_friction = pair->rolling_friction;
    contact->spinning_friction = pair->spinning_friction;
    contact->size = pair->size;
    contact->round_a = sn_touch_roundness(at_a->collider, &at_a->frame, at_b->collider,
                                          manifold->normal, manifold->points[0].on_a);
    contact->round_b = sn_touch_roundness(at_b->collider, &at_b->frame, at_a->collider,
                                          manifold->normal, manifold->points[0].on_b);
    contact->turning = old->count > 0 ? old->turning : SN_VEC3_ZERO;
    contact->patch = manifold->patch;
    contact->count = manifold->count;
    contact->surface_velocity = SN_VEC3_ZERO;
    if (pair->flags & SN_PAIR_DRIVEN) {
        const sn_touch_shape *a = &touch->shapes.data[pair->a], *b = &touch->shapes.data[pair->b];
        sn_vec3 drive =
            sn_vec3_sub(sn_rotate(at_b->frame.rotation, sn_touch_surface(world, b)->velocity),
                        sn_rotate(at_a->frame.rotation, sn_touch_surface(world, a)->velocity));
        contact->surface_velocity =
            sn_vec3_add_scaled(drive, -sn_dot(drive, contact->normal), contact->normal);
    }
    bool fresh[SN_MANIFOLD_POINTS];
    for (int i = 0; i < manifold->count; ++i) {
        const sn_manifold_point *from = &manifold->points[i];
        const remembered *before = find_point(old, from, 0.02 * pair->size);
        sn_contact_point *point = &contact->points[i];
        fresh[i] = before == NULL;
        point->on_a = from->on_a;
        point->on_b = from->on_b;
        point->gap = from->gap;
        point->feature = from->feature;
        point->impulse = before != NULL ? before->impulse : SN_VEC3_ZERO;
        point->anchor = before != NULL ? before->anchor : SN_VEC3_ZERO;
        point->touched = before != NULL && before->touched;
    }
    hand_over(old, contact, fresh);
}

// The same of a pair that can have several. Names go first, so that no patch takes what another
// remembers.
static void fill_patches(const sn_world *world, const sn_pair *pair, const sn_manifold *manifolds,
                         int count, sn_contact *contacts)
{
    memory old[SN_PATCHES], none, *match[SN_PATCHES];
    none.count = 0;
    for (int k = 0; k < pair->count; ++k) {
        remember(&contacts[k], &old[k]);
    }
    for (int i = 0; i < count; ++i) {
        match[i] = find_patch(old, pair->count, &manifolds[i], true, 0.0);
        if (match[i] != NULL) {
            match[i]->used = true;
        }
    }
    for (int i = 0; i < count; ++i) {
        if (match[i] == NULL) {
            match[i] =
                find_patch(old, pair->count, &manifolds[i], false, PATCH_STRIDE * pair->size);
            if (match[i] != NULL) {
                match[i]->used = true;
                carry_over(match[i], &manifolds[i], PATCH_STRIDE * pair->size);
            }
        }
        fill_contact(world, pair, &manifolds[i], match[i] != NULL ? match[i] : &none, &contacts[i]);
    }
}

static bool is_held(const sn_world *world, sn_contact_side side)
{
    return side.agent < 0 || world->sets[side.set]->agents[side.agent].held;
}

static bool boxes_meet(const sn_aabb *a, const sn_aabb *b, double margin)
{
    return a->lower.x <= b->upper.x + margin && b->lower.x <= a->upper.x + margin &&
           a->lower.y <= b->upper.y + margin && b->lower.y <= a->upper.y + margin &&
           a->lower.z <= b->upper.z + margin && b->lower.z <= a->upper.z + margin;
}

bool sn_touch_takes_part(const sn_world *world, sn_contact_side side)
{
    return side.agent < 0 || sn_world_presses(world) ||
           !sn_integrator_is_staged(world->sets[side.set]->agents[side.agent].integrator);
}

// A pair that ends up without contact may meet in the step all the same if it comes further than
// was looked: `margin` was cut to less than `far`.
static void note_unseen(sn_pair *pair, const sn_touch_place *a, const sn_touch_place *b,
                        double margin, double far)
{
    bool unseen = pair->count == 0 && far > margin && boxes_meet(&a->bounds, &b->bounds, far);
    pair->flags = (uint8_t)(unseen ? pair->flags | SN_PAIR_UNSEEN : pair->flags & ~SN_PAIR_UNSEEN);
}

// Two meshes without contact so far that are known to be farther apart than the margin. Pairs in
// contact are not asked: they would not be.
static bool meshes_are_apart(sn_touch *touch, const sn_pair *pair, const sn_touch_place *a,
                             const sn_touch_place *b, double margin)
{
    if (pair->apart == 0 || pair->count > 0) {
        return false;
    }
    sn_transform place = sn_transform_multiply(sn_transform_inverse(a->frame), b->frame);
    return sn_mesh_apart_hold(a->collider, b->collider, &place, margin,
                              &touch->gaps.data[pair->apart - 1]);
}

int sn_world_collide_pair(sn_world *world, sn_pair *pair, double h)
{
    sn_touch *touch = &world->touch;
    const sn_touch_place *at_a = &touch->places.data[pair->a], *at_b = &touch->places.data[pair->b];
    if (is_held(world, at_a->side) && is_held(world, at_b->side)) {
        pair->flags &= (uint8_t)~SN_PAIR_UNSEEN;
        return 0; // nothing has moved: its contacts stay
    }
    bool excluded = (pair->flags & SN_PAIR_DROPPED) != 0 ||
                    !sn_touch_takes_part(world, at_a->side) ||
                    !sn_touch_takes_part(world, at_b->side);
    const sn_collider *of_a = at_a->collider, *of_b = at_b->collider;
    double travel = at_a->travel + at_b->travel, near = SN_NEAR_SHARE * pair->size;
    double margin =
        pair->flags & SN_PAIR_SENSOR ? 0.0 : near + fmin(travel, FORESIGHT * pair->size);
    double far = excluded || (pair->flags & SN_PAIR_SENSOR) ? 0.0 : near + travel;
    if (excluded || !boxes_meet(&at_a->bounds, &at_b->bounds, margin)) {
        sn_touch_clear_pair(touch, pair);
        note_unseen(pair, at_a, at_b, margin, far);
        return 0;
    }
    sn_manifold manifolds[SN_PATCHES];
    int left_out = 0;
    if (meshes_are_apart(touch, pair, at_a, at_b, margin)) {
        note_unseen(pair, at_a, at_b, margin, far);
        return 0;
    }
    int count = sn_collide(of_a, &at_a->frame, of_b, &at_b->frame, margin, &pair->cache, manifolds,
                           pair->capacity, &left_out);
    if (count > 0 && pair->count == 0) {
        // A contact begins the same way whatever the pair has seen before it, so that copies and
        // loaded states, which know nothing of pairs apart, go on to the bit.
        pair->cache = (sn_collide_cache){0};
        count = sn_collide(of_a, &at_a->frame, of_b, &at_b->frame, margin, &pair->cache, manifolds,
                           pair->capacity, &left_out);
    }
    if (count == 1 && pair->capacity == 1 && !(pair->flags & SN_PAIR_SENSOR) &&
        !sn_world_presses(world) && sn_touch_passes_by(world, pair, h, manifolds)) {
        count = 0;
    }
    sn_contact *contacts = &touch->pool.data[pair->contacts];
    if (pair->capacity == 1 && count == 1) {
        memory old;
        remember(contacts, &old);
        fill_contact(world, pair, &manifolds[0], &old, contacts);
    } else if (pair->capacity > 1) {
        sn_vec3 ahead[SN_PATCHES] = {SN_VEC3_ZERO};
        if (count > 0 && !(pair->flags & SN_PAIR_SENSOR) && !sn_world_presses(world)) {
            count = sn_touch_foresee(world, pair, h, manifolds, count, ahead, &left_out);
        }
        fill_patches(world, pair, manifolds, count, contacts);
        for (int i = 0; i < count; ++i) {
            contacts[i].ahead = ahead[i];
        }
    }
    for (int i = count; i < pair->count; ++i) {
        contacts[i].count = 0;
    }
    pair->count = (uint8_t)count;
    note_unseen(pair, at_a, at_b, margin, far);
    return left_out;
}
