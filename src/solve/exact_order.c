// The order of rows: blocks that share an agent come near each other, so that Newton's matrices of
// chains, towers and arches are narrow bands (Cuthill and McKee 1969).
#include <string.h>

#include "solve/exact_system.h"

// Blocks of each agent, one after another: those of agent i are at starts[i] .. starts[i + 1] - 1.
typedef struct sharing {
    const sn_exact_system *system;
    int *starts;  // agents + 1
    int *members; // two a block
    int *seen;    // by blocks, then by agents: the number of the pass that has seen it
    int *queue;   // blocks
    int pass;
} sharing;

static void list_members(sharing *s)
{
    const sn_exact_system *system = s->system;
    int agents = system->agents.count;
    memset(s->starts, 0, (size_t)(agents + 1) * sizeof *s->starts);
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        for (int k = 0; k < block->side_count; ++k) {
            ++s->starts[block->side[k].agent + 1];
        }
    }
    for (int i = 0; i < agents; ++i) {
        s->starts[i + 1] += s->starts[i];
    }
    for (int i = system->blocks.count - 1; i >= 0; --i) { // from behind, starts serve as places
        const sn_exact_block *block = &system->blocks.data[i];
        for (int k = 0; k < block->side_count; ++k) {
            s->members[--s->starts[block->side[k].agent + 1]] = i;
        }
    }
    for (int i = 0; i < agents; ++i) { // starts[i + 1] is now where agent i begins
        s->starts[i] = s->starts[i + 1];
    }
    s->starts[agents] = 0;
    for (int i = 0; i < system->blocks.count; ++i) {
        s->starts[agents] += system->blocks.data[i].side_count;
    }
}

// Blocks that can be reached from `first`, breadth first, from queue[at] on: where they end.
static int spread(sharing *s, int first, int at)
{
    const sn_exact_system *system = s->system;
    int *agent_seen = s->seen + system->blocks.count, end = at;
    ++s->pass;
    s->queue[end++] = first;
    s->seen[first] = s->pass;
    for (int i = at; i < end; ++i) {
        const sn_exact_block *block = &system->blocks.data[s->queue[i]];
        for (int k = 0; k < block->side_count; ++k) {
            int agent = block->side[k].agent;
            if (agent_seen[agent] == s->pass) {
                continue;
            }
            agent_seen[agent] = s->pass;
            for (int m = s->starts[agent]; m < s->starts[agent + 1]; ++m) {
                if (s->seen[s->members[m]] != s->pass) {
                    s->seen[s->members[m]] = s->pass;
                    s->queue[end++] = s->members[m];
                }
            }
        }
    }
    return end;
}

// Rows by the new order of blocks; scratch: rows.
static void renumber(sn_exact_system *system, double *scratch)
{
    double *arrays[2] = {system->p.data, system->target.data};
    size_t size = (size_t)system->p.count * sizeof *scratch;
    for (int a = 0; a < 2; ++a) {
        memcpy(scratch, arrays[a], size);
        for (int i = 0, row = 0; i < system->blocks.count; ++i) {
            const sn_exact_block *block = &system->blocks.data[system->order.data[i]];
            for (int k = 0; k < block->width; ++k) {
                arrays[a][row++] = scratch[block->row + k];
            }
        }
    }
    for (int i = 0, row = 0; i < system->blocks.count; ++i) {
        sn_exact_block *block = &system->blocks.data[system->order.data[i]];
        block->row = row;
        row += block->width;
    }
}

bool sn_exact_system_order(sn_exact_system *system)
{
    int blocks = system->blocks.count, agents = system->agents.count;
    if (!sn_array_resize(&system->order, blocks) ||
        !sn_array_resize(&system->places, agents + 1 + 3 * blocks + agents) ||
        !sn_array_resize(&system->step, system->p.count)) {
        return false;
    }
    sharing s = {.system = system, .starts = system->places.data, .queue = system->order.data};
    s.members = s.starts + agents + 1;
    s.seen = s.members + 2 * blocks;
    list_members(&s);
    memset(s.seen, 0, (size_t)(blocks + agents) * sizeof *s.seen);
    for (int i = 0, at = 0; i < blocks; ++i) {
        if (s.seen[i] == 0) { // a part of its own: once from anywhere, then from its far end
            int end = spread(&s, i, at);
            at = spread(&s, s.queue[end - 1], at);
        }
    }
    renumber(system, system->step.data);
    return true;
}
