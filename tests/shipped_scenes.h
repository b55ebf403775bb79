// The scenes that come with the project, by name. SINEW_SCENE=name in the environment: that scene
// alone.
#ifndef SN_TESTS_SHIPPED_SCENES_H
#define SN_TESTS_SHIPPED_SCENES_H

#include "scene_text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SCENES = 100 };

typedef struct scene_names {
    char names[MOST_SCENES][64];
    int count;
} scene_names;

static inline int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static inline scene_names list_scenes(void)
{
    scene_names list = {.count = 0};
    DIR *folder = opendir("scenes");
    const char *only = getenv("SINEW_SCENE");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".json") != 0) {
            continue;
        }
        assert_in_range(list.count, 0, MOST_SCENES - 1);
        char *name = list.names[list.count];
        snprintf(name, sizeof list.names[0], "%.*s", (int)(dot - entry->d_name), entry->d_name);
        list.count += only == NULL || strcmp(only, name) == 0;
    }
    closedir(folder);
    qsort(list.names, (size_t)list.count, sizeof list.names[0], by_name);
    assert_in_range(list.count, only == NULL ? 20 : 1, MOST_SCENES);
    return list;
}

static inline sn_scene *load_shipped(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "scenes/%s.json", name);
    return load_good(path);
}

static inline sn_world *build_shipped(const char *name, const sn_scene *scene, int threads)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
    assert_int_equal(sn_world_set_threads(world, threads, NULL), SN_OK);
    return world;
}

// False when the world has stopped.
static inline bool step_shipped(const char *name, const sn_scene *scene, sn_world *world)
{
    sn_error error = {0};
    if (sn_world_stopped(world)) {
        return false;
    }
    if (sn_world_step(world, sn_scene_run(scene).step, &error) != SN_OK) {
        fail_msg("%s: %s", name, sn_error_message(&error));
    }
    return true;
}

#endif
