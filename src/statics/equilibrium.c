// Equilibrium of a world: downhill to where forces balance.
//
// A trust region method (Nocedal, Wright, Numerical Optimization, 2006, chapter 4) in the tangent
// space of ties and pressed limits, whose basis Z is orthonormal in the metric of bodies' motions
// (masses would let the light end of a chain spin within the region): with g = Z f and K the
// reduced stiffness, each step y solves (K + mu) y = g, mu = 0 where that is a minimum near enough.
// No potential is asked for: what a step gains is the work of the forces along it, a line integral,
// so callbacks of any kind take part. The step goes along joint coordinates, then back onto the
// ties.
//
// Hard limits are an active set: a step ends at the first limit it meets, which becomes a row until
// it would have to pull. At a pose that balances but is not stable, the step goes along the most
// negative stiffness.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"
#include "mechanism/joint.h"
#include "statics/elastic_rest.h"
#include "statics/system.h"

sn_equilibrium_def sn_default_equilibrium_def(void)
{
    return (sn_equilibrium_def){.most_iterations = 500, .tolerance = 1e-9};
}

typedef struct search {
    sn_system system;
    sn_equilibrium_def def;
    double *memory;
    double *start_q, *start_v;     // the state, to come back to
    double *q, *trial, *best;      // q_count
    double *push, *lambda, *left;  // n, rows, n
    double *step, *y, *image;      // n: in coordinates, in the basis, scratch
    double *k, *product, *reduced; // n x n
    double *factor, *shapes;       // n x n
    double *values;                // n
    sn_mode_type *types;           // n
    int *sides;                    // of the limits, as they were
    double radius;                 // of the trust region
    double residual, forces;       // |left|, and the size of the forces in play in the same sense
    double best_residual;
    int iterations;
} search;

// ---- memory ----

static double *take(double **at, size_t count)
{
    double *taken = *at;
    *at += count;
    return taken;
}

static bool make_search(search *s)
{
    size_t n = (size_t)s->system.n + 1, all = (size_t)s->system.q_count + 1;
    size_t limits = (size_t)s->system.limits.count + 1, rows = (size_t)s->system.tie_rows + limits;
    s->memory = sn_allocate_zero((5 * n * n + 4 * all + 7 * n + rows) * sizeof(double));
    s->types = sn_allocate_zero(n * sizeof *s->types);
    s->sides = sn_allocate_zero(limits * sizeof *s->sides);
    if (s->memory == NULL || s->types == NULL || s->sides == NULL) {
        return false;
    }
    double *at = s->memory;
    double **squares[] = {&s->k, &s->product, &s->reduced, &s->factor, &s->shapes};
    double **poses[] = {&s->start_q, &s->q, &s->trial, &s->best};
    double **vectors[] = {&s->start_v, &s->push, &s->left, &s->step, &s->y, &s->image, &s->values};
    for (int i = 0; i < 5; ++i) {
        *squares[i] = take(&at, n * n);
    }
    for (int i = 0; i < 4; ++i) {
        *poses[i] = take(&at, all);
    }
    for (int i = 0; i < 7; ++i) {
        *vectors[i] = take(&at, n);
    }
    s->lambda = take(&at, rows);
    return true;
}

static void free_search(search *s)
{
    sn_free(s->memory);
    sn_free(s->types);
    sn_free(s->sides);
    sn_system_close(&s->system);
}

// ---- where it stands ----

static double norm(int count, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// The largest absolute row sum: no eigenvalue is beyond it.
static double largest_row(int count, const double *a)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        double sum = 0.0;
        for (int j = 0; j < count; ++j) {
            sum += fabs(a[i * count + j]);
        }
        most = fmax(most, sum);
    }
    return most;
}

