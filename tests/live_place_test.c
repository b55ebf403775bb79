// What hands move in a live world while its clock stands still, and what the history makes of it.
#include "live_client.h"
#include "sinew/elastic.h"

static sn_vec3 centre(const listener *l, const char *name)
{
    return sn_body_centre(sn_live_world(l->live), body_of(l, name));
}

static void drag_to(listener *l, double x, double y, double z)
{
    must(l, "{\"do\": \"drag\", \"to\": [%.17g, %.17g, %.17g]}", x, y, z);
    sn_live_advance(l->live, 1.0 / 60.0);
}

// Its middle, where it stands.
static void take(listener *l, int body, const char *name)
{
    sn_vec3 at = centre(l, name);
    must(l, "{\"do\": \"grab\", \"body\": %d, \"point\": [0, 0, 0], \"to\": [%.17g, %.17g, %.17g]}",
         body, at.x, at.y, at.z);
}

static uint64_t hash(const listener *l)
{
    return sn_world_hash(sn_live_world(l->live));
}

static void drag_moves_while_paused(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    take(l, 2, "high");
    drag_to(l, 0.5, 0.25, 0.75);
    look(l); // a frame shows it
    assert_true(sn_distance(centre(l, "high"), sn_vec3_make(0.5, 0.25, 0.75)) < 1e-12);
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    sn_vec3 low = centre(l, "low");
    // The last bit of the way is not lost when the hand lets go before the next advance.
    must(l, "{\"do\": \"drag\", \"to\": [1, 0.25, 0.75]}");
    must(l, "{\"do\": \"release\"}");
    assert_true(sn_distance(centre(l, "high"), sn_vec3_make(1.0, 0.25, 0.75)) < 1e-12);
    assert_true(sn_distance(centre(l, "low"), low) == 0.0);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.25);
    sn_vec3 falls = centre(l, "high");
    assert_true(fabs(falls.x - 1.0) < 1e-9 && fabs(falls.z - (0.75 - 0.5 * 9.81 * 0.0625)) < 0.02);
    end(l);
}

static void pausing_moves_nothing(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    take(l, 0, "leaf");
    must(l, "{\"do\": \"play\"}");
    must(l, "{\"do\": \"drag\", \"to\": [0.1, 0.1, 1.1]}");
    pass(l, 0.1);
    must(l, "{\"do\": \"pause\"}");
    uint64_t before = hash(l);
    pass(l, 0.2);
    assert_true(hash(l) == before); // though the hand is ahead of what it pulls
    drag_to(l, 0.1, 0.1, 1.05);
    assert_true(hash(l) != before);
    end(l);
}

static void one_step_back_undoes_it(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    step(l, 12);
    uint64_t before = hash(l);
    take(l, 0, "leaf");
    drag_to(l, 0.05, 0.03, 1.02);
    drag_to(l, 0.05, 0.06, 1.03);
    must(l, "{\"do\": \"release\"}");
    assert_true(hash(l) != before);
    step(l, -1);
    assert_true(hash(l) == before && sn_world_step_count(sn_live_world(l->live)) == 12);
    step(l, -1);
    assert_int_equal(sn_world_step_count(sn_live_world(l->live)), 11);
    end(l);
}

// Every step before and after is found again to the bit, by single steps and by seeking.
static void history_has_it(void **state)
{
    (void)state;
    static const char *const scenes[] = {"leaf", "boxes"};
    static const char *const names[] = {"leaf", "high"};
    for (int s = 0; s < 2; ++s) {
        listener *l = open_scene(scenes[s]);
        uint64_t before[21], after[21];
        for (int i = 0; i <= 20; ++i) {
            before[i] = hash(l);
            step(l, i < 20);
        }
        take(l, s == 0 ? 0 : 2, names[s]);
        drag_to(l, 0.06, 0.04, 1.02);
        must(l, "{\"do\": \"release\"}");
        for (int i = 0; i < 20; ++i) {
            step(l, 1);
            after[i] = hash(l);
        }
        for (int i = 19; i >= 0; --i) {
            assert_true(hash(l) == after[i]);
            step(l, -1);
        }
        for (int i = 20; i >= 0; --i) {
            assert_true(hash(l) == before[i]);
            step(l, -1);
        }
        step(l, 25); // forward again, across the place where it was moved
        assert_true(hash(l) == after[4]);
        // Going on from a step between two moments keeps what led there.
        must(l, "{\"do\": \"continue\"}");
        step(l, -3);
        assert_true(hash(l) == after[1]);
        say(l, "{\"do\": \"file\", \"what\": \"recording\", \"id\": 7}");
        listen(l);
        assert_int_equal(l->files, 1);
        end(l);
    }
}

