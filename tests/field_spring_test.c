// Springs and dampers of fields in a step: strong ones, on all kinds of ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "scene_text.h"
#include "sinew/contact.h"
#include "sinew/joint.h"
#include "solve/soft_row.h"

#define BODY(name, place)                                                                          \
    "{\"name\": \"" name "\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.1, "   \
    "0.2]}, \"position\": " place "}"
#define SOFT(name, place)                                                                          \
    "{\"name\": \"" name                                                                           \
    "\", \"type\": \"elastic\", \"material\": \"jelly\", \"mesh\": {\"type\": "                    \
    "\"box\", \"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1]}, \"position\": " place "}"

// Each has one spring of stiffness %g and damping %g; 1 kg or about that moves.
typedef struct arrangement {
    const char *name, *bodies, *joints, *spring;
    double rest;
} arrangement;

static const arrangement arrangements[] = {
    {"free body", BODY("a", "[0, 0, 0]"), "",
     "\"a\": \"a\", \"b\": \"world\", \"point_a\": [0.2, 0.05, 0.1], \"point_b\": [1, 0.3, 0.2]",
     0.55},
    {"two free bodies", BODY("a", "[0, 0, 0]") "," BODY("b", "[1, 0.2, 0.1]"), "",
     "\"a\": \"a\", \"b\": \"b\", \"point_a\": [0.2, 0.05, 0.1], \"point_b\": [-0.2, 0, 0.1]",
     0.55},
    {"slider", BODY("a", "[0, 0, 0]"),
     "{\"name\": \"j1\", \"type\": \"slider\", \"child\": \"a\", \"at\": [0, 0, 0], \"axis\": [1, "
     "0, 0]}",
     "\"a\": \"a\", \"b\": \"world\", \"point_b\": [1, 0.5, 0]", 0.55},
    {"hinge", BODY("a", "[0.25, 0, 0]"),
     "{\"name\": \"j2\", \"type\": \"hinge\", \"child\": \"a\", \"at\": [0, 0, 0], \"axis\": [0, "
     "1, 0]}",
     "\"a\": \"a\", \"b\": \"world\", \"point_a\": [0.25, 0, 0], \"point_b\": [0.6, 0.1, 0.7]",
     0.55},
    {"ball", BODY("a", "[0.25, 0, 0]"),
     "{\"name\": \"j3\", \"type\": \"ball\", \"child\": \"a\", \"at\": [0, 0, 0]}",
     "\"a\": \"a\", \"b\": \"world\", \"point_a\": [0.25, 0, 0], \"point_b\": [0.6, 0.1, 0.7]",
     0.55},
    {"two links", BODY("a", "[0.25, 0, 0]") "," BODY("b", "[0.75, 0, 0]"),
     "{\"name\": \"j4\", \"type\": \"hinge\", \"child\": \"a\", \"at\": [0, 0, 0], \"axis\": [0, "
     "1, 0]}, {\"name\": \"k\", \"type\": "
     "\"hinge\", \"parent\": \"a\", \"child\": \"b\", \"at\": [0.5, 0, 0], \"axis\": [0, 1, 0]}",
     "\"a\": \"a\", \"b\": \"b\", \"point_a\": [0, 0, 0.1], \"point_b\": [0, 0, 0.1]", 0.55},
    {"free body and link", BODY("a", "[0.25, 0, 0]") "," BODY("b", "[0.8, 0, 0.4]"),
     "{\"name\": \"j5\", \"type\": \"hinge\", \"child\": \"a\", \"at\": [0, 0, 0], \"axis\": [0, "
     "1, 0]}",
     "\"a\": \"a\", \"b\": \"b\", \"point_a\": [0.25, 0, 0], \"point_b\": [-0.2, 0.05, 0]", 0.55},
    {"two mechanisms", BODY("a", "[0.25, 0, 0]") "," BODY("b", "[0.25, 0, 1]"),
     "{\"name\": \"j6\", \"type\": \"hinge\", \"child\": \"a\", \"at\": [0, 0, 0], \"axis\": [0, "
     "1, 0]}, {\"name\": \"k\", \"type\": "
     "\"hinge\", \"child\": \"b\", \"at\": [0, 0, 1], \"axis\": [0, 1, 0.2]}",
     "\"a\": \"a\", \"b\": \"b\", \"point_a\": [0.25, 0, 0], \"point_b\": [0.2, 0, 0]", 0.55},
    {"elastic body", SOFT("a", "[0, 0, 0]"), "",
     "\"a\": \"a\", \"b\": \"world\", \"point_a\": [0.05, 0.05, 0.05], \"point_b\": [0.2, 0, 0.6]",
     0.55},
    {"elastic and rigid body", SOFT("a", "[0, 0, 0]") "," BODY("b", "[0.8, 0, 0.4]"), "",
     "\"a\": \"a\", \"b\": \"b\", \"point_a\": [0.05, 0.02, 0.01], \"point_b\": [-0.2, 0.05, 0]",
     0.55},
};
enum { ARRANGEMENTS = sizeof arrangements / sizeof arrangements[0] };

