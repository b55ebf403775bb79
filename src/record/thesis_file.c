#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/output.h"
#include "record/thesis.h"

#define FILE_LIMIT ((size_t)1 << 30) // bytes of a file that is held as a whole

const char *sn_thesis_ending(sn_thesis_kind kind)
{
    static const char *const endings[SN_THESIS_KIND_COUNT] = {"st", "tp", "tx", "su",
                                                              "co", "li", "en", "dr"};
    return endings[kind];
}

bool sn_thesis_kind_of(const char *path, sn_thesis_kind *kind)
{
    size_t length = strlen(path);
    for (int k = 0; length > 3 && k < SN_THESIS_KIND_COUNT; ++k) {
        if (path[length - 3] == '.' &&
            strcmp(path + length - 2, sn_thesis_ending((sn_thesis_kind)k)) == 0) {
            *kind = (sn_thesis_kind)k;
            return true;
        }
    }
    return false;
}

// ---- rows ----

static int take_vertex(sn_words *w)
{
    return (int)sn_words_integer(w, "a vertex", 0, 100000000);
}

static double take_least(sn_words *w, const char *what, double least, bool open)
{
    double value = sn_words_number(w, what);
    if (w->status == SN_OK && (value < least || (open && value == least))) {
        sn_words_fail(w, "%s %s %g was expected", what, open ? "above" : "of at least", least);
    }
    return value;
}

static void take_colour(sn_words *w, double colour[3], const char *what)
{
    for (int k = 0; k < 3; ++k) {
        colour[k] = take_least(w, what, 0.0, false);
    }
}

static void refuse_repeated(sn_words *w, const int *vertices, int count)
{
    for (int k = 1; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            if (w->status == SN_OK && vertices[j] == vertices[k]) {
                sn_words_fail(w, "%d different vertices were expected, and %d stands there twice",
                              count, vertices[k]);
            }
        }
    }
}

static void read_element(sn_words *w, int number, void *row)
{
    sn_thesis_element *e = row;
    sn_thesis_take_number(w, number);
    for (int k = 0; k < 9; ++k) {
        e->rest.m[k / 3][k % 3] = sn_words_number(w, "an entry of the rest shape's matrix");
    }
    if (w->status == SN_OK && !(sn_mat3_determinant(e->rest) > 0.0)) {
        sn_words_fail(w, "a matrix with a determinant above 0 was expected to end here");
    }
    for (int k = 0; k < 4; ++k) {
        e->vertices[k] = take_vertex(w);
    }
    refuse_repeated(w, e->vertices, 4);
    e->density = take_least(w, "a density", 0.0, true);
    e->bulk = take_least(w, "a bulk modulus", 0.0, false);
    e->shear = take_least(w, "a shear modulus", 0.0, false);
    e->volume_viscosity = take_least(w, "a viscosity", 0.0, false);
    e->shape_viscosity = take_least(w, "a viscosity", 0.0, false);
}

static void write_element(sn_text *text, int number, const void *row)
{
    const sn_thesis_element *e = row;
    sn_text_format(text, "%d : ", number);
    sn_thesis_put_numbers(text, &e->rest.m[0][0], 9);
    sn_text_format(text, "\n    %d %d %d %d\n    ", e->vertices[0], e->vertices[1], e->vertices[2],
                   e->vertices[3]);
    sn_thesis_put_numbers(
        text, (double[]){e->density, e->bulk, e->shear, e->volume_viscosity, e->shape_viscosity},
        5);
}

static void read_texture(sn_words *w, int number, void *row)
{
    (void)number;
    sn_thesis_texture *t = row;
    take_colour(w, t->ambient, "an ambient colour");
    take_colour(w, t->diffuse, "a diffuse colour");
    take_colour(w, t->specular, "a specular colour");
    take_colour(w, t->transmission, "a transmitted colour");
    t->refraction = take_least(w, "a refraction index", 0.0, false);
    t->exponent = take_least(w, "a specular exponent", 0.0, false);
}

static void write_texture(sn_text *text, int number, const void *row)
{
    (void)number;
    const sn_thesis_texture *t = row;
    const double *colours[4] = {t->ambient, t->diffuse, t->specular, t->transmission};
    for (int k = 0; k < 4; ++k) {
        sn_thesis_put_numbers(text, colours[k], 3);
        sn_text_add(text, "  ");
    }
    sn_thesis_put_numbers(text, (double[]){t->refraction, t->exponent}, 2);
}

static void read_face(sn_words *w, int number, void *row)
{
    (void)number;
    sn_thesis_face *f = row;
    for (int k = 0; k < 3; ++k) {
        f->vertices[k] = take_vertex(w);
    }
    refuse_repeated(w, f->vertices, 3);
    f->texture = (int)sn_words_integer(w, "a texture", 0, 100000000);
    f->static_friction = take_least(w, "a coefficient of friction", 0.0, false);
    f->friction = take_least(w, "a coefficient of friction", 0.0, false);
    f->restitution = take_least(w, "a coefficient of restitution", 0.0, false);
}

