// One contact by itself: Signorini's and Coulomb's laws for a 3 x 3 problem, solved exactly.
//
//     u = W p + b,   axes: x the normal, y and z tangential
//     0 <= p_x,  0 <= u_x,  p_x u_x = 0
//     |p_t| <= friction p_x,   |u_t| p_t = -friction p_x u_t where it slides
//
// W is symmetric and positive semi-definite: what an impulse does to the point. b is the velocity
// without the impulse, less what is wanted (a gap's speed, a rebound, a moving surface), so that
// all targets are shifts of b. Softness is an addition to W's diagonal.
//
// Beside it the same without a normal: an impulse within a ball of fixed radius, for rolling,
// spinning and joint friction.
#ifndef SN_SOLVE_CONE_H
#define SN_SOLVE_CONE_H

#include "math/symmetric.h"

typedef enum sn_cone_state { SN_CONE_OPEN, SN_CONE_STICK, SN_CONE_SLIDE } sn_cone_state;

// p: where it starts from (the direction of sliding is sought there first), and the answer. Never
// fails: where a singular W leaves the laws without a solution, p holds as much as it can.
SN_API sn_cone_state sn_cone_solve(const sn_sym3 *w, sn_vec3 b, double friction, sn_vec3 *p);

// The p of |p| <= radius that makes 1/2 p W p + b p least: u = 0, or p at the bound and opposite
// to u. False: at the bound. Two and one dimensions: the others have b = 0.
SN_API bool sn_ball_solve(const sn_sym3 *w, sn_vec3 b, double radius, sn_vec3 *p);

#endif
