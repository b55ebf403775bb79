// Elastic blocks where rigid ones have closed forms: friction, belts, walls, stacks, tipping. The
// blocks are stiff, so that what they give way is far below what is asked for.
//
// Not run: balls that roll, roll out and spin out (a mesh has corners, so there is no rolling on a
// line), bouncing balls (restitution is of rigid impacts; an elastic body rebounds by its waves,
// which the cases of bars tell), the chain on a drum and the arch (which are no blocks).
#include <math.h>

#include "verify_contact.h"
#include "verify_elastic.h"

static const double g = SN_TRIAL_GRAVITY, h = SN_TRIAL_STEP;

// Slope atan(1/2).
static const double SLOPE = 0.46364760900080612;

enum { SETTLE = 120, MINUTE = 60 * 240 };

// ---- blocks ----

typedef struct soft_block {
    sn_vec3 size;
    int cells[3];
    sn_transform frame;
    double friction, young;
} soft_block;

static soft_block plain(double friction, sn_transform frame)
{
    return (soft_block){.size = {0.2, 0.2, 0.1},
                        .cells = {2, 2, 1},
                        .frame = frame,
                        .friction = friction,
                        .young = 1e7};
}

// Skins keep a thousandth of the body's radius: put down so high, a block does not fall.
static double thickness(sn_vec3 size)
{
    return 1e-3 * 0.5 * sn_length(size);
}

// All lengths, masses and times as of trials.
static sn_body add_block(sn_trial *trial, const soft_block *block)
{
    double l = trial->length;
    sn_tetrahedra_box box = {.size = sn_vec3_scale(l, block->size), .cell = SN_CELL_SIX_MIRRORED};
    box.cells[0] = block->cells[0];
    box.cells[1] = block->cells[1];
    box.cells[2] = block->cells[2];
    sn_tetrahedra *mesh = NULL;
    sn_body body = {0};
    if (trial->status == SN_OK) {
        trial->status = sn_tetrahedra_make_box(&box, &mesh, &trial->error);
    }
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic =
        sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, block->young * trial->mass / (l * l), 0.3);
    material.density = 1000.0 * trial->mass / (l * l * l);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame = block->frame;
    def.frame.position = sn_vec3_scale(l, block->frame.position);
    def.stiffness_damping = 2e-3 * trial->time;
    def.surface.friction = block->friction;
    if (trial->status == SN_OK) {
        trial->status = sn_world_add_elastic(trial->world, &def, &body, &trial->error);
    }
    sn_tetrahedra_release(mesh);
    return body;
}

static sn_body block_on(sn_trial *trial, double slope, double friction)
{
    soft_block block = plain(friction, SN_TRANSFORM_IDENTITY);
    block.frame = sn_trial_on(slope, 0.0, 0.0, 0.05 + thickness(block.size));
    sn_trial_floor(trial, slope, friction);
    return add_block(trial, &block);
}

static double mass_of(const sn_trial *trial, sn_body body)
{
    return sn_body_mass_properties(trial->world, body).mass / trial->mass;
}

// ---- sliding ----

// a = g (sin a - friction cos a), from the speeds at 0.5 s and 2.5 s.
static double slide_down(sn_trial *trial)
{
    sn_body block = block_on(trial, SLOPE, 0.49);
    sn_trial_run(trial, SETTLE);
    double start = sn_length(sn_trial_velocity(trial, block));
    sn_trial_run(trial, 480);
    return 0.5 * (sn_length(sn_trial_velocity(trial, block)) - start);
}

static sn_body thrown(sn_trial *trial)
{
    sn_body block = block_on(trial, 0.0, 0.3);
    sn_trial_run(trial, SETTLE);
    if (trial->status == SN_OK) {
        sn_vec3 velocity = {2.0 * trial->length / trial->time, 0.0, 0.0};
        trial->status =
            sn_body_set_velocity(trial->world, block, velocity, SN_VEC3_ZERO, &trial->error);
    }
    return block;
}

