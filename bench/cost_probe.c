// The work whose instructions tools/costs counts: one case a run, in sn_cost_measured and nothing
// else, so that reading scenes and the first steps, which allocate, do not count.
//
//     cost_probe --list      the cases, a line each: name, and how many units of work it is
//     cost_probe pile-100    does the work of one
//
// One thread throughout. Runs in the project root. Under valgrind instrumentation begins with the
// measured work (--instr-atstart=no), where the header for that is installed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_linkage.h"
#include "boxes.h"
#include "humanoid_world.h"
#include "mobiles.h"
#include "sinew/live.h"
#include "sinew/sinew.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION ((void)0)
#define CALLGRIND_STOP_INSTRUMENTATION  ((void)0)
#endif

typedef enum cost_kind {
    COST_SCENE, // steps of a shipped scene
    COST_TREE,  // steps of a mobile of `size` leaves
    COST_CASCADE,
    COST_LINKAGE,  // steps of a linkage of bench/linkages.h
    COST_LOOPS,    // steps of four-bars in a row
    COST_PILE,     // steps of `size` boxes that fall on the ground, after `warm` steps
    COST_BEAM,     // steps of an elastic beam of so many cells across
    COST_HUMANOID, // steps of a humanoid that lies on the ground
    COST_RAYS,     // rays at a pile
    COST_LOAD,     // reading and building a shipped scene
    COST_LIVE,     // frames of a live world, with what it sends
} cost_kind;

typedef struct cost_case {
    const char *name;
    cost_kind kind;
    const char *what; // scene or linkage
    int size, warm, count;
} cost_case;

static const cost_case cases[] = {
    {"mobile-tree-10", COST_TREE, NULL, 10, 10, 100},
    {"mobile-tree-100", COST_TREE, NULL, 100, 10, 20},
    {"mobile-tree-1000", COST_TREE, NULL, 1000, 3, 4},
    {"mobile-cascade-10", COST_CASCADE, NULL, 10, 10, 100},
    {"mobile-cascade-100", COST_CASCADE, NULL, 100, 10, 20},
    {"mobile-cascade-1000", COST_CASCADE, NULL, 1000, 3, 4},
    {"steel-fish", COST_SCENE, "steel-fish", 0, 10, 120},
    {"flurry", COST_SCENE, "flurry", 0, 10, 30},
    {"chain-10", COST_LINKAGE, "chain", 10, 10, 200},
    {"chain-100", COST_LINKAGE, "chain", 100, 10, 30},
    {"chain-1000", COST_LINKAGE, "chain", 1000, 3, 4},
    {"tree-100", COST_LINKAGE, "tree", 100, 10, 30},
    {"robot", COST_LINKAGE, "robot", 27, 10, 100},
    {"robot-arm", COST_SCENE, "robot-arm", 0, 10, 60},
    {"loops-8", COST_LOOPS, NULL, 8, 5, 20},
    {"loops-64", COST_LOOPS, NULL, 64, 5, 5},
    {"springs", COST_SCENE, "jelly-lattice", 0, 10, 40},
    {"pile-100", COST_PILE, NULL, 100, 480, 20},
    {"pile-1000", COST_PILE, NULL, 1000, 480, 4},
    {"ragdolls", COST_SCENE, "ragdolls", 0, 60, 40},
    {"humanoid", COST_HUMANOID, NULL, 0, 60, 60},
    {"beam-4", COST_BEAM, NULL, 4, 3, 6},
    {"beam-8", COST_BEAM, NULL, 8, 3, 3},
    {"soft-gripper", COST_SCENE, "soft-gripper", 0, 20, 10},
    {"jelly-stack", COST_SCENE, "jelly-stack", 0, 40, 10},
    {"rays", COST_RAYS, NULL, 1000, 10, 2000},
    {"load-steel-fish", COST_LOAD, "steel-fish", 0, 0, 1},
    {"load-soft-gripper", COST_LOAD, "soft-gripper", 0, 0, 1},
    {"live-frame", COST_LIVE, "box-tower", 0, 20, 30},
};

