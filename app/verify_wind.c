// Mobiles in wind: the laws of the winds and of the force on a face against formulas written out
// here, the two ways to find what is hidden, energy in still air, and leaves that strike each
// other.
#include "verify_wind.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "mobile/outline_preset.h"
#include "sinew/wind.h"

// ---- speed ----

static double speed_at(sn_verify *verify, const sn_wind_def *def, sn_vec3 point)
{
    sn_wind *wind = NULL;
    sn_error error = {0};
    if (sn_wind_create(def, &wind, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return NAN;
    }
    double speed = sn_length(sn_wind_velocity(wind, point, 0.0));
    sn_wind_destroy(wind);
    return speed;
}

// v = v0 (l0 / l)^2 from the vertex; its rim at r0 / l0; then the far jet, 6 d / x and exp(-72 (r /
// x)^2).
void sn_verify_wind_speed(sn_verify *verify)
{
    sn_wind_def cone = sn_default_wind_def();
    cone.kind = SN_WIND_CONE;
    cone.speed = 5.0;
    cone.radius = 0.12;
    cone.length = 0.35;
    double worst = 0.0;
    for (int i = 1; i <= 40; ++i) {
        double x = 0.1 * i, y = 0.2 * x;
        double l2 = (x + 0.35) * (x + 0.35) + y * y;
        double wanted = y / (x + 0.35) <= 0.12 / 0.35 ? 5.0 * 0.35 * 0.35 / l2 : 0.0;
        double speed = speed_at(verify, &cone, sn_vec3_make(x, 0.0, y));
        worst = fmax(worst, fabs(speed - wanted) / 5.0);
    }
    sn_verify_row(verify, "cone, 1 / l^2, by v0", 0.0, worst, worst, 1e-15);
    sn_wind_def jet = sn_default_wind_def();
    jet.kind = SN_WIND_JET;
    jet.speed = 10.0;
    jet.radius = 0.005;
    static const double table[][2] = {{0.1, 6.0}, {0.3, 2.0}, {0.5, 1.2}, {1.0, 0.6}};
    for (int i = 0; i < 4; ++i) {
        static const char *const names[] = {"jet of 10 mm at 0.1 m, m/s", "at 0.3 m, m/s",
                                            "at 0.5 m, m/s", "at 1 m, m/s"};
        sn_verify_relative(verify, names[i], table[i][1],
                           speed_at(verify, &jet, sn_vec3_make(table[i][0], 0.0, 0.0)), 1e-14);
    }
    worst = 0.0;
    for (int i = 0; i < 20; ++i) {
        double x = 0.5, r = 0.01 * i;
        double wanted = 1.2 * exp(-72.0 * r * r / (x * x));
        double speed = speed_at(verify, &jet, sn_vec3_make(x, r, 0.0));
        worst = fmax(worst, fabs(speed - wanted) / 1.2);
    }
    sn_verify_row(verify, "profile of the jet, by that on its axis", 0.0, worst, worst, 1e-14);
}

// ---- force ----

// What the velocities of a box after one step say of the force on it: the seed's law, F = rho A v^2
// (n_v . n) n over the faces that the cone blows at, patch by patch; here with patches as large as
// the box, so that each face is one and the sum has three terms.
void sn_verify_wind_force(sn_verify *verify)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = SN_VEC3_ZERO;
    sn_world *world = NULL;
    sn_error error = {0};
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(0.05, 0.06, 0.07);
    sn_body_def body_def = sn_default_body_def();
    body_def.shapes = &box;
    body_def.shape_count = 1;
    body_def.frame.position = sn_vec3_make(0.9, 0.1, -0.05);
    body_def.frame.rotation = sn_quat_from_axis_angle(sn_normalize(sn_vec3_make(1, 2, 3)), 0.7);
    sn_wind_def wind = sn_default_wind_def();
    wind.kind = SN_WIND_CONE;
    wind.speed = 7.0;
    wind.radius = 0.2;
    wind.length = 0.4;
    wind.law = SN_WIND_LAW_FACE;
    sn_air_def air = sn_default_air_def();
    air.patch = 0.07;
    sn_body body = {0};
    sn_field field;
    bool done = sn_world_create(&def, &world, &error) == SN_OK &&
                sn_world_set_air(world, &air, &error) == SN_OK &&
                sn_world_add_body(world, &body_def, &body, &error) == SN_OK &&
                sn_world_add_wind(world, &wind, &field, &error) == SN_OK &&
                sn_world_step(world, 1e-4, &error) == SN_OK;
    if (!done) {
        sn_verify_broken(verify, &error);
        sn_world_destroy(world);
        return;
    }
    const double edges[3] = {0.05, 0.06, 0.07};
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = 0; i < 6; ++i) {
        double out[3] = {0.0, 0.0, 0.0};
        out[i / 2] = i % 2 == 0 ? 1.0 : -1.0;
        sn_vec3 n = sn_rotate(body_def.frame.rotation, sn_vec3_make(out[0], out[1], out[2]));
        double area = edges[(i / 2 + 1) % 3] * edges[(i / 2 + 2) % 3];
        // from the vertex at x = -0.4
        double half = 0.5 * edges[i / 2];
        double dx = 0.9 + half * n.x + 0.4, dy = 0.1 + half * n.y, dz = -0.05 + half * n.z;
        double l = sqrt(dx * dx + dy * dy + dz * dz), v = 7.0 * 0.16 / (l * l);
        double cosine = (dx * n.x + dy * n.y + dz * n.z) / l;
        if (cosine < 0.0) {
            sum = sn_vec3_add_scaled(sum, 1.2 * area * v * v * cosine, n);
        }
    }
    double mass = 1000.0 * 0.05 * 0.06 * 0.07;
    sn_vec3 force = sn_vec3_scale(mass / 1e-4, sn_body_velocity(world, body));
    sn_verify_relative(verify, "face by face on a box, N", sn_length(sum), sn_length(force), 1e-12);
    double apart = sn_distance(sum, force) / sn_length(sum);
    sn_verify_row(verify, "its direction", 0.0, apart, apart, 1e-12);
    sn_world_destroy(world);
}

