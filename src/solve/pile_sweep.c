#include "solve/pile_wide.h"

// What a sweep knows of four contacts: motion of b against a at the middle of the points, in the
// plane's axes, and what impulses found in this visit sum up to. Points of a plane see the motion
// in two groups: normal (u_n, w_t, w_s) and in the plane (u_t, u_s, w_n).
typedef struct wide_visit {
    sn_wide3 axes[3]; // t, s, n
    sn_wide3 u, w;
    sn_wide3 apart, turn; // displacement since the start, likewise
    sn_wide3 impulse, angular;
} wide_visit;

// The normal law of one point in this visit: p <- max(0, p - mass (u_n + bias) - keep p).
typedef struct wide_law {
    sn_lanes mass, bias, keep;
} wide_law;

SN_WIDE void begin_visit(wide_visit *visit, const wide_pair *pair, const sn_pile_block *block)
{
    sn_wide3 u, w, v;
    plane_axes(visit->axes, block);
    wide_difference(&v, &pair->b.v, &pair->a.v);
    relative_motion(&u, &w, pair, &v, &pair->a.w, &pair->b.w);
    wide_to_plane(&visit->u, visit->axes, &u);
    wide_to_plane(&visit->w, visit->axes, &w);
}

// While relaxing, anchors are not asked for, and displacements along the normal will do.
SN_WIDE void find_apart(wide_visit *visit, const sn_pile_work *work, const wide_pair *pair,
                        const sn_pile_block *block, const sn_pile_extra *extra, bool pressing)
{
    sn_wide3 turn_a, turn_b, apart, turn;
    gather_turn(&turn_a, work->bodies, block->a);
    gather_turn(&turn_b, work->bodies, block->b);
    relative_motion(&apart, &turn, pair, &pair->between, &turn_a, &turn_b);
    wide_dot(&visit->apart.z, &visit->axes[2], &apart);
    wide_dot(&visit->turn.x, &visit->axes[0], &turn);
    wide_dot(&visit->turn.y, &visit->axes[1], &turn);
    if (pressing) {
        wide_dot(&visit->apart.x, &visit->axes[0], &apart);
        wide_dot(&visit->apart.y, &visit->axes[1], &apart);
        wide_dot(&visit->turn.z, &visit->axes[2], &turn);
    }
    if (block->slides_on) {
        sn_wide3 surface;
        wide_to_plane(&surface, visit->axes, &extra->surface);
        visit->u.x += surface.x;
        visit->u.y += surface.y;
        if (pressing) {
            visit->apart.x += work->elapsed * surface.x;
            visit->apart.y += work->elapsed * surface.y;
        }
    }
}

SN_WIDE void normal_velocity(sn_lanes *u_n, const wide_visit *visit, const sn_pile_point *point)
{
    sn_lanes t, s;
    widen(&t, &point->t);
    widen(&s, &point->s);
    *u_n = visit->u.z + (visit->w.x * s - visit->w.y * t);
}

// Points that are open may close by the end of the h'/2 to come, no more. Those that overlap push
// apart while pressing; while relaxing they stop, or turn round what came fast enough.
SN_WIDE void find_law(wide_law *law, const wide_visit *visit, const sn_pile_work *work,
                      const sn_pile_block *block, const sn_pile_extra *extra,
                      const sn_pile_point *point, const sn_lanes *approach, bool pressing)
{
    sn_lanes t, s, zero = {0.0, 0.0, 0.0, 0.0};
    widen(&t, &point->t);
    widen(&s, &point->s);
    widen(&law->mass, &point->mass);
    sn_lanes gap = point->gap + visit->apart.z + (visit->turn.x * s - visit->turn.y * t);
    sn_lane_mask open = gap > 0.0;
    law->bias = gap * (2.0 / work->h);
    law->keep = zero;
    if (pressing) {
        sn_lanes soft = work->rate * gap, limit, factor;
        widen(&limit, &block->push);
        limit = -limit;
        wide_max(&soft, &limit);
        wide_select(&law->bias, &open, &law->bias, &soft);
        factor = work->mass_scale * law->mass;
        wide_select(&law->mass, &open, &law->mass, &factor);
        factor = work->impulse_scale + zero;
        law->keep = (sn_lanes)(~open & (sn_lane_mask)factor);
        return;
    }
    law->bias = (sn_lanes)(open & (sn_lane_mask)law->bias);
    if (block->bounces) {
        sn_lanes rebound = extra->restitution * *approach, u_n;
        normal_velocity(&u_n, visit, point);
        sn_lane_mask bounce =
            (*approach < -extra->bounce_speed) & ((point->press > 0.0) | (u_n + law->bias < 0.0));
        wide_select(&law->bias, &bounce, &rebound, &law->bias);
    }
}

