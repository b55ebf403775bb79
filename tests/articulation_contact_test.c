// Impulses of contact on articulations in the step: against dense algebra, closed forms, the solver
// in maximal coordinates, and what their rows say.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact_hit.h"
#include "math/dense.h"
#include "reference/maximal_step.h"

// ---- in the step ----

// J^T f is what does the power f . V, and A^-1 that of the mass matrix with the springs' share.
static void rows_and_answers_are_those_of_dense_algebra(void **state)
{
    (void)state;
    sn_random random = {.seed = 41};
    for (int trial = 0; trial < 60; ++trial) {
        sn_tree tree;
        sn_articulation_set set;
        sn_freedom_def freedoms[FREEDOMS];
        for (int j = 0; j < FREEDOMS; ++j) {
            freedoms[j] = sn_default_freedom_def();
            freedoms[j].stiffness = trial % 2 != 0 ? 300.0 : 0.0;
            freedoms[j].damping = trial % 2 != 0 ? 5.0 : 0.0;
        }
        add_random(&set, &random, 1 + trial % 9, freedoms, &tree);
        sn_agent_set *agents = &set.agents;
        sn_articulation *item = set.items[0];
        int n = agents->v_count;
        start_step(&set, 2e-3, gravity);
        double v[FREEDOMS], row[FREEDOMS], x[FREEDOMS];
        contact_of(&set)->velocity(agents, 0, v);
        hit one = random_hit(&random, &set, 2.0);
        contact_of(&set)->project(agents, 0, one.part, &one.f, row);

        sn_part part;
        for (int j = 0; j < n; ++j) {
            agents->v[j] = sn_random_range(&random, -1.0, 1.0);
        }
        item->moving = false;
        agents->type->part(agents, 0, one.part, &part);
        double power =
            sn_dot(one.f.linear, part.velocity) + sn_dot(one.f.angular, part.angular_velocity);
        assert_true(fabs(power - product(n, row, agents->v)) < 1e-12 * (1.0 + fabs(power)));

        static double mass[FREEDOMS * FREEDOMS];
        sn_tree_mass_matrix(&item->tree, mass);
        for (int j = 0; j < n; ++j) {
            mass[j * n + j] += trial % 2 != 0 ? item->armature[j] : 0.0;
        }
        memcpy(x, row, (size_t)n * sizeof *x);
        contact_of(&set)->inverse(agents, 0, x);
        double back[FREEDOMS];
        sn_dense_apply(n, n, mass, x, back);
        assert_true(largest(n, back, row) < 1e-10 * (1.0 + largest(n, row, NULL)));
        sn_tree_free(&tree);
        sn_articulation_set_free(&set);
    }
}

// The end of the step without impulses is what `velocity` said, and impulses change it by A^-1 J^T
// p, up to what the tree turns in the step.
static void steps_answer_as_foretold(void **state)
{
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (int level = 0; level < 2; ++level) {
        sn_random random = {.seed = 42};
        double h = level == 0 ? 2e-3 : 5e-4;
        for (int trial = 0; trial < 40; ++trial) {
            sn_tree tree;
            sn_articulation_set set, other;
            add_random(&set, &random, 1 + trial % 8, NULL, &tree);
            assert_true(sn_articulation_set_copy(&set, &other));
            int n = set.agents.v_count;
            hit one = random_hit(&random, &set, 0.5);
            double v[FREEDOMS], x[FREEDOMS], dv[FREEDOMS];
            start_step(&set, h, gravity);
            start_step(&other, h, gravity);
            contact_of(&set)->velocity(&set.agents, 0, v);
            contact_of(&set)->project(&set.agents, 0, one.part, &one.f, x);
            contact_of(&set)->inverse(&set.agents, 0, x);
            give(&set, &one, 1, trial % 2 != 0);
            end_step(&set, h);
            end_step(&other, h);
            assert_true(largest(n, v, other.agents.v) < 1e-6);
            for (int j = 0; j < n; ++j) {
                dv[j] = set.agents.v[j] - other.agents.v[j];
            }
            worst[level] = fmax(worst[level], largest(n, dv, x) / largest(n, x, NULL));
            sn_tree_free(&tree);
            sn_articulation_set_free(&set);
            sn_articulation_set_free(&other);
        }
    }
    print_message("answers off by %.1e, with a quarter of the step %.1e\n", worst[0], worst[1]);
    assert_true(worst[0] < 0.3 && worst[1] < 0.3 * worst[0]);
}

