// Closed loops in maximal coordinates: closed forms, dense pseudo-inverses, redundant rows,
// singular positions, loops that cannot close, and memory that runs out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "random_tree.h"
#include "reference/maximal.h"
#include "reference/maximal_joint.h"
#include "reference/maximal_step.h"
#include "sanitized.h"

static const sn_vec3 down = {0.0, 0.0, -9.81};

static double tree_energy(sn_tree *tree, const double *q, const double *v, sn_vec3 g)
{
    sn_spatial velocity[3 * MOST];
    double sum = 0.0;
    sn_tree_place(tree, q);
    sn_tree_velocity(tree, v, velocity);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_pose *pose = &tree->pose[i];
        sn_vec3 at_centre = velocity_at(&velocity[i], pose).linear;
        sn_vec3 w = sn_mat3_apply_transpose(pose->rotation, velocity[i].angular);
        sum += 0.5 * tree->links[i].mass * sn_dot(at_centre, at_centre);
        sum += 0.5 * sn_dot(w, sn_mat3_apply(tree->links[i].inertia, w));
        sum -= tree->links[i].mass * sn_dot(g, pose->centre);
    }
    return sum;
}

// A platform on parallel cranks, all hinges along y: link 0 is the first crank, 1 the platform,
// then the other cranks, which hang on the platform and close to the ground. All cranks at one
// angle from hanging down: q = (t, -t, t, t ...).
enum { CRANKS = 3 };
static const double crank_length = 0.5, crank_mass = 1.3, crank_inertia = 0.04;
static const double platform_mass = 2.0;
static const sn_vec3 offset[CRANKS] = {{0, 0, 0}, {0.8, 0, 0}, {0.3, 0.6, 0}};

static sn_mat3 hinge_axes(void) // z to y
{
    return sn_quat_to_mat3(sn_quat_between(sn_vec3_make(0, 0, 1), sn_vec3_make(0, 1, 0)));
}

static void make_platform(int cranks, sn_tree_joint joint, sn_tree *tree,
                          sn_maximal_closure *closures)
{
    sn_mat3 axes = hinge_axes();
    sn_vec3 hang = sn_mat3_apply_transpose(axes, sn_vec3_make(0, 0, -crank_length));
    assert_true(sn_tree_allocate(tree, cranks + 1));
    for (int i = 0; i <= cranks; ++i) {
        sn_tree_link *link = &tree->links[i];
        sn_vec3 moments = {0.7 * crank_inertia, 0.9 * crank_inertia, crank_inertia};
        *link = (sn_tree_link){.parent = i == 0 ? -1 : (i == 1 ? 0 : 1), .joint = SN_TREE_HINGE};
        link->frame = (sn_frame){SN_MAT3_IDENTITY, SN_VEC3_ZERO};
        link->mass = crank_mass;
        link->centre = sn_vec3_scale(i > 1 ? -0.5 : 0.5, hang);
        link->inertia = sn_mat3_diagonal(moments);
    }
    tree->links[0].frame.rotation = axes;
    tree->links[1].frame.position = hang;
    tree->links[1].mass = platform_mass;
    tree->links[1].centre = sn_vec3_make(0.3, 0.05, 0.02);
    for (int k = 1; k < cranks; ++k) {
        sn_vec3 along = sn_mat3_apply_transpose(axes, offset[k]);
        tree->links[k + 1].frame.position = along;
        closures[k - 1] = (sn_maximal_closure){.a = -1, .b = k + 1, .joint = joint};
        closures[k - 1].on_a = (sn_frame){axes, offset[k]};
        closures[k - 1].on_b = (sn_frame){SN_MAT3_IDENTITY, sn_vec3_negate(hang)};
    }
    sn_tree_finish(tree);
}

static void platform_state(int cranks, double angle, double rate, double *q, double *v)
{
    for (int i = 0; i <= cranks; ++i) {
        q[i] = i == 1 ? -angle : angle;
        v[i] = i == 1 ? -rate : rate;
    }
}

