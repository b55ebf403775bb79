// From a scene to a world.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/body_def.h"
#include "scene/bond_def.h"
#include "scene/elastic_def.h"
#include "scene/joint_def.h"
#include "scene/load_def.h"
#include "scene/motion_def.h"
#include "scene/script.h"
#include "scene/shape_mesh.h"
#include "scene/wind_def.h"

static sn_status place_error(const sn_scene *scene, const sn_item *item, sn_status status,
                             sn_error *error)
{
    return sn_place_error(scene, item->place, status, error);
}

static sn_status add_elastic(const sn_scene *scene, sn_world *world, const sn_body_item *item,
                             sn_body *body, sn_error *error)
{
    sn_elastic_def def;
    sn_elastic_parts parts;
    sn_status status = sn_body_item_elastic(scene, item, &parts, &def, error);
    if (status == SN_OK) {
        status =
            place_error(scene, &item->item, sn_world_add_elastic(world, &def, body, error), error);
    }
    sn_elastic_parts_free(&parts);
    return status;
}

static sn_status add_bodies(const sn_scene *scene, sn_world *world, sn_body *bodies,
                            sn_error *error)
{
    sn_shape_array shapes = {0};
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.bodies.count && status == SN_OK; ++i) {
        sn_body_def def;
        if (SN_BODY(scene, i)->type == SN_BODY_ELASTIC) {
            status = add_elastic(scene, world, SN_BODY(scene, i), &bodies[i], error);
            continue;
        }
        status = sn_body_item_def(scene, SN_BODY(scene, i), &shapes, &def, error);
        if (status == SN_OK) {
            status = sn_world_add_body(world, &def, &bodies[i], error);
            status = place_error(scene, &SN_BODY(scene, i)->item, status, error);
        }
    }
    sn_array_free(&shapes);
    return status;
}

static sn_body body_at(const sn_body *bodies, int index)
{
    return index >= 0 ? bodies[index] : (sn_body){0};
}

static sn_spring_def spring_def(const sn_field_item *field, const sn_body *bodies)
{
    sn_spring_def def = sn_default_spring_def();
    def.name = field->name;
    def.body_a = body_at(bodies, field->body_a);
    def.body_b = body_at(bodies, field->body_b);
    def.point_a = field->point_a;
    def.point_b = field->point_b;
    def.stiffness = field->stiffness;
    def.damping = field->damping;
    def.rest_length = field->rest_length;
    return def;
}

static sn_drag_def drag_def(const sn_field_item *field, const sn_body *bodies)
{
    sn_drag_def def = sn_default_drag_def();
    def.name = field->name;
    def.body = body_at(bodies, field->body_a);
    def.linear = field->linear;
    def.quadratic = field->quadratic;
    def.angular_linear = field->angular_linear;
    def.angular_quadratic = field->angular_quadratic;
    def.medium_velocity = field->medium_velocity;
    return def;
}

static void free_motions(const sn_scene *scene, sn_motion **motions)
{
    for (int i = 0; i < scene->motions.count && motions != NULL; ++i) {
        sn_motion_release(motions[i]);
    }
    sn_free(motions);
}

// Every motion of the scene, in its order; freed with free_motions, also after a failure.
static sn_status make_motions(const sn_scene *scene, sn_motion ***motions, sn_error *error)
{
    size_t bytes = ((size_t)scene->motions.count + 1) * sizeof(void *);
    *motions = sn_allocate_zero(bytes);
    if (*motions == NULL) {
        return sn_fail_memory(error, bytes);
    }
    sn_status status = SN_OK;
    for (int i = 0; i < scene->motions.count && status == SN_OK; ++i) {
        status = sn_motion_item_create(scene, scene->motions.data[i], &(*motions)[i], error);
    }
    return status;
}

static sn_status add_fields(const sn_scene *scene, sn_world *world, const sn_body *bodies,
                            sn_field *fields, sn_error *error)
{
    sn_motion **motions;
    sn_status status = make_motions(scene, &motions, error);
    for (int i = 0; i < scene->root.fields.count && status == SN_OK; ++i) {
        const sn_field_item *field = SN_FIELD(scene, i);
        if (field->item.table->id == SN_SCENE_SPRING) {
            sn_spring_def def = spring_def(field, bodies);
            status = sn_world_add_spring(world, &def, &fields[i], error);
        } else if (field->item.table->id == SN_SCENE_WIND) {
            sn_wind_def def = sn_wind_item_def(field, motions);
            status = sn_world_add_wind(world, &def, &fields[i], error);
        } else if (field->item.table->id == SN_SCENE_LOAD) {
            status = sn_load_item_add(scene, field, body_at(bodies, field->body_a), world,
                                      &fields[i], error);
        } else {
            sn_drag_def def = drag_def(field, bodies);
            status = sn_world_add_drag(world, &def, &fields[i], error);
        }
        if (field->item.table->id != SN_SCENE_LOAD) { // its choices have places of their own
            status = place_error(scene, &field->item, status, error);
        }
    }
    free_motions(scene, motions);
    return status;
}

