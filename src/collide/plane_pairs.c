// Convex colliders, tori and meshes over a half space: the lowest points, each with its exact
// height.
#include "collide/hull_shape.h"
#include "collide/mesh_tree.h"
#include "collide/pairs.h"
#include "collide/patch_set.h"

enum { CANDIDATES = 64 };

typedef struct over_plane {
    const sn_transform *place; // of the convex one
    sn_vec3 origin;            // a point of the plane, in the convex one's frame
    sn_vec3 up;                // the plane's normal there
    double rounding, margin;
    int count;
    sn_manifold_point points[CANDIDATES];
} over_plane;

// In the convex one's frame until the end.
static void consider(over_plane *o, sn_vec3 core, int name)
{
    double gap = sn_dot(sn_vec3_sub(core, o->origin), o->up) - o->rounding;
    if (gap > o->margin || o->count == CANDIDATES) {
        return;
    }
    sn_manifold_point *p = &o->points[o->count++];
    p->on_a = sn_vec3_add_scaled(core, -o->rounding, o->up);
    p->on_b = sn_vec3_add_scaled(p->on_a, -gap, o->up);
    p->gap = gap;
    p->feature = 2u * (uint32_t)name + 2u;
}

static void consider_box(over_plane *o, const sn_collider *c)
{
    // The face that looks down the most has the lowest corner.
    double n[3];
    sn_vec3_put(n, o->up);
    int axis = fabs(n[0]) >= fabs(n[1]) ? 0 : 1;
    axis = fabs(n[2]) > fabs(n[axis]) ? 2 : axis;
    for (int corner = 0; corner < 8; ++corner) {
        if ((corner >> axis & 1) == (n[axis] < 0.0)) {
            consider(o, sn_collider_corner(c, corner), corner);
        }
    }
}

// Four points of the rim from the lowest on; flat on (to 1e-4 rad), from the x axis on, so that
// what rests keeps its points.
static void consider_rim(over_plane *o, double radius, double z, int name)
{
    sn_vec3 d = sn_vec3_make(-o->up.x, -o->up.y, 0.0);
    double length = sn_length(d);
    sn_vec3 u = length > 1e-4 ? sn_vec3_scale(radius / length, d) : sn_vec3_make(radius, 0.0, 0.0);
    consider(o, sn_vec3_make(u.x, u.y, z), name);
    consider(o, sn_vec3_make(-u.y, u.x, z), name + 1);
    consider(o, sn_vec3_make(-u.x, -u.y, z), name + 2);
    consider(o, sn_vec3_make(u.y, -u.x, z), name + 3);
}

static void consider_cylinder(over_plane *o, const sn_collider *c)
{
    double down = o->up.z > 0.0 ? -c->half_height : c->half_height;
    consider_rim(o, c->radius, down, down > 0.0 ? 0 : 4);
    double length = sqrt(o->up.x * o->up.x + o->up.y * o->up.y);
    if (length > 1e-6) { // the other end of the lowest line
        double s = -c->radius / length;
        consider(o, sn_vec3_make(s * o->up.x, s * o->up.y, -down), down > 0.0 ? 4 : 0);
    }
}

static void consider_cone(over_plane *o, const sn_collider *c)
{
    consider_rim(o, c->radius, -c->half_height, 0);
    consider(o, sn_vec3_make(0.0, 0.0, c->half_height), 4);
}

// Corners that can be among the lowest: all of a small hull, else the face at the lowest corner.
static void consider_hull(over_plane *o, const sn_hull *hull)
{
    if (hull->corner_count <= CANDIDATES) {
        for (int i = 0; i < hull->corner_count; ++i) {
            consider(o, hull->corners[i], i);
        }
        return;
    }
    sn_vec3 down = sn_vec3_negate(o->up);
    int lowest = sn_hull_support(hull, down);
    const sn_hull_face *face = &hull->faces[sn_hull_face_at(hull, lowest, down)];
    int step = (face->count + CANDIDATES - 2) / (CANDIDATES - 1);
    consider(o, hull->corners[lowest], lowest);
    for (int k = 0; k < face->count; k += step) {
        int corner = hull->edges[face->first + k].corner;
        if (corner != lowest) {
            consider(o, hull->corners[corner], corner);
        }
    }
}

