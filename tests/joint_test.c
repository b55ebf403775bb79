// Joints of a world: mechanisms put together from bodies, moved, copied, saved, taken apart.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "joint_at.h"
#include "world_steps.h"

static const sn_vec3 down = {0, 0, -9.81};

static sn_world *make_world(sn_policy policy, sn_vec3 gravity)
{
    sn_world_def def = sn_default_world_def();
    def.policy = policy;
    def.gravity = gravity;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

// A 1 kg ball of small inertia.
static sn_body add_bob(sn_world *world, const char *name, sn_vec3 position, double inertia)
{
    sn_body_def def = sn_default_body_def();
    def.name = name;
    def.frame.position = position;
    def.mass.mass = 1.0;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(inertia, inertia, inertia));
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static sn_joint add_joint(sn_world *world, const char *name, sn_joint_type type, sn_body parent,
                          sn_body child, sn_vec3 at, sn_vec3 axis)
{
    sn_joint_def def = joint_at(world, name, type, parent, child, at, axis);
    return add(world, &def);
}

// Point masses on massless rods from horizontal: values of the IFToMM benchmark A01 and of a double
// pendulum to 12 digits.
static void pendulums_follow_the_published_values(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.relative_tolerance = 1e-12;
    def.absolute_tolerance = 1e-13;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_body bob = add_bob(world, "bob", sn_vec3_make(-1, 0, 0), 1e-12);
    add_joint(world, "pivot", SN_JOINT_HINGE, (sn_body){0}, bob, SN_VEC3_ZERO,
              sn_vec3_make(0, 1, 0));
    const double when[3] = {1, 5, 10},
                 bob_x[3] = {0.9862917511318753, -0.9423054350437573, -0.2750874625761169};
    const double bob_z[3] = {-0.1650108531255412, -0.3347543384140006, -0.9614192050991251};
    for (int k = 0; k < 3; ++k) {
        advance(world, when[k] - sn_world_time(world), 1);
        sn_vec3 p = sn_body_transform(world, bob).position;
        assert_true(fabs(p.x - bob_x[k]) < 1e-9 && fabs(p.z - bob_z[k]) < 1e-9);
    }
    sn_world_destroy(world);
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_body first = add_bob(world, "first", sn_vec3_make(1, 0, 0), 1e-12),
            second = add_bob(world, "second", sn_vec3_make(2, 0, 0), 1e-12);
    add_joint(world, "upper", SN_JOINT_HINGE, (sn_body){0}, first, SN_VEC3_ZERO,
              sn_vec3_make(0, 1, 0));
    add_joint(world, "lower", SN_JOINT_HINGE, first, second, sn_vec3_make(1, 0, 0),
              sn_vec3_make(0, 1, 0));
    const double times[4] = {0.5, 1, 2, 3},
                 x[4] = {1.473465670052, -1.444818849943, -1.434124817464, 1.876250850682};
    const double z[4] = {-1.200389435184, -1.321794461381, -1.129870195647, -0.224038497913};
    for (int k = 0; k < 4; ++k) {
        advance(world, times[k] - sn_world_time(world), 1);
        sn_vec3 p = sn_body_transform(world, second).position;
        assert_true(fabs(p.x - x[k]) < 1e-9 && fabs(p.z - z[k]) < 1e-9);
    }
    sn_world_destroy(world);
}

// One body on a joint of each type, moved as the joint allows: coordinates, rates and bodies agree,
// before and after assembly.
static void joints_read_what_bodies_do(void **state)
{
    (void)state;
    sn_random random = {.seed = 41};
    for (int type = SN_JOINT_HINGE; type < SN_JOINT_DISTANCE; ++type) {
        for (int trial = 0; trial < 20; ++trial) {
            sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
            sn_joint_def joint_def = sn_default_joint_def();
            joint_def.type = (sn_joint_type)type;
            joint_def.pitch = 0.07;
            sn_vec3 r[6];
            for (int i = 0; i < 6; ++i) {
                r[i] =
                    sn_vec3_make(sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                                 sn_random_range(&random, -1, 1));
            }
            joint_def.parent_frame = (sn_transform){r[0], sn_quat_exp(r[1])};
            joint_def.child_frame = (sn_transform){r[2], sn_quat_exp(r[3])};
            // the child's joint frame in the parent's, from coordinates chosen here
            double a = r[4].x, b = r[4].y, c = r[4].z;
            sn_vec3 x = {1, 0, 0}, z = {0, 0, 1};
            sn_transform t = SN_TRANSFORM_IDENTITY;
            double wanted[6] = {a, b, c, 0, 0, 0};
            switch (type) {
            case SN_JOINT_HINGE:
                t.rotation = sn_quat_from_axis_angle(z, a);
                break;
            case SN_JOINT_SLIDER:
                t.position.z = a;
                break;
            case SN_JOINT_SCREW: // more than a turn
                wanted[0] = 9.0 * a;
                t = (sn_transform){{0, 0, 0.07 * 9.0 * a}, sn_quat_from_axis_angle(z, 9.0 * a)};
                break;
            case SN_JOINT_CYLINDRICAL:
                t = (sn_transform){{0, 0, a}, sn_quat_from_axis_angle(z, b)};
                break;
            case SN_JOINT_UNIVERSAL:
                t.rotation =
                    sn_quat_multiply(sn_quat_from_axis_angle(z, a), sn_quat_from_axis_angle(x, b));
                break;
            case SN_JOINT_BALL:
                t.rotation = sn_quat_exp(r[4]);
                break;
            case SN_JOINT_PLANAR:
                t = (sn_transform){{a, b, 0}, sn_quat_from_axis_angle(z, c)};
                break;
            default:
                t = (sn_transform){r[4], sn_quat_exp(r[5])};
                wanted[3] = r[5].x;
                wanted[4] = r[5].y;
                wanted[5] = r[5].z;
                break;
            }
            sn_transform place =
                sn_transform_multiply(sn_transform_multiply(joint_def.parent_frame, t),
                                      sn_transform_inverse(joint_def.child_frame));
            sn_body body = add_bob(world, "body", place.position, 0.2);
            assert_int_equal(sn_body_set_transform(world, body, place, NULL), SN_OK);
            assert_int_equal(sn_body_set_velocity(world, body, r[5], r[2], NULL), SN_OK);
            joint_def.child = body;
            sn_joint joint;
            assert_int_equal(sn_world_add_joint(world, &joint_def, &joint, NULL), SN_OK);
            sn_error error = {0};
            if (sn_world_assemble(world, &error) != SN_OK) {
                fail_msg("%s: %s", sn_joint_type_word((sn_joint_type)type),
                         sn_error_message(&error));
            }
            sn_transform now = sn_body_transform(world, body);
            assert_true(sn_distance(now.position, place.position) < 1e-12);
            assert_true(sn_distance(sn_rotate(now.rotation, r[0]),
                                    sn_rotate(place.rotation, r[0])) < 1e-12);
            int freedoms = sn_joint_type_freedoms((sn_joint_type)type);
            double before[6], rate[6];
            for (int i = 0; i < freedoms; ++i) {
                before[i] = sn_joint_position(world, joint, i);
                assert_true(fabs(before[i] - wanted[i]) < 1e-12);
            }
            assert_true(isnan(sn_joint_position(world, joint, freedoms)));
            // rates are derivatives: one short step there and one back
            const double h = 1e-5;
            advance(world, h, 1);
            for (int i = 0; i < freedoms; ++i) {
                rate[i] = sn_joint_velocity(world, joint, i);
                bool along_axes = type != SN_JOINT_BALL && !(type == SN_JOINT_FREE && i >= 3);
                if (along_axes) {
                    assert_true(fabs((sn_joint_position(world, joint, i) - before[i]) / h -
                                     rate[i]) < 1e-4);
                }
            }
            // the body moves as the agent says
            sn_vec3 moved = sn_body_centre(world, body);
            advance(world, h, 1);
            sn_vec3 speed = sn_vec3_scale(1 / h, sn_vec3_sub(sn_body_centre(world, body), moved));
            assert_true(sn_distance(speed, sn_body_velocity(world, body)) < 1e-4);
            sn_world_destroy(world);
        }
    }
}

// A free chain and a hanging one, with springs to a lone body, fields and welds: energy, momentum,
// threads, copies, states.
static sn_world *make_machine(int threads)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&world_def, &world, NULL), SN_OK);
    sn_body last = {0};
    for (int i = 0; i < 6; ++i) {
        char name[16];
        snprintf(name, sizeof name, "link %d", i);
        sn_body link = add_bob(world, name, sn_vec3_make(0.3 * (i + 1), 0, 2), 0.01);
        add_joint(world, NULL,
                  i % 3 == 0 ? SN_JOINT_BALL : (i % 3 == 1 ? SN_JOINT_UNIVERSAL : SN_JOINT_HINGE),
                  last, link, sn_vec3_make(0.3 * (i + 0.5), 0, 2), sn_vec3_make(0, 1, 0));
        last = link;
    }
    sn_body weight = add_bob(world, "weight", sn_vec3_make(2.0, 0, 2), 0.01);
    add_joint(world, "weld", SN_JOINT_FIXED, last, weight, sn_vec3_make(1.9, 0, 2),
              sn_vec3_make(0, 0, 1));
    sn_body hub = add_bob(world, "hub", sn_vec3_make(0, 3, 0), 0.05),
            arm = add_bob(world, "arm", sn_vec3_make(0.4, 3, 0), 0.02);
    add_joint(world, "slide", SN_JOINT_CYLINDRICAL, hub, arm, sn_vec3_make(0.2, 3, 0),
              sn_vec3_make(1, 0, 0));
    sn_body lone = add_bob(world, "lone", sn_vec3_make(2.0, 1, 2), 0.01);
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = weight;
    spring.body_b = lone;
    spring.stiffness = 20;
    sn_field field;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    return world;
}

