// Skins and rigid shapes: closed forms, every vertex' distance, shapes on seams and through faces,
// how far both may go, memory that runs out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collide/mesh_tree.h"
#include "collide/skin_shape.h"
#include "collide/skin_shape_step.h"
#include "random_shape.h"
#include "skin_body.h"

static sn_transform at(double x, double y, double z)
{
    return (sn_transform){{x, y, z}, SN_QUAT_IDENTITY};
}

static void find(sn_skin_shape_contacts *contacts, const skin_body *body, const sn_collider *shape,
                 sn_transform place, double distance)
{
    assert_int_equal(sn_skin_shape_find(contacts, body->skin, shape, &place, distance, NULL),
                     SN_OK);
    for (int i = 0; i < contacts->found.count; ++i) {
        const sn_skin_shape_contact *c = &contacts->found.data[i];
        sn_vec3 sum = SN_VEC3_ZERO;
        double weight = 0.0;
        for (int k = 0; k < c->count; ++k) {
            assert_true(c->weights[k] > 0.0);
            weight += c->weights[k];
            sn_vec3 x = sn_vec3_at(body->x + SKIN_STRIDE * (size_t)c->vertices[k]);
            sum = sn_vec3_add_scaled(sum, c->weights[k], x);
        }
        assert_true(fabs(weight - 1.0) < 1e-12 && sn_distance(sum, c->on_skin) < 1e-12);
        assert_true(fabs(sn_length(c->normal) - 1.0) < 1e-9 && c->gap <= distance);
        double gap = sn_dot(sn_vec3_sub(c->on_skin, c->on_shape), c->normal);
        assert_true(fabs(gap - c->gap) < 1e-9);
    }
}

static int count_of(const sn_skin_shape_contacts *contacts, int count)
{
    int found = 0;
    for (int i = 0; i < contacts->found.count; ++i) {
        found += contacts->found.data[i].count == count;
    }
    return found;
}

static void test_closed_forms(void **state)
{
    (void)state;
    skin_body box = skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 1); // top at 0.5: two faces
    sn_skin_place(box.skin, box.x, NULL, 0.0);
    sn_skin_shape_contacts contacts = {0};
    sn_collider ball = sn_collider_sphere(0.1);
    // Over the inside of a face, over the seam between two, and pressed in.
    const double places[4][3] = {
        {0.2, 0.05, 0.61}, {0.1, 0.1, 0.61}, {0.2, 0.05, 0.58}, {0.2, 0.05, 0.45}};
    for (int i = 0; i < 4; ++i) {
        find(&contacts, &box, &ball, (sn_transform){sn_vec3_at(places[i]), SN_QUAT_IDENTITY}, 0.02);
        assert_int_equal(contacts.found.count, 1);
        const sn_skin_shape_contact *c = &contacts.found.data[0];
        assert_true(fabs(c->gap - (places[i][2] - 0.6)) < 1e-9);
        assert_true(fabs(c->normal.z + 1.0) < 1e-9);
        assert_true(fabs(c->on_skin.x - places[i][0]) < 1e-7 &&
                    fabs(c->on_skin.y - places[i][1]) < 1e-7 && fabs(c->on_skin.z - 0.5) < 1e-9);
    }
    // At an edge of the cube, beside its corner: along the diagonals.
    find(&contacts, &box, &ball, at(0.1, 0.5 + 0.08, 0.5 + 0.08), 0.02);
    assert_int_equal(contacts.found.count, 1);
    assert_int_equal(contacts.found.data[0].count, 2);
    assert_true(fabs(contacts.found.data[0].gap - (0.08 * sqrt(2.0) - 0.1)) < 1e-9);
    find(&contacts, &box, &ball, at(0.56, 0.56, 0.56), 0.02);
    assert_int_equal(contacts.found.count, 1);
    assert_int_equal(contacts.found.data[0].count, 1);
    assert_true(fabs(contacts.found.data[0].gap - (0.06 * sqrt(3.0) - 0.1)) < 1e-9);
    // A small box lies on top: its four corners, wherever the seam is; no vertex of the skin.
    sn_collider block = sn_collider_box(sn_vec3_make(0.1, 0.1, 0.1), 0.0);
    find(&contacts, &box, &block, at(0.2, -0.15, 0.605), 0.02);
    assert_true(contacts.found.count >= 4 && count_of(&contacts, 1) == 0);
    for (int i = 0; i < contacts.found.count; ++i) {
        assert_true(fabs(contacts.found.data[i].gap - 0.005) < 1e-9);
    }
    // A large one below: the cube's four corners.
    sn_collider table = sn_collider_box(sn_vec3_make(2.0, 2.0, 0.1), 0.0),
                plane = sn_collider_plane();
    find(&contacts, &box, &table, at(0.0, 0.0, -0.605), 0.02);
    assert_int_equal(count_of(&contacts, 1), 4);
    assert_int_equal(count_of(&contacts, 3), 0);
    find(&contacts, &box, &plane, at(0.0, 0.0, -0.49), 0.02);
    assert_int_equal(contacts.found.count, 4);
    assert_true(fabs(contacts.found.data[0].gap + 0.01) < 1e-12);
    find(&contacts, &box, &plane, at(0.0, 0.0, -0.6), 0.02);
    assert_int_equal(contacts.found.count, 0);
    sn_skin_shape_contacts_free(&contacts);
    skin_body_free(&box);
}

