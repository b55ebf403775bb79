#include "solve/pile_wide.h"

// Both bodies of four contacts, as a sweep finds them.
typedef struct wide_pair {
    wide_motion a, b;
    wide_inertia inertia_a, inertia_b;
    sn_wide3 between;        // c_b - c_a
    sn_wide3 turn_a, turn_b; // since the start of the step
} wide_pair;

SN_WIDE void gather_pair(wide_pair *pair, const sn_pile_work *work, const sn_pile_block *block)
{
    const sn_pile_body *bodies = work->bodies;
    sn_wide3 from;
    gather_motion(&pair->a, bodies, block->a);
    gather_motion(&pair->b, bodies, block->b);
    gather_inertia(&pair->inertia_a, bodies, block->a);
    gather_inertia(&pair->inertia_b, bodies, block->b);
    gather_centre(&from, bodies, block->a);
    gather_centre(&pair->between, bodies, block->b);
    pair->between.x -= from.x;
    pair->between.y -= from.y;
    pair->between.z -= from.z;
}

SN_WIDE void point_arms(sn_wide3 *arm_a, sn_wide3 *arm_b, const sn_pile_block *block,
                        const sn_pile_point *point, const wide_pair *pair)
{
    *arm_a = point->arm;
    *arm_b = point->arm;
    wide_add_scaled(arm_a, &block->share_b, &pair->between);
    wide_sub_scaled(arm_b, &block->share_a, &pair->between);
}

// b's point less a's now: to first order in the bodies' turns.
SN_WIDE void point_apart(sn_wide3 *apart, const sn_pile_work *work, const sn_pile_block *block,
                         const sn_pile_point *point, const wide_pair *pair, const sn_wide3 *arm_a,
                         const sn_wide3 *arm_b)
{
    sn_wide3 moved_a, moved_b;
    wide_cross(&moved_a, &pair->turn_a, arm_a);
    wide_cross(&moved_b, &pair->turn_b, arm_b);
    apart->x = (point->apart.x + pair->between.x) + (moved_b.x - moved_a.x);
    apart->y = (point->apart.y + pair->between.y) + (moved_b.y - moved_a.y);
    apart->z = (point->apart.z + pair->between.z) + (moved_b.z - moved_a.z);
    apart->x += work->elapsed * block->surface.x;
    apart->y += work->elapsed * block->surface.y;
    apart->z += work->elapsed * block->surface.z;
}

