#include <limits.h>
#include <string.h>

#include "agent/agent.h"
#include "base/memory.h"

double *sn_agent_damping(sn_agent_set *set, int agent)
{
    int n = set->type->v_count;
    double *damping = set->damping + (size_t)agent * (size_t)(n * n);
    if (!set->agents[agent].has_damping) {
        memset(damping, 0, (size_t)(n * n) * sizeof *damping);
        set->agents[agent].has_damping = 1;
    }
    return damping;
}

// Enlarges one array to `capacity` elements, the new ones zero.
static bool grow(void *array_pointer, size_t element, int old_capacity, int capacity)
{
    void **array = array_pointer;
    unsigned char *grown = sn_reallocate(*array, element * (size_t)capacity);
    if (grown == NULL) {
        return false;
    }
    memset(grown + element * (size_t)old_capacity, 0, element * (size_t)(capacity - old_capacity));
    *array = grown;
    return true;
}

bool sn_agent_set_reserve(sn_agent_set *set, int capacity)
{
    if (capacity <= set->capacity) {
        return true;
    }
    int most = INT_MAX / (set->type->q_count + set->type->v_count);
    if (capacity > most) {
        return false;
    }
    int wanted = set->capacity <= most - most / 4 ? set->capacity + set->capacity / 4 : most;
    wanted = wanted < capacity ? capacity : wanted;
    wanted = wanted < 8 ? 8 : wanted;
    size_t q_bytes = (size_t)set->type->q_count * sizeof(double);
    size_t v_bytes = (size_t)set->type->v_count * sizeof(double);
    int old = set->capacity;
    bool grown = grow(&set->agents, sizeof *set->agents, old, wanted) &&
                 grow(&set->q, q_bytes, old, wanted) && grow(&set->v, v_bytes, old, wanted) &&
                 grow(&set->q_last, q_bytes, old, wanted) &&
                 grow(&set->v_last, v_bytes, old, wanted) && grow(&set->f, v_bytes, old, wanted) &&
                 grow(&set->external, v_bytes, old, wanted);
    if (grown && set->damping != NULL) {
        grown = grow(&set->damping, v_bytes * (size_t)set->type->v_count, old, wanted);
    }
    if (grown) {
        set->capacity = wanted;
    }
    return grown;
}

bool sn_agent_set_reserve_damping(sn_agent_set *set)
{
    if (set->damping != NULL || set->capacity == 0) {
        return true;
    }
    size_t n = (size_t)set->type->v_count;
    set->damping = sn_allocate_zero((size_t)set->capacity * n * n * sizeof(double));
    return set->damping != NULL;
}

bool sn_agent_set_copy(const sn_agent_set *set, sn_agent_set *copy)
{
    *copy = (sn_agent_set){.type = set->type};
    if (set->count == 0) {
        return true;
    }
    if (!sn_agent_set_reserve(copy, set->count) ||
        (set->damping != NULL && !sn_agent_set_reserve_damping(copy))) {
        sn_agent_set_free(copy);
        return false;
    }
    size_t count = (size_t)set->count;
    size_t q_bytes = count * (size_t)set->type->q_count * sizeof(double);
    size_t v_bytes = count * (size_t)set->type->v_count * sizeof(double);
    memcpy(copy->agents, set->agents, count * sizeof *set->agents);
    memcpy(copy->q, set->q, q_bytes);
    memcpy(copy->v, set->v, v_bytes);
    memcpy(copy->q_last, set->q_last, q_bytes);
    memcpy(copy->v_last, set->v_last, v_bytes);
    memcpy(copy->f, set->f, v_bytes);
    memcpy(copy->external, set->external, v_bytes);
    copy->count = set->count;
    copy->has_external = set->has_external;
    return true;
}

void sn_agent_set_free(sn_agent_set *set)
{
    sn_free(set->agents);
    sn_free(set->q);
    sn_free(set->v);
    sn_free(set->q_last);
    sn_free(set->v_last);
    sn_free(set->f);
    sn_free(set->external);
    sn_free(set->damping);
    *set = (sn_agent_set){.type = set->type};
}

