// The thread pool: every item once, chunks that do not depend on the number of threads, reductions
// with the same bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/threads.h"

enum { ITEMS = 10007, CHUNK = 64, CHUNKS = (ITEMS + CHUNK - 1) / CHUNK };

typedef struct tally {
    atomic_int seen[ITEMS];
    double partial[CHUNKS];
} tally;

static void count_items(void *context, int first, int last, int chunk)
{
    tally *t = context;
    assert_int_equal(first, chunk * CHUNK);
    double sum = 0.0;
    for (int i = first; i < last; ++i) {
        atomic_fetch_add(&t->seen[i], 1);
        sum += 1.0 / (1.0 + i);
    }
    t->partial[chunk] = sum;
}

static double reduce(sn_threads *threads)
{
    static tally t;
    memset(&t, 0, sizeof t);
    sn_threads_run(threads, ITEMS, CHUNK, count_items, &t);
    double sum = 0.0;
    for (int i = 0; i < CHUNKS; ++i) {
        sum += t.partial[i];
    }
    for (int i = 0; i < ITEMS; ++i) {
        assert_int_equal(atomic_load(&t.seen[i]), 1);
    }
    return sum;
}

static void every_item_once_and_the_same_sum(void **state)
{
    (void)state;
    double alone = reduce(NULL);
    for (int count = 1; count <= 8; ++count) {
        sn_threads *threads = NULL;
        assert_int_equal(sn_threads_create(count, &threads, NULL), SN_OK);
        assert_int_equal(sn_threads_count(threads), count);
        for (int round = 0; round < 50; ++round) {
            assert_true(reduce(threads) == alone);
        }
        sn_threads_destroy(threads);
    }
}

enum { SHORT_ITEMS = 13, SHORT_RUNS = 20000, RUNS_BETWEEN = 1000 };

static void add_items(void *context, int first, int last, int chunk)
{
    int *sums = context;
    (void)chunk;
    for (int i = first; i < last; ++i) {
        sums[i] += i + 1; // nobody else has this item
    }
}

// Runs of a few items that follow at once, and others after a pause that lets the threads sleep:
// what one run leaves, the next one sees, whoever did it.
static void short_runs_see_each_other(void **state)
{
    (void)state;
    for (int count = 2; count <= 4; ++count) {
        sn_threads *threads = NULL;
        int sums[SHORT_ITEMS] = {0};
        assert_int_equal(sn_threads_create(count, &threads, NULL), SN_OK);
        for (int run = 0; run < SHORT_RUNS; ++run) {
            int chunk = 1 + run % 5;
            sn_threads_run(threads, SHORT_ITEMS - run % 3, chunk, add_items, sums);
            if (run % RUNS_BETWEEN == 0) {
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            }
        }
        for (int i = 0; i < SHORT_ITEMS; ++i) {
            int left_out = i == SHORT_ITEMS - 1 ? 2 : i == SHORT_ITEMS - 2 ? 1 : 0, runs = 0;
            for (int run = 0; run < SHORT_RUNS; ++run) {
                runs += run % 3 + left_out < 3;
            }
            assert_int_equal(sums[i], (i + 1) * runs);
        }
        sn_threads_destroy(threads);
    }
}

static void no_items_are_no_work(void **state)
{
    (void)state;
    sn_threads *threads = NULL;
    assert_int_equal(sn_threads_create(3, &threads, NULL), SN_OK);
    sn_threads_run(threads, 0, CHUNK, count_items, NULL);
    sn_threads_destroy(threads);
}

static void odd_counts_are_refused(void **state)
{
    (void)state;
    sn_threads *threads = NULL;
    sn_error error = {0};
    assert_int_equal(sn_threads_create(0, &threads, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_threads_create(-3, &threads, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_threads_create(100000, &threads, &error), SN_ERROR_ARGUMENT);
    for (int n = 0; n < 3; ++n) {
        sn_allocation_fail_after(n);
        assert_int_equal(sn_threads_create(2, &threads, &error), SN_ERROR_MEMORY);
        sn_allocation_fail_after(-1);
    }
    assert_null(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once_and_the_same_sum),
        cmocka_unit_test(short_runs_see_each_other),
        cmocka_unit_test(no_items_are_no_work),
        cmocka_unit_test(odd_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
