// Meshes from files: the same box written in every format comes back with the same volume, whatever
// the unit, the axes, the polygons and the nodes; broken files are refused by name.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sinew/geometry.h"

// ---- writing ----

// A box from (0, 0, 0) to (1, 2, 3): corner bits 0, 1, 2 are x, y, z; quads counter-clockwise
// outside.
static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static float corner(int i, int axis)
{
    return i >> axis & 1 ? (float)(axis + 1) : 0.0f;
}

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-import-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

typedef struct scratch_file {
    char path[128];
    FILE *file;
} scratch_file;

static scratch_file create(const char *name)
{
    scratch_file scratch;
    snprintf(scratch.path, sizeof scratch.path, "%s/%s", folder, name);
    scratch.file = fopen(scratch.path, "wb");
    assert_non_null(scratch.file);
    return scratch;
}

static void write_obj(FILE *f)
{
    for (int i = 0; i < 8; ++i) {
        fprintf(f, "v %g %g %g\n", corner(i, 0), corner(i, 1), corner(i, 2));
    }
    for (int q = 0; q < 6; ++q) {
        fprintf(f, "f %d %d %d %d\n", quads[q][0] + 1, quads[q][1] + 1, quads[q][2] + 1,
                quads[q][3] + 1);
    }
}

static void write_ply(FILE *f)
{
    fprintf(f, "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
               "property float z\nelement face 6\nproperty list uchar int vertex_indices\n"
               "end_header\n");
    for (int i = 0; i < 8; ++i) {
        fprintf(f, "%g %g %g\n", corner(i, 0), corner(i, 1), corner(i, 2));
    }
    for (int q = 0; q < 6; ++q) {
        fprintf(f, "4 %d %d %d %d\n", quads[q][0], quads[q][1], quads[q][2], quads[q][3]);
    }
}

// Corner k of triangle t of the box.
static int triangle_corner(int t, int k)
{
    return quads[t / 2][t % 2 == 0 ? k : k == 0 ? 0 : k + 1];
}

static void write_stl_text(FILE *f)
{
    fprintf(f, "solid box\n");
    for (int t = 0; t < 12; ++t) {
        fprintf(f, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; ++k) {
            int i = triangle_corner(t, k);
            fprintf(f, "vertex %g %g %g\n", corner(i, 0), corner(i, 1), corner(i, 2));
        }
        fprintf(f, "endloop\nendfacet\n");
    }
    fprintf(f, "endsolid box\n");
}

static void write_stl_binary(FILE *f)
{
    char header[80] = "binary";
    uint32_t count = 12;
    fwrite(header, 1, sizeof header, f);
    fwrite(&count, sizeof count, 1, f);
    for (int t = 0; t < 12; ++t) {
        float values[12] = {0.0f};
        uint16_t attribute = 0;
        for (int k = 0; k < 9; ++k) {
            values[3 + k] = corner(triangle_corner(t, k / 3), k % 3);
        }
        fwrite(values, sizeof values, 1, f);
        fwrite(&attribute, sizeof attribute, 1, f);
    }
}

static void write_dxf_faces(FILE *f)
{
    fprintf(f, "0\nSECTION\n2\nENTITIES\n");
    for (int q = 0; q < 6; ++q) {
        fprintf(f, "0\n3DFACE\n8\n0\n");
        for (int k = 0; k < 4; ++k) {
            int i = quads[q][k];
            fprintf(f, "1%d\n%g\n2%d\n%g\n3%d\n%g\n", k, corner(i, 0), k, corner(i, 1), k,
                    corner(i, 2));
        }
    }
    fprintf(f, "0\nENDSEC\n0\nEOF\n");
}

