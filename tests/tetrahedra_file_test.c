// Files of tetrahedra: samples of every format, round trips to the bit, and errors with places.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/tetrahedra_file.h"
#include "sinew/tetrahedra.h"

// ---- samples ----

// A surface and a volume may have the same number, and groups without elements have names, too.
#define NAMES                                                                                      \
    "$PhysicalNames\n4\n2 7 \"skin\"\n3 7 \"soft rubber\"\n3 9 \"none\"\n3 8\t\"steel\" \n"        \
    "$EndPhysicalNames\n"

static const char msh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" NAMES
                           "$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n5 9 9 9\n50 0 0 -1\n"
                           "$EndNodes\n$Elements\n4\n"
                           "1 15 2 0 1 10\n2 2 2 0 1 10 20 30\n"
                           "3 4 2 7 1 10 20 30 40\n4 4 2 8 1 10 20 30 50\n$EndElements\n";

static const char msh4[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" NAMES
                           "$Entities\n1 0 1 2\n1 0 0 0 0\n1 0 0 0 1 1 1 1 3 0\n"
                           "1 0 0 0 1 1 1 1 7 1 1\n2 0 0 0 1 1 1 1 8 0\n$EndEntities\n"
                           "$Nodes\n2 5 1 5\n2 1 1 2\n1\n2\n0 0 0 0.5 0.5\n1 0 0 0 0\n"
                           "3 1 0 3\n3\n4\n5\n0 1 0\n0 0 1\n0 0 -1\n$EndNodes\n"
                           "$Elements\n3 3 1 3\n2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n"
                           "3 2 4 1\n3 1 2 3 5\n$EndElements\n";

static const char vtk3[] = "# vtk DataFile Version 2.0\nany title at all\nASCII\n"
                           "DATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
                           "0 0 0  1 0 0  0 1 0\n0 0 1  0 0 -1\n"
                           "CELLS 3 13\n4 0 1 2 3\n2 0 1\n4 0 1 2 4\nCELL_TYPES 3\n10\n3\n10\n"
                           "POINT_DATA 5\nSCALARS region float\nLOOKUP_TABLE default\n1 2 3 4 5\n"
                           "CELL_DATA 3\nSCALARS other int 1\nLOOKUP_TABLE default\n5 5 5\n"
                           "SCALARS region int 1\nLOOKUP_TABLE default\n7 0 8\n";

static const char vtk5[] = "# vtk DataFile Version 5.1\nvtk output\nASCII\n"
                           "DATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
                           "0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1\n"
                           "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n"
                           "0 1 2 3 0 1 2 4\nCELL_TYPES 2\n10\n10\n"
                           "CELL_DATA 2\nSCALARS region double\nLOOKUP_TABLE default\n7 8\n";

static const char node1[] = "# made by hand\n5 3 1 1\n1 0.0 0 0 3.5 1\n2 1e0 0 0 3.5 1\n"
                            "3 0 1.0 0 3.5 1 # a corner\n4 0 0 +1 3.5 1\n5 0 0 -1 3.5 0\n";
static const char ele1[] = "2 4 1\n1 1 2 3 4 7\n2 1 2 3 5 8\n# end\n";
static const char node0[] = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0 0 -1\n";
static const char ele0[] = "2 4 0\n0 0 1 2 3\n1 0 1 2 4\n";

static void assert_two_elements(sn_status status, sn_tetrahedra *mesh, sn_error *error,
                                bool regions)
{
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(error));
    }
    assert_int_equal(sn_tetrahedra_vertex_count(mesh), 5);
    assert_int_equal(sn_tetrahedra_element_count(mesh), 2);
    assert_int_equal(sn_tetrahedra_turned_count(mesh), 1);
    const sn_vec3 *p = sn_tetrahedra_positions(mesh);
    const sn_vec3 expected[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
    assert_memory_equal(p, expected, sizeof expected);
    const int *r = sn_tetrahedra_regions(mesh);
    assert_true(regions ? r[0] == 7 && r[1] == 8 : r[0] == 0 && r[1] == 0);
    sn_tetrahedra_release(mesh);
}

