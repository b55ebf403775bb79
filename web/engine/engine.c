// The engine as the worker sees it: one live world with one client. The worker writes a message
// into the buffer it asks for, hands it over, lets wall time pass and takes what comes out.
// docs/protocol.md has the messages, engine.ts the other side of these functions.
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene_list.h"

#define EXPORT(name) __attribute__((export_name(#name)))

// A module is one engine, and has no other owner for it.
static struct {
    sn_live *live;
    int client;
    uint8_t *buffer;
    size_t room;
    sn_live_message message;
    sn_error error;
} engine;

static double seconds(void *user)
{
    (void)user;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// 1 when all went well; else sn_web_error says what did not.
EXPORT(sn_web_start) int sn_web_start(double history_bytes)
{
    sn_scene_list list;
    if (!sn_scene_list_make(&list)) {
        sn_fail_memory(&engine.error, 0);
        return 0;
    }
    sn_live_def def = sn_default_live_def();
    def.engine = "wasm";
    def.scenes = list.entries;
    def.scene_count = list.count;
    def.find_scene = sn_scene_list_find;
    def.find_file = sn_scene_list_find_file;
    def.clock = seconds;
    def.history_bytes = (size_t)history_bytes;
    def.threads = 1;
    sn_status status = sn_live_create(&def, &engine.live, &engine.error);
    sn_scene_list_free(&list);
    engine.client = status == SN_OK ? sn_live_join(engine.live, &engine.error) : 0;
    return engine.client != 0;
}

EXPORT(sn_web_error) const char *sn_web_error(void)
{
    return sn_error_message(&engine.error);
}

// Where the next message to the engine is to be written; NULL: no memory for so long a one.
EXPORT(sn_web_buffer) void *sn_web_buffer(size_t size)
{
    if (size > engine.room) {
        uint8_t *grown = sn_reallocate(engine.buffer, size);
        if (grown == NULL) {
            return NULL;
        }
        engine.buffer = grown;
        engine.room = size;
    }
    return engine.buffer;
}

// 0: the client has been dropped.
EXPORT(sn_web_receive) int sn_web_receive(size_t size, int binary)
{
    return sn_live_receive(engine.live, engine.client, engine.buffer, size, binary != 0);
}

EXPORT(sn_web_advance) void sn_web_advance(double wall_seconds)
{
    sn_live_advance(engine.live, wall_seconds);
}

// The next message from the engine becomes the one that the three functions below tell about.
EXPORT(sn_web_take) int sn_web_take(void)
{
    return sn_live_take(engine.live, engine.client, &engine.message);
}

EXPORT(sn_web_message_data) const void *sn_web_message_data(void)
{
    return engine.message.data;
}

EXPORT(sn_web_message_size) size_t sn_web_message_size(void)
{
    return engine.message.size;
}

EXPORT(sn_web_message_is_binary) int sn_web_message_is_binary(void)
{
    return engine.message.binary;
}

EXPORT(sn_web_is_idle) int sn_web_is_idle(void)
{
    return sn_live_is_idle(engine.live);
}
