// What a world keeps of contact springs; what is done with it: touch/spring_touch.h.
#ifndef SN_MODEL_SPRING_TOUCH_STATE_H
#define SN_MODEL_SPRING_TOUCH_STATE_H

#include "base/state_walk.h"
#include "collide/meeting.h"
#include "collide/skin_shape.h"
#include "sinew/world.h"
#include "solve/contact_spring.h"

#define SN_SPRING_DEPTH 0.25

typedef struct sn_touch_spring {
    sn_pair_kind kind;
    int a, b; // vertex of the skin and agent it is in, or edges, a < b
    int side; // of a vertex: a face of the skin; of two edges: the sign of contact_spring.h
} sn_touch_spring;

typedef SN_ARRAY(sn_touch_spring) sn_touch_springs;

// What an elastic body's springs are measured by.
typedef struct sn_spring_body {
    double stiffness; // N/m, unless the world has one
    double edge;      // m, the mean one outside at rest
    double creep;     // m/s
} sn_spring_body;

// How far a vertex is from a shape.
typedef struct sn_spring_gap {
    int shape, vertex; // of the touch's shapes, of the skin
    double gap;
    sn_vec3 normal; // of the shape, in its own frame
} sn_spring_gap;

typedef SN_ARRAY(sn_spring_gap) sn_spring_gap_list;

// Where a shape is, and whether any of the skin is near.
typedef struct sn_spring_frame {
    sn_transform frame;
    bool near;
} sn_spring_frame;

typedef SN_ARRAY(sn_spring_frame) sn_spring_frame_list;

typedef struct sn_spring_touch {
    sn_meetings *meetings;            // of all elastic bodies; NULL: none yet
    SN_ARRAY(sn_tetrahedra *) meshes; // that they were made of, held
    SN_ARRAY(int) first;              // vertices of all bodies stand in one row: where each begins
    SN_ARRAY(int) agents;             // of the skin's vertices
    SN_ARRAY(sn_spring_body) bodies;  // by agents
    SN_ARRAY(sn_vec3) normals;        // of the skin's faces, at rest
    SN_ARRAY(double) now;             // positions, then velocities, of the row
    SN_ARRAY(double) ends;            // the same twice: at both ends of a step of the integrator
    sn_touch_springs springs;         // in order
    sn_touch_springs next;            // from the event found last on
    SN_ARRAY(double) depths;          // of the springs, at both ends
    sn_meeting_list met;
    sn_skin_shape_contacts near;
    sn_spring_gap_list gaps[2];     // at both ends
    sn_spring_frame_list places[2]; // of the touch's shapes, at both ends
    bool starved;                   // memory ran out where nobody could be told
    sn_error fault;                 // something was pushed through another
} sn_spring_touch;

#endif
