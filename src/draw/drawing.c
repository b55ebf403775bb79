#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "draw/painter.h"
#include "sinew/draw.h"
#include "sinew/elastic.h"

#define KEY_RADIUS 0.055 // rad: a lamp of this size makes shadows soft
#define WIRE       0.55  // pixels: nothing is drawn with a smaller radius

struct sn_drawing {
    sn_model model;
    sn_vec3 gravity;
    sn_threads *threads;
    sn_model_bounds watched;
    bool has_watched;
    sn_raster raster;
    sn_light light;
    sn_shade shade;
    SN_ARRAY(sn_vec3) positions;
    bool has_lamp;
    sn_vec3 lamp;          // towards it
    double lamp_colour[3]; // of the usual light
};

sn_picture_def sn_default_picture_def(void)
{
    return (sn_picture_def){.width = 1280, .height = 720, .samples = 16};
}

// Takes what a model's maker left, or frees it.
static sn_status finish(sn_drawing *made, sn_status status, int threads, sn_drawing **drawing,
                        sn_error *error)
{
    made->watched = sn_model_no_bounds();
    if (status == SN_OK) {
        status = sn_threads_create(threads > 1 ? threads : 1, &made->threads, error);
    }
    if (status != SN_OK) {
        sn_drawing_destroy(made);
        return status;
    }
    *drawing = made;
    return SN_OK;
}

sn_status sn_drawing_create(const sn_world *world, int threads, sn_drawing **drawing,
                            sn_error *error)
{
    *drawing = NULL;
    sn_drawing *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    made->gravity = sn_world_gravity(world);
    return finish(made, sn_model_make(&made->model, world, error), threads, drawing, error);
}

sn_status sn_drawing_create_faces(const int *triangles, const sn_face_look *looks,
                                  const bool *still, int count, int threads, sn_drawing **drawing,
                                  sn_error *error)
{
    *drawing = NULL;
    sn_drawing *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    made->gravity = sn_vec3_make(0.0, 0.0, -1.0);
    sn_status status = sn_model_make_faces(&made->model, triangles, looks, still, count, error);
    return finish(made, status, threads, drawing, error);
}

void sn_drawing_set_lamp(sn_drawing *drawing, sn_vec3 direction, const double colour[3])
{
    drawing->has_lamp = sn_length(direction) > 0.0;
    drawing->lamp = sn_normalize(direction);
    for (int k = 0; k < 3; ++k) {
        drawing->lamp_colour[k] = colour[k];
    }
}

void sn_drawing_destroy(sn_drawing *drawing)
{
    if (drawing == NULL) {
        return;
    }
    sn_model_free(&drawing->model);
    sn_threads_destroy(drawing->threads);
    sn_raster_free(&drawing->raster);
    sn_light_free(&drawing->light);
    sn_array_free(&drawing->positions);
    sn_free(drawing);
}

void sn_world_frames(const sn_world *world, sn_transform *frames)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        frames[i] = sn_body_transform(world, sn_world_body(world, i));
    }
}

void sn_frames_between(const sn_transform *from, const sn_transform *to, int count, double share,
                       sn_transform *frames)
{
    for (int i = 0; i < count; ++i) {
        sn_quat p = from[i].rotation, q = to[i].rotation;
        double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -share : share;
        double rest = 1.0 - share;
        frames[i].position = sn_vec3_add(sn_vec3_scale(rest, from[i].position),
                                         sn_vec3_scale(share, to[i].position));
        frames[i].rotation =
            sn_quat_normalize((sn_quat){rest * p.w + sign * q.w, rest * p.x + sign * q.x,
                                        rest * p.y + sign * q.y, rest * p.z + sign * q.z});
    }
}

int sn_world_point_count(const sn_world *world)
{
    int count = 0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        const sn_mesh *mesh = sn_body_display(world, sn_world_body(world, i));
        count += mesh != NULL ? sn_mesh_vertex_count(mesh) : 0;
    }
    return count;
}

void sn_world_points(const sn_world *world, sn_vec3 *points)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        const sn_mesh *mesh = sn_body_display(world, body);
        if (mesh != NULL) {
            sn_body_read_display(world, body, points, NULL);
            points += sn_mesh_vertex_count(mesh);
        }
    }
}

void sn_points_between(const sn_vec3 *from, const sn_vec3 *to, int count, double share,
                       sn_vec3 *points)
{
    for (int i = 0; i < count; ++i) {
        points[i] = sn_vec3_add(sn_vec3_scale(1.0 - share, from[i]), sn_vec3_scale(share, to[i]));
    }
}

void sn_drawing_watch(sn_drawing *drawing, const sn_transform *frames, const sn_vec3 *points)
{
    sn_model_measure(&drawing->model, frames, points, &drawing->watched);
    drawing->has_watched = true;
}

void sn_drawing_watch_points(sn_drawing *drawing, const sn_vec3 *points)
{
    sn_model_measure_points(&drawing->model, points, &drawing->watched);
    drawing->has_watched = true;
}

static sn_camera choose_camera(const sn_model *model, const sn_model_bounds *bounds,
                               const sn_picture_def *def)
{
    double aspect = (double)def->width / (double)(def->height > 0 ? def->height : 1);
    return def->camera.given ? def->camera : sn_stage_camera(model, bounds, def->direction, aspect);
}