// Normal impulses of all points, one after the other. What one brings to the next goes there
// straight, (1, s, -t) . answer, which is a shorter chain of operations to wait for than the way by
// the motion at the middle.
SN_WIDE void press_each(wide_visit *visit, sn_pile_point *points, const wide_law *laws, int count)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, u_n[SN_MANIFOLD_POINTS];
    sn_lanes t[SN_MANIFOLD_POINTS], s[SN_MANIFOLD_POINTS];
    sn_wide3 u = {visit->w.x, visit->w.y, visit->u.z};
    SN_UNROLLED
    for (int i = 0; i < count; ++i) {
        widen(&t[i], &points[i].t);
        widen(&s[i], &points[i].s);
        u_n[i] = (u.z + (u.x * s[i] - u.y * t[i])) + laws[i].bias;
    }
    SN_UNROLLED
    for (int i = 0; i < count; ++i) {
        sn_pile_point *point = &points[i];
        sn_lanes old = point->press, answer[3];
        widen(&answer[0], &point->answer[0]);
        widen(&answer[1], &point->answer[1]);
        widen(&answer[2], &point->answer[2]);
        sn_lanes now = (old - laws[i].keep * old) - laws[i].mass * u_n[i];
        wide_max(&now, &zero);
        point->press = now;
        sn_lanes p = now - old;
        SN_UNROLLED
        for (int k = i + 1; k < count; ++k) {
            u_n[k] += (answer[0] + (s[k] * answer[1] - t[k] * answer[2])) * p;
        }
        visit->u.z += answer[0] * p;
        visit->w.x += answer[1] * p;
        visit->w.y += answer[2] * p;
        visit->impulse.z += p;
        visit->angular.x += s[i] * p;
        visit->angular.y -= t[i] * p;
    }
}

SN_WIDE void press_points(wide_visit *visit, sn_pile_point *points, const wide_law *laws, int count)
{
    if (count == SN_MANIFOLD_POINTS) { // as nearly all are: with loops undone
        press_each(visit, points, laws, SN_MANIFOLD_POINTS);
    } else {
        press_each(visit, points, laws, count);
    }
}

