// The parts of the pile solver among themselves: see pile.h.
#ifndef SN_SOLVE_PILE_PART_H
#define SN_SOLVE_PILE_PART_H

#include "math/lanes.h"
#include "solve/pile.h"

enum {
    SN_PILE_LANES = 4,
    SN_PILE_COLOURS = 64,    // the one after them is for contacts that found no colour
    SN_PILE_BODY_CHUNK = 64, // of bodies, for threads
    SN_PILE_BLOCK_CHUNK = 4, // of blocks
    SN_PILE_LINK_CHUNK = 128,
};

typedef double sn_row __attribute__((vector_size(SN_PILE_LANES * sizeof(double)), may_alias));

// What says how bodies answer and where they touch is kept in single precision: large piles wait
// for memory, and impulses are found by turns, whose lengths need not be exact. It is rounded when
// a step begins, once, so that all who use it mean the same planes and points; how far things have
// moved, and impulses, are doubles.
typedef float sn_slim __attribute__((vector_size(SN_PILE_LANES * sizeof(float))));

// A body as sweeps see it, world axes, in rows that are loaded whole. One more after the last never
// moves.
typedef struct sn_pile_body {
    _Alignas(64) double v[4]; // velocity, and 1 / mass
    double w[4];              // angular velocity
    double centre[4];
    double turn[4];    // how far it has turned in this step
    double inertia[8]; // its inverse: xx xy xz yy, yz zz
    // The impulses with which the next sub-step starts, and their moment about `centre`.
    double start[4], start_moment[4];
} sn_pile_body;

// Four contacts of one colour, each a plane with up to four points: what all sweeps read. All is
// done in the plane's own axes t, s = n x t, n about a middle of the points, which is at share_a
// c_a
// + share_b c_b + arm with c_a and c_b the bodies' centres. There a point is two numbers.
typedef struct sn_pile_block {
    int a[SN_PILE_LANES], b[SN_PILE_LANES]; // bodies
    int contact[SN_PILE_LANES];             // where it came from; -1: an empty lane
    uint8_t count[SN_PILE_LANES];           // points of each lane
    int point_first;
    uint8_t point_count;            // the most points of any lane
    bool slides_on, rolls, bounces; // `extra` says how
    bool uneven;   // its answer changes as bodies move: found anew in each sub-step
    sn_wide3 n, t; // doubles, so that what sticks keeps its anchor to the last digits
    sn_slim arm[3];
    sn_slim share_a; // share_b is the rest to 1
    sn_slim friction;
    sn_slim push;     // m/s, the fastest that overlap is undone
    sn_slim plane[6]; // response of (u_t, u_s, w_n) to (p_t, p_s, m_n): symmetric, by rows
    sn_slim mixed[9]; // of (u_t, u_s, w_n) to (p_n, m_t, m_s), by rows
} sn_pile_block;

// What few contacts have.
typedef struct sn_pile_extra {
    sn_wide3 surface;                      // velocity
    sn_lanes restitution, bounce_speed;    // slower approach than that does not rebound
    sn_lanes rolling, spinning, turn_step; // turn_step: 1 / largest eigenvalue of angular response
    sn_wide3 turning, turning_total;
} sn_pile_extra;

// One point of each of them.
typedef struct sn_pile_point {
    sn_slim t, s;              // where it is
    sn_slim mass;              // 1 / W_nn
    sn_slim slide;             // 1 / largest eigenvalue of W_tt
    sn_slim answer[3];         // of (u_n, w_t, w_s) to its normal impulse
    sn_lanes gap;              // at the start, less (c_b - c_a) . n
    sn_lanes stuck_t, stuck_s; // the anchor, likewise
    sn_lanes press;            // impulses of the sub-step: normal,
    sn_lanes rub_t, rub_s;     // and tangential
} sn_pile_point;

typedef struct sn_pile_tally {
    sn_lanes press, rub_t, rub_s; // of all sub-steps
} sn_pile_tally;

// Bodies that are near each other, and the blocks of contacts among them or with what does not
// move. Clusters share no body, so that each is a piece of work for a thread, with bodies that stay
// in its cache; what is between them is swept after them, colour by colour.
typedef struct sn_pile_cluster {
    int block_first, block_count;
    int point_first, point_count;
    int link_first, link_count; // of all in its list
} sn_pile_cluster;

typedef struct sn_pile_colour {
    int block_first, block_count;
    bool serial; // blocks may share bodies
} sn_pile_colour;

