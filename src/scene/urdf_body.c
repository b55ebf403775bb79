// Which links of a robot are bodies, and what becomes of those without mass.
//
// - Fixed to another link, it is a part of that one's body; held by the world, a static body.
// - It moves, and something below it has mass: it is a body with 1e-9 of that mass, so that its
//   joint takes part and changes the motion by no more than that.
// - It moves, and no link below it is given a mass, but it has shapes: these are solid, of
//   1000 kg/m3 (urdf_weigh.c). MuJoCo does the same.
// - It moves, and there is nothing at all on it: its joint is locked, and it is a part of what it
//   hangs on. If another joint follows that joint, it is a body as in the second case.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "scene/urdf_scene.h"

// The share of the mass that it carries which a link without mass is given, and of the moments of
// inertia.
static const double LIGHT_SHARE = 1e-9;

typedef struct choosing {
    sn_urdf_reader *reader;
    const sn_robot_item *item;
    sn_robot *robot;
    sn_urdf *urdf;
    double *mass;   // of each link and all below it
    double *spread; // the same of mean moments of inertia
    bool *solid;    // it has shapes, or a link without mass that is fixed to it
    bool *below;    // there are shapes on it or below
} choosing;

static void *allocate(choosing *c, size_t bytes)
{
    void *memory = sn_arena_allocate(&c->reader->scene->arena, bytes + 1);
    c->reader->out_of_memory = c->reader->out_of_memory || memory == NULL;
    return memory;
}

// ---- what is below ----

static bool has_shape(const sn_urdf *urdf, const sn_urdf_link *link)
{
    for (int i = 0; i < link->shape_count; ++i) {
        if (!urdf->shapes[link->first_shape + i].empty) {
            return true;
        }
    }
    return false;
}

static bool sum_up(choosing *c)
{
    const sn_urdf *urdf = c->urdf;
    size_t links = (size_t)urdf->link_count;
    c->mass = allocate(c, links * sizeof *c->mass);
    c->spread = allocate(c, links * sizeof *c->spread);
    c->solid = allocate(c, links * sizeof *c->solid);
    c->below = allocate(c, links * sizeof *c->below);
    if (c->reader->out_of_memory) {
        return false;
    }
    for (int i = 0; i < urdf->link_count; ++i) {
        const sn_urdf_link *link = &urdf->links[i];
        const double(*m)[3] = link->inertia.m;
        c->mass[i] = link->has_mass ? link->mass : 0.0;
        c->spread[i] = link->has_mass ? (m[0][0] + m[1][1] + m[2][2]) / 3.0 : 0.0;
        c->solid[i] = c->below[i] = has_shape(urdf, link);
    }
    for (int i = urdf->joint_count - 1; i >= 0; --i) {
        const sn_urdf_joint *joint = &urdf->joints[urdf->order[i]];
        int parent = joint->parent, child = joint->child;
        c->mass[parent] += c->mass[child];
        c->spread[parent] += c->spread[child];
        c->below[parent] = c->below[parent] || c->below[child];
        c->solid[parent] = c->solid[parent] || (joint->type == SN_JOINT_FIXED && c->solid[child] &&
                                                !urdf->links[child].has_mass);
    }
    return true;
}

// ---- links without mass that move ----

// A body with a share of the mass that it carries; of what shapes will weigh nothing is known yet.
static void make_light(choosing *c, int index, double mass, double spread)
{
    sn_urdf_link *link = &c->urdf->links[index];
    bool known = mass > 0.0 && spread > 0.0;
    double moment = LIGHT_SHARE * (known ? spread : 0.01);
    link->mass = LIGHT_SHARE * (known ? mass : 1.0);
    link->centre = SN_VEC3_ZERO;
    link->inertia = (sn_mat3){{{moment, 0, 0}, {0, moment, 0}, {0, 0, moment}}};
    sn_urdf_note(c->reader, link->place,
                 "the link \"%.60s\" has no mass: it takes part with %.3g kg, a billionth of what "
                 "moves with it",
                 link->name, link->mass);
}

// What becomes of a link without mass that moves. False: it has nothing to move.
static bool choose_moving(choosing *c, int index)
{
    if (c->mass[index] > 0.0) {
        make_light(c, index, c->mass[index], c->spread[index]);
    } else if (c->solid[index]) {
        c->robot->links[index].by_shapes = true; // weighed when its meshes are found
    } else if (c->below[index]) {
        make_light(c, index, 0.0, 0.0);
    } else {
        return false;
    }
    return true;
}

// ---- the root ----

// The root of a free base without mass: the first link with mass that is fixed to it, directly or
// over others without mass, carries them all. -1: there is none.
static int find_carrier(const sn_urdf *urdf, sn_transform *frames, bool *part)
{
    part[urdf->root] = true;
    frames[urdf->root] = SN_TRANSFORM_IDENTITY;
    for (int i = 0; i < urdf->joint_count; ++i) {
        const sn_urdf_joint *joint = &urdf->joints[urdf->order[i]];
        if (joint->type != SN_JOINT_FIXED || !part[joint->parent]) {
            continue;
        }
        frames[joint->child] = sn_transform_multiply(frames[joint->parent], joint->origin);
        if (urdf->links[joint->child].has_mass) {
            return joint->child;
        }
        part[joint->child] = true;
    }
    return -1;
}

