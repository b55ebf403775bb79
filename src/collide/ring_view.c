#include "collide/ring_view.h"

#include "collide/core_point.h"

// Distances along the ring that differ by less than this share of its radius are level: it lies
// evenly on the other, all around.
static const double LEVEL = 1e-4;

// What may hide between two looks: minima that are lower than both by this share of the radius, and
// one that is the lowest of all by this one.
static const double HIDDEN = 1e-3, HIDDEN_LOWEST = 1e-7;
enum { DEEPEST_HALF = 8 }; // of the halves between two looks

// ---- looks ----

sn_ring_pair sn_ring_pair_make(const sn_collider *ring, const sn_transform *place_ring,
                               const sn_collider *other, const sn_transform *place_other)
{
    sn_ring_pair pair = {.radius = ring->radius, .tube = ring->tube, .other = other};
    pair.other_rounding = other->tube > 0.0 ? other->tube : other->rounding;
    pair.place = sn_transform_multiply(sn_transform_inverse(*place_ring), *place_other);
    pair.turn = sn_quat_to_mat3(pair.place.rotation);
    pair.round = other->tube > 0.0 || other->type == SN_COLLIDER_SPHERE ||
                 other->type == SN_COLLIDER_CAPSULE;
    return pair;
}

// From the nearest point of another ring.
static sn_vec3 apart_from_ring(double radius, sn_vec3 p)
{
    double across = sqrt(p.x * p.x + p.y * p.y);
    double s = across > 0.0 ? radius / across : 0.0;
    sn_vec3 near =
        across > 0.0 ? sn_vec3_make(s * p.x, s * p.y, 0.0) : sn_vec3_make(radius, 0.0, 0.0);
    return sn_vec3_sub(p, near);
}

static sn_vec3 apart_from_stretch(double half_height, sn_vec3 p)
{
    return sn_vec3_make(p.x, p.y, p.z - fmin(half_height, fmax(-half_height, p.z)));
}

static double along_ring(sn_vec3 out, sn_vec3 v)
{
    return out.x * v.y - out.y * v.x;
}

sn_ring_point sn_ring_look_from(const sn_ring_pair *pair, sn_vec3 out)
{
    sn_ring_point at = {.out = out, .own = sn_vec3_scale(pair->radius, out), .face = -1};
    sn_vec3 p = sn_mat3_apply_transpose(pair->turn, sn_vec3_sub(at.own, pair->place.position));
    if (pair->round) {
        sn_vec3 apart = pair->other->tube > 0.0 ? apart_from_ring(pair->other->radius, p)
                                                : apart_from_stretch(pair->other->half_height, p);
        apart = sn_mat3_apply(pair->turn, apart);
        at.distance = sn_length(apart);
        at.slope = along_ring(out, apart);
        at.away = at.distance > 1e-9 * pair->tube ? sn_vec3_scale(1.0 / at.distance, apart)
                                                  : SN_VEC3_ZERO;
        return at;
    }
    sn_core_point near = sn_core_point_find(pair->other, p);
    at.distance = near.distance;
    at.away = sn_mat3_apply(pair->turn, near.normal);
    at.slope = along_ring(out, at.away);
    at.face = near.face;
    return at;
}

// Rings that cross leave each other across both; towards the other's middle.
static sn_vec3 crossing_normal(const sn_ring_pair *pair, const sn_ring_point *at)
{
    sn_vec3 along = {-at->out.y, at->out.x, 0.0}, axis = {0.0, 0.0, 1.0};
    if (pair->other->tube > 0.0) {
        sn_vec3 far =
            sn_mat3_apply_transpose(pair->turn, sn_vec3_sub(at->own, pair->place.position));
        axis = sn_vec3_make(-far.y, far.x, 0.0);
    }
    sn_vec3 n = sn_cross(along, sn_normalize(sn_mat3_apply(pair->turn, axis)));
    n = sn_length(n) > 1e-6 ? sn_normalize(n) : sn_vec3_make(0.0, 0.0, 1.0);
    return sn_dot(n, pair->place.position) < 0.0 ? sn_vec3_negate(n) : n;
}

sn_vec3 sn_ring_normal(const sn_ring_pair *pair, const sn_ring_point *at)
{
    bool crossing = at->away.x == 0.0 && at->away.y == 0.0 && at->away.z == 0.0;
    return crossing ? crossing_normal(pair, at) : sn_vec3_negate(at->away);
}

