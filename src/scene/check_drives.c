// Limits and drives of joints: of which freedom they are, what their numbers are of, and whether
// they fit together.
#include <math.h>
#include <string.h>

#include "scene/checker.h"

// ---- which freedom ----

bool sn_item_is_empty(const sn_item *item)
{
    for (int i = 0; i < sn_object_key_count(item->table); ++i) {
        if (item->places[i].line > 0 &&
            strcmp(sn_object_key(item->table, i)->name, "freedom") != 0) {
            return false;
        }
    }
    return true;
}

// A list is either one object for each freedom, or each says its own; no freedom has two.
static bool check_list(sn_checker *c, const sn_joint_item *joint, const char *key,
                       const sn_item_list *list)
{
    const char *word = sn_joint_type_word((sn_joint_type)joint->type);
    int freedoms = sn_joint_type_freedoms((sn_joint_type)joint->type), numbered = 0;
    int owners[7] = {0}; // the object of each freedom, counted from 1
    if (freedoms == 0) {
        sn_checker_fail(c, sn_item_place(&joint->item, key),
                        "a %s joint has no freedoms, expected no \"%s\"", word, key);
        return false;
    }
    for (int i = 0; i < list->count; ++i) {
        const sn_freedom_item *item = (const sn_freedom_item *)list->data[i];
        if (item->freedom > freedoms) {
            sn_checker_fail(c, sn_item_place(&item->item, "freedom"),
                            "\"freedom\": a %s has %d, got %d", word, freedoms, item->freedom);
            return false;
        }
        if (item->freedom > 0 && owners[item->freedom] > 0) {
            sn_checker_fail(c, sn_item_place(&item->item, "freedom"),
                            "freedom %d of \"%.60s\" has two %ss, expected one", item->freedom,
                            joint->name, key);
            return false;
        }
        owners[item->freedom] = i + 1;
        numbered += item->freedom > 0;
    }
    if (!list->single && numbered != list->count && (numbered > 0 || list->count != freedoms)) {
        sn_checker_fail(c, sn_item_place(&joint->item, key),
                        "\"%s\": expected one object, or %d for the freedoms of a %s, or each with "
                        "its \"freedom\"; got %d, %d of them with it",
                        key, freedoms, word, list->count, numbered);
        return false;
    }
    return true;
}

// First of the three turns that a ball is, 6 when the joint has none.
static int ball_of(const sn_joint_item *joint)
{
    return joint->type == SN_JOINT_BALL ? 0 : (joint->type == SN_JOINT_FREE ? 3 : 6);
}

// ---- limits ----

static bool gives_range(const sn_limit_item *limit)
{
    return sn_item_gives(&limit->item, "lower") || sn_item_gives(&limit->item, "upper");
}

// The turns of a ball have one limit, the greatest angle; it is given with the first of them.
static void check_ball_limit(sn_checker *c, const sn_joint_item *joint, const sn_limit_item *limit,
                             int freedom, bool alone)
{
    int ball = ball_of(joint);
    if (freedom > ball && alone && !sn_item_is_empty(&limit->item)) {
        sn_checker_fail(c, limit->item.place,
                        "the three turns of a ball have one limit, expected it for freedom %d, "
                        "got it for %d",
                        ball + 1, freedom + 1);
    } else if (freedom == ball && (alone || ball == 0) && sn_item_gives(&limit->item, "lower")) {
        sn_checker_fail(c, sn_item_place(&limit->item, "lower"),
                        "\"lower\": the limit of a ball is the greatest angle of its turn, "
                        "expected \"upper\" alone");
    }
}

static void check_limit_keys(sn_checker *c, const sn_limit_item *limit)
{
    const sn_item *item = &limit->item;
    bool soft = sn_item_gives(item, "stiffness");
    if (!gives_range(limit) && !sn_item_is_empty(item)) {
        sn_checker_fail(c, item->place, "a limit needs \"lower\" or \"upper\", or both");
    }
    if (soft && sn_item_gives(item, "restitution")) {
        sn_checker_fail(c, sn_item_place(item, "restitution"),
                        "a limit has both \"stiffness\" and \"restitution\"; expected it to be "
                        "soft or hard");
    }
    if (!soft && sn_item_gives(item, "damping")) {
        sn_checker_fail(c, sn_item_place(item, "damping"),
                        "a hard limit has no \"damping\"; expected none, or \"stiffness\" beside "
                        "it");
    }
}

static bool check_limit_units(sn_checker *c, const sn_joint_item *joint, int freedom,
                              const sn_limit_item *limit)
{
    const sn_item *item = &limit->item;
    const struct {
        const char *key;
        const sn_quantity_value *value;
        sn_dimension_id sliding, turning;
    } rows[] = {
        {"lower", &limit->lower, SN_LENGTH, SN_ANGLE},
        {"upper", &limit->upper, SN_LENGTH, SN_ANGLE},
        {"stiffness", &limit->stiffness, SN_STIFFNESS, SN_ANGULAR_STIFFNESS},
        {"damping", &limit->damping, SN_DAMPING, SN_ANGULAR_DAMPING},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; ++i) {
        good = sn_check_freedom_unit(c, joint, freedom, rows[i].key, rows[i].value,
                                     sn_item_place(item, rows[i].key), rows[i].sliding,
                                     rows[i].turning);
    }
    return good;
}

