#include "mobile/least_change.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"

typedef struct problem {
    int rows, n;
    const double *a, *b, *wanted, *lower, *upper;
    double *x;        // n
    double *l, *next; // rows: multipliers, and those tried
    double *residual; // rows: A x - b
    double *matrix;   // rows x rows
    double *step;     // rows
    double *scratch;  // rows
    int *order;       // rows
    double soft;      // 0, or how much a row gives way by its multiplier
} problem;

// x(l), the residual there, and the value of the dual.
static double evaluate(problem *p, const double *l)
{
    double value = 0.0;
    for (int j = 0; j < p->n; ++j) {
        double x = p->wanted[j];
        for (int i = 0; i < p->rows; ++i) {
            x += p->a[(size_t)i * (size_t)p->n + (size_t)j] * l[i];
        }
        p->x[j] = fmin(fmax(x, p->lower[j]), p->upper[j]);
        double d = p->x[j] - p->wanted[j];
        value += 0.5 * d * d;
    }
    for (int i = 0; i < p->rows; ++i) {
        double sum = p->soft * l[i] - p->b[i];
        for (int j = 0; j < p->n; ++j) {
            sum += p->a[(size_t)i * (size_t)p->n + (size_t)j] * p->x[j];
        }
        p->residual[i] = sum;
        value -= l[i] * (sum - 0.5 * p->soft * l[i]);
    }
    return value;
}

// A A^T over the unknowns that are between their bounds; a little more on the diagonal lets go of
// rows that have none.
static void fill_matrix(problem *p)
{
    for (int i = 0; i < p->rows; ++i) {
        const double *a = p->a + (size_t)i * (size_t)p->n;
        for (int k = 0; k <= i; ++k) {
            const double *c = p->a + (size_t)k * (size_t)p->n;
            double sum = i == k ? 1e-14 + p->soft : 0.0;
            for (int j = 0; j < p->n; ++j) {
                if (p->x[j] > p->lower[j] && p->x[j] < p->upper[j]) {
                    sum += a[j] * c[j];
                }
            }
            p->matrix[(size_t)i * (size_t)p->rows + (size_t)k] = sum;
        }
    }
}

static double largest(const double *values, int count, int *at)
{
    double most = 0.0;
    *at = 0;
    for (int i = 0; i < count; ++i) {
        if (fabs(values[i]) > most) {
            most = fabs(values[i]);
            *at = i;
        }
    }
    return most;
}

static bool iterate(problem *p, int *worst)
{
    enum { TURNS = 200, HALVINGS = 40 };
    double value = evaluate(p, p->l), least = largest(p->residual, p->rows, worst);
    for (int turn = 0; turn < TURNS && least > 1e-14; ++turn) {
        fill_matrix(p);
        int rank = sn_ldl_factor_pivoted(p->rows, p->matrix, p->order, 1e-15);
        double slope = 0.0;
        for (int i = 0; i < p->rows; ++i) {
            p->step[i] = -p->residual[i];
        }
        sn_ldl_solve_pivoted(p->rows, p->matrix, p->order, rank, p->step, p->scratch);
        for (int i = 0; i < p->rows; ++i) {
            slope -= p->step[i] * p->residual[i];
        }
        double length = 2.0, before = value, was = least;
        for (int k = 0; k < HALVINGS; ++k) {
            length *= 0.5;
            for (int i = 0; i < p->rows; ++i) {
                p->next[i] = p->l[i] + length * p->step[i];
            }
            value = evaluate(p, p->next);
            least = largest(p->residual, p->rows, worst);
            if (value >= before + 1e-4 * length * slope || least < 1e-13) {
                break;
            }
        }
        // Rounding ends the climb; so does a direction in which it never ends.
        if (!(value > before) && !(least < was)) {
            (void)evaluate(p, p->l);
            least = largest(p->residual, p->rows, worst);
            break;
        }
        memcpy(p->l, p->next, (size_t)p->rows * sizeof *p->l);
        if (!isfinite(value)) {
            return false;
        }
    }
    return least <= 1e-10;
}

sn_status sn_least_change(int rows, int n, const double *a, const double *b, const double *wanted,
                          const double *lower, const double *upper, double *x, bool *solved,
                          int *worst, sn_error *error)
{
    size_t m = (size_t)rows, bytes = (m * m + 5 * m) * sizeof(double) + m * sizeof(int);
    problem p = {rows, n, a, b, wanted, lower, upper, .x = x};
    double *memory = sn_allocate_zero(bytes + 1);
    if (memory == NULL) {
        return sn_fail_memory(error, bytes);
    }
    p.matrix = memory;
    p.l = p.matrix + m * m;
    p.next = p.l + m;
    p.residual = p.next + m;
    p.step = p.residual + m;
    p.scratch = p.step + m;
    p.order = (int *)(p.scratch + m);
    *worst = 0;
    *solved = iterate(&p, worst);
    if (!*solved) {
        // min |x - wanted|^2/2 + |A x - b|^2/(2 soft) has a solution always.
        p.soft = 1e-6;
        memset(p.l, 0, m * sizeof *p.l);
        (void)iterate(&p, worst);
        for (int i = 0; i < rows; ++i) {
            p.residual[i] = p.soft * p.l[i];
        }
        (void)largest(p.residual, rows, worst);
    }
    sn_free(memory);
    return SN_OK;
}
