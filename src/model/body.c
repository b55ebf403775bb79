// Bodies of a world: adding, removing, reading and placing them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/reach.h"
#include "model/display.h"
#include "model/form.h"
#include "model/world.h"

sn_body_def sn_default_body_def(void)
{
    return (sn_body_def){.type = SN_BODY_RIGID, .frame = SN_TRANSFORM_IDENTITY};
}

sn_body_record *sn_world_body_record(const sn_world *world, sn_body body)
{
    sn_id id = {body.index, body.generation};
    return sn_id_pool_has(&world->body_ids, id) ? &world->bodies.data[body.index] : NULL;
}

// ---- adding ----

static bool transform_is_finite(sn_transform t)
{
    return sn_vec3_is_finite(t.position) && isfinite(t.rotation.w) && isfinite(t.rotation.x) &&
           isfinite(t.rotation.y) && isfinite(t.rotation.z);
}

sn_status sn_world_check_name(const sn_world *world, const char *wanted, const char *shown,
                              sn_error *error)
{
    bool taken =
        wanted != NULL && wanted[0] != '\0' && sn_name_table_find(&world->body_names, wanted) != 0;
    return !taken ? SN_OK
                  : sn_fail(error, SN_ERROR_ARGUMENT, shown,
                            "there is a body of this name already; names must be unique");
}

sn_status sn_world_check_motion(const char *shown, sn_transform frame, sn_vec3 velocity,
                                sn_vec3 angular_velocity, sn_error *error)
{
    if (!transform_is_finite(frame) || !sn_vec3_is_finite(velocity) ||
        !sn_vec3_is_finite(angular_velocity)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, shown,
                       "position, rotation or velocity is not finite");
    }
    sn_quat r = frame.rotation;
    double length = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z;
    if (!(fabs(length - 1.0) < 1e-6)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, shown,
                       "rotation (%g, %g, %g, %g) is not a unit quaternion", r.w, r.x, r.y, r.z);
    }
    return SN_OK;
}

sn_status sn_world_check_integration(const char *shown, sn_integrator integrator,
                                     double relative_tolerance, double absolute_tolerance,
                                     sn_error *error)
{
    if ((unsigned)integrator >= SN_INTEGRATOR_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, shown, "integrator %d is none of the %d there are",
                       (int)integrator, (int)SN_INTEGRATOR_COUNT);
    }
    if (!(relative_tolerance >= 0.0 && relative_tolerance < 1.0) ||
        !(absolute_tolerance >= 0.0 && isfinite(absolute_tolerance))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, shown,
                       "tolerances are %g and %g, expected positive, or 0 for the world's",
                       relative_tolerance, absolute_tolerance);
    }
    return SN_OK;
}

static sn_status check_body_def(const sn_world *world, const sn_body_def *def, const char *name,
                                sn_error *error)
{
    sn_status status = sn_world_check_name(world, def->name, name, error);
    if (status == SN_OK) {
        status =
            sn_world_check_motion(name, def->frame, def->velocity, def->angular_velocity, error);
    }
    if (status != SN_OK) {
        return status;
    }
    if (def->type == SN_BODY_ELASTIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "elastic bodies are added by sn_world_add_elastic");
    }
    if ((unsigned)def->type > SN_BODY_STATIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "type %d is none of those there are",
                       (int)def->type);
    }
    status = sn_world_check_integration(name, def->integrator, def->relative_tolerance,
                                        def->absolute_tolerance, error);
    if (status != SN_OK) {
        return status;
    }
    if (def->shape_count < 0 || (def->shape_count > 0 && def->shapes == NULL)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "%d shapes given without a list",
                       def->shape_count);
    }
    for (int i = 0; i < def->shape_count; ++i) {
        char place[32] = "shape";
        if (def->shape_count > 1) {
            snprintf(place, sizeof place, "shape %d", i);
        }
        sn_error inner = {0};
        status = sn_shape_check(&def->shapes[i], place, &inner);
        if (status != SN_OK) {
            return sn_fail(error, status, name, "%s", sn_error_message(&inner));
        }
        if (def->type != SN_BODY_STATIC && sn_shape_is_ground(&def->shapes[i])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "%s is a %s; only static bodies can have one", place,
                           def->shapes[i].type == SN_SHAPE_PLANE ? "plane" : "height field");
        }
    }
    return SN_OK;
}

