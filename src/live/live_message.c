#include "live/live_message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/error_list.h"

#define COORDINATE_LIMIT 1e9                // m
#define INTEGER_LIMIT    9007199254740992.0 // 2^53: whole numbers that a double has

// ---- fields ----

sn_status sn_message_fail(const sn_message *message, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sn_fail(message->error, SN_ERROR_ARGUMENT, NULL, "%s", text);
}

int sn_message_find(const sn_message *message, const char *key)
{
    const sn_json *json = message->json;
    for (int at = sn_json_first(json, 0); at >= 0; at = sn_json_next(json, at)) {
        if (sn_json_is(json, at, key)) {
            return at + 1;
        }
    }
    return -1;
}

static bool has_type(const sn_message *message, int node, sn_json_type type, const char *key,
                     const char *wanted)
{
    if (node < 0) {
        sn_message_fail(message, "\"%s\" is missing, expected %s", key, wanted);
        return false;
    }
    if (message->json->nodes[node].type != type) {
        sn_message_fail(message, "\"%s\" is %s, expected %s", key,
                        sn_json_type_text(message->json->nodes[node].type), wanted);
        return false;
    }
    return true;
}

bool sn_message_number(const sn_message *message, const char *key, double minimum, double maximum,
                       double *value)
{
    int node = sn_message_find(message, key);
    if (!has_type(message, node, SN_JSON_NUMBER, key, "a number")) {
        return false;
    }
    if (!sn_json_number(message->json, node, value) || *value < minimum || *value > maximum) {
        sn_message_fail(message, "\"%s\" is out of range, expected %g to %g", key, minimum,
                        maximum);
        return false;
    }
    return true;
}

bool sn_message_integer(const sn_message *message, const char *key, double minimum, double maximum,
                        int64_t *value)
{
    double number;
    if (!sn_message_number(message, key, minimum, maximum, &number)) {
        return false;
    }
    if (number != floor(number)) {
        sn_message_fail(message, "\"%s\" is %g, expected a whole number", key, number);
        return false;
    }
    *value = (int64_t)number;
    return true;
}

bool sn_message_vector(const sn_message *message, const char *key, sn_vec3 *value)
{
    int node = sn_message_find(message, key), count = 0;
    double numbers[3] = {0};
    if (!has_type(message, node, SN_JSON_ARRAY, key, "three numbers")) {
        return false;
    }
    for (int e = sn_json_first(message->json, node); e >= 0; e = sn_json_next(message->json, e)) {
        if (count == 3 || message->json->nodes[e].type != SN_JSON_NUMBER ||
            !sn_json_number(message->json, e, &numbers[count]) ||
            !(fabs(numbers[count]) <= COORDINATE_LIMIT)) {
            count = 4;
            break;
        }
        ++count;
    }
    if (count != 3) {
        sn_message_fail(message, "\"%s\" is not three numbers within %g m", key, COORDINATE_LIMIT);
        return false;
    }
    *value = sn_vec3_make(numbers[0], numbers[1], numbers[2]);
    return true;
}

bool sn_message_node_string(const sn_message *message, int node, const char *key,
                            char text[SN_LIVE_NAME_LIMIT])
{
    if (!has_type(message, node, SN_JSON_STRING, key, "a text")) {
        return false;
    }
    const sn_json_node *found = &message->json->nodes[node];
    if (found->end - found->start >= SN_LIVE_NAME_LIMIT) {
        sn_message_fail(message, "\"%s\" is longer than %d bytes", key, SN_LIVE_NAME_LIMIT - 1);
        return false;
    }
    size_t length = sn_json_string(message->json, node, text);
    if (strlen(text) != length) {
        sn_message_fail(message, "\"%s\" has a zero in it", key);
        return false;
    }
    return true;
}

bool sn_message_string(const sn_message *message, const char *key, char text[SN_LIVE_NAME_LIMIT])
{
    return sn_message_node_string(message, sn_message_find(message, key), key, text);
}

bool sn_message_maybe_bool(const sn_message *message, const char *key, bool *value)
{
    int node = sn_message_find(message, key);
    if (node < 0) {
        return true;
    }
    if (!has_type(message, node, SN_JSON_BOOLEAN, key, "true or false")) {
        return false;
    }
    *value = sn_json_boolean(message->json, node);
    return true;
}

