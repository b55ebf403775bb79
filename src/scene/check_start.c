// What a scene's author may not have meant and only the world built from it tells: bodies that
// start in each other, steps too long for a body's integrator or for the swings of a mechanism.
#include <stdio.h>

#include "scene/error_list.h"
#include "scene/model.h"
#include "sinew/contact.h"

static sn_status remark(const sn_scene *scene, const sn_world *world, sn_error_list *notes,
                        sn_body body, const char *key, const char *text)
{
    int i = 0;
    while (i < sn_world_body_count(world) && sn_world_body(world, i).index != body.index) {
        i += 1;
    }
    char where[SN_PLACE_SIZE];
    const sn_item *item = scene->root.bodies.data[i]; // bodies are built in their order
    return sn_error_list_add(notes, SN_OK, sn_place_text(scene, sn_item_place(item, key), where),
                             "%s", text);
}

// ---- overlap ----

static sn_status note_overlaps(const sn_scene *scene, sn_world *world, sn_error_list *notes,
                               sn_error *error)
{
    enum { TOLD = 8 };
    sn_body_overlap overlaps[TOLD];
    int count = 0;
    sn_status status = sn_world_find_overlaps(world, overlaps, TOLD, &count, error);
    for (int i = 0; i < count && i < TOLD && status == SN_OK; ++i) {
        const sn_body_overlap *one = &overlaps[i];
        sn_vec3 p = one->position;
        char text[400], more[60] = "";
        if (i == TOLD - 1 && count > TOLD) {
            snprintf(more, sizeof more, " (and %d more pairs of bodies)", count - TOLD);
        }
        bool still = sn_body_get_type(world, one->body_b) == SN_BODY_STATIC;
        sn_body moved = still ? one->body_a : one->body_b,
                other = still ? one->body_b : one->body_a;
        snprintf(text, sizeof text,
                 "\"%.60s\" starts %.2g m deep in \"%.60s\", at [%.3g, %.3g, %.3g], and will be "
                 "pushed out; expected them apart, joined by a joint or a bond, or in groups that "
                 "do not meet%s",
                 sn_body_name(world, moved), one->depth, sn_body_name(world, other), p.x, p.y, p.z,
                 more);
        status = remark(scene, world, notes, moved, "position", text);
    }
    return status;
}

static sn_status note_left_out(const sn_scene *scene, sn_world *world, sn_error_list *notes,
                               sn_error *error)
{
    enum { TOLD = 8 };
    sn_left_out_pair pairs[TOLD];
    int count = 0;
    sn_status status = sn_world_find_left_out(world, pairs, TOLD, &count, error);
    for (int i = 0; i < count && i < TOLD && status == SN_OK; ++i) {
        char text[400], more[60] = "";
        if (i == TOLD - 1 && count > TOLD) {
            snprintf(more, sizeof more, " (and %d more pairs of bodies)", count - TOLD);
        }
        snprintf(text, sizeof text,
                 "\"%.60s\" starts in \"%.60s\" of the same mechanism, and they will pass through "
                 "each other; expected them apart, if they are to touch%s",
                 sn_body_name(world, pairs[i].body_b), sn_body_name(world, pairs[i].body_a), more);
        status = remark(scene, world, notes, pairs[i].body_b, "position", text);
    }
    return status;
}

// ---- steps ----

static sn_status note_step(const sn_scene *scene, const sn_world *world, sn_body body,
                           sn_error_list *notes)
{
    sn_run run = sn_scene_run(scene);
    double longest = sn_body_longest_step(world, body);
    if (!(run.step > longest)) {
        return SN_OK;
    }
    char text[320];
    snprintf(text, sizeof text,
             "\"%.60s\" will explode: the run's steps of %.3g s are too long for its explicit "
             "integrator, which bears %.2g s at most; expected shorter steps, a softer "
             "material, a coarser mesh, or an implicit integrator",
             sn_body_name(world, body), run.step, longest);
    return remark(scene, world, notes, body, "integrator", text);
}

// ---- swings ----

static sn_status note_swings(const sn_scene *scene, sn_world *world, sn_error_list *notes,
                             sn_error *error)
{
    enum { TOLD = 8 };
    sn_fast_swing swings[TOLD];
    int count = 0;
    double step = sn_scene_run(scene).step;
    sn_status status = sn_world_find_fast_swings(world, step, swings, TOLD, &count, error);
    for (int i = 0; i < count && i < TOLD && status == SN_OK; ++i) {
        const sn_fast_swing *one = &swings[i];
        char text[400];
        snprintf(text, sizeof text,
                 "\"%.60s\" swings under its load at %.3g Hz, which the run's steps of %.3g s "
                 "cannot resolve: %s; steps of %.3g s or shorter resolve it",
                 sn_body_name(world, one->body), one->frequency, step,
                 one->mass_scaled ? "inertia is added to slow it"
                                  : "its mechanism has loops and may shake",
                 0.995 * one->step); // below it also when rounded
        status = remark(scene, world, notes, one->body, "position", text);
    }
    return status;
}

sn_status sn_scene_check_start(const sn_scene *scene, sn_world *world, sn_error_list *notes,
                               sn_error *error)
{
    sn_status status = note_overlaps(scene, world, notes, error);
    status = status == SN_OK ? note_left_out(scene, world, notes, error) : status;
    for (int i = 0; i < sn_world_body_count(world) && status == SN_OK; ++i) {
        status = note_step(scene, world, sn_world_body(world, i), notes);
    }
    status = status == SN_OK ? note_swings(scene, world, notes, error) : status;
    return status;
}
