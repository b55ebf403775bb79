// Elastic bodies that move: frequencies, energy, momentum, impact.
#include <math.h>

#include "sinew/mechanics.h"
#include "verify_elastic.h"

// ---- frequencies ----

// Euler's cantilever: the shape of mode k at x = s L, and b of f = b^2/(2 pi) sqrt(EI/(rho A L^4)).
static const double roots[3] = {1.875104068712, 4.694091132974, 7.854757438238};

static double mode_shape(int mode, double s)
{
    double b = roots[mode];
    double share = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
    return cosh(b * s) - cos(b * s) - share * (sinh(b * s) - sin(b * s));
}

// How much of the mode the bar's deflection has.
static double mode_share(sn_bar *bar, int mode)
{
    double sum = 0.0;
    sn_bar_read(bar);
    for (int i = 0; i < bar->count; ++i) {
        sum += mode_shape(mode, bar->rest[i].x / bar->size.x) * (bar->now[i].z - bar->rest[i].z);
    }
    return sum;
}

// Let go in the mode's shape, a small swing: 2.5 swings between the first and the last of six times
// at which it goes through straight.
sn_status sn_bar_frequency(sn_bar *bar, int mode, double expected, double *frequency,
                           sn_error *error)
{
    enum { PARTS = 100, CROSSINGS = 6 };
    double step = 1.0 / (PARTS * expected), first = 0.0, last = 0.0;
    for (int i = 0; i < bar->count; ++i) {
        bar->now[i] = bar->rest[i];
        bar->now[i].z += 1e-5 * bar->size.x * mode_shape(mode, bar->rest[i].x / bar->size.x);
        bar->speed[i] = SN_VEC3_ZERO;
    }
    sn_status status = sn_body_write_vertices(bar->world, bar->body, bar->now, bar->speed, error);
    double before = mode_share(bar, mode);
    int crossings = 0;
    for (int i = 0; i < 4 * PARTS && crossings < CROSSINGS && status == SN_OK; ++i) {
        status = sn_world_step(bar->world, step, error);
        double now = mode_share(bar, mode);
        if (before * now < 0.0) {
            last = step * (i + before / (before - now));
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    *frequency = crossings == CROSSINGS ? 0.5 * (CROSSINGS - 1) / (last - first) : NAN;
    return status;
}

// The first three pairs of bending modes, by the eigenvalues of K phi = omega^2 M phi: each comes
// twice, since the section is square.
static sn_status solved_modes(sn_bar *bar, double frequencies[3], sn_error *error)
{
    sn_modes modes = {0};
    sn_status status = sn_world_modes(bar->world, &modes, error);
    for (int i = 0; i < 3; ++i) {
        frequencies[i] = status == SN_OK && modes.count > 2 * i ? modes.list[2 * i].frequency : NAN;
    }
    sn_modes_free(&modes);
    return status;
}

// 50 times as long as thick, so that shear and the inertia of turning, which Euler leaves out,
// count less than half a percent in the third mode.
void sn_verify_elastic_modes(sn_verify *verify)
{
    sn_error error = {0};
    sn_bar bar;
    sn_bar_def def = sn_default_bar_def();
    def.size = (sn_vec3){1.0, 0.02, 0.02};
    def.cells[0] = 50;
    def.cells[1] = def.cells[2] = 1;
    def.poisson = 0.0;
    def.integrator = SN_INTEGRATOR_LIE_MIDPOINT;
    double solved[3];
    sn_status status = sn_bar_make(&def, &bar, &error);
    status = status == SN_OK ? solved_modes(&bar, solved, &error) : status;
    for (int mode = 0; mode < 3 && status == SN_OK; ++mode) {
        double b = roots[mode], frequency = NAN;
        double expected = b * b / (2.0 * SN_PI) * 0.02 * sqrt(def.young / (12.0 * def.density));
        status = sn_bar_frequency(&bar, mode, expected, &frequency, &error);
        if (status == SN_OK) {
            char what[80];
            snprintf(what, sizeof what, "cantilever, f%d in Hz", mode + 1);
            sn_verify_relative(verify, what, expected, frequency, 0.01);
            snprintf(what, sizeof what, "f%d by eigenvalues against the swing", mode + 1);
            sn_verify_relative(verify, what, frequency, solved[mode], 1e-3);
        }
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    }
    sn_bar_free(&bar);
}

// ---- a weight on a cantilever ----

static sn_status hang_weight(sn_bar *bar, double mass, double turning, double arm, sn_body *weight,
                             sn_error *error)
{
    sn_body_def def = sn_default_body_def();
    def.frame.position = (sn_vec3){bar->size.x + arm, 0.0, 0.0};
    def.mass.mass = mass;
    def.mass.inertia = sn_mat3_diagonal((sn_vec3){turning, turning, turning});
    sn_status status = sn_world_add_body(bar->world, &def, weight, error);
    sn_bond_def bond = sn_default_bond_def();
    sn_bond made;
    bond.type = SN_BOND_ATTACHED;
    bond.body = bar->body;
    bond.other = *weight;
    bond.vertices = bar->ends;
    bond.vertex_count = bar->end_count;
    return status == SN_OK ? sn_world_add_bond(bar->world, &bond, &made, error) : status;
}

// A light cantilever by Timoshenko (shear factor 5/6) with a rigid weight whose centre is beyond
// its end: c, the end's answer to a force and a moment, gives the deflection; the slow one of the
// two vibrations of c and the weight's own mass matrix, with 33/140 of the bar, the frequency.
void sn_verify_elastic_weight(sn_verify *verify)
{
    sn_error error = {0};
    sn_bar bar;
    sn_bar_def def = sn_default_bar_def();
    def.size = (sn_vec3){0.4, 0.04, 0.04};
    def.cells[0] = 8;
    def.cells[1] = def.cells[2] = 1;
    def.young = 2e8;
    def.poisson = 0.0;
    def.density = 1.0;
    def.gravity = 9.81;
    double l = def.size.x, a = def.size.y * def.size.z, ei = def.young * a * a / 12.0;
    double mass = 2.0, turning = 4e-3, arm = 0.03, ga = 5.0 / 6.0 * 0.5 * def.young * a;
    double c11 = l * l * l / (3.0 * ei) + l / ga, c12 = l * l / (2.0 * ei), c22 = l / ei;
    double m11 = mass + 33.0 / 140.0 * def.density * a * l, m12 = mass * arm,
           m22 = turning + mass * arm * arm;
    double sum = c11 * m11 + 2.0 * c12 * m12 + c22 * m22,
           product = (c11 * c22 - c12 * c12) * (m11 * m22 - m12 * m12);
    sn_equilibrium rest = {0};
    sn_modes modes = {0};
    sn_body weight = {0};
    sn_status status = sn_bar_make(&def, &bar, &error);
    status = status == SN_OK ? hang_weight(&bar, mass, turning, arm, &weight, &error) : status;
    status = status == SN_OK ? sn_world_equilibrium(bar.world, NULL, &rest, &error) : status;
    status = status == SN_OK ? sn_world_modes(bar.world, &modes, &error) : status;
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        double own = def.density * a * l * l * l * l / (8.0 * ei);
        sn_verify_relative(verify, "on a cantilever: deflection in m",
                           9.81 * (mass * (c11 + arm * c12) + own), -sn_bar_tip(&bar).z, 0.005);
        sn_verify_relative(verify, "on a cantilever: frequency in Hz",
                           1.0 /
                               (2.0 * SN_PI * sqrt(0.5 * (sum + sqrt(sum * sum - 4.0 * product)))),
                           modes.list[0].frequency, 0.005);
    }
    sn_equilibrium_free(&rest);
    sn_modes_free(&modes);
    sn_bar_free(&bar);
}

// ---- what must stay the same ----

// Let go straight under its weight, it swings for 10 s.
void sn_verify_elastic_energy(sn_verify *verify)
{
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        sn_error error = {0};
        sn_bar bar;
        sn_bar_def def = sn_default_bar_def();
        def.cells[0] = 4;
        def.cells[1] = def.cells[2] = 1;
        def.nodes = 4;
        def.law = (sn_elastic_law)law;
        def.policy = SN_POLICY_PRECISE;
        def.integrator = SN_INTEGRATOR_DEFAULT;
        def.young = 2e6;
        def.gravity = 2.0;
        sn_status status = sn_bar_make(&def, &bar, &error);
        double start = status == SN_OK ? sn_world_energy(bar.world).total : 0.0;
        double most = 0.0, change = 0.0;
        for (int i = 0; i < 300 && status == SN_OK; ++i) {
            status = sn_world_step(bar.world, 1.0 / 30.0, &error);
            sn_energy now = sn_world_energy(bar.world);
            most = fmax(most, now.kinetic);
            change = fmax(change, fabs(now.total - start));
        }
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
        } else {
            char what[80];
            snprintf(what, sizeof what, "%s, 10 s, of the kinetic energy",
                     sn_elastic_law_word((sn_elastic_law)law));
            sn_verify_near(verify, what, 0.0, change / most, 1e-6);
        }
        sn_bar_free(&bar);
    }
}

