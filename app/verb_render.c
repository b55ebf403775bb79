// sinew render: pictures and films of scenes and recordings.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "blow.h"
#include "exit_code.h"
#include "files.h"
#include "interrupt.h"
#include "json_writer.h"
#include "picture_option.h"
#include "pose_source.h"
#include "progress.h"
#include "terminal.h"
#include "verbs.h"
#include "video.h"

typedef struct render_job {
    const sn_arguments *arguments;
    sn_pose_source source;
    sn_drawing *drawing;
    sn_picture_def def;
    uint8_t *pixels;
    char path[SN_PATH_LIMIT];
    double from, time, rate; // of a film
    int count, total;        // pictures made, and wanted
    bool interrupted, unwritten;
    double started;
    sn_error error;
} render_job;

// ---- options ----

static int read_options(render_job *job)
{
    const sn_arguments *arguments = job->arguments;
    int code = sn_read_picture(arguments, &job->def);
    if (code != SN_EXIT_OK) {
        return code;
    }
    bool film = sn_option_given(arguments, "video");
    if (film && (sn_option_given(arguments, "at") || sn_option_given(arguments, "out"))) {
        return sn_usage_error(&sn_verb_render,
                              "--at and --out are for one picture; a film has --from, --time and "
                              "its own name");
    }
    if (!film && (sn_option_given(arguments, "fps") || sn_option_given(arguments, "time") ||
                  sn_option_given(arguments, "from"))) {
        return sn_usage_error(&sn_verb_render,
                              "--fps, --from and --time are for films: say --video FILE; one "
                              "picture has --at");
    }
    job->rate = sn_option_number(arguments, "fps", 30.0);
    return SN_EXIT_OK;
}

// ---- work ----

static int fail(render_job *job, sn_status status)
{
    if (status == SN_ERROR_STOPPED) {
        job->interrupted = true;
        return SN_EXIT_INTERRUPTED;
    }
    sn_complain(job->arguments, "%s", sn_error_message(&job->error));
    return job->unwritten ? SN_EXIT_OUTPUT : sn_exit_for(status);
}

static void show(const render_job *job, sn_progress *progress, double share, const char *what)
{
    if (sn_progress_due(progress)) {
        char note[96];
        snprintf(note, sizeof note, "%s at %.4g s", what, job->source.time);
        sn_progress_show(progress, share, note);
    }
}

// Goes to a time and lets the drawing see what there is on the way, at most 30 times a second.
static sn_status watch(render_job *job, sn_pose_source *source, double until, sn_progress *progress,
                       double share)
{
    double start = source->time;
    int parts = (int)fmin(ceil((until - start) * 30.0), 2000.0);
    sn_drawing_watch(job->drawing, source->frames, source->points);
    for (int i = 1; i <= parts; ++i) {
        double time = start + (until - start) * i / parts;
        sn_status status = sn_pose_source_seek(source, time, &job->error);
        if (status != SN_OK) {
            return status;
        }
        sn_drawing_watch(job->drawing, source->frames, source->points);
        show(job, progress, share * i / parts, "simulating");
    }
    return SN_OK;
}

static int make_drawing(render_job *job)
{
    sn_status status = sn_drawing_create(job->source.world, sn_drawing_threads(job->arguments),
                                         &job->drawing, &job->error);
    size_t bytes = 3 * (size_t)job->def.width * (size_t)job->def.height;
    if (status == SN_OK) {
        job->pixels = sn_allocate(bytes);
        status = job->pixels != NULL ? SN_OK : sn_fail_memory(&job->error, bytes);
    }
    return status == SN_OK ? SN_EXIT_OK : fail(job, status);
}

static int draw_one(render_job *job, sn_progress *progress)
{
    job->total = 1;
    double at = sn_option_number(job->arguments, "at", job->source.start_time);
    at = fmax(at, job->source.start_time);
    sn_status status = watch(job, &job->source, at, progress, 0.8);
    if (status == SN_OK) {
        show(job, progress, 0.8, "drawing");
        status = sn_draw_picture(job->drawing, job->source.frames, job->source.points, &job->def,
                                 job->pixels, &job->error);
    }
    if (status == SN_OK) {
        job->unwritten = true;
        status =
            sn_picture_write(job->path, job->pixels, job->def.width, job->def.height, &job->error);
    }
    job->count += status == SN_OK;
    return status == SN_OK ? SN_EXIT_OK : fail(job, status);
}

