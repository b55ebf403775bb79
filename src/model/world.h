// The inside of a world, shared by the files of this folder. Everything a step needs is here or in
// the agent sets.
#ifndef SN_MODEL_WORLD_H
#define SN_MODEL_WORLD_H

#include "agent/agent.h"
#include "agent/elastic/elastic.h"
#include "agent/rigid/rigid.h"
#include "agent/tree/articulation.h"
#include "base/array.h"
#include "base/id_pool.h"
#include "base/name_table.h"
#include "base/stack.h"
#include "base/threads.h"
#include "field/load.h"
#include "field/spring.h"
#include "model/air_state.h"
#include "model/bond_state.h"
#include "model/field_spring_state.h"
#include "model/touch_state.h"
#include "sinew/behaviour.h"
#include "solve/contact_method.h"

enum { SN_AGENT_CHUNK = 256 }; // agents a thread takes at a time; mechanisms one by one

enum { SN_RECENT_FORMS = 16 };

enum { SN_SET_RIGID, SN_SET_ARTICULATION, SN_SET_ELASTIC, SN_SET_COUNT };

// What bodies have that are no agents of their own.
typedef struct sn_body_own {
    sn_transform frame;      // where a static body stands, or one that is welded to the ground
    sn_mass_properties mass; // of a body in a mechanism, which the tree knows only in sum
} sn_body_own;

typedef struct sn_ode sn_ode;         // stage/ode.h
typedef struct sn_form sn_form;       // form.h
typedef struct sn_display sn_display; // display.h

typedef struct sn_body_record {
    char *name;
    sn_body_type type;
    int shape_count;
    sn_agent_ref agent;
    int touch;              // first of its shapes that touch in world.touch; -1: it meets nothing
    sn_form *form;          // NULL: no shapes
    const sn_shape *shapes; // shape_count, of the form
    double volume;          // m^3
    sn_body_own *own;       // of static bodies and of those in a mechanism; else NULL
    sn_display *display;    // of elastic bodies; else NULL
} sn_body_record;

static inline bool sn_body_is_jointed(const sn_body_record *record)
{
    return record->type == SN_BODY_RIGID && record->own != NULL;
}

typedef enum sn_field_type {
    SN_FIELD_SPRING,
    SN_FIELD_PULL,
    SN_FIELD_DRAG,
    SN_FIELD_CALLBACK,
    SN_FIELD_WIND,
    SN_FIELD_LOAD,
} sn_field_type;

typedef struct sn_field_load {
    sn_body body; // elastic
    sn_vec3 force, moment;
    bool follows;
    sn_load *spread; // owned
} sn_field_load;

typedef struct sn_field_record {
    char *name;
    sn_field_type type;
    union {
        sn_spring_def spring;
        sn_pull_def pull;
        sn_drag_def drag;
        sn_callback_def callback;
        sn_wind *wind; // owned
        sn_field_load load;
    };
} sn_field_record;

// What the world asks of a field, one of each kind.
typedef struct sn_field_kind {
    const char *name;
    bool stretches; // between two points: `spring` is it
    bool pulls;     // one point towards a place: `pull` is it
    bool blows;     // `wind` is it
    bool damps;     // -df/dv of parts enters A
    bool wakes;     // what it acts on does not sleep
    bool couples;   // forces on a body may follow from any other: `callback` is it
    bool wide;      // acts on every body where it names none

    // The bodies that it names; {0}: none.
    void (*ends)(const sn_field_record *record, sn_body ends[2]);
    // Adds its forces on the agents of a group, where it acts on bodies that it names.
    void (*apply)(sn_world *world, const sn_field_record *record, int group);
    double (*energy)(const sn_world *world, const sn_field_record *record);
    // What it owns: given back, and made anew in a copy of the record; false when memory runs out.
    void (*release)(sn_field_record *record);
    bool (*own)(sn_field_record *record);
} sn_field_kind;

