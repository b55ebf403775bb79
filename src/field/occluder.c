#include "field/occluder.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/mesh_check.h"
#include "math/dense.h"
#include "math/symmetric.h"

#define SLENDER   4.0 // height of a bar by its radius
#define BAR_CAP   (0.25 * SN_PI)
#define FLAT      0.99 // cosine between normals of a flat sheet's faces,
#define FLAT_PART 0.85 // and the share of the area that they must have
#define COARSE    0.3 // tolerance of the mesh of a bar that is asked for places only, by its radius

bool sn_occluder_is_bar(const sn_shape *shape)
{
    return (shape->type == SN_SHAPE_CAPSULE || shape->type == SN_SHAPE_CYLINDER) &&
           shape->height > SLENDER * shape->radius;
}

static bool hides(const sn_shape *shape)
{
    return !shape->surface.sensor && shape->type != SN_SHAPE_PLANE;
}

// ---- bars ----

// The picture of a capsule is a rectangle and two half discs, which have the area of a rectangle
// pi/4 radii long.
static bool add_bar(sn_occluder *occluder, const sn_shape *shape)
{
    double half =
        0.5 * shape->height + (shape->type == SN_SHAPE_CAPSULE ? BAR_CAP * shape->radius : 0.0);
    sn_occluder_bar bar = {
        {sn_transform_point(shape->frame, sn_vec3_make(0.0, 0.0, -half)),
         sn_transform_point(shape->frame, sn_vec3_make(0.0, 0.0, half))},
        shape->radius,
    };
    return sn_array_push(&occluder->bars, bar);
}

// ---- faces ----

// Along the normal of the largest triangle: a sheet has nearly all of its area there, on two sides.
static bool find_sheet(const sn_mesh *mesh, sn_vec3 *normal)
{
    double most = 0.0, flat = 0.0, whole = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_vec3 vector = sn_mesh_area_vector(mesh, i);
        double area = sn_length(vector);
        whole += area;
        if (area > most) {
            most = area;
            *normal = sn_vec3_scale(1.0 / area, vector);
        }
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_vec3 vector = sn_mesh_area_vector(mesh, i);
        flat += fabs(sn_dot(vector, *normal)) > FLAT * sn_length(vector) ? sn_length(vector) : 0.0;
    }
    return most > 0.0 && flat > FLAT_PART * whole;
}

static bool add_faces(sn_occluder *occluder, const sn_shape *shape, const sn_mesh *mesh)
{
    bool open = sn_mesh_check_closed(mesh, NULL) != SN_OK;
    sn_vec3 sheet = SN_VEC3_ZERO;
    bool is_sheet = !open && find_sheet(mesh, &sheet);
    int first = occluder->corners.count;
    bool done = true;
    for (int i = 0; i < mesh->vertex_count && done; ++i) {
        sn_vec3 corner = sn_transform_point(shape->frame, mesh->positions[i]);
        done = sn_array_push(&occluder->corners, corner);
    }
    for (int i = 0; i < mesh->triangle_count && done; ++i) {
        sn_vec3 vector = sn_mesh_area_vector(mesh, i);
        double area = sn_length(vector);
        if (!(area > 0.0) || (is_sheet && fabs(sn_dot(vector, sheet)) < 0.5 * area)) {
            continue;
        }
        const int *corners = mesh->triangles + 3 * (size_t)i;
        sn_occluder_face face = {
            .corners = {first + corners[0], first + corners[1], first + corners[2]},
            .open = open,
            .normal = sn_rotate(shape->frame.rotation, vector)};
        face.offset = sn_dot(face.normal, occluder->corners.data[face.corners[0]]);
        done = sn_array_push(&occluder->faces, face);
    }
    return done;
}

// ---- samples ----

typedef struct patch_spread {
    double area;
    sn_vec3 first;  // moment of area about the patch's centre
    sn_sym3 second; // and the second one
} patch_spread;

