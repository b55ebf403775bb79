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
};

typedef double sn_row __attribute__((vector_size(SN_PILE_LANES * sizeof(double)), may_alias));

// A body as sweeps see it, world axes, in rows that are loaded whole. One more after the last never
// moves.
typedef struct sn_pile_body {
    _Alignas(64) double v[4]; // velocity, and 1 / mass
    double w[4];              // angular velocity
    double centre[4];
    double turn[4];    // how far it has turned in this step
    double inertia[8]; // its inverse: xx xy xz yy, yz zz
} sn_pile_body;

// Four contacts of one colour, each a plane with up to four points: what all sweeps read. All is
// done in the plane's own axes t, s = n x t, n about a middle of the points, which is at share_a
// c_a
// + share_b c_b + arm with c_a and c_b the bodies' centres. There a point is two numbers.
typedef struct sn_pile_block {
    int a[SN_PILE_LANES], b[SN_PILE_LANES]; // bodies
    int contact[SN_PILE_LANES];             // where it came from; -1: an empty lane
    uint8_t count[SN_PILE_LANES];           // points of each lane
    int point_first, point_count;           // the most points of any lane
    bool slides_on, rolls, bounces;         // `extra` says how
    bool uneven; // its answer changes as bodies move: found anew in each sub-step
    sn_wide3 n, t, arm;
    sn_lanes share_a, share_b; // sum 1
    sn_lanes friction;
    sn_lanes push;     // m/s, the fastest that overlap is undone
    sn_lanes plane[6]; // response of (u_t, u_s, w_n) to (p_t, p_s, m_n): symmetric, by rows
    sn_lanes mixed[9]; // of (u_t, u_s, w_n) to (p_n, m_t, m_s), by rows
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
    sn_lanes t, s;             // where it is
    sn_lanes mass;             // 1 / W_nn
    sn_lanes slide;            // 1 / largest eigenvalue of W_tt
    sn_lanes answer[3];        // of (u_n, w_t, w_s) to its normal impulse
    sn_lanes gap;              // at the start, less (c_b - c_a) . n
    sn_lanes stuck_t, stuck_s; // the anchor, likewise
    sn_lanes press;            // impulses of the sub-step: normal,
    sn_lanes rub_t, rub_s;     // and tangential
} sn_pile_point;

typedef struct sn_pile_tally {
    sn_lanes press, rub_t, rub_s; // of all sub-steps
    sn_lanes approach;            // normal velocity at the start of the sub-step
} sn_pile_tally;

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
    sn_pile_body *bodies;    // body_count + 1
    sn_vec3 *start_velocity; // 2 body_count: what forces that depend on it were asked for
    int block_count, point_count, colour_count;
    sn_pile_block *blocks;
    sn_pile_extra *extras; // block_count
    sn_pile_point *points;
    sn_pile_tally *tallies; // point_count
    sn_lanes *bounds;       // point_count: of friction, held while relaxing; NULL: they follow
    sn_pile_colour colours[SN_PILE_COLOURS + 1];
    sn_vec3 gravity;
    double h, step;                         // of a sub-step, and of all
    double rate, mass_scale, impulse_scale; // softness of overlap, see pile_contact.c
    double anchor_rate;                     // 1/s, at which anchors pull back
    double elapsed;                         // since the start of the step
    bool bounces;                           // some contact has restitution
    bool uneven;                            // some block is
    bool wedged;                            // some contact overlaps far
    bool tallies_up;                        // the sweep counts impulses
    sn_threads *threads;
} sn_pile_work;

// A contact between two bodies, on its way to a lane of a block.
typedef struct sn_pile_link {
    int a, b; // bodies; body_count: none that moves
    int contact;
    int count;  // of points
    bool idle;  // no impulse in the last step
    int colour; // found
} sn_pile_link;

// Colours (pile_colour.c): finds one for each link (used: body_count + 1, scratch), then lays links
// out in blocks (order: count, scratch), which get their bodies, contacts and ranges of points.
void sn_pile_colour_links(sn_pile_work *work, sn_pile_link *links, int count, uint64_t *used);
void sn_pile_place_links(sn_pile_work *work, const sn_pile_link *links, int count, int *order);

// Bodies (pile_body.c).
void sn_pile_load_bodies(sn_pile_work *work);
void sn_pile_kick_bodies(sn_pile_work *work); // drift, then forces
void sn_pile_drift_bodies(sn_pile_work *work);
void sn_pile_store_bodies(sn_pile_work *work);

// Contacts in and out (pile_contact.c).
void sn_pile_load_contacts(sn_pile_work *work, double start_scale);
void sn_pile_store_contacts(sn_pile_work *work);

// So far that one sweep will not take away again what pushes it out; and it met long ago, and does
// not rebound.
bool sn_pile_overlaps_far(const sn_contact *contact);

// How contacts of uneven bodies answer where bodies are now; at the start of a sub-step, those that
// whirl start from nothing.
void sn_pile_refresh_contacts(sn_pile_work *work, bool start);

// Sweeps (pile_sweep.c).
typedef enum sn_pile_sweep {
    SN_PILE_START,
    SN_PILE_APPROACH,
    SN_PILE_PRESS,
    SN_PILE_RELAX,
} sn_pile_sweep;

void sn_pile_run_sweep(sn_pile_work *work, sn_pile_sweep sweep);

#endif
