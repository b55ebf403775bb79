// Four elements at a time: vectors of four doubles, 3 x 3 matrices of them, and how they come from
// and go to vertices. Element-wise and in the same order as one alone, so with the same bits on
// every machine; sources that include this compile their loops for the plain machine and once more
// for AVX2, never with fused multiply-add.
#ifndef SN_ELASTIC_LANES_H
#define SN_ELASTIC_LANES_H

#include "sinew/math.h"

enum { SN_LANES = 4 };

typedef double sn_lanes __attribute__((vector_size(SN_LANES * sizeof(double))));
typedef int64_t sn_lanes_mask __attribute__((vector_size(SN_LANES * sizeof(int64_t))));

typedef struct sn_lanes3 {
    sn_lanes m[3][3];
} sn_lanes3;

// The same without alignment, for vectors of callers.
typedef double sn_lanes_loose
    __attribute__((vector_size(SN_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

// Sanitizers watch every load and store, which makes compilers crawl through inlined and unrolled
// code: they get functions and loops.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SN_LANES_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SN_LANES_WATCHED 1
#endif
#endif

#if defined(SN_LANES_WATCHED)
#define SN_LANE_FUNCTION static __attribute__((unused, noinline))
#else
#define SN_LANE_FUNCTION static inline __attribute__((always_inline))
#endif

// Above short loops over components: gcc leaves them as loops at -O2, and lanes then live in
// memory.
#if defined(SN_LANES_WATCHED)
#define SN_UNROLL
#elif defined(__clang__)
#define SN_UNROLL _Pragma("unroll")
#else
#define SN_UNROLL _Pragma("GCC unroll 9")
#endif

#if defined(__x86_64__) && !defined(__AVX2__) && !defined(SN_LANES_WATCHED)
#define SN_HAS_AVX2_TWIN 1
#endif

// Defines `name` as name_body, taken from its twin for AVX2 where the machine has it. All have the
// arguments of sn_chunk_work.
#ifdef SN_HAS_AVX2_TWIN
#define SN_LANE_TWINS(name)                                                                        \
    __attribute__((target("avx2"))) static void name##_avx2(void *context, int first, int last,    \
                                                            int chunk)                             \
    {                                                                                              \
        name##_body(context, first, last, chunk);                                                  \
    }                                                                                              \
    static void name(void *context, int first, int last, int chunk)                                \
    {                                                                                              \
        if (__builtin_cpu_supports("avx2")) {                                                      \
            name##_avx2(context, first, last, chunk);                                              \
        } else {                                                                                   \
            name##_body(context, first, last, chunk);                                              \
        }                                                                                          \
    }
#else
#define SN_LANE_TWINS(name)                                                                        \
    static void name(void *context, int first, int last, int chunk)                                \
    {                                                                                              \
        name##_body(context, first, last, chunk);                                                  \
    }
#endif

// Four numbers of a vertex.
SN_LANE_FUNCTION void sn_lanes_load(const double *numbers, sn_lanes *a)
{
    *a = *(const sn_lanes_loose *)numbers;
}

SN_LANE_FUNCTION void sn_lanes_add_to(const sn_lanes *a, double *numbers)
{
    *(sn_lanes_loose *)numbers += *a;
}

// d[i] = component i of the rows, one row a lane.
SN_LANE_FUNCTION void sn_lanes_from_rows(const sn_lanes row[SN_LANES], sn_lanes d[3])
{
    sn_lanes a = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    sn_lanes b = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    sn_lanes p = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    sn_lanes q = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    d[0] = __builtin_shufflevector(a, p, 0, 1, 4, 5);
    d[1] = __builtin_shufflevector(b, q, 0, 1, 4, 5);
    d[2] = __builtin_shufflevector(a, p, 2, 3, 6, 7);
}

// The way back; the rows' fourth number is 0.
SN_LANE_FUNCTION void sn_lanes_to_rows(const sn_lanes d[3], sn_lanes row[SN_LANES])
{
    const sn_lanes zero = {0.0, 0.0, 0.0, 0.0};
    sn_lanes a = __builtin_shufflevector(d[0], d[1], 0, 4, 2, 6);
    sn_lanes b = __builtin_shufflevector(d[0], d[1], 1, 5, 3, 7);
    sn_lanes p = __builtin_shufflevector(d[2], zero, 0, 4, 2, 6);
    sn_lanes q = __builtin_shufflevector(d[2], zero, 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(a, p, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(b, q, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(a, p, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(b, q, 2, 3, 6, 7);
}

// ---- matrices ----

// a b
SN_LANE_FUNCTION void sn_lanes3_multiply(const sn_lanes3 *a, const sn_lanes3 *b, sn_lanes3 *c)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            c->m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
}

// a^T a
SN_LANE_FUNCTION void sn_lanes3_metric(const sn_lanes3 *a, sn_lanes3 *c)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = i; j < 3; ++j) {
            c->m[i][j] =
                a->m[0][i] * a->m[0][j] + a->m[1][i] * a->m[1][j] + a->m[2][i] * a->m[2][j];
            c->m[j][i] = c->m[i][j];
        }
    }
}

SN_LANE_FUNCTION void sn_lanes3_cofactors(const sn_lanes3 *a, sn_lanes3 *c)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        const sn_lanes *p = a->m[(i + 1) % 3], *q = a->m[(i + 2) % 3];
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            c->m[i][j] = p[k] * q[l] - p[l] * q[k];
        }
    }
}

// The determinant of a with cofactors c, and the sum of a's squares.
SN_LANE_FUNCTION void sn_lanes3_determinant(const sn_lanes3 *a, const sn_lanes3 *c, sn_lanes *d)
{
    *d = a->m[0][0] * c->m[0][0] + a->m[0][1] * c->m[0][1] + a->m[0][2] * c->m[0][2];
}

SN_LANE_FUNCTION void sn_lanes3_square_sum(const sn_lanes3 *a, sn_lanes *sum)
{
    sn_lanes s[3];
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        s[i] = a->m[i][0] * a->m[i][0] + a->m[i][1] * a->m[i][1] + a->m[i][2] * a->m[i][2];
    }
    *sum = s[0] + s[1] + s[2];
}

SN_LANE_FUNCTION sn_mat3 sn_lanes3_lane(const sn_lanes3 *a, int lane)
{
    sn_mat3 b;
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            b.m[i][j] = a->m[i][j][lane];
        }
    }
    return b;
}

SN_LANE_FUNCTION void sn_lanes3_set_lane(sn_lanes3 *a, int lane, const sn_mat3 *b)
{
    SN_UNROLL
    for (int i = 0; i < 3; ++i) {
        SN_UNROLL
        for (int j = 0; j < 3; ++j) {
            a->m[i][j][lane] = b->m[i][j];
        }
    }
}

#endif
