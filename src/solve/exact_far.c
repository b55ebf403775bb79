// Limits that cannot matter. A limit that is a radian away asks for velocities of hundreds of rad/s
// and bears nothing; as a row it costs as much as one that bears, and its size is what residuals
// are measured by. So what free velocities are far from is left out; and should the solution go
// beyond one of them after all, it is solved again with all.
#include <math.h>
#include <string.h>

#include "solve/exact.h"

// How many times the agent's fastest velocity a limit must be away.
static const double FAR = 4.0;

double sn_exact_fastest(const sn_exact_agent *agent, const double *v)
{
    double most = 0.0;
    for (int i = 0; i < agent->v_count; ++i) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

bool sn_exact_is_far(sn_exact *exact, int agent, const double *v, double fastest,
                     const sn_agent_row *row, bool *memory)
{
    bool above = row->lower == -INFINITY && row->upper == 0.0;
    bool below = row->lower == 0.0 && row->upper == INFINITY;
    if (exact->all_rows || row->width != 1 || row->softness > 0.0 || !(above || below)) {
        return false;
    }
    double side = above ? 1.0 : -1.0;
    if (!(side * (row->target - v[row->freedom]) > FAR * fastest)) {
        return false;
    }
    *memory = sn_array_push(&exact->far, ((sn_exact_far){agent, row->freedom, row->target, side}));
    return true;
}

bool sn_exact_goes_beyond(sn_exact *exact, const sn_exact_problem *problem)
{
    const sn_exact_system *system = &exact->system;
    double *v = exact->total.data;
    bool beyond = false;
    for (int i = 0, at = -1; i < exact->far.count && !beyond; ++i) {
        const sn_exact_far *far = &exact->far.data[i];
        const sn_exact_agent *agent = &system->agents.data[far->agent];
        if (far->agent != at) {
            at = far->agent;
            memcpy(v, system->v.data + agent->v_first, (size_t)agent->v_count * sizeof *v);
            if (agent->normalised) {
                const sn_agent_set *set = problem->sets[agent->set];
                set->type->contact->denormalise(set, agent->agent, v);
            }
        }
        beyond = far->side * (v[far->freedom] - far->target) > 0.0;
    }
    return beyond;
}
