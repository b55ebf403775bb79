// How the joints of a world hang together: which of them carry bodies in a tree, from the ground or
// from a root outwards, and which close loops.
//
// The search goes out from the ground level by level, so that trees are shallow and a loop is
// closed as far from the ground as may be; bodies on fixed joints come at once, since they share a
// link. What no joint connects with the ground hangs on a root: the first body that is no joint's
// child, or the first there is.
#ifndef SN_MECHANISM_SPAN_H
#define SN_MECHANISM_SPAN_H

#include "model/world.h"

typedef enum sn_joint_role {
    SN_ROLE_NONE,  // broken
    SN_ROLE_TREE,  // carries a body
    SN_ROLE_CLOSE, // closes a loop: carries a share of a body
    SN_ROLE_TIE, // no coordinates of its own: rods, curves, surfaces, welds in a loop or breakable
} sn_joint_role;

typedef struct sn_span {
    uint8_t *role;        // by joint index: sn_joint_role
    bool *reversed;       // by joint index: its child is nearer to the ground, or to the root
    int *component;       // by body index: a number for each mechanism, from 0; -1: in none
    int *joint_component; // by joint index
    int components;
    uint32_t *carrier; // by body index: the joint that carries it; 0: none, it is a root or ground
    int *shares;       // by body index: into how many links its mass is divided
    uint32_t *order;   // bodies in the order they were reached, each after what carries it
    int reached;
} sn_span;

static inline bool sn_world_is_ground(const sn_world *world, uint32_t body)
{
    return body == 0 || world->bodies.data[body].type == SN_BODY_STATIC;
}

// False when memory runs out. Free it in both cases.
bool sn_span_make(const sn_world *world, sn_span *span);
void sn_span_free(sn_span *span);

// The body a joint carries, or holds a share of, and the one it hangs on.
static inline uint32_t sn_span_far(const sn_span *span, const sn_world *world, uint32_t joint)
{
    const sn_joint_record *record = &world->joints.data[joint];
    return span->reversed[joint] ? record->parent.index : record->child.index;
}

static inline uint32_t sn_span_near(const sn_span *span, const sn_world *world, uint32_t joint)
{
    const sn_joint_record *record = &world->joints.data[joint];
    return span->reversed[joint] ? record->child.index : record->parent.index;
}

#endif
