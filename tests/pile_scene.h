// Balls and boxes on planes for tests of the pile solver, with contacts found by the simplest means
// there are: corners of boxes on planes, balls on planes and on balls, boxes stacked face on face.
#ifndef PILE_SCENE_H
#define PILE_SCENE_H

#include <string.h>

#include "solve/pile.h"

enum { SCENE_BODIES = 256, SCENE_CONTACTS = 2048 };

typedef struct scene {
    sn_rigid_set set;
    sn_pile pile;
    sn_stack stack;
    sn_threads *threads;
    sn_vec3 half[SCENE_BODIES]; // of boxes; x = 0: a ball
    double radius[SCENE_BODIES];
    int agents[SCENE_BODIES];
    sn_contact contacts[SCENE_CONTACTS];
    int contact_count;
    sn_vec3 up; // of the plane through the origin; zero: no plane
    double friction, restitution, rolling, spinning;
    sn_vec3 belt; // velocity of the plane's surface
    double margin;
    sn_pile_step_def def;
    bool stacked; // body i + 1 lies on body i
} scene;

static void scene_init(scene *s, double h)
{
    memset(s, 0, sizeof *s);
    sn_rigid_set_init(&s->set);
    s->up = sn_vec3_make(0.0, 0.0, 1.0);
    s->friction = 0.5;
    s->margin = 0.02;
    s->def = (sn_pile_step_def){.gravity = {0.0, 0.0, -9.81}, .h = h, .substeps = 4};
}

static void scene_free(scene *s)
{
    sn_rigid_set_free(&s->set);
    sn_pile_free(&s->pile);
    sn_stack_free(&s->stack);
    sn_threads_destroy(s->threads);
}

static int scene_add(scene *s, double mass, sn_vec3 moments, sn_transform frame, sn_vec3 velocity,
                     sn_vec3 angular_velocity)
{
    sn_rigid_def def = {.mass = {.mass = mass, .inertia = sn_mat3_diagonal(moments)},
                        .frame = frame,
                        .velocity = velocity,
                        .angular_velocity = angular_velocity,
                        .radius = 1.0,
                        .integrator = SN_INTEGRATOR_LIE_MIDPOINT};
    int agent = sn_rigid_add(&s->set, &def);
    s->agents[agent] = agent;
    return agent;
}

static int scene_ball(scene *s, double radius, double mass, sn_vec3 centre, sn_vec3 velocity,
                      sn_vec3 spin)
{
    double i = 0.4 * mass * radius * radius;
    int agent = scene_add(s, mass, sn_vec3_make(i, i, i), (sn_transform){centre, SN_QUAT_IDENTITY},
                          velocity, spin);
    s->radius[agent] = radius;
    return agent;
}

static int scene_box(scene *s, sn_vec3 half, double mass, sn_transform frame, sn_vec3 velocity,
                     sn_vec3 spin)
{
    sn_vec3 square = sn_vec3_multiply(half, half);
    sn_vec3 moments = {mass * (square.y + square.z) / 3.0, mass * (square.x + square.z) / 3.0,
                       mass * (square.x + square.y) / 3.0};
    int agent = scene_add(s, mass, moments, frame, velocity, spin);
    s->half[agent] = half;
    return agent;
}

static sn_vec3 scene_corner(const scene *s, int agent, int corner)
{
    sn_vec3 half = s->half[agent];
    sn_vec3 local = {corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                     corner & 4 ? half.z : -half.z};
    sn_transform frame = sn_rigid_frame(&s->set, agent);
    return sn_vec3_add(frame.position, sn_rotate(frame.rotation, local));
}

// The contact of a pair in this step, its impulses those of the last step where features agree.
static sn_contact *scene_begin(scene *s, const sn_contact *old, int old_count, int a, int b,
                               sn_vec3 normal, double size)
{
    sn_contact *contact = &s->contacts[s->contact_count++];
    *contact = (sn_contact){.a = {a < 0 ? -1 : 0, a, 0},
                            .b = {0, b, 0},
                            .normal = normal,
                            .surface_velocity = a < 0 ? sn_vec3_negate(s->belt) : SN_VEC3_ZERO,
                            .friction = s->friction,
                            .restitution = s->restitution,
                            .rolling_friction = s->rolling,
                            .spinning_friction = s->spinning,
                            .size = size};
    for (int i = 0; i < old_count; ++i) {
        if (old[i].a.agent == a && old[i].b.agent == b) {
            contact->turning = old[i].turning;
        }
    }
    return contact;
}