static void mechanisms_keep_energy_and_bits(void **state)
{
    (void)state;
    sn_world *world = make_machine(1), *copy = NULL, *twin = make_machine(3);
    assert_int_equal(sn_world_assemble(world, NULL), SN_OK);
    double before = sn_world_energy(world).total;
    advance(world, 1e-3, 500);
    advance(twin, 1e-3, 500);
    assert_true(sn_world_hash(world) == sn_world_hash(twin));
    assert_true(fabs(sn_world_energy(world).total - before) < 1e-3 * 100);
    // energies of bodies add up to the world's, less the spring's
    sn_energy sum = {0};
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_energy one = sn_body_energy(world, sn_world_body(world, i));
        sum.kinetic += one.kinetic;
        sum.potential += one.potential;
    }
    assert_true(fabs(sum.kinetic - sn_world_energy(world).kinetic) < 1e-10);
    size_t size = sn_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    advance(world, 1e-3, 100);
    advance(copy, 1e-3, 100);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    assert_int_equal(sn_world_load_state(twin, bytes, size, NULL), SN_OK);
    advance(twin, 1e-3, 100);
    assert_true(sn_world_hash(world) == sn_world_hash(twin));
    free(bytes);
    sn_world_destroy(copy);
    sn_world_destroy(twin);
    sn_world_destroy(world);
}

