// Isosurface stuffing (Labelle and Shewchuk 2007) of the points around which a surface winds: a
// graded lattice, cut at the surface, fitted to it, and scaled to its volume. Where the volume is
// off by more than a hundredth, as at walls that fall between points of the lattice, it is done
// again with finer lattices, each of twice as many elements.
#include "geometry/stuffing.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/stuffing_fit.h"
#include "geometry/surface_volume.h"
#include "geometry/tetrahedra_faces.h"
#include "math/elementary.h"

enum { MOST_ELEMENTS = 2000000, MOST_CUBES = 1 << 25, FINER_LATTICES = 6, FINER_FOR_PINCHES = 3 };

// How much shorter the edges of the next lattice are: the cube root of 1/2.
static const double FINER = 0.79370052598409974;

// Volume that may lack before a finer lattice is tried, and at all.
static const double GOOD = 0.01, USABLE = 0.1;

typedef struct filling {
    const sn_mesh *surface;
    sn_surface_tree *tree;
    sn_aabb bounds;
    double turn;   // -1: the surface is inside out
    bool closed;   // every edge has two triangles, turned alike
    bool overlaps; // some point is inside more than once, or inside out
    double volume; // that the surface encloses
    bool by_lines; // how that was found
} filling;

// ---- the surface ----

static sn_status examine_surface(filling *f, sn_error *error)
{
    sn_mesh_report report = {0};
    sn_status status = sn_mesh_check(f->surface, &report, NULL);
    if (status == SN_ERROR_MEMORY) {
        return sn_fail_memory(error, 0);
    }
    const int *counts = report.counts;
    f->closed = counts[SN_MESH_OPEN_EDGE] == 0 && counts[SN_MESH_FLIPPED_EDGE] == 0 &&
                counts[SN_MESH_CROWDED_EDGE] == 0 && counts[SN_MESH_DUPLICATE_TRIANGLE] == 0;
    sn_mesh_report_free(&report);
    f->volume = sn_mesh_signed_volume(f->surface);
    f->turn = f->volume < 0.0 ? -1.0 : 1.0;
    f->volume *= f->turn;
    return SN_OK;
}

// What lattice points tell of a closed surface: where it winds around twice, the divergence theorem
// counts twice.
static sn_status find_volume(filling *f, const sn_stuffing_lattice *lattice, sn_error *error)
{
    for (int i = 0; i < lattice->points.count; ++i) {
        // Of a point on the surface it may be anything from -1/2 to 3/2.
        double winding = lattice->points.data[i].winding;
        f->overlaps = f->overlaps || winding > 1.8 || winding < -0.8;
    }
    if (f->by_lines || (f->closed && !f->overlaps)) {
        return SN_OK;
    }
    f->by_lines = true;
    return sn_surface_tree_volume(f->tree, f->bounds, f->turn, &f->volume)
               ? SN_OK
               : sn_fail_memory(error, 0);
}

