#include "island/spring_sweep.h"

#include <math.h>
#include <string.h>

#include "island/field_spring.h"
#include "model/world.h"

// Of a body's springs.
static const double MOST_LOAD = 0.25;
// Of K = k h^2 W. What the law of a row does by its unresolved share, K^3 / 125, is there a
// thousandth of what the midpoint rule itself is off by, K / 12, and is left out.
static const double RESOLVED = 0.1;
// Of the largest change of a velocity in the cluster by its springs.
static const double TOLERANCE = 1e-10;
enum { MOST_ROWS = 6 }; // of a spring: one along it, two across, three for the turning of its ends

void sn_spring_sweep_free(sn_spring_sweep *sweep)
{
    sn_array_free(&sweep->springs);
    sn_array_free(&sweep->bodies);
    sn_array_free(&sweep->of_agent);
    sn_array_free(&sweep->rows);
}

static const sn_spring_def *def_of(const sn_world *world, const sn_sweep_spring *spring)
{
    return &world->fields.data[spring->field].spring;
}

// ---- clusters ----

static int root_of(sn_spring_sweep *sweep, int body)
{
    sn_sweep_body *bodies = sweep->bodies.data;
    while (bodies[body].parent != body) {
        bodies[body].parent = bodies[bodies[body].parent].parent;
        body = bodies[body].parent;
    }
    return body;
}

static void unite(sn_spring_sweep *sweep, int a, int b)
{
    a = root_of(sweep, a);
    b = root_of(sweep, b);
    sweep->bodies.data[a > b ? a : b].parent = a > b ? b : a; // the first one is the root
}

// The body of a free agent, made when it is met first; -1: memory ran out.
static int body_of(sn_spring_sweep *sweep, int agent)
{
    int *body = &sweep->of_agent.data[agent];
    if (*body < 0) {
        sn_sweep_body fresh = {
            .agent = agent, .parent = sweep->bodies.count, .first = -1, .last = -1};
        *body = sn_array_push(&sweep->bodies, fresh) ? sweep->bodies.count - 1 : -1;
    }
    return *body;
}

static bool find_end(sn_world *world, sn_body body, sn_vec3 local, int end, sn_sweep_spring *spring)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL || record->agent.agent < 0) {
        spring->arm[end] = record == NULL ? local : sn_transform_point(record->own->frame, local);
        return true;
    }
    int agent = record->agent.agent;
    if (!sn_world_traits(world, record->agent.set)->lone) {
        spring->possible = false;
        return true;
    }
    const sn_rigid_mass *mass = &world->rigid.mass[agent];
    double turn = 1.0 / mass->inertia.x; // moments ascend
    sn_vec3 arm = sn_transform_point(world->rigid.placement[agent], local);
    spring->arm[end] = arm;
    spring->turn += turn;
    spring->reach += sn_length(arm);
    spring->answer[end] = 1.0 / mass->mass + turn * sn_dot(arm, arm);
    spring->possible = spring->possible &&
                       world->rigid.agents.agents[agent].integrator != SN_INTEGRATOR_IMPLICIT_EULER;
    spring->body[end] = body_of(&world->field_springs.sweep, agent);
    return spring->body[end] >= 0;
}

static bool add_spring(sn_world *world, uint32_t field, double h)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    const sn_spring_def *def = &world->fields.data[field].spring;
    if (def->stiffness == 0.0 && def->damping == 0.0) {
        return true; // it does nothing
    }
    if (!sn_array_resize(&sweep->springs, sweep->springs.count + 1)) {
        return false;
    }
    sn_sweep_spring *spring = &sweep->springs.data[sweep->springs.count - 1];
    *spring = (sn_sweep_spring){
        .field = field, .next = -1, .body = {-1, -1}, .root = -1, .possible = true};
    if (!find_end(world, def->body_a, def->point_a, 0, spring) ||
        !find_end(world, def->body_b, def->point_b, 1, spring)) {
        return false;
    }
    double answer = spring->answer[0] + spring->answer[1];
    spring->possible = spring->possible && def->stiffness * h * h * answer <= RESOLVED;
    // The share of a damper's velocity that is the one at the end of the step is at most 1.
    double resistance = h * (0.25 * h * def->stiffness + def->damping);
    for (int i = 0; i < 2; ++i) {
        if (spring->body[i] >= 0) {
            sn_sweep_body *body = &sweep->bodies.data[spring->body[i]];
            body->load += resistance * spring->answer[i];
            body->refused = body->refused || !spring->possible;
        }
    }
    if (spring->body[0] >= 0 && spring->body[1] >= 0) {
        unite(sweep, spring->body[0], spring->body[1]);
    }
    return true;
}