// Thrown and spinning, with a solution of the step that is a good deal coarser than round-off.
void sn_verify_elastic_momentum(sn_verify *verify)
{
    static const struct {
        sn_integrator rule;
        const char *name;
    } rules[] = {{SN_INTEGRATOR_LIE_MIDPOINT, "midpoint"},
                 {SN_INTEGRATOR_IMPLICIT_EULER, "implicit Euler"}};
    for (int k = 0; k < 2; ++k) {
        sn_error error = {0};
        sn_bar bar;
        sn_bar_def def = sn_default_bar_def();
        def.clamped = false;
        def.nodes = 4;
        def.integrator = rules[k].rule;
        def.solver = SN_ELASTIC_SOLVER_CONJUGATE;
        def.tolerance = 1e-4;
        sn_status status = sn_bar_make(&def, &bar, &error);
        sn_vec3 momentum = SN_VEC3_ZERO, spin = SN_VEC3_ZERO;
        if (status == SN_OK) {
            status = sn_body_set_velocity(bar.world, bar.body, (sn_vec3){1.0, 0.0, 2.0},
                                          (sn_vec3){1.0, 2.0, 3.0}, &error);
            momentum = sn_world_momentum(bar.world);
            spin = sn_world_angular_momentum(bar.world);
        }
        for (int i = 0; i < 240 && status == SN_OK; ++i) {
            status = sn_world_step(bar.world, 1.0 / 120.0, &error);
        }
        if (status != SN_OK) {
            sn_verify_broken(verify, &error);
        } else {
            char what[80];
            snprintf(what, sizeof what, "%s, 2 s: momentum", rules[k].name);
            sn_verify_near(
                verify, what, 0.0,
                sn_distance(sn_world_momentum(bar.world), momentum) / sn_length(momentum), 1e-12);
            snprintf(what, sizeof what, "%s, 2 s: angular momentum", rules[k].name);
            sn_verify_near(
                verify, what, 0.0,
                sn_distance(sn_world_angular_momentum(bar.world), spin) / sn_length(spin), 1e-12);
        }
        sn_bar_free(&bar);
    }
}

