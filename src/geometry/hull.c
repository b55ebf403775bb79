// Convex hulls through qhull's reentrant library. Define SN_WITHOUT_QHULL to build without it.
#include "base/error.h"
#include "sinew/geometry.h"

#ifdef SN_WITHOUT_QHULL

sn_status sn_mesh_convex_hull(const sn_vec3 *points, int count, sn_mesh **mesh, sn_error *error)
{
    (void)points;
    (void)count;
    *mesh = NULL;
    return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                   "convex hulls need qhull, which this build lacks");
}

#else

#include <float.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

#include "base/memory.h"
#include "geometry/mesh_builder.h"

typedef struct hull {
    qhT *qh;
    const sn_vec3 *points;
    int count;
    int *vertex_of_point; // count: index in the mesh, -1 when not used yet
    sn_mesh_builder builder;
    sn_vec3 *polygon;    // count: corners of one facet
    int *polygon_vertex; // count: their indices in the mesh
    int *triangles;      // 3 * SN_TRIANGULATION_CAPACITY(count, 1)
} hull;

static void hull_free(hull *h)
{
    sn_mesh_builder_free(&h->builder);
    sn_free(h->qh);
    sn_free(h->vertex_of_point);
    sn_free(h->polygon);
    sn_free(h->polygon_vertex);
    sn_free(h->triangles);
}

static bool hull_allocate(hull *h)
{
    size_t count = (size_t)h->count;
    h->qh = sn_allocate_zero(sizeof *h->qh);
    h->vertex_of_point = sn_allocate(count * sizeof(int));
    h->polygon = sn_allocate(count * sizeof(sn_vec3));
    h->polygon_vertex = sn_allocate(count * sizeof(int));
    h->triangles = sn_allocate(3 * (count + 2) * sizeof(int));
    if (h->qh == NULL || h->vertex_of_point == NULL || h->polygon == NULL ||
        h->polygon_vertex == NULL || h->triangles == NULL) {
        return false;
    }
    for (int i = 0; i < h->count; ++i) {
        h->vertex_of_point[i] = -1;
    }
    return true;
}

// Corners of one facet in counter-clockwise order, as seen along its outward normal reversed.
static int read_facet(hull *h, facetT *facet)
{
    qhT *qh = h->qh;
    setT *vertices = qh_facet3vertex(qh, facet);
    vertexT *vertex, **vertexp;
    int corners = 0;
    FOREACHvertex_(vertices)
    {
        int point = qh_pointid(qh, vertex->point);
        if (h->vertex_of_point[point] < 0) {
            h->vertex_of_point[point] = sn_mesh_builder_vertex(&h->builder, h->points[point]);
        }
        h->polygon[corners] = h->points[point];
        h->polygon_vertex[corners++] = h->vertex_of_point[point];
    }
    qh_settempfree(qh, &vertices);
    sn_vec3 outward = {facet->normal[0], facet->normal[1], facet->normal[2]};
    sn_vec3 area = SN_VEC3_ZERO;
    for (int i = 2; i < corners; ++i) {
        sn_vec3 a = sn_vec3_sub(h->polygon[i - 1], h->polygon[0]);
        sn_vec3 b = sn_vec3_sub(h->polygon[i], h->polygon[0]);
        area = sn_vec3_add(area, sn_cross(a, b));
    }
    for (int i = 0, j = corners - 1; sn_dot(area, outward) < 0.0 && i < j; ++i, --j) {
        sn_vec3 point = h->polygon[i];
        h->polygon[i] = h->polygon[j];
        h->polygon[j] = point;
        int swapped = h->polygon_vertex[i];
        h->polygon_vertex[i] = h->polygon_vertex[j];
        h->polygon_vertex[j] = swapped;
    }
    return corners;
}

// Facets that are nearly in one plane come merged: polygons whose edges match their neighbours'.
static sn_status read_facets(hull *h, sn_error *error)
{
    qhT *qh = h->qh;
    facetT *facet;
    FORALLfacets
    {
        int corners = read_facet(h, facet);
        int count = 0;
        sn_status status =
            sn_triangulate_polygon(h->polygon, &corners, 1, h->triangles, &count, error);
        if (status != SN_OK) {
            return status;
        }
        for (int t = 0; t < count; ++t) {
            const int *v = h->triangles + 3 * (size_t)t;
            sn_mesh_builder_triangle(&h->builder, h->polygon_vertex[v[0]], h->polygon_vertex[v[1]],
                                     h->polygon_vertex[v[2]]);
        }
    }
    return SN_OK;
}

