// Elastic bodies of a world: adding them, and their vertices.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/display.h"
#include "model/world.h"
#include "sinew/elastic.h"

enum { STRIDE = SN_SOLID_STRIDE };

sn_elastic_material sn_default_elastic_material(void)
{
    return (sn_elastic_material){
        .elastic = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1e6, 0.3), .density = 1000.0};
}

sn_elastic_def sn_default_elastic_def(void)
{
    sn_shape shape = sn_default_shape();
    return (sn_elastic_def){.frame = SN_TRANSFORM_IDENTITY,
                            .solver_tolerance = 1e-4,
                            .newton = 5,
                            .newton_tolerance = 0.01,
                            .surface = sn_default_surface(),
                            .look = {shape.colour, shape.roughness, shape.metallic}};
}

// ---- adding and removing ----

static sn_agent_set *set_of(const sn_world *world, const sn_body_record *record)
{
    return world->sets[record->agent.set];
}

static sn_elastic_item *item_of(const sn_world *world, const sn_body_record *record)
{
    return sn_elastic_item_of(set_of(world, record), record->agent.agent);
}

static sn_status check_def(const sn_world *world, const sn_elastic_def *def, const char *shown,
                           sn_error *error)
{
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_check_name(world, def->name, shown, error);
    }
    if (status == SN_OK) {
        status =
            sn_world_check_motion(shown, def->frame, def->velocity, def->angular_velocity, error);
    }
    if (status == SN_OK) {
        status = sn_world_check_integration(shown, def->integrator, def->relative_tolerance,
                                            def->absolute_tolerance, error);
    }
    return status == SN_OK ? sn_shape_surface_check(&def->surface, shown, error) : status;
}

sn_status sn_world_add_elastic(sn_world *world, const sn_elastic_def *def, sn_body *body,
                               sn_error *error)
{
    *body = (sn_body){0};
    sn_elastic_def named = *def;
    named.name = def->name != NULL && def->name[0] != '\0' ? def->name : "unnamed body";
    named.frame.rotation = sn_quat_normalize(def->frame.rotation);
    sn_status status = check_def(world, def, named.name, error);
    if (status != SN_OK) {
        return status;
    }
    sn_id id = sn_id_pool_take(&world->body_ids);
    if (id.index == 0) {
        return sn_fail_memory(error, sizeof(sn_body_record));
    }
    sn_integrator integrator = def->integrator != SN_INTEGRATOR_DEFAULT
                                   ? def->integrator
                                   : sn_world_default_integrator(world);
    sn_agent head = {
        .time = world->time,
        .relative_tolerance =
            def->relative_tolerance > 0.0 ? def->relative_tolerance : world->relative_tolerance,
        .absolute_tolerance =
            def->absolute_tolerance > 0.0 ? def->absolute_tolerance : world->absolute_tolerance,
        .owner = id.index,
        .integrator = (uint8_t)integrator};
    sn_body_record record = {
        .type = SN_BODY_ELASTIC, .agent = {SN_SET_ELASTIC, -1, 0}, .touch = -1};
    status = sn_elastic_add(&world->elastics, &named, &head, &record.agent.agent, error);
    if (status == SN_OK) {
        status = sn_display_make(def, &record.display, error);
        if (status == SN_OK && !sn_world_enter_body(world, id, def->name, &record)) {
            status = sn_fail_memory(error, sizeof(sn_body_record));
        }
        if (status != SN_OK) {
            sn_elastic_remove(&world->elastics, record.agent.agent);
        }
    }
    if (status != SN_OK) {
        sn_id_pool_give(&world->body_ids, id);
        return status;
    }
    for (int e = 0; e < sn_tetrahedra_element_count(def->mesh); ++e) {
        record.volume += sn_solid_rest_volume(item_of(world, &record)->solid, e);
    }
    *body = sn_world_seat_body(world, id, &record);
    return SN_OK;
}

void sn_world_drop_elastic(sn_world *world, sn_body_record *record)
{
    int old = record->agent.agent;
    const sn_agent_set *set = set_of(world, record);
    sn_elastic_remove(&world->elastics, old);
    for (int i = old; i < set->count; ++i) {
        world->bodies.data[set->agents[i].owner].agent.agent = i;
    }
    record->agent = (sn_agent_ref){0, -1, 0};
}

// ---- reading ----

static const sn_body_record *elastic_record(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && record->type == SN_BODY_ELASTIC ? record : NULL;
}

// As it is now, seen from its frame.
sn_mass_properties sn_world_elastic_mass(const sn_world *world, const sn_body_record *record)
{
    sn_elastic_mean mean;
    sn_elastic_find_mean(set_of(world, record), record->agent.agent, true, &mean);
    sn_mat3 turn = sn_quat_to_mat3(mean.frame.rotation);
    return (sn_mass_properties){
        .mass = mean.mass,
        .volume = record->volume,
        .centre = sn_transform_point(sn_transform_inverse(mean.frame), mean.centre),
        .inertia = sn_mat3_multiply(sn_mat3_multiply(sn_mat3_transpose(turn), mean.inertia), turn),
    };
}

