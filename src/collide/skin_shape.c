#include "collide/skin_shape.h"

#include <stdlib.h>

#include "base/error.h"
#include "collide/convex.h"
#include "collide/facet.h"
#include "collide/mesh_tree.h"
#include "collide/simplex_pair.h"
#include "collide/skin_face.h"
#include "math/rotation.h"

// Weights below this are none: the point is on an edge, or at a vertex.
#define NO_WEIGHT 1e-6

// Sines: the narrow phase takes directions as near as this for the same.
#define FLAT 1e-3

// ---- contacts at vertices ----

typedef struct search {
    const sn_skin *skin;
    const sn_collider *shape;
    const sn_transform *place;
    double distance;
    sn_skin_shape_contacts *contacts;
    bool failed;
} search;

static void add(search *to, const sn_skin_shape_contact *contact)
{
    to->failed = !sn_array_push(&to->contacts->found, *contact) || to->failed;
}

// A point and a height field: by its middle, which is itself.
static bool over_field(const search *in, sn_vec3 x, sn_skin_shape_contact *contact)
{
    sn_collider point = sn_collider_sphere(0.0);
    sn_transform at = {x, SN_QUAT_IDENTITY};
    sn_manifold manifolds[8];
    int count =
        sn_collide(in->shape, in->place, &point, &at, in->distance, NULL, manifolds, 8, NULL);
    contact->gap = INFINITY;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < manifolds[i].count; ++k) {
            if (manifolds[i].points[k].gap < contact->gap) {
                contact->gap = manifolds[i].points[k].gap;
                contact->normal = manifolds[i].normal;
            }
        }
    }
    return count > 0;
}

static bool near_mesh(const search *in, sn_vec3 x, sn_skin_shape_contact *contact)
{
    const sn_mesh_tree *tree = in->shape->mesh;
    sn_vec3 on, local = sn_transform_point_inverse(*in->place, x);
    // Inside, what is farther than `distance` still counts: up to the mesh's own size.
    double limit = fmax(in->distance, tree->closed ? in->shape->size : 0.0);
    int triangle = sn_mesh_tree_nearest(tree, local, limit, &on, &contact->gap);
    if (triangle < 0) {
        return false;
    }
    sn_vec3 away = sn_vec3_sub(local, on);
    sn_vec3 n =
        contact->gap != 0.0 ? sn_vec3_scale(1.0 / contact->gap, away) : tree->normals[triangle];
    contact->normal = sn_rotate(in->place->rotation, n);
    return true;
}

static bool near_convex(const search *in, sn_vec3 x, sn_skin_shape_contact *contact)
{
    sn_collider point = sn_collider_sphere(0.0);
    sn_transform at = {x, SN_QUAT_IDENTITY};
    sn_core_pair pair = sn_core_pair_make(in->shape, in->place, &point, &at);
    sn_convex_gap found;
    if (sn_convex_gap_find(&pair, in->distance, NULL, &found)) {
        return false;
    }
    contact->gap = found.gap;
    contact->normal = sn_rotate(in->place->rotation, found.normal);
    return true;
}

static void try_vertex(search *to, int v)
{
    sn_skin_shape_contact contact = {.count = 1, .feature = v, .weights = {1.0, 0.0, 0.0}};
    sn_vec3 x = sn_skin_from(to->skin, v);
    contact.vertices[0] = to->skin->vertices[v];
    bool near;
    if (to->shape->type == SN_COLLIDER_PLANE) {
        contact.normal = sn_rotate(to->place->rotation, sn_vec3_make(0.0, 0.0, 1.0));
        contact.gap = sn_dot(sn_vec3_sub(x, to->place->position), contact.normal);
        near = true;
    } else if (to->shape->type == SN_COLLIDER_MESH) {
        near = near_mesh(to, x, &contact);
    } else if (to->shape->type == SN_COLLIDER_HEIGHT_FIELD) {
        near = over_field(to, x, &contact);
    } else {
        near = near_convex(to, x, &contact);
    }
    if (near && contact.gap <= to->distance) {
        contact.on_skin = x;
        contact.on_shape = sn_vec3_add_scaled(x, -contact.gap, contact.normal);
        add(to, &contact);
    }
}

