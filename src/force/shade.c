#include "force/shade.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "field/wind.h"
#include "model/shade_memory.h"
#include "model/world.h"

// ---- what there is ----

void sn_shade_forget(sn_shade *shade)
{
    sn_array_free(&shade->bodies);
    sn_array_free(&shade->winds);
    sn_array_free(&shade->slots);
    sn_array_free(&shade->firsts);
    sn_array_free(&shade->lit);
    shade->patch_count = 0;
}

void sn_shade_free(sn_shade *shade)
{
    sn_shade_forget(shade);
    for (int i = 0; i < shade->forms.count; ++i) {
        sn_form_release(shade->forms.data[i].form);
        sn_occluder_free(&shade->forms.data[i].occluder);
    }
    sn_array_free(&shade->forms);
    sn_array_free(&shade->places);
    sn_array_free(&shade->corners);
    sn_array_free(&shade->triangles);
    sn_array_free(&shade->owners);
    sn_raster_free(&shade->raster);
    sn_array_free(&shade->nearness);
    sn_array_free(&shade->ids);
    sn_array_free(&shade->pending);
}

// `body` is of the air, or NULL for one that does not move.
static sn_status find_form(sn_world *world, const sn_body_record *record, const sn_air_body *body,
                           int *found, sn_error *error)
{
    sn_shade *shade = &world->air.shade;
    int first = body != NULL ? body->first : -1;
    for (int i = shade->forms.count - 1; i >= 0; --i) {
        if (shade->forms.data[i].form == record->form && shade->forms.data[i].first == first) {
            *found = i;
            return SN_OK;
        }
    }
    sn_shade_form made = {.form = record->form, .first = first};
    const sn_patch *patches = body != NULL ? world->air.patches.data + first : NULL;
    sn_status status = sn_occluder_make(&made.occluder, record->shapes, record->shape_count,
                                        patches, body != NULL ? body->count : 0, error);
    if (status == SN_OK && !sn_array_push(&shade->forms, made)) {
        sn_occluder_free(&made.occluder);
        status = sn_fail_memory(error, sizeof made);
    }
    if (status == SN_OK) {
        sn_form_retain(record->form);
        *found = shade->forms.count - 1;
    }
    return status;
}

static sn_status add_winds(sn_world *world, sn_error *error)
{
    sn_shade *shade = &world->air.shade;
    for (int i = 0; i < world->air.winds.count; ++i) {
        bool asks = world->air.winds.data[i]->def.occlusion != SN_WIND_OCCLUSION_NONE;
        sn_shade_wind wind = {.wind = i, .drawn = NAN};
        if (!sn_array_push(&shade->slots, asks ? shade->winds.count : -1) ||
            (asks && !sn_array_push(&shade->winds, wind))) {
            return sn_fail_memory(error, sizeof wind);
        }
    }
    return SN_OK;
}

// Bodies of the air come in the order of the world's, as they do here.
static sn_status add_bodies(sn_world *world, sn_error *error)
{
    sn_shade *shade = &world->air.shade;
    int next = 0;
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        const sn_body_record *record = &world->bodies.data[index];
        if (record->form == NULL) {
            continue;
        }
        bool moves = next < world->air.bodies.count && world->air.bodies.data[next].number == index;
        const sn_air_body *own = moves ? &world->air.bodies.data[next] : NULL;
        sn_shade_body body = {.body = index, .air = moves ? next : -1, .first = shade->patch_count};
        sn_status status = find_form(world, record, own, &body.form, error);
        if (status == SN_OK && (!sn_array_push(&shade->bodies, body) ||
                                (moves && !sn_array_push(&shade->firsts, body.first)))) {
            status = sn_fail_memory(error, sizeof body);
        }
        if (status != SN_OK) {
            return status;
        }
        shade->patch_count += moves ? own->count : 0;
        next += moves;
    }
    return SN_OK;
}

// The more bodies, the smaller they are in the picture: pixels in proportion to their number keep
// the cost linear.
int sn_shade_pixels(const sn_shade *shade, const sn_wind *wind)
{
    if (wind->def.occlusion_pixels > 0) {
        return wind->def.occlusion_pixels;
    }
    double size = ceil(32.0 * sqrt((double)shade->bodies.count));
    return size < 320.0 ? 320 : size > 512.0 ? 512 : (int)size;
}

