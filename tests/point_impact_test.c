// Impacts with friction at one point: closed forms of spheres and rods, a blow followed in tiny
// steps for everything else, and energy.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "random_vector.h"
#include "sanitized.h"
#include "solve/point_impact.h"

static double kinetic(const sn_sym3 *k, sn_vec3 u)
{
    sn_sym3 inverse;
    assert_true(sn_sym3_inverse(k, &inverse));
    return 0.5 * sn_dot(u, sn_sym3_apply(&inverse, u));
}

static double slip_of(sn_vec3 v)
{
    return sqrt(v.y * v.y + v.z * v.z);
}

// What holds of every impact: it does not pull, is in the cone, changes the velocity by K P, ends
// without approaching, and takes energy.
static void check_laws(const sn_sym3 *k, sn_vec3 u, double friction, double restitution,
                       const sn_point_impact *hit)
{
    double size = sn_length(u);
    sn_vec3 end = sn_vec3_add(u, sn_sym3_apply(k, hit->impulse));
    assert_true(hit->impulse.x > 0.0 && hit->velocity.x >= -1e-9 * size);
    assert_true(slip_of(hit->impulse) <= friction * hit->impulse.x * (1.0 + 1e-9));
    assert_true(sn_distance(end, hit->velocity) < 1e-9 * size);
    assert_true(!hit->sticks || slip_of(hit->velocity) == 0.0);
    double before = kinetic(k, u), after = kinetic(k, hit->velocity);
    assert_true(after <= before * (1.0 + 1e-9));
    assert_true(restitution > 0.0 || fabs(hit->velocity.x) < 1e-9 * size);
}

// ---- central impacts ----

// A ball of inertia c m r^2 on a wall: K = diag(1, 1 + 1/c, 1 + 1/c) / m. It leaves at e times its
// speed, P_N = m (1 + e) |u_n|, and P_T stops it along the wall or is friction P_N.
static void balls_stick_or_slide_by_closed_form(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    int stuck = 0, slid = 0;
    for (int i = 0; i < 2000; ++i) {
        double mass = sn_random_range(&random, 0.1, 10.0), c = sn_random_range(&random, 0.3, 0.7);
        double friction = i % 7 == 0 ? 0.0 : sn_random_range(&random, 0.0, 1.0);
        double e = i % 5 == 0 ? 0.0 : sn_random_unit(&random), side = (1.0 + 1.0 / c) / mass;
        sn_sym3 k = {.xx = 1.0 / mass, .yy = side, .zz = side};
        sn_vec3 u = random_vector(&random, 3.0);
        u.x = -fabs(u.x) - 0.01;
        sn_point_impact hit = sn_point_impact_find(&k, u, friction, e);
        double normal = -mass * (1.0 + e) * u.x, slip = slip_of(u);
        double along = fmin(friction * normal, slip / side);
        double stop = slip / side;
        stuck += stop <= friction * normal;
        slid += stop > friction * normal;
        assert_true(fabs(hit.impulse.x - normal) < 1e-12 * normal);
        assert_true(fabs(hit.impulse.y + along * u.y / slip) < 1e-12 * normal);
        assert_true(fabs(hit.impulse.z + along * u.z / slip) < 1e-12 * normal);
        assert_true(fabs(hit.velocity.x + e * u.x) < 1e-12 * fabs(u.x));
        check_laws(&k, u, friction, e, &hit);
    }
    assert_true(stuck > 300 && slid > 300);
}

// ---- rods ----

// A slender rod of mass 1 and half length l at an angle to the floor, struck at its lower end, in
// the plane: K_nn = 1 + a^2 / I, K_nt = -a b / I, K_tt = 1 + b^2 / I with a along, b up.
typedef struct rod {
    double nn, nt, tt;
} rod;

static rod rod_at(double l, double angle)
{
    double inertia = l * l / 3.0, a = l * cos(angle), b = l * sin(angle);
    return (rod){1.0 + a * a / inertia, -a * b / inertia, 1.0 + b * b / inertia};
}

