// Contacts as solvers see them: two parts, a plane between them, up to four points, and the laws
// that hold there. The world finds and keeps them from step to step (world/touch.h); the pile
// solver (pile.h) and the exact solver (exact.h) find their impulses.
//
// The law at a point, with u the velocity of b's point against a's, less the surfaces' own motion,
// and p the impulse on b:
//
//     0 <= p_n,  0 <= gap at the end of the step,  one of them 0      (no overlap)
//     |p_t| <= friction p_n, opposite to u_t where it is at the bound   (Coulomb's cone)
//     after an impact u_n = -restitution u_n before it                  (at the moment of the
//     impact)
//
// Rolling and spinning friction bound moments in the same way, by lengths times p_n.
//
// Geometry is found at the start of the step. Impulses act where bodies are in the middle of it,
// at one point for both, (on_a + on_b) / 2 carried along, so that momentum and angular momentum
// are kept to round-off.
#ifndef SN_SOLVE_CONTACT_H
#define SN_SOLVE_CONTACT_H

#include "agent/agent.h"
#include "collide/manifold.h"

// A part of an agent: sets[set]; set -1: something that never moves.
typedef struct sn_contact_side {
    int set, agent, part;
} sn_contact_side;

// What lives from step to step. Large piles wait for memory, so it stands in whole cache lines,
// with what only few contacts have at the end.
typedef struct sn_contact_point {
    sn_vec3 on_a, on_b; // world, at the start of the step
    double gap;         // the same, m
    sn_vec3 impulse; // on b, of the last step, world axes, N s; the solver's start and its answer
    sn_vec3 anchor;  // where it sticks: b's point less a's, tangential; 0 when it slides or is new
    uint32_t feature;
    uint8_t touched; // 1: it carried an impulse in the step; no bool, which memory read from a
                     // file might spoil
} sn_contact_point;

enum { SN_CONTACT_LINE = 64 }; // bytes, of caches

typedef struct sn_contact {
    _Alignas(SN_CONTACT_LINE) sn_contact_side a;
    sn_contact_side b;
    uint32_t patch; // see manifold.h
    int count;
    sn_vec3 normal; // from a to b
    double friction, restitution;
    double rolling_friction, spinning_friction; // m
    double size;              // of the smaller collider: what "small" is measured by
    sn_vec3 surface_velocity; // of b's surface against a's, tangential, world axes
    sn_contact_point points[SN_MANIFOLD_POINTS];
    double round_a, round_b; // radius of the surface at the points, m: of spheres, capsules, round
                             // edges, cylinders on their side; 0: flat or sharp; below 0: hollow,
                             // as the inner side of a ring
    sn_vec3 turning;         // angular impulse of rolling and spinning friction on b, N m s
    sn_vec3 ahead; // the normal at the end of the step, where the ground's is another there than
                   // on the way (world/foresee.c); else 0
} sn_contact;

_Static_assert(sizeof(sn_contact) == 10 * SN_CONTACT_LINE, "piles wait for memory");

// The course of a step at a point: set by sn_contact_begin, and by the exact solver for its second
// pass. Nothing of it outlives the step, and the pile solver has no use for it.
typedef struct sn_course_point {
    sn_vec3 approach; // u at the start of the step, normal and tangential
    sn_vec3 travel;   // m/s, of the point itself: where surfaces are round it is not material
    sn_vec3 bend;     // m/s^2: how far from straight the ways of both materials part; tangential
    double common;    // m/s, along the normal: the mean of both sides' velocities there
    sn_vec3 strike;   // impulse of impacts within the step, a part of `impulse`
    sn_vec3 later;    // the share of it that acts at the end of the step
    double effect;    // what it would do in the middle, later . W later
    double planned;   // energy that it gives there beside all others
    double gap_end;   // expected there, m
    double rebound;   // least normal velocity there, m/s: of the simultaneous impulse
    // Of what is on its way to touch, at the speed it has: when, in s from the start of the step
    // (below 0: it touches, or will not), u then, and arms from both centres to the point.
    double arrival;
    sn_vec3 impact, arm_a, arm_b;
} sn_course_point;

typedef struct sn_contact_course {
    sn_vec3 normal_rate;    // 1/s
    sn_vec3 arrival_normal; // when the first of the points touches
    sn_course_point points[SN_MANIFOLD_POINTS];
} sn_contact_course;

// Asks for what a step that follows will read of a contact: the pool is larger than caches. It is
// asked for into the second cache: the first keeps some twenty lines on their way at once, which is
// two contacts, and whoever asks for more has to wait.
static inline void sn_contact_prefetch(const sn_contact *contact)
{
    const char *bytes = (const char *)contact;
    for (size_t i = 0; i < sizeof *contact; i += SN_CONTACT_LINE) {
        __builtin_prefetch(bytes + i, 0, 2);
    }
}

// At the start of a step, with bodies and velocities as they are there: the course of it, as far as
// it is known then. sets: by the sides' `set`.
SN_API void sn_contact_begin(const sn_contact *contact, sn_agent_set *const *sets,
                             sn_contact_course *course);

// Marks the agents on both sides: see sinew/counter.h.
void sn_contact_count(const sn_contact *contact, sn_agent_set *const *sets, sn_counter counter);

// Takes the normal and the points along to where bodies are now, who have moved for a time t as
// they do. What is sharp turns with them however far that is.
SN_API void sn_contact_carry(sn_contact *contact, sn_agent_set *const *sets, double t);

#endif
