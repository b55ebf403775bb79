// Equilibrium and small vibrations of worlds of elastic bodies: sparse, each body by its own
// factor.
//
// Downhill by Newton's method with M as a brake, (mu M + K) d = f: that is a step of implicit
// Euler's rule of length mu^-1/2 from rest (pseudo-transient continuation: C. T. Kelley, D. E.
// Keyes, SIAM J. Numer. Anal. 35, 1998). mu falls where a step gains what it should, and rises
// where it does not; what it gains is the elastic energy less the mean work of what acts from
// outside, so fields of any kind take part, whether they have a potential or not. K is the law's
// own where that is positive definite with the brake, else the law's own made so.
#include "world/elastic_rest.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elastic/spectrum.h"
#include "math/elementary.h"
#include "world/world.h"

enum { STRIDE = SN_SOLID_STRIDE, MOST_MODES = 24 };

// Of unit: brakes below this do not slow anything, and keep free bodies in place. Values of
// vibrations below the second count as none.
static const double LEAST_BRAKE = 1e-9, NO_STIFFNESS = 1e-9;

typedef struct resting_body {
    sn_elastic_item *item;
    sn_linear *linear;
    uint8_t *fixed;               // with what bonds hold
    double *outer, *force, *step; // like positions; at the place
    double *x, *next_outer, *next_force;
    double energy, brake, unit; // J, 1/s^2
    double residual, least;     // N: |f|, and what is rounding
    bool done;
} resting_body;

typedef struct search {
    sn_world *world;
    sn_equilibrium_def def;
    int count;
    resting_body *bodies; // count
    double *start_q, *start_v;
    int iterations;
} search;

static size_t length_of(const resting_body *body)
{
    return (size_t)STRIDE * (size_t)body->item->mass.vertex_count;
}

static double norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// ---- what can be treated ----

static sn_status hold_bonds(const sn_world *world, search *s, sn_error *error)
{
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *bond = &world->bonds.records.data[world->bonds.order.data[i]];
        if (bond->load.broken || world->time < bond->item.start || world->time > bond->item.end) {
            continue;
        }
        if (bond->item.type != SN_BOND_COORDINATES) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, bond->name,
                           "statics and modes of elastic bodies know bonds that hold coordinates, "
                           "and this one is of type '%s'",
                           sn_bond_type_word(bond->item.type));
        }
        const sn_body_record *record = sn_world_body_record(world, bond->body);
        resting_body *body = &s->bodies[record->agent.agent];
        for (int k = 0; k < bond->item.vertex_count; ++k) {
            body->fixed[bond->item.vertices[k]] |= bond->item.coordinates;
        }
    }
    return SN_OK;
}

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

static sn_status open(sn_world *world, sn_error *error)
{
    sn_status status = sn_world_prepare_statics(world, error);
    if (status == SN_OK &&
        (world->rigid.agents.count > 0 || world->articulations.agents.count > 0)) {
        status = sn_fail(error, SN_ERROR_UNSUPPORTED, "world",
                         "statics and modes are of rigid bodies and mechanisms, or of elastic "
                         "bodies; this world has both, which move");
    }
    if (status == SN_OK) {
        sn_world_cut_air(world, world->time, world->time);
        world->stepping = true;
    }
    return status;
}

static void close_world(sn_world *world)
{
    world->stepping = false;
    world->forces_clear = false;
}

// ---- memory ----

// How stiff by how heavy over its own size, 1/s^2.
static double unit_of(const sn_elastic_item *item)
{
    double most = 0.0;
    for (int i = 0; i < item->material_count; ++i) {
        const sn_elastic *law = &item->materials[i].elastic;
        most = fmax(most, (law->bulk + law->shear) / item->materials[i].density);
    }
    return most / (item->radius * item->radius);
}

