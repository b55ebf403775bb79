// What ties, limits, friction and drives of one articulation need beside its tree: the ties
// themselves, the order of their rows, and room to work in.
//
// Rows come in two kinds. Ties and prescribed motions always hold, at the places of the tree and
// not only at its velocities. Limits, friction and drives have a bounded force, and are there for
// the step only: see tie_step.h.
#ifndef SN_AGENT_TREE_TIE_WORK_H
#define SN_AGENT_TREE_TIE_WORK_H

#include "agent/tree/tie.h"
#include "agent/tree/tie_law.h"
#include "agent/tree/tie_mix.h"
#include "agent/tree/tie_rows.h"
#include "sinew/joint.h"

// Whose a row is: of a tie, a motion, a freedom with all that is bounded there, or of a ball: its
// limit, its friction.
enum { SN_ROW_TIE, SN_ROW_MOTION, SN_ROW_FREEDOM, SN_ROW_LIMIT, SN_ROW_CONE };

// Pieces of its law.
enum { SN_PIECE_FRICTION, SN_PIECE_DRIVE, SN_PIECE_LIMIT };

// Rows of a tie, or all those in the freedoms of a link.
typedef struct sn_tie_block {
    int tie;         // or -1
    int link;        // or -1
    int last, first; // of the roots it acts on, in the order in which they are near
} sn_tie_block;

// What bounds a row: its law, in movements from the middle of the step and forces times h^2; or the
// first of three rows, the norm of whose forces is at most `cone` (the others have -1).
typedef struct sn_tie_bound {
    sn_tie_law law;
    double cone;
} sn_tie_bound;

// What can change at once in a freedom; see tie_mode.h.
typedef struct sn_tie_switch {
    int kind; // SN_SWITCH_LOWER, ...
    int link, own;
} sn_tie_switch;

typedef struct sn_tie_modes {
    bool held;                         // rates keep to the modes, else they follow from the state
    bool smooth;                       // and are smooth across singular positions, not exact there
    uint8_t *limit, *friction, *drive; // v_count each
    uint8_t *hint;                     // v_count: lets go, forward or back; 0: does not
    uint8_t *struck, *still;           // v_count: thrown back by the last impact; not to be
    int *row;                          // 3 v_count: of the freedom, its cone, a ball's limit; -1
    double *force;                     // v_count: of what holds it, and of cones, when last found
    double *v_before;                  // v_count: before the last impact
    double *q_held;                    // q_count: when modes were found
    double slow;                       // rad/s: a ball that slips no faster comes to rest
    double height;                     // m, rad: what is thrown back no further comes to rest
    sn_tie_switch *switches;           // switch_count
    int switch_count;
    bool jumps; // forces or velocities do, ever
} sn_tie_modes;

typedef struct sn_tie_work {
    sn_tie *ties;
    int tie_count;
    sn_tie_term *terms;
    int term_count;
    sn_tie_block *order; // block_count
    int block_count;
    int held_rows;        // of ties and motions
    sn_tie_guide *guides; // tie_count: of the step under way
    sn_tie_place *places; // tie_count: where rows were made
    sn_tie_place *ahead;  // tie_count: where errors were asked for
    sn_tie_rows rows;
    SN_ARRAY(sn_tie_bound) bounds;  // of the rows
    SN_ARRAY(double) numbers;       // behind the next five
    double *x, *rest, *y, *z, *sum; // rows
    SN_ARRAY(uint8_t) out;          // of the rows, scratch
    SN_ARRAY(uint8_t) states;       // of the rows: see tie_box.h
    sn_tie_mix mix;
    SN_ARRAY(sn_tie_row) kept_rows;
    SN_ARRAY(double) kept_x;
    sn_tree_pose *pose;                                       // link count
    sn_spatial *push;                                         // link count
    sn_spatial *velocity;                                     // link count
    double *force, *moved, *past, *armature, *mean, *guessed; // v_count
    double *c, *before;                                       // q_count
    uint8_t *limit;           // v_count: 1: the upper limit is near, 2: the lower
    sn_spatial *load;         // link count: of the last step
    sn_freedom_def *freedoms; // the articulation's
    double *drive_load, *limit_load, *friction_load; // v_count
    double *tie_load;                                // 6 tie_count
    // Means over the parts of a step that went in parts, of the same loads.
    sn_spatial *part_load; // link count
    double *part_freedom;  // 3 v_count: drive, limit, friction of each
    double *part_tie;      // 6 tie_count
    bool in_parts;         // the last step did
    sn_tie_modes modes;
    bool smallest;   // the part under way cannot be divided further: what it gains is taken out
    double off;      // of the last step taken: by how much of what is allowed its energy was off
    bool damped;     // it was, in a part of the last step
    double miss;     // m or rad: by which ties are off at the end of the search under way, where
                     // that did not converge; else 0
    double residual; // the largest of those that were accepted, in a part of the last step
    bool open;       // the step under way goes without what is bounded
    bool ready;      // rows and their factor are those of the tree where sn_tie_follow left it
} sn_tie_work;

