// The exact solver on closed forms: blocks on slopes, sliding stops, rolling, bounces, towers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "touching_bodies.h"

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_message(__VA_ARGS__);                                                            \
            assert_true(condition);                                                                \
        }                                                                                          \
    } while (0)

static const sn_vec3 brick = {0.1, 0.06, 0.05};

// A block on a slope of tan a = slope, its lower face on the plane.
static int block_on_slope(touching *t, double slope, double friction, double scale)
{
    double length = sqrt(1.0 + slope * slope), c = 1.0 / length, s = slope / length;
    t->plane_normal = sn_vec3_make(-s, 0.0, c);
    sn_quat turn = sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), t->plane_normal);
    sn_vec3 half = sn_vec3_scale(scale, brick);
    sn_vec3 place = sn_vec3_scale(half.z, t->plane_normal);
    t->gravity = sn_vec3_make(0.0, 0.0, -9.81 * scale);
    int body = touching_add(t, (touching_body){.box = true, .half = half}, 2.0, place, turn);
    touching_join(t, -1, body, friction, 0.0);
    return body;
}

static void test_block_sticks_on_slope(void **state)
{
    (void)state;
    const double frictions[3] = {0.5, 0.51, 0.8};
    for (int k = 0; k < 3; ++k) {
        touching t;
        touching_open(&t);
        int body = block_on_slope(&t, 0.5, frictions[k], 1.0);
        sn_vec3 start = touching_position(&t, body);
        for (int i = 0; i < 60 * 240; ++i) {
            touching_step(&t, 1.0 / 240.0);
        }
        double moved = sn_distance(start, touching_position(&t, body));
        CHECK(moved < 1e-9, "friction %g moved %g residual %g relaxed %d\n", frictions[k], moved,
              t.worst_residual, t.relaxed);
        CHECK(t.worst_residual < 1e-9, "residual %g\n", t.worst_residual);
        touching_close(&t);
    }
}

static void test_block_slides_on_slope(void **state)
{
    (void)state;
    const double scales[3] = {0.01, 1.0, 100.0};
    double speeds[3];
    for (int k = 0; k < 3; ++k) {
        touching t;
        touching_open(&t);
        int body = block_on_slope(&t, 0.5, 0.49, scales[k]);
        for (int i = 0; i < 240; ++i) {
            touching_step(&t, 1.0 / 240.0);
        }
        speeds[k] = sn_length(touching_velocity(&t, body)) / scales[k];
        double expected = 9.81 * (0.5 - 0.49) / sqrt(1.25);
        CHECK(fabs(speeds[k] - expected) < 1e-6 * expected, "speed %.9g expected %.9g\n", speeds[k],
              expected);
        touching_close(&t);
    }
    assert_true(fabs(speeds[0] - speeds[1]) < 1e-6 * speeds[1]);
    assert_true(fabs(speeds[2] - speeds[1]) < 1e-6 * speeds[1]);
}

static void test_sliding_stop(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    int body = touching_add(&t, (touching_body){.box = true, .half = {0.2, 0.2, 0.05}}, 3.0,
                            sn_vec3_make(0.0, 0.0, 0.05), SN_QUAT_IDENTITY);
    touching_join(&t, -1, body, 0.3, 0.0);
    sn_rigid_set_velocity(&t.set, body, sn_vec3_make(2.0, 0.0, 0.0), SN_VEC3_ZERO);
    double h = 1.0 / 240.0, stopped = 0.0;
    for (int i = 0; i < 240; ++i) {
        touching_step(&t, h);
        if (stopped == 0.0 && sn_length(touching_velocity(&t, body)) < 1e-9) {
            stopped = (i + 1) * h;
        }
    }
    double way = touching_position(&t, body).x, expected = 4.0 / (2.0 * 0.3 * 9.81);
    CHECK(fabs(way - expected) < 0.005 * expected, "way %g expected %g\n", way, expected);
    CHECK(fabs(stopped - 0.67958) < 1.5 * h, "stopped %g\n", stopped);
    touching_close(&t);
}

