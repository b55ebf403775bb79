#include "field/load.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/solid.h"
#include "geometry/tetrahedra_faces.h"
#include "math/dense.h"

enum { MOST_NODES = 6 };

struct sn_load {
    int nodes; // of a face: 3, 6, or 1 where vertices count alike
    int face_count;
    int *faces;      // face_count * nodes: vertices
    double *weights; // face_count
    sn_vec3 *rest;   // face_count * nodes: places of these, from their mean
    double weight;   // sum
    bool turns;
};

// ---- faces ----

// M of a face by its area: 3 nodes A/12 (1 + delta); 6 nodes, corners first, then the middles of
// edges 01, 12, 20 (O. C. Zienkiewicz, R. L. Taylor, The finite element method, 2000, volume 1).
static double mass_of(int nodes, int i, int k)
{
    if (nodes == 1) {
        return 1.0;
    }
    if (nodes == 3) {
        return (i == k ? 2.0 : 1.0) / 12.0;
    }
    if (i >= 3 && k >= 3) {
        return (i == k ? 32.0 : 16.0) / 180.0;
    }
    if (i < 3 && k < 3) {
        return (i == k ? 6.0 : -1.0) / 180.0;
    }
    int corner = i < 3 ? i : k, middle = (i < 3 ? k : i) - 3;
    bool opposite = middle == (corner + 1) % 3; // edge 12 of corner 0
    return opposite ? -4.0 / 180.0 : 0.0;
}

// What a node of a face takes of an even traction.
static double share_of(int nodes, int i)
{
    return nodes == 1 ? 1.0 : nodes == 3 ? 1.0 / 3.0 : i < 3 ? 0.0 : 1.0 / 3.0;
}

static void face_nodes(const sn_tetrahedra *mesh, int face, int *nodes)
{
    const int *v = mesh->elements + (size_t)(face / 4) * (size_t)mesh->nodes;
    for (int k = 0; k < 3; ++k) {
        nodes[k] = v[sn_tetrahedron_faces[face % 4][k]];
        if (mesh->nodes == 10) {
            nodes[3 + k] = v[sn_tetrahedron_face_middles[face % 4][k]];
        }
    }
}

static bool is_chosen(const uint8_t *chosen, const int *nodes, int count)
{
    bool all = true;
    for (int k = 0; k < count; ++k) {
        all = all && chosen[nodes[k]];
    }
    return all;
}

// Open faces of the mesh all of whose nodes are chosen; their number, or with `load` they are put
// there.
static int collect(const sn_tetrahedra *mesh, const sn_tetrahedra_faces *faces,
                   const uint8_t *chosen, sn_load *load)
{
    int count = 0, nodes[MOST_NODES], per_face = mesh->nodes == 10 ? 6 : 3;
    for (int first = 0, last; first < faces->count; first = last) {
        last = sn_tetrahedra_faces_group(faces, first);
        face_nodes(mesh, faces->order[first], nodes);
        if (last > first + 1 || !is_chosen(chosen, nodes, per_face)) {
            continue;
        }
        if (load != NULL) {
            const sn_vec3 *p = mesh->positions;
            sn_vec3 a = sn_vec3_sub(p[nodes[1]], p[nodes[0]]);
            sn_vec3 b = sn_vec3_sub(p[nodes[2]], p[nodes[0]]);
            memcpy(load->faces + count * per_face, nodes, (size_t)per_face * sizeof *nodes);
            load->weights[count] = 0.5 * sn_length(sn_cross(a, b));
        }
        count += 1;
    }
    return count;
}

// ---- sums over the load ----

static sn_vec3 mean_of(const sn_load *load, const double *x)
{
    sn_vec3 mean = SN_VEC3_ZERO;
    for (int f = 0; f < load->face_count; ++f) {
        for (int i = 0; i < load->nodes; ++i) {
            double share = load->weights[f] * share_of(load->nodes, i) / load->weight;
            const double *at = x + SN_SOLID_STRIDE * (size_t)load->faces[f * load->nodes + i];
            mean = sn_vec3_add_scaled(mean, share, sn_vec3_at(at));
        }
    }
    return mean;
}

