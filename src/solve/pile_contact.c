#include <string.h>

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

// Anchors pull back at this share of the rate, slowly: friction is kept from sub-step to sub-step
// and sums up how far they are off, which answers late where many contacts act on one motion. With
// e << 1 what one contact undoes of it in a visit and a = h' times the rate of anchors, motions
// x ~ exp(s t / h') of a pile that sticks obey about
//
//     s^3 + 2 e s^2 + 2 e s + e a = 0,
//
// which swings up when 4 e < a. In a pile of n layers e is about 1 / (2 n^2).
static const double anchor_share = 1.0 / 16.0;
static const double push_share = 1.0 / 64.0; // of a size in half a step, as in exact.h
static const double wedged_share = 0.05;     // of a size
static const double whirling = 0.1;          // rad in a sub-step, of uneven bodies
static const double bounce_share = 2.0;      // approach slower than this many g h' does not rebound

// Four contacts side by side. Lanes without one show the first lane's and are not live.
typedef struct wide_contact {
    const sn_contact *contact[SN_PILE_LANES];
    sn_wide3 axes[3];                    // t, s, n
    sn_wide3 centre_a, centre_b, middle; // of the bodies, and of the points
    sn_lanes share_a, share_b;
    sn_lane_mask live[SN_MANIFOLD_POINTS];
    double scale; // of impulses of the last step
} wide_contact;

#define SN_FOUR(field)                                                                             \
    ((sn_lanes){four->contact[0]->field, four->contact[1]->field, four->contact[2]->field,         \
                four->contact[3]->field})
#define SN_FOUR3(vector, field)                                                                    \
    ((vector).x = SN_FOUR(field.x), (vector).y = SN_FOUR(field.y), (vector).z = SN_FOUR(field.z))

SN_WIDE void wide_keep(sn_wide3 *a, const sn_lane_mask *mask)
{
    a->x = (sn_lanes)(*mask & (sn_lane_mask)a->x);
    a->y = (sn_lanes)(*mask & (sn_lane_mask)a->y);
    a->z = (sn_lanes)(*mask & (sn_lane_mask)a->z);
}

SN_WIDE void find_four(wide_contact *four, const sn_pile_work *work, sn_pile_block *block)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        int contact = block->contact[i] >= 0 ? block->contact[i] : block->contact[0];
        four->contact[i] = &work->contacts[contact];
        for (int j = 0; j < block->point_count; ++j) {
            four->live[j][i] = j < block->count[i] ? -1 : 0;
        }
    }
    sn_lanes uneven_a, uneven_b;
    gather_centre(&four->centre_a, &uneven_a, work->bodies, block->a);
    gather_centre(&four->centre_b, &uneven_b, work->bodies, block->b);
    sn_lane_mask uneven = (uneven_a + uneven_b) > 0.0;
    // What is wedged in is pushed far in a sub-step: impulses found from old answers would throw it
    // about, as they would what is uneven.
    block->uneven = work->wedged || wide_any(&uneven);
}

bool sn_pile_overlaps_far(const sn_contact *contact)
{
    bool any = false;
    for (int i = 0; i < contact->count; ++i) {
        any = any || contact->points[i].gap < -wedged_share * contact->size;
    }
    return any;
}

SN_WIDE void load_laws(const sn_pile_work *work, sn_pile_block *block, wide_contact *four)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        bool a = block->a[i] != work->body_count, b = block->b[i] != work->body_count;
        four->share_a[i] = !b ? 1.0 : a ? 0.5 : 0.0;
    }
    four->share_b = 1.0 - four->share_a;
    narrow(&block->share_a, &four->share_a);
    sn_lanes friction = SN_FOUR(friction), push = (2.0 * push_share / work->step) * SN_FOUR(size);
    narrow(&block->friction, &friction);
    narrow(&block->push, &push);
    block->slides_on = block->bounces = block->rolls = false;
}

