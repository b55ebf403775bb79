// Elastic bodies that meet under integrators with stages, by contact springs: what is kept, that
// nothing is missed, and against what is known in closed form.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/world.h"
#include "shortage.h"
#include "sinew/sinew.h"
#include "touch/spring_touch.h"
#include "world_steps.h"

static sn_world *make_world(double gravity, double stiffness, double damping)
{
    sn_error error = {0};
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    def.contact.method = SN_CONTACT_SPRINGS;
    def.contact.stiffness = stiffness;
    def.contact.damping = damping;
    def.relative_tolerance = 1e-8;
    def.absolute_tolerance = 1e-10;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, &error), SN_OK);
    return world;
}

static sn_tetrahedra *make_box(sn_vec3 size, int x, int y, int z)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_box box = {.size = size, .cells = {x, y, z}, .cell = SN_CELL_SIX_MIRRORED};
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_OK);
    return mesh;
}

static sn_tetrahedra *with_ten_nodes(sn_tetrahedra *mesh)
{
    sn_error error = {0};
    sn_tetrahedra *made = NULL;
    assert_int_equal(sn_tetrahedra_quadratic(mesh, &made, &error), SN_OK);
    sn_tetrahedra_release(mesh);
    return made;
}

typedef struct thrown {
    sn_vec3 position, velocity, spin, axis; // axis: of its turn, by `angle`
    double angle, friction, poisson;
    bool self;
} thrown;

static sn_body add(sn_world *world, sn_tetrahedra *mesh, const thrown *how)
{
    sn_error error = {0};
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 2e4, how->poisson);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame.position = how->position;
    double c = cos(0.5 * how->angle), s = sin(0.5 * how->angle);
    def.frame.rotation = (sn_quat){c, s * how->axis.x, s * how->axis.y, s * how->axis.z};
    def.velocity = how->velocity;
    def.angular_velocity = how->spin;
    def.surface.friction = how->friction;
    def.meets_itself = how->self;
    sn_body body;
    sn_status status = sn_world_add_elastic(world, &def, &body, &error);
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

// Two boxes that come at each other: 0 corner on face, 1 edge on edge, 2 face on face, turned; 3
// like 0 with elements of ten nodes.
static sn_world *make_collision(int kind, double stiffness)
{
    sn_world *world = make_world(0.0, stiffness, 0.0);
    sn_tetrahedra *mesh = make_box((sn_vec3){0.2, 0.2, 0.2}, 1, 1, 1);
    if (kind == 3) {
        mesh = with_ten_nodes(mesh);
        kind = 0;
    }
    double far = kind == 0 ? 0.28 : kind == 1 ? 0.29 : 0.21;
    thrown low = {.velocity = {0.0, 0.0, 0.6}, .axis = {1.0, 0.0, 0.0}};
    thrown high = {
        .position = {0.003, -0.004, far}, .velocity = {0.02, 0.03, -0.8}, .spin = {0.1, 0.2, 0.3}};
    if (kind == 0) {
        high.axis = (sn_vec3){0.8, 0.6, 0.0};
        high.angle = 0.9;
    } else if (kind == 1) {
        low.angle = 0.25 * SN_PI;
        high.axis = (sn_vec3){0.0, 1.0, 0.0};
        high.angle = 0.25 * SN_PI;
    } else {
        high.axis = (sn_vec3){0.0, 0.0, 1.0};
        high.angle = 0.4;
    }
    add(world, mesh, &low);
    add(world, mesh, &high);
    sn_tetrahedra_release(mesh);
    return world;
}

