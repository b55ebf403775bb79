// Surfaces to be filled: clean ones, and such as files have.
#ifndef SN_TESTS_FILL_SURFACE_H
#define SN_TESTS_FILL_SURFACE_H

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "math/elementary.h"
#include "sinew/geometry.h"

typedef enum fill_surface_kind {
    FILL_SPHERE,
    FILL_TORUS,
    FILL_COMB,       // walls and gaps of a tenth of its size
    FILL_OPEN_SHELL, // a ball with a hole
    FILL_HOLLOW,     // a ball with a hollow, walls of a tenth of its size
    FILL_CROSSING,   // two balls in each other
    FILL_SOUP,       // 100,000 triangles without common corners, shaken, one in a hundred missing
    FILL_INSIDE_OUT, // a torus
    FILL_SURFACE_COUNT
} fill_surface_kind;

static const char *const fill_surface_names[FILL_SURFACE_COUNT] = {
    "sphere", "torus", "comb", "open shell", "hollow", "crossing", "soup", "inside out"};

static inline sn_mesh *join_surfaces(sn_mesh *a, sn_mesh *b)
{
    sn_mesh *joined = NULL;
    const sn_mesh *both[2] = {a, b};
    sn_mesh_join(both, 2, &joined, NULL);
    sn_mesh_release(a);
    sn_mesh_release(b);
    return joined;
}

static inline sn_mesh *place_surface(sn_mesh *mesh, sn_vec3 scale, sn_vec3 position)
{
    sn_mesh *placed = NULL;
    sn_transform place = SN_TRANSFORM_IDENTITY;
    place.position = position;
    sn_mesh_transformed(mesh, scale, place, &placed, NULL);
    sn_mesh_release(mesh);
    return placed;
}

static inline sn_mesh *ball_surface(double radius, int segments, sn_vec3 position)
{
    sn_mesh *mesh = NULL;
    sn_mesh_sphere(radius, segments, &mesh, NULL);
    return place_surface(mesh, sn_vec3_make(1, 1, 1), position);
}

// Five teeth of 0.1 on a back of 0.1: 0.9 long, 0.8 high, 0.7 deep.
static inline sn_mesh *comb_surface(void)
{
    sn_vec2 outline[22];
    int count = 0;
    outline[count++] = (sn_vec2){0.0, 0.0};
    outline[count++] = (sn_vec2){0.9, 0.0};
    for (int tooth = 4; tooth >= 0; --tooth) {
        double x = 0.2 * tooth;
        outline[count++] = (sn_vec2){x + 0.1, 0.8};
        outline[count++] = (sn_vec2){x, 0.8};
        if (tooth > 0) {
            outline[count++] = (sn_vec2){x, 0.1};
            outline[count++] = (sn_vec2){x - 0.1, 0.1};
        }
    }
    sn_mesh *mesh = NULL;
    sn_mesh_extrusion(&(sn_outline){outline, &count, 1}, 0.7, &mesh, NULL);
    return mesh;
}

static inline sn_mesh *turned_over(sn_mesh *mesh)
{
    int count = sn_mesh_triangle_count(mesh);
    const int *v = sn_mesh_triangles(mesh);
    int *turned = malloc(3 * (size_t)count * sizeof *turned);
    for (int t = 0; t < count; ++t, v += 3) {
        turned[3 * t] = v[0];
        turned[3 * t + 1] = v[2];
        turned[3 * t + 2] = v[1];
    }
    sn_mesh *other = NULL;
    sn_mesh_create(sn_mesh_positions(mesh), sn_mesh_vertex_count(mesh), turned, count, &other,
                   NULL);
    free(turned);
    sn_mesh_release(mesh);
    return other;
}

// Without the triangles above a height: a hole.
static inline sn_mesh *without_cap(sn_mesh *mesh, double above)
{
    int count = sn_mesh_triangle_count(mesh), kept = 0;
    const int *v = sn_mesh_triangles(mesh);
    const sn_vec3 *x = sn_mesh_positions(mesh);
    int *rest = malloc(3 * (size_t)count * sizeof *rest);
    for (int t = 0; t < count; ++t, v += 3) {
        if ((x[v[0]].z + x[v[1]].z + x[v[2]].z) / 3.0 < above) {
            for (int k = 0; k < 3; ++k) {
                rest[3 * kept + k] = v[k];
            }
            ++kept;
        }
    }
    sn_mesh *open = NULL;
    sn_mesh_create(x, sn_mesh_vertex_count(mesh), rest, kept, &open, NULL);
    free(rest);
    sn_mesh_release(mesh);
    return open;
}

