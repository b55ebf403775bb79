#include "force/air.h"

#include <string.h>

#include "base/error.h"
#include "force/forces.h"
#include "force/shade.h"
#include "model/world.h"

enum {
    BODY_CHUNK = 16, // bodies a thread takes at a time
    TILE = 64,       // blocks of patches that are worked on at a time
};

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
    return a->kind == b->kind && a->occlusion == b->occlusion &&
           a->occlusion_pixels == b->occlusion_pixels &&
           a->occlusion_period == b->occlusion_period && a->breath == b->breath &&
           a->radius == b->radius && a->length == b->length && a->swirl == b->swirl &&
           a->law == b->law && a->random_share == b->random_share && a->up.x == b->up.x &&
           a->up.y == b->up.y && a->up.z == b->up.z && a->profile == b->profile &&
           a->height == b->height && a->roughness == b->roughness && a->exponent == b->exponent &&
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
    sn_field_record *record = NULL;
    sn_status status = sn_world_find_to_change(world, field, SN_FIELD_WIND, &record, error);
    if (status == SN_OK) {
        status = sn_world_check_still(world, error);
    }
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
    return record != NULL && sn_field_kind_of(record)->blows ? record->wind : NULL;
}

sn_field sn_world_find_breath(const sn_world *world)
{
    for (int i = 0; i < world->field_order.count; ++i) {
        uint32_t index = world->field_order.data[i];
        const sn_field_record *record = &world->fields.data[index];
        if (sn_field_kind_of(record)->blows && record->wind->def.breath) {
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
    sn_air *air = &world->air;
    air->def = *def;
    for (int i = 0; i < air->forms.count; ++i) {
        const sn_air_form *form = &air->forms.data[i];
        if (form->count > 0) {
            sn_air_blocks_fill(air->blocks.data + form->block_first, def,
                               air->patches.data + form->first, form->count);
        }
    }
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
        if (sn_field_kind_of(record)->blows) {
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
    sn_array_free(&world->air.cuts);
    world->air.any_air_law = false;
    sn_shade_forget(&world->air.shade);
}

void sn_world_free_air(sn_world *world)
{
    sn_air *air = &world->air;
    sn_world_forget_air(world);
    sn_shade_free(&air->shade);
    for (int i = 0; i < air->forms.count; ++i) {
        sn_form_release(air->forms.data[i].form);
    }
    sn_array_free(&air->forms);
    sn_array_free(&air->patches);
    sn_array_free(&air->blocks);
}

// The middle of the box around the patches' centres, and how far they are from there.
static void find_ball(const sn_patch *patches, sn_air_form *form)
{
    sn_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = sn_vec3_negate(lower);
    for (int i = 0; i < form->count; ++i) {
        lower = sn_vec3_min(lower, patches[i].centre);
        upper = sn_vec3_max(upper, patches[i].centre);
    }
    form->middle = sn_vec3_scale(0.5, sn_vec3_add(lower, upper));
    for (int i = 0; i < form->count; ++i) {
        form->radius = fmax(form->radius, sn_distance(patches[i].centre, form->middle));
        form->size = fmax(form->size, sn_patch_length(&patches[i], 0));
    }
}

static sn_status find_form(sn_air *air, const sn_body_record *record, int *found, sn_error *error)
{
    for (int i = air->forms.count - 1; i >= 0; --i) {
        if (air->forms.data[i].form == record->form) {
            *found = i;
            return SN_OK;
        }
    }
    sn_air_form made = {
        .form = record->form, .first = air->patches.count, .block_first = air->blocks.count};
    sn_status status =
        sn_patches_add(&air->patches, record->shapes, record->shape_count, air->def.patch, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_patch *patches = air->patches.data + made.first;
    made.count = air->patches.count - made.first;
    find_ball(patches, &made);
    if (!sn_air_blocks_add(&air->blocks, &air->def, patches, made.count) ||
        !sn_array_push(&air->forms, made)) {
        air->patches.count = made.first;
        air->blocks.count = made.block_first;
        return sn_fail_memory(error, sizeof made);
    }
    sn_form_retain(record->form);
    *found = air->forms.count - 1;
    return SN_OK;
}

static sn_status add_bodies(sn_world *world, sn_error *error)
{
    sn_air *air = &world->air;
    int cuts = 0;
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
                            .count = air->forms.data[form].count,
                            .form = form,
                            .first_cut = cuts};
        if (!sn_array_push(&air->bodies, body)) {
            return sn_fail_memory(error, sizeof body);
        }
        cuts += body.count;
    }
    if (!sn_array_resize(&air->cuts, cuts)) {
        return sn_fail_memory(error, (size_t)cuts * sizeof(sn_patch_cut));
    }
    if (cuts > 0) {
        memset(air->cuts.data, 0, (size_t)cuts * sizeof(sn_patch_cut));
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
        if (sn_field_kind_of(record)->blows) {
            if (!sn_array_push(&air->winds, record->wind) || !sn_array_push(&air->strengths, 0.0)) {
                return sn_fail_memory(error, sizeof(void *));
            }
            air->any_air_law = air->any_air_law || record->wind->def.law == SN_WIND_LAW_AIR;
        }
    }
    sn_status status = air->winds.count > 0 ? add_bodies(world, error) : SN_OK;
    status =
        status == SN_OK && air->winds.count > 0 ? sn_world_make_air_skins(world, error) : status;
    return status == SN_OK ? sn_world_make_shade(world, error) : status;
}

// ---- forces ----

typedef struct body_air {
    const sn_air_body *body;
    const sn_air_form *form;
    sn_wind_place place;
    sn_air_motion motion; // in the body's frame
    double time;
    bool with_damping;
} body_air;

// The random parts of the face's law, on the patches of a tile.
static void add_random_forces(const sn_world *world, const sn_wind *wind, const body_air *at,
                              int first, int count, const sn_air_stream *stream, sn_air_sum *sum)
{
    double density = world->air.def.density;
    for (int i = 0; i < count; ++i) {
        const sn_patch *patch = &world->air.patches.data[at->form->first + first + i];
        const sn_air_stream *block = &stream[i / SN_LANES];
        sn_vec3 velocity = {block->velocity[0][i % SN_LANES], block->velocity[1][i % SN_LANES],
                            block->velocity[2][i % SN_LANES]};
        if (patch->sides == 1 && sn_dot(velocity, patch->normal) >= 0.0) {
            continue;
        }
        sn_vec3 force = patch->wire
                            ? sn_wind_wire_force(density, patch->area, patch->normal, velocity)
                            : sn_wind_face_force(density, patch->area, patch->normal, velocity);
        uint64_t number = ((uint64_t)at->body->number << 32) + (uint64_t)(first + i);
        force = sn_wind_random_force(force, wind->def.random_share, wind->def.seed, number,
                                     world->steps);
        sn_vec3 r = sn_vec3_sub(patch->centre, at->motion.centre);
        sum->wrench.linear = sn_vec3_add(sum->wrench.linear, force);
        sum->wrench.angular = sn_vec3_add(sum->wrench.angular, sn_cross(r, force));
    }
}

// Velocities at a patch count with the root of the share of it that the wind reaches: the force on
// a patch at rest is that on its lit part.
static void dim_stream(const uint8_t *lit, int count, sn_air_stream *stream)
{
    for (int i = 0; i < count; ++i) {
        if (lit[i] < SN_SHADE_WHOLE) {
            double root = sqrt(lit[i] * (1.0 / SN_SHADE_WHOLE));
            for (int k = 0; k < 3; ++k) {
                stream[i / SN_LANES].velocity[k][i % SN_LANES] *= root;
            }
        }
    }
}

static void add_streams(sn_air_stream *sum, const sn_air_stream *stream, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int lane = 0; lane < SN_LANES; ++lane) {
                sum[i].velocity[k][lane] += stream[i].velocity[k][lane];
            }
        }
    }
}

