// What mechanisms say of themselves as a whole: mass, energies of a step, pace, and rest.
#include <math.h>

#include "agent/tree/articulation.h"

double sn_articulation_mass(const sn_agent_set *set, int agent)
{
    const sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    double mass = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        mass += tree->links[i].mass;
    }
    return mass;
}

bool sn_articulation_is_driven(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    bool any = false;
    for (int j = 0; j < item->tree.v_count; ++j) {
        any = any || item->freedoms[j].drive.type != SN_DRIVE_NONE;
    }
    return any;
}

bool sn_articulation_follows_motion(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    bool any = false;
    for (int j = 0; j < item->tree.v_count && !any; ++j) {
        any = item->freedoms[j].drive.type == SN_DRIVE_MOTION;
    }
    return any;
}

void sn_articulation_balance(const sn_agent_set *set, int agent, const sn_balance_def *def,
                             sn_energy_balance *sum)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    sn_measure now;
    set->type->measure(set, agent, def->gravity, &now);
    now.kinetic += now.added;
    sum->kinetic += now.kinetic;
    sum->potential += now.potential;
    sum->momentum = sn_vec3_add(sum->momentum, now.momentum);
    sum->before += def->start->energy;
    sum->added += now.kinetic + fabs(now.potential) + fabs(def->start->energy);
    sum->momentum_before = sn_vec3_add(sum->momentum_before, def->start->momentum);
    for (int i = 0; i < item->tree.count; ++i) {
        sum->mass += item->tree.links[i].mass;
    }
    sum->work += sn_articulation_way_work(set, agent);
    sum->driven = sum->driven || sn_articulation_is_driven(set, agent);
    double floor = 0.0;
    for (int i = 0; i < set->agents[agent].part_count; ++i) {
        double thickness = sn_balance_thickness(def, item->parts[i].radius),
               speed = def->floor * thickness / def->h;
        bool shared = i > 0 && item->parts[i - 1].link == item->parts[i].link;
        double mass = shared ? 0.0 : item->tree.links[item->parts[i].link].mass;
        floor += 0.5 * mass * speed * speed;
        sum->lift += mass * sn_length(def->gravity) * def->lift * thickness;
    }
    sn_balance_add_floor(floor, now.kinetic, sum);
}

double sn_articulation_pace(const sn_agent_set *set, int agent, double *size)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    double fastest = 0.0;
    *size = 0.0;
    for (int i = 0; i < set->agents[agent].part_count; ++i) {
        sn_part part;
        set->type->part(set, agent, i, &part);
        double radius = item->parts[i].radius;
        fastest =
            fmax(fastest, sn_length(part.velocity) + radius * sn_length(part.angular_velocity));
        *size = fmax(*size, radius);
    }
    return fastest;
}

// Not with springs, drives or motions.
bool sn_articulation_can_rest(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    return !item->sprung && item->ties == NULL;
}
