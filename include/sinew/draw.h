// Sinew pictures: what a world looks like, without a graphics card.
//
//     sn_drawing *drawing = NULL;
//     sn_drawing_create(world, 2, &drawing, &error);
//     sn_transform frames[16]; // of a world with up to 16 bodies
//     sn_world_frames(world, frames);
//     sn_drawing_watch(drawing, frames, NULL); // what automatic framing must hold
//     sn_picture_def def = sn_default_picture_def();
//     static uint8_t pixels[1280 * 720 * 3];
//     if (sn_draw_picture(drawing, frames, NULL, &def, pixels, &error) == SN_OK) {
//         sn_write_png("a.png", pixels, def.width, def.height, &error);
//     }
//     sn_drawing_destroy(drawing);
//
// A pose is a frame for every body and, where bodies bend, the points of their surfaces
// (sn_world_points).
//
// Bodies are drawn in their colours, springs as coils, massless rods as wires, and a string to the
// joint that a body hangs on from afar; bodies of one material have a fine line where they meet.
// There is a key light with soft shadows, light of sky and ground that reaches corners and
// undersides less, and a floor that catches shadows: the world's own plane where it has one, else a
// soft one below everything, further down where things hang or float, and none where the eye is
// below it. Things thinner than a pixel are drawn a pixel wide.
//
// The same world and frames give the same bytes for any number of threads, compiler and machine.
//
// What it does not do: textures, transparency, mirror images of other bodies. Bodies must not come
// or go while a drawing lives. Units: SI, radians, z up; pixels are bytes red, green, blue (sRGB),
// row by row from the top.
#ifndef SINEW_DRAW_H
#define SINEW_DRAW_H

#include "sinew/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_drawing sn_drawing;

// Reads the world's shapes, springs and rods once. The world may go afterwards.
SN_API sn_status sn_drawing_create(const sn_world *world, int threads, sn_drawing **drawing,
                                   sn_error *error);
SN_API void sn_drawing_destroy(sn_drawing *drawing);

// Where every body is, in the world's order: sn_world_body_count of them.
SN_API void sn_world_frames(const sn_world *world, sn_transform *frames);

// A share of the way from one pose to the next, turning the short way.
SN_API void sn_frames_between(const sn_transform *from, const sn_transform *to, int count,
                              double share, sn_transform *frames);

// Where the surfaces of bodies that bend are: sn_world_point_count points, body after body.
SN_API int sn_world_point_count(const sn_world *world);
SN_API void sn_world_points(const sn_world *world, sn_vec3 *points);

// A share of the straight way from one pose to the next.
SN_API void sn_points_between(const sn_vec3 *from, const sn_vec3 *to, int count, double share,
                              sn_vec3 *points);

// Automatic framing and the height of the floor hold everything that was watched; where nothing
// was, the picture itself.
SN_API void sn_drawing_watch(sn_drawing *drawing, const sn_transform *frames,
                             const sn_vec3 *points);

typedef struct sn_picture_def {
    int width, height; // pixels; default 1280 x 720
    int samples;       // to a pixel: 1, 2, 4, ... 64; default 16
    sn_camera camera;  // not given: automatic
    sn_vec3 direction; // of automatic framing: from what is seen to the eye; zero: a good one
    // May be NULL. Asked now and then, from any of the drawing's threads; true ends the picture
    // with SN_ERROR_STOPPED.
    bool (*stop)(void *user);
    void *user;
} sn_picture_def;

SN_API sn_picture_def sn_default_picture_def(void);

// The camera that a picture would have.
SN_API sn_camera sn_drawing_camera(const sn_drawing *drawing, const sn_picture_def *def);

// 3 * width * height bytes. `points` may be NULL where nothing bends.
SN_API sn_status sn_draw_picture(sn_drawing *drawing, const sn_transform *frames,
                                 const sn_vec3 *points, const sn_picture_def *def, uint8_t *pixels,
                                 sn_error *error);

// ---- surfaces that bend ----

typedef struct sn_face_look {
    uint32_t colour; // 0xRRGGBB
    float roughness; // 0 to 1
} sn_face_look;

// Triangles between points that move freely, each flat and of one look, instead of a world: films
// of elastic bodies. `still` (may be NULL) tells faces that never move; they count for framing as
// static bodies do. Arrays have `count` faces and are copied.
SN_API sn_status sn_drawing_create_faces(const int *triangles, const sn_face_look *looks,
                                         const bool *still, int count, int threads,
                                         sn_drawing **drawing, sn_error *error);

// As sn_drawing_watch and sn_draw_picture, with the points as they are.
SN_API void sn_drawing_watch_points(sn_drawing *drawing, const sn_vec3 *points);
SN_API sn_status sn_draw_points(sn_drawing *drawing, const sn_vec3 *points,
                                const sn_picture_def *def, uint8_t *pixels, sn_error *error);

// Another key light: towards where it is, and its colour, 1 being the usual brightness.
SN_API void sn_drawing_set_lamp(sn_drawing *drawing, sn_vec3 direction, const double colour[3]);

SN_API sn_status sn_write_png(const char *path, const uint8_t *pixels, int width, int height,
                              sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
