// The built-in scenes, by name: "tumbling-racket" is the embedded file scenes/tumbling-racket.json.
#ifndef SN_APP_BUILTIN_H
#define SN_APP_BUILTIN_H

#include "embedded.h"

enum { SN_BUILTIN_LIMIT = 256 };

// The index-th built-in scene in alphabetical order, or NULL beyond the last. Folders inside
// scenes/ hold parts that scenes include; they are no scenes of their own.
const sn_embedded_file *sn_builtin_scene(int index);

// "tumbling-racket" for a built-in scene's file.
const char *sn_builtin_name(const sn_embedded_file *file, char *name, size_t size);

const sn_embedded_file *sn_builtin_find(const char *name); // NULL: there is none
const char *sn_builtin_suggest(const char *wrong, char *name, size_t size);

// The embedded file with that full name ("schema/scene.schema.json"), or NULL.
const sn_embedded_file *sn_embedded_find(const char *name);

#endif
