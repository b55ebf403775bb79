// sinew run SCENE: the scene, simulated, with its results in a folder.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "blow.h"
#include "exit_code.h"
#include "interrupt.h"
#include "progress.h"
#include "run_output.h"
#include "run_result.h"
#include "scene_source.h"
#include "setting.h"
#include "terminal.h"
#include "verbs.h"

typedef struct run_job {
    const sn_arguments *arguments;
    char short_name[128], folder[SN_PATH_LIMIT];
    bool writes;
    sn_scene *scene;
    sn_world *world;
    double *values; // column_count
    sn_run_result result;
    sn_run_output output;
    sn_error error;
} run_job;

static int complain(run_job *job, int code)
{
    sn_complain(job->arguments, "%s", sn_error_message(&job->error));
    return code;
}

// ---- before the run ----

// The scene's own settings, then what the command line says otherwise.
static int apply_options(run_job *job)
{
    const sn_arguments *arguments = job->arguments;
    int code = sn_apply_settings(arguments, job->scene);
    code = code == SN_EXIT_OK ? sn_apply_blow(arguments, job->scene) : code;
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_run run = sn_scene_run(job->scene);
    const char *policy = sn_option_text(arguments, "policy", NULL);
    const char *integrator = sn_option_text(arguments, "integrator", NULL);
    if (policy != NULL) {
        run.policy = (sn_policy)sn_policy_find(policy);
        // The scene's choice belongs to the scene's policy.
        run.integrator = SN_INTEGRATOR_DEFAULT;
    }
    if (integrator != NULL) {
        run.integrator = (sn_integrator)sn_integrator_find(integrator);
    }
    run.time = sn_option_number(arguments, "time", run.time);
    run.step = sn_option_number(arguments, "step", run.step);
    run.record_step = sn_option_number(arguments, "record-step", run.record_step);
    run.record_step = run.record_step > run.step ? run.record_step : run.step;
    run.threads = (int)sn_option_number(arguments, "threads", run.threads);
    run.seed = (uint64_t)sn_option_number(arguments, "seed", (double)run.seed);
    if (sn_scene_set_run(job->scene, &run, &job->error) != SN_OK) {
        return complain(job, SN_EXIT_USAGE);
    }
    job->result.run = run;
    return SN_EXIT_OK;
}

// Mechanisms have a step of their own, whatever is named of the integrators without stages. Elastic
// bodies beside them do follow the name.
static int check_integrator(run_job *job)
{
    const char *name = sn_option_text(job->arguments, "integrator", NULL);
    int integrator = name != NULL ? sn_integrator_find(name) : SN_INTEGRATOR_DEFAULT;
    bool named = integrator == SN_INTEGRATOR_LIE_MIDPOINT ||
                 integrator == SN_INTEGRATOR_SYMPLECTIC_EULER ||
                 integrator == SN_INTEGRATOR_IMPLICIT_EULER;
    for (int i = 0; i < sn_world_body_count(job->world) && named; ++i) {
        named = sn_body_get_type(job->world, sn_world_body(job->world, i)) != SN_BODY_ELASTIC;
    }
    for (int i = 0; i < sn_world_joint_count(job->world) && named; ++i) {
        sn_joint joint = sn_world_joint(job->world, i);
        if (sn_joint_get_type(job->world, joint) != SN_JOINT_FIXED) {
            sn_complain(job->arguments,
                        "--integrator %s would be ignored: bodies on joints, as those of '%s', are "
                        "a mechanism, which has a step of its own; expected default, rk4, "
                        "fehlberg45, adams or bdf",
                        name, sn_joint_name(job->world, joint));
            return SN_EXIT_USAGE;
        }
    }
    return SN_EXIT_OK;
}

static void say_unmeasured(const sn_arguments *arguments, const char *what, int count)
{
    if (count > 0) {
        sn_say(arguments, "the scene has no probes: state.csv has the first %d of its %d %s",
               SN_UNPROBED_LIMIT, SN_UNPROBED_LIMIT + count, what);
    }
}

