// The table of exact tests by kinds.
#include "collide/collide.h"

#include "collide/convex.h"
#include "collide/crown.h"
#include "collide/facet.h"
#include "collide/mesh_collide.h"
#include "collide/mesh_tree.h"
#include "collide/pairs.h"
#include "collide/torus_pairs.h"

// The test of two convex kinds or of one and a plane, first not after second; the rest have
// sn_collide_convex.
static sn_collide_pair pair_of(sn_collider_type first, sn_collider_type second)
{
    static const sn_collide_pair table[SN_COLLIDER_PLANE + 1][SN_COLLIDER_PLANE + 1] = {
        [SN_COLLIDER_SPHERE][SN_COLLIDER_SPHERE] = sn_collide_sphere_sphere,
        [SN_COLLIDER_SPHERE][SN_COLLIDER_CAPSULE] = sn_collide_sphere_capsule,
        [SN_COLLIDER_SPHERE][SN_COLLIDER_CYLINDER] = sn_collide_sphere_cylinder,
        [SN_COLLIDER_SPHERE][SN_COLLIDER_BOX] = sn_collide_sphere_box,
        [SN_COLLIDER_CAPSULE][SN_COLLIDER_CAPSULE] = sn_collide_capsule_capsule,
        [SN_COLLIDER_BOX][SN_COLLIDER_BOX] = sn_collide_box_box,
        [SN_COLLIDER_SPHERE][SN_COLLIDER_PLANE] = sn_collide_with_plane,
        [SN_COLLIDER_CAPSULE][SN_COLLIDER_PLANE] = sn_collide_with_plane,
        [SN_COLLIDER_CYLINDER][SN_COLLIDER_PLANE] = sn_collide_with_plane,
        [SN_COLLIDER_CONE][SN_COLLIDER_PLANE] = sn_collide_with_plane,
        [SN_COLLIDER_BOX][SN_COLLIDER_PLANE] = sn_collide_with_plane,
        [SN_COLLIDER_HULL][SN_COLLIDER_PLANE] = sn_collide_with_plane,
        [SN_COLLIDER_TRIANGLE][SN_COLLIDER_PLANE] = sn_collide_with_plane,
    };
    sn_collide_pair pair = table[first][second];
    return pair != NULL ? pair : sn_collide_convex;
}

static bool has_support(const sn_collider *c)
{
    return sn_collider_is_convex(c) || (c->type == SN_COLLIDER_MESH && c->mesh->triangle_count > 0);
}

// Are the convex hulls surely farther apart than the margin? A mesh that is near another body, but
// not at it, is spared the tests of all pairs of facets. A billionth of the size more, so that no
// rounding makes a difference between this and those tests.
static bool hulls_are_apart(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                            const sn_transform *place_b, double margin, sn_collide_cache *cache)
{
    if (!has_support(a) || !has_support(b)) {
        return false;
    }
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    double limit = margin + a->rounding + b->rounding + 1e-9 * sn_collide_scale(a, b);
    sn_gjk gjk;
    sn_gjk_run(&pair, limit, cache, &gjk);
    return gjk.beyond;
}

int sn_collide(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
               const sn_transform *place_b, double margin, sn_collide_cache *cache,
               sn_manifold *manifolds, int capacity, int *left_out)
{
    if (left_out != NULL) {
        *left_out = 0;
    }
    if (a->type > b->type) { // one path for both orders; what the cache holds is in that order too
        int count =
            sn_collide(b, place_b, a, place_a, margin, cache, manifolds, capacity, left_out);
        for (int i = 0; i < count; ++i) {
            sn_manifold_swap(&manifolds[i]);
        }
        return count;
    }
    if (b->type <= SN_COLLIDER_PLANE && a->type != SN_COLLIDER_PLANE) {
        sn_manifold unwanted, *to = capacity > 0 ? manifolds : &unwanted;
        int count = pair_of(a->type, b->type)(a, place_a, b, place_b, margin, cache, to);
        if (count > 0 && b->type <= SN_COLLIDER_HULL) {
            sn_crown_add(a, place_a, b, place_b, margin, to);
        }
        if (count > 0 && capacity <= 0 && left_out != NULL) {
            *left_out = count;
        }
        return count < capacity ? count : capacity;
    }
    if (sn_is_torus_pair(a, b)) {
        return sn_collide_torus(a, place_a, b, place_b, margin, manifolds, capacity, left_out);
    }
    if (sn_collider_is_ground(b)) {
        if (hulls_are_apart(a, place_a, b, place_b, margin, cache)) {
            return 0;
        }
        return sn_collide_with_ground(a, place_a, b, place_b, margin, manifolds, capacity,
                                      left_out);
    }
    return 0;
}