// The same step in maximal coordinates, with the impulse as a force over it: both are of second
// order, by arcs and by chords.
static void maximal_coordinates_agree(void **state)
{
    (void)state;
    double apart[2] = {0.0, 0.0};
    for (int level = 0; level < 2; ++level) {
        sn_random random = {.seed = 43};
        const double h = 1e-3 / (1 << level);
        for (int trial = 0; trial < 30; ++trial) {
            sn_tree tree;
            sn_articulation_set set;
            add_random(&set, &random, 1 + trial % 6, NULL, &tree);
            sn_agent_set *agents = &set.agents;
            sn_articulation *item = set.items[0];
            item->step.tolerance = 1e-13;
            sn_maximal m;
            sn_maximal_step step;
            sn_error error = {0};
            double q[4 * MOST], v[FREEDOMS];
            make_maximal(&m, &tree, NULL, 0);
            assert_true(sn_maximal_step_allocate(&step, &m));
            assert_int_equal(sn_maximal_step_begin(&step, &m, agents->q, agents->v, h, &error),
                             SN_OK);

            start_step(&set, h, gravity);
            hit one = random_hit(&random, &set, 0.5);
            int link = item->parts[one.part].link;
            sn_spatial wrench[3 * MOST] = {{{0}, {0}}};
            sn_vec3 arm = sn_vec3_sub(item->tree.pose[link].centre, item->tree.pose[link].origin);
            wrench[link].linear = sn_vec3_scale(1.0 / h, one.f.linear);
            wrench[link].angular =
                sn_vec3_scale(1.0 / h, sn_vec3_add(one.f.angular, sn_cross(arm, one.f.linear)));
            give(&set, &one, 1, trial % 2 != 0);
            end_step(&set, h);
            assert_int_equal(sn_maximal_step_push(&step, &m, gravity, wrench, NULL, &error), SN_OK);
            assert_int_equal(sn_maximal_step_advance(&step, &m, &error), SN_OK);
            sn_maximal_step_state(&step, &m, q, v);
            apart[level] = fmax(apart[level], largest(agents->v_count, v, agents->v));
            sn_maximal_step_free(&step);
            sn_maximal_free(&m);
            sn_tree_free(&tree);
            sn_articulation_set_free(&set);
        }
    }
    print_message("velocities %.1e apart, with half the step %.1e\n", apart[0], apart[1]);
    assert_true(apart[0] < 1e-2 && apart[1] < 0.3 * apart[0]);
}

// Momenta that the links bring from the last step, about the world's origin.
static sn_spatial brought(const sn_articulation *item)
{
    sn_spatial sum = SN_SPATIAL_ZERO;
    for (int i = 0; i < item->tree.count; ++i) {
        sn_spatial p = sn_spatial_scale(1.0 / item->step.h, item->step.arrived[i]);
        p.angular = sn_vec3_add(p.angular, sn_cross(item->tree.pose[i].origin, p.linear));
        sum = sn_spatial_add(sum, p);
    }
    return sum;
}

