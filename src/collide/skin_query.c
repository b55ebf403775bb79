#include "collide/skin_query.h"

#include "collide/facet.h"
#include "collide/mesh_tree.h"
#include "collide/skin_face.h"
#include "math/rotation.h"

// The nearest pair so far.
typedef struct search {
    const sn_skin *skin;
    const sn_collider *shape;
    const sn_transform *place;
    double gap;
    sn_vec3 on_skin, on_shape;
} search;

static void take(search *to, double gap, sn_vec3 on_skin, sn_vec3 on_shape)
{
    if (gap < to->gap) {
        to->gap = gap;
        to->on_skin = on_skin;
        to->on_shape = on_shape;
    }
}

// Nothing is nearer than 0 but what overlaps, all of which is looked at.
static double test_face(void *context, int f, double limit)
{
    search *to = context;
    sn_skin_face_shape face;
    sn_vec3 on_face, on_shape;
    sn_skin_face_shape_make(to->skin, f, &face);
    double gap = sn_collide_distance(&face.collider, &face.place, to->shape, to->place, NULL,
                                     &on_face, &on_shape);
    if (gap <= limit) {
        take(to, gap, on_face, on_shape);
    }
    return to->gap < limit ? fmax(to->gap, 0.0) : limit;
}

// ---- skins and shapes ----

static void lowest_vertex(search *to)
{
    sn_vec3 n = sn_rotate(to->place->rotation, sn_vec3_make(0.0, 0.0, 1.0));
    for (int i = 0; i < to->skin->vertex_count; ++i) {
        sn_vec3 x = sn_skin_from(to->skin, i);
        double gap = sn_dot(sn_vec3_sub(x, to->place->position), n);
        take(to, gap, x, sn_vec3_add_scaled(x, -gap, n));
    }
}

// Some point of a shape that has an end; false: it has none.
static bool point_of(const sn_collider *shape, const sn_transform *place, sn_vec3 *point)
{
    int corner;
    if (sn_collider_is_convex(shape)) {
        sn_vec3 local = sn_collider_support(shape, sn_vec3_make(1.0, 0.0, 0.0), &corner);
        *point = sn_transform_point(*place, local);
        return true;
    }
    if (shape->type == SN_COLLIDER_MESH) {
        *point = sn_transform_point(*place, shape->mesh->positions[shape->mesh->triangles[0]]);
        return true;
    }
    return false;
}

// A point inside the skin is as deep as the surface is far.
static bool look_inside(const sn_skin *skin, sn_vec3 point, double *gap, sn_vec3 *on_skin)
{
    double weights[3];
    int face = skin->closed ? sn_skin_nearest(skin, point, INFINITY, weights, gap) : -1;
    if (face < 0 || !(*gap < 0.0)) {
        return false;
    }
    sn_vec3 p[3];
    sn_skin_face(skin, face, p);
    *on_skin = SN_VEC3_ZERO;
    for (int k = 0; k < 3; ++k) {
        *on_skin = sn_vec3_add_scaled(*on_skin, weights[k], p[k]);
    }
    return true;
}

double sn_skin_shape_distance(const sn_skin *skin, const sn_collider *shape,
                              const sn_transform *place, double limit, sn_vec3 *on_skin,
                              sn_vec3 *on_shape)
{
    search to = {.skin = skin, .shape = shape, .place = place, .gap = INFINITY};
    if (shape->type == SN_COLLIDER_PLANE) {
        lowest_vertex(&to);
    } else {
        sn_box_tree_near(&skin->tree, sn_collider_bounds(shape, place), limit, test_face, &to);
    }
    sn_vec3 point, surface;
    double depth;
    if (to.gap > 0.0 && point_of(shape, place, &point) &&
        look_inside(skin, point, &depth, &surface)) {
        take(&to, depth, surface, point);
    }
    *on_skin = to.on_skin;
    *on_shape = to.on_shape;
    return to.gap <= limit ? to.gap : INFINITY;
}

// ---- two skins ----

static void nearest_faces(const sn_skin *a, const sn_skin *b, double limit, search *best)
{
    for (int f = 0; f < b->face_count; ++f) {
        sn_skin_face_shape face;
        sn_skin_face_shape_make(b, f, &face);
        best->skin = a;
        best->shape = &face.collider;
        best->place = &face.place;
        sn_box_tree_near(&a->tree, sn_collider_bounds(&face.collider, &face.place),
                         fmax(fmin(limit, best->gap), 0.0), test_face, best);
    }
}

// The deepest of b's vertices in a; all of them, or the first alone where nothing is cut.
static void deepest_vertex(const sn_skin *a, const sn_skin *b, bool all, bool swapped, search *best)
{
    for (int i = 0; i < (all ? b->vertex_count : 1); ++i) {
        sn_vec3 x = sn_skin_from(b, i), surface;
        double depth;
        if (look_inside(a, x, &depth, &surface)) {
            take(best, depth, swapped ? x : surface, swapped ? surface : x);
        }
    }
}

double sn_skin_distance(const sn_skin *a, const sn_skin *b, double limit, sn_vec3 *on_a,
                        sn_vec3 *on_b)
{
    search best = {.gap = INFINITY};
    nearest_faces(a, b, limit, &best);
    bool cut = best.gap <= 0.0;
    deepest_vertex(a, b, cut, false, &best);
    deepest_vertex(b, a, cut, true, &best);
    *on_a = best.on_skin;
    *on_b = best.on_shape;
    return best.gap <= limit ? best.gap : INFINITY;
}

// ---- casts ----

typedef struct cast_search {
    const sn_skin *skin;
    const sn_collider *convex;
    const sn_transform *place;
    sn_vec3 translation, point, normal;
    int face; // -1: none yet
} cast_search;

static double test_cast(void *context, int f, double limit)
{
    cast_search *to = context;
    sn_skin_face_shape face;
    double at;
    sn_vec3 point, normal;
    sn_skin_face_shape_make(to->skin, f, &face);
    // Of two faces at one edge the lower, whatever the order of visits.
    if (!sn_collide_cast(to->convex, to->place, to->translation, &face.collider, &face.place, &at,
                         &point, &normal) ||
        at > limit || (at == limit && to->face >= 0 && to->face < f)) {
        return limit;
    }
    to->face = f;
    to->point = point;
    to->normal = normal;
    return at;
}

bool sn_skin_cast(const sn_collider *convex, const sn_transform *place, sn_vec3 translation,
                  const sn_skin *skin, double *fraction, sn_vec3 *point, sn_vec3 *normal)
{
    cast_search to = {
        .skin = skin, .convex = convex, .place = place, .translation = translation, .face = -1};
    sn_aabb box = sn_collider_bounds(convex, place);
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    sn_vec3 half = sn_vec3_scale(0.5, sn_vec3_sub(box.upper, box.lower));
    double more = 1e-9 * (half.x + half.y + half.z), depth; // what a box loses in rounding
    sn_vec3 inside, surface;
    if (point_of(convex, place, &inside) && look_inside(skin, inside, &depth, &surface)) {
        *fraction = 0.0;
        *point = surface;
        *normal = sn_normalize(sn_vec3_negate(translation));
        return true;
    }
    half = sn_vec3_add(half, sn_vec3_make(more, more, more));
    sn_box_ray ray = sn_box_ray_make(middle, translation, half);
    *fraction = sn_box_tree_ray(&skin->tree, &ray, 1.0, test_cast, &to);
    *point = to.point;
    *normal = to.normal;
    return to.face >= 0;
}
