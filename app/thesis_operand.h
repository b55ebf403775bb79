// Operands of the verbs that do the jobs of the thesis' programs: files in any order, told apart by
// their endings.
#ifndef SN_APP_THESIS_OPERAND_H
#define SN_APP_THESIS_OPERAND_H

#include "files.h"
#include "options.h"
#include "sinew/thesis.h"

typedef struct sn_thesis_operands {
    const char *paths[SN_THESIS_KIND_COUNT]; // NULL: not given
} sn_thesis_operands;

// `needed` and `allowed` list endings, "tp st". An exit code, after telling stderr what is wrong.
int sn_thesis_operands_read(const sn_arguments *arguments, const char *needed, const char *allowed,
                            sn_thesis_operands *operands);

// --gravity: "980", downward, or "X,Y,Z". An exit code, after telling stderr what is wrong.
#define SN_THESIS_GRAVITY_OPTION                                                                   \
    {                                                                                              \
        .name = "gravity", .type = SN_OPTION_TEXT, .value = "G|X,Y,Z", .fallback = "980",          \
        .doc = "acceleration of gravity in the files' units: downward along z, or a vector"        \
    }
int sn_thesis_gravity(const sn_arguments *arguments, sn_vec3 *gravity);

// What --out says, or the path with another ending ("su", or "-0001.pov").
sn_status sn_thesis_out(const sn_arguments *arguments, const char *path, const char *ending,
                        char *result, sn_error *error);

// "stem" + ending in place of a path's own two letters.
sn_status sn_thesis_path(const char *path, const char *ending, char *result, sn_error *error);

// Complains; `output` is what was to be written.
int sn_thesis_fail(const sn_arguments *arguments, sn_status status, sn_error *error,
                   const char *output);

// How a verb that writes one file ends: the path on stdout where the user did not choose it, or a
// complaint. An exit code.
int sn_thesis_end(const sn_arguments *arguments, sn_status status, sn_error *error,
                  const char *output);

// Calls `visit` for every state of a file; SN_ERROR_STOPPED on Ctrl-C.
typedef sn_status sn_thesis_visit(const sn_thesis_state *state, void *user, sn_error *error);
sn_status sn_thesis_each_state(const char *path, sn_thesis_visit *visit, void *user,
                               sn_error *error);

// Tells of a state with elements that are flat or inside out, up to SN_THESIS_TOLD of them; `count`
// counts all.
enum { SN_THESIS_TOLD = 5 };
void sn_thesis_tell_inverted(const sn_arguments *arguments, const sn_thesis_file *topology,
                             const sn_thesis_state *state, int *count);

// Files that pictures need: surface (of the .su, else what is exposed of the .tp), textures and
// lights, where they are given.
typedef struct sn_thesis_picture {
    sn_thesis_file surface, textures, lights;
} sn_thesis_picture;

sn_status sn_thesis_picture_read(const sn_thesis_operands *operands, sn_thesis_picture *picture,
                                 sn_error *error);
void sn_thesis_picture_free(sn_thesis_picture *picture);

#endif
