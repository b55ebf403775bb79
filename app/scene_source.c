#include "scene_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "builtin.h"
#include "cache_folder.h"
#include "exit_code.h"
#include "file_suggest.h"
#include "files.h"
#include "setting.h"
#include "terminal.h"

// ---- finding ----

static bool find_builtin(const sn_arguments *arguments, const char *operand,
                         sn_scene_source *source)
{
    const sn_embedded_file *file = sn_builtin_find(operand);
    if (file != NULL) {
        snprintf(source->name, sizeof source->name, "%s", file->name);
        snprintf(source->short_name, sizeof source->short_name, "%s", operand);
        source->text = (const char *)file->data;
        source->length = file->size;
        return true;
    }
    char near[512];
    if (sn_builtin_suggest(operand, near, sizeof near) != NULL ||
        sn_file_suggest(operand, near, sizeof near) != NULL) {
        sn_complain(arguments, "no file and no built-in scene is called '%s'; did you mean '%s'?",
                    operand, near);
    } else {
        sn_complain(arguments,
                    "no file and no built-in scene is called '%s'; `sinew scenes` lists them",
                    operand);
    }
    return false;
}

// A path that leads nowhere is reported before anything is started.
static bool find_file(const sn_arguments *arguments, const char *operand)
{
    char near[512];
    if (sn_path_is_folder(operand)) {
        sn_complain(arguments, "%s is a folder; a scene is wanted", operand);
        return false;
    }
    if (access(operand, R_OK) == 0) {
        return true;
    }
    if (errno != ENOENT && errno != ENOTDIR) {
        sn_complain(arguments, "%s: cannot be read: %s", operand, strerror(errno));
        return false;
    }
    char stem[128];
    sn_path_stem(operand, stem, sizeof stem);
    if (sn_file_suggest(operand, near, sizeof near) != NULL) {
        sn_complain(arguments, "there is no file '%s'; did you mean '%s'?", operand, near);
    } else if (sn_builtin_suggest(stem, near, sizeof near) != NULL) {
        sn_complain(arguments, "there is no file '%s'; did you mean the built-in scene '%s'?",
                    operand, near);
    } else {
        sn_complain(arguments, "there is no file '%s'", operand);
    }
    return false;
}

static const char *given_word(const sn_arguments *arguments, const char *name)
{
    return sn_option_known(arguments->verb, name) ? sn_option_text(arguments, name, NULL) : NULL;
}

// What begins with "<" is a URDF.
static bool is_urdf(const sn_scene_source *source)
{
    char start[256] = "";
    size_t length = source->length < sizeof start ? source->length : sizeof start - 1;
    if (source->text != NULL) {
        memcpy(start, source->text, length);
    } else {
        FILE *file = fopen(source->name, "rb");
        length = file != NULL ? fread(start, 1, sizeof start - 1, file) : 0;
        if (file == NULL) {
            return true; // reading will tell
        }
        fclose(file);
    }
    start[length] = '\0';
    return start[strspn(start, "\xef\xbb\xbf \t\r\n")] == '<';
}

static bool words_fit(const sn_arguments *arguments, const sn_scene_source *source)
{
    const char *name = given_word(arguments, "base") != NULL       ? "base"
                       : given_word(arguments, "geometry") != NULL ? "geometry"
                                                                   : NULL;
    if (name == NULL || is_urdf(source)) {
        return true;
    }
    sn_complain(arguments, "--%s is for URDF files; %s is a scene, which says it in its \"robots\"",
                name, source->name);
    return false;
}

static bool find_source(const sn_arguments *arguments, const char *operand, sn_scene_source *source)
{
    *source = (sn_scene_source){.arguments = arguments};
    for (int i = 0; i < arguments->package_count; ++i) {
        if (!sn_path_is_folder(arguments->packages[i].value)) {
            sn_complain(arguments, "--package %s=%s: there is no such folder",
                        arguments->packages[i].name, arguments->packages[i].value);
            return false;
        }
    }
    if (strcmp(operand, "-") == 0) {
        sn_error error = {0};
        if (sn_read_file("-", &source->owned, &source->length, &error) != SN_OK) {
            sn_complain(arguments, "%s", sn_error_message(&error));
            return false;
        }
        snprintf(source->name, sizeof source->name, "<stdin>");
        snprintf(source->short_name, sizeof source->short_name, "stdin");
        source->text = source->owned;
        return true;
    }
    bool is_path = strchr(operand, '/') != NULL || sn_path_ends_with(operand, ".json") ||
                   sn_path_ends_with(operand, ".urdf");
    if (!is_path && !sn_path_exists(operand)) {
        return find_builtin(arguments, operand, source);
    }
    if (strlen(operand) >= sizeof source->name) {
        sn_complain(arguments, "a path of %zu letters is too long", strlen(operand));
        return false;
    }
    if (!find_file(arguments, operand)) {
        return false;
    }
    snprintf(source->name, sizeof source->name, "%s", operand);
    sn_path_stem(operand, source->short_name, sizeof source->short_name);
    return true;
}

