// What can be read off a world: energies, momenta, and probes by name.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "field/spring.h"
#include "force/forces.h"
#include "model/world.h"
#include "probe/quantity.h"
#include "probe/reading.h"
#include "sinew/elastic.h"
#include "touch/spring_touch.h"

static sn_measure measure_agent(const sn_world *world, sn_agent_ref ref)
{
    sn_measure measure = {0};
    if (ref.agent >= 0) {
        const sn_agent_set *set = world->sets[ref.set];
        set->type->measure(set, ref.agent, world->gravity, &measure);
    }
    return measure;
}

// The sum over all agents, in their order. Kinetic energy is that of what steps move: with the
// inertia that they add to links, without which the sum of energies would not be kept.
static sn_measure measure_all(const sn_world *world)
{
    sn_measure sum = {0};
    for (int s = 0; s < world->set_count; ++s) {
        for (int i = 0; i < world->sets[s]->count; ++i) {
            sn_measure one = measure_agent(world, (sn_agent_ref){s, i, 0});
            sum.kinetic += one.kinetic + one.added;
            sum.potential += one.potential;
            sum.momentum = sn_vec3_add(sum.momentum, one.momentum);
            sum.angular_momentum = sn_vec3_add(sum.angular_momentum, one.angular_momentum);
        }
    }
    return sum;
}

static double field_energy(const sn_world *world)
{
    double energy = 0.0;
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        energy += sn_field_kind_of(field)->energy(world, field);
    }
    return energy;
}

// Of everything between bodies.
static double outer_energy(const sn_world *world)
{
    double springs = sn_world_contact_traits(world)->springs ? sn_world_spring_energy(world) : 0.0;
    return field_energy(world) + springs;
}

sn_energy sn_world_energy(const sn_world *world)
{
    sn_measure sum = measure_all(world);
    double potential = sum.potential + outer_energy(world);
    return (sn_energy){sum.kinetic, potential, sum.kinetic + potential};
}

sn_vec3 sn_world_momentum(const sn_world *world)
{
    return measure_all(world).momentum;
}

sn_vec3 sn_world_angular_momentum(const sn_world *world)
{
    return measure_all(world).angular_momentum;
}

// One body, also as a part of a mechanism; static ones have no motion and no weight.
static sn_measure measure_body(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || !sn_body_is_jointed(record)) {
        return measure_agent(world, record != NULL ? record->agent : (sn_agent_ref){0, -1, 0});
    }
    sn_quat rotation = sn_body_transform(world, body).rotation;
    sn_vec3 centre = sn_transform_point(sn_body_transform(world, body), record->own->mass.centre);
    sn_vec3 velocity = sn_body_velocity(world, body), w = sn_body_angular_velocity(world, body);
    sn_vec3 spin = sn_rotate(
        rotation, sn_mat3_apply(record->own->mass.inertia, sn_rotate_inverse(rotation, w)));
    sn_vec3 momentum = sn_vec3_scale(record->own->mass.mass, velocity);
    return (sn_measure){
        .kinetic = sn_kinetic_energy(velocity, momentum, w, spin),
        .potential = -record->own->mass.mass * sn_dot(world->gravity, centre),
        .momentum = momentum,
        .angular_momentum = sn_vec3_add(spin, sn_cross(centre, momentum)),
    };
}

sn_energy sn_body_energy(const sn_world *world, sn_body body)
{
    sn_measure measure = measure_body(world, body);
    return (sn_energy){measure.kinetic, measure.potential, measure.kinetic + measure.potential};
}

// ---- probes ----

static sn_status check_joint_probe(const sn_world *world, const sn_probe *probe, sn_error *error)
{
    const char *word = sn_quantity_word(probe->quantity);
    if (!sn_joint_is_valid(world, probe->joint)) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the probe's joint does not exist");
    }
    if (strchr(sn_quantity_of(probe->quantity), 'j') == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "'%s' is not a quantity of a joint", word);
    }
    sn_joint_type type = sn_joint_get_type(world, probe->joint);
    if (!sn_joint_quantity_fits(probe->quantity, type)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "'%s' is freedom %d, and the %s joint '%s' has %d", word,
                       sn_joint_quantity_of(probe->quantity).freedom + 1, sn_joint_type_word(type),
                       sn_joint_name(world, probe->joint), sn_joint_type_freedoms(type));
    }
    return SN_OK;
}

static sn_status check_bond_probe(const sn_world *world, const sn_probe *probe, sn_error *error)
{
    if (!sn_bond_is_valid(world, probe->bond)) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the probe's bond does not exist");
    }
    return strchr(sn_quantity_of(probe->quantity), 'o') != NULL
               ? SN_OK
               : sn_fail(error, SN_ERROR_ARGUMENT, NULL, "'%s' is not a quantity of a bond",
                         sn_quantity_word(probe->quantity));
}

