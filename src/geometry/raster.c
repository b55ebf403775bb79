#include "geometry/raster.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"

#define GUARD                                                                                      \
    32000.0 // pixels about the picture's centre that corners may have, so that
            // products of differences of two fit 64 bits with room to spare

// ---- views ----

static void make_axes(sn_raster_view *view, sn_vec3 forward, sn_vec3 up)
{
    view->forward = sn_normalize(forward);
    sn_vec3 right = sn_cross(view->forward, sn_normalize(up));
    if (sn_length(right) < 1e-6) {
        sn_vec3 other =
            fabs(view->forward.y) < 0.9 ? sn_vec3_make(0.0, 1.0, 0.0) : sn_vec3_make(1.0, 0.0, 0.0);
        right = sn_cross(view->forward, other);
    }
    view->right = sn_normalize(right);
    view->up = sn_cross(view->right, view->forward);
}

sn_raster_view sn_raster_perspective(sn_vec3 eye, sn_vec3 target, sn_vec3 up, double angle,
                                     int width, int height)
{
    sn_raster_view view = {.eye = eye, .width = width, .height = height, .rows = 1};
    make_axes(&view, sn_vec3_sub(target, eye), up);
    view.scale = 0.5 * height / sn_tan(0.5 * angle);
    view.near = 1e-3 * sn_distance(eye, target);
    return view;
}

sn_raster_view sn_raster_parallel(sn_vec3 centre, sn_vec3 forward, sn_vec3 up, double span,
                                  int width, int height)
{
    sn_raster_view view = {.eye = centre,
                           .orthographic = true,
                           .scale = height / span,
                           .near = -INFINITY,
                           .width = width,
                           .height = height,
                           .rows = 1};
    make_axes(&view, forward, up);
    return view;
}

// In the eye's axes, with x to the right and y down, both in pixels (at the distance 1).
static sn_vec3 eye_corner(const sn_raster_view *view, sn_vec3 point)
{
    sn_vec3 d = sn_vec3_sub(point, view->eye);
    double depth = sn_dot(d, view->forward), unit = view->orthographic ? 1.0 : depth;
    return sn_vec3_make(view->scale * sn_dot(d, view->right) + view->shift_x * unit,
                        -view->scale * sn_dot(d, view->up) + view->shift_y * unit, depth);
}

static sn_vec3 picture_corner(const sn_raster_view *view, sn_vec3 c)
{
    double centre_x = 0.5 * view->width, centre_y = 0.5 * view->height;
    if (view->orthographic) {
        return sn_vec3_make(centre_x + c.x, centre_y + c.y, -c.z);
    }
    double inverse = 1.0 / c.z;
    return sn_vec3_make(centre_x + c.x * inverse, centre_y + c.y * inverse, inverse);
}

sn_vec3 sn_raster_project(const sn_raster_view *view, sn_vec3 point)
{
    return picture_corner(view, eye_corner(view, point));
}

void sn_raster_ray(const sn_raster_view *view, double x, double y, sn_vec3 *origin,
                   sn_vec3 *direction)
{
    double right = (x - 0.5 * view->width - view->shift_x) / view->scale;
    double up = (0.5 * view->height - y + view->shift_y) / view->scale;
    sn_vec3 side = sn_vec3_add(sn_vec3_scale(right, view->right), sn_vec3_scale(up, view->up));
    *origin = view->orthographic ? sn_vec3_add(view->eye, side) : view->eye;
    *direction = view->orthographic ? view->forward : sn_vec3_add(view->forward, side);
}

// Row j has its sample in column factor * j: rank-1 lattices, their factors such that the shortest
// way between two samples is long. Four rows are the usual turned square, which is none.
static int sample_column(int rows, int row)
{
    static const int four[4] = {1, 3, 0, 2};
    static const int factors[7] = {1, 1, 0, 3, 5, 7, 19}; // of 1, 2, 4, ... 64 rows
    if (rows == 4) {
        return four[row];
    }
    int power = 0;
    while (1 << power < rows) {
        power += 1;
    }
    return factors[power] * row % rows;
}

