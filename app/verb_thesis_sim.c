// sinew thesis sim: the thesis' simulator, from its files to its files.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "exit_code.h"
#include "interrupt.h"
#include "progress.h"
#include "run_counters.h"
#include "terminal.h"
#include "thesis_operand.h"
#include "verbs.h"

typedef struct sim_job {
    const sn_arguments *arguments;
    sn_thesis_operands operands;
    sn_thesis_stage_def def;
    double time, frame; // s: how long, and between states
    int steps;          // between states
    sn_thesis_model model;
    sn_thesis_file topology;
    sn_thesis_stage *stage;
    sn_thesis_state_writer *writer;
    SN_ARRAY(sn_thesis_energy) energies;
    SN_ARRAY(double) kept; // J, of the world at the same times: with what springs hold
    int states, inverted;  // written; of these with inverted elements
    sn_run_counters counters;
    char path[SN_PATH_LIMIT], curves[SN_PATH_LIMIT]; // of states; of energies
    bool unwritten;                                  // what failed was to write
    sn_error error;
} sim_job;

// ---- before ----

static int read_options(sim_job *job)
{
    const sn_arguments *arguments = job->arguments;
    sn_vec3 gravity;
    int code = sn_thesis_gravity(arguments, &gravity);
    if (code != SN_EXIT_OK) {
        return code;
    }
    job->def = sn_default_thesis_stage_def();
    job->def.gravity = gravity;
    job->def.policy = (sn_policy)sn_policy_find(sn_option_text(arguments, "policy", "precise"));
    job->def.law =
        (sn_elastic_law)sn_elastic_law_find(sn_option_text(arguments, "law", "liesenfeld"));
    job->def.tolerance = sn_option_number(arguments, "tolerance", job->def.tolerance);
    job->def.threads = (int)sn_option_number(arguments, "threads", 1.0);
    job->def.contact.method =
        (sn_contact_method)sn_contact_method_find(sn_option_text(arguments, "contact", "default"));
    job->def.contact.stiffness = sn_option_number(arguments, "stiffness", 0.0);
    job->def.contact.damping = sn_option_number(arguments, "damping", job->def.contact.damping);
    job->time = sn_option_number(arguments, "time", 10.0);
    job->frame = 1.0 / sn_option_number(arguments, "fps", 30.0);
    double step = sn_option_number(arguments, "step", 1.0 / 240.0);
    job->steps = (int)fmin(ceil(job->frame / step - 1e-9), 1e6);
    job->steps = job->steps > 0 ? job->steps : 1;
    return SN_EXIT_OK;
}

static sn_status read_model(sim_job *job)
{
    const char *const *paths = job->operands.paths;
    sn_thesis_paths files = {paths[SN_THESIS_STATE], paths[SN_THESIS_TOPOLOGY],
                             paths[SN_THESIS_SURFACE], paths[SN_THESIS_CONSTRAINTS],
                             paths[SN_THESIS_DRAGS]};
    double viscosity = sn_option_number(job->arguments, "viscosity", 1.0);
    sn_status status = sn_thesis_model_read(&files, &job->model, &job->error);
    for (int i = 0; status == SN_OK && i < job->model.material_count; ++i) {
        job->model.materials[i].volume_viscosity *= viscosity;
        job->model.materials[i].shape_viscosity *= viscosity;
    }
    if (status == SN_OK) {
        status = sn_thesis_model_topology(&job->model, &job->topology, &job->error);
    }
    return status == SN_OK
               ? sn_thesis_stage_create(&job->model, &job->def, &job->stage, &job->error)
               : status;
}

