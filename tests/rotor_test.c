// Steps of trees that measure travel by arcs: the momentum is the derivative of one action, and
// what turns fast keeps its energy or says that it cannot be followed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/tree/tree_swing.h"
#include "agent/tree/tree_travel.h"
#include "base/error.h"
#include "random_tree.h"
#include "scene_text.h"
#include "sinew/shape.h"

// ---- the action, from the formulas of tree_step.h and libm ----

typedef struct turn {
    sn_mat3 rotation;
    sn_vec3 angle;
} turn;

static turn turn_between(const sn_tree_pose *from, const sn_tree_pose *to)
{
    sn_mat3 rotation = sn_mat3_multiply(to->rotation, sn_mat3_transpose(from->rotation));
    return (turn){rotation, sn_quat_log(sn_quat_from_mat3(rotation))};
}

// s (T - 1) x
static sn_vec3 arc_of(const turn *by, sn_vec3 x)
{
    double half = 0.5 * sn_length(by->angle);
    sn_vec3 chord = sn_vec3_sub(sn_mat3_apply(by->rotation, x), x);
    return sn_vec3_scale(half > 1e-9 ? half / sin(half) : 1.0, chord);
}

static bool is_by_arcs(const sn_tree *tree, int link)
{
    for (int i = link; i >= 0; i = tree->links[i].parent) {
        sn_tree_joint joint = tree->links[i].joint;
        if (joint == SN_TREE_HINGE || joint == SN_TREE_SCREW || joint == SN_TREE_BALL) {
            return joint != SN_TREE_BALL;
        }
    }
    return false;
}

static sn_vec3 slide_of(const sn_tree *tree, int i, const sn_tree_pose *pose, const double *from,
                        const double *to)
{
    const sn_tree_link *link = &tree->links[i];
    double by = to[link->q] - from[link->q];
    switch (link->joint) {
    case SN_TREE_SLIDER:
        return sn_mat3_apply(pose->rotation, sn_vec3_make(0.0, 0.0, by));
    case SN_TREE_SCREW:
        return sn_mat3_apply(pose->rotation, sn_vec3_make(0.0, 0.0, link->pitch * by));
    case SN_TREE_TRANSLATION:
        return sn_mat3_apply(pose->rotation,
                             sn_vec3_sub(sn_vec3_at(to + link->q), sn_vec3_at(from + link->q)));
    default:
        return SN_VEC3_ZERO;
    }
}

// Twice the energy of a turn, times h^2: phi . I phi by arcs, else by the angles between axes.
static double spin_of(sn_mat3 inertia, const sn_tree_pose *pose, const turn *by, bool arcs)
{
    if (arcs) {
        sn_vec3 angle = sn_mat3_apply_transpose(pose->rotation, by->angle);
        return sn_dot(angle, sn_mat3_apply(inertia, angle));
    }
    sn_vec3 moments;
    sn_quat axes;
    sn_principal_axes(&inertia, &moments, &axes);
    sn_mat3 r = sn_mat3_multiply(pose->rotation, sn_quat_to_mat3(axes));
    double m[3] = {moments.x, moments.y, moments.z};
    double middle = fmax(fmin(m[0], m[1]), fmin(fmax(m[0], m[1]), m[2]));
    double trace = m[0] + m[1] + m[2];
    double sum = 2.0 * (0.5 * trace - middle) * sn_dot(by->angle, by->angle);
    for (int k = 0; k < 3; ++k) {
        sn_vec3 axis = {r.m[0][k], r.m[1][k], r.m[2][k]}, there = sn_mat3_apply(by->rotation, axis);
        double angle = atan2(sn_length(sn_cross(axis, there)), sn_dot(axis, there));
        sum += (middle - m[k]) * angle * angle;
    }
    return sum;
}