static bool is_elastic(sn_quantity quantity)
{
    return quantity == SN_QUANTITY_ELASTIC_ENERGY || quantity == SN_QUANTITY_LEAST_STRETCH;
}

sn_status sn_probe_check(const sn_world *world, const sn_probe *probe, sn_error *error)
{
    const char *of = sn_quantity_of(probe->quantity);
    if (of == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "quantity %d is none of the %d there are",
                       (int)probe->quantity, (int)SN_QUANTITY_COUNT);
    }
    const char *word = sn_quantity_word(probe->quantity);
    bool of_body = probe->body.index != 0, of_field = probe->field.index != 0,
         of_joint = probe->joint.index != 0, of_bond = probe->bond.index != 0;
    if (of_body + of_field + of_joint + of_bond > 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a probe looks at one body, field, joint or bond, not at several");
    }
    if (of_bond) {
        return check_bond_probe(world, probe, error);
    }
    if (of_joint) {
        return check_joint_probe(world, probe, error);
    }
    if (of_body && sn_world_body_record(world, probe->body) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the probe's body does not exist");
    }
    const sn_field_record *field = sn_world_field_record(world, probe->field);
    if (of_field && field == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the probe's field does not exist");
    }
    if (of_field && !sn_field_kind_of(field)->stretches) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "'%s' is measured on springs, and field '%s' is none", word, field->name);
    }
    if (of_body && is_elastic(probe->quantity) &&
        sn_body_get_type(world, probe->body) != SN_BODY_ELASTIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, probe->body),
                       "'%s' is of elastic bodies", word);
    }
    if (probe->at_point && (!of_body || !sn_quantity_has_point(probe->quantity))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "'%s' is not of a point; position, velocity and speed of bodies are", word);
    }
    char letter = of_body ? 'b' : (of_field ? 'f' : 'w');
    if (strchr(of, letter) == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "'%s' is not a quantity of %s", word,
                       of_body ? "a body" : (of_field ? "a field" : "the world"));
    }
    return SN_OK;
}

static double read_measure(sn_quantity quantity, const sn_measure *measure)
{
    switch (quantity) {
    case SN_QUANTITY_KINETIC_ENERGY:
        return measure->kinetic;
    case SN_QUANTITY_POTENTIAL_ENERGY:
        return measure->potential;
    case SN_QUANTITY_TOTAL_ENERGY:
        return measure->kinetic + measure->potential;
    case SN_QUANTITY_MOMENTUM_X:
    case SN_QUANTITY_MOMENTUM_Y:
    case SN_QUANTITY_MOMENTUM_Z:
        return sn_vec3_component(measure->momentum, (int)(quantity - SN_QUANTITY_MOMENTUM_X));
    case SN_QUANTITY_ANGULAR_MOMENTUM_X:
    case SN_QUANTITY_ANGULAR_MOMENTUM_Y:
    case SN_QUANTITY_ANGULAR_MOMENTUM_Z:
        return sn_vec3_component(measure->angular_momentum,
                                 (int)(quantity - SN_QUANTITY_ANGULAR_MOMENTUM_X));
    default:
        return NAN;
    }
}

// Position, velocity or speed of a point of a body's material.
static double read_point(const sn_world *world, const sn_probe *probe)
{
    const sn_body_record *record = sn_world_body_record(world, probe->body);
    sn_quantity quantity = probe->quantity;
    sn_vec3 position = sn_transform_point(sn_body_transform(world, probe->body), probe->point);
    sn_vec3 velocity = SN_VEC3_ZERO;
    if (record->agent.agent >= 0) {
        sn_world_body_point(world, record, probe->point, &position, &velocity);
    }
    if (quantity == SN_QUANTITY_SPEED) {
        return sn_length(velocity);
    }
    return quantity <= SN_QUANTITY_POSITION_Z
               ? sn_vec3_component(position, (int)(quantity - SN_QUANTITY_POSITION_X))
               : sn_vec3_component(velocity, (int)(quantity - SN_QUANTITY_VELOCITY_X));
}