// Blocks that are worked on together: some of a body's own, or points of patches that are cut.
typedef struct air_tile {
    const sn_air_block *blocks;
    int count;         // of blocks
    int first;         // patch of the body's
    int patches;       // in the blocks
    const int *owners; // the patches that points belong to; NULL: they are patches in a row
} air_tile;

static void dim_tile(const uint8_t *lit, const air_tile *tile, sn_air_stream *stream)
{
    if (tile->owners == NULL) {
        dim_stream(lit + tile->first, tile->patches, stream);
        return;
    }
    uint8_t own[TILE * SN_LANES];
    for (int i = 0; i < tile->patches; ++i) {
        own[i] = lit[tile->owners[i]];
    }
    dim_stream(own, tile->patches, stream);
}

// What the air does to a tile. Winds of the air's law are summed before they act, the others act
// one by one.
static void blow_on_tile(const sn_world *world, const body_air *at, const air_tile *tile,
                         sn_air_sum *sum)
{
    const sn_air *air = &world->air;
    const sn_air_block *blocks = tile->blocks;
    int count = tile->count;
    sn_air_stream stream[TILE], total[TILE];
    bool blows = false; // `total` has something in it
    for (int i = 0; i < air->winds.count; ++i) {
        const sn_wind *wind = air->winds.data[i];
        double strength = air->strengths.data[i];
        bool by_air = wind->def.law == SN_WIND_LAW_AIR;
        sn_air_stream *own = by_air && !blows ? total : stream;
        if (strength == 0.0 || wind->def.speed == 0.0) {
            continue; // air at rest damps below
        }
        sn_wind_blow(wind, &at->place, at->time, strength, blocks, count, own);
        const uint8_t *lit = sn_shade_lit(&air->shade, i, (int)(at->body - air->bodies.data));
        if (lit != NULL) {
            dim_tile(lit, tile, own);
        }
        if (by_air) {
            if (blows) {
                add_streams(total, own, count);
            }
            blows = true;
            continue;
        }
        sn_air_press_faces(blocks, count, own, &at->motion, sum);
        if (wind->def.random_share > 0.0) {
            add_random_forces(world, wind, at, tile->first, tile->patches, own, sum);
        }
    }
    if (air->any_air_law) {
        if (!blows) {
            memset(total, 0, (size_t)count * sizeof *total);
        }
        sn_air_press(blocks, count, total, &at->motion, at->with_damping, sum);
    }
}