static sn_status make_body(search *s, int agent, sn_error *error)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    resting_body *body = &s->bodies[agent];
    body->item = sn_elastic_item_of(set, agent);
    size_t length = length_of(body), vertices = (size_t)body->item->mass.vertex_count;
    body->outer = sn_allocate_zero(6 * length * sizeof(double));
    body->fixed = sn_allocate(vertices);
    if (body->outer == NULL || body->fixed == NULL) {
        return sn_fail_memory(error, 6 * length * sizeof(double));
    }
    double **parts[] = {&body->force, &body->step, &body->x, &body->next_outer, &body->next_force};
    for (size_t i = 0; i < 5; ++i) {
        *parts[i] = body->outer + (i + 1) * length;
    }
    memcpy(body->fixed, body->item->fixed, vertices);
    body->unit = unit_of(body->item);
    body->brake = 1e-2 * body->unit;
    sn_elastic_follow_flow(set, agent);
    return SN_OK;
}

static sn_status make_search(search *s, sn_error *error)
{
    sn_world *world = s->world;
    sn_agent_set *set = &world->elastics.agents;
    s->count = set->count;
    s->bodies = sn_allocate_zero((size_t)s->count * sizeof *s->bodies);
    s->start_q = sn_allocate((size_t)set->q_count * sizeof(double));
    s->start_v = sn_allocate((size_t)set->v_count * sizeof(double));
    if (s->bodies == NULL || s->start_q == NULL || s->start_v == NULL) {
        s->count = s->bodies == NULL ? 0 : s->count;
        return sn_fail_memory(error, (size_t)set->q_count * sizeof(double));
    }
    memcpy(s->start_q, set->q, (size_t)set->q_count * sizeof(double));
    memcpy(s->start_v, set->v, (size_t)set->v_count * sizeof(double));
    sn_status status = SN_OK;
    for (int i = 0; i < s->count && status == SN_OK; ++i) {
        status = make_body(s, i, error);
    }
    return status == SN_OK ? hold_bonds(world, s, error) : status;
}

static void free_search(search *s)
{
    for (int i = 0; i < s->count; ++i) {
        sn_free(s->bodies[i].outer);
        sn_free(s->bodies[i].fixed);
        sn_linear_destroy(s->bodies[i].linear);
    }
    sn_free(s->bodies);
    sn_free(s->start_q);
    sn_free(s->start_v);
}

static const char *name_of(const search *s, int agent)
{
    return s->world->bodies.data[s->world->elastics.agents.agents[agent].owner].name;
}

// ---- where it stands ----

static void clear_fixed(const resting_body *body, double *f)
{
    for (int i = 0; i < body->item->mass.vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            f[STRIDE * i + k] = body->fixed[i] >> k & 1 ? 0.0 : f[STRIDE * i + k];
        }
    }
}

static void evaluate(sn_world *world)
{
    world->forces_clear = false;
    sn_world_evaluate_forces(world, world->time, -1);
    for (int i = 0; i < world->groups.count; ++i) {
        sn_world_evaluate_forces(world, world->time, i);
    }
}

// What acts from outside, and with the inner forces, at the agents' places.
static void look(search *s, bool next)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    evaluate(s->world);
    for (int i = 0; i < s->count; ++i) {
        resting_body *body = &s->bodies[i];
        double *outer = next ? body->next_outer : body->outer;
        double *force = next ? body->next_force : body->force;
        sn_elastic_find_outer(set, i, s->world->gravity, outer);
        memcpy(force, outer, length_of(body) * sizeof *force);
        sn_solid_add_forces(body->item->solid, s->world->threads, sn_agent_q(set, i), force);
        clear_fixed(body, force);
    }
}

static sn_status judge(search *s, bool *done, sn_error *error)
{
    *done = true;
    for (int i = 0; i < s->count; ++i) {
        resting_body *body = &s->bodies[i];
        double load = norm(length_of(body), body->outer), size = body->item->radius;
        body->residual = norm(length_of(body), body->force);
        body->least = 5e-15 * body->unit * body->item->mass.total * size;
        body->done = body->residual <= fmax(s->def.tolerance * load, body->least);
        *done = *done && body->done;
        if (!isfinite(body->residual)) {
            return sn_fail(error, SN_ERROR_DIVERGED, name_of(s, i),
                           "a force is no longer a number on the way to equilibrium");
        }
    }
    return SN_OK;
}

