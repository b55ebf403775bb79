// The same URDF text read by MuJoCo and by the engine: mass, centre and accelerations at random
// states.
//
// MuJoCo joins links that are fixed to each other into one body; so masses are compared body by
// body of its own.
#ifndef SN_TESTS_URDF_MUJOCO_H
#define SN_TESTS_URDF_MUJOCO_H

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "math/rotation.h"
#include "random_vector.h"
#include "scene/model.h"
#include "sinew/mechanics.h"
#include "sinew/scene.h"
#include "world_steps.h"

// A robot that both have read.
typedef struct both_robots {
    const char *name; // for messages
    mjModel *model;
    mjData *data;
    const char *urdf; // text
} both_robots;

static const char *both_find(void *user, const char *path, size_t *length)
{
    const both_robots *both = user;
    if (strcmp(path, "both.urdf") != 0) {
        return NULL;
    }
    *length = strlen(both->urdf);
    return both->urdf;
}

// Only hinges and sliders, which have one name and one number each.
static bool both_can_move(const both_robots *both)
{
    for (int i = 0; i < both->model->njnt; ++i) {
        int type = both->model->jnt_type[i];
        const char *name = mj_id2name(both->model, mjOBJ_JOINT, i);
        if ((type != mjJNT_HINGE && type != mjJNT_SLIDE) || strstr(both->urdf, name) == NULL) {
            return false; // a planar one is three there, with names of their own
        }
    }
    return strstr(both->urdf, "<mimic") == NULL; // which this MuJoCo does not know
}

static void both_random_state(both_robots *both, sn_random *random)
{
    const mjModel *model = both->model;
    for (int i = 0; i < model->njnt; ++i) {
        double lower = -1.0, upper = 1.0;
        if (model->jnt_limited[i] && isfinite(model->jnt_range[2 * i])) {
            lower = model->jnt_range[2 * i];
            upper = model->jnt_range[2 * i + 1];
        }
        double share = sn_random_range(random, 0.2, 0.8);
        both->data->qpos[i] = lower + share * (upper - lower);
        both->data->qvel[i] = sn_random_range(random, -2.0, 2.0);
    }
    mj_forward(model, both->data);
}

// The scene with the robot at MuJoCo's positions.
static sn_scene *both_load(const both_robots *both)
{
    char text[4000];
    size_t at = (size_t)snprintf(
        text, sizeof text, "{\"sinew\": 1, \"robots\": [{\"file\": \"both.urdf\", \"pose\": {");
    for (int i = 0; i < both->model->njnt; ++i) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\"%s\": %.17g", i > 0 ? ", " : "",
                               mj_id2name(both->model, mjOBJ_JOINT, i), both->data->qpos[i]);
    }
    snprintf(text + at, sizeof text - at, "}}]}");
    sn_scene_options options = {.find = both_find, .user = (void *)both};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("t", text, strlen(text), &options, &scene, &errors);
    if (status != SN_OK) {
        fail_msg("%s: %s", both->name, sn_error_message(&errors.items[0]));
    }
    sn_error_list_free(&errors);
    return scene;
}

// The body of MuJoCo that a body of ours is part of, over fixed joints upwards; 0: the world.
static int both_body(const both_robots *both, const sn_world *world, const char *name)
{
    for (int up = 0; up < 1000; ++up) {
        int found = mj_name2id(both->model, mjOBJ_BODY, name);
        if (found >= 0) {
            return found;
        }
        const char *above = NULL;
        for (int i = 0; i < sn_world_joint_count(world) && above == NULL; ++i) {
            sn_joint joint = sn_world_joint(world, i);
            if (strcmp(sn_body_name(world, sn_joint_child(world, joint)), name) == 0) {
                sn_body parent = sn_joint_parent(world, joint);
                above = sn_body_is_valid(world, parent) ? sn_body_name(world, parent) : NULL;
            }
        }
        if (above == NULL) {
            return 0;
        }
        name = above;
    }
    return 0;
}

// Velocities as MuJoCo has them, at the centres of our bodies.
static void both_set_velocities(const both_robots *both, const sn_world *still, sn_scene *scene)
{
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        sn_body_item *item = SN_BODY(scene, i);
        int body = both_body(both, still, item->name);
        if (body == 0) {
            continue;
        }
        double v[6];
        mj_objectVelocity(both->model, both->data, mjOBJ_XBODY, body, v, 0);
        const double *x = both->data->xpos + 3L * body;
        sn_vec3 turning = sn_vec3_make(v[0], v[1], v[2]);
        sn_vec3 arm = sn_vec3_sub(sn_body_centre(still, sn_world_find_body(still, item->name)),
                                  sn_vec3_make(x[0], x[1], x[2]));
        item->angular_velocity = turning;
        item->velocity = sn_vec3_add(sn_vec3_make(v[3], v[4], v[5]), sn_cross(turning, arm));
    }
}

