// Live worlds: every command of docs/protocol.md, the history to the bit, clients that do not take
// what they are sent, memory that runs out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/live.h"
#include "sinew/record.h"

static const char boxes[] =
    "{\"sinew\": 1, \"name\": \"Boxes\", \"description\": \"two boxes on the ground\",\n"
    " \"params\": {\"g\": {\"value\": 9.81, \"min\": 0, \"max\": 20, \"unit\": \"m/s^2\"},\n"
    "  \"size\": {\"value\": 0.2, \"min\": 0.1, \"max\": 0.4}, \"height\": {\"value\": 0.4}},\n"
    " \"gravity\": [0, 0, \"=-g\"],\n"
    " \"bodies\": [\n"
    "  {\"name\": \"ground\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}},\n"
    "  {\"name\": \"low\", \"shape\": {\"type\": \"box\", \"size\": [\"=size\", 0.2, 0.2]},\n"
    "   \"position\": [0, 0, 0.1]},\n"
    "  {\"name\": \"high\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]},\n"
    "   \"position\": [0.03, 0, \"=height\"]}],\n"
    " \"probes\": [{\"name\": \"up\", \"of\": \"high\", \"quantity\": \"position.z\"}],\n"
    " \"run\": {\"step\": \"=1/240\", \"time\": 3}}\n";

static const char leaf[] =
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"leaf\", \"position\": [0, 0, 1],\n"
    "  \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.002, 0.2], \"density\": 500}}],\n"
    " \"joints\": [{\"name\": \"hook\", \"type\": \"ball\", \"parent\": \"world\",\n"
    "  \"child\": \"leaf\", \"at\": [0, 0, 1.1]}],\n"
    " \"camera\": {\"position\": [0, -2, 1], \"target\": [0, 0, 1]},\n"
    " \"run\": {\"step\": \"=1/240\"}}\n";

// ---- a client that keeps what it gets ----

typedef struct listener {
    sn_live *live;
    int client;
    char *texts; // all since the last listen, one after the other
    size_t length;
    int frames, meshes, files;
    uint8_t frame[1 << 16], file[1 << 18]; // the last ones
    size_t frame_size, file_size;
} listener;

static void listen(listener *l)
{
    sn_live_message message;
    l->length = 0;
    l->frames = l->meshes = l->files = 0;
    while (sn_live_take(l->live, l->client, &message)) {
        if (!message.binary) {
            l->texts = realloc(l->texts, l->length + message.size + 2);
            assert_non_null(l->texts);
            memcpy(l->texts + l->length, message.data, message.size);
            l->length += message.size;
            l->texts[l->length++] = '\n';
            l->texts[l->length] = '\0';
            sn_json *json = NULL; // whatever is sent is JSON
            assert_int_equal(sn_json_parse("m", message.data, message.size, &json, NULL), SN_OK);
            sn_json_destroy(json);
            continue;
        }
        uint32_t kind = sn_fetch_u32(message.data);
        assert_true(kind >= 2 && kind <= 4);
        l->frames += kind == 2;
        l->meshes += kind == 3;
        l->files += kind == 4;
        if (kind == 2) {
            assert_true(message.size <= sizeof l->frame);
            memcpy(l->frame, message.data, message.size);
            l->frame_size = message.size;
        } else if (kind == 4) {
            assert_true(message.size <= sizeof l->file);
            memcpy(l->file, message.data, message.size);
            l->file_size = message.size;
        }
    }
    if (l->length == 0 && l->texts != NULL) {
        l->texts[0] = '\0';
    }
}

static bool heard(const listener *l, const char *piece)
{
    return l->texts != NULL && strstr(l->texts, piece) != NULL;
}

static void say(listener *l, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && length < (int)sizeof text);
    sn_live_receive(l->live, l->client, text, (size_t)length, false);
}

// Says it and expects a reply.
#define must(l, ...)                                                                               \
    do {                                                                                           \
        say((l), __VA_ARGS__);                                                                     \
        listen(l);                                                                                 \
        if (heard((l), "\"is\": \"error\"")) {                                                     \
            fail_msg("%s", (l)->texts);                                                            \
        }                                                                                          \
    } while (0)

