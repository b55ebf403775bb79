// Ties: errors, rows and accelerations against finite differences, Y against dense algebra, loops
// against maximal coordinates, forward against inverse dynamics, and closing from afar.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "agent/tree/tie_project.h"
#include "agent/tree/tie_rate.h"
#include "base/memory.h"
#include "math/dense.h"
#include "mechanism.h"
#include "random_tree.h"
#include "reference/maximal.h"

enum { V = 100 };

// ---- one tie of each type between two arms ----

static sn_curve *make_curve(void)
{
    sn_vec3 points[12];
    sn_error error = {0};
    for (int i = 0; i < 12; ++i) {
        points[i] = sn_vec3_make(cos(0.5 * i), sin(0.5 * i), 0.1 * i);
    }
    sn_curve_def def = {.points = points, .count = 12};
    sn_curve *curve = NULL;
    assert_int_equal(sn_curve_create(&def, "test", &curve, &error), SN_OK);
    return curve;
}

// Two arms of a ball, a hinge and a slider each, from the world.
static void make_arms(mechanism *m, sn_random *random)
{
    const sn_tree_joint joints[3] = {SN_TREE_BALL, SN_TREE_HINGE, SN_TREE_SLIDER};
    start_mechanism(m);
    for (int arm = 0; arm < 2; ++arm) {
        int parent = -1;
        for (int i = 0; i < 3; ++i) {
            sn_tree_link link = {0};
            give_mass(random, &link);
            parent = add_link(m, parent, joints[i], random_frame(random, 0.5), link.mass,
                              link.centre, sn_vec3_make(0.3, 0.4, 0.5));
        }
    }
    m->terms[0] = (sn_tie_term){1, 0, 2.0};
    m->terms[1] = (sn_tie_term){2, 0, -1.5};
    m->terms[2] = (sn_tie_term){5, 0, 0.7};
    m->term_count = 3;
}

static sn_tie random_tie(sn_random *random, sn_tie_type type, sn_curve *curve, int surface)
{
    sn_tie tie = {.type = type, .a = 2, .b = 5};
    tie.on_a = random_frame(random, 0.3);
    tie.on_b = random_frame(random, 0.3);
    tie.length = sn_random_range(random, 0.3, 1.0);
    tie.curve = type == SN_TIE_CURVE ? curve : NULL;
    tie.surface =
        (sn_surface_def){(sn_surface_type)surface, 0.8, 0.25, 0.6, sn_vec3_make(0.5, 0.7, 0.9)};
    tie.term = 0;
    tie.term_count = 3;
    tie.sum = 0.3;
    return tie;
}

static double random_states(sn_random *random, sn_articulation_set *set)
{
    const sn_tree *tree = &set->items[0]->tree;
    double d[V];
    sn_tree_zero(tree, set->agents.q);
    for (int j = 0; j < tree->v_count; ++j) {
        d[j] = sn_random_range(random, -0.8, 0.8);
        set->agents.v[j] = sn_random_range(random, -1.0, 1.0);
    }
    sn_tree_move(tree, set->agents.q, d, 1.0, set->agents.q);
    return 0.0;
}

