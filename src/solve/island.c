#include "solve/island.h"

// The lowest agent known to be joined with this one. Each agent looked at on the way is hung one
// step higher (path halving), which keeps ways short.
static int find_root(int *parent, int agent)
{
    while (parent[agent] != agent) {
        parent[agent] = parent[parent[agent]];
        agent = parent[agent];
    }
    return agent;
}

// Roots are always the lowest of theirs, so that numbers do not depend on the order of pairs.
static void join(int *parent, int a, int b)
{
    int root_a = find_root(parent, a), root_b = find_root(parent, b);
    if (root_a < root_b) {
        parent[root_b] = root_a;
    } else {
        parent[root_a] = root_b;
    }
}

static bool reserve(sn_islands *islands, int agent_count, int pair_count)
{
    return sn_array_reserve(&islands->islands, agent_count) &&
           sn_array_reserve(&islands->agents, agent_count) &&
           sn_array_reserve(&islands->pairs, pair_count) &&
           sn_array_reserve(&islands->of, agent_count) &&
           sn_array_reserve(&islands->parent, agent_count);
}

// Which agents are joined; `of` is 0 for those in a pair, -1 for the others.
static void join_pairs(sn_islands *islands, int agent_count, const sn_island_pair *pairs,
                       int pair_count)
{
    int *parent = islands->parent.data, *of = islands->of.data;
    for (int i = 0; i < agent_count; ++i) {
        parent[i] = i;
        of[i] = -1;
    }
    for (int i = 0; i < pair_count; ++i) {
        int a = pairs[i].a, b = pairs[i].b;
        if (a >= 0) {
            of[a] = 0;
        }
        if (b >= 0) {
            of[b] = 0;
        }
        if (a >= 0 && b >= 0 && a != b) {
            join(parent, a, b);
        }
    }
}

static int island_of_pair(const sn_islands *islands, sn_island_pair pair)
{
    int agent = pair.a >= 0 ? pair.a : pair.b;
    return agent >= 0 ? islands->of.data[agent] : -1;
}

bool sn_islands_find(sn_islands *islands, int agent_count, const sn_island_pair *pairs,
                     int pair_count)
{
    sn_array_clear(&islands->islands);
    sn_array_clear(&islands->agents);
    sn_array_clear(&islands->pairs);
    sn_array_clear(&islands->of);
    if (!reserve(islands, agent_count, pair_count)) {
        return false;
    }
    join_pairs(islands, agent_count, pairs, pair_count);
    islands->of.count = agent_count;

    // Number and count. A root comes before all others of its island.
    int *of = islands->of.data, *parent = islands->parent.data, count = 0;
    sn_island *list = islands->islands.data;
    for (int i = 0; i < agent_count; ++i) {
        if (of[i] < 0) {
            continue;
        }
        int root = find_root(parent, i);
        if (root == i) {
            list[count] = (sn_island){0};
            of[i] = count++;
        } else {
            of[i] = of[root];
        }
        list[of[i]].agent_count += 1;
    }
    islands->islands.count = count;
    for (int i = 0; i < pair_count; ++i) {
        int island = island_of_pair(islands, pairs[i]);
        if (island >= 0) {
            list[island].pair_count += 1;
        }
    }

    // Places, then everyone to its place; counts are counted anew on the way.
    for (int i = 0; i < count; ++i) {
        list[i].agent_first = islands->agents.count;
        list[i].pair_first = islands->pairs.count;
        islands->agents.count += list[i].agent_count;
        islands->pairs.count += list[i].pair_count;
        list[i].agent_count = list[i].pair_count = 0;
    }
    for (int i = 0; i < agent_count; ++i) {
        if (of[i] >= 0) {
            sn_island *island = &list[of[i]];
            islands->agents.data[island->agent_first + island->agent_count++] = i;
        }
    }
    for (int i = 0; i < pair_count; ++i) {
        int index = island_of_pair(islands, pairs[i]);
        if (index >= 0) {
            sn_island *island = &list[index];
            islands->pairs.data[island->pair_first + island->pair_count++] = i;
        }
    }
    return true;
}

void sn_islands_free(sn_islands *islands)
{
    sn_array_free(&islands->islands);
    sn_array_free(&islands->agents);
    sn_array_free(&islands->pairs);
    sn_array_free(&islands->of);
    sn_array_free(&islands->parent);
}