// ---- crumbs ----

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Joins elements that share a face; faces of one group are the same face.
static void join_neighbours(const sn_tetrahedra_faces *faces, int *parent)
{
    for (int first = 0, last; first < faces->count; first = last) {
        last = sn_tetrahedra_faces_group(faces, first);
        for (int i = first + 1; i < last; ++i) {
            int a = root_of(parent, faces->order[first] / 4);
            int b = root_of(parent, faces->order[i] / 4);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

// Parts of less than a cube of the lattice that no face joins to the rest are what the lattice left
// of something finer: they are dropped, and counted.
static sn_status drop_crumbs(sn_tetrahedra **body, double spacing, int *dropped, sn_error *error)
{
    const sn_tetrahedra *t = *body;
    size_t count = (size_t)t->element_count;
    int *parent = sn_allocate(count * sizeof *parent);
    double *volumes = sn_allocate_zero(count * sizeof *volumes);
    bool *removed = sn_allocate(count * sizeof *removed);
    sn_tetrahedra_faces faces = {0};
    sn_status status = parent != NULL && volumes != NULL && removed != NULL
                           ? sn_tetrahedra_faces_find(t, &faces, error)
                           : sn_fail_memory(error, count * sizeof *volumes);
    if (status == SN_OK) {
        for (int e = 0; e < t->element_count; ++e) {
            parent[e] = e;
        }
        join_neighbours(&faces, parent);
        int largest = 0, crumbs = 0;
        for (int e = 0; e < t->element_count; ++e) {
            volumes[root_of(parent, e)] += sn_tetrahedra_determinant(t, e) / 6.0;
        }
        for (int e = 0; e < t->element_count; ++e) {
            largest = volumes[e] > volumes[largest] ? e : largest;
        }
        for (int e = 0; e < t->element_count; ++e) {
            int part = root_of(parent, e);
            removed[e] = part != largest && volumes[part] < spacing * spacing * spacing;
            crumbs += removed[e] && part == e;
        }
        if (crumbs > 0) {
            sn_tetrahedra *rest = NULL;
            status = sn_tetrahedra_without(t, removed, &rest, NULL, error);
            if (status == SN_OK) {
                sn_tetrahedra_release(*body);
                *body = rest;
                *dropped = crumbs;
            }
        }
    }
    sn_tetrahedra_faces_free(&faces);
    sn_free(parent);
    sn_free(volumes);
    sn_free(removed);
    return status;
}

// ---- one lattice ----

static double volume_of(const sn_tetrahedra *t)
{
    double sum = 0.0;
    for (int e = 0; e < t->element_count; ++e) {
        sum += sn_tetrahedra_determinant(t, e) / 6.0;
    }
    return sum;
}

static sn_status create(const sn_stuffing_mesh *mesh, sn_tetrahedra **body, sn_error *error)
{
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = mesh->positions.data;
    def.vertex_count = mesh->positions.count;
    def.elements = mesh->elements.data;
    def.element_count = mesh->elements.count / 4;
    return sn_tetrahedra_create(&def, body, error);
}

// Edges and vertices by which alone parts hang together: walls too thin for the lattice.
static sn_status count_pinches(const sn_tetrahedra *body, int *pinches, sn_error *error)
{
    sn_tetrahedra_report found = {0};
    sn_status status = sn_tetrahedra_check(body, &found, error);
    *pinches = found.counts[SN_TETRAHEDRA_HINGE] + found.counts[SN_TETRAHEDRA_PINCHED_VERTEX];
    sn_tetrahedra_report_free(&found);
    return status == SN_ERROR_MEMORY ? status : SN_OK;
}

// *body stays NULL where no point of the lattice is inside.
static sn_status fill_once(filling *f, double spacing, sn_tetrahedra **body,
                           sn_tetrahedra_fill_report *report, sn_error *error)
{
    sn_stuffing_lattice lattice;
    sn_stuffing_mesh mesh = {0};
    *body = NULL;
    sn_status status =
        sn_stuffing_lattice_make(&lattice, f->surface, f->tree, f->turn, spacing, error);
    if (status != SN_OK) {
        return status;
    }
    status = find_volume(f, &lattice, error);
    if (status == SN_OK && !sn_stuffing_cut(&lattice, &mesh)) {
        status = sn_fail_memory(error, (size_t)mesh.positions.count * sizeof(sn_vec3));
    }
    sn_stuffing_lattice_free(&lattice);
    *report = (sn_tetrahedra_fill_report){.edge = spacing};
    if (status == SN_OK && mesh.elements.count > 0) {
        status = create(&mesh, body, error);
        status =
            status == SN_OK ? drop_crumbs(body, spacing, &report->dropped_parts, error) : status;
        status = status == SN_OK ? count_pinches(*body, &report->pinches, error) : status;
        status = status == SN_OK
                     ? sn_stuffing_fit(*body, f->surface, f->tree, f->turn, spacing, error)
                     : status;
    }
    sn_stuffing_mesh_free(&mesh);
    if (status != SN_OK) {
        sn_tetrahedra_release(*body);
        *body = NULL;
    }
    report->surface_volume = f->volume;
    report->filled_volume = *body != NULL ? volume_of(*body) : 0.0;
    report->open = !f->closed;
    report->overlapping = f->overlaps;
    report->inside_out = f->turn < 0.0;
    return status;
}

// ---- all ----

static double miss_of(const sn_tetrahedra_fill_report *report)
{
    return report->surface_volume > 0.0 ? fabs(report->filled_volume / report->surface_volume - 1.0)
                                        : 1.0;
}

// Twelve elements to a cube of the lattice; coarser inside, so that these are the most.
static bool is_affordable(const filling *f, double spacing)
{
    sn_vec3 size = sn_vec3_sub(f->bounds.upper, f->bounds.lower);
    double area = sn_mesh_area(f->surface) / (spacing * spacing);
    double most =
        fmin(12.0 * size.x * size.y * size.z / (spacing * spacing * spacing), 30.0 * area);
    return most <= MOST_ELEMENTS && sn_stuffing_grid_cubes(f->bounds, spacing) <= MOST_CUBES;
}

static sn_status refuse_edge(const filling *f, double edge, sn_error *error)
{
    double longer = edge;
    while (!is_affordable(f, longer)) {
        longer *= 1.25;
    }
    return sn_fail(
        error, SN_ERROR_ARGUMENT, NULL,
        "edges of %g m would fill the surface with more than %d elements; edges of %.2g m "
        "or longer were expected",
        edge, MOST_ELEMENTS, longer);
}

static bool is_better(const sn_tetrahedra_fill_report *a, const sn_tetrahedra_fill_report *b)
{
    bool a_good = miss_of(a) <= GOOD, b_good = miss_of(b) <= GOOD;
    if (a_good != b_good) {
        return a_good;
    }
    return a_good ? a->pinches == 0 && b->pinches > 0 : miss_of(a) < miss_of(b);
}

// With ever finer lattices until the volume is right and, for some of them, nothing hangs together
// by edges alone. The best one is kept.
static sn_status fill_well(filling *f, double edge, sn_tetrahedra **best,
                           sn_tetrahedra_fill_report *report, sn_error *error)
{
    double spacing = edge;
    for (int i = 0; i <= FINER_LATTICES && is_affordable(f, spacing); ++i, spacing *= FINER) {
        sn_tetrahedra *body = NULL;
        sn_tetrahedra_fill_report found;
        sn_status status = fill_once(f, spacing, &body, &found, error);
        if (status != SN_OK) {
            return status;
        }
        if (body != NULL && (*best == NULL || is_better(&found, report))) {
            sn_tetrahedra_release(*best);
            *best = body;
            *report = found;
        } else {
            sn_tetrahedra_release(body);
        }
        if (*best != NULL && miss_of(report) <= GOOD &&
            (report->pinches == 0 || i >= FINER_FOR_PINCHES)) {
            break;
        }
    }
    if (*best == NULL) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, NULL,
            "the surface encloses nothing that edges of %g m can fill; a surface that is "
            "closed, or nearly, with triangles turned outward, or shorter edges were "
            "expected",
            edge);
    }
    if (miss_of(report) > USABLE) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, NULL,
            "the surface encloses %.3g m^3, of which edges of %g m fill %.3g: its walls are too "
            "thin for them; shorter edges were expected",
            report->surface_volume, report->edge, report->filled_volume);
    }
    return SN_OK;
}

