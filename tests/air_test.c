// The air of a world: surfaces cut into patches, winds that push bodies, and air at rest that only
// takes energy away.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "field/patch.h"
#include "jointed_world.h"
#include "sinew/wind.h"
#include "windy_world.h"

static void assert_vectors_near(sn_vec3 a, sn_vec3 b, double tolerance)
{
    assert_near(sn_distance(a, b), 0.0, tolerance);
}

static sn_shape plate_shape(double x, double y, double z, double density)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = sn_vec3_make(x, y, z);
    shape.density = density;
    return shape;
}

static sn_body add_shape(sn_world *world, const sn_shape *shape, sn_transform frame,
                         sn_vec3 velocity, sn_vec3 angular_velocity)
{
    sn_body_def def = sn_default_body_def();
    def.shapes = shape;
    def.shape_count = 1;
    def.frame = frame;
    def.velocity = velocity;
    def.angular_velocity = angular_velocity;
    return add_defined(world, &def);
}

static sn_field add_still_air(sn_world *world)
{
    sn_wind_def def = sn_default_wind_def();
    def.speed = 0.0;
    return add_wind(world, &def);
}

// ---- patches ----

static void check_patches(const sn_shape *shape, double size, double scale)
{
    sn_patches patches = {0};
    assert_int_equal(sn_patches_add(&patches, shape, 1, size, NULL), SN_OK);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_shape_mesh(shape, 0.0, &mesh, NULL), SN_OK);
    sn_vec3 vector = SN_VEC3_ZERO;
    double area = 0.0, volume = 0.0;
    for (int i = 0; i < patches.count; ++i) {
        const sn_patch *p = &patches.data[i];
        assert_false(p->wire);
        assert_near(sn_length(p->normal), 1.0, 1e-14);
        area += p->area * p->sides;
        if (p->sides == 1) {
            vector = sn_vec3_add_scaled(vector, p->area, p->normal);
            volume += p->area * sn_dot(p->centre, p->normal) / 3.0;
        }
    }
    double whole = sn_mesh_area(mesh);
    assert_near(sn_length(vector), 0.0, 1e-13 * whole);
    // Round shapes lose what the normals of a patch differ by.
    assert_true(area <= whole * (1.0 + 1e-12) && area >= 0.985 * whole);
    if (shape->type == SN_SHAPE_BOX) {
        assert_near(area, whole, 1e-13 * whole);
    }
    if (shape->type == SN_SHAPE_BOX && size > 0.0) {
        assert_near(volume, shape->size.x * shape->size.y * shape->size.z,
                    1e-12 * scale * scale * scale);
    }
    sn_mesh_release(mesh);
    sn_array_free(&patches);
}

static void test_patches(void **state)
{
    (void)state;
    const double scales[] = {0.01, 1.0, 100.0};
    int counts[3];
    for (int i = 0; i < 3; ++i) {
        double s = scales[i];
        sn_shape box = plate_shape(1.0 * s, 0.7 * s, 0.01 * s, 1.0);
        box.frame.position = sn_vec3_make(0.3 * s, -2.0 * s, 0.1 * s);
        check_patches(&box, 0.0, s); // a sheet: its faces are one
        box.size.z = 0.4 * s;
        check_patches(&box, 0.05 * s, s);
        check_patches(&box, 0.7 * s, s);
        sn_shape ball = sn_default_shape();
        ball.radius = s;
        check_patches(&ball, 0.0, s);
        sn_patches patches = {0};
        assert_int_equal(sn_patches_add(&patches, &ball, 1, 0.0, NULL), SN_OK);
        counts[i] = patches.count;
        sn_array_free(&patches);
    }
    assert_true(counts[0] > 50 && counts[0] < 1000);
    assert_true(abs(counts[0] - counts[1]) < 20 && abs(counts[2] - counts[1]) < 20);
}

