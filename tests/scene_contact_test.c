// Shapes, surfaces, groups and contact settings of scenes: what reaches the world, what stays the
// same when a scene is written out, and every mistake with its place.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "scene/path.h"
#include "scene_text.h"
#include "sinew/contact.h"
#include "sinew/geometry.h"

static const sn_shape *shape_of(const sn_world *world, const char *body, int index)
{
    const sn_shape *shape = sn_body_shape(world, sn_world_find_body(world, body), index);
    assert_non_null(shape);
    return shape;
}

static const char yard[] =
    "{\"sinew\": 1,\n"
    "\"params\": {\"grip\": {\"value\": 0.3}, \"speed\": {\"value\": \"2 m/s\"},\n"
    "  \"wave\": {\"value\": \"10cm\"}, \"x\": {\"value\": 7}},\n"
    "\"materials\": {\n"
    "  \"rubber\": {\"friction\": \"=2*grip\", \"restitution\": 0.6, \"rolling_friction\": "
    "\"2mm\"},\n"
    "  \"ice\": {\"friction\": 0.02, \"spinning_friction\": 0.001}},\n"
    "\"bodies\": [\n"
    "  {\"name\": \"floor\", \"type\": \"static\", \"material\": \"ice\", \"shapes\": [\n"
    "    {\"type\": \"plane\", \"position\": [0, 0, -1]},\n"
    "    {\"type\": \"box\", \"size\": [4, 1, 0.2], \"friction\": \"=grip\",\n"
    "     \"surface_velocity\": [\"=speed\", 0, 0], \"group\": [\"belts\", \"fast\"]}]},\n"
    "  {\"name\": \"ground\", \"type\": \"static\", \"position\": [20, 0, 0], \"shape\":\n"
    "    {\"type\": \"height_field\", \"size\": [4, \"2m\"], \"columns\": 9, \"rows\": 5,\n"
    "     \"height\": \"=wave*sin(x) + 0.1*y\"}},\n"
    "  {\"name\": \"steps\", \"type\": \"static\", \"position\": [30, 0, 0], \"shape\":\n"
    "    {\"type\": \"height_field\", \"size\": [2, 1],\n"
    "     \"heights\": [[0, \"10cm\", \"=wave\"], [0.5, 0.25, -1]]}},\n"
    "  {\"name\": \"ramp\", \"type\": \"static\", \"position\": [40, 0, 0], \"shape\": {\"type\": "
    "\"mesh\",\n"
    "     \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[1,1,0.5]], \"triangles\": [[0,1,2],[1,3,2]]}},\n"
    "  {\"name\": \"die\", \"material\": \"rubber\", \"position\": [0, 0, 9],\n"
    "   \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1], \"rounding\": \"5cm\",\n"
    "     \"meets\": [\"belts\", \"default\"]}},\n"
    "  {\"name\": \"stone\", \"position\": [5, 0, 9], \"shapes\": [\n"
    "    {\"type\": \"hull\", \"rounding\": 0.01, \"restitution\": 0.25,\n"
    "     \"points\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]},\n"
    "    {\"type\": \"sphere\", \"radius\": 2, \"sensor\": true, \"meets\": []}]},\n"
    "  {\"name\": \"arm\", \"position\": [5, 0, 10], \"shape\": {\"type\": \"sphere\", \"radius\": "
    "0.1}}],\n"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"hinge\", \"parent\": \"stone\", \"child\": "
    "\"arm\",\n"
    "   \"at\": [5, 0, 9.5], \"axis\": [0, 1, 0], \"contact\": true}],\n"
    "\"contact\": {\"method\": \"penalty\", \"substeps\": 8, \"exact_limit\": 10, \"sleep\": "
    "false,\n"
    "   \"stiffness\": \"20 N/mm\", \"damping\": 0.25}}\n";

// ---- what reaches the world ----

