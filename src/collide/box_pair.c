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
//
// Three axes, or four corners or edges, go side by side in lanes: see math/lanes.h.
#include "collide/pairs.h"
#include "math/lanes.h"

// cache->kind: 0 none, 1 .. 3 faces of a, 4 .. 6 faces of b, 7 .. 15 edges.
enum { FACE_A = 1, FACE_B = 4, EDGE = 7 };

// The fourth lane of each is 0.
typedef struct boxes {
    sn_lanes half_a, half_b;
    sn_lanes b_axis[3], a_axis[3]; // b's axes in a's, and a's in b's
    sn_lanes abs_b[3], abs_a[3];   // their sizes
    sn_lanes t, tb;                // b's centre from a's, in a's axes and in b's
    sn_lanes far, far_b;           // their sizes
    double scale;
} boxes;

// ---- separating axes ----

// How far apart they are along the three axes of one box: |t_i| - (half_i + sum_j |r_ij| other_j).
SN_WIDE void face_axes(const sn_lanes *far, const sn_lanes *half, const sn_lanes abs[3],
                       const sn_lanes *other, sn_lanes *apart)
{
    *apart = *far - (*half + (abs[0] * (*other)[0] + abs[1] * (*other)[1] + abs[2] * (*other)[2]));
}

// Along a_i x b_j for the three j, times the lengths of these products, whose squares are *length2.
SN_WIDE void edge_axes(const boxes *x, int i, sn_lanes *apart, sn_lanes *length2)
{
    static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    int i1 = next[i], i2 = last[i];
    sn_lanes half_1 = __builtin_shufflevector(x->half_b, x->half_b, 1, 2, 0, 3);
    sn_lanes half_2 = __builtin_shufflevector(x->half_b, x->half_b, 2, 0, 1, 3);
    sn_lanes abs_1 = __builtin_shufflevector(x->abs_a[i], x->abs_a[i], 1, 2, 0, 3);
    sn_lanes abs_2 = __builtin_shufflevector(x->abs_a[i], x->abs_a[i], 2, 0, 1, 3);
    sn_lanes reach_a = x->half_a[i1] * x->abs_a[i2] + x->half_a[i2] * x->abs_a[i1];
    sn_lanes reach_b = half_1 * abs_2 + half_2 * abs_1;
    *apart = x->t[i2] * x->a_axis[i1] - x->t[i1] * x->a_axis[i2];
    wide_abs(apart);
    *apart -= reach_a + reach_b;
    *length2 = x->a_axis[i1] * x->a_axis[i1] + x->a_axis[i2] * x->a_axis[i2];
}

// Are they farther apart than `reach` along the axis that held last?
SN_WIDE bool still_apart(const boxes *x, int kind, double reach)
{
    sn_lanes apart, length2;
    if (kind < FACE_A || kind > EDGE + 8) {
        return false;
    }
    if (kind < EDGE) {
        bool of_a = kind < FACE_B;
        face_axes(of_a ? &x->far : &x->far_b, of_a ? &x->half_a : &x->half_b,
                  of_a ? x->abs_b : x->abs_a, of_a ? &x->half_b : &x->half_a, &apart);
        return apart[of_a ? kind - FACE_A : kind - FACE_B] > reach;
    }
    edge_axes(x, (kind - EDGE) / 3, &apart, &length2);
    double s = apart[(kind - EDGE) % 3], l = length2[(kind - EDGE) % 3];
    return s > 0.0 && s * s > reach * reach * l && l > 1e-12;
}

// A vector and its sizes, by way of one that is not in memory: GCC would write it there number by
// number and then wait to read it as a whole.
SN_WIDE void put(double x, double y, double z, sn_lanes *vector, sn_lanes *sizes)
{
    sn_lanes v = {x, y, z, 0.0};
    *vector = v;
    wide_abs(&v);
    *sizes = v;
}

