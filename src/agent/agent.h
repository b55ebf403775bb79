// The agent interface: the heart of the engine. An agent is the unit that moves. It owns
// generalised positions q and velocities v, memory (numbers it carries from step to step beside
// them), an integrator and a clock; nobody outside knows what its numbers mean. A solver, a field
// or a clock policy sees an agent only through the functions of `sn_agent_type`, so a new kind of
// body (a tree, an elastic body, a cloth, a cable) is one more table and no change elsewhere.
//
// Agents of one type live together in a set, their numbers packed in flat arrays, and the functions
// that run every step take a run of agents, first .. last - 1: ten thousand free bodies are a loop,
// not ten thousand calls.
//
// One step of an agent, with h its step:
//
//     begin       move to where forces are asked for (half a step ahead for the midpoint rule)
//                 - fields and behaviours now write what acts on the parts, and joint forces -
//     free_step   v becomes the velocity at the end of the step if nothing were in the way;
//                 A is built and factored
//                 - the solver now adds dv = A^-1 J^T lambda to v, through `contact` -
//     advance     q follows to the end of the step
//
// Integrators that ask for forces several times in a step (Runge-Kutta, Adams, BDF) use `rate`
// instead, and `restore` to come back onto the manifold (unit quaternions); begin, free_step and
// advance pass their agents over.
#ifndef SN_AGENT_AGENT_H
#define SN_AGENT_AGENT_H

#include <math.h>

#include "base/state_walk.h"
#include "base/threads.h"
#include "math/spatial.h"
#include "sinew/joint.h"

typedef struct sn_agent_type sn_agent_type;
typedef struct sn_agent_set sn_agent_set;

typedef enum sn_agent_failure {
    SN_FAILURE_NONE,
    SN_FAILURE_TOO_FAST, // the step is too long for how its joints move, or its material deforms
    SN_FAILURE_TIES,     // the same, or loops and prescribed motions contradict each other
    SN_FAILURE_MEMORY,
} sn_agent_failure;

// What every agent has, whatever its type.
typedef struct sn_agent {
    double time;      // its own clock, s
    double next_step; // what an adaptive integrator would try next, s; 0: nothing known
    double time_last, next_step_last; // the same at the start of the step under way
    double relative_tolerance, absolute_tolerance;
    int q_first, v_first, part_first; // its numbers in the set's arrays
    int q_count, v_count, part_count;
    uint32_t owner;     // index of the body (or first body) it moves
    uint8_t integrator; // sn_integrator, resolved
    uint8_t held;       // begin, free_step and advance pass it over: it rests, or others move it
    uint8_t failed;     // sn_agent_failure: why the last free step or advance could not be made
    uint8_t whole;      // its step under way ends at x0 + h v1, whatever its integrator
    uint32_t counted;   // bits by sn_counter: what the step under way, or the last, took
    int sub_steps;      // into which that was divided; 0: it was not
    float residual;     // of its own Newton iteration, where that did not converge
} sn_agent;

// The step under way does this to the agent: see sinew/counter.h.
static inline void sn_agent_count(sn_agent *agent, sn_counter counter)
{
    agent->counted |= 1u << counter;
}

static inline bool sn_agent_is_counted(const sn_agent *agent, sn_counter counter)
{
    return (agent->counted >> counter & 1u) != 0;
}

// One agent of one set of a world: sets[set], agent.
typedef struct sn_agent_ref {
    int set, agent; // agent -1: none, the body is static
    int part;       // of the agent
} sn_agent_ref;

// A rigid part of an agent as it is now: a lone body, or a link of a tree.
typedef struct sn_part {
    sn_transform frame; // the body's own frame in the world
    sn_vec3 centre;     // of mass, in the world
    sn_vec3 velocity;   // of the centre
    sn_vec3 angular_velocity;
} sn_part;