// Puts a spring at the end of its cluster's list.
static void link_spring(sn_spring_sweep *sweep, int index)
{
    sn_sweep_spring *spring = &sweep->springs.data[index];
    int moving = spring->body[0] >= 0 ? spring->body[0] : spring->body[1];
    if (moving < 0 || !spring->possible) {
        return;
    }
    spring->root = root_of(sweep, moving);
    sn_sweep_body *cluster = &sweep->bodies.data[spring->root];
    if (cluster->first < 0) {
        cluster->first = index;
    } else {
        sweep->springs.data[cluster->last].next = index;
    }
    cluster->last = index;
    double loads = 0.0;
    for (int i = 0; i < 2; ++i) {
        loads += spring->body[i] >= 0 ? sweep->bodies.data[spring->body[i]].load : 0.0;
    }
    cluster->norm = loads > cluster->norm ? loads : cluster->norm;
}

// What is the same in every step of h.
static bool find_clusters(sn_world *world, double h)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    int count = world->rigid.agents.count;
    sn_array_clear(&sweep->springs);
    sn_array_clear(&sweep->bodies);
    sweep->current = false;
    if (!sn_array_resize(&sweep->of_agent, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        sweep->of_agent.data[i] = -1;
    }
    for (int i = 0; i < world->single_fields.count; ++i) {
        uint32_t field = world->single_fields.data[i];
        if (sn_field_kind_of(&world->fields.data[field])->stretches &&
            !add_spring(world, field, h)) {
            return false;
        }
    }
    for (int i = 0; i < sweep->bodies.count; ++i) {
        const sn_sweep_body *body = &sweep->bodies.data[i];
        if (body->refused || body->load > MOST_LOAD) {
            sweep->bodies.data[root_of(sweep, i)].refused = true;
        }
    }
    for (int i = 0; i < sweep->springs.count; ++i) {
        link_spring(sweep, i);
    }
    sweep->current = true;
    sweep->h = h;
    return true;
}

static void mark_touched(sn_spring_sweep *sweep, int agent)
{
    // Free bodies are the first of all agents.
    int body = agent >= 0 && agent < sweep->of_agent.count ? sweep->of_agent.data[agent] : -1;
    if (body >= 0) {
        sweep->bodies.data[root_of(sweep, body)].elsewhere = true;
    }
}

static bool is_swept(const sn_sweep_body *body)
{
    return body->first >= 0 && !body->elsewhere;
}

bool sn_world_find_swept(sn_world *world, double h)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    sn_array_clear(&sweep->rows);
    sweep->count = 0;
    if (!(sweep->current && sweep->h == h) && !find_clusters(world, h)) {
        return false;
    }
    for (int i = 0; i < sweep->bodies.count; ++i) {
        sweep->bodies.data[i].elsewhere = sweep->bodies.data[i].refused;
    }
    for (int i = 0; i < world->touch.links.count && sweep->bodies.count > 0; ++i) {
        mark_touched(sweep, world->touch.links.data[i].a);
        mark_touched(sweep, world->touch.links.data[i].b);
    }
    for (int i = 0; i < sweep->bodies.count; ++i) {
        const sn_sweep_body *body = &sweep->bodies.data[i];
        sweep->count += is_swept(body);
    }
    return true;
}

bool sn_spring_is_swept(const sn_spring_sweep *sweep, const sn_sweep_spring *spring)
{
    return spring->root >= 0 && !sweep->bodies.data[spring->root].elsewhere;
}

