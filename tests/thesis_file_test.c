// Files of the thesis on elastic bodies: samples of all types, both spellings of the header,
// round trips to the bit, states without end, and errors with places.
#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "thesis_samples.h"

static const char surface_text[] = "begin surface (format of 97-03-14)\nfaces = 2\n"
                                   "0 2 1 0 0.5 0.4 0.9\n0 1 3 7 0 0 1\nend surface\n\n";
static const char constraints_text[] =
    "begin constraints(format of 97-03-14)\nconstraints =3\n4\n0\n17\nend constraints\n";
static const char energies_text[] = "begin energies (format of 97-03-14)\nstates = 2\n"
                                    "0 1 2 3 4\n0.5 5e-1 6 -7 8\nend energies\n";
static const char states_text[] = "begin state (format of 97-03-14)\nvertices = 2\nt = 0\n"
                                  "0:  1 2 3 4 5 6\n1:  -1 -2 -3 0 0 0\nend state\n\n\n"
                                  "begin state format of (97-03-14)\nvertices = 2\nt = 0.25\n"
                                  "0 : 1.5 2 3 4 5 6\n1:-1 -2 -3 0 0 1e-3\nend state\n";

static void test_samples(void **unused)
{
    (void)unused;
    sn_thesis_file file = parse(SN_THESIS_TOPOLOGY, topology_text);
    assert_int_equal(file.count, 2);
    assert_float_equal(file.elements[1].rest.m[1][1], 2.0, 0.0);
    assert_float_equal(file.elements[1].rest.m[2][2], 3.0, 0.0);
    assert_int_equal(file.elements[1].vertices[3], 4);
    assert_float_equal(file.elements[0].density, 2.0, 0.0);
    assert_float_equal(file.elements[0].bulk, 20000.0, 0.0);
    assert_float_equal(file.elements[0].shear, 10000.0, 0.0);
    assert_float_equal(file.elements[0].volume_viscosity, 16.0, 0.0);
    assert_float_equal(file.elements[0].shape_viscosity, 8.0, 0.0);
    sn_thesis_file_free(&file);

    file = parse(SN_THESIS_TEXTURES, textures_text);
    assert_int_equal(file.count, 1);
    assert_float_equal(file.textures[0].ambient[2], 0.3, 0.0);
    assert_float_equal(file.textures[0].diffuse[0], 0.4, 0.0);
    assert_float_equal(file.textures[0].specular[1], 0.8, 0.0);
    assert_float_equal(file.textures[0].transmission[2], 0.5, 0.0);
    assert_float_equal(file.textures[0].refraction, 1.5, 0.0);
    assert_float_equal(file.textures[0].exponent, 40.0, 0.0);
    sn_thesis_file_free(&file);

    file = parse(SN_THESIS_SURFACE, surface_text);
    assert_int_equal(file.count, 2);
    assert_int_equal(file.faces[0].vertices[1], 2);
    assert_int_equal(file.faces[1].texture, 7);
    assert_float_equal(file.faces[0].static_friction, 0.5, 0.0);
    assert_float_equal(file.faces[0].friction, 0.4, 0.0);
    assert_float_equal(file.faces[0].restitution, 0.9, 0.0);
    sn_thesis_file_free(&file);

    file = parse(SN_THESIS_CONSTRAINTS, constraints_text);
    assert_int_equal(file.count, 3);
    assert_int_equal(file.fixed[2], 17);
    sn_thesis_file_free(&file);

    file = parse(SN_THESIS_LIGHTS, lights_text);
    assert_float_equal(file.lights[0].position[1], -5.0, 0.0);
    assert_float_equal(file.lights[0].position[3], 0.0, 0.0);
    assert_float_equal(file.lights[0].colour[2], 0.8, 0.0);
    sn_thesis_file_free(&file);

    file = parse(SN_THESIS_ENERGIES, energies_text);
    assert_int_equal(file.count, 2);
    assert_float_equal(file.energies[1].time, 0.5, 0.0);
    assert_float_equal(file.energies[1].gravity, -7.0, 0.0);
    assert_float_equal(file.energies[1].power, 8.0, 0.0);
    sn_thesis_file_free(&file);
}

