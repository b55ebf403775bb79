// MuJoCo 2.2.2 in double precision, as Debian builds it: free bodies, or a linkage, in one model,
// semi-implicit Euler (MuJoCo's default), contact disabled. mujoco_rk4.c is the same with its
// Runge-Kutta integrator. Its compiler takes time with the square of the number of bodies (25 s for
// 10,000), so more than 2,000 are refused; the cost of a step per body hardly depends on their
// number. Of linkages it runs the robot and what has up to 100 links, but no longer chains than 20:
// its mass matrix has entries for all ancestors of a link, so that the cost of a chain grows with
// the cube of its length.
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdbool.h>

#define PEER_FREE
#define PEER_LINKAGES
#define PEER_HUMANOID
#include "peer.h"

#ifndef PEER_INTEGRATOR
#define PEER_INTEGRATOR mjINT_EULER
#endif

enum { BODY_LIMIT = 2000, LINK_LIMIT = 100, CHAIN_LIMIT = 20 };

static mjModel *model;
static mjData *data;
static double step_size;

// Text that grows.
static char *text;
static size_t text_length, text_capacity;

static void append(const char *format, ...)
{
    if (text_capacity < text_length + 1024) {
        text_capacity = 2 * text_capacity + 65536;
        text = realloc(text, text_capacity);
        if (text == NULL) {
            exit(1);
        }
    }
    va_list list;
    va_start(list, format);
    text_length += (size_t)vsnprintf(text + text_length, text_capacity - text_length, format, list);
    va_end(list);
}

// MuJoCo would print to the standard output, or stop the program with a box of text.
static void on_warning(const char *message)
{
    fprintf(stderr, "mujoco: %s\n", message);
}

static void on_error(const char *message)
{
    fprintf(stderr, "mujoco: %s\n", message);
    exit(1);
}

// The buffers are sized by hand: MuJoCo's own guess grows with the square of the number of bodies.
static void write_model(int count)
{
    text_length = 0;
    append("<mujoco><compiler inertiafromgeom=\"false\"/>"
           "<option gravity=\"0 0 %.17g\" timestep=\"%.17g\"><flag contact=\"disable\"/></option>"
           "<size nconmax=\"1\" njmax=\"1\" nstack=\"%ld\"/><worldbody>\n",
           -SN_FREE_GRAVITY, step_size, 100L * count + 10000L);
    for (int i = 0; i < count; ++i) {
        sn_free_body start = sn_free_body_start(i);
        append("<body pos=\"%.17g %.17g %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"%.17g\" "
               "diaginertia=\"%.17g %.17g %.17g\"/>"
               "<geom type=\"box\" size=\"%.17g %.17g %.17g\"/></body>\n",
               start.position[0], start.position[1], start.position[2], SN_FREE_MASS,
               sn_free_inertia[0], sn_free_inertia[1], sn_free_inertia[2], 0.5 * sn_free_size[0],
               0.5 * sn_free_size[1], 0.5 * sn_free_size[2]);
    }
    append("</worldbody></mujoco>\n");
}

static bool load_model(void)
{
    char error[1000] = "";
    mjVFS *files = malloc(sizeof *files);
    if (files == NULL) {
        return false;
    }
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "model.xml", (int)text_length);
    memcpy(files->filedata[mj_findFileVFS(files, "model.xml")], text, text_length);
    model = mj_loadXML("model.xml", files, error, sizeof error);
    mj_deleteVFS(files);
    free(files);
    if (model == NULL) {
        fprintf(stderr, "mujoco: %s\n", error);
        return false;
    }
    model->opt.integrator = PEER_INTEGRATOR;
    data = mj_makeData(model);
    return data != NULL;
}

static bool peer_start(double step)
{
    mju_user_warning = on_warning;
    mju_user_error = on_error;
    step_size = step;
    return true;
}

static bool peer_add(int count)
{
    if (count > BODY_LIMIT) {
        return false;
    }
    write_model(count);
    bool loaded = load_model();
    free(text);
    text = NULL;
    text_capacity = 0;
    for (int i = 0; loaded && i < count; ++i) {
        sn_free_body start = sn_free_body_start(i);
        mjtNum *velocity = data->qvel + 6 * i; // linear in world axes, angular in body axes
        memcpy(velocity, start.velocity, sizeof start.velocity);
        memcpy(velocity + 3, start.spin, sizeof start.spin); // the axes agree at the start
    }
    return loaded;
}

