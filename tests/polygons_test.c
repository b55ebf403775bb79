// Mesh files in the styles of other programs: what is read, and what is refused with its place. The
// body is a box of 1 x 1 x 1 in the first octant.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "geometry/polygons.h"
#include "shortage.h"
#include "sinew/geometry.h"

static const double at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// ---- texts ----

typedef struct text {
    char data[8192];
    size_t length;
} text;

static void say(text *t, const char *format, ...) SN_PRINTF(2, 3);

static void say(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->length +=
        (size_t)vsnprintf(t->data + t->length, sizeof t->data - t->length, format, arguments);
    va_end(arguments);
    assert_true(t->length < sizeof t->data);
}

static void put(text *t, const void *bytes, size_t size, bool big_endian)
{
    for (size_t i = 0; i < size; ++i) { // this machine's order is little
        t->data[t->length++] = ((const char *)bytes)[big_endian ? size - 1 - i : i];
    }
    assert_true(t->length < sizeof t->data);
}

static void put_int(text *t, int value, bool big_endian)
{
    put(t, &value, sizeof value, big_endian);
}

static void put_float(text *t, double value, bool big_endian)
{
    float single = (float)value;
    put(t, &single, sizeof single, big_endian);
}

// ---- reading ----

// Reads a text as a file of this name.
static sn_status import(const text *t, const char *name, const sn_import_options *options,
                        sn_mesh **mesh, sn_error *error)
{
    char folder[] = "/tmp/sinew-polygons-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t->data, 1, t->length, file), t->length);
    fclose(file);
    sn_status status = sn_mesh_import(path, options, mesh, error);
    unlink(path);
    rmdir(folder);
    return status;
}

static void check_box(const text *t, const char *name)
{
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    sn_mass_properties mass;
    if (import(t, name, NULL, &mesh, &error) != SN_OK ||
        sn_mesh_check(mesh, NULL, &error) != SN_OK) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - 1.0) < 1e-12);
    assert_int_equal(sn_mesh_vertex_count(mesh), 8);
    sn_mesh_release(mesh);
}

static void refuse(const text *t, const char *name, const char *expected)
{
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    assert_int_not_equal(import(t, name, NULL, &mesh, &error), SN_OK);
    assert_null(mesh);
    if (strstr(sn_error_message(&error), expected) == NULL) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
}

// ---- OBJ ----

static void obj_vertices(text *t, const char *end)
{
    for (int i = 0; i < 8; ++i) {
        say(t, "v %g %g %g%s", at[i][0], at[i][1], at[i][2], end);
    }
}

static void test_obj(void **state)
{
    (void)state;
    // %d for each corner, in several ways of writing it.
    static const char *const corners[] = {"%d", "%d/1", "%d//1", "%d/1/1"};
    for (int style = 0; style < 5; ++style) {
        for (int crlf = 0; crlf < 2; ++crlf) {
            const char *end = crlf == 1 ? "\r\n" : "\n";
            text t = {.length = 0};
            say(&t, "# made by hand%smtllib none.mtl%so box%sg a b%ss off%svt 0 0%svn 0 0 1%s", end,
                end, end, end, end, end, end);
            obj_vertices(&t, end);
            for (int f = 0; f < 6; ++f) {
                say(&t, "f");
                for (int k = 0; k < 4; ++k) {
                    say(&t, " ");
                    if (style < 4) {
                        say(&t, corners[style], quads[f][k] + 1);
                    } else {
                        say(&t, "%d", quads[f][k] - 8); // from the last vertex back
                    }
                }
                say(&t, "%s%s", end, f == 2 ? "g c\nusemtl none\n" : "");
            }
            check_box(&t, "box.obj");
        }
    }
    text t = {.length = 0};
    obj_vertices(&t, " 1 0.5 0\n"); // colours
    for (int f = 0; f < 6; ++f) {
        const int *q = quads[f];
        say(&t, "f %d %d \\\n %d %d # corners\n", q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1);
    }
    check_box(&t, "box.OBJ");
}

