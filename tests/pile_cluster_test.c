// How a pile is divided: bodies into clusters of neighbours, contacts into blocks. Properties that
// must hold for any pile, over random ones from fixed seeds.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "solve/pile_part.h"

enum { BODIES = 3000, LINKS = 12000, BLOCKS = LINKS };

typedef struct division {
    sn_rigid_set set;
    double q[BODIES * SN_RIGID_Q];
    int agents[BODIES], ordered[BODIES];
    sn_pile_place places[BODIES];
    sn_pile_link links[LINKS];
    int list[LINKS], order[LINKS], spare[LINKS];
    uint64_t used[BODIES + 1];
    sn_pile_cluster clusters[BODIES];
    sn_pile_block blocks[BLOCKS];
    int seen[LINKS];
    int owner[BODIES + 1];
    sn_pile_work work;
    sn_pile_layout layout;
} division;

static division d;

static void order(int count)
{
    d.set.agents.q = d.q;
    for (int i = 0; i < count; ++i) {
        d.agents[i] = count - 1 - i;
    }
    sn_pile_order_bodies(&d.set, d.agents, count, sn_pile_cluster_size(count), d.places, d.ordered);
}

static void check_permutation(int count)
{
    memset(d.seen, 0, sizeof d.seen);
    for (int i = 0; i < count; ++i) {
        assert_in_range(d.ordered[i], 0, count - 1);
        assert_int_equal(d.seen[d.ordered[i]]++, 0);
    }
}

// In a cube of evenly spread bodies clusters fill it once: boxes around them have its volume.
static void test_clusters_are_compact(void **state)
{
    (void)state;
    sn_random random = {.seed = 7};
    for (int i = 0; i < BODIES; ++i) {
        for (int k = 0; k < 3; ++k) {
            d.q[i * SN_RIGID_Q + k] = sn_random_unit(&random);
        }
    }
    order(BODIES);
    check_permutation(BODIES);
    int size = sn_pile_cluster_size(BODIES);
    double volume = 0.0;
    for (int first = 0; first < BODIES; first += size) {
        double extent[3];
        for (int k = 0; k < 3; ++k) {
            double low = INFINITY, high = -INFINITY;
            for (int i = first; i < first + size && i < BODIES; ++i) {
                double x = d.q[d.ordered[i] * SN_RIGID_Q + k];
                low = fmin(low, x);
                high = fmax(high, x);
            }
            extent[k] = high - low;
            assert_true(extent[k] < 0.6);
        }
        volume += extent[0] * extent[1] * extent[2];
    }
    assert_true(volume < 1.0);
}

// Equal places, and numbers that are none, keep nobody from an order, and it is always the same.
static void test_any_places(void **state)
{
    (void)state;
    static int first[BODIES];
    for (int turn = 0; turn < 3; ++turn) {
        for (int i = 0; i < BODIES; ++i) {
            for (int k = 0; k < 3; ++k) {
                double x = turn == 0 ? 0.0 : (double)(i * (k + 1) % 7);
                d.q[i * SN_RIGID_Q + k] = turn == 2 && i % 5 == 0 ? (k == 1 ? NAN : -INFINITY) : x;
            }
        }
        order(BODIES);
        check_permutation(BODIES);
        memcpy(first, d.ordered, sizeof first);
        order(BODIES);
        assert_memory_equal(first, d.ordered, sizeof first);
    }
    order(1);
    check_permutation(1);
    order(0);
}

