#include "collide/mesh_collide.h"

#include <string.h>

#include "collide/clip.h"
#include "collide/convex.h"
#include "collide/facet.h"
#include "collide/mesh_tree.h"
#include "collide/pairs.h"
#include "collide/patch_set.h"
#include "geometry/height_field.h"
#include "math/elementary.h"

// How many directions that kept facets apart are remembered: see is_apart.
enum { AXES = 2 };

// One ground against one other body, all in the ground's frame.
typedef struct contest {
    const sn_collider *ground;
    bool solid;
    const sn_collider *other;
    sn_core_pair pair;  // a: the facet at hand, b: the other body (or its facet at hand)
    sn_transform place; // of the other body in the ground's frame
    sn_vec3 middle;     // of the other body
    double margin, rounding, scale;
    bool met;    // some facets of two grounds came nearer than the margin
    bool behind; // some facet saw the other body, or a part of it, from behind
    // What the other body shows to a normal: the same for all facets of a plane.
    sn_vec3 seen_normal;
    sn_feature seen;
    double lowest, highest; // of its core along the normal
    // The deepest pair that no admitted normal stood for: used when there is nothing else.
    int spare_facet;
    sn_convex_gap spare;
    sn_vec3 axes[AXES]; // unit, from the ground to the other; zero: none yet
    int oldest_axis;
    sn_patch_set patches;
} contest;

// Fields by hand: to clear the patches, which are large, would cost as much as a test.
static void contest_start(contest *c, const sn_collider *ground, const sn_transform *place_ground,
                          const sn_collider *other, const sn_transform *place_other, double margin)
{
    c->ground = ground;
    c->solid = sn_ground_is_solid(ground);
    c->other = other;
    c->pair = sn_core_pair_make(ground, place_ground, other, place_other);
    c->place = sn_transform_multiply(sn_transform_inverse(*place_ground), *place_other);
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(other->bounds.lower, other->bounds.upper));
    c->middle = sn_vec3_add(c->pair.offset, sn_mat3_apply(c->pair.rotation, middle));
    c->margin = margin;
    c->rounding = other->rounding;
    c->scale = sn_collide_scale(ground, other);
    c->met = false;
    c->behind = false;
    c->seen_normal = SN_VEC3_ZERO;
    c->spare_facet = -1;
    c->spare.gap = 0.0;
    memset(c->axes, 0, sizeof c->axes);
    c->oldest_axis = 0;
    sn_patch_set_init(&c->patches, c->scale);
}

static sn_aabb enlarge(sn_aabb box, double margin)
{
    sn_vec3 around = {margin, margin, margin};
    sn_aabb large = {sn_vec3_sub(box.lower, around), sn_vec3_add(box.upper, around)};
    return large;
}

// ---- names ----

// A number for an edge that both its facets agree on.
static int edge_number(const sn_collider *ground, int edge)
{
    int twin = sn_facet_twin(ground, edge);
    return twin >= 0 && twin < edge ? twin : edge;
}

static int corner_number(const sn_collider *ground, int facet, int corner)
{
    if (ground->type == SN_COLLIDER_MESH) {
        return ground->mesh->triangles[3 * (size_t)facet + (size_t)corner];
    }
    // Corner 0 of a cell's two triangles is its own sample, the others are one column or row on.
    int columns = ground->field->columns, cell = facet / 2;
    int i = cell % (columns - 1), j = cell / (columns - 1);
    i += corner == 1 || (corner == 2 && facet % 2 == 0);
    j += corner == 2 || (corner == 1 && facet % 2 == 1);
    return j * columns + i;
}

// A facet's half of a name in terms of the whole ground: 0 inside, even corners, odd edges.
static uint32_t ground_name(const sn_collider *ground, int facet, uint32_t name)
{
    if (name < 2) {
        return name;
    }
    int k = (int)((name - 2) / 2) % 3;
    uint32_t number = (uint32_t)(name % 2 == 1 ? edge_number(ground, 3 * facet + k)
                                               : corner_number(ground, facet, k));
    return 2u + (2u * number + name % 2) % 0xfff0u; // names have 16 bits
}

// ---- points ----

// The other body's feature along -n, in the ground's frame.
static void other_feature(const contest *c, sn_vec3 n, sn_feature *feature)
{
    sn_vec3 back = sn_mat3_apply_transpose(c->pair.rotation, sn_vec3_negate(n));
    sn_collider_feature(c->pair.b, back, feature);
    for (int i = 0; i < feature->count; ++i) {
        feature->corners[i] =
            sn_vec3_add(c->pair.offset, sn_mat3_apply(c->pair.rotation, feature->corners[i]));
    }
    feature->normal = sn_mat3_apply(c->pair.rotation, feature->normal);
}

