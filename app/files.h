// Paths and small files of the command: making folders, reading a whole file, writing one in place
// of another.
#ifndef SN_APP_FILES_H
#define SN_APP_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "sinew/base.h"

enum { SN_PATH_LIMIT = 4096 };

// folder/name into path[SN_PATH_LIMIT].
sn_status sn_folder_join(const char *folder, const char *name, char *path, sn_error *error);

// The last part of a path without its ending: "a/b.json" -> "b".
const char *sn_path_stem(const char *path, char *stem, size_t size);

bool sn_path_exists(const char *path);
bool sn_path_is_folder(const char *path);
bool sn_path_ends_with(const char *path, const char *ending);

// "/dev/stdout" for "-": what the library, which knows only files, is told to write to.
const char *sn_path_for_output(const char *path);

// Fails when the folder that a file is to be written into is not there.
sn_status sn_folder_for(const char *path, sn_error *error);

// Makes a folder and those above it.
sn_status sn_make_folders(const char *path, sn_error *error);

enum { SN_READ_LIMIT = 256 << 20 }; // bytes

// A whole file (or stdin for "-"), zero-terminated; freed with sn_free. Beyond SN_READ_LIMIT it is
// refused.
sn_status sn_read_file(const char *path, char **text, size_t *length, sn_error *error);

// A file written beside its place and moved there when complete, so that a reader never sees half
// of it. "-" is stdout.
typedef struct sn_new_file {
    FILE *stream;
    char path[SN_PATH_LIMIT], part[SN_PATH_LIMIT];
} sn_new_file;

sn_status sn_new_file_open(sn_new_file *file, const char *path, sn_error *error);
sn_status sn_new_file_close(sn_new_file *file, sn_error *error); // moves it into place
void sn_new_file_abandon(sn_new_file *file);

// sn_new_file with the whole content at hand.
sn_status sn_write_file(const char *path, const char *text, size_t length, sn_error *error);

#endif