// Along the motion, errors grow by J v, and J v by J a plus the bias: a = 0 in the joints.
static void rows_are_derivatives(void **state)
{
    (void)state;
    static mechanism m;
    sn_random random = {.seed = 71};
    sn_curve *curve = make_curve();
    int closed = 0;
    double worst = 0.0, worst_bias = 0.0;
    for (int trial = 0; trial < 220; ++trial) {
        make_arms(&m, &random);
        m.ties[0] = random_tie(&random, (sn_tie_type)(trial % 5), curve, (trial / 5) % 6);
        m.tie_count = 1;
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_RK4), 0);
        random_states(&random, &set);
        if (sn_articulation_close(&set, 0, 0.0, NULL)) {
            sn_articulation *item = set.items[0];
            sn_tie_work *work = item->ties;
            sn_tree *tree = &item->tree;
            const double *q = set.agents.q, *v = set.agents.v;
            int rows = sn_articulation_rows(&set, 0), nv = tree->v_count;
            static double j[6 * V], error[6], ahead[2][6], moved[2 * V], still[V];
            const double eps = 1e-5;
            ++closed;
            // accelerations of the rows without joint accelerations: rate's own bias
            sn_tree_place(tree, q);
            memset(still, 0, sizeof still);
            static double force[V], bias[6];
            sn_tree_inverse(tree, v, still, SN_VEC3_ZERO, NULL, force);
            sn_tree_velocity(tree, v, work->velocity);
            work->guides[0] = (sn_tie_guide){NAN, -1};
            sn_tie_locate(&work->ties[0], work->terms, tree, tree->pose, q, &work->guides[0],
                          &work->places[0]);
            sn_tie_motion motion[2];
            for (int side = 0; side < 2; ++side) {
                int link = side == 0 ? 2 : 5;
                const sn_tree_motion *at = &tree->motion[link];
                motion[side] = (sn_tie_motion){at->angular, work->velocity[link].linear,
                                               at->angular_rate, at->acceleration};
            }
            memset(bias, 0, sizeof bias);
            if (work->ties[0].type != SN_TIE_COUPLING) {
                sn_tie_acceleration(&work->ties[0], &work->places[0], tree->pose, &motion[0],
                                    &motion[1], bias);
            }
            sn_articulation_jacobian(&set, 0, 0.0, j, error);
            double keep[2 * V];
            memcpy(keep, q, (size_t)tree->q_count * sizeof *keep);
            // anywhere along the motion of v held in the joints, also off the ties
            for (int s = 0; s < 2; ++s) {
                sn_tree_move(tree, keep, v, s == 0 ? eps : -eps, moved);
                sn_tree_place_into(tree, moved, work->pose);
                sn_tie_guide guide = work->guides[0];
                sn_tie_locate(&work->ties[0], work->terms, tree, work->pose, moved, &guide,
                              &work->ahead[0]);
                memcpy(ahead[s], work->ahead[0].error, sizeof ahead[s]);
            }
            sn_tie_guide guide = work->guides[0];
            sn_tree_place_into(tree, keep, work->pose);
            sn_tie_locate(&work->ties[0], work->terms, tree, work->pose, keep, &guide,
                          &work->ahead[0]);
            for (int r = 0; r < rows; ++r) {
                double jv = 0.0;
                for (int k = 0; k < nv; ++k) {
                    jv += j[r * nv + k] * v[k];
                }
                double slope = (ahead[0][r] - ahead[1][r]) / (2 * eps);
                double bend =
                    (ahead[0][r] + ahead[1][r] - 2 * work->ahead[0].error[r]) / (eps * eps);
                worst = fmax(worst, fabs(slope - jv));
                worst_bias = fmax(worst_bias, fabs(bend - bias[r]) / (1 + fabs(bias[r])));
            }
        }
        sn_articulation_set_free(&set);
    }
    sn_curve_release(curve);
    print_message("%d closed; rows %.1e, accelerations %.1e\n", closed, worst, worst_bias);
    assert_true(closed > 150);
    assert_true(worst < 1e-7 && worst_bias < 2e-4);
}

// ---- Y ----

