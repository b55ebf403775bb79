#include "collide/mesh_apart.h"

#include "collide/convex.h"
#include "collide/facet.h"
#include "collide/mesh_collide.h"
#include "collide/mesh_near.h"

// How far beyond the margin gaps are looked for, as a share of the smaller mesh: what is found
// lasts the longer, but costs more.
static const double LOOK = 0.1;

// The farthest that a point of the collider can be from its origin.
static double radius_of(const sn_collider *c)
{
    sn_vec3 far = sn_vec3_max(sn_vec3_negate(c->bounds.lower), c->bounds.upper);
    return sn_length(far);
}

// How far points of b can have moved, seen from a.
static double motion_since(const sn_mesh_apart *known, const sn_transform *place, double radius)
{
    sn_quat p = known->place.rotation, q = place->rotation;
    double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -1.0 : 1.0;
    double w = q.w - sign * p.w, x = q.x - sign * p.x, y = q.y - sign * p.y, z = q.z - sign * p.z;
    return sn_distance(known->place.position, place->position) +
           2.0 * sqrt(w * w + x * x + y * y + z * z) * radius;
}

// Is a corner of some shell of `inner` inside `outer`? `to_outer` takes inner's frame to outer's.
// Surfaces that are apart have each shell wholly inside or outside.
static bool is_inside(const sn_collider *outer, const sn_collider *inner,
                      const sn_transform *to_outer)
{
    const sn_mesh_tree *tree = inner->mesh;
    for (int i = 0; i < tree->shell_count && sn_ground_is_solid(outer); ++i) {
        sn_vec3 corner = tree->positions[tree->triangles[3 * (size_t)tree->shells[i]]];
        if (sn_ground_exit(outer, sn_transform_point(*to_outer, corner)) >= 0) {
            return true;
        }
    }
    return false;
}

bool sn_mesh_apart_hold(const sn_collider *a, const sn_collider *b, const sn_transform *place,
                        double margin, sn_mesh_apart *known)
{
    double scale = sn_collide_scale(a, b), spare = 1e-9 * scale;
    // Corners are looked for behind open meshes, too.
    bool solid = sn_ground_is_solid(a) && sn_ground_is_solid(b);
    double reach = solid ? margin : fmax(margin, SN_MESH_SUNK * scale);
    if (known->gap > 0.0 &&
        known->gap - motion_since(known, place, radius_of(b)) > reach + 2.0 * spare) {
        return true;
    }
    sn_mesh_near near = {.facet_a = known->facet_a - 1, .facet_b = known->facet_b - 1};
    double limit = reach + LOOK * scale;
    bool found = sn_mesh_near_find(a->mesh, b->mesh, place, limit, &near);
    double gap = found ? near.gap : limit;
    known->facet_a = near.facet_a + 1;
    known->facet_b = near.facet_b + 1;
    known->gap = 0.0;
    if (gap <= reach + 2.0 * spare) {
        return false;
    }
    sn_transform back = sn_transform_inverse(*place);
    if (is_inside(a, b, place) || is_inside(b, a, &back)) {
        return false;
    }
    known->gap = gap - spare;
    known->place = *place;
    return true;
}
