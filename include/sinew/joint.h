// Sinew joints: what holds bodies together, and what acts in their freedoms.
//
//     sn_joint_def def = sn_default_joint_def();
//     def.name = "elbow";
//     def.type = SN_JOINT_HINGE;
//     def.parent = upper_arm;
//     def.child = fore_arm;
//     def.parent_frame.position.z = -0.3;
//     def.freedom[0].limit.lower = 0.0;
//     def.freedom[0].limit.upper = 2.5;
//     def.freedom[0].friction = 0.2;
//     def.freedom[0].drive.type = SN_DRIVE_POSITION;
//     def.freedom[0].drive.target = 1.0;
//     def.freedom[0].drive.stiffness = 80.0;
//     def.freedom[0].drive.damping = 8.0;
//     def.freedom[0].drive.force_limit = 40.0;
//     sn_joint joint;
//     sn_world_add_joint(world, &def, &joint, &error);
//
// Joints may form trees and loops, and run from either body to the other. Redundant loops (a door
// with three hinges) need no care. Bodies that joints connect are one agent, put together by
// sn_world_assemble, which the first step calls.
//
// What it does not do: joints hold rigid bodies only; a broken joint does not mend. Units: SI,
// radians. "Force" in a freedom means N where it slides and N m where it turns.
#ifndef SINEW_JOINT_H
#define SINEW_JOINT_H

#include "sinew/motion.h"
#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// C name, scene word, freedoms, meaning. The joint's frame has z along its axis; coordinates are
// zero where the frames on both bodies coincide. The last three leave more freedoms than they hold:
// those have no coordinates, and nothing can act in them.
#define SN_JOINT_TYPE_LIST(X)                                                                      \
    X(SN_JOINT_FIXED, "fixed", 0, "welds the child to its parent")                                 \
    X(SN_JOINT_HINGE, "hinge", 1, "turns about z")                                                 \
    X(SN_JOINT_SLIDER, "slider", 1, "slides along z")                                              \
    X(SN_JOINT_SCREW, "screw", 1, "turns about z and slides by the pitch for each radian")         \
    X(SN_JOINT_CYLINDRICAL, "cylindrical", 2, "slides along z and turns about it")                 \
    X(SN_JOINT_UNIVERSAL, "universal", 2, "turns about the parent's z, then about the child's x")  \
    X(SN_JOINT_BALL, "ball", 3, "turns any way about a point")                                     \
    X(SN_JOINT_PLANAR, "planar", 3, "slides along the parent's x and y and turns about z")         \
    X(SN_JOINT_FREE, "free", 6, "leaves the child free: shifts in the parent, and turns")          \
    X(SN_JOINT_DISTANCE, "distance", 0, "a massless rod between the origins of both frames")       \
    X(SN_JOINT_CURVE, "curve", 0,                                                                  \
      "keeps the origin of the child's frame on a curve of the parent")                            \
    X(SN_JOINT_SURFACE, "surface", 0,                                                              \
      "keeps the origin of the child's frame on a surface of the parent")

#define X(name, word, freedoms, text) name,
typedef enum sn_joint_type { SN_JOINT_TYPE_LIST(X) SN_JOINT_TYPE_COUNT } sn_joint_type;
#undef X

SN_API int sn_joint_type_find(const char *word); // -1 when there is none
SN_API const char *sn_joint_type_word(sn_joint_type type);
SN_API int sn_joint_type_freedoms(sn_joint_type type); // that have coordinates

// Does a freedom of this type turn (rad), or slide (m)?
SN_API bool sn_joint_type_turns(sn_joint_type type, int freedom);

// How far a freedom may go. A ball's `upper` is the greatest angle of its turn, `lower` is not
// looked at. A hard limit stops it and throws it back at `restitution` times its speed; one with
// stiffness is soft: a spring and a damper beyond the limit, which can only push back.
typedef struct sn_limit_def {
    double lower, upper;       // -INFINITY, INFINITY (default): none
    double restitution;        // 0 .. 1, hard limits
    double stiffness, damping; // 0: hard
} sn_limit_def;

#define SN_DRIVE_TYPE_LIST(X)                                                                      \
    X(SN_DRIVE_NONE, "none", "nothing drives the freedom")                                         \
    X(SN_DRIVE_FORCE, "force", "the target is the force")                                          \
    X(SN_DRIVE_VELOCITY, "velocity", "holds the target velocity as far as the force limit allows") \
    X(SN_DRIVE_POSITION, "position",                                                               \
      "force = stiffness (target - position) + damping (target's rate - velocity)")                \
    X(SN_DRIVE_MOTION, "motion", "takes the freedom over: its position is the target, exactly")

#define X(name, word, text) name,
typedef enum sn_drive_type { SN_DRIVE_TYPE_LIST(X) SN_DRIVE_TYPE_COUNT } sn_drive_type;
#undef X

SN_API int sn_drive_type_find(const char *word); // -1 when there is none
SN_API const char *sn_drive_type_word(sn_drive_type type);