static sn_status open_output(sim_job *job)
{
    const char *states = job->operands.paths[SN_THESIS_STATE];
    sn_status status = sn_thesis_out(job->arguments, states, "-sim.st", job->path, &job->error);
    if (status == SN_OK && !sn_path_ends_with(job->path, ".st")) {
        status = sn_fail(&job->error, SN_ERROR_FILE, job->path,
                         "a file of states was expected, with the ending .st");
    }
    if (status == SN_OK && strcmp(job->path, states) == 0) {
        status = sn_fail(&job->error, SN_ERROR_FILE, job->path,
                         "the start would be written over; another name was expected");
    }
    if (status == SN_OK) {
        status = sn_thesis_path(job->path, ".en", job->curves, &job->error);
    }
    if (status == SN_OK) {
        status = sn_thesis_writer_open(job->path, &job->writer, &job->error);
    }
    job->unwritten = status != SN_OK;
    return status;
}

// ---- the simulation ----

static sn_status measure(sim_job *job)
{
    sn_thesis_energy energy;
    sn_status status = sn_thesis_measure(&job->topology, sn_thesis_stage_state(job->stage),
                                         job->def.gravity, false, &energy, &job->error);
    double kept = sn_world_energy(sn_thesis_stage_world(job->stage)).total;
    if (status == SN_OK &&
        (!sn_array_push(&job->energies, energy) || !sn_array_push(&job->kept, kept))) {
        status = sn_fail_memory(&job->error, sizeof energy);
    }
    return status;
}

static sn_status put_state(sim_job *job)
{
    const sn_thesis_state *state = sn_thesis_stage_state(job->stage);
    sn_thesis_tell_inverted(job->arguments, &job->topology, state, &job->inverted);
    sn_status status = sn_thesis_writer_put(job->writer, state, &job->error);
    job->unwritten = status != SN_OK;
    job->states += status == SN_OK;
    return status;
}

// An event may end a step early; what is left of it follows.
static sn_status step_to(sim_job *job, double due, double h)
{
    sn_world *world = sn_thesis_stage_world(job->stage);
    sn_status status = SN_OK;
    for (double left = due - sn_world_time(world); status == SN_OK && left > 1e-9 * h;
         left = due - sn_world_time(world)) {
        status = sn_world_step(world, left < h ? left : h, &job->error);
        if (status == SN_OK) {
            status = sn_run_counters_note(&job->counters, world, &job->error);
        }
        if (status == SN_OK && sn_interrupted()) {
            status = sn_fail(&job->error, SN_ERROR_STOPPED, NULL, "stopped");
        }
    }
    return status == SN_OK ? measure(job) : status;
}

static void show_progress(const sim_job *job, sn_progress *progress)
{
    if (!sn_progress_due(progress)) {
        return;
    }
    char note[96];
    double time = sn_world_time(sn_thesis_stage_world(job->stage));
    double wall = sn_wall_time() - progress->started, factor = wall > 0.0 ? time / wall : 0.0;
    snprintf(note, sizeof note, "%.4g of %.4g s  %.*fx real time", time, job->time,
             factor < 10.0 ? 3 : 0, factor);
    sn_progress_show(progress, job->time > 0.0 ? time / job->time : 1.0, note);
}

static sn_status simulate(sim_job *job)
{
    char stem[128];
    sn_progress progress =
        sn_progress_start(job->arguments, sn_path_stem(job->path, stem, sizeof stem));
    double frames = ceil(job->time / job->frame - 1e-9);
    double h = job->frame / job->steps;
    sn_status status = measure(job);
    status = status == SN_OK ? put_state(job) : status;
    for (double f = 0.0; f < frames && status == SN_OK; f += 1.0) {
        double end = fmin((f + 1.0) * job->frame, job->time);
        for (int k = 1; k <= job->steps && status == SN_OK; ++k) {
            status = step_to(job, fmin(f * job->frame + k * h, end), h);
            show_progress(job, &progress);
        }
        status = status == SN_OK ? put_state(job) : status;
    }
    sn_progress_end(&progress);
    return status;
}

// ---- after ----

