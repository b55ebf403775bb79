// Mechanisms: bodies that joints connect become one agent, a tree of links.
//
// Every joint is a row of elementary joints T = A0 E1(q1) A1 E2(q2) ... with constant turns A
// between that bring each axis to z. The links between them have no mass. The last one carries the
// child; bodies on fixed joints ride on their parent's link.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/reach.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "sinew/geometry.h"
#include "world/world.h"

// ---- what joints are made of ----

enum { MOST_ELEMENTS = 3 };

typedef struct elements {
    int count;
    sn_tree_joint joint[MOST_ELEMENTS];
    sn_quat before[MOST_ELEMENTS]; // A0, A1, ...: from the frame so far to one with the next axis
                                   // along z
    sn_quat after;                 // from the last element's frame to the child's joint frame
} elements;

// Turns that bring z to where x or y was: by a quarter about y, or about x the other way.
static const sn_quat z_from_x = {0.70710678118654752, 0.0, 0.70710678118654752, 0.0};
static const sn_quat z_from_y = {0.70710678118654752, -0.70710678118654752, 0.0, 0.0};

static elements elements_of(sn_joint_type type)
{
    const sn_quat one = SN_QUAT_IDENTITY, x_back = sn_quat_conjugate(z_from_x),
                  y_back = sn_quat_conjugate(z_from_y);
    switch (type) {
    case SN_JOINT_HINGE:
        return (elements){1, {SN_TREE_HINGE}, {one}, one};
    case SN_JOINT_SLIDER:
        return (elements){1, {SN_TREE_SLIDER}, {one}, one};
    case SN_JOINT_SCREW:
        return (elements){1, {SN_TREE_SCREW}, {one}, one};
    case SN_JOINT_CYLINDRICAL:
        return (elements){2, {SN_TREE_SLIDER, SN_TREE_HINGE}, {one, one}, one};
    case SN_JOINT_UNIVERSAL:
        return (elements){2, {SN_TREE_HINGE, SN_TREE_HINGE}, {one, z_from_x}, x_back};
    case SN_JOINT_BALL:
        return (elements){1, {SN_TREE_BALL}, {one}, one};
    case SN_JOINT_PLANAR:
        return (elements){3,
                          {SN_TREE_SLIDER, SN_TREE_SLIDER, SN_TREE_HINGE},
                          {z_from_x, sn_quat_multiply(x_back, z_from_y), y_back},
                          one};
    case SN_JOINT_FREE:
        return (elements){2, {SN_TREE_TRANSLATION, SN_TREE_BALL}, {one, one}, one};
    case SN_JOINT_FIXED:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
    return (elements){.after = one};
}

// Coordinates (as the tree has them) of a joint whose child frame stands at t in its parent frame.
static void coordinates_of(const sn_joint_def *def, sn_transform t, double *q)
{
    sn_quat r = t.rotation;
    sn_mat3 m = sn_quat_to_mat3(r);
    double about_z = 2.0 * sn_atan2(r.w < 0.0 ? -r.z : r.z, fabs(r.w));
    switch (def->type) {
    case SN_JOINT_HINGE:
        q[0] = about_z;
        break;
    case SN_JOINT_SLIDER:
        q[0] = t.position.z;
        break;
    case SN_JOINT_SCREW: // the shift tells the whole turns
        q[0] = about_z;
        if (def->pitch != 0.0) {
            q[0] +=
                2.0 * SN_PI * floor((t.position.z / def->pitch - about_z) / (2.0 * SN_PI) + 0.5);
        }
        break;
    case SN_JOINT_CYLINDRICAL:
        q[0] = t.position.z;
        q[1] = about_z;
        break;
    case SN_JOINT_UNIVERSAL: // Rz(a) Rx(b)
        q[0] = sn_atan2(m.m[1][0], m.m[0][0]);
        q[1] = sn_atan2(m.m[2][1], m.m[2][2]);
        break;
    case SN_JOINT_PLANAR:
        q[0] = t.position.x;
        q[1] = t.position.y;
        q[2] = about_z;
        break;
    case SN_JOINT_FREE:
    case SN_JOINT_BALL: {
        double *turn = def->type == SN_JOINT_FREE ? q + 3 : q;
        if (def->type == SN_JOINT_FREE) {
            q[0] = t.position.x;
            q[1] = t.position.y;
            q[2] = t.position.z;
        }
        turn[0] = r.w;
        turn[1] = r.x;
        turn[2] = r.y;
        turn[3] = r.z;
        break;
    }
    case SN_JOINT_FIXED:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
}

// Rates of a joint's freedoms for a child frame that moves against its parent frame with `shift`
// and `turning`, both in the parent's joint axes, where it stands at t.
static void rates_of(const sn_joint_def *def, sn_transform t, sn_vec3 shift, sn_vec3 turning,
                     double *v)
{
    sn_vec3 in_child = sn_rotate_inverse(t.rotation, turning);
    switch (def->type) {
    case SN_JOINT_HINGE:
    case SN_JOINT_SCREW:
        v[0] = turning.z;
        break;
    case SN_JOINT_SLIDER:
        v[0] = shift.z;
        break;
    case SN_JOINT_CYLINDRICAL:
        v[0] = shift.z;
        v[1] = turning.z;
        break;
    case SN_JOINT_UNIVERSAL:
        v[0] = turning.z;
        v[1] = in_child.x;
        break;
    case SN_JOINT_PLANAR:
        v[0] = shift.x;
        v[1] = shift.y;
        v[2] = turning.z;
        break;
    case SN_JOINT_FREE:
    case SN_JOINT_BALL: {
        double *turn = def->type == SN_JOINT_FREE ? v + 3 : v;
        if (def->type == SN_JOINT_FREE) {
            v[0] = shift.x;
            v[1] = shift.y;
            v[2] = shift.z;
        }
        turn[0] = in_child.x;
        turn[1] = in_child.y;
        turn[2] = in_child.z;
        break;
    }
    case SN_JOINT_FIXED:
    case SN_JOINT_DISTANCE:
    case SN_JOINT_CURVE:
    case SN_JOINT_SURFACE:
    case SN_JOINT_TYPE_COUNT:
        break;
    }
}

// ---- one mechanism under construction ----

typedef struct mechanism {
    sn_world *world;
    sn_tree tree;
    int links; // filled so far
    SN_ARRAY(sn_articulation_part) parts;
    SN_ARRAY(uint32_t) bodies; // of each part, by index
    SN_ARRAY(double) q;
    SN_ARRAY(double) v;
    SN_ARRAY(sn_freedom_def) freedoms;
} mechanism;

// Where bodies are on the tree being built: for each body index its link (-1: the ground) and its
// frame in link axes.
typedef struct seat {
    int link;
    sn_transform frame;
    bool taken; // part of a mechanism
} seat;

typedef struct assembly {
    sn_world *world;
    seat *seats;            // by body index
    uint32_t *joint_of;     // by body index: the joint it is the child of, 0: none
    uint32_t *next_sibling; // by joint index: the next joint with the same parent body, 0: none
    uint32_t *first_child;  // by body index (0: the world): the first joint it is the parent of
    int built;              // mechanisms
} assembly;

static void free_mechanism(mechanism *m)
{
    sn_tree_free(&m->tree);
    sn_array_free(&m->parts);
    sn_array_free(&m->bodies);
    sn_array_free(&m->q);
    sn_array_free(&m->v);
    sn_array_free(&m->freedoms);
    *m = (mechanism){0};
}

// Adds a body's mass to a link it is welded to, both about the link's origin and in its axes.
static void add_mass(sn_tree_link *link, const sn_mass_properties *mass, sn_transform frame)
{
    sn_mass_properties both[2] = {
        {.mass = link->mass, .centre = link->centre, .inertia = link->inertia},
        sn_mass_properties_move(mass, frame)};
    sn_mass_properties sum = link->mass > 0.0 ? sn_mass_properties_sum(both, 2) : both[1];
    link->mass = sum.mass;
    link->centre = sum.centre;
    link->inertia = sum.inertia;
}

// Seats a body on a link (or on the ground) and, on a link, makes it a part.
static bool seat_body(assembly *a, mechanism *m, uint32_t body, int link, sn_transform frame)
{
    const sn_body_record *record = &a->world->bodies.data[body];
    a->seats[body] = (seat){link, frame, true};
    if (link < 0) {
        return true;
    }
    add_mass(&m->tree.links[link], &record->own->mass, frame);
    sn_articulation_part part = {
        link, frame, sn_transform_point(frame, record->own->mass.centre),
        sn_shapes_reach(record->shapes, record->shape_count, record->own->mass.centre)};
    return sn_array_push(&m->parts, part) && sn_array_push(&m->bodies, body);
}

// How far a joint's frames are from where its coordinates put them.
static void measure_gap(const sn_joint_def *def, sn_transform t, const double *q, double *distance,
                        double *angle)
{
    elements e = elements_of(def->type);
    sn_transform made = SN_TRANSFORM_IDENTITY;
    for (int i = 0; i < e.count; ++i) {
        sn_transform step = {SN_VEC3_ZERO, e.before[i]};
        made = sn_transform_multiply(made, step);
        step = SN_TRANSFORM_IDENTITY;
        if (e.joint[i] == SN_TREE_TRANSLATION) {
            step.position = sn_vec3_make(q[0], q[1], q[2]);
        } else if (e.joint[i] == SN_TREE_BALL) {
            step.rotation = (sn_quat){q[0], q[1], q[2], q[3]};
        } else {
            double shift = e.joint[i] == SN_TREE_SLIDER
                               ? q[0]
                               : (e.joint[i] == SN_TREE_SCREW ? def->pitch * q[0] : 0.0);
            step.position.z = shift;
            step.rotation = e.joint[i] == SN_TREE_SLIDER
                                ? SN_QUAT_IDENTITY
                                : sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), q[0]);
        }
        made = sn_transform_multiply(made, step);
        q += sn_tree_joint_q(e.joint[i]);
    }
    made = sn_transform_multiply(made, (sn_transform){SN_VEC3_ZERO, e.after});
    sn_transform left = sn_transform_multiply(sn_transform_inverse(made), t);
    *distance = sn_length(left.position);
    *angle = sn_length(sn_quat_log(left.rotation));
}

