// sinew equilibrium SCENE: the pose in which nothing accelerates.
#include <math.h>
#include <string.h>

#include "elastic_info.h"
#include "exit_code.h"
#include "files.h"
#include "freedom_name.h"
#include "json_writer.h"
#include "scene_source.h"
#include "sinew/mechanics.h"
#include "terminal.h"
#include "verbs.h"

// ---- probes ----

// Is a quantity one that a pose alone has? Velocities are zero there, and forces of contacts, bonds
// and joints are found by steps.
static bool is_of_pose(sn_quantity quantity)
{
    static const char *const beginnings[] = {
        "position.", "centre.", "rotation.", "energy.potential", "energy.elastic",
        "stretch.",  "length",  "force",     "joint.position"};
    const char *word = sn_quantity_word(quantity);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i) {
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0) {
            return true;
        }
    }
    return false;
}

// The scene's probe of that number, where it is of the pose.
static bool find_probe(const sn_scene *scene, const sn_world *world, int index,
                       sn_named_probe *probe)
{
    return sn_scene_probe(scene, world, index, probe, NULL) == SN_OK &&
           is_of_pose(probe->probe.quantity);
}

static void print_probes(const sn_scene *scene, const sn_world *world)
{
    sn_named_probe probe;
    for (int i = 0; i < sn_scene_probe_count(scene); ++i) {
        if (find_probe(scene, world, i, &probe)) {
            printf("%-17s %.9g %s\n", probe.name, sn_probe_read(world, &probe.probe),
                   sn_probe_unit(world, &probe.probe));
        }
    }
}

static void json_probes(sn_json_writer *json, const sn_scene *scene, const sn_world *world)
{
    sn_named_probe probe;
    sn_json_write_open(json, "probes", '{');
    for (int i = 0; i < sn_scene_probe_count(scene); ++i) {
        if (find_probe(scene, world, i, &probe)) {
            sn_json_write_number(json, probe.name, sn_probe_read(world, &probe.probe));
        }
    }
    sn_json_write_close(json);
}

// ---- text ----

enum { SHOWN = 8 }; // freedoms of a direction, directions of a list

// "elbow 1, wrist 0.42", largest first in the order of the freedoms.
static void print_direction(const sn_world *world, const double *direction, int coordinates)
{
    int shown = 0, left = 0;
    for (int i = 0; i < coordinates; ++i) {
        if (fabs(direction[i]) < 0.01) {
            continue;
        }
        if (shown == SHOWN) {
            left += 1;
            continue;
        }
        char name[SN_FREEDOM_NAME_SIZE];
        printf("%s%s %.3g", shown > 0 ? ", " : "  ", sn_freedom_name(world, i, name), direction[i]);
        shown += 1;
    }
    printf(left > 0 ? " and %d more\n" : "\n", left);
}

static void print_directions(const sn_world *world, const char *title, int count,
                             const double *directions, int coordinates)
{
    if (count > 0) {
        printf("%s\n", title);
    }
    for (int i = 0; i < count && i < SHOWN; ++i) {
        print_direction(world, directions + (size_t)i * (size_t)coordinates, coordinates);
    }
    if (count > SHOWN) {
        printf("  and %d more; --json lists all\n", count - SHOWN);
    }
}

static void print_text(const sn_scene *scene, const sn_world *world, const sn_equilibrium *rest)
{
    printf("%s after %d iteration%s\n",
           rest->stable ? "stable equilibrium" : "balanced, but not stable", rest->iterations,
           rest->iterations == 1 ? "" : "s");
    sn_print_inverted(world);
    printf("left unbalanced   %.3g N, %.3g N m\n", rest->force, rest->torque);
    printf("potential energy  %.9g J\n", rest->potential);
    printf("freedoms          %d: %d held by forces, %d free, %d unstable\n", rest->freedoms,
           rest->freedoms - rest->free_count - rest->unstable_count, rest->free_count,
           rest->unstable_count);
    print_directions(world, "free to move, without stiffness:", rest->free_count,
                     rest->free_directions, rest->coordinates);
    print_directions(world, "unstable:", rest->unstable_count, rest->unstable_directions,
                     rest->coordinates);
    for (int i = 0; i < rest->resting_count; ++i) {
        char name[SN_FREEDOM_NAME_SIZE];
        printf("%s%s", i == 0 ? "rests on limits:  " : ", ",
               sn_freedom_name(world, rest->resting[i], name));
    }
    printf("%s", rest->resting_count > 0 ? "\n" : "");
    print_probes(scene, world);
}

// ---- JSON ----

