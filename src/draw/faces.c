// Faces that bend: every triangle has corners of its own, so that it is flat.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "draw/model.h"

static bool make_room(sn_model *model, int count)
{
    return sn_array_resize(&model->points, 3 * count) && sn_array_resize(&model->still, count) &&
           sn_array_resize(&model->positions, 3 * count) &&
           sn_array_resize(&model->outward, 3 * count) &&
           sn_array_resize(&model->thickness, 3 * count) &&
           sn_array_resize(&model->normals, 9 * count) &&
           sn_array_resize(&model->triangles, 3 * count) &&
           sn_array_resize(&model->owners, count) && sn_array_resize(&model->bodies, count);
}

sn_status sn_model_make_faces(sn_model *model, const int *triangles, const sn_face_look *looks,
                              const bool *still, int count, sn_error *error)
{
    *model = (sn_model){0};
    if (count < 0 || count > 100000000) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d faces; 0 to 1e8 were expected", count);
    }
    bool made = make_room(model, count);
    for (int f = 0; made && f < count; ++f) {
        int material = sn_model_material_index(
            model, (sn_model_material){looks[f].colour, looks[f].roughness, 0.0f});
        made = material >= 0;
        model->owners.data[f] = material;
        model->bodies.data[f] = 0;
        model->still.data[f] = still != NULL && still[f];
        for (int k = 3 * f; k < 3 * f + 3; ++k) {
            model->points.data[k] = triangles[k];
            model->triangles.data[k] = k;
            model->thickness.data[k] = INFINITY; // never drawn thicker
            model->outward.data[k] = SN_VEC3_ZERO;
        }
    }
    if (!made) {
        sn_model_free(model);
        return sn_fail_memory(error, 3 * (size_t)count * sizeof(sn_vec3));
    }
    return SN_OK;
}

sn_status sn_model_place_points(sn_model *model, const sn_vec3 *points, sn_error *error)
{
    for (int k = 0; k < model->points.count; ++k) {
        model->positions.data[k] = points[model->points.data[k]];
        if (!sn_vec3_is_finite(model->positions.data[k])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "point %d has no finite position",
                           model->points.data[k]);
        }
    }
    for (int f = 0; f < model->owners.count; ++f) {
        const sn_vec3 *p = model->positions.data + 3 * (size_t)f;
        sn_vec3 normal = sn_normalize(sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0])));
        for (size_t k = 3 * (size_t)f; k < 3 * (size_t)f + 3; ++k) {
            model->normals.data[3 * k] = (float)normal.x;
            model->normals.data[3 * k + 1] = (float)normal.y;
            model->normals.data[3 * k + 2] = (float)normal.z;
        }
    }
    return SN_OK;
}

void sn_model_measure_points(const sn_model *model, const sn_vec3 *points, sn_model_bounds *bounds)
{
    for (int k = 0; k < model->points.count; ++k) {
        sn_aabb *box = model->still.data[k / 3] ? &bounds->still : &bounds->moving;
        sn_vec3 p = points[model->points.data[k]];
        box->lower = sn_vec3_min(box->lower, p);
        box->upper = sn_vec3_max(box->upper, p);
    }
}
