// Two boxes: separating axes, then the face of one clipped by the face of the other.
//
// Fifteen axes can separate boxes: three face normals of each, and the cross products of their
// edges (Gottschalk, Lin, Manocha 1996). The axis along which they are farthest apart, or overlap
// least, is the contact's normal. Faces are preferred to crossed edges, and the axis that held last
// to others, by 1e-4 of the boxes' size where they touch: a box at rest then keeps its points.
// Edges whose axis is nearly a face's normal must be better by 2e-3: four points are worth more
// than that.
//
// Boxes that are apart in a corner's or an edge's region, where no axis tells their distance, are
// left to sn_collide_convex.
#include "collide/pairs.h"

// cache->kind: 0 none, 1 .. 3 faces of a, 4 .. 6 faces of b, 7 .. 15 edges.
enum { FACE_A = 1, FACE_B = 4, EDGE = 7 };

typedef struct boxes {
    double half_a[3], half_b[3];
    double r[3][3], abs[3][3]; // b's axes in a's: columns; and their sizes
    double t[3], tb[3];        // b's centre from a's, in a's axes and in b's
    double scale;
} boxes;

// ---- separating axes ----

static double face_a(const boxes *x, int i)
{
    return fabs(x->t[i]) -
           (x->half_a[i] + (x->abs[i][0] * x->half_b[0] + x->abs[i][1] * x->half_b[1] +
                            x->abs[i][2] * x->half_b[2]));
}

static double face_b(const boxes *x, int j)
{
    return fabs(x->tb[j]) -
           (x->half_b[j] + (x->abs[0][j] * x->half_a[0] + x->abs[1][j] * x->half_a[1] +
                            x->abs[2][j] * x->half_a[2]));
}

// Along a_i x b_j, times the length of that product, whose square is *length2.
static double edge_axis(const boxes *x, int i, int j, double *length2)
{
    static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    int i1 = next[i], i2 = last[i], j1 = next[j], j2 = last[j];
    double along = x->t[i2] * x->r[i1][j] - x->t[i1] * x->r[i2][j];
    double reach_a = x->half_a[i1] * x->abs[i2][j] + x->half_a[i2] * x->abs[i1][j];
    double reach_b = x->half_b[j1] * x->abs[i][j2] + x->half_b[j2] * x->abs[i][j1];
    *length2 = x->r[i1][j] * x->r[i1][j] + x->r[i2][j] * x->r[i2][j];
    return fabs(along) - (reach_a + reach_b);
}

// Are they farther apart than `reach` along the axis that held last?
static bool still_apart(const boxes *x, int kind, double reach)
{
    if (kind < FACE_A || kind > EDGE + 8) {
        return false;
    }
    if (kind < FACE_B) {
        return face_a(x, kind - FACE_A) > reach;
    }
    if (kind < EDGE) {
        return face_b(x, kind - FACE_B) > reach;
    }
    double length2, s = edge_axis(x, (kind - EDGE) / 3, (kind - EDGE) % 3, &length2);
    return s > 0.0 && s * s > reach * reach * length2 && length2 > 1e-12;
}

static void load(const sn_core_pair *pair, boxes *x)
{
    sn_vec3_put(x->half_a, pair->a->half);
    sn_vec3_put(x->half_b, pair->b->half);
    sn_vec3_put(x->t, pair->offset);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            x->r[i][j] = pair->rotation.m[i][j];
            x->abs[i][j] = fabs(x->r[i][j]);
        }
    }
    for (int j = 0; j < 3; ++j) {
        x->tb[j] = x->r[0][j] * x->t[0] + x->r[1][j] * x->t[1] + x->r[2][j] * x->t[2];
    }
}

// Of the angle between an edge's axis and a face's normal, without sign.
static double cosine_of(const boxes *x, int edge, int face)
{
    static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    int i = (edge - EDGE) / 3, j = (edge - EDGE) % 3, i1 = next[i], i2 = last[i];
    double length = sqrt(x->r[i1][j] * x->r[i1][j] + x->r[i2][j] * x->r[i2][j]);
    if (face < FACE_B) { // a_k . (a_i x b_j)
        int k = face - FACE_A;
        return k == i ? 0.0 : x->abs[k == i1 ? i2 : i1][j] / length;
    }
    int m = face - FACE_B; // b_m . (a_i x b_j) = a_i . (b_j x b_m)
    return m == j ? 0.0 : x->abs[i][3 - j - m] / length;
}

