#include "bond/bond.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/world.h"

enum { STRIDE = SN_SOLID_STRIDE };

sn_bond_def sn_default_bond_def(void)
{
    return (sn_bond_def){.coordinates = 7,
                         .normal = {0.0, 0.0, 1.0},
                         .other_point = {NAN, NAN, NAN},
                         .end = INFINITY,
                         .break_force = INFINITY};
}

sn_bond_record *sn_world_bond_record(const sn_world *world, sn_bond bond)
{
    sn_id id = {bond.index, bond.generation};
    return sn_id_pool_has(&world->bonds.ids, id) ? &world->bonds.records.data[bond.index] : NULL;
}

static void free_record(sn_bond_record *record)
{
    sn_free(record->name);
    sn_free(record->item.vertices);
    sn_free(record->item.starts);
    sn_free(record->item.anchors);
    sn_free(record->item.nodes);
    sn_free(record->item.lengths);
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
    sn_array_free(&set->held);
    sn_array_free(&set->answers);
    sn_array_free(&set->numbers);
    sn_array_free(&set->pivots);
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
    return type <= SN_BOND_ATTACHED;
}

static bool uses_other(sn_bond_type type)
{
    return type == SN_BOND_ATTACHED || type == SN_BOND_POINT || type == SN_BOND_JUNCTION;
}

// Junctions have one.
static int element_count(const sn_bond_def *def)
{
    return def->elements != NULL && def->type != SN_BOND_JUNCTION ? def->element_count : 1;
}

static int element_at(const sn_bond_def *def, int index)
{
    return def->elements != NULL && def->type != SN_BOND_JUNCTION ? def->elements[index]
                                                                  : def->element;
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
    return SN_OK;
}

// What sn_world_set_bond may change, too.
static sn_status check_numbers(sn_bond_type type, const sn_bond_def *def, const char *name,
                               sn_error *error)
{
    if (isnan(def->start) || isnan(def->end) || !(def->start < def->end)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "it holds from %g s to %g s; the end must be after the start", def->start,
                       def->end);
    }
    if (!(def->break_force > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "it breaks at %g N; above 0 was expected",
                       def->break_force);
    }
    if (type == SN_BOND_PLANE &&
        (!(fabs(sn_length(def->normal) - 1.0) < 1e-9) || !isfinite(def->offset))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "a plane's normal (%g, %g, %g) is not a unit vector, or its offset %g is "
                       "not finite",
                       def->normal.x, def->normal.y, def->normal.z, def->offset);
    }
    for (int k = 0; k < 3 && type == SN_BOND_PATH; ++k) {
        if (def->path[k] == NULL) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name, "a path needs motions along x, y and z");
        }
    }
    if (type == SN_BOND_PATH && (!(def->along_rate >= 0.0) || !isfinite(def->along))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "it goes along its path to %g with %g 1/s; a finite number and a rate of 0 "
                       "or more were expected",
                       def->along, def->along_rate);
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
    sn_status status = uses_other(def->type)
                           ? sn_world_check_tied(world, def->body, def->other, name, error)
                           : SN_OK;
    status = status == SN_OK ? check_numbers(def->type, def, name, error) : status;
    status = status == SN_OK && uses_vertices(def->type) ? check_vertices(world, def, name, error)
                                                         : status;
    for (int i = 0; status == SN_OK && def->type >= SN_BOND_RIGID && i < element_count(def); ++i) {
        status = check_element(world, def->body, element_at(def, i), name, error);
    }
    if (status == SN_OK && element_count(def) < 1) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, name, "a bond of type %s needs elements",
                         sn_bond_type_word(def->type));
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
    return sn_agent_q(world->sets[record->agent.set], record->agent.agent);
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

#define FAR_OUTSIDE 4.0 // element heights: what moves with an element is not that far from it

static bool is_far_outside(const sn_elastic_point *point)
{
    for (int k = 0; k < point->count; ++k) {
        if (!(point->weights[k] > -FAR_OUTSIDE)) {
            return true;
        }
    }
    return false;
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
    sn_status status = sn_elastic_find_point(world->sets[record->agent.set], record->agent.agent,
                                             local, &point, error);
    if (status == SN_OK && is_far_outside(&point)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                         "the point [%g, %g, %g] is further than %g elements outside of the body",
                         local.x, local.y, local.z, FAR_OUTSIDE);
    }
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
        local = def->other.index != 0 ? sn_body_local_point(world, def->other, there) : there;
    }
    const sn_body_record *other = sn_world_body_record(world, def->other);
    if (other != NULL && other->type == SN_BODY_STATIC) { // it stays there
        local = sn_transform_point(other->own->frame, local);
    }
    return set_end(world, def->other, local, &item->ends[1], error);
}

