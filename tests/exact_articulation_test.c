// The exact solver between articulations, their limits, and free bodies: what a lever bears, and a
// blow that moves a whole chain.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/rigid/rigid.h"
#include "mechanism.h"
#include "solve/exact.h"

enum { LEVERS, BALLS, SETS };

typedef struct scene {
    sn_articulation_set levers;
    sn_rigid_set balls;
    sn_agent_set *sets[SETS];
    sn_contact contacts[2];
    sn_contact *pointers[2];
    sn_contact_course courses[2];
    int contact_count;
    sn_exact exact;
    sn_exact_report report;
} scene;

static void open_scene(scene *s, mechanism *m)
{
    memset(s, 0, sizeof *s);
    sn_articulation_set_init(&s->levers);
    sn_rigid_set_init(&s->balls);
    assert_int_equal(add_mechanism(&s->levers, m, SN_INTEGRATOR_DEFAULT), 0);
    s->sets[LEVERS] = &s->levers.agents;
    s->sets[BALLS] = &s->balls.agents;
    s->pointers[0] = &s->contacts[0];
    s->pointers[1] = &s->contacts[1];
}

static void close_scene(scene *s)
{
    sn_articulation_set_free(&s->levers);
    sn_rigid_set_free(&s->balls);
    sn_exact_free(&s->exact);
}

static void add_ball(scene *s, double mass, double r, sn_vec3 place)
{
    double i = 0.4 * mass * r * r;
    sn_rigid_def def = {
        .mass = {.mass = mass, .inertia = sn_mat3_diagonal(sn_vec3_make(i, i, i))},
        .frame = {place, SN_QUAT_IDENTITY},
        .integrator = SN_INTEGRATOR_LIE_MIDPOINT,
    };
    assert_int_equal(sn_rigid_add(&s->balls, &def), 0);
}

// The tip of a lever of length 1 on the ground.
static void tip_on_ground(scene *s, sn_contact *contact)
{
    sn_part part;
    s->sets[LEVERS]->type->part(s->sets[LEVERS], 0, 0, &part);
    sn_vec3 tip = sn_transform_point(part.frame, sn_vec3_make(1.0, 0.0, 0.0));
    contact->a = (sn_contact_side){-1, 0, 0};
    contact->b = (sn_contact_side){LEVERS, 0, 0};
    contact->normal = sn_vec3_make(0.0, 0.0, 1.0);
    contact->points[0].on_b = tip;
    contact->points[0].on_a = sn_vec3_make(tip.x, tip.y, 0.0);
    contact->points[0].gap = tip.z;
    contact->size = 1.0;
    contact->count = 1;
}

// A ball of radius 0.1 on a lever's line.
static void ball_on_lever(scene *s, int link, sn_contact *contact)
{
    sn_part lever, ball;
    s->sets[LEVERS]->type->part(s->sets[LEVERS], 0, link, &lever);
    s->sets[BALLS]->type->part(s->sets[BALLS], 0, 0, &ball);
    contact->a = (sn_contact_side){LEVERS, 0, link};
    contact->b = (sn_contact_side){BALLS, 0, 0};
    contact->normal = sn_rotate(lever.frame.rotation, sn_vec3_make(0.0, 1.0, 0.0));
    double height = sn_dot(sn_vec3_sub(ball.centre, lever.frame.position), contact->normal);
    contact->points[0].gap = height - 0.1;
    contact->points[0].on_b = sn_vec3_add_scaled(ball.centre, -0.1, contact->normal);
    contact->points[0].on_a = sn_vec3_add_scaled(ball.centre, -height, contact->normal);
    contact->round_b = 0.1;
    contact->size = 0.2;
    contact->count = 1;
}

static void step_scene(scene *s, sn_vec3 gravity, double h)
{
    for (int i = 0; i < s->contact_count; ++i) {
        sn_contact_begin(&s->contacts[i], s->sets, &s->courses[i]);
    }
    for (int i = 0; i < SETS; ++i) {
        sn_agent_set *set = s->sets[i];
        sn_agent_set_keep(set, 0, set->count);
        set->type->begin(set, 0, set->count, h);
        set->type->free_step(set, 0, set->count, gravity, h);
    }
    sn_exact_problem problem = sn_exact_default();
    problem.sets = s->sets;
    problem.contacts = s->pointers;
    problem.courses = s->courses;
    problem.contact_count = s->contact_count;
    problem.h = h;
    assert_int_equal(sn_exact_solve(&s->exact, &problem, &s->report, NULL), SN_OK);
    assert_true(s->report.effort.converged);
    for (int i = 0; i < SETS; ++i) {
        sn_agent_set *set = s->sets[i];
        set->type->advance(set, 0, set->count, h);
        for (int k = 0; k < set->count; ++k) {
            assert_false(set->agents[k].failed);
            set->agents[k].time += h;
        }
    }
    if (s->report.struck) {
        assert_int_equal(sn_exact_relax(&s->exact, &problem, &s->report, NULL), SN_OK);
        assert_true(s->report.effort.converged);
    }
}