static sn_world *arrange(const arrangement *which, double stiffness, double damping, double rest)
{
    char text[4000];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"materials\": {\"jelly\": {\"density\": 1000, \"young\": 1e5, "
             "\"poisson\": 0.3}}, \"bodies\": [%s], \"joints\": [%s], \"fields\": [{\"type\": "
             "\"spring\", \"name\": \"s\", %s, \"stiffness\": %.17g, \"damping\": %.17g, "
             "\"rest_length\": %.17g}]}",
             which->bodies, which->joints, which->spring, stiffness, damping, rest);
    return build_text(text);
}

static const double STEP = 1.0 / 240.0;

// The most by which the total energy is above what it was at the start, as a share of what is at
// stake: the most kinetic energy there was, and what the spring held.
static double gain_of(sn_world *world, double h, int steps)
{
    sn_energy start = sn_world_energy(world);
    double most = start.total, kinetic = start.kinetic;
    for (int i = 0; i < steps; ++i) {
        advance(world, h, 1);
        sn_energy now = sn_world_energy(world);
        most = fmax(most, now.total);
        kinetic = fmax(kinetic, now.kinetic);
        if (!isfinite(now.total)) {
            return INFINITY;
        }
    }
    double stake = kinetic + fmax(start.potential, 0.0);
    return stake > 0.0 ? (most - start.total) / stake : 0.0;
}

static void strong_ones_gain_nothing(void **state)
{
    (void)state;
    int failures = 0;
    for (int i = 0; i < ARRANGEMENTS; ++i) {
        for (double share = 0.1; share < 2e6; share *= 10.0) {
            const double stiffness[3] = {share / (STEP * STEP), 10.0, share / (STEP * STEP)},
                         damping[3] = {0.0, share / STEP, share / STEP};
            for (int k = 0; k < 3; ++k) {
                sn_world *world =
                    arrange(&arrangements[i], stiffness[k], damping[k], arrangements[i].rest);
                double gain = gain_of(world, STEP, 240);
                sn_world_destroy(world);
                if (!(gain < 1e-2)) {
                    print_error("%s, %g, %s: gains %g\n", arrangements[i].name, share,
                                k == 0   ? "spring"
                                : k == 1 ? "damper"
                                         : "both",
                                gain);
                    failures += 1;
                }
            }
        }
    }
    assert_int_equal(failures, 0);
}

// A bar on a hinge with a damper of c h / m = 1.7 at its end: 1e7 J after 2 s where the damper is a
// force of the velocity at the start of each step.
static void a_damper_on_a_hinge(void **state)
{
    (void)state;
    double angle[2];
    for (int i = 0; i < 2; ++i) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(
            sn_scene_load_file("tests/faults/damper_hinge.json", NULL, &scene, &errors), SN_OK);
        sn_error_list_free(&errors);
        sn_world *world = build(scene);
        sn_scene_destroy(scene);
        double last = sn_world_energy(world).total;
        for (int n = 0; n < (i == 0 ? 480 : 3840); ++n) {
            advance(world, 2.0 / (i == 0 ? 480 : 3840), 1);
            double now = sn_world_energy(world).total;
            assert_true(now <= last + 1e-12);
            last = now;
        }
        sn_joint hinge = sn_world_find_joint(world, "j");
        angle[i] = sn_joint_position(world, hinge, 0);
        sn_world_destroy(world);
    }
    assert_true(fabs(angle[0] - angle[1]) < 2e-5);
}