// Says it and expects an error with these words.
#define refused(l, words, ...)                                                                     \
    do {                                                                                           \
        say((l), __VA_ARGS__);                                                                     \
        listen(l);                                                                                 \
        if (!heard((l), "\"is\": \"error\"") || !heard((l), (words))) {                            \
            fail_msg("no '%s' in: %s", (words), (l)->texts);                                       \
        }                                                                                          \
    } while (0)

static void pass(listener *l, double seconds)
{
    int frames = 0;
    for (int i = 0; i < (int)(60.0 * seconds + 0.5); ++i) {
        sn_live_advance(l->live, 1.0 / 60.0);
        listen(l);
        frames += l->frames;
    }
    l->frames = frames;
}

static void step(listener *l, int count)
{
    say(l, "{\"do\": \"step\", \"count\": %d}", count);
    sn_live_advance(l->live, 0.0);
}

// Lets time pass until a frame is due, in a world that is paused.
static void look(listener *l)
{
    sn_live_advance(l->live, 1.0 / 30.0);
    listen(l);
    assert_int_equal(l->frames, 1);
}

static const sn_live_entry entries[] = {
    {"boxes", "Boxes", "two boxes", "Contact"},
    {"leaf", "Leaf", "", "Mobiles"},
};

static const char *find_scene(void *user, const char *name, char path[1024], size_t *length)
{
    (void)user;
    const char *text = strcmp(name, "boxes") == 0 ? boxes : strcmp(name, "leaf") == 0 ? leaf : NULL;
    snprintf(path, 1024, "shelf/%s.json", name);
    *length = text != NULL ? strlen(text) : 0;
    return text;
}

static sn_live *make_live(size_t history)
{
    sn_live_def def = sn_default_live_def();
    def.scenes = entries;
    def.scene_count = 2;
    def.find_scene = find_scene;
    def.history_bytes = history;
    sn_live *live = NULL;
    assert_int_equal(sn_live_create(&def, &live, NULL), SN_OK);
    return live;
}

static listener *join(sn_live *live)
{
    listener *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->live = live;
    l->client = sn_live_join(live, NULL);
    assert_true(l->client > 0);
    return l;
}

static void part(listener *l)
{
    sn_live_leave(l->live, l->client);
    free(l->texts);
    free(l);
}

static listener *greet(sn_live *live)
{
    listener *l = join(live);
    must(l, "{\"do\": \"hello\", \"protocol\": 1}");
    return l;
}

static listener *open_scene(const char *name)
{
    listener *l = greet(make_live(8 << 20));
    must(l, "{\"do\": \"open\", \"scene\": \"%s\", \"play\": false, \"id\": 1}", name);
    return l;
}

static void end(listener *l)
{
    sn_live *live = l->live;
    part(l);
    sn_live_destroy(live);
}

static double number_at(const listener *l, size_t offset)
{
    double value;
    memcpy(&value, l->frame + offset, sizeof value);
    return value;
}

static float float_at(const listener *l, size_t offset)
{
    float value;
    memcpy(&value, l->frame + offset, sizeof value);
    return value;
}

static uint32_t count_at(const listener *l, int index)
{
    return sn_fetch_u32(l->frame + 40 + 4 * index);
}

static sn_body body_of(const listener *l, const char *name)
{
    return sn_world_find_body(sn_live_world(l->live), name);
}

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

// ---- params and reloading ----

