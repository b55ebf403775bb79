// Contact springs between elastic bodies and rigid shapes: what the skin and a shape have in common
// (collide/skin_shape.h) where they are, whenever forces are asked for. Vertices have the signed
// distance from the shape as potential; corners and edges of shapes in faces act too, with a force
// that may jump where they pass from one face to the next.
#include <math.h>

#include "math/rotation.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"

static sn_transform place_of(const sn_world *world, const sn_touch_shape *shape, sn_part *part)
{
    const sn_body_record *record = &world->bodies.data[shape->body];
    *part = (sn_part){.frame = SN_TRANSFORM_IDENTITY};
    if (record->agent.agent >= 0) {
        const sn_agent_set *set = world->sets[record->agent.set];
        set->type->part(set, record->agent.agent, record->agent.part, part);
    } else {
        part->frame = record->own->frame;
    }
    return sn_transform_multiply(part->frame, record->shapes[shape->shape].frame);
}

static int agent_of(const sn_spring_touch *touch, int vertex)
{
    int agent = 0;
    while (vertex >= touch->first.data[agent + 1]) {
        agent += 1;
    }
    return agent;
}

static void push_part(sn_world *world, uint32_t body, const sn_part *part, int group, sn_vec3 force,
                      sn_vec3 point)
{
    sn_agent_ref ref = world->bodies.data[body].agent;
    if (ref.agent >= 0 && world->group_of[ref.set].data[ref.agent] == group) {
        sn_agent_set *set = world->sets[ref.set];
        sn_spatial_push(&set->force[set->agents[ref.agent].part_first + ref.part], part->centre,
                        force, point, SN_VEC3_ZERO);
    }
}

// One contact that overlaps: its energy.
static double press(sn_world *world, const sn_touch_shape *shape, const sn_transform *place,
                    const sn_part *part, const sn_skin_shape_contact *found, int group, bool push)
{
    const sn_spring_touch *touch = &world->touch.springs;
    int agent = agent_of(touch, found->vertices[0]);
    if (!sn_soft_meets_shape(world, agent, shape)) {
        return 0.0;
    }
    const double *speeds = touch->now.data + sn_spring_row(touch);
    const sn_surface *surface = sn_touch_surface(world, shape);
    sn_vec3 at = found->on_shape, u = sn_vec3_negate(sn_part_velocity_at(part, at));
    u = sn_vec3_sub(u, sn_rotate(place->rotation, surface->velocity));
    double mass = 0.0;
    for (int k = 0; k < found->count; ++k) {
        int vertex = found->vertices[k];
        u = sn_vec3_add_scaled(u, found->weights[k],
                               sn_vec3_at(speeds + SN_SPRING_STRIDE * (size_t)vertex));
        mass += found->weights[k] * sn_spring_mass(world, agent, vertex - touch->first.data[agent]);
    }
    sn_spring_law law = sn_spring_law_of(world, agent, -1, surface, mass);
    if (push) {
        sn_vec3 force = sn_contact_spring_force(&law, -found->gap, 1.0, found->normal, u);
        for (int k = 0; k < found->count; ++k) {
            sn_spring_push(world, found->vertices[k], sn_vec3_scale(found->weights[k], force));
        }
        push_part(world, shape->body, part, group, sn_vec3_negate(force), at);
    }
    return 0.5 * law.stiffness * found->gap * found->gap;
}

double sn_world_press_shapes(sn_world *world, int group, bool push)
{
    sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = sn_meetings_skin(touch->meetings);
    double energy = 0.0;
    for (int i = 0; i < world->touch.shapes.count; ++i) {
        const sn_touch_shape *shape = &world->touch.shapes.data[i];
        if (shape->body == 0 || sn_touch_surface(world, shape)->sensor) {
            continue;
        }
        sn_part part;
        sn_transform place = place_of(world, shape, &part);
        if (sn_skin_shape_find(&touch->near, skin, sn_touch_collider(world, shape), &place, 0.0,
                               NULL) != SN_OK) {
            touch->starved = true;
            return energy;
        }
        for (int k = 0; k < touch->near.found.count; ++k) {
            const sn_skin_shape_contact *found = &touch->near.found.data[k];
            if (found->gap < 0.0) {
                energy += press(world, shape, &place, &part, found, group, push);
            }
        }
    }
    return energy;
}

double sn_world_fastest_shape(const sn_world *world)
{
    double most = 0.0;
    for (int i = 0; i < world->touch.shapes.count; ++i) {
        const sn_touch_shape *shape = &world->touch.shapes.data[i];
        if (world->bodies.data[shape->body].agent.agent >= 0) {
            sn_part part;
            sn_transform place = place_of(world, shape, &part);
            sn_vec3 centre = sn_transform_point_inverse(place, part.centre);
            double reach = sn_collider_reach(sn_touch_collider(world, shape), centre);
            most = fmax(most, sn_length(part.velocity) + reach * sn_length(part.angular_velocity));
        }
    }
    return most;
}

bool sn_world_find_gaps(sn_world *world, double margin, sn_spring_gap_list *gaps,
                        sn_spring_frame_list *places)
{
    sn_spring_touch *touch = &world->touch.springs;
    const sn_skin *skin = sn_meetings_skin(touch->meetings);
    sn_array_clear(gaps);
    if (!sn_array_resize(places, world->touch.shapes.count)) {
        return false;
    }
    for (int i = 0; i < world->touch.shapes.count; ++i) {
        const sn_touch_shape *shape = &world->touch.shapes.data[i];
        sn_spring_frame *place = &places->data[i];
        *place = (sn_spring_frame){.frame = SN_TRANSFORM_IDENTITY};
        if (shape->body == 0 || sn_touch_surface(world, shape)->sensor) {
            continue;
        }
        sn_part part;
        place->frame = place_of(world, shape, &part);
        if (sn_skin_shape_find(&touch->near, skin, sn_touch_collider(world, shape), &place->frame,
                               margin, NULL) != SN_OK) {
            return false;
        }
        for (int k = 0; k < touch->near.found.count; ++k) {
            const sn_skin_shape_contact *found = &touch->near.found.data[k];
            if (!sn_soft_meets_shape(world, agent_of(touch, found->vertices[0]), shape)) {
                continue;
            }
            sn_spring_gap gap = {i, found->feature, found->gap,
                                 sn_rotate_inverse(place->frame.rotation, found->normal)};
            place->near = true;
            if (found->count == 1 && !sn_array_push(gaps, gap)) {
                return false;
            }
        }
    }
    return true;
}
