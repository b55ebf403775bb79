// Forward and inverse dynamics of a world.
//
// With f all that acts, M a = f + tau + J^T lambda. The forces tau' = M a - f give the
// accelerations a by themselves, when ties and limits let them be had: the agents are asked. Any
// other tau does the same that agrees with tau' in the directions which ties leave free, the rows
// of Z; so the shortest one in the driven freedoms, chosen by S, solves (Z S) tau = Z tau'.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"
#include "mechanism/joint.h"
#include "statics/system.h"

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
            if (force != NULL && set->type->traits.lone) {
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
            sn_world_freedom_name(system->world, i, name, sizeof name);
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "%s is not finite", what);
        }
    }
    return SN_OK;
}

// Elastic bodies have no forces of freedoms that could be asked for.
static sn_status check_rigid(const sn_world *world, sn_error *error)
{
    return !sn_world_has_deformable(world)
               ? SN_OK
               : sn_fail(error, SN_ERROR_UNSUPPORTED, "world",
                         "forward and inverse dynamics are of rigid bodies and mechanisms, and "
                         "this world has elastic bodies");
}

sn_status sn_world_accelerations(sn_world *world, const double *force, double *accelerations,
                                 sn_error *error)
{
    sn_system system;
    sn_status status = check_rigid(world, error);
    status = status == SN_OK ? sn_system_open_bare(world, &system, error) : status;
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
    double *q_rate;       // q_count
    double *given;        // n: accelerations with no force added
    double *whole;        // n: forces in all freedoms
    double *off;          // n: what they miss of the accelerations
    double *reduced;      // n: Z of the forces
    double *rows, *beta;  // free x driven, by rows: Z S
    int *order, *columns; // free, n: the driven coordinates
    double *tau;          // n
} inverse_work;

static bool make_work(const sn_system *system, inverse_work *work)
{
    size_t n = (size_t)system->n + 1;
    work->q_rate = sn_allocate(((size_t)system->q_count + 1) * sizeof(double));
    work->given = sn_allocate(n * sizeof(double));
    work->whole = sn_allocate(n * sizeof(double));
    work->off = sn_allocate(n * sizeof(double));
    work->reduced = sn_allocate(n * sizeof(double));
    work->rows = sn_allocate(n * n * sizeof(double));
    work->beta = sn_allocate(n * sizeof(double));
    work->order = sn_allocate(n * sizeof(int));
    work->columns = sn_allocate(n * sizeof(int));
    work->tau = sn_allocate(n * sizeof(double));
    return work->q_rate != NULL && work->given != NULL && work->whole != NULL &&
           work->off != NULL && work->reduced != NULL && work->rows != NULL && work->beta != NULL &&
           work->order != NULL && work->columns != NULL && work->tau != NULL;
}

static void free_work(inverse_work *work)
{
    sn_free(work->q_rate);
    sn_free(work->given);
    sn_free(work->whole);
    sn_free(work->off);
    sn_free(work->reduced);
    sn_free(work->rows);
    sn_free(work->beta);
    sn_free(work->order);
    sn_free(work->columns);
    sn_free(work->tau);
}

// The freedom that is ruled: with most say in the row that the accelerations break most, or, when
// limits or drives keep them away, in what these do.
static int find_ruled(const sn_system *system, const inverse_work *work)
{
    size_t n = (size_t)system->n;
    double *reaction = system->work, length = 0.0, most = 0.0, most_say = 0.0;
    int row = -1, freedom = 0;
    sn_dense_apply(system->n, system->n, system->metric, work->off, reaction);
    for (size_t i = 0; i < n; ++i) {
        length += work->off[i] * reaction[i];
    }
    for (int r = 0; r < system->rows; ++r) {
        double broken = 0.0;
        for (size_t i = 0; i < n; ++i) {
            broken += system->j[(size_t)r * n + i] * work->off[i];
        }
        if (fabs(broken) * system->scale[r] > fmax(most, 1e-6 * sqrt(length))) {
            most = fabs(broken) * system->scale[r];
            row = r;
        }
    }
    const double *says = row >= 0 ? system->j + (size_t)row * n : reaction;
    for (size_t i = 0; i < n; ++i) {
        if (fabs(says[i]) * system->reach[i] > most_say) {
            most_say = fabs(says[i]) * system->reach[i];
            freedom = (int)i;
        }
    }
    return freedom;
}