// A free body divides by its principal moments and takes squares of its angular momentum: both must
// stay in the range of numbers. The limits are far outside of anything made of matter.
static sn_status check_moments(const sn_mass_properties *mass, const char *name, sn_error *error)
{
    const double least = 1e-140, most = 1e140;
    sn_vec3 moments;
    sn_quat axes;
    sn_principal_axes(&mass->inertia, &moments, &axes);
    if (!(mass->mass >= least && mass->mass <= most && moments.x >= least && moments.z <= most)) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, name,
            "mass is %g kg and the principal moments of inertia are %g, %g and %g kg m^2; "
            "a body that moves needs each of them above 0, between %g and %g",
            mass->mass, moments.x, moments.y, moments.z, least, most);
    }
    return SN_OK;
}

static sn_status resolve_mass(const sn_body_def *def, const char *name, sn_mass_properties *mass,
                              sn_error *error)
{
    if (def->mass.mass != 0.0) {
        *mass = def->mass;
    } else if (def->shape_count == 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "a rigid body needs shapes or mass properties");
    } else {
        sn_error inner = {0};
        sn_status status = sn_shape_mass_properties(def->shapes, def->shape_count, mass, &inner);
        if (status != SN_OK) {
            return sn_fail(error, status, name, "%s", sn_error_message(&inner));
        }
    }
    sn_error inner = {0};
    sn_status status = sn_mass_properties_check(mass, &inner);
    return status == SN_OK ? check_moments(mass, name, error)
                           : sn_fail(error, status, name, "%s", inner.text);
}

sn_integrator sn_world_default_integrator(const sn_world *world)
{
    if (world->integrator != SN_INTEGRATOR_DEFAULT) {
        return world->integrator;
    }
    return world->policy == SN_POLICY_PRECISE ? SN_INTEGRATOR_FEHLBERG45
                                              : SN_INTEGRATOR_LIE_MIDPOINT;
}

// Rigid bodies have no stiffness of their own, so that implicit Euler's rule is the symplectic one.
static sn_integrator rigid_integrator(const sn_world *world, sn_integrator wanted)
{
    sn_integrator found =
        wanted != SN_INTEGRATOR_DEFAULT ? wanted : sn_world_default_integrator(world);
    return found == SN_INTEGRATOR_IMPLICIT_EULER ? SN_INTEGRATOR_SYMPLECTIC_EULER : found;
}

static int add_agent(sn_world *world, const sn_body_def *def, const sn_mass_properties *mass,
                     uint32_t owner)
{
    sn_rigid_def rigid = {
        .mass = *mass,
        .frame = def->frame,
        .velocity = def->velocity,
        .angular_velocity = def->angular_velocity,
        .radius = sn_shapes_reach(def->shapes, def->shape_count, mass->centre),
        .integrator = rigid_integrator(world, def->integrator),
        .relative_tolerance =
            def->relative_tolerance > 0.0 ? def->relative_tolerance : world->relative_tolerance,
        .absolute_tolerance =
            def->absolute_tolerance > 0.0 ? def->absolute_tolerance : world->absolute_tolerance,
        .owner = owner,
        .time = world->time,
    };
    return sn_rigid_add(&world->rigid, &rigid);
}

