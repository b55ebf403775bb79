// A torus is exact to what is convex as well: distances as found by looking everywhere along its
// ring, rest on boxes and below them, about posts and on pegs, falls where it must.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/core_point.h"
#include "collide/hull_shape.h"
#include "collide/query.h"
#include "collide/simplex_pair.h"
#include "random_vector.h"
#include "sanitized.h"
#include "sinew/contact.h"

static sn_shape torus_shape(double radius, double tube)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_TORUS;
    shape.radius = radius;
    shape.tube_radius = tube;
    return shape;
}

static sn_collider torus_collider(double radius, double tube)
{
    sn_shape shape = torus_shape(radius, tube);
    sn_collider made;
    assert_int_equal(sn_collider_make(&shape, &made, NULL), SN_OK);
    return made;
}

// ---- distances by other ways ----

// Of a rectangle about the origin, signed.
static double from_rectangle(double x, double y, double half_x, double half_y)
{
    double u = fabs(x) - half_x, v = fabs(y) - half_y;
    return hypot(fmax(u, 0.0), fmax(v, 0.0)) + fmin(fmax(u, v), 0.0);
}

static double from_stretch(double x, double y, double ax, double ay, double bx, double by)
{
    double dx = bx - ax, dy = by - ay;
    double t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
    t = fmin(1.0, fmax(0.0, t));
    return hypot(x - ax - t * dx, y - ay - t * dy);
}

static double from_hull(const sn_hull *hull, sn_vec3 p)
{
    double highest = -INFINITY, least = INFINITY;
    for (int i = 0; i < hull->face_count; ++i) {
        const sn_hull_face *face = &hull->faces[i];
        highest = fmax(highest, sn_dot(face->normal, p) - face->offset);
        for (int k = 2; k < face->count; ++k) {
            sn_vec3 points[4] = {p, hull->corners[hull->edges[face->first].corner],
                                 hull->corners[hull->edges[face->first + k - 1].corner],
                                 hull->corners[hull->edges[face->first + k].corner]};
            least = fmin(least, sn_pair_find_nearest(SN_VERTEX_FACE, points).square);
        }
    }
    return highest <= 0.0 ? highest : sqrt(least);
}

static double from_core(const sn_collider *c, sn_vec3 p)
{
    double across = hypot(p.x, p.y), h = c->half_height;
    sn_vec3 u = sn_vec3_make(fabs(p.x) - c->half.x, fabs(p.y) - c->half.y, fabs(p.z) - c->half.z);
    switch (c->type) {
    case SN_COLLIDER_BOX:
        return sn_length(sn_vec3_max(u, SN_VEC3_ZERO)) + fmin(fmax(u.x, fmax(u.y, u.z)), 0.0);
    case SN_COLLIDER_CYLINDER:
        return from_rectangle(across, p.z, c->radius, h);
    case SN_COLLIDER_CONE: {
        double base = from_stretch(across, p.z, 0.0, -h, c->radius, -h),
               side = from_stretch(across, p.z, c->radius, -h, 0.0, h);
        bool in = p.z > -h && across < c->radius * (h - p.z) / (2.0 * h);
        return in ? -fmin(base, side) : fmin(base, side);
    }
    default:
        return from_hull(c->hull, p);
    }
}

typedef struct stage {
    sn_collider torus, other;
    sn_transform at, place;
} stage;

static double ball_gap(const stage *s, double angle)
{
    sn_vec3 own = {s->torus.radius * cos(angle), s->torus.radius * sin(angle), 0.0};
    sn_vec3 p = sn_transform_point_inverse(s->place, sn_transform_point(s->at, own));
    return from_core(&s->other, p) - s->torus.tube - s->other.rounding;
}