// A body that nothing holds must be in balance as a whole.
static sn_status check_held(const search *s, sn_error *error)
{
    for (int i = 0; i < s->count; ++i) {
        const resting_body *body = &s->bodies[i];
        sn_vec3 sum = SN_VEC3_ZERO;
        uint8_t held = 0;
        for (int k = 0; k < body->item->mass.vertex_count; ++k) {
            held |= body->fixed[k];
            sum = sn_vec3_add(sum, sn_vec3_at(body->outer + STRIDE * k));
        }
        const double along[3] = {sum.x, sum.y, sum.z};
        double load = norm(length_of(body), body->outer);
        for (int k = 0; k < 3; ++k) {
            if (!(held >> k & 1) && fabs(along[k]) > 1e-6 * load) {
                return sn_fail(error, SN_ERROR_DIVERGED, name_of(s, i),
                               "nothing holds it along %c, and %g N act on it: it falls. Statics "
                               "know no contact; fix some of its vertices",
                               "xyz"[k], along[k]);
            }
        }
    }
    return SN_OK;
}

// ---- a step ----

static sn_status factor(search *s, resting_body *body, const double *x, sn_stiffness kind,
                        sn_error *error)
{
    sn_threads *threads = s->world->threads;
    sn_solid_set_damping(body->item->solid, 1.0, 0.0, NULL, 0, false);
    sn_status status = sn_solid_linearise(body->item->solid, threads, x, kind, error);
    if (status != SN_OK) {
        return status;
    }
    sn_linear_begin(body->linear, threads, body->brake, 1.0);
    return sn_linear_finish(body->linear, threads, body->fixed, x, error);
}

static sn_status find_step(search *s, int agent, sn_error *error)
{
    resting_body *body = &s->bodies[agent];
    const double *x = sn_agent_q(&s->world->elastics.agents, agent);
    if (body->linear == NULL) {
        sn_linear_def def = {.mesh = body->item->mesh,
                             .solid = body->item->solid,
                             .mass = &body->item->mass,
                             .kind = SN_LINEAR_DIRECT,
                             .place = name_of(s, agent)};
        sn_status status = sn_linear_create(&def, &body->linear, error);
        if (status != SN_OK) {
            return status;
        }
    }
    sn_status status = factor(s, body, x, SN_STIFFNESS_EXACT, NULL);
    if (status != SN_OK && status != SN_ERROR_MEMORY) {
        status = factor(s, body, x, SN_STIFFNESS_PROJECTED, error);
    }
    if (status != SN_OK) {
        return status == SN_ERROR_MEMORY ? sn_fail_memory(error, 0) : status;
    }
    memset(body->step, 0, length_of(body) * sizeof *body->step);
    return sn_linear_solve(body->linear, s->world->threads, body->force, body->step, error);
}

// No vertex goes farther than half of the body's radius at once; the part of the step that is left.
static double cut(const resting_body *body)
{
    double most = 0.0;
    for (int i = 0; i < body->item->mass.vertex_count; ++i) {
        most = fmax(most, sn_length(sn_vec3_at(body->step + STRIDE * i)));
    }
    return most > 0.5 * body->item->radius ? 0.5 * body->item->radius / most : 1.0;
}

static void try_step(search *s, int agent)
{
    resting_body *body = &s->bodies[agent];
    double *q = sn_agent_q(&s->world->elastics.agents, agent), part = cut(body);
    size_t length = length_of(body);
    memcpy(body->x, q, length * sizeof *q);
    for (size_t i = 0; i < length; ++i) {
        body->step[i] *= part;
        q[i] += body->step[i];
    }
}

