#include "collide/torus_pairs.h"

#include "collide/patch_set.h"

// The ring is looked at from this many points of it, and between two of them where the distance
// falls before and rises after.
enum { SAMPLES = 32, MINIMA = 8 };

// Distances along the ring that differ by less than this share of its radius are level: it lies
// evenly on the other, all around.
static const double LEVEL = 1e-4;

// One ring, in its own frame, and the core of the other: a point (sphere), a stretch of its z axis
// (capsule) or a ring about it (torus).
typedef struct ring_contest {
    double radius, tube;
    const sn_collider *other;
    double other_rounding;
    sn_transform place; // of the other in the ring's frame
    sn_mat3 turn;
} ring_contest;

// A point of the ring and the nearest one of the other's core, in the ring's frame.
typedef struct ring_point {
    sn_vec3 out;      // unit, from the ring's middle
    sn_vec3 own, far; // on the ring, on the other's core
    double distance;
    double slope; // half the derivative of the distance's square along the ring, by its radius
} ring_point;

bool sn_torus_is_round_to(const sn_collider *a, const sn_collider *b)
{
    bool round_a = a->type == SN_COLLIDER_SPHERE || a->type == SN_COLLIDER_CAPSULE,
         round_b = b->type == SN_COLLIDER_SPHERE || b->type == SN_COLLIDER_CAPSULE;
    return (a->tube > 0.0 && (b->tube > 0.0 || round_b)) || (b->tube > 0.0 && round_a);
}

// ---- distances ----

static sn_vec3 nearest_on_ring(double radius, sn_vec3 p)
{
    double across = sqrt(p.x * p.x + p.y * p.y);
    double s = across > 0.0 ? radius / across : 0.0;
    return across > 0.0 ? sn_vec3_make(s * p.x, s * p.y, 0.0) : sn_vec3_make(radius, 0.0, 0.0);
}

// The point of the other's core that is nearest to p, in the other's frame.
static sn_vec3 nearest_on_core(const sn_collider *other, sn_vec3 p)
{
    double h = other->half_height;
    return other->tube > 0.0 ? nearest_on_ring(other->radius, p)
                             : sn_vec3_make(0.0, 0.0, fmin(h, fmax(-h, p.z)));
}

static ring_point look_from(const ring_contest *c, sn_vec3 out)
{
    ring_point at = {.out = out, .own = sn_vec3_scale(c->radius, out)};
    sn_vec3 p = sn_mat3_apply_transpose(c->turn, sn_vec3_sub(at.own, c->place.position));
    sn_vec3 apart = sn_vec3_sub(p, nearest_on_core(c->other, p));
    apart = sn_mat3_apply(c->turn, apart);
    at.far = sn_vec3_sub(at.own, apart);
    at.distance = sn_length(apart);
    // The nearest point of the core may be taken to stand still (envelope theorem).
    at.slope = out.x * apart.y - out.y * apart.x;
    return at;
}

