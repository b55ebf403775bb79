// sinew modes SCENE: natural frequencies and shapes.
#include <math.h>

#include "elastic_info.h"
#include "exit_code.h"
#include "files.h"
#include "freedom_name.h"
#include "json_writer.h"
#include "scene_source.h"
#include "sinew/mechanics.h"
#include "sinew/record.h"
#include "terminal.h"
#include "verbs.h"

// ---- what moves ----

// A body's share of the kinetic energy of a mode; all shares make 1.
static double share_of(sn_world *world, const sn_modes *modes, int mode, sn_body body)
{
    sn_vec3 shift, turn;
    sn_mass_properties mass = sn_body_mass_properties(world, body);
    sn_modes_body(world, modes, mode, body, &shift, &turn);
    sn_vec3 own = sn_rotate_inverse(sn_body_transform(world, body).rotation, turn);
    return mass.mass * sn_dot(shift, shift) + sn_dot(own, sn_mat3_apply(mass.inertia, own));
}

enum { MOVERS = 3 };

// The bodies that move most, and their shares; gives how many have more than a hundredth.
static int find_movers(sn_world *world, const sn_modes *modes, int mode, sn_body movers[MOVERS],
                       double shares[MOVERS])
{
    int count = 0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        double share = share_of(world, modes, mode, body);
        int at = count;
        while (at > 0 && shares[at - 1] < share) {
            at -= 1;
        }
        if (share < 0.01 || at == MOVERS) {
            continue;
        }
        count = count < MOVERS ? count + 1 : MOVERS;
        for (int k = count - 1; k > at; --k) {
            movers[k] = movers[k - 1];
            shares[k] = shares[k - 1];
        }
        movers[at] = body;
        shares[at] = share;
    }
    return count;
}

static const char *type_word(sn_mode_type type)
{
    return type == SN_MODE_SWINGS ? "swings" : (type == SN_MODE_FREE ? "free" : "unstable");
}

// ---- printing ----

static void print_row(sn_world *world, const sn_modes *modes, int index)
{
    const sn_mode *mode = &modes->list[index];
    sn_body movers[MOVERS];
    double shares[MOVERS];
    int count = find_movers(world, modes, index, movers, shares);
    printf("%4d %14.7g %14.7g ", index + 1, mode->frequency, mode->angular_frequency);
    if (mode->type == SN_MODE_SWINGS) {
        printf("%12.6g ", 1.0 / mode->frequency);
    } else {
        printf("%12s ", type_word(mode->type));
    }
    for (int k = 0; k < count; ++k) {
        printf("%s%s %.0f%%", k > 0 ? ", " : " ", sn_body_name(world, movers[k]),
               100.0 * shares[k]);
    }
    putchar('\n');
}

// Many free modes say less than how many they are.
enum { MOST_FREE_ROWS = 3 };

static void print_text(sn_world *world, const sn_modes *modes, int wanted)
{
    int free_count = 0, shown = 0, index = 0;
    for (int i = 0; i < modes->count; ++i) {
        free_count += modes->list[i].type == SN_MODE_FREE;
    }
    sn_print_inverted(world);
    printf("%4s %14s %14s %12s  %s\n", "mode", "frequency[Hz]", "omega[rad/s]", "period[s]",
           "moves most (share of kinetic energy)");
    for (; index < modes->count && shown < wanted; ++index) {
        if (modes->list[index].type == SN_MODE_FREE && free_count > MOST_FREE_ROWS) {
            printf("%4d to %d are free: they have no stiffness\n", index + 1, index + free_count);
            index += free_count - 1;
            continue;
        }
        print_row(world, modes, index);
        shown += 1;
    }
    if (index < modes->count) {
        printf("and %d more; --count 0 lists all\n", modes->count - index);
    }
}

