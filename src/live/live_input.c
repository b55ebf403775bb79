// What clients do to the world, as fields of it. They stand in the order of clients' numbers,
// whoever came first, so that the same inputs give the same sums of forces.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "live/live.h"
#include "math/elementary.h"
#include "sinew/elastic.h"

// A hand's spring swings at 3 Hz with the body it holds, slower where steps are long.
#define HAND_RATE   18.849555921538759 // rad/s
#define LONGEST     0.25               // rad a step
#define TOO_LIGHT   1e-9               // kg
#define SPEED_FLOOR 1e-3               // m/s: below this there is no wind

sn_status sn_live_grab(sn_live *live, sn_live_client *client, int body, sn_vec3 point, sn_vec3 to,
                       sn_error *error)
{
    sn_body held = sn_world_body(live->world, body);
    if (sn_body_get_type(live->world, held) == SN_BODY_STATIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(live->world, held),
                       "does not move, so it cannot be pulled");
    }
    client->holds = true;
    client->body = (uint32_t)body;
    // Where a body that bends is touched, as it stands, is some place of it at rest.
    client->point =
        sn_body_get_type(live->world, held) == SN_BODY_ELASTIC
            ? sn_body_local_point(live->world, held,
                                  sn_transform_point(sn_body_transform(live->world, held), point))
            : point;
    client->to = client->placed = to;
    client->unmovable = false;
    return SN_OK;
}

static void hold(const sn_live *live, const sn_live_client *client, sn_live_input *input)
{
    sn_body body = sn_world_body(live->world, (int)client->body);
    double mass = fmax(sn_body_mass_properties(live->world, body).mass, TOO_LIGHT);
    double rate = fmin(HAND_RATE, LONGEST / live->run.step);
    input->acts |= SN_LIVE_HOLDS;
    input->body = client->body;
    input->point = client->point;
    input->target = client->to;
    input->stiffness = mass * rate * rate;
    input->damping = 2.0 * mass * rate; // critical
}

sn_status sn_live_gather_inputs(sn_live *live, sn_error *error)
{
    sn_array_clear(&live->inputs);
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        const sn_live_client *client = live->clients[i];
        if (client == NULL) {
            continue;
        }
        sn_live_input input;
        memset(&input, 0, sizeof input);
        input.client = (uint32_t)client->number;
        if (client->holds && (int)client->body < sn_world_body_count(live->world)) {
            hold(live, client, &input);
        }
        if (sn_live_breath_speed(&client->breath) > SPEED_FLOOR &&
            sn_live_breath_input(live, &client->breath, &input)) {
            input.acts |= SN_LIVE_BLOWS;
        }
        if (input.acts != 0 && !sn_array_push(&live->inputs, input)) {
            return sn_fail_memory(error, sizeof input);
        }
    }
    return SN_OK;
}

// ---- fields ----

static sn_pull_def pull_def(const sn_live *live, const sn_live_input *input)
{
    sn_pull_def def = sn_default_pull_def();
    def.body = sn_world_body(live->world, (int)input->body);
    def.point = input->point;
    def.target = input->target;
    def.stiffness = input->stiffness;
    def.damping = input->damping;
    return def;
}

static sn_wind_def wind_def(const sn_live_input *input)
{
    sn_wind_def def = sn_default_wind_def();
    def.kind = (sn_wind_kind)input->kind;
    def.position = input->position;
    def.direction = input->direction;
    def.speed = input->speed;
    def.radius = input->radius;
    def.length = input->kind == SN_WIND_CONE ? input->length : def.length;
    def.occlusion = (sn_wind_occlusion)input->occlusion;
    def.occlusion_pixels = (int)input->occlusion_pixels;
    def.occlusion_period = input->occlusion_period;
    return def;
}

