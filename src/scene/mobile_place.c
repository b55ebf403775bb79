// The numbers of mobiles: from descriptions to parts, balanced where that is asked for, and on to
// the bodies and joints that mobile_scene.c made.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "mobile/balance.h"
#include "mobile/outline_preset.h"
#include "scene/error_list.h"
#include "scene/made_item.h"
#include "scene/mobile_item.h"
#include "scene/shape_mesh.h"

static const double STANDARD_DENSITY = 2700.0; // aluminium

typedef struct placing {
    sn_scene *scene;
    sn_error_list *errors;
    sn_mobile_item *item;
    sn_made_mobile *made;
    sn_status status; // first failure
} placing;

static void fail(placing *p, sn_place place, const char *format, ...) SN_PRINTF(3, 4);

static void fail(placing *p, sn_place place, const char *format, ...)
{
    char text[500], where[SN_PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_status status = sn_error_list_add(p->errors, SN_ERROR_SCENE,
                                         sn_place_text(p->scene, place, where), "%s", text);
    p->status = p->status == SN_OK || status == SN_ERROR_MEMORY ? status : p->status;
}

static double given(const sn_item *item, const char *key, double number, double standard)
{
    return sn_item_gives(item, key) ? number : standard;
}

// ---- forms ----

// A bow is part of a circle through both ends and the raised middle.
static void fill_bow(sn_vec2 *wire, int count, double length, double rise)
{
    double half = 0.5 * length, size = fabs(rise);
    double radius = size > 0.0 ? 0.5 * (half * half / size + size) : 0.0;
    bool straight = !(size > 1e-9 * length);
    double angle = straight ? 0.0 : 2.0 * sn_atan2(size, half);
    for (int i = 0; i < count; ++i) {
        double share = 2.0 * i / (count - 1) - 1.0, s, c;
        sn_sincos(share * angle, &s, &c);
        wire[i].x = straight ? half * (1.0 + share) : half + radius * s;
        wire[i].y = straight ? 0.0 : (radius * c - (radius - size)) * (rise < 0.0 ? -1.0 : 1.0);
    }
    wire[0] = (sn_vec2){0.0, 0.0};
    wire[count - 1] = (sn_vec2){length, 0.0};
}

static void copy_points(const sn_vector_list *list, sn_vec2 *points)
{
    for (int i = 0; i < list->count; ++i) {
        points[i] = (sn_vec2){list->data[i].x, list->data[i].y};
    }
}

// The points of a list, or a spline through them, which needs the list in one piece.
static bool fill_curve(placing *p, const sn_vector_list *list, bool smooth, bool closed, int count,
                       sn_vec2 *points)
{
    if (!smooth) {
        copy_points(list, points);
        return true;
    }
    SN_ARRAY(sn_vec2) plain = {0};
    if (!sn_array_reserve(&plain, list->count)) {
        p->status = SN_ERROR_MEMORY;
        return false;
    }
    copy_points(list, plain.data);
    int spans = closed ? list->count : list->count - 1;
    sn_spline_points(plain.data, list->count, closed, (closed ? count : count - 1) / spans, points);
    sn_array_free(&plain);
    return true;
}

static void fill_form(placing *p, sn_made_part *made, sn_part *part)
{
    const sn_part_item *item = made->item;
    double width = 0.0;
    switch (item->item.table->id) {
    case SN_SCENE_ARM:
        fill_bow(made->wire, part->wire_count, item->arm, item->bow);
        break;
    case SN_SCENE_WIRE:
        (void)fill_curve(p, &item->wire, item->smooth, false, part->wire_count, made->wire);
        break;
    case SN_SCENE_LEAF:
        width = item->length * sn_preset_width((sn_outline_preset)item->leaf);
        width = given(&item->item, "width", item->width, width);
        sn_preset_points((sn_outline_preset)item->leaf, item->length, width, made->points);
        break;
    case SN_SCENE_OUTLINE: {
        if (fill_curve(p, &item->outline, item->smooth, true, made->sizes[0], made->points)) {
            int at = made->sizes[0];
            for (int i = 0; i < item->holes.count; ++i) {
                copy_points(&item->holes.data[i], made->points + at);
                at += item->holes.data[i].count;
            }
        }
        break;
    }
    case SN_SCENE_PATH: {
        int at = 0;
        for (int l = 0; l < part->outline.loop_count; ++l) {
            for (int i = 0; i < made->sizes[l]; ++i, ++at) {
                made->points[at] =
                    (sn_vec2){item->scale * made->wire[at].x, item->scale * made->wire[at].y};
            }
        }
        break;
    }
    default:
        break;
    }
}

static void check_wire(placing *p, const sn_part_item *item, const sn_part *arm)
{
    double length = sn_wire_length(arm);
    for (int i = 1; i < arm->wire_count; ++i) {
        if (!(sn_hypot(arm->wire[i].x - arm->wire[i - 1].x, arm->wire[i].y - arm->wire[i - 1].y) >
              1e-9 * length)) {
            fail(p, sn_item_place(&item->item, "wire"),
                 "two neighbouring points of the wire are the same");
            return;
        }
    }
    if (2.0 * arm->radius >= length) {
        fail(p, sn_item_place(&item->item, "thickness"),
             "a wire %g m thick is %g m long, expected a longer or thinner one", 2.0 * arm->radius,
             length);
    }
}

// ---- parts ----

static void fill_arm(placing *p, const sn_made_part *made, sn_part *part)
{
    const sn_part_item *item = made->item;
    double length = sn_wire_length(part);
    part->radius = 0.5 * given(&item->item, "thickness", item->thickness, p->item->wire_thickness);
    part->height = given(&item->item, "height", item->height, p->item->height);
    part->stem_radius =
        0.5 * given(&item->item, "hook_thickness", item->hook_thickness, 2.0 * part->radius);
    part->hook_margin = part->radius;
    part->hook_least = item->between.count == 2 ? item->between.data[0] : 0.0;
    part->hook_most = item->between.count == 2 ? item->between.data[1] : length;
    double middle = fmin(fmax(0.5 * length, part->hook_least), part->hook_most);
    part->hook = given(&item->item, "hook", item->hook, middle);
    check_wire(p, item, part);
    if (part->hook > length) {
        fail(p, sn_item_place(&item->item, "hook"),
             "the hook is at %g m of a wire that is %g m long", part->hook, length);
    }
    if (part->hook_least > part->hook_most) {
        fail(p, sn_item_place(&item->item, "between"),
             "between %g and %g m there is no place, expected the smaller length first",
             part->hook_least, part->hook_most);
    }
}

static void fill_piece(placing *p, sn_made_part *made, sn_part *part)
{
    const sn_part_item *item = made->item;
    bool upright = part->type != SN_PART_SOLID && !item->flat;
    part->roll = item->roll + (upright ? 0.5 * SN_PI : 0.0);
    if (!sn_item_gives(&item->item, "angle") && !part->fixed && !item->flat &&
        item->item.table->id == SN_SCENE_LEAF) {
        part->tilt = sn_preset_direction((sn_outline_preset)item->leaf);
    }
    part->height = item->height;
    part->size = item->size;
    part->radius = item->radius;
    part->thickness =
        given(&item->item, "thickness", item->sheet_thickness, p->item->sheet_thickness);
    part->bend = item->bend;
    part->hole_given = item->hole.count == 2;
    if (part->hole_given) {
        part->hole = (sn_vec2){item->hole.data[0], item->hole.data[1]};
    }
    part->least = given(&item->item, "least", item->least, p->item->least);
    part->most = given(&item->item, "most", item->most, p->item->most);
    if (part->least > part->most) {
        fail(p, sn_item_place(&item->item, sn_item_gives(&item->item, "least") ? "least" : "most"),
             "balancing may make it %g times at least and %g times at most what it is, expected "
             "the smaller number first",
             part->least, part->most);
    }
    if (part->type == SN_PART_SOLID) {
        sn_error error = {0};
        sn_surface_notes notes;
        sn_mesh *mesh = NULL;
        made->shapes[0]->scale = sn_vec3_make(item->scale, item->scale, item->scale);
        sn_status status =
            sn_shape_item_mesh(p->scene, made->shapes[0], false, &mesh, &notes, &error);
        if (status == SN_ERROR_MEMORY) {
            p->status = status;
        } else if (status != SN_OK) {
            fail(p, sn_item_place(&item->item, "mesh"), "mesh: %s", error.text);
        } else {
            sn_mesh_release(made->mesh);
            made->mesh = part->mesh = mesh;
        }
    }
}

// The first thing on an arm is at its first end, the last one at its second.
static double standard_at(const placing *p, const sn_part *part, const sn_part_item *item)
{
    const sn_part_item *arm = p->made->parts[part->parent].item;
    bool first = arm->carries.count > 1 && arm->carries.data[0] == &item->item;
    return first ? 0.0 : sn_wire_length(&p->made->mobile.parts[part->parent]);
}

static void fill_part(placing *p, int index)
{
    sn_made_part *made = &p->made->parts[index];
    sn_part *part = &p->made->mobile.parts[index];
    const sn_part_item *item = made->item;
    part->keep = item->keep;
    part->string = item->string;
    part->string_radius = 0.5 * p->item->string_thickness;
    part->string_density = p->item->string_density;
    part->drop = item->drop;
    part->turn = item->turn;
    part->tilt = item->tilt;
    part->roll = 0.0;
    part->size = 1.0;
    part->mass = item->mass;
    part->density = made->material != NULL ? made->material->density : STANDARD_DENSITY;
    fill_form(p, made, part);
    if (p->status == SN_ERROR_MEMORY) {
        return;
    }
    if (part->parent >= 0) {
        double length = sn_wire_length(&p->made->mobile.parts[part->parent]);
        part->at = given(&item->item, "at", item->at, standard_at(p, part, item));
        if (part->at > length * (1.0 + 1e-12)) {
            fail(p, sn_item_place(&item->item, "at"), "it is at %g m of a wire that is %g m long",
                 part->at, length);
        }
    }
    if (part->type == SN_PART_ARM) {
        fill_arm(p, made, part);
    } else {
        fill_piece(p, made, part);
    }
}

// ---- items ----

// A rotation that reading it back from text, which makes it unit again, does not change by a bit.
static sn_rotation_value settled(sn_quat rotation)
{
    for (int i = 0; i < 4; ++i) {
        rotation = sn_quat_normalize(rotation);
    }
    return sn_rotation_value_from(rotation);
}

static void put_shape(sn_shape_item *item, const sn_shape *shape, sn_transform in_body)
{
    sn_transform frame = sn_transform_multiply(in_body, shape->frame);
    item->position = frame.position;
    item->rotation = settled(frame.rotation);
    item->density = shape->density;
    item->radius = shape->radius;
    item->height = shape->height;
}

static bool put_sheet(placing *p, const sn_part *part, sn_shape_item *shape)
{
    int at = 0, loops = part->outline.loop_count, count = 0;
    for (int l = 0; l < loops; ++l) {
        count += part->outline.loop_sizes[l];
    }
    if (shape->points.data == NULL) {
        shape->points.data = sn_arena_allocate(&p->scene->arena, (size_t)count * sizeof(sn_vec3));
        shape->holes.data =
            sn_arena_allocate(&p->scene->arena, (size_t)loops * sizeof(sn_vector_list));
    }
    if (shape->points.data == NULL || shape->holes.data == NULL) {
        p->status = SN_ERROR_MEMORY;
        return false;
    }
    for (int i = 0; i < count; ++i) {
        shape->points.data[i] = sn_vec3_make(part->size * part->outline.points[i].x,
                                             part->size * part->outline.points[i].y, 0.0);
    }
    shape->points.count = part->outline.loop_sizes[0];
    at = shape->points.count;
    shape->holes.count = loops - 1;
    for (int l = 1; l < loops; ++l) {
        shape->holes.data[l - 1] =
            (sn_vector_list){shape->points.data + at, part->outline.loop_sizes[l]};
        at += part->outline.loop_sizes[l];
    }
    shape->thickness = part->thickness;
    shape->bend_radius = sn_part_bend_radius(part);
    return true;
}

static void put_shapes(placing *p, int index, sn_part_shapes *shapes)
{
    const sn_mobile *mobile = &p->made->mobile;
    const sn_part *part = &mobile->parts[index];
    sn_made_part *made = &p->made->parts[index];
    sn_transform in_body = sn_part_in_body(mobile, index);
    sn_error error = {0};
    sn_array_clear(shapes);
    if (sn_part_add_shapes(part, shapes, &error) != SN_OK) {
        p->status = SN_ERROR_MEMORY;
        return;
    }
    for (int i = 0; i < made->shape_count; ++i) {
        put_shape(made->shapes[i], &shapes->data[i], in_body);
        if (part->type == SN_PART_SHEET && !put_sheet(p, part, made->shapes[i])) {
            return;
        }
        if (part->type == SN_PART_SOLID) {
            double scale = part->size * made->item->scale;
            made->shapes[i]->scale = sn_vec3_make(scale, scale, scale);
            sn_made_give(&made->shapes[i]->item, "scale", made->item->item.place);
        }
    }
    if (made->stem != NULL && shapes->count > made->shape_count) {
        sn_item_list *list = &made->body->shapes;
        put_shape(made->stem, &shapes->data[made->shape_count], in_body);
        list->data[list->count++] = &made->stem->item;
    }
    sn_shape stem;
    if (made->drop_stem != NULL && sn_part_drop_stem(mobile, part, &stem)) {
        sn_item_list *list = &p->made->parts[part->parent].body->shapes;
        put_shape(made->drop_stem, &stem, sn_part_in_body(mobile, part->parent));
        list->data[list->count++] = &made->drop_stem->item;
    }
}

static void put_joint(const placing *p, sn_joint_item *joint, sn_vec3 at, double yaw)
{
    double s, c;
    sn_sincos(yaw, &s, &c);
    joint->at = at;
    if (sn_item_gives(&joint->item, "axis")) { // else a resolved scene would not have it
        joint->axis = sn_vec3_make(c, s, 0.0);
        joint->second_axis = sn_vec3_make(-s, c, 0.0);
    }
    if (joint->damping.count > 0) {
        joint->damping.data[0].number = p->item->damping;
    }
}

static void put_hung(placing *p, int index)
{
    const sn_part *part = &p->made->mobile.parts[index];
    sn_made_part *made = &p->made->parts[index];
    sn_vec3 pivot = sn_transform_point(part->frame, part->pivot);
    made->body->position = pivot;
    made->body->rotation = settled(part->frame.rotation);
    put_joint(p, made->joint, pivot, part->yaw);
    if (made->string == NULL) {
        return;
    }
    sn_shape_item *rod = (sn_shape_item *)made->string->shapes.data[0];
    made->string->position = part->hook_place;
    made->string->rotation = sn_rotation_value_from(SN_QUAT_IDENTITY);
    rod->position = sn_vec3_make(0.0, 0.0, -0.5 * part->string);
    rod->rotation = sn_rotation_value_from(SN_QUAT_IDENTITY);
    rod->radius = part->string_radius;
    rod->height = part->string;
    rod->density =
        part->string_density * part->string / (part->string + 4.0 / 3.0 * part->string_radius);
    put_joint(p, made->string_joint, part->hook_place, part->yaw);
}

// The pole goes straight up and turns to the nail in a quarter of a circle.
static void put_pole(sn_shape_item *pole, double reach, double height)
{
    sn_vec3 *at = pole->points.data;
    double radius = 0.6 * fmin(fabs(reach), height), side = reach < 0.0 ? -1.0 : 1.0;
    if (reach == 0.0) {
        pole->points.count = 2;
        at[0] = SN_VEC3_ZERO;
        at[1] = sn_vec3_make(0.0, 0.0, height);
        return;
    }
    enum { ARC = 8 };
    pole->points.count = ARC + 2;
    at[0] = sn_vec3_make(-reach, 0.0, 0.0);
    for (int i = 0; i < ARC; ++i) {
        double s, c;
        sn_sincos(0.5 * SN_PI * i / (ARC - 1), &s, &c);
        at[i + 1] =
            sn_vec3_make(-reach + side * radius * (1.0 - c), 0.0, height - radius + radius * s);
    }
    at[ARC + 1] = sn_vec3_make(0.0, 0.0, height);
}

static void put_support(placing *p)
{
    const sn_mobile_item *item = p->item;
    sn_body_item *body = p->made->support;
    sn_shape_item *plate = p->made->plate;
    if (body == NULL) {
        return;
    }
    sn_quat turned = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), item->turn);
    body->position = item->position;
    body->rotation = settled(turned);
    plate->rotation = sn_rotation_value_from(SN_QUAT_IDENTITY);
    plate->density = STANDARD_DENSITY;
    if (p->made->pole == NULL) {
        plate->radius = item->ceiling;
        plate->height = 0.1 * item->ceiling;
        plate->position = sn_vec3_make(0.0, 0.0, 0.5 * plate->height);
        return;
    }
    const sn_foot_item *foot = &item->foot;
    double height = item->position.z - foot->ground;
    if (!(height > foot->thickness)) {
        fail(p, sn_item_place(&item->item, "foot"),
             "the nail is %g m above the ground, expected more than the pole's thickness", height);
        return;
    }
    body->position.z = foot->ground;
    plate->radius = foot->base;
    plate->height = 0.6 * foot->thickness;
    plate->position = sn_vec3_make(-foot->reach, 0.0, 0.5 * plate->height);
    p->made->pole->radius = 0.5 * foot->thickness;
    p->made->pole->density = STANDARD_DENSITY;
    p->made->pole->rotation = sn_rotation_value_from(SN_QUAT_IDENTITY);
    put_pole(p->made->pole, foot->reach, height);
}

