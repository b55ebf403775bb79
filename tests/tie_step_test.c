// Steps of mechanisms with ties: closed forms, energy, order, singular positions, redundant rows,
// reactions, saved states.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "mechanism.h"

static void begin(sn_articulation_set *set, mechanism *m)
{
    sn_articulation_set_init(set);
    assert_int_equal(add_mechanism(set, m, SN_INTEGRATOR_DEFAULT), 0);
    assert_true(sn_articulation_close(set, 0, 0.0, NULL));
}

static void run(sn_articulation_set *set, double h, int steps, sn_vec3 gravity)
{
    for (int i = 0; i < steps; ++i) {
        assert_true(step_set(set, h, gravity));
    }
}

static sn_motion *make_ramp(double rate, double end)
{
    const double times[2] = {-1.0, end}, values[2] = {-rate, rate * end};
    sn_motion_def def = sn_default_motion_def();
    sn_error error = {0};
    sn_motion *motion = NULL;
    def.type = SN_MOTION_LINEAR;
    def.times = times;
    def.values = values;
    def.count = 2;
    assert_int_equal(sn_motion_create(&def, &motion, &error), SN_OK);
    return motion;
}

// ---- a slider-crank ----

static const double crank = 0.3, rod = 1.0;

// Crank on the world, rod on the crank, its tip welded to a piston on a slider along x: the piston
// of 2 kg is two halves.
static void make_slider_crank(mechanism *m)
{
    start_mechanism(m);
    int a = add_rod(m, -1, SN_VEC3_ZERO, crank, 1.0);
    int b = add_rod(m, a, sn_vec3_make(crank, 0, 0), rod, 1.5);
    sn_vec3 moments = {0.1, 0.1, 0.1};
    int half = add_link(m, b, SN_TREE_HINGE, (sn_frame){SN_MAT3_IDENTITY, {rod, 0, 0}}, 1.0,
                        SN_VEC3_ZERO, moments);
    int piston = add_link(m, -1, SN_TREE_SLIDER, (sn_frame){axes_along(sn_vec3_make(1, 0, 0)), {0}},
                          1.0, SN_VEC3_ZERO, moments);
    sn_tie *tie = add_tie(m, SN_TIE_WELD, piston, SN_VEC3_ZERO, half, SN_VEC3_ZERO);
    // the half stands as the hinges do, the piston as its slider
    sn_mat3 slide = axes_along(sn_vec3_make(1, 0, 0));
    tie->on_a.rotation = sn_mat3_multiply(sn_mat3_transpose(slide), planar_axes());
    m->q[piston] = crank + rod;
}

// With x = r cos a + sqrt(l^2 - r^2 sin^2 a) and the rod's angle -asin(r sin a / l) all motion
// follows from the crank's: kinetic and potential energy are functions of a and its rate, and the
// torque at constant rate is that of d/da of both, d/dt (dT/da') - dT/da + dV/da.
static double crank_kinetic(double a, double rate)
{
    double s = crank * sin(a) / rod, b = -asin(s);
    double b_rate = -crank * cos(a) / (rod * sqrt(1 - s * s)) * rate;
    double vx = -crank * sin(a) * rate, vz = crank * cos(a) * rate;
    double mid_x = vx - 0.5 * rod * sin(b) * b_rate, mid_z = vz + 0.5 * rod * cos(b) * b_rate;
    double piston = vx - rod * sin(b) * b_rate;
    return 0.5 * crank * crank / 3.0 * rate * rate + 0.5 * 1.5 * (mid_x * mid_x + mid_z * mid_z) +
           0.5 * 1.5 * rod * rod / 12.0 * b_rate * b_rate + 0.5 * 2.0 * piston * piston;
}

static double crank_potential(double a)
{
    double s = crank * sin(a) / rod, b = -asin(s);
    return 9.81 * (0.5 * crank * sin(a) + 1.5 * (crank * sin(a) + 0.5 * rod * sin(b)));
}