// The platform does not turn: M t'' = -G sin t.
static double platform_acceleration(int cranks, double angle)
{
    double length = crank_length;
    double m = cranks * (crank_inertia + crank_mass * 0.25 * length * length) +
               platform_mass * length * length;
    double g = 9.81 * length * (0.5 * cranks * crank_mass + platform_mass);
    return -g * sin(angle) / m;
}

static void platforms_follow_the_closed_form(void **state)
{
    (void)state;
    const struct {
        int cranks;
        sn_tree_joint joint;
        int rows, rank;
    } cases[] = {
        {2, SN_TREE_BALL, 3, 2},   // a four-bar closed by a point: one row too many
        {2, SN_TREE_HINGE, 5, 2},  // by a hinge: three
        {3, SN_TREE_HINGE, 10, 3}, // three cranks in two planes: seven
        {3, SN_TREE_BALL, 6, 3},
    };
    double worst = 0.0;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        sn_tree tree;
        sn_maximal m;
        sn_maximal_closure closures[CRANKS];
        make_platform(cases[c].cranks, cases[c].joint, &tree, closures);
        make_maximal(&m, &tree, closures, cases[c].cranks - 1);
        for (int k = -6; k <= 6; ++k) {
            double angle = 0.25 * k;
            double q[CRANKS + 1], v[CRANKS + 1], found[CRANKS + 1];
            sn_spatial a[CRANKS + 1];
            platform_state(cases[c].cranks, angle, 3.0, q, v);
            sn_maximal_from_tree(&m, q, v);
            sn_maximal_gap gap = sn_maximal_place(&m);
            assert_true(gap.linear < 1e-14 && gap.angular < 1e-14);
            double energy = tree_energy(&tree, q, v, down);
            assert_true(fabs(sn_maximal_energy(&m, down) - energy) < 1e-12);
            assert_int_equal(sn_maximal_accelerate(&m, down, NULL, NULL, a, NULL), SN_OK);
            assert_int_equal(m.loops.rows, cases[c].rows);
            assert_int_equal(m.loops.rank, cases[c].rank);
            sn_maximal_joint_accelerations(&m, a, found);
            double wanted = platform_acceleration(cases[c].cranks, angle);
            for (int i = 0; i <= cases[c].cranks; ++i) {
                worst = fmax(worst, fabs(found[i] - (i == 1 ? -wanted : wanted)));
            }
        }
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
    print_message("worst angular acceleration error %.2g 1/s^2\n", worst);
    assert_true(worst < 1e-10);
}

// J, M^-1 and their products as dense matrices.
typedef struct dense_system {
    int rows, columns;
    double *j, *jw, *a, *inverse, *scratch;
} dense_system;

static void put_row(const sn_maximal *m, double *row, int body, sn_spatial s, bool moved)
{
    if (body < 0) {
        return;
    }
    if (moved) {
        s = sn_maximal_mobility(m, body, s);
    }
    double *at = row + 6 * (size_t)body;
    const double x[6] = {s.angular.x, s.angular.y, s.angular.z, s.linear.x, s.linear.y, s.linear.z};
    for (int k = 0; k < 6; ++k) {
        at[k] += x[k];
    }
}