static void test_samples_are_read(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_status status = sn_tetrahedra_parse_msh("a.msh", msh2, strlen(msh2), &mesh, &error);
    assert_two_elements(status, mesh, &error, true);
    status = sn_tetrahedra_parse_msh("a.msh", msh4, strlen(msh4), &mesh, &error);
    assert_two_elements(status, mesh, &error, true);
    status = sn_tetrahedra_parse_vtk("a.vtk", vtk3, strlen(vtk3), &mesh, &error);
    assert_two_elements(status, mesh, &error, true);
    status = sn_tetrahedra_parse_vtk("a.vtk", vtk5, strlen(vtk5), &mesh, &error);
    assert_two_elements(status, mesh, &error, true);
    status = sn_tetrahedra_parse_tetgen("a.node", node1, strlen(node1), "a.ele", ele1, strlen(ele1),
                                        &mesh, &error);
    assert_two_elements(status, mesh, &error, true);
    status = sn_tetrahedra_parse_tetgen("a.node", node0, strlen(node0), "a.ele", ele0, strlen(ele0),
                                        &mesh, &error);
    assert_two_elements(status, mesh, &error, false);
}

// Three elements one on the other: of "core" (3), of "core" and "all" (9), and of "rim" (7) and
// "all". Version 2 has an element once for each of its groups, version 4 a volume with all of them.
#define SHARED_NAMES                                                                               \
    "$PhysicalNames\n3\n3 3 \"core\"\n3 7 \"rim\"\n3 9 \"all\"\n$EndPhysicalNames\n"

static const char shared2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" SHARED_NAMES
                              "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 1 1 1\n"
                              "$EndNodes\n$Elements\n5\n1 4 2 3 1 1 2 3 4\n"
                              "2 4 2 3 2 1 3 2 5\n3 4 2 9 2 1 3 2 5\n"
                              "4 4 2 7 3 2 3 4 6\n5 4 2 9 3 2 3 4 6\n$EndElements\n";
static const char shared4[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" SHARED_NAMES
                              "$Entities\n0 0 0 3\n1 0 0 0 1 1 1 1 3 0\n"
                              "2 0 0 0 1 1 1 2 3 9 0\n3 0 0 0 1 1 1 2 7 9 0\n$EndEntities\n"
                              "$Nodes\n1 6 1 6\n3 1 0 6\n1\n2\n3\n4\n5\n6\n"
                              "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n1 1 1\n$EndNodes\n"
                              "$Elements\n3 3 1 3\n3 1 4 1\n1 1 2 3 4\n3 2 4 1\n2 1 3 2 5\n"
                              "3 3 4 1\n3 2 3 4 6\n$EndElements\n";

static bool is_called(const sn_tetrahedra *mesh, int element, const char *name)
{
    const sn_region_name *names = sn_tetrahedra_region_names(mesh);
    bool called = false;
    for (int i = 0; i < sn_tetrahedra_region_name_count(mesh); ++i) {
        called = called || (names[i].region == sn_tetrahedra_regions(mesh)[element] &&
                            strcmp(names[i].name, name) == 0);
    }
    return called;
}

// An element is in every group of its volume, and goes by any of their names and numbers.
static void test_shared_groups(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool of[3];
    } groups[] = {{"core", {1, 1, 0}},
                  {"all", {0, 1, 1}},
                  {"rim", {0, 0, 1}},
                  {"3", {1, 1, 0}},
                  {"9", {0, 1, 1}}};
    const char *const texts[] = {shared2, shared4};
    for (int k = 0; k < 2; ++k) {
        sn_tetrahedra *mesh = NULL;
        sn_error error = {0};
        if (sn_tetrahedra_parse_msh("a", texts[k], strlen(texts[k]), &mesh, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_int_equal(sn_tetrahedra_element_count(mesh), 3);
        const int *regions = sn_tetrahedra_regions(mesh);
        assert_int_equal(regions[0], 3);
        assert_int_equal(regions[1], 10); // 3 is the first one's, and no group has this one
        assert_int_equal(regions[2], 7);
        for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
            for (int e = 0; e < 3; ++e) {
                assert_int_equal(is_called(mesh, e, groups[i].name), groups[i].of[e]);
            }
        }
        sn_tetrahedra_release(mesh);
    }
    // The same corners in another volume are two elements all the same, and refused.
    char text[sizeof shared2];
    memcpy(text, shared2, sizeof text);
    memcpy(strstr(text, "3 4 2 9 2 "), "3 4 2 9 5 ", 10);
    sn_tetrahedra *mesh = NULL;
    sn_error error = {0};
    assert_int_not_equal(sn_tetrahedra_parse_msh("a", text, strlen(text), &mesh, &error), SN_OK);
    assert_non_null(strstr(sn_error_message(&error), "with the corners of"));
}

static void assert_named(const sn_tetrahedra *mesh)
{
    static const sn_region_name wanted[] = {{7, "soft rubber"}, {9, "none"}, {8, "steel"}};
    assert_int_equal(sn_tetrahedra_region_name_count(mesh), 3);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(sn_tetrahedra_region_names(mesh)[i].region, wanted[i].region);
        assert_string_equal(sn_tetrahedra_region_names(mesh)[i].name, wanted[i].name);
    }
}

