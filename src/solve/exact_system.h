// The system that the exact solver solves: blocks of rows over agents' velocities, each with a law
// for its impulses. What the rows come from is no matter here.
//
//     u = J v - target + softness p,   v = v_free + sum Y p,   Y = A^-1 J^T
//
//     point   3 rows, normal and two tangential: Signorini's and Coulomb's laws (cone.h)
//     box     1 row: u = 0, or p at a bound with u pressing against it
//     ball    1 to 3 rows: |p| <= radius + length * (sum of p_n of `owner_count` points from
//             `owner` on); u = 0, or p at the bound and opposite to u
//
// Impulses in units of one row may be N s and of the next N m s, and masses may be in the ratio of
// thousands. Where rows are compared they are scaled by s = 1 / sqrt(w), w the row's entry of J
// A^-1 J^T: p / s and s u are then both roots of an energy.
#ifndef SN_SOLVE_EXACT_SYSTEM_H
#define SN_SOLVE_EXACT_SYSTEM_H

#include "base/array.h"
#include "math/symmetric.h"

typedef enum sn_block_kind { SN_BLOCK_POINT, SN_BLOCK_BOX, SN_BLOCK_BALL } sn_block_kind;

enum { SN_BLOCK_ROWS = 3 };

typedef struct sn_exact_side {
    int agent;    // of the system
    int first;    // in j and y: rows of the agent's v_count, one after another
    int from, to; // columns of j that are not 0 in all rows: from .. to - 1; of elastic bodies few
    int gap, end; // but those from gap to end - 1 are: limbs beside the one that is touched
    int felt;     // in `felt` of the solver: J^T, where j is L^-1 J^T; else -1
} sn_exact_side;

typedef struct sn_exact_block {
    sn_block_kind kind;
    int width, row; // rows row .. row + width - 1
    int side_count;
    sn_exact_side side[2];
    double friction;             // point
    double lower, upper;         // box
    double radius, length;       // ball
    int owner, owner_count;      // ball: point blocks
    double softness;             // of points: of their normal alone
    bool idle;                   // not solved in this pass: its impulse stays as it is
    bool coupled;                // has its part of Newton's matrix
    bool firm;                   // taken out of Newton's matrices: exact_firm.c
    sn_sym3 w;                   // J Y, softness included
    double scale[SN_BLOCK_ROWS]; // s; 0: nothing answers in this row
} sn_exact_block;

typedef struct sn_exact_agent {
    int set, agent;
    int v_first, v_count;
    bool normalised; // v stands for z = L^T v with A = L L^T, j and y for L^-1 J^T
} sn_exact_agent;

// A line of Newton's linear system: turn . W of `width` rows from `source` on, and more of its own
// where it slides.
typedef struct sn_newton_line {
    const sn_exact_block *block;
    int row, source, width;
    bool slides;
    double turn[SN_BLOCK_ROWS];
    double direction; // of sliding, its component in this row
    double right;
} sn_newton_line;

