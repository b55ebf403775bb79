#include "geometry/loop_fill.h"

#include "base/array.h"
#include "base/memory.h"
#include "geometry/mesh.h"

// The cubic method runs on loops of at most this many points.
enum { LEAST_AREA_LIMIT = 160 };

typedef struct filler {
    const sn_vec3 *points;
    sn_loop_chord_taken *taken;
    const void *context;
    int *triangles;
    int triangle_count;
    double taken_cost;    // m^2
    SN_ARRAY(int) loops;  // indices into points, one loop after the other
    SN_ARRAY(int) starts; // of the loops still to be filled
    double *cost;         // LEAST_AREA_LIMIT^2
    int *middle;          // LEAST_AREA_LIMIT^2
} filler;

static void add_triangle(filler *f, int a, int b, int c)
{
    int *v = f->triangles + 3 * (size_t)f->triangle_count++;
    v[0] = a;
    v[1] = b;
    v[2] = c;
}

// ---- flat loops ----

static double extent(const sn_vec3 *points, int count)
{
    sn_aabb box = {points[0], points[0]};
    for (int i = 1; i < count; ++i) {
        box.lower = sn_vec3_min(box.lower, points[i]);
        box.upper = sn_vec3_max(box.upper, points[i]);
    }
    return sn_distance(box.lower, box.upper);
}

// Within a hundredth of its size of the plane that Newell's normal gives.
static bool is_flat(const sn_vec3 *points, int count)
{
    sn_vec3 sum = SN_VEC3_ZERO, normal = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        sum = sn_vec3_add(sum, sn_vec3_sub(points[i], points[0]));
    }
    sn_vec3 middle = sn_vec3_add_scaled(points[0], 1.0 / count, sum);
    for (int i = 0; i < count; ++i) {
        sn_vec3 a = sn_vec3_sub(points[i], middle);
        sn_vec3 b = sn_vec3_sub(points[(i + 1) % count], middle);
        normal = sn_vec3_add(normal, sn_cross(a, b));
    }
    normal = sn_normalize(normal);
    double limit = 0.01 * extent(points, count);
    for (int i = 0; i < count; ++i) {
        if (fabs(sn_dot(normal, sn_vec3_sub(points[i], middle))) > limit) {
            return false;
        }
    }
    return true;
}

static bool has_area(const sn_vec3 *p, const int *v)
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 edge = sn_vec3_sub(p[v[(k + 1) % 3]], p[v[k]]);
        longest = fmax(longest, sn_dot(edge, edge));
    }
    return sn_length(sn_triangle_area_vector(p[v[0]], p[v[1]], p[v[2]])) > 1e-9 * longest;
}

