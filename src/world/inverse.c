// Forward and inverse dynamics of a world.
//
// The agents give the accelerations a0 under all that acts, ties included. Forces tau in the driven
// freedoms change them by Z Z^T S tau, with Z the rows of an M-orthonormal basis of what ties leave
// free and S the choice of the driven ones. So a - a0 must lie in the span of Z, and the shortest
// tau solves (Z S) tau = Z M (a - a0).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"
#include "world/system.h"

// dv/dt of all agents, with `force` (n, or NULL) added to what acts.
static void find_rates(sn_system *system, const double *force, double *q_rate, double *rate)
{
    sn_world *world = system->world;
    sn_system_evaluate(system);
    for (int s = 0; s < world->set_count; ++s) {
        sn_agent_set *set = world->sets[s];
        for (int i = 0; i < set->count; ++i) {
            const sn_agent *agent = &set->agents[i];
            for (int k = 0; k < agent->v_count && force != NULL && set->joint_force != NULL; ++k) {
                set->joint_force[agent->v_first + k] += force[agent->v_first + k];
            }
            if (force != NULL && s == SN_SET_RIGID) {
                const double *own = force + agent->v_first;
                sn_vec3 torque =
                    sn_rotate(sn_rigid_pose(sn_agent_q(set, i)).rotation, sn_vec3_at(own + 3));
                sn_spatial *f = sn_agent_force(set, i);
                *f = sn_spatial_add(*f, sn_spatial_make(torque, sn_vec3_at(own)));
            }
            set->type->rate(set, i, world->gravity, q_rate, rate + agent->v_first);
        }
        rate += set->v_count;
        force = force != NULL ? force + set->v_count : NULL;
    }
}

static sn_status check_finite(const sn_system *system, const double *x, const char *what,
                              sn_error *error)
{
    for (int i = 0; i < system->n; ++i) {
        if (!isfinite(x[i])) {
            char name[200];
            sn_system_freedom_name(system->world, i, name, sizeof name);
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "%s is not finite", what);
        }
    }
    return SN_OK;
}

sn_status sn_world_accelerations(sn_world *world, const double *force, double *accelerations,
                                 sn_error *error)
{
    sn_system system;
    sn_status status = sn_system_open_bare(world, &system, error);
    if (status != SN_OK) {
        return status;
    }
    double *q_rate = sn_allocate(((size_t)system.q_count + 1) * sizeof *q_rate);
    if (q_rate == NULL) {
        status = sn_fail_memory(error, (size_t)system.q_count * sizeof *q_rate);
    }
    if (status == SN_OK && force != NULL) {
        status = check_finite(&system, force, "its force", error);
    }
    if (status == SN_OK) {
        find_rates(&system, force, q_rate, accelerations);
        status = check_finite(&system, accelerations, "its acceleration", error);
    }
    sn_free(q_rate);
    sn_system_close(&system);
    return status;
}

// ---- inverse ----

typedef struct inverse_work {
    double *q_rate, *given;   // q_count, n: accelerations with no force added
    double *wanted, *reduced; // n: a - a0, and Z M of it
    double *rows, *beta;      // free x driven, by rows: Z S
    int *order, *columns;     // free, n: the driven coordinates
    double *tau;              // n
} inverse_work;

static bool make_work(const sn_system *system, inverse_work *work)
{
    size_t n = (size_t)system->n + 1;
    work->q_rate = sn_allocate(((size_t)system->q_count + 1) * sizeof(double));
    work->given = sn_allocate(n * sizeof(double));
    work->wanted = sn_allocate(n * sizeof(double));
    work->reduced = sn_allocate(n * sizeof(double));
    work->rows = sn_allocate(n * n * sizeof(double));
    work->beta = sn_allocate(n * sizeof(double));
    work->order = sn_allocate(n * sizeof(int));
    work->columns = sn_allocate(n * sizeof(int));
    work->tau = sn_allocate(n * sizeof(double));
    return work->q_rate != NULL && work->given != NULL && work->wanted != NULL &&
           work->reduced != NULL && work->rows != NULL && work->beta != NULL &&
           work->order != NULL && work->columns != NULL && work->tau != NULL;
}

static void free_work(inverse_work *work)
{
    sn_free(work->q_rate);
    sn_free(work->given);
    sn_free(work->wanted);
    sn_free(work->reduced);
    sn_free(work->rows);
    sn_free(work->beta);
    sn_free(work->order);
    sn_free(work->columns);
    sn_free(work->tau);
}

