// Runs shipped scenes and prints where each came to, for comparing builds: the same source compiled
// for this machine and for WebAssembly must print the same hashes to the letter.
//
//     scene_hash 1000                   every scene, 1,000 steps each
//     scene_hash 1000 box-pile=200      the same, but of one scene fewer
//     scene_hash 1000 box-pile          one scene alone
//
// Surfaces of tests/fill_surface.h, filled with tetrahedra, follow the scenes as fill-0, fill-1,
// ... with the number of elements in place of steps and the hash of the vertices.
//
// No scene goes beyond its own run: it has all that the scene shows, and more of the same can take
// longer than all the others. A line: name, steps taken, hash of the state, milliseconds the steps
// took, policy.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../fill_surface.h"
#include "base/hash.h"
#include "builtin.h"
#include "sinew/sinew.h"

static const char *find_embedded(void *user, const char *path, size_t *length)
{
    (void)user;
    const sn_embedded_file *file = sn_embedded_find(path);
    *length = file != NULL ? file->size : 0;
    return file != NULL ? (const char *)file->data : NULL;
}

static double milliseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int fail(const char *name, sn_error *error)
{
    printf("%s failed: %s\n", name, sn_error_message(error));
    return 1;
}

static int run(const sn_embedded_file *file, const char *name, int most)
{
    sn_scene_options options = {.folder = "scenes", .find = find_embedded};
    sn_error_list errors = {0};
    sn_error error = {0};
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    if (sn_scene_load_text(file->name, (const char *)file->data, file->size, &options, &scene,
                           &errors) != SN_OK) {
        int result = errors.count > 0 ? fail(name, &errors.items[0]) : 1;
        sn_error_list_free(&errors);
        return result;
    }
    sn_run settings = sn_scene_run(scene);
    settings.threads = 1;
    int result = 0, steps = 0;
    if (sn_scene_set_run(scene, &settings, &error) != SN_OK ||
        sn_scene_build(scene, &world, &error) != SN_OK) {
        result = fail(name, &error);
    } else {
        long whole = lround(settings.time / settings.step);
        double begin = milliseconds();
        while (steps < most && steps < whole && result == 0) {
            if (sn_world_step(world, settings.step, &error) != SN_OK) {
                result = fail(name, &error);
            }
            ++steps;
        }
        printf("%s %d %016llx %.1f %s\n", name, steps, (unsigned long long)sn_world_hash(world),
               milliseconds() - begin,
               settings.policy == SN_POLICY_PRECISE ? "precise" : "lockstep");
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return result;
}

static int fill_one(int kind, const char *name)
{
    sn_error error = {0};
    sn_mesh *surface = fill_surface((fill_surface_kind)kind);
    sn_tetrahedra *made = NULL;
    double begin = milliseconds();
    sn_status status = sn_tetrahedra_fill(surface, NULL, &made, NULL, &error);
    if (status == SN_OK) {
        size_t bytes = (size_t)sn_tetrahedra_vertex_count(made) * sizeof(sn_vec3);
        printf("%s %d %016llx %.1f lattice\n", name, sn_tetrahedra_element_count(made),
               (unsigned long long)sn_hash64(sn_tetrahedra_positions(made), bytes, 0),
               milliseconds() - begin);
    }
    sn_tetrahedra_release(made);
    sn_mesh_release(surface);
    return status == SN_OK ? 0 : fail(name, &error);
}

// Steps for a scene: what is said of it by name, else of all; 0 when only others are named.
static int steps_for(const char *name, int count, char **words)
{
    int steps = count > 1 ? (int)strtol(words[1], NULL, 10) : 1000, alone = 0;
    size_t length = strlen(name);
    for (int i = 2; i < count; ++i) {
        bool mine = strncmp(words[i], name, length) == 0;
        if (mine && words[i][length] == '=') {
            return (int)strtol(words[i] + length + 1, NULL, 10);
        }
        if (mine && words[i][length] == '\0') {
            return steps;
        }
        alone += strchr(words[i], '=') == NULL;
    }
    return alone > 0 ? 0 : steps;
}

int main(int count, char **words)
{
    int failures = 0;
    const sn_embedded_file *file = NULL;
    for (int i = 0; (file = sn_builtin_scene(i)) != NULL; ++i) {
        char name[128];
        sn_builtin_name(file, name, sizeof name);
        int steps = steps_for(name, count, words);
        if (steps > 0) {
            failures += run(file, name, steps);
            fflush(stdout);
        }
    }
    for (int kind = 0; kind < FILL_SURFACE_COUNT; ++kind) {
        char name[16];
        snprintf(name, sizeof name, "fill-%d", kind);
        if (steps_for(name, count, words) > 0) {
            failures += fill_one(kind, name);
            fflush(stdout);
        }
    }
    return failures > 0;
}