// The form of a body's shapes, shared with one of the bodies added before it where that is the
// same.
static sn_status make_form(sn_world *world, const sn_shape *shapes, int count, const char *name,
                           sn_form **form, sn_error *error)
{
    sn_error inner = {0};
    bool meets = sn_world_contact_traits(world)->collides;
    sn_status status =
        sn_form_make(shapes, count, meets, world->recent_forms, SN_RECENT_FORMS, form, &inner);
    if (status != SN_OK) {
        return status == SN_ERROR_MEMORY
                   ? sn_fail_memory(error, (size_t)count * sizeof *shapes)
                   : sn_fail(error, status, name, "%s", sn_error_message(&inner));
    }
    bool known = *form == NULL;
    for (int i = 0; i < SN_RECENT_FORMS && !known; ++i) {
        known = world->recent_forms[i] == *form;
    }
    if (!known) {
        sn_form_release(world->recent_forms[world->next_form]);
        world->recent_forms[world->next_form] = sn_form_retain(*form);
        world->next_form = (world->next_form + 1) % SN_RECENT_FORMS;
    }
    return SN_OK;
}

static void free_record(sn_body_record *record)
{
    sn_form_release(record->form);
    sn_display_release(record->display);
    sn_free(record->name);
    sn_free(record->own);
    *record = (sn_body_record){0};
}

// Grows the table of records to hold index; entries in between are empty.
static bool reserve_record(sn_world *world, uint32_t index)
{
    int old = world->bodies.count;
    if ((int)index < old) {
        return true;
    }
    if (!sn_array_resize(&world->bodies, (int)index + 1)) {
        return false;
    }
    memset(&world->bodies.data[old], 0,
           (size_t)((int)index + 1 - old) * sizeof *world->bodies.data);
    return true;
}

bool sn_world_enter_body(sn_world *world, sn_id id, const char *name, sn_body_record *record)
{
    record->name = sn_world_make_name(world, &world->body_names, name, "body");
    bool made = record->name != NULL && reserve_record(world, id.index) &&
                sn_array_reserve(&world->body_order, world->body_order.count + 1) &&
                sn_name_table_put(&world->body_names, record->name, id.index);
    if (!made) {
        free_record(record);
    }
    return made;
}

sn_body sn_world_seat_body(sn_world *world, sn_id id, const sn_body_record *record)
{
    world->bodies.data[id.index] = *record;
    world->body_order.data[world->body_order.count++] = id.index;
    world->groups_current = false;
    world->shapes_current = false;
    return (sn_body){id.index, id.generation};
}