// Points on an edge or corner across which the plane goes on are within the contact, not at its
// border: others stand for them. (A corner is taken for such if both its edges in this facet are.)
static bool is_inner(int levels, uint32_t name)
{
    if (name < 2) {
        return false;
    }
    int k = (int)((name - 2) / 2) % 3;
    int wanted = name % 2 == 1 ? 1 << k : 1 << k | 1 << (k + 2) % 3;
    return (levels & wanted) == wanted;
}

// Adds a point of the cores: the gap loses the rounding.
static void add_point(contest *c, sn_vec3 n, int facet, sn_manifold_point point)
{
    point.gap -= c->rounding;
    point.on_b = sn_vec3_add_scaled(point.on_b, -c->rounding, n);
    uint32_t low = ground_name(c->ground, facet, point.feature & 0xffffu);
    point.feature = (point.feature & 0xffff0000u) | (low & 0xffffu);
    int patch = sn_facet_patch(c->ground, facet);
    sn_patch_set_add(&c->patches, n, (uint32_t)patch, &point);
}

// A facet grown by 1e-7 about its middle, so that what lies over a common edge is over both and
// rounding loses nothing.
static void grow_corners(const sn_facet *facet, sn_vec3 grown[3])
{
    sn_vec3 sum = sn_vec3_add(facet->corners[0], sn_vec3_add(facet->corners[1], facet->corners[2]));
    sn_vec3 middle = sn_vec3_scale(1.0 / 3.0, sum);
    for (int k = 0; k < 3; ++k) {
        sn_vec3 out = sn_vec3_sub(facet->corners[k], middle);
        grown[k] = sn_vec3_add_scaled(facet->corners[k], 1e-7, out);
    }
}

// What facet and other body have in common along n.
typedef struct common {
    int count;
    double least; // of the gaps, rounding taken off
    int other_count;
    uint16_t other_name; // of the other body's feature, if it is a corner
    sn_manifold_point points[SN_CLIP_POINTS];
} common;

static void clip_along(const contest *c, const sn_facet *facet, sn_vec3 n, common *found)
{
    sn_vec3 grown[3];
    grow_corners(facet, grown);
    sn_collider triangle = sn_collider_triangle(grown, 0.0);
    sn_feature on_facet, on_other;
    sn_collider_feature(&triangle, n, &on_facet);
    other_feature(c, n, &on_other);
    found->other_count = on_other.count;
    found->other_name = on_other.names[0];
    found->count = 0;
    found->least = INFINITY;
    if (on_facet.count > 2 || (on_facet.count > 1 && on_other.count > 1)) {
        found->count = sn_feature_clip(&on_facet, &on_other, n, 0.0, found->points);
    }
    for (int i = 0; i < found->count; ++i) {
        found->least = fmin(found->least, found->points[i].gap - c->rounding);
    }
}

// Points with gaps from `least` to the margin.
static void add_common(contest *c, const sn_facet *facet, sn_vec3 n, double least,
                       const common *found)
{
    bool flat = sn_dot(n, facet->normal) > 1.0 - 1e-12;
    int levels = flat && found->count > 0 ? sn_facet_levels(c->ground, facet->index) : 0;
    for (int i = 0; i < found->count; ++i) {
        double gap = found->points[i].gap - c->rounding;
        bool inner = is_inner(levels, found->points[i].feature & 0xffffu);
        if (gap <= c->margin && gap >= least && !inner) {
            add_point(c, n, facet->index, found->points[i]);
        }
    }
}

// The nearest pair as one point, its gap measured along n.
static void add_nearest(contest *c, int facet, sn_vec3 n, const sn_convex_gap *nearest,
                        uint32_t other_name)
{
    sn_manifold_point point = {.feature = 1u | other_name << 16};
    point.on_b = sn_vec3_add_scaled(nearest->on_b, c->rounding, nearest->normal);
    point.gap = nearest->gap + c->rounding;
    point.on_a = sn_vec3_add_scaled(point.on_b, -point.gap, n);
    add_point(c, n, facet, point);
}

// At a normal that the ground admits; the nearest pair is added if nothing else stands for it.
static void add_admitted(contest *c, const sn_facet *facet, sn_vec3 n, const sn_convex_gap *nearest)
{
    common found;
    clip_along(c, facet, n, &found);
    add_common(c, facet, n, -INFINITY, &found);
    if (!(found.least <= nearest->gap + 1e-3 * c->scale)) {
        uint32_t name = found.other_count == 1 ? 2u * found.other_name + 2u : 1u;
        add_nearest(c, facet->index, n, nearest, name);
    }
}

// ---- one facet and a convex body ----