void sn_agent_set_move(sn_agent_set *set, int from, int to)
{
    if (from == to) {
        return;
    }
    sn_agent *target = &set->agents[to];
    const sn_agent *source = &set->agents[from];
    size_t q_bytes = (size_t)set->type->q_count * sizeof(double);
    size_t v_bytes = (size_t)set->type->v_count * sizeof(double);
    memcpy(set->q + target->q_first, set->q + source->q_first, q_bytes);
    memcpy(set->v + target->v_first, set->v + source->v_first, v_bytes);
    memcpy(set->external + target->v_first, set->external + source->v_first, v_bytes);
    int q_first = target->q_first, v_first = target->v_first;
    *target = *source;
    target->q_first = q_first;
    target->v_first = v_first;
}

void sn_agent_set_keep(sn_agent_set *set, int first, int last)
{
    size_t q_count = (size_t)set->type->q_count, v_count = (size_t)set->type->v_count;
    size_t count = (size_t)(last - first), from = (size_t)first;
    memcpy(set->q_last + from * q_count, set->q + from * q_count, count * q_count * sizeof(double));
    memcpy(set->v_last + from * v_count, set->v + from * v_count, count * v_count * sizeof(double));
    for (int i = first; i < last; ++i) {
        set->agents[i].next_step_last = set->agents[i].next_step;
    }
}

void sn_agent_set_go_back(sn_agent_set *set)
{
    if (set->count > 0) {
        memcpy(set->q, set->q_last, (size_t)(set->count * set->type->q_count) * sizeof(double));
        memcpy(set->v, set->v_last, (size_t)(set->count * set->type->v_count) * sizeof(double));
    }
    for (int i = 0; i < set->count; ++i) {
        set->agents[i].next_step = set->agents[i].next_step_last;
    }
}

// x * 0 is 0 for every finite x and NaN for the others, so one sum tells of many numbers. Four sums
// keep the adder busy.
static bool all_finite(const double *x, int count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int j = 0; j < 4; ++j) {
            sum[j] += x[i + j] * 0.0;
        }
    }
    for (; i < count; ++i) {
        sum[0] += x[i] * 0.0;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

int sn_agent_set_find_diverged(const sn_agent_set *set, int first, int last)
{
    int q_count = set->type->q_count, v_count = set->type->v_count;
    if (first == last || (all_finite(sn_agent_q(set, first), (last - first) * q_count) &&
                          all_finite(sn_agent_v(set, first), (last - first) * v_count))) {
        return -1;
    }
    int agent = first;
    while (all_finite(sn_agent_q(set, agent), q_count) &&
           all_finite(sn_agent_v(set, agent), v_count)) {
        agent += 1;
    }
    return agent;
}

static size_t agent_state_size(const sn_agent_set *set)
{
    return (size_t)(2 + set->type->q_count + set->type->v_count) * sizeof(double);
}

size_t sn_agent_set_state_size(const sn_agent_set *set)
{
    return (size_t)set->count * agent_state_size(set);
}

static unsigned char *put(unsigned char *bytes, const double *values, int count)
{
    memcpy(bytes, values, (size_t)count * sizeof(double));
    return bytes + (size_t)count * sizeof(double);
}

static const unsigned char *get(const unsigned char *bytes, double *values, int count)
{
    memcpy(values, bytes, (size_t)count * sizeof(double));
    return bytes + (size_t)count * sizeof(double);
}

unsigned char *sn_agent_set_save(const sn_agent_set *set, unsigned char *bytes)
{
    for (int i = 0; i < set->count; ++i) {
        bytes = put(bytes, &set->agents[i].time, 1);
        bytes = put(bytes, &set->agents[i].next_step, 1);
        bytes = put(bytes, sn_agent_q(set, i), set->type->q_count);
        bytes = put(bytes, sn_agent_v(set, i), set->type->v_count);
    }
    return bytes;
}

const unsigned char *sn_agent_set_load(sn_agent_set *set, const unsigned char *bytes)
{
    for (int i = 0; i < set->count; ++i) {
        bytes = get(bytes, &set->agents[i].time, 1);
        bytes = get(bytes, &set->agents[i].next_step, 1);
        bytes = get(bytes, sn_agent_q(set, i), set->type->q_count);
        bytes = get(bytes, sn_agent_v(set, i), set->type->v_count);
    }
    return bytes;
}
