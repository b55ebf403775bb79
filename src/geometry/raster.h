// A rasteriser: which triangle is seen at each sample of a picture, and how near it is there.
//
//     sn_raster_view view = sn_raster_perspective(eye, target, up, angle, 640, 480);
//     sn_raster raster = {0};
//     sn_raster_load(&raster, &view, positions, vertex_count, triangles, triangle_count, &error);
//     sn_raster_draw(&raster, threads, nearness, ids);   // 640 * 480 each
//     if (ids[480 / 2 * 640 + 320] != SN_RASTER_NONE) { hit in the middle of the picture }
//     sn_raster_free(&raster);
//
// Corners are rounded to 1/1024 of a pixel, and from then on all is exact in whole numbers: a
// sample on an edge that two triangles share belongs to one of them, never to none or both. Both
// sides of a triangle are seen. Of equally near triangles the first in the list is seen. Triangles
// are cut at the near plane, and where they reach far out of the picture.
//
// Samples: every pixel is cut into `rows` rows with one sample in each, no two above one another,
// so that an edge of any direction passes them one by one. Samples of a picture are stored row by
// row, `width` to a row and `rows` rows to a row of pixels.
//
// A picture is drawn in tiles, each by one thread; the result does not depend on their number.
#ifndef SN_GEOMETRY_RASTER_H
#define SN_GEOMETRY_RASTER_H

#include "base/array.h"
#include "base/threads.h"
#include "sinew/math.h"

enum {
    SN_RASTER_TILE = 32,          // pixels
    SN_RASTER_SIZE_LIMIT = 16384, // pixels
    SN_RASTER_ROW_LIMIT = 64,     // samples to a pixel
    SN_RASTER_UNITS = 1024,       // of a pixel that corners are rounded to
    SN_RASTER_TRIANGLE_LIMIT = 1 << 28,
};

#define SN_RASTER_NONE UINT32_MAX // the id where nothing is seen

typedef struct sn_raster_view {
    sn_vec3 eye, right, up, forward; // unit vectors at right angles: up in the picture
    bool orthographic;
    double scale; // pixels: of a length of 1 at the distance 1; orthographic: of a length of 1
    double shift_x, shift_y; // pixels that the picture's content is moved by, right and down
    double near;       // nothing nearer to the eye's plane is seen; orthographic: may be -INFINITY
    int width, height; // pixels
    int rows;          // samples to a pixel: 1, 2, 4, ... 64
} sn_raster_view;

// `angle` is that of the picture's height. Looking along `up` takes any other direction for it. One
// sample to a pixel; near is a thousandth of the distance to the target.
SN_API sn_raster_view sn_raster_perspective(sn_vec3 eye, sn_vec3 target, sn_vec3 up, double angle,
                                            int width, int height);

// Parallel rays along `forward` through a picture about `centre`, `span` high.
SN_API sn_raster_view sn_raster_parallel(sn_vec3 centre, sn_vec3 forward, sn_vec3 up, double span,
                                         int width, int height);

// Where in the picture a point is seen, in pixels from its upper left corner, and its nearness: 1 /
// distance from the eye's plane in perspective, -distance in parallel views.
SN_API sn_vec3 sn_raster_project(const sn_raster_view *view, sn_vec3 point);

// The ray through a place in the picture: it starts at *origin and has the distance 1 from the
// eye's plane for each length of *direction.
SN_API void sn_raster_ray(const sn_raster_view *view, double x, double y, sn_vec3 *origin,
                          sn_vec3 *direction);

// The distance from the eye's plane that a nearness stands for.
static inline double sn_raster_distance(const sn_raster_view *view, double nearness)
{
    return view->orthographic ? -nearness : 1.0 / nearness;
}

// The place of the sample in row 0 .. rows - 1 of a pixel, in 1/1024 pixels from its left and upper
// side.
SN_API void sn_raster_sample(int rows, int row, int *x, int *y);

// A triangle in the picture.
typedef struct sn_raster_triangle {
    int32_t x[3], y[3]; // 1/1024 pixels, turned so that the area is positive
    uint32_t id;
    double nearness, nearness_x, nearness_y; // at the picture's corner, and its rise per pixel
} sn_raster_triangle;

typedef struct sn_raster {
    sn_raster_view view;
    int columns, tile_count;
    SN_ARRAY(sn_vec3) corners; // in the eye's axes, scaled
    SN_ARRAY(uint8_t) sides;   // of corners: where they are beside the picture
    SN_ARRAY(sn_raster_triangle) triangles;
    SN_ARRAY(int) first; // tile_count + 1: where a tile's list starts
    SN_ARRAY(int) lists; // triangles, tile by tile
} sn_raster;

// Makes triangles ready to be drawn. Ids are their places in the list. What is not finite is left
// out. Room is kept from call to call.
SN_API sn_status sn_raster_load(sn_raster *raster, const sn_raster_view *view,
                                const sn_vec3 *positions, int vertex_count,
                                const int *triangles, // 3 * triangle_count
                                int triangle_count, sn_error *error);

// One tile of the picture: nearness and ids of its SN_RASTER_TILE * rows rows of SN_RASTER_TILE
// samples. False, with nothing written, when no triangle reaches it.
SN_API bool sn_raster_tile(const sn_raster *raster, int tile, float *nearness, uint32_t *ids);

// The whole picture: width * height * rows samples. Where nothing is seen, nearness is -INFINITY.
SN_API void sn_raster_draw(const sn_raster *raster, sn_threads *threads, float *nearness,
                           uint32_t *ids);

SN_API void sn_raster_free(sn_raster *raster);

#endif
