// Joints: what they join, where they stand, and what their numbers are of.
#include <math.h>
#include <string.h>

#include "scene/check.h"
#include "scene/checker.h"
#include "scene/error_list.h"

// ---- structure ----

static bool gives_frames(const sn_joint_item *joint)
{
    return sn_item_gives(&joint->item, "parent_frame") ||
           sn_item_gives(&joint->item, "child_frame");
}

static void check_ends(sn_checker *c, sn_joint_item *joint)
{
    const sn_item *item = &joint->item;
    joint->parent_body = sn_checker_find_body(c, item, "parent", joint->parent, "world");
    joint->child_body = sn_checker_find_body(c, item, "child", joint->child, NULL);
    if (joint->child_body < 0) {
        return;
    }
    if (joint->parent_body == joint->child_body) {
        sn_checker_fail(c, sn_item_place(item, "child"),
                        "the joint joins \"%.60s\" to itself, expected two different bodies",
                        joint->child);
    } else if (SN_BODY(c->scene, joint->child_body)->type == SN_BODY_STATIC) {
        sn_checker_fail(c, sn_item_place(item, "child"),
                        "the child \"%.60s\" is static and cannot hang on anything; expected a "
                        "rigid body (make the static one the parent)",
                        joint->child);
    }
}

static void check_place(sn_checker *c, const sn_joint_item *joint)
{
    static const char *const in_world[] = {"at", "axis", "second_axis"};
    for (int i = 0; i < 3 && gives_frames(joint); ++i) {
        if (sn_item_gives(&joint->item, in_world[i])) {
            sn_checker_fail(c, sn_item_place(&joint->item, in_world[i]),
                            "a joint has both \"%s\" and \"parent_frame\" or \"child_frame\", "
                            "expected its place in one way",
                            in_world[i]);
        }
    }
}

// A list has a number for every freedom, each of that freedom's dimension.
static void check_springs(sn_checker *c, const sn_joint_item *joint, const char *key,
                          const sn_quantity_list *list, sn_dimension_id sliding,
                          sn_dimension_id turning)
{
    sn_joint_type type = (sn_joint_type)joint->type;
    int freedoms = sn_joint_type_freedoms(type);
    if (list->count == 0) {
        return;
    }
    if (freedoms == 0) {
        sn_checker_fail(c, sn_item_place(&joint->item, key),
                        "a %s joint has no freedoms, expected no \"%s\"", sn_joint_type_word(type),
                        key);
        return;
    }
    if (!list->single && list->count != freedoms) {
        sn_checker_fail(c, sn_item_place(&joint->item, key),
                        "\"%s\": expected one number, or %d for the freedoms of a %s, got %d", key,
                        freedoms, sn_joint_type_word(type), list->count);
        return;
    }
    for (int i = 0; i < freedoms; ++i) {
        const sn_quantity_value *value = &list->data[list->single ? 0 : i];
        sn_dimension_id wanted = sn_joint_type_turns(type, i) ? turning : sliding;
        char name[96];
        if (value->has_dimension &&
            !sn_dimension_accepts(sn_dimension_powers(wanted), value->dimension)) {
            sn_checker_fail(c, list->places[list->single ? 0 : i],
                            "\"%s\": expected %s in %s for freedom %d of a %s, got %s", key,
                            sn_dimension_name(wanted), sn_dimension_unit(wanted), i + 1,
                            sn_joint_type_word(type),
                            sn_dimension_describe(value->dimension, name));
            return;
        }
    }
}

void sn_check_joint(sn_checker *c, sn_joint_item *joint)
{
    check_ends(c, joint);
    if (joint->item.faulty) {
        return;
    }
    check_place(c, joint);
    bool screw = joint->type == SN_JOINT_SCREW;
    if (screw != sn_item_gives(&joint->item, "pitch")) {
        sn_checker_fail(c, sn_item_place(&joint->item, "pitch"),
                        screw ? "a screw needs the key \"pitch\", such as \"2 mm/rev\""
                              : "only a screw has a \"pitch\"; expected none, or the type "
                                "\"screw\"");
    }
    check_springs(c, joint, "stiffness", &joint->stiffness, SN_STIFFNESS, SN_ANGULAR_STIFFNESS);
    check_springs(c, joint, "damping", &joint->damping, SN_DAMPING, SN_ANGULAR_DAMPING);
    check_springs(c, joint, "rest", &joint->rest, SN_LENGTH, SN_ANGLE);
}

// ---- numbers ----

static bool has_direction(sn_vec3 v)
{
    double square = sn_dot(v, v);
    return square > 1e-200 && square < 1e200;
}

static void check_axes(sn_checker *c, const sn_joint_item *joint)
{
    const sn_item *item = &joint->item;
    bool second = sn_item_gives(item, "second_axis");
    const char *zero = !has_direction(joint->axis)                    ? "axis"
                       : second && !has_direction(joint->second_axis) ? "second_axis"
                                                                      : NULL;
    if (zero != NULL) {
        sn_checker_fail(c, sn_item_place(item, zero),
                        "\"%s\" has no direction, expected a length near 1", zero);
        return;
    }
    double cosine = sn_dot(sn_normalize(joint->axis), sn_normalize(joint->second_axis));
    if (second && fabs(cosine) > 1e-6) {
        sn_checker_fail(
            c, sn_item_place(item, "second_axis"),
            "\"second_axis\" must be perpendicular to \"axis\"; the cosine between them "
            "is %.3g",
            cosine);
    }
}

// A ball pulls back along its whole turn: it has one spring, without force where its frames meet.
static void check_ball(sn_checker *c, const sn_joint_item *joint)
{
    sn_joint_type type = (sn_joint_type)joint->type;
    int first = type == SN_JOINT_BALL ? 0 : 3;
    const sn_quantity_list *lists[] = {&joint->stiffness, &joint->damping, &joint->rest};
    static const char *const keys[] = {"stiffness", "damping", "rest"};
    for (int k = 0; k < 3 && (type == SN_JOINT_BALL || type == SN_JOINT_FREE); ++k) {
        const sn_quantity_list *list = lists[k];
        for (int i = first; i < first + 3 && list->count > 0; ++i) {
            int at = list->single ? 0 : i;
            double wanted = k == 2 ? 0.0 : list->data[list->single ? 0 : first].number;
            if (list->data[at].number != wanted) {
                sn_checker_fail(c, list->places[at],
                                k == 2 ? "\"%s\": the turns of a ball rest at 0, got %g"
                                       : "\"%s\": the three turns of a ball have one spring, "
                                         "expected the same number, got %g",
                                keys[k], list->data[at].number);
                break;
            }
        }
    }
}

void sn_check_joint_values(sn_checker *c, const sn_joint_item *joint)
{
    const sn_frame_item *frames[] = {&joint->parent_frame, &joint->child_frame};
    for (int i = 0; i < 2; ++i) {
        sn_checker_rotation(c, &frames[i]->item, &frames[i]->rotation);
    }
    check_axes(c, joint);
    check_ball(c, joint);
}

// ---- assembly ----

sn_status sn_check_assembly(const sn_scene *scene, sn_error_list *errors)
{
    if (scene->root.joints.count == 0) {
        return SN_OK;
    }
    sn_world *world = NULL;
    sn_error error = {0};
    sn_status status = sn_scene_build(scene, &world, &error);
    sn_world_destroy(world);
    if (status == SN_OK || status == SN_ERROR_MEMORY) {
        return status;
    }
    error.code = SN_ERROR_SCENE;
    return sn_error_list_add_error(errors, &error);
}
