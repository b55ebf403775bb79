#include "solve/band.h"

#include <math.h>
#include <string.h>

#include "math/lanes.h"

// Columns that are eliminated before the rest of the matrix hears of them: each
// of its entries is then read and written once for all of them.
enum { PANEL = 4 };

static double *row_of(const sn_band *band, int i)
{
    return band->a + (size_t)i * (size_t)band->n;
}

static int largest_int(int a, int b)
{
    return a > b ? a : b;
}

void sn_band_measure(sn_band *band)
{
    int n = band->n;
    memset(band->deepest, 0, (size_t)n * sizeof *band->deepest);
    for (int i = 0; i < n; ++i) {
        band->deepest[band->first[i]] = i;
    }
    for (int j = 1; j < n; ++j) {
        band->deepest[j] = largest_int(band->deepest[j - 1], band->deepest[j]);
    }
}

double sn_band_work(const sn_band *band)
{
    double work = 0.0;
    for (int j = 0; j < band->n; ++j) {
        double deep = band->deepest[j] - j;
        work += deep * deep;
    }
    return work;
}

// ---- a panel ----

// The row from j on whose entry in column j is largest.
static int find_pivot(const sn_band *band, int j)
{
    int best = j, deepest = band->deepest[j];
    double most = -1.0;
    const double *entry = row_of(band, j) + j;
    for (int i = j; i <= deepest; ++i, entry += band->n) {
        double x = fabs(*entry);
        if (x > most) {
            most = x;
            best = i;
        }
    }
    return best;
}

static void exchange(int *numbers, int i, int j)
{
    int kept = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = kept;
}

static void exchange_rows(sn_band *band, int i, int j)
{
    double *one = row_of(band, i), *other = row_of(band, j);
    int end = largest_int(band->last[i], band->last[j]);
    int begin = band->first[i] < band->first[j] ? band->first[i] : band->first[j];
    int k = begin;
    for (; k + SN_LANES <= end + 1; k += SN_LANES) {
        sn_lanes_row kept = *(const sn_lanes_row *)(one + k);
        *(sn_lanes_row *)(one + k) = *(const sn_lanes_row *)(other + k);
        *(sn_lanes_row *)(other + k) = kept;
    }
    for (; k <= end; ++k) {
        double kept = one[k];
        one[k] = other[k];
        other[k] = kept;
    }
    exchange(band->first, i, j);
    exchange(band->last, i, j);
}

// Takes the pivot of column j from the rows below it, in `rest` columns beside
// it: fewer than PANEL, and a constant wherever it is called, so that no row
// asks for it.
SN_WIDE void take_column(sn_band *band, int j, int rest)
{
    const double *pivot = row_of(band, j) + j;
    double first = pivot[0], beside[PANEL] = {0.0};
    int deepest = band->deepest[j], last = band->last[j], *ends = band->last;
    for (int k = 0; k < rest; ++k) {
        beside[k] = pivot[1 + k];
    }
    double *row = row_of(band, j + 1) + j;
    for (int i = j + 1; i <= deepest; ++i, row += band->n) {
        if (row[0] != 0.0) {
            double factor = row[0] / first;
            row[0] = factor;
            if (rest > 0) {
                row[1] -= factor * beside[0];
            }
            if (rest > 1) {
                row[2] -= factor * beside[1];
            }
            if (rest > 2) {
                row[3] -= factor * beside[2];
            }
            ends[i] = largest_int(ends[i], last);
        }
    }
}

// Columns from j up to `end`, no more than a panel, for all rows; the rows'
// ends as if all columns had been done.
static bool eliminate(sn_band *band, int j, int end)
{
    band->swaps[j] = find_pivot(band, j);
    if (band->swaps[j] != j) {
        exchange_rows(band, j, band->swaps[j]);
    }
    double pivot = row_of(band, j)[j];
    if (!(fabs(pivot) > 1e-14) || !isfinite(pivot)) {
        return false;
    }
    switch (end - j - 1) {
    case 0:
        take_column(band, j, 0);
        break;
    case 1:
        take_column(band, j, 1);
        break;
    case 2:
        take_column(band, j, 2);
        break;
    default:
        take_column(band, j, 3);
        break;
    }
    return true;
}

// ---- what is right of it ----

// row -= factor * pivot in columns begin .. end - 1.
static void take_multiple(double *row, const double *pivot, double factor, int begin, int end)
{
    int k = begin;
    for (; k + SN_LANES <= end; k += SN_LANES) {
        *(sn_lanes_row *)(row + k) =
            *(const sn_lanes_row *)(row + k) - factor * *(const sn_lanes_row *)(pivot + k);
    }
    for (; k < end; ++k) {
        row[k] -= factor * pivot[k];
    }
}