// In the past a hand goes on from there, as a change of params does.
static void hands_in_the_past_go_on_from_there(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    step(l, 30);
    step(l, -10);
    take(l, 0, "leaf");
    drag_to(l, 0.05, 0.05, 1.02);
    must(l, "{\"do\": \"release\"}");
    assert_int_equal(sn_world_step_count(sn_live_world(l->live)), 20);
    step(l, 5);
    assert_int_equal(sn_world_step_count(sn_live_world(l->live)), 25);
    step(l, 100);
    step(l, -1000);
    assert_int_equal(sn_world_step_count(sn_live_world(l->live)), 0);
    end(l);
}

// Histories that are thinned keep the moments around it.
static void thinned_histories_keep_it(void **state)
{
    (void)state;
    listener *l = greet(make_live(1 << 16));
    must(l, "{\"do\": \"open\", \"scene\": \"leaf\", \"play\": false}");
    for (int i = 0; i < 40; ++i) {
        take(l, 0, "leaf");
        drag_to(l, 0.05 * cos(i), 0.05 * sin(i), 1.02);
        must(l, "{\"do\": \"release\"}");
        step(l, 7);
    }
    uint64_t end_hash = hash(l);
    step(l, -40);
    uint64_t back = hash(l);
    step(l, 40);
    assert_true(hash(l) == end_hash);
    step(l, -40);
    assert_true(hash(l) == back);
    end(l);
}

