// Small vibrations about a pose: K phi = omega^2 M phi on what ties and pressed limits leave free.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/dense.h"
#include "math/elementary.h"
#include "statics/elastic_rest.h"
#include "statics/system.h"

typedef struct modes_work {
    double *q, *v;                 // the state, to come back to
    double *push, *lambda, *left;  // n, rows, n
    double *k, *product, *reduced; // n x n
    double *values, *vectors;      // n, n x n
    sn_mode_type *types;           // n
} modes_work;

static bool make_work(const sn_system *system, modes_work *work)
{
    size_t n = (size_t)system->n + 1, square = n * n * sizeof(double);
    size_t rows = (size_t)system->tie_rows + (size_t)system->limits.count + 1;
    work->q = sn_allocate(((size_t)system->q_count + 1) * sizeof(double));
    work->v = sn_allocate(n * sizeof(double));
    work->push = sn_allocate(n * sizeof(double));
    work->lambda = sn_allocate_zero(rows * sizeof(double));
    work->left = sn_allocate(n * sizeof(double));
    work->k = sn_allocate(square);
    work->product = sn_allocate(square);
    work->reduced = sn_allocate(square);
    work->vectors = sn_allocate(square);
    work->values = sn_allocate(n * sizeof(double));
    work->types = sn_allocate(n * sizeof *work->types);
    return work->q != NULL && work->v != NULL && work->push != NULL && work->lambda != NULL &&
           work->left != NULL && work->k != NULL && work->product != NULL &&
           work->reduced != NULL && work->vectors != NULL && work->values != NULL &&
           work->types != NULL;
}

static void free_work(modes_work *work)
{
    sn_free(work->q);
    sn_free(work->v);
    sn_free(work->push);
    sn_free(work->lambda);
    sn_free(work->left);
    sn_free(work->k);
    sn_free(work->product);
    sn_free(work->reduced);
    sn_free(work->vectors);
    sn_free(work->values);
    sn_free(work->types);
}

static void fill_list(sn_modes *modes, const modes_work *work)
{
    for (int i = 0; i < modes->count; ++i) {
        sn_mode *mode = &modes->list[i];
        mode->type = work->types[i];
        double value = mode->type == SN_MODE_FREE ? 0.0 : work->values[i];
        mode->angular_frequency = value < 0.0 ? -sqrt(-value) : sqrt(value);
        mode->frequency = mode->angular_frequency / (2.0 * SN_PI);
    }
}

// Velocities are zero by now.
static sn_status find_modes(sn_system *system, modes_work *work, sn_modes *modes, sn_error *error)
{
    int n = system->n;
    sn_status status =
        sn_system_find_pressed(system, work->q, work->push, work->lambda, work->left, error);
    if (status != SN_OK) {
        return status;
    }
    sn_system_residual(system, work->left, work->push, &modes->force, &modes->torque);
    size_t count = (size_t)system->free;
    modes->coordinates = n;
    modes->list = sn_allocate_zero((count + 1) * sizeof *modes->list);
    modes->shapes = sn_allocate_zero((count * (size_t)n + 1) * sizeof *modes->shapes);
    modes->pose = sn_allocate_zero(((size_t)system->q_count + 1) * sizeof *modes->pose);
    if (modes->list == NULL || modes->shapes == NULL || modes->pose == NULL ||
        !sn_system_stiffness(system, work->lambda, 4, work->k)) {
        return sn_fail_memory(error, count * (size_t)n * sizeof *modes->shapes);
    }
    modes->count = system->free;
    sn_system_read(system, modes->pose, NULL);
    modes->asymmetry = sn_system_reduce(system, work->k, work->product, work->reduced);
    if (!sn_system_spectrum(system, work->k, work->reduced, work->values, work->vectors,
                            modes->shapes, work->types)) {
        return sn_fail(error, SN_ERROR_DIVERGED, "world",
                       "a force is no longer a number near this pose");
    }
    fill_list(modes, work);
    return SN_OK;
}

sn_status sn_world_modes(sn_world *world, sn_modes *modes, sn_error *error)
{
    *modes = (sn_modes){0};
    if (sn_world_has_deformable(world)) {
        modes->inverted = sn_world_count_inverted(world, &modes->inverted_body);
        return sn_world_elastic_modes(world, modes, error);
    }
    sn_system system;
    sn_status status = sn_system_open(world, &system, error);
    if (status != SN_OK) {
        return status;
    }
    modes_work work = {0};
    if (make_work(&system, &work)) {
        sn_system_read(&system, work.q, work.v);
        memset(work.push, 0, (size_t)system.n * sizeof *work.push);
        sn_system_write(&system, NULL, work.push);
        status = find_modes(&system, &work, modes, error);
        sn_system_write(&system, work.q, work.v);
    } else {
        status = sn_fail_memory(error, (size_t)system.n * (size_t)system.n * sizeof(double));
    }
    free_work(&work);
    sn_system_close(&system);
    if (status != SN_OK) {
        sn_modes_free(modes);
    }
    return status;
}