static void test_obj_refusals(void **state)
{
    (void)state;
    text t = {.length = 0};
    obj_vertices(&t, "\n");
    say(&t, "f 1 2 9\n");
    refuse(&t, "far.obj", "far.obj:9:7: '9'; the index of one of the 8 vertices");
    t.length -= 2;
    say(&t, "x\n");
    refuse(&t, "word.obj", "word.obj:9:7: 'x'; the index of a vertex");
    t.length = 0;
    say(&t, "v 0 0\n");
    refuse(&t, "flat.obj", "flat.obj:1:5: '0'; three coordinates were expected behind it, got 2");
    t.length = 0;
    say(&t, "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refuse(&t, "nan.obj", "vertex 0 is at (0, 0, nan)");
    t.length = 0;
    say(&t, "rubbish\n");
    refuse(&t, "rubbish.obj", "lines such as \"v 0 0 1\"");
}

// A thousandth of a unit, 100 km away: kept, since text has more digits than floats.
static void test_far_away(void **state)
{
    (void)state;
    text t = {.length = 0};
    for (int i = 0; i < 8; ++i) {
        say(&t, "v %.12g %.12g %.12g\n", 1e5 + 1e-3 * at[i][0], -1e5 + 1e-3 * at[i][1],
            1e-3 * at[i][2]);
    }
    for (int f = 0; f < 6; ++f) {
        const int *q = quads[f];
        say(&t, "f %d %d %d %d\n", q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1);
    }
    sn_mesh *mesh = NULL;
    sn_mass_properties mass;
    assert_int_equal(import(&t, "far.obj", NULL, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_OK);
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - 1e-9) < 1e-15);
    sn_mesh_release(mesh);
}

// ---- STL ----

static void stl_text(text *t, const char *heading, const char *closing)
{
    say(t, "%s\n", heading);
    for (int f = 0; f < 6; ++f) {
        for (int half = 0; half < 2; ++half) {
            const int *q = quads[f], v[3] = {q[0], q[1 + half], q[2 + half]};
            say(t, "  facet normal nan 0 0\n    outer loop\n");
            for (int k = 0; k < 3; ++k) {
                say(t, "      vertex %e %e %e\n", at[v[k]][0], at[v[k]][1], at[v[k]][2]);
            }
            say(t, "    endloop\n  endfacet\n");
        }
    }
    say(t, "%s\n", closing);
}

static void stl_binary(text *t, const char *heading, int count, double bad)
{
    memset(t->data, ' ', 80);
    memcpy(t->data, heading, strlen(heading));
    t->length = 80;
    put_int(t, count, false);
    for (int f = 0; f < 6; ++f) {
        for (int half = 0; half < 2; ++half) {
            const int *q = quads[f], v[3] = {q[0], q[1 + half], q[2 + half]};
            for (int k = 0; k < 3; ++k) {
                put_float(t, NAN, false); // no normal
            }
            for (int k = 0; k < 9; ++k) {
                double x = at[v[k / 3]][k % 3];
                put_float(t, v[k / 3] == 6 ? x * bad : x, false);
            }
            t->data[t->length++] = 0;
            t->data[t->length++] = 0;
        }
    }
}

static void test_stl(void **state)
{
    (void)state;
    text t = {.length = 0};
    stl_text(&t, "solid box", "endsolid box");
    check_box(&t, "box.stl");
    t.length = 0;
    stl_text(&t, "solid", "");
    check_box(&t, "unended.stl");
    t.length = 0;
    stl_text(&t, "SOLID BOX", "ENDSOLID");
    for (size_t i = 0; i < t.length; ++i) {
        t.data[i] = t.data[i] >= 'a' && t.data[i] <= 'z' ? (char)(t.data[i] - 32) : t.data[i];
    }
    check_box(&t, "upper.stl");
    stl_binary(&t, "made by hand", 12, 1.0);
    check_box(&t, "binary.stl");
    stl_binary(&t, "solid made by hand", 12, 1.0);
    check_box(&t, "solid.stl");
    stl_binary(&t, "solid made by hand", 7, 1.0); // whole triangles follow: all are read
    check_box(&t, "count.stl");
    stl_binary(&t, "made by hand", 12, 1.0);
    t.length += 3;
    check_box(&t, "tail.stl");
}

static void test_stl_refusals(void **state)
{
    (void)state;
    text t = {.length = 0};
    stl_binary(&t, "solid", 50, 1.0);
    refuse(&t, "short.stl", "short.stl, byte 80: '50'; triangles are announced, and 12 follow");
    stl_binary(&t, "x", 12, NAN);
    refuse(&t, "nan.stl", "finite numbers were expected");
    sn_mesh_repair repair = {0};
    sn_import_options options = sn_default_import_options();
    options.repair = &repair;
    sn_mesh *mesh = NULL, *whole = NULL;
    assert_int_equal(import(&t, "nan.stl", &options, &mesh, NULL), SN_OK);
    assert_int_equal(repair.lost_faces, 5);
    assert_int_equal(sn_mesh_repaired(mesh, true, &whole, &repair, NULL), SN_OK);
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(whole, 1.0, &mass, NULL), SN_OK);
    assert_true(mass.volume > 0.5 && mass.volume < 1.0); // the corner is cut off
    sn_mesh_release(mesh);
    sn_mesh_release(whole);
    t.length = 0;
    say(&t, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n");
    refuse(&t, "broken.stl", "the file ends here; endloop was expected");
    say(&t, "endloop\n");
    refuse(&t, "two.stl", "two.stl:6:1: 'endloop'; three lines");
}