// Each vertex to the point of the other body where it is now; of an elastic one to the element that
// it is in, or nearest to.
static sn_status set_anchors(sn_world *world, const sn_bond_def *def, sn_bond_item *item,
                             sn_error *error)
{
    const sn_body_record *other = sn_world_body_record(world, def->other);
    item->anchors = sn_allocate_zero((size_t)def->vertex_count * sizeof *item->anchors);
    if (item->anchors == NULL) {
        return sn_fail_memory(error, (size_t)def->vertex_count * sizeof *item->anchors);
    }
    for (int i = 0; i < def->vertex_count; ++i) {
        sn_bond_end *anchor = &item->anchors[i];
        sn_vec3 there = item->starts[i];
        *anchor = (sn_bond_end){.set = -1, .local = there};
        if (other != NULL && other->type == SN_BODY_ELASTIC) {
            sn_elastic_point point;
            sn_elastic_nearest_point(world->sets[other->agent.set], other->agent.agent, there,
                                     &point);
            if (is_far_outside(&point)) {
                return sn_fail(error, SN_ERROR_ARGUMENT, other->name,
                               "vertex %d of the body is further than %g elements from this one; "
                               "they were expected to meet",
                               def->vertices[i], FAR_OUTSIDE);
            }
            anchor->count = point.count;
            memcpy(anchor->vertices, point.vertices, sizeof anchor->vertices);
            memcpy(anchor->weights, point.weights, sizeof anchor->weights);
        } else if (other != NULL && other->type == SN_BODY_RIGID) {
            anchor->local = sn_body_local_point(world, def->other, there);
        }
    }
    return SN_OK;
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

static const int *nodes_of(const sn_tetrahedra *mesh, int element)
{
    return sn_tetrahedra_elements(mesh) + (size_t)sn_tetrahedra_nodes(mesh) * (size_t)element;
}

static bool reserve_parts(sn_bond_item *item, int parts, int nodes)
{
    item->nodes = sn_allocate((size_t)parts * (size_t)nodes * sizeof *item->nodes);
    item->lengths = sn_allocate((size_t)parts * sizeof *item->lengths);
    return item->nodes != NULL && item->lengths != NULL;
}

static void add_edge(sn_bond_item *item, const double *q, int a, int b)
{
    sn_vec3 edge = sn_vec3_sub(sn_vec3_at(q + STRIDE * b), sn_vec3_at(q + STRIDE * a));
    item->nodes[2 * item->part_count] = a;
    item->nodes[2 * item->part_count + 1] = b;
    item->lengths[item->part_count++] = sn_dot(edge, edge);
}

// The edges from a corner that is new to the lump, if there is one. False: the element shares less
// than a face with it.
static bool join_lump(sn_bond_item *item, const double *q, const int *nodes, int *lump, int number)
{
    int fresh = 0, last = 0;
    for (int k = 0; k < 4; ++k) {
        bool is_new = lump[nodes[k]] != number;
        fresh += is_new;
        last = is_new ? k : last;
    }
    if (fresh > 1) {
        return false;
    }
    for (int k = 0; k < 4 && fresh == 1; ++k) {
        if (k != last) {
            add_edge(item, q, nodes[last], nodes[k]);
        }
    }
    lump[nodes[last]] = fresh == 1 ? number : lump[nodes[last]];
    return true;
}

// Elements that share faces become one lump, with no more equations than it has freedoms to lose:
// 3 n - 6 for n corners.
static sn_status set_lumps(sn_world *world, const sn_bond_def *def, sn_bond_item *item,
                           sn_error *error)
{
    const sn_tetrahedra *mesh = mesh_of(world, def->body);
    const double *q = places_of(world, def->body);
    int count = element_count(def), lumps = 0;
    size_t vertices = (size_t)sn_tetrahedra_vertex_count(mesh);
    int *lump = sn_allocate_zero((vertices + (size_t)count) * sizeof *lump);
    int *taken = lump != NULL ? lump + vertices : NULL;
    if (lump == NULL || !reserve_parts(item, 6 * count, 2)) {
        sn_free(lump);
        return sn_fail_memory(error, 6 * (size_t)count * sizeof *item->lengths);
    }
    for (int first = 0; first < count; ++first) {
        if (taken[first]) {
            continue;
        }
        const int *nodes = nodes_of(mesh, element_at(def, first));
        lumps += 1;
        taken[first] = 1;
        for (int k = 0; k < 4; ++k) {
            lump[nodes[k]] = lumps;
            for (int l = 0; l < k; ++l) {
                add_edge(item, q, nodes[l], nodes[k]);
            }
        }
        for (bool grown = true; grown;) {
            grown = false;
            for (int i = first + 1; i < count; ++i) {
                const int *more = nodes_of(mesh, element_at(def, i));
                if (!taken[i] && join_lump(item, q, more, lump, lumps)) {
                    taken[i] = 1;
                    grown = true;
                }
            }
        }
    }
    sn_free(lump);
    return SN_OK;
}

static sn_status set_volumes(sn_world *world, const sn_bond_def *def, sn_bond_item *item,
                             sn_error *error)
{
    const double *q = places_of(world, def->body);
    int count = element_count(def);
    if (!reserve_parts(item, count, 4)) {
        return sn_fail_memory(error, 4 * (size_t)count * sizeof *item->nodes);
    }
    for (int i = 0; i < count; ++i) {
        const int *nodes = nodes_of(mesh_of(world, def->body), element_at(def, i));
        sn_vec3 e[3], first = sn_vec3_at(q + STRIDE * nodes[0]);
        for (int k = 0; k < 3; ++k) {
            e[k] = sn_vec3_sub(sn_vec3_at(q + STRIDE * nodes[k + 1]), first);
        }
        memcpy(item->nodes + 4 * i, nodes, 4 * sizeof *nodes);
        item->lengths[i] = sn_dot(e[0], sn_cross(e[1], e[2]));
    }
    item->part_count = count;
    return SN_OK;
}

static sn_status set_junction(sn_world *world, const sn_bond_def *def, sn_bond_item *item,
                              sn_error *error)
{
    if (!reserve_parts(item, 1, 8)) {
        return sn_fail_memory(error, 8 * sizeof *item->nodes);
    }
    const double *q = places_of(world, def->body), *far_q = places_of(world, def->other);
    const int *far = nodes_of(mesh_of(world, def->other), def->other_element);
    memcpy(item->nodes, nodes_of(mesh_of(world, def->body), def->element), 4 * sizeof(int));
    memcpy(item->nodes + 4, far, 4 * sizeof(int));
    item->lengths[0] = 0.0;
    item->part_count = 1;
    sn_vec3 corners[4];
    for (int k = 0; k < 4; ++k) {
        corners[k] = sn_vec3_at(far_q + STRIDE * far[k]);
    }
    for (int k = 0; k < 4; ++k) {
        weigh_corners(corners, sn_vec3_at(q + STRIDE * item->nodes[k]), item->weights + 4 * k);
    }
    return SN_OK;
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
                           .along = {def->along_rate, def->along, world->time, def->along},
                           .start = def->start,
                           .end = def->end};
    const sn_body_record *record = sn_world_body_record(world, def->body);
    item->size = sn_elastic_item_of(world->sets[record->agent.set], record->agent.agent)->radius;
    for (int k = 0; k < 3 && def->type == SN_BOND_PATH; ++k) {
        item->path[k] = sn_motion_retain(def->path[k]);
    }
    if (uses_vertices(def->type) && !copy_vertices(world, def, item)) {
        return sn_fail_memory(error, sizeof(int) * (size_t)def->vertex_count);
    }
    switch (def->type) {
    case SN_BOND_ATTACHED:
        return set_anchors(world, def, item, error);
    case SN_BOND_POINT:
        return set_point(world, def, item, error);
    case SN_BOND_RIGID:
        return set_lumps(world, def, item, error);
    case SN_BOND_VOLUME:
        return set_volumes(world, def, item, error);
    case SN_BOND_JUNCTION:
        return set_junction(world, def, item, error);
    default:
        return SN_OK;
    }
}

