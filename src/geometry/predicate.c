// J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
// predicates", Discrete & Computational Geometry 18 (1997): a rounded determinant with an error
// bound decides almost always; the rest is summed exactly as an expansion of numbers that do not
// overlap.
#include "geometry/predicate.h"

// a + b = sum + rest, exactly.
static void two_sum(double a, double b, double *sum, double *rest)
{
    double s = a + b;
    double b_part = s - a;
    double a_part = s - b_part;
    *rest = (a - a_part) + (b - b_part);
    *sum = s;
}

static void split(double a, double *high, double *low)
{
    double c = 134217729.0 * a; // 2^27 + 1
    *high = c - (c - a);
    *low = a - *high;
}

// a b = product + rest, exactly.
static void two_product(double a, double b, double *product, double *rest)
{
    double a_high, a_low, b_high, b_low;
    split(a, &a_high, &a_low);
    split(b, &b_high, &b_low);
    double p = a * b;
    *rest = a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
    *product = p;
}

// Adds one number to an expansion of `count` terms in ascending size; the new count.
static int grow(double *terms, int count, double b)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        double rest;
        two_sum(b, terms[i], &b, &rest);
        if (rest != 0.0) {
            terms[kept++] = rest;
        }
    }
    if (b != 0.0 || kept == 0) {
        terms[kept++] = b;
    }
    return kept;
}

// ax by - ay bx + bx cy - by cx + cx ay - cy ax, term by term.
static int exact_orientation(sn_vec2 a, sn_vec2 b, sn_vec2 c)
{
    const double factors[6][2] = {{a.x, b.y},  {-a.y, b.x}, {b.x, c.y},
                                  {-b.y, c.x}, {c.x, a.y},  {-c.y, a.x}};
    double terms[13];
    int count = 0;
    for (int i = 0; i < 6; ++i) {
        double product, rest;
        two_product(factors[i][0], factors[i][1], &product, &rest);
        count = grow(terms, count, rest);
        count = grow(terms, count, product);
    }
    double largest = terms[count - 1];
    return (largest > 0.0) - (largest < 0.0);
}

int sn_orient2d(sn_vec2 a, sn_vec2 b, sn_vec2 c)
{
    double left = (a.x - c.x) * (b.y - c.y);
    double right = (a.y - c.y) * (b.x - c.x);
    double determinant = left - right;
    // (3 + 16 u) u with u = 2^-53: Shewchuk's bound A.
    double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
    if (determinant > bound || -determinant > bound) {
        return determinant > 0.0 ? 1 : -1;
    }
    return exact_orientation(a, b, c);
}

// ---- in space ----

typedef struct expansion {
    double terms[200]; // 24 products of three numbers are four terms each
    int count;
} expansion;

// Adds sign times the determinant of three rows, as six products of three numbers.
static void add_rows(expansion *sum, double sign, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    const double factors[6][3] = {{a.x, b.y, c.z},  {-a.x, b.z, c.y}, {a.y, b.z, c.x},
                                  {-a.y, b.x, c.z}, {a.z, b.x, c.y},  {-a.z, b.y, c.x}};
    for (int i = 0; i < 6; ++i) {
        double parts[2];
        two_product(sign * factors[i][0], factors[i][1], &parts[1], &parts[0]);
        for (int k = 0; k < 2; ++k) {
            double product, rest;
            two_product(parts[k], factors[i][2], &product, &rest);
            sum->count = grow(sum->terms, sum->count, rest);
            sum->count = grow(sum->terms, sum->count, product);
        }
    }
}

int sn_orient3d(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d)
{
    sn_vec3 u = {b.x - a.x, b.y - a.y, b.z - a.z}, v = {c.x - a.x, c.y - a.y, c.z - a.z};
    sn_vec3 w = {d.x - a.x, d.y - a.y, d.z - a.z};
    double yz = v.y * w.z, zy = v.z * w.y, zx = v.z * w.x, xz = v.x * w.z;
    double xy = v.x * w.y, yx = v.y * w.x;
    double determinant = u.x * (yz - zy) + u.y * (zx - xz) + u.z * (xy - yx);
    double size = fabs(u.x) * (fabs(yz) + fabs(zy)) + fabs(u.y) * (fabs(zx) + fabs(xz)) +
                  fabs(u.z) * (fabs(xy) + fabs(yx));
    // (7 + 56 u) u: Shewchuk's bound A.
    double bound = 7.7715611723761027e-16 * size;
    if (determinant > bound || -determinant > bound) {
        return determinant > 0.0 ? 1 : -1;
    }
    expansion sum = {.count = 0};
    add_rows(&sum, 1.0, b, c, d);
    add_rows(&sum, -1.0, a, c, d);
    add_rows(&sum, 1.0, a, b, d);
    add_rows(&sum, -1.0, a, b, c);
    double largest = sum.terms[sum.count - 1];
    return (largest > 0.0) - (largest < 0.0);
}

static bool in_triangle(const sn_vec2 t[3], sn_vec2 x)
{
    int u = sn_orient2d(t[0], t[1], x), v = sn_orient2d(t[1], t[2], x),
        w = sn_orient2d(t[2], t[0], x);
    int turn = sn_orient2d(t[0], t[1], t[2]);
    return turn != 0 && u * turn >= 0 && v * turn >= 0 && w * turn >= 0;
}

static bool between(double a, double b, double x)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

static bool segments_meet(sn_vec2 a, sn_vec2 b, sn_vec2 c, sn_vec2 d)
{
    int u = sn_orient2d(a, b, c), v = sn_orient2d(a, b, d);
    int w = sn_orient2d(c, d, a), x = sn_orient2d(c, d, b);
    if (u * v < 0 && w * x < 0) {
        return true;
    }
    return (u == 0 && between(a.x, b.x, c.x) && between(a.y, b.y, c.y)) ||
           (v == 0 && between(a.x, b.x, d.x) && between(a.y, b.y, d.y)) ||
           (w == 0 && between(c.x, d.x, a.x) && between(c.y, d.y, a.y)) ||
           (x == 0 && between(c.x, d.x, b.x) && between(c.y, d.y, b.y));
}

// All five in one plane: they meet if they do seen along each of the axes.
static bool meet_in_plane(const sn_vec3 segment[2], const sn_vec3 triangle[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        sn_vec2 s[2], t[3];
        for (int k = 0; k < 5; ++k) {
            sn_vec3 p = k < 2 ? segment[k] : triangle[k - 2];
            sn_vec2 flat = {axis == 0 ? p.y : p.x, axis == 2 ? p.y : p.z};
            *(k < 2 ? &s[k] : &t[k - 2]) = flat;
        }
        if (!in_triangle(t, s[0]) && !in_triangle(t, s[1]) &&
            !segments_meet(s[0], s[1], t[0], t[1]) && !segments_meet(s[0], s[1], t[1], t[2]) &&
            !segments_meet(s[0], s[1], t[2], t[0])) {
            return false;
        }
    }
    return true;
}

bool sn_segment_meets_triangle(sn_vec3 p, sn_vec3 q, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    int above = sn_orient3d(a, b, c, p), below = sn_orient3d(a, b, c, q);
    if (above * below > 0) {
        return false;
    }
    if (above == 0 && below == 0) {
        const sn_vec3 segment[2] = {p, q}, triangle[3] = {a, b, c};
        return meet_in_plane(segment, triangle);
    }
    int u = sn_orient3d(p, q, a, b), v = sn_orient3d(p, q, b, c), w = sn_orient3d(p, q, c, a);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}
