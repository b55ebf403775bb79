// A breath for a scene: the strength of the wind that is marked for it, or of one that is made.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "geometry/reach.h"
#include "scene/made_item.h"
#include "scene/model.h"

// Of the cone that is made: its vertex is two radii of what moves away from the middle of it, and
// the disc a quarter of that way, so that a full blow makes 1 m/s in the middle.
#define LENGTH 0.5  // of the cone, by the radius
#define SLOPE  0.5  // of its side
#define SPEED  16.0 // m/s

// ---- the strength ----

static sn_motion_item *make_motion(sn_scene *scene, const sn_motion *strength, sn_place place,
                                   sn_item_list *list)
{
    sn_motion_def def = sn_motion_points(strength);
    size_t count = (size_t)def.count;
    sn_course course = {.times = sn_arena_allocate(&scene->arena, count * sizeof(double)),
                        .values = sn_arena_allocate(&scene->arena, count * sizeof *course.values),
                        .places = sn_arena_allocate(&scene->arena, count * sizeof *course.places),
                        .count = def.count};
    int before = list->count;
    sn_motion_item *item = (sn_motion_item *)sn_made_item(scene, &sn_table_motions, list, place);
    if (item == NULL || course.times == NULL || course.values == NULL || course.places == NULL ||
        !sn_array_push(&scene->motions, item)) {
        list->count = before;
        return NULL;
    }
    for (int i = 0; i < def.count; ++i) {
        course.times[i] = def.times[i];
        course.values[i] = (sn_quantity_value){.number = def.values[i], .in_si = true};
        course.places[i] = place;
    }
    item->type = (int)def.type;
    item->points = course;
    item->repeats = def.repeats;
    item->order = scene->motions.count - 1;
    sn_made_give(&item->item, "type", place);
    sn_made_give(&item->item, "points", place);
    if (def.repeats) {
        sn_made_give(&item->item, "repeats", place);
    }
    return item;
}

static sn_status set_strength(sn_scene *scene, sn_field_item *field, const sn_motion *strength,
                              sn_error *error)
{
    sn_item_list made = {.single = true};
    sn_place place = field->item.place;
    sn_motion_item *item = make_motion(scene, strength, place, &made);
    if (item == NULL) {
        sn_array_free(&made);
        return sn_fail_memory(error, sizeof *item);
    }
    sn_array_free(&field->wind.strength.own);
    field->wind.strength = (sn_one_or_name){.own = made};
    field->wind.strength_item = item;
    sn_made_give(&field->item, "strength", place);
    return SN_OK;
}

// ---- the wind ----

static sn_field_item *find_wind(const sn_scene *scene)
{
    for (int i = 0; i < scene->root.fields.count; ++i) {
        sn_field_item *field = SN_FIELD(scene, i);
        if (field->item.table->id == SN_SCENE_WIND && field->wind.breath) {
            return field;
        }
    }
    return NULL;
}

