// Blocks: patches of a body four at a time, and the sums of what the air does to them. All in the
// body's frame.
//
//     sn_air_blocks_add(&blocks, &air, patches.data, patches.count);
//     sn_air_motion motion = {velocity, angular_velocity, centre};
//     sn_air_sum sum = {0};
//     sn_air_press(blocks.data, blocks.count, stream, &motion, true, &sum);
//
// The force on a block is that of sn_air_force and sn_air_wire_force on its patches, to round-off.
#ifndef SN_FIELD_AIR_BLOCK_H
#define SN_FIELD_AIR_BLOCK_H

#include "field/patch.h"
#include "math/lanes.h"
#include "math/spatial.h"
#include "sinew/wind.h"

// force = across |w_n| w_n n + along |w_t| w_t by the law air, with n the normal of a patch or the
// axis of a wire; face |v| v_n n + face_along |v| v_t by the law face.
typedef struct sn_air_coefficients {
    double across, along, face, face_along;
} sn_air_coefficients;

sn_air_coefficients sn_air_coefficients_of(const sn_air_def *air, double area, int sides,
                                           bool wire); // air.c

typedef struct sn_air_block {
    double centre[3][SN_LANES];
    double normal[3][SN_LANES];  // or a wire's axis
    double across[SN_LANES];     // of |w_n| w_n n, kg/m
    double along[SN_LANES];      // of |w_t| w_t
    double face[SN_LANES];       // law face: of |v| v_n n
    double face_along[SN_LANES]; // of |v| v_t
    double one_sided[SN_LANES];  // 1: only where the air blows at the patch; 0
} sn_air_block;

// Velocities at the patches of a block.
typedef struct sn_air_stream {
    double velocity[3][SN_LANES];
} sn_air_stream;

typedef SN_ARRAY(sn_air_block) sn_air_blocks;

// Puts patches into as many blocks as they need; false when memory runs out. What is left of the
// last block has no area.
SN_API bool sn_air_blocks_add(sn_air_blocks *blocks, const sn_air_def *air, const sn_patch *patches,
                              int count);

// The same in place, for other coefficients of the air.
SN_API void sn_air_blocks_fill(sn_air_block *blocks, const sn_air_def *air, const sn_patch *patches,
                               int count);

static inline int sn_air_block_count(int patches)
{
    return (patches + SN_LANES - 1) / SN_LANES;
}

// Of a body: its velocity at the centre of mass.
typedef struct sn_air_motion {
    sn_vec3 velocity, angular_velocity, centre;
} sn_air_motion;

typedef struct sn_air_sum {
    sn_spatial wrench;           // about the centre of mass
    sn_mat3 linear, turn, mixed; // of -d(wrench)/d(velocity): vv, ww, wv
} sn_air_sum;

// Law air: adds the forces of a stream, and their derivative if that is wanted.
SN_API void sn_air_press(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                         const sn_air_motion *motion, bool with_damping, sn_air_sum *sum);

// Law face: adds the forces of a stream on patches at rest.
SN_API void sn_air_press_faces(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                               const sn_air_motion *motion, sn_air_sum *sum);

#endif