// cos(k pi / 16), from which all points of the ring that are looked from have their directions.
static sn_vec3 sample_direction(int i)
{
    static const double cosine[SAMPLES / 4 + 1] = {
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
    int quarter = i / (SAMPLES / 4) % 4, k = i % (SAMPLES / 4);
    double c = cosine[k], s = cosine[SAMPLES / 4 - k];
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

// Where the slope goes from below to above zero between two points of the ring: regula falsi, in
// which an end that stays twice counts half (Illinois), so that both ends come.
static ring_point find_minimum(const ring_contest *c, const ring_point *from, const ring_point *to)
{
    enum { TURNS = 32 };
    double low = 0.0, high = 1.0, at_low = from->slope, at_high = to->slope;
    ring_point best = from->distance <= to->distance ? *from : *to;
    int last = 0;
    for (int turn = 0; turn < TURNS && high - low > 1e-14 && at_low < 0.0; ++turn) {
        double s = low + (high - low) * (at_low / (at_low - at_high));
        sn_vec3 out = sn_vec3_add(sn_vec3_scale(1.0 - s, from->out), sn_vec3_scale(s, to->out));
        best = look_from(c, sn_normalize(out));
        int side = best.slope < 0.0 ? -1 : 1;
        if (fabs(best.slope) <= 1e-15 * c->radius) {
            break;
        }
        if (side < 0) {
            low = s;
            at_low = best.slope;
            at_high *= last == side ? 0.5 : 1.0;
        } else {
            high = s;
            at_high = best.slope;
            at_low *= last == side ? 0.5 : 1.0;
        }
        last = side;
    }
    return best;
}

// ---- the points ----

typedef struct ring_view {
    ring_point minima[MINIMA];
    int names[MINIMA];
    int count, nearest; // of the minima
    bool level;         // the ring lies evenly on the other, and has no minima
    ring_point lowest;  // the nearest of all that were looked from
} ring_view;

// Minima that are no farther than `limit`; false: all of the ring is farther.
static bool view_ring(const ring_contest *c, double limit, ring_view *view)
{
    enum { COARSE = 8 };
    ring_point points[SAMPLES];
    double least = INFINITY, most = 0.0, stride = SN_PI * c->radius;
    for (int i = 0; i < COARSE; ++i) {
        int k = i * (SAMPLES / COARSE);
        points[k] = look_from(c, sample_direction(k));
        least = fmin(least, points[k].distance);
    }
    // The distance changes by no more than the way along the ring does.
    if (least - stride / COARSE > limit) {
        return false;
    }
    for (int i = 0; i < SAMPLES; ++i) {
        if (i % (SAMPLES / COARSE) != 0) {
            points[i] = look_from(c, sample_direction(i));
        }
        view->lowest = points[i].distance < least || i == 0 ? points[i] : view->lowest;
        least = i == 0 ? points[i].distance : fmin(least, points[i].distance);
        most = fmax(most, points[i].distance);
    }
    view->count = view->nearest = 0;
    view->level = most - least <= LEVEL * c->radius;
    for (int i = 0; i < SAMPLES && !view->level && view->count < MINIMA; ++i) {
        const ring_point *from = &points[i], *to = &points[(i + 1) % SAMPLES];
        bool near = from->distance + to->distance - 2.0 * stride / SAMPLES <= 2.0 * limit;
        if (!near || from->slope >= 0.0 || to->slope < 0.0) {
            continue;
        }
        ring_point found = find_minimum(c, from, to);
        if (found.distance <= limit) {
            double so_far = view->count > 0 ? view->minima[view->nearest].distance : INFINITY;
            view->nearest = found.distance < so_far ? view->count : view->nearest;
            view->names[view->count] = i;
            view->minima[view->count++] = found;
        }
    }
    return view->count > 0 || (view->level && least <= limit);
}

// Rings that cross leave each other across both; towards the other's middle.
static sn_vec3 crossing_normal(const ring_contest *c, const ring_point *at)
{
    sn_vec3 along = {-at->out.y, at->out.x, 0.0}, axis = {0.0, 0.0, 1.0};
    if (c->other->tube > 0.0) {
        sn_vec3 far = sn_mat3_apply_transpose(c->turn, sn_vec3_sub(at->far, c->place.position));
        axis = sn_vec3_make(-far.y, far.x, 0.0);
    }
    sn_vec3 n = sn_cross(along, sn_normalize(sn_mat3_apply(c->turn, axis)));
    n = sn_length(n) > 1e-6 ? sn_normalize(n) : sn_vec3_make(0.0, 0.0, 1.0);
    return sn_dot(n, c->place.position) < 0.0 ? sn_vec3_negate(n) : n;
}

static sn_vec3 normal_at(const ring_contest *c, const ring_point *at)
{
    return at->distance > 1e-9 * c->tube
               ? sn_vec3_scale(1.0 / at->distance, sn_vec3_sub(at->far, at->own))
               : crossing_normal(c, at);
}

static void add_point(const ring_contest *c, const ring_point *at, int name, double limit,
                      sn_patch_set *set)
{
    if (at->distance > limit) {
        return;
    }
    sn_vec3 n = normal_at(c, at);
    sn_manifold_point point = {.gap = at->distance - c->tube - c->other_rounding};
    point.on_a = sn_vec3_add_scaled(at->own, c->tube, n);
    point.on_b = sn_vec3_add_scaled(point.on_a, point.gap, n);
    point.feature = 2u * (uint32_t)name + 2u;
    sn_patch_set_add(set, n, (uint32_t)name, &point);
}

static bool is_by_minimum(const ring_view *view, sn_vec3 out)
{
    for (int i = 0; i < view->count; ++i) {
        if (sn_dot(view->minima[i].out, out) > 0.9) {
            return true;
        }
    }
    return false;
}

// Names of points: minima have that of the stretch of the ring they are on.
enum { ASIDE = SAMPLES, EVEN = ASIDE + 4, END = EVEN + 4 };

// Besides the nearest points, which may be one, what keeps a ring from rocking on it, if it is near
// as well: balls of the ring a quarter further. Each ball is part of the torus, so that no point
// holds the other off where there is nothing.
static void add_aside(const ring_contest *c, const ring_view *view, double limit, sn_patch_set *set)
{
    for (int k = 0; k < 4; ++k) {
        sn_vec3 first = view->level ? sample_direction(0) : view->minima[view->nearest].out;
        sn_vec3 turned[4] = {
            first, {-first.y, first.x, 0.0}, {-first.x, -first.y, 0.0}, {first.y, -first.x, 0.0}};
        if (view->level || !is_by_minimum(view, turned[k])) {
            ring_point at = look_from(c, turned[k]);
            add_point(c, &at, (view->level ? EVEN : ASIDE) + k, limit, set);
        }
    }
}

// From an end of a capsule: one that is small by the ring has both between two points looked from.
static ring_point look_from_end(const ring_contest *c, int index)
{
    sn_vec3 end = sn_transform_point(c->place, sn_collider_corner(c->other, index));
    ring_point at = {.own = nearest_on_ring(c->radius, end), .far = end};
    at.out = sn_vec3_scale(1.0 / c->radius, at.own);
    at.distance = sn_distance(at.own, end);
    return at;
}

static void add_ends(const ring_contest *c, const ring_view *view, double limit, sn_patch_set *set)
{
    for (int k = 0; k < 2; ++k) {
        ring_point at = look_from_end(c, k);
        bool known = false;
        for (int i = 0; i < view->count; ++i) {
            known = known || sn_distance(view->minima[i].far, at.far) < 1e-3 * c->other_rounding;
        }
        if (!known) {
            add_point(c, &at, END + k, limit, set);
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

static ring_contest start(const sn_collider *ring, const sn_transform *place_ring,
                          const sn_collider *other, const sn_transform *place_other)
{
    ring_contest c = {.radius = ring->radius, .tube = ring->tube, .other = other};
    c.other_rounding = other->tube > 0.0 ? other->tube : other->rounding;
    c.place = sn_transform_multiply(sn_transform_inverse(*place_ring), *place_other);
    c.turn = sn_quat_to_mat3(c.place.rotation);
    return c;
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
    ring_contest c = start(a, place_a, b, place_b);
    double limit = margin + c.tube + c.other_rounding;
    ring_view view;
    if (!view_ring(&c, limit, &view)) {
        return 0;
    }
    sn_patch_set set;
    sn_patch_set_init(&set, c.radius + c.tube);
    for (int i = 0; i < view.count; ++i) {
        add_point(&c, &view.minima[i], view.names[i], limit, &set);
    }
    add_aside(&c, &view, limit, &set);
    if (b->type == SN_COLLIDER_CAPSULE) {
        add_ends(&c, &view, limit, &set);
    }
    return sn_patch_set_give(&set, place_a, manifolds, capacity, left_out);
}

double sn_torus_distance(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                         const sn_transform *place_b, sn_vec3 *on_a, sn_vec3 *on_b)
{
    if (looks_from_b(a, b)) {
        return sn_torus_distance(b, place_b, a, place_a, on_b, on_a);
    }
    ring_contest c = start(a, place_a, b, place_b);
    ring_view view;
    view_ring(&c, INFINITY, &view);
    ring_point at = view.count > 0 ? view.minima[view.nearest] : view.lowest;
    for (int k = 0; k < 2 && b->type == SN_COLLIDER_CAPSULE; ++k) {
        ring_point end = look_from_end(&c, k);
        at = end.distance < at.distance ? end : at;
    }
    sn_vec3 n = normal_at(&c, &at);
    double gap = at.distance - c.tube - c.other_rounding;
    sn_vec3 on_ring = sn_vec3_add_scaled(at.own, c.tube, n);
    *on_a = sn_transform_point(*place_a, on_ring);
    *on_b = sn_transform_point(*place_a, sn_vec3_add_scaled(on_ring, gap, n));
    return gap;
}
