// One animated binary glTF 2.0 file (Khronos, "glTF 2.0 Specification"): a JSON part that
// describes, a binary part that holds vertices and key frames. Under a root node that turns z up
// into glTF's y up every body is a node, with its shapes on it or below it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/gltf_part.h"
#include "record/output.h"
#include "scene/xml.h"
#include "sinew/elastic.h"

// ---- the binary part ----

int sn_gltf_accessor(gltf_writer *gltf, size_t bytes, int target, int component, int count,
                     const char *type, const char *extra)
{
    const char *comma = gltf->accessor_count > 0 ? ",\n" : "";
    sn_text_format(&gltf->views, "%s{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu",
                   comma, gltf->binary.count, bytes);
    if (target != 0) {
        sn_text_format(&gltf->views, ", \"target\": %d", target);
    }
    sn_text_add(&gltf->views, "}");
    sn_text_format(&gltf->accessors,
                   "%s{\"bufferView\": %d, \"componentType\": %d, \"count\": %d, \"type\": "
                   "\"%s\"%s}",
                   comma, gltf->accessor_count, component, count, type, extra);
    return gltf->accessor_count++;
}

void sn_gltf_bounds(sn_text *text, const float *values, int count, int components, int stride)
{
    for (int side = 0; side < 2; ++side) {
        sn_text_add(text, side == 0 ? ", \"min\": [" : ", \"max\": [");
        for (int c = 0; c < components; ++c) {
            float bound = values[c];
            for (int i = 1; i < count; ++i) {
                float value = values[(size_t)i * (size_t)stride + (size_t)c];
                bound = (side == 0 ? value < bound : value > bound) ? value : bound;
            }
            sn_text_add(text, c > 0 ? ", " : "");
            sn_text_number(text, bound);
        }
        sn_text_add(text, "]");
    }
}

void sn_gltf_floats(sn_bytes *binary, const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        sn_bytes_put_f32(binary, values[i]);
    }
}

// Accessors of a surface from its first one on: positions, normals, indices.
// The faces of a surface that have one material: of what bends there may be several such parts.
static int part_count(const gltf_writer *gltf, int surface)
{
    int bent = gltf->surfaces.meshes.data[surface].bent;
    return bent < 0 ? 1 : sn_body_display_part_count(gltf->world, sn_world_body(gltf->world, bent));
}

// Their corners: an accessor for each part.
static void put_corners(gltf_writer *gltf, int surface, const sn_shading *shading)
{
    int bent = gltf->surfaces.meshes.data[surface].bent;
    for (int k = 0; k < part_count(gltf, surface); ++k) {
        int first = 0, count = 3 * shading->triangle_count;
        if (bent >= 0) {
            sn_display_part part =
                sn_body_display_part(gltf->world, sn_world_body(gltf->world, bent), k);
            first = 3 * part.first;
            count = 3 * part.count;
        }
        sn_gltf_accessor(gltf, 4 * (size_t)count, GLTF_INDICES, GLTF_UNSIGNED_INT, count, "SCALAR",
                         "");
        for (int i = first; i < first + count; ++i) {
            sn_bytes_put_u32(&gltf->binary, shading->indices[i]);
        }
    }
}

static sn_status put_surface(gltf_writer *gltf, int index, sn_error *error)
{
    const sn_mesh *mesh = gltf->surfaces.meshes.data[index].mesh;
    sn_shading shading;
    sn_status status = sn_shading_make(mesh, &shading, error);
    if (status != SN_OK) {
        return status;
    }
    if (shading.vertex_count == 0) {
        sn_shading_free(&shading);
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL, "a shape has no surface to draw");
    }
    if (!sn_array_push(&gltf->first_accessors, gltf->accessor_count)) {
        sn_shading_free(&shading);
        return sn_fail_memory(error, sizeof(int));
    }
    sn_text bounds = {0};
    int count = shading.vertex_count;
    size_t bytes = 12 * (size_t)count;
    sn_gltf_bounds(&bounds, shading.vertices[0].position, count, 3,
                   sizeof(sn_shaded_vertex) / sizeof(float));
    gltf->json.failed = gltf->json.failed || bounds.failed;
    sn_gltf_accessor(gltf, bytes, GLTF_VERTICES, GLTF_FLOAT, count, "VEC3",
                     bounds.failed ? "" : bounds.data);
    for (int i = 0; i < count; ++i) {
        sn_gltf_floats(&gltf->binary, shading.vertices[i].position, 3);
    }
    sn_gltf_accessor(gltf, bytes, GLTF_VERTICES, GLTF_FLOAT, count, "VEC3", "");
    for (int i = 0; i < count; ++i) {
        sn_gltf_floats(&gltf->binary, shading.vertices[i].normal, 3);
    }
    put_corners(gltf, index, &shading);
    sn_text_free(&bounds);
    status = sn_gltf_put_targets(gltf, index, &shading, error);
    sn_shading_free(&shading);
    return status;
}

