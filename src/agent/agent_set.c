#include <limits.h>
#include <string.h>

#include "agent/agent.h"
#include "base/memory.h"

void sn_agent_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 *position,
                    sn_vec3 *velocity)
{
    sn_part now;
    set->type->part(set, agent, part, &now);
    *position = sn_transform_point(now.frame, local);
    *velocity = sn_part_velocity_at(&now, *position);
}

void sn_agent_push_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 position,
                         sn_vec3 force)
{
    (void)local;
    sn_part now;
    set->type->part(set, agent, part, &now);
    sn_spatial_push(sn_agent_force(set, agent) + part, now.centre, force, position, SN_VEC3_ZERO);
}

// The derivative of -f by the part's velocity and spin, with r from its centre to the point:
// damping (1, -[r]; [r], -[r][r]). A single-stage agent takes it by the trapezoidal rule.
static void add_point_damping(double *damping, double c, sn_vec3 r)
{
    const double x[3][3] = {{0.0, -r.z, r.y}, {r.z, 0.0, -r.x}, {-r.y, r.x, 0.0}};
    for (int i = 0; i < 3; ++i) {
        damping[i * 6 + i] += c;
        for (int j = 0; j < 3; ++j) {
            double square = x[i][0] * x[j][0] + x[i][1] * x[j][1] + x[i][2] * x[j][2];
            damping[i * 6 + 3 + j] -= c * x[i][j];
            damping[(3 + i) * 6 + j] += c * x[i][j];
            damping[(3 + i) * 6 + 3 + j] += c * square;
        }
    }
}

void sn_agent_hold_point(sn_agent_set *set, int agent, int part, sn_vec3 local, sn_vec3 position,
                         double stiffness, double damping)
{
    (void)local;
    (void)stiffness; // which a rigid part takes explicitly
    sn_part now;
    set->type->part(set, agent, part, &now);
    add_point_damping(sn_agent_damping(set, agent, part), damping,
                      sn_vec3_sub(position, now.centre));
}

double sn_agent_half_diagonal(const sn_agent_set *set, int agent)
{
    sn_aabb box = set->type->bounds(set, agent);
    return 0.5 * sn_length(sn_vec3_sub(box.upper, box.lower));
}

double *sn_agent_damping(sn_agent_set *set, int agent, int part)
{
    int index = set->agents[agent].part_first + part;
    double *damping = set->damping + (size_t)index * SN_DAMPING_SIZE;
    if (!set->damped[index]) {
        memset(damping, 0, SN_DAMPING_SIZE * sizeof *damping);
        set->damped[index] = 1;
    }
    return damping;
}

// ---- storage ----

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

// The capacity for `more` elements beyond `count`, or -1. An eighth above the present one, so that
// n additions cost O(n) and little is left unused.
static int larger(int capacity, int count, int more, int least)
{
    if (more > INT_MAX - count) {
        return -1;
    }
    int wanted = count + more;
    if (wanted <= capacity) {
        return capacity;
    }
    int eighth = capacity <= INT_MAX - capacity / 8 ? capacity + capacity / 8 : INT_MAX;
    wanted = wanted < eighth ? eighth : wanted;
    return wanted < least ? least : wanted;
}

static bool grow_agents(sn_agent_set *set, int capacity)
{
    if (capacity == set->capacity) {
        return true;
    }
    size_t memory = (size_t)set->type->memory_count * sizeof(double);
    bool grown = grow(&set->agents, sizeof *set->agents, set->capacity, capacity) &&
                 (memory == 0 || (grow(&set->memory, memory, set->capacity, capacity) &&
                                  grow(&set->memory_last, memory, set->capacity, capacity)));
    set->capacity = grown ? capacity : set->capacity;
    return grown;
}