static void test_drags_sample(void **unused)
{
    (void)unused;
    static const char head[] = "begin drags (format of 97-04-14)\ndrags = 1\n";
    char text[200];
    snprintf(text, sizeof text, "%s7 0.5 1.5  1 2 3  4 5 6  7 8 9  10 11 12\nend drags\n", head);
    sn_thesis_file file = parse(SN_THESIS_DRAGS, text);
    assert_int_equal(file.drags[0].vertex, 7);
    assert_float_equal(file.drags[0].start, 0.5, 0.0);
    assert_float_equal(file.drags[0].end, 1.5, 0.0);
    assert_float_equal(file.drags[0].from.z, 3.0, 0.0);
    assert_float_equal(file.drags[0].from_velocity.x, 4.0, 0.0);
    assert_float_equal(file.drags[0].to.y, 8.0, 0.0);
    assert_float_equal(file.drags[0].to_velocity.z, 12.0, 0.0);
    sn_thesis_file_free(&file);
    snprintf(text, sizeof text, "%s7 0.5 0.5  1 2 3  4 5 6  7 8 9  10 11 12\nend drags\n", head);
    sn_error error = {0};
    assert_int_equal(sn_thesis_parse(SN_THESIS_DRAGS, "a.dr", text, strlen(text), &file, &error),
                     SN_ERROR_SYNTAX);
    assert_string_equal(error.place, "a.dr:3:7");
}

static void test_states_sample(void **unused)
{
    (void)unused;
    sn_error error = {0};
    sn_thesis_states *states = NULL;
    sn_thesis_state state = {0};
    bool found = false;
    assert_int_equal(
        sn_thesis_states_open_memory("a", states_text, sizeof states_text - 1, &states, &error),
        SN_OK);
    assert_int_equal(sn_thesis_states_next(states, &state, &found, &error), SN_OK);
    assert_true(found);
    assert_int_equal(state.vertex_count, 2);
    assert_float_equal(state.velocities[0].z, 6.0, 0.0);
    assert_int_equal(sn_thesis_states_next(states, &state, &found, &error), SN_OK);
    assert_true(found);
    assert_float_equal(state.time, 0.25, 0.0);
    assert_float_equal(state.positions[1].x, -1.0, 0.0);
    assert_float_equal(state.velocities[1].z, 1e-3, 0.0);
    assert_int_equal(sn_thesis_states_next(states, &state, &found, &error), SN_OK);
    assert_false(found);
    sn_thesis_state_free(&state);
    sn_thesis_states_close(states);
}

static void test_endings(void **unused)
{
    (void)unused;
    for (int k = 0; k < SN_THESIS_KIND_COUNT; ++k) {
        char path[16];
        sn_thesis_kind kind = SN_THESIS_KIND_COUNT;
        snprintf(path, sizeof path, "a.%s", sn_thesis_ending((sn_thesis_kind)k));
        assert_true(sn_thesis_kind_of(path, &kind));
        assert_int_equal(kind, k);
    }
    sn_thesis_kind kind;
    assert_false(sn_thesis_kind_of("a.json", &kind));
    assert_false(sn_thesis_kind_of(".st", &kind));
    assert_false(sn_thesis_kind_of("ast", &kind));
}

// ---- round trips ----