// The blow in the plane by its pieces (Stronge, Impact Mechanics, 3.5): it slips until it stops,
// then sticks or slips back. Velocities go straight on each piece; work decides where it ends.
static void plane_blow(const rod *k, double n, double t, double friction, double e, double *p_n,
                       double *p_t)
{
    double work = 0.0, end = INFINITY;
    *p_n = *p_t = 0.0;
    for (int piece = 0; piece < 4; ++piece) {
        double way = t > 0.0 ? -friction : friction; // dP_t / dP_n
        double stop = INFINITY;
        if (t == 0.0) {
            double hold = -k->nt / k->tt;
            way = fmax(-friction, fmin(friction, hold));
        } else if ((k->nt + way * k->tt) * t < 0.0) {
            stop = -t / (k->nt + way * k->tt);
        }
        double rate = k->nn + way * k->nt;
        for (int phase = 0; phase < 2; ++phase) {
            double to = INFINITY;
            if (end == INFINITY) { // compression
                to = rate > 0.0 ? -n / rate : INFINITY;
            } else {
                to = (-n + sqrt(fmax(0.0, n * n + 2.0 * rate * (end - work)))) / rate;
            }
            double dp = fmin(to, stop);
            assert_true(isfinite(dp));
            work += n * dp + 0.5 * rate * dp * dp;
            n += rate * dp;
            t = stop <= to ? 0.0 : t + (k->nt + way * k->tt) * dp;
            *p_n += dp;
            *p_t += way * dp;
            if (stop <= to) {
                break;
            }
            stop -= dp;
            if (end < INFINITY) {
                return;
            }
            end = work * (1.0 - e * e);
            n = 0.0;
            if (e == 0.0) {
                return;
            }
        }
    }
    fail_msg("the blow does not end");
}

static void rods_follow_their_pieces(void **state)
{
    (void)state;
    sn_random random = {.seed = 4};
    int stuck = 0, reversed = 0, slid = 0;
    for (int i = 0; i < 4000; ++i) {
        double l = sn_random_range(&random, 0.1, 1.0), angle = sn_random_range(&random, 0.05, 1.5);
        double friction = sn_random_range(&random, 0.0, 1.2),
               turn = sn_random_range(&random, 0, 6.28);
        double e = i % 4 == 0 ? 0.0 : sn_random_unit(&random);
        double n = -sn_random_range(&random, 0.1, 2.0), t = sn_random_range(&random, -2.0, 2.0);
        rod r = rod_at(l, angle);
        // In any plane through the normal; across it the rod answers by 1 + l^2 / I.
        double c = cos(turn), s = sin(turn), across = 4.0;
        sn_sym3 k = {r.nn,
                     r.nt * c,
                     r.nt * s,
                     r.tt * c * c + across * s * s,
                     (r.tt - across) * c * s,
                     r.tt * s * s + across * c * c};
        double p_n, p_t;
        plane_blow(&r, n, t, friction, e, &p_n, &p_t);
        sn_vec3 u = {n, t * c, t * s};
        sn_point_impact hit = sn_point_impact_find(&k, u, friction, e);
        check_laws(&k, u, friction, e, &hit);
        double size = hypot(p_n, p_t);
        assert_true(fabs(hit.impulse.x - p_n) < 1e-9 * size);
        assert_true(fabs(hit.impulse.y - p_t * c) < 1e-9 * size);
        assert_true(fabs(hit.impulse.z - p_t * s) < 1e-9 * size);
        double end = hit.velocity.y * c + hit.velocity.z * s;
        stuck += hit.sticks;
        reversed += !hit.sticks && end * t < 0.0;
        slid += !hit.sticks && end * t > 0.0;
    }
    print_message("rods: %d stick, %d slide on, %d slide back\n", stuck, slid, reversed);
    assert_true(stuck > 300 && reversed > 100 && slid > 300);
}

// The bound between sticking and sliding on of a rod that does not slide: friction = b a / (I +
// b^2).
static void a_rod_that_stands_slides_by_mirtichs_test(void **state)
{
    (void)state;
    double l = 0.5, inertia = l * l / 3.0;
    for (int i = 1; i < 18; ++i) {
        double angle = i * 5.0 * SN_PI / 180.0, a = l * cos(angle), b = l * sin(angle);
        rod r = rod_at(l, angle);
        sn_sym3 k = {.xx = r.nn, .xy = r.nt, .yy = r.tt, .zz = 4.0};
        double bound = a * b / (inertia + b * b);
        assert_true(sn_point_impact_slides_on(&k, 0.999 * bound));
        assert_false(sn_point_impact_slides_on(&k, 1.001 * bound));
    }
}

// ---- leaves ----

// K of a thin plate in any pose struck anywhere, against a wall or another one.
static sn_sym3 random_plate(sn_random *random)
{
    double mass = sn_random_range(random, 0.1, 2.0), a = sn_random_range(random, 0.05, 0.5);
    double b = sn_random_range(random, 0.05, 0.5);
    sn_quat turn = random_rotation(random);
    double x = sn_random_range(random, -a, a), y = sn_random_range(random, -b, b);
    sn_vec3 arm = sn_rotate(turn, sn_vec3_make(x, y, 0.001));
    sn_vec3 moments = sn_vec3_scale(mass / 3.0, sn_vec3_make(b * b, a * a, a * a + b * b));
    sn_mat3 rotation = sn_quat_to_mat3(turn),
            inverse =
                sn_mat3_diagonal(sn_vec3_make(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z));
    sn_mat3 world =
        sn_mat3_multiply(sn_mat3_multiply(rotation, inverse), sn_mat3_transpose(rotation));
    sn_mat3 cross = sn_mat3_cross(arm);
    sn_mat3 k = sn_mat3_scale(-1.0, sn_mat3_multiply(sn_mat3_multiply(cross, world), cross));
    for (int i = 0; i < 3; ++i) {
        k.m[i][i] += 1.0 / mass;
    }
    return sn_sym3_from_mat3(&k);
}

