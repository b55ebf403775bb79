#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/check.h"
#include "scene/elastic_mesh.h"
#include "scene/error_list.h"
#include "scene/json.h"
#include "scene/load.h"
#include "scene/mobile_item.h"
#include "scene/parse.h"
#include "scene/path.h"
#include "scene/resolve.h"
#include "scene/text.h"
#include "scene/urdf_scene.h"

// ---- loading ----

// All that comes after reading: each stage runs when what it stands on is sound.
static sn_status finish(sn_scene *scene, sn_status status, sn_error_list *errors)
{
    // Without a robot's or a mobile's parts, whatever refers to them would be one more mistake.
    if (status != SN_OK &&
        (status != SN_ERROR_SCENE || !sn_robots_are_read(scene) || !sn_mobiles_are_read(scene))) {
        return status;
    }
    sn_status compiled = sn_resolve_compile(scene, errors);
    if (compiled == SN_OK) {
        compiled = sn_resolve_evaluate(scene, errors);
    }
    if (compiled == SN_ERROR_MEMORY) {
        return compiled;
    }
    sn_status structure = sn_check_structure(scene, errors);
    if (structure == SN_ERROR_MEMORY) {
        return structure;
    }
    status = status != SN_OK ? status : compiled != SN_OK ? compiled : structure;
    if (status != SN_OK) {
        return status;
    }
    sn_resolve_commit(scene);
    sn_robots_place(scene, false);
    status = sn_mobiles_place(scene, false, errors);
    status = status == SN_OK ? sn_check_values(scene, errors) : status;
    if (status == SN_OK) {
        status = sn_check_meshes(scene, false, errors);
        sn_swap_meshes(scene);
    }
    status = status == SN_OK ? sn_check_masses(scene, errors) : status;
    return status == SN_OK ? sn_check_assembly(scene, errors) : status;
}

static const char *title_of(sn_scene *scene, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *start = slash != NULL ? slash + 1 : name;
    const char *dot = strrchr(start, '.');
    return sn_arena_text(&scene->arena, start,
                         dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start));
}

// The scene's own copies of its options.
static bool keep_options(sn_scene *scene, const sn_scene_options *options)
{
    if (options == NULL) {
        return true;
    }
    scene->sealed = options->sealed;
    scene->strict = options->strict;
    scene->filling = options->filling;
    scene->filling_user = options->filling_user;
    if (options->cache != NULL) {
        scene->cache = sn_arena_text(&scene->arena, options->cache, strlen(options->cache));
        if (scene->cache == NULL) {
            return false;
        }
    }
    size_t count = (size_t)options->package_count;
    sn_package *packages = sn_arena_allocate(&scene->arena, (count + 1) * sizeof *packages);
    for (size_t i = 0; packages != NULL && i < count; ++i) {
        const sn_package *from = &options->packages[i];
        packages[i].name = sn_arena_text(&scene->arena, from->name, strlen(from->name));
        packages[i].folder = sn_arena_text(&scene->arena, from->folder, strlen(from->folder));
        if (packages[i].name == NULL || packages[i].folder == NULL) {
            return false;
        }
    }
    scene->packages = packages;
    scene->package_count = packages != NULL ? (int)count : 0;
    return packages != NULL;
}

static sn_status load(const char *name, const char *folder, size_t folder_length, const char *text,
                      size_t length, const sn_scene_options *options, sn_scene **result,
                      sn_error_list *errors)
{
    sn_scene *scene = sn_allocate_zero(sizeof *scene);
    if (scene == NULL) {
        return sn_error_list_memory(errors);
    }
    const char *own_name = sn_arena_text(&scene->arena, name, strlen(name));
    const char *own_folder = sn_arena_text(&scene->arena, folder, folder_length);
    scene->file_name = title_of(scene, name);
    sn_status status = SN_ERROR_MEMORY;
    if (keep_options(scene, options) && own_name != NULL && own_folder != NULL &&
        scene->file_name != NULL && sn_item_prepare(scene, sn_scene_table(), &scene->root.item)) {
        status = sn_load_text(scene, own_name, own_folder, text, length, options, errors);
        status = finish(scene, status, errors);
    }
    if (status != SN_OK) {
        sn_scene_destroy(scene);
        return status == SN_ERROR_MEMORY ? sn_error_list_memory(errors) : status;
    }
    *result = scene;
    return SN_OK;
}

sn_status sn_scene_load_text(const char *name, const char *text, size_t length,
                             const sn_scene_options *options, sn_scene **scene,
                             sn_error_list *errors)
{
    *scene = NULL;
    const char *folder = options != NULL && options->folder != NULL ? options->folder : "";
    return load(name, folder, strlen(folder), text, length, options, scene, errors);
}