// Where the speed, which falls at a steady rate, comes through zero: the rate is that of most of
// the way, since a block shivers while it comes to rest.
static double time_to_reach(sn_trial *trial, sn_body block, double speed, double rate)
{
    double start = sn_trial_time(trial), first = sn_trial_velocity(trial, block).x;
    int steps = (int)(0.9 * (speed - first) / rate / h);
    sn_trial_run(trial, steps);
    double now = sn_trial_velocity(trial, block).x, took = sn_trial_time(trial) - start;
    return took * (speed - first) / (now - first);
}

static double stop_time(sn_trial *trial)
{
    return time_to_reach(trial, thrown(trial), 0.0, -0.3 * g);
}

static double stop_way(sn_trial *trial)
{
    sn_body block = thrown(trial);
    double start = sn_trial_place(trial, block).x;
    sn_trial_run(trial, 240);
    return sn_trial_place(trial, block).x - start;
}

// Pushed at its middle by 1.5 times what friction bears: a = F/m - friction g.
static double pushed(sn_trial *trial)
{
    sn_body block = block_on(trial, 0.0, 0.4);
    sn_trial_run(trial, SETTLE);
    double force = 1.5 * 0.4 * mass_of(trial, block) * g, start = 0.0;
    for (int i = 0; i < 360 && trial->status == SN_OK; ++i) {
        start = i == 120 ? sn_trial_velocity(trial, block).x : start;
        sn_trial_push(trial, block, sn_vec3_make(force, 0.0, 0.0));
        sn_trial_run(trial, 1);
    }
    return sn_trial_velocity(trial, block).x - start;
}

// ---- belts ----

static sn_body block_on_belt(sn_trial *trial)
{
    soft_block block = plain(0.4, SN_TRANSFORM_IDENTITY);
    block.frame.position.z = 0.05 + thickness(block.size);
    sn_shape belt = sn_trial_box(20.0, 2.0, 0.2, 0.4);
    belt.surface.velocity.x = 1.5;
    sn_trial_fix(trial, &belt, sn_trial_at(0.0, 0.0, -0.1, 0.0));
    return add_block(trial, &block);
}

static double carried_after(sn_trial *trial)
{
    return time_to_reach(trial, block_on_belt(trial), 1.5, 0.4 * g);
}

static double carried_way(sn_trial *trial)
{
    sn_body block = block_on_belt(trial);
    sn_trial_run(trial, 480);
    return sn_trial_place(trial, block).x;
}

static double carried_at(sn_trial *trial)
{
    sn_body block = block_on_belt(trial);
    sn_trial_run(trial, 480);
    return sn_trial_velocity(trial, block).x;
}

void sn_verify_elastic_slide(sn_verify *verify)
{
    double stick = 1.5 / (0.4 * g);
    const sn_trial_measure measures[] = {
        {"friction 0.49 on a slope of 1/2: m/s^2", slide_down, 0.087743, 5e-3},
        {"stop from 2 m/s, friction 0.3: s", stop_time, 0.67958, 5e-3},
        {"stop from 2 m/s, friction 0.3: m", stop_way, 0.67958, 5e-3},
        {"pushed by 1.5 friction m g: m/s^2", pushed, 0.5 * 0.4 * g, 5e-3},
        {"a belt of 1.5 m/s, friction 0.4, has it after: s", carried_after, stick, 5e-3},
        {"on the belt in 2 s: m", carried_way, 1.5 * (2.0 - 0.5 * stick), 5e-3},
        {"on the belt in the end: m/s", carried_at, 1.5, 5e-3},
    };
    sn_trial_compare(verify, measures, sizeof measures / sizeof measures[0]);
}

// ---- sticking ----

enum { MOST_STICKING = 4, MOST_VERTICES = 64 };

typedef struct sticking {
    sn_trial trial;
    int count;
    sn_body bodies[MOST_STICKING];
    sn_vec3 push; // on each, at its middle
    sn_vec3 starts[MOST_STICKING][MOST_VERTICES];
} sticking;

static void stick(sticking *s, const soft_block *block)
{
    s->bodies[s->count++] = add_block(&s->trial, block);
}

static void on_slope_with(sticking *s, double share)
{
    soft_block block = plain(0.5, SN_TRANSFORM_IDENTITY);
    double slope = atan(0.5 * share);
    block.frame = sn_trial_on(slope, 0.0, 0.0, 0.05 + thickness(block.size));
    sn_trial_floor(&s->trial, slope, 0.5);
    stick(s, &block);
}

