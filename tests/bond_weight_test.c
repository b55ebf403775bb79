// Heavy rigid bodies bonded to light elastic ones: such bodies are linearised about what the bonds
// do, and bonds are solved again until that is it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sinew/sinew.h"
#include "world_steps.h"

enum { MOST = 64 };

static const double LENGTH = 0.4, MASS = 2.0;

// A cantilever of 32 g with 2 kg at its end, level at first.
static sn_world *make_cantilever(sn_body *weight)
{
    sn_world *world = NULL;
    sn_world_def world_def = sn_default_world_def();
    assert_int_equal(sn_world_create(&world_def, &world, NULL), SN_OK);
    sn_tetrahedra *coarse = NULL, *mesh = NULL;
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = (sn_vec3){LENGTH, 0.04, 0.04};
    box.cells[0] = 8;
    box.cells[1] = box.cells[2] = 1;
    box.cell = SN_CELL_SIX_MIRRORED;
    assert_int_equal(sn_tetrahedra_make_box(&box, &coarse, NULL), SN_OK);
    assert_int_equal(sn_tetrahedra_quadratic(coarse, &mesh, NULL), SN_OK);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 2e8, 0.0);
    material.density = 50.0;
    int fixed[MOST], ends[MOST], fixed_count = 0, end_count = 0;
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        double x = sn_tetrahedra_positions(mesh)[i].x;
        if (x < 1e-9 - 0.5 * LENGTH) {
            fixed[fixed_count++] = i;
        } else if (x > 0.5 * LENGTH - 1e-9) {
            ends[end_count++] = i;
        }
    }
    sn_elastic_def beam_def = sn_default_elastic_def();
    beam_def.mesh = mesh;
    beam_def.materials = &material;
    beam_def.material_count = 1;
    beam_def.fixed = fixed;
    beam_def.fixed_count = fixed_count;
    sn_body beam;
    assert_int_equal(sn_world_add_elastic(world, &beam_def, &beam, NULL), SN_OK);
    sn_body_def def = sn_default_body_def();
    def.mass.mass = MASS;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(4e-3, 4e-3, 4e-3));
    def.frame.position.x = 0.5 * LENGTH + 0.03;
    assert_int_equal(sn_world_add_body(world, &def, weight, NULL), SN_OK);
    sn_bond_def bond_def = sn_default_bond_def();
    bond_def.type = SN_BOND_ATTACHED;
    bond_def.body = beam;
    bond_def.other = *weight;
    bond_def.vertices = ends;
    bond_def.vertex_count = end_count;
    sn_bond bond;
    assert_int_equal(sn_world_add_bond(world, &bond_def, &bond, NULL), SN_OK);
    sn_tetrahedra_release(coarse);
    sn_tetrahedra_release(mesh);
    return world;
}

// It swings by 24 mm, which is 0.47 J, five times in a second, and loses and gains next to nothing,
// however long the steps are. Linearised about its free motion alone the beam breaks up within a
// swing, at any step above 0.1 ms.
static void weights_swing_on_light_beams(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 60.0, 1.0 / 120.0, 1.0 / 1000.0};
    for (int k = 0; k < 3; ++k) {
        sn_body weight;
        sn_world *world = make_cantilever(&weight);
        double start = sn_world_energy(world).total, lowest = 0.0, off = 0.0;
        int count = (int)lround((k < 2 ? 1.0 : 0.15) / steps[k]);
        for (int i = 0; i < count; ++i) {
            advance(world, steps[k], 1);
            lowest = fmin(lowest, sn_body_centre(world, weight).z);
            off = fmax(off, fabs(sn_world_energy(world).total - start));
        }
        assert_true(lowest < -0.022 && lowest > -0.026);
        assert_true(off < (k < 2 ? 1e-3 : 1e-4));
        sn_world_destroy(world);
    }
}

// What bonds did is part of the state: it goes on to the bit.
static void states_know_what_bonds_did(void **state)
{
    (void)state;
    sn_body weight;
    sn_world *world = make_cantilever(&weight), *other = make_cantilever(&weight);
    advance(world, 1.0 / 120.0, 20);
    size_t size = sn_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_load_state(other, bytes, size, NULL), SN_OK);
    free(bytes);
    for (int i = 0; i < 20; ++i) {
        advance(world, 1.0 / 120.0, 1);
        advance(other, 1.0 / 120.0, 1);
        assert_int_equal(sn_world_hash(world), sn_world_hash(other));
    }
    sn_world_destroy(world);
    sn_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_swing_on_light_beams),
        cmocka_unit_test(states_know_what_bonds_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
