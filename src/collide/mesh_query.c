#include "collide/mesh_query.h"

#include "collide/convex.h"
#include "collide/facet.h"
#include "collide/mesh_collide.h"
#include "collide/mesh_near.h"
#include "collide/mesh_overlap.h"
#include "collide/mesh_tree.h"
#include "collide/torus_pairs.h"
#include "math/rotation.h"

static const sn_transform origin_place = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static sn_vec3 middle_of(sn_aabb box)
{
    return sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
}

// ---- distance ----

// The nearest pair so far, in the ground's frame.
typedef struct nearness_search {
    const sn_collider *ground;
    const sn_collider *other;
    sn_core_pair pair;  // b: the other, in the ground's frame
    sn_transform place; // of the other
    double gap;
    sn_vec3 on_ground, on_other;
} nearness_search;

static double test_gap(void *context, int index, double limit)
{
    nearness_search *to = context;
    sn_facet facet = sn_facet_get(to->ground, index);
    sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
    to->pair.a = &triangle;
    sn_convex_gap found;
    if (sn_convex_gap_find(&to->pair, limit, NULL, &found) || found.gap >= to->gap) {
        return limit;
    }
    to->gap = found.gap;
    to->on_ground = found.on_a;
    to->on_other = found.on_b;
    return found.gap > 0.0 ? found.gap : -1.0;
}

// One facet of the other ground against this one.
static double test_other_facet(void *context, int index, double limit)
{
    nearness_search *to = context;
    sn_facet facet = sn_facet_get(to->other, index);
    for (int k = 0; k < 3; ++k) {
        facet.corners[k] = sn_transform_point(to->place, facet.corners[k]);
    }
    sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
    to->pair = (sn_core_pair){NULL, &triangle, SN_MAT3_IDENTITY, SN_VEC3_ZERO};
    return sn_facets_near(to->ground, triangle.bounds, limit, test_gap, to);
}

// The deepest point of contact; false if there is none.
static bool find_depth(nearness_search *to, double margin)
{
    enum { MOST = 16 };
    sn_manifold manifolds[MOST];
    bool later = to->other->type > to->ground->type; // mesh and height field: the mesh is second
    const sn_collider *a = later ? to->ground : to->other, *b = later ? to->other : to->ground;
    int count =
        sn_collide_with_ground(a, later ? &origin_place : &to->place, b,
                               later ? &to->place : &origin_place, margin, manifolds, MOST, NULL);
    bool found = false;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < manifolds[i].count; ++k) {
            const sn_manifold_point *point = &manifolds[i].points[k];
            if (!found || point->gap < to->gap) {
                found = true;
                to->gap = point->gap;
                to->on_ground = later ? point->on_a : point->on_b;
                to->on_other = later ? point->on_b : point->on_a;
            }
        }
    }
    return found;
}

static void lowest_of_torus(nearness_search *to, sn_vec3 n, double offset)
{
    double across = sqrt(n.x * n.x + n.y * n.y), radius = to->ground->radius;
    sn_vec3 p = across > 0.0 ? sn_vec3_make(-radius * n.x / across, -radius * n.y / across, 0.0)
                             : sn_vec3_make(radius, 0.0, 0.0);
    to->on_ground = sn_vec3_add_scaled(p, -to->ground->tube, n);
    to->gap = sn_dot(n, to->on_ground) - offset;
    to->on_other = sn_vec3_add_scaled(to->on_ground, -to->gap, n);
}