static bool grow_q(sn_agent_set *set, int capacity)
{
    if (capacity == set->q_capacity) {
        return true;
    }
    bool grown = grow(&set->q, sizeof(double), set->q_capacity, capacity) &&
                 grow(&set->q_last, sizeof(double), set->q_capacity, capacity);
    set->q_capacity = grown ? capacity : set->q_capacity;
    return grown;
}

static bool grow_v(sn_agent_set *set, int capacity)
{
    if (capacity == set->v_capacity) {
        return true;
    }
    bool grown = grow(&set->v, sizeof(double), set->v_capacity, capacity) &&
                 grow(&set->v_last, sizeof(double), set->v_capacity, capacity) &&
                 (!set->type->has_joints ||
                  (grow(&set->joint_force, sizeof(double), set->v_capacity, capacity) &&
                   grow(&set->joint_external, sizeof(double), set->v_capacity, capacity)));
    set->v_capacity = grown ? capacity : set->v_capacity;
    return grown;
}

static bool grow_parts(sn_agent_set *set, int capacity)
{
    if (capacity == set->part_capacity) {
        return true;
    }
    int old = set->part_capacity;
    bool grown = grow(&set->force, sizeof *set->force, old, capacity) &&
                 grow(&set->external, sizeof *set->external, old, capacity);
    if (grown && set->damping != NULL) {
        grown = grow(&set->damping, SN_DAMPING_SIZE * sizeof(double), old, capacity) &&
                grow(&set->damped, sizeof *set->damped, old, capacity);
    }
    set->part_capacity = grown ? capacity : old;
    return grown;
}

bool sn_agent_set_reserve(sn_agent_set *set, int agents, int q, int v, int parts)
{
    int wanted = larger(set->capacity, set->count, agents, 8);
    int wanted_q = larger(set->q_capacity, set->q_count, q, 56);
    int wanted_v = larger(set->v_capacity, set->v_count, v, 48);
    int wanted_parts = larger(set->part_capacity, set->part_count, parts, 8);
    return wanted >= 0 && wanted_q >= 0 && wanted_v >= 0 && wanted_parts >= 0 &&
           grow_agents(set, wanted) && grow_q(set, wanted_q) && grow_v(set, wanted_v) &&
           grow_parts(set, wanted_parts);
}

bool sn_agent_set_reserve_damping(sn_agent_set *set)
{
    size_t capacity = (size_t)set->part_capacity;
    if (set->damping != NULL || capacity == 0) {
        return true;
    }
    double *damping = sn_allocate_zero(capacity * SN_DAMPING_SIZE * sizeof(double));
    uint8_t *damped = sn_allocate_zero(capacity);
    if (damping == NULL || damped == NULL) {
        sn_free(damping);
        sn_free(damped);
        return false;
    }
    set->damping = damping;
    set->damped = damped;
    return true;
}

static size_t memory_size(const sn_agent_set *set, int agents)
{
    return (size_t)agents * (size_t)set->type->memory_count * sizeof(double);
}

bool sn_agent_set_copy(const sn_agent_set *set, sn_agent_set *copy)
{
    *copy = (sn_agent_set){.type = set->type};
    if (set->count == 0) {
        return true;
    }
    if (!sn_agent_set_reserve(copy, set->count, set->q_count, set->v_count, set->part_count) ||
        (set->damping != NULL && !sn_agent_set_reserve_damping(copy))) {
        sn_agent_set_free(copy);
        return false;
    }
    size_t q_bytes = (size_t)set->q_count * sizeof(double),
           v_bytes = (size_t)set->v_count * sizeof(double);
    size_t part_bytes = (size_t)set->part_count * sizeof(sn_spatial);
    memcpy(copy->agents, set->agents, (size_t)set->count * sizeof *set->agents);
    memcpy(copy->q, set->q, q_bytes);
    memcpy(copy->v, set->v, v_bytes);
    memcpy(copy->q_last, set->q_last, q_bytes);
    memcpy(copy->v_last, set->v_last, v_bytes);
    size_t memory_bytes = memory_size(set, set->count);
    if (memory_bytes > 0) {
        memcpy(copy->memory, set->memory, memory_bytes);
        memcpy(copy->memory_last, set->memory_last, memory_bytes);
    }
    memcpy(copy->force, set->force, part_bytes);
    memcpy(copy->external, set->external, part_bytes);
    copy->count = set->count;
    copy->has_external = set->has_external;
    copy->q_count = set->q_count;
    copy->v_count = set->v_count;
    copy->part_count = set->part_count;
    return true;
}

