// All that moves in a world with elastic bodies as one system, for its statics and vibrations:
//
//     K d - B^T lambda = f,    B d = -gap
//
// d has the freedoms of rigid bodies and mechanisms first (world/system.h: n of them, dense), then
// SN_SOLID_STRIDE numbers a vertex of all elastic bodies. B has the rows of ties and pressed limits
// (of the former alone), then those of bonds. K is the change of all forces with the multipliers
// held: of materials, of springs and of what bonds curve in closed form; of rigid bodies, with what
// bonds do to them as they turn, by differences. Loads and winds on elastic bodies count as they
// are, without their change.
//
// Vertices that are fixed, whose coordinates a bond holds, or that are attached to what does not
// move have no freedom. The rest is solved by one sparse factor of all vertices, bordered by the
// dense freedoms and rows. K alone need not be positive definite where bonds hold what would
// otherwise topple, so the factor is that of
//
//     G = K + brake + B^T W B
//
// (the augmented Lagrangian, M. R. Hestenes 1969), which has the same solutions and is positive
// definite, for W large enough, just where K + brake is so on what rows leave free. W makes each
// row about as stiff as the material next to it. With G_xx of the vertices, R = (G_rx; B_x) and
// w = R G_xx^-1 R^T, what is left is dense:
//
//     H = G_rr - w_rr,  Q = B_r - w_br,  H r - Q^T lambda = ..,  Q r + w_bb lambda = ..
//
// H and Q H^-1 Q^T + w_bb are positive (semi-)definite; rows that say the same twice are left out
// by pivoting.
#ifndef SN_STATICS_REST_H
#define SN_STATICS_REST_H

#include "base/arena.h"
#include "elastic/sparse.h"
#include "statics/system.h"

typedef struct sn_rest_body {
    sn_elastic_item *item;
    int first; // vertex
    sn_sparse *sparse;
    int *place;  // sparse->block_count: where its blocks are
    double unit; // 1/s^2: how stiff by how heavy over its own size
    bool loose;  // none of its vertices is fixed
} sn_rest_body;

// A row of a bond.
typedef struct sn_rest_tie {
    uint32_t bond;
    int row;
} sn_rest_tie;

typedef struct sn_rest {
    sn_world *world;
    sn_system system;
    sn_agent_set *soft; // the deformable bodies, numbered as its agents
    sn_arena arena;
    int n, nodes; // of the rigid freedoms; vertices
    size_t size;  // n + SN_SOLID_STRIDE * nodes
    int body_count;
    sn_rest_body *bodies; // body_count
    uint8_t *fixed;       // nodes: bits 1, 2, 4
    double reach;         // m: of the largest body, elastic or not
    double mass;          // kg, in all

    // The rows: those of `system` first.
    SN_ARRAY(sn_rest_tie) ties;
    int most_rows, rows;
    SN_ARRAY(int) row_starts, row_nodes; // of vertices: n rows of the border, then `rows`
    SN_ARRAY(double) row_numbers;
    double *scaled;  // most_rows x n: W^1/2 times `turned`, of the factor
    double *turned;  // most_rows x n: rows of the rigid freedoms
    double *gap;     // most_rows
    double *weight;  // most_rows: W^1/2
    double *lambda;  // most_rows
    int *tie_starts; // ties.count + 1: of tie_nodes
    SN_ARRAY(int) tie_nodes;
    SN_ARRAY(double) tie_numbers; // three each

    // The matrix of vertices, by blocks of the lower triangle.
    int *starts, *columns;
    int block_count;
    double *base;   // 9 * block_count: K
    double *values; // G
    sn_factor *factor;
    // The border, for vertices that rigid freedoms act on by bonds and springs.
    int *slot; // nodes: -1, or number of the border's block
    int *slot_nodes;
    int slot_count;
    double *sprung; // slot_count x n x 3: what springs couple, K
    double *border; // slot_count x n x 3: G
    // Dense.
    double *k; // n x n
    double asymmetry;
    double brake;                   // J: by what rigid freedoms are slowed
    double soft_share, rigid_share; // of the brakes in the last factor
    double *w;                      // (n + most_rows)^2
    double *h;                      // n x n, as L L^T
    double *q, *hq;                 // rows x n: Q and Q H^-1
    double *y;                      // rows x rows
    int *order;                     // most_rows
    int rank;
    double *scratch; // 2 (n + most_rows)

    double *outer, *force; // size: from outside, and all
    double *work;          // size
} sn_rest;

