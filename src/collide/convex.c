// Any two convex colliders: gap, normal, features, points.
#include "collide/convex.h"

#include "collide/clip.h"
#include "collide/epa.h"

static double longest(const sn_collider *c)
{
    sn_vec3 extent = sn_vec3_sub(c->bounds.upper, c->bounds.lower);
    double across = extent.x > extent.y ? extent.x : extent.y;
    return extent.z > across ? extent.z : across;
}

double sn_collide_scale(const sn_collider *a, const sn_collider *b)
{
    double of_a = longest(a), of_b = longest(b);
    return of_a < of_b ? of_a : of_b;
}

bool sn_convex_gap_find(const sn_core_pair *pair, double limit, sn_collide_cache *cache,
                        sn_convex_gap *found)
{
    double rounding = pair->a->rounding + pair->b->rounding;
    sn_gjk gjk;
    sn_gjk_run(pair, limit + rounding, cache, &gjk);
    if (!gjk.overlap) {
        found->gap = gjk.distance - rounding;
        found->normal = gjk.normal;
        found->core_a = gjk.on_a;
    } else {
        sn_epa epa;
        sn_epa_run(pair, &gjk, &epa);
        found->gap = -epa.depth - rounding;
        found->normal = epa.normal;
        found->core_a = epa.on_a;
        if (cache != NULL) {
            cache->axis = epa.normal;
        }
    }
    found->on_a = sn_vec3_add_scaled(found->core_a, pair->a->rounding, found->normal);
    found->on_b = gjk.overlap ? sn_vec3_add_scaled(found->on_a, found->gap, found->normal)
                              : sn_vec3_add_scaled(gjk.on_b, -pair->b->rounding, found->normal);
    return gjk.beyond;
}

// ---- normals ----

static bool has_axis(const sn_collider *c)
{
    return c->type == SN_COLLIDER_CAPSULE || c->type == SN_COLLIDER_CYLINDER;
}

// Takes the candidate if they are as far apart along it, to within `slack`; one that is nearly the
// same direction may be worse by 2e-3 of the size where they overlap, for the points it gives.
static bool take(const sn_core_pair *pair, sn_vec3 candidate, double slack, sn_convex_gap *found,
                 double *best)
{
    double cosine = sn_dot(candidate, found->normal);
    if (cosine < 0.5) {
        return false;
    }
    if (cosine > 0.95 && found->gap <= 0.0) {
        slack *= 20.0;
    }
    double rounding = pair->a->rounding + pair->b->rounding;
    double gap = sn_core_pair_separation(pair, candidate) - rounding;
    if (gap < found->gap - slack || gap <= *best) {
        return false;
    }
    *best = gap;
    return true;
}

// Replaces the normal by an exact one of a face or side where that does as well: iterations leave
// rounding in theirs, and faces make steady contacts.
static void settle_normal(const sn_core_pair *pair, sn_convex_gap *found)
{
    double scale = sn_collide_scale(pair->a, pair->b);
    // Faces are preferred by 1e-4 of the size where things touch, and only where they do.
    double slack = found->gap < 1e-4 * scale ? 1e-4 * scale : 1e-9 * scale;
    sn_vec3 flats[5];
    int count = sn_collider_flats(pair->a, found->normal, flats);
    sn_vec3 back = sn_mat3_apply_transpose(pair->rotation, sn_vec3_negate(found->normal));
    int more = sn_collider_flats(pair->b, back, flats + count);
    for (int i = count; i < count + more; ++i) {
        flats[i] = sn_vec3_negate(sn_mat3_apply(pair->rotation, flats[i]));
    }
    count += more;
    double best = -INFINITY;
    sn_vec3 normal = found->normal;
    for (int i = 0; i < count; ++i) {
        if (take(pair, flats[i], slack, found, &best)) {
            normal = flats[i];
        }
    }
    if (has_axis(pair->a) && has_axis(pair->b)) { // two sides that cross
        sn_vec3 z = {pair->rotation.m[0][2], pair->rotation.m[1][2], pair->rotation.m[2][2]};
        sn_vec3 cross = sn_cross(sn_vec3_make(0.0, 0.0, 1.0), z);
        cross = sn_normalize(sn_dot(cross, found->normal) < 0.0 ? sn_vec3_negate(cross) : cross);
        if (take(pair, cross, 1e-9 * scale, found, &best)) {
            normal = cross;
        }
    }
    if (best > -INFINITY) {
        found->normal = normal;
        found->gap = best;
    }
}

// ---- points ----

static void to_world(const sn_core_pair *pair, const sn_transform *place_a, sn_manifold *m)
{
    sn_vec3 up = sn_vec3_scale(pair->a->rounding, m->normal);
    sn_vec3 down = sn_vec3_scale(pair->b->rounding, m->normal);
    for (int i = 0; i < m->count; ++i) {
        sn_manifold_point *p = &m->points[i];
        p->on_a = sn_transform_point(*place_a, sn_vec3_add(p->on_a, up));
        p->on_b = sn_transform_point(*place_a, sn_vec3_sub(p->on_b, down));
    }
    m->normal = sn_rotate(place_a->rotation, m->normal);
}