sn_status sn_scene_load_file(const char *path, const sn_scene_options *options, sn_scene **scene,
                             sn_error_list *errors)
{
    *scene = NULL;
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    // One spelling of the path, so that an include of this very file is recognised.
    char *clean = sn_path_join("", path);
    if (clean == NULL) {
        return sn_error_list_memory(errors);
    }
    sn_status status = sn_path_read(path, SN_JSON_SIZE_LIMIT, &text, &length, &error);
    if (status == SN_OK) {
        status =
            load(clean, clean, sn_path_folder_length(clean), text, length, options, scene, errors);
    } else if (status == SN_ERROR_MEMORY) {
        status = sn_error_list_memory(errors);
    } else {
        status = sn_error_list_add_error(errors, &error);
    }
    sn_free(text);
    sn_free(clean);
    return status;
}

static void free_shapes(sn_item_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        sn_shape_item *shape = (sn_shape_item *)list->data[i];
        sn_mesh_release(shape->mesh);
        sn_mesh_release(shape->next_mesh);
        sn_height_field_release(shape->field);
        sn_height_field_release(shape->next_field);
    }
    sn_array_free(list);
}

static void free_elastic(sn_body_item *body)
{
    sn_tetrahedra_item *mesh = sn_body_item_mesh(body);
    if (mesh != NULL) {
        sn_tetrahedra_release(mesh->made);
        sn_tetrahedra_release(mesh->next);
        sn_mesh_release(mesh->surface);
        sn_mesh_release(mesh->next_surface);
    }
    free_shapes(&body->display);
    sn_array_free(&body->mesh);
    sn_array_free(&body->fixed);
    sn_array_free(&body->damping);
    sn_array_free(&body->surface);
}

static void free_joint(sn_joint_item *joint)
{
    for (int i = 0; i < joint->drive.count; ++i) {
        sn_array_free(&((sn_drive_item *)joint->drive.data[i])->motion.own);
    }
    sn_array_free(&joint->surface);
    sn_array_free(&joint->limit);
    sn_array_free(&joint->drive);
}

static void free_statements(sn_item_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        free_statements(&((sn_statement_item *)list->data[i])->then);
        free_statements(&((sn_statement_item *)list->data[i])->otherwise);
    }
    sn_array_free(list);
}

static void free_behaviour(sn_behaviour_item *behaviour)
{
    free_statements(&behaviour->statements);
    sn_array_free(&behaviour->variables);
    sn_array_free(&behaviour->readings);
}

void sn_scene_destroy(sn_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        free_shapes(&SN_BODY(scene, i)->shape);
        free_shapes(&SN_BODY(scene, i)->shapes);
        free_elastic(SN_BODY(scene, i));
    }
    for (int i = 0; i < scene->root.joints.count; ++i) {
        free_joint(SN_JOINT(scene, i));
    }
    for (int i = 0; i < scene->root.fields.count; ++i) {
        sn_array_free(&SN_FIELD(scene, i)->wind.strength.own);
        sn_array_free(&SN_FIELD(scene, i)->load.vertices);
    }
    for (int i = 0; i < scene->root.couplings.count; ++i) {
        sn_array_free(&SN_COUPLING(scene, i)->terms);
    }
    for (int i = 0; i < scene->root.bonds.count; ++i) {
        sn_array_free(&SN_BONDING(scene, i)->vertices);
    }
    for (int i = 0; i < scene->root.behaviours.count; ++i) {
        free_behaviour(SN_BEHAVIOUR(scene, i));
    }
    sn_mobiles_free(scene);
    sn_root_item *root = &scene->root;
    sn_item_list *lists[] = {&root->params,    &root->materials, &root->motions, &root->bodies,
                             &root->joints,    &root->couplings, &root->bonds,   &root->robots,
                             &root->mobiles,   &root->fields,    &root->probes,  &root->events,
                             &root->behaviours};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        sn_array_free(lists[i]);
    }
    for (int i = 0; i < scene->bindings.count; ++i) {
        sn_expression_free(&scene->bindings.data[i].expression);
    }
    for (int i = 0; i < scene->formulas.count; ++i) {
        sn_expression_free(&scene->formulas.data[i]->expression);
    }
    sn_array_free(&scene->formulas);
    sn_array_free(&scene->bindings);
    sn_array_free(&scene->motions);
    sn_array_free(&scene->sources);
    sn_error_list_free(&scene->notes);
    sn_arena_free(&scene->arena);
    sn_free(scene);
}

// ---- asking ----

