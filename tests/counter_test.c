// Counters of the step report: each mechanism is counted where it acts, names what it acted on, and
// counts nothing where nothing happens.
#include "shipped_scenes.h"

#include <ctype.h>
#include <math.h>

static sn_world *open_shipped(const char *name)
{
    sn_scene *scene = load_shipped(name);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

static sn_step_report step(sn_world *world, double h)
{
    sn_error error = {0};
    if (sn_world_step(world, h, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return sn_world_report(world);
}

// Bodies of a counter are those that it counted, and the worst is one of them.
static void assert_named(const sn_world *world, sn_counter counter, const char *name)
{
    sn_step_report report = sn_world_report(world);
    assert_true(sn_step_report_count(&report, counter) > 0);
    assert_string_equal(sn_body_name(world, report.worst[counter].body), name);
    assert_true(sn_body_is_counted(world, report.worst[counter].body, counter));
}

// ---- words ----

// What is printed, and the page that explains it.
static void words_are_explained(void **state)
{
    (void)state;
    static char page[40000];
    FILE *file = fopen("docs/counters.md", "rb");
    assert_non_null(file);
    size_t length = fread(page, 1, sizeof page - 1, file);
    assert_in_range(length, 1000, sizeof page - 2);
    fclose(file);
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        const char *word = sn_counter_word((sn_counter)i);
        char row[80];
        snprintf(row, sizeof row, "\n| `%s` | ", word);
        if (strstr(page, row) == NULL) {
            fail_msg("docs/counters.md has no row of %s", word);
        }
        for (const char *at = word; *at != '\0'; ++at) {
            assert_true(islower((unsigned char)*at) || *at == '_');
        }
        assert_non_null(strstr(sn_counter_text((sn_counter)i), ": "));
        for (int k = 0; k < i; ++k) {
            assert_string_not_equal(word, sn_counter_word((sn_counter)k));
        }
    }
    assert_string_equal(sn_counter_word(SN_COUNTER_COUNT), "");
    assert_string_equal(sn_counter_unit(SN_COUNTER_VELOCITY_SCALED), "J");
}

static void fields_are_read_by_number(void **state)
{
    (void)state;
    sn_step_report report = {.euler = 3, .velocity_scaled = 5, .violated = 7};
    assert_int_equal(sn_step_report_count(&report, SN_COUNTER_EULER), 3);
    assert_int_equal(sn_step_report_count(&report, SN_COUNTER_VELOCITY_SCALED), 5);
    assert_int_equal(sn_step_report_count(&report, SN_COUNTER_VIOLATED), 7);
    assert_int_equal(sn_step_report_count(&report, SN_COUNTER_STOPPED), 0);
    assert_int_equal(sn_step_report_count(&report, SN_COUNTER_COUNT), 0);
}

// ---- steps ----

static void resolved_motions_count_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"box-tower", "double-pendulum", "gyroscope"};
    for (int i = 0; i < 3; ++i) {
        sn_scene *scene = load_shipped(names[i]);
        sn_world *world = build(scene);
        for (int k = 0; k < 100; ++k) {
            sn_step_report report = step(world, sn_scene_run(scene).step);
            for (int c = 0; c < SN_COUNTER_COUNT; ++c) {
                if (sn_step_report_count(&report, (sn_counter)c) != 0) {
                    fail_msg("%s: %s in step %d", names[i], sn_counter_word((sn_counter)c), k);
                }
                assert_int_equal(report.worst[c].body.index, 0);
            }
        }
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
}

// It starts deep in the floor: it is pushed out, which is more than its material can store, gives
// it energy, and takes its time. Once it is out the counters are 0 again.
static void overlap_is_counted(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"50kPa\"}}, \"bodies\": ["
        " {\"name\": \"floor\", \"type\": \"static\", \"position\": [0, 0, -0.05],"
        "  \"shape\": {\"type\": \"box\", \"size\": [1, 1, 0.1]}},"
        " {\"name\": \"cube\", \"type\": \"elastic\", \"material\": \"soft\","
        "  \"position\": [0, 0, 0.09],"
        "  \"mesh\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}}]}");
    int scaled = 0, gained = 0;
    sn_step_report report = step(world, 1.0 / 120.0);
    assert_int_equal(report.depenetrated, 1);
    assert_named(world, SN_COUNTER_DEPENETRATED, "cube");
    assert_false(sn_body_is_counted(world, sn_world_body(world, 0), SN_COUNTER_DEPENETRATED));
    for (int i = 0; i < 400; ++i) {
        report = step(world, 1.0 / 120.0);
        scaled += report.displacement_scaled;
        gained += report.energy_gained;
        if (report.energy_gained > 0) {
            assert_named(world, SN_COUNTER_ENERGY_GAINED, "cube");
            assert_true(report.worst[SN_COUNTER_ENERGY_GAINED].amount > 0.0);
        }
    }
    assert_true(scaled > 0 && gained > 0);
    assert_true(report.depenetrated == 0 && report.energy_gained == 0);
    assert_int_equal(report.worst[SN_COUNTER_DEPENETRATED].body.index, 0);
    sn_world_destroy(world);
}

