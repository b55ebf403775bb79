#include "field/patch.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/mesh_check.h"
#include "math/dense.h"

// Parts of a shape's extent, of a body's, of a body's for wires, and the most.
enum { COARSE = 7, BODY_COARSE = 21, WIRE_COARSE = 14, FINEST = 64 };
#define SAME_WAY    0.97 // cosine between normals that may share a patch: 14 degrees
#define THIN_WAY    0.7  // and in a cell with little in it, such as a rim: 45 degrees
#define THIN        0.3  // the area of which is less than this share of the cell's side squared
#define SCRAP       0.1  // patches below this share are joined over several cells
#define SCRAP_CELLS 3
#define PIECE       0.5   // the longest edge of a piece of a patch, as a share of a cell
#define SHEET       0.25  // faces nearer to each other than this share of a cell are a sheet's,
#define SAME_AREA   0.02  // when their areas are the same to this share
#define WIRE        0.125 // radius of a bar that is a wire, as a share of a cell

typedef struct piece {
    sn_vec3 centre, vector; // vector area; of a wire the axis, as long as its area is large
    sn_sym3 second;         // moments about its centre, by area
    int cell[3];
    int sides, order;
    bool wire;
} piece;

typedef SN_ARRAY(piece) pieces;

// ---- boxes around shapes ----

static sn_aabb find_box(const sn_mesh *mesh)
{
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < mesh->vertex_count; ++k) {
        box.lower = sn_vec3_min(box.lower, mesh->positions[k]);
        box.upper = sn_vec3_max(box.upper, mesh->positions[k]);
    }
    return box;
}

static double longest_edge(const sn_aabb *box)
{
    sn_vec3 edges = sn_vec3_sub(box->upper, box->lower);
    return fmax(fmax(edges.x, edges.y), edges.z);
}

static bool is_bar(const sn_shape *shape)
{
    return (shape->type == SN_SHAPE_CAPSULE || shape->type == SN_SHAPE_CYLINDER) &&
           shape->height > 4.0 * shape->radius;
}

// The ends of a bar's axis, in the body's frame.
static void find_ends(const sn_shape *bar, sn_vec3 ends[2])
{
    for (int i = 0; i < 2; ++i) {
        double z = (i == 0 ? -0.5 : 0.5) * bar->height;
        ends[i] = sn_transform_point(bar->frame, sn_vec3_make(0.0, 0.0, z));
    }
}

static void grow_box(sn_aabb *box, sn_vec3 point)
{
    box->lower = sn_vec3_min(box->lower, point);
    box->upper = sn_vec3_max(box->upper, point);
}

// ---- pieces ----

typedef struct cutting {
    pieces all;
    sn_patches *patches;
    sn_vec3 corner; // of the grid
    double size;
    int sides;
} cutting;

static void find_cell(const cutting *c, sn_vec3 centre, int cell[3])
{
    sn_vec3 from = sn_vec3_scale(1.0 / c->size, sn_vec3_sub(centre, c->corner));
    cell[0] = (int)from.x;
    cell[1] = (int)from.y;
    cell[2] = (int)from.z;
}

static bool put_piece(cutting *c, sn_vec3 centre, sn_vec3 vector, sn_sym3 second, bool wire)
{
    piece made = {.centre = centre,
                  .vector = vector,
                  .second = second,
                  .sides = c->sides,
                  .order = c->all.count,
                  .wire = wire};
    find_cell(c, centre, made.cell);
    return sn_array_push(&c->all, made);
}

// About its centroid a triangle has the second moments area / 12 times the sum of d d^T, d from the
// centroid to the corners.
static bool put_triangle(cutting *c, const sn_vec3 x[3])
{
    sn_vec3 centre = sn_vec3_scale(1.0 / 3.0, sn_vec3_add(sn_vec3_add(x[0], x[1]), x[2]));
    sn_sym3 second = SN_SYM3_ZERO;
    for (int i = 0; i < 3; ++i) {
        second = sn_sym3_add_outer(&second, 1.0 / 12.0, sn_vec3_sub(x[i], centre));
    }
    sn_vec3 vector = sn_vec3_scale(0.5, sn_triangle_area_vector(x[0], x[1], x[2]));
    return put_piece(c, centre, vector, second, false);
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
    if (!(length > PIECE * c->size) || depth == 0) {
        return put_triangle(c, x);
    }
    sn_vec3 a = x[longest], b = x[(longest + 1) % 3], other = x[(longest + 2) % 3];
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    const sn_vec3 first[3] = {a, middle, other}, second[3] = {middle, b, other};
    return cut(c, first, depth - 1) && cut(c, second, depth - 1);
}