// The same blow in tiny steps of normal impulse, each with friction against where it ends: the law
// itself, of first order.
static sn_vec3 blow_in_steps(const sn_sym3 *k, sn_vec3 u, double friction, double e, int steps)
{
    double dp = -u.x / k->xx / steps, work = 0.0, end = INFINITY;
    sn_vec3 p = SN_VEC3_ZERO, start = u;
    for (int i = 0; i < 400 * steps; ++i) {
        // The tangential impulse f dp that stops it, or friction along the slip.
        double yy = k->yy * dp, zz = k->zz * dp, yz = k->yz * dp, determinant = yy * zz - yz * yz;
        double by = u.y + k->xy * dp, bz = u.z + k->xz * dp;
        double fy = -(zz * by - yz * bz) / determinant, fz = -(yy * bz - yz * by) / determinant;
        if (hypot(fy, fz) > friction) {
            double s = hypot(u.y, u.z);
            double dy = s > 0.0 ? u.y / s : -fy / hypot(fy, fz);
            double dz = s > 0.0 ? u.z / s : -fz / hypot(fy, fz);
            for (int turn = 0; turn < 20; ++turn) { // against the slip at the step's end
                double vy = by - friction * (yy * dy + yz * dz);
                double vz = bz - friction * (yz * dy + zz * dz), size = hypot(vy, vz);
                dy = 0.5 * (dy + vy / size);
                dz = 0.5 * (dz + vz / size);
                size = hypot(dy, dz);
                dy /= size;
                dz /= size;
            }
            fy = -friction * dy;
            fz = -friction * dz;
        }
        double before = u.x;
        p = sn_vec3_add(p, sn_vec3_make(dp, fy * dp, fz * dp));
        u = sn_vec3_add(start, sn_sym3_apply(k, p));
        work += 0.5 * (before + u.x) * dp;
        if (end == INFINITY && u.x >= 0.0) {
            end = work * (1.0 - e * e);
        }
        if (work >= end) {
            return p;
        }
    }
    fail_msg("the blow does not end");
    return p;
}

static void leaves_follow_the_law_in_tiny_steps(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    double worst = 0.0;
    int stuck = 0, rounds = rounds_of(300, 20);
    for (int i = 0; i < rounds; ++i) {
        sn_sym3 k = random_plate(&random), other = random_plate(&random);
        k = i % 2 == 0 ? k : sn_sym3_add(&k, &other);
        sn_vec3 u = random_vector(&random, 2.0);
        u.x = -fabs(u.x) - 0.05;
        double friction = sn_random_range(&random, 0.0, 1.0),
               e = sn_random_range(&random, 0.0, 1.0);
        sn_point_impact hit = sn_point_impact_find(&k, u, friction, e);
        check_laws(&k, u, friction, e, &hit);
        sn_vec3 p = blow_in_steps(&k, u, friction, e, 4000);
        worst = fmax(worst, sn_distance(p, hit.impulse) / sn_length(p));
        stuck += hit.sticks;
    }
    print_message("leaves: %d of %d stick, off by up to %.1e\n", stuck, rounds, worst);
    assert_true(worst < 5e-3);
}

static void energy_never_rises(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    for (int i = 0; i < rounds_of(50000, 2000); ++i) {
        sn_sym3 k = random_plate(&random);
        sn_vec3 u = random_vector(&random, 2.0);
        u.x = -fabs(u.x) - 1e-3;
        u = i % 5 == 0 ? sn_vec3_make(u.x, 0.0, 0.0) : u;
        double friction = i % 9 == 0 ? 0.0 : sn_random_range(&random, 0.0, 3.0);
        double e = i % 4 == 0 ? 1.0 : sn_random_unit(&random);
        sn_point_impact hit = sn_point_impact_find(&k, u, friction, e);
        check_laws(&k, u, friction, e, &hit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_stick_or_slide_by_closed_form),
        cmocka_unit_test(rods_follow_their_pieces),
        cmocka_unit_test(a_rod_that_stands_slides_by_mirtichs_test),
        cmocka_unit_test(leaves_follow_the_law_in_tiny_steps),
        cmocka_unit_test(energy_never_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