// How much deeper than the nearest pair a corrected normal may find things: more would be another
// side of the ground.
static double corrected_least(const contest *c, const sn_convex_gap *nearest)
{
    return fmin(nearest->gap, 0.0) - 1e-3 * c->scale;
}

// The part of n across edge k, if the edge is convex and that part lies between both facets'
// normals, as edges admit; zero if not.
static sn_vec3 edge_normal(const sn_collider *ground, const sn_facet *facet, int k, sn_vec3 n)
{
    int twin = sn_facet_twin(ground, 3 * facet->index + k);
    if (twin < 0) {
        return SN_VEC3_ZERO;
    }
    sn_facet other = sn_facet_get(ground, twin / 3);
    sn_vec3 along = sn_vec3_sub(facet->corners[(k + 1) % 3], facet->corners[k]);
    sn_vec3 into = sn_vec3_sub(other.corners[(twin % 3 + 2) % 3], facet->corners[k]);
    sn_vec3 across = sn_vec3_add_scaled(n, -sn_dot(n, along) / sn_dot(along, along), along);
    sn_vec3 own = sn_cross(facet->normal, along), far = sn_cross(along, other.normal);
    bool convex = sn_dot(into, facet->normal) < 0.0;
    bool between = sn_dot(across, own) <= 0.0 && sn_dot(across, far) <= 0.0;
    return convex && between ? sn_normalize(across) : SN_VEC3_ZERO;
}

// The nearest pair's normal points over a neighbour: the facet's own normal or that of one of its
// edges takes its place, whichever leaves the bodies farthest apart.
static void add_corrected(contest *c, const sn_facet *facet, const sn_convex_gap *nearest)
{
    sn_vec3 n = facet->normal;
    double most = sn_core_pair_separation(&c->pair, n);
    for (int k = 0; k < 3; ++k) {
        sn_vec3 candidate = edge_normal(c->ground, facet, k, nearest->normal);
        double apart = sn_core_pair_separation(&c->pair, candidate);
        if (sn_dot(candidate, candidate) > 0.0 && apart > most) {
            most = apart;
            n = candidate;
        }
    }
    common found;
    clip_along(c, facet, n, &found);
    add_common(c, facet, n, corrected_least(c, nearest), &found);
    if (nearest->gap < c->spare.gap) {
        c->spare = *nearest;
        c->spare_facet = facet->index;
    }
}

// Turns a sheet's facet to the other side, if `to` is below zero.
static void face_other(const contest *c, sn_facet *facet, double to)
{
    if (!c->solid && to < 0.0) {
        facet->normal = sn_vec3_negate(facet->normal);
    }
}

// The point of the other body's core that lies farthest along n, in the ground's frame.
static sn_vec3 other_support(const contest *c, sn_vec3 n)
{
    int corner = 0;
    sn_vec3 direction = sn_mat3_apply_transpose(c->pair.rotation, n);
    sn_vec3 x = sn_collider_support(c->other, direction, &corner);
    return sn_vec3_add(c->pair.offset, sn_mat3_apply(c->pair.rotation, x));
}

static void look_along(contest *c, sn_vec3 n)
{
    if (memcmp(&n, &c->seen_normal, sizeof n) == 0) {
        return;
    }
    c->seen_normal = n;
    other_feature(c, n, &c->seen);
    c->lowest = sn_dot(n, other_support(c, sn_vec3_negate(n)));
    c->highest = sn_dot(n, other_support(c, n));
}

// A facet in the midst of a plane admits the plane's normal only, and of the contact it has the
// corners of the other body's feature that are over it.
static void meet_midst(contest *c, const sn_facet *facet)
{
    double plane = sn_dot(facet->normal, facet->corners[0]);
    sn_vec3 out[3];
    double slack[3];
    for (int k = 0; k < 3; ++k) {
        sn_vec3 along = sn_vec3_sub(facet->corners[(k + 1) % 3], facet->corners[k]);
        out[k] = sn_cross(along, facet->normal);
        slack[k] = 1e-9 * sn_dot(along, along);
    }
    bool turned = sn_dot(out[0], sn_vec3_sub(facet->corners[2], facet->corners[0])) > 0.0;
    for (int i = 0; i < c->seen.count; ++i) {
        sn_manifold_point point = {.on_b = c->seen.corners[i]};
        point.gap = sn_dot(point.on_b, facet->normal) - plane;
        bool over = point.gap - c->rounding <= c->margin;
        for (int k = 0; over && k < 3; ++k) {
            double side = sn_dot(out[k], sn_vec3_sub(point.on_b, facet->corners[k]));
            over = (turned ? -side : side) <= slack[k];
        }
        if (over) {
            point.on_a = sn_vec3_add_scaled(point.on_b, -point.gap, facet->normal);
            point.feature = (2u * c->seen.names[i] + 2u) << 16;
            add_point(c, facet->normal, facet->index, point);
        }
    }
}