SN_WIDE void load_extra(const sn_pile_work *work, sn_pile_block *block, sn_pile_extra *extra,
                        const wide_contact *four)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    SN_FOUR3(extra->surface, surface_velocity);
    extra->restitution = SN_FOUR(restitution);
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        extra->restitution[i] =
            sn_pile_overlaps_far(four->contact[i]) ? 0.0 : extra->restitution[i];
    }
    extra->bounce_speed = bounce_share * work->h * sn_length(work->gravity) + zero;
    extra->rolling = SN_FOUR(rolling_friction);
    extra->spinning = SN_FOUR(spinning_friction);
    SN_FOUR3(extra->turning, turning);
    sn_lanes scale = four->scale + zero;
    wide_scale(&extra->turning, &scale);
    extra->turning_total = (sn_wide3){zero, zero, zero};
    sn_lane_mask slides =
        (extra->surface.x != 0.0) | (extra->surface.y != 0.0) | (extra->surface.z != 0.0);
    sn_lane_mask bounces = extra->restitution > 0.0;
    sn_lane_mask rolls = (extra->rolling > 0.0) | (extra->spinning > 0.0);
    block->slides_on = wide_any(&slides);
    block->bounces = wide_any(&bounces);
    block->rolls = wide_any(&rolls);
}

// The middle between both bodies' points.
SN_WIDE void point_place(sn_wide3 *place, const wide_contact *four, int index)
{
    sn_lanes half = {0.5, 0.5, 0.5, 0.5};
    sn_wide3 other;
    SN_FOUR3(*place, points[index].on_a);
    SN_FOUR3(other, points[index].on_b);
    wide_add(place, &other);
    wide_scale(place, &half);
}

// The mean of the points.
SN_WIDE void find_middle(wide_contact *four, const sn_pile_block *block)
{
    sn_lanes count = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
    four->middle = (sn_wide3){count, count, count};
    for (int i = 0; i < block->point_count; ++i) {
        sn_wide3 place;
        point_place(&place, four, i);
        wide_keep(&place, &four->live[i]);
        wide_add(&four->middle, &place);
        count += (sn_lanes)(four->live[i] & (sn_lane_mask)one);
    }
    wide_max(&count, &one);
    sn_lanes share = 1.0 / count;
    wide_scale(&four->middle, &share);
}

// Some unit vector at right angles to the unit vector n: n crossed with an axis it is not along.
SN_WIDE void wide_perpendicular(sn_wide3 *t, const sn_wide3 *n)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, minus_y = -n->y, minus_z = -n->z;
    sn_lane_mask flat = n->x * n->x < 0.5; // (0, z, -y), else (-z, 0, x)
    wide_select(&t->x, &flat, &zero, &minus_z);
    wide_select(&t->y, &flat, &n->z, &zero);
    wide_select(&t->z, &flat, &minus_y, &n->x);
    sn_lanes square;
    wide_dot(&square, t, t);
    sn_lanes scale =
        1.0 / (sn_lanes){sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    wide_scale(t, &scale);
}

SN_WIDE void load_plane(wide_contact *four, sn_pile_block *block)
{
    sn_wide3 arm;
    SN_FOUR3(block->n, normal);
    wide_perpendicular(&block->t, &block->n);
    plane_axes(four->axes, block);
    find_middle(four, block);
    arm = four->middle;
    wide_sub_scaled(&arm, &four->share_a, &four->centre_a);
    wide_sub_scaled(&arm, &four->share_b, &four->centre_b);
    narrow3(block->arm, &arm);
    four->middle = arm;
    wide_add_scaled(&four->middle, &four->share_a, &four->centre_a);
    wide_add_scaled(&four->middle, &four->share_b, &four->centre_b);
}

// Where a point is, and its impulse in the last step.
SN_WIDE void load_point(const wide_contact *four, int index, sn_pile_point *point)
{
    const sn_lane_mask *live = &four->live[index];
    sn_wide3 place, stuck, between, impulse;
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, scale = four->scale + zero;
    point_place(&place, four, index);
    wide_difference(&place, &place, &four->middle);
    wide_to_plane(&place, four->axes, &place);
    wide_keep(&place, live);
    narrow(&point->t, &place.x);
    narrow(&point->s, &place.y);

    wide_difference(&between, &four->centre_b, &four->centre_a);
    wide_to_plane(&between, four->axes, &between);
    SN_FOUR3(stuck, points[index].anchor);
    wide_to_plane(&stuck, four->axes, &stuck);
    stuck.z = SN_FOUR(points[index].gap);
    wide_difference(&stuck, &stuck, &between);
    wide_keep(&stuck, live);
    point->stuck_t = stuck.x;
    point->stuck_s = stuck.y;
    point->gap = stuck.z;

    SN_FOUR3(impulse, points[index].impulse);
    wide_scale(&impulse, &scale);
    wide_to_plane(&impulse, four->axes, &impulse);
    sn_lane_mask on = *live & (impulse.z > 0.0);
    wide_keep(&impulse, &on);
    point->rub_t = impulse.x;
    point->rub_s = impulse.y;
    point->press = impulse.z;
}

