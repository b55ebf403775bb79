// The thesis' four demonstrations against the counts of its chapter 9.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "elastic/mass.h"
#include "sinew/thesis.h"

typedef struct demo_counts {
    const char *name;
    int elements, vertices, fixed, parts;
    int outer_vertices, outer_edges, faces;
    int64_t nonzeros; // of the mass matrix; 0: not known
    double gravity;
} demo_counts;

// Tables 9.1 to 9.5. The outer vertices of `loop` are 321 there: with 945 edges and 630 faces that
// is no closed surface, 319 is. Non-zeros follow from 3 vertices + 6 edges.
static const demo_counts expected[SN_THESIS_DEMO_COUNT] = {
    {"torus", 480, 180, 1, 1, 160, 480, 320, 5460, 980.0},
    {"elast", 836, 283, 12, 3, 232, 678, 452, 8901, 400.0},
    {"loop", 906, 353, 34, 3, 319, 945, 630, 0, 0.0},
    {"gizmo", 659, 249, 4, 2, 204, 600, 400, 0, 327.0},
};

static sn_thesis_model make(int demo)
{
    sn_thesis_model model;
    sn_error error = {0};
    if (sn_thesis_demo_make((sn_thesis_demo)demo, &model, &error) != SN_OK) {
        fail_msg("%s: %s", expected[demo].name, sn_error_message(&error));
    }
    return model;
}

static int outer_edges(const sn_thesis_model *model)
{
    int count = 0; // every edge of a closed surface is run through both ways
    for (int f = 0; f < model->face_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            count += model->faces[f].vertices[k] < model->faces[f].vertices[(k + 1) % 3];
        }
    }
    return count;
}

static int outer_vertices(const sn_thesis_model *model)
{
    static bool outer[1000];
    memset(outer, 0, sizeof outer);
    int count = 0;
    for (int f = 0; f < model->face_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            bool *seen = &outer[model->faces[f].vertices[k]];
            count += !*seen;
            *seen = true;
        }
    }
    return count;
}

static void test_counts(void **unused)
{
    (void)unused;
    for (int d = 0; d < SN_THESIS_DEMO_COUNT; ++d) {
        const demo_counts *e = &expected[d];
        sn_thesis_model model = make(d);
        sn_thesis_demo found;
        assert_true(sn_thesis_demo_find(e->name, &found));
        assert_int_equal(found, d);
        assert_string_equal(sn_thesis_demo_name(found), e->name);
        assert_float_equal(sn_thesis_demo_gravity(found), e->gravity, 0.0);
        assert_int_equal(sn_tetrahedra_element_count(model.mesh), e->elements);
        assert_int_equal(sn_tetrahedra_vertex_count(model.mesh), e->vertices);
        assert_int_equal(model.fixed_count, e->fixed);
        assert_int_equal(model.face_count, e->faces);
        assert_int_equal(outer_edges(&model), e->outer_edges);
        assert_int_equal(outer_vertices(&model), e->outer_vertices);
        sn_tetrahedra_quality quality;
        assert_true(sn_tetrahedra_measure(model.mesh, &quality));
        assert_int_equal(quality.part_count, e->parts);
        assert_int_equal(model.material_count, e->parts);
        print_message("%s: least ratio %.3f, angles %.1f to %.1f degrees, edges %.2f to %.2f cm\n",
                      e->name, quality.least_ratio, quality.least_angle * 180.0 / SN_PI,
                      quality.greatest_angle * 180.0 / SN_PI, quality.shortest_edge,
                      quality.longest_edge);
        assert_true(quality.least_ratio > 0.15);
        if (e->nonzeros > 0) {
            sn_mass mass;
            double densities[3];
            for (int i = 0; i < model.material_count; ++i) {
                densities[i] = model.materials[i].density;
            }
            assert_int_equal(sn_mass_create(model.mesh, densities, model.material_count,
                                            SN_MASS_CONSISTENT, NULL, &mass, NULL),
                             SN_OK);
            assert_int_equal(sn_mass_nonzeros(&mass), e->nonzeros);
            sn_mass_free(&mass);
        }
        sn_thesis_model_free(&model);
    }
    sn_thesis_demo none;
    assert_false(sn_thesis_demo_find("tours", &none));
}

// At rest without stress, and nothing touches: bounds of the parts do not meet, but for the ring,
// which is around its post.
static void test_start(void **unused)
{
    (void)unused;
    for (int d = 0; d < SN_THESIS_DEMO_COUNT; ++d) {
        sn_thesis_model model = make(d);
        const int *v = sn_tetrahedra_elements(model.mesh);
        const sn_vec3 *x = sn_tetrahedra_positions(model.mesh);
        for (int e = 0; e < sn_tetrahedra_element_count(model.mesh); ++e) {
            for (int k = 1; k < 4; ++k) {
                sn_vec3 edge = sn_vec3_sub(x[v[4 * e + k]], x[v[4 * e]]);
                assert_float_equal(model.rest[e].m[0][k - 1], edge.x, 0.0);
                assert_float_equal(model.rest[e].m[2][k - 1], edge.z, 0.0);
            }
        }
        sn_tetrahedra_report report;
        sn_error error = {0};
        assert_int_equal(sn_tetrahedra_check(model.mesh, &report, &error), SN_OK);
        sn_tetrahedra_report_free(&report);
        sn_thesis_model_free(&model);
    }
}

// The doll is the same when it is turned by half a turn.
static void test_doll_symmetry(void **unused)
{
    (void)unused;
    sn_thesis_model model = make(SN_THESIS_GIZMO);
    const sn_vec3 *x = sn_tetrahedra_positions(model.mesh);
    for (int i = 0; i < 245; ++i) {
        double nearest = INFINITY;
        for (int j = 0; j < 245; ++j) {
            nearest = fmin(nearest, sn_distance(sn_vec3_make(-x[i].x, -x[i].y, x[i].z), x[j]));
        }
        assert_true(nearest < 1e-9);
        assert_true(x[i].z > 1.0); // above the floor
    }
    sn_thesis_model_free(&model);
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_status status = SN_ERROR_MEMORY;
    int64_t after = 0;
    for (; status != SN_OK && after < 4000; after += after < 60 ? 1 : 7) {
        sn_thesis_model model;
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_thesis_demo_make(SN_THESIS_GIZMO, &model, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && model.mesh == NULL));
        if (status == SN_OK) {
            sn_thesis_model_free(&model);
        }
    }
    assert_int_equal(status, SN_OK);
    assert_true(after > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_doll_symmetry),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
