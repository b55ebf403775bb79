#include "scene/urdf_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "math/rotation.h"
#include "scene/made_item.h"
#include "scene/urdf_role.h"

typedef struct loading {
    sn_urdf_reader *reader;
    sn_robot_item *item;
    sn_robot *robot;
} loading;

static bool stopped(const loading *l)
{
    return l->reader->out_of_memory || l->reader->mistakes > 0;
}

static void *allocate(loading *l, size_t bytes)
{
    void *memory = sn_arena_allocate(&l->reader->scene->arena, bytes + 1);
    l->reader->out_of_memory = l->reader->out_of_memory || memory == NULL;
    return memory;
}

// ---- names ----

static bool is_reserved(const char *name)
{
    return strcmp(name, "world") == 0 || strcmp(name, "all") == 0;
}

static const char *full_name(loading *l, const char *name, const char *ending, sn_place place)
{
    const char *robot = l->item->name;
    if (robot == NULL && ending[0] == '\0' && is_reserved(name)) {
        ending = "_";
        sn_urdf_mend(l->reader, place, "a \"_\" is added to it",
                     "\"%s\" has a meaning of its own, expected another name, or a \"name\" of the "
                     "robot, which would stand before it",
                     name);
    }
    size_t length = (robot != NULL ? strlen(robot) + 1 : 0) + strlen(name) + strlen(ending);
    char *full = allocate(l, length);
    if (full == NULL) {
        return NULL;
    }
    snprintf(full, length + 1, "%s%s%s%s", robot != NULL ? robot : "", robot != NULL ? "/" : "",
             name, ending);
    if (length > 100) {
        sn_urdf_fail(l->reader, place, "\"%.110s\" is a name of %zu bytes, expected at most 100",
                     full, length);
    }
    return full;
}

// Bodies and joints of a scene share their names, links and joints of a URDF do not.
static const char *joint_name(loading *l, const sn_urdf_joint *joint, const sn_name_table *links)
{
    bool taken = sn_name_table_find(links, joint->name) > 0;
    if (taken) {
        sn_urdf_note(l->reader, joint->place,
                     "a link and a joint are called \"%.60s\": the joint becomes \"%.60s_joint\"",
                     joint->name, joint->name);
    }
    return full_name(l, joint->name, taken ? "_joint" : "", joint->place);
}

// ---- items ----

static void give(sn_item *item, const char *key, sn_place place)
{
    sn_made_give(item, key, place);
}

static sn_item *add_item(loading *l, const sn_object *table, sn_item_list *list, sn_place place)
{
    sn_item *item = sn_made_item(l->reader->scene, table, list, place);
    l->reader->out_of_memory = l->reader->out_of_memory || item == NULL;
    return item;
}

// ---- shapes ----

// RViz, Gazebo and others take the axes of a DAE file as they are, whatever its <up_axis> says, and
// its <unit> into account (ros-visualization/rviz#1045, dartsim/dart#287): URDF files are written
// to look right there.
static bool is_dae(const char *file)
{
    size_t length = file != NULL ? strlen(file) : 0;
    const char *end = file + length - (length >= 4 ? 4 : 0);
    return length >= 4 && end[0] == '.' && (end[1] | 32) == 'd' && (end[2] | 32) == 'a' &&
           (end[3] | 32) == 'e';
}

static void give_mesh(const sn_urdf_shape *from, sn_shape_item *shape)
{
    shape->file = from->file;
    shape->scale = from->scale;
    shape->hull_when_open = true;
    give(&shape->item, "file", from->place);
    if (from->scale.x != 1.0 || from->scale.y != 1.0 || from->scale.z != 1.0) {
        give(&shape->item, "scale", from->place);
    }
    if (is_dae(shape->file)) {
        shape->up = SN_UP_Z;
        give(&shape->item, "up", from->place);
    }
}

