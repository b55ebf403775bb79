#include "draw/light.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"

#define GOLDEN_ANGLE 2.399963229728653 // rad: pi (3 - sqrt 5), spreads points evenly

enum { STEPS = 65000 }; // of height, over the ball that holds the model

typedef struct caster_ball {
    sn_vec3 centre;
    double radius;
} caster_ball;

static caster_ball ball_of(const sn_model *model)
{
    sn_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < model->positions.count; ++i) {
        lower = sn_vec3_min(lower, model->positions.data[i]);
        upper = sn_vec3_max(upper, model->positions.data[i]);
    }
    if (model->positions.count == 0) {
        return (caster_ball){SN_VEC3_ZERO, 1.0};
    }
    caster_ball ball = {sn_vec3_scale(0.5, sn_vec3_add(lower, upper)), 0.0};
    for (int i = 0; i < model->positions.count; ++i) {
        sn_vec3 d = sn_vec3_sub(model->positions.data[i], ball.centre);
        double square = sn_dot(d, d);
        ball.radius = square > ball.radius ? square : ball.radius;
    }
    ball.radius = 1.01 * sqrt(ball.radius);
    ball.radius = ball.radius > 0.0 ? ball.radius : 1.0;
    return ball;
}

// ---- directions ----

// Evenly over the sphere, by latitudes of equal area.
static sn_vec3 sky_direction(int i, int count)
{
    double z = 1.0 - (2.0 * i + 1.0) / count, ring = sqrt(1.0 - z * z), sine, cosine;
    sn_sincos(GOLDEN_ANGLE * i, &sine, &cosine);
    return sn_vec3_make(ring * cosine, ring * sine, z);
}

// Evenly over the key light's disc.
static sn_vec3 key_direction(const sn_light_def *def, int i)
{
    sn_vec3 key = sn_normalize(def->key);
    sn_vec3 side = fabs(key.z) < 0.9 ? sn_vec3_make(0.0, 0.0, 1.0) : sn_vec3_make(1.0, 0.0, 0.0);
    sn_vec3 x = sn_normalize(sn_cross(side, key)), y = sn_cross(key, x);
    double radius = def->key_radius * sqrt((i + 0.5) / def->key_maps), sine, cosine;
    sn_sincos(GOLDEN_ANGLE * i, &sine, &cosine);
    sn_vec3 d = sn_vec3_add_scaled(key, radius * cosine, x);
    return sn_normalize(sn_vec3_add_scaled(d, radius * sine, y));
}

// ---- maps ----

static void set_row(float row[4], sn_vec3 axis, double scale, double offset)
{
    row[0] = (float)(scale * axis.x);
    row[1] = (float)(scale * axis.y);
    row[2] = (float)(scale * axis.z);
    row[3] = (float)offset;
}

static sn_raster_view map_view(const sn_light_map *map, const caster_ball *ball)
{
    return sn_raster_parallel(ball->centre, sn_vec3_negate(map->direction),
                              sn_vec3_make(0.0, 0.0, 1.0), 2.0 * ball->radius, map->size,
                              map->size);
}

static void aim(sn_light_map *map, const caster_ball *ball)
{
    sn_raster_view view = map_view(map, ball);
    double middle = 0.5 * map->size;
    // Texel centres at whole numbers, for interpolation.
    set_row(map->x, view.right, view.scale, middle - 0.5);
    set_row(map->y, view.up, -view.scale, middle - 0.5);
    set_row(map->height, map->direction, 0.5 * STEPS / ball->radius, 0.5 * STEPS + 1.0);
    map->toward[0] = (float)map->direction.x;
    map->toward[1] = (float)map->direction.y;
    map->toward[2] = (float)map->direction.z;
}

typedef struct map_work {
    sn_light *light;
    const sn_model *model;
    caster_ball ball;
    sn_status *statuses; // by map
} map_work;

static void keep_tile(sn_light_map *map, const sn_raster *raster, int tile, double scale,
                      const float *nearness)
{
    int left = tile % raster->columns * SN_RASTER_TILE,
        top = tile / raster->columns * SN_RASTER_TILE;
    for (int row = 0; row < SN_RASTER_TILE && top + row < map->size; ++row) {
        uint16_t *line = map->heights + (size_t)(top + row) * (size_t)map->size;
        for (int i = 0; i < SN_RASTER_TILE && left + i < map->size; ++i) {
            float value = nearness[row * SN_RASTER_TILE + i];
            float height = (float)(scale * value + 0.5 * STEPS) + 1.5f;
            line[left + i] = value > -INFINITY ? (uint16_t)height : 0;
        }
    }
}

