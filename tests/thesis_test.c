// Files of the thesis on elastic bodies: samples of all types, both spellings of the header,
// round trips to the bit, states without end, errors with places, and the jobs on them.
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
#include "elastic/mass.h"
#include "elastic/solid.h"
#include "record/thesis.h"

// ---- samples ----

static const char topology_text[] = "begin topology (format of 96-10-01)\ntetrahedrons = 2\n"
                                    "0 : 1 0 0 0 1 0 0 0 1\n    0 1 2 3\n    2 20000 10000 16 8\n"
                                    "1:1 0 0  0 2 0  0 0 3\n 1 2 3 4\n 0.5 1e4 1e3 0 0\n"
                                    "end topology\n";
static const char textures_text[] =
    "begin textures format of (97-03-14)\ntextures=1\n"
    "0.1 0.2 0.3  0.4 0.5 0.6  0.7 0.8 0.9  0 0.25 0.5  1.5 40\nend textures";
static const char surface_text[] = "begin surface (format of 97-03-14)\nfaces = 2\n"
                                   "0 2 1 0 0.5 0.4 0.9\n0 1 3 7 0 0 1\nend surface\n\n";
static const char constraints_text[] =
    "begin constraints(format of 97-03-14)\nconstraints =3\n4\n0\n17\nend constraints\n";
static const char lights_text[] = "begin lights ( format of 97-03-14 )\nlights = 1\n"
                                  "10 -5 3 0 1 0.9 0.8\nend lights\n";
static const char energies_text[] = "begin energies (format of 97-03-14)\nstates = 2\n"
                                    "0 1 2 3 4\n0.5 5e-1 6 -7 8\nend energies\n";
static const char states_text[] = "begin state (format of 97-03-14)\nvertices = 2\nt = 0\n"
                                  "0:  1 2 3 4 5 6\n1:  -1 -2 -3 0 0 0\nend state\n\n\n"
                                  "begin state format of (97-03-14)\nvertices = 2\nt = 0.25\n"
                                  "0 : 1.5 2 3 4 5 6\n1:-1 -2 -3 0 0 1e-3\nend state\n";