sn_camera sn_drawing_camera(const sn_drawing *drawing, const sn_picture_def *def)
{
    return choose_camera(&drawing->model, &drawing->watched, def);
}

// A wire thinner than a pixel would come and go from sample to sample: it is blown up to a pixel's
// width where it stands.
static sn_status thicken(sn_drawing *drawing, const sn_raster_view *view, sn_error *error)
{
    const sn_model *model = &drawing->model;
    int count = model->positions.count;
    if (!sn_array_resize(&drawing->positions, count)) {
        return sn_fail_memory(error, sizeof(sn_vec3) * (size_t)count);
    }
    for (int i = 0; i < count; ++i) {
        sn_vec3 p = model->positions.data[i];
        double distance = sn_dot(sn_vec3_sub(p, view->eye), view->forward);
        double lacking = WIRE * distance / view->scale - (double)model->thickness.data[i];
        drawing->positions.data[i] =
            lacking > 0.0 ? sn_vec3_add_scaled(p, lacking, model->outward.data[i]) : p;
    }
    return SN_OK;
}

static sn_status check_def(const sn_picture_def *def, sn_error *error)
{
    const sn_camera *camera = &def->camera;
    if (camera->given &&
        (!(sn_distance(camera->position, camera->target) > 0.0) ||
         !sn_vec3_is_finite(camera->position) || !sn_vec3_is_finite(camera->target) ||
         !(camera->field_of_view >= 1e-3 && camera->field_of_view <= 3.0))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "camera",
                       "position and target must be different points, and the field of view from "
                       "0.001 to 3 rad");
    }
    return SN_OK;
}

static int between(int value, int lower, int upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}

// Maps as fine as the picture needs them, and fewer where each takes long to draw. Shadows of wires
// need many; the sky's light is even.
static sn_status prepare_light(sn_drawing *drawing, const sn_stage *stage,
                               const sn_picture_def *def, sn_error *error)
{
    int triangles = drawing->model.owners.count;
    int part = triangles < 60000 ? 1 : triangles < 300000 ? 2 : 4;
    int sky_part = triangles < 20000 ? 1 : triangles < 200000 ? 2 : 4;
    sn_light_def light = {.key = stage->key,
                          .key_radius = KEY_RADIUS,
                          .key_maps = 48 / part,
                          .sky_maps = 128 / sky_part,
                          .key_size = between(def->height, 128, 1024),
                          .sky_size = between(def->height / 4, 96, 320)};
    return sn_light_make(&drawing->light, &drawing->model, &light, drawing->threads, error);
}

// Of what the model has placed.
static sn_status draw_placed(sn_drawing *drawing, sn_model_bounds bounds, const sn_picture_def *def,
                             uint8_t *pixels, sn_error *error)
{
    sn_camera camera = choose_camera(&drawing->model, &bounds, def);
    sn_raster_view view =
        sn_raster_perspective(camera.position, camera.target, sn_vec3_make(0.0, 0.0, 1.0),
                              camera.field_of_view, def->width, def->height);
    view.rows = def->samples;
    sn_stage stage = sn_stage_make(&drawing->model, &bounds, drawing->gravity, &view);
    stage.key = drawing->has_lamp ? drawing->lamp : stage.key;
    sn_status status = thicken(drawing, &view, error);
    if (status == SN_OK) {
        status = sn_raster_load(&drawing->raster, &view, drawing->positions.data,
                                drawing->positions.count, drawing->model.triangles.data,
                                drawing->model.owners.count, error);
    }
    if (status == SN_OK) {
        status = prepare_light(drawing, &stage, def, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_shade_make(&drawing->shade, stage.key, stage.floor_colour);
    if (drawing->has_lamp) {
        drawing->shade.key_light.r *= (float)drawing->lamp_colour[0];
        drawing->shade.key_light.g *= (float)drawing->lamp_colour[1];
        drawing->shade.key_light.b *= (float)drawing->lamp_colour[2];
    }
    sn_painter painter = {.model = &drawing->model,
                          .stage = &stage,
                          .light = &drawing->light,
                          .shade = &drawing->shade,
                          .raster = &drawing->raster,
                          .positions = drawing->positions.data,
                          .pixels = pixels,
                          .stop = def->stop,
                          .user = def->user};
    return sn_paint(&painter, drawing->threads, error);
}

sn_status sn_draw_picture(sn_drawing *drawing, const sn_transform *frames, const sn_vec3 *points,
                          const sn_picture_def *def, uint8_t *pixels, sn_error *error)
{
    sn_status status = check_def(def, error);
    if (status == SN_OK) {
        status = sn_model_place(&drawing->model, frames, points, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_model_bounds bounds = drawing->watched;
    if (!drawing->has_watched) {
        sn_model_measure(&drawing->model, frames, points, &bounds);
    }
    return draw_placed(drawing, bounds, def, pixels, error);
}

sn_status sn_draw_points(sn_drawing *drawing, const sn_vec3 *points, const sn_picture_def *def,
                         uint8_t *pixels, sn_error *error)
{
    sn_status status = check_def(def, error);
    if (status == SN_OK) {
        status = sn_model_place_points(&drawing->model, points, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_model_bounds bounds = drawing->watched;
    if (!drawing->has_watched) {
        sn_model_measure_points(&drawing->model, points, &bounds);
    }
    return draw_placed(drawing, bounds, def, pixels, error);
}
