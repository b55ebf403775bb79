// Mass properties of polyhedra by the divergence theorem: every volume integral of a monomial
// becomes a sum over the triangles of the integral of another monomial times one component of the
// normal.
//
//     int dV     =     sum int x n_x dA
//     int x dV   = 1/2 sum int x^2 n_x dA          (y and z by rotation of the letters)
//     int x^2 dV = 1/3 sum int x^3 n_x dA
//     int xy dV  = 1/2 sum int x^2 y n_x dA
//
// B. Mirtich, "Fast and accurate computation of polyhedral mass properties", J. Graphics Tools 1
// (1996) 31-50, reduces these to edges for general faces; on triangles int x^i y^j dA has the
// closed forms below. Two passes: the first finds volume and centroid relative to the middle of the
// bounds, the second the second moments relative to the centroid, so that nothing large is ever
// subtracted.
#include "geometry/mass.h"

#include "base/error.h"
#include "geometry/mesh.h"
#include "geometry/mesh_check.h"
#include "geometry/sum.h"

// ---- polyhedra ----

typedef struct corner_values {
    double a[3]; // one coordinate of the three corners
} corner_values;

// 3! int x dA / 2A, 4! int x^2 dA / (2A * 2), 5! int x^3 dA / (2A * 6) over a triangle whose
// corners have the coordinates w: complete homogeneous polynomials of degree 1, 2, 3, since int
// l1^i l2^j l3^k dA = 2A i! j! k! / (i + j + k + 2)!.
static double homogeneous1(corner_values w)
{
    return w.a[0] + w.a[1] + w.a[2];
}

static double homogeneous2(corner_values w)
{
    double s = w.a[0] + w.a[1];
    return w.a[0] * w.a[0] + w.a[1] * s + w.a[2] * (s + w.a[2]);
}

static double homogeneous3(corner_values w)
{
    double s = w.a[0] + w.a[1];
    double q = w.a[0] * w.a[0] + w.a[1] * s;
    return w.a[0] * w.a[0] * w.a[0] + w.a[1] * q + w.a[2] * (q + w.a[2] * (s + w.a[2]));
}

// 5! int x^2 y dA / (2A * 2): sum over corners of y_i * d(homogeneous3)/d(x_i), which is
// homogeneous2 + x_i homogeneous1 + x_i^2.
static double mixed3(corner_values x, corner_values y)
{
    double h1 = homogeneous1(x), h2 = homogeneous2(x);
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += y.a[i] * (h2 + x.a[i] * (h1 + x.a[i]));
    }
    return sum;
}

static void triangle_corners(const sn_mesh *mesh, int triangle, sn_vec3 origin,
                             corner_values xyz[3])
{
    for (int k = 0; k < 3; ++k) {
        int v = mesh->triangles[3 * (size_t)triangle + k];
        sn_vec3 p = sn_vec3_sub(mesh->positions[v], origin);
        xyz[0].a[k] = p.x;
        xyz[1].a[k] = p.y;
        xyz[2].a[k] = p.z;
    }
}

static sn_vec3 sum_volume_and_centroid(const sn_mesh *mesh, sn_vec3 origin, double *volume)
{
    sn_sum volumes = {0};
    sn_sum moments[3] = {{0.0, 0.0}};
    for (int t = 0; t < mesh->triangle_count; ++t) {
        corner_values x[3];
        triangle_corners(mesh, t, origin, x);
        sn_vec3 n = sn_mesh_area_vector(mesh, t);
        double normal[3] = {n.x, n.y, n.z};
        for (int i = 0; i < 3; ++i) {
            // The three axes give the same volume; their mean treats the axes alike.
            sn_sum_add(&volumes, normal[i] * homogeneous1(x[i]));
            sn_sum_add(&moments[i], normal[i] * homogeneous2(x[i]));
        }
    }
    *volume = sn_sum_value(&volumes) / 18.0;
    double scale = 1.0 / (24.0 * *volume);
    sn_vec3 local = {scale * sn_sum_value(&moments[0]), scale * sn_sum_value(&moments[1]),
                     scale * sn_sum_value(&moments[2])};
    return sn_vec3_add(origin, local);
}

// int x_i x_j dV about the origin given.
static sn_mat3 sum_second_moments(const sn_mesh *mesh, sn_vec3 origin)
{
    sn_sum squares[3] = {{0.0, 0.0}};
    sn_sum products[3] = {{0.0, 0.0}}; // xy, yz, zx
    for (int t = 0; t < mesh->triangle_count; ++t) {
        corner_values x[3];
        triangle_corners(mesh, t, origin, x);
        sn_vec3 n = sn_mesh_area_vector(mesh, t);
        double normal[3] = {n.x, n.y, n.z};
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3;
            sn_sum_add(&squares[i], normal[i] * homogeneous3(x[i]));
            // int xy dV once over x and once over y.
            sn_sum_add(&products[i], normal[i] * mixed3(x[i], x[j]));
            sn_sum_add(&products[i], normal[j] * mixed3(x[j], x[i]));
        }
    }
    sn_mat3 second;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        second.m[i][i] = sn_sum_value(&squares[i]) / 60.0;
        second.m[i][j] = sn_sum_value(&products[i]) / 240.0;
        second.m[j][i] = second.m[i][j];
    }
    return second;
}