void sn_agent_set_free(sn_agent_set *set)
{
    sn_free(set->agents);
    sn_free(set->q);
    sn_free(set->v);
    sn_free(set->q_last);
    sn_free(set->v_last);
    sn_free(set->memory);
    sn_free(set->memory_last);
    sn_free(set->force);
    sn_free(set->external);
    sn_free(set->joint_force);
    sn_free(set->joint_external);
    sn_free(set->damping);
    sn_free(set->damped);
    *set = (sn_agent_set){.type = set->type};
}

int sn_agent_set_add(sn_agent_set *set, const sn_agent *agent)
{
    int index = set->count++;
    sn_agent *added = &set->agents[index];
    *added = *agent;
    added->q_first = set->q_count;
    added->v_first = set->v_count;
    added->part_first = set->part_count;
    set->q_count += agent->q_count;
    set->v_count += agent->v_count;
    set->part_count += agent->part_count;
    size_t parts = (size_t)agent->part_count;
    if (memory_size(set, 1) > 0) {
        memset(sn_agent_memory(set, index), 0, memory_size(set, 1));
    }
    memset(set->force + added->part_first, 0, parts * sizeof *set->force);
    memset(set->external + added->part_first, 0, parts * sizeof *set->external);
    if (set->joint_force != NULL) {
        size_t bytes = (size_t)agent->v_count * sizeof(double);
        memset(set->joint_force + added->v_first, 0, bytes);
        memset(set->joint_external + added->v_first, 0, bytes);
    }
    if (set->damped != NULL) {
        memset(set->damped + added->part_first, 0, parts);
    }
    return index;
}

void sn_agent_set_remove(sn_agent_set *set, int agent)
{
    sn_agent *target = &set->agents[agent];
    const sn_agent *source = &set->agents[set->count - 1];
    size_t q_bytes = (size_t)source->q_count * sizeof(double),
           v_bytes = (size_t)source->v_count * sizeof(double);
    if (target != source) {
        memcpy(set->q + target->q_first, set->q + source->q_first, q_bytes);
        memcpy(set->v + target->v_first, set->v + source->v_first, v_bytes);
        memcpy(set->external + target->part_first, set->external + source->part_first,
               (size_t)source->part_count * sizeof *set->external);
        if (memory_size(set, 1) > 0) {
            memcpy(sn_agent_memory(set, agent), sn_agent_memory(set, set->count - 1),
                   memory_size(set, 1));
        }
    }
    set->count -= 1;
    set->q_count -= source->q_count;
    set->v_count -= source->v_count;
    set->part_count -= source->part_count;
    int q_first = target->q_first, v_first = target->v_first, part_first = target->part_first;
    *target = *source;
    target->q_first = q_first;
    target->v_first = v_first;
    target->part_first = part_first;
}

// ---- state ----

// The numbers of a run of agents follow each other: where those of q and v begin and end.
typedef struct extent {
    size_t q_first, q_count, v_first, v_count;
} extent;

static extent extent_of(const sn_agent_set *set, int first, int last)
{
    if (first >= last) {
        return (extent){0};
    }
    const sn_agent *from = &set->agents[first], *to = &set->agents[last - 1];
    return (extent){(size_t)from->q_first, (size_t)(to->q_first + to->q_count - from->q_first),
                    (size_t)from->v_first, (size_t)(to->v_first + to->v_count - from->v_first)};
}

