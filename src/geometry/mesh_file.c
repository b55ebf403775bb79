#include "geometry/mesh_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

// ---- PLY ----

enum { LINE_SIZE = 1024, MOST_LINES = 10000 };

// Fewer than three words, or a third that is not a number, spoil an element; see the format's
// description by G. Turk (1994).
static bool element_is_sound(const char *line)
{
    char name[LINE_SIZE], count[LINE_SIZE], rest[2];
    if (sscanf(line, "element %1023s %1023s %1s", name, count, rest) != 2) {
        return false;
    }
    size_t digits = strspn(count, "0123456789");
    return digits > 0 && digits < 10 && count[digits] == '\0';
}

static bool property_is_sound(const char *line)
{
    char words[5][LINE_SIZE] = {""};
    int count = sscanf(line, "property %1023s %1023s %1023s %1023s %1023s", words[0], words[1],
                       words[2], words[3], words[4]);
    return strcmp(words[0], "list") == 0 ? count == 4 : count == 2;
}

static bool header_line_is_sound(const char *line)
{
    char word[LINE_SIZE] = "";
    sscanf(line, "%1023s", word);
    if (strcmp(word, "element") == 0) {
        return element_is_sound(line);
    }
    if (strcmp(word, "property") == 0) {
        return property_is_sound(line);
    }
    return strcmp(word, "format") == 0 || strcmp(word, "comment") == 0 ||
           strcmp(word, "obj_info") == 0 || strcmp(word, "end_header") == 0;
}

// Lines end with LF, CR or both.
static bool read_line(FILE *file, char line[LINE_SIZE])
{
    int length = 0, c;
    while ((c = fgetc(file)) != EOF && c != '\n' && c != '\r') {
        if (length + 1 < LINE_SIZE) {
            line[length++] = (char)c;
        }
    }
    if (c == '\r' && (c = fgetc(file)) != '\n' && c != EOF) {
        ungetc(c, file);
    }
    line[length] = '\0';
    return c != EOF || length > 0;
}

sn_status sn_ply_file_check(const char *path, sn_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return sn_fail(error, SN_ERROR_FILE, path, "cannot be opened for reading: %s",
                       strerror(errno));
    }
    char line[LINE_SIZE] = "";
    int number = 0;
    bool sound = true, ended = false;
    while (sound && !ended && number < MOST_LINES && read_line(file, line)) {
        number += 1;
        sound = number == 1 ? strcmp(line, "ply") == 0 || strcmp(line, "PLY") == 0
                            : header_line_is_sound(line);
        ended = sound && strncmp(line, "end_header", 10) == 0;
    }
    fclose(file);
    if (ended) {
        return SN_OK;
    }
    char place[256];
    snprintf(place, sizeof place, "%.240s:%d", path, number);
    if (!sound) {
        return sn_fail(error, SN_ERROR_FORMAT, place, "'%.60s' is no line of a PLY header", line);
    }
    return sn_fail(error, SN_ERROR_FORMAT, place, "the PLY header has no end_header");
}

// ---- STL ----

// Binary files have 80 bytes of anything, a count, and 50 bytes per triangle.
static bool is_binary_stl(FILE *file, long size)
{
    unsigned char n[4];
    if (size < 84 || fseek(file, 80, SEEK_SET) != 0 || fread(n, 1, 4, file) != 4) {
        return false;
    }
    uint64_t count = n[0] | (uint64_t)n[1] << 8 | (uint64_t)n[2] << 16 | (uint64_t)n[3] << 24;
    return (uint64_t)size == 84 + 50 * count;
}

sn_status sn_stl_file_check(const char *path, sn_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return sn_fail(error, SN_ERROR_FILE, path, "cannot be opened for reading: %s",
                       strerror(errno));
    }
    char start[6] = "", end[1025] = "";
    bool text = fread(start, 1, 5, file) == 5 && memcmp(start, "solid", 5) == 0;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool whole = true;
    if (text && size >= 0 && !is_binary_stl(file, size)) {
        long last = size > 1024 ? 1024 : size;
        fseek(file, size - last, SEEK_SET);
        size_t got = fread(end, 1, (size_t)last, file);
        end[got] = '\0';
        whole = strstr(end, "endsolid") != NULL;
    }
    fclose(file);
    if (!whole) {
        return sn_fail(error, SN_ERROR_FORMAT, path,
                       "breaks off: endsolid was expected at the end of a text STL file");
    }
    return SN_OK;
}
