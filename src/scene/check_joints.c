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

// Keys that one type alone takes; it needs some of them.
static void check_own_keys(sn_checker *c, const sn_joint_item *joint)
{
    static const struct {
        const char *key;
        sn_joint_type type;
        bool needed;
        const char *example;
    } own[] = {
        {"pitch", SN_JOINT_SCREW, true, "\"2 mm/rev\""},
        {"length", SN_JOINT_DISTANCE, false, ""},
        {"curve", SN_JOINT_CURVE, true, "{\"points\": [[0, 0, 0], [1, 0, 0]]}"},
        {"surface", SN_JOINT_SURFACE, true, "{\"type\": \"sphere\", \"radius\": 1}"},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
        bool given = sn_item_gives(&joint->item, own[i].key);
        const char *word = sn_joint_type_word(own[i].type);
        if (given && joint->type != (int)own[i].type) {
            sn_checker_fail(c, sn_item_place(&joint->item, own[i].key),
                            "only a %s has a \"%s\"; expected none, or the type \"%s\"", word,
                            own[i].key, word);
        } else if (!given && own[i].needed && joint->type == (int)own[i].type) {
            sn_checker_fail(c, joint->item.place, "a %s needs the key \"%s\", such as %s", word,
                            own[i].key, own[i].example);
        }
    }
    // The child's end is its position, where the joint would be without "at": a rod of no length.
    if (joint->type == SN_JOINT_DISTANCE && !gives_frames(joint) &&
        !sn_item_gives(&joint->item, "at")) {
        sn_checker_fail(c, joint->item.place,
                        "a distance joint needs \"at\", where its rod ends on the parent, or "
                        "\"parent_frame\" and \"child_frame\"");
    }
}

bool sn_check_freedom_unit(sn_checker *c, const sn_joint_item *joint, int freedom, const char *key,
                           const sn_quantity_value *value, sn_place place, sn_dimension_id sliding,
                           sn_dimension_id turning)
{
    sn_joint_type type = (sn_joint_type)joint->type;
    sn_dimension_id wanted = sn_joint_type_turns(type, freedom) ? turning : sliding;
    char name[96];
    if (!value->has_dimension ||
        sn_dimension_accepts(sn_dimension_powers(wanted), value->dimension)) {
        return true;
    }
    sn_checker_fail(c, place, "\"%s\": expected %s in %s for freedom %d of a %s, got %s", key,
                    sn_dimension_name(wanted), sn_dimension_unit(wanted), freedom + 1,
                    sn_joint_type_word(type), sn_dimension_describe(value->dimension, name));
    return false;
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
        int at = list->single ? 0 : i;
        if (!sn_check_freedom_unit(c, joint, i, key, &list->data[at], list->places[at], sliding,
                                   turning)) {
            return;
        }
    }
}

// Where a joint stands is what its bodies say; only whole turns are left to tell.
static void check_start(sn_checker *c, const sn_joint_item *joint)
{
    sn_joint_type type = (sn_joint_type)joint->type;
    bool turns = type == SN_JOINT_HINGE || type == SN_JOINT_SCREW || type == SN_JOINT_CYLINDRICAL ||
                 type == SN_JOINT_UNIVERSAL || type == SN_JOINT_PLANAR;
    if (joint->start.count > 0 && !turns && sn_joint_type_freedoms(type) > 0) {
        sn_checker_fail(c, sn_item_place(&joint->item, "start"),
                        "a %s joint counts no turns, expected no \"start\": its bodies stand as "
                        "they do",
                        sn_joint_type_word(type));
    }
}

void sn_check_joint(sn_checker *c, sn_joint_item *joint)
{
    check_ends(c, joint);
    if (joint->item.faulty) {
        return;
    }
    check_place(c, joint);
    check_own_keys(c, joint);
    if (joint->type == SN_JOINT_CURVE && joint->curve.closed && joint->curve.points.count == 2) {
        sn_checker_fail(c, sn_item_place(&joint->curve.item, "points"),
                        "\"points\": a closed curve needs at least 3, got 2");
    }
    check_springs(c, joint, "stiffness", &joint->stiffness, SN_STIFFNESS, SN_ANGULAR_STIFFNESS);
    check_springs(c, joint, "damping", &joint->damping, SN_DAMPING, SN_ANGULAR_DAMPING);
    check_springs(c, joint, "rest", &joint->rest, SN_LENGTH, SN_ANGLE);
    check_springs(c, joint, "start", &joint->start, SN_LENGTH, SN_ANGLE);
    check_start(c, joint);
    check_springs(c, joint, "friction", &joint->friction, SN_FORCE, SN_TORQUE);
    sn_check_limits(c, joint);
    sn_check_drives(c, joint);
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
    const sn_quantity_list *lists[] = {&joint->stiffness, &joint->damping, &joint->rest,
                                       &joint->friction};
    static const char *const keys[] = {"stiffness", "damping", "rest", "friction"};
    for (int k = 0; k < 4 && (type == SN_JOINT_BALL || type == SN_JOINT_FREE); ++k) {
        const sn_quantity_list *list = lists[k];
        for (int i = first; i < first + 3 && list->count > 0; ++i) {
            int at = list->single ? 0 : i;
            double wanted = k == 2 ? 0.0 : list->data[list->single ? 0 : first].number;
            if (list->data[at].number != wanted) {
                sn_checker_fail(c, list->places[at],
                                k == 2 ? "\"%s\": the turns of a ball rest at 0, got %g"
                                       : "\"%s\": the three turns of a ball have one, expected "
                                         "the same number for all, got %g",
                                keys[k], list->data[at].number);
                break;
            }
        }
    }
}

// Points on top of each other leave the curve without direction there.
static void check_curve(sn_checker *c, const sn_curve_item *curve)
{
    const sn_vector_list *points = &curve->points;
    for (int i = 0; i < points->count; ++i) {
        int next = (i + 1) % points->count;
        if ((next > 0 || curve->closed) &&
            sn_distance(points->data[i], points->data[next]) == 0.0) {
            sn_checker_fail(c, sn_item_place(&curve->item, "points"),
                            "\"points\": points %d and %d of the curve are the same, expected "
                            "different ones",
                            i + 1, next + 1);
            return;
        }
    }
}

static void check_surface(sn_checker *c, const sn_surface_item *surface)
{
    if (surface->item.table->id == SN_SURFACE_TORUS && !(surface->tube_radius < surface->radius)) {
        sn_checker_fail(c, sn_item_place(&surface->item, "tube_radius"),
                        "\"tube_radius\" must be less than \"radius\", or the torus cuts through "
                        "itself");
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
    sn_check_limit_values(c, joint);
    if (joint->type == SN_JOINT_CURVE) {
        check_curve(c, &joint->curve);
    } else if (joint->type == SN_JOINT_SURFACE) {
        check_surface(c, (const sn_surface_item *)joint->surface.data[0]);
    }
}

// ---- assembly ----

sn_status sn_check_assembly(const sn_scene *scene, sn_error_list *errors)
{
    if (scene->root.joints.count == 0 && scene->root.bonds.count == 0) {
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
