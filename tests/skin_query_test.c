// Questions about space that elastic bodies answer: an elastic box at rest is where a rigid box of
// the same size would be, so both must give the same answers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"
#include "random_shape.h"

enum { ROUNDS = 40 };

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.gravity = SN_VEC3_ZERO;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_body add_elastic(sn_world *world, sn_vec3 size, sn_transform frame, bool sensor)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *mesh = NULL;
    box.size = size;
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    sn_elastic_material material = sn_default_elastic_material();
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame = frame;
    def.surface.sensor = sensor;
    def.surface.group = 2;
    sn_body body;
    sn_error error = {0};
    random_ok(sn_world_add_elastic(world, &def, &body, &error), &error);
    sn_tetrahedra_release(mesh);
    return body;
}

static sn_body add_rigid(sn_world *world, const sn_shape *shape, sn_transform frame)
{
    sn_body_def def = sn_default_body_def();
    def.type = SN_BODY_STATIC;
    def.shapes = shape;
    def.shape_count = 1;
    def.frame = frame;
    sn_body body;
    sn_error error = {0};
    random_ok(sn_world_add_body(world, &def, &body, &error), &error);
    return body;
}

static sn_shape box_shape(sn_vec3 size)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = size;
    return shape;
}

// The same box twice, each in a world of its own, and something else beside it in both.
typedef struct twins {
    sn_world *soft, *hard;
    sn_body elastic, rigid, soft_other, hard_other;
    sn_vec3 size;
    sn_transform frame;
} twins;

static twins make_twins(sn_random *random, const sn_shape *other, sn_transform place)
{
    twins t = {.soft = make_world(), .hard = make_world()};
    t.size = sn_vec3_make(sn_random_range(random, 0.2, 1.0), sn_random_range(random, 0.2, 1.0),
                          sn_random_range(random, 0.2, 1.0));
    t.frame = (sn_transform){random_vec3(random, 0.5), random_turn(random)};
    sn_shape box = box_shape(t.size);
    t.elastic = add_elastic(t.soft, t.size, t.frame, false);
    t.rigid = add_rigid(t.hard, &box, t.frame);
    if (other != NULL) {
        t.soft_other = add_rigid(t.soft, other, place);
        t.hard_other = add_rigid(t.hard, other, place);
    }
    return t;
}

static void free_twins(twins *t)
{
    sn_world_destroy(t->soft);
    sn_world_destroy(t->hard);
}

static void check_points(double distance, sn_vec3 a, sn_vec3 b, double size)
{
    assert_true(fabs(sn_distance(a, b) - fabs(distance)) < 1e-7 * size);
}

static void nearest_points_are_those_of_a_rigid_twin(void **state)
{
    (void)state;
    sn_random random = {.seed = 41};
    int apart = 0, over = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        random_kind kind = (random_kind)(round % RANDOM_KINDS);
        sn_vec3 size = {sn_random_range(&random, 0.1, 1.0), sn_random_range(&random, 0.1, 1.0),
                        sn_random_range(&random, 0.1, 1.0)};
        sn_shape other = random_shape(&random, kind, size);
        sn_transform place = {random_vec3(&random, 0.8), random_turn(&random)};
        twins t = make_twins(&random, &other, place);
        sn_vec3 p, q, r, s;
        double soft = sn_world_closest(t.soft, t.elastic, t.soft_other, &p, &q);
        double back = sn_world_closest(t.soft, t.soft_other, t.elastic, &r, &s);
        double hard = sn_world_closest(t.hard, t.rigid, t.hard_other, &r, &s);
        assert_true(back == soft);
        assert_true((soft <= 0.0) == (hard <= 0.0));
        if (hard > 0.0) {
            apart += 1;
            assert_true(fabs(soft - hard) < 1e-7);
            check_points(soft, p, q, 1.0);
        } else {
            over += 1;
        }
        free_twins(&t);
        sn_shape_release(&other);
    }
    assert_true(apart > 8 && over > 8);
}