static void momenta_stay(void **state)
{
    (void)state;
    for (double share = 0.1; share < 2e6; share *= 100.0) {
        sn_world *world = arrange(&arrangements[1], share / (STEP * STEP), share / STEP,
                                  share < 10.0 ? 0.4 : 0.6);
        sn_vec3 turning = sn_world_angular_momentum(world);
        advance(world, STEP, 120);
        sn_vec3 weight = {0.0, 0.0, -2.0 * 9.81 * 120 * STEP};
        assert_true(sn_distance(sn_world_momentum(world), weight) < 1e-11);
        sn_vec3 centre =
            sn_vec3_scale(0.5, sn_vec3_add(sn_body_centre(world, sn_world_find_body(world, "a")),
                                           sn_body_centre(world, sn_world_find_body(world, "b"))));
        // About the centre of mass, which falls.
        sn_vec3 spin = sn_vec3_sub(sn_world_angular_momentum(world), sn_cross(centre, weight));
        assert_true(sn_distance(spin, turning) < 1e-11);
        sn_world_destroy(world);
    }
}

// A box between the floor and a spring that is 1 mm too long for its place, k h^2 / m = 1e4: the
// floor bears the weight and the spring, which a spring that is solved before contact, or is free
// to relax in a step, would not press.
static void stiff_springs_press(void **state)
{
    (void)state;
    double stiffness = 1e4 / (STEP * STEP);
    char text[1000];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"bodies\": [{\"name\": \"floor\", \"type\": \"static\", \"shape\": "
             "{\"type\": \"plane\"}}, {\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": "
             "\"box\", \"size\": [0.4, 0.4, 0.2]}, \"position\": [0, 0, 0.1]}], \"fields\": "
             "[{\"type\": \"spring\", \"a\": \"a\", \"b\": \"world\", \"point_b\": [0, 0, 1.1], "
             "\"stiffness\": %.17g, \"rest_length\": 1.001}]}",
             stiffness);
    sn_world *world = build_text(text);
    advance(world, STEP, 60);
    sn_vec3 force = sn_body_contact_force(world, sn_world_find_body(world, "a"), NULL);
    assert_true(fabs(force.z / (9.81 + 1e-3 * stiffness) - 1.0) < 1e-3);
    sn_world_destroy(world);
}

// ---- springs that steps resolve: sweeps without the exact solver ----

static int bits(int mask)
{
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1);
}

// Eight boxes at the corners of a cube, all joined to all at points off their centres, two of them
// to the world. `anchored`: a spring of next to no stiffness to a mechanism far away takes the
// whole to the exact solver.
static sn_world *cube_of_springs(double stiffness, double damping, bool anchored)
{
    char text[16000];
    int used = snprintf(text, sizeof text,
                        "{\"sinew\": 1, \"contact\": {\"method\": \"none\"}, \"bodies\": [");
    for (int i = 0; i < 8; ++i) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "{\"name\": \"b%d\", \"mass\": %g, \"shape\": {\"type\": \"box\", "
                         "\"size\": [0.1, 0.2, 0.15]}, \"position\": [%d, %d, %d], "
                         "\"velocity\": [%g, 0.2, %g], \"angular_velocity\": [0, 1, %d]},",
                         i, 1.0 + 0.2 * i, i & 1, i >> 1 & 1, i >> 2, 0.1 * i, -0.3 * (i & 1), i);
    }
    used += snprintf(
        text + used, sizeof text - (size_t)used,
        BODY("far",
             "[50, 0, 0]") "], \"joints\": [{\"name\": \"j\", \"type\": "
                           "\"slider\", \"child\": \"far\", \"at\": [50, 0, 0], \"axis\": [1, 0, "
                           "0]}], \"fields\": [");
    for (int i = 0; i < 8; ++i) {
        for (int k = i + 1; k < 8; ++k) {
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "{\"type\": \"spring\", \"a\": \"b%d\", \"b\": \"b%d\", "
                             "\"point_a\": [0.05, %g, 0], \"stiffness\": %.17g, \"damping\": "
                             "%.17g, \"rest_length\": %g},",
                             i, k, 0.01 * k, stiffness, damping,
                             i == 3 && k == 4 ? 0.7 : 0.95 * sqrt((double)bits(i ^ k)));
        }
    }
    for (int i = 0; i < 2; ++i) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "{\"type\": \"spring\", \"a\": \"world\", \"point_a\": [%d, 0, 2], "
                         "\"b\": \"b%d\", \"stiffness\": %.17g, \"damping\": %.17g},",
                         i, 4 + i, 2.0 * stiffness, damping);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "{\"type\": \"spring\", \"a\": \"%s\", \"b\": \"far\", \"stiffness\": 1e-12}]}",
             anchored ? "b0" : "world");
    return build_text(text);
}