// Friction of all points: projected gradient steps on Coulomb's discs, whose fixed point is the law
// itself, whatever the steps' lengths. Anchors pull back while pressing.
SN_WIDE void rub_points(wide_visit *visit, const sn_pile_work *work, const sn_pile_block *block,
                        sn_pile_point *points, bool pressing)
{
    sn_lanes m[6], friction, push;
    widen_all(m, block->plane, 6);
    widen(&friction, &block->friction);
    widen(&push, &block->push);
    const sn_lanes *bounds =
        pressing || work->bounds == NULL ? NULL : work->bounds + block->point_first;
    for (int i = 0; i < block->point_count; ++i) {
        sn_pile_point *point = &points[i];
        sn_lanes t, s, step, off_t, off_s;
        widen(&t, &point->t);
        widen(&s, &point->s);
        widen(&step, &point->slide);
        sn_lanes u_t = visit->u.x - visit->w.z * s, u_s = visit->u.y + visit->w.z * t;
        if (pressing) {
            off_t = point->stuck_t + (visit->apart.x - visit->turn.z * s);
            off_s = point->stuck_s + (visit->apart.y + visit->turn.z * t);
            // Displacements are those of small turns: of what whirls they are anything.
            sn_lanes pull_t = work->anchor_rate * off_t, pull_s = work->anchor_rate * off_s;
            sn_lanes pull = pull_t * pull_t + pull_s * pull_s;
            sn_lane_mask strong = pull > push * push;
            if (wide_any(&strong)) {
                sn_lanes factor;
                wide_clamp_factor(&factor, &pull, &push, &strong);
                pull_t *= factor;
                pull_s *= factor;
            }
            u_t += pull_t;
            u_s += pull_s;
        }
        sn_lanes rub_t = point->rub_t - step * u_t, rub_s = point->rub_s - step * u_s;
        sn_lanes bound = friction * point->press, square = rub_t * rub_t + rub_s * rub_s;
        bound = bounds != NULL ? bounds[i] : bound;
        sn_lane_mask over = square > bound * bound;
        if (wide_any(&over)) {
            sn_lanes factor;
            wide_clamp_factor(&factor, &square, &bound, &over);
            rub_t *= factor;
            rub_s *= factor;
            if (pressing) { // what slides will stick where it is now
                point->stuck_t -= (sn_lanes)(over & (sn_lane_mask)off_t);
                point->stuck_s -= (sn_lanes)(over & (sn_lane_mask)off_s);
            }
        }
        sn_lanes p_t = rub_t - point->rub_t, p_s = rub_s - point->rub_s, m_n = t * p_s - s * p_t;
        point->rub_t = rub_t;
        point->rub_s = rub_s;
        visit->u.x += m[0] * p_t + m[1] * p_s + m[2] * m_n;
        visit->u.y += m[1] * p_t + m[3] * p_s + m[4] * m_n;
        visit->w.z += m[2] * p_t + m[4] * p_s + m[5] * m_n;
        visit->impulse.x += p_t;
        visit->impulse.y += p_s;
        visit->angular.z += m_n;
    }
}

// What normal impulses bring in the plane.
SN_WIDE void mix_normal(wide_visit *visit, const sn_pile_block *block)
{
    sn_lanes m[9];
    widen_all(m, block->mixed, 9);
    sn_lanes p = visit->impulse.z, x = visit->angular.x, y = visit->angular.y;
    visit->u.x += m[0] * p + m[1] * x + m[2] * y;
    visit->u.y += m[3] * p + m[4] * x + m[5] * y;
    visit->w.z += m[6] * p + m[7] * x + m[8] * y;
}

// What friction brings along the normal.
SN_WIDE void mix_plane(wide_visit *visit, const sn_pile_block *block)
{
    sn_lanes m[9];
    widen_all(m, block->mixed, 9);
    sn_lanes x = visit->impulse.x, y = visit->impulse.y, z = visit->angular.z;
    visit->u.z += m[0] * x + m[3] * y + m[6] * z;
    visit->w.x += m[1] * x + m[4] * y + m[7] * z;
    visit->w.y += m[2] * x + m[5] * y + m[8] * z;
}