// The law of one point: normal first, then friction, which knows of the normal impulse both as its
// bound and by the slip it brings. Each is a projected gradient step; its fixed point is the law
// itself, Coulomb's disc included, whatever the steps' lengths.
SN_WIDE void solve_point(const sn_pile_work *work, const sn_pile_block *block, sn_pile_point *point,
                         wide_pair *pair, bool pressing)
{
    const sn_wide3 *n = &block->normal;
    sn_wide3 arm_a, arm_b, u, apart;
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    point_arms(&arm_a, &arm_b, block, point, pair);
    wide_slip(&u, &pair->a, &pair->b, &arm_a, &arm_b);
    point_apart(&apart, work, block, point, pair, &arm_a, &arm_b);
    sn_lanes u_n, gap, old = point->press;
    wide_dot(&u_n, n, &u);
    wide_dot(&gap, n, &apart);

    // Points that are open may close by the end of the h'/2 to come, no more.
    sn_lane_mask open = gap > 0.0;
    sn_lanes bias = gap * (2.0 / work->h), mass = point->mass, keep = zero;
    if (pressing) {
        sn_lanes soft = block->rate * gap, limit = -block->push, factor;
        wide_max(&soft, &limit);
        wide_select(&bias, &open, &bias, &soft);
        factor = block->mass_scale * point->mass;
        wide_select(&mass, &open, &mass, &factor);
        wide_select(&keep, &open, &zero, &block->impulse_scale);
    } else {
        bias = (sn_lanes)(open & (sn_lane_mask)bias);
        if (block->bounces) { // an approach that meets an impulse turns round
            sn_lanes rebound = block->restitution * point->approach;
            sn_lane_mask bounce = (point->approach < -block->bounce_speed) &
                                  ((old > 0.0) | (u_n + bias < 0.0));
            wide_select(&bias, &bounce, &rebound, &bias);
        }
    }
    sn_lanes now = old - (mass * (u_n + bias) + keep * old);
    wide_max(&now, &zero);
    sn_lanes change = now - old;
    point->press = now;

    // Slip, with what the normal impulse adds to it; anchors pull back while pressing.
    sn_wide3 slip = u, rub = point->rub;
    wide_sub_scaled(&slip, &u_n, n);
    wide_add_scaled(&slip, &change, &point->cross);
    wide_add(&slip, &block->surface);
    wide_sub_scaled(&apart, &gap, n);
    if (pressing) {
        wide_add_scaled(&slip, &block->rate, &apart);
    }
    wide_sub_scaled(&rub, &point->slide_step, &slip);
    sn_lanes bound = block->friction * now, square;
    wide_dot(&square, &rub, &rub);
    sn_lane_mask over = square > bound * bound;
    if (wide_any(&over)) {
        sn_lanes factor;
        wide_clamp_factor(&factor, &square, &bound, &over);
        wide_scale(&rub, &factor);
        // What slides will stick where it is now.
        point->apart.x -= (sn_lanes)(over & (sn_lane_mask)apart.x);
        point->apart.y -= (sn_lanes)(over & (sn_lane_mask)apart.y);
        point->apart.z -= (sn_lanes)(over & (sn_lane_mask)apart.z);
    }
    sn_wide3 impulse = {rub.x - point->rub.x, rub.y - point->rub.y, rub.z - point->rub.z};
    point->rub = rub;
    wide_add_scaled(&impulse, &change, n);
    wide_push(&pair->a, &pair->b, &pair->inertia_a, &pair->inertia_b, &arm_a, &arm_b, &impulse);
    if (!pressing) {
        point->press_total += now;
        wide_add(&point->rub_total, &rub);
    }
}

// Clamps a vector to a length.
SN_WIDE void clamp_wide(sn_wide3 *vector, const sn_lanes *bound)
{
    sn_lanes square, factor;
    wide_dot(&square, vector, vector);
    sn_lane_mask over = square > *bound * *bound;
    if (wide_any(&over)) {
        wide_clamp_factor(&factor, &square, bound, &over);
        wide_scale(vector, &factor);
    }
}

// An angular impulse on b, its opposite on a.
SN_WIDE void twist_pair(wide_pair *pair, const sn_wide3 *twist)
{
    sn_wide3 spin;
    wide_inertia_apply(&spin, &pair->inertia_b, twist);
    wide_add(&pair->b.w, &spin);
    wide_inertia_apply(&spin, &pair->inertia_a, twist);
    pair->a.w.x -= spin.x;
    pair->a.w.y -= spin.y;
    pair->a.w.z -= spin.z;
}

// Rolling and spinning friction: moments against relative turning, bounded across and along the
// normal by lengths times the normal impulse.
SN_WIDE void solve_turning(const sn_pile_work *work, sn_pile_block *block, wide_pair *pair,
                           bool pressing)
{
    const sn_pile_point *points = work->points + block->point_first;
    const sn_wide3 *n = &block->normal;
    sn_lanes press = points[0].press, along, bound;
    for (int i = 1; i < block->point_count; ++i) {
        press += points[i].press;
    }
    sn_wide3 slip = {pair->b.w.x - pair->a.w.x, pair->b.w.y - pair->a.w.y,
                     pair->b.w.z - pair->a.w.z};
    sn_wide3 across = block->turning, spin;
    wide_sub_scaled(&across, &block->turn_step, &slip);
    wide_dot(&along, n, &across);
    wide_sub_scaled(&across, &along, n);
    bound = block->rolling * press;
    clamp_wide(&across, &bound);
    spin = *n;
    wide_scale(&spin, &along);
    bound = block->spinning * press;
    clamp_wide(&spin, &bound);
    wide_add(&across, &spin);
    sn_wide3 change = {across.x - block->turning.x, across.y - block->turning.y,
                       across.z - block->turning.z};
    twist_pair(pair, &change);
    block->turning = across;
    if (!pressing) {
        wide_add(&block->turning_total, &across);
    }
}

