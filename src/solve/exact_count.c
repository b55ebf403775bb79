// What is said of an island that was not solved as it should be: see sinew/counter.h.
#include "solve/exact.h"

bool sn_exact_is_off(const sn_exact_problem *problem, const sn_exact_effort *effort)
{
    return problem->predict ? !effort->converged : !(effort->residual <= problem->limits.enough);
}

void sn_exact_count_effort(const sn_exact *exact, const sn_exact_problem *problem,
                           sn_exact_report *report)
{
    const sn_exact_system *system = &exact->system;
    const sn_exact_effort *effort = &report->effort;
    bool off = sn_exact_is_off(problem, effort);
    report->unconverged = off || report->unfinished;
    report->worst[0].set = report->worst[1].set = -1;
    if (!report->unconverged && !effort->tresca) {
        return;
    }
    for (int i = 0; i < system->agents.count; ++i) {
        const sn_exact_agent *own = &system->agents.data[i];
        sn_agent *agent = &problem->sets[own->set]->agents[own->agent];
        if (report->unconverged) {
            sn_agent_count(agent, SN_COUNTER_UNCONVERGED);
        }
        if (effort->tresca) {
            sn_agent_count(agent, SN_COUNTER_TRESCA);
        }
    }
    const sn_exact_block *block = off ? &system->blocks.data[effort->worst] : NULL;
    for (int k = 0; block != NULL && k < block->side_count && k < 2; ++k) {
        const sn_exact_agent *own = &system->agents.data[block->side[k].agent];
        report->worst[k] = (sn_contact_side){.set = own->set, .agent = own->agent};
    }
}
