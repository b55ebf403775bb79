#include "collide/skin_contact.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Squares of distances that differ by less than this share are the same.
#define SAME_SQUARE 1e-10

// Ends of edges: shares nearer to 0 or 1 than this are none of the inside.
#define EDGE_END 1e-9

// Sines of angles below this are none: a surface is flat there, and vertices and faces keep two of
// them apart. What bends by less stands out by no more than the thickness that skins keep
// (SN_SOFT_THICKNESS of the radius), however long its edges are; counted in, two flat sides that
// have bent a little under load would meet in every crossing of their edges, half of all their
// contacts, which say nothing new and make it hard to find forces.
#define FLAT 2e-3

typedef struct search {
    sn_skin *const *skins;
    const sn_skin_pairs *pairs;
    const sn_skin_contact_options *options;
    sn_skin_contacts *contacts;
} search;

static double square_to_face(const sn_skin *skin, int face, sn_vec3 x)
{
    sn_vec3 p[4] = {x};
    sn_skin_face(skin, face, p + 1);
    return sn_pair_find_nearest(SN_VERTEX_FACE, p).square;
}

// Of the faces around an edge or vertex the first one tells; here, whether the others agree. Should
// rounding let that one see another feature, it tells of that one, and so does the first around it:
// numbers only fall on the way, so somebody tells.
static bool none_is_nearer(const sn_skin *skin, const int *faces, int count, sn_vec3 x,
                           double square)
{
    for (int i = 1; i < count; ++i) {
        if (square_to_face(skin, faces[i], x) < (1.0 - SAME_SQUARE) * square) {
            return false;
        }
    }
    return true;
}

// `own` are the vertices of both skins that count: a's, then b's.
static void put_vertices(sn_skin_contact *contact, const sn_skin *a, const sn_skin *b,
                         const int own[4])
{
    for (int k = 0; k < contact->count_a + contact->count_b; ++k) {
        contact->vertices[k] = (k < contact->count_a ? a : b)->vertices[own[k]];
    }
}

// Normal and gap from what lies between: the outward side of b, if it has one, is that of
// `outward`.
static void put_gap(sn_skin_contact *contact, const sn_pair_nearest *nearest, sn_vec3 outward,
                    bool closed)
{
    double distance = sqrt(nearest->square);
    bool inside = closed && sn_dot(nearest->apart, outward) < 0.0;
    contact->gap = inside ? -distance : distance;
    // Where they touch there is no direction between them.
    contact->normal = distance > 0.0
                          ? sn_vec3_scale((inside ? -1.0 : 1.0) / distance, nearest->apart)
                          : sn_normalize(outward);
}

// ---- vertex and face ----

// What the nearest point of the face is on: the number of corners that count, and which.
static int corners_touched(const double weights[3], int which[3])
{
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        if (weights[k] > 0.0) {
            which[count++] = k;
        }
    }
    return count;
}

// Within one skin, and so near each other at rest that they may be two sides of one wall.
static bool is_thin_wall(const search *in, const sn_skin_contact *contact, const int own[4])
{
    if (contact->skin_a != contact->skin_b || contact->gap >= 0.0) {
        return false;
    }
    const sn_skin *skin = in->skins[contact->skin_a];
    sn_vec3 apart = SN_VEC3_ZERO;
    for (int k = 0; k < contact->count_a + contact->count_b; ++k) {
        double weight = k < contact->count_a ? contact->weights[k] : -contact->weights[k];
        apart = sn_vec3_add_scaled(apart, weight, skin->rest[own[k]]);
    }
    return !(sn_length(apart) > 2.0 * in->options->distance);
}

