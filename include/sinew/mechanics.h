// Sinew mechanics: statics, small vibrations, forward and inverse dynamics of a whole world.
//
//     sn_equilibrium rest = {0};
//     if (sn_world_equilibrium(world, NULL, &rest, &error) == SN_OK && rest.stable) {
//         sn_modes modes = {0};
//         sn_world_modes(world, &modes, &error);
//         for (int i = 0; i < modes.count; ++i) {
//             printf("%g Hz\n", modes.list[i].frequency);
//         }
//         sn_modes_free(&modes);
//     }
//     sn_equilibrium_free(&rest);
//
// All four see what the world's forces do at its present time: gravity, springs, drags in a medium
// that moves, callbacks, forces added for the coming step, and in the joints springs, soft limits,
// position and force drives. Loops, couplings and prescribed motions hold where they are now.
//
// Freedoms are numbered 0 .. sn_world_coordinate_count - 1 over all that moves; sn_world_freedom
// says which is which. The numbering holds until bodies or joints are added or removed.
//
// What it does not do: dry friction takes no part in equilibria (what friction could hold anywhere
// has no one pose), nor do velocity drives; dampers and drags do not damp the modes. Callbacks
// whose force has no potential are balanced, but modes see only the symmetric part of their
// stiffness. Matrices are dense: worlds of up to SN_MECHANICS_LIMIT coordinates.
//
// Worlds with elastic bodies, alone or with rigid bodies and mechanisms, have equilibria and modes
// too, by a sparse factor of all vertices: the slowest modes, 24 for each elastic body and one for
// each rigid freedom, at most 400. Bonds of all kinds hold as they do now (up to SN_MECHANICS_LIMIT
// equations between bodies that move), springs and pulls are part of the stiffness. What they do
// not do: contact takes no part, materials do not flow meanwhile, and the change of loads that
// follow a surface, of winds on elastic bodies and of callbacks on them is left out of the
// stiffness; winds have no potential, and may leave no equilibrium. For accelerations and forces of
// freedoms of such worlds the answer is SN_ERROR_UNSUPPORTED. Units: SI, radians.
#ifndef SINEW_MECHANICS_H
#define SINEW_MECHANICS_H

#include "sinew/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_MECHANICS_LIMIT = 2048 };

// ---- freedoms ----

// A freedom of a joint (0 .. 5, in the order of its type's meaning; a ball's that its mechanism has
// from child to parent turns the other way, in the parent's axes); or, with a null joint, of a
// body that no joint ties to the ground: 0 .. 2 shifts its centre of mass along the world's axes,
// 3 .. 5 turns it about its principal axes; a mechanism that floats has those of its first body's
// frame. Elastic bodies have four numbers a vertex, x, y, z along the world's axes and one that is
// always 0: 4 vertex + axis.
typedef struct sn_freedom {
    sn_joint joint;
    sn_body body; // the joint's child
    int freedom;
    bool turns; // rad, N m; else m, N
} sn_freedom;

// Coordinates of all trees and free bodies; loops, couplings and prescribed motions take some of
// them away again (sn_world_freedom_count). Both assemble the world's joints when they are not yet.
SN_API sn_status sn_world_coordinate_count(sn_world *world, int *count, sn_error *error);
SN_API sn_freedom sn_world_freedom(const sn_world *world, int index); // all null for none

// The number of a joint's freedom, or -1.
SN_API int sn_joint_coordinate(const sn_world *world, sn_joint joint, int freedom);

// ---- statics ----

typedef struct sn_equilibrium_def {
    // Ends at the nearest pose where forces balance, also where the least push would topple it.
    // False (default): goes on from there, downhill to a stable one.
    bool accept_unstable;
    int most_iterations; // default 500
    double tolerance;    // of the residual, relative to the forces in play; default 1e-9
} sn_equilibrium_def;

SN_API sn_equilibrium_def sn_default_equilibrium_def(void);