// ---- patches that are cut ----

static void put_lane(sn_air_block *to, int lane, const sn_air_block *from, int patch, double share)
{
    for (int k = 0; k < 3; ++k) {
        to->centre[k][lane] = from->centre[k][patch];
        to->normal[k][lane] = from->normal[k][patch];
    }
    to->across[lane] = share * from->across[patch];
    to->along[lane] = share * from->along[patch];
    to->face[lane] = share * from->face[patch];
    to->face_along[lane] = share * from->face_along[patch];
    to->one_sided[lane] = from->one_sided[patch];
}

// Points gathered until a tile is full.
typedef struct air_points {
    sn_air_block blocks[TILE];
    int owners[TILE * SN_LANES];
    int count;
} air_points;

static void blow_on_points(const sn_world *world, const body_air *at, air_points *points,
                           const sn_air_block *filler, sn_air_sum *sum)
{
    if (points->count == 0) {
        return;
    }
    int blocks = sn_air_block_count(points->count);
    for (int i = points->count; i < blocks * SN_LANES; ++i) { // what is left over has no area
        put_lane(&points->blocks[i / SN_LANES], i % SN_LANES, filler, 0, 0.0);
    }
    air_tile tile = {points->blocks, blocks, 0, points->count, points->owners};
    blow_on_tile(world, at, &tile, sum);
    points->count = 0;
}

