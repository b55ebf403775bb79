// Files for a client, made of the history when it asks.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "live/live.h"
#include "record/csv.h"
#include "record/tape.h"

// ---- tables ----

// One row a moment: the time, then `count` of its numbers from `first` on.
static sn_status write_rows(const sn_live *live, sn_csv *csv, int first, int count, sn_error *error)
{
    double *row = sn_allocate(((size_t)count + 1) * sizeof *row);
    sn_status status = row != NULL ? SN_OK : sn_fail_memory(error, (size_t)count * sizeof *row);
    for (int i = 0; i < sn_history_count(&live->history) && status == SN_OK; ++i) {
        sn_history_moment moment;
        sn_history_moment_at(&live->history, i, &moment);
        const double *measured = moment.parts[SN_HISTORY_ROW].data;
        row[0] = moment.time;
        memcpy(row + 1, measured + first, (size_t)count * sizeof *row);
        status = sn_csv_row(csv, row, error);
    }
    sn_free(row);
    return status;
}

static sn_status write_table(const sn_live *live, const char *const *columns, int first, int count,
                             sn_bytes *bytes, sn_error *error)
{
    sn_csv *csv = NULL;
    sn_status status = sn_csv_open_memory(bytes, columns, count + 1, &csv, error);
    if (status == SN_OK) {
        status = write_rows(live, csv, first, count, error);
        sn_status closed = sn_csv_close(csv, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
    }
    return status;
}

typedef char column_name[200];

static sn_status write_state_table(const sn_live *live, sn_bytes *bytes, sn_error *error)
{
    int count = live->probes.count;
    size_t size = (size_t)(count + 1) * (sizeof(column_name) + sizeof(char *));
    const char **columns = sn_allocate(size);
    if (columns == NULL) {
        return sn_fail_memory(error, size);
    }
    column_name *names = (column_name *)(void *)(columns + count + 1);
    columns[0] = "time[s]";
    for (int i = 0; i < count; ++i) {
        sn_named_probe named = {.name = ""};
        (void)sn_scene_probe(live->scene, live->world, i, &named, NULL);
        snprintf(names[i], sizeof names[i], "%.150s[%s]", named.name,
                 sn_probe_unit(live->world, &live->probes.data[i]));
        columns[i + 1] = names[i];
    }
    sn_status status = write_table(live, columns, SN_LIVE_ROW_ENERGY, count, bytes, error);
    sn_free(columns);
    return status;
}

// ---- recordings ----

// Where steps did not start from what the steps before have left: what hands have placed, and at
// the beginning what contacts remember of steps that are forgotten.
static sn_status write_jump(sn_tape *tape, const sn_history_moment *moment, bool first,
                            sn_error *error)
{
    const sn_history_part *state = &moment->parts[SN_HISTORY_STATE],
                          *memory = &moment->parts[SN_HISTORY_MEMORY],
                          *placed = &moment->parts[SN_HISTORY_PLACED];
    sn_tape_start start = {state->data, memory->data, memory->size, false};
    if (!first && placed->size > state->size) {
        const uint8_t *bytes = placed->data;
        start = (sn_tape_start){bytes, bytes + state->size, placed->size - state->size, true};
    } else if (!first || moment->step == 0) {
        return SN_OK;
    }
    return sn_tape_jump(tape, &start, error);
}

static sn_status write_moments(const sn_live *live, sn_tape *tape, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < sn_history_count(&live->history) && status == SN_OK; ++i) {
        sn_history_moment moment;
        sn_history_moment_at(&live->history, i, &moment);
        const sn_history_part *part = &moment.parts[SN_HISTORY_STEPS];
        const sn_history_step *steps = part->data;
        int taken = i > 0 ? (int)(part->size / sizeof *steps) : 0; // the first frame is the start
        status = i > 0 ? write_jump(tape, &moment, false, error) : SN_OK;
        for (int k = 0; k < taken && status == SN_OK; ++k) {
            status = sn_tape_step(tape, steps[k].size, steps[k].hash, error);
        }
        if (status == SN_OK) {
            status = sn_tape_frame(tape, moment.time, moment.step,
                                   moment.parts[SN_HISTORY_STATE].data, error);
        }
        if (status == SN_OK && i == 0) {
            status = write_jump(tape, &moment, true, error);
        }
    }
    return status;
}

// The hash of a saved state: of a copy of the world that has it.
static sn_status hash_of_first(const sn_live *live, uint64_t *hash, sn_error *error)
{
    sn_world *world = NULL;
    sn_history_moment first;
    sn_history_moment_at(&live->history, 0, &first);
    const sn_history_part *state = &first.parts[SN_HISTORY_STATE];
    sn_status status = sn_scene_build(live->scene, &world, error);
    if (status == SN_OK) {
        status = sn_world_load_state(world, state->data, state->size, error);
    }
    *hash = status == SN_OK ? sn_world_hash(world) : 0;
    sn_world_destroy(world);
    return status;
}

