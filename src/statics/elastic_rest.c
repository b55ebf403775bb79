// Equilibrium of worlds with elastic bodies, and with rigid ones and mechanisms beside them:
// downhill by Newton's method with a brake that is let go as steps gain what they should,
//
//     (K + brake) d - B^T lambda = f,    B d = -gap
//
// which for elastic bodies alone is a step of implicit Euler's rule from rest (pseudo-transient
// continuation: C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35, 1998). The brake is M for
// vertices and the turns and shifts of bodies for rigid freedoms, each by how stiff things are
// there. What a step gains is the work of all that acts from outside along it less what elastic
// energy grows, so fields of any kind take part, whether they have a potential or not; rows do no
// work, because every step ends where they hold. K of the materials is the law's own where the
// whole is positive definite with the brake, else the law's own made so.
//
// Hard limits are an active set as in equilibrium.c.
#include "statics/elastic_rest.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "force/shade.h"
#include "mechanism/joint.h"
#include "stage/group.h"
#include "statics/rest.h"

enum {
    STRIDE = SN_SOLID_STRIDE,
    MOST_DIRECTIONS = 400,
    MOST_DEBT = 6,
    MILD_TRIES = 3,
    MOST_TRIES = 30
};

// Shares of the brake: the least, which slows nothing and keeps free bodies in place, where it
// starts with elastic bodies alone and with others, and where nothing is gained by more.
static const double LEAST_BRAKE = 1e-11, FIRST_BRAKE = 1e-2, FIRST_MIXED = 1e-6, MOST_BRAKE = 1e6;

typedef struct search {
    sn_rest rest;
    sn_equilibrium_def def;
    double *memory;
    double *start, *start_rates;   // the state, to come back to
    double *pose, *best;           // poses: the present one, and the best so far
    double *trial, *between;       // poses
    double *d, *by, *left, *ahead; // size: the step, scratch, what is left, outer forces on the way
    double *correction;            // size
    double *lambda;                // most rows
    int *sides;                    // of the limits, at the best place
    double brake;                  // the share of it
    double energy, best_energy;    // J, of elastic bodies
    double lost;                   // J, since the best place
    double promised;               // J, by the step that left it
    double best_residual;          // N
    int debt;                      // steps since then
    double residual;               // N: |left|, turns by the reach
    double previous;               // of the iteration before
    double load, noise;
    int iterations;
} search;

// ---- what is there ----

sn_status sn_world_prepare_statics(sn_world *world, sn_error *error)
{
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_assemble(world, error);
    }
    if (status == SN_OK) {
        status = sn_world_make_groups(world, error);
    }
    if (status == SN_OK) {
        status = sn_world_draw_shades(world, world->time, world->time, error);
    }
    return status;
}

static bool make_search(search *s)
{
    size_t pose = sn_rest_pose_size(&s->rest) + 1, size = s->rest.size + 1,
           rows = (size_t)s->rest.most_rows + 1;
    s->memory = sn_allocate_zero((5 * pose + 6 * size + rows) * sizeof(double));
    s->sides = sn_allocate_zero(((size_t)s->rest.system.limits.count + 1) * sizeof(int));
    if (s->memory == NULL || s->sides == NULL) {
        return false;
    }
    double *at = s->memory;
    double **poses[] = {&s->start, &s->pose, &s->best, &s->trial, &s->between};
    double **vectors[] = {&s->start_rates, &s->d, &s->by, &s->left, &s->ahead, &s->correction};
    for (int i = 0; i < 5; ++i, at += pose) {
        *poses[i] = at;
    }
    for (int i = 0; i < 6; ++i, at += size) {
        *vectors[i] = at;
    }
    s->lambda = at;
    return true;
}

static double reach_of(const search *s, size_t i)
{
    return i < (size_t)s->rest.n && s->rest.system.turns[i] ? s->rest.system.size : 1.0;
}

// Of forces: moments count by the size of what they turn.
static double norm(const search *s, const double *f)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->rest.size; ++i) {
        double own = f[i] / reach_of(s, i);
        sum += own * own;
    }
    return sqrt(sum);
}

static double find_energy(search *s)
{
    double sum = 0.0;
    for (int b = 0; b < s->rest.body_count; ++b) {
        sum += sn_solid_energy(s->rest.bodies[b].item->solid, s->rest.world->threads,
                               sn_agent_q(s->rest.soft, b));
    }
    return sum;
}