static void write_face(sn_text *text, int number, const void *row)
{
    (void)number;
    const sn_thesis_face *f = row;
    sn_text_format(text, "%d %d %d %d ", f->vertices[0], f->vertices[1], f->vertices[2],
                   f->texture);
    sn_thesis_put_numbers(text, (double[]){f->static_friction, f->friction, f->restitution}, 3);
}

static void read_fixed(sn_words *w, int number, void *row)
{
    (void)number;
    *(int *)row = take_vertex(w);
}

static void write_fixed(sn_text *text, int number, const void *row)
{
    (void)number;
    sn_text_format(text, "%d", *(const int *)row);
}

static void read_light(sn_words *w, int number, void *row)
{
    (void)number;
    sn_thesis_light *light = row;
    for (int k = 0; k < 4; ++k) {
        light->position[k] = sn_words_number(w, "a coordinate of a light");
    }
    take_colour(w, light->colour, "the colour of a light");
}

static void write_light(sn_text *text, int number, const void *row)
{
    (void)number;
    const sn_thesis_light *light = row;
    sn_thesis_put_numbers(text, light->position, 4);
    sn_text_add(text, "  ");
    sn_thesis_put_numbers(text, light->colour, 3);
}

static void read_energy(sn_words *w, int number, void *row)
{
    (void)number;
    sn_thesis_energy *e = row;
    e->time = sn_words_number(w, "a time");
    e->kinetic = sn_words_number(w, "a kinetic energy");
    e->elastic = sn_words_number(w, "an elastic energy");
    e->gravity = sn_words_number(w, "a gravitational energy");
    e->power = sn_words_number(w, "a power");
}

static void write_energy(sn_text *text, int number, const void *row)
{
    (void)number;
    const sn_thesis_energy *e = row;
    sn_thesis_put_numbers(text, (double[]){e->time, e->kinetic, e->elastic, e->gravity, e->power},
                          5);
}

static sn_vec3 take_vector(sn_words *w, const char *what)
{
    double x = sn_words_number(w, what), y = sn_words_number(w, what);
    return sn_vec3_make(x, y, sn_words_number(w, what));
}

static void read_drag(sn_words *w, int number, void *row)
{
    (void)number;
    sn_thesis_drag *d = row;
    d->vertex = take_vertex(w);
    d->start = sn_words_number(w, "a time");
    d->end = sn_words_number(w, "a time");
    if (w->status == SN_OK && !(d->end > d->start)) {
        sn_words_fail(w, "an end after the start, %g, was expected", d->start);
    }
    d->from = take_vector(w, "a coordinate of the first place");
    d->from_velocity = take_vector(w, "a velocity at the first place");
    d->to = take_vector(w, "a coordinate of the last place");
    d->to_velocity = take_vector(w, "a velocity at the last place");
}

static void write_drag(sn_text *text, int number, const void *row)
{
    (void)number;
    const sn_thesis_drag *d = row;
    const sn_vec3 vectors[4] = {d->from, d->from_velocity, d->to, d->to_velocity};
    sn_text_format(text, "%d ", d->vertex);
    sn_thesis_put_numbers(text, (double[]){d->start, d->end}, 2);
    for (int k = 0; k < 4; ++k) {
        sn_text_add(text, "  ");
        sn_thesis_put_numbers(text, (double[]){vectors[k].x, vectors[k].y, vectors[k].z}, 3);
    }
}

typedef struct row_format {
    size_t size;
    void (*read)(sn_words *words, int number, void *row);
    void (*write)(sn_text *text, int number, const void *row);
} row_format;

static const row_format formats[SN_THESIS_KIND_COUNT] = {
    [SN_THESIS_TOPOLOGY] = {sizeof(sn_thesis_element), read_element, write_element},
    [SN_THESIS_TEXTURES] = {sizeof(sn_thesis_texture), read_texture, write_texture},
    [SN_THESIS_SURFACE] = {sizeof(sn_thesis_face), read_face, write_face},
    [SN_THESIS_CONSTRAINTS] = {sizeof(int), read_fixed, write_fixed},
    [SN_THESIS_LIGHTS] = {sizeof(sn_thesis_light), read_light, write_light},
    [SN_THESIS_ENERGIES] = {sizeof(sn_thesis_energy), read_energy, write_energy},
    [SN_THESIS_DRAGS] = {sizeof(sn_thesis_drag), read_drag, write_drag},
};

// ---- files ----

void sn_thesis_file_free(sn_thesis_file *file)
{
    sn_free(file->rows);
    *file = (sn_thesis_file){0};
}