// The nearest patch that faces the same way, be it on either side for those with two; one that
// faces another way is taken for farther. -1: none.
static int find_patch(const sn_patch *patches, int count, sn_vec3 centre, sn_vec3 normal)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        double cosine = sn_dot(patches[i].normal, normal);
        cosine = patches[i].sides > 1 ? fabs(cosine) : cosine;
        sn_vec3 way = sn_vec3_sub(centre, patches[i].centre);
        double distance = sn_dot(way, way) * (2.0 - cosine);
        if (distance < least && (cosine > 0.0 || patches[i].sides > 1)) {
            least = distance;
            best = i;
        }
    }
    return best;
}

// About a point at c from its centroid the second moment of a triangle is area (c c^T + sum over
// corners of d d^T / 12), d from the centroid to the corner.
static void spread_triangle(const sn_patch *patches, int count, const sn_vec3 x[3],
                            patch_spread *spreads)
{
    sn_vec3 vector = sn_triangle_area_vector(x[0], x[1], x[2]);
    double area = 0.5 * sn_length(vector);
    if (!(area > 0.0)) {
        return;
    }
    sn_vec3 centre = sn_vec3_scale(1.0 / 3.0, sn_vec3_add(sn_vec3_add(x[0], x[1]), x[2]));
    int at = find_patch(patches, count, centre, sn_vec3_scale(0.5 / area, vector));
    if (at < 0) {
        return;
    }
    patch_spread *spread = &spreads[at];
    sn_vec3 from = sn_vec3_sub(centre, patches[at].centre);
    spread->area += area;
    spread->first = sn_vec3_add_scaled(spread->first, area, from);
    spread->second = sn_sym3_add_outer(&spread->second, area, from);
    for (int i = 0; i < 3; ++i) {
        spread->second = sn_sym3_add_outer(&spread->second, area / 12.0, sn_vec3_sub(x[i], centre));
    }
}

// Halves the longest edge while it is longer than `size`, at most `depth` times.
static void cut_triangle(const sn_patch *patches, int count, const sn_vec3 x[3], double size,
                         int depth, patch_spread *spreads)
{
    int longest = 0;
    double length = 0.0;
    for (int i = 0; i < 3; ++i) {
        double edge = sn_distance(x[i], x[(i + 1) % 3]);
        longest = edge > length ? i : longest;
        length = fmax(length, edge);
    }
    if (!(length > size) || depth == 0) {
        spread_triangle(patches, count, x, spreads);
        return;
    }
    sn_vec3 a = x[longest], b = x[(longest + 1) % 3], other = x[(longest + 2) % 3];
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    const sn_vec3 one[3] = {a, middle, other}, two[3] = {middle, b, other};
    cut_triangle(patches, count, one, size, depth - 1, spreads);
    cut_triangle(patches, count, two, size, depth - 1, spreads);
}

static void spread_mesh(const sn_patch *patches, int count, const sn_shape *shape,
                        const sn_mesh *mesh, double size, patch_spread *spreads)
{
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = sn_transform_point(shape->frame,
                                      mesh->positions[mesh->triangles[3 * (size_t)i + (size_t)k]]);
        }
        cut_triangle(patches, count, x, size, 12, spreads);
    }
}

// The two widest of the principal directions, each as long as the root of its moment.
static sn_occluder_sample make_sample(const patch_spread *spread)
{
    sn_occluder_sample sample = {0};
    if (!(spread->area > 0.0)) {
        return sample;
    }
    double per = 1.0 / spread->area;
    sn_vec3 mean = sn_vec3_scale(per, spread->first);
    sn_sym3 s = sn_sym3_add_outer(&spread->second, -spread->area, mean);
    sn_mat3 tensor = {{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
    sn_vec3 values;
    sn_mat3 vectors;
    sn_mat3_eigen_symmetric(tensor, &values, &vectors);
    const double widest[2] = {values.z, values.y};
    for (int i = 0; i < 2; ++i) {
        sn_vec3 way = {vectors.m[0][2 - i], vectors.m[1][2 - i], vectors.m[2][2 - i]};
        sample.across[i] = sn_vec3_scale(sqrt(fmax(widest[i] * per, 0.0)), way);
    }
    return sample;
}

// Half of what the largest patch measures: places in it are then counted to it.
static double find_size(const sn_patch *patches, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, patches[i].area);
    }
    return 0.5 * sqrt(most);
}

