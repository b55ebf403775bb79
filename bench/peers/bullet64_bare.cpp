// Bullet 3.24 in double precision (Debian's bullet-float64): a btMultiBody, Bullet's linkage in
// reduced coordinates, stepped by its own functions without a world around it, which is the least
// that it can cost. Semi-implicit Euler. The gyroscopic term is on, damping is 0, and the limit of
// 100 rad/s on joint velocities, too low for the end of a chain, is lifted. Bullet sets aside the
// square of the freedoms as scratch numbers and clears them: 7 GB and many seconds, untimed, for
// 10,000 balls.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <memory>

#define PEER_LINKAGES
#include "peer.h"

namespace
{
std::unique_ptr<btMultiBody> body;
btScalar step_size;
btAlignedObjectArray<btScalar> numbers;
btAlignedObjectArray<btVector3> vectors;
btAlignedObjectArray<btMatrix3x3> matrices;

btVector3 vector(sn_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

sn_vec3 vector(const btVector3 &v)
{
    return sn_vec3_make(v.x(), v.y(), v.z());
}

void add_link(const sn_linkage *linkage, int i)
{
    const sn_linkage_link &link = linkage->links[i];
    btQuaternion from_parent =
        btQuaternion(link.rest.x, link.rest.y, link.rest.z, link.rest.w).inverse();
    sn_vec3 there = link.anchor; // Bullet measures from the parent's centre of mass
    if (link.parent >= 0) {
        there = sn_vec3_sub(there, linkage->links[link.parent].centre);
    }
    if (link.axis == 0) {
        body->setupSpherical(i, link.mass, vector(link.inertia), link.parent, from_parent,
                             vector(there), vector(link.centre), true);
    } else {
        btVector3 axis(link.axis == 'x', link.axis == 'y', link.axis == 'z');
        body->setupRevolute(i, link.mass, vector(link.inertia), link.parent, from_parent, axis,
                            vector(there), vector(link.centre), true);
    }
}
} // namespace

static bool peer_linkage_build(const char *, const sn_linkage *linkage, double step)
{
    step_size = step;
    body.reset(new btMultiBody(linkage->count, 0, btVector3(0, 0, 0), true, false));
    for (int i = 0; i < linkage->count; ++i) {
        add_link(linkage, i);
    }
    body->finalizeMultiDof();
    body->setBasePos(btVector3(0, 0, 0));
    body->setWorldToBaseRot(btQuaternion(0, 0, 0, 1));
    body->setLinearDamping(0); // both are 0.04 by default
    body->setAngularDamping(0);
    body->setUseGyroTerm(true);
    body->setMaxCoordinateVelocity(1e9);
    body->setCanSleep(false);
    return true;
}

static int peer_linkage_advance(void *, int steps)
{
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < body->getNumLinks(); ++i) {
            body->addLinkForce(i, btVector3(0, 0, -SN_LINKAGE_GRAVITY * body->getLinkMass(i)));
        }
        body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(step_size, numbers, vectors,
                                                                   matrices, false, false, false);
        body->stepPositionsMultiDof(step_size);
        body->clearForcesAndTorques();
    }
    return steps;
}

static void peer_linkage_read(void *, sn_linkage_body *bodies)
{
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> positions, spins, velocities; // the base comes first
    body->forwardKinematics(rotations, positions);
    spins.resize(body->getNumLinks() + 1);
    velocities.resize(body->getNumLinks() + 1);
    body->compTreeLinkVelocities(&spins[0], &velocities[0]); // in each link's own axes
    for (int i = 0; i < body->getNumLinks(); ++i) {
        const btTransform &pose = body->getLink(i).m_cachedWorldTransform;
        bodies[i].position = vector(pose.getOrigin());
        bodies[i].velocity = vector(pose.getBasis() * velocities[i + 1]);
        bodies[i].spin = vector(pose.getBasis() * spins[i + 1]);
        for (int j = 0; j < 9; ++j) {
            bodies[i].rotation.m[j / 3][j % 3] = pose.getBasis()[j / 3][j % 3];
        }
    }
}

static int peer_linkage_resets(void)
{
    return 0;
}

static double peer_linkage_most(void)
{
    return 0.0;
}
