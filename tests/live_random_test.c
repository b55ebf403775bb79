// Thousands of random messages to a live world, legal and not: it goes on answering, in JSON, with
// numbers. The seed is fixed; in the environment:
//
//     SINEW_SOAK=1       10,000 messages instead of a few hundred
//     SINEW_SEED=n       others
//     SINEW_TRACE=1      each is printed before it is sent
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "live/live.h"
#include "sanitized.h"

enum { MOST_SCENES = 100, CLIENTS = 4, MESSAGE_ROOM = 4096, TEXT_ROOM = 1 << 18 };

typedef struct crowd {
    sn_live *live;
    sn_random random;
    int clients[CLIENTS];
    char names[MOST_SCENES][64];
    sn_live_entry entries[MOST_SCENES];
    int scene_count;
    char *text; // of the scene that was asked for last
    double clock;
    int asked; // in the advance under way
    int worlds, errors, frames, pongs;
} crowd;

// ---- what the world asks for ----

// Each look at the clock lets some time pass, so that an advance takes a few steps wherever it
// runs.
static double look_at_clock(void *user)
{
    crowd *c = user;
    return c->clock += 0.004;
}

// Long steps give way, as they do in `sinew view`.
static bool gives_way(void *user)
{
    crowd *c = user;
    return c->asked++ > 2000;
}

static const char *find_scene(void *user, const char *name, char path[1024], size_t *length)
{
    crowd *c = user;
    snprintf(path, 1024, "scenes/%.64s.json", name);
    FILE *file = strchr(name, '/') == NULL ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        return NULL;
    }
    *length = fread(c->text, 1, TEXT_ROOM - 1, file);
    c->text[*length] = '\0';
    fclose(file);
    return c->text;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_scenes(crowd *c)
{
    DIR *folder = opendir("scenes");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".json") == 0 && c->scene_count < MOST_SCENES) {
            snprintf(c->names[c->scene_count++], sizeof c->names[0], "%.*s",
                     (int)(dot - entry->d_name), entry->d_name);
        }
    }
    closedir(folder);
    qsort(c->names, (size_t)c->scene_count, sizeof c->names[0], by_name);
    for (int i = 0; i < c->scene_count; ++i) {
        c->entries[i] = (sn_live_entry){.name = c->names[i], .title = c->names[i]};
    }
}

// ---- random words ----

static int below(crowd *c, int count)
{
    return (int)(sn_random_unit(&c->random) * count);
}

static const char *one_of(crowd *c, const char *const *words, int count)
{
    return words[below(c, count)];
}

#define ONE_OF(c, ...)                                                                             \
    one_of(c, (const char *const[]){__VA_ARGS__},                                                  \
           (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

// Mostly near 0, at times far from it, and now and then no number at all.
static const char *number(crowd *c, char text[64])
{
    double x = 2.0 * sn_random_unit(&c->random) - 1.0;
    int kind = below(c, 24);
    if (kind == 0) {
        snprintf(text, 64, "%s",
                 ONE_OF(c, "null", "\"\"", "1e308", "-1e308", "1e999", "true", "[]", "{}", "-0"));
    } else if (kind == 1) {
        snprintf(text, 64, "%g", 1e9 * x);
    } else {
        snprintf(text, 64, "%.17g", kind < 12 ? x : 3.0 * x);
    }
    return text;
}

static const char *vector(crowd *c, char text[256])
{
    char a[64], b[64], d[64];
    snprintf(text, 256, below(c, 40) == 0 ? "[%s, %s]" : "[%s, %s, %s]", number(c, a), number(c, b),
             number(c, d));
    return text;
}

static int body(crowd *c)
{
    const sn_world *world = sn_live_world(c->live);
    int count = world != NULL ? sn_world_body_count(world) : 0;
    return below(c, 20) == 0 ? below(c, 2000) - 1000 : below(c, count > 0 ? count : 1);
}

static const char *param(crowd *c)
{
    const sn_scene *scene = sn_live_scene(c->live);
    int count = scene != NULL ? sn_scene_param_count(scene) : 0;
    return count == 0 || below(c, 12) == 0 ? "nothing"
                                           : sn_scene_param(scene, below(c, count)).name;
}

// ---- random messages ----

static const char own_scene[] =
    "{\\\"sinew\\\":1,\\\"bodies\\\":[{\\\"name\\\":\\\"a\\\",\\\"shape\\\":{\\\"type\\\":"
    "\\\"sphere\\\",\\\"radius\\\":0.1}}]}";

static void write_clock(crowd *c, char *text)
{
    char a[64];
    switch (below(c, 8)) {
    case 0:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"step\", \"count\": %d}", below(c, 40) - 20);
        return;
    case 1:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"step\", \"count\": %s}", number(c, a));
        return;
    case 2:
    case 3:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"seek\", \"time\": %s}", number(c, a));
        return;
    case 4:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"speed\", \"factor\": %s}", number(c, a));
        return;
    default:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"%s\", \"id\": %d}",
                 ONE_OF(c, "play", "play", "pause", "continue", "reset", "reload"), below(c, 9));
    }
}

