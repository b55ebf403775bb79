#include "statics/system.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "force/air.h"
#include "force/forces.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "statics/elastic_rest.h"

// ---- agents and their places in the system ----

typedef struct agent_place {
    int set, agent;
    int q, v; // first coordinates in the system
} agent_place;

// Deformable bodies have sparse matrices of their own: rest.h.
static bool is_dense(const sn_agent_set *set)
{
    return !set->type->traits.deformable;
}

// Goes through the agents of bodies and mechanisms: start with {.set = 0, .agent = -1}.
static bool next_agent(const sn_world *world, agent_place *at)
{
    if (at->agent >= 0) {
        const sn_agent *last = &world->sets[at->set]->agents[at->agent];
        at->q += last->q_count;
        at->v += last->v_count;
    }
    at->agent += 1;
    while (at->set < world->set_count &&
           (!is_dense(world->sets[at->set]) || at->agent >= world->sets[at->set]->count)) {
        at->set += 1;
        at->agent = 0;
    }
    return at->set < world->set_count;
}

#define FIRST_AGENT ((agent_place){.agent = -1})

// ---- opening ----

static int tie_rows(const sn_agent_set *set, int agent)
{
    return set->type->traits.jointed ? sn_articulation_rows((const sn_articulation_set *)set, agent)
                                     : 0;
}

// What the agents say of themselves. False when memory runs out.
static bool survey(sn_system *system)
{
    const sn_world *world = system->world;
    for (agent_place at = FIRST_AGENT; next_agent(world, &at);) {
        const sn_agent_set *set = world->sets[at.set];
        const sn_agent *agent = &set->agents[at.agent];
        double size = set->type->chart->size(set, at.agent);
        size = size > 0.0 && isfinite(size) ? size : 1.0;
        system->size = fmax(system->size, size);
        system->mass += set->type->mass(set, at.agent);
        set->type->chart->turns(set, at.agent, system->turns + at.v);
        for (int k = 0; k < agent->v_count; ++k) {
            system->reach[at.v + k] = system->turns[at.v + k] ? 1.0 : size;
        }
        system->tie_rows += tie_rows(set, at.agent);
        if (set->type->traits.jointed &&
            !sn_system_add_limits(sn_articulation_of(set, at.agent), at.q, at.v, &system->limits)) {
            return false;
        }
    }
    return true;
}

static bool make_room(sn_system *system)
{
    size_t n = (size_t)system->n + 1,
           rows = (size_t)system->tie_rows + (size_t)system->limits.count + 1;
    system->metric = sn_allocate_zero(n * n * sizeof(double));
    system->l = sn_allocate_zero(n * n * sizeof(double));
    system->basis = sn_allocate_zero(n * n * sizeof(double));
    system->square = sn_allocate_zero(n * n * sizeof(double));
    system->j = sn_allocate_zero(rows * n * sizeof(double));
    system->lq = sn_allocate_zero(rows * n * sizeof(double));
    system->gap = sn_allocate_zero(rows * sizeof(double));
    system->beta = sn_allocate_zero(rows * sizeof(double));
    system->scale = sn_allocate_zero(rows * sizeof(double));
    system->order = sn_allocate_zero(rows * sizeof(int));
    system->work = sn_allocate_zero(4 * (n + rows) * sizeof(double));
    system->pose = sn_allocate_zero(((size_t)system->q_count + 1) * sizeof(double));
    return system->metric != NULL && system->l != NULL && system->basis != NULL &&
           system->j != NULL && system->lq != NULL && system->gap != NULL && system->beta != NULL &&
           system->scale != NULL && system->order != NULL && system->work != NULL &&
           system->pose != NULL && system->square != NULL;
}

sn_status sn_system_open_bare(sn_world *world, sn_system *system, sn_error *error)
{
    *system = (sn_system){0};
    sn_status status = sn_world_prepare_statics(world, error);
    if (status != SN_OK) {
        return status;
    }
    sn_world_cut_air(world, world->time, world->time);
    for (int s = 0; s < world->set_count; ++s) {
        system->n += is_dense(world->sets[s]) ? world->sets[s]->v_count : 0;
        system->q_count += is_dense(world->sets[s]) ? world->sets[s]->q_count : 0;
    }
    system->world = world;
    world->stepping = true;
    return SN_OK;
}

