#include "collide/clearance.h"

#include <string.h>

// ---- cubics ----

sn_cubic sn_cubic_hermite(double g_a, double d_a, double g_b, double d_b, double h)
{
    sn_cubic cubic = {{g_a, g_a + h / 3.0 * d_a, g_b - h / 3.0 * d_b, g_b}};
    return cubic;
}

// The two halves, by de Casteljau's rule.
static void halve(const sn_cubic *c, sn_cubic *left, sn_cubic *right)
{
    const double *p = c->b;
    double middle = 0.5 * (p[1] + p[2]);
    left->b[0] = p[0];
    left->b[1] = 0.5 * (p[0] + p[1]);
    left->b[2] = 0.5 * (left->b[1] + middle);
    right->b[3] = p[3];
    right->b[2] = 0.5 * (p[2] + p[3]);
    right->b[1] = 0.5 * (right->b[2] + middle);
    left->b[3] = right->b[0] = 0.5 * (left->b[2] + right->b[1]);
}

double sn_cubic_at(const sn_cubic *cubic, double u)
{
    const double *p = cubic->b;
    double w = 1.0 - u;
    return w * w * (w * p[0] + 3.0 * u * p[1]) + u * u * (3.0 * w * p[2] + u * p[3]);
}

static bool has_one_sign(const sn_cubic *c)
{
    const double *p = c->b;
    return (p[0] > 0.0 && p[1] > 0.0 && p[2] > 0.0 && p[3] > 0.0) ||
           (p[0] <= 0.0 && p[1] <= 0.0 && p[2] <= 0.0 && p[3] <= 0.0);
}

int sn_cubic_roots(const sn_cubic *cubic, double flat, double roots[3])
{
    enum { DEPTH = 48 };
    typedef struct part {
        sn_cubic cubic;
        double start, width;
        int depth;
    } part;
    part stack[DEPTH + 2];
    double size = 0.0;
    for (int k = 0; k < 4; ++k) {
        size = fmax(size, fabs(cubic->b[k]));
    }
    int top = 0, count = 0;
    stack[top++] = (part){*cubic, 0.0, 1.0, 0};
    while (top > 0 && count < 3) {
        part at = stack[--top];
        const double *p = at.cubic.b;
        if (has_one_sign(&at.cubic)) { // its hull has no root
            continue;
        }
        bool straight = fabs(p[0] + p[2] - 2.0 * p[1]) <= flat * size &&
                        fabs(p[1] + p[3] - 2.0 * p[2]) <= flat * size;
        if (straight || at.depth == DEPTH) {
            if ((p[0] > 0.0) != (p[3] > 0.0)) {
                roots[count++] = at.start + at.width * (p[0] / (p[0] - p[3]));
            }
            continue;
        }
        sn_cubic left, right;
        halve(&at.cubic, &left, &right);
        double width = 0.5 * at.width;
        stack[top++] = (part){right, at.start + width, width, at.depth + 1};
        stack[top++] = (part){left, at.start, width, at.depth + 1};
    }
    return count;
}

// ---- clearances ----

// A vector and how it changes.
typedef struct changing {
    sn_vec3 x, v;
} changing;

static changing difference(const sn_clearance_state *s, int to, int from)
{
    return (changing){sn_vec3_sub(s->x[to], s->x[from]), sn_vec3_sub(s->v[to], s->v[from])};
}

static changing cross(changing a, changing b)
{
    return (changing){sn_cross(a.x, b.x), sn_vec3_add(sn_cross(a.v, b.x), sn_cross(a.x, b.v))};
}

static void dot(changing a, changing b, double *value, double *rate)
{
    *value = sn_dot(a.x, b.x);
    *rate = sn_dot(a.v, b.x) + sn_dot(a.x, b.v);
}

// n = (p2 - p1) x (p3 - p1), G1 = n . (p4 - p1); with n_i = n x (the edge across from corner i)
// G2 = n1 . (p2 - p4), G3 = n2 . (p1 - p4), G4 = n3 . (p1 - p4): all below 0 in the face's prism.
// Here p4 is point 0.
static int of_vertex_face(const sn_clearance_state *s, double *values, double *rates)
{
    changing n = cross(difference(s, 2, 1), difference(s, 3, 1));
    dot(n, difference(s, 0, 1), &values[0], &rates[0]);
    dot(cross(n, difference(s, 3, 2)), difference(s, 2, 0), &values[1], &rates[1]);
    dot(cross(n, difference(s, 1, 3)), difference(s, 1, 0), &values[2], &rates[2]);
    dot(cross(n, difference(s, 2, 1)), difference(s, 1, 0), &values[3], &rates[3]);
    return 4;
}

