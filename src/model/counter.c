// Counters of the step report: see sinew/counter.h. While a step is under way agents are marked by
// whoever does something to them (sn_agent_count); here marks become numbers, with the worst of
// each kind.
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "model/world.h"

_Static_assert(SN_COUNTER_AGENTS <= 32, "an agent has a bit of 32 for each counter of agents");

#define X(name, word, unit, text) #word,
static const char *const words[SN_COUNTER_COUNT] = {SN_COUNTER_LIST(X)};
#undef X
#define X(name, word, unit, text) text,
static const char *const texts[SN_COUNTER_COUNT] = {SN_COUNTER_LIST(X)};
#undef X
#define X(name, word, unit, text) unit,
static const char *const units[SN_COUNTER_COUNT] = {SN_COUNTER_LIST(X)};
#undef X

static const char *one_of(const char *const *list, sn_counter counter)
{
    return (int)counter >= 0 && counter < SN_COUNTER_COUNT ? list[counter] : "";
}

const char *sn_counter_word(sn_counter counter)
{
    return one_of(words, counter);
}

const char *sn_counter_text(sn_counter counter)
{
    return one_of(texts, counter);
}

const char *sn_counter_unit(sn_counter counter)
{
    return one_of(units, counter);
}

// ---- fields by number ----

#define X(name, word, unit, text) offsetof(sn_step_report, word),
static const size_t offsets[SN_COUNTER_COUNT] = {SN_COUNTER_LIST(X)};
#undef X

static int *field_of(sn_step_report *report, sn_counter counter)
{
    return (int *)((char *)report + offsets[counter]);
}

int sn_step_report_count(const sn_step_report *report, sn_counter counter)
{
    return (int)counter >= 0 && counter < SN_COUNTER_COUNT
               ? *field_of((sn_step_report *)report, counter)
               : 0;
}

bool sn_body_is_counted(const sn_world *world, sn_body body, sn_counter counter)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->agent.agent < 0 || counter >= SN_COUNTER_AGENTS) {
        return false;
    }
    return sn_agent_is_counted(&world->sets[record->agent.set]->agents[record->agent.agent],
                               counter);
}

// ---- in a step ----

// All of them follow each other in the report.
void sn_world_clear_counters(sn_world *world)
{
    size_t first = offsetof(sn_step_report, euler), end = offsetof(sn_step_report, worst_residual);
    memset((char *)&world->report + first, 0, end - first);
}

void sn_world_note_worst(sn_world *world, sn_counter counter, uint32_t body, double amount)
{
    sn_counter_worst *worst = &world->report.worst[counter];
    if (body != 0 && (worst->body.index == 0 || amount > worst->amount)) {
        *worst = (sn_counter_worst){.body = {body, world->body_ids.generation.data[body]},
                                    .amount = amount};
    }
}

void sn_world_count_agent(sn_world *world, sn_agent_ref ref, sn_counter counter, double amount)
{
    sn_agent *agent = &world->sets[ref.set]->agents[ref.agent];
    sn_agent_count(agent, counter);
    sn_world_note_worst(world, counter, agent->owner, amount);
}

void sn_world_count_island(sn_world *world, const sn_island *island, sn_counter counter,
                           double amount)
{
    const int *agents = &world->touch.islands.agents.data[island->agent_first];
    uint32_t fastest = 0;
    double most = -1.0;
    for (int k = 0; k < island->agent_count; ++k) {
        sn_agent_ref ref = sn_world_agent_at(world, agents[k]);
        sn_agent_set *set = world->sets[ref.set];
        sn_measure now;
        set->type->measure(set, ref.agent, world->gravity, &now);
        sn_agent_count(&set->agents[ref.agent], counter);
        if (now.kinetic > most) {
            most = now.kinetic;
            fastest = set->agents[ref.agent].owner;
        }
    }
    sn_world_note_worst(world, counter, fastest, amount);
}

static void count_agent(sn_world *world, const sn_agent *agent)
{
    for (int i = 0; i < SN_COUNTER_AGENTS; ++i) {
        sn_counter counter = (sn_counter)i;
        if (sn_agent_is_counted(agent, counter)) {
            double amount = counter == SN_COUNTER_DIVIDED       ? agent->sub_steps
                            : counter == SN_COUNTER_UNCONVERGED ? (double)agent->residual
                                                                : 0.0;
            *field_of(&world->report, counter) += 1;
            sn_world_note_worst(world, counter, agent->owner, amount);
        }
    }
}

void sn_world_count_step(sn_world *world)
{
    static const sn_counter own_amounts[] = {SN_COUNTER_STIFF, SN_COUNTER_DROPPED_PATCHES,
                                             SN_COUNTER_DAMPED_SPRINGS, SN_COUNTER_INVERTED,
                                             SN_COUNTER_VIOLATED};
    for (int s = 0; s < world->set_count; ++s) {
        for (int i = 0; i < world->sets[s]->count; ++i) {
            const sn_agent *agent = &world->sets[s]->agents[i];
            if (agent->counted != 0) {
                count_agent(world, agent);
            }
        }
    }
    for (size_t i = 0; i < sizeof own_amounts / sizeof own_amounts[0]; ++i) {
        sn_counter counter = own_amounts[i];
        world->report.worst[counter].amount = *field_of(&world->report, counter);
    }
}