// ---- joints ----

static sn_status add_joints(const sn_scene *scene, sn_world *world, const sn_body *bodies,
                            sn_joint *joints, sn_error *error)
{
    sn_motion **motions;
    sn_status status = make_motions(scene, &motions, error);
    for (int i = 0; i < scene->root.joints.count && status == SN_OK; ++i) {
        const sn_joint_item *item = SN_JOINT(scene, i);
        sn_joint_def def = sn_joint_item_def(scene, item, motions);
        def.parent = body_at(bodies, item->parent_body);
        def.child = body_at(bodies, item->child_body);
        status = place_error(scene, &item->item, sn_world_add_joint(world, &def, &joints[i], error),
                             error);
    }
    free_motions(scene, motions);
    return status;
}

// A gear of ratio r keeps a - r b.
static int coupling_terms(const sn_coupling_item *item, const sn_joint *joints,
                          sn_coupling_term *terms)
{
    if (sn_item_gives(&item->item, "gear")) {
        const sn_gear_item *gear = &item->gear;
        terms[0] = (sn_coupling_term){joints[gear->joint_a], 0, 1.0};
        terms[1] = (sn_coupling_term){joints[gear->joint_b], 0, -gear->ratio.number};
        return 2;
    }
    for (int i = 0; i < item->terms.count; ++i) {
        const sn_term_item *term = (const sn_term_item *)item->terms.data[i];
        terms[i] =
            (sn_coupling_term){joints[term->joint_order], term->freedom > 0 ? term->freedom - 1 : 0,
                               term->factor.number};
    }
    return item->terms.count;
}

static sn_status add_couplings(const sn_scene *scene, sn_world *world, const sn_joint *joints,
                               sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.couplings.count && status == SN_OK; ++i) {
        const sn_coupling_item *item = SN_COUPLING(scene, i);
        size_t bytes = ((size_t)item->terms.count + 2) * sizeof(sn_coupling_term);
        sn_coupling_term *terms = sn_allocate(bytes);
        if (terms == NULL) {
            return sn_fail_memory(error, bytes);
        }
        sn_coupling_def def = sn_default_coupling_def();
        def.name = item->name;
        def.terms = terms;
        def.term_count = coupling_terms(item, joints, terms);
        sn_coupling coupling;
        status = place_error(scene, &item->item,
                             sn_world_add_coupling(world, &def, &coupling, error), error);
        sn_free(terms);
    }
    return status;
}

// What does not fit is told by the name of a joint or a body; the file has its place.
static sn_status assemble(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_error inner = {0};
    sn_status status = sn_world_assemble(world, &inner);
    if (status == SN_OK) {
        return SN_OK;
    }
    const sn_item_list *lists[] = {&scene->root.joints, &scene->root.couplings,
                                   &scene->root.bodies};
    for (int k = 0; k < 3 && inner.place[0] != '\0'; ++k) {
        for (int i = 0; i < lists[k]->count; ++i) {
            const sn_named_item *named = (const sn_named_item *)lists[k]->data[i];
            if (strcmp(named->name, inner.place) == 0) {
                char place[SN_PLACE_SIZE];
                return sn_fail(error, status, sn_place_text(scene, named->item.place, place),
                               "%s: %s", inner.place, inner.text);
            }
        }
    }
    return sn_fail(error, status, inner.place, "%s", inner.text);
}

// Everything of the scene, by its index there.
typedef struct handles {
    sn_body *bodies;
    sn_field *fields;
    sn_joint *joints;
} handles;

static sn_probe probe_of(sn_target target, int quantity, const handles *all)
{
    sn_probe probe = {.quantity = (sn_quantity)quantity};
    if (target.body >= 0) {
        probe.body = all->bodies[target.body];
    } else if (target.field >= 0) {
        probe.field = all->fields[target.field];
    } else if (target.joint >= 0) {
        probe.joint = all->joints[target.joint];
    }
    return probe;
}