typedef enum sn_rest_slowing {
    SN_REST_BRAKED, // by shares of what is stiff
    SN_REST_SHIFTED // by shares of M
} sn_rest_slowing;

// Puts the world together. It is `stepping` until sn_rest_close.
SN_API sn_status sn_rest_open(sn_world *world, sn_rest *rest, sn_error *error);
SN_API void sn_rest_close(sn_rest *rest);

// Positions of all that moves: system.q_count, then SN_SOLID_STRIDE a vertex.
SN_API size_t sn_rest_pose_size(const sn_rest *rest);
SN_API void sn_rest_read(const sn_rest *rest, double *pose);
SN_API void sn_rest_write(sn_rest *rest, const double *pose);
// Velocities: size.
void sn_rest_read_rates(const sn_rest *rest, double *v);
void sn_rest_write_rates(sn_rest *rest, const double *v);
void sn_rest_stop(sn_rest *rest);
// pose moved by part of d; loose bodies turn as the mean of their vertices does.
SN_API void sn_rest_move(sn_rest *rest, const double *pose, const double *d, double part,
                         double *moved);

// Forces and rows at the present pose.
SN_API sn_status sn_rest_look(sn_rest *rest, sn_error *error);
// Rows alone.
sn_status sn_rest_read_rows(sn_rest *rest, sn_error *error);
// What acts from outside: on vertices with the bodies' weights, and on rigid freedoms all of it.
void sn_rest_find_outer(sn_rest *rest, double *outer);

// K at the present pose, with the present lambda; `order` of differences as sn_system_stiffness.
SN_API sn_status sn_rest_linearise(sn_rest *rest, sn_stiffness kind, int order, sn_error *error);
// y = K d
SN_API void sn_rest_product(const sn_rest *rest, const double *d, double *y);
// y = M d, after a factor that is shifted
SN_API void sn_rest_mass(const sn_rest *rest, const double *d, double *y);

// SN_ERROR_INTEGRATOR: not positive definite. `error` may be NULL.
SN_API sn_status sn_rest_factor(sn_rest *rest, sn_rest_slowing slowing, double share,
                                sn_error *error);
// d and lambda (rows, may be NULL) of f = b and B d = c (NULL: 0). b is not d.
SN_API void sn_rest_solve(sn_rest *rest, const double *b, const double *c, double *d,
                          double *lambda);
// d . brake d, of the last factor that was braked.
double sn_rest_slowed(const sn_rest *rest, const double *d);

// The pressed limit that would have to pull worst, by more than `least` (N m, or N times its
// reach); -1: none.
int sn_rest_pulling_limit(const sn_rest *rest, double least);

// y += B^T lambda
SN_API void sn_rest_add_rows(const sn_rest *rest, const double *lambda, double *y);
// Coordinates of y that have no freedom become 0.
SN_API void sn_rest_clear_fixed(const sn_rest *rest, double *y);
int sn_rest_freedoms(const sn_rest *rest); // that fixed coordinates and rows leave

// ---- rest_rows.c, for the others ----
// An end of a spring: vertices with weights, a rigid part, or neither.
typedef struct sn_rest_end {
    int count;
    int nodes[10];
    double weights[10];
    sn_agent_ref ref; // agent -1: no rigid part
    sn_vec3 point;    // in the world
} sn_rest_end;

sn_status sn_rest_find_end(const sn_rest *rest, sn_body body, sn_vec3 local, sn_rest_end *end,
                           sn_error *error);
// Row of a bond: terms of vertices are numbered over all bodies, end 1 with vertex -1 is rigid.
// turned (n, may be NULL) gets what the rigid freedoms do.
void sn_rest_read_tie(const sn_rest *rest, int tie, sn_bond_row *row, double *turned);
// Adds the stiffness of springs, pulls, and of bonds that curve, to `base` and `sprung`.
sn_status sn_rest_add_fields(sn_rest *rest, sn_error *error);
void sn_rest_add_block(sn_rest *rest, double *values, int a, int b, double scale,
                       const sn_mat3 *block);

#endif
