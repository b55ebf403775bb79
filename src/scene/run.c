// How a scene is run, when the one who runs it decides otherwise than the file.
#include <math.h>

#include "base/error.h"
#include "scene/parse.h"

// Each number against the range that the table gives its key.
static sn_status check(const sn_run_item *run, sn_error *error)
{
    const sn_object *table = run->item.table;
    for (int i = 0; i < sn_object_key_count(table); ++i) {
        const sn_key *key = sn_object_key(table, i);
        const char *member = (const char *)run + key->offset;
        char text[160];
        if (key->type == SN_KEY_ENUM) {
            int words = 0;
            while (key->words[words].word != NULL) {
                ++words;
            }
            if (*(const int *)member < 0 || *(const int *)member >= words) {
                return sn_fail(error, SN_ERROR_ARGUMENT, key->name,
                               "%d is none of the %d there are", *(const int *)member, words);
            }
        } else if (!(*(const double *)member < HUGE_VAL) ||
                   !sn_key_check_range(key, *(const double *)member, text)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, key->name, "%s",
                           *(const double *)member < HUGE_VAL ? text : "must be finite");
        }
    }
    return SN_OK;
}

sn_status sn_scene_set_run(sn_scene *scene, const sn_run *run, sn_error *error)
{
    sn_run_item next = scene->root.run;
    next.time = run->time;
    next.step = run->step;
    next.record_step = run->record_step;
    next.policy = (int)run->policy;
    next.integrator = (int)run->integrator;
    next.relative_tolerance = run->relative_tolerance;
    next.absolute_tolerance = run->absolute_tolerance;
    next.threads = run->threads;
    next.seed = (double)run->seed;
    sn_status status = check(&next, error);
    if (status != SN_OK) {
        return status;
    }
    scene->root.run = next;
    // Every key counts as given from now on, so that the resolved text has it.
    for (int i = 0; i < sn_object_key_count(next.item.table); ++i) {
        sn_item_mark_given(&scene->root.run.item, i);
    }
    sn_item_mark_given(&scene->root.item, sn_object_find_key(scene->root.item.table, "run"));
    return SN_OK;
}
