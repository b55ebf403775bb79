// A round rod along a path of straight pieces. At every corner the pieces meet in the plane that
// halves the angle, so that each piece is a prism cut by two planes through its axis: its volume is
// section times length, whatever the corners. Frames are carried along by the smallest rotation
// from piece to piece; around a closed path the angle that is left over is spread evenly along it.
#include <stdio.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/generate.h"
#include "geometry/mesh_builder.h"
#include "math/elementary.h"

sn_tube sn_default_tube(void)
{
    sn_tube tube = {.steps = 8, .radius = 0.005, .segments = 12};
    return tube;
}

typedef SN_ARRAY(sn_vec3) point_array;

// ---- the path ----

// The spline's span from p[1] to p[2] at 0 <= u <= 1, by the pyramid of P. Barry and R. Goldman, "A
// recursive evaluation algorithm for a class of Catmull-Rom splines" (1988), with knots spaced by
// the square root of the distance: no loops or cusps within a span (Yuksel et al. 2011).
static sn_vec3 catmull_rom(const sn_vec3 p[4], double u)
{
    double t[4] = {0.0};
    for (int i = 1; i < 4; ++i) {
        t[i] = t[i - 1] + sqrt(sn_distance(p[i - 1], p[i]));
    }
    double x = t[1] + u * (t[2] - t[1]);
    sn_vec3 a[4] = {p[0], p[1], p[2], p[3]};
    for (int level = 1; level < 4; ++level) {
        for (int i = 0; i + level < 4; ++i) {
            // The last level blends over the middle span alone.
            int lower = level == 3 ? 1 : i, upper = level == 3 ? 2 : i + level;
            double w = (x - t[lower]) / (t[upper] - t[lower]);
            a[i] = sn_vec3_add(sn_vec3_scale(1.0 - w, a[i]), sn_vec3_scale(w, a[i + 1]));
        }
    }
    return a[0];
}

static sn_vec3 control_point(const point_array *points, int i, bool closed)
{
    int n = points->count;
    if (closed) {
        return points->data[(i + n) % n];
    }
    if (i < 0) { // the path goes on as it began
        return sn_vec3_sub(sn_vec3_scale(2.0, points->data[0]), points->data[1]);
    }
    if (i >= n) {
        return sn_vec3_sub(sn_vec3_scale(2.0, points->data[n - 1]), points->data[n - 2]);
    }
    return points->data[i];
}

static bool sample_spline(const point_array *points, bool closed, int steps, point_array *path)
{
    int spans = closed ? points->count : points->count - 1;
    for (int i = 0; i < spans; ++i) {
        sn_vec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = control_point(points, i - 1 + k, closed);
        }
        for (int step = 0; step < steps; ++step) {
            if (!sn_array_push(path, step == 0 ? p[1] : catmull_rom(p, (double)step / steps))) {
                return false;
            }
        }
    }
    return closed || sn_array_push(path, points->data[points->count - 1]);
}

// The points without those that repeat their neighbour.
static sn_status read_points(const sn_tube *tube, point_array *points, sn_error *error)
{
    for (int i = 0; i < tube->point_count; ++i) {
        sn_vec3 p = tube->points[i];
        if (!sn_vec3_is_finite(p)) {
            return sn_fail(error, SN_ERROR_GEOMETRY, "tube",
                           "point %d is at (%g, %g, %g); finite numbers were expected", i, p.x, p.y,
                           p.z);
        }
        if (points->count > 0 && sn_distance(points->data[points->count - 1], p) == 0.0) {
            continue;
        }
        if (!sn_array_push(points, p)) {
            return sn_fail_memory(error, (size_t)tube->point_count * sizeof *points->data);
        }
    }
    if (tube->closed && points->count > 1 &&
        sn_distance(points->data[0], points->data[points->count - 1]) == 0.0) {
        points->count -= 1;
    }
    int least = tube->closed ? 3 : 2;
    if (points->count < least) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "tube",
                       "%d different points; at least %d were expected", points->count, least);
    }
    return SN_OK;
}