static double crank_torque(double a, double rate)
{
    const double e = 1e-5;
    double mass = 2.0 * crank_kinetic(a, 1.0); // T = mass(a) rate^2 / 2
    double slope = (crank_kinetic(a + e, 1.0) - crank_kinetic(a - e, 1.0)) / e; // d mass / da
    (void)mass;
    return 0.5 * slope * rate * rate + (crank_potential(a + e) - crank_potential(a - e)) / (2 * e);
}

static void slider_cranks_follow_their_motion(void **state)
{
    (void)state;
    static mechanism m;
    const double rate = 5.0, h = 1e-3;
    make_slider_crank(&m);
    sn_motion *motion = make_ramp(rate, 100.0);
    m.freedoms[0].drive.type = SN_DRIVE_MOTION;
    m.freedoms[0].drive.motion = motion;
    sn_articulation_set set;
    begin(&set, &m);
    sn_motion_release(motion);
    assert_true(fabs(set.agents.v[0] - rate) < 1e-12);
    double worst = 0.0, worst_gap = 0.0;
    for (int i = 1; i <= 1500; ++i) {
        assert_true(step_set(&set, h, down));
        double a = rate * i * h, x = set.agents.q[3];
        double due = crank * cos(a) + sqrt(rod * rod - crank * crank * sin(a) * sin(a));
        assert_true(fabs(set.agents.q[0] - a) < 1e-12);
        assert_true(fabs(x - due) < 1e-11);
        worst_gap = i % 10 == 0 ? fmax(worst_gap, gap_of(&set, 0)) : worst_gap;
        double torque = crank_torque(a - 0.5 * rate * h, rate);
        worst = fmax(worst, fabs(sn_articulation_freedom_load(&set, 0, 0).drive - torque));
    }
    print_message("slider-crank: torque within %.1e N m, gap %.1e\n", worst, worst_gap);
    assert_true(worst < 2e-3 && worst_gap < 1e-12);
    assert_int_equal(sn_articulation_rows(&set, 0), 7);
    assert_int_equal(sn_articulation_rank(&set, 0, set.agents.agents[0].time), 4);
    sn_articulation_set_free(&set);
}

// ---- couplings, rods, curves, surfaces ----

static void gears_turn_against_each_other(void **state)
{
    (void)state;
    static mechanism m;
    start_mechanism(&m);
    const double inertia[2] = {0.5, 2.0};
    for (int i = 0; i < 2; ++i) {
        add_link(&m, -1, SN_TREE_HINGE, (sn_frame){SN_MAT3_IDENTITY, {i, 0, 0}}, 1.0, SN_VEC3_ZERO,
                 sn_vec3_make(inertia[i], inertia[i], inertia[i]));
    }
    m.terms[0] = (sn_tie_term){0, 0, 20.0};
    m.terms[1] = (sn_tie_term){1, 0, 40.0};
    m.term_count = 2;
    m.ties[0] = (sn_tie){.type = SN_TIE_COUPLING, .a = -1, .b = -1, .term_count = 2};
    m.tie_count = 1;
    sn_articulation_set set;
    begin(&set, &m);
    set.agents.joint_force[0] = 3.0;
    run(&set, 1e-3, 1000, down);
    // 3 N m on the first: rates in the ratio of -2, I1 + I2 / 4 moved by it
    double a = 3.0 / (0.5 + 2.0 / 4.0);
    assert_true(fabs(set.agents.v[0] - a) < 1e-5 && fabs(set.agents.v[1] + 0.5 * a) < 1e-5);
    assert_true(fabs(20.0 * set.agents.q[0] + 40.0 * set.agents.q[1]) < 1e-12);
    double load[6]; // 20 F is what is left of the torque on the first
    sn_articulation_tie_load(&set, 0, 0, load);
    assert_true(fabs(20.0 * load[0] - (0.5 * a - 3.0)) < 1e-4);
    sn_articulation_set_free(&set);
}