// ---- rows ----

static bool is_zero(sn_vec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

static sn_vec3 place_of(const sn_spring_sweep *sweep, const sn_sweep_spring *spring, int end)
{
    if (spring->body[end] < 0) {
        return spring->arm[end];
    }
    const sn_sweep_body *body = &sweep->bodies.data[spring->body[end]];
    return is_zero(spring->arm[end])
               ? body->centre
               : sn_vec3_add(body->centre, sn_mat3_apply(body->rotation, spring->arm[end]));
}

// Where a row acts on a body, and the rest of it as of an end that does not move.
static const sn_sweep_body *begin_end(sn_world *world, const sn_sweep_spring *spring, int end,
                                      sn_sweep_row *row)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    row->v[end] = sweep->still;
    memset(row->j[end], 0, sizeof row->j[end]);
    memset(row->y[end], 0, sizeof row->y[end]);
    if (spring->body[end] < 0) {
        return NULL;
    }
    const sn_sweep_body *body = &sweep->bodies.data[spring->body[end]];
    row->v[end] = sn_agent_v(&world->rigid.agents, body->agent);
    return body;
}

// A unit of impulse that drives the ends apart along `along`, at the ends or both at `common`.
static void put_push(sn_world *world, const sn_sweep_spring *spring, sn_vec3 along,
                     const sn_vec3 *common, sn_sweep_row *row)
{
    row->width = 3;
    for (int i = 0; i < 2; ++i) {
        const sn_sweep_body *body = begin_end(world, spring, i, row);
        if (body == NULL) {
            continue;
        }
        sn_vec3 force = i == 0 ? sn_vec3_negate(along) : along, arm = spring->arm[i];
        if (common != NULL) {
            arm = sn_mat3_apply_transpose(body->rotation, sn_vec3_sub(*common, body->centre));
        }
        sn_vec3_put(row->j[i], force);
        if (!is_zero(arm)) {
            sn_vec3 own = sn_mat3_apply_transpose(body->rotation, force);
            sn_vec3_put(row->j[i] + 3, sn_cross(arm, own));
            row->width = 6;
        }
    }
}

// A unit of moment that turns the ends apart about an axis of the world.
static void put_moment(sn_world *world, const sn_sweep_spring *spring, int axis, sn_sweep_row *row)
{
    row->width = 6;
    for (int i = 0; i < 2; ++i) {
        const sn_sweep_body *body = begin_end(world, spring, i, row);
        for (int k = 0; k < 3 && body != NULL; ++k) {
            row->j[i][3 + k] = (i == 0 ? -1.0 : 1.0) * body->rotation.m[axis][k];
        }
    }
}

static double rate_of(const sn_sweep_row *row)
{
    const double *a = row->j[0], *b = row->j[1], *v = row->v[0], *w = row->v[1];
    double rate = a[0] * v[0] + a[1] * v[1] + a[2] * v[2] + b[0] * w[0] + b[1] * w[1] + b[2] * w[2];
    if (row->width == 6) {
        rate += a[3] * v[3] + a[4] * v[4] + a[5] * v[5] + b[3] * w[3] + b[4] * w[4] + b[5] * w[5];
    }
    return rate;
}

// The stiffness across a spring, and the moment of its tension on its arms: only where it is more
// than SN_SPRING_SLACK of the bodies' inertia.
static int find_counts(const sn_spring_def *def, const sn_sweep_spring *spring, double length,
                       double h, double stiffness[3], int counts[3])
{
    stiffness[0] = def->stiffness;
    stiffness[1] = sn_spring_across(def, length);
    stiffness[2] = fabs(def->stiffness * (length - def->rest_length)) * spring->reach;
    double answer = spring->answer[0] + spring->answer[1];
    counts[0] = 1;
    counts[1] = h * h * stiffness[1] * answer > SN_SPRING_SLACK ? 2 : 0;
    counts[2] = h * h * stiffness[2] * spring->turn > SN_SPRING_TURNING ? 3 : 0;
    return counts[0] + counts[1] + counts[2];
}