// The best axis of all: its kind, and how far apart they are along it. Kind 0: beyond `reach`, and
// cache->kind says along which.
static int best_axis(const boxes *x, double reach, sn_collide_cache *cache, double *separation)
{
    int kind_a = FACE_A, kind_b = FACE_B, kind_e = 0, held = cache->kind;
    double a = face_a(x, 0), b = face_b(x, 0);
    for (int i = 1; i < 3; ++i) {
        double s = face_a(x, i);
        kind_a = s > a ? FACE_A + i : kind_a;
        a = s > a ? s : a;
        s = face_b(x, i);
        kind_b = s > b ? FACE_B + i : kind_b;
        b = s > b ? s : b;
    }
    if (a > reach || b > reach) {
        cache->kind = (uint8_t)(a > reach ? kind_a : kind_b);
        return 0;
    }
    double most = a > b ? a : b, bias = (most < 1e-4 * x->scale ? 1e-4 : 1e-9) * x->scale;
    double e = most; // edges that do no better than faces are of no interest
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double length2, s = edge_axis(x, i, j, &length2);
            // A negative value only falls further when divided by a length below 1.
            if (s <= e && s <= 0.0) {
                continue;
            }
            if (length2 < 1e-8) { // parallel edges: a face's axis does for them
                continue;
            }
            s /= sqrt(length2);
            kind_e = s > e ? EDGE + 3 * i + j : kind_e;
            e = s > e ? s : e;
        }
    }
    if (e > reach) {
        cache->kind = (uint8_t)kind_e;
        return 0;
    }
    // a before b before edges, unless another held last.
    double for_b = held >= FACE_B && held < EDGE ? -bias : bias;
    int kind = b > a + for_b ? kind_b : kind_a;
    *separation = kind < FACE_B ? a : b;
    if (kind_e == 0) {
        cache->kind = (uint8_t)kind;
        return kind;
    }
    // Boxes about to land nearly face on face get all the points they will land on: one point where
    // edges cross would let them turn into each other within the step.
    if (cosine_of(x, kind_e, kind) > 0.95) {
        bias = (e > 1e-4 * x->scale ? 5e-2 : 2e-3) * x->scale;
    } else if (e > 1e-4 * x->scale) {
        bias = 1e-9 * x->scale;
    }
    if (e > most + (held >= EDGE ? 0.25 * bias : bias)) {
        kind = kind_e;
        *separation = e;
    }
    cache->kind = (uint8_t)kind;
    return kind;
}

// ---- faces ----

// A point over the reference face: its coordinates across the face, height above it, and names.
typedef struct spot {
    double u[2], height;
    uint16_t inner, outer;
    uint16_t edge; // on to the next spot: of the incident face, or from CLIPPING on the reference's
} spot;

enum { CLIPPING = 32 };

typedef struct reference {
    const sn_collider *box, *other;
    int axis, u, v;
    double sign;    // of the face
    double r[3][3]; // the other box's axes in the reference's: columns
    double t[3];    // its centre
    double half[3]; // of the reference
    double other_half[3];
} reference;

static void set_reference(const sn_core_pair *pair, const boxes *x, int kind, reference *f)
{
    bool of_a = kind < FACE_B;
    f->box = of_a ? pair->a : pair->b;
    f->other = of_a ? pair->b : pair->a;
    f->axis = of_a ? kind - FACE_A : kind - FACE_B;
    f->u = f->axis == 2 ? 0 : f->axis + 1;
    f->v = f->axis == 0 ? 2 : f->axis - 1;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            f->r[i][j] = of_a ? x->r[i][j] : x->r[j][i];
        }
        f->t[i] = of_a ? x->t[i] : -x->tb[i];
        f->half[i] = of_a ? x->half_a[i] : x->half_b[i];
        f->other_half[i] = of_a ? x->half_b[i] : x->half_a[i];
    }
    f->sign = f->t[f->axis] >= 0.0 ? 1.0 : -1.0;
}

// The corners of the other box's face that looks at the reference face.
static void incident_face(const reference *f, spot *spots)
{
    const double *row = f->r[f->axis];
    int j = fabs(row[0]) >= fabs(row[1]) ? 0 : 1;
    j = fabs(row[2]) > fabs(row[j]) ? 2 : j;
    int p = j == 2 ? 0 : j + 1, q = j == 0 ? 2 : j - 1;
    bool positive = f->sign * row[j] < 0.0;
    double s = positive ? f->other_half[j] : -f->other_half[j];
    int axes[3] = {f->u, f->v, f->axis};
    double middle[3], first[3], second[3];
    for (int k = 0; k < 3; ++k) {
        const double *r = f->r[axes[k]];
        middle[k] = f->t[axes[k]] + s * r[j];
        first[k] = f->other_half[p] * r[p];
        second[k] = f->other_half[q] * r[q];
    }
    static const double side_p[4] = {-1.0, 1.0, 1.0, -1.0}, side_q[4] = {-1.0, -1.0, 1.0, 1.0};
    for (int k = 0; k < 4; ++k) {
        double c[3];
        for (int m = 0; m < 3; ++m) {
            c[m] = middle[m] + side_p[k] * first[m] + side_q[k] * second[m];
        }
        int corner = (positive ? 1 << j : 0) | (side_p[k] > 0.0 ? 1 << p : 0) |
                     (side_q[k] > 0.0 ? 1 << q : 0);
        spots[k].u[0] = c[0];
        spots[k].u[1] = c[1];
        spots[k].height = f->sign * c[2] - f->half[f->axis];
        spots[k].inner = (uint16_t)(2 * corner + 2);
        spots[k].outer = 0;
        spots[k].edge = (uint16_t)(2 * corner + 3);
    }
}