typedef struct sn_exact_system {
    SN_ARRAY(sn_exact_agent) agents;
    SN_ARRAY(sn_exact_block) blocks;
    SN_ARRAY(double) j;      // by sides of blocks
    SN_ARRAY(double) y;      // the same
    SN_ARRAY(double) v;      // velocities with the impulses so far
    SN_ARRAY(double) p;      // by rows: the start and the answer
    SN_ARRAY(double) target; // by rows
    // Scratch of Newton's method.
    SN_ARRAY(double) matrix; // rows x rows: S J A^-1 J^T S, once there is one
    bool has_matrix;
    SN_ARRAY(int) coupled; // blocks that have their part of it, the first ones
    int coupled_count;
    SN_ARRAY(int) low;       // rows: the first column of the matrix that may not be 0
    SN_ARRAY(int) high;      // rows: behind the last one
    SN_ARRAY(double) factor; // of the active rows
    SN_ARRAY(double) right;  // rows
    SN_ARRAY(double) step;   // rows
    SN_ARRAY(double) kept_p; // rows: the best so far
    SN_ARRAY(double) kept_v;
    SN_ARRAY(double) last_p; // rows: where the last iteration began
    SN_ARRAY(double) last_v;
    SN_ARRAY(double) centre; // rows: of the proximal term, scaled
    SN_ARRAY(double) scaled_p;
    SN_ARRAY(double) scaled_u;
    SN_ARRAY(sn_newton_line) lines; // beside `active`
    SN_ARRAY(int) moved;            // rows that are not solved for, but have a step
    SN_ARRAY(int) active;           // rows that are solved for
    SN_ARRAY(int) before;           // rows + 1: how many of them come before a row
    SN_ARRAY(int) first;            // their first columns that are not 0
    SN_ARRAY(int) last;             // their last columns that are not 0
    SN_ARRAY(int) deepest;          // of columns, their last rows that are not 0
    SN_ARRAY(int) order;            // blocks by their rows
    SN_ARRAY(int) places; // where the blocks of each agent begin, and these; scratch of ordering
    SN_ARRAY(int) swaps;
    // Rows that hold always: exact_firm.c.
    SN_ARRAY(int) firm;            // blocks, of which the first ones
    int firm_count;                // are taken out
    SN_ARRAY(double) firm_factor;  // of their own part of the matrix
    SN_ARRAY(double) firm_answers; // firm_count x rows: what they do when others are pushed
    SN_ARRAY(double) firm_scratch;
    SN_ARRAY(int) firm_order;
    // Where the solve began, and bounds of friction by blocks: of the way out.
    SN_ARRAY(double) start_p;
    SN_ARRAY(double) start_v;
    SN_ARRAY(double) free_v; // without impulses but those of idle blocks
    SN_ARRAY(double) bound;
    bool at_end; // of a step: things move as the start has it, by impulses that are theirs already
} sn_exact_system;

typedef struct sn_exact_effort {
    double residual; // largest miss of the laws, relative to the largest impulse or free velocity
    int sweeps, newton_steps;
    bool converged;
    bool tresca; // found with bounds of friction that are held: exact_calm.c
    int worst;   // the block that is off most, where it did not converge
} sn_exact_effort;

typedef struct sn_exact_limits {
    double tolerance; // of the residual: what is aimed at
    double start;     // a start as good as this is left as it is
    double enough;    // where the aim is out of reach
    int sweeps;       // at most
    int newton_steps; // the same
    int newton_rows;  // systems with more rows are swept only
    double work;      // multiplications that Newton's method may take in all
} sn_exact_limits;

SN_API void sn_exact_system_clear(sn_exact_system *system);
SN_API void sn_exact_system_free(sn_exact_system *system);

// Once all blocks are there: rows in an order that keeps Newton's matrices narrow. False when
// memory runs out.
SN_API bool sn_exact_system_order(sn_exact_system *system);

// After that: the blocks that touch an agent, in ascending order.
static inline const int *sn_exact_blocks_of(const sn_exact_system *system, int agent, int *count)
{
    const int *starts = system->places.data;
    *count = starts[agent + 1] - starts[agent];
    return starts + system->agents.count + 1 + starts[agent];
}

// And w and scales.
SN_API void sn_exact_system_prepare(sn_exact_system *system);

// Of one of its rows.
static inline double sn_exact_softness(const sn_exact_block *block, int row)
{
    return block->kind == SN_BLOCK_POINT && row > 0 ? 0.0 : block->softness;
}

// v += Y dp of one block; and the same for velocities of one's own, as J v beside it.
SN_API void sn_exact_push(sn_exact_system *system, const sn_exact_block *block, sn_vec3 dp);
SN_API void sn_exact_push_into(const sn_exact_system *system, const sn_exact_block *block,
                               sn_vec3 dp, double *velocities);
SN_API sn_vec3 sn_exact_along(const sn_exact_system *system, const sn_exact_block *block,
                              const double *velocities);