extern const sn_field_kind sn_field_kinds[]; // by sn_field_type, see field_kind.c

static inline const sn_field_kind *sn_field_kind_of(const sn_field_record *record)
{
    return &sn_field_kinds[record->type];
}

typedef struct sn_event_record {
    char *name;
    sn_event_def def;
    double value;  // of quantity - threshold, as the last step left it; NaN before
    double band;   // within this of the threshold it is on neither side
    int side;      // of the threshold it was last seen on: -1, +1; 0: it started on the threshold
    int step_side; // the same within the step under way
    int group;     // the staged group that locates it; -1: watched from step to step
} sn_event_record;

// What an event or a script reads of the last step, and what that was in a world that did not make
// the step itself; see reading.c.
typedef struct sn_reading_record {
    sn_probe probe;
    double value; // NaN: not known
} sn_reading_record;

// A joint, and where it is in its mechanism once assembled: its elementary joints follow each other
// in the tree, see joint_run.h.
typedef struct sn_joint_record {
    char *name;
    sn_joint_type type;
    sn_body parent, child;
    sn_transform parent_frame, child_frame;
    double pitch, length;
    sn_curve *curve; // NULL: not of that type
    sn_surface_def surface;
    sn_freedom_def *freedoms; // sn_joint_type_freedoms(type); motions are held
    double break_force, break_torque;
    bool breakable, broken;
    bool contact;       // its two bodies may meet
    bool was_assembled; // its limits were looked at when it was put in
    double kept[6];     // coordinates as it was taken apart: they count whole turns; NaN: none
    bool reversed;      // the child comes before the parent in the tree
    bool closes;        // a loop: it holds a share of its far body, which is welded to the rest
    int agent;          // in the articulations; -1: not assembled, or nothing in it moves
    int first_link;     // of its elementary joints in the tree; -1: none
    int tie;            // of the articulation, that it is or that closes its loop; -1: none
} sn_joint_record;

typedef struct sn_behaviour_record {
    char *name;
    sn_behaviour_def def;
    int first;  // of its numbers in behaviour_state: active, started, ticks, then its memory
    bool woken; // while its parent is being started: it has been, too
} sn_behaviour_record;

enum { SN_BEHAVIOUR_MEMORY_LIMIT = 1 << 20 }; // doubles
typedef struct sn_coupling_record {
    char *name;
    sn_coupling_term *terms;
    int term_count;
    double sum; // that stays; NaN: as it will be at assembly
    int agent, tie;
} sn_coupling_record;

// Agents whose integrators ask for forces several times a step, joined by the fields between them:
// they share one system of differential equations. Groups are made anew when the structure of the
// world changes.
typedef struct sn_group {
    sn_world *world;
    int index; // in the world's list
    sn_integrator integrator;
    double relative_tolerance, absolute_tolerance;
    SN_ARRAY(sn_agent_ref) agents;
    SN_ARRAY(uint32_t) fields;  // springs and drags that act inside it, by index
    SN_ARRAY(uint32_t) events;  // located by it, by index
    SN_ARRAY(uint32_t) bonds;   // of its elastic bodies, by index in the world's order
    SN_ARRAY(uint32_t) brittle; // of these, those that may break
    bool tells_bonds;           // an event looks at what bonds carry
    double strain;              // see sn_group_begin
    int size;                   // of its state: all q and v
    int switch_count;           // of all its agents, see agent.h
    bool jumps;                 // forces or velocities of an agent do
    double edge;                // the time of the next jump; stages that end there are before it
    sn_ode *ode;
    double *state; // size
    double *slope; // size: the rate of a state that is looked at
    bool fresh;    // the integrator must forget its history before the next step
} sn_group;

