// Fuzzes what contacts remember: the memory of a small world, with bytes changed as the input says,
// is given to a copy of it, which then takes two steps. The first byte decides whether the checksum
// is made right first, so that the fuzzer gets past it. Then three bytes each: where, and what.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sinew/sinew.h"

enum { CHECKSUM = 8, HEAD = 24 }; // see memory_head of world/touch_memory.c

static sn_world *world;

static void add(sn_shape_type type, sn_body_type moves, double x, double z)
{
    sn_shape shape = sn_default_shape();
    sn_body_def def = sn_default_body_def();
    sn_body body;
    shape.type = type;
    shape.size = (sn_vec3){0.2, 0.2, 0.2};
    shape.radius = 0.1;
    shape.height = 0.2;
    def.type = moves;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position = (sn_vec3){x, 0.0, z};
    if (sn_world_add_body(world, &def, &body, NULL) != SN_OK) {
        abort();
    }
}

// Boxes, a cylinder and a ball upon one another, some of them at rest for long.
static void make_world(void)
{
    sn_world_def def = sn_default_world_def();
    if (sn_world_create(&def, &world, NULL) != SN_OK) {
        abort();
    }
    add(SN_SHAPE_PLANE, SN_BODY_STATIC, 0.0, 0.0);
    add(SN_SHAPE_BOX, SN_BODY_RIGID, 0.0, 0.1);
    add(SN_SHAPE_BOX, SN_BODY_RIGID, 0.02, 0.3);
    add(SN_SHAPE_CYLINDER, SN_BODY_RIGID, 0.5, 0.1);
    add(SN_SHAPE_SPHERE, SN_BODY_RIGID, 0.5, 0.3);
    for (int i = 0; i < 240; ++i) {
        if (sn_world_step(world, 1.0 / 240.0, NULL) != SN_OK) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (world == NULL) {
        make_world();
    }
    size_t length = sn_world_contact_memory_size(world);
    unsigned char *bytes = malloc(length);
    sn_world *copy = NULL;
    if (bytes == NULL || size == 0 || sn_world_copy(world, &copy, NULL) != SN_OK ||
        sn_world_save_contact_memory(world, bytes, length, NULL) != SN_OK) {
        free(bytes);
        sn_world_destroy(copy);
        return 0;
    }
    for (size_t i = 1; i + 2 < size; i += 3) {
        size_t at = (size_t)data[i] << 8 | data[i + 1];
        bytes[at % length] = data[i + 2];
    }
    if (data[0] % 2 == 0) {
        uint64_t structure;
        memcpy(&structure, bytes, sizeof structure);
        uint64_t checksum = sn_hash64(bytes + HEAD, length - HEAD, structure);
        memcpy(bytes + CHECKSUM, &checksum, sizeof checksum);
    }
    sn_error error = {0};
    if (sn_world_load_contact_memory(copy, bytes, length, &error) == SN_OK) {
        for (int i = 0; i < 2; ++i) {
            sn_world_step(copy, 1.0 / 240.0, &error);
        }
    }
    sn_world_destroy(copy);
    free(bytes);
    return 0;
}