// By looking everywhere, and closer and closer wherever it is nearer than on both sides.
static double brute_gap(const stage *s)
{
    enum { LOOKS = 4096 };
    double looks[LOOKS], best = INFINITY;
    for (int i = 0; i < LOOKS; ++i) {
        looks[i] = ball_gap(s, 2.0 * SN_PI * i / LOOKS);
        best = fmin(best, looks[i]);
    }
    double stride = 2.0 * SN_PI / LOOKS;
    for (int i = 0; i < LOOKS; ++i) {
        bool low = looks[i] <= looks[(i + 1) % LOOKS] && looks[i] <= looks[(i + LOOKS - 1) % LOOKS];
        // Between two looks it changes by no more than the way.
        if (!low || looks[i] - s->torus.radius * stride > best) {
            continue;
        }
        double where = i * stride, here = looks[i];
        for (double step = stride; step > 1e-13; step *= 0.5) {
            for (int side = -1; side <= 1; side += 2) {
                double there = ball_gap(s, where + side * step);
                where = there < here ? where + side * step : where;
                here = fmin(here, there);
            }
        }
        best = fmin(best, here);
    }
    return best;
}

static sn_hull *random_hull(sn_random *random, double scale)
{
    enum { MOST = 24 };
    sn_vec3 points[MOST];
    int count = 4 + (int)sn_random_range(random, 0.0, MOST - 4);
    for (int i = 0; i < count; ++i) {
        points[i] = random_vector(random, scale);
    }
    sn_hull *hull = NULL;
    assert_int_equal(sn_hull_from_points(points, count, &hull, NULL), SN_OK);
    return hull;
}

enum { BOX, ROUND_BOX, CYLINDER, CONE, HULL, ROUND_HULL, KINDS };

static sn_collider random_convex(sn_random *random, int kind, double scale)
{
    double a = scale * sn_random_range(random, 0.02, 1.0),
           b = scale * sn_random_range(random, 0.02, 1.0),
           c = scale * sn_random_range(random, 0.02, 1.0);
    switch (kind) {
    case BOX:
        return sn_collider_box(sn_vec3_make(a, b, c), 0.0);
    case ROUND_BOX:
        return sn_collider_box(sn_vec3_make(a, b, c), 0.3 * fmin(a, fmin(b, c)));
    case CYLINDER:
        return sn_collider_cylinder(a, b);
    case CONE:
        return sn_collider_cone(a, b);
    default:
        return sn_collider_hull(random_hull(random, fmax(a, b)), kind == HULL ? 0.0 : 0.1 * a);
    }
}

static stage random_stage(sn_random *random, int kind, double scale)
{
    double radius = scale * sn_random_range(random, 0.1, 1.5);
    stage s = {.torus = torus_collider(radius, radius * sn_random_range(random, 0.05, 0.9)),
               .other = random_convex(random, kind, scale),
               .at = {random_vector(random, scale), random_rotation(random)},
               .place = {random_vector(random, scale), random_rotation(random)}};
    return s;
}

static void clear_stage(stage *s)
{
    if (s->other.type == SN_COLLIDER_HULL) {
        sn_hull_release(s->other.hull);
    }
    sn_collider_free(&s->torus);
}

static void test_core_point(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    for (int i = 0; i < rounds_of(6000, 600); ++i) {
        double scale = i % 2 == 0 ? 1.0 : 1e-3;
        sn_collider core = random_convex(&random, i % KINDS, scale);
        sn_vec3 p = random_vector(&random, 1.2 * scale);
        sn_core_point found = sn_core_point_find(&core, p);
        assert_true(fabs(found.distance - from_core(&core, p)) < 1e-9 * scale);
        assert_true(fabs(sn_length(found.normal) - 1.0) < 1e-12);
        sn_vec3 on = sn_vec3_add_scaled(p, -found.distance, found.normal);
        assert_true(fabs(from_core(&core, on)) < 1e-9 * scale);
        if (core.type == SN_COLLIDER_HULL) {
            sn_hull_release(core.hull);
        }
    }
}

