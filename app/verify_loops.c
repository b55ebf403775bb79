// Mechanisms with loops against the published values of IFToMM's benchmarks: four-bars in a row
// (A02), which pass positions where they could go on in many ways, and Andrews' squeezer (A03).
#include <math.h>

#include "verify_loops.h"

// ---- worlds of planar links ----

// The plane of motion is y = 0 for the four-bars, z = 0 for the squeezer.
static sn_status add_planar_hinge(sn_world *world, sn_body parent, sn_vec3 on_parent, sn_body child,
                                  sn_vec3 on_child, sn_quat axis, sn_joint *joint, sn_error *error)
{
    sn_joint_def def = sn_default_joint_def();
    def.type = SN_JOINT_HINGE;
    def.parent = parent;
    def.child = child;
    def.parent_frame = (sn_transform){on_parent, axis};
    def.child_frame = (sn_transform){on_child, axis};
    return sn_world_add_joint(world, &def, joint, error);
}

static double widest_gap(const sn_world *world)
{
    double gap = 0.0;
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        gap = fmax(gap, sn_distance(sn_joint_parent_transform(world, joint).position,
                                    sn_joint_child_transform(world, joint).position));
    }
    return gap;
}

// ---- four-bars in a row ----

// A quarter turn about x takes z to -y.
static const sn_quat about_y = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};

// A rod of 1 kg and 1 m in the plane y = 0, its frame in the middle.
static sn_status add_rod(sn_world *world, sn_vec3 middle, bool upright, sn_vec3 velocity,
                         sn_vec3 turning, sn_body *body, sn_error *error)
{
    sn_body_def def = sn_default_body_def();
    double across = 1.0 / 12.0, along = 1e-4;
    def.frame.position = middle;
    def.velocity = velocity;
    def.angular_velocity = turning;
    def.mass.mass = 1.0;
    def.mass.inertia = sn_mat3_diagonal(upright ? sn_vec3_make(across, across, along)
                                                : sn_vec3_make(along, across, across));
    return sn_world_add_body(world, &def, body, error);
}

// Upright, every tip moving at 1 m/s towards +x. Gives the first rocker.
static sn_status make_four_bars(int loops, sn_world **out, sn_body *first, sn_error *error)
{
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.relative_tolerance = 1e-11;
    def.absolute_tolerance = 1e-12;
    sn_status status = sn_world_create(&def, out, error);
    sn_world *world = *out;
    sn_body before = {0};
    const sn_vec3 half = {0.0, 0.0, 0.5}, side = {0.5, 0.0, 0.0};
    for (int i = 0; i <= loops && status == SN_OK; ++i) {
        sn_vec3 foot = {(double)i, 0.0, 0.0};
        sn_body rocker, coupler;
        sn_joint joint;
        status = add_rod(world, sn_vec3_add(foot, half), true, sn_vec3_make(0.5, 0, 0),
                         sn_vec3_make(0, 1, 0), &rocker, error);
        if (status == SN_OK) {
            status = add_planar_hinge(world, (sn_body){0}, foot, rocker, sn_vec3_negate(half),
                                      about_y, &joint, error);
        }
        if (status == SN_OK && i > 0) {
            sn_vec3 middle = sn_vec3_add(foot, sn_vec3_make(-0.5, 0.0, 1.0));
            status =
                add_rod(world, middle, false, sn_vec3_make(1, 0, 0), SN_VEC3_ZERO, &coupler, error);
        }
        if (status == SN_OK && i > 0) {
            status = add_planar_hinge(world, before, half, coupler, sn_vec3_negate(side), about_y,
                                      &joint, error);
        }
        if (status == SN_OK && i > 0) {
            status = add_planar_hinge(world, coupler, side, rocker, half, about_y, &joint, error);
        }
        *first = i == 0 ? rocker : *first;
        before = rocker;
    }
    return status == SN_OK ? sn_world_assemble(world, error) : status;
}

typedef struct published {
    double time, x, z;
} published;

