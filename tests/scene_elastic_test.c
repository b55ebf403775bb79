// Elastic bodies of scenes: what reaches the world, what params change, that a resolved text is the
// same scene, and mistakes with their places.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "scene_text.h"
#include "sinew/contact.h"
#include "sinew/elastic.h"
#include "sinew/joint.h"
#include "sinew/mechanics.h"

#define BAR "{\"type\": \"box\", \"size\": [\"2m\", 1, 1], \"cells\": [4, 2, 2], \"cell\": \"six\"}"

static const char bar[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, -10],\n"
    "\"params\": {\"long\": {\"value\": \"2m\"}, \"young\": {\"value\": 200, \"unit\": \"kPa\"}},\n"
    "\"materials\": {\"rubber\": {\"density\": 1100, \"law\": \"neo_hookean\", \"young\": "
    "\"=young\", \"poisson\": 0.4,\n"
    "  \"viscosity\": {\"volume\": 3, \"shape\": \"4 Pa s\"}, \"fibre\": {\"direction\": [0, 2, "
    "0], "
    "\"stiffness\": \"1kPa\"},\n"
    "  \"friction\": 0.9, \"restitution\": 0.2, \"colour\": \"#102030\"}},\n"
    "\"bodies\": [{\"name\": \"bar\", \"type\": \"elastic\", \"material\": \"rubber\",\n"
    "  \"mesh\": {\"type\": \"box\", \"size\": [\"=long\", 1, 1], \"cells\": [4, 2, 2], \"cell\": "
    "\"six\"},\n"
    "  \"fixed\": [{\"plane\": [-3, 0, 0], \"position\": [\"=-long/2\", 0, 0]}, {\"vertices\": "
    "[44]}],\n"
    "  \"damping\": {\"mass\": 0.5, \"stiffness\": \"2ms\"}, \"mass_matrix\": \"lumped\", "
    "\"solver\": \"conjugate\",\n"
    "  \"solver_tolerance\": 1e-9, \"newton\": 2, \"position\": [0, 0, 3], \"surface\": "
    "{\"restitution\": 0.5, \"self\": true}}],\n"
    "\"probes\": [{\"name\": \"tip\", \"of\": \"bar\", \"quantity\": \"position.z\", \"point\": "
    "[\"=long/2\", 0, 0]},\n"
    "  {\"name\": \"tip_speed\", \"of\": \"bar\", \"quantity\": \"velocity.z\", \"point\": [1, 0, "
    "0]},\n"
    "  {\"name\": \"stored\", \"of\": \"bar\", \"quantity\": \"energy.elastic\"},\n"
    "  {\"name\": \"least\", \"of\": \"bar\", \"quantity\": \"stretch.least\"}]}\n";

static sn_body first(const sn_world *world)
{
    return sn_world_body(world, 0);
}

static double probe_of(const sn_scene *scene, const sn_world *world, int index)
{
    sn_named_probe probe;
    assert_int_equal(sn_scene_probe(scene, world, index, &probe, NULL), SN_OK);
    return sn_probe_read(world, &probe.probe);
}