static sn_thesis_file parse(sn_thesis_kind kind, const char *text)
{
    sn_thesis_file file;
    sn_error error = {0};
    if (sn_thesis_parse(kind, "a", text, strlen(text), &file, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return file;
}

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

// ---- models ----

static sn_tetrahedra *make_torus(void)
{
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_torus(&torus, &mesh, NULL), SN_OK);
    return mesh;
}

static const sn_thesis_material rubber = {1.5, 20000.0, 15000.0, 12.0, 7.0};

static sn_thesis_model torus_model(void)
{
    sn_tetrahedra *mesh = make_torus();
    sn_thesis_model model;
    sn_error error = {0};
    if (sn_thesis_model_make(mesh, &rubber, 1, &model, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_tetrahedra_release(mesh);
    return model;
}

typedef struct four_paths {
    char folder[64], st[96], tp[96], su[96], co[96];
    sn_thesis_paths paths;
} four_paths;

static void make_paths(four_paths *p)
{
    strcpy(p->folder, "/tmp/sinew-thesis-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->st, sizeof p->st, "%s/a.st", p->folder);
    snprintf(p->tp, sizeof p->tp, "%s/a.tp", p->folder);
    snprintf(p->su, sizeof p->su, "%s/a.su", p->folder);
    snprintf(p->co, sizeof p->co, "%s/a.co", p->folder);
    p->paths = (sn_thesis_paths){p->st, p->tp, p->su, p->co};
}

static void remove_paths(four_paths *p)
{
    unlink(p->st);
    unlink(p->tp);
    unlink(p->su);
    unlink(p->co);
    rmdir(p->folder);
}

static void test_model_round_trip(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_model model = torus_model(), back;
    model.time = 0.75;
    for (int i = 0; i < 180; ++i) {
        model.velocities[i] = sn_vec3_make(i, -0.1 * i, 1.0 / (i + 1));
    }
    assert_int_equal(sn_thesis_model_fix(&model, (int[]){17, 3, 17}, 3, &error), SN_OK);
    assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
    if (sn_thesis_model_read(&p.paths, &back, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_tetrahedra_element_count(back.mesh), 480);
    assert_memory_equal(sn_tetrahedra_positions(back.mesh), sn_tetrahedra_positions(model.mesh),
                        180 * sizeof(sn_vec3));
    assert_memory_equal(sn_tetrahedra_elements(back.mesh), sn_tetrahedra_elements(model.mesh),
                        4 * 480 * sizeof(int));
    assert_memory_equal(back.velocities, model.velocities, 180 * sizeof(sn_vec3));
    assert_memory_equal(back.rest, model.rest, 480 * sizeof(sn_mat3));
    assert_int_equal(back.material_count, 1);
    assert_memory_equal(back.materials, &rubber, sizeof rubber);
    assert_int_equal(back.fixed_count, 2);
    assert_int_equal(back.fixed[0], 3);
    assert_int_equal(back.fixed[1], 17);
    assert_int_equal(back.face_count, 320);
    assert_float_equal(back.time, 0.75, 0.0);
    sn_thesis_model_free(&back);
    sn_thesis_paths few = {.state = p.st, .topology = p.tp};
    assert_int_equal(sn_thesis_model_read(&few, &back, &error), SN_OK);
    assert_int_equal(back.face_count, 320);
    assert_int_equal(back.fixed_count, 0);
    assert_memory_equal(back.faces, model.faces, 320 * sizeof(sn_thesis_face));
    sn_thesis_model_free(&back);
    sn_thesis_model_free(&model);
    remove_paths(&p);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_unfit(const char *state, const char *topology, const char *what)
{
    four_paths p;
    make_paths(&p);
    write_text(p.st, state);
    write_text(p.tp, topology);
    p.paths.surface = p.paths.constraints = NULL;
    sn_error error = {0};
    sn_thesis_model model;
    assert_int_not_equal(sn_thesis_model_read(&p.paths, &model, &error), SN_OK);
    if (strstr(error.text, what) == NULL) {
        fail_msg("%s, and not %s", sn_error_message(&error), what);
    }
    assert_null(model.mesh);
    remove_paths(&p);
}

static void test_models_that_do_not_fit(void **unused)
{
    (void)unused;
#define ONE                                                                                        \
    "begin topology (format of 97-01-01)\ntetrahedrons = 1\n0 : 1 0 0 0 1 0 0 0 1\n0 1 2 3\n"      \
    "1 1 1 0 0\nend topology\n"
#define STATE(n, rows)                                                                             \
    "begin state (format of 97-01-01)\nvertices = " n "\nt = 0\n" rows "end state\n"
#define CORNERS "0: 0 0 0 0 0 0\n1: 1 0 0 0 0 0\n2: 0 1 0 0 0 0\n"
    assert_unfit(STATE("3", CORNERS), ONE, "element 0 names vertex 3; 0 to 2");
    assert_unfit(STATE("4", CORNERS "3: 0 0 -1 0 0 0\n"), ONE, "element 0 is flat or inverted");
    assert_unfit(STATE("5", CORNERS "3: 0 0 1 0 0 0\n4: 0 0 2 0 0 0\n"), ONE, "vertex 4 belongs");
    assert_unfit("\n\n", ONE, "there is no state");
}

static void test_join_and_units(void **unused)
{
    (void)unused;
    sn_error error = {0};
    sn_thesis_model two[2] = {torus_model(), torus_model()}, joined;
    two[1].materials[0].density = 3.0;
    assert_int_equal(sn_thesis_model_fix(&two[1], (int[]){5}, 1, &error), SN_OK);
    assert_int_equal(sn_thesis_model_join(two, 2, &joined, &error), SN_OK);
    assert_int_equal(sn_tetrahedra_vertex_count(joined.mesh), 360);
    assert_int_equal(joined.material_count, 2);
    assert_int_equal(sn_tetrahedra_regions(joined.mesh)[480], 1);
    assert_int_equal(joined.fixed[0], 185);
    assert_int_equal(joined.face_count, 640);
    assert_int_equal(joined.faces[320].vertices[0], joined.faces[0].vertices[0] + 180);
    // 1.5 g/cm^3 is 1500 kg/m^3, 1 dyn/cm^2 is 0.1 Pa, 1 poise 0.1 Pa s.
    assert_int_equal(sn_thesis_model_rescale(&joined, 0.01, 0.001, &error), SN_OK);
    assert_float_equal(joined.materials[0].density, 1500.0, 1e-9);
    assert_float_equal(joined.materials[0].bulk, 2000.0, 1e-9);
    assert_float_equal(joined.materials[0].shear, 1500.0, 1e-9);
    assert_float_equal(joined.materials[0].volume_viscosity, 1.2, 1e-12);
    assert_float_equal(sn_tetrahedra_positions(joined.mesh)[7].x,
                       0.01 * sn_tetrahedra_positions(two[0].mesh)[7].x, 1e-15);
    assert_int_equal(sn_thesis_model_rescale(&joined, 0.0, 1.0, &error), SN_ERROR_ARGUMENT);
    for (int i = 0; i < 2; ++i) {
        sn_thesis_model_free(&two[i]);
    }
    sn_thesis_model_free(&joined);
}

// ---- jobs ----

// Every face of `surf` is one that sn_tetrahedra_find_surface has, and turned outward.
static void test_surf(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_model model = torus_model();
    p.paths.surface = p.paths.constraints = NULL;
    assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
    sn_thesis_file topology, surface;
    assert_int_equal(sn_thesis_read(SN_THESIS_TOPOLOGY, p.tp, &topology, &error), SN_OK);
    sn_thesis_face look = {.texture = 2, .friction = 0.5};
    assert_int_equal(sn_thesis_surf(&topology, &look, &surface, &error), SN_OK);
    assert_int_equal(surface.count, 320);
    double volume = 0.0;
    const sn_vec3 *x = sn_tetrahedra_positions(model.mesh);
    for (int f = 0; f < surface.count; ++f) {
        const int *v = surface.faces[f].vertices;
        assert_memory_equal(v, model.faces[f].vertices, 3 * sizeof(int));
        assert_int_equal(surface.faces[f].texture, 2);
        assert_float_equal(surface.faces[f].friction, 0.5, 0.0);
        volume += sn_dot(x[v[0]], sn_cross(x[v[1]], x[v[2]])) / 6.0;
    }
    sn_tetrahedra_quality quality;
    assert_true(sn_tetrahedra_measure(model.mesh, &quality));
    assert_float_equal(volume, quality.volume, 1e-12 * quality.volume);
    sn_thesis_file_free(&topology);
    sn_thesis_file_free(&surface);
    sn_thesis_model_free(&model);
    remove_paths(&p);
}

static int color_mesh(sn_tetrahedra *mesh, int counts[3])
{
    sn_thesis_model model;
    sn_error error = {0};
    int conflicts = -1;
    assert_int_equal(sn_thesis_model_make(mesh, &rubber, 1, &model, &error), SN_OK);
    sn_thesis_file surface = {SN_THESIS_SURFACE, model.face_count, {model.faces}};
    assert_int_equal(sn_thesis_color(&surface, (int[]){4, 5, 6}, &conflicts, &error), SN_OK);
    memset(counts, 0, 3 * sizeof *counts);
    int found = 0;
    for (int f = 0; f < surface.count; ++f) {
        assert_in_range(surface.faces[f].texture, 4, 6);
        counts[surface.faces[f].texture - 4] += 1;
        for (int g = 0; g < f; ++g) {
            int shared = 0;
            for (int k = 0; k < 9; ++k) {
                shared += surface.faces[f].vertices[k / 3] == surface.faces[g].vertices[k % 3];
            }
            found += shared == 2 && surface.faces[f].texture == surface.faces[g].texture;
        }
    }
    assert_int_equal(found, conflicts);
    sn_thesis_model_free(&model);
    sn_tetrahedra_release(mesh);
    return conflicts;
}

static void test_coloring(void **unused)
{
    (void)unused;
    int counts[3];
    assert_int_equal(color_mesh(make_torus(), counts), 0);
    for (int c = 0; c < 3; ++c) {
        assert_true(counts[c] > 320 / 5); // in about equal numbers
    }
    sn_tetrahedra *mesh = NULL;
    for (int rings = 1; rings < 5; ++rings) {
        assert_int_equal(sn_tetrahedra_make_sphere(1.0, rings, &mesh, NULL), SN_OK);
        assert_int_equal(color_mesh(mesh, counts), 0);
    }
    for (int cells = 1; cells < 5; ++cells) {
        sn_tetrahedra_box box = sn_default_tetrahedra_box();
        box.cells[0] = cells;
        box.cells[1] = 5 - cells;
        box.cell = cells % 2 ? SN_CELL_FIVE : SN_CELL_SIX;
        assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
        assert_int_equal(color_mesh(mesh, counts), 0);
    }
    const sn_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = corners;
    def.vertex_count = 4;
    def.elements = (int[]){0, 1, 2, 3};
    def.element_count = 1;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, NULL), SN_OK);
    assert_int_equal(color_mesh(mesh, counts), 1);
}

// Against src/elastic: the consistent mass matrix, the solid's energy, its viscous power.
static void test_energy(void **unused)
{
    (void)unused;
    enum { N = 180 };
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_model model = torus_model();
    p.paths.surface = p.paths.constraints = NULL;
    assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
    sn_thesis_file topology;
    assert_int_equal(sn_thesis_read(SN_THESIS_TOPOLOGY, p.tp, &topology, &error), SN_OK);

    sn_vec3 x[N], v[N], gravity = {1.0, 2.0, -400.0};
    double x4[4 * N] = {0}, v4[4 * N] = {0}, f4[4 * N] = {0}, mv[4 * N] = {0};
    sn_random random = (sn_random){.seed = 5};
    for (int i = 0; i < N; ++i) {
        sn_vec3 q = sn_tetrahedra_positions(model.mesh)[i];
        x[i] = sn_vec3_make(1.1 * q.x + 0.02 * sn_random_unit(&random), q.y + 0.2 * q.z,
                            q.z + 0.02 * sn_random_unit(&random));
        v[i] =
            sn_vec3_make(sn_random_unit(&random), sn_random_unit(&random), sn_random_unit(&random));
        memcpy(x4 + 4 * i, &x[i], sizeof x[i]);
        memcpy(v4 + 4 * i, &v[i], sizeof v[i]);
    }
    sn_thesis_state state = {2.0, N, x, v};
    sn_thesis_energy energy;
    assert_int_equal(sn_thesis_measure(&topology, &state, gravity, false, &energy, &error), SN_OK);

    sn_mass mass;
    assert_int_equal(
        sn_mass_create(model.mesh, &rubber.density, 1, SN_MASS_CONSISTENT, NULL, &mass, &error),
        SN_OK);
    sn_mass_add_product(&mass, 4, 1.0, v4, mv);
    double kinetic = 0.0, height = 0.0;
    double ones[4 * N], m1[4 * N] = {0};
    for (int i = 0; i < 4 * N; ++i) {
        kinetic += 0.5 * mv[i] * v4[i];
        ones[i] = 1.0;
    }
    sn_mass_add_product(&mass, 4, 1.0, ones, m1);
    for (int i = 0; i < N; ++i) {
        height -= m1[4 * i] * sn_dot(gravity, x[i]);
    }
    sn_elastic material = {SN_ELASTIC_LIESENFELD, rubber.bulk, rubber.shear, 0.0, {0, 0, 0}};
    sn_viscosity viscosity = {rubber.volume_viscosity, rubber.shape_viscosity};
    sn_solid_def def = {
        .mesh = model.mesh, .materials = &material, .material_count = 1, .rest = model.rest};
    sn_solid *solid = NULL;
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_OK);
    double elastic = sn_solid_energy(solid, NULL, x4);
    double power = sn_solid_add_viscous_forces(solid, &viscosity, 1, true, x4, v4, f4);
    double at_rest = sn_solid_add_viscous_forces(solid, &viscosity, 1, false, x4, v4, f4);
    assert_float_equal(energy.time, 2.0, 0.0);
    assert_float_equal(energy.kinetic, kinetic, 1e-11 * kinetic);
    assert_float_equal(energy.gravity, height, 1e-11 * fabs(height));
    assert_float_equal(energy.elastic, elastic, 1e-11 * elastic);
    assert_float_equal(energy.power, power, 1e-11 * power);
    assert_int_equal(sn_thesis_measure(&topology, &state, gravity, true, &energy, &error), SN_OK);
    assert_float_equal(energy.power, at_rest, 1e-11 * at_rest);
    assert_true(fabs(power - at_rest) > 1e-3 * power);
    state.vertex_count = 179;
    assert_int_equal(sn_thesis_measure(&topology, &state, gravity, true, &energy, &error),
                     SN_ERROR_GEOMETRY);
    sn_solid_destroy(solid);
    sn_mass_free(&mass);
    sn_thesis_file_free(&topology);
    sn_thesis_model_free(&model);
    remove_paths(&p);
}

// An element turned inside out has the energy of a sound one, and is counted.
static void test_inverted(void **unused)
{
    (void)unused;
    sn_thesis_file topology = parse(SN_THESIS_TOPOLOGY, topology_text);
    sn_vec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, v[5] = {{0, 0, 0}};
    sn_thesis_state state = {0.0, 5, x, v};
    int first = 0;
    assert_int_equal(sn_thesis_count_inverted(&topology, &state, &first), 0);
    assert_int_equal(first, -1);
    x[4] = sn_vec3_make(-1.0, -1.0, -1.0);
    assert_int_equal(sn_thesis_count_inverted(&topology, &state, &first), 1);
    assert_int_equal(first, 1);
    sn_thesis_file_free(&topology);
}

// ---- showen ----

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static char text[200000];
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        ++count;
    }
    return count;
}

static void test_plot(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_energy rows[3] = {{0, 1, 2, 3, 0}, {1, 2, 1, 2, 1}, {2, 1, 1, 1, 1}};
    sn_thesis_file energies = {SN_THESIS_ENERGIES, 3, {rows}};
    double dissipated[3];
    sn_thesis_dissipation(&energies, dissipated);
    assert_float_equal(dissipated[0], 0.0, 0.0);
    assert_float_equal(dissipated[1], 0.5, 0.0);
    assert_float_equal(dissipated[2], 1.5, 0.0);
    assert_int_equal(sn_thesis_plot(&energies, "a title", p.st, &error), SN_OK);
    const char *svg = read_text(p.st);
    assert_int_equal(count_words(svg, "</title></path>"), 6);
    assert_non_null(strstr(svg, "a title"));
    assert_non_null(strstr(svg, "T = U + D"));
    assert_int_equal(sn_thesis_plot(&energies, NULL, "/no/such/folder.svg", &error), SN_ERROR_FILE);
    remove_paths(&p);
}

// ---- convert ----

static void test_pov(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_file textures = parse(SN_THESIS_TEXTURES, textures_text);
    sn_thesis_file lights = parse(SN_THESIS_LIGHTS, lights_text);
    sn_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, v[4] = {{0, 0, 0}};
    sn_thesis_state state = {0.5, 4, x, v};
    sn_thesis_face faces[3] = {
        {{0, 2, 1}, 0, 0, 0, 0}, {{0, 1, 3}, 0, 0, 0, 0}, {{0, 0, 3}, 0, 0, 0, 0}};
    sn_thesis_file surface = {SN_THESIS_SURFACE, 3, {faces}};
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    sn_thesis_grow_box(&state, &surface, &box);
    assert_float_equal(box.upper.z, 1.0, 0.0);
    assert_float_equal(box.lower.x, 0.0, 0.0);
    sn_thesis_view view = sn_thesis_view_of(box);
    sn_status status =
        sn_thesis_write_pov(&state, &surface, &textures, &lights, &view, p.st, &error);
    assert_int_equal(status, SN_OK);
    const char *pov = read_text(p.st);
    assert_int_equal(count_words(pov, "triangle {"), 2); // the one without area is left out
    assert_int_equal(count_words(pov, "light_source {"), 1);
    assert_int_equal(count_words(pov, "#declare Texture"), 1);
    // diffuse (0.4, 0.5, 0.6): hue by its greatest, which `diffuse` has; half goes through
    assert_non_null(strstr(pov, "diffuse 0.6"));
    assert_non_null(strstr(pov, "phong 0.9 phong_size 40 refraction 1 ior 1.5"));
    assert_int_equal(count_words(pov, "{"), count_words(pov, "}"));
    assert_int_equal(count_words(pov, "<"), count_words(pov, ">"));
    assert_int_equal(sn_thesis_write_pov(&state, &surface, NULL, NULL, &view, p.st, &error), SN_OK);
    assert_int_equal(count_words(read_text(p.st), "#declare Texture"), 3);
    faces[1].texture = 1;
    assert_int_equal(sn_thesis_write_pov(&state, &surface, &textures, &lights, &view, p.st, &error),
                     SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "face 1 has texture 1"));
    faces[1].vertices[2] = 4;
    assert_int_equal(sn_thesis_write_pov(&state, &surface, NULL, NULL, &view, p.st, &error),
                     SN_ERROR_GEOMETRY);
    sn_thesis_file_free(&textures);
    sn_thesis_file_free(&lights);
    remove_paths(&p);
}