static void test_sphere_starts_to_roll(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    int ball = touching_add_sphere(&t, 0.1, 1.0, sn_vec3_make(0.0, 0.0, 0.1));
    touching_join(&t, -1, ball, 0.2, 0.0);
    sn_rigid_set_velocity(&t.set, ball, sn_vec3_make(3.0, 0.0, 0.0), SN_VEC3_ZERO);
    double h = 1.0 / 240.0, rolling = 0.0, expected = 2.0 * 3.0 / (7.0 * 0.2 * 9.81);
    for (int i = 0; i < 480; ++i) {
        touching_step(&t, h);
        double slip =
            touching_velocity(&t, ball).x - 0.1 * sn_rigid_angular_velocity(&t.set, ball).y;
        if (rolling == 0.0 && fabs(slip) < 1e-9) {
            rolling = (i + 1) * h;
        }
    }
    double speed = touching_velocity(&t, ball).x;
    CHECK(fabs(speed - 15.0 / 7.0) < 1e-9, "speed %.12g\n", speed);
    CHECK(fabs(rolling - expected) < 1.5 * h, "rolling at %g expected %g\n", rolling, expected);
    CHECK(fabs(touching_position(&t, ball).z - 0.1) < 1e-8, "height %.12g\n",
          touching_position(&t, ball).z);
    touching_close(&t);
}

static void test_sphere_rolls_down(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    double s = 0.28, c = sqrt(1.0 - s * s), r = 0.07;
    t.plane_normal = sn_vec3_make(s, 0.0, c);
    int ball = touching_add_sphere(&t, r, 1.0, sn_vec3_scale(r, t.plane_normal));
    sn_contact *contact = touching_join(&t, -1, ball, 0.3, 0.0);
    for (int i = 0; i < 480; ++i) {
        touching_step(&t, 1.0 / 240.0);
    }
    double speed = sn_length(touching_velocity(&t, ball)), expected = 2.0 * 5.0 / 7.0 * 9.81 * s;
    CHECK(fabs(speed - expected) < 1e-4 * expected, "speed %.9g expected %.9g\n", speed, expected);
    assert_true(contact->points[0].touched);
    touching_close(&t);
}

// Rolling friction of length l takes l / r off the slope, and holds at rest below it.
static void test_rolling_friction(void **state)
{
    (void)state;
    double r = 0.1, l = 0.004, s = 0.1, c = sqrt(1.0 - s * s);
    for (int k = 0; k < 2; ++k) {
        touching t;
        touching_open(&t);
        double slope = k == 0 ? s : 0.03, up = k == 0 ? c : sqrt(1.0 - 0.0009);
        t.plane_normal = sn_vec3_make(slope, 0.0, up);
        int ball = touching_add_sphere(&t, r, 1.0, sn_vec3_scale(r, t.plane_normal));
        sn_contact *contact = touching_join(&t, -1, ball, 0.6, 0.0);
        contact->rolling_friction = l;
        contact->spinning_friction = l;
        if (k == 1) {
            sn_rigid_set_velocity(&t.set, ball, SN_VEC3_ZERO, sn_vec3_scale(4.0, t.plane_normal));
        }
        for (int i = 0; i < 240; ++i) {
            touching_step(&t, 1.0 / 240.0);
        }
        double speed = sn_length(touching_velocity(&t, ball));
        double expected = 5.0 / 7.0 * 9.81 * (slope - up * l / r);
        if (k == 0) {
            CHECK(fabs(speed - expected) < 1e-6 * expected, "speed %g expected %g\n", speed,
                  expected);
        } else {
            // Spin dies at l m g cos / I = 2.5 l g cos / r^2 = 9.8 rad/s^2; it never rolls.
            CHECK(speed < 1e-9, "speed %g\n", speed);
            double spin = sn_length(sn_rigid_angular_velocity(&t.set, ball));
            CHECK(spin < 1e-9, "spin %g\n", spin);
        }
        touching_close(&t);
    }
}