// What is kept of an agent's motion: sums over its material, in the world's axes.
typedef struct sn_measure {
    double kinetic, potential;          // J; potential of gravity, and of springs in the joints
    sn_vec3 momentum, angular_momentum; // the latter about the world's origin
    double added; // J: kinetic energy of inertia that links have in steps only (tree_swing.h),
                  // which is in the world's energy, but in no body's
} sn_measure;

// What an agent had when the step under way began, where q_last and v_last do not tell.
typedef struct sn_agent_start {
    double energy, kinetic;
    sn_vec3 momentum;
} sn_agent_start;

// Energies of agents over a step, added up by whoever guards them (world/island_energy.c).
typedef struct sn_energy_balance {
    double kinetic, potential; // now
    double mass;
    sn_vec3 momentum, momentum_before;
    double before; // both energies, at the start of the step
    double work;   // of forces, of springs and of surfaces' own motion
    double floor;  // kinetic energy that nobody asks about
    double fast;   // kinetic energy of agents that have more than their own share of that
    double lift;   // by which undoing overlap may raise it in a step
    double added;  // sizes of all that was added up
    bool driven;   // has sources of its own
    bool bonded;
    double slack;  // work of bonds, by as far as they are off or led
    double sprung; // what springs hold, and held: integrators are off by a share of that, too
} sn_energy_balance;

// What is counted there as slow: undoing overlap leaves a speed of `floor` thicknesses a step and a
// height of `lift` of them.
typedef struct sn_balance_def {
    sn_vec3 gravity;
    double h;
    double floor, lift;
    double thickness;            // m, of what it touches; 0: nothing
    const sn_agent_start *start; // of agents whose type needs one; else not looked at
} sn_balance_def;

// What undoing overlap leaves on a body follows what it overlaps with: metres of a sheet are moved
// apart from a bead by the bead's size at most. Without contact its radius counts.
static inline double sn_balance_thickness(const sn_balance_def *def, double radius)
{
    return def->thickness > 0.0 ? fmin(radius, def->thickness) : radius;
}

static inline void sn_balance_add_floor(double floor, double kinetic, sn_energy_balance *sum)
{
    sum->floor += floor;
    sum->fast += kinetic > floor ? kinetic : 0.0;
}

// The work of a force and a moment that are held while the part goes and turns so.
static inline double sn_spatial_work(const sn_spatial *f, sn_vec3 way, sn_vec3 turn)
{
    return sn_dot(f->linear, way) + sn_dot(f->angular, turn);
}

// Values within this of zero are on neither side of it.
#define SN_SWITCH_BAND 1e-13

// Agents whose forces jump, where freedoms strike limits, stick and slip: under integrators of
// their own they are smooth from switch to switch, see tie_mode.h. Each switch has a value that is
// above zero until it happens.
typedef struct sn_agent_switching {
    // Does anything ever jump; and the number of its switches.
    bool (*jumps)(const sn_agent_set *set, int agent);
    int (*count)(const sn_agent_set *set, int agent);

    // From now on, until `held` is false, the agent keeps to its modes.
    void (*hold)(sn_agent_set *set, int agent, bool held);

    // Values (count) at the present state with modes held, and where they begin. `asks_forces`:
    // the set's forces must be those of that state.
    bool (*asks_forces)(const sn_agent_set *set, int agent);
    void (*values)(sn_agent_set *set, int agent, sn_vec3 gravity, double *values);
    void (*sides)(const sn_agent_set *set, int agent, int *sides);

    // At the present state and time, `found` (count, or NULL) have happened: impacts. `jump`:
    // motions may have other velocities from now on.
    bool (*strike)(sn_agent_set *set, int agent, const int *found, bool jump);

    // Under the set's forces: modes. True when it made the impact anew, and forces must be too.
    bool (*settle)(sn_agent_set *set, int agent, sn_vec3 gravity);

    // Which of its velocities a switch is of; the first time after `time` at which forces or
    // motions jump; whether memory ran out in any of these or in `rate`.
    int (*velocity)(const sn_agent_set *set, int agent, int switch_index);
    double (*next_jump)(const sn_agent_set *set, int agent, double time);
    bool (*starved)(const sn_agent_set *set, int agent);

    // `restore` for a state nearly there, as stages of an integrator are.
    void (*follow)(sn_agent_set *set, int agent);
} sn_agent_switching;

