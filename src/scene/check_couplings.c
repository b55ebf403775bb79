// Couplings: the joints and freedoms that they tie, and that they tie something.
#include "scene/checker.h"

// A freedom that has a coordinate of its own: not one of a ball's turns.
static void check_freedom(sn_checker *c, const sn_item *item, const char *key, int joint,
                          int freedom)
{
    const sn_joint_item *tied = SN_JOINT(c->scene, joint);
    sn_joint_type type = (sn_joint_type)tied->type;
    int freedoms = sn_joint_type_freedoms(type);
    if (tied->item.faulty) {
        return;
    }
    if (freedom >= freedoms) {
        sn_checker_fail(c, sn_item_place(item, key),
                        "a coupling ties freedom %d of \"%.60s\", and a %s has %d", freedom + 1,
                        tied->name, sn_joint_type_word(type), freedoms);
    } else if (type == SN_JOINT_BALL || (type == SN_JOINT_FREE && freedom >= 3)) {
        sn_checker_fail(c, sn_item_place(item, key),
                        "a coupling ties freedom %d of \"%.60s\", a turn of a ball, which has no "
                        "angle of its own; expected another freedom or joint",
                        freedom + 1, tied->name);
    }
}

static void check_terms(sn_checker *c, const sn_coupling_item *coupling)
{
    for (int i = 0; i < coupling->terms.count; ++i) {
        sn_term_item *term = (sn_term_item *)coupling->terms.data[i];
        int freedom = term->freedom > 0 ? term->freedom - 1 : 0;
        term->joint_order = sn_checker_find_joint(c, &term->item, "joint", term->joint);
        if (term->joint_order < 0) {
            continue;
        }
        check_freedom(c, &term->item, sn_item_gives(&term->item, "freedom") ? "freedom" : "joint",
                      term->joint_order, freedom);
        for (int k = 0; k < i; ++k) {
            const sn_term_item *earlier = (const sn_term_item *)coupling->terms.data[k];
            int other = earlier->freedom > 0 ? earlier->freedom - 1 : 0;
            if (earlier->joint_order == term->joint_order && other == freedom) {
                sn_checker_fail(c, term->item.place,
                                "the coupling has freedom %d of \"%.60s\" twice, expected each "
                                "freedom once",
                                freedom + 1, term->joint);
                break;
            }
        }
    }
}

// A ratio is a's position over b's.
static void check_ratio_unit(sn_checker *c, const sn_gear_item *gear)
{
    bool a_turns = sn_joint_type_turns((sn_joint_type)SN_JOINT(c->scene, gear->joint_a)->type, 0);
    bool b_turns = sn_joint_type_turns((sn_joint_type)SN_JOINT(c->scene, gear->joint_b)->type, 0);
    sn_dimension wanted = {.length = (int8_t)(b_turns - a_turns),
                           .angle = (int8_t)(a_turns - b_turns)};
    const sn_quantity_value *ratio = &gear->ratio;
    if (ratio->has_dimension && !sn_dimension_accepts(wanted, ratio->dimension)) {
        char expected[96], name[96];
        sn_checker_fail(c, sn_item_place(&gear->item, "ratio"),
                        "\"ratio\": expected %s between these joints, got %s",
                        sn_dimension_describe(wanted, expected),
                        sn_dimension_describe(ratio->dimension, name));
    }
}

static void check_gear(sn_checker *c, sn_gear_item *gear)
{
    gear->joint_a = sn_checker_find_joint(c, &gear->item, "a", gear->a);
    gear->joint_b = sn_checker_find_joint(c, &gear->item, "b", gear->b);
    if (gear->joint_a < 0 || gear->joint_b < 0) {
        return;
    }
    if (gear->joint_a == gear->joint_b) {
        sn_checker_fail(c, sn_item_place(&gear->item, "b"),
                        "the gear joins \"%.60s\" to itself, expected two different joints",
                        gear->b);
        return;
    }
    check_freedom(c, &gear->item, "a", gear->joint_a, 0);
    check_freedom(c, &gear->item, "b", gear->joint_b, 0);
    check_ratio_unit(c, gear);
}

void sn_check_coupling(sn_checker *c, sn_coupling_item *coupling)
{
    const sn_item *item = &coupling->item;
    if (item->faulty) {
        return;
    }
    bool terms = sn_item_gives(item, "terms"), gear = sn_item_gives(item, "gear");
    if (terms == gear) {
        sn_checker_fail(c, terms ? sn_item_place(item, "gear") : item->place,
                        terms ? "a coupling has both \"terms\" and \"gear\", expected one of them"
                              : "a coupling needs \"terms\" or \"gear\"");
        return;
    }
    if (gear) {
        check_gear(c, &coupling->gear);
    } else {
        check_terms(c, coupling);
    }
}

void sn_check_coupling_values(sn_checker *c, const sn_coupling_item *coupling)
{
    for (int i = 0; i < coupling->terms.count; ++i) {
        const sn_term_item *term = (const sn_term_item *)coupling->terms.data[i];
        if (term->factor.number == 0.0) {
            sn_checker_fail(c, sn_item_place(&term->item, "factor"),
                            "\"factor\" is 0 and ties nothing, expected another number");
        }
    }
    if (sn_item_gives(&coupling->item, "gear") && coupling->gear.ratio.number == 0.0) {
        sn_checker_fail(c, sn_item_place(&coupling->gear.item, "ratio"),
                        "\"ratio\" is 0 and would hold the joint \"%.60s\" still, expected another "
                        "number",
                        coupling->gear.a);
    }
}
