// Motions: where their points come from, and that time goes forward in them.
#include <string.h>

#include "base/error.h"
#include "scene/checker.h"
#include "scene/error_list.h"
#include "scene/motion_def.h"

static void read_file(sn_checker *c, sn_motion_item *motion)
{
    sn_error error = {0};
    sn_status status = sn_motion_item_read(c->scene, motion, &error);
    if (status != SN_OK && status != SN_ERROR_MEMORY) {
        char where[SN_PLACE_SIZE];
        sn_place place = sn_item_place(&motion->item, "file");
        status = sn_error_list_add(c->errors, status, sn_place_text(c->scene, place, where), "%s",
                                   error.text);
        motion->item.faulty = true;
    }
    sn_checker_note(c, status);
}

void sn_check_motion(sn_checker *c, sn_motion_item *motion)
{
    const sn_item *item = &motion->item;
    if (item->faulty) {
        return;
    }
    bool points = sn_item_gives(item, "points"), file = sn_item_gives(item, "file");
    if (points == file) {
        sn_checker_fail(c, points ? sn_item_place(item, "file") : item->place,
                        points ? "a motion has both \"points\" and \"file\", expected one of them"
                               : "a motion needs \"points\", or a \"file\" that has them");
        motion->item.faulty = true;
        return;
    }
    static const char *const rates[] = {"start_rate", "end_rate"};
    for (int i = 0; i < 2 && motion->type != SN_MOTION_SPLINE; ++i) {
        if (sn_item_gives(item, rates[i])) {
            sn_checker_fail(c, sn_item_place(item, rates[i]),
                            "only a spline has a \"%s\"; expected none, or the type \"spline\"",
                            rates[i]);
        }
    }
    if (file) {
        read_file(c, motion);
    }
}

void sn_check_motion_name(sn_checker *c, const sn_item *item, const char *key, const char *name,
                          sn_motion_item **motion)
{
    if (name == NULL) {
        return;
    }
    uint32_t found = sn_name_table_find(&c->motions, name);
    size_t length = strlen(name);
    if (found > 0) {
        *motion = SN_MOTION(c->scene, found - 1);
    } else if (length > 4 && strcmp(name + length - 4, ".csv") == 0) {
        sn_checker_fail(c, sn_item_place(item, key),
                        "there is no motion \"%.60s\"; a file is given as {\"file\": \"%.60s\"}",
                        name, name);
    } else {
        sn_checker_fail_reference(c, sn_item_place(item, key), name, "motion",
                                  &c->scene->root.motions);
    }
}

void sn_check_wind_strength(sn_checker *c, sn_field_item *field)
{
    sn_wind_item *wind = &field->wind;
    sn_check_motion_name(c, &field->item, "strength", wind->strength.name, &wind->strength_item);
    const sn_motion_item *motion = wind->strength_item;
    for (int i = 0; motion != NULL && i < motion->points.count; ++i) {
        const sn_quantity_value *value = &motion->points.values[i];
        char name[96];
        if (value->has_dimension &&
            !sn_dimension_accepts(sn_dimension_powers(SN_NUMBER), value->dimension)) {
            sn_checker_fail(c, motion->points.places[i],
                            "\"strength\": expected a share of the speed, such as %s, got %s",
                            sn_dimension_example(SN_NUMBER),
                            sn_dimension_describe(value->dimension, name));
            return;
        }
    }
}

void sn_check_motion_values(sn_checker *c, const sn_motion_item *motion)
{
    const sn_course *points = &motion->points;
    for (int i = 1; i < points->count; ++i) {
        if (!(points->times[i] > points->times[i - 1])) {
            sn_checker_fail(c, points->places[i],
                            "point %d of the motion is at %g s, expected a time after the %g s of "
                            "the point before it",
                            i + 1, points->times[i], points->times[i - 1]);
            return;
        }
    }
    if (motion->repeats && points->count == 1) {
        sn_checker_fail(c, sn_item_place(&motion->item, "repeats"),
                        "a motion of one point has nothing to repeat, expected two or more");
    }
}
