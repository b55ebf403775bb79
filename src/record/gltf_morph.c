// Surfaces that bend, as morph targets (glTF 2.0, section "Morph Targets"): each target is the
// whole surface at one key frame, from how it is at rest, in the body's frame; weights lead from
// one to the next. Where there are many key frames only some of them have a target, and the form in
// between is blended.
#include "base/error.h"
#include "base/memory.h"
#include "record/gltf_part.h"
#include "sinew/elastic.h"

enum { TARGET_LIMIT = 240 };

static int target_of(const gltf_writer *gltf, int frame)
{
    return frame / gltf->target_step;
}

sn_status sn_gltf_find_morphs(gltf_writer *gltf, sn_error *error)
{
    int frames = gltf->frame_room;
    gltf->target_step = 1 + (frames - 1) / TARGET_LIMIT;
    size_t targets = frames > 0 ? 1 + (size_t)(frames - 1) / (size_t)gltf->target_step : 0;
    for (int i = 0; i < gltf->surfaces.placements.count; ++i) {
        const sn_placement *placement = &gltf->surfaces.placements.data[i];
        if (!placement->bends) {
            continue;
        }
        gltf_morph morph = {.placement = i, .surface = placement->mesh};
        morph.points = sn_mesh_vertex_count(gltf->surfaces.meshes.data[placement->mesh].mesh);
        size_t numbers = 3 * (size_t)morph.points * (targets + 1);
        morph.moved = sn_allocate(numbers * sizeof(float));
        if (morph.moved == NULL || !sn_array_push(&gltf->morphs, morph)) {
            sn_free(morph.moved);
            return sn_fail_memory(error, numbers * sizeof(float));
        }
    }
    return SN_OK;
}

void sn_gltf_free_morphs(gltf_writer *gltf)
{
    for (int i = 0; i < gltf->morphs.count; ++i) {
        sn_free(gltf->morphs.data[i].moved);
    }
    sn_array_free(&gltf->morphs);
}

static void read_morph(const gltf_writer *gltf, const gltf_morph *morph, sn_vec3 *points)
{
    const sn_placement *placement = &gltf->surfaces.placements.data[morph->placement];
    sn_body body = sn_world_body(gltf->world, placement->body);
    sn_transform back = sn_transform_inverse(sn_body_transform(gltf->world, body));
    const sn_vec3 *rest = sn_mesh_positions(gltf->surfaces.meshes.data[morph->surface].mesh);
    float *moved = morph->moved + 3 * (size_t)morph->points * (size_t)target_of(gltf, gltf->frames);
    sn_body_read_display(gltf->world, body, points, NULL);
    for (int i = 0; i < morph->points; ++i) {
        sn_vec3 d = sn_vec3_sub(sn_transform_point(back, points[i]), rest[i]);
        moved[3 * i] = (float)d.x;
        moved[3 * i + 1] = (float)d.y;
        moved[3 * i + 2] = (float)d.z;
    }
}

sn_status sn_gltf_read_morphs(gltf_writer *gltf, sn_error *error)
{
    gltf->target_count = target_of(gltf, gltf->frames) + 1;
    for (int i = 0; i < gltf->morphs.count && gltf->frames % gltf->target_step == 0; ++i) {
        const gltf_morph *morph = &gltf->morphs.data[i];
        sn_vec3 *points = sn_allocate((size_t)morph->points * sizeof *points);
        if (points == NULL) {
            return sn_fail_memory(error, (size_t)morph->points * sizeof *points);
        }
        read_morph(gltf, morph, points);
        sn_free(points);
    }
    return SN_OK;
}

const gltf_morph *sn_gltf_morph_of(const gltf_writer *gltf, int surface)
{
    for (int i = 0; i < gltf->morphs.count; ++i) {
        if (gltf->morphs.data[i].surface == surface) {
            return &gltf->morphs.data[i];
        }
    }
    return NULL;
}