typedef struct sn_drive_def {
    sn_drive_type type;
    double target;             // of the type's kind: force, velocity or position
    sn_motion *motion;         // the target as a function of time, in place of `target`; shared
    double stiffness, damping; // gains of a position drive
    double force_limit;        // of velocity and position drives; INFINITY (default): none
} sn_drive_def;

// What acts in one freedom: -stiffness (position - rest) - damping velocity, dry friction of up to
// `friction` against its motion, a limit, a drive. Of a ball the first freedom's spring, damper,
// friction and limit count for all its turns; it may have a drive in each, towards a rotation
// vector.
typedef struct sn_freedom_def {
    double stiffness, damping, rest;
    double friction;
    sn_limit_def limit;
    sn_drive_def drive;
} sn_freedom_def;

SN_API sn_freedom_def sn_default_freedom_def(void);

// The curve of a curve joint, in the parent's joint frame: a cubic spline through points. An open
// curve goes on straight beyond its ends.
typedef struct sn_curve_def {
    const sn_vec3 *points; // copied
    int count;             // 2 and up; 3 and up when closed
    bool closed;
} sn_curve_def;

// The surface of a surface joint, in the parent's joint frame, axis z.
#define SN_SURFACE_TYPE_LIST(X)                                                                    \
    X(SN_SURFACE_PLANE, "plane", "z = 0")                                                          \
    X(SN_SURFACE_SPHERE, "sphere", "of `radius` about the origin")                                 \
    X(SN_SURFACE_CYLINDER, "cylinder", "of `radius` about z, without end")                         \
    X(SN_SURFACE_CONE, "cone", "tip at the origin, opening upwards by `angle` from z")             \
    X(SN_SURFACE_TORUS, "torus", "a tube of `tube_radius` along the circle of `radius` about z")   \
    X(SN_SURFACE_ELLIPSOID, "ellipsoid", "with the half axes `size`")

#define X(name, word, text) name,
typedef enum sn_surface_type { SN_SURFACE_TYPE_LIST(X) SN_SURFACE_TYPE_COUNT } sn_surface_type;
#undef X

SN_API int sn_surface_type_find(const char *word); // -1 when there is none
SN_API const char *sn_surface_type_word(sn_surface_type type);

typedef struct sn_surface_def {
    sn_surface_type type;
    double radius, tube_radius, angle;
    sn_vec3 size;
} sn_surface_def;

typedef struct sn_joint_def {
    const char *name; // copied; NULL or "" gets a number; must be unique among joints
    sn_joint_type type;
    sn_body parent, child;     // a null parent is the world
    sn_transform parent_frame; // of the joint in the parent's frame (the world's for a null parent)
    sn_transform child_frame;  // of the joint in the child's frame
    double pitch;              // m/rad, screws
    double length;             // of a distance joint; negative (default): as at the start
    sn_curve_def curve;
    sn_surface_def surface;
    sn_freedom_def freedom[6]; // in the order of the type's meaning
    double start[6]; // rad, of freedoms that turn: the angle at the start, of which bodies show
                     // only the part of a turn. NAN (default): the least one within the limits
    double break_force, break_torque; // it lets go for ever beyond these; INFINITY (default): never
    bool breakable; // by sn_joint_break; one with a finite break force or torque is so anyway
    bool contact;   // shapes of its two bodies meet; else (default) they pass through each other
} sn_joint_def;

SN_API sn_joint_def sn_default_joint_def(void);

// Bodies that only trees of joints connect must stand as their joints allow; loops are closed from
// nearby, and what cannot close is refused with the gap that is left. What moves against a joint
// loses that part of its velocity.
SN_API sn_status sn_world_add_joint(sn_world *world, const sn_joint_def *def, sn_joint *joint,
                                    sn_error *error);
SN_API sn_status sn_world_remove_joint(sn_world *world, sn_joint joint, sn_error *error);
SN_API sn_status sn_world_assemble(sn_world *world, sn_error *error);

SN_API int sn_world_joint_count(const sn_world *world);
SN_API sn_joint sn_world_joint(const sn_world *world, int order);
SN_API sn_joint sn_world_find_joint(const sn_world *world, const char *name);
SN_API bool sn_joint_is_valid(const sn_world *world, sn_joint joint);
SN_API const char *sn_joint_name(const sn_world *world, sn_joint joint);
SN_API sn_joint_type sn_joint_get_type(const sn_world *world, sn_joint joint);
SN_API sn_body sn_joint_parent(const sn_world *world, sn_joint joint); // null: the world
SN_API sn_body sn_joint_child(const sn_world *world, sn_joint joint);

// The joint's frame on its parent and on its child, in the world.
SN_API sn_transform sn_joint_parent_transform(const sn_world *world, sn_joint joint);
SN_API sn_transform sn_joint_child_transform(const sn_world *world, sn_joint joint);

// ---- reading ----

// Degrees of freedom of all that moves, as the world is put together now: coordinates of all trees
// and free bodies and of vertices that are not fixed, less what loops, couplings and prescribed
// motions take.
SN_API int sn_world_freedom_count(const sn_world *world);