// Forces, multipliers and reduced stiffness at q.
static sn_status look(search *s, sn_system_metric metric, int order, sn_error *error)
{
    sn_system *system = &s->system;
    sn_system_write(system, s->q, NULL);
    sn_status status = sn_system_factor(system, metric, error);
    if (status != SN_OK) {
        return status;
    }
    sn_system_push(system, s->push);
    sn_system_balance(system, s->push, s->lambda, s->left);
    s->residual = norm(system->free, s->left);
    if (!sn_system_stiffness(system, s->lambda, order, s->k) || system->starved) {
        return sn_fail_memory(error, (size_t)system->n * sizeof(double));
    }
    sn_system_reduce(system, s->k, s->product, s->reduced);
    // In the metric of motions a unit is a radian, or the system's size.
    double stiffness = largest_row(system->free, s->reduced),
           weight = system->mass * sn_length(system->world->gravity),
           unit = metric == SN_METRIC_MASS ? sqrt(system->mass) : 1.0;
    s->forces = weight * system->size / unit + stiffness * unit;
    return isfinite(s->residual) && isfinite(s->forces)
               ? SN_OK
               : sn_fail(error, SN_ERROR_DIVERGED, "world",
                         "a force is no longer a number on the way to equilibrium");
}

// The work of the forces along the way from q to `trial`: Gauss's three points in panels of at most
// a radian of turns in all, or the system's size of shifts.
static double work_along(search *s)
{
    static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169},
                        weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    sn_system *system = &s->system;
    double *d = s->step, *pose = system->pose, length = 0.0, work = 0.0;
    sn_system_difference(system, s->q, s->trial, d);
    for (int i = 0; i < system->n; ++i) {
        length += fabs(d[i]) / system->reach[i];
    }
    int panels = length < 16.0 ? 1 + (int)length : 16;
    for (int p = 0; p < panels; ++p) {
        for (int g = 0; g < 3; ++g) {
            sn_system_move(system, s->q, d, (p + at[g]) / panels, pose);
            sn_system_write(system, pose, NULL);
            sn_system_push(system, s->image);
            double along = 0.0;
            for (int i = 0; i < system->n; ++i) {
                along += s->image[i] * d[i];
            }
            work += weight[g] / panels * along;
        }
    }
    return work;
}

// ---- the step ----

// Factors K + mu into s->factor and solves for y; false when it is not positive definite.
static bool try_shift(search *s, double mu)
{
    int m = s->system.free;
    memcpy(s->factor, s->reduced, (size_t)m * (size_t)m * sizeof *s->factor);
    for (int i = 0; i < m; ++i) {
        s->factor[i * m + i] += mu;
    }
    if (!sn_cholesky_factor(m, s->factor, NULL)) {
        return false;
    }
    memcpy(s->y, s->left, (size_t)m * sizeof *s->y);
    sn_cholesky_solve(m, s->factor, s->y);
    return true;
}

// The y of at most the region's radius. Where K is not positive the least shift that makes it so is
// sought first; then Newton on 1/|y(mu)| = 1/radius, which rises to the answer from below.
static void find_step(search *s)
{
    int m = s->system.free;
    double stiffness = largest_row(m, s->reduced), mu = 0.0;
    if (!try_shift(s, 0.0)) {
        mu = fmax(1e-14 * stiffness, 1e-14 * s->residual / s->radius);
        mu = mu > 0.0 ? mu : 1.0;
        for (int i = 0; i < m; ++i) { // the least eigenvalue is below every diagonal entry
            mu = fmax(mu, -s->reduced[i * m + i]);
        }
        while (!try_shift(s, mu)) {
            mu *= 4.0;
        }
    }
    for (int turn = 0; turn < 30; ++turn) {
        double length = norm(m, s->y);
        if (!(length > 1.1 * s->radius)) {
            return;
        }
        memcpy(s->image, s->y, (size_t)m * sizeof *s->image);
        sn_cholesky_solve_lower(m, s->factor, s->image);
        double slope = norm(m, s->image), ratio = length / slope;
        mu += ratio * ratio * (length - s->radius) / s->radius;
        if (!try_shift(s, mu)) {
            return;
        }
    }
}

