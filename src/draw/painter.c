#include "draw/painter.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { TILE_PIXELS = SN_RASTER_TILE * SN_RASTER_TILE, FLOOR = -1 };

#define FADE_FROM 1.2 // where the floor begins to merge with the backdrop, in radii of what is seen
#define FADE_TO   9.0

// Surfaces that wait for their light.
typedef struct fragment_batch {
    sn_light_points points;
    int pixel[SN_LIGHT_BATCH];    // of the tile
    int material[SN_LIGHT_BATCH]; // or FLOOR
    float weight[SN_LIGHT_BATCH];
    float fade[SN_LIGHT_BATCH]; // of the floor: share of the backdrop
    float dim[SN_LIGHT_BATCH];  // factor of the light
    sn_direction3 eye[SN_LIGHT_BATCH];
} fragment_batch;

typedef struct tile_scratch {
    fragment_batch batch;
    sn_colour sums[TILE_PIXELS];
    float *nearness; // TILE_PIXELS * samples
    uint32_t *ids;
    int sample_x[SN_RASTER_ROW_LIMIT], sample_y[SN_RASTER_ROW_LIMIT];
} tile_scratch;

static void add_colour(sn_colour *sum, float weight, sn_colour light)
{
    sn_colour toned = sn_shade_tone(light);
    sum->r += weight * toned.r;
    sum->g += weight * toned.g;
    sum->b += weight * toned.b;
}

// ---- lighting a batch ----

static void shade_fragment(const sn_painter *painter, const fragment_batch *batch, int i,
                           sn_colour *sums)
{
    const sn_light_points *points = &batch->points;
    const sn_stage *stage = painter->stage;
    bool is_floor = batch->material[i] == FLOOR;
    const sn_model_material *material =
        is_floor ? NULL : &painter->model->materials.data[batch->material[i]];
    sn_lit_surface surface = {
        .colour =
            sn_shade_linear(painter->shade, is_floor ? stage->floor_colour : material->colour),
        .roughness = is_floor ? stage->floor_roughness : material->roughness,
        .metallic = is_floor ? 0.0f : material->metallic,
        .normal = {points->nx[i], points->ny[i], points->nz[i]},
        .eye = batch->eye[i],
        .key = points->key[i],
        .above = points->above[i],
        .below = points->below[i],
    };
    sn_colour light = sn_shade_surface(painter->shade, &surface);
    if (is_floor && batch->fade[i] > 0.0f) {
        sn_colour far = painter->shade->horizon;
        float f = batch->fade[i];
        light = (sn_colour){(1.0f - f) * light.r + f * far.r, (1.0f - f) * light.g + f * far.g,
                            (1.0f - f) * light.b + f * far.b};
    }
    float dim = batch->dim[i];
    light = (sn_colour){dim * light.r, dim * light.g, dim * light.b};
    add_colour(&sums[batch->pixel[i]], batch->weight[i], light);
}

static void flush(const sn_painter *painter, tile_scratch *scratch)
{
    fragment_batch *batch = &scratch->batch;
    sn_light_receive(painter->light, &batch->points);
    for (int i = 0; i < batch->points.count; ++i) {
        shade_fragment(painter, batch, i, scratch->sums);
    }
    batch->points.count = 0;
}

typedef struct fragment {
    sn_vec3 point, normal, eye; // unit normal; unit, towards the eye
    int pixel, material;
    float weight, fade, dim;
} fragment;

static void add_fragment(const sn_painter *painter, tile_scratch *scratch, const fragment *f)
{
    fragment_batch *batch = &scratch->batch;
    sn_light_points *points = &batch->points;
    int i = points->count++;
    sn_vec3 p = sn_vec3_sub(f->point, painter->light->origin);
    points->x[i] = (float)p.x;
    points->y[i] = (float)p.y;
    points->z[i] = (float)p.z;
    points->nx[i] = (float)f->normal.x;
    points->ny[i] = (float)f->normal.y;
    points->nz[i] = (float)f->normal.z;
    batch->pixel[i] = f->pixel;
    batch->material[i] = f->material;
    batch->weight[i] = f->weight;
    batch->fade[i] = f->fade;
    batch->dim[i] = f->dim;
    batch->eye[i] = (sn_direction3){(float)f->eye.x, (float)f->eye.y, (float)f->eye.z};
    if (points->count == SN_LIGHT_BATCH) {
        flush(painter, scratch);
    }
}