// The nearest pair of a facet and the other body; false beyond the margin. The core of a ball is a
// point, for which this is quick.
static bool find_nearest(contest *c, const sn_facet *facet, sn_convex_gap *nearest)
{
    if (c->other->type != SN_COLLIDER_SPHERE) {
        return !sn_convex_gap_find(&c->pair, c->margin, NULL, nearest) && nearest->gap <= c->margin;
    }
    int feature = 6;
    sn_vec3 x = c->pair.offset, on = sn_triangle_nearest(facet->corners, x, &feature);
    sn_vec3 away = sn_vec3_sub(x, on);
    double distance = sn_length(away);
    nearest->gap = distance - c->rounding;
    nearest->normal =
        distance > 1e-9 * c->scale ? sn_vec3_scale(1.0 / distance, away) : facet->normal;
    nearest->on_a = on;
    nearest->on_b = sn_vec3_add_scaled(x, -c->rounding, nearest->normal);
    return nearest->gap <= c->margin;
}

// `facet` is the first of the pair.
static void meet_facet(contest *c, sn_facet facet)
{
    int index = facet.index;
    look_along(c, facet.normal);
    double plane = sn_dot(facet.normal, facet.corners[0]);
    double above = c->lowest - plane, below = plane - c->highest;
    double limit = c->margin + c->rounding;
    if (c->solid && below > c->rounding) {
        c->behind = true;
        return;
    }
    if (above > limit || below > limit) {
        return;
    }
    // To the side on which more of the core is, by its extent: the middle of a triangle's box may
    // be on the far side of a plane that hardly cuts the triangle.
    face_other(c, &facet, above - below);
    look_along(c, facet.normal);
    // Where what is lowest over the facet's plane is over the facet, no other pair is nearer.
    double gap = (c->solid || above >= below ? above : below) - c->rounding;
    common found;
    if (gap > -1e-3 * c->scale && sn_facet_levels(c->ground, index) == 7) {
        meet_midst(c, &facet);
        return;
    }
    if (gap > -1e-3 * c->scale) {
        clip_along(c, &facet, facet.normal, &found);
        if (found.least <= gap + 1e-4 * c->scale) {
            add_common(c, &facet, facet.normal, -INFINITY, &found);
            return;
        }
    }
    sn_convex_gap nearest;
    if (!find_nearest(c, &facet, &nearest)) {
        return;
    }
    switch (sn_facet_admits(c->ground, &facet, nearest.normal)) {
    case SN_FACET_FACE:
        add_admitted(c, &facet, facet.normal, &nearest);
        break;
    case SN_FACET_EDGE:
    case SN_FACET_CORNER:
        add_admitted(c, &facet, nearest.normal, &nearest);
        break;
    case SN_FACET_BACK:
        c->behind = true;
        if (!c->solid) { // cut by a sheet, more than half through: out to the middle's side
            clip_along(c, &facet, facet.normal, &found);
            add_common(c, &facet, facet.normal, -INFINITY, &found);
        }
        break;
    default:
        add_corrected(c, &facet, &nearest);
        break;
    }
}

static void meet_convex(contest *c, int index)
{
    sn_facet facet = sn_facet_get(c->ground, index);
    if (sn_dot(facet.normal, facet.normal) == 0.0) {
        return; // no area: its neighbours have its edges
    }
    sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
    c->pair.a = &triangle;
    meet_facet(c, facet);
    c->pair.a = c->ground;
}

// ---- inside ----

// All of the other body's feature as seen from the facet's plane.
static void leave_through(contest *c, int index)
{
    sn_facet facet = sn_facet_get(c->ground, index);
    sn_vec3 n = facet.normal;
    sn_patch_set_drop_against(&c->patches, n);
    sn_feature feature;
    other_feature(c, n, &feature);
    for (int i = 0; i < feature.count; ++i) {
        sn_manifold_point point = {.on_b = feature.corners[i]};
        point.gap = sn_dot(sn_vec3_sub(point.on_b, facet.corners[0]), n);
        point.on_a = sn_vec3_add_scaled(point.on_b, -point.gap, n);
        point.feature = (2u * feature.names[i] + 2u) << 16;
        add_point(c, n, index, point);
    }
}

