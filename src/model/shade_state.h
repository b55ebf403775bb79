// What a world keeps of who hides whom from winds; what is done with it: force/shade.h.
#ifndef SN_MODEL_SHADE_STATE_H
#define SN_MODEL_SHADE_STATE_H

#include "field/occluder.h"
#include "geometry/raster.h"
#include "model/form.h"
#include "sinew/wind.h"

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

#endif
