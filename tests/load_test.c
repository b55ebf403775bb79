// Loads on elastic bodies: forces of vertices add up to the force and the moment that were asked
// for, wherever the vertices are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "elastic/solid.h"
#include "field/load.h"
#include "math/rotation.h"
#include "sinew/sinew.h"

enum { MOST = 256 };

static sn_tetrahedra *make_mesh(int nodes)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *plain = NULL, *mesh = NULL;
    box.size = sn_vec3_make(0.4, 0.2, 0.3);
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    assert_int_equal(sn_tetrahedra_make_box(&box, &plain, NULL), SN_OK);
    if (nodes == 4) {
        return plain;
    }
    assert_int_equal(sn_tetrahedra_quadratic(plain, &mesh, NULL), SN_OK);
    sn_tetrahedra_release(plain);
    return mesh;
}

// The vertices of the end at +x.
static int choose_end(const sn_tetrahedra *mesh, int *vertices)
{
    int count = 0;
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        if (sn_tetrahedra_positions(mesh)[i].x > 0.2 - 1e-9) {
            vertices[count++] = i;
        }
    }
    return count;
}

static void check_sums(const sn_tetrahedra *mesh, const double *x, const double *f, sn_vec3 force,
                       sn_vec3 moment)
{
    sn_vec3 sum = SN_VEC3_ZERO, turn = SN_VEC3_ZERO;
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        sn_vec3 at = sn_vec3_at(f + SN_SOLID_STRIDE * i);
        sum = sn_vec3_add(sum, at);
        turn = sn_vec3_add(turn, sn_cross(sn_vec3_at(x + SN_SOLID_STRIDE * i), at));
        assert_true(f[SN_SOLID_STRIDE * i + 3] == 0.0);
    }
    assert_true(sn_distance(sum, force) < 1e-12);
    if (sn_length(force) == 0.0) { // no lever matters then
        assert_true(sn_distance(turn, moment) < 1e-12);
    }
}

static void forces_add_up_wherever_vertices_are(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    for (int kind = 0; kind < 3; ++kind) { // faces of three and six nodes, and single vertices
        sn_tetrahedra *mesh = make_mesh(kind == 1 ? 10 : 4);
        int vertices[MOST], count = choose_end(mesh, vertices);
        if (kind == 2) { // corners of the end: no whole face among them
            int kept = 0;
            for (int i = 0; i < count; ++i) {
                sn_vec3 p = sn_tetrahedra_positions(mesh)[vertices[i]];
                if (fabs(p.y) > 0.09 && fabs(p.z) > 0.14) {
                    vertices[kept++] = vertices[i];
                }
            }
            count = kept;
            assert_int_equal(count, 4);
        }
        sn_load *load = NULL;
        assert_int_equal(sn_load_create(mesh, vertices, count, "load", &load, NULL), SN_OK);
        assert_true(sn_load_has_moment(load));
        for (int round = 0; round < 10; ++round) {
            double x[SN_SOLID_STRIDE * MOST] = {0}, f[SN_SOLID_STRIDE * MOST] = {0};
            sn_quat turn = sn_quat_normalize((sn_quat){sn_random_range(&random, -1.0, 1.0),
                                                       sn_random_range(&random, -1.0, 1.0),
                                                       sn_random_range(&random, -1.0, 1.0), 0.3});
            bool rigid = round % 2 == 0; // moved as a whole, or every vertex by itself
            for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
                sn_vec3 p = sn_rotate(turn, sn_tetrahedra_positions(mesh)[i]);
                double by = rigid ? 0.0 : 0.05;
                p.x += 1.0 + sn_random_range(&random, -by, by);
                p.z += sn_random_range(&random, -by, by);
                sn_vec3_put(x + SN_SOLID_STRIDE * i, p);
            }
            sn_vec3 none = SN_VEC3_ZERO, force = sn_vec3_make(1.0, -2.0, 0.5),
                    moment = sn_vec3_make(0.3, 0.7, -0.2);
            sn_load_push(load, force, none, false, x, f);
            check_sums(mesh, x, f, force, none);
            memset(f, 0, sizeof f);
            sn_load_push(load, none, moment, false, x, f);
            check_sums(mesh, x, f, none, moment);
            memset(f, 0, sizeof f);
            sn_load_push(load, force, moment, false, x, f);
            check_sums(mesh, x, f, force, moment);
            if (rigid) { // what follows has turned with the body
                memset(f, 0, sizeof f);
                sn_load_push(load, none, moment, true, x, f);
                check_sums(mesh, x, f, none, sn_rotate(turn, moment));
            }
        }
        sn_load_destroy(load);
        sn_tetrahedra_release(mesh);
    }
}

// A bending moment is a stress that grows linearly: in a bar of Hooke's law, at once the exact one.
static void even_traction_stretches_evenly(void **state)
{
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_tetrahedra *mesh = make_mesh(nodes);
        int vertices[MOST], count = choose_end(mesh, vertices);
        sn_load *load = NULL;
        assert_int_equal(sn_load_create(mesh, vertices, count, "load", &load, NULL), SN_OK);
        double x[SN_SOLID_STRIDE * MOST] = {0}, f[SN_SOLID_STRIDE * MOST] = {0};
        double g[SN_SOLID_STRIDE * MOST] = {0};
        const double stretch = 1e-6, young = 1e6;
        sn_elastic material = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, young, 0.0);
        sn_solid_def def = {.mesh = mesh, .materials = &material, .material_count = 1};
        sn_solid *solid = NULL;
        assert_int_equal(sn_solid_create(&def, &solid, NULL), SN_OK);
        for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
            sn_vec3 p = sn_tetrahedra_positions(mesh)[i];
            p.x *= 1.0 + stretch;
            sn_vec3_put(x + SN_SOLID_STRIDE * i, p);
        }
        sn_load_push(load, sn_vec3_make(young * stretch * 0.2 * 0.3, 0.0, 0.0), SN_VEC3_ZERO, false,
                     x, f);
        sn_solid_add_forces(solid, NULL, x, g);
        for (int i = 0; i < count; ++i) { // the load balances the inner forces at each vertex
            int at = SN_SOLID_STRIDE * vertices[i];
            assert_true(fabs(f[at] + g[at]) < 1e-4 * young * stretch * 0.06);
        }
        sn_solid_destroy(solid);
        sn_load_destroy(load);
        sn_tetrahedra_release(mesh);
    }
}

