#include "live/live.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sn_live_def sn_default_live_def(void)
{
    return (sn_live_def){.engine = "native",
                         .history_bytes = (size_t)128 << 20,
                         .frame_rate = 60.0,
                         .budget = 1.0 / 40.0};
}

// ---- making ----

static const char *keep_text(sn_live *live, const char *text)
{
    return sn_arena_text(&live->arena, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static bool keep_def(sn_live *live, const sn_live_def *def)
{
    live->def = *def;
    live->engine = keep_text(live, def->engine);
    live->scenes =
        sn_arena_allocate(&live->arena, ((size_t)def->scene_count + 1) * sizeof *live->scenes);
    live->def.cache = def->cache != NULL ? keep_text(live, def->cache) : NULL;
    if (live->engine == NULL || live->scenes == NULL ||
        (def->cache != NULL && live->def.cache == NULL)) {
        return false;
    }
    for (int i = 0; i < def->scene_count; ++i) {
        const sn_live_entry *from = &def->scenes[i];
        sn_live_entry *to = &live->scenes[i];
        to->name = keep_text(live, from->name);
        to->title = keep_text(live, from->title);
        to->description = keep_text(live, from->description);
        to->group = keep_text(live, from->group);
        to->own = from->own;
        if (to->name == NULL || to->title == NULL || to->description == NULL || to->group == NULL) {
            return false;
        }
    }
    return true;
}

sn_status sn_live_create(const sn_live_def *def, sn_live **live, sn_error *error)
{
    *live = NULL;
    if (def->scene_count < 0 || !(def->frame_rate >= 0.0) || !(def->frame_rate <= 240.0) ||
        !(def->budget > 0.0) || def->threads < 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "live world",
                       "frame rate %g a second, budget %g s, %d threads; expected 0 to 240, above "
                       "0, and 0 or more",
                       def->frame_rate, def->budget, def->threads);
    }
    sn_live *made = sn_allocate_zero(sizeof *made);
    if (made == NULL || !keep_def(made, def)) {
        sn_live_destroy(made);
        return sn_fail_memory(error, sizeof *made);
    }
    made->history.budget = def->history_bytes;
    made->speed = 1.0;
    made->waits = def->waits;
    *live = made;
    return SN_OK;
}

static void free_client(sn_live_client *client)
{
    if (client != NULL) {
        sn_bytes_free(&client->queue);
        sn_bytes_free(&client->file);
        sn_array_free(&client->watches);
        sn_live_breath_free(&client->breath);
        sn_free(client);
    }
}

void sn_live_destroy(sn_live *live)
{
    if (live == NULL) {
        return;
    }
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        free_client(live->clients[i]);
    }
    sn_live_close(live);
    sn_history_free(&live->history);
    sn_text_free(&live->scene_text);
    sn_text_free(&live->trouble);
    sn_array_free(&live->frames);
    sn_array_free(&live->probes);
    sn_array_free(&live->steps);
    sn_bytes_free(&live->state);
    sn_bytes_free(&live->memory);
    sn_bytes_free(&live->placement);
    sn_array_free(&live->row);
    sn_array_free(&live->param_row);
    sn_array_free(&live->inputs);
    sn_array_free(&live->noted);
    sn_array_free(&live->acting);
    sn_array_free(&live->points);
    sn_bytes_free(&live->out);
    sn_text_free(&live->out_text);
    sn_text_free(&live->gather);
    sn_arena_free(&live->arena);
    sn_free(live);
}

// ---- clients ----

int sn_live_join(sn_live *live, sn_error *error)
{
    int slot = 0;
    while (slot < SN_LIVE_CLIENT_LIMIT && live->clients[slot] != NULL) {
        ++slot;
    }
    if (slot == SN_LIVE_CLIENT_LIMIT) {
        sn_fail(error, SN_ERROR_ARGUMENT, "live world", "there are %d clients already, no more fit",
                SN_LIVE_CLIENT_LIMIT);
        return 0;
    }
    sn_live_client *client = sn_allocate_zero(sizeof *client);
    if (client == NULL) {
        sn_fail_memory(error, sizeof *client);
        return 0;
    }
    client->number = slot + 1;
    client->frame_rate = live->def.frame_rate;
    client->inspected = -1;
    sn_live_breath_start(&client->breath);
    live->clients[slot] = client;
    live->change += 1;
    return client->number;
}