// What the visit found goes to the bodies: exactly, whereas responses within it are those of the
// start of the step.
SN_WIDE void end_visit(const wide_visit *visit, wide_pair *pair)
{
    sn_wide3 impulse, angular;
    wide_from_plane(&impulse, visit->axes, &visit->impulse);
    wide_from_plane(&angular, visit->axes, &visit->angular);
    push_pair(pair, &impulse, &angular);
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

// A bound that does not cut a vector.
SN_WIDE void at_least(sn_lanes *bound, const sn_wide3 *vector)
{
    sn_lanes square;
    wide_dot(&square, vector, vector);
    sn_lanes length = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    wide_max(bound, &length);
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
SN_WIDE void solve_turning(const sn_pile_work *work, const sn_pile_block *block,
                           sn_pile_extra *extra, wide_pair *pair, bool pressing)
{
    const sn_pile_point *points = work->points + block->point_first;
    const sn_wide3 *n = &block->n;
    sn_lanes press = points[0].press, along, along_held = {0.0, 0.0, 0.0, 0.0}, bound;
    for (int i = 1; i < block->point_count; ++i) {
        press += points[i].press;
    }
    sn_wide3 slip = {pair->b.w.x - pair->a.w.x, pair->b.w.y - pair->a.w.y,
                     pair->b.w.z - pair->a.w.z};
    sn_wide3 across = extra->turning, spin, held = across;
    bool holds = work->bounds != NULL && !pressing; // what is there is not cut
    wide_sub_scaled(&across, &extra->turn_step, &slip);
    wide_dot(&along, n, &across);
    wide_sub_scaled(&across, &along, n);
    bound = extra->rolling * press;
    if (holds) {
        wide_dot(&along_held, n, &held);
        wide_sub_scaled(&held, &along_held, n);
        at_least(&bound, &held);
    }
    clamp_wide(&across, &bound);
    spin = *n;
    wide_scale(&spin, &along);
    bound = extra->spinning * press;
    if (holds) {
        held = *n;
        wide_scale(&held, &along_held);
        at_least(&bound, &held);
    }
    clamp_wide(&spin, &bound);
    wide_add(&across, &spin);
    sn_wide3 change = {across.x - extra->turning.x, across.y - extra->turning.y,
                       across.z - extra->turning.z};
    twist_pair(pair, &change);
    extra->turning = across;
    if (work->tallies_up) {
        wide_add(&extra->turning_total, &across);
    }
}

// Does any point of any lane hold an impulse?
SN_WIDE bool is_pressed(const sn_pile_point *points, int count)
{
    sn_lanes sum = points[0].press;
    for (int i = 1; i < count; ++i) {
        sum += points[i].press;
    }
    sn_lane_mask pressed = sum > 0.0;
    return wide_any(&pressed);
}

// What is not counted yet is not read: contacts come in without tallies.
SN_WIDE void tally_up(const sn_pile_work *work, sn_pile_tally *tallies, const sn_pile_point *points,
                      int count)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        sn_pile_tally sum = {zero, zero, zero};
        if (!work->first_tally) {
            sum = tallies[i];
        }
        sum.press += points[i].press;
        sum.rub_t += points[i].rub_t;
        sum.rub_s += points[i].rub_s;
        tallies[i] = sum;
    }
}

SN_WIDE void tally_nothing(const sn_pile_work *work, sn_pile_tally *tallies, int count)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; work->first_tally && i < count; ++i) {
        tallies[i] = (sn_pile_tally){zero, zero, zero};
    }
}

// ---- looking ahead ----

// What a sweep will read soon: a large pile is not in the cache, and blocks are so long that the
// machine's own foresight ends within one. Counts of points have to be there before it can be said
// where points end. The machine has some twenty lines on their way at once and a block has forty:
// those of its points are asked for one point at a time, in the course of a visit. Small piles need
// none of it, nor do sweeps that find a cluster in the cache.
enum { BLOCKS_AHEAD = 4, POINTS_AHEAD = 2, LARGE = 1024 };

// The block of which points are to be asked for; NULL: none.
SN_WIDE const sn_pile_block *look_ahead(const sn_pile_work *work, int index)
{
    if (index + BLOCKS_AHEAD < work->block_count) {
        prefetch(&work->blocks[index + BLOCKS_AHEAD], sizeof(sn_pile_block));
    }
    if (index + POINTS_AHEAD >= work->block_count) {
        return NULL;
    }
    const sn_pile_block *next = &work->blocks[index + POINTS_AHEAD];
    for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
        prefetch(&work->bodies[next->a[lane]], sizeof(sn_pile_body));
        prefetch(&work->bodies[next->b[lane]], sizeof(sn_pile_body));
    }
    return next;
}