// ---- contact ----

// What comes of two bars of length 10, E 1, density 1, that meet at +-0.1.
typedef struct bars_impact {
    double duration;    // s in contact
    double force;       // N, mean from 2 s to 18 s
    double left, right; // m/s afterwards
} bars_impact;

static sn_status meet_bars(const sn_bar_def *def, double h, bars_impact *found, sn_error *error)
{
    const double speed = 0.1, gap = 1e-3;
    sn_world *world = NULL;
    sn_body left, right;
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    sn_surface surface = sn_default_elastic_def().surface;
    surface.friction = 0.0;
    sn_status status = sn_world_create(&world_def, &world, error);
    if (status == SN_OK) {
        status = sn_bar_add(world, def, "left", (sn_vec3){-10.0 - gap, 0.0, 0.0},
                            (sn_vec3){speed, 0.0, 0.0}, surface, &left, error);
    }
    if (status == SN_OK) {
        status = sn_bar_add(world, def, "right", (sn_vec3){gap, 0.0, 0.0},
                            (sn_vec3){-speed, 0.0, 0.0}, surface, &right, error);
    }
    double begin = NAN, end = NAN, impulse = 0.0, before = -speed;
    for (int i = 1; h * (i - 1) < 25.0 && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
        double now = sn_body_velocity(world, right).x, force = 10.0 * (now - before) / h;
        before = now;
        begin = force > 0.1 * speed && isnan(begin) ? h * (i - 1) : begin;
        end = force > 0.1 * speed ? h * i : end;
        impulse += h * i > 2.0 && h * i <= 18.0 ? h * force : 0.0;
    }
    if (status == SN_OK) {
        *found = (bars_impact){end - begin, impulse / 16.0, sn_body_velocity(world, left).x,
                               sn_body_velocity(world, right).x};
    }
    sn_world_destroy(world);
    return status;
}

// Waves of speed 1 run to the ends and back, so they part after 20 s, push with E A v/c = 0.1 until
// then, and swap their velocities. Waves of a few cells lag behind the front and stay in the bars:
// methods of order p converge with p/(p + 1) at a front, so with 2/3 here.
void sn_verify_elastic_impact(sn_verify *verify)
{
    enum { MESHES = 3 };
    const double speed = 0.1, limits[MESHES] = {0.02, 0.012, 0.01};
    bars_impact found[MESHES];
    for (int i = 0; i < MESHES; ++i) {
        sn_error error = {0};
        sn_bar_def def = sn_wave_bar_def();
        def.cells[0] <<= i;
        if (meet_bars(&def, 0.05 / (1 << i), &found[i], &error) != SN_OK) {
            sn_verify_broken(verify, &error);
            return;
        }
        char what[80];
        snprintf(what, sizeof what, "%d cells: velocity of the right bar", def.cells[0]);
        sn_verify_relative(verify, what, speed, found[i].right, limits[i]);
    }
    const bars_impact *last = &found[MESHES - 1];
    sn_verify_relative(verify, "the same: velocity of the left bar", -speed, last->left, 0.01);
    sn_verify_relative(verify, "the same: seconds in contact", 20.0, last->duration, 0.01);
    sn_verify_relative(verify, "the same: force, mean from 2 s to 18 s", speed, last->force, 0.001);
    double order = 0.5 * log2((speed - found[0].right) / (speed - last->right));
    sn_verify_near(verify, "order of convergence", 2.0 / 3.0, order, 0.1);
}
