#include <float.h>

#include "base/memory.h"
#include "geometry/sum.h"
#include "geometry/tetrahedra_edges.h"
#include "math/elementary.h"

// With edges a, b, c from one corner: r = 3 V / S with S the area of all faces, and R = |N| / (12
// V) with N = |a|^2 b x c + |b|^2 c x a + |c|^2 a x b, so 3 r / R = 108 V^2 / (S |N|): no small
// number divides.
double sn_tetrahedron_ratio(const sn_vec3 corners[4])
{
    sn_vec3 a = sn_vec3_sub(corners[1], corners[0]), b = sn_vec3_sub(corners[2], corners[0]);
    sn_vec3 c = sn_vec3_sub(corners[3], corners[0]);
    sn_vec3 bc = sn_cross(b, c), ca = sn_cross(c, a), ab = sn_cross(a, b);
    double six_volumes = sn_dot(a, bc);
    sn_vec3 rest = sn_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
    double twice_area = sn_length(bc) + sn_length(ca) + sn_length(ab) + sn_length(rest);
    sn_vec3 n = sn_vec3_scale(sn_dot(a, a), bc);
    n = sn_vec3_add_scaled(n, sn_dot(b, b), ca);
    n = sn_vec3_add_scaled(n, sn_dot(c, c), ab);
    double below = twice_area * sn_length(n);
    return below > 0.0 ? 6.0 * six_volumes * six_volumes / below : 0.0;
}

// The angle inside between the faces that meet in edge a b, seen along it.
static double angle_between(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d)
{
    sn_vec3 e = sn_vec3_sub(b, a), p = sn_vec3_sub(c, a), q = sn_vec3_sub(d, a);
    sn_vec3 m = sn_cross(e, p), n = sn_cross(e, q);
    return sn_atan2(sn_length(sn_cross(m, n)), sn_dot(m, n));
}

static void measure_element(const sn_vec3 p[4], int e, sn_tetrahedra_quality *quality)
{
    static const int opposite[6][2] = {{2, 3}, {0, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}};
    for (int k = 0; k < 6; ++k) {
        sn_vec3 a = p[sn_tetrahedron_edges[k][0]], b = p[sn_tetrahedron_edges[k][1]];
        double angle = angle_between(a, b, p[opposite[k][0]], p[opposite[k][1]]);
        double length = sn_distance(a, b);
        if (angle < quality->least_angle) {
            quality->least_angle = angle;
            quality->least_angle_element = e;
        }
        if (angle > quality->greatest_angle) {
            quality->greatest_angle = angle;
            quality->greatest_angle_element = e;
        }
        quality->shortest_edge = length < quality->shortest_edge ? length : quality->shortest_edge;
        quality->longest_edge = length > quality->longest_edge ? length : quality->longest_edge;
    }
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]]; // halves the way for the next one
        i = parent[i];
    }
    return i;
}

// Counts the sets of vertices that elements join; `parent`: vertex_count.
static int count_parts(const sn_tetrahedra *t, int *parent)
{
    int count = 0;
    for (int i = 0; i < t->vertex_count; ++i) {
        parent[i] = -1;
    }
    for (int e = 0; e < t->element_count; ++e) {
        const int *v = t->elements + (size_t)e * (size_t)t->nodes;
        for (int k = 0; k < 4; ++k) {
            if (parent[v[k]] < 0) {
                parent[v[k]] = v[k];
                ++count;
            }
            int a = find_root(parent, v[0]), b = find_root(parent, v[k]);
            if (a != b) {
                parent[a > b ? a : b] = a > b ? b : a;
                --count;
            }
        }
    }
    return count;
}

bool sn_tetrahedra_measure(const sn_tetrahedra *t, sn_tetrahedra_quality *quality)
{
    *quality = (sn_tetrahedra_quality){.least_angle = SN_PI,
                                       .least_ratio = 1.0,
                                       .shortest_edge = DBL_MAX,
                                       .least_volume = DBL_MAX};
    int *parent = sn_allocate((size_t)t->vertex_count * sizeof *parent);
    sn_tetrahedra_edges edges;
    if (parent == NULL || sn_tetrahedra_edges_find(t, &edges, NULL) != SN_OK) {
        sn_free(parent);
        return false;
    }
    quality->edge_count = edges.count;
    sn_tetrahedra_edges_free(&edges);
    quality->part_count = count_parts(t, parent);
    sn_free(parent);
    sn_sum volumes = {0}, ratios = {0};
    for (int e = 0; e < t->element_count; ++e) {
        const int *v = t->elements + (size_t)e * (size_t)t->nodes;
        const sn_vec3 p[4] = {t->positions[v[0]], t->positions[v[1]], t->positions[v[2]],
                              t->positions[v[3]]};
        measure_element(p, e, quality);
        double ratio = sn_tetrahedron_ratio(p), volume = sn_tetrahedra_determinant(t, e) / 6.0;
        if (ratio < quality->least_ratio) {
            quality->least_ratio = ratio;
            quality->least_ratio_element = e;
        }
        quality->least_volume = volume < quality->least_volume ? volume : quality->least_volume;
        quality->greatest_volume =
            volume > quality->greatest_volume ? volume : quality->greatest_volume;
        sn_sum_add(&volumes, volume);
        sn_sum_add(&ratios, ratio);
    }
    quality->volume = sn_sum_value(&volumes);
    quality->mean_ratio = sn_sum_value(&ratios) / t->element_count;
    return true;
}
