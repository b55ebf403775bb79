// The longest step that an explicit integrator bears: see sn_elastic_longest_step in elastic.h.
#include <math.h>

#include "agent/elastic/elastic.h"
#include "base/random.h"

enum { STRIDE = SN_SOLID_STRIDE, TURNS = 100 };

// Where vertices are fixed nothing moves.
static bool is_free(const sn_elastic_item *item, int number)
{
    return number % STRIDE < 3 && !(item->fixed[number / STRIDE] >> number % STRIDE & 1);
}

static void set_out(const sn_elastic_item *item, double *v)
{
    sn_random random = {.seed = 1};
    for (int i = 0; i < STRIDE * item->mass.vertex_count; ++i) {
        v[i] = is_free(item, i) ? sn_random_range(&random, -1.0, 1.0) : 0.0;
    }
}

// v becomes M^-1 K v. Returns Rayleigh's quotient of the old v.
static double turn(const sn_agent_set *set, int agent, double *v, double *y)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const int count = STRIDE * item->mass.vertex_count;
    double stiffness = 0.0, inertia = 0.0, most = 0.0;
    for (int i = 0; i < count; ++i) {
        y[i] = 0.0;
    }
    sn_mass_add_product(&item->mass, STRIDE, 1.0, v, y);
    for (int i = 0; i < count; ++i) {
        inertia += v[i] * y[i];
        y[i] = 0.0;
    }
    sn_solid_add_product(item->solid, NULL, 1.0, v, y);
    for (int i = 0; i < count; ++i) {
        stiffness += v[i] * y[i];
        y[i] = is_free(item, i) ? y[i] : 0.0;
    }
    sn_elastic_divide_by_mass(set, agent, y, v);
    for (int i = 0; i < count; ++i) {
        v[i] = is_free(item, i) ? v[i] : 0.0;
        most = fmax(most, fabs(v[i]));
    }
    for (int i = 0; i < count && most > 0.0; ++i) {
        v[i] /= most;
    }
    return inertia > 0.0 ? stiffness / inertia : 0.0;
}

// The quickest mode about the shape at rest, rad/s: power iteration. Every Rayleigh quotient is at
// most the square of the true one, so what follows from it is never too short a step.
static double quickest(const sn_agent_set *set, int agent)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_solid_pad(item->solid, (const double *)sn_tetrahedra_positions(item->mesh), item->place);
    sn_solid_set_damping(item->solid, 1.0, 0.0, NULL, 0, false);
    if (sn_solid_linearise(item->solid, NULL, item->place, SN_STIFFNESS_EXACT, NULL) != SN_OK) {
        return 0.0; // no memory: nothing is known
    }
    double square = 0.0;
    set_out(item, item->turn);
    for (int i = 0; i < TURNS; ++i) {
        square = fmax(square, turn(set, agent, item->turn, item->right));
    }
    return sqrt(square);
}

double sn_elastic_longest_step(const sn_agent_set *set, int agent)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    int integrator = set->agents[agent].integrator;
    bool euler = integrator == SN_INTEGRATOR_SYMPLECTIC_EULER;
    if (!euler && integrator != SN_INTEGRATOR_RK4) {
        return INFINITY;
    }
    double w = quickest(set, agent), a = item->rayleigh.mass_rate;
    if (!(w > 0.0)) {
        return INFINITY;
    }
    // Of x'' = -w^2 x - a x': |trace| < 1 + det of a step is h^2 w^2 < 4 - 2 h a. Runge and Kutta's
    // polynomial of i h w stays within 1 up to 2 sqrt(2).
    return euler ? (sqrt(a * a + 4.0 * w * w) - a) / (w * w) : 2.0 * sqrt(2.0) / w;
}