// What was simulated is kept, however it ended.
static sn_status close_output(sim_job *job, sn_status status)
{
    sn_error later = {0};
    sn_status closed = sn_thesis_writer_close(job->writer, &later);
    if (closed == SN_OK && !job->unwritten) {
        sn_thesis_file file = {SN_THESIS_ENERGIES, job->energies.count, {job->energies.data}};
        closed = sn_thesis_write(&file, job->curves, &later);
    }
    if (status == SN_OK && closed != SN_OK) {
        job->unwritten = true;
        job->error = later;
        status = closed;
    }
    return status;
}

// How far T = U + D, with what contact springs hold, went from its start, by the greatest energy
// that moved.
static void tell_end(const sim_job *job, double seconds)
{
    sn_thesis_file file = {SN_THESIS_ENERGIES, job->energies.count, {job->energies.data}};
    double *lost = sn_allocate((size_t)(job->energies.count + 1) * sizeof *lost);
    if (lost == NULL || job->energies.count == 0) {
        sn_free(lost);
        return;
    }
    sn_thesis_dissipation(&file, lost);
    const sn_thesis_energy *e = job->energies.data;
    double drift = 0.0, scale = 0.0;
    for (int i = 0; i < file.count; ++i) {
        drift = fmax(drift, fabs(job->kept.data[i] + lost[i] - job->kept.data[0]));
        scale = fmax(scale, fmax(e[i].kinetic, e[i].elastic));
    }
    sn_free(lost);
    char text[64];
    sn_step_report report = sn_world_report(sn_thesis_stage_world(job->stage));
    bool springs =
        sn_world_contact_def(sn_thesis_stage_world(job->stage)).method == SN_CONTACT_SPRINGS;
    sn_say(job->arguments, "%d state%s to %.6g s in %s; T = K + P + G + D%s kept to %.1e of %.4g",
           job->states, job->states == 1 ? "" : "s", e[file.count - 1].time,
           sn_duration_text(seconds, text, sizeof text), springs ? " and contact springs" : "",
           scale > 0.0 ? drift / scale : drift, scale);
    if (report.internal_steps > 0) {
        sn_say(job->arguments, "%llu steps, %llu refused",
               (unsigned long long)report.internal_steps, (unsigned long long)report.failed_steps);
    }
    if (job->inverted > SN_THESIS_TOLD) {
        sn_say(job->arguments, "%d states have flat or inverted elements", job->inverted);
    }
    if (!job->arguments->quiet) {
        const sn_world *world = sn_thesis_stage_world(job->stage);
        sn_run_counters_print(&job->counters, world, sn_world_step_count(world), stderr);
    }
}

static int work(sim_job *job)
{
    sn_status status = read_model(job);
    double started = sn_wall_time();
    if (status == SN_OK) {
        status = open_output(job);
    }
    if (status == SN_OK) {
        const sn_world *world = sn_thesis_stage_world(job->stage);
        if (sn_world_contact_def(world).method == SN_CONTACT_NONE &&
            sn_world_body_count(world) > 1 && !sn_option_given(job->arguments, "contact")) {
            sn_say(job->arguments, "there is no contact: bodies pass through each other");
        }
        sn_interrupt_listen();
        status = simulate(job);
        status = close_output(job, status);
    }
    if (job->states > 0 && !job->unwritten) {
        printf("%s\n%s\n", job->path, job->curves);
        tell_end(job, sn_wall_time() - started);
    }
    if (status == SN_OK) {
        return SN_EXIT_OK;
    }
    int code = sn_thesis_fail(job->arguments, status, &job->error, NULL);
    return job->unwritten && code != SN_EXIT_INTERRUPTED ? SN_EXIT_OUTPUT : code;
}

