// Points bound to tetrahedra. A grid over the elements' boxes finds those near a point. Outside,
// the search goes on cell by cell in growing shells until no farther shell can hold a nearer
// element; the point is then told by that element's coordinates continued.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"

typedef struct element_grid {
    const sn_tetrahedra *mesh;
    sn_vec3 lower, cell; // corner and size of a cell
    int counts[3];
    int *starts;   // cells + 1
    int *elements; // of cells
} element_grid;

static void grid_free(element_grid *g)
{
    sn_free(g->starts);
    sn_free(g->elements);
}

static sn_aabb element_box(const sn_tetrahedra *t, int element)
{
    const int *v = t->elements + (size_t)element * (size_t)t->nodes;
    sn_aabb box = {t->positions[v[0]], t->positions[v[0]]};
    for (int k = 1; k < t->nodes; ++k) {
        box.lower = sn_vec3_min(box.lower, t->positions[v[k]]);
        box.upper = sn_vec3_max(box.upper, t->positions[v[k]]);
    }
    return box;
}

// ---- the grid ----

static int clamped_cell(double offset, double size, int count)
{
    double cell = offset / size;
    return !(cell > 0.0) ? 0 : cell >= count ? count - 1 : (int)cell;
}

static void cell_of(const element_grid *g, sn_vec3 p, int cell[3])
{
    sn_vec3 d = sn_vec3_sub(p, g->lower);
    cell[0] = clamped_cell(d.x, g->cell.x, g->counts[0]);
    cell[1] = clamped_cell(d.y, g->cell.y, g->counts[1]);
    cell[2] = clamped_cell(d.z, g->cell.z, g->counts[2]);
}

static size_t cell_index(const element_grid *g, int x, int y, int z)
{
    return (size_t)x + (size_t)g->counts[0] * ((size_t)y + (size_t)g->counts[1] * (size_t)z);
}

// Cells about as large as elements' boxes are on the average, at most 2 a side and element.
static void size_grid(element_grid *g)
{
    const sn_tetrahedra *t = g->mesh;
    sn_aabb all = element_box(t, 0);
    sn_vec3 mean = SN_VEC3_ZERO;
    for (int e = 0; e < t->element_count; ++e) {
        sn_aabb box = element_box(t, e);
        all.lower = sn_vec3_min(all.lower, box.lower);
        all.upper = sn_vec3_max(all.upper, box.upper);
        mean = sn_vec3_add_scaled(mean, 1.0 / t->element_count, sn_vec3_sub(box.upper, box.lower));
    }
    sn_vec3 size = sn_vec3_sub(all.upper, all.lower);
    const double sizes[3] = {size.x, size.y, size.z}, means[3] = {mean.x, mean.y, mean.z};
    double cells[3];
    for (int i = 0; i < 3; ++i) {
        double wanted = sizes[i] / means[i];
        g->counts[i] = wanted < 1.0 ? 1 : wanted > 256.0 ? 256 : (int)wanted;
        cells[i] = sizes[i] / g->counts[i];
    }
    g->lower = all.lower;
    g->cell = (sn_vec3){cells[0], cells[1], cells[2]};
}

// Counts entries of cells in starts[cell + 1], or fills them in at starts[cell]++.
static void list_elements(element_grid *g, bool fill)
{
    for (int e = 0; e < g->mesh->element_count; ++e) {
        sn_aabb box = element_box(g->mesh, e);
        int low[3], high[3];
        cell_of(g, box.lower, low);
        cell_of(g, box.upper, high);
        for (int z = low[2]; z <= high[2]; ++z) {
            for (int y = low[1]; y <= high[1]; ++y) {
                for (int x = low[0]; x <= high[0]; ++x) {
                    size_t cell = cell_index(g, x, y, z);
                    if (fill) {
                        g->elements[g->starts[cell]++] = e;
                    } else {
                        g->starts[cell + 1] += 1;
                    }
                }
            }
        }
    }
}

static bool make_grid(element_grid *g)
{
    size_grid(g);
    size_t cells = (size_t)g->counts[0] * (size_t)g->counts[1] * (size_t)g->counts[2];
    g->starts = sn_allocate_zero((cells + 1) * sizeof *g->starts);
    if (g->starts == NULL) {
        return false;
    }
    list_elements(g, false);
    int64_t total = 0;
    for (size_t c = 0; c < cells; ++c) {
        total += g->starts[c + 1];
        if (total > INT_MAX) {
            return false;
        }
        g->starts[c + 1] = (int)total;
    }
    g->elements = sn_allocate((size_t)total * sizeof *g->elements);
    if (g->elements == NULL) {
        return false;
    }
    list_elements(g, true);
    memmove(g->starts + 1, g->starts, cells * sizeof *g->starts); // filling has moved them on
    g->starts[0] = 0;
    return true;
}