// Positions of the shading's vertices in one target, and what their normals change by.
static void fill_target(const sn_shading *shading, const float *moved, float *positions,
                        float *normals)
{
    for (int i = 0; i < shading->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            positions[3 * i + k] = moved[3 * shading->origins[i] + k];
            normals[3 * i + k] = 0.0f;
        }
    }
    for (int t = 0; t < shading->triangle_count; ++t) {
        sn_vec3 x[3];
        for (int c = 0; c < 3; ++c) {
            uint32_t v = shading->indices[3 * t + c];
            const float *p = shading->vertices[v].position, *d = positions + 3 * (size_t)v;
            x[c] = sn_vec3_make((double)p[0] + (double)d[0], (double)p[1] + (double)d[1],
                                (double)p[2] + (double)d[2]);
        }
        sn_vec3 n = sn_cross(sn_vec3_sub(x[1], x[0]), sn_vec3_sub(x[2], x[0]));
        for (int c = 0; c < 3; ++c) {
            float *sum = normals + 3 * (size_t)shading->indices[3 * t + c];
            sum[0] += (float)n.x;
            sum[1] += (float)n.y;
            sum[2] += (float)n.z;
        }
    }
    for (int i = 0; i < shading->vertex_count; ++i) {
        float *sum = normals + 3 * (size_t)i;
        const float *rest = shading->vertices[i].normal;
        sn_vec3 n = sn_normalize(sn_vec3_make((double)sum[0], (double)sum[1], (double)sum[2]));
        sum[0] = (float)n.x - rest[0];
        sum[1] = (float)n.y - rest[1];
        sum[2] = (float)n.z - rest[2];
    }
}

sn_status sn_gltf_put_targets(gltf_writer *gltf, int surface, const sn_shading *shading,
                              sn_error *error)
{
    gltf_morph *morph = (gltf_morph *)sn_gltf_morph_of(gltf, surface);
    if (morph == NULL) {
        return SN_OK;
    }
    int count = shading->vertex_count;
    size_t bytes = 12 * (size_t)count;
    float *positions = sn_allocate(2 * bytes);
    if (positions == NULL) {
        return sn_fail_memory(error, 2 * bytes);
    }
    float *normals = positions + 3 * (size_t)count;
    morph->first = gltf->accessor_count;
    for (int i = 0; i < gltf->target_count; ++i) {
        sn_text bounds = {0};
        fill_target(shading, morph->moved + 3 * (size_t)morph->points * (size_t)i, positions,
                    normals);
        sn_gltf_bounds(&bounds, positions, count, 3, 3);
        gltf->json.failed = gltf->json.failed || bounds.failed;
        sn_gltf_accessor(gltf, bytes, 0, GLTF_FLOAT, count, "VEC3",
                         bounds.failed ? "" : bounds.data);
        sn_gltf_floats(&gltf->binary, positions, 3 * (size_t)count);
        sn_gltf_accessor(gltf, bytes, 0, GLTF_FLOAT, count, "VEC3", "");
        sn_gltf_floats(&gltf->binary, normals, 3 * (size_t)count);
        sn_text_free(&bounds);
    }
    sn_free(positions);
    return SN_OK;
}

void sn_gltf_add_targets(gltf_writer *gltf, const gltf_morph *morph)
{
    for (int i = 0; i < gltf->target_count; ++i) {
        sn_text_format(&gltf->json, "%s{\"POSITION\": %d, \"NORMAL\": %d}",
                       i == 0 ? ", \"targets\": [" : ", ", morph->first + 2 * i,
                       morph->first + 2 * i + 1);
    }
    sn_text_add(&gltf->json, gltf->target_count > 0 ? "]" : "");
}

void sn_gltf_add_weights(gltf_writer *gltf)
{
    for (int i = 0; i < gltf->target_count; ++i) {
        sn_text_add(&gltf->json, i == 0 ? ", \"weights\": [1" : ", 0");
    }
    sn_text_add(&gltf->json, gltf->target_count > 0 ? "]" : "");
}

int sn_gltf_put_weights(gltf_writer *gltf)
{
    size_t count = (size_t)gltf->frames * (size_t)gltf->target_count;
    int accessor = sn_gltf_accessor(gltf, 4 * count, 0, GLTF_FLOAT, (int)count, "SCALAR", "");
    for (int frame = 0; frame < gltf->frames; ++frame) {
        int before = target_of(gltf, frame),
            after = before + 1 < gltf->target_count ? before + 1 : before;
        float share = after > before
                          ? (float)(frame - before * gltf->target_step) / (float)gltf->target_step
                          : 0.0f;
        for (int i = 0; i < gltf->target_count; ++i) {
            float weight = (i == before ? 1.0f - share : 0.0f) + (i == after ? share : 0.0f);
            sn_gltf_floats(&gltf->binary, &weight, 1);
        }
    }
    return accessor;
}