// The whole stretch is gone through once before, so that the camera and the floor stand still.
static int watch_film(render_job *job, sn_progress *progress)
{
    sn_pose_source ahead;
    int code = sn_pose_source_open(&ahead, job->arguments, job->arguments->operands[0]);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_status status = sn_pose_source_seek(&ahead, job->from, &job->error);
    if (status == SN_OK) {
        status = watch(job, &ahead, job->from + job->time, progress, 0.05);
    }
    sn_pose_source_close(&ahead);
    return status == SN_OK ? SN_EXIT_OK : fail(job, status);
}

static sn_status draw_frames(render_job *job, sn_video *video, sn_progress *progress)
{
    sn_status status = SN_OK;
    for (int i = 0; i < job->total && status == SN_OK; ++i) {
        status = sn_pose_source_seek(&job->source, job->from + i / job->rate, &job->error);
        if (status == SN_OK && sn_interrupted()) {
            status = sn_fail(&job->error, SN_ERROR_STOPPED, NULL, "stopped");
        }
        if (status == SN_OK) {
            status = sn_draw_picture(job->drawing, job->source.frames, job->source.points,
                                     &job->def, job->pixels, &job->error);
        }
        if (status == SN_OK) {
            status = sn_video_add(video, job->pixels, &job->error);
        }
        show(job, progress, 0.05 + 0.95 * (i + 1) / job->total, "drawing");
    }
    return status;
}

static int draw_film(render_job *job, sn_progress *progress)
{
    const sn_arguments *arguments = job->arguments;
    job->from =
        fmax(sn_option_number(arguments, "from", job->source.start_time), job->source.start_time);
    job->time = sn_option_number(arguments, "time", fmax(job->source.end_time - job->from, 0.0));
    double frames = floor(job->time * job->rate + 1e-6) + 1.0;
    if (frames > 99999.0) {
        return sn_usage_error(
            &sn_verb_render,
            "%.6g s at %.6g pictures a second are %.0f pictures, more than 99999; "
            "--time or --fps may be less",
            job->time, job->rate, frames);
    }
    job->total = (int)frames;
    int code = watch_film(job, progress);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_video video;
    sn_status status = sn_video_open(&video, arguments, sn_option_text(arguments, "video", ""),
                                     job->def.width, job->def.height, job->rate, &job->error);
    if (status == SN_OK) {
        status = sn_video_close(&video, draw_frames(job, &video, progress), &job->error);
        job->count = video.count;
        memcpy(job->path, video.path, sizeof job->path);
    }
    job->unwritten = video.unwritten;
    return status == SN_OK ? SN_EXIT_OK : fail(job, status);
}

// ---- the result ----

static void print_json(const render_job *job)
{
    sn_camera camera = sn_drawing_camera(job->drawing, &job->def);
    sn_json_writer json = {.stream = stdout};
    sn_json_write_open(&json, NULL, '{');
    sn_json_write_text(&json, "scene", job->source.name);
    sn_json_write_text(&json, "file", job->path);
    sn_json_write_integer(&json, "width", (uint64_t)job->def.width);
    sn_json_write_integer(&json, "height", (uint64_t)job->def.height);
    sn_json_write_integer(&json, "samples", (uint64_t)job->def.samples);
    sn_json_write_integer(&json, "pictures", (uint64_t)job->count);
    sn_json_write_number(&json, "time", job->source.time);
    sn_json_write_open(&json, "camera", '{');
    sn_json_write_vec3(&json, "position", camera.position);
    sn_json_write_vec3(&json, "target", camera.target);
    sn_json_write_number(&json, "field_of_view", camera.field_of_view);
    sn_json_write_close(&json);
    sn_json_write_number(&json, "wall_time", sn_wall_time() - job->started);
    sn_json_write_bool(&json, "interrupted", job->interrupted);
    sn_json_write_close(&json);
}

static void report(const render_job *job)
{
    bool film = sn_option_given(job->arguments, "video");
    if (sn_option_given(job->arguments, "json")) {
        print_json(job);
    } else if (job->count > 0 && strcmp(job->path, "-") != 0) {
        printf("%s\n", job->path);
    }
    if (job->interrupted) {
        sn_say(job->arguments, "interrupted at %.6g s%s", job->source.time,
               film ? "; what was drawn is kept" : "; no picture was drawn");
    }
}

