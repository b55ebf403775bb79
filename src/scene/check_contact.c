// Contact: what a scene asks for and will not get. None of it is a mistake, all of it is noted.
#include "scene/checker.h"
#include "solve/contact_method.h"

// Impulses do not reach bodies whose integrators have stages: these would fall through the floor
// without a word.
static void note_method(sn_checker *c, int method, bool given)
{
    const sn_root_item *root = &c->scene->root;
    for (int i = 0; i < root->bodies.count && root->bodies.count > 1; ++i) {
        const sn_body_item *body = SN_BODY(c->scene, i);
        int integrator = sn_body_item_integrator(c->scene, body);
        bool elastic = body->type == SN_BODY_ELASTIC;
        bool solid =
            elastic || (body->type == SN_BODY_RIGID && sn_body_item_shapes(body)->count > 0);
        if (!solid || integrator < SN_INTEGRATOR_RK4) {
            continue;
        }
        sn_checker_remark(
            c,
            given ? sn_item_place(&root->contact.item, "method")
                  : sn_item_place(&body->item, "integrator"),
            "\"%.60s\" touches nothing: contact by the %s does not act on integrators with stages "
            "such as %s; expected the method %s\"springs\"",
            body->name, sn_contact_method_word((sn_contact_method)method),
            sn_integrator_word((sn_integrator)integrator), elastic ? "" : "\"penalty\" or ");
        return;
    }
}

// Penalty springs are between rigid shapes.
static void note_elastic(sn_checker *c)
{
    const sn_root_item *root = &c->scene->root;
    for (int i = 0; i < root->bodies.count && root->bodies.count > 1; ++i) {
        const sn_body_item *body = SN_BODY(c->scene, i);
        if (body->type != SN_BODY_ELASTIC) {
            continue;
        }
        bool staged = sn_body_item_integrator(c->scene, body) >= SN_INTEGRATOR_RK4;
        sn_checker_remark(c, sn_item_place(&root->contact.item, "method"),
                          "\"%.60s\" touches nothing: elastic bodies do not feel the method "
                          "\"penalty\"; expected \"%s\", or \"none\" to have it so",
                          body->name, staged ? "springs" : "solver");
        return;
    }
}

// A plane or a height field: what is there for others to lie on.
static bool is_floor(const sn_body_item *body)
{
    const sn_item_list *shapes = sn_body_item_shapes(body);
    bool floor = false;
    for (int i = 0; i < shapes->count; ++i) {
        int type = shapes->data[i]->table->id;
        floor = floor || type == SN_SHAPE_PLANE || type == SN_SHAPE_HEIGHT_FIELD;
    }
    return floor;
}

// In the precise policy nothing touches unless a method is chosen, which is right for linkages, but
// hardly meant where there is a floor.
static void note_floor(sn_checker *c)
{
    const sn_root_item *root = &c->scene->root;
    const sn_body_item *floor = NULL, *falls = NULL;
    for (int i = 0; i < root->bodies.count; ++i) {
        const sn_body_item *body = SN_BODY(c->scene, i);
        bool solid = body->type == SN_BODY_ELASTIC ||
                     (body->type == SN_BODY_RIGID && sn_body_item_shapes(body)->count > 0);
        floor = floor == NULL && is_floor(body) ? body : floor;
        falls = falls == NULL && solid ? body : falls;
    }
    if (floor != NULL && falls != NULL) {
        sn_checker_remark(
            c, floor->item.place,
            "\"%.60s\" passes through \"%.60s\": in the precise policy nothing touches unless a "
            "method of contact is chosen; expected \"contact\" with the method %s"
            "\"springs\", or \"none\" to have it so",
            falls->name, floor->name, falls->type == SN_BODY_ELASTIC ? "" : "\"penalty\" or ");
    }
}

// Numbers of one method are nothing to the others.
static void note_numbers(sn_checker *c, int method)
{
    static const char *const keys[] = {"stiffness", "damping"};
    const sn_item *item = &c->scene->root.contact.item;
    for (int i = 0; i < 2; ++i) {
        if (sn_item_gives(item, keys[i])) {
            sn_checker_remark(
                c, sn_item_place(item, keys[i]),
                "\"%s\" says nothing to the method \"%s\"; it is of \"penalty\" and \"springs\"",
                keys[i], sn_contact_method_word((sn_contact_method)method));
        }
    }
}

void sn_check_contact(sn_checker *c)
{
    const sn_root_item *root = &c->scene->root;
    sn_contact_method method = sn_contact_method_resolve((sn_contact_method)root->contact.method,
                                                         (sn_policy)root->run.policy);
    const sn_contact_traits *traits = &sn_contact_method_traits[method];
    bool given = (int)method == (int)root->contact.method;
    if (traits->strikes) {
        note_method(c, method, given);
    } else if (!given) {
        note_floor(c);
    } else if (!traits->skins) {
        note_elastic(c);
    }
    if (!traits->presses) {
        note_numbers(c, method);
    }
}
