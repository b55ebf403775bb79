// Live worlds and their past: every step can be gone back to, to the bit.
#include "live_client.h"

// ---- the past ----

// What the next status says of counters: those that are not 0, in order.
static void assert_counters(listener *l, const sn_history_counters *counters)
{
    char pieces[2000];
    int used = snprintf(pieces, sizeof pieces, "\"counters\": {\"steps\": %u, \"list\": [",
                        (unsigned)counters->steps);
    bool first = true;
    for (int i = 0; i < SN_COUNTER_COUNT; ++i) {
        if (counters->each[i] > 0) {
            used += snprintf(pieces + used, sizeof pieces - (size_t)used,
                             "%s{\"name\": \"%s\", \"steps\": %u, \"text\": \"%s\"}",
                             first ? "" : ", ", sn_counter_word((sn_counter)i),
                             (unsigned)counters->each[i], sn_counter_text((sn_counter)i));
            first = false;
        }
    }
    snprintf(pieces + used, sizeof pieces - (size_t)used, "]}");
    sn_live_advance(l->live, 0.25); // a status is due
    listen(l);
    if (!heard(l, pieces)) {
        fail_msg("no %s in %s", pieces, l->texts);
    }
}

// Steps with counters are counted as `sinew run` counts them, up to the time
// that is shown: back in the past there were fewer, and what is taken again is not counted twice.
static void steps_with_counters_are_counted(void **state)
{
    (void)state;
    enum { COUNT = 60, MIDDLE = 31 };
    listener *l = open_scene("shot");
    sn_history_counters counters[COUNT + 1] = {{0}};
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    assert_int_equal(sn_scene_load_text("t", shot, strlen(shot), NULL, &scene, NULL), SN_OK);
    assert_int_equal(sn_scene_build(scene, &world, NULL), SN_OK);
    for (int i = 1; i <= COUNT; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60.0, NULL), SN_OK);
        sn_step_report report = sn_world_report(world);
        counters[i] = counters[i - 1];
        bool any = false;
        for (int k = 0; k < SN_COUNTER_COUNT; ++k) {
            bool counts = sn_step_report_count(&report, (sn_counter)k) > 0;
            counters[i].each[k] += counts;
            any = any || counts;
        }
        counters[i].steps += any;
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    const uint32_t *middle = counters[MIDDLE].each;
    assert_true(middle[SN_COUNTER_RESTORED] > 3 && middle[SN_COUNTER_VELOCITY_SCALED] > 3);
    assert_true(counters[COUNT].steps > counters[MIDDLE].steps);
    for (int i = 0; i < COUNT / 4; ++i) {
        step(l, 4); // moments are some steps apart
    }
    assert_counters(l, &counters[COUNT]);
    step(l, MIDDLE - COUNT);
    assert_counters(l, &counters[MIDDLE]);
    must(l, "{\"do\": \"continue\"}");
    must(l, "{\"do\": \"pause\"}");
    step(l, COUNT - MIDDLE);
    assert_counters(l, &counters[COUNT]);
    must(l, "{\"do\": \"reset\"}");
    assert_counters(l, &counters[0]);
    end(l);
}

// Inverted elements are reported in a sentence, with their number; in the next scene, too, be it in
// its very first steps.
static void inverted_elements_are_reported(void **state)
{
    (void)state;
    listener *l = open_scene("shot");
    for (int i = 0; i < 3; ++i) {
        step(l, 1);
        listen(l);
        sn_step_report report = sn_world_report(sn_live_world(l->live));
        assert_true(report.inverted > 1);
        char sentence[80];
        snprintf(sentence, sizeof sentence, "\"%d elements of 'cube' are inverted\"",
                 report.inverted);
        assert_true(heard(l, sentence));
        must(l, i == 0 ? "{\"do\": \"open\", \"scene\": \"shot\", \"play\": false, \"id\": 1}"
                       : "{\"do\": \"reset\"}");
    }
    end(l);
}

// A break in the first step of a scene is told, although one was broken in the last as well.
static void breaks_are_told_in_each_scene(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    for (int i = 0; i < 2; ++i) {
        must(l, "{\"do\": \"open\", \"name\": \"weak.json\", \"play\": false, \"text\": "
                "\"{\\\"sinew\\\": 1, \\\"bodies\\\": [{\\\"name\\\": \\\"ball\\\", "
                "\\\"shape\\\": {\\\"type\\\": \\\"sphere\\\", \\\"radius\\\": 0.1}}], "
                "\\\"joints\\\": [{\\\"name\\\": \\\"thread\\\", \\\"type\\\": \\\"ball\\\", "
                "\\\"parent\\\": \\\"world\\\", \\\"child\\\": \\\"ball\\\", "
                "\\\"break_force\\\": 0.01}]}\"}");
        step(l, 1);
        listen(l);
        assert_true(heard(l, "1 joint is broken, 'thread' the last in the scene"));
    }
    end(l);
}

