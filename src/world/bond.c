#include "world/bond.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

enum { STRIDE = SN_SOLID_STRIDE };

sn_bond_def sn_default_bond_def(void)
{
    return (sn_bond_def){.coordinates = 7,
                         .normal = {0.0, 0.0, 1.0},
                         .other_point = {NAN, NAN, NAN},
                         .end = INFINITY,
                         .break_force = INFINITY};
}

static sn_bond_record *record_of(const sn_world *world, sn_bond bond)
{
    sn_id id = {bond.index, bond.generation};
    return sn_id_pool_has(&world->bonds.ids, id) ? &world->bonds.records.data[bond.index] : NULL;
}

static void free_record(sn_bond_record *record)
{
    sn_free(record->name);
    sn_free(record->item.vertices);
    sn_free(record->item.starts);
    sn_free(record->impulses);
    for (int k = 0; k < 3; ++k) {
        sn_motion_release(record->item.path[k]);
    }
    *record = (sn_bond_record){0};
}

void sn_bond_set_free(sn_bond_set *set)
{
    for (int i = 0; i < set->records.count; ++i) {
        free_record(&set->records.data[i]);
    }
    sn_array_free(&set->records);
    sn_array_free(&set->order);
    sn_array_free(&set->rows);
    sn_array_free(&set->owners);
    sn_name_table_free(&set->names);
    sn_id_pool_free(&set->ids);
}

// ---- checks ----

static const sn_tetrahedra *mesh_of(const sn_world *world, sn_body body)
{
    return sn_body_tetrahedra(world, body);
}

static bool uses_vertices(sn_bond_type type)
{
    return type <= SN_BOND_PATH;
}

static bool uses_other(sn_bond_type type)
{
    return type == SN_BOND_POINT || type == SN_BOND_JUNCTION;
}

static sn_status check_vertices(const sn_world *world, const sn_bond_def *def, const char *name,
                                sn_error *error)
{
    int most = sn_body_vertex_count(world, def->body);
    if (def->vertex_count < 1 || def->vertices == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "a bond of type %s needs vertices",
                       sn_bond_type_word(def->type));
    }
    for (int i = 0; i < def->vertex_count; ++i) {
        if (def->vertices[i] < 0 || def->vertices[i] >= most) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "vertex %d; 0 to %d were expected",
                           def->vertices[i], most - 1);
        }
    }
    if (def->type == SN_BOND_COORDINATES && (def->coordinates == 0 || def->coordinates > 7)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "coordinates %d; 1 to 7 were expected: the sum of 1 for x, 2 for y, 4 for z",
                       (int)def->coordinates);
    }
    if (def->type == SN_BOND_PLANE &&
        (!(fabs(sn_length(def->normal) - 1.0) < 1e-9) || !isfinite(def->offset))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "a plane's normal (%g, %g, %g) is not a unit vector, or its offset %g is "
                       "not finite",
                       def->normal.x, def->normal.y, def->normal.z, def->offset);
    }
    for (int k = 0; k < 3 && def->type == SN_BOND_PATH; ++k) {
        if (def->path[k] == NULL) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "a path needs motions along x, y and z");
        }
    }
    return SN_OK;
}

static sn_status check_element(const sn_world *world, sn_body body, int element, const char *name,
                               sn_error *error)
{
    const sn_tetrahedra *mesh = mesh_of(world, body);
    if (mesh == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "a junction needs two elastic bodies");
    }
    if (element < 0 || element >= sn_tetrahedra_element_count(mesh)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "element %d; 0 to %d were expected", element,
                       sn_tetrahedra_element_count(mesh) - 1);
    }
    return SN_OK;
}