static bool enter(sn_world *world, sn_id id, const char *name, sn_bond_record *record)
{
    sn_bond_set *set = &world->bonds;
    int old = set->records.count;
    size_t rows = (size_t)sn_bond_row_count(&record->item);
    record->impulses = sn_allocate_zero(2 * rows * sizeof *record->impulses);
    record->name = sn_world_make_name(world, &set->names, name, "bond");
    if (record->impulses == NULL || record->name == NULL) {
        return false;
    }
    record->gaps = record->impulses + rows;
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
    world->groups_current = false;
    sn_world_touch(world);
    *bond = (sn_bond){id.index, id.generation};
    return SN_OK;
}

sn_status sn_world_set_bond(sn_world *world, sn_bond bond, const sn_bond_def *def, sn_error *error)
{
    sn_bond_record *record = sn_world_bond_record(world, bond);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the bond to change does not exist");
    }
    sn_bond_item *item = &record->item;
    sn_status status = sn_world_check_still(world, error);
    status = status == SN_OK ? check_numbers(item->type, def, record->name, error) : status;
    if (status == SN_OK && item->type == SN_BOND_POINT && sn_vec3_is_finite(def->other_point)) {
        sn_vec3 local = def->other_point;
        const sn_body_record *other = sn_world_body_record(world, record->other);
        if (other != NULL && other->type == SN_BODY_STATIC) {
            local = sn_transform_point(other->own->frame, local);
        }
        sn_bond_end end;
        status = set_end(world, record->other, local, &end, error);
        item->ends[1] = status == SN_OK ? end : item->ends[1];
    }
    if (status != SN_OK) {
        return status;
    }
    for (int k = 0; k < 3 && item->type == SN_BOND_PATH; ++k) {
        sn_motion *before = item->path[k];
        item->path[k] = sn_motion_retain(def->path[k]);
        sn_motion_release(before);
    }
    if (def->along != item->along.target || def->along_rate != item->along.rate) {
        double rate, now = sn_bond_along_at(&item->along, world->time, &rate);
        item->along = (sn_bond_along){def->along_rate, now, world->time, def->along};
    }
    item->normal = def->normal;
    item->offset = def->offset;
    item->quadric = def->quadric;
    item->linear = def->linear;
    item->constant = def->constant;
    item->start = def->start;
    item->end = def->end;
    if (isfinite(record->break_force) != isfinite(def->break_force)) {
        world->groups_current = false; // what may break is watched
    }
    record->break_force = def->break_force;
    sn_world_touch(world);
    return SN_OK;
}

