// Limits, friction, drives, springs and drag in the freedoms of trees, against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "mechanism.h"

static const sn_vec3 nothing = {0.0, 0.0, 0.0};

// A block of one kilogram on a slider along `axis`.
static void make_slider(mechanism *m, sn_vec3 axis)
{
    start_mechanism(m);
    add_link(m, -1, SN_TREE_SLIDER, (sn_frame){axes_along(axis), SN_VEC3_ZERO}, 1.0, SN_VEC3_ZERO,
             sn_vec3_make(1, 1, 1));
}

static void run(sn_articulation_set *set, double h, int steps, sn_vec3 gravity)
{
    for (int i = 0; i < steps; ++i) {
        assert_true(step_set(set, h, gravity));
    }
}

static void begin(sn_articulation_set *set, mechanism *m)
{
    sn_articulation_set_init(set);
    assert_int_equal(add_mechanism(set, m, SN_INTEGRATOR_DEFAULT), 0);
}

// A block that falls on its limit comes back to e^2 of the height, and never goes beyond.
static void limits_throw_back(void **state)
{
    (void)state;
    static mechanism m;
    for (int k = 0; k <= 4; ++k) {
        double e = 0.25 * k, h = 1e-4, top = 0.0, low = 1.0, last_v = 0.0, tops[8];
        make_slider(&m, sn_vec3_make(0, 0, 1));
        m.q[0] = 1.0;
        m.freedoms[0].limit.lower = 0.0;
        m.freedoms[0].limit.restitution = e;
        sn_articulation_set set;
        begin(&set, &m);
        int bounces = 0;
        for (int i = 0; i < 40000 && bounces < 3; ++i) {
            assert_true(step_set(&set, h, down));
            double z = set.agents.q[0], v = set.agents.v[0];
            low = fmin(low, z);
            top = fmax(top, v <= 0.0 && last_v > 0.0 ? z : 0.0);
            if (v <= 0.0 && last_v > 0.0) {
                tops[bounces++] = z;
            }
            last_v = v;
        }
        assert_true(low >= 0.0);
        double height = 1.0;
        for (int i = 0; i < bounces && height > 0.05; ++i) {
            height *= e * e;
            assert_true(fabs(tops[i] - height) < 2e-3);
        }
        assert_int_equal(bounces, e > 0.0 ? 3 : 0);
        if (e == 0.0) { // it lies there, and the limit carries the weight
            assert_true(set.agents.q[0] == 0.0 && set.agents.v[0] == 0.0);
            assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).limit - 9.81) < 1e-9);
        }
        sn_articulation_set_free(&set);
    }
}

// A pendulum of several links with tight limits: none is ever beyond, and it comes to rest.
static void limits_hold_in_trees(void **state)
{
    (void)state;
    static mechanism m;
    start_mechanism(&m);
    int parent = -1;
    for (int i = 0; i < 6; ++i) {
        parent = add_rod(&m, parent, parent < 0 ? SN_VEC3_ZERO : sn_vec3_make(0.4, 0, 0), 0.4, 1.0);
        m.freedoms[i].limit.lower = -0.2;
        m.freedoms[i].limit.upper = 0.3;
        m.freedoms[i].damping = 0.05;
        m.v[i] = i % 2 == 0 ? 3.0 : -3.0;
    }
    sn_articulation_set set;
    begin(&set, &m);
    for (int i = 0; i < 5000; ++i) {
        assert_true(step_set(&set, 1e-3, down));
        for (int j = 0; j < 6; ++j) {
            assert_true(set.agents.q[j] >= -0.2 && set.agents.q[j] <= 0.3);
        }
    }
    for (int j = 0; j < 6; ++j) { // lies stretched out on its lower limits
        assert_true(fabs(set.agents.q[j] + 0.2) < 1e-9 && fabs(set.agents.v[j]) < 1e-9);
    }
    sn_articulation_set_free(&set);
}

