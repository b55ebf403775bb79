// Bodies gathered into lanes. Everything is inlined into callers that are compiled for the plain
// machine and once more for AVX2: see math/lanes.h.
#ifndef SN_SOLVE_PILE_WIDE_H
#define SN_SOLVE_PILE_WIDE_H

#include "math/lanes.h"
#include "solve/pile_part.h"

// The factor that brings a vector of the given square within a length; 1 where it is.
SN_WIDE void wide_clamp_factor(sn_lanes *factor, const sn_lanes *square, const sn_lanes *bound,
                               const sn_lane_mask *over)
{
    sn_lanes s = *square, one = {1.0, 1.0, 1.0, 1.0};
    sn_lanes length = {sqrt(s[0]), sqrt(s[1]), sqrt(s[2]), sqrt(s[3])}, scaled = *bound / length;
    wide_select(factor, over, &scaled, &one);
}

// Number by number, of which GCC makes one instruction, as it does not of a conversion of vectors.
SN_WIDE void widen(sn_lanes *to, const sn_slim *from)
{
    sn_slim f = *from;
    *to = (sn_lanes){(double)f[0], (double)f[1], (double)f[2], (double)f[3]};
}

SN_WIDE void widen3(sn_wide3 *to, const sn_slim from[3])
{
    widen(&to->x, &from[0]);
    widen(&to->y, &from[1]);
    widen(&to->z, &from[2]);
}

SN_WIDE void widen_all(sn_lanes *to, const sn_slim *from, int count)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 9
#endif
    for (int i = 0; i < count; ++i) {
        widen(&to[i], &from[i]);
    }
}

SN_WIDE void narrow(sn_slim *to, const sn_lanes *from)
{
    sn_lanes d = *from;
    *to = (sn_slim){(float)d[0], (float)d[1], (float)d[2], (float)d[3]};
    // What is rounded has to be read anew: GCC 12 takes vectors that go to float and back for what
    // they were before.
    __asm__("" : "+m"(*to));
}

// Keeps a vector, rounded, and goes on with what is kept.
SN_WIDE void narrow3(sn_slim to[3], sn_wide3 *from)
{
    narrow(&to[0], &from->x);
    narrow(&to[1], &from->y);
    narrow(&to[2], &from->z);
    widen3(from, to);
}

SN_WIDE void prefetch(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += SN_CONTACT_LINE) {
        __builtin_prefetch((const char *)from + i);
    }
}

// ---- bodies ----

typedef struct wide_inertia {
    sn_lanes xx, xy, xz, yy, yz, zz; // inverse
    sn_lanes inverse_mass;
} wide_inertia;

typedef struct wide_motion {
    sn_wide3 v, w;
} wide_motion;

// Both bodies of four contacts.
typedef struct wide_pair {
    wide_motion a, b;
    wide_inertia inertia_a, inertia_b;
    sn_wide3 between;      // c_b - c_a
    sn_wide3 arm_a, arm_b; // from the centres to the middle of the points
} wide_pair;

// Rows of four bodies become lanes, and back: a 4 x 4 transpose.
SN_WIDE void transpose(sn_lanes *x, sn_lanes *y, sn_lanes *z, sn_lanes *w, const sn_row *r0,
                       const sn_row *r1, const sn_row *r2, const sn_row *r3)
{
    sn_lanes xz01 = __builtin_shufflevector(*r0, *r1, 0, 4, 2, 6);
    sn_lanes yw01 = __builtin_shufflevector(*r0, *r1, 1, 5, 3, 7);
    sn_lanes xz23 = __builtin_shufflevector(*r2, *r3, 0, 4, 2, 6);
    sn_lanes yw23 = __builtin_shufflevector(*r2, *r3, 1, 5, 3, 7);
    *x = __builtin_shufflevector(xz01, xz23, 0, 1, 4, 5);
    *y = __builtin_shufflevector(yw01, yw23, 0, 1, 4, 5);
    *z = __builtin_shufflevector(xz01, xz23, 2, 3, 6, 7);
    *w = __builtin_shufflevector(yw01, yw23, 2, 3, 6, 7);
}

#define SN_GATHER(x, y, z, w, bodies, index, field)                                                \
    transpose(x, y, z, w, (const sn_row *)((bodies)[(index)[0]].field),                            \
              (const sn_row *)((bodies)[(index)[1]].field),                                        \
              (const sn_row *)((bodies)[(index)[2]].field),                                        \
              (const sn_row *)((bodies)[(index)[3]].field))

SN_WIDE void gather_body(wide_motion *motion, wide_inertia *inertia, const sn_pile_body *bodies,
                         const int *index)
{
    sn_lanes none, more;
    SN_GATHER(&motion->v.x, &motion->v.y, &motion->v.z, &inertia->inverse_mass, bodies, index, v);
    SN_GATHER(&motion->w.x, &motion->w.y, &motion->w.z, &none, bodies, index, w);
    SN_GATHER(&inertia->xx, &inertia->xy, &inertia->xz, &inertia->yy, bodies, index, inertia);
    SN_GATHER(&inertia->yz, &inertia->zz, &none, &more, bodies, index, inertia + 4);
}