// The tip of a pointed mesh, which is no vertex of the skin, below a coarse face: one contact, in
// the face, whether it is a little apart or pressed in.
static void test_pointed_mesh(void **state)
{
    (void)state;
    skin_body box = skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 1); // bottom at -0.5: two faces
    sn_skin_place(box.skin, box.x, NULL, 0.0);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_cone(0.2, 0.4, 8, &mesh, NULL), SN_OK);
    sn_mesh_tree *tree = NULL;
    assert_int_equal(sn_mesh_tree_create(mesh, &tree, NULL), SN_OK);
    sn_collider cone = sn_mesh_tree_collider(tree);
    sn_aabb bounds = cone.bounds;
    sn_skin_shape_contacts contacts = {0};
    for (int pressed = 0; pressed < 2; ++pressed) {
        double gap = pressed ? -0.01 : 0.01;
        find(&contacts, &box, &cone, at(0.2, 0.05, -0.5 - bounds.upper.z - gap), 0.02);
        assert_int_equal(contacts.found.count, 1);
        const sn_skin_shape_contact *c = &contacts.found.data[0];
        assert_true(c->count == 3 && fabs(c->gap - gap) < 1e-6);
        assert_true(c->normal.z > 1.0 - 1e-6 && fabs(c->on_skin.x - 0.2) < 1e-6);
    }
    sn_skin_shape_contacts_free(&contacts);
    sn_mesh_tree_release(tree);
    sn_mesh_release(mesh);
    skin_body_free(&box);
}

// The place of a shape so that it comes near a ball of radius 0.5 about the origin.
static sn_transform random_place(sn_random *random, random_kind kind, double from, double to)
{
    if (kind >= RANDOM_MOVING_KINDS) {
        return at(0.0, 0.0, -0.5 - sn_random_range(random, from, to) + 0.3);
    }
    double far = 0.5 + sn_random_range(random, from, to);
    return (sn_transform){sn_vec3_scale(far, random_direction(random)), random_turn(random)};
}