static bool renew(sn_world *world, const sn_sweep_spring *spring, double h, bool *lost)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    const sn_spring_def *def = def_of(world, spring);
    sn_vec3 a = place_of(sweep, spring, 0), b = place_of(sweep, spring, 1);
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(a, b)), axes[3];
    const sn_vec3 *common = spring->body[0] >= 0 && spring->body[1] >= 0 ? &middle : NULL;
    double length = sn_distance(a, b), stiffness[3];
    int counts[3] = {0}, count = find_counts(def, spring, length, h, stiffness, counts);
    int first = sweep->rows.count;
    if (!sn_array_resize(&sweep->rows, first + count)) {
        return false;
    }
    sn_spring_axes(def, sn_vec3_sub(b, a), length, 1 + counts[1], axes);
    for (int i = 0; i < count; ++i) {
        sn_sweep_row *row = &sweep->rows.data[first + i];
        int kind = i == 0 ? 0 : i < 1 + counts[1] ? 1 : 2;
        if (kind < 2) {
            put_push(world, spring, axes[i], kind == 1 ? common : NULL, row);
        } else {
            put_moment(world, spring, i - 1 - counts[1], row);
        }
        row->count = i == 0 ? count : 0;
        row->impulse = 0.0;
        row->rate = rate_of(row);
        row->law =
            (sn_soft_row){.stiffness = stiffness[kind], .rate = row->rate, .turns = kind == 2};
    }
    sn_soft_row *law = &sweep->rows.data[first].law;
    law->damping = length > 0.0 ? def->damping : 0.0;
    law->stretch = length - def->rest_length;
    *lost = *lost || !isfinite(law->stiffness * law->stretch + law->damping * law->rate);
    return true;
}

// The rows of a cluster follow each other.
static bool renew_cluster(sn_world *world, int root, double h, bool *lost)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    sn_sweep_body *cluster = &sweep->bodies.data[root];
    cluster->rows = sweep->rows.count;
    for (int i = cluster->first; i >= 0; i = sweep->springs.data[i].next) {
        if (!renew(world, &sweep->springs.data[i], h, lost)) {
            return false;
        }
    }
    cluster->rows_end = sweep->rows.count;
    return true;
}

bool sn_world_renew_swept(sn_world *world, double h, bool *lost)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    if (sweep->count == 0) {
        return true;
    }
    for (int i = 0; i < sweep->bodies.count; ++i) {
        sn_sweep_body *body = &sweep->bodies.data[i];
        sn_transform pose = sn_rigid_pose(sn_agent_q(&world->rigid.agents, body->agent));
        body->centre = pose.position;
        body->rotation = sn_quat_to_mat3(pose.rotation);
    }
    for (int i = 0; i < sweep->bodies.count; ++i) {
        if (is_swept(&sweep->bodies.data[i]) && !renew_cluster(world, i, h, lost)) {
            return false;
        }
    }
    return true;
}

// ---- sweeps ----

static void add_multiple(double share, const double *a, int width, double *v)
{
    v[0] += share * a[0];
    v[1] += share * a[1];
    v[2] += share * a[2];
    if (width == 6) {
        v[3] += share * a[3];
        v[4] += share * a[4];
        v[5] += share * a[5];
    }
}

static double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void find_answer(sn_world *world, const sn_sweep_spring *spring, sn_sweep_row *row)
{
    const sn_spring_sweep *sweep = &world->field_springs.sweep;
    const sn_agent_set *set = &world->rigid.agents;
    for (int i = 0; i < 2; ++i) {
        if (spring->body[i] >= 0) {
            int agent = sweep->bodies.data[spring->body[i]].agent;
            memcpy(row->y[i], row->j[i], sizeof row->y[i]);
            set->type->contact->inverse(set, agent, row->y[i]);
            row->width = sn_agent_is_damped(set, agent, 0) ? 6 : row->width;
        }
    }
    row->answer = dot6(row->j[0], row->y[0]) + dot6(row->j[1], row->y[1]);
}