static void on_slope(sticking *s)
{
    on_slope_with(s, 0.995);
}

static void turned_on_ramp(sticking *s)
{
    soft_block block = plain(0.6, SN_TRANSFORM_IDENTITY);
    block.size.y = 0.3;
    block.frame = sn_trial_on(0.5, 0.0, 0.0, 0.05 + thickness(block.size));
    block.frame.rotation =
        sn_quat_multiply(block.frame.rotation, (sn_quat){cos(0.35), 0.0, 0.0, sin(0.35)});
    sn_shape ramp = sn_trial_box(4.0, 4.0, 0.5, 0.6);
    sn_trial_fix(&s->trial, &ramp, sn_trial_on(0.5, 0.0, 0.0, -0.25));
    stick(s, &block);
}

// 4 kg pressed to a wall by 120 N: friction may carry 48 N of 39.
static void at_wall(sticking *s)
{
    soft_block block = plain(0.4, SN_TRANSFORM_IDENTITY);
    block.size = sn_vec3_make(0.1, 0.2, 0.2);
    block.cells[0] = 1;
    block.cells[2] = 2;
    block.frame.position.x = -0.05 - thickness(block.size);
    sn_shape wall = sn_trial_box(0.5, 4.0, 4.0, 0.4);
    sn_trial_fix(&s->trial, &wall, sn_trial_at(0.25, 0.0, 0.0, 0.0));
    stick(s, &block);
    s->push = sn_vec3_make(120.0, 0.0, 0.0);
}

static void pushed_in_vain(sticking *s)
{
    soft_block block = plain(0.4, SN_TRANSFORM_IDENTITY);
    block.frame.position.z = 0.05 + thickness(block.size);
    sn_trial_floor(&s->trial, 0.0, 0.4);
    stick(s, &block);
    s->push = sn_vec3_make(0.98 * 0.4 * 4.0 * g, 0.0, 0.0);
}

static void stacked(sticking *s)
{
    sn_trial_floor(&s->trial, 0.1, 0.5);
    for (int i = 0; i < 3; ++i) {
        soft_block block = plain(0.5, SN_TRANSFORM_IDENTITY);
        double apart = thickness(block.size);
        block.cells[0] = block.cells[1] = 1;
        block.frame = sn_trial_on(0.1, 0.01 * (i % 2), 0.0, 0.05 + apart + (0.1 + apart) * i);
        stick(s, &block);
    }
}

// A rigid box of 40 kg on a block of 4 kg.
static void under_load(sticking *s)
{
    soft_block block = plain(0.5, SN_TRANSFORM_IDENTITY);
    double apart = thickness(block.size);
    block.frame.position.z = 0.05 + apart;
    sn_shape box = sn_trial_box(0.2, 0.2, 0.2, 0.5);
    box.density = 5000.0;
    sn_trial_floor(&s->trial, 0.0, 0.5);
    stick(s, &block);
    sn_trial_add(&s->trial, &box, sn_trial_at(0.0, 0.0, 0.2 + 2.0 * apart, 0.0), SN_VEC3_ZERO);
}

static void read_all(sticking *s, sn_vec3 places[MOST_STICKING][MOST_VERTICES])
{
    for (int k = 0; k < s->count && s->trial.status == SN_OK; ++k) {
        if (sn_body_vertex_count(s->trial.world, s->bodies[k]) <= MOST_VERTICES) {
            sn_body_read_vertices(s->trial.world, s->bodies[k], places[k], NULL);
        }
    }
}

static void run_pushed(sticking *s, int steps)
{
    bool pushes = sn_dot(s->push, s->push) > 0.0;
    for (int i = 0; i < steps && s->trial.status == SN_OK; ++i) {
        for (int k = 0; k < s->count && pushes; ++k) {
            sn_trial_push(&s->trial, s->bodies[k], s->push);
        }
        sn_trial_run(&s->trial, 1);
    }
}

