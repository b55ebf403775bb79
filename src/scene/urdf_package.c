// For realpath, which the standard that the project is built with does not have.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier)
#include "scene/urdf_package.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "scene/path.h"

enum { PATH_SIZE = 4096, UP_LIMIT = 32 };

// ---- files and folders ----

// A place without files, such as a browser, has no real paths either.
static const char *real_path(const char *path, char real[PATH_SIZE])
{
#ifdef __wasi__
    (void)path;
    (void)real;
    return NULL;
#else
    return realpath(path, real);
#endif
}

static bool is_there(const char *folder, const char *name, bool folders)
{
    char *path = sn_path_join(folder, name);
    struct stat status;
    bool found = path != NULL && stat(path, &status) == 0 &&
                 (folders ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode));
    sn_free(path);
    return found;
}

static bool join(char path[PATH_SIZE], const char *a, const char *b)
{
    bool slash = a[0] != '\0' && a[strlen(a) - 1] != '/';
    int length = snprintf(path, PATH_SIZE, "%s%s%s", a, slash ? "/" : "", b);
    return length >= 0 && length < PATH_SIZE;
}

// The last part of a folder's real path; "" for the root of all.
static const char *real_name(const char *folder, const char *relative, char real[PATH_SIZE])
{
    char *path = sn_path_join(folder, relative[0] != '\0' ? relative : ".");
    const char *found = path != NULL ? real_path(path, real) : NULL;
    sn_free(path);
    return found != NULL ? strrchr(found, '/') + 1 : NULL;
}

// Does the package.xml of a folder give it this name?
static bool is_called(const char *folder, const char *relative, const char *name)
{
    char manifest[PATH_SIZE];
    if (!join(manifest, relative, "package.xml") || !is_there(folder, manifest, false)) {
        return false;
    }
    char *path = sn_path_join(folder, manifest), *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    bool same = false;
    if (path != NULL && sn_path_read(path, 1 << 20, &text, &length, &error) == SN_OK) {
        const char *at = strstr(text, "<name>");
        at = at != NULL ? at + 6 : "";
        at += strspn(at, " \t\r\n");
        size_t size = strcspn(at, " \t\r\n<");
        same = strlen(name) == size && memcmp(at, name, size) == 0;
    }
    sn_free(text);
    sn_free(path);
    return same;
}

// ---- packages ----

typedef struct wanted {
    sn_package_search *search;
    const char *name, *rest;
    char root[PATH_SIZE]; // of the package, once it is found
} wanted;

static const char *folder_of(const wanted *w)
{
    return w->search->folder;
}

// Is the file in this folder? Then the folder is the package's root.
static bool try_root(wanted *w, const char *root)
{
    char path[PATH_SIZE];
    if (!join(path, root, w->rest) || !is_there(folder_of(w), path, false)) {
        return false;
    }
    snprintf(w->root, sizeof w->root, "%s", root);
    return true;
}

// Is this folder, or `deep`: one inside of it, the package?
static bool try_inside(wanted *w, const char *root, bool deep);

static bool try_entry(wanted *w, const char *inner, bool deep)
{
    char direct[PATH_SIZE];
    return (is_called(folder_of(w), inner, w->name) && try_root(w, inner)) ||
           (deep && join(direct, inner, w->name) && try_root(w, direct)) ||
           (deep && is_there(folder_of(w), inner, true) && try_inside(w, inner, false));
}

// Folders inside `root` that are the package by their manifests. Of several the first by name, in
// whatever order the disk lists them.
static bool try_inside(wanted *w, const char *root, bool deep)
{
    char *path = sn_path_join(folder_of(w), root[0] != '\0' ? root : ".");
    DIR *listing = path != NULL ? opendir(path) : NULL;
    char best[PATH_SIZE] = "", inner[PATH_SIZE];
    sn_free(path);
    if (listing == NULL) {
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] != '.' && join(inner, root, entry->d_name) &&
            try_entry(w, inner, deep) && (best[0] == '\0' || strcmp(w->root, best) < 0)) {
            memcpy(best, w->root, sizeof best);
        }
    }
    closedir(listing);
    memcpy(w->root, best, sizeof best);
    return best[0] != '\0';
}

// The folder itself, or one in it.
static bool try_folder(wanted *w, const char *root, const char *real, bool deep)
{
    char inner[PATH_SIZE];
    bool same =
        (real != NULL && strcmp(real, w->name) == 0) || is_called(folder_of(w), root, w->name);
    return (same && try_root(w, root)) || (join(inner, root, w->name) && try_root(w, inner)) ||
           try_inside(w, root, deep);
}