// What the forces of materials are known to: positions are rounded, and so are lengths of edges.
static double find_noise(const search *s)
{
    const sn_rest *rest = &s->rest;
    double sum = 0.0;
    const double *x = s->pose + rest->system.q_count;
    for (int i = 0; i < rest->nodes; ++i) {
        const double *block = rest->base + 9 * (size_t)(rest->starts[i + 1] - 1);
        double stiff = fmax(fabs(block[0]), fmax(fabs(block[4]), fabs(block[8])));
        double own = stiff * sn_length(sn_vec3_at(x + STRIDE * i));
        sum += own * own;
    }
    return 2.0 * DBL_EPSILON * sqrt(sum);
}

// ---- what falls ----

static int find_root(const int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i];
    }
    return i;
}

static int number_of(const sn_world *world, sn_agent_ref ref)
{
    int number = ref.agent;
    for (int s = 0; s < ref.set; ++s) {
        number += world->sets[s]->count;
    }
    return number;
}

typedef struct holding {
    int *parent;   // of agents, numbered over all sets
    uint8_t *held; // coordinates, bits
    sn_vec3 *sum;  // of forces
} holding;

// Two ends belong together, or what moves of them is held along the given axes.
static void join(const sn_world *world, holding *h, sn_body a, sn_body b, uint8_t axes)
{
    const sn_body_record *records[2] = {sn_world_body_record(world, a),
                                        sn_world_body_record(world, b)};
    int roots[2] = {-1, -1};
    for (int i = 0; i < 2; ++i) {
        if (records[i] != NULL && records[i]->agent.agent >= 0) {
            roots[i] = find_root(h->parent, number_of(world, records[i]->agent));
        }
    }
    if (roots[0] >= 0 && roots[1] >= 0) {
        h->held[roots[0]] |= h->held[roots[1]];
        h->parent[roots[1]] = roots[0];
    } else if (roots[0] >= 0 || roots[1] >= 0) {
        h->held[roots[0] >= 0 ? roots[0] : roots[1]] |= axes;
    }
}

static void note_held(const search *s, holding *h)
{
    const sn_world *world = s->rest.world;
    const sn_agent_set *soft = s->rest.soft;
    int first = 0; // of the set's velocities
    for (int set = 0; set < world->set_count; first += world->sets[set++]->v_count) {
        const sn_agent_set *trees = world->sets[set];
        // Those that float have freedoms without a joint.
        for (int i = 0; i < trees->count && trees->type->traits.jointed; ++i) {
            sn_freedom freedom = sn_world_freedom(world, first + trees->agents[i].v_first);
            h->held[number_of(world, (sn_agent_ref){set, i, 0})] = freedom.joint.index != 0 ? 7 : 0;
        }
    }
    for (int i = 0; i < soft->count; ++i) {
        const sn_rest_body *body = &s->rest.bodies[i];
        uint8_t *held = &h->held[number_of(world, (sn_agent_ref){sn_soft_side(i, 0).set, i, 0})];
        for (int k = 0; k < body->item->mass.vertex_count; ++k) {
            *held |= s->rest.fixed[body->first + k];
        }
    }
    for (int i = 0; i < s->rest.ties.count; ++i) {
        const sn_bond_record *bond = &world->bonds.records.data[s->rest.ties.data[i].bond];
        sn_bond_type type = bond->item.type;
        bool own = type == SN_BOND_RIGID || type == SN_BOND_VOLUME;
        sn_vec3 n = bond->item.normal;
        int axes = type == SN_BOND_PLANE ? (n.x != 0.0) + 2 * (n.y != 0.0) + 4 * (n.z != 0.0) : 7;
        if (!own) {
            join(world, h, bond->body, bond->other, (uint8_t)axes);
        }
    }
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        if (sn_field_kind_of(field)->stretches) {
            join(world, h, field->spring.body_a, field->spring.body_b, 7);
        } else if (sn_field_kind_of(field)->pulls) {
            join(world, h, field->pull.body, (sn_body){0}, 7);
        }
    }
}