// g y - y K y / 2
static double predicted_gain(const search *s)
{
    int m = s->system.free;
    double gain = 0.0;
    for (int i = 0; i < m; ++i) {
        double row = 0.0;
        for (int j = 0; j < m; ++j) {
            row += s->reduced[i * m + j] * s->y[j];
        }
        gain += s->y[i] * (s->left[i] - 0.5 * row);
    }
    return gain;
}

// y as displacements of the freedoms; no freedom turns by more than a radian at once.
static void spread_step(search *s)
{
    const sn_system *system = &s->system;
    double most = 0.0;
    sn_dense_multiply(1, system->free, system->n, s->y, system->basis, s->step);
    for (int i = 0; i < system->n; ++i) {
        most = system->turns[i] ? fmax(most, fabs(s->step[i])) : most;
    }
    if (most > 1.0) {
        for (int i = 0; i < system->free; ++i) {
            s->y[i] /= most;
        }
        for (int i = 0; i < system->n; ++i) {
            s->step[i] /= most;
        }
    }
}

// ---- limits ----

static void keep_sides(search *s)
{
    for (int i = 0; i < s->system.limits.count; ++i) {
        s->sides[i] = s->system.limits.data[i].side;
    }
}

static void restore_sides(search *s)
{
    for (int i = 0; i < s->system.limits.count; ++i) {
        sn_system_press(&s->system, i, s->sides[i]);
    }
}

// Cuts the step at the first limit it meets, which then presses. Gives the part that is left.
static double cut_at_limits(search *s)
{
    return sn_system_cut_at_limits(&s->system, s->q, s->step, s->trial);
}

// The pose after the step, on all rows; false when it cannot be put there.
static bool make_trial(search *s, double part)
{
    sn_system_move(&s->system, s->q, s->step, part, s->trial);
    for (int turn = 0; turn < 10; ++turn) {
        if (s->system.rows > 0 && !sn_system_project(&s->system, s->trial)) {
            return false;
        }
        if (!sn_system_press_crossed(&s->system, s->trial)) {
            return true;
        }
    }
    return false;
}

// ---- iterations ----

static bool region_is_lost(const search *s)
{
    return !(s->radius > 1e-15);
}

// One step downhill from where it looked last; the region shrinks until one gains.
static void go_downhill(search *s)
{
    keep_sides(s);
    while (!region_is_lost(s)) {
        find_step(s);
        spread_step(s);
        double part = cut_at_limits(s), length = part * norm(s->system.free, s->y);
        if (part == 0.0) {
            return; // a limit presses from now on
        }
        for (int i = 0; i < s->system.free; ++i) {
            s->y[i] *= part;
        }
        double predicted = predicted_gain(s);
        bool there = make_trial(s, part);
        double gain = there ? work_along(s) : -INFINITY;
        // What the ties' reactions do over the last bits of their gaps hides smaller gains.
        bool hidden = there && predicted <= 1e-14 * s->forces;
        bool enough = hidden || (gain > 0.05 * predicted && predicted > 0.0);
        if (!enough || (gain < 0.25 * predicted && !hidden)) {
            s->radius = 0.25 * fmin(length, s->radius);
        } else if (gain > 0.75 * predicted && length > 0.8 * s->radius) {
            s->radius *= 2.0;
        }
        if (enough) {
            memcpy(s->q, s->trial, (size_t)s->system.q_count * sizeof *s->q);
            return;
        }
        restore_sides(s);
    }
}

// Takes the Newton step as it is: near enough to the answer that gains drown in rounding.
static bool polish(search *s)
{
    keep_sides(s);
    memcpy(s->best, s->q, (size_t)s->system.q_count * sizeof *s->q);
    s->best_residual = s->residual;
    find_step(s);
    spread_step(s);
    double most = 0.0;
    for (int i = 0; i < s->system.n; ++i) {
        most = fmax(most, fabs(s->step[i]) / s->system.reach[i]);
    }
    double part = cut_at_limits(s);
    bool moved = most < 0.1 && part > 0.0 && make_trial(s, part);
    if (!moved) {
        restore_sides(s);
        return false;
    }
    memcpy(s->q, s->trial, (size_t)s->system.q_count * sizeof *s->q);
    return true;
}

