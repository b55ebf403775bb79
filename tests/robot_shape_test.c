// Shapes of robots: <visual> is drawn, <collision> touches; meshes touch by their hulls; open ones
// are drawn as they are; DAE files stand as their STL twins do; a humanoid of the benchmark as a
// URDF file lies on the ground.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../bench/humanoid.h"
#include "base/memory.h"
#include "draw/model.h"
#include "record/surface.h"
#include "sanitized.h"
#include "shortage.h"
#include "sinew/contact.h"
#include "sinew/geometry.h"
#include "sinew/scene.h"
#include "world_steps.h"

// ---- helpers ----

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-robot-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[2][200];
    static int next;
    next = 1 - next;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static FILE *create(const char *name)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    return file;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = create(name);
    fputs(text, file);
    fclose(file);
}

static sn_scene *load(void)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_file(path_of("s.json"), NULL, &scene, &errors);
    for (int i = 0; i < errors.count; ++i) {
        print_error("%s\n", sn_error_message(&errors.items[i]));
    }
    sn_error_list_free(&errors);
    assert_int_equal(status, SN_OK);
    return scene;
}

static sn_world *build(const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return world;
}

#define FLOOR                                                                                      \
    "\"bodies\": [{\"name\": \"floor\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}}]"

// The scene of r.urdf, free above a floor.
static sn_scene *load_robot(const char *urdf, const char *keys, double height)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, " FLOOR ", \"robots\": [{\"file\": \"r.urdf\", \"base\": \"free\", "
             "\"position\": [0, 0, %g]%s}]}",
             height, keys);
    write_text("r.urdf", urdf);
    write_text("s.json", text);
    sn_scene *scene = load();
    remove(path_of("r.urdf"));
    remove(path_of("s.json"));
    return scene;
}

static sn_world *build_robot(const char *urdf, const char *keys, double height)
{
    sn_scene *scene = load_robot(urdf, keys, height);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

#define SOLID                                                                                      \
    "<inertial><mass value='2'/><inertia ixx='0.03' iyy='0.03' izz='0.03' ixy='0' ixz='0' "        \
    "iyz='0'/></inertial>"
#define VISUAL(in)    "<visual><geometry>" in "</geometry></visual>"
#define COLLISION(in) "<collision><geometry>" in "</geometry></collision>"
#define LINK(in)      "<robot name='r'><link name='a'>" SOLID in "</link></robot>"

static double height_after(sn_world *world, double seconds)
{
    advance(world, 0.005, (int)(seconds / 0.005));
    double z = sn_body_centre(world, sn_world_find_body(world, "a")).z;
    sn_world_destroy(world);
    return z;
}

static int drawn_parts(const sn_world *world)
{
    sn_surfaces surfaces = {0};
    sn_model model = {0};
    sn_error error = {0};
    assert_int_equal(sn_surfaces_collect(world, &surfaces, &error), SN_OK);
    assert_int_equal(sn_model_make(&model, world, &error), SN_OK);
    int count = 0;
    for (int i = 0; i < surfaces.placements.count; ++i) {
        count += surfaces.placements.data[i].body > 0; // 0: the floor
    }
    assert_int_equal(count, model.parts.count); // pictures and exports agree
    sn_surfaces_free(&surfaces);
    sn_model_free(&model);
    return count;
}

// ---- what is drawn and what touches ----

static const char ball[] =
    LINK(VISUAL("<sphere radius='0.5'/>") COLLISION("<sphere radius='0.2'/>"));

static void collision_touches_and_visual_is_drawn(void **state)
{
    (void)state;
    sn_world *world = build_robot(ball, "", 0.3);
    sn_body a = sn_world_find_body(world, "a");
    assert_int_equal(sn_body_shape_count(world, a), 2);
    assert_int_equal(drawn_parts(world), 1);
    assert_true(fabs(height_after(world, 1.0) - 0.2) < 1e-4);
    world = build_robot(ball, ", \"geometry\": \"visual\"", 0.6);
    assert_int_equal(drawn_parts(world), 1);
    assert_true(fabs(height_after(world, 1.0) - 0.5) < 1e-4);
    world = build_robot(ball, ", \"geometry\": \"collision\"", 0.6);
    assert_int_equal(drawn_parts(world), 1);
    assert_true(fabs(height_after(world, 1.0) - 0.2) < 1e-4);
}

// As in other simulators; and a note tells what would let it touch.
static void without_collision_nothing_touches(void **state)
{
    (void)state;
    sn_scene *scene = load_robot(LINK(VISUAL("<sphere radius='0.5'/>")), "", 0.6);
    const sn_error_list *notes = sn_scene_notes(scene);
    assert_int_equal(notes->count, 1);
    assert_non_null(strstr(notes->items[0].text, "no <collision>"));
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    assert_int_equal(drawn_parts(world), 1);
    assert_true(fabs(height_after(world, 1.0) - (0.6 - 0.5 * 9.80665)) < 0.03);
}

// A robot of which nothing would be seen shows what touches.
static void without_visual_collision_is_drawn(void **state)
{
    (void)state;
    sn_world *world = build_robot(LINK(COLLISION("<sphere radius='0.2'/>")), "", 0.6);
    assert_int_equal(sn_body_shape(world, sn_world_find_body(world, "a"), 0)->role, SN_ROLE_BOTH);
    assert_int_equal(drawn_parts(world), 1);
    sn_world_destroy(world);
    // The same form twice is one shape, with the colour of what is seen.
    world = build_robot(
        LINK("<visual><geometry><box size='1 1 1'/></geometry><material name='m'>"
             "<color rgba='1 0 0 1'/></material></visual>" COLLISION("<box size='1 1 1'/>")),
        "", 0.6);
    sn_body a = sn_world_find_body(world, "a");
    assert_int_equal(sn_body_shape_count(world, a), 1);
    assert_int_equal(sn_body_shape(world, a, 0)->role, SN_ROLE_BOTH);
    assert_int_equal(sn_body_shape(world, a, 0)->colour, 0xff0000);
    sn_world_destroy(world);
}

// ---- roles of shapes in a scene and in C ----

static sn_world *world_with(const char *more)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"bodies\": [{\"name\": \"floor\", \"type\": \"static\", \"shape\": "
             "{\"type\": \"plane\"}}, {\"name\": \"a\", \"position\": [0, 0, 0.4], \"shapes\": ["
             "{\"type\": \"box\", \"size\": [0.1, 0.2, 0.3], \"rotation\": {\"euler\": [0.3, 0.2, "
             "0.1]}}%s]}]}",
             more);
    write_text("s.json", text);
    sn_scene *scene = load();
    remove(path_of("s.json"));
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