// The points of a patch, evenly spread over its rectangle.
static void add_points(const sn_world *world, const body_air *at, int index, sn_patch_cut cut,
                       air_points *points, sn_air_sum *sum)
{
    const sn_air *air = &world->air;
    const sn_patch *patch = &air->patches.data[at->form->first + index];
    const sn_air_block *block = &air->blocks.data[at->form->block_first + index / SN_LANES];
    int n[2] = {cut.points[0] > 1 ? cut.points[0] : 1, cut.points[1] > 1 ? cut.points[1] : 1};
    for (int k = 0; k < n[0] * n[1]; ++k) {
        int column = k % n[0], row = k / n[0];
        double u = sqrt(3.0) * ((2.0 * column + 1.0) / n[0] - 1.0);
        double v = sqrt(3.0) * ((2.0 * row + 1.0) / n[1] - 1.0);
        sn_vec3 out = sn_vec3_add_scaled(sn_vec3_scale(u, patch->across[0]), v, patch->across[1]);
        sn_air_block *to = &points->blocks[points->count / SN_LANES];
        int lane = points->count % SN_LANES;
        put_lane(to, lane, block, index % SN_LANES, 1.0 / (n[0] * n[1]));
        sn_vec3 point = sn_vec3_add(patch->middle, out);
        to->centre[0][lane] = point.x;
        to->centre[1][lane] = point.y;
        to->centre[2][lane] = point.z;
        points->owners[points->count++] = index;
        if (points->count == TILE * SN_LANES) {
            blow_on_points(world, at, points, block, sum);
        }
    }
}

// A tile some of whose patches may be cut: those act through their points, the rest as it is.
static void blow_on_cut_tile(const sn_world *world, const body_air *at, air_tile tile,
                             sn_air_sum *sum)
{
    const sn_patch_cut *cuts = world->air.cuts.data + at->body->first_cut + tile.first;
    sn_air_block rest[TILE];
    air_points points;
    points.count = 0;
    memcpy(rest, tile.blocks, (size_t)tile.count * sizeof *rest);
    for (int i = 0; i < tile.patches; ++i) {
        if (cuts[i].points[0] > 1 || cuts[i].points[1] > 1) {
            put_lane(&rest[i / SN_LANES], i % SN_LANES, &tile.blocks[i / SN_LANES], i % SN_LANES,
                     0.0);
            add_points(world, at, tile.first + i, cuts[i], &points, sum);
        }
    }
    blow_on_points(world, at, &points, tile.blocks, sum);
    tile.blocks = rest;
    blow_on_tile(world, at, &tile, sum);
}

// R m R^T for the three blocks of a damping at once, one in each lane.
static void turn_blocks(const sn_mat3 *rotation, const sn_air_sum *sum, sn_lanes turned[3][3])
{
    const double(*r)[3] = rotation->m;
    sn_lanes half[3][3];
    for (int j = 0; j < 3; ++j) {
        sn_lanes column[3];
        for (int k = 0; k < 3; ++k) {
            column[k] = (sn_lanes){sum->linear.m[k][j], sum->turn.m[k][j], sum->mixed.m[k][j], 0.0};
        }
        for (int i = 0; i < 3; ++i) {
            half[i][j] = r[i][0] * column[0] + r[i][1] * column[1] + r[i][2] * column[2];
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            turned[i][j] = r[j][0] * half[i][0] + r[j][1] * half[i][1] + r[j][2] * half[i][2];
        }
    }
}

static void add_blocks(double *damping, const sn_mat3 *rotation, const sn_air_sum *sum)
{
    sn_lanes turned[3][3];
    turn_blocks(rotation, sum, turned);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            damping[i * 6 + j] += turned[i][j][0];
            damping[i * 6 + 3 + j] += turned[j][i][2];
            damping[(3 + i) * 6 + j] += turned[i][j][2];
            damping[(3 + i) * 6 + 3 + j] += turned[i][j][1];
        }
    }
}

