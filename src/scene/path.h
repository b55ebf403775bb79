// Names of files: joining, simplifying, reading.
#ifndef SN_SCENE_PATH_H
#define SN_SCENE_PATH_H

#include "sinew/base.h"

// folder/name without "." and "x/..", or name alone when it starts at the root. NULL when memory
// runs out; freed with sn_free.
SN_API char *sn_path_join(const char *folder, const char *name);

// Length of the folder part of a path, without its last slash ("/" stays).
SN_API size_t sn_path_folder_length(const char *path);

// Is there a file beside the one at `path` (which is not there) whose name is nearly the same?
// Otherwise `near` is "".
#define SN_PATH_NEAR_SIZE 72
SN_API bool sn_path_near(const char *path, char near[SN_PATH_NEAR_SIZE]);

// The whole file, at most `limit` bytes. Freed with sn_free.
SN_API sn_status sn_path_read(const char *path, size_t limit, char **text, size_t *length,
                              sn_error *error);

#endif