static void add_outer(sn_mat3 *sum, double m, sn_vec3 a, sn_vec3 b)
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            sum->m[i][k] += m * x[i] * y[k];
        }
    }
}

// sum_ij M_ij r_i s_j^T, of places now (r) with those at rest (s), or with themselves.
static sn_mat3 moments_of(const sn_load *load, const double *x, sn_vec3 mean, bool with_rest)
{
    sn_mat3 sum = {0};
    for (int f = 0; f < load->face_count; ++f) {
        sn_vec3 r[MOST_NODES];
        for (int i = 0; i < load->nodes; ++i) {
            const double *at = x + SN_SOLID_STRIDE * (size_t)load->faces[f * load->nodes + i];
            r[i] = sn_vec3_sub(sn_vec3_at(at), mean);
        }
        const sn_vec3 *s = with_rest ? load->rest + f * load->nodes : r;
        for (int i = 0; i < load->nodes; ++i) {
            for (int k = 0; k < load->nodes; ++k) {
                double m = load->weights[f] * mass_of(load->nodes, i, k);
                add_outer(&sum, m, r[i], s[k]);
            }
        }
    }
    return sum;
}

// J of moment = J a: trace(C) - C with C = sum M_ij r_i r_j^T.
static sn_mat3 inertia_of(sn_mat3 c)
{
    double trace = c.m[0][0] + c.m[1][1] + c.m[2][2];
    sn_mat3 j = sn_mat3_scale(-1.0, c);
    for (int i = 0; i < 3; ++i) {
        j.m[i][i] += trace;
    }
    return j;
}

// A share of what it would be were it as wide everywhere.
static bool is_wide(sn_mat3 j)
{
    double trace = (j.m[0][0] + j.m[1][1] + j.m[2][2]) / 3.0;
    return sn_mat3_determinant(j) > 1e-9 * trace * trace * trace;
}

// ---- making ----

static bool reserve(sn_load *load, int nodes, int count)
{
    size_t all = (size_t)nodes * (size_t)count;
    load->nodes = nodes;
    load->face_count = count;
    load->faces = sn_allocate(all * sizeof *load->faces);
    load->weights = sn_allocate((size_t)count * sizeof *load->weights);
    load->rest = sn_allocate(all * sizeof *load->rest);
    return load->faces != NULL && load->weights != NULL && load->rest != NULL;
}

static sn_status note_rest(const sn_tetrahedra *mesh, sn_load *load, sn_error *error)
{
    double *x = sn_allocate_zero((size_t)mesh->vertex_count * SN_SOLID_STRIDE * sizeof *x);
    if (x == NULL) {
        return sn_fail_memory(error, (size_t)mesh->vertex_count * SN_SOLID_STRIDE * sizeof *x);
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3_put(x + (size_t)i * SN_SOLID_STRIDE, mesh->positions[i]);
    }
    for (int f = 0; f < load->face_count; ++f) {
        load->weight += load->weights[f];
    }
    sn_vec3 mean = mean_of(load, x);
    for (int i = 0; i < load->face_count * load->nodes; ++i) {
        load->rest[i] = sn_vec3_sub(mesh->positions[load->faces[i]], mean);
    }
    load->turns = is_wide(inertia_of(moments_of(load, x, mean, false)));
    sn_free(x);
    return SN_OK;
}

static sn_status fill(const sn_tetrahedra *mesh, const uint8_t *chosen, const int *vertices,
                      int count, sn_load *load, sn_error *error)
{
    sn_tetrahedra_faces faces;
    sn_status status = sn_tetrahedra_faces_find(mesh, &faces, error);
    if (status != SN_OK) {
        return status;
    }
    int found = collect(mesh, &faces, chosen, NULL);
    bool made =
        found > 0 ? reserve(load, mesh->nodes == 10 ? 6 : 3, found) : reserve(load, 1, count);
    if (made && found > 0) {
        collect(mesh, &faces, chosen, load);
    }
    for (int i = 0; i < count && made && found == 0; ++i) {
        load->faces[i] = vertices[i];
        load->weights[i] = 1.0;
    }
    sn_tetrahedra_faces_free(&faces);
    return made ? note_rest(mesh, load, error)
                : sn_fail_memory(error, (size_t)(found + count) * sizeof(sn_vec3));
}

