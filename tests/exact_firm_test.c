// Rows that hold always, taken out of Newton's matrices: the answers are those of the whole ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contact_problem.h"

static const sn_exact_limits limits = {.tolerance = 1e-11,
                                       .start = 1e-10,
                                       .enough = 1e-6,
                                       .sweeps = 300,
                                       .newton_steps = 60,
                                       .newton_rows = 2000,
                                       .work = 1e9};

// A row between two bodies of masses 1 that holds within bounds, made of the first one of a point.
static void add_bond(sn_exact_system *system, const double (*inverse)[2], int a, int b,
                     const sn_vec3 axes[3], sn_vec3 arm_a, sn_vec3 arm_b, double bound)
{
    contact_problem_point(system, inverse, a, b, axes, arm_a, arm_b, 0.0);
    sn_exact_block *block = &system->blocks.data[system->blocks.count - 1];
    block->kind = SN_BLOCK_BOX;
    block->width = 1;
    block->lower = -bound;
    block->upper = bound;
    block->softness = 1e-5; // as of bonds: without it, rows that are there twice have no one answer
    system->p.count -= 2;
    system->target.count -= 2;
}

// Chains of bodies, joined in a point each, or in two rows of it; `twice`: some of these rows are
// there two times. Contacts with each other and the ground.
static void make(sn_exact_system *system, int number, double friction, double bound, bool twice)
{
    enum { BODIES = 12 };
    contact_problem_def def = {
        .bodies = BODIES, .contacts = 6 + number % 9, .repeats = 1, .friction = friction};
    sn_random random = {.seed = 1000 + (uint64_t)number};
    double inverse[BODIES][2];
    for (int i = 0; i < BODIES; ++i) {
        inverse[i][0] = 1.0;
        inverse[i][1] = 10.0;
    }
    contact_problem_make(system, &def, (uint64_t)number);
    for (int i = 0; i + 1 < BODIES; ++i) {
        sn_vec3 axes[3], arm_a = random_vec3(&random, 0.5), arm_b = random_vec3(&random, 0.5);
        axes[0] = sn_normalize(random_vec3(&random, 1.0));
        axes[1] = sn_perpendicular(axes[0]);
        axes[2] = sn_cross(axes[0], axes[1]);
        for (int k = 0; k < 2 + i % 2 && i % 4 != 3; ++k) {
            const sn_vec3 turned[3] = {axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3]};
            for (int n = 0; n < (twice && k == 0 ? 2 : 1); ++n) {
                add_bond(system, (const double(*)[2])inverse, i, i + 1, turned, arm_a, arm_b,
                         bound);
            }
        }
    }
    sn_exact_system_prepare(system);
}

static double worst_bond(const sn_exact_system *system)
{
    double worst = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (block->kind == SN_BLOCK_BOX) {
            worst = fmax(worst, fabs(sn_exact_velocity(system, block).x));
        }
    }
    return worst;
}

// Velocities are unique without friction. Bounds that are never reached keep rows from being firm.
static void velocities_are_those_of_the_whole_matrix(void **state)
{
    (void)state;
    int compared = 0;
    for (int i = 0; i < 60; ++i) {
        sn_exact_system firm = {0}, whole = {0};
        sn_exact_effort effort, other;
        make(&firm, i, 0.0, INFINITY, i % 3 == 0);
        make(&whole, i, 0.0, 1e30, i % 3 == 0);
        assert_true(sn_exact_system_solve(&firm, &limits, &effort));
        assert_true(sn_exact_system_solve(&whole, &limits, &other));
        assert_int_equal(whole.firm_count, 0);
        assert_true(firm.firm_count > 12 || effort.newton_steps == 0);
        bool both = effort.residual < 1e-10 && other.residual < 1e-10;
        compared += both;
        for (int k = 0; k < firm.v.count && both; ++k) {
            assert_true(fabs(firm.v.data[k] - whole.v.data[k]) < 1e-7);
        }
        assert_true(!both || worst_bond(&firm) < 1e-8);
        sn_exact_system_free(&firm);
        sn_exact_system_free(&whole);
    }
    assert_true(compared >= 50);
}

// At least as often as with whole matrices.
static void laws_of_friction_hold_beside_them(void **state)
{
    (void)state;
    int solved[2] = {0, 0};
    for (int i = 0; i < 120; ++i) {
        sn_exact_system system = {0};
        sn_exact_effort effort;
        make(&system, i / 2, 0.6, i % 2 == 0 ? INFINITY : 1e30, i % 6 < 2);
        assert_true(sn_exact_system_solve(&system, &limits, &effort));
        solved[i % 2] += effort.residual < 1e-9;
        assert_true(!(effort.residual < 1e-9) || worst_bond(&system) < 1e-7);
        sn_exact_system_free(&system);
    }
    assert_true(solved[0] >= 50 && solved[0] >= solved[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_those_of_the_whole_matrix),
        cmocka_unit_test(laws_of_friction_hold_beside_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