SN_WIDE void gather_centre(sn_wide3 *centre, sn_lanes *uneven, const sn_pile_body *bodies,
                           const int *index)
{
    SN_GATHER(&centre->x, &centre->y, &centre->z, uneven, bodies, index, centre);
}

SN_WIDE void gather_turn(sn_wide3 *turn, const sn_pile_body *bodies, const int *index)
{
    sn_lanes none;
    SN_GATHER(&turn->x, &turn->y, &turn->z, &none, bodies, index, turn);
}

SN_WIDE void wide_difference(sn_wide3 *result, const sn_wide3 *a, const sn_wide3 *b)
{
    result->x = a->x - b->x;
    result->y = a->y - b->y;
    result->z = a->z - b->z;
}

SN_WIDE void gather_pair(wide_pair *pair, const sn_pile_body *bodies, const sn_pile_block *block)
{
    sn_wide3 from, to;
    gather_body(&pair->a, &pair->inertia_a, bodies, block->a);
    gather_body(&pair->b, &pair->inertia_b, bodies, block->b);
    sn_lanes unused;
    gather_centre(&from, &unused, bodies, block->a);
    gather_centre(&to, &unused, bodies, block->b);
    wide_difference(&pair->between, &to, &from);
    sn_lanes share_a, share_b;
    widen(&share_a, &block->share_a);
    share_b = 1.0 - share_a;
    widen3(&pair->arm_a, block->arm);
    pair->arm_b = pair->arm_a;
    wide_add_scaled(&pair->arm_a, &share_b, &pair->between);
    wide_sub_scaled(&pair->arm_b, &share_a, &pair->between);
}

// Back to the bodies that move. `none` is the number of the one that never does, which several
// lanes and threads may share.
SN_WIDE void scatter_body(sn_pile_body *bodies, const int *index, int none,
                          const wide_motion *motion, const sn_lanes *inverse_mass)
{
    sn_lanes v[SN_PILE_LANES], w[SN_PILE_LANES], zero = {0.0, 0.0, 0.0, 0.0};
    transpose(&v[0], &v[1], &v[2], &v[3], (const sn_row *)&motion->v.x,
              (const sn_row *)&motion->v.y, (const sn_row *)&motion->v.z,
              (const sn_row *)inverse_mass);
    transpose(&w[0], &w[1], &w[2], &w[3], (const sn_row *)&motion->w.x,
              (const sn_row *)&motion->w.y, (const sn_row *)&motion->w.z, (const sn_row *)&zero);
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        if (index[i] != none) {
            *(sn_row *)bodies[index[i]].v = v[i];
            *(sn_row *)bodies[index[i]].w = w[i];
        }
    }
}

SN_WIDE void scatter_pair(sn_pile_body *bodies, int none, const sn_pile_block *block,
                          const wide_pair *pair)
{
    scatter_body(bodies, block->a, none, &pair->a, &pair->inertia_a.inverse_mass);
    scatter_body(bodies, block->b, none, &pair->b, &pair->inertia_b.inverse_mass);
}

// Adds the impulses with which the next sub-step starts: a body of one colour is in one lane.
SN_WIDE void hand_over(sn_pile_body *bodies, const int *index, int none, const sn_wide3 *impulse,
                       const sn_wide3 *moment)
{
    sn_lanes p[SN_PILE_LANES], m[SN_PILE_LANES], zero = {0.0, 0.0, 0.0, 0.0};
    transpose(&p[0], &p[1], &p[2], &p[3], (const sn_row *)&impulse->x, (const sn_row *)&impulse->y,
              (const sn_row *)&impulse->z, (const sn_row *)&zero);
    transpose(&m[0], &m[1], &m[2], &m[3], (const sn_row *)&moment->x, (const sn_row *)&moment->y,
              (const sn_row *)&moment->z, (const sn_row *)&zero);
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        if (index[i] != none) {
            *(sn_row *)bodies[index[i]].start += p[i];
            *(sn_row *)bodies[index[i]].start_moment += m[i];
        }
    }
}

SN_WIDE void wide_inertia_apply(sn_wide3 *result, const wide_inertia *inertia, const sn_wide3 *a)
{
    result->x = inertia->xx * a->x + inertia->xy * a->y + inertia->xz * a->z;
    result->y = inertia->xy * a->x + inertia->yy * a->y + inertia->yz * a->z;
    result->z = inertia->xz * a->x + inertia->yz * a->y + inertia->zz * a->z;
}