// Any double but those that are not finite: all exponents, all bits.
static double any_number(sn_random *random, bool positive)
{
    double value = 0.0;
    do {
        uint64_t bits = sn_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return positive ? fabs(value) + 1e-300 : value;
}

static void fill_rows(sn_random *random, sn_thesis_file *file)
{
    static const size_t sizes[] = {
        0,           sizeof(sn_thesis_element), sizeof(sn_thesis_texture), sizeof(sn_thesis_face),
        sizeof(int), sizeof(sn_thesis_light),   sizeof(sn_thesis_energy),  sizeof(sn_thesis_drag)};
    size_t bytes = sizes[file->kind] * (size_t)file->count;
    file->rows = sn_allocate_zero(bytes + 1);
    double *numbers = file->rows;
    for (size_t i = 0; file->kind != SN_THESIS_CONSTRAINTS && i < bytes / sizeof(double); ++i) {
        numbers[i] = any_number(random, true);
    }
    for (int i = 0; i < file->count; ++i) {
        if (file->kind == SN_THESIS_TOPOLOGY) {
            for (int k = 0; k < 9; ++k) {
                file->elements[i].rest.m[k / 3][k % 3] =
                    sn_random_unit(random) + (k % 4 == 0 ? 4.0 : 0.0);
            }
            for (int k = 0; k < 4; ++k) {
                file->elements[i].vertices[k] = 3 * i + k;
            }
        } else if (file->kind == SN_THESIS_SURFACE) {
            for (int k = 0; k < 3; ++k) {
                file->faces[i].vertices[k] = 2 * i + k;
            }
            file->faces[i].texture = i % 5;
        } else if (file->kind == SN_THESIS_CONSTRAINTS) {
            file->fixed[i] = 7 * i;
        } else if (file->kind == SN_THESIS_DRAGS) {
            file->drags[i].vertex = 5 * i;
            file->drags[i].start = -file->drags[i].end;
        }
    }
}

static bool same_rows(const sn_thesis_file *a, const sn_thesis_file *b)
{
    sn_text x = {0}, y = {0};
    sn_thesis_format(a, &x);
    sn_thesis_format(b, &y);
    bool same = x.length == y.length && memcmp(x.data, y.data, x.length) == 0;
    sn_text_free(&x);
    sn_text_free(&y);
    return same;
}

static void test_round_trips(void **unused)
{
    (void)unused;
    char path[] = "/tmp/sinew-thesis-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    sn_random random = (sn_random){.seed = 11};
    for (int k = SN_THESIS_TOPOLOGY; k < SN_THESIS_KIND_COUNT; ++k) {
        for (int count = 0; count < 40; count += 13) {
            sn_error error = {0};
            sn_thesis_file file = {.kind = (sn_thesis_kind)k, .count = count}, back;
            fill_rows(&random, &file);
            assert_int_equal(sn_thesis_write(&file, path, &error), SN_OK);
            if (sn_thesis_read((sn_thesis_kind)k, path, &back, &error) != SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            assert_int_equal(back.count, count);
            assert_true(same_rows(&file, &back));
            if (k == SN_THESIS_ENERGIES) { // no padding, no whole numbers: all bits can be compared
                assert_memory_equal(file.rows, back.rows, sizeof(sn_thesis_energy) * (size_t)count);
            }
            sn_thesis_file_free(&file);
            sn_thesis_file_free(&back);
        }
    }
    unlink(path);
}

// Many states, some larger than the reader's window, go through a file and come back to the bit,
// and memory does not grow with their number.
static void test_many_states(void **unused)
{
    (void)unused;
    enum { STATES = 30 };
    char path[] = "/tmp/sinew-thesis-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    sn_error error = {0};
    sn_thesis_state_writer *writer = NULL;
    assert_int_equal(sn_thesis_writer_open(path, &writer, &error), SN_OK);
    static sn_vec3 x[4000], v[4000];
    sn_random random = (sn_random){.seed = 3};
    for (int s = 0; s < STATES; ++s) {
        int count = s % 3 == 0 ? 4000 : s;
        for (int i = 0; i < count; ++i) {
            double p[2] = {any_number(&random, false), any_number(&random, false)};
            double q[2] = {any_number(&random, false), any_number(&random, false)};
            x[i] = sn_vec3_make(p[0], p[1], s);
            v[i] = sn_vec3_make(q[0], -s, q[1]);
        }
        sn_thesis_state state = {0.1 * s, count, x, v};
        assert_int_equal(sn_thesis_writer_put(writer, &state, &error), SN_OK);
    }
    assert_int_equal(sn_thesis_writer_close(writer, &error), SN_OK);

    sn_thesis_states *states = NULL;
    sn_thesis_state state = {0};
    bool found = false;
    random = (sn_random){.seed = 3};
    assert_int_equal(sn_thesis_states_open(path, &states, &error), SN_OK);
    for (int s = 0; s < STATES; ++s) {
        if (sn_thesis_states_next(states, &state, &found, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_true(found);
        assert_float_equal(state.time, 0.1 * s, 0.0);
        assert_int_equal(state.vertex_count, s % 3 == 0 ? 4000 : s);
        for (int i = 0; i < state.vertex_count; ++i) {
            double p[2] = {any_number(&random, false), any_number(&random, false)};
            double q[2] = {any_number(&random, false), any_number(&random, false)};
            assert_memory_equal(&state.positions[i].x, p, sizeof p);
            assert_memory_equal(&state.velocities[i].x, &q[0], sizeof(double));
            assert_memory_equal(&state.velocities[i].z, &q[1], sizeof(double));
        }
    }
    assert_int_equal(sn_thesis_states_next(states, &state, &found, &error), SN_OK);
    assert_false(found);
    sn_thesis_state_free(&state);
    sn_thesis_states_close(states);
    unlink(path);
}

// ---- mistakes ----

static void assert_refused(sn_thesis_kind kind, const char *text, const char *place,
                           const char *what)
{
    sn_error error = {0};
    sn_thesis_file file;
    sn_status status;
    if (kind == SN_THESIS_STATE) {
        sn_thesis_states *states = NULL;
        sn_thesis_state state = {0};
        bool found = true;
        status = sn_thesis_states_open_memory("a.st", text, strlen(text), &states, &error);
        while (status == SN_OK && found) {
            status = sn_thesis_states_next(states, &state, &found, &error);
        }
        sn_thesis_state_free(&state);
        sn_thesis_states_close(states);
    } else {
        status = sn_thesis_parse(kind, "a", text, strlen(text), &file, &error);
        assert_null(file.rows);
    }
    assert_int_not_equal(status, SN_OK);
    if (strcmp(error.place, place) != 0 || strstr(error.text, what) == NULL) {
        fail_msg("%s, and not %s: ... %s", sn_error_message(&error), place, what);
    }
}

static void test_mistakes(void **unused)
{
    (void)unused;
    assert_refused(SN_THESIS_LIGHTS, "", "a:1:1", "'begin' was expected");
    assert_refused(SN_THESIS_LIGHTS, "begin topology (format of 97-01-01)", "a:1:7", "'lights'");
    assert_refused(SN_THESIS_LIGHTS, "begin lights (format of 1997)", "a:1:25", "YY-MM-DD");
    assert_refused(SN_THESIS_LIGHTS, "begin lights format of 97-01-01", "a:1:24", "'('");
    assert_refused(SN_THESIS_LIGHTS, "begin lights (format of 97-01-01)\nlights 3", "a:2:8",
                   "'=' was expected");
    assert_refused(SN_THESIS_LIGHTS, "begin lights (format of 97-01-01)\nlights = -1", "a:2:10",
                   "a number of lights");
    assert_refused(SN_THESIS_LIGHTS, "begin lights (format of 97-01-01)\nlights = 90000000",
                   "a:2:10", "too short");
    assert_refused(SN_THESIS_LIGHTS,
                   "begin lights (format of 97-01-01)\nlights = 1\n1 2 3 1 x 0 0\nend lights",
                   "a:3:9", "colour of a light");
    assert_refused(SN_THESIS_LIGHTS,
                   "begin lights (format of 97-01-01)\nlights = 1\n1 2 3 1 0 0 -1\nend lights",
                   "a:3:13", "at least 0");
    assert_refused(SN_THESIS_LIGHTS,
                   "begin lights (format of 97-01-01)\nlights = 1\n1 2 3 1 0 0 1\n2\nend lights",
                   "a:4:1", "'end' was expected");
    assert_refused(SN_THESIS_LIGHTS, "begin lights (format of 97-01-01)\nlights = 0\nend lights 5",
                   "a:3:12", "nothing was expected");
    assert_refused(SN_THESIS_TOPOLOGY,
                   "begin topology (format of 97-01-01)\ntetrahedrons = 1\n1 : 1 0 0 ", "a:3:1",
                   "the number 0");
    assert_refused(SN_THESIS_TOPOLOGY,
                   "begin topology (format of 97-01-01)\ntetrahedrons = 1\n"
                   "0 : 1 0 0 0 1 0 0 0 -1\n0 1 2 3\n1 1 1 1 1\nend topology",
                   "a:3:21", "determinant");
    assert_refused(SN_THESIS_TOPOLOGY,
                   "begin topology (format of 97-01-01)\ntetrahedrons = 1\n"
                   "0 : 1 0 0 0 1 0 0 0 1\n0 1 2 1\n1 1 1 1 1\nend topology",
                   "a:4:7", "twice");
    assert_refused(SN_THESIS_TOPOLOGY,
                   "begin topology (format of 97-01-01)\ntetrahedrons = 1\n"
                   "0 : 1 0 0 0 1 0 0 0 1\n0 1 2 3\n0 1 1 1 1\nend topology",
                   "a:5:1", "above 0");
    const char *second = "begin state (format of 97-01-01)\nvertices = 0\nt = 0\nend state\n\n\n"
                         "begin state (format of 97-01-01)\nvertices = 1\nt = 0\n0: 1 2 3 4 5\n"
                         "end state\n";
    assert_refused(SN_THESIS_STATE, second, "a.st:11:1", "a velocity");
    assert_refused(SN_THESIS_STATE,
                   "begin state (format of 97-01-01)\nvertices = 1\nt = 0\n0: 1 2 3 4 5 6\n",
                   "a.st:5:1", "the file ends here; 'end' was expected");
    sn_error error = {0};
    sn_thesis_file file;
    assert_int_equal(sn_thesis_read(SN_THESIS_LIGHTS, "/no/such.li", &file, &error), SN_ERROR_FILE);
    assert_int_equal(sn_thesis_read(SN_THESIS_STATE, "/no/such.st", &file, &error), SN_ERROR_FILE);
    sn_thesis_states *states = NULL;
    assert_int_equal(sn_thesis_states_open("/no/such.st", &states, &error), SN_ERROR_FILE);
    assert_null(states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),      cmocka_unit_test(test_states_sample),
        cmocka_unit_test(test_drags_sample), cmocka_unit_test(test_endings),
        cmocka_unit_test(test_round_trips),  cmocka_unit_test(test_many_states),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