// ---- contacts at edges and in faces ----

// Fills in where on the face it is; false at a vertex.
static bool put_place(const sn_skin *skin, int f, const sn_vec3 p[3], sn_vec3 on,
                      sn_skin_shape_contact *contact)
{
    const sn_vec3 points[4] = {on, p[0], p[1], p[2]};
    sn_pair_nearest nearest = sn_pair_find_nearest(SN_VERTEX_FACE, points);
    const double *weights = nearest.weights + 1;
    int which[3] = {0, 0, 0}, count = 0;
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (weights[k] > NO_WEIGHT) {
            which[count++] = k;
            sum += weights[k];
        }
    }
    contact->count = count;
    contact->on_skin = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        contact->weights[i] = weights[which[i]] / sum;
        contact->vertices[i] = skin->vertices[skin->faces[3 * f + which[i]]];
        contact->on_skin = sn_vec3_add_scaled(contact->on_skin, contact->weights[i], p[which[i]]);
    }
    int first = count == 2 && which[0] == 0 && which[1] == 2 ? 2 : which[0];
    contact->feature = count == 3 ? f : skin->face_edges[3 * f + first];
    return count > 1;
}

// May the skin be touched there from the shape's side?
static bool is_admitted(const sn_skin *skin, const sn_vec3 p[3],
                        const sn_skin_shape_contact *contact)
{
    sn_vec3 out = sn_vec3_negate(contact->normal);
    if (contact->count == 2) {
        sn_ridge ridge = sn_skin_ridge_under(skin, contact->feature, out, FLAT);
        return (ridge == SN_RIDGE_OVER || ridge == SN_RIDGE_FLAT) &&
               (!skin->closed || sn_dot(out, sn_skin_edge_normal(skin, contact->feature)) > 0.0);
    }
    double cosine = sn_dot(out, sn_triangle_normal(p));
    return (skin->closed ? cosine : fabs(cosine)) > 1.0 - 0.5 * FLAT;
}

// The point of a convex shape that is deepest below a face it has gone through, if it is below.
static bool push_through(const search *in, int f, const sn_vec3 p[3],
                         sn_skin_shape_contact *contact)
{
    int corner;
    sn_vec3 n = sn_triangle_normal(p);
    sn_vec3 down = sn_rotate_inverse(in->place->rotation, sn_vec3_negate(n));
    sn_vec3 low = sn_transform_point(*in->place, sn_collider_support(in->shape, down, &corner));
    low = sn_vec3_add_scaled(low, -in->shape->rounding, n);
    contact->gap = sn_dot(sn_vec3_sub(low, p[0]), n);
    sn_vec3 on = sn_vec3_add_scaled(low, -contact->gap, n);
    if (!(contact->gap <= 0.0 && -contact->gap < in->shape->size) ||
        !put_place(in->skin, f, p, on, contact) || contact->count < 3 ||
        sn_distance(on, contact->on_skin) > 1e-9 * in->shape->size) {
        return false;
    }
    contact->normal = sn_vec3_negate(n);
    contact->on_shape = low;
    return true;
}

