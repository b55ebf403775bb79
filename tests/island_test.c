// Islands against a flood fill, their numbering, and what happens when memory runs out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "solve/island.h"

static void test_example(void **state)
{
    (void)state;
    sn_islands islands = {0};
    const sn_island_pair pairs[] = {{0, 2}, {2, -1}, {-1, -1}, {5, 4}};
    assert_true(sn_islands_find(&islands, 6, pairs, 4));
    assert_int_equal(islands.islands.count, 2);
    const sn_island *first = &islands.islands.data[0], *second = &islands.islands.data[1];
    assert_int_equal(first->agent_count, 2);
    assert_int_equal(islands.agents.data[first->agent_first], 0);
    assert_int_equal(islands.agents.data[first->agent_first + 1], 2);
    assert_int_equal(first->pair_count, 2);
    assert_int_equal(islands.pairs.data[first->pair_first], 0);
    assert_int_equal(islands.pairs.data[first->pair_first + 1], 1);
    assert_int_equal(second->agent_count, 2);
    assert_int_equal(islands.agents.data[second->agent_first], 4);
    assert_int_equal(second->pair_count, 1);
    assert_int_equal(islands.pairs.data[second->pair_first], 3);
    const int of[] = {0, -1, 0, -1, 1, 1};
    assert_memory_equal(islands.of.data, of, sizeof of);
    assert_true(sn_islands_find(&islands, 0, NULL, 0));
    assert_int_equal(islands.islands.count, 0);
    sn_islands_free(&islands);
}

enum { AGENTS = 300, PAIRS = 400 };

// The lowest agent that can be reached: spreads low numbers along pairs until nothing changes.
static void flood(const sn_island_pair *pairs, int pair_count, int *lowest)
{
    for (int i = 0; i < AGENTS; ++i) {
        lowest[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < pair_count; ++i) {
            int a = pairs[i].a, b = pairs[i].b;
            if (a >= 0 && b >= 0 && lowest[a] != lowest[b]) {
                lowest[a] = lowest[b] = lowest[a] < lowest[b] ? lowest[a] : lowest[b];
                changed = true;
            }
        }
    }
}

static void check_against_flood(const sn_islands *islands, const sn_island_pair *pairs,
                                int pair_count)
{
    int lowest[AGENTS], agents = 0, used = 0, last = -1;
    bool touched[AGENTS] = {false};
    flood(pairs, pair_count, lowest);
    for (int i = 0; i < pair_count; ++i) {
        used += pairs[i].a >= 0 || pairs[i].b >= 0;
        touched[pairs[i].a >= 0 ? pairs[i].a : 0] |= pairs[i].a >= 0;
        touched[pairs[i].b >= 0 ? pairs[i].b : 0] |= pairs[i].b >= 0;
    }
    for (int i = 0; i < AGENTS; ++i) {
        agents += touched[i];
        assert_int_equal(islands->of.data[i] >= 0, touched[i]);
    }
    assert_int_equal(islands->agents.count, agents);
    assert_int_equal(islands->pairs.count, used);
    for (int k = 0; k < islands->islands.count; ++k) {
        const sn_island *island = &islands->islands.data[k];
        const int *members = islands->agents.data + island->agent_first;
        assert_true(members[0] > last); // numbered by the lowest agent
        last = members[0];
        for (int i = 0; i < island->agent_count; ++i) {
            assert_int_equal(lowest[members[i]], members[0]);
            assert_int_equal(islands->of.data[members[i]], k);
            assert_true(i == 0 || members[i] > members[i - 1]);
        }
        const int *edges = islands->pairs.data + island->pair_first;
        for (int i = 0; i < island->pair_count; ++i) {
            const sn_island_pair *pair = &pairs[edges[i]];
            assert_int_equal(lowest[pair->a >= 0 ? pair->a : pair->b], members[0]);
            assert_true(i == 0 || edges[i] > edges[i - 1]);
        }
    }
}

static void test_random_graphs(void **state)
{
    (void)state;
    sn_random random = {.seed = 41};
    sn_islands islands = {0};
    for (int round = 0; round < 60; ++round) {
        sn_island_pair pairs[PAIRS];
        int count = sn_random_below(&random, PAIRS + 1);
        for (int i = 0; i < count; ++i) {
            pairs[i].a = sn_random_below(&random, AGENTS + 20) - 20;
            pairs[i].b = sn_random_below(&random, AGENTS + 20) - 20;
            pairs[i].a = pairs[i].a < 0 ? -1 : pairs[i].a;
            pairs[i].b = pairs[i].b < 0 ? -1 : pairs[i].b;
        }
        assert_true(sn_islands_find(&islands, AGENTS, pairs, count));
        check_against_flood(&islands, pairs, count);
    }
    uint64_t before = sn_allocation_count();
    sn_island_pair pair = {0, AGENTS - 1};
    assert_true(sn_islands_find(&islands, AGENTS, &pair, 1));
    assert_int_equal(sn_allocation_count(), before); // room is kept
    sn_islands_free(&islands);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    const sn_island_pair pair = {3, 1};
    int failures = 0;
    for (;; ++failures) {
        sn_islands islands = {0};
        sn_allocation_fail_after(failures);
        bool found = sn_islands_find(&islands, 4, &pair, 1);
        sn_allocation_fail_after(-1);
        assert_int_equal(islands.islands.count, found ? 1 : 0);
        sn_islands_free(&islands);
        if (found) {
            break;
        }
    }
    assert_int_equal(failures, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