// What the step has gained by what it should have: of d with A d = part f, gain = f d - d K d / 2,
// K d = part f - mu M d.
static void judge_step(search *s, int agent)
{
    resting_body *body = &s->bodies[agent];
    double *q = sn_agent_q(&s->world->elastics.agents, agent);
    size_t length = length_of(body);
    double along = 0.0, work = 0.0, inertia = 0.0, stiff = 0.0;
    memset(body->item->right, 0, length * sizeof(double));
    sn_mass_add_product(&body->item->mass, STRIDE, 1.0, body->step, body->item->right);
    double energy = sn_solid_energy(body->item->solid, s->world->threads, q);
    for (size_t i = 0; i < length; ++i) {
        along += body->force[i] * body->step[i];
        work += 0.5 * (body->outer[i] + body->next_outer[i]) * body->step[i];
        inertia += body->item->right[i] * body->step[i];
    }
    stiff = along - body->brake * inertia; // as if nothing had been cut: then less
    double wanted = along - 0.5 * fmax(stiff, 0.0);
    double gain = work - (energy - body->energy), now = norm(length, body->next_force);
    bool better = gain > 1e-4 * wanted || now < 0.5 * body->residual ||
                  (wanted < 1e-10 * (fabs(energy) + fabs(work)) && now < body->residual);
    if (better && isfinite(now)) {
        body->energy = energy;
        memcpy(body->outer, body->next_outer, length * sizeof(double));
        memcpy(body->force, body->next_force, length * sizeof(double));
        body->brake *= gain > 0.3 * wanted ? 0.1 : 1.0;
        body->brake = fmax(body->brake, LEAST_BRAKE * body->unit);
    } else {
        memcpy(q, body->x, length * sizeof(double));
        body->brake = fmax(10.0 * body->brake, 1e-7 * body->unit);
    }
}

static sn_status iterate(search *s, sn_error *error)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    bool done = false;
    look(s, false);
    sn_status status = check_held(s, error);
    for (int i = 0; i < s->count && status == SN_OK; ++i) {
        s->bodies[i].energy =
            sn_solid_energy(s->bodies[i].item->solid, s->world->threads, sn_agent_q(set, i));
    }
    status = status == SN_OK ? judge(s, &done, error) : status;
    while (status == SN_OK && !done) {
        if (s->iterations++ == s->def.most_iterations) {
            return sn_fail(error, SN_ERROR_DIVERGED, "world",
                           "no equilibrium was found in %d iterations", s->def.most_iterations);
        }
        for (int i = 0; i < s->count && status == SN_OK; ++i) {
            status = find_step(s, i, error);
        }
        for (int i = 0; i < s->count && status == SN_OK; ++i) {
            try_step(s, i);
        }
        if (status == SN_OK) {
            look(s, true);
            for (int i = 0; i < s->count; ++i) {
                judge_step(s, i);
            }
            if (s->count > 1) { // others may have gone where one was sent back
                look(s, false);
            }
            status = judge(s, &done, error);
        }
    }
    return status;
}

// ---- vibrations ----

static sn_status find_spectrum(search *s, int agent, int count, sn_spectrum *spectrum,
                               sn_error *error)
{
    const resting_body *body = &s->bodies[agent];
    sn_spectrum_def def = {.mesh = body->item->mesh,
                           .solid = body->item->solid,
                           .mass = &body->item->mass,
                           .fixed = body->fixed,
                           .x = sn_agent_q(&s->world->elastics.agents, agent),
                           .count = count,
                           .unit = body->unit,
                           .threads = s->world->threads,
                           .place = name_of(s, agent)};
    return sn_spectrum_find(&def, spectrum, error);
}

static sn_mode_type type_of(const resting_body *body, double value)
{
    double least = NO_STIFFNESS * body->unit;
    return value < -least ? SN_MODE_UNSTABLE : (value <= least ? SN_MODE_FREE : SN_MODE_SWINGS);
}

// Directions of one kind, each with its largest entry 1, of all bodies.
static sn_status add_directions(search *s, int agent, const sn_spectrum *spectrum,
                                sn_mode_type type, double **rows, int *count, sn_error *error)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    size_t n = (size_t)set->v_count, length = length_of(&s->bodies[agent]);
    for (int i = 0; i < spectrum->count; ++i) {
        if (type_of(&s->bodies[agent], spectrum->values[i]) != type) {
            continue;
        }
        const double *shape = spectrum->vectors + (size_t)i * length;
        double *more = sn_allocate_zero(((size_t)*count + 1) * n * sizeof *more), most = 0.0;
        if (more == NULL) {
            return sn_fail_memory(error, ((size_t)*count + 1) * n * sizeof *more);
        }
        for (size_t k = 0; k < length; ++k) {
            most = fabs(shape[k]) > fabs(most) ? shape[k] : most;
        }
        for (size_t k = 0; k < length; ++k) {
            more[(size_t)*count * n + (size_t)set->agents[agent].v_first + k] = shape[k] / most;
        }
        if (*count > 0) {
            memcpy(more, *rows, (size_t)*count * n * sizeof *more);
        }
        sn_free(*rows);
        *rows = more;
        *count += 1;
    }
    return SN_OK;
}