void sn_raster_sample(int rows, int row, int *x, int *y)
{
    int half = SN_RASTER_UNITS / (2 * rows);
    *x = (2 * sample_column(rows, row) + 1) * half;
    *y = (2 * row + 1) * half;
}

// ---- corners of triangles, cut where they must be ----

typedef struct cut_polygon {
    sn_vec3 corners[12]; // three, and one more for each plane
    int count;
} cut_polygon;

enum { PLANES = 5 };

// How far a corner is on the inner side of the near plane and of the four sides of the guard band.
static double plane_distance(const sn_raster_view *view, int plane, sn_vec3 c)
{
    double width = view->orthographic ? GUARD : GUARD * c.z;
    switch (plane) {
    case 0:
        return c.z - view->near;
    case 1:
        return width + c.x;
    case 2:
        return width - c.x;
    case 3:
        return width + c.y;
    default:
        return width - c.y;
    }
}

// Sutherland and Hodgman, "Reentrant polygon clipping", 1974. Every cut is taken from the corner
// inside to the one outside, so that two triangles with a common edge get the same bits.
static void cut(const sn_raster_view *view, int plane, cut_polygon *polygon)
{
    cut_polygon left = {.count = 0};
    for (int i = 0; i < polygon->count; ++i) {
        sn_vec3 a = polygon->corners[i];
        sn_vec3 b = polygon->corners[i + 1 < polygon->count ? i + 1 : 0];
        double da = plane_distance(view, plane, a), db = plane_distance(view, plane, b);
        bool a_in = da >= 0.0, b_in = db >= 0.0;
        if (a_in) {
            left.corners[left.count++] = a;
        }
        if (a_in != b_in) {
            sn_vec3 from = a_in ? a : b, to = a_in ? b : a;
            double share = a_in ? da / (da - db) : db / (db - da);
            left.corners[left.count++] = sn_vec3_add_scaled(from, share, sn_vec3_sub(to, from));
        }
    }
    *polygon = left;
}

// ---- triangles in the picture ----

static int least_of(const int32_t *v)
{
    int32_t a = v[0] < v[1] ? v[0] : v[1];
    return a < v[2] ? a : v[2];
}

static int greatest_of(const int32_t *v)
{
    int32_t a = v[0] > v[1] ? v[0] : v[1];
    return a > v[2] ? a : v[2];
}

// Is there a sample between two coordinates, where samples are `step` apart and the first is at
// half a step?
static bool has_sample(int64_t lower, int64_t upper, int step)
{
    int half = step / 2;
    return lower <= upper && (upper - half) >> 10 >= (lower - half + step - 1) >> 10;
}

// A triangle that lies between all samples: most of a fine mesh in a coarse picture.
static bool misses_samples(const sn_raster_triangle *t, int rows)
{
    const int units = SN_RASTER_UNITS;
    return !has_sample((int64_t)rows * least_of(t->y), (int64_t)rows * greatest_of(t->y), units) ||
           (rows == 1 && !has_sample(least_of(t->x), greatest_of(t->x), units));
}

static bool push_triangle(sn_raster *raster, const sn_vec3 *corners, uint32_t id)
{
    sn_raster_triangle made = {.id = id};
    double n[3];
    for (int i = 0; i < 3; ++i) {
        sn_vec3 p = picture_corner(&raster->view, corners[i]);
        made.x[i] = (int32_t)floor(p.x * SN_RASTER_UNITS + 0.5);
        made.y[i] = (int32_t)floor(p.y * SN_RASTER_UNITS + 0.5);
        n[i] = p.z;
    }
    if (misses_samples(&made, raster->view.rows)) {
        return true;
    }
    int64_t ax = (int64_t)made.x[1] - made.x[0], ay = (int64_t)made.y[1] - made.y[0];
    int64_t bx = (int64_t)made.x[2] - made.x[0], by = (int64_t)made.y[2] - made.y[0];
    int64_t area = ax * by - ay * bx;
    if (area == 0) {
        return true;
    }
    // The plane through the rounded corners: samples inside never see more than their nearness.
    double per_area = SN_RASTER_UNITS / (double)area;
    double na = n[1] - n[0], nb = n[2] - n[0];
    made.nearness_x = (na * (double)by - nb * (double)ay) * per_area;
    made.nearness_y = (nb * (double)ax - na * (double)bx) * per_area;
    made.nearness =
        n[0] - (made.nearness_x * made.x[0] + made.nearness_y * made.y[0]) / SN_RASTER_UNITS;
    if (area < 0) {
        int32_t x = made.x[1], y = made.y[1];
        made.x[1] = made.x[2];
        made.y[1] = made.y[2];
        made.x[2] = x;
        made.y[2] = y;
    }
    return sn_array_push(&raster->triangles, made);
}

