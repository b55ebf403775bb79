// Memory, arrays, ids, names, hashes and random numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/id_pool.h"
#include "base/memory.h"
#include "base/name_table.h"
#include "base/random.h"
#include "base/stack.h"
#include "base/suggest.h"

static void errors_carry_code_place_and_text(void **state)
{
    (void)state;
    sn_error error = {0};
    assert_int_equal(sn_fail(&error, SN_ERROR_SCENE, "a.json:3:4", "mass is %g", -1.0),
                     SN_ERROR_SCENE);
    assert_string_equal(sn_error_message(&error), "a.json:3:4: mass is -1");
    assert_int_equal(sn_fail(NULL, SN_ERROR_FILE, NULL, "nobody listens"), SN_ERROR_FILE);
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    sn_fail(&error, SN_ERROR_SYNTAX, long_text, "%s", long_text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_string_equal(error.text + sizeof error.text - 4, "...");
    assert_string_equal(error.place + sizeof error.place - 4, "...");
    for (int i = 0; i < SN_STATUS_COUNT; ++i) {
        assert_non_null(strstr(sn_status_name((sn_status)i), "SN_"));
        assert_true(strlen(sn_status_text((sn_status)i)) > 5);
    }
    assert_string_equal(sn_status_name((sn_status)9999), "SN_ERROR_UNKNOWN");
}

static void arrays_grow_and_survive_a_lack_of_memory(void **state)
{
    (void)state;
    SN_ARRAY(int) numbers = {0};
    for (int i = 0; i < 1000; ++i) {
        assert_true(sn_array_push(&numbers, i));
    }
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(numbers.data[i], i);
    }
    int capacity = numbers.capacity;
    sn_allocation_fail_after(0);
    assert_false(sn_array_reserve(&numbers, capacity + 1));
    sn_allocation_fail_after(-1);
    assert_int_equal(numbers.capacity, capacity);
    assert_int_equal(numbers.data[999], 999);
    sn_array_free(&numbers);
    assert_null(numbers.data);
}

typedef struct lined {
    _Alignas(64) int number;
} lined;

static void arrays_stand_as_their_elements_want(void **state)
{
    (void)state;
    SN_ARRAY(char) between[12] = {{0}}; // so that the next blocks of the heap are not aligned
    SN_ARRAY(lined) lines = {0};
    for (int i = 0; i < 1000; ++i) {
        assert_true(sn_array_push(&lines, (lined){i}));
        assert_int_equal((uintptr_t)&lines.data[i] % 64, 0);
        if (i % 100 == 0) {
            assert_true(sn_array_reserve(&between[i / 100], 1 + i));
        }
    }
    int capacity = lines.capacity;
    sn_allocation_fail_after(0);
    assert_false(sn_array_reserve(&lines, capacity + 1));
    sn_allocation_fail_after(-1);
    assert_int_equal(lines.capacity, capacity);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(lines.data[i].number, i);
    }
    for (int i = 0; i < 12; ++i) {
        sn_array_free(&between[i]);
    }
    sn_array_free(&lines);

    // Sizes that are no multiple of it, less than was there, and more than there can be.
    unsigned char *bytes = sn_reallocate_aligned(NULL, 0, 100, 128);
    assert_non_null(bytes);
    memset(bytes, 7, 100);
    bytes = sn_reallocate_aligned(bytes, 100, 3, 256);
    assert_int_equal((uintptr_t)bytes % 256, 0);
    assert_int_equal(bytes[2], 7);
    assert_null(sn_reallocate_aligned(bytes, 3, SIZE_MAX - 3, 256));
    assert_int_equal(bytes[2], 7);
    sn_free(bytes);
}

