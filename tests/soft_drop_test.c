// Elastic bodies dropped at random on each other, on rigid bodies and on themselves: no surface
// crosses another in any step, nothing is lost, energy does not grow.
//
//     SINEW_SCENES=n   so many scenes (default 6); SINEW_SOAK=1: 10,000
//     SINEW_SEED=n     others than those of seed 7007; SINEW_FIRST=n: from that one on
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/skin_pairs.h"
#include "collide/skin_shape.h"
#include "sinew/sinew.h"

enum { MOST_SOFT = 3, STEPS = 40 };

typedef struct scene {
    sn_world *world;
    sn_body soft[MOST_SOFT];
    sn_skin *skins[MOST_SOFT];
    sn_vec3 *places[MOST_SOFT];
    bool self[MOST_SOFT];
    int count;
} scene;

static int read_number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? (int)strtol(text, NULL, 10) : otherwise;
}

static sn_tetrahedra *random_mesh(sn_random *random)
{
    sn_tetrahedra *mesh = NULL;
    int kind = sn_random_below(random, 4);
    if (kind == 0) {
        assert_int_equal(
            sn_tetrahedra_make_sphere(0.1, 1 + sn_random_below(random, 2), &mesh, NULL), SN_OK);
    } else if (kind == 1) {
        sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
        torus.radius = 0.1;
        torus.tube_radius = 0.03;
        torus.spokes = 5;
        torus.segments = 10;
        assert_int_equal(sn_tetrahedra_make_torus(&torus, &mesh, NULL), SN_OK);
    } else {
        sn_tetrahedra_box box = sn_default_tetrahedra_box();
        bool strip = kind == 2; // long and soft enough to fold onto itself
        box.size = strip ? (sn_vec3){0.5, 0.05, 0.03} : (sn_vec3){0.15, 0.15, 0.1};
        box.cells[0] = strip ? 10 : 2;
        box.cells[1] = strip ? 1 : 2;
        box.cells[2] = 1;
        assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    }
    return mesh;
}

static sn_quat random_turn(sn_random *random)
{
    sn_quat q = {sn_random_range(random, -1.0, 1.0), sn_random_range(random, -1.0, 1.0),
                 sn_random_range(random, -1.0, 1.0), sn_random_range(random, 0.1, 1.0)};
    return sn_quat_normalize(q);
}

static sn_vec3 random_vector(sn_random *random, double reach)
{
    return sn_vec3_make(sn_random_range(random, -reach, reach),
                        sn_random_range(random, -reach, reach),
                        sn_random_range(random, -reach, reach));
}

