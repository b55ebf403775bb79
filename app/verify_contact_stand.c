// Contact: what must stand still and what must fall.
#include <math.h>
#include <stdio.h>

#include "verify_contact.h"

enum { MINUTE = 60 * 240 };

// Builds its scene in an open trial and tells how far the body that matters has moved.
typedef double scene_way(sn_trial *trial);

static double way_at(sn_verify *verify, scene_way *run, double length)
{
    sn_trial trial;
    sn_trial_open(&trial, length, 1.0);
    double moved = run(&trial);
    moved = sn_trial_good(&trial, verify) ? moved : NAN;
    sn_trial_close(&trial);
    return moved;
}

// What stands must stand at any size: ways are by the unit of the scene.
static void hold(sn_verify *verify, const char *what, scene_way *run, double limit)
{
    static const double lengths[] = {1.0, 0.01, 100.0};
    char line[96];
    for (int k = 0; k < 3; ++k) {
        double moved = way_at(verify, run, lengths[k]);
        snprintf(line, sizeof line, k == 0 ? "%s" : "%s, scaled by %g", what, lengths[k]);
        sn_verify_row(verify, line, 0.0, moved, moved, limit);
    }
}

// What falls must have fallen by `least`, and as far at any size.
static void fall(sn_verify *verify, const char *what, scene_way *run, double least)
{
    char line[96];
    double moved = way_at(verify, run, 1.0);
    sn_verify_near(verify, what, 1.0, moved > least, 0.0);
    for (int k = 0; k < 2; ++k) {
        double length = k == 0 ? 0.01 : 100.0;
        snprintf(line, sizeof line, "%s: way, scaled by %g", what, length);
        sn_verify_relative(verify, line, moved, way_at(verify, run, length), 1e-6);
    }
}

// ---- tipping ----

// A box of width w and height h on a slope that holds it tips beyond atan(w / h).
static sn_body add_leaning(sn_trial *trial, double share, sn_transform *start)
{
    double slope = share * atan(0.5);
    sn_shape box = sn_trial_box(0.2, 0.2, 0.4, 0.9);
    *start = sn_trial_on(slope, 0.0, 0.0, 0.2);
    sn_trial_floor(trial, slope, 0.9);
    return sn_trial_add(trial, &box, *start, SN_VEC3_ZERO);
}

static double lean(sn_trial *trial, double share, int steps)
{
    sn_transform start;
    sn_body box = add_leaning(trial, share, &start);
    sn_trial_run(trial, steps);
    return sn_trial_moved(trial, box, start, 0.25);
}

static double lean_below(sn_trial *trial)
{
    return lean(trial, 0.999, MINUTE);
}

// Just before it would lie on its side.
static double lean_beyond(sn_trial *trial)
{
    return lean(trial, 1.001, 480);
}

void sn_verify_tip(sn_verify *verify)
{
    hold(verify, "slope 0.999 atan(w/h): way in 60 s, m", lean_below, 1e-9);
    fall(verify, "slope 1.001 atan(w/h): falls within 2 s", lean_beyond, 0.1);
}

// ---- sticking ----

enum { MOST_STICKING = 8 };

// Bodies that must not move: where they started, and what pushes them all the time.
typedef struct sticking {
    sn_trial trial;
    int count;
    sn_body bodies[MOST_STICKING];
    sn_transform starts[MOST_STICKING];
    sn_vec3 push;
} sticking;

static void stick(sticking *s, const sn_shape *shape, sn_transform frame)
{
    s->starts[s->count] = frame;
    s->bodies[s->count] = sn_trial_add(&s->trial, shape, frame, SN_VEC3_ZERO);
    s->count += 1;
}

static void on_slope(sticking *s)
{
    sn_shape box = sn_trial_box(0.2, 0.2, 0.1, 0.6);
    sn_trial_floor(&s->trial, 0.5, 0.6);
    stick(s, &box, sn_trial_on(0.5, 0.0, 0.0, 0.05));
}