static sn_status make_path(const sn_tube *tube, point_array *path, sn_error *error)
{
    point_array points = {0};
    sn_status status = read_points(tube, &points, error);
    if (status == SN_OK && tube->smooth) {
        if (!sample_spline(&points, tube->closed, tube->steps, path)) {
            status = sn_fail_memory(error, (size_t)path->count * sizeof *path->data);
        }
        sn_array_free(&points);
    } else {
        *path = points;
    }
    return status;
}

// ---- frames ----

typedef struct station {
    sn_vec3 position;
    sn_vec3 along;  // unit direction of the piece that starts here (at an open end: that ends here)
    sn_vec3 mitre;  // normal of the ring's plane
    sn_vec3 across; // unit, at right angles to `along`
    double length;  // of the piece that starts here
} station;

// v turned by the smallest rotation that takes the unit vector `from`, at right angles to v, to
// `to`.
static sn_vec3 carry(sn_vec3 v, sn_vec3 from, sn_vec3 to)
{
    double s = sn_dot(to, v) / (1.0 + sn_dot(from, to));
    sn_vec3 carried = sn_vec3_add_scaled(v, -s, sn_vec3_add(from, to));
    // Rounding must not add up along a path of many pieces.
    carried = sn_vec3_add_scaled(carried, -sn_dot(carried, to), to);
    return sn_normalize(carried);
}

static sn_status fail_corner(const station *s, int index, double radius, sn_error *error)
{
    char place[48];
    snprintf(place, sizeof place, "tube, corner %d of the path", index);
    return sn_fail(error, SN_ERROR_GEOMETRY, place,
                   "at (%.6g, %.6g, %.6g) the path turns too sharply for a radius of %g m",
                   s->position.x, s->position.y, s->position.z, radius);
}

// Directions, mitre planes and frames of all stations.
static sn_status direct_stations(station *s, int count, bool closed, double radius, sn_error *error)
{
    int pieces = closed ? count : count - 1;
    for (int i = 0; i < pieces; ++i) {
        sn_vec3 step = sn_vec3_sub(s[(i + 1) % count].position, s[i].position);
        s[i].length = sn_length(step);
        s[i].along = sn_normalize(step);
        if (!(s[i].length > 0.0)) {
            return fail_corner(&s[i], i, radius, error);
        }
    }
    if (!closed) {
        s[count - 1].along = s[count - 2].along;
    }
    for (int i = 0; i < count; ++i) {
        bool end = !closed && (i == 0 || i == count - 1);
        sn_vec3 before = s[end ? i : (i + count - 1) % count].along;
        sn_vec3 sum = sn_vec3_add(before, s[i].along);
        if (sn_dot(sum, sum) < 1e-6) { // the path turns back on itself
            return fail_corner(&s[i], i, radius, error);
        }
        s[i].mitre = sn_normalize(sum);
        s[i].across = i == 0 ? sn_perpendicular(s[0].along)
                             : carry(s[i - 1].across, s[i - 1].along, s[i].along);
    }
    return SN_OK;
}

// How far the mitre plane leans out of the plane across the piece: a ring's point at offset o is
// shifted along the piece by -o . lean.
static sn_vec3 lean(const station *s, sn_vec3 along)
{
    sn_vec3 slope = sn_vec3_scale(1.0 / sn_dot(along, s->mitre), s->mitre);
    return sn_vec3_sub(slope, along);
}

// Neighbouring rings must not cut each other: the shortest line along the piece stays positive.
static sn_status check_corners(const station *s, int count, bool closed, double radius,
                               sn_error *error)
{
    for (int i = 0; i < (closed ? count : count - 1); ++i) {
        const station *next = &s[(i + 1) % count];
        sn_vec3 a = lean(&s[i], s[i].along), b = lean(next, s[i].along);
        if (radius * sn_length(sn_vec3_sub(b, a)) >= s[i].length) {
            bool first = sn_length(a) > sn_length(b);
            return fail_corner(first ? &s[i] : next, first ? i : (i + 1) % count, radius, error);
        }
    }
    return SN_OK;
}

