// The free flight of rigid bodies over a finite time: centres go straight, bodies turn as free
// bodies do, keeping angular momentum to round-off and energy bounded for ever.
//
// A free body's rotation is the flow of H = L1^2/2I1 + L2^2/2I2 + L3^2/2I3 in body axes. H is split
// into parts that each turn about a known axis and are therefore solved exactly (McLachlan 1993;
// Touma and Wisdom 1994; the choice of parts after Fasso, "Comparison of splitting algorithms for
// the rigid body", J. Comput. Phys. 189, 2003):
//
//     H = A + B,  I1 <= I2 <= I3
//     A = |L|^2/2I2 + (1/2I3 - 1/2I2) L3^2,   B = (1/2I1 - 1/2I2) L1^2
//
//     step(h) = B(h/2) A(h) B(h/2)
//
// A is a symmetric top: a turn about the fixed L by |L| h/I2 and one about body axis 3. B is a turn
// about body axis 1. Every part is a rotation, so L in the world is kept to round-off and the whole
// is symplectic and time-reversible: second order, the energy error stays bounded. Spheres, discs
// and rods (two equal moments) come out exact. It is explicit and works for any h |omega|, where
// the discrete Moser-Veselov and midpoint rules have no solution.
#ifndef SN_AGENT_RIGID_FREE_ROTATION_H
#define SN_AGENT_RIGID_FREE_ROTATION_H

#include "sinew/math.h"

typedef struct sn_rigid_mass {
    double mass;
    sn_vec3 inertia;    // principal moments, ascending, 1e-140 .. 1e140
    double b;           // (1/I1 - 1/I2) / 4: half angle of a B half step is b h L1
    double a;           // (1/I3 - 1/I2) / 2: half angle of the turn about axis 3 is a h L3
    double half_middle; // 1 / 2 I2: half angle of the turn about L is |L| h / 2 I2
} sn_rigid_mass;

SN_API sn_rigid_mass sn_rigid_mass_make(double mass, sn_vec3 inertia);

// Moves `count` bodies on, each by its own h[i]: body index[i] has mass[index[i]], its numbers at q
// + 7 index[i] and v + 6 index[i] (see rigid.h). Done in blocks of four for the machine's vector
// unit; a body's result does not depend on its neighbours in a block.
SN_API void sn_rigid_drift(const sn_rigid_mass *mass, double *q, double *v, const int *index,
                           const double *h, int count);

// One body, any angle; what sn_rigid_drift uses for bodies that turn more than a quarter in one of
// the parts. Those of three moments go in up to 32 shorter parts, each of which is taken back to
// the energy it began with: over radians the bounded error is as large as the energy.
SN_API void sn_free_rotation(const sn_rigid_mass *mass, double h, sn_quat *rotation,
                             sn_vec3 *angular_velocity);

#endif
