#include <string.h>

#include "math/dense.h"
#include "solve/pile_wide.h"

// Four bodies of a run and where their numbers are.
typedef struct wide_body {
    double *q[SN_PILE_LANES], *v[SN_PILE_LANES];
    sn_pile_body *body[SN_PILE_LANES];
    const sn_rigid_mass *mass[SN_PILE_LANES];
    const sn_spatial *force[SN_PILE_LANES];
    sn_wide3 row[3]; // of the rotation from principal axes to the world
} wide_body;

// Where in a step bodies are handed over between sweeps and what moves them.
typedef enum stage {
    AT_START, // out of the set
    AT_KICK,  // drift, then forces
    AT_DRIFT, // drift alone
    AT_END,   // into the set
} stage;

#define SN_FOUR(array, at) ((sn_lanes){(array)[0] at, (array)[1] at, (array)[2] at, (array)[3] at})
#define SN_FOUR3(vector, array, at)                                                                \
    ((vector).x = SN_FOUR(array, at[0]), (vector).y = SN_FOUR(array, at[1]),                       \
     (vector).z = SN_FOUR(array, at[2]))

// A short run repeats its last body.
SN_WIDE void find_four(wide_body *four, const sn_pile_work *work, int first, int last)
{
    for (int i = 0; i < SN_PILE_LANES; ++i) {
        int body = first + i < last ? first + i : last - 1;
        four->q[i] = work->q + (size_t)body * SN_RIGID_Q;
        four->v[i] = work->v + (size_t)body * SN_RIGID_V;
        four->body[i] = &work->bodies[body];
        four->mass[i] = &work->mass[body];
        four->force[i] = &work->force[body];
    }
}

SN_WIDE void find_rotation(wide_body *four)
{
    sn_lanes w = SN_FOUR(four->q, [3]), x = SN_FOUR(four->q, [4]);
    sn_lanes y = SN_FOUR(four->q, [5]), z = SN_FOUR(four->q, [6]);
    sn_lanes x2 = x + x, y2 = y + y, z2 = z + z;
    sn_lanes xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
    sn_lanes wx = w * x2, wy = w * y2, wz = w * z2;
    four->row[0] = (sn_wide3){1.0 - (yy + zz), xy - wz, xz + wy};
    four->row[1] = (sn_wide3){xy + wz, 1.0 - (xx + zz), yz - wx};
    four->row[2] = (sn_wide3){xz - wy, yz + wx, 1.0 - (xx + yy)};
}

SN_WIDE void to_principal(sn_wide3 *result, const sn_wide3 row[3], const sn_wide3 *a)
{
    *result = row[0];
    wide_scale(result, &a->x);
    wide_add_scaled(result, &a->y, &row[1]);
    wide_add_scaled(result, &a->z, &row[2]);
}

SN_WIDE void to_world(sn_wide3 *result, const sn_wide3 row[3], const sn_wide3 *a)
{
    wide_dot(&result->x, &row[0], a);
    wide_dot(&result->y, &row[1], a);
    wide_dot(&result->z, &row[2], a);
}

SN_WIDE void find_masses(const wide_body *four, sn_wide3 *inverse_inertia, sn_lanes *inverse_mass)
{
    inverse_inertia->x = 1.0 / SN_FOUR(four->mass, ->inertia.x);
    inverse_inertia->y = 1.0 / SN_FOUR(four->mass, ->inertia.y);
    inverse_inertia->z = 1.0 / SN_FOUR(four->mass, ->inertia.z);
    *inverse_mass = 1.0 / SN_FOUR(four->mass, ->mass);
}

SN_WIDE void put_lane(double *to, const sn_wide3 *from, int lane)
{
    to[0] = from->x[lane];
    to[1] = from->y[lane];
    to[2] = from->z[lane];
}

// Velocities in the set's own axes, and how far the coming drift turns.
SN_WIDE void put_four(wide_body *four, int live, double drift)
{
    sn_wide3 v, w, turn, principal;
    SN_FOUR3(v, four->body, ->v);
    SN_FOUR3(w, four->body, ->w);
    SN_FOUR3(turn, four->body, ->turn);
    find_rotation(four);
    to_principal(&principal, four->row, &w);
    turn.x += drift * w.x;
    turn.y += drift * w.y;
    turn.z += drift * w.z;
    for (int i = 0; i < live; ++i) {
        put_lane(four->v[i], &v, i);
        put_lane(four->v[i] + 3, &principal, i);
        put_lane(four->body[i]->turn, &turn, i);
    }
}

