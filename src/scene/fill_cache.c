#include "scene/fill_cache.h"

#ifdef __wasi__

sn_status sn_fill_cached(const char *folder, const sn_mesh *surface,
                         const sn_tetrahedra_fill_options *options, sn_tetrahedra **tetrahedra,
                         sn_tetrahedra_fill_report *report, sn_error *error)
{
    (void)folder; // there is none
    return sn_tetrahedra_fill(surface, options, tetrahedra, report, error);
}

#else

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"

// Counted up whenever a filler gives other elements for the same surface.
enum { FILLER_VERSION = 1, PATH_SIZE = 1024 };

static const char ENDING[] = ".fill";
static const off_t MOST_BYTES = 256 * 1024 * 1024;

// How a file begins; then positions, elements, and the hash of all before it.
typedef struct cache_head {
    char magic[8];
    int32_t vertex_count, element_count;
    uint64_t names[2]; // what it was filled from
    sn_tetrahedra_fill_report report;
} cache_head;

// ---- names ----

static uint64_t hash_surface(const sn_mesh *surface, const sn_tetrahedra_fill_options *options,
                             uint64_t seed)
{
    const int32_t whole[4] = {FILLER_VERSION, (int32_t)options->method,
                              sn_mesh_vertex_count(surface), sn_mesh_triangle_count(surface)};
    seed = sn_hash64(whole, sizeof whole, seed);
    seed = sn_hash64(&options->edge, sizeof options->edge, seed);
    if (options->method == SN_FILL_GMSH) {
        seed = sn_hash64(options->program, strlen(options->program), seed);
    }
    seed = sn_hash64(sn_mesh_positions(surface), (size_t)whole[2] * sizeof(sn_vec3), seed);
    return sn_hash64(sn_mesh_triangles(surface), 3 * (size_t)whole[3] * sizeof(int), seed);
}

static cache_head head_of(const sn_mesh *surface, const sn_tetrahedra_fill_options *options)
{
    cache_head head;
    memset(&head, 0, sizeof head); // gaps between members are hashed as well
    memcpy(head.magic, "SNFILL01", sizeof head.magic);
    head.names[0] = hash_surface(surface, options, 1);
    head.names[1] = hash_surface(surface, options, UINT64_C(0x9e3779b97f4a7c15));
    return head;
}

static bool path_of(const char *folder, const cache_head *head, char path[PATH_SIZE])
{
    int length =
        snprintf(path, PATH_SIZE, "%s/%016llx%016llx%s", folder, (unsigned long long)head->names[0],
                 (unsigned long long)head->names[1], ENDING);
    return length > 0 && length < PATH_SIZE;
}

// ---- reading ----

static size_t bytes_of(const cache_head *head)
{
    return sizeof *head + (size_t)head->vertex_count * sizeof(sn_vec3) +
           4 * (size_t)head->element_count * sizeof(int) + sizeof(uint64_t);
}

