// Elastic bodies in sensors, and elastic bodies that are sensors.
#include "base/error.h"
#include "collide/skin_query.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/touch.h"

// One of them only: two sensors do not notice each other.
static bool senses(const sn_world *world, const sn_surface *a, const sn_surface *b, uint32_t body_a,
                   uint32_t body_b)
{
    return a->sensor != b->sensor && (a->meets & b->group) != 0 && (b->meets & a->group) != 0 &&
           !sn_world_is_bonded(world, body_a, body_b);
}

static bool add(sn_soft_touch *soft, const sn_soft_key *key, sn_contact_side a, sn_contact_side b,
                sn_vec3 on_a, sn_vec3 on_b)
{
    sn_contact contact = {.a = a, .b = b, .count = 1};
    contact.points[0] = (sn_contact_point){.on_a = on_a, .on_b = on_b, .touched = 1};
    return sn_array_push(&soft->keys, *key) && sn_array_push(&soft->contacts, contact);
}

static bool sense_shape(sn_world *world, int agent, uint32_t shape)
{
    sn_touch *touch = &world->touch;
    const sn_elastic_item *item = sn_soft_item(world, agent);
    const sn_touch_shape *own = &touch->shapes.data[shape];
    uint32_t owner = sn_soft_agents(world)->agents[agent].owner;
    sn_vec3 on_skin, on_shape;
    if (!senses(world, &item->surface, sn_touch_surface(world, own), owner, own->body) ||
        !(sn_skin_shape_distance(item->skin, sn_touch_collider(world, own),
                                 &touch->places.data[shape].frame, 0.0, &on_skin,
                                 &on_shape) <= 0.0)) {
        return true;
    }
    sn_soft_key key = {own->body, owner, own->shape, 0, SN_SOFT_SENSOR, 0};
    return add(&touch->soft, &key, sn_touch_side(world, own), sn_soft_side(agent, 0), on_shape,
               on_skin);
}

static bool sense_skin(sn_world *world, int first, int second)
{
    const sn_agent_set *set = sn_soft_agents(world);
    const sn_elastic_item *a = sn_soft_item(world, first), *b = sn_soft_item(world, second);
    uint32_t of_a = set->agents[first].owner, of_b = set->agents[second].owner;
    sn_vec3 on_a, on_b;
    if (!senses(world, &a->surface, &b->surface, of_a, of_b) ||
        !(sn_skin_distance(a->skin, b->skin, 0.0, &on_a, &on_b) <= 0.0)) {
        return true;
    }
    sn_soft_key key = {of_a, of_b, 0, 0, SN_SOFT_SENSOR, 0};
    return add(&world->touch.soft, &key, sn_soft_side(first, 0), sn_soft_side(second, 0), on_a,
               on_b);
}

sn_status sn_world_sense_soft(sn_world *world, sn_error *error)
{
    sn_soft_touch *soft = &world->touch.soft;
    const sn_agent_set *set = sn_soft_agents(world);
    bool known = true;
    for (int i = 0; i < set->count && known; ++i) {
        const double *q = sn_agent_q(set, i);
        known = sn_soft_find_shapes(world, q, q, set->agents[i].v_count, 0.0);
        for (int k = 0; k < soft->shapes.count && known; ++k) {
            known = sense_shape(world, i, soft->shapes.data[k]);
        }
        for (int k = i + 1; k < set->count && known; ++k) {
            known = sense_skin(world, i, k);
        }
    }
    return known ? SN_OK : sn_fail_memory(error, sizeof(sn_contact));
}
