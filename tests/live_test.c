// Live worlds: opening, the clock, what is shown and sent, clients that do not take what they are
// sent, memory that runs out.
#include "live_client.h"
#include "sinew/elastic.h"

// ---- greeting and opening ----

static void greeting_comes_first(void **state)
{
    (void)state;
    listener *l = join(make_live(1 << 20));
    refused(l, "hello", "{\"do\": \"play\"}");
    refused(l, "protocol 7", "{\"do\": \"hello\", \"protocol\": 7}");
    must(l, "{\"do\": \"hello\", \"protocol\": 1, \"id\": 5}");
    assert_true(heard(l, "\"is\": \"welcome\", \"protocol\": 1"));
    assert_true(heard(l, "\"name\": \"boxes\", \"title\": \"Boxes\""));
    assert_true(heard(l, "{\"is\": \"reply\", \"id\": 5}"));
    assert_true(heard(l, "\"is\": \"closed\""));
    refused(l, "no scene is open", "{\"do\": \"play\"}");
    end(l);
}

static void opening_tells_everything(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    assert_true(heard(l, "\"is\": \"scene\", \"generation\": 1, \"name\": \"boxes\""));
    assert_true(heard(l, "\"id\": 2, \"name\": \"high\", \"static\": false"));
    assert_true(heard(l, "\"floor\": {\"height\": 0"));
    assert_true(
        heard(l, "\"name\": \"g\", \"value\": 9.81, \"start\": 9.81, \"min\": 0, \"max\": 20"));
    assert_true(heard(l, "\"probes\": [{\"name\": \"up\", \"unit\": \"m\"}]"));
    assert_true(heard(l, "\"is\": \"reply\", \"id\": 1, \"generation\": 1"));
    assert_true(heard(l, "\"is\": \"status\", \"playing\": false"));
    assert_int_equal(l->meshes, 1); // both boxes have one; the plane is the floor
    assert_int_equal(l->frames, 1);
    assert_int_equal(count_at(l, 0), 3);
    assert_int_equal(l->frame_size, 104 + 3 * 28);
    assert_true(fabs(float_at(l, 104 + 2 * 28 + 8) - 0.4f) < 1e-6f);
    refused(l, "no scene called", "{\"do\": \"open\", \"scene\": \"none\"}");
    must(
        l,
        "{\"do\": \"open\", \"scene\": \"boxes\", \"play\": false, \"params\": {\"height\": 0.7}}");
    assert_true(fabs(float_at(l, 104 + 2 * 28 + 8) - 0.7f) < 1e-6f);
    refused(l, "nonsense",
            "{\"do\": \"open\", \"scene\": \"boxes\", \"params\": {\"nonsense\": 1}}");
    end(l);
}

// A text with mistakes leaves the world as it is, paused; each mistake has its place.
static void broken_texts_lose_nothing(void **state)
{
    (void)state;
    listener *l = open_scene("boxes"), *other = greet(l->live);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.5);
    uint64_t hash = sn_world_hash(sn_live_world(l->live));
    refused(l, "mine.json:1:26",
            "{\"do\": \"open\", \"name\": \"mine.json\", \"text\": "
            "\"{\\\"sinew\\\": 1, \\\"bodies\\\": [{\\\"nam\\\": 2}]}\"}");
    assert_false(sn_live_is_playing(l->live));
    listen(other);
    assert_true(heard(other, "mine.json:1:26"));
    assert_int_equal(sn_world_hash(sn_live_world(l->live)), hash);
    assert_int_equal(sn_live_reload_text(l->live, "boxes.json", "{", 1, NULL), SN_ERROR_SYNTAX);
    listener *late = join(l->live);
    say(late, "{\"do\": \"hello\", \"protocol\": 1}");
    listen(late);
    assert_true(heard(late, "boxes.json:1:"));
    assert_true(strstr(late->texts, "\"is\": \"scene\"") < strstr(late->texts, "boxes.json:1:"));
    assert_int_equal(sn_world_hash(sn_live_world(l->live)), hash);
    // Files are out of reach for a text that a client sends.
    refused(l, "reads no",
            "{\"do\": \"open\", \"name\": \"x.json\", \"text\": "
            "\"{\\\"sinew\\\": 1, \\\"include\\\": \\\"/etc/hostname\\\"}\"}");
    refused(
        l, "reads none",
        "{\"do\": \"open\", \"name\": \"x.json\", \"text\": \"{\\\"sinew\\\": 1, \\\"bodies\\\": "
        "[{\\\"name\\\": \\\"m\\\", \\\"shape\\\": {\\\"type\\\": \\\"mesh\\\", \\\"file\\\": "
        "\\\"/etc/hostname\\\"}}]}\"}");
    must(l, "{\"do\": \"play\"}");
    part(other);
    part(late);
    end(l);
}