static void surfaces_come_from_shapes_and_materials(void **state)
{
    (void)state;
    sn_world *world = build_text(yard);
    const sn_surface *plane = &shape_of(world, "floor", 0)->surface;
    assert_true(plane->friction == 0.02 && plane->restitution == 0.0);
    assert_true(plane->spinning_friction == 0.001 && plane->rolling_friction == 0.0);
    const sn_surface *belt = &shape_of(world, "floor", 1)->surface;
    assert_true(belt->friction == 0.3 && belt->spinning_friction == 0.001);
    assert_true(belt->velocity.x == 2.0 && belt->velocity.y == 0.0);
    const sn_surface *die = &shape_of(world, "die", 0)->surface;
    assert_true(die->friction == 0.6 && die->restitution == 0.6 && die->rolling_friction == 0.002);
    const sn_surface *stone = &shape_of(world, "stone", 0)->surface;
    assert_true(stone->friction == 0.5 && stone->restitution == 0.25 && !stone->sensor);
    assert_true(shape_of(world, "stone", 1)->surface.sensor);
    double mass = sn_body_mass_properties(world, sn_world_find_body(world, "stone")).mass;
    assert_true(fabs(mass - 1000.0 / 6.0) < 1e-10); // the sensor weighs nothing
    sn_world_destroy(world);
}

static void groups_become_bits(void **state)
{
    (void)state;
    sn_world *world = build_text(yard);
    const sn_surface *plane = &shape_of(world, "floor", 0)->surface;
    const sn_surface *belt = &shape_of(world, "floor", 1)->surface;
    const sn_surface *die = &shape_of(world, "die", 0)->surface;
    assert_int_equal(plane->group, 1);
    assert_true(plane->meets == 0xFFFFFFFF);
    assert_int_equal(belt->group, 2 | 4);
    assert_int_equal(die->group, 1);
    assert_int_equal(die->meets, 1 | 2);
    assert_int_equal(shape_of(world, "stone", 1)->surface.meets, 0);
    sn_world_destroy(world);
}

static void shapes_reach_the_world(void **state)
{
    (void)state;
    sn_world *world = build_text(yard);
    assert_int_equal(shape_of(world, "floor", 0)->type, SN_SHAPE_PLANE);
    assert_true(shape_of(world, "floor", 0)->frame.position.z == -1.0);
    assert_true(shape_of(world, "die", 0)->rounding == 0.05);
    const sn_shape *stone = shape_of(world, "stone", 0);
    assert_int_equal(stone->type, SN_SHAPE_HULL);
    assert_true(stone->rounding == 0.01);
    assert_int_equal(sn_mesh_vertex_count(stone->mesh), 4);
    const sn_shape *ramp = shape_of(world, "ramp", 0);
    assert_int_equal(ramp->type, SN_SHAPE_MESH);
    assert_int_equal(sn_mesh_triangle_count(ramp->mesh), 2);
    sn_contact_def contact = sn_world_contact_def(world);
    assert_int_equal(contact.method, SN_CONTACT_PENALTY);
    assert_int_equal(contact.substeps, 8);
    assert_int_equal(contact.exact_limit, 10);
    assert_false(contact.sleep);
    assert_true(contact.stiffness == 20000.0 && contact.damping == 0.25);
    sn_world_destroy(world);

    world = build_text("{\"sinew\": 1}");
    sn_contact_def plain = sn_world_contact_def(world), standard = sn_default_contact_def();
    assert_int_equal(plain.method, SN_CONTACT_SOLVER);
    assert_int_equal(plain.substeps, standard.substeps);
    assert_int_equal(plain.exact_limit, standard.exact_limit);
    assert_true(plain.sleep == standard.sleep && plain.damping == standard.damping);
    sn_world_destroy(world);
}