static void remove_index(sn_world *world, uint32_t index)
{
    sn_bond_set *set = &world->bonds;
    sn_bond_record *record = &set->records.data[index];
    sn_world_remove_events_of_bond(world, index);
    sn_name_table_remove(&set->names, record->name);
    free_record(record);
    sn_world_drop_index(set->order.data, &set->order.count, index);
    world->groups_current = false;
    sn_id_pool_give(&set->ids, (sn_id){index, set->ids.generation.data[index]});
}

sn_status sn_world_remove_bond(sn_world *world, sn_bond bond, sn_error *error)
{
    if (sn_world_bond_record(world, bond) == NULL) {
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

// The array becomes a copy of what it was; NULL when memory runs out, which is false.
static bool copy_array(void **array, size_t bytes)
{
    const void *from = *array;
    *array = bytes > 0 ? sn_allocate(bytes) : NULL;
    if (*array != NULL) {
        memcpy(*array, from, bytes);
    }
    return bytes == 0 || *array != NULL;
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
        size_t anchors = from->item.type == SN_BOND_ATTACHED ? vertices : 0,
               parts = (size_t)from->item.part_count;
        size_t nodes = from->item.type == SN_BOND_RIGID    ? 2 * parts
                       : from->item.type == SN_BOND_VOLUME ? 4 * parts
                                                           : 8 * parts;
        *to = *from;
        to->name = sn_copy_text(from->name);
        for (int k = 0; k < 3; ++k) {
            to->item.path[k] = sn_motion_retain(from->item.path[k]);
        }
        copy->bonds.order.data[i] = index;
        bool copied = copy_array((void **)&to->item.vertices, vertices * sizeof(int));
        copied = copy_array((void **)&to->item.starts, vertices * sizeof(sn_vec3)) && copied;
        copied = copy_array((void **)&to->item.anchors, anchors * sizeof(sn_bond_end)) && copied;
        copied = copy_array((void **)&to->item.nodes, nodes * sizeof(int)) && copied;
        copied = copy_array((void **)&to->item.lengths, parts * sizeof(double)) && copied;
        copied = copy_array((void **)&to->impulses, 2 * rows * sizeof(double)) && copied;
        to->gaps = to->impulses != NULL ? to->impulses + rows : NULL;
        if (to->name == NULL || !copied ||
            !sn_name_table_put(&copy->bonds.names, to->name, index)) {
            return false;
        }
    }
    return true;
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

sn_bond sn_world_find_bond(const sn_world *world, const char *name)
{
    uint32_t index = sn_name_table_find(&world->bonds.names, name);
    return index != 0 ? (sn_bond){index, world->bonds.ids.generation.data[index]} : (sn_bond){0};
}

bool sn_bond_is_valid(const sn_world *world, sn_bond bond)
{
    return sn_world_bond_record(world, bond) != NULL;
}

const char *sn_bond_name(const sn_world *world, sn_bond bond)
{
    const sn_bond_record *record = sn_world_bond_record(world, bond);
    return record != NULL ? record->name : "";
}