sn_status sn_system_open(sn_world *world, sn_system *system, sn_error *error)
{
    sn_status status = sn_system_open_bare(world, system, error);
    if (status != SN_OK) {
        return status;
    }
    int n = system->n;
    if (n > SN_MECHANICS_LIMIT) {
        sn_system_close(system);
        return sn_fail(error, SN_ERROR_UNSUPPORTED, "world",
                       "%d coordinates are too many for dense matrices; up to %d can be treated", n,
                       (int)SN_MECHANICS_LIMIT);
    }
    system->reach = sn_allocate_zero(((size_t)n + 1) * sizeof(double));
    system->turns = sn_allocate_zero((size_t)n + 1);
    if (system->reach == NULL || system->turns == NULL || !survey(system) || !make_room(system)) {
        sn_system_close(system);
        return sn_fail_memory(error, (size_t)n * (size_t)n * sizeof(double));
    }
    system->rows = system->tie_rows;
    for (int i = 0; i < system->limits.count; ++i) {
        system->rows += system->limits.data[i].side != 0; // locked
    }
    return SN_OK;
}

void sn_system_close(sn_system *system)
{
    if (system->world != NULL) {
        system->world->stepping = false;
        system->world->forces_clear = false;
    }
    sn_array_free(&system->limits);
    sn_free(system->reach);
    sn_free(system->turns);
    sn_free(system->metric);
    sn_free(system->l);
    sn_free(system->basis);
    sn_free(system->j);
    sn_free(system->lq);
    sn_free(system->gap);
    sn_free(system->beta);
    sn_free(system->scale);
    sn_free(system->order);
    sn_free(system->work);
    sn_free(system->pose);
    sn_free(system->square);
    *system = (sn_system){0};
}

// ---- state ----

void sn_system_read(const sn_system *system, double *q, double *v)
{
    const sn_world *world = system->world;
    for (int s = 0; s < world->set_count; ++s) {
        const sn_agent_set *set = world->sets[s];
        if (!is_dense(set)) {
            continue;
        }
        if (q != NULL && set->q_count > 0) {
            memcpy(q, set->q, (size_t)set->q_count * sizeof *q);
            q += set->q_count;
        }
        if (v != NULL && set->v_count > 0) {
            memcpy(v, set->v, (size_t)set->v_count * sizeof *v);
            v += set->v_count;
        }
    }
}

void sn_system_write(sn_system *system, const double *q, const double *v)
{
    const sn_world *world = system->world;
    for (int s = 0; s < world->set_count; ++s) {
        sn_agent_set *set = world->sets[s];
        if (!is_dense(set)) {
            continue;
        }
        if (q != NULL && set->q_count > 0) {
            memcpy(set->q, q, (size_t)set->q_count * sizeof *q);
            q += set->q_count;
        }
        if (v != NULL && set->v_count > 0) {
            memcpy(set->v, v, (size_t)set->v_count * sizeof *v);
            v += set->v_count;
        }
        for (int i = 0; i < set->count; ++i) {
            sn_agent_touch(set, i);
        }
    }
}

void sn_system_move(const sn_system *system, const double *q, const double *d, double scale,
                    double *moved)
{
    const sn_world *world = system->world;
    for (agent_place at = FIRST_AGENT; next_agent(world, &at);) {
        const sn_agent_set *set = world->sets[at.set];
        set->type->chart->move(set, at.agent, q + at.q, d + at.v, scale, moved + at.q);
    }
}

void sn_system_difference(const sn_system *system, const double *from, const double *to, double *d)
{
    const sn_world *world = system->world;
    for (agent_place at = FIRST_AGENT; next_agent(world, &at);) {
        const sn_agent_set *set = world->sets[at.set];
        set->type->chart->difference(set, at.agent, from + at.q, to + at.q, d + at.v);
    }
}

// ---- forces, mass, rows ----

void sn_system_evaluate(sn_system *system)
{
    sn_world *world = system->world;
    world->forces_clear = false; // external forces and callbacks are asked for anew
    sn_world_evaluate_forces(world, world->time, -1);
    for (int i = 0; i < world->groups.count; ++i) {
        sn_world_evaluate_forces(world, world->time, i);
    }
}