// Outer forces on agents: of rigid bodies and floating trees those of the first three freedoms,
// which shift them as a whole.
static void sum_forces(const search *s, holding *h)
{
    const sn_world *world = s->rest.world;
    const double *f = s->rest.outer;
    for (int set = 0; set < SN_SET_COUNT; ++set) {
        const sn_agent_set *agents = world->sets[set];
        for (int i = 0; i < agents->count; ++i) {
            const sn_agent *agent = &agents->agents[i];
            int root = find_root(h->parent, number_of(world, (sn_agent_ref){set, i, 0}));
            int last = sn_world_traits(world, set)->deformable ? agent->v_count - STRIDE : 0;
            for (int k = 0; k <= last && agent->v_count >= 3; k += STRIDE) {
                h->sum[root] = sn_vec3_add(h->sum[root], sn_vec3_at(f + agent->v_first + k));
            }
        }
        f += agents->v_count;
    }
}

static sn_status tell_falling(const search *s, const holding *h, sn_error *error)
{
    const sn_world *world = s->rest.world;
    for (int set = 0, number = 0; set < SN_SET_COUNT; ++set) {
        const sn_agent_set *agents = world->sets[set];
        for (int i = 0; i < agents->count; ++i, ++number) {
            const double along[3] = {h->sum[number].x, h->sum[number].y, h->sum[number].z};
            for (int k = 0; k < 3 && h->parent[number] == number; ++k) {
                if (!(h->held[number] >> k & 1) && fabs(along[k]) > 1e-6 * s->load) {
                    return sn_fail(error, SN_ERROR_DIVERGED,
                                   world->bodies.data[agents->agents[i].owner].name,
                                   "nothing holds it along %c, and %g N act on it: it falls. "
                                   "Statics know no contact; a joint, a bond, a spring or fixed "
                                   "vertices were expected",
                                   "xyz"[k], along[k]);
                }
            }
        }
    }
    return SN_OK;
}

// What nothing holds must be in balance as a whole. Callbacks and shapes that press may hold.
static sn_status check_held(search *s, sn_error *error)
{
    const sn_world *world = s->rest.world;
    if (world->has_callbacks || sn_world_presses(world)) {
        return SN_OK;
    }
    size_t count = 0;
    for (int set = 0; set < SN_SET_COUNT; ++set) {
        count += (size_t)world->sets[set]->count;
    }
    holding h = {.parent = sn_allocate(count * sizeof(int)),
                 .held = sn_allocate_zero(count),
                 .sum = sn_allocate_zero(count * sizeof(sn_vec3))};
    sn_status status = SN_OK;
    if (h.parent == NULL || h.held == NULL || h.sum == NULL) {
        status = sn_fail_memory(error, count * sizeof(sn_vec3));
    } else {
        for (size_t i = 0; i < count; ++i) {
            h.parent[i] = (int)i;
        }
        note_held(s, &h);
        sum_forces(s, &h);
        status = tell_falling(s, &h, error);
    }
    sn_free(h.parent);
    sn_free(h.held);
    sn_free(h.sum);
    return status;
}

// ---- where it stands ----

// Factors with the brake there is, or as much more as is needed.
static sn_status factor(search *s, int tries, sn_error *error)
{
    double brake = s->brake;
    sn_status status = SN_ERROR_INTEGRATOR;
    for (int i = 0; i < tries && status == SN_ERROR_INTEGRATOR; ++i) {
        status = sn_rest_factor(&s->rest, SN_REST_BRAKED, brake, error);
        brake *= 16.0;
    }
    return status;
}

// The step, the multipliers, and what is left of the forces with these.
static sn_status find_step(search *s, sn_error *error)
{
    sn_rest *rest = &s->rest;
    sn_status status = sn_rest_linearise(rest, SN_STIFFNESS_EXACT, 1, error);
    if (status != SN_OK) {
        return status;
    }
    s->noise = find_noise(s);
    status = factor(s, MILD_TRIES, error);
    if (status == SN_ERROR_INTEGRATOR) {
        status = sn_rest_linearise(rest, SN_STIFFNESS_PROJECTED, 0, error);
        status = status == SN_OK ? factor(s, MOST_TRIES, error) : status;
    }
    if (status != SN_OK) {
        return status == SN_ERROR_MEMORY ? sn_fail_memory(error, 0) : status;
    }
    for (int i = 0; i < rest->rows; ++i) {
        s->lambda[i] = -rest->gap[i];
    }
    sn_rest_solve(rest, rest->force, s->lambda, s->d, rest->lambda);
    memcpy(s->left, rest->force, rest->size * sizeof *s->left);
    sn_rest_add_rows(rest, rest->lambda, s->left);
    sn_rest_clear_fixed(rest, s->left);
    s->residual = norm(s, s->left);
    return isfinite(s->residual)
               ? SN_OK
               : sn_fail(error, SN_ERROR_DIVERGED, "world",
                         "a force is no longer a number on the way to equilibrium");
}