// I + S W of a spring's rows as L U, with 1 / u on U's diagonal. It is the identity and what has
// no negative eigenvalue: pivots stay in their places.
static void factor(sn_sweep_row *rows, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            double answer =
                i == k ? rows[i].answer
                       : dot6(rows[i].j[0], rows[k].y[0]) + dot6(rows[i].j[1], rows[k].y[1]);
            rows[i].factor[k] = (i == k ? 1.0 : 0.0) + rows[i].resistance * answer;
        }
        for (int k = 0; k < i; ++k) {
            double share = rows[i].factor[k] * rows[k].factor[k];
            rows[i].factor[k] = share;
            for (int m = k + 1; m < count; ++m) {
                rows[i].factor[m] -= share * rows[k].factor[m];
            }
        }
        rows[i].factor[i] = 1.0 / rows[i].factor[i];
    }
}

static void prepare_cluster(sn_world *world, const sn_sweep_body *cluster, double h)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    int at = cluster->rows;
    for (int i = cluster->first; i >= 0; i = sweep->springs.data[i].next) {
        sn_sweep_row *rows = &sweep->rows.data[at];
        int count = rows[0].count;
        for (int k = 0; k < count; ++k) {
            find_answer(world, &sweep->springs.data[i], &rows[k]);
            sn_soft_law law = sn_soft_row_law(&rows[k].law, rows[k].answer, h, false);
            rows[k].push = law.push;
            rows[k].resistance = law.resistance;
        }
        factor(rows, count);
        at += count;
    }
}

// push - S (u1 - u0) - p
static double residual(const sn_sweep_row *row)
{
    return row->push - row->resistance * (rate_of(row) - row->rate) - row->impulse;
}

// Gives the change as a velocity.
static double change_row(sn_sweep_row *row, double change)
{
    row->impulse += change;
    add_multiple(change, row->y[0], row->width, row->v[0]);
    add_multiple(change, row->y[1], row->width, row->v[1]);
    return fabs(change) * row->answer;
}

// p = push - S (u1 - u0) of a spring's rows, with the impulses of others as they are. Gives the
// largest change, as a velocity.
static double solve_spring(sn_sweep_row *rows, int count)
{
    if (count == 1) {
        return change_row(rows, residual(rows) * rows->factor[0]);
    }
    double change[MOST_ROWS], most = 0.0;
    for (int i = 0; i < count; ++i) {
        change[i] = residual(&rows[i]);
        for (int k = 0; k < i; ++k) {
            change[i] -= rows[i].factor[k] * change[k];
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        for (int k = i + 1; k < count; ++k) {
            change[i] -= rows[i].factor[k] * change[k];
        }
        change[i] *= rows[i].factor[i];
    }
    for (int i = 0; i < count; ++i) {
        double size = change_row(&rows[i], change[i]);
        most = size > most ? size : most;
    }
    return most;
}

// After a sweep with the change d, all further ones together change at most d |N| / (1 - |N|). The
// first one changes all that there is.
static void sweep_cluster(sn_spring_sweep *sweep, const sn_sweep_body *cluster)
{
    double change = 0.0, first = 0.0;
    double after = cluster->norm / (1.0 - cluster->norm);
    bool single = cluster->first == cluster->last;
    for (int sweeps = 0; sweeps == 0 || (!single && change * after > TOLERANCE * first); ++sweeps) {
        change = 0.0;
        for (int i = cluster->rows; i < cluster->rows_end; i += sweep->rows.data[i].count) {
            sn_sweep_row *rows = &sweep->rows.data[i];
            double own = solve_spring(rows, rows->count);
            change = own > change ? own : change;
        }
        first = sweeps == 0 ? change : first;
    }
}

void sn_world_sweep_springs(sn_world *world, double h)
{
    sn_spring_sweep *sweep = &world->field_springs.sweep;
    if (sweep->count == 0 || world->field_springs.lost) {
        return;
    }
    for (int i = 0; i < sweep->bodies.count; ++i) {
        const sn_sweep_body *cluster = &sweep->bodies.data[i];
        if (is_swept(cluster)) {
            prepare_cluster(world, cluster, h);
            sweep_cluster(sweep, cluster);
        }
    }
}