static void scenes_have_elastic_bodies(void **state)
{
    (void)state;
    sn_scene *scene = load(bar);
    sn_world *world = build(scene);
    sn_body body = first(world);
    assert_int_equal(sn_body_get_type(world, body), SN_BODY_ELASTIC);
    assert_int_equal(sn_body_vertex_count(world, body), 45);
    assert_int_equal(sn_tetrahedra_element_count(sn_body_tetrahedra(world, body)), 96);
    assert_true(fabs(sn_body_mass_properties(world, body).mass / 2200.0 - 1.0) < 1e-12);
    int fixed = 0, count = 0;
    const sn_vec3 *rest = sn_tetrahedra_positions(sn_body_tetrahedra(world, body));
    for (int i = 0; i < 45; ++i) {
        bool is = sn_body_vertex_is_fixed(world, body, i);
        assert_true(is == (rest[i].x == -1.0 || i == 44));
        fixed += is;
    }
    assert_int_equal(fixed, 10);
    assert_int_equal(sn_world_freedom_count(world), 105);
    const sn_elastic_material *rubber = sn_body_materials(world, body, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rubber->elastic.law, SN_ELASTIC_NEO_HOOKEAN);
    assert_true(fabs(rubber->elastic.shear / (2e5 / 2.8) - 1.0) < 1e-14);
    assert_true(rubber->elastic.fibre_stiffness == 1000.0 && rubber->elastic.fibre.y == 1.0);
    assert_true(rubber->viscosity.volume == 3.0 && rubber->viscosity.shape == 4.0);
    assert_true(rubber->density == 1100.0);
    assert_int_equal(sn_body_look(world, body).colour, 0x102030);
    assert_true(probe_of(scene, world, 0) == 3.0 && probe_of(scene, world, 2) == 0.0);
    assert_true(probe_of(scene, world, 3) == 1.0);
    advance(world, 0.01, 10);
    double before = probe_of(scene, world, 0), speed = probe_of(scene, world, 1);
    assert_true(before < 3.0 && speed < 0.0 && probe_of(scene, world, 2) > 0.0);
    advance(world, 1e-6, 1);
    assert_true(fabs((probe_of(scene, world, 0) - before) / 1e-6 / speed - 1.0) < 1e-3);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// A world's hash after some steps, of a scene and of its resolved text.
static uint64_t run_hash(const sn_scene *scene, int threads)
{
    sn_world *world = build(scene);
    assert_int_equal(sn_world_set_threads(world, threads, NULL), SN_OK);
    advance(world, 0.01, 5);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

static void check_resolved(const sn_scene *scene)
{
    char *text;
    size_t length;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    sn_scene *again = load(text);
    assert_true(run_hash(scene, 1) == run_hash(again, 2));
    char *second;
    assert_int_equal(sn_scene_resolved_text(again, &second, &length, NULL), SN_OK);
    assert_string_equal(text, second);
    sn_scene_free_text(text);
    sn_scene_free_text(second);
    sn_scene_destroy(again);
}

// Clay that a param makes harder.
static void materials_flow(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"gravity\": [0, 0, -10], \"params\": {\"hard\": {\"value\": 2}},\n"
             "\"materials\": {\"clay\": {\"young\": \"100kPa\", \"plastic\": {\"yield_stress\": "
             "\"=hard*1000\", \"creep_rate\": \"5Hz\", \"hardening\": \"3kPa\", \"limit\": "
             "\"50%\"}}},\n"
             "\"bodies\": [{\"name\": \"lump\", \"type\": \"elastic\", \"material\": \"clay\", "
             "\"mesh\": {\"type\": \"box\", \"size\": [1, 0.2, 0.2], \"cells\": [4, 1, 1]}, "
             "\"fixed\": [{\"plane\": [-1, 0, 0], \"position\": [-0.5, 0, 0]}]}]}");
    sn_world *world = build(scene);
    int count;
    sn_plastic plastic = sn_body_materials(world, first(world), &count)->plastic;
    assert_true(plastic.yield_stress == 2000.0 && plastic.creep_rate == 5.0);
    assert_true(plastic.hardening == 3000.0 && plastic.limit == 0.5);
    for (int i = 0; i < 30; ++i) {
        assert_int_equal(sn_world_step(world, 0.01, NULL), SN_OK);
    }
    assert_true(sn_body_elastic_report(world, first(world)).plastic_strain > 0.0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void params_move_them(void **state)
{
    (void)state;
    sn_scene *scene = load(bar);
    check_resolved(scene);
    uint64_t hash = run_hash(scene, 1);
    assert_int_equal(sn_scene_set_param(scene, "young", 300.0, NULL), SN_OK);
    assert_true(run_hash(scene, 1) != hash);
    assert_int_equal(sn_scene_set_param(scene, "long", 3.0, NULL), SN_OK);
    sn_world *world = build(scene);
    assert_true(fabs(sn_body_mass_properties(world, first(world)).mass / 3300.0 - 1.0) < 1e-12);
    sn_world_destroy(world);
    check_resolved(scene);
    // What does not fit leaves everything as it was.
    sn_error error = {0};
    assert_int_equal(sn_scene_set_param(scene, "long", -1.0, &error), SN_ERROR_SCENE);
    check_resolved(scene);
    assert_int_equal(sn_scene_set_param(scene, "young", 200.0, NULL), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "long", 2.0, NULL), SN_OK);
    assert_true(run_hash(scene, 1) == hash);
    sn_scene_destroy(scene);
}

#define ELASTIC(mesh, rest)                                                                        \
    "{\"sinew\": 1, \"materials\": {\"soft\": {\"young\": \"50kPa\"}, \"hard\": {\"bulk\": 1e6, "  \
    "\"shear\": 5e5, \"law\": \"st_venant\"}}, \"bodies\": [{\"name\": \"e\", \"type\": "          \
    "\"elastic\", \"mesh\": " mesh rest "}]}"

// Every generator: volumes as they come out, and nodes of both kinds.
static void generators_make_meshes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int vertices, nodes;
        double volume, tolerance;
    } cases[] = {
        {ELASTIC("{\"type\": \"box\", \"size\": [1, 2, 3]}", ""), 125, 4, 6.0, 1e-12},
        {ELASTIC("{\"type\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1], \"cell\": "
                 "\"five\"}",
                 ", \"nodes\": 10"),
         26, 10, 1.0, 1e-12},
        {ELASTIC("{\"type\": \"cylinder\", \"radius\": 1, \"height\": 2, \"rings\": 4, "
                 "\"spokes\": 6, \"layers\": 3}",
                 ""),
         61 * 4, 4, 2.0 * SN_PI, 0.02},
        {ELASTIC("{\"type\": \"sphere\", \"radius\": 1, \"rings\": 5}", ", \"nodes\": 4"), 561, 4,
         4.0 / 3.0 * SN_PI, 0.06},
        {ELASTIC("{\"type\": \"torus\", \"radius\": 2, \"tube_radius\": 0.5, \"rings\": 2, "
                 "\"spokes\": 8, \"segments\": 40}",
                 ""),
         1000, 4, 2.0 * SN_PI * 2.0 * SN_PI * 0.25, 0.05},
        {ELASTIC("{\"type\": \"tube\", \"inner_radius\": 0.5, \"radius\": 1, \"height\": 1, "
                 "\"rings\": 1, \"segments\": 48, \"layers\": 2}",
                 ""),
         48 * 2 * 3, 4, SN_PI * 0.75, 0.01},
        {ELASTIC("{\"type\": \"extrusion\", \"outline\": [[0, 0], [2, 0], [2, 1], [0, 1]], "
                 "\"holes\": [[[0.5, 0.25], [0.5, 0.75], [1, 0.75], [1, 0.25]]], \"height\": 0.5, "
                 "\"edge\": 0.25}",
                 ""),
         0, 4, 0.875, 1e-12},
        {ELASTIC("{\"type\": \"revolution\", \"profile\": [[0.5, 0], [1, 0], [1, 1], [0.5, 1]], "
                 "\"segments\": 24, \"edge\": 0.25}",
                 ""),
         0, 4, SN_PI * 0.75, 0.02},
        {ELASTIC("{\"type\": \"listed\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, "
                 "1], [1, 1, 1]], \"elements\": [[0, 1, 2, 3], [1, 2, 3, 4]], \"regions\": [0, 1]}",
                 ", \"materials\": [\"soft\", \"hard\"]"),
         5, 4, 0.5, 1e-12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_scene *scene = load(cases[i].text);
        sn_world *world = build(scene);
        const sn_tetrahedra *mesh = sn_body_tetrahedra(world, first(world));
        if (cases[i].vertices > 0) {
            assert_int_equal(sn_tetrahedra_vertex_count(mesh), cases[i].vertices);
        }
        assert_int_equal(sn_tetrahedra_nodes(mesh), cases[i].nodes);
        double volume = sn_body_mass_properties(world, first(world)).volume;
        assert_true(fabs(volume / cases[i].volume - 1.0) <= cases[i].tolerance);
        sn_world_destroy(world);
        check_resolved(scene);
        sn_scene_destroy(scene);
    }
}

static void choices_hold_vertices(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int fixed;
    } cases[] = {
        {ELASTIC(BAR, ", \"fixed\": {\"box\": [1, 1, 1], \"position\": [-1, 0, 0]}"), 18},
        {ELASTIC(BAR, ", \"fixed\": {\"sphere\": 0.5, \"position\": [1, 0, 0]}"), 6},
        {ELASTIC(BAR, ", \"fixed\": [{\"plane\": [0, 0, 1]}, {\"plane\": [0, 0, -1], \"position\": "
                      "[0, 0, -0.5]}]"),
         45},
        {ELASTIC(BAR, ", \"fixed\": {\"vertices\": [0, 7, 7]}"), 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_world *world = build_text(cases[i].text);
        int fixed = 0;
        for (int k = 0; k < 45; ++k) {
            fixed += sn_body_vertex_is_fixed(world, first(world), k);
        }
        assert_int_equal(fixed, cases[i].fixed);
        sn_world_destroy(world);
    }
}

// Rayleigh's damping from two ratios: a bar that is let go of loses as much as theory says is
// elsewhere's test; here, that both ways of saying it are one.
static void ratios_give_damping(void **state)
{
    (void)state;
    // a = 4 pi f1 f2 (z1 f2 - z2 f1)/(f2^2 - f1^2), b = (z2 f2 - z1 f1)/(pi (f2^2 - f1^2)): for
    // 1 and 3 Hz with 10 % both, a = 0.3 pi, b = 0.025/pi.
    sn_scene *ratios = load(
        ELASTIC(BAR, ", \"damping\": {\"frequencies\": [1, \"3Hz\"], \"ratios\": [\"10%\", 0.1]}, "
                     "\"fixed\": {\"plane\": [-1, 0, 0], \"position\": [-1, 0, 0]}"));
    sn_scene *numbers =
        load(ELASTIC(BAR, ", \"damping\": {\"mass\": \"=0.3*pi\", \"stiffness\": \"=0.025/pi\"}, "
                          "\"fixed\": {\"plane\": [-1, 0, 0], \"position\": [-1, 0, 0]}"));
    sn_world *a = build(ratios), *b = build(numbers);
    advance(a, 0.01, 20);
    advance(b, 0.01, 20);
    sn_vec3 x[45], y[45];
    sn_body_read_vertices(a, first(a), x, NULL);
    sn_body_read_vertices(b, first(b), y, NULL);
    for (int i = 0; i < 45; ++i) {
        assert_true(sn_distance(x[i], y[i]) < 1e-10);
    }
    sn_world_destroy(a);
    sn_world_destroy(b);
    sn_scene_destroy(ratios);
    sn_scene_destroy(numbers);
}

// Files of tetrahedra, and a fine surface that is seen in place of the body's faces.
static void files_and_displays(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew-elastic-XXXXXX", path[128], scene_path[128];
    assert_non_null(mkdtemp(folder));
    sn_tetrahedra *ball = NULL;
    assert_int_equal(sn_tetrahedra_make_sphere(100.0, 2, &ball, NULL), SN_OK);
    snprintf(path, sizeof path, "%s/ball.vtk", folder);
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    assert_int_equal(sn_tetrahedra_write(ball, path, NULL), SN_OK);
    sn_tetrahedra_release(ball);
    FILE *file = fopen(scene_path, "w");
    fputs("{\"sinew\": 1, \"bodies\": [{\"name\": \"ball\", \"type\": \"elastic\", \"mesh\": "
          "{\"type\": \"file\", \"file\": \"ball.vtk\", \"unit\": \"cm\", \"scale\": [1, 1, 2]}, "
          "\"display\": {\"type\": \"sphere\", \"radius\": 0.5, \"position\": [0.1, 0, 0], "
          "\"colour\": \"#abcdef\"}, \"position\": [0, 0, 5]}]}",
          file);
    fclose(file);
    sn_scene *scene = NULL;
    assert_int_equal(sn_scene_load_file(scene_path, NULL, &scene, NULL), SN_OK);
    remove(path);
    remove(scene_path);
    rmdir(folder);
    sn_world *world = build(scene);
    double volume = sn_body_mass_properties(world, first(world)).volume;
    assert_true(volume > 0.6 * 8.0 / 3.0 * SN_PI && volume < 8.0 / 3.0 * SN_PI);
    const sn_mesh *seen = sn_body_display(world, first(world));
    assert_int_equal(sn_body_look(world, first(world)).colour, 0xabcdef);
    sn_vec3 *points = malloc((size_t)sn_mesh_vertex_count(seen) * sizeof *points);
    advance(world, 0.01, 3);
    assert_true(sn_body_read_display(world, first(world), points, NULL));
    // It falls freely, and so does what is seen of it: by h (n h) g in the mean of midpoint steps.
    sn_vec3 centre = sn_body_centre(world, first(world));
    for (int i = 0; i < sn_mesh_vertex_count(seen); ++i) {
        sn_vec3 rest = sn_mesh_positions(seen)[i];
        assert_true(sn_distance(sn_vec3_sub(points[i], centre), rest) < 1e-9);
        assert_true(fabs(sn_distance(rest, sn_vec3_make(0.1, 0.0, 0.0)) - 0.5) < 1e-12);
    }
    free(points);
    sn_world_destroy(world);
    check_resolved(scene);
    sn_scene_destroy(scene);
}

// Three elements on one face after another: two groups with names, and one without.
static const char grouped[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n3\n2 7 \"skin\"\n3 7 \"soft rubber\"\n3 80000 \"steel\"\n$EndPhysicalNames\n"
    "$Entities\n0 0 0 3\n1 0 0 0 1 1 1 1 7 0\n2 0 0 0 1 1 1 1 80000 0\n3 0 0 0 1 1 1 1 12 0\n"
    "$EndEntities\n$Nodes\n1 6 1 6\n3 1 0 6\n1\n2\n3\n4\n5\n6\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n1 1 1\n$EndNodes\n"
    "$Elements\n3 3 1 3\n3 1 4 1\n1 1 2 3 4\n3 2 4 1\n2 1 2 3 5\n3 3 4 1\n3 2 3 4 6\n"
    "$EndElements\n";

#define THREE                                                                                      \
    "{\"sinew\": 1, \"materials\": {\"hard\": {\"density\": 3000, \"young\": 5e6}, \"light\": "    \
    "{\"density\": 300, \"young\": 2e4}, \"soft\": {\"density\": 1000, \"young\": 1e5}}, "         \
    "\"bodies\": [{\"name\": \"e\", \"type\": \"elastic\", \"fixed\": {\"vertices\": [0]}, "       \
    "\"mesh\": %s,\n\"materials\": %s}]}"
#define LISTED(regions)                                                                            \
    "{\"type\": \"listed\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, "    \
    "-1], [1, 1, 1]], \"elements\": [[0, 1, 2, 3], [0, 1, 2, 4], [1, 2, 3, 5]], \"regions\": "     \
    "[" regions "]}"

static sn_scene *load_three(const char *mesh, const char *materials, sn_error_list *errors)
{
    char text[2000];
    snprintf(text, sizeof text, THREE, mesh, materials);
    sn_scene *scene = NULL;
    sn_scene_load_text("t", text, strlen(text), NULL, &scene, errors);
    return scene;
}

// Materials go to groups of a Gmsh file by name or number, in any order, and are the same as in a
// list by numbers; mistakes tell what groups there are.
static void materials_go_by_groups(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew-groups-XXXXXX", path[64], mesh[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/three.msh", folder);
    FILE *file = fopen(path, "w");
    fputs(grouped, file);
    fclose(file);
    snprintf(mesh, sizeof mesh, "{\"type\": \"file\", \"file\": \"%s\"}", path);
    const struct {
        const char *mesh, *materials;
    } same[] = {
        {LISTED("0, 1, 2"), "[\"soft\", \"hard\", \"light\"]"},
        {mesh, "{\"soft rubber\": \"soft\", \"steel\": \"hard\", \"12\": \"light\"}"},
        {mesh, "{\"12\": \"light\", \"80000\": \"hard\", \"soft rubber\": \"soft\"}"},
        {LISTED("5, 9, 2"), "{\"2\": \"light\", \"5\": \"soft\", \"9\": \"hard\"}"},
    };
    uint64_t hashes[4];
    for (int i = 0; i < 4; ++i) {
        sn_scene *scene = load_three(same[i].mesh, same[i].materials, NULL);
        assert_non_null(scene);
        sn_world *world = build(scene);
        // Volumes of 1/6, 1/6 and 1/3.
        double mass = sn_body_mass_properties(world, first(world)).mass;
        assert_true(fabs(mass / ((1000.0 + 3000.0 + 2.0 * 300.0) / 6.0) - 1.0) < 1e-12);
        sn_world_destroy(world);
        check_resolved(scene);
        hashes[i] = run_hash(scene, 1);
        assert_true(hashes[i] == hashes[0]);
        sn_scene_destroy(scene);
    }
    static const struct {
        const char *materials, *says;
    } wrong[] = {
        {"{\"soft rubber\": \"soft\", \"steal\": \"hard\", \"12\": \"light\"}",
         "t:2:38: the mesh has no region \"steal\", expected one of: \"soft rubber\" (7), 12, "
         "\"steel\" (80000); did you mean \"steel\"?"},
        {"{\"soft rubber\": \"soft\", \"steel\": \"hard\", \"skin\": \"light\"}",
         "t:2:55: the mesh has no region \"skin\", expected one of: "},
        {"{\"soft rubber\": \"soft\", \"steel\": \"hard\"}",
         "t:2:14: \"materials\" has none for region 12 of the mesh"},
        {"{\"steel\": \"hard\", \"12\": \"light\"}",
         "t:2:14: \"materials\" has none for region \"soft rubber\" (7) of the mesh"},
        {"{\"steel\": \"hard\", \"12\": \"light\", \"7\": \"soft\", \"80000\": \"hard\"}",
         "t:2:60: \"steel\" and \"80000\" are one region, expected one of them"},
        {"{\"steel\": \"hrd\"}", "t:2:24: there is no material \"hrd\""},
        {"{}", "t:2:14: \"materials\": expected at least 1 strings, got 0"},
        {"[3]", "t:2:15: \"materials\": expected a string"},
        {"3", "t:2:14: \"materials\": expected a string, a list of strings in [ ], or an object"},
        {"{\"steel\": 3}", "t:2:24: \"materials\": expected a string"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        sn_error_list errors = {0};
        assert_null(load_three(mesh, wrong[i].materials, &errors));
        assert_int_equal(errors.count, 1);
        if (strncmp(sn_error_message(&errors.items[0]), wrong[i].says, strlen(wrong[i].says)) !=
            0) {
            fail_msg("%s: %s", wrong[i].materials, sn_error_message(&errors.items[0]));
        }
        sn_error_list_free(&errors);
    }
    sn_scene *made = NULL;
    for (int left = 0; made == NULL; ++left) {
        sn_error_list errors = {0};
        sn_allocation_fail_after(left);
        made = load_three(mesh, same[1].materials, &errors);
        sn_allocation_fail_after(-1);
        sn_error_list_free(&errors);
    }
    sn_scene_destroy(made);
    remove(path);
    rmdir(folder);
}

// Endings that nothing reads: those of surfaces and of tetrahedra are told.
static void endings_are_told(void **state)
{
    (void)state;
    const char *text = ELASTIC("{\"type\": \"file\", \"file\": \"x.mhs\"}", "");
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_not_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors), SN_OK);
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(sn_error_message(&errors.items[0]), ".obj, .stl"));
    assert_non_null(strstr(sn_error_message(&errors.items[0]), ".msh, .vtk, .node or .ele"));
    sn_error_list_free(&errors);
}

