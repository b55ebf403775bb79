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