// A ball of radius r above the middle of a face: told to the last digits, and below it as well.
static void depth_is_that_of_the_deepest_face(void **state)
{
    (void)state;
    for (int i = -4; i <= 4; ++i) {
        double height = 0.02 * i;
        sn_world *world = make_world();
        sn_body soft =
            add_elastic(world, sn_vec3_make(1.0, 1.0, 1.0), SN_TRANSFORM_IDENTITY, false);
        sn_shape ball = sn_default_shape();
        ball.radius = 0.1;
        sn_transform at = SN_TRANSFORM_IDENTITY;
        at.position = sn_vec3_make(0.2, 0.1, 0.5 + 0.1 + height);
        sn_body other = add_rigid(world, &ball, at);
        sn_vec3 p, q;
        double gap = sn_world_closest(world, soft, other, &p, &q);
        assert_true(fabs(gap - height) < 1e-9);
        assert_true(fabs(p.z - 0.5) < 1e-9 && fabs(p.x - 0.2) < 1e-7 && fabs(p.y - 0.1) < 1e-7);
        assert_true(fabs(q.z - 0.5 - height) < 1e-9);
        sn_world_destroy(world);
    }
}

static void two_elastic_bodies_are_as_far_apart_as_their_twins(void **state)
{
    (void)state;
    sn_random random = {.seed = 43};
    int apart = 0, over = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        twins t = make_twins(&random, NULL, SN_TRANSFORM_IDENTITY);
        sn_vec3 size = sn_vec3_make(0.3, 0.5, 0.7), p, q, r, s;
        sn_transform place = {random_vec3(&random, 1.0), random_turn(&random)};
        sn_shape box = box_shape(size);
        sn_body other = add_elastic(t.soft, size, place, false);
        sn_body twin = add_rigid(t.hard, &box, place);
        double soft = sn_world_closest(t.soft, t.elastic, other, &p, &q);
        double hard = sn_world_closest(t.hard, t.rigid, twin, &r, &s);
        assert_true((soft <= 0.0) == (hard <= 0.0));
        if (hard > 0.0) {
            apart += 1;
            assert_true(fabs(soft - hard) < 1e-7);
            check_points(soft, p, q, 1.0);
        } else {
            over += 1;
        }
        assert_true(isnan(sn_world_closest(t.soft, other, other, &p, &q)));
        free_twins(&t);
    }
    assert_true(apart > 8 && over > 5);
}

static void shapes_overlap_what_they_overlap_of_the_twin(void **state)
{
    (void)state;
    sn_random random = {.seed = 47};
    int over = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        twins t = make_twins(&random, NULL, SN_TRANSFORM_IDENTITY);
        sn_vec3 size = {sn_random_range(&random, 0.02, 1.0), sn_random_range(&random, 0.02, 1.0),
                        sn_random_range(&random, 0.02, 1.0)};
        sn_shape shape = random_shape(&random, (random_kind)(round % RANDOM_CONVEX_KINDS), size);
        sn_transform place = {random_vec3(&random, 0.8), random_turn(&random)};
        sn_hit hits[2];
        int soft, hard;
        assert_int_equal(sn_world_overlap(t.soft, &shape, place, NULL, hits, 2, &soft, NULL),
                         SN_OK);
        if (soft > 0) {
            assert_true(hits[0].body.index == t.elastic.index && hits[0].shape == 0);
        }
        assert_int_equal(sn_world_overlap(t.hard, &shape, place, NULL, hits, 2, &hard, NULL),
                         SN_OK);
        assert_int_equal(soft, hard);
        over += soft;
        free_twins(&t);
        sn_shape_release(&shape);
    }
    assert_true(over > 8 && over < ROUNDS - 5);
}

static void moved_shapes_meet_what_they_meet_of_the_twin(void **state)
{
    (void)state;
    sn_random random = {.seed = 53};
    int met = 0;
    for (int round = 0; round < 3 * ROUNDS; ++round) {
        twins t = make_twins(&random, NULL, SN_TRANSFORM_IDENTITY);
        sn_vec3 size = {sn_random_range(&random, 0.02, 0.5), sn_random_range(&random, 0.02, 0.5),
                        sn_random_range(&random, 0.02, 0.5)};
        sn_shape shape = random_shape(&random, (random_kind)(round % RANDOM_CONVEX_KINDS), size);
        sn_transform from = {random_vec3(&random, 2.0), random_turn(&random)};
        sn_vec3 way = sn_vec3_add(sn_vec3_scale(-2.0, from.position), random_vec3(&random, 1.0));
        sn_hit soft, hard;
        assert_int_equal(sn_world_cast_shape(t.soft, &shape, from, way, NULL, &soft, NULL), SN_OK);
        assert_int_equal(sn_world_cast_shape(t.hard, &shape, from, way, NULL, &hard, NULL), SN_OK);
        assert_int_equal(soft.body.index != 0, hard.body.index != 0);
        if (hard.body.index != 0) {
            met += 1;
            assert_true(fabs(soft.fraction - hard.fraction) < 1e-6);
            assert_true(soft.body.index == t.elastic.index);
            assert_true(sn_dot(soft.normal, way) <= 0.0);
        }
        free_twins(&t);
        sn_shape_release(&shape);
    }
    assert_true(met > ROUNDS && met < 3 * ROUNDS - 5);
}