static void test_patches_are_small(void **state)
{
    (void)state;
    // A square plate: 7 by 7 cells with both faces in one, and thin rims, four on each side.
    sn_shape plate = plate_shape(0.6, 0.6, 0.001, 1.0);
    sn_patches patches = {0};
    assert_int_equal(sn_patches_add(&patches, &plate, 1, 0.0, NULL), SN_OK);
    int faces = 0;
    for (int i = 0; i < patches.count; ++i) {
        if (fabs(patches.data[i].normal.z) > 0.9) {
            faces += 1;
            assert_true(patches.data[i].area < 2.0 * 0.01);
            assert_int_equal(patches.data[i].sides, 2);
            assert_near(patches.data[i].centre.z, 0.0, 1e-12);
        }
    }
    assert_true(faces >= 49 && faces <= 64);
    assert_true(patches.count - faces >= 4 && patches.count - faces <= 16);
    patches.count = 0;
    // A sensor feels nothing, an open sheet is met on both sides.
    plate.surface.sensor = true;
    assert_int_equal(sn_patches_add(&patches, &plate, 1, 0.0, NULL), SN_OK);
    assert_int_equal(patches.count, 0);
    const sn_vec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int t[3] = {0, 1, 2};
    sn_shape sheet = sn_default_shape();
    sheet.type = SN_SHAPE_MESH;
    assert_int_equal(sn_mesh_create(x, 3, t, 1, &sheet.mesh, NULL), SN_OK);
    assert_int_equal(sn_patches_add(&patches, &sheet, 1, 0.0, NULL), SN_OK);
    assert_true(patches.count > 10);
    assert_int_equal(patches.data[0].sides, 2);
    sn_mesh_release(sheet.mesh);
    sn_array_free(&patches);
}

// A bent wire of four bars: pieces of wire with the area of all, whichever way each bar points.
static void test_wires(void **state)
{
    (void)state;
    sn_shape bars[4];
    double wanted = 0.0;
    for (int i = 0; i < 4; ++i) {
        bars[i] = sn_default_shape();
        bars[i].type = SN_SHAPE_CAPSULE;
        bars[i].radius = 0.001;
        bars[i].height = 0.1;
        bars[i].frame.position = sn_vec3_make(0.1 * i, 0.0, 0.0);
        bars[i].frame.rotation =
            sn_quat_from_axis_angle(sn_vec3_make(0.0, 1.0, 0.0), (i % 2 == 0 ? 0.5 : -0.5) * SN_PI);
        wanted += 2.0 * SN_PI * 0.001 * 0.1;
    }
    sn_patches patches = {0};
    assert_int_equal(sn_patches_add(&patches, bars, 4, 0.0, NULL), SN_OK);
    assert_true(patches.count >= 12 && patches.count <= 20);
    double area = 0.0, moment = 0.0;
    for (int i = 0; i < patches.count; ++i) {
        assert_true(patches.data[i].wire);
        assert_int_equal(patches.data[i].sides, 2);
        assert_near(fabs(patches.data[i].normal.x), 1.0, 1e-14);
        area += patches.data[i].area;
        moment += patches.data[i].area * patches.data[i].centre.x;
    }
    assert_near(area, wanted, 1e-14 * wanted);
    assert_near(moment, wanted * 0.15, 1e-14 * wanted);
    // A thick bar is no wire; nor is one that is to be cut finely.
    patches.count = 0;
    assert_int_equal(sn_patches_add(&patches, bars, 1, 0.0005, NULL), SN_OK);
    assert_false(patches.data[0].wire);
    sn_array_free(&patches);
}

// What is flat has the area, the middle and the second moments of its faces, however it lies.
static void test_sheet_moments(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        double edges[3] = {0.5, 0.3, 0.2};
        edges[axis] = 0.001;
        sn_shape plate = plate_shape(edges[0], edges[1], edges[2], 1.0);
        plate.frame.position = sn_vec3_make(1.0, 2.0, 3.0);
        sn_patches patches = {0};
        assert_int_equal(sn_patches_add(&patches, &plate, 1, 0.0, NULL), SN_OK);
        double area = 0.0, first[3] = {0.0}, second[3] = {0.0};
        for (int i = 0; i < patches.count; ++i) {
            const sn_patch *p = &patches.data[i];
            sn_vec3 r = sn_vec3_sub(p->centre, plate.frame.position);
            const double x[3] = {r.x, r.y, r.z};
            for (int k = 0; k < 3 && p->sides == 2; ++k) {
                first[k] += p->area * x[k];
                second[k] += p->area * x[k] * x[k];
            }
            area += p->sides == 2 ? p->area : 0.0;
        }
        double wanted = edges[0] * edges[1] * edges[2] / edges[axis];
        assert_near(area, wanted, 1e-13);
        for (int k = 0; k < 3; ++k) {
            assert_near(first[k], 0.0, 1e-13);
            assert_near(second[k], k == axis ? 0.0 : wanted * edges[k] * edges[k] / 12.0, 1e-13);
        }
        sn_array_free(&patches);
    }
}