enum { CASES = sizeof cases / sizeof cases[0], MOST_TEXT = 1 << 18 };
static const double step = 1.0 / 240.0; // s

typedef struct cost_work {
    const cost_case *what;
    sn_world *world;
    sn_live *live;
    char *text; // of a scene
    size_t length;
    double h;
} cost_work;

static void fail(const cost_work *work, const char *why)
{
    fprintf(stderr, "cost_probe: %s: %s\n", work->what->name, why);
    exit(1);
}

// ---- scenes ----

static void read_scene(cost_work *work)
{
    char path[128];
    snprintf(path, sizeof path, "scenes/%s.json", work->what->what);
    FILE *file = fopen(path, "rb");
    work->text = malloc(MOST_TEXT);
    if (file == NULL || work->text == NULL) {
        fail(work, "cannot be read");
    }
    work->length = fread(work->text, 1, MOST_TEXT, file);
    fclose(file);
}

static void build_scene(cost_work *work)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_error error = {0};
    sn_scene_options options = {.folder = "scenes"};
    if (sn_scene_load_text("scene", work->text, work->length, &options, &scene, &errors) != SN_OK) {
        fail(work, errors.count > 0 ? sn_error_message(&errors.items[0]) : "cannot be loaded");
    }
    sn_run run = sn_scene_run(scene);
    run.threads = 1;
    if (sn_scene_set_run(scene, &run, &error) != SN_OK ||
        sn_scene_build(scene, &work->world, &error) != SN_OK) {
        fail(work, sn_error_message(&error));
    }
    work->h = run.step;
    sn_scene_destroy(scene);
}

static void write_pile(FILE *out, int count)
{
    fputs("{\"sinew\": 1, \"contact\": {\"sleep\": false}, \"bodies\": [{\"name\": \"ground\", "
          "\"type\": \"static\", \"shape\": {\"type\": \"plane\"}}",
          out);
    for (int i = 0; i < count; ++i) {
        double at[3];
        sn_boxes_start(i, count, sn_boxes_heights[0], at);
        fprintf(out,
                ",\n{\"name\": \"box%d\", \"position\": [%.17g, %.17g, %.17g], "
                "\"shape\": {\"type\": \"box\", \"size\": [1, 1, 1], \"density\": 1000}}",
                i, at[0], at[1], at[2]);
    }
    fputs("]}\n", out);
}

// Ten times as long as wide, clamped at one end, under its own weight.
static void write_beam(FILE *out, int cells)
{
    fprintf(out,
            "{\"sinew\": 1, \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e6, "
            "\"poisson\": 0.3}}, \"bodies\": [{\"name\": \"beam\", \"type\": \"elastic\", "
            "\"material\": \"rubber\", \"mesh\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1], "
            "\"cells\": [%d, %d, %d]}, \"fixed\": {\"plane\": [-1, 0, 0], "
            "\"position\": [-0.5, 0, 0]}}]}\n",
            5 * cells, cells, cells);
}

static void write_scene(cost_work *work)
{
    FILE *out = open_memstream(&work->text, &work->length);
    if (out == NULL) {
        fail(work, "no memory");
    }
    if (work->what->kind == COST_BEAM) {
        write_beam(out, work->what->size);
    } else {
        write_pile(out, work->what->size);
    }
    fclose(out);
}

static void build_linkage(cost_work *work)
{
    sn_linkage linkage;
    sn_error error = {0};
    if (!sn_linkage_make(&linkage, work->what->what, work->what->size)) {
        fail(work, "unknown linkage");
    }
    if (sn_bench_linkage_create(&linkage, &work->world, &error) != SN_OK) {
        fail(work, sn_error_message(&error));
    }
    sn_linkage_free(&linkage);
}

static void build_live(cost_work *work)
{
    sn_live_def def = sn_default_live_def();
    sn_error error = {0};
    def.threads = 1;
    if (sn_live_create(&def, &work->live, &error) != SN_OK ||
        sn_live_load_text(work->live, "scenes/live.json", work->text, work->length, &error) !=
            SN_OK) {
        fail(work, sn_error_message(&error));
    }
    int client = sn_live_join(work->live, NULL);
    const char *hello = "{\"do\": \"hello\", \"protocol\": 1}", *play = "{\"do\": \"play\"}";
    sn_live_receive(work->live, client, hello, strlen(hello), false);
    sn_live_receive(work->live, client, play, strlen(play), false);
}

