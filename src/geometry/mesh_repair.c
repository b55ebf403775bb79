// Repair of triangle meshes, so that they bound a body: closed, turned outward, each edge with two
// triangles and each vertex with one fan.
//
// 1. Vertices nearer than rounding become one (weld.h): the corners of STL files meet.
// 2. Of faces that exist twice one stays, or none if they are a wall within a body; flaps that hang
//    on a body by an edge go (repair_clean.c).
// 3. Faces are turned to agree with their neighbours, the smaller part by area with the larger.
//    Half-edges are then paired to twins; where more than two triangles share an edge, in the order
//    of their angles around it, so that each pair has the body between its faces. From here on who
//    is next to whom is a matter of twins alone (repair_sew.c).
// 4. Half-edges without a twin form loops: holes. First their vertices are merged within a larger
//    distance (seams); each loop that is left is filled with triangles (repair_holes.c).
// 5. Triangles without area are flipped away or collapse, folds vanish (repair_finish.c).
// 6. Every fan of triangles around a vertex gets a vertex of its own: what only touched is apart.
// An
//    edge that two pairs still share is divided in its middle for one of them (repair_finish.c).
// 7. Shells without volume go; shells that are inside out are turned.
//
// Every step goes through triangles and edges by index and sorts with ties by index, so the result
// is the same to the bit everywhere. What it does not do: it does not cut surfaces that cross.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/repair_part.h"
#include "geometry/weld.h"

// ---- the surface under repair ----

sn_vec3 sn_repair_area(const sn_repair *r, int triangle)
{
    int e = 3 * triangle;
    return sn_triangle_area_vector(sn_repair_at(r, e), sn_repair_at(r, e + 1),
                                   sn_repair_at(r, e + 2));
}

bool sn_repair_is_flat(const sn_repair *r, int triangle)
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 edge = sn_vec3_sub(sn_repair_at(r, 3 * triangle + (k + 1) % 3),
                                   sn_repair_at(r, 3 * triangle + k));
        longest = fmax(longest, sn_dot(edge, edge));
    }
    return sn_length(sn_repair_area(r, triangle)) <= 4e-15 * longest;
}

void sn_repair_drop_triangle(sn_repair *r, int triangle)
{
    for (int k = 0; k < 3; ++k) {
        r->corners.data[3 * (size_t)triangle + (size_t)k] = -1;
    }
}

void sn_repair_compact(sn_repair *r)
{
    int kept = 0;
    for (int i = 0; i < r->corners.count; i += 3) {
        if (r->corners.data[i] >= 0) {
            memmove(r->corners.data + kept, r->corners.data + i, 3 * sizeof *r->corners.data);
            kept += 3;
        }
    }
    r->corners.count = kept;
    r->twins.count = 0;
}

// ---- steps ----

// As near as the rounding of a file of floats leaves two copies of one vertex.
static bool start(sn_repair *r, const sn_mesh *mesh)
{
    sn_aabb box = sn_mesh_bounds(mesh);
    sn_vec3 far = sn_vec3_max(sn_vec3_negate(box.lower), box.upper);
    double farthest = fmax(far.x, fmax(far.y, far.z));
    r->size = sn_distance(box.lower, box.upper);
    sn_mesh_builder builder = {0};
    for (int i = 0; i < mesh->vertex_count; ++i) {
        sn_mesh_builder_vertex(&builder, mesh->positions[i]);
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles + 3 * (size_t)t;
        sn_mesh_builder_triangle(&builder, v[0], v[1], v[2]);
    }
    bool done =
        !builder.failed && sn_weld(&builder, -1.0); // unused vertices do not count as merged
    int before = builder.positions.count, faces = builder.triangles.count / 3;
    done = done && sn_weld(&builder, fmax(1e-7 * r->size, 1.2e-7 * farthest));
    if (!done) {
        sn_mesh_builder_free(&builder);
        return false;
    }
    r->counts->merged_vertices += before - builder.positions.count;
    r->counts->flat_faces += faces - builder.triangles.count / 3;
    r->positions.data = builder.positions.data;
    r->positions.count = builder.positions.count;
    r->positions.capacity = builder.positions.capacity;
    r->corners.data = builder.triangles.data;
    r->corners.count = builder.triangles.count;
    r->corners.capacity = builder.triangles.capacity;
    return true;
}

static bool run_steps(sn_repair *r, const sn_mesh *mesh)
{
    return start(r, mesh) && sn_repair_drop_duplicates(r) && sn_repair_drop_flaps(r) &&
           sn_repair_orient(r) && sn_repair_pair(r) && sn_repair_stitch(r) &&
           sn_repair_close_holes(r) && sn_repair_flatten(r) && sn_repair_split(r) &&
           sn_repair_drop_shells(r);
}

static sn_status give_mesh(sn_repair *r, sn_mesh **mesh, sn_error *error)
{
    sn_repair_compact(r);
    if (r->corners.count == 0) {
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                       "the surface encloses no volume, also when its holes are closed");
    }
    sn_mesh_builder builder = {0};
    for (int i = 0; i < r->positions.count; ++i) {
        sn_mesh_builder_vertex(&builder, r->positions.data[i]);
    }
    for (int i = 0; i < r->corners.count; i += 3) {
        const int *v = r->corners.data + i;
        sn_mesh_builder_triangle(&builder, v[0], v[1], v[2]);
    }
    builder.failed = builder.failed || !sn_weld(&builder, -1.0); // without unused vertices
    return sn_mesh_builder_finish(&builder, mesh, error);
}