static sn_status report(search *s, sn_equilibrium *e, sn_error *error)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    e->iterations = s->iterations;
    e->coordinates = set->v_count;
    sn_status status = SN_OK;
    for (int i = 0; i < s->count && status == SN_OK; ++i) {
        const resting_body *body = &s->bodies[i];
        sn_spectrum spectrum;
        for (size_t k = 0; k < length_of(body); ++k) {
            e->force = fmax(e->force, fabs(body->force[k]));
        }
        for (int k = 0; k < body->item->mass.vertex_count; ++k) {
            int held = (body->fixed[k] & 1) + (body->fixed[k] >> 1 & 1) + (body->fixed[k] >> 2 & 1);
            e->freedoms += 3 - held;
        }
        status = find_spectrum(s, i, 8, &spectrum, error);
        if (status == SN_OK) {
            status = add_directions(s, i, &spectrum, SN_MODE_FREE, &e->free_directions,
                                    &e->free_count, error);
        }
        if (status == SN_OK) {
            status = add_directions(s, i, &spectrum, SN_MODE_UNSTABLE, &e->unstable_directions,
                                    &e->unstable_count, error);
        }
        sn_spectrum_free(&spectrum);
    }
    e->stable = e->unstable_count == 0;
    return status;
}

// From where forces balance, but the least push would topple it, along the direction that falls
// quickest, by a thousandth of the body's size.
static void leave(search *s, const sn_equilibrium *e)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    for (int i = 0; i < s->count; ++i) {
        double *q = sn_agent_q(set, i), by = 1e-3 * s->bodies[i].item->radius;
        const double *along = e->unstable_directions + set->agents[i].v_first;
        for (size_t k = 0; k < length_of(&s->bodies[i]); ++k) {
            q[k] += by * along[k];
        }
        s->bodies[i].brake = 1e-2 * s->bodies[i].unit;
    }
}

// ---- the calls ----

static sn_status descend(search *s, sn_equilibrium *equilibrium, sn_error *error)
{
    enum { MOST_TOPPLES = 8 };
    for (int topple = 0;; ++topple) {
        sn_status status = iterate(s, error);
        if (status == SN_OK) {
            status = report(s, equilibrium, error);
        }
        if (status != SN_OK || equilibrium->stable || s->def.accept_unstable ||
            topple == MOST_TOPPLES) {
            return status;
        }
        leave(s, equilibrium);
        sn_equilibrium_free(equilibrium);
    }
}

sn_status sn_world_elastic_equilibrium(sn_world *world, const sn_equilibrium_def *def,
                                       sn_equilibrium *equilibrium, sn_error *error)
{
    sn_agent_set *set = &world->elastics.agents;
    search s = {.world = world, .def = *def};
    sn_status status = open(world, error);
    if (status != SN_OK) {
        return status;
    }
    status = make_search(&s, error);
    if (status == SN_OK) {
        memset(set->v, 0, (size_t)set->v_count * sizeof(double));
        status = descend(&s, equilibrium, error);
        if (status != SN_OK) {
            memcpy(set->q, s.start_q, (size_t)set->q_count * sizeof(double));
            memcpy(set->v, s.start_v, (size_t)set->v_count * sizeof(double));
        }
    }
    free_search(&s);
    close_world(world);
    return status;
}

static sn_status check_fields(const sn_world *world, sn_error *error)
{
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        if (field->type == SN_FIELD_SPRING || field->type == SN_FIELD_PULL) {
            return sn_fail(error, SN_ERROR_UNSUPPORTED, field->name,
                           "modes of elastic bodies are those of the material, without springs; "
                           "fix vertices, or hold coordinates with a bond");
        }
    }
    return SN_OK;
}