// The impulses that the sub-step before has left, with their moment about where the centre was:
// they act at places of the world, so that both bodies of a contact mean the same one.
SN_WIDE void start_four(const wide_body *four, const sn_lanes inverse[6],
                        const sn_lanes *inverse_mass, sn_wide3 *v, sn_wide3 *w)
{
    sn_wide3 impulse, moment, shift, carried;
    SN_FOUR3(impulse, four->body, ->start);
    SN_FOUR3(moment, four->body, ->start_moment);
    SN_FOUR3(shift, four->body, ->centre);
    shift.x = SN_FOUR(four->q, [0]) - shift.x;
    shift.y = SN_FOUR(four->q, [1]) - shift.y;
    shift.z = SN_FOUR(four->q, [2]) - shift.z;
    wide_cross(&carried, &shift, &impulse);
    wide_difference(&moment, &moment, &carried);
    wide_add_scaled(v, inverse_mass, &impulse);
    w->x += inverse[0] * moment.x + inverse[1] * moment.y + inverse[2] * moment.z;
    w->y += inverse[1] * moment.x + inverse[3] * moment.y + inverse[4] * moment.z;
    w->z += inverse[2] * moment.x + inverse[4] * moment.y + inverse[5] * moment.z;
}

// The other way: velocities, where bodies are, and the inverse inertia there, R diag(1/I) R^T; on
// the way, what forces add in a time `kick`.
SN_WIDE void take_four(const sn_pile_work *work, wide_body *four, int live, stage at)
{
    double kick = work->h, unit = work->mass_unit;
    const sn_vec3 *gravity = &work->gravity;
    sn_wide3 v, w, principal, inverse_inertia, moment, spin;
    sn_lanes inverse_mass;
    find_rotation(four);
    find_masses(four, &inverse_inertia, &inverse_mass);
    SN_FOUR3(v, four->v, );
    principal.x = SN_FOUR(four->v, [3]);
    principal.y = SN_FOUR(four->v, [4]);
    principal.z = SN_FOUR(four->v, [5]);
    if (at == AT_KICK) {
        sn_lanes over_mass = kick * inverse_mass;
        v.x += kick * gravity->x + over_mass * SN_FOUR(four->force, ->linear.x);
        v.y += kick * gravity->y + over_mass * SN_FOUR(four->force, ->linear.y);
        v.z += kick * gravity->z + over_mass * SN_FOUR(four->force, ->linear.z);
        moment.x = SN_FOUR(four->force, ->angular.x);
        moment.y = SN_FOUR(four->force, ->angular.y);
        moment.z = SN_FOUR(four->force, ->angular.z);
        to_principal(&spin, four->row, &moment);
        principal.x += kick * (spin.x * inverse_inertia.x);
        principal.y += kick * (spin.y * inverse_inertia.y);
        principal.z += kick * (spin.z * inverse_inertia.z);
    }
    to_world(&w, four->row, &principal);
    sn_wide3 scaled[3];
    for (int i = 0; i < 3; ++i) {
        scaled[i] = (sn_wide3){four->row[i].x * (unit * inverse_inertia.x),
                               four->row[i].y * (unit * inverse_inertia.y),
                               four->row[i].z * (unit * inverse_inertia.z)};
    }
    sn_lanes inverse[6];
    wide_dot(&inverse[0], &scaled[0], &four->row[0]);
    wide_dot(&inverse[1], &scaled[0], &four->row[1]);
    wide_dot(&inverse[2], &scaled[0], &four->row[2]);
    wide_dot(&inverse[3], &scaled[1], &four->row[1]);
    wide_dot(&inverse[4], &scaled[1], &four->row[2]);
    wide_dot(&inverse[5], &scaled[2], &four->row[2]);
    inverse_mass *= unit;
    if (at == AT_KICK) {
        start_four(four, inverse, &inverse_mass, &v, &w);
    }
    for (int i = 0; i < live; ++i) {
        sn_pile_body *body = four->body[i];
        put_lane(body->v, &v, i);
        put_lane(body->w, &w, i);
        body->v[3] = inverse_mass[i];
        for (int j = 0; j < 3; ++j) {
            body->centre[j] = four->q[i][j];
        }
        for (int j = 0; j < 6; ++j) {
            body->inertia[j] = inverse[j][i];
        }
        for (int j = 0; j < 3; ++j) {
            body->start[j] = body->start_moment[j] = 0.0;
        }
    }
}