static void json_mode(sn_json_writer *json, sn_world *world, const sn_modes *modes, int index)
{
    const sn_mode *mode = &modes->list[index];
    sn_json_write_open(json, NULL, '{');
    sn_json_write_text(json, "type", type_word(mode->type));
    sn_json_write_number(json, "frequency", mode->frequency);
    sn_json_write_number(json, "angular_frequency", mode->angular_frequency);
    sn_json_write_open_flat(json, "shape", '{');
    for (int i = 0; i < modes->coordinates; ++i) {
        char name[SN_FREEDOM_NAME_SIZE];
        if (sn_freedom_name(world, i, name)[0] != '\0') {
            double part = modes->shapes[(size_t)index * (size_t)modes->coordinates + (size_t)i];
            sn_json_write_number(json, name, part);
        }
    }
    sn_json_write_close(json);
    sn_json_write_open(json, "bodies", '[');
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_vec3 shift, turn;
        if (sn_body_get_type(world, body) != SN_BODY_STATIC) {
            sn_modes_body(world, modes, index, body, &shift, &turn);
            sn_json_write_open_flat(json, NULL, '{');
            sn_json_write_text(json, "name", sn_body_name(world, body));
            sn_json_write_vec3(json, "shift", shift);
            sn_json_write_vec3(json, "turn", turn);
            sn_json_write_number(json, "share", share_of(world, modes, index, body));
            sn_json_write_close(json);
        }
    }
    sn_json_write_close(json);
    sn_json_write_close(json);
}

static void print_json(sn_world *world, const sn_modes *modes, int shown)
{
    sn_json_writer json = {.stream = stdout};
    sn_json_write_open(&json, NULL, '{');
    sn_json_write_integer(&json, "freedoms", (uint64_t)modes->count);
    sn_json_write_number(&json, "force", modes->force);
    sn_json_write_number(&json, "torque", modes->torque);
    sn_json_write_number(&json, "asymmetry", modes->asymmetry);
    sn_json_write_integer(&json, "inverted", (uint64_t)modes->inverted);
    sn_json_write_open(&json, "modes", '[');
    for (int i = 0; i < shown; ++i) {
        json_mode(&json, world, modes, i);
    }
    sn_json_write_close(&json);
    sn_json_write_close(&json);
}

// ---- animation ----

enum { PERIODS = 3, FRAMES_A_PERIOD = 60 };

static double largest_entry(const sn_modes *modes, int mode)
{
    double most = 0.0;
    for (int i = 0; i < modes->coordinates; ++i) {
        most =
            fmax(most, fabs(modes->shapes[(size_t)mode * (size_t)modes->coordinates + (size_t)i]));
    }
    return most;
}

static sn_status record_swing(const sn_scene *scene, sn_world *world, const sn_modes *modes,
                              int mode, double amplitude, const char *path, sn_error *error)
{
    double w = fabs(modes->list[mode].angular_frequency);
    double step = 2.0 * SN_PI / (w > 0.0 ? w : 1.0) / FRAMES_A_PERIOD,
           scale = amplitude / largest_entry(modes, mode);
    sn_recorder *recorder = NULL;
    sn_recorder_def def = {.path = path, .scene = scene, .world = world, .frame_step = step};
    sn_status status = sn_modes_swing(world, modes, mode, scale, 0.0, error);
    if (status == SN_OK) {
        status = sn_recorder_open(&def, &recorder, error);
    }
    for (int i = 1; i <= PERIODS * FRAMES_A_PERIOD && status == SN_OK; ++i) {
        status = sn_modes_swing(world, modes, mode, scale, i * step, error);
        if (status == SN_OK) {
            status = sn_recorder_step(recorder, world, error);
        }
    }
    if (recorder != NULL) {
        sn_status closed = sn_recorder_close(recorder, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
    }
    return status;
}

static int animate(const sn_arguments *arguments, const sn_scene *scene, sn_world *world,
                   const sn_modes *modes)
{
    int mode = (int)sn_option_number(arguments, "animate", 1.0);
    const char *path = sn_option_text(arguments, "out", "mode.snrec");
    sn_error error = {0};
    if (mode > modes->count) {
        return sn_usage_error(&sn_verb_modes, "--animate %d: the scene has %d modes", mode,
                              modes->count);
    }
    sn_status status = record_swing(scene, world, modes, mode - 1,
                                    sn_option_number(arguments, "amplitude", 0.2), path, &error);
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        return status == SN_ERROR_FILE ? SN_EXIT_OUTPUT : sn_exit_for(status);
    }
    sn_say(arguments, "%s: %d swings of mode %d", path, PERIODS, mode);
    return SN_EXIT_OK;
}