// On a slope and turned about its normal, so that no axis of the box lies along the slope.
static void turned_on_slope(sticking *s)
{
    sn_shape box = sn_trial_box(0.2, 0.3, 0.1, 0.6), ramp = sn_trial_box(4.0, 4.0, 0.5, 0.6);
    sn_transform frame = sn_trial_on(0.5, 0.0, 0.0, 0.05);
    frame.rotation = sn_quat_multiply(frame.rotation, (sn_quat){cos(0.35), 0.0, 0.0, sin(0.35)});
    sn_trial_fix(&s->trial, &ramp, sn_trial_on(0.5, 0.0, 0.0, -0.25));
    stick(s, &box, frame);
}

// 2 kg pressed to a wall by 60 N: friction may carry 24 N.
static void at_wall(sticking *s)
{
    sn_shape box = sn_trial_box(0.1, 0.2, 0.1, 0.4), wall = sn_trial_box(0.5, 4.0, 4.0, 0.4);
    sn_trial_fix(&s->trial, &wall, sn_trial_at(0.25, 0.0, 0.0, 0.0));
    stick(s, &box, sn_trial_at(-0.05, 0.0, 0.0, 0.0));
    s->push = sn_vec3_make(60.0, 0.0, 0.0);
}

static void stacked(sticking *s)
{
    sn_shape box = sn_trial_box(0.2, 0.2, 0.2, 0.5);
    sn_trial_floor(&s->trial, 0.1, 0.5);
    for (int i = 0; i < 5; ++i) {
        stick(s, &box, sn_trial_on(0.1, 0.01 * (i % 2), 0.0, 0.1 + 0.2 * i));
    }
}

// Flat ground of 8 x 8 squares, as triangles or as heights, which slopes down along x.
static void add_ground(sticking *s, bool as_mesh, double slope)
{
    enum { EDGE = 9 };
    double heights[EDGE * EDGE];
    sn_height_field *field = NULL;
    sn_shape ground = sn_default_shape();
    ground.surface.friction = 0.6;
    for (int i = 0; i < EDGE * EDGE; ++i) {
        heights[i] = -tan(slope) * (0.125 * (i % EDGE) - 0.5) * 2.0;
    }
    sn_status status =
        sn_height_field_create(heights, EDGE, EDGE, 2.0, 2.0, &field, &s->trial.error);
    if (status == SN_OK && as_mesh) {
        ground.type = SN_SHAPE_MESH;
        status = sn_height_field_mesh(field, &ground.mesh, &s->trial.error);
    } else {
        ground.type = SN_SHAPE_HEIGHT_FIELD;
        ground.field = sn_height_field_retain(field);
    }
    sn_height_field_release(field);
    s->trial.status = s->trial.status == SN_OK ? status : s->trial.status;
    if (s->trial.status == SN_OK) {
        sn_trial_fix(&s->trial, &ground, SN_TRANSFORM_IDENTITY);
    }
    sn_shape_release(&ground);
}

static void on_mesh(sticking *s)
{
    sn_shape box = sn_trial_box(0.3, 0.2, 0.1, 0.6);
    add_ground(s, true, 0.5);
    stick(s, &box, sn_trial_on(0.5, 0.03, 0.02, 0.05));
}

static void on_heights(sticking *s)
{
    sn_shape box = sn_trial_box(0.3, 0.2, 0.1, 0.6);
    add_ground(s, false, 0.5);
    stick(s, &box, sn_trial_on(0.5, 0.03, 0.02, 0.05));
}

static void ball_rests(sticking *s)
{
    sn_shape ball = sn_trial_ball(0.1, 0.5), cylinder = sn_default_shape();
    ball.surface.rolling_friction = 0.01;
    cylinder.type = SN_SHAPE_CYLINDER;
    cylinder.radius = 0.1;
    cylinder.height = 0.2;
    sn_trial_floor(&s->trial, 0.05, 0.5);
    stick(s, &ball, sn_trial_on(0.05, 0.0, 0.0, 0.1));
    stick(s, &cylinder, sn_trial_on(0.05, 0.0, 0.5, 0.1));
}

