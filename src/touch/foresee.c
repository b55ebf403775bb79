// Ground that curves up before a body. Geometry is found where bodies are at the start of a step; a
// body that slides or rolls over facets would go straight on, into the ones it comes to, and be
// lifted out of them in the next step for nothing: on a smooth bowl that puts in energy in every
// step. So what moves over ground is also looked at where its velocity takes it. Where it would be
// deeper there in a plane k than in the plane 1 that it rests on, it is led from one to the other:
// with the way d of the point, and the share t of it at which both planes are as near,
//
//     n = t n_1 + (1 - t) n_k,     gap = (what it would be in k) / (n . n_k) - d . n
//
// is the one contact of the step: the mean of the normals that press on it, by their times, and a
// gap that is closed where the point comes to lie in plane k. For what rests on plane 1 it is 0, as
// d is t d along 1 and (1 - t) d along k, so that pressing does no work. At the end of the step the
// normal is n_k (`sn_contact.ahead`), and what velocity is left against it is taken away.
// On ground whose facets are small by the step this is the smooth surface's own course, and nothing
// is lost; at single edges it is at most the loss of an impact, v' = v cos(angle).
//
// Two contacts, one in each plane, would be right for what flies, and for what rebounds: so these
// have them. But the one with k would carry all of the weight from the start of the step, and lose
// its work along the gap.
//
// Over level ground and edges that fall away nothing is found here. What turns by more than TURN in
// a step is not looked ahead for, nor what would be deeper than DEEP at its end: that is far off,
// or on the other side of something thin.
#include <math.h>

#include "collide/facet.h"
#include "math/rotation.h"
#include "model/world.h"
#include "touch/touch.h"

static const double STILL = 1e-6;  // of the pair's size: less way than this is none
static const double DEEP = 0.25;   // the same
static const double LEVEL = 1e-10; // the same: planes that tell the same to this are one
static const double SAME = 0.02;   // the same: points nearer to each other are one
static const double TURN = 1.0;    // radians
static const double ALIKE = 0.94;  // cosine between planes that a point is led over
static const double LIKE = 1e-6;   // radians: points with normals nearer than this are one contact

// The ground is left where it is at the start of the step; the other comes to `place` as the ground
// sees it.
typedef struct foresight {
    const sn_touch_place *ground, *other;
    sn_transform place;
    bool swapped; // the ground is b
} foresight;

sn_transform sn_touch_motion(const sn_world *world, sn_contact_side side, double h, double *turn)
{
    if (side.agent < 0) {
        *turn = 0.0;
        return SN_TRANSFORM_IDENTITY;
    }
    const sn_agent_set *set = world->sets[side.set];
    sn_part part;
    set->type->part(set, side.agent, side.part, &part);
    *turn = h * sn_length(part.angular_velocity);
    sn_transform motion = {.rotation = sn_quat_exp(sn_vec3_scale(h, part.angular_velocity))};
    sn_vec3 end = sn_vec3_add_scaled(part.centre, h, part.velocity);
    motion.position = sn_vec3_sub(end, sn_rotate(motion.rotation, part.centre));
    return motion;
}

static bool look_ahead(const sn_world *world, const sn_pair *pair, double h, foresight *to)
{
    const sn_touch_place *places = world->touch.places.data;
    const sn_touch_place *a = &places[pair->a], *b = &places[pair->b];
    bool level = a->collider->type == SN_COLLIDER_PLANE || b->collider->type == SN_COLLIDER_PLANE;
    if (level || !(a->travel + b->travel > STILL * pair->size)) {
        return false;
    }
    to->swapped = !sn_collider_is_ground(a->collider);
    to->ground = to->swapped ? b : a;
    to->other = to->swapped ? a : b;
    double turns[2];
    sn_transform of_ground = sn_touch_motion(world, to->ground->side, h, &turns[0]),
                 of_other = sn_touch_motion(world, to->other->side, h, &turns[1]);
    bool round = to->other->collider->type == SN_COLLIDER_SPHERE;
    if (turns[0] > TURN || (turns[1] > TURN && !round)) {
        return false;
    }
    sn_transform motion = sn_transform_multiply(sn_transform_inverse(of_ground), of_other);
    to->place = sn_transform_multiply(motion, to->other->frame);
    return true;
}

// Where the core below a point of the other's surface is, at the start and at the end of the step:
// see contact.h. What is round touches below its core, wherever its material has turned.
typedef struct core_way {
    double round;
    sn_vec3 start, end;
} core_way;

// The normal of a manifold, away from the ground.
static sn_vec3 away_of(const foresight *to, const sn_manifold *m)
{
    return to->swapped ? sn_vec3_negate(m->normal) : m->normal;
}

static core_way way_of(const foresight *to, const sn_manifold *m, const sn_manifold_point *point)
{
    sn_vec3 n = away_of(to, m), on = to->swapped ? point->on_a : point->on_b;
    core_way way = {
        .round = sn_touch_roundness(to->other->collider, &to->place, to->ground->collider, n, on)};
    way.end = sn_vec3_add_scaled(on, way.round, n);
    sn_vec3 own = sn_transform_point_inverse(to->place, way.end);
    way.start = sn_transform_point(to->other->frame, own);
    return way;
}

