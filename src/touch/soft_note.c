// What elastic bodies touched in the last step, as others are told of it.
//
// Each contact of theirs is one point; events are about pairs, of which most have many points. Who
// touched in the step before is what its contacts have left behind (sn_soft_memory), so that copies
// and states that keep it tell the same events.
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/touch.h"

static bool is_elastic(const sn_world *world, uint32_t body)
{
    return world->bodies.data[body].type == SN_BODY_ELASTIC;
}

// Of two elastic bodies either has vertices on the other: the one with the lower index is a.
static sn_soft_pair pair_of(const sn_world *world, const sn_soft_key *key)
{
    bool soft = is_elastic(world, key->body_a), turned = soft && key->body_a > key->body_b;
    return (sn_soft_pair){.body_a = turned ? key->body_b : key->body_a,
                          .body_b = turned ? key->body_a : key->body_b,
                          .shape_a = soft ? 0 : key->feature_a,
                          .sensor = key->kind == SN_SOFT_SENSOR};
}

static bool is_same(const sn_soft_pair *p, const sn_soft_pair *q)
{
    return p->body_a == q->body_a && p->body_b == q->body_b && p->shape_a == q->shape_a &&
           p->sensor == q->sensor;
}

// The newest are most often asked for: contacts of a pair follow each other.
static sn_soft_pair *find(const sn_soft_pair *pairs, int count, const sn_soft_pair *pair)
{
    for (int i = count - 1; i >= 0; --i) {
        if (is_same(&pairs[i], pair)) {
            return (sn_soft_pair *)&pairs[i];
        }
    }
    return NULL;
}

static void add_point(sn_soft_pair *pair, const sn_soft_key *key, const sn_contact *contact)
{
    const sn_contact_point *point = &contact->points[0];
    double press = sn_dot(point->impulse, contact->normal);
    sn_vec3 place = sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b));
    bool turned = pair->body_a != key->body_a;
    pair->impulse += press;
    pair->position = pair->sensor ? place : sn_vec3_add_scaled(pair->position, press, place);
    pair->normal = sn_vec3_add_scaled(pair->normal, turned ? -press : press, contact->normal);
}

static bool gather_met(sn_world *world)
{
    sn_soft_touch *soft = &world->touch.soft;
    sn_array_clear(&soft->met);
    for (int i = 0; i < soft->memory.count; ++i) {
        sn_soft_pair pair = pair_of(world, &soft->memory.data[i].key);
        if (!soft->memory.data[i].touched || find(soft->met.data, soft->met.count, &pair) != NULL) {
            continue;
        }
        const sn_soft_pair *last = find(soft->meets.data, soft->meets.count, &pair);
        pair = last != NULL ? *last : pair; // where it was
        if (!sn_array_push(&soft->met, pair)) {
            return false;
        }
    }
    return true;
}

static bool gather_meets(sn_world *world)
{
    sn_touch *touch = &world->touch;
    sn_soft_touch *soft = &touch->soft;
    sn_array_clear(&soft->meets);
    for (int i = 0; i < soft->contacts.count; ++i) {
        const sn_contact *contact = &soft->contacts.data[i];
        const sn_soft_key *key = &soft->keys.data[i];
        sn_soft_pair pair = pair_of(world, key);
        if (!contact->points[0].touched) {
            continue;
        }
        sn_soft_pair *known = find(soft->meets.data, soft->meets.count, &pair);
        if (known == NULL) {
            if (!sn_array_push(&soft->meets, pair)) {
                return false;
            }
            known = &soft->meets.data[soft->meets.count - 1];
        }
        add_point(known, key, contact);
        int shape_a = is_elastic(world, key->body_a) ? 0 : key->feature_a;
        sn_touch_noted entry = {key->body_a, key->body_b, shape_a, 0, SN_NOTED_SOFT, i};
        if (!pair.sensor && !sn_array_push(&touch->noted, entry)) {
            return false;
        }
    }
    return true;
}

static sn_contact_event describe(const sn_world *world, const sn_soft_pair *pair,
                                 sn_contact_change change)
{
    double weight = pair->impulse > 0.0 ? 1.0 / pair->impulse : 1.0;
    return (sn_contact_event){
        .change = change,
        .body_a = sn_touch_body(world, pair->body_a),
        .body_b = sn_touch_body(world, pair->body_b),
        .shape_a = pair->shape_a,
        .sensor = pair->sensor,
        .time = pair->sensor ? world->touch.found_at : world->time,
        .position = sn_vec3_scale(weight, pair->position),
        .normal = sn_normalize(pair->normal),
        .impulse = change == SN_CONTACT_END ? 0.0 : pair->impulse,
    };
}

static bool tell(sn_world *world, const sn_soft_pair *pair, sn_contact_change change)
{
    sn_contact_event event = describe(world, pair, change);
    return sn_array_push(&world->touch.events, event);
}

bool sn_world_note_soft(sn_world *world)
{
    sn_soft_touch *soft = &world->touch.soft;
    bool noted = gather_met(world) && gather_meets(world);
    for (int i = 0; i < soft->meets.count && noted; ++i) {
        const sn_soft_pair *pair = &soft->meets.data[i];
        if (find(soft->met.data, soft->met.count, pair) == NULL) {
            noted = tell(world, pair, SN_CONTACT_BEGIN);
        }
    }
    for (int i = 0; i < soft->met.count && noted; ++i) {
        const sn_soft_pair *pair = &soft->met.data[i];
        if (find(soft->meets.data, soft->meets.count, pair) == NULL) {
            noted = tell(world, pair, SN_CONTACT_END);
        }
    }
    return noted;
}

bool sn_world_part_soft(sn_world *world, uint32_t body)
{
    sn_soft_touch *soft = &world->touch.soft;
    bool told = true;
    for (int i = 0; i < soft->meets.count && told; ++i) {
        const sn_soft_pair *pair = &soft->meets.data[i];
        if (pair->body_a == body || pair->body_b == body) {
            sn_contact_event event = describe(world, pair, SN_CONTACT_END);
            event.time = world->time;
            told = sn_array_push(&world->touch.parted, event);
        }
    }
    return told;
}

bool sn_world_gather_soft_stays(sn_world *world)
{
    const sn_soft_touch *soft = &world->touch.soft;
    bool gathered = true;
    for (int i = 0; i < soft->meets.count && gathered; ++i) {
        const sn_soft_pair *pair = &soft->meets.data[i];
        if (find(soft->met.data, soft->met.count, pair) != NULL) {
            sn_contact_event event = describe(world, pair, SN_CONTACT_STAY);
            gathered = sn_array_push(&world->touch.stays, event);
        }
    }
    return gathered;
}