void sn_system_push(sn_system *system, double *push)
{
    sn_world *world = system->world;
    sn_system_evaluate(system);
    for (agent_place at = FIRST_AGENT; next_agent(world, &at);) {
        const sn_agent_set *set = world->sets[at.set];
        set->type->chart->push(set, at.agent, world->gravity, push + at.v);
    }
}

static void put_metric(sn_system *system, agent_place at, sn_system_metric metric, double *scratch)
{
    const sn_world *world = system->world;
    size_t n = (size_t)system->n;
    double *block = system->metric + (size_t)at.v * n + (size_t)at.v;
    const sn_agent_set *set = world->sets[at.set];
    size_t count = (size_t)set->agents[at.agent].v_count;
    if (metric == SN_METRIC_MASS) {
        set->type->chart->mass_matrix(set, at.agent, scratch);
    } else {
        set->type->chart->motion_metric(set, at.agent, system->size, scratch);
    }
    for (size_t k = 0; k < count; ++k) {
        memcpy(block + k * n, scratch + k * count, count * sizeof *block);
    }
}

static const double *coordinate_at(const sn_world *world, int q)
{
    int s = 0;
    for (; !is_dense(world->sets[s]) || q >= world->sets[s]->q_count; ++s) {
        q -= is_dense(world->sets[s]) ? world->sets[s]->q_count : 0;
    }
    return world->sets[s]->q + q;
}

void sn_system_rows(sn_system *system)
{
    sn_world *world = system->world;
    size_t n = (size_t)system->n;
    int row = 0;
    memset(system->j, 0, (size_t)system->rows * n * sizeof *system->j);
    for (agent_place at = FIRST_AGENT; system->tie_rows > 0 && next_agent(world, &at);) {
        sn_agent_set *set = world->sets[at.set];
        int rows = tie_rows(set, at.agent);
        if (rows > 0) {
            // Dense and narrow first, in the memory of the LQ factor; then spread out.
            size_t count = (size_t)set->agents[at.agent].v_count;
            system->gap[row] = NAN; // stays so when memory runs out
            sn_articulation_jacobian((sn_articulation_set *)set, at.agent, world->time, system->lq,
                                     system->gap + row);
            system->starved = system->starved || isnan(system->gap[row]);
            for (int k = 0; k < rows; ++k, ++row) {
                memcpy(system->j + (size_t)row * n + (size_t)at.v, system->lq + (size_t)k * count,
                       count * sizeof *system->j);
            }
        }
    }
    for (int i = 0; i < system->limits.count; ++i) {
        const sn_system_limit *limit = &system->limits.data[i];
        if (limit->side != 0) {
            sn_system_limit_row(limit, coordinate_at(world, limit->q), system->j + (size_t)row * n,
                                &system->gap[row]);
            row += 1;
        }
    }
}

// ---- the tangent space ----

static const double rank_tolerance = 1e-9; // rows apart by less than this hold the same

// The largest entry of a row, each times what its freedom can reach.
static double row_size(const sn_system *system, int row)
{
    const double *j = system->j + (size_t)row * (size_t)system->n;
    double most = 0.0;
    for (int i = 0; i < system->n; ++i) {
        most = fmax(most, fabs(j[i]) * system->reach[i]);
    }
    return most;
}

// Rows that nothing can move (of a planar loop those out of its plane) are left out: a scale of 0.
static void factor_rows(sn_system *system)
{
    size_t n = (size_t)system->n;
    double largest = 0.0;
    sn_system_rows(system);
    for (int i = 0; i < system->rows; ++i) {
        largest = fmax(largest, row_size(system, i));
    }
    for (int i = 0; i < system->rows; ++i) {
        double *row = system->lq + (size_t)i * n, square = 0.0;
        bool moves = row_size(system, i) > rank_tolerance * largest;
        memcpy(row, system->j + (size_t)i * n, n * sizeof *row);
        sn_cholesky_solve_lower(system->n, system->l, row);
        for (size_t k = 0; k < n; ++k) {
            square += row[k] * row[k];
        }
        system->scale[i] = moves ? 1.0 / sqrt(square) : 0.0;
        for (size_t k = 0; k < n; ++k) {
            row[k] *= system->scale[i];
        }
    }
    system->rank = system->rows > 0 ? sn_lq_factor(system->rows, system->n, system->lq,
                                                   system->order, system->beta, rank_tolerance)
                                    : 0;
    system->free = system->n - system->rank;
}

