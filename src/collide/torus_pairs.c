#include "collide/torus_pairs.h"

#include "collide/convex.h"
#include "collide/patch_set.h"
#include "collide/ring_view.h"

// A face that the ring's plane is turned to by less than this, rad, is level.
static const double LEVEL = 1e-4;

bool sn_is_torus_pair(const sn_collider *a, const sn_collider *b)
{
    return (a->tube > 0.0 && (b->tube > 0.0 || sn_collider_is_convex(b))) ||
           (b->tube > 0.0 && sn_collider_is_convex(a));
}

// ---- points ----

// Names of points. Those over faces are told from those of other faces by their patches.
enum {
    MINIMUM = 0, // on a stretch of the ring
    ASIDE = MINIMUM + SN_RING_STRETCHES,
    EVEN = ASIDE + 4,
    END = EVEN + 4,
    QUARTER = END + 2,
    FACE_START = QUARTER + 4,
    FACE_END = FACE_START + SN_RING_STRETCHES,
    FACE_MIDDLE = FACE_END + SN_RING_STRETCHES,
    FACE = FACE_MIDDLE + SN_RING_STRETCHES // and its number, of patches
};

typedef struct point_list {
    const sn_ring_pair *pair;
    double limit; // of the cores' distance
    sn_patch_set set;
} point_list;

static void add_point(point_list *list, const sn_ring_point *at, int name, int patch)
{
    const sn_ring_pair *pair = list->pair;
    if (at->distance > list->limit) {
        return;
    }
    sn_vec3 n = sn_ring_normal(pair, at);
    sn_manifold_point point = {.gap = at->distance - pair->tube - pair->other_rounding};
    point.on_a = sn_vec3_add_scaled(at->own, pair->tube, n);
    point.on_b = sn_vec3_add_scaled(point.on_a, point.gap, n);
    point.feature = 2u * (uint32_t)name + 2u;
    sn_patch_set_add(&list->set, n, (uint32_t)patch, &point);
}

static sn_vec3 quarter_from(sn_vec3 first, int k)
{
    sn_vec3 turned[4] = {
        first, {-first.y, first.x, 0.0}, {-first.x, -first.y, 0.0}, {first.y, -first.x, 0.0}};
    return turned[k];
}

static bool is_by_minimum(const sn_ring_view *view, sn_vec3 out)
{
    bool is = false;
    for (int i = 0; i < view->count; ++i) {
        is = is || (view->looks[i].minimum && sn_dot(view->looks[i].at.out, out) > 0.9);
    }
    return is;
}

// Besides the nearest points, which may be one, what keeps a ring from rocking on it, if it is near
// as well: balls of the ring a quarter further. Over faces there are others.
static void add_aside(point_list *list, const sn_ring_view *view)
{
    const sn_ring_look *nearest = &view->looks[view->nearest];
    if (!view->level && !nearest->minimum) {
        return;
    }
    for (int k = 0; k < 4; ++k) {
        sn_vec3 out = quarter_from(view->level ? sn_ring_direction(0) : nearest->at.out, k);
        if (view->level || !is_by_minimum(view, out)) {
            sn_ring_point at = sn_ring_look_from(list->pair, out);
            int name = (view->level ? EVEN : ASIDE) + k;
            if (at.face < 0) {
                add_point(list, &at, name, name);
            }
        }
    }
}

// ---- capsules ----

// From an end of a capsule: one that is small by the ring has both between two points looked from.
static sn_ring_point look_from_end(const sn_ring_pair *pair, int index)
{
    sn_vec3 end = sn_transform_point(pair->place, sn_collider_corner(pair->other, index));
    double across = sqrt(end.x * end.x + end.y * end.y);
    sn_vec3 out = across > 0.0 ? sn_vec3_make(end.x / across, end.y / across, 0.0)
                               : sn_vec3_make(1.0, 0.0, 0.0);
    sn_ring_point at = {.out = out, .own = sn_vec3_scale(pair->radius, out), .face = -1};
    at.distance = sn_distance(at.own, end);
    at.away = at.distance > 1e-9 * pair->tube
                  ? sn_vec3_scale(1.0 / at.distance, sn_vec3_sub(at.own, end))
                  : SN_VEC3_ZERO;
    return at;
}