static void arena_gives_zeroed_aligned_pieces(void **state)
{
    (void)state;
    sn_arena arena = {0};
    for (size_t bytes = 0; bytes < 3000; bytes += 37) {
        unsigned char *piece = sn_arena_allocate(&arena, bytes);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % 16, 0);
        for (size_t i = 0; i < bytes; ++i) {
            assert_int_equal(piece[i], 0);
        }
        memset(piece, 0xff, bytes);
    }
    assert_string_equal(sn_arena_text(&arena, "hello world", 5), "hello");
    assert_non_null(sn_arena_allocate(&arena, 1 << 20));
    assert_null(sn_arena_allocate(&arena, SIZE_MAX - 8));
    sn_arena_free(&arena);
    assert_null(arena.first);
}

static void stack_settles_to_no_allocation(void **state)
{
    (void)state;
    sn_stack stack = {0};
    for (int step = 0; step < 3; ++step) {
        uint64_t before = sn_allocation_count();
        void *a = sn_stack_push(&stack, 1000, "a");
        void *b = sn_stack_push(&stack, 5000, "b");
        assert_int_equal((uintptr_t)a % 64, 0);
        assert_int_equal((uintptr_t)b % 64, 0);
        memset(a, 1, 1000);
        memset(b, 2, 5000);
        sn_stack_pop(&stack, b);
        sn_stack_pop(&stack, a);
        assert_int_equal(stack.count, 0);
        sn_stack_settle(&stack);
        if (step > 0) {
            assert_int_equal(sn_allocation_count(), before);
        }
    }
    sn_allocation_fail_after(0);
    assert_null(sn_stack_push(&stack, 1 << 20, "too much"));
    sn_allocation_fail_after(-1);
    sn_stack_free(&stack);
}

static void ids_know_when_they_are_stale(void **state)
{
    (void)state;
    sn_id_pool pool = {0};
    sn_id first = sn_id_pool_take(&pool), second = sn_id_pool_take(&pool);
    assert_int_not_equal(first.index, 0);
    assert_true(sn_id_pool_has(&pool, first));
    assert_false(sn_id_pool_has(&pool, (sn_id){0}));
    assert_false(sn_id_pool_has(&pool, (sn_id){second.index + 1, 1}));
    sn_id_pool_give(&pool, first);
    assert_false(sn_id_pool_has(&pool, first));
    sn_id third = sn_id_pool_take(&pool);
    assert_int_equal(third.index, first.index);
    assert_int_not_equal(third.generation, first.generation);
    assert_false(sn_id_pool_has(&pool, first));
    sn_id_pool copy;
    assert_true(sn_id_pool_copy(&pool, &copy));
    assert_true(sn_id_pool_has(&copy, third));
    assert_false(sn_id_pool_has(&copy, first));
    sn_id_pool_free(&copy);
    sn_allocation_fail_after(0);
    for (int i = 0; i < 20; ++i) {
        sn_id_pool_take(&pool);
    }
    assert_int_equal(sn_id_pool_take(&pool).index, 0);
    sn_allocation_fail_after(-1);
    sn_id_pool_free(&pool);
}

static void names_are_found_after_removals(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static char names[COUNT][16];
    sn_name_table table = {0};
    assert_int_equal(sn_name_table_find(&table, "none"), 0);
    for (int i = 0; i < COUNT; ++i) {
        snprintf(names[i], sizeof names[i], "body %d", i);
        assert_true(sn_name_table_put(&table, names[i], (uint32_t)i + 1));
    }
    for (int i = 0; i < COUNT; i += 3) {
        sn_name_table_remove(&table, names[i]);
    }
    for (int round = 0; round < 50; ++round) { // removed slots must not fill the table
        assert_true(sn_name_table_put(&table, names[0], 1));
        sn_name_table_remove(&table, names[0]);
    }
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(sn_name_table_find(&table, names[i]), i % 3 == 0 ? 0 : i + 1);
    }
    assert_true(table.capacity < 8 * COUNT);
    sn_name_table_free(&table);
}

