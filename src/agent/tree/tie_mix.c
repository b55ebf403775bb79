#include "agent/tree/tie_mix.h"

#include <string.h>

#include "math/dense.h"

void sn_tie_mix_start(sn_tie_mix *mix)
{
    mix->count = 0;
    mix->next = 0;
}

void sn_tie_mix_free(sn_tie_mix *mix)
{
    sn_array_free(&mix->memory);
}

static double *sample(const sn_tie_mix *mix, int age, int part)
{
    int at = (mix->next - 1 - age + 2 * SN_MIX_DEPTH) % SN_MIX_DEPTH;
    return mix->memory.data + (size_t)(3 * at + part) * (size_t)mix->size;
}

// Products of the changes of errors from sample to sample, and with the present error.
static void products(const sn_tie_mix *mix, int n, double *matrix, double *right)
{
    const double *now = sample(mix, 0, 2);
    for (int i = 0; i < n; ++i) {
        const double *a = sample(mix, i, 2), *b = sample(mix, i + 1, 2);
        right[i] = 0.0;
        for (int k = 0; k < mix->size; ++k) {
            right[i] += (a[k] - b[k]) * now[k];
        }
        for (int j = 0; j <= i; ++j) {
            const double *c = sample(mix, j, 2), *d = sample(mix, j + 1, 2);
            double sum = 0.0;
            for (int k = 0; k < mix->size; ++k) {
                sum += (a[k] - b[k]) * (c[k] - d[k]);
            }
            matrix[i * n + j] = sum;
            matrix[j * n + i] = sum;
        }
    }
}

bool sn_tie_mix_step(sn_tie_mix *mix, int size, const double *x, const double *error, bool mixed,
                     double *step)
{
    if (size == 0) { // nothing is held
        return true;
    }
    if (mix->count == 0 || mix->size != size) {
        sn_tie_mix_start(mix);
        mix->size = size;
        if (!sn_array_resize(&mix->memory, 3 * SN_MIX_DEPTH * size)) {
            return false;
        }
    }
    size_t bytes = (size_t)size * sizeof *x;
    mix->next = (mix->next + 1) % SN_MIX_DEPTH;
    mix->count += mix->count < SN_MIX_DEPTH;
    memcpy(sample(mix, 0, 0), x, bytes);
    memcpy(sample(mix, 0, 1), step, bytes);
    memcpy(sample(mix, 0, 2), error, bytes);
    int n = mix->count - 1;
    if (!mixed || n < 1) {
        return true;
    }
    double matrix[(SN_MIX_DEPTH - 1) * (SN_MIX_DEPTH - 1)], weight[SN_MIX_DEPTH - 1];
    double scratch[(SN_MIX_DEPTH - 1) * (2 * (SN_MIX_DEPTH - 1) + 1)], right[SN_MIX_DEPTH - 1];
    products(mix, n, matrix, right);
    sn_least_squares(n, n, matrix, right, 1e-10, weight, scratch);
    for (int i = 0; i < n; ++i) {
        const double *xa = sample(mix, i, 0), *xb = sample(mix, i + 1, 0);
        const double *sa = sample(mix, i, 1), *sb = sample(mix, i + 1, 1);
        for (int k = 0; k < size; ++k) {
            step[k] -= weight[i] * ((xa[k] - xb[k]) + (sa[k] - sb[k]));
        }
    }
    return true;
}
