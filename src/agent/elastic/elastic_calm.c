// Energy of elastic bodies that nothing touches: what a step does to it, and how an excess is taken
// out. See elastic.h.
#include <math.h>
#include <string.h>

#include "agent/elastic/elastic.h"

enum { STRIDE = SN_SOLID_STRIDE };

// Speeds that nobody asks about are this share of the radius in a step.
static const double FLOOR = 1.0 / 100.0;

// A part of a step may gain this share of its energy, of which what is beyond the lesser one is
// taken out at the end (world/island_energy.c).
static const double MOST_GAIN = 0.02, LITTLE_GAIN = 2e-3;

enum { MOST_PARTS = 16 };

// What moves by less than this share of an edge from its neighbours does so hardly at all. The
// rules are off by the cube of that, of energies that go with its square: a step may gain about
// that share of them.
static const double LITTLE_WAY = 0.01;

// Whether no element is strained or turned by much in the step, which costs far less to see than
// what it does to energy.
static bool moves_little(sn_agent_set *set, int agent, double h)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q_0 = set->q_last + set->agents[agent].q_first;
    const int *elements = sn_tetrahedra_elements(item->mesh);
    int nodes = sn_tetrahedra_nodes(item->mesh);
    size_t numbers = (size_t)nodes * (size_t)sn_tetrahedra_element_count(item->mesh);
    double *way = item->place, little = LITTLE_WAY * item->shortest, most = little * little;
    sn_elastic_find_end(set, agent, h, way);
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        way[i] -= q_0[i];
    }
    for (size_t e = 0; e < numbers; e += (size_t)nodes) {
        sn_vec3 first = sn_vec3_at(way + STRIDE * elements[e]);
        for (int k = 1; k < nodes; ++k) {
            sn_vec3 apart = sn_vec3_sub(sn_vec3_at(way + STRIDE * elements[e + (size_t)k]), first);
            if (!(sn_dot(apart, apart) <= most)) {
                return false;
            }
        }
    }
    return true;
}

// Energy beyond the work of forces that a step gives, as a share of what was there, but for that of
// the mean motion.
static double gain_of(sn_agent_set *set, int agent, double h)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const sn_agent *head = &set->agents[agent];
    const double *q_0 = set->q_last + head->q_first;
    double work = 0.0;
    sn_elastic_find_end(set, agent, h, item->place);
    for (int i = 0; i < head->v_count; ++i) {
        work += item->force[i] * (item->place[i] - q_0[i]);
    }
    sn_measure start, end;
    sn_elastic_measure_at(set, agent, SN_VEC3_ZERO, q_0, set->v_last + head->v_first, &start);
    sn_elastic_measure_at(set, agent, SN_VEC3_ZERO, item->place, sn_agent_v(set, agent), &end);
    double speed = FLOOR * item->radius / item->step, mass = item->mass.total;
    double stake = start.kinetic - sn_dot(start.momentum, start.momentum) / (2.0 * mass) +
                   start.potential + 0.5 * mass * speed * speed;
    return (end.kinetic + end.potential - start.kinetic - start.potential - work) / stake;
}

// From the start of the step, or of the last part, which is where it is now.
static int take_part(sn_agent_set *set, int agent, double h, double *gain)
{
    const sn_agent *head = &set->agents[agent];
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    size_t bytes = (size_t)head->v_count * sizeof(double);
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    double t = sn_elastic_time(set, agent, h);
    memcpy(set->q_last + head->q_first, q, bytes);
    memcpy(set->v_last + head->v_first, v, bytes);
    for (int i = 0; i < head->v_count; ++i) {
        q[i] += t * v[i];
    }
    item->step = h;
    int failure = sn_elastic_find_velocity(set, agent, h);
    *gain = failure == SN_FAILURE_NONE ? gain_of(set, agent, h) : 0.0;
    sn_elastic_move(set, agent, h);
    return failure;
}

static int take_parts(sn_agent_set *set, int agent, double h, int parts, double *most)
{
    const sn_agent *head = &set->agents[agent];
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    size_t bytes = (size_t)head->v_count * sizeof(double);
    int failure = SN_FAILURE_NONE;
    memcpy(sn_agent_q(set, agent), item->q_start, bytes);
    memcpy(sn_agent_v(set, agent), item->v_start, bytes);
    item->truncated = false;
    *most = 0.0;
    for (int k = 0; k < parts && failure == SN_FAILURE_NONE; ++k) {
        double gain;
        failure = take_part(set, agent, h / parts, &gain);
        *most = gain < *most ? *most : gain;
        if (!(*most < MOST_GAIN) && parts < MOST_PARTS) {
            break;
        }
    }
    return failure;
}

int sn_elastic_check_gain(sn_agent_set *set, int agent, double h)
{
    const sn_agent *head = &set->agents[agent];
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    size_t bytes = (size_t)head->v_count * sizeof(double);
    if (moves_little(set, agent, h)) {
        return SN_FAILURE_NONE;
    }
    double gain = gain_of(set, agent, h);
    int failure = SN_FAILURE_NONE;
    if (!(gain < MOST_GAIN)) {
        memcpy(item->q_start, set->q_last + head->q_first, bytes);
        memcpy(item->v_start, set->v_last + head->v_first, bytes);
        for (int parts = 2; parts <= MOST_PARTS && !(gain < MOST_GAIN); parts *= 2) {
            failure = take_parts(set, agent, h, parts, &gain);
            set->agents[agent].sub_steps = parts;
        }
        memcpy(set->q_last + head->q_first, item->q_start, bytes);
        memcpy(set->v_last + head->v_first, item->v_start, bytes);
        item->step = h;
        item->placed = true;
        sn_agent_count(&set->agents[agent], SN_COUNTER_DIVIDED);
    }
    item->gained = !(gain < LITTLE_GAIN);
    return failure;
}

double sn_elastic_rigid_energy(const sn_agent_set *set, int agent)
{
    if (sn_elastic_item_of(set, agent)->fixed_count > 0) {
        return 0.0;
    }
    sn_elastic_mean mean;
    sn_elastic_find_mean(set, agent, false, &mean);
    return sn_kinetic_energy(mean.velocity, sn_vec3_scale(mean.mass, mean.velocity),
                             mean.angular_velocity,
                             sn_mat3_apply(mean.inertia, mean.angular_velocity));
}

void sn_elastic_calm(sn_agent_set *set, int agent, double share)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *q = sn_agent_q(set, agent);
    double *v = sn_agent_v(set, agent);
    sn_elastic_mean mean = {0};
    if (item->fixed_count == 0) {
        sn_elastic_find_mean(set, agent, false, &mean);
    }
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        sn_vec3 arm = sn_vec3_sub(sn_vec3_at(q + STRIDE * i), mean.centre);
        sn_vec3 rigid = sn_velocity_at(mean.velocity, mean.angular_velocity, arm);
        sn_vec3 within = sn_vec3_sub(sn_vec3_at(v + STRIDE * i), rigid);
        sn_vec3_put(v + STRIDE * i, sn_vec3_add_scaled(rigid, share, within));
    }
}
