// Prints state hashes of runs that use every single-stage and Runge-Kutta part of the engine, for
// comparing builds: whatever the compiler, the optimisation and the number of threads, the output
// must be the same to the letter. tools/compare-builds runs it.
//
//     hash_probe --threads 4
//     hash_probe --threads 4 --contact-steps 60    scenes full of contacts for so many steps, not
//     1000
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tree/tree_step.h"
#include "base/hash.h"
#include "base/random.h"
#include "contact_scene.h"
#include "elastic/solid.h"
#include "math/rotation.h"
#include "sinew/sinew.h"

static void stop_on(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        fprintf(stderr, "hash_probe: %s\n", sn_error_message(error));
        exit(2);
    }
}

static sn_vec3 random_vec3(sn_random *random, double size)
{
    double x = sn_random_range(random, -size, size), y = sn_random_range(random, -size, size);
    return sn_vec3_make(x, y, sn_random_range(random, -size, size));
}

// A thousand bodies of all shapes: mass properties, principal axes and free flight.
static void add_bodies(sn_world *world, sn_random *random, sn_body *bodies, int count)
{
    sn_error error = {0};
    sn_mesh *mesh = NULL;
    stop_on(sn_mesh_torus(0.3, 0.1, 12, &mesh, &error), &error);
    for (int i = 0; i < count; ++i) {
        sn_shape shape = sn_default_shape();
        shape.type = (sn_shape_type)(i % (SN_SHAPE_MESH + 1));
        shape.radius = sn_random_range(random, 0.1, 0.5);
        shape.tube_radius = 0.3 * shape.radius;
        shape.height = sn_random_range(random, 0.1, 1.0);
        shape.size = sn_vec3_make(sn_random_range(random, 0.1, 1.0), 0.3, 0.2);
        shape.mesh = shape.type == SN_SHAPE_MESH ? mesh : NULL;
        sn_body_def def = sn_default_body_def();
        def.shapes = &shape;
        def.shape_count = 1;
        def.frame.position = random_vec3(random, 10.0);
        sn_vec3 axis = random_vec3(random, 1.0);
        def.frame.rotation = sn_quat_normalize((sn_quat){1.0, axis.x, axis.y, axis.z});
        def.velocity = random_vec3(random, 2.0);
        def.angular_velocity =
            random_vec3(random, i % 50 == 0 ? 2000.0 : 5.0); // some turn very fast
        def.integrator = i % 10 == 0  ? SN_INTEGRATOR_RK4
                         : i % 7 == 0 ? SN_INTEGRATOR_SYMPLECTIC_EULER
                                      : SN_INTEGRATOR_DEFAULT;
        stop_on(sn_world_add_body(world, &def, &bodies[i], &error), &error);
    }
    sn_mesh_release(mesh);
}

static void add_fields(sn_world *world, const sn_body *bodies, int count)
{
    sn_error error = {0};
    sn_field field;
    for (int i = 0; i + 20 < count; i += 5) {
        sn_spring_def spring = sn_default_spring_def();
        spring.body_a = bodies[i];
        spring.body_b = bodies[i + 20];
        spring.point_a = sn_vec3_make(0.05, 0.0, 0.02);
        spring.damping = 0.3;
        if (sn_body_integrator(world, spring.body_a) == sn_body_integrator(world, spring.body_b)) {
            stop_on(sn_world_add_spring(world, &spring, &field, &error), &error);
        }
    }
    sn_drag_def drag = sn_default_drag_def();
    drag.linear = 0.1;
    drag.quadratic = 0.05;
    drag.angular_quadratic = 0.001;
    drag.medium_velocity = sn_vec3_make(1.0, 0.5, 0.0);
    stop_on(sn_world_add_drag(world, &drag, &field, &error), &error);
}

