#include "agent/rigid/rigid.h"

#include <limits.h>
#include <string.h>

#include "agent/rigid/free_rotation.h"
#include "base/memory.h"
#include "math/dense.h"

static const sn_rigid_set *rigid(const sn_agent_set *set)
{
    return (const sn_rigid_set *)set; // the agent set is its first member
}

static void put_pose(double *q, sn_transform pose)
{
    sn_vec3_put(q, pose.position);
    q[3] = pose.rotation.w;
    q[4] = pose.rotation.x;
    q[5] = pose.rotation.y;
    q[6] = pose.rotation.z;
}

// ---- one step ----

enum { DRIFT_BATCH = 64 };

// Free flight of those agents of a run that step by begin, free_step and advance: each by its share
// of h.
static void drift(sn_agent_set *set, int first, int last, double midpoint_share, double euler_share,
                  double h)
{
    int index[DRIFT_BATCH], count = 0;
    double steps[DRIFT_BATCH];
    for (int i = first; i < last; ++i) {
        int integrator = set->agents[i].integrator;
        bool midpoint = integrator == SN_INTEGRATOR_LIE_MIDPOINT && !set->agents[i].whole;
        double share = midpoint ? midpoint_share : euler_share;
        if (share != 0.0 && !sn_integrator_is_staged(integrator) && !set->agents[i].held) {
            index[count] = i;
            steps[count++] = share * h;
        }
        if (count == DRIFT_BATCH || i == last - 1) {
            sn_rigid_drift(rigid(set)->mass, set->q, set->v, index, steps, count);
            count = 0;
        }
    }
}

static void rigid_begin(sn_agent_set *set, int first, int last, double h)
{
    for (int i = first; i < last; ++i) {
        set->agents[i].whole = 0;
    }
    drift(set, first, last, 0.5, 0.0, h);
}

// Back to the start of the step, with the velocities of now: its step is whole.
static void go_back(sn_agent_set *set, int agent)
{
    const sn_agent *head = &set->agents[agent];
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    sn_vec3 w = sn_rotate(sn_rigid_pose(q).rotation, sn_vec3_at(v + 3));
    memcpy(q, set->q_last + head->q_first, (size_t)head->q_count * sizeof *q);
    sn_vec3_put(v + 3, sn_rotate_inverse(sn_rigid_pose(q).rotation, w));
}

static void rigid_advance(sn_agent_set *set, int first, int last, double h)
{
    for (int i = first; i < last; ++i) {
        if (set->agents[i].whole && !set->agents[i].held) {
            go_back(set, i);
            sn_agent_count(&set->agents[i], SN_COUNTER_EULER);
        }
    }
    drift(set, first, last, 0.5, 1.0, h);
}

// A = M + h/2 D in world axes, in place of the damping matrix D, factored. The half makes the
// linearised step the trapezoidal rule: second order, and stable however strong the damping.
static bool factor_damped(double *a, const sn_rigid_mass *mass, sn_quat rotation, double h)
{
    sn_mat3 inertia = sn_tensor_to_world(rotation, mass->inertia);
    for (int i = 0; i < SN_DAMPING_SIZE; ++i) {
        a[i] *= 0.5 * h;
    }
    for (int i = 0; i < 3; ++i) {
        a[i * SN_RIGID_V + i] += mass->mass;
        for (int j = 0; j < 3; ++j) {
            a[(3 + i) * SN_RIGID_V + 3 + j] += inertia.m[i][j];
        }
    }
    return sn_ldl6_factor(a);
}

static sn_quat rotation_of(const sn_agent_set *set, int agent)
{
    return sn_rigid_pose(sn_agent_q(set, agent)).rotation;
}

// A moment of the world in principal axes. Most bodies feel none.
static sn_vec3 principal_moment(const sn_agent_set *set, int agent, sn_vec3 moment)
{
    bool none = moment.x == 0.0 && moment.y == 0.0 && moment.z == 0.0;
    return none ? SN_VEC3_ZERO : sn_rotate_inverse(rotation_of(set, agent), moment);
}