// Total time sqrt(2 h / g) (1 + e) / (1 - e).
static void test_bouncing_ball(void **state)
{
    (void)state;
    const double steps[2] = {1.0 / 240.0, 1.0 / 60.0};
    for (int k = 0; k < 2; ++k) {
        touching t;
        touching_open(&t);
        double e = 0.8, height = 1.0, r = 0.05, h = steps[k], last = 0.0;
        int ball = touching_add_sphere(&t, r, 1.0, sn_vec3_make(0.0, 0.0, r + height));
        touching_join(&t, -1, ball, 0.4, e);
        for (int i = 0; i < (int)(6.0 / h); ++i) {
            touching_step(&t, h);
            sn_vec3 x = touching_position(&t, ball), v = touching_velocity(&t, ball);
            CHECK(x.z > r - 1e-6, "step %d: %g below ground\n", i, r - x.z);
            if (fabs(v.z) > 1e-9 || x.z > r + 1e-6) {
                last = (i + 1) * h;
            }
        }
        double expected = sqrt(2.0 * height / 9.81) * (1.0 + e) / (1.0 - e);
        CHECK(fabs(last - expected) < (k == 0 ? 0.005 : 0.02) * expected, "%g expected %g\n", last,
              expected);
        touching_close(&t);
    }
}

// e = 1: the energy of a ball that bounces for long stays, to round-off of what a step does.
static void test_elastic_ball(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    double r = 0.05, h = 1.0 / 240.0;
    int ball = touching_add_sphere(&t, r, 1.0, sn_vec3_make(0.0, 0.0, r + 0.5));
    touching_join(&t, -1, ball, 0.4, 1.0);
    double most = 0.0;
    for (int i = 0; i < 240 * 20; ++i) {
        touching_step(&t, h);
        double z = touching_position(&t, ball).z - r, v = touching_velocity(&t, ball).z;
        most = fmax(most, fabs(9.81 * z + 0.5 * v * v - 9.81 * 0.5));
    }
    CHECK(most < 1e-6 * 9.81 * 0.5, "energy off by %g\n", most);
    touching_close(&t);
}

// ---- many bodies ----

static void stack(touching *t, int count, const double *masses, sn_vec3 half, double friction)
{
    for (int i = 0; i < count; ++i) {
        int body = touching_add(t, (touching_body){.box = true, .half = half}, masses[i],
                                sn_vec3_make(0.0, 0.0, (2.0 * i + 1.0) * half.z), SN_QUAT_IDENTITY);
        touching_join(t, i - 1, body, friction, 0.0);
    }
}

// Each box of a tower carries those above it from the first step on, with its four points alike.
static void test_tower(void **state)
{
    (void)state;
    enum { BOXES = 20 };
    double masses[BOXES], h = 1.0 / 60.0;
    for (int i = 0; i < BOXES; ++i) {
        masses[i] = 1.0;
    }
    touching t;
    touching_open(&t);
    stack(&t, BOXES, masses, sn_vec3_make(0.5, 0.5, 0.5), 0.5);
    touching_step(&t, h);
    assert_true(t.report.effort.converged);
    for (int i = 0; i < BOXES; ++i) {
        double expected = (BOXES - i) * 9.81 * h / 4.0;
        for (int k = 0; k < 4; ++k) {
            double p = t.contacts[i].points[k].impulse.z;
            CHECK(fabs(p - expected) < 0.02 * expected, "box %d point %d: %g expected %g\n", i, k,
                  p, expected);
        }
    }
    int sweeps = 0;
    for (int i = 0; i < 600; ++i) {
        touching_step(&t, h);
        sweeps = i == 300 ? t.report.effort.sweeps : sweeps;
    }
    sn_vec3 top = touching_position(&t, BOXES - 1);
    CHECK(sn_distance(top, sn_vec3_make(0.0, 0.0, BOXES - 0.5)) < 1e-9, "top %g %g %g\n", top.x,
          top.y, top.z - BOXES + 0.5);
    assert_true(sweeps <= 8);
    touching_close(&t);
}

static void test_light_under_heavy(void **state)
{
    (void)state;
    const double masses[3] = {1.0, 1000.0, 1e6};
    touching t;
    touching_open(&t);
    stack(&t, 3, masses, sn_vec3_make(0.2, 0.2, 0.2), 0.5);
    for (int i = 0; i < 240; ++i) {
        touching_step(&t, 1.0 / 240.0);
        CHECK(t.report.effort.converged, "step %d residual %g\n", i, t.report.effort.residual);
    }
    for (int i = 0; i < 3; ++i) {
        double sunk = (2.0 * i + 1.0) * 0.2 - touching_position(&t, i).z;
        CHECK(fabs(sunk) < 1e-6, "box %d sank %g\n", i, sunk);
    }
    touching_close(&t);
}