// A row of an agent's own that is bounded: a limit, dry friction, a drive. Its impulse is found
// with those of contacts, so that both know of each other.
//
//     width 1              velocity = v[freedom]
//     width 3, cone > 0    three velocities from v[freedom] on; the norm of their impulses is at
//                          most `cone`: friction of balls
//     width 3, cone = 0    velocity = direction . v[freedom ...]: the limit of a ball
//
// velocity + softness impulse = target, unless the impulse is at a bound. Several rows may be of
// one freedom.
typedef struct sn_agent_row {
    int freedom;
    int width;
    sn_vec3 direction;   // unit
    double target;       // velocity wanted at the end of the step
    double softness;     // m/s per N s: of soft limits and of drives with gains
    double lower, upper; // of the impulse, N s or N m s
    double cone;
    double impulse; // found; the start on the way in
} sn_agent_row;

#define SN_DISPLACE_TURN 0.125 // rad, at most, in one displacement

// What an agent has made of impulses of a trial: they are good as they are, or as good as they can
// be made, and nothing has changed; it goes on from where they lead; or they lead nowhere, and it
// begins anew from where it was without them.
typedef enum sn_lean { SN_LEAN_DONE, SN_LEAN_ON, SN_LEAN_ANEW } sn_lean;

// What contact asks of an agent, in generalised coordinates. Twice a step: between free_step and
// advance, with A of the step and bodies at its middle; and, where something has struck, after
// advance, from `strike` on, with M of the present state and bodies at its end.
//
//     u = row . v,   row = J^T f of a unit impulse,   dv = A^-1 J^T p
//
// Ties (loops, prescribed motions) are in A^-1: what they forbid does not answer. Each time
// `velocity` comes first, then `rows`, and the rest.
//
// Agents of very many coordinates show contact a few of their own making: the velocities G v of the
// points that are touched. Then v stands for G v, and A^-1 for G A^-1 G^T.
typedef struct sn_agent_contact {
    // The coordinates that contact sees, for as long as the contacts of the step are the same.
    // NULL: v_count.
    int (*width)(const sn_agent_set *set, int agent);

    // Velocities (v_count) with nothing in the way but ties: after free_step, what v would be at
    // the end of the step; after strike, v.
    void (*velocity)(sn_agent_set *set, int agent, double *v);

    // J^T f (v_count) for an impulse on a part: moment about its centre of mass, and force.
    void (*project)(const sn_agent_set *set, int agent, int part, const sn_spatial *f, double *row);

    // x <- A^-1 x (v_count).
    void (*inverse)(const sn_agent_set *set, int agent, double *x);

    // A = L L^T, where nothing else is in it: z = L^T v (v_count), x <- L^-1 x and z <- L^-T z.
    // With rows L^-1 J^T and velocities z in place of J^T and v, A is the identity. False: there is
    // no such factor now, and `inverse` is asked. All may be NULL.
    bool (*normalise)(sn_agent_set *set, int agent, const double *v, double *z);
    void (*half_inverse)(const sn_agent_set *set, int agent, double *x);
    void (*denormalise)(const sn_agent_set *set, int agent, double *z);

    // `project` and `half_inverse` in one, for up to three impulses on one part: J^T f in `rows`
    // and L^-1 J^T f in x, v_count numbers each, one after another.
    void (*half_project)(const sn_agent_set *set, int agent, int part, const sn_spatial *f,
                         int count, double *rows, double *x);

    // Its own bounded rows, at most `capacity`; gives their number. NULL: it has none.
    int (*rows)(sn_agent_set *set, int agent, sn_agent_row *rows, int capacity);

    // Where impulses J^T p (v_count) of a trial would lead, forces may be other than A tells: makes
    // A and the free velocity anew there. NULL: answers are linear.
    sn_lean (*lean)(sn_agent_set *set, int agent, const double *impulse);

    // The solver's answer, J^T p summed over contacts (v_count): into the step under way, or, after
    // strike, into v. The agent finds the impulses of its own rows itself, given these. Once.
    void (*push)(sn_agent_set *set, int agent, const double *impulse);

    // After that, for each of the impulses behind it: on which part it acts, as for `project`.
    // Moves nothing; loads of joints ask for it. NULL: it has no loads.
    void (*bear)(sn_agent_set *set, int agent, int part, const sn_spatial *f);

    // After advance: the agent stands at the end of its step, and takes impulses there.
    void (*strike)(sn_agent_set *set, int agent);

    // q goes along v (v_count) for a time h, or for so much of it that nothing turns by more than
    // SN_DISPLACE_TURN, with the agent's own v as it is, but for what ties take from it at the new
    // place and for what would be more energy there. `strike` comes anew before anything else.
    void (*displace)(sn_agent_set *set, int agent, const double *v, double h);

    // After all that: v becomes a share of itself.
    void (*slow)(sn_agent_set *set, int agent, double share);

    // What `velocity` would have given at the start of the step, where `width` is not v_count; else
    // NULL: v_last is that.
    void (*start_velocity)(const sn_agent_set *set, int agent, double *v);

    // As `displace`, along A^-1 J^T p, where `width` is not v_count; NULL: `displace` does.
    void (*shove)(sn_agent_set *set, int agent, const double *impulse, double h);
    // The same was done to it by velocities that it has for the step alone. May be NULL.
    void (*parted)(sn_agent_set *set, int agent);
} sn_agent_contact;

