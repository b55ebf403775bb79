// sinew thesis energy: energies of states.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "exit_code.h"
#include "interrupt.h"
#include "terminal.h"
#include "thesis_operand.h"
#include "verbs.h"

enum { BODY_LIMIT = 64 };

typedef struct energy_job {
    const sn_arguments *arguments;
    sn_vec3 gravity;
    bool rest_volume;
    int bodies[BODY_LIMIT]; // that are measured; none: all
    int body_count;
    sn_thesis_file topology, chosen; // all elements, and those of these bodies
    SN_ARRAY(sn_thesis_energy) energies;
    int inverted; // states with such elements
} energy_job;

// "0,2" as numbers.
static bool read_bodies(const char *text, energy_job *job)
{
    for (const char *rest = text;; ++rest) {
        char *end = NULL;
        long value = strtol(rest, &end, 10);
        if (end == rest || value < 0 || value > INT32_MAX || job->body_count >= BODY_LIMIT) {
            return false;
        }
        job->bodies[job->body_count++] = (int)value;
        rest = end;
        if (*rest != ',') {
            return *rest == '\0';
        }
    }
}

// ".en" in place of the states' own ending, or "-body-0-2.en" for some of the bodies.
static sn_status out_path(const sn_arguments *arguments, const char *states, const char *bodies,
                          char *path, sn_error *error)
{
    char ending[SN_PATH_LIMIT] = ".en";
    if (bodies != NULL) {
        snprintf(ending, sizeof ending, "-body-%.400s.en", bodies);
        for (char *comma = strchr(ending, ','); comma != NULL; comma = strchr(comma, ',')) {
            *comma = '-';
        }
    }
    return sn_thesis_out(arguments, states, ending, path, error);
}

static sn_status measure(const sn_thesis_state *state, void *user, sn_error *error)
{
    energy_job *job = user;
    sn_thesis_energy energy;
    sn_status status = SN_OK;
    if (job->body_count > 0 && job->chosen.rows == NULL) {
        status = sn_thesis_bodies(&job->topology, state->vertex_count, job->bodies, job->body_count,
                                  &job->chosen, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_measure(job->body_count > 0 ? &job->chosen : &job->topology, state,
                                   job->gravity, job->rest_volume, &energy, error);
    }
    if (status == SN_OK && !sn_array_push(&job->energies, energy)) {
        status = sn_fail_memory(error, sizeof energy);
    }
    if (status == SN_OK) {
        sn_thesis_tell_inverted(job->arguments, &job->topology, state, &job->inverted);
    }
    return status;
}

static int run(const sn_arguments *arguments)
{
    energy_job job = {.arguments = arguments,
                      .rest_volume = sn_option_given(arguments, "rest-volume")};
    sn_thesis_operands operands;
    int code = sn_thesis_operands_read(arguments, "tp st", "", &operands);
    if (code != SN_EXIT_OK) {
        return code;
    }
    code = sn_thesis_gravity(arguments, &job.gravity);
    if (code != SN_EXIT_OK) {
        return code;
    }
    const char *bodies = sn_option_text(arguments, "body", NULL);
    if (bodies != NULL && !read_bodies(bodies, &job)) {
        return sn_usage_error(arguments->verb,
                              "--body %.60s: expected numbers from 0 with commas between, at most "
                              "%d",
                              bodies, BODY_LIMIT);
    }
    sn_interrupt_listen();
    sn_error error = {0};
    char path[SN_PATH_LIMIT] = "";
    const char *states = operands.paths[SN_THESIS_STATE];
    sn_status status = out_path(arguments, states, bodies, path, &error);
    if (status == SN_OK) {
        status = sn_thesis_read(SN_THESIS_TOPOLOGY, operands.paths[SN_THESIS_TOPOLOGY],
                                &job.topology, &error);
    }
    if (status == SN_OK) {
        status = sn_thesis_each_state(states, measure, &job, &error);
    }
    if (status == SN_OK) {
        sn_thesis_file file = {SN_THESIS_ENERGIES, job.energies.count, {job.energies.data}};
        status = sn_thesis_write(&file, path, &error);
    }
    if (job.inverted > SN_THESIS_TOLD) {
        sn_say(arguments, "%d states have flat or inverted elements", job.inverted);
    }
    sn_thesis_file_free(&job.topology);
    sn_thesis_file_free(&job.chosen);
    sn_array_free(&job.energies);
    return sn_thesis_end(arguments, status, &error, path);
}

static const sn_option options[] = {
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE.en", "beside the .st file",
                  "where the energies go; - is standard output"),
    SN_THESIS_GRAVITY_OPTION,
    {.name = "body",
     .letter = 'b',
     .type = SN_OPTION_TEXT,
     .value = "N,...",
     .fallback = "all",
     .doc = "of these bodies alone: connected parts of the tetrahedra, counted from 0 in the order "
            "of their first vertices"},
    {.name = "rest-volume",
     .doc = "dissipation by volume at rest, as the thesis' chapter 4, instead of as it is"},
};

static const sn_example examples[] = {
    {"sinew thesis energy torus.tp torus.st", "K, P, G and W of every state into torus.en"},
    {"sinew thesis energy elast.tp elast.st --gravity 400 -o elast.en", "with another gravity"},
    {"sinew thesis energy elast.tp elast.st --gravity 400 --body 0",
     "of the bed alone, into elast-body-0.en"},
};

const sn_verb sn_verb_thesis_energy = {
    .name = "thesis energy",
    .operands = "FILE.tp FILE.st",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 2,
    .maximum_operands = 2,
    .summary = "measure the energies of states",
    .description = "Kinetic energy by the consistent mass, elastic energy by the thesis' law, "
                   "gravity's from the\n"
                   "origin, and the power that internal viscosity takes. States with inverted "
                   "elements are told.",
    SN_VERB_TABLES,
    .run = run,
};