// Boxes fall onto each other and the ground from small heights, off centre: they come to rest.
static void test_landing_stack(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    for (int i = 0; i < 5; ++i) {
        sn_vec3 place = {0.02 * (i % 2), 0.01 * i, 0.1 + 0.23 * i + 0.05};
        int body = touching_add(&t, (touching_body){.box = true, .half = {0.1, 0.1, 0.1}}, 1.0 + i,
                                place, SN_QUAT_IDENTITY);
        touching_join(&t, i - 1, body, 0.5, 0.0);
    }
    for (int i = 0; i < 480; ++i) {
        touching_step(&t, 1.0 / 240.0);
        CHECK(t.report.effort.converged, "step %d residual %g sweeps %d newton %d\n", i,
              t.report.effort.residual, t.report.effort.sweeps, t.report.effort.newton_steps);
    }
    for (int i = 0; i < 5; ++i) {
        double height = touching_position(&t, i).z, speed = sn_length(touching_velocity(&t, i));
        CHECK(fabs(height - 0.1 - 0.2 * i) < 1e-4, "box %d at %g\n", i, height);
        CHECK(speed < 1e-9, "box %d moves %g\n", i, speed);
    }
    touching_close(&t);
}

static void momenta(const touching *t, sn_vec3 *momentum, sn_vec3 *angular)
{
    const sn_agent_set *set = &t->set.agents;
    *momentum = *angular = SN_VEC3_ZERO;
    for (int i = 0; i < set->count; ++i) {
        sn_measure measure;
        set->type->measure(set, i, SN_VEC3_ZERO, &measure);
        *momentum = sn_vec3_add(*momentum, measure.momentum);
        *angular = sn_vec3_add(*angular, measure.angular_momentum);
    }
}

// Balls with friction, spin and restitution fly into a heap of others: nothing from outside acts.
static void test_momentum_is_kept(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    t.gravity = SN_VEC3_ZERO;
    sn_random random = {.seed = 5};
    enum { BALLS = 6 };
    for (int i = 0; i < BALLS; ++i) {
        sn_vec3 place = {sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                         sn_random_range(&random, -1, 1)};
        int ball = touching_add_sphere(&t, 0.3, sn_random_range(&random, 0.5, 5.0),
                                       sn_vec3_scale(1.5, place));
        sn_rigid_set_velocity(&t.set, ball, sn_vec3_scale(-2.0, place),
                              sn_vec3_scale(5.0, sn_cross(place, sn_vec3_make(1.0, 0.3, 0.2))));
        for (int k = 0; k < i; ++k) {
            touching_join(&t, k, ball, 0.4, (i + k) % 2 == 0 ? 0.6 : 0.0);
        }
    }
    sn_vec3 p0, l0, p1, l1;
    momenta(&t, &p0, &l0);
    int relaxed = 0, strikes = 0;
    for (int i = 0; i < 480; ++i) {
        touching_step(&t, 1.0 / 240.0);
        relaxed += t.report.struck;
        strikes += t.report.strikes;
    }
    momenta(&t, &p1, &l1);
    CHECK(relaxed > 5 && strikes >= 3, "relaxed %d strikes %d\n", relaxed, strikes);
    CHECK(sn_distance(p0, p1) < 1e-12 * (1.0 + sn_length(p0)), "momentum off by %g\n",
          sn_distance(p0, p1));
    CHECK(sn_distance(l0, l1) < 1e-12 * (1.0 + sn_length(l0)), "angular momentum off by %g\n",
          sn_distance(l0, l1));
    touching_close(&t);
}

// Balls in a row that touch: as many leave as came in, with their speed, and the others stay.
static void test_cradle(void **state)
{
    (void)state;
    enum { BALLS = 5 };
    for (int thrown = 1; thrown <= 3; ++thrown) {
        touching t;
        touching_open(&t);
        t.gravity = SN_VEC3_ZERO;
        double r = 0.05, speed = 1.3, h = 1.0 / 240.0;
        for (int i = 0; i < BALLS; ++i) {
            double x = 2.0 * r * i - (i < thrown ? 0.0731 : 0.0);
            int ball = touching_add_sphere(&t, r, 0.5, sn_vec3_make(x, 0.0, 0.0));
            if (i < thrown) {
                sn_rigid_set_velocity(&t.set, ball, sn_vec3_make(speed, 0.0, 0.0), SN_VEC3_ZERO);
            }
            if (i > 0) {
                touching_join(&t, i - 1, ball, 0.2, 1.0);
            }
        }
        int steps = 60;
        for (int i = 0; i < steps; ++i) {
            touching_step(&t, h);
        }
        for (int i = 0; i < BALLS; ++i) {
            double v = touching_velocity(&t, i).x, x = touching_position(&t, i).x;
            bool leaves = i >= BALLS - thrown;
            CHECK(fabs(v - (leaves ? speed : 0.0)) < 1e-6 * speed, "%d thrown: ball %d goes %g\n",
                  thrown, i, v);
            double flown = speed * steps * h - 0.0731;
            double expected = 2.0 * r * i + (leaves ? flown : 0.0);
            CHECK(fabs(x - expected) < 1e-5, "%d thrown: ball %d at %g expected %g\n", thrown, i, x,
                  expected);
        }
        touching_close(&t);
    }
}

