// Free rigid bodies: the smallest articulation, one link on a free joint, packed so that thousands
// are a tight loop.
//
// Coordinates of one body, about its centre of mass and along its principal axes:
//     q = (x, y, z of the centre in the world; w, x, y, z of the rotation
//          from principal axes to world)
//     v = (velocity of the centre, world axes; angular velocity, principal axes)
// With the angular velocity in principal axes the inertia is three numbers and the free motion
// needs no change of axes.
#ifndef SN_AGENT_RIGID_RIGID_H
#define SN_AGENT_RIGID_RIGID_H

#include "agent/agent.h"
#include "agent/rigid/free_rotation.h"

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
extern const sn_agent_chart sn_rigid_chart;     // rigid_chart.c

// Mass and inertia, and the radius of a ball about the centre of mass that holds the body.
static inline const sn_rigid_mass *sn_rigid_mass_of(const sn_agent_set *set, int agent)
{
    return &((const sn_rigid_set *)set)->mass[agent]; // the agent set is its first member
}

static inline double sn_rigid_radius(const sn_agent_set *set, int agent)
{
    return ((const sn_rigid_set *)set)->radius[agent];
}

// Where the body's own frame is, seen from its principal frame.
static inline const sn_transform *sn_rigid_placement(const sn_agent_set *set, int agent)
{
    return &((const sn_rigid_set *)set)->placement[agent];
}

// Does any of its points go further than so many radii in a time h?
bool sn_rigid_is_fast(const sn_agent_set *set, int agent, double radii, double h);

// The placement of the principal frame, read and written.
static inline sn_transform sn_rigid_pose(const double *q)
{
    sn_transform pose = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    return pose;
}

#endif
