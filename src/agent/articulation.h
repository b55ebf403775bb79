// Articulations: trees of rigid links on joints, as agents. The tree itself is in tree.h, its step
// in tree_step.h; this ties them to the agent interface. Its parts are the links that have mass.
//
//     q, v    those of the tree's joints, in the order of its links
//
// Each freedom may have a spring and a damper towards a rest position. A ball's spring pulls back
// along the shortest turn.
#ifndef SN_AGENT_ARTICULATION_H
#define SN_AGENT_ARTICULATION_H

#include "agent/agent.h"
#include "agent/tree.h"
#include "agent/tree_step.h"

typedef struct sn_articulation_part {
    int link;           // of the tree; bodies welded together share one
    sn_transform frame; // the body's own frame, in link axes
    sn_vec3 centre;     // of the body's mass, in link axes from the link's origin
    double radius;      // of a ball about the centre of mass that holds the body
} sn_articulation_part;

// A freedom's own force: -stiffness (q - rest) - damping v. Of a ball the first of its three
// counts.
typedef struct sn_freedom_force {
    double stiffness, damping, rest;
} sn_freedom_force;

typedef struct sn_articulation {
    sn_tree tree;
    sn_tree_step step;
    sn_articulation_part *parts; // the agent's part_count
    sn_freedom_force *own;       // tree.v_count
    sn_spatial *wrench;          // tree.count, scratch
    sn_spatial *velocity;        // tree.count: of the links, at the placed pose
    double *force;               // 2 * tree.v_count, scratch
    bool placed; // the tree stands where q says, or at the middle of the step under way
    bool moving; // `velocity` belongs to that pose and to v
} sn_articulation;

typedef struct sn_articulation_set {
    sn_agent_set agents;
    sn_articulation **items; // agents.count
    int capacity;
} sn_articulation_set;

typedef struct sn_articulation_def {
    const sn_tree *tree; // copied
    const sn_articulation_part *parts;
    int part_count;
    const sn_freedom_force *own; // tree->v_count, or NULL: none
    const double *q, *v;         // tree->q_count, tree->v_count
    sn_integrator integrator;
    double relative_tolerance, absolute_tolerance;
    uint32_t owner;
    double time;
} sn_articulation_def;

SN_API void sn_articulation_set_init(sn_articulation_set *set);
SN_API void sn_articulation_set_free(sn_articulation_set *set);
SN_API bool sn_articulation_set_copy(const sn_articulation_set *set, sn_articulation_set *copy);

// The new agent's index, or -1 when memory runs out.
SN_API int sn_articulation_add(sn_articulation_set *set, const sn_articulation_def *def);

// What accelerates the freedoms at the present state under the set's forces and gravity, before
// anything holds them back: M dv/dt = push + reactions of ties. push: the tree's v_count.
SN_API void sn_articulation_push(const sn_agent_set *set, int agent, sn_vec3 gravity, double *push);

SN_API extern const sn_agent_type sn_articulation_type;

#endif