sn_live_client *sn_live_client_at(const sn_live *live, int client)
{
    return client >= 1 && client <= SN_LIVE_CLIENT_LIMIT ? live->clients[client - 1] : NULL;
}

void sn_live_leave(sn_live *live, int client)
{
    sn_live_client *gone = sn_live_client_at(live, client);
    if (gone != NULL) {
        free_client(gone);
        live->clients[client - 1] = NULL;
        live->change += 1;
    }
}

static void put_into_queue(sn_live_client *client, const sn_text *text, bool later)
{
    sn_bytes *queue = &client->queue;
    if (client->queue_at > 0 && client->queue_at == queue->count) {
        sn_bytes_clear(queue);
        client->queue_at = 0;
    }
    if (text->failed || queue->count - client->queue_at + text->length > SN_LIVE_QUEUE_LIMIT) {
        client->lost = true;
        return;
    }
    if (client->queue_at > SN_LIVE_QUEUE_LIMIT) {
        queue->count -= client->queue_at;
        memmove(queue->data, queue->data + client->queue_at, queue->count);
        client->queue_at = 0;
    }
    if (!sn_bytes_reserve(queue, text->length + 4)) {
        client->lost = true;
        return;
    }
    sn_bytes_put_u32(queue, (uint32_t)text->length);
    sn_bytes_put(queue, text->data, text->length);
    client->later += later ? text->length + 4 : 0;
}

void sn_live_send(sn_live_client *client, const sn_text *text)
{
    put_into_queue(client, text, client->later > 0); // in the order they were sent
}

void sn_live_send_news(const sn_live *live, sn_live_client *client, const sn_text *text)
{
    bool knows = live->world == NULL || client->generation == live->generation;
    put_into_queue(client, text, client->later > 0 || !knows);
}

void sn_live_send_all(sn_live *live, const sn_text *text)
{
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        if (live->clients[i] != NULL && live->clients[i]->greeted) {
            sn_live_send_news(live, live->clients[i], text);
        }
    }
}

// ---- telling all ----

void sn_live_tell(sn_live *live, const char *sentence)
{
    sn_live_note(live, "news", live->world != NULL ? sn_world_time(live->world) : NAN, sentence);
}

void sn_live_note(sn_live *live, const char *kind, double time, const char *sentence)
{
    sn_text text = {0};
    sn_live_text_start(&text, "notice");
    sn_live_text_string(&text, "kind", kind);
    sn_live_text_number(&text, "time", time);
    sn_live_text_string(&text, "text", sentence);
    sn_live_text_end(&text);
    sn_live_send_all(live, &text);
    sn_text_free(&text);
}

void sn_live_tell_error(sn_live *live, const sn_error *error, const char *doing)
{
    sn_text text = {0};
    sn_live_write_error(&text, error, 1, doing, -1.0);
    sn_live_send_all(live, &text);
    sn_text_free(&text);
}

void sn_live_tell_list(sn_live *live, const sn_error_list *errors, const char *doing)
{
    sn_text_free(&live->trouble);
    sn_live_write_error(&live->trouble, errors->items, errors->count, doing, -1.0);
    sn_live_send_all(live, &live->trouble);
}

// ---- reading ----

double sn_live_clock(const sn_live *live)
{
    return live->def.clock != NULL ? live->def.clock(live->def.user) : 0.0;
}

const sn_world *sn_live_world(const sn_live *live)
{
    return live->world;
}

const sn_scene *sn_live_scene(const sn_live *live)
{
    return live->scene;
}

bool sn_live_is_playing(const sn_live *live)
{
    return live->playing;
}

bool sn_live_is_waiting(const sn_live *live)
{
    return live->waits;
}

bool sn_live_is_idle(const sn_live *live)
{
    bool plays = live->playing && !live->waits;
    bool idle = !plays && live->wanted_steps == 0 && !live->seeks && !live->params_changed;
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT && idle; ++i) {
        idle = live->clients[i] == NULL || !sn_live_owes(live, live->clients[i]);
    }
    return idle;
}