enum {
    BESIDE_LEFT = 1,
    BESIDE_RIGHT = 2,
    BESIDE_ABOVE = 4,
    BESIDE_BELOW = 8,
    BEYOND = 16, // the near plane or the guard band: what has such a corner must be cut
    NOWHERE = 32,
};

static uint8_t side_of(const sn_raster_view *view, sn_vec3 c)
{
    if (!sn_vec3_is_finite(c)) {
        return NOWHERE;
    }
    for (int plane = 0; plane < PLANES; ++plane) {
        if (plane_distance(view, plane, c) < 0.0) {
            return BEYOND;
        }
    }
    double unit = view->orthographic ? 1.0 : c.z;
    double half_x = 0.5 * view->width * unit, half_y = 0.5 * view->height * unit;
    return (uint8_t)((c.x < -half_x ? BESIDE_LEFT : 0) | (c.x > half_x ? BESIDE_RIGHT : 0) |
                     (c.y < -half_y ? BESIDE_ABOVE : 0) | (c.y > half_y ? BESIDE_BELOW : 0));
}

static bool load_triangle(sn_raster *raster, const int *corners, uint32_t id)
{
    const uint8_t *sides = raster->sides.data;
    uint8_t a = sides[corners[0]], b = sides[corners[1]], c = sides[corners[2]];
    if (((a | b | c) & NOWHERE) != 0 ||
        (a & b & c & (BESIDE_LEFT | BESIDE_RIGHT | BESIDE_ABOVE | BESIDE_BELOW)) != 0) {
        return true;
    }
    cut_polygon polygon = {.count = 3};
    for (int i = 0; i < 3; ++i) {
        polygon.corners[i] = raster->corners.data[corners[i]];
    }
    if (((a | b | c) & BEYOND) == 0) {
        return push_triangle(raster, polygon.corners, id);
    }
    for (int plane = 0; plane < PLANES && polygon.count > 0; ++plane) {
        cut(&raster->view, plane, &polygon);
    }
    for (int i = 2; i < polygon.count; ++i) {
        sn_vec3 fan[3] = {polygon.corners[0], polygon.corners[i - 1], polygon.corners[i]};
        if (!push_triangle(raster, fan, id)) {
            return false;
        }
    }
    return true;
}

// ---- lists of the tiles ----

typedef struct tile_range {
    int left, right, top, bottom; // in tiles; the last ones included
} tile_range;

// The tiles that a triangle's box meets; right < left or bottom < top when it meets none.
static tile_range tiles_of(const sn_raster *raster, const sn_raster_triangle *t)
{
    const int shift = 15; // 1024 * 32 units to a tile
    _Static_assert(SN_RASTER_TILE * SN_RASTER_UNITS == 1 << 15, "shift");
    int last_column = raster->columns - 1, last_row = raster->tile_count / raster->columns - 1;
    tile_range r = {least_of(t->x) >> shift, greatest_of(t->x) >> shift, least_of(t->y) >> shift,
                    greatest_of(t->y) >> shift};
    r.left = r.left > 0 ? r.left : 0;
    r.top = r.top > 0 ? r.top : 0;
    r.right = r.right < last_column ? r.right : last_column;
    r.bottom = r.bottom < last_row ? r.bottom : last_row;
    return r;
}