// No freedom turns by more than half a radian, no vertex goes farther than half of its body's
// radius but for what the body does as a whole, at once; the part of the step that is left.
static double cut(const search *s)
{
    const sn_rest *rest = &s->rest;
    double most = 0.0;
    for (int i = 0; i < rest->n; ++i) {
        most = rest->system.turns[i] ? fmax(most, fabs(s->d[i]) / 0.5) : most;
    }
    for (int b = 0; b < rest->body_count; ++b) {
        const sn_rest_body *body = &rest->bodies[b];
        const double *d = s->d + rest->n + (size_t)STRIDE * (size_t)body->first;
        double radius = body->loose ? 2.0 * rest->reach : 0.5 * body->item->radius;
        for (int i = 0; i < body->item->mass.vertex_count; ++i) {
            most = fmax(most, sn_length(sn_vec3_at(d + STRIDE * i)) / radius);
        }
    }
    return most > 1.0 ? 1.0 / most : 1.0;
}

// ---- a step ----

static double largest_gap(const sn_rest *rest)
{
    double most = 0.0;
    for (int i = 0; i < rest->rows; ++i) {
        double own = rest->weight[i] > 0.0 ? fabs(rest->gap[i]) : 0.0;
        most = own <= most ? most : own;
    }
    return most;
}

// Brings the trial onto the rows, with the factor of where the step began; false when that does not
// lead there.
static bool meet_rows(search *s, sn_error *error)
{
    sn_rest *rest = &s->rest;
    double close = 1e-12 * rest->reach, last = INFINITY;
    for (int turn = 0; turn < 40; ++turn) {
        sn_rest_write(rest, s->trial);
        int rows = rest->rows;
        if (sn_rest_read_rows(rest, error) != SN_OK) {
            return false;
        }
        double gap = largest_gap(rest);
        if (!(gap > close) || rows != rest->rows) {
            return true; // a limit that has begun to press is met by the next step
        }
        if (!(gap < 2.0 * last) || !isfinite(gap)) {
            return last < 1e3 * close;
        }
        last = gap;
        for (int i = 0; i < rest->rows; ++i) {
            s->lambda[i] = -rest->gap[i];
        }
        memset(s->ahead, 0, rest->size * sizeof *s->ahead);
        sn_rest_solve(rest, s->ahead, s->lambda, s->correction, NULL);
        sn_rest_move(rest, s->trial, s->correction, 1.0, s->trial);
    }
    return last < 1e3 * close;
}

// Moves by part of the step and onto the rows, or by less of it.
static bool make_trial(search *s, double *part, sn_error *error)
{
    enum { MOST_CUTS = 4 };
    for (int i = 0; i < MOST_CUTS; ++i, *part *= 0.25) {
        sn_rest_move(&s->rest, s->pose, s->d, *part, s->trial);
        if (meet_rows(s, error)) {
            return true;
        }
    }
    return false;
}

// The work of what acts from outside along the way from pose to trial: Gauss's three points in
// panels of at most a radian of turns in all, or the system's size of shifts.
static double work_along(search *s)
{
    static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169},
                        weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    sn_rest *rest = &s->rest;
    int q = rest->system.q_count, n = rest->n;
    size_t vertices = rest->size - (size_t)n;
    double *d = s->by, length = 0.0, work = 0.0;
    sn_system_difference(&rest->system, s->pose, s->trial, d);
    for (int i = 0; i < n; ++i) {
        length += fabs(d[i]) / rest->system.reach[i];
    }
    for (size_t i = 0; i < vertices; ++i) {
        d[(size_t)n + i] = s->trial[(size_t)q + i] - s->pose[(size_t)q + i];
    }
    int panels = length < 16.0 ? 1 + (int)length : 16;
    for (int p = 0; p < panels; ++p) {
        for (int g = 0; g < 3; ++g) {
            double part = (p + at[g]) / panels, along = 0.0;
            sn_system_move(&rest->system, s->pose, d, part, s->between);
            for (size_t i = 0; i < vertices; ++i) {
                s->between[(size_t)q + i] = s->pose[(size_t)q + i] + part * d[(size_t)n + i];
            }
            sn_rest_write(rest, s->between);
            sn_rest_find_outer(rest, s->ahead);
            for (size_t i = 0; i < rest->size; ++i) {
                along += s->ahead[i] * d[i];
            }
            work += weight[g] / panels * along;
        }
    }
    return work;
}