// From cos(k pi / 16).
sn_vec3 sn_ring_direction(int stretch)
{
    enum { QUARTER = SN_RING_STRETCHES / 4 };
    static const double cosine[QUARTER + 1] = {
        1.0,
        0.98078528040323044913,
        0.92387953251128675613,
        0.83146961230254523708,
        0.70710678118654752440,
        0.55557023301960222474,
        0.38268343236508977173,
        0.19509032201612826785,
        0.0,
    };
    int quarter = stretch / QUARTER % 4, k = stretch % QUARTER;
    double c = cosine[k], s = cosine[QUARTER - k];
    switch (quarter) {
    case 0:
        return sn_vec3_make(c, s, 0.0);
    case 1:
        return sn_vec3_make(-s, c, 0.0);
    case 2:
        return sn_vec3_make(-c, -s, 0.0);
    default:
        return sn_vec3_make(s, -c, 0.0);
    }
}

static sn_vec3 direction_between(const sn_ring_point *from, const sn_ring_point *to, double share)
{
    return sn_normalize(
        sn_vec3_add(sn_vec3_scale(1.0 - share, from->out), sn_vec3_scale(share, to->out)));
}

// ---- minima ----

// A ring that is in a plate as far from one side of it as from the other leaves it to where its
// middle is. `ends`: just beside what was found.
static sn_ring_point choose_side(const sn_ring_pair *pair, sn_ring_point found,
                                 const sn_ring_point ends[2])
{
    double level = found.distance + 1e-6 * pair->radius;
    for (int k = 0; k < 2; ++k) {
        double alike = sn_dot(ends[k].away, found.away);
        double nearer = sn_dot(sn_vec3_sub(found.away, ends[k].away), pair->place.position);
        bool better = alike < 0.5 && nearer > 0.0 && ends[k].distance < level;
        found = better ? ends[k] : found;
    }
    return found;
}

// Where the slope goes from below to above zero between two points of the ring: regula falsi, in
// which an end that stays twice counts half (Illinois), so that both ends come. Inside of a convex
// core, where the slope may jump, by halves.
static sn_ring_point find_minimum(const sn_ring_pair *pair, const sn_ring_point *from,
                                  const sn_ring_point *to)
{
    enum { TURNS = 40 };
    double low = 0.0, high = 1.0, at_low = from->slope, at_high = to->slope;
    sn_ring_point best = from->distance <= to->distance ? *from : *to, ends[2] = {*from, *to};
    int last = 0;
    for (int turn = 0; turn < TURNS && high - low > 1e-14 && at_low < 0.0; ++turn) {
        double share = best.distance < 0.0 ? 0.5 : at_low / (at_low - at_high);
        double s = low + (high - low) * share;
        best = sn_ring_look_from(pair, direction_between(from, to, s));
        int side = best.slope < 0.0 ? 0 : 1;
        ends[side] = best;
        if (fabs(best.slope) <= 1e-15 * (pair->round ? pair->radius : 1.0)) {
            break;
        }
        if (side == 0) {
            low = s;
            at_low = best.slope;
            at_high *= turn > 0 && last == side ? 0.5 : 1.0;
        } else {
            high = s;
            at_high = best.slope;
            at_low *= turn > 0 && last == side ? 0.5 : 1.0;
        }
        last = side;
    }
    best = ends[0].distance < best.distance ? ends[0] : best;
    best = ends[1].distance < best.distance ? ends[1] : best;
    return best.distance < 0.0 ? choose_side(pair, best, ends) : best;
}

// The lowest that the signed distance can be between two looks.
static double lowest_between(const sn_ring_pair *pair, const sn_ring_point *from,
                             const sn_ring_point *to)
{
    double chord = sn_distance(from->out, to->out);
    double bend = 1.0 / pair->radius, way = pair->radius * chord * (1.0 + 0.05 * chord * chord);
    double slope = to->slope - from->slope + bend * way;
    double cross = from->distance - to->distance + (to->slope + 0.5 * bend * way) * way;
    // Noise alone makes it less than nothing.
    double at = slope > 0.0 ? fmin(way, fmax(0.0, cross / slope)) : 0.5 * way;
    double low = from->distance + (from->slope - 0.5 * bend * at) * at;
    return fmin(low, fmin(from->distance, to->distance));
}

typedef struct search {
    const sn_ring_pair *pair;
    double limit;
    double lowest; // so far
    bool nearest;  // nothing else is asked for
    sn_ring_view *view;
} search;

static void keep_look(search *s, const sn_ring_point *at, int stretch, bool minimum)
{
    sn_ring_view *view = s->view;
    if (view->count == SN_RING_LOOKS) {
        return;
    }
    view->looks[view->count] = (sn_ring_look){*at, stretch, minimum && at->distance <= s->limit};
    view->nearest =
        at->distance < view->looks[view->nearest].at.distance ? view->count : view->nearest;
    view->count += 1;
    s->lowest = fmin(s->lowest, at->distance);
}