static void height_fields_are_computed_and_listed(void **state)
{
    (void)state;
    sn_scene *scene = load(yard);
    sn_world *world = build(scene);
    const sn_height_field *ground = shape_of(world, "ground", 0)->field;
    assert_int_equal(sn_height_field_columns(ground), 9);
    assert_int_equal(sn_height_field_rows(ground), 5);
    const double *heights = sn_height_field_heights(ground);
    for (int i = 0; i < 45; ++i) {
        int column = i % 9, row = i / 9;
        double x = column / 8.0 * 4.0 - 2.0, y = row / 4.0 * 2.0 - 1.0;
        assert_true(fabs(heights[i] - (0.1 * sin(x) + 0.1 * y)) < 1e-15);
    }
    const sn_height_field *steps = shape_of(world, "steps", 0)->field;
    assert_int_equal(sn_height_field_columns(steps), 3);
    assert_int_equal(sn_height_field_rows(steps), 2);
    const double listed[] = {0.0, 0.1, 0.1, 0.5, 0.25, -1.0};
    assert_memory_equal(sn_height_field_heights(steps), listed, sizeof listed);
    sn_world_destroy(world);

    // A param changes both kinds; the world made before keeps its own.
    assert_int_equal(sn_scene_set_param(scene, "wave", 20.0, NULL), SN_OK);
    world = build(scene);
    heights = sn_height_field_heights(shape_of(world, "ground", 0)->field);
    assert_true(fabs(heights[0] - (0.2 * sin(-2.0) - 0.1)) < 1e-15);
    assert_true(sn_height_field_heights(shape_of(world, "steps", 0)->field)[2] == 0.2);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void a_bad_param_leaves_the_height_field(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"params\": {\"a\": {\"value\": 1}}, \"bodies\": [{\"name\": \"g\", "
             "\"type\": "
             "\"static\", \"shape\": {\"type\": \"height_field\", \"size\": [2, 2], \"columns\": "
             "3, \"rows\": 3, \"height\": \"=1/(x + a + 0.5)\"}}]}");
    sn_error error = {0};
    assert_int_equal(sn_scene_set_param(scene, "a", 0.5, &error), SN_ERROR_SCENE);
    const char wanted[] = "t:1:176: height_field: at x = -1, y = -1: division by zero";
    if (strncmp(sn_error_message(&error), wanted, strlen(wanted)) != 0) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_world *world = build(scene);
    assert_true(sn_height_field_heights(shape_of(world, "g", 0)->field)[0] == 2.0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void hulls_are_read_from_files(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"hull\", "
             "\"file\": \"tests/data/scenes/parts/cube.obj\", \"scale\": [1, 1, 2]}}]}");
    sn_world *world = build(scene);
    const sn_shape *hull = shape_of(world, "a", 0);
    assert_int_equal(hull->type, SN_SHAPE_HULL);
    assert_int_equal(sn_mesh_vertex_count(hull->mesh), 8);
    // Written out, it lists its corners, and they give the same triangles.
    char *text;
    size_t length;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    sn_world *again = build_text(text);
    const sn_shape *listed = shape_of(again, "a", 0);
    assert_int_equal(sn_mesh_triangle_count(listed->mesh), 12);
    assert_memory_equal(sn_mesh_positions(hull->mesh), sn_mesh_positions(listed->mesh),
                        8 * sizeof(sn_vec3));
    assert_memory_equal(sn_mesh_triangles(hull->mesh), sn_mesh_triangles(listed->mesh),
                        36 * sizeof(int));
    sn_scene_free_text(text);
    sn_world_destroy(again);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void unknown_groups_are_noted(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", "
        "\"radius\": 1, \"group\": \"wheels\", \"meets\": [\"default\",\n\"whels\", \"x\"]}}]}");
    const sn_error_list *notes = sn_scene_notes(scene);
    assert_int_equal(notes->count, 2);
    assert_string_equal(sn_error_message(&notes->items[0]),
                        "t:2:1: no shape is in the group \"whels\"; did you mean \"wheels\"?");
    assert_string_equal(sn_error_message(&notes->items[1]),
                        "t:2:10: no shape is in the group \"x\"");
    sn_scene_destroy(scene);
}

// Impulses do not act on integrators with stages, by the body's own word or by the policy's.
static void methods_without_effect_are_noted(void **state)
{
    (void)state;
    static const char bodies[] =
        "\"bodies\": [{\"name\": \"f\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}},\n"
        "{\"name\": \"a\", %s\"shape\": {\"type\": \"sphere\", \"radius\": 1}}]";
    static const struct {
        const char *body, *rest, *note;
    } cases[] = {
        {"", "", NULL},
        {"\"integrator\": \"rk4\", ", "",
         "t:2:29: \"a\" touches nothing: contact by the solver does not act on integrators with "
         "stages such as rk4; expected the method \"penalty\" or \"springs\""},
        {"\"integrator\": \"rk4\", ", ",\n\"contact\": {\"method\": \"penalty\"}", NULL},
        {"", ",\n\"run\": {\"policy\": \"precise\"}",
         "t:1:25: \"a\" passes through \"f\": in the precise policy nothing touches unless a "
         "method "
         "of contact is chosen; expected \"contact\" with the method \"penalty\" or \"springs\", "
         "or "
         "\"none\" to have it so"},
        {"", ",\n\"contact\": {\"method\": \"none\"}, \"run\": {\"policy\": \"precise\"}", NULL},
        {"", ",\n\"contact\": {\"method\": \"springs\"}, \"run\": {\"policy\": \"precise\"}", NULL},
        {"", ",\n\"contact\": {\"stiffness\": 1000}",
         "t:3:26: \"stiffness\" says nothing to the method \"solver\"; it is of \"penalty\" and "
         "\"springs\""},
        {"", ",\n\"contact\": {\"method\": \"impulse\",\n\"damping\": 0.1}",
         "t:4:12: \"damping\" says nothing to the method \"impulse\"; it is of \"penalty\" and "
         "\"springs\""},
        {"", ",\n\"contact\": {\"method\": \"penalty\", \"stiffness\": 1000, \"damping\": 0.1}",
         NULL},
        {"", ",\n\"contact\": {\"method\": \"solver\"}, \"run\": {\"policy\": \"precise\"}",
         "t:3:23: \"a\" touches nothing: contact by the solver does not act on integrators with "
         "stages such as fehlberg45; expected the method \"penalty\" or \"springs\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char middle[256], text[512];
        snprintf(middle, sizeof middle, bodies, cases[i].body);
        snprintf(text, sizeof text, "{\"sinew\": 1, %s%s}", middle, cases[i].rest);
        sn_scene *scene = load(text);
        const sn_error_list *notes = sn_scene_notes(scene);
        assert_int_equal(notes->count, cases[i].note != NULL);
        if (cases[i].note != NULL) {
            assert_string_equal(sn_error_message(&notes->items[0]), cases[i].note);
        }
        sn_scene_destroy(scene);
    }
}

// Elastic bodies feel impulses under integrators without stages, springs under those with stages,
// and penalties nowhere.
static void elastic_bodies_that_touch_nothing_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *integrator, *method, *note;
    } cases[] = {
        {"lie_midpoint", "solver", NULL},
        {"implicit_euler", "impulse", NULL},
        {"rk4", "springs", NULL},
        {"rk4", "none", NULL},
        {"rk4", "solver",
         "t:3:23: \"a\" touches nothing: contact by the solver does not act on integrators with "
         "stages such as rk4; expected the method \"springs\""},
        {"rk4", "impulse",
         "t:3:23: \"a\" touches nothing: contact by the impulse does not act on integrators with "
         "stages such as rk4; expected the method \"springs\""},
        {"lie_midpoint", "penalty",
         "t:3:23: \"a\" touches nothing: elastic bodies do not feel the method \"penalty\"; "
         "expected \"solver\", or \"none\" to have it so"},
        {"rk4", "penalty",
         "t:3:23: \"a\" touches nothing: elastic bodies do not feel the method \"penalty\"; "
         "expected \"springs\", or \"none\" to have it so"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[800];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"materials\": {\"r\": {\"density\": 1000, \"young\": 1e5, "
                 "\"poisson\": 0.3}}, \"bodies\": [{\"name\": \"f\", \"type\": \"static\", "
                 "\"shape\": {\"type\": \"plane\"}},\n{\"name\": \"a\", \"type\": \"elastic\", "
                 "\"material\": \"r\", \"integrator\": \"%s\", \"position\": [0, 0, 1], \"mesh\": "
                 "{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1]}}],\n"
                 "\"contact\": {\"method\": \"%s\"}}",
                 cases[i].integrator, cases[i].method);
        sn_scene *scene = load(text);
        const sn_error_list *notes = sn_scene_notes(scene);
        bool noted = false;
        for (int k = 0; k < notes->count; ++k) {
            const char *note = sn_error_message(&notes->items[k]);
            noted = noted || strstr(note, "touches nothing") != NULL;
            if (cases[i].note != NULL && strstr(note, "touches nothing") != NULL) {
                assert_string_equal(note, cases[i].note);
            }
        }
        assert_int_equal(noted, cases[i].note != NULL);
        sn_scene_destroy(scene);
    }
}