// Coordinates as statics, modes and inverse dynamics see them (world/system.h): d is a step in
// tangent space, v_count numbers.
typedef struct sn_agent_chart {
    // A length to measure angles by.
    double (*size)(const sn_agent_set *set, int agent);
    // Which of its velocities are angles.
    void (*turns)(const sn_agent_set *set, int agent, bool *turns);
    // q moved along `scale` d; and d from one q to another.
    void (*move)(const sn_agent_set *set, int agent, const double *q, const double *d, double scale,
                 double *moved);
    void (*difference)(const sn_agent_set *set, int agent, const double *from, const double *to,
                       double *d);
    // M dv/dt but for reactions of ties, under the set's forces and gravity.
    void (*push)(const sn_agent_set *set, int agent, sn_vec3 gravity, double *push);
    // M, or with a size the metric of motions in which it is one radian, v_count x v_count.
    void (*mass_matrix)(const sn_agent_set *set, int agent, double *m);
    void (*motion_metric)(const sn_agent_set *set, int agent, double size, double *m);
} sn_agent_chart;

// What the agents of a type are, as data: nobody outside compares sets.
typedef struct sn_agent_traits {
    bool lone;       // one rigid part: a body by itself
    bool jointed;    // links on joints, with limits, drives and ties
    bool deformable; // vertices, a skin, and parts that are points of its own making
    bool threaded;   // one agent is work for several threads
} sn_agent_traits;

struct sn_agent_type {
    const char *name;
    sn_agent_traits traits;
    const sn_agent_chart *chart; // of types that are not deformable, whose statics are sparse
    int memory_count; // numbers that an agent carries from step to step beside q and v; see set
    const sn_agent_switching *switching; // NULL: forces never jump
    const sn_agent_contact *contact;     // NULL: nothing can touch it
    bool has_joints; // agents take generalised forces beside those on their parts

    void (*begin)(sn_agent_set *set, int first, int last, double h);
    void (*free_step)(sn_agent_set *set, int first, int last, sn_vec3 gravity, double h);
    void (*advance)(sn_agent_set *set, int first, int last, double h);

