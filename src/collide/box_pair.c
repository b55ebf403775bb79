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

// GCC unrolls loops over three axes or four corners only when told; clang does so by itself. It is
// a quarter of the time.
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLLED _Pragma("GCC unroll 4")
#else
#define UNROLLED
#endif

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
static inline double edge_axis(const boxes *x, int i, int j, double *length2)
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
    UNROLLED
    for (int i = 0; i < 3; ++i) {
        UNROLLED
        for (int j = 0; j < 3; ++j) {
            x->r[i][j] = pair->rotation.m[i][j];
            x->abs[i][j] = fabs(x->r[i][j]);
        }
    }
    UNROLLED
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
    UNROLLED
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
    // Edges that do no better than faces are of no interest. Values are compared as squares with
    // their sign, s |s| / length^2, so that only a better one costs a division.
    double square = most * fabs(most);
    UNROLLED
    for (int i = 0; i < 3; ++i) {
        UNROLLED
        for (int j = 0; j < 3; ++j) {
            double length2, s = edge_axis(x, i, j, &length2), signed2 = s * fabs(s);
            // Parallel edges are left out: a face's axis does for them.
            if (signed2 > square * length2 && length2 > 1e-8) {
                square = signed2 / length2;
                kind_e = EDGE + 3 * i + j;
            }
        }
    }
    double e = copysign(sqrt(fabs(square)), square);
    if (kind_e != 0 && e > reach) {
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
    uint32_t inner, outer; // corners even, edges odd, 0 inside
} spot;

// At most: corners of both faces, and two cuts of each incident edge.
enum { SPOTS = 16 };

typedef struct reference {
    const sn_collider *box;
    int axis, u, v;
    double sign;    // of the face
    double r[3][3]; // the other box's axes in the reference's: columns
    double t[3];    // its centre
    double half[3]; // of the reference
    double other_half[3];
} reference;

// The other box's face that looks at the reference face: middle + s first + t second, |s|, |t| <=
// 1, each as two coordinates across the reference face and a height.
typedef struct incident {
    double middle[3], first[3], second[3];
    double slack_first, slack_second; // what the slack of lengths is of s and t
    uint32_t corner;                  // the one at s = t = -1
    uint32_t bit_first, bit_second;   // what is added to it at s = 1, t = 1
} incident;

static void set_reference(const sn_core_pair *pair, const boxes *x, int kind, reference *f)
{
    bool of_a = kind < FACE_B;
    f->box = of_a ? pair->a : pair->b;
    f->axis = of_a ? kind - FACE_A : kind - FACE_B;
    f->u = f->axis == 2 ? 0 : f->axis + 1;
    f->v = f->axis == 0 ? 2 : f->axis - 1;
    UNROLLED
    for (int i = 0; i < 3; ++i) {
        UNROLLED
        for (int j = 0; j < 3; ++j) {
            f->r[i][j] = of_a ? x->r[i][j] : x->r[j][i];
        }
        f->t[i] = of_a ? x->t[i] : -x->tb[i];
        f->half[i] = of_a ? x->half_a[i] : x->half_b[i];
        f->other_half[i] = of_a ? x->half_b[i] : x->half_a[i];
    }
    f->sign = f->t[f->axis] >= 0.0 ? 1.0 : -1.0;
}

static void set_incident(const reference *f, double slack, incident *n)
{
    const double *row = f->r[f->axis];
    int j = fabs(row[0]) >= fabs(row[1]) ? 0 : 1;
    j = fabs(row[2]) > fabs(row[j]) ? 2 : j;
    int p = j == 2 ? 0 : j + 1, q = j == 0 ? 2 : j - 1;
    bool positive = f->sign * row[j] < 0.0;
    double s = positive ? f->other_half[j] : -f->other_half[j];
    int axes[3] = {f->u, f->v, f->axis};
    UNROLLED
    for (int k = 0; k < 3; ++k) {
        const double *r = f->r[axes[k]];
        n->middle[k] = f->t[axes[k]] + s * r[j];
        n->first[k] = f->other_half[p] * r[p];
        n->second[k] = f->other_half[q] * r[q];
    }
    n->middle[2] = f->sign * n->middle[2] - f->half[f->axis];
    n->first[2] *= f->sign;
    n->second[2] *= f->sign;
    n->slack_first = slack / f->other_half[p];
    n->slack_second = slack / f->other_half[q];
    n->corner = positive ? 1u << j : 0u;
    n->bit_first = 1u << p;
    n->bit_second = 1u << q;
}