// ---- what a ray sees ----

typedef struct ray {
    sn_vec3 origin, direction;
} ray;

static double floor_distance(const sn_stage *stage, const ray *r)
{
    if (!stage->has_floor || !(r->direction.z < 0.0)) {
        return INFINITY;
    }
    return (stage->floor_height - r->origin.z) / r->direction.z;
}

static void add_floor(const sn_painter *painter, tile_scratch *scratch, const ray *r,
                      double distance, int pixel, float weight)
{
    const sn_stage *stage = painter->stage;
    sn_vec3 p = sn_vec3_add_scaled(r->origin, distance, r->direction);
    double dx = p.x - stage->centre.x, dy = p.y - stage->centre.y;
    double away = sqrt(dx * dx + dy * dy) / stage->radius;
    double t = (away - FADE_FROM) / (FADE_TO - FADE_FROM);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    fragment f = {.point = p,
                  .normal = sn_vec3_make(0.0, 0.0, 1.0),
                  .eye = sn_vec3_negate(sn_normalize(r->direction)),
                  .pixel = pixel,
                  .material = FLOOR,
                  .weight = weight,
                  .dim = 1.0f,
                  .fade = (float)(t * t * (3.0 - 2.0 * t))};
    if (t >= 1.0) {
        add_colour(&scratch->sums[pixel], weight, painter->shade->horizon);
    } else {
        add_fragment(painter, scratch, &f);
    }
}

static void add_background(const sn_painter *painter, tile_scratch *scratch, const ray *r,
                           int pixel, float weight)
{
    double distance = floor_distance(painter->stage, r);
    if (distance < INFINITY) {
        add_floor(painter, scratch, r, distance, pixel, weight);
        return;
    }
    sn_vec3 d = sn_normalize(r->direction);
    add_colour(
        &scratch->sums[pixel], weight,
        sn_shade_backdrop(painter->shade, (sn_direction3){(float)d.x, (float)d.y, (float)d.z}));
}

// Where the ray meets the triangle's plane, in shares of its two edges, kept inside.
static void meet(const ray *r, sn_vec3 a, sn_vec3 u, sn_vec3 v, double *s, double *t)
{
    sn_vec3 n = sn_cross(u, v);
    double along = sn_dot(r->direction, n);
    *s = *t = 1.0 / 3.0;
    if (fabs(along) > 1e-12 * sn_length(n) * sn_length(r->direction)) {
        double distance = sn_dot(sn_vec3_sub(a, r->origin), n) / along;
        sn_vec3 w = sn_vec3_sub(sn_vec3_add_scaled(r->origin, distance, r->direction), a);
        double uu = sn_dot(u, u), uv = sn_dot(u, v), vv = sn_dot(v, v), wu = sn_dot(w, u),
               wv = sn_dot(w, v);
        double inverse = 1.0 / (uu * vv - uv * uv);
        double x = (vv * wu - uv * wv) * inverse, y = (uu * wv - uv * wu) * inverse;
        x = x > 0.0 ? x : 0.0;
        y = y > 0.0 ? y : 0.0;
        double sum = x + y > 1.0 ? x + y : 1.0;
        *s = x / sum;
        *t = y / sum;
    }
}

static sn_vec3 corner_normal(const sn_model *model, int vertex)
{
    const float *n = model->normals.data + 3 * (size_t)vertex;
    return sn_vec3_make(n[0], n[1], n[2]);
}

