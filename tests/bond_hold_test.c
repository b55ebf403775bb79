// Bonds between bodies that move, under integrators with stages: that they hold, what is kept, when
// they begin and end, and what is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "shortage.h"
#include "sinew/sinew.h"
#include "world_steps.h"

typedef enum pair_kind { JUNCTION, POINT_OF_ELASTIC, POINT_OF_RIGID, PAIRS } pair_kind;

typedef struct tied {
    sn_world *world;
    sn_body a, b;
    sn_bond bond;
} tied;

// Two cubes of 0.2 m side by side, thrown and spinning, tied; the second is a rigid box if it says
// so. Both begin with one rigid motion, so that the bond holds at the start.
static tied make(pair_kind kind, double end, double h_tolerance)
{
    sn_error error = {0};
    tied out = {0};
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.gravity = SN_VEC3_ZERO;
    def.relative_tolerance = h_tolerance;
    def.absolute_tolerance = 1e-2 * h_tolerance;
    assert_int_equal(sn_world_create(&def, &out.world, &error), SN_OK);
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_box box = {
        .size = {0.2, 0.2, 0.2}, .cells = {1, 1, 1}, .cell = SN_CELL_SIX_MIRRORED};
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_OK);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 2e4, 0.3);
    sn_elastic_def elastic = sn_default_elastic_def();
    const sn_vec3 spin = {1.0, 2.0, -1.0}, thrown = {0.3, 0.0, 0.1};
    elastic.mesh = mesh;
    elastic.materials = &material;
    elastic.material_count = 1;
    elastic.velocity = thrown;
    elastic.angular_velocity = spin;
    assert_int_equal(sn_world_add_elastic(out.world, &elastic, &out.a, &error), SN_OK);
    sn_vec3 away = {0.2, 0.0, 0.0};
    sn_vec3 velocity = sn_vec3_add(thrown, sn_cross(spin, away));
    if (kind == POINT_OF_RIGID) {
        sn_shape shape = sn_default_shape();
        shape.type = SN_SHAPE_BOX;
        shape.size = (sn_vec3){0.2, 0.2, 0.2};
        shape.density = 500.0;
        sn_body_def rigid = sn_default_body_def();
        rigid.shapes = &shape;
        rigid.shape_count = 1;
        rigid.frame.position = away;
        rigid.velocity = velocity;
        rigid.angular_velocity = spin;
        assert_int_equal(sn_world_add_body(out.world, &rigid, &out.b, &error), SN_OK);
    } else {
        elastic.frame.position = away;
        elastic.velocity = velocity;
        assert_int_equal(sn_world_add_elastic(out.world, &elastic, &out.b, &error), SN_OK);
    }
    sn_tetrahedra_release(mesh);
    sn_bond_def bond = sn_default_bond_def();
    bond.name = "tie";
    bond.type = kind == JUNCTION ? SN_BOND_JUNCTION : SN_BOND_POINT;
    bond.body = out.a;
    bond.other = out.b;
    bond.point = (sn_vec3){0.1, 0.03, 0.02};
    bond.element = 3;
    bond.other_element = 1;
    bond.end = end;
    sn_status status = sn_world_add_bond(out.world, &bond, &out.bond, &error);
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return out;
}

static void what_is_tied_stays_and_keeps_energy(void **state)
{
    (void)state;
    for (int kind = 0; kind < PAIRS; ++kind) {
        tied pair = make((pair_kind)kind, INFINITY, 1e-9);
        double start = sn_world_energy(pair.world).total, error = 0.0, drift = 0.0, slip = 0.0;
        sn_vec3 p = sn_world_momentum(pair.world), l = sn_world_angular_momentum(pair.world);
        double turn = 0.0;
        for (int i = 0; i < 30; ++i) {
            advance(pair.world, 0.02, 1);
            error = fmax(error, sn_bond_read(pair.world, pair.bond).error / 0.2);
            drift = fmax(drift, fabs(sn_world_energy(pair.world).total - start) / start);
            slip = fmax(slip, sn_distance(sn_world_momentum(pair.world), p) / sn_length(p));
            turn = fmax(turn, sn_distance(sn_world_angular_momentum(pair.world), l) / sn_length(l));
        }
        print_message("kind %d: apart %.2g, energy %.2g, momentum %.2g, angular %.2g\n", kind,
                      error, drift, slip, turn);
        assert_true(error < 1e-7 && drift < 1e-6 && slip < 1e-13 && turn < 1e-7);
        sn_vec3 apart = sn_vec3_sub(sn_body_transform(pair.world, pair.b).position,
                                    sn_body_transform(pair.world, pair.a).position);
        assert_true(sn_length(apart) < 0.4); // untied they were 0.54 m apart by now
        sn_world_destroy(pair.world);
    }
}