// A lever of 2 kg, hinged at one end; the ground under its tip, or a limit, and a ball of 3 kg at
// 0.6 m bear on each other as levers do.
static void levers_bear_loads(void **state)
{
    (void)state;
    const double h = 1.0 / 240.0;
    for (int k = 0; k < 4; ++k) {
        bool ground = k % 2 == 0, ball = k >= 1;
        static mechanism m;
        start_mechanism(&m);
        add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 2.0);
        if (!ground) {
            m.freedoms[0].limit.lower = 0.0;
        }
        scene s;
        open_scene(&s, &m);
        if (ball) {
            add_ball(&s, 3.0, 0.1, sn_vec3_make(0.6, 0.0, 0.1));
        }
        s.contact_count = ground + ball;
        for (int i = 0; i < s.contact_count; ++i) {
            s.contacts[i].friction = 0.5;
        }
        for (int i = 0; i < 240; ++i) {
            if (ground) {
                tip_on_ground(&s, &s.contacts[0]);
            }
            if (ball) {
                ball_on_lever(&s, 0, &s.contacts[ground]);
            }
            step_scene(&s, down, h);
        }
        assert_true(fabs(s.levers.agents.q[0]) < 1e-9);
        assert_true(fabs(s.levers.agents.v[0]) < 1e-9);
        double weight = 9.81 * h;
        if (ball) {
            double p = s.contacts[ground].points[0].impulse.z;
            assert_true(fabs(p - 3.0 * weight) < 1e-6 * p);
            sn_vec3 place = sn_rigid_frame(&s.balls, 0).position;
            assert_true(sn_distance(place, sn_vec3_make(0.6, 0.0, 0.1)) < 1e-9);
        }
        if (ground) {
            double p = s.contacts[0].points[0].impulse.z;
            double expected = (1.0 + (ball ? 3.0 * 0.6 : 0.0)) * weight;
            assert_true(fabs(p - expected) < 1e-6 * p);
        }
        close_scene(&s);
    }
}

// A ball strikes the outer rod of a chain of two, elastically: the energy stays, both rods move at
// once, and the moment of momentum about the nail is kept.
static void blows_move_the_whole_chain(void **state)
{
    (void)state;
    const double h = 1e-3;
    static mechanism m;
    start_mechanism(&m);
    int inner = add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
    add_rod(&m, inner, sn_vec3_make(1.0, 0.0, 0.0), 1.0, 1.0);
    scene s;
    open_scene(&s, &m);
    double mass = 0.7, speed = 2.0, x = 1.6;
    add_ball(&s, mass, 0.1, sn_vec3_make(x, 0.0, 0.1 + 0.0031));
    sn_rigid_set_velocity(&s.balls, 0, sn_vec3_make(0.0, 0.0, -speed), SN_VEC3_ZERO);
    s.contact_count = 1;
    s.contacts[0].restitution = 1.0;
    double before = 0.5 * mass * speed * speed, moment = mass * x * speed;
    for (int i = 0; i < 10; ++i) {
        ball_on_lever(&s, 1, &s.contacts[0]);
        step_scene(&s, SN_VEC3_ZERO, h);
    }
    assert_true(s.levers.agents.v[0] != 0.0 && s.levers.agents.v[1] != 0.0);
    double after = 0.0, turned = 0.0;
    for (int i = 0; i < SETS; ++i) {
        sn_measure measure;
        s.sets[i]->type->measure(s.sets[i], 0, SN_VEC3_ZERO, &measure);
        after += measure.kinetic;
        turned += measure.angular_momentum.y;
    }
    assert_true(fabs(after - before) < 1e-4 * before);
    assert_true(fabs(fabs(turned) - moment) < 1e-6 * moment);
    assert_true(sn_rigid_velocity(&s.balls, 0).z > -speed + 0.5);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levers_bear_loads),
        cmocka_unit_test(blows_move_the_whole_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