struct sn_world {
    sn_vec3 gravity;
    sn_policy policy;
    sn_integrator integrator;
    double relative_tolerance, absolute_tolerance;
    uint64_t seed;
    sn_contact_def contact; // method resolved
    double time,
        time_rest; // time_rest: what rounding has kept out of time, so that n steps of h end at n h
    double step_given; // s: the h of the last step
    double last_step;  // s: how long that was; shorter where an event ended it
    double pace;       // s: of the whole step that the last one was, or was a part of
    double pace_left;  // s: of it, where an event has cut the step short
    uint64_t steps;
    bool stopped, was_stopped; // by an event; before the step under way
    bool stepping;             // a step is under way: only forces may be added
    bool acting;               // behaviours act: the step is still to come, and they may steer it
    sn_stop_function *stop;    // asked during steps, or NULL
    void *stop_context;

    sn_id_pool body_ids, field_ids, event_ids, joint_ids, coupling_ids;
    SN_ARRAY(sn_joint_record) joints; // by id index; entry 0 unused
    SN_ARRAY(uint32_t) joint_order;
    sn_name_table joint_names;
    SN_ARRAY(sn_coupling_record) couplings; // by id index; entry 0 unused
    SN_ARRAY(uint32_t) coupling_order;
    sn_name_table coupling_names;
    SN_ARRAY(sn_motion *) motions; // that drives follow or have followed, held; states number them
    int breakable_joints;          // how many there are, broken ones too
    bool any_break_limit;          // reactions must be looked at after each step
    bool assembled;                // every joint is part of a mechanism
    SN_ARRAY(unsigned char) kept, kept_whole; // see sn_world_keep_state
    SN_ARRAY(sn_body_record) bodies;          // by id index; entry 0 unused
    SN_ARRAY(sn_field_record) fields;         // the same
    SN_ARRAY(sn_event_record) events;         // the same
    SN_ARRAY(uint32_t) body_order;            // indices in order of adding
    SN_ARRAY(uint32_t) field_order;
    SN_ARRAY(uint32_t) event_order;
    SN_ARRAY(sn_reading_record) readings;
    bool readings_kept; // their values are those to read: the state was loaded, no step since
    sn_name_table body_names, field_names, event_names;
    SN_ARRAY(sn_behaviour_record) behaviours; // in order of adding; a handle's index counts from 1
    SN_ARRAY(double) behaviour_state;         // all there is to save of them
    sn_name_table behaviour_names;
    uint32_t next_number; // for things without a name

    sn_form *recent_forms[SN_RECENT_FORMS]; // of bodies added last, or NULL
    int next_form;
    bool shapes_current; // every body's shapes are in `touch`
    sn_touch touch;

    sn_rigid_set rigid;
    sn_articulation_set articulations;
    sn_elastic_set elastics;
    sn_bond_set bonds;
    sn_field_springs field_springs;
    sn_agent_set *sets[SN_SET_COUNT]; // every agent set, so that loops need not know the types
    int set_count;
    sn_agent_traits
        traits[SN_SET_COUNT + 1]; // of the sets, from 1 on; 0 has none: see sn_world_traits

    // Staged groups, and for each agent of each set the group it is in (-1: it steps by begin,
    // free_step, advance).
    SN_ARRAY(sn_group) groups;
    SN_ARRAY(int) group_of[SN_SET_COUNT];
    SN_ARRAY(uint32_t) single_fields; // springs and drags on agents that are in no group
    SN_ARRAY(uint32_t) wide_drags;    // drags on every body
    sn_air air;
    bool groups_current;
    int event_group; // the one group that locates events, or -1
    bool has_callbacks;
    bool has_singles;  // agents that are in no group
    bool forces_clear; // nothing acts on single-stage agents

    // The evaluation of forces under way: sn_body_add_force goes to agents of this group. -2:
    // none under way.
    int evaluating_group;

    SN_ARRAY(sn_event_entry) event_log;
    int logged; // entries at the start of the step under way
    sn_step_report report;
    sn_stack stack;
    sn_threads *threads;
};

