// How much of every patch a wind reaches, as bodies stand now: by a picture from its source, or by
// rays.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collide/query.h"
#include "field/wind.h"
#include "force/shade.h"
#include "model/world.h"
#include "touch/touch.h"

#define SELF 0.35 // of a patch's size: what stands out from its plane by that and a pixel, hides it
enum { BODY_CHUNK = 8 };

// ---- the view ----

typedef struct shade_view {
    sn_world *world;
    const sn_wind *wind;
    sn_wind_source source;
    uint8_t *lit; // of the wind
    sn_vec3 eye, right, up, forward;
    double left, below, width, height; // of the picture: slopes, or lengths in parallel views
    double back;                       // the nearest depth of anything, in parallel views
    sn_raster_view raster;
} shade_view;

static sn_vec3 in_eye_axes(const shade_view *view, sn_vec3 way)
{
    return sn_vec3_make(sn_dot(way, view->right), sn_dot(way, view->up),
                        sn_dot(way, view->forward));
}

// The ball around a body between the slopes left and right, or below and above.
static void find_slopes(const shade_view *view, double at, double z, double radius, double *lower,
                        double *upper)
{
    *lower = at - radius;
    *upper = at + radius;
    if (view->source.is_cone) {
        double near = z - radius, far = z + radius;
        *lower = near > 0.0 ? *lower / (*lower < 0.0 ? near : far) : -INFINITY;
        *upper = near > 0.0 ? *upper / (*upper > 0.0 ? near : far) : INFINITY;
    }
}

static void place_body(const shade_view *view, int index)
{
    const sn_world *world = view->world;
    const sn_shade *shade = &world->air.shade;
    const sn_shade_body *body = &shade->bodies.data[index];
    const sn_body_record *record = &world->bodies.data[body->body];
    sn_transform frame;
    if (record->agent.agent < 0) {
        frame = record->own->frame;
    } else {
        const sn_agent_set *set = world->sets[record->agent.set];
        sn_part part;
        set->type->part(set, record->agent.agent, record->agent.part, &part);
        frame = part.frame;
    }
    sn_shade_place *place = &shade->places.data[index];
    sn_mat3 axes = {{{view->right.x, view->right.y, view->right.z},
                     {view->up.x, view->up.y, view->up.z},
                     {view->forward.x, view->forward.y, view->forward.z}}};
    place->turn = sn_mat3_multiply(axes, sn_quat_to_mat3(frame.rotation));
    place->from = in_eye_axes(view, sn_vec3_sub(frame.position, view->eye));
    const sn_occluder *occluder = &shade->forms.data[body->form].occluder;
    sn_vec3 centre = sn_vec3_add(place->from, sn_mat3_apply(place->turn, occluder->centre));
    double radius = occluder->radius;
    find_slopes(view, centre.x, centre.z, radius, &place->left, &place->right);
    find_slopes(view, centre.y, centre.z, radius, &place->below, &place->above);
    place->near = radius >= 0.0 ? centre.z - radius : INFINITY;
    place->far = radius >= 0.0 ? centre.z + radius : -INFINITY;
}

// The picture: as much of the cone as there are bodies in it that move. False: there are none.
static bool frame_picture(shade_view *view)
{
    const sn_shade *shade = &view->world->air.shade;
    double limit = view->source.is_cone ? view->source.slope : INFINITY;
    double left = INFINITY, right = -INFINITY, below = INFINITY, above = -INFINITY;
    view->back = INFINITY;
    for (int i = 0; i < shade->bodies.count; ++i) {
        const sn_shade_place *p = &shade->places.data[i];
        view->back = fmin(view->back, p->near);
        bool inside = p->left < limit && p->right > -limit && p->below < limit &&
                      p->above > -limit && (!view->source.is_cone || p->far > view->source.length);
        if (shade->bodies.data[i].air >= 0 && inside && p->near <= p->far) {
            left = fmin(left, fmax(p->left, -limit));
            right = fmax(right, fmin(p->right, limit));
            below = fmin(below, fmax(p->below, -limit));
            above = fmax(above, fmin(p->above, limit));
        }
    }
    view->left = left;
    view->below = below;
    view->width = right - left;
    view->height = above - below;
    return view->width > 0.0 && view->height > 0.0 && isfinite(view->width * view->height);
}

