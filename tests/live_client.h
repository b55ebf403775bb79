// What tests of live worlds share: two scenes, and a client that keeps what it gets.
#ifndef SN_TESTS_LIVE_CLIENT_H
#define SN_TESTS_LIVE_CLIENT_H

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

// A leaf behind another, and a mouth before both that blows by itself between 1 s and 2 s.
static const char mouth[] =
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"leaf\", \"position\": [0, 0, 1],\n"
    "  \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.002, 0.2], \"density\": 500}},\n"
    "  {\"name\": \"screen\", \"position\": [0.08, -0.2, 1],\n"
    "  \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.002, 0.2], \"density\": 500}}],\n"
    " \"joints\": [{\"name\": \"hook\", \"type\": \"ball\", \"parent\": \"world\",\n"
    "  \"child\": \"leaf\", \"at\": [0, 0, 1.1]},\n"
    "  {\"name\": \"nail\", \"type\": \"ball\", \"parent\": \"world\",\n"
    "  \"child\": \"screen\", \"at\": [0.08, -0.2, 1.1]}],\n"
    " \"fields\": [{\"type\": \"wind\", \"name\": \"mouth\", \"kind\": \"cone\",\n"
    "  \"breath\": true, \"occlusion\": \"depth\", \"position\": [0, -1, 1],\n"
    "  \"direction\": [0, 2, 0], \"radius\": 0.1, \"length\": 0.3, \"speed\": 3, \"strength\":\n"
    "  {\"type\": \"linear\", \"points\": [[0.99, 0], [1, 1], [2, 1], [2.01, 0]]}}],\n"
    " \"camera\": {\"position\": [0, -2, 1], \"target\": [0, 0, 1]},\n"
    " \"run\": {\"step\": \"=1/240\"}}\n";

// A cube of one cell that hangs on four of its corners.
static const char jelly[] =
    "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"20kPa\", \"colour\": \"#c8321f\"}},\n"
    " \"bodies\": [{\"name\": \"jelly\", \"type\": \"elastic\", \"material\": \"soft\",\n"
    "  \"mesh\": {\"type\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]},\n"
    "  \"fixed\": {\"plane\": [-1, 0, 0], \"position\": [-0.5, 0, 0]}}],\n"
    " \"camera\": {\"position\": [0, -4, 1], \"target\": [0, 0, 0]},\n"
    " \"run\": {\"step\": \"=1/240\"}}\n";

// Two elements that share a face, of two materials.
static const char two[] =
    "{\"sinew\": 1, \"materials\": {\"a\": {\"colour\": \"#d03020\"}, \"b\": {\"colour\": "
    "\"#2040d0\"}},\n"
    " \"bodies\": [{\"name\": \"two\", \"type\": \"elastic\", \"materials\": [\"b\", \"a\"],\n"
    "  \"mesh\": {\"type\": \"listed\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], "
    "[1, 1, 1]],\n"
    "   \"elements\": [[0, 1, 2, 3], [1, 2, 3, 4]], \"regions\": [1, 0]}}]}\n";

// A soft cube shot at a post in steps that are far too long.
static const char shot[] =
    "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"20kPa\"}}, \"bodies\": [\n"
    " {\"name\": \"post\", \"type\": \"static\",\n"
    "  \"shape\": {\"type\": \"box\", \"size\": [0.02, 0.02, 0.4]}},\n"
    " {\"name\": \"cube\", \"type\": \"elastic\", \"material\": \"soft\",\n"
    "  \"position\": [0.02, 0, 0.5], \"velocity\": [0, 0, -20],\n"
    "  \"mesh\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}}],\n"
    " \"run\": {\"step\": \"=1/60\"}}\n";

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

static inline void listen(listener *l)
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

static inline bool heard(const listener *l, const char *piece)
{
    return l->texts != NULL && strstr(l->texts, piece) != NULL;
}

static inline void say(listener *l, const char *format, ...)
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

static inline void pass(listener *l, double seconds)
{
    int frames = 0;
    for (int i = 0; i < (int)(60.0 * seconds + 0.5); ++i) {
        sn_live_advance(l->live, 1.0 / 60.0);
        listen(l);
        frames += l->frames;
    }
    l->frames = frames;
}

static inline void step(listener *l, int count)
{
    say(l, "{\"do\": \"step\", \"count\": %d}", count);
    sn_live_advance(l->live, 0.0);
}

// Lets time pass until a frame is due, in a world that is paused.
static inline void look(listener *l)
{
    sn_live_advance(l->live, 1.0 / 30.0);
    listen(l);
    assert_int_equal(l->frames, 1);
}

static const sn_live_entry entries[] = {
    {"boxes", "Boxes", "two boxes", "Contact"},
    {"leaf", "Leaf", "", "Mobiles"},
    {"mouth", "Mouth", "", "Mobiles"},
    {"jelly", "Jelly", "", "Elastic"},
};

static const char *find_scene(void *user, const char *name, char path[1024], size_t *length)
{
    (void)user;
    const char *text = strcmp(name, "boxes") == 0   ? boxes
                       : strcmp(name, "leaf") == 0  ? leaf
                       : strcmp(name, "mouth") == 0 ? mouth
                       : strcmp(name, "jelly") == 0 ? jelly
                       : strcmp(name, "two") == 0   ? two
                       : strcmp(name, "shot") == 0  ? shot
                                                    : NULL;
    snprintf(path, 1024, "shelf/%s.json", name);
    *length = text != NULL ? strlen(text) : 0;
    return text;
}

static inline sn_live *make_live(size_t history)
{
    sn_live_def def = sn_default_live_def();
    def.scenes = entries;
    def.scene_count = 4;
    def.find_scene = find_scene;
    def.history_bytes = history;
    sn_live *live = NULL;
    assert_int_equal(sn_live_create(&def, &live, NULL), SN_OK);
    return live;
}

static inline listener *join(sn_live *live)
{
    listener *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->live = live;
    l->client = sn_live_join(live, NULL);
    assert_true(l->client > 0);
    return l;
}

static inline void part(listener *l)
{
    sn_live_leave(l->live, l->client);
    free(l->texts);
    free(l);
}

static inline listener *greet(sn_live *live)
{
    listener *l = join(live);
    must(l, "{\"do\": \"hello\", \"protocol\": 1}");
    return l;
}

static inline listener *open_scene(const char *name)
{
    listener *l = greet(make_live(8 << 20));
    must(l, "{\"do\": \"open\", \"scene\": \"%s\", \"play\": false, \"id\": 1}", name);
    return l;
}

static inline void end(listener *l)
{
    sn_live *live = l->live;
    part(l);
    sn_live_destroy(live);
}

static inline double number_at(const listener *l, size_t offset)
{
    double value;
    memcpy(&value, l->frame + offset, sizeof value);
    return value;
}

static inline float float_at(const listener *l, size_t offset)
{
    float value;
    memcpy(&value, l->frame + offset, sizeof value);
    return value;
}

static inline uint32_t count_at(const listener *l, int index)
{
    return sn_fetch_u32(l->frame + 40 + 4 * index);
}

static inline sn_body body_of(const listener *l, const char *name)
{
    return sn_world_find_body(sn_live_world(l->live), name);
}

#endif