// ---- motion ----

static sn_status find_moving(gltf_writer *gltf, sn_error *error)
{
    for (int i = 0; i < sn_world_body_count(gltf->world); ++i) {
        sn_body body = sn_world_body(gltf->world, i);
        if (sn_body_get_type(gltf->world, body) != SN_BODY_STATIC &&
            !sn_array_push(&gltf->moving, i)) {
            return sn_fail_memory(error, sizeof i);
        }
    }
    gltf->frame_room = sn_recording_get_info(gltf->recording).frame_count;
    size_t room = (size_t)gltf->frame_room * sizeof(float);
    if (gltf->moving.count > 0 && room > UINT32_MAX / 7 / (size_t)gltf->moving.count) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                       "%d frames of %d moving bodies are more than the 4 GiB of a .glb file",
                       gltf->frame_room, gltf->moving.count);
    }
    gltf->times = sn_allocate(room);
    gltf->keys = sn_allocate(7 * room * (size_t)gltf->moving.count);
    return gltf->times && gltf->keys ? SN_OK : sn_fail_memory(error, 7 * room);
}

static float *positions_of(const gltf_writer *gltf, int moving)
{
    return gltf->keys + 7 * (size_t)gltf->frame_room * (size_t)moving;
}

static float *rotations_of(const gltf_writer *gltf, int moving)
{
    return positions_of(gltf, moving) + 3 * (size_t)gltf->frame_room;
}

static bool is_finite_frame(sn_transform frame)
{
    sn_quat q = frame.rotation;
    return sn_vec3_is_finite(frame.position) && isfinite(q.w) && isfinite(q.x) && isfinite(q.y) &&
           isfinite(q.z);
}

// Stores one body's key. q and -q are the same rotation: the one nearer to the key before, so that
// the player's interpolation takes the short way.
static void store_key(gltf_writer *gltf, int moving, sn_transform frame)
{
    size_t at = (size_t)gltf->frames;
    float *position = positions_of(gltf, moving) + 3 * at;
    float *rotation = rotations_of(gltf, moving) + 4 * at;
    sn_quat q = sn_quat_normalize(frame.rotation);
    if (at > 0) {
        const float *before = rotation - 4;
        double along = before[0] * q.x + before[1] * q.y + before[2] * q.z + before[3] * q.w;
        double sign = along < 0.0 ? -1.0 : 1.0;
        q = (sn_quat){sign * q.w, sign * q.x, sign * q.y, sign * q.z};
    }
    position[0] = (float)frame.position.x;
    position[1] = (float)frame.position.y;
    position[2] = (float)frame.position.z;
    rotation[0] = (float)q.x;
    rotation[1] = (float)q.y;
    rotation[2] = (float)q.z;
    rotation[3] = (float)q.w;
}