static void add_ends(point_list *list, const sn_ring_view *view)
{
    for (int k = 0; k < 2; ++k) {
        sn_ring_point at = look_from_end(list->pair, k);
        bool known = false;
        for (int i = 0; i < view->count; ++i) {
            const sn_ring_look *look = &view->looks[i];
            sn_vec3 apart = sn_vec3_sub(sn_vec3_scale(at.distance, at.away),
                                        sn_vec3_scale(look->at.distance, look->at.away));
            apart = sn_vec3_sub(apart, sn_vec3_sub(at.own, look->at.own));
            known =
                known || (look->minimum && sn_length(apart) < 1e-3 * list->pair->other_rounding);
        }
        if (!known) {
            add_point(list, &at, END + k, END + k);
        }
    }
}

// ---- faces ----

// Inside of the other only the face counts through which the deepest point is to leave: of the
// others the ring is near those beside it, where it came in.
static bool counts(const sn_ring_view *view, const sn_ring_point *at)
{
    const sn_ring_point *deepest = &view->looks[view->nearest].at;
    return at->distance >= 0.0 || at->face == deepest->face;
}

// Both ends and the middle of each arc of the ring that is over a face. `from`: a look that is not.
static void add_arcs(point_list *list, const sn_ring_view *view, int from, int face)
{
    sn_ring_point start = view->looks[from].at;
    int first = 0; // the stretch on which an arc starts
    for (int k = 0; k < view->count; ++k) {
        const sn_ring_look *look = &view->looks[(from + k) % view->count],
                           *next = &view->looks[(from + k + 1) % view->count];
        if (look->at.face != face && next->at.face == face) {
            start = sn_ring_face_end(list->pair, &next->at, &look->at);
            first = look->stretch;
        }
        if (look->at.face != face || next->at.face == face) {
            continue;
        }
        sn_ring_point end = sn_ring_face_end(list->pair, &look->at, &next->at);
        // The direction halfway from one to the other, however far that is.
        sn_vec3 across = sn_vec3_sub(end.out, start.out);
        if (counts(view, &start)) {
            add_point(list, &start, FACE_START + first, FACE + face);
        }
        if (counts(view, &end)) {
            add_point(list, &end, FACE_END + look->stretch, FACE + face);
        }
        if (sn_length(across) > 1e-6) {
            sn_vec3 out = sn_normalize(sn_vec3_make(across.y, -across.x, 0.0));
            sn_ring_point middle = sn_ring_look_from(list->pair, out);
            if (middle.face == face && counts(view, &middle)) {
                add_point(list, &middle, FACE_MIDDLE + look->stretch, FACE + face);
            }
        }
    }
}

// As over a plane: balls a quarter apart, of which the first is the lowest. On a level face they
// are where they were on the ring, so that what rests keeps them.
static void add_quarters(point_list *list, const sn_ring_view *view, const sn_ring_point *over)
{
    double lean = sqrt(over->away.x * over->away.x + over->away.y * over->away.y);
    sn_vec3 first = lean > LEVEL ? sn_vec3_make(-over->away.x / lean, -over->away.y / lean, 0.0)
                                 : sn_ring_direction(0);
    for (int k = 0; k < 4; ++k) {
        sn_ring_point at = sn_ring_look_from(list->pair, quarter_from(first, k));
        if (at.face == over->face && counts(view, &at)) {
            add_point(list, &at, QUARTER + k, FACE + at.face);
        }
    }
}

