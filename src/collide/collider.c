// Colliders: dimensions worked out once, supports, bounds.
#include "collide/collider.h"

#include "base/error.h"
#include "collide/facet.h"
#include "collide/hull_shape.h"
#include "collide/mesh_tree.h"

static void finish(sn_collider *collider, sn_vec3 half)
{
    double r = collider->rounding;
    half = sn_vec3_make(half.x + r, half.y + r, half.z + r);
    collider->bounds = (sn_aabb){sn_vec3_negate(half), half};
    collider->size = 2.0 * fmin(half.x, fmin(half.y, half.z));
}

sn_collider sn_collider_sphere(double radius)
{
    sn_collider c = {.type = SN_COLLIDER_SPHERE, .rounding = radius, .inner = radius};
    finish(&c, SN_VEC3_ZERO);
    return c;
}

sn_collider sn_collider_capsule(double radius, double half_height)
{
    sn_collider c = {.type = SN_COLLIDER_CAPSULE,
                     .half_height = half_height,
                     .rounding = radius,
                     .inner = radius};
    finish(&c, sn_vec3_make(0.0, 0.0, half_height));
    return c;
}

sn_collider sn_collider_cylinder(double radius, double half_height)
{
    sn_collider c = {.type = SN_COLLIDER_CYLINDER, .radius = radius, .half_height = half_height};
    c.inner = fmin(radius, half_height);
    finish(&c, sn_vec3_make(radius, radius, half_height));
    return c;
}

sn_collider sn_collider_cone(double radius, double half_height)
{
    sn_collider c = {.type = SN_COLLIDER_CONE, .radius = radius, .half_height = half_height};
    // The middle's distance from the line (radius, -half_height) .. (0, half_height).
    double slant = sqrt(radius * radius + 4.0 * half_height * half_height);
    // About the centre of its volume, a quarter of the height above the base.
    c.heart.z = -0.5 * half_height;
    c.inner = slant > 0.0 ? fmin(0.5 * half_height, 1.5 * radius * half_height / slant) : 0.0;
    finish(&c, sn_vec3_make(radius, radius, half_height));
    return c;
}

sn_collider sn_collider_box(sn_vec3 half, double rounding)
{
    sn_collider c = {.type = SN_COLLIDER_BOX, .half = half, .rounding = rounding};
    c.inner = fmin(half.x, fmin(half.y, half.z)) + rounding;
    finish(&c, half);
    return c;
}

static double smallest_extent(sn_aabb box)
{
    sn_vec3 extent = sn_vec3_sub(box.upper, box.lower);
    return fmin(extent.x, fmin(extent.y, extent.z));
}

sn_collider sn_collider_hull(const sn_hull *hull, double rounding)
{
    sn_collider c = {.type = SN_COLLIDER_HULL, .rounding = rounding, .hull = hull};
    sn_vec3 round = sn_vec3_make(rounding, rounding, rounding);
    c.bounds =
        (sn_aabb){sn_vec3_sub(hull->bounds.lower, round), sn_vec3_add(hull->bounds.upper, round)};
    c.heart = hull->heart;
    c.inner = hull->inner + rounding;
    c.size = smallest_extent(c.bounds);
    return c;
}

sn_collider sn_collider_triangle(const sn_vec3 *corners, double size)
{
    sn_collider c = {.type = SN_COLLIDER_TRIANGLE, .triangle = corners, .size = size};
    c.bounds.lower = sn_vec3_min(corners[0], sn_vec3_min(corners[1], corners[2]));
    c.bounds.upper = sn_vec3_max(corners[0], sn_vec3_max(corners[1], corners[2]));
    return c;
}

sn_collider sn_collider_plane(void)
{
    sn_collider c = {.type = SN_COLLIDER_PLANE, .size = INFINITY, .inner = INFINITY};
    c.bounds.lower = sn_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    c.bounds.upper = sn_vec3_make(INFINITY, INFINITY, 0.0);
    return c;
}

// ---- supports ----

static sn_vec3 support_round(double radius, double z, sn_vec3 d)
{
    double length = sqrt(d.x * d.x + d.y * d.y);
    double s = length > 0.0 ? radius / length : 0.0;
    return length > 0.0 ? sn_vec3_make(s * d.x, s * d.y, z) : sn_vec3_make(radius, 0.0, z);
}

static sn_vec3 support_cone(const sn_collider *c, sn_vec3 d)
{
    double rim = c->radius * sqrt(d.x * d.x + d.y * d.y);
    if (2.0 * c->half_height * d.z >= rim) {
        return sn_vec3_make(0.0, 0.0, c->half_height);
    }
    return support_round(c->radius, -c->half_height, d);
}