static void peer_advance(int steps)
{
    for (int i = 0; i < steps; ++i) {
        mj_step(model, data);
    }
}

static void peer_read(int count, sn_free_body *bodies)
{
    for (int i = 0; i < count; ++i) {
        const mjtNum *pose = data->qpos + 7 * i, *velocity = data->qvel + 6 * i;
        mju_quat2Mat(bodies[i].rotation, pose + 3);
        mju_rotVecQuat(bodies[i].spin, velocity + 3, pose + 3);
        memcpy(bodies[i].position, pose, sizeof bodies[i].position);
        memcpy(bodies[i].velocity, velocity, sizeof bodies[i].velocity);
    }
}

static double peer_load(int count)
{
    if (count > BODY_LIMIT || !peer_start(1e-3)) {
        return -1.0;
    }
    write_model(count);
    double started = peer_seconds();
    bool loaded = load_model();
    double seconds = peer_seconds() - started;
    return loaded ? seconds : -1.0;
}

// ---- linkages ----

static int body_numbers[LINK_LIMIT]; // MuJoCo numbers bodies depth first; the world is 0
static int link_count, written;
static int resets; // MuJoCo starts anew, with a warning, once numbers are too great

static void write_link(const sn_linkage *linkage, int i)
{
    const sn_linkage_link *link = &linkage->links[i];
    body_numbers[i] = ++written;
    append("<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">", link->anchor.x,
           link->anchor.y, link->anchor.z, link->rest.w, link->rest.x, link->rest.y, link->rest.z);
    if (link->axis == 0) {
        append("<joint type=\"ball\"/>");
    } else {
        append("<joint type=\"hinge\" axis=\"%d %d %d\"/>", link->axis == 'x', link->axis == 'y',
               link->axis == 'z');
    }
    append("<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" "
           "diaginertia=\"%.17g %.17g %.17g\"/>\n",
           link->centre.x, link->centre.y, link->centre.z, link->mass, link->inertia.x,
           link->inertia.y, link->inertia.z);
    for (int j = i + 1; j < linkage->count; ++j) {
        if (linkage->links[j].parent == i) {
            write_link(linkage, j);
        }
    }
    append("</body>\n");
}

static bool peer_linkage_build(const char *name, const sn_linkage *linkage, double step)
{
    link_count = linkage->count;
    if (link_count > (strcmp(name, "chain") == 0 ? CHAIN_LIMIT : LINK_LIMIT) || !peer_start(step)) {
        return false;
    }
    append("<mujoco><compiler inertiafromgeom=\"false\" boundmass=\"0\" boundinertia=\"0\"/>"
           "<option gravity=\"0 0 %.17g\" timestep=\"%.17g\"><flag contact=\"disable\"/></option>"
           "<size nconmax=\"1\" njmax=\"1\" nstack=\"100000\"/><worldbody>\n",
           -SN_LINKAGE_GRAVITY, step);
    write_link(linkage, 0);
    append("</worldbody></mujoco>\n");
    return load_model();
}

static int peer_linkage_advance(void *context, int steps)
{
    (void)context;
    for (int i = 0; i < steps; ++i) {
        double before = data->time;
        mj_step(model, data);
        resets += data->time <= before ? 1 : 0;
    }
    return steps;
}

static void peer_linkage_read(void *context, sn_linkage_body *bodies)
{
    (void)context;
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_comVel(model, data);
    for (int i = 0; i < link_count; ++i) {
        int body = body_numbers[i];
        mjtNum velocity[6]; // turning, then moving
        mj_objectVelocity(model, data, mjOBJ_BODY, body, velocity, 0);
        bodies[i].position = sn_vec3_at(data->xipos + 3 * body);
        bodies[i].spin = sn_vec3_at(velocity);
        bodies[i].velocity = sn_vec3_at(velocity + 3);
        memcpy(bodies[i].rotation.m, data->ximat + 9 * body, sizeof bodies[i].rotation.m);
    }
}

