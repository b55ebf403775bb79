// What bodies hide of each other from winds with occlusion: how much of every patch each of these
// winds reaches. A part of the air, made with it, and looked at anew on a clock of the world's own
// time.
//
// Depth: the bodies inside the wind's cone are drawn from its vertex into a small picture of ids
// and depths, and 16 points of every patch look themselves up in it. Rays: the same points
// are looked at along rays from the vertex, through the broad phase and the colliders.
//
// A patch with one side that faces away is hidden. What is nearer to the source hides what is
// behind it; of its own body a patch is hidden only by what stands out from its plane by more than
// a share of its size.
#ifndef SN_WORLD_SHADE_H
#define SN_WORLD_SHADE_H

#include "field/occluder.h"
#include "geometry/raster.h"
#include "sinew/wind.h"
#include "world/form.h"

enum { SN_SHADE_WHOLE = 16 }; // points of a patch

typedef struct sn_shade_form {
    sn_form *form; // held
    int first;     // of the patches that it was made with; -1: without
    sn_occluder occluder;
} sn_shade_form;

typedef struct sn_shade_body {
    uint32_t body;
    int form;
    int air;   // of the air's bodies; -1: it does not move
    int first; // of its patches among those of all bodies
} sn_shade_body;

typedef struct sn_shade_wind {
    int wind;                    // of the air's
    double drawn;                // the time of its last picture; NaN: none
    sn_vec3 position, direction; // then
} sn_shade_wind;

// Where a body is, seen from the source: in the eye's axes, x right, y up, z forward.
typedef struct sn_shade_place {
    sn_mat3 turn;                     // from the body's axes
    sn_vec3 from;                     // of the body's origin
    double left, right, below, above; // of the ball around it: slopes, or lengths in parallel views
    double near, far;
} sn_shade_place;

typedef struct sn_shade {
    SN_ARRAY(sn_shade_form) forms;
    SN_ARRAY(sn_shade_body) bodies;
    SN_ARRAY(sn_shade_wind) winds; // those with occlusion
    SN_ARRAY(int) slots;           // of all winds of the air: in `winds`, or -1
    SN_ARRAY(int) firsts;          // of all bodies of the air: of their patches
    int patch_count;               // of all of them
    SN_ARRAY(uint8_t) lit;         // winds.count * patch_count: points that are reached

    // one picture
    SN_ARRAY(sn_shade_place) places; // of the bodies
    SN_ARRAY(sn_vec3) corners;       // in the eye's axes
    SN_ARRAY(int) triangles;         // 3 each
    SN_ARRAY(int) owners;            // of the triangles: twice the body, and one more for a bar
    sn_raster raster;
    SN_ARRAY(float) nearness;
    SN_ARRAY(uint32_t) ids;

    SN_ARRAY(unsigned char) pending; // from a saved state: taken over when the bodies are known
} sn_shade;

sn_status sn_world_make_shade(sn_world *world, sn_error *error); // after the rest of the air
void sn_shade_forget(sn_shade *shade); // what sn_world_make_shade made but the forms
void sn_shade_free(sn_shade *shade);

// Something was changed from outside: all is looked at anew in the next step.
void sn_shade_stale(sn_shade *shade);

// Looks at the winds that are due and blow at some time from `start` to `end`.
SN_API sn_status sn_world_draw_shades(sn_world *world, double start, double end, sn_error *error);

// Pixels of the longer side of a wind's picture.
int sn_shade_pixels(const sn_shade *shade, const sn_wind *wind);

// Looks at one wind of the air: 0 .. 16 for all patches.
sn_status sn_shade_look(sn_world *world, int wind, uint8_t *lit, sn_error *error);

// Of the patches of a body of the air, in their order, the points (0 .. 16) that a wind of the air
// reaches; NULL: all.
const uint8_t *sn_shade_lit(const sn_shade *shade, int wind, int air_body);

// As bytes, for states and copies: what would not come out the same when it is looked at anew.
size_t sn_shade_memory_size(const sn_shade *shade);
unsigned char *sn_shade_save_memory(const sn_shade *shade, unsigned char *at);
bool sn_shade_is_memory(const unsigned char *bytes, size_t size);
bool sn_shade_keep_memory(sn_shade *shade, const unsigned char *bytes, size_t size);

#endif