// The point of the deepest place alone, on the cores.
static sn_manifold_point deepest_point(const sn_core_pair *pair, const sn_convex_gap *found,
                                       const sn_feature *a, const sn_feature *b)
{
    sn_manifold_point p = {.gap = found->gap};
    p.on_a = found->core_a;
    if (a->count == 1) { // exact, and b's partner is across the gap
        p.on_a = a->corners[0];
    }
    double core_gap = found->gap + pair->a->rounding + pair->b->rounding;
    if (b->count == 1) {
        p.on_b = b->corners[0];
        p.on_a = sn_vec3_add_scaled(p.on_b, -core_gap, found->normal);
    } else {
        p.on_b = sn_vec3_add_scaled(p.on_a, core_gap, found->normal);
    }
    uint32_t low = a->count == 1 ? 2u * a->names[0] + 2u : 1u;
    uint32_t high = b->count == 1 ? 2u * b->names[0] + 2u : 1u;
    p.feature = low | high << 16;
    return p;
}

// Features of both along the normal, and what is common to them: points on the cores no farther
// apart than the margin, gaps less roundings. *least is the smallest gap of all.
typedef struct common {
    sn_feature a, b;
    int count;
    double least;
    sn_manifold_point points[SN_CLIP_POINTS + 1];
} common;

static void find_common(const sn_core_pair *pair, sn_vec3 normal, double margin, double scale,
                        common *c)
{
    sn_collider_feature(pair->a, normal, &c->a);
    sn_vec3 back = sn_mat3_apply_transpose(pair->rotation, sn_vec3_negate(normal));
    sn_collider_feature(pair->b, back, &c->b);
    for (int i = 0; i < c->b.count; ++i) {
        c->b.corners[i] = sn_vec3_add(pair->offset, sn_mat3_apply(pair->rotation, c->b.corners[i]));
    }
    c->b.normal = sn_mat3_apply(pair->rotation, c->b.normal);
    bool clips = c->a.count > 1 && c->b.count > 1;
    int clipped = clips ? sn_feature_clip(&c->a, &c->b, normal, 1e-5 * scale, c->points) : 0;
    double rounding = pair->a->rounding + pair->b->rounding;
    c->least = INFINITY;
    c->count = 0;
    for (int i = 0; i < clipped; ++i) {
        c->points[i].gap -= rounding;
        c->least = fmin(c->least, c->points[i].gap);
        if (c->points[i].gap <= margin) {
            c->points[c->count++] = c->points[i];
        }
    }
}

static int make_manifold(const sn_core_pair *pair, const sn_transform *place_a, sn_vec3 normal,
                         double scale, const common *c, sn_manifold *manifold)
{
    manifold->normal = normal;
    manifold->patch = 0;
    sn_manifold_reduce(manifold, c->points, c->count, SN_FACE_LEVEL * scale, SN_FACE_SHARE, 0.0);
    to_world(pair, place_a, manifold);
    return 1;
}

int sn_collide_features(const sn_core_pair *pair, const sn_transform *place_a,
                        const sn_convex_gap *found, double margin, sn_manifold *manifold)
{
    common c;
    double scale = sn_collide_scale(pair->a, pair->b);
    find_common(pair, found->normal, margin, scale, &c);
    // Where the deepest place was clipped away, or nothing else is left, it is a point of its own.
    if (c.count == 0 || c.least > found->gap + 1e-5 * scale) {
        c.points[c.count++] = deepest_point(pair, found, &c.a, &c.b);
    }
    return make_manifold(pair, place_a, found->normal, scale, &c, manifold);
}

// ---- flats that held ----

// A flat side of `flat_of` near the direction `guess` (its own frame, outward) that is nearest to
// the other core's lowest point over it: then all is known without GJK. `low` is that point, in the
// same frame.
typedef struct flat_found {
    sn_vec3 normal, low;
    double separation;
} flat_found;

typedef enum flat_answer { FLAT_UNKNOWN, FLAT_APART, FLAT_NEAREST } flat_answer;

static flat_answer try_flat(const sn_collider *flat_of, const sn_collider *other,
                            const sn_mat3 *rotation, sn_vec3 offset, sn_vec3 guess, double reach,
                            flat_found *found)
{
    sn_vec3 flats[2];
    int count = sn_collider_flats(flat_of, guess, flats);
    for (int i = 0; i < count; ++i) {
        int corner;
        sn_vec3 n = flats[i], down = sn_mat3_apply_transpose(*rotation, sn_vec3_negate(n));
        sn_vec3 low = sn_mat3_apply(*rotation, sn_collider_support(other, down, &corner));
        low = sn_vec3_add(offset, low);
        sn_vec3 top = sn_collider_support(flat_of, n, &corner);
        double s = sn_dot(n, sn_vec3_sub(low, top));
        if (s > reach) {
            found->normal = n;
            return FLAT_APART;
        }
        if (sn_collider_flat_is_nearest(flat_of, n, low, s)) {
            *found = (flat_found){n, low, s};
            return FLAT_NEAREST;
        }
    }
    return FLAT_UNKNOWN;
}