static void write_dxf_polyface(FILE *f)
{
    fprintf(f, "0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\n0\n66\n1\n70\n64\n71\n8\n72\n6\n");
    for (int i = 0; i < 8; ++i) {
        fprintf(f, "0\nVERTEX\n8\n0\n10\n%g\n20\n%g\n30\n%g\n70\n192\n", corner(i, 0), corner(i, 1),
                corner(i, 2));
    }
    for (int q = 0; q < 6; ++q) {
        fprintf(f,
                "0\nVERTEX\n8\n0\n10\n0\n20\n0\n30\n0\n70\n128\n71\n%d\n72\n%d\n73\n%d\n74\n%d\n",
                quads[q][0] + 1, quads[q][1] + 1, quads[q][2] + 1, quads[q][3] + 1);
    }
    fprintf(f, "0\nSEQEND\n0\nENDSEC\n0\nEOF\n");
}

// A document in centimetres, with its own up axis, and the box below two nodes that move and mirror
// it.
static void write_dae(FILE *f, const char *up, const char *unit, const char *matrix)
{
    fprintf(
        f,
        "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
        "version=\"1.4.1\"><asset>%s<up_axis>%s</up_axis></asset><library_geometries>"
        "<geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" count=\"24\">",
        unit, up);
    for (int i = 0; i < 8; ++i) {
        fprintf(f, "%g %g %g ", corner(i, 0), corner(i, 1), corner(i, 2));
    }
    fprintf(f, "</float_array><technique_common><accessor source=\"#pa\" count=\"8\" stride=\"3\">"
               "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
               "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
               "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
               "<polylist count=\"6\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
               "<vcount>4 4 4 4 4 4</vcount><p>");
    for (int q = 0; q < 24; ++q) {
        fprintf(f, "%d ", quads[q / 4][q % 4]);
    }
    fprintf(f,
            "</p></polylist></mesh></geometry></library_geometries><library_visual_scenes>"
            "<visual_scene id=\"s\"><node id=\"a\"><matrix>%s</matrix><node id=\"b\">"
            "<instance_geometry url=\"#g\"/></node></node></visual_scene></library_visual_scenes>"
            "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n",
            matrix);
}

static void fill_gltf_buffer(unsigned char buffer[168])
{
    for (int i = 0; i < 24; ++i) {
        float value = corner(i / 3, i % 3);
        memcpy(buffer + 4 * i, &value, 4);
    }
    for (int k = 0; k < 36; ++k) {
        uint16_t index = (uint16_t)triangle_corner(k / 3, k % 3);
        memcpy(buffer + 96 + 2 * k, &index, 2);
    }
}

static void gltf_text(char *text, size_t size, const char *uri)
{
    snprintf(
        text, size,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"translation\":[10,0,0],\"children\":[1]},{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,2,3]},"
        "{\"bufferView\":1,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":96},"
        "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":72}],"
        "\"buffers\":[{%s\"byteLength\":168}]}",
        uri);
}

static void write_gltf(FILE *f)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char buffer[168];
    fill_gltf_buffer(buffer);
    char uri[320] = "\"uri\":\"data:application/octet-stream;base64,";
    size_t at = strlen(uri);
    for (int i = 0; i < 168; i += 3) {
        uint32_t bits = (uint32_t)buffer[i] << 16 | (uint32_t)buffer[i + 1] << 8 | buffer[i + 2];
        for (int k = 18; k >= 0; k -= 6) {
            uri[at++] = digits[bits >> k & 63];
        }
    }
    memcpy(uri + at, "\",", 3);
    char text[2048];
    gltf_text(text, sizeof text, uri);
    fputs(text, f);
}

static void write_glb(FILE *f)
{
    char text[2048];
    unsigned char buffer[168];
    gltf_text(text, sizeof text, "");
    fill_gltf_buffer(buffer);
    size_t length = strlen(text);
    while (length % 4 != 0) {
        text[length++] = ' ';
    }
    uint32_t header[5] = {0x46546C67, 2, (uint32_t)(12 + 8 + length + 8 + 168), (uint32_t)length,
                          0x4E4F534A};
    uint32_t chunk[2] = {168, 0x004E4942};
    fwrite(header, sizeof header, 1, f);
    fwrite(text, 1, length, f);
    fwrite(chunk, sizeof chunk, 1, f);
    fwrite(buffer, sizeof buffer, 1, f);
}

// ---- reading back ----