static void test_patches_out_of_memory(void **state)
{
    (void)state;
    sn_shape shape = plate_shape(1.0, 1.0, 0.1, 1.0);
    for (int after = 0;; ++after) {
        sn_patches patches = {0};
        sn_allocation_fail_after(after);
        sn_status status = sn_patches_add(&patches, &shape, 1, 0.0, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(after > 3);
            sn_array_free(&patches);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_int_equal(patches.count, 0);
        sn_array_free(&patches);
    }
}

// ---- forces on bodies ----

// A plate falling flat: it nears sqrt(2 m g / (density normal area)), and on the way
// v = V tanh(g t / V).
static void test_terminal_speed(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        sn_world *world = make_world((sn_policy)policy, down, 1e-9);
        sn_air_def air = sn_default_air_def();
        air.tangential = 0.0;
        assert_int_equal(sn_world_set_air(world, &air, NULL), SN_OK);
        sn_shape plate = plate_shape(0.1, 0.1, 0.001, 2700.0);
        sn_body body = add_shape(world, &plate, SN_TRANSFORM_IDENTITY, SN_VEC3_ZERO, SN_VEC3_ZERO);
        add_still_air(world);
        double mass = 0.1 * 0.1 * 0.001 * 2700.0;
        double limit = sqrt(2.0 * mass * 9.81 / (1.2 * 1.17 * 0.01));
        advance(world, 0.002, 250);
        double wanted = limit * tanh(9.81 * 0.5 / limit);
        sn_vec3 v = sn_body_velocity(world, body);
        assert_vectors_near(v, sn_vec3_make(0.0, 0.0, -wanted), policy == 0 ? 1e-5 : 1e-8);
        assert_near(sn_length(sn_body_angular_velocity(world, body)), 0.0, 1e-9);
        advance(world, 0.01, 1000);
        assert_near(sn_body_velocity(world, body).z, -limit, 1e-9 * limit);
        sn_world_destroy(world);
    }
}

// A plate that tumbles in a jet: the step is of second order only with the whole derivative of
// forces, and nears what an adaptive integrator finds.
static sn_vec3 tumble(sn_integrator integrator, int steps)
{
    sn_world_def def = sn_default_world_def();
    def.integrator = integrator;
    def.gravity = SN_VEC3_ZERO;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_air_def air = {.density = 50.0, .normal = 1.2, .tangential = 0.3};
    assert_int_equal(sn_world_set_air(world, &air, NULL), SN_OK);
    sn_shape plate = plate_shape(0.3, 0.2, 0.02, 500.0);
    sn_transform frame = {{0.8, 0.05, 0.02}, sn_quat_normalize((sn_quat){1.0, 0.2, -0.3, 0.4})};
    sn_body body =
        add_shape(world, &plate, frame, sn_vec3_make(0.1, 0.2, -0.3), sn_vec3_make(1.0, -2.0, 1.5));
    sn_wind_def wind = sn_default_wind_def();
    wind.kind = SN_WIND_FAN;
    wind.radius = 0.3;
    wind.speed = 2.0;
    add_wind(world, &wind);
    advance(world, 0.25 / steps, steps);
    sn_vec3 at = sn_transform_point(sn_body_transform(world, body), sn_vec3_make(0.1, 0.1, 0.0));
    sn_world_destroy(world);
    return at;
}

static void test_second_order(void **state)
{
    (void)state;
    sn_vec3 truth = tumble(SN_INTEGRATOR_FEHLBERG45, 1);
    double coarse = sn_distance(tumble(SN_INTEGRATOR_LIE_MIDPOINT, 50), truth);
    double fine = sn_distance(tumble(SN_INTEGRATOR_LIE_MIDPOINT, 100), truth);
    assert_true(coarse < 1e-3 && coarse > 1e-9);
    // Patches turn their backs to the air at instants within steps: the ratio is not quite 4.
    if (!(coarse / fine > 3.0)) {
        fail_msg("errors are %g and %g", coarse, fine);
    }
}