// Reads every frame once. Frames whose times are equal in single precision would not be a valid
// animation; only the first of them is kept.
static sn_status read_keys(gltf_writer *gltf, sn_error *error)
{
    double start = sn_recording_get_info(gltf->recording).start_time;
    for (int i = 0; i < gltf->frame_room; ++i) {
        float time = (float)(sn_recording_frame_time(gltf->recording, i) - start);
        if (gltf->frames > 0 && !(time > gltf->times[gltf->frames - 1])) {
            continue;
        }
        sn_status status = sn_recording_frame(gltf->recording, i, gltf->world, error);
        if (status != SN_OK) {
            return status;
        }
        for (int k = 0; k < gltf->moving.count; ++k) {
            sn_body body = sn_world_body(gltf->world, gltf->moving.data[k]);
            sn_transform frame = sn_body_transform(gltf->world, body);
            if (!is_finite_frame(frame)) {
                return sn_fail(error, SN_ERROR_FORMAT, sn_body_name(gltf->world, body),
                               "frame %d holds no finite position and rotation", i);
            }
            store_key(gltf, k, frame);
        }
        status = sn_gltf_read_morphs(gltf, error);
        if (status != SN_OK) {
            return status;
        }
        gltf->times[gltf->frames++] = time;
    }
    return SN_OK;
}

// ---- the JSON part ----

// Names of any bytes become valid JSON.
static void add_name(sn_text *json, const char *name)
{
    sn_text clean = {0};
    sn_text_add(&clean, "");
    while (*name != '\0') {
        size_t length = sn_xml_character(name);
        if (length > 0) {
            sn_text_add_bytes(&clean, name, length);
        } else {
            sn_text_add(&clean, "\xEF\xBF\xBD");
        }
        name += length > 0 ? length : 1;
    }
    if (clean.failed) {
        json->failed = true;
    } else {
        sn_text_json_string(json, clean.data);
    }
    sn_text_free(&clean);
}

static void add_placement(sn_text *json, sn_transform frame)
{
    const double p[3] = {frame.position.x, frame.position.y, frame.position.z};
    sn_quat q = sn_quat_normalize(frame.rotation);
    const double r[4] = {q.x, q.y, q.z, q.w};
    sn_text_add(json, ", \"translation\": [");
    for (int i = 0; i < 3; ++i) {
        sn_text_add(json, i > 0 ? ", " : "");
        sn_text_number(json, p[i]);
    }
    sn_text_add(json, "], \"rotation\": [");
    for (int i = 0; i < 4; ++i) {
        sn_text_add(json, i > 0 ? ", " : "");
        sn_text_number(json, r[i]);
    }
    sn_text_add(json, "]");
}

static bool is_identity(sn_transform t)
{
    return t.position.x == 0.0 && t.position.y == 0.0 && t.position.z == 0.0 &&
           t.rotation.w == 1.0 && t.rotation.x == 0.0 && t.rotation.y == 0.0 && t.rotation.z == 0.0;
}

static int find_material(gltf_writer *gltf, gltf_material made)
{
    for (int i = 0; i < gltf->materials.count; ++i) {
        const gltf_material *known = &gltf->materials.data[i];
        if (known->colour == made.colour && known->roughness == made.roughness &&
            known->metallic == made.metallic) {
            return i;
        }
    }
    if (!sn_array_push(&gltf->materials, made)) {
        gltf->json.failed = true;
        return 0;
    }
    return gltf->materials.count - 1;
}

// The mesh for a placement: its surface of its material, made when it is new.
static int find_mesh(gltf_writer *gltf, const sn_placement *placement)
{
    gltf_material material = {placement->colour, placement->roughness, placement->metallic};
    gltf_mesh mesh = {placement->mesh, find_material(gltf, material)};
    for (int i = 0; i < gltf->meshes.count; ++i) {
        const gltf_mesh *known = &gltf->meshes.data[i];
        if (known->surface == mesh.surface && known->material == mesh.material) {
            return i;
        }
    }
    if (!sn_array_push(&gltf->meshes, mesh)) {
        gltf->json.failed = true;
        return 0;
    }
    return gltf->meshes.count - 1;
}

