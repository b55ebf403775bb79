// What touched in the last step: contacts with their forces, and what began and ended.
#include <math.h>

#include "model/form.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/touch.h"

// ---- noting, at the end of a step ----

static bool carries(const sn_contact *contact)
{
    bool any = false;
    for (int i = 0; i < contact->count; ++i) {
        any = any || contact->points[i].touched;
    }
    return any;
}

static bool overlaps(const sn_contact *contact)
{
    bool any = false;
    for (int i = 0; i < contact->count; ++i) {
        any = any || contact->points[i].gap <= 0.0;
    }
    return any;
}

// Sums over the points of a pair: of impulses along the normals, and by these of places and
// normals; and the point with the least gap, for pairs that carry nothing.
typedef struct pair_sums {
    double impulse, gap;
    sn_vec3 position, normal, nearest, nearest_normal;
} pair_sums;

static sn_vec3 place_of(const sn_contact_point *point)
{
    return sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b));
}

static void add_contact(const sn_contact *contact, pair_sums *sums)
{
    for (int i = 0; i < contact->count; ++i) {
        const sn_contact_point *point = &contact->points[i];
        double press = point->touched ? sn_dot(point->impulse, contact->normal) : 0.0;
        sn_vec3 place = place_of(point);
        sums->impulse += press;
        sums->position = sn_vec3_add_scaled(sums->position, press, place);
        sums->normal = sn_vec3_add_scaled(sums->normal, press, contact->normal);
        if (point->gap < sums->gap) {
            sums->gap = point->gap;
            sums->nearest = place;
            sums->nearest_normal = contact->normal;
        }
    }
}

// A contact whose points are gone still has the first of them where it last was.
static sn_contact_event describe(const sn_world *world, const sn_pair *pair,
                                 sn_contact_change change)
{
    const sn_touch *touch = &world->touch;
    const sn_touch_shape *a = &touch->shapes.data[pair->a], *b = &touch->shapes.data[pair->b];
    const sn_contact *first = &touch->pool.data[pair->contacts];
    bool sensor = (pair->flags & SN_PAIR_SENSOR) != 0;
    pair_sums sums = {
        .gap = INFINITY, .nearest = place_of(&first->points[0]), .nearest_normal = first->normal};
    for (int i = 0; i < pair->count; ++i) {
        add_contact(&first[i], &sums);
    }
    for (int i = 0; pair->flags & SN_PAIR_STRUCK && i < touch->strikes.count; ++i) {
        const sn_touch_strike *strike = &touch->strikes.data[i];
        if (strike->a == pair->a && strike->b == pair->b) {
            add_contact(&strike->contact, &sums);
        }
    }
    bool pressed = sums.impulse > 0.0;
    return (sn_contact_event){
        .change = change,
        .body_a = sn_touch_body(world, a->body),
        .body_b = sn_touch_body(world, b->body),
        .shape_a = a->shape,
        .shape_b = b->shape,
        .sensor = sensor,
        .time = sensor ? touch->found_at : world->time,
        .position = pressed ? sn_vec3_scale(1.0 / sums.impulse, sums.position) : sums.nearest,
        .normal = pressed ? sn_normalize(sums.normal) : sums.nearest_normal,
        .impulse = change == SN_CONTACT_END ? 0.0 : sums.impulse,
    };
}

bool sn_touch_note_change(sn_world *world, const sn_pair *pair, sn_contact_change change)
{
    sn_contact_event event = describe(world, pair, change);
    return sn_array_push(&world->touch.events, event);
}

bool sn_touch_part_body(sn_world *world, uint32_t body)
{
    sn_touch *touch = &world->touch;
    int before = touch->parted.count;
    bool noted = true;
    for (int i = 0; i < touch->pairs.count && noted; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        const sn_touch_shape *a = &touch->shapes.data[pair->a], *b = &touch->shapes.data[pair->b];
        if ((pair->flags & SN_PAIR_TOUCHING) && (a->body == body || b->body == body)) {
            sn_contact_event event = describe(world, pair, SN_CONTACT_END);
            event.time = world->time;
            noted = sn_array_push(&touch->parted, event);
        }
    }
    noted = noted && sn_world_part_soft(world, body);
    touch->parted.count = noted ? touch->parted.count : before;
    return noted;
}

// Pairs that struck in flight; a fast shape is near all that it could meet.
static void mark_strikes(sn_touch *touch)
{
    for (int i = 0; i < touch->strikes.count; ++i) {
        const sn_touch_strike *strike = &touch->strikes.data[i];
        sn_pair *pair = sn_touch_find_pair(touch, strike->a, strike->b);
        if (pair != NULL) {
            pair->flags |= SN_PAIR_STRUCK;
        }
        if (pair != NULL && pair->count == 0) { // the place is kept for the end: see describe
            sn_contact *contact = &touch->pool.data[pair->contacts];
            contact->normal = strike->contact.normal;
            contact->points[0].on_a = strike->contact.points[0].on_a;
            contact->points[0].on_b = strike->contact.points[0].on_b;
        }
    }
}