// `bodies` neighbours on a line, each linked with others up to `reach` away, or with what does not
// move.
static void make_links(int bodies, int links, int reach, uint64_t seed)
{
    sn_random random = {.seed = seed};
    memset(&d.work, 0, sizeof d.work);
    d.work.body_count = bodies;
    d.work.cluster_size = sn_pile_cluster_size(bodies);
    d.work.cluster_count = sn_chunk_count(bodies, d.work.cluster_size);
    d.work.clusters = d.clusters;
    d.work.blocks = d.blocks;
    for (int i = 0; i < links; ++i) {
        int a = sn_random_below(&random, bodies);
        int b = a + 1 + sn_random_below(&random, reach);
        b = b < bodies ? b : bodies; // beyond the end: what does not move
        bool turned = sn_random_below(&random, 2) == 1;
        d.links[i] = (sn_pile_link){.a = turned ? b : a,
                                    .b = turned ? a : b,
                                    .contact = i,
                                    .count = (uint8_t)(1 + sn_random_below(&random, 4)),
                                    .idle = sn_random_below(&random, 4) == 0};
    }
    d.layout = (sn_pile_layout){&d.work, d.links, links, 0, d.list, d.order, d.spare, d.used};
    sn_pile_sort_links(&d.layout);
    assert_true(d.work.block_count <= BLOCKS);
    sn_pile_fill_blocks(&d.layout);
}

static void check_lanes(int index, int *points)
{
    const sn_pile_block *block = &d.blocks[index];
    assert_true(block->point_first >= *points);
    *points = block->point_first + block->point_count;
    assert_true(*points <= d.work.point_count);
    for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
        int contact = block->contact[lane];
        if (contact < 0) {
            assert_int_equal(block->a[lane], d.work.body_count);
            assert_int_equal(block->count[lane], 0);
            continue;
        }
        assert_int_equal(d.seen[contact]++, 0);
        assert_int_equal(block->count[lane], d.links[contact].count);
        assert_true(block->count[lane] <= block->point_count);
        assert_true(block->a[lane] == d.links[contact].a && block->b[lane] == d.links[contact].b);
    }
}

// No two lanes of `count` blocks have a body that moves in common; `who` marks them.
static void check_apart(int first, int count, int who)
{
    for (int i = first; i < first + count; ++i) {
        for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
            const int sides[2] = {d.blocks[i].a[lane], d.blocks[i].b[lane]};
            for (int k = 0; k < 2; ++k) {
                if (sides[k] != d.work.body_count) {
                    assert_int_not_equal(d.owner[sides[k]], who);
                    d.owner[sides[k]] = who;
                }
            }
        }
    }
}

static void check_layout(int links)
{
    int points = 0, who = 0, size = d.work.cluster_size;
    memset(d.seen, 0, sizeof d.seen);
    memset(d.owner, -1, sizeof d.owner);
    for (int i = 0; i < d.work.block_count; ++i) {
        check_lanes(i, &points);
    }
    for (int i = 0; i < links; ++i) {
        assert_int_equal(d.seen[i], 1);
    }
    for (int c = 0; c < d.work.cluster_count; ++c) {
        const sn_pile_cluster *cluster = &d.clusters[c];
        for (int i = cluster->block_first; i < cluster->block_first + cluster->block_count; ++i) {
            check_apart(i, 1, who++); // lanes of one block
            for (int lane = 0; lane < SN_PILE_LANES; ++lane) {
                int a = d.blocks[i].a[lane], b = d.blocks[i].b[lane], none = d.work.body_count;
                assert_true(d.blocks[i].contact[lane] >= 0);
                assert_true((a == none || a / size == c) && (b == none || b / size == c));
            }
        }
    }
    for (int i = 0; i < d.work.colour_count; ++i) {
        const sn_pile_colour *colour = &d.work.colours[i];
        for (int k = 0; colour->serial && k < colour->block_count; ++k) {
            check_apart(colour->block_first + k, 1, who++);
        }
        if (!colour->serial) {
            check_apart(colour->block_first, colour->block_count, who++);
        }
    }
}

static void test_layout(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; ++turn) {
        int bodies = 1 + (turn * 977) % BODIES, links = turn < 2 ? turn : LINKS - 500 * turn;
        make_links(bodies, links, turn % 2 == 0 ? 4 : 400, (uint64_t)turn);
        check_layout(links);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clusters_are_compact),
        cmocka_unit_test(test_any_places),
        cmocka_unit_test(test_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