// A soft limit is a spring beyond it: static depth, and a half swing of pi sqrt(m / k).
static void soft_limits_are_springs(void **state)
{
    (void)state;
    static mechanism m;
    make_slider(&m, sn_vec3_make(0, 0, 1));
    m.freedoms[0].limit.lower = 0.0;
    m.freedoms[0].limit.stiffness = 1e4;
    m.v[0] = -1.0;
    m.q[0] = 0.0;
    sn_articulation_set set;
    begin(&set, &m);
    double h = 1e-5, lowest = 0.0;
    int steps = 0;
    do {
        assert_true(step_set(&set, h, nothing));
        lowest = fmin(lowest, set.agents.q[0]);
        ++steps;
    } while (set.agents.q[0] < 0.0 && steps < 100000);
    assert_true(fabs(lowest + 0.01) < 1e-5);
    assert_true(fabs(steps * h - SN_PI * 0.01) < 2e-4);
    assert_true(fabs(set.agents.v[0] - 1.0) < 1e-3);
    sn_articulation_set_free(&set);
    make_slider(&m, sn_vec3_make(0, 0, 1));
    m.freedoms[0].limit.lower = 0.0;
    m.freedoms[0].limit.stiffness = 1e4;
    m.freedoms[0].limit.damping = 100.0;
    m.q[0] = 0.1;
    begin(&set, &m);
    run(&set, 1e-3, 4000, down);
    assert_true(fabs(set.agents.q[0] + 9.81e-4) < 1e-9);
    assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).limit - 9.81) < 1e-6);
    sn_articulation_set_free(&set);
}

// A ball's limit is on the angle of its turn.
static void balls_are_limited_in_their_turn(void **state)
{
    (void)state;
    static mechanism m;
    for (int soft = 0; soft < 2; ++soft) {
        start_mechanism(&m);
        add_link(&m, -1, SN_TREE_BALL, SN_FRAME_IDENTITY, 1.0, sn_vec3_make(0, 0, 0.5),
                 sn_vec3_make(0.1, 0.1, 0.05)); // upside down
        m.freedoms[0].limit.upper = 0.7;
        m.freedoms[0].limit.stiffness = soft ? 1e5 : 0.0;
        m.freedoms[0].limit.damping = soft ? 100.0 : 0.0;
        m.freedoms[0].damping = 0.2;
        m.v[0] = 0.5;
        m.v[1] = 1.0;
        m.v[2] = 2.0;
        sn_articulation_set set;
        begin(&set, &m);
        double most = 0.0;
        for (int i = 0; i < 8000; ++i) {
            assert_true(step_set(&set, 1e-3, down));
            const double *q = set.agents.q;
            sn_vec3 turn = sn_quat_log((sn_quat){q[0], q[1], q[2], q[3]});
            most = fmax(most, sn_length(turn));
        }
        assert_true(most > 0.6999 && most < (soft ? 0.71 : 0.7 + 1e-6));
        assert_true(fabs(set.agents.v[0]) + fabs(set.agents.v[1]) < 1e-3);
        sn_articulation_set_free(&set);
    }
}

// Friction stops a block after v / mu and v^2 / 2 mu, and there it stays, to the bit.
static void friction_stops_and_holds(void **state)
{
    (void)state;
    static mechanism m;
    make_slider(&m, sn_vec3_make(1, 0, 0));
    m.freedoms[0].friction = 2.0;
    m.v[0] = 3.0;
    sn_articulation_set set;
    begin(&set, &m);
    double h = 1e-3;
    int steps = 0;
    while (set.agents.v[0] != 0.0 && steps < 3000) {
        assert_true(step_set(&set, h, down));
        ++steps;
    }
    assert_true(fabs(steps * h - 1.5) <= 2 * h);
    assert_true(fabs(set.agents.q[0] - 2.25) < 5e-3);
    double there = set.agents.q[0];
    set.agents.joint_force[0] = 1.9; // it pushes, and does not move it
    run(&set, h, 60000, down);
    assert_true(set.agents.q[0] == there && set.agents.v[0] == 0.0);
    assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).friction + 1.9) < 1e-9);
    set.agents.joint_force[0] = 2.5;
    run(&set, h, 1000, down);
    assert_true(fabs(set.agents.v[0] - 0.5) < 2e-3);
    assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).friction + 2.0) < 1e-9);
    sn_articulation_set_free(&set);
}