// A host may let time pass before it takes what a command brought. What then happens in the new
// scene is told after the scene, to clients that forget what was told of the old one; the reply to
// `open` and what was told before come first.
static void news_come_after_their_scene(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    say(l, "{\"do\": \"param\", \"name\": \"no such\", \"value\": 1, \"id\": 7}");
    say(l, "{\"do\": \"open\", \"scene\": \"shot\", \"play\": false, \"id\": 8}");
    step(l, 1);
    say(l, "{\"do\": \"pause\", \"id\": 9}");
    listen(l);
    static const char *const order[] = {"\"id\": 7",    "\"id\": 8", "\"is\": \"scene\"",
                                        "are inverted", "\"id\": 9", "\"is\": \"status\""};
    const char *last = l->texts;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
        const char *at = strstr(last, order[i]);
        if (at == NULL) {
            fail_msg("no %s at its place in %s", order[i], l->texts);
        }
        last = at;
    }
    end(l);
}

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
    listener *l = greet(make_live(1 << 17));
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
    enum { BUDGET = 3 << 16 };
    listener *l = greet(make_live(BUDGET));
    must(l, "{\"do\": \"open\", \"scene\": \"boxes\"}");
    must(l, "{\"do\": \"speed\", \"factor\": 8}");
    pass(l, 10.0);
    must(l, "{\"do\": \"pause\"}");
    uint64_t last = sn_world_step_count(sn_live_world(l->live));
    assert_true(l->live->history.bytes <= BUDGET);
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

// ---- thinning ----

enum {
    CHANGE = 1000,
    TOUCH = 777
}; // steps from one change of what acts to the next, and of touches

// A moment after each step, made up so that everything in it follows from the step.
static sn_status add_made_up(sn_history *history, uint64_t step, size_t size)
{
    static unsigned char bytes[1 << 18];
    assert_true(size <= sizeof bytes);
    memset(bytes, (int)(step % 251), size);
    uint64_t acting = step / CHANGE;
    sn_history_step taken = {1.0, (double)step, step * step};
    sn_history_moment moment = {
        .step = step, .time = (double)step, .touched = step % TOUCH == 0, .plan.planned = step};
    moment.parts[SN_HISTORY_STATE] = (sn_history_part){bytes, size};
    moment.parts[SN_HISTORY_INPUTS] = (sn_history_part){&acting, sizeof acting};
    moment.parts[SN_HISTORY_STEPS] = (sn_history_part){&taken, sizeof taken};
    return sn_history_add(history, &moment, NULL);
}

// Everything of a moment is that of its step, and of its steps; gives where these begin.
static uint64_t check_made_up(const sn_history_moment *moment, size_t size)
{
    const unsigned char *bytes = moment->parts[SN_HISTORY_STATE].data;
    assert_int_equal(moment->parts[SN_HISTORY_STATE].size, size);
    assert_int_equal(bytes[0], moment->step % 251);
    assert_int_equal(bytes[size - 1], moment->step % 251);
    assert_int_equal(moment->plan.planned, moment->step);
    const sn_history_part *part = &moment->parts[SN_HISTORY_STEPS];
    const sn_history_step *steps = part->data;
    uint64_t count = part->size / sizeof *steps, first = moment->step + 1 - count;
    assert_true(count >= 1 && count <= SN_HISTORY_STRETCH);
    assert_true(moment->touched == (first % TOUCH == 0));
    uint64_t acting = 0;
    memcpy(&acting, moment->parts[SN_HISTORY_INPUTS].data, sizeof acting);
    for (uint64_t i = 0; i < count; ++i) {
        assert_int_equal(steps[i].hash, (first + i) * (first + i));
        assert_int_equal((first + i) / CHANGE, acting);
        assert_true(i == 0 || (first + i) % TOUCH != 0); // what is touched begins a moment
    }
    return first;
}

static void check_history(const sn_history *history, uint64_t last, size_t size)
{
    int count = sn_history_count(history);
    sn_history_moment moment;
    uint64_t before = 0;
    for (int i = 0; i < count; ++i) {
        sn_history_moment_at(history, i, &moment);
        uint64_t first = check_made_up(&moment, size);
        assert_true(i == 0 || first == before + 1); // no step is missing
        assert_int_equal(sn_history_find(history, moment.step), i);
        assert_int_equal(sn_history_find(history, first), i);
        before = moment.step;
    }
    assert_int_equal(before, last);
    assert_true(history->bytes <= history->budget);
}