static void prepare(cost_work *work)
{
    sn_error error = {0};
    work->h = step;
    switch (work->what->kind) {
    case COST_TREE:
    case COST_CASCADE:
        work->text =
            sn_mobile_write(work->what->kind == COST_TREE ? SN_MOBILE_TREE : SN_MOBILE_CASCADE,
                            work->what->size, &work->length);
        build_scene(work);
        break;
    case COST_LINKAGE:
        build_linkage(work);
        break;
    case COST_LOOPS:
        if (sn_bench_four_bars_create(work->what->size, &work->world, &error) != SN_OK) {
            fail(work, sn_error_message(&error));
        }
        break;
    case COST_HUMANOID:
        if (sn_humanoid_world(&work->world, &error) != SN_OK) {
            fail(work, sn_error_message(&error));
        }
        break;
    case COST_PILE:
    case COST_RAYS:
    case COST_BEAM:
        write_scene(work);
        build_scene(work);
        break;
    case COST_SCENE:
        read_scene(work);
        build_scene(work);
        break;
    case COST_LOAD:
        read_scene(work);
        break;
    case COST_LIVE:
        read_scene(work);
        build_live(work);
        break;
    }
}

// ---- the work ----

static void take_steps(cost_work *work, int count)
{
    sn_error error = {0};
    for (int i = 0; i < count; ++i) {
        if (sn_world_step(work->world, work->h, &error) != SN_OK) {
            fail(work, sn_error_message(&error));
        }
    }
}

static void show_frames(cost_work *work, int count)
{
    sn_live_message message;
    for (int i = 0; i < count; ++i) {
        sn_live_advance(work->live, 1.0 / 60.0);
        while (sn_live_take(work->live, 0, &message)) {
        }
    }
}

static void cast_rays(cost_work *work, int count)
{
    int hits = 0;
    for (int i = 0; i < count; ++i) {
        double x = -6.0 + 0.37 * (i % 34), y = -6.0 + 0.43 * (i / 34 % 29);
        sn_hit hit;
        hits += sn_world_cast_ray(work->world, sn_vec3_make(x, y, 30.0), sn_vec3_make(y, x, -1.0),
                                  NULL, &hit);
    }
    if (hits == 0) {
        fail(work, "no ray hits anything");
    }
}

__attribute__((noinline)) void sn_cost_measured(cost_work *work, int count);

void sn_cost_measured(cost_work *work, int count)
{
    switch (work->what->kind) {
    case COST_LIVE:
        show_frames(work, count);
        break;
    case COST_LOAD:
        build_scene(work);
        break;
    case COST_RAYS:
        cast_rays(work, count);
        break;
    default:
        take_steps(work, count);
        break;
    }
}

static void warm_up(cost_work *work)
{
    if (work->what->kind == COST_LIVE) {
        show_frames(work, work->what->warm);
    } else {
        take_steps(work, work->what->warm);
    }
}

int main(int count, char **words)
{
    for (int i = 0; i < CASES; ++i) {
        if (count == 2 && strcmp(words[1], "--list") == 0) {
            printf("%s %d\n", cases[i].name, cases[i].count);
        } else if (count == 2 && strcmp(words[1], cases[i].name) == 0) {
            cost_work work = {.what = &cases[i]};
            prepare(&work);
            warm_up(&work);
            CALLGRIND_START_INSTRUMENTATION;
            sn_cost_measured(&work, cases[i].count);
            CALLGRIND_STOP_INSTRUMENTATION;
            sn_world_destroy(work.world);
            sn_live_destroy(work.live);
            free(work.text);
            return 0;
        }
    }
    if (count == 2 && strcmp(words[1], "--list") == 0) {
        return 0;
    }
    fprintf(stderr, "usage: cost_probe --list | CASE\n");
    return 2;
}