// A chain of hinges with friction, hanging out sideways: holds to the bit, and with less friction
// comes to rest.
static void friction_holds_trees(void **state)
{
    (void)state;
    static mechanism m;
    for (int weak = 0; weak < 2; ++weak) {
        start_mechanism(&m);
        int parent = -1;
        for (int i = 0; i < 5; ++i) {
            parent =
                add_rod(&m, parent, parent < 0 ? SN_VEC3_ZERO : sn_vec3_make(0.3, 0, 0), 0.3, 1.0);
            m.freedoms[i].friction = weak ? 4.0 : 60.0;
        }
        sn_articulation_set set;
        begin(&set, &m);
        run(&set, 1e-3, weak ? 20000 : 2000, down);
        for (int j = 0; j < 5; ++j) {
            assert_true(set.agents.v[j] == 0.0);
            assert_true(weak || set.agents.q[j] == 0.0);
            sn_freedom_load load = sn_articulation_freedom_load(&set, 0, j);
            assert_true(fabs(load.friction) <= (weak ? 4.0 : 60.0) * (1 + 1e-9));
            double arm = 0.3 * (5 - j); // moment of the part that hangs on joint j, stretched out
            assert_true(weak || fabs(load.friction - 0.5 * 9.81 * (5 - j) * arm) < 1e-8);
        }
        sn_articulation_set_free(&set);
    }
}

// A ball's friction bounds the norm of its torque: a sphere's spin slows evenly about its axis.
static void ball_friction_bounds_the_norm(void **state)
{
    (void)state;
    static mechanism m;
    start_mechanism(&m);
    add_link(&m, -1, SN_TREE_BALL, SN_FRAME_IDENTITY, 1.0, SN_VEC3_ZERO, sn_vec3_make(2, 2, 2));
    m.freedoms[0].friction = 0.5;
    m.v[0] = 1.2;
    m.v[1] = -0.9;
    m.v[2] = 2.0;
    double speed = sqrt(1.2 * 1.2 + 0.9 * 0.9 + 4.0), h = 1e-3;
    sn_articulation_set set;
    begin(&set, &m);
    for (int i = 1; i <= 10500; ++i) {
        assert_true(step_set(&set, h, down));
        sn_vec3 w = sn_vec3_at(set.agents.v);
        double due = fmax(speed - 0.25 * i * h, 0.0);
        assert_true(fabs(sn_length(w) - due) < 2e-3);
        if (due > 0.01) { // and its axis stays
            assert_true(fabs(w.x / sn_length(w) - 1.2 / speed) < 1e-3);
            sn_freedom_load x = sn_articulation_freedom_load(&set, 0, 0),
                            y = sn_articulation_freedom_load(&set, 0, 1),
                            z = sn_articulation_freedom_load(&set, 0, 2);
            double norm =
                sqrt(x.friction * x.friction + y.friction * y.friction + z.friction * z.friction);
            assert_true(fabs(norm - 0.5) < 1e-6);
        }
    }
    assert_true(sn_length(sn_vec3_at(set.agents.v)) < 1e-12);
    sn_articulation_set_free(&set);
}

static void velocity_drives_hold_their_speed(void **state)
{
    (void)state;
    static mechanism m;
    make_slider(&m, sn_vec3_make(0, 0, 1));
    m.freedoms[0].drive.type = SN_DRIVE_VELOCITY;
    m.freedoms[0].drive.target = 0.5;
    m.freedoms[0].drive.force_limit = 11.81; // two newtons beyond the weight
    sn_articulation_set set;
    begin(&set, &m);
    double h = 1e-3;
    run(&set, h, 100, down);
    assert_true(fabs(set.agents.v[0] - 0.2) < 3e-3); // on its way, with all its force
    assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).drive - 11.81) < 1e-9);
    run(&set, h, 400, down);
    assert_true(fabs(set.agents.v[0] - 0.5) < 1e-12);
    assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).drive - 9.81) < 1e-9);
    sn_freedom_def weak = m.freedoms[0];
    weak.drive.force_limit = 5.0; // less than the weight: it sinks
    assert_true(sn_articulation_set_freedom(&set, 0, 0, &weak));
    run(&set, h, 1000, down);
    assert_true(fabs(set.agents.v[0] - (0.5 - 4.81)) < 1e-2);
    sn_articulation_set_free(&set);
}

