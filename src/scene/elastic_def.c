#include "scene/elastic_def.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/rayleigh.h"
#include "scene/elastic_mesh.h"
#include "scene/shape_mesh.h"

void sn_elastic_parts_free(sn_elastic_parts *parts)
{
    sn_free(parts->materials);
    sn_free(parts->fixed);
    sn_free(parts->looks);
    sn_mesh_release(parts->display);
    *parts = (sn_elastic_parts){0};
}

// ---- materials ----

static sn_elastic_material material_of(const sn_material_item *item)
{
    sn_elastic_material material = sn_default_elastic_material();
    if (item == NULL) {
        return material;
    }
    sn_elastic_law law =
        sn_item_gives(&item->item, "law") ? (sn_elastic_law)item->law : material.elastic.law;
    material.elastic = sn_elastic_from_young(law, item->young, item->poisson);
    if (sn_item_gives(&item->item, "bulk")) {
        material.elastic.bulk = item->bulk;
        material.elastic.shear = item->shear;
    }
    if (sn_item_gives(&item->item, "fibre")) {
        material.elastic.fibre_stiffness = item->fibre.stiffness;
        material.elastic.fibre = sn_normalize(item->fibre.direction);
    }
    material.density = item->density;
    material.viscosity = (sn_viscosity){item->viscosity.volume, item->viscosity.shape};
    material.plastic = (sn_plastic){item->plastic.yield_stress, item->plastic.creep_rate,
                                    item->plastic.hardening, item->plastic.limit};
    return material;
}

static sn_status find_materials(const sn_body_item *body, sn_elastic_parts *parts,
                                sn_elastic_def *def, sn_error *error)
{
    int count = body->materials.count > 0 ? body->materials.count : 1;
    parts->materials = sn_allocate((size_t)count * sizeof *parts->materials);
    if (parts->materials == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *parts->materials);
    }
    for (int i = 0; i < count; ++i) {
        parts->materials[i] =
            material_of(body->materials.count > 0 ? body->material_items[i] : body->material_item);
    }
    def->materials = parts->materials;
    def->material_count = count;
    return SN_OK;
}

// ---- choices of vertices ----

#define BORDER 1e-6 // of the body's size: what rounding may have moved over it

static bool is_chosen(const sn_choice_item *choice, sn_vec3 x, double slack)
{
    sn_vec3 from = sn_vec3_sub(x, choice->position);
    sn_vec3 half = sn_vec3_scale(0.5, choice->extent);
    switch (choice->item.table->id) {
    case SN_SCENE_CHOICE_BOX:
        return fabs(from.x) <= half.x + slack && fabs(from.y) <= half.y + slack &&
               fabs(from.z) <= half.z + slack;
    case SN_SCENE_CHOICE_SPHERE:
        return sn_length(from) <= choice->radius + slack;
    default:
        return sn_dot(sn_normalize(choice->extent), from) >= -slack;
    }
}

static double size_of(const sn_tetrahedra *mesh)
{
    const sn_vec3 *x = sn_tetrahedra_positions(mesh);
    sn_vec3 lower = x[0], upper = x[0];
    for (int i = 1; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        lower = sn_vec3_min(lower, x[i]);
        upper = sn_vec3_max(upper, x[i]);
    }
    return sn_distance(lower, upper);
}

// Marks the vertices of one choice; how many it holds, or -1 and the error.
static int mark_choice(const sn_choice_item *choice, const sn_tetrahedra *mesh, uint8_t *marks,
                       sn_error *error)
{
    int count = sn_tetrahedra_vertex_count(mesh), held = 0;
    if (choice->item.table->id == SN_SCENE_CHOICE_VERTICES) {
        for (int i = 0; i < choice->vertices.count; ++i) {
            double number = choice->vertices.data[i];
            if (number != floor(number) || number >= count) {
                sn_fail(error, SN_ERROR_SCENE, NULL,
                        "there is no vertex %g, expected whole numbers from 0 to %d", number,
                        count - 1);
                return -1;
            }
            marks[(int)number] = 1;
        }
        return choice->vertices.count;
    }
    double slack = BORDER * size_of(mesh);
    for (int i = 0; i < count; ++i) {
        if (is_chosen(choice, sn_tetrahedra_positions(mesh)[i], slack)) {
            marks[i] = 1;
            held += 1;
        }
    }
    if (held == 0) {
        sn_fail(error, SN_ERROR_SCENE, NULL,
                "no vertex of the mesh lies there, expected at least one; places are in the frame "
                "of the body at rest");
        return -1;
    }
    return held;
}