// A full history reaches farther than its moments would if all were kept, the newest lie as close
// as ever, and nothing is allocated any more; with many moments in a block, and with one.
static void old_moments_are_thinned(void **state)
{
    (void)state;
    static const struct {
        size_t budget, size;
    } cases[] = {{1 << 20, 300}, {1 << 20, 5000}, {1 << 20, 15000}, {5 << 20, 100000}};
    for (int k = 0; k < 4; ++k) {
        sn_history history = {.budget = cases[k].budget};
        size_t size = cases[k].size;
        uint64_t alike = cases[k].budget / size, last = 16 * alike, allocations = 0;
        for (uint64_t step = 1; step <= last; ++step) {
            assert_int_equal(add_made_up(&history, step, size), SN_OK);
            if (step % (1 + last / 40) == 0) {
                check_history(&history, step, size);
            }
            if (step == 13 * alike) {
                allocations = sn_allocation_count();
            }
        }
        check_history(&history, last, size);
        assert_int_equal(sn_allocation_count(), allocations);
        uint64_t reach = sn_history_steps(&history);
        assert_true((double)reach > (size < 1000 ? 2.0 : 3.0) * (double)alike);
        sn_history_moment moment;
        sn_history_moment_at(&history, sn_history_count(&history) - (int)(alike / 10), &moment);
        assert_true(moment.step > last - alike / 5);

        // Cut in the midst of what is thinned, it goes on from there.
        int middle = sn_history_count(&history) / 3;
        sn_history_moment_at(&history, middle, &moment);
        uint64_t from = moment.step;
        sn_history_cut(&history, middle);
        check_history(&history, from, size);
        for (uint64_t step = from + 1; step <= from + 3 * alike; ++step) {
            assert_int_equal(add_made_up(&history, step, size), SN_OK);
        }
        check_history(&history, from + 3 * alike, size);
        sn_history_free(&history);
    }
}

// Where memory runs out, a history is shorter, and whole.
static void thinning_without_memory(void **state)
{
    (void)state;
    enum { SIZE = 5000, LAST = 1000 };
    for (int k = 1; k < 60; k += 3) {
        sn_history history = {.budget = 1 << 20};
        uint64_t step = 1;
        assert_int_equal(add_made_up(&history, step, SIZE), SN_OK);
        sn_allocation_fail_after(k);
        for (++step; step <= LAST && add_made_up(&history, step, SIZE) == SN_OK; ++step) {
        }
        sn_allocation_fail_after(-1);
        if (sn_history_count(&history) > 0) { // else not even one moment did fit
            check_history(&history, step - 1, SIZE);
        }
        for (; step <= LAST; ++step) {
            assert_int_equal(add_made_up(&history, step, SIZE), SN_OK);
        }
        check_history(&history, LAST, SIZE);
        sn_history_free(&history);
    }
}

// Steps of a real world in the thinned part of its past, to the bit.
static void thinned_histories_are_exact(void **state)
{
    (void)state;
    enum { ADVANCES = 1500, BUDGET = 3 << 16 };
    listener *l = greet(make_live(BUDGET));
    must(l, "{\"do\": \"open\", \"scene\": \"boxes\"}");
    const sn_world *world = sn_live_world(l->live);
    static uint64_t hashes[ADVANCES], steps[ADVANCES];
    for (int i = 0; i < ADVANCES; ++i) {
        if (i % 100 == 50) {
            must(l, "{\"do\": \"grab\", \"body\": 2, \"point\": [0.05, 0, 0], \"to\": [0, 0, 1]}");
        } else if (i % 100 == 60) {
            must(l, "{\"do\": \"release\"}");
        } else if (i % 200 == 120) {
            must(l, "{\"do\": \"param\", \"name\": \"g\", \"value\": %d}", 5 + i / 200);
        }
        sn_live_advance(l->live, 1.0 / 60.0);
        hashes[i] = sn_world_hash(world);
        steps[i] = sn_world_step_count(world);
    }
    must(l, "{\"do\": \"pause\"}");
    uint64_t first = steps[ADVANCES - 1] + 1 - sn_history_steps(&l->live->history);
    sn_history_moment moment;
    sn_history_moment_at(&l->live->history, 3, &moment);
    assert_true(first > 0 && moment.parts[SN_HISTORY_STEPS].size > 32 * sizeof(sn_history_step));
    for (int i = 0; i < 200; ++i) {
        int target = (i * 739 + 11) % ADVANCES;
        if (steps[target] >= first) {
            step(l, (int)(steps[target] - sn_world_step_count(world)));
            assert_int_equal(sn_world_step_count(world), steps[target]);
            assert_int_equal(sn_world_hash(world), hashes[target]);
        }
    }
    end(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_moments_are_thinned),
        cmocka_unit_test(thinning_without_memory),
        cmocka_unit_test(thinned_histories_are_exact),
        cmocka_unit_test(history_is_exact),
        cmocka_unit_test(sparse_histories_are_exact),
        cmocka_unit_test(sleep_is_remembered),
        cmocka_unit_test(sheltered_breaths_are_exact),
        cmocka_unit_test(going_on_from_the_past),
        cmocka_unit_test(history_keeps_to_its_budget),
        cmocka_unit_test(steps_with_counters_are_counted),
        cmocka_unit_test(inverted_elements_are_reported),
        cmocka_unit_test(breaks_are_told_in_each_scene),
        cmocka_unit_test(news_come_after_their_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
