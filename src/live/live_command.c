// What each command does. Long work is only noted here, and done by sn_live_advance.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "live/live_message.h"
#include "scene/error_list.h"

#define SLOWEST_RATE 0.1 // frames a second, but for none

typedef struct order {
    sn_live *live;
    sn_live_client *client;
    sn_message message;
    double id;
    sn_text *reply; // further fields: ", \"key\": value"
    sn_error_list *errors;
} order;

// ---- scenes ----

static sn_status hello(order *o)
{
    int64_t protocol = 0;
    bool loading = false;
    if (!sn_message_integer(&o->message, "protocol", 0.0, 1e6, &protocol) ||
        !sn_message_maybe_bool(&o->message, "loading", &loading)) {
        return SN_ERROR_ARGUMENT;
    }
    if (protocol != SN_LIVE_PROTOCOL) {
        return sn_message_fail(&o->message, "protocol %d is asked for, expected %d", (int)protocol,
                               SN_LIVE_PROTOCOL);
    }
    sn_text text = {0};
    o->client->greeted = true;
    o->client->loading = loading;
    o->client->generation = 0;
    o->client->closed_told = false;
    sn_live_write_welcome(o->live, o->client, &text);
    sn_live_send(o->client, &text);
    sn_text_free(&text);
    if (o->live->trouble.length > 0) {
        sn_live_send_news(o->live, o->client, &o->live->trouble);
    }
    if (!loading) {
        sn_live_start_clock(o->live);
    }
    return SN_OK;
}

// A page shows its first picture.
static sn_status ready(order *o)
{
    o->client->loading = false;
    sn_live_start_clock(o->live);
    return SN_OK;
}

// What could not be read is told to all: the world is paused for all.
static sn_status tell_failure(order *o, sn_status status)
{
    if (status != SN_OK && o->errors->count > 0) {
        for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
            sn_live_client *client = o->live->clients[i];
            if (client != NULL && client != o->client && client->greeted) {
                sn_text text = {0};
                sn_live_write_error(&text, o->errors->items, o->errors->count, o->message.doing,
                                    -1.0);
                sn_live_send_news(o->live, client, &text);
                sn_text_free(&text);
            }
        }
    }
    return status;
}

static sn_status open_listed(order *o, const char *name, int params)
{
    char path[1024] = "";
    size_t length = 0;
    const sn_live_def *def = &o->live->def;
    const char *text =
        def->find_scene != NULL ? def->find_scene(def->user, name, path, &length) : NULL;
    if (text == NULL) {
        return sn_message_fail(&o->message, "there is no scene called \"%.100s\"", name);
    }
    return sn_live_open(o->live, name, path, text, length, false, o->message.json, params,
                        o->errors);
}

static sn_status open_text(order *o, int node, int params)
{
    char name[SN_LIVE_NAME_LIMIT];
    const sn_json *json = o->message.json;
    if (json->nodes[node].type != SN_JSON_STRING || !sn_message_string(&o->message, "name", name)) {
        return sn_message_fail(&o->message, "\"text\" and \"name\" are to be texts");
    }
    char *text = sn_allocate((size_t)(json->nodes[node].end - json->nodes[node].start) + 1);
    if (text == NULL) {
        return sn_fail_memory(o->message.error, 1);
    }
    size_t length = sn_json_string(json, node, text);
    sn_status status =
        sn_live_open(o->live, name, name, text, length, true, json, params, o->errors);
    sn_free(text);
    return status;
}

static sn_status open_scene(order *o)
{
    char name[SN_LIVE_NAME_LIMIT];
    bool play = true;
    int params = sn_message_find(&o->message, "params"),
        text = sn_message_find(&o->message, "text");
    if (params >= 0 && o->message.json->nodes[params].type != SN_JSON_OBJECT) {
        return sn_message_fail(&o->message, "\"params\" is to be an object of numbers");
    }
    if (!sn_message_maybe_bool(&o->message, "play", &play)) {
        return SN_ERROR_ARGUMENT;
    }
    sn_status status = SN_ERROR_ARGUMENT;
    if (text >= 0) {
        status = open_text(o, text, params);
    } else if (sn_message_string(&o->message, "scene", name)) {
        status = open_listed(o, name, params);
    }
    if (status == SN_OK) {
        play ? sn_live_play(o->live) : sn_live_pause(o->live);
        sn_live_text_integer(o->reply, "generation", o->live->generation);
    }
    return tell_failure(o, status);
}

