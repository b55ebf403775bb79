// The exact solver's way out: impulses that put no energy in, where friction is beyond reason, a
// start is wild, or things are wedged in.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "contact_problem.h"
#include "solve/contact.h"

enum { MOST_V = 6 * 32 };

// Work of all impulses from v_0 on: p J (v + v_0) / 2.
static double work_of(const sn_exact_system *system, const double *v_0)
{
    double work = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        sn_vec3 mean = sn_vec3_add(sn_exact_along(system, block, v_0),
                                   sn_exact_along(system, block, system->v.data));
        work += 0.5 * sn_dot(sn_exact_impulse(system, block), mean);
    }
    return work;
}

static contact_problem_def wild_problem(int i)
{
    return (contact_problem_def){.bodies = 2 + i % 7,
                                 .contacts = 3 + i % 20,
                                 .repeats = 1 + i % 3,
                                 .decades = i % 9,
                                 .friction = i % 2 == 0 ? 1e6 : 2.0};
}

static void calm_impulses_put_no_energy_in(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        contact_problem_def def = wild_problem(i);
        sn_exact_system system = {0};
        double v[MOST_V];
        contact_problem_make(&system, &def, (uint64_t)i);
        memcpy(v, system.v.data, (size_t)system.v.count * sizeof *v);
        assert_true(sn_exact_calm_begin(&system));
        double residual = sn_exact_calm(&system);
        assert_true(isfinite(residual));
        assert_true(work_of(&system, v) <= 0.0);
        assert_false(sn_exact_ran_away(&system));
        for (int k = 0; k < system.blocks.count; ++k) {
            assert_true(system.p.data[system.blocks.data[k].row] >= 0.0);
        }
        sn_exact_system_free(&system);
    }
}

// Without friction the descent is to the solution itself.
static void calm_impulses_part_what_slips(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        contact_problem_def def = {.bodies = 2, .contacts = 2, .repeats = 1};
        sn_exact_system system = {0};
        contact_problem_make(&system, &def, (uint64_t)i);
        assert_true(sn_exact_calm_begin(&system));
        assert_true(sn_exact_calm(&system) < 1e-3);
        sn_exact_system_free(&system);
    }
}

// From a start that is no start at all, a solve ends with numbers, and with no more energy.
static void wild_starts_are_left(void **state)
{
    (void)state;
    const sn_exact_limits limits = {.tolerance = 1e-11,
                                    .start = 1e-10,
                                    .enough = 1e-6,
                                    .sweeps = 60,
                                    .newton_steps = 20,
                                    .newton_rows = 2000,
                                    .work = 1e8};
    for (int i = 0; i < 60; ++i) {
        contact_problem_def def = wild_problem(i);
        sn_exact_system system = {0};
        sn_exact_effort effort;
        double v[MOST_V];
        contact_problem_make(&system, &def, (uint64_t)i);
        memcpy(v, system.v.data, (size_t)system.v.count * sizeof *v);
        for (int k = 0; k < system.blocks.count; ++k) {
            sn_vec3 p = {1e3 * (k % 3), -1e5, 1e4};
            sn_exact_put(&system, &system.blocks.data[k], p);
            sn_exact_push(&system, &system.blocks.data[k], p);
        }
        assert_true(sn_exact_system_solve(&system, &limits, &effort));
        assert_true(isfinite(effort.residual));
        for (int k = 0; k < system.v.count; ++k) {
            assert_true(isfinite(system.v.data[k]));
        }
        sn_exact_system_free(&system);
    }
}

// A residual of what is no number is not small.
static void no_number_is_no_solution(void **state)
{
    (void)state;
    contact_problem_def def = {.bodies = 3, .contacts = 5, .repeats = 1, .friction = 0.5};
    sn_exact_system system = {0};
    contact_problem_make(&system, &def, 1);
    system.p.data[system.blocks.data[2].row] = NAN;
    assert_true(isinf(sn_exact_residual(&system, NULL)));
    sn_exact_system_free(&system);
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    contact_problem_def def = {.bodies = 3, .contacts = 5, .repeats = 1, .friction = 0.5};
    for (int n = 0; n < 4; ++n) {
        sn_exact_system system = {0};
        contact_problem_make(&system, &def, 1);
        sn_allocation_fail_after(n);
        assert_false(sn_exact_calm_begin(&system));
        sn_allocation_fail_after(-1);
        assert_true(sn_exact_calm_begin(&system));
        sn_exact_system_free(&system);
    }
}

// Round things with their cores in one place have no line between them that could turn.
static void cores_in_one_place_have_no_line(void **state)
{
    (void)state;
    sn_contact contact = {.a = {-1, -1, 0},
                          .b = {-1, -1, 0},
                          .normal = {0.0, 0.0, 1.0},
                          .round_a = 0.5,
                          .round_b = 0.25,
                          .size = 0.5,
                          .count = 1};
    contact.points[0] =
        (sn_contact_point){.on_a = {0.0, 0.0, 0.5}, .on_b = {0.0, 0.0, -0.25}, .gap = -0.75};
    sn_contact_course course;
    sn_contact_begin(&contact, NULL, &course);
    assert_true(sn_length(course.normal_rate) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calm_impulses_put_no_energy_in),
        cmocka_unit_test(calm_impulses_part_what_slips),
        cmocka_unit_test(wild_starts_are_left),
        cmocka_unit_test(no_number_is_no_solution),
        cmocka_unit_test(missing_memory_is_told),
        cmocka_unit_test(cores_in_one_place_have_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