// The child frame in the parent frame now, and how it moves there.
static void relative_motion(const sn_world *world, const sn_joint_def *def, sn_transform *t,
                            sn_vec3 *shift, sn_vec3 *turning)
{
    sn_transform parent =
        sn_transform_multiply(sn_body_transform(world, def->parent), def->parent_frame);
    sn_transform child =
        sn_transform_multiply(sn_body_transform(world, def->child), def->child_frame);
    *t = sn_transform_multiply(sn_transform_inverse(parent), child);
    t->rotation = sn_quat_normalize(t->rotation);
    sn_vec3 carried = sn_body_point_velocity(world, def->parent, child.position);
    sn_vec3 own = sn_body_point_velocity(world, def->child, child.position);
    *shift = sn_rotate_inverse(parent.rotation, sn_vec3_sub(own, carried));
    *turning = sn_rotate_inverse(parent.rotation,
                                 sn_vec3_sub(sn_body_angular_velocity(world, def->child),
                                             sn_body_angular_velocity(world, def->parent)));
}

static sn_status check_gap(const sn_world *world, const sn_joint_record *joint, sn_transform t,
                           const double *q, sn_error *error)
{
    double distance, angle;
    measure_gap(&joint->def, t, q, &distance, &angle);
    if (distance > 1e-6 || angle > 1e-6) {
        return sn_fail(
            error, SN_ERROR_ARGUMENT, joint->name,
            "bodies '%s' and '%s' do not stand as this %s allows: %.3g m and %.3g rad are left",
            joint->def.parent.index != 0 ? sn_body_name(world, joint->def.parent) : "world",
            sn_body_name(world, joint->def.child), sn_joint_type_word(joint->def.type), distance,
            angle);
    }
    return SN_OK;
}