// dv of an impulse where `damping` has the factor of M + h/2 D.
static void solve_damped(const sn_agent_set *set, int agent, const sn_spatial *f, double *dv)
{
    sn_vec3_put(dv, f->linear);
    sn_vec3_put(dv + 3, f->angular);
    sn_ldl6_solve(set->damping + (size_t)agent * SN_DAMPING_SIZE, dv);
    sn_vec3_put(dv + 3, sn_rotate_inverse(rotation_of(set, agent), sn_vec3_at(dv + 3)));
}

static void rigid_free_step(sn_agent_set *set, int first, int last, sn_vec3 gravity, double h)
{
    for (int i = first; i < last; ++i) {
        if (sn_integrator_is_staged(set->agents[i].integrator) || set->agents[i].held) {
            continue;
        }
        const sn_rigid_mass *mass = &rigid(set)->mass[i];
        const sn_spatial *f = &set->force[i];
        double *v = sn_agent_v(set, i), dv[SN_RIGID_V];
        if (sn_agent_is_damped(set, i, 0) &&
            !factor_damped(sn_agent_damping(set, i, 0), mass, rotation_of(set, i), h)) {
            set->damped[i] = 0; // a field that feeds energy in is taken explicitly
            sn_agent_count(&set->agents[i], SN_COUNTER_EXPLICIT);
        }
        if (sn_agent_is_damped(set, i, 0)) {
            sn_spatial impulse = sn_spatial_scale(h, *f);
            impulse.linear = sn_vec3_add_scaled(impulse.linear, h * mass->mass, gravity);
            solve_damped(set, i, &impulse, dv);
            for (int j = 0; j < SN_RIGID_V; ++j) {
                v[j] += dv[j];
            }
            continue;
        }
        sn_vec3 moment = principal_moment(set, i, f->angular);
        double h_over_m = h / mass->mass;
        v[0] += h_over_m * f->linear.x + h * gravity.x;
        v[1] += h_over_m * f->linear.y + h * gravity.y;
        v[2] += h_over_m * f->linear.z + h * gravity.z;
        v[3] += h * (moment.x / mass->inertia.x);
        v[4] += h * (moment.y / mass->inertia.y);
        v[5] += h * (moment.z / mass->inertia.z);
    }
}

// ---- integrators of their own ----

static void rigid_rate(const sn_agent_set *set, int agent, sn_vec3 gravity, double *q_rate,
                       double *v_rate)
{
    const sn_rigid_mass *mass = &rigid(set)->mass[agent];
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    const sn_spatial *f = &set->force[agent];
    sn_vec3 w = sn_vec3_at(v + 3), moment = principal_moment(set, agent, f->angular);
    // dq/dt = 1/2 q (0, w) for w in body axes keeps |q| whatever it is.
    sn_quat turn =
        sn_quat_multiply((sn_quat){q[3], q[4], q[5], q[6]}, (sn_quat){0.0, w.x, w.y, w.z});
    memcpy(q_rate, v, 3 * sizeof *q_rate);
    q_rate[3] = 0.5 * turn.w;
    q_rate[4] = 0.5 * turn.x;
    q_rate[5] = 0.5 * turn.y;
    q_rate[6] = 0.5 * turn.z;
    v_rate[0] = f->linear.x / mass->mass + gravity.x;
    v_rate[1] = f->linear.y / mass->mass + gravity.y;
    v_rate[2] = f->linear.z / mass->mass + gravity.z;
    // Euler: I dw/dt = torque - w x I w.
    sn_vec3 gyroscopic = sn_cross(w, sn_vec3_multiply(mass->inertia, w));
    v_rate[3] = (moment.x - gyroscopic.x) / mass->inertia.x;
    v_rate[4] = (moment.y - gyroscopic.y) / mass->inertia.y;
    v_rate[5] = (moment.z - gyroscopic.z) / mass->inertia.z;
}

static void rigid_restore(sn_agent_set *set, int agent)
{
    double *q = sn_agent_q(set, agent);
    sn_transform pose = sn_rigid_pose(q);
    pose.rotation = sn_quat_normalize(pose.rotation);
    put_pose(q, pose);
}

// ---- where it is ----