// ---- while running ----

// A gate counts what is in it, and stops nothing: an event can wait for it.
static void sensors_are_probes_and_events(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"gate\", \"type\": \"static\", \"shape\": "
        "{\"type\": \"box\", \"size\": [1, 1, 0.2], \"sensor\": true}},"
        "{\"name\": \"a\", \"position\": [0, 0, 0.5], \"shape\": {\"type\": \"sphere\", "
        "\"radius\": 0.1}}, {\"name\": \"b\", \"position\": [0.3, 0, 0.5], \"shapes\": ["
        "{\"type\": \"sphere\", \"radius\": 0.1}, {\"type\": \"sphere\", \"radius\": 0.1, "
        "\"position\": [0, 0.3, 0]}]}], \"events\": [{\"name\": \"all in\", \"of\": \"gate\", "
        "\"quantity\": \"sensor.count\", \"threshold\": 2.5, \"direction\": \"rising\"}]}");
    sn_probe probe = {.quantity = SN_QUANTITY_SENSOR_COUNT,
                      .body = sn_world_find_body(world, "gate")};
    sn_body ball = sn_world_find_body(world, "a");
    int seen[4] = {0};
    for (int i = 0; i < 150; ++i) {
        advance(world, 1.0 / 240.0, 1);
        int count = (int)sn_probe_read(world, &probe);
        double height = sn_body_centre(world, ball).z;
        assert_true(count == 0 || count == 3);
        assert_true(count == 3 || fabs(height) > 0.18);
        assert_true(count == 0 || fabs(height) < 0.24);
        assert_int_equal(sn_body_sensor_count(world, ball), 0); // it is in one, and has none
        seen[count] += 1;
    }
    assert_true(seen[0] > 20 && seen[3] > 10);
    assert_int_equal(sn_world_event_count(world), 1);
    sn_world_destroy(world);
}

