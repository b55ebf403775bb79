// ODE 0.16.2 in double precision, as Debian builds it: bodies without geoms, dWorldQuickStep,
// semi-implicit Euler. The gyroscopic term is on (ODE's default), damping is 0, nothing sleeps.
// Piles of boxes: a hash space, up to eight points for two boxes, QuickStep's default of twenty
// iterations.
#include <ode/ode.h>
#include <stdbool.h>

#define PEER_FREE
#define PEER_BOXES
#include "peer.h"

static dWorldID world;
static dBodyID *bodies;
static double step_size;

static bool peer_start(double step)
{
    step_size = step;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -SN_FREE_GRAVITY);
    dWorldSetAutoDisableFlag(world, 0);
    dWorldSetDamping(world, 0, 0);
    return true;
}

static bool peer_add(int count)
{
    bodies = calloc((size_t)count, sizeof *bodies);
    for (int i = 0; bodies != NULL && i < count; ++i) {
        sn_free_body start = sn_free_body_start(i);
        dMass mass;
        dMassSetParameters(&mass, SN_FREE_MASS, 0, 0, 0, sn_free_inertia[0], sn_free_inertia[1],
                           sn_free_inertia[2], 0, 0, 0);
        bodies[i] = dBodyCreate(world);
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], start.position[0], start.position[1], start.position[2]);
        dBodySetLinearVel(bodies[i], start.velocity[0], start.velocity[1], start.velocity[2]);
        dBodySetAngularVel(bodies[i], start.spin[0], start.spin[1], start.spin[2]);
    }
    return bodies != NULL;
}

static void peer_advance(int steps)
{
    for (int i = 0; i < steps; ++i) {
        dWorldQuickStep(world, step_size);
    }
}

static void peer_read(int count, sn_free_body *out)
{
    for (int i = 0; i < count; ++i) {
        const dReal *rotation = dBodyGetRotation(bodies[i]); // three rows of four
        for (int k = 0; k < 3; ++k) {
            out[i].position[k] = dBodyGetPosition(bodies[i])[k];
            out[i].velocity[k] = dBodyGetLinearVel(bodies[i])[k];
            out[i].spin[k] = dBodyGetAngularVel(bodies[i])[k];
            for (int j = 0; j < 3; ++j) {
                out[i].rotation[3 * k + j] = rotation[4 * k + j];
            }
        }
    }
}

static double peer_load(int count)
{
    (void)count;
    return -1.0;
}

// ---- piles of boxes ----

static dSpaceID space;
static dJointGroupID contacts;

static bool peer_boxes_build(int count, double height, double step)
{
    if (space != NULL) {
        dJointGroupDestroy(contacts);
        dSpaceDestroy(space);
        dWorldDestroy(world);
        free((void *)bodies);
        dCloseODE();
    }
    if (!peer_start(step)) {
        return false;
    }
    contacts = dJointGroupCreate(0);
    space = dHashSpaceCreate(NULL);
    dCreatePlane(space, 0, 0, 1, 0);
    bodies = (dBodyID *)calloc((size_t)count, sizeof *bodies);
    for (int i = 0; bodies != NULL && i < count; ++i) {
        double position[3];
        dMass mass;
        sn_boxes_start(i, count, height, position);
        dMassSetBoxTotal(&mass, SN_BOXES_MASS, 1, 1, 1);
        bodies[i] = dBodyCreate(world);
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], position[0], position[1], position[2]);
        dGeomSetBody(dCreateBox(space, 1, 1, 1), bodies[i]);
    }
    return bodies != NULL;
}

static void meet(void *context, dGeomID a, dGeomID b)
{
    (void)context;
    dContact found[8];
    int count = dCollide(a, b, 8, &found[0].geom, sizeof found[0]);
    for (int i = 0; i < count; ++i) {
        found[i].surface.mode = dContactApprox1; // mu is a coefficient, not a force
        found[i].surface.mu = SN_BOXES_FRICTION;
        dJointAttach(dJointCreateContact(world, contacts, &found[i]), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

static void peer_boxes_advance(int steps)
{
    for (int i = 0; i < steps; ++i) {
        dSpaceCollide(space, NULL, meet);
        dWorldQuickStep(world, step_size);
        dJointGroupEmpty(contacts);
    }
}

static void peer_boxes_read(int count, sn_boxes_body *out)
{
    for (int i = 0; i < count; ++i) {
        const dReal *rotation = dBodyGetRotation(bodies[i]); // three rows of four
        for (int k = 0; k < 3; ++k) {
            out[i].position[k] = dBodyGetPosition(bodies[i])[k];
            out[i].velocity[k] = dBodyGetLinearVel(bodies[i])[k];
            out[i].spin[k] = dBodyGetAngularVel(bodies[i])[k];
            for (int j = 0; j < 3; ++j) {
                out[i].rotation[3 * k + j] = rotation[4 * k + j];
            }
        }
    }
}