static void rigid_part(const sn_agent_set *set, int agent, int part, sn_part *now)
{
    (void)part;
    sn_transform pose = sn_rigid_pose(sn_agent_q(set, agent));
    const double *v = sn_agent_v(set, agent);
    now->frame = sn_transform_multiply(pose, rigid(set)->placement[agent]);
    now->centre = pose.position;
    now->velocity = sn_vec3_at(v);
    now->angular_velocity = sn_rotate(pose.rotation, sn_vec3_at(v + 3));
}

static sn_aabb rigid_bounds(const sn_agent_set *set, int agent)
{
    double r = rigid(set)->radius[agent];
    sn_vec3 centre = sn_vec3_at(sn_agent_q(set, agent)), reach = {r, r, r};
    return (sn_aabb){sn_vec3_sub(centre, reach), sn_vec3_add(centre, reach)};
}

static void rigid_measure(const sn_agent_set *set, int agent, sn_vec3 gravity, sn_measure *measure)
{
    const sn_rigid_mass *mass = &rigid(set)->mass[agent];
    sn_transform pose = sn_rigid_pose(sn_agent_q(set, agent));
    const double *v = sn_agent_v(set, agent);
    sn_vec3 velocity = sn_vec3_at(v), w = sn_vec3_at(v + 3);
    sn_vec3 spin = sn_vec3_multiply(mass->inertia, w);
    measure->potential = -mass->mass * sn_dot(gravity, pose.position);
    measure->momentum = sn_vec3_scale(mass->mass, velocity);
    measure->kinetic = sn_kinetic_energy(velocity, measure->momentum, w, spin);
    measure->angular_momentum =
        sn_vec3_add(sn_rotate(pose.rotation, spin), sn_cross(pose.position, measure->momentum));
}

static double kinetic_of(const sn_rigid_mass *mass, const double *v)
{
    sn_vec3 velocity = sn_vec3_at(v), w = sn_vec3_at(v + 3);
    return sn_kinetic_energy(velocity, sn_vec3_scale(mass->mass, velocity), w,
                             sn_vec3_multiply(mass->inertia, w));
}

static void rigid_balance(const sn_agent_set *set, int agent, const sn_balance_def *def,
                          sn_energy_balance *sum)
{
    const sn_agent *head = &set->agents[agent];
    const sn_rigid_mass *mass = sn_rigid_mass_of(set, agent);
    double thickness = sn_balance_thickness(def, sn_rigid_radius(set, agent)),
           speed = def->floor * thickness / def->h;
    const double *q_0 = set->q_last + head->q_first, *q = sn_agent_q(set, agent);
    const double *v_0 = set->v_last + head->v_first, *v = sn_agent_v(set, agent);
    sn_vec3 w_0 = sn_rotate(sn_rigid_pose(q_0).rotation, sn_vec3_at(v_0 + 3)),
            w = sn_rotate(sn_rigid_pose(q).rotation, sn_vec3_at(v + 3));
    double now = kinetic_of(mass, v), start = kinetic_of(mass, v_0);
    double height = -sn_dot(def->gravity, sn_vec3_at(q)),
           height_0 = -sn_dot(def->gravity, sn_vec3_at(q_0));
    sum->kinetic += now;
    sum->mass += mass->mass;
    sum->momentum = sn_vec3_add_scaled(sum->momentum, mass->mass, sn_vec3_at(v));
    sum->momentum_before = sn_vec3_add_scaled(sum->momentum_before, mass->mass, sn_vec3_at(v_0));
    sum->potential += mass->mass * height;
    sum->before += start + mass->mass * height_0;
    sum->added += now + start + mass->mass * (fabs(height) + fabs(height_0));
    sum->work +=
        sn_spatial_work(&set->force[head->part_first], sn_vec3_sub(sn_vec3_at(q), sn_vec3_at(q_0)),
                        sn_vec3_scale(0.5 * def->h, sn_vec3_add(w_0, w)));
    sn_balance_add_floor(0.5 * mass->mass * speed * speed, now, sum);
    sum->lift += mass->mass * sn_length(def->gravity) * def->lift * thickness;
}