static void write_hands(crowd *c, char *text)
{
    char a[256], b[256], n[64];
    switch (below(c, 8)) {
    case 0:
    case 1:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"grab\", \"body\": %d, \"point\": %s, \"to\": %s}",
                 body(c), vector(c, a), vector(c, b));
        return;
    case 2:
    case 3:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"drag\", \"to\": %s}", vector(c, a));
        return;
    case 4:
        snprintf(text, MESSAGE_ROOM,
                 "{\"do\": \"wind\", \"from\": %s, \"towards\": %s, \"kind\": \"%s\"}",
                 vector(c, a), vector(c, b), ONE_OF(c, "cone", "jet", "uniform", "storm"));
        return;
    case 5:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"blow\", \"strength\": %s}", number(c, n));
        return;
    case 6:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"microphone\", \"state\": \"%s\", \"rate\": %d}",
                 ONE_OF(c, "on", "off", "silence", "full", "loud"), below(c, 50000));
        return;
    default:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"release\"}");
    }
}

static void write_shown(crowd *c, char *text)
{
    char n[64];
    switch (below(c, 6)) {
    case 0:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"inspect\", \"body\": %d}", body(c));
        return;
    case 1:
        snprintf(text, MESSAGE_ROOM,
                 "{\"do\": \"show\", \"contacts\": %s, \"joints\": %s, \"wind\": true}",
                 ONE_OF(c, "true", "false", "3"), ONE_OF(c, "true", "false"));
        return;
    case 2:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"rate\", \"frames\": %s}", number(c, n));
        return;
    case 3:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"file\", \"what\": \"%s\"}",
                 ONE_OF(c, "state", "energy", "recording", "scene", "picture"));
        return;
    case 4:
        snprintf(
            text, MESSAGE_ROOM,
            "{\"do\": \"watch\", \"probes\": [{\"of\": \"%s\", \"quantity\": \"%s\"}, \"%s\"]}",
            ONE_OF(c, "world", "ground", "x"),
            ONE_OF(c, "position.z", "energy.total", "speed", "joint.position"), param(c));
        return;
    default:
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"ping\", \"t\": %s}", number(c, n));
    }
}

static void write_message(crowd *c, char *text)
{
    char n[64];
    int kind = below(c, 100);
    if (kind < 4) {
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"open\", \"scene\": \"%s\", \"id\": 1}",
                 below(c, 20) == 0 ? "nowhere" : c->names[below(c, c->scene_count)]);
    } else if (kind < 5) {
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"open\", \"text\": \"%s\"}", own_scene);
    } else if (kind < 12) {
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"param\", \"name\": \"%s\", \"value\": %s}",
                 param(c), number(c, n));
    } else if (kind < 13) {
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"params\", \"values\": {\"%s\": %s}}", param(c),
                 number(c, n));
    } else if (kind < 50) {
        write_clock(c, text);
    } else if (kind < 80) {
        write_hands(c, text);
    } else if (kind < 98) {
        write_shown(c, text);
    } else {
        snprintf(text, MESSAGE_ROOM, "{\"do\": \"hello\", \"protocol\": %d}", below(c, 3));
    }
}

// Some come damaged: cut, with a letter changed, or nothing but noise.
static size_t damage(crowd *c, char *text)
{
    size_t length = strlen(text);
    int kind = below(c, 60);
    if (kind == 0) {
        length = (size_t)below(c, (int)length);
    } else if (kind <= 2) {
        text[below(c, (int)length)] = (char)below(c, 256);
    } else if (kind == 3) {
        length = (size_t)below(c, 400);
        for (size_t i = 0; i < length; ++i) {
            text[i] = (char)below(c, 256);
        }
    }
    return length;
}