// Leaves a pose that balances but is not stable along its most negative stiffness, by a tenth of
// what each freedom can reach, or less where that is not downhill.
static bool topple(search *s)
{
    sn_system *system = &s->system;
    double most = 0.0, *shape = s->shapes, length = 0.1;
    for (int i = 0; i < system->n; ++i) {
        most = fmax(most, fabs(shape[i]) / system->reach[i]);
    }
    keep_sides(s);
    for (int turn = 0; turn < 10; ++turn) {
        for (int side = 1; side >= -1; side -= 2) {
            for (int i = 0; i < system->n; ++i) {
                s->step[i] = side * length / most * shape[i];
            }
            double part = cut_at_limits(s);
            if (part > 0.0 && make_trial(s, part) && work_along(s) > 0.0) {
                memcpy(s->q, s->trial, (size_t)system->q_count * sizeof *s->q);
                s->radius = 0.5;
                return true;
            }
            restore_sides(s);
        }
        length *= 0.25;
    }
    return false;
}

// What stands in the way, by the largest acceleration relative to the freedom's reach.
static sn_status fail_search(search *s, const char *why, sn_error *error)
{
    const sn_system *system = &s->system;
    double most = -1.0;
    int worst = 0;
    sn_dense_multiply(1, system->free, system->n, s->left, system->basis, s->step);
    for (int i = 0; i < system->n; ++i) {
        double own = fabs(s->step[i]) / system->reach[i];
        if (own > most) {
            most = own;
            worst = i;
        }
    }
    sn_system_unbalanced(system, s->left, s->image);
    char name[200];
    sn_world_freedom_name(system->world, worst, name, sizeof name);
    return sn_fail(error, SN_ERROR_DIVERGED, name,
                   "no equilibrium was found after %d iterations: %s; %.3g %s are left here",
                   s->iterations, why, fabs(s->image[worst]), system->turns[worst] ? "N m" : "N");
}

static bool is_far(search *s)
{
    const sn_system *system = &s->system;
    sn_system_difference(system, s->start_q, s->q, s->step);
    for (int i = 0; i < system->n; ++i) {
        if (!sn_world_freedom(system->world, i).turns && fabs(s->step[i]) > 1e9 * system->size) {
            return true;
        }
    }
    return false;
}

// Balanced to the tolerance: rounds off, classifies, and says whether that is the end.
static sn_status finish(search *s, bool *ended, sn_error *error)
{
    *ended = false;
    double strength;
    if (s->residual < 0.5 * s->best_residual && s->residual > 1e-16 * s->forces && polish(s)) {
        return SN_OK;
    }
    if (s->residual > s->best_residual) { // the last polish did not help
        memcpy(s->q, s->best, (size_t)s->system.q_count * sizeof *s->q);
        restore_sides(s);
    }
    sn_status status = look(s, SN_METRIC_MASS, 4, error);
    if (status != SN_OK) {
        return status;
    }
    int pulling = sn_system_pulling_limit(&s->system, s->lambda, &strength);
    s->best_residual = INFINITY;
    if (pulling >= 0 && strength > s->def.tolerance * s->forces) {
        sn_system_press(&s->system, pulling, 0);
        return SN_OK;
    }
    if (!sn_system_spectrum(&s->system, s->k, s->reduced, s->values, s->factor, s->shapes,
                            s->types)) {
        return fail_search(s, "a force is no longer a number", error);
    }
    bool unstable = s->system.free > 0 && s->types[0] == SN_MODE_UNSTABLE;
    *ended = !unstable || s->def.accept_unstable || !topple(s);
    return SN_OK;
}