sn_vec3 sn_collider_corner(const sn_collider *c, int corner)
{
    switch (c->type) {
    case SN_COLLIDER_CAPSULE:
        return sn_vec3_make(0.0, 0.0, corner != 0 ? c->half_height : -c->half_height);
    case SN_COLLIDER_BOX:
        return sn_vec3_make((corner & 1) != 0 ? c->half.x : -c->half.x,
                            (corner & 2) != 0 ? c->half.y : -c->half.y,
                            (corner & 4) != 0 ? c->half.z : -c->half.z);
    case SN_COLLIDER_HULL:
        return c->hull->corners[corner];
    case SN_COLLIDER_TRIANGLE:
        return c->triangle[corner];
    case SN_COLLIDER_MESH:
        return c->mesh->positions[corner];
    default:
        return SN_VEC3_ZERO;
    }
}

static int support_triangle(const sn_vec3 *p, sn_vec3 d)
{
    double s0 = sn_dot(p[0], d), s1 = sn_dot(p[1], d), s2 = sn_dot(p[2], d);
    int best = s1 > s0 ? 1 : 0;
    return s2 > (best == 1 ? s1 : s0) ? 2 : best;
}

sn_vec3 sn_collider_support(const sn_collider *c, sn_vec3 d, int *corner)
{
    *corner = SN_NO_CORNER;
    switch (c->type) {
    case SN_COLLIDER_SPHERE:
        *corner = 0;
        return SN_VEC3_ZERO;
    case SN_COLLIDER_CAPSULE:
        *corner = d.z >= 0.0;
        return sn_vec3_make(0.0, 0.0, copysign(c->half_height, d.z >= 0.0 ? 1.0 : -1.0));
    case SN_COLLIDER_BOX:
        *corner = (d.x >= 0.0) | (d.y >= 0.0) << 1 | (d.z >= 0.0) << 2;
        return sn_vec3_make(d.x >= 0.0 ? c->half.x : -c->half.x,
                            d.y >= 0.0 ? c->half.y : -c->half.y,
                            d.z >= 0.0 ? c->half.z : -c->half.z);
    case SN_COLLIDER_CYLINDER:
        return support_round(c->radius, d.z >= 0.0 ? c->half_height : -c->half_height, d);
    case SN_COLLIDER_CONE:
        return support_cone(c, d);
    case SN_COLLIDER_HULL: {
        int best = sn_hull_support(c->hull, d);
        *corner = best < SN_NO_CORNER ? best : SN_NO_CORNER;
        return c->hull->corners[best];
    }
    case SN_COLLIDER_TRIANGLE:
        *corner = support_triangle(c->triangle, d);
        return c->triangle[*corner];
    case SN_COLLIDER_MESH: {
        int best = sn_mesh_tree_support(c->mesh, d);
        *corner = best < SN_NO_CORNER ? best : SN_NO_CORNER;
        return c->mesh->positions[best];
    }
    default:
        return SN_VEC3_ZERO;
    }
}

// ---- bounds ----

// Half the extents of a box turned by r: |r| half.
static sn_vec3 turned_half(const sn_mat3 *r, sn_vec3 half)
{
    double h[3];
    for (int i = 0; i < 3; ++i) {
        h[i] = fabs(r->m[i][0]) * half.x + fabs(r->m[i][1]) * half.y + fabs(r->m[i][2]) * half.z;
    }
    return sn_vec3_at(h);
}

static sn_aabb about(sn_vec3 middle, sn_vec3 half)
{
    return (sn_aabb){sn_vec3_sub(middle, half), sn_vec3_add(middle, half)};
}

// Extents of round kinds: a disc of radius r with the unit normal u reaches r sqrt(1 - u_i^2)
// along axis i.
static sn_aabb bounds_cylinder(const sn_collider *c, const sn_mat3 *r, sn_vec3 position)
{
    double h[3];
    for (int i = 0; i < 3; ++i) {
        double u = r->m[i][2];
        h[i] = c->half_height * fabs(u) + c->radius * sqrt(fmax(0.0, 1.0 - u * u));
    }
    return about(position, sn_vec3_at(h));
}

static sn_aabb bounds_cone(const sn_collider *c, const sn_mat3 *r, sn_vec3 position)
{
    double lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        double u = r->m[i][2], tip = c->half_height * u;
        double rim = c->radius * sqrt(fmax(0.0, 1.0 - u * u));
        lower[i] = fmin(tip, -tip - rim);
        upper[i] = fmax(tip, -tip + rim);
    }
    return (sn_aabb){sn_vec3_add(position, sn_vec3_at(lower)),
                     sn_vec3_add(position, sn_vec3_at(upper))};
}