static void collisions_keep_energy_and_momentum(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        sn_world *world = make_collision(kind, 0.0);
        sn_energy start = sn_world_energy(world);
        sn_vec3 p = sn_world_momentum(world), l = sn_world_angular_momentum(world);
        double drift = 0.0, slip = 0.0, turn = 0.0, stored = 0.0;
        int springs = 0;
        for (int i = 0; i < 40; ++i) {
            advance(world, 0.005, 1);
            sn_energy now = sn_world_energy(world);
            int count = sn_world_spring_count(world);
            drift = fmax(drift, fabs(now.total - start.total) / start.kinetic);
            stored = fmax(stored, now.potential / start.kinetic);
            springs = springs > count ? springs : count;
            slip = fmax(slip, sn_distance(sn_world_momentum(world), p) / (8.0 * 1.4));
            turn = fmax(turn, sn_distance(sn_world_angular_momentum(world), l) / (8.0 * 0.1 * 1.4));
        }
        print_message(
            "kind %d: energy %.2g, momentum %.2g, angular %.2g; %d springs, stored %.2g\n", kind,
            drift, slip, turn, springs, stored);
        assert_true(springs > 0 && stored > 0.1);
        assert_true(sn_body_velocity(world, sn_world_body(world, 0)).z < 0.3); // turned back
        assert_true(drift < 1e-6);
        assert_true(slip < 1e-13); // round-off
        assert_true(turn < 1e-8);  // the integrator's tolerance
        sn_world_destroy(world);
    }
}

// What is found within steps does not depend on how long the world's own are: every meeting between
// two of them must have been noticed, or another motion would come out.
static void steps_do_not_matter(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        sn_vec3 ends[2][16];
        for (int run = 0; run < 2; ++run) {
            sn_world *world = make_collision(kind, 0.0);
            advance(world, run == 0 ? 0.12 : 0.12 / 40.0, run == 0 ? 1 : 40);
            for (int b = 0; b < 2; ++b) {
                sn_body_read_vertices(world, sn_world_body(world, b), ends[run] + 8 * b, NULL);
            }
            sn_world_destroy(world);
        }
        double most = 0.0;
        for (int i = 0; i < 16; ++i) {
            most = fmax(most, sn_distance(ends[0][i], ends[1][i]));
        }
        print_message("kind %d: one step and forty, %.2g of the size\n", kind, most / 0.2);
        assert_true(most < 5e-6 * 0.2);
    }
}