// Goes back to the best place, to go on with more of a brake.
static sn_status go_back(search *s, sn_error *error)
{
    for (int i = 0; i < s->rest.system.limits.count; ++i) {
        sn_system_press(&s->rest.system, i, s->sides[i]);
    }
    memcpy(s->pose, s->best, sn_rest_pose_size(&s->rest) * sizeof *s->pose);
    s->energy = s->best_energy;
    s->debt = 0;
    s->lost = 0.0;
    s->brake = fmax(10.0 * s->brake, 1e-7);
    sn_rest_write(&s->rest, s->pose);
    return sn_rest_look(&s->rest, error);
}

// Here is the best place so far.
static void keep_best(search *s)
{
    for (int i = 0; i < s->rest.system.limits.count; ++i) {
        s->sides[i] = s->rest.system.limits.data[i].side;
    }
    memcpy(s->best, s->pose, sn_rest_pose_size(&s->rest) * sizeof *s->pose);
    s->best_energy = s->energy;
    s->debt = 0;
    s->lost = 0.0;
}

// |f + B^T lambda| here, with the multipliers of the step that led here.
static double look_ahead(search *s)
{
    memcpy(s->by, s->rest.force, s->rest.size * sizeof *s->by);
    sn_rest_add_rows(&s->rest, s->rest.lambda, s->by);
    sn_rest_clear_fixed(&s->rest, s->by);
    return norm(s, s->by);
}

// Takes the step. Thin bodies are stretched by steps that bend them, which the next ones undo: a
// few may lose what later ones must win back (the watchdog of R. M. Chamberlain, M. J. D. Powell,
// C. Lemarechal, H. C. Pedersen, Math. Programming Study 16, 1982).
static sn_status take_step(search *s, sn_error *error)
{
    sn_rest *rest = &s->rest;
    double part = cut(s), along = 0.0, slowed = sn_rest_slowed(rest, s->d);
    part *= sn_system_cut_at_limits(&rest->system, s->pose, s->d, s->trial);
    for (size_t i = 0; i < rest->size; ++i) {
        along += rest->force[i] * s->d[i];
    }
    if (!make_trial(s, &part, error)) {
        return go_back(s, error);
    }
    double wanted = part * along - 0.5 * part * part * fmax(along - slowed, 0.0);
    sn_system_press_crossed(&rest->system, s->trial);
    double work = work_along(s);
    sn_rest_write(rest, s->trial);
    double energy = find_energy(s), gain = work - (energy - s->energy);
    sn_status status = sn_rest_look(rest, error);
    double now = status == SN_OK ? look_ahead(s) : NAN;
    if (status != SN_OK || !isfinite(now) || !isfinite(energy)) {
        return status != SN_OK ? status : go_back(s, error);
    }
    // Gains drown in rounding near the end, and are no measure where loads turn with a surface.
    bool hidden = wanted < 1e-10 * (fabs(energy) + fabs(work)) && now < s->residual;
    bool calmer = now < 0.5 * (s->debt == 0 ? s->residual : s->best_residual);
    memcpy(s->pose, s->trial, sn_rest_pose_size(rest) * sizeof *s->pose);
    s->energy = energy;
    s->promised = s->debt == 0 ? wanted : s->promised;
    s->lost -= gain;
    if ((s->lost < -1e-4 * fmax(wanted, 0.0) && gain > 0.0) || hidden || calmer) {
        bool full = hidden ? now < 0.3 * s->residual : -s->lost > 0.3 * s->promised;
        bool poor = hidden ? now > 0.7 * s->residual : -s->lost < 0.1 * s->promised;
        s->brake *= full ? 0.1 : (poor ? 10.0 : 1.0);
        s->brake = fmax(s->brake, LEAST_BRAKE);
        keep_best(s);
        s->best_residual = now;
        return SN_OK;
    }
    s->best_residual = s->debt == 0 ? s->residual : s->best_residual;
    s->debt += now < 0.5 * s->residual ? 0 : 1;
    return s->debt > MOST_DEBT ? go_back(s, error) : SN_OK;
}