// Keeps the part with sign * u[k] <= bound.
static int clip_half(const spot *in, int count, int k, double sign, double bound, int name,
                     spot *out)
{
    int made = 0;
    for (int i = 0; i < count; ++i) {
        const spot *p = &in[i], *q = &in[i + 1 < count ? i + 1 : 0];
        double dp = sign * p->u[k] - bound, dq = sign * q->u[k] - bound;
        if (dp <= 0.0) {
            out[made++] = *p;
        }
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            double s = dp / (dp - dq);
            spot *n = &out[made++];
            n->u[k] = sign * bound;
            n->u[1 - k] = p->u[1 - k] + s * (q->u[1 - k] - p->u[1 - k]);
            n->height = p->height + s * (q->height - p->height);
            bool corner = p->edge >= CLIPPING; // of the reference face
            n->inner = corner ? 0 : p->edge;
            n->outer = (uint16_t)(corner ? 2 * (p->edge + name) + 64 : 2 * name + 3);
            n->edge = dp < 0.0 ? (uint16_t)(2 * name + 3) : p->edge;
        }
    }
    return made;
}

// At most eight: each of the four sides of the reference face can add one.
static int clip_face(const reference *f, spot *spots, spot *scratch, spot **kept)
{
    double hu = f->half[f->u], hv = f->half[f->v];
    double far_u = 0.0, far_v = 0.0;
    for (int k = 0; k < 4; ++k) {
        far_u = fmax(far_u, fabs(spots[k].u[0]));
        far_v = fmax(far_v, fabs(spots[k].u[1]));
    }
    int count = 4, base = 16 + 8 * f->axis;
    spot *now = spots, *next = scratch;
    for (int side = 0; side < 4; ++side) {
        int k = side / 2;
        if ((k == 0 ? far_u <= hu : far_v <= hv) || count == 0) {
            continue;
        }
        count = clip_half(now, count, k, side % 2 == 0 ? 1.0 : -1.0, k == 0 ? hu : hv, base + side,
                          next);
        spot *other = now;
        now = next;
        next = other;
    }
    *kept = now;
    return count;
}

// In the reference's axes, the reference as a, heights less both roundings.
static void place_spot(const reference *f, const spot *s, double rounding, sn_manifold_point *p)
{
    double x[3];
    x[f->u] = s->u[0];
    x[f->v] = s->u[1];
    x[f->axis] = f->sign * (f->half[f->axis] + f->box->rounding);
    p->on_a = sn_vec3_at(x);
    p->gap = s->height - rounding;
    p->feature = (uint32_t)s->outer | (uint32_t)s->inner << 16;
}

// False when the boxes are apart and their nearest points are not on the face.
static bool touch_faces(const reference *f, double separation, double rounding, double margin,
                        double scale, sn_manifold *m)
{
    spot first[8], second[8], *spots;
    incident_face(f, first);
    int count = clip_face(f, first, second, &spots);
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, spots[i].height);
    }
    if (separation > 0.0 && !(least <= separation + 1e-6 * scale)) {
        return false;
    }
    sn_manifold_point points[8];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (spots[i].height <= margin + rounding) {
            place_spot(f, &spots[i], rounding, &points[kept++]);
        }
    }
    if (kept == 0) {
        return false;
    }
    double normal[3] = {0.0, 0.0, 0.0};
    normal[f->axis] = f->sign;
    m->normal = sn_vec3_at(normal);
    m->patch = 0;
    sn_manifold_reduce(m, points, kept, scale);
    return true;
}