typedef struct sn_equilibrium {
    bool stable;      // every small displacement is pushed back, but for the free directions
    double force;     // N, the largest that is left in a freedom
    double torque;    // N m, likewise
    double potential; // J, as sn_world_energy counts it
    int iterations;
    int coordinates;    // of the world
    int freedoms;       // of them that ties and limits leave
    int unstable_count; // directions in which the forces push on
    int free_count;     // directions without stiffness
    // A displacement of every freedom for each free direction, and for each unstable one: its
    // largest entry is 1. Free ones are told apart as far as may be, so that two wheels give two
    // directions and no mixture.
    double *free_directions;     // free_count * coordinates
    double *unstable_directions; // unstable_count * coordinates
    int resting_count;
    int *resting; // coordinates that are pressed against a hard limit
    int inverted; // elements of elastic bodies that are inside out there: an equilibrium of the
                  // material's law, stable or not, that no real body has
    sn_body inverted_body; // the first body with one
} sn_equilibrium;

// Looks for a pose in which nothing accelerates, from wherever the world is now, and brings the
// world there with all velocities zero. Fails with SN_ERROR_DIVERGED, the world as it was, where
// there is none (what falls is named). def: NULL for the defaults.
SN_API sn_status sn_world_equilibrium(sn_world *world, const sn_equilibrium_def *def,
                                      sn_equilibrium *equilibrium, sn_error *error);
SN_API void sn_equilibrium_free(sn_equilibrium *equilibrium);

// ---- small vibrations ----

typedef enum sn_mode_type {
    SN_MODE_UNSTABLE, // leaves the pose as exp(|angular_frequency| t)
    SN_MODE_FREE,     // no stiffness
    SN_MODE_SWINGS,
} sn_mode_type;

typedef struct sn_mode {
    sn_mode_type type;
    double angular_frequency; // rad/s; negative for unstable ones
    double frequency;         // Hz, likewise
} sn_mode;

typedef struct sn_modes {
    int count; // degrees of freedom that ties and pressed limits leave, or the slowest of them
    int coordinates; // of the world
    sn_mode *list;   // count, ascending: unstable, free, then from slow to fast
    double *shapes;  // count * coordinates: displacement of every freedom, mass-normalised
    double *pose;    // the pose they are about, for sn_modes_swing
    double force;    // N, N m: what is left unbalanced at this pose in a freedom
    double torque;
    double asymmetry; // of the stiffness, relative: above 1e-6 a callback's force has no potential
    int inverted;     // elements of elastic bodies that are inside out at this pose
    sn_body inverted_body; // the first body with one
} sn_modes;

// Natural frequencies and shapes about the present pose, K phi = omega^2 M phi on what ties and
// pressed limits leave free, velocities counting as zero. Meaningful where forces balance.
SN_API sn_status sn_world_modes(sn_world *world, sn_modes *modes, sn_error *error);
SN_API void sn_modes_free(sn_modes *modes);

// What a mode does to a body: the displacement of its centre of mass and its turn, world axes.
SN_API void sn_modes_body(sn_world *world, const sn_modes *modes, int mode, sn_body body,
                          sn_vec3 *shift, sn_vec3 *turn);

// Puts the world where a swing in one mode has it at a time: displaced by amplitude shape sin(omega
// time), moving so, the clock at that time, as if a step had brought it there. Of a free mode
// omega counts as 1 rad/s, of an unstable one as its rate. The world must be of the structure that
// the modes are of. Bonds between bodies that turn are met to the square of the amplitude.
SN_API sn_status sn_modes_swing(sn_world *world, const sn_modes *modes, int mode, double amplitude,
                                double time, sn_error *error);

// ---- dynamics ----

// Accelerations of all freedoms at the present state, under all that acts and `force` beside it
// (one for each freedom, or NULL). Those of a ball are rates of its angular velocity. Hard limits
// and drives act as under the precise policy.
SN_API sn_status sn_world_accelerations(sn_world *world, const double *force, double *accelerations,
                                        sn_error *error);

// The other way: the forces in the driven freedoms (NULL: all) that, beside all that acts, give
// those accelerations at the present state. Of many, the shortest; zero in freedoms that are not
// driven. SN_ERROR_ARGUMENT names a freedom whose acceleration cannot be had: one that ties, limits
// or drives rule, or that no driven freedom reaches.
SN_API sn_status sn_world_inverse_dynamics(sn_world *world, const double *accelerations,
                                           const bool *driven, double *force, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