// A point mass on a rod is a pendulum on a hinge.
static void rods_swing_as_hinges_do(void **state)
{
    (void)state;
    static mechanism m;
    double z[2], pull = 0.0;
    for (int kind = 0; kind < 2; ++kind) {
        start_mechanism(&m);
        if (kind == 0) { // free in the plane, tied to the origin
            int x = add_link(&m, -1, SN_TREE_SLIDER,
                             (sn_frame){axes_along(sn_vec3_make(1, 0, 0)), SN_VEC3_ZERO}, 0.0,
                             SN_VEC3_ZERO, SN_VEC3_ZERO);
            sn_mat3 turned = sn_mat3_transpose(axes_along(sn_vec3_make(1, 0, 0)));
            add_link(&m, x, SN_TREE_SLIDER, (sn_frame){turned, SN_VEC3_ZERO}, 2.0, SN_VEC3_ZERO,
                     SN_VEC3_ZERO);
            add_tie(&m, SN_TIE_ROD, -1, SN_VEC3_ZERO, 1, SN_VEC3_ZERO)->length = 1.5;
            m.q[0] = 1.5;
        } else {
            add_link(&m, -1, SN_TREE_HINGE, (sn_frame){planar_axes(), SN_VEC3_ZERO}, 2.0,
                     sn_vec3_make(1.5, 0, 0), SN_VEC3_ZERO);
        }
        sn_articulation_set set;
        begin(&set, &m);
        run(&set, 5e-4, 3000, down);
        sn_part now;
        set.agents.type->part(&set.agents, 0, kind == 0 ? 1 : 0, &now);
        z[kind] = now.centre.z;
        if (kind == 0) { // weight along the rod and what turns it
            double load[6], v = sn_length(now.velocity);
            sn_articulation_tie_load(&set, 0, 0, load);
            pull = load[0] + 2.0 * (v * v / 1.5 - 9.81 * now.centre.z / 1.5);
        }
        sn_articulation_set_free(&set);
    }
    assert_true(fabs(z[0] - z[1]) < 1e-5);
    assert_true(fabs(pull) < 0.05);
}

// A bead of 1 kg without friction, free in space.
static void make_bead(mechanism *m, sn_vec3 at)
{
    start_mechanism(m);
    add_link(m, -1, SN_TREE_TRANSLATION, SN_FRAME_IDENTITY, 1.0, SN_VEC3_ZERO, SN_VEC3_ZERO);
    m->q[0] = at.x;
    m->q[1] = at.y;
    m->q[2] = at.z;
}

static void beads_keep_to_curves_and_surfaces(void **state)
{
    (void)state;
    static mechanism m;
    enum { POINTS = 200 };
    static sn_vec3 points[POINTS];
    sn_error error = {0};
    sn_curve *curve = NULL;
    for (int i = 0; i < POINTS; ++i) { // a helix of radius 1 that falls 0.2 m for each radian
        double t = 0.1 * i;
        points[i] = sn_vec3_make(cos(t), sin(t), -0.2 * t);
    }
    sn_curve_def def = {.points = points, .count = POINTS};
    assert_int_equal(sn_curve_create(&def, "helix", &curve, &error), SN_OK);
    make_bead(&m, points[10]);
    sn_tie *tie = add_tie(&m, SN_TIE_CURVE, -1, SN_VEC3_ZERO, 0, SN_VEC3_ZERO);
    tie->curve = curve;
    sn_articulation_set set;
    begin(&set, &m);
    sn_curve_release(curve);
    run(&set, 1e-3, 2000, down);
    // along the curve: s'' = g sin(slope) with sin^2 = 0.04 / 1.04; z falls by that sine
    double sine2 = 0.04 / 1.04, fallen = 0.5 * 9.81 * sine2 * 4.0;
    assert_true(fabs(set.agents.q[2] - (points[10].z - fallen)) < 2e-3);
    assert_true(gap_of(&set, 0) < 1e-12);
    sn_articulation_set_free(&set);
    // A bead on a sphere, circling at one height: w^2 = g / (r cos) measured from below.
    make_bead(&m, sn_vec3_make(0.6, 0, -0.8));
    tie = add_tie(&m, SN_TIE_SURFACE, -1, SN_VEC3_ZERO, 0, SN_VEC3_ZERO);
    tie->surface = (sn_surface_def){.type = SN_SURFACE_SPHERE, .radius = 1.0};
    double w = sqrt(9.81 / 0.8);
    m.v[1] = 0.6 * w;
    begin(&set, &m);
    for (int i = 1; i <= 3000; ++i) {
        assert_true(step_set(&set, 1e-3, down));
        assert_true(fabs(set.agents.q[2] + 0.8) < 1e-5);
    }
    assert_true(fabs(set.agents.q[0] - 0.6 * cos(3.0 * w)) < 1e-4);
    double load[6]; // the surface's push: weight / cos, inwards
    sn_articulation_tie_load(&set, 0, 0, load);
    double force = sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2]);
    assert_true(fabs(force - 9.81 / 0.8) < 1e-3 && load[2] > 0.0);
    sn_articulation_set_free(&set);
}

