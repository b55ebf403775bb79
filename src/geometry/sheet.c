// Bodies raised from a flat outline: extrusions, and sheets, flat or rolled.
#include "base/error.h"
#include "base/memory.h"
#include "geometry/generate.h"
#include "geometry/half_edge.h"
#include "geometry/mesh.h"
#include "geometry/mesh_builder.h"
#include "geometry/outline.h"
#include "math/elementary.h"

// ---- extrusion ----

// Vertex 2 i is point i of the loops at the bottom, vertex 2 i + 1 at the top.
static void add_walls(sn_mesh_builder *builder, const sn_loops *loops, double bottom, double top)
{
    for (int i = 0; i < loops->count; ++i) {
        sn_vec2 p = loops->points[i];
        sn_mesh_builder_vertex(builder, sn_vec3_make(p.x, p.y, bottom));
        sn_mesh_builder_vertex(builder, sn_vec3_make(p.x, p.y, top));
    }
    for (int l = 0; l < loops->loop_count; ++l) {
        for (int i = loops->starts[l]; i < loops->starts[l + 1]; ++i) {
            int j = sn_loops_next(loops, l, i);
            sn_mesh_builder_quad(builder, 2 * i, 2 * j, 2 * j + 1, 2 * i + 1);
        }
    }
}

static sn_status add_lids(sn_mesh_builder *builder, const sn_loops *loops, sn_error *error)
{
    size_t capacity = 3 * (size_t)SN_TRIANGULATION_CAPACITY(loops->count, loops->loop_count);
    int *triangles = sn_allocate(capacity * sizeof *triangles);
    int *sizes = sn_allocate((size_t)loops->loop_count * sizeof *sizes);
    int count = 0;
    sn_status status = SN_OK;
    if (triangles == NULL || sizes == NULL) {
        status = sn_fail_memory(error, capacity * sizeof *triangles);
    } else {
        for (int l = 0; l < loops->loop_count; ++l) {
            sizes[l] = loops->starts[l + 1] - loops->starts[l];
        }
        sn_outline clean = {loops->points, sizes, loops->loop_count};
        status = sn_triangulate(&clean, triangles, &count, error);
    }
    for (int t = 0; t < count; ++t) {
        const int *v = triangles + 3 * (size_t)t;
        sn_mesh_builder_triangle(builder, 2 * v[0] + 1, 2 * v[1] + 1, 2 * v[2] + 1);
        sn_mesh_builder_triangle(builder, 2 * v[0], 2 * v[2], 2 * v[1]);
    }
    sn_free(triangles);
    sn_free(sizes);
    return status;
}

static sn_status extrude(const sn_outline *outline, double bottom, double top, sn_mesh **mesh,
                         sn_error *error)
{
    sn_loops loops;
    sn_status status = sn_loops_create(outline, &loops, error);
    if (status != SN_OK) {
        return status;
    }
    sn_mesh_builder builder = {0};
    status = sn_loops_check_apart(&loops, error);
    if (status == SN_OK) {
        add_walls(&builder, &loops, bottom, top);
        status = add_lids(&builder, &loops, error);
    }
    sn_loops_free(&loops);
    if (status != SN_OK) {
        sn_mesh_builder_free(&builder);
        return status;
    }
    return sn_mesh_builder_finish(&builder, mesh, error);
}

sn_status sn_mesh_extrusion(const sn_outline *outline, double height, sn_mesh **mesh,
                            sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_length("height of the extrusion", height, error);
    return status == SN_OK ? extrude(outline, 0.0, height, mesh, error) : status;
}

// ---- cutting long edges ----

// Cuts a triangle whose half-edges k have middles m[k] (-1: not cut). Which edges are cut depends
// on the edges alone, so neighbours agree.
static void add_cut_triangle(sn_mesh_builder *builder, const int v[3], const int m[3])
{
    int cuts = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
    if (cuts == 3) {
        sn_mesh_builder_triangle(builder, v[0], m[0], m[2]);
        sn_mesh_builder_triangle(builder, v[1], m[1], m[0]);
        sn_mesh_builder_triangle(builder, v[2], m[2], m[1]);
        sn_mesh_builder_triangle(builder, m[0], m[1], m[2]);
        return;
    }
    if (cuts == 0) {
        sn_mesh_builder_triangle(builder, v[0], v[1], v[2]);
        return;
    }
    // Turn the triangle so that its first edge is cut and, of two cuts, the last edge is whole.
    int k = 0;
    while (m[k] < 0 || (cuts == 2 && m[(k + 2) % 3] >= 0)) {
        ++k;
    }
    int a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
    int ab = m[k], bc = m[(k + 1) % 3];
    if (cuts == 1) {
        sn_mesh_builder_triangle(builder, a, ab, c);
        sn_mesh_builder_triangle(builder, ab, b, c);
    } else {
        sn_mesh_builder_triangle(builder, ab, b, bc);
        sn_mesh_builder_quad(builder, a, ab, bc, c);
    }
}