// The corner of a mesh that is lowest over a plane: all in the mesh's frame.
static void lowest_corner(nearness_search *to)
{
    sn_vec3 n = sn_rotate(to->place.rotation, sn_vec3_make(0.0, 0.0, 1.0));
    double offset = sn_dot(n, to->place.position);
    const sn_mesh_tree *tree = to->ground->mesh;
    if (to->ground->tube > 0.0) {
        lowest_of_torus(to, n, offset);
        return;
    }
    int32_t stack[SN_BOX_TREE_HEIGHT + 2];
    int top = 0;
    stack[top++] = tree->boxes.root;
    to->gap = INFINITY;
    while (top > 0) {
        const sn_box_node *node = &tree->boxes.nodes[stack[--top]];
        double x = (double)(n.x > 0.0 ? node->lower[0] : node->upper[0]);
        double y = (double)(n.y > 0.0 ? node->lower[1] : node->upper[1]);
        double z = (double)(n.z > 0.0 ? node->lower[2] : node->upper[2]);
        if (n.x * x + n.y * y + n.z * z - offset >= to->gap) {
            continue;
        }
        if (node->right >= 0) {
            stack[top++] = node->right;
            stack[top++] = node->left;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            sn_vec3 p = tree->positions[tree->triangles[3 * (size_t)node->left + (size_t)k]];
            double gap = sn_dot(n, p) - offset;
            if (gap < to->gap) {
                to->gap = gap;
                to->on_ground = p;
                to->on_other = sn_vec3_add_scaled(p, -gap, n);
            }
        }
    }
}

// How far apart the surfaces are, if that is no more than `limit`; else `gap` stays infinite.
// `near`: of two meshes, which facets are nearest; a guess, and then the answer.
static void find_gap(nearness_search *to, double limit, sn_mesh_near *near)
{
    const sn_collider *ground = to->ground, *other = to->other;
    if (other->type == SN_COLLIDER_PLANE) {
        lowest_corner(to);
    } else if (ground->type == SN_COLLIDER_MESH && other->type == SN_COLLIDER_MESH) {
        if (sn_mesh_near_find(ground->mesh, other->mesh, &to->place, limit, near)) {
            to->gap = near->gap;
            to->on_ground = near->on_a;
            to->on_other = near->on_b;
        }
    } else if (sn_collider_is_ground(other)) {
        sn_transform back = sn_transform_inverse(to->place);
        sn_facets_near(other, sn_collider_bounds(ground, &back), limit, test_other_facet, to);
    } else {
        sn_facets_near(ground, sn_collider_bounds(other, &to->place), limit, test_gap, to);
    }
}

static bool is_within(const nearness_search *to)
{
    sn_vec3 middle = sn_transform_point(to->place, middle_of(to->other->bounds));
    return to->other->type != SN_COLLIDER_PLANE && sn_ground_exit(to->ground, middle) >= 0;
}

// Two meshes that are in each other by more than contact can tell: it looks for no contact deeper
// than half of the smaller one (meet_facets of mesh_collide.c).
static bool is_lost(const nearness_search *to)
{
    return to->ground->type == SN_COLLIDER_MESH && to->other->type == SN_COLLIDER_MESH &&
           to->ground->mesh != NULL && to->other->mesh != NULL && to->gap <= 0.0 &&
           sn_mesh_overlaps(to->ground->mesh, to->other->mesh, &to->place,
                            0.01 * fmin(to->ground->size, to->other->size));
}

double sn_ground_distance(const sn_collider *ground, const sn_transform *place_ground,
                          const sn_collider *other, const sn_transform *place_other,
                          sn_vec3 *on_ground, sn_vec3 *on_other)
{
    nearness_search to = {.ground = ground, .other = other, .gap = INFINITY};
    sn_mesh_near near = {.facet_a = -1};
    to.pair = sn_core_pair_make(ground, place_ground, other, place_other);
    to.place = sn_transform_multiply(sn_transform_inverse(*place_ground), *place_other);
    *on_ground = place_ground->position;
    *on_other = place_other->position;
    bool field = ground->type == SN_COLLIDER_HEIGHT_FIELD;
    if (field && (other->type == SN_COLLIDER_PLANE || other->type == ground->type)) {
        return INFINITY;
    }
    if (other->type == SN_COLLIDER_HEIGHT_FIELD) { // it has an inside for the mesh to be in
        return sn_ground_distance(other, place_other, ground, place_ground, on_other, on_ground);
    }
    find_gap(&to, INFINITY, &near);
    if (other->type != SN_COLLIDER_PLANE && (to.gap <= 0.0 || is_within(&to))) {
        if (!find_depth(&to, 0.0) && is_lost(&to)) {
            to.gap = -0.5 * fmin(ground->size, other->size);
        }
    }
    *on_ground = sn_transform_point(*place_ground, to.on_ground);
    *on_other = sn_transform_point(*place_ground, to.on_other);
    return to.gap;
}