static bool note(sn_touch *touch, uint32_t shape_a, uint32_t shape_b, int list, int contact)
{
    const sn_touch_shape *a = &touch->shapes.data[shape_a], *b = &touch->shapes.data[shape_b];
    sn_touch_noted entry = {a->body, b->body, a->shape, b->shape, list, contact};
    return sn_array_push(&touch->noted, entry);
}

static bool note_strikes(sn_touch *touch)
{
    bool noted = true;
    for (int i = 0; i < touch->strikes.count; ++i) {
        const sn_touch_strike *strike = &touch->strikes.data[i];
        noted = note(touch, strike->a, strike->b, SN_NOTED_STRIKE, i) && noted;
    }
    return noted;
}

enum { NOTE_CHUNK = 256, AHEAD = 4 };

// Which pairs touched: a look at every contact, which several threads share.
static void look_chunk(void *context, int first, int last, int chunk)
{
    (void)chunk;
    sn_touch *touch = context;
    for (int i = first; i < last; ++i) {
        sn_pair *pair = &touch->pairs.data[i];
        bool sensor = (pair->flags & SN_PAIR_SENSOR) != 0, any = false;
        if (i + AHEAD < last && pair[AHEAD].count > 0) { // most are decided by their first point
            __builtin_prefetch(&touch->pool.data[pair[AHEAD].contacts].points[0].touched);
        }
        for (int k = 0; k < pair->count; ++k) {
            const sn_contact *contact = &touch->pool.data[pair->contacts + k];
            any = any || (sensor ? overlaps(contact) : carries(contact));
        }
        pair->flags &= (uint8_t) ~(SN_PAIR_CARRIES | SN_PAIR_STRUCK | SN_PAIR_BEGAN);
        pair->flags |= any ? SN_PAIR_CARRIES : 0;
    }
}

// The contacts of a pair that touched.
static bool note_pair(sn_touch *touch, const sn_pair *pair)
{
    bool noted = true;
    for (int k = 0; k < pair->count; ++k) {
        if (pair->capacity == 1 || carries(&touch->pool.data[pair->contacts + k])) {
            noted = note(touch, pair->a, pair->b, SN_NOTED_PAIR, pair->contacts + k) && noted;
        }
    }
    return noted;
}

bool sn_world_note_contacts(sn_world *world)
{
    sn_touch *touch = &world->touch;
    bool noted = true;
    touch->stays_current = false;
    world->report.pairs = touch->pairs.count;
    world->report.islands = touch->islands.islands.count;
    world->report.dropped_patches = touch->left_out;
    sn_array_clear(&touch->noted);
    sn_threads_run(world->threads, touch->pairs.count, NOTE_CHUNK, look_chunk, touch);
    mark_strikes(touch);
    for (int i = 0; i < touch->pairs.count; ++i) {
        sn_pair *pair = &touch->pairs.data[i];
        bool sensor = (pair->flags & SN_PAIR_SENSOR) != 0;
        bool now = (pair->flags & (SN_PAIR_STRUCK | SN_PAIR_CARRIES)) != 0;
        if ((pair->flags & SN_PAIR_CARRIES) && !sensor) {
            noted = note_pair(touch, pair) && noted;
        }
        bool before = (pair->flags & SN_PAIR_TOUCHING) != 0;
        if (now != before) {
            noted =
                sn_touch_note_change(world, pair, now ? SN_CONTACT_BEGIN : SN_CONTACT_END) && noted;
            pair->flags ^= SN_PAIR_TOUCHING;
            pair->flags |= now ? SN_PAIR_BEGAN : 0;
        }
    }
    noted = note_strikes(touch) && noted;
    noted = sn_world_note_soft(world) && noted;
    if (noted) { // told: see sn_world_collide
        sn_array_clear(&touch->parted);
    }
    return noted;
}

// ---- reading ----

int sn_world_contact_count(const sn_world *world)
{
    return world->touch.noted.count;
}

static const sn_contact *contact_of(const sn_touch *touch, const sn_touch_noted *noted)
{
    return noted->list == SN_NOTED_PAIR     ? &touch->pool.data[noted->contact]
           : noted->list == SN_NOTED_STRIKE ? &touch->strikes.data[noted->contact].contact
                                            : &touch->soft.contacts.data[noted->contact];
}