// ---- the verb ----

static sn_status find_modes(const sn_arguments *arguments, const sn_scene *scene, sn_world **world,
                            sn_modes *modes, sn_error *error)
{
    sn_status status = sn_scene_build(scene, world, error);
    if (status == SN_OK && !sn_option_given(arguments, "here")) {
        sn_equilibrium rest;
        status = sn_world_equilibrium(*world, NULL, &rest, error);
        if (status == SN_OK && !rest.stable) {
            sn_complain(arguments, "this equilibrium is not stable");
        }
        sn_equilibrium_free(&rest);
    }
    return status == SN_OK ? sn_world_modes(*world, modes, error) : status;
}

static int run(const sn_arguments *arguments)
{
    if (sn_option_given(arguments, "out") && !sn_option_given(arguments, "animate")) {
        return sn_usage_error(&sn_verb_modes, "--out is for --animate: say which mode");
    }
    sn_scene *scene = NULL;
    int code = sn_scene_source_load(arguments, arguments->operands[0], &scene);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_world *world = NULL;
    sn_modes modes = {0};
    sn_error error = {0};
    sn_status status = find_modes(arguments, scene, &world, &modes, &error);
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        code = sn_exit_for(status);
    } else {
        int wanted = (int)sn_option_number(arguments, "count", 20.0);
        int shown = wanted == 0 || wanted > modes.count ? modes.count : wanted;
        if (sn_option_given(arguments, "json")) {
            print_json(world, &modes, shown);
        } else {
            print_text(world, &modes, wanted == 0 ? modes.count : wanted);
        }
        if (sn_option_given(arguments, "animate")) {
            code = animate(arguments, scene, world, &modes);
        }
    }
    sn_modes_free(&modes);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return code;
}

static const sn_option options[] = {
    {.name = "here", .doc = "about the pose in which the scene starts, not about its equilibrium"},
    {.name = "count",
     .letter = 'n',
     .type = SN_OPTION_INTEGER,
     .value = "N",
     .fallback = "20",
     .doc = "how many to list; 0: all",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "animate",
     .type = SN_OPTION_INTEGER,
     .value = "MODE",
     .doc = "record three swings of this mode, to look at",
     .minimum = 1,
     .maximum = 1e6},
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE.snrec", "mode.snrec", "where --animate records to"),
    {.name = "amplitude",
     .type = SN_OPTION_NUMBER,
     .value = "A",
     .fallback = "0.2",
     .doc = "largest displacement of a freedom in --animate, in rad or m",
     .minimum = 1e-9,
     .maximum = 1e9},
    SN_OPTION_SET,
    {.name = "json", .doc = "print JSON, with the shapes"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew modes double-pendulum", "frequencies about its equilibrium"},
    {"sinew modes my.json --here --count 3", "the first three about its start"},
    {"sinew modes my.json --animate 2 -o two.snrec", "mode 2 as a recording"},
    {"sinew export two.snrec --gltf two.glb", "and as a film for any 3D viewer"},
};

const sn_verb sn_verb_modes = {
    .name = "modes",
    .operands = "SCENE",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "find natural frequencies and mode shapes",
    .description = "Settles the scene into its equilibrium, or stays where it starts, and lists\n"
                   "the small vibrations about that pose from slow to fast: unstable ones with a\n"
                   "negative frequency, free ones with zero. Damping is left out.",
    SN_VERB_TABLES,
    .run = run,
};
