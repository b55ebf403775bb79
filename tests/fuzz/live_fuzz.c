// Fuzzes a live world: the bytes are messages, one after the other, from two clients. Whatever
// comes, the world must go on, and every text that goes out must be JSON.
//
// A message begins with a byte: bit 0 the client, bit 1 binary, bit 2 lets time pass before it, bit
// 3 lets a quarter of a second of it pass, bit 4 has the client leave and come anew first, bit 5
// has the message be the scene's text, saved anew; then two bytes of length, little-endian.
#include <stdlib.h>
#include <string.h>

#include "scene/json.h"
#include "sinew/live.h"

static const char scene[] =
    "{\"sinew\": 1, \"params\": {\"g\": {\"value\": 9.81, \"min\": 0, \"max\": 20}, \"r\": "
    "{\"value\": 0.1, \"min\": 0.05, \"max\": 0.3}}, \"gravity\": [0, 0, \"=-g\"], \"bodies\": "
    "[{\"name\": \"ground\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}}, {\"name\": "
    "\"ball\", \"position\": [0, 0, 0.3], \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, "
    "\"=r\"]}}, "
    "{\"name\": \"bob\", \"position\": [1, 0, 1], \"shape\": {\"type\": \"box\", \"size\": [0.1, "
    "0.1, "
    "0.1]}}], \"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", \"parent\": \"world\", "
    "\"child\": "
    "\"bob\", \"at\": [1, 0, 1.2], \"axis\": [0, 1, 0]}], \"fields\": [{\"type\": \"wind\", "
    "\"name\": \"mouth\", \"kind\": \"cone\", \"breath\": true, \"occlusion\": \"depth\", "
    "\"occlusion_pixels\": 8, "
    "\"position\": [1, -0.5, 1], \"direction\": [0, 1, 0], \"radius\": 0.1, \"length\": 0.2, "
    "\"speed\": 1}], \"probes\": [{\"name\": \"height\", "
    "\"of\": "
    "\"ball\", \"quantity\": \"position.z\"}], \"run\": {\"step\": 0.01}}";

static const char *find_scene(void *user, const char *name, char path[1024], size_t *length)
{
    (void)user;
    if (strcmp(name, "one") != 0) {
        return NULL;
    }
    strcpy(path, "one.json");
    *length = sizeof scene - 1;
    return scene;
}

// Scenes that a fuzzer makes up may be large; a step of one is enough of them.
static int steps_left;

static double clock_of_steps(void *user)
{
    (void)user;
    steps_left -= 1;
    return -(double)steps_left;
}

static void listen(sn_live *live, int client)
{
    sn_live_message message;
    for (int i = 0; i < 200 && sn_live_take(live, client, &message); ++i) {
        sn_json *json = NULL;
        if (!message.binary &&
            sn_json_parse("m", message.data, message.size, &json, NULL) != SN_OK) {
            abort();
        }
        sn_json_destroy(json);
    }
}

// A paused world has told everything after a while, whatever was asked of it, and is idle.
static void come_to_rest(sn_live *live, const int *clients)
{
    static const char pause[] = "{\"do\": \"pause\"}",
                      hello[] = "{\"do\": \"hello\", \"protocol\": 1}";
    sn_live_receive(live, clients[1], hello, sizeof hello - 1, false);
    sn_live_receive(live, clients[1], pause, sizeof pause - 1, false);
    for (int i = 0; i < 2000 && !sn_live_is_idle(live); ++i) {
        sn_live_advance(live, 0.2);
        listen(live, clients[0]);
        listen(live, clients[1]);
    }
    if (!sn_live_is_idle(live)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_live_def def = sn_default_live_def();
    def.scenes = (const sn_live_entry[]){{"one", "One", "", ""}};
    def.scene_count = 1;
    def.find_scene = find_scene;
    def.history_bytes = 2 << 20;
    def.clock = clock_of_steps;
    def.budget = 4.0; // looks at the clock, which are about as many steps
    sn_live *live = NULL;
    if (sn_live_create(&def, &live, NULL) != SN_OK) {
        abort();
    }
    steps_left = 0;
    static const char hello[] = "{\"do\": \"hello\", \"protocol\": 1}";
    int clients[2] = {sn_live_join(live, NULL), sn_live_join(live, NULL)};
    sn_live_receive(live, clients[0], hello, sizeof hello - 1, false);
    if (sn_live_load_text(live, "one.json", scene, sizeof scene - 1, NULL) != SN_OK) {
        abort();
    }
    for (int messages = 0; size >= 3 && messages < 200; ++messages) {
        unsigned flags = data[0];
        size_t length = data[1] | (size_t)data[2] << 8;
        int *client = &clients[flags & 1];
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        if (flags & 4) {
            sn_live_advance(live, flags & 8 ? 0.25 : 1.0 / 60.0);
            listen(live, clients[0]);
            listen(live, clients[1]);
        }
        if (flags & 16) {
            sn_live_leave(live, *client);
            *client = sn_live_join(live, NULL);
            sn_live_receive(live, *client, hello, sizeof hello - 1, false);
        }
        if (flags & 32) {
            sn_live_reload_text(live, "one.json", (const char *)data, length, NULL);
        } else {
            sn_live_receive(live, *client, data, length, (flags & 2) != 0);
        }
        data += length;
        size -= length;
    }
    come_to_rest(live, clients);
    sn_live_destroy(live);
    return 0;
}