// The largest eigenvalue of [a b; b c] is (a + c)/2 + sqrt((a - c)^2/4 + b^2).
SN_WIDE void largest_eigenvalue(sn_lanes *result, const sn_lanes *a, const sn_lanes *b,
                                const sn_lanes *c)
{
    sn_lanes half = 0.5 * (*a - *c), root = half * half + *b * *b;
    root = (sn_lanes){sqrt(root[0]), sqrt(root[1]), sqrt(root[2]), sqrt(root[3])};
    *result = 0.5 * (*a + *c) + root;
}

// Motion at the middle that an impulse and an angular impulse bring, all in the plane's axes.
SN_WIDE void response(sn_wide3 *u, sn_wide3 *w, const wide_contact *four, wide_pair *pair,
                      const sn_wide3 *impulse, const sn_wide3 *angular)
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    sn_wide3 none = {zero, zero, zero}, v;
    pair->a = pair->b = (wide_motion){none, none};
    push_pair(pair, impulse, angular);
    wide_difference(&v, &pair->b.v, &pair->a.v);
    relative_motion(u, w, pair, &v, &pair->a.w, &pair->b.w);
    wide_to_plane(u, four->axes, u);
    wide_to_plane(w, four->axes, w);
}

// How both bodies answer at the middle. `normal`: response of (u_n, w_t, w_s) to (p_n, m_t, m_s),
// symmetric, by rows.
SN_WIDE void prepare_block(const wide_contact *four, sn_pile_block *block, wide_pair *pair,
                           sn_lanes normal[6])
{
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, plane[6], mixed[9];
    sn_wide3 none = {zero, zero, zero}, u, w;
    response(&u, &w, four, pair, &four->axes[2], &none); // p_n
    normal[0] = u.z;
    normal[1] = w.x;
    normal[2] = w.y;
    mixed[0] = u.x;
    mixed[3] = u.y;
    mixed[6] = w.z;
    response(&u, &w, four, pair, &none, &four->axes[0]); // m_t
    normal[3] = w.x;
    normal[4] = w.y;
    mixed[1] = u.x;
    mixed[4] = u.y;
    mixed[7] = w.z;
    response(&u, &w, four, pair, &none, &four->axes[1]); // m_s
    normal[5] = w.y;
    mixed[2] = u.x;
    mixed[5] = u.y;
    mixed[8] = w.z;
    response(&u, &w, four, pair, &four->axes[0], &none); // p_t
    plane[0] = u.x;
    plane[1] = u.y;
    plane[2] = w.z;
    response(&u, &w, four, pair, &four->axes[1], &none); // p_s
    plane[3] = u.y;
    plane[4] = w.z;
    response(&u, &w, four, pair, &none, &four->axes[2]); // m_n
    plane[5] = w.z;
    for (int i = 0; i < 6; ++i) {
        narrow(&block->plane[i], &plane[i]);
    }
    for (int i = 0; i < 9; ++i) {
        narrow(&block->mixed[i], &mixed[i]);
    }
}

SN_WIDE void live_inverse(sn_lanes *to, const sn_lanes *from, const sn_lane_mask *live)
{
    sn_lanes one = {1.0, 1.0, 1.0, 1.0};
    wide_select(to, live, from, &one);
    *to = (sn_lanes)(*live & (sn_lane_mask)(1.0 / *to));
}

// Normal impulses and friction are found in turns, which end only where friction takes away less
// along the normal than it gains by what presses: friction W_nt < W_nn. Beyond that sliding jams
// (Painleve), and turns would grow without end; such a point has no more friction than so.
SN_WIDE void limit_friction(sn_pile_block *block, const sn_pile_point *point, const sn_lanes *w_nn,
                            const sn_lane_mask *live)
{
    const double most = 0.9;
    sn_lanes m[9], t, s, friction;
    widen_all(m, block->mixed, 9);
    widen(&t, &point->t);
    widen(&s, &point->s);
    widen(&friction, &block->friction);
    sn_lanes w_n = m[6] + m[7] * s - m[8] * t;
    sn_lanes w_t = m[0] + m[1] * s - m[2] * t - s * w_n, w_s = m[3] + m[4] * s - m[5] * t + t * w_n;
    sn_lanes square = w_t * w_t + w_s * w_s, bound = most * *w_nn;
    sn_lane_mask over = *live & (friction * friction * square > bound * bound);
    if (wide_any(&over)) {
        sn_lanes root = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
        sn_lanes limited = bound / root;
        wide_select(&friction, &over, &limited, &friction);
        narrow(&block->friction, &friction);
    }
}