static void params_drive_surfaces_and_contact(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "{\"sinew\": 1, \"params\": {\"grip\": {\"value\": 0.3}, \"speed\": {\"value\": 1}, "
        "\"bounce\": {\"value\": 0.1}, \"k\": {\"value\": 100}}, \"materials\": {\"m\": "
        "{\"friction\": \"=grip\"}}, \"contact\": {\"method\": \"none\", \"stiffness\": \"=k\"}, "
        "\"bodies\": [{\"name\": \"belt\", \"type\": \"static\", \"shapes\": [{\"type\": "
        "\"sphere\", \"radius\": 1}, {\"type\": \"box\", \"material\": \"m\", \"size\": "
        "[1, 1, 1], \"surface_velocity\": [0, \"=speed\", 0], \"restitution\": \"=bounce\", "
        "\"group\": \"g\"}]}]}");
    sn_world *world = build(scene);
    sn_error error = {0};
    assert_int_equal(sn_world_step(world, 0.01, NULL), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "grip", 0.8, NULL), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "speed", -2.0, NULL), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "bounce", 0.5, NULL), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "k", 400.0, NULL), SN_OK);
    assert_true(shape_of(world, "belt", 1)->surface.friction == 0.3);
    if (sn_scene_update(scene, world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    const sn_surface *belt = &shape_of(world, "belt", 1)->surface;
    assert_true(belt->friction == 0.8 && belt->velocity.y == -2.0 && belt->restitution == 0.5);
    assert_int_equal(belt->group, 2);
    assert_true(shape_of(world, "belt", 0)->surface.friction == 0.5);
    assert_true(sn_world_contact_def(world).stiffness == 400.0);
    assert_int_equal(sn_world_contact_def(world).method, SN_CONTACT_NONE);
    assert_int_equal(sn_scene_set_param(scene, "bounce", 1.5, &error), SN_ERROR_SCENE);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- written out ----

static void assert_same_shapes(const sn_world *a, const sn_world *b)
{
    assert_int_equal(sn_world_body_count(a), sn_world_body_count(b));
    for (int i = 0; i < sn_world_body_count(a); ++i) {
        sn_body body = sn_world_body(a, i);
        for (int k = 0; k < sn_body_shape_count(a, body); ++k) {
            const sn_shape *x = sn_body_shape(a, body, k);
            const sn_shape *y = sn_body_shape(b, sn_world_body(b, i), k);
            assert_int_equal(x->type, y->type);
            assert_true(x->rounding == y->rounding);
            assert_true(x->surface.friction == y->surface.friction);
            assert_true(x->surface.restitution == y->surface.restitution);
            assert_true(x->surface.rolling_friction == y->surface.rolling_friction);
            assert_true(x->surface.spinning_friction == y->surface.spinning_friction);
            assert_true(x->surface.velocity.x == y->surface.velocity.x);
            assert_true(x->surface.group == y->surface.group);
            assert_true(x->surface.meets == y->surface.meets);
            assert_true(x->surface.sensor == y->surface.sensor);
            if (x->type == SN_SHAPE_HEIGHT_FIELD) {
                size_t count = (size_t)sn_height_field_columns(x->field) *
                               (size_t)sn_height_field_rows(x->field);
                assert_memory_equal(sn_height_field_heights(x->field),
                                    sn_height_field_heights(y->field), count * sizeof(double));
            }
        }
    }
}

static void the_resolved_text_is_the_same_scene(void **state)
{
    (void)state;
    sn_scene *scene = load(yard);
    for (int i = 0; i < 2; ++i) {
        char *text, *twice;
        size_t length;
        assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
        sn_scene *again = load(text);
        assert_int_equal(sn_scene_resolved_text(again, &twice, &length, NULL), SN_OK);
        assert_string_equal(text, twice);
        sn_world *a = build(scene), *b = build(again);
        assert_same_shapes(a, b);
        assert_true(sn_world_contact_def(b).stiffness == 20000.0);
        sn_world_destroy(a);
        sn_world_destroy(b);
        sn_scene_destroy(again);
        sn_scene_free_text(text);
        sn_scene_free_text(twice);
        assert_int_equal(sn_scene_set_param(scene, "wave", 12.3, NULL), SN_OK);
        assert_int_equal(sn_scene_set_param(scene, "grip", 0.1234, NULL), SN_OK);
    }
    sn_scene_destroy(scene);
}

// The scene in the guide.
static void the_guide_has_a_scene_that_builds(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length;
    assert_int_equal(sn_path_read("docs/contact.md", 1 << 20, &text, &length, NULL), SN_OK);
    char *start = strstr(text, "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = '\0';
    sn_scene *scene = load(start);
    assert_int_equal(sn_scene_notes(scene)->count, 0);
    sn_world *world = build(scene);
    const sn_surface *belt = &shape_of(world, "belt", 0)->surface;
    assert_true(belt->friction == 0.6 && belt->velocity.x == 0.5 &&
                belt->rolling_friction == 0.001);
    assert_int_equal(shape_of(world, "ghost", 0)->surface.meets, belt->group);
    assert_true(shape_of(world, "gate", 0)->surface.sensor);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_free(text);
}

// ---- mistakes ----

#define STATIC(inside)                                                                             \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"static\", \"shape\":\n{" inside     \
    "}}]}"
#define RIGID(inside) "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shape\":\n{" inside "}}]}"

static void mistakes_have_their_places(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {RIGID("\"type\": \"plane\""),
         {"t:2:1: a plane has no mass and cannot move; expected it in a body of the type "
          "\"static\""}},
        {RIGID("\"type\": \"height_field\", \"size\": [1, 1], \"height\": 0"),
         {"t:2:1: a height_field has no mass and cannot move"}},
        {RIGID("\"type\": \"box\", \"size\": [1, 0.2, 1], \"rounding\": 0.11"),
         {"t:2:50: \"rounding\" must be at most half of the smallest edge, 0.1 m, got 0.11 m"}},
        {RIGID("\"type\": \"box\", \"size\": [1, 1, 1], \"rounding\": -0.1"),
         {"t:2:48: \"rounding\" must not be negative, got -0.1"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"rounding\": 0.1"),
         {"t:2:33: unknown key \"rounding\" in a sphere"}},
        {RIGID("\"type\": \"hull\""), {"t:2:1: a hull needs \"points\" or \"file\""}},
        {RIGID("\"type\": \"hull\", \"file\": \"a.stl\", \"points\": "
               "[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]"),
         {"t:2:26: a hull has both \"file\" and \"points\", expected one of them"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"friction\": -0.5"),
         {"t:2:45: \"friction\" must not be negative, got -0.5"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"restitution\": 1.5"),
         {"t:2:48: \"restitution\" must lie between 0 and 1, got 1.5"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"rolling_friction\": \"2 N\""),
         {"t:2:53: \"rolling_friction\": expected a length such as"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"surface_velocity\": 2"),
         {"t:2:53: \"surface_velocity\": expected 3 numbers [x, y, z], each a speed"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"sensor\": 1"),
         {"t:2:43: \"sensor\": expected true or false, got 1"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"group\": []"),
         {"t:2:42: \"group\": expected at least 1 strings, got 0"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"group\": [\"a\", \"\"]"),
         {"t:2:48: the name of a group is empty"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"meets\": [\"default\", 5]"),
         {"t:2:54: \"meets\": expected a string in double quotes, got 5"}},
        {RIGID("\"type\": \"sphere\", \"radius\": 1, \"frictoin\": 1"),
         {"t:2:33: unknown key \"frictoin\" in a sphere; did you mean \"friction\"?"}},
        {"{\"sinew\": 1, \"materials\": {\"m\": {\"restitution\": 2}}}",
         {"t:1:49: \"restitution\" must lie between 0 and 1, got 2"}},
        {"{\"sinew\": 1, \"contact\": {\"method\": \"solvr\"}}",
         {"t:1:36: \"method\": got \"solvr\"; did you mean \"solver\"? Expected one of: default, "
          "solver, impulse, penalty, none"}},
        {"{\"sinew\": 1, \"contact\": {\"substeps\": 0}}",
         {"t:1:38: \"substeps\" must lie between 1 and 1000, got 0"}},
        {"{\"sinew\": 1, \"contact\": {\"sleep\": \"no\"}}",
         {"t:1:35: \"sleep\": expected true or false, got \"no\""}},
        {"{\"sinew\": 1, \"contact\": {\"stiffness\": \"2 N\"}}",
         {"t:1:39: \"stiffness\": expected a stiffness such as"}},
        {"{\"sinew\": 1, \"contact\": {\"dampnig\": 1}}",
         {"t:1:26: unknown key \"dampnig\" in a contact; did you mean \"damping\"?"}},
    };
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

#define FIELD(inside) STATIC("\"type\": \"height_field\", \"size\": [1, 1], " inside)

static void mistakes_in_height_fields(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {STATIC("\"type\": \"height_field\", \"size\": [1], \"height\": 0"),
         {"t:2:34: \"size\": expected at least 2 and at most 2 numbers, got 1"}},
        {STATIC("\"type\": \"height_field\", \"size\": [1, 0], \"height\": 0"),
         {"t:2:38: \"size\" must be greater than 0, got 0"}},
        {STATIC("\"type\": \"height_field\", \"height\": 0"),
         {"t:2:1: a height_field needs the key \"size\""}},
        {FIELD("\"group\": \"a\""), {"t:2:1: a height field needs \"heights\" or \"height\""}},
        {FIELD("\"height\": 0, \"heights\": [[0, 0], [0, 0]]"),
         {"t:2:52: a height field has both \"heights\" and \"height\""}},
        {FIELD("\"heights\": [[0, 0], [0, 0]], \"rows\": 2"),
         {"t:2:79: \"rows\" is for \"height\""}},
        {FIELD("\"heights\": [[0, 0]]"),
         {"t:2:53: \"heights\": expected at least 2 rows of numbers, got 1"}},
        {FIELD("\"heights\": [[0, 0], [0, 0, 0]]"),
         {"t:2:62: \"heights\": a row of 3 numbers, expected 2 as in the first"}},
        {FIELD("\"heights\": [[0], [0]]"),
         {"t:2:54: \"heights\": expected a row [a, b, ...] of at least 2 numbers"}},
        {FIELD("\"heights\": [5, [0, 0]]"), {"t:2:54: \"heights\": expected a row"}},
        {FIELD("\"heights\": [[0, \"5kg\"], [0, 0]]"),
         {"t:2:58: \"heights\": expected a length such as"}},
        {FIELD("\"heights\": [[0, \"=1/0\"], [0, 0]]"), {"t:2:61: division by zero"}},
        {FIELD("\"height\": \"=x + z\""),
         {"t:2:58: unknown name \"z\", expected a param of the scene, x or y, pi"}},
        {FIELD("\"height\": \"=x +\""), {"t:2:57: "}},
        {FIELD("\"height\": \"=1/y\", \"rows\": 3"),
         {"t:2:55: height_field: at x = -0.5, y = 0: division by zero"}},
        {FIELD("\"height\": 0, \"columns\": 1"),
         {"t:2:66: \"columns\" must lie between 2 and 4096, got 1"}},
        {FIELD("\"height\": 0, \"columns\": 2000, \"rows\": 2000"),
         {"t:2:1: this height field would have 4000000 heights, expected at most 1000000"}},
    };
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

static void at_most_32_groups(void **state)
{
    (void)state;
    char text[4000] = "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": "
                      "\"sphere\", \"radius\": 1, \"group\": [";
    for (int i = 1; i < 32; ++i) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"g%d\"", i > 1 ? ", " : "",
                 i);
    }
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "]}}]}");
    sn_world *world = build_text(text);
    assert_true(shape_of(world, "a", 0)->surface.group == 0xFFFFFFFE);
    sn_world_destroy(world);
    snprintf(text + length, sizeof text - length, "],\n\"meets\": [\"g3\", \"last\"]}}]}");
    const mistake mistakes[] = {
        {text,
         {"t:2:17: \"last\" is one group too many, expected at most 32 in a scene, \"default\" "
          "among them"}}};
    check_mistakes(mistakes, 1);
}

