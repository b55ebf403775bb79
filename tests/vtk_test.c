// The VTK series, read back by a small parser of our own: every array's type, size and numbers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/bytes.h"
#include "record/output.h"
#include "recorded_world.h"
#include "sinew/elastic.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *frame_file(int frame)
{
    static char name[64];
    snprintf(name, sizeof name, "out/deep/run_%06d.vtp", frame);
    return in_folder(name);
}

static char *read_text(const char *path)
{
    sn_bytes bytes = {0};
    assert_int_equal(sn_input_file(path, SIZE_MAX, &bytes, NULL), SN_OK);
    return (char *)bytes.data;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

// The array's bytes after its count, which must be right; freed by the caller.
static sn_bytes read_array(const char *xml, const char *name, const char *type, int components)
{
    char tag[160];
    snprintf(tag, sizeof tag,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">",
             type, name, components);
    const char *at = strstr(xml, tag);
    assert_non_null(at);
    at += strlen(tag);
    sn_bytes bytes = {0};
    while (base64_digit(*at) >= 0) {
        uint32_t bits = 0;
        int kept = 0;
        for (int i = 0; i < 4; ++i, ++at) {
            int digit = base64_digit(*at);
            assert_true(digit >= 0 || *at == '=');
            kept += digit >= 0;
            bits = bits << 6 | (uint32_t)(digit >= 0 ? digit : 0);
        }
        uint8_t three[3] = {(uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
        sn_bytes_put(&bytes, three, (size_t)kept - 1);
    }
    assert_true(strncmp(at, "</DataArray>", 12) == 0);
    if (bytes.data == NULL || bytes.count < 8) {
        print_error("array %s has no byte count\n", name);
        abort();
    }
    assert_int_equal(sn_fetch_u64(bytes.data), bytes.count - 8);
    memmove(bytes.data, bytes.data + 8, bytes.count - 8);
    bytes.count -= 8;
    return bytes;
}

static sn_vec3 vector_at(const sn_bytes *bytes, int index)
{
    double v[3];
    for (int i = 0; i < 3; ++i) {
        uint64_t bits = sn_fetch_u64(bytes->data + 24 * (size_t)index + 8 * (size_t)i);
        memcpy(&v[i], &bits, 8);
    }
    return sn_vec3_make(v[0], v[1], v[2]);
}

static int attribute(const char *xml, const char *name)
{
    const char *at = strstr(xml, name);
    assert_non_null(at);
    return (int)strtol(at + strlen(name) + 2, NULL, 10);
}

// One frame against the world it shows.
static void check_frame(const char *xml, const sn_world *world)
{
    int point_count = attribute(xml, "NumberOfPoints");
    int triangle_count = attribute(xml, "NumberOfPolys");
    sn_bytes points = read_array(xml, "Points", "Float64", 3);
    sn_bytes velocities = read_array(xml, "velocity", "Float64", 3);
    sn_bytes corners = read_array(xml, "connectivity", "Int32", 1);
    sn_bytes offsets = read_array(xml, "offsets", "Int32", 1);
    sn_bytes bodies = read_array(xml, "body", "Int32", 1);
    sn_bytes colours = read_array(xml, "colour", "UInt8", 3);
    assert_int_equal(points.count, 24 * point_count);
    assert_int_equal(velocities.count, 24 * point_count);
    assert_int_equal(corners.count, 12 * triangle_count);
    assert_int_equal(offsets.count, 4 * triangle_count);
    assert_int_equal(bodies.count, 4 * triangle_count);
    assert_int_equal(colours.count, 3 * triangle_count);
    assert_int_equal(sn_fetch_u32(offsets.data + offsets.count - 4), 3 * triangle_count);

    // The boxes come first, with the eight corners and twelve triangles of each.
    double volume[4] = {0};
    for (int t = 0; t < triangle_count; ++t) {
        uint32_t body = sn_fetch_u32(bodies.data + 4 * (size_t)t);
        assert_in_range(body, 0, 3);
        sn_vec3 x[3];
        sn_body handle = sn_world_body(world, (int)body);
        for (int i = 0; i < 3; ++i) {
            int corner = (int)sn_fetch_u32(corners.data + 12 * (size_t)t + 4 * (size_t)i);
            assert_in_range(corner, 0, point_count - 1);
            x[i] = vector_at(&points, corner);
            sn_vec3 v = sn_body_point_velocity(world, handle, x[i]);
            assert_true(sn_distance(v, vector_at(&velocities, corner)) < 1e-12);
            sn_vec3 local = sn_transform_point_inverse(sn_body_transform(world, handle), x[i]);
            if (body < 2) { // every point is a corner of the box
                assert_true(fabs(fabs(local.x) - 0.05) < 1e-12);
                assert_true(fabs(fabs(local.y) - 0.10) < 1e-12);
                assert_true(fabs(fabs(local.z) - 0.20) < 1e-12);
            } else if (body == 2) { // on one of the two spheres
                local.x = fabs(local.x) - 0.1;
                assert_true(fabs(sn_length(local) - 0.05) < 1e-12);
            }
        }
        volume[body] += sn_dot(x[0], sn_cross(x[1], x[2])) / 6.0;
        const uint8_t *rgb = colours.data + 3 * (size_t)t;
        assert_true(body > 1 || (rgb[0] == 0xC0 && rgb[1] == 0x40 && rgb[2] == 0x00));
    }
    // Closed and facing outward: the volumes say it.
    assert_true(fabs(volume[0] - 0.008) < 1e-12 && fabs(volume[1] - 0.008) < 1e-12);
    double ball = 4.0 / 3.0 * SN_PI * 0.05 * 0.05 * 0.05, plate = SN_PI * 4.0 * 0.1;
    assert_true(volume[2] < 2.0 * ball && volume[2] > 1.9 * ball);
    assert_true(volume[3] < plate && volume[3] > 0.98 * plate);
    sn_bytes_free(&points);
    sn_bytes_free(&velocities);
    sn_bytes_free(&corners);
    sn_bytes_free(&offsets);
    sn_bytes_free(&bodies);
    sn_bytes_free(&colours);
}

static void test_series(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(in_folder("run.snrec"));
    sn_world *world = recorded_world_make();
    sn_error error = {0};
    sn_status status = sn_export_vtk_world(recording, world, in_folder("out/deep"), "run", &error);
    assert_int_equal(status, SN_OK);

    char *pvd = read_text(in_folder("out/deep/run.pvd"));
    assert_non_null(strstr(pvd, "<VTKFile type=\"Collection\""));
    const char *at = pvd;
    for (int i = 0; i < RECORDED_FRAMES; ++i) {
        char file[40];
        snprintf(file, sizeof file, "file=\"run_%06d.vtp\"/>", i);
        at = strstr(at, "<DataSet timestep=\"");
        assert_non_null(at);
        at += strlen("<DataSet timestep=\"");
        assert_true(strtod(at, NULL) == sn_recording_frame_time(recording, i));
        assert_non_null(strstr(at, file));
        char *xml = read_text(frame_file(i));
        assert_non_null(strstr(xml, "byte_order=\"LittleEndian\" header_type=\"UInt64\""));
        assert_int_equal(sn_recording_frame(recording, i, world, NULL), SN_OK);
        check_frame(xml, world);
        sn_free(xml);
    }
    assert_null(strstr(at, "<DataSet"));
    sn_free(pvd);

    // Names as character codes: "box", then 0.
    char *xml = read_text(frame_file(0));
    assert_non_null(strstr(xml, "NumberOfTuples=\"4\" format=\"ascii\">\n98 111 120 0\n115 101"));
    sn_free(xml);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

static void test_failures(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(in_folder("run.snrec"));
    sn_world *world = recorded_world_make();
    sn_error error = {0};
    assert_int_equal(sn_export_vtk_world(recording, world, "/dev/null/x", "run", &error),
                     SN_ERROR_FILE);
    assert_non_null(strstr(sn_error_message(&error), "/dev/null/x: cannot make the folder"));
    assert_int_equal(sn_export_vtk_world(recording, world, folder, "a/b", &error),
                     SN_ERROR_ARGUMENT);
    assert_int_equal(sn_export_vtk_world(recording, world, folder, "", &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_export_vtk(recording, folder, "run", &error), SN_ERROR_UNSUPPORTED);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// Few frames here: every allocation of an export fails once.
static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_world *world = recorded_world_make();
    const char *path = in_folder("short.snrec");
    assert_int_equal(recorded_world_run(world, path, 10, NULL), SN_OK);
    sn_status status = SN_ERROR_MEMORY;
    int tries = 0;
    for (; status != SN_OK; ++tries) {
        sn_recording *recording = NULL;
        assert_int_equal(sn_recording_open(in_folder("short.snrec"), &recording, NULL), SN_OK);
        sn_error error = {0};
        sn_allocation_fail_after(tries);
        status = sn_export_vtk_world(recording, world, folder, "memory", &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
        sn_recording_close(recording);
    }
    assert_true(tries > 20);
    sn_world_destroy(world);
}

static double number_at(const sn_bytes *bytes, int index)
{
    uint64_t bits = sn_fetch_u64(bytes->data + 8 * (size_t)index);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

// Faces have the colours of their regions' materials.
static void test_colours_of_regions(void **unused)
{
    (void)unused;
    sn_world *world = NULL;
    sn_recording *recording = recording_of(in_folder("two.snrec"), coloured_scene(), &world);
    assert_int_equal(sn_export_vtk(recording, folder, "two", NULL), SN_OK);
    char *xml = read_text(in_folder("two_000000.vtp"));
    sn_bytes colours = read_array(xml, "colour", "UInt8", 3);
    const uint8_t looks[2][3] = {{0x20, 0x40, 0xD0}, {0xD0, 0x30, 0x20}};
    assert_int_equal(colours.count, 6 * 3);
    for (size_t t = 0; t < 6; ++t) {
        assert_memory_equal(colours.data + 3 * t, looks[t / 3], 3);
    }
    sn_bytes_free(&colours);
    free(xml);
    sn_world_destroy(world);
    sn_recording_close(recording);
    for (int i = 0; i < BENT_FRAMES; ++i) {
        char name[40];
        snprintf(name, sizeof name, "two_solid_%06d.vtu", i);
        unlink(in_folder(name));
        snprintf(name, sizeof name, "two_%06d.vtp", i);
        unlink(in_folder(name));
    }
    unlink(in_folder("two.pvd"));
    unlink(in_folder("two_solid.pvd"));
    unlink(in_folder("two.snrec"));
}

// A body that bends: its surface among the others, and a second series of its tetrahedra.
static void test_solids(void **unused)
{
    (void)unused;
    sn_world *world = NULL;
    sn_recording *recording = bent_recording(in_folder("bent.snrec"), &world);
    assert_int_equal(sn_export_vtk(recording, folder, "bent", NULL), SN_OK);
    char *xml = read_text(in_folder("bent_solid_000004.vtu"));
    sn_body bar = sn_world_find_body(world, "bar");
    assert_int_equal(sn_recording_frame(recording, 0, world, NULL), SN_OK);
    sn_vec3 start[20], x[20], v[20];
    assert_int_equal(sn_body_vertex_count(world, bar), 20);
    sn_body_read_vertices(world, bar, start, NULL);
    assert_int_equal(sn_recording_frame(recording, 4, world, NULL), SN_OK);
    sn_body_read_vertices(world, bar, x, v);
    assert_int_equal(attribute(xml, "NumberOfPoints"), 20);
    assert_int_equal(attribute(xml, "NumberOfCells"), 24);
    sn_bytes points = read_array(xml, "Points", "Float64", 3);
    sn_bytes displacements = read_array(xml, "displacement", "Float64", 3);
    sn_bytes velocities = read_array(xml, "velocity", "Float64", 3);
    sn_bytes stretches = read_array(xml, "stretch", "Float64", 1);
    sn_bytes corners = read_array(xml, "connectivity", "Int32", 1);
    sn_bytes types = read_array(xml, "types", "UInt8", 1);
    double lowest = 0.0, least = 2.0;
    for (int i = 0; i < 20; ++i) {
        assert_true(sn_distance(vector_at(&points, i), x[i]) == 0.0);
        assert_true(sn_distance(vector_at(&displacements, i), sn_vec3_sub(x[i], start[i])) == 0.0);
        assert_true(sn_distance(vector_at(&velocities, i), v[i]) == 0.0);
        lowest = fmin(lowest, vector_at(&displacements, i).z);
    }
    for (int i = 0; i < 24; ++i) {
        assert_int_equal(types.data[i], 10);
        for (int k = 0; k < 4; ++k) {
            assert_int_equal(sn_fetch_u32(corners.data + 16 * (size_t)i + 4 * (size_t)k),
                             sn_tetrahedra_elements(sn_body_tetrahedra(world, bar))[4 * i + k]);
        }
        least = fmin(least, number_at(&stretches, i));
    }
    assert_true(lowest < -0.01 &&
                fabs(least - sn_body_elastic_report(world, bar).least_stretch) < 1e-9);
    sn_free(xml);
    // The surface: the ball, then the bar's faces where they are.
    xml = read_text(in_folder("bent_000004.vtp"));
    sn_bytes surface = read_array(xml, "Points", "Float64", 3);
    int count = attribute(xml, "NumberOfPoints"), found = 0;
    for (int i = 0; i < 20; ++i) {
        for (int k = count - 20; k < count; ++k) {
            found += sn_distance(vector_at(&surface, k), x[i]) == 0.0;
        }
    }
    assert_int_equal(found, 20);
    sn_free(xml);
    sn_bytes *all[] = {&points,  &displacements, &velocities, &stretches,
                       &corners, &types,         &surface};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        sn_bytes_free(all[i]);
    }
    sn_world_destroy(world);
    sn_recording_close(recording);
    for (int i = 0; i < BENT_FRAMES; ++i) {
        char name[64];
        snprintf(name, sizeof name, "bent_solid_%06d.vtu", i);
        unlink(in_folder(name));
        snprintf(name, sizeof name, "bent_%06d.vtp", i);
        unlink(in_folder(name));
    }
    unlink(in_folder("bent.pvd"));
    unlink(in_folder("bent_solid.pvd"));
    unlink(in_folder("bent.snrec"));
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/sinew-vtk-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_colours_of_regions),
        cmocka_unit_test(test_solids),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < RECORDED_FRAMES; ++i) {
        unlink(frame_file(i));
    }
    static const char *const files[] = {"run.snrec",         "short.snrec",
                                        "memory.pvd",        "memory_000000.vtp",
                                        "memory_000001.vtp", "out/deep/run.pvd"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        unlink(in_folder(files[i]));
    }
    rmdir(in_folder("out/deep"));
    rmdir(in_folder("out"));
    rmdir(folder);
    return failures;
}