// ---- patches in a narrow jet ----

// The force and the torque of 10 m/s out of a mouth of 10 mm, half a metre before a sheet in the yz
// plane, aimed at (y, z) of it.
static bool press_sheet(sn_verify *verify, sn_mesh *sheet, double patch, double y, double z,
                        sn_vec3 *force, sn_vec3 *torque)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = SN_VEC3_ZERO;
    sn_world *world = NULL;
    sn_error error = {0};
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_MESH;
    shape.mesh = sheet;
    sn_body_def body_def = sn_default_body_def();
    body_def.shapes = &shape;
    body_def.shape_count = 1;
    body_def.frame.rotation = sn_quat_from_axis_angle(sn_vec3_make(0.0, 1.0, 0.0), 0.5 * SN_PI);
    sn_wind_def jet = sn_default_wind_def();
    jet.kind = SN_WIND_JET;
    jet.speed = 10.0;
    jet.radius = 0.005;
    jet.position = sn_vec3_make(-0.5, y, z);
    sn_air_def air = sn_default_air_def();
    air.patch = patch;
    sn_body body = {0};
    sn_field field;
    const double h = 1e-6;
    bool done = sn_world_create(&def, &world, &error) == SN_OK &&
                sn_world_set_air(world, &air, &error) == SN_OK &&
                sn_world_add_body(world, &body_def, &body, &error) == SN_OK &&
                sn_world_add_wind(world, &jet, &field, &error) == SN_OK &&
                sn_world_step(world, h, &error) == SN_OK;
    if (done) {
        *force = sn_vec3_scale(1.0 / h, sn_world_momentum(world));
        *torque = sn_vec3_scale(1.0 / h, sn_world_angular_momentum(world));
    } else {
        sn_verify_broken(verify, &error);
    }
    sn_world_destroy(world);
    return done;
}