// A file of n rows has at least two characters for each number: what it says of itself is not
// believed before memory is asked for.
static sn_status make_room(sn_thesis_file *file, sn_words *w, int count)
{
    size_t left = (size_t)(w->end - w->at);
    if ((size_t)count > left / 2 + 1) {
        return sn_words_fail(w, "the rest of the file is too short for so many");
    }
    size_t bytes = formats[file->kind].size * (size_t)(count > 0 ? count : 1);
    file->rows = sn_allocate_zero(bytes);
    return file->rows != NULL ? SN_OK : sn_fail_memory(w->error, bytes);
}

sn_status sn_thesis_parse(sn_thesis_kind kind, const char *name, const char *text, size_t length,
                          sn_thesis_file *file, sn_error *error)
{
    *file = (sn_thesis_file){.kind = kind};
    if ((int)kind <= SN_THESIS_STATE || kind >= SN_THESIS_KIND_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "a kind of rows was expected, not states");
    }
    sn_words words = sn_words_of(name, text, length, error);
    sn_thesis_take_header(&words, kind);
    int count = sn_thesis_take_count(&words, kind);
    sn_status status = words.status;
    if (status == SN_OK) {
        status = make_room(file, &words, count);
    }
    const row_format *format = &formats[kind];
    for (int i = 0; status == SN_OK && i < count; ++i) {
        format->read(&words, i, (char *)file->rows + (size_t)i * format->size);
        file->count += 1;
        status = words.status;
    }
    if (status == SN_OK) {
        sn_thesis_take_footer(&words, kind);
        if (words.status == SN_OK && sn_words_next(&words)) {
            sn_words_fail(&words, "nothing was expected behind the end");
        }
        status = words.status;
    }
    if (status != SN_OK) {
        sn_thesis_file_free(file);
    }
    return status;
}

void sn_thesis_format(const sn_thesis_file *file, sn_text *text)
{
    const row_format *format = &formats[file->kind];
    sn_thesis_put_header(text, file->kind, file->count);
    for (int i = 0; i < file->count; ++i) {
        format->write(text, i, (const char *)file->rows + (size_t)i * format->size);
        sn_text_add(text, "\n");
    }
    sn_thesis_put_footer(text, file->kind);
}

sn_status sn_thesis_read(sn_thesis_kind kind, const char *path, sn_thesis_file *file,
                         sn_error *error)
{
    *file = (sn_thesis_file){.kind = kind};
    sn_bytes bytes = {0};
    sn_status status = sn_input_file(path, FILE_LIMIT, &bytes, error);
    if (status == SN_OK) {
        status = sn_thesis_parse(kind, path, (const char *)bytes.data, bytes.count, file, error);
    }
    sn_bytes_free(&bytes);
    return status;
}

sn_status sn_thesis_write(const sn_thesis_file *file, const char *path, sn_error *error)
{
    if ((int)file->kind <= SN_THESIS_STATE || file->kind >= SN_THESIS_KIND_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, path, "a kind of rows was expected, not states");
    }
    sn_text text = {0};
    sn_thesis_format(file, &text);
    sn_status status = text.failed ? sn_fail_memory(error, text.length)
                                   : sn_output_file(path, text.data, text.length, error);
    sn_text_free(&text);
    return status;
}

// ---- vertices ----

static int row_vertices(const sn_thesis_file *file, int row, const int **vertices)
{
    switch (file->kind) {
    case SN_THESIS_TOPOLOGY:
        *vertices = file->elements[row].vertices;
        return 4;
    case SN_THESIS_SURFACE:
        *vertices = file->faces[row].vertices;
        return 3;
    case SN_THESIS_DRAGS:
        *vertices = &file->drags[row].vertex;
        return 1;
    default:
        *vertices = &file->fixed[row];
        return 1;
    }
}

sn_status sn_thesis_check_vertices(const sn_thesis_file *file, const char *name, int vertex_count,
                                   sn_error *error)
{
    const char *what = file->kind == SN_THESIS_TOPOLOGY  ? "element"
                       : file->kind == SN_THESIS_SURFACE ? "face"
                       : file->kind == SN_THESIS_DRAGS   ? "drag"
                                                         : "constraint";
    for (int i = 0; i < file->count; ++i) {
        const int *vertices = NULL;
        int count = row_vertices(file, i, &vertices);
        for (int k = 0; k < count; ++k) {
            if (vertices[k] < 0 || vertices[k] >= vertex_count) {
                return sn_fail(error, SN_ERROR_GEOMETRY, name,
                               "%s %d names vertex %d; 0 to %d, the vertices of the state, were "
                               "expected",
                               what, i, vertices[k], vertex_count - 1);
            }
        }
    }
    return SN_OK;
}
