// Meshes of scenes: repair and the messages that offer it, turned shells, sizes that look like
// another unit's, and parts that overlap.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_text.h"

static const double at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static char folder[] = "/tmp/sinew-scene-mesh-XXXXXX";

// A box of `size` that lacks its first `missing` faces; inside out, and twice with a shift of a
// quarter, if wanted.
static void write_box(const char *name, double size, int missing, bool inside_out, bool twice)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int box = 0; box < (twice ? 2 : 1); ++box) {
        for (int i = 0; i < 8; ++i) {
            double shift = 0.25 * box;
            fprintf(file, "v %.9g %.9g %.9g\n", size * (at[i][0] + shift), size * at[i][1],
                    size * at[i][2]);
        }
        for (int f = missing; f < 6; ++f) {
            fprintf(file, "f");
            for (int k = 0; k < 4; ++k) {
                fprintf(file, " %d", 8 * box + 1 + quads[f][inside_out ? 3 - k : k]);
            }
            fprintf(file, "\n");
        }
    }
    fclose(file);
}

// The first error or note of a scene with this body, or "".
static void first_words(const char *body, char *words, size_t size)
{
    char path[128], text[1024];
    snprintf(path, sizeof path, "%s/scene.json", folder);
    snprintf(text, sizeof text, "{'sinew': 1, 'bodies': [%s]}", body);
    for (char *c = text; *c != '\0'; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_file(path, NULL, &scene, &errors);
    const sn_error_list *list = status == SN_OK ? sn_scene_notes(scene) : &errors;
    assert_true(list->count <= 1);
    snprintf(words, size, "%s%s", status == SN_OK || list->count == 0 ? "" : "error: ",
             list->count > 0 ? list->items[0].text : "");
    sn_error_list_free(&errors);
    sn_scene_destroy(scene);
}

static void expect(const char *body, const char *expected)
{
    char words[1024];
    first_words(body, words, sizeof words);
    if (strstr(words, expected) == NULL || (expected[0] == '\0' && words[0] != '\0')) {
        fail_msg("%s: \"%s\", expected \"%s\"", body, words, expected);
    }
}

static void test_repair(void **state)
{
    (void)state;
    write_box("open.obj", 1.0, 1, false, false);
    expect(
        "{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'open.obj'}]}",
        "; write \"repair\": true to have it repaired, or \"type\": \"hull\" for its convex hull");
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'open.obj', 'repair': true}]}",
           "the mesh is repaired: closed 1 hole (4 edges)");
    expect("{'name': 'a', 'shapes': [{'type': 'hull', 'file': 'open.obj'}]}", "");
    // Static bodies may have rims.
    expect("{'name': 'a', 'type': 'static', 'shapes': [{'type': 'mesh', 'file': 'open.obj'}]}", "");
    // Five sides are missing: nothing is left to enclose.
    write_box("side.obj", 1.0, 5, false, false);
    expect(
        "{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'side.obj', 'repair': true}]}",
        "error: mesh: not to be repaired: the surface encloses no volume, also when its holes are "
        "closed; \"type\": \"hull\" takes its convex hull");
    // Written out, too.
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'repair': true, 'vertices': [[0, 0, 0], [1, "
           "0, 0], [0, 1, 0], [0, 0, 1]], 'triangles': [[0, 2, 1], [0, 1, 3], [1, 2, 3]]}]}",
           "the mesh is repaired: closed 1 hole (3 edges)");
}

static void test_turned(void **state)
{
    (void)state;
    write_box("out.obj", 1.0, 0, true, false);
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'out.obj'}]}",
           "the mesh is repaired: turned 1 shell that was inside out");
    expect("{'name': 'a', 'type': 'static', 'shapes': [{'type': 'mesh', 'file': 'out.obj'}]}",
           "the mesh is repaired: turned 1 shell that was inside out");
}

static void test_sizes(void **state)
{
    (void)state;
    write_box("large.obj", 250.0, 0, false, false);
    const char *large = "the mesh is 250 m large; is its unit mm? write \"unit\": \"mm\"";
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'large.obj'}]}", large);
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'large.obj', 'unit': 'mm'}]}", "");
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'large.obj', 'unit': 'm'}]}", "");
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'large.obj', 'scale': [0.001, 0.001, "
           "0.001]}]}",
           "");
    expect("{'name': 'a', 'shapes': [{'type': 'hull', 'file': 'large.obj'}]}", large);
    // A piece of ground may be so large.
    expect("{'name': 'a', 'type': 'static', 'shapes': [{'type': 'mesh', 'file': 'large.obj'}]}",
           "");
    write_box("small.obj", 2e-5, 0, false, false);
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'small.obj'}]}",
           "the mesh is 0.02 mm large; if that is too small, write \"scale\": [1000, 1000, 1000]");
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'small.obj', 'scale': [1000, 1000, "
           "1000]}]}",
           "");
}

static void test_overlap(void **state)
{
    (void)state;
    write_box("twice.obj", 1.0, 0, false, true);
    expect("{'name': 'a', 'shapes': [{'type': 'mesh', 'file': 'twice.obj'}]}",
           "parts of the mesh overlap: about 0.75 of 2 m^3 (38 %) count twice in mass and inertia");
}

// A recording holds the mesh as it was repaired: it needs no repair when it is read again.
static void test_written(void **state)
{
    (void)state;
    write_box("open.obj", 1.0, 1, false, false);
    char path[128];
    snprintf(path, sizeof path, "%s/scene.json", folder);
    FILE *file = fopen(path, "wb");
    fputs(
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"type\": \"mesh\", \"file\": "
        "\"open.obj\", \"repair\": true}]}]}",
        file);
    fclose(file);
    sn_scene *scene = NULL, *again = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_file(path, NULL, &scene, &errors), SN_OK);
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    assert_int_equal(sn_scene_load_text("again", text, length, NULL, &again, &errors), SN_OK);
    assert_int_equal(sn_scene_notes(again)->count, 0);
    sn_world *first = build(scene), *second = build(again);
    assert_true(sn_world_hash(first) == sn_world_hash(second));
    sn_world_destroy(first);
    sn_world_destroy(second);
    sn_scene_destroy(scene);
    sn_scene_destroy(again);
    sn_scene_free_text(text);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"open.obj",  "side.obj",  "out.obj",   "large.obj",
                                        "small.obj", "twice.obj", "scene.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repair),  cmocka_unit_test(test_turned),
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