// A mesh that touches does so by its convex hull, unless the robot says otherwise.
static void add_shape(loading *l, const sn_urdf_shape *from, sn_shape_role role,
                      sn_transform in_body, sn_body_item *body)
{
    bool hull = from->type == SN_SHAPE_MESH && role == SN_ROLE_COLLISION && !l->item->concave;
    int type = hull ? SN_SHAPE_HULL : (int)from->type;
    sn_shape_item *shape =
        (sn_shape_item *)add_item(l, sn_made_shape_table(type), &body->shapes, from->place);
    if (shape == NULL) {
        return;
    }
    sn_item *item = &shape->item;
    sn_transform frame = sn_transform_multiply(in_body, from->frame);
    shape->position = frame.position;
    shape->rotation = sn_rotation_value_from(frame.rotation);
    give(item, "position", from->place);
    give(item, "rotation", from->place);
    if (role != SN_ROLE_BOTH) {
        shape->role = role;
        give(item, "role", from->place);
    }
    if (from->has_colour) {
        shape->colour = from->colour;
        give(item, "colour", from->place);
    }
    shape->size = from->size;
    shape->radius = from->radius;
    shape->height = from->height;
    if (from->type == SN_SHAPE_MESH) {
        give_mesh(from, shape);
    } else if (from->type == SN_SHAPE_BOX) {
        give(item, "size", from->place);
    } else {
        give(item, "radius", from->place);
    }
    if (from->type == SN_SHAPE_CYLINDER || from->type == SN_SHAPE_CAPSULE) {
        give(item, "height", from->place);
    }
}

static void add_shapes(loading *l, const sn_urdf_link *link, sn_transform in_body,
                       sn_body_item *body)
{
    const sn_urdf *urdf = l->robot->urdf;
    for (int i = 0; i < link->shape_count; ++i) {
        sn_shape_role roles[2];
        int count = sn_urdf_roles(urdf, l->item, link, i, roles);
        for (int k = 0; k < count && !l->reader->out_of_memory; ++k) {
            add_shape(l, &urdf->shapes[link->first_shape + i], roles[k], in_body, body);
            give(&body->item, "shapes", link->place);
        }
    }
}

// Other simulators do the same: what has no collision geometry meets nothing.
static void note_geometry(loading *l)
{
    const sn_urdf *urdf = l->robot->urdf;
    if (sn_urdf_touches_nothing(urdf, l->item)) {
        sn_urdf_note(l->reader, urdf->place,
                     "the robot has no <collision>: it touches nothing (with \"geometry\": "
                     "\"visual\" what is seen touches)");
    }
}

// ---- bodies ----