sn_status sn_mark_choices(const sn_scene *scene, const char *who, const sn_item_list *choices,
                          const sn_tetrahedra *mesh, uint8_t *marks, sn_error *error)
{
    for (int i = 0; i < choices->count; ++i) {
        const sn_choice_item *choice = (const sn_choice_item *)choices->data[i];
        sn_error inner = {0};
        if (mark_choice(choice, mesh, marks, &inner) < 0) {
            char place[SN_PLACE_SIZE];
            return sn_fail(error, SN_ERROR_SCENE, sn_place_text(scene, choice->item.place, place),
                           "%s: %s", who, inner.text);
        }
    }
    return SN_OK;
}

static sn_status find_fixed(const sn_scene *scene, const sn_body_item *body,
                            const sn_tetrahedra *mesh, sn_elastic_parts *parts, sn_elastic_def *def,
                            sn_error *error)
{
    size_t count = (size_t)sn_tetrahedra_vertex_count(mesh);
    uint8_t *marks = sn_allocate_zero(count);
    parts->fixed = sn_allocate(count * sizeof *parts->fixed);
    if (marks == NULL || parts->fixed == NULL) {
        sn_free(marks);
        return sn_fail_memory(error, count * sizeof *parts->fixed);
    }
    char who[160];
    snprintf(who, sizeof who, "body '%.120s'", body->name);
    sn_status status = sn_mark_choices(scene, who, &body->fixed, mesh, marks, error);
    for (size_t i = 0; i < count; ++i) {
        if (marks[i]) {
            parts->fixed[def->fixed_count++] = (int)i;
        }
    }
    def->fixed = parts->fixed;
    sn_free(marks);
    return status;
}

// ---- damping, surface, look ----

static sn_status find_damping(const sn_scene *scene, const sn_body_item *body, sn_elastic_def *def,
                              sn_error *error)
{
    if (body->damping.count == 0) {
        return SN_OK;
    }
    const sn_rayleigh_item *item = (const sn_rayleigh_item *)body->damping.data[0];
    def->mass_damping = item->mass;
    def->stiffness_damping = item->stiffness;
    if (item->frequencies.count == 0) {
        return SN_OK;
    }
    const double *f = item->frequencies.data, *ratio = item->ratios.data;
    sn_rayleigh found = sn_rayleigh_from_ratios(f[0], ratio[0], f[1], ratio[1]);
    def->mass_damping = found.mass_rate;
    def->stiffness_damping = found.stiffness_time;
    if (f[0] != f[1] && found.mass_rate >= 0.0 && found.stiffness_time >= 0.0) {
        return SN_OK;
    }
    char place[SN_PLACE_SIZE];
    return sn_fail(error, SN_ERROR_SCENE,
                   sn_place_text(scene, sn_item_place(&item->item, "ratios"), place),
                   f[0] == f[1] ? "body '%s': the two frequencies are the same, expected different "
                                  "ones"
                                : "body '%s': these ratios need negative damping in between, "
                                  "expected ratios that differ less than the frequencies",
                   body->name);
}

sn_surface sn_body_item_surface(const sn_body_item *body)
{
    sn_surface surface = sn_default_surface();
    const sn_material_item *material = body->material_item;
    if (material != NULL) {
        surface.friction = material->friction;
        surface.restitution = material->restitution;
        surface.rolling_friction = material->rolling_friction;
        surface.spinning_friction = material->spinning_friction;
    }
    surface.group = 1;
    surface.meets = 0xFFFFFFFF;
    if (body->surface.count == 0) {
        return surface;
    }
    const sn_skin_item *skin = (const sn_skin_item *)body->surface.data[0];
    const struct {
        const char *key;
        double *target, own;
    } numbers[] = {
        {"friction", &surface.friction, skin->friction},
        {"restitution", &surface.restitution, skin->restitution},
        {"rolling_friction", &surface.rolling_friction, skin->rolling_friction},
        {"spinning_friction", &surface.spinning_friction, skin->spinning_friction},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (sn_item_gives(&skin->item, numbers[i].key)) {
            *numbers[i].target = numbers[i].own;
        }
    }
    surface.group = skin->group_bits;
    surface.meets = skin->meets_bits;
    return surface;
}

static void wear_material(const sn_material_item *material, sn_look *look)
{
    if (material == NULL) {
        return;
    }
    look->roughness = material->roughness;
    look->metallic = material->metallic;
    if (sn_item_gives(&material->item, "colour")) {
        look->colour = material->colour;
    }
}