// ---- one element ----

// Its nodes, `nodes` of them.
static void gather_nodes(const sn_tetrahedra *t, int element, int nodes, sn_vec3 *x)
{
    const int *v = t->elements + (size_t)element * (size_t)t->nodes;
    for (int k = 0; k < nodes; ++k) {
        x[k] = t->positions[v[k]];
    }
}

// Barycentric coordinates by the corners.
static void corner_coordinates(const sn_vec3 x[4], sn_vec3 p, double l[4])
{
    sn_vec3 d = sn_vec3_sub(p, x[0]), a = sn_vec3_sub(x[1], x[0]), b = sn_vec3_sub(x[2], x[0]);
    sn_vec3 c = sn_vec3_sub(x[3], x[0]);
    double whole = sn_dot(a, sn_cross(b, c));
    l[1] = sn_dot(d, sn_cross(b, c)) / whole;
    l[2] = sn_dot(a, sn_cross(d, c)) / whole;
    l[3] = sn_dot(a, sn_cross(b, d)) / whole;
    l[0] = 1.0 - l[1] - l[2] - l[3];
}

static double least_of(const double l[4])
{
    double a = l[0] < l[1] ? l[0] : l[1], b = l[2] < l[3] ? l[2] : l[3];
    return a < b ? a : b;
}

// Squared distance to the segment from a to b.
static double segment_distance(sn_vec3 p, sn_vec3 a, sn_vec3 b)
{
    sn_vec3 way = sn_vec3_sub(b, a), to = sn_vec3_sub(p, a);
    double share = sn_dot(to, way) / sn_dot(way, way);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    sn_vec3 off = sn_vec3_add_scaled(to, -share, way);
    return sn_dot(off, off);
}

static double triangle_distance(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    sn_vec3 n = sn_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
    bool above = sn_dot(sn_cross(sn_vec3_sub(b, a), n), sn_vec3_sub(p, a)) <= 0.0 &&
                 sn_dot(sn_cross(sn_vec3_sub(c, b), n), sn_vec3_sub(p, b)) <= 0.0 &&
                 sn_dot(sn_cross(sn_vec3_sub(a, c), n), sn_vec3_sub(p, c)) <= 0.0;
    if (above) {
        double height = sn_dot(n, sn_vec3_sub(p, a));
        return height * height / sn_dot(n, n);
    }
    double ab = segment_distance(p, a, b), bc = segment_distance(p, b, c);
    double ca = segment_distance(p, c, a), least = ab < bc ? ab : bc;
    return least < ca ? least : ca;
}

// Squared distance of a point outside.
static double element_distance(const sn_tetrahedra *t, int element, sn_vec3 p)
{
    const int *v = t->elements + (size_t)element * (size_t)t->nodes;
    double least = DBL_MAX;
    for (int f = 0; f < 4; ++f) {
        const int *c = sn_tetrahedron_faces[f];
        double d = triangle_distance(p, t->positions[v[c[0]]], t->positions[v[c[1]]],
                                     t->positions[v[c[2]]]);
        least = d < least ? d : least;
    }
    return least;
}

// ---- search ----

typedef struct found {
    int element;
    double inside;   // the least coordinate of the best element that holds the point; else negative
    double distance; // squared, when none does
} found;

static void ask_cell(const element_grid *g, size_t cell, sn_vec3 p, found *best)
{
    for (int k = g->starts[cell]; k < g->starts[cell + 1]; ++k) {
        double l[4];
        sn_vec3 x[4];
        gather_nodes(g->mesh, g->elements[k], 4, x);
        corner_coordinates(x, p, l);
        double least = least_of(l);
        if (least >= 0.0 && least > best->inside) {
            *best = (found){g->elements[k], least, 0.0};
        } else if (best->inside < 0.0) {
            double distance = element_distance(g->mesh, g->elements[k], p);
            if (distance < best->distance) {
                best->element = g->elements[k];
                best->distance = distance;
            }
        }
    }
}