// What a mesh's regions are called stays with them in its copies, and in files that have names.
static void test_groups_have_names(void **state)
{
    (void)state;
    const char *const texts[] = {msh2, msh4};
    for (int k = 0; k < 2; ++k) {
        sn_tetrahedra *mesh = NULL, *copies[4] = {NULL}, *plain = NULL;
        const bool removed[2] = {true, false};
        assert_int_equal(sn_tetrahedra_parse_msh("a.msh", texts[k], strlen(texts[k]), &mesh, NULL),
                         SN_OK);
        assert_named(mesh);
        assert_int_equal(sn_tetrahedra_transformed(mesh, (sn_vec3){1, 2, 3}, SN_TRANSFORM_IDENTITY,
                                                   &copies[0], NULL),
                         SN_OK);
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &copies[1], NULL), SN_OK);
        assert_int_equal(sn_tetrahedra_refined(mesh, 2, &copies[2], NULL), SN_OK);
        assert_int_equal(sn_tetrahedra_without(mesh, removed, &copies[3], NULL, NULL), SN_OK);
        for (int i = 0; i < 4; ++i) {
            assert_named(copies[i]);
            sn_tetrahedra_release(copies[i]);
        }
        assert_int_equal(sn_tetrahedra_with_regions(mesh, 3, NULL, &plain, NULL), SN_OK);
        assert_int_equal(sn_tetrahedra_region_name_count(plain), 0);
        sn_tetrahedra_release(plain);
        char folder[] = "/tmp/sinew-names-XXXXXX", path[64];
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/a.msh", folder);
        assert_int_equal(sn_tetrahedra_write(mesh, path, NULL), SN_OK);
        sn_tetrahedra_release(mesh);
        assert_int_equal(sn_tetrahedra_read(path, &mesh, NULL), SN_OK);
        assert_named(mesh);
        remove(path);
        rmdir(folder);
        const sn_region_name quoted = {1, "a\"b"};
        sn_tetrahedra_def def = sn_default_tetrahedra_def();
        def.positions = sn_tetrahedra_positions(mesh);
        def.vertex_count = sn_tetrahedra_vertex_count(mesh);
        def.elements = sn_tetrahedra_elements(mesh);
        def.element_count = sn_tetrahedra_element_count(mesh);
        def.region_names = &quoted;
        def.region_name_count = 1;
        assert_int_equal(sn_tetrahedra_create(&def, &plain, NULL), SN_ERROR_ARGUMENT);
        sn_tetrahedra_release(mesh);
    }
}

// ---- round trips ----

static sn_tetrahedra *make_mesh(int nodes)
{
    sn_tetrahedra *plain = NULL, *turned = NULL, *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_tetrahedra_make_sphere(0.7, 2, &plain, &error), SN_OK);
    sn_transform place = {{0.1, 0.2, 0.3}, sn_quat_normalize((sn_quat){0.5, 0.1, 0.7, -0.2})};
    assert_int_equal(sn_tetrahedra_transformed(plain, (sn_vec3){1, 1, 1}, place, &turned, &error),
                     SN_OK);
    int *regions = malloc((size_t)sn_tetrahedra_element_count(turned) * sizeof *regions);
    for (int e = 0; e < sn_tetrahedra_element_count(turned); ++e) {
        regions[e] = e % 5;
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = sn_tetrahedra_positions(turned);
    def.vertex_count = sn_tetrahedra_vertex_count(turned);
    def.elements = sn_tetrahedra_elements(turned);
    def.element_count = sn_tetrahedra_element_count(turned);
    def.regions = regions;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_OK);
    free(regions);
    sn_tetrahedra_release(plain);
    sn_tetrahedra_release(turned);
    if (nodes == 10) {
        sn_tetrahedra *curved = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &curved, &error), SN_OK);
        sn_tetrahedra_release(mesh);
        return curved;
    }
    return mesh;
}