static void add_surface(const sn_painter *painter, tile_scratch *scratch, const ray *r, uint32_t id,
                        int pixel, float weight, float dim)
{
    const sn_model *model = painter->model;
    const int *c = model->triangles.data + 3 * (size_t)id;
    sn_vec3 a = painter->positions[c[0]];
    sn_vec3 u = sn_vec3_sub(painter->positions[c[1]], a);
    sn_vec3 v = sn_vec3_sub(painter->positions[c[2]], a);
    double s, t;
    meet(r, a, u, v, &s, &t);
    fragment f = {.point = sn_vec3_add_scaled(sn_vec3_add_scaled(a, s, u), t, v),
                  .eye = sn_vec3_negate(sn_normalize(r->direction)),
                  .pixel = pixel,
                  .material = model->owners.data[id],
                  .weight = weight,
                  .dim = dim};
    double distance = floor_distance(painter->stage, r);
    double square = sn_dot(r->direction, r->direction);
    if (distance < sn_dot(sn_vec3_sub(f.point, r->origin), r->direction) / square) {
        add_floor(painter, scratch, r, distance, pixel, weight);
        return;
    }
    sn_vec3 n = sn_vec3_scale(1.0 - s - t, corner_normal(model, c[0]));
    n = sn_vec3_add_scaled(n, s, corner_normal(model, c[1]));
    n = sn_normalize(sn_vec3_add_scaled(n, t, corner_normal(model, c[2])));
    // Both sides are drawn; the one that is seen faces the eye.
    bool behind = sn_dot(sn_cross(u, v), f.eye) < 0.0;
    f.normal = behind ? sn_vec3_negate(n) : n;
    add_fragment(painter, scratch, &f);
}

// ---- tiles ----

typedef struct seen_triangle {
    uint32_t id;
    int count, x, y; // of its samples, sums
} seen_triangle;

// The triangles that a pixel's samples see.
static int count_seen(const tile_scratch *scratch, int rows, int column, int line,
                      seen_triangle *seen)
{
    int count = 0;
    const uint32_t *id = scratch->ids + line * rows * SN_RASTER_TILE + column;
    for (int row = 0; row < rows; ++row, id += SN_RASTER_TILE) {
        int k = 0;
        while (k < count && seen[k].id != *id) {
            k += 1;
        }
        if (k == count) {
            seen[count++] = (seen_triangle){.id = *id};
        }
        seen[k].count += 1;
        seen[k].x += scratch->sample_x[row];
        seen[k].y += scratch->sample_y[row];
    }
    return count;
}

#define SEAM 0.74f

// Do bodies of one material meet in the pixel? Without a line between them a wall of stones would
// look like one.
static bool has_seam(const sn_model *model, const seen_triangle *seen, int count)
{
    for (int k = 1; k < count; ++k) {
        uint32_t a = seen[0].id, b = seen[k].id;
        if (a != SN_RASTER_NONE && b != SN_RASTER_NONE &&
            model->bodies.data[a] != model->bodies.data[b] &&
            model->owners.data[a] == model->owners.data[b]) {
            return true;
        }
    }
    return false;
}

static void add_pixel(const sn_painter *painter, tile_scratch *scratch, int left, int top,
                      int pixel, bool drawn)
{
    const sn_raster_view *view = &painter->raster->view;
    int column = pixel % SN_RASTER_TILE, line = pixel / SN_RASTER_TILE;
    seen_triangle seen[SN_RASTER_ROW_LIMIT];
    seen[0] = (seen_triangle){SN_RASTER_NONE, 1, SN_RASTER_UNITS / 2, SN_RASTER_UNITS / 2};
    int rows = drawn ? view->rows : 1;
    int count = drawn ? count_seen(scratch, rows, column, line, seen) : 1;
    float dim = has_seam(painter->model, seen, count) ? SEAM : 1.0f;
    for (int k = 0; k < count; ++k) {
        double scale = 1.0 / (SN_RASTER_UNITS * (double)seen[k].count);
        float weight = (float)seen[k].count / (float)rows;
        ray r;
        sn_raster_ray(view, left + column + scale * seen[k].x, top + line + scale * seen[k].y,
                      &r.origin, &r.direction);
        if (seen[k].id == SN_RASTER_NONE) {
            add_background(painter, scratch, &r, pixel, weight);
        } else {
            add_surface(painter, scratch, &r, seen[k].id, pixel, weight, dim);
        }
    }
}