static sn_status repair_all(const sn_mesh *mesh, sn_mesh **repaired, sn_mesh_repair *counts,
                            sn_error *error)
{
    sn_repair r = {.counts = counts};
    sn_status status = run_steps(&r, mesh)
                           ? give_mesh(&r, repaired, error)
                           : sn_fail_memory(error, 64 * (size_t)mesh->triangle_count);
    sn_array_free(&r.positions);
    sn_array_free(&r.corners);
    sn_array_free(&r.twins);
    return status;
}

// ---- turning ----

static sn_status turn_shells(const sn_mesh *mesh, const sn_mesh_report *report, sn_mesh **turned,
                             sn_mesh_repair *counts, sn_error *error)
{
    bool *inward = sn_allocate_zero((size_t)report->shell_count * sizeof *inward);
    if (inward == NULL) {
        return sn_fail_memory(error, (size_t)report->shell_count * sizeof *inward);
    }
    for (int i = 0; i < report->problem_count; ++i) {
        inward[report->shell_of_triangle[report->problems[i].triangles[0]]] = true;
    }
    sn_status status = sn_mesh_create(mesh->positions, mesh->vertex_count, mesh->triangles,
                                      mesh->triangle_count, turned, error);
    for (int t = 0; status == SN_OK && t < mesh->triangle_count; ++t) {
        int *v = (*turned)->triangles + 3 * (size_t)t;
        if (inward[report->shell_of_triangle[t]]) {
            int swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
    }
    counts->turned_shells += report->counts[SN_MESH_INWARD_SHELL];
    sn_free(inward);
    return status;
}

// Gives `mesh` back if it passes, or with its shells turned if that is all it lacks.
static sn_status check_and_turn(sn_mesh *mesh, sn_mesh **turned, sn_mesh_repair *counts,
                                sn_error *error)
{
    sn_mesh_report report;
    sn_status status = sn_mesh_check(mesh, &report, error);
    if (status == SN_OK) {
        *turned = sn_mesh_retain(mesh);
    } else if (status == SN_ERROR_GEOMETRY &&
               report.problem_count == report.counts[SN_MESH_INWARD_SHELL]) {
        status = turn_shells(mesh, &report, turned, counts, error);
        status = status == SN_OK ? sn_mesh_check(*turned, NULL, error) : status;
    }
    sn_mesh_report_free(&report);
    if (status != SN_OK) {
        sn_mesh_release(*turned);
        *turned = NULL;
    }
    return status;
}

sn_status sn_mesh_repaired(sn_mesh *mesh, bool all, sn_mesh **repaired, sn_mesh_repair *repair,
                           sn_error *error)
{
    *repaired = NULL;
    sn_status status = check_and_turn(mesh, repaired, repair, error);
    if (status != SN_ERROR_GEOMETRY || !all) {
        return status;
    }
    sn_mesh *made = NULL;
    sn_error left = {0};
    status = repair_all(mesh, &made, repair, &left);
    if (status == SN_OK) {
        status = check_and_turn(made, repaired, repair, &left);
    }
    sn_mesh_release(made);
    if (status != SN_OK) {
        return sn_fail(error, status, left.place, "%s%s",
                       status == SN_ERROR_GEOMETRY ? "not to be repaired: " : "", left.text);
    }
    return SN_OK;
}

// ---- the text ----

bool sn_mesh_repair_text(const sn_mesh_repair *repair, char text[SN_MESH_REPAIR_TEXT])
{
    const struct {
        int count;
        const char *verb, *one, *many;
    } parts[] = {
        {repair->cut_faces, "cut", "face that crossed itself", "faces that crossed themselves"},
        {repair->lost_faces, "dropped", "face with a vertex that is no number",
         "faces with a vertex that is no number"},
        {repair->merged_vertices, "merged", "vertex", "vertices"},
        {repair->duplicate_faces, "dropped", "duplicate face", "duplicate faces"},
        {repair->flat_faces, "dropped", "face without area", "faces without area"},
        {repair->flap_faces, "dropped", "face of a flap", "faces of flaps"},
        {repair->turned_faces, "turned", "face", "faces"},
        {repair->holes, "closed", "hole", "holes"},
        {repair->split_vertices, "split", "vertex that only touched", "vertices that only touched"},
        {repair->dropped_shells, "dropped", "shell without volume", "shells without volume"},
        {repair->turned_shells, "turned", "shell that was inside out",
         "shells that were inside out"}};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (parts[i].count == 0) {
            continue;
        }
        char edges[32] = "";
        if (parts[i].count == repair->holes && parts[i].verb[0] == 'c' && parts[i].verb[1] == 'l') {
            snprintf(edges, sizeof edges, " (%d edges)", repair->hole_edges);
        }
        int written = snprintf(text + length, SN_MESH_REPAIR_TEXT - length, "%s%s %d %s%s",
                               length > 0 ? ", " : "", parts[i].verb, parts[i].count,
                               parts[i].count == 1 ? parts[i].one : parts[i].many, edges);
        length +=
            written > 0 && length + (size_t)written < SN_MESH_REPAIR_TEXT ? (size_t)written : 0;
    }
    return length > 0;
}
