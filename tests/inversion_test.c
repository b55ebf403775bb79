// Elements inside out: they come back under laws that tell them from sound ones, are kept from
// turning under the thesis' law, which does not, and are told in any case.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "elastic/solid.h"
#include "sinew/contact.h"
#include "sinew/elastic.h"

enum { STRIDE = SN_SOLID_STRIDE, MOST = 125 };

static sn_tetrahedra *make_block(int cells)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = sn_vec3_make(0.2, 0.2, 0.2);
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    return mesh;
}

static sn_world *make_world(sn_vec3 gravity)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.gravity = gravity;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_body add_block(sn_world *world, int law, int cells, double young, double height)
{
    sn_tetrahedra *mesh = make_block(cells);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young((sn_elastic_law)law, young, 0.3);
    sn_elastic_def def = sn_default_elastic_def();
    def.name = "block";
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame.position.z = height;
    def.stiffness_damping = 0.01;
    sn_body body;
    assert_int_equal(sn_world_add_elastic(world, &def, &body, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    return body;
}

static sn_step_report step(sn_world *world, double h)
{
    sn_error error = {0};
    if (sn_world_step(world, h, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return sn_world_report(world);
}

// The upper side is pushed into the lower half.
static void turn_over(sn_world *world, sn_body body)
{
    sn_vec3 places[MOST];
    assert_true(sn_body_vertex_count(world, body) <= MOST);
    sn_body_read_vertices(world, body, places, NULL);
    for (int i = 0; i < sn_body_vertex_count(world, body); ++i) {
        places[i].z = places[i].z > 0.05 ? -0.05 : places[i].z;
    }
    assert_int_equal(sn_body_write_vertices(world, body, places, NULL, NULL), SN_OK);
}

// The block is told to be inside out as long as it is, and is whole and at rest after two seconds.
static void laws_recover(void **unused)
{
    (void)unused;
    static const int laws[2] = {SN_ELASTIC_COROTATIONAL, SN_ELASTIC_NEO_HOOKEAN};
    for (int k = 0; k < 2; ++k) {
        sn_world *world = make_world(SN_VEC3_ZERO);
        sn_body body = add_block(world, laws[k], 2, 1e5, 0.0);
        turn_over(world, body);
        sn_elastic_report start = sn_body_elastic_report(world, body);
        assert_true(start.least_stretch < -0.2);
        int told = 0;
        for (int i = 0; i < 300; ++i) {
            sn_step_report report = step(world, i < 60 ? 1e-5 : 1.0 / 120.0);
            told += report.inverted > 0;
            bool same = report.worst[SN_COUNTER_INVERTED].body.index ==
                        (report.inverted > 0 ? body.index : 0);
            assert_true(same && report.truncated == 0);
        }
        sn_elastic_report end = sn_body_elastic_report(world, body);
        if (told == 0 || sn_world_report(world).inverted > 0 || !(end.least_stretch > 0.99) ||
            !(end.elastic_energy < 1e-6 * start.elastic_energy)) {
            fail_msg("%s: told %d times, at last %d, least stretch %g, %g J of %g",
                     sn_elastic_law_word((sn_elastic_law)laws[k]), told,
                     sn_world_report(world).inverted, end.least_stretch, end.elastic_energy,
                     start.elastic_energy);
        }
        sn_world_destroy(world);
    }
}

// The thesis' law takes an inverted start for another shape at rest; it is told in every step.
static void mirrored_start_is_told(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_VEC3_ZERO);
    sn_body body = add_block(world, SN_ELASTIC_LIESENFELD, 1, 1e5, 0.0);
    sn_vec3 places[8];
    sn_body_read_vertices(world, body, places, NULL);
    for (int i = 0; i < 8; ++i) {
        places[i].x = -places[i].x;
    }
    assert_int_equal(sn_body_write_vertices(world, body, places, NULL, NULL), SN_OK);
    for (int i = 0; i < 20; ++i) {
        sn_step_report report = step(world, 1.0 / 120.0);
        assert_int_equal(report.inverted, 6);
        assert_int_equal(report.worst[SN_COUNTER_INVERTED].body.index, body.index);
    }
    assert_float_equal(sn_body_elastic_report(world, body).least_stretch, -1.0, 1e-9);
    sn_world_destroy(world);
}

// Thrown at the ground faster than sound goes through it: not one element gets through zero volume.
static void thrown_block_keeps_its_sense(void **unused)
{
    (void)unused;
    static const double speeds[3] = {2.0, 12.0, 40.0};
    int truncated = 0;
    for (int k = 0; k < 3; ++k) {
        sn_world *world = make_world(sn_vec3_make(0.0, 0.0, -9.81));
        sn_shape ground = sn_default_shape();
        ground.type = SN_SHAPE_PLANE;
        sn_body_def floor = sn_default_body_def();
        floor.type = SN_BODY_STATIC;
        floor.shapes = &ground;
        floor.shape_count = 1;
        sn_body body;
        assert_int_equal(sn_world_add_body(world, &floor, &body, NULL), SN_OK);
        body = add_block(world, SN_ELASTIC_LIESENFELD, 3, 2e4, 0.15); // sound: 5 m/s
        sn_vec3 velocities[MOST];
        for (int i = 0; i < MOST; ++i) {
            velocities[i] = sn_vec3_make(0.0, 0.0, -speeds[k]);
        }
        assert_int_equal(sn_body_write_vertices(world, body, NULL, velocities, NULL), SN_OK);
        double energy = INFINITY;
        for (int i = 0; i < 120; ++i) {
            sn_step_report report = step(world, 1.0 / 120.0);
            assert_int_equal(report.inverted, 0);
            truncated += report.truncated;
            energy = fmin(energy, sn_world_energy(world).total);
        }
        assert_true(sn_body_elastic_report(world, body).least_stretch > 0.3);
        assert_true(sn_body_transform(world, body).position.z > 0.05);
        sn_world_destroy(world);
    }
    assert_true(truncated > 0);
}

// The count against one element at a time, and the safe share against a fine scan of the way.
static void counts_and_shares_are_right(void **unused)
{
    (void)unused;
    sn_tetrahedra *mesh = make_block(2);
    sn_elastic material = sn_elastic_from_young(SN_ELASTIC_LIESENFELD, 1e5, 0.3);
    sn_solid_def def = {.mesh = mesh, .materials = &material, .material_count = 1};
    sn_solid *solid = NULL;
    assert_int_equal(sn_solid_create(&def, &solid, NULL), SN_OK);
    assert_true(sn_solid_has_barrier(solid));
    int vertices = sn_tetrahedra_vertex_count(mesh), elements = sn_tetrahedra_element_count(mesh);
    sn_random random = {.seed = 5};
    int shorter = 0;
    for (int round = 0; round < 200; ++round) {
        double x[STRIDE * MOST] = {0}, y[STRIDE * MOST] = {0}, z[STRIDE * MOST] = {0};
        const sn_vec3 *rest = sn_tetrahedra_positions(mesh);
        double far = round % 2 ? 0.05 : 0.15;
        for (int i = 0; i < vertices; ++i) {
            const double p[3] = {rest[i].x, rest[i].y, rest[i].z};
            for (int k = 0; k < 3; ++k) {
                x[STRIDE * i + k] = p[k] + sn_random_range(&random, -0.02, 0.02);
                y[STRIDE * i + k] = x[STRIDE * i + k] + sn_random_range(&random, -far, far);
            }
        }
        int count = 0;
        for (int e = 0; e < elements; ++e) {
            sn_mat3 f = sn_solid_gradient(solid, e, 0, y);
            count += !(sn_mat3_determinant(f) > 0.0);
        }
        assert_int_equal(sn_solid_count_inverted(solid, NULL, y), count);
        double share = sn_solid_safe_share(solid, NULL, x, y, 0.1);
        assert_true(share > 0.0 && share <= 1.0 && (count == 0 || share < 1.0));
        shorter += share < 1.0;
        for (int i = 0; i < STRIDE * vertices; ++i) {
            z[i] = x[i] + share * (y[i] - x[i]);
        }
        for (int e = 0; e < elements; ++e) {
            double before = sn_mat3_determinant(sn_solid_gradient(solid, e, 0, x)),
                   after = sn_mat3_determinant(sn_solid_gradient(solid, e, 0, z));
            assert_true(before <= 0.0 || after >= 0.1 * before * (1.0 - 1e-9));
        }
    }
    assert_in_range(shorter, 20, 199);
    sn_solid_destroy(solid);
    sn_tetrahedra_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_recover),
        cmocka_unit_test(mirrored_start_is_told),
        cmocka_unit_test(thrown_block_keeps_its_sense),
        cmocka_unit_test(counts_and_shares_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