static sn_body add_sized(sn_world *world, sn_shape_type type, bool moves, sn_vec3 position,
                         double radius, double thickness)
{
    sn_error error = {0};
    sn_shape shape = sn_default_shape();
    shape.type = type;
    shape.radius = radius;
    shape.size = (sn_vec3){1.0, 1.0, thickness};
    shape.surface.friction = 0.0;
    sn_body_def def = sn_default_body_def();
    def.type = moves ? def.type : SN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position = position;
    def.velocity = (sn_vec3){0.0, 0.0, moves ? -1.0 : 0.0};
    sn_body body;
    if (sn_world_add_body(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

static sn_body add_shape(sn_world *world, sn_shape_type type, bool moves, sn_vec3 position)
{
    return add_sized(world, type, moves, position, 0.1, 0.2);
}

// A cube of ten-node elements whose lower face bulges by 1 cm at the nodes between its corners,
// which are 1 mm above a plane, or another cube: five springs of 9 mm.
static void ten_nodes_touch_between_corners(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        sn_error error = {0};
        sn_world *world = make_world(0.0, 100.0, 0.0);
        sn_tetrahedra *low = make_box((sn_vec3){0.4, 0.4, 0.2}, 1, 1, 1),
                      *high = with_ten_nodes(make_box((sn_vec3){0.2, 0.2, 0.2}, 1, 1, 1));
        thrown under = {.position = {0.02, 0.03, -0.1}}, over = {.position = {0.0, 0.0, 0.101}};
        sn_body body = add(world, high, &over);
        if (kind == 0) {
            add_shape(world, SN_SHAPE_PLANE, false, SN_VEC3_ZERO);
        } else {
            add(world, low, &under);
        }
        sn_vec3 x[27];
        int count = sn_tetrahedra_vertex_count(high), bulging = 0;
        assert_true(count <= 27);
        sn_body_read_vertices(world, body, x, NULL);
        for (int i = 0; i < count; ++i) {
            bool corner = fabs(fabs(x[i].x) - 0.1) < 1e-9 && fabs(fabs(x[i].y) - 0.1) < 1e-9;
            if (x[i].z < 0.002 && !corner) {
                x[i].z -= 0.01;
                bulging += 1;
            }
        }
        assert_int_equal(bulging, 5);
        assert_int_equal(sn_body_write_vertices(world, body, x, NULL, &error), SN_OK);
        advance(world, 1e-9, 1); // things are put together
        double energy = sn_world_spring_energy(world), expected = 5.0 * 50.0 * 0.009 * 0.009;
        print_message("bulge %d: %.6g J of %.6g\n", kind, energy, expected);
        assert_true(fabs(energy / expected - 1.0) < 1e-6);
        assert_int_equal(sn_world_spring_count(world), kind == 0 ? 0 : 5);
        sn_tetrahedra_release(low);
        sn_tetrahedra_release(high);
        sn_world_destroy(world);
    }
}

// A cube strikes the middle of a plate of a fifth of its size. What goes deeper than half the
// thickness still comes back on its side; what is pushed through is told.
static void thin_bodies_keep_their_side(void **state)
{
    (void)state;
    const double speeds[2] = {4.0, 40.0};
    for (int kind = 0; kind < 2; ++kind) {
        sn_error error = {0};
        sn_world *world = make_world(0.0, 0.0, 0.0);
        sn_tetrahedra *plate = make_box((sn_vec3){0.3, 0.3, 0.01}, 2, 2, 1),
                      *cube = make_box((sn_vec3){0.1, 0.1, 0.1}, 1, 1, 1);
        thrown at_rest = {.position = {0.0, 0.0, 0.0}},
               fast = {.position = {0.013, 0.007, 0.056},
                       .velocity = {0.0, 0.0, -speeds[kind]},
                       .axis = {0.0, 0.0, 1.0},
                       .angle = 0.35};
        add(world, plate, &at_rest);
        sn_body body = add(world, cube, &fast);
        sn_energy start = sn_world_energy(world);
        double drift = 0.0, deepest = 0.0;
        sn_status status = SN_OK;
        for (int i = 0; i < 40 && status == SN_OK; ++i) {
            status = sn_world_step(world, 0.1 / speeds[kind] / 40.0, &error);
            drift = fmax(drift, fabs(sn_world_energy(world).total - start.total) / start.kinetic);
            const sn_spring_touch *touch = &world->touch.springs;
            for (int k = 0; k < touch->springs.count; ++k) {
                const sn_touch_spring *spring = &touch->springs.data[k];
                if (spring->kind == SN_VERTEX_FACE && spring->b == 0) {
                    deepest = fmax(deepest, sn_spring_depth(world, spring));
                    assert_true(touch->normals.data[spring->side].z > 0.5);
                }
            }
        }
        double up = sn_body_velocity(world, body).z;
        print_message("plate %d: energy %.2g, %.3g of the thickness deep, %.3g of the speed; %s\n",
                      kind, drift, deepest / 0.01, up / speeds[kind],
                      status == SN_OK ? "" : sn_error_message(&error));
        if (kind == 0) {
            assert_int_equal(status, SN_OK);
            assert_true(deepest > 0.5 * 0.01 && drift < 1e-6);
        } else {
            assert_int_equal(status, SN_ERROR_DIVERGED);
            assert_non_null(strstr(error.text, "stiffness"));
        }
        sn_tetrahedra_release(plate);
        sn_tetrahedra_release(cube);
        sn_world_destroy(world);
    }
}

// A thin rigid wall, struck so fast that one step would carry the cube over it; with soft springs
// it is pushed in to the wall's middle, which is told. So is a ball that sinks into a body.
static void nothing_passes_rigid_shapes_unseen(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        sn_error error = {0};
        sn_world *world = make_world(0.0, kind == 0 ? 1e6 : kind == 1 ? 20.0 : 1.0, 0.0);
        sn_tetrahedra *cube = make_box((sn_vec3){0.1, 0.1, 0.1}, 1, 1, 1);
        thrown fast = {.position = {0.0, 0.0, 0.08}, .velocity = {0.0, 0.0, -2.0}},
               at_rest = {.position = {0.0, 0.0, 0.0}};
        sn_body body = add(world, cube, kind < 2 ? &fast : &at_rest);
        if (kind < 2) {
            add_sized(world, SN_SHAPE_BOX, false, SN_VEC3_ZERO, 0.0, 0.004);
        } else {
            add_sized(world, SN_SHAPE_SPHERE, true, (sn_vec3){0.012, 0.021, 0.08}, 0.01, 0.0);
        }
        sn_status status = sn_world_step(world, 0.12, &error);
        print_message("wall %d: %s\n", kind, status == SN_OK ? "" : sn_error_message(&error));
        assert_int_equal(status, kind == 0 ? SN_OK : SN_ERROR_DIVERGED);
        if (kind == 0) {
            assert_true(sn_body_transform(world, body).position.z > 0.0);
            assert_true(sn_body_velocity(world, body).z > 0.5);
        } else {
            assert_non_null(strstr(error.text, "stiffness"));
        }
        sn_tetrahedra_release(cube);
        sn_world_destroy(world);
    }
}

// A cube that is dropped on its corner, on a plane and on a box, comes up again.
static void bodies_bounce_on_the_ground(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        sn_world *world = make_world(9.81, 0.0, 0.0);
        sn_tetrahedra *mesh = make_box((sn_vec3){0.2, 0.2, 0.2}, 1, 1, 1);
        add_shape(world, kind == 0 ? SN_SHAPE_PLANE : SN_SHAPE_BOX, false,
                  (sn_vec3){0.0, 0.0, kind == 0 ? 0.0 : -0.1});
        thrown how = {.position = {0.0, 0.0, 0.25},
                      .velocity = {0.3, 0.0, -1.0},
                      .axis = {0.8, 0.6, 0.0},
                      .angle = 0.5};
        sn_body body = add(world, mesh, &how);
        sn_tetrahedra_release(mesh);
        sn_energy start = sn_world_energy(world);
        double drift = 0.0, lowest = 1.0, fastest = -1.0;
        for (int i = 0; i < 60; ++i) {
            advance(world, 0.01, 1);
            sn_energy now = sn_world_energy(world);
            drift = fmax(drift, fabs(now.total - start.total) / start.total);
            lowest = fmin(lowest, sn_body_transform(world, body).position.z);
            fastest = fmax(fastest, sn_body_velocity(world, body).z);
        }
        print_message("ground %d: energy %.2g, middle down to %.3g, up at %.3g\n", kind, drift,
                      lowest, fastest);
        assert_true(drift < 1e-6 && lowest > 0.03 && fastest > 0.5);
        sn_world_destroy(world);
    }
}