// A fish of 42 cm against itself cut as finely as can be: the worst of many aims.
static void verify_fish(sn_verify *verify)
{
    sn_vec2 points[256];
    int count = sn_preset_point_count(SN_PRESET_FISH);
    sn_preset_points(SN_PRESET_FISH, 0.42, 0.168, points);
    sn_outline outline = {points, &count, 1};
    sn_mesh *fish = NULL;
    sn_error error = {0};
    if (sn_mesh_extrusion(&outline, 0.001, &fish, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    double worst = 0.0, turned = 0.0, most = 0.0, strongest = 0.0;
    bool done = true;
    for (int i = 0; i < 21 && done; ++i) {
        int row = i % 3, column = i / 3;
        double y = 0.03 * row - 0.03, z = -0.06 * column - 0.03;
        sn_vec3 force, torque, fine_force, fine_torque;
        done = press_sheet(verify, fish, 0.0, y, z, &force, &torque) &&
               press_sheet(verify, fish, 1e-9, y, z, &fine_force, &fine_torque);
        if (done) {
            worst = fmax(worst, sn_distance(force, fine_force));
            turned = fmax(turned, sn_distance(torque, fine_torque));
            most = fmax(most, sn_length(fine_force));
            strongest = fmax(strongest, sn_length(fine_torque));
        }
    }
    if (done) {
        sn_verify_row(verify, "jet on a fish of 42 cm at 0.5 m, force against a fine cut", 0.0,
                      worst / most, worst / most, 0.02);
        sn_verify_row(verify, "torque about its mouth", 0.0, turned / strongest, turned / strongest,
                      0.02);
    }
    sn_mesh_release(fish);
}

// Every cross section of a jet carries the same momentum, density v0^2 pi R^2: a plate across all
// of it feels half the plate's coefficient of that. Then the fish.
void sn_verify_wind_cut(sn_verify *verify)
{
    sn_mesh *plate = NULL;
    sn_error error = {0};
    sn_vec3 force, torque;
    if (sn_mesh_box(sn_vec3_make(0.42, 0.42, 0.001), &plate, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_air_def air = sn_default_air_def();
    double wanted = 0.5 * air.density * air.normal * 100.0 * SN_PI * 0.005 * 0.005;
    if (press_sheet(verify, plate, 0.0, 0.013, 0.021, &force, &torque)) {
        sn_verify_relative(verify, "jet on a plate of 42 cm at 0.5 m, N", wanted, force.x, 0.01);
    }
    sn_mesh_release(plate);
    verify_fish(verify);
}

// ---- what is hidden ----

static double lit_share(const sn_world *world, sn_field field)
{
    double lit = 0.0, whole = 0.0;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        double of_body;
        lit += sn_world_lit_area(world, field, sn_world_body(world, i), &of_body);
        whole += of_body;
    }
    return lit / whole;
}

void sn_verify_occlusion(sn_verify *verify, const char *name, const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    sn_camera camera = sn_scene_camera(scene);
    sn_vec3 way = sn_vec3_sub(camera.target, camera.position);
    sn_wind_def wind = sn_default_wind_def();
    wind.kind = SN_WIND_CONE;
    wind.position = camera.position;
    wind.direction = way;
    wind.length = 0.2 * sn_length(way);
    wind.radius = 0.4 * wind.length;
    wind.speed = 1e-9;
    wind.occlusion = SN_WIND_OCCLUSION_DEPTH;
    sn_field depth = {0}, rays = {0};
    bool done = sn_scene_build(scene, &world, &error) == SN_OK &&
                sn_world_add_wind(world, &wind, &depth, &error) == SN_OK;
    wind.occlusion = SN_WIND_OCCLUSION_RAYS;
    done = done && sn_world_add_wind(world, &wind, &rays, &error) == SN_OK &&
           sn_world_step(world, 1e-6, &error) == SN_OK;
    if (done) {
        sn_verify_near(verify, name, lit_share(world, rays), lit_share(world, depth), 0.01);
    } else {
        sn_verify_broken(verify, &error);
    }
    sn_world_destroy(world);
}

// ---- energy ----

// The mobile is struck, and hangs in still air from then on: its energy never grows. Gravity's
// part is large, so that steps are judged by the energy of the motion at the start.
void sn_verify_still_air(sn_verify *verify, const char *name, const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    double step = sn_scene_run(scene).step;
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_status status = SN_OK;
    for (sn_field breath; (breath = sn_world_find_breath(world)).index != 0;) {
        sn_world_remove_field(world, breath, &error);
    }
    sn_wind_def still = sn_default_wind_def();
    still.speed = 0.0;
    sn_field air;
    status = sn_world_add_wind(world, &still, &air, &error);
    for (int i = 0; i < 20 && status == SN_OK; ++i) {
        sn_body last = sn_world_body(world, sn_world_body_count(world) - 1);
        sn_body_add_force(world, last, sn_vec3_make(0.02, 0.03, 0.0), sn_body_centre(world, last));
        status = sn_world_step(world, step, &error);
    }
    sn_energy before = sn_world_energy(world);
    double first = before.kinetic, energy = before.kinetic + before.potential, growth = 0.0;
    for (int i = 0; i < 4000 && status == SN_OK; ++i) {
        status = sn_world_step(world, step, &error);
        sn_energy now = sn_world_energy(world);
        growth = fmax(growth, now.kinetic + now.potential - energy);
        energy = fmin(energy, now.kinetic + now.potential);
    }
    if (status == SN_OK) {
        sn_verify_row(verify, name, 0.0, growth / first, growth / first, 1e-3);
    } else {
        sn_verify_broken(verify, &error);
    }
    sn_world_destroy(world);
}

// ---- leaves that strike each other ----

// Two leaves on an arm that hangs on a nail in the origin strike each other, without gravity: the
// nail's impulse passes through the origin, and the impact acts on both leaves alike, so that the
// angular momentum about the nail stays. They start 10 nm apart, and meet within the one step.
static const char leaves_text[] =
    "{\"sinew\":1,\"gravity\":[0,0,0],\"bodies\":["
    "{\"name\":\"arm\",\"shape\":{\"type\":\"box\",\"size\":[0.3,0.01,0.01],\"density\":3000}},"
    "{\"name\":\"right\",\"position\":[0.04500001,0,-0.3],\"shape\":{\"type\":\"sphere\","
    "\"radius\":0.05,\"density\":500,\"restitution\":0.5,\"friction\":0.3},\"velocity\":[-1,0.2,0],"
    "\"angular_velocity\":[0.66666666666666663,3.3333333333333335,0.5]},"
    "{\"name\":\"left\",\"position\":[-0.045,0,-0.3],\"shape\":{\"type\":\"sphere\",\"radius\":0."
    "04,"
    "\"density\":900,\"restitution\":0.5,\"friction\":0.3}}],"
    "\"joints\":[{\"name\":\"nail\",\"type\":\"ball\",\"parent\":\"world\",\"child\":\"arm\","
    "\"at\":[0,0,0]},"
    "{\"name\":\"a\",\"type\":\"ball\",\"parent\":\"arm\",\"child\":\"right\","
    "\"at\":[0.04500001,0,0]},"
    "{\"name\":\"b\",\"type\":\"ball\",\"parent\":\"arm\",\"child\":\"left\",\"at\":[-0.045,0,0]}]"
    "}";

static void strike(sn_verify *verify, sn_world *world)
{
    sn_error error = {0};
    sn_body right = sn_world_find_body(world, "right"), left = sn_world_find_body(world, "left");
    sn_vec3 start = sn_world_angular_momentum(world);
    double energy = sn_world_energy(world).kinetic;
    double closing = sn_body_velocity(world, left).x - sn_body_velocity(world, right).x;
    if (sn_world_step(world, 1e-7, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    double apart = sn_distance(sn_world_angular_momentum(world), start) / sn_length(start);
    double opening = sn_body_velocity(world, right).x - sn_body_velocity(world, left).x;
    sn_verify_row(verify, "momentum about the nail, by itself", 0.0, apart, apart, 1e-13);
    sn_verify_near(verify, "speed after by speed before", 0.5, opening / closing, 1e-3);
    double lost = 1.0 - sn_world_energy(world).kinetic / energy;
    sn_verify_row(verify, "share of energy lost, above 0.01", 0.01, lost, fmax(0.01 - lost, 0.0),
                  0.0);
    // and the arm is struck through its joints
    double arm = sn_length(sn_body_angular_velocity(world, sn_world_find_body(world, "arm")));
    sn_verify_row(verify, "turning of the arm, rad/s, above 0.1", 0.1, arm, fmax(0.1 - arm, 0.0),
                  0.0);
}

void sn_verify_strike(sn_verify *verify)
{
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error error = {0};
    sn_error_list errors = {0};
    if (sn_scene_load_text("verify", leaves_text, strlen(leaves_text), NULL, &scene, &errors) !=
            SN_OK ||
        sn_scene_build(scene, &world, &error) != SN_OK) {
        sn_verify_broken(verify, errors.count > 0 ? &errors.items[0] : &error);
    } else {
        strike(verify, world);
    }
    sn_error_list_free(&errors);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}