// How a point answers, from how the middle does: its rows are (1, s, -t) in the normal group, and
// (1, 0, -s), (0, 1, t) in the plane.
SN_WIDE void prepare_point(sn_pile_block *block, const sn_lanes n[6], sn_pile_point *point,
                           const sn_lane_mask *live)
{
    sn_lanes p[6], t, s, largest, answer[3], inverse;
    widen_all(p, block->plane, 6);
    widen(&t, &point->t);
    widen(&s, &point->s);
    answer[0] = n[0] + s * n[1] - t * n[2];
    answer[1] = n[1] + s * n[3] - t * n[4];
    answer[2] = n[2] + s * n[4] - t * n[5];
    sn_lanes w_nn = answer[0] + s * answer[1] - t * answer[2];
    sn_lanes w_tt = p[0] - 2.0 * (s * p[2]) + s * s * p[5];
    sn_lanes w_ss = p[3] + 2.0 * (t * p[4]) + t * t * p[5];
    sn_lanes w_ts = p[1] + t * p[2] - s * p[4] - s * t * p[5];
    largest_eigenvalue(&largest, &w_tt, &w_ts, &w_ss);
    live_inverse(&inverse, &w_nn, live);
    narrow(&point->mass, &inverse);
    live_inverse(&inverse, &largest, live);
    narrow(&point->slide, &inverse);
    for (int i = 0; i < 3; ++i) {
        narrow(&point->answer[i], &answer[i]);
    }
    limit_friction(block, point, &w_nn, live);
}

// 1 / a bound of the largest eigenvalue (Gershgorin); exact for balls and cubes.
SN_WIDE void prepare_turning(sn_pile_extra *extra, const wide_inertia *a, const wide_inertia *b)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        double xy = fabs(a->xy[i] + b->xy[i]), xz = fabs(a->xz[i] + b->xz[i]);
        double yz = fabs(a->yz[i] + b->yz[i]);
        double x = a->xx[i] + b->xx[i] + xy + xz, y = a->yy[i] + b->yy[i] + xy + yz;
        double z = a->zz[i] + b->zz[i] + xz + yz, most = fmax(x, fmax(y, z));
        extra->turn_step[i] = most > 0.0 ? 1.0 / most : 0.0;
    }
}

// The same for rolling and spinning friction, by the answers of the middle.
SN_WIDE void limit_turning(const sn_pile_block *block, sn_pile_extra *extra,
                           const sn_lanes normal[6])
{
    const double most = 0.9;
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        double across = sqrt(normal[1][i] * normal[1][i] + normal[2][i] * normal[2][i]);
        double about = fabs((double)block->mixed[6][i]), bound = most * normal[0][i];
        extra->rolling[i] = extra->rolling[i] * across > bound ? bound / across : extra->rolling[i];
        extra->spinning[i] =
            extra->spinning[i] * about > bound ? bound / about : extra->spinning[i];
    }
}

// Impulses of the sub-step before are no start for what has turned away from under them.
static void forget_whirling(const sn_pile_work *work, int index)
{
    const sn_pile_block *block = &work->blocks[index];
    sn_pile_extra *extra = sn_pile_extra_of(work, index);
    for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
        sn_vec3 w_a = sn_vec3_at(work->bodies[block->a[lane]].w),
                w_b = sn_vec3_at(work->bodies[block->b[lane]].w);
        double turn = work->h * fmax(sn_length(w_a), sn_length(w_b));
        for (int i = 0; !(turn <= whirling) && i < block->point_count; ++i) {
            sn_pile_point *point = &work->points[block->point_first + i];
            point->press[lane] = point->rub_t[lane] = point->rub_s[lane] = 0.0;
        }
        if (!(turn <= whirling) && extra != NULL) {
            extra->turning.x[lane] = extra->turning.y[lane] = extra->turning.z[lane] = 0.0;
        }
    }
}