// The gap between a plane of the ground, that of a manifold, and what is round about a core.
static double gap_to(const foresight *to, const sn_manifold *m, const core_way *way, sn_vec3 core)
{
    const sn_manifold_point *point = &m->points[0];
    sn_vec3 n = away_of(to, m);
    sn_vec3 on = to->swapped ? point->on_b : point->on_a;
    return sn_dot(sn_vec3_sub(core, on), n) - way->round;
}

// What was found at the start of the step, and what has been taken from it.
typedef struct outlook {
    const sn_world *world;
    const sn_pair *pair;
    double h, near; // m: gaps that gravity alone closes in the step
    foresight to;
    sn_manifold *manifolds;
    sn_vec3 *ahead;
    int known, count;        // of the manifolds: at the start, and with those to come
    uint8_t led[SN_PATCHES]; // bit i: point i of a known manifold is led on
    int left_out;
} outlook;

// Is a plane above the body at the start of the step, or does another that the pair has already
// lie higher at its end?
static bool is_idle(const outlook *o, const sn_manifold *m, const core_way *way)
{
    double size = o->pair->size;
    double end = gap_to(&o->to, m, way, way->end), start = gap_to(&o->to, m, way, way->start);
    bool idle = start < -SN_EXACT_OVERLAP * size || end < -DEEP * size;
    for (int i = 0; i < o->known && !idle; ++i) {
        const sn_manifold *known = &o->manifolds[i];
        idle = known->patch != m->patch && sn_dot(known->normal, m->normal) > 0.0 &&
               gap_to(&o->to, known, way, way->end) <= end + LEVEL * size;
    }
    return idle;
}

static bool has_plane(const outlook *o, const sn_manifold *m)
{
    bool has = false;
    for (int i = 0; i < o->known; ++i) {
        has = has || o->manifolds[i].patch == m->patch;
    }
    return has;
}

// The point of a known manifold that is at this place of the other body, or -1.
static int find_point(const outlook *o, int index, const core_way *way)
{
    const sn_manifold *known = &o->manifolds[index];
    sn_vec3 n = away_of(&o->to, known);
    double near = SAME * o->pair->size, least = near * near;
    int best = -1;
    for (int k = 0; k < known->count; ++k) {
        const sn_manifold_point *at = &known->points[k];
        sn_vec3 core = sn_vec3_add_scaled(o->to.swapped ? at->on_a : at->on_b, way->round, n);
        sn_vec3 apart = sn_vec3_sub(core, way->start);
        if (sn_dot(apart, apart) < least) {
            least = sn_dot(apart, apart);
            best = k;
        }
    }
    return best;
}

// The known manifold that carries this place of the other body at the start of the step: where
// there are several, as in a groove, the one whose normal is most like the new one's; -1: none.
static int find_carrier(const outlook *o, const sn_manifold *m, const core_way *way)
{
    double least = INFINITY, most = ALIKE;
    int best = -1;
    for (int i = 0; i < o->known; ++i) {
        if (sn_dot(o->manifolds[i].normal, m->normal) > ALIKE && find_point(o, i, way) >= 0) {
            least = fmin(least, gap_to(&o->to, &o->manifolds[i], way, way->start));
        }
    }
    for (int i = 0; i < o->known; ++i) {
        double alike = sn_dot(o->manifolds[i].normal, m->normal);
        double gap = gap_to(&o->to, &o->manifolds[i], way, way->start);
        if (alike > most && gap <= least + 10.0 * SN_EXACT_SMALL * o->pair->size &&
            find_point(o, i, way) >= 0) {
            most = alike;
            best = i;
        }
    }
    return best;
}

// The place is led from one plane to another: points there of those two, and of planes in between,
// are no longer contacts.
static void lead(outlook *o, const sn_manifold *from, const sn_manifold *to, const core_way *way)
{
    double whole = sn_distance(from->normal, to->normal) + LIKE;
    for (int i = 0; i < o->known; ++i) {
        sn_vec3 n = o->manifolds[i].normal;
        bool between = sn_distance(n, from->normal) <= whole && sn_distance(n, to->normal) <= whole;
        int point = between ? find_point(o, i, way) : -1;
        if (point >= 0) {
            o->led[i] |= (uint8_t)(1 << point);
        }
    }
}

// Is it carried now, over such a gap, and does it not rebound from where it comes to?
static bool is_carried(const outlook *o, double gap, sn_vec3 n, sn_vec3 d)
{
    double speed = -sn_dot(d, n) / o->h, fall = -sn_dot(o->world->gravity, n);
    return gap <= o->near && 2.0 * o->pair->restitution * speed <= fmax(fall, 0.0) * o->h;
}