// It moves to the last bit as if the visual shape were not there: mass, contact, saved state.
static void visual_shapes_change_nothing(void **state)
{
    (void)state;
    const char *visual = ", {\"type\": \"sphere\", \"radius\": 0.5, \"role\": \"visual\"}, "
                         "{\"type\": \"mesh\", \"role\": \"visual\", \"vertices\": [[0, 0, 0], "
                         "[1, 0, 0], [0, 1, 0]], \"triangles\": [[0, 1, 2]]}";
    sn_world *with = world_with(visual), *without = world_with("");
    sn_body a = sn_world_find_body(with, "a"), b = sn_world_find_body(without, "a");
    assert_true(sn_body_mass_properties(with, a).mass == sn_body_mass_properties(without, b).mass);
    assert_int_equal(drawn_parts(with), 3);
    for (int i = 0; i < 200; ++i) {
        advance(with, 0.005, 1);
        advance(without, 0.005, 1);
        sn_transform p = sn_body_transform(with, a), q = sn_body_transform(without, b);
        assert_memory_equal(&p, &q, sizeof p);
    }
    sn_hit hit = {0};
    assert_false(
        sn_world_cast_ray(with, sn_vec3_make(-2, 0, 0.45), sn_vec3_make(2, 0, 0.45), NULL, &hit));
    sn_world_destroy(with);
    sn_world_destroy(without);
}

