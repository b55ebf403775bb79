// Sinew behaviours: a user's own functions that steer a world while it runs.
//
//     sn_status hold_level(void *user, sn_world *world, sn_behaviour self, double time,
//                          sn_error *error)
//     {
//         sn_joint elbow = *(sn_joint *)user;
//         double angle = sn_joint_position(world, elbow, 0);
//         double *integral = sn_behaviour_memory(world, self); // saved and copied with the world
//         *integral += 0.01 * (1.0 - angle);
//         sn_joint_add_force(world, elbow, 0, 40.0 * (1.0 - angle) + 5.0 * *integral);
//         return SN_OK;
//     }
//
//     sn_behaviour_def def = sn_default_behaviour_def();
//     def.name = "hold level";
//     def.act = hold_level;
//     def.user = &elbow;
//     def.memory_count = 1;
//     sn_behaviour behaviour;
//     sn_world_add_behaviour(world, &def, &behaviour, &error);
//
// A behaviour acts at the start of a step, before forces are asked for, all of them in order of
// adding. It may read everything, add forces (sn_body_add_force, sn_body_add_torque,
// sn_joint_add_force), set drives and targets (sn_joint_set_drive, sn_joint_set_target: a motion
// drive takes a freedom over, another drive lets it go again), break joints and bonds
// (sn_joint_break, sn_bond_break), and start and stop behaviours. Forces hold for the whole step;
// drives and targets until they are set again. Everything else that would change the world is
// refused with SN_ERROR_UNSUPPORTED.
//
// Which behaviours are active, when they act next and their memory are part of the world's state:
// saved, loaded, copied, hashed, and taken back when a step fails.
//
// What it does not do: a behaviour sees the world at step starts only, under every policy; a force
// that must follow the motion within a step is a callback field. Behaviours cannot be removed, only
// stopped. Numbers that a behaviour keeps elsewhere than in its memory are not part of the state.
#ifndef SINEW_BEHAVIOUR_H
#define SINEW_BEHAVIOUR_H

#include "sinew/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_behaviour {
    uint32_t index, generation;
} sn_behaviour;

typedef struct sn_behaviour_def {
    const char *name; // copied; NULL or "" gets a number; must be unique among behaviours

    // Anything but SN_OK fails the step: nothing has happened then, and the error has the
    // behaviour's name. `error` is never NULL.
    sn_status (*act)(void *user, sn_world *world, sn_behaviour self, double time, sn_error *error);
    void *user;

    // 0: it acts at every step. Else at its start and from then on at the first step start at or
    // after each multiple of the period; what lies within one step counts once.
    double period; // s

    bool active; // from the start; default true
    bool once;   // it stops when it has acted
    sn_event on; // starts it each time it happens, at the end of that step; null: none
    sn_behaviour
        parent; // nested: it is active only while its parent is; added before it; null: none

    int memory_count;     // doubles of its own, see sn_behaviour_memory
    const double *memory; // what they are at first; copied; NULL: zeros

    // For a `user` that belongs to the world: `copy` makes the one of a copied world (NULL when
    // memory runs out), `destroy` frees it. Both NULL: it is the caller's, and copies share it.
    void *(*copy)(void *user);
    void (*destroy)(void *user);
} sn_behaviour_def;

SN_API sn_behaviour_def sn_default_behaviour_def(void);

// When it fails, `user` is still the caller's.
SN_API sn_status sn_world_add_behaviour(sn_world *world, const sn_behaviour_def *def,
                                        sn_behaviour *behaviour, sn_error *error);

SN_API int sn_world_behaviour_count(const sn_world *world);
SN_API sn_behaviour sn_world_behaviour(const sn_world *world, int order);
SN_API sn_behaviour sn_world_find_behaviour(const sn_world *world, const char *name);
SN_API const char *sn_behaviour_name(const sn_world *world, sn_behaviour behaviour);
SN_API bool sn_behaviour_is_active(const sn_world *world, sn_behaviour behaviour);
SN_API void *sn_behaviour_user(const sn_world *world, sn_behaviour behaviour);

// memory_count doubles, to read and to write, until another behaviour is added. NULL for none.
SN_API double *sn_behaviour_memory(sn_world *world, sn_behaviour behaviour);
SN_API int sn_behaviour_memory_count(const sn_world *world, sn_behaviour behaviour);

// Between steps, or from inside a behaviour. One that is started there acts in the same step when
// it was added later than the one that acts, else in the next. Starting brings its children back as
// their definitions say, stopping stops them all. To start what is active and to stop what is not
// changes nothing; to start a child of a stopped parent is refused. An event that happens while the
// parent is stopped starts nothing.
SN_API sn_status sn_behaviour_start(sn_world *world, sn_behaviour behaviour, sn_error *error);
SN_API sn_status sn_behaviour_stop(sn_world *world, sn_behaviour behaviour, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