static void check_manifolds(const stage *s, double gap, double scale)
{
    sn_manifold manifolds[16];
    sn_collide_cache cache = {0};
    double margin = gap + 0.02 * scale, least = INFINITY, radius = s->torus.radius;
    int left_out = 0;
    int count = sn_collide(&s->other, &s->place, &s->torus, &s->at, margin, &cache, manifolds, 16,
                           &left_out);
    assert_true(count >= 1);
    for (int m = 0; m < count; ++m) {
        for (int k = 0; k < manifolds[m].count; ++k) {
            const sn_manifold_point *point = &manifolds[m].points[k];
            sn_vec3 apart = sn_vec3_sub(point->on_b, point->on_a);
            assert_true(fabs(sn_dot(manifolds[m].normal, apart) - point->gap) < 1e-9 * scale);
            // No farther than asked for, and of both surfaces or inside: never outside.
            assert_true(point->gap <= margin + 1e-9 * scale);
            sn_vec3 own = sn_transform_point_inverse(s->at, point->on_b);
            double off = hypot(hypot(own.x, own.y) - radius, own.z);
            assert_true(off <= s->torus.tube + 1e-9 * scale);
            sn_vec3 there = sn_transform_point_inverse(s->place, point->on_a);
            assert_true(from_core(&s->other, there) <= s->other.rounding + 1e-9 * scale);
            least = fmin(least, point->gap);
        }
    }
    assert_true(fabs(least - gap) < 1e-6 * scale);
    // Both orders are the same.
    sn_manifold swapped[16];
    int again =
        sn_collide(&s->torus, &s->at, &s->other, &s->place, margin, &cache, swapped, 16, NULL);
    assert_int_equal(again, count);
    for (int m = 0; m < count; ++m) {
        assert_true(sn_length(sn_vec3_add(swapped[m].normal, manifolds[m].normal)) == 0.0);
        assert_int_equal(swapped[m].count, manifolds[m].count);
    }
    assert_int_equal(sn_collide(&s->other, &s->place, &s->torus, &s->at, gap - 1e-5 * scale, &cache,
                                manifolds, 16, NULL),
                     0);
}

static void test_distance(void **state)
{
    (void)state;
    sn_random random = {.seed = 19};
    int exact = 0, stages = rounds_of(900, 45);
    for (int i = 0; i < stages; ++i) {
        double scale = i % 2 == 0 ? 1.0 : 1e-3;
        stage s = random_stage(&random, i % KINDS, scale);
        double gap = brute_gap(&s);
        sn_vec3 on_a, on_b;
        double told = sn_collide_distance(&s.torus, &s.at, &s.other, &s.place, NULL, &on_a, &on_b);
        // Where two minima are as low to 1e-7, either is good.
        assert_true(told > gap - 1e-9 * scale && told < gap + 2e-7 * scale);
        exact += fabs(told - gap) < 1e-9 * scale;
        assert_true(fabs(sn_distance(on_a, on_b) - fabs(told)) < 1e-9 * scale);
        double back = sn_collide_distance(&s.other, &s.place, &s.torus, &s.at, NULL, &on_b, &on_a);
        assert_true(back == told);
        check_manifolds(&s, gap, scale);
        clear_stage(&s);
    }
    assert_true(100 * exact > 99 * stages);
}

// A post of eight sides through the middle of a ring, and a ring about a cylinder, as far away all
// around: what is hardest for minima.
static void test_level_distance(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int i = 0; i < rounds_of(60, 12); ++i) {
        int sides = 3 + i % 30;
        sn_vec3 points[2 * 32];
        for (int k = 0; k < 2 * sides; ++k) {
            double angle = 2.0 * SN_PI * (k / 2) / sides;
            points[k] = sn_vec3_make(0.6 * cos(angle), 0.6 * sin(angle), k % 2 == 0 ? -1.0 : 1.0);
        }
        sn_hull *hull = NULL;
        assert_int_equal(sn_hull_from_points(points, 2 * sides, &hull, NULL), SN_OK);
        stage s = {.torus = torus_collider(1.0, 0.2),
                   .other =
                       i % 2 == 0 ? sn_collider_hull(hull, 0.0) : sn_collider_cylinder(0.6, 1.0),
                   .at = SN_TRANSFORM_IDENTITY,
                   .place = {random_vector(&random, i % 3 == 0 ? 0.0 : 0.1),
                             {1.0, 0.0, 0.0, sn_random_range(&random, -1.0, 1.0)}}};
        s.place.rotation = sn_quat_normalize(s.place.rotation);
        sn_vec3 on_a, on_b;
        double gap = brute_gap(&s);
        double told = sn_collide_distance(&s.torus, &s.at, &s.other, &s.place, NULL, &on_a, &on_b);
        assert_true(told > gap - 1e-9 && told < gap + 1e-5);
        sn_hull_release(hull);
        sn_collider_free(&s.torus);
    }
}

