// How the forces of a system change with its pose, and what that makes of its directions; declared
// in world/system.h.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "statics/system.h"

// ---- differences ----

// f + J^T lambda at q.
static void held_push(sn_system *system, const double *q, const double *lambda, double *force)
{
    size_t n = (size_t)system->n;
    sn_system_write(system, q, NULL);
    sn_system_push(system, force);
    if (system->hold != NULL) {
        system->hold(system->holder, force);
    }
    if (system->rows == 0) {
        return;
    }
    sn_system_rows(system);
    for (int i = 0; i < system->rows; ++i) {
        const double *row = system->j + (size_t)i * n;
        for (size_t k = 0; k < n && lambda[i] != 0.0; ++k) {
            force[k] += lambda[i] * row[k];
        }
    }
}

typedef struct difference {
    const double *q, *lambda;
    double *moved, *along; // q_count, n
    double *plus, *minus;  // n
    double *base;          // n: at q
    double *near, *far;    // n: central differences over h and over 2 h
} difference;

static void central(sn_system *system, difference *d, int freedom, double h, double *column)
{
    d->along[freedom] = 1.0;
    sn_system_move(system, d->q, d->along, h, d->moved);
    held_push(system, d->moved, d->lambda, d->plus);
    sn_system_move(system, d->q, d->along, -h, d->moved);
    held_push(system, d->moved, d->lambda, d->minus);
    d->along[freedom] = 0.0;
    for (int i = 0; i < system->n; ++i) {
        column[i] = (d->minus[i] - d->plus[i]) / (2.0 * h);
    }
}

static const double step_of_first = 1e-7, step_of_fourth = 2e-3; // parts of a freedom's reach

static void one_sided(sn_system *system, difference *d, int freedom, double h, double *column)
{
    d->along[freedom] = 1.0;
    sn_system_move(system, d->q, d->along, h, d->moved);
    held_push(system, d->moved, d->lambda, d->plus);
    d->along[freedom] = 0.0;
    for (int i = 0; i < system->n; ++i) {
        column[i] = (d->base[i] - d->plus[i]) / h;
    }
}

// One column of K. Where forces bend at a smaller scale than the freedom's reach (a short spring on
// a large body) the two differences of the fourth order disagree, and the step shrinks.
static void stiffness_column(sn_system *system, difference *d, int freedom, int order)
{
    double reach = system->reach[freedom];
    if (order == 1) {
        one_sided(system, d, freedom, step_of_first * reach, d->near);
        return;
    }
    double h = step_of_fourth * reach;
    for (int turn = 0; turn < 5; ++turn) {
        double apart = 0.0, most = 0.0;
        central(system, d, freedom, h, d->near);
        central(system, d, freedom, 2.0 * h, d->far);
        for (int i = 0; i < system->n; ++i) {
            apart = fmax(apart, fabs(d->near[i] - d->far[i]) * system->reach[i]);
            most = fmax(most, fabs(d->near[i]) * system->reach[i]);
            d->near[i] = (4.0 * d->near[i] - d->far[i]) / 3.0;
        }
        if (!(apart > 1e-4 * most)) {
            return;
        }
        h *= 0.125;
    }
}

bool sn_system_stiffness(sn_system *system, const double *lambda, int order, double *k)
{
    size_t n = (size_t)system->n, all = (size_t)system->q_count;
    double *room = sn_allocate_zero((2 * all + 6 * n + 1) * sizeof *room);
    if (room == NULL) {
        return false;
    }
    double *q = room, *rest = room + 2 * all;
    difference d = {.q = q,
                    .lambda = lambda,
                    .moved = room + all,
                    .along = rest,
                    .plus = rest + n,
                    .minus = rest + 2 * n,
                    .near = rest + 3 * n,
                    .far = rest + 4 * n,
                    .base = rest + 5 * n};
    sn_system_read(system, q, NULL);
    held_push(system, q, lambda, d.base);
    for (size_t j = 0; j < n; ++j) {
        stiffness_column(system, &d, (int)j, order);
        for (size_t i = 0; i < n; ++i) {
            k[i * n + j] = d.near[i];
        }
    }
    sn_system_write(system, q, NULL);
    sn_free(room);
    return true;
}

double sn_system_reduce(sn_system *system, const double *k, double *product, double *reduced)
{
    int n = system->n, m = system->free;
    double skew = 0.0, most = 0.0, *transposed = system->square;
    sn_dense_multiply(m, n, n, system->basis, k, product);
    sn_dense_transpose(m, n, system->basis, transposed);
    sn_dense_multiply(m, n, m, product, transposed, reduced);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
            double a = reduced[i * m + j], b = reduced[j * m + i];
            skew = fmax(skew, 0.5 * fabs(a - b));
            most = fmax(most, fmax(fabs(a), fabs(b)));
            reduced[i * m + j] = reduced[j * m + i] = 0.5 * (a + b);
        }
    }
    return most > 0.0 ? skew / most : 0.0;
}

// ---- directions ----

// What a stiffness of zero may come out as: rounding in the differences of K's own entries, and in
// the weights.
static double stiffness_noise(const sn_system *system, const double *k, const double *shape)
{
    size_t n = (size_t)system->n;
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double row = 0.0;
        for (size_t j = 0; j < n; ++j) {
            row += fabs(k[i * n + j] * shape[j]);
        }
        sum += fabs(shape[i]) * row;
    }
    return 1e-10 * sum + 1e-9 * sn_length(system->world->gravity) / system->size;
}

bool sn_system_spectrum(sn_system *system, const double *k, double *reduced, double *values,
                        double *vectors, double *shapes, sn_mode_type *types)
{
    int n = system->n, m = system->free;
    if (!sn_eigen_symmetric(m, reduced, values, vectors)) {
        return false;
    }
    for (int i = 0; i < m; ++i) {
        double *shape = shapes + (size_t)i * (size_t)n;
        memset(shape, 0, (size_t)n * sizeof *shape);
        for (int b = 0; b < m; ++b) {
            double part = vectors[(size_t)b * (size_t)m + (size_t)i];
            const double *z = system->basis + (size_t)b * (size_t)n;
            for (int a = 0; a < n; ++a) {
                shape[a] += part * z[a];
            }
        }
        double noise = stiffness_noise(system, k, shape);
        types[i] = values[i] > noise ? SN_MODE_SWINGS
                                     : (values[i] < -noise ? SN_MODE_UNSTABLE : SN_MODE_FREE);
    }
    return true;
}
