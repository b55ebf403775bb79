#include "model/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "force/air.h"
#include "force/forces.h"
#include "island/field_spring.h"
#include "mechanism/joint.h"
#include "probe/reading.h"
#include "stage/group.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"
#include "world/behaviour.h"
#include "world/state.h"

sn_contact_def sn_default_contact_def(void)
{
    return (sn_contact_def){.substeps = 4,
                            .exact_limit = 128,
                            .heap_limit = 24,
                            .within = true,
                            .sleep = true,
                            .damping = 0.5};
}

sn_world_def sn_default_world_def(void)
{
    return (sn_world_def){
        .gravity = {0.0, 0.0, -9.81},
        .policy = SN_POLICY_LOCKSTEP,
        .integrator = SN_INTEGRATOR_DEFAULT,
        .relative_tolerance = 1e-9,
        .absolute_tolerance = 1e-12,
        .threads = 1,
        .contact = sn_default_contact_def(),
    };
}

static sn_status check_contact_def(const sn_contact_def *def, sn_error *error)
{
    if ((unsigned)def->method >= SN_CONTACT_METHOD_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "contact", "method %d is none of the %d there are",
                       (int)def->method, (int)SN_CONTACT_METHOD_COUNT);
    }
    if ((unsigned)def->bounds >= SN_CONTACT_BOUNDS_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "contact",
                       "bounds %d are none of the %d there are", (int)def->bounds,
                       (int)SN_CONTACT_BOUNDS_COUNT);
    }
    if (def->substeps < 1 || def->exact_limit < 0 || def->heap_limit < 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "contact",
                       "substeps are %d (expected 1 and up), exact_limit is %d (expected 0 and up)",
                       def->substeps, def->exact_limit);
    }
    if (!(def->stiffness >= 0.0 && isfinite(def->stiffness)) ||
        !(def->damping >= 0.0 && isfinite(def->damping))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "contact",
                       "stiffness is %g N/m and damping %g; both are 0 or above", def->stiffness,
                       def->damping);
    }
    return SN_OK;
}

static sn_contact_def resolve_contact(const sn_contact_def *def, sn_policy policy)
{
    sn_contact_def resolved = *def;
    resolved.method = sn_contact_method_resolve(def->method, policy);
    return resolved;
}

static sn_status check_world_def(const sn_world_def *def, sn_error *error)
{
    if (!sn_vec3_is_finite(def->gravity)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world", "gravity is not finite");
    }
    if ((unsigned)def->policy >= SN_POLICY_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world", "policy %d is none of the %d there are",
                       (int)def->policy, (int)SN_POLICY_COUNT);
    }
    if ((unsigned)def->integrator >= SN_INTEGRATOR_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world",
                       "integrator %d is none of the %d there are", (int)def->integrator,
                       (int)SN_INTEGRATOR_COUNT);
    }
    if (!(def->relative_tolerance > 0.0 && def->relative_tolerance < 1.0) ||
        !(def->absolute_tolerance > 0.0 && isfinite(def->absolute_tolerance))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world",
                       "tolerances are %g (relative, expected above 0 and below 1) and %g "
                       "(absolute, expected above 0)",
                       def->relative_tolerance, def->absolute_tolerance);
    }
    return check_contact_def(&def->contact, error);
}

// The one place that ties the sets of a world to their storage.
static void connect_sets(sn_world *world)
{
    sn_rigid_set_init(&world->rigid);
    sn_articulation_set_init(&world->articulations);
    sn_elastic_set_init(&world->elastics);
    sn_agent_set *const sets[SN_SET_COUNT] = {&world->rigid.agents, &world->articulations.agents,
                                              &world->elastics.agents};
    memcpy(world->sets, sets, sizeof sets);
    world->set_count = SN_SET_COUNT;
    for (int s = 0; s < SN_SET_COUNT; ++s) {
        world->traits[s + 1] = sets[s]->type->traits;
    }
}

sn_status sn_world_create(const sn_world_def *def, sn_world **out, sn_error *error)
{
    *out = NULL;
    sn_status status = check_world_def(def, error);
    if (status != SN_OK) {
        return status;
    }
    sn_world *world = sn_allocate_zero(sizeof *world);
    if (world == NULL) {
        return sn_fail_memory(error, sizeof *world);
    }
    world->gravity = def->gravity;
    world->policy = def->policy;
    world->integrator = def->integrator;
    world->relative_tolerance = def->relative_tolerance;
    world->absolute_tolerance = def->absolute_tolerance;
    world->seed = def->seed;
    world->contact = resolve_contact(&def->contact, def->policy);
    world->air.def = sn_default_air_def();
    world->evaluating_group = -2;
    world->assembled = true;
    connect_sets(world);
    status = sn_world_set_threads(world, def->threads, error);
    if (status != SN_OK) {
        sn_world_destroy(world);
        return status;
    }
    *out = world;
    return SN_OK;
}

