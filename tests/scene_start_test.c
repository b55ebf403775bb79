// What `check` notes of a scene as it starts: bodies in each other, steps that explicit integrators
// do not bear, plastic that does not flow. And what it must not.
#include <stdio.h>

#include "scene_text.h"
#include "shortage.h"
#include "sinew/sinew.h"

// Notes of the start, counted; each must begin as `expected` says.
static void check_notes(const char *text, const char *const *expected, int count)
{
    sn_scene *scene = load(text);
    sn_world *world = build(scene);
    sn_error_list notes = {0};
    sn_error error = {0};
    uint64_t before = sn_world_hash(world);
    assert_int_equal(sn_scene_check_start(scene, world, &notes, &error), SN_OK);
    assert_true(sn_world_hash(world) == before);
    bool same = notes.count == count;
    for (int i = 0; i < notes.count; ++i) {
        const char *found = sn_error_message(&notes.items[i]);
        same = same && strncmp(found, expected[i], strlen(expected[i])) == 0;
    }
    for (int i = 0; i < notes.count && !same; ++i) {
        print_error("%s\n", sn_error_message(&notes.items[i]));
    }
    if (!same) {
        fail_msg("%d notes of %s", notes.count, text);
    }
    sn_error_list_free(&notes);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

#define SOFT(name, more)                                                                           \
    "{\"name\": \"" name "\", \"type\": \"elastic\", \"material\": \"r\", \"mesh\": {\"type\": "   \
    "\"box\", \"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}" more "}"
#define HARD(name, more)                                                                           \
    "{\"name\": \"" name "\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}" more "}"
#define FLOOR "{\"name\": \"floor\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}}"
#define SCENE(bodies, rest)                                                                        \
    "{\"sinew\": 1, \"materials\": {\"r\": {\"young\": 2e5, \"poisson\": 0.4}}, \"bodies\": "      \
    "[\n" bodies "]" rest "}"
#define AT(z) ", \"position\": [0, 0, " z "]"

static void bodies_in_each_other_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } cases[] = {
        {SCENE(FLOOR ",\n" HARD("a", AT("0.03")), ""),
         "t:3:78: \"a\" starts 0.02 m deep in \"floor\""},
        // Where the floor comes last, what moves is told all the same.
        {SCENE(HARD("a", AT("0.03")) ",\n" FLOOR, ""),
         "t:2:78: \"a\" starts 0.02 m deep in \"floor\""},
        {SCENE(FLOOR ",\n" SOFT("s", AT("0.03")), ""),
         "t:3:133: \"s\" starts 0.02 m deep in \"floor\""},
        {SCENE(HARD("a", "") ",\n" HARD("b", AT("0.07")), ""),
         "t:3:78: \"b\" starts 0.03 m deep in \"a\""},
        {SCENE(HARD("a", "") ",\n" SOFT("s", AT("0.07")), ""),
         "t:3:133: \"s\" starts 0.03 m deep in \"a\""},
        {SCENE(SOFT("r", "") ",\n" SOFT("s", AT("0.07")), ""),
         "t:3:133: \"s\" starts 0.03 m deep in \"r\""},
        // A ball wholly inside of a soft block.
        {SCENE(SOFT("s",
                    "") ",\n{\"name\": \"b\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}}",
               ""),
         "t:3:1: \"b\" starts "},
        // A bond that begins later keeps nothing apart yet.
        {SCENE(SOFT("r", "") ",\n" SOFT("s", AT("0.07")),
               ", \"bonds\": [{\"type\": \"point\", \"body\": \"s\", \"point\": [0, 0, -0.05], "
               "\"to\": \"r\", \"from\": 1}]"),
         "t:3:133: \"s\" starts 0.03 m deep in \"r\""},
        {SCENE(FLOOR ",\n" HARD("a", AT("0.03")), ", \"contact\": {\"method\": \"penalty\"}"),
         "t:3:78: \"a\" starts 0.02 m deep in \"floor\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        check_notes(cases[i].text, &cases[i].note, 1);
    }
}

static void what_touches_or_never_meets_is_not_noted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        // At rest on each other, without a gap; and by less than a hundredth.
        SCENE(FLOOR
              ",\n" HARD("a", AT("0.05")) ",\n" SOFT("s", AT("0.15")) ",\n" SOFT("t", AT("0.25")),
              ""),
        SCENE(FLOOR ",\n" HARD("a", AT("0.0495")) ",\n" SOFT("s", AT("0.149")), ""),
        // Joined, bonded, in groups that do not meet, a sensor.
        SCENE(HARD("a", "") ",\n" HARD("b", AT("0.07")),
              ", \"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"parent\": \"a\", \"child\": "
              "\"b\"}]"),
        SCENE(HARD("a", "") ",\n" SOFT("s", AT("0.07")),
              ", \"bonds\": [{\"type\": \"point\", \"body\": \"s\", \"point\": [0, 0, -0.05], "
              "\"to\": \"a\"}]"),
        SCENE(SOFT("r", "") ",\n" SOFT("s", AT("0.07")),
              ", \"bonds\": [{\"type\": \"junction\", \"body\": \"s\", \"to\": \"r\", "
              "\"vertices\": {\"plane\": [0, 0, -1], \"position\": [0, 0, -0.05]}}]"),
        SCENE(SOFT("r", ", \"surface\": {\"group\": \"x\", \"meets\": [\"default\"]}") ",\n" SOFT(
                  "s", AT("0.07") ", \"surface\": {\"group\": \"x\", \"meets\": [\"default\"]}"),
              ""),
        SCENE("{\"name\": \"gate\", \"type\": \"static\", \"shape\": {\"type\": \"box\", \"size\": "
              "[1, 1, 1], \"sensor\": true}},\n" HARD("a", "") ",\n" SOFT("s", AT("0.15")),
              ""),
        // Two that never move; and nothing touches at all.
        SCENE(FLOOR ",\n{\"name\": \"wall\", \"type\": \"static\", \"shape\": {\"type\": \"box\", "
                    "\"size\": [1, 1, 1]}}",
              ""),
        SCENE(FLOOR ",\n" SOFT("s", AT("0.03")), ", \"contact\": {\"method\": \"none\"}"),
        SCENE(FLOOR ",\n" HARD("a", AT("0.03")), ", \"run\": {\"policy\": \"precise\"}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        check_notes(texts[i], NULL, 0);
    }
}