// The way of the vertex that goes farthest in a minute, after two seconds to settle.
static void stay(sn_verify *verify, const char *what, void (*build)(sticking *s), double length)
{
    sticking s = {.count = 0};
    sn_vec3 ends[MOST_STICKING][MOST_VERTICES];
    sn_trial_open(&s.trial, length, 1.0);
    if (s.trial.status == SN_OK) {
        build(&s);
    }
    run_pushed(&s, 480);
    read_all(&s, s.starts);
    run_pushed(&s, MINUTE);
    read_all(&s, ends);
    if (sn_trial_good(&s.trial, verify)) {
        double most = 0.0;
        for (int k = 0; k < s.count; ++k) {
            for (int i = 0; i < sn_body_vertex_count(s.trial.world, s.bodies[k]); ++i) {
                most = fmax(most, sn_distance(s.starts[k][i], ends[k][i]) / length);
            }
        }
        sn_verify_row(verify, what, 0.0, most, most, 1e-9);
    }
    sn_trial_close(&s.trial);
}

void sn_verify_elastic_stick(sn_verify *verify)
{
    stay(verify, "slope of 0.995 friction: way in 60 s, m", on_slope, 1.0);
    stay(verify, "the same, 0.01 times as large: way in 60 s by size", on_slope, 0.01);
    stay(verify, "the same, 100 times as large: way in 60 s by size", on_slope, 100.0);
    stay(verify, "turned on a ramp: way in 60 s, m", turned_on_ramp, 1.0);
    stay(verify, "pressed to a wall: way in 60 s, m", at_wall, 1.0);
    stay(verify, "pushed by 0.98 friction m g: way in 60 s, m", pushed_in_vain, 1.0);
    stay(verify, "under ten times its weight: way in 60 s, m", under_load, 1.0);
    stay(verify, "three blocks on a slope: way in 60 s, m", stacked, 1.0);
}

// ---- tipping ----

// A column of width w and height 2 w on a slope that holds it tips beyond atan(w / h), less what
// its lower edge gives way.
static double lean(sn_trial *trial, double share, int steps)
{
    double slope = share * atan(0.5);
    soft_block block = {.size = {0.2, 0.2, 0.4}, .cells = {2, 2, 4}, .friction = 0.9, .young = 1e9};
    block.frame = sn_trial_on(slope, 0.0, 0.0, 0.2 + thickness(block.size));
    sn_trial_floor(trial, slope, 0.9);
    sn_body body = add_block(trial, &block);
    sn_vec3 start = sn_trial_place(trial, body);
    sn_trial_run(trial, steps);
    return sn_distance(sn_trial_place(trial, body), start);
}

void sn_verify_elastic_tip(sn_verify *verify)
{
    static const struct {
        const char *what;
        double share;
        bool falls;
    } cases[] = {{"column at 0.995 atan(w/h): falls within 6 s", 0.995, false},
                 {"column at 1.005 atan(w/h): falls within 6 s", 1.005, true}};
    for (int k = 0; k < 2; ++k) {
        sn_trial trial;
        sn_trial_open(&trial, 1.0, 1.0);
        double moved = lean(&trial, cases[k].share, 6 * 240);
        if (sn_trial_good(&trial, verify)) {
            sn_verify_near(verify, cases[k].what, cases[k].falls, moved > 0.1, 0.0);
        }
        sn_trial_close(&trial);
    }
}

// ---- between two plates ----

// A block that is squeezed between two walls, by 0.1 % of its width or so, holds itself up as long
// as 2 friction N bears its weight; where it does not, it falls with g - 2 friction N / m. N is
// what contacts say.
static double between_plates(sn_trial *trial, double friction, double squeeze, int settle,
                             double *held)
{
    soft_block block = plain(friction, SN_TRANSFORM_IDENTITY);
    double kept = thickness(block.size);
    sn_shape wall = sn_trial_box(0.5, 8.0, 8.0, friction);
    double reach = 0.1 * (1.0 - squeeze) + kept;
    sn_trial_fix(trial, &wall, sn_trial_at(reach + 0.25, 0.0, 0.0, 0.0));
    sn_trial_fix(trial, &wall, sn_trial_at(-reach - 0.25, 0.0, 0.0, 0.0));
    sn_body body = add_block(trial, &block);
    sn_vec3 places[MOST_VERTICES];
    int count = trial->status == SN_OK ? sn_body_vertex_count(trial->world, body) : 0;
    if (count > MOST_VERTICES || trial->status != SN_OK) {
        return NAN;
    }
    sn_body_read_vertices(trial->world, body, places, NULL);
    for (int i = 0; i < count; ++i) {
        places[i].x *= 1.0 - squeeze;
    }
    trial->status = sn_body_write_vertices(trial->world, body, places, NULL, &trial->error);
    sn_trial_run(trial, settle);
    double start = sn_trial_velocity(trial, body).z, normal = 0.0;
    for (int i = 0; i < 240 && trial->status == SN_OK; ++i) {
        sn_trial_run(trial, 1);
        for (int k = 0; k < sn_world_contact_count(trial->world); ++k) {
            normal += fabs(sn_world_contact(trial->world, k).force.x) / 240.0;
        }
    }
    *held = friction * normal / (mass_of(trial, body) * g);
    return start - sn_trial_velocity(trial, body).z;
}

