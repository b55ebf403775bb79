// Questions to whole worlds against brute force: every body stands also in a world of its own,
// where there is nothing to look up, and the answers of all of these together must be that of the
// world.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "random_shape.h"

enum { BODIES = 24, QUESTIONS = 40, ROUNDS = 4 };

typedef struct crowd {
    sn_random random;
    sn_world *all, *alone[BODIES];
    sn_body in_all[BODIES], in_own[BODIES];
} crowd;

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_error error = {0};
    def.gravity = SN_VEC3_ZERO;
    random_ok(sn_world_create(&def, &world, &error), &error);
    return world;
}

static void add_one(crowd *c, int i)
{
    sn_random *random = &c->random;
    random_kind kind =
        (random_kind)(i % RANDOM_PLANE); // each kind but planes, which fill the world
    sn_vec3 size = {sn_random_range(random, 0.1, 1.5), sn_random_range(random, 0.1, 1.5),
                    sn_random_range(random, 0.1, 1.5)};
    sn_shape shape = random_shape(random, kind, size);
    sn_body_def def = sn_default_body_def();
    sn_error error = {0};
    shape.surface.group = 1u << (i % 3);
    shape.surface.sensor = i % 7 == 6;
    def.shapes = &shape;
    def.shape_count = 1;
    def.type = kind >= RANDOM_MOVING_KINDS || i % 4 == 0 ? SN_BODY_STATIC : SN_BODY_RIGID;
    def.frame = (sn_transform){random_vec3(random, 2.0), random_turn(random)};
    def.velocity = def.type == SN_BODY_RIGID ? random_vec3(random, 1.0) : SN_VEC3_ZERO;
    random_ok(sn_world_add_body(c->all, &def, &c->in_all[i], &error), &error);
    random_ok(sn_world_add_body(c->alone[i], &def, &c->in_own[i], &error), &error);
    sn_shape_release(&shape);
}

static void make_crowd(crowd *c, int round)
{
    *c = (crowd){.random = {.seed = 77, .stream = (uint64_t)round}, .all = make_world()};
    for (int i = 0; i < BODIES; ++i) {
        c->alone[i] = make_world();
        add_one(c, i);
    }
}

// Where the step has put them, which pushed bodies of the crowd apart.
static void follow(crowd *c)
{
    sn_error error = {0};
    random_ok(sn_world_step(c->all, 0.01, &error), &error);
    for (int i = 0; i < BODIES; ++i) {
        sn_transform frame = sn_body_transform(c->all, c->in_all[i]);
        random_ok(sn_body_set_transform(c->alone[i], c->in_own[i], frame, &error), &error);
    }
}

static void free_crowd(crowd *c)
{
    for (int i = 0; i < BODIES; ++i) {
        sn_world_destroy(c->alone[i]);
    }
    sn_world_destroy(c->all);
}

static sn_query_filter random_filter(sn_random *random)
{
    return (sn_query_filter){.meets = (uint32_t)sn_random_below(random, 8),
                             .sensors = sn_random_below(random, 2) == 0};
}

// The body is one of those hit soonest, at the same fraction.
static void check_first(const crowd *c, bool any, const sn_hit *hit, const bool *met,
                        const double *fraction)
{
    double first = INFINITY;
    for (int i = 0; i < BODIES; ++i) {
        first = met[i] ? fmin(first, fraction[i]) : first;
    }
    assert_int_equal(any, isfinite(first));
    for (int i = 0; i < BODIES && any; ++i) {
        if (c->in_all[i].index == hit->body.index) {
            assert_true(met[i]);
            assert_true(fabs(fraction[i] - first) <= 1e-9);
        }
    }
    assert_true(!any || fabs(hit->fraction - first) <= 1e-9);
}

static void ask_rays(crowd *c)
{
    for (int k = 0; k < QUESTIONS; ++k) {
        sn_vec3 from = random_vec3(&c->random, 4.0), to = random_vec3(&c->random, 4.0);
        sn_query_filter filter = random_filter(&c->random);
        bool met[BODIES];
        double fraction[BODIES];
        sn_hit hit = {{0}};
        for (int i = 0; i < BODIES; ++i) {
            met[i] = sn_world_cast_ray(c->alone[i], from, to, &filter, &hit);
            fraction[i] = hit.fraction;
        }
        bool any = sn_world_cast_ray(c->all, from, to, &filter, &hit);
        check_first(c, any, &hit, met, fraction);
    }
}

static sn_shape random_probe(sn_random *random)
{
    random_kind kind = (random_kind)sn_random_below(random, RANDOM_CONVEX_KINDS);
    return random_shape(random, kind, sn_vec3_make(0.3, 0.4, 0.5));
}