static sn_status make_lists(sn_raster *raster, sn_error *error)
{
    if (!sn_array_resize(&raster->first, raster->tile_count + 2)) {
        return sn_fail_memory(error, sizeof(int) * (size_t)raster->tile_count);
    }
    int *first = raster->first.data;
    memset(first, 0, sizeof(int) * (size_t)raster->first.count);
    int64_t total = 0;
    for (int i = 0; i < raster->triangles.count; ++i) {
        tile_range r = tiles_of(raster, &raster->triangles.data[i]);
        for (int row = r.top; row <= r.bottom; ++row) {
            for (int column = r.left; column <= r.right; ++column) {
                first[row * raster->columns + column + 2] += 1;
                total += 1;
            }
        }
        if (total > SN_RASTER_TRIANGLE_LIMIT) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                           "the triangles meet more than %d tiles, too many to draw",
                           SN_RASTER_TRIANGLE_LIMIT);
        }
    }
    if (!sn_array_resize(&raster->lists, (int)total)) {
        return sn_fail_memory(error, sizeof(int) * (size_t)total);
    }
    // first[k + 2] counts; after the sums first[k + 1] is where k starts, and filling moves it on.
    for (int k = 2; k < raster->first.count; ++k) {
        first[k] += first[k - 1];
    }
    for (int i = 0; i < raster->triangles.count; ++i) {
        tile_range r = tiles_of(raster, &raster->triangles.data[i]);
        for (int row = r.top; row <= r.bottom; ++row) {
            for (int column = r.left; column <= r.right; ++column) {
                raster->lists.data[first[row * raster->columns + column + 1]++] = i;
            }
        }
    }
    return SN_OK;
}

static sn_status check_view(const sn_raster_view *view, sn_error *error)
{
    if (view->width < 1 || view->height < 1 || view->width > SN_RASTER_SIZE_LIMIT ||
        view->height > SN_RASTER_SIZE_LIMIT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a picture of %d x %d pixels, expected 1 to %d in each direction",
                       view->width, view->height, SN_RASTER_SIZE_LIMIT);
    }
    bool power = view->rows > 0 && (view->rows & (view->rows - 1)) == 0;
    if (!power || view->rows > SN_RASTER_ROW_LIMIT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d samples to a pixel, expected 1, 2, 4, ... %d", view->rows,
                       SN_RASTER_ROW_LIMIT);
    }
    if (!sn_vec3_is_finite(view->eye) || !sn_vec3_is_finite(view->forward) ||
        !sn_vec3_is_finite(view->right) || !sn_vec3_is_finite(view->up) ||
        !(view->scale > 0.0 && view->scale < INFINITY) || !isfinite(view->shift_x) ||
        !isfinite(view->shift_y) || isnan(view->near) ||
        (!view->orthographic && !(view->near > 0.0 && view->near < INFINITY))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "the camera sees nothing: its place, direction, scale or near plane is not "
                       "finite, or not positive where it must be");
    }
    return SN_OK;
}

sn_status sn_raster_load(sn_raster *raster, const sn_raster_view *view, const sn_vec3 *positions,
                         int vertex_count, const int *triangles, int triangle_count,
                         sn_error *error)
{
    sn_status status = check_view(view, error);
    if (status != SN_OK) {
        return status;
    }
    raster->view = *view;
    raster->columns = sn_chunk_count(view->width, SN_RASTER_TILE);
    raster->tile_count = raster->columns * sn_chunk_count(view->height, SN_RASTER_TILE);
    sn_array_clear(&raster->triangles);
    if (!sn_array_resize(&raster->corners, vertex_count) ||
        !sn_array_resize(&raster->sides, vertex_count) ||
        !sn_array_reserve(&raster->triangles, triangle_count)) {
        return sn_fail_memory(error, sizeof(sn_raster_triangle) * (size_t)triangle_count);
    }
    for (int i = 0; i < vertex_count; ++i) {
        raster->corners.data[i] = eye_corner(view, positions[i]);
        raster->sides.data[i] = side_of(view, raster->corners.data[i]);
    }
    for (int i = 0; i < triangle_count; ++i) {
        if (!load_triangle(raster, triangles + 3 * (size_t)i, (uint32_t)i)) {
            return sn_fail_memory(error, sizeof(sn_raster_triangle) * (size_t)triangle_count);
        }
    }
    return make_lists(raster, error);
}