    void (*part)(const sn_agent_set *set, int agent, int part, sn_part *part_now);

    // The time derivatives of q and v under the set's forces and gravity, for integrators of their
    // own.
    void (*rate)(const sn_agent_set *set, int agent, sn_vec3 gravity, double *q_rate,
                 double *v_rate);

    // Brings q back onto its manifold after an integrator that knows nothing of it.
    void (*restore)(sn_agent_set *set, int agent);

    // q or v were written from outside: forget what was derived from them. May be NULL.
    void (*touch)(sn_agent_set *set, int agent);

    // A box that holds the agent now.
    sn_aabb (*bounds)(const sn_agent_set *set, int agent);

    void (*measure)(const sn_agent_set *set, int agent, sn_vec3 gravity, sn_measure *measure);

    // Adds its energies over the step that ends.
    void (*balance)(const sn_agent_set *set, int agent, const sn_balance_def *def,
                    sn_energy_balance *sum);

    double (*mass)(const sn_agent_set *set, int agent);

    // The speed of its fastest point, and its size; and whether nothing within it may begin to move
    // by itself.
    double (*pace)(const sn_agent_set *set, int agent, double *size);
    bool (*can_rest)(const sn_agent_set *set, int agent);

    // Where the material point is that was at `local` of a part's frame at rest, and how fast; a
    // force on it, given where it is now.
    void (*point)(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 *position,
                  sn_vec3 *velocity);
    void (*push_point)(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 position,
                       sn_vec3 force);
    // A spring and a damper there, whose force is among the others: the coming step takes what is
    // stiff of them implicitly.
    void (*hold_point)(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 position,
                       double stiffness, double damping);

    // Puts it elsewhere as a whole, with its velocities in the world's axes as they are, or gives
    // it others. NULL for those that hang on something.
    void (*set_frame)(sn_agent_set *set, int agent, sn_transform frame);
    void (*set_velocity)(sn_agent_set *set, int agent, sn_vec3 velocity, sn_vec3 angular_velocity);

    // Of the whole set.
    void (*release)(sn_agent_set *set);
    bool (*copy)(const sn_agent_set *set, sn_agent_set *copy); // false: no memory, nothing made
};

enum { SN_DAMPING_SIZE = 36 }; // 6 x 6 by rows, velocity first, then angular velocity