SN_WIDE void refresh_block(const sn_pile_work *work, int index)
{
    sn_pile_block *block = &work->blocks[index];
    wide_contact four;
    wide_pair pair;
    sn_lanes normal[6];
    if (!block->uneven) {
        return;
    }
    plane_axes(four.axes, block);
    gather_pair(&pair, work->bodies, block);
    prepare_block(&four, block, &pair, normal);
    for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
        int contact = block->contact[lane] >= 0 ? block->contact[lane] : block->contact[0];
        block->friction[lane] = (float)work->contacts[contact].friction;
    }
    for (int i = 0; i < block->point_count; ++i) {
        sn_lane_mask live;
        for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
            live[lane] = i < block->count[lane] ? -1 : 0;
        }
        prepare_point(block, normal, &work->points[block->point_first + i], &live);
    }
    if (block->rolls) {
        sn_pile_extra *extra = sn_pile_extra_of(work, index);
        for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
            int contact = block->contact[lane] >= 0 ? block->contact[lane] : block->contact[0];
            extra->rolling[lane] = work->contacts[contact].rolling_friction;
            extra->spinning[lane] = work->contacts[contact].spinning_friction;
        }
        prepare_turning(extra, &pair.inertia_a, &pair.inertia_b);
        limit_turning(block, extra, normal);
    }
}

SN_WIDE void load_block(const sn_pile_work *work, int index)
{
    sn_pile_block *block = &work->blocks[index];
    sn_pile_extra *extra = sn_pile_extra_of(work, index);
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, normal[6];
    wide_contact four;
    wide_pair pair;
    four.scale = work->start_scale;
    find_four(&four, work, block);
    load_laws(work, block, &four);
    if (extra != NULL) {
        load_extra(work, block, extra, &four);
    }
    load_plane(&four, block);
    gather_pair(&pair, work->bodies, block);
    wide_motion a = pair.a, b = pair.b;
    prepare_block(&four, block, &pair, normal);
    for (int i = 0; i < block->point_count; ++i) {
        sn_pile_point *point = &work->points[block->point_first + i];
        load_point(&four, i, point);
        prepare_point(block, normal, point, &four.live[i]);
        if (work->approaches != NULL) {
            work->approaches[block->point_first + i] = zero;
        }
    }
    if (block->rolls) {
        prepare_turning(extra, &pair.inertia_a, &pair.inertia_b);
        limit_turning(block, extra, normal);
    }
    pair.a = a; // which finding answers has spoilt
    pair.b = b;
    leave_start(work, index, four.axes, &pair);
}

// ---- runs of blocks ----

enum { AHEAD = 2 };

SN_WIDE void prefetch_contacts(const sn_pile_work *work, int index)
{
    for (int lane = 0; lane < SN_PILE_LANES && index < work->block_count; ++lane) {
        int contact = work->blocks[index].contact[lane];
        if (contact >= 0) {
            sn_contact_prefetch(&work->contacts[contact]);
        }
    }
}

SN_WIDE void load_blocks(const sn_pile_work *work, int first, int last)
{
    for (int i = first; i < last; ++i) {
        prefetch_contacts(work, i + AHEAD);
        load_block(work, i);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void load_blocks_avx2(const sn_pile_work *work, int first,
                                                             int last)
{
    load_blocks(work, first, last);
}
#endif

void sn_pile_load_blocks(const sn_pile_work *work, int first, int last)
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        load_blocks_avx2(work, first, last);
        return;
    }
#endif
    load_blocks(work, first, last);
}

void sn_pile_load_contacts(sn_pile_work *work, double start_scale)
{
    double w = 2.0 * SN_PI * softness_share / work->h, c = 2.0 * softness_ratio + work->h * w;
    work->rate = 2.0 * w / c;
    work->anchor_rate = anchor_share * work->rate;
    work->mass_scale = work->h * w * c / (1.0 + work->h * w * c);
    work->impulse_scale = 1.0 / (1.0 + work->h * w * c);
    work->start_scale = start_scale / work->mass_unit;
    sn_pile_run_sweep(work, SN_PILE_LOAD);
    work->bounces = work->uneven = false;
    for (int i = 0; i < work->block_count; ++i) {
        work->bounces |= work->blocks[i].bounces;
        work->uneven |= work->blocks[i].uneven;
    }
    for (int i = 0; work->uneven && i < work->body_count; ++i) { // each sub-step has a sweep for it
        memset(work->bodies[i].start, 0, sizeof work->bodies[i].start);
        memset(work->bodies[i].start_moment, 0, sizeof work->bodies[i].start_moment);
    }
}