static void params_act_while_it_runs(void **state)
{
    (void)state;
    listener *l = open_scene("boxes"), *other = greet(l->live);
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.1);
    must(l, "{\"do\": \"param\", \"name\": \"g\", \"value\": 3, \"id\": 9}");
    assert_true(heard(l, "\"is\": \"reply\", \"id\": 9"));
    listen(other);
    assert_true(heard(other, "\"is\": \"params\", \"values\": {\"g\": 3}"));
    pass(l, 0.1);
    assert_true(fabs(sn_world_gravity(sn_live_world(l->live)).z + 3.0) < 1e-12);
    assert_int_equal(l->live->generation, 1);
    // One that reshapes a body: built anew, the state goes on.
    double time = sn_world_time(sn_live_world(l->live));
    must(l, "{\"do\": \"param\", \"name\": \"size\", \"value\": 0.3}");
    sn_live_advance(l->live, 0.0);
    listen(l);
    assert_true(heard(l, "built anew, the state goes on"));
    assert_true(heard(l, "\"is\": \"scene\", \"generation\": 2") && heard(l, "\"keeps\": true"));
    assert_true(sn_world_time(sn_live_world(l->live)) == time);
    const sn_shape *shape = sn_body_shape(sn_live_world(l->live), body_of(l, "low"), 0);
    assert_true(fabs(shape->size.x - 0.3) < 1e-12);
    // One that says how things begin waits for the reset.
    must(l, "{\"do\": \"param\", \"name\": \"height\", \"value\": 0.9}");
    sn_live_advance(l->live, 0.0);
    listen(l);
    assert_true(heard(l, "reset to see it"));
    assert_int_equal(l->live->generation, 2);
    must(l, "{\"do\": \"reset\"}");
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    assert_true(fabs(sn_body_centre(sn_live_world(l->live), body_of(l, "high")).z - 0.9) < 1e-12);
    must(l, "{\"do\": \"params\", \"reset\": true}");
    assert_true(heard(l, "{\"g\": 9.81}"));
    refused(l, "expected", "{\"do\": \"param\", \"name\": \"g\", \"value\": 100}");
    refused(l, "nothing", "{\"do\": \"param\", \"name\": \"nothing\", \"value\": 1}");
    part(other);
    end(l);
}

static char *with(const char *from, const char *to)
{
    static char text[sizeof boxes + 64];
    const char *at = strstr(boxes, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - boxes), boxes, to, at + strlen(from));
    return text;
}

static void reloading_keeps_what_it_can(void **state)
{
    (void)state;
    listener *l = open_scene("boxes");
    must(l, "{\"do\": \"play\"}");
    pass(l, 0.2);
    double time = sn_world_time(sn_live_world(l->live));
    sn_vec3 place = sn_body_centre(sn_live_world(l->live), body_of(l, "high"));
    const char *text = with("[0.2, 0.2, 0.2]", "[0.2, 0.3, 0.2]");
    assert_int_equal(sn_live_reload_text(l->live, "b.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    assert_true(heard(l, "\"keeps\": true") && heard(l, "the state goes on"));
    assert_true(sn_world_time(sn_live_world(l->live)) == time && sn_live_is_playing(l->live));
    assert_true(sn_distance(place, sn_body_centre(sn_live_world(l->live), body_of(l, "high"))) <
                1e-12);
    text = with("\"high\", \"shape\"", "\"tall\", \"shape\"");
    assert_int_not_equal(sn_live_reload_text(l->live, "b.json", text, strlen(text), NULL), SN_OK);
    text = with("\"low\", \"shape\"", "\"deep\", \"shape\"");
    assert_int_equal(sn_live_reload_text(l->live, "b.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    assert_true(heard(l, "\"keeps\": false") && heard(l, "starts anew"));
    assert_true(sn_world_time(sn_live_world(l->live)) == 0.0);
    must(l, "{\"do\": \"reload\"}");
    assert_true(heard(l, "\"name\": \"low\"")); // as the list has it
    assert_string_equal(sn_live_source(l->live, 0), "shelf/boxes.json");
    assert_null(sn_live_source(l->live, 1));
    end(l);
}

// ---- hands ----

