// States, one after the other: a file is looked at through a window that holds one state.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/output.h"
#include "record/source.h"
#include "record/thesis.h"

#define WINDOW ((uint64_t)1 << 16) // bytes that are looked at first

void sn_thesis_state_free(sn_thesis_state *state)
{
    sn_free(state->positions);
    sn_free(state->velocities);
    *state = (sn_thesis_state){0};
}

struct sn_thesis_states {
    sn_source source;
    char *name;
    uint64_t offset; // of what has not been read
    int line;        // there
};

// ---- reading ----

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// How many bytes the first state of the window takes, up to the end of the line whose first word is
// "end"; 0 when the window does not hold one.
static uint64_t find_extent(const uint8_t *data, uint64_t count)
{
    for (uint64_t line = 0; line < count;) {
        uint64_t at = line;
        while (at < count && is_blank(data[at]) && data[at] != '\n') {
            ++at;
        }
        const uint8_t *next = memchr(data + at, '\n', count - at);
        if (next == NULL) {
            return 0;
        }
        if (count - at >= 4 && memcmp(data + at, "end", 3) == 0 && is_blank(data[at + 3])) {
            return (uint64_t)(next - data) + 1;
        }
        line = (uint64_t)(next - data) + 1;
    }
    return 0;
}

// Goes past blanks; false at the end of the file.
static sn_status skip_blanks(sn_thesis_states *s, bool *more, sn_error *error)
{
    *more = false;
    while (s->offset < s->source.length) {
        uint64_t left = s->source.length - s->offset, count = left < WINDOW ? left : WINDOW;
        const uint8_t *data = NULL;
        sn_status status = sn_source_read(&s->source, s->name, s->offset, count, &data, error);
        if (status != SN_OK) {
            return status;
        }
        uint64_t blank = 0;
        while (blank < count && is_blank(data[blank])) {
            s->line += data[blank++] == '\n';
        }
        s->offset += blank;
        if (blank < count) {
            *more = true;
            return SN_OK;
        }
    }
    return SN_OK;
}

// A window that holds the next state, or all that is left.
static sn_status find_window(sn_thesis_states *s, const uint8_t **data, uint64_t *count,
                             sn_error *error)
{
    uint64_t left = s->source.length - s->offset;
    for (uint64_t window = WINDOW;; window *= 2) {
        *count = left < window ? left : window;
        sn_status status = sn_source_read(&s->source, s->name, s->offset, *count, data, error);
        if (status != SN_OK) {
            return status;
        }
        uint64_t extent = find_extent(*data, *count);
        *count = extent > 0 ? extent : *count;
        if (extent > 0 || *count == left) {
            return SN_OK;
        }
    }
}

static sn_status make_room(sn_thesis_state *state, int count, sn_error *error)
{
    if (state->positions != NULL && state->vertex_count == count) {
        return SN_OK;
    }
    sn_thesis_state_free(state);
    size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof(sn_vec3);
    state->positions = sn_allocate_zero(bytes);
    state->velocities = sn_allocate_zero(bytes);
    if (state->positions == NULL || state->velocities == NULL) {
        sn_thesis_state_free(state);
        return sn_fail_memory(error, 2 * bytes);
    }
    state->vertex_count = count;
    return SN_OK;
}

static sn_vec3 take_vector(sn_words *w, const char *what)
{
    sn_vec3 v;
    v.x = sn_words_number(w, what);
    v.y = sn_words_number(w, what);
    v.z = sn_words_number(w, what);
    return v;
}

static sn_status parse_state(sn_words *w, sn_thesis_state *state)
{
    sn_thesis_take_header(w, SN_THESIS_STATE);
    int count = sn_thesis_take_count(w, SN_THESIS_STATE);
    // Fourteen characters are the least for a vertex.
    if (w->status == SN_OK && (size_t)count > (size_t)(w->end - w->at) / 14 + 1) {
        sn_words_fail(w, "what follows is too short for so many");
    }
    sn_thesis_take(w, "t");
    sn_thesis_take(w, "=");
    double time = sn_words_number(w, "a time");
    if (w->status != SN_OK) {
        return w->status;
    }
    sn_status status = make_room(state, count, w->error);
    if (status != SN_OK) {
        return status;
    }
    state->time = time;
    for (int i = 0; i < count && w->status == SN_OK; ++i) {
        sn_thesis_take_number(w, i);
        state->positions[i] = take_vector(w, "a coordinate");
        state->velocities[i] = take_vector(w, "a velocity");
    }
    sn_thesis_take_footer(w, SN_THESIS_STATE);
    return w->status;
}

