// Contact by springs and dampers (solve/penalty.h): forces like those of fields, asked for wherever
// an integrator asks, in every policy. Pairs are those near each other at the start of the step;
// where they overlap is looked at anew for each evaluation. What a point that sticks holds is kept
// in its contact's anchor from step to step.
#include <math.h>

#include "base/error.h"
#include "solve/penalty.h"
#include "world/form.h"
#include "world/touch.h"
#include "world/world.h"

static double mass_of(const sn_world *world, uint32_t body)
{
    const sn_body_record *record = &world->bodies.data[body];
    if (record->agent.agent < 0) {
        return INFINITY;
    }
    return sn_body_is_jointed(record) ? record->own->mass.mass
                                      : world->rigid.mass[record->agent.agent].mass;
}

static double mass_of_both(double a, double b)
{
    return isinf(a) ? b : (isinf(b) ? a : a * b / (a + b));
}

static sn_part part_of(const sn_world *world, uint32_t body)
{
    const sn_body_record *record = &world->bodies.data[body];
    sn_part part = {.frame = SN_TRANSFORM_IDENTITY};
    if (record->agent.agent >= 0) {
        const sn_agent_set *set = world->sets[record->agent.set];
        set->type->part(set, record->agent.agent, record->agent.part, &part);
    } else {
        part.frame = record->own->frame;
    }
    return part;
}

static sn_vec3 velocity_at(const sn_part *part, sn_vec3 point)
{
    return sn_vec3_add(part->velocity,
                       sn_cross(part->angular_velocity, sn_vec3_sub(point, part->centre)));
}

static void push(sn_world *world, uint32_t body, const sn_part *part, sn_vec3 force, sn_vec3 point,
                 int group)
{
    sn_agent_ref ref = world->bodies.data[body].agent;
    if (ref.agent < 0 || world->group_of[ref.set].data[ref.agent] != group) {
        return;
    }
    sn_agent_set *set = world->sets[ref.set];
    sn_spatial_push(&set->force[set->agents[ref.agent].part_first + ref.part], part->centre, force,
                    point, SN_VEC3_ZERO);
}

// The slip that a point holds, as the start of the step left it.
static const sn_contact_point *held_point(const sn_touch *touch, const sn_pair *pair,
                                          const sn_manifold *manifold, uint32_t feature)
{
    for (int k = 0; k < pair->count; ++k) {
        const sn_contact *contact = &touch->pool.data[pair->contacts + k];
        for (int i = 0; contact->patch == manifold->patch && i < contact->count; ++i) {
            if (contact->points[i].feature == feature) {
                return &contact->points[i];
            }
        }
    }
    return NULL;
}

// One pair as it is now. At the end of a step (`keep`) what its points hold is written down, else
// forces act on agents of the group.
static void act(sn_world *world, sn_pair *pair, double elapsed, int group, bool keep)
{
    sn_touch *touch = &world->touch;
    const sn_touch_shape *a = &touch->shapes.data[pair->a], *b = &touch->shapes.data[pair->b];
    sn_part part_a = part_of(world, a->body), part_b = part_of(world, b->body);
    sn_transform place_a = sn_transform_multiply(
                     part_a.frame, world->bodies.data[a->body].shapes[a->shape].frame),
                 place_b = sn_transform_multiply(
                     part_b.frame, world->bodies.data[b->body].shapes[b->shape].frame);
    sn_manifold manifolds[SN_PATCHES];
    sn_collide_cache cache = {0}; // forces depend on the state alone
    int count = sn_collide(sn_touch_collider(world, a), &place_a, sn_touch_collider(world, b),
                           &place_b, 0.0, &cache, manifolds, pair->capacity, NULL);
    double mass = mass_of_both(mass_of(world, a->body), mass_of(world, b->body));
    for (int m = 0; m < count; ++m) {
        const sn_manifold *manifold = &manifolds[m];
        sn_penalty law = {.damping = world->contact.damping,
                          .friction = pair->friction,
                          .mass = mass / manifold->count,
                          .tangential = 2.0 / 7.0};
        law.stiffness = world->contact.stiffness > 0.0
                            ? world->contact.stiffness
                            : sn_penalty_stiffness(law.mass, touch->penalty_step);
        for (int i = 0; i < manifold->count; ++i) {
            const sn_manifold_point *point = &manifold->points[i];
            sn_vec3 at = sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b));
            sn_vec3 u = sn_vec3_sub(velocity_at(&part_b, at), velocity_at(&part_a, at)), now;
            const sn_contact_point *held = held_point(touch, pair, manifold, point->feature);
            sn_vec3 force =
                sn_penalty_force(&law, point->gap, manifold->normal, u,
                                 held != NULL ? held->anchor : SN_VEC3_ZERO, elapsed, &now);
            if (keep && held != NULL) {
                sn_contact_point *own = (sn_contact_point *)held;
                own->anchor = now;
                own->impulse = sn_vec3_scale(elapsed, force);
                own->touched = sn_dot(force, force) > 0.0;
            } else if (!keep) {
                push(world, b->body, &part_b, force, at, group);
                push(world, a->body, &part_a, sn_vec3_scale(-1.0, force), at, group);
            }
        }
    }
}

static void act_all(sn_world *world, double elapsed, int group, bool keep)
{
    for (int i = 0; i < world->touch.pairs.count; ++i) {
        sn_pair *pair = &world->touch.pairs.data[i];
        if (!(pair->flags & (SN_PAIR_DROPPED | SN_PAIR_SENSOR))) {
            act(world, pair, elapsed, group, keep);
        }
    }
}

void sn_world_add_penalties(sn_world *world, double time, int group)
{
    act_all(world, time - world->touch.penalty_start, group, false);
}

void sn_world_keep_penalties(sn_world *world, double time)
{
    for (int i = 0; i < world->touch.active.count; ++i) {
        sn_contact *contact = &world->touch.pool.data[world->touch.active.data[i]];
        for (int k = 0; k < contact->count; ++k) {
            contact->points[k].touched = false;
            contact->points[k].impulse = SN_VEC3_ZERO;
        }
    }
    act_all(world, time - world->touch.penalty_start, -1, true);
}