static void add_faces(point_list *list, const sn_ring_view *view)
{
    for (int i = 0; i < view->count; ++i) {
        const sn_ring_point *at = &view->looks[i].at;
        bool done = at->face < 0 || at->distance > list->limit || !counts(view, at);
        for (int k = 0; k < i && !done; ++k) { // with the first look at a face
            const sn_ring_point *before = &view->looks[k].at;
            done =
                before->face == at->face && before->distance <= list->limit && counts(view, before);
        }
        int other = 0;
        while (!done && other < view->count && view->looks[other].at.face == at->face) {
            ++other;
        }
        if (!done) {
            add_quarters(list, view, at);
        }
        if (!done && other < view->count) {
            add_arcs(list, view, other, at->face);
        }
    }
}

// ---- both ----

// The smaller of two rings is the one that is looked from: the larger is nearly straight to it, and
// no two minima are near each other. True: that is b.
static bool looks_from_b(const sn_collider *a, const sn_collider *b)
{
    return b->tube > 0.0 && (!(a->tube > 0.0) || b->radius < a->radius);
}

int sn_collide_torus(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                     const sn_transform *place_b, double margin, sn_manifold *manifolds,
                     int capacity, int *left_out)
{
    if (looks_from_b(a, b)) {
        int count = sn_collide_torus(b, place_b, a, place_a, margin, manifolds, capacity, left_out);
        for (int i = 0; i < count; ++i) {
            sn_manifold_swap(&manifolds[i]);
        }
        return count;
    }
    sn_ring_pair pair = sn_ring_pair_make(a, place_a, b, place_b);
    sn_ring_view view;
    point_list list; // its fields by hand: patches are large
    list.pair = &pair;
    list.limit = margin + pair.tube + pair.other_rounding;
    if (!sn_ring_view_make(&pair, list.limit, &view)) {
        return 0;
    }
    sn_patch_set_init(&list.set, pair.round ? pair.radius + pair.tube : sn_collide_scale(a, b));
    list.set.steep = pair.round ? 0.0 : SN_STEEP;
    for (int i = 0; i < view.count; ++i) {
        const sn_ring_look *look = &view.looks[i];
        if (look->minimum && look->at.face < 0 && counts(&view, &look->at)) {
            add_point(&list, &look->at, MINIMUM + look->stretch, MINIMUM + look->stretch);
        }
    }
    add_aside(&list, &view);
    add_faces(&list, &view);
    if (b->type == SN_COLLIDER_CAPSULE) {
        add_ends(&list, &view);
    }
    if (view.looks[view.nearest].at.distance < 0.0) { // it can leave to one side only
        sn_patch_set_drop_against(&list.set, sn_ring_normal(&pair, &view.looks[view.nearest].at));
    }
    return sn_patch_set_give(&list.set, place_a, manifolds, capacity, left_out);
}

double sn_torus_distance(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                         const sn_transform *place_b, double limit, sn_vec3 *on_a, sn_vec3 *on_b)
{
    if (looks_from_b(a, b)) {
        return sn_torus_distance(b, place_b, a, place_a, limit, on_b, on_a);
    }
    sn_ring_pair pair = sn_ring_pair_make(a, place_a, b, place_b);
    sn_ring_view view;
    if (!sn_ring_view_nearest(&pair, limit + pair.tube + pair.other_rounding, &view)) {
        return INFINITY;
    }
    sn_ring_point at = view.looks[view.nearest].at;
    for (int k = 0; k < 2 && b->type == SN_COLLIDER_CAPSULE; ++k) {
        sn_ring_point end = look_from_end(&pair, k);
        at = end.distance < at.distance ? end : at;
    }
    sn_vec3 n = sn_ring_normal(&pair, &at);
    double gap = at.distance - pair.tube - pair.other_rounding;
    sn_vec3 on_ring = sn_vec3_add_scaled(at.own, pair.tube, n);
    *on_a = sn_transform_point(*place_a, on_ring);
    *on_b = sn_transform_point(*place_a, sn_vec3_add_scaled(on_ring, gap, n));
    return gap;
}