void sn_raster_free(sn_raster *raster)
{
    sn_array_free(&raster->corners);
    sn_array_free(&raster->sides);
    sn_array_free(&raster->triangles);
    sn_array_free(&raster->first);
    sn_array_free(&raster->lists);
}

// ---- drawing ----

// a x + b y + c >= 0 holds at the samples on an edge's inner side, in whole numbers.
typedef struct edge {
    int64_t a, b, c;
    double inverse; // 1 / |a|
} edge;

// Of the two triangles at an edge one has (a, b), the other (-a, -b): the sign tells which of them
// gets the samples on it, and the other is moved in by the smallest number there is.
static edge make_edge(const sn_raster_triangle *t, int from, int to)
{
    edge e = {.a = (int64_t)t->y[from] - t->y[to], .b = (int64_t)t->x[to] - t->x[from]};
    bool owns = e.a > 0 || (e.a == 0 && e.b > 0);
    e.c = -(e.a * t->x[from] + e.b * t->y[from]) - (owns ? 0 : 1);
    e.inverse = e.a != 0 ? 1.0 / fabs((double)e.a) : 0.0;
    return e;
}

// floor(number / divisor), divisor > 0: the quotient of doubles is at most one off.
static int64_t floor_divide(int64_t number, int64_t divisor, double inverse)
{
    int64_t quotient = (int64_t)((double)number * inverse);
    int64_t rest = number - quotient * divisor;
    while (rest < 0) {
        quotient -= 1;
        rest += divisor;
    }
    while (rest >= divisor) {
        quotient += 1;
        rest -= divisor;
    }
    return quotient;
}

// Narrows the range of x, in units, to the edge's inner side in the row y.
static inline void narrow(const edge *e, int64_t y, int64_t *left, int64_t *right)
{
    int64_t k = e->b * y + e->c;
    if (e->a > 0) {
        int64_t x = -floor_divide(k, e->a, e->inverse); // ceil(-k / a)
        *left = x > *left ? x : *left;
    } else if (e->a < 0) {
        int64_t x = floor_divide(k, -e->a, e->inverse);
        *right = x < *right ? x : *right;
    } else if (k < 0) {
        *right = *left - 1;
    }
}

typedef struct tile_area {
    int x, y;          // of its corner, pixels
    int width, height; // pixels inside the picture
    int rows;          // samples to a pixel
    int stride;        // samples from row to row
    int sample_x[SN_RASTER_ROW_LIMIT], sample_y[SN_RASTER_ROW_LIMIT];
    float *nearness;
    uint32_t *ids;
} tile_area;

static void draw_span(const tile_area *area, const sn_raster_triangle *t, int row, int first,
                      int last)
{
    int sub = row & (area->rows - 1), line = row / area->rows;
    double x = area->x + first + area->sample_x[sub] * (1.0 / SN_RASTER_UNITS);
    double y = area->y + line + area->sample_y[sub] * (1.0 / SN_RASTER_UNITS);
    float start = (float)(t->nearness + t->nearness_x * x + t->nearness_y * y);
    float rise = (float)t->nearness_x;
    float *nearness = area->nearness + (size_t)row * (size_t)area->stride + first;
    uint32_t *ids = area->ids + (size_t)row * (size_t)area->stride + first;
    for (int i = 0; i <= last - first; ++i) {
        float value = start + rise * (float)i;
        if (value > nearness[i]) {
            nearness[i] = value;
            ids[i] = t->id;
        }
    }
}

static int clamp_int(int64_t value, int lower, int upper)
{
    return value < lower ? lower : value > upper ? upper : (int)value;
}