static void json_directions(sn_json_writer *json, const sn_world *world, const char *key, int count,
                            const double *directions, int coordinates)
{
    sn_json_write_open(json, key, '[');
    for (int i = 0; i < count; ++i) {
        sn_json_write_open_flat(json, NULL, '{');
        for (int k = 0; k < coordinates; ++k) {
            double part = directions[(size_t)i * (size_t)coordinates + (size_t)k];
            char name[SN_FREEDOM_NAME_SIZE];
            if (part != 0.0) {
                sn_json_write_number(json, sn_freedom_name(world, k, name), part);
            }
        }
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}

static void json_bodies(sn_json_writer *json, const sn_world *world)
{
    sn_json_write_open(json, "bodies", '[');
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_quat r = sn_body_transform(world, body).rotation;
        const double rotation[4] = {r.w, r.x, r.y, r.z};
        sn_json_write_open_flat(json, NULL, '{');
        sn_json_write_text(json, "name", sn_body_name(world, body));
        sn_json_write_vec3(json, "position", sn_body_transform(world, body).position);
        sn_json_write_open(json, "rotation", '[');
        for (int k = 0; k < 4; ++k) {
            sn_json_write_number(json, NULL, rotation[k]);
        }
        sn_json_write_close(json);
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}

static void print_json(const sn_scene *scene, const sn_world *world, const sn_equilibrium *rest)
{
    sn_json_writer json = {.stream = stdout};
    sn_json_write_open(&json, NULL, '{');
    sn_json_write_bool(&json, "stable", rest->stable);
    sn_json_write_integer(&json, "iterations", (uint64_t)rest->iterations);
    sn_json_write_number(&json, "force", rest->force);
    sn_json_write_number(&json, "torque", rest->torque);
    sn_json_write_number(&json, "potential", rest->potential);
    sn_json_write_integer(&json, "inverted", (uint64_t)rest->inverted);
    sn_json_write_integer(&json, "freedoms", (uint64_t)rest->freedoms);
    json_directions(&json, world, "free", rest->free_count, rest->free_directions,
                    rest->coordinates);
    json_directions(&json, world, "unstable", rest->unstable_count, rest->unstable_directions,
                    rest->coordinates);
    sn_json_write_open_flat(&json, "resting", '[');
    for (int i = 0; i < rest->resting_count; ++i) {
        char name[SN_FREEDOM_NAME_SIZE];
        sn_json_write_text(&json, NULL, sn_freedom_name(world, rest->resting[i], name));
    }
    sn_json_write_close(&json);
    json_bodies(&json, world);
    json_probes(&json, scene, world);
    sn_json_write_close(&json);
}

// ---- the verb ----

static int write_scene(const sn_arguments *arguments, sn_scene *scene, const sn_world *world,
                       const char *path)
{
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_status status = sn_scene_place_bodies(scene, world, &error);
    if (status == SN_OK) {
        status = sn_scene_resolved_text(scene, &text, &length, &error);
    }
    int code = sn_exit_for(status);
    if (status == SN_OK) {
        status = sn_write_file(path, text, length, &error);
        code = status == SN_OK ? SN_EXIT_OK : SN_EXIT_OUTPUT;
    }
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
    } else {
        sn_say(arguments, "%s: the scene as it settles", path);
    }
    sn_scene_free_text(text);
    return code;
}

static int run(const sn_arguments *arguments)
{
    sn_scene *scene = NULL;
    int code = sn_scene_source_load(arguments, arguments->operands[0], &scene);
    if (code != SN_EXIT_OK) {
        return code;
    }
    const char *output = sn_option_text(arguments, "out", NULL);
    sn_world *world = NULL;
    sn_error error = {0};
    sn_equilibrium_def def = sn_default_equilibrium_def();
    def.accept_unstable = sn_option_given(arguments, "accept-unstable");
    sn_equilibrium rest = {0};
    sn_status status = sn_scene_build(scene, &world, &error);
    if (status == SN_OK) {
        status = sn_world_equilibrium(world, &def, &rest, &error);
    }
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        code = sn_exit_for(status);
    } else {
        if (sn_option_given(arguments, "json")) {
            print_json(scene, world, &rest);
        } else {
            print_text(scene, world, &rest);
        }
        code = output != NULL ? write_scene(arguments, scene, world, output) : SN_EXIT_OK;
    }
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return code;
}

static const sn_option options[] = {
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE", NULL,
                  "write the scene with its bodies where they settle; - is standard output"),
    {.name = "accept-unstable",
     .doc = "end where forces balance, also where the least push would topple it"},
    SN_OPTION_SET,
    {.name = "json", .doc = "print JSON"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew equilibrium double-pendulum", "what is left, free and unstable there"},
    {"sinew equilibrium my.json -o settled.json", "start from rest next time"},
    {"sinew equilibrium my.json --accept-unstable", "does the pendulum stand on its head?"},
    {"sinew equilibrium elastic-leaves --set wind=0", "with a param turned"},
};

const sn_verb sn_verb_equilibrium = {
    .name = "equilibrium",
    .operands = "SCENE",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "find the pose in which nothing accelerates",
    .description =
        "Goes downhill from where the scene starts, under gravity, springs and drives,\n"
        "to a pose that is balanced and stable, and tells which freedoms have no\n"
        "stiffness there and which rest on limits. Dry friction holds nothing. Probes of\n"
        "places, lengths and stored energies are read there.",
    SN_VERB_TABLES,
    .run = run,
};