// Around a closed path the carried frame comes back turned by some angle; each station takes its
// share.
static void spread_twist(station *s, int count)
{
    sn_vec3 back = carry(s[count - 1].across, s[count - 1].along, s[0].along);
    sn_vec3 side = sn_cross(s[0].along, back);
    double angle = sn_atan2(sn_dot(s[0].across, side), sn_dot(s[0].across, back));
    double total = 0.0;
    for (int i = 0; i < count; ++i) {
        total += s[i].length;
    }
    double travelled = 0.0;
    for (int i = 0; i < count; ++i) {
        double sine, cosine;
        sn_sincos(angle * travelled / total, &sine, &cosine);
        sn_vec3 other = sn_cross(s[i].along, s[i].across);
        s[i].across = sn_vec3_add(sn_vec3_scale(cosine, s[i].across), sn_vec3_scale(sine, other));
        travelled += s[i].length;
    }
}

// ---- the surface ----

static void add_station_ring(sn_mesh_builder *builder, const station *s, double radius,
                             int segments)
{
    sn_vec3 other = sn_cross(s->along, s->across);
    sn_vec3 slope = lean(s, s->along);
    for (int k = 0; k < segments; ++k) {
        sn_vec2 c = sn_circle_point(k, segments);
        sn_vec3 offset =
            sn_vec3_add(sn_vec3_scale(radius * c.x, s->across), sn_vec3_scale(radius * c.y, other));
        sn_vec3 shifted = sn_vec3_add_scaled(offset, -sn_dot(offset, slope), s->along);
        sn_mesh_builder_vertex(builder, sn_vec3_add(s->position, shifted));
    }
}

static void add_surface(sn_mesh_builder *builder, const station *s, int count, const sn_tube *tube)
{
    int n = tube->segments;
    for (int i = 0; i < count; ++i) {
        add_station_ring(builder, &s[i], tube->radius, n);
    }
    for (int i = 0; i < (tube->closed ? count : count - 1); ++i) {
        int from = i * n, to = (i + 1) % count * n;
        for (int k = 0; k < n; ++k) {
            int next = (k + 1) % n;
            sn_mesh_builder_quad(builder, from + k, from + next, to + next, to + k);
        }
    }
    if (!tube->closed) {
        int first = sn_mesh_builder_vertex(builder, s[0].position);
        int last = sn_mesh_builder_vertex(builder, s[count - 1].position);
        for (int k = 0; k < n; ++k) {
            int next = (k + 1) % n, ring = (count - 1) * n;
            sn_mesh_builder_triangle(builder, first, next, k);
            sn_mesh_builder_triangle(builder, last, ring + k, ring + next);
        }
    }
}

static sn_status check_tube(const sn_tube *tube, sn_error *error)
{
    sn_status status = sn_check_segments(tube->segments, error);
    if (status == SN_OK) {
        status = sn_check_length("radius of the tube", tube->radius, error);
    }
    if (status == SN_OK && tube->smooth && (tube->steps < 1 || tube->steps > 65536)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, "tube",
                         "%d steps per span; 1 to 65536 were expected", tube->steps);
    }
    return status;
}

sn_status sn_mesh_tube(const sn_tube *tube, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    point_array path = {0};
    sn_status status = check_tube(tube, error);
    if (status == SN_OK) {
        status = make_path(tube, &path, error);
    }
    station *stations = NULL;
    if (status == SN_OK) {
        stations = sn_allocate_zero((size_t)path.count * sizeof *stations);
        if (stations == NULL) {
            status = sn_fail_memory(error, (size_t)path.count * sizeof *stations);
        }
    }
    if (status == SN_OK) {
        for (int i = 0; i < path.count; ++i) {
            stations[i].position = path.data[i];
        }
        status = direct_stations(stations, path.count, tube->closed, tube->radius, error);
    }
    if (status == SN_OK) {
        status = check_corners(stations, path.count, tube->closed, tube->radius, error);
    }
    if (status == SN_OK) {
        if (tube->closed) {
            spread_twist(stations, path.count);
        }
        sn_mesh_builder builder = {0};
        add_surface(&builder, stations, path.count, tube);
        status = sn_mesh_builder_finish(&builder, mesh, error);
    }
    sn_free(stations);
    sn_array_free(&path);
    return status;
}
