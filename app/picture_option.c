#include "picture_option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "exit_code.h"
#include "interrupt.h"

const char *const sn_sample_words[] = {"1", "2", "4", "8", "16", "32", "64", NULL};

// "1280x720"
static bool parse_size(const char *text, int *width, int *height)
{
    char *end = NULL;
    long w = strtol(text, &end, 10);
    if (end == text || (*end != 'x' && *end != 'X')) {
        return false;
    }
    const char *second = end + 1;
    long h = strtol(second, &end, 10);
    if (end == second || *end != '\0' || w < 1 || h < 1 || w > 16384 || h > 16384) {
        return false;
    }
    *width = (int)w;
    *height = (int)h;
    return true;
}

int sn_read_size(const sn_arguments *arguments, sn_picture_def *def)
{
    const char *size = sn_option_text(arguments, "size", NULL);
    if (size != NULL && !parse_size(size, &def->width, &def->height)) {
        return sn_usage_error(arguments->verb,
                              "--size %.40s: expected WIDTHxHEIGHT in pixels, each 1 to 16384, "
                              "such as 1280x720",
                              size);
    }
    return SN_EXIT_OK;
}

static bool stop_drawing(void *user)
{
    (void)user;
    return sn_interrupted();
}

int sn_read_picture(const sn_arguments *arguments, sn_picture_def *def)
{
    *def = sn_default_picture_def();
    def->stop = stop_drawing;
    def->samples = (int)strtol(sn_option_text(arguments, "samples", "16"), NULL, 10);
    return sn_read_size(arguments, def);
}

int sn_drawing_threads(const sn_arguments *arguments)
{
    double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    return (int)sn_option_number(arguments, "threads", fmin(fmax(processors, 1.0), 16.0));
}

// "1,2,3" up to "/" or the end; the place behind it, or NULL.
static const char *read_point(const char *text, sn_vec3 *point)
{
    double numbers[3];
    for (int i = 0; i < 3; ++i) {
        char *end = NULL;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i]) || (i < 2 && *end != ',')) {
            return NULL;
        }
        text = i < 2 ? end + 1 : end;
    }
    *point = sn_vec3_make(numbers[0], numbers[1], numbers[2]);
    return *text == '\0' || *text == '/' ? text : NULL;
}

typedef struct named_direction {
    const char *name;
    sn_vec3 direction; // from what is seen to the eye
} named_direction;

static const named_direction directions[] = {
    {"scene", {0, 0, 0}}, {"auto", {0, 0, 0}},  {"front", {0, -1, 0}},   {"back", {0, 1, 0}},
    {"left", {-1, 0, 0}}, {"right", {1, 0, 0}}, {"top", {0, -0.001, 1}}, {"corner", {1, -1, 0.7}},
};

enum { DIRECTIONS = sizeof directions / sizeof directions[0] };

// A word, or eye[/target[/degrees]].
int sn_read_camera(const sn_verb *verb, const char *text, sn_picture_def *def)
{
    const char *words[DIRECTIONS];
    for (int i = 0; i < DIRECTIONS; ++i) {
        words[i] = directions[i].name;
        if (strcmp(text, words[i]) == 0) {
            def->direction = directions[i].direction;
            def->camera.given = def->camera.given && i == 0;
            return SN_EXIT_OK;
        }
    }
    sn_camera camera = {.given = true, .field_of_view = 45.0 * SN_PI / 180.0};
    const char *rest = read_point(text, &camera.position);
    if (rest != NULL && *rest == '/') {
        rest = read_point(rest + 1, &camera.target);
    }
    if (rest != NULL && *rest == '/') {
        char *end = NULL;
        double degrees = strtod(rest + 1, &end);
        camera.field_of_view = degrees * SN_PI / 180.0;
        rest = end != rest + 1 && *end == '\0' && degrees >= 0.1 && degrees <= 170.0 ? end : NULL;
    }
    if (rest == NULL || sn_distance(camera.position, camera.target) == 0.0) {
        const char *near = sn_suggest(text, words, DIRECTIONS);
        return sn_usage_error(verb,
                              "--camera %s: expected scene, auto, front, back, left, right, top, "
                              "corner, or X,Y,Z[/X,Y,Z[/DEGREES]] for eye, target and height of "
                              "the picture%s%s%s",
                              text, near != NULL ? "; did you mean '" : "",
                              near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    def->camera = camera;
    return SN_EXIT_OK;
}