// A ball that falls on the middle of a soft block is thrown back, and the two share momentum.
static void rigid_bodies_push_back(void **state)
{
    (void)state;
    sn_world *world = make_world(0.0, 0.0, 0.0);
    sn_tetrahedra *mesh = make_box((sn_vec3){0.3, 0.3, 0.2}, 2, 2, 1);
    thrown how = {.velocity = {0.0, 0.0, 0.0}};
    add(world, mesh, &how);
    sn_tetrahedra_release(mesh);
    sn_body ball = add_shape(world, SN_SHAPE_SPHERE, true, (sn_vec3){0.02, 0.01, 0.22});
    sn_vec3 p = sn_world_momentum(world);
    double worst = 0.0;
    for (int i = 0; i < 40; ++i) {
        advance(world, 0.005, 1);
        worst = fmax(worst, sn_distance(sn_world_momentum(world), p) / sn_length(p));
    }
    print_message("ball: momentum %.2g, velocity %.3g\n", worst, sn_body_velocity(world, ball).z);
    assert_true(worst < 1e-12);
    assert_true(sn_body_velocity(world, ball).z > 0.1);
    sn_world_destroy(world);
}

// One body of two blocks that are not joined: they meet if it meets itself.
static void bodies_meet_themselves(void **state)
{
    (void)state;
    for (int self = 0; self < 2; ++self) {
        sn_error error = {0};
        sn_world *world = make_world(0.0, 0.0, 0.0);
        sn_tetrahedra *box = make_box((sn_vec3){0.2, 0.2, 0.2}, 1, 1, 1), *high = NULL,
                      *both = NULL;
        sn_transform up = {{0.01, 0.02, 0.4}, {cos(0.3), sin(0.3), 0.0, 0.0}};
        assert_int_equal(
            sn_tetrahedra_transformed(box, (sn_vec3){1.0, 1.0, 1.0}, up, &high, &error), SN_OK);
        const sn_tetrahedra *parts[2] = {box, high};
        assert_int_equal(sn_tetrahedra_joined(parts, 2, 1e-6, &both, NULL, &error), SN_OK);
        thrown how = {.self = self == 1};
        sn_body body = add(world, both, &how);
        sn_vec3 x[16], v[16];
        sn_body_read_vertices(world, body, x, v);
        for (int i = 0; i < 16; ++i) {
            v[i].z = x[i].z > 0.15 ? -1.0 : 1.0;
        }
        assert_int_equal(sn_body_write_vertices(world, body, NULL, v, &error), SN_OK);
        double start = sn_world_energy(world).total, drift = 0.0;
        for (int i = 0; i < 40; ++i) {
            advance(world, 0.01, 1);
            drift = fmax(drift, fabs(sn_world_energy(world).total - start) / start);
        }
        sn_body_read_vertices(world, body, NULL, v);
        double mean = 0.0;
        for (int i = 0; i < 8; ++i) {
            mean += v[i].z / 8.0;
        }
        print_message("self %d: energy %.2g, lower block at %.3g\n", self, drift, mean);
        assert_true(drift < 1e-6);
        assert_true(self == 1 ? mean < 0.5 : fabs(mean - 1.0) < 1e-6);
        sn_tetrahedra_release(box);
        sn_tetrahedra_release(high);
        sn_tetrahedra_release(both);
        sn_world_destroy(world);
    }
}

