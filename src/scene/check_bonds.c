// Checks of bonds: what they hold, keys that belong together, numbers that must fit.
#include <math.h>
#include <string.h>

#include "scene/checker.h"

static const sn_body_item *elastic_body(sn_checker *c, const sn_bonding_item *bond, const char *key,
                                        int index)
{
    if (index < 0) {
        return NULL;
    }
    const sn_body_item *body = SN_BODY(c->scene, index);
    if (!sn_body_item_may_be(body, SN_BODY_ELASTIC)) {
        sn_checker_fail(c, sn_item_place(&bond->item, key),
                        "\"%s\" names \"%.60s\", which is not elastic; a bond of the type %s "
                        "expects an elastic body there%s",
                        key, body->name, bond->item.table->word,
                        strcmp(key, "body") == 0 ? ", and the other one in \"to\"" : "");
        return NULL;
    }
    return body;
}

static void check_axes(sn_checker *c, const sn_bonding_item *bond)
{
    bool good = bond->axes == NULL || bond->axes[0] != '\0';
    for (const char *at = bond->axes; at != NULL && *at != '\0'; ++at) {
        good = good && strchr("xyz", *at) != NULL && strchr(at + 1, *at) == NULL;
    }
    if (!good) {
        sn_checker_fail(c, sn_item_place(&bond->item, "axes"),
                        "\"axes\": expected some of the letters x, y and z, such as \"xy\", got "
                        "\"%.20s\"",
                        bond->axes);
    }
}

static void check_path(sn_checker *c, const sn_bonding_item *bond)
{
    const sn_item *item = &bond->item;
    bool times = sn_item_gives(item, "times"), marks = sn_item_gives(item, "marks");
    if (times == marks) {
        sn_checker_fail(c, times ? sn_item_place(item, "marks") : item->place,
                        times ? "a path has both \"times\" and \"marks\", expected one of them"
                              : "a path needs \"times\" for its points, or \"marks\"");
        return;
    }
    int count = times ? bond->times.count : bond->marks.count;
    if (count != bond->points.count) {
        sn_checker_fail(c, sn_item_place(item, times ? "times" : "marks"),
                        "%d %s for %d points, expected one for each", count,
                        times ? "times" : "marks", bond->points.count);
    }
    static const char *const along[] = {"along", "along_rate"};
    for (int i = 0; i < 2 && times; ++i) {
        if (sn_item_gives(item, along[i])) {
            sn_checker_fail(c, sn_item_place(item, along[i]),
                            "\"%s\" goes with \"marks\", and this path has \"times\"", along[i]);
        }
    }
    static const char *const ends[] = {"start_velocity", "end_velocity"};
    for (int i = 0; i < 2 && bond->course != SN_MOTION_SPLINE; ++i) {
        if (sn_item_gives(item, ends[i])) {
            sn_checker_fail(c, sn_item_place(item, ends[i]),
                            "only a spline has a \"%s\"; expected none, or the course \"spline\"",
                            ends[i]);
        }
    }
    if (bond->repeats && count == 1) {
        sn_checker_fail(c, sn_item_place(item, "repeats"),
                        "a path of one point has nothing to repeat, expected two or more");
    }
}

static void check_one_of(sn_checker *c, const sn_item *item, const char *a, const char *b)
{
    bool has_a = sn_item_gives(item, a), has_b = sn_item_gives(item, b);
    if (has_a && has_b) {
        sn_checker_fail(c, sn_item_place(item, b),
                        "a bond has both \"%s\" and \"%s\", expected one of them", a, b);
    } else if (!has_a && !has_b) {
        sn_checker_fail(c, item->place, "a bond of the type %s needs \"%s\" or \"%s\"",
                        item->table->word, a, b);
    }
}

static void check_matrix(sn_checker *c, const sn_bonding_item *bond)
{
    if (bond->matrix.width != 3) {
        sn_checker_fail(c, sn_item_place(&bond->item, "matrix"),
                        "\"matrix\": rows of %d numbers, expected three rows of three",
                        bond->matrix.width);
    }
}