static int prepare(run_job *job)
{
    const sn_arguments *arguments = job->arguments;
    int code = apply_options(job);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_status status = sn_scene_build(job->scene, &job->world, &job->error);
    if (status != SN_OK) {
        return complain(job, sn_exit_for(status));
    }
    code = check_integrator(job);
    if (code != SN_EXIT_OK) {
        return code;
    }
    status = sn_run_result_start(&job->result, job->scene, job->world, &job->error);
    if (status != SN_OK) {
        return complain(job, sn_exit_for(status));
    }
    size_t bytes = sizeof(double) * (size_t)(job->result.column_count + 1);
    job->values = sn_allocate(bytes);
    if (job->values == NULL) {
        sn_fail_memory(&job->error, bytes);
        return complain(job, SN_EXIT_SIMULATION);
    }
    say_unmeasured(arguments, "joints", job->result.unmeasured_joints);
    say_unmeasured(arguments, "moving bodies", job->result.unmeasured_bodies);
    job->writes = !sn_option_given(arguments, "no-files");
    if (job->writes) {
        status = sn_run_output_open(&job->output, job->folder, job->scene, job->world, &job->result,
                                    &job->error);
        if (status != SN_OK) {
            return complain(job, SN_EXIT_OUTPUT);
        }
    }
    return SN_EXIT_OK;
}

// ---- the run ----

static int measure(run_job *job)
{
    sn_run_result_row(&job->result, job->world, job->values);
    if (job->writes && sn_run_output_row(&job->output, &job->result, job->world, job->values,
                                         &job->error) != SN_OK) {
        return SN_EXIT_OUTPUT;
    }
    return SN_EXIT_OK;
}

static int check_speeds(run_job *job)
{
    return sn_exit_for(sn_run_result_check_speeds(job->world, job->result.run.step, &job->error));
}

static bool is_interrupted(void *context)
{
    (void)context;
    return sn_interrupted();
}

static void show_progress(const run_job *job, sn_progress *progress)
{
    if (!sn_progress_due(progress)) {
        return;
    }
    char note[96];
    double time = sn_world_time(job->world), wall = sn_wall_time() - progress->started;
    double factor = wall > 0.0 ? time / wall : 0.0;
    snprintf(note, sizeof note, "%.4g of %.4g s  %.*fx real time", time, job->result.run.time,
             factor < 10.0 ? 2 : 0, factor);
    sn_progress_show(progress, job->result.run.time > 0.0 ? time / job->result.run.time : 1.0,
                     note);
}

// Whole steps, then what is left of the time when it is no multiple of the step. A step that an
// event has cut short is followed by what is left of it. Ends early on a stopping event, on Ctrl-C
// and on any failure.
static int simulate(run_job *job, sn_progress *progress)
{
    const sn_run *run = &job->result.run;
    double whole = floor(run->time / run->step + 1e-9);
    double rest = run->time - whole * run->step;
    uint64_t steps = (uint64_t)whole + (rest > 1e-9 * run->step ? 1 : 0);
    double next_row = run->record_step, last_row = 0.0, left = 0.0;
    int code = measure(job);
    for (uint64_t i = 0; i < steps && code == SN_EXIT_OK; i += left == 0.0) {
        if (sn_interrupted()) {
            job->result.interrupted = true;
            code = SN_EXIT_INTERRUPTED;
            break;
        }
        double due = i < (uint64_t)whole ? (double)(i + 1) * run->step : run->time;
        double h = left > 0.0 ? left : (i < (uint64_t)whole ? run->step : rest);
        sn_status status = sn_world_step(job->world, h, &job->error);
        if (status != SN_OK) {
            job->result.interrupted = status == SN_ERROR_STOPPED;
            code = sn_exit_for(status);
            break;
        }
        status = sn_run_counters_note(&job->result.counters, job->world, &job->error);
        if (status != SN_OK) {
            code = sn_exit_for(status);
            break;
        }
        if (job->writes && sn_run_output_step(&job->output, job->world, &job->error) != SN_OK) {
            code = SN_EXIT_OUTPUT;
            break;
        }
        double time = sn_world_time(job->world);
        left = due - time > 1e-9 * run->step ? due - time : 0.0;
        if (time >= next_row - 1e-9 * run->step) {
            code = measure(job);
            code = code == SN_EXIT_OK ? check_speeds(job) : code;
            last_row = time;
            next_row = (floor(time / run->record_step + 1e-9) + 1.0) * run->record_step;
        }
        show_progress(job, progress);
        if (sn_world_stopped(job->world)) {
            break;
        }
    }
    // The end is always a row of its own.
    if (code != SN_EXIT_OUTPUT && sn_world_time(job->world) > last_row) {
        int last = measure(job);
        last = last == SN_EXIT_OK && code == SN_EXIT_OK ? check_speeds(job) : last;
        code = last != SN_EXIT_OK ? last : code;
    }
    return code;
}

