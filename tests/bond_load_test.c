// What bonds carry under integrators with stages, against closed forms and lockstep, and how they
// break: when, under what, and that all goes on from there.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shortage.h"
#include "sinew/sinew.h"
#include "world_steps.h"

static const double GRAVITY = 9.81, GROWTH = 7.0; // m/s^2, N/s

static void must(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(error));
    }
}

static sn_world *make_world(sn_policy policy, double gravity)
{
    sn_error error = {0};
    sn_world *world = NULL;
    sn_world_def def = sn_default_world_def();
    def.policy = policy;
    def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    def.contact.method = policy == SN_POLICY_PRECISE ? SN_CONTACT_NONE : def.contact.method;
    def.relative_tolerance = 1e-9;
    def.absolute_tolerance = 1e-11;
    must(sn_world_create(&def, &world, &error), &error);
    return world;
}

// A cube of 0.2 m with 8 vertices.
static sn_body add_cube(sn_world *world, sn_vec3 place, sn_vec3 velocity, sn_vec3 spin,
                        sn_integrator integrator)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_box box = {
        .size = {0.2, 0.2, 0.2}, .cells = {1, 1, 1}, .cell = SN_CELL_SIX_MIRRORED};
    must(sn_tetrahedra_make_box(&box, &mesh, &error), &error);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 2e4, 0.3);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.frame.position = place;
    def.velocity = velocity;
    def.angular_velocity = spin;
    def.integrator = integrator;
    sn_body body;
    must(sn_world_add_elastic(world, &def, &body, &error), &error);
    sn_tetrahedra_release(mesh);
    return body;
}

static sn_bond add_bond(sn_world *world, const sn_bond_def *def)
{
    sn_error error = {0};
    sn_bond bond;
    must(sn_world_add_bond(world, def, &bond, &error), &error);
    return bond;
}

// ---- a weight on a cube that is held ----

typedef struct hung {
    sn_world *world;
    sn_body cube, ball;
    sn_bond ceiling, hook;
    sn_event event;
    double mass;
} hung;

// Copies of a world share what a callback points to: the ball is found by its name.
static void pull_down(void *user, sn_world *world, double time)
{
    (void)user;
    sn_body ball = sn_world_find_body(world, "ball");
    sn_body_add_force(world, ball, (sn_vec3){0.0, 0.0, -GROWTH * time},
                      sn_body_centre(world, ball));
}

static void add_ball(hung *h, sn_integrator integrator, double height)
{
    sn_error error = {0};
    sn_shape shape = sn_default_shape();
    shape.radius = 0.05;
    sn_body_def ball = sn_default_body_def();
    ball.name = "ball";
    ball.shapes = &shape;
    ball.shape_count = 1;
    ball.frame.position.z = height;
    ball.integrator = integrator;
    must(sn_world_add_body(h->world, &ball, &h->ball, &error), &error);
    h->mass = sn_body_mass_properties(h->world, h->ball).mass;
}

static void hold_cube(hung *h)
{
    int all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    sn_bond_def def = sn_default_bond_def();
    def.name = "ceiling";
    def.type = SN_BOND_COORDINATES;
    def.body = h->cube;
    def.vertices = all;
    def.vertex_count = 8;
    h->ceiling = add_bond(h->world, &def);
}

// All vertices of a cube are held; a ball hangs from it by a point, with a load that grows from its
// weight by 7 N/s. The force on the hook is m g + 7 t.
static hung hang(sn_integrator integrator, double breaks_at, double start, sn_event_action action)
{
    sn_error error = {0};
    hung out = {.world = make_world(SN_POLICY_PRECISE, GRAVITY)};
    out.cube = add_cube(out.world, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, integrator);
    add_ball(&out, integrator, -0.2);
    hold_cube(&out);
    sn_bond_def def = sn_default_bond_def();
    def.name = "hook";
    def.type = SN_BOND_POINT;
    def.body = out.cube;
    def.point = (sn_vec3){0.0, 0.0, -0.1};
    def.other = out.ball;
    def.break_force = breaks_at;
    def.start = start;
    out.hook = add_bond(out.world, &def);
    sn_callback_def load = sn_default_callback_def();
    load.apply = pull_down;
    sn_field field;
    must(sn_world_add_callback(out.world, &load, &field, &error), &error);
    sn_event_def event = sn_default_event_def();
    event.name = "tears";
    event.probe = (sn_probe){.bond = out.hook, .quantity = SN_QUANTITY_BOND_BROKEN};
    event.threshold = 0.5;
    event.action = action;
    must(sn_world_add_event(out.world, &event, &out.event, &error), &error);
    return out;
}