// By a flat of a, else by one of b, near the direction that held last.
static flat_answer try_flats(const sn_core_pair *pair, sn_vec3 guess, double margin,
                             sn_convex_gap *gap)
{
    double rounding = pair->a->rounding + pair->b->rounding;
    flat_found found = {0};
    flat_answer answer =
        try_flat(pair->a, pair->b, &pair->rotation, pair->offset, guess, margin + rounding, &found);
    sn_vec3 on_a = sn_vec3_add_scaled(found.low, -found.separation, found.normal);
    if (answer == FLAT_UNKNOWN) { // the same from b's side
        sn_mat3 back = sn_mat3_transpose(pair->rotation);
        sn_vec3 from = sn_vec3_negate(sn_mat3_apply(back, pair->offset));
        sn_vec3 guess_b = sn_vec3_negate(sn_mat3_apply(back, guess));
        answer = try_flat(pair->b, pair->a, &back, from, guess_b, margin + rounding, &found);
        if (answer != FLAT_UNKNOWN) {
            found.normal = sn_vec3_negate(sn_mat3_apply(pair->rotation, found.normal));
            on_a = sn_vec3_add(pair->offset, sn_mat3_apply(pair->rotation, found.low));
        }
    }
    gap->normal = found.normal;
    if (answer == FLAT_NEAREST) {
        gap->gap = found.separation - rounding;
        gap->core_a = on_a;
        gap->on_a = sn_vec3_add_scaled(on_a, pair->a->rounding, found.normal);
        gap->on_b = sn_vec3_add_scaled(gap->on_a, gap->gap, found.normal);
    }
    return answer;
}

// Faces that lie on each other, in part: the middle of what they have in common is in both, as deep
// as a flat says, and nearest to it. Then the overlap is no less than that depth, and the flat does
// as well as any direction to within the preference for faces: no need to find the best.
static bool try_common(const sn_core_pair *pair, const sn_transform *place_a, sn_vec3 guess,
                       double margin, sn_manifold *manifold, sn_vec3 *axis)
{
    sn_vec3 flats[4], back = sn_mat3_apply_transpose(pair->rotation, sn_vec3_negate(guess));
    int of_a = sn_collider_flats(pair->a, guess, flats);
    int count = of_a + sn_collider_flats(pair->b, back, flats + of_a);
    double scale = sn_collide_scale(pair->a, pair->b);
    double rounding = pair->a->rounding + pair->b->rounding;
    for (int i = 0; i < count; ++i) {
        sn_vec3 n = i < of_a ? flats[i] : sn_vec3_negate(sn_mat3_apply(pair->rotation, flats[i]));
        double s = sn_core_pair_separation(pair, n);
        if (sn_dot(n, guess) < 0.9 || s > 0.0) {
            continue;
        }
        common c;
        find_common(pair, n, margin, scale, &c);
        sn_vec3 sum = SN_VEC3_ZERO;
        double height = 0.0;
        for (int k = 0; k < c.count; ++k) {
            sum = sn_vec3_add(sum, i < of_a ? c.points[k].on_b : c.points[k].on_a);
            height += c.points[k].gap + rounding;
        }
        if (c.count < 3 || height > c.count * fmin(0.0, s + 2e-3 * scale)) {
            continue;
        }
        sn_vec3 middle = sn_vec3_scale(1.0 / c.count, sum);
        if (i >= of_a) {
            middle = sn_mat3_apply_transpose(pair->rotation, sn_vec3_sub(middle, pair->offset));
        }
        if (sn_collider_flat_is_nearest(i < of_a ? pair->a : pair->b, flats[i], middle,
                                        height / c.count)) {
            *axis = n;
            return make_manifold(pair, place_a, n, scale, &c, manifold) > 0;
        }
    }
    return false;
}

int sn_collide_convex(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                      const sn_transform *place_b, double margin, sn_collide_cache *cache,
                      sn_manifold *manifold)
{
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    sn_collide_cache none = {0};
    bool held = cache != NULL && sn_dot(cache->axis, cache->axis) > 0.0;
    cache = cache != NULL ? cache : &none;
    sn_vec3 guess = held ? cache->axis : sn_normalize(pair.offset);
    if (held && sn_core_pair_separation(&pair, guess) > margin + a->rounding + b->rounding) {
        return 0;
    }
    sn_convex_gap found = {0};
    flat_answer answer = try_flats(&pair, guess, margin, &found);
    if (answer == FLAT_APART) {
        cache->axis = found.normal;
        return 0;
    }
    if (answer == FLAT_UNKNOWN) {
        if (held && try_common(&pair, place_a, guess, margin, manifold, &cache->axis)) {
            return 1;
        }
        if (sn_convex_gap_find(&pair, margin, cache, &found) || found.gap > margin) {
            return 0;
        }
        settle_normal(&pair, &found);
    }
    cache->axis = found.normal;
    return sn_collide_features(&pair, place_a, &found, margin, manifold);
}
