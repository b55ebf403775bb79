// The volume that shells have in common. Lines parallel to z go through the boxes that two shells
// share; along each the winding number of all shells is known from the triangles it crosses, and
// where it is above 1 the volume is counted more than once. Exact along the lines; across them the
// midpoint rule.
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/sum.h"

enum { LINES = 100 }; // along x, and along y

typedef struct crossing {
    int line;
    int turn; // 1: into a shell, upward; -1: out of it
    double z;
} crossing;

typedef struct overlap {
    const sn_mesh *mesh;
    sn_aabb region;
    SN_ARRAY(crossing) crossings;
} overlap;

// ---- where ----

static void find_boxes(const sn_mesh *mesh, const sn_mesh_report *report, sn_aabb *boxes)
{
    for (int s = 0; s < report->shell_count; ++s) {
        boxes[s] = (sn_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        sn_aabb *box = &boxes[report->shell_of_triangle[t]];
        for (int k = 0; k < 3; ++k) {
            sn_vec3 p = mesh->positions[mesh->triangles[3 * (size_t)t + (size_t)k]];
            box->lower = sn_vec3_min(box->lower, p);
            box->upper = sn_vec3_max(box->upper, p);
        }
    }
}

static int compare_boxes(const void *first, const void *second)
{
    const sn_aabb *a = first, *b = second;
    return a->lower.x < b->lower.x ? -1 : a->lower.x > b->lower.x;
}

// The box around all that two boxes share. Order does not matter to it.
static bool find_region(sn_aabb *boxes, int count, sn_aabb *region)
{
    bool found = false;
    qsort(boxes, (size_t)count, sizeof *boxes, compare_boxes);
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count && boxes[k].lower.x < boxes[i].upper.x; ++k) {
            sn_aabb both = {sn_vec3_max(boxes[i].lower, boxes[k].lower),
                            sn_vec3_min(boxes[i].upper, boxes[k].upper)};
            if (both.lower.x < both.upper.x && both.lower.y < both.upper.y &&
                both.lower.z < both.upper.z) {
                region->lower = found ? sn_vec3_min(region->lower, both.lower) : both.lower;
                region->upper = found ? sn_vec3_max(region->upper, both.upper) : both.upper;
                found = true;
            }
        }
    }
    return found;
}

// ---- along lines ----

// Where a line is between its neighbours' bounds. Off the middle and different for x and y, so that
// lines do not run through edges and diagonals of bodies made of round numbers.
static const double SHARE_X = 0.5137, SHARE_Y = 0.4891;

static double line_at(double lower, double upper, double share, int i)
{
    return lower + (upper - lower) * ((double)i + share) / LINES;
}

// The last line before x, or the first of all.
static int first_line(double lower, double upper, double share, double x)
{
    double i = floor((x - lower) / (upper - lower) * LINES - share);
    return i < 0.0 ? 0 : i > LINES ? LINES : (int)i;
}

static double side(sn_vec3 a, sn_vec3 b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static bool cross_line(overlap *o, const sn_vec3 p[3], int i, int j)
{
    double x = line_at(o->region.lower.x, o->region.upper.x, SHARE_X, i);
    double y = line_at(o->region.lower.y, o->region.upper.y, SHARE_Y, j);
    double w[3];
    for (int k = 0; k < 3; ++k) {
        w[k] = side(p[(k + 1) % 3], p[(k + 2) % 3], x, y);
    }
    bool left = w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0; // seen from above: faces up
    bool right = w[0] < 0.0 && w[1] < 0.0 && w[2] < 0.0;
    if (!left && !right) {
        return true;
    }
    double z = (w[0] * p[0].z + w[1] * p[1].z + w[2] * p[2].z) / (w[0] + w[1] + w[2]);
    return sn_array_push(&o->crossings, (crossing){j * LINES + i, left ? -1 : 1, z});
}

static bool cross_triangle(overlap *o, int t)
{
    const int *v = o->mesh->triangles + 3 * (size_t)t;
    sn_vec3 p[3], lower, upper;
    for (int k = 0; k < 3; ++k) {
        p[k] = o->mesh->positions[v[k]];
    }
    lower = sn_vec3_min(p[0], sn_vec3_min(p[1], p[2]));
    upper = sn_vec3_max(p[0], sn_vec3_max(p[1], p[2]));
    const sn_aabb *r = &o->region;
    int to_i = first_line(r->lower.x, r->upper.x, SHARE_X, upper.x) + 1;
    int to_j = first_line(r->lower.y, r->upper.y, SHARE_Y, upper.y) + 1;
    bool done = true;
    for (int j = first_line(r->lower.y, r->upper.y, SHARE_Y, lower.y);
         done && j <= to_j && j < LINES; ++j) {
        for (int i = first_line(r->lower.x, r->upper.x, SHARE_X, lower.x);
             done && i <= to_i && i < LINES; ++i) {
            done = cross_line(o, p, i, j);
        }
    }
    return done;
}

static int compare_crossings(const void *first, const void *second)
{
    const crossing *a = first, *b = second;
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->z != b->z) {
        return a->z < b->z ? -1 : 1;
    }
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

// The mean length per line that is counted twice. Lines that meet an edge and lose count are left
// out of the mean.
static double mean_length(overlap *o)
{
    sn_sum length = {0};
    int lines = LINES * LINES, end;
    qsort(o->crossings.data, (size_t)o->crossings.count, sizeof *o->crossings.data,
          compare_crossings);
    for (int first = 0; first < o->crossings.count; first = end) {
        double own = 0.0;
        int winding = 0;
        for (end = first; end < o->crossings.count &&
                          o->crossings.data[end].line == o->crossings.data[first].line;
             ++end) {
            if (end > first && winding > 1) {
                double step = o->crossings.data[end].z - o->crossings.data[end - 1].z;
                own += (double)(winding - 1) * step;
            }
            winding += o->crossings.data[end].turn;
        }
        if (winding == 0) {
            sn_sum_add(&length, own);
        } else {
            lines -= 1;
        }
    }
    return lines > 0 ? sn_sum_value(&length) / lines : 0.0;
}

static sn_status measure(overlap *o, double *volume, sn_error *error)
{
    bool done = true;
    for (int t = 0; done && t < o->mesh->triangle_count; ++t) {
        done = cross_triangle(o, t);
    }
    if (done) {
        sn_vec3 size = sn_vec3_sub(o->region.upper, o->region.lower);
        *volume = mean_length(o) * size.x * size.y;
    }
    sn_array_free(&o->crossings);
    return done ? SN_OK : sn_fail_memory(error, (size_t)o->mesh->triangle_count * sizeof(crossing));
}

sn_status sn_mesh_overlap(const sn_mesh *mesh, double *volume, sn_error *error)
{
    *volume = 0.0;
    sn_mesh_report report;
    sn_status status = sn_mesh_check(mesh, &report, error);
    if (status == SN_OK && report.shell_count > 1) {
        overlap o = {.mesh = mesh};
        sn_aabb *boxes = sn_allocate((size_t)report.shell_count * sizeof *boxes);
        if (boxes == NULL) {
            status = sn_fail_memory(error, (size_t)report.shell_count * sizeof *boxes);
        } else {
            find_boxes(mesh, &report, boxes);
            status = find_region(boxes, report.shell_count, &o.region) ? measure(&o, volume, error)
                                                                       : SN_OK;
            sn_free(boxes);
        }
    }
    sn_mesh_report_free(&report);
    return status;
}
