// Surfaces that bend: their vertices come with every pose, and normals follow from these. Corners
// that share a normal at rest share one ever after, so that a smooth body stays smooth and an edge
// stays an edge.
#include "base/error.h"
#include "draw/model.h"
#include "sinew/elastic.h"

static sn_status add_bend(sn_model *model, const sn_world *world, int order, const sn_mesh *mesh,
                          sn_error *error)
{
    sn_body body = sn_world_body(world, order);
    sn_model_bend bend = {.body = order,
                          .thickness = sn_model_thickness(mesh),
                          .first_point = model->point_count,
                          .point_count = sn_mesh_vertex_count(mesh)};
    bend.first_part = model->bend_parts.count;
    bend.part_count = sn_body_display_part_count(world, body);
    for (int k = 0; k < bend.part_count; ++k) {
        sn_display_part part = sn_body_display_part(world, body, k);
        sn_model_bend_part made = {.first = part.first, .count = part.count};
        made.material = sn_model_material_index(
            model, (sn_model_material){part.look.colour & 0xFFFFFF, (float)part.look.roughness,
                                       (float)part.look.metallic});
        if (made.material < 0 || !sn_array_push(&model->bend_parts, made)) {
            return sn_fail_memory(error, sizeof made);
        }
    }
    sn_status status = sn_shading_make(mesh, &bend.shading, error);
    if (status == SN_OK && !sn_array_push(&model->bends, bend)) {
        sn_shading_free(&bend.shading);
        status = sn_fail_memory(error, sizeof bend);
    }
    model->point_count += status == SN_OK ? bend.point_count : 0;
    return status;
}

sn_status sn_model_find_bends(sn_model *model, const sn_world *world, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < sn_world_body_count(world) && status == SN_OK; ++i) {
        const sn_mesh *mesh = sn_body_display(world, sn_world_body(world, i));
        if (mesh != NULL) {
            status = add_bend(model, world, i, mesh, error);
        }
    }
    return status;
}

static sn_vec3 direction_of(sn_vec3 sum)
{
    bool flat = sn_length(sum) == 0.0; // triangles without area
    return flat ? sn_vec3_make(0.0, 0.0, 1.0) : sn_normalize(sum);
}

// Vertices that were one before creases parted them stand side by side, and go outward together.
static void fill_normals(const sn_shading *shading, sn_vec3 *outward, float *normals)
{
    for (int first = 0, end = 0; first < shading->vertex_count; first = end) {
        sn_vec3 sum = SN_VEC3_ZERO;
        for (; end < shading->vertex_count && shading->origins[end] == shading->origins[first];
             ++end) {
            sn_vec3 n = direction_of(outward[end]);
            sum = sn_vec3_add(sum, outward[end]);
            normals[3 * (size_t)end] = (float)n.x;
            normals[3 * (size_t)end + 1] = (float)n.y;
            normals[3 * (size_t)end + 2] = (float)n.z;
        }
        for (int i = first; i < end; ++i) {
            outward[i] = direction_of(sum);
        }
    }
}

// A vertex's normal is the sum over its triangles, each as long as twice the area.
void sn_model_place_bend(sn_model *model, const sn_model_bend *bend, const sn_vec3 *points)
{
    const sn_shading *shading = &bend->shading;
    sn_vec3 *x = model->positions.data + bend->first_vertex,
            *outward = model->outward.data + bend->first_vertex;
    for (int i = 0; i < shading->vertex_count; ++i) {
        x[i] = points[bend->first_point + shading->origins[i]];
        outward[i] = SN_VEC3_ZERO;
    }
    for (int t = 0; t < shading->triangle_count; ++t) {
        const uint32_t *c = shading->indices + 3 * (size_t)t;
        sn_vec3 normal = sn_cross(sn_vec3_sub(x[c[1]], x[c[0]]), sn_vec3_sub(x[c[2]], x[c[0]]));
        for (int k = 0; k < 3; ++k) {
            outward[c[k]] = sn_vec3_add(outward[c[k]], normal);
        }
    }
    fill_normals(shading, outward, model->normals.data + 3 * (size_t)bend->first_vertex);
}