// Corners are given in the eye's axes, so that the raster's are the unit vectors.
static void aim_raster(shade_view *view)
{
    int size = sn_shade_pixels(&view->world->air.shade, view->wind);
    double scale = size / fmax(view->width, view->height);
    double middle_x = view->left + 0.5 * view->width, middle_y = view->below + 0.5 * view->height;
    int width = (int)ceil(scale * view->width), height = (int)ceil(scale * view->height);
    view->raster = (sn_raster_view){
        .right = {1.0, 0.0, 0.0},
        .up = {0.0, 1.0, 0.0},
        .forward = {0.0, 0.0, 1.0},
        .orthographic = !view->source.is_cone,
        .scale = scale,
        .shift_x = -scale * middle_x,
        .shift_y = scale * middle_y,
        .near = view->source.is_cone ? view->source.length : -INFINITY,
        .width = width < 1      ? 1
                 : width > size ? size
                                : width,
        .height = height < 1      ? 1
                  : height > size ? size
                                  : height,
        .rows = 1,
    };
}

static bool is_in_picture(const shade_view *view, const sn_shade_place *p)
{
    return p->left < view->left + view->width && p->right > view->left &&
           p->below < view->below + view->height && p->above > view->below &&
           (!view->source.is_cone || p->far > view->source.length) && p->near <= p->far;
}

// ---- drawing ----

// From a place to the eye.
static sn_vec3 to_eye(const shade_view *view, sn_vec3 place)
{
    return view->source.is_cone ? sn_vec3_negate(place) : sn_vec3_make(0.0, 0.0, -1.0);
}

static bool push_triangle(sn_shade *shade, int a, int b, int c, int owner)
{
    int count = shade->triangles.count;
    if (!sn_array_resize(&shade->triangles, count + 3) || !sn_array_push(&shade->owners, owner)) {
        return false;
    }
    int *corners = shade->triangles.data + count;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return true;
}