// A scene with its bodies placed as they stand goes on as the world does.
static void bodies_are_placed(void **state)
{
    (void)state;
    sn_scene *scene = load(bar);
    sn_world *world = build(scene);
    advance(world, 0.01, 7);
    assert_int_equal(sn_scene_place_bodies(scene, world, NULL), SN_OK);
    sn_world *again = build(scene);
    sn_vec3 x[45], y[45], v[45], w[45];
    for (int pass = 0; pass < 2; ++pass) {
        sn_body_read_vertices(world, first(world), x, v);
        sn_body_read_vertices(again, first(again), y, w);
        assert_memory_equal(x, y, sizeof x);
        assert_memory_equal(v, w, sizeof v);
        advance(world, 0.01, 3);
        advance(again, 0.01, 3);
    }
    check_resolved(scene);
    sn_world_destroy(world);
    sn_world_destroy(again);
    sn_scene_destroy(scene);
}

// Rays meet what is seen of a body, where it is now.
static void rays_find_them(void **state)
{
    (void)state;
    sn_world *world = build_text(bar);
    sn_hit hit;
    assert_true(sn_world_cast_ray(world, sn_vec3_make(0.9, 0.1, 10.0), sn_vec3_make(0.9, 0.1, 0.0),
                                  NULL, &hit));
    assert_true(hit.body.index == first(world).index && hit.fraction == 0.65);
    assert_true(hit.normal.z == 1.0 && fabs(hit.position.z - 3.5) < 1e-12);
    advance(world, 0.01, 20);
    assert_true(sn_world_cast_ray(world, sn_vec3_make(0.9, 0.1, 10.0), sn_vec3_make(0.9, 0.1, 0.0),
                                  NULL, &hit));
    assert_true(hit.fraction > 0.651);
    sn_query_filter filter = {.without = first(world)};
    assert_false(sn_world_cast_ray(world, sn_vec3_make(0.9, 0.1, 10.0), sn_vec3_make(0.9, 0.1, 0.0),
                                   &filter, &hit));
    // The material there, and back.
    sn_vec3 there = sn_vec3_make(0.9, 0.1, 3.0),
            local = sn_body_local_point(world, first(world), there);
    assert_true(sn_distance(sn_body_point(world, first(world), local), there) < 1e-9);
    sn_world_destroy(world);
}

