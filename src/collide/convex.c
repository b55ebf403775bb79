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
        found->on_b = gjk.on_b;
    } else {
        sn_epa epa;
        sn_epa_run(pair, &gjk, &epa);
        found->gap = -epa.depth - rounding;
        found->normal = epa.normal;
        found->core_a = epa.on_a;
        found->on_b = epa.on_b;
        if (cache != NULL) {
            cache->axis = epa.normal;
        }
    }
    found->on_a = sn_vec3_add_scaled(found->core_a, pair->a->rounding, found->normal);
    found->on_b = sn_vec3_add_scaled(found->on_b, -pair->b->rounding, found->normal);
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

int sn_collide_features(const sn_core_pair *pair, const sn_transform *place_a,
                        const sn_convex_gap *found, double margin, sn_manifold *manifold)
{
    sn_feature a, b;
    sn_collider_feature(pair->a, found->normal, &a);
    sn_vec3 back = sn_mat3_apply_transpose(pair->rotation, sn_vec3_negate(found->normal));
    sn_collider_feature(pair->b, back, &b);
    for (int i = 0; i < b.count; ++i) {
        b.corners[i] = sn_vec3_add(pair->offset, sn_mat3_apply(pair->rotation, b.corners[i]));
    }
    b.normal = sn_mat3_apply(pair->rotation, b.normal);
    sn_manifold_point points[SN_CLIP_POINTS + 1];
    double scale = sn_collide_scale(pair->a, pair->b);
    int clipped = a.count > 1 && b.count > 1
                      ? sn_feature_clip(&a, &b, found->normal, 1e-5 * scale, points)
                      : 0;
    double rounding = pair->a->rounding + pair->b->rounding, least = INFINITY;
    int count = 0;
    for (int i = 0; i < clipped; ++i) {
        points[i].gap -= rounding;
        least = fmin(least, points[i].gap);
        if (points[i].gap <= margin) {
            points[count++] = points[i];
        }
    }
    // Where the deepest place was clipped away, or nothing else is left, it is a point of its own.
    if (count == 0 || least > found->gap + 1e-5 * scale) {
        points[count++] = deepest_point(pair, found, &a, &b);
    }
    manifold->normal = found->normal;
    manifold->patch = 0;
    sn_manifold_reduce(manifold, points, count, scale);
    to_world(pair, place_a, manifold);
    return 1;
}

int sn_collide_convex(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                      const sn_transform *place_b, double margin, sn_collide_cache *cache,
                      sn_manifold *manifold)
{
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    double rounding = a->rounding + b->rounding;
    if (cache != NULL && sn_dot(cache->axis, cache->axis) > 0.0 &&
        sn_core_pair_separation(&pair, cache->axis) > margin + rounding) {
        return 0;
    }
    sn_convex_gap found;
    if (sn_convex_gap_find(&pair, margin, cache, &found) || found.gap > margin) {
        return 0;
    }
    settle_normal(&pair, &found);
    return sn_collide_features(&pair, place_a, &found, margin, manifold);
}