// ---- loops ----

static void loops_keep_energy_and_are_second_order(void **state)
{
    (void)state;
    static mechanism m;
    double end[3] = {0.0, 0.0, 0.0}, worst[2] = {0.0, 0.0};
    for (int level = 0; level < 3; ++level) {
        double h = 2e-3 / (1 << level);
        // a four-bar that is no parallelogram
        start_mechanism(&m);
        int a = add_rod(&m, -1, SN_VEC3_ZERO, 0.5, 1.0);
        int b = add_rod(&m, a, sn_vec3_make(0.5, 0, 0), 1.2, 1.0);
        int c = add_rod(&m, -1, sn_vec3_make(1, 0, 0), 0.9, 1.0);
        int half = add_rod(&m, b, sn_vec3_make(1.2, 0, 0), 0.9, 1.0);
        m.links[half].centre = sn_vec3_make(-0.45, 0, 0);
        add_tie(&m, SN_TIE_WELD, c, sn_vec3_make(0.9, 0, 0), half, SN_VEC3_ZERO);
        m.q[a] = 1.0;
        m.q[b] = -0.6;
        m.q[c] = 1.2;
        m.q[half] = 0.8;
        m.freedoms[0].drive.type = SN_DRIVE_NONE;
        sn_articulation_set set;
        begin(&set, &m);
        double start = energy_of(&set, down);
        int steps = (int)(20.0 / h + 0.5), first = (int)(1.0 / h + 0.5);
        for (int i = 1; i <= steps; ++i) {
            assert_true(step_set(&set, h, down));
            if (i == first) {
                end[level] = set.agents.q[0];
            }
            if (level == 1 && i % 10 == 0) {
                double *most = &worst[i > steps / 2];
                *most = fmax(*most, fabs(energy_of(&set, down) - start));
            }
            if (level == 1 && i % 500 == 0) {
                assert_true(gap_of(&set, 0) < 1e-12);
            }
            if (level != 1 && i == first) {
                break;
            }
        }
        sn_articulation_set_free(&set);
    }
    double order = log2(fabs(end[0] - end[1]) / fabs(end[1] - end[2]));
    print_message("four-bar: order %.2f, energy within %.1e, then %.1e J\n", order, worst[0],
                  worst[1]);
    assert_true(fabs(order - 2.0) < 0.15);
    assert_true(worst[0] < 2e-3 && worst[1] < 1.5 * worst[0]);
}