// All a step works with. Arrays are on the step's stack.
typedef struct sn_pile_work {
    sn_rigid_set *set;
    const int *agents;
    int body_count;
    sn_contact *contacts;
    double *q, *v;                   // of the agents, one after the other
    sn_rigid_mass *mass;             // likewise
    sn_spatial *force;               // likewise
    sn_pile_body *bodies;            // body_count + 1
    sn_vec3 *start_velocity;         // 2 body_count: what forces that depend on it were asked for
    int cluster_size, cluster_count; // cluster_size: of bodies
    sn_pile_cluster *clusters;
    int block_count, point_count, colour_count;
    int own_blocks; // of clusters; those between them come after
    sn_pile_block *blocks;
    sn_pile_extra *extras; // block_count; NULL: none has any
    sn_pile_point *points;
    sn_pile_tally *tallies; // point_count
    sn_lanes
        *approaches;  // point_count: normal velocity at the start of the sub-step; NULL likewise
    sn_lanes *bounds; // point_count: of friction, held while relaxing; NULL: they follow
    sn_pile_colour colours[SN_PILE_COLOURS + 1];
    sn_vec3 gravity;
    double h, step;                         // of a sub-step, and of all
    double rate, mass_scale, impulse_scale; // softness of overlap, see pile_contact.c
    double anchor_rate;                     // 1/s, at which anchors pull back
    double elapsed;                         // since the start of the step
    double start_scale;                     // impulses to start with by those of the last step
    bool bounces;                           // some contact has restitution
    bool uneven;                            // some block is
    bool plain;                             // no block has an extra
    bool wedged;                            // some contact overlaps far
    bool tallies_up;                        // the sweep counts impulses
    bool first_tally;                       // and no other has before it
    bool starts_next;                       // and hands them on to the next sub-step
    double mass_unit; // kg: masses and impulses are measured by it, so that no answer leaves the
                      // range of single precision
    sn_threads *threads;
} sn_pile_work;

static inline sn_pile_extra *sn_pile_extra_of(const sn_pile_work *work, int block)
{
    return work->extras != NULL ? &work->extras[block] : NULL;
}

// A contact between two bodies, on its way to a lane of a block.
typedef struct sn_pile_link {
    int a, b; // bodies; body_count: none that moves
    int contact;
    int cluster;    // that has it in its list
    uint8_t count;  // of points; 0: nothing to do
    uint8_t colour; // found
    uint8_t region;
    bool within;                    // the cluster, with all that moves
    bool idle;                      // no impulse in the last step
    bool wedged;                    // overlaps far
    bool plain;                     // needs no `extra`
    bool unknown;                   // names an agent that is not listed
    uint8_t mass_level, load_level; // doublings of the sub-steps that masses and load ask for
} sn_pile_link;

// Links on their way into blocks. Arrays have one entry a link, but for `used`, which has
// body_count + 1.
typedef struct sn_pile_layout {
    sn_pile_work *work;
    sn_pile_link *links;
    int count, other_count; // other_count: of those between clusters
    int *list, *order, *spare;
    uint64_t *used; // colours of a body
} sn_pile_layout;

// Clusters (pile_cluster.c): how many bodies each has, and an order of agents in which those of
// each are near each other. It depends on where they are alone. places: scratch.
typedef struct sn_pile_place {
    double centre[3];
    int agent;
} sn_pile_place;

SN_API int sn_pile_cluster_size(int body_count);
SN_API void sn_pile_order_bodies(const sn_rigid_set *set, const int *agents, int count, int size,
                                 sn_pile_place *places, int *ordered);

// Colours (pile_colour.c): finds clusters and colours of links, and so how many blocks and points
// there are; then the blocks get their bodies, contacts and ranges of points.
SN_API void sn_pile_sort_links(sn_pile_layout *layout);
SN_API void sn_pile_fill_blocks(const sn_pile_layout *layout);

// Bodies (pile_body.c).
void sn_pile_load_bodies(sn_pile_work *work);
void sn_pile_kick_bodies(sn_pile_work *work); // drift, then forces
void sn_pile_drift_bodies(sn_pile_work *work);
void sn_pile_drift_run(const sn_pile_work *work, int first, int last); // those alone
void sn_pile_store_bodies(sn_pile_work *work);

// Contacts in and out (pile_contact.c). What comes in leaves the impulses of the last step with the
// bodies.
void sn_pile_load_contacts(sn_pile_work *work, double start_scale);
void sn_pile_load_blocks(const sn_pile_work *work, int first, int last); // those alone
void sn_pile_store_blocks(const sn_pile_work *work, int first, int last);

// So far that one sweep will not take away again what pushes it out; and it met long ago, and does
// not rebound.
bool sn_pile_overlaps_far(const sn_contact *contact);

// How contacts of uneven bodies answer where bodies are now; at the start of a sub-step, those that
// whirl start from nothing.
void sn_pile_refresh_contacts(sn_pile_work *work, bool start);

// Sweeps (pile_sweep.c).
typedef enum sn_pile_sweep {
    SN_PILE_LOAD,
    SN_PILE_STORE,
    SN_PILE_START,
    SN_PILE_APPROACH,
    SN_PILE_PRESS,
    SN_PILE_RELAX,
} sn_pile_sweep;

void sn_pile_run_sweep(sn_pile_work *work, sn_pile_sweep sweep);

// Pressing, drifting and relaxing, each cluster through all three while it is in the cache:
// contacts between clusters are pressed before and relaxed after that. `relaxing` is the work as it
// is after the drift. The last sub-step stores contacts as well.
void sn_pile_run_substep(sn_pile_work *pressing, sn_pile_work *relaxing, bool last);

#endif