// force = k (target - q) - d v within +-limit: against the closed form while it is not at its
// limit, the limit's own acceleration while it is.
static void position_drives_push_within_their_limit(void **state)
{
    (void)state;
    static mechanism m;
    for (int limited = 0; limited < 2; ++limited) {
        make_slider(&m, sn_vec3_make(1, 0, 0));
        m.freedoms[0].drive.type = SN_DRIVE_POSITION;
        m.freedoms[0].drive.target = 1.0;
        m.freedoms[0].drive.stiffness = 16.0;
        m.freedoms[0].drive.damping = 8.0; // critical: 1 - (1 + 4 t) exp(-4 t)
        m.freedoms[0].drive.force_limit = limited ? 1.0 : INFINITY;
        sn_articulation_set set;
        begin(&set, &m);
        run(&set, 1e-3, 500, down);
        double t = 0.5, due = limited ? 0.5 * t * t : 1 - (1 + 4 * t) * exp(-4 * t);
        double speed = limited ? t : 16 * t * exp(-4 * t);
        assert_true(fabs(set.agents.q[0] - due) < 1e-5);
        double force = limited ? 1.0 : 16.0 * (1 - due) - 8.0 * speed;
        assert_true(fabs(sn_articulation_freedom_load(&set, 0, 0).drive - force) < 2e-2);
        run(&set, 1e-3, 9500, down);
        assert_true(fabs(set.agents.q[0] - 1.0) < 1e-6);
        sn_articulation_set_free(&set);
    }
}

// Friction, a drive and limits in one freedom: the drive works against friction, and on the limit
// each has its share.
static void laws_add_up(void **state)
{
    (void)state;
    static mechanism m;
    make_slider(&m, sn_vec3_make(1, 0, 0));
    m.freedoms[0].friction = 2.0;
    m.freedoms[0].limit.upper = 1.0;
    m.freedoms[0].limit.lower = -1.0;
    m.freedoms[0].drive.type = SN_DRIVE_VELOCITY;
    m.freedoms[0].drive.target = 1.0;
    m.freedoms[0].drive.force_limit = 5.0;
    sn_articulation_set set;
    begin(&set, &m);
    run(&set, 1e-3, 100, down); // 5 N less 2 N of friction
    assert_true(fabs(set.agents.v[0] - 0.3) < 4e-3);
    run(&set, 1e-3, 400, down);
    sn_freedom_load load = sn_articulation_freedom_load(&set, 0, 0);
    assert_true(fabs(set.agents.v[0] - 1.0) < 1e-12);
    assert_true(fabs(load.drive - 2.0) < 1e-9 && fabs(load.friction + 2.0) < 1e-9);
    run(&set, 1e-3, 2000, down);
    load = sn_articulation_freedom_load(&set, 0, 0);
    assert_true(set.agents.q[0] == 1.0 && set.agents.v[0] == 0.0);
    assert_true(fabs(load.drive - 5.0) < 1e-9 && fabs(load.limit + 3.0) < 1e-9);
    assert_true(fabs(load.friction + 2.0) < 1e-9);
    sn_articulation_set_free(&set);
}