static int run(const sn_arguments *arguments)
{
    sim_job *job = sn_allocate_zero(sizeof *job);
    if (job == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    job->arguments = arguments;
    int code = sn_thesis_operands_read(arguments, "st tp", "su co dr tx li", &job->operands);
    code = code == SN_EXIT_OK ? read_options(job) : code;
    code = code == SN_EXIT_OK ? work(job) : code;
    sn_run_counters_free(&job->counters);
    sn_thesis_stage_destroy(job->stage);
    sn_thesis_model_free(&job->model);
    sn_thesis_file_free(&job->topology);
    sn_array_free(&job->energies);
    sn_array_free(&job->kept);
    sn_free(job);
    return code;
}

#define X(name, word, text) word,
static const char *const policy_words[] = {SN_POLICY_LIST(X) NULL};
static const char *const law_words[] = {SN_ELASTIC_LAW_LIST(X) NULL};
static const char *const contact_words[] = {SN_CONTACT_METHOD_LIST(X) NULL};
#undef X

static const sn_option options[] = {
    {.name = "time",
     .letter = 't',
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "10 s",
     .doc = "how long to simulate",
     .minimum = 0,
     .maximum = 1e9},
    {.name = "fps",
     .type = SN_OPTION_NUMBER,
     .value = "N",
     .fallback = "30",
     .doc = "states a second",
     .minimum = 0.01,
     .maximum = 1e6},
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE.st", "beside the start, with -sim",
                  "where the states go, and beside them the energies"),
    SN_THESIS_GRAVITY_OPTION,
    {.name = "policy",
     .letter = 'p',
     .type = SN_OPTION_WORD,
     .value = "POLICY",
     .fallback = "precise",
     .doc = "Fehlberg 4(5) with error control as in the thesis, or implicit steps",
     .words = policy_words},
    {.name = "tolerance",
     .type = SN_OPTION_NUMBER,
     .value = "E",
     .fallback = "1e-6",
     .doc = "precise: greatest error of a step, by the size of bodies",
     .minimum = 1e-14,
     .maximum = 0.1},
    {.name = "step",
     .type = SN_OPTION_TIME,
     .value = "TIME",
     .fallback = "1/240 s",
     .doc = "lockstep's step at most; precise: the longest, and between energies",
     .minimum = 1e-9,
     .maximum = 1e3},
    {.name = "contact",
     .type = SN_OPTION_WORD,
     .value = "METHOD",
     .fallback = "default",
     .doc = "how what meets is kept apart: the solver in lockstep, the thesis' springs in precise "
            "where there are several bodies",
     .words = contact_words},
    {.name = "stiffness",
     .type = SN_OPTION_NUMBER,
     .value = "K",
     .fallback = "0, by masses and steps",
     .doc = "of the springs of contact, in the files' units",
     .minimum = 0,
     .maximum = 1e30},
    {.name = "damping",
     .type = SN_OPTION_NUMBER,
     .value = "SHARE",
     .fallback = "0.5",
     .doc = "of the springs of contact, of the critical one; 0: nothing is lost in them",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "law",
     .type = SN_OPTION_WORD,
     .value = "LAW",
     .fallback = "liesenfeld",
     .doc = "elastic law; energies are measured by the thesis' in any case",
     .words = law_words},
    {.name = "viscosity",
     .type = SN_OPTION_NUMBER,
     .value = "FACTOR",
     .fallback = "1",
     .doc = "of all viscosities; 0: nothing is lost",
     .minimum = 0,
     .maximum = 1e6},
    SN_OPTION_THREADS("1"),
};

static const sn_example examples[] = {
    {"sinew thesis sim torus.st torus.tp torus.co",
     "ten seconds into torus-sim.st and torus-sim.en"},
    {"sinew thesis sim elast.* --gravity 400 --policy lockstep", "implicit steps, in real time"},
    {"sinew thesis sim loop.* --gravity 0 --time 15 -o a.st",
     "with the vertices that loop.dr drags"},
};

const sn_verb sn_verb_thesis_sim = {
    .name = "thesis sim",
    .operands = "FILE.st FILE.tp [FILE.su] [FILE.co] [FILE.dr]",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 2,
    .maximum_operands = 7,
    .summary = "simulate elastic bodies",
    .description = "From the first state of a file. Without a .su file all exposed faces meet; .tx "
                   "and .li files are\n"
                   "passed over. States and energies are valid files however the run ends.",
    SN_VERB_TABLES,
    .run = run,
};