// A bond ends within a step: as if the step had ended there.
static void bonds_end_in_time(void **state)
{
    (void)state;
    double ends[2];
    for (int run = 0; run < 2; ++run) {
        tied pair = make(POINT_OF_RIGID, 0.1234, 1e-9);
        if (run == 0) {
            advance(pair.world, 0.3, 1);
        } else {
            advance(pair.world, 0.1234, 1);
            advance(pair.world, 0.3 - 0.1234, 1);
        }
        assert_false(sn_bond_read(pair.world, pair.bond).active);
        ends[run] = sn_distance(sn_body_transform(pair.world, pair.b).position,
                                sn_body_transform(pair.world, pair.a).position);
        sn_world_destroy(pair.world);
    }
    print_message("ends: %.12g %.12g\n", ends[0], ends[1]);
    assert_true(fabs(ends[0] - ends[1]) < 1e-8 && ends[0] > 0.205);
}

// What begins apart comes together as (A + B t) exp(-s t), s = 50/s.
static void errors_die_out(void **state)
{
    (void)state;
    sn_error error = {0};
    tied pair = make(POINT_OF_RIGID, INFINITY, 1e-9);
    sn_transform frame = sn_body_transform(pair.world, pair.b);
    frame.position.x += 0.01;
    assert_int_equal(sn_body_set_transform(pair.world, pair.b, frame, &error), SN_OK);
    double before = sn_bond_read(pair.world, pair.bond).error;
    advance(pair.world, 0.1, 1);
    double after = sn_bond_read(pair.world, pair.bond).error;
    double expected = before * (1.0 + 50.0 * 0.1) * exp(-50.0 * 0.1); // both stood still there
    print_message("error %.6g to %.6g, expected %.6g\n", before, after, expected);
    assert_true(before > 0.009 && fabs(after / expected - 1.0) < 1e-5);
    sn_world_destroy(pair.world);
}

static void threads_and_states_agree(void **state)
{
    (void)state;
    sn_error error = {0};
    tied one = make(JUNCTION, INFINITY, 1e-8), two = make(JUNCTION, INFINITY, 1e-8);
    assert_int_equal(sn_world_set_threads(two.world, 4, &error), SN_OK);
    advance(one.world, 0.02, 5);
    advance(two.world, 0.02, 5);
    assert_true(sn_world_hash(one.world) == sn_world_hash(two.world));
    unsigned char bytes[20000];
    size_t size = sn_world_state_size(one.world);
    assert_true(size <= sizeof bytes);
    assert_int_equal(sn_world_save_state(one.world, bytes, sizeof bytes, &error), SN_OK);
    advance(one.world, 0.02, 5);
    assert_int_equal(sn_world_load_state(two.world, bytes, size, &error), SN_OK);
    advance(two.world, 0.02, 5);
    assert_true(sn_world_hash(one.world) == sn_world_hash(two.world));
    sn_world_destroy(one.world);
    sn_world_destroy(two.world);
}

static void unlike_integrators_are_refused(void **state)
{
    (void)state;
    sn_error error = {0};
    tied pair = make(POINT_OF_RIGID, INFINITY, 1e-8);
    sn_shape shape = sn_default_shape();
    sn_body_def def = sn_default_body_def();
    def.name = "stone";
    def.shapes = &shape;
    def.shape_count = 1;
    def.integrator = SN_INTEGRATOR_LIE_MIDPOINT;
    sn_body stone;
    assert_int_equal(sn_world_add_body(pair.world, &def, &stone, &error), SN_OK);
    sn_bond_def bond = sn_default_bond_def();
    sn_bond made;
    bond.type = SN_BOND_POINT;
    bond.body = pair.a;
    bond.other = stone;
    assert_int_equal(sn_world_add_bond(pair.world, &bond, &made, &error), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "stone"));
    sn_world_destroy(pair.world);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    shortage s = {.most = 2000};
    while (shortage_goes_on(&s)) {
        tied pair = make(JUNCTION, INFINITY, 1e-6);
        shortage_begin(&s);
        sn_status status = sn_world_step(pair.world, 0.001, NULL);
        shortage_end(&s, status);
        advance(pair.world, 0.001, 1); // goes on
        sn_world_destroy(pair.world);
    }
    assert_true(s.next > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_tied_stays_and_keeps_energy),
        cmocka_unit_test(bonds_end_in_time),
        cmocka_unit_test(errors_die_out),
        cmocka_unit_test(threads_and_states_agree),
        cmocka_unit_test(unlike_integrators_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