// What the incident parallelogram and the reference rectangle have in common are corners of the
// one within the other and crossings of their edges. Where they nearly coincide, as in every neat
// stack, a corner of the incident face comes before one of the reference face, and that before a
// crossing, to within `slack`: the same points under the same names whatever the rounding. Each
// corner is written, and counted only if it is a spot: no branch has to be guessed.
static int incident_corners(const incident *n, double hu, double hv, double reach, spot *spots)
{
    int count = 0;
    UNROLLED
    for (int k = 0; k < 4; ++k) {
        double s = (k & 1) != 0 ? 1.0 : -1.0, t = (k & 2) != 0 ? 1.0 : -1.0;
        spot *p = &spots[count];
        p->u[0] = n->middle[0] + s * n->first[0] + t * n->second[0];
        p->u[1] = n->middle[1] + s * n->first[1] + t * n->second[1];
        p->height = n->middle[2] + s * n->first[2] + t * n->second[2];
        uint32_t corner =
            n->corner | ((k & 1) != 0 ? n->bit_first : 0u) | ((k & 2) != 0 ? n->bit_second : 0u);
        p->inner = 2 * corner + 2;
        p->outer = 0;
        count += (fabs(p->u[0]) <= hu) & (fabs(p->u[1]) <= hv) & (p->height <= reach);
    }
    return count;
}

static int reference_corners(const incident *n, double hu, double hv, double reach, uint32_t face,
                             spot *spots)
{
    double determinant = n->first[0] * n->second[1] - n->first[1] * n->second[0];
    double inverse = 1.0 / determinant;
    double most_s = 1.0 + n->slack_first, most_t = 1.0 + n->slack_second;
    double least_s = 1.0 - n->slack_first, least_t = 1.0 - n->slack_second;
    int count = 0;
    UNROLLED
    for (int k = 0; k < 4; ++k) {
        double x = (k & 1) != 0 ? hu : -hu, y = (k & 2) != 0 ? hv : -hv;
        double dx = x - n->middle[0], dy = y - n->middle[1];
        double s = (dx * n->second[1] - dy * n->second[0]) * inverse;
        double t = (dy * n->first[0] - dx * n->first[1]) * inverse;
        spot *p = &spots[count];
        p->u[0] = x;
        p->u[1] = y;
        p->height = n->middle[2] + s * n->first[2] + t * n->second[2];
        p->inner = 0;
        p->outer = 2 * (face + (uint32_t)k) + 2;
        bool inside = (fabs(s) <= most_s) & (fabs(t) <= most_t);
        bool at_corner = (fabs(s) >= least_s) & (fabs(t) >= least_t);
        count += inside & !at_corner & (p->height <= reach);
    }
    return count;
}

static double reciprocal(double x)
{
    return fabs(x) > 1e-300 ? 1.0 / x : 1e300;
}

// Where the incident edge `from` + s `along`, |s| <= 1, crosses a side of the rectangle: that of u
// (by_u) or of v.
static int cut(const double *from, const double *along, double s, bool by_u, double hu, double hv,
               double slack, double reach, uint32_t edge, uint32_t face, spot *p)
{
    double x = from[0] + s * along[0], y = from[1] + s * along[1];
    double across = by_u ? fabs(y) - hv : fabs(x) - hu;
    bool positive = (by_u ? x : y) > 0.0;
    p->u[0] = by_u ? (x > 0.0 ? hu : -hu) : x;
    p->u[1] = by_u ? y : (y > 0.0 ? hv : -hv);
    p->height = from[2] + s * along[2];
    p->inner = edge;
    p->outer = 2 * (face + 4 + (by_u ? 0u : 2u) + (positive ? 1u : 0u)) + 3;
    return (across < -slack) & (p->height <= reach);
}

static int cut_edge(const double *from, const double *along, const double *inverse, double hu,
                    double hv, double slack, double slack_s, double reach, uint32_t edge,
                    uint32_t face, spot *spots)
{
    double middle_u = -from[0] * inverse[0], middle_v = -from[1] * inverse[1];
    double wide_u = hu * fabs(inverse[0]), wide_v = hv * fabs(inverse[1]);
    double in_u = middle_u - wide_u, in_v = middle_v - wide_v;
    double out_u = middle_u + wide_u, out_v = middle_v + wide_v;
    double in = in_u > in_v ? in_u : in_v, out = out_u < out_v ? out_u : out_v;
    double end = 1.0 - slack_s;
    int count = 0;
    if (!(in < out)) {
        return 0;
    }
    if (fabs(in) < end) {
        count += cut(from, along, in, in_u > in_v, hu, hv, slack, reach, edge, face, spots);
    }
    if (fabs(out) < end) {
        count +=
            cut(from, along, out, out_u < out_v, hu, hv, slack, reach, edge, face, spots + count);
    }
    return count;
}