// What agents of a set are; set -1: of none, what does not move.
static inline const sn_agent_traits *sn_world_traits(const sn_world *world, int set)
{
    return &world->traits[set + 1];
}

static inline bool sn_world_has_deformable(const sn_world *world)
{
    bool any = false;
    for (int s = 0; s < world->set_count; ++s) {
        any = any || (world->sets[s]->type->traits.deformable && world->sets[s]->count > 0);
    }
    return any;
}

// Goes through all agents that are deformable, or have joints: start with SN_BEFORE_AGENTS.
#define SN_BEFORE_AGENTS ((sn_agent_ref){0, -1, 0})

static inline bool sn_world_next_deformable(const sn_world *world, sn_agent_ref *at)
{
    at->agent += 1;
    while (at->set < world->set_count && (!world->sets[at->set]->type->traits.deformable ||
                                          at->agent >= world->sets[at->set]->count)) {
        at->set += 1;
        at->agent = 0;
    }
    return at->set < world->set_count;
}

static inline bool sn_world_next_jointed(const sn_world *world, sn_agent_ref *at)
{
    at->agent += 1;
    while (at->set < world->set_count && (!world->sets[at->set]->type->traits.jointed ||
                                          at->agent >= world->sets[at->set]->count)) {
        at->set += 1;
        at->agent = 0;
    }
    return at->set < world->set_count;
}

// The bodies whose skins touch: soft_touch.h and spring_touch.h number them as agents of this set.
static inline sn_agent_set *sn_soft_agents(const sn_world *world)
{
    return world->sets[SN_SET_ELASTIC];
}

static inline sn_elastic_item *sn_soft_item(const sn_world *world, int agent)
{
    return sn_elastic_item_of(sn_soft_agents(world), agent);
}

static inline sn_contact_side sn_soft_side(int agent, int part)
{
    return (sn_contact_side){SN_SET_ELASTIC, agent, part};
}

// The mechanism that a joint is assembled into; agent -1: none yet.
static inline sn_agent_ref sn_joint_agent(const sn_joint_record *record)
{
    return (sn_agent_ref){SN_SET_ARTICULATION, record->agent, 0};
}

// Threads are there for the work inside single agents, of types that can share it, or no longer.
static inline void sn_world_share_threads(sn_world *world, bool shared)
{
    for (int s = 0; s < world->set_count; ++s) {
        bool own = shared && world->sets[s]->type->traits.threaded;
        world->sets[s]->threads = own ? world->threads : NULL;
    }
}

static inline const sn_contact_traits *sn_world_contact_traits(const sn_world *world)
{
    return &sn_contact_method_traits[world->contact.method];
}

// Shapes push each other by forces that integrators ask for.
static inline bool sn_world_presses(const sn_world *world)
{
    return sn_world_contact_traits(world)->presses;
}

// ---- body.c ----
sn_integrator sn_world_default_integrator(const sn_world *world);
// What a body of neither kind can have in its def.
sn_status sn_world_check_name(const sn_world *world, const char *wanted, const char *shown,
                              sn_error *error);
sn_status sn_world_check_motion(const char *shown, sn_transform frame, sn_vec3 velocity,
                                sn_vec3 angular_velocity, sn_error *error);
sn_status sn_world_check_integration(const char *shown, sn_integrator integrator,
                                     double relative_tolerance, double absolute_tolerance,
                                     sn_error *error);
// Gives a record a name and a place among the bodies, all but its order. On failure it is freed.
bool sn_world_enter_body(sn_world *world, sn_id id, const char *name, sn_body_record *record);
// The last that can fail is done: it is there.
sn_body sn_world_seat_body(sn_world *world, sn_id id, const sn_body_record *record);
// Takes a body's own agent away; the last agent moves into its place.
void sn_world_drop_rigid(sn_world *world, sn_body_record *record);
SN_API sn_body_record *sn_world_body_record(const sn_world *world,
                                            sn_body body); // NULL for a stale or null handle