static void assert_same(const sn_tetrahedra *a, const sn_tetrahedra *b)
{
    int vertices = sn_tetrahedra_vertex_count(a), elements = sn_tetrahedra_element_count(a);
    assert_int_equal(sn_tetrahedra_vertex_count(b), vertices);
    assert_int_equal(sn_tetrahedra_element_count(b), elements);
    assert_int_equal(sn_tetrahedra_nodes(a), sn_tetrahedra_nodes(b));
    assert_memory_equal(sn_tetrahedra_positions(a), sn_tetrahedra_positions(b),
                        (size_t)vertices * sizeof(sn_vec3));
    assert_memory_equal(sn_tetrahedra_elements(a), sn_tetrahedra_elements(b),
                        (size_t)(elements * sn_tetrahedra_nodes(a)) * sizeof(int));
    assert_memory_equal(sn_tetrahedra_regions(a), sn_tetrahedra_regions(b),
                        (size_t)elements * sizeof(int));
}

static void test_round_trips(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew-tetrahedra-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *const endings[] = {"msh", "vtk", "node", "ele"};
    for (int k = 0; k < 8; ++k) {
        sn_error error = {0};
        sn_tetrahedra *mesh = make_mesh(k < 4 ? 4 : 10), *back = NULL;
        char path[64], other[64];
        snprintf(path, sizeof path, "%s/ball.%s", folder, endings[k % 4]);
        snprintf(other, sizeof other, "%s/ball.%s", folder, k % 4 == 2 ? "ele" : "node");
        assert_int_equal(sn_tetrahedra_write(mesh, path, &error), SN_OK);
        if (sn_tetrahedra_read(path, &back, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_same(mesh, back);
        sn_tetrahedra_release(back);
        remove(path);
        if (k % 4 >= 2) {
            assert_int_equal(sn_tetrahedra_read(other, &back, &error), SN_ERROR_FILE);
            remove(other);
        }
        assert_int_equal(sn_tetrahedra_read(path, &back, &error), SN_ERROR_FILE);
        sn_tetrahedra_release(mesh);
    }
    rmdir(folder);
    sn_error error = {0};
    sn_tetrahedra *mesh = make_mesh(4), *back = NULL;
    assert_int_equal(sn_tetrahedra_write(mesh, "/nowhere/at/all.msh", &error), SN_ERROR_FILE);
    assert_int_equal(sn_tetrahedra_write(mesh, "ball.stl", &error), SN_ERROR_UNSUPPORTED);
    assert_int_equal(sn_tetrahedra_read("ball", &back, &error), SN_ERROR_UNSUPPORTED);
    sn_tetrahedra_release(mesh);
}

// Other programs put the nodes between corners in other orders.
static void test_tetgen_s_middles_are_put_in_order(void **state)
{
    (void)state;
    const char nodes[] = "10 3 0 0\n0 0 0 0\n1 2 0 0\n2 0 2 0\n3 0 0 2\n"
                         "4 0 1 1\n5 1 0 1\n6 0 0 1\n7 1 0 0\n8 1 1 0\n9 0 1 0\n";
    const char elements[] = "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n";
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_parse_tetgen("a.node", nodes, strlen(nodes), "a.ele", elements,
                                                strlen(elements), &mesh, &error),
                     SN_OK);
    const int expected[10] = {0, 1, 2, 3, 7, 8, 9, 6, 5, 4};
    assert_memory_equal(sn_tetrahedra_elements(mesh), expected, sizeof expected);
    sn_tetrahedra_release(mesh);
}

// ---- errors ----

static void assert_refused(int format, const char *text, const char *place, const char *says)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_status status;
    if (format == 'm') {
        status = sn_tetrahedra_parse_msh("f", text, strlen(text), &mesh, &error);
    } else if (format == 'v') {
        status = sn_tetrahedra_parse_vtk("f", text, strlen(text), &mesh, &error);
    } else if (format == 'n') {
        status = sn_tetrahedra_parse_tetgen("f", text, strlen(text), "e", ele0, strlen(ele0), &mesh,
                                            &error);
    } else {
        status = sn_tetrahedra_parse_tetgen("n", node0, strlen(node0), "f", text, strlen(text),
                                            &mesh, &error);
    }
    assert_int_not_equal(status, SN_OK);
    assert_null(mesh);
    if (strcmp(error.place, place) != 0 || strstr(error.text, says) == NULL) {
        fail_msg("%s: %s", error.place, error.text);
    }
}