sn_status sn_system_factor(sn_system *system, sn_system_metric metric, sn_error *error)
{
    sn_world *world = system->world;
    size_t n = (size_t)system->n;
    memset(system->metric, 0, n * n * sizeof *system->metric);
    for (agent_place at = FIRST_AGENT; next_agent(world, &at);) {
        put_metric(system, at, metric, system->basis);
    }
    memcpy(system->l, system->metric, n * n * sizeof *system->l);
    int bad = 0;
    if (!sn_cholesky_factor(system->n, system->l, &bad)) {
        char name[200];
        sn_world_freedom_name(world, bad, name, sizeof name);
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "this freedom has nothing to move");
    }
    factor_rows(system);
    if (system->starved) {
        return sn_fail_memory(error, (size_t)system->rows * n * sizeof(double));
    }
    for (int k = 0; k < system->free; ++k) {
        double *z = system->basis + (size_t)k * n;
        memset(z, 0, n * sizeof *z);
        z[system->rank + k] = 1.0;
        sn_lq_apply_transpose(system->n, system->lq, system->beta, system->rank, z);
        sn_cholesky_solve_upper(system->n, system->l, z);
    }
    return SN_OK;
}

void sn_system_balance(const sn_system *system, const double *push, double *lambda, double *left)
{
    int n = system->n;
    sn_dense_apply(system->free, n, system->basis, push, left);
    if (lambda == NULL || system->rows == 0) {
        return;
    }
    double *c = system->work;
    for (int i = 0; i < n; ++i) {
        c[i] = -push[i];
    }
    sn_cholesky_solve_lower(n, system->l, c);
    sn_lq_solve_transpose(system->rows, n, system->lq, system->beta, system->order, system->rank, c,
                          lambda);
    for (int i = 0; i < system->rows; ++i) {
        lambda[i] *= system->scale[i];
    }
}

void sn_system_unbalanced(const sn_system *system, const double *left, double *force)
{
    double *a = system->work;
    sn_dense_multiply(1, system->free, system->n, left, system->basis, a);
    sn_dense_apply(system->n, system->n, system->metric, a, force);
}

void sn_system_residual(const sn_system *system, const double *left, double *scratch, double *force,
                        double *torque)
{
    *force = *torque = 0.0;
    sn_system_unbalanced(system, left, scratch);
    for (int i = 0; i < system->n; ++i) {
        double *most = system->turns[i] ? torque : force;
        *most = fmax(*most, fabs(scratch[i]));
    }
}

static double largest_gap(const sn_system *system)
{
    double most = 0.0;
    for (int i = 0; i < system->rows; ++i) {
        most = fabs(system->gap[i]) <= most ? most : fabs(system->gap[i]);
        if (!isfinite(most)) {
            return INFINITY;
        }
    }
    return most;
}

bool sn_system_project(sn_system *system, double *q)
{
    double close = 1e-10 * fmax(1.0, system->size), last = INFINITY;
    double *b = system->work, *d = system->work + system->rows;
    sn_system_write(system, q, NULL);
    for (int turn = 0; turn < 40 && system->rows > 0; ++turn) {
        factor_rows(system);
        double gap = largest_gap(system);
        if (gap == 0.0 || (gap > 0.25 * last && last < close)) {
            break; // as close as rounding allows
        }
        if (!(gap < 1e3 * fmin(last, system->size))) {
            return false;
        }
        last = gap;
        for (int i = 0; i < system->rows; ++i) {
            b[i] = -system->gap[i] * system->scale[i];
        }
        sn_lq_solve(system->n, system->lq, system->beta, system->order, system->rank, b, d);
        sn_cholesky_solve_upper(system->n, system->l, d);
        sn_system_move(system, q, d, 1.0, q);
        sn_system_write(system, q, NULL);
    }
    sn_system_rows(system);
    return largest_gap(system) <= close;
}