sn_contact_info sn_world_contact(const sn_world *world, int index)
{
    const sn_touch *touch = &world->touch;
    sn_contact_info info = {0};
    if (index < 0 || index >= touch->noted.count) {
        return info;
    }
    const sn_touch_noted *noted = &touch->noted.data[index];
    const sn_contact *contact = contact_of(touch, noted);
    info.body_a = sn_touch_body(world, noted->body_a);
    info.body_b = sn_touch_body(world, noted->body_b);
    info.shape_a = noted->shape_a;
    info.shape_b = noted->shape_b;
    info.normal = contact->normal;
    info.friction = contact->friction;
    info.count = contact->count;
    for (int i = 0; i < contact->count; ++i) {
        const sn_contact_point *point = &contact->points[i];
        info.spots[i] = (sn_contact_spot){
            .position = sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b)),
            .gap = point->gap,
            .impulse = point->touched ? point->impulse : SN_VEC3_ZERO,
        };
        info.force = sn_vec3_add(info.force, info.spots[i].impulse);
    }
    double h = world->last_step;
    info.force = h > 0.0 ? sn_vec3_scale(1.0 / h, info.force) : SN_VEC3_ZERO;
    return info;
}

sn_vec3 sn_body_contact_force(const sn_world *world, sn_body body, int *count)
{
    sn_vec3 force = SN_VEC3_ZERO;
    int touching = 0;
    bool there = sn_body_is_valid(world, body);
    for (int i = 0; i < world->touch.noted.count && there; ++i) {
        const sn_touch_noted *noted = &world->touch.noted.data[i];
        bool is_a = noted->body_a == body.index, is_b = noted->body_b == body.index;
        if (is_a != is_b) { // what a body does to itself adds up to nothing
            force = sn_vec3_add_scaled(force, is_b ? 1.0 : -1.0, sn_world_contact(world, i).force);
        }
        touching += is_a || is_b;
    }
    if (count != NULL) {
        *count = touching;
    }
    return force;
}

static bool is_sensor(const sn_world *world, uint32_t body, int shape)
{
    const sn_body_record *record = &world->bodies.data[body];
    return record->type == SN_BODY_ELASTIC
               ? sn_elastic_item_of(world->sets[record->agent.set], record->agent.agent)
                     ->surface.sensor
               : sn_form_shapes(record->form)[shape].surface.sensor;
}

int sn_body_sensor_count(const sn_world *world, sn_body body)
{
    const sn_touch *touch = &world->touch;
    const uint8_t noticed = SN_PAIR_SENSOR | SN_PAIR_TOUCHING;
    int count = 0;
    if (!sn_body_is_valid(world, body)) {
        return 0;
    }
    for (int i = 0; i < touch->pairs.count; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        const sn_touch_shape *a = &touch->shapes.data[pair->a], *b = &touch->shapes.data[pair->b];
        if ((pair->flags & noticed) == noticed) {
            count += a->body == body.index && is_sensor(world, a->body, a->shape);
            count += b->body == body.index && is_sensor(world, b->body, b->shape);
        }
    }
    for (int i = 0; i < touch->soft.meets.count; ++i) {
        const sn_soft_pair *pair = &touch->soft.meets.data[i];
        if (pair->sensor) {
            count += pair->body_a == body.index && is_sensor(world, pair->body_a, pair->shape_a);
            count += pair->body_b == body.index && is_sensor(world, pair->body_b, 0);
        }
    }
    return count;
}

int sn_world_contact_event_count(const sn_world *world)
{
    return world->touch.events.count;
}

sn_contact_event sn_world_contact_event(const sn_world *world, int index)
{
    bool there = index >= 0 && index < world->touch.events.count;
    return there ? world->touch.events.data[index] : (sn_contact_event){0};
}

static bool gather_stays(sn_world *world)
{
    sn_touch *touch = &world->touch;
    bool gathered = true;
    sn_array_clear(&touch->stays);
    for (int i = 0; i < touch->pairs.count && gathered; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        if ((pair->flags & (SN_PAIR_TOUCHING | SN_PAIR_BEGAN)) == SN_PAIR_TOUCHING) {
            sn_contact_event event = describe(world, pair, SN_CONTACT_STAY);
            gathered = sn_array_push(&touch->stays, event);
        }
    }
    return gathered && sn_world_gather_soft_stays(world);
}

int sn_world_contact_stay_count(const sn_world *world)
{
    // Who asks does not change the world: only what it has gathered for who asks.
    sn_touch *touch = &((sn_world *)world)->touch;
    if (!touch->stays_current) {
        touch->stays_current = gather_stays((sn_world *)world);
    }
    return touch->stays_current ? touch->stays.count : -1;
}

sn_contact_event sn_world_contact_stay(const sn_world *world, int index)
{
    bool there = index >= 0 && index < sn_world_contact_stay_count(world);
    return there ? world->touch.stays.data[index] : (sn_contact_event){0};
}
