// Free rigid bodies with contacts made by hand, stepped by the exact solver: spheres and boxes on a
// plane and on each other, for closed forms that need no collision code.
#ifndef SN_TESTS_TOUCHING_BODIES_H
#define SN_TESTS_TOUCHING_BODIES_H

#include <math.h>
#include <string.h>

#include "agent/rigid/rigid.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "solve/exact.h"

enum { TOUCHING_MOST = 64 };

typedef struct touching_body {
    bool box;
    double radius;
    sn_vec3 half;
} touching_body;

typedef struct touching {
    sn_rigid_set set;
    sn_agent_set *sets[1];
    touching_body bodies[TOUCHING_MOST];
    sn_contact contacts[2 * TOUCHING_MOST];
    sn_contact *pointers[2 * TOUCHING_MOST];
    sn_contact_course courses[2 * TOUCHING_MOST];
    int contact_count;
    sn_vec3 plane_normal; // of the ground, through the origin
    sn_vec3 gravity;
    sn_exact exact;
    sn_exact_report report, relax_report;
    double worst_residual;
    int relaxed;
    bool predict;
    sn_integrator integrator;
} touching;

static inline void touching_open(touching *t)
{
    memset(t, 0, sizeof *t);
    sn_rigid_set_init(&t->set);
    t->sets[0] = &t->set.agents;
    t->plane_normal = sn_vec3_make(0.0, 0.0, 1.0);
    t->gravity = sn_vec3_make(0.0, 0.0, -9.81);
    t->integrator = SN_INTEGRATOR_LIE_MIDPOINT;
}

static inline void touching_close(touching *t)
{
    sn_rigid_set_free(&t->set);
    sn_exact_free(&t->exact);
}

static inline int touching_add(touching *t, touching_body body, double mass, sn_vec3 position,
                               sn_quat rotation)
{
    sn_vec3 h = body.half;
    double r2 = 0.4 * body.radius * body.radius;
    sn_vec3 inertia =
        body.box ? sn_vec3_make((h.y * h.y + h.z * h.z) / 3.0, (h.x * h.x + h.z * h.z) / 3.0,
                                (h.x * h.x + h.y * h.y) / 3.0)
                 : sn_vec3_make(r2, r2, r2);
    sn_rigid_def def = {
        .mass = {.mass = mass, .inertia = sn_mat3_diagonal(sn_vec3_scale(mass, inertia))},
        .frame = {position, rotation},
        .integrator = t->integrator,
    };
    int agent = sn_rigid_add(&t->set, &def);
    t->bodies[agent] = body;
    return agent;
}

static inline int touching_add_sphere(touching *t, double radius, double mass, sn_vec3 position)
{
    return touching_add(t, (touching_body){.radius = radius}, mass, position, SN_QUAT_IDENTITY);
}

// b: an agent; a: an agent, or -1 for the plane. Geometry follows at every step.
static inline sn_contact *touching_join(touching *t, int a, int b, double friction,
                                        double restitution)
{
    sn_contact *contact = &t->contacts[t->contact_count];
    *contact = (sn_contact){
        .a = {a < 0 ? -1 : 0, a, 0},
        .b = {0, b, 0},
        .friction = friction,
        .restitution = restitution,
    };
    t->pointers[t->contact_count] = contact;
    ++t->contact_count;
    return contact;
}

static inline void touching_point(sn_contact_point *point, sn_vec3 on_b, sn_vec3 normal,
                                  sn_vec3 plane)
{
    point->gap = sn_dot(sn_vec3_sub(on_b, plane), normal);
    point->on_b = on_b;
    point->on_a = sn_vec3_add_scaled(on_b, -point->gap, normal);
}

// Spheres on anything, and the four lower corners of a box on a plane or on the box below it.
static inline void touching_collide(touching *t, sn_contact *contact)
{
    const touching_body *b = &t->bodies[contact->b.agent];
    sn_transform frame = sn_rigid_frame(&t->set, contact->b.agent);
    sn_vec3 plane = SN_VEC3_ZERO, normal = t->plane_normal;
    contact->size = b->box ? 2.0 * fmin(b->half.x, fmin(b->half.y, b->half.z)) : 2.0 * b->radius;
    contact->round_b = b->box ? 0.0 : b->radius;
    if (contact->a.set >= 0) {
        const touching_body *a = &t->bodies[contact->a.agent];
        sn_transform below = sn_rigid_frame(&t->set, contact->a.agent);
        if (a->box) {
            normal = sn_rotate(below.rotation, sn_vec3_make(0.0, 0.0, 1.0));
            plane = sn_vec3_add_scaled(below.position, a->half.z, normal);
        } else {
            normal = sn_normalize(sn_vec3_sub(frame.position, below.position));
            plane = sn_vec3_add_scaled(below.position, a->radius, normal);
            contact->round_a = a->radius;
        }
    }
    contact->normal = normal;
    if (!b->box) {
        contact->count = 1;
        touching_point(&contact->points[0], sn_vec3_add_scaled(frame.position, -b->radius, normal),
                       normal, plane);
        return;
    }
    contact->count = 4;
    for (int i = 0; i < 4; ++i) {
        sn_vec3 corner = {i % 2 == 0 ? -b->half.x : b->half.x, i < 2 ? -b->half.y : b->half.y,
                          -b->half.z};
        touching_point(&contact->points[i], sn_transform_point(frame, corner), normal, plane);
    }
}

static inline sn_status touching_step(touching *t, double h)
{
    sn_agent_set *set = &t->set.agents;
    for (int i = 0; i < t->contact_count; ++i) {
        touching_collide(t, &t->contacts[i]);
        sn_contact_begin(&t->contacts[i], t->sets, &t->courses[i]);
    }
    sn_agent_set_keep(set, 0, set->count);
    set->type->begin(set, 0, set->count, h);
    set->type->free_step(set, 0, set->count, t->gravity, h);
    sn_exact_problem problem = sn_exact_default();
    problem.sets = t->sets;
    problem.contacts = t->pointers;
    problem.courses = t->courses;
    problem.contact_count = t->contact_count;
    problem.h = h;
    problem.predict = t->predict;
    sn_status status = sn_exact_solve(&t->exact, &problem, &t->report, NULL);
    if (status != SN_OK) {
        return status;
    }
    t->worst_residual = fmax(t->worst_residual, t->report.effort.residual);
    set->type->advance(set, 0, set->count, h);
    if (t->report.struck) {
        ++t->relaxed;
        status = sn_exact_relax(&t->exact, &problem, &t->relax_report, NULL);
        t->worst_residual = fmax(t->worst_residual, t->relax_report.effort.residual);
    }
    return status;
}

static inline sn_vec3 touching_position(const touching *t, int body)
{
    return sn_rigid_frame(&t->set, body).position;
}

static inline sn_vec3 touching_velocity(const touching *t, int body)
{
    return sn_rigid_velocity(&t->set, body);
}

#endif
