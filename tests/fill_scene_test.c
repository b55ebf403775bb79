// Surfaces that scenes fill: keys, notes with places, what is seen, slivers in files, and the
// folder in which fills are kept.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fill_surface.h"
#include "scene/fill_cache.h"
#include "scene_text.h"
#include "shortage.h"
#include "sinew/elastic.h"

static char folder[64], cache[96];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-fill-test-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(cache, sizeof cache, "%s/kept/here", folder);
    return 0;
}

// The only kept file, as its path; how many there are.
static int kept_files(char path[512])
{
    int count = 0;
    DIR *open = opendir(cache);
    for (struct dirent *e = open != NULL ? readdir(open) : NULL; e != NULL; e = readdir(open)) {
        if (e->d_name[0] != '.') {
            snprintf(path, 512, "%s/%s", cache, e->d_name);
            ++count;
        }
    }
    if (open != NULL) {
        closedir(open);
    }
    return count;
}

static void empty_cache(void)
{
    char path[512];
    while (kept_files(path) > 0) {
        remove(path);
    }
}

static int tear_down(void **state)
{
    (void)state;
    char path[128];
    empty_cache();
    rmdir(cache);
    snprintf(path, sizeof path, "%s/kept", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/sliver.vtk", folder);
    remove(path);
    return rmdir(folder);
}

// ---- scenes ----

#define CUBE_CORNERS                                                                               \
    "\"vertices\": [[-1,-1,-1],[1,-1,-1],[1,1,-1],[-1,1,-1],[-1,-1,1],[1,-1,1],[1,1,1],[-1,1,1]]"
#define CUBE_SIDES "[0,3,2],[0,2,1],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,0,4],[3,4,7]"
#define BODY(mesh)                                                                                 \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"e\", \"type\": \"elastic\",\n\"mesh\": {" mesh "}}]" \
    "}"
#define CUBE(keys)                                                                                 \
    BODY("\"type\": \"surface\", " CUBE_CORNERS ", \"triangles\": [" CUBE_SIDES                    \
         ", [4,5,6], [4,6,7]]" keys)
#define OPEN_CUBE(keys)                                                                            \
    BODY("\"type\": \"surface\", " CUBE_CORNERS ", \"triangles\": [" CUBE_SIDES "]" keys)

static void test_a_surface_becomes_a_body(void **state)
{
    (void)state;
    sn_scene *scene = load(CUBE(", \"edge\": 0.5, \"scale\": [0.5, 1, 1]"));
    sn_world *world = build(scene);
    sn_body body = sn_world_body(world, 0);
    sn_tetrahedra_quality quality;
    assert_true(sn_tetrahedra_measure(sn_body_tetrahedra(world, body), &quality));
    assert_float_equal(quality.volume, 4.0, 1e-9);
    assert_int_equal(sn_scene_notes(scene)->count, 0);
    // The surface itself is seen.
    assert_int_equal(sn_mesh_triangle_count(sn_body_display(world, body)), 12);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static const char *only_note(const sn_scene *scene)
{
    assert_int_equal(sn_scene_notes(scene)->count, 1);
    assert_string_equal(sn_scene_notes(scene)->items[0].place, "t:2:9");
    return sn_scene_notes(scene)->items[0].text;
}

static void test_what_filling_changes_is_noted(void **state)
{
    (void)state;
    sn_scene *scene = load(OPEN_CUBE(""));
    assert_string_equal(only_note(scene),
                        "mesh of 'e': the surface is not closed: holes are bridged");
    sn_scene_destroy(scene);
    scene = load(CUBE(", \"edge\": 0.31, \"scale\": [1, -1, 1]")); // mirrored, and still outward
    sn_scene_destroy(scene);
    scene = load(BODY("\"type\": \"surface\", " CUBE_CORNERS
                      ", \"triangles\": [[2,3,0],[1,2,0],[5,1,0],[4,5,0],[6,2,1],[5,6,1],[7,3,2],"
                      "[6,7,2],[4,0,3],[7,4,3],[6,5,4],[7,6,4]]"));
    assert_string_equal(only_note(scene), "mesh of 'e': the surface is inside out: turned");
    sn_scene_destroy(scene);
}

static void test_mistakes_have_places(void **state)
{
    (void)state;
    const mistake mistakes[] = {
        {CUBE(", \"fill\": \"gmsg\""),
         {"t:2:242: \"fill\": got \"gmsg\"; did you mean \"gmsh\"? Expected one of: lattice, "
          "gmsh"}},
        {BODY("\"type\": \"file\", \"file\": \"tests/data/none.msh\", \"fill\": \"gmsh\""),
         {"t:2:34: mesh of 'e': \"fill\" is of surfaces that are filled"}},
    };
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
    const struct {
        const char *text;
        sn_status status;
        const char *message;
    } shapes[] = {
        {CUBE(", \"edge\": \"0.1mm\""), SN_ERROR_ARGUMENT, "edges of 0.021 m or longer"},
        {OPEN_CUBE(", \"fill\": \"gmsh\""), SN_ERROR_GEOMETRY,
         "\"fill\": \"lattice\" takes it as it is (mesh edge 4-5)"},
        {BODY("\"type\": \"surface\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0]], "
              "\"triangles\": [[0,1,2]]"),
         SN_ERROR_GEOMETRY, "the surface encloses nothing"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(
            sn_scene_load_text("t", shapes[i].text, strlen(shapes[i].text), NULL, &scene, &errors),
            shapes[i].status);
        assert_int_equal(errors.count, 1);
        assert_string_equal(errors.items[0].place, "t:2:9");
        assert_non_null(strstr(errors.items[0].text, shapes[i].message));
        sn_error_list_free(&errors);
    }
}

// Gmsh meshes a ball anew with a coarse edge, and loses volume.
static void test_what_gmsh_loses_is_noted(void **state)
{
    (void)state;
    sn_mesh *ball = ball_surface(0.5, 32, SN_VEC3_ZERO);
    char text[1 << 17];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{\"sinew\": 1, \"bodies\": [{\"name\": \"e\", \"type\": "
                                 "\"elastic\",\n\"mesh\": {\"type\": \"surface\", \"edge\": 0.4, "
                                 "\"fill\": \"gmsh\", \"vertices\": [");
    for (int i = 0; i < sn_mesh_vertex_count(ball); ++i) {
        sn_vec3 p = sn_mesh_positions(ball)[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s[%.9g,%.9g,%.9g]", i > 0 ? "," : "",
                               p.x, p.y, p.z);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"triangles\": [");
    for (int t = 0; t < sn_mesh_triangle_count(ball); ++t) {
        const int *v = sn_mesh_triangles(ball) + 3 * t;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s[%d,%d,%d]", t > 0 ? "," : "", v[0],
                               v[1], v[2]);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "]}}]}");
    assert_true(at < sizeof text);
    sn_scene *scene = load(text);
    const char *note = only_note(scene);
    assert_non_null(strstr(note, "% below the surface's, and so is the mass; a shorter \"edge\""));
    sn_scene_destroy(scene);
    sn_mesh_release(ball);
}

// ---- slivers ----

// A dihedral angle of a hundredth of a degree, and a positive volume.
static void test_files_with_slivers_are_read(void **state)
{
    (void)state;
    char path[128], text[600];
    snprintf(path, sizeof path, "%s/sliver.vtk", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
            "0 0 0 1 0 0 0 1 0 1 1 2e-4 0 0 -1\nCELLS 2 10\n4 0 1 2 3\n4 0 1 2 4\n"
            "CELL_TYPES 2\n10\n10\n");
    fclose(file);
    snprintf(text, sizeof text, BODY("\"type\": \"file\", \"file\": \"%s\""), path);
    sn_scene *scene = load(text);
    sn_world *world = build(scene);
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, sn_world_body(world, 0));
    sn_tetrahedra_quality quality;
    assert_int_equal(sn_tetrahedra_element_count(mesh), 2);
    assert_true(sn_tetrahedra_measure(mesh, &quality));
    assert_true(quality.least_volume > 0.0 && quality.least_ratio < 1e-3);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- what is kept ----

static sn_tetrahedra *fill_kept(const char *where, const sn_mesh *surface, double edge,
                                sn_tetrahedra_fill_report *report)
{
    sn_tetrahedra *made = NULL;
    sn_error error = {0};
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    options.edge = edge;
    if (sn_fill_cached(where, surface, &options, &made, report, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return made;
}

static void assert_equal_bodies(const sn_tetrahedra *a, const sn_tetrahedra *b)
{
    int vertices = sn_tetrahedra_vertex_count(a), elements = sn_tetrahedra_element_count(a);
    assert_int_equal(vertices, sn_tetrahedra_vertex_count(b));
    assert_int_equal(elements, sn_tetrahedra_element_count(b));
    assert_memory_equal(sn_tetrahedra_positions(a), sn_tetrahedra_positions(b),
                        (size_t)vertices * sizeof(sn_vec3));
    assert_memory_equal(sn_tetrahedra_elements(a), sn_tetrahedra_elements(b),
                        4 * (size_t)elements * sizeof(int));
}

// Puts a byte of a file over, or cuts the file there.
static void damage(const char *path, long at, bool cut)
{
    if (cut) {
        assert_int_equal(truncate(path, at), 0);
        return;
    }
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

static void test_fills_are_kept(void **state)
{
    (void)state;
    char path[512];
    sn_mesh *ball = ball_surface(0.5, 16, SN_VEC3_ZERO);
    sn_tetrahedra_fill_report first, second;
    sn_tetrahedra *fresh = fill_kept(NULL, ball, 0.2, NULL);
    assert_int_equal(kept_files(path), 0);
    sn_tetrahedra *made = fill_kept(cache, ball, 0.2, &first);
    assert_int_equal(kept_files(path), 1);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    uint64_t allocations = sn_allocation_count();
    sn_tetrahedra *again = fill_kept(cache, ball, 0.2, &second);
    allocations = sn_allocation_count() - allocations;
    assert_equal_bodies(fresh, made);
    assert_equal_bodies(fresh, again);
    assert_memory_equal(&first, &second, sizeof first);
    assert_true(allocations < 40); // it was read, not filled
    sn_tetrahedra_release(again);
    // Whatever happens to the file, the fill is right, and the file whole again afterwards.
    for (int k = 0; k < 6; ++k) {
        const long places[6] = {0, 9, 30, 200, before.st_size / 2, before.st_size - 1};
        damage(path, places[k], k % 2 == 1);
        again = fill_kept(cache, ball, 0.2, &second);
        assert_equal_bodies(fresh, again);
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(after.st_size, before.st_size);
        sn_tetrahedra_release(again);
    }
    // Another edge is another fill.
    sn_tetrahedra_release(fill_kept(cache, ball, 0.21, NULL));
    assert_int_equal(kept_files(path), 2);
    // A folder that cannot be made is no failure.
    sn_tetrahedra_release(fill_kept("/proc/none", ball, 0.2, NULL));
    sn_tetrahedra_release(fresh);
    sn_tetrahedra_release(made);
    sn_mesh_release(ball);
    empty_cache();
}

static void test_memory_runs_out_while_keeping(void **state)
{
    (void)state;
    sn_mesh *ball = ball_surface(0.5, 8, SN_VEC3_ZERO);
    sn_tetrahedra_fill_options options = sn_default_tetrahedra_fill_options();
    options.edge = 0.5;
    for (shortage s = {.most = 1000}; shortage_goes_on(&s);) {
        sn_tetrahedra *made = NULL;
        shortage_begin(&s);
        sn_status status = sn_fill_cached(cache, ball, &options, &made, NULL, NULL);
        shortage_end(&s, status);
        sn_tetrahedra_release(made);
        empty_cache();
    }
    sn_mesh_release(ball);
}

static void test_scenes_keep_fills_where_they_are_told(void **state)
{
    (void)state;
    const char *text = CUBE(", \"edge\": 0.5");
    char path[512];
    for (int k = 0; k < 3; ++k) { // nowhere; a text from elsewhere; told
        sn_scene_options options = {.cache = k > 0 ? cache : NULL, .sealed = k == 1};
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(sn_scene_load_text("t", text, strlen(text), &options, &scene, &errors),
                         SN_OK);
        assert_int_equal(kept_files(path), k == 2);
        sn_scene_destroy(scene);
    }
    empty_cache();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_surface_becomes_a_body),
        cmocka_unit_test(test_what_filling_changes_is_noted),
        cmocka_unit_test(test_mistakes_have_places),
        cmocka_unit_test(test_what_gmsh_loses_is_noted),
        cmocka_unit_test(test_files_with_slivers_are_read),
        cmocka_unit_test(test_fills_are_kept),
        cmocka_unit_test(test_memory_runs_out_while_keeping),
        cmocka_unit_test(test_scenes_keep_fills_where_they_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
