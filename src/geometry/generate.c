// Boxes, and bodies of revolution: sphere, cylinder, cone, capsule and torus are profiles turned
// around z. Bodies swept from outlines and along paths are in sweep.c.
#include "geometry/generate.h"

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh_builder.h"
#include "geometry/outline.h"
#include "math/elementary.h"

int sn_segments_for_tolerance(double radius, double tolerance)
{
    // The middle of a chord is radius (1 - cos(pi / n)) from the circle.
    double ratio = tolerance / radius;
    if (!(ratio > 0.0)) {
        return 4096;
    }
    if (ratio >= 1.0) {
        return 8;
    }
    double wanted = ceil(SN_PI / sn_acos(1.0 - ratio));
    return wanted < 8.0 ? 8 : wanted > 4096.0 ? 4096 : (int)wanted;
}

sn_status sn_check_segments(int segments, sn_error *error)
{
    if (segments < 3 || segments > 65536) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d segments around a circle; 3 to 65536 were expected", segments);
    }
    return SN_OK;
}

sn_status sn_check_length(const char *name, double value, sn_error *error)
{
    if (!(value > 0.0) || !isfinite(value)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%s %g m; a finite length above 0 was expected", name, value);
    }
    return SN_OK;
}

sn_status sn_mesh_box(sn_vec3 size, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    const double lengths[3] = {size.x, size.y, size.z};
    for (int k = 0; k < 3; ++k) {
        sn_status status = sn_check_length("edge of the box", lengths[k], error);
        if (status != SN_OK) {
            return status;
        }
    }
    sn_mesh_builder builder = {0};
    for (int i = 0; i < 8; ++i) { // bit 0, 1, 2 of the index: upper side in x, y, z
        sn_vec3 corner = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5};
        sn_mesh_builder_vertex(&builder, sn_vec3_multiply(size, corner));
    }
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; ++f) {
        sn_mesh_builder_quad(&builder, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    }
    return sn_mesh_builder_finish(&builder, mesh, error);
}

// ---- revolution ----

// cos and sin of a fraction of the full turn; quarter turns are exact, and the rest symmetric,
// because only angles up to an eighth of a turn are computed.
sn_vec2 sn_circle_point(int index, int count)
{
    int64_t eighth = (int64_t)index * 8 / count;           // 0..7
    int64_t odd = eighth % 2;                              // measured back from the next quarter
    int64_t quarter = (eighth + odd) / 2;                  // the nearest quarter turn
    int64_t offset = (int64_t)index * 4 - quarter * count; // in units of 2 pi / (4 count)
    double angle = 2.0 * SN_PI * (double)(offset < 0 ? -offset : offset) / (4.0 * (double)count);
    double s, c;
    sn_sincos(angle, &s, &c);
    s = offset < 0 ? -s : s;
    switch (quarter % 4) {
    case 0:
        return (sn_vec2){c, s};
    case 1:
        return (sn_vec2){0.0 - s, c};
    case 2:
        return (sn_vec2){-c, 0.0 - s};
    default:
        return (sn_vec2){s, -c};
    }
}

// One point of the profile: a ring of vertices, or one vertex per neighbouring edge on the axis, so
// that a profile that touches the axis in a single point gives two separate tips and stays a
// surface.
typedef struct ring {
    int first;
    int stride; // 1 in a ring, 0 on the axis
} ring;

static ring add_ring(sn_mesh_builder *builder, sn_vec2 point, int segments)
{
    ring added = {builder->positions.count, point.x > 0.0 ? 1 : 0};
    int count = added.stride == 1 ? segments : 1;
    for (int i = 0; i < count; ++i) {
        sn_vec2 direction = sn_circle_point(i, segments);
        sn_mesh_builder_vertex(builder,
                               sn_vec3_make(point.x * direction.x, point.x * direction.y, point.y));
    }
    return added;
}

// The band between two rings, the profile running from `from` to `to` with the body on its left.
static void add_band(sn_mesh_builder *builder, ring from, ring to, int segments)
{
    for (int i = 0; i < segments; ++i) {
        int j = (i + 1) % segments;
        int a = from.first + i * from.stride, b = from.first + j * from.stride;
        int c = to.first + j * to.stride, d = to.first + i * to.stride;
        if (from.stride == 0) {
            sn_mesh_builder_triangle(builder, a, c, d);
        } else if (to.stride == 0) {
            sn_mesh_builder_triangle(builder, a, b, c);
        } else {
            sn_mesh_builder_quad(builder, a, b, c, d);
        }
    }
}

sn_status sn_revolve(const sn_vec2 *profile, int count, int segments, sn_mesh **mesh,
                     sn_error *error)
{
    sn_mesh_builder builder = {0};
    int *first = sn_allocate((size_t)count * sizeof *first);
    if (first == NULL) {
        *mesh = NULL;
        return sn_fail_memory(error, (size_t)count * sizeof *first);
    }
    for (int i = 0; i < count; ++i) {
        bool rings = profile[i].x > 0.0;
        first[i] = rings ? add_ring(&builder, profile[i], segments).first : -1;
    }
    for (int i = 0; i < count; ++i) {
        int next = (i + 1) % count;
        if (profile[i].x == 0.0 && profile[next].x == 0.0) {
            continue; // an edge on the axis has no surface
        }
        ring from =
            profile[i].x > 0.0 ? (ring){first[i], 1} : add_ring(&builder, profile[i], segments);
        ring to = profile[next].x > 0.0 ? (ring){first[next], 1}
                                        : add_ring(&builder, profile[next], segments);
        add_band(&builder, from, to, segments);
    }
    sn_free(first);
    return sn_mesh_builder_finish(&builder, mesh, error);
}