// Room for all that a picture can hold but for what its near plane cuts, so that nothing is
// allocated later.
static sn_status make_room(sn_world *world, sn_error *error)
{
    sn_shade *shade = &world->air.shade;
    int64_t corners = 0, faces = 0;
    for (int i = 0; i < shade->bodies.count; ++i) {
        const sn_occluder *o = &shade->forms.data[shade->bodies.data[i].form].occluder;
        corners += o->corners.count + 4 * (int64_t)o->bars.count;
        faces += o->faces.count + 2 * (int64_t)o->bars.count;
    }
    int64_t lit = (int64_t)shade->winds.count * shade->patch_count, pixels = 0;
    for (int i = 0; i < shade->winds.count; ++i) {
        int size = sn_shade_pixels(shade, world->air.winds.data[shade->winds.data[i].wind]);
        pixels = pixels > (int64_t)size * size ? pixels : (int64_t)size * size;
    }
    if (corners > SN_RASTER_TRIANGLE_LIMIT / 4 || faces > SN_RASTER_TRIANGLE_LIMIT / 4 ||
        lit > INT32_MAX) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, "air",
                       "the bodies have %lld triangles, too many for occlusion", (long long)faces);
    }
    if (!sn_array_resize(&shade->lit, (int)lit) ||
        !sn_array_resize(&shade->places, shade->bodies.count) ||
        !sn_array_reserve(&shade->corners, (int)corners) ||
        !sn_array_reserve(&shade->triangles, (int)(3 * faces)) ||
        !sn_array_reserve(&shade->owners, (int)faces) ||
        !sn_array_reserve(&shade->raster.corners, (int)corners) ||
        !sn_array_reserve(&shade->raster.sides, (int)corners) ||
        !sn_array_reserve(&shade->raster.triangles, (int)(faces + faces / 4)) ||
        !sn_array_reserve(&shade->raster.lists, (int)(4 * faces + 256)) ||
        !sn_array_reserve(&shade->nearness, (int)pixels) ||
        !sn_array_reserve(&shade->ids, (int)pixels)) {
        return sn_fail_memory(error, (size_t)(faces + corners + pixels) * sizeof(sn_vec3));
    }
    if (lit > 0) {
        memset(shade->lit.data, SN_SHADE_WHOLE, (size_t)lit);
    }
    return SN_OK;
}

sn_status sn_world_make_shade(sn_world *world, sn_error *error)
{
    sn_shade *shade = &world->air.shade;
    bool asks = false;
    for (int i = 0; i < world->air.winds.count; ++i) {
        asks = asks || world->air.winds.data[i]->def.occlusion != SN_WIND_OCCLUSION_NONE;
    }
    if (!asks) {
        return SN_OK;
    }
    sn_status status = add_winds(world, error);
    status = status == SN_OK ? add_bodies(world, error) : status;
    status = status == SN_OK ? make_room(world, error) : status;
    if (status != SN_OK) {
        sn_shade_forget(shade);
        return status;
    }
    sn_shade_take_memory(shade);
    return SN_OK;
}

const uint8_t *sn_shade_lit(const sn_shade *shade, int wind, int air_body)
{
    int slot = wind < shade->slots.count ? shade->slots.data[wind] : -1;
    if (slot < 0 || isnan(shade->winds.data[slot].drawn)) {
        return NULL;
    }
    return shade->lit.data + (size_t)slot * (size_t)shade->patch_count +
           shade->firsts.data[air_body];
}

// ---- when ----

static bool is_same_place(sn_vec3 a, sn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_due(const sn_shade_wind *shade_wind, const sn_wind *wind, double start, double end)
{
    if (sn_wind_strength(wind, start) == 0.0 && sn_wind_strength(wind, end) == 0.0 &&
        sn_wind_strength(wind, 0.5 * (start + end)) == 0.0) {
        return false;
    }
    double since = start - shade_wind->drawn;
    return !(since >= 0.0 && since < wind->def.occlusion_period * (1.0 - 1e-9)) ||
           !is_same_place(shade_wind->position, wind->def.position) ||
           !is_same_place(shade_wind->direction, wind->along);
}

sn_status sn_world_draw_shades(sn_world *world, double start, double end, sn_error *error)
{
    sn_shade *shade = &world->air.shade;
    for (int i = 0; i < shade->winds.count; ++i) {
        sn_shade_wind *due = &shade->winds.data[i];
        const sn_wind *wind = world->air.winds.data[due->wind];
        if (shade->patch_count == 0 || wind->def.speed == 0.0 || !is_due(due, wind, start, end)) {
            continue;
        }
        uint8_t *lit = shade->lit.data + (size_t)i * (size_t)shade->patch_count;
        sn_status status = sn_shade_look(world, due->wind, lit, error);
        if (status != SN_OK) {
            due->drawn = NAN;
            return status;
        }
        due->drawn = start;
        due->position = wind->def.position;
        due->direction = wind->along;
    }
    return SN_OK;
}

// ---- from outside ----

double sn_world_lit_area(const sn_world *world, sn_field field, sn_body body, double *whole)
{
    const sn_air *air = &world->air;
    const sn_wind *wind = sn_world_wind(world, field);
    double sum = 0.0;
    *whole = 0.0;
    for (int i = 0; i < air->winds.count && wind != NULL; ++i) {
        for (int k = 0; air->winds.data[i] == wind && k < air->bodies.count; ++k) {
            const sn_air_body *own = &air->bodies.data[k];
            const uint8_t *lit = sn_shade_lit(&air->shade, i, k);
            for (int j = 0; own->number == body.index && j < own->count; ++j) {
                double area = air->patches.data[own->first + j].area;
                *whole += area;
                sum += lit != NULL ? area * lit[j] / SN_SHADE_WHOLE : area;
            }
        }
    }
    return sum;
}
