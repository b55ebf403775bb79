// Overlap is undone apart from everything else, after the impulses that carry loads and stop what
// comes near have been found. How far contacts ought to part may contradict itself: what is wedged
// in cannot leave on all sides at once, and impulses that try grow without end. So wishes are soft.
// With d the changes of normal impulses, t the wishes and c = SOFTNESS w of each, they are the
// least of
//
//     d W d / 2 + d (J_n v - t) + c d^2 / 2,   p_n + d >= 0
//
// which is convex and 0 for d = 0. Sweeps over single rows bring it down, so that whenever they end
// the kinetic energy has grown by no more than the sum of t^2 / (2 c); without friction, whose
// impulses stay as they are, nothing can jam. The pass at the end of the step takes the velocity
// away again (exact.h).
#include "solve/exact_system.h"

#define SOFTNESS 0.25

enum { PUSH_SWEEPS = 24 };

static void push_block(sn_exact_system *system, const sn_exact_block *block, double wish,
                       double first)
{
    double p = system->p.data[block->row];
    double u = sn_exact_velocity(system, block).x, w = block->w.xx, next;
    if (block->idle || !(w > 0.0) || block->kind == SN_BLOCK_BALL) {
        return;
    }
    if (block->kind == SN_BLOCK_BOX) {
        next = p - u / w;
        next = next < block->lower ? block->lower : next > block->upper ? block->upper : next;
    } else if (wish > 0.0) {
        double soft = SOFTNESS * w;
        next = p - (u - wish + soft * (p - first)) / (w + soft);
        next = next > 0.0 ? next : 0.0;
    } else {
        next = p - u / w;
        next = next > 0.0 ? next : 0.0;
    }
    system->p.data[block->row] = next;
    sn_exact_push(system, block, sn_vec3_make(next - p, 0.0, 0.0));
}

void sn_exact_push_apart(sn_exact_system *system, const double *wishes)
{
    int count = system->blocks.count;
    for (int i = 0; i < system->p.count; ++i) {
        system->start_p.data[i] = system->p.data[i];
    }
    for (int i = 0; i < PUSH_SWEEPS; ++i) {
        for (int k = 0; k < count; ++k) {
            int at = i % 2 == 0 ? k : count - 1 - k;
            const sn_exact_block *block = &system->blocks.data[at];
            push_block(system, block, wishes[at], system->start_p.data[block->row]);
        }
    }
}