// ---- whole messages ----

static void answer(sn_live_client *client, const sn_error_list *errors, const char *doing,
                   double id)
{
    sn_text text = {0};
    sn_live_write_error(&text, errors->items, errors->count, doing, id);
    sn_live_send(client, &text);
    sn_text_free(&text);
}

static void answer_one(sn_live_client *client, const sn_error *error, const char *doing, double id)
{
    sn_text text = {0};
    sn_live_write_error(&text, error, 1, doing, id);
    sn_live_send(client, &text);
    sn_text_free(&text);
}

static void receive_text(sn_live *live, sn_live_client *client, const char *data, size_t size)
{
    sn_json *json = NULL;
    sn_error error = {0};
    char doing[SN_LIVE_NAME_LIMIT] = "";
    double id = -1.0;
    if (sn_json_parse("message", data, size, &json, &error) != SN_OK) {
        answer_one(client, &error, "message", id);
        return;
    }
    sn_message message = {json, "message", &error};
    bool sound = sn_message_string(&message, "do", doing);
    if (sound && sn_message_find(&message, "id") >= 0) {
        int64_t whole = 0;
        sound = sn_message_integer(&message, "id", 0.0, INTEGER_LIMIT, &whole);
        id = sound ? (double)whole : -1.0;
    }
    sn_text reply = {0};
    sn_error_list errors = {0};
    if (!sound) {
        answer_one(client, &error, doing[0] != '\0' ? doing : "message", id);
    } else if (sn_live_obey(live, client, json, id, &reply, &errors) != SN_OK) {
        answer(client, &errors, doing, id);
    } else if (id >= 0.0) {
        sn_text text = {0};
        sn_live_text_start(&text, "reply");
        sn_live_text_number(&text, "id", id);
        sn_text_add(&text, reply.data != NULL ? reply.data : "");
        sn_live_text_end(&text);
        text.failed = text.failed || reply.failed;
        sn_live_send(client, &text);
        sn_text_free(&text);
    }
    sn_text_free(&reply);
    sn_error_list_free(&errors);
    sn_json_destroy(json);
}

// Samples of the microphone: kind, rate, floats. They may lie at any address.
static void receive_binary(sn_live_client *client, const uint8_t *data, size_t size)
{
    sn_error error = {0};
    enum { HEAD = 8, BLOCK = 1024 };
    if (size < HEAD || sn_fetch_u32(data) != 1 || (size - HEAD) % sizeof(float) != 0) {
        sn_fail(&error, SN_ERROR_FORMAT, NULL,
                "a binary message of %zu bytes is no block of samples", size);
        answer_one(client, &error, "samples", -1.0);
        return;
    }
    double rate = (double)sn_fetch_u32(data + 4);
    size_t count = (size - HEAD) / sizeof(float);
    sn_status status = SN_OK;
    for (size_t at = 0; (at < count || at == 0) && status == SN_OK; at += BLOCK) {
        float samples[BLOCK];
        size_t part = count - at < BLOCK ? count - at : BLOCK;
        for (size_t i = 0; i < part; ++i) {
            uint32_t bits = sn_fetch_u32(data + HEAD + sizeof(float) * (at + i));
            memcpy(&samples[i], &bits, sizeof bits);
        }
        status = sn_live_hear(&client->breath, rate, samples, part, &error);
    }
    if (status != SN_OK) {
        answer_one(client, &error, "microphone", -1.0);
    }
}

bool sn_live_receive(sn_live *live, int number, const void *data, size_t size, bool binary)
{
    sn_live_client *client = sn_live_client_at(live, number);
    if (client == NULL || client->lost) {
        return false;
    }
    if (size > SN_LIVE_MESSAGE_LIMIT) {
        sn_error error = {0};
        sn_fail(&error, SN_ERROR_ARGUMENT, NULL, "a message of %zu bytes came, expected at most %u",
                size, SN_LIVE_MESSAGE_LIMIT);
        answer_one(client, &error, "message", -1.0);
    } else if (binary) {
        receive_binary(client, data, size);
    } else {
        receive_text(live, client, data, size);
    }
    return !client->lost;
}