static sn_aabb bounds_corners(const sn_collider *c, const sn_mat3 *r, sn_vec3 position)
{
    double lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        sn_vec3 axis = sn_vec3_at(r->m[i]);
        int corner;
        upper[i] = sn_dot(axis, sn_collider_support(c, axis, &corner)) + c->rounding;
        axis = sn_vec3_negate(axis);
        lower[i] = -sn_dot(axis, sn_collider_support(c, axis, &corner)) - c->rounding;
    }
    return (sn_aabb){sn_vec3_add(position, sn_vec3_at(lower)),
                     sn_vec3_add(position, sn_vec3_at(upper))};
}

// The ring reaches radius sqrt(1 - z_k^2) along axis k, z its own axis; the mesh is inside.
static sn_aabb bounds_torus(const sn_collider *c, const sn_mat3 *r, sn_vec3 position)
{
    double half[3];
    for (int k = 0; k < 3; ++k) {
        double across = r->m[k][0] * r->m[k][0] + r->m[k][1] * r->m[k][1];
        half[k] = (1.0 + 1e-12) * (c->radius * sqrt(across) + c->tube);
    }
    return about(position, sn_vec3_at(half));
}

static sn_aabb bounds_plane(const sn_mat3 *r, sn_vec3 position)
{
    sn_aabb box = sn_collider_plane().bounds;
    box.upper.z = INFINITY;
    // Only a plane along the world's axes is bounded, on one side.
    double p[3], lower[3], upper[3];
    sn_vec3_put(p, position);
    for (int i = 0; i < 3; ++i) {
        upper[i] = r->m[i][2] == 1.0 ? p[i] : INFINITY;
        lower[i] = r->m[i][2] == -1.0 ? p[i] : -INFINITY;
    }
    box.lower = sn_vec3_at(lower);
    box.upper = sn_vec3_at(upper);
    return box;
}

// The z axis of its frame alone matters.
static sn_aabb bounds_capsule(const sn_collider *c, const sn_transform *place)
{
    sn_quat q = place->rotation;
    double h = c->half_height, r = c->rounding;
    sn_vec3 half = {fabs(2.0 * (q.x * q.z + q.w * q.y)) * h + r,
                    fabs(2.0 * (q.y * q.z - q.w * q.x)) * h + r,
                    fabs(1.0 - 2.0 * (q.x * q.x + q.y * q.y)) * h + r};
    return about(place->position, half);
}

sn_aabb sn_collider_bounds(const sn_collider *c, const sn_transform *place)
{
    if (c->type == SN_COLLIDER_CAPSULE) {
        return bounds_capsule(c, place);
    }
    sn_mat3 r = sn_quat_to_mat3(place->rotation);
    sn_vec3 round = sn_vec3_make(c->rounding, c->rounding, c->rounding);
    switch (c->type) {
    case SN_COLLIDER_SPHERE:
        return about(place->position, round);
    case SN_COLLIDER_BOX:
        return about(place->position, sn_vec3_add(turned_half(&r, c->half), round));
    case SN_COLLIDER_CYLINDER:
        return bounds_cylinder(c, &r, place->position);
    case SN_COLLIDER_CONE:
        return bounds_cone(c, &r, place->position);
    case SN_COLLIDER_HULL:
    case SN_COLLIDER_TRIANGLE:
        return bounds_corners(c, &r, place->position);
    case SN_COLLIDER_PLANE:
        return bounds_plane(&r, place->position);
    default: {
        if (c->tube > 0.0) {
            return bounds_torus(c, &r, place->position);
        }
        sn_vec3 half = sn_vec3_scale(0.5, sn_vec3_sub(c->bounds.upper, c->bounds.lower));
        sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(c->bounds.upper, c->bounds.lower));
        return about(sn_transform_point(*place, middle), turned_half(&r, half));
    }
    }
}

static double reach_round(const sn_collider *c, sn_vec3 centre, double z)
{
    double across = sqrt(centre.x * centre.x + centre.y * centre.y) + c->radius;
    return sqrt(across * across + (z - centre.z) * (z - centre.z));
}