// u of one block; rows that it does not have are 0.
SN_API sn_vec3 sn_exact_velocity(const sn_exact_system *system, const sn_exact_block *block);

static inline sn_vec3 sn_exact_impulse(const sn_exact_system *system, const sn_exact_block *block)
{
    const double *p = system->p.data + block->row;
    return sn_vec3_make(p[0], block->width > 1 ? p[1] : 0.0, block->width > 2 ? p[2] : 0.0);
}

static inline void sn_exact_put(sn_exact_system *system, const sn_exact_block *block, sn_vec3 p)
{
    double *row = system->p.data + block->row;
    const double numbers[SN_BLOCK_ROWS] = {p.x, p.y, p.z};
    for (int i = 0; i < block->width && i < SN_BLOCK_ROWS; ++i) {
        row[i] = numbers[i];
    }
}

// The bound of a ball's impulse now.
SN_API double sn_exact_radius(const sn_exact_system *system, const sn_exact_block *block);

// One pass of block Gauss and Seidel, forwards or backwards: each block solved exactly, the others
// held.
SN_API void sn_exact_sweep(sn_exact_system *system, bool forwards);

// The natural map p - projection(p - u) of all blocks, scaled: its largest entry, by the largest
// of impulses and free velocities. INFINITY when one is not finite. map (rows): may be NULL.
SN_API double sn_exact_residual(const sn_exact_system *system, double *map);

// The block that is off most by that map. `map` has room for all rows.
SN_API int sn_exact_worst_block(const sn_exact_system *system, double *map);

// Solves from p on, with v = v_free + Y p given. False when memory runs out.
SN_API bool sn_exact_system_solve(sn_exact_system *system, const sn_exact_limits *limits,
                                  sn_exact_effort *effort);

// The way out where nothing comes near the laws: impulses that never add energy but by targets,
// from where the solve began, which sn_exact_calm_begin has noted (false: no memory). Gives the
// residual. exact_calm.c.
SN_API bool sn_exact_calm_begin(sn_exact_system *system);
SN_API double sn_exact_calm(sn_exact_system *system);

// Have impulses put in more energy than targets account for: from none on, or at the end of a step
// from the start? The laws alone do not forbid it where things are wedged in.
SN_API bool sn_exact_ran_away(const sn_exact_system *system);

// After the solve: normal impulses that make contacts part faster, by `wishes` (blocks). Energy
// grows by no more than their squares over masses. exact_push.c.
SN_API void sn_exact_push_apart(sn_exact_system *system, const double *wishes);

// The matrix of Newton's method: begun anew (false: no memory); and a block's part of it, with
// itself and all that have theirs. exact_matrix.c.
SN_API bool sn_exact_newton_prepare(sn_exact_system *system);
SN_API void sn_exact_matrix_add(sn_exact_system *system, int block);

// Newton's method on the natural map, until the tolerance is met, it makes no more progress, or it
// has spent `steps` or `work` (multiplications, counted down).
// exact_newton.c.
SN_API bool sn_exact_newton_reserve(sn_exact_system *system);
SN_API double sn_exact_newton(sn_exact_system *system, double tolerance, int most, int *steps,
                              double *work);

// The same from impulses of the step before, which are nearly right.
SN_API double sn_exact_newton_warm(sn_exact_system *system, double tolerance, int most, int *steps,
                                   double *work);

// Takes rows that hold always out of the matrix that Newton's method has prepared (false: no
// memory); gives them the impulses with which they hold; and the steps with which they go on doing
// so when the others make theirs, in `step`. exact_firm.c.
SN_API int sn_exact_firm_count(const sn_exact_system *system); // that there would be
SN_API bool sn_exact_firm_take_out(sn_exact_system *system);
SN_API void sn_exact_firm_hold(sn_exact_system *system);
SN_API void sn_exact_firm_follow(sn_exact_system *system);

#endif