static void ask_casts(crowd *c)
{
    sn_error error = {0};
    for (int k = 0; k < QUESTIONS; ++k) {
        sn_shape probe = random_probe(&c->random);
        sn_transform from = {random_vec3(&c->random, 4.0), random_turn(&c->random)};
        sn_vec3 travel = random_vec3(&c->random, 4.0);
        sn_query_filter filter = random_filter(&c->random);
        bool met[BODIES];
        double fraction[BODIES];
        sn_hit hit = {{0}};
        for (int i = 0; i < BODIES; ++i) {
            random_ok(sn_world_cast_shape(c->alone[i], &probe, from, travel, &filter, &hit, &error),
                      &error);
            met[i] = hit.body.index != 0;
            fraction[i] = hit.fraction;
        }
        random_ok(sn_world_cast_shape(c->all, &probe, from, travel, &filter, &hit, &error), &error);
        check_first(c, hit.body.index != 0, &hit, met, fraction);
        sn_shape_release(&probe);
    }
}

static void ask_overlaps(crowd *c)
{
    sn_error error = {0};
    int found = 0;
    for (int k = 0; k < QUESTIONS; ++k) {
        sn_shape probe = random_probe(&c->random);
        sn_transform place = {random_vec3(&c->random, 2.0), random_turn(&c->random)};
        sn_query_filter filter = random_filter(&c->random);
        sn_hit hits[BODIES];
        int count = 0, expected = 0;
        random_ok(sn_world_overlap(c->all, &probe, place, &filter, hits, BODIES, &count, &error),
                  &error);
        for (int i = 0; i < BODIES; ++i) {
            sn_hit own;
            int there = 0, listed = 0;
            random_ok(
                sn_world_overlap(c->alone[i], &probe, place, &filter, &own, 1, &there, &error),
                &error);
            for (int n = 0; n < count; ++n) {
                listed += hits[n].body.index == c->in_all[i].index;
            }
            assert_int_equal(there, listed);
            expected += there;
        }
        assert_int_equal(count, expected);
        found += count;
        sn_shape_release(&probe);
    }
    assert_true(found > QUESTIONS / 8); // the questions are worth asking
}

// Both bodies in a world of their own: the same distance, and points that far apart.
static void ask_nearest(crowd *c)
{
    for (int k = 0; k < QUESTIONS; ++k) {
        int i = sn_random_below(&c->random, BODIES), j = sn_random_below(&c->random, BODIES);
        sn_vec3 on_a, on_b, back_a, back_b;
        double gap = sn_world_closest(c->all, c->in_all[i], c->in_all[j], &on_a, &on_b);
        double back = sn_world_closest(c->all, c->in_all[j], c->in_all[i], &back_a, &back_b);
        if (i == j || !isfinite(gap)) {
            continue;
        }
        if (gap > 0.0) {
            assert_true(fabs(gap - back) <= 1e-8);
            assert_true(fabs(sn_distance(on_a, on_b) - gap) <= 1e-8);
        }
    }
}

static void worlds_answer_as_all_bodies_do(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; ++round) {
        crowd c;
        make_crowd(&c, round);
        for (int step = 0; step < 2; ++step) {
            ask_rays(&c);
            ask_casts(&c);
            ask_overlaps(&c);
            ask_nearest(&c);
            follow(&c);
        }
        free_crowd(&c);
    }
}

// What is not a place is refused, and a handle whose body is gone leaves nobody out, even where
// another has its number.
static void bad_questions_are_refused(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_shape ball = sn_default_shape();
    sn_body_def def = sn_default_body_def();
    sn_body gone, body;
    sn_error error = {0};
    def.shapes = &ball;
    def.shape_count = 1;
    random_ok(sn_world_add_body(world, &def, &gone, &error), &error);
    random_ok(sn_world_remove_body(world, gone, &error), &error);
    def.type = SN_BODY_STATIC;
    random_ok(sn_world_add_body(world, &def, &body, &error), &error);
    assert_int_equal(gone.index, body.index);
    sn_query_filter filter = {.without = gone};
    sn_vec3 from = {0.0, 0.0, 3.0}, down = {0.0, 0.0, -6.0};
    sn_transform place = {from, SN_QUAT_IDENTITY};
    sn_hit hit;
    int count = 0;
    assert_true(sn_world_cast_ray(world, from, sn_vec3_negate(from), &filter, &hit));
    random_ok(sn_world_cast_shape(world, &ball, place, down, &filter, &hit, &error), &error);
    assert_true(fabs(hit.fraction - 1.0 / 6.0) < 1e-8);
    assert_int_equal(
        sn_world_cast_shape(world, &ball, place, sn_vec3_make(0.0, NAN, 0.0), NULL, &hit, &error),
        SN_ERROR_ARGUMENT);
    place.position.x = INFINITY;
    assert_int_equal(sn_world_overlap(world, &ball, place, NULL, &hit, 1, &count, &error),
                     SN_ERROR_ARGUMENT);
    place = (sn_transform){from, {0.0, 0.0, 0.0, 0.0}};
    assert_int_equal(sn_world_cast_shape(world, &ball, place, down, NULL, &hit, &error),
                     SN_ERROR_ARGUMENT);
    assert_int_equal(hit.body.index, 0);

    // Nor does a force come by it: a ball that lies where the lost one was.
    sn_world_set_gravity(world, sn_vec3_make(0.0, 0.0, -9.81));
    def.type = SN_BODY_RIGID;
    def.frame.position.z = 2.0;
    sn_body rests;
    random_ok(sn_world_add_body(world, &def, &rests, &error), &error);
    random_ok(sn_world_step(world, 0.01, &error), &error);
    assert_true(sn_body_contact_force(world, body, &count).z < -1.0 && count == 1);
    assert_true(sn_body_contact_force(world, gone, &count).z == 0.0 && count == 0);
    sn_world_destroy(world);
}