static int choose_path(render_job *job)
{
    const char *out = sn_option_text(job->arguments, "out", NULL);
    if (sn_option_given(job->arguments, "video")) {
        return SN_EXIT_OK;
    }
    if (out == NULL) {
        snprintf(job->path, sizeof job->path, "out/%s.png", job->source.name);
        job->unwritten = true;
        sn_status status = sn_make_folders("out", &job->error);
        if (status != SN_OK) {
            return fail(job, status);
        }
        job->unwritten = false;
    } else if (strlen(out) >= sizeof job->path || sn_path_is_folder(out)) {
        return sn_usage_error(&sn_verb_render, "--out %.60s: expected the name of a file", out);
    } else {
        memcpy(job->path, out, strlen(out) + 1);
        // Reported before the simulation, not after it.
        job->unwritten = true;
        sn_status status = sn_folder_for(out, &job->error);
        if (status != SN_OK) {
            return fail(job, status);
        }
        job->unwritten = false;
    }
    return SN_EXIT_OK;
}

static int run_job(render_job *job)
{
    if (job->source.scene != NULL) {
        job->def.camera = sn_scene_camera(job->source.scene);
    }
    int code = sn_read_camera(&sn_verb_render, sn_option_text(job->arguments, "camera", "scene"),
                              &job->def);
    code = code == SN_EXIT_OK ? choose_path(job) : code;
    code = code == SN_EXIT_OK ? make_drawing(job) : code;
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_interrupt_listen();
    sn_progress progress = sn_progress_start(job->arguments, job->source.name);
    code = sn_option_given(job->arguments, "video") ? draw_film(job, &progress)
                                                    : draw_one(job, &progress);
    sn_progress_end(&progress);
    if (code == SN_EXIT_OK || code == SN_EXIT_INTERRUPTED) {
        report(job);
    }
    return code;
}

static int run(const sn_arguments *arguments)
{
    render_job *job = sn_allocate_zero(sizeof *job);
    if (job == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    job->arguments = arguments;
    job->started = sn_wall_time();
    int code = read_options(job);
    if (code == SN_EXIT_OK) {
        code = sn_pose_source_open(&job->source, arguments, arguments->operands[0]);
    }
    if (code == SN_EXIT_OK) {
        code = run_job(job);
        sn_drawing_destroy(job->drawing);
        sn_pose_source_close(&job->source);
        sn_free(job->pixels);
    }
    sn_free(job);
    return code;
}

// ---- the table ----

static const sn_option options[] = {
    SN_OPTION_AT("the start", "when the picture is taken; a scene is simulated until then"),
    SN_OPTION_OUT_AS(".png", "out/SCENE.png", "where the picture goes; - is standard output"),
    SN_OPTION_SIZE("1280x720", "pixels"),
    SN_OPTION_SAMPLES,
    SN_OPTION_CAMERA("scene", "scene, "),
    SN_OPTION_VIDEO("a film instead of a picture"),
    {.name = "from",
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "the start",
     .doc = "when the film begins",
     .minimum = 0,
     .maximum = 1e9},
    {.name = "time",
     .letter = 't',
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "to the end of the run",
     .doc = "how long the film is",
     .minimum = 0,
     .maximum = 1e9},
    SN_OPTION_FPS("30", "pictures a second"),
    SN_OPTION_SET,
    SN_OPTION_BLOW,
    SN_OPTION_THREADS("one a processor"),
    {.name = "json", .doc = "tell what was made as JSON"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew render cam --at 2.5 -o cam.png", "a picture of a scene after 2.5 s"},
    {"sinew render out/cam --at 1 --camera corner", "of a recording, from above a corner"},
    {"sinew render my.json --size 3840x2160 --samples 64", "large and fine"},
    {"sinew render swing --video swing.mp4 --time 10", "a film of ten seconds"},
    {"sinew render swing --video frames/ --fps 60", "its pictures as PNG files in a folder"},
};

const sn_verb sn_verb_render = {
    .name = "render",
    .operands = "SCENE|RECORDING",
    .operand_kind = SN_OPERAND_SCENE | SN_OPERAND_FILE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "draw a picture or a film",
    .description =
        "Draws bodies in their colours, lit, with soft shadows. Without a camera in the scene\n"
        "everything that moves is framed. Ctrl-C ends a film early; what was drawn is kept.\n"
        "Prints the name of what was made.",
    SN_VERB_TABLES,
    .run = run,
};
