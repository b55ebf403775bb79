// What elastic bodies say of themselves as a whole: mass, energies of a step, pace, and rest.
#include <math.h>

#include "agent/elastic/elastic.h"

double sn_elastic_mass_of(const sn_agent_set *set, int agent)
{
    return sn_elastic_item_of(set, agent)->mass.total;
}

void sn_elastic_balance(const sn_agent_set *set, int agent, const sn_balance_def *def,
                        sn_energy_balance *sum)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const sn_agent *head = &set->agents[agent];
    const double *q_0 = set->q_last + head->q_first, *q = sn_agent_q(set, agent);
    const double *push = set->joint_force + head->v_first;
    sn_measure now, start;
    sn_elastic_measure_at(set, agent, def->gravity, q_0, set->v_last + head->v_first, &start);
    sn_elastic_measure_at(set, agent, def->gravity, q, sn_agent_v(set, agent), &now);
    sum->kinetic += now.kinetic;
    sum->potential += now.potential;
    sum->before += start.kinetic + start.potential;
    sum->added += now.kinetic + start.kinetic + fabs(now.potential) + fabs(start.potential);
    sum->mass += item->mass.total;
    sum->momentum = sn_vec3_add(sum->momentum, now.momentum);
    sum->momentum_before = sn_vec3_add(sum->momentum_before, start.momentum);
    sum->driven =
        sum->driven || item->was_held || head->integrator == SN_INTEGRATOR_SYMPLECTIC_EULER;
    for (int i = 0; i < head->v_count; ++i) {
        sum->work += push[i] * (q[i] - q_0[i]);
    }
    const sn_spatial *wrench = sn_agent_force(set, agent);
    if (sn_spatial_dot(*wrench, *wrench) > 0.0) {
        sn_part part;
        set->type->part(set, agent, 0, &part);
        sum->work += sn_spatial_work(wrench, sn_vec3_scale(def->h, part.velocity),
                                     sn_vec3_scale(def->h, part.angular_velocity));
    }
    double speed = def->floor * item->radius / def->h;
    sum->floor += 0.5 * item->mass.total * speed * speed;
    sum->lift += item->mass.total * sn_length(def->gravity) * def->lift * item->radius;
}

double sn_elastic_pace(const sn_agent_set *set, int agent, double *size)
{
    *size = sn_elastic_item_of(set, agent)->radius;
    return sn_elastic_fastest(set, agent);
}

// What flows does so under any load that it bears for long.
bool sn_elastic_can_rest(const sn_agent_set *set, int agent)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    bool flows = false;
    for (int i = 0; i < item->material_count; ++i) {
        flows = flows || item->materials[i].plastic.creep_rate > 0.0;
    }
    return !flows;
}
