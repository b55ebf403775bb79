// Live worlds and their past: every step can be gone back to, to the bit.
#include "live_client.h"

// ---- the past ----

enum { STEPS = 150 };

// Back to any step and forward again, with contacts, hands, winds and params on the way.
static void history_is_exact(void **state)
{
    (void)state;
    static const char *const names[] = {"boxes", "leaf"};
    for (int k = 0; k < 2; ++k) {
        listener *l = open_scene(names[k]);
        uint64_t hashes[STEPS + 1];
        const sn_world *world = sn_live_world(l->live);
        hashes[0] = sn_world_hash(world);
        for (int i = 1; i <= STEPS;) {
            if (i % 30 == 10) {
                must(l,
                     "{\"do\": \"grab\", \"body\": %d, \"point\": [0.05, 0, 0], \"to\": [1, 0, 1]}",
                     2 - 2 * k);
            } else if (i % 30 == 20) {
                must(l, "{\"do\": \"drag\", \"to\": [0.%d, 0, 1]}", i);
            } else if (i % 30 == 25) {
                must(l, "{\"do\": \"release\"}");
            } else if (i == 60) {
                must(l, "{\"do\": \"blow\", \"strength\": 1}");
            } else if (i == 80 && k == 0) {
                must(l, "{\"do\": \"param\", \"name\": \"g\", \"value\": 5}");
            }
            // Sometimes several steps in one advance, so that some lie between two moments.
            int count = i % 7 == 0 && i + 3 <= STEPS ? 3 : 1;
            sn_live_advance(l->live, 1.0 / 60.0);
            step(l, count);
            i += count;
            hashes[i - 1] = sn_world_hash(world);
            assert_int_equal(sn_world_step_count(world), i - 1);
            for (int skipped = 1; skipped < count; ++skipped) {
                hashes[i - 1 - skipped] = 0;
            }
        }
        for (int i = STEPS - 1; i >= 0; --i) {
            step(l, -1);
            assert_int_equal(sn_world_step_count(world), i);
            assert_true(hashes[i] == 0 || hashes[i] == sn_world_hash(world));
            hashes[i] = sn_world_hash(world);
        }
        look(l);
        assert_int_equal(sn_fetch_u32(l->frame + 32) & 2, 2);
        step(l, 1);
        assert_int_equal(hashes[1], sn_world_hash(world));
        for (int i = 0; i < 40; ++i) {
            int target = (i * 61 + 17) % (STEPS + 1);
            must(l, "{\"do\": \"seek\", \"time\": %.9g}", target / 240.0 + 0.001);
            sn_live_advance(l->live, 0.0);
            assert_int_equal(sn_world_step_count(world), target);
            assert_int_equal(hashes[target], sn_world_hash(world));
        }
        step(l, -100000);
        step(l, STEPS);
        assert_int_equal(hashes[STEPS], sn_world_hash(world));
        look(l);
        assert_int_equal(sn_fetch_u32(l->frame + 32) & 2, 0);
        end(l);
    }
}

// A history that is small for its world has moments further apart; all steps are found
// nevertheless.
static void sparse_histories_are_exact(void **state)
{
    (void)state;
    enum { ADVANCES = 60 };
    listener *l = greet(make_live(1 << 18));
    must(l, "{\"do\": \"open\", \"scene\": \"boxes\"}");
    const sn_world *world = sn_live_world(l->live);
    uint64_t hashes[ADVANCES], steps[ADVANCES];
    for (int i = 0; i < ADVANCES; ++i) {
        if (i == 20 || i == 33) {
            must(l, "{\"do\": \"grab\", \"body\": 2, \"point\": [0.05, 0, 0], \"to\": [0, 0, 1]}");
        } else if (i == 30 || i == 34) {
            must(l, "{\"do\": \"release\"}");
        } else if (i == 40) {
            must(l, "{\"do\": \"param\", \"name\": \"g\", \"value\": 5}");
        }
        sn_live_advance(l->live, 1.0 / 60.0);
        hashes[i] = sn_world_hash(world);
        steps[i] = sn_world_step_count(world);
    }
    assert_true(sn_live_moment_every(l->live) > 3);
    assert_true(sn_history_count(&l->live->history) < ADVANCES / 2);
    must(l, "{\"do\": \"pause\"}");
    for (int i = ADVANCES - 2; i >= 0; --i) {
        step(l, -(int)(steps[i + 1] - steps[i]));
        assert_int_equal(sn_world_step_count(world), steps[i]);
        assert_int_equal(sn_world_hash(world), hashes[i]);
    }
    step(l, (int)(steps[50] - steps[0]));
    assert_int_equal(sn_world_hash(world), hashes[50]);
    end(l);
}

