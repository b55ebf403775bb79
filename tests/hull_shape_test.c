// Hulls for collision: faces of coplanar triangles, neighbours, supports, refusals, memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "collide/hull_shape.h"
#include "math/elementary.h"

// Every half edge has its twin, every face has a normal, and Euler's formula holds.
static void check_edges(const sn_hull *hull)
{
    assert_int_equal(hull->corner_count - hull->edge_count / 2 + hull->face_count, 2);
    for (int e = 0; e < hull->edge_count; ++e) {
        const sn_hull_edge *edge = &hull->edges[e], *twin = &hull->edges[edge->twin];
        const sn_hull_face *face = &hull->faces[edge->face];
        int next = e + 1 < face->first + face->count ? e + 1 : face->first;
        assert_int_equal(twin->twin, e);
        assert_true(e >= face->first && e < face->first + face->count);
        assert_int_equal(hull->edges[next].corner, twin->corner);
        assert_true(twin->face != edge->face);
    }
    for (int f = 0; f < hull->face_count; ++f) {
        assert_true(hull->faces[f].count >= 3);
        assert_true(fabs(sn_length(hull->faces[f].normal) - 1.0) < 1e-12);
    }
    for (int i = 0; i < hull->corner_count; ++i) {
        assert_int_equal(hull->edges[hull->first_edge[i]].corner, i);
    }
    assert_true(hull->corner_count >= 4);
    assert_true(hull->inner > 0.0);
}

// Every face is flat, too, and looks outward, and every corner is below all faces.
static void check_hull(const sn_hull *hull)
{
    double size = sn_distance(hull->bounds.lower, hull->bounds.upper);
    check_edges(hull);
    for (int f = 0; f < hull->face_count; ++f) {
        const sn_hull_face *face = &hull->faces[f];
        for (int k = 0; k < face->count; ++k) {
            sn_vec3 p = hull->corners[hull->edges[face->first + k].corner];
            assert_true(sn_dot(face->normal, p) > face->offset - 1e-6 * size);
        }
        for (int i = 0; i < hull->corner_count; ++i) {
            assert_true(sn_dot(face->normal, hull->corners[i]) < face->offset + 1e-6 * size);
        }
    }
}

static sn_hull *from_mesh(sn_mesh *mesh)
{
    sn_hull *hull = NULL;
    sn_error error = {0};
    if (sn_hull_from_mesh(mesh, &hull, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mesh_release(mesh);
    check_hull(hull);
    return hull;
}

static void test_faces(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(1.0, 2.0, 3.0), &mesh, NULL), SN_OK);
    sn_hull *hull = from_mesh(mesh);
    assert_int_equal(hull->corner_count, 8);
    assert_int_equal(hull->face_count, 6);
    assert_int_equal(hull->edge_count, 24);
    assert_true(fabs(hull->inner - 0.5) < 1e-15);
    sn_hull_release(hull);
    assert_int_equal(sn_mesh_cylinder(0.5, 1.0, 48, &mesh, NULL), SN_OK);
    hull = from_mesh(mesh);
    assert_int_equal(hull->corner_count, 96);
    assert_int_equal(hull->face_count, 50);
    sn_hull_release(hull);
    // A fine sphere keeps its faces: no plane is carried from triangle to triangle.
    assert_int_equal(sn_mesh_sphere(1.0, 64, &mesh, NULL), SN_OK);
    hull = from_mesh(mesh);
    assert_true(hull->face_count > 64 * 30);
    sn_hull_release(hull);
}

// A box turned and stored in single precision, as files have them: still six faces.
static void test_single_precision(void **state)
{
    (void)state;
    sn_random r = {.seed = 2};
    for (int round = 0; round < 50; ++round) {
        sn_quat q = {sn_random_unit(&r), sn_random_unit(&r), sn_random_unit(&r),
                     sn_random_unit(&r)};
        q = sn_quat_normalize(q);
        sn_mesh *mesh = NULL;
        assert_int_equal(sn_mesh_box(sn_vec3_make(1.0, 1.3, 0.7), &mesh, NULL), SN_OK);
        sn_vec3 points[8];
        for (int i = 0; i < 8; ++i) {
            sn_vec3 p = sn_rotate(q, sn_mesh_positions(mesh)[i]);
            points[i] = sn_vec3_make((float)p.x, (float)p.y, (float)p.z);
        }
        sn_mesh *rough = NULL;
        assert_int_equal(sn_mesh_create(points, 8, sn_mesh_triangles(mesh), 12, &rough, NULL),
                         SN_OK);
        sn_mesh_release(mesh);
        sn_hull *hull = from_mesh(rough);
        assert_int_equal(hull->face_count, 6);
        sn_hull_release(hull);
    }
}