// Nodes: 0 the root, then the bodies, then shapes that need a node of their own.
static void add_nodes(gltf_writer *gltf)
{
    sn_text *json = &gltf->json;
    int bodies = sn_world_body_count(gltf->world);
    sn_text shapes = {0};
    int next = 1 + bodies;
    sn_text_add(json, "\"nodes\": [\n{\"name\": \"z up\", \"rotation\": "
                      "[-0.7071067811865476, 0, 0, 0.7071067811865476]");
    for (int i = 0; i < bodies; ++i) {
        sn_text_format(json, "%s%d", i == 0 ? ", \"children\": [" : ", ", 1 + i);
    }
    sn_text_add(json, bodies > 0 ? "]}" : "}");
    const sn_placement *placements = gltf->surfaces.placements.data;
    int count = gltf->surfaces.placements.count;
    for (int i = 0, p = 0; i < bodies; ++i) {
        sn_body body = sn_world_body(gltf->world, i);
        int end = p;
        while (end < count && placements[end].body == i) {
            end += 1;
        }
        sn_text_add(json, ",\n{\"name\": ");
        add_name(json, sn_body_name(gltf->world, body));
        add_placement(json, sn_body_transform(gltf->world, body));
        if (end - p == 1 && is_identity(placements[p].frame)) {
            sn_text_format(json, ", \"mesh\": %d", find_mesh(gltf, &placements[p]));
            p = end;
        }
        for (int first = p; p < end; ++p) {
            sn_text_format(json, "%s%d", p == first ? ", \"children\": [" : ", ", next++);
            sn_text_format(&shapes, ",\n{\"mesh\": %d", find_mesh(gltf, &placements[p]));
            add_placement(&shapes, placements[p].frame);
            sn_text_add(&shapes, "}");
            sn_text_add(json, p + 1 == end ? "]" : "");
        }
        sn_text_add(json, "}");
    }
    json->failed = json->failed || shapes.failed;
    if (shapes.data != NULL && !shapes.failed) {
        sn_text_add(json, shapes.data);
    }
    sn_text_add(json, "\n]");
    sn_text_free(&shapes);
}