static sn_status check_def(const sn_world *world, const sn_bond_def *def, const char *name,
                           sn_error *error)
{
    if (sn_name_table_find(&world->bonds.names, name) != 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is a bond of this name already; names must be unique");
    }
    if ((unsigned)def->type >= SN_BOND_TYPE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "bond type %d is none of the %d there are",
                       (int)def->type, (int)SN_BOND_TYPE_COUNT);
    }
    if (mesh_of(world, def->body) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the bond's body is not an elastic one");
    }
    if (uses_other(def->type) && def->other.index != 0 && !sn_body_is_valid(world, def->other)) {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the bond's other body does not exist");
    }
    if (uses_other(def->type) && def->other.index == def->body.index) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the bond ties a body to itself");
    }
    if (isnan(def->start) || isnan(def->end) || !(def->start < def->end)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "it holds from %g s to %g s; the end must be after the start", def->start,
                       def->end);
    }
    if (!(def->break_force > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "it breaks at %g N; above 0 was expected",
                       def->break_force);
    }
    const sn_body_record *ends[2] = {sn_world_body_record(world, def->body),
                                     sn_world_body_record(world, def->other)};
    bool moves = uses_other(def->type) && ends[1] != NULL && ends[1]->agent.agent >= 0;
    for (int i = 0; i < 2 && moves; ++i) {
        const sn_agent *head = &world->sets[ends[i]->agent.set]->agents[ends[i]->agent.agent];
        if (sn_integrator_is_staged(head->integrator)) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, name,
                           "'%s' is moved by %s; bodies that move can be tied to each other under "
                           "lie_midpoint and the rules of Euler only",
                           ends[i]->name, sn_integrator_word((sn_integrator)head->integrator));
        }
    }
    sn_status status = uses_vertices(def->type) ? check_vertices(world, def, name, error) : SN_OK;
    if (status == SN_OK && def->type >= SN_BOND_RIGID) {
        status = check_element(world, def->body, def->element, name, error);
    }
    if (status == SN_OK && def->type == SN_BOND_JUNCTION) {
        status = check_element(world, def->other, def->other_element, name, error);
    }
    return status;
}

// ---- making ----

static const double *places_of(const sn_world *world, sn_body body)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return sn_agent_q(&world->elastics.agents, record->agent.agent);
}

static bool copy_vertices(const sn_world *world, const sn_bond_def *def, sn_bond_item *item)
{
    size_t count = (size_t)def->vertex_count;
    item->vertices = sn_allocate(count * sizeof *item->vertices);
    item->starts = sn_allocate(count * sizeof *item->starts);
    if (item->vertices == NULL || item->starts == NULL) {
        return false;
    }
    item->vertex_count = def->vertex_count;
    for (size_t i = 0; i < count; ++i) {
        item->vertices[i] = def->vertices[i];
        item->starts[i] = sn_vec3_at(places_of(world, def->body) + STRIDE * def->vertices[i]);
    }
    return true;
}

static sn_status set_end(sn_world *world, sn_body body, sn_vec3 local, sn_bond_end *end,
                         sn_error *error)
{
    *end = (sn_bond_end){.set = -1, .local = local};
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->type != SN_BODY_ELASTIC) {
        return SN_OK;
    }
    sn_elastic_point point;
    sn_status status =
        sn_elastic_find_point(&world->elastics.agents, record->agent.agent, local, &point, error);
    end->count = status == SN_OK ? point.count : 0;
    memcpy(end->vertices, point.vertices, sizeof end->vertices);
    memcpy(end->weights, point.weights, sizeof end->weights);
    return status;
}

static sn_status set_point(sn_world *world, const sn_bond_def *def, sn_bond_item *item,
                           sn_error *error)
{
    sn_status status = set_end(world, def->body, def->point, &item->ends[0], error);
    if (status != SN_OK) {
        return status;
    }
    sn_vec3 local = def->other_point, there, velocity;
    if (!sn_vec3_is_finite(local)) {
        sn_world_body_point(world, sn_world_body_record(world, def->body), def->point, &there,
                            &velocity);
        local = def->other.index != 0
                    ? sn_transform_point(sn_transform_inverse(sn_body_transform(world, def->other)),
                                         there)
                    : there;
    }
    const sn_body_record *other = sn_world_body_record(world, def->other);
    if (other != NULL && other->agent.agent < 0) { // it stays there
        local = sn_transform_point(other->own->frame, local);
    }
    return set_end(world, def->other, local, &item->ends[1], error);
}

