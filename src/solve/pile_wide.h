// Arithmetic on four lanes, and bodies gathered into lanes. Everything is inlined into callers that
// are compiled for the plain machine and once more for AVX2, never with fused multiply-add: same
// bits.
#ifndef SN_SOLVE_PILE_WIDE_H
#define SN_SOLVE_PILE_WIDE_H

#include "solve/pile_part.h"

#define SN_WIDE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__AVX2__)
#define SN_HAS_AVX2_TWIN 1
#endif

// Where the machine has no vectors so wide, gcc 12 puts them together piece by piece and then takes
// them for unset.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Lanes are handed over by address: by value they would be passed differently with and without
// AVX2.
SN_WIDE void wide_add(sn_wide3 *a, const sn_wide3 *b)
{
    a->x += b->x;
    a->y += b->y;
    a->z += b->z;
}

SN_WIDE void wide_add_scaled(sn_wide3 *a, const sn_lanes *s, const sn_wide3 *b)
{
    a->x += *s * b->x;
    a->y += *s * b->y;
    a->z += *s * b->z;
}

SN_WIDE void wide_sub_scaled(sn_wide3 *a, const sn_lanes *s, const sn_wide3 *b)
{
    a->x -= *s * b->x;
    a->y -= *s * b->y;
    a->z -= *s * b->z;
}

SN_WIDE void wide_scale(sn_wide3 *a, const sn_lanes *s)
{
    a->x *= *s;
    a->y *= *s;
    a->z *= *s;
}

SN_WIDE void wide_dot(sn_lanes *result, const sn_wide3 *a, const sn_wide3 *b)
{
    *result = a->x * b->x + a->y * b->y + a->z * b->z;
}

SN_WIDE void wide_cross(sn_wide3 *result, const sn_wide3 *a, const sn_wide3 *b)
{
    result->x = a->y * b->z - a->z * b->y;
    result->y = a->z * b->x - a->x * b->z;
    result->z = a->x * b->y - a->y * b->x;
}

// mask ? a : b
SN_WIDE void wide_select(sn_lanes *result, const sn_lane_mask *mask, const sn_lanes *a,
                         const sn_lanes *b)
{
    *result = (sn_lanes)((*mask & (sn_lane_mask)*a) | (~*mask & (sn_lane_mask)*b));
}

SN_WIDE void wide_max(sn_lanes *a, const sn_lanes *b)
{
    sn_lane_mask mask = *a > *b;
    wide_select(a, &mask, a, b);
}

SN_WIDE bool wide_any(const sn_lane_mask *mask)
{
    sn_lane_mask m = *mask;
    return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
}

// The factor that brings a vector of the given square within a length; 1 where it is.
SN_WIDE void wide_clamp_factor(sn_lanes *factor, const sn_lanes *square, const sn_lanes *bound,
                               const sn_lane_mask *over)
{
    sn_lanes s = *square, one = {1.0, 1.0, 1.0, 1.0};
    sn_lanes length = {sqrt(s[0]), sqrt(s[1]), sqrt(s[2]), sqrt(s[3])}, scaled = *bound / length;
    wide_select(factor, over, &scaled, &one);
}

// ---- bodies ----

typedef struct wide_motion {
    sn_wide3 v, w;
} wide_motion;

typedef struct wide_inertia {
    sn_lanes xx, xy, xz, yy, yz, zz; // inverse
    sn_lanes inverse_mass;
} wide_inertia;

// Vectors are put together from loads, never written lane by lane: a wide load after narrow stores
// waits for all of them.
#define SN_GATHER(field) ((sn_lanes){b0->field, b1->field, b2->field, b3->field})
#define SN_GATHER3(vector, field)                                                                  \
    ((vector) = (sn_wide3){SN_GATHER(field[0]), SN_GATHER(field[1]), SN_GATHER(field[2])})
#define SN_FOUR_BODIES(bodies, index)                                                              \
    const sn_pile_body *b0 = &(bodies)[(index)[0]], *b1 = &(bodies)[(index)[1]],                   \
                       *b2 = &(bodies)[(index)[2]], *b3 = &(bodies)[(index)[3]]