// ---- rays ----

typedef struct ray_search {
    const sn_collider *ground;
    sn_vec3 origin, direction;
    int facet; // -1: none yet
} ray_search;

static double test_ray(void *context, int index, double limit)
{
    ray_search *to = context;
    sn_facet facet = sn_facet_get(to->ground, index);
    double at = sn_triangle_ray(facet.corners, to->origin, to->direction);
    // Of two facets at one edge the lower, whatever the order of visits.
    if (at < 0.0 || at > limit || (at == limit && to->facet >= 0 && to->facet < index)) {
        return limit;
    }
    to->facet = index;
    return at;
}

bool sn_ground_ray(const sn_collider *ground, const sn_transform *place, sn_vec3 origin,
                   sn_vec3 direction, double limit, double *fraction, sn_vec3 *point,
                   sn_vec3 *normal)
{
    ray_search to = {.ground = ground, .facet = -1};
    to.origin = sn_transform_point_inverse(*place, origin);
    to.direction = sn_rotate_inverse(place->rotation, direction);
    if (sn_ground_exit(ground, to.origin) >= 0) {
        *fraction = 0.0;
        *point = origin;
        *normal = sn_normalize(sn_vec3_negate(direction));
        return true;
    }
    *fraction = sn_facets_ray(ground, to.origin, to.direction, SN_VEC3_ZERO, limit, test_ray, &to);
    if (to.facet < 0) {
        return false;
    }
    *point = sn_vec3_add_scaled(origin, *fraction, direction);
    sn_vec3 n = sn_facet_get(ground, to.facet).normal;
    n = sn_dot(n, to.direction) > 0.0 ? sn_vec3_negate(n) : n;
    *normal = sn_rotate(place->rotation, n);
    return true;
}

// ---- casts ----

typedef struct cast_search {
    const sn_collider *ground, *convex;
    sn_transform place; // of the convex collider in the ground's frame
    sn_vec3 translation;
    bool hit;
    sn_vec3 point, normal;
} cast_search;

static double test_cast(void *context, int index, double limit)
{
    cast_search *to = context;
    sn_facet facet = sn_facet_get(to->ground, index);
    sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
    double at = 0.0;
    sn_vec3 point, normal;
    if (!sn_collide_cast(to->convex, &to->place, to->translation, &triangle, &origin_place, &at,
                         &point, &normal) ||
        at > limit || (at == limit && to->hit)) {
        return limit;
    }
    to->hit = true;
    to->point = point;
    to->normal = normal;
    return at;
}

bool sn_ground_cast(const sn_collider *convex, const sn_transform *place_convex,
                    sn_vec3 translation, const sn_collider *ground,
                    const sn_transform *place_ground, double *fraction, sn_vec3 *point,
                    sn_vec3 *normal)
{
    cast_search to = {.ground = ground, .convex = convex};
    to.place = sn_transform_multiply(sn_transform_inverse(*place_ground), *place_convex);
    to.translation = sn_rotate_inverse(place_ground->rotation, translation);
    sn_vec3 middle = sn_transform_point(to.place, middle_of(convex->bounds));
    int out = sn_ground_exit(ground, middle);
    if (out >= 0) {
        sn_facet facet = sn_facet_get(ground, out);
        double depth = sn_dot(sn_vec3_sub(facet.corners[0], middle), facet.normal);
        *fraction = 0.0;
        *point = sn_transform_point(*place_ground, sn_vec3_add_scaled(middle, depth, facet.normal));
        *normal = sn_rotate(place_ground->rotation, facet.normal);
        return true;
    }
    sn_aabb box = sn_collider_bounds(convex, &to.place);
    sn_vec3 half = sn_vec3_scale(0.5, sn_vec3_sub(box.upper, box.lower));
    // What a box loses in rounding.
    double more = 1e-9 * (half.x + half.y + half.z);
    half = sn_vec3_add(half, sn_vec3_make(more, more, more));
    *fraction = sn_facets_ray(ground, middle_of(box), to.translation, half, 1.0, test_cast, &to);
    if (!to.hit) {
        return false;
    }
    *point = sn_transform_point(*place_ground, to.point);
    *normal = sn_rotate(place_ground->rotation, to.normal);
    return true;
}