// Takes the multiples of earlier pivots of the panel, `first` on, from one of
// its rows.
static void take_from_pivot(const sn_band *band, int first, int row, int begin)
{
    double *to = row_of(band, row);
    for (int j = first; j < row; ++j) {
        if (to[j] != 0.0) {
            take_multiple(to, row_of(band, j), to[j], begin, band->last[j] + 1);
        }
    }
}

// The same for two rows below a whole panel.
SN_WIDE void take_from_pair(const double *pivot, int n, const double *f, const double *g,
                            double *one, double *other, int begin, int end)
{
    sn_lanes wide_f[PANEL], wide_g[PANEL];
    SN_UNROLLED
    for (int j = 0; j < PANEL; ++j) {
        wide_f[j] = (sn_lanes){f[j], f[j], f[j], f[j]};
        wide_g[j] = (sn_lanes){g[j], g[j], g[j], g[j]};
    }
    int k = begin;
    for (; k + SN_LANES <= end; k += SN_LANES) {
        sn_lanes x = *(const sn_lanes_row *)(one + k), y = *(const sn_lanes_row *)(other + k);
        SN_UNROLLED
        for (int j = 0; j < PANEL; ++j) {
            sn_lanes p = *(const sn_lanes_row *)(pivot + (size_t)j * (size_t)n + k);
            x -= wide_f[j] * p;
            y -= wide_g[j] * p;
        }
        *(sn_lanes_row *)(one + k) = x;
        *(sn_lanes_row *)(other + k) = y;
    }
    for (; k < end; ++k) {
        for (int j = 0; j < PANEL; ++j) {
            one[k] -= f[j] * pivot[(size_t)j * (size_t)n + (size_t)k];
            other[k] -= g[j] * pivot[(size_t)j * (size_t)n + (size_t)k];
        }
    }
}

static bool has_any(const double *factors)
{
    return factors[0] != 0.0 || factors[1] != 0.0 || factors[2] != 0.0 || factors[3] != 0.0;
}

// All rows below the panel that begins at column j.
SN_WIDE void take_from_rest(const sn_band *band, int j, int deepest, int end)
{
    double *waiting = NULL; // rows go in pairs
    const double *pivot = row_of(band, j);
    for (int i = j + PANEL; i <= deepest; ++i) {
        double *row = row_of(band, i);
        if (!has_any(row + j)) {
            continue;
        }
        if (waiting == NULL) {
            waiting = row;
        } else {
            take_from_pair(pivot, band->n, waiting + j, row + j, waiting, row, j + PANEL, end);
            waiting = NULL;
        }
    }
    for (int k = 0; k < PANEL && waiting != NULL; ++k) {
        const double *last = pivot + (size_t)k * (size_t)band->n;
        for (int c = j + PANEL; c < end; ++c) {
            waiting[c] -= waiting[j + k] * last[c];
        }
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void take_from_rest_avx2(const sn_band *band, int j,
                                                                int deepest, int end)
{
    take_from_rest(band, j, deepest, end);
}
#endif

static void take_from_rest_any(const sn_band *band, int j, int deepest, int end)
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        take_from_rest_avx2(band, j, deepest, end);
        return;
    }
#endif
    take_from_rest(band, j, deepest, end);
}

// ---- all of it ----

// Rows only move down to where their column is not yet 0, so `deepest` stays
// true.
bool sn_band_factor(sn_band *band)
{
    int j = 0;
    for (; j + PANEL <= band->n; j += PANEL) {
        int end = 0, rest = j + PANEL;
        for (int k = j; k < rest; ++k) {
            if (!eliminate(band, k, rest)) {
                return false;
            }
            end = largest_int(end, band->last[k] + 1);
        }
        for (int k = j + 1; k < rest; ++k) {
            take_from_pivot(band, j, k, rest);
        }
        take_from_rest_any(band, j, band->deepest[rest - 1], end);
    }
    for (; j < band->n; ++j) {
        if (!eliminate(band, j, band->n)) {
            return false;
        }
    }
    return true;
}

void sn_band_solve(const sn_band *band, double *x)
{
    for (int i = 0; i < band->n; ++i) {
        double kept = x[i];
        x[i] = x[band->swaps[i]];
        x[band->swaps[i]] = kept;
    }
    for (int i = 0; i < band->n; ++i) {
        const double *row = row_of(band, i);
        for (int k = band->first[i]; k < i; ++k) {
            x[i] -= row[k] * x[k];
        }
    }
    for (int i = band->n - 1; i >= 0; --i) {
        const double *row = row_of(band, i);
        for (int k = i + 1; k <= band->last[i]; ++k) {
            x[i] -= row[k] * x[k];
        }
        x[i] /= row[i];
    }
}
