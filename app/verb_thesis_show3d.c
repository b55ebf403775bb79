// sinew thesis show3d: pictures and films of states.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exit_code.h"
#include "interrupt.h"
#include "picture_option.h"
#include "progress.h"
#include "terminal.h"
#include "thesis_operand.h"
#include "verbs.h"
#include "video.h"

typedef struct show_job {
    const sn_arguments *arguments;
    sn_thesis_operands operands;
    sn_thesis_picture picture;
    sn_thesis_state first; // to see what moves
    bool *still;           // by face
    sn_vec3 *points;       // of the state to draw
    int state_count;
    double second_time;
    sn_drawing *drawing;
    sn_picture_def def;
    uint8_t *pixels;
    char path[SN_PATH_LIMIT];
    sn_video video;
    sn_progress progress;
    bool unwritten;
    sn_error error;
} show_job;

// ---- going through the states ----

static sn_status each_state(show_job *job, sn_thesis_visit *visit)
{
    return sn_thesis_each_state(job->operands.paths[SN_THESIS_STATE], visit, job, &job->error);
}

static sn_status check_faces(show_job *job, const sn_thesis_state *state)
{
    for (int f = 0; f < job->picture.surface.count; ++f) {
        const sn_thesis_face *face = &job->picture.surface.faces[f];
        for (int k = 0; k < 3; ++k) {
            if (face->vertices[k] >= state->vertex_count) {
                return sn_fail(&job->error, SN_ERROR_GEOMETRY, NULL,
                               "face %d names vertex %d; the state at %g s has 0 to %d", f,
                               face->vertices[k], state->time, state->vertex_count - 1);
            }
        }
        if (face->texture >= job->picture.textures.count) {
            return sn_fail(&job->error, SN_ERROR_GEOMETRY, NULL,
                           "face %d has texture %d; there are 0 to %d", f, face->texture,
                           job->picture.textures.count - 1);
        }
    }
    return SN_OK;
}

static sn_status keep_first(show_job *job, const sn_thesis_state *state)
{
    size_t bytes = (size_t)(state->vertex_count > 0 ? state->vertex_count : 1) * sizeof(sn_vec3);
    size_t faces = (size_t)(job->picture.surface.count > 0 ? job->picture.surface.count : 1);
    job->first.positions = sn_allocate(bytes);
    job->still = sn_allocate(faces);
    if (job->first.positions == NULL || job->still == NULL) {
        return sn_fail_memory(&job->error, bytes + faces);
    }
    memcpy(job->first.positions, state->positions, (size_t)state->vertex_count * sizeof(sn_vec3));
    memset(job->still, 1, faces);
    job->first.vertex_count = state->vertex_count;
    job->first.time = state->time;
    return SN_OK;
}

// The first time through: what there is, what moves.
static sn_status look(const sn_thesis_state *state, void *user, sn_error *error)
{
    (void)error;
    show_job *job = user;
    sn_status status = check_faces(job, state);
    if (status == SN_OK && job->state_count == 0) {
        status = keep_first(job, state);
    }
    for (int f = 0; status == SN_OK && f < job->picture.surface.count; ++f) {
        for (int k = 0; k < 3; ++k) {
            int v = job->picture.surface.faces[f].vertices[k];
            job->still[f] = job->still[f] && v < job->first.vertex_count &&
                            sn_distance(state->positions[v], job->first.positions[v]) == 0.0;
        }
    }
    job->second_time = job->state_count == 1 ? state->time : job->second_time;
    job->state_count += status == SN_OK;
    return status;
}

static sn_status watch(const sn_thesis_state *state, void *user, sn_error *error)
{
    (void)error;
    show_job *job = user;
    sn_drawing_watch_points(job->drawing, state->positions);
    return SN_OK;
}

// ---- drawing ----

static uint32_t colour_of(const sn_thesis_texture *t)
{
    uint32_t colour = 0;
    for (int k = 0; k < 3; ++k) {
        double value = fmin(t->ambient[k] + t->diffuse[k], 1.0);
        colour = colour << 8 | (uint32_t)(255.0 * value + 0.5);
    }
    return colour;
}

// Lobes of Phong's exponent p and of microfacets of this roughness are about equally wide.
static float roughness_of(const sn_thesis_texture *t)
{
    double shine = fmax(fmax(t->specular[0], t->specular[1]), t->specular[2]);
    return shine > 0.0 ? (float)fmin(fmax(sqrt(sqrt(2.0 / (t->exponent + 2.0))), 0.1), 0.9) : 0.9f;
}