static sn_status reload(order *o)
{
    sn_live *live = o->live;
    const sn_live_def *def = &live->def;
    char path[1024] = "";
    size_t length = 0;
    const char *found = def->find_scene != NULL && !live->foreign
                            ? def->find_scene(def->user, live->name, path, &length)
                            : NULL;
    // The text must outlive the scene that it comes from.
    char *text = sn_allocate((found != NULL ? length : live->length) + 1);
    char *own_path = sn_copy_text(found != NULL ? path : live->path);
    sn_status status = SN_ERROR_MEMORY;
    if (text != NULL && own_path != NULL) {
        length = found != NULL ? length : live->length;
        memcpy(text, found != NULL ? found : live->text, length);
        status = sn_live_reload(live, own_path, text, length, o->errors);
    } else {
        sn_fail_memory(o->message.error, length);
    }
    sn_free(text);
    sn_free(own_path);
    if (status == SN_OK) {
        sn_live_text_integer(o->reply, "generation", live->generation);
    }
    return tell_failure(o, status);
}

// ---- the clock ----

// Who steers the clock decides how it goes on, whatever it was before.
static void take_clock(order *o)
{
    sn_live_start_clock(o->live);
    o->live->resumes = false;
}

static sn_status play(order *o)
{
    take_clock(o);
    sn_live_continue(o->live);
    sn_live_play(o->live);
    o->live->wanted_steps = 0;
    return SN_OK;
}

static sn_status pause(order *o)
{
    take_clock(o);
    sn_live_pause(o->live);
    o->live->wanted_steps = 0;
    return SN_OK;
}

static sn_status step(order *o)
{
    int64_t count = 1;
    if (sn_message_find(&o->message, "count") >= 0 &&
        !sn_message_integer(&o->message, "count", -1e9, 1e9, &count)) {
        return SN_ERROR_ARGUMENT;
    }
    take_clock(o);
    sn_live_pause(o->live);
    // Two steps asked for before the next advance are two steps.
    bool same_way = (count > 0) == (o->live->wanted_steps > 0);
    o->live->wanted_steps = same_way ? o->live->wanted_steps + count : count;
    o->live->wanted_steps = o->live->wanted_steps > 1000000000    ? 1000000000
                            : o->live->wanted_steps < -1000000000 ? -1000000000
                                                                  : o->live->wanted_steps;
    return SN_OK;
}

static sn_status seek(order *o)
{
    double time;
    if (!sn_message_number(&o->message, "time", -1e300, 1e300, &time)) {
        return SN_ERROR_ARGUMENT;
    }
    take_clock(o);
    sn_live_pause(o->live);
    o->live->seeks = true;
    o->live->seek_time = time;
    o->live->wanted_steps = 0;
    return SN_OK;
}

static sn_status reset(order *o)
{
    return sn_live_reset(o->live, o->message.error);
}

static sn_status speed(order *o)
{
    double factor;
    if (!sn_message_number(&o->message, "factor", 1.0 / 64.0, 64.0, &factor)) {
        return SN_ERROR_ARGUMENT;
    }
    o->live->speed = factor;
    o->live->change += 1;
    return SN_OK;
}

static sn_status param(order *o)
{
    char name[SN_LIVE_NAME_LIMIT];
    double value;
    if (!sn_message_string(&o->message, "name", name) ||
        !sn_message_number(&o->message, "value", -1e300, 1e300, &value)) {
        return SN_ERROR_ARGUMENT;
    }
    return sn_live_set_param(o->live, name, value, o->message.error);
}

static sn_status params(order *o)
{
    bool all = false;
    if (!sn_message_maybe_bool(&o->message, "reset", &all)) {
        return SN_ERROR_ARGUMENT;
    }
    return all ? sn_live_start_params(o->live, o->message.error) : SN_OK;
}

// ---- hands ----

static bool read_body(const order *o, int64_t *body)
{
    int count = sn_world_body_count(o->live->world);
    if (count == 0) {
        sn_message_fail(&o->message, "the scene has no bodies");
        return false;
    }
    return sn_message_integer(&o->message, "body", 0.0, (double)count - 1.0, body);
}