static void lack_of_memory_is_harmless(void **state)
{
    (void)state;
    for (int n = 0;; ++n) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_world *world = NULL;
        char *text = NULL;
        size_t length;
        sn_allocation_fail_after(n);
        sn_status status = sn_scene_load_text("t", yard, strlen(yard), NULL, &scene, &errors);
        status = status == SN_OK ? sn_scene_set_param(scene, "wave", 11.0, NULL) : status;
        status = status == SN_OK ? sn_scene_resolved_text(scene, &text, &length, NULL) : status;
        status = status == SN_OK ? sn_scene_build(scene, &world, NULL) : status;
        sn_allocation_fail_after(-1);
        sn_error_list_free(&errors);
        sn_scene_free_text(text);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        if (status == SN_OK) {
            assert_true(n > 50);
            return;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_come_from_shapes_and_materials),
        cmocka_unit_test(groups_become_bits),
        cmocka_unit_test(shapes_reach_the_world),
        cmocka_unit_test(height_fields_are_computed_and_listed),
        cmocka_unit_test(a_bad_param_leaves_the_height_field),
        cmocka_unit_test(hulls_are_read_from_files),
        cmocka_unit_test(unknown_groups_are_noted),
        cmocka_unit_test(methods_without_effect_are_noted),
        cmocka_unit_test(elastic_bodies_that_touch_nothing_are_noted),
        cmocka_unit_test(sensors_are_probes_and_events),
        cmocka_unit_test(params_drive_surfaces_and_contact),
        cmocka_unit_test(the_resolved_text_is_the_same_scene),
        cmocka_unit_test(the_guide_has_a_scene_that_builds),
        cmocka_unit_test(mistakes_have_their_places),
        cmocka_unit_test(mistakes_in_height_fields),
        cmocka_unit_test(at_most_32_groups),
        cmocka_unit_test(lack_of_memory_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