// Every triangle for itself, with corners moved by up to `shake` and one of `missing` left out.
static inline sn_mesh *soup_of(sn_mesh *mesh, double shake, int missing, uint64_t seed)
{
    int count = sn_mesh_triangle_count(mesh), kept = 0;
    const int *v = sn_mesh_triangles(mesh);
    sn_vec3 *x = malloc(3 * (size_t)count * sizeof *x);
    int *triangles = malloc(3 * (size_t)count * sizeof *triangles);
    sn_random random = {seed, 1, 0};
    for (int t = 0; t < count; ++t, v += 3) {
        if (missing > 0 && sn_random_below(&random, missing) == 0) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            sn_vec3 p = sn_mesh_positions(mesh)[v[k]];
            p.x += sn_random_range(&random, -shake, shake);
            p.y += sn_random_range(&random, -shake, shake);
            p.z += sn_random_range(&random, -shake, shake);
            x[3 * kept + k] = p;
            triangles[3 * kept + k] = 3 * kept + k;
        }
        ++kept;
    }
    sn_mesh *soup = NULL;
    sn_mesh_create(x, 3 * kept, triangles, kept, &soup, NULL);
    free(x);
    free(triangles);
    sn_mesh_release(mesh);
    return soup;
}

// A ball of radius 0.5 with waves of random direction on it.
static inline sn_mesh *bumpy_surface(int segments, double height, uint64_t seed)
{
    sn_mesh *ball = ball_surface(0.5, segments, SN_VEC3_ZERO), *bumpy = NULL;
    int count = sn_mesh_vertex_count(ball);
    sn_vec3 *x = malloc((size_t)count * sizeof *x), waves[6];
    sn_random random = {seed, 2, 0};
    for (int k = 0; k < 6; ++k) { // one after the other: compilers order arguments as they like
        waves[k].x = sn_random_range(&random, -14, 14);
        waves[k].y = sn_random_range(&random, -14, 14);
        waves[k].z = sn_random_range(&random, -14, 14);
    }
    for (int i = 0; i < count; ++i) {
        sn_vec3 p = sn_mesh_positions(ball)[i];
        double factor = 1.0;
        for (int k = 0; k < 6; ++k) {
            factor += height * sn_sin(sn_dot(waves[k], p) + k);
        }
        x[i] = sn_vec3_scale(factor, p);
    }
    sn_mesh_create(x, count, sn_mesh_triangles(ball), sn_mesh_triangle_count(ball), &bumpy, NULL);
    sn_mesh_release(ball);
    free(x);
    return bumpy;
}

static inline sn_mesh *fill_surface(fill_surface_kind kind)
{
    sn_mesh *mesh = NULL;
    switch (kind) {
    case FILL_SPHERE:
        return ball_surface(0.5, 48, SN_VEC3_ZERO);
    case FILL_TORUS:
        sn_mesh_torus(0.36, 0.14, 48, &mesh, NULL);
        return mesh;
    case FILL_COMB:
        return comb_surface();
    case FILL_OPEN_SHELL:
        return without_cap(ball_surface(0.5, 48, SN_VEC3_ZERO), 0.45);
    case FILL_HOLLOW:
        return join_surfaces(ball_surface(0.5, 48, SN_VEC3_ZERO),
                             turned_over(ball_surface(0.4, 48, SN_VEC3_ZERO)));
    case FILL_CROSSING:
        return join_surfaces(ball_surface(0.3, 40, sn_vec3_make(-0.2, 0.0, 0.0)),
                             ball_surface(0.3, 40, sn_vec3_make(0.2, 0.05, 0.0)));
    case FILL_SOUP:
        return soup_of(bumpy_surface(318, 0.03, 7), 0.0005, 100, 3);
    default:
        sn_mesh_torus(0.36, 0.14, 48, &mesh, NULL);
        return turned_over(mesh);
    }
}

#endif