// Points in boxes that are thinner and thinner in one direction or two: a hull with opposite faces
// apart, or an error, never a hull that is not one.
static void test_thin(void **state)
{
    (void)state;
    sn_random r = {.seed = 11};
    int made = 0;
    for (int round = 0; round < 2000; ++round) {
        sn_vec3 points[24];
        int count = 4 + (int)(20.0 * sn_random_unit(&r));
        double thin = sn_exp(-34.0 * sn_random_unit(&r)), second = round % 2 == 0 ? 1.0 : thin;
        sn_quat q = {sn_random_unit(&r), sn_random_unit(&r), sn_random_unit(&r),
                     sn_random_unit(&r)};
        bool box = round % 3 == 0;
        count = box ? 8 : count;
        for (int i = 0; i < count; ++i) {
            sn_vec3 p = {sn_random_unit(&r), sn_random_unit(&r), sn_random_unit(&r)};
            p = box ? sn_vec3_make(i & 1, i >> 1 & 1, i >> 2 & 1) : p;
            p = sn_vec3_make(p.x, second * p.y, thin * p.z);
            points[i] = round % 5 == 0 ? p : sn_rotate(sn_quat_normalize(q), p);
        }
        sn_hull *hull = NULL;
        sn_error error = {0};
        sn_status status = sn_hull_from_points(points, count, &hull, &error);
        if (status == SN_OK) {
            // Below that, roundings of the corners turn narrow faces by more than a check can ask.
            (thin > 1e-6 ? check_hull : check_edges)(hull);
            made += 1;
        } else {
            assert_int_equal(status, SN_ERROR_GEOMETRY);
            assert_true(strlen(sn_error_message(&error)) > 0);
        }
        sn_hull_release(hull);
    }
    assert_true(made > 1000);
}