static sn_status add_events(const sn_scene *scene, sn_world *world, const handles *all,
                            sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.events.count && status == SN_OK; ++i) {
        const sn_event_item *item = SN_EVENT(scene, i);
        sn_event_def def = sn_default_event_def();
        def.name = item->name;
        def.probe = probe_of(item->target, item->quantity, all);
        if (item->target.bond >= 0) {
            def.probe.bond = sn_world_find_bond(world, SN_BONDING(scene, item->target.bond)->name);
        }
        def.probe.at_point = sn_item_gives(&item->item, "point");
        def.probe.point = item->point;
        def.threshold = item->threshold.number;
        static const sn_direction directions[] = {SN_DIRECTION_BOTH, SN_DIRECTION_RISING,
                                                  SN_DIRECTION_FALLING};
        static const sn_event_action actions[] = {SN_EVENT_MARK, SN_EVENT_STOP, SN_EVENT_START};
        def.direction = directions[item->direction];
        def.action = actions[item->action];
        sn_event event;
        status =
            place_error(scene, &item->item, sn_world_add_event(world, &def, &event, error), error);
    }
    return status;
}

// The diagonal of a mesh's box.
static double extent_of(const sn_tetrahedra *mesh)
{
    const sn_vec3 *x = sn_tetrahedra_positions(mesh);
    sn_aabb box = {x[0], x[0]};
    for (int i = 1; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        box.lower = sn_vec3_min(box.lower, x[i]);
        box.upper = sn_vec3_max(box.upper, x[i]);
    }
    return sn_distance(box.lower, box.upper);
}

// Points of elastic bodies are points of their material. One that is farther outside than the body
// is large is a slip of units.
static sn_status check_point(const sn_scene *scene, const sn_world *world, const sn_item *item,
                             sn_body body, sn_vec3 point, sn_error *error)
{
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
    if (mesh == NULL || !sn_item_gives(item, "point")) {
        return SN_OK;
    }
    sn_embedding embedding;
    sn_status status = sn_embedding_create(mesh, &point, 1, &embedding, error);
    if (status != SN_OK) {
        return status;
    }
    double off = embedding.farthest, size = extent_of(mesh);
    sn_embedding_free(&embedding);
    if (off <= size) {
        return SN_OK;
    }
    char text[SN_PLACE_SIZE];
    return sn_fail(error, SN_ERROR_SCENE, sn_place_text(scene, sn_item_place(item, "point"), text),
                   "\"point\" is %.3g m outside of \"%.80s\", which is %.3g m large; expected a "
                   "point of its material",
                   off, sn_body_name(world, body), size);
}

static sn_status check_points(const sn_scene *scene, const sn_world *world, const handles *all,
                              sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.probes.count && status == SN_OK; ++i) {
        const sn_probe_item *item = SN_PROBE(scene, i);
        if (item->target.body >= 0) {
            status = check_point(scene, world, &item->item, all->bodies[item->target.body],
                                 item->point, error);
        }
    }
    for (int i = 0; i < scene->root.events.count && status == SN_OK; ++i) {
        const sn_event_item *item = SN_EVENT(scene, i);
        if (item->target.body >= 0) {
            status = check_point(scene, world, &item->item, all->bodies[item->target.body],
                                 item->point, error);
        }
    }
    return status;
}

static sn_status fill_with(const sn_scene *scene, sn_world *world, const handles *all,
                           sn_error *error)
{
    sn_status status = add_bodies(scene, world, all->bodies, error);
    status = status == SN_OK ? add_joints(scene, world, all->bodies, all->joints, error) : status;
    status = status == SN_OK ? add_couplings(scene, world, all->joints, error) : status;
    status = status == SN_OK ? add_fields(scene, world, all->bodies, all->fields, error) : status;
    status = status == SN_OK ? sn_bonds_build(scene, world, error) : status;
    status = status == SN_OK ? check_points(scene, world, all, error) : status;
    status = status == SN_OK ? add_events(scene, world, all, error) : status;
    status = status == SN_OK ? sn_scripts_build(scene, world, error) : status;
    return status == SN_OK ? assemble(scene, world, error) : status;
}

static sn_status fill(const sn_scene *scene, sn_world *world, sn_error *error)
{
    const sn_root_item *root = &scene->root;
    size_t body_bytes = ((size_t)root->bodies.count + 1) * sizeof(sn_body);
    handles all = {
        .bodies = sn_allocate_zero(body_bytes),
        .fields = sn_allocate_zero(((size_t)root->fields.count + 1) * sizeof(sn_field)),
        .joints = sn_allocate_zero(((size_t)root->joints.count + 1) * sizeof(sn_joint)),
    };
    sn_status status = all.bodies != NULL && all.fields != NULL && all.joints != NULL
                           ? fill_with(scene, world, &all, error)
                           : sn_fail_memory(error, body_bytes);
    sn_free(all.bodies);
    sn_free(all.fields);
    sn_free(all.joints);
    return status;
}