static void add_soft(scene *s, sn_random *random)
{
    static const double moduli[] = {1e4, 1e5, 1e6};
    int i = s->count++;
    sn_tetrahedra *mesh = random_mesh(random);
    sn_elastic_material material = sn_default_elastic_material();
    sn_elastic_law law =
        sn_random_below(random, 2) == 0 ? SN_ELASTIC_COROTATIONAL : SN_ELASTIC_NEO_HOOKEAN;
    material.elastic = sn_elastic_from_young(law, moduli[sn_random_below(random, 3)], 0.3);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame.position = (sn_vec3){0.1 * sn_random_range(random, -1.0, 1.0),
                                   0.1 * sn_random_range(random, -1.0, 1.0), 0.35 + 0.6 * i};
    def.frame.rotation = random_turn(random);
    def.velocity = random_vector(random, 3.0);
    def.velocity.z -= 2.0 * i; // the upper ones catch up
    def.angular_velocity = random_vector(random, 5.0);
    def.stiffness_damping = 0.002;
    def.integrator =
        sn_random_below(random, 2) == 0 ? SN_INTEGRATOR_LIE_MIDPOINT : SN_INTEGRATOR_IMPLICIT_EULER;
    def.surface.friction = sn_random_range(random, 0.0, 1.0);
    s->self[i] = def.meets_itself = sn_random_below(random, 2) == 0;
    sn_error error = {0};
    if (sn_world_add_elastic(s->world, &def, &s->soft[i], &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_skin_of_tetrahedra(mesh, 3, NULL, &s->skins[i], NULL), SN_OK);
    s->places[i] = calloc((size_t)sn_tetrahedra_vertex_count(mesh), sizeof(sn_vec3));
    sn_tetrahedra_release(mesh);
}

static void add_rigid(scene *s, sn_random *random, bool moves)
{
    sn_shape shape = sn_default_shape();
    shape.type = moves ? SN_SHAPE_BOX : SN_SHAPE_PLANE;
    shape.size = (sn_vec3){0.1, 0.12, 0.08};
    shape.density = 500.0;
    sn_body_def def = sn_default_body_def();
    def.type = moves ? SN_BODY_RIGID : SN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position.x = moves ? 0.3 : 0.0;
    def.frame.position.z = moves ? 1.0 : 0.0;
    def.velocity = moves ? (sn_vec3){-2.0, 0.0, -2.0} : SN_VEC3_ZERO;
    def.frame.rotation = moves ? random_turn(random) : def.frame.rotation;
    sn_body body;
    sn_error error = {0};
    if (sn_world_add_body(s->world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
}

static scene make_scene(sn_random *random)
{
    scene s = {0};
    sn_world_def def = sn_default_world_def();
    assert_int_equal(sn_world_create(&def, &s.world, NULL), SN_OK);
    add_rigid(&s, random, false);
    int count = 1 + sn_random_below(random, MOST_SOFT);
    for (int i = 0; i < count; ++i) {
        add_soft(&s, random);
    }
    if (sn_random_below(random, 2) == 0) {
        add_rigid(&s, random, true);
    }
    return s;
}

static void free_scene(scene *s)
{
    for (int i = 0; i < s->count; ++i) {
        sn_skin_destroy(s->skins[i]);
        free(s->places[i]);
    }
    sn_world_destroy(s->world);
}

// How many edges cross faces, of those that may not, and how deep the lowest vertex is in the
// floor.
static int count_crossings(scene *s, double *depth)
{
    *depth = 0.0;
    for (int i = 0; i < s->count; ++i) {
        sn_body_read_vertices(s->world, s->soft[i], s->places[i], NULL);
        sn_skin_place(s->skins[i], &s->places[i][0].x, NULL, 0.0);
        for (int k = 0; k < s->skins[i]->vertex_count; ++k) {
            *depth = fmax(*depth, -s->places[i][s->skins[i]->vertices[k]].z);
        }
    }
    sn_skin_crossing first;
    int crossings = sn_skin_crossings(s->skins, s->count, SN_SKIN_OTHERS, &first);
    for (int i = 0; i < s->count; ++i) {
        crossings += s->self[i] ? sn_skin_crossings(&s->skins[i], 1, SN_SKIN_SELF, &first) : 0;
    }
    return crossings;
}

static bool run_scene(int number, uint64_t seed, char *what, size_t size)
{
    sn_random random = {.seed = seed, .stream = (uint64_t)number};
    scene s = make_scene(&random);
    double start = sn_world_energy(s.world).total, depth;
    bool sound = true;
    for (int i = 0; i < STEPS && sound; ++i) {
        sn_error error = {0};
        sound = sn_world_step(s.world, 1.0 / 120.0, &error) == SN_OK;
        if (!sound) {
            snprintf(what, size, "scene %d, step %d: %s", number, i, sn_error_message(&error));
            break;
        }
        double energy = sn_world_energy(s.world).total;
        int crossings = count_crossings(&s, &depth);
        sound = crossings == 0 && depth < 1e-6 && energy < start + 0.05 * fabs(start) + 0.5;
        snprintf(what, size, "scene %d, step %d: %d crossings, %g m deep, energy %g from %g J",
                 number, i, crossings, depth, energy, start);
    }
    free_scene(&s);
    return sound;
}

static void nothing_crosses_in_random_drops(void **state)
{
    (void)state;
    bool soak = getenv("SINEW_SOAK") != NULL;
    int count = read_number("SINEW_SCENES", soak ? 10000 : 6), failed = 0,
        first = read_number("SINEW_FIRST", 0);
    uint64_t seed = (uint64_t)read_number("SINEW_SEED", 7007);
    for (int i = first; i < first + count; ++i) {
        char what[300];
        if (!run_scene(i, seed, what, sizeof what)) {
            printf("%s\n", what);
            ++failed;
        }
    }
    if (failed > 0) {
        fail_msg("%d of %d scenes", failed, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_crosses_in_random_drops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