sn_status sn_world_add_body(sn_world *world, const sn_body_def *def, sn_body *body, sn_error *error)
{
    *body = (sn_body){0};
    const char *shown = def->name != NULL && def->name[0] != '\0' ? def->name : "unnamed body";
    sn_mass_properties mass = {0};
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_body_def(world, def, shown, error);
    }
    if (status == SN_OK && def->type == SN_BODY_RIGID) {
        status = resolve_mass(def, shown, &mass, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_form *form = NULL;
    status = make_form(world, def->shapes, def->shape_count, shown, &form, error);
    if (status != SN_OK) {
        return status;
    }
    sn_id id = sn_id_pool_take(&world->body_ids);
    if (id.index == 0) {
        sn_form_release(form);
        return sn_fail_memory(error, sizeof(sn_body_record));
    }
    sn_body_record record = {.type = def->type,
                             .agent = {0, -1, 0},
                             .volume = mass.volume,
                             .form = form,
                             .shapes = sn_form_shapes(form),
                             .shape_count = def->shape_count,
                             .touch = -1};
    bool made = true;
    if (def->type == SN_BODY_STATIC) {
        record.own = sn_allocate_zero(sizeof *record.own);
        made = record.own != NULL;
    }
    if (!made) {
        free_record(&record);
    } else if (def->type == SN_BODY_STATIC) {
        record.own->frame = def->frame;
        record.own->frame.rotation = sn_quat_normalize(def->frame.rotation);
    }
    made = made && sn_world_enter_body(world, id, def->name, &record);
    if (made && def->type == SN_BODY_RIGID) {
        record.agent.agent = add_agent(world, def, &mass, id.index);
        made = record.agent.agent >= 0;
        if (!made) {
            sn_name_table_remove(&world->body_names, record.name);
            free_record(&record);
        }
    }
    if (!made) {
        sn_id_pool_give(&world->body_ids, id);
        return sn_fail_memory(error, sizeof(sn_body_record));
    }
    *body = sn_world_seat_body(world, id, &record);
    return SN_OK;
}

// ---- removing and copying ----

void sn_world_drop_rigid(sn_world *world, sn_body_record *record)
{
    int old = record->agent.agent;
    const sn_agent_set *set = world->sets[record->agent.set];
    sn_rigid_remove(&world->rigid, old);
    if (old < set->count) {
        world->bodies.data[set->agents[old].owner].agent.agent = old;
    }
    record->agent = (sn_agent_ref){0, -1, 0};
}

void sn_world_drop_body(sn_world *world, sn_body body)
{
    sn_body_record *record = sn_world_body_record(world, body);
    sn_name_table_remove(&world->body_names, record->name);
    free_record(record);
    sn_world_drop_index(world->body_order.data, &world->body_order.count, body.index);
    sn_id_pool_give(&world->body_ids, (sn_id){body.index, body.generation});
    world->groups_current = false;
}

void sn_world_free_bodies(sn_world *world)
{
    for (int i = 0; i < SN_RECENT_FORMS; ++i) {
        sn_form_release(world->recent_forms[i]);
        world->recent_forms[i] = NULL;
    }
    for (int i = 0; i < world->bodies.count; ++i) {
        free_record(&world->bodies.data[i]);
    }
    sn_array_free(&world->bodies);
    sn_array_free(&world->body_order);
    sn_name_table_free(&world->body_names);
    sn_id_pool_free(&world->body_ids);
}

bool sn_world_copy_bodies(const sn_world *world, sn_world *copy)
{
    if (world->bodies.count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&world->body_ids, &copy->body_ids) ||
        !reserve_record(copy, (uint32_t)world->bodies.count - 1) ||
        !sn_array_resize(&copy->body_order, world->body_order.count)) {
        return false;
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        const sn_body_record *from = &world->bodies.data[index];
        sn_body_record record = *from;
        copy->body_order.data[i] = index;
        record.name = sn_copy_text(from->name);
        record.own = from->own != NULL ? sn_allocate(sizeof *record.own) : NULL;
        record.touch = -1;
        bool made = record.name != NULL && (from->own == NULL || record.own != NULL);
        if (!made) {
            sn_free(record.name);
            sn_free(record.own);
            return false;
        }
        if (from->own != NULL) {
            *record.own = *from->own;
        }
        sn_form_retain(record.form);
        sn_display_retain(record.display);
        copy->bodies.data[index] = record;
        if (!sn_name_table_put(&copy->body_names, record.name, index)) {
            return false;
        }
    }
    return true;
}

// ---- finding ----

int sn_world_body_count(const sn_world *world)
{
    return world->body_order.count;
}

static sn_body body_at(const sn_world *world, uint32_t index)
{
    return (sn_body){index, world->body_ids.generation.data[index]};
}

sn_body sn_world_body(const sn_world *world, int order)
{
    bool there = order >= 0 && order < world->body_order.count;
    return there ? body_at(world, world->body_order.data[order]) : (sn_body){0};
}

sn_body sn_world_find_body(const sn_world *world, const char *name)
{
    uint32_t index = sn_name_table_find(&world->body_names, name);
    return index != 0 ? body_at(world, index) : (sn_body){0};
}

bool sn_body_is_valid(const sn_world *world, sn_body body)
{
    return sn_world_body_record(world, body) != NULL;
}

// ---- reading ----

const char *sn_body_name(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL ? record->name : "";
}

sn_body_type sn_body_get_type(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL ? record->type : SN_BODY_STATIC;
}

int sn_body_shape_count(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL ? record->shape_count : 0;
}

const sn_shape *sn_body_shape(const sn_world *world, sn_body body, int index)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && index >= 0 && index < record->shape_count ? &record->shapes[index]
                                                                       : NULL;
}

