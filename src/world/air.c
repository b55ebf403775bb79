#include "world/air.h"

#include "base/error.h"
#include "field/wind.h"
#include "world/world.h"

enum { BODY_CHUNK = 16 }; // bodies a thread takes at a time

// ---- winds as fields ----

sn_status sn_world_add_wind(sn_world *world, const sn_wind_def *def, sn_field *field,
                            sn_error *error)
{
    *field = (sn_field){0};
    sn_field_record record = {.type = SN_FIELD_WIND};
    sn_status status = sn_wind_create(def, &record.wind, error);
    if (status == SN_OK) {
        status = sn_world_add_field(world, record, def->name, field, error);
    }
    if (status != SN_OK) {
        sn_wind_destroy(record.wind);
    }
    return status;
}

// All but the aim and the strength.
static bool is_same_wind(const sn_wind_def *a, const sn_wind_def *b)
{
    return a->kind == b->kind && a->breath == b->breath && a->radius == b->radius &&
           a->length == b->length && a->swirl == b->swirl && a->law == b->law &&
           a->random_share == b->random_share && a->up.x == b->up.x && a->up.y == b->up.y &&
           a->up.z == b->up.z && a->profile == b->profile && a->height == b->height &&
           a->roughness == b->roughness && a->exponent == b->exponent &&
           a->intensity == b->intensity && a->scale == b->scale && a->spectrum == b->spectrum &&
           a->modes == b->modes && a->seed == b->seed;
}

static sn_status change_wind(sn_world *world, sn_field_record *record, const sn_wind_def *def,
                             sn_error *error)
{
    if (is_same_wind(def, &record->wind->def)) {
        sn_status status =
            sn_wind_aim(record->wind, def->position, def->direction, def->speed, error);
        if (status == SN_OK) {
            sn_wind_take_strength(record->wind, def->strength);
        }
        return status;
    }
    sn_wind *made = NULL;
    sn_wind_def named = *def;
    named.name = record->name;
    sn_status status = sn_wind_create(&named, &made, error);
    if (status == SN_OK) {
        sn_wind_destroy(record->wind);
        record->wind = made;
        world->groups_current = false;
    }
    return status;
}

sn_status sn_world_set_wind(sn_world *world, sn_field field, const sn_wind_def *def,
                            sn_error *error)
{
    sn_field_record *record = sn_world_field_record(world, field);
    if (record == NULL || record->type != SN_FIELD_WIND) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the field to change is not a wind");
    }
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = change_wind(world, record, def, error);
    }
    if (status == SN_OK) {
        sn_world_touch(world);
    }
    return status;
}

const sn_wind *sn_world_wind(const sn_world *world, sn_field field)
{
    const sn_field_record *record = sn_world_field_record(world, field);
    return record != NULL && record->type == SN_FIELD_WIND ? record->wind : NULL;
}

sn_field sn_world_find_breath(const sn_world *world)
{
    for (int i = 0; i < world->field_order.count; ++i) {
        uint32_t index = world->field_order.data[i];
        const sn_field_record *record = &world->fields.data[index];
        if (record->type == SN_FIELD_WIND && record->wind->def.breath) {
            return (sn_field){index, world->field_ids.generation.data[index]};
        }
    }
    return (sn_field){0};
}

static bool is_positive_or_zero(double value)
{
    return value >= 0.0 && isfinite(value);
}

sn_status sn_world_set_air(sn_world *world, const sn_air_def *def, sn_error *error)
{
    sn_status status = sn_world_check_still(world, error);
    if (status != SN_OK) {
        return status;
    }
    if (!is_positive_or_zero(def->density) || !is_positive_or_zero(def->normal) ||
        !is_positive_or_zero(def->tangential) || !is_positive_or_zero(def->patch)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "air",
                       "density is %g kg/m^3, the coefficients are %g and %g, patches %g m: "
                       "expected 0 or more",
                       def->density, def->normal, def->tangential, def->patch);
    }
    if (def->patch != world->air.def.patch) {
        sn_world_free_air(world);
        world->groups_current = false;
    }
    world->air.def = *def;
    sn_world_touch(world);
    return SN_OK;
}

sn_air_def sn_world_air(const sn_world *world)
{
    return world->air.def;
}

sn_vec3 sn_world_air_velocity(const sn_world *world, sn_vec3 point)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *record = &world->fields.data[world->field_order.data[i]];
        if (record->type == SN_FIELD_WIND) {
            sum = sn_vec3_add(sum, sn_wind_velocity(record->wind, point, world->time));
        }
    }
    return sum;
}