// A tree of all joints that swings for two seconds; its coordinates and velocities.
static void run_tree(void)
{
    enum { LINKS = 40 };
    sn_random random = {.seed = 2027};
    sn_tree tree;
    sn_tree_step step;
    double q[4 * LINKS], v[3 * LINKS];
    if (!sn_tree_allocate(&tree, LINKS)) {
        exit(2);
    }
    for (int i = 0; i < LINKS; ++i) {
        sn_vec3 axis = random_vec3(&random, 1.0), moments = {0.02, 0.03, i % 3 == 0 ? 0.03 : 0.04};
        sn_quat turn = sn_quat_normalize((sn_quat){1.0, axis.x, axis.y, axis.z});
        tree.links[i] =
            (sn_tree_link){.parent = i > 0 ? i - 1 - sn_random_below(&random, i) / 2 : -1,
                           .joint = (sn_tree_joint)(i % 7 == 1   ? SN_TREE_SLIDER
                                                    : i % 7 == 2 ? SN_TREE_SCREW
                                                    : i % 7 == 3 ? SN_TREE_TRANSLATION
                                                    : i % 2 == 0 ? SN_TREE_BALL
                                                                 : SN_TREE_HINGE),
                           .pitch = 0.1,
                           .mass = sn_random_range(&random, 0.5, 2.0)};
        tree.links[i].frame = (sn_frame){sn_quat_to_mat3(turn), random_vec3(&random, 0.3)};
        tree.links[i].centre = random_vec3(&random, 0.2);
        tree.links[i].inertia = sn_mat3_diagonal(moments);
    }
    sn_tree_finish(&tree);
    if (!sn_tree_step_allocate(&step, &tree)) {
        exit(2);
    }
    sn_tree_zero(&tree, q);
    for (int j = 0; j < tree.v_count; ++j) {
        v[j] = sn_random_range(&random, -3.0, 3.0);
    }
    for (int i = 0; i <= 1000; ++i) {
        if (i % 250 == 0) {
            uint64_t hash = sn_hash64(q, (size_t)tree.q_count * sizeof *q, 0);
            hash = sn_hash64(v, (size_t)tree.v_count * sizeof *v, hash);
            printf("tree step %d: %016llx\n", i, (unsigned long long)hash);
        }
        if (!sn_tree_step_take(&step, &tree, 0.002, sn_vec3_make(0.0, 0.0, -9.81), NULL, NULL, q,
                               v)) {
            printf("tree refused at step %d\n", i);
            break;
        }
    }
    sn_tree_step_free(&step);
    sn_tree_free(&tree);
}

// A rod between two points of a plane across y.
static sn_body add_rod(sn_world *world, sn_vec3 a, sn_vec3 b)
{
    sn_error error = {0};
    sn_body_def def = sn_default_body_def();
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = sn_vec3_make(0.05, 0.05, sn_distance(a, b));
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    def.frame.rotation =
        sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), sn_normalize(sn_vec3_sub(b, a)));
    sn_body body;
    stop_on(sn_world_add_body(world, &def, &body, &error), &error);
    return body;
}

static sn_joint_def hinge_at(const sn_world *world, sn_body parent, sn_body child, sn_vec3 at)
{
    sn_joint_def def = sn_default_joint_def();
    sn_transform place = {at, sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), sn_vec3_make(0, 1, 0))};
    def.parent = parent;
    def.child = child;
    def.parent_frame =
        sn_transform_multiply(sn_transform_inverse(sn_body_transform(world, parent)), place);
    def.child_frame =
        sn_transform_multiply(sn_transform_inverse(sn_body_transform(world, child)), place);
    return def;
}

// Four-bars, each with friction, a limit, a drive and a pendulum on a weld that breaks.
static void add_four_bar(sn_world *world, sn_random *random, int number)
{
    sn_error error = {0};
    double x = 3.0 * number, tall = sn_random_range(random, 0.4, 0.6);
    sn_vec3 corner[4] = {{x, 0, 0}, {x, 0, tall}, {x + 1.0, 0, 0.9}, {x + 1.2, 0, 0}};
    sn_body bar[3], before = {0};
    sn_joint joint;
    for (int i = 0; i < 3; ++i) {
        bar[i] = add_rod(world, corner[i], corner[i + 1]);
        sn_joint_def def = hinge_at(world, before, bar[i], corner[i]);
        def.freedom[0].friction = 0.05 * (number % 4);
        def.freedom[0].limit.lower = i == 2 && number % 3 == 0 ? -0.4 : -INFINITY;
        def.freedom[0].limit.restitution = 0.5;
        if (i == 0) {
            def.freedom[0].drive.type = (sn_drive_type)(number % SN_DRIVE_MOTION);
            def.freedom[0].drive.target = 0.3;
            def.freedom[0].drive.stiffness = 50.0;
            def.freedom[0].drive.damping = 5.0;
            def.freedom[0].drive.force_limit = 20.0;
        }
        stop_on(sn_world_add_joint(world, &def, &joint, &error), &error);
        before = bar[i];
    }
    sn_joint_def def = hinge_at(world, (sn_body){0}, bar[2], corner[3]);
    stop_on(sn_world_add_joint(world, &def, &joint, &error), &error);
    sn_vec3 end = sn_vec3_add(corner[2], sn_vec3_make(0.3, 0.2, 0.1));
    sn_body bob = add_rod(world, corner[2], end);
    def = hinge_at(world, bar[1], bob, corner[2]);
    def.type = number % 2 == 0 ? SN_JOINT_BALL : SN_JOINT_FIXED;
    def.break_force = 40.0;
    stop_on(sn_world_add_joint(world, &def, &joint, &error), &error);
}