#define MISTYPED(type)                                                                             \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"e\", \"type\": \"" type "\", \"mesh\": " BAR         \
    ", \"nodes\": 10}], "                                                                          \
    "\"fields\": [{\"type\": \"load\", \"of\": \"e\", \"vertices\": {\"vertices\": [0]}}], "       \
    "\"bonds\": [{\"name\": \"b\", \"type\": \"attached\", \"body\": \"e\", "                      \
    "\"vertices\": {\"vertices\": [0]}}], "                                                        \
    "\"probes\": [{\"name\": \"p\", \"of\": \"e\", \"quantity\": \"stretch.least\"}]}"

static const mistake mistakes[] = {
    {ELASTIC("{\"type\": \"ball\"}", ""), {"t:1:175: no tetrahedra has the type \"ball\""}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"e\", \"type\": \"elastic\"}]}",
     {"t:1:25: an elastic body needs a \"mesh\""}},
    {ELASTIC(BAR, ", \"mass\": 3"), {"t:1:248: an elastic body takes no \"mass\""}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"e\", \"shape\": {\"type\": \"sphere\", \"radius\": "
     "1}, \"newton\": 2}]}",
     {"t:1:91: \"newton\" is of elastic bodies"}},
    {ELASTIC(BAR, ", \"nodes\": 6"), {"t:1:249: \"nodes\": expected 4 or 10, got 6"}},
    {ELASTIC(BAR, ", \"materials\": [\"soft\", \"sotf\"]"),
     {"t:1:262: there is no material \"sotf\"; did you mean \"soft\"?"}},
    {ELASTIC(BAR, ", \"material\": \"soft\", \"materials\": \"soft\""),
     {"t:1:273: a body has both \"material\" and \"materials\""}},
    {ELASTIC(BAR, ", \"fixed\": {\"vertices\": [45]}"),
     {"t:1:249: body 'e': there is no vertex 45, expected whole numbers from 0 to 44"}},
    {ELASTIC(BAR, ", \"fixed\": {\"plane\": [1, 0, 0], \"position\": [1.1, 0, 0]}"),
     {"t:1:249: body 'e': no vertex of the mesh lies there"}},
    {ELASTIC(BAR, ", \"fixed\": {\"plane\": [0, 0, 0]}"),
     {"t:1:259: \"plane\": the normal is zero"}},
    {ELASTIC(BAR, ", \"fixed\": {\"cone\": 1}"),
     {"t:1:250: a choice starts with one of the keys vertices, box, sphere, plane"}},
    {ELASTIC(BAR, ", \"damping\": {\"ratios\": [0.1, 0.1]}"),
     {"t:1:262: \"frequencies\" and \"ratios\" belong together"}},
    {ELASTIC(BAR, ", \"damping\": {\"frequencies\": [1, 1], \"ratios\": [0.1, 0.1]}"),
     {"t:1:285: body 'e': the two frequencies are the same"}},
    {ELASTIC(BAR, ", \"damping\": {\"frequencies\": [1, 2], \"ratios\": [0.1, 0.9]}"),
     {"t:1:285: body 'e': these ratios need negative damping"}},
    {ELASTIC(BAR, ", \"display\": {\"type\": \"plane\"}"), {"t:1:251: a plane has no mass"}},
    {ELASTIC("{\"type\": \"box\", \"size\": [1, 1, 1], \"cells\": [2, 1.5, 2]}", ""),
     {"t:1:210: \"cells\": expected whole numbers, got [2, 1.5, 2]"}},
    {ELASTIC("{\"type\": \"box\", \"size\": [1, 1, 1], \"cells\": [2000, 1000, 200]}", ""),
     {"t:1:166: this box would have about 2400000000 elements"}},
    {ELASTIC("{\"type\": \"torus\", \"radius\": 1, \"tube_radius\": 1}", ""),
     {"t:1:212: \"tube_radius\" must be less than \"radius\""}},
    {ELASTIC("{\"type\": \"listed\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "
             "\"elements\": [[0, 1, 2, 4]]}",
             ""),
     {"t:1:255: element 0 names vertex 4, expected whole numbers from 0 to 3"}},
    {ELASTIC("{\"type\": \"file\", \"file\": \"x.msh\", \"edge\": 1}", ""),
     {"t:1:191: mesh of 'e': \"edge\" is of surfaces that are filled"}},
    {"{\"sinew\": 1, \"materials\": {\"a\": {\"bulk\": 1}, \"b\": {\"bulk\": 1, \"shear\": 1, "
     "\"young\": 2}}}",
     {"t:1:42: \"bulk\" and \"shear\" belong together, and only \"bulk\" is given",
      "t:1:60: a material has both"}},
    {"{\"sinew\": 1, \"materials\": {\"a\": {\"plastic\": {\"yield_stress\": 1}, \"fibre\": "
     "{\"direction\": [0, 0, 1], \"stiffness\": 1}}}}",
     {"t:1:45: a material has both \"plastic\" and \"fibre\""}},
    {"{\"sinew\": 1, \"materials\": {\"a\": {\"fibre\": {\"direction\": [0, 0, 0], \"stiffness\": "
     "1}}}}",
     {"t:1:57: \"direction\" is zero"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"s\", \"shape\": {\"type\": \"sphere\", \"radius\": "
     "1}}], \"probes\": [{\"name\": \"p\", \"of\": \"s\", \"quantity\": \"stretch.least\"}]}",
     {"t:1:131: \"stretch.least\" is of elastic bodies"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"s\", \"shape\": {\"type\": \"sphere\", \"radius\": "
     "1}}], \"probes\": [{\"name\": \"p\", \"of\": \"s\", \"quantity\": \"centre.x\", \"point\": "
     "[0, 0, 0]}]}",
     {"t:1:152: \"centre.x\" is not of a point"}},
    // A type that is wrong is told once, and not what would be wrong with another type.
    {MISTYPED("elastc"), {"t:1:47: \"type\": got \"elastc\"; did you mean \"elastic\"?"}},
    {MISTYPED("jelly"),
     {"t:1:47: \"type\": got \"jelly\"; expected one of: rigid, static, elastic"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"fixed\", \"shape\": {\"type\": "
     "\"plane\"}}]}",
     {"t:1:47: \"type\": got \"fixed\"; expected one of"}},
};

static void far_points_are_told(void **state)
{
    (void)state;
    // Millimetres for metres, which the mesh tells.
    sn_scene *scene =
        load("{\"sinew\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"elastic\", \"mesh\": " BAR
             "}],\n\"probes\": [{\"name\": \"p\", \"of\": \"b\", \"quantity\": \"position.x\", "
             "\"point\": [1000, 0, 0]}]}");
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_equal(sn_scene_build(scene, &world, &error), SN_ERROR_SCENE);
    assert_string_equal(sn_error_message(&error),
                        "t:2:72: \"point\" is 999 m outside of \"b\", which is 2.45 m large; "
                        "expected a point of its material");
    sn_scene_destroy(scene);
}

static void mistakes_have_places(void **state)
{
    (void)state;
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
    static const char flat[] =
        ELASTIC("{\"type\": \"listed\", \"vertices\": [[0, 0, 0], [1, 0, 0], "
                "[0, 1, 0], [1, 1, 0]], \"elements\": [[0, 1, 2, 3]]}",
                "");
    static const char lost[] = ELASTIC("{\"type\": \"file\", \"file\": \"lost.msh\"}", "");
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_text("t", flat, strlen(flat), NULL, &scene, &errors),
                     SN_ERROR_GEOMETRY);
    assert_string_equal(sn_error_message(&errors.items[0]),
                        "t:1:166: mesh of 'e': the tetrahedra have 1 sliver (element 0); none were "
                        "expected");
    sn_error_list_free(&errors);
    assert_int_equal(sn_scene_load_text("t", lost, strlen(lost), NULL, &scene, &errors),
                     SN_ERROR_FILE);
    assert_int_equal(strncmp(sn_error_message(&errors.items[0]), "t:1:191: mesh of 'e': ", 22), 0);
    sn_error_list_free(&errors);
    sn_scene_options sealed = {.sealed = true};
    assert_int_equal(sn_scene_load_text("t", lost, strlen(lost), &sealed, &scene, &errors),
                     SN_ERROR_FILE);
    assert_non_null(strstr(sn_error_message(&errors.items[0]), "a text from elsewhere reads none"));
    sn_error_list_free(&errors);
}

// M L/EI = 1 and a half: arcs of these angles (EI = 1e6 0.04 0.02^3 / 12).
static const char strip[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"params\": {\"angle\": {\"value\": 1}},\n"
    "\"materials\": {\"m\": {\"density\": 1000, \"young\": \"1MPa\", \"poisson\": 0}},\n"
    "\"bodies\": [{\"name\": \"strip\", \"type\": \"elastic\", \"material\": \"m\", \"nodes\": "
    "10,\n"
    "  \"mesh\": {\"type\": \"box\", \"size\": [1, 0.04, 0.02], \"cells\": [16, 1, 1]},\n"
    "  \"fixed\": {\"plane\": [-1, 0, 0], \"position\": [-0.5, 0, 0]}},\n"
    "  {\"name\": \"post\", \"type\": \"static\"}],\n"
    "\"fields\": [{\"name\": \"bend\", \"type\": \"load\", \"of\": \"strip\", \"vertices\": "
    "{\"plane\": [1, 0, 0], \"position\": [0.5, 0, 0]},\n"
    "  \"moment\": [0, \"=-angle*1e6*0.04*0.02^3/12\", 0]}]}\n";

static void check_arc(sn_world *world, double angle)
{
    sn_equilibrium rest;
    sn_error error = {0};
    if (sn_world_equilibrium(world, NULL, &rest, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_equilibrium_free(&rest);
    sn_vec3 tip = sn_body_point(world, first(world), (sn_vec3){0.5, 0.0, 0.0});
    assert_true(fabs(tip.x + 0.5 - sin(angle) / angle) < 0.005);
    assert_true(fabs(tip.z - (1.0 - cos(angle)) / angle) < 0.005);
}

static void loads_bend_them(void **state)
{
    (void)state;
    sn_scene *scene = load(strip);
    sn_world *world = build(scene);
    check_arc(world, 1.0);
    assert_int_equal(sn_scene_set_param(scene, "angle", 0.5, NULL), SN_OK);
    assert_int_equal(sn_scene_update(scene, world, NULL), SN_OK);
    check_arc(world, 0.5);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    char wrong[sizeof strip];
    memcpy(wrong, strip, sizeof strip);
    memcpy(strstr(wrong, "\"of\": \"strip\""), "\"of\": \"post\" ", 13);
    sn_error_list errors = {0};
    scene = NULL;
    assert_int_equal(sn_scene_load_text("t", wrong, strlen(wrong), NULL, &scene, &errors),
                     SN_ERROR_SCENE);
    assert_string_equal(sn_error_message(&errors.items[0]),
                        "t:7:51: \"of\" names \"post\", which is not elastic; a load is on the "
                        "surface of an elastic body");
    sn_error_list_free(&errors);
    memcpy(wrong, strip, sizeof strip);
    memcpy(strstr(wrong, "[0.5, 0, 0]}"), "[5.5, 0, 0]}", 12);
    scene = load(wrong);
    sn_error error = {0};
    world = NULL;
    assert_int_equal(sn_scene_build(scene, &world, &error), SN_ERROR_SCENE);
    assert_int_equal(strncmp(sn_error_message(&error), "t:7:", 4), 0);
    assert_non_null(strstr(sn_error_message(&error), ": bend: no vertex of the mesh"));
    sn_scene_destroy(scene);
}

// Every allocation on the way may fail, in loading and in building.
static void memory_runs_out(void **state)
{
    (void)state;
    sn_status status = SN_ERROR_MEMORY;
    for (int left = 0; status != SN_OK; left += left < 200 ? 1 : 7) {
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        sn_error_list errors = {0};
        sn_allocation_fail_after(left);
        status = sn_scene_load_text("t", bar, strlen(bar), NULL, &scene, &errors);
        if (status == SN_OK) {
            status = sn_scene_build(scene, &world, NULL);
        }
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
    }
}

// A param of friction reaches the skin of a running world.
static void skins_change_while_it_runs(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"params\": {\"grip\": {\"value\": 0.5}}, \"materials\": "
             "{\"m\": {\"friction\": \"=grip\"}}, \"bodies\": [{\"name\": \"a\", "
             "\"type\": \"elastic\", \"material\": \"m\", \"mesh\": " BAR "}]}");
    sn_world *world = build(scene);
    assert_true(sn_body_skin(world, first(world)).friction == 0.5);
    assert_int_equal(sn_scene_set_param(scene, "grip", 0.1, NULL), SN_OK);
    assert_int_equal(sn_scene_update(scene, world, NULL), SN_OK);
    assert_true(sn_body_skin(world, first(world)).friction == 0.1);
    sn_surface wrong = sn_default_surface();
    wrong.friction = -1.0;
    assert_int_not_equal(sn_body_set_skin(world, first(world), &wrong, NULL), SN_OK);
    assert_true(sn_body_skin(world, first(world)).friction == 0.1);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_have_elastic_bodies),
        cmocka_unit_test(materials_flow),
        cmocka_unit_test(params_move_them),
        cmocka_unit_test(generators_make_meshes),
        cmocka_unit_test(choices_hold_vertices),
        cmocka_unit_test(ratios_give_damping),
        cmocka_unit_test(files_and_displays),
        cmocka_unit_test(endings_are_told),
        cmocka_unit_test(materials_go_by_groups),
        cmocka_unit_test(bodies_are_placed),
        cmocka_unit_test(rays_find_them),
        cmocka_unit_test(far_points_are_told),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(loads_bend_them),
        cmocka_unit_test(skins_change_while_it_runs),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests_name("scene_elastic", tests, NULL, NULL);
}