static bool same_fields(const sn_live *live, const sn_live_input *inputs, int count)
{
    bool same = count == live->acting.count;
    for (int i = 0; i < count && same; ++i) {
        const sn_live_input *old = &live->acting.data[i].input, *new = &inputs[i];
        same = old->client == new->client && old->acts == new->acts &&
               ((new->acts &SN_LIVE_HOLDS) == 0 || old->body == new->body);
    }
    return same;
}

static void remove_fields(sn_live *live)
{
    for (int i = 0; i < live->acting.count; ++i) {
        const sn_live_acting *acting = &live->acting.data[i];
        if (acting->input.acts & SN_LIVE_HOLDS) {
            (void)sn_world_remove_field(live->world, acting->pull, NULL);
        }
        if (acting->input.acts & SN_LIVE_BLOWS) {
            (void)sn_world_remove_field(live->world, acting->wind, NULL);
        }
    }
    sn_array_clear(&live->acting);
}

static sn_status add_fields(sn_live *live, const sn_live_input *inputs, int count, sn_error *error)
{
    if (!sn_array_reserve(&live->acting, count)) {
        return sn_fail_memory(error, sizeof(sn_live_acting));
    }
    for (int i = 0; i < count; ++i) {
        sn_live_acting *acting = &live->acting.data[i];
        *acting = (sn_live_acting){.input = inputs[i]};
        acting->input.acts = 0;
        live->acting.count = i + 1;
        char name[64];
        if (inputs[i].acts & SN_LIVE_HOLDS) {
            sn_pull_def def = pull_def(live, &inputs[i]);
            snprintf(name, sizeof name, "hand of client %u", (unsigned)inputs[i].client);
            def.name = sn_world_find_field(live->world, name).index == 0 ? name : NULL;
            sn_status status = sn_world_add_pull(live->world, &def, &acting->pull, error);
            if (status != SN_OK) {
                return status;
            }
            acting->input.acts |= SN_LIVE_HOLDS;
        }
        if (inputs[i].acts & SN_LIVE_BLOWS) {
            sn_wind_def def = wind_def(&inputs[i]);
            snprintf(name, sizeof name, "breath of client %u", (unsigned)inputs[i].client);
            def.name = sn_world_find_field(live->world, name).index == 0 ? name : NULL;
            sn_status status = sn_world_add_wind(live->world, &def, &acting->wind, error);
            if (status != SN_OK) {
                return status;
            }
            acting->input.acts |= SN_LIVE_BLOWS;
        }
    }
    return SN_OK;
}

static sn_status change_fields(sn_live *live, const sn_live_input *inputs, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < live->acting.count && status == SN_OK; ++i) {
        sn_live_acting *acting = &live->acting.data[i];
        if (memcmp(&acting->input, &inputs[i], sizeof inputs[i]) == 0) {
            continue;
        }
        if (inputs[i].acts & SN_LIVE_HOLDS) {
            sn_pull_def def = pull_def(live, &inputs[i]);
            status = sn_world_set_pull(live->world, acting->pull, &def, error);
        }
        if (status == SN_OK && (inputs[i].acts & SN_LIVE_BLOWS)) {
            sn_wind_def def = wind_def(&inputs[i]);
            status = sn_world_set_wind(live->world, acting->wind, &def, error);
        }
        acting->input = inputs[i];
    }
    return status;
}

bool sn_live_same_inputs(const sn_live *live, const sn_live_input *inputs, int count)
{
    bool same = count == live->acting.count;
    for (int i = 0; i < count && same; ++i) {
        same = memcmp(&live->acting.data[i].input, &inputs[i], sizeof inputs[i]) == 0;
    }
    return same;
}

sn_status sn_live_apply_inputs(sn_live *live, const sn_live_input *inputs, int count,
                               sn_error *error)
{
    if (sn_live_same_inputs(live, inputs, count)) {
        return SN_OK;
    }
    if (same_fields(live, inputs, count)) {
        return change_fields(live, inputs, error);
    }
    remove_fields(live);
    return add_fields(live, inputs, count, error);
}