static bool push_faces(const shade_view *view, const sn_occluder *occluder,
                       const sn_shade_place *place, int owner)
{
    sn_shade *shade = &view->world->air.shade;
    int first = shade->corners.count, count = occluder->corners.count;
    if (!sn_array_resize(&shade->corners, first + count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        shade->corners.data[first + i] =
            sn_vec3_add(place->from, sn_mat3_apply(place->turn, occluder->corners.data[i]));
    }
    // The eye, or the way to it, in the body's axes.
    sn_vec3 eye = sn_mat3_apply_transpose(place->turn, to_eye(view, place->from));
    bool done = true;
    for (int i = 0; i < occluder->faces.count && done; ++i) {
        const sn_occluder_face *face = &occluder->faces.data[i];
        double front = sn_dot(face->normal, eye) - (view->source.is_cone ? face->offset : 0.0);
        if (front > 0.0 || face->open) {
            done = push_triangle(shade, first + face->corners[0], first + face->corners[1],
                                 first + face->corners[2], owner);
        }
    }
    return done;
}

// Moves a point towards the eye without changing where it is seen.
static sn_vec3 nearer(const shade_view *view, sn_vec3 point, double by)
{
    if (!view->source.is_cone) {
        return sn_vec3_make(point.x, point.y, point.z - by);
    }
    double distance = sn_length(point);
    return distance > by ? sn_vec3_scale(1.0 - by / distance, point) : point;
}

// A band across the line of sight, as near as a bar's surface is in the mean.
static bool push_bar(const shade_view *view, const sn_occluder_bar *bar,
                     const sn_shade_place *place, int owner)
{
    sn_shade *shade = &view->world->air.shade;
    sn_vec3 a = sn_vec3_add(place->from, sn_mat3_apply(place->turn, bar->ends[0]));
    sn_vec3 b = sn_vec3_add(place->from, sn_mat3_apply(place->turn, bar->ends[1]));
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    sn_vec3 across = sn_cross(sn_vec3_sub(b, a), to_eye(view, middle));
    double length = sn_length(across);
    if (!(length > 0.0)) {
        return true;
    }
    across = sn_vec3_scale(bar->radius / length, across);
    int first = shade->corners.count;
    if (!sn_array_resize(&shade->corners, first + 4)) {
        return false;
    }
    sn_vec3 *corners = shade->corners.data + first;
    double by = 0.25 * SN_PI * bar->radius;
    corners[0] = nearer(view, sn_vec3_add(a, across), by);
    corners[1] = nearer(view, sn_vec3_sub(a, across), by);
    corners[2] = nearer(view, sn_vec3_sub(b, across), by);
    corners[3] = nearer(view, sn_vec3_add(b, across), by);
    return push_triangle(shade, first, first + 1, first + 2, owner) &&
           push_triangle(shade, first, first + 2, first + 3, owner);
}

static sn_status draw_picture(shade_view *view, sn_error *error)
{
    sn_world *world = view->world;
    sn_shade *shade = &world->air.shade;
    sn_array_clear(&shade->corners);
    sn_array_clear(&shade->triangles);
    sn_array_clear(&shade->owners);
    bool done = true;
    for (int i = 0; i < shade->bodies.count && done; ++i) {
        const sn_shade_place *place = &shade->places.data[i];
        const sn_occluder *occluder = &shade->forms.data[shade->bodies.data[i].form].occluder;
        if (!is_in_picture(view, place)) {
            continue;
        }
        done = push_faces(view, occluder, place, 2 * i);
        for (int k = 0; k < occluder->bars.count && done; ++k) {
            done = push_bar(view, &occluder->bars.data[k], place, 2 * i + 1);
        }
    }
    int pixels = view->raster.width * view->raster.height;
    if (!done || !sn_array_resize(&shade->nearness, pixels) ||
        !sn_array_resize(&shade->ids, pixels)) {
        return sn_fail_memory(error, (size_t)shade->corners.count * sizeof(sn_vec3));
    }
    sn_status status =
        sn_raster_load(&shade->raster, &view->raster, shade->corners.data, shade->corners.count,
                       shade->triangles.data, shade->owners.count, error);
    if (status == SN_OK) {
        sn_raster_draw(&shade->raster, world->threads, shade->nearness.data, shade->ids.data);
    }
    return status;
}

// ---- looking up ----

// A patch in the eye's axes.
typedef struct patch_view {
    int body;
    bool wire; // which the wires of its own body never hide
    sn_vec3 centre, across[2];
    double facing; // normal . (place or direction), without its sign
    double clear;  // what may stand out from its plane
} patch_view;

// Does the picture show something before the point?
static bool is_hidden_in_picture(const shade_view *view, const patch_view *patch, sn_vec3 point)
{
    const sn_shade *shade = &view->world->air.shade;
    const sn_raster_view *raster = &view->raster;
    double per = view->source.is_cone ? 1.0 / point.z : 1.0;
    double nearness = view->source.is_cone ? per : -point.z;
    double x = raster->scale * point.x * per + raster->shift_x + 0.5 * raster->width;
    double y = raster->shift_y - raster->scale * point.y * per + 0.5 * raster->height;
    if (!(x >= 0.0 && y >= 0.0 && x < raster->width && y < raster->height)) {
        return false;
    }
    size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
    uint32_t id = shade->ids.data[at];
    if (id == SN_RASTER_NONE || !((double)shade->nearness.data[at] > nearness)) {
        return false;
    }
    int owner = shade->owners.data[id];
    if (owner / 2 != patch->body) {
        return true;
    }
    if (owner % 2 == 1 && patch->wire) {
        return false;
    }
    // A length along the line of sight times the cosine to the normal is one along the normal.
    double gap = point.z - sn_raster_distance(raster, (double)shade->nearness.data[at]);
    return gap * patch->facing * per > patch->clear;
}

typedef struct ray_question {
    const shade_view *view;
    const patch_view *patch;
    sn_vec3 from, way; // in the world
    double depth;      // that the whole way goes forward
    bool hidden;
} ray_question;

static double meet(void *context, int proxy, uint32_t user, double limit)
{
    (void)proxy;
    ray_question *q = context;
    const sn_world *world = q->view->world;
    const sn_touch_shape *shape = &world->touch.shapes.data[user];
    const sn_collider *collider = sn_touch_collider(world, shape);
    double fraction;
    sn_vec3 point, normal;
    if (sn_touch_surface(world, shape)->sensor || collider->type == SN_COLLIDER_PLANE ||
        !sn_collide_ray(collider, &world->touch.places.data[user].frame, q->from, q->way, 1.0,
                        &fraction, &point, &normal) ||
        !(fraction > 0.0 && fraction < 1.0 - 1e-9)) { // the source itself, or the point
        return limit;
    }
    double per = q->view->source.is_cone ? 1.0 / q->patch->centre.z : 1.0;
    double clear = (1.0 - fraction) * q->depth * q->patch->facing * per;
    bool own = world->air.shade.bodies.data[q->patch->body].body == shape->body;
    bool wires =
        q->patch->wire && sn_occluder_is_bar(&world->bodies.data[shape->body].shapes[shape->shape]);
    q->hidden = !own || (!wires && clear > q->patch->clear);
    return q->hidden ? -1.0 : limit;
}

static bool is_hidden_on_ray(const shade_view *view, const patch_view *patch, sn_vec3 point)
{
    ray_question q = {.view = view, .patch = patch};
    q.depth = point.z - (view->source.is_cone ? view->source.length : view->back);
    if (!(q.depth > 0.0)) {
        return false;
    }
    sn_vec3 way = sn_vec3_scale(q.depth / point.z, point);
    way = view->source.is_cone ? way : sn_vec3_make(0.0, 0.0, q.depth);
    sn_vec3 from = sn_vec3_sub(point, way);
    const sn_mat3 axes = {{{view->right.x, view->up.x, view->forward.x},
                           {view->right.y, view->up.y, view->forward.y},
                           {view->right.z, view->up.z, view->forward.z}}};
    q.from = sn_vec3_add(view->eye, sn_mat3_apply(axes, from));
    q.way = sn_mat3_apply(axes, way);
    if (view->world->touch.broad != NULL) {
        sn_broad_ray(view->world->touch.broad, q.from, q.way, SN_VEC3_ZERO, 1.0, meet, &q);
    }
    return q.hidden;
}

// The middles of quarters of a length of 1 whose second moment is 1: sqrt(12) (1/8, 3/8).
#define INNER 0.43301270189221932
#define OUTER 1.29903810567665797

// Behind the wind's disc or beside its cone there is no wind, and nothing to hide from.
static bool is_outside(const shade_view *view, sn_vec3 point)
{
    double reach = view->source.slope * point.z;
    return view->source.is_cone && (!(point.z > view->source.length) ||
                                    point.x * point.x + point.y * point.y > reach * reach);
}

static uint8_t look_up(const shade_view *view, const patch_view *patch)
{
    static const double places[4] = {-OUTER, -INNER, INNER, OUTER};
    bool rays = view->wind->def.occlusion == SN_WIND_OCCLUSION_RAYS;
    int lit = 0;
    for (int i = 0; i < SN_SHADE_WHOLE; ++i) {
        sn_vec3 point = sn_vec3_add_scaled(patch->centre, places[i % 4], patch->across[0]);
        point = sn_vec3_add_scaled(point, places[i / 4], patch->across[1]);
        lit += is_outside(view, point) || !(rays ? is_hidden_on_ray(view, patch, point)
                                                 : is_hidden_in_picture(view, patch, point));
    }
    return (uint8_t)lit;
}

static void look_up_bodies(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const shade_view *view = context;
    const sn_air *air = &view->world->air;
    for (int i = first; i < last; ++i) {
        const sn_shade_body *body = &air->shade.bodies.data[i];
        const sn_shade_place *place = &air->shade.places.data[i];
        if (body->air < 0) {
            continue;
        }
        const sn_air_body *own = &air->bodies.data[body->air];
        uint8_t *lit = view->lit + body->first;
        if (!is_in_picture(view, place)) {
            memset(lit, SN_SHADE_WHOLE, (size_t)own->count);
            continue;
        }
        for (int k = 0; k < own->count; ++k) {
            const sn_patch *patch = &air->patches.data[own->first + k];
            patch_view seen = {
                .body = i,
                .wire = patch->wire,
                .centre = sn_vec3_add(place->from, sn_mat3_apply(place->turn, patch->middle)),
                .across = {sn_mat3_apply(place->turn, patch->across[0]),
                           sn_mat3_apply(place->turn, patch->across[1])},
                .clear = SELF * sqrt(patch->area)};
            double facing =
                -sn_dot(sn_mat3_apply(place->turn, patch->normal), to_eye(view, seen.centre));
            // A wire has the same width from all sides.
            double across = view->source.is_cone ? seen.centre.z : 1.0;
            seen.facing = patch->wire ? across : fabs(facing);
            seen.clear += across / view->raster.scale; // depths are those of the pixel's middle
            lit[k] = patch->sides == 1 && facing >= 0.0 ? 0 : look_up(view, &seen);
        }
    }
}

// ---- one wind ----

sn_status sn_shade_look(sn_world *world, int number, uint8_t *lit, sn_error *error)
{
    const sn_wind *wind = world->air.winds.data[number];
    shade_view view = {.world = world,
                       .wind = wind,
                       .source = sn_wind_source_of(wind),
                       .lit = lit,
                       .forward = wind->along,
                       .up = wind->up,
                       .right = sn_cross(wind->along, wind->up)};
    view.eye = view.source.vertex;
    for (int i = 0; i < world->air.shade.bodies.count; ++i) {
        place_body(&view, i);
    }
    sn_status status = SN_OK;
    if (!frame_picture(&view)) {
        memset(lit, SN_SHADE_WHOLE, (size_t)world->air.shade.patch_count);
        return SN_OK;
    }
    aim_raster(&view);
    if (wind->def.occlusion == SN_WIND_OCCLUSION_DEPTH) {
        status = draw_picture(&view, error);
    } else {
        status = sn_world_place_shapes(world, 0.0, error);
        if (status == SN_OK && world->touch.broad != NULL) {
            sn_broad_update(world->touch.broad);
        }
    }
    if (status == SN_OK) {
        sn_threads_run(world->threads, world->air.shade.bodies.count, BODY_CHUNK, look_up_bodies,
                       &view);
    }
    return status;
}
