#include "scene/motion_def.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/path.h"
#include "scene/text.h"

// ---- files ----

#define FILE_LIMIT (256u << 20) // bytes

// One line after the other of a text that ends with 0.
typedef struct line_reader {
    const char *at;    // the rest
    const char *start; // of the line
    size_t length;     // without its end
    int number;        // from 1
} line_reader;

static bool next_line(line_reader *reader)
{
    while (*reader->at != '\0') {
        reader->start = reader->at;
        reader->length = strcspn(reader->at, "\r\n");
        reader->at += reader->length;
        reader->at += reader->at[0] == '\r' && reader->at[1] == '\n' ? 2 : *reader->at != '\0';
        reader->number += 1;
        size_t blank = strspn(reader->start, " \t");
        if (blank < reader->length && reader->start[blank] != '#') {
            return true;
        }
    }
    return false;
}

// Two numbers with a comma, a semicolon or blanks between them.
static bool read_point(const line_reader *line, double point[2])
{
    const char *at = line->start, *end = line->start + line->length;
    for (int i = 0; i < 2; ++i) {
        at += strspn(at, " \t");
        size_t length = at < end ? sn_number_length(at, (size_t)(end - at)) : 0;
        if (length == 0 || !sn_number_from_text(at, length, 0, &point[i])) {
            return false;
        }
        at += length;
        at += strspn(at, " \t");
        at += i == 0 && at < end && (*at == ',' || *at == ';');
    }
    return at >= end;
}

// The first line may name the columns.
static bool is_heading(const line_reader *line)
{
    const char *at = line->start + strspn(line->start, " \t");
    return sn_number_length(at, line->length) == 0 && strchr("+-.0123456789", *at) == NULL;
}

static sn_status read_points(sn_scene *scene, sn_motion_item *motion, const char *text,
                             sn_error *error)
{
    text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    int count = 0;
    for (line_reader line = {.at = text}; next_line(&line);) {
        count += 1;
    }
    size_t room = (size_t)count + 1;
    sn_course course = {.times = sn_arena_allocate(&scene->arena, room * sizeof(double)),
                        .values = sn_arena_allocate(&scene->arena, room * sizeof *course.values),
                        .places = sn_arena_allocate(&scene->arena, room * sizeof *course.places)};
    if (course.times == NULL || course.values == NULL || course.places == NULL) {
        return sn_fail_memory(error, room * sizeof *course.values);
    }
    bool first = true;
    for (line_reader line = {.at = text}; next_line(&line); first = false) {
        double point[2];
        if (first && is_heading(&line)) {
            continue;
        }
        if (!read_point(&line, point)) {
            return sn_fail(error, SN_ERROR_FILE, NULL,
                           "line %d of \"%.100s\": expected two numbers, time and value, got "
                           "\"%.*s\"",
                           line.number, motion->file, line.length > 60 ? 60 : (int)line.length,
                           line.start);
        }
        course.times[course.count] = point[0];
        course.values[course.count] = (sn_quantity_value){.number = point[1], .in_si = true};
        course.places[course.count] = sn_item_place(&motion->item, "file");
        course.count += 1;
    }
    if (course.count == 0) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "\"%.100s\" has no points in it", motion->file);
    }
    motion->points = course;
    return SN_OK;
}

sn_status sn_motion_item_read(sn_scene *scene, sn_motion_item *motion, sn_error *error)
{
    if (scene->sealed) {
        return sn_fail(error, SN_ERROR_FILE, NULL,
                       "\"%.100s\" is a file, and a text from elsewhere reads none", motion->file);
    }
    const char *folder = scene->sources.data[sn_item_place(&motion->item, "file").source].folder;
    char *path = sn_path_join(folder, motion->file), *text = NULL;
    if (path == NULL) {
        return sn_fail_memory(error, strlen(folder) + strlen(motion->file));
    }
    size_t length;
    sn_error inner = {0};
    sn_status status = sn_path_read(path, FILE_LIMIT, &text, &length, &inner);
    if (status == SN_OK && strlen(text) != length) {
        status = sn_fail(error, SN_ERROR_FILE, NULL, "\"%.100s\" is not a text", motion->file);
    } else if (status == SN_OK) {
        status = read_points(scene, motion, text, error);
    } else if (status != SN_ERROR_MEMORY) {
        char near[SN_PATH_NEAR_SIZE];
        bool found = sn_path_near(path, near);
        sn_fail(error, status, NULL, "cannot read \"%.200s\": %s%s%s%s", path, inner.text,
                found ? "; did you mean \"" : "", near, found ? "\"?" : "");
    }
    sn_free(text);
    sn_free(path);
    return status;
}

// ---- the engine's motion ----

bool sn_motion_same(const sn_motion *a, const sn_motion *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    sn_motion_def x = sn_motion_points(a), y = sn_motion_points(b);
    bool same = x.type == y.type && x.count == y.count && x.repeats == y.repeats &&
                memcmp(&x.start_rate, &y.start_rate, sizeof(double)) == 0 &&
                memcmp(&x.end_rate, &y.end_rate, sizeof(double)) == 0;
    size_t bytes = (size_t)x.count * sizeof(double);
    return same && memcmp(x.times, y.times, bytes) == 0 && memcmp(x.values, y.values, bytes) == 0;
}

sn_status sn_motion_item_create(const sn_scene *scene, const sn_motion_item *motion,
                                sn_motion **result, sn_error *error)
{
    int count = motion->points.count;
    *result = NULL;
    double *values = sn_allocate((size_t)count * sizeof *values);
    if (values == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *values);
    }
    for (int i = 0; i < count; ++i) {
        values[i] = motion->points.values[i].number;
    }
    sn_motion_def def = sn_default_motion_def();
    def.type = (sn_motion_type)motion->type;
    def.times = motion->points.times;
    def.values = values;
    def.count = count;
    def.repeats = motion->repeats;
    def.start_rate = sn_item_gives(&motion->item, "start_rate") ? motion->start_rate.number : NAN;
    def.end_rate = sn_item_gives(&motion->item, "end_rate") ? motion->end_rate.number : NAN;
    sn_error inner = {0};
    sn_status status = sn_motion_create(&def, result, &inner);
    if (status == SN_ERROR_MEMORY) {
        sn_fail_memory(error, (size_t)count * sizeof *values);
    } else if (status != SN_OK) {
        char place[SN_PLACE_SIZE];
        sn_fail(error, status, sn_place_text(scene, motion->item.place, place), "%s", inner.text);
    }
    sn_free(values);
    return status;
}