static void both_compare_masses(const both_robots *both, const sn_world *world)
{
    for (int i = 1; i < both->model->nbody; ++i) {
        double mass = 0.0;
        sn_vec3 moment = SN_VEC3_ZERO;
        for (int k = 0; k < sn_world_body_count(world); ++k) {
            sn_body body = sn_world_body(world, k);
            bool rigid = sn_body_get_type(world, body) == SN_BODY_RIGID;
            if (rigid && both_body(both, world, sn_body_name(world, body)) == i) {
                double m = sn_body_mass_properties(world, body).mass;
                mass += m;
                moment = sn_vec3_add(moment, sn_vec3_scale(m, sn_body_centre(world, body)));
            }
        }
        const double *x = both->data->xipos + 3L * i, theirs = both->model->body_mass[i];
        if (both->model->body_weldid[i] == 0) {
            continue; // held by the world
        }
        sn_vec3 centre = sn_vec3_scale(1.0 / mass, moment);
        if (!(fabs(mass - theirs) <= 1e-7 * theirs) ||
            !(sn_distance(centre, sn_vec3_make(x[0], x[1], x[2])) <= 1e-7)) {
            fail_msg("%s, %s: %.12g kg at %.9g %.9g %.9g, MuJoCo has %.12g at %.9g %.9g %.9g",
                     both->name, mj_id2name(both->model, mjOBJ_BODY, i), mass, centre.x, centre.y,
                     centre.z, theirs, x[0], x[1], x[2]);
        }
    }
}

static void both_compare_accelerations(const both_robots *both, sn_world *world)
{
    enum { MOST = 200 };
    double ours[MOST] = {0}, largest = 1.0;
    int count = 0;
    sn_error error = {0};
    if (sn_world_coordinate_count(world, &count, &error) != SN_OK || count > MOST ||
        sn_world_accelerations(world, NULL, ours, &error) != SN_OK) {
        fail_msg("%s: %s", both->name, sn_error_message(&error));
    }
    if (count != both->model->nv) {
        fail_msg("%s: %d coordinates, MuJoCo has %d", both->name, count, both->model->nv);
    }
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(both->data->qacc[i]));
    }
    for (int i = 0; i < both->model->njnt; ++i) {
        const char *name = mj_id2name(both->model, mjOBJ_JOINT, i);
        sn_joint joint = sn_world_find_joint(world, name);
        char other[200];
        if (!sn_joint_is_valid(world, joint)) {
            snprintf(other, sizeof other, "%s_joint", name);
            joint = sn_world_find_joint(world, other);
        }
        int at = sn_joint_coordinate(world, joint, 0);
        if (at < 0 || !(fabs(ours[at] - both->data->qacc[i]) <= 1e-7 * largest)) {
            fail_msg("%s: %s accelerates by %.12g, in MuJoCo by %.12g", both->name, name,
                     at >= 0 ? ours[at] : NAN, both->data->qacc[i]);
        }
    }
}

static sn_world *both_build(const both_robots *both, const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s: %s", both->name, sn_error_message(&error));
    }
    return world;
}

// Reads the text, at `path` for MuJoCo, and compares; false when MuJoCo refuses it.
static inline bool both_compare_in(const char *name, const char *path, const mjVFS *files,
                                   const char *urdf, sn_random *random)
{
    char message[500] = "";
    both_robots both = {.name = name, .urdf = urdf};
    both.model = mj_loadXML(path, files, message, sizeof message);
    if (both.model == NULL) {
        return false;
    }
    both.model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    both.data = mj_makeData(both.model);
    for (int round = 0; round < 3 && both_can_move(&both); ++round) {
        both_random_state(&both, random);
        sn_scene *scene = both_load(&both);
        sn_world *still = both_build(&both, scene);
        both_compare_masses(&both, still);
        both_set_velocities(&both, still, scene);
        sn_world *world = both_build(&both, scene);
        both_compare_accelerations(&both, world);
        sn_world_destroy(still);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    mj_deleteData(both.data);
    mj_deleteModel(both.model);
    return true;
}

static inline bool both_compare(const char *name, const char *path, const char *urdf,
                                sn_random *random)
{
    return both_compare_in(name, path, NULL, urdf, random);
}

#endif