// ---- in a world ----

static sn_world *make_world(sn_body *body)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.gravity = SN_VEC3_ZERO;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_tetrahedra *mesh = make_mesh(4);
    sn_elastic_material material = sn_default_elastic_material();
    sn_elastic_def elastic = sn_default_elastic_def();
    elastic.mesh = mesh;
    elastic.materials = &material;
    elastic.material_count = 1;
    assert_int_equal(sn_world_add_elastic(world, &elastic, body, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    return world;
}

static sn_load_def end_load(const sn_world *world, sn_body body, int *vertices)
{
    sn_load_def def = sn_default_load_def();
    def.body = body;
    def.vertices = vertices;
    def.vertex_count = choose_end(sn_body_tetrahedra(world, body), vertices);
    return def;
}

static void momentum_grows_by_loads(void **state)
{
    (void)state;
    sn_body body;
    sn_world *world = make_world(&body), *copy = NULL;
    int vertices[MOST];
    sn_load_def def = end_load(world, body, vertices);
    sn_vec3 force = sn_vec3_make(0.0, 3.0, 1.0), moment = sn_vec3_make(0.5, 0.2, 0.0);
    def.moment = moment;
    sn_field field;
    const double h = 1.0 / 240.0;
    assert_int_equal(sn_world_add_load(world, &def, &field, NULL), SN_OK);
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(sn_world_step(world, h, NULL), SN_OK);
    }
    assert_true(sn_distance(sn_world_angular_momentum(world), sn_vec3_scale(20.0 * h, moment)) <
                1e-12);
    assert_true(sn_length(sn_world_momentum(world)) < 1e-12);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_world_set_load(world, field, force, SN_VEC3_ZERO, NULL), SN_OK);
    assert_int_equal(sn_world_step(world, h, NULL), SN_OK);
    assert_true(sn_distance(sn_world_momentum(world), sn_vec3_scale(h, force)) < 1e-12);
    assert_int_equal(sn_world_step(copy, h, NULL), SN_OK);
    assert_true(sn_distance(sn_world_angular_momentum(copy), sn_vec3_scale(21.0 * h, moment)) <
                1e-12);
    assert_int_equal(sn_world_remove_body(copy, body, NULL), SN_OK);
    assert_int_equal(sn_world_field_count(copy), 0);
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

static void wrong_loads_are_refused(void **state)
{
    (void)state;
    sn_body body;
    sn_world *world = make_world(&body);
    int vertices[MOST];
    sn_error error = {0};
    sn_field field;
    sn_load_def good = end_load(world, body, vertices), def = good;
    good.name = "push";
    const int one[] = {0}, twice[] = {1, 1}, far[] = {100000};
    def.body = (sn_body){0};
    assert_int_equal(sn_world_add_load(world, &def, &field, &error), SN_ERROR_HANDLE);
    def = good;
    def.vertex_count = 0;
    assert_int_equal(sn_world_add_load(world, &def, &field, &error), SN_ERROR_ARGUMENT);
    def.vertices = twice;
    def.vertex_count = 2;
    assert_int_equal(sn_world_add_load(world, &def, &field, &error), SN_ERROR_ARGUMENT);
    def.vertices = far;
    def.vertex_count = 1;
    assert_int_equal(sn_world_add_load(world, &def, &field, &error), SN_ERROR_ARGUMENT);
    def.vertices = one;
    assert_int_equal(sn_world_add_load(world, &def, &field, &error), SN_OK);
    assert_int_equal(
        sn_world_set_load(world, field, SN_VEC3_ZERO, sn_vec3_make(1.0, 0.0, 0.0), &error),
        SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_add_load(world, &good, &field, &error), SN_ERROR_ARGUMENT);
    good.name = "other";
    good.force.x = NAN;
    assert_int_equal(sn_world_add_load(world, &good, &field, &error), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static void loads_that_lack_memory_say_so(void **state)
{
    (void)state;
    bool passed = false;
    sn_body body;
    sn_world *world = make_world(&body);
    int vertices[MOST];
    sn_load_def def = end_load(world, body, vertices);
    for (int n = 0; n < 50 && !passed; ++n) {
        sn_field field;
        sn_allocation_fail_after(n);
        sn_status status = sn_world_add_load(world, &def, &field, NULL);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && field.index == 0));
        passed = status == SN_OK;
        assert_true(passed || sn_world_field_count(world) == 0);
    }
    assert_true(passed);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_add_up_wherever_vertices_are),
        cmocka_unit_test(even_traction_stretches_evenly),
        cmocka_unit_test(momentum_grows_by_loads),
        cmocka_unit_test(wrong_loads_are_refused),
        cmocka_unit_test(loads_that_lack_memory_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