// ---- the clock ----

// Nobody steers: the same steps as a run without a live world, to the bit.
static void live_runs_are_plain_runs(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    must(l, "{\"do\": \"play\"}");
    pass(l, 2.0);
    assert_true(l->frames >= 118 && l->frames <= 122);
    uint64_t steps = sn_world_step_count(sn_live_world(l->live));
    assert_true(steps >= 478 && steps <= 481);
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    assert_int_equal(sn_scene_load_text("b", boxes, strlen(boxes), NULL, &scene, NULL), SN_OK);
    assert_int_equal(sn_scene_build(scene, &world, NULL), SN_OK);
    for (uint64_t i = 0; i < steps; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
    }
    assert_int_equal(sn_world_hash(world), sn_world_hash(sn_live_world(l->live)));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    end(l);
}

static void speed_and_rate_are_kept(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    must(l, "{\"do\": \"speed\", \"factor\": 0.25}");
    must(l, "{\"do\": \"rate\", \"frames\": 20}");
    must(l, "{\"do\": \"play\"}");
    pass(l, 2.0);
    assert_true(fabs(sn_world_time(sn_live_world(l->live)) - 0.5) < 0.01);
    assert_true(l->frames >= 38 && l->frames <= 42);
    assert_true(fabs(float_at(l, 24) - 0.25f) < 0.02f);
    refused(l, "out of range", "{\"do\": \"speed\", \"factor\": 100}");
    must(l, "{\"do\": \"rate\", \"frames\": 0}");
    pass(l, 0.5);
    assert_int_equal(l->frames, 0);
    must(l, "{\"do\": \"pause\"}");
    double time = sn_world_time(sn_live_world(l->live));
    pass(l, 0.5);
    assert_true(sn_world_time(sn_live_world(l->live)) == time);
    assert_true(sn_live_is_idle(l->live));
    end(l);
}

// A world is at rest when nothing is owed to anybody, and not before.
static void idle_is_when_nothing_is_owed(void **state)
{
    (void)state;
    listener *l = open_scene("boxes"), *other = greet(l->live);
    must(l, "{\"do\": \"rate\", \"frames\": 10}");
    pass(l, 1.0);
    pass(other, 1.0);
    pass(l, 0.5);
    assert_true(sn_live_is_idle(l->live));
    say(l, "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0], \"to\": [0, 0, 1]}");
    pass(other, 0.5);
    assert_false(sn_live_is_idle(l->live)); // its own frame, and a status
    pass(l, 0.5);
    assert_true(sn_live_is_idle(l->live));
    // Of three quick steps the last frame and status come when their time has, not before.
    for (int i = 0; i < 3; ++i) {
        say(l, "{\"do\": \"step\"}");
        sn_live_advance(l->live, 0.01);
        listen(l);
    }
    assert_false(sn_live_is_idle(l->live));
    int waits = 0, frames = 0;
    bool told = false;
    while (!sn_live_is_idle(l->live) && waits < 100) {
        sn_live_advance(l->live, 0.01);
        listen(l);
        frames += l->frames;
        told = told || heard(l, "\"steps\": 3, \"reached\"");
        listen(other);
        ++waits;
    }
    assert_true(waits > 5 && waits < 30 && frames == 1 && told);
    assert_int_equal(sn_fetch_u32(l->frame + 16), 3);
    must(l, "{\"do\": \"inspect\", \"body\": 1}");
    say(l, "{\"do\": \"ping\", \"t\": 1}");
    assert_false(sn_live_is_idle(l->live));
    pass(l, 0.5);
    pass(other, 0.5);
    assert_true(sn_live_is_idle(l->live));
    part(other);
    end(l);
}

// Messages do not end in a zero.
static bool holds(const void *text, size_t size, const char *piece)
{
    size_t length = strlen(piece);
    for (size_t i = 0; i + length <= size; ++i) {
        if (memcmp((const char *)text + i, piece, length) == 0) {
            return true;
        }
    }
    return false;
}