static int peer_linkage_resets(void)
{
    return resets;
}

static double peer_linkage_most(void)
{
    return 5e6; // a tree of 100 over 100 s would take a minute
}

// ---- a humanoid on a plane ----

static sn_humanoid_link humanoid[SN_HUMANOID_LINKS];

static void write_humanoid_meshes(void)
{
    append("<asset>");
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        sn_vec3 corners[SN_HUMANOID_CORNERS];
        sn_humanoid_hull(&humanoid[i], i, corners);
        if (!humanoid[i].hull) {
            continue;
        }
        append("<mesh name=\"%s\" vertex=\"", humanoid[i].name);
        for (int k = 0; k < SN_HUMANOID_CORNERS; ++k) {
            append("%.17g %.17g %.17g ", corners[k].x, corners[k].y, corners[k].z);
        }
        append("\"/>\n");
    }
    append("</asset>");
}

static void write_humanoid_link(int i)
{
    const sn_humanoid_link *link = &humanoid[i];
    sn_vec3 inertia = sn_humanoid_inertia(link);
    body_numbers[i] = ++written;
    if (link->parent < 0) {
        sn_quat turn = sn_humanoid_turn();
        append("<body pos=\"0 0 %.17g\" quat=\"%.17g %.17g %.17g %.17g\"><freejoint/>",
               sn_humanoid_height(humanoid), turn.w, turn.x, turn.y, turn.z);
    } else {
        append("<body pos=\"%.17g %.17g %.17g\"><joint type=\"hinge\" axis=\"%d %d %d\" "
               "limited=\"true\" range=\"%.17g %.17g\" damping=\"%.17g\"/>",
               link->anchor.x, link->anchor.y, link->anchor.z, link->axis == 'x', link->axis == 'y',
               link->axis == 'z', link->lower, link->upper, SN_HUMANOID_DAMPING);
    }
    append("<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" "
           "diaginertia=\"%.17g %.17g %.17g\"/>\n",
           link->centre.x, link->centre.y, link->centre.z, link->mass, inertia.x, inertia.y,
           inertia.z);
    if (link->hull) {
        append("<geom type=\"mesh\" mesh=\"%s\" friction=\"%.17g 0.005 0.0001\"/>\n", link->name,
               SN_HUMANOID_FRICTION);
    }
    for (int k = i + 1; k < SN_HUMANOID_LINKS; ++k) {
        if (humanoid[k].parent == i) {
            write_humanoid_link(k);
        }
    }
    append("</body>\n");
}

// Everything else at MuJoCo's defaults.
static bool peer_humanoid_build(double step)
{
    sn_humanoid_make(humanoid);
    if (!peer_start(step)) {
        return false;
    }
    append("<mujoco><compiler inertiafromgeom=\"false\" angle=\"radian\"/>"
           "<option gravity=\"0 0 %.17g\" timestep=\"%.17g\"/>",
           -SN_HUMANOID_GRAVITY, step);
    write_humanoid_meshes();
    append("<worldbody><geom type=\"plane\" size=\"10 10 1\" friction=\"%.17g 0.005 0.0001\"/>\n",
           SN_HUMANOID_FRICTION);
    write_humanoid_link(0);
    append("</worldbody></mujoco>\n");
    return load_model();
}

static bool peer_humanoid_advance(void *context, int steps)
{
    (void)context;
    for (int i = 0; i < steps; ++i) {
        mj_step(model, data);
    }
    return true;
}

static void peer_humanoid_read(void *context, sn_humanoid_body *bodies)
{
    (void)context;
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_comVel(model, data);
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        int body = body_numbers[i];
        mjtNum velocity[6]; // turning, then moving
        mj_objectVelocity(model, data, mjOBJ_BODY, body, velocity, 0);
        bodies[i].position = sn_vec3_at(data->xpos + 3 * body);
        bodies[i].spin = sn_vec3_at(velocity);
        bodies[i].velocity = sn_vec3_at(velocity + 3);
        memcpy(bodies[i].rotation.m, data->xmat + 9 * body, sizeof bodies[i].rotation.m);
    }
}