// Barycentric coordinates of a place in a tetrahedron.
static void weigh_corners(const sn_vec3 corners[4], sn_vec3 place, double weights[4])
{
    sn_vec3 e[3], r = sn_vec3_sub(place, corners[0]);
    for (int k = 0; k < 3; ++k) {
        e[k] = sn_vec3_sub(corners[k + 1], corners[0]);
    }
    double volume = sn_dot(e[0], sn_cross(e[1], e[2]));
    weights[0] = 1.0;
    for (int k = 0; k < 3; ++k) {
        weights[k + 1] = sn_dot(r, sn_cross(e[(k + 1) % 3], e[(k + 2) % 3])) / volume;
        weights[0] -= weights[k + 1];
    }
}

static void set_element(const sn_world *world, const sn_bond_def *def, sn_bond_item *item)
{
    const sn_tetrahedra *mesh = mesh_of(world, def->body);
    const int *nodes =
        sn_tetrahedra_elements(mesh) + (size_t)sn_tetrahedra_nodes(mesh) * (size_t)def->element;
    const double *q = places_of(world, def->body);
    static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    sn_vec3 x[4], e[6];
    for (int k = 0; k < 4; ++k) {
        item->nodes[k] = nodes[k];
        x[k] = sn_vec3_at(q + STRIDE * nodes[k]);
    }
    for (int k = 0; k < 6; ++k) {
        e[k] = sn_vec3_sub(x[edges[k][1]], x[edges[k][0]]);
        item->lengths[k] = sn_dot(e[k], e[k]);
    }
    if (def->type == SN_BOND_VOLUME) {
        item->lengths[0] = sn_dot(e[0], sn_cross(e[1], e[2]));
    }
    if (def->type != SN_BOND_JUNCTION) {
        return;
    }
    const sn_tetrahedra *far = mesh_of(world, def->other);
    const int *far_nodes =
        sn_tetrahedra_elements(far) + (size_t)sn_tetrahedra_nodes(far) * (size_t)def->other_element;
    const double *far_q = places_of(world, def->other);
    sn_vec3 corners[4];
    for (int k = 0; k < 4; ++k) {
        item->nodes[4 + k] = far_nodes[k];
        corners[k] = sn_vec3_at(far_q + STRIDE * far_nodes[k]);
    }
    for (int k = 0; k < 4; ++k) {
        weigh_corners(corners, x[k], item->weights + 4 * k);
    }
}

static sn_status make_item(sn_world *world, const sn_bond_def *def, sn_bond_item *item,
                           sn_error *error)
{
    *item = (sn_bond_item){.type = def->type,
                           .coordinates = def->coordinates,
                           .normal = def->normal,
                           .offset = def->offset,
                           .quadric = def->quadric,
                           .linear = def->linear,
                           .constant = def->constant,
                           .start = def->start,
                           .end = def->end};
    const sn_body_record *record = sn_world_body_record(world, def->body);
    item->size = world->elastics.items[record->agent.agent]->radius;
    for (int k = 0; k < 3 && def->type == SN_BOND_PATH; ++k) {
        item->path[k] = sn_motion_retain(def->path[k]);
    }
    if (uses_vertices(def->type) && !copy_vertices(world, def, item)) {
        return sn_fail_memory(error, sizeof(int) * (size_t)def->vertex_count);
    }
    if (def->type == SN_BOND_POINT) {
        return set_point(world, def, item, error);
    }
    if (def->type >= SN_BOND_RIGID) {
        set_element(world, def, item);
    }
    return SN_OK;
}