SN_WIDE void prefetch_point(const sn_pile_work *work, const sn_pile_block *next, int index)
{
    if (next != NULL && index < next->point_count) {
        prefetch(work->points + next->point_first + index, sizeof(sn_pile_point));
        prefetch(work->tallies + next->point_first + index, sizeof(sn_pile_tally));
    }
}

// ---- visits ----

// One visit. Normal impulses come last, so that what friction turns does not sink in; while
// pressing they come first as well, so that friction of a new contact knows its bound.
SN_WIDE void solve_block(const sn_pile_work *work, int index, bool pressing, bool ahead)
{
    const sn_pile_block *block = &work->blocks[index];
    sn_pile_extra *extra = sn_pile_extra_of(work, index);
    sn_pile_point *points = work->points + block->point_first;
    sn_pile_tally *tallies = work->tallies + block->point_first;
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    wide_pair pair;
    wide_visit visit;
    wide_law laws[SN_MANIFOLD_POINTS];
    int count = block->point_count;
    const sn_pile_block *next = ahead ? look_ahead(work, index) : NULL;
    bool pressed = is_pressed(points, count);
    gather_pair(&pair, work->bodies, block);
    begin_visit(&visit, &pair, block);
    find_apart(&visit, work, &pair, block, extra, pressing);
    visit.impulse = visit.angular = (sn_wide3){zero, zero, zero};
    for (int i = 0; i < count; ++i) {
        const sn_lanes *approach =
            block->bounces ? &work->approaches[block->point_first + i] : NULL;
        find_law(&laws[i], &visit, work, block, extra, &points[i], approach, pressing);
    }
    prefetch_point(work, next, 0);
    if (pressing) {
        press_points(&visit, points, laws, count);
        pressed = pressed || is_pressed(points, count);
        mix_normal(&visit, block);
    }
    prefetch_point(work, next, 1);
    if (pressed) { // what does not touch does not rub
        rub_points(&visit, work, block, points, pressing);
        mix_plane(&visit, block);
    }
    prefetch_point(work, next, 2);
    prefetch_point(work, next, 3);
    if (pressed || !pressing) {
        press_points(&visit, points, laws, count);
        pressed = pressed || is_pressed(points, count);
    }
    if (!pressed) {
        tally_nothing(work, tallies, count);
        return;
    }
    end_visit(&visit, &pair);
    if (block->rolls) {
        solve_turning(work, block, extra, &pair, pressing);
    }
    scatter_pair(work->bodies, work->body_count, block, &pair);
    if (work->tallies_up) {
        tally_up(work, tallies, points, count);
    }
    if (work->tallies_up && work->starts_next) {
        leave_start(work, index, visit.axes, &pair);
    }
}

// Impulses of the sub-step before, where answers are found anew in each.
SN_WIDE void start_block(const sn_pile_work *work, int index)
{
    const sn_pile_block *block = &work->blocks[index];
    const sn_pile_point *points = work->points + block->point_first;
    wide_visit visit;
    sum_impulses(&visit.impulse, &visit.angular, points, block->point_count);
    sn_lane_mask acts = visit.impulse.z > 0.0;
    if (!wide_any(&acts)) {
        return;
    }
    wide_pair pair;
    gather_pair(&pair, work->bodies, block);
    plane_axes(visit.axes, block);
    end_visit(&visit, &pair);
    if (block->rolls) {
        twist_pair(&pair, &work->extras[index].turning);
    }
    scatter_pair(work->bodies, work->body_count, block, &pair);
}

// How fast points close, for those that may rebound.
SN_WIDE void approach_block(const sn_pile_work *work, int index)
{
    const sn_pile_block *block = &work->blocks[index];
    const sn_pile_point *points = work->points + block->point_first;
    wide_pair pair;
    wide_visit visit;
    gather_pair(&pair, work->bodies, block);
    begin_visit(&visit, &pair, block);
    for (int i = 0; i < block->point_count; ++i) {
        normal_velocity(&work->approaches[block->point_first + i], &visit, &points[i]);
    }
}