// Lays the grid for a box. Where the box is thinner than a cell, it is in the midst of one.
static void lay_grid(cutting *c, const sn_aabb *box)
{
    const double lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const double upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    double corner[3];
    for (int i = 0; i < 3; ++i) {
        corner[i] = lower[i] - fmax(0.5 * (c->size - (upper[i] - lower[i])), 0.0);
    }
    c->corner = sn_vec3_at(corner);
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

static sn_sym3 add_moments(const sn_sym3 *sum, double area, const piece *p)
{
    const sn_sym3 *own = &p->second;
    sn_sym3 part = {area * own->xx, area * own->xy, area * own->xz,
                    area * own->yy, area * own->yz, area * own->zz};
    part = sn_sym3_add_outer(&part, area, p->centre);
    return sn_sym3_add(sum, &part);
}

// While they are being joined, a patch's centre is a sum weighed by area, its normal the vector
// area, and its moments those about the origin.
static bool join_piece(sn_patches *patches, int first, double way, const piece *p)
{
    double area = sn_length(p->vector);
    for (int at = first; at < patches->count; ++at) {
        sn_patch *patch = &patches->data[at];
        double cosine = sn_dot(patch->normal, p->vector),
               bound = way * area * sn_length(patch->normal);
        if (patch->sides == p->sides && (cosine >= bound || (p->sides == 2 && cosine <= -bound))) {
            patch->area += area;
            patch->centre = sn_vec3_add_scaled(patch->centre, area, p->centre);
            patch->normal = sn_vec3_add_scaled(patch->normal, cosine < 0.0 ? -1.0 : 1.0, p->vector);
            patch->second = add_moments(&patch->second, area, p);
            return true;
        }
    }
    return sn_array_push(patches, ((sn_patch){.centre = sn_vec3_scale(area, p->centre),
                                              .normal = p->vector,
                                              .second = add_moments(&SN_SYM3_ZERO, area, p),
                                              .area = area,
                                              .sides = p->sides,
                                              .wire = p->wire}));
}

// The two widest of the principal directions, each as long as the root of its moment.
static void find_rectangle(sn_patch *patch)
{
    const sn_sym3 *s = &patch->second;
    sn_mat3 tensor = {{{s->xx, s->xy, s->xz}, {s->xy, s->yy, s->yz}, {s->xz, s->yz, s->zz}}};
    sn_vec3 values;
    sn_mat3 vectors;
    sn_mat3_eigen_symmetric(tensor, &values, &vectors);
    const double widest[2] = {values.z, values.y};
    for (int i = 0; i < 2; ++i) {
        sn_vec3 way = {vectors.m[0][2 - i], vectors.m[1][2 - i], vectors.m[2][2 - i]};
        patch->across[i] = sn_vec3_scale(sqrt(fmax(widest[i], 0.0)), way);
    }
}

// Sums become means. A patch that is bent has as much area as it shows, a wire all of it.
static void finish(sn_patches *patches, int first)
{
    int kept = first;
    for (int i = first; i < patches->count; ++i) {
        sn_patch patch = patches->data[i];
        double whole = patch.area, shown = sn_length(patch.normal);
        if (!(shown > 0.0)) {
            continue; // of triangles without area
        }
        patch.area = patch.wire ? whole : shown;
        patch.centre = sn_vec3_scale(1.0 / whole, patch.centre);
        patch.normal = sn_vec3_scale(1.0 / shown, patch.normal);
        const sn_sym3 *sum = &patch.second;
        double per = 1.0 / whole;
        patch.second = (sn_sym3){per * sum->xx, per * sum->xy, per * sum->xz,
                                 per * sum->yy, per * sum->yz, per * sum->zz};
        patch.second = sn_sym3_add_outer(&patch.second, -1.0, patch.centre);
        patches->data[kept++] = patch;
    }
    patches->count = kept;
}

// Makes one patch of each two that are the faces of a sheet, among those from `first` on.
static void pair_faces(sn_patches *patches, int first, double size)
{
    for (int i = first; i < patches->count; ++i) {
        sn_patch *a = &patches->data[i];
        for (int k = i + 1; k < patches->count && a->sides == 1; ++k) {
            const sn_patch *b = &patches->data[k];
            if (b->sides == 1 && sn_dot(a->normal, b->normal) < -SAME_WAY &&
                fabs(a->area - b->area) < SAME_AREA * a->area &&
                sn_distance(a->centre, b->centre) < SHEET * size) {
                a->centre = sn_vec3_scale(0.5, sn_vec3_add(a->centre, b->centre));
                a->normal = sn_normalize(sn_vec3_sub(a->normal, b->normal));
                a->area = 0.5 * (a->area + b->area);
                a->sides = 2;
                patches->data[k] = patches->data[--patches->count];
            }
        }
    }
}

// Joins sorted pieces cell by cell.
static bool join(cutting *c, double size)
{
    sn_patches *patches = c->patches;
    const pieces *all = &c->all;
    int first = patches->count; // of the patches of the cell
    double way = SAME_WAY;
    bool done = true;
    for (int i = 0; i < all->count && done; ++i) {
        if (i == 0 || !same_cell(&all->data[i], &all->data[i - 1])) {
            finish(patches, first);
            pair_faces(patches, first, c->size);
            first = patches->count;
            way = all->data[i].wire ? SAME_WAY : choose_way(all, i, size);
        }
        done = join_piece(patches, first, way, &all->data[i]);
    }
    if (done) {
        finish(patches, first);
        pair_faces(patches, first, c->size);
    }
    return done;
}

// Takes back the patches that are scraps, as pieces of a coarser grid.
static bool take_scraps(cutting *c, int first)
{
    sn_patches *patches = c->patches;
    int kept = first;
    bool done = true;
    c->all.count = 0;
    for (int i = first; i < patches->count && done; ++i) {
        sn_patch patch = patches->data[i];
        if (patch.wire || patch.area >= SCRAP * c->size * c->size) {
            patches->data[kept++] = patch;
            continue;
        }
        c->sides = patch.sides;
        done = put_piece(c, patch.centre, sn_vec3_scale(patch.area, patch.normal), patch.second,
                         false);
        for (int k = 0; k < 3 && done; ++k) {
            c->all.data[c->all.count - 1].cell[k] /= SCRAP_CELLS;
        }
    }
    patches->count = kept;
    return done;
}

static bool join_all(cutting *c)
{
    if (c->all.count == 0) {
        return true;
    }
    int first = c->patches->count;
    qsort(c->all.data, (size_t)c->all.count, sizeof *c->all.data, compare_pieces);
    if (!join(c, c->size) || !take_scraps(c, first)) {
        return false;
    }
    if (c->all.count > 0) {
        qsort(c->all.data, (size_t)c->all.count, sizeof *c->all.data, compare_pieces);
    }
    return join(c, SCRAP_CELLS * c->size);
}

// ---- shapes ----

// Of a flat sheet: its area and moments along the three axes, about the middle of the box.
typedef struct sheet_moments {
    double area, first[3], second[3];
} sheet_moments;

// The axis across a sheet whose faces are level: the box is thinner than a cell there alone. -1:
// it is no such sheet.
static int find_sheet_axis(const sn_aabb *box, double size)
{
    sn_vec3 edge = sn_vec3_sub(box->upper, box->lower);
    const double edges[3] = {edge.x, edge.y, edge.z};
    int axis = -1, thin = 0;
    for (int i = 0; i < 3; ++i) {
        if (edges[i] < SHEET * size) {
            axis = i;
            thin += 1;
        }
    }
    return thin == 1 ? axis : -1;
}

// Of the face towards `side` times the axis. Of a triangle, int x^2 = A/12 (x1^2 + x2^2 + x3^2 +
// (x1 + x2 + x3)^2).
static sheet_moments measure_face(const sn_mesh *mesh, int axis, double side, sn_vec3 middle)
{
    sheet_moments sum = {0};
    for (int i = 0; i < mesh->triangle_count; ++i) {
        double x[3][3]; // axis, corner
        sn_vec3 corner[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = sn_vec3_sub(mesh->positions[mesh->triangles[3 * i + k]], middle);
            x[0][k] = corner[k].x;
            x[1][k] = corner[k].y;
            x[2][k] = corner[k].z;
        }
        sn_vec3 vector = sn_triangle_area_vector(corner[0], corner[1], corner[2]);
        if (side * sn_vec3_component(vector, axis) < SAME_WAY * sn_length(vector)) {
            continue;
        }
        double area = 0.5 * sn_length(vector);
        sum.area += area;
        for (int k = 0; k < 3; ++k) {
            double whole = x[k][0] + x[k][1] + x[k][2];
            double squares = x[k][0] * x[k][0] + x[k][1] * x[k][1] + x[k][2] * x[k][2];
            sum.first[k] += area * whole / 3.0;
            sum.second[k] += area * (squares + whole * whole) / 12.0;
        }
    }
    return sum;
}

// Of the patches with two sides.
static sheet_moments measure_patches(const sn_patch *patches, int count, sn_vec3 middle)
{
    sheet_moments sum = {0};
    for (int i = 0; i < count; ++i) {
        sn_vec3 r = sn_vec3_sub(patches[i].centre, middle);
        const double x[3] = {r.x, r.y, r.z};
        double area = patches[i].sides == 2 ? patches[i].area : 0.0;
        sum.area += area;
        for (int k = 0; k < 3; ++k) {
            sum.first[k] += area * x[k];
            sum.second[k] += area * x[k] * x[k];
        }
    }
    return sum;
}

// A flat sheet: its faces are the same, so that one stands for both.
typedef struct flat_sheet {
    int axis; // across it; -1: the shape is no such sheet
    sn_vec3 middle;
    sheet_moments face;
} flat_sheet;

static flat_sheet find_sheet(const sn_mesh *mesh, const sn_aabb *box, double size)
{
    flat_sheet sheet = {.axis = find_sheet_axis(box, size),
                        .middle = sn_vec3_scale(0.5, sn_vec3_add(box->lower, box->upper))};
    if (sheet.axis < 0) {
        return sheet;
    }
    sheet.face = measure_face(mesh, sheet.axis, 1.0, sheet.middle);
    sheet_moments other = measure_face(mesh, sheet.axis, -1.0, sheet.middle);
    double area = sheet.face.area, extent = longest_edge(box);
    bool same = area > 0.0 && fabs(area - other.area) < 1e-9 * area;
    for (int k = 0; k < 3 && same; ++k) {
        same = k == sheet.axis ||
               (fabs(sheet.face.first[k] - other.first[k]) < 1e-9 * area * extent &&
                fabs(sheet.face.second[k] - other.second[k]) < 1e-9 * area * extent * extent);
    }
    sheet.axis = same ? sheet.axis : -1;
    return sheet;
}

// Puts its patches half way between the faces. The middles of patches lie nearer to each other than
// what they stand for: spread a little, they have the second moments of the sheet, by which its
// turning is damped.
static void spread_sheet(const flat_sheet *sheet, sn_patch *patches, int count)
{
    sheet_moments found = measure_patches(patches, count, sheet->middle);
    double mean[3], factor[3];
    for (int k = 0; k < 3; ++k) {
        mean[k] = found.first[k] / found.area;
        double rest = found.area * mean[k] * mean[k];
        double now = found.second[k] - rest, wanted = sheet->face.second[k] - rest;
        factor[k] = now > 0.0 && wanted > now ? sqrt(wanted / now) : 1.0;
    }
    factor[sheet->axis] = mean[sheet->axis] = 0.0;
    for (int i = 0; i < count; ++i) {
        sn_patch *p = &patches[i];
        sn_vec3 r = sn_vec3_sub(p->centre, sheet->middle);
        sn_vec3 moved = {mean[0] + factor[0] * (r.x - mean[0]),
                         mean[1] + factor[1] * (r.y - mean[1]),
                         mean[2] + factor[2] * (r.z - mean[2])};
        if (p->sides == 2) {
            // Half way between the faces.
            double level = sn_vec3_component(sn_vec3_sub(sheet->middle, p->middle), sheet->axis);
            const double up[3] = {sheet->axis == 0 ? level : 0.0, sheet->axis == 1 ? level : 0.0,
                                  sheet->axis == 2 ? level : 0.0};
            p->middle = sn_vec3_add(p->middle, sn_vec3_at(up));
            p->centre = sn_vec3_add(sheet->middle, moved);
        }
    }
}

// In the shape's own frame, in which sheets are level.
static bool cut_mesh(cutting *c, const sn_shape *shape, const sn_mesh *mesh, double size,
                     double body_extent)
{
    sn_aabb box = find_box(mesh);
    double extent = longest_edge(&box);
    c->size =
        size > 0.0 ? fmax(size, extent / FINEST) : fmax(extent / COARSE, body_extent / BODY_COARSE);
    lay_grid(c, &box);
    // An open surface meets the air on both sides.
    bool closed = shape->type != SN_SHAPE_MESH || sn_mesh_check_closed(mesh, NULL) == SN_OK;
    flat_sheet sheet = closed ? find_sheet(mesh, &box, c->size) : (flat_sheet){.axis = -1};
    c->all.count = 0;
    int first = c->patches->count;
    bool done = true;
    for (int i = 0; done && i < mesh->triangle_count; ++i) {
        sn_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = mesh->positions[mesh->triangles[3 * i + k]];
        }
        c->sides = closed ? 1 : 2;
        if (sheet.axis >= 0) {
            sn_vec3 vector = sn_triangle_area_vector(x[0], x[1], x[2]);
            double level = sn_vec3_component(vector, sheet.axis) / sn_length(vector);
            if (level <= -SAME_WAY) {
                continue; // the other side of the sheet
            }
            c->sides = level >= SAME_WAY ? 2 : 1;
        }
        done = cut(c, x, 40);
    }
    done = done && join_all(c);
    for (int i = first; i < c->patches->count; ++i) {
        c->patches->data[i].middle = c->patches->data[i].centre;
    }
    if (done && sheet.axis >= 0) {
        spread_sheet(&sheet, c->patches->data + first, c->patches->count - first);
    }
    for (int i = first; i < c->patches->count; ++i) {
        sn_patch *patch = &c->patches->data[i];
        find_rectangle(patch);
        patch->centre = sn_transform_point(shape->frame, patch->centre);
        patch->middle = sn_transform_point(shape->frame, patch->middle);
        patch->normal = sn_rotate(shape->frame.rotation, patch->normal);
        for (int k = 0; k < 2; ++k) {
            patch->across[k] = sn_rotate(shape->frame.rotation, patch->across[k]);
        }
    }
    return done;
}