static double rigid_mass(const sn_agent_set *set, int agent)
{
    return sn_rigid_mass_of(set, agent)->mass;
}

static double rigid_pace(const sn_agent_set *set, int agent, double *size)
{
    sn_part part;
    rigid_part(set, agent, 0, &part);
    *size = fmax(0.0, sn_rigid_radius(set, agent));
    return fmax(0.0, sn_length(part.velocity) +
                         sn_rigid_radius(set, agent) * sn_length(part.angular_velocity));
}

static bool rigid_can_rest(const sn_agent_set *set, int agent)
{
    (void)set;
    (void)agent;
    return true;
}

bool sn_rigid_is_fast(const sn_agent_set *set, int agent, double radii, double h)
{
    const double *v = sn_agent_v(set, agent);
    double radius = sn_rigid_radius(set, agent), most = radii * radius / h;
    sn_vec3 velocity = sn_vec3_at(v), w = sn_vec3_at(v + 3);
    return !(sn_dot(velocity, velocity) + radius * radius * sn_dot(w, w) <= most * most);
}

// Its velocities are those of the world, not of its axes: they stay when it is turned.
static void rigid_set_frame(sn_agent_set *set, int agent, sn_transform frame)
{
    sn_rigid_set *own = (sn_rigid_set *)set;
    sn_vec3 velocity = sn_rigid_velocity(own, agent),
            angular_velocity = sn_rigid_angular_velocity(own, agent);
    sn_rigid_set_frame(own, agent, frame);
    sn_rigid_set_velocity(own, agent, velocity, angular_velocity);
}

static void rigid_set_velocity(sn_agent_set *set, int agent, sn_vec3 velocity,
                               sn_vec3 angular_velocity)
{
    sn_rigid_set_velocity((sn_rigid_set *)set, agent, velocity, angular_velocity);
}

static void rigid_release(sn_agent_set *set)
{
    sn_rigid_set_free((sn_rigid_set *)set);
}

static bool rigid_copy(const sn_agent_set *set, sn_agent_set *copy)
{
    return sn_rigid_set_copy((const sn_rigid_set *)set, (sn_rigid_set *)copy);
}

const sn_agent_type sn_rigid_type = {
    .name = "rigid",
    .traits = {.lone = true},
    .chart = &sn_rigid_chart,
    .contact = &sn_rigid_contact,
    .begin = rigid_begin,
    .free_step = rigid_free_step,
    .advance = rigid_advance,
    .part = rigid_part,
    .rate = rigid_rate,
    .restore = rigid_restore,
    .bounds = rigid_bounds,
    .measure = rigid_measure,
    .balance = rigid_balance,
    .mass = rigid_mass,
    .pace = rigid_pace,
    .can_rest = rigid_can_rest,
    .point = sn_agent_point,
    .push_point = sn_agent_push_point,
    .hold_point = sn_agent_hold_point,
    .set_frame = rigid_set_frame,
    .set_velocity = rigid_set_velocity,
    .release = rigid_release,
    .copy = rigid_copy,
};

// ---- the set ----

void sn_rigid_set_init(sn_rigid_set *set)
{
    *set = (sn_rigid_set){.agents = {.type = &sn_rigid_type}};
}

void sn_rigid_set_free(sn_rigid_set *set)
{
    sn_free(set->mass);
    sn_free(set->placement);
    sn_free(set->radius);
    sn_agent_set_free(&set->agents);
    sn_rigid_set_init(set);
}

// Makes the arrays beside the agents as large as theirs.
static bool reserve_beside(sn_rigid_set *set)
{
    int capacity = set->agents.capacity;
    if (capacity <= set->capacity) {
        return true;
    }
    sn_rigid_mass *mass = sn_reallocate(set->mass, (size_t)capacity * sizeof *mass);
    set->mass = mass != NULL ? mass : set->mass;
    sn_transform *placement = sn_reallocate(set->placement, (size_t)capacity * sizeof *placement);
    set->placement = placement != NULL ? placement : set->placement;
    double *radius = sn_reallocate(set->radius, (size_t)capacity * sizeof *radius);
    set->radius = radius != NULL ? radius : set->radius;
    if (mass == NULL || placement == NULL || radius == NULL) {
        return false;
    }
    set->capacity = capacity;
    return true;
}