// How b moves against a at the middle of the points; for `turn` and displacements as well.
SN_WIDE void relative_motion(sn_wide3 *u, sn_wide3 *w, const wide_pair *pair, const sn_wide3 *v,
                             const sn_wide3 *w_a, const sn_wide3 *w_b)
{
    sn_wide3 turn_a, turn_b;
    wide_cross(&turn_a, w_a, &pair->arm_a);
    wide_cross(&turn_b, w_b, &pair->arm_b);
    wide_difference(w, w_b, w_a);
    u->x = v->x + (turn_b.x - turn_a.x);
    u->y = v->y + (turn_b.y - turn_a.y);
    u->z = v->z + (turn_b.z - turn_a.z);
}

// An impulse on b at the middle and an angular impulse, their opposites on a.
SN_WIDE void push_pair(wide_pair *pair, const sn_wide3 *impulse, const sn_wide3 *angular)
{
    sn_wide3 moment, spin;
    wide_cross(&moment, &pair->arm_a, impulse);
    wide_add(&moment, angular);
    wide_inertia_apply(&spin, &pair->inertia_a, &moment);
    wide_sub_scaled(&pair->a.v, &pair->inertia_a.inverse_mass, impulse);
    wide_difference(&pair->a.w, &pair->a.w, &spin);
    wide_cross(&moment, &pair->arm_b, impulse);
    wide_add(&moment, angular);
    wide_inertia_apply(&spin, &pair->inertia_b, &moment);
    wide_add_scaled(&pair->b.v, &pair->inertia_b.inverse_mass, impulse);
    wide_add(&pair->b.w, &spin);
}

// To the plane's axes (t, s, n as x, y, z), and from them.
SN_WIDE void wide_to_plane(sn_wide3 *result, const sn_wide3 axes[3], const sn_wide3 *a)
{
    sn_wide3 from = *a;
    wide_dot(&result->x, &axes[0], &from);
    wide_dot(&result->y, &axes[1], &from);
    wide_dot(&result->z, &axes[2], &from);
}

SN_WIDE void wide_from_plane(sn_wide3 *result, const sn_wide3 axes[3], const sn_wide3 *a)
{
    sn_wide3 from = *a;
    *result = axes[0];
    wide_scale(result, &from.x);
    wide_add_scaled(result, &from.y, &axes[1]);
    wide_add_scaled(result, &from.z, &axes[2]);
}

SN_WIDE void plane_axes(sn_wide3 axes[3], const sn_pile_block *block)
{
    axes[0] = block->t;
    wide_cross(&axes[1], &block->n, &block->t);
    axes[2] = block->n;
}

// ---- impulses ----

// What the impulses of all points come to at the middle, in the plane's axes.
SN_WIDE void sum_impulses(sn_wide3 *impulse, sn_wide3 *angular, const sn_pile_point *points,
                          int count)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    *impulse = *angular = (sn_wide3){zero, zero, zero};
    for (int i = 0; i < count; ++i) {
        const sn_pile_point *point = &points[i];
        sn_lanes t, s;
        widen(&t, &point->t);
        widen(&s, &point->s);
        impulse->x += point->rub_t;
        impulse->y += point->rub_s;
        impulse->z += point->press;
        angular->x += s * point->press;
        angular->y -= t * point->press;
        angular->z += t * point->rub_s - s * point->rub_t;
    }
}

// The next sub-step starts with the impulses of the one before. They are left with the bodies,
// which spares a sweep over all contacts: as acting where the middle of the points will be after
// h'/2, as far as velocities tell by now. That is one point of the world for both, wherever they
// come to.
SN_WIDE void leave_start(const sn_pile_work *work, int index, const sn_wide3 axes[3],
                         const wide_pair *pair)
{
    const sn_pile_block *block = &work->blocks[index];
    sn_wide3 impulse, angular, moment, ahead, arm;
    sn_lanes share_a, share_b, minus = {-1.0, -1.0, -1.0, -1.0};
    sum_impulses(&impulse, &angular, work->points + block->point_first, block->point_count);
    sn_lane_mask acts = impulse.z > 0.0;
    if (!wide_any(&acts)) {
        return;
    }
    widen(&share_a, &block->share_a);
    share_b = (0.5 * work->h) * (1.0 - share_a);
    share_a = (0.5 * work->h) * share_a;
    ahead = pair->a.v;
    wide_scale(&ahead, &share_a);
    wide_add_scaled(&ahead, &share_b, &pair->b.v);
    wide_from_plane(&impulse, axes, &impulse);
    wide_from_plane(&angular, axes, &angular);
    if (block->rolls) {
        wide_add(&angular, &work->extras[index].turning);
    }
    arm = pair->arm_b;
    wide_add(&arm, &ahead);
    wide_cross(&moment, &arm, &impulse);
    wide_add(&moment, &angular);
    hand_over(work->bodies, block->b, work->body_count, &impulse, &moment);
    arm = pair->arm_a;
    wide_add(&arm, &ahead);
    wide_cross(&moment, &arm, &impulse);
    wide_add(&moment, &angular);
    wide_scale(&impulse, &minus);
    wide_scale(&moment, &minus);
    hand_over(work->bodies, block->a, work->body_count, &impulse, &moment);
}

#endif