static void hanging_weights_are_told(void **state)
{
    (void)state;
    const sn_integrator methods[] = {SN_INTEGRATOR_FEHLBERG45, SN_INTEGRATOR_RK4,
                                     SN_INTEGRATOR_ADAMS, SN_INTEGRATOR_BDF};
    for (int m = 0; m < 4; ++m) {
        hung h = hang(methods[m], INFINITY, 0.0, SN_EVENT_MARK);
        double cube = 0.2 * 0.2 * 0.2 * 1000.0;
        for (int i = 1; i <= 5; ++i) {
            advance(h.world, 0.02, 1);
            double load = h.mass * GRAVITY + GROWTH * 0.02 * i;
            sn_bond_state hook = sn_bond_read(h.world, h.hook),
                          ceiling = sn_bond_read(h.world, h.ceiling);
            sn_probe probe = {.bond = h.hook, .quantity = SN_QUANTITY_BOND_FORCE};
            if (!(fabs(hook.force - load) < 1e-6 * load)) {
                fail_msg("%s: %.9g N for %.9g N", sn_integrator_word(methods[m]), hook.force, load);
            }
            // It pulls the cube down, and the ceiling carries both.
            assert_true(sn_distance(hook.total, (sn_vec3){0.0, 0.0, -load}) < 1e-6 * load);
            double all = load + cube * GRAVITY;
            assert_true(sn_distance(ceiling.total, (sn_vec3){0.0, 0.0, all}) < 1e-6 * all);
            assert_true(sn_probe_read(h.world, &probe) == hook.force);
        }
        sn_world_destroy(h.world);
    }
}

