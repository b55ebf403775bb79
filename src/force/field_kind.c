// The kinds of fields: what each says of itself, and what the world asks of it.
#include "field/spring.h"
#include "field/wind.h"
#include "force/forces.h"
#include "model/world.h"

// ---- bodies ----

static void spring_bodies(const sn_field_record *record, sn_body ends[2])
{
    ends[0] = record->spring.body_a;
    ends[1] = record->spring.body_b;
}

static void one_body(sn_body body, sn_body ends[2])
{
    ends[0] = body;
    ends[1] = (sn_body){0};
}

static void pull_body(const sn_field_record *record, sn_body ends[2])
{
    one_body(record->pull.body, ends);
}

static void drag_body(const sn_field_record *record, sn_body ends[2])
{
    one_body(record->drag.body, ends);
}

static void load_body(const sn_field_record *record, sn_body ends[2])
{
    one_body(record->load.body, ends);
}

static void no_body(const sn_field_record *record, sn_body ends[2])
{
    (void)record;
    one_body((sn_body){0}, ends);
}

// Winds and callbacks act on whatever is there: sn_world_evaluate_forces sees to them.
static void apply_nowhere(sn_world *world, const sn_field_record *record, int group)
{
    (void)world;
    (void)record;
    (void)group;
}

// ---- energy ----

static double spring_energy(const sn_world *world, const sn_field_record *record)
{
    const sn_spring_def *spring = &record->spring;
    return sn_spring_energy(spring->stiffness, spring->rest_length,
                            sn_world_spring_state(world, spring).length);
}

static double pull_energy(const sn_world *world, const sn_field_record *record)
{
    const sn_pull_def *pull = &record->pull;
    sn_vec3 point, velocity;
    sn_world_body_point(world, sn_world_body_record(world, pull->body), pull->point, &point,
                        &velocity);
    return sn_spring_energy(pull->stiffness, 0.0, sn_distance(point, pull->target));
}

static double callback_energy(const sn_world *world, const sn_field_record *record)
{
    const sn_callback_def *callback = &record->callback;
    return callback->potential != NULL ? callback->potential(callback->user, world) : 0.0;
}

static double no_energy(const sn_world *world, const sn_field_record *record)
{
    (void)world;
    (void)record;
    return 0.0;
}

// ---- what they own ----

static void release_nothing(sn_field_record *record)
{
    (void)record;
}

static bool own_nothing(sn_field_record *record)
{
    (void)record;
    return true;
}

static void release_wind(sn_field_record *record)
{
    sn_wind_destroy(record->wind);
}

static bool own_wind(sn_field_record *record)
{
    record->wind = sn_wind_copy(record->wind);
    return record->wind != NULL;
}

static void release_load(sn_field_record *record)
{
    sn_load_destroy(record->load.spread);
}

static bool own_load(sn_field_record *record)
{
    record->load.spread = sn_load_copy(record->load.spread);
    return record->load.spread != NULL;
}

const sn_field_kind sn_field_kinds[] = {
    [SN_FIELD_SPRING] = {.name = "spring",
                         .stretches = true,
                         .wakes = true,
                         .ends = spring_bodies,
                         .apply = sn_world_apply_spring,
                         .energy = spring_energy,
                         .release = release_nothing,
                         .own = own_nothing},
    [SN_FIELD_PULL] = {.name = "pull",
                       .pulls = true,
                       .damps = true,
                       .wakes = true,
                       .ends = pull_body,
                       .apply = sn_world_apply_pull,
                       .energy = pull_energy,
                       .release = release_nothing,
                       .own = own_nothing},
    [SN_FIELD_DRAG] = {.name = "drag",
                       .damps = true,
                       .wide = true,
                       .ends = drag_body,
                       .apply = sn_world_apply_drag,
                       .energy = no_energy,
                       .release = release_nothing,
                       .own = own_nothing},
    [SN_FIELD_CALLBACK] = {.name = "callback",
                           .couples = true,
                           .ends = no_body,
                           .apply = apply_nowhere,
                           .energy = callback_energy,
                           .release = release_nothing,
                           .own = own_nothing},
    [SN_FIELD_WIND] = {.name = "wind",
                       .blows = true,
                       .damps = true,
                       .ends = no_body,
                       .apply = apply_nowhere,
                       .energy = no_energy,
                       .release = release_wind,
                       .own = own_wind},
    [SN_FIELD_LOAD] = {.name = "load",
                       .wakes = true,
                       .ends = load_body,
                       .apply = sn_world_apply_load,
                       .energy = no_energy,
                       .release = release_load,
                       .own = own_load},
};