bool sn_scene_source_find(const sn_arguments *arguments, const char *operand,
                          sn_scene_source *source)
{
    bool found = find_source(arguments, operand, source) && words_fit(arguments, source);
    if (!found) {
        sn_scene_source_free(source);
    }
    return found;
}

void sn_scene_source_free(sn_scene_source *source)
{
    sn_free(source->owned);
    source->owned = NULL;
}

// ---- reading ----

// What built-in scenes include is built in as well.
static const char *find_embedded(void *user, const char *path, size_t *length)
{
    (void)user;
    const sn_embedded_file *file = sn_embedded_find(path);
    if (file == NULL) {
        return NULL;
    }
    *length = file->size;
    return (const char *)file->data;
}

// Gmsh can take minutes. A terminal shows for how long it has worked, a log that it does.
static void show_filling(void *user, const char *surface, double seconds, bool ended)
{
    const sn_arguments *arguments = user;
    if (arguments->quiet) {
        return;
    }
    if (!sn_stream_is_terminal(stderr)) {
        if (!ended && seconds < 2.0) {
            sn_say(arguments, "Gmsh fills %s, which can take a while", surface);
        }
        return;
    }
    char line[256] = "";
    int length =
        ended ? 0 : snprintf(line, sizeof line, "Gmsh fills %.150s: %.0f s", surface, seconds);
    int width = sn_stream_width(stderr) - 1;
    fprintf(stderr, "\r%.*s\033[K", length < width ? length : width, line);
    fflush(stderr);
}

void sn_scene_source_options(sn_scene_source *source, sn_scene_options *options)
{
    const sn_arguments *arguments = source->arguments;
    for (int i = 0; i < arguments->package_count; ++i) {
        source->packages[i] =
            (sn_package){arguments->packages[i].name, arguments->packages[i].value};
    }
    options->packages = source->packages;
    options->package_count = arguments->package_count;
    options->strict = given_word(arguments, "strict") != NULL;
    options->base = given_word(arguments, "base");
    options->geometry = given_word(arguments, "geometry");
    options->filling = show_filling;
    options->filling_user = (void *)arguments;
}

void sn_scene_source_say_notes(const sn_arguments *arguments, const sn_scene_source *source,
                               const sn_scene *scene)
{
    const sn_error_list *notes = sn_scene_notes(scene);
    int count = notes->count + notes->left_out;
    bool built_in = source->text != NULL && source->owned == NULL;
    if (count > 0 && !built_in) {
        sn_say(arguments, "%s: %d note%s; `sinew check` lists %s", source->name, count,
               count == 1 ? "" : "s", count == 1 ? "it" : "them");
    }
}

sn_status sn_scene_source_read(sn_scene_source *source, sn_scene **scene, sn_error_list *errors)
{
    char cache[SN_PATH_LIMIT];
    sn_scene_options options = {.cache = sn_cache_folder(cache)};
    sn_scene_source_options(source, &options);
    if (source->text == NULL) {
        return sn_scene_load_file(source->name, &options, scene, errors);
    }
    if (source->owned == NULL) {
        options.folder = "scenes";
        options.find = find_embedded;
    }
    return sn_scene_load_text(source->name, source->text, source->length, &options, scene, errors);
}

// ---- explaining ----

// "file:line:column" apart. False when the place is of another form.
static bool split_place(const char *place, char *file, size_t size, long *line, long *column)
{
    const char *second = strrchr(place, ':');
    if (second == NULL || second == place) {
        return false;
    }
    const char *first = second - 1;
    while (first > place && *first != ':') {
        --first;
    }
    if (*first != ':' || (size_t)(first - place) >= size) {
        return false;
    }
    *line = strtol(first + 1, NULL, 10);
    *column = strtol(second + 1, NULL, 10);
    memcpy(file, place, (size_t)(first - place));
    file[first - place] = '\0';
    return *line >= 1 && *column >= 1;
}

static const char *line_start(const char *text, const char *end, long line)
{
    while (--line > 0 && text != NULL) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text != NULL ? text + 1 : NULL;
    }
    return text;
}