static void run_mechanisms(int threads)
{
    enum { COUNT = 40 };
    sn_error error = {0};
    sn_world_def def = sn_default_world_def();
    def.contact.method = SN_CONTACT_NONE; // bodies at random places overlap
    def.threads = threads;
    sn_world *world = NULL;
    stop_on(sn_world_create(&def, &world, &error), &error);
    sn_random random = {.seed = 2028};
    for (int i = 0; i < COUNT; ++i) {
        add_four_bar(world, &random, i);
    }
    for (int step = 0; step <= 1000; ++step) {
        if (step % 250 == 0) {
            int broken = 0;
            for (int i = 0; i < sn_world_joint_count(world); ++i) {
                broken += sn_joint_is_broken(world, sn_world_joint(world, i));
            }
            printf("mechanisms step %d, %d joints broken: %016llx\n", step, broken,
                   (unsigned long long)sn_world_hash(world));
        }
        stop_on(sn_world_step(world, 0.002, &error), &error);
    }
    sn_world_destroy(world);
}

// Bodies of all shapes, and thin ones, in every kind of wind and both laws.
static void run_winds(int threads)
{
    enum { COUNT = 60 };
    static sn_body bodies[COUNT];
    sn_error error = {0};
    sn_world_def def = sn_default_world_def();
    def.contact.method = SN_CONTACT_NONE;
    def.threads = threads;
    sn_world *world = NULL;
    stop_on(sn_world_create(&def, &world, &error), &error);
    sn_random random = {.seed = 2029};
    add_bodies(world, &random, bodies, COUNT / 2);
    for (int i = COUNT / 2; i < COUNT; ++i) {
        sn_shape shape = sn_default_shape();
        shape.type = i % 2 == 0 ? SN_SHAPE_CYLINDER : SN_SHAPE_CAPSULE;
        shape.radius = i % 2 == 0 ? 0.3 : 0.002;
        shape.height = i % 2 == 0 ? 0.002 : 1.0;
        sn_body_def body = sn_default_body_def();
        body.shapes = &shape;
        body.shape_count = 1;
        body.frame.position = random_vec3(&random, 5.0);
        body.angular_velocity = random_vec3(&random, 3.0);
        stop_on(sn_world_add_body(world, &body, &bodies[i], &error), &error);
    }
    for (int kind = 0; kind < SN_WIND_KIND_COUNT; ++kind) {
        sn_wind_def wind = sn_default_wind_def();
        sn_field field;
        wind.kind = (sn_wind_kind)kind;
        wind.position = sn_vec3_make(-8.0, 0.0, kind == SN_WIND_NATURAL ? -20.0 : 0.0);
        wind.speed = 3.0;
        wind.radius = 1.0;
        wind.length = 2.0;
        wind.law = kind == SN_WIND_CONE ? SN_WIND_LAW_FACE : SN_WIND_LAW_AIR;
        wind.random_share = kind == SN_WIND_CONE ? 0.2 : 0.0;
        stop_on(sn_world_add_wind(world, &wind, &field, &error), &error);
    }
    for (int step = 0; step <= 200; ++step) {
        if (step % 100 == 0) {
            printf("winds step %d: %016llx\n", step, (unsigned long long)sn_world_hash(world));
        }
        stop_on(sn_world_step(world, 0.005, &error), &error);
    }
    sn_world_destroy(world);
}

static void build_pile(sn_world *world)
{
    scene_pile(world, 1000);
}

static void build_ragdolls(sn_world *world)
{
    scene_stairs(world, 2);
}

static void build_arch(sn_world *world)
{
    scene_arch(world, 25, 0.13);
}

// What is found and solved in parallel where bodies touch. Nothing sleeps, so that every step has
// work to do.
static void run_contacts(const char *name, void (*build)(sn_world *), int threads, int steps)
{
    sn_error error = {0};
    sn_world_def def = sn_default_world_def();
    def.contact.sleep = false;
    def.threads = threads;
    sn_world *world = NULL;
    stop_on(sn_world_create(&def, &world, &error), &error);
    build(world);
    for (int step = 1; step <= steps; ++step) {
        stop_on(sn_world_step(world, 1.0 / 240.0, &error), &error);
        if (step % 20 == 0) {
            printf("%s step %d, %d contacts: %016llx\n", name, step,
                   sn_world_report(world).contacts, (unsigned long long)sn_world_hash(world));
        }
    }
    sn_world_destroy(world);
}