// All agents of one type in one world. The type may keep more beside it: it embeds this struct as
// its first member. An agent's numbers follow those of the agent before it.
struct sn_agent_set {
    const sn_agent_type *type;
    int count, q_count, v_count, part_count; // in all
    int capacity, q_capacity, v_capacity, part_capacity;
    sn_agent *agents; // count
    double *q, *v;    // q_count, v_count
    // What agents remember beside q and v, `type->memory_count` numbers each, zero at first.
    // Whatever a step reads of what steps before it left is here or in q and v: nothing else is
    // kept, undone, copied, saved and hashed.
    double *memory;
    double *q_last, *v_last; // at the start of the step under way: what a failed step goes back to
    double *memory_last;     // likewise
    sn_spatial *force; // part_count: of the evaluation under way, about the part's centre of mass
    sn_spatial *external;   // part_count: what a user added for the coming step
    double *joint_force;    // v_count: of the evaluation under way; NULL unless the type has joints
    double *joint_external; // v_count: what a user added for the coming step; NULL likewise
    double *damping;   // part_count * 36, -d(force)/d(velocity) of a part; NULL until a field damps
    uint8_t *damped;   // part_count: `damping` must enter the coming free step; NULL with it
    bool has_external; // any of `external` is not zero
    double now;        // time of the evaluation under way, for `rate` and what else depends on time
    sn_threads *threads; // for the work inside one agent of a threaded type; NULL: none
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

static inline double *sn_agent_memory(const sn_agent_set *set, int agent)
{
    return set->memory + (size_t)agent * (size_t)set->type->memory_count;
}

// q or v were written from outside.
static inline void sn_agent_touch(sn_agent_set *set, int agent)
{
    if (set->type->touch != NULL) {
        set->type->touch(set, agent);
    }
}

static inline int sn_agent_contact_width(const sn_agent_set *set, int agent)
{
    const sn_agent_contact *contact = set->type->contact;
    return contact->width != NULL ? contact->width(set, agent) : set->agents[agent].v_count;
}

static inline sn_spatial *sn_agent_force(const sn_agent_set *set, int agent)
{
    return set->force + set->agents[agent].part_first;
}

static inline bool sn_agent_is_damped(const sn_agent_set *set, int agent, int part)
{
    return set->damped != NULL && set->damped[set->agents[agent].part_first + part] != 0;
}

// The velocity of a point of a part, given by its place in the world.
static inline sn_vec3 sn_part_velocity_at(const sn_part *part, sn_vec3 point)
{
    return sn_velocity_at(part->velocity, part->angular_velocity, sn_vec3_sub(point, part->centre));
}

// The kinetic energy of an agent, that of inertia which it has in steps only included.
static inline double sn_agent_kinetic(const sn_agent_set *set, int agent)
{
    sn_measure measure;
    set->type->measure(set, agent, SN_VEC3_ZERO, &measure);
    return measure.kinetic + measure.added;
}

// `point`, `push_point` and `hold_point` of types whose parts are rigid.
SN_API void sn_agent_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 *position,
                           sn_vec3 *velocity);
void sn_agent_push_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 position,
                         sn_vec3 force);
void sn_agent_hold_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 position,
                         double stiffness, double damping);

// Half the diagonal of its bounds.
double sn_agent_half_diagonal(const sn_agent_set *set, int agent);

// Adds a force at a point of the world and a torque to what acts on a part whose centre is there.
static inline void sn_spatial_push(sn_spatial *wrench, sn_vec3 centre, sn_vec3 force,
                                   sn_vec3 world_point, sn_vec3 torque)
{
    sn_vec3 moment = sn_cross(sn_vec3_sub(world_point, centre), force);
    wrench->angular = sn_vec3_add(wrench->angular, sn_vec3_add(torque, moment));
    wrench->linear = sn_vec3_add(wrench->linear, force);
}

// 36 numbers, symmetric: what fields add to A as h/2 D for a part. Zero when it was not damped yet.
SN_API double *sn_agent_damping(sn_agent_set *set, int agent, int part);

// Storage common to all types: room for so many more agents, coordinates and parts. Growing leaves
// the set unchanged on failure, which is lack of memory or more than an int can number.
SN_API bool sn_agent_set_reserve(sn_agent_set *set, int agents, int q, int v, int parts);
SN_API bool sn_agent_set_reserve_damping(sn_agent_set *set);
SN_API bool sn_agent_set_copy(const sn_agent_set *set, sn_agent_set *copy);
SN_API void sn_agent_set_free(sn_agent_set *set);

// Adds an agent at the end, its numbers uninitialised and its forces zero; the room must be there.
SN_API int sn_agent_set_add(sn_agent_set *set, const sn_agent *agent);

// Removes an agent; the last one, which must be of the same size, takes its place.
SN_API void sn_agent_set_remove(sn_agent_set *set, int agent);

// Keeps the state for a failed step, and goes back to it.
SN_API void sn_agent_set_keep(sn_agent_set *set, int first, int last);
SN_API void sn_agent_set_go_back(sn_agent_set *set);

// The first agent whose numbers are not finite, or -1.
SN_API int sn_agent_set_find_diverged(const sn_agent_set *set, int first, int last);

// Clocks, positions, velocities and memory: all that an agent goes on from. Loading touches the
// agents.
SN_API void sn_agent_set_walk(sn_agent_set *set, sn_state_walk *walk);

#endif