static void choose_root(choosing *c)
{
    const sn_urdf *urdf = c->urdf;
    const sn_urdf_link *root = &urdf->links[urdf->root];
    sn_robot_link *link = &c->robot->links[urdf->root];
    *link =
        (sn_robot_link){.kind = SN_LINK_BODY, .host = urdf->root, .in_host = SN_TRANSFORM_IDENTITY};
    if (root->has_mass) {
        return;
    }
    if (c->item->base == SN_BASE_FIXED) {
        bool world = strcmp(root->name, "world") == 0 && root->shape_count == 0;
        link->kind = world ? SN_LINK_WORLD : SN_LINK_STATIC;
        return;
    }
    bool *part = allocate(c, (size_t)urdf->link_count * sizeof *part);
    int carrier = part != NULL ? find_carrier(urdf, c->robot->frames, part) : -1;
    if (part != NULL && carrier >= 0) {
        *link = (sn_robot_link){.kind = SN_LINK_PART,
                                .host = carrier,
                                .in_host = sn_transform_inverse(c->robot->frames[carrier])};
    } else if (part != NULL && (c->reader->strict || !choose_moving(c, urdf->root))) {
        sn_urdf_fail(c->reader, root->place,
                     "the root link \"%.60s\" has no mass, nor has any link fixed to it; expected "
                     "<inertial>, or a robot with \"base\": \"fixed\"",
                     root->name);
    }
}

// ---- all ----

// It goes with what its joint hangs on.
static void join_parent(choosing *c, const sn_urdf_joint *joint)
{
    const sn_robot_link *parent = &c->robot->links[joint->parent];
    sn_robot_link *link = &c->robot->links[joint->child];
    if (parent->kind == SN_LINK_STATIC || parent->kind == SN_LINK_WORLD) {
        link->kind = SN_LINK_STATIC;
    } else {
        link->kind = SN_LINK_PART;
        link->host = parent->host;
        link->in_host = sn_transform_multiply(parent->in_host, sn_urdf_rest_frame(joint));
    }
}

static void choose_link(choosing *c, const sn_urdf_joint *joint)
{
    const sn_urdf_link *child = &c->urdf->links[joint->child];
    sn_robot_link *link = &c->robot->links[joint->child];
    *link = (sn_robot_link){
        .kind = SN_LINK_BODY, .host = joint->child, .in_host = SN_TRANSFORM_IDENTITY};
    if (child->has_mass) {
        return;
    }
    if (joint->type == SN_JOINT_FIXED) {
        join_parent(c, joint);
    } else if (c->reader->strict) {
        sn_urdf_fail(c->reader, child->place,
                     "the link \"%.60s\" moves on the joint \"%.60s\" but has no mass, expected "
                     "<inertial> with <mass> and <inertia>",
                     child->name, joint->name);
    } else if (!choose_moving(c, joint->child)) {
        link->locked = true;
        join_parent(c, joint);
    }
}

// A joint that others follow moves, though there is nothing on it.
static void wake_leaders(choosing *c)
{
    const sn_urdf *urdf = c->urdf;
    for (int i = 0; i < urdf->joint_count; ++i) {
        int follower = i;
        while (urdf->joints[follower].mimic >= 0 &&
               c->robot->links[urdf->joints[follower].child].kind == SN_LINK_BODY) {
            int leader = urdf->joints[follower].mimic, child = urdf->joints[leader].child;
            sn_robot_link *link = &c->robot->links[child];
            if (link->locked) {
                *link = (sn_robot_link){
                    .kind = SN_LINK_BODY, .host = child, .in_host = SN_TRANSFORM_IDENTITY};
                make_light(c, child, c->mass[urdf->root], c->spread[urdf->root]);
            }
            follower = leader;
        }
    }
}

static void note_locked(choosing *c)
{
    for (int i = 0; i < c->urdf->joint_count && !c->reader->out_of_memory; ++i) {
        const sn_urdf_joint *joint = &c->urdf->joints[i];
        const sn_urdf_link *link = &c->urdf->links[joint->child];
        if (c->robot->links[joint->child].locked) {
            sn_urdf_note(c->reader, link->place,
                         "the link \"%.60s\" has no mass, no shape, and nothing below it: its "
                         "joint \"%.60s\" is locked",
                         link->name, joint->name);
        }
    }
}

void sn_robot_choose_bodies(sn_urdf_reader *reader, const sn_robot_item *item, sn_robot *robot,
                            sn_urdf *urdf)
{
    choosing c = {.reader = reader, .item = item, .robot = robot, .urdf = urdf};
    if (!sum_up(&c)) {
        return;
    }
    choose_root(&c);
    for (int i = 0; i < urdf->joint_count && !reader->out_of_memory; ++i) {
        choose_link(&c, &urdf->joints[urdf->order[i]]);
    }
    if (!reader->out_of_memory) {
        wake_leaders(&c);
        note_locked(&c);
    }
}