static int collide_convex(const sn_collider *ground, const sn_transform *place_ground,
                          const sn_collider *convex, const sn_transform *place_convex,
                          double margin, sn_manifold *manifolds, int capacity, int *left_out)
{
    contest c;
    contest_start(&c, ground, place_ground, convex, place_convex, margin);
    sn_facet_walk walk;
    sn_facet_walk_start(&walk, ground, enlarge(sn_collider_bounds(convex, &c.place), margin));
    for (int index; (index = sn_facet_walk_next(&walk)) >= 0;) {
        meet_convex(&c, index);
    }
    if (c.solid && (c.behind || c.patches.count == 0)) {
        int out = sn_ground_exit(ground, c.middle);
        if (out >= 0) {
            leave_through(&c, out);
        }
    }
    if (c.patches.count == 0 && c.spare_facet >= 0) {
        add_nearest(&c, c.spare_facet, c.spare.normal, &c.spare, 1u);
    }
    return sn_patch_set_give(&c.patches, place_ground, manifolds, capacity, left_out);
}

// ---- two grounds ----

static bool is_contact(sn_facet_feature feature)
{
    return feature >= SN_FACET_FACE;
}

// Turned to the other side, if it is a sheet's that n points away from.
static sn_facet turned(const sn_collider *ground, sn_facet facet, sn_vec3 n)
{
    if (!sn_ground_is_solid(ground) && sn_dot(facet.normal, n) < 0.0) {
        facet.normal = sn_vec3_negate(facet.normal);
    }
    return facet;
}

// Two facets, one of each ground, both as the first ground sees them; `own` is the second as its
// own ground sees it, and `turn` takes the first's axes to the second's.
typedef struct facet_pair {
    sn_facet a, b, own;
    sn_quat turn;
} facet_pair;

// Do both grounds admit n, from the first to the second?
static bool both_admit(const contest *c, const facet_pair *pair, sn_vec3 n)
{
    sn_vec3 back = sn_rotate(pair->turn, sn_vec3_negate(n));
    sn_facet a = turned(c->ground, pair->a, n), own = turned(c->other, pair->own, back);
    return is_contact(sn_facet_admits(c->ground, &a, n)) &&
           is_contact(sn_facet_admits(c->other, &own, back));
}

// Normals that features of both have in common: those of the facets, then of crossing edges.
static int list_normals(const facet_pair *pair, sn_vec3 *normals)
{
    int count = 0;
    normals[count++] = pair->a.normal;
    normals[count++] = sn_vec3_negate(pair->b.normal);
    for (int i = 0; i < 3; ++i) {
        sn_vec3 along = sn_vec3_sub(pair->a.corners[(i + 1) % 3], pair->a.corners[i]);
        for (int k = 0; k < 3; ++k) {
            sn_vec3 other = sn_vec3_sub(pair->b.corners[(k + 1) % 3], pair->b.corners[k]);
            sn_vec3 n = sn_cross(along, other);
            double square = sn_dot(n, n), size = sn_dot(along, along) * sn_dot(other, other);
            if (square > 1e-6 * size) {
                n = sn_vec3_scale(1.0 / sqrt(square), n);
                // Away from the first, towards the second.
                bool against = sn_dot(n, pair->a.normal) - sn_dot(n, pair->b.normal) < 0.0;
                normals[count++] = against ? sn_vec3_negate(n) : n;
            }
        }
    }
    return count;
}

// Where two edges cross, seen along n: the supports of both facets along n.
static void add_crossing(contest *c, const facet_pair *pair, sn_vec3 n, double gap)
{
    sn_feature on_a, on_b;
    sn_collider_feature(c->pair.a, n, &on_a);
    sn_collider_feature(c->pair.b, sn_vec3_negate(n), &on_b);
    sn_manifold_point point = {.gap = gap, .feature = 1u | 1u << 16};
    if (on_b.count == 1) {
        point.on_b = on_b.corners[0];
        point.on_a = sn_vec3_add_scaled(point.on_b, -gap, n);
    } else if (on_a.count == 1) {
        point.on_a = on_a.corners[0];
        point.on_b = sn_vec3_add_scaled(point.on_a, gap, n);
    } else {
        // Lines a + s u and b + t v, at the place where they are nearest.
        sn_vec3 u = sn_vec3_sub(on_a.corners[1], on_a.corners[0]);
        sn_vec3 v = sn_vec3_sub(on_b.corners[1], on_b.corners[0]);
        sn_vec3 w = sn_vec3_sub(on_b.corners[0], on_a.corners[0]);
        double uu = sn_dot(u, u), vv = sn_dot(v, v), uv = sn_dot(u, v);
        double det = uu * vv - uv * uv;
        double t = det > 0.0 ? (uv * sn_dot(u, w) - uu * sn_dot(v, w)) / det : 0.5;
        point.on_b = sn_vec3_add_scaled(on_b.corners[0], fmin(1.0, fmax(0.0, t)), v);
        point.on_a = sn_vec3_add_scaled(point.on_b, -gap, n);
    }
    add_point(c, n, pair->a.index, point);
}