// G1 = (p2 - p1) . ((p3 - p1) x (p4 - p1)); n1 = (p2 - p1) x (m1 - p1), n2 = (p4 - p3) x (m2 - p3);
// G2, G3 = n1 . (p3 - p1), n1 . (p4 - p1); G4, G5 = n2 . (p1 - p3), n2 . (p2 - p3).
static int of_edge_edge(const sn_clearance_state *s, double *values, double *rates)
{
    dot(difference(s, 1, 0), cross(difference(s, 2, 0), difference(s, 3, 0)), &values[0],
        &rates[0]);
    changing n1 = cross(difference(s, 1, 0), difference(s, 4, 0));
    changing n2 = cross(difference(s, 3, 2), difference(s, 5, 2));
    dot(n1, difference(s, 2, 0), &values[1], &rates[1]);
    dot(n1, difference(s, 3, 0), &values[2], &rates[2]);
    dot(n2, difference(s, 0, 2), &values[3], &rates[3]);
    dot(n2, difference(s, 1, 2), &values[4], &rates[4]);
    return 5;
}

int sn_clearances(sn_pair_kind kind, const sn_clearance_state *state, double values[SN_CLEARANCES],
                  double rates[SN_CLEARANCES])
{
    return kind == SN_VERTEX_FACE ? of_vertex_face(state, values, rates)
                                  : of_edge_edge(state, values, rates);
}

// ---- events ----

// What is on the border of a prism or at the end of an edge counts, up to this share of the
// clearance's own size: through the seams of a surface nothing shall slip.
static const double ON_BORDER = 1e-9;

static double size_of(const sn_cubic *c)
{
    double size = 0.0;
    for (int k = 0; k < 4; ++k) {
        size = fmax(size, fabs(c->b[k]));
    }
    return size;
}

// 7.2.1 and (7.3). `falling`: G1 goes from above 0 to below.
static bool is_meeting(sn_pair_kind kind, const sn_cubic *g, double u, bool falling)
{
    double at[SN_CLEARANCES];
    for (int i = 1; i < (kind == SN_VERTEX_FACE ? 4 : 5); ++i) {
        // G2 and G4 of two edges have the sign that G1 had, G3 and G5 the other.
        bool above = kind == SN_EDGE_EDGE && (i % 2 == 1) == falling;
        at[i] = (above ? -1.0 : 1.0) * sn_cubic_at(&g[i], u) - ON_BORDER * size_of(&g[i]);
    }
    bool within = at[1] < 0.0 && at[2] < 0.0 && at[3] < 0.0;
    return kind == SN_VERTEX_FACE ? falling && within : within && at[4] < 0.0;
}

bool sn_clearance_event(sn_pair_kind kind, const sn_clearance_state *a, const sn_clearance_state *b,
                        double h, double *u)
{
    double g_a[SN_CLEARANCES], d_a[SN_CLEARANCES], g_b[SN_CLEARANCES], d_b[SN_CLEARANCES];
    int count = sn_clearances(kind, a, g_a, d_a);
    sn_clearances(kind, b, g_b, d_b);
    sn_cubic g[SN_CLEARANCES];
    g[0] = sn_cubic_hermite(g_a[0], d_a[0], g_b[0], d_b[0], h);
    if (has_one_sign(&g[0])) {
        return false;
    }
    for (int i = 1; i < count; ++i) {
        g[i] = sn_cubic_hermite(g_a[i], d_a[i], g_b[i], d_b[i], h);
    }
    double roots[3];
    int found = sn_cubic_roots(&g[0], 1e-13, roots);
    // Signs alternate from root to root.
    bool falling = g_a[0] > 0.0;
    for (int i = 0; i < found; ++i, falling = !falling) {
        if (is_meeting(kind, g, roots[i], falling)) {
            *u = roots[i];
            return true;
        }
    }
    return false;
}

// ---- where ----

// alpha1 = n1 . (b - p2) / (n1 . (p1 - p2)), alpha2 likewise, alpha3 the rest.
static void weights_of_face(const sn_vec3 x[4], double weights[4])
{
    sn_vec3 n = sn_cross(sn_vec3_sub(x[2], x[1]), sn_vec3_sub(x[3], x[1]));
    sn_vec3 n1 = sn_cross(n, sn_vec3_sub(x[3], x[2])), n2 = sn_cross(n, sn_vec3_sub(x[1], x[3]));
    double whole1 = sn_dot(n1, sn_vec3_sub(x[1], x[2]));
    double whole2 = sn_dot(n2, sn_vec3_sub(x[2], x[1]));
    double a = whole1 != 0.0 ? sn_dot(n1, sn_vec3_sub(x[0], x[2])) / whole1 : 1.0;
    double b = whole2 != 0.0 ? sn_dot(n2, sn_vec3_sub(x[0], x[1])) / whole2 : 0.0;
    memcpy(weights, (double[4]){1.0, a, b, 1.0 - a - b}, 4 * sizeof *weights);
}

void sn_clearance_weights(sn_pair_kind kind, const sn_vec3 x[4], double weights[4])
{
    if (kind == SN_VERTEX_FACE) {
        weights_of_face(x, weights);
        return;
    }
    sn_pair_nearest nearest = sn_pair_find_nearest(kind, x);
    memcpy(weights, nearest.weights, 4 * sizeof *weights);
}