void sn_check_limits(sn_checker *c, const sn_joint_item *joint)
{
    const sn_item_list *list = &joint->limit;
    if (list->count == 0 || !check_list(c, joint, "limit", list)) {
        return;
    }
    for (int i = 0; i < list->count; ++i) {
        check_limit_keys(c, (const sn_limit_item *)list->data[i]);
    }
    bool good = true;
    for (int i = 0; i < sn_joint_type_freedoms((sn_joint_type)joint->type) && good; ++i) {
        const sn_limit_item *limit = (const sn_limit_item *)sn_item_of_freedom(list, i);
        if (limit != NULL) {
            check_ball_limit(c, joint, limit, i, !list->single || limit->freedom > 0);
            good = check_limit_units(c, joint, i, limit);
        }
    }
}

// ---- numbers of limits ----

static const char *unit_of(const sn_joint_item *joint, int freedom)
{
    return sn_joint_type_turns((sn_joint_type)joint->type, freedom) ? "rad" : "m";
}

void sn_check_limit_start(sn_checker *c, const sn_joint_item *joint, int freedom, double position)
{
    const sn_limit_item *limit = (const sn_limit_item *)sn_item_of_freedom(&joint->limit, freedom);
    if (limit == NULL || limit->stiffness.number > 0.0) { // a soft limit may be passed
        return;
    }
    const char *unit = unit_of(joint, freedom);
    const sn_quantity_value *ends[] = {&limit->lower, &limit->upper};
    static const char *const keys[] = {"lower", "upper"};
    for (int i = 0; i < 2; ++i) {
        double end = ends[i]->number;
        double beyond = i == 0 ? end - position : position - end;
        if (sn_item_gives(&limit->item, keys[i]) && beyond > 1e-9 * (1.0 + fabs(end))) {
            sn_checker_fail(c, sn_item_place(&limit->item, keys[i]),
                            "the joint \"%.60s\" starts at %g %s in freedom %d, beyond its %s "
                            "limit of %g %s; expected a start within its limits",
                            joint->name, position, unit, freedom + 1, keys[i], end, unit);
        }
    }
}

void sn_check_limit_values(sn_checker *c, const sn_joint_item *joint)
{
    for (int i = 0; i < joint->limit.count; ++i) {
        const sn_limit_item *limit = (const sn_limit_item *)joint->limit.data[i];
        if (sn_item_gives(&limit->item, "lower") && sn_item_gives(&limit->item, "upper") &&
            limit->lower.number > limit->upper.number) {
            const char *unit = unit_of(joint, limit->freedom > 0 ? limit->freedom - 1 : i);
            sn_checker_fail(c, sn_item_place(&limit->item, "lower"),
                            "the lower limit of \"%.60s\", %g %s, is above the upper one, %g %s",
                            joint->name, limit->lower.number, unit, limit->upper.number, unit);
            return;
        }
    }
    // A joint that stands once in the world is at zero there.
    bool frames =
        sn_item_gives(&joint->item, "parent_frame") || sn_item_gives(&joint->item, "child_frame");
    for (int i = 0; i < sn_joint_type_freedoms((sn_joint_type)joint->type) && !frames; ++i) {
        sn_check_limit_start(c, joint, i, 0.0);
    }
}

// ---- drives ----

static bool fail_key(sn_checker *c, const sn_drive_item *drive, const char *key, const char *of)
{
    if (!sn_item_gives(&drive->item, key)) {
        return false;
    }
    sn_checker_fail(c, sn_item_place(&drive->item, key),
                    "a %s drive has no \"%s\"; expected none, or the type %s",
                    sn_drive_type_word((sn_drive_type)drive->type), key, of);
    return true;
}

static void check_drive_keys(sn_checker *c, const sn_drive_item *drive)
{
    const sn_item *item = &drive->item;
    const char *word = sn_drive_type_word((sn_drive_type)drive->type);
    bool target = sn_item_gives(item, "target"), motion = sn_item_gives(item, "motion");
    if (target == motion) {
        sn_checker_fail(c, target ? sn_item_place(item, "motion") : item->place,
                        target ? "a %s drive has both \"target\" and \"motion\", expected one of "
                                 "them"
                               : "a %s drive needs \"target\" or \"motion\"",
                        word);
    }
    bool position = drive->type == SN_DRIVE_POSITION;
    if (position && !sn_item_gives(item, "stiffness") && !sn_item_gives(item, "damping")) {
        sn_checker_fail(c, item->place,
                        "a position drive needs \"stiffness\" or \"damping\", or both: without "
                        "them it does nothing");
    }
    if (!position) {
        fail_key(c, drive, "stiffness", "\"position\"");
        fail_key(c, drive, "damping", "\"position\"");
    }
    if (!position && drive->type != SN_DRIVE_VELOCITY) {
        fail_key(c, drive, "force_limit", "\"velocity\" or \"position\"");
    }
    if (drive->type == SN_DRIVE_MOTION && drive->motion_item != NULL &&
        drive->motion_item->type == SN_MOTION_STEP) {
        sn_checker_fail(c, sn_item_place(item, "motion"),
                        "a motion of type \"step\" jumps, and a motion drive follows exactly; "
                        "expected spline, smooth or linear, or a position drive");
    }
}

