// What goes out to a client, in its order: answers, files, the scene with its meshes, how it goes,
// frames.
#include <math.h>

#include "base/hash.h"
#include "live/live.h"

#define STATUS_EVERY    0.2 // s
#define INSPECTED_EVERY 0.1
#define BREATH_EVERY    0.05

static bool give_text(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    if (live->out_text.failed) {
        client->lost = true; // out of memory, and nothing to tell it with
        return false;
    }
    *message = (sn_live_message){live->out_text.data, live->out_text.length, false};
    return true;
}

static bool give_bytes(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    if (live->out.failed) {
        client->lost = true;
        return false;
    }
    *message = (sn_live_message){live->out.data, live->out.count, true};
    return true;
}

// Empties a text that was used before, also after it has failed.
static void start_text(sn_text *text)
{
    if (text->failed) {
        sn_text_free(text);
        *text = (sn_text){0};
    }
    text->length = 0;
}

static bool take_answer(sn_live_client *client, sn_live_message *message)
{
    if (client->queue_at >= client->queue.count - client->later) {
        return false;
    }
    const uint8_t *at = client->queue.data + client->queue_at;
    uint32_t size = sn_fetch_u32(at);
    *message = (sn_live_message){at + 4, size, false};
    client->queue_at += 4 + (size_t)size;
    return true;
}

static bool take_file(sn_live_client *client, sn_live_message *message)
{
    if (client->took_file) { // and with this call the receiver is done with it
        sn_bytes_free(&client->file);
        client->has_file = client->took_file = false;
    }
    if (!client->has_file) {
        return false;
    }
    *message = (sn_live_message){client->file.data, client->file.count, true};
    client->took_file = true;
    return true;
}

static bool take_scene(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    if (live->world == NULL) {
        bool told = client->closed_told;
        client->closed_told = true;
        client->generation = 0;
        client->later = 0;
        start_text(&live->out_text);
        sn_live_text_start(&live->out_text, "closed");
        sn_live_text_end(&live->out_text);
        return !told && give_text(live, client, message);
    }
    client->closed_told = false;
    if (client->generation != live->generation) {
        client->generation = live->generation;
        client->later = 0;
        client->next_mesh = 0;
        client->next_frame = 0.0;
        client->frame_change = 0;
        client->status = 0;
        *message = (sn_live_message){live->scene_text.data, live->scene_text.length, false};
        return true;
    }
    if (client->next_mesh < live->model.meshes.count + live->model.bends.count) {
        sn_live_write_mesh(live, client->next_mesh++, &live->out);
        return give_bytes(live, client, message);
    }
    return false;
}

// What a button shows goes out at once, what counts up five times a second.
static bool take_status(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    sn_text *key = &live->gather;
    start_text(key);
    sn_live_write_status(live, key, false);
    uint64_t hash = key->failed ? client->status : sn_hash64(key->data, key->length, 1);
    bool due = live->wall >= client->next_status &&
               client->status_change != live->change; // nothing moves: nothing to tell
    if (hash == client->status && !due) {
        return false;
    }
    client->status = hash;
    client->status_change = live->change;
    client->next_status = live->wall + STATUS_EVERY;
    start_text(&live->out_text);
    sn_live_write_status(live, &live->out_text, true);
    return give_text(live, client, message);
}

static bool take_inspected(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    if (client->inspected < 0 || client->inspected >= sn_world_body_count(live->world) ||
        live->wall < client->next_inspected || client->inspected_change == live->change) {
        return false;
    }
    client->next_inspected = live->wall + INSPECTED_EVERY;
    client->inspected_change = live->change;
    start_text(&live->out_text);
    sn_live_write_inspected(live, client->inspected, &live->out_text);
    return give_text(live, client, message);
}

static bool take_breath(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    if (client->breath.microphone == SN_MICROPHONE_OFF || live->wall < client->next_breath) {
        return false;
    }
    client->next_breath = live->wall + BREATH_EVERY;
    start_text(&live->out_text);
    sn_live_write_breath(&client->breath, &live->out_text);
    return give_text(live, client, message);
}

// A quarter of a frame early counts as on time, so that two clocks of one rate do not beat.
static bool take_frame(sn_live *live, sn_live_client *client, sn_live_message *message)
{
    if (client->frame_change == live->change || !(client->frame_rate > 0.0)) {
        return false;
    }
    double period = 1.0 / client->frame_rate;
    if (live->wall < client->next_frame - 0.25 * period) {
        return false;
    }
    double started = sn_live_clock(live);
    client->next_frame = fmax(client->next_frame, live->wall - period) + period;
    client->frame_change = live->change;
    sn_live_write_frame(live, client, &live->out);
    client->engine_seconds = live->engine_seconds;
    live->engine_seconds += sn_live_clock(live) - started;
    return give_bytes(live, client, message);
}

bool sn_live_owes(const sn_live *live, const sn_live_client *client)
{
    if (client->queue_at < client->queue.count || (client->has_file && !client->took_file)) {
        return true;
    }
    if (!client->greeted || client->lost) {
        return false;
    }
    if (live->world == NULL) {
        return !client->closed_told;
    }
    return client->generation != live->generation ||
           client->next_mesh < live->model.meshes.count + live->model.bends.count ||
           client->status_change != live->change ||
           (client->inspected >= 0 && client->inspected < sn_world_body_count(live->world) &&
            client->inspected_change != live->change) ||
           (client->frame_rate > 0.0 && client->frame_change != live->change) ||
           sn_live_breath_is_heard(&client->breath);
}

bool sn_live_take(sn_live *live, int number, sn_live_message *message)
{
    sn_live_client *client = sn_live_client_at(live, number);
    *message = (sn_live_message){0};
    if (client == NULL) {
        return false;
    }
    if (take_answer(client, message) || take_file(client, message)) {
        return true;
    }
    if (!client->greeted || client->lost) {
        return false;
    }
    if (take_scene(live, client, message)) {
        return true;
    }
    return live->world != NULL && live->scene_text.length > 0 &&
           (take_status(live, client, message) || take_inspected(live, client, message) ||
            take_breath(live, client, message) || take_frame(live, client, message));
}