static sn_status add_samples(sn_occluder *occluder, const sn_shape *shapes, int shape_count,
                             const sn_patch *patches, int count, sn_error *error)
{
    size_t bytes = ((size_t)count + 1) * sizeof(patch_spread);
    patch_spread *spreads = sn_allocate_zero(bytes);
    if (spreads == NULL || !sn_array_resize(&occluder->samples, count)) {
        sn_free(spreads);
        return sn_fail_memory(error, bytes);
    }
    sn_status status = SN_OK;
    double size = find_size(patches, count);
    for (int i = 0; i < shape_count && status == SN_OK; ++i) {
        sn_mesh *mesh = NULL;
        if (shapes[i].surface.sensor) {
            continue;
        }
        double tolerance = sn_occluder_is_bar(&shapes[i]) ? COARSE * shapes[i].radius : 0.0;
        status = sn_shape_mesh(&shapes[i], tolerance, &mesh, error);
        if (status == SN_OK) {
            spread_mesh(patches, count, &shapes[i], mesh, size, spreads);
        }
        sn_mesh_release(mesh);
    }
    for (int i = 0; i < count; ++i) {
        occluder->samples.data[i] = make_sample(&spreads[i]);
    }
    sn_free(spreads);
    return status;
}

// ---- the whole ----

static void grow(sn_aabb *box, sn_vec3 point, double by)
{
    sn_vec3 margin = {by, by, by};
    box->lower = sn_vec3_min(box->lower, sn_vec3_sub(point, margin));
    box->upper = sn_vec3_max(box->upper, sn_vec3_add(point, margin));
}

// A ball about the middle of the box around it.
static void find_ball(sn_occluder *occluder, const sn_patch *patches, int count)
{
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < occluder->corners.count; ++i) {
        grow(&box, occluder->corners.data[i], 0.0);
    }
    for (int i = 0; i < occluder->bars.count; ++i) {
        grow(&box, occluder->bars.data[i].ends[0], occluder->bars.data[i].radius);
        grow(&box, occluder->bars.data[i].ends[1], occluder->bars.data[i].radius);
    }
    for (int i = 0; i < count; ++i) {
        grow(&box, patches[i].centre, 0.0);
    }
    occluder->centre = sn_vec3_scale(0.5, sn_vec3_add(box.lower, box.upper));
    occluder->radius = 0.5 * sn_distance(box.lower, box.upper);
    if (!(box.lower.x <= box.upper.x)) {
        occluder->centre = SN_VEC3_ZERO;
        occluder->radius = -1.0;
    }
}

sn_status sn_occluder_make(sn_occluder *occluder, const sn_shape *shapes, int shape_count,
                           const sn_patch *patches, int patch_count, sn_error *error)
{
    *occluder = (sn_occluder){0};
    sn_status status = SN_OK;
    for (int i = 0; i < shape_count && status == SN_OK; ++i) {
        sn_mesh *mesh = NULL;
        bool done = true;
        if (hides(&shapes[i]) && sn_occluder_is_bar(&shapes[i])) {
            done = add_bar(occluder, &shapes[i]);
        } else if (hides(&shapes[i])) {
            status = sn_shape_mesh(&shapes[i], 0.0, &mesh, error);
            done = status != SN_OK || add_faces(occluder, &shapes[i], mesh);
        }
        sn_mesh_release(mesh);
        status = done ? status : sn_fail_memory(error, sizeof(sn_occluder_face));
    }
    if (status == SN_OK && patch_count > 0) {
        status = add_samples(occluder, shapes, shape_count, patches, patch_count, error);
    }
    if (status != SN_OK) {
        sn_occluder_free(occluder);
        return status;
    }
    find_ball(occluder, patches, patch_count);
    return SN_OK;
}

void sn_occluder_free(sn_occluder *occluder)
{
    sn_array_free(&occluder->corners);
    sn_array_free(&occluder->faces);
    sn_array_free(&occluder->bars);
    sn_array_free(&occluder->samples);
}