// Bodies come and go between others that have visual shapes: the rest keeps touching.
static void removed_bodies_leave_the_others_in_contact(void **state)
{
    (void)state;
    enum { COUNT = 80 };
    sn_error error = {0};
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, &error), SN_OK);
    sn_shape shapes[3] = {sn_default_shape(), sn_default_shape(), sn_default_shape()};
    shapes[0].role = SN_ROLE_VISUAL;
    shapes[1].radius = shapes[2].radius = 0.1;
    shapes[2].role = SN_ROLE_COLLISION;
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    sn_body_def floor = sn_default_body_def(), body = sn_default_body_def();
    sn_body ids[COUNT], ground;
    floor.type = SN_BODY_STATIC;
    floor.shapes = &plane;
    floor.shape_count = 1;
    body.shapes = shapes;
    body.shape_count = 3;
    assert_int_equal(sn_world_add_body(world, &floor, &ground, &error), SN_OK);
    for (int i = 0; i < COUNT; ++i) {
        body.frame.position = sn_vec3_make(3.0 * i, 0, 0.1);
        assert_int_equal(sn_world_add_body(world, &body, &ids[i], &error), SN_OK);
    }
    advance(world, 0.005, 20);
    for (int i = 0; i < COUNT - 2; ++i) {
        assert_int_equal(sn_world_remove_body(world, ids[i], &error), SN_OK);
    }
    advance(world, 0.005, 100);
    for (int i = COUNT - 2; i < COUNT; ++i) {
        assert_true(fabs(sn_body_centre(world, ids[i]).z - 0.1) < 1e-4);
    }
    shapes[0].role = (sn_shape_role)7;
    assert_int_equal(sn_world_add_body(world, &body, &ids[0], &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "role 7"));
    sn_world_destroy(world);
}

static void expect_mistake(const char *shape, const char *words)
{
    char text[600];
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], "
             "\"shape\": {\"type\": \"sphere\", \"radius\": 1, %s}}]}",
             shape);
    assert_int_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors),
                     SN_ERROR_SCENE);
    assert_non_null(strstr(errors.items[0].text, words));
    sn_error_list_free(&errors);
}

static void senseless_roles_are_refused(void **state)
{
    (void)state;
    expect_mistake("\"role\": \"visual\", \"density\": 5", "weighs nothing");
    expect_mistake("\"role\": \"visual\", \"sensor\": true", "not both");
    expect_mistake("\"role\": \"visuall\"", "did you mean \"visual\"");
}

// ---- meshes ----

// An L: three unit cubes' outline, 1 m high; its hull has a fifth corner less.
static void write_angle(const char *name)
{
    FILE *f = create(name);
    static const int outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    for (int i = 0; i < 12; ++i) {
        fprintf(f, "v %d %d %d\n", outline[i % 6][0], outline[i % 6][1], i / 6);
    }
    fprintf(f, "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n");
    for (int i = 0; i < 6; ++i) {
        fprintf(f, "f %d %d %d %d\n", i + 1, (i + 1) % 6 + 1, (i + 1) % 6 + 7, i + 7);
    }
    fclose(f);
}

static void meshes_touch_by_their_hulls(void **state)
{
    (void)state;
    const char *urdf = LINK(VISUAL("<mesh filename='l.obj'/>")
                                COLLISION("<mesh filename='l.obj' scale='1 1 2'/>"));
    write_angle("l.obj");
    sn_world *world = build_robot(urdf, "", 1);
    sn_body a = sn_world_find_body(world, "a");
    const sn_shape *seen = sn_body_shape(world, a, 0), *felt = sn_body_shape(world, a, 1);
    assert_int_equal(seen->type, SN_SHAPE_MESH);
    assert_int_equal(sn_mesh_vertex_count(seen->mesh), 12);
    assert_int_equal(felt->type, SN_SHAPE_HULL);
    assert_int_equal(sn_mesh_vertex_count(felt->mesh), 10); // without the inner corners
    assert_true(sn_mesh_bounds(felt->mesh).upper.z == 2.0);
    sn_world_destroy(world);
    world = build_robot(urdf, ", \"concave\": true", 1);
    felt = sn_body_shape(world, sn_world_find_body(world, "a"), 1);
    assert_int_equal(felt->type, SN_SHAPE_MESH);
    assert_int_equal(sn_mesh_vertex_count(felt->mesh), 12);
    sn_world_destroy(world);
    // What is seen touches: the mesh is drawn, its hull touches.
    world = build_robot(urdf, ", \"geometry\": \"visual\"", 1);
    a = sn_world_find_body(world, "a");
    assert_int_equal(sn_body_shape(world, a, 0)->role, SN_ROLE_VISUAL);
    assert_int_equal(sn_body_shape(world, a, 1)->role, SN_ROLE_COLLISION);
    assert_int_equal(sn_body_shape(world, a, 1)->type, SN_SHAPE_HULL);
    assert_true(fabs(height_after(world, 0.5)) < 2e-3); // its origin is at its foot
    remove(path_of("l.obj"));
}