static sn_mesh *read_and_remove(scratch_file *scratch, const sn_import_options *options)
{
    fclose(scratch->file);
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    sn_status status = sn_mesh_import(scratch->path, options, &mesh, &error);
    unlink(scratch->path);
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return mesh;
}

// The mesh is closed, has 8 corners and lies between the two given ones.
static void check_box(sn_mesh *mesh, sn_vec3 lower, sn_vec3 upper)
{
    sn_error error = {0};
    if (sn_mesh_check(mesh, NULL, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_mesh_vertex_count(mesh), 8);
    assert_int_equal(sn_mesh_triangle_count(mesh), 12);
    sn_aabb bounds = sn_mesh_bounds(mesh);
    double size = sn_length(sn_vec3_sub(upper, lower));
    if (sn_distance(bounds.lower, lower) > 1e-6 * size ||
        sn_distance(bounds.upper, upper) > 1e-6 * size) {
        fail_msg("box from (%g, %g, %g) to (%g, %g, %g)", bounds.lower.x, bounds.lower.y,
                 bounds.lower.z, bounds.upper.x, bounds.upper.y, bounds.upper.z);
    }
    sn_vec3 edges = sn_vec3_sub(upper, lower);
    double volume = edges.x * edges.y * edges.z;
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - volume) < 1e-6 * volume);
    sn_mesh_release(mesh);
}

typedef void (*writer)(FILE *file);