static void try_face(search *to, int f)
{
    enum { MOST = 8 };
    const sn_skin *skin = to->skin;
    sn_vec3 p[3];
    sn_skin_face_shape face;
    sn_skin_face(skin, f, p);
    sn_skin_face_shape_make(skin, f, &face);
    sn_manifold manifolds[MOST];
    int count = sn_collide(to->shape, to->place, &face.collider, &face.place, to->distance, NULL,
                           manifolds, MOST, NULL);
    sn_vec3 n = sn_triangle_normal(p);
    for (int i = 0; i < count; ++i) {
        const sn_manifold *m = &manifolds[i];
        sn_skin_shape_contact contact = {.normal = m->normal};
        if (skin->closed && sn_dot(m->normal, n) > 0.0 && sn_collider_is_convex(to->shape)) {
            if (!to->contacts->apart && push_through(to, f, p, &contact)) {
                add(to, &contact);
            }
            continue;
        }
        for (int k = 0; k < m->count; ++k) {
            const sn_manifold_point *point = &m->points[k];
            contact.gap = point->gap;
            if (put_place(skin, f, p, point->on_b, &contact) && is_admitted(skin, p, &contact)) {
                contact.on_shape = sn_vec3_add_scaled(contact.on_skin, -contact.gap, m->normal);
                add(to, &contact);
            }
        }
    }
}

// ---- all ----

static int compare_contacts(const void *first, const void *second)
{
    const sn_skin_shape_contact *x = first, *y = second;
    if (x->count != y->count) {
        return x->count - y->count;
    }
    if (x->feature != y->feature) {
        return x->feature < y->feature ? -1 : 1;
    }
    const double keys[4][2] = {{x->gap, y->gap},
                               {x->on_skin.x, y->on_skin.x},
                               {x->on_skin.y, y->on_skin.y},
                               {x->on_skin.z, y->on_skin.z}};
    for (int k = 0; k < 4; ++k) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

// What both faces of an edge see at one place counts once.
static void keep_each_once(const sn_skin *skin, sn_skin_shape_contacts *contacts)
{
    sn_skin_shape_contact *all = contacts->found.data;
    int kept = 0;
    for (int i = 0; i < contacts->found.count; ++i) {
        bool is_new = true;
        for (int k = kept - 1; k >= 0 && all[k].count == 2 && all[i].count == 2 &&
                               all[k].feature == all[i].feature && is_new;
             --k) {
            const int *ends = skin->edges + 2 * (size_t)all[i].feature;
            double length = sn_distance(sn_skin_from(skin, ends[0]), sn_skin_from(skin, ends[1]));
            is_new = sn_distance(all[k].on_skin, all[i].on_skin) > 1e-3 * length;
        }
        if (is_new) {
            all[kept++] = all[i];
        }
    }
    contacts->found.count = kept;
}

static sn_float_box box_around(sn_aabb box, double more)
{
    sn_vec3 by = {more, more, more};
    return sn_float_box_around((sn_aabb){sn_vec3_sub(box.lower, by), sn_vec3_add(box.upper, by)});
}

sn_status sn_skin_shape_find(sn_skin_shape_contacts *contacts, const sn_skin *skin,
                             const sn_collider *shape, const sn_transform *place, double distance,
                             sn_error *error)
{
    search to = {skin, shape, place, distance, contacts, false};
    sn_array_clear(&contacts->found);
    sn_float_box box = box_around(sn_collider_bounds(shape, place), distance);
    sn_box_walk walk;
    sn_box_walk_start(&walk, &skin->tree, &box);
    for (int f = sn_box_walk_next(&walk); f >= 0; f = sn_box_walk_next(&walk)) {
        for (int k = 0; k < 3; ++k) {
            if (skin->owns[f] >> k & 1) {
                try_vertex(&to, skin->faces[3 * (size_t)f + (size_t)k]);
            }
        }
        if (shape->type != SN_COLLIDER_PLANE) {
            try_face(&to, f);
        }
    }
    if (to.failed) {
        size_t bytes = ((size_t)contacts->found.count + 1) * sizeof *contacts->found.data;
        sn_array_clear(&contacts->found);
        return sn_fail_memory(error, bytes);
    }
    if (contacts->found.count > 1) {
        qsort(contacts->found.data, (size_t)contacts->found.count, sizeof *contacts->found.data,
              compare_contacts);
    }
    keep_each_once(skin, contacts);
    return SN_OK;
}

void sn_skin_shape_contacts_free(sn_skin_shape_contacts *contacts)
{
    sn_array_free(&contacts->found);
}