// A body of mass m on a critically damped spring of w = 2 pi 3: x = 1 - (1 + w t) exp(-w t).
static void a_hand_pulls_with_critical_damping(void **state)
{
    (void)state;
    const char *text =
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"run\": {\"step\": \"=1/960\"}, \"bodies\":"
        " [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}]}";
    listener *l = greet(make_live(8 << 20));
    assert_int_equal(sn_live_load_text(l->live, "ball.json", text, strlen(text), NULL), SN_OK);
    listen(l);
    must(l, "{\"do\": \"pause\"}");
    must(l, "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0], \"to\": [1, 0, 0]}");
    double w = 6.0 * 3.14159265358979323846;
    for (int i = 1; i <= 40; ++i) {
        step(l, 10);
        double t = i * 10 / 960.0, x = 1.0 - (1.0 + w * t) * exp(-w * t);
        double now = sn_body_centre(sn_live_world(l->live), body_of(l, "ball")).x;
        assert_true(fabs(now - x) < 2e-4);
    }
    look(l);
    assert_int_equal(count_at(l, 3), 1);
    assert_int_equal(sn_fetch_u32(l->frame + 104 + 28), (uint32_t)l->client);
    assert_true(fabs(float_at(l, 104 + 28 + 8 + 12) - 1.0f) < 1e-6f);
    assert_true(number_at(l, 72 + 16) > 0.0); // stored in the spring
    must(l, "{\"do\": \"release\"}");
    step(l, 1);
    look(l);
    assert_int_equal(count_at(l, 3), 0);
    refused(l, "nothing is grabbed", "{\"do\": \"drag\", \"to\": [0, 0, 0]}");
    end(l);
}

static void hands_are_checked(void **state)
{
    (void)state;
    listener *l = open_scene("boxes"), *other = greet(l->live);
    refused(l, "does not move",
            "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0], \"to\": [0, 0, 0]}");
    refused(l, "out of range",
            "{\"do\": \"grab\", \"body\": 3, \"point\": [0, 0, 0], \"to\": [0, 0, 0]}");
    refused(l, "three numbers",
            "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0], \"to\": [0, 0, 0]}");
    refused(l, "three numbers",
            "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 1e99], \"to\": [0, 0, 0]}");
    refused(l, "missing", "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 0]}");
    must(l, "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 0], \"to\": [0, 0, 1]}");
    must(other, "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0], \"to\": [0, 0, 2]}");
    must(l, "{\"do\": \"play\"}");
    pass(l, 1.0);
    assert_int_equal(count_at(l, 3), 2);
    assert_true(sn_body_centre(sn_live_world(l->live), body_of(l, "high")).z > 1.0);
    int fields = sn_world_field_count(sn_live_world(l->live));
    part(other); // who leaves lets go
    pass(l, 0.1);
    assert_int_equal(count_at(l, 3), 1);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), fields - 1);
    end(l);
}

// ---- breath ----

static double leaf_angle(const listener *l)
{
    sn_transform frame = sn_body_transform(sn_live_world(l->live), body_of(l, "leaf"));
    return sn_distance(sn_rotate(frame.rotation, sn_vec3_make(0.0, 0.0, 1.0)),
                       sn_vec3_make(0.0, 0.0, 1.0));
}

static double most_of_angle(listener *l, double seconds)
{
    double most = 0.0;
    for (int i = 0; i < (int)(60.0 * seconds); ++i) {
        pass(l, 1.0 / 60.0);
        most = fmax(most, leaf_angle(l));
    }
    return most;
}

// Deep noise, as of wind on a microphone: a sum of low tones.
static void send_samples(listener *l, double seconds, double level, double *phase)
{
    enum { RATE = 8000 };
    static uint8_t message[8 + 4 * RATE];
    int count = (int)(seconds * RATE);
    sn_store_u32(message, 1);
    sn_store_u32(message + 4, RATE);
    for (int i = 0; i < count; ++i) {
        double t = *phase + (double)i / RATE;
        float sample =
            (float)(level * (sin(2.0 * 3.14159265 * 61.0 * t) + sin(2.0 * 3.14159265 * 97.0 * t)));
        memcpy(message + 8 + 4 * i, &sample, 4);
    }
    *phase += seconds;
    assert_true(sn_live_receive(l->live, l->client, message, 8 + 4 * (size_t)count, true));
}