// Is `b` farther than the margin above the plane of `a`, or, for a solid's facet, below it? What
// touches a solid from outside is in front of the facets it touches, at least in part.
static bool is_off_plane(const contest *c, const sn_facet *a, const sn_facet *b, bool solid)
{
    double h[3];
    for (int k = 0; k < 3; ++k) {
        h[k] = sn_dot(a->normal, sn_vec3_sub(b->corners[k], a->corners[0]));
    }
    double lowest = fmin(h[0], fmin(h[1], h[2])), highest = fmax(h[0], fmax(h[1], h[2]));
    return lowest > c->margin || highest < (solid ? -0.5 * c->scale : -c->margin);
}

// Spreads of the ground's facets (facet.h), kept while one after another of the other's meets them.
enum { SPREADS = 256 };

typedef struct spreads {
    int facets[SPREADS];
    double angles[SPREADS];
} spreads;

static double spread_of(spreads *known, const sn_collider *ground, int facet)
{
    int at = facet % SPREADS;
    if (known->facets[at] != facet) {
        known->facets[at] = facet;
        known->angles[at] = sn_facet_spread(ground, facet);
    }
    return known->angles[at];
}

// Do two facets face each other so little that no normal can be admitted by both? With a tenth of
// a radian to spare.
static bool faces_away(const facet_pair *pair, double spread_a, double spread_b)
{
    double most = spread_a + spread_b + 0.1;
    return most < SN_PI && -sn_dot(pair->a.normal, pair->b.normal) < sn_cos(most);
}

static void meet_facets(contest *c, facet_pair *pair)
{
    sn_collider first = sn_collider_triangle(pair->a.corners, 0.0);
    sn_collider second = sn_collider_triangle(pair->b.corners, 0.0);
    c->pair = (sn_core_pair){&first, &second, SN_MAT3_IDENTITY, SN_VEC3_ZERO};
    sn_convex_gap nearest;
    if (sn_convex_gap_find(&c->pair, c->margin, NULL, &nearest) || nearest.gap > c->margin) {
        c->axes[c->oldest_axis] = nearest.normal;
        c->oldest_axis = (c->oldest_axis + 1) % AXES;
        return;
    }
    c->met = true;
    if (!c->solid) {
        // To the side of the other's facet, or, if the plane cuts that, of the other's middle.
        double above = sn_core_pair_separation(&c->pair, pair->a.normal);
        double below = sn_core_pair_separation(&c->pair, sn_vec3_negate(pair->a.normal));
        sn_vec3 to_middle = sn_vec3_sub(c->middle, pair->a.corners[0]);
        bool cuts = above <= 0.0 && below <= 0.0;
        face_other(c, &pair->a, cuts ? sn_dot(to_middle, pair->a.normal) : above - below);
    }
    double deepest = -0.5 * c->scale;
    bool apart = nearest.gap > 1e-9 * c->scale;
    if (apart && !both_admit(c, pair, nearest.normal)) {
        return; // a neighbour is nearer
    }
    sn_vec3 n = nearest.normal, normals[11];
    // Normals of triangles that cut each other, or touch with little room between, are better taken
    // from their features; of those that both grounds admit, the one that leaves them farthest
    // apart.
    double most = fmax(corrected_least(c, &nearest), deepest);
    bool found_one = apart;
    int count = list_normals(pair, normals);
    for (int k = 0; k < count; ++k) {
        double gap = sn_core_pair_separation(&c->pair, normals[k]);
        bool enough = apart ? gap > nearest.gap - 1e-6 * c->scale : gap > most;
        if (enough && both_admit(c, pair, normals[k])) {
            most = gap;
            n = normals[k];
            found_one = true;
            if (apart) {
                break;
            }
        }
    }
    if (!found_one) {
        return;
    }
    nearest.gap = apart ? nearest.gap : most;
    if (apart) {
        add_admitted(c, &pair->a, n, &nearest);
        return;
    }
    common found;
    clip_along(c, &pair->a, n, &found);
    add_common(c, &pair->a, n, deepest, &found);
    if (found.count == 0) {
        add_crossing(c, pair, n, most);
    }
}

// The cosine of the angle within which a facet faces another.
static const double FACING = 0.7;