// Hangs a joint's child on its parent's link: its elementary joints become links, and the child a
// part of the last.
static sn_status hang(assembly *a, mechanism *m, uint32_t index, sn_error *error)
{
    sn_joint_record *joint = &a->world->joints.data[index];
    const sn_joint_def *def = &joint->def;
    seat parent = def->parent.index != 0 ? a->seats[def->parent.index]
                                         : (seat){-1, SN_TRANSFORM_IDENTITY, true};
    sn_transform place = sn_transform_multiply(parent.frame, def->parent_frame), t;
    sn_vec3 shift, turning;
    double q[7] = {0.0}, v[6] = {0.0};
    relative_motion(a->world, def, &t, &shift, &turning);
    coordinates_of(def, t, q);
    rates_of(def, t, shift, turning, v);
    sn_status status = check_gap(a->world, joint, t, q, error);
    if (status != SN_OK) {
        return status;
    }
    elements e = elements_of(def->type);
    int link = parent.link, freedom = 0;
    joint->first_link = m->links;
    bool made = true;
    const double *q_at = q, *v_at = v;
    for (int i = 0; i < e.count && made; ++i) {
        place = sn_transform_multiply(place, (sn_transform){SN_VEC3_ZERO, e.before[i]});
        m->tree.links[m->links] = (sn_tree_link){.parent = link,
                                                 .joint = e.joint[i],
                                                 .pitch = def->pitch,
                                                 .frame = sn_frame_from_transform(place)};
        for (int k = 0; k < sn_tree_joint_q(e.joint[i]); ++k) {
            made = made && sn_array_push(&m->q, *q_at++);
        }
        for (int k = 0; k < sn_tree_joint_v(e.joint[i]); ++k) {
            made = made && sn_array_push(&m->v, *v_at++) &&
                   sn_array_push(&m->freedoms, def->freedom[freedom++]);
        }
        link = m->links++;
        place = SN_TRANSFORM_IDENTITY;
    }
    place = sn_transform_multiply(place, (sn_transform){SN_VEC3_ZERO, e.after});
    sn_transform body_frame = sn_transform_multiply(place, sn_transform_inverse(def->child_frame));
    made = made && seat_body(a, m, def->child.index, link, body_frame);
    return made ? SN_OK : sn_fail_memory(error, sizeof(sn_tree_link));
}