static sn_status draw_map(const map_work *work, sn_light_map *map, sn_raster *raster)
{
    const sn_model *model = work->model;
    sn_raster_view view = map_view(map, &work->ball);
    float nearness[SN_RASTER_TILE * SN_RASTER_TILE];
    uint32_t ids[SN_RASTER_TILE * SN_RASTER_TILE];
    sn_status status = sn_raster_load(raster, &view, model->positions.data, model->positions.count,
                                      model->triangles.data, model->owners.count, NULL);
    memset(map->heights, 0, sizeof(uint16_t) * (size_t)map->size * (size_t)map->size);
    for (int tile = 0; tile < raster->tile_count && status == SN_OK; ++tile) {
        if (sn_raster_tile(raster, tile, nearness, ids)) {
            keep_tile(map, raster, tile, 0.5 * STEPS / work->ball.radius, nearness);
        }
    }
    return status;
}

enum { CHUNK = 8 }; // maps that share their room

static void draw_maps(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const map_work *work = context;
    sn_raster raster = {0};
    for (int i = first; i < last; ++i) {
        work->statuses[i] = draw_map(work, &work->light->maps.data[i], &raster);
    }
    sn_raster_free(&raster);
}

static sn_status make_room(sn_light *light, const sn_light_def *def, sn_error *error)
{
    size_t key = (size_t)def->key_size * (size_t)def->key_size;
    size_t sky = (size_t)def->sky_size * (size_t)def->sky_size;
    size_t texels = key * (size_t)def->key_maps + sky * (size_t)def->sky_maps;
    if (texels > light->room) {
        sn_free(light->heights);
        light->room = 0;
        light->heights = sn_allocate(texels * sizeof *light->heights);
        if (light->heights == NULL) {
            return sn_fail_memory(error, texels * sizeof *light->heights);
        }
        light->room = texels;
    }
    if (!sn_array_resize(&light->maps, def->key_maps + def->sky_maps)) {
        return sn_fail_memory(error, sizeof(sn_light_map));
    }
    light->key_count = def->key_maps;
    uint16_t *heights = light->heights;
    for (int i = 0; i < light->maps.count; ++i) {
        bool is_key = i < def->key_maps;
        int size = is_key ? def->key_size : def->sky_size;
        light->maps.data[i] =
            (sn_light_map){.direction = is_key ? key_direction(def, i)
                                               : sky_direction(i - def->key_maps, def->sky_maps),
                           .heights = heights,
                           .size = size};
        heights += (size_t)size * (size_t)size;
    }
    return SN_OK;
}

sn_status sn_light_make(sn_light *light, const sn_model *model, const sn_light_def *def,
                        sn_threads *threads, sn_error *error)
{
    sn_status status = make_room(light, def, error);
    if (status != SN_OK) {
        return status;
    }
    map_work work = {.light = light, .model = model, .ball = ball_of(model)};
    size_t bytes = sizeof *work.statuses * (size_t)light->maps.count;
    work.statuses = sn_allocate_zero(bytes);
    if (work.statuses == NULL) {
        return sn_fail_memory(error, bytes);
    }
    light->origin = work.ball.centre;
    light->key_texel = 2.0 * work.ball.radius / def->key_size;
    light->sky_texel = 2.0 * work.ball.radius / def->sky_size;
    for (int i = 0; i < light->maps.count; ++i) {
        aim(&light->maps.data[i], &work.ball);
    }
    sn_threads_run(threads, light->maps.count, CHUNK, draw_maps, &work);
    for (int i = 0; i < light->maps.count && status == SN_OK; ++i) {
        if (work.statuses[i] != SN_OK) {
            status = work.statuses[i] == SN_ERROR_MEMORY
                         ? sn_fail_memory(error, sizeof(sn_raster_triangle))
                         : sn_fail(error, work.statuses[i], NULL, "a shadow cannot be drawn");
        }
    }
    sn_free(work.statuses);
    return status;
}

void sn_light_free(sn_light *light)
{
    sn_free(light->heights);
    sn_array_free(&light->maps);
    *light = (sn_light){0};
}

// ---- points ----

// Four points at a time.
enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int lane_mask __attribute__((vector_size(LANES * sizeof(int))));
_Static_assert(SN_LIGHT_BATCH % LANES == 0, "whole lanes");