void sn_check_bond(sn_checker *c, sn_bonding_item *bond)
{
    const sn_item *item = &bond->item;
    int kind = item->table->id;
    bond->body_index = sn_checker_find_body(c, item, "body", bond->body, NULL);
    bond->to_index = sn_checker_find_body(c, item, "to", bond->to, "world");
    if (item->faulty) {
        return;
    }
    const sn_body_item *body = elastic_body(c, bond, "body", bond->body_index);
    if (body != NULL && bond->to_index == bond->body_index) {
        sn_checker_fail(c, sn_item_place(item, "to"),
                        "the bond joins \"%.60s\" to itself, expected another body", bond->to);
    }
    if (kind == SN_SCENE_BOND_COORDINATES) {
        check_axes(c, bond);
    } else if (kind == SN_SCENE_BOND_QUADRIC) {
        check_matrix(c, bond);
    } else if (kind == SN_SCENE_BOND_PATH) {
        check_path(c, bond);
    } else if (kind == SN_SCENE_BOND_RIGID || kind == SN_SCENE_BOND_VOLUME) {
        check_one_of(c, item, "vertices", "elements");
    } else if (kind == SN_SCENE_BOND_JUNCTION) {
        check_one_of(c, item, "vertices", "element");
        if (sn_item_gives(item, "element") != sn_item_gives(item, "to_element")) {
            sn_checker_fail(c, item->place, "\"element\" and \"to_element\" belong together");
        }
        if (bond->to_index < 0 && strcmp(bond->to, "world") == 0) {
            sn_checker_fail(c, sn_item_place(item, "to"),
                            "a junction joins two elastic bodies; to the world vertices are held "
                            "by a bond of the type attached");
        }
        elastic_body(c, bond, "to", bond->to_index);
    }
}

// ---- numbers ----

static void check_direction(sn_checker *c, const sn_bonding_item *bond, const char *key)
{
    if (!(sn_length(bond->normal) > 1e-100)) {
        sn_checker_fail(c, sn_item_place(&bond->item, key), "\"%s\" is zero, expected a direction",
                        key);
    }
}

void sn_check_bond_values(sn_checker *c, const sn_bonding_item *bond)
{
    const sn_item *item = &bond->item;
    int kind = item->table->id;
    sn_check_choices(c, &bond->vertices);
    if (sn_item_gives(item, "until") && !(bond->end > bond->start)) {
        sn_checker_fail(c, sn_item_place(item, "until"),
                        "it would hold from %g s until %g s, expected an end after the start",
                        bond->start, bond->end);
    }
    if (kind == SN_SCENE_BOND_PLANE || kind == SN_SCENE_BOND_CYLINDER) {
        check_direction(c, bond, kind == SN_SCENE_BOND_PLANE ? "normal" : "axis");
    }
    for (int i = 0; kind == SN_SCENE_BOND_QUADRIC && i < 3; ++i) {
        int j = (i + 1) % 3;
        double a = bond->matrix.data[3 * i + j], b = bond->matrix.data[3 * j + i];
        if (a != b) {
            sn_checker_fail(c, sn_item_place(item, "matrix"),
                            "\"matrix\" is not symmetric: %g in row %d, column %d, and %g across "
                            "from it",
                            a, i + 1, j + 1, b);
            break;
        }
    }
    const sn_number_list *marks = bond->times.count > 0 ? &bond->times : &bond->marks;
    for (int i = 1; i < marks->count; ++i) {
        if (!(marks->data[i] > marks->data[i - 1])) {
            sn_checker_fail(c, sn_item_place(item, marks == &bond->times ? "times" : "marks"),
                            "%g comes after %g, expected them to grow", marks->data[i],
                            marks->data[i - 1]);
            break;
        }
    }
}