// ---- walking ----

// The joints at and below one joint, or below a body that hangs on none: parents before children.
// Gives their number.
static int list_joints(const assembly *a, uint32_t root_joint, uint32_t root_body, uint32_t *queue)
{
    int head = 0, tail = 0;
    if (root_joint != 0) {
        queue[tail++] = root_joint;
    }
    uint32_t body = root_body;
    while (body != 0 || head < tail) {
        body = body != 0 ? body : a->world->joints.data[queue[head++]].def.child.index;
        for (uint32_t joint = a->first_child[body]; joint != 0; joint = a->next_sibling[joint]) {
            queue[tail++] = joint;
        }
        body = 0;
    }
    return tail;
}

// A body that hangs on no joint carries its mechanism through space: a shift and a ball.
static bool put_free_root(assembly *a, mechanism *m, uint32_t body)
{
    sn_body handle = {body, a->world->body_ids.generation.data[body]};
    sn_transform frame = sn_body_transform(a->world, handle);
    sn_joint_def def = sn_default_joint_def();
    def.type = SN_JOINT_FREE;
    sn_vec3 shift = sn_body_point_velocity(a->world, handle, frame.position);
    double q[7], v[6];
    coordinates_of(&def, frame, q);
    rates_of(&def, frame, shift, sn_body_angular_velocity(a->world, handle), v);
    m->tree.links[0] =
        (sn_tree_link){.parent = -1, .joint = SN_TREE_TRANSLATION, .frame = SN_FRAME_IDENTITY};
    m->tree.links[1] =
        (sn_tree_link){.parent = 0, .joint = SN_TREE_BALL, .frame = SN_FRAME_IDENTITY};
    m->links = 2;
    bool made = true;
    for (int i = 0; i < 7; ++i) {
        made = made && sn_array_push(&m->q, q[i]);
    }
    for (int i = 0; i < 6; ++i) {
        made = made && sn_array_push(&m->v, v[i]) &&
               sn_array_push(&m->freedoms, sn_default_freedom_def());
    }
    return made && seat_body(a, m, body, 1, SN_TRANSFORM_IDENTITY);
}