static void blow_on_body(sn_world *world, const sn_air_body *body, double time)
{
    sn_agent_set *set = world->sets[body->agent.set];
    sn_part part;
    set->type->part(set, body->agent.agent, body->agent.part, &part);
    sn_mat3 rotation = sn_quat_to_mat3(part.frame.rotation);
    sn_vec3 arm = sn_vec3_sub(part.centre, part.frame.position);
    const sn_air_form *form = &world->air.forms.data[body->form];
    body_air at = {
        .body = body,
        .form = form,
        .place = {part.frame.position, rotation, form->middle, form->radius},
        .motion = {sn_mat3_apply_transpose(rotation, part.velocity),
                   sn_mat3_apply_transpose(rotation, part.angular_velocity),
                   sn_mat3_apply_transpose(rotation, arm)},
        .time = time,
        .with_damping = body->group < 0,
    };
    sn_air_sum sum = {0};
    int count = sn_air_block_count(form->count);
    for (int first = 0; first < count; first += TILE) {
        air_tile tile = {.blocks = world->air.blocks.data + form->block_first + first,
                         .count = count - first < TILE ? count - first : TILE,
                         .first = first * SN_LANES};
        int left = form->count - tile.first;
        tile.patches = left < tile.count * SN_LANES ? left : tile.count * SN_LANES;
        if (body->is_cut) {
            blow_on_cut_tile(world, &at, tile, &sum);
        } else {
            blow_on_tile(world, &at, &tile, &sum);
        }
    }
    sn_spatial *f = sn_agent_force(set, body->agent.agent) + body->agent.part;
    *f = sn_spatial_add(*f, sn_spatial_make(sn_mat3_apply(rotation, sum.wrench.angular),
                                            sn_mat3_apply(rotation, sum.wrench.linear)));
    if (at.with_damping && world->air.any_air_law) {
        add_blocks(sn_agent_damping(set, body->agent.agent, body->agent.part), &rotation, &sum);
    }
}

// ---- cutting ----

static bool blows_between(const sn_wind *wind, double start, double end)
{
    return sn_wind_strength(wind, start) != 0.0 || sn_wind_strength(wind, end) != 0.0 ||
           sn_wind_strength(wind, 0.5 * (start + end)) != 0.0;
}

// `strengths` says which winds blow in this step.
static void cut_bodies(void *context, int first, int last, int chunk)
{
    (void)chunk;
    sn_world *world = context;
    sn_air *air = &world->air;
    for (int i = first; i < last; ++i) {
        sn_air_body *body = &air->bodies.data[i];
        const sn_air_form *form = &air->forms.data[body->form];
        sn_agent_set *set = world->sets[body->agent.set];
        sn_part part;
        set->type->part(set, body->agent.agent, body->agent.part, &part);
        sn_wind_place place = {part.frame.position, sn_quat_to_mat3(part.frame.rotation),
                               form->middle, form->radius};
        sn_patch_cut *cuts = air->cuts.data + body->first_cut;
        if (body->is_cut) {
            memset(cuts, 0, (size_t)body->count * sizeof *cuts);
        }
        body->is_cut = false;
        for (int k = 0; k < air->winds.count; ++k) {
            bool cut = air->strengths.data[k] != 0.0 &&
                       sn_wind_cut(air->winds.data[k], &place, air->patches.data + body->first,
                                   body->count, form->size, cuts);
            body->is_cut = body->is_cut || cut;
        }
    }
}

void sn_world_cut_air(sn_world *world, double start, double end)
{
    sn_air *air = &world->air;
    bool varies = false, random = false;
    for (int i = 0; i < air->winds.count; ++i) {
        const sn_wind *wind = air->winds.data[i];
        varies = varies || sn_wind_may_cut(wind);
        random = random || wind->def.random_share > 0.0; // drawn by patch
        air->strengths.data[i] = blows_between(wind, start, end) ? 1.0 : 0.0;
    }
    if (varies && !random) {
        sn_threads_run(world->threads, air->bodies.count, BODY_CHUNK, cut_bodies, world);
    }
}

// ---- all bodies ----

typedef struct air_work {
    sn_world *world;
    double time;
    int group;
} air_work;

static void blow_on(void *context, int first, int last, int chunk)
{
    (void)chunk;
    const air_work *work = context;
    for (int i = first; i < last; ++i) {
        const sn_air_body *body = &work->world->air.bodies.data[i];
        if (body->group == work->group) {
            blow_on_body(work->world, body, work->time);
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
        sn_world_add_air_to_skins(world, time, group);
    }
}
