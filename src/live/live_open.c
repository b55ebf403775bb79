// Scenes of a live world: opening, reloading, starting anew, params.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "live/live.h"
#include "model/world.h"
#include "scene/error_list.h"
#include "scene/model.h"
#include "scene/path.h"
#include "sinew/draw.h"
#include "world/state.h"

// ---- fingerprints ----

// What worlds are built of, and how they begin.
typedef struct fingerprints {
    uint64_t form, start;
} fingerprints;

static sn_status find_fingerprints(const sn_scene *scene, fingerprints *found, sn_error *error)
{
    sn_status status = sn_scene_fingerprint(scene, SN_CHANGE_BUILD, &found->form, error);
    return status == SN_OK ? sn_scene_fingerprint(scene, SN_CHANGE_START, &found->start, error)
                           : status;
}

// Do two worlds have the same bodies and joints, by name and kind, in the same order? A state of
// one then means the same in the other.
static bool same_structure(const sn_world *a, const sn_world *b)
{
    bool same = sn_world_body_count(a) == sn_world_body_count(b) &&
                sn_world_joint_count(a) == sn_world_joint_count(b) &&
                sn_world_bond_count(a) == sn_world_bond_count(b);
    for (int i = 0; same && i < sn_world_body_count(a); ++i) {
        sn_body x = sn_world_body(a, i), y = sn_world_body(b, i);
        same = strcmp(sn_body_name(a, x), sn_body_name(b, y)) == 0 &&
               sn_body_get_type(a, x) == sn_body_get_type(b, y);
    }
    for (int i = 0; same && i < sn_world_joint_count(a); ++i) {
        sn_joint x = sn_world_joint(a, i), y = sn_world_joint(b, i);
        same =
            strcmp(sn_joint_name(a, x), sn_joint_name(b, y)) == 0 &&
            sn_joint_get_type(a, x) == sn_joint_get_type(b, y) &&
            sn_live_order_of(a, sn_joint_parent(a, x)) ==
                sn_live_order_of(b, sn_joint_parent(b, y)) &&
            sn_live_order_of(a, sn_joint_child(a, x)) == sn_live_order_of(b, sn_joint_child(b, y));
    }
    return same;
}

// Carries the state of the running world over. False: it does not fit.
static bool keep_state(sn_live *live, const sn_world *from, sn_world *to)
{
    if (!same_structure(from, to) || !sn_world_carry_state(from, to)) {
        return false;
    }
    sn_world_touch(to);
    size_t memory = sn_world_contact_memory_size(from);
    sn_bytes_clear(&live->memory);
    if (sn_bytes_reserve(&live->memory, memory) &&
        sn_world_save_contact_memory(from, live->memory.data, memory, NULL) == SN_OK) {
        // Contacts of other shapes begin from nothing, which costs nothing but a first guess.
        (void)sn_world_load_contact_memory(to, live->memory.data, memory, NULL);
    }
    return true;
}

// ---- a world that is ready to be shown ----

typedef struct made_world {
    sn_scene *scene; // NULL: the one that is open
    sn_world *world;
    sn_model model;
} made_world;

static void free_made(made_world *made)
{
    sn_model_free(&made->model);
    sn_world_destroy(made->world);
    sn_scene_destroy(made->scene);
    *made = (made_world){0};
}

static sn_status make_world(const sn_live *live, const sn_scene *scene, bool with_model,
                            made_world *made, sn_error *error)
{
    sn_status status = sn_scene_build(scene, &made->world, error);
    if (status == SN_OK && live->def.threads > 0) {
        status = sn_world_set_threads(made->world, live->def.threads, error);
    }
    if (status == SN_OK && with_model) {
        status = sn_model_make(&made->model, made->world, error);
    }
    return status;
}

