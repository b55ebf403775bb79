// All rigid bodies and mechanisms of a world as one system of coordinates: what statics, modes and
// inverse dynamics share. Elastic bodies stand where they are; world/rest.h has them beside it.
//
//     M(q) dv/dt = f(q, v) + J(q)^T lambda,    J v = 0
//
// Coordinates are those of all agents, set after set, agent after agent. J has the rows of ties and
// prescribed motions, and beside them those of hard limits that something presses on. Everything is
// dense; vectors are n long, matrices by rows.
#ifndef SN_STATICS_SYSTEM_H
#define SN_STATICS_SYSTEM_H

#include "model/world.h"
#include "sinew/mechanics.h"

// A hard limit of a freedom: of a ball on the angle of its turn, whose three coordinates begin at
// v.
typedef struct sn_system_limit {
    int v, q; // in the system
    bool ball;
    double lower, upper;
    int side;    // -1, +1: it presses on the lower, the upper end and is a row; 0: it does not
    bool locked; // both ends are the same: it is always a row, and may push and pull
} sn_system_limit;

typedef SN_ARRAY(sn_system_limit) sn_system_limit_list;

// How displacements are measured, z^T B z. By masses: B = M, for whatever moves. By motion: the
// turn of every body, squared and summed, and its shift over the size of the system; so that a step
// of length one turns nothing far, however light it is.
typedef enum sn_system_metric { SN_METRIC_MASS, SN_METRIC_MOTION } sn_system_metric;

typedef struct sn_system {
    sn_world *world;
    int n, q_count;
    int tie_rows;
    int rows; // tie_rows and the limits that press
    sn_system_limit_list limits;
    double *reach; // n: what counts as a small displacement: 1 rad, or the size of the agent in m
    bool *turns;   // n: a freedom turns (rad), or slides (m)
    double size;   // m, of the largest agent
    double mass;   // kg in all
    // The tangent space of the last sn_system_factor, and the memory for it.
    int rank, free;       // free = n - rank
    bool starved;         // memory ran out in making rows
    double *metric;       // n x n: B
    double *l;            // n x n: B = L L^T
    double *j;            // most rows x n: J
    double *gap;          // most rows: how far each row is from being held
    double *lq;           // most rows x n: rows of J L^-T, scaled to length 1, as LQ
    double *beta, *scale; // most rows
    int *order;           // most rows
    double *basis;        // free x n: rows z with z^T B z' = 1 or 0 and J z = 0
    double *work;         // 4 n and rows
    double *pose;         // q_count, scratch
    double *square;       // n x n, scratch
    // What else is held, beside rows: adds what it does at the present pose to f. NULL: nothing.
    void (*hold)(void *holder, double *force);
    void *holder;
} sn_system;

// Puts the world together and makes room. The world is `stepping` until sn_system_close, so that
// callbacks cannot change it.
sn_status sn_system_open(sn_world *world, sn_system *system, sn_error *error);
// The same without any matrix or limit: for what asks the agents alone, in worlds of any size.
sn_status sn_system_open_bare(sn_world *world, sn_system *system, sn_error *error);
void sn_system_close(sn_system *system);

// The state as one vector.
void sn_system_read(const sn_system *system, double *q, double *v); // either may be NULL
void sn_system_write(sn_system *system, const double *q, const double *v);

// q moved by scale d, and the d that moves `from` to `to`. In place is allowed.
void sn_system_move(const sn_system *system, const double *q, const double *d, double scale,
                    double *moved);
void sn_system_difference(const sn_system *system, const double *from, const double *to, double *d);

// All forces at the present state, in the agents; and f of them.
void sn_system_evaluate(sn_system *system);
void sn_system_push(sn_system *system, double *push);

// J and the gaps of its rows at the present pose. The factor of the rows is lost, not the basis.
void sn_system_rows(sn_system *system);

// B, J, and the basis Z of what J leaves free, at the present pose. Fails when B is singular,
// naming a freedom that has nothing to move.
sn_status sn_system_factor(sn_system *system, sn_system_metric metric, sn_error *error);

// lambda (rows) that balances `push` as far as J can, and what is then left of it in the basis
// (free): Z f. Follows sn_system_factor.
void sn_system_balance(const sn_system *system, const double *push, double *lambda, double *left);

// The force on each freedom (n) that belongs to `left` (free): B Z^T left.
void sn_system_unbalanced(const sn_system *system, const double *left, double *force);

// The largest of them: N, and N m. scratch: n.
void sn_system_residual(const sn_system *system, const double *left, double *scratch, double *force,
                        double *torque);

// Moves the world from q to the nearest place (metric of the last factor) where all rows hold.
// The basis stays that of the last factor. False when it cannot.
bool sn_system_project(sn_system *system, double *q);

// -d(f + J^T lambda + what `hold` adds)/dq at the present pose with lambda held, by differences of
// `order` 1 or 4: n x n, row i the force of freedom i. So it has the ties' own part, lambda times
// their second derivatives. Velocities must be zero. False when memory runs out.
bool sn_system_stiffness(sn_system *system, const double *lambda, int order, double *k);

// Z K Z^T (free x free), symmetric part; gives the largest entry of the other part relative to the
// largest of all. product: free x n, scratch.
double sn_system_reduce(sn_system *system, const double *k, double *product, double *reduced);

// Eigenvalues of the reduced stiffness (overwritten), ascending, shapes in coordinates (free x n)
// with phi^T M phi = 1, and what each is; after a factor by masses. vectors: free x free, scratch.
// False when K is not finite.
bool sn_system_spectrum(sn_system *system, const double *k, double *reduced, double *values,
                        double *vectors, double *shapes, sn_mode_type *types);

// ---- limits ----

// Makes a limit a row at its lower (-1) or upper (+1) end, or lets it go (0). A locked one stays
// a row.
void sn_system_press(sn_system *system, int limit, int side);

// The pressed limit that would have to pull, worst first, and how strongly (as in `left`); -1:
// none.
int sn_system_pulling_limit(const sn_system *system, const double *lambda, double *strength);

// Presses all limits whose freedoms are at an end at q, the present pose, and lets go of those that
// would have to pull. Leaves the factor by masses, push, lambda and left.
sn_status sn_system_find_pressed(sn_system *system, const double *q, double *push, double *lambda,
                                 double *left, sn_error *error);

// Cuts the way d from q at the first limit that it meets, which presses from then on. Gives the
// part of it that is left. moved: q_count, scratch.
double sn_system_cut_at_limits(sn_system *system, const double *q, const double *d, double *moved);

// Limits that q is beyond press from now on; false: there were none.
bool sn_system_press_crossed(sn_system *system, const double *q);

// Does a freedom rest on it, rather than being locked by it?
bool sn_system_rests_on(const sn_system_limit *limit);

// Adds the hard limits of a mechanism whose coordinates begin at q and v of the system. False when
// memory runs out.
bool sn_system_add_limits(const sn_articulation *item, int q, int v, sn_system_limit_list *limits);

// The row (zeros where it begins) of a limit that presses: the rate of its freedom, or of a ball's
// angle; and how far it is from its end. `own`: its coordinates. A ball at zero turns to no side;
// its limit cannot press there.
void sn_system_limit_row(const sn_system_limit *limit, const double *own, double *row, double *gap);

// Where the freedom of a limit is: its coordinate, or the angle of a ball's turn.
double sn_system_limit_position(const sn_system_limit *limit, const double *q);

#endif