static void run_four_bars(sn_verify *verify, int loops, const published *table, int count)
{
    sn_error error = {0};
    sn_world *world = NULL;
    sn_body first = {0};
    sn_status status = make_four_bars(loops, &world, &first, &error);
    double start = status == SN_OK ? sn_world_energy(world).total : 0.0, gap = 0.0, off = 0.0;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        while (status == SN_OK && sn_world_time(world) < table[i].time - 1e-9) {
            status = sn_world_step(world, 0.02, &error);
            gap = fmax(gap, widest_gap(world));
            off = fmax(off, fabs(sn_world_energy(world).total - start));
        }
        sn_vec3 tip =
            sn_transform_point(sn_body_transform(world, first), sn_vec3_make(0.0, 0.0, 0.5));
        char what[32];
        snprintf(what, sizeof what, "x at %g s", table[i].time);
        sn_verify_near(verify, what, table[i].x, tip.x, 1e-6);
        snprintf(what, sizeof what, "z at %g s", table[i].time);
        sn_verify_near(verify, what, table[i].z, tip.z, 1e-6);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        sn_verify_row(verify, "joints apart, m", 0.0, gap, gap, 1e-10);
        sn_verify_row(verify, "largest energy error, J", 0.0, off, off, 1e-5 * (2 * loops + 1));
    }
    sn_world_destroy(world);
}

void sn_verify_two_four_bars(sn_verify *verify)
{
    static const published table[] = {{1.0, -0.1950203019494, -0.9807992056622},
                                      {5.0, -0.8113104610051, -0.5846155453490},
                                      {10.0, 0.3284581115408, 0.9445185381786}};
    run_four_bars(verify, 2, table, 3);
}

void sn_verify_forty_four_bars(sn_verify *verify)
{
    static const published table[] = {{10.0, 0.1805122266867, 0.9835727405823}};
    run_four_bars(verify, 40, table, 1);
}

// ---- Andrews' squeezer ----

enum { BODIES = 7 };

// Lengths in m as the benchmark names them.
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072,
                    d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                    sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916,
                    u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

static sn_vec3 turned(double angle, double x, double y)
{
    double c = cos(angle), s = sin(angle);
    return sn_vec3_make(c * x - s * y, s * x + c * y, 0.0);
}

// A link's place: where its reference point is, how it is turned, its centre from there in its
// axes.
typedef struct planar_link {
    double angle;
    sn_vec3 from, centre;
    double mass, inertia;
} planar_link;

// Each link's frame: origin at the joint nearest to the ground, x along the direction in which its
// angle is measured.
static void place_links(planar_link link[BODIES])
{
    static const double mass[BODIES] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498},
                        inertia[BODIES] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7,
                                           1.169e-5, 5.667e-7, 1.912e-5};
    const double beta = -0.0617138900142764, theta = 0.0, gamma = 0.455279819163070,
                 phi = 0.222668390165886, delta = 0.487364979543843, omega = -0.222668390165886,
                 epsilon = 1.23054744454982;
    const double angle[BODIES] = {beta,  beta + theta,    gamma,  phi + delta,
                                  delta, omega + epsilon, epsilon};
    const sn_vec3 a = {xa, ya, 0.0}, b = {xb, yb, 0.0};
    const sn_vec3 centre[BODIES] = {{ra, 0, 0},  {-da, 0, 0},     {sb, -sa, 0}, {0, ea - e, 0},
                                    {ta, tb, 0}, {zf - fa, 0, 0}, {-ub, -ua, 0}};
    const sn_vec3 from[BODIES] = {SN_VEC3_ZERO,
                                  turned(beta, rr, 0.0),
                                  b,
                                  sn_vec3_add(a, turned(delta, zt, 0.0)),
                                  a,
                                  sn_vec3_add(a, turned(epsilon, 0.0, -u)),
                                  a};
    for (int i = 0; i < BODIES; ++i) {
        link[i] = (planar_link){angle[i], from[i], centre[i], mass[i], inertia[i]};
    }
}

// Where the links 2, 3, 4 and 6 meet, in each one's axes.
static const sn_vec3 meeting[BODIES] = {
    [1] = {-d, 0, 0}, [2] = {0, -ss, 0}, [3] = {0, -e, 0}, [5] = {zf, 0, 0}};

typedef struct squeezer {
    sn_world *world;
    sn_body body[BODIES];
    sn_joint
        joint[BODIES]; // that each link hangs on: beta, Theta, gamma, Phi, delta, Omega, epsilon
} squeezer;

