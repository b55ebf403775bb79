#include "scene/bond_def.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "model/world.h"
#include "scene/elastic_def.h"
#include "scene/motion_def.h"

// What a def refers to.
typedef struct bond_parts {
    int *vertices, *elements;
    sn_motion *path[3];
} bond_parts;

static void free_parts(bond_parts *parts)
{
    sn_free(parts->vertices);
    sn_free(parts->elements);
    for (int k = 0; k < 3; ++k) {
        sn_motion_release(parts->path[k]);
    }
}

// ---- numbers ----

static double part_of(sn_vec3 v, int axis)
{
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

// (x - p) . A (x - p) + b . (x - p) + c, written in x.
static void set_quadric(sn_bond_def *def, sn_mat3 a, sn_vec3 b, double c, sn_vec3 p)
{
    sn_vec3 ap = sn_mat3_apply(a, p);
    def->quadric = a;
    def->linear = sn_vec3_add_scaled(b, -2.0, ap);
    def->constant = sn_dot(p, ap) - sn_dot(b, p) + c;
}

static void set_surface(const sn_bonding_item *item, sn_bond_def *def)
{
    sn_vec3 n = sn_normalize(item->normal);
    const double axis[3] = {n.x, n.y, n.z};
    sn_mat3 a = SN_MAT3_IDENTITY;
    double round = -item->radius * item->radius;
    switch (item->item.table->id) {
    case SN_SCENE_BOND_PLANE:
        def->normal = n;
        def->offset = sn_dot(n, item->position);
        return;
    case SN_SCENE_BOND_SPHERE:
        set_quadric(def, a, SN_VEC3_ZERO, round, item->position);
        return;
    case SN_SCENE_BOND_CYLINDER: // |x|^2 - (n . x)^2 = r^2
        for (int i = 0; i < 9; ++i) {
            a.m[i / 3][i % 3] -= axis[i / 3] * axis[i % 3];
        }
        set_quadric(def, a, SN_VEC3_ZERO, round, item->position);
        return;
    case SN_SCENE_BOND_QUADRIC:
        for (int i = 0; i < 9; ++i) {
            a.m[i / 3][i % 3] = item->matrix.data[i];
        }
        set_quadric(def, a, item->linear, item->constant, item->position);
        return;
    default:
        return;
    }
}

// Points count from the first, which is where the vertices start.
static sn_status set_path(const sn_scene *scene, const sn_bonding_item *item, sn_vec3 start,
                          bond_parts *parts, sn_bond_def *def, sn_error *error)
{
    const sn_number_list *marks = item->times.count > 0 ? &item->times : &item->marks;
    int count = item->points.count;
    double *values = sn_allocate((size_t)count * sizeof *values);
    if (values == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *values);
    }
    sn_status status = SN_OK;
    for (int k = 0; k < 3 && status == SN_OK; ++k) {
        for (int i = 0; i < count; ++i) {
            values[i] = part_of(start, k) + part_of(item->points.data[i], k) -
                        part_of(item->points.data[0], k);
        }
        sn_motion_def motion = sn_default_motion_def();
        motion.type = (sn_motion_type)item->course;
        motion.times = marks->data;
        motion.values = values;
        motion.count = count;
        motion.repeats = item->repeats;
        if (sn_item_gives(&item->item, "start_velocity")) {
            motion.start_rate = part_of(item->start_velocity, k);
        }
        if (sn_item_gives(&item->item, "end_velocity")) {
            motion.end_rate = part_of(item->end_velocity, k);
        }
        status = sn_place_error(scene, sn_item_place(&item->item, "points"),
                                sn_motion_create(&motion, &parts->path[k], error), error);
        def->path[k] = parts->path[k];
    }
    sn_free(values);
    return status;
}

static bool follows_number(const sn_bonding_item *item)
{
    return item->item.table->id == SN_SCENE_BOND_PATH && item->marks.count > 0;
}

static void set_along(const sn_bonding_item *item, sn_bond_def *def)
{
    const double *marks = item->marks.data;
    double whole = marks[item->marks.count - 1] - marks[0];
    def->along = sn_item_gives(&item->item, "along") ? item->along : marks[0];
    def->along_rate = sn_item_gives(&item->item, "along_rate") ? item->along_rate
                      : whole > 0.0                            ? whole
                                                               : 1.0;
}

// All that sn_world_set_bond takes, of vertices the first of which starts there.
static sn_status set_numbers(const sn_scene *scene, const sn_bonding_item *item, sn_vec3 start,
                             bond_parts *parts, sn_bond_def *def, sn_error *error)
{
    def->start = sn_item_gives(&item->item, "from") ? item->start : 0.0;
    def->end = sn_item_gives(&item->item, "until") ? item->end : INFINITY;
    def->break_force = sn_item_gives(&item->item, "breaks_at") ? item->break_force : INFINITY;
    if (sn_item_gives(&item->item, "to_point")) {
        def->other_point = item->to_point;
    }
    set_surface(item, def);
    if (follows_number(item)) {
        set_along(item, def);
    }
    return item->item.table->id == SN_SCENE_BOND_PATH
               ? set_path(scene, item, start, parts, def, error)
               : SN_OK;
}