// The freedom whose acceleration is furthest off what `reached` (free) gives; -1: none is, relative
// to all that is wanted and given.
static int find_missed(const sn_system *system, const inverse_work *work, const double *reached,
                       double *off)
{
    int worst = -1;
    double scale = 0.0, most = 0.0, *back = system->work;
    sn_dense_multiply(1, system->free, system->n, reached, system->basis, back);
    for (int i = 0; i < system->n; ++i) {
        scale = fmax(scale, (fabs(work->wanted[i]) + fabs(work->given[i])) / system->reach[i]);
    }
    for (int i = 0; i < system->n; ++i) {
        double miss = fabs(work->wanted[i] - back[i]) / system->reach[i];
        if (miss > 1e-8 * scale && miss > most) {
            most = miss;
            *off = miss * system->reach[i];
            worst = i;
        }
    }
    return worst;
}

static sn_status fail_ruled(const sn_system *system, int freedom, double off, sn_error *error)
{
    char name[200];
    sn_system_freedom_name(system->world, freedom, name, sizeof name);
    return sn_fail(error, SN_ERROR_ARGUMENT, name,
                   "its acceleration cannot be had: loops, couplings or prescribed motions rule "
                   "it, and leave it %.3g %s off",
                   off, system->turns[freedom] ? "rad/s^2" : "m/s^2");
}

// Names the freedom that would need the largest force of its own, of those that are not driven.
static sn_status fail_undriven(const sn_system *system, const inverse_work *work,
                               const bool *driven, sn_error *error)
{
    double *needed = system->work, most = -1.0;
    int worst = 0;
    sn_dense_apply(system->n, system->n, system->metric, work->wanted, needed);
    for (int i = 0; i < system->n; ++i) {
        double own = fabs(needed[i]) * system->reach[i];
        if (!driven[i] && own > most) {
            most = own;
            worst = i;
        }
    }
    char name[200];
    sn_system_freedom_name(system->world, worst, name, sizeof name);
    return sn_fail(error, SN_ERROR_ARGUMENT, name,
                   "its acceleration cannot be had: it is not driven, and no driven freedom "
                   "reaches it; by itself it would need %.3g %s",
                   fabs(needed[worst]), system->turns[worst] ? "N m" : "N");
}

static sn_status solve_inverse(sn_system *system, inverse_work *work, const double *accelerations,
                               const bool *driven, double *force, sn_error *error)
{
    int n = system->n, columns = 0, missed;
    double off;
    find_rates(system, NULL, work->q_rate, work->given);
    for (int i = 0; i < n; ++i) {
        work->wanted[i] = accelerations[i] - work->given[i];
        if (driven == NULL || driven[i]) {
            work->columns[columns++] = i;
        }
    }
    sn_dense_apply(n, n, system->metric, work->wanted, work->tau);
    sn_dense_apply(system->free, n, system->basis, work->tau, work->reduced);
    missed = find_missed(system, work, work->reduced, &off);
    if (missed >= 0) {
        return fail_ruled(system, missed, off, error);
    }
    if (columns == n && system->rows == 0) { // a tree: nothing to choose
        memcpy(force, work->tau, (size_t)n * sizeof *force);
        return SN_OK;
    }
    for (int i = 0; i < system->free; ++i) {
        for (int k = 0; k < columns; ++k) {
            work->rows[i * columns + k] =
                system->basis[(size_t)i * (size_t)n + (size_t)work->columns[k]];
        }
    }
    int rank = columns > 0
                   ? sn_lq_factor(system->free, columns, work->rows, work->order, work->beta, 1e-11)
                   : 0;
    sn_lq_solve(columns, work->rows, work->beta, work->order, rank, work->reduced, work->tau);
    memset(force, 0, (size_t)n * sizeof *force);
    for (int k = 0; k < columns; ++k) {
        force[work->columns[k]] = work->tau[k];
    }
    sn_dense_apply(system->free, n, system->basis, force, work->reduced);
    missed = find_missed(system, work, work->reduced, &off);
    return missed < 0       ? SN_OK
           : driven != NULL ? fail_undriven(system, work, driven, error)
                            : fail_ruled(system, missed, off, error);
}

sn_status sn_world_inverse_dynamics(sn_world *world, const double *accelerations,
                                    const bool *driven, double *force, sn_error *error)
{
    sn_system system;
    sn_status status = sn_system_open(world, &system, error);
    if (status != SN_OK) {
        return status;
    }
    inverse_work work = {0};
    status = check_finite(&system, accelerations, "the acceleration asked for", error);
    if (status == SN_OK && !make_work(&system, &work)) {
        status = sn_fail_memory(error, (size_t)system.n * (size_t)system.n * sizeof(double));
    }
    if (status == SN_OK) {
        status = sn_system_factor(&system, SN_METRIC_MASS, error);
    }
    if (status == SN_OK) {
        status = solve_inverse(&system, &work, accelerations, driven, force, error);
    }
    free_work(&work);
    sn_system_close(&system);
    return status;
}