static dense_system make_dense(const sn_maximal *m)
{
    dense_system d = {.columns = 6 * m->body_count};
    for (int j = 0; j < m->joint_count; ++j) {
        d.rows += m->joints[j].rows;
    }
    size_t rows = (size_t)d.rows, columns = (size_t)d.columns;
    d.j = calloc(rows * columns + 1, sizeof *d.j);
    d.jw = calloc(rows * columns + 1, sizeof *d.jw);
    d.a = calloc(rows * rows + 1, sizeof *d.a);
    d.inverse = calloc(rows * rows + 1, sizeof *d.inverse);
    d.scratch = calloc(sn_svd_scratch(d.rows, d.rows), sizeof *d.scratch);
    int at = 0;
    for (int j = 0; j < m->joint_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        for (int r = 0; r < joint->rows; ++r, ++at) {
            for (int moved = 0; moved < 2; ++moved) {
                double *row = (moved ? d.jw : d.j) + (size_t)at * columns;
                put_row(m, row, joint->child, joint->on_child[r], moved);
                put_row(m, row, joint->parent, joint->on_parent[r], moved);
            }
        }
    }
    for (int r = 0; r < d.rows; ++r) {
        for (int c = 0; c < d.rows; ++c) {
            for (int k = 0; k < d.columns; ++k) {
                d.a[r * d.rows + c] +=
                    d.j[(size_t)r * columns + (size_t)k] * d.jw[(size_t)c * columns + (size_t)k];
            }
        }
    }
    return d;
}

static void free_dense(dense_system *d)
{
    free(d->j);
    free(d->jw);
    free(d->a);
    free(d->inverse);
    free(d->scratch);
}

static double component(sn_spatial s, int k)
{
    const double x[6] = {s.angular.x, s.angular.y, s.angular.z, s.linear.x, s.linear.y, s.linear.z};
    return x[k];
}

// a = W (Q + J^T A^+ (target - J W Q)); gives the rank of A.
static int dense_accelerations(const sn_maximal *m, double *a)
{
    dense_system d = make_dense(m);
    double b[6 * MOST], x[6 * MOST] = {0};
    assert_true(d.rows <= 6 * MOST);
    int at = 0, rank = 0;
    for (int j = 0; j < m->joint_count; ++j) {
        for (int r = 0; r < m->joints[j].rows; ++r, ++at) {
            b[at] = m->target[6 * j + r];
            for (int k = 0; k < d.columns; ++k) {
                b[at] -= d.jw[at * d.columns + k] * component(m->force[k / 6], k % 6);
            }
        }
    }
    if (d.rows > 0) {
        rank = sn_pseudo_inverse(d.rows, d.rows, d.a, 1e-11, d.inverse, d.scratch);
        sn_dense_apply(d.rows, d.rows, d.inverse, b, x);
    }
    for (int k = 0; k < d.columns; ++k) {
        a[k] = component(sn_maximal_mobility(m, k / 6, m->force[k / 6]), k % 6);
        for (int r = 0; r < d.rows; ++r) {
            a[k] += d.jw[r * d.columns + k] * x[r];
        }
    }
    free_dense(&d);
    return rank;
}

// A closure of any kind that fits the present pose of a tree.
static void random_closure(sn_random *random, const sn_tree *tree, sn_maximal_closure *closure)
{
    *closure = (sn_maximal_closure){.pitch = sn_random_range(random, -0.2, 0.2)};
    int kind = sn_random_below(random, 6);
    closure->weld = kind == 5;
    closure->joint = kind == 5 ? SN_TREE_HINGE : (sn_tree_joint)kind;
    do {
        closure->a = sn_random_below(random, tree->count + 1) - 1;
        closure->b = sn_random_below(random, tree->count + 1) - 1;
    } while (closure->a == closure->b || (closure->a >= 0 && tree->links[closure->a].mass == 0.0) ||
             (closure->b >= 0 && tree->links[closure->b].mass == 0.0));
    sn_frame a = SN_FRAME_IDENTITY, b = SN_FRAME_IDENTITY;
    if (closure->a >= 0) {
        a = (sn_frame){tree->pose[closure->a].rotation, tree->pose[closure->a].origin};
    }
    if (closure->b >= 0) {
        b = (sn_frame){tree->pose[closure->b].rotation, tree->pose[closure->b].origin};
    }
    closure->on_a = random_frame(random, 0.3);
    sn_frame world = sn_frame_multiply(&a, &closure->on_a), back = sn_frame_inverse(&b);
    closure->on_b = sn_frame_multiply(&back, &world);
}