// ---- impacts ----

// Of the size of the thinner of two: how far a torus may come nearer between two looks.
static const double STRIDE = 0.05;

typedef struct impact_search {
    const sn_collider *ground, *other;
    const sn_sweep *sweep_ground, *sweep_other;
    double nearness;
    bool hit;
} impact_search;

static double test_impact(void *context, int index, double limit)
{
    impact_search *to = context;
    sn_facet facet = sn_facet_get(to->ground, index);
    sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
    double at = 0.0;
    if (!sn_collide_impact(to->other, to->sweep_other, &triangle, to->sweep_ground, to->nearness,
                           &at) ||
        at > limit) {
        return limit;
    }
    to->hit = true;
    return at;
}

// The way of the other's centre seen from the ground as it stands at the start: a straight line d0
// + t (d1 - d0). While the ground turns by up to an angle, what it sees is off by no more than that
// angle times the distance; with the other's reach this makes a box that moves along the line.
static double sweep_convex(impact_search *to, double limit)
{
    const sn_sweep *ground = to->sweep_ground, *other = to->sweep_other;
    sn_vec3 centre[2] = {sn_transform_point(ground->start, ground->centre),
                         sn_transform_point(ground->end, ground->centre)};
    sn_vec3 d[2] = {sn_vec3_sub(sn_transform_point(other->start, other->centre), centre[0]),
                    sn_vec3_sub(sn_transform_point(other->end, other->centre), centre[1])};
    double angle = sn_length(sn_sweep_turn(ground)), far = fmax(sn_length(d[0]), sn_length(d[1]));
    double reach = sn_collider_reach(to->other, other->centre) + to->nearness + angle * far;
    reach *= 1.0 + 1e-9;
    sn_vec3 first = sn_rotate_inverse(ground->start.rotation, d[0]);
    sn_vec3 last = sn_rotate_inverse(ground->start.rotation, d[1]);
    return sn_facets_ray(to->ground, sn_vec3_add(ground->centre, first), sn_vec3_sub(last, first),
                         sn_vec3_make(reach, reach, reach), limit, test_impact, to);
}

static bool starts_inside(const impact_search *to)
{
    sn_vec3 middle = sn_transform_point(to->sweep_other->start, middle_of(to->other->bounds));
    return sn_ground_exit(to->ground,
                          sn_transform_point_inverse(to->sweep_ground->start, middle)) >= 0;
}

// How far two grounds, or a mesh and a plane, are apart at a share of their ways, if that is no
// more than `limit`; else infinite. Depth is not asked for: 0 or below is a meeting.
static double gap_on_way(const impact_search *to, double fraction, double limit, sn_mesh_near *near)
{
    sn_transform place_ground = sn_sweep_at(to->sweep_ground, fraction),
                 place_other = sn_sweep_at(to->sweep_other, fraction);
    if (sn_is_torus_pair(to->ground, to->other)) {
        sn_vec3 on_ground, on_other;
        return sn_torus_distance(to->ground, &place_ground, to->other, &place_other, limit,
                                 &on_ground, &on_other);
    }
    nearness_search at = {.ground = to->ground, .other = to->other, .gap = INFINITY};
    at.pair = sn_core_pair_make(to->ground, &place_ground, to->other, &place_other);
    at.place = sn_transform_multiply(sn_transform_inverse(place_ground), place_other);
    find_gap(&at, limit, near);
    if (fraction == 0.0 && at.gap > 0.0 && is_within(&at)) { // later, surfaces cross before
        find_depth(&at, 0.0);
    }
    return at.gap;
}