// Regions look as their materials do, but for what the body or what is seen of it says itself.
static sn_status find_looks(const sn_body_item *body, sn_elastic_parts *parts, sn_elastic_def *def,
                            sn_error *error)
{
    size_t count = (size_t)body->materials.count;
    const sn_shape_item *shape =
        body->display.count > 0 ? (const sn_shape_item *)body->display.data[0] : NULL;
    bool own = sn_item_gives(&body->item, "colour") ||
               (shape != NULL &&
                (sn_item_gives(&shape->item, "colour") || sn_item_gives(&shape->item, "material")));
    if (count < 2 || own) {
        return SN_OK;
    }
    parts->looks = sn_allocate(count * sizeof *parts->looks);
    if (parts->looks == NULL) {
        return sn_fail_memory(error, count * sizeof *parts->looks);
    }
    for (size_t i = 0; i < count; ++i) {
        parts->looks[i] = sn_default_elastic_def().look;
        wear_material(body->material_items[i], &parts->looks[i]);
    }
    def->region_looks = parts->looks;
    return SN_OK;
}

static sn_status find_display(const sn_body_item *body, sn_elastic_parts *parts,
                              sn_elastic_def *def, sn_error *error)
{
    wear_material(body->material_item, &def->look);
    if (sn_item_gives(&body->item, "colour")) {
        def->look.colour = body->colour;
    }
    sn_status status = find_looks(body, parts, def, error);
    if (status != SN_OK) {
        return status;
    }
    if (body->display.count == 0) { // a filled surface is seen as it was given
        parts->display = sn_mesh_retain(sn_body_item_mesh(body)->surface);
        def->display = parts->display;
        return SN_OK;
    }
    sn_shape shape = sn_shape_item_shape(body, (const sn_shape_item *)body->display.data[0]);
    def->look = (sn_look){shape.colour, shape.roughness, shape.metallic};
    sn_mesh *mesh = NULL;
    status = sn_shape_mesh(&shape, 0.0, &mesh, error);
    if (status == SN_OK) {
        status = sn_mesh_transformed(mesh, sn_vec3_make(1.0, 1.0, 1.0), shape.frame,
                                     &parts->display, error);
    }
    sn_mesh_release(mesh);
    def->display = parts->display;
    return status;
}

// ---- all ----

static sn_status check_listed(const sn_scene *scene, const sn_body_item *body,
                              const sn_tetrahedra *mesh, sn_error *error)
{
    const sn_vector_list *lists[] = {&body->positions, &body->velocities};
    static const char *const keys[] = {"positions", "velocities"};
    int count = sn_tetrahedra_vertex_count(mesh);
    for (int i = 0; i < 2; ++i) {
        if (lists[i]->count > 0 && lists[i]->count != count) {
            char place[SN_PLACE_SIZE];
            return sn_fail(error, SN_ERROR_SCENE,
                           sn_place_text(scene, sn_item_place(&body->item, keys[i]), place),
                           "body '%s': \"%s\" lists %d, and the mesh has %d vertices", body->name,
                           keys[i], lists[i]->count, count);
        }
    }
    return SN_OK;
}

sn_status sn_body_item_elastic(const sn_scene *scene, const sn_body_item *body,
                               sn_elastic_parts *parts, sn_elastic_def *def, sn_error *error)
{
    sn_tetrahedra *mesh = sn_body_item_mesh(body)->made;
    *parts = (sn_elastic_parts){0};
    *def = sn_default_elastic_def();
    def->name = body->name;
    def->mesh = mesh;
    def->frame.position = body->position;
    def->frame.rotation = sn_rotation_value_quat(&body->rotation);
    def->velocity = body->velocity;
    def->angular_velocity = sn_item_gives(&body->item, "body_angular_velocity")
                                ? sn_rotate(def->frame.rotation, body->body_angular_velocity)
                                : body->angular_velocity;
    def->positions = body->positions.count > 0 ? body->positions.data : NULL;
    def->velocities = body->velocities.count > 0 ? body->velocities.data : NULL;
    def->mass = (sn_elastic_mass)body->mass_matrix;
    def->solver = (sn_elastic_solver)body->solver;
    def->solver_tolerance = body->solver_tolerance;
    def->newton = (int)body->newton;
    def->integrator = (sn_integrator)body->integrator;
    def->relative_tolerance = body->relative_tolerance;
    def->absolute_tolerance = body->absolute_tolerance;
    def->surface = sn_body_item_surface(body);
    def->meets_itself =
        body->surface.count > 0 && ((const sn_skin_item *)body->surface.data[0])->self;
    sn_status status = find_materials(body, parts, def, error);
    status = status == SN_OK ? check_listed(scene, body, mesh, error) : status;
    status = status == SN_OK ? find_fixed(scene, body, mesh, parts, def, error) : status;
    status = status == SN_OK ? find_damping(scene, body, def, error) : status;
    return status == SN_OK ? find_display(body, parts, def, error) : status;
}