static bool is_taken(const sn_scene *scene, const char *name)
{
    const sn_item_list *lists[] = {&scene->root.bodies, &scene->root.joints, &scene->root.fields};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < lists[k]->count; ++i) {
            const char *other = ((const sn_named_item *)lists[k]->data[i])->name;
            if (other != NULL && strcmp(other, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

// "breath", "breath 2", ...; NULL when memory runs out.
static const char *make_name(sn_scene *scene)
{
    enum { SIZE = 24 };
    char *name = sn_arena_allocate(&scene->arena, SIZE);
    for (int i = 1; name != NULL && (i == 1 || is_taken(scene, name)); ++i) {
        snprintf(name, SIZE, i == 1 ? "breath" : "breath %d", i);
    }
    return name;
}

// The ball around all bodies that move, as the scene starts. False: there are none.
static bool find_ball(const sn_world *world, sn_vec3 *centre, double *radius)
{
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        int count = sn_body_shape_count(world, body);
        if (sn_body_get_type(world, body) == SN_BODY_STATIC || count == 0) {
            continue;
        }
        sn_vec3 middle = sn_body_centre(world, body);
        double reach =
            sn_shapes_reach(sn_body_shape(world, body, 0), count,
                            sn_transform_point_inverse(sn_body_transform(world, body), middle));
        sn_vec3 margin = {reach, reach, reach};
        box.lower = sn_vec3_min(box.lower, sn_vec3_sub(middle, margin));
        box.upper = sn_vec3_max(box.upper, sn_vec3_add(middle, margin));
    }
    *centre = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    *radius = 0.5 * sn_distance(box.lower, box.upper);
    return *radius > 0.0 && isfinite(*radius);
}

static void give_wind(sn_field_item *field, sn_vec3 centre, sn_vec3 way, double radius)
{
    static const char *const keys[] = {"name",   "kind",   "position", "direction", "speed",
                                       "radius", "length", "breath",   "occlusion"};
    sn_wind_item *wind = &field->wind;
    field->body_a = field->body_b = -1;
    wind->kind = SN_WIND_CONE;
    wind->position = sn_vec3_add_scaled(centre, (LENGTH - 2.0) * radius, way);
    wind->direction = way;
    wind->speed = SPEED;
    wind->length = LENGTH * radius;
    wind->radius = SLOPE * wind->length;
    wind->breath = true;
    wind->occlusion = SN_WIND_OCCLUSION_DEPTH;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        sn_made_give(&field->item, keys[i], field->item.place);
    }
}

// A cone from the camera's side, or from -y, at what moves.
static sn_status make_wind(sn_scene *scene, sn_field_item **made, sn_error *error)
{
    sn_world *world = NULL;
    sn_status status = sn_scene_build(scene, &world, error);
    sn_vec3 centre;
    double radius;
    if (status == SN_OK && !find_ball(world, &centre, &radius)) {
        status = sn_fail(error, SN_ERROR_SCENE, sn_scene_name(scene),
                         "nothing in the scene moves that one could blow at");
    }
    sn_world_destroy(world);
    if (status != SN_OK) {
        return status;
    }
    const sn_object *table = NULL;
    for (int i = 0; i < sn_table_fields.variant_count; ++i) {
        table =
            sn_table_fields.variants[i]->id == SN_SCENE_WIND ? sn_table_fields.variants[i] : table;
    }
    const char *name = make_name(scene);
    int before = scene->root.fields.count;
    sn_field_item *field =
        (sn_field_item *)sn_made_item(scene, table, &scene->root.fields, scene->root.item.place);
    if (name == NULL || field == NULL) {
        scene->root.fields.count = before;
        return sn_fail_memory(error, sizeof *field);
    }
    sn_camera camera = sn_scene_camera(scene);
    sn_vec3 way = camera.given ? sn_vec3_sub(centre, camera.position) : sn_vec3_make(0.0, 1.0, 0.0);
    way = sn_length(way) > 0.0 ? sn_normalize(way) : sn_vec3_make(0.0, 1.0, 0.0);
    field->name = name;
    give_wind(field, centre, way, radius);
    sn_made_give_list(scene, "fields", scene->root.item.place);
    *made = field;
    return SN_OK;
}

sn_status sn_scene_blow(sn_scene *scene, const sn_motion *strength, sn_blow *blow, sn_error *error)
{
    *blow = (sn_blow){0};
    sn_field_item *field = find_wind(scene);
    sn_status status = SN_OK;
    if (field == NULL) {
        status = make_wind(scene, &field, error);
        blow->made = status == SN_OK;
    }
    status = status == SN_OK ? set_strength(scene, field, strength, error) : status;
    if (status != SN_OK) {
        scene->root.fields.count -= blow->made;
        *blow = (sn_blow){0};
        return status;
    }
    blow->wind = field->name;
    blow->position = field->wind.position;
    blow->speed = field->wind.speed;
    return SN_OK;
}