// Two triangles that share an edge, a third on its own: no body, but something to see.
static void open_meshes_are_drawn_as_they_are(void **state)
{
    (void)state;
    write_text("o.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\n"
                        "f 1 2 3\nf 1 3 4\nf 5 6 7\n");
    sn_scene *scene = load_robot(
        LINK(VISUAL("<mesh filename='o.obj'/>") COLLISION("<sphere radius='0.2'/>")), "", 0.3);
    assert_int_equal(sn_scene_notes(scene)->count, 0);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    sn_body a = sn_world_find_body(world, "a");
    assert_int_equal(sn_mesh_triangle_count(sn_body_shape(world, a, 0)->mesh), 3);
    assert_int_equal(drawn_parts(world), 1);
    assert_true(fabs(height_after(world, 1.0) - 0.2) < 1e-4);
    remove(path_of("o.obj"));
}

// ---- DAE and STL twins ----

// A box from 0 to (1, 2, 3).
static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void write_stl(const char *name, double scale)
{
    FILE *f = create(name);
    fprintf(f, "solid s\n");
    for (int i = 0; i < 12; ++i) {
        fprintf(f, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; ++k) {
            int at = quads[i / 2][k == 0 ? 0 : k + i % 2];
            fprintf(f, "vertex %g %g %g\n", scale * (at & 1), scale * (at & 2),
                    scale * 3 * (at >> 2));
        }
        fprintf(f, "endloop\nendfacet\n");
    }
    fprintf(f, "endsolid s\n");
    fclose(f);
}

static void write_dae(const char *name, const char *up, const char *unit)
{
    FILE *f = create(name);
    fprintf(f,
            "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\""
            " version=\"1.4.1\"><asset>%s<up_axis>%s</up_axis></asset><library_geometries>"
            "<geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" count=\"24\">",
            unit, up);
    for (int i = 0; i < 8; ++i) {
        fprintf(f, "%d %d %d ", i & 1, i & 2, 3 * (i >> 2));
    }
    fprintf(f, "</float_array><technique_common><accessor source=\"#pa\" count=\"8\" stride=\"3\">"
               "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
               "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
               "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
               "<polylist count=\"6\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
               "<vcount>4 4 4 4 4 4</vcount><p>");
    for (int q = 0; q < 24; ++q) {
        fprintf(f, "%d ", quads[q / 4][q % 4]);
    }
    fprintf(f, "</p></polylist></mesh></geometry></library_geometries><library_visual_scenes>"
               "<visual_scene id=\"s\"><node id=\"a\"><instance_geometry url=\"#g\"/></node>"
               "</visual_scene></library_visual_scenes>"
               "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n");
    fclose(f);
}

static void assert_bounds(const sn_mesh *mesh, const sn_mesh *other)
{
    sn_aabb a = sn_mesh_bounds(mesh), b = sn_mesh_bounds(other);
    if (!(sn_distance(a.lower, b.lower) < 1e-6 && sn_distance(a.upper, b.upper) < 1e-6)) {
        fail_msg("(%g, %g, %g) and (%g, %g, %g)", a.upper.x, a.upper.y, a.upper.z, b.upper.x,
                 b.upper.y, b.upper.z);
    }
}

// As RViz and its kin have it: the axes as they are, the unit counts.
static void dae_stands_as_its_stl_twin(void **state)
{
    (void)state;
    static const char *const ups[] = {"Z_UP", "Y_UP", "X_UP"};
    for (int i = 0; i < 6; ++i) {
        bool small = i >= 3;
        write_dae("t.dae", ups[i % 3], small ? "<unit name=\"cm\" meter=\"0.01\"/>" : "");
        write_stl("t.stl", small ? 0.01 : 1.0);
        sn_world *world = build_robot(LINK(VISUAL("<mesh filename='t.dae'/>") VISUAL(
                                          "<mesh filename='t.stl'/>") COLLISION("<mesh "
                                                                                "filename='t.dae'/"
                                                                                ">")),
                                      "", 1);
        sn_body a = sn_world_find_body(world, "a");
        assert_bounds(sn_body_shape(world, a, 0)->mesh, sn_body_shape(world, a, 1)->mesh);
        assert_bounds(sn_body_shape(world, a, 2)->mesh, sn_body_shape(world, a, 1)->mesh);
        sn_world_destroy(world);
        remove(path_of("t.dae"));
        remove(path_of("t.stl"));
    }
    // A shape's own file still stands as the file says.
    write_dae("t.dae", "Y_UP", "");
    write_text("s.json", "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": "
                         "\"mesh\", \"file\": \"t.dae\"}}]}");
    sn_scene *scene = load();
    sn_world *world = build(scene);
    assert_true(
        fabs(sn_mesh_bounds(sn_body_shape(world, sn_world_find_body(world, "a"), 0)->mesh).upper.z -
             2.0) < 1e-6);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    remove(path_of("t.dae"));
    remove(path_of("s.json"));
}