static bool cut_bar(cutting *c, const sn_shape *bar)
{
    sn_vec3 ends[2];
    find_ends(bar, ends);
    int parts = (int)(bar->height / c->size) + 1;
    sn_vec3 way = sn_vec3_scale(1.0 / parts, sn_vec3_sub(ends[1], ends[0]));
    // Along it length^2 / 12, across it radius^2 / 2.
    double around = 0.5 * bar->radius * bar->radius, length = bar->height / parts;
    sn_sym3 second = {around, 0.0, 0.0, around, 0.0, around};
    second = sn_sym3_add_outer(&second, 1.0 / 12.0 - around / (length * length), way);
    bool done = true;
    c->sides = 2;
    for (int i = 0; i < parts && done; ++i) {
        done = put_piece(c, sn_vec3_add_scaled(ends[0], i + 0.5, way),
                         sn_vec3_scale(2.0 * SN_PI * bar->radius, way), second, true);
    }
    return done;
}

typedef struct body_cut {
    const sn_shape *shapes;
    sn_mesh **meshes; // of all but sensors and wires
    int count;
    double size, extent;
    sn_aabb box;
} body_cut;

static bool feels_air(const sn_shape *shape)
{
    return !shape->surface.sensor && sn_shape_touches(shape);
}

static bool is_wire(const body_cut *body, int i)
{
    double cell = fmax(body->size, body->extent / (body->size > 0.0 ? FINEST : WIRE_COARSE));
    return is_bar(&body->shapes[i]) && body->shapes[i].radius < WIRE * cell;
}