static sn_status fail_ruled(const sn_system *system, const inverse_work *work, sn_error *error)
{
    char name[200];
    sn_world_freedom_name(system->world, find_ruled(system, work), name, sizeof name);
    return sn_fail(error, SN_ERROR_ARGUMENT, name,
                   "its acceleration cannot be had: ties, limits or drives rule it");
}

// Names the freedom that would need the largest force of its own, of those that are not driven.
static sn_status fail_undriven(const sn_system *system, const inverse_work *work,
                               const bool *driven, sn_error *error)
{
    double most = -1.0;
    int worst = 0;
    for (int i = 0; i < system->n; ++i) {
        double own = fabs(work->whole[i]) * system->reach[i];
        if (!driven[i] && own > most) {
            most = own;
            worst = i;
        }
    }
    char name[200];
    sn_world_freedom_name(system->world, worst, name, sizeof name);
    return sn_fail(error, SN_ERROR_ARGUMENT, name,
                   "its acceleration cannot be had: it is not driven, and no driven freedom "
                   "reaches it; by itself it would need %.3g %s",
                   fabs(work->whole[worst]), system->turns[worst] ? "N m" : "N");
}

// Forces in all freedoms for the accelerations; false when these cannot be had.
static bool find_whole(sn_system *system, inverse_work *work, const double *accelerations)
{
    int n = system->n;
    double scale = 0.0, most = 0.0;
    find_rates(system, NULL, work->q_rate, work->given);
    sn_system_push(system, work->off);
    sn_dense_apply(n, n, system->metric, accelerations, work->whole);
    for (int i = 0; i < n; ++i) {
        work->whole[i] -= work->off[i];
    }
    find_rates(system, work->whole, work->q_rate, work->off);
    for (int i = 0; i < n; ++i) {
        work->off[i] = accelerations[i] - work->off[i];
        scale = fmax(scale, (fabs(accelerations[i]) + fabs(work->given[i])) / system->reach[i]);
        most = fmax(most, fabs(work->off[i]) / system->reach[i]);
    }
    return most <= 1e-8 * scale;
}

// The shortest forces in the driven freedoms that do what work->whole does; false: there are none.
static bool find_shortest(const sn_system *system, inverse_work *work, const bool *driven,
                          double *force)
{
    int n = system->n, columns = 0;
    for (int i = 0; i < n; ++i) {
        if (driven == NULL || driven[i]) {
            work->columns[columns++] = i;
        }
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
    sn_dense_apply(system->free, n, system->basis, work->whole, work->reduced);
    sn_lq_solve(columns, work->rows, work->beta, work->order, rank, work->reduced, work->tau);
    memset(force, 0, (size_t)n * sizeof *force);
    for (int k = 0; k < columns; ++k) {
        force[work->columns[k]] = work->tau[k];
    }
    double scale = 0.0, most = 0.0;
    sn_dense_apply(system->free, n, system->basis, force, work->tau);
    for (int i = 0; i < system->free; ++i) {
        scale = fmax(scale, fabs(work->reduced[i]));
        most = fmax(most, fabs(work->reduced[i] - work->tau[i]));
    }
    return most <= 1e-8 * scale;
}

static sn_status solve_inverse(sn_system *system, inverse_work *work, const double *accelerations,
                               const bool *driven, double *force, sn_error *error)
{
    if (!find_whole(system, work, accelerations)) {
        return fail_ruled(system, work, error);
    }
    if (driven == NULL && system->rows == 0) { // a tree: nothing to choose
        memcpy(force, work->whole, (size_t)system->n * sizeof *force);
        return SN_OK;
    }
    return find_shortest(system, work, driven, force)
               ? SN_OK
               : (driven != NULL ? fail_undriven(system, work, driven, error)
                                 : fail_ruled(system, work, error));
}

sn_status sn_world_inverse_dynamics(sn_world *world, const double *accelerations,
                                    const bool *driven, double *force, sn_error *error)
{
    sn_system system;
    sn_status status = check_rigid(world, error);
    status = status == SN_OK ? sn_system_open(world, &system, error) : status;
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