// Without gravity: on a nail the angular momentum about it changes by the moment of the impulse,
// exactly; a tree that floats also gains its momentum.
static void momentum_is_that_of_the_impulse(void **state)
{
    (void)state;
    sn_random random = {.seed = 44};
    for (int trial = 0; trial < 20; ++trial) {
        static mechanism m;
        bool floats = trial % 2 != 0;
        const double h = 4e-3;
        start_mechanism(&m);
        int parent = -1;
        if (floats) {
            parent = add_link(&m, -1, SN_TREE_TRANSLATION, SN_FRAME_IDENTITY, 0.0, SN_VEC3_ZERO,
                              SN_VEC3_ZERO);
        }
        for (int i = 0; i < 4; ++i) {
            sn_frame frame = {SN_MAT3_IDENTITY, i == 0 ? SN_VEC3_ZERO : random_vec3(&random, 0.5)};
            parent = add_link(&m, parent, SN_TREE_BALL, frame, sn_random_range(&random, 0.5, 2.0),
                              random_vec3(&random, 0.3), sn_vec3_make(0.1, 0.15, 0.2));
        }
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
        sn_articulation *item = set.items[0];
        item->step.tolerance = 1e-13;
        for (int j = 0; j < set.agents.v_count; ++j) {
            set.agents.v[j] = sn_random_range(&random, -2.0, 2.0);
        }
        start_step(&set, h, SN_VEC3_ZERO);
        sn_spatial before = brought(item);
        hit one = {set.agents.part_count - 1, random_spatial(&random, 1.0)};
        sn_vec3 at = sn_articulation_centre(item, one.part);
        give(&set, &one, 1, false);
        end_step(&set, h);
        start_step(&set, h, SN_VEC3_ZERO);
        sn_spatial change = sn_spatial_sub(brought(item), before);
        sn_vec3 moment = sn_vec3_add(one.f.angular, sn_cross(at, one.f.linear));
        assert_true(sn_distance(change.angular, moment) < 1e-11);
        assert_true(!floats || sn_distance(change.linear, one.f.linear) < 1e-11);
        sn_articulation_set_free(&set);
    }
}

// ---- loops ----

// A parallelogram: cranks of 1 kg a metre long on both sides, a coupler of 1 kg that only shifts.
// With I = 2 (1/3) + 1 about the pivots an impulse p on the coupler along its way gives p / I.
static void loops_answer_as_a_whole(void **state)
{
    (void)state;
    const double angle = 1.1, h = 1e-3, p = 0.7, inertia = 2.0 / 3.0 + 1.0;
    static mechanism m;
    make_four_bars(&m, 1, angle, 0.4);
    sn_articulation_set set, other;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
    assert_true(sn_articulation_set_copy(&set, &other));
    sn_agent_set *agents = &set.agents;
    int n = agents->v_count;
    start_step(&set, h, down);
    start_step(&other, h, down);
    double v[FREEDOMS], x[FREEDOMS], there = set.items[0]->step.c[0];
    hit one = {1, {SN_VEC3_ZERO, {-p * sin(there), 0.0, p * cos(there)}}};
    contact_of(&set)->velocity(agents, 0, v);
    contact_of(&set)->project(agents, 0, one.part, &one.f, x);
    contact_of(&set)->inverse(agents, 0, x);
    const double turns[4] = {1.0, -1.0, 1.0, 1.0}; // crank, coupler, half, other half
    for (int j = 0; j < 4; ++j) {
        assert_true(fabs(x[j] - turns[j] * p / inertia) < 1e-9);
    }
    give(&set, &one, 1, true);
    end_step(&set, h);
    end_step(&other, h);
    assert_true(largest(n, v, other.agents.v) < 1e-7);
    for (int j = 0; j < n; ++j) {
        double dv = agents->v[j] - other.agents.v[j];
        assert_true(fabs(dv - x[j]) < 5e-3 * fabs(x[j]));
    }
    assert_true(gap_of(&set, 0) < 1e-12);

    // At the end of the step the same, exactly; nothing that a loop forbids moves.
    double before[FREEDOMS];
    contact_of(&set)->strike(agents, 0);
    memcpy(before, agents->v, (size_t)n * sizeof *before);
    there = agents->q[0];
    one.f.linear = sn_vec3_make(-p * sin(there), 0.0, p * cos(there));
    give(&set, &one, 1, true);
    for (int j = 0; j < 4; ++j) {
        assert_true(fabs(agents->v[j] - before[j] - turns[j] * p / inertia) < 1e-9);
    }
    contact_of(&set)->strike(agents, 0);
    memcpy(before, agents->v, (size_t)n * sizeof *before);
    one.f.linear = sn_vec3_make(p * cos(there), 0.0, p * sin(there)); // along the cranks
    give(&set, &one, 1, true);
    assert_true(largest(n, agents->v, before) < 1e-9);
    sn_articulation_set_free(&set);
    sn_articulation_set_free(&other);
}

