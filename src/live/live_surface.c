// Surfaces that bend: what joins their vertices goes out with the scene, the vertices with every
// frame.
#include "base/error.h"
#include "base/memory.h"
#include "live/live.h"
#include "sinew/geometry.h"

enum { MESH = 3, BENDS = 1 };

static void put_vector(sn_bytes *bytes, sn_vec3 v)
{
    sn_bytes_put_f32(bytes, (float)v.x);
    sn_bytes_put_f32(bytes, (float)v.y);
    sn_bytes_put_f32(bytes, (float)v.z);
}

static void free_surface(sn_live_surface *surface)
{
    sn_mesh_release(surface->mesh);
    sn_array_free(&surface->positions);
}

void sn_live_clear_surfaces(sn_live *live)
{
    for (int i = 0; i < live->surfaces.count; ++i) {
        free_surface(&live->surfaces.data[i]);
    }
    sn_array_clear(&live->surfaces);
}

sn_status sn_live_add_surface(sn_live *live, int body, sn_mesh *mesh, sn_model_material material,
                              sn_error *error)
{
    int bodies = live->world != NULL ? sn_world_body_count(live->world) : 0;
    int count = sn_mesh_vertex_count(mesh);
    if (body < 0 || body >= bodies) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "surface", "body %d of %d that there are", body,
                       bodies);
    }
    sn_live_surface surface = {.body = body, .material = material};
    if (!sn_array_resize(&surface.positions, count) ||
        !sn_array_reserve(&live->surfaces, live->surfaces.count + 1)) {
        free_surface(&surface);
        return sn_fail_memory(error, (size_t)count * sizeof(sn_vec3));
    }
    surface.mesh = sn_mesh_retain(mesh);
    live->surfaces.data[live->surfaces.count++] = surface;
    sn_live_put_surface(live, live->surfaces.count - 1, sn_mesh_positions(mesh));
    sn_status status = sn_live_tell_scene(live, error);
    if (status != SN_OK) {
        live->surfaces.count -= 1;
        free_surface(&live->surfaces.data[live->surfaces.count]);
    }
    return status;
}

void sn_live_put_surface(sn_live *live, int surface, const sn_vec3 *positions)
{
    sn_live_surface *moved = &live->surfaces.data[surface];
    for (int i = 0; i < moved->positions.count; ++i) {
        moved->positions.data[i] = positions[i];
    }
    live->change += 1;
}

void sn_live_write_surfaces(const sn_live *live, sn_text *text)
{
    sn_text_add(text, ", \"surfaces\": [");
    for (int i = 0; i < live->surfaces.count; ++i) {
        const sn_live_surface *surface = &live->surfaces.data[i];
        sn_text_format(text, "%s{\"body\": %d, \"mesh\": %d", i > 0 ? ", " : "", surface->body,
                       live->model.meshes.count + i);
        sn_live_text_colour(text, "colour", surface->material.colour);
        sn_live_text_number(text, "roughness", (double)surface->material.roughness);
        sn_live_text_number(text, "metallic", (double)surface->material.metallic);
        sn_text_add(text, "}");
    }
    sn_text_add(text, "]");
}

// As it was at first. Its normals are the page's business as soon as it bends.
void sn_live_write_surface_mesh(const sn_live *live, int index, sn_bytes *bytes)
{
    const sn_mesh *mesh = live->surfaces.data[index].mesh;
    int vertices = sn_mesh_vertex_count(mesh), triangles = sn_mesh_triangle_count(mesh);
    sn_vec3 *normals = sn_allocate(((size_t)vertices + 1) * sizeof *normals);
    sn_bytes_clear(bytes);
    if (normals == NULL) {
        bytes->failed = true;
        return;
    }
    sn_mesh_vertex_normals(mesh, normals);
    sn_bytes_put_u32(bytes, MESH);
    sn_bytes_put_u32(bytes, live->generation);
    sn_bytes_put_u32(bytes, (uint32_t)(live->model.meshes.count + index));
    sn_bytes_put_u32(bytes, (uint32_t)vertices);
    sn_bytes_put_u32(bytes, (uint32_t)triangles);
    sn_bytes_put_u32(bytes, BENDS);
    for (int i = 0; i < vertices; ++i) {
        put_vector(bytes, sn_mesh_positions(mesh)[i]);
    }
    for (int i = 0; i < vertices; ++i) {
        put_vector(bytes, normals[i]);
    }
    for (int i = 0; i < 3 * triangles; ++i) {
        sn_bytes_put_u32(bytes, (uint32_t)sn_mesh_triangles(mesh)[i]);
    }
    sn_free(normals);
}

void sn_live_write_vertices(const sn_live *live, sn_bytes *bytes)
{
    for (int i = 0; i < live->surfaces.count; ++i) {
        const sn_live_surface *surface = &live->surfaces.data[i];
        sn_bytes_put_u32(bytes, (uint32_t)i);
        sn_bytes_put_u32(bytes, (uint32_t)surface->positions.count);
        for (int k = 0; k < surface->positions.count; ++k) {
            put_vector(bytes, surface->positions.data[k]);
        }
    }
}