static sn_status add_links(squeezer *m, sn_error *error)
{
    planar_link link[BODIES];
    place_links(link);
    sn_status status = SN_OK;
    for (int i = 0; i < BODIES && status == SN_OK; ++i) {
        sn_body_def def = sn_default_body_def();
        def.frame.position = link[i].from;
        def.frame.rotation =
            (sn_quat){cos(0.5 * link[i].angle), 0.0, 0.0, sin(0.5 * link[i].angle)};
        def.mass.mass = link[i].mass;
        def.mass.centre = link[i].centre;
        // Only the moment about z counts in the plane.
        double own = link[i].inertia;
        def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(own, own, own));
        status = sn_world_add_body(m->world, &def, &m->body[i], error);
    }
    return status;
}

static sn_status add_hinges(squeezer *m, sn_error *error)
{
    static const int parent[BODIES] = {-1, 0, -1, 4, -1, 6, -1};
    static const sn_vec3 on_parent[BODIES] = {{0, 0, 0},   {rr, 0, 0}, {xb, yb, 0}, {zt, 0, 0},
                                              {xa, ya, 0}, {0, -u, 0}, {xa, ya, 0}};
    static const int meets[3] = {2, 3, 5};
    sn_status status = SN_OK;
    for (int i = 0; i < BODIES && status == SN_OK; ++i) {
        sn_joint_def def = sn_default_joint_def();
        def.parent = parent[i] >= 0 ? m->body[parent[i]] : (sn_body){0};
        def.child = m->body[i];
        def.parent_frame.position = on_parent[i];
        def.freedom[0].drive.type = i == 0 ? SN_DRIVE_FORCE : SN_DRIVE_NONE;
        def.freedom[0].drive.target = i == 0 ? 0.033 : 0.0;
        status = sn_world_add_joint(m->world, &def, &m->joint[i], error);
    }
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        sn_joint joint;
        status = add_planar_hinge(m->world, m->body[1], meeting[1], m->body[meets[i]],
                                  meeting[meets[i]], SN_QUAT_IDENTITY, &joint, error);
    }
    return status;
}

static sn_status make_squeezer(squeezer *m, sn_error *error)
{
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.gravity = SN_VEC3_ZERO;
    def.relative_tolerance = 1e-11;
    def.absolute_tolerance = 1e-12;
    *m = (squeezer){0};
    sn_status status = sn_world_create(&def, &m->world, error);
    if (status == SN_OK) {
        status = add_links(m, error);
    }
    if (status == SN_OK) {
        status = add_hinges(m, error);
    }
    if (status == SN_OK) {
        sn_spring_def spring = sn_default_spring_def();
        sn_field field;
        spring.body_a = m->body[2];
        spring.point_a = sn_vec3_make(sd, -sc, 0.0);
        spring.point_b = sn_vec3_make(xc, yc, 0.0);
        spring.stiffness = 4530.0;
        spring.rest_length = 0.07785;
        status = sn_world_add_spring(m->world, &spring, &field, error);
    }
    return status == SN_OK ? sn_world_assemble(m->world, error) : status;
}

void sn_verify_andrews(sn_verify *verify)
{
    static const struct {
        int link;
        const char *name;
        double at_end;
    } table[] = {{0, "beta", 15.81077119629904},    {1, "Theta", -15.75637105984298},
                 {2, "gamma", 0.04082224013073101}, {3, "Phi", -0.5347301163226948},
                 {4, "delta", 0.5244099658805304},  {6, "epsilon", 1.048080741042263}};
    sn_error error = {0};
    squeezer m;
    sn_status status = make_squeezer(&m, &error);
    double gap = 0.0;
    for (int i = 0; i < 30 && status == SN_OK; ++i) {
        status = sn_world_step(m.world, 1e-3, &error);
        gap = status == SN_OK ? fmax(gap, widest_gap(m.world)) : gap;
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
            char what[48];
            snprintf(what, sizeof what, "%s at 0.03 s", table[i].name);
            sn_verify_relative(verify, what, table[i].at_end,
                               sn_joint_position(m.world, m.joint[table[i].link], 0), 1e-6);
        }
        sn_verify_row(verify, "joints apart, m", 0.0, gap, gap, 1e-10);
    }
    sn_world_destroy(m.world);
}