static void stay(sn_verify *verify, const char *what, void (*build)(sticking *s), bool sleep,
                 double length)
{
    sticking s = {.count = 0};
    sn_contact_def contact = sn_default_contact_def();
    contact.sleep = sleep;
    sn_trial_open_with(&s.trial, length, 1.0, &contact, SN_TRIAL_GRAVITY);
    if (s.trial.status == SN_OK) {
        build(&s);
    }
    bool pushes = sn_dot(s.push, s.push) > 0.0;
    for (int i = 0; i < MINUTE && s.trial.status == SN_OK; ++i) {
        for (int k = 0; k < s.count && pushes; ++k) {
            sn_trial_push(&s.trial, s.bodies[k], s.push);
        }
        sn_trial_run(&s.trial, 1);
    }
    if (sn_trial_good(&s.trial, verify)) {
        double most = 0.0;
        for (int k = 0; k < s.count; ++k) {
            most = fmax(most, sn_trial_moved(&s.trial, s.bodies[k], s.starts[k], 0.2));
        }
        sn_verify_row(verify, what, 0.0, most, most, 1e-9);
    }
    sn_trial_close(&s.trial);
}

void sn_verify_stick(sn_verify *verify)
{
    stay(verify, "block on a slope: way in 60 s, m", on_slope, false, 1.0);
    stay(verify, "block turned on a ramp: way in 60 s, m", turned_on_slope, false, 1.0);
    stay(verify, "block pressed to a wall: way in 60 s, m", at_wall, false, 1.0);
    stay(verify, "five blocks on a slope: way in 60 s, m", stacked, false, 1.0);
    stay(verify, "the same, asleep: way in 60 s, m", stacked, true, 1.0);
    stay(verify, "five blocks, 0.01 times as large: way in 60 s by size", stacked, false, 0.01);
    stay(verify, "five blocks, 100 times as large: way in 60 s by size", stacked, false, 100.0);
    stay(verify, "block on a slope of triangles: way in 60 s, m", on_mesh, false, 1.0);
    stay(verify, "block on a slope of heights: way in 60 s, m", on_heights, false, 1.0);
    stay(verify, "ball with rolling friction, cylinder: way in 60 s, m", ball_rests, false, 1.0);
}

// ---- towers and loads ----

static double tower(sn_trial *trial)
{
    sn_shape box = sn_trial_box(0.2, 0.2, 0.2, 0.5);
    sn_body top = {0};
    sn_transform start = {0};
    sn_trial_floor(trial, 0.0, 0.5);
    for (int i = 0; i < 20; ++i) {
        start = sn_trial_at(0.0, 0.0, 0.1 + 0.2 * i, 0.0);
        top = sn_trial_add(trial, &box, start, SN_VEC3_ZERO);
    }
    sn_trial_run(trial, MINUTE);
    return sn_trial_moved(trial, top, start, 0.2);
}

void sn_verify_tower(sn_verify *verify)
{
    hold(verify, "20 boxes: way of the top in 60 s, m", tower, 1e-6);
}

static double heavy_on_light(sn_trial *trial)
{
    sn_shape light = sn_trial_box(0.1, 0.1, 0.1, 0.5), heavy = sn_trial_box(0.5, 0.5, 0.5, 0.5);
    light.density = 1000.0; // 1 kg
    heavy.density = 8000.0; // 1,000 kg
    sn_transform start = sn_trial_at(0.0, 0.0, 0.35, 0.0);
    sn_trial_floor(trial, 0.0, 0.5);
    sn_trial_add(trial, &light, sn_trial_at(0.0, 0.0, 0.05, 0.0), SN_VEC3_ZERO);
    sn_body top = sn_trial_add(trial, &heavy, start, SN_VEC3_ZERO);
    sn_trial_run(trial, MINUTE);
    return sn_trial_moved(trial, top, start, 0.2);
}

void sn_verify_heavy(sn_verify *verify)
{
    hold(verify, "1,000 kg on 1 kg: way in 60 s, m", heavy_on_light, 1e-3);
}

// ---- a house of cards ----

// Pairs of cards lean on each other by LEAN from upright, five on the ground, each storey's floor
// one long card on the ridges of the pairs, and one pair less on it. Across a ridge two edges are
// 2 t cos(LEAN) apart; neighbouring feet leave each other the same.
static const double CARD = 0.1, CARD_WIDTH = 0.06, THICK = 0.002, LEAN = 0.35;