static void four_bars_pass_singular_positions(void **state)
{
    (void)state;
    static mechanism m;
    for (int trial = 0; trial < 4; ++trial) {
        int count = trial < 3 ? 1 + 3 * trial : 1;
        make_four_bars(&m, count, trial == 3 ? 0.0 : 1.0, 0.0); // the last lies flat
        sn_articulation_set set;
        begin(&set, &m);
        assert_int_equal(sn_articulation_rows(&set, 0), 6 * count);
        assert_int_equal(sn_articulation_rank(&set, 0, 0.0), trial == 3 ? 2 : 3 * count);
        double start = energy_of(&set, down), worst = 0.0;
        for (int i = 0; i < 1200; ++i) {
            assert_true(step_set(&set, 1e-3, down));
            worst = fmax(worst, fabs(energy_of(&set, down) - start));
            assert_true(i % 10 != 0 || gap_of(&set, 0) < 1e-9);
        }
        // all cranks stand alike: it stays on its branch
        for (int i = 0; i < count && trial < 3; ++i) {
            assert_true(fabs(set.agents.q[0] - set.agents.q[3 * i + 3]) < 1e-6);
        }
        assert_true(worst < 1e-3 * count);
        sn_articulation_set_free(&set);
    }
}

// The same mechanism ten times over costs ten times the numbers, not a thousand times.
static void rows_of_far_loops_do_not_meet(void **state)
{
    (void)state;
    static mechanism m;
    int stored[2];
    for (int k = 0; k < 2; ++k) {
        make_four_bars(&m, k == 0 ? 10 : 100, 1.0, 0.0);
        sn_articulation_set set;
        begin(&set, &m);
        stored[k] = set.items[0]->ties->rows.y.count;
        sn_articulation_set_free(&set);
    }
    assert_true(stored[1] < 11 * stored[0]);
}

// A door on three hinges is one on a single hinge, and its hinges carry the weight in equal parts.
static void doors_may_have_three_hinges(void **state)
{
    (void)state;
    static mechanism m;
    double angle[2];
    for (int kind = 0; kind < 2; ++kind) {
        start_mechanism(&m);
        int hinges = kind == 0 ? 1 : 3;
        for (int i = 0; i < hinges; ++i) { // along an axis that leans, so that the door swings
            sn_mat3 axes = axes_along(sn_normalize(sn_vec3_make(0.3, 0, 1)));
            sn_vec3 height = sn_vec3_make(0, 0, 0.8 * (i - 1));
            sn_vec3 at = sn_mat3_apply(axes, height);
            add_link(&m, -1, SN_TREE_HINGE, (sn_frame){axes, kind == 0 ? SN_VEC3_ZERO : at},
                     30.0 / hinges,
                     kind == 0 ? sn_vec3_make(0.4, 0, 0)
                               : sn_vec3_sub(sn_vec3_make(0.4, 0, 0), height),
                     sn_vec3_make(8.0 / hinges, 9.0 / hinges, 2.0 / hinges));
            if (i > 0) {
                add_tie(&m, SN_TIE_WELD, 0, sn_vec3_make(0, 0, 0.8 * i), i, SN_VEC3_ZERO);
            }
            m.q[i] = 1.0;
        }
        sn_articulation_set set;
        begin(&set, &m);
        assert_int_equal(sn_articulation_rank(&set, 0, 0.0), hinges - 1);
        run(&set, 1e-3, 3000, down);
        angle[kind] = set.agents.q[0];
        sn_spatial sum = SN_SPATIAL_ZERO;
        for (int i = 0; i < hinges; ++i) {
            sn_spatial load = sn_articulation_load(&set, 0, i);
            sum = sn_spatial_add(sum, load);
            assert_true(sn_length(load.linear) < 1500.0);
        }
        sn_part now;
        set.agents.type->part(&set.agents, 0, 0, &now);
        assert_true(fabs(sum.linear.z - 30.0 * 9.81) < 60.0);
        sn_articulation_set_free(&set);
    }
    assert_true(fabs(angle[0] - angle[1]) < 1e-9);
}

// ---- reactions ----