SN_WIDE void load(const sn_core_pair *pair, boxes *x)
{
    const double(*r)[3] = pair->rotation.m;
    sn_vec3 a = pair->a->half, b = pair->b->half, t = pair->offset;
    sn_lanes size;
    put(a.x, a.y, a.z, &size, &x->half_a);
    put(b.x, b.y, b.z, &size, &x->half_b);
    put(t.x, t.y, t.z, &x->t, &x->far);
    SN_UNROLLED
    for (int i = 0; i < 3; ++i) {
        put(r[0][i], r[1][i], r[2][i], &x->b_axis[i], &x->abs_b[i]);
        put(r[i][0], r[i][1], r[i][2], &x->a_axis[i], &x->abs_a[i]);
    }
    sn_lanes tb = x->a_axis[0] * t.x + x->a_axis[1] * t.y + x->a_axis[2] * t.z;
    x->tb = tb;
    wide_abs(&tb);
    x->far_b = tb;
}

// Of the angle between an edge's axis and a face's normal, without sign.
static double cosine_of(const boxes *x, int edge, int face)
{
    static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    int i = (edge - EDGE) / 3, j = (edge - EDGE) % 3, i1 = next[i], i2 = last[i];
    double r1 = x->a_axis[i1][j], r2 = x->a_axis[i2][j], length = sqrt(r1 * r1 + r2 * r2);
    if (face < FACE_B) { // a_k . (a_i x b_j)
        int k = face - FACE_A;
        return k == i ? 0.0 : fabs(k == i1 ? r2 : r1) / length;
    }
    int m = face - FACE_B; // b_m . (a_i x b_j) = a_i . (b_j x b_m)
    return m == j ? 0.0 : x->abs_a[i][3 - j - m] / length;
}

// The best of three: which, and its value.
SN_WIDE int best_of(const sn_lanes *values, double *best)
{
    sn_lanes v = *values;
    int which = v[1] > v[0] ? 1 : 0;
    *best = v[1] > v[0] ? v[1] : v[0];
    which = v[2] > *best ? 2 : which;
    *best = v[2] > *best ? v[2] : *best;
    return which;
}

// The edges' axis along which they are farther apart than *square says, if there is one, and else
// 0. Values are compared as squares with their sign, s |s| / length^2, so that only a better one
// costs a division. Parallel edges are left out: a face's axis does for them.
SN_WIDE int best_edge(const boxes *x, double *square)
{
    sn_lanes signed2[3], length2[3];
    sn_lane_mask better = {0, 0, 0, 0};
    SN_UNROLLED
    for (int i = 0; i < 3; ++i) {
        sn_lanes s, size;
        edge_axes(x, i, &s, &length2[i]);
        size = s;
        wide_abs(&size);
        signed2[i] = s * size;
        better |= (signed2[i] > *square * length2[i]) & (length2[i] > 1e-8);
    }
    int kind = 0;
    if (!wide_any(&better)) {
        return kind;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (signed2[i][j] > *square * length2[i][j] && length2[i][j] > 1e-8) {
                *square = signed2[i][j] / length2[i][j];
                kind = EDGE + 3 * i + j;
            }
        }
    }
    return kind;
}