// What is wholly inside overlaps, and a cast from there is over before it begins.
static void what_is_inside_is_seen(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_body soft = add_elastic(world, sn_vec3_make(1.0, 1.0, 1.0), SN_TRANSFORM_IDENTITY, false);
    sn_shape ball = sn_default_shape();
    ball.radius = 0.05;
    sn_transform at = SN_TRANSFORM_IDENTITY;
    at.position = sn_vec3_make(0.1, 0.0, 0.3);
    sn_hit hit;
    int count;
    assert_int_equal(sn_world_overlap(world, &ball, at, NULL, &hit, 1, &count, NULL), SN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(
        sn_world_cast_shape(world, &ball, at, sn_vec3_make(2.0, 0.0, 0.0), NULL, &hit, NULL),
        SN_OK);
    assert_true(hit.body.index == soft.index && hit.fraction == 0.0 && hit.normal.x == -1.0);
    sn_body other = add_rigid(world, &ball, at);
    sn_vec3 p, q;
    assert_true(sn_world_closest(world, soft, other, &p, &q) < -0.1);
    sn_world_destroy(world);
}

static void filters_leave_out_elastic_bodies(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_body soft = add_elastic(world, sn_vec3_make(1.0, 1.0, 1.0), SN_TRANSFORM_IDENTITY, true);
    sn_shape ball = sn_default_shape();
    sn_vec3 above = {0.1, 0.2, 2.0}, below = {0.1, 0.2, -2.0};
    const struct {
        sn_query_filter filter;
        bool seen;
    } cases[] = {{{.sensors = true}, true},
                 {{.sensors = false}, false},
                 {{.sensors = true, .meets = 2}, true},
                 {{.sensors = true, .meets = 1}, false},
                 {{.sensors = true, .without = soft}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_hit hit;
        int count;
        assert_int_equal(sn_world_overlap(world, &ball, SN_TRANSFORM_IDENTITY, &cases[i].filter,
                                          &hit, 1, &count, NULL),
                         SN_OK);
        assert_int_equal(count, cases[i].seen);
        sn_transform from = {above, SN_QUAT_IDENTITY};
        assert_int_equal(sn_world_cast_shape(world, &ball, from, sn_vec3_sub(below, above),
                                             &cases[i].filter, &hit, NULL),
                         SN_OK);
        assert_int_equal(hit.body.index == soft.index, cases[i].seen);
        assert_int_equal(sn_world_cast_ray(world, above, below, &cases[i].filter, &hit),
                         cases[i].seen);
    }
    sn_world_destroy(world);
}

static void questions_that_lack_memory_say_so(void **state)
{
    (void)state;
    bool failed = false, passed = false;
    for (int n = 0; n < 100 && !passed; ++n) {
        sn_world *world = make_world();
        add_elastic(world, sn_vec3_make(1.0, 1.0, 1.0), SN_TRANSFORM_IDENTITY, false);
        sn_shape ball = sn_default_shape();
        sn_hit hit;
        int count;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status =
            sn_world_overlap(world, &ball, SN_TRANSFORM_IDENTITY, NULL, &hit, 1, &count, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        passed = status == SN_OK;
        failed = failed || !passed;
        assert_int_equal(
            sn_world_overlap(world, &ball, SN_TRANSFORM_IDENTITY, NULL, &hit, 1, &count, NULL),
            SN_OK);
        assert_int_equal(count, 1);
        sn_world_destroy(world);
    }
    assert_true(failed && passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_points_are_those_of_a_rigid_twin),
        cmocka_unit_test(depth_is_that_of_the_deepest_face),
        cmocka_unit_test(two_elastic_bodies_are_as_far_apart_as_their_twins),
        cmocka_unit_test(shapes_overlap_what_they_overlap_of_the_twin),
        cmocka_unit_test(moved_shapes_meet_what_they_meet_of_the_twin),
        cmocka_unit_test(what_is_inside_is_seen),
        cmocka_unit_test(filters_leave_out_elastic_bodies),
        cmocka_unit_test(questions_that_lack_memory_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