static void hanging_chains_carry_their_weight(void **state)
{
    (void)state;
    static mechanism m;
    for (int looped = 0; looped < 2; ++looped) {
        start_mechanism(&m);
        int parent = -1;
        for (int i = 0; i < 8; ++i) {
            parent = add_rod(&m, parent, parent < 0 ? SN_VEC3_ZERO : sn_vec3_make(0.2, 0, 0), 0.2,
                             1.0 + i);
            m.q[i] = i == 0 ? -0.5 * SN_PI : 0.0;
        }
        if (looped) { // a rod that is as long as it must be, and carries nothing
            add_tie(&m, SN_TIE_ROD, -1, sn_vec3_make(0.5, 0, 0), 0, SN_VEC3_ZERO)->length = 0.5;
        }
        sn_articulation_set set;
        begin(&set, &m);
        assert_false(sn_articulation_knows_loads(&set, 0));
        run(&set, 1e-3, 3, down);
        assert_true(sn_articulation_knows_loads(&set, 0));
        double below = 0.0;
        for (int i = 7; i >= 0; --i) {
            below += 1.0 + i;
            sn_spatial load = sn_articulation_load(&set, 0, i);
            assert_true(fabs(load.linear.z - 9.81 * below) < 1e-9 * below);
            assert_true(fabs(load.linear.x) < 1e-9 && sn_length(load.angular) < 1e-9);
        }
        set.agents.type->touch(&set.agents, 0);
        assert_false(sn_articulation_knows_loads(&set, 0));
        sn_articulation_set_free(&set);
    }
}

// ---- states ----

static void make_everything(mechanism *m)
{
    make_four_bars(m, 3, 1.0, 0.5);
    m->freedoms[0].friction = 0.2;
    m->freedoms[1].stiffness = 3.0;
    m->freedoms[1].damping = 0.1;
    m->freedoms[3].limit.lower = -1.5;
    m->freedoms[3].limit.restitution = 0.5;
    m->freedoms[6].drive.type = SN_DRIVE_POSITION;
    m->freedoms[6].drive.stiffness = 10.0;
    m->freedoms[6].drive.damping = 1.0;
    m->freedoms[6].drive.force_limit = 2.0;
}

static void saved_states_go_on_to_the_bit(void **state)
{
    (void)state;
    static mechanism m;
    make_everything(&m);
    sn_articulation_set set, copy;
    begin(&set, &m);
    run(&set, 1e-3, 700, down);
    unsigned char bytes[4096];
    sn_state_walk count = {.mode = SN_STATE_COUNT}, save = sn_state_saving(bytes, sizeof bytes),
                  load = sn_state_loading(bytes, sizeof bytes);
    sn_agent_set_walk(&set.agents, &count);
    assert_true(count.size <= sizeof bytes);
    sn_agent_set_walk(&set.agents, &save);
    assert_true(sn_articulation_set_copy(&set, &copy));
    uint64_t before = sn_allocation_count();
    run(&set, 1e-3, 700, down);
    assert_true(sn_allocation_count() == before);
    run(&copy, 1e-3, 700, down);
    size_t size = (size_t)set.agents.q_count * sizeof(double);
    assert_memory_equal(set.agents.q, copy.agents.q, size);
    sn_agent_set_walk(&set.agents, &load);
    set.agents.type->touch(&set.agents, 0);
    run(&set, 1e-3, 700, down);
    assert_memory_equal(set.agents.q, copy.agents.q, size);
    assert_memory_equal(set.agents.v, copy.agents.v, (size_t)set.agents.v_count * sizeof(double));
    sn_articulation_set_free(&copy);
    sn_articulation_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_cranks_follow_their_motion),
        cmocka_unit_test(gears_turn_against_each_other),
        cmocka_unit_test(rods_swing_as_hinges_do),
        cmocka_unit_test(beads_keep_to_curves_and_surfaces),
        cmocka_unit_test(loops_keep_energy_and_are_second_order),
        cmocka_unit_test(four_bars_pass_singular_positions),
        cmocka_unit_test(rows_of_far_loops_do_not_meet),
        cmocka_unit_test(doors_may_have_three_hinges),
        cmocka_unit_test(hanging_chains_carry_their_weight),
        cmocka_unit_test(saved_states_go_on_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