// Puts a body's vibrations among those of the others, slow ones first.
static void merge(const search *s, int agent, const sn_spectrum *spectrum, sn_modes *modes)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    size_t n = (size_t)modes->coordinates, length = length_of(&s->bodies[agent]);
    for (int i = 0; i < spectrum->count; ++i) {
        double value = spectrum->values[i];
        sn_mode mode = {.type = type_of(&s->bodies[agent], value)};
        value = mode.type == SN_MODE_FREE ? 0.0 : value;
        mode.angular_frequency = value < 0.0 ? -sqrt(-value) : sqrt(value);
        mode.frequency = mode.angular_frequency / (2.0 * SN_PI);
        int at = modes->count++;
        for (; at > 0 && modes->list[at - 1].angular_frequency > mode.angular_frequency; --at) {
            modes->list[at] = modes->list[at - 1];
            memcpy(modes->shapes + (size_t)at * n, modes->shapes + (size_t)(at - 1) * n,
                   n * sizeof(double));
        }
        double *shape = modes->shapes + (size_t)at * n;
        modes->list[at] = mode;
        memset(shape, 0, n * sizeof(double));
        memcpy(shape + set->agents[agent].v_first, spectrum->vectors + (size_t)i * length,
               length * sizeof(double));
    }
}

static sn_status find_modes(search *s, sn_modes *modes, sn_error *error)
{
    const sn_agent_set *set = &s->world->elastics.agents;
    size_t most = (size_t)s->count * MOST_MODES, n = (size_t)set->v_count;
    modes->coordinates = set->v_count;
    modes->list = sn_allocate_zero(most * sizeof *modes->list);
    modes->shapes = sn_allocate_zero(most * n * sizeof *modes->shapes);
    modes->pose = sn_allocate((size_t)set->q_count * sizeof *modes->pose);
    if (modes->list == NULL || modes->shapes == NULL || modes->pose == NULL) {
        return sn_fail_memory(error, most * n * sizeof *modes->shapes);
    }
    memcpy(modes->pose, set->q, (size_t)set->q_count * sizeof *modes->pose);
    look(s, false);
    sn_status status = SN_OK;
    for (int i = 0; i < s->count && status == SN_OK; ++i) {
        sn_spectrum spectrum;
        for (size_t k = 0; k < length_of(&s->bodies[i]); ++k) {
            modes->force = fmax(modes->force, fabs(s->bodies[i].force[k]));
        }
        status = find_spectrum(s, i, MOST_MODES, &spectrum, error);
        if (status == SN_OK) {
            merge(s, i, &spectrum, modes);
        }
        sn_spectrum_free(&spectrum);
    }
    return status;
}

sn_status sn_world_elastic_modes(sn_world *world, sn_modes *modes, sn_error *error)
{
    sn_agent_set *set = &world->elastics.agents;
    search s = {.world = world};
    sn_status status = open(world, error);
    if (status != SN_OK) {
        return status;
    }
    status = check_fields(world, error);
    if (status == SN_OK) {
        status = make_search(&s, error);
    }
    if (status == SN_OK) {
        memset(set->v, 0, (size_t)set->v_count * sizeof(double));
        status = find_modes(&s, modes, error);
        memcpy(set->v, s.start_v, (size_t)set->v_count * sizeof(double));
    }
    free_search(&s);
    close_world(world);
    if (status != SN_OK) {
        sn_modes_free(modes);
    }
    return status;
}

sn_status sn_world_elastic_swing(sn_world *world, const sn_modes *modes, int mode, double shift,
                                 double rate, sn_error *error)
{
    sn_agent_set *set = &world->elastics.agents;
    sn_status status = open(world, error);
    if (status != SN_OK) {
        return status;
    }
    close_world(world);
    if (set->v_count != modes->coordinates) {
        return sn_fail(error, SN_ERROR_MISMATCH, "world",
                       "the world has %d coordinates, the modes are of %d", set->v_count,
                       modes->coordinates);
    }
    const double *shape = modes->shapes + (size_t)mode * (size_t)modes->coordinates;
    memcpy(set->q, modes->pose, (size_t)set->q_count * sizeof *set->q);
    for (int i = 0; i < set->count; ++i) {
        double *q = sn_agent_q(set, i), *v = sn_agent_v(set, i);
        const double *own = shape + set->agents[i].v_first;
        for (int k = 0; k < set->agents[i].v_count; ++k) {
            q[k] += shift * own[k];
            v[k] = rate * own[k];
        }
    }
    return SN_OK;
}