// ---- worlds ----

static sn_body add_shape(sn_world *world, sn_body_type type, sn_shape shape, sn_transform frame,
                         sn_vec3 velocity)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = type;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame = frame;
    def.velocity = velocity;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static sn_transform at_place(double x, double y, double z)
{
    sn_transform frame = SN_TRANSFORM_IDENTITY;
    frame.position = sn_vec3_make(x, y, z);
    return frame;
}

static sn_shape box_shape(double x, double y, double z)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = sn_vec3_make(x, y, z);
    return shape;
}

static sn_shape cylinder_shape(double radius, double height)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_CYLINDER;
    shape.radius = radius;
    shape.height = height;
    return shape;
}

static sn_world *empty_world(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

// A large static box whose top is at z = 0.
static sn_world *world_on_box(void)
{
    sn_world *world = empty_world();
    add_shape(world, SN_BODY_STATIC, box_shape(4.0, 4.0, 1.0), at_place(0.0, 0.0, -0.5),
              SN_VEC3_ZERO);
    return world;
}

static void run(sn_world *world, double seconds)
{
    int steps = (int)(240.0 * seconds + 0.5);
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
    }
}

static sn_vec3 place_of(const sn_world *world, sn_body body)
{
    return sn_body_transform(world, body).position;
}

static sn_vec3 axis_of(const sn_world *world, sn_body body)
{
    return sn_rotate(sn_body_transform(world, body).rotation, sn_vec3_make(0.0, 0.0, 1.0));
}

// Rings dropped flat, askew and on end, a plate on a ring, and a small box on a thick one.
static void test_rest_on_box(void **state)
{
    (void)state;
    sn_world *world = world_on_box();
    sn_transform askew = at_place(0.6, 0.0, 0.1);
    askew.rotation = sn_quat_normalize((sn_quat){1.0, 0.15, 0.1, 0.3});
    sn_body flat = add_shape(world, SN_BODY_RIGID, torus_shape(0.1, 0.03),
                             at_place(0.0, 0.0, 0.031), SN_VEC3_ZERO),
            thrown = add_shape(world, SN_BODY_RIGID, torus_shape(0.1, 0.03), askew, SN_VEC3_ZERO),
            below = add_shape(world, SN_BODY_RIGID, torus_shape(0.2, 0.05),
                              at_place(0.0, 0.8, 0.05), SN_VEC3_ZERO),
            plate = add_shape(world, SN_BODY_RIGID, box_shape(0.5, 0.5, 0.04),
                              at_place(0.0, 0.8, 0.121), SN_VEC3_ZERO),
            thick = add_shape(world, SN_BODY_RIGID, torus_shape(0.3, 0.12),
                              at_place(0.0, -0.8, 0.12), SN_VEC3_ZERO),
            small = add_shape(world, SN_BODY_RIGID, box_shape(0.06, 0.06, 0.06),
                              at_place(0.3, -0.8, 0.271), SN_VEC3_ZERO);
    run(world, 4.0);
    sn_body bodies[] = {flat, thrown, below, plate, thick, small};
    double heights[] = {0.03, 0.03, 0.05, 0.12, 0.12, 0.27};
    for (int i = 0; i < 6; ++i) {
        assert_true(fabs(place_of(world, bodies[i]).z - heights[i]) < 1e-4 * heights[i]);
        assert_true(fabs(axis_of(world, bodies[i]).z) > 1.0 - 1e-7);
        assert_true(sn_length(sn_body_velocity(world, bodies[i])) < 1e-6);
    }
    assert_int_equal(sn_world_report(world).sleeping, 6);
    assert_true(sn_distance(place_of(world, small), sn_vec3_make(0.3, -0.8, 0.27)) < 1e-3);
    sn_world_destroy(world);
}