// Forces that fall with speed, as drag does: f(v) = f0 - D (v - v0) with v0 the velocity at the
// start of the step, trapezoidal over the sub-step: (M + h'/2 D) dv = h' (f(v) + m g). work->v
// still has the velocity before the kick; the plain kick was made already, and is put right here.
static void kick_damped(const sn_pile_work *work, int index)
{
    const sn_agent_set *set = &work->set->agents;
    int agent = work->agents[index];
    sn_pile_body *body = &work->bodies[index];
    const sn_rigid_mass *mass = &work->mass[index];
    const double *damping = set->damping + (size_t)agent * SN_DAMPING_SIZE;
    const double *before = work->v + (size_t)index * SN_RIGID_V;
    const sn_vec3 *start = work->start_velocity + 2 * (size_t)index;
    sn_quat rotation = sn_rigid_pose(work->q + (size_t)index * SN_RIGID_Q).rotation;
    sn_mat3 inertia = sn_tensor_to_world(rotation, mass->inertia);
    double a[SN_DAMPING_SIZE], plain[SN_RIGID_V], dv[SN_RIGID_V], excess[SN_RIGID_V], h = work->h;
    sn_vec3 turning = sn_rotate(rotation, sn_vec3_at(before + 3));
    sn_vec3 pull = sn_vec3_add_scaled(set->force[agent].linear, mass->mass, work->gravity);
    sn_vec3_put(excess, sn_vec3_sub(sn_vec3_at(before), start[0]));
    sn_vec3_put(excess + 3, sn_vec3_sub(turning, start[1]));
    sn_vec3_put(plain, sn_vec3_scale(h / mass->mass, pull));
    sn_vec3 spun = sn_rotate_inverse(rotation, set->force[agent].angular);
    spun =
        sn_vec3_make(spun.x / mass->inertia.x, spun.y / mass->inertia.y, spun.z / mass->inertia.z);
    sn_vec3_put(plain + 3, sn_vec3_scale(h, sn_rotate(rotation, spun)));
    sn_vec3_put(dv, pull);
    sn_vec3_put(dv + 3, set->force[agent].angular);
    for (int i = 0; i < SN_RIGID_V; ++i) {
        for (int j = 0; j < SN_RIGID_V; ++j) {
            double d = damping[i * SN_RIGID_V + j];
            dv[i] -= d * excess[j];
            a[i * SN_RIGID_V + j] = 0.5 * h * d;
        }
        dv[i] *= h;
    }
    for (int i = 0; i < 3; ++i) {
        a[i * SN_RIGID_V + i] += mass->mass;
        for (int j = 0; j < 3; ++j) {
            a[(3 + i) * SN_RIGID_V + 3 + j] += inertia.m[i][j];
        }
    }
    if (!sn_ldl6_factor(a)) { // the field feeds energy in, and is taken as it was
        return;
    }
    sn_ldl6_solve(a, dv);
    sn_vec3 more = sn_vec3_sub(sn_vec3_at(dv), sn_vec3_at(plain));
    sn_vec3 more_turn = sn_vec3_sub(sn_vec3_at(dv + 3), sn_vec3_at(plain + 3));
    sn_vec3_put(body->v, sn_vec3_add(sn_vec3_at(body->v), more));
    sn_vec3_put(body->w, sn_vec3_add(sn_vec3_at(body->w), more_turn));
}

// ---- runs of bodies ----

typedef struct body_run {
    const sn_pile_work *work;
    stage at;
} body_run;

// A needle that turns answers quite otherwise than before.
static const double uneven_share = 16.0; // of the largest moment of inertia by the least

// Agents of one cluster lie anywhere in the set: for the length of a step they are side by side.
static void take_in(const sn_pile_work *work, int first, int last)
{
    for (int i = first; i < last; ++i) {
        size_t agent = (size_t)work->agents[i], own = (size_t)i;
        memcpy(work->q + own * SN_RIGID_Q, work->set->agents.q + agent * SN_RIGID_Q,
               SN_RIGID_Q * sizeof(double));
        memcpy(work->v + own * SN_RIGID_V, work->set->agents.v + agent * SN_RIGID_V,
               SN_RIGID_V * sizeof(double));
        work->mass[i] = work->set->mass[agent];
        work->force[i] = work->set->agents.force[agent];
        sn_vec3 inertia = work->mass[i].inertia;
        double most = fmax(inertia.x, fmax(inertia.y, inertia.z));
        double least = fmin(inertia.x, fmin(inertia.y, inertia.z));
        work->bodies[i] = (sn_pile_body){.centre[3] = most > uneven_share * least ? 1.0 : 0.0};
    }
}