bool sn_rigid_set_copy(const sn_rigid_set *set, sn_rigid_set *copy)
{
    sn_rigid_set_init(copy);
    if (!sn_agent_set_copy(&set->agents, &copy->agents) || !reserve_beside(copy)) {
        sn_rigid_set_free(copy);
        return false;
    }
    size_t count = (size_t)set->agents.count;
    if (count > 0) {
        memcpy(copy->mass, set->mass, count * sizeof *set->mass);
        memcpy(copy->placement, set->placement, count * sizeof *set->placement);
        memcpy(copy->radius, set->radius, count * sizeof *set->radius);
    }
    return true;
}

bool sn_rigid_reserve(sn_rigid_set *set, int count)
{
    return count <= INT_MAX / SN_RIGID_Q &&
           sn_agent_set_reserve(&set->agents, count, count * SN_RIGID_Q, count * SN_RIGID_V,
                                count) &&
           reserve_beside(set);
}

int sn_rigid_add(sn_rigid_set *set, const sn_rigid_def *def)
{
    sn_agent_set *agents = &set->agents;
    if (!sn_rigid_reserve(set, 1)) {
        return -1;
    }
    sn_agent head = {
        .time = def->time,
        .relative_tolerance = def->relative_tolerance,
        .absolute_tolerance = def->absolute_tolerance,
        .q_count = SN_RIGID_Q,
        .v_count = SN_RIGID_V,
        .part_count = 1,
        .owner = def->owner,
        .integrator = (uint8_t)def->integrator,
    };
    int agent = sn_agent_set_add(agents, &head);
    sn_vec3 moments;
    sn_quat axes;
    sn_principal_axes(&def->mass.inertia, &moments, &axes);
    set->mass[agent] = sn_rigid_mass_make(def->mass.mass, moments);
    set->placement[agent] = sn_transform_inverse((sn_transform){def->mass.centre, axes});
    set->radius[agent] = def->radius;
    sn_rigid_set_frame(set, agent, def->frame);
    sn_rigid_set_velocity(set, agent, def->velocity, def->angular_velocity);
    sn_agent_set_keep(agents, agent, agent + 1);
    return agent;
}

void sn_rigid_remove(sn_rigid_set *set, int agent)
{
    int last = set->agents.count - 1;
    sn_agent_set_remove(&set->agents, agent);
    set->mass[agent] = set->mass[last];
    set->placement[agent] = set->placement[last];
    set->radius[agent] = set->radius[last];
}

sn_transform sn_rigid_frame(const sn_rigid_set *set, int agent)
{
    sn_transform pose = sn_rigid_pose(sn_agent_q(&set->agents, agent));
    return sn_transform_multiply(pose, set->placement[agent]);
}

void sn_rigid_set_frame(sn_rigid_set *set, int agent, sn_transform frame)
{
    sn_transform pose = sn_transform_multiply(frame, sn_transform_inverse(set->placement[agent]));
    pose.rotation = sn_quat_normalize(pose.rotation);
    put_pose(sn_agent_q(&set->agents, agent), pose);
}

sn_vec3 sn_rigid_velocity(const sn_rigid_set *set, int agent)
{
    return sn_vec3_at(sn_agent_v(&set->agents, agent));
}

sn_vec3 sn_rigid_angular_velocity(const sn_rigid_set *set, int agent)
{
    sn_quat rotation = sn_rigid_pose(sn_agent_q(&set->agents, agent)).rotation;
    return sn_rotate(rotation, sn_vec3_at(sn_agent_v(&set->agents, agent) + 3));
}

void sn_rigid_set_velocity(sn_rigid_set *set, int agent, sn_vec3 velocity, sn_vec3 angular_velocity)
{
    double *v = sn_agent_v(&set->agents, agent);
    sn_quat rotation = sn_rigid_pose(sn_agent_q(&set->agents, agent)).rotation;
    sn_vec3_put(v, velocity);
    sn_vec3_put(v + 3, sn_rotate_inverse(rotation, angular_velocity));
}