// The triangulation in the plane, if there is one that uses every point. SN_ERROR_MEMORY: none is
// left; any other error: the loop is no simple polygon.
static sn_status fill_flat(filler *f, int count)
{
    int room = SN_TRIANGULATION_CAPACITY(count, 1), made = 0;
    int *triangles = sn_allocate(3 * (size_t)room * sizeof *triangles);
    if (triangles == NULL) {
        return SN_ERROR_MEMORY;
    }
    sn_status status = sn_triangulate_polygon(f->points, &count, 1, triangles, &made, NULL);
    if (status == SN_OK && made != count - 2) {
        status = SN_ERROR_GEOMETRY;
    }
    for (int t = 0; status == SN_OK && t < made; ++t) {
        const int *v = triangles + 3 * (size_t)t;
        bool taken = false;
        for (int k = 0; k < 3 && f->taken != NULL; ++k) {
            int i = v[k], j = v[(k + 1) % 3];
            bool chord = i - j != 1 && j - i != 1 && i - j != count - 1 && j - i != count - 1;
            taken = taken || (chord && f->taken(f->context, i, j));
        }
        status = taken || !has_area(f->points, v) ? SN_ERROR_GEOMETRY : SN_OK;
    }
    for (int t = 0; status == SN_OK && t < made; ++t) {
        add_triangle(f, triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
    }
    sn_free(triangles);
    return status;
}

// ---- least area ----

// Area, with a little for long edges so that of equal areas the rounder triangles win, and more
// for triangles without area.
static double triangle_cost(const filler *f, int a, int b, int c)
{
    const sn_vec3 *p = f->points;
    double area = 0.5 * sn_length(sn_triangle_area_vector(p[a], p[b], p[c]));
    double ab = sn_distance(p[a], p[b]), bc = sn_distance(p[b], p[c]), ca = sn_distance(p[c], p[a]);
    double squares = ab * ab + bc * bc + ca * ca;
    return area + 0.01 * squares + (area <= 1e-9 * squares ? squares : 0.0);
}

static bool chord_taken(const filler *f, int i, int j)
{
    return f->taken != NULL && f->taken(f->context, i, j);
}

// Triangles of points i .. j of the loop, from the table.
static void emit(filler *f, const int *loop, int count)
{
    int stack[LEAST_AREA_LIMIT][2], top = 0;
    stack[top][0] = 0;
    stack[top++][1] = count - 1;
    while (top > 0) {
        top -= 1;
        int i = stack[top][0], j = stack[top][1];
        if (j - i < 2) {
            continue;
        }
        int k = f->middle[i * LEAST_AREA_LIMIT + j];
        add_triangle(f, loop[i], loop[k], loop[j]);
        stack[top][0] = i;
        stack[top++][1] = k;
        stack[top][0] = k;
        stack[top++][1] = j;
    }
}

// cost(i, j): the least for points i .. j, closed by the chord i-j.
static void fill_least_area(filler *f, const int *loop, int count)
{
    for (int width = 1; width < count; ++width) {
        for (int i = 0; i + width < count; ++i) {
            int j = i + width;
            double best = width == 1 ? 0.0 : INFINITY;
            int middle = i + 1;
            for (int k = i + 1; k < j; ++k) {
                double sum = f->cost[i * LEAST_AREA_LIMIT + k] + f->cost[k * LEAST_AREA_LIMIT + j] +
                             triangle_cost(f, loop[i], loop[k], loop[j]);
                if (sum < best) {
                    best = sum;
                    middle = k;
                }
            }
            bool closes = width == 1 || width == count - 1;
            best += !closes && chord_taken(f, loop[i], loop[j]) ? f->taken_cost : 0.0;
            f->cost[i * LEAST_AREA_LIMIT + j] = best;
            f->middle[i * LEAST_AREA_LIMIT + j] = middle;
        }
    }
    emit(f, loop, count);
}

// ---- large loops ----

// Divides the last loop of the list along the shortest of some thousand chords that leave at least
// a quarter on each side.
static bool divide(filler *f, int start, int count)
{
    int stride = 1 + count / 512, from = 0, to = count / 2;
    double best = INFINITY;
    for (int i = 0; i < count; i += stride) {
        for (int j = i + count / 4; j <= i + count - count / 4 && j < count; j += stride) {
            int a = f->loops.data[start + i], b = f->loops.data[start + j];
            double length = sn_distance(f->points[a], f->points[b]);
            if (length < best && !chord_taken(f, a, b)) {
                best = length;
                from = i;
                to = j;
            }
        }
    }
    // The second part follows the first, which closes up in place.
    int first = to - from + 1, second = count - first + 2;
    if (!sn_array_reserve(&f->loops, start + count + second) ||
        !sn_array_reserve(&f->starts, f->starts.count + 2)) {
        return false;
    }
    int *loop = f->loops.data + start, *spare = loop + count;
    for (int i = 0; i < second; ++i) {
        spare[i] = loop[(to + i) % count];
    }
    for (int i = 0; i < first; ++i) {
        loop[i] = loop[from + i];
    }
    for (int i = 0; i < second; ++i) {
        loop[first + i] = spare[i];
    }
    f->loops.count = start + first + second;
    f->starts.data[f->starts.count++] = start;
    f->starts.data[f->starts.count++] = start + first;
    return true;
}

static bool fill_curved(filler *f, int count)
{
    size_t cells = (size_t)LEAST_AREA_LIMIT * LEAST_AREA_LIMIT;
    f->cost = sn_allocate(cells * sizeof *f->cost);
    f->middle = sn_allocate(cells * sizeof *f->middle);
    bool done = f->cost != NULL && f->middle != NULL && sn_array_resize(&f->loops, count) &&
                sn_array_push(&f->starts, 0);
    for (int i = 0; done && i < count; ++i) {
        f->loops.data[i] = i;
    }
    while (done && f->starts.count > 0) {
        int start = f->starts.data[--f->starts.count], size = f->loops.count - start;
        if (size > LEAST_AREA_LIMIT) {
            done = divide(f, start, size);
        } else {
            fill_least_area(f, f->loops.data + start, size);
            f->loops.count = start;
        }
    }
    sn_free(f->cost);
    sn_free(f->middle);
    sn_array_free(&f->loops);
    sn_array_free(&f->starts);
    return done;
}

bool sn_loop_fill(const sn_vec3 *points, int count, sn_loop_chord_taken *taken, const void *context,
                  int *triangles)
{
    filler f = {.points = points, .taken = taken, .context = context, .triangles = triangles};
    if (count == 3) {
        add_triangle(&f, 0, 1, 2);
        return true;
    }
    double size = extent(points, count);
    f.taken_cost = 100.0 * (double)count * size * size;
    if (is_flat(points, count)) {
        sn_status status = fill_flat(&f, count);
        if (status == SN_OK || status == SN_ERROR_MEMORY) {
            return status == SN_OK;
        }
    }
    return fill_curved(&f, count);
}
