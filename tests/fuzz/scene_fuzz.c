// Fuzzes the scene reader: any bytes are read as a scene; one that loads is built, stepped, and
// written out resolved, and the resolved text must be the same scene again.
#include <stdlib.h>
#include <string.h>

#include "sinew/scene.h"

// Includes find this text, whatever their name, so that the fuzzer never waits for a file.
static const char *find(void *user, const char *path, size_t *length)
{
    (void)user;
    const char *text =
        strstr(path, "broken") != NULL ? "{" : "{\"sinew\": 1, \"materials\": {\"included\": {}}}";
    *length = strlen(text);
    return text;
}

static void turn_params(sn_scene *scene)
{
    for (int i = 0; i < sn_scene_param_count(scene) && i < 4; ++i) {
        sn_param param = sn_scene_param(scene, i);
        sn_error error = {0};
        (void)sn_scene_set_param(scene, param.name, 1.5 * param.value - 0.25, &error);
    }
}

static uint64_t run(const sn_scene *scene)
{
    sn_run how = sn_scene_run(scene);
    sn_world *world = NULL;
    sn_error error = {0};
    uint64_t hash = 0;
    if (how.threads <= 2 && sn_scene_build(scene, &world, &error) == SN_OK) {
        for (int i = 0; i < 3 && how.policy == SN_POLICY_LOCKSTEP; ++i) {
            if (sn_world_step(world, 1e-3, &error) != SN_OK) {
                break;
            }
        }
        hash = sn_world_hash(world);
        for (int i = 0; i < sn_scene_probe_count(scene); ++i) {
            sn_named_probe probe;
            if (sn_scene_probe(scene, world, i, &probe, &error) != SN_OK) {
                abort(); // a probe of a scene that loads must bind
            }
            (void)sn_probe_read(world, &probe.probe);
        }
        sn_world_destroy(world);
    }
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_scene_options options = {.folder = "nowhere", .find = find};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status =
        sn_scene_load_text("fuzz", (const char *)data, size, &options, &scene, &errors);
    if ((status == SN_OK) != (errors.count == 0) || (status == SN_OK) != (scene != NULL)) {
        abort(); // refused without a word, or accepted with complaints
    }
    sn_error_list_free(&errors);
    if (scene == NULL) {
        return 0;
    }
    turn_params(scene);
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_scene *again = NULL;
    if (sn_scene_resolved_text(scene, &text, &length, &error) != SN_OK) {
        abort();
    }
    // Large generated meshes take long under the sanitizers and teach nothing new.
    if (length < 1 << 18) {
        if (sn_scene_load_text("resolved", text, length, NULL, &again, NULL) != SN_OK) {
            abort(); // what was understood once must be understood again
        }
        if (run(scene) != run(again)) {
            abort();
        }
    }
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
    sn_scene_destroy(again);
    return 0;
}