static double x_span(const sn_mesh *mesh, int edge)
{
    double a = mesh->positions[mesh->triangles[edge]].x;
    double b = mesh->positions[mesh->triangles[sn_half_edge_next(edge)]].x;
    return fabs(b - a);
}

// One pass: every edge that spans more than `limit` in x is cut in its middle.
static sn_status cut_once(const sn_mesh *mesh, double limit, sn_mesh **finer, sn_error *error)
{
    sn_half_edges edges;
    sn_status status = sn_half_edges_build(mesh, &edges, error);
    if (status != SN_OK) {
        return status;
    }
    sn_mesh_builder builder = {0};
    size_t bytes = (size_t)edges.count * sizeof(int);
    int *middle = sn_allocate(bytes);
    if (middle == NULL) {
        sn_half_edges_free(&edges);
        return sn_fail_memory(error, bytes);
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        sn_mesh_builder_vertex(&builder, mesh->positions[i]);
    }
    for (int e = 0; !builder.failed && e < edges.count; ++e) {
        if (edges.twin[e] >= 0 && edges.twin[e] < e) {
            middle[e] = middle[edges.twin[e]];
        } else if (x_span(mesh, e) > limit) {
            sn_vec3 a = mesh->positions[mesh->triangles[e]];
            sn_vec3 b = mesh->positions[mesh->triangles[sn_half_edge_next(e)]];
            middle[e] = sn_mesh_builder_vertex(&builder, sn_vec3_scale(0.5, sn_vec3_add(a, b)));
        } else {
            middle[e] = -1;
        }
    }
    for (int t = 0; !builder.failed && t < mesh->triangle_count; ++t) {
        add_cut_triangle(&builder, mesh->triangles + 3 * (size_t)t, middle + 3 * (size_t)t);
    }
    sn_free(middle);
    sn_half_edges_free(&edges);
    return sn_mesh_builder_finish(&builder, finer, error);
}

static sn_status cut_long_edges(sn_mesh **mesh, double limit, sn_error *error)
{
    for (;;) {
        bool fine = true;
        for (int e = 0; fine && e < 3 * (*mesh)->triangle_count; ++e) {
            fine = x_span(*mesh, e) <= limit;
        }
        if (fine) {
            return SN_OK;
        }
        sn_mesh *finer = NULL;
        sn_status status = cut_once(*mesh, limit, &finer, error);
        sn_mesh_release(*mesh);
        *mesh = finer;
        if (status != SN_OK) {
            return status;
        }
    }
}

// ---- sheets ----

// The point at arc length x and height z over the middle surface, rolled about the axis x = 0, z =
// radius.
static sn_vec3 rolled(sn_vec3 p, double radius)
{
    double s, c;
    sn_sincos(p.x / radius, &s, &c);
    double arm = radius - p.z;
    return sn_vec3_make(arm * s, p.y, radius - arm * c);
}

static sn_status check_bend(const sn_mesh *flat, double thickness, double radius, int segments,
                            sn_error *error)
{
    sn_status status = sn_check_segments(segments, error);
    if (status != SN_OK) {
        return status;
    }
    if (!isfinite(radius) || fabs(radius) <= 0.5 * thickness) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "bend radius %g m of a sheet %g m thick; more than half the thickness was "
                       "expected",
                       radius, thickness);
    }
    sn_aabb bounds = sn_mesh_bounds(flat);
    double length = bounds.upper.x - bounds.lower.x;
    if (length >= 2.0 * SN_PI * fabs(radius)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a sheet %g m long rolled to a radius of %g m; less than a full turn, %g m, "
                       "was expected",
                       length, radius, 2.0 * SN_PI * fabs(radius));
    }
    return SN_OK;
}

sn_status sn_mesh_sheet(const sn_outline *outline, double thickness, double bend_radius,
                        int segments, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_length("thickness of the sheet", thickness, error);
    if (status != SN_OK) {
        return status;
    }
    sn_mesh *sheet = NULL;
    status = extrude(outline, -0.5 * thickness, 0.5 * thickness, &sheet, error);
    if (status == SN_OK && bend_radius != 0.0) {
        status = check_bend(sheet, thickness, bend_radius, segments, error);
        if (status == SN_OK) {
            status = cut_long_edges(&sheet, 2.0 * SN_PI * fabs(bend_radius) / segments, error);
        }
        for (int i = 0; status == SN_OK && i < sheet->vertex_count; ++i) {
            sheet->positions[i] = rolled(sheet->positions[i], bend_radius);
        }
    }
    if (status != SN_OK) {
        sn_mesh_release(sheet);
        return status;
    }
    *mesh = sheet;
    return SN_OK;
}