void sn_verify_elastic_plates(sn_verify *verify)
{
    for (int k = 0; k < 2; ++k) {
        double held = NAN, fall;
        sn_trial trial;
        sn_trial_open(&trial, 1.0, 1.0);
        fall =
            between_plates(&trial, k == 0 ? 0.3 : 0.1, 5e-4, k == 0 ? 8 * SETTLE : SETTLE, &held);
        if (sn_trial_good(&trial, verify)) {
            if (k == 0) {
                sn_verify_near(verify, "friction 0.3: m/s^2 down", 0.0, fall, 1e-9);
            } else {
                sn_verify_relative(verify, "friction 0.1: m/s^2 down", g * (1.0 - held), fall,
                                   5e-3);
            }
        }
        sn_trial_close(&trial);
    }
}

// ---- a bar against a wall ----

// A bar of length 10, E 1, density 1 comes to a wall at 0.1: it stays there for 20 s, while a wave
// of speed 1 runs to its end and back, pushes with E A v/c = 0.1, and goes as fast as it came.
void sn_verify_elastic_wall(sn_verify *verify)
{
    const double speed = 0.1, step = 0.05;
    sn_error error = {0};
    sn_bar_def def = sn_wave_bar_def();
    sn_world *world = NULL;
    sn_body bar, wall;
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    sn_surface surface = sn_default_elastic_def().surface;
    surface.friction = 0.0;
    sn_shape box = sn_trial_box(1.0, 4.0, 4.0, 0.0);
    sn_body_def wall_def = sn_default_body_def();
    wall_def.type = SN_BODY_STATIC;
    wall_def.shapes = &box;
    wall_def.shape_count = 1;
    wall_def.frame.position.x = -0.5;
    sn_status status = sn_world_create(&world_def, &world, &error);
    if (status == SN_OK) {
        status = sn_world_add_body(world, &wall_def, &wall, &error);
    }
    if (status == SN_OK) {
        status = sn_bar_add(world, &def, "bar", (sn_vec3){0.02, 0.0, 0.0},
                            (sn_vec3){-speed, 0.0, 0.0}, surface, &bar, &error);
    }
    double begin = NAN, end = NAN, force = 0.0, impulse = 0.0;
    for (int i = 1; i <= 500 && status == SN_OK; ++i) {
        status = sn_world_step(world, step, &error);
        for (int k = 0; k < sn_world_contact_event_count(world); ++k) {
            sn_contact_event event = sn_world_contact_event(world, k);
            begin = event.change == SN_CONTACT_BEGIN && isnan(begin) ? event.time : begin;
            end = event.change == SN_CONTACT_END ? event.time : end;
        }
        double now = sn_body_contact_force(world, bar, NULL).x;
        impulse += step * now;
        force += i * step > 3.0 && i * step <= 18.0 ? now * step / 15.0 : 0.0;
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        double left = sn_body_velocity(world, bar).x;
        sn_verify_relative(verify, "seconds from begin to end of contact", 20.0, end - begin, 0.05);
        sn_verify_relative(verify, "contact force, mean from 3 s to 18 s", speed, force, 0.01);
        sn_verify_relative(verify, "velocity after it", speed, left, 0.02);
        sn_verify_relative(verify, "sum of contact impulses", 10.0 * (left + speed), impulse,
                           1e-10);
    }
    sn_world_destroy(world);
}
