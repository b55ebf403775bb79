#include "builtin.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

static const char folder[] = "scenes/";
static const char ending[] = ".json";

static bool is_scene(const sn_embedded_file *file)
{
    size_t length = strlen(file->name), prefix = sizeof folder - 1, suffix = sizeof ending - 1;
    return length > prefix + suffix && strncmp(file->name, folder, prefix) == 0 &&
           strcmp(file->name + length - suffix, ending) == 0 &&
           strchr(file->name + prefix, '/') == NULL;
}

const sn_embedded_file *sn_builtin_scene(int index)
{
    for (int i = 0; i < sn_embedded_file_count; ++i) {
        if (is_scene(&sn_embedded_files[i]) && index-- == 0) {
            return &sn_embedded_files[i];
        }
    }
    return NULL;
}

const char *sn_builtin_name(const sn_embedded_file *file, char *name, size_t size)
{
    int length = (int)(strlen(file->name) - (sizeof folder - 1) - (sizeof ending - 1));
    snprintf(name, size, "%.*s", length, file->name + sizeof folder - 1);
    return name;
}

const sn_embedded_file *sn_builtin_find(const char *name)
{
    char other[128];
    const sn_embedded_file *file = NULL;
    for (int i = 0; (file = sn_builtin_scene(i)) != NULL; ++i) {
        if (strcmp(sn_builtin_name(file, other, sizeof other), name) == 0) {
            return file;
        }
    }
    return NULL;
}

const char *sn_builtin_suggest(const char *wrong, char *name, size_t size)
{
    char names[SN_BUILTIN_LIMIT][128];
    const char *words[SN_BUILTIN_LIMIT];
    int count = 0;
    const sn_embedded_file *file = NULL;
    while (count < SN_BUILTIN_LIMIT && (file = sn_builtin_scene(count)) != NULL) {
        words[count] = sn_builtin_name(file, names[count], sizeof names[count]);
        // The beginning of a name is a good guess even when the rest is missing.
        if (strlen(wrong) >= 3 && strncmp(words[count], wrong, strlen(wrong)) == 0) {
            snprintf(name, size, "%s", words[count]);
            return name;
        }
        ++count;
    }
    const char *near = sn_suggest(wrong, words, count);
    if (near == NULL) {
        return NULL;
    }
    snprintf(name, size, "%s", near);
    return name;
}

const sn_embedded_file *sn_embedded_find(const char *name)
{
    for (int i = 0; i < sn_embedded_file_count; ++i) {
        if (strcmp(sn_embedded_files[i].name, name) == 0) {
            return &sn_embedded_files[i];
        }
    }
    return NULL;
}