static sn_status iterate(search *s, sn_error *error)
{
    sn_system *system = &s->system;
    s->radius = 0.5;
    s->best_residual = INFINITY;
    bool ended = system->n == 0;
    for (s->iterations = 0; !ended; ++s->iterations) {
        double strength;
        sn_status status = look(s, SN_METRIC_MOTION, 1, error);
        if (status != SN_OK) {
            return status;
        }
        if (s->iterations >= s->def.most_iterations) {
            return fail_search(s, "it may need more iterations, or something falls", error);
        }
        if (is_far(s)) {
            return fail_search(s, "something falls without end", error);
        }
        if (s->residual <= s->def.tolerance * s->forces) {
            status = finish(s, &ended, error);
            if (status != SN_OK) {
                return status;
            }
            continue;
        }
        int pulling = sn_system_pulling_limit(system, s->lambda, &strength);
        if (pulling >= 0 && strength > 1e3 * s->residual) {
            sn_system_press(system, pulling, 0);
            continue;
        }
        s->best_residual = INFINITY;
        go_downhill(s);
        if (region_is_lost(s)) {
            return fail_search(s, "no step makes it better", error);
        }
    }
    return SN_OK;
}

// ---- the report ----

// Gauss and Jordan with full pivoting: `count` rows of n, each 1 in a column where the others are
// 0.
static void separate(int count, int n, double *rows)
{
    for (int k = 0; k < count; ++k) {
        double most = 0.0;
        int row = k, column = 0;
        for (int i = k; i < count; ++i) {
            for (int j = 0; j < n; ++j) {
                double entry = fabs(rows[(size_t)i * (size_t)n + (size_t)j]);
                if (entry > most * (1.0 + 1e-9)) {
                    most = entry;
                    row = i;
                    column = j;
                }
            }
        }
        for (int j = 0; j < n; ++j) {
            double *a = &rows[(size_t)k * (size_t)n + (size_t)j],
                   *b = &rows[(size_t)row * (size_t)n + (size_t)j], swap = *a;
            *a = *b;
            *b = swap;
        }
        double *pivot = rows + (size_t)k * (size_t)n, head = pivot[column];
        for (int j = 0; j < n && head != 0.0; ++j) {
            pivot[j] /= head;
        }
        for (int i = 0; i < count; ++i) {
            double *other = rows + (size_t)i * (size_t)n, factor = other[column];
            for (int j = 0; j < n && i != k; ++j) {
                other[j] -= factor * pivot[j];
            }
        }
    }
}

// Each row's largest entry becomes 1, and what is rounding beside it 0.
static void tidy(int count, int n, double *rows)
{
    for (int i = 0; i < count; ++i) {
        double *row = rows + (size_t)i * (size_t)n, head = 0.0;
        for (int j = 0; j < n; ++j) {
            head = fabs(row[j]) > fabs(head) * (1.0 + 1e-9) ? row[j] : head;
        }
        for (int j = 0; j < n && head != 0.0; ++j) {
            row[j] = fabs(row[j]) > 1e-9 * fabs(head) ? row[j] / head : 0.0;
        }
    }
}

static double *pick_directions(const search *s, sn_mode_type type, int *count)
{
    size_t n = (size_t)s->system.n;
    *count = 0;
    for (int i = 0; i < s->system.free; ++i) {
        *count += s->types[i] == type;
    }
    double *rows = sn_allocate_zero(((size_t)*count * n + 1) * sizeof *rows), *at = rows;
    for (int i = 0; i < s->system.free && rows != NULL; ++i) {
        if (s->types[i] == type) {
            memcpy(at, s->shapes + (size_t)i * n, n * sizeof *at);
            at += n;
        }
    }
    return rows;
}