// Two bars, v against each other, with wave speed c: they part after 2 L / c and have exchanged
// their velocities. One is turned, so that edges of their ends cross in eight places; springs there
// take longer, the less the stiffer they are.
static double impact_error(double stiffness)
{
    sn_world *world = make_world(0.0, stiffness, 0.0);
    sn_tetrahedra *mesh = make_box((sn_vec3){1.0, 0.05, 0.05}, 16, 1, 1);
    thrown left = {.position = {-0.5005, 0.0, 0.0}, .velocity = {0.02, 0.0, 0.0}};
    thrown right = {.position = {0.5005, 0.0, 0.0},
                    .velocity = {-0.02, 0.0, 0.0},
                    .axis = {1.0, 0.0, 0.0},
                    .angle = 0.25 * SN_PI};
    sn_body body = add(world, mesh, &left);
    add(world, mesh, &right);
    sn_tetrahedra_release(mesh);
    const double c = sqrt(2e4 / 1000.0), h = 0.005;
    double begin = NAN, end = NAN, before = 0.02;
    for (int i = 1; i <= 140; ++i) {
        advance(world, h, 1);
        double now = sn_body_velocity(world, body).x, force = (before - now) / h;
        double full = 0.02 * c / 1.0; // Z v / m = rho A c v / (rho A L)
        before = now;
        begin = force > 0.5 * full && isnan(begin) ? h * (i - 0.5) : begin;
        end = force > 0.5 * full ? h * (i + 0.5) : end;
    }
    double after = sn_body_velocity(world, body).x, time = (end - begin) / (2.0 / c);
    print_message("bars, %g N/m a spring: velocity %.4f of -v, time %.3f of 2 L/c\n", stiffness,
                  after / -0.02, time);
    sn_world_destroy(world);
    return fabs(after / -0.02 - 1.0) + fabs(time - 1.0);
}

