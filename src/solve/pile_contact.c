#include "solve/pile_wide.h"

// Overlap as a spring and damper of frequency f and damping ratio z on the contact's effective
// mass, integrated implicitly (Catto, "Soft constraints", 2011), with t = h' and w = 2 pi f:
//
//     rate = w / (2 z + t w),  mass_scale = a / (1 + a),  impulse_scale = 1 / (1 + a),
//     a = t w (2 z + t w)
//
// The frequency is a share of the sub-step's rate. Pushing acts for half a sub-step, hence twice
// the rate.
static const double softness_share = 0.125;
static const double softness_ratio = 10.0;
static const double push_share = 0.0125; // of a size in a sub-step
static const double bounce_share = 2.0;  // approach slower than this many g h' does not rebound

static void put_lane(sn_wide3 *wide, int lane, sn_vec3 a)
{
    wide->x[lane] = a.x;
    wide->y[lane] = a.y;
    wide->z[lane] = a.z;
}

static sn_vec3 get_lane(const sn_wide3 *wide, int lane)
{
    return sn_vec3_make(wide->x[lane], wide->y[lane], wide->z[lane]);
}

static sn_vec3 centre_of(const sn_pile_work *work, int body)
{
    return sn_vec3_at(work->bodies[body].centre);
}

static sn_vec3 tangential(sn_vec3 a, sn_vec3 normal)
{
    return sn_vec3_add_scaled(a, -sn_dot(a, normal), normal);
}

static void load_point(const sn_pile_work *work, const sn_pile_block *block, int lane,
                       const sn_contact *contact, const sn_contact_point *from, double scale,
                       sn_pile_point *point)
{
    sn_vec3 a = centre_of(work, block->a[lane]), b = centre_of(work, block->b[lane]);
    sn_vec3 n = contact->normal, arm = sn_vec3_scale(0.5, sn_vec3_add(from->on_a, from->on_b));
    arm = sn_vec3_add_scaled(arm, -block->share_a[lane], a);
    arm = sn_vec3_add_scaled(arm, -block->share_b[lane], b);
    sn_vec3 apart = sn_vec3_add_scaled(tangential(from->anchor, n), from->gap, n);
    double press = scale * sn_dot(from->impulse, n);
    sn_vec3 rub = sn_vec3_scale(scale, tangential(from->impulse, n));
    put_lane(&point->arm, lane, arm);
    put_lane(&point->apart, lane, sn_vec3_sub(apart, sn_vec3_sub(b, a)));
    put_lane(&point->rub, lane, press > 0.0 ? rub : SN_VEC3_ZERO);
    point->press[lane] = press > 0.0 ? press : 0.0;
}

static void load_lane(const sn_pile_work *work, sn_pile_block *block, int lane, double scale)
{
    const sn_contact *contact = &work->contacts[block->contact[lane]];
    bool a_moves = block->a[lane] != work->body_count, b_moves = block->b[lane] != work->body_count;
    double h = work->h, w = 2.0 * SN_PI * softness_share / h, c = 2.0 * softness_ratio + h * w;
    double gravity = sn_length(work->gravity);
    put_lane(&block->normal, lane, contact->normal);
    put_lane(&block->surface, lane, contact->surface_velocity);
    put_lane(&block->turning, lane, sn_vec3_scale(scale, contact->turning));
    block->share_a[lane] = !b_moves ? 1.0 : a_moves ? 0.5 : 0.0;
    block->share_b[lane] = 1.0 - block->share_a[lane];
    block->friction[lane] = contact->friction;
    block->rate[lane] = 2.0 * w / c;
    block->mass_scale[lane] = h * w * c / (1.0 + h * w * c);
    block->impulse_scale[lane] = 1.0 / (1.0 + h * w * c);
    block->push[lane] = push_share * contact->size / h;
    block->restitution[lane] = contact->restitution;
    block->bounce_speed[lane] = bounce_share * gravity * h;
    block->rolling[lane] = contact->rolling_friction;
    block->spinning[lane] = contact->spinning_friction;
    block->bounces |= contact->restitution > 0.0;
    block->rolls |= contact->rolling_friction > 0.0 || contact->spinning_friction > 0.0;
    sn_pile_point *points = work->points + block->point_first;
    for (int i = 0; i < contact->count; ++i) {
        load_point(work, block, lane, contact, &contact->points[i], scale, &points[i]);
    }
}