void sn_world_body_point(const sn_world *world, const sn_body_record *record, sn_vec3 local,
                         sn_vec3 *position, sn_vec3 *velocity)
{
    sn_agent_ref ref = record->agent;
    sn_agent_set *set = world->sets[ref.set];
    set->type->point(set, ref.agent, ref.part, local, position, velocity);
}

sn_vec3 sn_body_point(const sn_world *world, sn_body body, sn_vec3 local)
{
    const sn_body_record *record = elastic_record(world, body);
    sn_vec3 position, velocity;
    if (record == NULL) {
        return sn_transform_point(sn_body_transform(world, body), local);
    }
    sn_world_body_point(world, record, local, &position, &velocity);
    return position;
}

sn_vec3 sn_body_local_point(const sn_world *world, sn_body body, sn_vec3 world_point)
{
    const sn_body_record *record = elastic_record(world, body);
    if (record == NULL) {
        return sn_transform_point(sn_transform_inverse(sn_body_transform(world, body)),
                                  world_point);
    }
    sn_elastic_point point;
    sn_elastic_nearest_point(set_of(world, record), record->agent.agent, world_point, &point);
    sn_vec3 local = SN_VEC3_ZERO;
    const sn_vec3 *rest = sn_tetrahedra_positions(item_of(world, record)->mesh);
    for (int i = 0; i < point.count; ++i) {
        local = sn_vec3_add_scaled(local, point.weights[i], rest[point.vertices[i]]);
    }
    return local;
}

const sn_tetrahedra *sn_body_tetrahedra(const sn_world *world, sn_body body)
{
    const sn_body_record *record = elastic_record(world, body);
    return record != NULL ? item_of(world, record)->mesh : NULL;
}

const sn_elastic_material *sn_body_materials(const sn_world *world, sn_body body, int *count)
{
    const sn_body_record *record = elastic_record(world, body);
    if (count != NULL) {
        *count = record != NULL ? item_of(world, record)->material_count : 0;
    }
    return record != NULL ? item_of(world, record)->materials : NULL;
}

sn_surface sn_body_skin(const sn_world *world, sn_body body)
{
    const sn_body_record *record = elastic_record(world, body);
    return record != NULL ? item_of(world, record)->surface : sn_default_surface();
}

sn_status sn_body_set_skin(sn_world *world, sn_body body, const sn_surface *surface,
                           sn_error *error)
{
    const sn_body_record *record = elastic_record(world, body);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body to change is not an elastic one");
    }
    sn_status status = sn_world_check_steering(world, error);
    status = status == SN_OK ? sn_shape_surface_check(surface, record->name, error) : status;
    if (status == SN_OK) {
        item_of(world, record)->surface = *surface;
        sn_world_touch(world);
    }
    return status;
}

int sn_body_vertex_count(const sn_world *world, sn_body body)
{
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
    return mesh != NULL ? sn_tetrahedra_vertex_count(mesh) : 0;
}

bool sn_body_read_vertices(const sn_world *world, sn_body body, sn_vec3 *positions,
                           sn_vec3 *velocities)
{
    const sn_body_record *record = elastic_record(world, body);
    if (record == NULL) {
        return false;
    }
    const double *q = sn_agent_q(set_of(world, record), record->agent.agent),
                 *v = sn_agent_v(set_of(world, record), record->agent.agent);
    for (int i = 0; i < sn_body_vertex_count(world, body); ++i) {
        if (positions != NULL) {
            positions[i] = sn_vec3_at(q + STRIDE * i);
        }
        if (velocities != NULL) {
            velocities[i] = sn_vec3_at(v + STRIDE * i);
        }
    }
    return true;
}

bool sn_body_vertex_is_fixed(const sn_world *world, sn_body body, int vertex)
{
    const sn_body_record *record = elastic_record(world, body);
    return record != NULL && vertex >= 0 && vertex < sn_body_vertex_count(world, body) &&
           item_of(world, record)->fixed[vertex] != 0;
}

int sn_body_inverted_elements(const sn_world *world, sn_body body, int *elements, int capacity)
{
    const sn_body_record *record = elastic_record(world, body);
    if (record == NULL) {
        return 0;
    }
    const sn_agent_set *set = set_of(world, record);
    sn_elastic_follow_flow(set, record->agent.agent);
    return sn_solid_list_inverted(item_of(world, record)->solid,
                                  sn_agent_q(set, record->agent.agent), elements, capacity);
}

// What is inside out is told, whatever law it has.
int sn_world_count_inverted(const sn_world *world, sn_body *first)
{
    int total = 0;
    *first = (sn_body){0};
    for (int s = 0; s < world->set_count; ++s) {
        const sn_agent_set *set = world->sets[s];
        for (int i = 0; i < set->count && set->type->traits.deformable; ++i) {
            sn_elastic_follow_flow(set, i);
            int count = sn_solid_count_inverted(sn_elastic_item_of(set, i)->solid, world->threads,
                                                sn_agent_q(set, i));
            if (count > 0 && total == 0) {
                uint32_t owner = set->agents[i].owner;
                *first = (sn_body){owner, world->body_ids.generation.data[owner]};
            }
            total += count;
        }
    }
    return total;
}

