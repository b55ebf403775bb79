#include "geometry/stuffing_fit.h"

#include "base/error.h"
#include "base/memory.h"

enum { ROUNDS = 3, HALVINGS = 3 };

// Cosines of the least and of the greatest dihedral angle that a move may cause: 12 and 160
// degrees.
static const double LEAST_ANGLE = 0.97814760073380569, GREATEST_ANGLE = -0.93969262078590832;

typedef struct fitter {
    sn_tetrahedra *body;
    const sn_surface_tree *tree;
    double turn, spacing;
    sn_tetrahedra_surface surface; // of the body
    int *first, *around;           // of every vertex: its elements
    double *weights, *gaps;        // of vertices: area of their faces, and that times the gap
} fitter;

// ---- guarded moves ----

// Cosines of the least and greatest dihedral angle of an element; false: it has no volume.
static bool measure_angles(const sn_vec3 p[4], double *least, double *greatest)
{
    sn_vec3 normals[4];
    if (!(sn_tetrahedron_determinant(p[0], p[1], p[2], p[3]) > 0.0)) {
        return false;
    }
    for (int f = 0; f < 4; ++f) {
        const int *c = sn_tetrahedron_faces[f];
        sn_vec3 n = sn_cross(sn_vec3_sub(p[c[1]], p[c[0]]), sn_vec3_sub(p[c[2]], p[c[0]]));
        double length = sn_length(n);
        if (!(length > 0.0)) {
            return false;
        }
        normals[f] = sn_vec3_scale(1.0 / length, n);
    }
    *least = -1.0;
    *greatest = 1.0;
    for (int f = 0; f < 6; ++f) {
        const int *pair = sn_tetrahedron_edges[f];
        double cosine = -sn_dot(normals[pair[0]], normals[pair[1]]);
        *least = fmax(*least, cosine);
        *greatest = fmin(*greatest, cosine);
    }
    return true;
}

// Of all elements of a vertex when it is at x.
static bool measure_around(const fitter *f, int vertex, sn_vec3 x, double *least, double *greatest)
{
    const sn_tetrahedra *t = f->body;
    *least = -1.0;
    *greatest = 1.0;
    for (int i = f->first[vertex]; i < f->first[vertex + 1]; ++i) {
        const int *v = t->elements + 4 * (size_t)f->around[i];
        sn_vec3 p[4];
        double a, b;
        for (int k = 0; k < 4; ++k) {
            p[k] = v[k] == vertex ? x : t->positions[v[k]];
        }
        if (!measure_angles(p, &a, &b)) {
            return false;
        }
        *least = fmax(*least, a);
        *greatest = fmin(*greatest, b);
    }
    return true;
}

// Moves as far as the angles allow, in halves; false: not at all.
static bool move(fitter *f, int vertex, sn_vec3 way, int halvings)
{
    sn_vec3 from = f->body->positions[vertex];
    double least, greatest, a, b, share = 1.0;
    if (!measure_around(f, vertex, from, &least, &greatest)) {
        return false;
    }
    least = fmax(least, LEAST_ANGLE);
    greatest = fmin(greatest, GREATEST_ANGLE);
    for (int i = 0; i <= halvings; ++i, share *= 0.5) {
        sn_vec3 to = sn_vec3_add_scaled(from, share, way);
        if (measure_around(f, vertex, to, &a, &b) && a <= least && b >= greatest) {
            f->body->positions[vertex] = to;
            return true;
        }
    }
    return false;
}

// ---- volume ----

// How far the surface is from a face along its normal, in the mean: by the three points that are
// exact for a quadratic gap (Strang and Fix 1973).
static double mean_gap(const fitter *f, const sn_vec3 p[3], sn_vec3 normal)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 corners = sn_vec3_add(p[(k + 1) % 3], p[(k + 2) % 3]);
        sn_vec3 x = sn_vec3_add_scaled(sn_vec3_scale(2.0 / 3.0, p[k]), 1.0 / 6.0, corners);
        double gap;
        if (sn_surface_tree_gap(f->tree, x, normal, 0.5 * f->spacing, f->turn, &gap)) {
            sum += gap / 3.0;
        }
    }
    return sum;
}