const char *sn_scene_name(const sn_scene *scene)
{
    return scene->root.name != NULL ? scene->root.name : scene->file_name;
}

const char *sn_scene_description(const sn_scene *scene)
{
    return scene->root.description != NULL ? scene->root.description : "";
}

const sn_error_list *sn_scene_notes(const sn_scene *scene)
{
    return &scene->notes;
}

sn_run sn_scene_run(const sn_scene *scene)
{
    const sn_run_item *run = &scene->root.run;
    sn_run result = {.time = run->time,
                     .step = run->step,
                     .policy = (sn_policy)run->policy,
                     .integrator = (sn_integrator)run->integrator,
                     .relative_tolerance = run->relative_tolerance,
                     .absolute_tolerance = run->absolute_tolerance,
                     .record_step = run->record_step < run->step ? run->step : run->record_step,
                     .threads = (int)run->threads,
                     .seed = (uint64_t)run->seed};
    return result;
}

sn_camera sn_scene_camera(const sn_scene *scene)
{
    const sn_camera_item *camera = &scene->root.camera;
    sn_camera result = {sn_item_gives(&scene->root.item, "camera"), camera->position,
                        camera->target, camera->field_of_view};
    return result;
}

// ---- params ----

int sn_scene_param_count(const sn_scene *scene)
{
    return scene->root.params.count;
}

sn_param sn_scene_param(const sn_scene *scene, int index)
{
    if (index < 0 || index >= scene->root.params.count) {
        return (sn_param){.name = "", .label = "", .unit = ""};
    }
    const sn_param_item *param = SN_PARAM(scene, index);
    sn_param result = {
        .name = param->name,
        .label = param->label != NULL ? param->label : param->name,
        .unit = param->unit_text != NULL ? param->unit_text : "",
        .value = sn_param_in_unit(param, &param->value),
        .minimum = sn_item_gives(&param->item, "min") ? sn_param_in_unit(param, &param->minimum)
                                                      : -INFINITY,
        .maximum = sn_item_gives(&param->item, "max") ? sn_param_in_unit(param, &param->maximum)
                                                      : INFINITY};
    return result;
}

// Everything that a new value of a param touches, with the old numbers back in place when something
// does not fit.
static sn_status resolve_again(sn_scene *scene, sn_error_list *errors)
{
    sn_status status = sn_resolve_evaluate(scene, errors);
    if (status != SN_OK) {
        return status;
    }
    sn_resolve_commit(scene);
    sn_robots_place(scene, true);
    status = sn_mobiles_place(scene, true, errors);
    status = status == SN_OK ? sn_check_values(scene, errors) : status;
    status = status == SN_OK ? sn_check_meshes(scene, true, errors) : status;
    if (status == SN_OK) {
        sn_swap_meshes(scene);
        status = sn_check_masses(scene, errors);
        status = status == SN_OK ? sn_check_assembly(scene, errors) : status;
        if (status != SN_OK) {
            sn_swap_meshes(scene);
        }
    }
    sn_drop_meshes(scene);
    if (status != SN_OK) {
        sn_resolve_revert(scene);
        sn_robots_place(scene, true);
        // The numbers before were sound; only lack of memory could leave others behind.
        if (sn_mobiles_place(scene, true, NULL) == SN_ERROR_MEMORY) {
            status = SN_ERROR_MEMORY;
        }
    }
    return status;
}

sn_status sn_scene_set_param(sn_scene *scene, const char *name, double value, sn_error *error)
{
    int index = 0;
    while (index < scene->root.params.count && strcmp(SN_PARAM(scene, index)->name, name) != 0) {
        index += 1;
    }
    if (index == scene->root.params.count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "the scene has no param \"%.60s\"", name);
    }
    sn_param_item *param = SN_PARAM(scene, index);
    if (param->value.binding > 0) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, NULL,
            "the param \"%s\" is computed as \"=%.100s\", expected one that has a value of its own",
            name, scene->bindings.data[param->value.binding - 1].text);
    }
    if (!isfinite(value)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "the param \"%s\" needs a finite number",
                       name);
    }
    sn_quantity_value before = param->value;
    param->value = (sn_quantity_value){.number = value};
    sn_error_list errors = {0};
    sn_status status = resolve_again(scene, &errors);
    if (status != SN_OK) {
        if (error != NULL && errors.count > 0) {
            *error = errors.items[0];
        } else if (status == SN_ERROR_MEMORY) {
            sn_fail_memory(error, 0);
        }
        param->value = before;
        // The values before were sound, so that this only restores them.
        (void)sn_resolve_evaluate(scene, NULL);
    }
    sn_error_list_free(&errors);
    return status;
}