// The height of a point over a facet, along its normal or, for `side` -1, against it; NAN: it is
// not over the facet, above the margin, or too deep.
static double height_over(const contest *c, const sn_facet *facet, double side, sn_vec3 x)
{
    double height = side * sn_dot(facet->normal, sn_vec3_sub(x, facet->corners[0]));
    bool over = height <= c->margin && height >= -SN_MESH_SUNK * c->scale;
    for (int k = 0; k < 3 && over; ++k) {
        sn_vec3 along = sn_vec3_sub(facet->corners[(k + 1) % 3], facet->corners[k]);
        sn_vec3 inward = sn_cross(facet->normal, along);
        double inside = sn_dot(inward, sn_vec3_sub(x, facet->corners[k]));
        over = inside >= -1e-7 * sn_dot(along, along);
    }
    return over ? height : NAN;
}

// Is a point below a facet nearest to the surface there? Else it leaves elsewhere. In the ground's
// own frame.
static bool leaves_through(const sn_collider *ground, int facet, double height, sn_vec3 x)
{
    if (height >= 0.0) {
        return true;
    }
    if (ground->type == SN_COLLIDER_HEIGHT_FIELD) {
        int out = sn_ground_exit(ground, x);
        return out >= 0 && sn_facet_patch(ground, out) == sn_facet_patch(ground, facet);
    }
    sn_vec3 nearest;
    double distance = 0.0;
    int there = sn_mesh_tree_nearest(ground->mesh, x, INFINITY, &nearest, &distance);
    return there >= 0 && -height <= (1.0 + 1e-6) * fabs(distance);
}

// Corners of each facet over the other, where the facets face each other. They hold what comes down
// on several places in one step, of which only the lowest can be touched now, and what has sunk in
// so that facets are farther apart than the margin.
static void meet_corners(contest *c, const facet_pair *pair)
{
    const sn_facet *a = &pair->a, *b = &pair->b;
    double side =
        !c->solid && sn_dot(sn_vec3_sub(c->middle, a->corners[0]), a->normal) < 0.0 ? -1.0 : 1.0;
    if (side * sn_dot(a->normal, b->normal) > -FACING) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        double height = height_over(c, a, side, b->corners[k]);
        if (!isnan(height) && leaves_through(c->ground, a->index, height, b->corners[k])) {
            int vertex = c->other->mesh->triangles[3 * (size_t)b->index + (size_t)k];
            sn_vec3 n = sn_vec3_scale(side, a->normal);
            sn_manifold_point point = {.on_b = b->corners[k], .gap = height};
            point.on_a = sn_vec3_add_scaled(point.on_b, -height, n);
            point.feature = (2u * (uint32_t)vertex + 2u) << 16;
            add_point(c, n, a->index, point);
        }
        height = sn_ground_is_solid(c->other) ? height_over(c, b, 1.0, a->corners[k]) : NAN;
        sn_vec3 own = sn_transform_point_inverse(c->place, a->corners[k]);
        if (!isnan(height) && leaves_through(c->other, b->index, height, own)) {
            sn_manifold_point point = {.on_a = a->corners[k], .gap = height};
            point.on_b = sn_vec3_add_scaled(point.on_a, -height, b->normal);
            point.feature = 2u * (uint32_t)k + 2u;
            add_point(c, sn_vec3_negate(b->normal), a->index, point);
        }
    }
}

// The corner of the other mesh that lies deepest along n, as the one point of contact.
static void leave_as_mesh(contest *c, int index)
{
    sn_facet facet = sn_facet_get(c->ground, index);
    sn_patch_set_drop_against(&c->patches, facet.normal);
    const sn_mesh_tree *tree = c->other->mesh;
    sn_manifold_point point = {.gap = INFINITY};
    for (int e = 0; e < 3 * tree->triangle_count; ++e) {
        sn_vec3 x = sn_transform_point(c->place, tree->positions[tree->triangles[e]]);
        double gap = sn_dot(sn_vec3_sub(x, facet.corners[0]), facet.normal);
        if (gap < point.gap) {
            point.gap = gap;
            point.on_b = x;
            point.feature = (2u * (uint32_t)tree->triangles[e] + 2u) << 16;
        }
    }
    point.on_a = sn_vec3_add_scaled(point.on_b, -point.gap, facet.normal);
    add_point(c, facet.normal, index, point);
}

static void reach_along(sn_vec3 n, const sn_vec3 p[3], double *least, double *most)
{
    double x = sn_dot(n, p[0]), y = sn_dot(n, p[1]), z = sn_dot(n, p[2]);
    double low = x < y ? x : y, high = x < y ? y : x;
    *least = z < low ? z : low;
    *most = z > high ? z : high;
}

