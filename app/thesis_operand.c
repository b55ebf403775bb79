#include "thesis_operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "exit_code.h"
#include "interrupt.h"
#include "terminal.h"

// The endings of a list that are missing, with "a .st file" for each.
static int tell_missing(const sn_arguments *arguments, const char *needed,
                        const sn_thesis_operands *operands)
{
    char text[160] = "";
    size_t used = 0;
    for (int k = 0; k < SN_THESIS_KIND_COUNT; ++k) {
        const char *ending = sn_thesis_ending((sn_thesis_kind)k);
        if (strstr(needed, ending) != NULL && operands->paths[k] == NULL) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%sa .%s file",
                                     used > 0 ? " and " : "", ending);
        }
    }
    return used > 0 ? sn_usage_error(arguments->verb, "%s is missing", text) : SN_EXIT_OK;
}

int sn_thesis_operands_read(const sn_arguments *arguments, const char *needed, const char *allowed,
                            sn_thesis_operands *operands)
{
    *operands = (sn_thesis_operands){0};
    for (int i = 0; i < arguments->operand_count; ++i) {
        const char *path = arguments->operands[i];
        sn_thesis_kind kind;
        if (!sn_thesis_kind_of(path, &kind)) {
            return sn_usage_error(arguments->verb,
                                  "%.200s: what it is must show in its ending, .st, .tp, .tx, "
                                  ".su, .co, .li, .en or .dr",
                                  path);
        }
        const char *ending = sn_thesis_ending(kind);
        if (strstr(needed, ending) == NULL && strstr(allowed, ending) == NULL) {
            return sn_usage_error(arguments->verb, "%.200s: no .%s file is used here", path,
                                  ending);
        }
        if (operands->paths[kind] != NULL) {
            return sn_usage_error(arguments->verb, "%.200s: there is a .%s file already, %.200s",
                                  path, ending, operands->paths[kind]);
        }
        operands->paths[kind] = path;
    }
    return tell_missing(arguments, needed, operands);
}

static bool read_gravity(const char *text, sn_vec3 *gravity)
{
    double numbers[3] = {0.0, 0.0, 0.0};
    int count = 0;
    for (char *end = NULL; count < 3; text = end + 1) {
        numbers[count] = strtod(text, &end);
        if (end == text || !isfinite(numbers[count])) {
            return false;
        }
        ++count;
        if (*end == '\0') {
            break;
        }
        if (*end != ',' || count == 3) {
            return false;
        }
    }
    *gravity = count == 1 ? sn_vec3_make(0.0, 0.0, -numbers[0])
                          : sn_vec3_make(numbers[0], numbers[1], numbers[2]);
    return count != 2;
}

int sn_thesis_gravity(const sn_arguments *arguments, sn_vec3 *gravity)
{
    const char *text = sn_option_text(arguments, "gravity", "980");
    return read_gravity(text, gravity)
               ? SN_EXIT_OK
               : sn_usage_error(arguments->verb, "--gravity %.60s: expected a number or X,Y,Z",
                                text);
}

sn_status sn_thesis_path(const char *path, const char *ending, char *result, sn_error *error)
{
    size_t length = strlen(path) - 3; // without ".st"
    if (length + strlen(ending) + 2 > SN_PATH_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a path of %zu letters is too long", length);
    }
    memcpy(result, path, length);
    snprintf(result + length, SN_PATH_LIMIT - length, "%s", ending);
    return SN_OK;
}

sn_status sn_thesis_out(const sn_arguments *arguments, const char *path, const char *ending,
                        char *result, sn_error *error)
{
    const char *out = sn_option_text(arguments, "out", NULL);
    if (out == NULL) {
        return sn_thesis_path(path, ending, result, error);
    }
    if (strlen(out) >= SN_PATH_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a path of %zu letters is too long",
                       strlen(out));
    }
    snprintf(result, SN_PATH_LIMIT, "%s", sn_path_for_output(out));
    return SN_OK;
}

int sn_thesis_fail(const sn_arguments *arguments, sn_status status, sn_error *error,
                   const char *output)
{
    if (status == SN_ERROR_STOPPED) {
        return SN_EXIT_INTERRUPTED;
    }
    sn_complain(arguments, "%s", sn_error_message(error));
    bool unwritten = status == SN_ERROR_FILE && output != NULL && strcmp(error->place, output) == 0;
    return unwritten ? SN_EXIT_OUTPUT : sn_exit_for(status);
}

int sn_thesis_end(const sn_arguments *arguments, sn_status status, sn_error *error,
                  const char *output)
{
    if (status != SN_OK) {
        return sn_thesis_fail(arguments, status, error, output);
    }
    if (!sn_option_given(arguments, "out")) {
        printf("%s\n", output);
    }
    return SN_EXIT_OK;
}

sn_status sn_thesis_each_state(const char *path, sn_thesis_visit *visit, void *user,
                               sn_error *error)
{
    sn_thesis_states *states = NULL;
    sn_thesis_state state = {0};
    sn_status status = sn_thesis_states_open(path, &states, error);
    for (bool found = true; status == SN_OK && found;) {
        status = sn_thesis_states_next(states, &state, &found, error);
        if (status == SN_OK && found && sn_interrupted()) {
            status = sn_fail(error, SN_ERROR_STOPPED, NULL, "stopped");
        }
        if (status == SN_OK && found) {
            status = visit(&state, user, error);
        }
    }
    sn_thesis_state_free(&state);
    sn_thesis_states_close(states);
    return status;
}

void sn_thesis_tell_inverted(const sn_arguments *arguments, const sn_thesis_file *topology,
                             const sn_thesis_state *state, int *count)
{
    int first = -1, inverted = sn_thesis_count_inverted(topology, state, &first);
    if (inverted > 0 && (*count)++ < SN_THESIS_TOLD) {
        sn_say(arguments, "at %.9g s %d elements are flat or inverted, the first is %d",
               state->time, inverted, first);
    }
}

sn_status sn_thesis_picture_read(const sn_thesis_operands *operands, sn_thesis_picture *picture,
                                 sn_error *error)
{
    const char *const *paths = operands->paths;
    *picture = (sn_thesis_picture){0};
    sn_status status = SN_OK;
    if (paths[SN_THESIS_SURFACE] != NULL) {
        status =
            sn_thesis_read(SN_THESIS_SURFACE, paths[SN_THESIS_SURFACE], &picture->surface, error);
    } else {
        sn_thesis_file topology = {0};
        sn_thesis_face look = {0};
        status = sn_thesis_read(SN_THESIS_TOPOLOGY, paths[SN_THESIS_TOPOLOGY], &topology, error);
        if (status == SN_OK) {
            status = sn_thesis_surf(&topology, &look, &picture->surface, error);
        }
        sn_thesis_file_free(&topology);
    }
    if (status == SN_OK && paths[SN_THESIS_TEXTURES] != NULL) {
        status = sn_thesis_read(SN_THESIS_TEXTURES, paths[SN_THESIS_TEXTURES], &picture->textures,
                                error);
    } else if (status == SN_OK) {
        status = sn_thesis_default_textures(&picture->textures, error);
    }
    if (status == SN_OK && paths[SN_THESIS_LIGHTS] != NULL) {
        status = sn_thesis_read(SN_THESIS_LIGHTS, paths[SN_THESIS_LIGHTS], &picture->lights, error);
    }
    return status;
}

void sn_thesis_picture_free(sn_thesis_picture *picture)
{
    sn_thesis_file_free(&picture->surface);
    sn_thesis_file_free(&picture->textures);
    sn_thesis_file_free(&picture->lights);
}
