// Which four points of many, and the view from the other side.
#include "collide/manifold.h"

// How much nearer a point counts because it is higher than the deepest one.
static double setback(const sn_manifold_point *point, const sn_manifold_point *from, double steep)
{
    return steep * fmax(point->gap - from->gap, 0.0);
}

// Farthest from `from`; the first of equals.
static int farthest(const sn_manifold_point *points, int count, int from, double steep)
{
    int best = 0;
    double far = -INFINITY;
    for (int i = 0; i < count; ++i) {
        sn_vec3 d = sn_vec3_sub(points[i].on_a, points[from].on_a);
        double square = sn_dot(d, d);
        double score =
            steep > 0.0 ? sqrt(square) - setback(&points[i], &points[from], steep) : square;
        best = score > far ? i : best;
        far = score > far ? score : far;
    }
    return best;
}

static int deepest(const sn_manifold_point *points, int count, sn_vec3 normal, double level,
                   double share)
{
    double least = points[0].gap;
    for (int i = 1; i < count; ++i) {
        least = points[i].gap < least ? points[i].gap : least;
    }
    double bound = least + fmax(level, -share * least);
    // A direction in the plane that no symmetric contact shares, so that ties are rare.
    sn_vec3 odd = sn_cross(normal, sn_vec3_make(0.8017, 0.5345, -0.2673));
    int best = 0;
    double first = -INFINITY;
    for (int i = 0; i < count; ++i) {
        double along = points[i].gap <= bound ? sn_dot(points[i].on_a, odd) : -INFINITY;
        best = along > first ? i : best;
        first = along > first ? along : first;
    }
    return best;
}

// Farthest outside the triangle p, x, q, whose corners run so that `side` says what is outside:
// where all points are on one side of p and q, the fourth comes from beyond the two other edges.
static int beyond(const sn_manifold_point *points, int count, sn_vec3 normal, int p, int q, int x)
{
    sn_vec3 px = sn_vec3_sub(points[x].on_a, points[p].on_a);
    sn_vec3 xq = sn_vec3_sub(points[q].on_a, points[x].on_a);
    sn_vec3 out = sn_cross(px, normal);
    // Outside is away from q.
    double sign = sn_dot(out, sn_vec3_sub(points[q].on_a, points[p].on_a)) > 0.0 ? -1.0 : 1.0;
    sn_vec3 out_px = sn_vec3_scale(sign, out), out_xq = sn_vec3_scale(sign, sn_cross(xq, normal));
    int best = -1;
    double most = 1e-12 * sn_dot(px, px);
    for (int i = 0; i < count; ++i) {
        double off = fmax(sn_dot(out_px, sn_vec3_sub(points[i].on_a, points[p].on_a)),
                          sn_dot(out_xq, sn_vec3_sub(points[i].on_a, points[x].on_a)));
        if (off > most) {
            most = off;
            best = i;
        }
    }
    return best;
}

void sn_manifold_reduce(sn_manifold *manifold, const sn_manifold_point *points, int count,
                        double level, double share, double steep)
{
    if (count <= SN_MANIFOLD_POINTS) {
        manifold->count = count;
        for (int i = 0; i < count; ++i) {
            manifold->points[i] = points[i];
        }
        return;
    }
    int p = deepest(points, count, manifold->normal, level, share);
    int q = farthest(points, count, p, steep);
    sn_vec3 line = sn_vec3_sub(points[q].on_a, points[p].on_a);
    sn_vec3 side = sn_cross(manifold->normal, line);
    int left = -1, right = -1;
    double square = sn_dot(line, line);
    double least = 1e-12 * square, reach = sqrt(square);
    double most_left = -INFINITY, most_right = -INFINITY;
    for (int i = 0; i < count; ++i) {
        double off = sn_dot(side, sn_vec3_sub(points[i].on_a, points[p].on_a));
        double score = fabs(off) - reach * setback(&points[i], &points[p], steep);
        bool to_left = off > least && score > most_left;
        bool to_right = off < -least && score > most_right;
        left = to_left ? i : left;
        most_left = to_left ? score : most_left;
        right = to_right ? i : right;
        most_right = to_right ? score : most_right;
    }
    if (left >= 0 && right < 0) {
        right = beyond(points, count, manifold->normal, p, q, left);
    } else if (right >= 0 && left < 0) {
        left = beyond(points, count, manifold->normal, p, q, right);
    }
    int chosen[4] = {p, q, left, right};
    manifold->count = 0;
    for (int i = 0; i < 4; ++i) {
        if (chosen[i] >= 0 && (i == 0 || chosen[i] != p)) {
            manifold->points[manifold->count++] = points[chosen[i]];
        }
    }
}

void sn_manifold_swap(sn_manifold *manifold)
{
    manifold->normal = sn_vec3_negate(manifold->normal);
    for (int i = 0; i < manifold->count; ++i) {
        sn_manifold_point *point = &manifold->points[i];
        sn_vec3 on_a = point->on_a;
        point->on_a = point->on_b;
        point->on_b = on_a;
        point->feature = point->feature >> 16 | point->feature << 16;
    }
}