// Its record, name and id go; nothing refers to it any longer.
void sn_world_drop_body(sn_world *world, sn_body body);
void sn_world_free_bodies(sn_world *world);
bool sn_world_copy_bodies(const sn_world *world, sn_world *copy);

// ---- elastic_body.c ----

// Elements of all elastic bodies that are inside out, and the first body that has one.
int sn_world_count_inverted(const sn_world *world, sn_body *first);
void sn_world_drop_elastic(sn_world *world, sn_body_record *record);
sn_mass_properties sn_world_elastic_mass(const sn_world *world, const sn_body_record *record);
// Where a point of a body is that was at `local` of its frame at rest.
void sn_world_body_point(const sn_world *world, const sn_body_record *record, sn_vec3 local,
                         sn_vec3 *position, sn_vec3 *velocity);

// ---- counter.c ----
// At the start of a step, and at its end, where marks of agents become numbers.
void sn_world_clear_counters(sn_world *world);
void sn_world_count_step(sn_world *world);
// Marks an agent; or all agents of an island, of which the one with most kinetic energy is named
// for the amount.
void sn_world_count_agent(sn_world *world, sn_agent_ref ref, sn_counter counter, double amount);
void sn_world_count_island(sn_world *world, const sn_island *island, sn_counter counter,
                           double amount);
// Names a body for a counter, unless another had more in this step.
void sn_world_note_worst(sn_world *world, sn_counter counter, uint32_t body, double amount);

// ---- agents.c ----
// Agents counted over all sets, and back; part 0.
int sn_world_agent_count(const sn_world *world);
sn_agent_ref sn_world_agent_at(const sn_world *world, int number);
sn_body sn_touch_body(const sn_world *world, uint32_t index);           // of a record
int sn_touch_agent_number(const sn_world *world, sn_contact_side side); // over all sets

// ---- name.c ----
// Takes one index out of a list in order.
void sn_world_drop_index(uint32_t *order, int *count, uint32_t index);
// "body 'bob', step 412"
void sn_world_place(const sn_world *world, uint32_t body, char *place, size_t size);
// A name that is not yet in `names` for a thing that was given none or "", else a copy; NULL when
// memory runs out.
char *sn_world_make_name(sn_world *world, const sn_name_table *names, const char *wanted,
                         const char *kind);

// ---- change.c ----
// After any change from outside: integrators with a history must start anew.
void sn_world_touch(sn_world *world);
// The same for a force that begins or ends: nothing else needs to know.
void sn_world_jump(sn_world *world);
// SN_ERROR_UNSUPPORTED while a step is under way: a callback may not change what is being stepped,
// nor a behaviour what it may not steer.
sn_status sn_world_check_still(const sn_world *world, sn_error *error);
// The same for what behaviours may do too.
sn_status sn_world_check_steering(const sn_world *world, sn_error *error);
// Is the step under way to end? Asked in the thread that steps.
bool sn_world_is_stopping(const sn_world *world);
// A force acts on an agent, or its state was set: it does not rest.
void sn_touch_rouse(sn_world *world, sn_agent_ref ref);

// ---- event_list.c ----
void sn_world_drop_event(sn_world *world, uint32_t index);
void sn_world_free_events(sn_world *world);
bool sn_world_copy_events(const sn_world *world, sn_world *copy);
void sn_world_remove_events_of(sn_world *world, sn_body body, sn_field field);
void sn_world_remove_events_of_joint(sn_world *world, sn_joint joint);
void sn_world_remove_events_of_bond(sn_world *world, uint32_t bond); // by its index

// ---- bond_list.c ----
// A bond holds two bodies together: they do not touch each other meanwhile.
bool sn_world_is_bonded(const sn_world *world, uint32_t body_a, uint32_t body_b);
// Does it hold at a time?
bool sn_bond_is_active(const sn_bond_record *record, double time);

#endif