static void scene_point(sn_contact *contact, const sn_contact *old, int old_count, sn_vec3 on_a,
                        sn_vec3 on_b, uint32_t feature)
{
    sn_contact_point *point = &contact->points[contact->count++];
    *point = (sn_contact_point){.on_a = on_a, .on_b = on_b, .feature = feature};
    point->gap = sn_dot(contact->normal, sn_vec3_sub(on_b, on_a));
    for (int i = 0; i < old_count; ++i) {
        for (int j = 0; j < old[i].count; ++j) {
            if (old[i].a.agent == contact->a.agent && old[i].b.agent == contact->b.agent &&
                old[i].points[j].feature == feature) {
                point->impulse = old[i].points[j].impulse;
                point->anchor = old[i].points[j].anchor;
            }
        }
    }
}

static void scene_plane(scene *s, const sn_contact *old, int old_count, int agent)
{
    sn_contact *contact = scene_begin(s, old, old_count, -1, agent, s->up, 2.0 * s->half[agent].z);
    if (s->radius[agent] > 0.0) {
        sn_vec3 centre = sn_rigid_frame(&s->set, agent).position;
        sn_vec3 low = sn_vec3_add_scaled(centre, -s->radius[agent], s->up);
        contact->size = 2.0 * s->radius[agent];
        scene_point(contact, old, old_count, sn_vec3_add_scaled(low, -sn_dot(low, s->up), s->up),
                    low, 0);
    } else {
        for (int i = 0; i < 8 && contact->count < SN_MANIFOLD_POINTS; ++i) {
            sn_vec3 corner = scene_corner(s, agent, i);
            if (sn_dot(corner, s->up) < s->margin) {
                scene_point(contact, old, old_count,
                            sn_vec3_add_scaled(corner, -sn_dot(corner, s->up), s->up), corner,
                            (uint32_t)i);
            }
        }
    }
    double gap = contact->count > 0 ? contact->points[0].gap : 1.0;
    if (contact->count == 0 || (s->radius[agent] > 0.0 && gap > s->margin)) {
        s->contact_count -= 1;
    }
}

static void scene_balls(scene *s, const sn_contact *old, int old_count, int a, int b)
{
    sn_vec3 from = sn_rigid_frame(&s->set, a).position, to = sn_rigid_frame(&s->set, b).position;
    double gap = sn_distance(from, to) - s->radius[a] - s->radius[b];
    if (gap < s->margin) {
        sn_vec3 normal = sn_normalize(sn_vec3_sub(to, from));
        sn_contact *contact = scene_begin(s, old, old_count, a, b, normal, 2.0 * s->radius[b]);
        scene_point(contact, old, old_count, sn_vec3_add_scaled(from, s->radius[a], normal),
                    sn_vec3_add_scaled(to, -s->radius[b], normal), 0);
    }
}

// The lower corners of b on the upper face of a.
static void scene_stacked(scene *s, const sn_contact *old, int old_count, int a, int b)
{
    sn_transform frame = sn_rigid_frame(&s->set, a);
    sn_vec3 normal = sn_rotate(frame.rotation, sn_vec3_make(0.0, 0.0, 1.0));
    sn_vec3 top = sn_vec3_add_scaled(frame.position, s->half[a].z, normal);
    sn_contact *contact = scene_begin(s, old, old_count, a, b, normal, 2.0 * s->half[b].z);
    for (int i = 0; i < 4; ++i) {
        sn_vec3 corner = scene_corner(s, b, i);
        double gap = sn_dot(normal, sn_vec3_sub(corner, top));
        if (gap < s->margin) {
            scene_point(contact, old, old_count, sn_vec3_add_scaled(corner, -gap, normal), corner,
                        (uint32_t)i);
        }
    }
    s->contact_count -= contact->count == 0;
}

static void scene_collide(scene *s)
{
    static sn_contact old[SCENE_CONTACTS];
    int old_count = s->contact_count, bodies = s->set.agents.count;
    memcpy(old, s->contacts, (size_t)old_count * sizeof *old);
    s->contact_count = 0;
    for (int i = 0; i < bodies; ++i) {
        if (sn_dot(s->up, s->up) > 0.0) {
            scene_plane(s, old, old_count, i);
        }
        for (int j = i + 1; j < bodies && s->radius[i] > 0.0; ++j) {
            if (s->radius[j] > 0.0) {
                scene_balls(s, old, old_count, i, j);
            }
        }
        if (s->stacked && i + 1 < bodies) {
            scene_stacked(s, old, old_count, i, i + 1);
        }
    }
}

static sn_status scene_step(scene *s)
{
    sn_error error;
    scene_collide(s);
    sn_status status = sn_pile_step(&s->pile, &s->set, s->agents, s->set.agents.count, s->contacts,
                                    NULL, s->contact_count, &s->def, s->threads, &s->stack, &error);
    sn_stack_settle(&s->stack);
    return status;
}

static sn_vec3 scene_position(const scene *s, int agent)
{
    return sn_rigid_frame(&s->set, agent).position;
}

#endif