// ---- PLY ----

typedef enum ply_format { TEXT, LITTLE, BIG } ply_format;

// `strips`: all faces in one list with -1 between them; else one list for each face.
static void ply_box(text *t, ply_format format, bool strips, bool extra)
{
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    bool big = format == BIG;
    t->length = 0;
    say(t, "ply\nformat %s 1.0\ncomment made by hand\nelement vertex 8\n", formats[format]);
    say(t, "property float x\nproperty float y\nproperty float z\n%s",
        extra ? "property uchar red\nproperty list uchar float marks\n" : "");
    say(t, strips ? "element tristrips 1\nproperty list int int vertex_indices\n"
                  : "element face 6\nproperty list uchar int vertex_index\n");
    say(t, "%send_header\n", extra ? "element tail 1\nproperty double d\n" : "");
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3 && format != TEXT; ++k) {
            put_float(t, at[i][k], big);
        }
        if (format == TEXT) {
            say(t, "%g %g %g%s\n", at[i][0], at[i][1], at[i][2], extra ? " 255 2 0.5 0.5" : "");
        } else if (extra) {
            put(t, "\xff\x02", 1, false);
            put(t, "\x02", 1, false);
            put_float(t, 0.5, big);
            put_float(t, 0.5, big);
        }
    }
    if (strips && format == TEXT) {
        say(t, "30");
    } else if (strips) {
        put_int(t, 30, big);
    }
    for (int f = 0; f < 6; ++f) {
        const int *q = quads[f];
        const int strip[5] = {q[0], q[1], q[3], q[2], -1};
        const int *list = strips ? strip : q;
        int count = strips ? 5 : 4;
        if (!strips && format == TEXT) {
            say(t, "4");
        } else if (!strips) {
            put(t, "\x04", 1, false);
        }
        for (int k = 0; k < count; ++k) {
            if (format == TEXT) {
                say(t, " %d", list[k]);
            } else {
                put_int(t, list[k], big);
            }
        }
        say(t, "%s", format == TEXT && !strips ? "\n" : "");
    }
}

static void test_ply(void **state)
{
    (void)state;
    for (int format = TEXT; format <= BIG; ++format) {
        for (int kind = 0; kind < 4; ++kind) {
            text t;
            bool extra = kind % 2 == 1;
            ply_box(&t, (ply_format)format, kind / 2 == 1, extra);
            double tail = 1.0;
            if (extra && format == TEXT) {
                say(&t, "\n1\n");
            } else if (extra) {
                put(&t, &tail, sizeof tail, format == BIG);
            }
            check_box(&t, "box.ply");
        }
    }
}

// Strips as scanners write them: one goes around the box, and one ends with a vertex named again
// and begins anew for the second lid.
static void test_long_strip(void **state)
{
    (void)state;
    text t = {.length = 0};
    say(&t, "ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\n"
            "property double z\nelement tristrips 2\nproperty list int int vertex_indices\n"
            "end_header\n");
    for (int i = 0; i < 8; ++i) {
        say(&t, "%g %g %g\n", at[i][0], at[i][1], at[i][2]);
    }
    say(&t, "10 4 0 5 1 6 2 7 3 4 0\n"); // the sides, with two triangles each
    say(&t, "11 0 3 1 2 2 2 -1 4 5 7 6\n");
    check_box(&t, "strip.ply");
}