void sn_modes_free(sn_modes *modes)
{
    sn_free(modes->list);
    sn_free(modes->shapes);
    sn_free(modes->pose);
    *modes = (sn_modes){0};
}

// The agents' velocities become the shape for a moment, and the body is asked how it moves.
void sn_modes_body(sn_world *world, const sn_modes *modes, int mode, sn_body body, sn_vec3 *shift,
                   sn_vec3 *turn)
{
    *shift = *turn = SN_VEC3_ZERO;
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->agent.agent < 0 || mode < 0 || mode >= modes->count) {
        return;
    }
    sn_agent_set *set = world->sets[record->agent.set];
    int offset = 0;
    for (int i = 0; i < record->agent.set; ++i) {
        offset += world->sets[i]->v_count;
    }
    const double *shape = modes->shapes + (size_t)mode * (size_t)modes->coordinates + offset;
    double *v = set->v;
    set->v = (double *)shape; // read only
    sn_agent_touch(set, record->agent.agent);
    sn_part now;
    set->type->part(set, record->agent.agent, record->agent.part, &now);
    set->v = v;
    sn_agent_touch(set, record->agent.agent);
    *shift = now.velocity;
    *turn = now.angular_velocity;
}

// ---- swinging ----

// Brings a displaced pose back onto the ties, and takes from v what they forbid.
static sn_status meet_ties(sn_system *system, double *q, double *v, sn_error *error)
{
    if (system->tie_rows == 0) {
        return SN_OK;
    }
    sn_status status = sn_system_factor(system, SN_METRIC_MOTION, error);
    if (status == SN_OK && !sn_system_project(system, q)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, "world",
                         "loops do not close when displaced so far along this mode");
    }
    if (status == SN_OK) {
        status = sn_system_factor(system, SN_METRIC_MOTION, error);
    }
    if (status != SN_OK) {
        return status;
    }
    double *image = system->square, *left = image + system->n;
    sn_dense_apply(system->n, system->n, system->metric, v, image);
    sn_dense_apply(system->free, system->n, system->basis, image, left);
    sn_dense_multiply(1, system->free, system->n, left, system->basis, v);
    return SN_OK;
}

// Displaces and moves all agents along the shape. On failure the world is as it was.
static sn_status displace(sn_system *system, const sn_modes *modes, const double *shape,
                          double shift, double rate, sn_error *error)
{
    size_t n = (size_t)system->n, all = (size_t)system->q_count;
    double *q = sn_allocate((2 * (all + n) + 1) * sizeof *q);
    if (q == NULL) {
        return sn_fail_memory(error, 2 * (all + n) * sizeof *q);
    }
    double *v = q + all, *old_q = v + n, *old_v = old_q + all;
    sn_system_read(system, old_q, old_v);
    for (size_t i = 0; i < n; ++i) {
        v[i] = rate * shape[i];
    }
    sn_system_write(system, modes->pose, v);
    sn_system_move(system, modes->pose, shape, shift, q);
    sn_status status = meet_ties(system, q, v, error);
    sn_system_write(system, status == SN_OK ? q : old_q, status == SN_OK ? v : old_v);
    sn_free(q);
    return status;
}

sn_status sn_modes_swing(sn_world *world, const sn_modes *modes, int mode, double amplitude,
                         double time, sn_error *error)
{
    sn_system system;
    if (mode < 0 || mode >= modes->count || !isfinite(amplitude) || !isfinite(time)) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, "world",
            "mode %d with amplitude %g at %g s was asked for; there are %d modes, from 0", mode,
            amplitude, time, modes->count);
    }
    double w = fabs(modes->list[mode].angular_frequency);
    w = w > 0.0 ? w : 1.0;
    double shift = amplitude * sn_sin(w * time), rate = amplitude * w * sn_cos(w * time);
    sn_status status;
    if (sn_world_has_deformable(world)) {
        status = sn_world_elastic_swing(world, modes, mode, shift, rate, error);
    } else {
        status = sn_system_open(world, &system, error);
        if (status != SN_OK) {
            return status;
        }
        if (system.n != modes->coordinates) {
            status = sn_fail(error, SN_ERROR_MISMATCH, "world",
                             "the world has %d coordinates, the modes are of %d", system.n,
                             modes->coordinates);
        } else {
            const double *shape = modes->shapes + (size_t)mode * (size_t)modes->coordinates;
            status = displace(&system, modes, shape, shift, rate, error);
        }
        sn_system_close(&system);
    }
    if (status == SN_OK) {
        world->last_step = time - world->time;
        world->steps += 1;
        world->time = time;
        world->time_rest = 0.0;
        for (int s = 0; s < world->set_count; ++s) {
            for (int i = 0; i < world->sets[s]->count; ++i) {
                world->sets[s]->agents[i].time = time;
            }
        }
        sn_world_touch(world);
    }
    return status;
}