static void test_still_air_takes_energy(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    for (int i = 0; i < 8; ++i) {
        sn_shape plate = plate_shape(0.2, 0.1, 0.002, 300.0);
        sn_transform frame = SN_TRANSFORM_IDENTITY;
        frame.position.x = 2.0 * i;
        // One draw to a statement: compilers choose the order of arguments.
        sn_vec3 velocity = SN_VEC3_ZERO, turning = {0.0, 5.0, 0.0};
        velocity.y = sn_random_range(&random, -9.0, 9.0);
        velocity.z = sn_random_range(&random, -9.0, 9.0);
        turning.x = sn_random_range(&random, -30.0, 30.0);
        turning.z = sn_random_range(&random, -30.0, 30.0);
        add_shape(world, &plate, frame, velocity, turning);
    }
    add_still_air(world);
    double last = sn_world_energy(world).total, first = last;
    for (int i = 0; i < 480; ++i) {
        advance(world, 1.0 / 240.0, 1);
        double now = sn_world_energy(world).total;
        assert_true(now <= last * (1.0 + 1e-12));
        last = now;
    }
    assert_true(last < 0.5 * first);
    sn_world_destroy(world);
}

// A plate on a hinge at its upper edge, in a level wind: it hangs where the moments of weight and
// wind balance, m g sin a = density / 2 normal A v^2 cos^2 a.
static void test_hanging_plate(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, down, 1e-9);
    sn_air_def air = sn_default_air_def();
    air.tangential = 0.0;
    assert_int_equal(sn_world_set_air(world, &air, NULL), SN_OK);
    const double thin = 1e-6; // so that the rims feel nothing
    sn_shape plate = plate_shape(thin, 0.2, 0.2, 2.0 / 0.04 * 0.01 / thin);
    sn_body body = add_shape(world, &plate, SN_TRANSFORM_IDENTITY, SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_joint hinge = add_hinge(world, "hinge", (sn_body){0}, body, sn_vec3_make(0.0, 0.0, 0.1));
    sn_wind_def wind = sn_default_wind_def();
    wind.speed = 1.0;
    sn_field field = add_wind(world, &wind);
    double mass = sn_body_mass_properties(world, body).mass;
    const double speeds[] = {1.0, 2.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        wind.speed = speeds[i];
        assert_int_equal(sn_world_set_wind(world, field, &wind, NULL), SN_OK);
        // by bisection
        double low = 0.0, high = 0.5 * SN_PI;
        for (int k = 0; k < 60; ++k) {
            double a = 0.5 * (low + high);
            double wanted = 0.5 * 1.2 * 1.17 * 0.04 * speeds[i] * speeds[i] * cos(a) * cos(a);
            *(mass * 9.81 * sin(a) > wanted ? &high : &low) = a;
        }
        sn_freedom_def freedom = sn_joint_freedom(world, hinge, 0);
        freedom.damping = 0.01;
        assert_int_equal(sn_joint_set_freedom(world, hinge, 0, &freedom, NULL), SN_OK);
        advance(world, 0.01, 3000);
        assert_near(fabs(sn_joint_position(world, hinge, 0)), low, 1e-6);
    }
    sn_world_destroy(world);
}