// ---- there and back ----

static void roles_survive_export(void **state)
{
    (void)state;
    sn_scene *scene = load_robot(ball, "", 0.3);
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_error_list left_out = {0};
    assert_int_equal(sn_scene_urdf_text(scene, NULL, &text, &length, &left_out, &error), SN_OK);
    sn_scene_destroy(scene);
    sn_error_list_free(&left_out);
    write_text("r.urdf", text);
    write_text("s.json", "{\"sinew\": 1, \"robots\": [{\"file\": \"r.urdf\"}]}");
    scene = load();
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    remove(path_of("r.urdf"));
    remove(path_of("s.json"));
    sn_body a = sn_world_find_body(world, "a");
    assert_int_equal(sn_body_shape_count(world, a), 2);
    assert_int_equal(sn_body_shape(world, a, 0)->role, SN_ROLE_VISUAL);
    assert_true(sn_body_shape(world, a, 0)->radius == 0.5);
    assert_int_equal(sn_body_shape(world, a, 1)->role, SN_ROLE_COLLISION);
    assert_true(sn_body_shape(world, a, 1)->radius == 0.2);
    sn_world_destroy(world);
    sn_scene_free_text(text);
}

// ---- the humanoid ----

static void write_hull(const sn_humanoid_link *link, int index)
{
    char name[64];
    sn_vec3 corners[SN_HUMANOID_CORNERS];
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    sn_humanoid_hull(link, index, corners);
    assert_int_equal(sn_mesh_convex_hull(corners, SN_HUMANOID_CORNERS, &mesh, &error), SN_OK);
    assert_int_equal(sn_mesh_vertex_count(mesh), SN_HUMANOID_CORNERS);
    snprintf(name, sizeof name, "%s.obj", link->name);
    FILE *f = create(name);
    for (int i = 0; i < sn_mesh_vertex_count(mesh); ++i) {
        sn_vec3 p = sn_mesh_positions(mesh)[i];
        fprintf(f, "v %.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    const int *t = sn_mesh_triangles(mesh);
    for (int i = 0; i < sn_mesh_triangle_count(mesh); ++i) {
        fprintf(f, "f %d %d %d\n", t[3 * i] + 1, t[3 * i + 1] + 1, t[3 * i + 2] + 1);
    }
    fclose(f);
    sn_mesh_release(mesh);
}

static void write_humanoid(const sn_humanoid_link *links)
{
    FILE *f = create("humanoid.urdf");
    fprintf(f, "<robot name='humanoid'>\n");
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        const sn_humanoid_link *link = &links[i];
        sn_vec3 inertia = sn_humanoid_inertia(link);
        fprintf(f,
                "<link name='%s'><inertial><origin xyz='%.17g %.17g %.17g'/><mass value='%.17g'/>"
                "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/>"
                "</inertial>",
                link->name, link->centre.x, link->centre.y, link->centre.z, link->mass, inertia.x,
                inertia.y, inertia.z);
        if (link->hull) {
            write_hull(link, i);
            fprintf(f, VISUAL("<mesh filename='%s.obj'/>") COLLISION("<mesh filename='%s.obj'/>"),
                    link->name, link->name);
        }
        fprintf(f, "</link>\n");
        if (link->parent >= 0) {
            fprintf(f,
                    "<joint name='%s_joint' type='revolute'><parent link='%s'/><child link='%s'/>"
                    "<origin xyz='%.17g %.17g %.17g'/><axis xyz='%d %d %d'/>"
                    "<limit lower='%.17g' upper='%.17g' effort='100' velocity='30'/>"
                    "<dynamics damping='%.17g'/></joint>\n",
                    link->name, links[link->parent].name, link->name, link->anchor.x,
                    link->anchor.y, link->anchor.z, link->axis == 'x', link->axis == 'y',
                    link->axis == 'z', link->lower, link->upper, SN_HUMANOID_DAMPING);
        }
    }
    fprintf(f, "</robot>\n");
    fclose(f);
    f = create("s.json");
    fprintf(f,
            "{\"sinew\": 1, \"gravity\": [0, 0, -9.81], " FLOOR ", \"robots\": [{\"file\": "
            "\"humanoid.urdf\", \"base\": \"free\", \"position\": [0, 0, %.17g], \"rotation\": "
            "{\"euler\": [0, \"-90deg\", 0]}}]}",
            sn_humanoid_height(links));
    fclose(f);
}

static void remove_humanoid(const sn_humanoid_link *links)
{
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s.obj", links[i].name);
        remove(path_of(name));
    }
    remove(path_of("humanoid.urdf"));
    remove(path_of("s.json"));
}