// Does a direction that kept facets apart a moment ago keep these apart? Facets that are near each
// other, but not at each other, mostly look alike, and this spares nearly all of them the search
// for a direction of their own. A billionth of the size is left to rounding.
static bool is_apart(const contest *c, const facet_pair *pair)
{
    for (int i = 0; i < AXES; ++i) {
        double low_a, high_a, low_b, high_b;
        reach_along(c->axes[i], pair->a.corners, &low_a, &high_a);
        reach_along(c->axes[i], pair->b.corners, &low_b, &high_b);
        if (low_b - high_a > c->margin + 1e-9 * c->scale) {
            return true;
        }
    }
    return false;
}

// One facet of the other mesh against all of the ground's near it. `back` takes the ground's frame
// to the mesh's.
static void meet_ground(contest *c, spreads *known, const sn_facet *own, const sn_transform *back)
{
    facet_pair pair = {.own = *own, .turn = back->rotation, .b.index = own->index};
    sn_aabb around = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; ++k) {
        pair.b.corners[k] = sn_transform_point(c->place, own->corners[k]);
        around.lower = sn_vec3_min(around.lower, pair.b.corners[k]);
        around.upper = sn_vec3_max(around.upper, pair.b.corners[k]);
    }
    pair.b.normal = sn_rotate(c->place.rotation, own->normal);
    bool solid = sn_ground_is_solid(c->other);
    double spread = solid ? -1.0 : SN_PI; // found when it is needed
    sn_facet_walk walk;
    sn_facet_walk_start(&walk, c->ground,
                        enlarge(around, fmax(c->margin, SN_MESH_SUNK * c->scale)));
    for (int index; (index = sn_facet_walk_next(&walk)) >= 0;) {
        pair.a = sn_facet_get(c->ground, index);
        meet_corners(c, &pair);
        if (is_apart(c, &pair) || sn_dot(pair.a.normal, pair.a.normal) == 0.0 ||
            is_off_plane(c, &pair.a, &pair.b, c->solid) ||
            is_off_plane(c, &pair.b, &pair.a, solid)) {
            continue;
        }
        spread = spread < 0.0 ? sn_facet_spread(c->other, own->index) : spread;
        bool both = c->solid && spread < SN_PI;
        if (!both || !faces_away(&pair, spread_of(known, c->ground, index), spread)) {
            meet_facets(c, &pair);
        }
    }
}

static int collide_grounds(const sn_collider *ground, const sn_transform *place_ground,
                           const sn_collider *mesh, const sn_transform *place_mesh, double margin,
                           sn_manifold *manifolds, int capacity, int *left_out)
{
    contest c;
    contest_start(&c, ground, place_ground, mesh, place_mesh, margin);
    c.patches.steep = SN_STEEP;
    spreads known;
    memset(known.facets, -1, sizeof known.facets);
    sn_transform back = sn_transform_inverse(c.place);
    // The ground's box as the mesh sees it.
    sn_collider box = *ground;
    box.bounds = enlarge(ground->bounds, fmax(margin, SN_MESH_SUNK * c.scale));
    sn_facet_walk walk;
    sn_facet_walk_start(&walk, mesh, sn_collider_bounds(&box, &back));
    for (int index; (index = sn_facet_walk_next(&walk)) >= 0;) {
        sn_facet own = sn_facet_get(mesh, index);
        if (sn_dot(own.normal, own.normal) > 0.0) {
            meet_ground(&c, &known, &own, &back);
        }
    }
    if (c.solid && c.patches.count == 0 && mesh->mesh->triangle_count > 0) {
        // Where surfaces are apart, all of the mesh is inside or nothing. Its middle may be outside
        // itself, as a ring's is, and would tell nothing.
        sn_vec3 corner = mesh->mesh->positions[mesh->mesh->triangles[0]];
        int out = sn_ground_exit(ground, c.met ? c.middle : sn_transform_point(c.place, corner));
        if (out >= 0) {
            leave_as_mesh(&c, out);
        }
    }
    return sn_patch_set_give(&c.patches, place_ground, manifolds, capacity, left_out);
}

int sn_collide_with_ground(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                           const sn_transform *place_b, double margin, sn_manifold *manifolds,
                           int capacity, int *left_out)
{
    if (left_out != NULL) {
        *left_out = 0;
    }
    if (b->type == SN_COLLIDER_HEIGHT_FIELD && !sn_collider_is_convex(a)) {
        return 0;
    }
    if (a->type == SN_COLLIDER_PLANE) {
        return sn_collide_plane_mesh(place_a, b, place_b, margin, manifolds, capacity, left_out);
    }
    if (sn_collider_is_ground(a)) {
        return collide_grounds(a, place_a, b, place_b, margin, manifolds, capacity, left_out);
    }
    int count = collide_convex(b, place_b, a, place_a, margin, manifolds, capacity, left_out);
    for (int i = 0; i < count; ++i) {
        sn_manifold_swap(&manifolds[i]);
    }
    return count;
}
