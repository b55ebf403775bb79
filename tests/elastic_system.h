// Bodies with shaken vertices, materials of all laws, masses and fixed coordinates, whose linear
// systems tests solve.
#ifndef SN_TESTS_ELASTIC_SYSTEM_H
#define SN_TESTS_ELASTIC_SYSTEM_H

#include <stdlib.h>

#include "base/random.h"
#include "elastic/mass.h"
#include "elastic/solid.h"

typedef struct elastic_system {
    sn_tetrahedra *mesh;
    sn_solid *solid;
    sn_mass mass;
    int vertices, elements, size; // numbers of a vector
    double *x;                    // where it is linearised
    uint8_t *fixed;               // vertices
    sn_stiffness kind;
} elastic_system;

static inline double *system_vector(const elastic_system *s, sn_random *random)
{
    double *v = calloc((size_t)s->size, sizeof *v);
    for (int i = 0; i < s->size; ++i) {
        v[i] = i % SN_SOLID_STRIDE < 3 ? sn_random_range(random, -1.0, 1.0) : 0.0;
    }
    return v;
}

// Cells of 1 m, of 4 or 10 nodes.
static inline elastic_system make_system(int x, int y, int z, int nodes, uint64_t seed,
                                         sn_stiffness kind, sn_mass_kind mass)
{
    elastic_system s = {.kind = kind};
    sn_random random = {.seed = seed};
    sn_error error = {0};
    sn_tetrahedra_box box = {.size = {x, y, z}, .cells = {x, y, z}, .cell = SN_CELL_SIX_MIRRORED};
    sn_tetrahedra *plain = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &plain, &error), SN_OK);
    if (nodes == 10) {
        assert_int_equal(sn_tetrahedra_quadratic(plain, &s.mesh, &error), SN_OK);
        sn_tetrahedra_release(plain);
    } else {
        s.mesh = plain;
    }
    sn_elastic material = {.law = (sn_elastic_law)(seed % 4), .bulk = 2.0, .shear = 1.0};
    sn_solid_def def = {.mesh = s.mesh, .materials = &material, .material_count = 1};
    assert_int_equal(sn_solid_create(&def, &s.solid, &error), SN_OK);
    double density = 1.0;
    assert_int_equal(sn_mass_create(s.mesh, &density, 1, mass, NULL, &s.mass, &error), SN_OK);
    s.vertices = sn_tetrahedra_vertex_count(s.mesh);
    s.elements = sn_tetrahedra_element_count(s.mesh);
    s.size = SN_SOLID_STRIDE * s.vertices;
    s.x = calloc((size_t)s.size, sizeof *s.x);
    s.fixed = calloc((size_t)s.vertices, 1);
    sn_solid_pad(s.solid, &sn_tetrahedra_positions(s.mesh)->x, s.x);
    for (int i = 0; i < s.size; ++i) {
        s.x[i] += i % SN_SOLID_STRIDE < 3 ? sn_random_range(&random, -0.1, 0.1) : 0.0;
    }
    for (int v = 0; v < s.vertices; ++v) {
        s.fixed[v] = sn_random_below(&random, 6) == 0 ? (uint8_t)sn_random_below(&random, 8) : 0;
    }
    assert_int_equal(sn_solid_linearise(s.solid, NULL, s.x, kind, &error), SN_OK);
    return s;
}

static inline void free_system(elastic_system *s)
{
    free(s->x);
    free(s->fixed);
    sn_mass_free(&s->mass);
    sn_solid_destroy(s->solid);
    sn_tetrahedra_release(s->mesh);
}

#endif