static bool try_given(wanted *w)
{
    const sn_scene *scene = w->search->reader->scene;
    char real[PATH_SIZE], inner[PATH_SIZE];
    for (int i = 0; i < scene->package_count; ++i) {
        const sn_package *package = &scene->packages[i];
        if (strcmp(package->name, w->name) == 0 && real_path(package->folder, real) != NULL &&
            (try_root(w, real) || (join(inner, real, w->name) && try_root(w, inner)))) {
            return true;
        }
    }
    const sn_string_list *list = &w->search->item->packages;
    for (int i = 0; i < list->count; ++i) {
        char *path =
            sn_path_join(scene->sources.data[list->places[i].source].folder, list->data[i]);
        const char *base = path != NULL ? real_path(path, real) : NULL;
        bool named = list->keys != NULL && strcmp(list->keys[i], w->name) == 0;
        bool found = base != NULL &&
                     ((named && try_root(w, real)) ||
                      (list->keys == NULL && try_folder(w, real, strrchr(real, '/') + 1, true)));
        sn_free(path);
        if (found) {
            return true;
        }
    }
    return false;
}

static bool try_upwards(wanted *w)
{
    char up[3 * UP_LIMIT + 1] = "", real[PATH_SIZE];
    for (int i = 0; i < UP_LIMIT; ++i) {
        const char *name = real_name(folder_of(w), up, real);
        if (name == NULL) {
            return false;
        }
        if (try_folder(w, up, name, strcmp(name, "src") == 0)) {
            return true;
        }
        if (name[0] == '\0') {
            return false; // the root of all
        }
        memcpy(up + 3 * i, "../", 4);
    }
    return false;
}

// The folders of a variable, between colons.
static bool try_variable(wanted *w, const char *variable, const char *below)
{
    const char *at = getenv(variable);
    while (at != NULL && *at != '\0') {
        size_t length = strcspn(at, ":");
        char root[PATH_SIZE], inner[PATH_SIZE], real[PATH_SIZE];
        if (length > 0 && length < sizeof root) {
            memcpy(inner, at, length);
            inner[length] = '\0';
            if (real_path(inner, real) != NULL && join(root, real, below) &&
                try_folder(w, root, strrchr(real, '/') + 1, below[0] == '\0')) {
                return true;
            }
        }
        at += length + (at[length] == ':');
    }
    return false;
}

// Folders above that are no other package.
static bool try_rest(wanted *w)
{
    char up[3 * UP_LIMIT + 1] = "", real[PATH_SIZE], manifest[PATH_SIZE];
    for (int i = 0; i < UP_LIMIT; ++i) {
        bool other = w->name[0] != '\0' && join(manifest, up, "package.xml") &&
                     is_there(folder_of(w), manifest, false);
        if (!other && try_root(w, up)) {
            return true;
        }
        const char *name = real_name(folder_of(w), up, real);
        if (name == NULL || name[0] == '\0') {
            return false;
        }
        memcpy(up + 3 * i, "../", 4);
    }
    return false;
}

// Where a package was found before: its index, or -1.
static int find_known(const sn_package_search *search, const char *name)
{
    int i = search->known_count - 1;
    while (i >= 0 && strcmp(search->known[i].name, name) != 0) {
        i -= 1;
    }
    return i;
}

static bool find_named(wanted *w)
{
    sn_package_search *search = w->search;
    int known = find_known(search, w->name);
    if (known >= 0 && search->known[known].root == NULL) {
        return try_given(w);
    }
    if (known >= 0 && try_root(w, search->known[known].root)) {
        return true;
    }
    bool found = try_given(w) || try_upwards(w) || try_variable(w, "ROS_PACKAGE_PATH", "") ||
                 try_variable(w, "AMENT_PREFIX_PATH", "share");
    if (known < 0 && search->known_count < SN_PACKAGE_CACHE && strlen(w->name) < SN_PACKAGE_NAME) {
        known = search->known_count;
        memcpy(search->known[known].name, w->name, strlen(w->name) + 1);
        search->known[known].root = NULL;
        if (found) {
            search->known[known].root =
                (char *)sn_arena_text(&search->reader->scene->arena, w->root, strlen(w->root));
        }
        search->known_count += !found || search->known[known].root != NULL;
    }
    return found;
}

// ---- names ----

static const char *keep(sn_package_search *search, const char *root, const char *rest)
{
    char path[PATH_SIZE];
    const char *kept = join(path, root, rest)
                           ? sn_arena_text(&search->reader->scene->arena, path, strlen(path))
                           : NULL;
    search->reader->out_of_memory = search->reader->out_of_memory || kept == NULL;
    return kept;
}

// A package given under nearly the same name.
static const char *near_package(const sn_package_search *search, const char *name)
{
    enum { SUGGESTIONS = 64 };
    const sn_scene *scene = search->reader->scene;
    const char *known[SUGGESTIONS];
    int count = 0;
    for (int i = 0; i < scene->package_count && count < SUGGESTIONS; ++i) {
        known[count++] = scene->packages[i].name;
    }
    const sn_string_list *list = &search->item->packages;
    for (int i = 0; list->keys != NULL && i < list->count && count < SUGGESTIONS; ++i) {
        known[count++] = list->keys[i];
    }
    return sn_suggest(name, known, count);
}