static bool cut_wires(cutting *c, const body_cut *body)
{
    c->size = fmax(body->size, body->extent / (body->size > 0.0 ? FINEST : WIRE_COARSE));
    c->corner = body->box.lower;
    c->all.count = 0;
    bool done = true;
    for (int i = 0; i < body->count && done; ++i) {
        if (feels_air(&body->shapes[i]) && is_wire(body, i)) {
            done = cut_bar(c, &body->shapes[i]);
        }
    }
    int first = c->patches->count;
    done = done && join_all(c);
    for (int i = first; i < c->patches->count; ++i) {
        find_rectangle(&c->patches->data[i]);
        c->patches->data[i].middle = c->patches->data[i].centre;
    }
    return done;
}

static void add_to_box(sn_aabb *box, const sn_shape *shape, const sn_mesh *mesh)
{
    if (mesh == NULL) {
        sn_vec3 ends[2], r = {shape->radius, shape->radius, shape->radius};
        find_ends(shape, ends);
        for (int i = 0; i < 2; ++i) {
            grow_box(box, sn_vec3_add(ends[i], r));
            grow_box(box, sn_vec3_sub(ends[i], r));
        }
        return;
    }
    for (int k = 0; k < mesh->vertex_count; ++k) {
        grow_box(box, sn_transform_point(shape->frame, mesh->positions[k]));
    }
}