static void put_items(placing *p)
{
    const sn_mobile *mobile = &p->made->mobile;
    sn_part_shapes shapes = {0};
    for (int i = 0; i < mobile->count; ++i) {
        if (!mobile->parts[i].fixed) {
            p->made->parts[i].body->shapes.count = p->made->parts[i].body_shape_count;
            put_hung(p, i);
        }
    }
    for (int i = 0; i < mobile->count && p->status == SN_OK; ++i) {
        put_shapes(p, i, &shapes);
    }
    sn_array_free(&shapes);
    put_support(p);
}

// ---- the whole ----

static void explain(placing *p, const sn_error *error)
{
    const sn_mobile *mobile = &p->made->mobile;
    if (mobile->culprit < 0) {
        const char *key = mobile->culprit_key != NULL ? mobile->culprit_key : "balance";
        fail(p, sn_item_place(&p->item->item, key), "mobile '%s': %s", mobile->name, error->text);
        return;
    }
    const sn_item *item = &p->made->parts[mobile->culprit].item->item;
    sn_place place =
        mobile->culprit_key != NULL ? sn_item_place(item, mobile->culprit_key) : item->place;
    bool named = strstr(error->text, mobile->parts[mobile->culprit].name) != NULL;
    fail(p, place, "%s%s%s%s", named ? "" : "\"", named ? "" : mobile->parts[mobile->culprit].name,
         named ? "" : "\": ", error->text);
}

