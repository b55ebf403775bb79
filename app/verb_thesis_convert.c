// sinew thesis convert: states as scenes of POV-Ray.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exit_code.h"
#include "interrupt.h"
#include "picture_option.h"
#include "terminal.h"
#include "thesis_operand.h"
#include "verbs.h"

typedef struct convert_job {
    const sn_arguments *arguments;
    sn_thesis_operands operands;
    sn_thesis_picture picture;
    sn_aabb box; // of all states
    sn_thesis_view view;
    char stem[SN_PATH_LIMIT - 16], path[SN_PATH_LIMIT];
    int count;
    sn_error error;
} convert_job;

static sn_status grow_box(const sn_thesis_state *state, void *user, sn_error *error)
{
    (void)error;
    convert_job *job = user;
    sn_thesis_grow_box(state, &job->picture.surface, &job->box);
    return SN_OK;
}

// One camera for all states: what they need together is found first.
static sn_status choose_view(convert_job *job, const sn_picture_def *def)
{
    sn_status status = SN_OK;
    if (!def->camera.given) {
        status =
            sn_thesis_each_state(job->operands.paths[SN_THESIS_STATE], grow_box, job, &job->error);
    }
    job->view = sn_thesis_view_of(job->box);
    double distance = sn_distance(job->view.eye, job->view.target);
    if (def->camera.given) {
        job->view.eye = def->camera.position;
        job->view.target = def->camera.target;
        job->view.field_of_view = def->camera.field_of_view;
    } else if (sn_length(def->direction) > 0.0) {
        job->view.eye =
            sn_vec3_add_scaled(job->view.target, distance, sn_normalize(def->direction));
    }
    job->view.aspect = (double)def->width / def->height;
    return status;
}

static sn_status write_scene(const sn_thesis_state *state, void *user, sn_error *error)
{
    convert_job *job = user;
    snprintf(job->path, sizeof job->path, "%s%04d.pov", job->stem, job->count);
    const sn_thesis_picture *p = &job->picture;
    const sn_thesis_file *lights = p->lights.kind == SN_THESIS_LIGHTS ? &p->lights : NULL;
    sn_status status =
        sn_thesis_write_pov(state, &p->surface, &p->textures, lights, &job->view, job->path, error);
    job->count += status == SN_OK;
    return status;
}

// --out FRAMES makes FRAMES0000.pov, ...; without it the states' own name and a dash come first.
static int choose_stem(convert_job *job)
{
    const char *states = job->operands.paths[SN_THESIS_STATE];
    const char *out = sn_option_text(job->arguments, "out", NULL);
    size_t length = strlen(out != NULL ? out : states);
    if (length + 2 > sizeof job->stem) {
        return sn_usage_error(job->arguments->verb, "a path of %zu letters is too long", length);
    }
    snprintf(job->stem, sizeof job->stem, "%.*s%s", (int)(out != NULL ? length : length - 3),
             out != NULL ? out : states, out != NULL ? "" : "-");
    return SN_EXIT_OK;
}

static int read_options(convert_job *job, sn_picture_def *def)
{
    const sn_arguments *arguments = job->arguments;
    int code = sn_thesis_operands_read(arguments, "st su", "tx li", &job->operands);
    code = code == SN_EXIT_OK ? sn_read_size(arguments, def) : code;
    if (code == SN_EXIT_OK) {
        code = sn_read_camera(arguments->verb, sn_option_text(arguments, "camera", "auto"), def);
    }
    return code == SN_EXIT_OK ? choose_stem(job) : code;
}

static int convert(convert_job *job, const sn_picture_def *def)
{
    sn_interrupt_listen();
    sn_status status = sn_thesis_picture_read(&job->operands, &job->picture, &job->error);
    if (status == SN_OK) {
        status = choose_view(job, def);
    }
    if (status == SN_OK) {
        status = sn_thesis_each_state(job->operands.paths[SN_THESIS_STATE], write_scene, job,
                                      &job->error);
    }
    if (job->count > 0) {
        printf("%s0000.pov\n", job->stem);
        sn_say(job->arguments, "%d scenes; povray +I%s0000.pov +W%d +H%d draws the first",
               job->count, job->stem, def->width, def->height);
    }
    sn_thesis_picture_free(&job->picture);
    return status == SN_OK ? SN_EXIT_OK
                           : sn_thesis_fail(job->arguments, status, &job->error, job->path);
}

static int run(const sn_arguments *arguments)
{
    convert_job *job = sn_allocate_zero(sizeof *job);
    if (job == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    job->arguments = arguments;
    job->box = (sn_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    sn_picture_def def = sn_default_picture_def();
    def.width = 800;
    def.height = 600;
    int code = read_options(job, &def);
    code = code == SN_EXIT_OK ? convert(job, &def) : code;
    sn_free(job);
    return code;
}

static const sn_option options[] = {
    SN_OPTION_OUT(SN_OPTION_TEXT, "PREFIX", "the .st file's name and a dash",
                  "what the scenes' names begin with: PREFIX0000.pov and so on"),
    SN_OPTION_CAMERA("auto", ""),
    SN_OPTION_SIZE("800x600", "pixels that the pictures will have; their ratio counts"),
};

static const sn_example examples[] = {
    {"sinew thesis convert torus.st torus.su torus.tx torus.li", "torus-0000.pov and so on"},
    {"sinew thesis convert elast.st elast.su -o frames/elast",
     "without textures and lights: usual ones"},
};

const sn_verb sn_verb_thesis_convert = {
    .name = "thesis convert",
    .operands = "FILE.st FILE.su [FILE.tx] [FILE.li]",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 2,
    .maximum_operands = 4,
    .summary = "write states as scenes for POV-Ray",
    .description = "One scene a state, in the language of POV-Ray 2.2, which later ones read, too.",
    SN_VERB_TABLES,
    .run = run,
};