static void a_breath_moves_the_leaf(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    must(l, "{\"do\": \"play\"}");
    pass(l, 1.0);
    assert_true(leaf_angle(l) < 1e-3);
    must(l, "{\"do\": \"show\", \"wind\": true, \"joints\": true}");
    must(l,
         "{\"do\": \"wind\", \"from\": [0, -1, 0.5], \"towards\": [0, 0, 1], \"kind\": \"cone\"}");
    must(l, "{\"do\": \"breath\", \"full\": 4}");
    must(l, "{\"do\": \"blow\", \"strength\": 1}");
    assert_true(most_of_angle(l, 1.0) > 0.05);
    assert_int_equal(count_at(l, 6), 216);
    assert_int_equal(count_at(l, 2), 1);
    must(l, "{\"do\": \"blow\", \"strength\": 0}");
    pass(l, 4.0);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), 0);
    refused(l, "gale",
            "{\"do\": \"wind\", \"from\": [0, 0, 0], \"towards\": [0, 0, 1], \"kind\": \"gale\"}");
    refused(l, "same place", "{\"do\": \"wind\", \"from\": [0, 0, 0], \"towards\": [0, 0, 0]}");
    end(l);
}

static void a_microphone_moves_the_leaf(void **state)
{
    (void)state;
    listener *l = open_scene("leaf");
    double phase = 0.0;
    refused(l, "it is off", "{\"do\": \"microphone\", \"state\": \"calibrate\"}");
    refused(l, "rate", "{\"do\": \"microphone\", \"state\": \"on\", \"rate\": 100}");
    must(l, "{\"do\": \"microphone\", \"state\": \"on\", \"rate\": 8000}");
    must(l, "{\"do\": \"breath\", \"full\": 5}");
    must(l, "{\"do\": \"play\"}");
    must(l, "{\"do\": \"microphone\", \"state\": \"calibrate\"}");
    for (int i = 0; i < 150; ++i) {
        send_samples(l, 1.0 / 60.0, 1e-4, &phase);
        pass(l, 1.0 / 60.0);
    }
    assert_true(leaf_angle(l) < 1e-3);
    assert_true(heard(l, "\"calibrated\": true") || l->live->clients[0]->breath.calibrated);
    double blown = 0.0;
    for (int i = 0; i < 60; ++i) {
        send_samples(l, 1.0 / 60.0, 0.2, &phase);
        pass(l, 1.0 / 60.0);
        blown = fmax(blown, leaf_angle(l));
    }
    assert_true(blown > 0.05);
    // Samples that stop coming are no wind that goes on for ever.
    pass(l, 1.0);
    assert_int_equal(sn_world_field_count(sn_live_world(l->live)), 0);
    must(l, "{\"do\": \"microphone\", \"state\": \"off\"}");
    uint8_t bad[12] = {1, 0, 0, 0, 0x40, 0x1f};
    sn_live_receive(l->live, l->client, bad, 12, true);
    listen(l);
    assert_true(heard(l, "microphone is off"));
    sn_live_receive(l->live, l->client, bad, 7, true);
    listen(l);
    assert_true(heard(l, "no block of samples"));
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

// A body that flies apart: paused, told, and the past is still there.
static void failed_steps_pause(void **state)
{
    (void)state;
    const char *text =
        "{\"sinew\": 1, \"params\": {\"k\": {\"value\": 1}}, \"run\": {\"step\": 0.01}, "
        "\"bodies\": "
        "[{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}], \"fields\": "
        "[{\"name\": \"s\", \"type\": \"spring\", \"a\": \"a\", \"b\": \"world\", \"point_b\": [0, "
        "0, 1], "
        "\"stiffness\": \"=k\", \"rest_length\": 0.5}]}";
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
        cmocka_unit_test(budget_is_kept),
        cmocka_unit_test(history_is_exact),
        cmocka_unit_test(sparse_histories_are_exact),
        cmocka_unit_test(sleep_is_remembered),
        cmocka_unit_test(going_on_from_the_past),
        cmocka_unit_test(history_keeps_to_its_budget),
        cmocka_unit_test(params_act_while_it_runs),
        cmocka_unit_test(reloading_keeps_what_it_can),
        cmocka_unit_test(a_hand_pulls_with_critical_damping),
        cmocka_unit_test(hands_are_checked),
        cmocka_unit_test(a_breath_moves_the_leaf),
        cmocka_unit_test(a_microphone_moves_the_leaf),
        cmocka_unit_test(frames_have_what_was_asked_for),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(failed_steps_pause),
        cmocka_unit_test(files_are_made_of_the_past),
        cmocka_unit_test(slow_clients_hold_nothing_up),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