static void put_back(const sn_pile_work *work, int first, int last)
{
    for (int i = first; i < last; ++i) {
        size_t agent = (size_t)work->agents[i], own = (size_t)i;
        memcpy(work->set->agents.q + agent * SN_RIGID_Q, work->q + own * SN_RIGID_Q,
               SN_RIGID_Q * sizeof(double));
        memcpy(work->set->agents.v + agent * SN_RIGID_V, work->v + own * SN_RIGID_V,
               SN_RIGID_V * sizeof(double));
    }
}

enum { AHEAD = 2 * SN_PILE_LANES };

SN_WIDE void run_bodies(const body_run *run, int first, int last)
{
    const sn_pile_work *work = run->work;
    stage at = run->at;
    double drift = at == AT_START || at == AT_END ? 0.0 : 0.5 * work->h, steps[SN_PILE_BODY_CHUNK];
    int index[SN_PILE_BODY_CHUNK];
    wide_body four;
    if (at == AT_START) {
        take_in(work, first, last);
    }
    for (int i = first; at != AT_START && i < last; i += SN_PILE_LANES) {
        if (at == AT_KICK && i + AHEAD + SN_PILE_LANES <= work->body_count) {
            prefetch(&work->bodies[i + AHEAD], SN_PILE_LANES * sizeof(sn_pile_body));
        }
        find_four(&four, work, i, last);
        put_four(&four, last - i < SN_PILE_LANES ? last - i : SN_PILE_LANES, drift);
    }
    if (drift != 0.0) {
        for (int i = first; i < last; ++i) {
            steps[i - first] = drift;
            index[i - first] = i;
        }
        sn_rigid_drift(work->mass, work->q, work->v, index, steps, last - first);
    }
    for (int i = first; at != AT_END && i < last; i += SN_PILE_LANES) {
        find_four(&four, work, i, last);
        take_four(work, &four, last - i < SN_PILE_LANES ? last - i : SN_PILE_LANES, at);
    }
    if (at == AT_END) {
        put_back(work, first, last);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void run_bodies_avx2(const body_run *run, int first,
                                                            int last)
{
    run_bodies(run, first, last);
}
#endif

static void run_any(const body_run *run, int first, int last)
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        run_bodies_avx2(run, first, last);
        return;
    }
#endif
    run_bodies(run, first, last);
}

static void body_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    run_any(context, first, last);
}

static void run_all(sn_pile_work *work, stage at)
{
    body_run run = {work, at};
    sn_threads_run(work->threads, work->body_count, SN_PILE_BODY_CHUNK, body_chunk, &run);
}

void sn_pile_load_bodies(sn_pile_work *work)
{
    work->bodies[work->body_count] = (sn_pile_body){0};
    run_all(work, AT_START);
    for (int i = 0; work->start_velocity != NULL && i < work->body_count; ++i) {
        work->start_velocity[2 * (size_t)i] = sn_vec3_at(work->bodies[i].v);
        work->start_velocity[2 * (size_t)i + 1] = sn_vec3_at(work->bodies[i].w);
    }
}

void sn_pile_kick_bodies(sn_pile_work *work)
{
    run_all(work, AT_KICK);
    for (int i = 0; work->start_velocity != NULL && i < work->body_count; ++i) {
        if (sn_agent_is_damped(&work->set->agents, work->agents[i], 0)) {
            kick_damped(work, i);
        }
    }
}

void sn_pile_drift_bodies(sn_pile_work *work)
{
    run_all(work, AT_DRIFT);
}

void sn_pile_drift_run(const sn_pile_work *work, int first, int last)
{
    body_run run = {work, AT_DRIFT};
    for (int i = first; i < last; i += SN_PILE_BODY_CHUNK) {
        run_any(&run, i, last - i < SN_PILE_BODY_CHUNK ? last : i + SN_PILE_BODY_CHUNK);
    }
}

void sn_pile_store_bodies(sn_pile_work *work)
{
    run_all(work, AT_END);
}
