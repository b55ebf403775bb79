// The agent interface: the heart of the engine. An agent is the unit that moves. It owns
// generalised positions q and velocities v, an integrator and a clock; nobody outside knows what
// its numbers mean. A solver, a field or a clock policy sees an agent only through the functions of
// `sn_agent_type`, so a new kind of body (a tree, an elastic body, a cloth, a cable) is one more
// table and no change elsewhere.
//
// Agents of one type live together in a set, their numbers packed in flat arrays, and the functions
// that run every step take a run of agents, first .. last - 1: ten thousand free bodies are a loop,
// not ten thousand calls.
//
// One step of an agent, with h its step:
//
//     begin       move to where forces are asked for (half a step ahead for the midpoint rule)
//                 - fields and behaviours now write the generalised forces f -
//     free_step   v becomes the velocity at the end of the step if nothing were in the way;
//                 A is built and factored
//                 - the solver now adds dv = A^-1 J^T lambda to v, through apply_inverse
//                   and scatter -
//     advance     q follows to the end of the step
//
// Integrators that ask for forces several times in a step (Runge-Kutta, Adams, BDF) use `rate`
// instead, and `restore` to come back onto the manifold (unit quaternions); begin, free_step and
// advance pass their agents over.
#ifndef SN_AGENT_AGENT_H
#define SN_AGENT_AGENT_H

#include "sinew/world.h"

typedef struct sn_agent_type sn_agent_type;
typedef struct sn_agent_set sn_agent_set;

// What every agent has, whatever its type.
typedef struct sn_agent {
    double time;           // its own clock, s
    double next_step;      // what an adaptive integrator would try next, s; 0: nothing known
    double next_step_last; // the same at the start of the step under way
    double relative_tolerance, absolute_tolerance;
    int q_first, v_first; // its numbers in the set's arrays
    uint32_t owner;       // index of the body (or first body) it moves
    uint8_t integrator;   // sn_integrator, resolved
    uint8_t has_damping;  // the coming free step must include `damping`
} sn_agent;

// What is kept of an agent's motion: sums over its material, in the world's axes.
typedef struct sn_measure {
    double kinetic, potential;          // J; potential of gravity
    sn_vec3 momentum, angular_momentum; // the latter about the world's origin
} sn_measure;

struct sn_agent_type {
    const char *name;
    int q_count, v_count; // numbers per agent

    void (*begin)(sn_agent_set *set, int first, int last, double h);
    void (*free_step)(sn_agent_set *set, int first, int last, sn_vec3 gravity, double h);
    void (*advance)(sn_agent_set *set, int first, int last, double h);

    // dv = A^-1 f for the A of the last free step; both v_count long, and may be the same array.
    void (*apply_inverse)(const sn_agent_set *set, int agent, const double *f, double *dv);

    // Where the material point `local` of part `part` is, and how fast.
    void (*point)(const sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 *position,
                  sn_vec3 *velocity);

    // f += J^T (force, torque) for a force at that point and a torque on that part, both in world
    // axes; f is v_count long.
    void (*scatter)(const sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 force,
                    sn_vec3 torque, double *f);

    // f = the forces a user added, as the agent now stands: they keep their direction in the world
    // while the agent turns.
    void (*external)(const sn_agent_set *set, int agent, double *f);

    // The time derivatives of q and v under the set's forces f and gravity, for integrators of
    // their own.
    void (*rate)(const sn_agent_set *set, int agent, sn_vec3 gravity, double *q_rate,
                 double *v_rate);

    // Brings q back onto its manifold after an integrator that knows nothing of it.
    void (*restore)(sn_agent_set *set, int agent);

    // A box that holds the agent now.
    sn_aabb (*bounds)(const sn_agent_set *set, int agent);

    void (*measure)(const sn_agent_set *set, int agent, sn_vec3 gravity, sn_measure *measure);
};

// All agents of one type in one world. The type may keep more beside it: it embeds this struct as
// its first member.
struct sn_agent_set {
    const sn_agent_type *type;
    int count, capacity;
    sn_agent *agents;
    double *q, *v;           // count * q_count, count * v_count
    double *q_last, *v_last; // at the start of the step under way: what a failed step goes back to
    double *f;               // generalised forces of the evaluation under way
    double *external;  // what a user added for the coming step, v_count each; read through the
                       // type's `external`
    double *damping;   // count * v_count^2, -df/dv; NULL until a field has damping; read where
                       // has_damping is set
    bool has_external; // any of `external` is not zero
};

// True for integrators that ask for forces several times in a step and move q and v together,
// through `rate`.
static inline bool sn_integrator_is_staged(int integrator)
{
    return integrator >= SN_INTEGRATOR_RK4;
}

static inline double *sn_agent_q(const sn_agent_set *set, int agent)
{
    return set->q + set->agents[agent].q_first;
}

static inline double *sn_agent_v(const sn_agent_set *set, int agent)
{
    return set->v + set->agents[agent].v_first;
}

static inline double *sn_agent_f(const sn_agent_set *set, int agent)
{
    return set->f + set->agents[agent].v_first;
}

// v_count * v_count, symmetric: what fields add to A as h/2 D. Zero when has_damping was not yet
// set.
SN_API double *sn_agent_damping(sn_agent_set *set, int agent);

// Storage common to all types. Growing leaves the set unchanged on failure, which is lack of memory
// or more agents than an int can number the coordinates of.
SN_API bool sn_agent_set_reserve(sn_agent_set *set, int capacity);
SN_API bool sn_agent_set_reserve_damping(sn_agent_set *set);
SN_API bool sn_agent_set_copy(const sn_agent_set *set, sn_agent_set *copy);
SN_API void sn_agent_set_free(sn_agent_set *set);

// Overwrites agent `to` with agent `from`; the caller then drops `from`.
SN_API void sn_agent_set_move(sn_agent_set *set, int from, int to);

// Keeps the state for a failed step, and goes back to it; the clocks are the caller's.
SN_API void sn_agent_set_keep(sn_agent_set *set, int first, int last);
SN_API void sn_agent_set_go_back(sn_agent_set *set);

// The first agent whose numbers are not finite, or -1.
SN_API int sn_agent_set_find_diverged(const sn_agent_set *set, int first, int last);

// Clocks, positions and velocities as bytes.
SN_API size_t sn_agent_set_state_size(const sn_agent_set *set);
SN_API unsigned char *sn_agent_set_save(const sn_agent_set *set, unsigned char *bytes);
SN_API const unsigned char *sn_agent_set_load(sn_agent_set *set, const unsigned char *bytes);

#endif