// Chains with all of it in every joint, shaken: numbers stay finite, limits hold, energy is lost.
static void robots_with_everything_hold(void **state)
{
    (void)state;
    static mechanism m;
    for (int kind = 0; kind < 3; ++kind) {
        start_mechanism(&m);
        int parent = -1;
        for (int i = 0; i < 12; ++i) {
            parent =
                add_rod(&m, parent, parent < 0 ? SN_VEC3_ZERO : sn_vec3_make(0.3, 0, 0), 0.3, 1.0);
            m.links[i].frame.rotation = i % 2 == 0 ? planar_axes() : SN_MAT3_IDENTITY;
            m.freedoms[i].friction = 0.5;
            m.freedoms[i].limit.lower = -0.5;
            m.freedoms[i].limit.upper = 0.4;
            m.freedoms[i].limit.restitution = 0.3;
            m.freedoms[i].limit.stiffness = kind == 2 ? 1e4 : 0.0;
            m.freedoms[i].limit.damping = kind == 2 ? 10.0 : 0.0;
            m.freedoms[i].drive.type = kind == 0 ? SN_DRIVE_POSITION : SN_DRIVE_VELOCITY;
            m.freedoms[i].drive.target = 0.1;
            m.freedoms[i].drive.stiffness = 50.0;
            m.freedoms[i].drive.damping = 5.0;
            m.freedoms[i].drive.force_limit = 3.0;
            m.v[i] = i % 3 - 1.0;
        }
        sn_articulation_set set;
        begin(&set, &m);
        for (int i = 0; i < 2000; ++i) {
            sn_vec3 shaken = {3.0 * sin(0.02 * i), 2.0 * cos(0.03 * i), -9.81};
            assert_true(step_set(&set, 1e-3, shaken));
            for (int j = 0; j < 12; ++j) {
                double q = set.agents.q[j], slack = kind == 2 ? 0.4 : 0.0;
                assert_true(q >= -0.5 - slack && q <= 0.4 + slack);
                assert_true(fabs(set.agents.v[j]) < 50.0);
            }
        }
        sn_articulation_set_free(&set);
    }
}

// Springs and dampers of any strength: stable, at rest where they should be.
static void stiff_springs_and_dampers_are_stable(void **state)
{
    (void)state;
    static mechanism m;
    for (int kind = 0; kind < 3; ++kind) {
        start_mechanism(&m);
        sn_random random = {.seed = 5};
        int parent = -1, at = 0;
        for (int i = 0; i < 6; ++i) {
            sn_tree_joint joint = i % 3 == 2 ? SN_TREE_BALL : SN_TREE_HINGE;
            sn_frame frame = {i % 2 == 0 ? planar_axes() : SN_MAT3_IDENTITY,
                              i > 0 ? sn_vec3_make(0.3, 0, 0) : SN_VEC3_ZERO};
            parent = add_link(&m, parent, joint, frame, 1.0, sn_vec3_make(0.15, 0, 0),
                              sn_vec3_make(0.01, 0.02, 0.02));
            for (int k = 0; k < sn_tree_joint_v(joint); ++k, ++at) {
                m.freedoms[at].stiffness = kind != 1 ? 1e9 : 0.0;
                m.freedoms[at].damping = kind != 0 ? 1e9 : 0.0;
                m.v[at] = sn_random_range(&random, -1.0, 1.0);
            }
        }
        sn_articulation_set set;
        begin(&set, &m);
        double start = energy_of(&set, down);
        for (int i = 0; i < 2000; ++i) {
            assert_true(step_set(&set, 1e-3, down));
            double now = energy_of(&set, down);
            // a spring is wound up by the half step that goes before: k (h v / 2)^2 / 2 a freedom
            assert_true(isfinite(now) && now < start + 10 * 0.5e9 * 0.25e-6);
        }
        for (int j = 0; j < at; ++j) {
            assert_true(kind == 0 || fabs(set.agents.v[j]) < 1e-3);
        }
        sn_articulation_set_free(&set);
    }
}

static void springs_are_second_order(void **state)
{
    (void)state;
    static mechanism m;
    double error[3];
    for (int level = 0; level < 3; ++level) {
        make_slider(&m, sn_vec3_make(1, 0, 0));
        m.freedoms[0].stiffness = 25.0;
        m.freedoms[0].damping = 1.0;
        m.freedoms[0].rest = 0.3;
        m.q[0] = 1.3;
        sn_articulation_set set;
        begin(&set, &m);
        run(&set, 0.02 / (1 << level), 50 << level, down);
        double w = sqrt(25.0 - 0.25), due = 0.3 + exp(-0.5) * (cos(w) + 0.5 / w * sin(w));
        error[level] = fabs(set.agents.q[0] - due);
        sn_articulation_set_free(&set);
    }
    double order = log2(error[1] / error[2]);
    print_message("springs: order %.2f\n", order);
    assert_true(fabs(order - 2.0) < 0.1);
}