SN_WIDE void refresh_blocks(const sn_pile_work *work, int first, int last)
{
    for (int i = first; i < last; ++i) {
        refresh_block(work, i);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void refresh_blocks_avx2(const sn_pile_work *work, int first,
                                                                int last)
{
    refresh_blocks(work, first, last);
}
#endif

static void refresh_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const sn_pile_work *work = context;
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        refresh_blocks_avx2(work, first, last);
        return;
    }
#endif
    refresh_blocks(work, first, last);
}

void sn_pile_refresh_contacts(sn_pile_work *work, bool start)
{
    for (int i = 0; start && work->uneven && i < work->block_count; ++i) {
        if (work->blocks[i].uneven) {
            forget_whirling(work, i);
        }
    }
    if (work->uneven) {
        sn_threads_run(work->threads, work->block_count, SN_PILE_BLOCK_CHUNK, refresh_chunk, work);
    }
}

// ---- the answer ----

SN_WIDE sn_vec3 get_lane(const sn_wide3 *wide, int lane)
{
    return sn_vec3_make(wide->x[lane], wide->y[lane], wide->z[lane]);
}

// Displacement of b against a at the middle since the start, as find_apart of pile_sweep.c has it.
SN_WIDE void find_shift(sn_wide3 *shift, sn_wide3 *turn, const sn_pile_work *work,
                        const sn_pile_block *block, const sn_pile_extra *extra,
                        const sn_wide3 axes[3])
{
    wide_pair pair;
    sn_wide3 turn_a, turn_b;
    sn_lanes elapsed = {work->elapsed, work->elapsed, work->elapsed, work->elapsed};
    gather_pair(&pair, work->bodies, block);
    gather_turn(&turn_a, work->bodies, block->a);
    gather_turn(&turn_b, work->bodies, block->b);
    relative_motion(shift, turn, &pair, &pair.between, &turn_a, &turn_b);
    if (block->slides_on) {
        wide_add_scaled(shift, &elapsed, &extra->surface);
    }
    wide_to_plane(shift, axes, shift);
    wide_to_plane(turn, axes, turn);
}

SN_WIDE void store_block(const sn_pile_work *work, int index)
{
    const sn_pile_block *block = &work->blocks[index];
    const sn_pile_extra *extra = sn_pile_extra_of(work, index);
    sn_wide3 axes[3], shift, turn, anchor, impulse;
    sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, unit = work->mass_unit + zero;
    plane_axes(axes, block);
    find_shift(&shift, &turn, work, block, extra, axes);
    for (int i = 0; i < block->point_count; ++i) {
        const sn_pile_point *point = &work->points[block->point_first + i];
        const sn_pile_tally *tally = &work->tallies[block->point_first + i];
        sn_lanes t, s;
        widen(&t, &point->t);
        widen(&s, &point->s);
        anchor.x = point->stuck_t + (shift.x - turn.z * s);
        anchor.y = point->stuck_s + (shift.y + turn.z * t);
        anchor.z = zero;
        sn_lane_mask on = point->press > 0.0;
        wide_keep(&anchor, &on);
        wide_from_plane(&anchor, axes, &anchor);
        impulse = (sn_wide3){tally->rub_t, tally->rub_s, tally->press};
        wide_scale(&impulse, &unit);
        wide_from_plane(&impulse, axes, &impulse);
        for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
            if (i < block->count[lane]) {
                sn_contact_point *to = &work->contacts[block->contact[lane]].points[i];
                to->impulse = get_lane(&impulse, lane);
                to->anchor = get_lane(&anchor, lane);
                to->touched = tally->press[lane] > 0.0;
            }
        }
    }
    for (int lane = 0; block->rolls && lane < SN_PILE_LANES; ++lane) {
        if (block->contact[lane] >= 0) {
            work->contacts[block->contact[lane]].turning =
                sn_vec3_scale(work->mass_unit, get_lane(&extra->turning_total, lane));
        }
    }
}

SN_WIDE void store_blocks(const sn_pile_work *work, int first, int last)
{
    for (int i = first; i < last; ++i) {
        prefetch_contacts(work, i + AHEAD);
        store_block(work, i);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void store_blocks_avx2(const sn_pile_work *work, int first,
                                                              int last)
{
    store_blocks(work, first, last);
}
#endif

void sn_pile_store_blocks(const sn_pile_work *work, int first, int last)
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        store_blocks_avx2(work, first, last);
        return;
    }
#endif
    store_blocks(work, first, last);
}