// Steps that are taken again after a state was loaded come to the same bits, except under the two
// integrators that keep a history of their own.
static bool goes_on_exactly(const sn_world *world)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_integrator integrator = sn_body_integrator(world, sn_world_body(world, i));
        if (integrator == SN_INTEGRATOR_ADAMS || integrator == SN_INTEGRATOR_BDF) {
            return false;
        }
    }
    return true;
}

static sn_status bind_probes(sn_live *live, sn_error *error)
{
    int count = sn_scene_probe_count(live->scene);
    if (!sn_array_resize(&live->probes, count)) {
        return sn_fail_memory(error, sizeof(sn_probe));
    }
    for (int i = 0; i < count; ++i) {
        sn_named_probe named = {0};
        (void)sn_scene_probe(live->scene, live->world, i, &named, NULL);
        live->probes.data[i] = named.probe;
    }
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT; ++i) {
        sn_live_client *client = live->clients[i];
        for (int k = 0; client != NULL && k < client->watches.count; ++k) {
            sn_live_bind_watch(live, &client->watches.data[k]);
        }
    }
    return SN_OK;
}

void sn_live_bind_watch(const sn_live *live, sn_live_watch *watch)
{
    watch->found = false;
    watch->probe = (sn_probe){0};
    if (live->world == NULL) {
        return;
    }
    if (watch->quantity < 0) {
        for (int i = 0; i < sn_scene_probe_count(live->scene) && !watch->found; ++i) {
            sn_named_probe named = {0};
            watch->found = sn_scene_probe(live->scene, live->world, i, &named, NULL) == SN_OK &&
                           strcmp(named.name, watch->name) == 0;
            watch->probe = watch->found ? named.probe : watch->probe;
        }
        return;
    }
    watch->probe.quantity = (sn_quantity)watch->quantity;
    if (watch->name[0] != '\0') {
        watch->probe.body = sn_world_find_body(live->world, watch->name);
        if (watch->probe.body.index == 0) {
            watch->probe.joint = sn_world_find_joint(live->world, watch->name);
        }
        if (watch->probe.body.index == 0 && watch->probe.joint.index == 0) {
            watch->probe.field = sn_world_find_field(live->world, watch->name);
        }
        if (watch->probe.body.index == 0 && watch->probe.joint.index == 0 &&
            watch->probe.field.index == 0) {
            watch->probe.bond = sn_world_find_bond(live->world, watch->name);
        }
        if (watch->probe.body.index == 0 && watch->probe.joint.index == 0 &&
            watch->probe.field.index == 0 && watch->probe.bond.index == 0) {
            return;
        }
    }
    watch->found = sn_probe_check(live->world, &watch->probe, NULL) == SN_OK;
}

// Puts a world in the place of the one that runs, which is gone. What clients hold of other bodies
// they let go.
static sn_status take_world(sn_live *live, made_world *made, bool keeps, sn_error *error)
{
    bool same_bodies = live->world != NULL && same_structure(live->world, made->world);
    sn_array_clear(&live->acting); // fields of the world that goes
    sn_world_destroy(live->world);
    live->world = made->world;
    made->world = NULL;
    if (made->scene != NULL) {
        sn_scene_destroy(live->scene);
        live->scene = made->scene;
        made->scene = NULL;
    }
    live->run = sn_scene_run(live->scene);
    sn_world_set_stop(live->world, live->def.stop, live->def.user);
    live->keeps = keeps;
    live->exact = goes_on_exactly(live->world);
    live->events_told = sn_world_event_count(live->world);
    if (!keeps) { // what was told of the old world was not told of this one
        live->broken_joints = live->broken_bonds = 0;
        live->inverted = live->exploding = live->violated = 0;
    }
    live->change += 1;
    for (int i = 0; i < SN_LIVE_CLIENT_LIMIT && !same_bodies; ++i) {
        if (live->clients[i] != NULL) {
            live->clients[i]->holds = false;
            live->clients[i]->inspected = -1;
        }
    }
    sn_status status = bind_probes(live, error);
    return status == SN_OK ? sn_live_start_history(live, error) : status;
}