int sn_collide_with_plane(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                          const sn_transform *place_b, double margin, sn_collide_cache *cache,
                          sn_manifold *m)
{
    (void)b;
    (void)cache;
    sn_vec3 up = sn_rotate(place_b->rotation, sn_vec3_make(0.0, 0.0, 1.0));
    over_plane o = {.place = place_a, .rounding = a->rounding, .margin = margin};
    o.up = sn_rotate_inverse(place_a->rotation, up);
    o.origin = sn_transform_point_inverse(*place_a, place_b->position);
    switch (a->type) {
    case SN_COLLIDER_SPHERE:
        consider(&o, SN_VEC3_ZERO, 0);
        break;
    case SN_COLLIDER_CAPSULE:
        consider(&o, sn_collider_corner(a, 0), 0);
        consider(&o, sn_collider_corner(a, 1), 1);
        break;
    case SN_COLLIDER_CYLINDER:
        consider_cylinder(&o, a);
        break;
    case SN_COLLIDER_CONE:
        consider_cone(&o, a);
        break;
    case SN_COLLIDER_BOX:
        consider_box(&o, a);
        break;
    case SN_COLLIDER_HULL:
        consider_hull(&o, a->hull);
        break;
    case SN_COLLIDER_TRIANGLE:
        for (int k = 0; k < 3; ++k) {
            consider(&o, a->triangle[k], k);
        }
        break;
    default:
        break;
    }
    if (o.count == 0) {
        return 0;
    }
    m->normal = sn_vec3_negate(o.up);
    m->patch = 0;
    sn_manifold_reduce(m, o.points, o.count, 1e-4 * sn_collide_scale(a, a), 0.0, SN_STEEP);
    for (int i = 0; i < m->count; ++i) {
        m->points[i].on_a = sn_transform_point(*place_a, m->points[i].on_a);
        m->points[i].on_b = sn_transform_point(*place_a, m->points[i].on_b);
    }
    m->normal = sn_vec3_negate(up);
    return 1;
}

// ---- meshes ----

// The lowest point of a node's box along n.
static double node_reach(const sn_box_node *node, sn_vec3 n)
{
    double x = (double)(n.x > 0.0 ? node->lower[0] : node->upper[0]);
    double y = (double)(n.y > 0.0 ? node->lower[1] : node->upper[1]);
    double z = (double)(n.z > 0.0 ? node->lower[2] : node->upper[2]);
    return n.x * x + n.y * y + n.z * z;
}

// A torus is a ring, a ball about each of its points: over a plane no other than a disc with a
// round edge, whose lowest points are those of a rim.
static int plane_torus(const sn_transform *place_plane, const sn_collider *torus,
                       const sn_transform *place, double margin, sn_manifold *m)
{
    sn_vec3 up = sn_rotate(place_plane->rotation, sn_vec3_make(0.0, 0.0, 1.0));
    over_plane o = {.place = place, .rounding = torus->tube, .margin = margin};
    o.up = sn_rotate_inverse(place->rotation, up);
    o.origin = sn_transform_point_inverse(*place, place_plane->position);
    consider_rim(&o, torus->radius, 0.0, 0);
    if (o.count == 0) {
        return 0;
    }
    m->normal = o.up;
    m->patch = 0;
    sn_manifold_reduce(m, o.points, o.count, 1e-4 * (torus->radius + torus->tube), 0.0, SN_STEEP);
    for (int i = 0; i < m->count; ++i) {
        sn_manifold_point *point = &m->points[i];
        sn_vec3 on_torus = sn_transform_point(*place, point->on_a);
        point->on_a = sn_transform_point(*place, point->on_b);
        point->on_b = on_torus;
        point->feature <<= 16;
    }
    m->normal = up;
    return 1;
}

int sn_collide_plane_mesh(const sn_transform *place_plane, const sn_collider *mesh,
                          const sn_transform *place_mesh, double margin, sn_manifold *manifolds,
                          int capacity, int *left_out)
{
    if (mesh->tube > 0.0 && capacity > 0) {
        return plane_torus(place_plane, mesh, place_mesh, margin, manifolds);
    }
    // In the mesh's frame: n . x = offset.
    sn_vec3 up = sn_rotate(place_plane->rotation, sn_vec3_make(0.0, 0.0, 1.0));
    sn_vec3 n = sn_rotate_inverse(place_mesh->rotation, up);
    double offset = sn_dot(up, sn_vec3_sub(place_plane->position, place_mesh->position));
    const sn_mesh_tree *tree = mesh->mesh;
    sn_vec3 extent = sn_vec3_sub(mesh->bounds.upper, mesh->bounds.lower);
    sn_patch_set patches;
    sn_patch_set_init(&patches, fmax(extent.x, fmax(extent.y, extent.z)));
    patches.steep = SN_STEEP;
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
    return sn_patch_set_give(&patches, place_mesh, manifolds, capacity, left_out);
}