static void inverse_mass_agrees_with_dense_algebra(void **state)
{
    (void)state;
    sn_random random = {.seed = 72};
    double worst = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
        sn_tree tree;
        sn_tie_rows rows;
        make_tree(&random, 2 + sn_random_below(&random, 8), trial % 8, &tree);
        assert_true(sn_tie_rows_allocate(&rows, &tree));
        double q[4 * MOST], v[3 * MOST], armature[3 * MOST];
        random_state(&random, &tree, q, v);
        sn_tree_place(&tree, q);
        for (int j = 0; j < tree.v_count; ++j) {
            armature[j] = sn_random_range(&random, 0.0, 1.0);
        }
        assert_true(sn_tree_factorise(&tree, trial % 2 == 0 ? NULL : armature));
        int n = tree.v_count, count = 7;
        sn_tie_rows_clear(&rows);
        for (int r = 0; r < count; ++r) {
            sn_tie_rows_add(&rows, 0, r, 0);
            int ends = 1 + sn_random_below(&random, 3);
            for (int e = 0; e < ends; ++e) {
                int link = sn_random_below(&random, tree.count);
                if (sn_random_below(&random, 2) == 0) {
                    sn_tie_rows_wrench(&rows, link, random_spatial(&random, 1.0));
                } else {
                    sn_vec3 own = random_vec3(&random, 1.0);
                    if (tree.links[link].joint < SN_TREE_BALL) {
                        own = sn_vec3_make(own.x, 0.0, 0.0);
                    }
                    sn_tie_rows_own(&rows, link, own);
                }
            }
        }
        assert_true(sn_tie_rows_finish(&rows, &tree));
        static sn_spatial push[3 * MOST];
        double felt[3 * MOST], answer[8][3 * MOST], all[8][3 * MOST], unit[8];
        for (int r = 0; r < count; ++r) {
            memset(unit, 0, sizeof unit);
            memset(push, 0, sizeof push);
            memset(felt, 0, sizeof felt);
            unit[r] = 1.0;
            sn_tie_rows_push(&rows, &tree, unit, push, felt);
            sn_tree_gather(&tree, push, all[r]);
            for (int j = 0; j < n; ++j) {
                all[r][j] += felt[j];
            }
            sn_tree_solve(&tree, all[r], answer[r]);
        }
        for (int r = 0; r < count; ++r) {
            const sn_tie_row *row = &rows.rows.data[r];
            for (int s = 0; s <= r; ++s) {
                double y = s >= row->first ? rows.y.data[row->offset + (size_t)s] : 0.0, dense = 0;
                for (int j = 0; j < n; ++j) {
                    dense += all[r][j] * answer[s][j];
                }
                worst = fmax(worst, fabs(y - dense));
            }
        }
        sn_tie_rows_free(&rows);
        sn_tree_free(&tree);
    }
    print_message("Y: %.1e\n", worst);
    assert_true(worst < 1e-12);
}

// ---- loops ----

// A random tree with welds and points closed where it stands, as ties and as maximal closures.
typedef struct looped {
    sn_tree tree;
    sn_maximal_closure closures[4];
    sn_tie ties[4];
    int count;
    double q[4 * MOST], v[3 * MOST];
} looped;

static bool is_massive(const sn_tree *tree, int link)
{
    return tree->links[link].mass > 0.0;
}

static void make_looped(sn_random *random, int bodies, looped *l)
{
    make_tree(random, bodies, 4, &l->tree);
    random_state(random, &l->tree, l->q, l->v);
    sn_tree_place(&l->tree, l->q);
    l->count = 0;
    int wanted = 1 + sn_random_below(random, 2);
    for (int i = 0; i < wanted; ++i) {
        int b = sn_random_below(random, l->tree.count),
            a = sn_random_below(random, l->tree.count + 1) - 1;
        if (a == b || !is_massive(&l->tree, b) || (a >= 0 && !is_massive(&l->tree, a))) {
            --i;
            continue;
        }
        sn_frame on_b = random_frame(random, 0.3);
        sn_frame link_b = {l->tree.pose[b].rotation, l->tree.pose[b].origin};
        sn_frame at = sn_frame_multiply(&link_b, &on_b), on_a = at;
        if (a >= 0) {
            sn_frame link_a = {l->tree.pose[a].rotation, l->tree.pose[a].origin};
            sn_frame inverse = sn_frame_inverse(&link_a);
            on_a = sn_frame_multiply(&inverse, &at);
        }
        l->ties[l->count] =
            (sn_tie){.type = SN_TIE_WELD, .a = a, .b = b, .on_a = on_a, .on_b = on_b};
        l->closures[l->count] =
            (sn_maximal_closure){.a = a, .b = b, .weld = true, .on_a = on_a, .on_b = on_b};
        ++l->count;
    }
}