// Motions are kept whatever strikes.
static void prescribed_motions_do_not_answer(void **state)
{
    (void)state;
    static mechanism m;
    start_mechanism(&m);
    int arm = add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
    add_rod(&m, arm, sn_vec3_make(1, 0, 0), 1.0, 1.0);
    const double times[2] = {-1.0, 10.0}, values[2] = {-2.0, 20.0};
    sn_motion_def def = sn_default_motion_def();
    sn_motion *motion = NULL;
    sn_error error = {0};
    def.type = SN_MOTION_LINEAR;
    def.times = times;
    def.values = values;
    def.count = 2;
    assert_int_equal(sn_motion_create(&def, &motion, &error), SN_OK);
    m.freedoms[0].drive.type = SN_DRIVE_MOTION;
    m.freedoms[0].drive.motion = motion;
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    sn_motion_release(motion);
    assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
    const double h = 1e-3;
    start_step(&set, h, down);
    double v[2], x[2];
    hit one = {1, {SN_VEC3_ZERO, {0.3, 0.0, 2.0}}};
    contact_of(&set)->velocity(&set.agents, 0, v);
    assert_true(fabs(v[0] - 2.0) < 1e-9);
    contact_of(&set)->project(&set.agents, 0, 1, &one.f, x);
    contact_of(&set)->inverse(&set.agents, 0, x);
    assert_true(fabs(x[0]) < 1e-9 && x[1] > 1.0);
    give(&set, &one, 1, false);
    end_step(&set, h);
    assert_true(fabs(set.agents.q[0] - 2.0 * h) < 1e-12);
    assert_true(fabs(set.agents.v[1] - v[1] - x[1]) < 0.02 * x[1]);
    sn_articulation_set_free(&set);
}

// ---- bounded rows ----

// What a row sees of v, and what its impulse does to the freedoms.
static void row_direction(const sn_agent_row *row, int k, int count, double *direction)
{
    memset(direction, 0, (size_t)count * sizeof *direction);
    if (row->width == 1) {
        direction[row->freedom] = 1.0;
    } else if (row->cone > 0.0) {
        direction[row->freedom + k] = 1.0;
    } else {
        sn_vec3_put(direction + row->freedom, row->direction);
    }
}

// Sweeps over the rows, one after another, until nothing changes: v at the end for v without them.
static void sweep(sn_articulation_set *set, sn_agent_row *rows, int count, double *v)
{
    static double x[ROWS][3][FREEDOMS], direction[FREEDOMS];
    double found[ROWS][3] = {{0.0}};
    int n = set->agents.v_count;
    for (int r = 0; r < count; ++r) {
        for (int k = 0; k < (rows[r].cone > 0.0 ? 3 : 1); ++k) {
            row_direction(&rows[r], k, n, x[r][k]);
            contact_of(set)->inverse(&set->agents, 0, x[r][k]);
        }
    }
    for (int turn = 0; turn < 20000; ++turn) {
        double moved = 0.0;
        for (int r = 0; r < count; ++r) {
            const sn_agent_row *row = &rows[r];
            int width = row->cone > 0.0 ? 3 : 1;
            double wanted[3] = {0.0}, norm = 0.0, own = row->softness;
            for (int k = 0; k < width; ++k) { // one for all three: the bound is on their norm
                row_direction(row, k, n, direction);
                own += product(n, direction, x[r][k]);
            }
            for (int k = 0; k < width; ++k) {
                row_direction(row, k, n, direction);
                double off = row->target - product(n, direction, v) - row->softness * found[r][k];
                wanted[k] = found[r][k] + off / own;
                norm += wanted[k] * wanted[k];
            }
            norm = sqrt(norm);
            for (int k = 0; k < width; ++k) {
                double to = width == 3 ? wanted[k] * (norm > row->cone ? row->cone / norm : 1.0)
                                       : fmax(row->lower, fmin(row->upper, wanted[k]));
                for (int j = 0; j < n; ++j) {
                    v[j] += (to - found[r][k]) * x[r][k][j];
                }
                moved = fmax(moved, fabs(to - found[r][k]));
                found[r][k] = to;
            }
        }
        if (moved < 1e-13) {
            return;
        }
    }
}