// Vertices have their distances, of every kind of shape: those of a small ball, less its radius.
static void test_vertices(void **state)
{
    (void)state;
    sn_random random = {.seed = 31};
    int met = 0;
    for (int run = 0; run < 6 * RANDOM_KINDS; ++run) {
        random_kind kind = (random_kind)(run % RANDOM_KINDS);
        sn_shape shape = random_shape(&random, kind, sn_vec3_make(0.5, 0.6, 0.7));
        sn_collider collider;
        assert_int_equal(sn_collider_make(&shape, &collider, NULL), SN_OK);
        skin_body body = skin_body_ball(0.5, 2);
        skin_body_shake(&body, &random, 0.02, SN_VEC3_ZERO);
        sn_skin_place(body.skin, body.x, NULL, 0.0);
        sn_transform place = random_place(&random, kind, 0.25, 0.45);
        sn_skin_shape_contacts contacts = {0};
        find(&contacts, &body, &collider, place, 0.05);
        met += contacts.found.count;
        collider.tube = 0.0; // skins meet the mesh of a torus, which balls meet as it is
        int next = 0;
        for (int v = 0; v < body.skin->vertex_count; ++v) {
            sn_collider point = sn_collider_sphere(1e-3);
            sn_transform there = {sn_skin_from(body.skin, v), SN_QUAT_IDENTITY};
            sn_vec3 on_a, on_b;
            double gap =
                1e-3 + sn_collide_distance(&collider, &place, &point, &there, NULL, &on_a, &on_b);
            bool listed = next < contacts.found.count && contacts.found.data[next].count == 1 &&
                          contacts.found.data[next].feature == v;
            if (kind == RANDOM_HEIGHT_FIELD &&
                (fabs(there.position.x) > 0.24 || fabs(there.position.y) > 0.29)) {
                next += listed; // beyond its rim a field is not touched
                continue;
            }
            if (gap > 0.0) { // outside distances are the same to the last digits
                assert_true(listed == (gap <= 0.05) || fabs(gap - 0.05) < 1e-9);
                assert_true(!listed || fabs(contacts.found.data[next].gap - gap) < 1e-6);
            } else {
                assert_true(listed && contacts.found.data[next].gap < 1e-6);
                assert_true(kind >= RANDOM_CONVEX_KINDS ||
                            fabs(contacts.found.data[next].gap - gap) < 1e-3);
            }
            next += listed;
        }
        sn_skin_shape_contacts_free(&contacts);
        skin_body_free(&body);
        sn_collider_free(&collider);
        sn_shape_release(&shape);
    }
    assert_true(met > 100);
}

// ---- steps ----

static void test_step_closed_forms(void **state)
{
    (void)state;
    skin_body box = skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 2);
    for (int v = 0; v < box.count; ++v) {
        box.y[SKIN_STRIDE * (size_t)v + 2] -= 1.0;
    }
    sn_skin_place(box.skin, box.x, box.y, 0.0);
    sn_collider plane = sn_collider_plane(), ball = sn_collider_sphere(0.1);
    sn_sweep still = {SN_VEC3_ZERO, at(0.0, 0.0, -0.75), at(0.0, 0.0, -0.75)};
    sn_skin_shape_step step =
        sn_skin_shape_step_find(box.skin, &plane, &still, (sn_skin_keep){0.0, 0.0});
    assert_true(step.face >= 0 && step.share <= 0.25 && step.share > 0.25 - 1e-5);
    step = sn_skin_shape_step_find(box.skin, &plane, &still, (sn_skin_keep){0.2, 0.0});
    assert_true(step.face >= 0 && step.share <= 0.2 && step.share > 0.2 - 1e-3);
    // A ball comes up as the box falls: 0.4 of way for 0.8 of speed, and goes far through it.
    sn_sweep up = {SN_VEC3_ZERO, at(0.1, 0.2, -1.0), at(0.1, 0.2, 9.0)};
    step = sn_skin_shape_step_find(box.skin, &ball, &up, (sn_skin_keep){0.0, 0.0});
    assert_true(step.share <= 0.4 / 11.0 && step.share > 0.4 / 11.0 - 1e-6);
    // Beside it, and one that touches.
    sn_sweep beside = {SN_VEC3_ZERO, at(0.7, 0.2, -1.0), at(0.7, 0.2, 9.0)};
    step = sn_skin_shape_step_find(box.skin, &ball, &beside, (sn_skin_keep){0.0, 0.0});
    assert_true(step.share == 1.0 && step.face < 0 && step.touching == 0);
    sn_sweep touching = {SN_VEC3_ZERO, at(0.55, 0.2, 0.1), at(0.55, 0.2, 0.1)};
    step = sn_skin_shape_step_find(box.skin, &ball, &touching, (sn_skin_keep){0.0, 0.0});
    assert_true(step.touching > 0);
    skin_body_free(&box);
}