static void face_to_world(const sn_transform *place, bool swapped, sn_manifold *m)
{
    sn_mat3 r = sn_quat_to_mat3(place->rotation);
    m->normal = sn_mat3_apply(r, m->normal);
    for (int i = 0; i < m->count; ++i) {
        sn_manifold_point *p = &m->points[i];
        p->on_a = sn_vec3_add(place->position, sn_mat3_apply(r, p->on_a));
        p->on_b = sn_vec3_add_scaled(p->on_a, p->gap, m->normal);
    }
    if (swapped) {
        sn_manifold_swap(m);
    }
}

// ---- edges ----

// The two edges that meet along a_i x b_j, as points s u and c + t v of their lines.
static bool touch_edges(const sn_core_pair *pair, const boxes *x, int kind, double separation,
                        const sn_transform *place_a, sn_manifold *m)
{
    int i = (kind - EDGE) / 3, j = (kind - EDGE) % 3;
    double e[3] = {0.0, 0.0, 0.0}, mid_a[3], mid_b[3];
    e[i] = 1.0;
    sn_vec3 u = sn_vec3_at(e), v = {x->r[0][j], x->r[1][j], x->r[2][j]};
    sn_vec3 n = sn_normalize(sn_cross(u, v));
    n = sn_dot(n, pair->offset) < 0.0 ? sn_vec3_negate(n) : n;
    double along[3];
    sn_vec3_put(along, n);
    uint32_t name_a = 0, name_b = 0;
    for (int k = 0; k < 3; ++k) { // middles of the edges that reach farthest towards each other
        bool positive = along[k] >= 0.0;
        mid_a[k] = k == i ? 0.0 : positive ? x->half_a[k] : -x->half_a[k];
        name_a |= (k != i && positive) ? 1u << k : 0u;
        double back = x->r[0][k] * n.x + x->r[1][k] * n.y + x->r[2][k] * n.z;
        mid_b[k] = k == j ? 0.0 : back <= 0.0 ? x->half_b[k] : -x->half_b[k];
        name_b |= (k != j && back <= 0.0) ? 1u << k : 0u;
    }
    sn_vec3 p = sn_vec3_at(mid_a);
    sn_vec3 q = sn_vec3_add(pair->offset, sn_mat3_apply(pair->rotation, sn_vec3_at(mid_b)));
    sn_vec3 d = sn_vec3_sub(q, p);
    double cosine = sn_dot(u, v), du = sn_dot(d, u), dv = sn_dot(d, v);
    double sine2 = 1.0 - cosine * cosine;
    double s = (du - cosine * dv) / sine2, t = (cosine * du - dv) / sine2;
    double ha = x->half_a[i], hb = x->half_b[j];
    if (separation > 0.0 && (fabs(s) > ha || fabs(t) > hb)) {
        return false; // the nearest points are at an end of an edge
    }
    s = fmin(ha, fmax(-ha, s));
    sn_manifold_point *point = &m->points[0];
    double ra = pair->a->rounding, rb = pair->b->rounding;
    point->gap = separation - ra - rb;
    sn_vec3 on_a = sn_vec3_add_scaled(sn_vec3_add_scaled(p, s, u), ra, n);
    m->normal = sn_rotate(place_a->rotation, n);
    point->on_a = sn_transform_point(*place_a, on_a);
    point->on_b = sn_vec3_add_scaled(point->on_a, point->gap, m->normal);
    point->feature = (2 * (8 * (uint32_t)i + name_a) + 3) | (2 * (8 * (uint32_t)j + name_b) + 3)
                                                                << 16;
    m->count = 1;
    m->patch = 0;
    return true;
}

int sn_collide_box_box(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                       const sn_transform *place_b, double margin, sn_collide_cache *cache,
                       sn_manifold *m)
{
    sn_collide_cache none = {0};
    cache = cache != NULL ? cache : &none;
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    double rounding = a->rounding + b->rounding, reach = margin + rounding;
    boxes x;
    load(&pair, &x);
    if (still_apart(&x, cache->kind, reach)) {
        return 0;
    }
    x.scale = sn_collide_scale(a, b);
    double separation = 0.0;
    int kind = best_axis(&x, reach, cache, &separation);
    if (kind == 0) {
        return 0;
    }
    bool found = false;
    if (kind < EDGE) {
        reference f;
        set_reference(&pair, &x, kind, &f);
        found = touch_faces(&f, separation, rounding, margin, x.scale, m);
        if (found) {
            face_to_world(kind < FACE_B ? place_a : place_b, kind >= FACE_B, m);
        }
    } else {
        found = touch_edges(&pair, &x, kind, separation, place_a, m);
    }
    if (found) {
        return 1;
    }
    sn_collide_cache simplex = *cache; // whose axis of boxes shall not be lost
    int count = sn_collide_convex(a, place_a, b, place_b, margin, &simplex, m);
    simplex.kind = cache->kind;
    *cache = simplex;
    return count;
}