sn_status sn_mesh_revolution(const sn_vec2 *profile, int count, int segments, sn_mesh **mesh,
                             sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_segments(segments, error);
    for (int i = 0; status == SN_OK && i < count; ++i) {
        if (!(profile[i].x >= 0.0)) {
            status =
                sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                        "point %d of the profile is %g m from the axis; 0 or more was expected", i,
                        profile[i].x);
        }
    }
    if (status != SN_OK) {
        return status;
    }
    sn_loops loops;
    sn_outline outline = {profile, &count, 1};
    status = sn_loops_create(&outline, &loops, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_loops_check_apart(&loops, error);
    if (status == SN_OK) {
        status = sn_revolve(loops.points, loops.count, segments, mesh, error);
    }
    sn_loops_free(&loops);
    return status;
}

// ---- primitives as profiles, counter-clockwise in the (distance, z) half plane ----

sn_status sn_mesh_sphere(double radius, int segments, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_capsule(radius, 0.0, segments, mesh, error);
}

sn_status sn_mesh_cylinder(double radius, double height, int segments, sn_mesh **mesh,
                           sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_segments(segments, error);
    status = status == SN_OK ? sn_check_length("radius of the cylinder", radius, error) : status;
    status = status == SN_OK ? sn_check_length("height of the cylinder", height, error) : status;
    if (status != SN_OK) {
        return status;
    }
    double z = 0.5 * height;
    const sn_vec2 profile[] = {{0.0, -z}, {radius, -z}, {radius, z}, {0.0, z}};
    return sn_revolve(profile, 4, segments, mesh, error);
}

sn_status sn_mesh_cone(double radius, double height, int segments, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_segments(segments, error);
    status = status == SN_OK ? sn_check_length("radius of the cone", radius, error) : status;
    status = status == SN_OK ? sn_check_length("height of the cone", height, error) : status;
    if (status != SN_OK) {
        return status;
    }
    double z = 0.5 * height;
    const sn_vec2 profile[] = {{0.0, -z}, {radius, -z}, {0.0, z}};
    return sn_revolve(profile, 3, segments, mesh, error);
}

// Two quarter circles, with a straight piece between them when the height is not 0.
sn_status sn_mesh_capsule(double radius, double height, int segments, sn_mesh **mesh,
                          sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_segments(segments, error);
    status = status == SN_OK ? sn_check_length("radius", radius, error) : status;
    if (status == SN_OK && height != 0.0) {
        status = sn_check_length("height of the capsule", height, error);
    }
    if (status != SN_OK) {
        return status;
    }
    int quarter = (segments + 3) / 4;
    SN_ARRAY(sn_vec2) profile = {0};
    if (!sn_array_reserve(&profile, 2 * quarter + 2)) {
        return sn_fail_memory(error, (size_t)(2 * quarter + 2) * sizeof(sn_vec2));
    }
    for (int half = 0; half < 2; ++half) {
        double z = half == 0 ? -0.5 * height : 0.5 * height;
        int first = half == 1 && height == 0.0 ? 1 : 0; // a sphere has one equator
        for (int i = first; i <= quarter; ++i) {
            int k =
                half == 0 ? i - quarter : i; // quarters of a turn from the equator, times 4 quarter
            sn_vec2 p = sn_circle_point(k < 0 ? -k : k, 4 * quarter);
            profile.data[profile.count++] =
                (sn_vec2){radius * p.x, k < 0 ? z - radius * p.y : z + radius * p.y};
        }
    }
    status = sn_revolve(profile.data, profile.count, segments, mesh, error);
    sn_array_free(&profile);
    return status;
}

sn_status sn_mesh_torus(double radius, double tube_radius, int segments, sn_mesh **mesh,
                        sn_error *error)
{
    *mesh = NULL;
    sn_status status = sn_check_segments(segments, error);
    status = status == SN_OK ? sn_check_length("radius of the torus", radius, error) : status;
    status = status == SN_OK ? sn_check_length("tube radius", tube_radius, error) : status;
    if (status == SN_OK && tube_radius > radius) {
        status =
            sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                    "tube radius %g m of a torus of radius %g m; no more than that was expected",
                    tube_radius, radius);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_vec2 *profile = sn_allocate((size_t)segments * sizeof *profile);
    if (profile == NULL) {
        return sn_fail_memory(error, (size_t)segments * sizeof *profile);
    }
    for (int i = 0; i < segments; ++i) {
        sn_vec2 p = sn_circle_point(i, segments);
        profile[i] = (sn_vec2){radius + tube_radius * p.x, tube_radius * p.y};
    }
    status = sn_revolve(profile, segments, segments, mesh, error);
    sn_free(profile);
    return status;
}
