// Free rigid bodies: the smallest articulation, one link on a free joint, packed so that thousands
// are a tight loop.
//
// Coordinates of one body, about its centre of mass and along its principal axes:
//     q = (x, y, z of the centre in the world; w, x, y, z of the rotation
//          from principal axes to world)
//     v = (velocity of the centre, world axes; angular velocity, principal axes)
// With the angular velocity in principal axes the inertia is three numbers and the free motion
// needs no change of axes.
#ifndef SN_AGENT_RIGID_H
#define SN_AGENT_RIGID_H

#include "agent/agent.h"
#include "agent/free_rotation.h"

enum { SN_RIGID_Q = 7, SN_RIGID_V = 6 };

typedef struct sn_rigid_set {
    sn_agent_set agents;
    sn_rigid_mass *mass; // capacity
    sn_transform
        *placement; // principal frame -> the body's own frame, seen from the principal frame
    double *radius; // of a ball about the centre of mass that holds the body
    int capacity;   // of these three
} sn_rigid_set;

typedef struct sn_rigid_def {
    sn_mass_properties mass;            // in the body's frame
    sn_transform frame;                 // of the body, in the world
    sn_vec3 velocity, angular_velocity; // world axes
    double radius;
    sn_integrator integrator;
    double relative_tolerance, absolute_tolerance;
    uint32_t owner;
    double time;
} sn_rigid_def;

SN_API void sn_rigid_set_init(sn_rigid_set *set);
SN_API void sn_rigid_set_free(sn_rigid_set *set);
SN_API bool sn_rigid_set_copy(const sn_rigid_set *set, sn_rigid_set *copy);

// Room for so many more bodies: adding them then cannot fail.
SN_API bool sn_rigid_reserve(sn_rigid_set *set, int count);

// The new agent's index, or -1 when memory runs out.
SN_API int sn_rigid_add(sn_rigid_set *set, const sn_rigid_def *def);

// Removes an agent; the last one takes its place.
SN_API void sn_rigid_remove(sn_rigid_set *set, int agent);

// The body's own frame, and its motion in world axes.
SN_API sn_transform sn_rigid_frame(const sn_rigid_set *set, int agent);
SN_API void sn_rigid_set_frame(sn_rigid_set *set, int agent, sn_transform frame);
SN_API sn_vec3 sn_rigid_velocity(const sn_rigid_set *set, int agent);
SN_API sn_vec3 sn_rigid_angular_velocity(const sn_rigid_set *set, int agent);
SN_API void sn_rigid_set_velocity(sn_rigid_set *set, int agent, sn_vec3 velocity,
                                  sn_vec3 angular_velocity);

SN_API extern const sn_agent_type sn_rigid_type;
extern const sn_agent_contact sn_rigid_contact; // rigid_contact.c

// The placement of the principal frame, read and written.
static inline sn_transform sn_rigid_pose(const double *q)
{
    sn_transform pose = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    return pose;
}

#endif