// ---- what is held ----

static sn_bond_type type_of(const sn_bonding_item *item)
{
    static const sn_bond_type types[] = {SN_BOND_COORDINATES, SN_BOND_PLANE,   SN_BOND_QUADRIC,
                                         SN_BOND_QUADRIC,     SN_BOND_QUADRIC, SN_BOND_PATH,
                                         SN_BOND_ATTACHED,    SN_BOND_POINT,   SN_BOND_RIGID,
                                         SN_BOND_VOLUME,      SN_BOND_JUNCTION};
    bool grown = item->item.table->id == SN_SCENE_BOND_JUNCTION && item->vertices.count > 0;
    return grown ? SN_BOND_ATTACHED : types[item->item.table->id];
}

static uint8_t axis_bits(const char *axes)
{
    uint8_t bits = 0;
    for (const char *at = axes != NULL ? axes : "xyz"; *at != '\0'; ++at) {
        bits |= (uint8_t)(1 << (*at - 'x'));
    }
    return bits;
}

static int list_marked(const uint8_t *marks, int count, int *list)
{
    int found = 0;
    for (int i = 0; i < count; ++i) {
        if (marks[i]) {
            list[found++] = i;
        }
    }
    return found;
}

static sn_status choose_vertices(const sn_scene *scene, const sn_bonding_item *item,
                                 const sn_tetrahedra *mesh, uint8_t *marks, bond_parts *parts,
                                 sn_bond_def *def, sn_error *error)
{
    int count = sn_tetrahedra_vertex_count(mesh);
    char who[160];
    snprintf(who, sizeof who, "bond '%.120s'", item->name);
    sn_status status = sn_mark_choices(scene, who, &item->vertices, mesh, marks, error);
    if (status != SN_OK) {
        return status;
    }
    if (def->type < SN_BOND_RIGID) {
        parts->vertices = sn_allocate((size_t)count * sizeof *parts->vertices);
        if (parts->vertices == NULL) {
            return sn_fail_memory(error, (size_t)count * sizeof *parts->vertices);
        }
        def->vertices = parts->vertices;
        def->vertex_count = list_marked(marks, count, parts->vertices);
        return SN_OK;
    }
    const int *elements = sn_tetrahedra_elements(mesh);
    int nodes = sn_tetrahedra_nodes(mesh), all = sn_tetrahedra_element_count(mesh);
    parts->elements = sn_allocate((size_t)all * sizeof *parts->elements);
    if (parts->elements == NULL) {
        return sn_fail_memory(error, (size_t)all * sizeof *parts->elements);
    }
    def->elements = parts->elements;
    for (int e = 0; e < all; ++e) {
        const int *corner = elements + (size_t)nodes * (size_t)e;
        if (marks[corner[0]] && marks[corner[1]] && marks[corner[2]] && marks[corner[3]]) {
            parts->elements[def->element_count++] = e;
        }
    }
    return def->element_count > 0
               ? SN_OK
               : sn_place_error(scene, sn_item_place(&item->item, "vertices"),
                                sn_fail(error, SN_ERROR_SCENE, item->name,
                                        "no element has all four corners there, expected at least "
                                        "one"),
                                error);
}

static sn_status list_elements(const sn_scene *scene, const sn_bonding_item *item,
                               const sn_tetrahedra *mesh, bond_parts *parts, sn_bond_def *def,
                               sn_error *error)
{
    int all = sn_tetrahedra_element_count(mesh);
    parts->elements = sn_allocate((size_t)item->elements.count * sizeof *parts->elements + 1);
    if (parts->elements == NULL) {
        return sn_fail_memory(error, (size_t)item->elements.count * sizeof *parts->elements);
    }
    def->elements = parts->elements;
    for (int i = 0; i < item->elements.count; ++i) {
        double number = item->elements.data[i];
        if (number != floor(number) || !(number < all)) {
            return sn_place_error(scene, sn_item_place(&item->item, "elements"),
                                  sn_fail(error, SN_ERROR_SCENE, item->name,
                                          "there is no element %g, expected whole numbers from 0 "
                                          "to %d",
                                          number, all - 1),
                                  error);
        }
        parts->elements[def->element_count++] = (int)number;
    }
    return SN_OK;
}

static sn_body body_at(const sn_scene *scene, const sn_world *world, int index)
{
    return index >= 0 ? sn_world_find_body(world, SN_BODY(scene, index)->name) : (sn_body){0};
}

