// Surfaces that bend: what joins their vertices goes out with the scene, the vertices with every
// frame.
#include "live/live.h"

enum { MESH = 3, BENDS = 1 };

static void write_look(const sn_live *live, int material, sn_text *text)
{
    const sn_model_material *look = &live->model.materials.data[material];
    sn_live_text_colour(text, "colour", look->colour);
    sn_live_text_number(text, "roughness", (double)look->roughness);
    sn_live_text_number(text, "metallic", (double)look->metallic);
}

// Triangles that look alike, where a surface has several such parts.
static void write_parts(const sn_live *live, const sn_model_bend *bend, sn_text *text)
{
    for (int k = 0; k < bend->part_count && bend->part_count > 1; ++k) {
        const sn_model_bend_part *part = &live->model.bend_parts.data[bend->first_part + k];
        sn_text_format(text, "%s{\"first\": %d, \"count\": %d", k > 0 ? ", " : ", \"parts\": [",
                       part->first, part->count);
        write_look(live, part->material, text);
        sn_text_add(text, k + 1 == bend->part_count ? "}]" : "}");
    }
}

void sn_live_write_surfaces(const sn_live *live, sn_text *text)
{
    sn_text_add(text, ", \"surfaces\": [");
    for (int i = 0; i < live->model.bends.count; ++i) {
        const sn_model_bend *bend = &live->model.bends.data[i];
        sn_text_format(text, "%s{\"body\": %d, \"mesh\": %d", i > 0 ? ", " : "", bend->body,
                       live->model.meshes.count + i);
        write_look(live, live->model.bend_parts.data[bend->first_part].material, text);
        write_parts(live, bend, text);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "]");
}

// As it is now. Its normals are the page's business as soon as it bends on.
void sn_live_write_surface_mesh(sn_live *live, int index, sn_bytes *bytes)
{
    const sn_model_bend *bend = &live->model.bends.data[index];
    const sn_shading *shading = &bend->shading;
    sn_model_place_bend(&live->model, bend, live->points.data);
    sn_bytes_clear(bytes);
    sn_bytes_put_u32(bytes, MESH);
    sn_bytes_put_u32(bytes, live->generation);
    sn_bytes_put_u32(bytes, (uint32_t)(live->model.meshes.count + index));
    sn_bytes_put_u32(bytes, (uint32_t)shading->vertex_count);
    sn_bytes_put_u32(bytes, (uint32_t)shading->triangle_count);
    sn_bytes_put_u32(bytes, BENDS);
    for (int i = 0; i < shading->vertex_count; ++i) {
        sn_live_put_place(live, bytes, live->model.positions.data[bend->first_vertex + i]);
    }
    for (int i = 0; i < 3 * shading->vertex_count; ++i) {
        sn_bytes_put_f32(bytes,
                         live->model.normals.data[3 * (size_t)bend->first_vertex + (size_t)i]);
    }
    for (int i = 0; i < 3 * shading->triangle_count; ++i) {
        sn_bytes_put_u32(bytes, shading->indices[i]);
    }
}

void sn_live_write_vertices(const sn_live *live, sn_bytes *bytes)
{
    for (int i = 0; i < live->model.bends.count; ++i) {
        const sn_model_bend *bend = &live->model.bends.data[i];
        sn_bytes_put_u32(bytes, (uint32_t)i);
        sn_bytes_put_u32(bytes, (uint32_t)bend->shading.vertex_count);
        for (int k = 0; k < bend->shading.vertex_count; ++k) {
            sn_live_put_place(live, bytes,
                              live->points.data[bend->first_point + bend->shading.origins[k]]);
        }
    }
}
