// Articulations: trees of rigid links on joints, as agents, with all that acts in their freedoms
// and all that ties them beyond their joints. The tree itself is in tree.h, its step in
// tree_step.h, ties in tie.h, their rows in tie_rows.h, their step in tie_step.h; this binds them
// to the agent interface. Its parts are the links that have mass.
//
//     q, v    those of the tree's joints, in the order of its links
//
// Each freedom has what sn_freedom_def says: a spring and a damper towards a rest position, dry
// friction, a limit and a drive. A ball's spring pulls back along the shortest turn.
#ifndef SN_AGENT_TREE_ARTICULATION_H
#define SN_AGENT_TREE_ARTICULATION_H

#include "agent/agent.h"
#include "agent/tree/tie.h"
#include "agent/tree/tree.h"
#include "agent/tree/tree_step.h"
#include "agent/tree/tree_swing.h"

typedef struct sn_tie_work sn_tie_work; // see tie_work.h

// What acts in a freedom, N or N m.
typedef struct sn_freedom_load {
    double drive, limit, friction;
} sn_freedom_load;

typedef struct sn_articulation_part {
    int link;           // of the tree; bodies welded together share one
    sn_transform frame; // the body's own frame, in link axes
    sn_vec3 centre;     // of the body's mass, in link axes from the link's origin
    double radius;      // of a ball about the centre of mass that holds the body
} sn_articulation_part;

typedef struct sn_articulation {
    sn_tree tree;
    sn_tree_step step;
    sn_articulation_part *parts;   // the agent's part_count
    sn_freedom_def *freedoms;      // tree.v_count
    sn_tie_work *ties;             // NULL: nothing but springs, dampers and forces
    sn_spatial *wrench;            // tree.count, scratch
    sn_spatial *velocity;          // tree.count: of the links, at the placed pose
    sn_tree_inertia *resistance;   // tree.count: h/2 D of the links
    double *force;                 // 4 * tree.v_count, scratch
    double *armature, *weight;     // tree.v_count: of springs and dampers
    sn_spatial *load;              // tree.count: of the joints on their links, in the last step
    sn_freedom_load *freedom_load; // tree.v_count
    double last_time;              // at the start of the last step, or of the last of its parts
    double last_step;              // its length
    double *pushed;                // tree.v_count: impulses of contact, but for
    sn_spatial *borne;             // tree.count: those on links, about their origins
    sn_spatial *struck;            // tree.count: impulses of the joints on them, at the step's end
    sn_tree_pose *way;             // tree.count, scratch: somewhere on the way through a step
    double *turns;                 // tree.count: how far links turned at most on that way, rad
    bool turns_known;              // `turns` belongs to the placed pose
    sn_tree_swings swings;         // that steps are too long for
    bool mass_scaled;              // in the last step, or in that under way
    bool wrenched;                 // `wrench` has anything
    bool sprung;                   // a freedom has a spring, a damper or a drive
    bool prescribed;               // a freedom follows a prescribed motion
    bool placed;   // the tree stands where q says, or at the middle of the step under way
    bool midway;   // the latter
    bool moving;   // `velocity` belongs to that pose and to v
    bool known;    // what the last step passed on
    bool reported; // it is known to who loaded the state: see world/reading.c
    bool summed;   // and `load` has it
    bool touched;  // there are `pushed` and `borne`
    bool ended;    // contact acts at the end of the step, not in it
    bool loose;    // it answers to impulses; false: its step cannot be made anyway
    bool bonded;   // bonds lead its one freedom far from where that would go by itself
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
    const sn_freedom_def *freedoms; // tree->v_count, or NULL: nothing acts in them
    const sn_tie *ties;             // copied
    int tie_count;
    const sn_tie_term *terms; // of the couplings, copied
    int term_count;
    const double *q, *v; // tree->q_count, tree->v_count
    sn_integrator integrator;
    double relative_tolerance, absolute_tolerance;
    uint32_t owner;
    double time;
} sn_articulation_def;

static inline sn_articulation *sn_articulation_of(const sn_agent_set *set, int agent)
{
    return ((const sn_articulation_set *)set)->items[agent]; // the agent set is its first member
}

SN_API void sn_articulation_set_init(sn_articulation_set *set);
SN_API void sn_articulation_set_free(sn_articulation_set *set);
SN_API bool sn_articulation_set_copy(const sn_articulation_set *set, sn_articulation_set *copy);

// The new agent's index, or -1 when memory runs out.
SN_API int sn_articulation_add(sn_articulation_set *set, const sn_articulation_def *def);

// What accelerates the freedoms at the present state under the set's forces and gravity, before
// anything holds them back: M dv/dt = push + reactions of ties. push: the tree's v_count.
SN_API void sn_articulation_push(const sn_agent_set *set, int agent, sn_vec3 gravity, double *push);

// The accelerations with everything that holds them back, ties, limits and friction (v_count).
// False when memory runs out.
SN_API bool sn_articulation_accelerations(const sn_agent_set *set, int agent, sn_vec3 gravity,
                                          double *a);

// How long whole steps are, before one begins: swings that are too fast for them are slowed (see
// tree_swing.h). A step that an event cuts short has the pace of the whole. Without a call none
// are.
SN_API void sn_articulation_set_pace(sn_articulation_set *set, sn_vec3 gravity, double h);