// ---- other laws ----

// A belt takes a block along: it is at the belt's speed after v / (friction g), and stays there.
static void test_conveyor(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    int body = touching_add(&t, (touching_body){.box = true, .half = {0.1, 0.1, 0.05}}, 2.0,
                            sn_vec3_make(0.0, 0.0, 0.05), SN_QUAT_IDENTITY);
    sn_contact *contact = touching_join(&t, -1, body, 0.4, 0.0);
    contact->surface_velocity = sn_vec3_make(-1.5, 0.0, 0.0); // of b against a: the belt goes +x
    double h = 1.0 / 240.0, when = 0.0;
    for (int i = 0; i < 240; ++i) {
        touching_step(&t, h);
        if (when == 0.0 && touching_velocity(&t, body).x > 1.5 - 1e-9) {
            when = (i + 1) * h;
        }
    }
    CHECK(fabs(touching_velocity(&t, body).x - 1.5) < 1e-9, "speed %g\n",
          touching_velocity(&t, body).x);
    CHECK(fabs(when - 1.5 / (0.4 * 9.81)) < 1.5 * h, "after %g\n", when);
    double way = 1.5 * 1.0 - 1.5 * 1.5 / (2.0 * 0.4 * 9.81);
    CHECK(fabs(touching_position(&t, body).x - way) < 0.005 * way, "way %g expected %g\n",
          touching_position(&t, body).x, way);
    touching_close(&t);
}

// A box w x h tips over at a slope of atan(w / h), not before; friction holds its foot.
static void test_tipping(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        touching t;
        touching_open(&t);
        double slope = (k == 0 ? 0.995 : 1.005) * 0.5, length = sqrt(1.0 + slope * slope);
        t.plane_normal = sn_vec3_make(-slope / length, 0.0, 1.0 / length);
        sn_quat turn = sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), t.plane_normal);
        int body = touching_add(&t, (touching_body){.box = true, .half = {0.1, 0.1, 0.2}}, 1.0,
                                sn_vec3_scale(0.2, t.plane_normal), turn);
        touching_join(&t, -1, body, 2.0, 0.0);
        for (int i = 0; i < 240; ++i) {
            touching_step(&t, 1.0 / 240.0);
        }
        double spin = sn_length(sn_rigid_angular_velocity(&t.set, body));
        CHECK(k == 0 ? spin < 1e-10 : spin > 0.02, "slope %g: spin %g\n", slope, spin);
        touching_close(&t);
    }
}

// Bodies under Euler's rule land at no gap too, and rest.
static void test_symplectic_euler(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    t.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER;
    int body = touching_add(&t, (touching_body){.box = true, .half = {0.1, 0.1, 0.1}}, 1.0,
                            sn_vec3_make(0.0, 0.0, 0.31), SN_QUAT_IDENTITY);
    touching_join(&t, -1, body, 0.5, 0.0);
    for (int i = 0; i < 240; ++i) {
        touching_step(&t, 1.0 / 240.0);
        assert_true(touching_position(&t, body).z > 0.1 - 1e-9);
    }
    assert_true(fabs(touching_position(&t, body).z - 0.1) < 1e-9);
    assert_true(sn_length(touching_velocity(&t, body)) < 1e-12);
    touching_close(&t);
}