// The machine in lockstep tends to what the precise policy says.
static void lockstep_tends_to_precise(void **state)
{
    (void)state;
    sn_vec3 end[3];
    for (int k = 0; k < 3; ++k) {
        sn_world_def def = sn_default_world_def();
        def.policy = k == 0 ? SN_POLICY_PRECISE : SN_POLICY_LOCKSTEP;
        sn_world *world = NULL;
        assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
        sn_body a = add_bob(world, "a", sn_vec3_make(0.5, 0, 0), 0.02),
                b = add_bob(world, "b", sn_vec3_make(1.0, 0, 0.2), 0.02);
        add_joint(world, "shoulder", SN_JOINT_BALL, (sn_body){0}, a, SN_VEC3_ZERO,
                  sn_vec3_make(0, 0, 1));
        add_joint(world, "elbow", SN_JOINT_UNIVERSAL, a, b, sn_vec3_make(0.7, 0, 0.1),
                  sn_vec3_make(0, 1, 0));
        sn_drag_def drag = sn_default_drag_def();
        drag.linear = 0.2;
        drag.medium_velocity = sn_vec3_make(0, 2, 0);
        sn_field field;
        assert_int_equal(sn_world_add_drag(world, &drag, &field, NULL), SN_OK);
        advance(world, k == 2 ? 5e-4 : 1e-3, k == 2 ? 2000 : 1000);
        end[k] = sn_body_centre(world, b);
        sn_world_destroy(world);
    }
    double error[2] = {sn_distance(end[1], end[0]), sn_distance(end[2], end[0])};
    print_message("lockstep off by %.2g m at 1 ms, %.2g m at 0.5 ms\n", error[0], error[1]);
    assert_true(error[0] < 2e-3 &&
                error[1] < 0.6 * error[0]); // drag on links is taken at first order
}

