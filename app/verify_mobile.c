// Mobiles: the balance of one arm against the rule of levers, a tree of three levels, and that
// every mobile of the gallery still hangs in its wanted pose after a minute. What has to do with
// wind is in verify_wind.c.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "builtin.h"
#include "sinew/mechanics.h"
#include "sinew/mobile.h"
#include "sinew/wind.h"
#include "verify.h"
#include "verify_wind.h"

static const double DEGREES = 57.295779513082320877;

static bool load(sn_verify *verify, const char *name, const char *text, size_t length,
                 sn_scene **scene)
{
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text(name, text, length, NULL, scene, &errors);
    if (status != SN_OK) {
        sn_error none = {0};
        sn_verify_broken(verify, errors.count > 0 ? &errors.items[0] : &none);
    }
    sn_error_list_free(&errors);
    return status == SN_OK;
}

static bool load_and_build(sn_verify *verify, const char *text, sn_scene **scene, sn_world **world)
{
    sn_error error = {0};
    *scene = NULL;
    *world = NULL;
    return load(verify, "verify", text, strlen(text), scene) &&
           (sn_scene_build(*scene, world, &error) == SN_OK || sn_verify_broken(verify, &error));
}

static void release(sn_scene *scene, sn_world *world)
{
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- one arm ----

// Weights of 30 g and 50 g at the ends of a rod of 12 g and 0.40 m, its hook 1 cm above the rod.
static const char lever_text[] =
    "{\"sinew\":1,\"mobiles\":[{\"name\":\"lever\",\"balance\":\"pivots\",\"hangs\":{\"arm\":0.4,"
    "\"mass\":0.012,\"height\":0.01,\"hook_thickness\":0,\"carries\":["
    "{\"sphere\":\"1mm\",\"mass\":0.03,\"fixed\":true,\"hole\":[0,0]},"
    "{\"sphere\":\"1mm\",\"mass\":0.05,\"fixed\":true,\"hole\":[0,0]}]}}]}";

// The same arm where it was balanced, with a gram more at its first end.
static const char loaded_text[] =
    "{\"sinew\":1,\"mobiles\":[{\"name\":\"lever\",\"hangs\":{\"arm\":0.4,"
    "\"mass\":0.012,\"height\":0.01,\"hook_thickness\":0,\"hook\":0.24347826086956523,\"carries\":["
    "{\"sphere\":\"1mm\",\"mass\":0.031,\"fixed\":true,\"hole\":[0,0]},"
    "{\"sphere\":\"1mm\",\"mass\":0.05,\"fixed\":true,\"hole\":[0,0]}]}}]}";

static double nearest_mode(sn_world *world, double frequency, sn_error *error)
{
    sn_modes modes = {0};
    double nearest = NAN;
    if (sn_world_modes(world, &modes, error) == SN_OK) {
        for (int i = 0; i < modes.count; ++i) {
            double f = modes.list[i].frequency;
            nearest =
                isnan(nearest) || fabs(f - frequency) < fabs(nearest - frequency) ? f : nearest;
        }
    }
    sn_modes_free(&modes);
    return nearest;
}

static void lever(sn_verify *verify)
{
    sn_scene *scene;
    sn_world *world;
    sn_error error = {0};
    if (load_and_build(verify, lever_text, &scene, &world)) {
        sn_mobile_part arm = sn_scene_mobile_part(scene, 0, 0);
        // x = (m2 L + mr L/2)/(m1 + m2 + mr); I = sum m r^2; f = sqrt(M g h / I)/(2 pi)
        double x = (0.05 * 0.4 + 0.012 * 0.2) / 0.092, y = 0.4 - x;
        double inertia = 0.03 * x * x + 0.05 * y * y +
                         0.012 * (0.4 * 0.4 / 12 + (0.2 - x) * (0.2 - x)) + 0.092 * 0.01 * 0.01;
        double frequency = sqrt(0.092 * 9.81 * 0.01 / inertia) / (2.0 * SN_PI);
        double tilt = DEGREES * atan(0.001 * x / (0.092 * 0.01 + 0.001 * 0.01));
        sn_verify_near(verify, "pivot from the first end, m", x, arm.hook, 1e-12);
        sn_verify_near(verify, "pivot, as published, m", 0.24348, arm.hook, 5e-6);
        sn_verify_near(verify, "left unbalanced, N m", 0.0, arm.hanging.torque, 1e-9);
        sn_verify_relative(verify, "tilt per gram as told, deg", tilt,
                           DEGREES * arm.hanging.tilt_per_gram, 1e-9);
        sn_verify_relative(verify, "tilt frequency as told, Hz", frequency, arm.hanging.frequency,
                           1e-3);
        sn_verify_relative(verify, "tilt frequency of the world, Hz", frequency,
                           nearest_mode(world, frequency, &error), 0.01);
    }
    release(scene, world);
}

static void loaded_lever(sn_verify *verify)
{
    sn_scene *scene;
    sn_world *world;
    sn_error error = {0};
    sn_equilibrium rest = {0};
    if (load_and_build(verify, loaded_text, &scene, &world)) {
        if (sn_world_equilibrium(world, NULL, &rest, &error) == SN_OK) {
            sn_quat turn = sn_body_transform(world, sn_world_body(world, 0)).rotation;
            double tilt = DEGREES * asin(sn_rotate(turn, sn_vec3_make(1, 0, 0)).z);
            sn_verify_relative(verify, "tilt of the world at rest, deg", 14.67, tilt, 0.01);
        } else {
            sn_verify_broken(verify, &error);
        }
    }
    sn_equilibrium_free(&rest);
    release(scene, world);
}

// ---- a tree ----

static const char tree_text[] =
    "{\"sinew\":1,\"materials\":{\"steel\":{\"density\":7850}},\"mobiles\":[{\"name\":\"tree\","
    "\"material\":\"steel\",\"least\":0.02,\"most\":50,\"hangs\":"
    "{\"arm\":0.5,\"bow\":0.06,\"hook\":0.2,\"carries\":["
    "{\"leaf\":\"drop\",\"length\":0.16,\"fixed\":true,\"flat\":true,\"angle\":\"10deg\"},"
    "{\"arm\":0.4,\"tilt\":\"8deg\",\"drop\":0.02,\"turn\":\"70deg\",\"hook\":0.15,\"carries\":["
    "{\"leaf\":\"fin\",\"length\":0.15,\"string\":0.1},"
    "{\"wire\":[[0,0],[0.1,0.04],[0.25,0.05],[0.3,0]],\"smooth\":true,\"hook\":0.14,\"carries\":["
    "{\"disc\":0.03,\"fixed\":true},{\"sphere\":0.012,\"at\":0.25},"
    "{\"leaf\":\"leaf\",\"length\":0.12,\"bend\":\"40deg\",\"flat\":true,\"fixed\":true}"
    "]}]}]}}]}";

// What the built world has left to turn its joints, not what the balance says of itself.
static double unbalanced(const sn_scene *scene, sn_error *error)
{
    sn_world *world = NULL;
    sn_modes modes = {0};
    double torque = NAN;
    if (sn_scene_build(scene, &world, error) == SN_OK &&
        sn_world_modes(world, &modes, error) == SN_OK) {
        torque = modes.torque;
    }
    sn_modes_free(&modes);
    sn_world_destroy(world);
    return torque;
}

static void tree(sn_verify *verify)
{
    static const struct {
        sn_balance_for what;
        const char *name;
    } ways[] = {{SN_BALANCE_PIVOTS, "by pivots, N m"},
                {SN_BALANCE_MASSES, "by masses, N m"},
                {SN_BALANCE_SIZES, "by sizes, N m"},
                {SN_BALANCE_THICKNESS, "by thickness, N m"}};
    sn_scene *scene = NULL;
    if (!load(verify, "verify", tree_text, strlen(tree_text), &scene)) {
        return;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        sn_error error = {0};
        double torque = NAN;
        if (sn_scene_balance(scene, 0, ways[i].what, &error) == SN_OK) {
            torque = unbalanced(scene, &error);
        }
        sn_verify_near(verify, ways[i].name, 0.0, torque, 1e-9);
    }
    sn_scene_destroy(scene);
}

// ---- the gallery ----

// The farthest that a body has turned after a minute from where it was put.
static double farthest_turn(sn_verify *verify, const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_quat *before = NULL;
    sn_error error = {0};
    double farthest = NAN, step = sn_scene_run(scene).step;
    if (sn_scene_build(scene, &world, &error) == SN_OK) {
        before = sn_allocate((size_t)sn_world_body_count(world) * sizeof *before);
    }
    if (before != NULL) {
        sn_status status = SN_OK;
        int bodies = sn_world_body_count(world), steps = (int)(60.0 / step);
        for (sn_field breath; (breath = sn_world_find_breath(world)).index != 0;) {
            sn_world_remove_field(world, breath, &error);
        }
        for (int i = 0; i < bodies; ++i) {
            before[i] = sn_body_transform(world, sn_world_body(world, i)).rotation;
        }
        for (int i = 0; i < steps && status == SN_OK; ++i) {
            status = sn_world_step(world, step, &error);
        }
        farthest = status == SN_OK ? 0.0 : NAN;
        for (int i = 0; i < bodies; ++i) {
            sn_quat now = sn_body_transform(world, sn_world_body(world, i)).rotation;
            sn_quat turn = sn_quat_multiply(sn_quat_conjugate(before[i]), now);
            double s = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
            farthest = fmax(farthest, 2.0 * DEGREES * asin(fmin(s, 1.0)));
        }
    }
    if (isnan(farthest)) {
        sn_verify_broken(verify, &error);
    }
    sn_free(before);
    sn_world_destroy(world);
    return farthest;
}

static void turned(sn_verify *verify, const char *name, const sn_scene *scene)
{
    sn_verify_near(verify, name, 0.0, farthest_turn(verify, scene), 0.1);
}

// Does something with every mobile of the gallery.
static void for_gallery(sn_verify *verify, const char *unit,
                        void (*act)(sn_verify *verify, const char *name, const sn_scene *scene))
{
    const sn_embedded_file *file;
    for (int i = 0; (file = sn_builtin_scene(i)) != NULL; ++i) {
        char name[128], what[160];
        if (strstr((const char *)file->data, "\"mobiles\"") == NULL) {
            continue;
        }
        sn_scene *scene = NULL;
        if (load(verify, file->name, (const char *)file->data, file->size, &scene) &&
            sn_scene_mobile_count(scene) > 0) {
            snprintf(what, sizeof what, "%s%s", sn_builtin_name(file, name, sizeof name), unit);
            act(verify, what, scene);
        }
        sn_scene_destroy(scene);
    }
}

static void rest(sn_verify *verify)
{
    for_gallery(verify, ", deg", turned);
}

static void hidden(sn_verify *verify)
{
    for_gallery(verify, ", lit share", sn_verify_occlusion);
}

static void still_air(sn_verify *verify)
{
    for_gallery(verify, ", growth by the start", sn_verify_still_air);
}

static const sn_verify_case cases[] = {
    {"an arm of 12 g with 30 g and 50 g", lever},
    {"one gram too much", loaded_lever},
    {"a tree of three levels", tree},
    {"turned after 60 s without wind", rest, .slow = true},
    {"speed of winds", sn_verify_wind_speed},
    {"force of the seed's law", sn_verify_wind_force},
    {"patches in a narrow jet", sn_verify_wind_cut},
    {"hidden from a breath, depth buffer against rays", hidden},
    {"energy of what swings in still air", still_air, .slow = true},
    {"leaves that strike each other", sn_verify_strike},
};

const sn_verify_group sn_verify_mobile = {"mobile", "balance, rest, wind and impacts of mobiles",
                                          cases, sizeof cases / sizeof cases[0]};