static bool make_vertex_contact(const search *in, const sn_skin_pair *pair,
                                sn_skin_contact *contact)
{
    const sn_skin *a = in->skins[pair->skin_a], *b = in->skins[pair->skin_b];
    sn_vec3 p[4];
    sn_skin_pair_points(in->skins, SN_VERTEX_FACE, pair, p, NULL);
    sn_pair_nearest nearest = sn_pair_find_nearest(SN_VERTEX_FACE, p);
    double distance = in->options->distance;
    if (!(nearest.square <= distance * distance)) {
        return false;
    }
    int which[3], count = corners_touched(nearest.weights + 1, which);
    const int *corners = b->faces + 3 * (size_t)pair->b;
    *contact = (sn_skin_contact){.skin_a = pair->skin_a, .skin_b = pair->skin_b, .a = pair->a};
    contact->count_a = 1;
    contact->count_b = count;
    int own[4] = {pair->a, 0, 0, 0};
    sn_vec3 outward;
    contact->on_b = SN_VEC3_ZERO;
    contact->weights[0] = 1.0;
    for (int k = 0; k < count; ++k) {
        own[k + 1] = corners[which[k]];
        contact->weights[k + 1] = nearest.weights[1 + which[k]];
        contact->on_b = sn_vec3_add_scaled(contact->on_b, contact->weights[k + 1], p[1 + which[k]]);
    }
    if (count == 3) {
        contact->kind = SN_CONTACT_VERTEX_FACE;
        contact->b = pair->b;
        outward = sn_skin_face_normal(b, pair->b);
    } else if (count == 2) {
        int first = which[0] == 0 && which[1] == 2 ? 2 : which[0]; // corners first, first + 1
        int e = b->face_edges[3 * pair->b + first], start = b->edge_starts[e];
        if (pair->b != b->edge_faces[start] ||
            !none_is_nearer(b, b->edge_faces + start, b->edge_starts[e + 1] - start, p[0],
                            nearest.square)) {
            return false;
        }
        contact->kind = SN_CONTACT_VERTEX_EDGE;
        contact->b = e;
        outward = sn_skin_edge_normal(b, e);
    } else {
        int v = own[1], start = b->vertex_starts[v];
        if (pair->b != b->vertex_faces[start] ||
            !none_is_nearer(b, b->vertex_faces + start, b->vertex_starts[v + 1] - start, p[0],
                            nearest.square)) {
            return false;
        }
        contact->kind = SN_CONTACT_VERTEX_VERTEX;
        contact->b = v;
        outward = sn_skin_vertex_normal(b, v);
    }
    contact->on_a = p[0];
    put_vertices(contact, a, b, own);
    put_gap(contact, &nearest, outward, b->closed && !in->options->apart);
    return !is_thin_wall(in, contact, own);
}

// ---- edge and edge ----

static bool make_edge_contact(const search *in, const sn_skin_pair *pair, sn_skin_contact *contact)
{
    const sn_skin *a = in->skins[pair->skin_a], *b = in->skins[pair->skin_b];
    sn_vec3 p[4];
    sn_skin_pair_points(in->skins, SN_EDGE_EDGE, pair, p, NULL);
    sn_pair_nearest nearest = sn_pair_find_nearest(SN_EDGE_EDGE, p);
    double distance = in->options->distance;
    const double *w = nearest.weights;
    if (!(nearest.square <= distance * distance) ||
        fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) < EDGE_END) {
        return false;
    }
    sn_vec3 outward = sn_skin_edge_normal(b, pair->b);
    sn_vec3 u = nearest.apart;
    if (!(nearest.square > 0.0)) { // where they touch: across both, to the outside
        u = sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[3], p[2]));
        u = sn_dot(u, outward) < 0.0 ? sn_vec3_negate(u) : u;
    }
    u = sn_normalize(u);
    int ridge_a = sn_skin_ridge_under(a, pair->a, sn_vec3_negate(u), FLAT),
        ridge_b = sn_skin_ridge_under(b, pair->b, u, FLAT);
    bool flat = ridge_a == SN_RIDGE_FLAT || ridge_b == SN_RIDGE_FLAT;
    bool outside = (ridge_a == SN_RIDGE_OVER || ridge_a == SN_RIDGE_FLAT) &&
                   (ridge_b == SN_RIDGE_OVER || ridge_b == SN_RIDGE_FLAT) &&
                   (!flat || in->options->flat_edges);
    bool inside = !in->options->apart && ridge_a == SN_RIDGE_INSIDE && ridge_b == SN_RIDGE_INSIDE &&
                  a->closed && b->closed;
    if (!outside && !inside) {
        return false;
    }
    *contact = (sn_skin_contact){.kind = SN_CONTACT_EDGE_EDGE, .a = pair->a, .b = pair->b};
    contact->skin_a = pair->skin_a;
    contact->skin_b = pair->skin_b;
    contact->count_a = contact->count_b = 2;
    memcpy(contact->weights, w, sizeof contact->weights);
    const int *of_a = a->edges + 2 * (size_t)pair->a, *of_b = b->edges + 2 * (size_t)pair->b;
    const int own[4] = {of_a[0], of_a[1], of_b[0], of_b[1]};
    put_vertices(contact, a, b, own);
    contact->on_a = sn_vec3_add_scaled(sn_vec3_scale(w[0], p[0]), w[1], p[1]);
    contact->on_b = sn_vec3_add_scaled(sn_vec3_scale(w[2], p[2]), w[3], p[3]);
    contact->gap = inside ? -sqrt(nearest.square) : sqrt(nearest.square);
    contact->normal = inside ? sn_vec3_negate(u) : u;
    if (inside) { // two thin walls seen through look alike: is it in there?
        double depth, weights[3];
        if (sn_skin_nearest(b, contact->on_a, distance, weights, &depth) < 0 || depth > 0.0 ||
            is_thin_wall(in, contact, own)) {
            return false;
        }
    }
    return true;
}