// Adds a point with the normal n away from the ground, and a gap, to those of the last manifold
// that go the same way.
static void add_seen(outlook *o, const sn_manifold *m, const core_way *way, uint32_t feature,
                     sn_vec3 n, double gap, sn_vec3 ahead)
{
    const foresight *to = &o->to;
    sn_vec3 normal = to->swapped ? sn_vec3_negate(n) : n;
    sn_manifold *last = o->count > o->known ? &o->manifolds[o->count - 1] : NULL;
    bool joins = last != NULL && last->patch == m->patch && last->count < SN_MANIFOLD_POINTS &&
                 sn_distance(last->normal, normal) < LIKE;
    if (!joins && o->count == SN_PATCHES) {
        o->left_out += 1;
        return;
    }
    if (!joins) {
        last = &o->manifolds[o->count];
        last->normal = normal;
        last->patch = m->patch;
        last->count = 0;
        o->ahead[o->count++] = ahead;
    }
    sn_manifold_point *point = &last->points[last->count++];
    sn_vec3 on_other = sn_vec3_add_scaled(way->start, -way->round, n);
    sn_vec3 on_ground = sn_vec3_add_scaled(on_other, -gap, n);
    point->on_a = to->swapped ? on_other : on_ground;
    point->on_b = to->swapped ? on_ground : on_other;
    point->gap = gap;
    point->feature = feature;
}

static void see_point(outlook *o, const sn_manifold *m, const sn_manifold_point *point)
{
    const foresight *to = &o->to;
    core_way way = way_of(to, m, point);
    int first = is_idle(o, m, &way) ? -1 : find_carrier(o, m, &way);
    sn_vec3 n_k = away_of(to, m), d = sn_vec3_sub(way.end, way.start);
    double start = gap_to(to, m, &way, way.start), end = gap_to(to, m, &way, way.end);
    const sn_manifold *carrier = first >= 0 ? &o->manifolds[first] : NULL;
    double start_1 = carrier != NULL ? gap_to(to, carrier, &way, way.start) : 0.0;
    if (carrier == NULL || !is_carried(o, start_1, n_k, d)) {
        if (!is_idle(o, m, &way) && !has_plane(o, m)) {
            add_seen(o, m, &way, point->feature, n_k, start, SN_VEC3_ZERO);
        }
        return;
    }
    if (carrier->patch == m->patch || (o->led[first] & 1 << find_point(o, first, &way))) {
        return; // it stays, or is led to a plane that it is deeper in
    }
    sn_vec3 n_1 = away_of(to, carrier);
    double closing = gap_to(to, carrier, &way, way.end) - start_1 - (end - start);
    double t = closing > 0.0 ? fmin(fmax((start - start_1) / closing, 0.0), 1.0) : 0.0;
    sn_vec3 n = sn_normalize(sn_vec3_add_scaled(sn_vec3_scale(t, n_1), 1.0 - t, n_k));
    lead(o, carrier, m, &way);
    add_seen(o, m, &way, point->feature, n, end / sn_dot(n, n_k) - sn_dot(d, n), m->normal);
}

// The points of known manifolds that are led on are no longer theirs.
static void drop_led(outlook *o)
{
    int kept = 0;
    for (int i = 0; i < o->count; ++i) {
        sn_manifold *m = &o->manifolds[i];
        int points = 0;
        for (int k = 0; k < m->count; ++k) {
            if (i >= o->known || !(o->led[i] & 1 << k)) {
                m->points[points++] = m->points[k];
            }
        }
        m->count = points;
        if (points > 0) {
            o->ahead[kept] = o->ahead[i];
            o->manifolds[kept++] = *m;
        }
    }
    o->count = kept;
}

static double deepest(const sn_manifold *m)
{
    double least = INFINITY;
    for (int i = 0; i < m->count; ++i) {
        least = fmin(least, m->points[i].gap);
    }
    return least;
}

int sn_touch_foresee(const sn_world *world, const sn_pair *pair, double h, sn_manifold *manifolds,
                     int count, sn_vec3 *ahead, int *left_out)
{
    outlook o = {.world = world, .pair = pair, .h = h, .manifolds = manifolds, .ahead = ahead};
    for (int i = 0; i < count; ++i) {
        ahead[i] = SN_VEC3_ZERO;
    }
    if (!look_ahead(world, pair, h, &o.to)) {
        return count;
    }
    o.known = o.count = count;
    o.near = SN_EXACT_SMALL * pair->size + h * h * sn_length(world->gravity);
    const foresight *to = &o.to;
    sn_manifold seen[SN_PATCHES];
    sn_collide_cache cache = {0};
    int found = to->swapped
                    ? sn_collide(to->other->collider, &to->place, to->ground->collider,
                                 &to->ground->frame, o.near, &cache, seen, SN_PATCHES, NULL)
                    : sn_collide(to->ground->collider, &to->ground->frame, to->other->collider,
                                 &to->place, o.near, &cache, seen, SN_PATCHES, NULL);
    for (; found > 0; --found) { // the deepest first
        int next = 0;
        for (int i = 1; i < found; ++i) {
            next = deepest(&seen[i]) < deepest(&seen[next]) ? i : next;
        }
        for (int k = 0; k < seen[next].count; ++k) {
            see_point(&o, &seen[next], &seen[next].points[k]);
        }
        seen[next] = seen[found - 1];
    }
    if (o.count > o.known) {
        drop_led(&o);
    }
    *left_out += o.left_out;
    return o.count;
}
