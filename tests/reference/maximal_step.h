// One fixed step in maximal coordinates: discrete mechanics as in tree_step.h, by chords, with
// multipliers in place of joint coordinates, and loops.
//
//     sn_maximal_step_begin(&step, &m, q, v, h, &error);
//     for (int i = 0; i < count; ++i) {
//         sn_maximal_step_push(&step, &m, gravity, NULL, NULL, &error);
//         sn_maximal_step_advance(&step, &m, &error);
//     }
//     sn_maximal_step_state(&step, &m, q, v);
//
// With momenta p = m (x' - x) / h and L = 1/h sum_kl E_kl r_k x r'_l (Moser and Veselov) of the
// bodies between configurations,
//
//     P(c, c') - P(c-, c) - h f = J(c)^T lambda,      g(c') = 0:
//
// RATTLE, written for positions (SHAKE). c' is found by Newton's method on the one factor of J W
// J^T at c. A body's way from c is kept as a turn (w, u) and a shift, and its angular momentum as
// 2/h (w I u + u x I u), I at c. The first guess mirrors the last step as in tree_step.h; J (s' +
// s-) = 0 carries over what joints ask to second order.
//
// With loops the search is more careful, for they may pass a singular position: there a row is as
// small as what the step changes of it, and has opposite signs at its two ends. So the guess is
// kept on the tree, moved by rates of its joints, and loops use their rows at c' against those at c
// (see maximal_loop.h). Where a row has no leverage left it is let go for the step: bodies move on
// as they were moving, off the loop by O(h^3), and the next step brings them back.
#ifndef SN_REFERENCE_MAXIMAL_STEP_H
#define SN_REFERENCE_MAXIMAL_STEP_H

#include "reference/maximal.h"

// From c to another configuration, world axes.
typedef struct sn_maximal_travel {
    sn_quat turn;
    sn_vec3 shift;
} sn_maximal_travel;

typedef struct sn_maximal_step {
    double h;
    sn_maximal_pose *next;     // body_count
    sn_maximal_travel *travel; // body_count: c to c'
    sn_spatial *arrived;       // body_count: c- to c, turns as axis sin(angle)
    sn_spatial *momentum;      // body_count: P(c-, c)
    sn_spatial *due;           // body_count: h (P(c-, c) + h f)
    sn_spatial *rest, *move;   // body_count
    double *q_last, *q_next;   // all_q: of joints at c (after a step: at the c before) and at c'
    double *lambda;            // 6 joint_count: h^2 times the reactions
    sn_maximal_joint *there;   // joint_count: at c', with loops
    int turns;                 // of Newton's method in the last step
    double change;             // of the last turn, relative to the whole movement
    int let_go;                // rows of loops without leverage in the last step
} sn_maximal_step;

SN_API bool sn_maximal_step_allocate(sn_maximal_step *step, const sn_maximal *m);
SN_API void sn_maximal_step_free(sn_maximal_step *step);

// Goes to the middle of the first step from the tree's (q, v). Loops that (q, v) leave open are
// closed.
SN_API sn_status sn_maximal_step_begin(sn_maximal_step *step, sn_maximal *m, const double *q,
                                       const double *v, double h, sn_error *error);

// Rows and factor at c, and what the bodies are to have: as in sn_tree_step_push.
SN_API sn_status sn_maximal_step_push(sn_maximal_step *step, sn_maximal *m, sn_vec3 gravity,
                                      const sn_spatial *wrench, const double *force,
                                      sn_error *error);

// Goes to c'. The reactions of sn_maximal_reactions are then those at c, and velocities those
// between c and c'.
SN_API sn_status sn_maximal_step_advance(sn_maximal_step *step, sn_maximal *m, sn_error *error);

// The tree's state half way between the last two configurations.
SN_API void sn_maximal_step_state(const sn_maximal_step *step, const sn_maximal *m, double *q,
                                  double *v);

#endif