// The best axis of all: its kind, and how far apart they are along it. Kind 0: beyond `reach`, and
// cache->kind says along which.
SN_WIDE int best_axis(const boxes *x, double reach, sn_collide_cache *cache, double *separation)
{
    int held = cache->kind;
    sn_lanes along_a, along_b;
    double a, b;
    face_axes(&x->far, &x->half_a, x->abs_b, &x->half_b, &along_a);
    face_axes(&x->far_b, &x->half_b, x->abs_a, &x->half_a, &along_b);
    int kind_a = FACE_A + best_of(&along_a, &a), kind_b = FACE_B + best_of(&along_b, &b);
    if (a > reach || b > reach) {
        cache->kind = (uint8_t)(a > reach ? kind_a : kind_b);
        return 0;
    }
    double most = a > b ? a : b, bias = (most < 1e-4 * x->scale ? 1e-4 : 1e-9) * x->scale;
    // Edges that do no better than faces are of no interest.
    double square = most * fabs(most);
    int kind_e = best_edge(x, &square);
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

// Points over the reference face: coordinates across the face, gap, and names of what makes them,
// of the reference and of the other: corners even, edges odd, 0 inside.
typedef struct spots {
    sn_manifold_point points[16 + 1]; // corners of both faces, two cuts of each incident edge, and
                                      // one that is written before it is found to be none
    double level;                     // of the reference face
    double rounding;                  // of both
    sn_lanes lowest;                  // heights
    int64_t count;
} spots;

typedef struct reference {
    const sn_collider *box;
    int axis, u, v;
    double sign;          // of the face
    const sn_lanes *axes; // of the other box, in the reference's
    sn_lanes t;           // its centre
    sn_lanes half;        // of the reference
    sn_lanes other_half;
} reference;

// The other box's face that looks at the reference face: middle + s first + t second, |s|, |t| <=
// 1, each as two coordinates across the reference face and a height.
typedef struct incident {
    double middle[3], first[3], second[3];
    double slack_first, slack_second; // what the slack of lengths is of s and t
    uint32_t corner;                  // the one at s = t = -1
    uint32_t bit_first, bit_second;   // what is added to it at s = 1, t = 1
} incident;

SN_WIDE void set_reference(const sn_core_pair *pair, const boxes *x, int kind, reference *f)
{
    bool of_a = kind < FACE_B;
    f->box = of_a ? pair->a : pair->b;
    f->axis = of_a ? kind - FACE_A : kind - FACE_B;
    f->u = f->axis == 2 ? 0 : f->axis + 1;
    f->v = f->axis == 0 ? 2 : f->axis - 1;
    f->axes = of_a ? x->b_axis : x->a_axis;
    f->t = of_a ? x->t : -x->tb;
    f->half = of_a ? x->half_a : x->half_b;
    f->other_half = of_a ? x->half_b : x->half_a;
    f->sign = f->t[f->axis] >= 0.0 ? 1.0 : -1.0;
}

SN_WIDE void across(const reference *f, const sn_lanes *v, double result[3])
{
    result[0] = (*v)[f->u];
    result[1] = (*v)[f->v];
    result[2] = f->sign * (*v)[f->axis];
}

SN_WIDE void set_incident(const reference *f, double slack, incident *n)
{
    double row[3] = {f->axes[0][f->axis], f->axes[1][f->axis], f->axes[2][f->axis]};
    int j = fabs(row[0]) >= fabs(row[1]) ? 0 : 1;
    j = fabs(row[2]) > fabs(row[j]) ? 2 : j;
    int p = j == 2 ? 0 : j + 1, q = j == 0 ? 2 : j - 1;
    bool positive = f->sign * row[j] < 0.0;
    double s = positive ? f->other_half[j] : -f->other_half[j];
    sn_lanes middle = f->t + s * f->axes[j];
    sn_lanes first = f->other_half[p] * f->axes[p], second = f->other_half[q] * f->axes[q];
    across(f, &middle, n->middle);
    across(f, &first, n->first);
    across(f, &second, n->second);
    n->middle[2] -= f->half[f->axis];
    n->slack_first = slack / f->other_half[p];
    n->slack_second = slack / f->other_half[q];
    n->corner = positive ? 1u << j : 0u;
    n->bit_first = 1u << p;
    n->bit_second = 1u << q;
}

// Four candidates side by side. Each is written, and counted only if it is a spot: no branch has to
// be guessed.
typedef struct candidates {
    sn_lanes u, v, height, gap;
    sn_lane_mask good;
} candidates;

SN_WIDE void weigh(candidates *c, spots *all)
{
    sn_lane_mask lower = c->good & (c->height < all->lowest);
    wide_select(&all->lowest, &lower, &c->height, &all->lowest);
    c->gap = c->height - all->rounding;
}

SN_WIDE void put_spot(spots *all, const candidates *c, int lane, uint32_t outer, uint32_t inner)
{
    sn_manifold_point *p = &all->points[all->count];
    p->on_a.x = c->u[lane];
    p->on_a.y = c->v[lane];
    p->on_a.z = all->level;
    p->gap = c->gap[lane];
    p->feature = outer | inner << 16;
    all->count -= c->good[lane];
}

// What the incident parallelogram and the reference rectangle have in common are corners of the
// one within the other and crossings of their edges. Where they nearly coincide, as in every neat
// stack, a corner of the incident face comes before one of the reference face, and that before a
// crossing, to within `slack`: the same points under the same names whatever the rounding.
SN_WIDE void incident_corners(const incident *n, double hu, double hv, double reach, spots *all)
{
    const sn_lanes s = {-1.0, 1.0, -1.0, 1.0}, t = {-1.0, -1.0, 1.0, 1.0};
    candidates c;
    c.u = n->middle[0] + s * n->first[0] + t * n->second[0];
    c.v = n->middle[1] + s * n->first[1] + t * n->second[1];
    c.height = n->middle[2] + s * n->first[2] + t * n->second[2];
    sn_lanes far_u = c.u, far_v = c.v;
    wide_abs(&far_u);
    wide_abs(&far_v);
    c.good = (far_u <= hu) & (far_v <= hv) & (c.height <= reach);
    weigh(&c, all);
    SN_UNROLLED
    for (int k = 0; k < SN_LANES; ++k) {
        uint32_t corner =
            n->corner | ((k & 1) != 0 ? n->bit_first : 0u) | ((k & 2) != 0 ? n->bit_second : 0u);
        put_spot(all, &c, k, 0, 2 * corner + 2);
    }
}

SN_WIDE void reference_corners(const incident *n, double hu, double hv, double reach, uint32_t face,
                               spots *all)
{
    double determinant = n->first[0] * n->second[1] - n->first[1] * n->second[0];
    double inverse = 1.0 / determinant;
    candidates c = {.u = {-hu, hu, -hu, hu}, .v = {-hv, -hv, hv, hv}};
    sn_lanes dx = c.u - n->middle[0], dy = c.v - n->middle[1];
    sn_lanes s = (dx * n->second[1] - dy * n->second[0]) * inverse;
    sn_lanes t = (dy * n->first[0] - dx * n->first[1]) * inverse;
    c.height = n->middle[2] + s * n->first[2] + t * n->second[2];
    wide_abs(&s);
    wide_abs(&t);
    sn_lane_mask inside = (s <= 1.0 + n->slack_first) & (t <= 1.0 + n->slack_second);
    sn_lane_mask at_corner = (s >= 1.0 - n->slack_first) & (t >= 1.0 - n->slack_second);
    c.good = inside & ~at_corner & (c.height <= reach);
    weigh(&c, all);
    SN_UNROLLED
    for (int k = 0; k < SN_LANES; ++k) {
        put_spot(all, &c, k, 2 * (face + (uint32_t)k) + 2, 0);
    }
}

// The four incident edges from + s along, |s| <= 1.
typedef struct edges {
    sn_lanes from[3], along[3];
    sn_lanes end;             // where corners begin
    uint32_t inner[SN_LANES]; // names
    double hu, hv;            // of the rectangle
    double slack, reach;
    uint32_t face;
} edges;

// Where they cross the rectangle's sides at s: those of u (by_u) or of v.
SN_WIDE void cut(const edges *e, const sn_lanes *s, const sn_lane_mask *by_u,
                 const sn_lane_mask *cuts, candidates *c, uint32_t outer[SN_LANES])
{
    sn_lanes x = e->from[0] + *s * e->along[0], y = e->from[1] + *s * e->along[1];
    sn_lanes far_x = x, far_y = y, over, size = *s;
    sn_lanes plus_u = {e->hu, e->hu, e->hu, e->hu}, plus_v = {e->hv, e->hv, e->hv, e->hv};
    sn_lanes minus_u = -plus_u, minus_v = -plus_v;
    sn_lane_mask right = x > 0.0, up = y > 0.0;
    wide_abs(&far_x);
    wide_abs(&far_y);
    wide_abs(&size);
    far_x -= e->hu;
    far_y -= e->hv;
    wide_select(&over, by_u, &far_y, &far_x);
    wide_select(&plus_u, &right, &plus_u, &minus_u);
    wide_select(&plus_v, &up, &plus_v, &minus_v);
    wide_select(&c->u, by_u, &plus_u, &x);
    wide_select(&c->v, by_u, &y, &plus_v);
    c->height = e->from[2] + *s * e->along[2];
    c->good = *cuts & (size < e->end) & (over < -e->slack) & (c->height <= e->reach);
    sn_lane_mask side = (*by_u & -right) | (~*by_u & (2 - up));
    SN_UNROLLED
    for (int k = 0; k < SN_LANES; ++k) {
        outer[k] = 2 * (e->face + 4 + (uint32_t)side[k]) + 3;
    }
}

// 1 / x, and something huge where that is not a number.
SN_WIDE void wide_reciprocal(sn_lanes *result, const sn_lanes *x)
{
    sn_lanes size = *x, huge = {1e300, 1e300, 1e300, 1e300}, inverse = 1.0 / *x;
    wide_abs(&size);
    sn_lane_mask good = size > 1e-300;
    wide_select(result, &good, &inverse, &huge);
}

SN_WIDE void set_edges(const incident *n, edges *e)
{
    SN_UNROLLED
    for (int k = 0; k < 3; ++k) {
        double f = n->first[k], s = n->second[k];
        sn_lanes across_edge = {-s, -f, s, f};
        e->along[k] = (sn_lanes){f, s, f, s};
        e->from[k] = n->middle[k] + across_edge;
    }
    double first = 1.0 - n->slack_first, second = 1.0 - n->slack_second;
    e->end = (sn_lanes){first, second, first, second};
    uint32_t along_first = n->corner + 8 * n->bit_first,
             along_second = n->corner + 8 * n->bit_second;
    e->inner[0] = 2 * along_first + 3;
    e->inner[1] = 2 * along_second + 3;
    e->inner[2] = 2 * (along_first + n->bit_second) + 3;
    e->inner[3] = 2 * (along_second + n->bit_first) + 3;
}

SN_WIDE void edge_cuts(const incident *n, edges *e, spots *all)
{
    set_edges(n, e);
    sn_lanes both = {n->first[0], n->second[0], n->first[1], n->second[1]};
    wide_reciprocal(&both, &both);
    sn_lanes inverse_u = __builtin_shufflevector(both, both, 0, 1, 0, 1);
    sn_lanes inverse_v = __builtin_shufflevector(both, both, 2, 3, 2, 3);
    sn_lanes middle_u = -e->from[0] * inverse_u, middle_v = -e->from[1] * inverse_v;
    wide_abs(&inverse_u);
    wide_abs(&inverse_v);
    sn_lanes wide_u = e->hu * inverse_u, wide_v = e->hv * inverse_v;
    sn_lanes in_u = middle_u - wide_u, in_v = middle_v - wide_v, in;
    sn_lanes out_u = middle_u + wide_u, out_v = middle_v + wide_v, out;
    sn_lane_mask in_by_u = in_u > in_v, out_by_u = out_u < out_v;
    wide_select(&in, &in_by_u, &in_u, &in_v);
    wide_select(&out, &out_by_u, &out_u, &out_v);
    sn_lane_mask cuts = in < out;
    candidates enter, leave;
    uint32_t outer_in[SN_LANES], outer_out[SN_LANES];
    cut(e, &in, &in_by_u, &cuts, &enter, outer_in);
    cut(e, &out, &out_by_u, &cuts, &leave, outer_out);
    weigh(&enter, all);
    weigh(&leave, all);
    SN_UNROLLED
    for (int k = 0; k < SN_LANES; ++k) {
        put_spot(all, &enter, k, outer_in[k], e->inner[k]);
        put_spot(all, &leave, k, outer_out[k], e->inner[k]);
    }
}

// Spots no higher than `reach`.
SN_WIDE void common_spots(const reference *f, double slack, double reach, spots *all)
{
    incident n;
    set_incident(f, slack, &n);
    double hu = f->half[f->u], hv = f->half[f->v];
    uint32_t face = 64 + 16 * (uint32_t)f->axis + (f->sign > 0.0 ? 8 : 0);
    incident_corners(&n, hu + slack, hv + slack, reach, all);
    double far_u = fabs(n.middle[0]) + fabs(n.first[0]) + fabs(n.second[0]);
    double far_v = fabs(n.middle[1]) + fabs(n.first[1]) + fabs(n.second[1]);
    if (far_u <= hu + slack && far_v <= hv + slack) {
        return; // all of the incident face is over the reference face
    }
    reference_corners(&n, hu, hv, reach, face, all);
    edges e = {.hu = hu, .hv = hv, .slack = slack, .reach = reach, .face = face};
    edge_cuts(&n, &e, all);
}

// In the axes (u, v, axis) of the reference, the reference as a, heights less both roundings. False
// when the boxes are apart and their nearest points are not on the face.
SN_WIDE bool touch_faces(const reference *f, double separation, double rounding, double margin,
                         double scale, sn_manifold *m)
{
    spots all;
    all.level = f->sign * (f->half[f->axis] + f->box->rounding);
    all.rounding = rounding;
    all.lowest = (sn_lanes){INFINITY, INFINITY, INFINITY, INFINITY};
    all.count = 0;
    common_spots(f, 1e-5 * scale, margin + rounding, &all);
    sn_lane_mask near = all.lowest <= separation + 1e-6 * scale;
    if (all.count == 0 || (separation > 0.0 && !wide_any(&near))) {
        return false;
    }
    m->normal = sn_vec3_make(0.0, 0.0, f->sign);
    m->patch = 0;
    sn_manifold_reduce(m, all.points, (int)all.count, SN_FACE_LEVEL * scale, SN_FACE_SHARE, 0.0);
    return true;
}

SN_WIDE void face_to_world(const reference *f, const sn_transform *place, bool swapped,
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
    sn_vec3 u = sn_vec3_at(e), v = {x->b_axis[j][0], x->b_axis[j][1], x->b_axis[j][2]};
    sn_vec3 n = sn_normalize(sn_cross(u, v));
    n = sn_dot(n, pair->offset) < 0.0 ? sn_vec3_negate(n) : n;
    double along[3];
    sn_vec3_put(along, n);
    uint32_t name_a = 0, name_b = 0;
    SN_UNROLLED
    for (int k = 0; k < 3; ++k) { // middles of the edges that reach farthest towards each other
        bool positive = along[k] >= 0.0;
        mid_a[k] = k == i ? 0.0 : positive ? x->half_a[k] : -x->half_a[k];
        name_a |= (k != i && positive) ? 1u << k : 0u;
        double back = x->b_axis[k][0] * n.x + x->b_axis[k][1] * n.y + x->b_axis[k][2] * n.z;
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

// Whether they touch: 0 no, 1 yes, -1 unknown.
SN_WIDE int touch(const sn_core_pair *pair, const sn_transform *place_a,
                  const sn_transform *place_b, double margin, sn_collide_cache *cache,
                  sn_manifold *m)
{
    double rounding = pair->a->rounding + pair->b->rounding, reach = margin + rounding;
    boxes x;
    load(pair, &x);
    if (still_apart(&x, cache->kind, reach)) {
        return 0;
    }
    x.scale = sn_collide_scale(pair->a, pair->b);
    double separation = 0.0;
    int kind = best_axis(&x, reach, cache, &separation);
    if (kind == 0) {
        return 0;
    }
    if (kind >= EDGE) {
        return touch_edges(pair, &x, kind, separation, place_a, m) ? 1 : -1;
    }
    reference f;
    set_reference(pair, &x, kind, &f);
    if (!touch_faces(&f, separation, rounding, margin, x.scale, m)) {
        return -1;
    }
    face_to_world(&f, kind < FACE_B ? place_a : place_b, kind >= FACE_B, m);
    return 1;
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static int touch_avx2(const sn_core_pair *pair,
                                                      const sn_transform *place_a,
                                                      const sn_transform *place_b, double margin,
                                                      sn_collide_cache *cache, sn_manifold *m)
{
    return touch(pair, place_a, place_b, margin, cache, m);
}
#endif

// Not inlined: what it keeps in memory shall not burden those who go to its twin.
__attribute__((noinline)) static int touch_plain(const sn_core_pair *pair,
                                                 const sn_transform *place_a,
                                                 const sn_transform *place_b, double margin,
                                                 sn_collide_cache *cache, sn_manifold *m)
{
    return touch(pair, place_a, place_b, margin, cache, m);
}

static int touch_either(const sn_core_pair *pair, const sn_transform *place_a,
                        const sn_transform *place_b, double margin, sn_collide_cache *cache,
                        sn_manifold *m)
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        return touch_avx2(pair, place_a, place_b, margin, cache, m);
    }
#endif
    return touch_plain(pair, place_a, place_b, margin, cache, m);
}

int sn_collide_box_box(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                       const sn_transform *place_b, double margin, sn_collide_cache *cache,
                       sn_manifold *m)
{
    sn_collide_cache none = {0};
    cache = cache != NULL ? cache : &none;
    sn_core_pair pair = sn_core_pair_make(a, place_a, b, place_b);
    int touches = touch_either(&pair, place_a, place_b, margin, cache, m);
    if (touches >= 0) {
        return touches;
    }
    sn_collide_cache simplex = *cache; // whose axis of boxes shall not be lost
    int count = sn_collide_convex(a, place_a, b, place_b, margin, &simplex, m);
    simplex.kind = cache->kind;
    *cache = simplex;
    return count;
}