// I = rho (tr(S) 1 - S), with S = int x x^T dV.
static sn_mat3 inertia_from_second_moments(sn_mat3 s, double density)
{
    sn_mat3 inertia = sn_mat3_scale(-density, s);
    inertia.m[0][0] = density * (s.m[1][1] + s.m[2][2]);
    inertia.m[1][1] = density * (s.m[2][2] + s.m[0][0]);
    inertia.m[2][2] = density * (s.m[0][0] + s.m[1][1]);
    return inertia;
}

sn_status sn_mesh_mass_properties(const sn_mesh *mesh, double density, sn_mass_properties *mass,
                                  sn_error *error)
{
    if (!(density >= 0.0) || !isfinite(density)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "density %g kg/m^3; a finite number not below 0 was expected", density);
    }
    sn_status status = sn_mesh_check_closed(mesh, error);
    if (status != SN_OK) {
        return status;
    }
    sn_aabb bounds = sn_mesh_bounds(mesh);
    sn_vec3 middle = sn_vec3_add_scaled(bounds.lower, 0.5, sn_vec3_sub(bounds.upper, bounds.lower));
    double volume;
    sn_vec3 centre = sum_volume_and_centroid(mesh, middle, &volume);
    if (!(volume > 0.0) || !isfinite(volume) || !sn_vec3_is_finite(centre)) {
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                       "the mesh encloses a volume of %g m^3; a positive one was expected", volume);
    }
    mass->volume = volume;
    mass->mass = density * volume;
    mass->centre = centre;
    mass->inertia = inertia_from_second_moments(sum_second_moments(mesh, centre), density);
    return SN_OK;
}

// ---- solids in closed form ----

static sn_mass_properties make(double volume, double density, double centre_z,
                               sn_vec3 radii_squared)
{
    sn_mass_properties mass;
    mass.volume = volume;
    mass.mass = density * volume;
    mass.centre = sn_vec3_make(0.0, 0.0, centre_z);
    mass.inertia = sn_mat3_diagonal(sn_vec3_scale(mass.mass, radii_squared));
    return mass;
}

sn_mass_properties sn_sphere_mass_properties(double radius, double density)
{
    double k = 0.4 * radius * radius;
    double volume = 4.0 / 3.0 * SN_PI * radius * radius * radius;
    return make(volume, density, 0.0, sn_vec3_make(k, k, k));
}

sn_mass_properties sn_box_mass_properties(sn_vec3 size, double density)
{
    double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
    sn_vec3 k = {(yy + zz) / 12.0, (zz + xx) / 12.0, (xx + yy) / 12.0};
    return make(size.x * size.y * size.z, density, 0.0, k);
}

// int x^2 dV of a box of half edges (a, b, c) with everything within r of it, piece by piece: the
// core, slabs on its six faces, four quarter cylinders along each direction of edges, and eight
// octants of a ball. With x = a + u in pieces that lie beyond the face, a quarter disc has
// int u = r^3/3 and int u^2 = pi r^4/16, an octant of a ball pi r^4/16 and pi r^5/30.
static double rounded_second_moment(double a, double b, double c, double r)
{
    double aa = a * a, rr = r * r;
    double within = aa / 3.0 * (8.0 * a * (b * c + r * (b + c)) + 2.0 * SN_PI * rr * a);
    double slabs = 8.0 / 3.0 * b * c * r * (3.0 * aa + 3.0 * a * r + rr);
    double edges = 8.0 * (b + c) * rr * (0.25 * SN_PI * aa + 2.0 / 3.0 * a * r + SN_PI / 16.0 * rr);
    double corners = 8.0 * SN_PI * rr * r * (aa / 6.0 + a * r / 8.0 + rr / 30.0);
    return within + slabs + edges + corners;
}

// Steiner's formula for the volume: core + faces r + (edges pi / 4) r^2 + 4 pi / 3 r^3.
sn_mass_properties sn_rounded_box_mass_properties(sn_vec3 size, double rounding, double density)
{
    double r = rounding;
    double a = 0.5 * size.x - r, b = 0.5 * size.y - r, c = 0.5 * size.z - r;
    double volume = 8.0 * (a * b * c + r * (a * b + b * c + c * a)) +
                    2.0 * SN_PI * r * r * (a + b + c) + 4.0 / 3.0 * SN_PI * r * r * r;
    double xx = rounded_second_moment(a, b, c, r) / volume;
    double yy = rounded_second_moment(b, c, a, r) / volume;
    double zz = rounded_second_moment(c, a, b, r) / volume;
    return make(volume, density, 0.0, sn_vec3_make(yy + zz, zz + xx, xx + yy));
}