static int add_looped(sn_articulation_set *set, const looped *l)
{
    sn_articulation_part parts[3 * MOST];
    int count = 0;
    for (int i = 0; i < l->tree.count; ++i) {
        parts[count++] =
            (sn_articulation_part){i, SN_TRANSFORM_IDENTITY, l->tree.links[i].centre, 1.0};
    }
    sn_articulation_def def = {.tree = &l->tree,
                               .parts = parts,
                               .part_count = count,
                               .ties = l->ties,
                               .tie_count = l->count,
                               .q = l->q,
                               .v = l->v,
                               .integrator = SN_INTEGRATOR_RK4};
    return sn_articulation_add(set, &def);
}

static void loops_agree_with_maximal_coordinates(void **state)
{
    (void)state;
    sn_random random = {.seed = 73};
    double worst = 0.0, worst_load = 0.0;
    int compared = 0;
    for (int trial = 0; trial < 60; ++trial) {
        static looped l;
        make_looped(&random, 3 + sn_random_below(&random, 6), &l);
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        assert_int_equal(add_looped(&set, &l), 0);
        sn_maximal m;
        make_maximal(&m, &l.tree, l.closures, l.count);
        assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
        int rank = sn_articulation_rank(&set, 0, 0.0);
        sn_maximal_from_tree(&m, set.agents.q, set.agents.v);
        sn_spatial a[MOST], reaction[MOST], wrench[3 * MOST];
        double joint_a[3 * MOST], force[3 * MOST], q_rate[4 * MOST], v_rate[3 * MOST];
        random_loads(&random, &l.tree, wrench, force);
        sn_error error = {0};
        assert_int_equal(sn_maximal_accelerate(&m, gravity, wrench, force, a, &error), SN_OK);
        sn_maximal_joint_accelerations(&m, a, joint_a);
        sn_maximal_reactions(&m, reaction);
        // the same forces, about the parts' centres
        set.agents.type->part(&set.agents, 0, 0, &(sn_part){0});
        const sn_tree *tree = &set.items[0]->tree;
        for (int i = 0; i < tree->count; ++i) {
            sn_vec3 reach = sn_vec3_sub(tree->pose[i].centre, tree->pose[i].origin);
            set.agents.force[i] = wrench[i];
            set.agents.force[i].angular =
                sn_vec3_sub(wrench[i].angular, sn_cross(reach, wrench[i].linear));
        }
        memcpy(set.agents.joint_force, force, (size_t)tree->v_count * sizeof *force);
        set.agents.type->rate(&set.agents, 0, gravity, q_rate, v_rate);
        if (rank == m.loops.rank) {
            ++compared;
            double size = 1.0;
            for (int j = 0; j < tree->v_count; ++j) {
                size = fmax(size, fabs(joint_a[j]));
            }
            for (int j = 0; j < tree->v_count; ++j) {
                worst = fmax(worst, fabs(joint_a[j] - v_rate[j]) / size);
            }
            sn_articulation_find_loads(&set, 0, gravity);
            bool full = rank == sn_articulation_rows(&set, 0); // else reactions are not unique
            for (int k = 0; k < m.body_count && full; ++k) {
                sn_spatial load = sn_articulation_load(&set, 0, m.bodies[k].link);
                worst_load = fmax(worst_load, spatial_distance(load, reaction[k]) /
                                                  (size + sn_length(reaction[k].linear)));
            }
        }
        sn_maximal_free(&m);
        sn_articulation_set_free(&set);
        sn_tree_free(&l.tree);
    }
    print_message("%d loops: accelerations %.1e, loads %.1e\n", compared, worst, worst_load);
    assert_true(compared > 45);
    assert_true(worst < 1e-8 && worst_load < 1e-8);
}

