// "did you mean ...?" for files: the scene nearest to a path that is not there.
#ifndef SN_APP_FILE_SUGGEST_H
#define SN_APP_FILE_SUGGEST_H

#include <stddef.h>

// A scene or robot file (.json, .jsonc, .urdf) in the folder of `path` with a name like its own, as
// a path of the same kind; NULL: there is none.
const char *sn_file_suggest(const char *path, char *near, size_t size);

#endif