// Bars get no mesh until it is known that they are thick.
static sn_status measure(body_cut *body, sn_error *error)
{
    body->box = (sn_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < body->count; ++i) {
        const sn_shape *shape = &body->shapes[i];
        if (!feels_air(shape)) {
            continue;
        }
        sn_status status =
            is_bar(shape) ? SN_OK : sn_shape_mesh(shape, 0.0, &body->meshes[i], error);
        if (status != SN_OK) {
            return status;
        }
        add_to_box(&body->box, shape, body->meshes[i]);
    }
    body->extent = fmax(longest_edge(&body->box), 0.0);
    for (int i = 0; i < body->count; ++i) {
        const sn_shape *shape = &body->shapes[i];
        sn_status status = SN_OK;
        if (feels_air(shape) && is_bar(shape) && !is_wire(body, i)) {
            status = sn_shape_mesh(shape, 0.0, &body->meshes[i], error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static bool cut_shapes(sn_patches *patches, const body_cut *body)
{
    cutting c = {.patches = patches};
    int first = patches->count;
    bool done = true;
    for (int i = 0; done && i < body->count; ++i) {
        done = body->meshes[i] == NULL ||
               cut_mesh(&c, &body->shapes[i], body->meshes[i], body->size, body->extent);
    }
    done = done && cut_wires(&c, body);
    sn_array_free(&c.all);
    patches->count = done ? patches->count : first;
    return done;
}

sn_status sn_patches_add(sn_patches *patches, const sn_shape *shapes, int count, double size,
                         sn_error *error)
{
    if (count == 0) {
        return SN_OK;
    }
    body_cut body = {.shapes = shapes, .count = count, .size = size};
    body.meshes = sn_allocate_zero((size_t)count * sizeof(void *));
    if (body.meshes == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof(void *));
    }
    sn_status status = measure(&body, error);
    if (status == SN_OK && !cut_shapes(patches, &body)) {
        status = sn_fail_memory(error, sizeof(piece));
    }
    for (int i = 0; i < count; ++i) {
        sn_mesh_release(body.meshes[i]);
    }
    sn_free(body.meshes);
    return status;
}
