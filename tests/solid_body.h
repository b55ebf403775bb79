// An elastic solid with its mesh and its deformed positions, for the tests of solids.
#ifndef SN_TESTS_SOLID_BODY_H
#define SN_TESTS_SOLID_BODY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "elastic/solid.h"

enum { STRIDE = SN_SOLID_STRIDE };

typedef struct body {
    sn_tetrahedra *mesh;
    sn_solid *solid;
    int vertices, elements, size; // numbers of a vector
    double *x;                    // deformed
} body;

static inline double *vector(const body *b)
{
    return calloc((size_t)b->size, sizeof(double));
}

static inline double *random_vector(const body *b, sn_random *random, double reach)
{
    double *v = vector(b);
    for (int i = 0; i < b->size; ++i) {
        v[i] = i % STRIDE < 3 ? sn_random_range(random, -reach, reach) : 0.0;
    }
    return v;
}

// A box with vertices inside shaken, in four regions, of 4 or 10 nodes.
static inline sn_tetrahedra *shaken_box(int x, int y, int z, int nodes, sn_random *random)
{
    sn_tetrahedra_box box = {.size = {x, y, z}, .cells = {x, y, z}, .cell = SN_CELL_SIX_MIRRORED};
    sn_tetrahedra *plain = NULL, *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_tetrahedra_make_box(&box, &plain, &error), SN_OK);
    int vertices = sn_tetrahedra_vertex_count(plain), elements = sn_tetrahedra_element_count(plain);
    sn_vec3 *p = malloc((size_t)vertices * sizeof *p);
    int *regions = malloc((size_t)elements * sizeof *regions);
    for (int i = 0; i < vertices; ++i) {
        p[i] = sn_tetrahedra_positions(plain)[i];
        if (fabs(p[i].x) < 0.49 * x && fabs(p[i].y) < 0.49 * y && fabs(p[i].z) < 0.49 * z) {
            p[i].x += sn_random_range(random, -0.15, 0.15);
            p[i].y += sn_random_range(random, -0.15, 0.15);
            p[i].z += sn_random_range(random, -0.15, 0.15);
        }
    }
    for (int e = 0; e < elements; ++e) {
        regions[e] = sn_random_below(random, 4);
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = p;
    def.vertex_count = vertices;
    def.elements = sn_tetrahedra_elements(plain);
    def.element_count = elements;
    def.regions = regions;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_OK);
    free(p);
    free(regions);
    sn_tetrahedra_release(plain);
    if (nodes == 10) {
        sn_tetrahedra *quadratic = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &quadratic, &error), SN_OK);
        sn_tetrahedra_release(mesh);
        mesh = quadratic;
    }
    return mesh;
}

static const int node_counts[2] = {4, 10};

static inline body make_body(sn_tetrahedra *mesh, const sn_elastic *materials, int count)
{
    sn_error error = {0};
    body b = {.mesh = mesh,
              .vertices = sn_tetrahedra_vertex_count(mesh),
              .elements = sn_tetrahedra_element_count(mesh)};
    b.size = STRIDE * b.vertices;
    sn_solid_def def = {.mesh = mesh, .materials = materials, .material_count = count};
    if (sn_solid_create(&def, &b.solid, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    b.x = vector(&b);
    sn_solid_pad(b.solid, &sn_tetrahedra_positions(mesh)->x, b.x);
    return b;
}

static inline void free_body(body *b)
{
    free(b->x);
    sn_solid_destroy(b->solid);
    sn_tetrahedra_release(b->mesh);
}

// One material of each law, the second with fibres.
static inline void four_materials(sn_elastic materials[4])
{
    for (int law = 0; law < 4; ++law) {
        materials[law] = (sn_elastic){
            .law = (sn_elastic_law)law, .bulk = 2.0 + 0.3 * law, .shear = 1.0 - 0.1 * law};
    }
    materials[1].fibre_stiffness = 3.0;
    materials[1].fibre = (sn_vec3){0.6, 0.0, 0.8};
}

static inline double length_of(const double *v, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

static inline double product(const double *a, const double *b, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

#endif