// A heap of many: the first eight, and how many more.
static void many_are_counted(void **state)
{
    (void)state;
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"sinew\": 1, \"bodies\": [");
    for (int i = 0; i < 12; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s\n{\"name\": \"b%d\", \"shape\": {\"type\": \"sphere\", "
                                 "\"radius\": 1}, \"position\": [%d, 0, 0]}",
                                 i > 0 ? "," : "", i, i);
    }
    snprintf(text + used, sizeof text - used, "]}");
    sn_scene *scene = load(text);
    sn_world *world = build(scene);
    sn_error_list notes = {0};
    assert_int_equal(sn_scene_check_start(scene, world, &notes, NULL), SN_OK);
    assert_int_equal(notes.count, 8);
    assert_null(strstr(notes.items[6].text, "more pairs"));
    assert_non_null(strstr(notes.items[7].text, "(and 3 more pairs of bodies)"));
    sn_body_overlap overlaps[20];
    int count = 0;
    assert_int_equal(sn_world_find_overlaps(world, overlaps, 20, &count, NULL), SN_OK);
    assert_int_equal(count, 11);
    for (int i = 0; i < count; ++i) {
        assert_true(overlaps[i].depth > 0.999 && overlaps[i].depth < 1.001);
        assert_true(overlaps[i].body_a.index < overlaps[i].body_b.index);
    }
    sn_error_list_free(&notes);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void long_explicit_steps_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } cases[] = {
        {SCENE(SOFT("s", ",\n\"integrator\": \"symplectic_euler\""),
               ", \"run\": {\"step\": \"2ms\"}"),
         "t:3:15: \"s\" will explode: the run's steps of 0.002 s are too long for its explicit "
         "integrator, which bears 0.0018 s at most; expected shorter steps"},
        {SCENE(SOFT("s", ""),
               ", \"run\": {\"step\": \"2ms\", \"integrator\": \"symplectic_euler\"}"),
         "t:2:1: \"s\" will explode"},
        {SCENE(SOFT("s", ""), ", \"run\": {\"step\": \"4ms\", \"integrator\": \"rk4\"}"),
         "t:2:1: \"s\" will explode"},
        {SCENE(SOFT("s", ""),
               ", \"run\": {\"step\": \"1.7ms\", \"integrator\": \"symplectic_euler\"}"),
         NULL},
        {SCENE(SOFT("s", ""), ", \"run\": {\"step\": 1}"), NULL},
        {SCENE(SOFT("s", ""), ", \"run\": {\"step\": 1, \"policy\": \"precise\"}"), NULL},
        {SCENE(HARD("a", ""), ", \"run\": {\"step\": 1, \"integrator\": \"symplectic_euler\"}"),
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        check_notes(cases[i].text, &cases[i].note, cases[i].note != NULL);
    }
}

static void plastic_that_does_not_flow_is_noted(void **state)
{
    (void)state;
    static const struct {
        const char *plastic;
        bool noted;
    } cases[] = {{"{}", true},
                 {"{\"hardening\": 5}", true},
                 {"{\"yield_stress\": \"1kPa\"}", false},
                 {"{\"creep_rate\": 2}", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[200];
        snprintf(text, sizeof text, "{\"sinew\": 1, \"materials\": {\"clay\": {\"plastic\": %s}}}",
                 cases[i].plastic);
        sn_scene *scene = load(text);
        const sn_error_list *notes = sn_scene_notes(scene);
        assert_int_equal(notes->count, cases[i].noted);
        if (cases[i].noted) {
            assert_string_equal(sn_error_message(&notes->items[0]),
                                "t:1:48: \"clay\" does not flow: \"plastic\" has neither a "
                                "\"yield_stress\", above which it does, nor a \"creep_rate\"");
        }
        sn_scene_destroy(scene);
    }
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    sn_scene *scene = load(SCENE(
        FLOOR ",\n" HARD("a", AT("0.03")) ",\n" SOFT("r", AT("0.11")) ",\n" SOFT("s", AT("0.18")),
        ""));
    for (shortage s = {.most = 200}; shortage_goes_on(&s);) {
        sn_world *world = build(scene);
        sn_body_overlap overlaps[4];
        sn_error error = {0};
        int count = 0;
        shortage_begin(&s);
        sn_status status = sn_world_find_overlaps(world, overlaps, 4, &count, &error);
        shortage_end(&s, status);
        assert_int_equal(count, status == SN_OK ? 3 : 0);
        sn_world_destroy(world);
    }
    sn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_in_each_other_are_noted),
        cmocka_unit_test(what_touches_or_never_meets_is_not_noted),
        cmocka_unit_test(many_are_counted),
        cmocka_unit_test(long_explicit_steps_are_noted),
        cmocka_unit_test(plastic_that_does_not_flow_is_noted),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