static void test_face_law(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_shape plate = plate_shape(0.01, 0.3, 0.2, 100.0);
    sn_transform frame = SN_TRANSFORM_IDENTITY;
    frame.position.x = 1.0;
    sn_body body = add_shape(world, &plate, frame, SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_wind_def wind = sn_default_wind_def();
    wind.speed = 3.0;
    wind.law = SN_WIND_LAW_FACE;
    sn_field field = add_wind(world, &wind);
    advance(world, 1e-3, 1);
    double mass = 0.01 * 0.3 * 0.2 * 100.0, force = 1.2 * 0.06 * 9.0;
    assert_vectors_near(sn_body_velocity(world, body), sn_vec3_make(force * 1e-3 / mass, 0.0, 0.0),
                        1e-15);
    // It does not look at the motion of the face.
    advance(world, 1e-3, 1);
    assert_vectors_near(sn_body_velocity(world, body),
                        sn_vec3_make(2.0 * force * 1e-3 / mass, 0.0, 0.0), 1e-14);
    assert_int_equal(sn_world_remove_field(world, field, NULL), SN_OK);

    wind.random_share = 0.5;
    wind.name = "gusty";
    add_wind(world, &wind);
    sn_world *copy = NULL;
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    advance(world, 1e-3, 3);
    advance(copy, 1e-3, 3);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    sn_vec3 v = sn_body_velocity(world, body);
    assert_true(hypot(v.y, v.z) > 1e-6 && hypot(v.y, v.z) < 0.5 * 3.0 * force * 1e-3 / mass);
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

// ---- the interface ----

static void test_winds_add_up(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_wind_def wind = sn_default_wind_def();
    wind.name = "east";
    sn_field east = add_wind(world, &wind);
    wind.name = "north";
    wind.direction = sn_vec3_make(0.0, 1.0, 0.0);
    wind.speed = 2.0;
    add_wind(world, &wind);
    assert_vectors_near(sn_world_air_velocity(world, SN_VEC3_ZERO), sn_vec3_make(1.0, 2.0, 0.0),
                        0.0);
    assert_int_equal(sn_world_find_field(world, "east").index, east.index);
    assert_near(sn_wind_def_of(sn_world_wind(world, east)).speed, 1.0, 0.0);

    sn_error error = {0};
    sn_field field;
    assert_int_equal(sn_world_add_wind(world, &wind, &field, &error), SN_ERROR_ARGUMENT);
    wind.name = NULL;
    wind.speed = -1.0;
    assert_int_equal(sn_world_add_wind(world, &wind, &field, &error), SN_ERROR_ARGUMENT);
    wind.speed = 1.0;
    wind.random_share = NAN;
    assert_int_equal(sn_world_add_wind(world, &wind, &field, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_field_count(world), 2);
    assert_int_equal(sn_world_set_wind(world, (sn_field){0}, &wind, &error), SN_ERROR_HANDLE);
    assert_int_equal(sn_world_set_wind(world, east, &wind, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "east");
    assert_near(sn_world_air_velocity(world, SN_VEC3_ZERO).x, 1.0, 0.0);
    // another kind of wind in its place
    wind = sn_default_wind_def();
    wind.kind = SN_WIND_JET;
    assert_int_equal(sn_world_set_wind(world, east, &wind, &error), SN_OK);
    advance(world, 0.01, 1);
    assert_near(sn_world_air_velocity(world, sn_vec3_make(2.4, 0.0, 0.0)).x, 0.5, 1e-15);
    sn_air_def air = sn_default_air_def();
    air.density = NAN;
    assert_int_equal(sn_world_set_air(world, &air, &error), SN_ERROR_ARGUMENT);
    assert_near(sn_world_air(world).density, 1.2, 0.0);
    assert_null(sn_world_wind(world, (sn_field){0}));
    sn_world_destroy(world);
}

// What becomes a sensor feels no air any more, and does again when it is none.
static void test_sensors_feel_nothing(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_shape plate = plate_shape(0.01, 0.3, 0.2, 100.0);
    sn_body body = add_shape(world, &plate, SN_TRANSFORM_IDENTITY, SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_wind_def wind = sn_default_wind_def();
    add_wind(world, &wind);
    advance(world, 1e-3, 1);
    double first = sn_body_velocity(world, body).x;
    assert_true(first > 0.0);
    sn_surface surface = sn_body_shape(world, body, 0)->surface;
    surface.sensor = true;
    assert_int_equal(sn_body_set_surface(world, body, 0, &surface, NULL), SN_OK);
    advance(world, 1e-3, 5);
    assert_near(sn_body_velocity(world, body).x, first, 1e-16);
    surface.sensor = false;
    assert_int_equal(sn_body_set_surface(world, body, 0, &surface, NULL), SN_OK);
    advance(world, 1e-3, 1);
    assert_true(sn_body_velocity(world, body).x > 1.9 * first);
    sn_world_destroy(world);
}

static sn_motion *make_motion(const double *times, const double *values, int count)
{
    sn_motion_def def = sn_default_motion_def();
    def.type = SN_MOTION_LINEAR;
    def.times = times;
    def.values = values;
    def.count = count;
    sn_motion *motion = NULL;
    assert_int_equal(sn_motion_create(&def, &motion, NULL), SN_OK);
    return motion;
}

// The face's law adds up: the impulse of a plate in a wind of strength s(t) is that of the force at
// full strength times the integral of s^2, by the midpoints of the steps.
static void test_strength(void **state)
{
    (void)state;
    const double times[] = {0.0, 0.1, 0.2, 0.3}, values[] = {0.0, 1.0, 1.0, -1.0};
    const double more_times[] = {0.0}, more_values[] = {2.0};
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_shape plate = plate_shape(0.01, 0.3, 0.2, 100.0);
    sn_body body = add_shape(world, &plate, SN_TRANSFORM_IDENTITY, SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_wind_def wind = sn_default_wind_def();
    wind.law = SN_WIND_LAW_FACE;
    wind.breath = true;
    wind.strength = make_motion(times, values, 4);
    sn_field field = add_wind(world, &wind);
    sn_motion_release(wind.strength); // the world holds it
    assert_int_equal(sn_world_find_breath(world).index, field.index);
    double force = 1.2 * 0.06, mass = 0.01 * 0.3 * 0.2 * 100.0, expected = 0.0;
    sn_world *copy = NULL;
    for (int i = 0; i < 300; ++i) {
        double t = (i + 0.5) * 1e-3;
        double s = t < 0.1 ? 10.0 * t : t < 0.2 ? 1.0 : fmax(1.0 - 20.0 * (t - 0.2), 0.0);
        assert_near(sn_wind_strength(sn_world_wind(world, field), t), s, 1e-14);
        expected += force * s * s * 1e-3 / mass;
        advance(world, 1e-3, 1);
        if (i == 150) {
            assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        }
        if (i > 150) {
            advance(copy, 1e-3, 1);
        }
    }
    assert_near(sn_body_velocity(world, body).x, expected, 1e-13);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    sn_world_destroy(copy);
    // another motion, put in between steps; the wind of the world is the same one
    const sn_wind *before = sn_world_wind(world, field);
    sn_wind_def now = sn_wind_def_of(before);
    now.strength = make_motion(more_times, more_values, 1);
    assert_int_equal(sn_world_set_wind(world, field, &now, NULL), SN_OK);
    sn_motion_release(now.strength);
    assert_ptr_equal(sn_world_wind(world, field), before);
    advance(world, 1e-3, 1);
    assert_near(sn_body_velocity(world, body).x, expected + 4.0 * force * 1e-3 / mass, 1e-13);
    assert_near(sn_world_air_velocity(world, SN_VEC3_ZERO).x, 2.0, 0.0);
    sn_world_destroy(world);
}

static void test_bodies_come_and_go(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_wind_def wind = sn_default_wind_def();
    add_wind(world, &wind);
    for (int i = 0; i < 60; ++i) {
        sn_shape plate = plate_shape(0.1, 0.1, 0.1 + 0.001 * i, 10.0);
        sn_body body = add_shape(world, &plate, SN_TRANSFORM_IDENTITY, SN_VEC3_ZERO, SN_VEC3_ZERO);
        advance(world, 0.01, 1);
        assert_true(sn_body_velocity(world, body).x > 0.0);
        assert_int_equal(sn_world_remove_body(world, body, NULL), SN_OK);
    }
    sn_world_destroy(world);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO, 1e-9);
    sn_shape plate = plate_shape(0.1, 0.1, 0.1, 10.0);
    sn_body body = add_shape(world, &plate, SN_TRANSFORM_IDENTITY, SN_VEC3_ZERO, SN_VEC3_ZERO);
    sn_wind_def wind = sn_default_wind_def();
    wind.kind = SN_WIND_NATURAL;
    wind.profile = SN_WIND_PROFILE_FLAT;
    sn_status status = SN_ERROR_MEMORY;
    sn_field field;
    int after = 0;
    for (; status != SN_OK; ++after) {
        sn_allocation_fail_after(after);
        status = sn_world_add_wind(world, &wind, &field, NULL);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        assert_int_equal(sn_world_field_count(world), status == SN_OK ? 1 : 0);
    }
    assert_true(after > 2);
    status = SN_ERROR_MEMORY;
    for (after = 0; status != SN_OK; ++after) {
        sn_allocation_fail_after(after);
        status = sn_world_step(world, 0.01, NULL);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        assert_near(sn_world_time(world), status == SN_OK ? 0.01 : 0.0, 0.0);
    }
    assert_true(after > 5);
    assert_true(sn_body_velocity(world, body).x > 0.0);
    sn_world *copy = NULL;
    status = SN_ERROR_MEMORY;
    for (after = 0; status != SN_OK; ++after) {
        sn_allocation_fail_after(after);
        status = sn_world_copy(world, &copy, NULL);
        sn_allocation_fail_after(-1);
    }
    sn_world_destroy(copy);
    // Once warm, steps allocate nothing.
    advance(world, 0.01, 5);
    uint64_t count = sn_allocation_count();
    advance(world, 0.01, 20);
    assert_int_equal(sn_allocation_count() - count, 0);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_patches_are_small),
        cmocka_unit_test(test_wires),
        cmocka_unit_test(test_sheet_moments),
        cmocka_unit_test(test_patches_out_of_memory),
        cmocka_unit_test(test_terminal_speed),
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_still_air_takes_energy),
        cmocka_unit_test(test_hanging_plate),
        cmocka_unit_test(test_face_law),
        cmocka_unit_test(test_winds_add_up),
        cmocka_unit_test(test_sensors_feel_nothing),
        cmocka_unit_test(test_strength),
        cmocka_unit_test(test_bodies_come_and_go),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