sn_status sn_mobile_item_place(sn_scene *scene, sn_mobile_item *item, sn_balance_for what,
                               sn_error_list *errors)
{
    placing p = {.scene = scene, .errors = errors, .item = item, .made = item->made};
    sn_mobile *mobile = &item->made->mobile;
    sn_vec3 g = scene->root.gravity;
    mobile->position = item->position;
    mobile->turn = item->turn;
    mobile->gravity = g.x == 0.0 && g.y == 0.0 ? -g.z : 0.0;
    mobile->total_mass = item->mass;
    for (int i = 0; i < mobile->count && p.status != SN_ERROR_MEMORY; ++i) {
        fill_part(&p, i);
    }
    if (p.status != SN_OK) {
        return p.status;
    }
    sn_error error = {0};
    sn_status status = sn_mobile_balance(mobile, what, &error);
    if (status == SN_ERROR_MEMORY) {
        return status;
    }
    if (status != SN_OK) {
        explain(&p, &error);
        return p.status;
    }
    item->made->balanced = what;
    put_items(&p);
    return p.status;
}

sn_status sn_mobiles_place(sn_scene *scene, bool again, sn_error_list *errors)
{
    sn_status first = SN_OK;
    for (int i = 0; i < scene->root.mobiles.count && first != SN_ERROR_MEMORY; ++i) {
        sn_mobile_item *item = SN_MOBILE(scene, i);
        if (item->bound || !again) {
            sn_status status =
                sn_mobile_item_place(scene, item, (sn_balance_for)item->balance, errors);
            first = first == SN_OK || status == SN_ERROR_MEMORY ? status : first;
        }
    }
    return first;
}