// Parts of a surface that look alike are told where there are several.
static void surfaces_have_parts(void **state)
{
    (void)state;
    listener *l = open_scene("two");
    sn_live_message message;
    int other = sn_live_join(l->live, NULL);
    static const char hello[] = "{\"do\": \"hello\", \"protocol\": 1}";
    assert_true(sn_live_receive(l->live, other, hello, sizeof hello - 1, false));
    bool blue = false, red = false;
    while (sn_live_take(l->live, other, &message)) {
        blue = blue || (!message.binary &&
                        holds(message.data, message.size,
                              "\"parts\": [{\"first\": 0, \"count\": 3, \"colour\": \"#2040d0\""));
        red = red ||
              (!message.binary && holds(message.data, message.size,
                                        "{\"first\": 3, \"count\": 3, \"colour\": \"#d03020\""));
    }
    assert_true(blue && red);
    sn_live_leave(l->live, other);
    end(l);
}

// Surfaces that bend: what joins their vertices comes with the scene, the vertices with frames.
static void surfaces_bend(void **state)
{
    (void)state;
    listener *l = open_scene("jelly");
    assert_int_equal(count_at(l, 4), 1);
    sn_live_message message;
    int other = sn_live_join(l->live, NULL);
    static const char hello[] = "{\"do\": \"hello\", \"protocol\": 1}";
    assert_true(sn_live_receive(l->live, other, hello, sizeof hello - 1, false));
    bool told = false, joined = false;
    while (sn_live_take(l->live, other, &message)) {
        told = told || (!message.binary &&
                        holds(message.data, message.size,
                              "\"surfaces\": [{\"body\": 0, \"mesh\": 0, \"colour\": \"#c8321f\""));
        if (message.binary && sn_fetch_u32(message.data) == 3) {
            const uint8_t *mesh = message.data;
            // A cube of one cell: each corner once for each of its three sides.
            assert_int_equal(message.size, 24 + 24 * 24 + 12 * 12);
            assert_int_equal(sn_fetch_u32(mesh + 12), 24);
            assert_int_equal(sn_fetch_u32(mesh + 20), 1); // bends
            joined = true;
        }
    }
    assert_true(told && joined);
    sn_live_leave(l->live, other);
    // The vertices come with frames, and where they are the world tells.
    step(l, 20);
    look(l);
    sn_vec3 x[8];
    sn_body cube = sn_world_find_body(l->live->world, "jelly");
    sn_body_read_vertices(l->live->world, cube, x, NULL);
    size_t at = l->frame_size - 8 - 24 * 12;
    assert_int_equal(sn_fetch_u32(l->frame + at), 0);
    assert_int_equal(sn_fetch_u32(l->frame + at + 4), 24);
    for (int i = 0; i < 24; ++i) {
        float p[3] = {float_at(l, at + 8 + 12 * (size_t)i), float_at(l, at + 12 + 12 * (size_t)i),
                      float_at(l, at + 16 + 12 * (size_t)i)};
        int found = 0;
        for (int k = 0; k < 8; ++k) {
            found += p[0] == (float)x[k].x && p[1] == (float)x[k].y && p[2] == (float)x[k].z;
        }
        assert_int_equal(found, 1);
    }
    // What the material stores is told apart from gravity's.
    double stored = sn_body_elastic_report(l->live->world, cube).elastic_energy;
    assert_true(stored > 1e-3 && fabs(number_at(l, 72 + 16) - stored) < 1e-9 * stored);
    // A hand at a corner as it stands holds that corner, and draws it.
    sn_vec3 corner =
        sn_transform_point(sn_transform_inverse(sn_body_transform(l->live->world, cube)), x[7]);
    char text[200];
    snprintf(text, sizeof text,
             "{\"do\": \"grab\", \"body\": 0, \"point\": [%.17g, %.17g, %.17g], \"to\": [3, 0, 1]}",
             corner.x, corner.y, corner.z);
    say(l, "%s", text);
    look(l);
    assert_int_equal(count_at(l, 3), 1);
    at = l->frame_size - 8 - 24 * 12 - 24;
    assert_true(fabs((double)float_at(l, at) - x[7].x) < 1e-6 &&
                fabs((double)float_at(l, at + 8) - x[7].z) < 1e-6);
    step(l, 20);
    sn_vec3 y[8];
    sn_body_read_vertices(l->live->world, cube, y, NULL);
    assert_true(y[7].x > x[7].x + 0.01);
    must(l, "{\"do\": \"open\", \"scene\": \"boxes\", \"play\": false}");
    assert_int_equal(count_at(l, 4), 0);
    end(l);
}

