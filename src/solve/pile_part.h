// The parts of the pile solver among themselves: see pile.h.
#ifndef SN_SOLVE_PILE_PART_H
#define SN_SOLVE_PILE_PART_H

#include "solve/pile.h"

enum {
    SN_PILE_LANES = 4,
    SN_PILE_COLOURS = 64,     // the one after them is for contacts that found no colour
    SN_PILE_BODY_CHUNK = 128, // of bodies, for threads
    SN_PILE_BLOCK_CHUNK = 16, // of blocks
};

// Four doubles worked on together: element-wise, in the same order as one alone, so with the same
// bits.
typedef double sn_lanes __attribute__((vector_size(SN_PILE_LANES * sizeof(double))));
typedef int64_t sn_lane_mask __attribute__((vector_size(SN_PILE_LANES * sizeof(int64_t))));

typedef struct sn_wide3 {
    sn_lanes x, y, z;
} sn_wide3;

// A body as sweeps see it, world axes. One more after the last never moves.
typedef struct sn_pile_body {
    double v[3], w[3]; // velocity, angular velocity
    double inverse_mass, pad_mass;
    double centre[3], turn[3]; // where it is, and how far it has turned in this step
    double pad_turn[2];
    double inverse_inertia[6]; // xx xy xz yy yz zz
    double pad_inertia[2];
} sn_pile_body;

// Four contacts of one colour.
typedef struct sn_pile_block {
    int a[SN_PILE_LANES], b[SN_PILE_LANES]; // bodies
    int contact[SN_PILE_LANES];             // -1: an empty lane
    int point_first, point_count;           // the most points of any lane
    bool rolls, bounces;
    sn_wide3 normal, surface;
    sn_lanes share_a, share_b; // of the bodies' motion that contact points follow; sum 1
    sn_lanes friction;
    sn_lanes rate, mass_scale, impulse_scale, push; // softness of overlap, see pile_contact.c
    sn_lanes restitution, bounce_speed;             // slower approach than that does not rebound
    sn_lanes rolling, spinning, turn_step; // turn_step: 1 / largest eigenvalue of angular response
    sn_wide3 turning, turning_total;
} sn_pile_block;

// One point of each of them. With centres c_a and c_b the point is at share_a c_a + share_b c_b +
// arm.
typedef struct sn_pile_point {
    sn_wide3 arm;
    sn_wide3 apart;      // b's point less a's, less c_b - c_a, at the start; tangential: the anchor
    sn_lanes mass;       // 1 / W_nn
    sn_lanes slide_step; // 1 / largest eigenvalue of W_tt
    sn_wide3 cross;      // W_tn: tangential velocity that a normal impulse brings
    sn_lanes press;      // normal impulse of the sub-step
    sn_wide3 rub;        // tangential impulse of the sub-step
    sn_lanes press_total;
    sn_wide3 rub_total;
    sn_lanes approach; // normal velocity at the start of the sub-step
} sn_pile_point;

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
    sn_pile_point *points;
    sn_pile_colour colours[SN_PILE_COLOURS + 1];
    sn_vec3 gravity;
    double h;       // of a sub-step
    double elapsed; // since the start of the step
    bool bounces;   // some contact has restitution
    sn_threads *threads;
} sn_pile_work;

// Colours contacts (pile_colour.c): lanes of contact i become lanes[i] = block * SN_PILE_LANES +
// lane, or -1 for a contact without points. Fills in blocks' contacts, bodies and point ranges.
typedef struct sn_pile_link {
    int a, b; // bodies; body_count: none that moves
    int contact;
    int count;  // of points
    int colour; // found
} sn_pile_link;

void sn_pile_colour_links(sn_pile_work *work, sn_pile_link *links, int count, uint64_t *used);
void sn_pile_place_links(sn_pile_work *work, const sn_pile_link *links, int count, int *order);

// Bodies (pile_body.c).
void sn_pile_load_bodies(sn_pile_work *work);
void sn_pile_drift_bodies(sn_pile_work *work, bool kick);
void sn_pile_store_bodies(sn_pile_work *work);

// Contacts in and out (pile_contact.c).
void sn_pile_load_contacts(sn_pile_work *work, double start_scale);
void sn_pile_store_contacts(sn_pile_work *work);

// Sweeps (pile_sweep.c).
typedef enum sn_pile_sweep {
    SN_PILE_START,
    SN_PILE_APPROACH,
    SN_PILE_PRESS,
    SN_PILE_RELAX,
} sn_pile_sweep;

void sn_pile_run_sweep(sn_pile_work *work, sn_pile_sweep sweep);

#endif