// Does anything here need rows, beyond springs, dampers and forces?
SN_API bool sn_tie_work_is_needed(const sn_tree *tree, const sn_freedom_def *freedoms,
                                  int tie_count);

// Shares curves; `freedoms` stays the articulation's. NULL when memory runs out.
SN_API sn_tie_work *sn_tie_work_make(const sn_tree *tree, const sn_tie *ties, int tie_count,
                                     const sn_tie_term *terms, int term_count,
                                     sn_freedom_def *freedoms);
SN_API void sn_tie_work_free(sn_tie_work *work);

// Counts and orders rows anew, for changed freedoms, and makes room for all of them, so that no
// step asks for memory. False when it runs out.
SN_API bool sn_tie_work_order(sn_tie_work *work, const sn_tree *tree);

// `target` of a drive that follows a motion backwards: a ball that is run from its child to its
// parent turns by the opposite rotation vector.
#define SN_TARGET_MIRRORED (-1.0)

// The drive's target at a time.
SN_API sn_motion_state sn_tie_target(const sn_drive_def *drive, double time);

// Position of a freedom of a link: m, rad; of balls a component of the rotation vector.
SN_API double sn_tie_position(const sn_tree *tree, int link, int own, const double *q);

// How far a freedom is before its position drive's target: of balls, of the turn that is left, in
// link axes.
SN_API double sn_tie_lack(const sn_freedom_def *freedoms, const sn_tree_link *link, int own,
                          const double *q, double time);

// k with d(rotation vector r)/dt = (1 + [r]x / 2 + k [r]x^2) w, w in the turned axes, and its
// derivative by r^2.
SN_API void sn_tie_turn_factor(double square, double *k, double *rate);

// A row in the freedoms of a link, in link axes for three.
SN_API void sn_tie_work_own(sn_tie_work *work, const sn_tree *tree, int tag, int link, int part,
                            sn_vec3 local);

// Makes the rows of ties and motions at the placed pose, that of q. With `bounded`, after the rows
// of each link, calls it for that link's own.
typedef void sn_tie_bounded(void *context, sn_tie_work *work, sn_tree *tree, int link);
SN_API bool sn_tie_work_rows(sn_tie_work *work, sn_tree *tree, const double *q,
                             sn_tie_bounded *bounded, void *context);

// The same rows, unscaled and without what they do to each other: for those who read them only.
SN_API bool sn_tie_work_list(sn_tie_work *work, sn_tree *tree, const double *q,
                             sn_tie_bounded *bounded, void *context);

// How far ties and motions are from holding at coordinates q and a time, row by row, measured as
// rows are (others: 0). Gives the largest error in m or rad, which is NaN when any is.
SN_API double sn_tie_work_errors(sn_tie_work *work, const sn_tree *tree, const double *q,
                                 double time, double *error);

// The same where rows were made, q.
SN_API double sn_tie_work_errors_here(const sn_tie_work *work, const sn_tree *tree, const double *q,
                                      double time, double *error);

// The rates that motions want of J v, less: measured as rows are.
SN_API void sn_tie_work_rates(const sn_tie_work *work, const sn_tree *tree, double time,
                              double *rate);

// y^T M y, and |M^-1 J^T x|^2 in the same measure.
SN_API double sn_tie_work_norm(sn_tie_work *work, const sn_tree *tree, const double *y);
SN_API double sn_tie_work_reach(sn_tie_work *work, const double *x);

// What rounding leaves of errors: m.
SN_API double sn_tie_work_tolerance(const sn_tie_work *work);

#endif
