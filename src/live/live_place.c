// Hands on a world whose clock stands still: what they hold follows them at once, by kinematics
// alone (sn_body_place_point). That is not a step: time stays, and the history gets what was moved
// with the first step that goes on from there. Until then one step back undoes it.
#include "base/error.h"
#include "live/live.h"
#include "math/rotation.h"

static void refuse(sn_live_client *client, const sn_error *error)
{
    sn_text text = {0};
    client->unmovable = true;
    sn_live_write_error(&text, error, 1, "drag", -1.0);
    sn_live_send(client, &text);
    sn_text_free(&text);
}

static void place(sn_live *live, sn_live_client *client)
{
    sn_error error = {0};
    // In the past it goes on from there, as after a change of params.
    sn_live_continue(live);
    sn_live_flush(live);
    client->placed = client->to;
    sn_status status =
        sn_body_place_point(live->world, sn_world_body(live->world, (int)client->body),
                            client->point, client->to, &error);
    if (status != SN_OK) {
        refuse(client, &error);
        return;
    }
    live->placed = true;
    live->change += 1;
}

void sn_live_place_held(sn_live *live)
{
    bool still = !live->playing && live->wanted_steps <= 0;
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        sn_live_client *client = live->clients[i];
        if (client == NULL || !client->holds) {
            continue;
        }
        if (!still) {
            client->placed = client->to; // springs follow it; when the clock stops, nothing jumps
        } else if (!client->unmovable && (int)client->body < sn_world_body_count(live->world) &&
                   sn_distance(client->to, client->placed) > 0.0) {
            place(live, client);
        }
    }
}