static sn_status grab(order *o)
{
    int64_t body;
    sn_vec3 point, to;
    if (!read_body(o, &body) || !sn_message_vector(&o->message, "point", &point) ||
        !sn_message_vector(&o->message, "to", &to)) {
        return SN_ERROR_ARGUMENT;
    }
    o->live->change += 1;
    return sn_live_grab(o->live, o->client, (int)body, point, to, o->message.error);
}

static sn_status drag(order *o)
{
    sn_vec3 to;
    if (!sn_message_vector(&o->message, "to", &to)) {
        return SN_ERROR_ARGUMENT;
    }
    if (!o->client->holds) {
        return sn_message_fail(&o->message, "nothing is grabbed");
    }
    o->client->to = to;
    o->live->change += 1;
    return SN_OK;
}

static sn_status release(order *o)
{
    if (o->live->world != NULL) {
        sn_live_place_held(o->live); // the last bit of its way
    }
    o->client->holds = false;
    o->live->change += 1;
    return SN_OK;
}

// ---- breath ----

static sn_status wind(order *o)
{
    sn_live_breath *breath = &o->client->breath;
    sn_vec3 from, towards;
    char kind[SN_LIVE_NAME_LIMIT] = "jet";
    double spread = 0.15;
    bool given = true;
    if (!sn_message_maybe_bool(&o->message, "aimed", &given)) {
        return SN_ERROR_ARGUMENT;
    }
    if (!given) {
        breath->aimed = false;
        return SN_OK;
    }
    if (!sn_message_vector(&o->message, "from", &from) ||
        !sn_message_vector(&o->message, "towards", &towards)) {
        return SN_ERROR_ARGUMENT;
    }
    if ((sn_message_find(&o->message, "kind") >= 0 &&
         !sn_message_string(&o->message, "kind", kind)) ||
        (sn_message_find(&o->message, "spread") >= 0 &&
         !sn_message_number(&o->message, "spread", 0.01, 1.2, &spread))) {
        return SN_ERROR_ARGUMENT;
    }
    bool cone = strcmp(kind, "cone") == 0;
    if (!cone && strcmp(kind, "jet") != 0) {
        return sn_message_fail(&o->message, "\"kind\" is \"%.40s\", expected \"cone\" or \"jet\"",
                               kind);
    }
    if (!(sn_distance(from, towards) > 0.0)) {
        return sn_message_fail(&o->message, "\"from\" and \"towards\" are the same place");
    }
    breath->aimed = true;
    breath->from = from;
    breath->towards = towards;
    breath->kind = cone ? SN_WIND_CONE : SN_WIND_JET;
    breath->spread = spread;
    return SN_OK;
}

static sn_status blow(order *o)
{
    double strength;
    if (!sn_message_number(&o->message, "strength", 0.0, 1.0, &strength)) {
        return SN_ERROR_ARGUMENT;
    }
    o->client->breath.strength = strength;
    return SN_OK;
}

static sn_status breath(order *o)
{
    double full;
    if (!sn_message_number(&o->message, "full", 0.0, 50.0, &full)) {
        return SN_ERROR_ARGUMENT;
    }
    o->client->breath.full_speed = full;
    o->client->breath.heard.def.full_speed = full;
    return SN_OK;
}

static sn_status microphone(order *o)
{
    static const struct {
        const char *word;
        sn_microphone_state state;
    } states[] = {{"on", SN_MICROPHONE_ON},
                  {"off", SN_MICROPHONE_OFF},
                  {"calibrate", SN_MICROPHONE_SILENCE},
                  {"full", SN_MICROPHONE_FULL}};
    char word[SN_LIVE_NAME_LIMIT];
    double rate = 0.0;
    if (!sn_message_string(&o->message, "state", word)) {
        return SN_ERROR_ARGUMENT;
    }
    if (sn_message_find(&o->message, "rate") >= 0 &&
        !sn_message_number(&o->message, "rate", 0.0, 1e9, &rate)) {
        return SN_ERROR_ARGUMENT;
    }
    for (int i = 0; i < 4; ++i) {
        if (strcmp(word, states[i].word) == 0) {
            return sn_live_microphone(&o->client->breath, states[i].state, rate, o->message.error);
        }
    }
    return sn_message_fail(&o->message,
                           "\"state\" is \"%.40s\", expected on, off, calibrate or full", word);
}