// Thin leaves that bend and stretch fall back to Euler's rule in the first steps; links of the
// mobile do not.
static void euler_steps_are_counted(void **state)
{
    (void)state;
    sn_world *world = open_shipped("elastic-leaves");
    int steps = 0;
    for (int i = 0; i < 8; ++i) {
        sn_step_report report = step(world, 1.0 / 120.0);
        int counted = 0;
        for (int k = 0; k < sn_world_body_count(world); ++k) {
            sn_body body = sn_world_body(world, k);
            bool is = sn_body_is_counted(world, body, SN_COUNTER_EULER);
            assert_true(!is || sn_body_get_type(world, body) == SN_BODY_ELASTIC);
            counted += is;
        }
        assert_int_equal(report.euler, counted);
        steps += counted > 0;
    }
    assert_in_range(steps, 1, 7);
    sn_world_destroy(world);
}

// A soft cube shot onto a post: it is set back, and the energy guard acts.
static void shots_are_counted(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"20kPa\"}}, \"bodies\": ["
        " {\"name\": \"post\", \"type\": \"static\","
        "  \"shape\": {\"type\": \"box\", \"size\": [0.02, 0.02, 0.4]}},"
        " {\"name\": \"cube\", \"type\": \"elastic\", \"material\": \"soft\","
        "  \"position\": [0.02, 0, 0.5], \"velocity\": [0, 0, -20],"
        "  \"mesh\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}}]}");
    int restored = 0, scaled = 0;
    for (int i = 0; i < 60; ++i) {
        double before = sn_world_energy(world).total;
        sn_step_report report = step(world, 1.0 / 60.0);
        restored += report.restored;
        scaled += report.velocity_scaled;
        if (report.restored > 0) {
            assert_named(world, SN_COUNTER_RESTORED, "cube");
        }
        if (report.velocity_scaled > 0) {
            assert_named(world, SN_COUNTER_VELOCITY_SCALED, "cube");
            double removed = report.worst[SN_COUNTER_VELOCITY_SCALED].amount;
            assert_true(removed > 0.0 && removed < 10.0 * fabs(before) + 1e3);
        }
    }
    assert_true(restored > 3 && scaled > 3);
    sn_world_destroy(world);
}

// Two links that spin by radians in a step.
static void sub_steps_are_counted(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"bodies\": ["
        " {\"name\": \"upper\", \"position\": [0.25, 0, 0],"
        "  \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.05, 0.05]}},"
        " {\"name\": \"lower\", \"position\": [0.75, 0, 0], \"velocity\": [0, 0, -15],"
        "  \"angular_velocity\": [0, 60, 0],"
        "  \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.05, 0.05]}}],"
        " \"joints\": ["
        " {\"name\": \"top\", \"type\": \"hinge\", \"child\": \"upper\", \"at\": [0, 0, 0],"
        "  \"axis\": [0, 1, 0]},"
        " {\"name\": \"elbow\", \"type\": \"hinge\", \"parent\": \"upper\", \"child\": \"lower\","
        "  \"at\": [0.5, 0, 0], \"axis\": [0, 1, 0]}]}");
    sn_step_report report = step(world, 1.0 / 30.0);
    assert_int_equal(report.divided, 1);
    assert_named(world, SN_COUNTER_DIVIDED, "upper");
    assert_true(report.worst[SN_COUNTER_DIVIDED].amount >= 2.0);
    assert_true(sn_body_is_counted(world, sn_world_body(world, 1), SN_COUNTER_DIVIDED));
    report = step(world, 1e-5);
    assert_int_equal(report.divided, 0);
    sn_world_destroy(world);
}

static void stiff_springs_and_fast_swings_are_counted(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"bodies\": ["
        " {\"name\": \"bob\", \"position\": [0, 0, -0.3],"
        "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}}],"
        " \"fields\": [{\"name\": \"spring\", \"type\": \"spring\","
        "  \"a\": \"world\", \"b\": \"bob\", \"stiffness\": 1e6, \"rest_length\": 0.2}]}");
    sn_step_report report = step(world, 1.0 / 60.0);
    assert_int_equal(report.damped_springs, 1);
    assert_string_equal(sn_body_name(world, report.worst[SN_COUNTER_DAMPED_SPRINGS].body), "bob");
    assert_int_equal(step(world, 1e-5).damped_springs, 0);
    sn_world_destroy(world);
    world = open_shipped("moon-garden");
    assert_int_equal(step(world, 1.0 / 240.0).mass_scaled, 1);
    assert_int_equal(step(world, 1.0 / 1000.0).mass_scaled, 0);
    sn_world_destroy(world);
}

// Some step of the dolls on the stairs is not solved: it names the bodies of a row and how far off
// that is, and all of the island are counted.
static void residuals_are_named(void **state)
{
    (void)state;
    sn_world *world = open_shipped("ragdolls");
    sn_step_report report = {0};
    for (int i = 0; i < 400 && report.unconverged == 0; ++i) {
        report = step(world, 1.0 / 240.0);
    }
    const sn_counter_worst *worst = &report.worst[SN_COUNTER_UNCONVERGED];
    assert_true(report.unconverged > 0 && worst->body.index != 0);
    assert_true(worst->amount > 1e-6 && worst->amount <= report.worst_residual);
    assert_true(sn_body_is_counted(world, worst->body, SN_COUNTER_UNCONVERGED));
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_explained),
        cmocka_unit_test(fields_are_read_by_number),
        cmocka_unit_test(resolved_motions_count_nothing),
        cmocka_unit_test(overlap_is_counted),
        cmocka_unit_test(euler_steps_are_counted),
        cmocka_unit_test(shots_are_counted),
        cmocka_unit_test(sub_steps_are_counted),
        cmocka_unit_test(stiff_springs_and_fast_swings_are_counted),
        cmocka_unit_test(residuals_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