// ---- iterations ----

static sn_status fail_search(const search *s, const char *why, sn_error *error)
{
    double most = -1.0;
    size_t worst = 0;
    for (size_t i = 0; i < s->rest.size; ++i) {
        double own = fabs(s->left[i]) / reach_of(s, i);
        worst = own > most ? i : worst;
        most = fmax(most, own);
    }
    char name[200];
    bool turns = worst < (size_t)s->rest.n && s->rest.system.turns[worst];
    sn_world_freedom_name(s->rest.world, (int)worst, name, sizeof name);
    return sn_fail(error, SN_ERROR_DIVERGED, name,
                   "no equilibrium was found in %d iterations: %s; %.3g %s are left here",
                   s->iterations, why, fabs(s->left[worst]), turns ? "N m" : "N");
}

static bool is_far(const search *s)
{
    size_t count = sn_rest_pose_size(&s->rest);
    for (size_t i = 0; i < count; ++i) {
        if (!(fabs(s->pose[i] - s->start[i]) < 1e6 * s->rest.reach)) {
            return true;
        }
    }
    return false;
}

static sn_status iterate(search *s, sn_error *error)
{
    sn_rest *rest = &s->rest;
    sn_rest_read(rest, s->pose);
    sn_status status = sn_rest_look(rest, error);
    s->load = norm(s, rest->outer);
    s->energy = find_energy(s);
    s->previous = INFINITY;
    keep_best(s);
    status = status == SN_OK ? check_held(s, error) : status;
    while (status == SN_OK) {
        status = find_step(s, error);
        if (status != SN_OK) {
            return status;
        }
        s->load = norm(s, rest->outer);
        bool stuck = s->residual > 0.5 * s->previous && s->residual <= s->noise;
        s->previous = s->residual;
        if ((s->residual <= s->def.tolerance * s->load || stuck) &&
            largest_gap(rest) <= 1e-9 * rest->reach) {
            int pulling = sn_rest_pulling_limit(rest, s->def.tolerance * s->load * rest->reach);
            if (pulling < 0) {
                return SN_OK;
            }
            sn_system_press(&rest->system, pulling, 0);
            status = sn_rest_look(rest, error);
            continue;
        }
        if (s->iterations++ == s->def.most_iterations) {
            return fail_search(s,
                               rest->world->air.winds.count > 0
                                   ? "it may need more iterations, or a wind turns it for ever"
                                   : "it may need more iterations, or something falls",
                               error);
        }
        if (is_far(s)) {
            return fail_search(s, "something falls without end", error);
        }
        if (s->brake > MOST_BRAKE) {
            return fail_search(s, "no step makes it better", error);
        }
        status = take_step(s, error);
    }
    return status;
}

// ---- the report ----

// Directions of one kind, each with its largest entry 1.
static sn_status pick_directions(const search *s, const sn_spectrum *spectrum,
                                 const sn_mode_type *types, sn_mode_type type, double **rows,
                                 int *count, sn_error *error)
{
    size_t n = s->rest.size;
    *count = 0;
    for (int i = 0; i < spectrum->count; ++i) {
        *count += types[i] == type;
    }
    *rows = sn_allocate_zero(((size_t)*count * n + 1) * sizeof **rows);
    double *at = *rows;
    if (at == NULL) {
        return sn_fail_memory(error, (size_t)*count * n * sizeof **rows);
    }
    for (int i = 0; i < spectrum->count; ++i) {
        const double *shape = spectrum->vectors + (size_t)i * n;
        double most = 0.0;
        for (size_t k = 0; k < n; ++k) {
            most = fabs(shape[k]) > fabs(most) ? shape[k] : most;
        }
        for (size_t k = 0; k < n && types[i] == type; ++k) {
            at[k] = shape[k] / most;
        }
        at += types[i] == type ? n : 0;
    }
    return SN_OK;
}