// A repository that was fetched without its large files has a few lines of text in their place.
static bool is_pointer(const sn_package_search *search, const char *path)
{
    static const char head[] = "version https://git-lfs";
    char start[sizeof head] = "", *full = sn_path_join(search->folder, path);
    FILE *file = full != NULL ? fopen(full, "rb") : NULL;
    size_t length = file != NULL ? fread(start, 1, sizeof head - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    sn_free(full);
    return length == sizeof head - 1 && memcmp(start, head, length) == 0;
}

static const char *find_in_package(sn_package_search *search, const char *name, size_t length,
                                   const char *rest, char why[SN_PACKAGE_WHY])
{
    char package[SN_PACKAGE_NAME];
    snprintf(package, sizeof package, "%.*s", (int)(length < 127 ? length : 127), name);
    wanted w = {.search = search, .name = package, .rest = rest};
    if (find_named(&w)) {
        return keep(search, w.root, rest);
    }
    if (try_rest(&w)) {
        snprintf(why, SN_PACKAGE_WHY, "no package \"%.60s\": its \"%.80s\" is taken from \"%.80s\"",
                 package, rest, w.root[0] != '\0' ? w.root : ".");
        return keep(search, w.root, rest);
    }
    const char *near = near_package(search, package);
    const char *folder = search->folder[0] != '\0' ? search->folder : ".";
    const char *path = getenv("ROS_PACKAGE_PATH") != NULL ? ", nor in ROS_PACKAGE_PATH" : "";
    if (near != NULL && strcmp(near, package) == 0) {
        snprintf(why, SN_PACKAGE_WHY, "no \"%.100s\" in the folder given for the package \"%.60s\"",
                 rest, package);
    } else if (near != NULL) {
        snprintf(why, SN_PACKAGE_WHY,
                 "no package \"%.60s\" from \"%.60s\" upwards%s; \"%.60s\" is given, did you mean "
                 "that?",
                 package, folder, path, near);
    } else {
        snprintf(why, SN_PACKAGE_WHY,
                 "no package \"%.60s\" with it from \"%.60s\" upwards%s; --package %.60s=DIR names "
                 "its folder",
                 package, folder, path, package);
    }
    return NULL;
}

static const char *find_plain(sn_package_search *search, const char *path, char why[SN_PACKAGE_WHY])
{
    wanted w = {.search = search, .name = "", .rest = path};
    if (path[0] == '/' ? is_there("", path, false) : try_rest(&w)) {
        return keep(search, path[0] == '/' ? "" : w.root, path);
    }
    char near[SN_PATH_NEAR_SIZE] = "";
    char *full = sn_path_join(search->folder, path);
    bool found = full != NULL && sn_path_near(full, near);
    snprintf(why, SN_PACKAGE_WHY, "no file \"%.100s\"%s%s%s", full != NULL ? full : path,
             found            ? "; did you mean \""
             : path[0] != '/' ? " nor in any folder above"
                              : "",
             near, found ? "\"?" : "");
    sn_free(full);
    return NULL;
}

static const char *find_path(sn_package_search *search, const char *name, char why[SN_PACKAGE_WHY])
{
    char *path = (char *)sn_arena_text(&search->reader->scene->arena, name, strlen(name));
    why[0] = '\0';
    if (path == NULL) {
        search->reader->out_of_memory = true;
        return NULL;
    }
    for (char *at = strchr(path, '\\'); at != NULL; at = strchr(at, '\\')) {
        *at = '/'; // written under Windows
    }
    if (search->reader->scene->sealed) {
        snprintf(why, SN_PACKAGE_WHY, "a text from elsewhere reads no files");
        return NULL;
    }
    if (strstr(path, "$(") != NULL || strstr(path, "${") != NULL) {
        snprintf(why, SN_PACKAGE_WHY, "xacro has not been run on this file");
        return NULL;
    }
    const char *scheme = strstr(path, "://");
    if (scheme == NULL) {
        return find_plain(search, path, why);
    }
    size_t length = (size_t)(scheme - path);
    const char *rest = scheme + 3, *slash = strchr(rest, '/');
    bool package = (length == 7 && strncmp(path, "package", 7) == 0) ||
                   (length == 5 && strncmp(path, "model", 5) == 0);
    if (package && slash != NULL && slash > rest) {
        return find_in_package(search, rest, (size_t)(slash - rest), slash + 1, why);
    }
    if (package) { // package:///part.stl, as some exporters write it: beside the file
        return find_plain(search, rest + (rest[0] == '/'), why);
    }
    if (length == 4 && strncmp(path, "file", 4) == 0) {
        return find_plain(search, rest, why);
    }
    snprintf(why, SN_PACKAGE_WHY, "it cannot be reached, expected package://, file:// or a path");
    return NULL;
}

const char *sn_package_find(sn_package_search *search, const char *name, char why[SN_PACKAGE_WHY])
{
    const char *path = find_path(search, name, why);
    if (path != NULL && is_pointer(search, path)) {
        snprintf(why, SN_PACKAGE_WHY, "it is only a pointer: run `git lfs pull`");
        return NULL;
    }
    return path;
}