// ---- memory ----

static sn_status everything(const four_paths *p, sn_error *error)
{
    sn_thesis_model model = {0}, joined = {0};
    sn_status status = sn_thesis_model_read(&p->paths, &model, error);
    if (status == SN_OK) {
        status = sn_thesis_model_join(&model, 1, &joined, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_model_rescale(&joined, 2.0, 2.0, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_model_write(&joined, &p->paths, error);
    }
    int conflicts = 0;
    sn_thesis_file surface = {SN_THESIS_SURFACE, model.face_count, {model.faces}};
    if (status == SN_OK) {
        status = sn_thesis_color(&surface, (int[]){0, 1, 2}, &conflicts, error);
    }
    sn_thesis_state state = {0};
    if (status == SN_OK) {
        status = sn_thesis_read_state(p->st, &state, error);
    }
    sn_thesis_view view = sn_thesis_view_of((sn_aabb){{-1, -1, -1}, {1, 1, 1}});
    if (status == SN_OK) {
        status = sn_thesis_write_pov(&state, &surface, NULL, NULL, &view, p->co, error);
    }
    sn_thesis_energy rows[2] = {{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}};
    sn_thesis_file energies = {SN_THESIS_ENERGIES, 2, {rows}};
    if (status == SN_OK) {
        status = sn_thesis_plot(&energies, "energies", p->su, error);
    }
    sn_thesis_state_free(&state);
    sn_thesis_model_free(&model);
    sn_thesis_model_free(&joined);
    return status;
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_error error = {0};
    four_paths p;
    make_paths(&p);
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    sn_tetrahedra *mesh = NULL;
    sn_thesis_model model;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_OK);
    assert_int_equal(sn_thesis_model_make(mesh, &rubber, 1, &model, &error), SN_OK);
    sn_status status = SN_ERROR_MEMORY;
    int64_t after = 0;
    for (; status != SN_OK && after < 2000; ++after) {
        sn_allocation_fail_after(-1);
        assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
        error = (sn_error){0};
        sn_allocation_fail_after(after);
        status = everything(&p, &error);
        sn_allocation_fail_after(-1);
        if (status != SN_OK && status != SN_ERROR_MEMORY && status != SN_ERROR_FILE) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_true(status == SN_OK || error.text[0] != '\0');
    }
    assert_int_equal(status, SN_OK);
    assert_true(after > 40);
    sn_thesis_model_free(&model);
    sn_tetrahedra_release(mesh);
    remove_paths(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_states_sample),
        cmocka_unit_test(test_drags_sample),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_many_states),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_model_round_trip),
        cmocka_unit_test(test_models_that_do_not_fit),
        cmocka_unit_test(test_join_and_units),
        cmocka_unit_test(test_surf),
        cmocka_unit_test(test_coloring),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_inverted),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_pov),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