// ---- patches ----

void sn_world_forget_air(sn_world *world)
{
    sn_array_free(&world->air.winds);
    sn_array_free(&world->air.strengths);
    sn_array_free(&world->air.bodies);
    world->air.any_air_law = false;
}

void sn_world_free_air(sn_world *world)
{
    sn_air *air = &world->air;
    sn_world_forget_air(world);
    for (int i = 0; i < air->forms.count; ++i) {
        sn_form_release(air->forms.data[i].form);
    }
    sn_array_free(&air->forms);
    sn_array_free(&air->patches);
}

static sn_status find_form(sn_air *air, const sn_body_record *record, int *found, sn_error *error)
{
    for (int i = air->forms.count - 1; i >= 0; --i) {
        if (air->forms.data[i].form == record->form) {
            *found = i;
            return SN_OK;
        }
    }
    sn_air_form made = {.form = record->form, .first = air->patches.count};
    sn_status status =
        sn_patches_add(&air->patches, record->shapes, record->shape_count, air->def.patch, error);
    if (status != SN_OK) {
        return status;
    }
    made.count = air->patches.count - made.first;
    if (!sn_array_push(&air->forms, made)) {
        air->patches.count = made.first;
        return sn_fail_memory(error, sizeof made);
    }
    sn_form_retain(record->form);
    *found = air->forms.count - 1;
    return SN_OK;
}

static sn_status add_bodies(sn_world *world, sn_error *error)
{
    sn_air *air = &world->air;
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        const sn_body_record *record = &world->bodies.data[index];
        if (record->form == NULL || record->agent.agent < 0) {
            continue;
        }
        int form = 0;
        sn_status status = find_form(air, record, &form, error);
        if (status != SN_OK) {
            return status;
        }
        sn_air_body body = {.agent = record->agent,
                            .group = world->group_of[record->agent.set].data[record->agent.agent],
                            .number = index,
                            .first = air->forms.data[form].first,
                            .count = air->forms.data[form].count};
        if (!sn_array_push(&air->bodies, body)) {
            return sn_fail_memory(error, sizeof body);
        }
    }
    return SN_OK;
}

sn_status sn_world_make_air(sn_world *world, sn_error *error)
{
    sn_air *air = &world->air;
    // Forms that no body has any more are let go when they are the greater part.
    if (air->forms.count > 2 * world->body_order.count + 16) {
        sn_world_free_air(world);
    }
    sn_world_forget_air(world);
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *record = &world->fields.data[world->field_order.data[i]];
        if (record->type == SN_FIELD_WIND) {
            if (!sn_array_push(&air->winds, record->wind) || !sn_array_push(&air->strengths, 0.0)) {
                return sn_fail_memory(error, sizeof record->wind);
            }
            air->any_air_law = air->any_air_law || record->wind->def.law == SN_WIND_LAW_AIR;
        }
    }
    return air->winds.count > 0 ? add_bodies(world, error) : SN_OK;
}

// ---- forces ----

typedef struct body_sum {
    sn_spatial wrench;           // about the centre of mass
    sn_mat3 linear, turn, mixed; // of -d(wrench)/d(velocity): vv, ww, wv
} body_sum;

// A patch at r from the centre of mass: F = J w and w = u - v + [r] omega, so that the blocks of
// the damping are J, [r] J and -[r] J [r].
static void add_air_law(const sn_air_def *def, const sn_patch *patch, sn_vec3 normal, sn_vec3 r,
                        sn_vec3 relative, body_sum *sum)
{
    sn_vec3 force;
    sn_mat3 j;
    sn_air_force(def, patch->area, patch->sides, normal, relative, &force, &j);
    sum->wrench.linear = sn_vec3_add(sum->wrench.linear, force);
    sum->wrench.angular = sn_vec3_add(sum->wrench.angular, sn_cross(r, force));
    // Columns of [r] J, then rows of -([r] J) [r], as cross products.
    double mixed[3][3];
    for (int i = 0; i < 3; ++i) {
        sn_vec3 column = sn_cross(r, sn_vec3_make(j.m[0][i], j.m[1][i], j.m[2][i]));
        mixed[0][i] = column.x;
        mixed[1][i] = column.y;
        mixed[2][i] = column.z;
    }
    for (int i = 0; i < 3; ++i) {
        sn_vec3 row = sn_cross(r, sn_vec3_at(mixed[i]));
        const double turn[3] = {row.x, row.y, row.z};
        for (int k = 0; k < 3; ++k) {
            sum->linear.m[i][k] += j.m[i][k];
            sum->mixed.m[i][k] += mixed[i][k];
            sum->turn.m[i][k] += turn[k];
        }
    }
}

