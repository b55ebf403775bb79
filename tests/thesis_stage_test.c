// Models of the thesis in worlds: parts, vertices in their order, dragged vertices, energies in
// both policies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sinew/thesis.h"

static sn_thesis_model make_demo(sn_thesis_demo demo)
{
    sn_thesis_model model;
    assert_int_equal(sn_thesis_demo_make(demo, &model, NULL), SN_OK);
    return model;
}

static sn_thesis_stage *make_stage(const sn_thesis_model *model, const sn_thesis_stage_def *def)
{
    sn_thesis_stage *stage = NULL;
    sn_error error = {0};
    if (sn_thesis_stage_create(model, def, &stage, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return stage;
}

static void step(sn_thesis_stage *stage, int count, double h)
{
    sn_error error = {0};
    for (int i = 0; i < count; ++i) {
        if (sn_world_step(sn_thesis_stage_world(stage), h, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

static double energy_of(const sn_thesis_file *topology, sn_thesis_stage *stage, sn_vec3 gravity)
{
    sn_thesis_energy e;
    assert_int_equal(
        sn_thesis_measure(topology, sn_thesis_stage_state(stage), gravity, false, &e, NULL), SN_OK);
    return e.kinetic + e.elastic + e.gravity;
}

// ---- parts ----

// The start of every demonstration comes back vertex by vertex, to the bit, wherever time begins.
static void starts_are_those_of_models(void **unused)
{
    (void)unused;
    static const int parts[SN_THESIS_DEMO_COUNT] = {1, 3, 3, 2};
    for (int d = 0; d < SN_THESIS_DEMO_COUNT; ++d) {
        sn_thesis_model model = make_demo((sn_thesis_demo)d);
        model.time = 2.5;
        for (int i = 0; i < sn_tetrahedra_vertex_count(model.mesh); ++i) {
            model.velocities[i] = sn_vec3_make(i, 0.5 * i, -i);
        }
        for (int i = 0; i < model.fixed_count; ++i) {
            model.velocities[model.fixed[i]] = SN_VEC3_ZERO;
        }
        sn_thesis_stage_def def = sn_default_thesis_stage_def();
        sn_thesis_stage *stage = make_stage(&model, &def);
        assert_int_equal(sn_world_body_count(sn_thesis_stage_world(stage)), parts[d]);
        const sn_thesis_state *state = sn_thesis_stage_state(stage);
        assert_int_equal(state->vertex_count, sn_tetrahedra_vertex_count(model.mesh));
        assert_float_equal(state->time, 2.5, 0.0);
        size_t bytes = (size_t)state->vertex_count * sizeof(sn_vec3);
        assert_memory_equal(state->positions, sn_tetrahedra_positions(model.mesh), bytes);
        assert_memory_equal(state->velocities, model.velocities, bytes);
        sn_thesis_stage_destroy(stage);
        sn_thesis_model_free(&model);
    }
}

// Two bodies whose elements take turns in the files are told apart.
static void parts_may_be_mixed(void **unused)
{
    (void)unused;
    const sn_vec3 places[8] = {{0, 0, 0}, {9, 0, 0}, {1, 0, 0}, {10, 0, 0},
                               {0, 1, 0}, {9, 1, 0}, {0, 0, 1}, {9, 0, 1}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = places;
    def.vertex_count = 8;
    def.elements = (int[]){1, 3, 5, 7, 0, 2, 4, 6};
    def.element_count = 2;
    sn_tetrahedra *mesh = NULL;
    sn_thesis_model model;
    sn_thesis_material material = {1.0, 1e4, 1e4, 0.0, 0.0};
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, NULL), SN_OK);
    assert_int_equal(sn_thesis_model_make(mesh, &material, 1, &model, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    sn_thesis_stage_def stage_def = sn_default_thesis_stage_def();
    sn_thesis_stage *stage = make_stage(&model, &stage_def);
    assert_int_equal(sn_world_body_count(sn_thesis_stage_world(stage)), 2);
    assert_memory_equal(sn_thesis_stage_state(stage)->positions, places, sizeof places);
    sn_thesis_stage_destroy(stage);
    sn_thesis_model_free(&model);
}

// ---- energies ----

// The hung torus without viscosity: K + P + G stays, by the kinetic energy that it came to.
static void precise_policy_keeps_energy(void **unused)
{
    (void)unused;
    sn_thesis_model model = make_demo(SN_THESIS_TORUS);
    model.materials[0].volume_viscosity = model.materials[0].shape_viscosity = 0.0;
    sn_thesis_file topology;
    assert_int_equal(sn_thesis_model_topology(&model, &topology, NULL), SN_OK);
    sn_thesis_stage_def def = sn_default_thesis_stage_def();
    def.gravity = sn_vec3_make(0.0, 0.0, -980.0);
    def.tolerance = 1e-9;
    sn_thesis_stage *stage = make_stage(&model, &def);
    double start = energy_of(&topology, stage, def.gravity);
    step(stage, 5, 0.02);
    double drift = energy_of(&topology, stage, def.gravity) - start;
    sn_thesis_energy now;
    assert_int_equal(
        sn_thesis_measure(&topology, sn_thesis_stage_state(stage), def.gravity, false, &now, NULL),
        SN_OK);
    assert_true(now.kinetic > 1e6);
    if (!(fabs(drift) < 1e-7 * now.kinetic)) {
        fail_msg("drift %g of %g", drift, now.kinetic);
    }
    sn_thesis_file_free(&topology);
    sn_thesis_stage_destroy(stage);
    sn_thesis_model_free(&model);
}

// Implicit steps go where Fehlberg's go.
static void policies_agree(void **unused)
{
    (void)unused;
    sn_thesis_model model = make_demo(SN_THESIS_TORUS);
    sn_thesis_stage_def def = sn_default_thesis_stage_def();
    def.gravity = sn_vec3_make(0.0, 0.0, -980.0);
    sn_thesis_stage *precise = make_stage(&model, &def);
    def.policy = SN_POLICY_LOCKSTEP;
    sn_thesis_stage *lockstep = make_stage(&model, &def);
    step(precise, 1, 0.1);
    step(lockstep, 50, 0.002);
    const sn_thesis_state *a = sn_thesis_stage_state(precise), *b = sn_thesis_stage_state(lockstep);
    double worst = 0.0;
    for (int i = 0; i < a->vertex_count; ++i) {
        worst = fmax(worst, sn_length(sn_vec3_sub(a->positions[i], b->positions[i])));
    }
    assert_float_equal(a->time, b->time, 1e-12);
    if (!(worst < 0.01)) { // of a body of 26 that fell 5
        fail_msg("%g apart", worst);
    }
    sn_thesis_stage_destroy(precise);
    sn_thesis_stage_destroy(lockstep);
    sn_thesis_model_free(&model);
}

// ---- dragged vertices ----

// A vertex of a free block follows its cubic, from any start of time, and is free after it.
static void drag_block(sn_policy policy)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = sn_vec3_make(2.0, 2.0, 2.0);
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    sn_tetrahedra *mesh = NULL;
    sn_thesis_model model;
    sn_thesis_material material = {1.0, 1e4, 1e4, 10.0, 10.0};
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    assert_int_equal(sn_thesis_model_make(mesh, &material, 1, &model, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    model.time = 3.0;
    sn_vec3 from = sn_tetrahedra_positions(model.mesh)[2];
    sn_thesis_drag drag = {2,
                           3.0,
                           3.5,
                           from,
                           SN_VEC3_ZERO,
                           sn_vec3_add(from, (sn_vec3){3, 1, -2}),
                           (sn_vec3){4, 0, 0}};
    assert_int_equal(sn_thesis_model_drag(&model, &drag, 1, NULL), SN_OK);
    drag.vertex = 8;
    assert_int_equal(sn_thesis_model_drag(&model, &drag, 1, NULL), SN_ERROR_ARGUMENT);
    sn_thesis_stage_def def = sn_default_thesis_stage_def();
    def.policy = policy;
    sn_thesis_stage *stage = make_stage(&model, &def);
    for (int i = 1; i <= 50; ++i) {
        step(stage, 1, 0.01);
        // Hermite's cubic of the thesis, section 6.3.5.
        double s = 0.01 * i, t = 0.5;
        const double move[3] = {3.0, 1.0, -2.0}, last[3] = {4.0, 0.0, 0.0};
        double x[3];
        for (int k = 0; k < 3; ++k) {
            double a = -2.0 * move[k] / (t * t * t) + last[k] / (t * t),
                   b = 3.0 * move[k] / (t * t) - last[k] / t;
            x[k] = (a * s + b) * s * s;
        }
        sn_vec3 wanted = sn_vec3_add(from, sn_vec3_make(x[0], x[1], x[2]));
        double off = sn_length(sn_vec3_sub(sn_thesis_stage_state(stage)->positions[2], wanted));
        if (!(off < (policy == SN_POLICY_PRECISE ? 1e-5 : 1e-4))) {
            fail_msg("%s: at %g s it is %g off", sn_policy_word(policy), s, off);
        }
    }
    sn_vec3 left = sn_thesis_stage_state(stage)->positions[2];
    step(stage, 20, 0.01);
    assert_true(sn_length(sn_vec3_sub(sn_thesis_stage_state(stage)->positions[2], left)) > 0.1);
    sn_thesis_stage_destroy(stage);
    sn_thesis_model_free(&model);
}

static void dragged_vertices_follow_their_curves(void **unused)
{
    (void)unused;
    drag_block(SN_POLICY_PRECISE);
    drag_block(SN_POLICY_LOCKSTEP);
}

// Drags go through files, joining and other units.
static void drags_are_kept(void **unused)
{
    (void)unused;
    sn_thesis_model model = make_demo(SN_THESIS_LOOP);
    assert_int_equal(model.drag_count, 3);
    sn_vec3 start = sn_tetrahedra_positions(model.mesh)[model.drags[0].vertex];
    assert_true(memcmp(&start, &model.drags[0].from, sizeof start) == 0);
    for (int i = 1; i < 3; ++i) {
        assert_float_equal(model.drags[i].start, model.drags[i - 1].end, 0.0);
        assert_memory_equal(&model.drags[i].from, &model.drags[i - 1].to, sizeof start);
    }
    assert_int_equal(sn_thesis_model_rescale(&model, 0.01, 0.001, NULL), SN_OK);
    assert_float_equal(model.drags[2].to.x, 0.27, 1e-15);
    assert_float_equal(model.drags[1].to_velocity.x, 0.059, 1e-15);
    sn_thesis_model_free(&model);
}

// ---- sameness and failure ----

static uint64_t hash_of(const sn_thesis_model *model, int threads)
{
    sn_thesis_stage_def def = sn_default_thesis_stage_def();
    def.policy = SN_POLICY_LOCKSTEP;
    def.gravity = sn_vec3_make(0.0, 0.0, -400.0);
    def.threads = threads;
    sn_thesis_stage *stage = make_stage(model, &def);
    step(stage, 20, 0.01);
    uint64_t hash = sn_world_hash(sn_thesis_stage_world(stage));
    sn_thesis_stage_destroy(stage);
    return hash;
}

static void threads_do_not_matter(void **unused)
{
    (void)unused;
    sn_thesis_model model = make_demo(SN_THESIS_ELAST);
    uint64_t one = hash_of(&model, 1);
    assert_true(hash_of(&model, 2) == one && hash_of(&model, 4) == one);
    sn_thesis_model_free(&model);
}

static void failures_leave_nothing(void **unused)
{
    (void)unused;
    sn_thesis_model model = make_demo(SN_THESIS_LOOP);
    sn_thesis_stage_def def = sn_default_thesis_stage_def();
    sn_thesis_stage *stage = NULL; // what a failure leaves, the sanitizer's leak check finds
    def.tolerance = 0.0;
    assert_int_equal(sn_thesis_stage_create(&model, &def, &stage, NULL), SN_ERROR_ARGUMENT);
    def.tolerance = 1e-6;
    int failures = 0;
    for (int64_t n = 0;; n += 1 + n / 8) {
        sn_allocation_fail_after(n);
        sn_status status = sn_thesis_stage_create(&model, &def, &stage, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(stage);
        ++failures;
    }
    assert_true(failures > 20);
    sn_thesis_stage_destroy(stage);
    sn_thesis_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_those_of_models),
        cmocka_unit_test(parts_may_be_mixed),
        cmocka_unit_test(precise_policy_keeps_energy),
        cmocka_unit_test(policies_agree),
        cmocka_unit_test(dragged_vertices_follow_their_curves),
        cmocka_unit_test(drags_are_kept),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