SN_WIDE void scatter_pair(const sn_pile_work *work, const sn_pile_block *block,
                          const wide_pair *pair)
{
    scatter_motion(work->bodies, block->a, work->body_count, &pair->a);
    scatter_motion(work->bodies, block->b, work->body_count, &pair->b);
}

SN_WIDE void solve_block(const sn_pile_work *work, sn_pile_block *block, bool pressing)
{
    wide_pair pair;
    gather_pair(&pair, work, block);
    gather_turn(&pair.turn_a, work->bodies, block->a);
    gather_turn(&pair.turn_b, work->bodies, block->b);
    sn_pile_point *points = work->points + block->point_first;
    for (int i = 0; i < block->point_count; ++i) {
        solve_point(work, block, &points[i], &pair, pressing);
    }
    if (block->rolls) {
        solve_turning(work, block, &pair, pressing);
    }
    scatter_pair(work, block, &pair);
}

// Impulses of the sub-step before.
SN_WIDE void start_block(const sn_pile_work *work, const sn_pile_block *block)
{
    wide_pair pair;
    gather_pair(&pair, work, block);
    const sn_pile_point *points = work->points + block->point_first;
    for (int i = 0; i < block->point_count; ++i) {
        sn_wide3 arm_a, arm_b, impulse = points[i].rub;
        point_arms(&arm_a, &arm_b, block, &points[i], &pair);
        wide_add_scaled(&impulse, &points[i].press, &block->normal);
        wide_push(&pair.a, &pair.b, &pair.inertia_a, &pair.inertia_b, &arm_a, &arm_b, &impulse);
    }
    if (block->rolls) {
        twist_pair(&pair, &block->turning);
    }
    scatter_pair(work, block, &pair);
}

// How fast points close, for those that may rebound.
SN_WIDE void approach_block(const sn_pile_work *work, const sn_pile_block *block)
{
    wide_pair pair;
    gather_pair(&pair, work, block);
    sn_pile_point *points = work->points + block->point_first;
    for (int i = 0; i < block->point_count; ++i) {
        sn_wide3 arm_a, arm_b, u;
        point_arms(&arm_a, &arm_b, block, &points[i], &pair);
        wide_slip(&u, &pair.a, &pair.b, &arm_a, &arm_b);
        wide_dot(&points[i].approach, &block->normal, &u);
    }
}

// ---- runs of blocks ----

typedef struct sweep_run {
    const sn_pile_work *work;
    sn_pile_block *blocks;
    sn_pile_sweep sweep;
} sweep_run;

SN_WIDE void sweep_blocks(const sweep_run *run, int first, int last)
{
    const sn_pile_work *work = run->work;
    switch (run->sweep) {
    case SN_PILE_START:
        for (int i = first; i < last; ++i) {
            start_block(work, &run->blocks[i]);
        }
        break;
    case SN_PILE_APPROACH:
        for (int i = first; i < last; ++i) {
            if (run->blocks[i].bounces) {
                approach_block(work, &run->blocks[i]);
            }
        }
        break;
    case SN_PILE_PRESS:
        for (int i = first; i < last; ++i) {
            solve_block(work, &run->blocks[i], true);
        }
        break;
    case SN_PILE_RELAX:
        for (int i = first; i < last; ++i) {
            solve_block(work, &run->blocks[i], false);
        }
        break;
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void sweep_avx2(const sweep_run *run, int first, int last)
{
    sweep_blocks(run, first, last);
}
#endif

static void sweep_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const sweep_run *run = context;
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        sweep_avx2(run, first, last);
        return;
    }
#endif
    sweep_blocks(run, first, last);
}

void sn_pile_run_sweep(sn_pile_work *work, sn_pile_sweep sweep)
{
    for (int i = 0; i < work->colour_count; ++i) {
        const sn_pile_colour *colour = &work->colours[i];
        sweep_run run = {work, work->blocks + colour->block_first, sweep};
        sn_threads_run(colour->serial ? NULL : work->threads, colour->block_count,
                       SN_PILE_BLOCK_CHUNK, sweep_chunk, &run);
    }
}