// A new generation: everything that clients know of the world is told again.
static sn_status take_model(sn_live *live, made_world *made, sn_error *error)
{
    sn_model_free(&live->model);
    live->model = made->model;
    made->model = (sn_model){0};
    if (!sn_array_resize(&live->frames, sn_world_body_count(live->world) + 1) ||
        !sn_array_resize(&live->points, live->model.point_count + 1)) {
        return sn_fail_memory(error, sizeof(sn_transform));
    }
    sn_world_frames(live->world, live->frames.data);
    sn_world_points(live->world, live->points.data);
    sn_live_choose_view(live);
    return sn_live_tell_scene(live, error);
}

sn_status sn_live_tell_scene(sn_live *live, sn_error *error)
{
    sn_text text = {0};
    live->generation += 1;
    sn_live_write_scene(live, &text);
    if (text.failed) {
        sn_text_free(&text);
        live->generation -= 1;
        return sn_fail_memory(error, 1);
    }
    sn_text_free(&live->scene_text);
    live->scene_text = text;
    live->change += 1;
    return SN_OK;
}

void sn_live_close(sn_live *live)
{
    sn_array_clear(&live->acting);
    sn_model_free(&live->model);
    sn_world_destroy(live->world);
    sn_scene_destroy(live->scene);
    live->world = NULL;
    live->scene = NULL;
    sn_free(live->name);
    sn_free(live->path);
    sn_free(live->text);
    sn_free(live->start_params);
    live->name = live->path = live->text = NULL;
    live->start_params = NULL;
    sn_text_free(&live->scene_text);
    sn_history_clear(&live->history);
    live->playing = live->past = live->seeks = live->params_changed = live->resumes = false;
    live->wanted_steps = 0;
    live->change += 1;
}

// ---- reading ----

static sn_status load_scene(const sn_live *live, const char *path, const char *text, size_t length,
                            bool foreign, sn_scene **scene, sn_error_list *errors)
{
    char folder[1024] = "";
    size_t folder_length = sn_path_folder_length(path);
    if (folder_length >= sizeof folder) {
        return sn_error_list_add(errors, SN_ERROR_ARGUMENT, NULL, "a path of %zu bytes is too long",
                                 strlen(path));
    }
    memcpy(folder, path, folder_length);
    sn_scene_options options =
        live->def.reading != NULL ? *live->def.reading : (sn_scene_options){0};
    options.folder = folder;
    options.find = live->def.find_file;
    options.user = live->def.user;
    options.sealed = foreign;
    options.cache = live->def.cache;
    return sn_scene_load_text(path, text, length, &options, scene, errors);
}

// An error as the only one of a list; returns its code.
static sn_status note_error(sn_error_list *errors, const sn_error *error)
{
    sn_status status = error->code;
    sn_status kept = sn_error_list_add_error(errors, error);
    return kept == SN_ERROR_MEMORY ? kept : status;
}