// ---- all ----

static void run_pairs(void *context, int first, int last, int chunk)
{
    const search *in = context;
    sn_skin_contact_list *found = &in->contacts->lanes[chunk].found;
    sn_array_clear(found);
    bool failed = false;
    int vertex_count = in->pairs->vertex_faces.count;
    for (int i = first; i < last; ++i) {
        bool of_vertex = i < vertex_count;
        const sn_skin_pair *pair = of_vertex ? &in->pairs->vertex_faces.data[i]
                                             : &in->pairs->edge_edges.data[i - vertex_count];
        sn_skin_contact contact;
        sn_skin_among among = pair->skin_a == pair->skin_b ? SN_SKIN_SELF : SN_SKIN_OTHERS;
        if (in->options->among != 0 && (in->options->among & among) == 0) {
            continue;
        }
        if (of_vertex ? make_vertex_contact(in, pair, &contact)
                      : make_edge_contact(in, pair, &contact)) {
            failed = !sn_array_push(found, contact) || failed;
        }
    }
    in->contacts->lanes[chunk].failed = failed;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

// By skins, vertices before edges, a's feature, then from the nearest on; names decide the rest.
static int compare_contacts(const void *first, const void *second)
{
    const sn_skin_contact *x = first, *y = second;
    bool edge_x = x->kind == SN_CONTACT_EDGE_EDGE, edge_y = y->kind == SN_CONTACT_EDGE_EDGE;
    const int64_t keys[4][2] = {
        {x->skin_a, y->skin_a}, {x->skin_b, y->skin_b}, {edge_x, edge_y}, {x->a, y->a}};
    for (int k = 0; k < 4; ++k) {
        int order = compare_numbers(keys[k][0], keys[k][1]);
        if (order != 0) {
            return order;
        }
    }
    double of_x = fabs(x->gap), of_y = fabs(y->gap);
    if (of_x != of_y) {
        return of_x < of_y ? -1 : 1;
    }
    int order = compare_numbers(y->kind, x->kind);
    return order != 0 ? order : compare_numbers(x->b, y->b);
}

static bool same_group(const sn_skin_contact *x, const sn_skin_contact *y)
{
    return x->skin_a == y->skin_a && x->skin_b == y->skin_b && x->a == y->a &&
           (x->kind == SN_CONTACT_EDGE_EDGE) == (y->kind == SN_CONTACT_EDGE_EDGE);
}

// How long the longest side of a face around is: what rounding is a share of.
static double size_around(const sn_skin *skin, int vertex)
{
    sn_vec3 p[3];
    sn_skin_face(skin, skin->vertex_faces[skin->vertex_starts[vertex]], p);
    return fmax(sn_distance(p[0], p[1]), fmax(sn_distance(p[1], p[2]), sn_distance(p[2], p[0])));
}

// Contacts first .. last - 1 of one vertex with one skin, from the nearest on: those kept are moved
// to `to`. Ties of features at one place count once.
static int keep_of_vertex(sn_skin *const *skins, sn_skin_contact *all, int first, int last, int to)
{
    int kept = to;
    double size = size_around(skins[all[first].skin_a], all[first].a);
    for (int i = first; i < last; ++i) {
        if (kept > to && (all[to].gap < 0.0 || all[i].gap < 0.0)) {
            continue;
        }
        bool is_new = true;
        for (int k = to; k < kept && is_new; ++k) {
            is_new = sn_distance(all[k].on_b, all[i].on_b) > 1e-4 * fabs(all[i].gap) + 1e-9 * size;
        }
        if (is_new) {
            all[kept++] = all[i];
        }
    }
    return kept;
}

// Is the other vertex' contact with this one there, too? Found among sorted ones.
static bool is_second_of_two(const sn_skin_contact *all, int count, const sn_skin_contact *contact)
{
    if (contact->kind != SN_CONTACT_VERTEX_VERTEX || contact->skin_a < contact->skin_b ||
        (contact->skin_a == contact->skin_b && contact->a < contact->b)) {
        return false;
    }
    sn_skin_contact mirrored = *contact;
    mirrored.skin_a = contact->skin_b;
    mirrored.skin_b = contact->skin_a;
    mirrored.a = contact->b;
    mirrored.b = contact->a;
    int low = 0, high = count; // the first that is not before its group
    mirrored.gap = 0.0;
    while (low < high) {
        int middle = (low + high) / 2;
        *(compare_contacts(&all[middle], &mirrored) < 0 ? &low : &high) =
            compare_contacts(&all[middle], &mirrored) < 0 ? middle + 1 : middle;
    }
    for (int i = low; i < count && same_group(&all[i], &mirrored); ++i) {
        if (all[i].kind == SN_CONTACT_VERTEX_VERTEX && all[i].b == mirrored.b) {
            return true;
        }
    }
    return false;
}

static void keep_each_once(sn_skin *const *skins, sn_skin_contact_list *found)
{
    sn_skin_contact *all = found->data;
    int kept = 0;
    for (int first = 0, last; first < found->count; first = last) {
        last = first + 1;
        while (last < found->count && same_group(&all[first], &all[last])) {
            last += 1;
        }
        if (all[first].kind != SN_CONTACT_EDGE_EDGE) {
            kept = keep_of_vertex(skins, all, first, last, kept);
            continue;
        }
        for (int i = first; i < last; ++i) {
            all[kept++] = all[i];
        }
    }
    found->count = kept;
    // The lower of a mirrored couple stays, so it is still there when the other is looked at.
    int count = kept;
    kept = 0;
    for (int i = 0; i < count; ++i) {
        bool second = is_second_of_two(all, count, &all[i]);
        all[i].count_b = second ? 0 : all[i].count_b;
    }
    for (int i = 0; i < count; ++i) {
        if (all[i].count_b > 0) {
            all[kept++] = all[i];
        }
    }
    found->count = kept;
}

sn_status sn_skin_contacts_find(sn_skin_contacts *contacts, sn_skin *const *skins,
                                const sn_skin_pairs *pairs, const sn_skin_contact_options *options,
                                sn_threads *threads, sn_error *error)
{
    sn_skin_contact_list *found = &contacts->found;
    sn_array_clear(found);
    int count = pairs->vertex_faces.count + pairs->edge_edges.count;
    int size = sn_chunk_count(count, SN_SKIN_LANES);
    search in = {skins, pairs, options, contacts};
    if (size > 0) {
        sn_threads_run(threads, count, size, run_pairs, &in);
    }
    for (int i = 0; size > 0 && i < sn_chunk_count(count, size); ++i) {
        const sn_skin_contact_list *more = &contacts->lanes[i].found;
        int before = found->count;
        if (contacts->lanes[i].failed || !sn_array_resize(found, before + more->count)) {
            sn_array_clear(found);
            return sn_fail_memory(error, ((size_t)more->count + 1) * sizeof *more->data);
        }
        if (more->count > 0) {
            memcpy(found->data + before, more->data, (size_t)more->count * sizeof *more->data);
        }
    }
    if (found->count > 1) {
        qsort(found->data, (size_t)found->count, sizeof *found->data, compare_contacts);
    }
    keep_each_once(skins, found);
    return SN_OK;
}

void sn_skin_contacts_free(sn_skin_contacts *contacts)
{
    sn_array_free(&contacts->found);
    for (int i = 0; i < SN_SKIN_LANES; ++i) {
        sn_array_free(&contacts->lanes[i].found);
    }
}