static void bars_come_to_the_closed_form(void **state)
{
    (void)state;
    assert_true(impact_error(8.0) < 0.1); // `sinew verify` has others
}

static void states_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    sn_error error = {0};
    for (int kind = 0; kind < 2; ++kind) {
        uint64_t hashes[3];
        for (int run = 0; run < 3; ++run) {
            sn_world *world = make_collision(kind, 0.0);
            assert_int_equal(sn_world_set_threads(world, 1 << run, &error), SN_OK);
            advance(world, 0.005, 24);
            hashes[run] = sn_world_hash(world);
            sn_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);

        // saved while they touch, and a copy made then
        sn_world *world = make_collision(kind, 0.0), *other = make_collision(kind, 0.0),
                 *copy = NULL;
        for (int i = 0; i < 40 && sn_world_spring_count(world) == 0; ++i) {
            advance(world, 0.005, 1);
        }
        assert_true(sn_world_spring_count(world) > 0);
        uint64_t before = sn_world_hash(world);
        sn_world_energy(world);
        assert_true(sn_world_hash(world) == before); // reading changes nothing
        size_t size = sn_world_state_size(world);
        void *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(world, bytes, size, &error), SN_OK);
        assert_int_equal(sn_world_copy(world, &copy, &error), SN_OK);
        assert_int_equal(sn_world_load_state(other, bytes, size, &error), SN_OK);
        free(bytes);
        assert_true(sn_world_hash(other) == before && sn_world_hash(copy) == before);
        advance(world, 0.005, 8);
        advance(other, 0.005, 8);
        advance(copy, 0.005, 8);
        assert_true(sn_world_hash(other) == sn_world_hash(world));
        assert_true(sn_world_hash(copy) == sn_world_hash(world));
        sn_world_destroy(world);
        sn_world_destroy(other);
        sn_world_destroy(copy);
    }
}

// A block at rest on a slope below the angle of friction creeps, above it slides as it should.
static void friction_is_coulombs(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        double friction = kind == 0 ? 0.8 : 0.3, slope = 0.5, g = 9.81;
        sn_error error = {0};
        sn_world *world = make_world(0.0, 0.0, 0.3);
        double angle = atan(slope);
        sn_world_set_gravity(world, (sn_vec3){g * sin(angle), 0.0, -g * cos(angle)});
        sn_body ground = add_shape(world, SN_SHAPE_PLANE, false, SN_VEC3_ZERO);
        sn_surface surface = sn_default_shape().surface;
        surface.friction = friction;
        assert_int_equal(sn_body_set_surface(world, ground, 0, &surface, &error), SN_OK);
        sn_tetrahedra *mesh = make_box((sn_vec3){0.2, 0.2, 0.1}, 1, 1, 1);
        thrown how = {.position = {0.0, 0.0, 0.0499}, .friction = friction};
        sn_body body = add(world, mesh, &how);
        sn_tetrahedra_release(mesh);
        advance(world, 0.02, 25); // settles
        double start = sn_body_velocity(world, body).x;
        advance(world, 0.02, 25);
        double gained = sn_body_velocity(world, body).x - start;
        double expected = kind == 0 ? 0.0 : 0.5 * g * (sin(angle) - friction * cos(angle));
        print_message("friction %g: %.3g m/s, gained %.4g of %.4g\n", friction, start, gained,
                      expected);
        assert_true(kind == 0 ? fabs(start + gained) < 0.02 : fabs(gained / expected - 1.0) < 0.05);
        sn_world_destroy(world);
    }
}