static sn_status build(assembly *a, mechanism *m, uint32_t root_joint, uint32_t root_body,
                       uint32_t *queue, sn_error *error)
{
    int joints = list_joints(a, root_joint, root_body, queue), links = root_body != 0 ? 2 : 0;
    for (int i = 0; i < joints; ++i) {
        links += elements_of(a->world->joints.data[queue[i]].def.type).count;
    }
    if (!sn_tree_allocate(&m->tree, links > 0 ? links : 1) ||
        (root_body != 0 && !put_free_root(a, m, root_body))) {
        return sn_fail_memory(error, (size_t)links * sizeof(sn_tree_link));
    }
    for (int i = 0; i < joints; ++i) {
        sn_status status = hang(a, m, queue[i], error);
        if (status != SN_OK) {
            return status;
        }
    }
    for (int i = 0; i < joints; ++i) {
        a->world->joints.data[queue[i]].agent = m->links > 0 ? a->built : -1;
    }
    return SN_OK;
}

// ---- all mechanisms ----

// Who hangs on whom. A body has one parent at most.
static sn_status connect(assembly *a, sn_error *error)
{
    sn_world *world = a->world;
    for (int i = world->joint_order.count - 1; i >= 0;
         --i) { // backwards, so that children come in order of adding
        uint32_t index = world->joint_order.data[i];
        const sn_joint_record *joint = &world->joints.data[index];
        uint32_t child = joint->def.child.index, parent = joint->def.parent.index;
        if (a->joint_of[child] != 0) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, world->joints.data[a->joint_of[child]].name,
                           "closes a loop, or runs the wrong way: body '%s' hangs on joint '%s' "
                           "already; a tree's joints run from "
                           "the world or one root outwards",
                           world->bodies.data[child].name, joint->name);
        }
        a->joint_of[child] = index;
        a->next_sibling[index] = a->first_child[parent];
        a->first_child[parent] = index;
    }
    return SN_OK;
}

static bool is_ground(const sn_world *world, uint32_t body)
{
    return body == 0 || world->bodies.data[body].type == SN_BODY_STATIC;
}

// Every mechanism, built beside the world and not yet part of it.
static sn_status build_all(assembly *a, mechanism *mechanisms, uint32_t *queue, sn_error *error)
{
    sn_world *world = a->world;
    for (int i = 0; i < world->body_order.count; ++i) { // static bodies stand where they are
        uint32_t body = world->body_order.data[i];
        if (is_ground(world, body)) {
            a->seats[body] = (seat){-1, world->bodies.data[body].own->frame, true};
        }
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i],
                 parent = world->joints.data[index].def.parent.index;
        bool grounded = is_ground(world, parent),
             at_root = !grounded && a->joint_of[parent] == 0 && !a->seats[parent].taken;
        if (!grounded && !at_root) {
            continue;
        }
        mechanism *m = &mechanisms[a->built];
        sn_status status = build(a, m, grounded ? index : 0, grounded ? 0 : parent, queue, error);
        if (status != SN_OK || m->links == 0) { // nothing but welds to the ground
            free_mechanism(m);
        } else {
            a->built += 1;
        }
        if (status != SN_OK) {
            return status;
        }
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        if (!a->seats[joint->def.child.index].taken) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, joint->name,
                           "closes a loop: body '%s' hangs on nothing but bodies that hang on it",
                           world->bodies.data[joint->def.child.index].name);
        }
    }
    return SN_OK;
}