static double cards(sn_trial *trial, int steps)
{
    sn_shape card = sn_trial_box(THICK, CARD_WIDTH, CARD, 0.5);
    sn_body top = {0};
    sn_transform start = {0};
    sn_trial_floor(trial, 0.0, 0.5);
    double across = 0.5 * (CARD * sin(LEAN) + THICK * cos(LEAN)); // half of a card's extent in x
    double tall = CARD * cos(LEAN) + THICK * sin(LEAN), pitch = 4.0 * across + 0.1 * THICK, z = 0.0;
    for (int storey = 0; storey < 5; ++storey) {
        int pairs = 5 - storey;
        for (int i = 0; i < 2 * pairs; ++i) {
            double middle = pitch * (i / 2 - 0.5 * (pairs - 1)), side = i % 2 == 0 ? -1.0 : 1.0;
            start = sn_trial_at(middle + side * across, 0.0, z + 0.5 * tall, -side * LEAN);
            top = sn_trial_add(trial, &card, start, SN_VEC3_ZERO);
        }
        z += tall + THICK;
        sn_shape floor = sn_trial_box(pitch * pairs, CARD_WIDTH, THICK, 0.5);
        if (pairs > 1) {
            sn_trial_add(trial, &floor, sn_trial_at(0.0, 0.0, z - 0.5 * THICK, 0.0), SN_VEC3_ZERO);
        }
    }
    sn_trial_run(trial, steps);
    return sn_trial_moved(trial, top, start, 0.2);
}

static double cards_minute(sn_trial *trial)
{
    return cards(trial, MINUTE);
}

static double cards_short(sn_trial *trial)
{
    return cards(trial, MINUTE / 20);
}

void sn_verify_cards(sn_verify *verify)
{
    double moved = way_at(verify, cards_minute, 1.0);
    sn_verify_row(verify, "5 storeys: way of the top in 60 s, m", 0.0, moved, moved, 1e-3);
    hold(verify, "5 storeys: way of the top in 3 s, m", cards_short, 1e-6);
}

// ---- arches ----

enum { STONES = 25 };

// One stone of a half circle of mean radius 1: 1/25 of the turn, between radii 1 -+ t/2.
static sn_status make_stone(double thickness, double length, sn_mesh **mesh, sn_error *error)
{
    static const int triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    sn_vec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        double radius = 1.0 + (i & 1 ? 0.5 : -0.5) * thickness;
        double angle = (i & 2 ? 0.5 : -0.5) * SN_PI / STONES;
        corners[i] = sn_vec3_scale(length, sn_vec3_make(radius * sin(angle), i & 4 ? 0.15 : -0.15,
                                                        radius * cos(angle) - 1.0));
    }
    return sn_mesh_create(corners, 8, triangles, 12, mesh, error);
}

// How far the keystone has come down after `steps`.
static double arch(sn_trial *trial, double thickness, int steps)
{
    sn_shape stone = sn_default_shape();
    sn_transform start = {0};
    sn_body key = {0};
    stone.type = SN_SHAPE_HULL;
    stone.surface.friction = 0.8;
    stone.density = 2400.0;
    if (trial->status == SN_OK) {
        trial->status = make_stone(thickness, trial->length, &stone.mesh, &trial->error);
    }
    if (trial->status == SN_OK) {
        sn_trial_floor(trial, 0.0, 0.8);
    }
    for (int i = 0; i < STONES && trial->status == SN_OK; ++i) {
        double angle = SN_PI * ((i + 0.5) / STONES - 0.5);
        sn_transform frame = sn_trial_on(angle, 0.0, 0.0, 1.0);
        sn_body body = sn_trial_add(trial, &stone, frame, SN_VEC3_ZERO);
        key = i == STONES / 2 ? body : key;
        start = i == STONES / 2 ? frame : start;
    }
    sn_trial_run(trial, steps);
    sn_mesh_release(stone.mesh);
    return sn_trial_moved(trial, key, start, 0.2);
}

static double thick_arch(sn_trial *trial)
{
    return arch(trial, 0.13, MINUTE);
}

// Before stones meet the ground: what comes then is chaotic.
static double thin_arch(sn_trial *trial)
{
    return arch(trial, 0.09, 60);
}

static double fallen_arch(sn_trial *trial)
{
    return arch(trial, 0.09, 5 * 240);
}