static int edge_cuts(const incident *n, double hu, double hv, double slack, double reach,
                     uint32_t face, spot *spots)
{
    double inverse_first[2] = {reciprocal(n->first[0]), reciprocal(n->first[1])};
    double inverse_second[2] = {reciprocal(n->second[0]), reciprocal(n->second[1])};
    int count = 0;
    UNROLLED
    for (int k = 0; k < 2; ++k) {
        double sign = k == 0 ? -1.0 : 1.0, from[3];
        uint32_t corner = n->corner | (k != 0 ? n->bit_second : 0u);
        UNROLLED
        for (int m = 0; m < 3; ++m) {
            from[m] = n->middle[m] + sign * n->second[m];
        }
        count += cut_edge(from, n->first, inverse_first, hu, hv, slack, n->slack_first, reach,
                          2 * (corner + 8 * n->bit_first) + 3, face, spots + count);
        corner = n->corner | (k != 0 ? n->bit_first : 0u);
        UNROLLED
        for (int m = 0; m < 3; ++m) {
            from[m] = n->middle[m] + sign * n->first[m];
        }
        count += cut_edge(from, n->second, inverse_second, hu, hv, slack, n->slack_second, reach,
                          2 * (corner + 8 * n->bit_second) + 3, face, spots + count);
    }
    return count;
}

// Spots no higher than `reach`.
static int common_spots(const reference *f, double slack, double reach, spot *spots)
{
    incident n;
    set_incident(f, slack, &n);
    double hu = f->half[f->u], hv = f->half[f->v];
    uint32_t face = 64 + 16 * (uint32_t)f->axis + (f->sign > 0.0 ? 8 : 0);
    int count = incident_corners(&n, hu + slack, hv + slack, reach, spots);
    double far_u = fabs(n.middle[0]) + fabs(n.first[0]) + fabs(n.second[0]);
    double far_v = fabs(n.middle[1]) + fabs(n.first[1]) + fabs(n.second[1]);
    if (far_u <= hu + slack && far_v <= hv + slack) {
        return count; // all of the incident face is over the reference face
    }
    count += reference_corners(&n, hu, hv, reach, face, spots + count);
    return count + edge_cuts(&n, hu, hv, slack, reach, face, spots + count);
}

// In the axes (u, v, axis) of the reference, the reference as a, heights less both roundings.
static void place_spot(const reference *f, const spot *s, double rounding, sn_manifold_point *p)
{
    p->on_a.x = s->u[0];
    p->on_a.y = s->u[1];
    p->on_a.z = f->sign * (f->half[f->axis] + f->box->rounding);
    p->gap = s->height - rounding;
    p->feature = s->outer | s->inner << 16;
}

// False when the boxes are apart and their nearest points are not on the face.
static bool touch_faces(const reference *f, double separation, double rounding, double margin,
                        double scale, sn_manifold *m)
{
    spot spots[SPOTS + 2]; // two more: what is written before it is found to be none
    int count = common_spots(f, 1e-5 * scale, margin + rounding, spots);
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        least = spots[i].height < least ? spots[i].height : least;
    }
    if (count == 0 || (separation > 0.0 && !(least <= separation + 1e-6 * scale))) {
        return false;
    }
    sn_manifold_point points[SPOTS + 2];
    for (int i = 0; i < count; ++i) {
        place_spot(f, &spots[i], rounding, &points[i]);
    }
    m->normal = sn_vec3_make(0.0, 0.0, f->sign);
    m->patch = 0;
    sn_manifold_reduce(m, points, count, SN_FACE_LEVEL * scale, SN_FACE_SHARE);
    return true;
}

static void face_to_world(const reference *f, const sn_transform *place, bool swapped,
                          sn_manifold *m)
{
    sn_mat3 r = sn_quat_to_mat3(place->rotation);
    sn_vec3 u = {r.m[0][f->u], r.m[1][f->u], r.m[2][f->u]};
    sn_vec3 v = {r.m[0][f->v], r.m[1][f->v], r.m[2][f->v]};
    sn_vec3 n = {r.m[0][f->axis], r.m[1][f->axis], r.m[2][f->axis]};
    // All spots lie in one plane of the reference.
    sn_vec3 base = sn_vec3_add_scaled(place->position, m->points[0].on_a.z, n);
    m->normal = f->sign > 0.0 ? n : sn_vec3_negate(n);
    sn_vec3 normal = m->normal;
    if (swapped) {
        m->normal = sn_vec3_negate(normal);
    }
    for (int i = 0; i < m->count; ++i) {
        sn_manifold_point *p = &m->points[i];
        sn_vec3 on = sn_vec3_add_scaled(sn_vec3_add_scaled(base, p->on_a.x, u), p->on_a.y, v);
        sn_vec3 over = sn_vec3_add_scaled(on, p->gap, normal);
        p->on_a = swapped ? over : on;
        p->on_b = swapped ? on : over;
        p->feature = swapped ? p->feature >> 16 | p->feature << 16 : p->feature;
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
    UNROLLED
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
            face_to_world(&f, kind < FACE_B ? place_a : place_b, kind >= FACE_B, m);
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