static sn_status set_params(sn_scene *scene, const sn_json *json, int node, sn_error *error)
{
    for (int key = json != NULL && node >= 0 ? sn_json_first(json, node) : -1; key >= 0;
         key = sn_json_next(json, key)) {
        char name[SN_LIVE_NAME_LIMIT];
        double value;
        const sn_json_node *named = &json->nodes[key];
        if (named->end - named->start >= SN_LIVE_NAME_LIMIT) {
            return sn_fail(error, SN_ERROR_ARGUMENT, "params", "a name is too long");
        }
        sn_json_string(json, key, name);
        if (json->nodes[key + 1].type != SN_JSON_NUMBER || !sn_json_number(json, key + 1, &value)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "the value of a param is a number");
        }
        sn_status status = sn_scene_set_param(scene, name, value, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// Everything that is to be kept of an opened text, allocated before the old one goes.
typedef struct opened_text {
    char *name, *path, *text;
    double *start_params;
} opened_text;

static bool copy_opened(opened_text *opened, const char *name, const char *path, const char *text,
                        size_t length, const sn_scene *scene)
{
    int count = sn_scene_param_count(scene);
    opened->name = sn_copy_text(name);
    opened->path = sn_copy_text(path);
    opened->text = sn_allocate(length + 1);
    opened->start_params = sn_allocate(((size_t)count + 1) * sizeof(double));
    if (opened->name == NULL || opened->path == NULL || opened->text == NULL ||
        opened->start_params == NULL) {
        return false;
    }
    memcpy(opened->text, text, length);
    opened->text[length] = '\0';
    for (int i = 0; i < count; ++i) {
        opened->start_params[i] = sn_scene_param(scene, i).value;
    }
    return true;
}

static void free_opened(opened_text *opened)
{
    sn_free(opened->name);
    sn_free(opened->path);
    sn_free(opened->text);
    sn_free(opened->start_params);
}

static void take_opened(sn_live *live, opened_text *opened, size_t length, bool foreign)
{
    opened_text old = {live->name, live->path, live->text, live->start_params};
    live->name = opened->name;
    live->path = opened->path;
    live->text = opened->text;
    live->start_params = opened->start_params;
    live->length = length;
    live->foreign = foreign;
    *opened = (opened_text){0};
    free_opened(&old);
}

// The parts of opening and reloading that can fail, before anything of the old world is touched.
static sn_status prepare(const sn_live *live, const char *name, const char *path, const char *text,
                         size_t length, bool foreign, made_world *made, opened_text *opened,
                         sn_error_list *errors)
{
    sn_status status = load_scene(live, path, text, length, foreign, &made->scene, errors);
    if (status == SN_OK && !copy_opened(opened, name, path, text, length, made->scene)) {
        status = sn_error_list_memory(errors);
    }
    return status;
}

static sn_status finish(sn_live *live, made_world *made, opened_text *opened, size_t length,
                        bool foreign, bool keeps, sn_error *error)
{
    fingerprints found;
    sn_status status = find_fingerprints(made->scene, &found, error);
    if (status != SN_OK) {
        return status;
    }
    live->form = found.form;
    live->start = found.start;
    if (keeps && !keep_state(live, live->world, made->world)) {
        keeps = false;
    }
    sn_text_free(&live->trouble);
    take_opened(live, opened, length, foreign);
    live->params_changed = false;
    live->seeks = false;
    live->wanted_steps = 0;
    status = take_world(live, made, keeps, error);
    status = status == SN_OK ? take_model(live, made, error) : status;
    if (status != SN_OK) {
        sn_live_close(live); // half of a scene is none
    }
    return status;
}

sn_status sn_live_open(sn_live *live, const char *name, const char *path, const char *text,
                       size_t length, bool foreign, const sn_json *params, int params_node,
                       sn_error_list *errors)
{
    made_world made = {0};
    opened_text opened = {0};
    sn_error error = {0};
    sn_status status = prepare(live, name, path, text, length, foreign, &made, &opened, errors);
    if (status == SN_OK) {
        status = set_params(made.scene, params, params_node, &error);
        status = status == SN_OK ? make_world(live, made.scene, true, &made, &error) : status;
        status =
            status == SN_OK ? finish(live, &made, &opened, length, foreign, false, &error) : status;
        live->resumes = live->resumes && status != SN_OK;
        status = status != SN_OK ? note_error(errors, &error) : status;
    }
    if (status != SN_OK) {
        sn_live_pause_for_mistake(live);
    }
    free_made(&made);
    free_opened(&opened);
    return status;
}

// Params that the new text has as well stay where they were turned to, as far as they fit.
static void carry_params(const sn_live *live, sn_scene *scene)
{
    for (int i = 0; i < sn_scene_param_count(live->scene); ++i) {
        sn_param param = sn_scene_param(live->scene, i);
        if (param.value != live->start_params[i]) {
            (void)sn_scene_set_param(scene, param.name, param.value, NULL);
        }
    }
}

static void tell_reload(sn_live *live, bool kept)
{
    char text[512];
    snprintf(text, sizeof text,
             kept ? "%s was read again; the state goes on"
                  : "%s was read again; its bodies or joints are others, so it starts anew",
             live->name);
    sn_live_tell(live, text);
}

sn_status sn_live_reload(sn_live *live, const char *path, const char *text, size_t length,
                         sn_error_list *errors)
{
    made_world made = {0};
    opened_text opened = {0};
    sn_error error = {0};
    const char *name = live->name != NULL ? live->name : path;
    if (live->world == NULL) {
        return sn_live_open(live, name, path, text, length, false, NULL, -1, errors);
    }
    sn_status status =
        prepare(live, name, path, text, length, live->foreign, &made, &opened, errors);
    if (status == SN_OK) {
        carry_params(live, made.scene);
        status = make_world(live, made.scene, true, &made, &error);
        status = status == SN_OK ? finish(live, &made, &opened, length, live->foreign, true, &error)
                                 : status;
        if (status == SN_OK) {
            tell_reload(live, live->keeps);
            sn_live_resume(live);
        } else {
            status = note_error(errors, &error);
        }
    }
    if (status != SN_OK) {
        sn_live_pause_for_mistake(live);
    }
    free_made(&made);
    free_opened(&opened);
    return status;
}

// ---- the program's own calls ----

static const char *name_of(const char *path, char name[SN_LIVE_NAME_LIMIT])
{
    const char *slash = strrchr(path, '/');
    snprintf(name, SN_LIVE_NAME_LIMIT, "%s", slash != NULL ? slash + 1 : path);
    return name;
}

static sn_status finish_call(sn_live *live, sn_status status, sn_error_list *errors,
                             const char *doing, sn_error *error)
{
    if (status != SN_OK) {
        sn_live_tell_list(live, errors, doing);
        if (errors->count > 0 && error != NULL) {
            *error = errors->items[0];
        }
    }
    sn_error_list_free(errors);
    return status;
}

sn_status sn_live_load_text(sn_live *live, const char *path, const char *text, size_t length,
                            sn_error *error)
{
    char name[SN_LIVE_NAME_LIMIT];
    sn_error_list errors = {0};
    sn_status status =
        sn_live_open(live, name_of(path, name), path, text, length, false, NULL, -1, &errors);
    if (status == SN_OK) {
        sn_live_play(live);
    }
    return finish_call(live, status, &errors, "open", error);
}

sn_status sn_live_reload_text(sn_live *live, const char *path, const char *text, size_t length,
                              sn_error *error)
{
    sn_error_list errors = {0};
    bool first = live->world == NULL;
    sn_status status = sn_live_reload(live, path, text, length, &errors);
    if (status == SN_OK && first) {
        sn_live_play(live);
    }
    return finish_call(live, status, &errors, "reload", error);
}

const char *sn_live_source(const sn_live *live, int index)
{
    return live->scene != NULL && !live->foreign && index >= 0 && index < live->scene->sources.count
               ? live->scene->sources.data[index].name
               : NULL;
}

// ---- params ----

void sn_live_tell_params(sn_live *live, const double *before)
{
    sn_text text = {0};
    bool any = false;
    sn_live_text_start(&text, "params");
    sn_text_add(&text, ", \"values\": {");
    for (int i = 0; i < sn_scene_param_count(live->scene); ++i) {
        sn_param param = sn_scene_param(live->scene, i);
        if (param.value != before[i]) {
            sn_text_add(&text, any ? ", " : "");
            sn_text_json_string(&text, param.name);
            sn_text_add(&text, ": ");
            sn_text_number(&text, param.value);
            any = true;
        }
    }
    sn_text_add(&text, "}");
    sn_live_text_end(&text);
    if (any) {
        sn_live_send_all(live, &text);
    }
    sn_text_free(&text);
}

sn_status sn_live_set_param(sn_live *live, const char *name, double value, sn_error *error)
{
    sn_status status = sn_scene_set_param(live->scene, name, value, error);
    if (status == SN_OK) {
        live->params_changed = true;
        sn_text text = {0};
        sn_live_text_start(&text, "params");
        sn_text_add(&text, ", \"values\": {");
        sn_text_json_string(&text, name);
        sn_text_add(&text, ": ");
        sn_text_number(&text, value);
        sn_text_add(&text, "}");
        sn_live_text_end(&text);
        sn_live_send_all(live, &text);
        sn_text_free(&text);
    }
    return status;
}

sn_status sn_live_start_params(sn_live *live, sn_error *error)
{
    for (int i = 0; i < sn_scene_param_count(live->scene); ++i) {
        sn_param param = sn_scene_param(live->scene, i);
        if (param.value != live->start_params[i]) {
            sn_status status = sn_live_set_param(live, param.name, live->start_params[i], error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

// The world is built anew with the state as it is.
static sn_status rebuild(sn_live *live, made_world *made, sn_error *error)
{
    sn_status status = sn_model_make(&made->model, made->world, error);
    if (status != SN_OK) {
        return status;
    }
    bool keeps = keep_state(live, live->world, made->world);
    status = take_world(live, made, keeps, error);
    status = status == SN_OK ? take_model(live, made, error) : status;
    if (status != SN_OK) {
        sn_live_close(live);
        return status;
    }
    sn_live_tell(live, keeps ? "a param changed how things are built: built anew, the state goes "
                               "on, the history starts here"
                             : "a param changed how things are built: it starts anew");
    return SN_OK;
}

// The world that runs takes the new numbers up.
static sn_status update(sn_live *live, sn_error *error)
{
    sn_status status = sn_scene_update(live->scene, live->world, error);
    if (status == SN_OK && !sn_live_note_params(live)) {
        status = sn_fail_memory(error, sizeof(double));
    }
    live->touched = live->world->touch.wake;
    live->change += 1;
    sn_run run = sn_scene_run(live->scene);
    if (run.step != live->run.step) {
        live->plan = (sn_history_plan){.base = sn_world_time(live->world)};
    }
    live->run = run;
    return status;
}

sn_status sn_live_apply_params(sn_live *live, sn_error *error)
{
    live->params_changed = false;
    made_world made = {0};
    fingerprints found;
    sn_status status = find_fingerprints(live->scene, &found, error);
    if (status != SN_OK) {
        return status;
    }
    bool built = found.form != live->form, begun = found.start != live->start;
    if (built || begun) { // or it would fail at the next reset only
        status = make_world(live, live->scene, false, &made, error);
    }
    if (status == SN_OK) {
        status = built ? rebuild(live, &made, error) : update(live, error);
    }
    if (status == SN_OK) {
        live->form = found.form;
        live->start = found.start;
        if (begun && !built) {
            sn_live_tell(live, "a param changed how things begin: reset to see it");
        }
    }
    free_made(&made);
    return status;
}

sn_status sn_live_reset(sn_live *live, sn_error *error)
{
    made_world made = {0};
    fingerprints found = {live->form, live->start};
    live->params_changed = false;
    sn_status status = find_fingerprints(live->scene, &found, error);
    bool other = found.form != live->form;
    if (status == SN_OK) {
        status = make_world(live, live->scene, other, &made, error);
    }
    if (status == SN_OK) {
        live->start = found.start;
        live->seeks = false;
        live->wanted_steps = 0;
        status = take_world(live, &made, false, error);
        if (status == SN_OK && other) {
            live->form = found.form;
            status = take_model(live, &made, error);
        }
        if (status != SN_OK) {
            sn_live_close(live);
        }
    }
    free_made(&made);
    return status;
}