// The window of a line that fits a screen: its first byte, and how many characters were left out
// before it. Columns count characters, so that bytes 10xxxxxx (the rest of a UTF-8 character) do
// not count.
static void write_caret(const sn_arguments *arguments, const char *line, size_t length, long column)
{
    enum { BEFORE = 60, WIDTH = 96 };
    size_t start = 0, place = 0;
    long character = 1;
    for (; place < length; ++place) {
        if (((unsigned char)line[place] & 0xC0) != 0x80 && character++ == column) {
            break;
        }
    }
    if (place > BEFORE) {
        start = place - BEFORE;
        while (start < place && ((unsigned char)line[start] & 0xC0) == 0x80) {
            ++start;
        }
    }
    size_t end = length - start > WIDTH ? start + WIDTH : length;
    while (end < length && ((unsigned char)line[end] & 0xC0) == 0x80) {
        ++end;
    }
    fputs("    ", stderr);
    for (size_t i = start; i < end; ++i) {
        // Nothing in a scene may steer the terminal.
        unsigned char c = (unsigned char)line[i];
        fputc((c < 32 && c != '\t') || c == 127 ? '?' : c, stderr);
    }
    fputs("\n    ", stderr);
    for (size_t i = start; i < place; ++i) {
        if (((unsigned char)line[i] & 0xC0) != 0x80) {
            fputc(line[i] == '\t' ? '\t' : ' ', stderr);
        }
    }
    fprintf(stderr, "%s^%s\n", sn_style_on(arguments, stderr, SN_STYLE_GREEN),
            sn_style_off(arguments, stderr));
}

// The file that the last error was in: errors come by the hundred from one file.
typedef struct shown_file {
    char name[512];
    char *text;
    size_t length;
} shown_file;

static void show_place(const sn_arguments *arguments, const sn_scene_source *source,
                       const char *place, shown_file *last)
{
    char file[512];
    long line = 0, column = 0;
    if (!split_place(place, file, sizeof file, &line, &column)) {
        return;
    }
    const char *text = NULL;
    size_t length = 0;
    const sn_embedded_file *embedded = sn_embedded_find(file);
    if (source->text != NULL && strcmp(file, source->name) == 0) {
        text = source->text;
        length = source->length;
    } else if (source->text != NULL && embedded != NULL) {
        text = (const char *)embedded->data;
        length = embedded->size;
    } else {
        if (strcmp(file, last->name) != 0) {
            sn_free(last->text);
            last->text = NULL;
            memcpy(last->name, file, strlen(file) + 1);
            (void)sn_read_file(file, &last->text, &last->length, NULL);
        }
        text = last->text;
        length = last->length;
    }
    const char *end = text != NULL ? text + length : NULL;
    const char *start = text != NULL ? line_start(text, end, line) : NULL;
    if (start != NULL && start <= end) {
        const char *stop = memchr(start, '\n', (size_t)(end - start));
        size_t width = (size_t)((stop != NULL ? stop : end) - start);
        if (width > 0 && start[width - 1] == '\r') {
            --width;
        }
        write_caret(arguments, start, width, column);
    }
}

void sn_scene_source_explain(const sn_arguments *arguments, const sn_scene_source *source,
                             const sn_error_list *errors)
{
    shown_file last = {.text = NULL};
    for (int i = 0; i < errors->count; ++i) {
        const sn_error *error = &errors->items[i];
        fprintf(stderr, "%s%s%s%s%s\n", sn_style_on(arguments, stderr, SN_STYLE_BOLD), error->place,
                sn_style_off(arguments, stderr), error->place[0] != '\0' ? ": " : "", error->text);
        show_place(arguments, source, error->place, &last);
    }
    sn_free(last.text);
    if (errors->left_out > 0) {
        // Reading ends at a thousand errors, so that there may be more than were counted.
        fprintf(stderr, "and %s%d more errors\n", errors->left_out >= 900 ? "at least " : "",
                errors->left_out);
    }
}

int sn_scene_source_load(const sn_arguments *arguments, const char *operand, sn_scene **scene)
{
    sn_scene_source source;
    if (!sn_scene_source_find(arguments, operand, &source)) {
        return SN_EXIT_INPUT;
    }
    sn_error_list errors = {0};
    sn_status status = sn_scene_source_read(&source, scene, &errors);
    if (status != SN_OK) {
        sn_scene_source_explain(arguments, &source, &errors);
    }
    if (status == SN_OK) {
        sn_scene_source_say_notes(arguments, &source, *scene);
    }
    sn_error_list_free(&errors);
    sn_scene_source_free(&source);
    int code = status == SN_OK ? sn_apply_settings(arguments, *scene) : sn_exit_for(status);
    if (status == SN_OK && code != SN_EXIT_OK) {
        sn_scene_destroy(*scene);
        *scene = NULL;
    }
    return code;
}