// Each vertex moves along its normal by the mean gap of its faces, weighed by area: to first order
// the volume then changes by the sum of area times gap, which is what lacks.
static void fit_volume(fitter *f)
{
    const sn_tetrahedra_surface *s = &f->surface;
    int vertices = sn_mesh_vertex_count(s->mesh), triangles = sn_mesh_triangle_count(s->mesh);
    const int *c = sn_mesh_triangles(s->mesh);
    sn_vec3 *normals = (sn_vec3 *)(f->gaps + vertices);
    for (int i = 0; i < vertices; ++i) {
        f->weights[i] = f->gaps[i] = 0.0;
        normals[i] = SN_VEC3_ZERO;
    }
    for (int t = 0; t < triangles; ++t, c += 3) {
        sn_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = f->body->positions[s->vertices[c[k]]];
        }
        sn_vec3 twice = sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0]));
        double area = sn_length(twice);
        double gap = area > 0.0 ? mean_gap(f, p, sn_vec3_scale(1.0 / area, twice)) : 0.0;
        for (int k = 0; k < 3; ++k) {
            f->weights[c[k]] += area;
            f->gaps[c[k]] += area * gap;
            normals[c[k]] = sn_vec3_add(normals[c[k]], twice);
        }
    }
    for (int i = 0; i < vertices; ++i) {
        // The faces around a vertex are less than their areas along its normal.
        double along = sn_dot(normals[i], normals[i]);
        if (along > 0.0) {
            move(f, s->vertices[i], sn_vec3_scale(f->gaps[i] / along, normals[i]), HALVINGS);
        }
    }
}

// ---- all ----

static bool list_elements(fitter *f)
{
    const sn_tetrahedra *t = f->body;
    size_t vertices = (size_t)t->vertex_count, corners = 4 * (size_t)t->element_count;
    size_t own = (size_t)sn_mesh_vertex_count(f->surface.mesh);
    f->first = sn_allocate_zero((vertices + 2) * sizeof *f->first);
    f->around = sn_allocate(corners * sizeof *f->around);
    f->weights = sn_allocate(own * sizeof *f->weights);
    f->gaps = sn_allocate(own * (sizeof *f->gaps + sizeof(sn_vec3)));
    if (f->first == NULL || f->around == NULL || f->weights == NULL || f->gaps == NULL) {
        return false;
    }
    for (size_t k = 0; k < corners; ++k) {
        f->first[t->elements[k] + 2] += 1;
    }
    for (size_t i = 2; i < vertices + 2; ++i) {
        f->first[i] += f->first[i - 1];
    }
    for (size_t k = 0; k < corners; ++k) {
        f->around[f->first[t->elements[k] + 1]++] = (int)(k / 4);
    }
    return true;
}

sn_status sn_stuffing_fit(sn_tetrahedra *body, const sn_mesh *surface, const sn_surface_tree *tree,
                          double turn, double spacing, sn_error *error)
{
    (void)surface;
    fitter f = {.body = body, .tree = tree, .turn = turn, .spacing = spacing};
    sn_status status = sn_tetrahedra_flat_surface(body, &f.surface, error);
    if (status != SN_OK) {
        return status;
    }
    if (list_elements(&f)) {
        for (int round = 0; round < ROUNDS; ++round) {
            fit_volume(&f);
        }
    } else {
        status = sn_fail_memory(error, 4 * (size_t)body->element_count * sizeof(int));
    }
    sn_tetrahedra_surface_free(&f.surface);
    sn_free(f.first);
    sn_free(f.around);
    sn_free(f.weights);
    sn_free(f.gaps);
    return status;
}
