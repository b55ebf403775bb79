#include "field/patch.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/mesh_check.h"

enum { COARSE = 6, FINEST = 64 }; // parts of a body's extent
#define SAME_WAY 0.97             // cosine between normals that may share a patch: 14 degrees
#define THIN_WAY 0.7 // and in a cell with little in it, such as a piece of wire: 45 degrees
#define THIN     0.3 // the area of which is less than this share of the cell's side squared

typedef struct piece {
    sn_vec3 centre, vector; // vector area
    int cell[3];
    int sides, order;
} piece;

typedef SN_ARRAY(piece) pieces;

// ---- the shapes' meshes ----

// Sensors have none: NULL.
static sn_status make_meshes(const sn_shape *shapes, int count, sn_mesh **meshes, sn_error *error)
{
    for (int i = 0; i < count; ++i) {
        sn_status status =
            shapes[i].surface.sensor ? SN_OK : sn_shape_mesh(&shapes[i], 0.0, &meshes[i], error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_aabb find_box(const sn_shape *shapes, sn_mesh *const *meshes, int count)
{
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; meshes[i] != NULL && k < meshes[i]->vertex_count; ++k) {
            sn_vec3 x = sn_transform_point(shapes[i].frame, meshes[i]->positions[k]);
            box.lower = sn_vec3_min(box.lower, x);
            box.upper = sn_vec3_max(box.upper, x);
        }
    }
    return box;
}

// ---- cutting ----

typedef struct cutting {
    pieces *out;
    sn_vec3 corner; // of the grid
    double size;
    int sides;
} cutting;

static bool put_piece(cutting *c, const sn_vec3 x[3])
{
    sn_vec3 sum = sn_vec3_add(sn_vec3_add(x[0], x[1]), x[2]);
    piece made = {.centre = sn_vec3_scale(1.0 / 3.0, sum),
                  .vector = sn_vec3_scale(0.5, sn_triangle_area_vector(x[0], x[1], x[2])),
                  .sides = c->sides,
                  .order = c->out->count};
    sn_vec3 from = sn_vec3_scale(1.0 / c->size, sn_vec3_sub(made.centre, c->corner));
    made.cell[0] = (int)from.x;
    made.cell[1] = (int)from.y;
    made.cell[2] = (int)from.z;
    return sn_array_push(c->out, made);
}

// Halves the longest edge until it is short enough. Depth is bounded: two halvings at most halve
// the longest edge of a triangle whose angles are not extreme, and the size is a 64th at least.
static bool cut(cutting *c, const sn_vec3 x[3], int depth)
{
    int longest = 0;
    double length = 0.0;
    for (int i = 0; i < 3; ++i) {
        double edge = sn_distance(x[i], x[(i + 1) % 3]);
        if (edge > length) {
            length = edge;
            longest = i;
        }
    }
    if (!(length > c->size) || depth == 0) {
        return put_piece(c, x);
    }
    sn_vec3 a = x[longest], b = x[(longest + 1) % 3], other = x[(longest + 2) % 3];
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    const sn_vec3 first[3] = {a, middle, other}, second[3] = {middle, b, other};
    return cut(c, first, depth - 1) && cut(c, second, depth - 1);
}

static bool cut_mesh(cutting *c, const sn_shape *shape, const sn_mesh *mesh)
{
    // An open surface meets the air on both sides.
    c->sides = sn_mesh_check_closed(mesh, NULL) == SN_OK ? 1 : 2;
    bool done = true;
    for (int i = 0; done && i < mesh->triangle_count; ++i) {
        sn_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = sn_transform_point(shape->frame, mesh->positions[mesh->triangles[3 * i + k]]);
        }
        done = cut(c, x, 40);
    }
    return done;
}

// ---- joining what lies together ----

static int compare_pieces(const void *left, const void *right)
{
    const piece *a = left, *b = right;
    for (int i = 0; i < 3; ++i) {
        if (a->cell[i] != b->cell[i]) {
            return a->cell[i] < b->cell[i] ? -1 : 1;
        }
    }
    return (a->order > b->order) - (a->order < b->order);
}