// The most that any point of one can come nearer to the other.
static double greatest_approach(const impact_search *to)
{
    const sn_sweep *sweep_ground = to->sweep_ground, *sweep_other = to->sweep_other;
    double angle_ground = sn_length(sn_sweep_turn(sweep_ground)),
           angle_other = sn_length(sn_sweep_turn(sweep_other));
    double most = sn_distance(sn_sweep_travel(sweep_ground), sn_sweep_travel(sweep_other));
    most += angle_ground > 0.0 ? angle_ground * sn_collider_swing(to->ground, sweep_ground->centre)
                               : 0.0;
    most +=
        angle_other > 0.0 ? angle_other * sn_collider_swing(to->other, sweep_other->centre) : 0.0;
    return most;
}

// The last share of the way before they are too near, of which `from` is not and `until` is.
static double last_before(const impact_search *to, double from, double until)
{
    enum { HALVES = 12 };
    sn_mesh_near near = {.facet_a = -1};
    for (int i = 0; i < HALVES; ++i) {
        double middle = 0.5 * (from + until);
        bool met = gap_on_way(to, middle, INFINITY, &near) <= to->nearness;
        from = met ? from : middle;
        until = met ? middle : until;
    }
    return from;
}

// A mesh on its way to a plane or to another ground, or a torus to what it is exact to. Neither is
// convex, so that the plane between nearest points tells nothing of the rest: no point of one comes
// nearer to the other than by how far both can go at all. What is farther apart than that need not
// be known any better, and most is: the search ends with the first boxes. What comes too near for
// this many turns is taken for a meeting.
//
// Tori know how deep they are, and each turn takes them on by a small share of the thinner one at
// least, back from where that was too far. Else what slides along another, or parts from it slowly,
// would count as a meeting, and never come away.
static bool sweep_mesh(const impact_search *to, double *fraction)
{
    bool torus = sn_is_torus_pair(to->ground, to->other) ||
                 (to->ground->tube > 0.0 && to->other->type == SN_COLLIDER_PLANE);
    int turns = torus ? 256 : 16;
    double stride = torus ? STRIDE * fmin(to->ground->size, to->other->size) : 0.0;
    double most = greatest_approach(to), before = 0.0;
    double slack = fmax(0.01 * to->nearness, 1e-9 * sn_collide_scale(to->ground, to->other));
    sn_mesh_near near = {.facet_a = -1};
    for (int turn = 0; turn < turns; ++turn) {
        double limit = (1.0 + 1e-9) * (to->nearness + most * (1.0 - *fraction));
        double left = gap_on_way(to, *fraction, limit, &near) - to->nearness;
        if (left <= (turn == 0 || torus ? 0.0 : slack)) {
            *fraction = left < 0.0 && turn > 0 ? last_before(to, before, *fraction) : *fraction;
            return true;
        }
        if (!(most * (1.0 - *fraction) > left)) {
            return false;
        }
        before = *fraction;
        *fraction = fmin(1.0, *fraction + fmax(left, stride) / most);
    }
    return true;
}

bool sn_ground_impact(const sn_collider *ground, const sn_sweep *sweep_ground,
                      const sn_collider *other, const sn_sweep *sweep_other, double nearness,
                      double *fraction)
{
    *fraction = 0.0;
    bool field = ground->type == SN_COLLIDER_HEIGHT_FIELD;
    if (field && (other->type == SN_COLLIDER_PLANE || other->type == ground->type)) {
        return false; // neither can move
    }
    if (other->type == SN_COLLIDER_HEIGHT_FIELD) { // it has an inside for the mesh to be in
        return sn_ground_impact(other, sweep_other, ground, sweep_ground, nearness, fraction);
    }
    impact_search to = {ground, other, sweep_ground, sweep_other, nearness, false};
    if (sn_collider_is_convex(other) && !sn_is_torus_pair(ground, other)) {
        if (starts_inside(&to)) {
            return true;
        }
        *fraction = sweep_convex(&to, 1.0);
        return to.hit;
    }
    return sweep_mesh(&to, fraction);
}
