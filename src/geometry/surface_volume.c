#include "geometry/surface_volume.h"

#include <math.h>

#include "geometry/sum.h"

double sn_mesh_signed_volume(const sn_mesh *mesh)
{
    const sn_vec3 *x = sn_mesh_positions(mesh);
    const int *v = sn_mesh_triangles(mesh);
    sn_aabb bounds = sn_mesh_bounds(mesh);
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(bounds.lower, bounds.upper));
    sn_sum sum = {0};
    for (int t = 0; t < sn_mesh_triangle_count(mesh); ++t, v += 3) {
        sn_vec3 a = sn_vec3_sub(x[v[0]], middle), b = sn_vec3_sub(x[v[1]], middle);
        sn_sum_add(&sum, sn_dot(a, sn_cross(b, sn_vec3_sub(x[v[2]], middle))) / 6.0);
    }
    return sn_sum_value(&sum);
}

enum { LINES = 4096, DEEPEST = 2, HALVINGS = 12 };

typedef struct line {
    const sn_surface_tree *tree;
    sn_vec3 from, way;
    double turn;
} line;

static double winding_at(const line *l, double share)
{
    return l->turn * sn_surface_tree_winding(l->tree, sn_vec3_add_scaled(l->from, share, l->way));
}

// Where the winding number is 1/2 between two shares on different sides.
static double bisect(const line *l, double inside, double outside)
{
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (inside + outside);
        if (winding_at(l, middle) > 0.5) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return 0.5 * (inside + outside);
}

// The part of a piece without triangles that is inside. There the winding number is smooth: where
// it is alike and far from 1/2 near the ends and in the middle, the whole piece is on one side.
static double inside_part(const line *l, double from, double to, int depth)
{
    double length = to - from, near = from + 0.02 * length, far = to - 0.02 * length;
    double a = winding_at(l, near), b = winding_at(l, far);
    double half = from + 0.5 * length, middle = winding_at(l, half);
    double least = fmin(a, fmin(b, middle)), most = fmax(a, fmax(b, middle));
    if (least >= 0.75 || most <= 0.25) {
        return middle > 0.5 ? length : 0.0;
    }
    if (depth < DEEPEST) {
        return inside_part(l, from, half, depth + 1) + inside_part(l, half, to, depth + 1);
    }
    if ((a > 0.5) == (b > 0.5)) {
        return middle > 0.5 ? length : 0.0;
    }
    return a > 0.5 ? bisect(l, near, far) - from : to - bisect(l, far, near);
}

static double fraction(double x)
{
    return x - floor(x);
}

bool sn_surface_tree_volume(const sn_surface_tree *tree, sn_aabb bounds, double turn,
                            double *volume)
{
    sn_vec3 size = sn_vec3_sub(bounds.upper, bounds.lower);
    sn_crossings crossings = {0};
    double sum = 0.0;
    bool good = true;
    for (int i = 0; i < LINES && good; ++i) {
        // The plane's most even sequence of multiples: powers of the root of x^3 = x + 1 (Roberts
        // 2018).
        double u = fraction(0.5 + 0.7548776662466927 * i);
        double v = fraction(0.5 + 0.5698402909980532 * i);
        line l = {.tree = tree,
                  .from = sn_vec3_make(bounds.lower.x + u * size.x, bounds.lower.y + v * size.y,
                                       bounds.lower.z - 0.01 * size.z),
                  .way = sn_vec3_make(0.0, 0.0, 1.02 * size.z),
                  .turn = turn};
        good = sn_surface_tree_crossings(tree, l.from, sn_vec3_add(l.from, l.way), &crossings);
        double from = 0.0; // of the piece; those too short to matter join the next
        for (int k = 0; k <= crossings.count && good; ++k) {
            double to = k < crossings.count ? crossings.data[k] : 1.0;
            if (to - from > 1e-3) {
                sum += inside_part(&l, from, to, 0);
                from = to;
            }
        }
    }
    sn_array_free(&crossings);
    *volume = sum / LINES * size.x * size.y * 1.02 * size.z;
    return good;
}