static sn_contact_def contact_def(const sn_scene *scene)
{
    const sn_contact_item *item = &scene->root.contact;
    sn_contact_def def = sn_default_contact_def();
    def.method = (sn_contact_method)item->method;
    def.substeps = (int)item->substeps;
    def.exact_limit = (int)item->exact_limit;
    def.heap_limit = (int)item->heap_limit;
    def.within = item->within;
    def.sleep = item->sleep;
    def.stiffness = item->stiffness;
    def.damping = item->damping;
    def.bounds = (sn_contact_bounds)item->bounds;
    return def;
}

sn_status sn_scene_build(const sn_scene *scene, sn_world **world, sn_error *error)
{
    *world = NULL;
    sn_run run = sn_scene_run(scene);
    sn_world_def def = sn_default_world_def();
    def.gravity = scene->root.gravity;
    def.policy = run.policy;
    def.integrator = run.integrator;
    def.relative_tolerance = run.relative_tolerance;
    def.absolute_tolerance = run.absolute_tolerance;
    def.threads = run.threads;
    def.seed = run.seed;
    def.contact = contact_def(scene);
    sn_air_def air = sn_air_item_def(&scene->root.air);
    sn_status status = sn_world_create(&def, world, error);
    status = status == SN_OK ? sn_world_set_air(*world, &air, error) : status;
    status = status == SN_OK ? fill(scene, *world, error) : status;
    if (status != SN_OK) {
        sn_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

// A freedom as it is to be: a drive that behaviours steer stays as they left it, and a motion that
// has not changed stays the one that the world knows.
static sn_freedom_def updated_freedom(const sn_joint_item *item, const sn_freedom_def *wanted,
                                      const sn_drive_def *now)
{
    sn_freedom_def freedom = *wanted;
    if (item->steered) {
        freedom.drive = *now;
    } else if (sn_motion_same(wanted->drive.motion, now->motion)) {
        freedom.drive.motion = now->motion;
    }
    return freedom;
}

static sn_status update_joints(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_motion **motions;
    sn_status status = make_motions(scene, &motions, error);
    for (int i = 0; i < scene->root.joints.count && status == SN_OK; ++i) {
        const sn_joint_item *item = SN_JOINT(scene, i);
        sn_joint joint = sn_world_find_joint(world, item->name);
        sn_joint_def def = sn_joint_item_def(scene, item, motions);
        for (int k = 0; k < sn_joint_type_freedoms(def.type) && status == SN_OK; ++k) {
            sn_drive_def now = sn_joint_drive(world, joint, k);
            sn_freedom_def freedom = updated_freedom(item, &def.freedom[k], &now);
            status = place_error(scene, &item->item,
                                 sn_joint_set_freedom(world, joint, k, &freedom, error), error);
        }
    }
    free_motions(scene, motions);
    return status;
}

// A wind whose strength has not changed keeps the motion that the world knows.
static sn_status update_wind(const sn_field_item *item, sn_motion *const *motions, sn_world *world,
                             sn_field field, sn_error *error)
{
    sn_wind_def def = sn_wind_item_def(item, motions);
    const sn_wind *now = sn_world_wind(world, field);
    if (now != NULL && sn_motion_same(def.strength, sn_wind_def_of(now).strength)) {
        def.strength = sn_wind_def_of(now).strength;
    }
    return sn_world_set_wind(world, field, &def, error);
}

static sn_status update_fields(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_motion **motions;
    sn_status status = make_motions(scene, &motions, error);
    for (int i = 0; i < scene->root.fields.count && status == SN_OK; ++i) {
        const sn_field_item *item = SN_FIELD(scene, i);
        sn_field field = sn_world_find_field(world, item->name);
        sn_body ends[2] = {{0}, {0}};
        const int indices[2] = {item->body_a, item->body_b};
        for (int k = 0; k < 2; ++k) {
            if (indices[k] >= 0) {
                ends[k] = sn_world_find_body(world, SN_BODY(scene, indices[k])->name);
            }
        }
        // Indices 0 and 1 of `ends` stand for the two bodies.
        sn_field_item local = *item;
        local.body_a = item->body_a >= 0 ? 0 : -1;
        local.body_b = item->body_b >= 0 ? 1 : -1;
        if (item->item.table->id == SN_SCENE_SPRING) {
            sn_spring_def def = spring_def(&local, ends);
            status = sn_world_set_spring(world, field, &def, error);
        } else if (item->item.table->id == SN_SCENE_WIND) {
            status = update_wind(item, motions, world, field, error);
        } else if (item->item.table->id == SN_SCENE_LOAD) {
            status = sn_world_set_load(world, field, item->load.force, item->load.moment, error);
        } else {
            sn_drag_def def = drag_def(&local, ends);
            status = sn_world_set_drag(world, field, &def, error);
        }
    }
    free_motions(scene, motions);
    return status;
}

static bool same_surface(const sn_surface *a, const sn_surface *b)
{
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling_friction == b->rolling_friction &&
           a->spinning_friction == b->spinning_friction && a->velocity.x == b->velocity.x &&
           a->velocity.y == b->velocity.y && a->velocity.z == b->velocity.z &&
           a->group == b->group && a->meets == b->meets && a->sensor == b->sensor;
}

static sn_status update_surfaces(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.bodies.count && status == SN_OK; ++i) {
        const sn_body_item *item = SN_BODY(scene, i);
        const sn_item_list *shapes = sn_body_item_shapes(item);
        sn_body body = sn_world_find_body(world, item->name);
        if (item->type == SN_BODY_ELASTIC) {
            sn_surface now = sn_body_skin(world, body), wanted = sn_body_item_surface(item);
            status = same_surface(&now, &wanted)
                         ? SN_OK
                         : place_error(scene, &item->item,
                                       sn_body_set_skin(world, body, &wanted, error), error);
            continue;
        }
        for (int k = 0; k < shapes->count && status == SN_OK; ++k) {
            const sn_shape_item *from = (const sn_shape_item *)shapes->data[k];
            const sn_shape *now = sn_body_shape(world, body, k);
            sn_surface wanted = sn_shape_item_surface(item, from);
            if (now != NULL && !same_surface(&now->surface, &wanted)) {
                status = place_error(scene, &from->item,
                                     sn_body_set_surface(world, body, k, &wanted, error), error);
            }
        }
    }
    return status;
}

// The method stays as the world was made with; its numbers may have changed.
static sn_status update_contact(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_contact_def now = sn_world_contact_def(world), wanted = contact_def(scene);
    wanted.method = now.method;
    wanted.sleep = now.sleep;
    bool same = now.substeps == wanted.substeps && now.exact_limit == wanted.exact_limit &&
                now.heap_limit == wanted.heap_limit && now.stiffness == wanted.stiffness &&
                now.damping == wanted.damping && now.bounds == wanted.bounds;
    return same ? SN_OK
                : place_error(scene, &scene->root.contact.item,
                              sn_world_set_contact_def(world, &wanted, error), error);
}

sn_status sn_scene_update(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_world_set_gravity(world, scene->root.gravity);
    sn_scripts_update(scene, world);
    sn_status status = update_joints(scene, world, error);
    status = status == SN_OK ? update_fields(scene, world, error) : status;
    status = status == SN_OK ? sn_bonds_update(scene, world, error) : status;
    status = status == SN_OK ? update_surfaces(scene, world, error) : status;
    sn_air_def air = sn_air_item_def(&scene->root.air);
    status = status == SN_OK ? sn_world_set_air(world, &air, error) : status;
    return status == SN_OK ? update_contact(scene, world, error) : status;
}

int sn_scene_probe_count(const sn_scene *scene)
{
    return scene->root.probes.count;
}

sn_status sn_scene_probe(const sn_scene *scene, const sn_world *world, int index,
                         sn_named_probe *probe, sn_error *error)
{
    if (index < 0 || index >= scene->root.probes.count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "there is no probe %d, expected 0 to %d",
                       index, scene->root.probes.count - 1);
    }
    const sn_probe_item *item = SN_PROBE(scene, index);
    *probe =
        (sn_named_probe){.name = item->name, .probe = {.quantity = (sn_quantity)item->quantity}};
    probe->probe.at_point = sn_item_gives(&item->item, "point");
    probe->probe.point = item->point;
    if (item->target.body >= 0) {
        probe->probe.body = sn_world_find_body(world, SN_BODY(scene, item->target.body)->name);
    } else if (item->target.field >= 0) {
        probe->probe.field = sn_world_find_field(world, SN_FIELD(scene, item->target.field)->name);
    } else if (item->target.joint >= 0) {
        probe->probe.joint = sn_world_find_joint(world, SN_JOINT(scene, item->target.joint)->name);
    } else if (item->target.bond >= 0) {
        probe->probe.bond = sn_world_find_bond(world, SN_BONDING(scene, item->target.bond)->name);
    }
    return sn_probe_check(world, &probe->probe, error);
}