// The shortest multipliers, by singular values.
static double shortest_multipliers(const sn_maximal *m)
{
    const sn_maximal_loops *loops = &m->loops;
    int n = loops->rows;
    double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b),
           *y = calloc((size_t)n, sizeof *y),
           *scratch = calloc(sn_svd_scratch(n, n), sizeof *scratch), worst = 0.0, size = 1.0;
    for (int k = 0; k < m->closure_count; ++k) {
        for (int r = loops->first[k]; r < loops->first[k + 1]; ++r) {
            x[r] = m->lambda[6 * (m->body_count + k) + r - loops->first[k]] / loops->scale[r];
            size = fmax(size, fabs(x[r]));
        }
    }
    sn_dense_apply(n, n, loops->matrix, x, b);
    sn_least_squares(n, n, loops->matrix, b, 1e-11, y, scratch);
    for (int r = 0; r < n; ++r) {
        worst = fmax(worst, fabs(x[r] - y[r]) / size);
    }
    free(x);
    free(b);
    free(y);
    free(scratch);
    return worst;
}

// How much the gaps bend along the motion: (g(dt) - 2 g(0) + g(-dt)) / dt^2 -> J a + Jdot v.
static double bending(sn_maximal *m, const sn_spatial *a, double dt)
{
    sn_maximal_pose start[MOST];
    double bend = 0.0, q[5 * MOST];
    sn_spatial ahead[MOST];
    memcpy(start, m->pose, (size_t)m->body_count * sizeof *start);
    memcpy(q, m->q, (size_t)m->all_q * sizeof *q);
    for (int side = 0; side < 2; ++side) {
        double t = side == 0 ? dt : -dt;
        for (int b = 0; b < m->body_count; ++b) {
            sn_spatial by = sn_spatial_scale(t, m->velocity[b]);
            by = sn_spatial_add_scaled(by, 0.5 * t * t, a[b]);
            m->pose[b].turn = sn_quat_multiply(sn_quat_exp(by.angular), start[b].turn);
            m->pose[b].frame.rotation = sn_quat_to_mat3(m->pose[b].turn);
            m->pose[b].frame.position = sn_vec3_add(start[b].frame.position, by.linear);
        }
        sn_maximal_place(m);
        for (int j = 0; j < m->joint_count; ++j) {
            sn_spatial e = m->joints[j].error;
            if (side == 1) {
                e = sn_spatial_scale(1.0 / (dt * dt), sn_spatial_add(e, ahead[j]));
                bend = fmax(bend, fmax(sn_length(e.angular), sn_length(e.linear)));
            } else {
                ahead[j] = e;
            }
        }
    }
    memcpy(m->pose, start, (size_t)m->body_count * sizeof *start);
    memcpy(m->q, q, (size_t)m->all_q * sizeof *q);
    sn_maximal_place(m);
    return bend;
}