static double least_gap(const skin_body *body, double share, const sn_collider *shape,
                        const sn_sweep *sweep)
{
    double least = INFINITY;
    sn_transform place = sn_sweep_at(sweep, share);
    for (int f = 0; f < body->skin->face_count; ++f) {
        sn_vec3 p[3], on_a, on_b;
        for (int k = 0; k < 3; ++k) {
            int v = body->skin->faces[3 * f + k];
            sn_vec3 x = sn_skin_from(body->skin, v), y = sn_skin_to(body->skin, v);
            p[k] = sn_vec3_add_scaled(x, share, sn_vec3_sub(y, x));
        }
        sn_collider triangle = sn_collider_triangle(p, 0.0);
        sn_transform here = SN_TRANSFORM_IDENTITY;
        least =
            fmin(least, sn_collide_distance(shape, &place, &triangle, &here, NULL, &on_a, &on_b));
    }
    return least;
}

// Wild motions of both: at every look on the way there is a gap, and soon after often none.
static void test_steps(void **state)
{
    (void)state;
    sn_random random = {.seed = 33};
    int met = 0, deep = 0;
    for (int run = 0; run < 5 * RANDOM_KINDS; ++run) {
        random_kind kind = (random_kind)(run % RANDOM_KINDS);
        sn_shape shape = random_shape(&random, kind, sn_vec3_make(0.5, 0.6, 0.4));
        sn_collider collider;
        assert_int_equal(sn_collider_make(&shape, &collider, NULL), SN_OK);
        skin_body body = skin_body_ball(0.5, 1);
        skin_body_shake(&body, &random, 0.05, SN_VEC3_ZERO);
        sn_sweep sweep = {.start = random_place(&random, kind, 0.6, 0.8)};
        sweep.end = sweep.start;
        if (kind < RANDOM_MOVING_KINDS) {
            sweep.centre = random_vec3(&random, 0.1);
            sweep.end.rotation = random_turn(&random);
            sweep.end.position = sn_vec3_scale(0.3, sweep.end.position);
        } else {
            for (int v = 0; v < body.count; ++v) {
                body.y[SKIN_STRIDE * (size_t)v + 2] -= 0.6;
            }
        }
        sn_skin_place(body.skin, body.x, body.y, 0.0);
        double keep = run % 2 == 0 ? 0.0 : 0.3, start = least_gap(&body, 0.0, &collider, &sweep);
        sn_skin_shape_step step =
            sn_skin_shape_step_find(body.skin, &collider, &sweep, (sn_skin_keep){keep, 0.0});
        assert_true((step.touching > 0) == (start <= 0.0));
        if (start > 0.0) {
            for (int i = 0; i <= 10; ++i) {
                double gap = least_gap(&body, 0.1 * i * step.share, &collider, &sweep);
                assert_true(gap > keep * start - 1e-9);
            }
            met += step.face >= 0;
            deep += least_gap(&body, fmin(1.0, step.share + 0.3), &collider, &sweep) <= 0.0;
        }
        skin_body_free(&body);
        sn_collider_free(&collider);
        sn_shape_release(&shape);
    }
    assert_true(met > 20 && deep > 20);
}

static void test_memory(void **state)
{
    (void)state;
    skin_body box = skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 3);
    sn_skin_place(box.skin, box.x, NULL, 0.0);
    sn_collider plane = sn_collider_plane();
    sn_transform place = at(0.0, 0.0, 0.0);
    sn_status status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        assert_true(after < 20);
        sn_skin_shape_contacts contacts = {0};
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_skin_shape_find(&contacts, box.skin, &plane, &place, 0.1, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK ? contacts.found.count > 0
                                    : contacts.found.count == 0 && error.code == SN_ERROR_MEMORY);
        sn_skin_shape_contacts_free(&contacts);
    }
    skin_body_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_pointed_mesh),
        cmocka_unit_test(test_vertices),     cmocka_unit_test(test_step_closed_forms),
        cmocka_unit_test(test_steps),        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
