// Where a picture is taken: camera, key light and floor, chosen by what is to be seen.
#ifndef SN_DRAW_STAGE_H
#define SN_DRAW_STAGE_H

#include "draw/model.h"
#include "draw/shade.h"
#include "sinew/draw.h"

typedef struct sn_stage {
    sn_vec3 centre; // of what is to be seen
    double radius;
    bool has_floor;
    double floor_height;
    uint32_t floor_colour;
    float floor_roughness;
    sn_vec3 key; // towards the key light, unit
} sn_stage;

// The box that automatic framing holds: what moves, what stands still around it unless that is far
// larger, and the floor where things can fall on it.
SN_API sn_aabb sn_stage_box(const sn_model *model, const sn_model_bounds *bounds);

// A direction of zero lets the shape of the box choose one.
SN_API sn_camera sn_stage_camera(const sn_model *model, const sn_model_bounds *bounds,
                                 sn_vec3 direction, double aspect);

SN_API sn_stage sn_stage_make(const sn_model *model, const sn_model_bounds *bounds, sn_vec3 gravity,
                              const sn_raster_view *view);

#endif