static bool same_cell(const piece *a, const piece *b)
{
    return a->cell[0] == b->cell[0] && a->cell[1] == b->cell[1] && a->cell[2] == b->cell[2];
}

// How near in direction pieces of the cell that begins at `first` must be to share a patch.
static double choose_way(const pieces *all, int first, double size)
{
    double area = 0.0;
    for (int i = first; i < all->count && same_cell(&all->data[i], &all->data[first]); ++i) {
        area += sn_length(all->data[i].vector);
    }
    return area < THIN * size * size ? THIN_WAY : SAME_WAY;
}

// While they are being joined, a patch's centre is a sum weighed by area, and its normal the vector
// area.
static bool join(sn_patches *patches, const pieces *all, double size)
{
    double way = choose_way(all, 0, size);
    int first = patches->count; // of the patches of the cell
    for (int i = 0; i < all->count; ++i) {
        const piece *p = &all->data[i];
        if (i > 0 && !same_cell(p, p - 1)) {
            first = patches->count;
            way = choose_way(all, i, size);
        }
        double area = sn_length(p->vector);
        int at = first;
        while (at < patches->count && (patches->data[at].sides != p->sides ||
                                       sn_dot(patches->data[at].normal, p->vector) <
                                           way * area * sn_length(patches->data[at].normal))) {
            ++at;
        }
        if (at == patches->count && !sn_array_push(patches, ((sn_patch){.sides = p->sides}))) {
            return false;
        }
        sn_patch *patch = &patches->data[at];
        patch->area += area;
        patch->centre = sn_vec3_add_scaled(patch->centre, area, p->centre);
        patch->normal = sn_vec3_add(patch->normal, p->vector);
    }
    return true;
}

static void finish(sn_patches *patches, int first)
{
    int kept = first;
    for (int i = first; i < patches->count; ++i) {
        sn_patch patch = patches->data[i];
        double whole = patch.area;
        patch.area = sn_length(patch.normal);
        if (!(patch.area > 0.0)) {
            continue; // of triangles without area
        }
        patch.centre = sn_vec3_scale(1.0 / whole, patch.centre);
        patch.normal = sn_vec3_scale(1.0 / patch.area, patch.normal);
        patches->data[kept++] = patch;
    }
    patches->count = kept;
}

static bool cut_and_join(sn_patches *patches, const sn_shape *shapes, sn_mesh *const *meshes,
                         int count, double size)
{
    sn_aabb box = find_box(shapes, meshes, count);
    sn_vec3 edges = sn_vec3_sub(box.upper, box.lower);
    double extent = fmax(fmax(edges.x, edges.y), edges.z);
    pieces all = {0};
    cutting c = {.out = &all, .corner = box.lower, .size = fmax(size, extent / FINEST)};
    if (size == 0.0) {
        c.size = extent / COARSE;
    }
    bool done = true;
    for (int i = 0; done && i < count; ++i) {
        done = meshes[i] == NULL || cut_mesh(&c, &shapes[i], meshes[i]);
    }
    int first = patches->count;
    if (done && all.count > 0) {
        qsort(all.data, (size_t)all.count, sizeof *all.data, compare_pieces);
        done = join(patches, &all, c.size);
    }
    sn_array_free(&all);
    if (done) {
        finish(patches, first);
    } else {
        patches->count = first;
    }
    return done;
}

sn_status sn_patches_add(sn_patches *patches, const sn_shape *shapes, int count, double size,
                         sn_error *error)
{
    if (count == 0) {
        return SN_OK;
    }
    sn_mesh **meshes = sn_allocate_zero((size_t)count * sizeof *meshes);
    if (meshes == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *meshes);
    }
    sn_status status = make_meshes(shapes, count, meshes, error);
    if (status == SN_OK && !cut_and_join(patches, shapes, meshes, count, size)) {
        status = sn_fail_memory(error, sizeof(piece));
    }
    for (int i = 0; i < count; ++i) {
        sn_mesh_release(meshes[i]);
    }
    sn_free(meshes);
    return status;
}