// ---- what is shown ----

static bool read_watch(const order *o, int node, sn_live_watch *watch)
{
    const sn_json *json = o->message.json;
    *watch = (sn_live_watch){.quantity = -1};
    if (json->nodes[node].type == SN_JSON_STRING) {
        return sn_message_node_string(&o->message, node, "probes", watch->name);
    }
    if (json->nodes[node].type != SN_JSON_OBJECT) {
        sn_message_fail(&o->message, "\"probes\" has %s in it, expected names or objects",
                        sn_json_type_text(json->nodes[node].type));
        return false;
    }
    for (int key = sn_json_first(json, node); key >= 0; key = sn_json_next(json, key)) {
        char word[SN_LIVE_NAME_LIMIT];
        if (sn_json_is(json, key, "of") &&
            !sn_message_node_string(&o->message, key + 1, "of", watch->name)) {
            return false;
        }
        if (sn_json_is(json, key, "quantity")) {
            if (!sn_message_node_string(&o->message, key + 1, "quantity", word)) {
                return false;
            }
            watch->quantity = sn_quantity_find(word);
            if (watch->quantity < 0) {
                sn_message_fail(&o->message, "there is no quantity \"%.60s\"", word);
                return false;
            }
        }
    }
    if (watch->quantity < 0) {
        sn_message_fail(&o->message, "\"quantity\" is missing in \"probes\"");
    }
    return watch->quantity >= 0;
}

static void reply_units(const order *o)
{
    sn_text_add(o->reply, ", \"units\": [");
    for (int i = 0; i < o->client->watches.count; ++i) {
        const sn_live_watch *watch = &o->client->watches.data[i];
        sn_text_add(o->reply, i > 0 ? ", " : "");
        sn_text_json_string(o->reply,
                            watch->found ? sn_probe_unit(o->live->world, &watch->probe) : "");
    }
    sn_text_add(o->reply, "]");
}

static sn_status watch(order *o)
{
    const sn_json *json = o->message.json;
    int node = sn_message_find(&o->message, "probes");
    if (node < 0 || json->nodes[node].type != SN_JSON_ARRAY) {
        return sn_message_fail(&o->message, "\"probes\" is to be a list");
    }
    if (json->nodes[node].size > SN_LIVE_WATCH_LIMIT) {
        return sn_message_fail(&o->message, "%d probes are asked for, expected at most %d",
                               json->nodes[node].size, SN_LIVE_WATCH_LIMIT);
    }
    sn_array_clear(&o->client->watches);
    for (int e = sn_json_first(json, node); e >= 0; e = sn_json_next(json, e)) {
        sn_live_watch one;
        if (!read_watch(o, e, &one)) {
            sn_array_clear(&o->client->watches);
            return SN_ERROR_ARGUMENT;
        }
        sn_live_bind_watch(o->live, &one);
        if (!one.found) {
            sn_array_clear(&o->client->watches);
            return sn_message_fail(&o->message, "\"%.100s\" has no such quantity, or is not there",
                                   one.name);
        }
        if (!sn_array_push(&o->client->watches, one)) {
            sn_array_clear(&o->client->watches);
            return sn_fail_memory(o->message.error, sizeof one);
        }
    }
    o->live->change += 1;
    reply_units(o);
    return SN_OK;
}

static sn_status show(order *o)
{
    sn_live_client *client = o->client;
    bool contacts = client->shows_contacts, joints = client->shows_joints, air = client->shows_wind;
    if (!sn_message_maybe_bool(&o->message, "contacts", &contacts) ||
        !sn_message_maybe_bool(&o->message, "joints", &joints) ||
        !sn_message_maybe_bool(&o->message, "wind", &air)) {
        return SN_ERROR_ARGUMENT;
    }
    client->shows_contacts = contacts;
    client->shows_joints = joints;
    client->shows_wind = air;
    o->live->change += 1;
    return SN_OK;
}

static sn_status rate(order *o)
{
    double frames;
    if (!sn_message_number(&o->message, "frames", 0.0, 240.0, &frames)) {
        return SN_ERROR_ARGUMENT;
    }
    o->client->frame_rate = frames > 0.0 ? fmax(frames, SLOWEST_RATE) : 0.0;
    o->client->next_frame = 0.0;
    return SN_OK;
}