// How fast a block creeps down a slope that is so much of the angle of friction.
static double creep_of(double size, double share, double *bound)
{
    const double friction = 0.5, g = 9.81;
    sn_error error = {0};
    sn_world *world = make_world(0.0, 0.0, 0.3);
    double angle = atan(share * friction);
    sn_world_set_gravity(world, (sn_vec3){g * sin(angle), 0.0, -g * cos(angle)});
    sn_body ground = add_shape(world, SN_SHAPE_PLANE, false, SN_VEC3_ZERO);
    sn_surface surface = sn_default_shape().surface;
    surface.friction = friction;
    assert_int_equal(sn_body_set_surface(world, ground, 0, &surface, &error), SN_OK);
    sn_tetrahedra *mesh = make_box((sn_vec3){size, size, 0.3 * size}, 1, 1, 1);
    thrown how = {.position = {0.0, 0.0, 0.1499 * size}, .friction = friction};
    sn_body body = add(world, mesh, &how);
    sn_tetrahedra_release(mesh);
    advance(world, 0.02, 120); // sags, and loses what it gained while it did
    double before = sn_body_centre(world, body).x;
    advance(world, 0.02, 25);
    double speed = (sn_body_centre(world, body).x - before) / 0.5;
    double fall = sqrt(g * sqrt(0.25 * (2.0 + 0.09)) * size);
    sn_elastic law = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 2e4, how.poisson);
    double sound = sqrt((law.bulk + 4.0 / 3.0 * law.shear) / sn_default_elastic_material().density);
    *bound = fmin(1e-2 * fall, 1e-3 * sound);
    sn_world_destroy(world);
    return speed;
}

// Below the angle of friction it creeps at less than a hundredth of the speed of a fall over its
// radius, and than a thousandth of that of sound: at x times that, x (3 - x^2) / 2 = share.
static void creep_keeps_its_bound(void **state)
{
    (void)state;
    const double sizes[] = {0.05, 0.15}, shares[] = {0.3, 0.7, 0.95, 0.98};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 4; ++k) {
            double bound, speed = creep_of(sizes[i], shares[k], &bound), x = speed / bound;
            print_message("%g m, %g of the angle: creeps at %.2e m/s of %.2e\n", sizes[i],
                          shares[k], speed, bound);
            assert_true(x < 1.0);
            assert_true(fabs(0.5 * x * (3.0 - x * x) - shares[k]) < 0.05);
        }
    }
}

static void mixed_integrators_are_refused(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_world *world = make_collision(0, 0.0);
    sn_shape shape = sn_default_shape();
    sn_body_def def = sn_default_body_def();
    def.name = "stone";
    def.shapes = &shape;
    def.shape_count = 1;
    def.integrator = SN_INTEGRATOR_LIE_MIDPOINT;
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, &error), SN_OK);
    assert_int_equal(sn_world_step(world, 0.01, &error), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.place, "stone"));
    sn_world_destroy(world);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    shortage s = {.most = 2000};
    while (shortage_goes_on(&s)) {
        sn_world *world = make_collision(1, 0.0);
        shortage_begin(&s);
        sn_status status = sn_world_step(world, 0.06, NULL);
        shortage_end(&s, status);
        advance(world, 0.001, 1); // goes on
        sn_world_destroy(world);
    }
    assert_true(s.next > 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_keep_energy_and_momentum),
        cmocka_unit_test(steps_do_not_matter),
        cmocka_unit_test(ten_nodes_touch_between_corners),
        cmocka_unit_test(thin_bodies_keep_their_side),
        cmocka_unit_test(nothing_passes_rigid_shapes_unseen),
        cmocka_unit_test(bodies_bounce_on_the_ground),
        cmocka_unit_test(rigid_bodies_push_back),
        cmocka_unit_test(bodies_meet_themselves),
        cmocka_unit_test(bars_come_to_the_closed_form),
        cmocka_unit_test(states_and_threads_give_the_same_bits),
        cmocka_unit_test(friction_is_coulombs),
        cmocka_unit_test(creep_keeps_its_bound),
        cmocka_unit_test(mixed_integrators_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