static double fake_clock(void *user)
{
    double *time = user;
    *time += 0.001; // every look at the clock costs a millisecond
    return *time;
}

// A world that is too slow runs slower and says so; it never works longer than its budget.
static void budget_is_kept(void **state)
{
    (void)state;
    double time = 0.0;
    sn_live_def def = sn_default_live_def();
    def.clock = fake_clock;
    def.user = &time;
    def.budget = 0.01;
    sn_live *live = NULL;
    assert_int_equal(sn_live_create(&def, &live, NULL), SN_OK);
    assert_int_equal(sn_live_load_text(live, "leaf.json", leaf, strlen(leaf), NULL), SN_OK);
    listener *l = greet(live);
    must(l, "{\"do\": \"speed\", \"factor\": 64}");
    pass(l, 2.0);
    assert_true(heard(l, "\"slow\": true") || count_at(l, 0) == 1);
    assert_int_equal(sn_fetch_u32(l->frame + 32) & 4, 4);
    uint64_t steps = sn_world_step_count(sn_live_world(live));
    assert_true(steps >= 120 * 8 && steps <= 120 * 12);
    assert_true(float_at(l, 28) > 5.0f); // milliseconds of the engine's work
    end(l);
}

// ---- what is shown ----

static void frames_have_what_was_asked_for(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    must(l, "{\"do\": \"play\"}");
    pass(l, 1.0);
    assert_int_equal(count_at(l, 1), 0);
    must(l, "{\"do\": \"show\", \"contacts\": true}");
    must(l, "{\"do\": \"watch\", \"id\": 3, \"probes\": [\"up\", {\"of\": \"low\", \"quantity\": "
            "\"speed\"}, "
            "{\"quantity\": \"energy.total\"}]}");
    assert_true(heard(l, "\"units\": [\"m\", \"m/s\", \"J\"]"));
    pass(l, 0.1);
    assert_int_equal(count_at(l, 5), 3);
    assert_true(fabs(number_at(l, 104) - 0.3) < 0.01);
    assert_true(number_at(l, 104 + 16) == number_at(l, 72 + 24)); // total energy
    uint32_t contacts = count_at(l, 1);
    assert_int_equal(contacts, 8);
    double weight = 0.0; // on the ground: both boxes
    for (uint32_t i = 0; i < contacts; ++i) {
        size_t at = 104 + 24 + 3 * 28 + 44 * (size_t)i;
        uint32_t a = sn_fetch_u32(l->frame + at);
        weight += a == 0 ? float_at(l, at + 8 + 24 + 8) : 0.0f;
    }
    assert_true(fabs(weight - 2.0 * 8.0 * 9.81) < 0.5);
    must(l, "{\"do\": \"inspect\", \"body\": 2}");
    pass(l, 0.2);
    must(l, "{\"do\": \"inspect\", \"body\": 2}");
    assert_true(heard(l, "\"is\": \"inspected\", \"body\": 2, \"name\": \"high\""));
    assert_true(heard(l, "\"contacts\": 1"));
    must(l, "{\"do\": \"inspect\", \"body\": null}");
    refused(l, "no quantity", "{\"do\": \"watch\", \"probes\": [{\"quantity\": \"colour\"}]}");
    refused(l, "not there", "{\"do\": \"watch\", \"probes\": [\"down\"]}");
    must(l, "{\"do\": \"ping\", \"t\": 12.5}");
    assert_true(heard(l, "\"is\": \"pong\", \"t\": 12.5"));
    end(l);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "7",
        "{\"do\": 3}",
        "{\"do\": \"hallo\"}",
        "{\"go\": \"hello\"}",
        "{\"do\": \"ping\", \"id\": -1, \"t\": 1}",
        "{\"do\": \"ping\", \"id\": 1.5, \"t\": 1}",
        "{\"do\": \"step\", \"count\": 0.5}",
        "{\"do\": \"seek\"}",
        "{\"do\": \"seek\", \"time\": null}",
        "{\"do\": \"rate\", \"frames\": 1000}",
        "{\"do\": \"show\", \"contacts\": 1}",
        "{\"do\": \"file\", \"what\": \"/etc/passwd\"}",
        "{\"do\": \"microphone\", \"state\": \"loud\"}",
        "{\"do\": \"watch\", \"probes\": {}}",
        "{\"do\": \"open\"}",
        "\xff\xfe",
        "{\"do\": \"p\xc3\"}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        assert_true(sn_live_receive(l->live, l->client, texts[i], strlen(texts[i]), false));
        listen(l);
        if (!heard(l, "\"is\": \"error\"")) {
            fail_msg("accepted: %s", texts[i]);
        }
    }
    refused(l, "did you mean \\\"hello\\\"", "{\"do\": \"helo\"}");
    char *large = calloc(1, (8 << 20) + 1);
    assert_non_null(large);
    assert_true(sn_live_receive(l->live, l->client, large, (8 << 20) + 1, false));
    listen(l);
    assert_true(heard(l, "expected at most"));
    free(large);
    assert_false(sn_live_receive(l->live, 99, "{}", 2, false));
    end(l);
}