// Scene colours are sRGB, glTF factors are linear (IEC 61966-2-1).
static double linear_from_srgb(unsigned value)
{
    double c = value / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

// One for each material that a mesh has.
static void add_primitives(gltf_writer *gltf, const gltf_mesh *mesh, const gltf_morph *morph)
{
    sn_text *json = &gltf->json;
    int first = gltf->first_accessors.data[mesh->surface];
    for (int k = 0; k < part_count(gltf, mesh->surface); ++k) {
        int material = mesh->material;
        if (k > 0) {
            sn_body body =
                sn_world_body(gltf->world, gltf->surfaces.meshes.data[mesh->surface].bent);
            sn_look look = sn_body_display_part(gltf->world, body, k).look;
            material = find_material(
                gltf, (gltf_material){look.colour & 0xFFFFFF, look.roughness, look.metallic});
        }
        sn_text_format(json,
                       "%s{\"attributes\": {\"POSITION\": %d, \"NORMAL\": %d}, "
                       "\"indices\": %d, \"material\": %d",
                       k > 0 ? ", " : "", first, first + 1, first + 2 + k, material);
        if (morph != NULL) {
            sn_gltf_add_targets(gltf, morph);
        }
        sn_text_add(json, "}");
    }
}

static void add_meshes(gltf_writer *gltf)
{
    sn_text *json = &gltf->json;
    for (int i = 0; i < gltf->meshes.count; ++i) {
        const gltf_mesh *mesh = &gltf->meshes.data[i];
        const gltf_morph *morph = sn_gltf_morph_of(gltf, mesh->surface);
        sn_text_format(json, "%s{\"primitives\": [", i == 0 ? ",\n\"meshes\": [\n" : ",\n");
        add_primitives(gltf, mesh, morph);
        sn_text_add(json, "]");
        if (morph != NULL) {
            sn_gltf_add_weights(gltf);
        }
        sn_text_add(json, "}");
    }
    sn_text_add(json, gltf->meshes.count > 0 ? "\n]" : "");
    for (int i = 0; i < gltf->materials.count; ++i) {
        const gltf_material *material = &gltf->materials.data[i];
        unsigned colour = material->colour;
        sn_text_format(json,
                       "%s{\"name\": \"#%06x\", \"pbrMetallicRoughness\": {\"baseColorFactor\": [",
                       i == 0 ? ",\n\"materials\": [\n" : ",\n", colour);
        for (int shift = 16; shift >= 0; shift -= 8) {
            sn_text_number(json, linear_from_srgb(colour >> shift & 255));
            sn_text_add(json, ", ");
        }
        sn_text_add(json, "1], \"metallicFactor\": ");
        sn_text_number(json, material->metallic);
        sn_text_add(json, ", \"roughnessFactor\": ");
        sn_text_number(json, material->roughness);
        sn_text_add(json, "}}");
    }
    sn_text_add(json, gltf->materials.count > 0 ? "\n]" : "");
}

static void add_animation(gltf_writer *gltf)
{
    if (gltf->frames < 2 || gltf->moving.count == 0) {
        return;
    }
    size_t frames = (size_t)gltf->frames;
    sn_text bounds = {0}, samplers = {0};
    sn_gltf_bounds(&bounds, gltf->times, gltf->frames, 1, 1);
    int input = sn_gltf_accessor(gltf, 4 * frames, 0, GLTF_FLOAT, gltf->frames, "SCALAR",
                                 bounds.failed ? "" : bounds.data);
    sn_gltf_floats(&gltf->binary, gltf->times, frames);
    sn_text_add(&gltf->json, ",\n\"animations\": [{\"name\": \"run\", \"channels\": [");
    for (int i = 0; i < 2 * gltf->moving.count; ++i) {
        bool turn = i % 2 == 1;
        size_t components = turn ? 4 : 3;
        int output = sn_gltf_accessor(gltf, 4 * components * frames, 0, GLTF_FLOAT, gltf->frames,
                                      turn ? "VEC4" : "VEC3", "");
        sn_gltf_floats(&gltf->binary, turn ? rotations_of(gltf, i / 2) : positions_of(gltf, i / 2),
                       components * frames);
        sn_text_format(
            &gltf->json, "%s\n{\"sampler\": %d, \"target\": {\"node\": %d, \"path\": \"%s\"}}",
            i > 0 ? "," : "", i, 1 + gltf->moving.data[i / 2], turn ? "rotation" : "translation");
        sn_text_format(&samplers,
                       "%s\n{\"input\": %d, \"output\": %d, \"interpolation\": \"LINEAR\"}",
                       i > 0 ? "," : "", input, output);
    }
    int weights = gltf->morphs.count > 0 ? sn_gltf_put_weights(gltf) : 0;
    for (int i = 0; i < gltf->morphs.count; ++i) {
        const sn_placement *placement =
            &gltf->surfaces.placements.data[gltf->morphs.data[i].placement];
        sn_text_format(&gltf->json,
                       ",\n{\"sampler\": %d, \"target\": {\"node\": %d, \"path\": \"weights\"}}",
                       2 * gltf->moving.count + i, 1 + placement->body);
        sn_text_format(&samplers,
                       ",\n{\"input\": %d, \"output\": %d, \"interpolation\": \"LINEAR\"}", input,
                       weights);
    }
    gltf->json.failed = gltf->json.failed || bounds.failed || samplers.failed;
    sn_text_add(&gltf->json, "\n], \"samplers\": [");
    sn_text_add(&gltf->json, samplers.failed ? "" : samplers.data);
    sn_text_add(&gltf->json, "\n]}]");
    sn_text_free(&bounds);
    sn_text_free(&samplers);
}

static void add_tables(gltf_writer *gltf)
{
    sn_text *json = &gltf->json;
    if (gltf->accessor_count > 0 && !gltf->accessors.failed && !gltf->views.failed) {
        sn_text_add(json, ",\n\"accessors\": [\n");
        sn_text_add(json, gltf->accessors.data);
        sn_text_add(json, "\n],\n\"bufferViews\": [\n");
        sn_text_add(json, gltf->views.data);
        sn_text_format(json, "\n],\n\"buffers\": [{\"byteLength\": %zu}]", gltf->binary.count);
    }
    sn_text_add(json, "\n}\n");
}

static sn_status describe(gltf_writer *gltf, sn_error *error)
{
    sn_text *json = &gltf->json;
    sn_text_format(json,
                   "{\n\"asset\": {\"version\": \"2.0\", \"generator\": \"Sinew %s\"},\n"
                   "\"scene\": 0,\n\"scenes\": [{\"nodes\": [0]}],\n",
                   sn_version());
    for (int i = 0; i < gltf->surfaces.meshes.count; ++i) {
        sn_status status = put_surface(gltf, i, error);
        if (status != SN_OK) {
            return status;
        }
    }
    // The nodes stand where the animation starts.
    sn_status status = SN_OK;
    if (gltf->frame_room > 0) {
        status = sn_recording_frame(gltf->recording, 0, gltf->world, error);
    }
    add_nodes(gltf);
    add_meshes(gltf);
    add_animation(gltf);
    add_tables(gltf);
    bool failed =
        json->failed || gltf->accessors.failed || gltf->views.failed || gltf->binary.failed;
    return status == SN_OK && failed ? sn_fail_memory(error, json->length + gltf->binary.count)
                                     : status;
}

// ---- the file ----

static sn_status write_file(gltf_writer *gltf, const char *path, sn_error *error)
{
    size_t json_size = gltf->json.length + 3 - (gltf->json.length + 3) % 4;
    size_t binary_size = gltf->binary.count; // floats and indices only: a multiple of 4
    uint64_t total = 12 + 8 + (uint64_t)json_size + (binary_size ? 8 + (uint64_t)binary_size : 0);
    if (total > UINT32_MAX) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, path,
                       "%llu bytes are more than the 4 GiB of a .glb file",
                       (unsigned long long)total);
    }
    sn_bytes head = {0};
    sn_bytes_put(&head, "glTF", 4);
    sn_bytes_put_u32(&head, 2);
    sn_bytes_put_u32(&head, (uint32_t)total);
    sn_bytes_put_u32(&head, (uint32_t)json_size);
    sn_bytes_put(&head, "JSON", 4);
    sn_bytes_put(&head, gltf->json.data, gltf->json.length);
    sn_bytes_put(&head, "   ", json_size - gltf->json.length);
    if (binary_size > 0) {
        sn_bytes_put_u32(&head, (uint32_t)binary_size);
        sn_bytes_put(&head, "BIN\0", 4);
    }
    sn_output output = {0};
    sn_status status =
        head.failed ? sn_fail_memory(error, json_size) : sn_output_open(&output, path, error);
    if (status == SN_OK) {
        status = sn_output_put(&output, head.data, head.count, error);
    }
    if (status == SN_OK) {
        status = sn_output_put(&output, gltf->binary.data, binary_size, error);
    }
    sn_status closed = sn_output_close(&output, false, status == SN_OK ? error : NULL);
    sn_bytes_free(&head);
    return status == SN_OK ? closed : status;
}