// The same fall, slide and tumble at three scales.
static void test_scales(void **state)
{
    (void)state;
    const double scales[3] = {1.0, 0.01, 100.0};
    sn_vec3 places[3];
    for (int k = 0; k < 3; ++k) {
        touching t;
        touching_open(&t);
        double s = scales[k];
        t.gravity = sn_vec3_make(0.0, 0.0, -9.81 * s);
        for (int i = 0; i < 3; ++i) {
            sn_vec3 half = sn_vec3_scale(s, sn_vec3_make(0.1, 0.12, 0.08));
            sn_vec3 place = sn_vec3_scale(s, sn_vec3_make(0.03 * i, -0.02 * i, 0.1 + 0.2 * i));
            int body = touching_add(&t, (touching_body){.box = true, .half = half}, 2.0 * s * s * s,
                                    place, SN_QUAT_IDENTITY);
            sn_rigid_set_velocity(&t.set, body, sn_vec3_scale(s, sn_vec3_make(0.3, 0.1 * i, 0.0)),
                                  SN_VEC3_ZERO);
            touching_join(&t, i - 1, body, 0.4, i == 2 ? 0.3 : 0.0);
        }
        for (int i = 0; i < 200; ++i) {
            touching_step(&t, 1.0 / 240.0);
        }
        places[k] = sn_vec3_scale(1.0 / s, touching_position(&t, 2));
        touching_close(&t);
    }
    CHECK(sn_distance(places[0], places[1]) < 1e-6, "off by %g\n",
          sn_distance(places[0], places[1]));
    CHECK(sn_distance(places[0], places[2]) < 1e-6, "off by %g\n",
          sn_distance(places[0], places[2]));
}

// Two balls, one held below the other's size by overlap: pushed out slowly, and no speed is left.
static void test_deep_overlap(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    t.gravity = SN_VEC3_ZERO;
    touching_add_sphere(&t, 0.1, 1.0, SN_VEC3_ZERO);
    int other = touching_add_sphere(&t, 0.1, 1.0, sn_vec3_make(0.15, 0.0, 0.0));
    touching_join(&t, 0, other, 0.5, 0.0);
    double fastest = 0.0;
    for (int i = 0; i < 120; ++i) {
        touching_step(&t, 1.0 / 240.0);
        fastest = fmax(fastest, sn_length(touching_velocity(&t, 0)));
    }
    double apart = sn_distance(touching_position(&t, 0), touching_position(&t, other));
    CHECK(fabs(apart - 0.2) < 1e-4, "apart %g\n", apart);
    CHECK(fastest < 1e-9, "left with %g\n", fastest);
    touching_close(&t);
}

// ---- memory ----

static void test_memory(void **state)
{
    (void)state;
    // Any allocation may fail: the solver says so, and a later call succeeds.
    for (int64_t k = 0; k < 200; ++k) {
        touching t;
        touching_open(&t);
        double masses[3] = {1.0, 2.0, 1.0};
        stack(&t, 3, masses, sn_vec3_make(0.1, 0.1, 0.1), 0.5);
        t.contacts[2].rolling_friction = 0.001;
        sn_allocation_fail_after(k);
        sn_status status = touching_step(&t, 0.01);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        assert_int_equal(touching_step(&t, 0.01), SN_OK);
        touching_close(&t);
        if (status == SN_OK) {
            assert_true(k > 5);
            break;
        }
        assert_true(k < 199);
    }
    // After the first steps nothing is allocated.
    touching t;
    touching_open(&t);
    double masses[4] = {1.0, 2.0, 1.0, 1.0};
    stack(&t, 4, masses, sn_vec3_make(0.1, 0.1, 0.1), 0.5);
    for (int i = 0; i < 5; ++i) {
        touching_step(&t, 0.01);
    }
    uint64_t before = sn_allocation_count();
    for (int i = 0; i < 50; ++i) {
        touching_step(&t, 0.01);
    }
    assert_int_equal(sn_allocation_count(), before);
    touching_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_sticks_on_slope),
        cmocka_unit_test(test_block_slides_on_slope),
        cmocka_unit_test(test_sliding_stop),
        cmocka_unit_test(test_sphere_starts_to_roll),
        cmocka_unit_test(test_sphere_rolls_down),
        cmocka_unit_test(test_rolling_friction),
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_elastic_ball),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_light_under_heavy),
        cmocka_unit_test(test_landing_stack),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_tipping),
        cmocka_unit_test(test_symplectic_euler),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_deep_overlap),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
