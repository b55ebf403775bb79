// Mass properties against closed forms: primitives, a tetrahedron, a hollow box, a compound.
#include <math.h>
#include <string.h>

#include "sinew/geometry.h"
#include "verify.h"

// Mass, then the three moments about the centre in the shape's own axes, each relative.
static void compare(sn_verify *verify, const sn_shape *shapes, int count, double mass,
                    sn_vec3 moments, double centre_z)
{
    sn_error error = {0};
    sn_mass_properties ours;
    if (sn_shape_mass_properties(shapes, count, &ours, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_verify_relative(verify, "mass", mass, ours.mass, 1e-14);
    sn_verify_near(verify, "centre z", centre_z, ours.centre.z, 1e-14);
    sn_verify_relative(verify, "inertia xx", moments.x, ours.inertia.m[0][0], 1e-13);
    sn_verify_relative(verify, "inertia yy", moments.y, ours.inertia.m[1][1], 1e-13);
    sn_verify_relative(verify, "inertia zz", moments.z, ours.inertia.m[2][2], 1e-13);
}

static sn_shape shape_of(sn_shape_type type)
{
    sn_shape shape = sn_default_shape();
    shape.type = type;
    shape.density = 1000.0;
    shape.radius = 0.3;
    shape.height = 0.8;
    shape.tube_radius = 0.1;
    shape.size = sn_vec3_make(0.2, 0.3, 0.5);
    return shape;
}

static void sphere(sn_verify *verify)
{
    sn_shape shape = shape_of(SN_SHAPE_SPHERE);
    double mass = 1000.0 * 4.0 / 3.0 * SN_PI * 0.027, moment = 0.4 * mass * 0.09;
    compare(verify, &shape, 1, mass, sn_vec3_make(moment, moment, moment), 0.0);
}

static void box(sn_verify *verify)
{
    sn_shape shape = shape_of(SN_SHAPE_BOX);
    double mass = 1000.0 * 0.2 * 0.3 * 0.5;
    compare(verify, &shape, 1, mass,
            sn_vec3_make(mass * (0.09 + 0.25) / 12.0, mass * (0.04 + 0.25) / 12.0,
                         mass * (0.04 + 0.09) / 12.0),
            0.0);
}

static void cylinder(sn_verify *verify)
{
    sn_shape shape = shape_of(SN_SHAPE_CYLINDER);
    double mass = 1000.0 * SN_PI * 0.09 * 0.8;
    double side = mass * (3.0 * 0.09 + 0.64) / 12.0;
    compare(verify, &shape, 1, mass, sn_vec3_make(side, side, 0.5 * mass * 0.09), 0.0);
}

// Base at -h/2, so the centre lies at -h/2 + h/4.
static void cone(sn_verify *verify)
{
    sn_shape shape = shape_of(SN_SHAPE_CONE);
    double mass = 1000.0 * SN_PI * 0.09 * 0.8 / 3.0;
    double side = mass * (3.0 / 20.0 * 0.09 + 3.0 / 80.0 * 0.64);
    compare(verify, &shape, 1, mass, sn_vec3_make(side, side, 0.3 * mass * 0.09), -0.2);
}

// A cylinder and two half balls, whose own centres lie 3r/8 beyond the ends.
static void capsule(sn_verify *verify)
{
    sn_shape shape = shape_of(SN_SHAPE_CAPSULE);
    double r = 0.3, h = 0.8;
    double tube = 1000.0 * SN_PI * r * r * h, ball = 1000.0 * 4.0 / 3.0 * SN_PI * r * r * r;
    double axis = 0.5 * tube * r * r + 0.4 * ball * r * r;
    double side = tube * (r * r / 4.0 + h * h / 12.0) +
                  ball * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r);
    compare(verify, &shape, 1, tube + ball, sn_vec3_make(side, side, axis), 0.0);
}

static void torus(sn_verify *verify)
{
    sn_shape shape = shape_of(SN_SHAPE_TORUS);
    double ring = 0.3, tube = 0.1;
    double mass = 1000.0 * 2.0 * SN_PI * SN_PI * ring * tube * tube;
    double side = mass * (5.0 / 8.0 * tube * tube + 0.5 * ring * ring);
    compare(verify, &shape, 1, mass,
            sn_vec3_make(side, side, mass * (0.75 * tube * tube + ring * ring)), 0.0);
}

// Two balls on a rod along z, off centre: the parallel-axis sum by hand.
static void dumbbell(sn_verify *verify)
{
    sn_shape shapes[3] = {shape_of(SN_SHAPE_CYLINDER), shape_of(SN_SHAPE_SPHERE),
                          shape_of(SN_SHAPE_SPHERE)};
    shapes[0].radius = 0.05;
    shapes[1].radius = 0.1;
    shapes[2].radius = 0.2;
    shapes[1].frame.position.z = 0.5;
    shapes[2].frame.position.z = -0.6;
    const double at[3] = {0.0, 0.5, -0.6};
    double masses[3], own[3], axis[3], mass = 0.0, centre = 0.0, side = 0.0, along = 0.0;
    masses[0] = 1000.0 * SN_PI * 0.0025 * 0.8;
    own[0] = masses[0] * (3.0 * 0.0025 + 0.64) / 12.0;
    axis[0] = 0.5 * masses[0] * 0.0025;
    for (int i = 1; i < 3; ++i) {
        double r = shapes[i].radius;
        masses[i] = 1000.0 * 4.0 / 3.0 * SN_PI * r * r * r;
        own[i] = axis[i] = 0.4 * masses[i] * r * r;
    }
    for (int i = 0; i < 3; ++i) {
        mass += masses[i];
        centre += masses[i] * at[i];
    }
    centre /= mass;
    for (int i = 0; i < 3; ++i) {
        side += own[i] + masses[i] * (at[i] - centre) * (at[i] - centre);
        along += axis[i];
    }
    compare(verify, shapes, 3, mass, sn_vec3_make(side, side, along), centre);
}

static void compare_mesh(sn_verify *verify, const sn_vec3 *points, int point_count,
                         const int *triangles, int triangle_count, double mass, double moment,
                         double product)
{
    sn_error error = {0};
    sn_mesh *mesh = NULL;
    sn_mass_properties ours;
    sn_status status =
        sn_mesh_create(points, point_count, triangles, triangle_count, &mesh, &error);
    if (status == SN_OK) {
        status = sn_mesh_mass_properties(mesh, 1000.0, &ours, &error);
    }
    sn_mesh_release(mesh);
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_verify_relative(verify, "mass", mass, ours.mass, 1e-13);
    sn_verify_relative(verify, "inertia xx", moment, ours.inertia.m[0][0], 1e-12);
    sn_verify_near(verify, "inertia xy", product, ours.inertia.m[0][1], 1e-12 * moment);
}

// Corner at the origin, edges along the axes, length 1: V = 1/6, and about the centre I_xx = 1/80,
// I_xy = 1/480 for unit density (integrals of x^2 and xy are 1/60 and 1/120).
static void tetrahedron(sn_verify *verify)
{
    static const sn_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    compare_mesh(verify, points, 4, triangles, 4, 1000.0 / 6.0, 1000.0 / 80.0, 1000.0 / 480.0);
}

// A box of 2 x 3 x 4 m with a cavity of half that size: two shells, the inner one turned inside
// out.
static void hollow_box(sn_verify *verify)
{
    static const int faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                  1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    static const double corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    sn_vec3 points[16];
    int triangles[72];
    for (int i = 0; i < 16; ++i) {
        double scale = i < 8 ? 1.0 : 0.5;
        const double *corner = corners[i % 8];
        points[i] =
            sn_vec3_make(scale * corner[0], scale * 1.5 * corner[1], scale * 2.0 * corner[2]);
    }
    for (int i = 0; i < 36; i += 3) {
        memcpy(&triangles[i], &faces[i], 3 * sizeof(int));
        triangles[36 + i] = 8 + faces[i];
        triangles[37 + i] = 8 + faces[i + 2];
        triangles[38 + i] = 8 + faces[i + 1];
    }
    double outer = 1000.0 * 24.0, inner = 1000.0 * 3.0;
    double moment = outer * (9.0 + 16.0) / 12.0 - inner * (2.25 + 4.0) / 12.0;
    compare_mesh(verify, points, 16, triangles, 24, outer - inner, moment, 0.0);
}

static const sn_verify_case cases[] = {
    {"sphere", sphere},         {"box", box},
    {"cylinder", cylinder},     {"cone", cone},
    {"capsule", capsule},       {"torus", torus},
    {"dumbbell", dumbbell},     {"tetrahedron", tetrahedron},
    {"hollow box", hollow_box},
};

const sn_verify_group sn_verify_mass = {"mass", "mass, centre and inertia against closed forms",
                                        cases, sizeof cases / sizeof cases[0]};
