// Winds on elastic bodies: a stiff plate flies as the rigid one beside it does, under both laws; a
// wind does what its pressure says, and air at rest only takes energy.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "scene_text.h"
#include "shortage.h"
#include "sinew/elastic.h"

#define PLATES                                                                                     \
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"materials\": {\"stiff\": {\"young\": \"50MPa\"}},\n" \
    "\"bodies\": [{\"name\": \"soft\", \"type\": \"elastic\", \"nodes\": 10, \"material\": "       \
    "\"stiff\", \"rotation\": {\"axis\": [0, 0, 1], \"angle\": \"30deg\"}, \"damping\": "          \
    "{\"stiffness\": \"3ms\"}, \"mesh\": {\"type\": \"box\", \"size\": [\"2mm\", 0.1, 0.1], "      \
    "\"cells\": [1, 2, 2]}},\n{\"name\": \"hard\", \"position\": [0, 2, 0], \"rotation\": "        \
    "{\"axis\": [0, 0, 1], \"angle\": \"30deg\"}, \"shape\": {\"type\": \"box\", \"size\": "       \
    "[\"2mm\", 0.1, 0.1]}}],\n\"fields\": [{\"type\": \"wind\", \"kind\": \"uniform\", "           \
    "\"direction\": [1, 0, 0], \"speed\": 10, \"law\": \"%s\"}]}"

static void plates_fly_alike(void **state)
{
    (void)state;
    static const char *const laws[] = {"air", "face"};
    for (int i = 0; i < 2; ++i) {
        char text[2000];
        snprintf(text, sizeof text, PLATES, laws[i]);
        sn_world *world = build_text(text);
        advance(world, 1.0 / 240.0, 60);
        sn_vec3 soft = sn_body_velocity(world, sn_world_body(world, 0)),
                hard = sn_body_velocity(world, sn_world_body(world, 1));
        // A skin has its four rims, 8 % of the area; a rigid sheet has none.
        if (!(sn_distance(soft, hard) < 4e-2 * sn_length(hard)) || !(hard.x > 1.0)) {
            fail_msg("%s: %g %g %g and %g %g %g", laws[i], soft.x, soft.y, soft.z, hard.x, hard.y,
                     hard.z);
        }
        sn_world_destroy(world);
    }
}

// A clamped cube feels density/2 C v^2 A on the face that the wind meets, and the shear on the
// four along it: by what holds it.
static void pressure_is_carried(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"cube\", \"type\": "
        "\"elastic\", \"damping\": {\"stiffness\": \"20ms\"}, \"mesh\": {\"type\": \"box\", "
        "\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}], \"bonds\": [{\"type\": "
        "\"attached\", \"body\": \"cube\", \"name\": \"hold\", \"vertices\": {\"plane\": [1, 0, "
        "0], \"position\": [0.05, 0, 0]}}], \"fields\": [{\"type\": \"wind\", \"kind\": "
        "\"uniform\", \"direction\": [1, 0, 0], \"speed\": 10}]}");
    advance(world, 1.0 / 120.0, 240);
    sn_vec3 total = sn_bond_read(world, sn_world_find_bond(world, "hold")).total;
    double wanted = 0.5 * 1.2 * 100.0 * 0.01 * (1.17 + 4.0 * 0.01);
    // Its sides bend a little, and so meet the wind.
    if (!(fabs(-total.x / wanted - 1.0) < 1e-2) || !(fabs(total.y) + fabs(total.z) < 1e-3)) {
        fail_msg("%g %g %g instead of %g", total.x, total.y, total.z, wanted);
    }
    sn_world_destroy(world);
}

// The lightest foil in a long step and a storm: no rule may make it faster than the air.
static void storms_drive_nothing(void **state)
{
    (void)state;
    static const char *const rules[] = {"lie_midpoint", "implicit_euler"};
    for (int i = 0; i < 2; ++i) {
        char text[1500];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"materials\": {\"foil\": {\"density\": "
                 "100, \"young\": \"5MPa\"}}, \"bodies\": [{\"name\": \"foil\", \"type\": "
                 "\"elastic\", \"integrator\": \"%s\", \"material\": \"foil\", \"damping\": "
                 "{\"stiffness\": \"5ms\"}, \"mesh\": {\"type\": \"box\", \"size\": [\"1mm\", 0.1, "
                 "0.1], \"cells\": [1, 3, 3]}}], \"fields\": [{\"type\": \"wind\", \"kind\": "
                 "\"uniform\", \"direction\": [1, 0, 0], \"speed\": 40}]}",
                 rules[i]);
        sn_world *world = build_text(text);
        sn_body foil = sn_world_body(world, 0);
        sn_vec3 v[100];
        int count = sn_body_vertex_count(world, foil);
        assert_true(count <= 100);
        for (int step = 0; step < 30; ++step) {
            advance(world, 1.0 / 60.0, 1);
            sn_body_read_vertices(world, foil, NULL, v);
            for (int k = 0; k < count; ++k) {
                if (!(sn_length(v[k]) < 42.0)) {
                    fail_msg("%s: %g m/s after %d steps", rules[i], sn_length(v[k]), step + 1);
                }
            }
        }
        assert_true(sn_body_velocity(world, foil).x > 30.0);
        sn_world_destroy(world);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, PLATES, "air");
    sn_scene *scene = load(text);
    for (shortage s = {.most = 400}; shortage_goes_on(&s);) {
        sn_world *world = build(scene);
        shortage_begin(&s);
        sn_status status = sn_world_step(world, 0.01, NULL);
        shortage_end(&s, status);
        sn_world_destroy(world);
    }
    sn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_fly_alike),
        cmocka_unit_test(pressure_is_carried),
        cmocka_unit_test(storms_drive_nothing),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