static sn_status inspect(order *o)
{
    int node = sn_message_find(&o->message, "body");
    int64_t body = -1;
    if ((node < 0 || o->message.json->nodes[node].type != SN_JSON_NULL) && !read_body(o, &body)) {
        return SN_ERROR_ARGUMENT;
    }
    o->client->inspected = (int)body;
    o->client->inspected_change = 0;
    o->client->next_inspected = 0.0;
    return SN_OK;
}

static sn_status file(order *o)
{
    char what[SN_LIVE_NAME_LIMIT];
    if (!sn_message_string(&o->message, "what", what)) {
        return SN_ERROR_ARGUMENT;
    }
    if (o->client->has_file) {
        return sn_message_fail(&o->message, "another file is still under way to this client");
    }
    uint32_t id = o->id >= 0.0 && o->id < 4294967296.0 ? (uint32_t)o->id : 0;
    return sn_live_make_file(o->live, o->client, what, id, o->message.error);
}

static sn_status ping(order *o)
{
    double t;
    if (!sn_message_number(&o->message, "t", -1e300, 1e300, &t)) {
        return SN_ERROR_ARGUMENT;
    }
    sn_text text = {0};
    sn_live_text_start(&text, "pong");
    sn_live_text_number(&text, "t", t);
    sn_live_text_end(&text);
    sn_live_send(o->client, &text);
    sn_text_free(&text);
    return SN_OK;
}

// ---- the table ----

typedef struct command {
    const char *name;
    sn_status (*act)(order *order);
    bool needs_world, needs_hello;
} command;

static const command commands[] = {
    // the first, and what a page says with its first picture
    {"hello", hello, false, false},
    {"ready", ready, false, true},
    // scenes and the clock
    {"open", open_scene, false, true},
    {"play", play, true, true},
    {"pause", pause, true, true},
    {"step", step, true, true},
    {"seek", seek, true, true},
    {"continue", play, true, true},
    {"reset", reset, true, true},
    {"reload", reload, true, true},
    {"speed", speed, false, true},
    {"param", param, true, true},
    {"params", params, true, true},
    // hands and breath
    {"grab", grab, true, true},
    {"drag", drag, true, true},
    {"release", release, false, true},
    {"wind", wind, false, true},
    {"blow", blow, true, true},
    {"breath", breath, false, true},
    {"microphone", microphone, true, true},
    // what is shown
    {"watch", watch, true, true},
    {"show", show, false, true},
    {"rate", rate, false, true},
    {"inspect", inspect, true, true},
    {"file", file, true, true},
    {"ping", ping, false, true},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static sn_status refuse_unknown(const order *o, const char *name)
{
    const char *words[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        words[i] = commands[i].name;
    }
    const char *near = sn_suggest(name, words, COMMAND_COUNT);
    return sn_message_fail(&o->message, "there is no command \"%.60s\"%s%s%s", name,
                           near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                           near != NULL ? "\"?" : "");
}

static sn_status act(order *o, const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        const command *found = &commands[i];
        if (strcmp(found->name, name) != 0) {
            continue;
        }
        if (found->needs_hello && !o->client->greeted) {
            return sn_message_fail(&o->message, "the first message is to be \"hello\"");
        }
        if (found->needs_world && o->live->world == NULL) {
            return sn_message_fail(&o->message, "no scene is open");
        }
        return found->act(o);
    }
    return refuse_unknown(o, name);
}

sn_status sn_live_obey(sn_live *live, sn_live_client *client, const sn_json *json, double id,
                       sn_text *reply, sn_error_list *errors)
{
    char name[SN_LIVE_NAME_LIMIT] = "";
    sn_error error = {0};
    order o = {live, client, {json, name, &error}, id, reply, errors};
    if (!sn_message_string(&o.message, "do", name)) {
        return sn_error_list_add_error(errors, &error);
    }
    sn_status status = act(&o, name);
    if (status != SN_OK && errors->count == 0) {
        sn_status kept = sn_error_list_add_error(errors, &error);
        status = kept == SN_ERROR_MEMORY ? kept : status;
    }
    return status;
}
