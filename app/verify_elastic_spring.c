// Elastic bodies that meet in the precise policy, by contact springs.
#include <math.h>
#include <stdio.h>

#include "sinew/world.h"
#include "verify_elastic.h"

typedef struct trial {
    sn_world *world;
    sn_body bodies[2];
    sn_tetrahedra *meshes[2];
    sn_status status;
    sn_error error;
} trial;

static trial make_trial(double gravity, double stiffness)
{
    trial made = {.status = SN_OK};
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    def.contact.method = SN_CONTACT_SPRINGS;
    def.contact.stiffness = stiffness;
    def.contact.damping = 0.0;
    def.relative_tolerance = 1e-8;
    def.absolute_tolerance = 1e-10;
    made.status = sn_world_create(&def, &made.world, &made.error);
    return made;
}

static void free_trial(trial *in)
{
    sn_world_destroy(in->world);
    for (int i = 0; i < 2; ++i) {
        sn_tetrahedra_release(in->meshes[i]);
    }
}

// Adds body i of its mesh: Young's modulus 20 kPa, water's density, no friction.
static void add(trial *in, int i, sn_elastic_law law, double poisson, sn_transform frame,
                sn_vec3 velocity)
{
    if (in->status != SN_OK) {
        return;
    }
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(law, 2e4, poisson);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = in->meshes[i];
    def.materials = &material;
    def.material_count = 1;
    def.frame = frame;
    def.velocity = velocity;
    def.surface.friction = 0.0;
    in->status = sn_world_add_elastic(in->world, &def, &in->bodies[i], &in->error);
}

static void make_box(trial *in, int i, sn_vec3 size, int x, int y, int z)
{
    sn_tetrahedra_box box = {.size = size, .cells = {x, y, z}, .cell = SN_CELL_SIX_MIRRORED};
    in->status =
        in->status == SN_OK ? sn_tetrahedra_make_box(&box, &in->meshes[i], &in->error) : in->status;
}

static void make_ball(trial *in, int i, int nodes)
{
    sn_tetrahedra *plain = NULL;
    if (in->status == SN_OK) {
        in->status = sn_tetrahedra_make_sphere(0.1, 1, &plain, &in->error);
    }
    if (in->status == SN_OK) {
        in->status =
            nodes == 4 ? SN_OK : sn_tetrahedra_quadratic(plain, &in->meshes[i], &in->error);
    }
    if (nodes == 4) {
        in->meshes[i] = plain;
    } else {
        sn_tetrahedra_release(plain);
    }
}

// ---- a ball that bounces ----

static void bounce(sn_verify *verify, int nodes)
{
    trial in = make_trial(9.81, 0.0);
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    sn_body_def floor = sn_default_body_def();
    floor.type = SN_BODY_STATIC;
    floor.shapes = &plane;
    floor.shape_count = 1;
    sn_body ground;
    if (in.status == SN_OK) {
        in.status = sn_world_add_body(in.world, &floor, &ground, &in.error);
    }
    make_ball(&in, 0, nodes);
    sn_transform above = {{0.0, 0.0, 0.16}, {cos(0.2), sin(0.2), 0.0, 0.0}};
    add(&in, 0, SN_ELASTIC_LIESENFELD, 0.3, above, (sn_vec3){0.2, 0.0, -1.0});
    double start = in.status == SN_OK ? sn_world_energy(in.world).total : 0.0;
    double change = 0.0, most = 0.0, fastest = 0.0;
    for (int i = 0; i < 60 && in.status == SN_OK; ++i) {
        in.status = sn_world_step(in.world, 0.005, &in.error);
        sn_energy now = sn_world_energy(in.world);
        change = fmax(change, fabs(now.total - start));
        most = fmax(most, now.kinetic);
        fastest = fmax(fastest, sn_body_velocity(in.world, in.bodies[0]).z);
    }
    if (in.status != SN_OK) {
        sn_verify_broken(verify, &in.error);
    } else {
        char what[80];
        snprintf(what, sizeof what, "%d nodes, energy, of the kinetic", nodes);
        // What does not come up again says nothing about bounces.
        sn_verify_near(verify, what, 0.0, fastest > 0.5 ? change / most : NAN, 1e-6);
    }
    free_trial(&in);
}

void sn_verify_elastic_spring_bounce(sn_verify *verify)
{
    bounce(verify, 4);
    bounce(verify, 10);
}

// ---- a ball and a block, both free ----

