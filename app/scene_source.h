// A scene as named on the command line: a path, "-" for standard input, or the bare name of a
// built-in scene.
#ifndef SN_APP_SCENE_SOURCE_H
#define SN_APP_SCENE_SOURCE_H

#include "options.h"
#include "sinew/scene.h"

typedef struct sn_scene_source {
    char name[4096];      // what errors call it: the path, "<stdin>", "scenes/bob.json"
    char short_name[128]; // for a folder of results: the file's name without ending
    const char *text;     // built-in or standard input; NULL: a file on disk
    size_t length;
    char *owned;                   // text read from standard input
    const sn_arguments *arguments; // what these say of URDF files
    sn_package packages[SN_LIST_LIMIT];
} sn_scene_source;

// Where the scene is. False, with a message and a suggestion on stderr, when no file or built-in
// scene has that name.
bool sn_scene_source_find(const sn_arguments *arguments, const char *operand,
                          sn_scene_source *source);
void sn_scene_source_free(sn_scene_source *source);

// How the command line wants URDF files read; `folder`, `find` and `user` are left alone. The
// source must stay as long as the options.
void sn_scene_source_options(sn_scene_source *source, sn_scene_options *options);

// "N notes; `sinew check` lists them", where there are some, of scenes that are not built in.
void sn_scene_source_say_notes(const sn_arguments *arguments, const sn_scene_source *source,
                               const sn_scene *scene);

sn_status sn_scene_source_read(sn_scene_source *source, sn_scene **scene, sn_error_list *errors);

// Each error as `file:line:column: text`, then the line it is in with a caret below the place.
void sn_scene_source_explain(const sn_arguments *arguments, const sn_scene_source *source,
                             const sn_error_list *errors);

// All three in one: the scene, with what --set says of it, or an exit code after telling stderr
// what is wrong.
int sn_scene_source_load(const sn_arguments *arguments, const char *operand, sn_scene **scene);

#endif
