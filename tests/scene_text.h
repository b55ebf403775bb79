// Scenes given as texts: loading, building, running, and lists of mistakes with their places.
#ifndef SN_TESTS_SCENE_TEXT_H
#define SN_TESTS_SCENE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sinew/scene.h"
#include "world_steps.h"

static inline sn_scene *load(const char *text)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors);
    for (int i = 0; i < errors.count; ++i) {
        print_error("%s\n", sn_error_message(&errors.items[i]));
    }
    sn_error_list_free(&errors);
    assert_int_equal(status, SN_OK);
    return scene;
}

static inline sn_world *build(const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return world;
}

static inline sn_world *build_text(const char *text)
{
    sn_scene *scene = load(text);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

typedef struct mistake {
    const char *text;
    const char *messages[3]; // each must be the start of the error of that number
} mistake;

// Every text is refused with exactly its messages.
static inline void check_mistakes(const mistake *mistakes, size_t count)
{
    int failures = 0;
    for (size_t i = 0; i < count; ++i) {
        const mistake *m = &mistakes[i];
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_status status = sn_scene_load_text("t", m->text, strlen(m->text), NULL, &scene, &errors);
        int wanted = 0;
        bool good = status == SN_ERROR_SCENE && scene == NULL;
        for (; wanted < 3 && m->messages[wanted] != NULL; ++wanted) {
            good = good && wanted < errors.count &&
                   strncmp(sn_error_message(&errors.items[wanted]), m->messages[wanted],
                           strlen(m->messages[wanted])) == 0;
        }
        if (!good || errors.count != wanted) {
            print_error("%s\n  want: %s\n", m->text, m->messages[0]);
            for (int k = 0; k < errors.count; ++k) {
                print_error("   got: %s\n", sn_error_message(&errors.items[k]));
            }
            failures += 1;
        }
        sn_error_list_free(&errors);
        sn_scene_destroy(scene);
    }
    assert_int_equal(failures, 0);
}

// A scene that must be without mistakes.
static inline sn_scene *load_good(const char *path)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    if (sn_scene_load_file(path, NULL, &scene, &errors) != SN_OK) {
        fail_msg("%s: %s", path, errors.count > 0 ? sn_error_message(&errors.items[0]) : "");
    }
    sn_error_list_free(&errors);
    return scene;
}

#endif