// A link's own, and what the tree adds to it.
static sn_mat3 inertia_of(const sn_tree *tree, int i)
{
    if (tree->added == NULL) {
        return tree->links[i].inertia;
    }
    const sn_sym3 *a = &tree->added[i].inertia;
    return sn_mat3_add(
        tree->links[i].inertia,
        (sn_mat3){{{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}}});
}

// h^2 L(c, c')
static double action(const sn_tree *tree, const double *c, const double *next)
{
    sn_tree_pose from[3 * MOST], to[3 * MOST];
    sn_vec3 origin[3 * MOST];
    double sum = 0.0;
    sn_tree_place_into(tree, c, from);
    sn_tree_place_into(tree, next, to);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        int p = link->parent;
        turn own = turn_between(&from[i], &to[i]);
        sn_vec3 slide = slide_of(tree, i, &from[i], c, next);
        origin[i] = slide;
        if (p >= 0) {
            turn by = turn_between(&from[p], &to[p]);
            sn_vec3 arm = sn_vec3_sub(from[i].origin, from[p].origin);
            sn_mat3 half = sn_quat_to_mat3(sn_quat_exp(sn_vec3_scale(0.5, by.angle)));
            sn_vec3 way =
                is_by_arcs(tree, p)
                    ? sn_vec3_add(arc_of(&by, sn_vec3_add_scaled(arm, 0.5, slide)),
                                  sn_mat3_apply(half, slide))
                    : sn_vec3_sub(sn_mat3_apply(by.rotation, sn_vec3_add(arm, slide)), arm);
            origin[i] = sn_vec3_add(origin[p], way);
        }
        bool arcs = is_by_arcs(tree, i);
        sn_vec3 reach = sn_vec3_sub(from[i].centre, from[i].origin);
        sn_vec3 swung =
            arcs ? arc_of(&own, reach) : sn_vec3_sub(sn_mat3_apply(own.rotation, reach), reach);
        sn_vec3 way = sn_vec3_add(origin[i], swung);
        sum += 0.5 *
               (link->mass * sn_dot(way, way) + spin_of(inertia_of(tree, i), &from[i], &own, arcs));
    }
    return sum;
}

// The ratios that arcs need, against libm in long double, on both sides of where formulas change.
static void arcs_are_exact_to_rounding(void **state)
{
    (void)state;
    double worst = 0.0;
    for (double a = 1e-4; a < 3.0; a *= 1.01) {
        long double half = 0.5L * a, s = half / sinl(half);
        long double kappa = (1.0L - half / tanl(half)) / ((long double)a * a);
        double over, round, sine = sin(0.5 * a), cosine = cos(0.5 * a);
        sn_tree_arc(cosine, sine * sine, 2.0, &over, &round);
        worst = fmax(worst, fabs((double)(1.0L + over - s) / (double)s));
        double weight = fmin(1.0, a * a); // kappa stands beside a^2
        worst = fmax(worst, weight * fabs((double)((round - kappa) / kappa)));
        if (a < 1.5) {
            double by_sine = sn_tree_arc_by_sine(sine * sine);
            worst = fmax(worst, fabs((double)(by_sine * sinl(a) / a - 1.0L)));
            double tangent = tan(0.25 * a);
            worst = fmax(worst,
                         fabs(sn_tree_arc_by_tangent(tangent * tangent) * 4.0 * tangent / a - 1.0));
            worst = fmax(worst, fabs(sn_tree_tangent(0.0625 * a * a) * 0.25 * a / tangent - 1.0));
        }
    }
    print_message("ratios off by %.1e\n", worst);
    assert_true(worst < 2e-15);
}

// A state c, and another that joints reach from it by up to `size` each.
static void random_ends(sn_random *random, const sn_tree *tree, double size, double *c,
                        double *next)
{
    double d[3 * MOST];
    random_state(random, tree, c, d);
    for (int j = 0; j < tree->v_count; ++j) {
        d[j] = sn_random_range(random, -size, size);
    }
    sn_tree_move(tree, c, d, 1.0, next);
}