// A whole file of at least a head, or NULL.
static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    struct stat state;
    char *bytes = NULL;
    if (file != NULL && fstat(fileno(file), &state) == 0 && state.st_size <= MOST_BYTES &&
        state.st_size >= (off_t)sizeof(cache_head)) {
        *length = (size_t)state.st_size;
        bytes = sn_allocate(*length);
        if (bytes != NULL && fread(bytes, 1, *length, file) != *length) {
            sn_free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

// False for anything that is not what was kept under this name.
static bool read_kept(const char *path, const cache_head *wanted, sn_tetrahedra **tetrahedra,
                      sn_tetrahedra_fill_report *report)
{
    size_t length = 0;
    char *bytes = read_all(path, &length);
    cache_head head;
    uint64_t hash = 0;
    bool good = bytes != NULL;
    if (good) {
        memcpy(&head, bytes, sizeof head);
        good = memcmp(head.magic, wanted->magic, sizeof head.magic) == 0 &&
               memcmp(head.names, wanted->names, sizeof head.names) == 0 &&
               head.vertex_count >= 4 && head.element_count >= 1 && bytes_of(&head) == length;
    }
    if (good) {
        memcpy(&hash, bytes + length - sizeof hash, sizeof hash);
        good = hash == sn_hash64(bytes, length - sizeof hash, 0);
    }
    if (good) {
        sn_tetrahedra_def def = sn_default_tetrahedra_def();
        def.least_quality = 0.0;
        def.positions = (const sn_vec3 *)(const void *)(bytes + sizeof head);
        def.vertex_count = head.vertex_count;
        def.elements = (const int *)(const void *)(def.positions + head.vertex_count);
        def.element_count = head.element_count;
        good = sn_tetrahedra_create(&def, tetrahedra, NULL) == SN_OK;
        *report = head.report;
    }
    sn_free(bytes);
    return good;
}

// ---- writing ----

static bool ends_well(const char *name)
{
    size_t length = strlen(name), ending = sizeof ENDING - 1;
    return length > ending && strcmp(name + length - ending, ENDING) == 0;
}

typedef struct cache_list {
    off_t total;
    time_t oldest_time;
    char oldest[PATH_SIZE];
} cache_list;

static void list_files(const char *folder, cache_list *list)
{
    *list = (cache_list){0};
    DIR *open = opendir(folder);
    for (struct dirent *entry = open != NULL ? readdir(open) : NULL; entry != NULL;
         entry = readdir(open)) {
        char path[PATH_SIZE];
        struct stat state;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!ends_well(entry->d_name) || length >= PATH_SIZE || stat(path, &state) != 0) {
            continue;
        }
        list->total += state.st_size;
        if (list->oldest[0] == '\0' || state.st_mtime < list->oldest_time) {
            list->oldest_time = state.st_mtime;
            memcpy(list->oldest, path, sizeof path);
        }
    }
    if (open != NULL) {
        closedir(open);
    }
}

// Until there is room for so many bytes.
static void remove_oldest(const char *folder, off_t wanted)
{
    cache_list list;
    list_files(folder, &list);
    while (list.oldest[0] != '\0' && list.total + wanted > MOST_BYTES && remove(list.oldest) == 0) {
        list_files(folder, &list);
    }
}

// The folder and those above it.
static void make_folder(const char *folder)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s", folder);
    for (int i = 1; i < length && length < PATH_SIZE; ++i) {
        if (path[i] == '/') {
            path[i] = '\0';
            mkdir(path, 0777);
            path[i] = '/';
        }
    }
    mkdir(folder, 0700);
}

static void keep(const char *folder, const char *path, const cache_head *name,
                 const sn_tetrahedra *tetrahedra, const sn_tetrahedra_fill_report *report)
{
    cache_head head = *name;
    head.vertex_count = sn_tetrahedra_vertex_count(tetrahedra);
    head.element_count = sn_tetrahedra_element_count(tetrahedra);
    memcpy(&head.report, report, sizeof *report);
    size_t length = bytes_of(&head), positions = (size_t)head.vertex_count * sizeof(sn_vec3);
    char *bytes = length <= (size_t)MOST_BYTES / 4 ? sn_allocate(length) : NULL;
    char part[PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.XXXXXX", path);
    if (bytes == NULL || sn_tetrahedra_nodes(tetrahedra) != 4) {
        sn_free(bytes);
        return;
    }
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, sn_tetrahedra_positions(tetrahedra), positions);
    memcpy(bytes + sizeof head + positions, sn_tetrahedra_elements(tetrahedra),
           4 * (size_t)head.element_count * sizeof(int));
    uint64_t hash = sn_hash64(bytes, length - sizeof hash, 0);
    memcpy(bytes + length - sizeof hash, &hash, sizeof hash);
    make_folder(folder);
    remove_oldest(folder, (off_t)length);
    int descriptor = mkstemp(part);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file != NULL) {
        bool good = fwrite(bytes, 1, length, file) == length;
        good = fclose(file) == 0 && good;
        if (!good || rename(part, path) != 0) {
            remove(part);
        }
    } else if (descriptor >= 0) {
        close(descriptor);
        remove(part);
    }
    sn_free(bytes);
}

// ---- all ----

sn_status sn_fill_cached(const char *folder, const sn_mesh *surface,
                         const sn_tetrahedra_fill_options *options, sn_tetrahedra **tetrahedra,
                         sn_tetrahedra_fill_report *report, sn_error *error)
{
    sn_tetrahedra_fill_options defaults = sn_default_tetrahedra_fill_options();
    const sn_tetrahedra_fill_options *o = options != NULL ? options : &defaults;
    sn_tetrahedra_fill_report found;
    char path[PATH_SIZE];
    cache_head head = head_of(surface, o);
    bool keeps = folder != NULL && folder[0] != '\0' && path_of(folder, &head, path);
    *tetrahedra = NULL;
    if (keeps && read_kept(path, &head, tetrahedra, &found)) {
        if (report != NULL) {
            *report = found;
        }
        return SN_OK;
    }
    memset(&found, 0, sizeof found);
    sn_status status = sn_tetrahedra_fill(surface, o, tetrahedra, &found, error);
    if (status == SN_OK && keeps) {
        keep(folder, path, &head, *tetrahedra, &found);
    }
    if (report != NULL) {
        *report = found;
    }
    return status;
}

#endif