static void random_laws(sn_random *random, const sn_tree *tree, const double *q,
                        sn_freedom_def *freedoms)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        bool ball = link->joint == SN_TREE_BALL;
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            sn_freedom_def *own = &freedoms[link->v + k];
            const double *from = q + link->q;
            sn_quat turn = {from[0], ball ? from[1] : 0.0, ball ? from[2] : 0.0,
                            ball ? from[3] : 0.0};
            double at = ball ? sn_length(sn_quat_log(sn_quat_normalize(turn))) : from[k];
            *own = sn_default_freedom_def();
            switch (sn_random_below(random, 7)) {
            case 0: // rests on its limit
                own->limit.upper = at;
                break;
            case 1:
                own->limit.lower = ball ? -INFINITY : at - 1e-4;
                own->limit.upper = ball ? at + 1e-6 : INFINITY;
                break;
            case 5: // pressed into a soft one
                own->limit.upper = at - 0.01;
                own->limit.stiffness = 1e4;
                own->limit.damping = 20.0;
                break;
            case 2:
                own->friction = ball && k > 0 ? 0.0 : sn_random_range(random, 0.0, 200.0);
                break;
            case 3:
                own->drive.type = SN_DRIVE_VELOCITY;
                own->drive.target = 0.1;
                own->drive.force_limit = sn_random_range(random, 1.0, 300.0);
                break;
            case 4:
                own->drive.type = SN_DRIVE_POSITION;
                own->drive.target = at + 0.1;
                own->drive.stiffness = 1e4;
                own->drive.damping = 50.0;
                own->drive.force_limit = sn_random_range(random, 10.0, 300.0);
                break;
            default:
                break;
            }
        }
    }
}

// Limits of balls among the rows.
static int touching(const sn_agent_row *rows, int count)
{
    int sum = 0;
    for (int r = 0; r < count; ++r) {
        sum += rows[r].width == 3 && rows[r].cone == 0.0;
    }
    return sum;
}

// The rows handed out say what the step then does: from rest, an impulse with its answer of limits,
// friction and drives, swept here, and solved by the step.
static void rows_say_what_the_step_does(void **state)
{
    (void)state;
    sn_random random = {.seed = 45};
    int seen = 0, limits = 0;
    for (int trial = 0; trial < 60; ++trial) {
        sn_tree tree;
        sn_articulation_set set;
        static sn_freedom_def freedoms[FREEDOMS];
        sn_articulation_set first;
        add_random(&first, &random, 1 + trial % 5, NULL, &tree);
        random_laws(&random, &tree, first.agents.q, freedoms);
        sn_articulation_def def = {.tree = &tree,
                                   .parts = first.items[0]->parts,
                                   .part_count = first.agents.part_count,
                                   .freedoms = freedoms,
                                   .q = first.agents.q,
                                   .v = first.agents.v};
        memset(first.agents.v, 0, (size_t)first.agents.v_count * sizeof(double));
        sn_articulation_set_init(&set);
        assert_int_equal(sn_articulation_add(&set, &def), 0);
        const double h = 1e-4;
        int n = set.agents.v_count;
        double v[FREEDOMS], x[FREEDOMS];
        sn_agent_row rows[ROWS];
        start_step(&set, h, gravity);
        contact_of(&set)->velocity(&set.agents, 0, v);
        int count = contact_of(&set)->rows(&set.agents, 0, rows, ROWS);
        seen += count;
        hit one = random_hit(&random, &set, 0.05);
        contact_of(&set)->project(&set.agents, 0, one.part, &one.f, x);
        contact_of(&set)->inverse(&set.agents, 0, x);
        for (int j = 0; j < n; ++j) {
            v[j] += x[j];
        }
        sweep(&set, rows, count, v);
        give(&set, &one, 1, trial % 2 != 0);
        end_step(&set, h);
        limits += touching(rows, count);
        assert_true(largest(n, v, set.agents.v) < 2e-5 * (1e-2 + largest(n, v, NULL)));

        // and at its end
        contact_of(&set)->strike(&set.agents, 0);
        contact_of(&set)->velocity(&set.agents, 0, v);
        count = contact_of(&set)->rows(&set.agents, 0, rows, ROWS);
        one = random_hit(&random, &set, 3.0);
        contact_of(&set)->project(&set.agents, 0, one.part, &one.f, x);
        contact_of(&set)->inverse(&set.agents, 0, x);
        for (int j = 0; j < n; ++j) {
            v[j] += x[j];
        }
        sweep(&set, rows, count, v);
        give(&set, &one, 1, trial % 2 != 0);
        assert_true(largest(n, v, set.agents.v) < 1e-8 * (1.0 + largest(n, v, NULL)));
        sn_tree_free(&tree);
        sn_articulation_set_free(&set);
        sn_articulation_set_free(&first);
    }
    assert_true(seen > 100 && limits > 5);
}