static void random_loops_agree_with_dense_algebra(void **state)
{
    (void)state;
    sn_random random = {.seed = 36};
    double worst = 0.0, norm = 0.0, bend = 0.0;
    int redundant = 0;
    for (int trial = 0; trial < 150; ++trial) {
        sn_tree tree;
        sn_maximal m;
        sn_maximal_closure closures[3];
        int count = 1 + trial % 3;
        double q[4 * MOST], v[3 * MOST], wanted[6 * MOST] = {0.0};
        sn_spatial a[MOST], wrench[3 * MOST];
        double force[3 * MOST];
        make_tree(&random, 2 + trial % 7, trial % 7, &tree);
        random_state(&random, &tree, q, v);
        random_loads(&random, &tree, wrench, force);
        sn_tree_place(&tree, q);
        for (int k = 0; k < count; ++k) {
            random_closure(&random, &tree, &closures[k]);
        }
        make_maximal(&m, &tree, closures, count);
        sn_maximal_from_tree(&m, q, v);
        assert_int_equal(sn_maximal_project(&m, NULL, NULL), SN_OK);
        assert_true(velocity_drift(&m) < 1e-11);
        assert_int_equal(sn_maximal_accelerate(&m, gravity, wrench, force, a, NULL), SN_OK);
        bend = fmax(bend, bending(&m, a, 1e-4));
        // Any forces, and targets that some motion has.
        sn_spatial some[MOST];
        sn_maximal_gather(&m, gravity, wrench, force);
        for (int b = 0; b < m.body_count; ++b) {
            some[b] = random_spatial(&random, 3.0);
        }
        for (int j = 0; j < m.joint_count; ++j) {
            for (int r = 0; r < m.joints[j].rows; ++r) {
                m.target[6 * j + r] = sn_maximal_row(&m.joints[j], r, some);
            }
        }
        sn_maximal_solve(&m, m.force, m.target, a);
        int rank = dense_accelerations(&m, wanted), rows = 0;
        double size = 1.0;
        for (int k = 0; k < 6 * m.body_count; ++k) {
            size = fmax(size, fabs(wanted[k]));
        }
        for (int j = 0; j < m.body_count; ++j) {
            rows += m.joints[j].rows;
        }
        assert_int_equal(m.loops.rank, rank - rows);
        redundant += m.loops.rows - m.loops.rank;
        for (int k = 0; k < 6 * m.body_count; ++k) {
            worst = fmax(worst, fabs(component(a[k / 6], k % 6) - wanted[k]) / size);
        }
        norm = fmax(norm, shortest_multipliers(&m));
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
    print_message(
        "worst difference %.2g, of multipliers %.2g, gaps bend by %.2g; %d redundant rows\n", worst,
        norm, bend, redundant);
    assert_true(worst < 1e-9 && norm < 1e-7);
    assert_true(bend < 1e-5);
    assert_true(redundant > 100);
}

// Any mechanism with any closures: joints stay together, and energy with them.
static void steps_keep_random_loops(void **state)
{
    (void)state;
    sn_random random = {.seed = 38};
    double gap = 0.0, drift = 0.0;
    int moving = 0;
    for (int trial = 0; trial < 40; ++trial) {
        sn_tree tree;
        sn_maximal m;
        sn_maximal_step step;
        sn_maximal_closure closures[2];
        int count = 1 + trial % 2;
        double q[4 * MOST], v[3 * MOST];
        make_tree(&random, 3 + trial % 6, trial % 7, &tree);
        random_state(&random, &tree, q, v);
        sn_tree_place(&tree, q);
        for (int k = 0; k < count; ++k) {
            random_closure(&random, &tree, &closures[k]);
        }
        make_maximal(&m, &tree, closures, count);
        sn_maximal_from_tree(&m, q, v);
        assert_int_equal(sn_maximal_project(&m, NULL, NULL), SN_OK);
        sn_maximal_to_tree(&m, q, v);
        moving += tree.v_count > m.loops.rank;
        assert_true(sn_maximal_step_allocate(&step, &m));
        double start = tree_energy(&tree, q, v, gravity), scale = 1.0;
        for (int b = 0; b < m.body_count; ++b) {
            scale += 9.81 * m.bodies[b].mass;
        }
        assert_int_equal(sn_maximal_step_begin(&step, &m, q, v, 5e-4, NULL), SN_OK);
        for (int i = 0; i < rounds_of(100, 10); ++i) {
            sn_error error = {0};
            assert_int_equal(sn_maximal_step_push(&step, &m, gravity, NULL, NULL, NULL), SN_OK);
            if (sn_maximal_step_advance(&step, &m, &error) != SN_OK) {
                fail_msg("trial %d, step %d: %s", trial, i, sn_error_message(&error));
            }
            sn_maximal_gap left = sn_maximal_place(&m);
            gap = fmax(gap, fmax(left.linear, left.angular));
        }
        sn_maximal_step_state(&step, &m, q, v);
        double e = fabs(tree_energy(&tree, q, v, gravity) - start) / scale;
        drift = fmax(drift, e);
        sn_maximal_step_free(&step);
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
    print_message("gaps %.2g, energy within %.2g, %d of 40 can move\n", gap, drift, moving);
    assert_true(gap < 1e-10 && drift < 1e-4 && moving > 20);
}

// Cranks that go round pass the flat position, where the loop's rank falls, twice a turn.
static void singular_positions_are_passed(void **state)
{
    (void)state;
    // Once on its way, once so that a step's middle is the flat position itself, once fast.
    const double starts[][2] = {{0.1, 11.0}, {0.5 * SN_PI - 0.5e-3 * 9.0, 9.0}, {-1.0, 30.0}};
    for (int c = 0; c < 6; ++c) {
        sn_tree tree;
        sn_maximal m;
        sn_maximal_step step;
        sn_maximal_closure closures[CRANKS];
        int cranks = 2 + c / 3 % 2;
        make_platform(cranks, SN_TREE_HINGE, &tree, closures);
        make_maximal(&m, &tree, closures, cranks - 1);
        assert_true(sn_maximal_step_allocate(&step, &m));
        double q[CRANKS + 1], v[CRANKS + 1], worst = 0.0, gap = 0.0, tilt = 0.0;
        platform_state(cranks, starts[c % 3][0], starts[c % 3][1], q, v);
        double start = tree_energy(&tree, q, v, down), first = q[0];
        const double h = 1e-3;
        int let_go = 0, lowest = m.loops.rows;
        assert_int_equal(sn_maximal_step_begin(&step, &m, q, v, h, NULL), SN_OK);
        for (int i = 0; i < 2500; ++i) {
            sn_error error = {0};
            assert_int_equal(sn_maximal_step_push(&step, &m, down, NULL, NULL, NULL), SN_OK);
            lowest = m.loops.rank < lowest ? m.loops.rank : lowest;
            if (sn_maximal_step_advance(&step, &m, &error) != SN_OK) {
                fail_msg("case %d, step %d: %s", c, i, sn_error_message(&error));
            }
            let_go += step.let_go > 0;
            sn_maximal_step_state(&step, &m, q, v);
            worst = fmax(worst, fabs(tree_energy(&tree, q, v, down) - start) / fabs(start));
            tilt = fmax(tilt, fabs(q[0] + q[1]));
            sn_maximal_gap left = sn_maximal_place(&m);
            gap = fmax(gap, left.linear);
        }
        print_message("%d cranks, %.1f turns: energy within %.2g, platform within %.2g rad, gaps "
                      "%.2g m, lowest rank %d, let go in %d steps\n",
                      cranks, (q[0] - first) / (2 * SN_PI), worst, tilt, gap, lowest, let_go);
        assert_true(fabs(q[0] - first) > 12.0);
        assert_true(worst < 1e-4);
        // Where a step's middle is the flat position, the loop is open for that one step.
        bool exact = c % 3 == 1;
        assert_int_equal(lowest, exact ? cranks - 1 : cranks);
        assert_true(tilt < (exact ? 1e-4 : 1e-10) && gap < (exact ? 1e-6 : 1e-10));
        sn_maximal_step_free(&step);
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
}

// At rest in the flat position both ways out are open, and rounding chooses: nothing may blow up.
static void rest_in_a_singular_position_is_left(void **state)
{
    (void)state;
    for (int cranks = 2; cranks <= 3; ++cranks) {
        sn_tree tree;
        sn_maximal m;
        sn_maximal_step step;
        sn_maximal_closure closures[CRANKS];
        make_platform(cranks, SN_TREE_HINGE, &tree, closures);
        make_maximal(&m, &tree, closures, cranks - 1);
        assert_true(sn_maximal_step_allocate(&step, &m));
        double q[CRANKS + 1], v[CRANKS + 1], worst = 0.0, gap = 0.0;
        platform_state(cranks, 0.5 * SN_PI, 0.0, q, v);
        double start = tree_energy(&tree, q, v, down), scale = 9.81 * crank_length * 5.0;
        assert_int_equal(sn_maximal_step_begin(&step, &m, q, v, 1e-3, NULL), SN_OK);
        for (int i = 0; i < rounds_of(1500, 200); ++i) {
            sn_error error = {0};
            assert_int_equal(sn_maximal_step_push(&step, &m, down, NULL, NULL, NULL), SN_OK);
            if (sn_maximal_step_advance(&step, &m, &error) != SN_OK) {
                fail_msg("%d cranks, step %d: %s", cranks, i, sn_error_message(&error));
            }
            sn_maximal_step_state(&step, &m, q, v);
            worst = fmax(worst, fabs(tree_energy(&tree, q, v, down) - start) / scale);
            sn_maximal_gap left = sn_maximal_place(&m);
            gap = fmax(gap, left.linear);
        }
        print_message("%d cranks from rest: energy within %.2g, gaps %.2g m\n", cranks, worst, gap);
        assert_true(worst < 1e-4 && gap < 1e-6);
        sn_maximal_step_free(&step);
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
}

static void loops_that_cannot_close_tell_the_gap(void **state)
{
    (void)state;
    sn_tree tree;
    sn_maximal m;
    sn_maximal_closure closures[CRANKS];
    make_platform(2, SN_TREE_HINGE, &tree, closures);
    closures[0].on_a.position = sn_vec3_make(2.3, 0, 0); // the bars reach 1.8 m
    make_maximal(&m, &tree, closures, 1);
    sn_maximal_gap gap;
    sn_error error = {0};
    assert_int_equal(sn_maximal_project(&m, &gap, &error), SN_ERROR_SCENE);
    print_message("%s\n", sn_error_message(&error));
    assert_non_null(strstr(error.text, "cannot close"));
    assert_true(gap.joint == m.body_count && gap.linear > 0.5 && gap.linear < 0.7);
    for (int b = 0; b < m.body_count; ++b) {
        assert_true(sn_vec3_is_finite(m.pose[b].frame.position));
    }
    sn_maximal_free(&m);
    sn_tree_free(&tree);
}

static void lack_of_memory_is_seen(void **state)
{
    (void)state;
    sn_tree tree;
    sn_maximal_closure closures[CRANKS];
    make_platform(3, SN_TREE_HINGE, &tree, closures);
    for (int n = 0;; ++n) {
        sn_maximal m;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_maximal_make(&m, &tree, closures, 2, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_int_equal(n, 15); // each of its allocations has failed once
            sn_maximal_free(&m);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_int_equal(error.code, SN_ERROR_MEMORY);
        assert_null(m.bodies);
    }
    sn_maximal m;
    make_maximal(&m, &tree, closures, 2);
    for (int n = 0; n <= 5; ++n) {
        sn_maximal_step step;
        sn_allocation_fail_after(n);
        bool made = sn_maximal_step_allocate(&step, &m);
        sn_allocation_fail_after(-1);
        assert_int_equal(made, n == 5);
        sn_maximal_step_free(&step);
    }
    // Running asks for nothing.
    uint64_t before = sn_allocation_count();
    sn_spatial a[CRANKS + 1];
    assert_int_equal(sn_maximal_project(&m, NULL, NULL), SN_OK);
    assert_int_equal(sn_maximal_accelerate(&m, down, NULL, NULL, a, NULL), SN_OK);
    assert_int_equal(sn_allocation_count(), before);
    sn_maximal_free(&m);
    sn_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platforms_follow_the_closed_form),
        cmocka_unit_test(random_loops_agree_with_dense_algebra),
        cmocka_unit_test(steps_keep_random_loops),
        cmocka_unit_test(singular_positions_are_passed),
        cmocka_unit_test(rest_in_a_singular_position_is_left),
        cmocka_unit_test(loops_that_cannot_close_tell_the_gap),
        cmocka_unit_test(lack_of_memory_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
