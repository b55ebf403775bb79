// A behaviour's script, ready to run: the statements of a scene's behaviour with everything found
// that they name. It needs the scene no more, and copies of a world share it.
#ifndef SN_SCENE_SCRIPT_H
#define SN_SCENE_SCRIPT_H

#include <stdatomic.h>

#include "scene/model.h"
#include "sinew/behaviour.h"

typedef enum sn_script_code {
    SN_SCRIPT_LET,
    SN_SCRIPT_SET,
    SN_SCRIPT_DRIVE,
    SN_SCRIPT_PUSH,
    SN_SCRIPT_FORCE,
    SN_SCRIPT_START,
    SN_SCRIPT_STOP,
    SN_SCRIPT_BREAK,
    SN_SCRIPT_UNBIND, // breaks a bond
    SN_SCRIPT_IF,     // goes on, or jumps when its value is 0
    SN_SCRIPT_JUMP,
} sn_script_code;

// One statement. Formulas that it does not have are NULL.
typedef struct sn_script_step {
    sn_script_code code;
    sn_place place;
    union {
        int variable; // LET: in the behaviour's memory
        int next;     // IF, JUMP: the step to go on with
        sn_body body;
        sn_joint joint;
        sn_bond bond;
        sn_behaviour behaviour;
    };
    int freedom;         // from 0
    sn_drive_type drive; // of DRIVE
    bool in_body;        // PUSH: force and torque turn with the body
    const sn_formula *value, *stiffness, *damping, *force_limit;
    const sn_formula *force, *torque, *at; // three each
    sn_motion *motion;                     // of DRIVE, instead of a value; the script's own
} sn_script_step;

// Variables of a behaviour that this one is within.
typedef struct sn_script_enclosing {
    sn_behaviour behaviour;
    int count;
} sn_script_enclosing;

// Formulas see values in this order: params, time, own variables, those of enclosing behaviours
// from the inside out.
typedef struct sn_script {
    atomic_int references;
    sn_arena arena; // of all below
    sn_script_step *steps;
    int step_count;
    sn_probe *readings;
    int reading_count;
    int param_count, variable_count;
    sn_script_enclosing *enclosing;
    int enclosing_count;
    const char **sources; // names of the files, for messages
} sn_script;

// What one world has of a script: the `user` of its behaviour.
typedef struct sn_actor {
    sn_script *script;
    double *values; // as formulas see them; params are kept, the rest is filled in at every act
} sn_actor;

int sn_script_value_count(const sn_script *script);

// Takes a reference of its own to the script; NULL when memory runs out.
sn_actor *sn_actor_create(sn_script *script, const double *params);
void *sn_actor_copy(void *actor);
void sn_actor_destroy(void *actor);
sn_status sn_actor_act(void *actor, sn_world *world, sn_behaviour self, double time,
                       sn_error *error);

// Adds the behaviours of a scene to a world built from it; and carries the scene's present params
// to them.
sn_status sn_scripts_build(const sn_scene *scene, sn_world *world, sn_error *error);
void sn_scripts_update(const sn_scene *scene, sn_world *world);

sn_script *sn_script_create(void); // one reference; NULL when memory runs out
void sn_script_release(sn_script *script);

#endif