// 1 where a lane has this point, else 0.
SN_WIDE void live_lanes(sn_lanes *live, const sn_pile_work *work, const sn_pile_block *block,
                        int point)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        int contact = block->contact[i];
        (*live)[i] = contact >= 0 && point < work->contacts[contact].count ? 1.0 : 0.0;
    }
}

// W d: the velocity that a unit impulse along d brings to the point.
SN_WIDE void response(sn_wide3 *u, const wide_inertia *a, const wide_inertia *b,
                      const sn_wide3 *arm_a, const sn_wide3 *arm_b, const sn_wide3 *d)
{
    wide_motion at_a = {0}, at_b = {0};
    wide_push(&at_a, &at_b, a, b, arm_a, arm_b, d);
    wide_slip(u, &at_a, &at_b, arm_a, arm_b);
}

// Some unit vector at right angles to the unit vector n, without a branch: n crossed with the axis
// it is least along.
SN_WIDE void wide_perpendicular(sn_wide3 *t, const sn_wide3 *n)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        put_lane(t, i, sn_perpendicular(get_lane(n, i)));
    }
}

// The largest eigenvalue of [a b; b c] is (a + c)/2 + sqrt((a - c)^2/4 + b^2).
SN_WIDE void largest_eigenvalue(sn_lanes *result, const sn_lanes *a, const sn_lanes *b,
                                const sn_lanes *c)
{
    sn_lanes half = 0.5 * (*a - *c), root = half * half + *b * *b;
    root = (sn_lanes){sqrt(root[0]), sqrt(root[1]), sqrt(root[2]), sqrt(root[3])};
    *result = 0.5 * (*a + *c) + root;
}

SN_WIDE void prepare_point(const sn_pile_work *work, const sn_pile_block *block, int index,
                           const wide_inertia *a, const wide_inertia *b, const sn_wide3 *between)
{
    sn_pile_point *point = &work->points[block->point_first + index];
    const sn_wide3 *n = &block->normal;
    sn_wide3 arm_a = point->arm, arm_b = point->arm, u, t, s;
    sn_lanes live, w_nn, tt, ts, ss, largest, one = {1.0, 1.0, 1.0, 1.0};
    wide_add_scaled(&arm_a, &block->share_b, between);
    wide_sub_scaled(&arm_b, &block->share_a, between);
    live_lanes(&live, work, block, index);
    sn_lane_mask on = live > 0.0;

    response(&u, a, b, &arm_a, &arm_b, n);
    wide_dot(&w_nn, n, &u);
    point->cross = u;
    wide_sub_scaled(&point->cross, &w_nn, n);
    wide_select(&w_nn, &on, &w_nn, &one);
    point->mass = live / w_nn;

    wide_perpendicular(&t, n);
    wide_cross(&s, n, &t);
    response(&u, a, b, &arm_a, &arm_b, &t);
    wide_dot(&tt, &t, &u);
    wide_dot(&ts, &s, &u);
    response(&u, a, b, &arm_a, &arm_b, &s);
    wide_dot(&ss, &s, &u);
    largest_eigenvalue(&largest, &tt, &ts, &ss);
    wide_select(&largest, &on, &largest, &one);
    point->slide_step = live / largest;
}

// 1 / a bound of the largest eigenvalue (Gershgorin); exact for balls and cubes.
SN_WIDE void prepare_turning(const sn_pile_work *work, sn_pile_block *block, const wide_inertia *a,
                             const wide_inertia *b)
{
    (void)work;
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        double xy = fabs(a->xy[i] + b->xy[i]), xz = fabs(a->xz[i] + b->xz[i]);
        double yz = fabs(a->yz[i] + b->yz[i]);
        double x = a->xx[i] + b->xx[i] + xy + xz, y = a->yy[i] + b->yy[i] + xy + yz;
        double z = a->zz[i] + b->zz[i] + xz + yz, most = fmax(x, fmax(y, z));
        block->turn_step[i] = most > 0.0 ? 1.0 / most : 0.0;
    }
}

SN_WIDE void prepare_block(const sn_pile_work *work, sn_pile_block *block)
{
    wide_inertia a, b;
    sn_wide3 from, between;
    gather_inertia(&a, work->bodies, block->a);
    gather_inertia(&b, work->bodies, block->b);
    gather_centre(&from, work->bodies, block->a);
    gather_centre(&between, work->bodies, block->b);
    between.x -= from.x;
    between.y -= from.y;
    between.z -= from.z;
    for (int i = 0; i < block->point_count; ++i) {
        prepare_point(work, block, i, &a, &b, &between);
    }
    if (block->rolls) {
        prepare_turning(work, block, &a, &b);
    }
}