static void test_ply_refusals(void **state)
{
    (void)state;
    text t;
    ply_box(&t, LITTLE, false, false);
    t.length -= 30;
    refuse(&t, "cut.ply", "the file ends here; the index of a vertex, 0 to 7, was expected");
    ply_box(&t, TEXT, true, false);
    memcpy(strstr(t.data, " 5 "), " 9 ", 3);
    refuse(&t, "far.ply", "'9'; the index of a vertex");
    t.length = 0;
    say(&t, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n");
    refuse(&t, "x.ply", "vertices with properties x, y and z were expected");
    t.length = 0;
    say(&t, "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n");
    refuse(&t, "real.ply", "real.ply:4:10: 'real'; a type of PLY");
    t.length = 0;
    say(&t, "ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\n"
            "property float z\nend_header\n0 0 0\n");
    refuse(&t, "many.ply", "the file ends here; a coordinate was expected");
    t.length = 0;
    say(&t, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
            "property float z\nend_header\n0 0 0\n");
    refuse(&t, "cloud.ply", "has no faces");
}

// ---- OFF ----

static void test_off(void **state)
{
    (void)state;
    for (int colours = 0; colours < 2; ++colours) {
        text t = {.length = 0};
        say(&t, "%s\n# made by hand\n8 6 %s\n", colours == 1 ? "COFF" : "OFF",
            colours == 1 ? "" : "12");
        for (int i = 0; i < 8; ++i) {
            say(&t, "%g %g %g %s\n", at[i][0], at[i][1], at[i][2], colours == 1 ? "255 0 0 1" : "");
        }
        for (int f = 0; f < 6; ++f) {
            const int *q = quads[f];
            say(&t, "4 %d %d %d %d %s\n", q[0], q[1], q[2], q[3], colours == 1 ? "0.5 0.5 0" : "");
        }
        check_box(&t, "box.off");
        t.length -= 20;
        refuse(&t, "cut.off", "cut.off:");
    }
    text t = {.length = 0};
    say(&t, "OBJ\n");
    refuse(&t, "other.off", "other.off:1:1: 'OBJ'; OFF, COFF");
}

// ---- DAE ----

// Assimp never came back from this: an index that is no number.
static void test_dae(void **state)
{
    (void)state;
    text t = {.length = 0};
    say(&t, "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><library_geometries><geometry id="
            "\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 1 0 0 0 1 0"
            "</float_array></source>\n<triangles count=\"1\"><p>0 inf 2</p></triangles></mesh>"
            "</geometry></library_geometries></COLLADA>");
    refuse(&t, "hang.dae", "hang.dae:2:27: 'inf' in <p>; a whole number was expected");
    char *number = strstr(t.data, "1 0 0 0 1 0<");
    memcpy(number, "x", 1);
    refuse(&t, "word.dae", "'x' in <float_array>; a number was expected");
}

// ---- faces that cross themselves ----

static void test_crossed_face(void **state)
{
    (void)state;
    text t = {.length = 0};
    obj_vertices(&t, "\n");
    say(&t, "f 1 3 2 4\n"); // the lower side, in the wrong order
    for (int f = 1; f < 6; ++f) {
        const int *q = quads[f];
        say(&t, "f %d %d %d %d\n", q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1);
    }
    refuse(&t, "bow.obj", "face 0");
    sn_mesh_repair repair = {0};
    sn_import_options options = sn_default_import_options();
    options.repair = &repair;
    sn_mesh *mesh = NULL, *whole = NULL;
    assert_int_equal(import(&t, "bow.obj", &options, &mesh, NULL), SN_OK);
    assert_int_equal(repair.cut_faces, 1);
    assert_int_equal(sn_mesh_repaired(mesh, true, &whole, &repair, NULL), SN_OK);
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(whole, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - 1.0) < 1e-12);
    sn_mesh_release(mesh);
    sn_mesh_release(whole);
}

// ---- shortage ----

static void test_shortage(void **state)
{
    (void)state;
    text t;
    ply_box(&t, TEXT, true, false);
    for (shortage s = {.most = 200}; shortage_goes_on(&s);) {
        sn_polygons polygons = {0};
        shortage_begin(&s);
        sn_status status = sn_polygons_parse_ply("a", t.data, t.length, &polygons, NULL);
        shortage_end(&s, status);
        sn_polygons_free(&polygons);
    }
    t.length = 0;
    stl_text(&t, "solid", "endsolid");
    for (shortage s = {.most = 200}; shortage_goes_on(&s);) {
        sn_polygons polygons = {0};
        shortage_begin(&s);
        sn_status status = sn_polygons_parse_stl("a", t.data, t.length, &polygons, NULL);
        shortage_end(&s, status);
        sn_polygons_free(&polygons);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),          cmocka_unit_test(test_obj_refusals),
        cmocka_unit_test(test_far_away),     cmocka_unit_test(test_stl),
        cmocka_unit_test(test_stl_refusals), cmocka_unit_test(test_ply),
        cmocka_unit_test(test_long_strip),   cmocka_unit_test(test_ply_refusals),
        cmocka_unit_test(test_off),          cmocka_unit_test(test_dae),
        cmocka_unit_test(test_crossed_face), cmocka_unit_test(test_shortage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