static void test_refusals(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_mesh *mesh = NULL;
    sn_hull *hull = NULL;
    sn_vec2 corner[] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    sn_outline outline = {.points = corner, .loop_sizes = (int[]){6}, .loop_count = 1};
    assert_int_equal(sn_mesh_extrusion(&outline, 1.0, &mesh, &error), SN_OK);
    assert_int_equal(sn_hull_from_mesh(mesh, &hull, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(sn_error_message(&error), "bent inward at the edge of vertices"));
    assert_null(hull);
    sn_mesh_release(mesh);
    assert_int_equal(sn_mesh_torus(1.0, 0.3, 16, &mesh, &error), SN_OK);
    assert_int_equal(sn_hull_from_mesh(mesh, &hull, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(sn_error_message(&error), "handle"));
    sn_mesh_release(mesh);
    sn_vec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int triangle[] = {0, 1, 2};
    assert_int_equal(sn_mesh_create(flat, 3, triangle, 1, &mesh, &error), SN_OK);
    assert_int_equal(sn_hull_from_mesh(mesh, &hull, &error), SN_ERROR_GEOMETRY); // open
    sn_mesh_release(mesh);
}

// By climbing and by asking all, against all.
static void test_support(void **state)
{
    (void)state;
    sn_random r = {.seed = 4};
    for (int size = 4; size <= 1000; size *= 3) {
        sn_vec3 points[1000];
        for (int i = 0; i < size; ++i) {
            sn_vec3 v = {sn_random_range(&r, -1, 1), sn_random_range(&r, -1, 1),
                         sn_random_range(&r, -1, 1)};
            points[i] = sn_vec3_multiply(sn_normalize(v), sn_vec3_make(1.0, 2.0, 0.1));
        }
        sn_hull *hull = NULL;
        assert_int_equal(sn_hull_from_points(points, size, &hull, NULL), SN_OK);
        check_hull(hull);
        for (int k = 0; k < 1000; ++k) {
            sn_vec3 d = {sn_random_range(&r, -1, 1), sn_random_range(&r, -1, 1),
                         sn_random_range(&r, -1, 1)};
            double most = -INFINITY;
            for (int i = 0; i < size; ++i) {
                most = fmax(most, sn_dot(d, points[i]));
            }
            int found = sn_hull_support(hull, d);
            assert_true(sn_dot(d, hull->corners[found]) > most - 1e-6);
            int face = sn_hull_face_at(hull, found, d);
            for (int e = 0; e < hull->edge_count; ++e) {
                if (hull->edges[e].corner == found) {
                    assert_true(sn_dot(hull->faces[hull->edges[e].face].normal, d) <=
                                sn_dot(hull->faces[face].normal, d));
                }
            }
        }
        sn_hull_release(hull);
    }
}

static void test_colliders_of_shapes(void **state)
{
    (void)state;
    sn_shape shape = sn_default_shape();
    sn_collider c;
    shape.type = SN_SHAPE_BOX;
    shape.size = sn_vec3_make(1.0, 2.0, 3.0);
    shape.rounding = 0.1;
    assert_int_equal(sn_collider_make(&shape, &c, NULL), SN_OK);
    assert_int_equal(c.type, SN_COLLIDER_BOX);
    assert_true(fabs(c.bounds.upper.y - 1.0) < 1e-15 && fabs(c.half.y - 0.9) < 1e-15);
    assert_true(fabs(c.inner - 0.5) < 1e-15 && fabs(c.size - 1.0) < 1e-15);
    sn_collider_free(&c);
    shape.type = SN_SHAPE_MESH;
    assert_int_equal(sn_mesh_cone(0.5, 1.0, 24, &shape.mesh, NULL), SN_OK);
    assert_int_equal(sn_collider_make(&shape, &c, NULL), SN_OK);
    assert_int_equal(c.type, SN_COLLIDER_HULL); // it is convex
    sn_collider_free(&c);
    shape.type = SN_SHAPE_HULL;
    assert_int_equal(sn_collider_make(&shape, &c, NULL), SN_OK);
    assert_int_equal(c.type, SN_COLLIDER_HULL);
    assert_true(c.rounding == 0.1);
    sn_collider_free(&c);
    sn_mesh_release(shape.mesh);
    shape.type = SN_SHAPE_TORUS;
    shape.radius = 1.0;
    shape.tube_radius = 0.2;
    assert_int_equal(sn_collider_make(&shape, &c, NULL), SN_OK);
    assert_int_equal(c.type, SN_COLLIDER_MESH);
    sn_collider_free(&c);
}

// Bounds touch what they hold on all six sides, whatever the rotation.
static void test_bounds(void **state)
{
    (void)state;
    sn_random r = {.seed = 6};
    sn_collider kinds[] = {sn_collider_sphere(0.3), sn_collider_capsule(0.2, 0.5),
                           sn_collider_cylinder(0.4, 0.7), sn_collider_cone(0.4, 0.7),
                           sn_collider_box(sn_vec3_make(0.2, 0.5, 0.8), 0.1)};
    for (int round = 0; round < 500; ++round) {
        const sn_collider *c = &kinds[round % 5];
        sn_quat q = {sn_random_range(&r, -1, 1), sn_random_range(&r, -1, 1),
                     sn_random_range(&r, -1, 1), sn_random_range(&r, -1, 1)};
        sn_transform place = {{sn_random_unit(&r), 2.0, -1.0}, sn_quat_normalize(q)};
        sn_aabb box = sn_collider_bounds(c, &place);
        double reach[2][3] = {{box.upper.x, box.upper.y, box.upper.z},
                              {-box.lower.x, -box.lower.y, -box.lower.z}};
        for (int k = 0; k < 6; ++k) {
            double axis[3] = {0.0, 0.0, 0.0};
            axis[k % 3] = k < 3 ? 1.0 : -1.0;
            int corner;
            sn_vec3 n = sn_vec3_at(axis);
            sn_vec3 p = sn_collider_support(c, sn_rotate_inverse(place.rotation, n), &corner);
            double most = sn_dot(n, sn_transform_point(place, p)) + c->rounding;
            assert_true(fabs(most - reach[k / 3][k % 3]) < 1e-12);
            // No point is farther from a centre than its reach.
            sn_vec3 centre = {0.1, -0.2, 0.3};
            assert_true(sn_distance(p, centre) + c->rounding <=
                        sn_collider_reach(c, centre) + 1e-12);
        }
    }
    sn_aabb ground = sn_collider_bounds(&(sn_collider){.type = SN_COLLIDER_PLANE},
                                        &(sn_transform){{1, 2, 3}, {1, 0, 0, 0}});
    assert_true(ground.upper.z == 3.0 && ground.lower.z == -INFINITY && ground.upper.x == INFINITY);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_cylinder(0.5, 1.0, 12, &mesh, NULL), SN_OK);
    for (int allowed = 0;; ++allowed) {
        sn_hull *hull = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(allowed);
        sn_status status = sn_hull_from_mesh(mesh, &hull, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(allowed > 5);
            sn_hull_release(hull);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(hull);
    }
    sn_mesh_release(mesh);
}

// A plank across the corner of its bounds, whose middle is outside of it: a ball is inside all the
// same, about the centre of its volume.
static void test_inside(void **state)
{
    (void)state;
    const sn_vec3 corners[4] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
    sn_hull *hull = NULL;
    assert_int_equal(sn_hull_from_points(corners, 4, &hull, NULL), SN_OK);
    check_hull(hull);
    assert_true(sn_distance(hull->heart, (sn_vec3){0.25, 0.25, 0.25}) < 1e-12);
    assert_true(fabs(hull->inner - 0.25 / sqrt(3.0)) < 1e-12);
    sn_hull_release(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces),         cmocka_unit_test(test_single_precision),
        cmocka_unit_test(test_inside),        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_support),
        cmocka_unit_test(test_bounds),        cmocka_unit_test(test_colliders_of_shapes),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