// ---- runs of blocks ----

typedef struct sweep_run {
    const sn_pile_work *work;
    int block_first;
    sn_pile_sweep sweep;
} sweep_run;

SN_WIDE void sweep_blocks(const sweep_run *run, int first, int last)
{
    const sn_pile_work *work = run->work;
    first += run->block_first;
    last += run->block_first;
    bool large = work->block_count >= LARGE;
    switch (run->sweep) {
    case SN_PILE_LOAD:
        sn_pile_load_blocks(work, first, last);
        break;
    case SN_PILE_STORE:
        sn_pile_store_blocks(work, first, last);
        break;
    case SN_PILE_START:
        for (int i = first; i < last; ++i) {
            const sn_pile_block *next = large ? look_ahead(work, i) : NULL;
            for (int k = 0; k < SN_MANIFOLD_POINTS; ++k) {
                prefetch_point(work, next, k);
            }
            start_block(work, i);
        }
        break;
    case SN_PILE_APPROACH:
        for (int i = first; i < last; ++i) {
            if (work->blocks[i].bounces) {
                approach_block(work, i);
            }
        }
        break;
    case SN_PILE_PRESS:
        for (int i = first; i < last; ++i) {
            solve_block(work, i, true, large);
        }
        break;
    case SN_PILE_RELAX:
        for (int i = first; i < last; ++i) {
            solve_block(work, i, false, large && first >= work->own_blocks);
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

static void sweep_cluster(void *context, int first, int last, int chunk)
{
    sweep_run *run = context;
    for (int i = first; i < last; ++i) {
        const sn_pile_cluster *cluster = &run->work->clusters[i];
        sweep_chunk(context, cluster->block_first, cluster->block_first + cluster->block_count,
                    chunk);
    }
}

static void sweep_between(sn_pile_work *work, sn_pile_sweep sweep)
{
    for (int i = 0; i < work->colour_count; ++i) {
        const sn_pile_colour *colour = &work->colours[i];
        sweep_run run = {work, colour->block_first, sweep};
        sn_threads_run(colour->serial ? NULL : work->threads, colour->block_count,
                       SN_PILE_BLOCK_CHUNK, sweep_chunk, &run);
    }
}

void sn_pile_run_sweep(sn_pile_work *work, sn_pile_sweep sweep)
{
    sweep_run within = {work, 0, sweep};
    sn_threads_run(work->threads, work->cluster_count, 1, sweep_cluster, &within);
    sweep_between(work, sweep);
}

typedef struct substep_run {
    sweep_run press, relax, store;
    bool last;
} substep_run;

static void substep_cluster(void *context, int first, int last, int chunk)
{
    substep_run *run = context;
    const sn_pile_work *work = run->press.work;
    for (int i = first; i < last; ++i) {
        int begin = i * work->cluster_size, end = begin + work->cluster_size;
        sweep_cluster(&run->press, i, i + 1, chunk);
        sn_pile_drift_run(work, begin, end < work->body_count ? end : work->body_count);
        sweep_cluster(&run->relax, i, i + 1, chunk);
        if (run->last) {
            sweep_cluster(&run->store, i, i + 1, chunk);
        }
    }
}

void sn_pile_run_substep(sn_pile_work *pressing, sn_pile_work *relaxing, bool last)
{
    substep_run within = {{pressing, 0, SN_PILE_PRESS},
                          {relaxing, 0, SN_PILE_RELAX},
                          {relaxing, 0, SN_PILE_STORE},
                          last};
    sweep_between(pressing, SN_PILE_PRESS);
    sn_threads_run(pressing->threads, pressing->cluster_count, 1, substep_cluster, &within);
    sweep_between(relaxing, SN_PILE_RELAX);
    if (last) {
        sweep_between(relaxing, SN_PILE_STORE);
    }
}