// The integrator all bodies of a mechanism agree on, and the strictest tolerances; they move
// together.
static sn_status agree(const sn_world *world, const mechanism *m, sn_agent *head, sn_error *error)
{
    for (int i = 0; i < m->bodies.count; ++i) {
        const sn_body_record *record = &world->bodies.data[m->bodies.data[i]];
        const sn_agent *one = &world->rigid.agents.agents[record->agent.agent];
        if (i == 0) {
            *head = *one;
        } else if (one->integrator != head->integrator) {
            return sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                           "is in one mechanism with '%s' but names integrator %s, not %s; bodies "
                           "that joints connect need the same",
                           world->bodies.data[m->bodies.data[0]].name,
                           sn_integrator_word(one->integrator),
                           sn_integrator_word(head->integrator));
        }
        head->relative_tolerance = fmin(head->relative_tolerance, one->relative_tolerance);
        head->absolute_tolerance = fmin(head->absolute_tolerance, one->absolute_tolerance);
    }
    return SN_OK;
}

// Makes a built mechanism an agent and moves its bodies in.
static sn_status install(sn_world *world, mechanism *m, sn_error *error)
{
    m->tree.count = m->links;
    sn_tree_finish(&m->tree);
    sn_agent head = {0};
    sn_status status = agree(world, m, &head, error);
    if (status != SN_OK) {
        return status;
    }
    sn_articulation_def def = {
        .tree = &m->tree,
        .parts = m->parts.data,
        .part_count = m->parts.count,
        .freedoms = m->freedoms.data,
        .q = m->q.data,
        .v = m->v.data,
        .integrator = head.integrator,
        .relative_tolerance = head.relative_tolerance,
        .absolute_tolerance = head.absolute_tolerance,
        .owner = m->bodies.count > 0 ? m->bodies.data[0] : 0,
        .time = world->time,
    };
    int agent = sn_articulation_add(&world->articulations, &def);
    if (agent < 0) {
        return sn_fail_memory(error, (size_t)m->links * sizeof(sn_tree_link));
    }
    for (int i = 0; i < m->bodies.count; ++i) {
        sn_body_record *record = &world->bodies.data[m->bodies.data[i]];
        sn_world_drop_rigid(world, record);
        record->agent = (sn_agent_ref){SN_SET_ARTICULATION, agent, i};
    }
    return SN_OK;
}

// Bodies welded to the ground stand still from now on.
static void ground_welded(const assembly *a)
{
    sn_world *world = a->world;
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        sn_body_record *record = &world->bodies.data[body];
        if (a->seats[body].taken && a->seats[body].link < 0 && record->type == SN_BODY_RIGID) {
            record->own->frame =
                sn_body_transform(world, (sn_body){body, world->body_ids.generation.data[body]});
            sn_world_drop_rigid(world, record);
        }
    }
}

// Each body of a joint keeps its own mass properties beside the tree's sums.
static bool keep_masses(sn_world *world)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_def *def = &world->joints.data[world->joint_order.data[i]].def;
        const sn_body pair[2] = {def->parent, def->child};
        for (int k = 0; k < 2; ++k) {
            sn_body_record *record = sn_world_body_record(world, pair[k]);
            if (record == NULL || record->own != NULL) {
                continue;
            }
            sn_mass_properties mass = sn_body_mass_properties(world, pair[k]);
            record->own = sn_allocate_zero(sizeof *record->own);
            if (record->own == NULL) {
                return false;
            }
            record->own->mass = mass;
        }
    }
    return true;
}

static sn_status assemble_with(assembly *a, mechanism *mechanisms, uint32_t *queue, sn_error *error)
{
    sn_world *world = a->world;
    if (!keep_masses(world)) {
        return sn_fail_memory(error, sizeof(sn_mass_properties));
    }
    sn_status status = connect(a, error);
    if (status == SN_OK) {
        status = build_all(a, mechanisms, queue, error);
    }
    for (int i = 0; i < a->built && status == SN_OK; ++i) {
        status = install(world, &mechanisms[i], error);
    }
    if (status == SN_OK) {
        ground_welded(a);
    }
    return status;
}