// The brightest light is the key light; what others would add, sky and ground give.
static void set_lamp(show_job *job)
{
    const sn_thesis_light *best = NULL;
    double most = 0.0;
    for (int i = 0; i < job->picture.lights.count; ++i) {
        const sn_thesis_light *light = &job->picture.lights.lights[i];
        double sum = light->colour[0] + light->colour[1] + light->colour[2];
        best = sum > most ? light : best;
        most = fmax(most, sum);
    }
    if (best != NULL) {
        sn_vec3 towards = {best->position[0], best->position[1], best->position[2]};
        if (best->position[3] != 0.0) {
            sn_camera camera = sn_drawing_camera(job->drawing, &job->def);
            towards = sn_vec3_sub(sn_vec3_scale(1.0 / best->position[3], towards), camera.target);
        }
        sn_drawing_set_lamp(job->drawing, towards, best->colour);
    }
}

static sn_status make_drawing(show_job *job)
{
    int count = job->picture.surface.count;
    size_t room = (size_t)(count > 0 ? count : 1);
    int *triangles = sn_allocate(3 * room * sizeof *triangles);
    sn_face_look *looks = sn_allocate(room * sizeof *looks);
    size_t bytes = 3 * (size_t)job->def.width * (size_t)job->def.height;
    job->pixels = sn_allocate(bytes);
    sn_status status = SN_OK;
    if (triangles == NULL || looks == NULL || job->pixels == NULL) {
        status = sn_fail_memory(&job->error, bytes + 3 * room * sizeof *triangles);
    }
    bool moves = false;
    for (int f = 0; status == SN_OK && f < count; ++f) {
        const sn_thesis_face *face = &job->picture.surface.faces[f];
        const sn_thesis_texture *texture = &job->picture.textures.textures[face->texture];
        memcpy(triangles + 3 * (size_t)f, face->vertices, sizeof face->vertices);
        looks[f] = (sn_face_look){colour_of(texture), roughness_of(texture)};
        moves = moves || !job->still[f];
    }
    if (status == SN_OK) {
        // Where nothing moves at all, everything is looked at.
        status =
            sn_drawing_create_faces(triangles, looks, moves ? job->still : NULL, count,
                                    sn_drawing_threads(job->arguments), &job->drawing, &job->error);
    }
    sn_free(triangles);
    sn_free(looks);
    return status;
}

static sn_status add_frame(const sn_thesis_state *state, void *user, sn_error *error)
{
    show_job *job = user;
    sn_status status =
        sn_draw_points(job->drawing, state->positions, &job->def, job->pixels, error);
    if (status == SN_OK) {
        status = sn_video_add(&job->video, job->pixels, error);
    }
    if (sn_progress_due(&job->progress)) {
        char note[64];
        snprintf(note, sizeof note, "drawing at %.4g s", state->time);
        sn_progress_show(&job->progress, (double)job->video.count / job->state_count, note);
    }
    return status;
}

static sn_status draw_film(show_job *job)
{
    double spacing = job->second_time - job->first.time;
    double usual = job->state_count > 1 && spacing > 1e-3 && spacing < 100.0 ? 1.0 / spacing : 30.0;
    double rate = sn_option_number(job->arguments, "fps", usual);
    sn_status status =
        sn_video_open(&job->video, job->arguments, sn_option_text(job->arguments, "video", ""),
                      job->def.width, job->def.height, rate, &job->error);
    if (status == SN_OK) {
        job->progress = sn_progress_start(job->arguments, "show3d");
        status = each_state(job, add_frame);
        sn_progress_end(&job->progress);
        status = sn_video_close(&job->video, status, &job->error);
        memcpy(job->path, job->video.path, sizeof job->path);
    }
    job->unwritten = job->video.unwritten;
    return status;
}

// The last state that is not after the time asked for.
static sn_status keep_if_due(const sn_thesis_state *state, void *user, sn_error *error)
{
    show_job *job = user;
    double at = sn_option_number(job->arguments, "at", job->first.time);
    if (job->points != NULL && state->time > at + 1e-9 * fabs(at)) {
        return SN_OK;
    }
    size_t bytes = (size_t)state->vertex_count * sizeof(sn_vec3);
    sn_vec3 *kept = sn_reallocate(job->points, bytes > 0 ? bytes : 1);
    if (kept == NULL) {
        return sn_fail_memory(error, bytes);
    }
    memcpy(kept, state->positions, bytes);
    job->points = kept;
    return SN_OK;
}

static sn_status draw_one(show_job *job)
{
    sn_status status = each_state(job, keep_if_due);
    if (status == SN_OK) {
        status = sn_draw_points(job->drawing, job->points, &job->def, job->pixels, &job->error);
    }
    if (status == SN_OK) {
        job->unwritten = true;
        const char *states = job->operands.paths[SN_THESIS_STATE];
        status = sn_thesis_out(job->arguments, states, ".png", job->path, &job->error);
    }
    if (status == SN_OK) {
        status =
            sn_picture_write(job->path, job->pixels, job->def.width, job->def.height, &job->error);
    }
    return status;
}