static void test_every_format(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        writer write;
        sn_vec3 lower, upper;
    } cases[] = {
        {"box.obj", write_obj, {0, 0, 0}, {1, 2, 3}},
        {"box.ply", write_ply, {0, 0, 0}, {1, 2, 3}},
        {"text.stl", write_stl_text, {0, 0, 0}, {1, 2, 3}},
        {"binary.STL", write_stl_binary, {0, 0, 0}, {1, 2, 3}},
        {"faces.dxf", write_dxf_faces, {0, 0, 0}, {1, 2, 3}},
        {"polyface.dxf", write_dxf_polyface, {0, 0, 0}, {1, 2, 3}},
        {"box.gltf", write_gltf, {10, -3, 0}, {11, 0, 2}}, // y up by its format
        {"box.glb", write_glb, {10, -3, 0}, {11, 0, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        print_message("%s\n", cases[i].name);
        scratch_file scratch = create(cases[i].name);
        cases[i].write(scratch.file);
        check_box(read_and_remove(&scratch, NULL), cases[i].lower, cases[i].upper);
    }
}

#define IDENTITY "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"

static void test_dae(void **state)
{
    (void)state;
    static const struct {
        const char *up, *unit, *matrix;
        sn_up_axis option;
        double factor;
        sn_vec3 lower, upper;
    } cases[] = {
        {"Z_UP", "", IDENTITY, SN_UP_FILE, 0, {0, 0, 0}, {1, 2, 3}},
        {"Y_UP", "", IDENTITY, SN_UP_FILE, 0, {0, -3, 0}, {1, 0, 2}},
        {"X_UP", "", IDENTITY, SN_UP_X, 0, {0, 0, 0}, {2, 3, 1}},
        {"Y_UP", "", IDENTITY, SN_UP_Z, 0, {0, 0, 0}, {1, 2, 3}},
        // Moved by (5, 0, 0), then mirrored in x: turned over twice, outside stays outside.
        {"Z_UP", "", "-1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1", SN_UP_FILE, 0, {4, 0, 0}, {5, 2, 3}},
        {"Z_UP",
         "<unit name=\"centimeter\" meter=\"0.01\"/>",
         IDENTITY,
         SN_UP_FILE,
         0,
         {0, 0, 0},
         {0.01, 0.02, 0.03}},
        {"Y_UP",
         "<unit name=\"centimeter\" meter=\"0.01\"/>",
         IDENTITY,
         SN_UP_Z,
         0.001,
         {0, 0, 0},
         {0.001, 0.002, 0.003}},
        // Collada's X_UP has -y to the right and z towards the viewer.
        {"X_UP",
         "<unit name=\"centimeter\" meter=\"0.01\"/>",
         IDENTITY,
         SN_UP_FILE,
         0.1,
         {-0.2, -0.3, 0},
         {0, 0, 0.1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        print_message("DAE case %zu\n", i);
        scratch_file scratch = create("box.dae");
        write_dae(scratch.file, cases[i].up, cases[i].unit, cases[i].matrix);
        sn_import_options options = {.unit = cases[i].factor, .up = cases[i].option};
        check_box(read_and_remove(&scratch, &options), cases[i].lower, cases[i].upper);
    }
}

static void test_units_and_axes(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        sn_up_axis up;
        sn_vec3 lower, upper;
    } cases[] = {
        {"m", SN_UP_Z, {0, 0, 0}, {1, 2, 3}},
        {"cm", SN_UP_Y, {0, -0.03, 0}, {0.01, 0, 0.02}},
        {"mm", SN_UP_X, {0, 0, 0}, {0.002, 0.003, 0.001}},
        {"in", SN_UP_Z, {0, 0, 0}, {0.0254, 0.0508, 0.0762}},
        {"ft", SN_UP_Z, {0, 0, 0}, {0.3048, 0.6096, 0.9144}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        scratch_file scratch = create("box.obj");
        write_obj(scratch.file);
        sn_import_options options = sn_default_import_options();
        assert_true(sn_unit_from_name(cases[i].unit, &options.unit));
        options.up = cases[i].up;
        check_box(read_and_remove(&scratch, &options), cases[i].lower, cases[i].upper);
    }
    scratch_file drawing = create("turned.dxf"); // raw coordinates, y up
    write_dxf_faces(drawing.file);
    sn_import_options y_up = {.up = SN_UP_Y};
    check_box(read_and_remove(&drawing, &y_up), sn_vec3_make(0, -3, 0), sn_vec3_make(1, 0, 2));
    double unit = 0.0;
    assert_false(sn_unit_from_name("furlong", &unit));
}

// Vertices merge by distance; negative distances keep the triangle soup of an STL file.
static void test_merging(void **state)
{
    (void)state;
    static const struct {
        double distance;
        int vertices;
    } cases[] = {{0.0, 9}, {1e-3, 8}, {-1.0, 36}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        scratch_file scratch = create("loose.stl");
        fprintf(scratch.file, "solid box\n");
        for (int t = 0; t < 12; ++t) {
            fprintf(scratch.file, "facet normal 0 0 0\nouter loop\n");
            for (int k = 0; k < 3; ++k) {
                int v = triangle_corner(t, k);
                double shift = t == 0 && k == 0 ? 1e-4 : 0.0; // one corner is a little off
                fprintf(scratch.file, "vertex %g %g %g\n", corner(v, 0) + shift, corner(v, 1),
                        corner(v, 2));
            }
            fprintf(scratch.file, "endloop\nendfacet\n");
        }
        fprintf(scratch.file, "endsolid box\n");
        sn_import_options options = {.merge_distance = cases[i].distance};
        sn_mesh *mesh = read_and_remove(&scratch, &options);
        assert_int_equal(sn_mesh_vertex_count(mesh), cases[i].vertices);
        assert_int_equal(sn_mesh_triangle_count(mesh), 12);
        sn_mesh_release(mesh);
    }
}

// A concave face with points in line: an L of area 3 raised by 1.
static void test_concave_polygons(void **state)
{
    (void)state;
    static const int l[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 1}};
    scratch_file scratch = create("l.obj");
    for (int i = 0; i < 16; ++i) {
        fprintf(scratch.file, "v %d %d %d\n", l[i % 8][0], l[i % 8][1], i / 8);
    }
    fprintf(scratch.file, "f 8 7 6 5 4 3 2 1\nf 9 10 11 12 13 14 15 16\n");
    for (int i = 0; i < 8; ++i) {
        int j = (i + 1) % 8;
        fprintf(scratch.file, "f %d %d %d %d\n", i + 1, j + 1, j + 9, i + 9);
    }
    sn_mesh *mesh = read_and_remove(&scratch, NULL);
    sn_error error = {0};
    if (sn_mesh_check(mesh, NULL, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - 3.0) < 1e-12);
    sn_mesh_release(mesh);
}

// ---- refusals ----

static void check_refused(const char *name, const char *content, sn_status expected,
                          const char *word)
{
    scratch_file scratch = create(name);
    fputs(content, scratch.file);
    fclose(scratch.file);
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    sn_status status = sn_mesh_import(scratch.path, NULL, &mesh, &error);
    unlink(scratch.path);
    if (status != expected || strncmp(error.place, scratch.path, strlen(scratch.path)) != 0 ||
        strstr(sn_error_message(&error), word) == NULL) {
        fail_msg("%s: status %d, %s", name, (int)status, sn_error_message(&error));
    }
    assert_null(mesh);
}

static void test_refusals(void **state)
{
    (void)state;
    check_refused("empty.obj", "", SN_ERROR_FORMAT, "empty");
    check_refused("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", SN_ERROR_FORMAT, "");
    check_refused("rubbish.gltf", "{ this is not json", SN_ERROR_FORMAT, "cannot be understood");
    check_refused("rubbish.dae", "<COLLADA><asset>", SN_ERROR_FORMAT, "");
    check_refused("empty.dae", "<?xml version=\"1.0\"?><COLLADA></COLLADA>", SN_ERROR_FORMAT, "");
    check_refused("nothing.gltf", "{\"asset\":{\"version\":\"2.0\"}}", SN_ERROR_FORMAT, "");
    check_refused("rubbish.glb", "glTF rubbish", SN_ERROR_FORMAT, "");
    check_refused("rubbish.dxf", "rubbish", SN_ERROR_FORMAT, "");
    check_refused("short.dxf", "0\nSECTION\n2\nENTITIES\n0\n3DFACE\n8\n", SN_ERROR_FORMAT, "");
    check_refused("few.ply", "ply\nformat ascii 1.0\nelement vertex 5\nend_header\n1 2\n",
                  SN_ERROR_FORMAT, "");
    check_refused("word.ply", "ply\nformat ascii 1.0\nelement vertex x\nrubbish", SN_ERROR_FORMAT,
                  "word.ply:3");
    check_refused("endless.ply", "ply\nformat ascii 1.0\nelement vertex 5\n", SN_ERROR_FORMAT,
                  "end_header was expected");
    check_refused("other.ply", "plx\n", SN_ERROR_FORMAT, "other.ply:1");
    check_refused("short.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 1", SN_ERROR_FORMAT,
                  "short.stl:4:9");
    check_refused("rubbish.stl", "rubbish", SN_ERROR_FORMAT, "");
    check_refused("nothing.stl", "solid\nendsolid\n", SN_ERROR_FORMAT, "");
    check_refused("drawing.dwg", "AC1032", SN_ERROR_UNSUPPORTED, ".obj, .stl");
    check_refused("bow.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 2 0\nf 1 2 3 4\n", SN_ERROR_GEOMETRY,
                  "cross");
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_mesh_import("tests/data/no-such-file.obj", NULL, &mesh, &error),
                     SN_ERROR_FILE);
    assert_string_equal(error.place, "tests/data/no-such-file.obj");
    sn_import_options options = {.unit = -1.0};
    assert_int_equal(sn_mesh_import("x.obj", &options, &mesh, &error), SN_ERROR_ARGUMENT);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    scratch_file scratch = create("box.obj");
    write_obj(scratch.file);
    fclose(scratch.file);
    int failures = 0;
    for (int after = 0;; ++after) {
        sn_mesh *mesh = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(after);
        sn_status status = sn_mesh_import(scratch.path, NULL, &mesh, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_mesh_release(mesh);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(mesh);
        ++failures;
    }
    unlink(scratch.path);
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format),     cmocka_unit_test(test_dae),
        cmocka_unit_test(test_units_and_axes),   cmocka_unit_test(test_merging),
        cmocka_unit_test(test_concave_polygons), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
