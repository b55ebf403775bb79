// Contact by springs and dampers (solve/penalty.h): forces like those of fields, asked for wherever
// an integrator asks, in every policy. Pairs are those near each other at the start of the step;
// where they overlap is looked at anew for each evaluation. What a point that sticks holds is kept
// in its contact's anchor from step to step.
#include <math.h>

#include "base/error.h"
#include "math/symmetric.h"
#include "model/form.h"
#include "model/world.h"
#include "solve/penalty.h"
#include "touch/touch.h"

// How much a force of 1 N along n at the point speeds it up, were the body free: links of
// mechanisms answer no more than that. 1/kg; 0 of what stands still.
static double answer_of(const sn_world *world, uint32_t body, const sn_part *part, sn_vec3 point,
                        sn_vec3 n)
{
    const sn_body_record *record = &world->bodies.data[body];
    if (record->agent.agent < 0) {
        return 0.0;
    }
    sn_vec3 arm = sn_cross(sn_vec3_sub(point, part->centre), n);
    if (!sn_body_is_jointed(record)) {
        const sn_agent_set *set = world->sets[record->agent.set];
        const sn_rigid_mass *mass = sn_rigid_mass_of(set, record->agent.agent);
        const double *q = sn_agent_q(set, record->agent.agent);
        sn_vec3 own = sn_rotate_inverse(sn_rigid_pose(q).rotation, arm);
        return 1.0 / mass->mass + own.x * own.x / mass->inertia.x +
               own.y * own.y / mass->inertia.y + own.z * own.z / mass->inertia.z;
    }
    const sn_mass_properties *mass = &record->own->mass;
    const sn_mat3 *i = &mass->inertia;
    sn_sym3 inertia = {i->m[0][0], i->m[0][1], i->m[0][2], i->m[1][1], i->m[1][2], i->m[2][2]};
    sn_sym3 inverse;
    sn_vec3 own = sn_rotate_inverse(part->frame.rotation, arm);
    bool sound = sn_sym3_inverse(&inertia, &inverse);
    return 1.0 / mass->mass + (sound ? sn_dot(own, sn_sym3_apply(&inverse, own)) : 0.0);
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

// Is a point stiffer than the step follows? Only a stiffness or damping of the user's own can be.
// Integrators that choose their steps follow any.
static bool is_stiff(const sn_world *world, const sn_penalty *law)
{
    double h = world->touch.penalty_step;
    return world->policy == SN_POLICY_LOCKSTEP &&
           law->stiffness * h * h > sn_penalty_limit(law->damping) * law->mass;
}

// How many points share what a body can bear: those found at the start of the step, so that forces
// depend on the state alone within it; more if the manifold now has more.
static int sharing(const sn_world *world, const sn_touch_shape *a, const sn_touch_shape *b,
                   int count)
{
    const sn_body_record *bodies = world->bodies.data;
    const int *points = world->touch.penalty_points.data;
    int of_a = bodies[a->body].agent.agent >= 0 ? points[a->body] : 0,
        of_b = bodies[b->body].agent.agent >= 0 ? points[b->body] : 0;
    count = of_a > count ? of_a : count;
    return of_b > count ? of_b : count;
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
    for (int m = 0; m < count; ++m) {
        const sn_manifold *manifold = &manifolds[m];
        int shared = sharing(world, a, b, manifold->count);
        sn_penalty law = {
            .damping = world->contact.damping, .friction = pair->friction, .tangential = 2.0 / 7.0};
        for (int i = 0; i < manifold->count; ++i) {
            const sn_manifold_point *point = &manifold->points[i];
            sn_vec3 at = sn_vec3_scale(0.5, sn_vec3_add(point->on_a, point->on_b));
            sn_vec3 u = sn_vec3_sub(sn_part_velocity_at(&part_b, at),
                                    sn_part_velocity_at(&part_a, at)),
                    now;
            double answer = answer_of(world, a->body, &part_a, at, manifold->normal) +
                            answer_of(world, b->body, &part_b, at, manifold->normal);
            law.mass = 1.0 / (answer * shared);
            law.stiffness = world->contact.stiffness > 0.0
                                ? world->contact.stiffness
                                : sn_penalty_stiffness(law.mass, touch->penalty_step);
            const sn_contact_point *held = held_point(touch, pair, manifold, point->feature);
            sn_vec3 force =
                sn_penalty_force(&law, point->gap, manifold->normal, u,
                                 held != NULL ? held->anchor : SN_VEC3_ZERO, elapsed, &now);
            if (keep && held != NULL) {
                sn_contact_point *own = (sn_contact_point *)held;
                own->anchor = now;
                own->impulse = sn_vec3_scale(elapsed, force);
                own->touched = sn_dot(force, force) > 0.0;
                if (own->touched && is_stiff(world, &law)) {
                    world->report.stiff += 1;
                    sn_world_note_worst(world, SN_COUNTER_STIFF, b->body != 0 ? b->body : a->body,
                                        world->report.stiff);
                }
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

bool sn_world_count_penalties(sn_world *world)
{
    sn_touch *touch = &world->touch;
    if (!sn_array_resize(&touch->penalty_points, world->bodies.count)) {
        return false;
    }
    for (int i = 0; i < world->bodies.count; ++i) {
        touch->penalty_points.data[i] = 0;
    }
    for (int i = 0; i < touch->pairs.count; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        for (int k = 0; k < pair->count && !(pair->flags & SN_PAIR_SENSOR); ++k) {
            int count = touch->pool.data[pair->contacts + k].count;
            touch->penalty_points.data[touch->shapes.data[pair->a].body] += count;
            touch->penalty_points.data[touch->shapes.data[pair->b].body] += count;
        }
    }
    return true;
}

void sn_world_add_penalties(sn_world *world, double time, int group)
{
    act_all(world, time - world->touch.penalty_start, group, false);
}

void sn_world_keep_penalties(sn_world *world, double time)
{
    const sn_touch *touch = &world->touch;
    for (int i = 0; i < touch->pairs.count; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        for (int k = 0; k < pair->count && !(pair->flags & SN_PAIR_SENSOR); ++k) {
            sn_contact *contact = &touch->pool.data[pair->contacts + k];
            for (int m = 0; m < contact->count; ++m) {
                contact->points[m].touched = false;
                contact->points[m].impulse = SN_VEC3_ZERO;
            }
        }
    }
    act_all(world, time - world->touch.penalty_start, -1, true);
}