static sn_status work(show_job *job)
{
    bool wants_film = sn_option_given(job->arguments, "video");
    sn_status status = sn_thesis_picture_read(&job->operands, &job->picture, &job->error);
    if (status == SN_OK) {
        status = each_state(job, look);
    }
    if (status == SN_OK && job->state_count == 0) {
        status = sn_fail(&job->error, SN_ERROR_SYNTAX, job->operands.paths[SN_THESIS_STATE],
                         "there is no state to show");
    }
    if (status == SN_OK) {
        status = make_drawing(job);
    }
    if (status == SN_OK) {
        status = each_state(job, watch);
    }
    if (status == SN_OK) {
        set_lamp(job);
        status = wants_film ? draw_film(job) : draw_one(job);
    }
    return status;
}

// ---- the verb ----

static int read_options(show_job *job)
{
    const sn_arguments *arguments = job->arguments;
    int code = sn_read_picture(arguments, &job->def);
    if (code != SN_EXIT_OK) {
        return code;
    }
    bool wants_film = sn_option_given(arguments, "video");
    if (wants_film && (sn_option_given(arguments, "at") || sn_option_given(arguments, "out"))) {
        return sn_usage_error(arguments->verb, "--at and --out are for one picture, not a film");
    }
    if (!wants_film && sn_option_given(arguments, "fps")) {
        return sn_usage_error(arguments->verb, "--fps is for films: say --video FILE");
    }
    return sn_read_camera(arguments->verb, sn_option_text(arguments, "camera", "auto"), &job->def);
}

static int run(const sn_arguments *arguments)
{
    show_job *job = sn_allocate_zero(sizeof *job);
    if (job == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    job->arguments = arguments;
    int code = sn_thesis_operands_read(arguments, "st", "su tp tx li", &job->operands);
    bool faces = job->operands.paths[SN_THESIS_SURFACE] != NULL ||
                 job->operands.paths[SN_THESIS_TOPOLOGY] != NULL;
    if (code == SN_EXIT_OK && !faces) {
        code = sn_usage_error(arguments->verb, "a .su file is missing, or a .tp file");
    }
    code = code == SN_EXIT_OK ? read_options(job) : code;
    if (code == SN_EXIT_OK) {
        sn_interrupt_listen();
        sn_status status = work(job);
        if (job->path[0] != '\0' && strcmp(job->path, "/dev/stdout") != 0 &&
            (status == SN_OK || status == SN_ERROR_STOPPED)) {
            printf("%s\n", job->path);
        }
        code = status == SN_OK ? SN_EXIT_OK : sn_thesis_fail(arguments, status, &job->error, NULL);
        code = code != SN_EXIT_OK && code != SN_EXIT_INTERRUPTED && job->unwritten ? SN_EXIT_OUTPUT
                                                                                   : code;
    }
    sn_drawing_destroy(job->drawing);
    sn_thesis_picture_free(&job->picture);
    sn_thesis_state_free(&job->first);
    sn_free(job->still);
    sn_free(job->points);
    sn_free(job->pixels);
    sn_free(job);
    return code;
}

static const sn_option options[] = {
    SN_OPTION_AT("the first state", "which state: the last one up to this time"),
    SN_OPTION_OUT_AS(".png", "beside the .st file", "where the picture goes; - is standard output"),
    SN_OPTION_VIDEO("a film of all states"),
    SN_OPTION_FPS("as the states are spaced", "states a second"),
    SN_OPTION_SIZE("1280x720", "pixels"),
    SN_OPTION_SAMPLES,
    SN_OPTION_CAMERA("auto", ""),
    SN_OPTION_THREADS("one a processor"),
};

static const sn_example examples[] = {
    {"sinew thesis show3d torus.st torus.su torus.tx torus.li", "the first state as torus.png"},
    {"sinew thesis show3d elast.st elast.su --at 2.5 -o a.png", "another one, in usual colours"},
    {"sinew thesis show3d elast.st elast.su --video elast.mp4", "all of them as a film"},
};

const sn_verb sn_verb_thesis_show3d = {
    .name = "thesis show3d",
    .operands = "FILE.st FILE.su [FILE.tx] [FILE.li]",
    .operand_kind = SN_OPERAND_FILE,
    .minimum_operands = 2,
    .maximum_operands = 4,
    .summary = "draw states as pictures or a film",
    .description = "Faces are flat and of their texture's colour; of the lights the brightest "
                   "one casts shadows.\n"
                   "Light that goes through bodies is left to POV-Ray: see convert.",
    SN_VERB_TABLES,
    .run = run,
};