// Over one face the distance is that from its plane, and beyond it not less: nothing hides there
// that whoever looks at that face does not know.
static bool may_hide(const search *s, const sn_ring_point *from, const sn_ring_point *to, int depth)
{
    if (depth == DEEPEST_HALF || s->pair->round || (from->face >= 0 && from->face == to->face)) {
        return false;
    }
    double low = lowest_between(s->pair, from, to), radius = s->pair->radius;
    bool lowest = low < s->lowest - HIDDEN_LOWEST * radius,
         lower = low < fmin(from->distance, to->distance) - HIDDEN * radius;
    return low <= s->limit && (lowest || (lower && !s->nearest));
}

static bool has_minimum(const sn_ring_point *from, const sn_ring_point *to)
{
    return from->slope < 0.0 && to->slope > 0.0;
}

// What is between two looks, in order. Minima that are looks have no slope, so that they are not
// found twice. A part of the room is kept for the stretches to come.
static void look_between(search *s, const sn_ring_point *from, const sn_ring_point *to, int stretch,
                         int depth)
{
    int room = SN_RING_LOOKS - s->view->count - 2 * (SN_RING_STRETCHES - stretch);
    bool minimum = has_minimum(from, to);
    if (room <= 0 || (!minimum && !may_hide(s, from, to, depth))) {
        return;
    }
    sn_ring_point middle = minimum ? find_minimum(s->pair, from, to)
                                   : sn_ring_look_from(s->pair, direction_between(from, to, 0.5));
    minimum = minimum || (from->slope < 0.0 && middle.slope == 0.0);
    middle.slope = minimum ? 0.0 : middle.slope;
    s->lowest = fmin(s->lowest, middle.distance);
    if (!minimum || may_hide(s, from, &middle, depth)) {
        look_between(s, from, &middle, stretch, depth + 1);
    }
    keep_look(s, &middle, stretch, minimum);
    if (!minimum || may_hide(s, &middle, to, depth)) {
        look_between(s, &middle, to, stretch, depth + 1);
    }
}

// ---- the view ----

// Is a ball that holds the other farther from the ring than the limit?
static bool is_far(const sn_ring_pair *pair, double limit)
{
    sn_aabb box = pair->other->bounds;
    sn_vec3 middle =
        sn_transform_point(pair->place, sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper)));
    double reach = 0.5 * sn_distance(box.lower, box.upper) - pair->other_rounding;
    return sn_length(apart_from_ring(pair->radius, middle)) - reach > limit;
}

static bool view_ring(const sn_ring_pair *pair, double limit, bool nearest, sn_ring_view *view)
{
    enum { COARSE = 8, STRETCHES = SN_RING_STRETCHES };
    if (is_far(pair, limit)) {
        return false;
    }
    sn_ring_point points[STRETCHES];
    double least = INFINITY, most = -INFINITY, half = SN_PI * pair->radius;
    for (int i = 0; i < STRETCHES; i += STRETCHES / COARSE) {
        points[i] = sn_ring_look_from(pair, sn_ring_direction(i));
        least = fmin(least, points[i].distance);
    }
    // The distance changes by no more than the way along the ring does.
    if (least - half / COARSE > limit) {
        return false;
    }
    for (int i = 0; i < STRETCHES; ++i) {
        if (i % (STRETCHES / COARSE) != 0) {
            points[i] = sn_ring_look_from(pair, sn_ring_direction(i));
        }
        least = fmin(least, points[i].distance);
        most = fmax(most, points[i].distance);
    }
    search s = {pair, limit, least, nearest, view};
    view->count = view->nearest = 0;
    view->level = most - least <= LEVEL * pair->radius;
    for (int i = 0; i < STRETCHES; ++i) {
        const sn_ring_point *from = &points[i], *to = &points[(i + 1) % STRETCHES],
                            *before = &points[(i + STRETCHES - 1) % STRETCHES];
        double both = from->distance + to->distance - 2.0 * half / STRETCHES;
        keep_look(&s, from, i, !view->level && from->slope == 0.0 && before->slope < 0.0);
        if (!view->level && both <= 2.0 * (nearest ? s.lowest : limit)) {
            look_between(&s, from, to, i, 0);
        }
    }
    return view->looks[view->nearest].at.distance <= limit;
}

bool sn_ring_view_make(const sn_ring_pair *pair, double limit, sn_ring_view *view)
{
    return view_ring(pair, limit, false, view);
}

bool sn_ring_view_nearest(const sn_ring_pair *pair, double limit, sn_ring_view *view)
{
    return view_ring(pair, limit, true, view);
}

sn_ring_point sn_ring_face_end(const sn_ring_pair *pair, const sn_ring_point *in,
                               const sn_ring_point *to)
{
    enum { HALVES = 22 }; // to a ten millionth of the ring
    sn_ring_point last = *in, beyond = *to;
    for (int i = 0; i < HALVES; ++i) {
        sn_ring_point middle = sn_ring_look_from(pair, direction_between(&last, &beyond, 0.5));
        if (middle.face == in->face) {
            last = middle;
        } else {
            beyond = middle;
        }
    }
    return last;
}