static sn_status set_structure(const sn_scene *scene, const sn_bonding_item *item,
                               const sn_world *world, bond_parts *parts, sn_bond_def *def,
                               sn_error *error)
{
    def->name = item->name;
    def->type = type_of(item);
    def->body = body_at(scene, world, item->body_index);
    def->other = body_at(scene, world, item->to_index);
    def->coordinates = axis_bits(item->axes);
    def->point = item->point;
    def->element = (int)fmin(item->element, 2e9);
    def->other_element = (int)fmin(item->to_element, 2e9);
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, def->body);
    if (item->elements.count > 0) {
        return list_elements(scene, item, mesh, parts, def, error);
    }
    if (item->vertices.count == 0) {
        return SN_OK;
    }
    size_t count = (size_t)sn_tetrahedra_vertex_count(mesh);
    uint8_t *marks = sn_allocate_zero(count);
    if (marks == NULL) {
        return sn_fail_memory(error, count);
    }
    sn_status status = choose_vertices(scene, item, mesh, marks, parts, def, error);
    sn_free(marks);
    return status;
}

// ---- in a world ----

// What cannot hold: ways of vertices that are fixed, and surfaces or points that are farther off at
// the start than the whole body is wide, which would tear it apart in its first step.
static sn_status check_start(const sn_scene *scene, const sn_bonding_item *item,
                             const sn_world *world, const sn_bond_def *def, sn_bond bond,
                             sn_error *error)
{
    for (int i = 0; i < def->vertex_count && def->type == SN_BOND_PATH; ++i) {
        if (sn_body_vertex_is_fixed(world, def->body, def->vertices[i])) {
            return sn_place_error(scene, sn_item_place(&item->item, "vertices"),
                                  sn_fail(error, SN_ERROR_SCENE, item->name,
                                          "vertex %d is fixed; a path expects vertices that can go "
                                          "along it",
                                          def->vertices[i]),
                                  error);
        }
    }
    const sn_body_record *record = sn_world_body_record(world, def->body);
    double size =
        2.0 * sn_elastic_item_of(world->sets[record->agent.set], record->agent.agent)->radius;
    double off = sn_bond_read(world, bond).error;
    return def->start > 0.0 || off <= size
               ? SN_OK
               : sn_place_error(scene, item->item.place,
                                sn_fail(error, SN_ERROR_SCENE, item->name,
                                        "what it holds starts %g m from where it is to be; less "
                                        "than the size of the body, %g m, was expected",
                                        off, size),
                                error);
}

static sn_status add_bond(const sn_scene *scene, const sn_bonding_item *item, sn_world *world,
                          sn_error *error)
{
    bond_parts parts = {0};
    sn_bond_def def = sn_default_bond_def();
    sn_bond bond;
    sn_status status = set_structure(scene, item, world, &parts, &def, error);
    if (status == SN_OK) {
        sn_vec3 start = SN_VEC3_ZERO;
        if (def.vertex_count > 0) {
            const sn_body_record *record = sn_world_body_record(world, def.body);
            start = sn_vec3_at(sn_agent_q(world->sets[record->agent.set], record->agent.agent) +
                               SN_SOLID_STRIDE * def.vertices[0]);
        }
        status = set_numbers(scene, item, start, &parts, &def, error);
    }
    if (status == SN_OK) {
        status = sn_place_error(scene, item->item.place,
                                sn_world_add_bond(world, &def, &bond, error), error);
    }
    status = status == SN_OK ? check_start(scene, item, world, &def, bond, error) : status;
    if (status == SN_OK && follows_number(item)) { // from the first mark to where it is to be
        sn_world_bond_record(world, bond)->item.along.from = item->marks.data[0];
    }
    free_parts(&parts);
    return status;
}

sn_status sn_bonds_build(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.bonds.count && status == SN_OK; ++i) {
        status = add_bond(scene, SN_BONDING(scene, i), world, error);
    }
    return status;
}

// A motion that has not changed stays the one that the world knows.
static sn_status update_bond(const sn_scene *scene, const sn_bonding_item *item, sn_world *world,
                             sn_error *error)
{
    sn_bond bond = sn_world_find_bond(world, item->name);
    const sn_bond_record *record = sn_world_bond_record(world, bond);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_MISMATCH, item->name,
                       "the world has no bond of this name; is it of another scene?");
    }
    bond_parts parts = {0};
    sn_bond_def def = sn_default_bond_def();
    sn_vec3 start = record->item.vertex_count > 0 ? record->item.starts[0] : SN_VEC3_ZERO;
    sn_status status = set_numbers(scene, item, start, &parts, &def, error);
    if (status == SN_OK) {
        for (int k = 0; k < 3; ++k) {
            def.path[k] = sn_motion_same(def.path[k], record->item.path[k]) ? record->item.path[k]
                                                                            : def.path[k];
        }
        status = sn_place_error(scene, item->item.place,
                                sn_world_set_bond(world, bond, &def, error), error);
    }
    free_parts(&parts);
    return status;
}

sn_status sn_bonds_update(const sn_scene *scene, sn_world *world, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < scene->root.bonds.count && status == SN_OK; ++i) {
        status = update_bond(scene, SN_BONDING(scene, i), world, error);
    }
    return status;
}