// All cells `shell` away from the point's own, in one direction at least.
static void ask_shell(const element_grid *g, const int cell[3], int shell, sn_vec3 p, found *best)
{
    for (int z = cell[2] - shell; z <= cell[2] + shell; ++z) {
        for (int y = cell[1] - shell; y <= cell[1] + shell; ++y) {
            bool rim = z == cell[2] - shell || z == cell[2] + shell || y == cell[1] - shell ||
                       y == cell[1] + shell;
            for (int x = cell[0] - shell; x <= cell[0] + shell;
                 x += rim || shell == 0 ? 1 : 2 * shell) {
                if (x >= 0 && y >= 0 && z >= 0 && x < g->counts[0] && y < g->counts[1] &&
                    z < g->counts[2]) {
                    ask_cell(g, cell_index(g, x, y, z), p, best);
                }
            }
        }
    }
}

static found find_element(const element_grid *g, sn_vec3 p)
{
    found best = {-1, -1.0, DBL_MAX};
    int cell[3];
    cell_of(g, p, cell);
    int most = g->counts[0] > g->counts[1] ? g->counts[0] : g->counts[1];
    most = most > g->counts[2] ? most : g->counts[2];
    double size = fmin(g->cell.x, fmin(g->cell.y, g->cell.z));
    for (int shell = 0; shell <= most; ++shell) {
        ask_shell(g, cell, shell, p, &best);
        double next = shell * size; // at least so far is the next shell
        if (best.inside >= 0.0 || (best.element >= 0 && best.distance <= next * next)) {
            break;
        }
    }
    return best;
}

// ---- weights ----

static void shape_functions(int nodes, const double l[4], double *weights)
{
    for (int k = 0; k < 4; ++k) {
        weights[k] = nodes == 4 ? l[k] : l[k] * (2.0 * l[k] - 1.0);
    }
    for (int k = 4; k < nodes; ++k) {
        const int *e = sn_tetrahedron_edges[k - 4];
        weights[k] = 4.0 * l[e[0]] * l[e[1]];
    }
}

// Where curved elements have a point: Newton's method from where straight ones would have it, as
// long as it comes nearer. Far outside, where the curved map turns over, it does not.
static void curve_coordinates(const sn_vec3 x[10], sn_vec3 p, double l[4])
{
    double nearest = INFINITY, best[4];
    memcpy(best, l, sizeof best);
    for (int turn = 0; turn < 8; ++turn) {
        double weights[10];
        shape_functions(10, l, weights);
        sn_vec3 off = p, d[4];
        for (int k = 0; k < 10; ++k) {
            off = sn_vec3_add_scaled(off, -weights[k], x[k]);
        }
        if (!(sn_dot(off, off) < nearest)) {
            break;
        }
        nearest = sn_dot(off, off);
        memcpy(best, l, sizeof best);
        for (int k = 0; k < 4; ++k) {
            d[k] = sn_vec3_scale(4.0 * l[k] - 1.0, x[k]);
        }
        for (int k = 0; k < 6; ++k) {
            int i = sn_tetrahedron_edges[k][0], j = sn_tetrahedron_edges[k][1];
            d[i] = sn_vec3_add_scaled(d[i], 4.0 * l[j], x[4 + k]);
            d[j] = sn_vec3_add_scaled(d[j], 4.0 * l[i], x[4 + k]);
        }
        sn_vec3 a = sn_vec3_sub(d[1], d[0]), b = sn_vec3_sub(d[2], d[0]);
        sn_vec3 c = sn_vec3_sub(d[3], d[0]);
        double whole = sn_dot(a, sn_cross(b, c));
        if (whole == 0.0) {
            break;
        }
        l[1] += sn_dot(off, sn_cross(b, c)) / whole;
        l[2] += sn_dot(a, sn_cross(off, c)) / whole;
        l[3] += sn_dot(a, sn_cross(b, off)) / whole;
        l[0] = 1.0 - l[1] - l[2] - l[3];
    }
    memcpy(l, best, sizeof best);
}

void sn_tetrahedron_weights(int nodes, const sn_vec3 *x, sn_vec3 p, double *weights)
{
    double l[4];
    corner_coordinates(x, p, l);
    if (nodes == 10) {
        curve_coordinates(x, p, l);
    }
    shape_functions(nodes, l, weights);
}