static void test_errors_have_places(void **state)
{
    (void)state;
#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    assert_refused('m', "", "f", "no tetrahedra");
    assert_refused('m', "$Nodes\n", "f:1:1", "$MeshFormat was expected");
    assert_refused('m', "$MeshFormat\n3 0 8\n", "f:2:1", "version 2.2 or 4.1");
    assert_refused('m', "$MeshFormat\n4.1 2 8\n", "f:2:5", "0 for ASCII or 1 for binary");
    assert_refused('m', HEAD "$Nodes\n1\n1 0 zero 0\n", "f:6:5", "'zero'; a coordinate");
    assert_refused('m', HEAD "$Nodes\n2\n1 0 0 0\n", "f:7:1", "the file ends here");
    assert_refused('m', HEAD "$Nodes\n1\n1 0 0 0\n$Elements\n", "f:7:1", "$EndNodes was expected");
    assert_refused('m', HEAD "$Nodes\n1\n1 0 0 1e999\n$EndNodes\n", "f:6:7", "range of numbers");
    assert_refused('m',
                   HEAD "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n"
                        "$EndElements\n",
                   "f", "names node 2, which is not there");
    assert_refused('m', HEAD "$Elements\n2\n1 4 0 1 2 3 4\n2 11 0 1 2 3 4 5 6 7 8 9 10\n", "f:7:6",
                   "one kind");
    assert_refused('m', HEAD "$PhysicalNames\n1\n3 1 core\n", "f:6:5",
                   "'core'; a name in quotes was expected");
    assert_refused('m', HEAD "$PhysicalNames\n1\n3 1 \"core\n$EndPhysicalNames\n", "f:6:5",
                   "the quote that ends a name was expected in this line");
    assert_refused('m', HEAD "$PhysicalNames\n1\n4 1 \"core\"\n", "f:6:1", "a dimension, 0 to 3");
    assert_refused('m', HEAD "$PhysicalNames\n2\n3 1 \"core\"\n$EndPhysicalNames\n", "f:7:1",
                   "a dimension, 0 to 3");
    assert_refused('m', HEAD "$PhysicalNames\n1\n3 1 \"core", "f:6:5", "the quote that ends");
    assert_refused('m', HEAD "$Other\n1\n", "f:6:1", "the end of a section");
    assert_refused('m', HEAD "words\n", "f:4:1", "a section");
    assert_refused('m',
                   HEAD "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n1 0 0 2\n$EndNodes\n"
                        "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
                   "f", "node 1 is there twice");
    assert_refused('m',
                   HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n"
                        "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
                   "f", "1 sliver (element 0)");
    assert_refused('m', HEAD "$Nodes\n4\n1 0 0 0\n", "f:7:1",
                   "the file ends here; a node's number, a whole number, was expected");
    assert_refused('m', HEAD "$Elements\n1\n1 4 0 1 2", "f:6:10",
                   "the file ends here; a node's number, a whole number, was expected");
    assert_refused('m', HEAD "$Elements\n2\n1 2 0 1 2 3\n2 29 0 1 2 3 4\n$EndElements\n", "f",
                   "type 29 (tetrahedra of 20 nodes, third order); tetrahedra of 4 or 10 nodes");
    assert_refused('m', HEAD "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", "f",
                   "type 2 (not solid)");
    assert_refused('m',
                   "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                   "$Elements\n1 1 1 1\n3 1 5 1\n1 1 2 3 4 5 6 7 8\n$EndElements\n",
                   "f", "type 5 (hexahedra of 8 nodes)");
#undef HEAD
#define HEAD "# vtk DataFile Version 3.0\ntitle\n"
    assert_refused('v', "POINTS", "f:1:1", "# was expected");
    assert_refused('v', HEAD "Ascii art\n", "f:3:7", "DATASET was expected");
    assert_refused('v', HEAD "base64\n", "f:3:1", "ASCII or BINARY was expected");
    assert_refused('v', HEAD "ASCII\nDATASET POLYDATA\n", "f:4:9", "UNSTRUCTURED_GRID");
    assert_refused('v', HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS -1 float\n", "f:5:8",
                   "a number of points, 0 to");
    assert_refused('v',
                   HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n"
                        "10\n",
                   "f:9:1", "cell 0 has 3 points");
    assert_refused('v', HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 2 4\nOFFSETS int\n0 5\n",
                   "f:7:3", "an offset, 0 to 4");
    assert_refused('v', HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 1 1\n0\n", "f:7:1",
                   "1 cells and 0 types");
#undef HEAD
    assert_refused('n', "4 2 0 0\n", "f:1:3", "three dimensions");
    assert_refused('n', "1 3 0 0\n0 1 2 # z\n", "f:3:1", "the file ends here; a coordinate");
    assert_refused('e', "1 5 0\n", "f:1:3", "4 or 10 nodes");
    assert_refused('e', "1 4 1\n0 0 1 2 3 0.5\n", "f:2:11", "a whole number");
    assert_refused('e', "1 4 0\n0 0 1 2 9\n", "f", "names node 9");
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    for (int format = 0; format < 4; ++format) {
        int failures = 0;
        for (int after = 0;; ++after) {
            sn_error error = {0};
            sn_tetrahedra *mesh = NULL;
            sn_status status;
            sn_allocation_fail_after(after);
            if (format < 2) {
                const char *text = format == 0 ? msh2 : msh4;
                status = sn_tetrahedra_parse_msh("f", text, strlen(text), &mesh, &error);
            } else if (format == 2) {
                status = sn_tetrahedra_parse_vtk("f", vtk3, strlen(vtk3), &mesh, &error);
            } else {
                status = sn_tetrahedra_parse_tetgen("f", node1, strlen(node1), "e", ele1,
                                                    strlen(ele1), &mesh, &error);
            }
            sn_allocation_fail_after(-1);
            sn_tetrahedra_release(mesh);
            if (status == SN_OK) {
                break;
            }
            assert_int_equal(status, SN_ERROR_MEMORY);
            ++failures;
        }
        assert_true(failures > 8);
    }
}