// The same without anything tied, by the equations of one body.
static void a_held_body_tells_its_weight(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, GRAVITY);
    sn_body cube = add_cube(world, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_bond bonds[2];
    for (int i = 0; i < 2; ++i) { // four vertices each
        int some[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
        sn_bond_def def = sn_default_bond_def();
        def.type = SN_BOND_COORDINATES;
        def.body = cube;
        def.vertices = some;
        def.vertex_count = 4;
        def.end = i == 0 ? INFINITY : 0.01;
        bonds[i] = add_bond(world, &def);
    }
    advance(world, 0.005, 1);
    double weight = 0.2 * 0.2 * 0.2 * 1000.0 * GRAVITY;
    sn_vec3 a = sn_bond_read(world, bonds[0]).total, b = sn_bond_read(world, bonds[1]).total;
    assert_true(sn_distance(sn_vec3_add(a, b), (sn_vec3){0.0, 0.0, weight}) < 1e-9 * weight);
    assert_true(a.z > 0.1 * weight && b.z > 0.1 * weight);
    advance(world, 0.005, 1);
    assert_true(sn_bond_read(world, bonds[1]).force == 0.0); // its time is over
    assert_true(sn_bond_read(world, bonds[0]).force > 0.0);
    sn_world_destroy(world);
}

// ---- moving bodies ----

// A cube swings by one of its vertices: the same motion and the same force as in lockstep, which
// tells the mean of a step.
static void a_pendulum_agrees_with_lockstep(void **state)
{
    (void)state;
    sn_vec3 totals[2] = {0}, centres[2] = {0};
    const double h = 2e-4, end = 0.1;
    for (int run = 0; run < 2; ++run) {
        sn_world *world = make_world(run == 0 ? SN_POLICY_PRECISE : SN_POLICY_LOCKSTEP, GRAVITY);
        sn_body cube =
            add_cube(world, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        int corner = 7;
        sn_bond_def def = sn_default_bond_def();
        def.type = SN_BOND_ATTACHED;
        def.body = cube;
        def.vertices = &corner;
        def.vertex_count = 1;
        sn_bond bond = add_bond(world, &def);
        if (run == 0) {
            advance(world, end, 1);
            totals[run] = sn_bond_read(world, bond).total;
        } else {
            advance(world, h, (int)lround(end / h));
            sn_vec3 before = sn_bond_read(world, bond).total;
            centres[run] = sn_body_centre(world, cube);
            advance(world, h, 1);
            totals[run] = sn_vec3_scale(0.5, sn_vec3_add(before, sn_bond_read(world, bond).total));
        }
        centres[run] = run == 0 ? sn_body_centre(world, cube) : centres[run];
        sn_world_destroy(world);
    }
    double size = sn_length(totals[1]);
    print_message("force (%.6g %.6g %.6g) N, lockstep (%.6g %.6g %.6g) N\n", totals[0].x,
                  totals[0].y, totals[0].z, totals[1].x, totals[1].y, totals[1].z);
    assert_true(size > 10.0);
    assert_true(sn_distance(totals[0], totals[1]) < 1e-3 * size);
    assert_true(sn_distance(centres[0], centres[1]) < 1e-4 * 0.2);
}

static sn_vec3 momentum(const sn_world *world, sn_body body)
{
    return sn_vec3_scale(sn_body_mass_properties(world, body).mass, sn_body_velocity(world, body));
}

// Nothing else acts on two cubes that spin as one: what the junction says is what changes the
// momentum of the one, and of the other the other way.
static void junctions_act_both_ways(void **state)
{
    (void)state;
    const sn_vec3 spin = {1.0, 2.0, -3.0}, away = {0.2, 0.0, 0.0};
    sn_world *world = make_world(SN_POLICY_PRECISE, 0.0);
    sn_body a = add_cube(world, SN_VEC3_ZERO, SN_VEC3_ZERO, spin, SN_INTEGRATOR_DEFAULT);
    sn_body b = add_cube(world, away, sn_cross(spin, away), spin, SN_INTEGRATOR_DEFAULT);
    sn_bond_def def = sn_default_bond_def();
    def.type = SN_BOND_JUNCTION;
    def.body = a;
    def.other = b;
    def.element = 3;
    def.other_element = 1;
    sn_bond bond = add_bond(world, &def);
    advance(world, 0.03, 1);
    const double d = 1e-4;
    sn_vec3 before[2] = {momentum(world, a), momentum(world, b)};
    advance(world, d, 1);
    sn_vec3 total = sn_bond_read(world, bond).total;
    advance(world, d, 1);
    sn_vec3 rate_a = sn_vec3_scale(0.5 / d, sn_vec3_sub(momentum(world, a), before[0])),
            rate_b = sn_vec3_scale(0.5 / d, sn_vec3_sub(momentum(world, b), before[1]));
    double size = sn_length(total);
    print_message("force %.6g N, off by %.2g and %.2g\n", size, sn_distance(rate_a, total) / size,
                  sn_distance(rate_b, sn_vec3_negate(total)) / size);
    assert_true(size > 1.0);
    assert_true(sn_distance(rate_a, total) < 1e-4 * size);
    assert_true(sn_distance(rate_b, sn_vec3_negate(total)) < 1e-4 * size);
    sn_world_destroy(world);
}

// ---- breaking ----

// Load and bound meet at a time that is known; then the ball falls, pulled ever harder.
static void loads_break_bonds_in_time(void **state)
{
    (void)state;
    const sn_integrator methods[] = {SN_INTEGRATOR_FEHLBERG45, SN_INTEGRATOR_RK4,
                                     SN_INTEGRATOR_ADAMS, SN_INTEGRATOR_BDF};
    const int counts[] = {1, 3, 20};
    for (int m = 0; m < 4; ++m) {
        for (int k = 0; k < 3; ++k) {
            const double end = 0.4, when = 0.1234567;
            hung h = hang(methods[m], INFINITY, 0.0, SN_EVENT_MARK);
            double strength = h.mass * GRAVITY + GROWTH * when;
            sn_world_destroy(h.world);
            h = hang(methods[m], strength, 0.0, SN_EVENT_MARK);
            sn_vec3 start = sn_body_centre(h.world, h.ball);
            advance(h.world, end / counts[k], counts[k]);
            sn_bond_state hook = sn_bond_read(h.world, h.hook);
            assert_true(hook.broken && !hook.active && hook.force == 0.0);
            double fallen = start.z - sn_body_centre(h.world, h.ball).z, t = end - when;
            double expected = (GRAVITY + GROWTH * when / h.mass) * t * t / 2.0 +
                              GROWTH / h.mass * t * t * t / 6.0;
            if (!(fabs(hook.break_time - when) < 1e-7 * end &&
                  fabs(hook.break_force / strength - 1.0) < 1e-7 &&
                  fabs(fallen / expected - 1.0) < 1e-6)) {
                fail_msg("%s in %d steps: breaks at %.12g s under %.12g N of %.12g N, falls %.9g m "
                         "for %.9g m",
                         sn_integrator_word(methods[m]), counts[k], hook.break_time,
                         hook.break_force, strength, fallen, expected);
            }
            // Told once, as of then.
            assert_int_equal(sn_world_event_count(h.world), 1);
            sn_event_entry entry = sn_world_event_entry(h.world, 0);
            assert_true(entry.time == hook.break_time && entry.direction == 1);
            sn_probe probe = {.bond = h.hook, .quantity = SN_QUANTITY_BOND_BREAK_TIME};
            assert_true(sn_probe_read(h.world, &probe) == hook.break_time);
            probe.quantity = SN_QUANTITY_BOND_BREAK_FORCE;
            assert_true(sn_probe_read(h.world, &probe) == hook.break_force);
            assert_true(!sn_bond_read(h.world, h.ceiling).broken);
            sn_world_destroy(h.world);
        }
    }
}

// A cube that swings and trembles on one of its vertices tears itself loose at a time that does not
// depend on where steps end, and keeps its energy.
static void swings_tear_alike_in_all_steps(void **state)
{
    (void)state;
    double first = 0.0;
    const int counts[] = {1, 7, 60};
    for (int k = 0; k < 3; ++k) {
        sn_world *world = make_world(SN_POLICY_PRECISE, GRAVITY);
        sn_body cube =
            add_cube(world, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        int corner = 7;
        sn_bond_def def = sn_default_bond_def();
        def.type = SN_BOND_ATTACHED;
        def.body = cube;
        def.vertices = &corner;
        def.vertex_count = 1;
        def.break_force = 50.0;
        sn_bond bond = add_bond(world, &def);
        double energy = sn_world_energy(world).total;
        advance(world, 0.2 / counts[k], counts[k]);
        sn_bond_state torn = sn_bond_read(world, bond);
        print_message("%d steps: at %.12g s under %.12g N\n", counts[k], torn.break_time,
                      torn.break_force);
        assert_true(torn.broken && torn.break_time > 0.01 && torn.break_time < 0.19);
        assert_true(fabs(torn.break_force - 50.0) < 1e-6 * 50.0);
        first = k == 0 ? torn.break_time : first;
        assert_true(fabs(torn.break_time - first) < 1e-8);
        assert_true(fabs(sn_world_energy(world).total - energy) < 1e-6 * 8.0 * GRAVITY * 0.2);
        sn_world_destroy(world);
    }
}

// A ball on two bonds beside its centre, each with half of the load W. When the weaker one goes,
// the ball begins to turn about the other, which has I / (I + m a^2) of W: too much, and it goes at
// the same time.
static void one_break_brings_the_next(void **state)
{
    (void)state;
    sn_error error = {0};
    const double a = 0.01, radius = 0.05, when = 0.05;
    hung h = {.world = make_world(SN_POLICY_PRECISE, GRAVITY)};
    h.cube = add_cube(h.world, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    add_ball(&h, SN_INTEGRATOR_DEFAULT, -0.1);
    hold_cube(&h);
    double load = h.mass * GRAVITY + GROWTH * when;
    sn_bond bonds[2];
    for (int i = 0; i < 2; ++i) {
        sn_bond_def def = sn_default_bond_def();
        def.type = SN_BOND_POINT;
        def.body = h.cube;
        def.point = (sn_vec3){i == 0 ? -a : a, 0.0, -0.1};
        def.other = h.ball;
        def.break_force = i == 0 ? 0.7 * load : 0.5 * load;
        bonds[i] = add_bond(h.world, &def);
    }
    sn_callback_def pull = sn_default_callback_def();
    pull.apply = pull_down;
    sn_field field;
    must(sn_world_add_callback(h.world, &pull, &field, &error), &error);
    advance(h.world, 0.02, 5);
    double inertia = 0.4 * radius * radius, share = inertia / (inertia + a * a);
    sn_bond_state strong = sn_bond_read(h.world, bonds[0]), weak = sn_bond_read(h.world, bonds[1]);
    assert_true(weak.broken && strong.broken && strong.break_time == weak.break_time);
    assert_true(fabs(weak.break_time - when) < 1e-8);
    assert_true(fabs(weak.break_force / (0.5 * load) - 1.0) < 1e-7);
    assert_true(fabs(strong.break_force / (share * load) - 1.0) < 1e-7);
    sn_world_destroy(h.world);
}

static void what_breaks_may_stop_the_world(void **state)
{
    (void)state;
    hung h = hang(SN_INTEGRATOR_FEHLBERG45, INFINITY, 0.0, SN_EVENT_STOP);
    double strength = h.mass * GRAVITY + GROWTH * 0.15;
    sn_world_destroy(h.world);
    h = hang(SN_INTEGRATOR_FEHLBERG45, strength, 0.0, SN_EVENT_STOP);
    advance(h.world, 0.4, 1);
    assert_true(sn_world_stopped(h.world));
    assert_true(sn_world_time(h.world) == sn_bond_read(h.world, h.hook).break_time);
    assert_true(fabs(sn_world_time(h.world) - 0.15) < 1e-8);
    sn_world_destroy(h.world);
}

// A force as an event is located, too, and falls to nothing where the bond lets go.
static void forces_are_events(void **state)
{
    (void)state;
    sn_error error = {0};
    hung h = hang(SN_INTEGRATOR_FEHLBERG45, INFINITY, 0.0, SN_EVENT_MARK);
    double weight = h.mass * GRAVITY;
    sn_world_destroy(h.world);
    h = hang(SN_INTEGRATOR_FEHLBERG45, weight + GROWTH * 0.2, 0.0, SN_EVENT_MARK);
    sn_event_def def = sn_default_event_def();
    def.name = "half";
    def.probe = (sn_probe){.bond = h.hook, .quantity = SN_QUANTITY_BOND_FORCE};
    def.threshold = weight + GROWTH * 0.1;
    sn_event event;
    must(sn_world_add_event(h.world, &def, &event, &error), &error);
    advance(h.world, 0.3, 1);
    assert_int_equal(sn_world_event_count(h.world), 3);
    const double times[3] = {0.1, 0.2, 0.2};
    for (int i = 0; i < 3; ++i) {
        assert_true(fabs(sn_world_event_entry(h.world, i).time - times[i]) < 1e-7);
    }
    sn_world_destroy(h.world);
}

// A bond that begins to hold what it cannot, one that is weakened and one that is broken by hand
// let go at once.
static void what_is_too_weak_lets_go_at_once(void **state)
{
    (void)state;
    sn_error error = {0};
    hung h = hang(SN_INTEGRATOR_FEHLBERG45, 1e-3, 0.1, SN_EVENT_MARK); // the ball falls before
    advance(h.world, 0.3, 1);
    assert_true(sn_bond_read(h.world, h.hook).break_time == 0.1);
    assert_true(sn_bond_read(h.world, h.hook).break_force > 1.0);
    sn_world_destroy(h.world);
    for (int by_hand = 0; by_hand < 2; ++by_hand) {
        h = hang(SN_INTEGRATOR_FEHLBERG45, INFINITY, 0.0, SN_EVENT_STOP);
        advance(h.world, 0.05, 2);
        double time = sn_world_time(h.world), force = sn_bond_read(h.world, h.hook).force;
        sn_bond_def def = sn_default_bond_def();
        def.break_force = 0.5 * force;
        must(by_hand ? sn_bond_break(h.world, h.hook, &error)
                     : sn_world_set_bond(h.world, h.hook, &def, &error),
             &error);
        advance(h.world, 0.05, 1);
        sn_bond_state hook = sn_bond_read(h.world, h.hook);
        assert_true(hook.broken && hook.force == 0.0 && hook.break_time == time);
        assert_true(fabs(hook.break_force / force - 1.0) < 1e-9);
        assert_true(sn_world_time(h.world) > time);
        sn_world_destroy(h.world);
    }
    sn_world *world = make_world(SN_POLICY_PRECISE, 0.0);
    assert_int_equal(sn_bond_break(world, (sn_bond){1, 1}, &error), SN_ERROR_HANDLE);
    sn_world_destroy(world);
}

static void copies_and_states_break_alike(void **state)
{
    (void)state;
    sn_error error = {0};
    hung h = hang(SN_INTEGRATOR_FEHLBERG45, INFINITY, 0.0, SN_EVENT_MARK);
    double strength = h.mass * GRAVITY + GROWTH * 0.15;
    sn_world_destroy(h.world);
    h = hang(SN_INTEGRATOR_FEHLBERG45, strength, 0.0, SN_EVENT_MARK);
    hung other = hang(SN_INTEGRATOR_FEHLBERG45, strength, 0.0, SN_EVENT_MARK);
    sn_world *copy = NULL;
    unsigned char bytes[20000];
    size_t size = sn_world_state_size(h.world);
    assert_true(size <= sizeof bytes);
    advance(h.world, 0.03, 3);
    must(sn_world_save_state(h.world, bytes, sizeof bytes, &error), &error);
    must(sn_world_copy(h.world, &copy, &error), &error);
    advance(h.world, 0.03, 5);
    advance(copy, 0.03, 5);
    must(sn_world_load_state(other.world, bytes, size, &error), &error);
    assert_true(sn_bond_read(other.world, other.hook).force > 0.0); // as it was then
    advance(other.world, 0.03, 5);
    sn_bond_state hooks[3] = {sn_bond_read(h.world, h.hook), sn_bond_read(copy, h.hook),
                              sn_bond_read(other.world, other.hook)};
    for (int i = 0; i < 3; ++i) {
        assert_true(hooks[i].broken && hooks[i].break_time == hooks[0].break_time &&
                    hooks[i].break_force == hooks[0].break_force);
    }
    assert_true(sn_world_hash(h.world) == sn_world_hash(copy));
    assert_true(sn_world_hash(h.world) == sn_world_hash(other.world));
    // Back to before it broke, and there again.
    uint64_t hash = sn_world_hash(h.world);
    must(sn_world_load_state(h.world, bytes, size, &error), &error);
    assert_true(!sn_bond_read(h.world, h.hook).broken);
    assert_true(sn_world_hash(h.world) != hash);
    advance(h.world, 0.03, 5);
    assert_true(sn_world_hash(h.world) == hash);
    sn_world_destroy(h.world);
    sn_world_destroy(other.world);
    sn_world_destroy(copy);
}

// A step that fails leaves a bond that broke in it whole, and the next one breaks it again.
static void memory_may_run_out(void **state)
{
    (void)state;
    sn_error error = {0};
    hung h = hang(SN_INTEGRATOR_FEHLBERG45, INFINITY, 0.0, SN_EVENT_MARK);
    double strength = h.mass * GRAVITY + GROWTH * 0.01;
    sn_world_destroy(h.world);
    for (shortage s = {.most = 1000}; shortage_goes_on(&s);) {
        h = hang(SN_INTEGRATOR_FEHLBERG45, strength, 0.0, SN_EVENT_MARK);
        shortage_begin(&s);
        sn_status status = sn_world_step(h.world, 0.02, &error);
        shortage_end(&s, status);
        if (status != SN_OK) {
            assert_true(!sn_bond_read(h.world, h.hook).broken && sn_world_time(h.world) == 0.0);
            advance(h.world, 0.02, 1);
        }
        assert_true(fabs(sn_bond_read(h.world, h.hook).break_time - 0.01) < 1e-8);
        sn_world_destroy(h.world);
    }
}

// The same where a body is held by equations of its own.
static void memory_may_run_out_for_one_body(void **state)
{
    (void)state;
    sn_error error = {0};
    for (shortage s = {.most = 1000}; shortage_goes_on(&s);) {
        sn_world *world = make_world(SN_POLICY_PRECISE, GRAVITY);
        sn_body cube =
            add_cube(world, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        int all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        sn_bond_def def = sn_default_bond_def();
        def.body = cube;
        def.vertices = all;
        def.vertex_count = 8;
        def.break_force = 1.0; // its lightest vertex weighs more
        sn_bond bond = add_bond(world, &def);
        shortage_begin(&s);
        sn_status status = sn_world_step(world, 0.02, &error);
        shortage_end(&s, status);
        if (status != SN_OK) {
            assert_true(!sn_bond_read(world, bond).broken && sn_world_time(world) == 0.0);
            advance(world, 0.02, 1);
        }
        assert_true(sn_bond_read(world, bond).broken);
        assert_true(sn_bond_read(world, bond).break_time == 0.0);
        assert_true(fabs(sn_body_velocity(world, cube).z + 0.02 * GRAVITY) < 1e-9);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_weights_are_told),
        cmocka_unit_test(a_held_body_tells_its_weight),
        cmocka_unit_test(a_pendulum_agrees_with_lockstep),
        cmocka_unit_test(junctions_act_both_ways),
        cmocka_unit_test(loads_break_bonds_in_time),
        cmocka_unit_test(swings_tear_alike_in_all_steps),
        cmocka_unit_test(one_break_brings_the_next),
        cmocka_unit_test(what_breaks_may_stop_the_world),
        cmocka_unit_test(forces_are_events),
        cmocka_unit_test(what_is_too_weak_lets_go_at_once),
        cmocka_unit_test(copies_and_states_break_alike),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(memory_may_run_out_for_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