static bool enter(sn_world *world, sn_id id, const char *name, sn_bond_record *record)
{
    sn_bond_set *set = &world->bonds;
    int old = set->records.count;
    size_t rows = (size_t)sn_bond_row_count(&record->item);
    record->impulses = sn_allocate_zero(rows * sizeof *record->impulses);
    record->name = sn_world_make_name(world, &set->names, name, "bond");
    if (record->impulses == NULL || record->name == NULL) {
        return false;
    }
    if ((int)id.index >= old) {
        if (!sn_array_resize(&set->records, (int)id.index + 1)) {
            return false;
        }
        memset(&set->records.data[old], 0,
               (size_t)((int)id.index + 1 - old) * sizeof *set->records.data);
    }
    return sn_array_reserve(&set->order, set->order.count + 1) &&
           sn_name_table_put(&set->names, record->name, id.index);
}

sn_status sn_world_add_bond(sn_world *world, const sn_bond_def *def, sn_bond *bond, sn_error *error)
{
    *bond = (sn_bond){0};
    const char *name = def->name != NULL && def->name[0] != '\0' ? def->name : "unnamed bond";
    sn_status status = sn_world_check_still(world, error);
    status = status == SN_OK ? check_def(world, def, name, error) : status;
    sn_bond_record record = {.body = def->body,
                             .other = uses_other(def->type) ? def->other : (sn_body){0},
                             .break_force = def->break_force,
                             .first_row = -1};
    status = status == SN_OK ? make_item(world, def, &record.item, error) : status;
    sn_id id = status == SN_OK ? sn_id_pool_take(&world->bonds.ids) : (sn_id){0};
    if (status == SN_OK && (id.index == 0 || !enter(world, id, def->name, &record))) {
        status = sn_fail_memory(error, sizeof record);
        if (id.index != 0) {
            sn_id_pool_give(&world->bonds.ids, id);
        }
    }
    if (status != SN_OK) {
        free_record(&record);
        return status;
    }
    world->bonds.records.data[id.index] = record;
    world->bonds.order.data[world->bonds.order.count++] = id.index;
    sn_world_touch(world);
    *bond = (sn_bond){id.index, id.generation};
    return SN_OK;
}

static void remove_index(sn_world *world, uint32_t index)
{
    sn_bond_set *set = &world->bonds;
    sn_bond_record *record = &set->records.data[index];
    sn_name_table_remove(&set->names, record->name);
    free_record(record);
    sn_world_drop_index(set->order.data, &set->order.count, index);
    sn_id_pool_give(&set->ids, (sn_id){index, set->ids.generation.data[index]});
}

sn_status sn_world_remove_bond(sn_world *world, sn_bond bond, sn_error *error)
{
    if (record_of(world, bond) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the bond to remove does not exist");
    }
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        remove_index(world, bond.index);
        sn_world_touch(world);
    }
    return status;
}

void sn_world_remove_bonds_of(sn_world *world, sn_body body)
{
    for (int i = world->bonds.order.count - 1; i >= 0; --i) {
        uint32_t index = world->bonds.order.data[i];
        const sn_bond_record *record = &world->bonds.records.data[index];
        if (record->body.index == body.index || record->other.index == body.index) {
            remove_index(world, index);
        }
    }
}