typedef struct target_unit {
    sn_dimension_id sliding, turning;
} target_unit;

static target_unit unit_of_target(sn_drive_type type)
{
    switch (type) {
    case SN_DRIVE_FORCE:
        return (target_unit){SN_FORCE, SN_TORQUE};
    case SN_DRIVE_VELOCITY:
        return (target_unit){SN_SPEED, SN_ANGULAR_SPEED};
    case SN_DRIVE_NONE:
    case SN_DRIVE_POSITION:
    case SN_DRIVE_MOTION:
    case SN_DRIVE_TYPE_COUNT:
        break;
    }
    return (target_unit){SN_LENGTH, SN_ANGLE};
}

static bool check_rate_unit(sn_checker *c, const sn_joint_item *joint, const sn_motion_item *motion,
                            const char *key, const sn_quantity_value *rate, sn_dimension_id of)
{
    sn_dimension wanted = sn_dimension_powers(of);
    wanted.time = (int8_t)(wanted.time - 1);
    if (!rate->has_dimension || sn_dimension_accepts(wanted, rate->dimension)) {
        return true;
    }
    char name[96];
    sn_checker_fail(c, sn_item_place(&motion->item, key),
                    "\"%s\": the drive of \"%.60s\" follows values in %s, expected their rate, "
                    "got %s",
                    key, joint->name, sn_dimension_unit(of),
                    sn_dimension_describe(rate->dimension, name));
    return false;
}

static bool check_motion_units(sn_checker *c, const sn_joint_item *joint, int freedom,
                               const sn_drive_item *drive)
{
    const sn_motion_item *motion = drive->motion_item;
    target_unit unit = unit_of_target((sn_drive_type)drive->type);
    for (int i = 0; i < motion->points.count; ++i) {
        if (!sn_check_freedom_unit(c, joint, freedom, "motion", &motion->points.values[i],
                                   motion->points.places[i], unit.sliding, unit.turning)) {
            return false;
        }
    }
    sn_dimension_id of =
        sn_joint_type_turns((sn_joint_type)joint->type, freedom) ? unit.turning : unit.sliding;
    return check_rate_unit(c, joint, motion, "start_rate", &motion->start_rate, of) &&
           check_rate_unit(c, joint, motion, "end_rate", &motion->end_rate, of);
}

static bool check_drive_units(sn_checker *c, const sn_joint_item *joint, int freedom,
                              const sn_drive_item *drive)
{
    const sn_item *item = &drive->item;
    target_unit unit = unit_of_target((sn_drive_type)drive->type);
    const struct {
        const char *key;
        const sn_quantity_value *value;
        sn_dimension_id sliding, turning;
    } rows[] = {
        {"target", &drive->target, unit.sliding, unit.turning},
        {"stiffness", &drive->stiffness, SN_STIFFNESS, SN_ANGULAR_STIFFNESS},
        {"damping", &drive->damping, SN_DAMPING, SN_ANGULAR_DAMPING},
        {"force_limit", &drive->force_limit, SN_FORCE, SN_TORQUE},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; ++i) {
        good = sn_check_freedom_unit(c, joint, freedom, rows[i].key, rows[i].value,
                                     sn_item_place(item, rows[i].key), rows[i].sliding,
                                     rows[i].turning);
    }
    bool motion = drive->motion_item != NULL && !drive->motion_item->item.faulty;
    return good && (!motion || check_motion_units(c, joint, freedom, drive));
}

void sn_check_drives(sn_checker *c, const sn_joint_item *joint)
{
    const sn_item_list *list = &joint->drive;
    if (list->count == 0 || !check_list(c, joint, "drive", list)) {
        return;
    }
    for (int i = 0; i < list->count; ++i) {
        sn_drive_item *drive = (sn_drive_item *)list->data[i];
        sn_check_motion_name(c, &drive->item, "motion", drive->motion.name, &drive->motion_item);
        if (!sn_item_gives(&drive->item, "type") && !sn_item_is_empty(&drive->item)) {
            sn_checker_fail(c, drive->item.place,
                            "a drive needs the key \"type\": force, velocity, position or motion");
        } else if (drive->type != SN_DRIVE_NONE) {
            check_drive_keys(c, drive);
        }
    }
    bool good = true;
    for (int i = 0; i < sn_joint_type_freedoms((sn_joint_type)joint->type) && good; ++i) {
        const sn_drive_item *drive = (const sn_drive_item *)sn_item_of_freedom(list, i);
        if (drive != NULL && drive->type != SN_DRIVE_NONE) {
            good = check_drive_units(c, joint, i, drive);
        }
    }
}