// qhull ends the process on an error unless it finds a place to jump to: qh_new_qhull sets its own
// for its own time, reading the result needs another.
static sn_status guarded_read(hull *h, sn_error *error)
{
    sn_status status = SN_OK;
    if (setjmp(h->qh->errexit) == 0) {
        h->qh->NOerrexit = False;
        status = read_facets(h, error);
    } else {
        status =
            sn_fail(error, SN_ERROR_GEOMETRY, "convex hull", "qhull could not list the facets");
    }
    h->qh->NOerrexit = True;
    return status;
}

static sn_status fail_flat(sn_error *error)
{
    return sn_fail(
        error, SN_ERROR_GEOMETRY, "convex hull",
        "all points lie in one plane, to rounding; points around a volume were expected");
}

static sn_status fail_qhull(int code, const char *report, sn_error *error)
{
    if (code == qh_ERRsingular) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, "convex hull",
            "all points lie in one plane, to rounding; points around a volume were expected");
    }
    if (code == qh_ERRmem) {
        return sn_fail(error, SN_ERROR_MEMORY, "convex hull", "qhull ran out of memory");
    }
    return sn_fail(error, SN_ERROR_GEOMETRY, "convex hull", "qhull failed with code %d: %.200s",
                   code, report != NULL ? report : "");
}

// `report` takes what qhull would print.
static sn_status run_qhull(hull *h, coordT *coordinates, sn_error *error)
{
    char *report = NULL;
    size_t report_size = 0;
    FILE *messages = open_memstream(&report, &report_size);
    if (messages == NULL) {
        return sn_fail_memory(error, 4096);
    }
    // Facets whose centres are this close to each other's planes count as one. Coordinates carry
    // the rounding of their distance from the origin, which would otherwise show as slivers.
    double largest = 0.0;
    for (int i = 0; i < h->count; ++i) {
        sn_vec3 p = h->points[i];
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    char command[64];
    snprintf(command, sizeof command, "qhull Pp C-%.3e", 16.0 * DBL_EPSILON * largest);
    qh_zero(h->qh, messages);
    int code = qh_new_qhull(h->qh, 3, h->count, coordinates, False, command, NULL, messages);
    sn_status status = SN_OK;
    if (code == 0) {
        status = guarded_read(h, error);
    }
    fflush(messages);
    if (code != 0) {
        status = fail_qhull(code, report, error);
    }
    int kept = 0, total = 0;
    qh_freeqhull(h->qh, !qh_ALL);
    qh_memfreeshort(h->qh, &kept, &total);
    fclose(messages);
    free(report);
    return status;
}

// qhull's rounding limits grow with the distance from the origin, so it gets points around it.
static coordT *centred_coordinates(const sn_vec3 *points, int count)
{
    coordT *coordinates = sn_allocate(3 * (size_t)count * sizeof *coordinates);
    sn_vec3 lower = points[0], upper = points[0];
    for (int i = 1; i < count; ++i) {
        lower = sn_vec3_min(lower, points[i]);
        upper = sn_vec3_max(upper, points[i]);
    }
    sn_vec3 middle = sn_vec3_add_scaled(lower, 0.5, sn_vec3_sub(upper, lower));
    for (int i = 0; coordinates != NULL && i < count; ++i) {
        coordinates[3 * i] = points[i].x - middle.x;
        coordinates[3 * i + 1] = points[i].y - middle.y;
        coordinates[3 * i + 2] = points[i].z - middle.z;
    }
    return coordinates;
}

static sn_status check_points(const sn_vec3 *points, int count, sn_error *error)
{
    if (count < 4 || count > 0x7fffff) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "convex hull", "%d points; 4 to %d were expected",
                       count, 0x7fffff);
    }
    for (int i = 0; i < count; ++i) {
        if (!sn_vec3_is_finite(points[i])) {
            return sn_fail(error, SN_ERROR_GEOMETRY, "convex hull",
                           "point %d is at (%g, %g, %g); finite numbers were expected", i,
                           points[i].x, points[i].y, points[i].z);
        }
    }
    // qhull takes a set without any extent for a fault of its own.
    double farthest = 0.0;
    for (int i = 1; i < count; ++i) {
        farthest = fmax(farthest, sn_distance(points[0], points[i]));
    }
    return farthest > 0.0 ? SN_OK : fail_flat(error);
}

sn_status sn_mesh_convex_hull(const sn_vec3 *points, int count, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    sn_status status = check_points(points, count, error);
    if (status != SN_OK) {
        return status;
    }
    hull h = {.points = points, .count = count};
    coordT *coordinates = centred_coordinates(points, count);
    if (coordinates == NULL || !hull_allocate(&h)) {
        status = sn_fail_memory(error, (size_t)count * 64);
    } else {
        status = run_qhull(&h, coordinates, error);
    }
    sn_free(coordinates);
    if (status == SN_OK) {
        status = sn_mesh_builder_finish(&h.builder, mesh, error);
    }
    hull_free(&h);
    return status;
}

#endif
