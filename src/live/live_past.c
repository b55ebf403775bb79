// The history of a live world, and going back and forth in it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "live/live.h"
#include "model/world.h"

// ---- remembering ----

// Energies, momenta and the scene's probes, as sn_live_make_file writes them.
static bool measure(sn_live *live)
{
    const sn_world *world = live->world;
    int count = SN_LIVE_ROW_ENERGY + live->probes.count;
    if (!sn_array_resize(&live->row, count)) {
        return false;
    }
    sn_energy energy = sn_world_energy(world);
    sn_vec3 p = sn_world_momentum(world), l = sn_world_angular_momentum(world);
    const double numbers[SN_LIVE_ROW_ENERGY] = {
        energy.kinetic, energy.potential, energy.total, p.x, p.y, p.z, l.x, l.y, l.z};
    memcpy(live->row.data, numbers, sizeof numbers);
    for (int i = 0; i < live->probes.count; ++i) {
        live->row.data[SN_LIVE_ROW_ENERGY + i] = sn_probe_read(world, &live->probes.data[i]);
    }
    return true;
}

bool sn_live_note_params(sn_live *live)
{
    int count = sn_scene_param_count(live->scene);
    if (!sn_array_resize(&live->param_row, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        live->param_row.data[i] = sn_scene_param(live->scene, i).value;
    }
    return true;
}

static bool save_state(sn_live *live)
{
    size_t size = sn_world_state_size(live->world);
    size_t memory = sn_world_contact_memory_size(live->world);
    sn_bytes_clear(&live->state);
    sn_bytes_clear(&live->memory);
    if (!sn_bytes_reserve(&live->state, size) || !sn_bytes_reserve(&live->memory, memory)) {
        return false;
    }
    live->state.count = size;
    live->memory.count = memory;
    return sn_world_save_state(live->world, live->state.data, size, NULL) == SN_OK &&
           sn_world_save_contact_memory(live->world, live->memory.data, memory, NULL) == SN_OK;
}

static bool note_inputs(sn_live *live)
{
    if (!sn_array_resize(&live->noted, live->acting.count)) {
        return false;
    }
    for (int i = 0; i < live->acting.count; ++i) {
        live->noted.data[i] = live->acting.data[i].input;
    }
    return true;
}

sn_status sn_live_remember(sn_live *live, sn_error *error)
{
    if (!measure(live) || !note_inputs(live) || !save_state(live)) {
        return sn_fail_memory(error, live->state.count);
    }
    sn_history_moment moment = {.step = sn_world_step_count(live->world),
                                .time = sn_world_time(live->world),
                                .touched = live->touched,
                                .plan = live->plan,
                                .counters = live->counters};
    sn_history_part *parts = moment.parts;
    parts[SN_HISTORY_STATE] = (sn_history_part){live->state.data, live->state.count};
    parts[SN_HISTORY_MEMORY] = (sn_history_part){live->memory.data, live->memory.count};
    parts[SN_HISTORY_INPUTS] =
        (sn_history_part){live->noted.data, (size_t)live->noted.count * sizeof(sn_live_input)};
    parts[SN_HISTORY_PARAMS] =
        (sn_history_part){live->param_row.data, (size_t)live->param_row.count * sizeof(double)};
    parts[SN_HISTORY_ROW] =
        (sn_history_part){live->row.data, (size_t)live->row.count * sizeof(double)};
    parts[SN_HISTORY_STEPS] =
        (sn_history_part){live->steps.data, (size_t)live->steps.count * sizeof(sn_history_step)};
    parts[SN_HISTORY_PLACED] = (sn_history_part){live->placement.data, live->placement.count};
    sn_status status = sn_history_add(&live->history, &moment, error);
    sn_array_clear(&live->steps);
    sn_bytes_clear(&live->placement);
    live->touched = false;
    live->advances = 0;
    return status;
}

void sn_live_flush(sn_live *live)
{
    sn_error error = {0};
    if (live->steps.count > 0 && !live->past && sn_live_remember(live, &error) != SN_OK) {
        sn_live_tell_error(live, &error, "history");
    }
}

// Moments of a large world are made less often, so that its history reaches further back; steps
// between them are taken again, so not much less often.
int sn_live_moment_every(const sn_live *live)
{
    enum { WANTED = 600, MOST = 8 };
    double size = (double)(live->state.count + live->memory.count);
    double every = ceil(size * WANTED / ((double)live->history.budget + 1.0));
    return every < 1.0 ? 1 : every > MOST ? MOST : (int)every;
}

sn_status sn_live_start_history(sn_live *live, sn_error *error)
{
    sn_history_clear(&live->history);
    sn_array_clear(&live->steps);
    live->plan = (sn_history_plan){.base = sn_world_time(live->world)};
    live->counters = (sn_history_counters){0};
    live->past = false;
    live->touched = live->placed = false;
    live->owed = 0.0;
    sn_bytes_clear(&live->placement);
    return sn_live_note_params(live) ? sn_live_remember(live, error)
                                     : sn_fail_memory(error, sizeof(double));
}

// ---- going back ----

static sn_status put_params(sn_live *live, const sn_history_moment *moment, sn_error *error)
{
    const double *values = moment->parts[SN_HISTORY_PARAMS].data;
    int count = live->param_row.count;
    if (count == 0 || memcmp(values, live->param_row.data, (size_t)count * sizeof *values) == 0) {
        return SN_OK;
    }
    for (int i = 0; i < count; ++i) {
        sn_param param = sn_scene_param(live->scene, i);
        if (param.value != values[i]) {
            sn_status status = sn_scene_set_param(live->scene, param.name, values[i], error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    sn_live_tell_params(live, live->param_row.data);
    memcpy(live->param_row.data, values, (size_t)count * sizeof *values);
    live->run = sn_scene_run(live->scene);
    return sn_scene_update(live->scene, live->world, error);
}

static sn_status put_state(sn_live *live, const sn_history_moment *moment, sn_error *error)
{
    const sn_history_part *state = &moment->parts[SN_HISTORY_STATE],
                          *memory = &moment->parts[SN_HISTORY_MEMORY];
    sn_status status = sn_world_load_state(live->world, state->data, state->size, error);
    if (status == SN_OK) {
        status = sn_world_load_contact_memory(live->world, memory->data, memory->size, error);
    }
    live->plan = moment->plan;
    live->counters = moment->counters;
    sn_array_clear(&live->steps);
    sn_bytes_clear(&live->placement);
    live->touched = live->placed = false;
    return status;
}

// State and memory of contacts, as sn_live_keep_placement has joined them. What was moved wakes
// what it touched.
static sn_status load_placement(sn_live *live, sn_error *error)
{
    size_t size = sn_world_state_size(live->world);
    const sn_bytes *bytes = &live->placement;
    if (bytes->count < size) {
        return sn_fail(error, SN_ERROR_FORMAT, "history", "a placement is of another world");
    }
    sn_status status = sn_world_load_state(live->world, bytes->data, size, error);
    if (status == SN_OK) {
        status = sn_world_load_contact_memory(live->world, bytes->data + size, bytes->count - size,
                                              error);
        sn_world_touch(live->world);
    }
    return status;
}

// By way of the bytes, so that steps taken again begin as these do.
sn_status sn_live_keep_placement(sn_live *live, sn_error *error)
{
    sn_bytes *bytes = &live->placement;
    sn_bytes_clear(bytes);
    bool saved = save_state(live);
    if (saved) {
        sn_bytes_put(bytes, live->state.data, live->state.count);
        sn_bytes_put(bytes, live->memory.data, live->memory.count);
    }
    if (!saved || bytes->failed) {
        sn_bytes_clear(bytes);
        return sn_fail_memory(error, sn_world_state_size(live->world));
    }
    live->placed = false;
    return load_placement(live, error);
}

static sn_status put_placement(sn_live *live, const sn_history_moment *moment, sn_error *error)
{
    const sn_history_part *part = &moment->parts[SN_HISTORY_PLACED];
    if (part->size == 0) {
        return SN_OK;
    }
    sn_bytes_clear(&live->placement);
    sn_bytes_put(&live->placement, part->data, part->size);
    return live->placement.failed ? sn_fail_memory(error, part->size) : load_placement(live, error);
}

// The world as it was at a moment, about to be moved by what acted before another.
static sn_status put_moment(sn_live *live, const sn_history_moment *at,
                            const sn_history_moment *acting, sn_error *error)
{
    const sn_history_part *inputs = &acting->parts[SN_HISTORY_INPUTS];
    sn_status status = put_params(live, acting, error);
    if (status == SN_OK) {
        status = sn_live_apply_inputs(live, inputs->data,
                                      (int)(inputs->size / sizeof(sn_live_input)), error);
    }
    return status == SN_OK ? put_state(live, at, error) : status;
}

// Takes the steps again that led from the moment before `index` to `step`.
static sn_status repeat_steps(sn_live *live, int index, uint64_t step, sn_error *error)
{
    sn_history_moment from, to;
    sn_history_moment_at(&live->history, index - 1, &from);
    sn_history_moment_at(&live->history, index, &to);
    sn_status status = put_moment(live, &from, &to, error);
    status = status == SN_OK ? put_placement(live, &to, error) : status;
    if (status != SN_OK) {
        return status;
    }
    live->touched = to.touched;
    if (to.touched) {
        sn_world_touch(live->world);
    }
    while (sn_world_step_count(live->world) < step) {
        if (!sn_live_step(live)) {
            return sn_fail(error, SN_ERROR_STOPPED, "history",
                           "a step failed that went well before");
        }
    }
    if (step != to.step) {
        return SN_OK;
    }
    const sn_history_part *state = &to.parts[SN_HISTORY_STATE];
    bool same = save_state(live) && live->state.count == state->size &&
                memcmp(live->state.data, state->data, state->size) == 0;
    return same ? SN_OK : put_state(live, &to, error);
}

sn_status sn_live_go_to(sn_live *live, uint64_t step, sn_error *error)
{
    int count = sn_history_count(&live->history);
    if (count == 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "history", "nothing is remembered");
    }
    sn_history_moment first, last, to;
    sn_history_moment_at(&live->history, 0, &first);
    sn_history_moment_at(&live->history, count - 1, &last);
    step = step < first.step ? first.step : step > last.step ? last.step : step;
    int index = sn_history_find(&live->history, step);
    sn_history_moment_at(&live->history, index, &to);
    // By steps from the moment before, so that forces of contacts and joints are known as well.
    bool repeats = index > 0 && (live->exact || step != to.step);
    sn_status status = repeats ? repeat_steps(live, index, step, error) : SN_ERROR_STOPPED;
    if (status != SN_OK && (!repeats || step == to.step)) {
        status = put_moment(live, &to, &to, error);
    }
    // Where going there has failed, the world stands elsewhere in the history.
    live->past = sn_world_step_count(live->world) < last.step;
    if (!live->past) { // the steps taken again are those of the last moment
        sn_array_clear(&live->steps);
        sn_bytes_clear(&live->placement);
        live->touched = false;
    }
    live->events_told = sn_world_event_count(live->world);
    live->change += 1;
    return status;
}

uint64_t sn_live_step_near(const sn_live *live, double time)
{
    int count = sn_history_count(&live->history);
    int index = sn_history_find_time(&live->history, time);
    sn_history_moment moment = {0}, before = {0};
    if (count == 0) {
        return 0;
    }
    sn_history_moment_at(&live->history, index < count ? index : count - 1, &moment);
    if (index == 0 || index == count) {
        return moment.step;
    }
    sn_history_moment_at(&live->history, index - 1, &before);
    const sn_history_part *part = &moment.parts[SN_HISTORY_STEPS];
    const sn_history_step *steps = part->data;
    int taken = (int)(part->size / sizeof *steps);
    uint64_t best = before.step;
    double off = fabs(time - before.time);
    for (int i = 0; i < taken; ++i) {
        if (fabs(steps[i].time - time) < off) {
            off = fabs(steps[i].time - time);
            best = moment.step - (uint64_t)(taken - 1 - i);
        }
    }
    return best;
}

void sn_live_continue(sn_live *live)
{
    if (!live->past) {
        return;
    }
    // `past` says that the world's step is below that of the last moment, so that there is one at
    // it or beyond it.
    uint64_t step = sn_world_step_count(live->world);
    int index = sn_history_find(&live->history, step);
    sn_history_moment moment;
    sn_history_moment_at(&live->history, index, &moment);
    if (moment.step == step) {
        sn_history_cut(&live->history, index);
        sn_array_clear(&live->steps);
        sn_bytes_clear(&live->placement);
        live->touched = false;
    } else {
        // Between two moments: what was taken again of the steps becomes a moment of its own.
        sn_history_cut(&live->history, index - 1);
        (void)sn_live_remember(live, NULL);
    }
    live->past = false;
    live->owed = 0.0;
    live->change += 1;
}
