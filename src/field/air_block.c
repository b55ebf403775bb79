#include "field/air_block.h"

// ---- making ----

static void put_patch(sn_air_block *block, int lane, const sn_air_def *air, const sn_patch *patch)
{
    const double centre[3] = {patch->centre.x, patch->centre.y, patch->centre.z};
    const double normal[3] = {patch->normal.x, patch->normal.y, patch->normal.z};
    for (int i = 0; i < 3; ++i) {
        block->centre[i][lane] = centre[i];
        block->normal[i][lane] = normal[i];
    }
    sn_air_coefficients c = sn_air_coefficients_of(air, patch->area, patch->sides, patch->wire);
    block->across[lane] = c.across;
    block->along[lane] = c.along;
    block->face[lane] = c.face;
    block->face_along[lane] = c.face_along;
    block->one_sided[lane] = patch->sides == 1 ? 1.0 : 0.0;
}

void sn_air_blocks_fill(sn_air_block *blocks, const sn_air_def *air, const sn_patch *patches,
                        int count)
{
    for (int i = 0; i < SN_LANES * sn_air_block_count(count); ++i) {
        sn_patch patch = patches[i < count ? i : count - 1];
        patch.area = i < count ? patch.area : 0.0;
        put_patch(&blocks[i / SN_LANES], i % SN_LANES, air, &patch);
    }
}

bool sn_air_blocks_add(sn_air_blocks *blocks, const sn_air_def *air, const sn_patch *patches,
                       int count)
{
    int first = blocks->count;
    if (!sn_array_resize(blocks, first + sn_air_block_count(count))) {
        return false;
    }
    if (count > 0) {
        sn_air_blocks_fill(blocks->data + first, air, patches, count);
    }
    return true;
}

// ---- sums ----

SN_WIDE void load(sn_wide3 *result, const double from[3][SN_LANES])
{
    result->x = *(const sn_lanes_row *)from[0];
    result->y = *(const sn_lanes_row *)from[1];
    result->z = *(const sn_lanes_row *)from[2];
}

// Symmetric matrices by xx, yy, zz, xy, xz, yz.
typedef struct wide_total {
    sn_wide3 force, moment;
    sn_lanes linear[6], turn[6], mixed[9];
    sn_lanes rub;       // sum of the coefficients c of c 1 in J,
    sn_wide3 rub_arm;   // of c r
    sn_lanes square[6]; // and of c r r^T
} wide_total;

SN_WIDE void add_symmetric(sn_lanes sum[6], const sn_wide3 *a, const sn_wide3 *b)
{
    sum[0] += a->x * b->x;
    sum[1] += a->y * b->y;
    sum[2] += a->z * b->z;
    sum[3] += a->x * b->y;
    sum[4] += a->x * b->z;
    sum[5] += a->y * b->z;
}

SN_WIDE void add_product(sn_lanes sum[9], const sn_wide3 *a, const sn_wide3 *b)
{
    sum[0] += a->x * b->x;
    sum[1] += a->x * b->y;
    sum[2] += a->x * b->z;
    sum[3] += a->y * b->x;
    sum[4] += a->y * b->y;
    sum[5] += a->y * b->z;
    sum[6] += a->z * b->x;
    sum[7] += a->z * b->y;
    sum[8] += a->z * b->z;
}

// What c d d^T in J adds to J, [r] J and -[r] J [r]: with m = r x d, c d d^T, c m d^T, c m m^T.
SN_WIDE void add_outer(wide_total *total, const sn_lanes *c, const sn_wide3 *d, const sn_wide3 *r)
{
    sn_wide3 m, scaled = *d, turned;
    wide_cross(&m, r, d);
    turned = m;
    wide_scale(&scaled, c);
    wide_scale(&turned, c);
    add_symmetric(total->linear, &scaled, d);
    add_product(total->mixed, &m, &scaled);
    add_symmetric(total->turn, &turned, &m);
}

// w_n = w . n, w_t = w - w_n n; J = 2 a |w_n| n n^T + b |w_t| (1 - n n^T) + b w_t w_t^T / |w_t|.
SN_WIDE void press(const sn_air_block *block, const sn_air_stream *stream, const sn_wide3 *velocity,
                   const sn_wide3 *turning, const sn_wide3 *middle, bool with_damping,
                   wide_total *total)
{
    const sn_lanes none = {0.0, 0.0, 0.0, 0.0}, minus = {-1.0, -1.0, -1.0, -1.0};
    sn_wide3 n, r, w, own, along;
    load(&n, block->normal);
    load(&r, block->centre);
    load(&w, stream->velocity);
    wide_add_scaled(&r, &minus, middle);
    wide_cross(&own, turning, &r);
    wide_add(&own, velocity);
    wide_add_scaled(&w, &minus, &own);
    sn_lanes across, square, speed;
    wide_dot(&across, &w, &n);
    along = w;
    wide_sub_scaled(&along, &across, &n);
    wide_dot(&square, &along, &along);
    wide_sqrt(&speed, &square);

    sn_lane_mask met = (across < none) | (*(const sn_lanes_row *)block->one_sided == none);
    sn_lanes push = across, rub = *(const sn_lanes_row *)block->along;
    wide_abs(&push);
    push *= *(const sn_lanes_row *)block->across;
    wide_mask(&push, &met);
    sn_lanes drag = rub * speed, thrust = push * across;
    sn_wide3 force = n, moment;
    wide_scale(&force, &thrust);
    wide_add_scaled(&force, &drag, &along);
    wide_cross(&moment, &r, &force);
    wide_add(&total->force, &force);
    wide_add(&total->moment, &moment);
    if (!with_damping) {
        return;
    }
    sn_lanes stiff = 2.0 * push - drag, bend = rub / speed;
    sn_lane_mask moving = speed > none;
    wide_mask(&bend, &moving);
    add_outer(total, &stiff, &n, &r);
    add_outer(total, &bend, &along, &r);
    sn_wide3 arm = r;
    wide_scale(&arm, &drag);
    total->rub += drag;
    wide_add(&total->rub_arm, &arm);
    add_symmetric(total->square, &arm, &r);
}

