// Bullet 3.24 in single precision, as Debian's libbullet-dev builds it by default: rigid bodies in
// a btDiscreteDynamicsWorld, semi-implicit Euler. The gyroscopic term is implicit (Bullet's
// default), damping is 0, nothing sleeps, and collision detection is left out altogether: not even
// bounding boxes are updated. Piles of boxes have it, with Bullet's defaults: a tree of boxes, ten
// iterations of sequential impulses. bullet64.cpp is the same in double precision.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#define PEER_FREE
#define PEER_BOXES
#include "peer.h"

namespace
{
class World : public btDiscreteDynamicsWorld
{
  public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
    void performDiscreteCollisionDetection() override
    {
    }
};

struct Engine {
    btDefaultCollisionConfiguration config;
    btCollisionDispatcher dispatcher{&config};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    World world{&dispatcher, &broadphase, &solver, &config};
    btBoxShape box{btVector3(btScalar(0.5 * sn_free_size[0]), btScalar(0.5 * sn_free_size[1]),
                             btScalar(0.5 * sn_free_size[2]))};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    double step = 0.0;
};

std::unique_ptr<Engine> engine;

btVector3 vector(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}
} // namespace

static bool peer_start(double step)
{
    engine.reset(new Engine);
    engine->step = step;
    engine->world.setGravity(btVector3(0, 0, btScalar(-SN_FREE_GRAVITY)));
    return true;
}

static bool peer_add(int count)
{
    for (int i = 0; i < count; ++i) {
        sn_free_body start = sn_free_body_start(i);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(SN_FREE_MASS), nullptr, &engine->box,
                                                      vector(sn_free_inertia));
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(vector(start.position));
        info.m_linearDamping = info.m_angularDamping = 0;
        std::unique_ptr<btRigidBody> body(new btRigidBody(info));
        body->setLinearVelocity(vector(start.velocity));
        body->setAngularVelocity(vector(start.spin));
        body->setActivationState(DISABLE_DEACTIVATION);
        engine->world.addRigidBody(body.get(), 1, 0); // collides with nothing
        engine->bodies.push_back(std::move(body));
    }
    return true;
}

static void peer_advance(int steps)
{
    for (int i = 0; i < steps; ++i) {
        engine->world.stepSimulation(btScalar(engine->step), 0);
    }
}

static void peer_read(int count, sn_free_body *bodies)
{
    for (int i = 0; i < count; ++i) {
        const btRigidBody &body = *engine->bodies[size_t(i)];
        const btTransform &pose = body.getWorldTransform();
        for (int k = 0; k < 3; ++k) {
            bodies[i].position[k] = pose.getOrigin()[k];
            bodies[i].velocity[k] = body.getLinearVelocity()[k];
            bodies[i].spin[k] = body.getAngularVelocity()[k];
            for (int j = 0; j < 3; ++j) {
                bodies[i].rotation[3 * k + j] = pose.getBasis()[k][j];
            }
        }
    }
}

static double peer_load(int)
{
    return -1.0;
}

// ---- piles of boxes ----

namespace
{
struct Pile {
    btDefaultCollisionConfiguration config;
    btCollisionDispatcher dispatcher{&config};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &config};
    btBoxShape cube{btVector3(0.5, 0.5, 0.5)};
    btStaticPlaneShape ground{btVector3(0, 0, 1), 0};
    std::vector<std::unique_ptr<btRigidBody>> bodies; // the ground is the first
    double step = 0.0;

    void add(double mass, btCollisionShape *shape, const double *position)
    {
        btScalar inertia = btScalar(mass / 6.0);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape,
                                                      btVector3(inertia, inertia, inertia));
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(vector(position));
        info.m_linearDamping = info.m_angularDamping = 0;
        info.m_friction = btScalar(sqrt(SN_BOXES_FRICTION)); // those of a pair are multiplied
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }

    ~Pile()
    {
        for (auto &body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

std::unique_ptr<Pile> pile;
} // namespace

static bool peer_boxes_build(int count, double height, double step)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    pile.reset(new Pile);
    pile->step = step;
    pile->world.setGravity(btVector3(0, 0, btScalar(-SN_BOXES_GRAVITY)));
    pile->add(0.0, &pile->ground, origin);
    for (int i = 0; i < count; ++i) {
        double position[3];
        sn_boxes_start(i, count, height, position);
        pile->add(SN_BOXES_MASS, &pile->cube, position);
    }
    return true;
}

static void peer_boxes_advance(int steps)
{
    for (int i = 0; i < steps; ++i) {
        pile->world.stepSimulation(btScalar(pile->step), 0);
    }
}

static void peer_boxes_read(int count, sn_boxes_body *bodies)
{
    for (int i = 0; i < count; ++i) {
        const btRigidBody &body = *pile->bodies[size_t(i) + 1];
        const btTransform &pose = body.getWorldTransform();
        for (int k = 0; k < 3; ++k) {
            bodies[i].position[k] = pose.getOrigin()[k];
            bodies[i].velocity[k] = body.getLinearVelocity()[k];
            bodies[i].spin[k] = body.getAngularVelocity()[k];
            for (int j = 0; j < 3; ++j) {
                bodies[i].rotation[3 * k + j] = pose.getBasis()[k][j];
            }
        }
    }
}