static double cubes_differ(sn_world *a, sn_world *b)
{
    double most = 0.0;
    for (int i = 0; i < 8; ++i) {
        char name[4] = {'b', (char)('0' + i), 0};
        sn_body x = sn_world_find_body(a, name), y = sn_world_find_body(b, name);
        most = fmax(most, sn_distance(sn_body_centre(a, x), sn_body_centre(b, y)));
        most = fmax(most, sn_distance(sn_body_velocity(a, x), sn_body_velocity(b, y)));
        most =
            fmax(most, sn_distance(sn_body_angular_velocity(a, x), sn_body_angular_velocity(b, y)));
    }
    return most;
}

// Two ways to the same answer.
static void sweeps_are_the_exact_solver(void **state)
{
    (void)state;
    const double stiffness[3] = {1.0, 20.0, 40.0}, damping[3] = {0.3, 0.0, 0.5};
    for (int i = 0; i < 3; ++i) {
        sn_world *swept = cube_of_springs(stiffness[i], damping[i], false);
        sn_world *exact = cube_of_springs(stiffness[i], damping[i], true);
        advance(swept, STEP, 60);
        advance(exact, STEP, 60);
        double differ = cubes_differ(swept, exact);
        assert_true(differ < 1e-9);
        assert_true(differ > 0.0); // it was not the same way
        sn_world_destroy(swept);
        sn_world_destroy(exact);
    }
}

// Second order with dampers, of many springs at a body.
static void sweeps_are_of_second_order(void **state)
{
    (void)state;
    sn_world *reference = cube_of_springs(200.0, 3.0, false);
    advance(reference, 0.25 / 7680, 7680);
    double off[2];
    for (int i = 0; i < 2; ++i) {
        sn_world *world = cube_of_springs(200.0, 3.0, false);
        int steps = 240 << i;
        advance(world, 0.25 / steps, steps);
        off[i] = cubes_differ(world, reference);
        sn_world_destroy(world);
    }
    sn_world_destroy(reference);
    assert_true(fabs(log2(off[0] / off[1]) - 2.0) < 0.1);
}

// Without dampers, from springs that are swept to such as no step resolves: nothing is gained on
// either side of the limit, and nothing lost where all is resolved.
static void many_at_a_body_keep_energy(void **state)
{
    (void)state;
    for (double stiffness = 10.0; stiffness < 2e4; stiffness *= 4.0) {
        sn_world *world = cube_of_springs(stiffness, 0.0, false);
        sn_energy start = sn_world_energy(world);
        double gain = gain_of(world, STEP, 480);
        sn_energy end = sn_world_energy(world);
        sn_world_destroy(world);
        assert_true(gain < 5e-3);
        if (stiffness < 100.0) { // all of it is resolved
            assert_true(fabs(end.total - start.total) < 1e-3 * end.kinetic);
        }
    }
}

