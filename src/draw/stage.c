#include "draw/stage.h"

#include <math.h>

#include "math/elementary.h"

#define FIELD_OF_VIEW 0.6108652381980153 // 35 degrees
#define MARGIN        1.12               // of automatic framing
#define CLOSE         3.0                // sizes of what moves: surroundings that are always shown
#define WIDE          15.0               // ... that are shown where they cannot hide it
#define AROUND        0.4                // ... on each side, of surroundings larger than that

static bool is_empty(const sn_aabb *box)
{
    return !(box->lower.x <= box->upper.x);
}

static sn_aabb join(sn_aabb a, sn_aabb b)
{
    return (sn_aabb){sn_vec3_min(a.lower, b.lower), sn_vec3_max(a.upper, b.upper)};
}

static double extent(const sn_aabb *box)
{
    return sn_distance(box->lower, box->upper);
}

// The part of a box that is within `reach` of another one; may be empty.
static sn_aabb cut(sn_aabb box, const sn_aabb *about, double reach)
{
    sn_vec3 r = sn_vec3_make(reach, reach, reach);
    box.lower = sn_vec3_max(box.lower, sn_vec3_sub(about->lower, r));
    box.upper = sn_vec3_min(box.upper, sn_vec3_add(about->upper, r));
    bool apart = box.lower.y > box.upper.y || box.lower.z > box.upper.z;
    return apart ? sn_model_no_bounds().still : box;
}

// What moves together with what stands still around it. A frame about a mobile or a ramp under a
// ball is shown whole; of a hall only what is near, and no wall before the eye.
static sn_aabb add_surroundings(const sn_aabb *moving, const sn_aabb *still)
{
    sn_aabb all = join(*moving, *still);
    double size = extent(moving);
    bool low = still->upper.z <= moving->upper.z + size;
    if (extent(&all) <= CLOSE * size || (low && extent(&all) <= WIDE * size)) {
        return all;
    }
    return low ? join(*moving, cut(*still, moving, AROUND * size)) : *moving;
}

sn_aabb sn_stage_box(const sn_model *model, const sn_model_bounds *bounds)
{
    if (is_empty(&bounds->moving) && is_empty(&bounds->still)) {
        return (sn_aabb){sn_vec3_make(-1.0, -1.0, -1.0), sn_vec3_make(1.0, 1.0, 1.0)};
    }
    if (is_empty(&bounds->moving)) {
        return bounds->still;
    }
    sn_aabb box = bounds->moving;
    if (!is_empty(&bounds->still)) {
        box = add_surroundings(&bounds->moving, &bounds->still);
    }
    // What nothing holds falls on the floor: that is shown, too.
    double gap = box.lower.z - model->floor.height;
    if (model->floor.given && gap > 0.0 &&
        gap <= (model->falls ? WIDE : 1.0) * extent(&bounds->moving)) {
        box.lower.z = model->floor.height;
    }
    return box;
}

static sn_vec3 box_corner(const sn_aabb *box, int i)
{
    return sn_vec3_make(i & 1 ? box->upper.x : box->lower.x, i & 2 ? box->upper.y : box->lower.y,
                        i & 4 ? box->upper.z : box->lower.z);
}

// From the front, a little from the right and above; flat things more straight on.
static sn_vec3 good_direction(const sn_aabb *box)
{
    sn_vec3 size = sn_vec3_sub(box->upper, box->lower);
    double depth = size.y, height = size.z, width = size.x;
    if (height < 0.2 * fmin(width, depth)) {
        return sn_vec3_make(0.25, -0.8, 0.75); // lies on the ground
    }
    if (depth < 0.25 * fmax(width, height)) {
        return sn_vec3_make(0.3, -1.0, 0.18);
    }
    return sn_vec3_make(0.55, -1.0, 0.42);
}

sn_camera sn_stage_camera(const sn_model *model, const sn_model_bounds *bounds, sn_vec3 direction,
                          double aspect)
{
    sn_aabb box = sn_stage_box(model, bounds);
    sn_vec3 centre = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    if (!(sn_length(direction) > 0.0)) {
        direction = good_direction(&box);
    }
    direction = sn_normalize(direction);
    sn_raster_view view = sn_raster_perspective(sn_vec3_add(centre, direction), centre,
                                                sn_vec3_make(0.0, 0.0, 1.0), FIELD_OF_VIEW, 1, 1);
    // The least distance at which every corner is inside the four sides.
    double up = sn_tan(0.5 * FIELD_OF_VIEW), right = up * aspect, distance = 0.0;
    for (int i = 0; i < 8; ++i) {
        sn_vec3 c = sn_vec3_sub(box_corner(&box, i), centre);
        double nearer = sn_dot(c, direction);
        distance = fmax(distance, nearer + MARGIN * fabs(sn_dot(c, view.up)) / up);
        distance = fmax(distance, nearer + MARGIN * fabs(sn_dot(c, view.right)) / right);
    }
    distance = distance > 0.0 ? distance : 1.0;
    return (sn_camera){true, sn_vec3_add_scaled(centre, distance, direction), centre,
                       FIELD_OF_VIEW};
}

// From the upper left behind the eye.
static sn_vec3 key_direction(const sn_raster_view *view)
{
    sn_vec3 back = sn_vec3_make(-view->forward.x, -view->forward.y, 0.0);
    if (sn_length(back) < 0.3) {
        back = sn_vec3_make(-view->up.x, -view->up.y, 0.0);
    }
    back = sn_normalize(back);
    sn_vec3 left = sn_normalize(sn_vec3_make(-view->right.x, -view->right.y, 0.0));
    sn_vec3 key = sn_vec3_add_scaled(sn_vec3_make(0.0, 0.0, 1.0), 0.42, left);
    return sn_normalize(sn_vec3_add_scaled(key, 0.38, back));
}

// Stands something on the lowest level there is, or does all of it hang?
static bool stands(const sn_model_bounds *bounds, const sn_aabb *box)
{
    double height = box->upper.z - box->lower.z;
    return !is_empty(&bounds->still) && bounds->still.lower.z < box->lower.z + 0.12 * height;
}

sn_stage sn_stage_make(const sn_model *model, const sn_model_bounds *bounds, sn_vec3 gravity,
                       const sn_raster_view *view)
{
    sn_aabb box = sn_stage_box(model, bounds);
    sn_aabb all = join(bounds->moving, bounds->still);
    sn_stage stage = {.centre = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper)),
                      .radius = 0.5 * sn_distance(box.lower, box.upper),
                      .key = key_direction(view),
                      .floor_colour = 0xc2bfbb,
                      .floor_roughness = 0.6f};
    stage.radius = stage.radius > 0.0 ? stage.radius : 1.0;
    if (model->floor.given) {
        stage.has_floor = true;
        stage.floor_height = model->floor.height;
        stage.floor_colour = model->floor.colour;
        stage.floor_roughness = model->floor.roughness;
    } else if (!is_empty(&all)) {
        bool falls = gravity.z < -0.7 * sn_length(gravity);
        double height = falls ? box.upper.z - box.lower.z : 2.0 * stage.radius;
        stage.has_floor = true;
        stage.floor_height = falls && stands(bounds, &box)
                                 ? all.lower.z
                                 : fmin(all.lower.z, box.lower.z) - 0.25 * height;
    }
    stage.has_floor = stage.has_floor && view->eye.z > stage.floor_height + 1e-3 * stage.radius;
    return stage;
}
