// The factor of narrow matrices against elimination as one would write it, entry by entry: the same
// bits, whatever the width, the exchanges and the zeros within.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "solve/band.h"

enum { MOST = 61 };

typedef struct problem {
    int n, first[MOST], last[MOST], deepest[MOST], swaps[MOST];
    double a[MOST * MOST], plain[MOST * MOST], x[MOST], right[MOST];
} problem;

// Entries within `below` and `above` of the diagonal, some of them 0, diagonals not always large.
static void fill(problem *p, sn_random *random, int n, int below, int above)
{
    p->n = n;
    for (int i = 0; i < n; ++i) {
        p->right[i] = 0.0;
        p->x[i] = sn_random_range(random, -1.0, 1.0);
        for (int k = 0; k < n; ++k) {
            bool within = k >= i - below && k <= i + above && sn_random_below(random, 4) > 0;
            p->a[i * n + k] = within ? sn_random_range(random, -1.0, 1.0) : 0.0;
        }
        p->a[i * n + i] += sn_random_below(random, 3) == 0 ? 0.0 : 2.0;
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            p->right[i] += p->a[i * n + k] * p->x[k];
        }
    }
    for (int i = 0; i < n; ++i) {
        p->first[i] = i > below ? i - below : 0;
        p->last[i] = i + above < n ? i + above : n - 1;
    }
    memcpy(p->plain, p->a, sizeof p->a);
}

static bool eliminate_plainly(double *a, int n, int *swaps)
{
    for (int j = 0; j < n; ++j) {
        swaps[j] = j;
        for (int i = j + 1; i < n; ++i) {
            swaps[j] = fabs(a[i * n + j]) > fabs(a[swaps[j] * n + j]) ? i : swaps[j];
        }
        for (int k = 0; k < n; ++k) {
            double kept = a[j * n + k];
            a[j * n + k] = a[swaps[j] * n + k];
            a[swaps[j] * n + k] = kept;
        }
        if (!(fabs(a[j * n + j]) > 1e-14)) {
            return false;
        }
        for (int i = j + 1; i < n; ++i) {
            a[i * n + j] /= a[j * n + j];
            for (int k = j + 1; k < n; ++k) {
                a[i * n + k] -= a[i * n + j] * a[j * n + k];
            }
        }
    }
    return true;
}

static sn_band band_of(problem *p)
{
    return (sn_band){.n = p->n,
                     .a = p->a,
                     .first = p->first,
                     .last = p->last,
                     .deepest = p->deepest,
                     .swaps = p->swaps};
}

static void factors_are_those_of_plain_elimination(void **state)
{
    (void)state;
    static problem p;
    sn_random random = {.seed = 1216};
    int sound = 0;
    for (int turn = 0; turn < 400; ++turn) {
        int n = 1 + sn_random_below(&random, MOST);
        int swaps[MOST];
        fill(&p, &random, n, sn_random_below(&random, n), sn_random_below(&random, n));
        sn_band band = band_of(&p);
        sn_band_measure(&band);
        bool good = sn_band_factor(&band);
        assert_int_equal(good, eliminate_plainly(p.plain, n, swaps));
        if (!good) {
            continue;
        }
        ++sound;
        for (int i = 0; i < n; ++i) {
            assert_int_equal(p.swaps[i], swaps[i]);
            for (int k = 0; k < n; ++k) {
                assert_true(p.a[i * n + k] == p.plain[i * n + k]);
            }
        }
        double worst = 0.0;
        sn_band_solve(&band, p.right);
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(p.right[i] - p.x[i]));
        }
        assert_true(worst < 1e-6); // the worst of 400 is badly conditioned
    }
    assert_true(sound > 200);
}

static void singular_ones_are_told(void **state)
{
    (void)state;
    static problem p;
    sn_random random = {.seed = 7};
    for (int n = 1; n < 12; ++n) {
        fill(&p, &random, n, n, n);
        for (int k = 0; k < n; ++k) {
            p.a[(n / 2) * n + k] = 0.0;
        }
        sn_band band = band_of(&p);
        sn_band_measure(&band);
        assert_false(sn_band_factor(&band));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_those_of_plain_elimination),
        cmocka_unit_test(singular_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