void sn_verify_elastic_spring_pair(sn_verify *verify)
{
    trial in = make_trial(0.0, 0.0);
    make_box(&in, 0, (sn_vec3){0.3, 0.3, 0.1}, 2, 2, 1);
    make_ball(&in, 1, 10);
    sn_transform low = {{0.0, 0.0, 0.0}, SN_QUAT_IDENTITY},
                 high = {{0.04, -0.03, 0.16}, {cos(0.3), 0.0, sin(0.3), 0.0}};
    add(&in, 0, SN_ELASTIC_NEO_HOOKEAN, 0.3, low, (sn_vec3){0.0, 0.1, 0.2});
    add(&in, 1, SN_ELASTIC_NEO_HOOKEAN, 0.3, high, (sn_vec3){0.1, 0.0, -1.0});
    sn_energy start = {0};
    sn_vec3 p = SN_VEC3_ZERO, l = SN_VEC3_ZERO;
    if (in.status == SN_OK) {
        start = sn_world_energy(in.world);
        p = sn_world_momentum(in.world);
        l = sn_world_angular_momentum(in.world);
    }
    double change = 0.0, slip = 0.0, turn = 0.0, up = -1.0;
    for (int i = 0; i < 50 && in.status == SN_OK; ++i) {
        in.status = sn_world_step(in.world, 0.005, &in.error);
        change = fmax(change, fabs(sn_world_energy(in.world).total - start.total));
        slip = fmax(slip, sn_distance(sn_world_momentum(in.world), p));
        turn = fmax(turn, sn_distance(sn_world_angular_momentum(in.world), l));
        up = sn_body_velocity(in.world, in.bodies[1]).z;
    }
    if (in.status != SN_OK) {
        sn_verify_broken(verify, &in.error);
    } else {
        bool met = up > -0.5;
        double size = 4.0 * 1.0; // kg m/s of the ball
        sn_verify_near(verify, "energy, of the kinetic", 0.0, met ? change / start.kinetic : NAN,
                       1e-6);
        sn_verify_near(verify, "momentum", 0.0, met ? slip / size : NAN, 1e-12);
        sn_verify_near(verify, "angular momentum", 0.0, met ? turn / (size * 0.1) : NAN, 1e-8);
    }
    free_trial(&in);
}

// ---- two bars ----

// 1 m long, 20 kPa and 1000 kg/m^3, so that waves run along them with sqrt(20) m/s, at +-0.02 m/s.
// They part after 2 L/c and have swapped their velocities. One is turned by 45 degrees, so that
// springs are between edges, too. The time in contact and the velocity after it, of these.
static void collide(trial *in, double *time, double *velocity)
{
    const double speed = 0.02, c = sqrt(20.0), h = 0.005;
    sn_transform left = {{-0.5005, 0.0, 0.0}, SN_QUAT_IDENTITY},
                 right = {{0.5005, 0.0, 0.0}, {cos(SN_PI / 8.0), sin(SN_PI / 8.0), 0.0, 0.0}};
    for (int i = 0; i < 2; ++i) {
        make_box(in, i, (sn_vec3){1.0, 0.05, 0.05}, 16, 1, 1);
        add(in, i, SN_ELASTIC_NEO_HOOKEAN, 0.0, i == 0 ? left : right,
            (sn_vec3){i == 0 ? speed : -speed, 0.0, 0.0});
    }
    double begin = NAN, end = NAN, before = speed;
    for (int i = 1; i <= 140 && in->status == SN_OK; ++i) {
        in->status = sn_world_step(in->world, h, &in->error);
        double now = sn_body_velocity(in->world, in->bodies[0]).x, force = (before - now) / h;
        bool full = force > 0.5 * speed * c; // of rho A c v, by the mass
        before = now;
        begin = full && isnan(begin) ? h * (i - 0.5) : begin;
        end = full ? h * (i + 0.5) : end;
    }
    *time = (end - begin) * 0.5 * c;
    *velocity = before / -speed;
}

void sn_verify_elastic_spring_bars(sn_verify *verify)
{
    static const double stiffness[3] = {2.0, 8.0, 32.0}, limits[3] = {0.5, 0.06, 0.02};
    double errors[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        double time = NAN, velocity = NAN;
        char what[80];
        trial in = make_trial(0.0, stiffness[i]);
        collide(&in, &time, &velocity);
        if (in.status != SN_OK) {
            sn_verify_broken(verify, &in.error);
        } else {
            snprintf(what, sizeof what, "%g N/m a spring, velocity of -v", stiffness[i]);
            sn_verify_near(verify, what, 1.0, velocity, limits[i]);
            snprintf(what, sizeof what, "%g N/m a spring, time of 2 L/c", stiffness[i]);
            sn_verify_near(verify, what, 1.0, time, limits[i]);
        }
        errors[i] = fabs(velocity - 1.0) + fabs(time - 1.0);
        free_trial(&in);
    }
    double worst = fmax(errors[1] / errors[0], errors[2] / errors[1]);
    sn_verify_near(verify, "four times stiffer, error by that before", 0.0, worst, 0.5);
}