// The agent that moves a body, or -1: static, or not there.
static int agent_of(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL ? record->agent.agent : -1;
}

sn_mass_properties sn_body_mass_properties(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record != NULL && sn_body_is_jointed(record)) {
        return record->own->mass;
    }
    if (record != NULL && record->type == SN_BODY_ELASTIC) {
        return sn_world_elastic_mass(world, record);
    }
    int agent = agent_of(world, body);
    if (agent < 0) {
        return (sn_mass_properties){0};
    }
    // Back from principal axes: I = R diag R^T with R from the principal frame to the body's.
    const sn_agent_set *set = world->sets[record->agent.set];
    sn_transform principal = sn_transform_inverse(*sn_rigid_placement(set, agent));
    return (sn_mass_properties){
        .mass = set->type->mass(set, agent),
        .volume = record->volume,
        .centre = principal.position,
        .inertia = sn_tensor_to_world(principal.rotation, sn_rigid_mass_of(set, agent)->inertia),
    };
}

sn_integrator sn_body_integrator(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    bool moves = record != NULL && record->agent.agent >= 0;
    return moves ? (sn_integrator)world->sets[record->agent.set]
                       ->agents[record->agent.agent]
                       .integrator
                 : SN_INTEGRATOR_DEFAULT;
}

// A body as it is now. One without an agent stands: it is static, which has no mass and its centre
// at its origin, or held by the world.
static sn_part part_of(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    sn_part now = {.frame = SN_TRANSFORM_IDENTITY};
    if (record != NULL && record->agent.agent >= 0) {
        const sn_agent_set *set = world->sets[record->agent.set];
        set->type->part(set, record->agent.agent, record->agent.part, &now);
    } else if (record != NULL) {
        now.frame = record->own->frame;
        now.centre = sn_transform_point(now.frame, record->own->mass.centre);
    }
    return now;
}

sn_transform sn_body_transform(const sn_world *world, sn_body body)
{
    return part_of(world, body).frame;
}

sn_vec3 sn_body_centre(const sn_world *world, sn_body body)
{
    return part_of(world, body).centre;
}

sn_vec3 sn_body_velocity(const sn_world *world, sn_body body)
{
    return part_of(world, body).velocity;
}

sn_vec3 sn_body_angular_velocity(const sn_world *world, sn_body body)
{
    return part_of(world, body).angular_velocity;
}

sn_vec3 sn_body_point_velocity(const sn_world *world, sn_body body, sn_vec3 world_point)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record != NULL && record->type == SN_BODY_ELASTIC) {
        sn_elastic_point point;
        sn_vec3 there, velocity;
        const sn_agent_set *set = world->sets[record->agent.set];
        sn_elastic_nearest_point(set, record->agent.agent, world_point, &point);
        sn_elastic_read_point(set, record->agent.agent, &point, &there, &velocity);
        return velocity;
    }
    sn_part now = part_of(world, body);
    return sn_part_velocity_at(&now, world_point);
}

// ---- placing and pushing ----

sn_status sn_body_set_surface(sn_world *world, sn_body body, int shape, const sn_surface *surface,
                              sn_error *error)
{
    sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body does not exist");
    }
    if (shape < 0 || shape >= record->shape_count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                       "it has %d shapes, none is number %d", record->shape_count, shape);
    }
    sn_status status = sn_world_check_steering(world, error);
    if (status == SN_OK) {
        status = sn_shape_surface_check(surface, record->name, error);
    }
    size_t size = (size_t)record->shape_count * sizeof(sn_shape);
    sn_shape *shapes = status == SN_OK ? sn_allocate(size) : NULL;
    if (shapes == NULL) {
        return status == SN_OK ? sn_fail_memory(error, size) : status;
    }
    memcpy(shapes, record->shapes, size);
    bool changes_air = shapes[shape].surface.sensor != surface->sensor; // which passes sensors by
    shapes[shape].surface = *surface;
    sn_form *form = NULL;
    status = make_form(world, shapes, record->shape_count, record->name, &form, error);
    if (status == SN_OK) {
        sn_form_release(record->form);
        record->form = form;
        record->shapes = sn_form_shapes(form);
        world->touch.surfaces_current = false;
        world->groups_current = world->groups_current && !changes_air;
        sn_world_touch(world);
    }
    sn_free(shapes);
    return status;
}

