// Rows that act on a tree, and what they do to each other: Y = J M^-1 J^T.
//
//     sn_tie_rows_clear(&rows);
//     int r = sn_tie_rows_add(&rows, tag, source, part);
//     sn_tie_rows_wrench(&rows, link, on_link);             // its ends
//     sn_tie_rows_own(&rows, other_link, own);
//     sn_tie_rows_finish(&rows, &tree);                     // Y, with the tree's factor
//     sn_tie_rows_factorise(&rows, NULL, 1e-9);
//     sn_tie_rows_solve(&rows, b, x);                       // Y x = b, the shortest x
//     sn_tie_rows_push(&rows, x, wrench, force);            // J^T x
//
// M^-1 = L^T D^-1 L in the tree's articulated inertias (Rodriguez, Kreutz-Delgado and Jain 1991): a
// row that pulls at a link is passed inwards from joint to joint, at each of which it leaves z =
// S^T f, and what rows r and s do to each other is the sum of z_r D^-1 z_s over the joints that
// both pass. So Y costs no solves with the tree; rows whose ways share no joint do not meet. They
// do exactly when they come from the same root, a link on the world: Y is stored and factored by
// its envelope, in the order in which rows are added. The caller adds them so that rows of
// neighbouring roots are near.
//
// Rows are measured in what they would do to free bodies, so that the diagonal of Y is the share of
// that which the tree has left, without units. Redundant rows and rows without leverage are not
// sorted out: Y + eps is factored, and x found by turns x += (Y + eps)^-1 (b - Y x), each of which
// leaves eps / (y + eps) of the error along an eigenvalue y (the proximal point method; Carpentier,
// Budhiraja and Mansard, RSS 2021). Directions with y far below eps are let go. That is a matter of
// taste, called a grip: firm as a rule, loose where a firm one finds nothing.
#ifndef SN_AGENT_TREE_TIE_ROWS_H
#define SN_AGENT_TREE_TIE_ROWS_H

#include "agent/tree/tree.h"
#include "base/array.h"

// Where a row acts on the tree: on a link, or in its joint.
typedef struct sn_tie_end {
    int link;
    bool own;
    sn_spatial push; // moment about the link's origin and force; own: `angular`, see tree_joint.h
} sn_tie_end;

// What a row leaves at a joint on its way.
typedef struct sn_tie_entry {
    int link;
    sn_vec3 z;
} sn_tie_entry;

typedef struct sn_tie_row {
    int tag, source, part; // the caller's
    int end, end_count;
    int entry, entry_count;
    int first;       // column of its envelope
    size_t offset;   // of column 0, were it stored
    double scale;    // x is the row's force / scale
    double softness; // its own, added to Y's diagonal: of springs
} sn_tie_row;

typedef struct sn_tie_head {
    int link;
    sn_vec3 own;
    sn_spatial wrench;
} sn_tie_head;

typedef struct sn_tie_rows {
    SN_ARRAY(sn_tie_row) rows;
    SN_ARRAY(sn_tie_end) ends;
    SN_ARRAY(sn_tie_entry) entries;
    SN_ARRAY(double) y, ldl;
    SN_ARRAY(double) scratch;    // 2 rows
    SN_ARRAY(sn_tie_head) heads; // of the row under way
    int *root;                   // link count: the link on the world it hangs from
    int *root_first;             // link count: first row from a root
    sn_vec3 *felt;               // link count: D^-1 z of the row under way
    int *stamp;                  // link count: which row that was
    double eps;
    int turns;   // of the proximal point method
    bool failed; // memory ran out since the last clear
} sn_tie_rows;

typedef enum sn_tie_grip {
    SN_GRIP_FIRM,
    // For stages of integrators, which want rates smooth across singular positions. What it lacks
    // in accelerations is across the ties, and taken out again with the velocities.
    SN_GRIP_EVEN,
    SN_GRIP_LOOSE,
} sn_tie_grip;

SN_API bool sn_tie_rows_allocate(sn_tie_rows *rows, const sn_tree *tree);
SN_API void sn_tie_rows_free(sn_tie_rows *rows);

// Room for so many rows, ends, joints on their ways in all, and numbers of Y.
SN_API bool sn_tie_rows_reserve(sn_tie_rows *rows, int count, int ends, int entries, int stored);

SN_API void sn_tie_rows_clear(sn_tie_rows *rows);
SN_API void sn_tie_rows_add(sn_tie_rows *rows, int tag, int source, int part);
SN_API void sn_tie_rows_wrench(sn_tie_rows *rows, int link, sn_spatial on_link);
SN_API void sn_tie_rows_own(sn_tie_rows *rows, int link, sn_vec3 own);

// Scales and Y, at the placed pose with the tree's factor. False when memory ran out.
SN_API bool sn_tie_rows_finish(sn_tie_rows *rows, const sn_tree *tree);

// The factor of Y + eps for the rows of which `out` (count, or NULL: none) is zero.
SN_API void sn_tie_rows_factorise(sn_tie_rows *rows, const uint8_t *out, sn_tie_grip grip);
SN_API void sn_tie_rows_factorise_with(sn_tie_rows *rows, const uint8_t *out, double eps);

// One solve with that factor, in place; and x for Y x = b by a few turns. Rows that are out get 0.
SN_API void sn_tie_rows_back(const sn_tie_rows *rows, double *x);
SN_API void sn_tie_rows_solve(sn_tie_rows *rows, const double *b, double *x);

// (Y + softness) x
SN_API void sn_tie_rows_apply(const sn_tie_rows *rows, const double *x, double *y);

// wrench (count) and force (v_count) += J^T x.
SN_API void sn_tie_rows_push(const sn_tie_rows *rows, const sn_tree *tree, const double *x,
                             sn_spatial *wrench, double *force);

// J v, for velocities of the links and v; measured as rows are.
SN_API void sn_tie_rows_rate(const sn_tie_rows *rows, const sn_tree *tree,
                             const sn_spatial *velocity, const double *v, double *rate);

#endif
