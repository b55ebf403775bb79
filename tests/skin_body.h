// Skins of simple bodies for tests, with positions of their own.
#ifndef SN_TESTS_SKIN_BODY_H
#define SN_TESTS_SKIN_BODY_H

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "collide/skin.h"

enum { SKIN_STRIDE = 4 };

typedef struct skin_body {
    sn_tetrahedra *mesh;
    sn_skin *skin;
    int count;     // of the body's vertices
    double *x, *y; // SKIN_STRIDE * count: start and end
} skin_body;

// Takes the mesh over.
static inline skin_body skin_body_make(sn_tetrahedra *mesh)
{
    skin_body body = {.mesh = mesh, .count = sn_tetrahedra_vertex_count(mesh)};
    sn_error error = {0};
    if (sn_skin_of_tetrahedra(mesh, SKIN_STRIDE, "test", &body.skin, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    size_t bytes = (size_t)body.count * SKIN_STRIDE * sizeof *body.x;
    body.x = sn_allocate_zero(bytes);
    body.y = sn_allocate_zero(bytes);
    for (int v = 0; v < body.count; ++v) {
        sn_vec3_put(body.x + SKIN_STRIDE * (size_t)v, sn_tetrahedra_positions(mesh)[v]);
    }
    memcpy(body.y, body.x, bytes);
    return body;
}

static inline skin_body skin_body_box(sn_vec3 size, int cells)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = size;
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    return skin_body_make(mesh);
}

static inline skin_body skin_body_ball(double radius, int rings)
{
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_sphere(radius, rings, &mesh, NULL), SN_OK);
    return skin_body_make(mesh);
}

static inline void skin_body_free(skin_body *body)
{
    sn_skin_destroy(body->skin);
    sn_tetrahedra_release(body->mesh);
    sn_free(body->x);
    sn_free(body->y);
}

// Both ends.
static inline void skin_body_move(skin_body *body, sn_vec3 by)
{
    for (int v = 0; v < body->count; ++v) {
        double *x = body->x + SKIN_STRIDE * (size_t)v;
        sn_vec3_put(x, sn_vec3_add(sn_vec3_at(x), by));
    }
    memcpy(body->y, body->x, (size_t)body->count * SKIN_STRIDE * sizeof *body->x);
}

// Shakes both ends, each vertex by up to `by` in every direction, the end after it moved by
// `travel`.
static inline void skin_body_shake(skin_body *body, sn_random *random, double by, sn_vec3 travel)
{
    for (int i = 0; i < SKIN_STRIDE * body->count; ++i) {
        if (i % SKIN_STRIDE < 3) {
            body->x[i] += sn_random_range(random, -by, by);
            body->y[i] =
                body->x[i] + sn_random_range(random, -by, by) + (&travel.x)[i % SKIN_STRIDE];
        }
    }
}

#endif