sn_status sn_thesis_states_next(sn_thesis_states *s, sn_thesis_state *state, bool *found,
                                sn_error *error)
{
    const uint8_t *data = NULL;
    uint64_t count = 0;
    bool more = false;
    *found = false;
    sn_status status = skip_blanks(s, &more, error);
    if (status == SN_OK && more) {
        status = find_window(s, &data, &count, error);
    }
    if (status != SN_OK || !more) {
        return status;
    }
    sn_words words = sn_words_of(s->name, (const char *)data, (size_t)count, error);
    words.line = s->line;
    status = parse_state(&words, state);
    if (status == SN_OK) {
        s->offset += (uint64_t)(words.at - (const char *)data);
        s->line = words.line;
        *found = true;
    }
    return status;
}

static sn_status open_states(const char *name, sn_thesis_states **states, sn_error *error)
{
    *states = sn_allocate_zero(sizeof **states);
    if (*states != NULL) {
        (*states)->source.descriptor = -1;
        (*states)->line = 1;
        (*states)->name = sn_copy_text(name);
    }
    if (*states == NULL || (*states)->name == NULL) {
        sn_thesis_states_close(*states);
        *states = NULL;
        return sn_fail_memory(error, sizeof **states);
    }
    return SN_OK;
}

sn_status sn_thesis_states_open(const char *path, sn_thesis_states **states, sn_error *error)
{
    sn_status status = open_states(path, states, error);
    if (status == SN_OK) {
        status = sn_source_open(&(*states)->source, path, error);
        if (status != SN_OK) {
            sn_thesis_states_close(*states);
            *states = NULL;
        }
    }
    return status;
}

sn_status sn_thesis_states_open_memory(const char *name, const void *text, size_t length,
                                       sn_thesis_states **states, sn_error *error)
{
    sn_status status = open_states(name, states, error);
    if (status == SN_OK) {
        (*states)->source.bytes = text;
        (*states)->source.length = length;
    }
    return status;
}

void sn_thesis_states_close(sn_thesis_states *states)
{
    if (states != NULL) {
        sn_source_close(&states->source);
        sn_free(states->name);
        sn_free(states);
    }
}

sn_status sn_thesis_read_state(const char *path, sn_thesis_state *state, sn_error *error)
{
    sn_thesis_states *states = NULL;
    bool found = false;
    sn_status status = sn_thesis_states_open(path, &states, error);
    if (status == SN_OK) {
        status = sn_thesis_states_next(states, state, &found, error);
    }
    if (status == SN_OK && !found) {
        status = sn_fail(error, SN_ERROR_SYNTAX, path, "there is no state; one was expected");
    }
    sn_thesis_states_close(states);
    return status;
}

// ---- writing ----

struct sn_thesis_state_writer {
    sn_output output;
    sn_text text;
};

void sn_thesis_format_state(const sn_thesis_state *state, sn_text *text)
{
    sn_thesis_put_header(text, SN_THESIS_STATE, state->vertex_count);
    sn_text_add(text, "t = ");
    sn_text_number(text, state->time);
    sn_text_add(text, "\n");
    for (int i = 0; i < state->vertex_count; ++i) {
        sn_text_format(text, "%d:  ", i);
        sn_thesis_put_numbers(text, &state->positions[i].x, 3);
        sn_text_add(text, " ");
        sn_thesis_put_numbers(text, &state->velocities[i].x, 3);
        sn_text_add(text, "\n");
    }
    sn_thesis_put_footer(text, SN_THESIS_STATE);
}

sn_status sn_thesis_writer_open(const char *path, sn_thesis_state_writer **writer, sn_error *error)
{
    *writer = sn_allocate_zero(sizeof **writer);
    if (*writer == NULL) {
        return sn_fail_memory(error, sizeof **writer);
    }
    sn_status status = sn_output_open(&(*writer)->output, path, error);
    if (status != SN_OK) {
        sn_output_close(&(*writer)->output, false, NULL);
        sn_free(*writer);
        *writer = NULL;
    }
    return status;
}

sn_status sn_thesis_writer_put(sn_thesis_state_writer *writer, const sn_thesis_state *state,
                               sn_error *error)
{
    writer->text.length = 0;
    sn_thesis_format_state(state, &writer->text);
    sn_text_add(&writer->text, "\n");
    if (writer->text.failed) {
        size_t length = writer->text.length;
        sn_text_free(&writer->text);
        return sn_fail_memory(error, length);
    }
    sn_status status =
        sn_output_put(&writer->output, writer->text.data, writer->text.length, error);
    if (status == SN_OK && sn_output_due(&writer->output)) {
        status = sn_output_flush(&writer->output, error);
    }
    return status;
}

sn_status sn_thesis_writer_close(sn_thesis_state_writer *writer, sn_error *error)
{
    if (writer == NULL) {
        return SN_OK;
    }
    sn_status status = sn_output_close(&writer->output, false, error);
    sn_text_free(&writer->text);
    sn_free(writer);
    return status;
}