sn_status sn_export_gltf_world(sn_recording *recording, sn_world *world, const char *path,
                               sn_error *error)
{
    if (recording == NULL || world == NULL || path == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, path,
                       "an export needs a recording, a world and a path");
    }
    gltf_writer gltf = {.recording = recording, .world = world};
    sn_status status = sn_surfaces_collect(world, &gltf.surfaces, error);
    status = status == SN_OK ? find_moving(&gltf, error) : status;
    status = status == SN_OK ? sn_gltf_find_morphs(&gltf, error) : status;
    status = status == SN_OK ? read_keys(&gltf, error) : status;
    status = status == SN_OK ? describe(&gltf, error) : status;
    status = status == SN_OK ? write_file(&gltf, path, error) : status;
    sn_gltf_free_morphs(&gltf);
    sn_surfaces_free(&gltf.surfaces);
    sn_array_free(&gltf.first_accessors);
    sn_array_free(&gltf.meshes);
    sn_array_free(&gltf.materials);
    sn_array_free(&gltf.moving);
    sn_free(gltf.keys);
    sn_free(gltf.times);
    sn_bytes_free(&gltf.binary);
    sn_text_free(&gltf.json);
    sn_text_free(&gltf.accessors);
    sn_text_free(&gltf.views);
    return status;
}

sn_status sn_export_gltf(sn_recording *recording, const char *path, sn_error *error)
{
    sn_world *world = NULL;
    sn_status status = sn_recording_build_world(recording, 1, &world, error);
    if (status == SN_OK) {
        status = sn_export_gltf_world(recording, world, path, error);
    }
    sn_world_destroy(world);
    return status;
}
