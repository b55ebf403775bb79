#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

sn_status sn_folder_join(const char *folder, const char *name, char *path, sn_error *error)
{
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    int wanted = snprintf(path, SN_PATH_LIMIT, "%s%s%s", folder, slash, name);
    if (wanted >= SN_PATH_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a path of %d letters is too long", wanted);
    }
    return SN_OK;
}

const char *sn_path_stem(const char *path, char *stem, size_t size)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        --length;
    }
    size_t start = length;
    while (start > 0 && path[start - 1] != '/') {
        --start;
    }
    size_t end = length;
    for (size_t i = length; i > start + 1; --i) {
        if (path[i - 1] == '.') {
            end = i - 1;
            break;
        }
    }
    snprintf(stem, size, "%.*s", (int)(end - start), path + start);
    return stem;
}

bool sn_path_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool sn_path_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool sn_path_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), suffix = strlen(ending);
    return length >= suffix && strcmp(path + length - suffix, ending) == 0;
}

sn_status sn_folder_for(const char *path, sn_error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[SN_PATH_LIMIT];
    if (slash == NULL || slash == path || slash - path >= SN_PATH_LIMIT) {
        return SN_OK;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return sn_path_exists(folder) ? SN_OK
                                  : sn_fail(error, SN_ERROR_FILE, path,
                                            "cannot be written: there is no folder %s", folder);
}

const char *sn_path_for_output(const char *path)
{
    return strcmp(path, "-") == 0 ? "/dev/stdout" : path;
}

sn_status sn_make_folders(const char *path, sn_error *error)
{
    char part[SN_PATH_LIMIT];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a folder's name is empty or too long");
    }
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        int reason = mkdir(part, 0777) == 0 ? 0 : errno;
        if (reason != 0 && reason != EEXIST && !sn_path_is_folder(part)) {
            return sn_fail(error, SN_ERROR_FILE, part, "cannot make this folder: %s",
                           strerror(reason));
        }
    }
    if (!sn_path_is_folder(path)) {
        return sn_fail(error, SN_ERROR_FILE, path, "is a file, but a folder is wanted here");
    }
    return SN_OK;
}

sn_status sn_read_file(const char *path, char **text, size_t *length, sn_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        return sn_fail(error, SN_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
    }
    sn_status status = SN_OK;
    char *bytes = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used + 1 >= room) {
            size_t wanted = room == 0 ? 65536 : 2 * room;
            char *more = sn_reallocate(bytes, wanted);
            if (more == NULL) {
                status = sn_fail_memory(error, wanted);
                break;
            }
            bytes = more;
            room = wanted;
        }
        size_t got = fread(bytes + used, 1, room - used - 1, stream);
        used += got;
        if (used > SN_READ_LIMIT) { // a device without end, most likely
            status =
                sn_fail(error, SN_ERROR_FILE, path, "is longer than %d MB", SN_READ_LIMIT >> 20);
            break;
        }
        if (got == 0) {
            break;
        }
    }
    if (status == SN_OK && ferror(stream)) {
        status = sn_fail(error, SN_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
    }
    if (!standard) {
        fclose(stream);
    }
    if (status != SN_OK) {
        sn_free(bytes);
        return status;
    }
    bytes[used] = '\0';
    *text = bytes;
    *length = used;
    return SN_OK;
}

sn_status sn_new_file_open(sn_new_file *file, const char *path, sn_error *error)
{
    file->part[0] = '\0';
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        snprintf(file->path, sizeof file->path, "standard output");
        return SN_OK;
    }
    // A device or pipe cannot be replaced, only written to.
    struct stat status;
    bool plain = stat(path, &status) != 0 || S_ISREG(status.st_mode);
    int wanted = snprintf(file->path, sizeof file->path, "%s", path);
    if (wanted + 8 >= SN_PATH_LIMIT) {
        return sn_fail(error, SN_ERROR_FILE, NULL, "a path of %d letters is too long", wanted);
    }
    if (plain) {
        memcpy(file->part, file->path, (size_t)wanted);
        memcpy(file->part + wanted, ".part", 6);
    }
    file->stream = fopen(plain ? file->part : file->path, "wb");
    if (file->stream == NULL) {
        int reason = errno;
        sn_status missing = sn_folder_for(path, error);
        return missing != SN_OK
                   ? missing
                   : sn_fail(error, SN_ERROR_FILE, path, "cannot be written: %s", strerror(reason));
    }
    return SN_OK;
}

void sn_new_file_abandon(sn_new_file *file)
{
    if (file->stream != NULL && file->stream != stdout) {
        fclose(file->stream);
    }
    if (file->part[0] != '\0') {
        unlink(file->part);
    }
    file->stream = NULL;
}

sn_status sn_new_file_close(sn_new_file *file, sn_error *error)
{
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    if (file->stream != stdout) {
        good = fclose(file->stream) == 0 && good;
    }
    file->stream = NULL;
    if (good && file->part[0] != '\0') {
        good = rename(file->part, file->path) == 0;
    }
    if (!good) {
        sn_status status = sn_fail(error, SN_ERROR_FILE, file->path, "cannot be written: %s",
                                   errno != 0 ? strerror(errno) : "write error");
        sn_new_file_abandon(file);
        return status;
    }
    return SN_OK;
}

sn_status sn_write_file(const char *path, const char *text, size_t length, sn_error *error)
{
    sn_new_file file = {0};
    sn_status status = sn_new_file_open(&file, path, error);
    if (status != SN_OK) {
        return status;
    }
    fwrite(text, 1, length, file.stream);
    return sn_new_file_close(&file, error);
}
