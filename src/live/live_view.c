// How a scene is first seen: the box that a picture holds, the camera of a scene that gives none,
// and the point that the numbers of frames are counted from.
#include "draw/stage.h"
#include "live/live.h"

#define ASPECT     1.6   // of a usual page: who has another one frames the box anew
#define FAR        100.0 // sizes: a scene farther from zero has an origin of its own
#define BARE_REACH 0.5   // m around bodies without shapes

static bool is_empty(const sn_aabb *box)
{
    return !(box->lower.x <= box->upper.x);
}

// Where there is nothing to draw, bodies are where their frames are.
static sn_aabb bare_box(const sn_live *live)
{
    sn_vec3 reach = sn_vec3_make(BARE_REACH, BARE_REACH, BARE_REACH);
    sn_aabb box = sn_model_no_bounds().moving;
    for (int i = 0; i < sn_world_body_count(live->world); ++i) {
        sn_vec3 place = live->frames.data[i].position;
        box.lower = sn_vec3_min(box.lower, sn_vec3_sub(place, reach));
        box.upper = sn_vec3_max(box.upper, sn_vec3_add(place, reach));
    }
    return is_empty(&box) ? (sn_aabb){sn_vec3_make(-1.0, -1.0, -1.0), sn_vec3_make(1.0, 1.0, 1.0)}
                          : box;
}

// Frames have numbers of single precision, 6e-8 of what they are: within a hundred sizes from
// their origin they are exact to 1e-5 of the scene's size, which nobody sees.
static sn_vec3 choose_origin(const sn_live *live, sn_vec3 centre, double size)
{
    sn_vec3 before = live->keeps ? live->origin : SN_VEC3_ZERO;
    if (sn_distance(centre, before) <= FAR * size) {
        return before;
    }
    return sn_length(centre) <= FAR * size ? SN_VEC3_ZERO : centre;
}

void sn_live_choose_view(sn_live *live)
{
    sn_model_bounds bounds = sn_model_no_bounds();
    sn_model_measure(&live->model, live->frames.data, live->points.data, &bounds);
    if (is_empty(&bounds.moving) && is_empty(&bounds.still)) {
        bounds.moving = bare_box(live);
    }
    sn_aabb moving = is_empty(&bounds.moving) ? bounds.still : bounds.moving;
    live->lower = moving.lower;
    live->upper = moving.upper;
    live->frame = sn_stage_box(&live->model, &bounds);
    live->camera = sn_scene_camera(live->scene);
    if (!live->camera.given) {
        live->camera = sn_stage_camera(&live->model, &bounds, SN_VEC3_ZERO, ASPECT);
        live->camera.given = false;
    }
    sn_vec3 centre = sn_vec3_scale(0.5, sn_vec3_add(live->frame.lower, live->frame.upper));
    live->origin = choose_origin(live, centre, sn_distance(live->frame.lower, live->frame.upper));
}