static void hash_depends_on_every_bit(void **state)
{
    (void)state;
    unsigned char bytes[100];
    for (int i = 0; i < 100; ++i) {
        bytes[i] = (unsigned char)(i * 37);
    }
    for (size_t length = 0; length <= sizeof bytes; ++length) {
        uint64_t plain = sn_hash64(bytes, length, 7);
        assert_true(plain != sn_hash64(bytes, length, 8));
        int flipped = 0;
        for (size_t bit = 0; bit < 8 * length; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            uint64_t other = sn_hash64(bytes, length, 7);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(other != plain);
            flipped += __builtin_popcountll(other ^ plain);
        }
        // On average half of the 64 bits should turn over.
        double share = length > 0 ? flipped / (8.0 * (double)length) / 64.0 : 0.5;
        assert_true(fabs(share - 0.5) < 0.1);
    }
}

// Known answers of the authors' test file for Philox4x32-10 (Random123, kat_vectors).
static void random_numbers_match_the_published_vectors(void **state)
{
    (void)state;
    const uint32_t counters[3][4] = {{0, 0, 0, 0},
                                     {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                                     {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    const uint32_t keys[3][2] = {{0, 0}, {0xffffffff, 0xffffffff}, {0xa4093822, 0x299f31d0}};
    const uint32_t expected[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; ++i) {
        sn_philox draw = sn_philox4x32(counters[i], keys[i]);
        for (int j = 0; j < 4; ++j) {
            assert_int_equal(draw.word[j], expected[i][j]);
        }
    }
}

static void random_streams_are_even_and_apart(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    sn_random one = {.seed = 1, .stream = 0}, two = {.seed = 1, .stream = 1};
    double sum = 0.0, squares = 0.0, product = 0.0;
    int bins[10] = {0};
    for (int i = 0; i < COUNT; ++i) {
        double a = sn_random_unit(&one), b = sn_random_unit(&two);
        assert_true(a >= 0.0 && a < 1.0);
        sum += a;
        squares += a * a;
        product += (a - 0.5) * (b - 0.5);
        bins[sn_random_below(&one, 10)] += 1;
    }
    // Five standard deviations of each estimate.
    assert_true(fabs(sum / COUNT - 0.5) < 5 * sqrt(1.0 / 12 / COUNT));
    assert_true(fabs(squares / COUNT - 1.0 / 3) < 5 * sqrt(4.0 / 45 / COUNT));
    assert_true(fabs(product / COUNT) < 5 * sqrt(1.0 / 144 / COUNT));
    for (int i = 0; i < 10; ++i) {
        assert_true(abs(bins[i] - COUNT / 10) < 5 * sqrt(0.09 * COUNT));
    }
    double range = sn_random_range(&one, -3.0, 5.0);
    assert_true(range >= -3.0 && range < 5.0);
}

static void suggestions_are_near_or_none(void **state)
{
    (void)state;
    const char *const words[] = {"position", "rotation", NULL, "velocity", "mass"};
    assert_string_equal(sn_suggest("positon", words, 5), "position");
    assert_string_equal(sn_suggest("Mass", words, 5), "mass");
    assert_string_equal(sn_suggest("rotatoin", words, 5), "rotation"); // a swap counts once
    assert_null(sn_suggest("banana", words, 5));
    const char *const keys[] = {"a", "bodies"};
    assert_string_equal(sn_suggest("bodys", keys, 2), "bodies");
    assert_null(sn_suggest("c", keys, 2)); // nothing of it is left in "a"
    assert_string_equal(sn_suggest("A", keys, 2), "a");
    assert_null(sn_suggest("", words, 5));
    assert_null(sn_suggest(
        "a very long word that has more than sixty-four letters in it, for sure it has", words, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_carry_code_place_and_text),
        cmocka_unit_test(arrays_grow_and_survive_a_lack_of_memory),
        cmocka_unit_test(arrays_stand_as_their_elements_want),
        cmocka_unit_test(arena_gives_zeroed_aligned_pieces),
        cmocka_unit_test(stack_settles_to_no_allocation),
        cmocka_unit_test(ids_know_when_they_are_stale),
        cmocka_unit_test(names_are_found_after_removals),
        cmocka_unit_test(hash_depends_on_every_bit),
        cmocka_unit_test(random_numbers_match_the_published_vectors),
        cmocka_unit_test(random_streams_are_even_and_apart),
        cmocka_unit_test(suggestions_are_near_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