static double read_body(const sn_world *world, sn_body body, sn_quantity quantity)
{
    sn_transform frame = sn_body_transform(world, body);
    switch (quantity) {
    case SN_QUANTITY_POSITION_X:
    case SN_QUANTITY_POSITION_Y:
    case SN_QUANTITY_POSITION_Z:
        return sn_vec3_component(frame.position, (int)(quantity - SN_QUANTITY_POSITION_X));
    case SN_QUANTITY_CENTRE_X:
    case SN_QUANTITY_CENTRE_Y:
    case SN_QUANTITY_CENTRE_Z:
        return sn_vec3_component(sn_body_centre(world, body),
                                 (int)(quantity - SN_QUANTITY_CENTRE_X));
    case SN_QUANTITY_ROTATION_W:
        return frame.rotation.w;
    case SN_QUANTITY_ROTATION_X:
        return frame.rotation.x;
    case SN_QUANTITY_ROTATION_Y:
        return frame.rotation.y;
    case SN_QUANTITY_ROTATION_Z:
        return frame.rotation.z;
    case SN_QUANTITY_VELOCITY_X:
    case SN_QUANTITY_VELOCITY_Y:
    case SN_QUANTITY_VELOCITY_Z:
        return sn_vec3_component(sn_body_velocity(world, body),
                                 (int)(quantity - SN_QUANTITY_VELOCITY_X));
    case SN_QUANTITY_SPEED:
        return sn_length(sn_body_velocity(world, body));
    case SN_QUANTITY_ELASTIC_ENERGY:
        return sn_body_elastic_report(world, body).elastic_energy;
    case SN_QUANTITY_LEAST_STRETCH:
        return sn_body_elastic_report(world, body).least_stretch;
    case SN_QUANTITY_CONTACT_FORCE:
        return sn_length(sn_body_contact_force(world, body, NULL));
    case SN_QUANTITY_CONTACT_FORCE_X:
    case SN_QUANTITY_CONTACT_FORCE_Y:
    case SN_QUANTITY_CONTACT_FORCE_Z:
        return sn_vec3_component(sn_body_contact_force(world, body, NULL),
                                 (int)(quantity - SN_QUANTITY_CONTACT_FORCE_X));
    case SN_QUANTITY_CONTACT_COUNT: {
        int count = 0;
        sn_body_contact_force(world, body, &count);
        return count;
    }
    case SN_QUANTITY_SENSOR_COUNT:
        return sn_body_sensor_count(world, body);
    case SN_QUANTITY_ANGULAR_VELOCITY_X:
    case SN_QUANTITY_ANGULAR_VELOCITY_Y:
    case SN_QUANTITY_ANGULAR_VELOCITY_Z:
        return sn_vec3_component(sn_body_angular_velocity(world, body),
                                 (int)(quantity - SN_QUANTITY_ANGULAR_VELOCITY_X));
    case SN_QUANTITY_BODY_ANGULAR_VELOCITY_X:
    case SN_QUANTITY_BODY_ANGULAR_VELOCITY_Y:
    case SN_QUANTITY_BODY_ANGULAR_VELOCITY_Z:
        return sn_vec3_component(
            sn_rotate_inverse(frame.rotation, sn_body_angular_velocity(world, body)),
            (int)(quantity - SN_QUANTITY_BODY_ANGULAR_VELOCITY_X));
    default: {
        sn_measure measure = measure_body(world, body);
        return read_measure(quantity, &measure);
    }
    }
}

static double read_bond(const sn_world *world, sn_bond bond, sn_quantity quantity)
{
    sn_bond_state state = sn_bond_read(world, bond);
    switch (quantity) {
    case SN_QUANTITY_BOND_FORCE:
        return state.force;
    case SN_QUANTITY_BOND_TOTAL:
        return sn_length(state.total);
    case SN_QUANTITY_BOND_ERROR:
        return state.error;
    case SN_QUANTITY_BOND_BREAK_TIME:
        return state.break_time;
    case SN_QUANTITY_BOND_BREAK_FORCE:
        return state.break_force;
    default:
        return (double)state.broken;
    }
}

double sn_probe_read(const sn_world *world, const sn_probe *probe)
{
    if (sn_probe_check(world, probe, NULL) != SN_OK) {
        return NAN;
    }
    double kept;
    if (sn_world_find_reading(world, probe, &kept)) {
        return kept;
    }
    if (probe->joint.index != 0) {
        return sn_joint_quantity_read(world, probe->joint, probe->quantity);
    }
    if (probe->bond.index != 0) {
        return read_bond(world, probe->bond, probe->quantity);
    }
    if (probe->at_point) {
        return read_point(world, probe);
    }
    if (probe->body.index != 0) {
        return read_body(world, probe->body, probe->quantity);
    }
    const sn_field_record *field = sn_world_field_record(world, probe->field);
    if (field != NULL) {
        sn_spring_state state = sn_world_spring_state(world, &field->spring);
        return probe->quantity == SN_QUANTITY_LENGTH ? state.length : state.tension;
    }
    if (probe->quantity == SN_QUANTITY_TIME) {
        return world->time;
    }
    if (probe->quantity == SN_QUANTITY_CONTACT_COUNT) {
        return sn_world_contact_count(world);
    }
    sn_measure all = measure_all(world);
    all.potential += outer_energy(world);
    return read_measure(probe->quantity, &all);
}

const char *sn_probe_unit(const sn_world *world, const sn_probe *probe)
{
    if (sn_probe_check(world, probe, NULL) != SN_OK) {
        return "";
    }
    if (probe->joint.index == 0) {
        return sn_quantity_unit(probe->quantity);
    }
    return sn_joint_quantity_unit(probe->quantity, sn_joint_get_type(world, probe->joint));
}