sn_elastic_report sn_body_elastic_report(const sn_world *world, sn_body body)
{
    const sn_body_record *record = elastic_record(world, body);
    sn_elastic_report report = {0};
    if (record == NULL) {
        return report;
    }
    sn_elastic_item *item = item_of(world, record);
    const double *q = sn_agent_q(set_of(world, record), record->agent.agent),
                 *v = sn_agent_v(set_of(world, record), record->agent.agent);
    sn_elastic_follow_flow(set_of(world, record), record->agent.agent);
    const double *flow = q + set_of(world, record)->agents[record->agent.agent].v_count;
    report.plastic_heat = sn_solid_plastic_heat(item->solid, flow);
    report.plastic_strain = sn_solid_plastic_strain(item->solid, flow);
    report.elastic_energy = sn_solid_energy(item->solid, NULL, q);
    report.least_stretch = sn_solid_least_stretch(item->solid, q, &report.least_element);
    if (item->viscosities != NULL) {
        report.viscous_power =
            sn_solid_add_viscous_forces(item->solid, item->viscosities, item->material_count,
                                        item->viscosity_now, q, v, item->right);
    }
    report.iterations = item->iterations;
    report.newton = item->newtons;
    report.residual = item->residual;
    return report;
}

double sn_body_longest_step(const sn_world *world, sn_body body)
{
    const sn_body_record *record = elastic_record(world, body);
    if (record == NULL) {
        return INFINITY;
    }
    sn_elastic_follow_flow(set_of(world, record), record->agent.agent);
    return sn_elastic_longest_step(set_of(world, record), record->agent.agent);
}

// ---- writing ----

static sn_status check_vertex(const sn_world *world, sn_body body, int vertex, sn_error *error)
{
    if (elastic_record(world, body) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body does not exist or is not elastic");
    }
    if (vertex < 0 || vertex >= sn_body_vertex_count(world, body)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                       "vertex %d; 0 to %d were expected", vertex,
                       sn_body_vertex_count(world, body) - 1);
    }
    return sn_world_check_still(world, error);
}

sn_status sn_body_write_vertices(sn_world *world, sn_body body, const sn_vec3 *positions,
                                 const sn_vec3 *velocities, sn_error *error)
{
    sn_status status = check_vertex(world, body, 0, error);
    int count = sn_body_vertex_count(world, body);
    for (int i = 0; i < count && status == SN_OK; ++i) {
        if ((positions != NULL && !sn_vec3_is_finite(positions[i])) ||
            (velocities != NULL && !sn_vec3_is_finite(velocities[i]))) {
            status = sn_fail(error, SN_ERROR_ARGUMENT, sn_body_name(world, body),
                             "the position or velocity of vertex %d is not finite", i);
        }
    }
    if (status != SN_OK) {
        return status;
    }
    const sn_body_record *record = elastic_record(world, body);
    double *q = sn_agent_q(set_of(world, record), record->agent.agent),
           *v = sn_agent_v(set_of(world, record), record->agent.agent);
    for (int i = 0; i < count; ++i) {
        if (positions != NULL) {
            sn_vec3_put(q + STRIDE * i, positions[i]);
        }
        if (velocities != NULL && item_of(world, record)->fixed[i] == 0) {
            sn_vec3_put(v + STRIDE * i, velocities[i]);
        }
    }
    sn_world_touch(world);
    return SN_OK;
}

sn_status sn_body_fix_vertex(sn_world *world, sn_body body, int vertex, bool fixed, sn_error *error)
{
    sn_status status = check_vertex(world, body, vertex, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_body_record *record = elastic_record(world, body);
    sn_elastic_item *item = item_of(world, record);
    item->fixed_count += (int)fixed - (int)(item->fixed[vertex] != 0);
    item->fixed[vertex] = fixed ? 7 : 0;
    status = sn_elastic_factor_mass(item, error);
    if (fixed) {
        sn_vec3_put(sn_agent_v(set_of(world, record), record->agent.agent) + STRIDE * vertex,
                    SN_VEC3_ZERO);
    }
    sn_world_touch(world);
    return status;
}

void sn_body_add_vertex_force(sn_world *world, sn_body body, int vertex, sn_vec3 force)
{
    const sn_body_record *record = elastic_record(world, body);
    if (record == NULL || vertex < 0 || vertex >= sn_body_vertex_count(world, body)) {
        return;
    }
    sn_agent_set *set = set_of(world, record);
    int agent = record->agent.agent;
    bool evaluating = world->evaluating_group != -2;
    if (evaluating && world->group_of[record->agent.set].data[agent] != world->evaluating_group) {
        return; // its own group asks again
    }
    double *f = (evaluating ? set->joint_force : set->joint_external) + set->agents[agent].v_first +
                STRIDE * vertex;
    f[0] += force.x;
    f[1] += force.y;
    f[2] += force.z;
    if (!evaluating) {
        set->has_external = true;
        sn_touch_rouse(world, record->agent);
        sn_world_jump(world);
    }
}