// A body in a mechanism cannot be moved by itself.
static sn_status check_alone(const sn_world *world, sn_body body, sn_error *error)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return !sn_body_is_jointed(record)
               ? SN_OK
               : sn_fail(error, SN_ERROR_UNSUPPORTED, record->name,
                         "hangs on joints; it cannot be moved by itself once they are assembled");
}

sn_status sn_body_set_transform(sn_world *world, sn_body body, sn_transform frame, sn_error *error)
{
    if (!sn_body_is_valid(world, body)) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body does not exist");
    }
    sn_quat r = frame.rotation;
    double length = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z;
    if (!transform_is_finite(frame) || !(fabs(length - 1.0) < 1e-6)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                       "the new place is not finite or its rotation not a unit quaternion");
    }
    if (sn_world_check_still(world, error) != SN_OK || check_alone(world, body, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    frame.rotation = sn_quat_normalize(frame.rotation);
    sn_body_record *record = sn_world_body_record(world, body);
    if (record->agent.agent >= 0) {
        sn_agent_set *set = world->sets[record->agent.set];
        set->type->set_frame(set, record->agent.agent, frame);
    } else {
        record->own->frame = frame;
        world->touch.statics_current = false;
    }
    sn_world_touch(world);
    return SN_OK;
}

sn_status sn_body_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity,
                               sn_vec3 angular_velocity, sn_error *error)
{
    if (!sn_body_is_valid(world, body)) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body does not exist");
    }
    int agent = agent_of(world, body);
    if (agent < 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                       "a static body cannot have a velocity");
    }
    if (!sn_vec3_is_finite(velocity) || !sn_vec3_is_finite(angular_velocity)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                       "the new velocity is not finite");
    }
    if (sn_world_check_still(world, error) != SN_OK || check_alone(world, body, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    sn_agent_set *set = world->sets[sn_world_body_record(world, body)->agent.set];
    set->type->set_velocity(set, agent, velocity, angular_velocity);
    sn_world_touch(world);
    return SN_OK;
}

// Adds a force at a world point and a torque to the step to come, or to the evaluation under way.
static void push(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 world_point, sn_vec3 torque)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->agent.agent < 0) {
        return;
    }
    sn_agent_ref ref = record->agent;
    sn_agent_set *set = world->sets[ref.set];
    int index = set->agents[ref.agent].part_first + ref.part;
    bool evaluating = world->evaluating_group != -2;
    if (evaluating && world->group_of[ref.set].data[ref.agent] != world->evaluating_group) {
        return; // its own group asks again
    }
    sn_spatial *sum = evaluating ? &set->force[index] : &set->external[index];
    if (sn_world_traits(world, ref.set)->deformable) { // on the material there
        double *forces = evaluating ? set->joint_force : set->joint_external;
        sn_elastic_point point;
        sn_elastic_nearest_point(set, ref.agent, world_point, &point);
        sn_elastic_push(&point, force, forces + set->agents[ref.agent].v_first);
        sum->angular = sn_vec3_add(sum->angular, torque);
    } else {
        sn_spatial_push(sum, part_of(world, body).centre, force, world_point, torque);
    }
    if (!evaluating) {
        set->has_external = true;
        sn_touch_rouse(world, ref);
        sn_world_jump(world);
    }
}

void sn_body_add_force(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 world_point)
{
    push(world, body, force, world_point, SN_VEC3_ZERO);
}

void sn_body_add_torque(sn_world *world, sn_body body, sn_vec3 torque)
{
    push(world, body, SN_VEC3_ZERO, sn_body_centre(world, body), torque);
}