// Is any direction of the rows neither held nor idle, but nearly idle?
static bool is_nearly_singular(sn_articulation_set *set)
{
    static double dense[64 * 64];
    int order[64], rank = sn_articulation_rank(set, 0, 0.0);
    const sn_tie_rows *rows = &set->items[0]->ties->rows;
    int n = rows->rows.count;
    memset(dense, 0, sizeof dense);
    for (int r = 0; r < n; ++r) {
        const sn_tie_row *row = &rows->rows.data[r];
        for (int s = row->first; s <= r; ++s) {
            dense[r * n + s] = rows->y.data[row->offset + (size_t)s];
        }
    }
    return sn_ldl_factor_pivoted(n, dense, order, 1e-6) != rank;
}

// Accelerations that the loops allow, forces that give them, and the accelerations of those forces.
static void forward_undoes_inverse(void **state)
{
    (void)state;
    sn_random random = {.seed = 74};
    double worst = 0.0;
    int trials = 0;
    while (trials < 1000) {
        static looped l;
        make_looped(&random, 3 + sn_random_below(&random, 6), &l);
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        assert_int_equal(add_looped(&set, &l), 0);
        assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
        if (is_nearly_singular(&set)) {
            sn_articulation_set_free(&set);
            sn_tree_free(&l.tree);
            continue;
        }
        ++trials;
        sn_tree *tree = &set.items[0]->tree;
        int n = tree->v_count;
        double q_rate[4 * MOST], wanted[3 * MOST], found[3 * MOST], *f = set.agents.joint_force;
        for (int j = 0; j < n; ++j) {
            f[j] = sn_random_range(&random, -5.0, 5.0);
        }
        set.agents.type->rate(&set.agents, 0, gravity, q_rate, wanted); // one that loops allow
        sn_tree_place(tree, set.agents.q);
        sn_tree_inverse(tree, set.agents.v, wanted, gravity, NULL,
                        f); // without any of their forces
        set.agents.type->rate(&set.agents, 0, gravity, q_rate, found);
        double size = 1.0;
        for (int j = 0; j < n; ++j) {
            size = fmax(size, fabs(wanted[j]));
        }
        for (int j = 0; j < n; ++j) {
            worst = fmax(worst, fabs(found[j] - wanted[j]) / size);
        }
        sn_articulation_set_free(&set);
        sn_tree_free(&l.tree);
    }
    print_message("forward of inverse: %.1e\n", worst);
    assert_true(worst < 1e-10);
}

// ---- closing ----

static void loops_close_from_afar_or_say_what_is_left(void **state)
{
    (void)state;
    static mechanism m;
    sn_random random = {.seed = 75};
    for (int trial = 0; trial < 40; ++trial) {
        make_four_bars(&m, 1 + trial % 4, 1.0, 0.0);
        for (int j = 0; j < m.link_count; ++j) {
            m.q[j] += sn_random_range(&random, -0.5, 0.5);
            m.v[j] = sn_random_range(&random, -1.0, 1.0);
        }
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT);
        sn_articulation_gap gap;
        assert_true(sn_articulation_close(&set, 0, 0.0, &gap));
        assert_true(gap_of(&set, 0) < 1e-12);
        static double j[100 * 100], error[100];
        sn_articulation_jacobian(&set, 0, 0.0, j, error);
        for (int r = 0; r < sn_articulation_rows(&set, 0); ++r) {
            double rate = 0.0;
            for (int k = 0; k < m.link_count; ++k) {
                rate += j[r * m.link_count + k] * set.agents.v[k];
            }
            assert_true(fabs(rate) < 1e-12);
        }
        sn_articulation_set_free(&set);
    }
    // A rod of one metre cannot reach three: two metres are left at best.
    start_mechanism(&m);
    add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
    sn_tie *tie = add_tie(&m, SN_TIE_ROD, -1, sn_vec3_make(3, 0, 0), 0, sn_vec3_make(1, 0, 0));
    tie->length = 0.5;
    m.q[0] = 0.7;
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT);
    sn_articulation_gap gap;
    assert_false(sn_articulation_close(&set, 0, 0.0, &gap));
    assert_int_equal(gap.tie, 0);
    assert_true(fabs(gap.linear - 1.5) < 1e-3 && gap.angular == 0.0);
    assert_true(set.agents.q[0] == 0.7);
    sn_articulation_set_free(&set);
}