// ---- numbers ----

static void test_numbers_read_back(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    for (int i = 0; i < 20000; ++i) {
        uint64_t bits = sn_random_bits(&random);
        double value, read;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.25e", value);
        sn_words words = sn_words_of("f", text, strlen(text), NULL);
        read = sn_words_number(&words, "a number");
        assert_int_equal(words.status, SN_OK);
        assert_true(i % 2 ? read == value : fabs(read - value) <= 2.3e-16 * fabs(value) + 5e-324);
    }
    const char *const wrong[] = {"", ".", "-", "1.2.3", "1e", "1e+", "0x10", "nan", "inf", "1,5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        sn_words words = sn_words_of("f", wrong[i], strlen(wrong[i]), NULL);
        sn_words_number(&words, "a number");
        assert_int_equal(words.status, SN_ERROR_SYNTAX);
    }
    sn_words words = sn_words_of("f", "1.5D+2 .5 5. -0 +7", 18, NULL);
    assert_true(sn_words_number(&words, "x") == 150.0 && sn_words_number(&words, "x") == 0.5);
    assert_true(sn_words_number(&words, "x") == 5.0 && signbit(sn_words_number(&words, "x")));
    assert_int_equal(sn_words_integer(&words, "x", 0, 9), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_read),
        cmocka_unit_test(test_shared_groups),
        cmocka_unit_test(test_groups_have_names),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_tetgen_s_middles_are_put_in_order),
        cmocka_unit_test(test_errors_have_places),
        cmocka_unit_test(test_running_out_of_memory),
        cmocka_unit_test(test_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