// The longest step, up to h, that resolves all its swings; and the link that the fastest one is of,
// or -1 where h does. And whether steps slow them: not where there are loops.
double sn_articulation_longest_step(sn_articulation_set *set, int agent, sn_vec3 gravity, double h,
                                    int *link);
bool sn_articulation_can_slow(const sn_articulation_set *set, int agent);

// What restore does, for states nearly there.
void sn_articulation_follow(sn_agent_set *set, int agent);

// The tree where q says, or at the middle of the step under way; and a part's centre of mass there.
// True: with the links' own inertia alone, where it was placed with more (see tree_swing.h).
void sn_articulation_place(const sn_agent_set *set, int agent);
void sn_articulation_place_true(const sn_agent_set *set, int agent);
sn_vec3 sn_articulation_centre(const sn_articulation *item, int part);

// ---- articulation_chart.c ----
extern const sn_agent_chart sn_articulation_chart;

// ---- articulation_balance.c ----
double sn_articulation_mass(const sn_agent_set *set, int agent);
bool sn_articulation_is_driven(const sn_agent_set *set, int agent);
bool sn_articulation_follows_motion(const sn_agent_set *set, int agent);
void sn_articulation_balance(const sn_agent_set *set, int agent, const sn_balance_def *def,
                             sn_energy_balance *sum);
double sn_articulation_pace(const sn_agent_set *set, int agent, double *size);
bool sn_articulation_can_rest(const sn_agent_set *set, int agent);

// ---- articulation_contact.c ----
extern const sn_agent_contact sn_articulation_contact;

// ---- articulation_way.c ----
// The way of its joints through the step that ends: where the frame of a part's body was at a share
// of it, and by how much the part turned at most (rad).
sn_transform sn_articulation_on_way(const sn_agent_set *set, int agent, int part, double share);
double sn_articulation_way_turn(const sn_agent_set *set, int agent, int part);

// The work along it of forces that are held over the step, on parts and in joints.
double sn_articulation_way_work(const sn_agent_set *set, int agent);

// Can it be taken back? Not what rests or was not moved by the step, or follows prescribed motions.
bool sn_articulation_may_turn_back(const sn_agent_set *set, int agent);

// Has the step moved it at all, or was it taken back to where it was?
bool sn_articulation_is_moved(const sn_agent_set *set, int agent);

// Takes it back to a share of its way, to where its ties hold, with no more energy than it has.
void sn_articulation_take_back(sn_agent_set *set, int agent, sn_vec3 gravity, double share);

// ---- articulation_switch.c ----
extern const sn_agent_switching sn_articulation_switching;

// What acts in a freedom from now on; its motion is shared. False when memory runs out, with
// nothing changed. sn_articulation_close comes next when a prescribed motion has come in.
SN_API bool sn_articulation_set_freedom(sn_articulation_set *set, int agent, int freedom,
                                        const sn_freedom_def *def);

// Sums up what acts in the freedoms: `sprung` and `prescribed`.
void sn_articulation_sum_freedoms(sn_articulation *item);

// ---- ties ----

// What is left open where ties cannot close: of the worst one.
typedef struct sn_articulation_gap {
    int tie;                // or -1
    int freedom;            // whose motion is not reached, or -1
    double linear, angular; // m, rad
} sn_articulation_gap;

// Moves q to the nearest place, as masses measure it, where all ties and prescribed motions hold at
// `time`, and takes from v what they forbid. False when it cannot, with the state as it was; `gap`
// (may be NULL) tells why; with neither tie nor freedom in it, memory ran out.
SN_API bool sn_articulation_close(sn_articulation_set *set, int agent, double time,
                                  sn_articulation_gap *gap);

// Rows of all ties and prescribed motions, and how many of them are independent now.
SN_API int sn_articulation_rows(const sn_articulation_set *set, int agent);
SN_API int sn_articulation_rank(sn_articulation_set *set, int agent, double time);

// The rows J (rows x v_count) at the present q, and how far each is from being held (m, rad).
SN_API void sn_articulation_jacobian(sn_articulation_set *set, int agent, double time, double *j,
                                     double *error);

// ---- what the last step passed on ----

// Loads of the last step (its mean). Under integrators of their own: of the present state under the
// set's forces, found anew at each call of sn_articulation_find_loads. Not known before, and not
// after somebody touched the state.
SN_API bool sn_articulation_knows_loads(const sn_articulation_set *set, int agent);
SN_API void sn_articulation_find_loads(sn_articulation_set *set, int agent, sn_vec3 gravity);

// What the joint of a link did to it: moment about the link's origin and force, world axes.
SN_API sn_spatial sn_articulation_load(sn_articulation_set *set, int agent, int link);
SN_API sn_freedom_load sn_articulation_freedom_load(sn_articulation_set *set, int agent,
                                                    int freedom);

// Takes up the loads of a part, the first or another, that is a share of the step's length.
void sn_articulation_add_part_loads(sn_articulation *item, double share, bool first);

// What a tie did. Welds: moment (3) about the origin of frame b and force (3) on b, world axes.
// Rods: the push along the line from a to b. Curves and surfaces: the force (3) on b, world axes.
// Couplings: the force per factor. The rest are zero.
SN_API void sn_articulation_tie_load(sn_articulation_set *set, int agent, int tie, double load[6]);

SN_API extern const sn_agent_type sn_articulation_type;

#endif