void sn_world_destroy(sn_world *world)
{
    if (world == NULL) {
        return;
    }
    sn_world_free_groups(world);
    sn_world_free_air(world);
    sn_world_free_behaviours(world);
    sn_world_free_events(world);
    sn_world_free_fields(world);
    sn_world_free_bodies(world);
    sn_world_free_couplings(world);
    sn_world_free_joints(world);
    sn_world_free_motions(world);
    sn_spring_touch_free(&world->touch.springs);
    sn_touch_free(&world->touch);
    for (int s = 0; s < world->set_count; ++s) {
        world->sets[s]->type->release(world->sets[s]);
    }
    sn_bond_set_free(&world->bonds);
    sn_field_springs_free(&world->field_springs);
    sn_threads_destroy(world->threads);
    sn_stack_free(&world->stack);
    sn_array_free(&world->kept);
    sn_array_free(&world->kept_whole);
    sn_free(world);
}

sn_status sn_world_copy(const sn_world *world, sn_world **out, sn_error *error)
{
    sn_world_def def = {
        .gravity = world->gravity,
        .policy = world->policy,
        .integrator = world->integrator,
        .relative_tolerance = world->relative_tolerance,
        .absolute_tolerance = world->absolute_tolerance,
        .threads = sn_threads_count(world->threads),
        .seed = world->seed,
        .contact = world->contact,
    };
    sn_world *copy = NULL;
    *out = NULL;
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_create(&def, &copy, error);
    }
    if (status != SN_OK) {
        return status;
    }
    copy->stopped = world->stopped;
    copy->next_number = world->next_number;
    copy->report = world->report;
    copy->air.def = world->air.def;
    bool copied = sn_world_copy_bodies(world, copy) && sn_world_copy_fields(world, copy) &&
                  sn_world_copy_events(world, copy) && sn_world_copy_joints(world, copy) &&
                  sn_world_copy_motions(world, copy) && sn_world_copy_behaviours(world, copy) &&
                  sn_world_copy_couplings(world, copy) && sn_world_copy_readings(world, copy);
    for (int s = 0; s < world->set_count && copied; ++s) {
        copied = world->sets[s]->type->copy(world->sets[s], copy->sets[s]);
    }
    copied = copied && sn_world_copy_bonds(world, copy) && sn_world_carry_state(world, copy) &&
             sn_touch_copy(world, copy) &&
             sn_spring_touch_copy(&world->touch.springs, &copy->touch.springs);
    if (!copied) {
        sn_world_destroy(copy);
        return sn_fail_memory(error, sizeof *copy);
    }
    *out = copy;
    return SN_OK;
}

double sn_world_time(const sn_world *world)
{
    return world->time;
}

uint64_t sn_world_step_count(const sn_world *world)
{
    return world->steps;
}

double sn_world_step_size(const sn_world *world)
{
    return world->step_given;
}

double sn_world_step_length(const sn_world *world)
{
    return world->last_step;
}

sn_vec3 sn_world_gravity(const sn_world *world)
{
    return world->gravity;
}

void sn_world_set_gravity(sn_world *world, sn_vec3 gravity)
{
    if (sn_vec3_is_finite(gravity) && sn_world_check_still(world, NULL) == SN_OK) {
        world->gravity = gravity;
        sn_world_touch(world);
    }
}

sn_policy sn_world_policy(const sn_world *world)
{
    return world->policy;
}

sn_contact_def sn_world_contact_def(const sn_world *world)
{
    return world->contact;
}

sn_status sn_world_set_contact_def(sn_world *world, const sn_contact_def *def, sn_error *error)
{
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_contact_def(def, error);
    }
    if (status == SN_OK) {
        if (def->bounds != world->contact.bounds) {
            sn_touch_renew_broad(&world->touch);
        }
        world->contact = resolve_contact(def, world->policy);
        world->touch.surfaces_current = false;
        world->groups_current = false;
        sn_world_touch(world);
    }
    return status;
}

sn_status sn_world_set_threads(sn_world *world, int threads, sn_error *error)
{
    if (threads == sn_threads_count(world->threads)) {
        return SN_OK;
    }
    sn_threads *pool = NULL;
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_threads_create(threads, &pool, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_threads_destroy(world->threads);
    world->threads = pool;
    return SN_OK;
}

sn_step_report sn_world_report(const sn_world *world)
{
    return world->report;
}