static sn_status report(search *s, sn_equilibrium *equilibrium, sn_error *error)
{
    sn_system *system = &s->system;
    equilibrium->iterations = s->iterations;
    equilibrium->coordinates = system->n;
    equilibrium->freedoms = system->free;
    sn_system_residual(system, s->left, s->image, &equilibrium->force, &equilibrium->torque);
    equilibrium->free_directions = pick_directions(s, SN_MODE_FREE, &equilibrium->free_count);
    equilibrium->unstable_directions =
        pick_directions(s, SN_MODE_UNSTABLE, &equilibrium->unstable_count);
    equilibrium->resting = sn_allocate_zero(((size_t)system->limits.count + 1) * sizeof(int));
    if (equilibrium->free_directions == NULL || equilibrium->unstable_directions == NULL ||
        equilibrium->resting == NULL) {
        return sn_fail_memory(error, (size_t)system->n * sizeof(double));
    }
    separate(equilibrium->free_count, system->n, equilibrium->free_directions);
    tidy(equilibrium->free_count, system->n, equilibrium->free_directions);
    tidy(equilibrium->unstable_count, system->n, equilibrium->unstable_directions);
    for (int i = 0; i < system->limits.count; ++i) {
        if (sn_system_rests_on(&system->limits.data[i])) {
            equilibrium->resting[equilibrium->resting_count++] = system->limits.data[i].v;
        }
    }
    equilibrium->stable = equilibrium->unstable_count == 0;
    return SN_OK;
}

// ---- the call ----

static sn_status find_equilibrium(search *s, sn_equilibrium *equilibrium, sn_error *error)
{
    sn_system *system = &s->system;
    sn_system_read(system, s->start_q, s->start_v);
    memcpy(s->q, s->start_q, (size_t)system->q_count * sizeof *s->q);
    memset(s->push, 0, (size_t)system->n * sizeof *s->push);
    sn_system_write(system, s->q, s->push);
    sn_status status = sn_system_factor(system, SN_METRIC_MOTION, error);
    if (status == SN_OK && system->rows > 0 && !sn_system_project(system, s->q)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, "world",
                         "loops, couplings and prescribed motions cannot all be met from here");
    }
    if (status == SN_OK) {
        status = iterate(s, error);
    }
    if (status == SN_OK) {
        sn_system_write(system, s->q, NULL);
        status = report(s, equilibrium, error);
    }
    if (status != SN_OK) {
        sn_system_write(system, s->start_q, s->start_v);
    }
    return status;
}

sn_status sn_world_equilibrium(sn_world *world, const sn_equilibrium_def *def,
                               sn_equilibrium *equilibrium, sn_error *error)
{
    *equilibrium = (sn_equilibrium){0};
    search s = {.def = def != NULL ? *def : sn_default_equilibrium_def()};
    if (s.def.most_iterations < 1 || !(s.def.tolerance > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world",
                       "%d iterations and a tolerance of %g were asked for, expected both above 0",
                       s.def.most_iterations, s.def.tolerance);
    }
    sn_status status;
    if (sn_world_has_deformable(world)) {
        status = sn_world_elastic_equilibrium(world, &s.def, equilibrium, error);
    } else {
        status = sn_system_open(world, &s.system, error);
        if (status != SN_OK) {
            return status;
        }
        status = make_search(&s) ? find_equilibrium(&s, equilibrium, error)
                                 : sn_fail_memory(error, (size_t)s.system.n * sizeof(double));
        free_search(&s);
    }
    if (status != SN_OK) {
        sn_equilibrium_free(equilibrium);
        return status;
    }
    sn_world_touch(world);
    equilibrium->potential = sn_world_energy(world).potential;
    equilibrium->inverted = sn_world_count_inverted(world, &equilibrium->inverted_body);
    return SN_OK;
}

void sn_equilibrium_free(sn_equilibrium *equilibrium)
{
    sn_free(equilibrium->free_directions);
    sn_free(equilibrium->unstable_directions);
    sn_free(equilibrium->resting);
    *equilibrium = (sn_equilibrium){0};
}
