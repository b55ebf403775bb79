// Elastic bars of a regular mesh, clamped at an end, for the tests of what is at rest.
#ifndef SN_TESTS_ELASTIC_BAR_H
#define SN_TESTS_ELASTIC_BAR_H

#include <string.h>

#include "sinew/sinew.h"

enum { BAR_VERTICES = 512 };

typedef struct bar {
    sn_vec3 size;
    int cells[3];
    double young, poisson, density;
    int clamped;    // axis whose lower end is fixed, or -1
    bool fine;      // ten nodes
    double damping; // s
    sn_transform frame;
} bar;

static inline sn_tetrahedra *bar_mesh(const bar *b)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *plain = NULL, *mesh = NULL;
    box.size = b->size;
    memcpy(box.cells, b->cells, sizeof box.cells);
    box.cell = SN_CELL_SIX_MIRRORED;
    assert_int_equal(sn_tetrahedra_make_box(&box, &plain, NULL), SN_OK);
    if (!b->fine) {
        return plain;
    }
    assert_int_equal(sn_tetrahedra_quadratic(plain, &mesh, NULL), SN_OK);
    sn_tetrahedra_release(plain);
    return mesh;
}

static inline sn_body add_bar(sn_world *world, const char *name, const bar *b)
{
    sn_tetrahedra *mesh = bar_mesh(b);
    int fixed[BAR_VERTICES], count = sn_tetrahedra_vertex_count(mesh);
    assert_true(count <= BAR_VERTICES);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, b->young, b->poisson);
    material.density = b->density;
    sn_elastic_def def = sn_default_elastic_def();
    def.name = name;
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame = b->frame;
    def.stiffness_damping = b->damping;
    def.fixed = fixed;
    for (int i = 0; i < count && b->clamped >= 0; ++i) {
        sn_vec3 p = sn_tetrahedra_positions(mesh)[i];
        if ((&p.x)[b->clamped] < 1e-9 - 0.5 * (&b->size.x)[b->clamped]) {
            fixed[def.fixed_count++] = i;
        }
    }
    sn_body body;
    sn_error error = {0};
    if (sn_world_add_elastic(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_tetrahedra_release(mesh);
    return body;
}

#endif