// What a world is changed to from outside counts from the next step on.
static void changes_are_noticed(void **state)
{
    (void)state;
    sn_world *world = arrange(&arrangements[0], 10.0, 0.0, 0.55);
    sn_world *other = arrange(&arrangements[0], 20.0, 0.0, 0.55);
    advance(world, STEP, 1);
    advance(other, STEP, 1);
    sn_body a = sn_world_find_body(world, "a"), b = sn_world_find_body(other, "a");
    assert_int_equal(sn_body_set_transform(world, a, sn_body_transform(other, b), NULL), SN_OK);
    assert_int_equal(sn_body_set_velocity(world, a, sn_body_velocity(other, b),
                                          sn_body_angular_velocity(other, b), NULL),
                     SN_OK);
    sn_spring_def def = sn_default_spring_def();
    def.point_a = sn_vec3_make(0.2, 0.05, 0.1);
    def.point_b = sn_vec3_make(1.0, 0.3, 0.2);
    def.stiffness = 20.0;
    def.rest_length = 0.55;
    assert_int_equal(sn_world_set_spring(world, sn_world_find_field(world, "s"), &def, NULL),
                     SN_OK);
    advance(world, STEP, 30);
    advance(other, STEP, 30);
    assert_true(sn_distance(sn_body_centre(world, a), sn_body_centre(other, b)) < 1e-12);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

// ---- random ones ----

static sn_vec3 random_place(sn_random *random, double reach)
{
    double x = sn_random_range(random, -reach, reach), y = sn_random_range(random, -reach, reach);
    return sn_vec3_make(x, y, sn_random_range(random, -reach, reach));
}

static int random_scene(sn_random *random, char *text, size_t size)
{
    const char *const kinds[4] = {"\"mass\": 0.1", "\"type\": \"static\"", "\"mass\": 8",
                                  "\"mass\": 1"};
    int bodies = 2 + sn_random_below(random, 4), springs = 1 + sn_random_below(random, 5);
    int used =
        snprintf(text, size, "{\"sinew\": 1, \"contact\": {\"method\": \"none\"}, \"bodies\": [");
    int kind[6];
    for (int i = 0; i < bodies; ++i) {
        sn_vec3 at = random_place(random, 1.0);
        kind[i] = sn_random_below(random, 4);
        used += snprintf(text + used, size - (size_t)used,
                         "%s{\"name\": \"b%d\", %s, \"shape\": {\"type\": \"box\", \"size\": "
                         "[0.3, 0.2, 0.1]}, \"position\": [%g, %g, %g]}",
                         i > 0 ? ", " : "", i, kinds[kind[i]], at.x, at.y, at.z);
    }
    used += snprintf(text + used, size - (size_t)used, "], \"joints\": [");
    bool first = true;
    for (int i = 0; i < bodies; ++i) {
        if (kind[i] != 3) {
            continue;
        }
        sn_vec3 at = random_place(random, 1.0);
        used += snprintf(text + used, size - (size_t)used,
                         "%s{\"name\": \"j%d\", \"type\": \"hinge\", \"child\": \"b%d\", \"at\": "
                         "[%g, %g, %g], \"axis\": [0.6, 0, 0.8]}",
                         first ? "" : ", ", i, i, at.x, at.y, at.z);
        first = false;
    }
    used += snprintf(text + used, size - (size_t)used, "], \"fields\": [");
    for (int i = 0; i < springs; ++i) {
        int a = sn_random_below(random, bodies), b = sn_random_below(random, bodies + 1);
        b = b == a ? bodies : b;
        char other[20];
        snprintf(other, sizeof other, b == bodies ? "world" : "b%d", b);
        bool centred = sn_random_below(random, 3) == 0, far = sn_random_below(random, 8) == 0;
        sn_vec3 p = centred ? SN_VEC3_ZERO : random_place(random, far ? 0.6 : 0.3),
                q = centred ? SN_VEC3_ZERO : random_place(random, 0.3);
        double stiffness = pow(10.0, sn_random_range(random, -1.0, 9.0)),
               damping = pow(10.0, sn_random_range(random, -2.0, 7.0));
        int rest = sn_random_below(random, 3); // as it is, none, or some
        used += snprintf(text + used, size - (size_t)used,
                         "%s{\"type\": \"spring\", \"a\": \"b%d\", \"b\": \"%s\", \"point_a\": "
                         "[%g, %g, %g], \"point_b\": [%g, %g, %g], \"stiffness\": %g, \"damping\": "
                         "%g",
                         i > 0 ? ", " : "", a, other, p.x, p.y, p.z, q.x, q.y, q.z,
                         sn_random_below(random, 4) == 0 ? 0.0 : stiffness,
                         sn_random_below(random, 2) == 0 ? 0.0 : damping);
        if (rest > 0) {
            used += snprintf(text + used, size - (size_t)used, ", \"rest_length\": %g",
                             rest == 1 ? 0.0 : sn_random_range(random, 0.0, 1.5));
        }
        used += snprintf(text + used, size - (size_t)used, "}");
    }
    return used + snprintf(text + used, size - (size_t)used, "]}");
}

// Springs of any strength between bodies of any kind, with ends that coincide or are far off, under
// and without tension.
static void random_ones_gain_nothing(void **state)
{
    (void)state;
    int failures = 0;
    for (int i = 0; i < 200; ++i) {
        sn_random random = {.seed = (uint64_t)i};
        char text[8000];
        assert_true(random_scene(&random, text, sizeof text) < (int)sizeof text);
        sn_world *world = build_text(text);
        double gain = gain_of(world, STEP, 120);
        sn_world_destroy(world);
        if (!(gain < 1e-2)) {
            print_error("seed %d gains %g: %s\n", i, gain, text);
            failures += 1;
        }
    }
    assert_int_equal(failures, 0);
}

// A state that is loaded, and a copy, go on to the bit.
static void states_go_on(void **state)
{
    (void)state;
    for (int i = 0; i < ARRANGEMENTS; ++i) {
        sn_world *world = arrange(&arrangements[i], 100.0 / (STEP * STEP), 3.0 / STEP, 0.55);
        advance(world, STEP, 10);
        sn_world *copy = NULL;
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        size_t size = sn_world_state_size(world);
        unsigned char *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
        advance(world, STEP, 10);
        uint64_t hash = sn_world_hash(world);
        advance(copy, STEP, 10);
        assert_true(sn_world_hash(copy) == hash);
        assert_int_equal(sn_world_load_state(world, bytes, size, NULL), SN_OK);
        advance(world, STEP, 10);
        assert_true(sn_world_hash(world) == hash);
        free(bytes);
        sn_world_destroy(world);
        sn_world_destroy(copy);
    }
}

// The row's own law: it begins as the spring's force, is the trapezoidal rule where it is resolved,
// and decays as exp(-z) by itself.
static void the_law_of_a_row(void **state)
{
    (void)state;
    const double h = 0.01;
    sn_soft_row row = {.stiffness = 50.0, .damping = 2.0, .stretch = 0.1, .rate = -0.3};
    sn_soft_law law = sn_soft_row_law(&row, 1e-6, h, false);
    assert_true(fabs(law.push + h * (50.0 * 0.1 - 2.0 * 0.3)) < 1e-15);
    assert_true(fabs(law.resistance - (50.0 * h * h / 4.0 + 2.0 * h / 2.0)) < 1e-9);
    for (double z = 1e-6; z < 1e9; z *= 10.0) {
        sn_soft_row damper = {.damping = z / (h * 0.7), .rate = 1.5};
        sn_soft_law decay = sn_soft_row_law(&damper, 0.7, h, false);
        // u1 = u0 + W (push - resistance (u1 - u0))
        double u1 = 1.5 + 0.7 * decay.push / (1.0 + 0.7 * decay.resistance);
        assert_true(fabs(u1 - 1.5 * exp(-z)) < 1e-12);
    }
    row.start = 0.2;
    sn_soft_law whole = sn_soft_row_law(&row, 1.0, h, true); // k (start + h u1) + c u1
    double u1 = 0.4, impulse = whole.push - whole.resistance * (u1 - row.rate);
    assert_true(fabs(impulse + h * (50.0 * (0.2 + h * u1) + 2.0 * u1)) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_of_a_row),
        cmocka_unit_test(strong_ones_gain_nothing),
        cmocka_unit_test(a_damper_on_a_hinge),
        cmocka_unit_test(momenta_stay),
        cmocka_unit_test(stiff_springs_press),
        cmocka_unit_test(states_go_on),
        cmocka_unit_test(sweeps_are_the_exact_solver),
        cmocka_unit_test(sweeps_are_of_second_order),
        cmocka_unit_test(many_at_a_body_keep_energy),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(random_ones_gain_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
