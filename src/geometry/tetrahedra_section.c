#include "geometry/tetrahedra_section.h"

#include <limits.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/generate.h"
#include "geometry/tetrahedra_builder.h"

void sn_section_free(sn_section *section)
{
    sn_array_free(&section->points);
    sn_array_free(&section->triangles);
}

static void put_point(sn_section *section, sn_vec2 point)
{
    if (section->failed || !sn_array_push(&section->points, point)) {
        section->failed = true;
    }
}

static void put_triangle(sn_section *section, int a, int b, int c)
{
    if (section->failed || !sn_array_reserve(&section->triangles, section->triangles.count + 3)) {
        section->failed = true;
        return;
    }
    int *corner = section->triangles.data + section->triangles.count;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    section->triangles.count += 3;
}

static void put_circle(sn_section *section, double radius, int count)
{
    for (int j = 0; j < count; ++j) {
        sn_vec2 direction = sn_circle_point(j, count);
        put_point(section, (sn_vec2){radius * direction.x, radius * direction.y});
    }
}

// ---- sections ----

// Edges run outward, and counter-clockwise along the rings.
void sn_section_disc(sn_section *section, double radius, int rings, int spokes)
{
    put_point(section, (sn_vec2){0.0, 0.0});
    int inner = 0; // first point of the inner ring
    for (int k = 0; k < rings; ++k) {
        int outer = section->points.count, here = k * spokes, next = (k + 1) * spokes;
        put_circle(section, radius * (k + 1) / rings, next);
        for (int s = 0; s < spokes; ++s) {
            for (int j = 0; j <= k; ++j) {
                int a = k == 0 ? inner : inner + (s * k + j) % here;
                int c = outer + s * (k + 1) + j, d = outer + (s * (k + 1) + j + 1) % next;
                put_triangle(section, a, c, d);
                if (j < k) {
                    put_triangle(section, a, inner + (s * k + j + 1) % here, d);
                }
            }
        }
        inner = outer;
    }
}

void sn_section_annulus(sn_section *section, double inner_radius, double radius, int rings,
                        int segments)
{
    for (int k = 0; k <= rings; ++k) {
        double share = (double)k / rings;
        put_circle(section, inner_radius * (1.0 - share) + radius * share, segments);
    }
    for (int k = 0; k < rings; ++k) {
        for (int j = 0; j < segments; ++j) {
            int a = k * segments + j, b = k * segments + (j + 1) % segments;
            put_triangle(section, a, b, b + segments);
            put_triangle(section, a, a + segments, b + segments);
        }
    }
}

// ---- sweeps ----

static sn_status check_size(const sn_section *section, int layers, sn_error *error)
{
    double elements = 1.0 * section->triangles.count * layers;
    if (elements > INT_MAX / 16) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%g elements; at most %d were expected: use fewer rings, segments or layers",
                       elements, INT_MAX / 16);
    }
    return SN_OK;
}

static void put_layer(sn_tetrahedra_builder *builder, const sn_section *section, const int *lower,
                      const int *upper)
{
    for (int t = 0; t < section->triangles.count; t += 3) {
        const int *v = section->triangles.data + t;
        const int bottom[3] = {lower[v[0]], lower[v[1]], lower[v[2]]};
        const int top[3] = {upper[v[0]], upper[v[1]], upper[v[2]]};
        sn_tetrahedra_builder_prism(builder, bottom, top);
    }
}

// Vertices of both sides of a layer; NULL when the section or this failed.
static int *layer_numbers(const sn_section *section, sn_error *error, sn_status *status)
{
    size_t count = 3 * (size_t)section->points.count;
    int *numbers = section->failed ? NULL : sn_allocate(count * sizeof *numbers);
    *status = numbers == NULL ? sn_fail_memory(error, count * sizeof *numbers) : SN_OK;
    return numbers;
}

sn_status sn_section_raise(sn_section *section, double lower, double height, int layers,
                           sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status;
    int *numbers = layer_numbers(section, error, &status), count = section->points.count;
    status = status == SN_OK ? check_size(section, layers, error) : status;
    sn_tetrahedra_builder builder = {0};
    for (int k = 0; status == SN_OK && k <= layers; ++k) {
        int *below = numbers + (k + 1) % 2 * count, *here = numbers + k % 2 * count;
        for (int i = 0; i < count; ++i) {
            sn_vec2 p = section->points.data[i];
            here[i] = sn_tetrahedra_builder_vertex(
                &builder, (sn_vec3){p.x, p.y, lower + height * ((double)k / layers)});
        }
        if (k > 0) {
            put_layer(&builder, section, below, here);
        }
    }
    if (status == SN_OK) {
        status = sn_tetrahedra_builder_finish(&builder, tetrahedra, error);
    }
    sn_free(numbers);
    sn_section_free(section);
    return status;
}

sn_status sn_section_turn(sn_section *section, double distance, int segments,
                          sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status;
    int *numbers = layer_numbers(section, error, &status), count = section->points.count;
    status = status == SN_OK ? check_size(section, segments, error) : status;
    sn_tetrahedra_builder builder = {0};
    int *start = numbers != NULL ? numbers + 2 * (size_t)count : NULL;
    for (int k = 0; status == SN_OK && k <= segments; ++k) {
        int *behind = k == 1 ? start : numbers + (k + 1) % 2 * count;
        int *here = k % segments == 0 ? start : numbers + k % 2 * count;
        sn_vec2 direction = sn_circle_point(k % segments, segments);
        for (int i = 0; k < segments && i < count; ++i) {
            double r = distance + section->points.data[i].x;
            here[i] = k > 0 && r == 0.0 ? start[i]
                                        : sn_tetrahedra_builder_vertex(
                                              &builder, (sn_vec3){r * direction.x, r * direction.y,
                                                                  section->points.data[i].y});
        }
        if (k > 0) {
            put_layer(&builder, section, behind, here);
        }
    }
    if (status == SN_OK) {
        status = sn_tetrahedra_builder_finish(&builder, tetrahedra, error);
    }
    sn_free(numbers);
    sn_section_free(section);
    return status;
}
