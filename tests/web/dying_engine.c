// An engine for the worker's test: says back what it is told, and dies of a trap when the text has
// "die" in it. The same functions as web/engine/engine.c.
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

enum { ROOM = 65536 };
static char buffer[ROOM], answer[ROOM];
static size_t answer_size;

EXPORT(sn_web_start) int sn_web_start(double history_bytes)
{
    return history_bytes > 0.0;
}

EXPORT(sn_web_error) const char *sn_web_error(void)
{
    return "no error";
}

EXPORT(sn_web_buffer) void *sn_web_buffer(size_t size)
{
    return size < ROOM ? buffer : NULL;
}

EXPORT(sn_web_receive) int sn_web_receive(size_t size, int binary)
{
    buffer[size] = '\0';
    if (!binary && strstr(buffer, "\"die\"") != NULL) {
        __builtin_trap();
    }
    memcpy(answer, buffer, size);
    answer_size = size;
    return 1;
}

EXPORT(sn_web_advance) void sn_web_advance(double wall_seconds)
{
    (void)wall_seconds;
}

EXPORT(sn_web_take) int sn_web_take(void)
{
    return answer_size > 0;
}

EXPORT(sn_web_message_data) const void *sn_web_message_data(void)
{
    return answer;
}

EXPORT(sn_web_message_size) size_t sn_web_message_size(void)
{
    size_t size = answer_size;
    answer_size = 0;
    return size;
}

EXPORT(sn_web_message_is_binary) int sn_web_message_is_binary(void)
{
    return 0;
}

EXPORT(sn_web_is_idle) int sn_web_is_idle(void)
{
    return 1;
}