// About the middle of the body's own mass, so that it stays where it is.
static void scale_volume(sn_tetrahedra *t, sn_tetrahedra_fill_report *report)
{
    sn_vec3 moment = SN_VEC3_ZERO;
    double volume = 0.0;
    for (int e = 0; e < t->element_count; ++e) {
        const int *v = t->elements + 4 * (size_t)e;
        double part = sn_tetrahedra_determinant(t, e);
        volume += part;
        for (int k = 0; k < 4; ++k) {
            moment = sn_vec3_add_scaled(moment, 0.25 * part, t->positions[v[k]]);
        }
    }
    sn_vec3 middle = sn_vec3_scale(1.0 / volume, moment);
    report->scale = sn_cbrt(report->surface_volume / report->filled_volume);
    for (int i = 0; i < t->vertex_count; ++i) {
        sn_vec3 arm = sn_vec3_sub(t->positions[i], middle);
        t->positions[i] = sn_vec3_add_scaled(middle, report->scale, arm);
    }
}

sn_status sn_stuffing_fill(const sn_mesh *surface, double edge, sn_tetrahedra **tetrahedra,
                           sn_tetrahedra_fill_report *report, sn_error *error)
{
    filling f = {.surface = surface, .bounds = sn_mesh_bounds(surface)};
    sn_vec3 size = sn_vec3_sub(f.bounds.upper, f.bounds.lower);
    double largest = fmax(size.x, fmax(size.y, size.z));
    sn_tetrahedra *body = NULL;
    if (sn_mesh_triangle_count(surface) == 0 || !(largest > 0.0)) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, NULL,
            "the surface has %d triangles and is %g m large; one that encloses something was "
            "expected",
            sn_mesh_triangle_count(surface), largest);
    }
    edge = edge > 0.0 ? edge : 0.1 * largest;
    if (!is_affordable(&f, edge)) {
        return refuse_edge(&f, edge, error);
    }
    sn_status status = examine_surface(&f, error);
    status = status == SN_OK ? sn_surface_tree_create(surface, &f.tree, error) : status;
    status = status == SN_OK ? fill_well(&f, edge, &body, report, error) : status;
    sn_surface_tree_destroy(f.tree);
    if (status != SN_OK) {
        sn_tetrahedra_release(body);
        return status;
    }
    scale_volume(body, report);
    *tetrahedra = body;
    return SN_OK;
}
