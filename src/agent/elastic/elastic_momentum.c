// Momentum of elastic bodies in a step: what a linearisation leaves of it. See elastic.h.
#include <math.h>
#include <string.h>

#include "agent/elastic/elastic.h"

enum { STRIDE = SN_SOLID_STRIDE };

// How far a place is turned away from another about their centres, at most, for a rigid motion of
// one to act on the other's moments: the cosine of a sixth of a turn.
static const double LEAST_ALIKE = 0.5;

static sn_vec3 centre_of(const sn_elastic_item *item, const double *x)
{
    sn_vec3 centre = SN_VEC3_ZERO;
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        centre = sn_vec3_add_scaled(centre, item->row_mass[i] / item->mass.total,
                                    sn_vec3_at(x + STRIDE * i));
    }
    return centre;
}

// Arms to the end of the step, q + t v (midpoint) or q0 + h v (Euler), from its centre; or those of
// x, where the body turns so far that they are of no use.
static void find_end_arms(const sn_agent_set *set, int agent, const double *x, double *arms)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *v = sn_agent_v(set, agent);
    double t = sn_elastic_time(set, agent, item->step), alike = 0.0, all = 0.0;
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        arms[i] = x[i] + t * v[i];
    }
    sn_vec3 end = centre_of(item, arms), centre = centre_of(item, x);
    for (int i = 0; i < item->mass.vertex_count; ++i) {
        sn_vec3 a = sn_vec3_sub(sn_vec3_at(x + STRIDE * i), centre),
                b = sn_vec3_sub(sn_vec3_at(arms + STRIDE * i), end);
        alike += item->row_mass[i] * sn_dot(a, b);
        all += item->row_mass[i] * sn_dot(a, a);
        sn_vec3_put(arms + STRIDE * i, b);
    }
    for (int i = 0; i < item->mass.vertex_count && !(alike > LEAST_ALIKE * all); ++i) {
        sn_vec3_put(arms + STRIDE * i, sn_vec3_sub(sn_vec3_at(x + STRIDE * i), centre));
    }
}

// (R - 1) / t of Cayley's turn R of t w: a motion of velocity w x b that ends with b turned. R - 1
// = (U + U^2 / 2) / (1 + |u|^2 / 4) with U of u = t w.
static sn_mat3 turn_rate(sn_vec3 w, double t)
{
    sn_mat3 spin = {{{0.0, -w.z, w.y}, {w.z, 0.0, -w.x}, {-w.y, w.x, 0.0}}};
    sn_mat3 square = sn_mat3_multiply(spin, spin);
    double scale = 1.0 / (1.0 + 0.25 * t * t * sn_dot(w, w));
    for (int i = 0; i < 9; ++i) {
        double *x = &spin.m[i / 3][i % 3];
        *x = scale * (*x + 0.5 * t * square.m[i / 3][i % 3]);
    }
    return spin;
}

// sum a x M C b, of second = sum M b a^T.
static sn_vec3 moment_of(sn_mat3 rate, sn_mat3 second)
{
    sn_mat3 w = sn_mat3_multiply(rate, second);
    return (sn_vec3){w.m[2][1] - w.m[1][2], w.m[0][2] - w.m[2][0], w.m[1][0] - w.m[0][1]};
}

// The rate C of a turn whose moment is this, by Newton's method with the derivative tr S - S of no
// turn; or w x alone, where that does not get there.
static sn_mat3 find_turn(sn_mat3 second, sn_vec3 moment, double t)
{
    enum { TURNS = 30 };
    const double near = 1e-6;
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    sn_mat3 inertia = sn_mat3_scale(-1.0, second);
    for (int i = 0; i < 3; ++i) {
        inertia.m[i][i] += trace;
    }
    sn_mat3 inverse = sn_mat3_inverse(inertia), rate = SN_MAT3_ZERO;
    sn_vec3 first = sn_mat3_apply(inverse, moment), w = first, lack = moment;
    double left = INFINITY;
    for (int k = 0; k < TURNS; ++k) {
        sn_mat3 next = turn_rate(w, t);
        lack = sn_vec3_sub(moment, moment_of(next, second));
        double now = sn_length(lack);
        if (!(now < left)) {
            break;
        }
        left = now;
        rate = next;
        w = sn_vec3_add(w, sn_mat3_apply(inverse, lack));
    }
    return left <= near * sn_length(moment) ? rate : turn_rate(first, 0.0);
}

// What M dv lacks of the impulses from outside, and of their moments about the place x where forces
// acted, comes back as a rigid motion, which turns the end of the step and does not strain it: one
// of x would, by the angle that the body turns in the step.
void sn_elastic_restore_momentum(sn_agent_set *set, int agent, const double *x)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *v = sn_agent_v(set, agent);
    const double *v0 = set->v_last + set->agents[agent].v_first;
    int count = item->mass.vertex_count;
    sn_vec3 centre = centre_of(item, x), lack = SN_VEC3_ZERO, moment = SN_VEC3_ZERO;
    for (int i = 0; i < STRIDE * count; ++i) {
        item->change[i] = v0[i] - v[i];
    }
    sn_mass_add_product(&item->mass, STRIDE, 1.0, item->change, item->impulse);
    find_end_arms(set, agent, x, item->change);
    memset(item->right, 0, (size_t)(STRIDE * count) * sizeof(double));
    sn_mass_add_product(&item->mass, STRIDE, 1.0, item->change, item->right);
    sn_mat3 second = SN_MAT3_ZERO;
    for (int i = 0; i < count; ++i) {
        sn_vec3 arm = sn_vec3_sub(sn_vec3_at(x + STRIDE * i), centre),
                rest = sn_vec3_at(item->impulse + STRIDE * i);
        const double a[3] = {arm.x, arm.y, arm.z}, *b = item->right + STRIDE * i;
        lack = sn_vec3_add(lack, rest);
        moment = sn_vec3_add(moment, sn_cross(arm, rest));
        for (int k = 0; k < 9; ++k) {
            second.m[k / 3][k % 3] += b[k / 3] * a[k % 3];
        }
    }
    sn_vec3 shift = sn_vec3_scale(1.0 / item->mass.total, lack);
    sn_mat3 turn = find_turn(second, moment, sn_elastic_time(set, agent, item->step));
    for (int i = 0; i < count; ++i) {
        sn_vec3 more =
            sn_vec3_add(shift, sn_mat3_apply(turn, sn_vec3_at(item->change + STRIDE * i)));
        v[STRIDE * i] += more.x;
        v[STRIDE * i + 1] += more.y;
        v[STRIDE * i + 2] += more.z;
    }
}
