// Fuzzes the URDF reader: any bytes are read as a robot of a scene, once held, once free and once
// strictly; what loads is built, stepped, written as URDF, and must be understood again with as
// many bodies.
#include <stdlib.h>
#include <string.h>

#include "sinew/scene.h"

typedef struct input {
    const char *data;
    size_t size;
} input;

static const char *find(void *user, const char *path, size_t *length)
{
    (void)path;
    const input *in = user;
    *length = in->size;
    return in->data;
}

// Meshes would have the fuzzer read whatever lies on the disk.
static bool names_files(const input *in)
{
    static const char word[] = "filename";
    for (size_t i = 0; i + sizeof word - 1 <= in->size; ++i) {
        if (memcmp(in->data + i, word, sizeof word - 1) == 0) {
            return true;
        }
    }
    return false;
}

static sn_scene *load(const char *text, input *in, bool strict)
{
    sn_scene_options options = {.folder = "nowhere", .find = find, .user = in, .strict = strict};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("fuzz", text, strlen(text), &options, &scene, &errors);
    if ((status == SN_OK) != (errors.count == 0) || (status == SN_OK) != (scene != NULL)) {
        abort(); // refused without a word, or accepted with complaints
    }
    sn_error_list_free(&errors);
    return scene;
}

static int run(const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        abort(); // loading has tried it
    }
    for (int i = 0; i < 3 && sn_world_step(world, 1e-3, &error) == SN_OK; ++i) {
    }
    int bodies = sn_world_body_count(world);
    sn_world_destroy(world);
    return bodies;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const texts[] = {
        "{\"sinew\": 1, \"robots\": [{\"name\": \"r\", \"file\": \"a\"}]}",
        "{\"sinew\": 1, \"robots\": [{\"file\": \"a\", \"base\": \"free\", \"geometry\": "
        "\"collision\", \"position\": [1, 2, 3]}]}"};
    input in = {(const char *)data, size};
    for (int i = 0; i < 3 && !names_files(&in); ++i) {
        sn_scene *scene = load(texts[i % 2], &in, i == 2);
        if (scene == NULL) {
            continue;
        }
        char *text = NULL;
        size_t length = 0;
        sn_error error = {0};
        if (sn_scene_urdf_text(scene, NULL, &text, &length, NULL, &error) != SN_OK) {
            abort(); // what came from URDF can be said in URDF
        }
        input written = {text, length};
        sn_scene *again = load("{\"sinew\": 1, \"robots\": [{\"file\": \"a\"}]}", &written, false);
        if (again == NULL || run(scene) != run(again)) {
            abort(); // what was understood once must be understood again
        }
        sn_scene_free_text(text);
        sn_scene_destroy(scene);
        sn_scene_destroy(again);
    }
    return 0;
}