// What cannot be moved is told once.
static void refusals_are_told_once(void **state)
{
    (void)state;
    static const char text[] =
        "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"20kPa\"}}, \"bodies\": [\n"
        " {\"name\": \"jelly\", \"type\": \"elastic\", \"material\": \"soft\",\n"
        "  \"integrator\": \"symplectic_euler\",\n"
        "  \"mesh\": {\"type\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]},\n"
        "  \"fixed\": {\"plane\": [-1, 0, 0], \"position\": [-0.5, 0, 0]}}]}\n";
    listener *l = greet(make_live(8 << 20));
    assert_int_equal(sn_live_load_text(l->live, "jelly.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    must(l, "{\"do\": \"pause\"}");
    uint64_t before = hash(l);
    must(l, "{\"do\": \"grab\", \"body\": 0, \"point\": [0.5, 0, 0], \"to\": [0.5, 0, 0]}");
    say(l, "{\"do\": \"drag\", \"to\": [0.8, 0, 0]}");
    sn_live_advance(l->live, 1.0 / 60.0);
    listen(l);
    assert_true(heard(l, "\"is\": \"error\"") && heard(l, "fixed"));
    drag_to(l, 0.9, 0, 0);
    listen(l);
    assert_true(!heard(l, "\"is\": \"error\"") && hash(l) == before);
    end(l);
}

static void elastic_bodies_do_not_crash(void **state)
{
    (void)state;
    listener *l = open_scene("jelly"); // it is fixed
    sn_vec3 corner = sn_vec3_make(0.5, 0.5, 0.5);
    must(l, "{\"do\": \"grab\", \"body\": 0, \"point\": [0.5, 0.5, 0.5], \"to\": [0.5, 0.5, 0.5]}");
    drag_to(l, 0.5, 0.5, 0.7);
    sn_vec3 bent = sn_body_point(sn_live_world(l->live), body_of(l, "jelly"), corner);
    assert_true(sn_distance(bent, sn_vec3_make(0.5, 0.5, 0.7)) < 1e-5);
    uint64_t moved = hash(l);
    step(l, 3);
    uint64_t after = hash(l);
    step(l, -3);
    step(l, 3); // the steps again, from where it was bent to
    assert_true(hash(l) == after && after != moved);
    end(l);
    l = open_scene("two");
    must(l, "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0], \"to\": [0, 0, 0]}");
    drag_to(l, 0.5, -1, 2);
    assert_true(
        sn_distance(sn_body_point(sn_live_world(l->live), body_of(l, "two"), sn_vec3_make(0, 0, 0)),
                    sn_vec3_make(0.5, -1, 2)) < 1e-12);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.1);
    end(l);
}

// ---- recordings ----

// The recording of what is remembered, run again.
static sn_replay replay_of(listener *l)
{
    must(l, "{\"do\": \"file\", \"what\": \"recording\", \"id\": 7}");
    assert_int_equal(l->files, 1);
    size_t at = 12 + ((size_t)sn_fetch_u32(l->file + 8) + 3) / 4 * 4;
    sn_recording *recording = NULL;
    sn_error error = {0};
    assert_int_equal(
        sn_recording_open_bytes("r", l->file + at, l->file_size - at, &recording, &error), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_true(info.complete && info.lost_bytes == 0);
    sn_replay replay;
    if (sn_recording_replay(recording, 1, NULL, NULL, &replay, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(replay.compared, info.step_count);
    sn_recording_close(recording);
    return replay;
}

// Moved before the first step, twice between others, and while others rest on each other.
static void recordings_replay_it(void **state)
{
    (void)state;
    static const char *const scenes[] = {"leaf", "boxes"};
    static const char *const names[] = {"leaf", "high"};
    for (int s = 0; s < 2; ++s) {
        listener *l = open_scene(scenes[s]);
        int body = s == 0 ? 0 : 2;
        take(l, body, names[s]);
        drag_to(l, 0.04, 0.03, 1.01);
        must(l, "{\"do\": \"release\"}");
        step(l, 200);
        for (int i = 0; i < 2; ++i) {
            take(l, body, names[s]);
            drag_to(l, 0.05, 0.02 * i, 1.03);
            drag_to(l, 0.06, 0.02 * i, 1.02);
            must(l, "{\"do\": \"release\"}");
            step(l, 20);
        }
        assert_int_equal(replay_of(l).compared, 240);
        end(l);
    }
}

// Recordings of histories that have forgotten their beginning start among contacts.
static void recordings_start_in_contact(void **state)
{
    (void)state;
    listener *l = greet(make_live(1 << 16));
    must(l, "{\"do\": \"open\", \"scene\": \"boxes\", \"play\": false}");
    for (int i = 0; i < 400; ++i) {
        step(l, 1);
    }
    take(l, 2, "high");
    drag_to(l, 0.04, 0.0, 0.6);
    must(l, "{\"do\": \"release\"}");
    step(l, 10);
    assert_true(replay_of(l).compared < 400);
    end(l);
}

// What slept on a thing that is taken away falls.
static void what_slept_on_it_falls(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    step(l, 720);
    double before = centre(l, "high").z;
    assert_true(fabs(before - 0.3) < 1e-3);
    assert_int_equal(sn_world_report(sn_live_world(l->live)).sleeping, 2);
    take(l, 1, "low");
    drag_to(l, 1.0, 0.0, 0.1);
    must(l, "{\"do\": \"release\"}");
    step(l, 60);
    assert_true(centre(l, "high").z < before - 0.1);
    uint64_t end_hash = hash(l);
    step(l, -61);
    step(l, 61);
    assert_true(hash(l) == end_hash);
    assert_int_equal(replay_of(l).compared, 780);
    end(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_moves_while_paused),
        cmocka_unit_test(pausing_moves_nothing),
        cmocka_unit_test(one_step_back_undoes_it),
        cmocka_unit_test(history_has_it),
        cmocka_unit_test(hands_in_the_past_go_on_from_there),
        cmocka_unit_test(thinned_histories_keep_it),
        cmocka_unit_test(refusals_are_told_once),
        cmocka_unit_test(elastic_bodies_do_not_crash),
        cmocka_unit_test(recordings_replay_it),
        cmocka_unit_test(recordings_start_in_contact),
        cmocka_unit_test(what_slept_on_it_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