void sn_verify_arch(sn_verify *verify)
{
    hold(verify, "25 stones, t/R 0.13: way of the keystone in 60 s, m", thick_arch, 1e-3);
    double moved = way_at(verify, fallen_arch, 1.0);
    sn_verify_near(verify, "25 stones, t/R 0.09: falls within 5 s", 1.0, moved > 0.5, 0.0);
    fall(verify, "25 stones, t/R 0.09: has given way after 0.25 s", thin_arch, 0.001);
}

// ---- a pile ----

// 1,000 boxes in ten layers, every second one shifted, fall by a quarter of their size: the time
// after which all of them sleep, at 1/60 s.
static void all_asleep(sn_verify *verify)
{
    enum { BOXES = 1000, STEPS = 600 };
    sn_trial trial;
    sn_contact_def contact = sn_default_contact_def();
    sn_trial_open_with(&trial, 1.0, 1.0, &contact, SN_TRIAL_GRAVITY);
    sn_shape box = sn_trial_box(1.0, 1.0, 1.0, 0.5);
    sn_trial_floor(&trial, 0.0, 0.5);
    for (int i = 0; i < BOXES; ++i) {
        int layer = i / 100;
        double shift = layer % 2 != 0 ? 0.3 : 0.0;
        sn_transform frame = sn_trial_at(1.25 * (i % 10) + shift, 1.25 * (i / 10 % 10) + shift,
                                         0.625 + 1.25 * layer, 0.0);
        sn_trial_add(&trial, &box, frame, SN_VEC3_ZERO);
    }
    int steps = 0;
    while (trial.status == SN_OK && steps < STEPS &&
           sn_world_report(trial.world).sleeping < BOXES) {
        trial.status = sn_world_step(trial.world, 1.0 / 60.0, &trial.error);
        steps += 1;
    }
    if (sn_trial_good(&trial, verify)) {
        double after = steps / 60.0;
        sn_verify_row(verify, "1,000 boxes: all asleep after, s", 0.0, after, after, 9.9);
    }
    sn_trial_close(&trial);
}

void sn_verify_settled(sn_verify *verify)
{
    enum { BOXES = 200 };
    sn_trial trial;
    sn_trial_open(&trial, 1.0, 1.0);
    sn_shape box = sn_trial_box(0.2, 0.2, 0.2, 0.5);
    sn_trial_floor(&trial, 0.0, 0.5);
    for (int i = 0; i < BOXES; ++i) {
        int layer = i / 25;
        double turn = 0.3 * (i % 7);
        sn_transform frame =
            sn_trial_at(0.23 * (i % 5 - 2) + 0.02 * (layer % 3),
                        0.23 * (i / 5 % 5 - 2) - 0.015 * (layer % 2), 0.15 + 0.24 * layer, 0.0);
        frame.rotation = (sn_quat){cos(0.05 * turn), 0.0, 0.0, sin(0.05 * turn)};
        sn_trial_add(&trial, &box, frame, SN_VEC3_ZERO);
    }
    sn_trial_run(&trial, 5 * 240);
    sn_vec3 places[1 + BOXES];
    for (int i = 0; i <= BOXES; ++i) {
        places[i] = sn_trial_place(&trial, sn_world_body(trial.world, i));
    }
    sn_trial_run(&trial, 240);
    if (sn_trial_good(&trial, verify)) {
        double deepest = 0.0, farthest = 0.0;
        for (int i = 0; i < sn_world_contact_count(trial.world); ++i) {
            sn_contact_info touch = sn_world_contact(trial.world, i);
            for (int k = 0; k < touch.count; ++k) {
                deepest = fmax(deepest, -touch.spots[k].gap / 0.2);
            }
        }
        for (int i = 0; i <= BOXES; ++i) {
            sn_vec3 place = sn_trial_place(&trial, sn_world_body(trial.world, i));
            farthest = fmax(farthest, sn_distance(place, places[i]) / 0.2);
        }
        sn_verify_row(verify, "200 boxes after 6 s: deepest overlap by size", 0.0, deepest, deepest,
                      1e-2);
        sn_verify_row(verify, "200 boxes after 6 s: way in the last second by size", 0.0, farthest,
                      farthest, 1e-2);
    }
    sn_trial_close(&trial);
    all_asleep(verify);
}
