// The velocity of a wind at all patches of a body, four at a time and in the body's frame.
//
// It is that of sn_wind_full_velocity to round-off, but for the long waves of gusts: those of which
// a body spans less than an eighth are expanded about the middle of the body to the second order
// (field/gust.h). What that leaves out is below 0.5 % of the gusts' deviation.
#ifndef SN_FIELD_WIND_BLOCK_H
#define SN_FIELD_WIND_BLOCK_H

#include "field/air_block.h"
#include "field/wind.h"

// Where a body is, and the ball in which its patches are.
typedef struct sn_wind_place {
    sn_vec3 position; // of the body's frame
    sn_mat3 rotation; // from the body's frame to the world's
    sn_vec3 middle;   // in the body's frame
    double radius;
} sn_wind_place;

// Writes the velocities at `count` blocks: `strength` times those at full strength.
SN_API void sn_wind_blow(const sn_wind *wind, const sn_wind_place *place, double time,
                         double strength, const sn_air_block *blocks, int count,
                         sn_air_stream *stream);

#endif