sn_status sn_world_assemble(sn_world *world, sn_error *error)
{
    if (world->assembled) {
        return SN_OK;
    }
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_take_apart(world, error);
    }
    if (status != SN_OK) {
        return status;
    }
    size_t bodies = (size_t)world->bodies.count + 1, joints = (size_t)world->joints.count + 1;
    assembly a = {.world = world};
    a.seats = sn_allocate_zero(bodies * sizeof *a.seats);
    a.joint_of = sn_allocate_zero(bodies * sizeof *a.joint_of);
    a.first_child = sn_allocate_zero(bodies * sizeof *a.first_child);
    a.next_sibling = sn_allocate_zero(joints * sizeof *a.next_sibling);
    uint32_t *queue = sn_allocate_zero(joints * sizeof *queue);
    mechanism *mechanisms = sn_allocate_zero(joints * sizeof *mechanisms);
    bool there = a.seats != NULL && a.joint_of != NULL && a.first_child != NULL &&
                 a.next_sibling != NULL && queue != NULL && mechanisms != NULL;
    status = there ? assemble_with(&a, mechanisms, queue, error)
                   : sn_fail_memory(error, joints * sizeof *mechanisms);
    for (int i = 0; i < a.built; ++i) {
        free_mechanism(&mechanisms[i]);
    }
    sn_free(a.seats);
    sn_free(a.joint_of);
    sn_free(a.first_child);
    sn_free(a.next_sibling);
    sn_free(queue);
    sn_free(mechanisms);
    world->assembled = true; // also what went in before a failure, for taking apart
    world->groups_current = false;
    if (status != SN_OK) {
        sn_error unused;
        world->assembled =
            sn_world_take_apart(world, &unused) == SN_OK && world->joint_order.count == 0;
    }
    return status;
}

sn_status sn_world_take_apart(sn_world *world, sn_error *error)
{
    int count = 0;
    for (int i = 0; i < world->body_order.count; ++i) {
        count += sn_body_is_jointed(&world->bodies.data[world->body_order.data[i]]);
    }
    if (!sn_rigid_reserve(&world->rigid, count)) {
        return sn_fail_memory(error, (size_t)count * sizeof(sn_rigid_def));
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        sn_body_record *record = &world->bodies.data[index];
        bool own_agent = record->agent.set == SN_SET_RIGID && record->agent.agent >= 0;
        if (!sn_body_is_jointed(record) || own_agent) {
            continue;
        }
        sn_body body = {index, world->body_ids.generation.data[index]};
        const sn_agent *head = record->agent.agent >= 0
                                   ? &world->articulations.agents.agents[record->agent.agent]
                                   : NULL;
        sn_rigid_def def = {
            .mass = record->own->mass,
            .frame = sn_body_transform(world, body),
            .velocity = sn_body_velocity(world, body),
            .angular_velocity = sn_body_angular_velocity(world, body),
            .radius =
                sn_shapes_reach(record->shapes, record->shape_count, record->own->mass.centre),
            .integrator =
                head != NULL ? (sn_integrator)head->integrator : sn_world_default_integrator(world),
            .relative_tolerance =
                head != NULL ? head->relative_tolerance : world->relative_tolerance,
            .absolute_tolerance =
                head != NULL ? head->absolute_tolerance : world->absolute_tolerance,
            .owner = index,
            .time = world->time,
        };
        record->agent = (sn_agent_ref){SN_SET_RIGID, sn_rigid_add(&world->rigid, &def), 0};
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        sn_body_record *record = &world->bodies.data[world->body_order.data[i]];
        if (sn_body_is_jointed(record)) {
            sn_free(record->own);
            record->own = NULL;
        }
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        world->joints.data[world->joint_order.data[i]].agent = -1;
    }
    sn_articulation_set_free(&world->articulations);
    world->assembled = world->joint_order.count == 0;
    world->groups_current = false;
    return SN_OK;
}
