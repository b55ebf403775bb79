#include "file_suggest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "files.h"

static bool is_scene_file(const char *name)
{
    return sn_path_ends_with(name, ".json") || sn_path_ends_with(name, ".jsonc") ||
           sn_path_ends_with(name, ".urdf");
}

const char *sn_file_suggest(const char *path, char *near, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    int folder_length = (int)(name - path);
    char folder[SN_PATH_LIMIT], stem[256], best[256] = "";
    if (folder_length >= SN_PATH_LIMIT || strlen(name) >= sizeof stem) {
        return NULL;
    }
    snprintf(folder, sizeof folder, "%.*s", folder_length, path);
    sn_path_stem(name, stem, sizeof stem);
    DIR *entries = opendir(folder_length > 0 ? folder : ".");
    const struct dirent *entry = NULL;
    // Each name challenges the best one so far; of equals the first in the alphabet wins, since
    // folders have no order. "pendulum" means pendulum.json.
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (!is_scene_file(entry->d_name) || strlen(entry->d_name) >= sizeof best) {
            continue;
        }
        char other[256], best_stem[256];
        sn_path_stem(entry->d_name, other, sizeof other);
        sn_path_stem(best, best_stem, sizeof best_stem);
        bool first = best[0] == '\0' || strcmp(entry->d_name, best) < 0;
        const char *whole[2] = {first ? entry->d_name : best, first ? best : entry->d_name};
        const char *stems[2] = {first ? other : best_stem, first ? best_stem : other};
        const char *found = sn_suggest(name, whole, best[0] == '\0' ? 1 : 2);
        if (found == NULL) {
            const char *like = sn_suggest(stem, stems, best[0] == '\0' ? 1 : 2);
            found = like != NULL ? whole[like == stems[1]] : NULL;
        }
        if (found == entry->d_name) {
            memcpy(best, entry->d_name, strlen(entry->d_name) + 1);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (best[0] == '\0') {
        return NULL;
    }
    snprintf(near, size, "%s%s", folder, best);
    return near;
}