static sn_vec3 sum_vector(const sn_wide3 *v)
{
    return sn_vec3_make(wide_sum(&v->x), wide_sum(&v->y), wide_sum(&v->z));
}

static void add_sums(sn_mat3 *m, const sn_lanes symmetric[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        double sum = wide_sum(&symmetric[i]);
        m->m[row[i]][column[i]] += sum;
        if (i >= 3) {
            m->m[column[i]][row[i]] += sum;
        }
    }
}

static void add_total(const wide_total *total, bool with_damping, sn_air_sum *sum)
{
    sn_spatial wrench = {sum_vector(&total->moment), sum_vector(&total->force)};
    sum->wrench = sn_spatial_add(sum->wrench, wrench);
    if (!with_damping) {
        return;
    }
    add_sums(&sum->linear, total->linear);
    add_sums(&sum->turn, total->turn);
    for (int i = 0; i < 9; ++i) {
        sum->mixed.m[i / 3][i % 3] += wide_sum(&total->mixed[i]);
    }
    // c 1 in J adds c, c [r] and c (r^2 - r r^T).
    double rub = wide_sum(&total->rub);
    sn_mat3 square = {0};
    add_sums(&square, total->square);
    double trace = (square.m[0][0] + square.m[1][1]) + square.m[2][2];
    sum->mixed = sn_mat3_add(sum->mixed, sn_mat3_cross(sum_vector(&total->rub_arm)));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sum->linear.m[i][j] += i == j ? rub : 0.0;
            sum->turn.m[i][j] += (i == j ? trace : 0.0) - square.m[i][j];
        }
    }
}

SN_WIDE void press_all(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                       const sn_air_motion *motion, bool with_damping, wide_total *total)
{
    sn_wide3 velocity, turning, middle;
    wide_spread(&velocity, motion->velocity.x, motion->velocity.y, motion->velocity.z);
    wide_spread(&turning, motion->angular_velocity.x, motion->angular_velocity.y,
                motion->angular_velocity.z);
    wide_spread(&middle, motion->centre.x, motion->centre.y, motion->centre.z);
    for (int i = 0; i < count; ++i) {
        press(&blocks[i], &stream[i], &velocity, &turning, &middle, with_damping, total);
    }
}

SN_WIDE void press_faces(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                         const sn_air_motion *motion, wide_total *total)
{
    const sn_lanes none = {0.0, 0.0, 0.0, 0.0}, minus = {-1.0, -1.0, -1.0, -1.0};
    sn_wide3 middle;
    wide_spread(&middle, motion->centre.x, motion->centre.y, motion->centre.z);
    for (int i = 0; i < count; ++i) {
        const sn_air_block *block = &blocks[i];
        sn_wide3 n, r, v;
        load(&n, block->normal);
        load(&r, block->centre);
        load(&v, stream[i].velocity);
        wide_add_scaled(&r, &minus, &middle);
        sn_lanes across, square, speed;
        wide_dot(&across, &v, &n);
        wide_dot(&square, &v, &v);
        wide_sqrt(&speed, &square);
        sn_lane_mask met = (across < none) | (*(const sn_lanes_row *)block->one_sided == none);
        sn_lanes push = (*(const sn_lanes_row *)block->face * speed) * across;
        sn_lanes rub = *(const sn_lanes_row *)block->face_along * speed;
        wide_mask(&push, &met);
        wide_sub_scaled(&v, &across, &n);
        sn_wide3 force = n, moment;
        wide_scale(&force, &push);
        wide_add_scaled(&force, &rub, &v);
        wide_cross(&moment, &r, &force);
        wide_add(&total->force, &force);
        wide_add(&total->moment, &moment);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void press_avx2(const sn_air_block *blocks, int count,
                                                       const sn_air_stream *stream,
                                                       const sn_air_motion *motion,
                                                       bool with_damping, wide_total *total)
{
    if (with_damping) {
        press_all(blocks, count, stream, motion, true, total);
    } else {
        press_all(blocks, count, stream, motion, false, total);
    }
}

__attribute__((target("avx2"))) static void press_faces_avx2(const sn_air_block *blocks, int count,
                                                             const sn_air_stream *stream,
                                                             const sn_air_motion *motion,
                                                             wide_total *total)
{
    press_faces(blocks, count, stream, motion, total);
}
#endif

static void press_plain(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                        const sn_air_motion *motion, bool with_damping, wide_total *total)
{
    if (with_damping) {
        press_all(blocks, count, stream, motion, true, total);
    } else {
        press_all(blocks, count, stream, motion, false, total);
    }
}

void sn_air_press(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                  const sn_air_motion *motion, bool with_damping, sn_air_sum *sum)
{
    wide_total total = {0};
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        press_avx2(blocks, count, stream, motion, with_damping, &total);
        add_total(&total, with_damping, sum);
        return;
    }
#endif
    press_plain(blocks, count, stream, motion, with_damping, &total);
    add_total(&total, with_damping, sum);
}

void sn_air_press_faces(const sn_air_block *blocks, int count, const sn_air_stream *stream,
                        const sn_air_motion *motion, sn_air_sum *sum)
{
    wide_total total = {0};
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        press_faces_avx2(blocks, count, stream, motion, &total);
        add_total(&total, false, sum);
        return;
    }
#endif
    press_faces(blocks, count, stream, motion, &total);
    add_total(&total, false, sum);
}