// Drag on a pendulum through the damping blocks of its part: second order against tiny steps, and
// stable when it is strong.
static void drag_enters_the_factor(void **state)
{
    (void)state;
    static mechanism m;
    double angle[5];
    for (int level = 0; level < 5; ++level) {
        start_mechanism(&m);
        add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
        int second = add_rod(&m, 0, sn_vec3_make(1, 0, 0), 0.5, 0.5);
        m.parts[second].centre = sn_vec3_make(0.4, 0.1, 0); // not where the link's centre is
        double h = level == 4 ? 1.25e-4 : 0.01 / (1 << level);
        sn_articulation_set set;
        begin(&set, &m);
        sn_agent_set *agents = &set.agents;
        assert_true(sn_agent_set_reserve_damping(agents));
        int steps = (int)(0.5 / h + 0.5);
        for (int i = 0; i < steps; ++i) {
            agents->type->begin(agents, 0, 1, h);
            for (int part = 0; part < 2; ++part) {
                sn_part now;
                agents->type->part(agents, 0, part, &now);
                agents->force[part] = sn_spatial_make(sn_vec3_scale(-0.3, now.angular_velocity),
                                                      sn_vec3_scale(-2.0, now.velocity));
                agents->damped[part] = 0;
                double *d = sn_agent_damping(agents, 0, part);
                for (int k = 0; k < 6; ++k) {
                    d[7 * k] = k < 3 ? 2.0 : 0.3;
                }
            }
            agents->type->free_step(agents, 0, 1, down, h);
            agents->type->advance(agents, 0, 1, h);
            assert_false(agents->agents[0].failed);
        }
        angle[level] = agents->q[0];
        sn_articulation_set_free(&set);
    }
    double order = log2(fabs(angle[0] - angle[1]) / fabs(angle[1] - angle[2]));
    double again = log2(fabs(angle[1] - angle[2]) / fabs(angle[2] - angle[3]));
    print_message("drag: order %.2f, %.2f\n", order, again);
    assert_true(fabs(again - 2.0) < 0.1);
}

static void strong_drag_is_stable(void **state)
{
    (void)state;
    static mechanism m;
    start_mechanism(&m);
    add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
    m.v[0] = 5.0;
    sn_articulation_set set;
    begin(&set, &m);
    sn_agent_set *agents = &set.agents;
    assert_true(sn_agent_set_reserve_damping(agents));
    for (int i = 0; i < 1000; ++i) {
        agents->type->begin(agents, 0, 1, 1e-3);
        sn_part now;
        agents->type->part(agents, 0, 0, &now);
        agents->force[0] = sn_spatial_make(SN_VEC3_ZERO, sn_vec3_scale(-1e8, now.velocity));
        agents->damped[0] = 0;
        double *d = sn_agent_damping(agents, 0, 0);
        d[0] = d[7] = d[14] = 1e8;
        agents->type->free_step(agents, 0, 1, down, 1e-3);
        agents->type->advance(agents, 0, 1, 1e-3);
        assert_false(agents->agents[0].failed);
        assert_true(fabs(agents->v[0]) <= 5.01);
    }
    sn_articulation_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_throw_back),
        cmocka_unit_test(limits_hold_in_trees),
        cmocka_unit_test(soft_limits_are_springs),
        cmocka_unit_test(balls_are_limited_in_their_turn),
        cmocka_unit_test(friction_stops_and_holds),
        cmocka_unit_test(friction_holds_trees),
        cmocka_unit_test(ball_friction_bounds_the_norm),
        cmocka_unit_test(velocity_drives_hold_their_speed),
        cmocka_unit_test(position_drives_push_within_their_limit),
        cmocka_unit_test(laws_add_up),
        cmocka_unit_test(robots_with_everything_hold),
        cmocka_unit_test(stiff_springs_and_dampers_are_stable),
        cmocka_unit_test(springs_are_second_order),
        cmocka_unit_test(drag_enters_the_factor),
        cmocka_unit_test(strong_drag_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