sn_status sn_load_create(const sn_tetrahedra *mesh, const int *vertices, int count,
                         const char *place, sn_load **load, sn_error *error)
{
    *load = NULL;
    if (count <= 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place, "a load needs a vertex to act on");
    }
    uint8_t *chosen = sn_allocate_zero((size_t)mesh->vertex_count);
    sn_load *made = sn_allocate_zero(sizeof *made);
    sn_status status = chosen != NULL && made != NULL ? SN_OK : sn_fail_memory(error, sizeof *made);
    for (int i = 0; i < count && status == SN_OK; ++i) {
        int v = vertices[i];
        if (v < 0 || v >= mesh->vertex_count || chosen[v]) {
            status = sn_fail(error, SN_ERROR_ARGUMENT, place,
                             "the load is on vertex %d, which %s; the body has %d, from 0", v,
                             v < 0 || v >= mesh->vertex_count ? "there is not" : "is named twice",
                             mesh->vertex_count);
        } else {
            chosen[v] = 1;
        }
    }
    if (status == SN_OK) {
        status = fill(mesh, chosen, vertices, count, made, error);
    }
    sn_free(chosen);
    if (status != SN_OK) {
        sn_load_destroy(made);
        return status;
    }
    *load = made;
    return SN_OK;
}

sn_load *sn_load_copy(const sn_load *load)
{
    sn_load *copy = sn_allocate_zero(sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *load;
    copy->faces = NULL;
    copy->weights = NULL;
    copy->rest = NULL;
    if (!reserve(copy, load->nodes, load->face_count)) {
        sn_load_destroy(copy);
        return NULL;
    }
    size_t all = (size_t)load->nodes * (size_t)load->face_count;
    memcpy(copy->faces, load->faces, all * sizeof *load->faces);
    memcpy(copy->weights, load->weights, (size_t)load->face_count * sizeof *load->weights);
    memcpy(copy->rest, load->rest, all * sizeof *load->rest);
    return copy;
}

void sn_load_destroy(sn_load *load)
{
    if (load != NULL) {
        sn_free(load->faces);
        sn_free(load->weights);
        sn_free(load->rest);
        sn_free(load);
    }
}

bool sn_load_has_moment(const sn_load *load)
{
    return load->turns;
}

// ---- acting ----

void sn_load_push(const sn_load *load, sn_vec3 force, sn_vec3 moment, bool follows, const double *x,
                  double *f)
{
    sn_vec3 mean = mean_of(load, x), turning = SN_VEC3_ZERO;
    if (follows && load->turns) {
        sn_mat3 rotation, stretch;
        sn_mat3_polar(moments_of(load, x, mean, true), &rotation, &stretch);
        force = sn_mat3_apply(rotation, force);
        moment = sn_mat3_apply(rotation, moment);
    }
    if (sn_dot(moment, moment) > 0.0) {
        sn_mat3 j = inertia_of(moments_of(load, x, mean, false));
        turning = is_wide(j) ? sn_mat3_apply(sn_mat3_inverse(j), moment) : SN_VEC3_ZERO;
    }
    sn_vec3 even = sn_vec3_scale(1.0 / load->weight, force);
    for (int face = 0; face < load->face_count; ++face) {
        const int *nodes = load->faces + face * load->nodes;
        for (int k = 0; k < load->nodes; ++k) {
            sn_vec3 r = sn_vec3_sub(sn_vec3_at(x + SN_SOLID_STRIDE * (size_t)nodes[k]), mean);
            sn_vec3 traction = sn_vec3_add(even, sn_cross(turning, r));
            for (int i = 0; i < load->nodes; ++i) {
                double m = load->weights[face] * mass_of(load->nodes, i, k);
                double *at = f + SN_SOLID_STRIDE * (size_t)nodes[i];
                sn_vec3_put(at, sn_vec3_add_scaled(sn_vec3_at(at), m, traction));
            }
        }
    }
}