static sn_status list_resting(const search *s, sn_equilibrium *e, sn_error *error)
{
    const sn_system *rigid = &s->rest.system;
    e->resting = sn_allocate_zero(((size_t)rigid->limits.count + 1) * sizeof(int));
    if (e->resting == NULL) {
        return sn_fail_memory(error, (size_t)rigid->limits.count * sizeof(int));
    }
    for (int i = 0; i < rigid->limits.count; ++i) {
        if (sn_system_rests_on(&rigid->limits.data[i])) {
            e->resting[e->resting_count++] = rigid->limits.data[i].v;
        }
    }
    return SN_OK;
}

static sn_status report(search *s, sn_equilibrium *e, sn_error *error)
{
    sn_rest *rest = &s->rest;
    int wanted = 8 * rest->body_count + rest->n;
    sn_mode_type types[MOST_DIRECTIONS];
    sn_spectrum spectrum = {0};
    e->iterations = s->iterations;
    e->coordinates = (int)rest->size;
    e->freedoms = sn_rest_freedoms(rest);
    for (size_t i = 0; i < rest->size; ++i) {
        double *most = i < (size_t)rest->n && rest->system.turns[i] ? &e->torque : &e->force;
        *most = fmax(*most, fabs(s->left[i]));
    }
    sn_status status = sn_rest_linearise(rest, SN_STIFFNESS_EXACT, 4, error);
    if (status == SN_OK) {
        status = sn_rest_vibrations(rest, wanted < MOST_DIRECTIONS ? wanted : MOST_DIRECTIONS,
                                    &spectrum, types, error);
    }
    if (status == SN_OK) {
        status = pick_directions(s, &spectrum, types, SN_MODE_FREE, &e->free_directions,
                                 &e->free_count, error);
    }
    if (status == SN_OK) {
        status = pick_directions(s, &spectrum, types, SN_MODE_UNSTABLE, &e->unstable_directions,
                                 &e->unstable_count, error);
    }
    sn_spectrum_free(&spectrum);
    e->stable = e->unstable_count == 0;
    return status == SN_OK ? list_resting(s, e, error) : status;
}

// From where forces balance, but the least push would topple it, along the direction that falls
// quickest, by a thousandth of the bodies' size.
static bool leave(search *s, const sn_equilibrium *e)
{
    sn_rest *rest = &s->rest;
    double most = 0.0;
    for (size_t i = 0; i < rest->size; ++i) {
        double own = fabs(e->unstable_directions[i]);
        most = fmax(most, i < (size_t)rest->n ? own / rest->system.reach[i] : own / rest->reach);
    }
    sn_rest_read(rest, s->pose);
    sn_rest_move(rest, s->pose, e->unstable_directions, 1e-3 / most, s->trial);
    bool there = meet_rows(s, NULL);
    sn_rest_write(rest, there ? s->trial : s->pose);
    s->brake = rest->n > 0 ? FIRST_MIXED : FIRST_BRAKE;
    return there;
}

// ---- the call ----

static sn_status descend(search *s, sn_equilibrium *equilibrium, sn_error *error)
{
    enum { MOST_TOPPLES = 8 };
    for (int topple = 0;; ++topple) {
        sn_status status = iterate(s, error);
        if (status == SN_OK) {
            status = report(s, equilibrium, error);
        }
        if (status != SN_OK || equilibrium->stable || s->def.accept_unstable ||
            topple == MOST_TOPPLES || !leave(s, equilibrium)) {
            return status;
        }
        sn_equilibrium_free(equilibrium);
    }
}

sn_status sn_world_elastic_equilibrium(sn_world *world, const sn_equilibrium_def *def,
                                       sn_equilibrium *equilibrium, sn_error *error)
{
    search s = {.def = *def};
    sn_status status = sn_rest_open(world, &s.rest, error);
    if (status != SN_OK) {
        return status;
    }
    if (make_search(&s)) {
        s.brake = s.rest.n > 0 ? FIRST_MIXED : FIRST_BRAKE;
        sn_rest_read(&s.rest, s.start);
        sn_rest_read_rates(&s.rest, s.start_rates);
        sn_rest_stop(&s.rest);
        status = descend(&s, equilibrium, error);
        if (status != SN_OK) {
            sn_rest_write(&s.rest, s.start);
            sn_rest_write_rates(&s.rest, s.start_rates);
        }
    } else {
        status = sn_fail_memory(error, s.rest.size * sizeof(double));
    }
    sn_free(s.memory);
    sn_free(s.sides);
    sn_rest_close(&s.rest);
    return status;
}