// Bodies that slept sleep when one comes back to them, and wake when they did.
static void sleep_is_remembered(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    const sn_world *world = sn_live_world(l->live);
    must(l, "{\"do\": \"speed\", \"factor\": 16}");
    must(l, "{\"do\": \"play\"}");
    for (int i = 0; i < 60 && sn_world_report(world).sleeping < 2; ++i) {
        sn_live_advance(l->live, 1.0 / 60.0);
    }
    assert_int_equal(sn_world_report(world).sleeping, 2);
    must(l, "{\"do\": \"pause\"}");
    step(l, 40);
    must(l, "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0], \"to\": [0, 0, 1]}");
    step(l, 3);
    assert_int_equal(sn_world_report(world).sleeping, 0);
    uint64_t awake = sn_world_hash(world);
    step(l, -23);
    uint64_t asleep = sn_world_hash(world);
    assert_int_equal(sn_world_report(world).sleeping, 2);
    step(l, 10);
    assert_int_equal(sn_world_report(world).sleeping, 2);
    step(l, -10);
    assert_int_equal(sn_world_hash(world), asleep);
    step(l, 23);
    assert_int_equal(sn_world_hash(world), awake);
    end(l);
}

// Beyond the end of the past, steps are new ones; to go on from there forgets what came after.
// Winds that come, change and go, with shelter from each of them.
static void sheltered_breaths_are_exact(void **state)
{
    (void)state;
    listener *l = open_scene("mouth");
    static uint64_t hashes[800];
    must(l, "{\"do\": \"play\"}");
    for (int i = 0; i < 100; ++i) {
        if (i % 25 == 5) {
            must(l, "{\"do\": \"blow\", \"strength\": %g}", i % 50 == 5 ? 1.0 : 0.0);
        } else if (i == 60) {
            must(l, "{\"do\": \"wind\", \"from\": [0.5, -1, 1], \"towards\": [0, 0, 1]}");
        }
        sn_live_advance(l->live, 1.0 / 60.0);
        hashes[sn_world_step_count(sn_live_world(l->live))] = sn_world_hash(sn_live_world(l->live));
    }
    uint64_t last = sn_world_step_count(sn_live_world(l->live));
    assert_true(last >= 398 && last < 800);
    must(l, "{\"do\": \"pause\"}");
    int compared = 0;
    for (uint64_t at = last; at-- > 0;) {
        step(l, -1);
        listen(l);
        assert_false(heard(l, "\"is\": \"error\""));
        assert_int_equal(sn_world_step_count(sn_live_world(l->live)), at);
        if (hashes[at] != 0) {
            assert_int_equal(sn_world_hash(sn_live_world(l->live)), hashes[at]);
            ++compared;
        }
    }
    assert_true(compared > 90);
    end(l);
}

static void going_on_from_the_past(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    const sn_world *world = sn_live_world(l->live);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.5);
    must(l, "{\"do\": \"pause\"}");
    uint64_t end_step = sn_world_step_count(world), end_hash = sn_world_hash(world);
    step(l, -50);
    step(l, 53);
    assert_int_equal(sn_world_step_count(world), end_step + 3);
    must(l, "{\"do\": \"seek\", \"time\": 0.2}");
    sn_live_advance(l->live, 0.0);
    uint64_t there = sn_world_step_count(world);
    assert_int_equal(there, 48);
    must(l, "{\"do\": \"continue\"}");
    assert_true(sn_live_is_playing(l->live));
    for (int i = 0; i < 200 && sn_world_step_count(world) < end_step; ++i) {
        sn_live_advance(l->live, 1.0 / 240.0);
    }
    assert_int_equal(sn_world_step_count(world), end_step);
    assert_int_equal(sn_world_hash(world), end_hash); // nobody changed anything
    listen(l);
    assert_true(heard(l, "\"past\": false"));
    // What was played again can be gone back to as well.
    must(l, "{\"do\": \"pause\"}");
    step(l, -(int)(end_step - there));
    assert_int_equal(sn_world_step_count(world), there);
    end(l);
}

// A small budget: old moments go, the newest stays, and memory keeps to it.
static void history_keeps_to_its_budget(void **state)
{
    (void)state;
    listener *l = greet(make_live(2 << 20));
    must(l, "{\"do\": \"open\", \"scene\": \"boxes\"}");
    must(l, "{\"do\": \"speed\", \"factor\": 8}");
    pass(l, 10.0);
    must(l, "{\"do\": \"pause\"}");
    uint64_t last = sn_world_step_count(sn_live_world(l->live));
    assert_true(l->live->history.bytes <= 2 << 20);
    uint64_t count = sn_history_steps(&l->live->history);
    assert_true(count > 100 && count < last);
    uint64_t before = sn_allocation_count();
    must(l, "{\"do\": \"rate\", \"frames\": 0}");
    say(l, "{\"do\": \"play\"}");
    before = sn_allocation_count();
    for (int i = 0; i < 60; ++i) {
        sn_live_advance(l->live, 1.0 / 60.0);
    }
    assert_int_equal(sn_allocation_count(), before);
    must(l, "{\"do\": \"pause\"}");
    step(l, -1000000);
    uint64_t first = sn_world_step_count(sn_live_world(l->live));
    assert_true(first > 0 && first < last + 480);
    end(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_is_exact),       cmocka_unit_test(sparse_histories_are_exact),
        cmocka_unit_test(sleep_is_remembered),    cmocka_unit_test(sheltered_breaths_are_exact),
        cmocka_unit_test(going_on_from_the_past), cmocka_unit_test(history_keeps_to_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