// A way without length hits what its point is in, at once, and nothing else; and no body has a
// distance to itself.
static void points_are_in_bodies_or_not(void **state)
{
    (void)state;
    static const sn_shape_type types[] = {SN_SHAPE_SPHERE, SN_SHAPE_BOX,   SN_SHAPE_CYLINDER,
                                          SN_SHAPE_CONE,   SN_SHAPE_TORUS, SN_SHAPE_CAPSULE,
                                          SN_SHAPE_BOX,    SN_SHAPE_PLANE};
    for (int i = 0; i < 8; ++i) {
        sn_world *world = make_world();
        sn_shape shape = sn_default_shape();
        sn_body_def def = sn_default_body_def();
        sn_body body;
        sn_error error = {0};
        sn_hit hit;
        shape.type = types[i];
        shape.radius = 0.5;
        shape.height = 1.0;
        shape.tube_radius = 0.1;
        shape.size = sn_vec3_make(1.0, 1.0, 1.0);
        shape.rounding = i == 6 ? 0.2 : 0.0;
        def.shapes = &shape;
        def.shape_count = 1;
        def.type = types[i] == SN_SHAPE_PLANE ? SN_BODY_STATIC : SN_BODY_RIGID;
        def.frame.position.z = 1.0;
        random_ok(sn_world_add_body(world, &def, &body, &error), &error);
        sn_vec3 in = {types[i] == SN_SHAPE_TORUS ? 0.5 : 0.1, 0.0, 0.95};
        sn_vec3 out = {types[i] == SN_SHAPE_TORUS ? 0.0 : 0.1, 0.0,
                       types[i] == SN_SHAPE_TORUS ? 1.0 : 2.2};
        assert_true(sn_world_cast_ray(world, in, in, NULL, &hit));
        assert_true(hit.body.index == body.index && hit.fraction == 0.0);
        assert_memory_equal(&hit.position, &in, sizeof in);
        assert_true(sn_length(hit.normal) == 0.0);
        assert_false(sn_world_cast_ray(world, out, out, NULL, &hit));
        assert_int_equal(hit.body.index, 0);
        sn_vec3 on_a, on_b;
        assert_true(isnan(sn_world_closest(world, body, body, &on_a, &on_b)));
        sn_world_destroy(world);
    }
}

static double depth_below(const sn_world *world, double x)
{
    sn_hit hit;
    sn_vec3 from = {x, 0.0, 100.0}, to = {x, 0.0, 0.0};
    return sn_world_cast_ray(world, from, to, NULL, &hit) ? 100.0 * hit.fraction : NAN;
}

// Places are looked up once for all questions between two changes, and every change is seen.
static void every_change_is_seen_by_the_next_question(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_shape shape = sn_default_shape();
    sn_body_def def = sn_default_body_def();
    sn_error error = {0};
    sn_body body, other;
    shape.type = SN_SHAPE_SPHERE;
    shape.radius = 1.0;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position = sn_vec3_make(0, 0, 10);
    random_ok(sn_world_add_body(world, &def, &body, &error), &error);
    assert_true(fabs(depth_below(world, 0.0) - 89.0) < 1e-9);
    assert_true(fabs(depth_below(world, 0.0) - 89.0) < 1e-9);
    def.type = SN_BODY_STATIC;
    def.frame.position = sn_vec3_make(10, 0, 10);
    random_ok(sn_world_add_body(world, &def, &other, &error), &error);
    assert_true(fabs(depth_below(world, 10.0) - 89.0) < 1e-9);
    sn_transform frame = sn_body_transform(world, body);
    frame.position.z = 20.0;
    random_ok(sn_body_set_transform(world, body, frame, &error), &error);
    assert_true(fabs(depth_below(world, 0.0) - 79.0) < 1e-9);
    random_ok(sn_body_set_transform(world, other, frame, &error), &error);
    assert_true(isnan(depth_below(world, 10.0)));
    random_ok(sn_world_remove_body(world, other, &error), &error);
    random_ok(sn_body_set_velocity(world, body, sn_vec3_make(0, 0, 5), SN_VEC3_ZERO, &error),
              &error);
    assert_true(fabs(depth_below(world, 0.0) - 79.0) < 1e-9);
    random_ok(sn_world_step(world, 0.1, &error), &error);
    assert_true(fabs(depth_below(world, 0.0) - 78.5) < 1e-9);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_answer_as_all_bodies_do),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(points_are_in_bodies_or_not),
        cmocka_unit_test(every_change_is_seen_by_the_next_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