// Sound of a microphone, or bytes that look a little like it.
static size_t write_sound(crowd *c, char *text)
{
    uint32_t head[2] = {(uint32_t)(below(c, 4) > 0 ? 1 : below(c, 9)), (uint32_t)below(c, 96000)};
    size_t length = sizeof head;
    memcpy(text, head, sizeof head);
    for (int i = below(c, 500); i > 0; --i, length += sizeof(float)) {
        float sample = below(c, 90) == 0 ? NAN : (float)sn_random_unit(&c->random);
        memcpy(text + length, &sample, sizeof sample);
    }
    return length - (size_t)(below(c, 6) == 0);
}

// ---- the crowd ----

static void take_all(crowd *c, int client)
{
    sn_live_message message;
    while (client != 0 && sn_live_take(c->live, client, &message)) {
        if (message.binary) {
            c->frames += sn_fetch_u32(message.data) == 2;
            continue;
        }
        sn_json *json = NULL;
        assert_int_equal(sn_json_parse("m", message.data, message.size, &json, NULL), SN_OK);
        sn_json_destroy(json);
        char *copy = calloc(1, message.size + 1);
        assert_non_null(copy);
        memcpy(copy, message.data, message.size);
        c->errors += strstr(copy, "\"error\"") != NULL;
        c->worlds += strstr(copy, "\"scene\"") != NULL;
        c->pongs += strstr(copy, "\"pong\"") != NULL;
        free(copy);
    }
}

static void join(crowd *c, int *client)
{
    static const char hello[] = "{\"do\": \"hello\", \"protocol\": 1}";
    *client = sn_live_join(c->live, NULL);
    assert_true(*client > 0);
    assert_true(sn_live_receive(c->live, *client, hello, sizeof hello - 1, false));
}

static void send_one(crowd *c)
{
    char text[MESSAGE_ROOM];
    int *client = &c->clients[below(c, CLIENTS)];
    bool binary = below(c, 30) == 0;
    size_t length;
    if (binary) {
        length = write_sound(c, text);
    } else {
        write_message(c, text);
        length = damage(c, text);
    }
    if (getenv("SINEW_TRACE") != NULL) {
        fprintf(stderr, "%d: %.*s\n", *client, binary ? 5 : (int)length, binary ? "sound" : text);
    }
    if (below(c, 100) == 0 || !sn_live_receive(c->live, *client, text, length, binary)) {
        sn_live_leave(c->live, *client);
        join(c, client);
    }
}

static void test_random_messages(void **state)
{
    (void)state;
    const char *seed = getenv("SINEW_SEED");
    int count = getenv("SINEW_SOAK") != NULL ? 10000 : rounds_of(600, 250);
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->random.seed = seed != NULL ? strtoull(seed, NULL, 10) : 24;
    c->text = malloc(TEXT_ROOM);
    list_scenes(c);
    sn_live_def def = sn_default_live_def();
    def.scenes = c->entries;
    def.scene_count = c->scene_count;
    def.find_scene = find_scene;
    def.clock = look_at_clock;
    def.stop = gives_way;
    def.user = c;
    def.history_bytes = 4 << 20; // so that it thins and drops
    def.threads = 1;
    assert_int_equal(sn_live_create(&def, &c->live, NULL), SN_OK);
    for (int i = 0; i < CLIENTS; ++i) {
        join(c, &c->clients[i]);
    }
    for (int i = 0; i < count; ++i) {
        send_one(c);
        c->asked = 0;
        if (below(c, 3) > 0) {
            sn_live_advance(c->live, 0.03 * sn_random_unit(&c->random));
        }
        for (int k = 0; k < CLIENTS && below(c, 4) > 0; ++k) {
            take_all(c, c->clients[k]);
        }
    }
    int pongs = c->pongs;
    static const char ping[] = "{\"do\": \"ping\", \"t\": 1}";
    int last;
    join(c, &last);
    assert_true(sn_live_receive(c->live, last, ping, sizeof ping - 1, false));
    sn_live_advance(c->live, 0.01);
    take_all(c, last);
    assert_true(c->pongs > pongs);
    // Messages have done something.
    print_message("%d messages: %d scenes told, %d errors, %d frames\n", count, c->worlds,
                  c->errors, c->frames);
    assert_true(c->worlds > 5 && c->errors > 20 && c->frames > 100);
    sn_live_destroy(c->live);
    free(c->text);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