// A force that is no number: paused, told, and the past is still there.
static void failed_steps_pause(void **state)
{
    (void)state;
    const char *text =
        "{\"sinew\": 1, \"params\": {\"k\": {\"value\": 1}}, \"run\": {\"step\": 0.01}, "
        "\"bodies\": "
        "[{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}], \"fields\": "
        "[{\"name\": \"s\", \"type\": \"spring\", \"a\": \"a\", \"b\": \"world\", \"point_b\": [0, "
        "0, 1], "
        "\"stiffness\": \"=k\", \"rest_length\": \"=k/2\"}]}";
    sn_live *live = make_live(8 << 20);
    listener *l = greet(live);
    sn_error error = {0};
    if (sn_live_load_text(live, "s.json", text, strlen(text), &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    pass(l, 1.0);
    say(l, "{\"do\": \"param\", \"name\": \"k\", \"value\": 1e200}");
    bool told = false;
    for (int i = 0; i < 60 && !told; ++i) {
        sn_live_advance(live, 1.0 / 60.0);
        listen(l);
        told = heard(l, "\"is\": \"error\", \"while\": \"step\"");
    }
    assert_true(told && heard(l, "body 'a'"));
    assert_false(sn_live_is_playing(live));
    step(l, -20);
    listen(l);
    must(l, "{\"do\": \"param\", \"name\": \"k\", \"value\": 1}");
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.5);
    assert_true(sn_live_is_playing(live));
    end(l);
}

// ---- files ----

static const char *file_text(listener *l, const char *what)
{
    must(l, "{\"do\": \"file\", \"what\": \"%s\", \"id\": 77}", what);
    if (l->files != 1) {
        fail_msg("no file %s: %s", what, l->texts);
    }
    assert_int_equal(sn_fetch_u32(l->file + 4), 77);
    uint32_t name = sn_fetch_u32(l->file + 8);
    size_t at = 12 + ((size_t)name + 3) / 4 * 4;
    assert_true(at <= l->file_size && l->file_size < sizeof l->file);
    l->file[l->file_size] = '\0';
    return (const char *)l->file + at;
}

static void files_are_made_of_the_past(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.5);
    must(l, "{\"do\": \"pause\"}");
    assert_memory_equal(file_text(l, "state.csv"), "time[s],up[m]\n0,0.4\n", 20);
    assert_memory_equal(l->file + 12, "boxes-state.csv", 15);
    assert_memory_equal(file_text(l, "energy.csv"), "time[s],kinetic[J],potential[J]", 31);
    assert_non_null(strstr(file_text(l, "state"), "\"bodies\": ["));
    // The scene reads again, from its start or from now.
    double height = sn_body_centre(sn_live_world(l->live), body_of(l, "high")).z;
    const char *texts[2] = {"scene", "scene.now"};
    double heights[2] = {0.4, height};
    for (int i = 0; i < 2; ++i) {
        const char *text = file_text(l, texts[i]);
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        assert_int_equal(sn_scene_load_text("f", text, strlen(text), NULL, &scene, NULL), SN_OK);
        assert_int_equal(sn_scene_build(scene, &world, NULL), SN_OK);
        double z = sn_body_centre(world, sn_world_find_body(world, "high")).z;
        assert_true(fabs(z - heights[i]) < 1e-9);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    // The recording replays to the bit, since nobody steered.
    const char *bytes = file_text(l, "recording");
    size_t length = l->file_size - (size_t)(bytes - (const char *)l->file);
    sn_recording *recording = NULL;
    sn_error error = {0};
    assert_int_equal(sn_recording_open_bytes("r", bytes, length, &recording, &error), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_true(info.complete);
    assert_int_equal(info.step_count, sn_world_step_count(sn_live_world(l->live)));
    sn_replay replay;
    if (sn_recording_replay(recording, 1, NULL, NULL, &replay, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_recording_close(recording);
    end(l);
}

// ---- clients that do not listen ----

static void slow_clients_hold_nothing_up(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    listener *slow = greet(l->live);
    must(l, "{\"do\": \"play\"}");
    pass(l, 2.0);
    listen(slow); // after two seconds: one frame, the newest
    assert_int_equal(slow->frames, 1);
    assert_true(number_at(slow, 8) == sn_world_time(sn_live_world(l->live)));
    // Answers that pile up: the client is lost, the others go on.
    bool taken = true;
    for (int i = 0; i < 200000 && taken; ++i) {
        const char ping[] = "{\"do\": \"ping\", \"t\": 1}";
        taken = sn_live_receive(l->live, slow->client, ping, sizeof ping - 1, false);
    }
    assert_false(taken);
    pass(l, 0.5);
    assert_true(l->frames >= 28);
    part(slow);
    listener *many[SN_LIVE_CLIENT_LIMIT];
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT - 1; ++i) {
        many[i] = greet(l->live);
    }
    sn_error error = {0};
    assert_int_equal(sn_live_join(l->live, &error), 0);
    assert_non_null(strstr(error.text, "no more fit"));
    pass(l, 0.1);
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT - 1; ++i) {
        listen(many[i]);
        assert_int_equal(many[i]->frames, 1);
        part(many[i]);
    }
    end(l);
}

// ---- memory ----

// Every allocation of a session fails once; nothing leaks, and the live world can be used on.
static void memory_may_run_out(void **state)
{
    (void)state;
    static const char *const session[] = {
        "{\"do\": \"hello\", \"protocol\": 1}",
        "{\"do\": \"open\", \"scene\": \"boxes\"}",
        "{\"do\": \"watch\", \"probes\": [\"up\"]}",
        "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 0], \"to\": [0, 0, 1]}",
        "{\"do\": \"blow\", \"strength\": 1}",
        "{\"do\": \"param\", \"name\": \"size\", \"value\": 0.3}",
        "{\"do\": \"file\", \"what\": \"recording\"}",
        "{\"do\": \"reload\"}",
        "{\"do\": \"step\", \"count\": -2}",
    };
    enum { COUNT = sizeof session / sizeof session[0] };
    int64_t stride = 1;
    for (int64_t allowed = 0;; allowed += stride) {
        sn_live_def def = sn_default_live_def();
        def.find_scene = find_scene;
        sn_live *live = NULL;
        sn_allocation_fail_after(allowed);
        uint64_t before = sn_allocation_count();
        sn_status status = sn_live_create(&def, &live, NULL);
        int client = status == SN_OK ? sn_live_join(live, NULL) : 0;
        for (int i = 0; i < COUNT && client > 0; ++i) {
            sn_live_message message;
            sn_live_receive(live, client, session[i], strlen(session[i]), false);
            sn_live_advance(live, 1.0 / 60.0);
            while (sn_live_take(live, client, &message)) {
            }
        }
        bool through = (int64_t)(sn_allocation_count() - before) < allowed;
        sn_allocation_fail_after(-1);
        if (live != NULL) {
            // Afterwards all is as always.
            listener *l = greet(live);
            must(l, "{\"do\": \"open\", \"scene\": \"leaf\"}");
            pass(l, 0.05);
            assert_true(sn_world_step_count(sn_live_world(live)) > 0);
            part(l);
        }
        sn_live_destroy(live);
        if (through) {
            assert_true(allowed > 100);
            break;
        }
        stride = allowed < 60 ? 1 : 7;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greeting_comes_first),
        cmocka_unit_test(opening_tells_everything),
        cmocka_unit_test(broken_texts_lose_nothing),
        cmocka_unit_test(live_runs_are_plain_runs),
        cmocka_unit_test(speed_and_rate_are_kept),
        cmocka_unit_test(idle_is_when_nothing_is_owed),
        cmocka_unit_test(surfaces_have_parts),
        cmocka_unit_test(surfaces_bend),
        cmocka_unit_test(budget_is_kept),
        cmocka_unit_test(frames_have_what_was_asked_for),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(failed_steps_pause),
        cmocka_unit_test(files_are_made_of_the_past),
        cmocka_unit_test(slow_clients_hold_nothing_up),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