sn_mass_properties sn_cylinder_mass_properties(double radius, double height, double density)
{
    double rr = radius * radius;
    double across = (3.0 * rr + height * height) / 12.0;
    return make(SN_PI * rr * height, density, 0.0, sn_vec3_make(across, across, 0.5 * rr));
}

// The centroid is a quarter of the height above the base.
sn_mass_properties sn_cone_mass_properties(double radius, double height, double density)
{
    double rr = radius * radius;
    double across = 0.15 * rr + 0.0375 * height * height;
    return make(SN_PI * rr * height / 3.0, density, -0.25 * height,
                sn_vec3_make(across, across, 0.3 * rr));
}

// Cylinder and two half balls: a half ball's centroid is 3/8 r from its disc, and its moment about
// a diameter of the disc is that of the ball, so the pair moved out by h/2 has 2/5 r^2 + h^2/4 +
// 3/8 h r per unit of mass.
sn_mass_properties sn_capsule_mass_properties(double radius, double height, double density)
{
    double rr = radius * radius;
    double hh = height * height;
    double cylinder = SN_PI * rr * height;
    double ball = 4.0 / 3.0 * SN_PI * rr * radius;
    double volume = cylinder + ball;
    double across =
        cylinder * (3.0 * rr + hh) / 12.0 + ball * (0.4 * rr + 0.25 * hh + 0.375 * height * radius);
    double along = cylinder * 0.5 * rr + ball * 0.4 * rr;
    return make(volume, density, 0.0,
                sn_vec3_make(across / volume, across / volume, along / volume));
}

sn_mass_properties sn_torus_mass_properties(double radius, double tube_radius, double density)
{
    double rr = radius * radius, aa = tube_radius * tube_radius;
    double across = 0.5 * rr + 0.625 * aa;
    return make(2.0 * SN_PI * SN_PI * radius * aa, density, 0.0,
                sn_vec3_make(across, across, rr + 0.75 * aa));
}

// ---- frames and sums ----

sn_mass_properties sn_mass_properties_move(const sn_mass_properties *mass, sn_transform place)
{
    sn_mat3 r = sn_quat_to_mat3(place.rotation);
    sn_mass_properties moved = *mass;
    moved.centre = sn_transform_point(place, mass->centre);
    sn_mat3 i = sn_mat3_multiply(sn_mat3_multiply(r, mass->inertia), sn_mat3_transpose(r));
    moved.inertia = sn_mat3_scale(0.5, sn_mat3_add(i, sn_mat3_transpose(i)));
    return moved;
}

// m (d.d 1 - d d^T): what a point of mass m at d adds.
static sn_mat3 point_inertia(double mass, sn_vec3 d)
{
    sn_mat3 inertia = {{{d.y * d.y + d.z * d.z, -d.x * d.y, -d.x * d.z},
                        {-d.x * d.y, d.z * d.z + d.x * d.x, -d.y * d.z},
                        {-d.x * d.z, -d.y * d.z, d.x * d.x + d.y * d.y}}};
    return sn_mat3_scale(mass, inertia);
}

// Parts without mass still have a place: a body whose parts all weigh nothing is centred by volume.
sn_mass_properties sn_mass_properties_sum(const sn_mass_properties *masses, int count)
{
    sn_mass_properties sum = {0};
    sn_vec3 by_mass = SN_VEC3_ZERO, by_volume = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        sum.mass += masses[i].mass;
        sum.volume += masses[i].volume;
        by_mass = sn_vec3_add_scaled(by_mass, masses[i].mass, masses[i].centre);
        by_volume = sn_vec3_add_scaled(by_volume, masses[i].volume, masses[i].centre);
    }
    if (sum.mass > 0.0) {
        sum.centre = sn_vec3_scale(1.0 / sum.mass, by_mass);
    } else if (sum.volume > 0.0) {
        sum.centre = sn_vec3_scale(1.0 / sum.volume, by_volume);
    }
    if (count == 1) {
        sum.centre = masses[0].centre; // m c / m is not c to the last bit
    }
    for (int i = 0; i < count; ++i) {
        sn_vec3 d = sn_vec3_sub(masses[i].centre, sum.centre);
        sum.inertia = sn_mat3_add(sum.inertia, masses[i].inertia);
        sum.inertia = sn_mat3_add(sum.inertia, point_inertia(masses[i].mass, d));
    }
    return sum;
}
