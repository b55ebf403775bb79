#include "collide/mesh_collide.h"

#include "collide/clip.h"
#include "collide/convex.h"
#include "collide/facet.h"
#include "collide/mesh_tree.h"
#include "collide/patch_set.h"
#include "geometry/height_field.h"

// One ground against one other body, all in the ground's frame.
typedef struct contest {
    const sn_collider *ground;
    bool solid;
    const sn_collider *other;
    sn_core_pair pair;  // a: the facet at hand, b: the other body (or its facet at hand)
    sn_transform place; // of the other body in the ground's frame
    sn_vec3 middle;     // of the other body
    double margin, rounding, scale;
    bool behind; // some facet saw the other body, or a part of it, from behind
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
    c->behind = false;
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

// What facet and other body have in common along n: points with gaps from `least` to the margin.
// `found` (or NULL, for a normal that was corrected) is the nearest pair, added if nothing else
// stands for it.
static void add_points(contest *c, const sn_facet *facet, sn_vec3 n, double least,
                       const sn_convex_gap *found)
{
    sn_vec3 grown[3];
    grow_corners(facet, grown);
    sn_collider triangle = sn_collider_triangle(grown, 0.0);
    sn_feature on_facet, on_other;
    sn_collider_feature(&triangle, n, &on_facet);
    other_feature(c, n, &on_other);
    sn_manifold_point points[SN_CLIP_POINTS + 1];
    int count = 0;
    if (on_facet.count > 2 || (on_facet.count > 1 && on_other.count > 1)) {
        count = sn_feature_clip(&on_facet, &on_other, n, 0.0, points);
    }
    double deepest = INFINITY;
    for (int i = 0; i < count; ++i) {
        double gap = points[i].gap - c->rounding;
        if (gap <= c->margin && gap >= least) {
            deepest = fmin(deepest, gap);
            add_point(c, n, facet->index, points[i]);
        }
    }
    if (found != NULL && !(deepest <= found->gap + 1e-3 * c->scale)) {
        sn_manifold_point point = {.feature = 1u | 1u << 16};
        if (on_other.count == 1) {
            point.feature = 1u | (2u * on_other.names[0] + 2u) << 16;
        }
        point.on_b = sn_vec3_add_scaled(found->on_b, c->rounding, found->normal);
        point.gap = found->gap + c->rounding;
        point.on_a = sn_vec3_add_scaled(point.on_b, -point.gap, n);
        add_point(c, n, facet->index, point);
    }
}

// ---- one facet and a convex body ----

// A sheet's facet faces the side on which the core is, or, if it cuts the core, its middle.
static void face_other(const contest *c, sn_facet *facet, const sn_convex_gap *found)
{
    bool apart = found->gap + c->rounding > 1e-9 * c->scale;
    sn_vec3 to = apart ? found->normal : sn_vec3_sub(c->middle, facet->corners[0]);
    if (!c->solid && sn_dot(facet->normal, to) < 0.0) {
        facet->normal = sn_vec3_negate(facet->normal);
    }
}

// How much deeper than the nearest pair a corrected normal may find things: more would be another
// side of the ground.
static double corrected_least(const contest *c, const sn_convex_gap *found)
{
    return fmin(found->gap, 0.0) - 1e-3 * c->scale;
}

static void meet_convex(contest *c, int index)
{
    sn_facet facet = sn_facet_get(c->ground, index);
    if (sn_dot(facet.normal, facet.normal) == 0.0) {
        return; // no area: its neighbours have its edges
    }
    sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
    c->pair.a = &triangle;
    double limit = c->margin + c->rounding;
    bool far = sn_core_pair_separation(&c->pair, facet.normal) > limit;
    sn_vec3 below = sn_vec3_negate(facet.normal);
    double under = sn_core_pair_separation(&c->pair, below) - c->rounding;
    if (c->solid && under > 0.0) {
        c->behind = true;
        return;
    }
    if (far || under > c->margin) {
        return;
    }
    sn_convex_gap found;
    if (sn_convex_gap_find(&c->pair, c->margin, NULL, &found) || found.gap > c->margin) {
        return;
    }
    face_other(c, &facet, &found);
    switch (sn_facet_admits(c->ground, &facet, found.normal)) {
    case SN_FACET_FACE:
        add_points(c, &facet, facet.normal, -INFINITY, &found);
        break;
    case SN_FACET_EDGE:
    case SN_FACET_CORNER:
        add_points(c, &facet, found.normal, -INFINITY, &found);
        break;
    case SN_FACET_BACK:
        c->behind = true;
        if (!c->solid) { // cut by a sheet, more than half through: out to the middle's side
            add_points(c, &facet, facet.normal, -INFINITY, NULL);
        }
        break;
    default:
        add_points(c, &facet, facet.normal, corrected_least(c, &found), NULL);
        break;
    }
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

static int to_world(sn_patch_set *patches, const sn_transform *place, sn_manifold *manifolds,
                    int capacity, int *left_out)
{
    int count = sn_patch_set_give(patches, manifolds, capacity, left_out);
    for (int i = 0; i < count; ++i) {
        sn_manifold *m = &manifolds[i];
        m->normal = sn_rotate(place->rotation, m->normal);
        for (int k = 0; k < m->count; ++k) {
            m->points[k].on_a = sn_transform_point(*place, m->points[k].on_a);
            m->points[k].on_b = sn_transform_point(*place, m->points[k].on_b);
        }
    }
    return count;
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
    return to_world(&c.patches, place_ground, manifolds, capacity, left_out);
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

// Facet `a` of the ground and facet `b` of the other, both in the ground's frame; `turn` takes the
// ground's axes to the other's.
static void meet_facet(contest *c, sn_facet a, const sn_facet *own, const sn_facet *b, sn_quat turn)
{
    sn_collider first = sn_collider_triangle(a.corners, 0.0);
    sn_collider second = sn_collider_triangle(b->corners, 0.0);
    c->pair = (sn_core_pair){&first, &second, SN_MAT3_IDENTITY, SN_VEC3_ZERO};
    sn_convex_gap found;
    if (sn_convex_gap_find(&c->pair, c->margin, NULL, &found) || found.gap > c->margin) {
        return;
    }
    face_other(c, &a, &found);
    sn_vec3 n = found.normal, back = sn_rotate(turn, sn_vec3_negate(n));
    sn_facet other = turned(c->other, *own, back);
    sn_facet_feature on_a = sn_facet_admits(c->ground, &a, n);
    sn_facet_feature on_b = sn_facet_admits(c->other, &other, back);
    c->behind = c->behind || on_a == SN_FACET_BACK;
    double least = -0.5 * c->scale;
    if (is_contact(on_a) && is_contact(on_b)) {
        sn_vec3 face = sn_rotate(sn_quat_conjugate(turn), sn_vec3_negate(other.normal));
        n = on_a == SN_FACET_FACE ? a.normal : on_b == SN_FACET_FACE ? face : n;
        add_points(c, &a, n, least, found.gap >= least ? &found : NULL);
        return;
    }
    // Either facet's own normal, if the other side admits it there: the shallower one.
    const sn_vec3 tries[2] = {a.normal,
                              sn_rotate(sn_quat_conjugate(turn), sn_vec3_negate(own->normal))};
    int best = -1;
    double most = fmax(corrected_least(c, &found), least);
    for (int k = 0; k < 2; ++k) {
        sn_vec3 opposite = sn_rotate(turn, sn_vec3_negate(tries[k]));
        other = turned(c->other, *own, opposite);
        bool admitted = k == 0 ? is_contact(sn_facet_admits(c->other, &other, opposite))
                               : is_contact(sn_facet_admits(c->ground, &a, tries[k]));
        double gap = sn_core_pair_separation(&c->pair, tries[k]);
        if (admitted && gap > most) {
            most = gap;
            best = k;
        }
    }
    if (best >= 0) {
        add_points(c, &a, tries[best], fmax(corrected_least(c, &found), least), NULL);
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

static int collide_grounds(const sn_collider *ground, const sn_transform *place_ground,
                           const sn_collider *mesh, const sn_transform *place_mesh, double margin,
                           sn_manifold *manifolds, int capacity, int *left_out)
{
    contest c;
    contest_start(&c, ground, place_ground, mesh, place_mesh, margin);
    sn_transform back = sn_transform_inverse(c.place);
    sn_facet_walk walk;
    // The ground's box seen by the mesh; a height field's reaches down as far as the mesh does.
    sn_collider box = *ground;
    box.bounds = enlarge(ground->bounds, margin);
    sn_facet_walk_start(&walk, mesh, sn_collider_bounds(&box, &back));
    for (int index; (index = sn_facet_walk_next(&walk)) >= 0;) {
        sn_facet own = sn_facet_get(mesh, index), seen = own;
        if (sn_dot(own.normal, own.normal) == 0.0) {
            continue;
        }
        sn_aabb around = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int k = 0; k < 3; ++k) {
            seen.corners[k] = sn_transform_point(c.place, own.corners[k]);
            around.lower = sn_vec3_min(around.lower, seen.corners[k]);
            around.upper = sn_vec3_max(around.upper, seen.corners[k]);
        }
        sn_facet_walk inner;
        sn_facet_walk_start(&inner, ground, enlarge(around, margin));
        for (int other; (other = sn_facet_walk_next(&inner)) >= 0;) {
            sn_facet facet = sn_facet_get(ground, other);
            if (sn_dot(facet.normal, facet.normal) > 0.0) {
                meet_facet(&c, facet, &own, &seen, back.rotation);
            }
        }
    }
    if (c.solid && c.patches.count == 0) {
        int out = sn_ground_exit(ground, c.middle);
        if (out >= 0) {
            leave_as_mesh(&c, out);
        }
    }
    return to_world(&c.patches, place_ground, manifolds, capacity, left_out);
}

// ---- a plane and a mesh ----

// The lowest point of a node's box along n.
static double node_reach(const sn_box_node *node, sn_vec3 n)
{
    double x = (double)(n.x > 0.0 ? node->lower[0] : node->upper[0]);
    double y = (double)(n.y > 0.0 ? node->lower[1] : node->upper[1]);
    double z = (double)(n.z > 0.0 ? node->lower[2] : node->upper[2]);
    return n.x * x + n.y * y + n.z * z;
}

static int collide_plane(const sn_transform *place_plane, const sn_collider *mesh,
                         const sn_transform *place_mesh, double margin, sn_manifold *manifolds,
                         int capacity, int *left_out)
{
    // In the mesh's frame: n . x = offset.
    sn_vec3 up = sn_rotate(place_plane->rotation, sn_vec3_make(0.0, 0.0, 1.0));
    sn_vec3 n = sn_rotate_inverse(place_mesh->rotation, up);
    double offset = sn_dot(up, sn_vec3_sub(place_plane->position, place_mesh->position));
    const sn_mesh_tree *tree = mesh->mesh;
    sn_vec3 extent = sn_vec3_sub(mesh->bounds.upper, mesh->bounds.lower);
    sn_patch_set patches;
    sn_patch_set_init(&patches, fmax(extent.x, fmax(extent.y, extent.z)));
    int32_t stack[SN_BOX_TREE_HEIGHT + 2];
    int top = 0;
    stack[top++] = tree->boxes.root;
    while (top > 0) {
        const sn_box_node *node = &tree->boxes.nodes[stack[--top]];
        if (node_reach(node, n) > offset + margin) {
            continue;
        }
        if (node->right >= 0) {
            stack[top++] = node->right;
            stack[top++] = node->left;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            int vertex = tree->triangles[3 * (size_t)node->left + (size_t)k];
            sn_manifold_point point = {.on_b = tree->positions[vertex]};
            point.gap = sn_dot(n, point.on_b) - offset;
            point.on_a = sn_vec3_add_scaled(point.on_b, -point.gap, n);
            point.feature = (uint32_t)((2u * (uint32_t)vertex + 2u) << 16);
            if (point.gap <= margin) {
                sn_patch_set_add(&patches, n, 0, &point);
            }
        }
    }
    return to_world(&patches, place_mesh, manifolds, capacity, left_out);
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
        return collide_plane(place_a, b, place_b, margin, manifolds, capacity, left_out);
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