static void draw_triangle(const tile_area *area, const sn_raster_triangle *t)
{
    edge edges[3] = {make_edge(t, 0, 1), make_edge(t, 1, 2), make_edge(t, 2, 0)};
    const int units = SN_RASTER_UNITS;
    int row_units = units / area->rows;
    int64_t corner_x = (int64_t)area->x * units, corner_y = (int64_t)area->y * units;
    int64_t top = least_of(t->y) - corner_y, bottom = greatest_of(t->y) - corner_y;
    int row_count = area->height * area->rows;
    int first_row = clamp_int(top / row_units - 1, 0, row_count);
    int last_row = clamp_int(bottom / row_units, -1, row_count - 1);
    for (int row = first_row; row <= last_row; ++row) {
        int sub = row & (area->rows - 1);
        int64_t y = corner_y + (int64_t)(row / area->rows) * units + area->sample_y[sub];
        int64_t left = corner_x, right = corner_x + (int64_t)area->width * units - 1;
        for (int i = 0; i < 3; ++i) {
            narrow(&edges[i], y, &left, &right);
        }
        // The samples i * units + offset between left and right: rounded up, and down.
        int64_t offset = corner_x + area->sample_x[sub];
        int64_t first = (left - offset + units - 1) >> 10, last = (right - offset) >> 10;
        if (first <= last) {
            draw_span(area, t, row, (int)first, (int)last);
        }
    }
}

static tile_area area_of(const sn_raster *raster, int tile)
{
    const sn_raster_view *view = &raster->view;
    tile_area area = {.x = tile % raster->columns * SN_RASTER_TILE,
                      .y = tile / raster->columns * SN_RASTER_TILE,
                      .rows = view->rows};
    int width = view->width - area.x, height = view->height - area.y;
    area.width = width < SN_RASTER_TILE ? width : SN_RASTER_TILE;
    area.height = height < SN_RASTER_TILE ? height : SN_RASTER_TILE;
    for (int row = 0; row < view->rows; ++row) {
        sn_raster_sample(view->rows, row, &area.sample_x[row], &area.sample_y[row]);
    }
    return area;
}

static void draw_tile(const sn_raster *raster, int tile, const tile_area *area)
{
    // An empty row, copied into all: a small picture of few triangles is mostly this.
    float far[SN_RASTER_TILE];
    uint32_t none[SN_RASTER_TILE];
    for (int i = 0; i < area->width; ++i) {
        far[i] = -INFINITY;
        none[i] = SN_RASTER_NONE;
    }
    for (int row = 0; row < area->height * area->rows; ++row) {
        size_t start = (size_t)row * (size_t)area->stride;
        memcpy(area->nearness + start, far, (size_t)area->width * sizeof *far);
        memcpy(area->ids + start, none, (size_t)area->width * sizeof *none);
    }
    for (int i = raster->first.data[tile]; i < raster->first.data[tile + 1]; ++i) {
        draw_triangle(area, &raster->triangles.data[raster->lists.data[i]]);
    }
}

bool sn_raster_tile(const sn_raster *raster, int tile, float *nearness, uint32_t *ids)
{
    if (raster->first.data[tile] == raster->first.data[tile + 1]) {
        return false;
    }
    tile_area area = area_of(raster, tile);
    area.stride = SN_RASTER_TILE;
    area.nearness = nearness;
    area.ids = ids;
    draw_tile(raster, tile, &area);
    return true;
}

typedef struct whole_picture {
    const sn_raster *raster;
    float *nearness;
    uint32_t *ids;
} whole_picture;

static void draw_tiles(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const whole_picture *whole = context;
    const sn_raster_view *view = &whole->raster->view;
    for (int tile = first; tile < last; ++tile) {
        tile_area area = area_of(whole->raster, tile);
        size_t start = (size_t)area.y * (size_t)view->rows * (size_t)view->width + (size_t)area.x;
        area.stride = view->width;
        area.nearness = whole->nearness + start;
        area.ids = whole->ids + start;
        draw_tile(whole->raster, tile, &area);
    }
}

void sn_raster_draw(const sn_raster *raster, sn_threads *threads, float *nearness, uint32_t *ids)
{
    whole_picture whole = {raster, nearness, ids};
    sn_threads_run(threads, raster->tile_count, 4, draw_tiles, &whole);
}