static double largest(const double *x, int count)
{
    double most = 0.0;
    for (int j = 0; j < count; ++j) {
        most = fmax(most, fabs(x[j]));
    }
    return most;
}

// How far what joints feel of the momentum from c to c' is from -dL/dc.
static double momentum_error(sn_tree *tree, const double *c, const double *next)
{
    sn_tree_step step;
    double felt[3 * MOST], moved[4 * MOST], worst = 0.0, by = 1e-5;
    assert_true(sn_tree_step_allocate(&step, tree));
    sn_tree_step_begin_between(&step, tree, next, c, 1.0);
    assert_true(sn_tree_step_push(&step, tree, SN_VEC3_ZERO, NULL, NULL));
    sn_tree_gather(tree, step.arrived, felt); // of what goes from c' to c
    double scale = largest(felt, tree->v_count);
    for (int j = 0; j < tree->v_count; ++j) {
        double sides[2], d[3 * MOST] = {0.0};
        for (int k = 0; k < 2; ++k) {
            d[j] = k == 0 ? by : -by;
            sn_tree_move(tree, c, d, 1.0, moved);
            sides[k] = action(tree, moved, next);
        }
        worst = fmax(worst, fabs((sides[0] - sides[1]) / (2.0 * by) - felt[j]) / scale);
    }
    sn_tree_step_free(&step);
    return worst;
}

// For all kinds of joints and turns up to 0.6 rad.
static void momentum_is_the_derivative_of_the_action(void **state)
{
    (void)state;
    sn_random random = {.seed = 241};
    double worst = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
        sn_tree tree;
        double c[4 * MOST], next[4 * MOST];
        double size = trial % 3 == 0 ? 0.005 : trial % 3 == 1 ? 0.1 : 0.3;
        make_tree(&random, 1 + trial % 6, trial % 7, &tree);
        random_ends(&random, &tree, size, c, next);
        worst = fmax(worst, momentum_error(&tree, c, next));
        sn_tree_free(&tree);
    }
    print_message("momentum off by %.1e\n", worst);
    assert_true(worst < 1e-7);
}

// The least gravity of 1, 2, 4 ... m/s^2 for which steps of 0.1 s slow some links. False: none.
static bool slow_down(sn_tree *tree, sn_tree_swings *swings)
{
    double q[4 * MOST];
    sn_tree_inertia extra[3 * MOST];
    sn_swing_work work = {tree, q, extra};
    bool slowed = false;
    for (double pull = 1.0; pull < 1e6 && !slowed; pull *= 2.0) {
        slowed = sn_tree_swings_find(swings, pull, 0.1, &work);
    }
    tree->added = slowed ? swings->added : NULL;
    return slowed;
}

// How far the momentum of a small movement is from M of it, the factor of which steps use.
static double factor_error(sn_tree *tree, const double *c)
{
    sn_tree_step step;
    double d[3 * MOST], felt[3 * MOST], had[3 * MOST], next[4 * MOST];
    for (int j = 0; j < tree->v_count; ++j) {
        d[j] = 1e-6 * (1 + j % 3);
    }
    sn_tree_move(tree, c, d, 1.0, next);
    assert_true(sn_tree_step_allocate(&step, tree));
    sn_tree_step_begin_between(&step, tree, next, c, 1.0);
    assert_true(sn_tree_step_push(&step, tree, SN_VEC3_ZERO, NULL, NULL));
    sn_tree_gather(tree, step.arrived, felt);
    sn_tree_solve(tree, felt, had);
    double scale = largest(d, tree->v_count);
    for (int j = 0; j < tree->v_count; ++j) {
        had[j] += d[j];
    }
    sn_tree_step_free(&step);
    return largest(had, tree->v_count) / scale;
}