static void add_mass(loading *l, const sn_urdf_link *link, sn_body_item *body)
{
    double *inertia = allocate(l, 6 * sizeof *inertia);
    if (inertia == NULL) {
        return;
    }
    const double(*m)[3] = link->inertia.m;
    const double numbers[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    memcpy(inertia, numbers, sizeof numbers);
    body->inertia = (sn_number_list){inertia, 6};
    body->mass = link->mass;
    body->centre = link->centre;
    give(&body->item, "mass", link->inertia_place);
    give(&body->item, "inertia", link->inertia_place);
    give(&body->item, "centre", link->inertia_place);
}

static void add_body(loading *l, int index)
{
    const sn_urdf_link *link = &l->robot->urdf->links[index];
    sn_robot_link *made = &l->robot->links[index];
    sn_scene *scene = l->reader->scene;
    sn_body_item *body =
        (sn_body_item *)add_item(l, &sn_table_bodies, &scene->root.bodies, link->place);
    if (body == NULL) {
        return;
    }
    made->body = body;
    body->name = full_name(l, link->name, "", link->place);
    give(&body->item, "name", link->place);
    give(&body->item, "position", link->place);
    give(&body->item, "rotation", link->place);
    if (made->kind == SN_LINK_STATIC) {
        body->type = SN_BODY_STATIC;
        give(&body->item, "type", link->place);
    } else {
        body->type = SN_BODY_RIGID;
        add_mass(l, link, body);
    }
    sn_made_give_list(scene, "bodies", link->place);
}

static void add_bodies(loading *l)
{
    const sn_urdf *urdf = l->robot->urdf;
    for (int i = 0; i < urdf->link_count && !l->reader->out_of_memory; ++i) {
        if (l->robot->links[i].kind == SN_LINK_BODY || l->robot->links[i].kind == SN_LINK_STATIC) {
            add_body(l, i);
        }
    }
    for (int i = 0; i < urdf->link_count && !l->reader->out_of_memory; ++i) {
        const sn_robot_link *link = &l->robot->links[i];
        sn_body_item *body = l->robot->links[link->host].body;
        if (link->kind == SN_LINK_PART && !link->locked) {
            sn_urdf_note(l->reader, urdf->links[i].place,
                         "the link \"%.60s\" has no mass: it is a part of \"%.60s\"",
                         urdf->links[i].name, urdf->links[link->host].name);
        }
        if (body != NULL) {
            add_shapes(l, &urdf->links[i], link->in_host, body);
        }
    }
}

// ---- joints ----

static void set_frame(sn_joint_item *joint, const char *key, sn_frame_item *frame,
                      sn_transform transform, sn_place place)
{
    frame->item.place = place;
    frame->position = transform.position;
    frame->rotation = sn_rotation_value_from(transform.rotation);
    give(&joint->item, key, place);
    give(&frame->item, "position", place);
    give(&frame->item, "rotation", place);
}

static sn_joint_item *add_joint(loading *l, const char *name, sn_joint_type type,
                                const char *parent, const char *child, sn_place place)
{
    sn_scene *scene = l->reader->scene;
    sn_joint_item *joint =
        (sn_joint_item *)add_item(l, &sn_table_joints, &scene->root.joints, place);
    if (joint == NULL) {
        return NULL;
    }
    joint->name = name;
    joint->type = (int)type;
    joint->parent = parent;
    joint->child = child;
    static const char *const keys[] = {"name", "type", "parent", "child"};
    for (int i = 0; i < 4; ++i) {
        give(&joint->item, keys[i], place);
    }
    sn_made_give_list(scene, "joints", place);
    return joint;
}

static void set_quantity(loading *l, sn_joint_item *joint, const char *key, sn_quantity_list *list,
                         double number, sn_place place)
{
    if (!sn_made_quantity(l->reader->scene, joint, key, list, number, place)) {
        l->reader->out_of_memory = true;
    }
}

static void set_number(sn_item *item, const char *key, sn_quantity_value *value, double number,
                       sn_place place)
{
    value->number = number;
    give(item, key, place);
}

static const sn_object *object_of(const sn_object *table, const char *key)
{
    return sn_object_key(table, sn_object_find_key(table, key))->object;
}

static void set_limit(loading *l, const sn_urdf_joint *from, sn_joint_item *joint)
{
    sn_place place = from->limit_place;
    if (!isfinite(from->lower) && !isfinite(from->upper)) {
        return;
    }
    sn_limit_item *limit =
        (sn_limit_item *)add_item(l, object_of(joint->item.table, "limit"), &joint->limit, place);
    if (limit == NULL) {
        return;
    }
    joint->limit.single = true;
    give(&joint->item, "limit", place);
    if (isfinite(from->lower)) {
        set_number(&limit->item, "lower", &limit->lower, from->lower, place);
    }
    if (isfinite(from->upper)) {
        set_number(&limit->item, "upper", &limit->upper, from->upper, place);
    }
}

static void add_urdf_joint(loading *l, int index, const sn_name_table *links)
{
    const sn_urdf_joint *from = &l->robot->urdf->joints[index];
    const sn_robot_link *parent = &l->robot->links[from->parent];
    const sn_robot_link *child = &l->robot->links[from->child];
    if (child->kind != SN_LINK_BODY || parent->host == from->child) {
        return;
    }
    const sn_body_item *host = l->robot->links[parent->host].body;
    sn_joint_item *joint =
        add_joint(l, joint_name(l, from, links), from->type, host != NULL ? host->name : "world",
                  child->body->name, from->place);
    if (joint == NULL) {
        return;
    }
    l->robot->joints[index] = joint;
    sn_transform axis = sn_urdf_axis_frame(from);
    sn_transform in_parent = sn_transform_multiply(parent->in_host, from->origin);
    set_frame(joint, "parent_frame", &joint->parent_frame, sn_transform_multiply(in_parent, axis),
              from->place);
    set_frame(joint, "child_frame", &joint->child_frame, axis, from->place);
    if (from->damping > 0.0 && sn_joint_type_freedoms(from->type) > 0) {
        set_quantity(l, joint, "damping", &joint->damping, from->damping, from->place);
    }
    if (from->friction > 0.0 && sn_joint_type_freedoms(from->type) > 0) {
        set_quantity(l, joint, "friction", &joint->friction, from->friction, from->place);
    }
    set_limit(l, from, joint);
    if (from->type == SN_JOINT_HINGE || from->type == SN_JOINT_PLANAR) {
        set_quantity(l, joint, "start", &joint->start, 0.0, from->place); // as placed later
    }
    joint->effort_limit = isfinite(from->effort) ? from->effort : 0.0;
    joint->velocity_limit = isfinite(from->velocity) ? from->velocity : 0.0;
}

static void add_mount(loading *l)
{
    const sn_urdf *urdf = l->robot->urdf;
    const sn_robot_link *root = &l->robot->links[urdf->root];
    if (root->kind != SN_LINK_BODY || l->item->base != SN_BASE_FIXED) {
        return;
    }
    sn_place place = urdf->links[urdf->root].place;
    sn_joint_item *joint = add_joint(l, full_name(l, "mount", "", place), SN_JOINT_FIXED, "world",
                                     root->body->name, place);
    if (joint != NULL) {
        l->robot->mount = joint;
        set_frame(joint, "parent_frame", &joint->parent_frame, SN_TRANSFORM_IDENTITY, place);
        set_frame(joint, "child_frame", &joint->child_frame, SN_TRANSFORM_IDENTITY, place);
    }
}

// position = multiplier * leader's + offset: a gear, where the pose gives the offset. A multiplier
// of 0 holds the joint still.
static void add_mimic(loading *l, int index)
{
    const sn_urdf_joint *from = &l->robot->urdf->joints[index];
    const sn_joint_item *joint = l->robot->joints[index];
    const sn_joint_item *leader = l->robot->joints[from->mimic];
    if (joint == NULL || leader == NULL) {
        return; // one of them does not move
    }
    sn_place place = from->mimic_place;
    sn_scene *scene = l->reader->scene;
    sn_coupling_item *coupling =
        (sn_coupling_item *)add_item(l, &sn_table_couplings, &scene->root.couplings, place);
    if (coupling == NULL) {
        return;
    }
    coupling->name = full_name(l, from->name, "_mimic", place);
    give(&coupling->item, "name", place);
    sn_made_give_list(scene, "couplings", place);
    if (from->multiplier != 0.0) {
        sn_gear_item *gear = &coupling->gear;
        gear->item.place = place;
        gear->a = joint->name;
        gear->b = leader->name;
        give(&coupling->item, "gear", place);
        give(&gear->item, "a", place);
        give(&gear->item, "b", place);
        set_number(&gear->item, "ratio", &gear->ratio, from->multiplier, place);
        return;
    }
    sn_term_item *term = (sn_term_item *)add_item(l, object_of(coupling->item.table, "terms"),
                                                  &coupling->terms, place);
    if (term != NULL) {
        term->joint = joint->name;
        give(&coupling->item, "terms", place);
        give(&term->item, "joint", place);
        set_number(&term->item, "factor", &term->factor, 1.0, place);
    }
}

// A follower stands where its leader puts it; limits that it breaks at the start are none.
static void mend_followers(loading *l, sn_urdf *urdf)
{
    for (int i = 0; i < urdf->joint_count && !l->reader->strict; ++i) {
        sn_urdf_joint *joint = &urdf->joints[i];
        if (joint->mimic < 0) {
            continue;
        }
        double start = sn_urdf_start(l->robot, i);
        if (start < joint->lower || start > joint->upper) {
            sn_urdf_mend(l->reader, joint->mimic_place, "it has no limit",
                         "\"%.60s\" follows \"%.60s\" to %g at the start, beyond its own limits %g "
                         "and %g",
                         joint->name, urdf->joints[joint->mimic].name, start, joint->lower,
                         joint->upper);
            joint->has_limit = false;
            joint->lower = -INFINITY;
            joint->upper = INFINITY;
        }
    }
}

static void add_joints(loading *l)
{
    const sn_urdf *urdf = l->robot->urdf;
    sn_name_table links = {0};
    for (int i = 0; i < urdf->link_count && !l->reader->out_of_memory; ++i) {
        if (!sn_name_table_put(&links, urdf->links[i].name, 1)) {
            l->reader->out_of_memory = true;
        }
    }
    if (!l->reader->out_of_memory) {
        add_mount(l);
    }
    for (int i = 0; i < urdf->joint_count && !l->reader->out_of_memory; ++i) {
        add_urdf_joint(l, i, &links);
    }
    for (int i = 0; i < urdf->joint_count && !l->reader->out_of_memory; ++i) {
        if (urdf->joints[i].mimic >= 0) {
            add_mimic(l, i);
        }
    }
    sn_name_table_free(&links);
}

// ---- pose ----

static void fail_pose_name(loading *l, const sn_named_quantities *named)
{
    enum { SUGGESTIONS = 256 };
    const sn_urdf *urdf = l->robot->urdf;
    const char *known[SUGGESTIONS];
    int count = 0;
    for (int i = 0; i < urdf->joint_count && count < SUGGESTIONS; ++i) {
        if (sn_joint_type_freedoms(urdf->joints[i].type) > 0) {
            known[count++] = urdf->joints[i].name;
        }
    }
    const char *near = sn_suggest(named->name, known, count);
    sn_urdf_fail(l->reader, named->place, "the robot has no joint \"%.60s\" that moves%s%.60s%s",
                 named->name, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                 near != NULL ? "\"?" : "");
}

static void check_pose(loading *l, const sn_urdf_joint *joint, const sn_named_quantities *named)
{
    int freedoms = sn_joint_type_freedoms(joint->type);
    if (joint->mimic >= 0) {
        sn_urdf_fail(l->reader, named->place,
                     "\"%.60s\" follows \"%.60s\"; expected the pose of that one", joint->name,
                     l->robot->urdf->joints[joint->mimic].name);
        return;
    }
    if (named->values.count != freedoms) {
        sn_urdf_fail(l->reader, named->place, "\"%.60s\" has %d freedom%s, got %d number%s",
                     joint->name, freedoms, freedoms == 1 ? "" : "s", named->values.count,
                     named->values.count == 1 ? "" : "s");
        return;
    }
    for (int i = 0; i < freedoms; ++i) {
        const sn_quantity_value *value = &named->values.data[i];
        sn_dimension_id wanted = sn_joint_type_turns(joint->type, i) ? SN_ANGLE : SN_LENGTH;
        char name[96];
        if (value->has_dimension &&
            !sn_dimension_accepts(sn_dimension_powers(wanted), value->dimension)) {
            sn_urdf_fail(l->reader, named->values.places[i],
                         "\"%.60s\": expected %s such as %s, got %s", joint->name,
                         sn_dimension_name(wanted), sn_dimension_example(wanted),
                         sn_dimension_describe(value->dimension, name));
        }
    }
}

static void bind_pose(loading *l)
{
    const sn_urdf *urdf = l->robot->urdf;
    for (int i = 0; i < l->item->pose.count && !l->reader->out_of_memory; ++i) {
        const sn_named_quantities *named = &l->item->pose.data[i];
        int joint = 0;
        while (joint < urdf->joint_count && strcmp(urdf->joints[joint].name, named->name) != 0) {
            joint += 1;
        }
        if (joint == urdf->joint_count || sn_joint_type_freedoms(urdf->joints[joint].type) == 0) {
            fail_pose_name(l, named);
            continue;
        }
        check_pose(l, &urdf->joints[joint], named);
        l->robot->pose[joint] = named;
    }
}

static void tell_rest(loading *l)
{
    const sn_urdf *urdf = l->robot->urdf;
    for (int i = 0; i < urdf->joint_count && !l->reader->out_of_memory; ++i) {
        const sn_urdf_joint *joint = &urdf->joints[i];
        if (l->robot->pose[i] == NULL && joint->mimic < 0 && sn_urdf_rest_position(joint) != 0.0) {
            sn_urdf_note(l->reader, joint->limit_place,
                         "0 is beyond the limits of \"%.60s\": it starts at %g", joint->name,
                         sn_urdf_rest_position(joint));
        }
    }
}

// ---- the whole ----

const sn_urdf *sn_robot_load(sn_urdf_reader *reader, sn_robot_item *item, const char *text,
                             size_t length)
{
    loading l = {.reader = reader, .item = item};
    sn_urdf *urdf = sn_urdf_read(reader, text, length);
    if (urdf != NULL) {
        sn_urdf_mend_masses(reader, urdf, item->base == SN_BASE_FIXED);
    }
    if (urdf == NULL || reader->out_of_memory) {
        return NULL;
    }
    sn_robot *robot = allocate(&l, sizeof *robot);
    if (robot == NULL) {
        return NULL;
    }
    size_t links = (size_t)urdf->link_count, joints = (size_t)urdf->joint_count;
    l.robot = robot;
    robot->urdf = urdf;
    robot->links = allocate(&l, links * sizeof *robot->links);
    robot->frames = allocate(&l, links * sizeof *robot->frames);
    robot->joints = allocate(&l, joints * sizeof(void *));
    robot->pose = allocate(&l, joints * sizeof(void *));
    if (!reader->out_of_memory) {
        sn_robot_choose_bodies(reader, item, robot, urdf);
    }
    if (!reader->out_of_memory) {
        sn_urdf_find_meshes(reader, item, robot, urdf);
    }
    for (int i = 0; i < urdf->link_count && !stopped(&l); ++i) {
        if (robot->links[i].by_shapes) {
            sn_urdf_weigh(reader, robot, urdf, i);
        }
    }
    if (!stopped(&l)) {
        add_bodies(&l);
        note_geometry(&l);
    }
    if (!stopped(&l)) {
        mend_followers(&l, urdf);
        add_joints(&l);
        bind_pose(&l);
        tell_rest(&l);
    }
    item->robot = stopped(&l) ? NULL : robot;
    return item->robot != NULL ? urdf : NULL;
}

bool sn_robots_are_read(const sn_scene *scene)
{
    for (int i = 0; i < scene->root.robots.count; ++i) {
        if (SN_ROBOT(scene, i)->robot == NULL) {
            return false;
        }
    }
    return true;
}