double sn_collider_reach(const sn_collider *c, sn_vec3 centre)
{
    double h = c->half_height, reach = 0.0;
    switch (c->type) {
    case SN_COLLIDER_CYLINDER:
        return fmax(reach_round(c, centre, h), reach_round(c, centre, -h));
    case SN_COLLIDER_CONE:
        return fmax(sn_distance(centre, sn_vec3_make(0.0, 0.0, h)), reach_round(c, centre, -h));
    case SN_COLLIDER_HULL:
        for (int i = 0; i < c->hull->corner_count; ++i) {
            reach = fmax(reach, sn_distance(centre, c->hull->corners[i]));
        }
        return reach + c->rounding;
    case SN_COLLIDER_TRIANGLE:
        for (int i = 0; i < 3; ++i) {
            reach = fmax(reach, sn_distance(centre, c->triangle[i]));
        }
        return reach + c->rounding;
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_CAPSULE:
    case SN_COLLIDER_BOX: {
        sn_vec3 half = c->type == SN_COLLIDER_BOX ? c->half : sn_vec3_make(0, 0, h);
        sn_vec3 far =
            sn_vec3_make(fabs(centre.x) + half.x, fabs(centre.y) + half.y, fabs(centre.z) + half.z);
        return sn_length(far) + c->rounding;
    }
    default: {
        sn_vec3 far =
            sn_vec3_max(sn_vec3_sub(c->bounds.upper, centre), sn_vec3_sub(centre, c->bounds.lower));
        return sn_length(far);
    }
    }
}

// ---- from shapes ----

static sn_status take_hull(sn_status status, const sn_hull *hull, double rounding,
                           sn_collider *collider)
{
    if (status == SN_OK) {
        *collider = sn_collider_hull(hull, rounding);
    }
    return status;
}

// A hull if it is convex, else a tree of triangles.
static sn_status make_from_mesh(sn_mesh *mesh, sn_collider *collider, sn_error *error)
{
    sn_hull *hull = NULL;
    sn_status status = sn_hull_from_mesh(mesh, &hull, error);
    if (status != SN_ERROR_GEOMETRY) {
        return take_hull(status, hull, 0.0, collider);
    }
    if (error != NULL) {
        *error = (sn_error){0}; // not to be convex is no error
    }
    sn_mesh_tree *tree = NULL;
    status = sn_mesh_tree_create(mesh, &tree, error);
    if (status == SN_OK) {
        *collider = sn_mesh_tree_collider(tree);
    }
    return status;
}

sn_status sn_collider_make(const sn_shape *shape, sn_collider *collider, sn_error *error)
{
    double h = 0.5 * shape->height, r = shape->rounding;
    sn_vec3 half = sn_vec3_scale(0.5, shape->size);
    sn_hull *hull = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    switch (shape->type) {
    case SN_SHAPE_SPHERE:
        *collider = sn_collider_sphere(shape->radius);
        return SN_OK;
    case SN_SHAPE_BOX:
        *collider = sn_collider_box(sn_vec3_make(half.x - r, half.y - r, half.z - r), r);
        return SN_OK;
    case SN_SHAPE_CYLINDER:
        *collider = sn_collider_cylinder(shape->radius, h);
        return SN_OK;
    case SN_SHAPE_CONE:
        *collider = sn_collider_cone(shape->radius, h);
        return SN_OK;
    case SN_SHAPE_CAPSULE:
        *collider = sn_collider_capsule(shape->radius, h);
        return SN_OK;
    case SN_SHAPE_PLANE:
        *collider = sn_collider_plane();
        return SN_OK;
    case SN_SHAPE_HULL:
        status = sn_hull_from_points(sn_mesh_positions(shape->mesh),
                                     sn_mesh_vertex_count(shape->mesh), &hull, error);
        return take_hull(status, hull, r, collider);
    case SN_SHAPE_MESH:
        return make_from_mesh(shape->mesh, collider, error);
    case SN_SHAPE_HEIGHT_FIELD:
        *collider = sn_collider_height_field(sn_height_field_retain(shape->field));
        return SN_OK;
    case SN_SHAPE_TORUS:
        status = sn_shape_mesh(shape, 0.0, &mesh, error);
        status = status == SN_OK ? make_from_mesh(mesh, collider, error) : status;
        sn_mesh_release(mesh);
        if (status == SN_OK && collider->type == SN_COLLIDER_MESH) {
            collider->radius = shape->radius;
            collider->tube = shape->tube_radius;
        }
        return status;
    default:
        return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL, "a shape of type %d has no collider",
                       (int)shape->type);
    }
}

void sn_collider_free(sn_collider *collider)
{
    if (collider->type == SN_COLLIDER_HULL) {
        sn_hull_release(collider->hull);
    } else if (collider->type == SN_COLLIDER_MESH) {
        sn_mesh_tree_release(collider->mesh);
    } else if (collider->type == SN_COLLIDER_HEIGHT_FIELD) {
        // The collider took the reference, and const only says that it changes nothing.
        sn_height_field_release((sn_height_field *)collider->field);
    }
    *collider = (sn_collider){0};
}