// A ball whose three components follow motions: its acceleration is the change of the velocity that
// closing gives, a little later less a little earlier.
static void motions_of_balls_are_derivatives(void **state)
{
    (void)state;
    static mechanism m;
    const double times[5] = {0.0, 0.3, 0.7, 1.1, 1.5};
    const double values[3][5] = {
        {0.0, 0.4, 0.9, 0.3, 0.1}, {0.2, 0.1, -0.6, 0.5, 0.0}, {-0.3, 0.8, 1.0, 0.2, 0.4}};
    start_mechanism(&m);
    add_link(&m, -1, SN_TREE_BALL, SN_FRAME_IDENTITY, 1.0, sn_vec3_make(0.1, 0.2, 0.3),
             sn_vec3_make(0.3, 0.4, 0.5));
    for (int k = 0; k < 3; ++k) {
        sn_motion_def def = sn_default_motion_def();
        sn_error error = {0};
        def.times = times;
        def.values = values[k];
        def.count = 5;
        m.freedoms[k].drive.type = SN_DRIVE_MOTION;
        assert_int_equal(sn_motion_create(&def, &m.freedoms[k].drive.motion, &error), SN_OK);
    }
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_RK4), 0);
    double worst = 0.0;
    for (int i = 1; i < 28; ++i) {
        double t = 0.05 * i + 0.013, v[2][3], q_rate[4], v_rate[3];
        const double eps = 1e-5;
        for (int s = 0; s < 2; ++s) {
            assert_true(sn_articulation_close(&set, 0, t + (s == 0 ? -eps : eps), NULL));
            memcpy(v[s], set.agents.v, sizeof v[s]);
        }
        assert_true(sn_articulation_close(&set, 0, t, NULL));
        set.agents.now = t;
        set.agents.type->rate(&set.agents, 0, down, q_rate, v_rate);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(v_rate[k] - (v[1][k] - v[0][k]) / (2 * eps)));
        }
    }
    print_message("ball motions: %.1e rad/s^2\n", worst);
    assert_true(worst < 1e-5);
    sn_articulation_set_free(&set);
    for (int k = 0; k < 3; ++k) {
        sn_motion_release(m.freedoms[k].drive.motion);
    }
}

static void lack_of_memory_is_seen(void **state)
{
    (void)state;
    static mechanism m;
    sn_curve *curve = make_curve();
    make_four_bars(&m, 2, 1.0, 0.0);
    m.freedoms[0].friction = 0.1;
    sn_tie *tie = add_tie(&m, SN_TIE_CURVE, -1, SN_VEC3_ZERO, 0, SN_VEC3_ZERO);
    tie->curve = curve;
    for (int n = 0; n < 80; ++n) {
        sn_articulation_set set, copy;
        sn_articulation_set_init(&set);
        sn_articulation_set_init(&copy);
        sn_allocation_fail_after(n);
        int agent = add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT);
        if (agent >= 0) {
            if (sn_articulation_set_copy(&set, &copy)) {
                sn_articulation_close(&copy, 0, 0.0, NULL);
            }
            step_set(&set, 1e-3, down);
        }
        sn_allocation_fail_after(-1);
        sn_articulation_set_free(&copy);
        sn_articulation_set_free(&set);
    }
    sn_curve_release(curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_derivatives),
        cmocka_unit_test(inverse_mass_agrees_with_dense_algebra),
        cmocka_unit_test(loops_agree_with_maximal_coordinates),
        cmocka_unit_test(forward_undoes_inverse),
        cmocka_unit_test(loops_close_from_afar_or_say_what_is_left),
        cmocka_unit_test(motions_of_balls_are_derivatives),
        cmocka_unit_test(lack_of_memory_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