bool sn_world_copy_bonds(const sn_world *world, sn_world *copy)
{
    const sn_bond_set *set = &world->bonds;
    if (set->records.count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&set->ids, &copy->bonds.ids) ||
        !sn_array_resize(&copy->bonds.records, set->records.count) ||
        !sn_array_resize(&copy->bonds.order, set->order.count)) {
        return false;
    }
    memset(copy->bonds.records.data, 0,
           (size_t)set->records.count * sizeof *copy->bonds.records.data);
    for (int i = 0; i < set->order.count; ++i) {
        uint32_t index = set->order.data[i];
        const sn_bond_record *from = &set->records.data[index];
        sn_bond_record *to = &copy->bonds.records.data[index];
        size_t vertices = (size_t)from->item.vertex_count,
               rows = (size_t)sn_bond_row_count(&from->item);
        *to = *from;
        to->name = sn_copy_text(from->name);
        to->item.vertices = vertices > 0 ? sn_allocate(vertices * sizeof(int)) : NULL;
        to->item.starts = vertices > 0 ? sn_allocate(vertices * sizeof(sn_vec3)) : NULL;
        to->impulses = sn_allocate(rows * sizeof(double));
        for (int k = 0; k < 3; ++k) {
            to->item.path[k] = sn_motion_retain(from->item.path[k]);
        }
        copy->bonds.order.data[i] = index;
        if (to->name == NULL || to->impulses == NULL ||
            (vertices > 0 && (to->item.vertices == NULL || to->item.starts == NULL)) ||
            !sn_name_table_put(&copy->bonds.names, to->name, index)) {
            return false;
        }
        if (vertices > 0) {
            memcpy(to->item.vertices, from->item.vertices, vertices * sizeof(int));
            memcpy(to->item.starts, from->item.starts, vertices * sizeof(sn_vec3));
        }
        memcpy(to->impulses, from->impulses, rows * sizeof(double));
    }
    return true;
}

// ---- rows of a step ----

static bool is_active(const sn_bond_record *record, double time)
{
    return !record->broken && time >= record->item.start && time < record->item.end;
}

static sn_bond_view view_of(const sn_world *world, const sn_bond_record *record, double time)
{
    const sn_agent_set *set = &world->elastics.agents;
    const sn_body_record *body = sn_world_body_record(world, record->body),
                         *other = sn_world_body_record(world, record->other);
    sn_bond_view view = {.x = sn_agent_q(set, body->agent.agent),
                         .v = sn_agent_v(set, body->agent.agent),
                         .point = record->item.ends[1].local,
                         .time = time};
    if (other != NULL && other->type == SN_BODY_ELASTIC) {
        view.other_x = sn_agent_q(set, other->agent.agent);
        view.other_v = sn_agent_v(set, other->agent.agent);
    } else if (other != NULL && other->agent.agent >= 0) {
        sn_part part;
        world->sets[other->agent.set]->type->part(world->sets[other->agent.set], other->agent.agent,
                                                  other->agent.part, &part);
        sn_world_body_point(world, other, record->item.ends[1].local, &view.point,
                            &view.point_velocity);
        sn_vec3 turning = sn_cross(part.angular_velocity, sn_vec3_sub(view.point, part.centre));
        view.point_acceleration = sn_cross(part.angular_velocity, turning);
    }
    return view;
}

// A vertex as a part of its agent, for the step under way.
static int grip_vertex(sn_world *world, int agent, int vertex)
{
    sn_elastic_point point = {.count = 1, .vertices = {vertex}, .weights = {1.0}};
    return sn_elastic_grip(&world->elastics.agents, agent, &point);
}

// The velocity at which an equation holds at the end of the step, with what curvature adds on the
// way. A rule that ends where the new velocity leads gets there at once; under the midpoint rule
// half of the way is left, because velocities that undo the whole error would swing.
static double wanted_rate(const sn_world *world, const sn_bond_record *record,
                          const sn_bond_row *now, const sn_bond_row *then, double h)
{
    const sn_body_record *body = sn_world_body_record(world, record->body);
    bool midpoint =
        world->elastics.agents.agents[body->agent.agent].integrator == SN_INTEGRATOR_LIE_MIDPOINT;
    bool path = record->item.type == SN_BOND_PATH;
    double bend = path ? 0.0 : now->acceleration;
    return midpoint ? -then->rate - 0.5 * now->value / h - h * bend
                    : -then->value / h - 0.5 * h * bend;
}