static inline lanes load(const float *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline lanes transform(const float row[4], lanes x, lanes y, lanes z)
{
    return row[0] * x + row[1] * y + row[2] * z + row[3];
}

// The share of the light that comes through at a place of the map: four texels around it,
// interpolated (Reeves, Salesin and Cook, "Rendering antialiased shadows with depth maps", 1987).
static inline float seen_share(const sn_light_map *map, float column, float row, float height)
{
    height = height > 0.0f ? height : 0.0f; // nothing at all is no higher than anything
    int i = (int)column, j = (int)row;
    const uint16_t *h = map->heights + (size_t)j * (size_t)map->size + (size_t)i;
    const uint16_t *g = h + map->size;
    int limit = (int)height;
    int a = h[0] <= limit, b = h[1] <= limit, c = g[0] <= limit, d = g[1] <= limit;
    if (a + b + c + d == 4) {
        return 1.0f;
    }
    float s = column - (float)i, t = row - (float)j;
    return (1.0f - t) * ((1.0f - s) * (float)a + s * (float)b) +
           t * ((1.0f - s) * (float)c + s * (float)d);
}

typedef struct light_lanes {
    lanes facing;       // cosine against the light, 0 where it comes from behind
    float share[LANES]; // of the light
    bool any;           // faces it
} light_lanes;

// Points are moved off their surface by `off`, so that it does not shade itself. Outside the map
// nothing stands in the way.
static inline light_lanes receive_lanes(const sn_light_map *map, const sn_light_points *p, int i,
                                        float off)
{
    lanes nx = load(p->nx + i), ny = load(p->ny + i), nz = load(p->nz + i);
    lanes facing = map->toward[0] * nx + map->toward[1] * ny + map->toward[2] * nz;
    lane_mask faces = facing > 0.0f;
    light_lanes result = {.share = {1.0f, 1.0f, 1.0f, 1.0f}};
    result.any = (faces[0] | faces[1] | faces[2] | faces[3]) != 0;
    if (!result.any) {
        return result;
    }
    result.facing = (lanes)((lane_mask)facing & faces);
    lanes x = load(p->x + i) + off * nx, y = load(p->y + i) + off * ny;
    lanes z = load(p->z + i) + off * nz;
    lanes column = transform(map->x, x, y, z), row = transform(map->y, x, y, z);
    float last = (float)(map->size - 1);
    lane_mask inside = (column >= 0.0f) & (row >= 0.0f) & (column < last) & (row < last) & faces;
    if ((inside[0] | inside[1] | inside[2] | inside[3]) == 0) {
        return result;
    }
    lanes height = transform(map->height, x, y, z);
    for (int k = 0; k < LANES; ++k) {
        if (inside[k]) {
            result.share[k] = seen_share(map, column[k], row[k], height[k]);
        }
    }
    return result;
}

#define OFF_SURFACE 1.6 // texels

static void receive_key(const sn_light *light, sn_light_points *p)
{
    float off = (float)(OFF_SURFACE * light->key_texel), part = 1.0f / (float)light->key_count;
    memset(p->key, 0, sizeof p->key);
    for (int m = 0; m < light->key_count; ++m) {
        for (int i = 0; i < p->count; i += LANES) {
            light_lanes got = receive_lanes(&light->maps.data[m], p, i, off);
            for (int k = 0; k < LANES && got.any; ++k) {
                p->key[i + k] += got.facing[k] > 0.0f ? part * got.share[k] : 0.0f;
            }
        }
    }
}

// The light of sky and ground is weighed by the cosine; what is asked for is the share of it.
static void receive_sky(const sn_light *light, sn_light_points *p)
{
    float off = (float)(OFF_SURFACE * light->sky_texel);
    float all_above[SN_LIGHT_BATCH], all_below[SN_LIGHT_BATCH];
    for (int i = 0; i < SN_LIGHT_BATCH; ++i) {
        p->above[i] = p->below[i] = all_above[i] = all_below[i] = 1e-6f;
    }
    for (int m = light->key_count; m < light->maps.count; ++m) {
        const sn_light_map *map = &light->maps.data[m];
        float *sum = map->toward[2] > 0.0f ? p->above : p->below;
        float *all = map->toward[2] > 0.0f ? all_above : all_below;
        for (int i = 0; i < p->count; i += LANES) {
            light_lanes got = receive_lanes(map, p, i, off);
            for (int k = 0; k < LANES && got.any; ++k) {
                all[i + k] += got.facing[k];
                sum[i + k] += got.facing[k] * got.share[k];
            }
        }
    }
    for (int i = 0; i < p->count; ++i) {
        p->above[i] /= all_above[i];
        p->below[i] /= all_below[i];
    }
}

// The lanes beyond the last point get what the last point has.
static void fill_lanes(sn_light_points *p)
{
    for (int i = p->count; i > 0 && i % LANES != 0; ++i) {
        p->x[i] = p->x[p->count - 1];
        p->y[i] = p->y[p->count - 1];
        p->z[i] = p->z[p->count - 1];
        p->nx[i] = p->nx[p->count - 1];
        p->ny[i] = p->ny[p->count - 1];
        p->nz[i] = p->nz[p->count - 1];
    }
}

void sn_light_receive(const sn_light *light, sn_light_points *points)
{
    fill_lanes(points);
    receive_key(light, points);
    receive_sky(light, points);
}
