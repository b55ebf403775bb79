#include "scene/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"

// Removes "." and "x/.." in place. By letters alone: links are not followed.
static void simplify(char *path)
{
    bool rooted = path[0] == '/';
    char *base = path + (rooted ? 1 : 0), *to = base;
    for (const char *from = base; *from != '\0';) {
        size_t count = strcspn(from, "/");
        bool here = count == 0 || (count == 1 && from[0] == '.');
        bool up = count == 2 && from[0] == '.' && from[1] == '.';
        char *last = to;
        while (last > base && last[-1] != '/') {
            last -= 1;
        }
        bool after_up = to - last == 2 && last[0] == '.' && last[1] == '.';
        if (up && to > base && !after_up) {
            to = last > base ? last - 1 : base;
        } else if (!here && !(up && rooted && to == base)) {
            if (to > base) {
                *to++ = '/';
            }
            memmove(to, from, count);
            to += count;
        }
        from += count + (from[count] == '/');
    }
    if (to == path) {
        *to++ = '.';
    }
    *to = '\0';
}

char *sn_path_join(const char *folder, const char *name)
{
    size_t folder_length = name[0] == '/' ? 0 : strlen(folder), name_length = strlen(name);
    char *path = sn_allocate(folder_length + name_length + 3);
    if (path == NULL) {
        return NULL;
    }
    memcpy(path, folder, folder_length);
    size_t at = folder_length;
    if (folder_length > 0) {
        path[at++] = '/';
    }
    memcpy(path + at, name, name_length + 1);
    simplify(path);
    return path;
}

size_t sn_path_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
}

bool sn_path_near(const char *path, char near[SN_PATH_NEAR_SIZE])
{
    const int most_files = 10000;
    char folder[1024] = ".";
    size_t length = sn_path_folder_length(path);
    near[0] = '\0';
    if (length >= sizeof folder) {
        return false;
    }
    if (length > 0) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    const char *wrong = path + length + (path[length] == '/');
    DIR *listing = opendir(folder);
    const struct dirent *entry = NULL;
    for (int i = 0; listing != NULL && i < most_files && (entry = readdir(listing)) != NULL; ++i) {
        const char *words[2] = {near, entry->d_name};
        if (strcmp(entry->d_name, wrong) == 0) {
            near[0] = '\0';
            break; // it is there, and cannot be read for another reason
        }
        if (strlen(entry->d_name) < SN_PATH_NEAR_SIZE &&
            sn_suggest(wrong, words, 2) == entry->d_name) {
            memcpy(near, entry->d_name, strlen(entry->d_name) + 1);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return near[0] != '\0';
}

static sn_status fail_file(const char *path, int code, sn_error *error)
{
    const char *why = code == ENOENT    ? "the file does not exist"
                      : code == EACCES  ? "the file may not be read (permission)"
                      : code == EISDIR  ? "this is a folder, expected a file"
                      : code == ENOTDIR ? "a part of the path is not a folder"
                                        : "the file cannot be read";
    return sn_fail(error, SN_ERROR_FILE, path, "%s", why);
}

sn_status sn_path_read(const char *path, size_t limit, char **text, size_t *length, sn_error *error)
{
    *text = NULL;
    *length = 0;
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail_file(path, errno, error);
    }
    size_t room = 0;
    sn_status status = SN_OK;
    while (status == SN_OK) {
        if (*length == room) {
            room = room == 0 ? 65536 : 2 * room;
            char *grown = sn_reallocate(*text, room + 1);
            if (grown == NULL) {
                status = sn_fail_memory(error, room);
                break;
            }
            *text = grown;
        }
        size_t count = fread(*text + *length, 1, room - *length, file);
        *length += count;
        if (ferror(file)) {
            status = fail_file(path, errno, error);
        } else if (*length > limit) {
            status = sn_fail(error, SN_ERROR_FILE, path,
                             "more than %zu MB, expected less (put large meshes into mesh files)",
                             limit >> 20);
        } else if (count == 0) {
            break;
        }
    }
    fclose(file);
    if (status != SN_OK) {
        sn_free(*text);
        *text = NULL;
        return status;
    }
    (*text)[*length] = '\0';
    return SN_OK;
}