// Position and velocity of a freedom, 0 .. freedoms - 1, of an assembled joint: m or rad. Those of
// a ball are the components of its turn as a rotation vector, and of its angular velocity in the
// child's joint axes. NaN for what is not there.
SN_API double sn_joint_position(const sn_world *world, sn_joint joint, int freedom);
SN_API double sn_joint_velocity(const sn_world *world, sn_joint joint, int freedom);

// What acted in a freedom in the last step (its mean), or at its end under the precise policy: of
// the drive, of limits, of friction; of a ball the components of a moment in the child's joint
// axes, as its velocities are. A prescribed motion has all to overcome: inertia, weight, springs,
// damping, friction and soft limits. Where it stands, friction holds as much as it can. It takes no
// notice of hard limits. NaN before the first step and for what is not there.
SN_API double sn_joint_drive_force(const sn_world *world, sn_joint joint, int freedom);
SN_API double sn_joint_limit_force(const sn_world *world, sn_joint joint, int freedom);
SN_API double sn_joint_friction_force(const sn_world *world, sn_joint joint, int freedom);

// What the joint did to its child in the same sense, at the origin of the child's joint frame, in
// world axes; to its parent it did the opposite at the same place. Everything the joint passes on:
// what holds it together, and what acts in its freedoms.
typedef struct sn_joint_load {
    sn_vec3 force, torque; // N, N m
} sn_joint_load;

SN_API sn_joint_load sn_joint_reaction(const sn_world *world, sn_joint joint);
SN_API bool sn_joint_is_broken(const sn_world *world, sn_joint joint);

// How the world is put together now.
typedef struct sn_mechanism_info {
    int mechanisms;      // groups of bodies that joints connect
    int loops;           // joints that close one
    int coordinates;     // of all mechanisms' trees
    int rows, redundant; // of loops, couplings, rods, curves, surfaces and prescribed motions; how
                         // many of them repeat the others
} sn_mechanism_info;

SN_API sn_mechanism_info sn_world_mechanism_info(const sn_world *world);

// ---- steering, also while the world runs ----

// Adds a force in a freedom for the coming step (inside a callback field: for the evaluation under
// way).
SN_API void sn_joint_add_force(sn_world *world, sn_joint joint, int freedom, double force);

SN_API sn_drive_def sn_joint_drive(const sn_world *world, sn_joint joint, int freedom);
SN_API sn_status sn_joint_set_drive(sn_world *world, sn_joint joint, int freedom,
                                    const sn_drive_def *drive, sn_error *error);
// The target alone; a motion that gave it is let go.
SN_API sn_status sn_joint_set_target(sn_world *world, sn_joint joint, int freedom, double target,
                                     sn_error *error);

// Makes a motion known to a world, as every motion is that a drive of it has followed. The world's
// state names motions by their number in order of becoming known; so two worlds must know the same
// ones for a state of one to be loaded into the other while drives follow motions.
SN_API sn_status sn_world_add_motion(sn_world *world, sn_motion *motion, sn_error *error);

// Everything that acts in a freedom, anew: spring, damper, friction, limit and drive.
SN_API sn_freedom_def sn_joint_freedom(const sn_world *world, sn_joint joint, int freedom);
SN_API sn_status sn_joint_set_freedom(sn_world *world, sn_joint joint, int freedom,
                                      const sn_freedom_def *def, sn_error *error);

// Lets a breakable joint go; what hung on it moves on freely from the next step.
SN_API sn_status sn_joint_break(sn_world *world, sn_joint joint, sn_error *error);

// ---- couplings ----

// Ties freedoms of any joints of one mechanism: the sum of factor * position over its terms stays
// what it is at the start. Gears turning against each other with 20 and 40 teeth: factors 20, 40.
typedef struct sn_coupling {
    uint32_t index, generation;
} sn_coupling;

typedef struct sn_coupling_term {
    sn_joint joint;
    int freedom; // not of a ball
    double factor;
} sn_coupling_term;

typedef struct sn_coupling_def {
    const char *name; // copied; NULL or "" gets a number; must be unique among couplings
    const sn_coupling_term *terms;
    int term_count; // 1 and up
} sn_coupling_def;

SN_API sn_coupling_def sn_default_coupling_def(void);
SN_API sn_status sn_world_add_coupling(sn_world *world, const sn_coupling_def *def,
                                       sn_coupling *coupling, sn_error *error);
SN_API int sn_world_coupling_count(const sn_world *world);
SN_API sn_coupling sn_world_coupling(const sn_world *world, int order);
SN_API sn_coupling sn_world_find_coupling(const sn_world *world, const char *name);
SN_API const char *sn_coupling_name(const sn_world *world, sn_coupling coupling);

// A coupling is released when the first of its joints breaks: its other joints move on freely.
SN_API bool sn_coupling_is_released(const sn_world *world, sn_coupling coupling);

// The force it passed on in the last step, per factor. NaN before.
SN_API double sn_coupling_force(const sn_world *world, sn_coupling coupling);

#ifdef __cplusplus
}
#endif

#endif