static bool add_row(sn_world *world, sn_bond_record *record, int index, const sn_bond_view *view,
                    double h)
{
    const sn_body_record *bodies[2] = {sn_world_body_record(world, record->body),
                                       sn_world_body_record(world, record->other)};
    sn_bond_row row, then;
    sn_bond_view later = *view;
    // At its end a path has the rate that it came with, not the one of what rests there afterwards.
    later.time = fmin(view->time + h, nextafter(record->item.end, -INFINITY));
    sn_bond_read_row(&record->item, index, view, &row);
    sn_bond_read_row(&record->item, index, &later, &then);
    sn_exact_bond out = {.target = wanted_rate(world, record, &row, &then, h),
                         .end_target = -then.rate,
                         .impulse = record->impulses[index]};
    for (int i = 0; i < row.count; ++i) {
        const sn_body_record *body = bodies[row.terms[i].end];
        sn_vec3 along = row.terms[i].gradient;
        if (body == NULL || body->agent.agent < 0) {
            continue; // of the world, or static
        }
        sn_contact_side side = {body->agent.set, body->agent.agent, body->agent.part};
        sn_spatial force = sn_spatial_make(SN_VEC3_ZERO, along);
        if (body->type == SN_BODY_ELASTIC) {
            side.part = grip_vertex(world, body->agent.agent, row.terms[i].vertex);
        } else {
            sn_part part;
            world->sets[side.set]->type->part(world->sets[side.set], side.agent, side.part, &part);
            force.angular = sn_cross(sn_vec3_sub(view->point, part.centre), along);
        }
        if (side.part < 0) {
            return false;
        }
        out.sides[out.count] = side;
        out.forces[out.count++] = force;
    }
    sn_bond_set *set = &world->bonds;
    sn_contact_side none = {-1, -1, 0}, other = none;
    for (int i = 0; i < out.count; ++i) {
        bool same =
            out.sides[i].set == out.sides[0].set && out.sides[i].agent == out.sides[0].agent;
        other = same ? other : out.sides[i];
    }
    sn_island_pair link = {sn_touch_agent_number(world, out.sides[0]),
                           sn_touch_agent_number(world, other)};
    uint32_t owner = (uint32_t)(record - set->records.data);
    return sn_array_push(&set->rows, out) && sn_array_push(&set->owners, owner) &&
           sn_array_push(&world->touch.active, SN_TOUCH_BONDS + set->rows.count - 1) &&
           sn_array_push(&world->touch.links, link);
}

sn_status sn_world_find_bonds(sn_world *world, double h, sn_error *error)
{
    sn_bond_set *set = &world->bonds;
    sn_array_clear(&set->rows);
    sn_array_clear(&set->owners);
    for (int i = 0; i < set->order.count; ++i) {
        sn_bond_record *record = &set->records.data[set->order.data[i]];
        record->first_row = -1;
        int agent = sn_world_body_record(world, record->body)->agent.agent;
        bool staged = sn_integrator_is_staged(world->elastics.agents.agents[agent].integrator);
        if (!is_active(record, world->time) || staged) {
            memset(record->impulses, 0,
                   (size_t)sn_bond_row_count(&record->item) * sizeof *record->impulses);
            continue;
        }
        record->first_row = set->rows.count;
        sn_bond_view view = view_of(world, record, world->time);
        for (int k = 0; k < sn_bond_row_count(&record->item); ++k) {
            if (!add_row(world, record, k, &view, h)) {
                return sn_fail_memory(error, sizeof(sn_exact_bond));
            }
        }
    }
    return SN_OK;
}

sn_status sn_world_give_bonds(sn_world *world, sn_error *error)
{
    sn_agent_set *set = &world->elastics.agents;
    for (int i = 0; i < set->count; ++i) {
        sn_array_clear(&world->elastics.items[i]->bonds);
    }
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        int agent = sn_world_body_record(world, record->body)->agent.agent;
        const sn_bond_item *item = &record->item;
        if (sn_integrator_is_staged(set->agents[agent].integrator) && !record->broken &&
            !sn_array_push(&world->elastics.items[agent]->bonds, item)) {
            return sn_fail_memory(error, sizeof item);
        }
    }
    return SN_OK;
}