static void changes_take_mechanisms_apart_and_together(void **state)
{
    (void)state;
    sn_world *world = make_machine(1);
    advance(world, 1e-3, 200);
    int count = sn_world_body_count(world), joints = sn_world_joint_count(world);
    sn_body middle = sn_world_find_body(world, "link 3"), tip = sn_world_find_body(world, "weight");
    sn_vec3 where = sn_body_centre(world, tip), speed = sn_body_velocity(world, tip),
            turning = sn_body_angular_velocity(world, tip);
    assert_int_equal(sn_world_remove_body(world, middle, NULL), SN_OK); // the chain is cut in two
    assert_int_equal(sn_world_body_count(world), count - 1);
    assert_int_equal(sn_world_joint_count(world), joints - 2);
    assert_true(sn_distance(sn_body_centre(world, tip), where) < 1e-12);
    assert_true(sn_distance(sn_body_velocity(world, tip), speed) < 1e-12);
    assert_true(sn_distance(sn_body_angular_velocity(world, tip), turning) < 1e-12);
    advance(world, 1e-3, 200);
    // the loose half falls freely now, but for its spring
    assert_true(sn_body_centre(world, tip).z < where.z);
    sn_error error = {0};
    assert_int_equal(sn_body_set_velocity(world, tip, SN_VEC3_ZERO, SN_VEC3_ZERO, &error),
                     SN_ERROR_UNSUPPORTED);
    sn_world_destroy(world);
}

static void what_cannot_be_built_is_refused_by_name(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down);
    sn_body a = add_bob(world, "a", sn_vec3_make(1, 0, 0), 0.1);
    sn_joint joint;
    sn_joint_def def = sn_default_joint_def();
    def.name = "bad";
    def.child = (sn_body){99, 1};
    assert_int_equal(sn_world_add_joint(world, &def, &joint, &error), SN_ERROR_HANDLE);
    def.child = a;
    def.parent = a;
    assert_int_equal(sn_world_add_joint(world, &def, &joint, &error), SN_ERROR_ARGUMENT);
    def.parent = (sn_body){0};
    def.type = (sn_joint_type)77;
    assert_int_equal(sn_world_add_joint(world, &def, &joint, &error), SN_ERROR_ARGUMENT);
    def.type = SN_JOINT_HINGE;
    def.freedom[0].stiffness = -1;
    assert_int_equal(sn_world_add_joint(world, &def, &joint, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "bad");
    def.freedom[0].stiffness = 0;
    // bodies that do not stand as the joint allows: the gap is told
    assert_int_equal(sn_world_add_joint(world, &def, &joint, &error), SN_OK);
    uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_world_step(world, 1e-3, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "1 m"));
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

static void welds_to_the_ground_stand_still(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down);
    sn_body post = add_bob(world, "post", sn_vec3_make(0, 0, 1), 0.1),
            bob = add_bob(world, "bob", sn_vec3_make(0.5, 0, 1), 0.01);
    add_joint(world, "foot", SN_JOINT_FIXED, (sn_body){0}, post, SN_VEC3_ZERO,
              sn_vec3_make(0, 0, 1));
    sn_joint swing = add_joint(world, "swing", SN_JOINT_HINGE, post, bob, sn_vec3_make(0, 0, 1),
                               sn_vec3_make(0, 1, 0));
    advance(world, 1e-3, 300);
    assert_true(sn_body_centre(world, post).z == 1.0 &&
                sn_length(sn_body_velocity(world, post)) == 0.0);
    assert_true(sn_joint_position(world, swing, 0) > 0.1);
    assert_true(fabs(sn_distance(sn_body_centre(world, bob), sn_body_centre(world, post)) - 0.5) <
                1e-12);
    sn_world_destroy(world);
}

// A step in which joints turn too far to be followed goes in parts, damped if need be, and shorter
// ones go on.
static void steps_too_long_for_the_joints_are_divided(void **state)
{
    (void)state;
    sn_world *world = make_machine(1);
    advance(world, 1e-3, 300);
    sn_error error = {0};
    assert_int_equal(sn_world_step(world, 2.0, &error), SN_OK);
    assert_true(isfinite(sn_world_energy(world).total));
    advance(world, 1e-3, 10);
    sn_world_destroy(world);
}

static void lack_of_memory_is_harmless(void **state)
{
    (void)state;
    for (int n = 0; n < 200; n += 3) {
        sn_world *world = make_machine(1), *copy = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_world_assemble(world, &error);
        status = status == SN_OK ? sn_world_copy(world, &copy, &error) : status;
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        advance(world, 1e-3, 3);
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums_follow_the_published_values),
        cmocka_unit_test(joints_read_what_bodies_do),
        cmocka_unit_test(mechanisms_keep_energy_and_bits),
        cmocka_unit_test(lockstep_tends_to_precise),
        cmocka_unit_test(changes_take_mechanisms_apart_and_together),
        cmocka_unit_test(what_cannot_be_built_is_refused_by_name),
        cmocka_unit_test(welds_to_the_ground_stand_still),
        cmocka_unit_test(steps_too_long_for_the_joints_are_divided),
        cmocka_unit_test(lack_of_memory_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