static void paint_tile(const sn_painter *painter, tile_scratch *scratch, int tile)
{
    const sn_raster *raster = painter->raster;
    const sn_raster_view *view = &raster->view;
    int left = tile % raster->columns * SN_RASTER_TILE;
    int top = tile / raster->columns * SN_RASTER_TILE;
    bool drawn = sn_raster_tile(raster, tile, scratch->nearness, scratch->ids);
    memset(scratch->sums, 0, sizeof scratch->sums);
    for (int pixel = 0; pixel < TILE_PIXELS; ++pixel) {
        int x = left + pixel % SN_RASTER_TILE, y = top + pixel / SN_RASTER_TILE;
        if (x < view->width && y < view->height) {
            add_pixel(painter, scratch, left, top, pixel, drawn);
        }
    }
    flush(painter, scratch);
    for (int pixel = 0; pixel < TILE_PIXELS; ++pixel) {
        int x = left + pixel % SN_RASTER_TILE, y = top + pixel / SN_RASTER_TILE;
        if (x < view->width && y < view->height) {
            size_t at = 3 * ((size_t)y * (size_t)view->width + (size_t)x);
            sn_shade_bytes(painter->shade, scratch->sums[pixel], x, y, painter->pixels + at);
        }
    }
}

typedef struct paint_work {
    const sn_painter *painter;
    sn_status *statuses; // by chunk
} paint_work;

enum { CHUNK = 8 }; // tiles

static void paint_tiles(void *context, int first, int last, int chunk)
{
    const paint_work *work = context;
    const sn_painter *painter = work->painter;
    if (painter->stop != NULL && painter->stop(painter->user)) {
        work->statuses[chunk] = SN_ERROR_STOPPED;
        return;
    }
    int rows = painter->raster->view.rows;
    size_t samples = TILE_PIXELS * (size_t)rows;
    tile_scratch *scratch = sn_allocate(sizeof *scratch);
    float *nearness = sn_allocate(samples * sizeof *nearness);
    uint32_t *ids = sn_allocate(samples * sizeof *ids);
    if (scratch != NULL && nearness != NULL && ids != NULL) {
        scratch->batch.points.count = 0;
        scratch->nearness = nearness;
        scratch->ids = ids;
        for (int row = 0; row < rows; ++row) {
            sn_raster_sample(rows, row, &scratch->sample_x[row], &scratch->sample_y[row]);
        }
        for (int tile = first; tile < last; ++tile) {
            paint_tile(painter, scratch, tile);
        }
    } else {
        work->statuses[chunk] = SN_ERROR_MEMORY;
    }
    sn_free(scratch);
    sn_free(nearness);
    sn_free(ids);
}

sn_status sn_paint(const sn_painter *painter, sn_threads *threads, sn_error *error)
{
    int tiles = painter->raster->tile_count, chunks = sn_chunk_count(tiles, CHUNK);
    size_t bytes = sizeof(sn_status) * (size_t)chunks;
    paint_work work = {painter, sn_allocate_zero(bytes)};
    if (work.statuses == NULL) {
        return sn_fail_memory(error, bytes);
    }
    sn_threads_run(threads, tiles, CHUNK, paint_tiles, &work);
    sn_status status = SN_OK;
    for (int i = 0; i < chunks && status == SN_OK; ++i) {
        status = work.statuses[i];
    }
    sn_free(work.statuses);
    return status == SN_OK              ? SN_OK
           : status == SN_ERROR_STOPPED ? sn_fail(error, status, NULL, "stopped on request")
                                        : sn_fail_memory(error, sizeof(tile_scratch));
}