void sn_world_finish_bonds(sn_world *world, double h)
{
    sn_bond_set *set = &world->bonds;
    for (int i = 0; i < set->order.count; ++i) {
        sn_bond_record *record = &set->records.data[set->order.data[i]];
        record->force = 0.0;
        for (int k = 0; k < sn_bond_row_count(&record->item) && record->first_row >= 0; ++k) {
            const sn_exact_bond *row = &set->rows.data[record->first_row + k];
            sn_vec3 sum = SN_VEC3_ZERO; // forces are impulses times gradients
            double steepest = 0.0;
            for (int t = 0; t < row->count; ++t) {
                bool same = row->sides[t].set == row->sides[0].set &&
                            row->sides[t].agent == row->sides[0].agent;
                sum = same ? sn_vec3_add(sum, row->forces[t].linear) : sum;
                steepest = fmax(steepest, sn_length(row->forces[t].linear));
            }
            steepest = fmax(steepest, sn_length(sum)); // all on one body, if not against each other
            record->impulses[k] = row->impulse;
            record->force = fmax(record->force, fabs(row->impulse) * steepest / h);
        }
        record->broken = record->broken || record->force > record->break_force;
    }
}

bool sn_world_is_bonded(const sn_world *world, uint32_t body_a, uint32_t body_b)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *record = &world->bonds.records.data[world->bonds.order.data[i]];
        bool both = (record->body.index == body_a && record->other.index == body_b) ||
                    (record->body.index == body_b && record->other.index == body_a);
        if (both && body_b != 0 && is_active(record, world->time)) {
            return true;
        }
    }
    return false;
}

// ---- reading ----

int sn_world_bond_count(const sn_world *world)
{
    return world->bonds.order.count;
}

sn_bond sn_world_bond(const sn_world *world, int order)
{
    if (order < 0 || order >= world->bonds.order.count) {
        return (sn_bond){0};
    }
    uint32_t index = world->bonds.order.data[order];
    return (sn_bond){index, world->bonds.ids.generation.data[index]};
}

bool sn_bond_is_valid(const sn_world *world, sn_bond bond)
{
    return record_of(world, bond) != NULL;
}

const char *sn_bond_name(const sn_world *world, sn_bond bond)
{
    const sn_bond_record *record = record_of(world, bond);
    return record != NULL ? record->name : "";
}

sn_bond_state sn_bond_read(const sn_world *world, sn_bond bond)
{
    const sn_bond_record *record = record_of(world, bond);
    sn_bond_state state = {0};
    if (record == NULL) {
        return state;
    }
    state.active = is_active(record, world->time);
    state.broken = record->broken;
    state.force = record->force;
    sn_bond_view view = view_of(world, record, world->time);
    for (int i = 0; i < sn_bond_row_count(&record->item); ++i) {
        sn_bond_row row;
        sn_vec3 sum = SN_VEC3_ZERO;
        double steepest = 0.0;
        sn_bond_read_row(&record->item, i, &view, &row);
        for (int t = 0; t < row.count; ++t) {
            sum = row.terms[t].end == 0 ? sn_vec3_add(sum, row.terms[t].gradient) : sum;
            steepest = fmax(steepest, sn_length(row.terms[t].gradient));
        }
        steepest = fmax(steepest, sn_length(sum));
        state.error = fmax(state.error, steepest > 0.0 ? fabs(row.value) / steepest : 0.0);
    }
    return state;
}

// ---- states ----

size_t sn_world_bond_state_size(const sn_world *world)
{
    return (size_t)world->bonds.order.count * sizeof(double);
}

unsigned char *sn_world_save_bonds(const sn_world *world, unsigned char *at)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        double broken = world->bonds.records.data[world->bonds.order.data[i]].broken;
        memcpy(at, &broken, sizeof broken);
        at += sizeof broken;
    }
    return at;
}

const unsigned char *sn_world_load_bonds(sn_world *world, const unsigned char *at)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        double broken;
        memcpy(&broken, at, sizeof broken);
        world->bonds.records.data[world->bonds.order.data[i]].broken = broken != 0.0;
        at += sizeof broken;
    }
    return at;
}
