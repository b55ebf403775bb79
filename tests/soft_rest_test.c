// Elastic bodies that lie on each other: what their contacts remember is saved and goes on to the
// bit, they sleep and are woken, and integrators that differ do not let them sink in.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

static const double h = 1.0 / 120.0;

typedef struct stack {
    sn_world *world;
    sn_body low, high;
} stack;

static sn_body add_block(sn_world *world, double z, sn_integrator rule, double creep)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = (sn_vec3){0.2, 0.2, 0.1};
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 3e5, 0.3);
    material.plastic.creep_rate = creep;
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame.position.z = z;
    def.integrator = rule;
    def.stiffness_damping = 0.02;
    sn_body body;
    sn_error error = {0};
    if (sn_world_add_elastic(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_tetrahedra_release(mesh);
    return body;
}

// Two blocks of unlike integrators on a floor, or one that creeps.
static stack make_stack(bool sleep, double creep)
{
    stack s;
    sn_world_def def = sn_default_world_def();
    def.contact.sleep = sleep;
    assert_int_equal(sn_world_create(&def, &s.world, NULL), SN_OK);
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    sn_body_def floor = sn_default_body_def();
    floor.type = SN_BODY_STATIC;
    floor.shapes = &plane;
    floor.shape_count = 1;
    sn_body ground;
    assert_int_equal(sn_world_add_body(s.world, &floor, &ground, NULL), SN_OK);
    s.low = add_block(s.world, 0.051, SN_INTEGRATOR_IMPLICIT_EULER, creep);
    s.high = creep > 0.0 ? s.low : add_block(s.world, 0.152, SN_INTEGRATOR_LIE_MIDPOINT, 0.0);
    return s;
}

static void run(sn_world *world, int count)
{
    sn_error error = {0};
    for (int i = 0; i < count; ++i) {
        if (sn_world_step(world, h, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

typedef struct moment {
    unsigned char *state, *memory;
    size_t state_size, memory_size;
} moment;

static moment keep(const sn_world *world)
{
    moment m = {.state_size = sn_world_state_size(world),
                .memory_size = sn_world_contact_memory_size(world)};
    m.state = malloc(m.state_size);
    m.memory = malloc(m.memory_size);
    assert_int_equal(sn_world_save_state(world, m.state, m.state_size, NULL), SN_OK);
    assert_int_equal(sn_world_save_contact_memory(world, m.memory, m.memory_size, NULL), SN_OK);
    return m;
}

static void go_to(sn_world *world, const moment *m)
{
    assert_int_equal(sn_world_load_state(world, m->state, m->state_size, NULL), SN_OK);
    assert_int_equal(sn_world_load_contact_memory(world, m->memory, m->memory_size, NULL), SN_OK);
}

static void states_go_on_to_the_bit(void **state)
{
    (void)state;
    stack s = make_stack(true, 0.0), other = make_stack(true, 0.0);
    run(s.world, 25);
    moment m = keep(s.world);
    sn_world *copy = NULL;
    assert_int_equal(sn_world_copy(s.world, &copy, NULL), SN_OK);
    run(s.world, 20);
    uint64_t hash = sn_world_hash(s.world);
    go_to(s.world, &m); // back in time
    moment again = keep(s.world);
    assert_int_equal(again.memory_size, m.memory_size);
    assert_memory_equal(again.memory, m.memory, m.memory_size);
    run(s.world, 20);
    assert_true(sn_world_hash(s.world) == hash);
    go_to(other.world, &m); // one that was built alike
    run(other.world, 20);
    assert_true(sn_world_hash(other.world) == hash);
    run(copy, 20);
    assert_true(sn_world_hash(copy) == hash);
    // It is of use: without it impulses are found anew, to the solver's tolerance.
    assert_int_equal(sn_world_load_state(s.world, m.state, m.state_size, NULL), SN_OK);
    run(s.world, 20);
    assert_true(sn_world_hash(s.world) != hash);
    m.memory[m.memory_size - 40] ^= 1;
    assert_int_equal(sn_world_load_contact_memory(s.world, m.memory, m.memory_size, NULL),
                     SN_ERROR_FORMAT);
    free(m.state);
    free(m.memory);
    free(again.state);
    free(again.memory);
    sn_world_destroy(s.world);
    sn_world_destroy(other.world);
    sn_world_destroy(copy);
}

static int steps_until_asleep(sn_world *world, int most)
{
    for (int i = 0; i < most; ++i) {
        run(world, 1);
        if (sn_world_report(world).sleeping > 0) {
            return i;
        }
    }
    return -1;
}

static void what_rests_sleeps_until_it_is_touched(void **state)
{
    (void)state;
    stack s = make_stack(true, 0.0);
    assert_true(steps_until_asleep(s.world, 400) > 0);
    assert_int_equal(sn_world_report(s.world).sleeping, 2);
    double time = sn_world_time(s.world);
    sn_vec3 before = sn_body_centre(s.world, s.high);
    run(s.world, 10);
    sn_vec3 after = sn_body_centre(s.world, s.high);
    assert_memory_equal(&before, &after, sizeof before); // to the bit
    assert_true(sn_world_time(s.world) > time);
    sn_body_add_force(s.world, s.high, (sn_vec3){0.0, 0.0, 60.0}, after);
    run(s.world, 1);
    assert_int_equal(sn_world_report(s.world).sleeping, 0);
    assert_true(sn_body_velocity(s.world, s.high).z > 0.0);
    assert_true(steps_until_asleep(s.world, 400) > 0);
    sn_world_set_gravity(s.world, (sn_vec3){0.0, 0.0, 1.0});
    run(s.world, 5);
    assert_int_equal(sn_world_report(s.world).sleeping, 0);
    assert_true(sn_body_velocity(s.world, s.high).z > 0.0);
    sn_world_destroy(s.world);
}

static void what_creeps_stays_awake(void **state)
{
    (void)state;
    stack s = make_stack(true, 1e-3);
    assert_int_equal(steps_until_asleep(s.world, 150), -1);
    sn_world_destroy(s.world);
}

// The upper block's lower side is never below the lower one's upper side, and nothing has to be
// taken back for that once they rest.
static void unlike_integrators_carry_each_other(void **state)
{
    (void)state;
    stack s = make_stack(false, 0.0);
    int restored = 0;
    for (int i = 0; i < 90; ++i) {
        run(s.world, 1);
        restored += i >= 60 && sn_world_report(s.world).restored > 0;
    }
    assert_int_equal(restored, 0);
    double apart = sn_body_centre(s.world, s.high).z - sn_body_centre(s.world, s.low).z;
    assert_true(apart > 0.095 && apart < 0.1005);
    assert_true(fabs(sn_body_velocity(s.world, s.high).z) < 1e-4);
    sn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_go_on_to_the_bit),
        cmocka_unit_test(what_rests_sleeps_until_it_is_touched),
        cmocka_unit_test(what_creeps_stays_awake),
        cmocka_unit_test(unlike_integrators_carry_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