SN_WIDE void gather_motion(wide_motion *motion, const sn_pile_body *bodies, const int *index)
{
    SN_FOUR_BODIES(bodies, index);
    SN_GATHER3(motion->v, v);
    SN_GATHER3(motion->w, w);
}

SN_WIDE void gather_inertia(wide_inertia *inertia, const sn_pile_body *bodies, const int *index)
{
    SN_FOUR_BODIES(bodies, index);
    inertia->xx = SN_GATHER(inverse_inertia[0]);
    inertia->xy = SN_GATHER(inverse_inertia[1]);
    inertia->xz = SN_GATHER(inverse_inertia[2]);
    inertia->yy = SN_GATHER(inverse_inertia[3]);
    inertia->yz = SN_GATHER(inverse_inertia[4]);
    inertia->zz = SN_GATHER(inverse_inertia[5]);
    inertia->inverse_mass = SN_GATHER(inverse_mass);
}

SN_WIDE void gather_centre(sn_wide3 *centre, const sn_pile_body *bodies, const int *index)
{
    SN_FOUR_BODIES(bodies, index);
    SN_GATHER3(*centre, centre);
}

SN_WIDE void gather_turn(sn_wide3 *turn, const sn_pile_body *bodies, const int *index)
{
    SN_FOUR_BODIES(bodies, index);
    SN_GATHER3(*turn, turn);
}

// Back to the bodies that move. `none` is the number of the one that never does, which several
// lanes and threads may share.
SN_WIDE void scatter_motion(sn_pile_body *bodies, const int *index, int none,
                            const wide_motion *motion)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        if (index[i] != none) {
            sn_pile_body *body = &bodies[index[i]];
            body->v[0] = motion->v.x[i];
            body->v[1] = motion->v.y[i];
            body->v[2] = motion->v.z[i];
            body->w[0] = motion->w.x[i];
            body->w[1] = motion->w.y[i];
            body->w[2] = motion->w.z[i];
        }
    }
}

SN_WIDE void wide_inertia_apply(sn_wide3 *result, const wide_inertia *inertia, const sn_wide3 *a)
{
    result->x = inertia->xx * a->x + inertia->xy * a->y + inertia->xz * a->z;
    result->y = inertia->xy * a->x + inertia->yy * a->y + inertia->yz * a->z;
    result->z = inertia->xz * a->x + inertia->yz * a->y + inertia->zz * a->z;
}

// The velocity of b's point against a's.
SN_WIDE void wide_slip(sn_wide3 *u, const wide_motion *a, const wide_motion *b,
                       const sn_wide3 *arm_a, const sn_wide3 *arm_b)
{
    sn_wide3 turn_a, turn_b;
    wide_cross(&turn_a, &a->w, arm_a);
    wide_cross(&turn_b, &b->w, arm_b);
    u->x = (b->v.x - a->v.x) + (turn_b.x - turn_a.x);
    u->y = (b->v.y - a->v.y) + (turn_b.y - turn_a.y);
    u->z = (b->v.z - a->v.z) + (turn_b.z - turn_a.z);
}

// An impulse on b, its opposite on a.
SN_WIDE void wide_push(wide_motion *a, wide_motion *b, const wide_inertia *inertia_a,
                       const wide_inertia *inertia_b, const sn_wide3 *arm_a, const sn_wide3 *arm_b,
                       const sn_wide3 *impulse)
{
    sn_wide3 moment, spin;
    wide_cross(&moment, arm_a, impulse);
    wide_inertia_apply(&spin, inertia_a, &moment);
    wide_sub_scaled(&a->v, &inertia_a->inverse_mass, impulse);
    a->w.x -= spin.x;
    a->w.y -= spin.y;
    a->w.z -= spin.z;
    wide_cross(&moment, arm_b, impulse);
    wide_inertia_apply(&spin, inertia_b, &moment);
    wide_add_scaled(&b->v, &inertia_b->inverse_mass, impulse);
    wide_add(&b->w, &spin);
}

#endif