void sn_agent_set_keep(sn_agent_set *set, int first, int last)
{
    extent e = extent_of(set, first, last);
    if (first < last) {
        memcpy(set->q_last + e.q_first, set->q + e.q_first, e.q_count * sizeof(double));
        memcpy(set->v_last + e.v_first, set->v + e.v_first, e.v_count * sizeof(double));
        if (memory_size(set, 1) > 0) {
            size_t from = (size_t)first * (size_t)set->type->memory_count;
            memcpy(set->memory_last + from, set->memory + from, memory_size(set, last - first));
        }
    }
    for (int i = first; i < last; ++i) {
        sn_agent *agent = &set->agents[i];
        agent->time_last = agent->time;
        agent->next_step_last = agent->next_step;
        agent->counted = 0;
        agent->sub_steps = 0;
        agent->residual = 0.0f;
    }
}

// After a change of q and v from outside.
static void touch_all(sn_agent_set *set)
{
    for (int i = 0; set->type->touch != NULL && i < set->count; ++i) {
        set->type->touch(set, i);
    }
}

void sn_agent_set_go_back(sn_agent_set *set)
{
    if (set->count > 0) {
        memcpy(set->q, set->q_last, (size_t)set->q_count * sizeof(double));
        memcpy(set->v, set->v_last, (size_t)set->v_count * sizeof(double));
        if (memory_size(set, 1) > 0) {
            memcpy(set->memory, set->memory_last, memory_size(set, set->count));
        }
    }
    for (int i = 0; i < set->count; ++i) {
        set->agents[i].time = set->agents[i].time_last;
        set->agents[i].next_step = set->agents[i].next_step_last;
    }
    touch_all(set);
}

// x * 0 is 0 for every finite x and NaN for the others, so one sum tells of many numbers. Four sums
// keep the adder busy.
static bool all_finite(const double *x, size_t count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int j = 0; j < 4; ++j) {
            sum[j] += x[i + (size_t)j] * 0.0;
        }
    }
    for (; i < count; ++i) {
        sum[0] += x[i] * 0.0;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

static bool are_finite(const sn_agent_set *set, int first, int last)
{
    extent e = extent_of(set, first, last);
    return all_finite(set->q + e.q_first, e.q_count) && all_finite(set->v + e.v_first, e.v_count);
}

int sn_agent_set_find_diverged(const sn_agent_set *set, int first, int last)
{
    if (first == last || are_finite(set, first, last)) {
        return -1;
    }
    int agent = first;
    while (are_finite(set, agent, agent + 1)) {
        agent += 1;
    }
    return agent;
}

// Clocks stand in the agents: they are gathered, a few at a time.
static void walk_clocks(sn_agent_set *set, sn_state_walk *walk)
{
    enum { AGENTS = 256 };
    double clocks[2 * AGENTS];
    for (int first = 0; first < set->count; first += AGENTS) {
        int count = set->count - first < AGENTS ? set->count - first : AGENTS;
        for (int i = 0; i < count; ++i) {
            clocks[2 * i] = set->agents[first + i].time;
            clocks[2 * i + 1] = set->agents[first + i].next_step;
        }
        sn_state_numbers(walk, clocks, 2 * (size_t)count);
        for (int i = 0; i < count && walk->mode == SN_STATE_LOAD; ++i) {
            set->agents[first + i].time = clocks[2 * i];
            set->agents[first + i].next_step = clocks[2 * i + 1];
        }
    }
}

void sn_agent_set_walk(sn_agent_set *set, sn_state_walk *walk)
{
    walk_clocks(set, walk);
    sn_state_numbers(walk, set->q, (size_t)set->q_count);
    sn_state_numbers(walk, set->v, (size_t)set->v_count);
    sn_state_numbers(walk, set->memory, (size_t)set->count * (size_t)set->type->memory_count);
    if (walk->mode == SN_STATE_LOAD) {
        touch_all(set);
    }
}