// Elastic elements of every law, with 4 and with 10 nodes: energy, forces, and products with each
// kind of stiffness.
static void run_solid(int law, int nodes, sn_threads *pool)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL, *quadratic = NULL;
    stop_on(sn_tetrahedra_make_sphere(1.0, 4, &mesh, &error), &error);
    if (nodes == 10) {
        stop_on(sn_tetrahedra_quadratic(mesh, &quadratic, &error), &error);
        sn_tetrahedra_release(mesh);
        mesh = quadratic;
    }
    sn_elastic material = sn_elastic_from_young((sn_elastic_law)law, 10.0, 0.4);
    material.fibre_stiffness = law == SN_ELASTIC_NEO_HOOKEAN ? 1.0 : 0.0;
    material.fibre = sn_vec3_make(0.0, 1.0, 0.0);
    sn_solid_def def = {.mesh = mesh, .materials = &material, .material_count = 1};
    sn_solid *solid = NULL;
    stop_on(sn_solid_create(&def, &solid, &error), &error);
    size_t size = SN_SOLID_STRIDE * (size_t)sn_tetrahedra_vertex_count(mesh);
    double *x = calloc(size, sizeof *x), *v = calloc(size, sizeof *v), *y = calloc(size, sizeof *y);
    if (x == NULL || v == NULL || y == NULL) {
        exit(2);
    }
    sn_random random = {.seed = 7};
    sn_solid_pad(solid, &sn_tetrahedra_positions(mesh)->x, x);
    for (size_t i = 0; i < size; ++i) { // some elements are turned inside out
        v[i] = i % SN_SOLID_STRIDE < 3 ? sn_random_range(&random, -1.0, 1.0) : 0.0;
        x[i] += 0.15 * v[i];
    }
    double energy = sn_solid_energy(solid, pool, x);
    sn_solid_add_forces(solid, pool, x, y);
    for (int kind = SN_STIFFNESS_FROZEN; kind <= SN_STIFFNESS_EXACT; ++kind) {
        stop_on(sn_solid_linearise(solid, pool, x, (sn_stiffness)kind, &error), &error);
        sn_solid_add_product(solid, pool, 1.0, v, y);
    }
    printf("solid law %d, %d nodes: %016llx %.17g\n", law, nodes,
           (unsigned long long)sn_hash64(y, size * sizeof *y, 0), energy);
    free(x);
    free(v);
    free(y);
    sn_solid_destroy(solid);
    sn_tetrahedra_release(mesh);
}

static void run_solids(int threads)
{
    sn_error error = {0};
    sn_threads *pool = NULL;
    stop_on(sn_threads_create(threads, &pool, &error), &error);
    for (int k = 0; k < 2 * SN_ELASTIC_LAW_COUNT; ++k) {
        run_solid(k / 2, k % 2 == 0 ? 4 : 10, pool);
    }
    sn_threads_destroy(pool);
}

int main(int argc, char **argv)
{
    enum { COUNT = 1000 };
    static sn_body bodies[COUNT];
    int threads = 1, contact_steps = 1000; // wrong numbers of threads are refused below
    for (int i = 1; i + 1 < argc; i += 2) {
        int *option = strcmp(argv[i], "--threads") == 0 ? &threads : &contact_steps;
        *option = (int)strtol(argv[i + 1], NULL, 10);
    }
    for (int variant = 0; variant < 2; ++variant) {
        sn_error error = {0};
        sn_world_def def = sn_default_world_def();
        def.contact.method = SN_CONTACT_NONE; // bodies at random places overlap
        def.threads = threads;
        sn_world *world = NULL;
        stop_on(sn_world_create(&def, &world, &error), &error);
        sn_random random = {.seed = 2026};
        add_bodies(world, &random, bodies, COUNT);
        if (variant == 1) {
            add_fields(world, bodies, COUNT);
        }
        for (int step = 0; step <= 1000; ++step) {
            if (step % 250 == 0) {
                printf("%s step %d: %016llx\n", variant == 0 ? "free" : "fields", step,
                       (unsigned long long)sn_world_hash(world));
            }
            stop_on(sn_world_step(world, 0.002, &error), &error);
        }
        sn_world_destroy(world);
    }
    run_tree();
    run_mechanisms(threads);
    run_winds(threads);
    run_solids(threads);
    run_contacts("pile", build_pile, threads, contact_steps);
    run_contacts("ragdolls", build_ragdolls, threads, contact_steps);
    run_contacts("arch", build_arch, threads, contact_steps);
    return 0;
}