static void note_end(run_job *job, int code, double started)
{
    sn_run_result *result = &job->result;
    result->wall_time = sn_wall_time() - started;
    result->time = sn_world_time(job->world);
    result->steps = sn_world_step_count(job->world);
    result->hash = sn_world_hash(job->world);
    sn_run_result_note_swings(result, job->world);
    int events = sn_world_event_count(job->world);
    if (sn_world_stopped(job->world) && events > 0) {
        sn_event_entry entry = sn_world_event_entry(job->world, events - 1);
        snprintf(result->stopped_by, sizeof result->stopped_by, "%s",
                 sn_event_name(job->world, entry.event));
    }
    if (code != SN_EXIT_OK && code != SN_EXIT_INTERRUPTED) {
        snprintf(result->failure, sizeof result->failure, "%s", sn_error_message(&job->error));
    }
}

// ---- after the run ----

// What cannot be written is a failure of the run like any other, and the summary tells it.
static int note_unwritten(run_job *job, int code)
{
    if (job->result.failure[0] == '\0') {
        snprintf(job->result.failure, sizeof job->result.failure, "%s",
                 sn_error_message(&job->error));
    }
    return code == SN_EXIT_OK || code == SN_EXIT_INTERRUPTED ? SN_EXIT_OUTPUT : code;
}

static int finish_files(run_job *job, int code)
{
    // After a write error the rest of the disk is no better: nothing is drawn, but the summary
    // still tries to tell.
    sn_status status = sn_run_output_close(&job->output, job->world, &job->error);
    if (status == SN_OK && code != SN_EXIT_OUTPUT) {
        status = sn_run_output_draw(&job->output, &job->result, &job->error);
    }
    if (status != SN_OK) {
        code = note_unwritten(job, code);
    }
    if (sn_run_output_summarise(&job->output, &job->result, job->scene, job->world, &job->error) !=
        SN_OK) {
        code = note_unwritten(job, code);
    }
    return code;
}

// A picture that was too large to draw is told; one of no columns is not missed.
static void report_undrawn(const run_job *job)
{
    const sn_run_result *result = &job->result;
    bool state = !result->state_drawn && result->column_count > 0;
    if (state || !result->energy_drawn) {
        sn_say(
            job->arguments, "not drawn, more than %d numbers: %s%s%s; `sinew plot` draws any table",
            SN_DRAWN_NUMBER_LIMIT, state ? "state.svg" : "",
            state && !result->energy_drawn ? ", " : "", result->energy_drawn ? "" : "energy.svg");
    }
}

static void report(run_job *job, int code)
{
    const sn_arguments *arguments = job->arguments;
    if (sn_option_given(arguments, "json")) {
        sn_run_result_json(&job->result, job->scene, job->world, stdout);
    } else if (code != SN_EXIT_OUTPUT) {
        sn_run_result_table(&job->result, job->world, stdout);
    }
    fflush(stdout);
    const sn_run_counter *exploding = &job->result.counters.each[SN_COUNTER_EXPLODING];
    if (exploding->steps > 0) {
        sn_complain(arguments,
                    "warning: from %.6g s on body '%s' holds more energy than any material can; "
                    "what follows has no meaning (see `sinew check`, or take shorter steps)",
                    exploding->first_time, exploding->first);
    }
    if (job->result.failure[0] != '\0') {
        sn_complain(arguments, "%s", job->result.failure);
    }
    if (job->result.interrupted) {
        sn_say(arguments, "interrupted at %.6g s%s", job->result.time,
               job->writes ? "; the files hold what was simulated" : "");
    }
    if (job->result.stopped_by[0] != '\0') {
        sn_say(arguments, "stopped by the event '%s' at %.9g s", job->result.stopped_by,
               job->result.time);
    }
    if (job->writes && code != SN_EXIT_OUTPUT) {
        report_undrawn(job);
        char files[256] = "";
        for (int i = 0; i < job->result.file_count; ++i) {
            size_t used = strlen(files);
            snprintf(files + used, sizeof files - used, " %s", job->result.files[i]);
        }
        sn_say(arguments, "%s%s:%s", job->folder,
               job->folder[strlen(job->folder) - 1] == '/' ? "" : "/", files);
    }
}