static sn_status write_tape(const sn_live *live, const sn_tape_header *header, sn_bytes *bytes,
                            sn_error *error)
{
    sn_tape *tape = NULL;
    sn_status status = sn_tape_open_memory(bytes, header, &tape, error);
    if (status == SN_OK) {
        status = write_moments(live, tape, error);
        sn_status closed = sn_tape_close(tape, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
    }
    return status;
}

static sn_status write_recording(const sn_live *live, sn_bytes *bytes, sn_error *error)
{
    if (sn_history_count(&live->history) == 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "nothing is remembered");
    }
    sn_history_moment first;
    sn_history_moment_at(&live->history, 0, &first);
    sn_tape_header header = {.seed = live->run.seed,
                             .state_size = first.parts[SN_HISTORY_STATE].size,
                             .start_step = first.step,
                             .body_count = sn_world_body_count(live->world)};
    char *scene = NULL;
    const char **names = sn_allocate(((size_t)header.body_count + 1) * sizeof *names);
    sn_status status = names != NULL ? SN_OK : sn_fail_memory(error, sizeof *names);
    for (int i = 0; status == SN_OK && i < header.body_count; ++i) {
        names[i] = sn_body_name(live->world, sn_world_body(live->world, i));
    }
    header.body_names = names;
    if (status == SN_OK) {
        status = sn_scene_resolved_text(live->scene, &scene, &header.scene_length, error);
        header.scene_text = scene;
    }
    status = status == SN_OK ? hash_of_first(live, &header.start_hash, error) : status;
    status = status == SN_OK ? write_tape(live, &header, bytes, error) : status;
    sn_scene_free_text(scene);
    sn_free(names);
    return status;
}

// ---- scenes ----

static sn_status write_scene(const sn_scene *scene, sn_bytes *bytes, sn_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sn_status status = sn_scene_resolved_text(scene, &text, &length, error);
    if (status == SN_OK) {
        sn_bytes_put(bytes, text, length);
    }
    sn_scene_free_text(text);
    return status;
}

// Through the resolved text, so that the scene that is open stays as it is.
static sn_status write_scene_now(const sn_live *live, sn_bytes *bytes, sn_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_resolved_text(live->scene, &text, &length, error);
    if (status == SN_OK) {
        status = sn_scene_load_text(live->name, text, length, NULL, &scene, &errors);
        if (status != SN_OK) {
            sn_fail(error, status, errors.count > 0 ? errors.items[0].place : NULL, "%s",
                    errors.count > 0 ? errors.items[0].text : sn_status_text(status));
        }
    }
    status = status == SN_OK ? sn_scene_place_bodies(scene, live->world, error) : status;
    status = status == SN_OK ? write_scene(scene, bytes, error) : status;
    sn_error_list_free(&errors);
    sn_scene_destroy(scene);
    sn_scene_free_text(text);
    return status;
}

static sn_status write_state(const sn_live *live, sn_bytes *bytes, sn_error *error)
{
    sn_text text = {0};
    sn_live_write_state(live, &text);
    sn_status status = text.failed ? sn_fail_memory(error, text.length) : SN_OK;
    if (status == SN_OK) {
        sn_bytes_put(bytes, text.data, text.length);
    }
    sn_text_free(&text);
    return status;
}

// ---- all ----

static const struct {
    const char *what, *ending;
} kinds[] = {
    {"state.csv", "-state.csv"}, {"energy.csv", "-energy.csv"}, {"recording", ".snrec"},
    {"scene", "-scene.json"},    {"scene.now", "-now.json"},    {"state", "-state.json"},
};

static sn_status write_kind(const sn_live *live, int kind, sn_bytes *bytes, sn_error *error)
{
    switch (kind) {
    case 0:
        return write_state_table(live, bytes, error);
    case 1:
        return write_table(live, sn_energy_columns, 0, SN_LIVE_ROW_ENERGY, bytes, error);
    case 2:
        return write_recording(live, bytes, error);
    case 3:
        return write_scene(live->scene, bytes, error);
    case 4:
        return write_scene_now(live, bytes, error);
    default:
        return write_state(live, bytes, error);
    }
}

// The scene's name with an ending, fit to save a file under.
static void file_name(const sn_live *live, const char *ending, char *name, size_t size)
{
    const char *dot = strrchr(live->name, '.');
    size_t length =
        dot != NULL && dot > live->name ? (size_t)(dot - live->name) : strlen(live->name);
    snprintf(name, size, "%.*s%s", (int)(length < 100 ? length : 100), live->name, ending);
    for (char *c = name; *c != '\0'; ++c) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '-' || *c == '_' || *c == '.';
        *c = plain ? *c : '-';
    }
}

sn_status sn_live_make_file(sn_live *live, sn_live_client *client, const char *what, uint32_t id,
                            sn_error *error)
{
    enum { FILE_MESSAGE = 4, KINDS = sizeof kinds / sizeof kinds[0] };
    int kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].what, what) != 0) {
        ++kind;
    }
    if (kind == KINDS) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "\"what\" is \"%.40s\", expected state.csv, energy.csv, recording, scene, "
                       "scene.now or state",
                       what);
    }
    char name[160];
    sn_bytes *bytes = &client->file;
    sn_live_flush(live);
    file_name(live, kinds[kind].ending, name, sizeof name);
    sn_bytes_clear(bytes);
    sn_bytes_put_u32(bytes, FILE_MESSAGE);
    sn_bytes_put_u32(bytes, id);
    sn_bytes_put_u32(bytes, (uint32_t)strlen(name));
    sn_bytes_put(bytes, name, strlen(name));
    while (bytes->count % 4 != 0 && !bytes->failed) {
        sn_bytes_put_u8(bytes, 0);
    }
    sn_status status = write_kind(live, kind, bytes, error);
    if (status == SN_OK && bytes->failed) {
        status = sn_fail_memory(error, bytes->count);
    }
    client->has_file = status == SN_OK;
    client->took_file = false;
    if (status != SN_OK) {
        sn_bytes_free(bytes);
    }
    return status;
}
