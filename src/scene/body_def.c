#include "scene/body_def.h"

#include "base/error.h"
#include "scene/shape_mesh.h"

static sn_mat3 given_inertia(const sn_number_list *list)
{
    const double *n = list->data;
    sn_mat3 inertia = sn_mat3_diagonal(sn_vec3_make(n[0], n[1], n[2]));
    if (list->count == 6) {
        inertia.m[0][1] = inertia.m[1][0] = n[3];
        inertia.m[0][2] = inertia.m[2][0] = n[4];
        inertia.m[1][2] = inertia.m[2][1] = n[5];
    }
    return inertia;
}

// What the shapes weigh, then what the body says instead.
static sn_status find_mass(const sn_scene *scene, const sn_body_item *body,
                           const sn_shape_array *shapes, sn_mass_properties *mass, sn_error *error)
{
    char place[SN_PLACE_SIZE];
    sn_error inner = {0};
    *mass = (sn_mass_properties){0};
    bool weighs = false;
    for (int i = 0; i < shapes->count; ++i) {
        weighs = weighs || sn_shape_touches(&shapes->data[i]);
    }
    if (weighs) {
        sn_status status = sn_shape_mass_properties(shapes->data, shapes->count, mass, &inner);
        if (status != SN_OK) {
            return sn_fail(error, status, sn_place_text(scene, body->item.place, place),
                           "body '%s': %s", body->name, inner.text);
        }
    }
    if (sn_item_gives(&body->item, "mass")) {
        double scale = mass->mass > 0.0 ? body->mass / mass->mass : 1.0;
        mass->inertia = sn_mat3_scale(scale, mass->inertia);
        mass->mass = body->mass;
    }
    if (sn_item_gives(&body->item, "centre")) {
        mass->centre = body->centre;
    }
    if (body->inertia.count > 0) {
        mass->inertia = given_inertia(&body->inertia);
    }
    const char *key = body->inertia.count > 0              ? "inertia"
                      : sn_item_gives(&body->item, "mass") ? "mass"
                                                           : "shape";
    sn_status status = sn_mass_properties_check(mass, &inner);
    if (status != SN_OK) {
        return sn_fail(error, SN_ERROR_SCENE,
                       sn_place_text(scene, sn_item_place(&body->item, key), place),
                       "body '%s': %s", body->name, inner.text);
    }
    return SN_OK;
}

sn_status sn_body_item_def(const sn_scene *scene, const sn_body_item *body, sn_shape_array *shapes,
                           sn_body_def *def, sn_error *error)
{
    const sn_item_list *items = sn_body_item_shapes(body);
    sn_array_clear(shapes);
    for (int i = 0; i < items->count; ++i) {
        if (!sn_array_push(shapes,
                           sn_shape_item_shape(body, (const sn_shape_item *)items->data[i]))) {
            return sn_fail_memory(error, sizeof(sn_shape));
        }
    }
    *def = sn_default_body_def();
    def->name = body->name;
    def->type = (sn_body_type)body->type;
    def->frame.position = body->position;
    def->frame.rotation = sn_rotation_value_quat(&body->rotation);
    def->velocity = body->velocity;
    def->angular_velocity = sn_item_gives(&body->item, "body_angular_velocity")
                                ? sn_rotate(def->frame.rotation, body->body_angular_velocity)
                                : body->angular_velocity;
    def->shapes = shapes->data;
    def->shape_count = shapes->count;
    def->integrator = (sn_integrator)body->integrator;
    def->relative_tolerance = body->relative_tolerance;
    def->absolute_tolerance = body->absolute_tolerance;
    if (body->type == SN_BODY_STATIC) {
        return SN_OK;
    }
    // Handed over also when the shapes alone decide, so that the world need not weigh them again.
    return find_mass(scene, body, shapes, &def->mass, error);
}