// A rod that lies on its limit is a wall to what presses it there, and gives way the other way.
static void limits_bear_what_contact_presses_on_them(void **state)
{
    (void)state;
    const double h = 1.0 / 240.0;
    for (int side = 0; side < 2; ++side) {
        static mechanism m;
        start_mechanism(&m);
        add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
        m.freedoms[0].limit.lower = 0.0;
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
        double v[1], p = side == 0 ? -2.0 : 2.0;
        sn_agent_row rows[4];
        hit one = {0, {SN_VEC3_ZERO, {0.0, 0.0, p}}};
        start_step(&set, h, down);
        contact_of(&set)->velocity(&set.agents, 0, v);
        assert_true(fabs(v[0] + 1.5 * 9.81 * h) < 1e-6); // falls at 3/2 g as nothing bears it
        assert_int_equal(contact_of(&set)->rows(&set.agents, 0, rows, 4), 1);
        assert_true(rows[0].target == 0.0 && rows[0].lower == 0.0 && rows[0].upper == INFINITY);
        give(&set, &one, 1, true);
        end_step(&set, h);
        if (side == 0) {
            assert_true(set.agents.q[0] == 0.0 && set.agents.v[0] == 0.0);
            sn_freedom_load load = sn_articulation_freedom_load(&set, 0, 0);
            assert_true(fabs(load.limit - (0.5 * 9.81 + 0.5 * 2.0 / h)) < 1e-6 * load.limit);
            contact_of(&set)->strike(&set.agents, 0);
            contact_of(&set)->velocity(&set.agents, 0, v);
            assert_int_equal(contact_of(&set)->rows(&set.agents, 0, rows, 4), 1);
            give(&set, &one, 1, true);
            assert_true(set.agents.v[0] == 0.0);
        } else { // 3/2 (p / m - g h) at the far end of what swings
            assert_true(fabs(set.agents.v[0] - 1.5 * (2.0 - 9.81 * h)) < 1e-3);
        }
        sn_articulation_set_free(&set);
    }
}

// A freedom on its way to a limit is to be there at the middle of the next step: at the end of this
// one it may be pushed no faster than that.
static void limits_ahead_bound_what_strikes(void **state)
{
    (void)state;
    const double h = 0.01, room = 0.02;
    static mechanism m;
    start_mechanism(&m);
    add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
    m.freedoms[0].limit.upper = room;
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    start_step(&set, h, SN_VEC3_ZERO);
    end_step(&set, h);
    double v[1];
    sn_agent_row rows[4];
    contact_of(&set)->strike(&set.agents, 0);
    contact_of(&set)->velocity(&set.agents, 0, v);
    assert_int_equal(contact_of(&set)->rows(&set.agents, 0, rows, 4), 1);
    assert_true(fabs(rows[0].target - 2.0 * room / h) < 1e-12 && rows[0].upper == 0.0);
    hit one = {0, {SN_VEC3_ZERO, {0.0, 0.0, 100.0}}};
    give(&set, &one, 1, true);
    assert_true(fabs(set.agents.v[0] - 2.0 * room / h) < 1e-12);
    for (int i = 0; i < 3; ++i) {
        start_step(&set, h, SN_VEC3_ZERO);
        end_step(&set, h);
        assert_true(set.agents.q[0] <= room + 1e-14);
    }
    assert_true(fabs(set.agents.q[0] - room) < 1e-12);
    sn_articulation_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_answers_are_those_of_dense_algebra),
        cmocka_unit_test(steps_answer_as_foretold),
        cmocka_unit_test(maximal_coordinates_agree),
        cmocka_unit_test(momentum_is_that_of_the_impulse),
        cmocka_unit_test(loops_answer_as_a_whole),
        cmocka_unit_test(prescribed_motions_do_not_answer),
        cmocka_unit_test(rows_say_what_the_step_does),
        cmocka_unit_test(limits_bear_what_contact_presses_on_them),
        cmocka_unit_test(limits_ahead_bound_what_strikes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