sn_status sn_embedding_create(const sn_tetrahedra *tetrahedra, const sn_vec3 *points, int count,
                              sn_embedding *embedding, sn_error *error)
{
    *embedding = (sn_embedding){.point_count = count, .nodes = tetrahedra->nodes};
    size_t weights = (size_t)count * (size_t)tetrahedra->nodes;
    element_grid grid = {.mesh = tetrahedra};
    embedding->elements = sn_allocate((size_t)count * sizeof *embedding->elements);
    embedding->vertices = sn_allocate(weights * sizeof *embedding->vertices);
    embedding->weights = sn_allocate(weights * sizeof *embedding->weights);
    if (embedding->elements == NULL || embedding->vertices == NULL || embedding->weights == NULL ||
        !make_grid(&grid)) {
        grid_free(&grid);
        sn_embedding_free(embedding);
        return sn_fail_memory(error, weights * (sizeof(double) + sizeof(int)));
    }
    sn_status status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        if (!sn_vec3_is_finite(points[i])) {
            status = sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                             "point %d is at (%g, %g, %g); finite numbers were expected", i,
                             points[i].x, points[i].y, points[i].z);
            break;
        }
        found best = find_element(&grid, points[i]);
        sn_vec3 x[10];
        gather_nodes(tetrahedra, best.element, tetrahedra->nodes, x);
        size_t at = (size_t)i * (size_t)tetrahedra->nodes;
        embedding->elements[i] = best.element;
        memcpy(embedding->vertices + at,
               tetrahedra->elements + (size_t)best.element * (size_t)tetrahedra->nodes,
               (size_t)tetrahedra->nodes * sizeof(int));
        sn_tetrahedron_weights(tetrahedra->nodes, x, points[i], embedding->weights + at);
        if (best.inside < 0.0) {
            double distance = sqrt(best.distance);
            embedding->outside_count += 1;
            embedding->farthest = distance > embedding->farthest ? distance : embedding->farthest;
        }
    }
    grid_free(&grid);
    if (status != SN_OK) {
        sn_embedding_free(embedding);
    }
    return status;
}

void sn_embedding_free(sn_embedding *embedding)
{
    sn_free(embedding->elements);
    sn_free(embedding->vertices);
    sn_free(embedding->weights);
    *embedding = (sn_embedding){0};
}

// ---- use ----

void sn_embedding_apply(const sn_embedding *embedding, const double *x, int stride, sn_vec3 *points)
{
    for (int i = 0; i < embedding->point_count; ++i) {
        sn_vec3 sum = SN_VEC3_ZERO;
        size_t at = (size_t)i * (size_t)embedding->nodes;
        for (int k = 0; k < embedding->nodes; ++k) {
            const double *p = x + (size_t)embedding->vertices[at + (size_t)k] * (size_t)stride;
            sum = sn_vec3_add_scaled(sum, embedding->weights[at + (size_t)k], sn_vec3_at(p));
        }
        points[i] = sum;
    }
}

void sn_embedding_add_forces(const sn_embedding *embedding, const sn_vec3 *forces, int stride,
                             double *f)
{
    for (int i = 0; i < embedding->point_count; ++i) {
        size_t at = (size_t)i * (size_t)embedding->nodes;
        for (int k = 0; k < embedding->nodes; ++k) {
            double *p = f + (size_t)embedding->vertices[at + (size_t)k] * (size_t)stride;
            sn_vec3 sum =
                sn_vec3_add_scaled(sn_vec3_at(p), embedding->weights[at + (size_t)k], forces[i]);
            sn_vec3_put(p, sum);
        }
    }
}

void sn_mesh_normals_at(const sn_mesh *mesh, const sn_vec3 *positions, sn_vec3 *normals)
{
    const int *triangles = sn_mesh_triangles(mesh);
    int vertices = sn_mesh_vertex_count(mesh), count = sn_mesh_triangle_count(mesh);
    memset(normals, 0, (size_t)vertices * sizeof *normals);
    for (int t = 0; t < count; ++t) {
        const int *v = triangles + 3 * (size_t)t;
        sn_vec3 area = sn_cross(sn_vec3_sub(positions[v[1]], positions[v[0]]),
                                sn_vec3_sub(positions[v[2]], positions[v[0]]));
        for (int k = 0; k < 3; ++k) {
            normals[v[k]] = sn_vec3_add(normals[v[k]], area);
        }
    }
    for (int i = 0; i < vertices; ++i) {
        normals[i] = sn_normalize(normals[i]);
    }
}