static int run_job_all(run_job *job)
{
    int code = prepare(job);
    if (code == SN_EXIT_OK) {
        sn_interrupt_listen();
        sn_world_set_stop(job->world, is_interrupted, NULL);
        sn_progress progress = sn_progress_start(job->arguments, job->short_name);
        code = simulate(job, &progress);
        note_end(job, code, progress.started);
        sn_progress_end(&progress);
        if (job->writes) {
            code = finish_files(job, code);
        }
        report(job, code);
    }
    sn_free(job->values);
    sn_run_result_free(&job->result);
    sn_world_destroy(job->world);
    return code;
}

static int run(const sn_arguments *arguments)
{
    run_job *job = sn_allocate_zero(sizeof *job);
    if (job == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    job->arguments = arguments;
    sn_scene_source source;
    int code = SN_EXIT_INPUT;
    if (sn_scene_source_find(arguments, arguments->operands[0], &source)) {
        sn_error_list errors = {0};
        sn_status status = sn_scene_source_read(&source, &job->scene, &errors);
        code = sn_exit_for(status);
        if (status != SN_OK) {
            sn_scene_source_explain(arguments, &source, &errors);
        } else {
            sn_scene_source_say_notes(arguments, &source, job->scene);
        }
        snprintf(job->short_name, sizeof job->short_name, "%s", source.short_name);
        sn_error_list_free(&errors);
        sn_scene_source_free(&source);
    }
    if (code == SN_EXIT_OK) {
        const char *folder = sn_option_text(arguments, "out", NULL);
        snprintf(job->folder, sizeof job->folder, "%s%s", folder != NULL ? folder : "out/",
                 folder != NULL ? "" : job->short_name);
        job->result.scene = job->short_name;
        code = run_job_all(job);
        sn_scene_destroy(job->scene);
    }
    sn_free(job);
    return code;
}

// ---- the table ----

static const char *const policies[] = {
#define X(name, word, text) word,
    SN_POLICY_LIST(X)
#undef X
        NULL,
};

static const char *const integrators[] = {
#define X(name, word, text) word,
    SN_INTEGRATOR_LIST(X)
#undef X
        NULL,
};

static const sn_option options[] = {
    {.name = "time",
     .letter = 't',
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "the scene's",
     .doc = "how long to simulate, in seconds or with a unit",
     .minimum = 0,
     .maximum = 1e9},
    {.name = "step",
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "the scene's",
     .doc = "length of a step",
     .minimum = 1e-9,
     .maximum = 1e6},
    {.name = "record-step",
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "the scene's",
     .doc = "time between rows of the CSV files and frames of the recording",
     .minimum = 1e-9,
     .maximum = 1e9},
    {.name = "policy",
     .type = SN_OPTION_WORD,
     .value = "POLICY",
     .fallback = "the scene's",
     .doc = "how the clock goes",
     .words = policies},
    {.name = "integrator",
     .type = SN_OPTION_WORD,
     .value = "NAME",
     .fallback = "the scene's",
     .doc = "how bodies move",
     .words = integrators},
    SN_OPTION_THREADS("the scene's"),
    {.name = "seed",
     .type = SN_OPTION_INTEGER,
     .value = "N",
     .fallback = "the scene's",
     .doc = "for everything random",
     .minimum = 0,
     .maximum = 9007199254740992.0},
    SN_OPTION_SET,
    SN_OPTION_BLOW,
    SN_OPTION_OUT(SN_OPTION_FOLDER, "FOLDER", "out/SCENE", "where the results go"),
    {.name = "no-files", .doc = "only print the results"},
    {.name = "json", .doc = "print the summary as JSON"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew run tumbling-racket", "a built-in scene; results in out/tumbling-racket/"},
    {"sinew run my.json -t 60 --out results", "a minute of your own"},
    {"sinew run my.json --set wind=3 --step 0.5ms", "turn a param, take finer steps"},
    {"sinew run steel-fish --blow breath.wav", "blow at it, as recorded"},
    {"sinew run my.json --policy precise --no-files", "only the numbers, as exact as can be"},
};

const sn_verb sn_verb_run = {
    .name = "run",
    .operands = "SCENE",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "simulate a scene and leave its results in a folder",
    .description =
        "Writes state.csv (every probe; without probes positions, velocities and drive\n"
        "forces of the first 100 joints and positions of the first 100 bodies that move),\n"
        "energy.csv (energy, momentum, angular momentum), both drawn as state.svg and\n"
        "energy.svg, recording.snrec (for replay and export) and summary.json.\n"
        "Ctrl-C ends the run and leaves valid files.",
    SN_VERB_TABLES,
    .run = run,
};