// The face's law looks at the wind alone, on the side that it blows at.
static void add_face_law(const sn_world *world, const sn_wind *wind, uint64_t number,
                         const sn_patch *patch, sn_vec3 normal, sn_vec3 r, sn_vec3 velocity,
                         body_sum *sum)
{
    if (patch->sides == 1 && sn_dot(velocity, normal) >= 0.0) {
        return;
    }
    sn_vec3 force = sn_wind_face_force(world->air.def.density, patch->area, normal, velocity);
    if (wind->def.random_share > 0.0) {
        force = sn_vec3_add(force, sn_wind_random_force(force, wind->def.random_share,
                                                        wind->def.seed, number, world->steps));
    }
    sum->wrench.linear = sn_vec3_add(sum->wrench.linear, force);
    sum->wrench.angular = sn_vec3_add(sum->wrench.angular, sn_cross(r, force));
}

static void add_patch(const sn_world *world, const sn_air_body *body, int index,
                      const sn_part *part, const sn_mat3 *rotation, double time, body_sum *sum)
{
    const sn_air *air = &world->air;
    const sn_patch *patch = &air->patches.data[body->first + index];
    sn_vec3 place = sn_vec3_add(part->frame.position, sn_mat3_apply(*rotation, patch->centre));
    sn_vec3 normal = sn_mat3_apply(*rotation, patch->normal);
    sn_vec3 r = sn_vec3_sub(place, part->centre), stream = SN_VEC3_ZERO;
    for (int i = 0; i < air->winds.count; ++i) {
        const sn_wind *wind = air->winds.data[i];
        if (air->strengths.data[i] == 0.0) {
            continue;
        }
        sn_vec3 velocity =
            sn_vec3_scale(air->strengths.data[i], sn_wind_full_velocity(wind, place, time));
        if (wind->def.law == SN_WIND_LAW_AIR) {
            stream = sn_vec3_add(stream, velocity);
        } else {
            uint64_t number = ((uint64_t)body->number << 32) + (uint64_t)index;
            add_face_law(world, wind, number, patch, normal, r, velocity, sum);
        }
    }
    if (air->any_air_law) {
        sn_vec3 own = sn_vec3_add(part->velocity, sn_cross(part->angular_velocity, r));
        add_air_law(&air->def, patch, normal, r, sn_vec3_sub(stream, own), sum);
    }
}

static void add_blocks(double *damping, const body_sum *sum)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping[i * 6 + j] += sum->linear.m[i][j];
            damping[i * 6 + 3 + j] += sum->mixed.m[j][i];
            damping[(3 + i) * 6 + j] += sum->mixed.m[i][j];
            damping[(3 + i) * 6 + 3 + j] += sum->turn.m[i][j];
        }
    }
}

typedef struct air_work {
    sn_world *world;
    double time;
    int group;
} air_work;

static void blow_on(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const air_work *work = context;
    sn_world *world = work->world;
    for (int i = first; i < last; ++i) {
        const sn_air_body *body = &world->air.bodies.data[i];
        if (body->group != work->group) {
            continue;
        }
        sn_agent_set *set = world->sets[body->agent.set];
        sn_part part;
        set->type->part(set, body->agent.agent, body->agent.part, &part);
        sn_mat3 rotation = sn_quat_to_mat3(part.frame.rotation);
        body_sum sum = {0};
        for (int k = 0; k < body->count; ++k) {
            add_patch(world, body, k, &part, &rotation, work->time, &sum);
        }
        sn_spatial *f = sn_agent_force(set, body->agent.agent) + body->agent.part;
        *f = sn_spatial_add(*f, sum.wrench);
        if (body->group < 0 && world->air.any_air_law) {
            add_blocks(sn_agent_damping(set, body->agent.agent, body->agent.part), &sum);
        }
    }
}

void sn_world_add_air(sn_world *world, double time, int group)
{
    const sn_air *air = &world->air;
    if (air->winds.count > 0) {
        for (int i = 0; i < air->winds.count; ++i) {
            air->strengths.data[i] = sn_wind_strength(air->winds.data[i], time);
        }
        air_work work = {world, time, group};
        sn_threads_run(world->threads, world->air.bodies.count, BODY_CHUNK, blow_on, &work);
    }
}