// The file of a humanoid of 29 hinges: it lies still on its back, on corners of its hulls.
static void humanoid_lies_on_the_ground(void **state)
{
    (void)state;
    static sn_humanoid_judge judge;
    sn_humanoid_judge_start(&judge);
    write_humanoid(judge.links);
    sn_scene *scene = load();
    remove_humanoid(judge.links);
    assert_int_equal(sn_scene_notes(scene)->count, 0);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    assert_int_equal(sn_world_joint_count(world), SN_HUMANOID_LINKS - 1);
    assert_int_equal(drawn_parts(world), 6);
    for (int turn = 0; turn < rounds_of(50, 5); ++turn) {
        sn_humanoid_body bodies[SN_HUMANOID_LINKS];
        advance(world, 2e-3, 10);
        for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
            sn_body body = sn_world_find_body(world, judge.links[i].name);
            sn_transform frame = sn_body_transform(world, body);
            bodies[i] = (sn_humanoid_body){frame.position, sn_quat_to_mat3(frame.rotation),
                                           sn_body_velocity(world, body),
                                           sn_body_angular_velocity(world, body)};
        }
        sn_humanoid_judge_look(&judge, bodies);
    }
    assert_true(judge.quality[0] < 1e-4);                  // m below the ground
    assert_true(fabs(judge.quality[2] - 0.09) < 2e-3);     // the trunk's height
    assert_true(is_sanitized() || judge.quality[3] < 1.0); // J
    assert_true(judge.quality[4] < 1e-6);                  // J: nothing adds energy
    sn_world_destroy(world);
}

// ---- memory ----

static void shortage_is_survived(void **state)
{
    (void)state;
    write_text("r.urdf", LINK(VISUAL("<sphere radius='1'/>") VISUAL("<box size='1 1 1'/>")
                                  COLLISION("<box size='1 1 1'/>")));
    write_text("s.json", "{\"sinew\": 1, \"robots\": [{\"file\": \"r.urdf\"}]}");
    for (shortage s = {.most = 2000}; shortage_goes_on(&s);) {
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        sn_error error = {0};
        sn_error_list errors = {0};
        shortage_begin(&s);
        sn_status status = sn_scene_load_file(path_of("s.json"), NULL, &scene, &errors);
        status = status == SN_OK ? sn_scene_build(scene, &world, &error) : status;
        shortage_end(&s, status);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
    }
    remove(path_of("r.urdf"));
    remove(path_of("s.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collision_touches_and_visual_is_drawn),
        cmocka_unit_test(without_collision_nothing_touches),
        cmocka_unit_test(without_visual_collision_is_drawn),
        cmocka_unit_test(visual_shapes_change_nothing),
        cmocka_unit_test(removed_bodies_leave_the_others_in_contact),
        cmocka_unit_test(senseless_roles_are_refused),
        cmocka_unit_test(meshes_touch_by_their_hulls),
        cmocka_unit_test(open_meshes_are_drawn_as_they_are),
        cmocka_unit_test(dae_stands_as_its_stl_twin),
        cmocka_unit_test(roles_survive_export),
        cmocka_unit_test(humanoid_lies_on_the_ground),
        cmocka_unit_test(shortage_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