// A ring on a peg hangs from its inner side, and those that swing there, with friction and without,
// do not gain energy.
static void test_peg(void **state)
{
    (void)state;
    sn_world *world = empty_world();
    sn_transform peg = at_place(0.0, 0.0, 1.0), ring = at_place(0.0, 0.0, 0.0);
    peg.rotation = ring.rotation = (sn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // axes along y
    double radius = 0.15, tube = 0.03, thin = 0.02;
    double height = 1.0 + thin + tube - radius;
    add_shape(world, SN_BODY_STATIC, cylinder_shape(thin, 0.6), peg, SN_VEC3_ZERO);
    ring.position = sn_vec3_make(0.0, -0.15, height - 1e-4);
    sn_body still = add_shape(world, SN_BODY_RIGID, torus_shape(radius, tube), ring, SN_VEC3_ZERO);
    double angle = 0.5; // of the second, about the peg
    ring.position = sn_vec3_make((radius - thin - tube) * sin(angle), 0.15,
                                 1.0 - (radius - thin - tube) * cos(angle));
    add_shape(world, SN_BODY_RIGID, torus_shape(radius, tube), ring, SN_VEC3_ZERO);
    sn_shape smooth = torus_shape(radius, tube);
    smooth.surface.friction = 0.0;
    ring.position.y = 0.0;
    add_shape(world, SN_BODY_RIGID, smooth, ring, SN_VEC3_ZERO);
    double before = sn_world_energy(world).total, most = before,
           weight = sn_body_mass_properties(world, still).mass * 9.81 * radius;
    for (int i = 0; i < 1200; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
        most = fmax(most, sn_world_energy(world).total);
    }
    assert_true(most - before < 1e-3 * weight);
    sn_vec3 p = place_of(world, still);
    assert_true(fabs(p.z - height) < 1e-4 * radius);
    assert_true(fabs(p.x) < 1e-3 * radius && fabs(p.y + 0.15) < 1e-3 * radius);
    assert_true(sn_length(sn_body_velocity(world, still)) < 1e-4);
    sn_world_destroy(world);
}

// Quoits thrown about a post come to lie on top of each other.
static void test_quoits(void **state)
{
    (void)state;
    enum { RINGS = 4 };
    sn_world *world = world_on_box();
    double radius = 0.15, tube = 0.03, post = 0.115;
    add_shape(world, SN_BODY_STATIC, cylinder_shape(post, 1.0), at_place(0.0, 0.0, 0.5),
              SN_VEC3_ZERO);
    sn_body rings[RINGS];
    for (int i = 0; i < RINGS; ++i) {
        sn_transform frame = at_place(0.003 * (i % 2), 0.001 * i, 0.1 + 0.1 * i);
        frame.rotation = sn_quat_normalize((sn_quat){1.0, 0.01 * (i - 2), 0.01, 0.0});
        rings[i] = add_shape(world, SN_BODY_RIGID, torus_shape(radius, tube), frame, SN_VEC3_ZERO);
    }
    double before = sn_world_energy(world).total;
    run(world, 6.0);
    assert_true(sn_world_energy(world).total < before);
    for (int i = 0; i < RINGS; ++i) {
        sn_vec3 p = place_of(world, rings[i]);
        assert_true(fabs(p.z - (2 * i + 1) * tube) < 1e-2 * tube);
        assert_true(hypot(p.x, p.y) < radius - tube - post + 1e-4);
        assert_true(fabs(axis_of(world, rings[i]).z) > 0.999);
        // Rings that are not quite above each other rock for long.
        assert_true(sn_length(sn_body_velocity(world, rings[i])) < 0.02);
    }
    sn_world_destroy(world);
}

// A ring that lies over the edge of a box stays while its middle is on it, and else falls.
static void test_edge(void **state)
{
    (void)state;
    double offs[] = {-0.05, -0.004, 0.004};
    for (int i = 0; i < 3; ++i) {
        sn_world *world = world_on_box();
        sn_body ring = add_shape(world, SN_BODY_RIGID, torus_shape(0.1, 0.02),
                                 at_place(2.0 + offs[i], 0.3, 0.02), SN_VEC3_ZERO);
        run(world, 3.0);
        sn_vec3 p = place_of(world, ring);
        if (offs[i] < 0.0) {
            assert_true(sn_distance(p, sn_vec3_make(2.0 + offs[i], 0.3, 0.02)) < 1e-5);
            assert_int_equal(sn_world_report(world).sleeping, 1);
        } else {
            assert_true(p.z < -1.0);
        }
        sn_world_destroy(world);
    }
}

// Down a box as down a plane: a = g sin / (1 + I / (m r^2)), r the outer radius, and no energy is
// lost.
static void test_rolling(void **state)
{
    (void)state;
    double slope = 20.0 * SN_PI / 180.0, outer = 0.12;
    sn_world *world = empty_world();
    sn_transform floor = SN_TRANSFORM_IDENTITY, start = SN_TRANSFORM_IDENTITY;
    floor.rotation = (sn_quat){cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0};
    floor.position = sn_rotate(floor.rotation, sn_vec3_make(9.0, 0.0, -0.5));
    add_shape(world, SN_BODY_STATIC, box_shape(20.0, 2.0, 1.0), floor, SN_VEC3_ZERO);
    start.position = sn_rotate(floor.rotation, sn_vec3_make(0.0, 0.0, outer));
    sn_shape ring = torus_shape(0.1, 0.02);
    ring.frame.rotation = (sn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // its axis along y
    sn_body rolls = add_shape(world, SN_BODY_RIGID, ring, start, SN_VEC3_ZERO);
    sn_mass_properties mass = sn_body_mass_properties(world, rolls);
    double before = sn_world_energy(world).total, weight = mass.mass * 9.81 * outer;
    run(world, 2.0);
    double pull = 9.81 * sin(slope) / (1.0 + mass.inertia.m[1][1] / (mass.mass * outer * outer));
    assert_true(fabs(sn_length(sn_body_velocity(world, rolls)) - 2.0 * pull) < 1e-6 * pull);
    assert_true(fabs(sn_world_energy(world).total - before) < 1e-9 * weight);
    sn_world_destroy(world);
}

// Nothing fast passes through: rings at thin plates, and small boxes, cylinders and cones at the
// tube of a ring.
static void test_fast(void **state)
{
    (void)state;
    sn_random random = {.seed = 23};
    for (int i = 0; i < rounds_of(60, 12); ++i) {
        sn_world_def def = sn_default_world_def();
        sn_world *world = NULL;
        def.gravity = SN_VEC3_ZERO;
        assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
        double speed = sn_random_range(&random, 20.0, 300.0);
        bool plate = i % 2 == 0;
        sn_shape shapes[] = {box_shape(0.03, 0.04, 0.05), cylinder_shape(0.02, 0.05),
                             cylinder_shape(0.02, 0.05)};
        shapes[2].type = SN_SHAPE_CONE;
        sn_transform from = at_place(0.0, 0.0, sn_random_range(&random, 0.3, 2.0)),
                     target = SN_TRANSFORM_IDENTITY;
        from.rotation = random_rotation(&random);
        from.position.x = plate ? 0.0 : 0.5; // over the tube
        add_shape(world, SN_BODY_STATIC, plate ? box_shape(4.0, 4.0, 1e-3) : torus_shape(0.5, 0.05),
                  target, SN_VEC3_ZERO);
        sn_body fast =
            add_shape(world, SN_BODY_RIGID, plate ? torus_shape(0.1, 0.02) : shapes[i / 2 % 3],
                      from, sn_vec3_make(0.0, 0.0, -speed));
        // What has struck a ring may fly through it, or around.
        bool struck = false;
        for (int k = 0; k < 60 && (plate || !struck); ++k) {
            assert_int_equal(sn_world_step(world, 1.0 / 60.0, NULL), SN_OK);
            struck = fabs(sn_length(sn_body_velocity(world, fast)) - speed) > 1e-6 * speed;
            assert_true((struck && !plate) || place_of(world, fast).z > -0.02);
        }
        assert_true(plate || struck);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_point),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_level_distance),
        cmocka_unit_test(test_rest_on_box),
        cmocka_unit_test(test_peg),
        cmocka_unit_test(test_quoits),
        cmocka_unit_test(test_edge),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