// The same of trees whose links have rotary inertia added, which balls turn by the axes of the sum;
// and the momentum is that of the factor.
static void added_inertia_is_in_the_action(void **state)
{
    (void)state;
    sn_random random = {.seed = 242};
    double worst = 0.0, factored = 0.0;
    int balls = 0;
    for (int trial = 0; trial < 60; ++trial) {
        sn_tree tree;
        sn_tree_swings swings;
        double c[4 * MOST], next[4 * MOST];
        double size = trial % 3 == 0 ? 0.005 : trial % 3 == 1 ? 0.1 : 0.3;
        make_tree(&random, 1 + trial % 6, trial % 7, &tree);
        assert_true(sn_tree_swings_allocate(&swings, &tree));
        random_ends(&random, &tree, size, c, next);
        if (slow_down(&tree, &swings)) {
            worst = fmax(worst, momentum_error(&tree, c, next));
            factored = fmax(factored, factor_error(&tree, c));
            for (int i = 0; i < tree.count; ++i) {
                balls += swings.chosen[i] && tree.links[i].joint == SN_TREE_BALL;
            }
        }
        sn_tree_swings_free(&swings);
        sn_tree_free(&tree);
    }
    print_message("%d slowed balls: momentum off by %.1e, factor by %.1e\n", balls, worst,
                  factored);
    assert_true(balls > 10 && worst < 1e-7 && factored < 1e-4);
}

// ---- scenes ----

static sn_world *open_world(const char *path)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_file(path, NULL, &scene, &errors), SN_OK);
    sn_error_list_free(&errors);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

// A rod in a screw falls for 10 s: v = m g p t / (J + m p^2) to rounding, at 26,757 rad/s, and the
// energy stays.
static void a_falling_screw_keeps_its_energy(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_world *world = open_world("tests/data/faults/gain_screw.json");
    sn_joint joint = sn_world_find_joint(world, "j6");
    double start = sn_world_energy(world).total, most = 0.0;
    for (int i = 0; i < 10000; ++i) {
        if (sn_world_step(world, 1e-3, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        most = fmax(most, fabs(sn_world_energy(world).total - start));
    }
    sn_mass_properties mass = sn_body_mass_properties(world, sn_world_find_body(world, "l4"));
    double pitch = 0.003, moment = mass.inertia.m[2][2] + mass.mass * pitch * pitch;
    double speed = -mass.mass * 9.81 * pitch * 10.0 / moment;
    double kinetic = sn_world_energy(world).kinetic;
    print_message("%.10g rad/s, energy within %.1e of %.3g J\n", sn_joint_velocity(world, joint, 0),
                  most, kinetic);
    assert_true(fabs(sn_joint_velocity(world, joint, 0) / speed - 1.0) < 1e-9);
    assert_true(most < 1e-9 * kinetic);
    sn_world_destroy(world);
}

// A script that pushes a joint by 1e4 times its velocity; the joint as it is, with a damper, and
// with friction, which makes rows of it.
static void what_feeds_back_on_itself_is_named(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3; ++trial) {
        sn_error error = {0};
        sn_world *world = open_world("tests/data/faults/rotor_feedback.json");
        sn_joint joint = sn_world_find_joint(world, "axle");
        sn_freedom_def freedom = sn_joint_freedom(world, joint, 0);
        freedom.damping = trial == 1 ? 0.01 : 0.0;
        freedom.friction = trial == 2 ? 0.1 : 0.0;
        assert_int_equal(sn_joint_set_freedom(world, joint, 0, &freedom, &error), SN_OK);
        sn_status status = SN_OK;
        for (int steps = 0; status == SN_OK && steps < 100; ++steps) {
            status = sn_world_step(world, 1e-3, &error);
        }
        assert_int_equal(status, SN_ERROR_DIVERGED);
        assert_non_null(strstr(sn_error_message(&error), "joint 'axle', step"));
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_are_exact_to_rounding),
        cmocka_unit_test(momentum_is_the_derivative_of_the_action),
        cmocka_unit_test(added_inertia_is_in_the_action),
        cmocka_unit_test(a_falling_screw_keeps_its_energy),
        cmocka_unit_test(what_feeds_back_on_itself_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