// ---- runs of blocks ----

typedef struct load_run {
    const sn_pile_work *work;
    double scale;
} load_run;

static void clear_block(const sn_pile_work *work, sn_pile_block *block)
{
    sn_pile_block empty = {.point_first = block->point_first, .point_count = block->point_count};
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        empty.a[i] = block->a[i];
        empty.b[i] = block->b[i];
        empty.contact[i] = block->contact[i];
    }
    *block = empty;
    for (int i = 0; i < block->point_count; ++i) {
        work->points[block->point_first + i] = (sn_pile_point){0};
    }
}

SN_WIDE void load_blocks(const load_run *run, int first, int last)
{
    const sn_pile_work *work = run->work;
    for (int i = first; i < last; ++i) {
        sn_pile_block *block = &work->blocks[i];
        clear_block(work, block);
        for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
            if (block->contact[lane] >= 0) {
                load_lane(work, block, lane, run->scale);
            }
        }
        prepare_block(work, block);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void load_blocks_avx2(const load_run *run, int first,
                                                             int last)
{
    load_blocks(run, first, last);
}
#endif

static void load_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const load_run *run = context;
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        load_blocks_avx2(run, first, last);
        return;
    }
#endif
    load_blocks(run, first, last);
}

void sn_pile_load_contacts(sn_pile_work *work, double scale)
{
    load_run run = {work, scale};
    sn_threads_run(work->threads, work->block_count, SN_PILE_BLOCK_CHUNK, load_chunk, &run);
    work->bounces = false;
    for (int i = 0; i < work->block_count; ++i) {
        work->bounces |= work->blocks[i].bounces;
    }
}

// ---- the answer ----

// b's point less a's at the end, tangential: what point_apart of pile_sweep.c says of one lane.
static sn_vec3 anchor_now(const sn_pile_work *work, const sn_pile_block *block,
                          const sn_pile_point *point, int lane)
{
    const sn_pile_body *a = &work->bodies[block->a[lane]], *b = &work->bodies[block->b[lane]];
    sn_vec3 between = sn_vec3_sub(sn_vec3_at(b->centre), sn_vec3_at(a->centre));
    sn_vec3 arm = get_lane(&point->arm, lane);
    sn_vec3 arm_a = sn_vec3_add_scaled(arm, block->share_b[lane], between);
    sn_vec3 arm_b = sn_vec3_add_scaled(arm, -block->share_a[lane], between);
    sn_vec3 apart = sn_vec3_add(get_lane(&point->apart, lane), between);
    apart = sn_vec3_add(apart, sn_cross(sn_vec3_at(b->turn), arm_b));
    apart = sn_vec3_sub(apart, sn_cross(sn_vec3_at(a->turn), arm_a));
    apart = sn_vec3_add_scaled(apart, work->elapsed, get_lane(&block->surface, lane));
    return tangential(apart, get_lane(&block->normal, lane));
}

static void store_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const sn_pile_work *work = context;
    for (int i = first * SN_PILE_LANES; i < last * SN_PILE_LANES; ++i) {
        const sn_pile_block *block = &work->blocks[i / SN_PILE_LANES];
        int lane = i % SN_PILE_LANES;
        if (block->contact[lane] < 0) {
            continue;
        }
        sn_contact *contact = &work->contacts[block->contact[lane]];
        contact->turning = get_lane(&block->turning_total, lane);
        for (int j = 0; j < contact->count; ++j) {
            const sn_pile_point *point = &work->points[block->point_first + j];
            sn_contact_point *to = &contact->points[j];
            double press = point->press_total[lane];
            to->impulse =
                sn_vec3_add_scaled(get_lane(&point->rub_total, lane), press, contact->normal);
            to->touched = press > 0.0;
            to->anchor =
                point->press[lane] > 0.0 ? anchor_now(work, block, point, lane) : SN_VEC3_ZERO;
        }
    }
}

void sn_pile_store_contacts(sn_pile_work *work)
{
    sn_threads_run(work->threads, work->block_count, SN_PILE_BLOCK_CHUNK, store_chunk, work);
}
