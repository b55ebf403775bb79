#include "solve/exact_system.h"

#include "math/lanes.h"
#include "solve/cone.h"

void sn_exact_system_clear(sn_exact_system *system)
{
    sn_array_clear(&system->agents);
    sn_array_clear(&system->blocks);
    sn_array_clear(&system->j);
    sn_array_clear(&system->y);
    sn_array_clear(&system->v);
    sn_array_clear(&system->p);
    sn_array_clear(&system->target);
    sn_array_clear(&system->order);
}

void sn_exact_system_free(sn_exact_system *system)
{
    sn_array_free(&system->agents);
    sn_array_free(&system->blocks);
    sn_array_free(&system->j);
    sn_array_free(&system->y);
    sn_array_free(&system->v);
    sn_array_free(&system->p);
    sn_array_free(&system->target);
    sn_array_free(&system->matrix);
    sn_array_free(&system->low);
    sn_array_free(&system->high);
    sn_array_free(&system->before);
    sn_array_free(&system->factor);
    sn_array_free(&system->right);
    sn_array_free(&system->step);
    sn_array_free(&system->kept_p);
    sn_array_free(&system->kept_v);
    sn_array_free(&system->last_p);
    sn_array_free(&system->last_v);
    sn_array_free(&system->centre);
    sn_array_free(&system->scaled_p);
    sn_array_free(&system->scaled_u);
    sn_array_free(&system->coupled);
    sn_array_free(&system->lines);
    sn_array_free(&system->moved);
    sn_array_free(&system->active);
    sn_array_free(&system->first);
    sn_array_free(&system->last);
    sn_array_free(&system->deepest);
    sn_array_free(&system->order);
    sn_array_free(&system->places);
    sn_array_free(&system->swaps);
    sn_array_free(&system->firm);
    sn_array_free(&system->firm_factor);
    sn_array_free(&system->firm_answers);
    sn_array_free(&system->firm_scratch);
    sn_array_free(&system->firm_order);
    sn_array_free(&system->start_p);
    sn_array_free(&system->start_v);
    sn_array_free(&system->free_v);
    sn_array_free(&system->bound);
}

// ---- one block ----

enum { FREE = 6 }; // velocities of a free body

static bool is_empty_column(const double *j, int width, int count, int column)
{
    const double *at = j + column;
    bool empty = at[0] == 0.0;
    for (int a = 1; a < width && empty; ++a) {
        empty = at[a * count] == 0.0;
    }
    return empty;
}

// Columns that are not 0 in all rows; and, for more than a free body's, the longest run between
// them of such that are.
static void find_columns(const sn_exact_system *system, int width, sn_exact_side *side)
{
    int count = system->agents.data[side->agent].v_count;
    const double *j = system->j.data + side->first;
    int from = 0, to = count;
    while (from < count && is_empty_column(j, width, count, from)) {
        ++from;
    }
    while (to > from && is_empty_column(j, width, count, to - 1)) {
        --to;
    }
    *side = (sn_exact_side){.agent = side->agent,
                            .first = side->first,
                            .from = from,
                            .to = from < count ? to : 0,
                            .felt = side->felt};
    side->gap = side->end = side->to;
    for (int i = from, first = i; i < to && count > FREE; ++i) {
        bool empty = is_empty_column(j, width, count, i);
        first = empty ? first : i + 1;
        if (empty && i + 1 - first > side->end - side->gap) {
            side->gap = first;
            side->end = i + 1;
        }
    }
}

static sn_sym3 block_matrix(const sn_exact_system *system, const sn_exact_block *block)
{
    double w[SN_BLOCK_ROWS][SN_BLOCK_ROWS] = {{0.0}};
    for (int side = 0; side < block->side_count; ++side) {
        const sn_exact_side *at = &block->side[side];
        int count = system->agents.data[at->agent].v_count;
        const double *j = system->j.data + at->first, *y = system->y.data + at->first;
        for (int a = 0; a < block->width; ++a) {
            for (int b = a; b < block->width; ++b) {
                for (int i = at->from; i < at->gap; ++i) {
                    w[a][b] += j[a * count + i] * y[b * count + i];
                }
                for (int i = at->end; i < at->to; ++i) {
                    w[a][b] += j[a * count + i] * y[b * count + i];
                }
            }
        }
    }
    for (int a = 0; a < block->width; ++a) {
        w[a][a] += sn_exact_softness(block, a);
    }
    return (sn_sym3){w[0][0], w[0][1], w[0][2], w[1][1], w[1][2], w[2][2]};
}

// A normal that goes through what a link turns about, or a point that a joint holds in its place,
// gets an answer from rounding alone. Where other directions at the point, or other points of the
// system, answer so much more, it counts as none.
static const double no_answer_across = 1e-12, no_answer_at_all = 1e-14;

static double largest_answer(const sn_exact_system *system)
{
    double most = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (block->kind == SN_BLOCK_POINT) {
            most = fmax(most, fmax(block->w.xx, fmax(block->w.yy, block->w.zz)));
        }
    }
    return most;
}

static void drop_unanswered(sn_exact_block *block, double most)
{
    double across = fmax(block->w.yy, block->w.zz);
    if (block->kind == SN_BLOCK_POINT &&
        block->w.xx < fmax(no_answer_across * across, no_answer_at_all * most)) {
        block->w.xx = 0.0;
    }
}

// Rows whose impulse is bounded by a norm have one scale, so that balls stay balls.
static void block_scales(sn_exact_block *block)
{
    const sn_sym3 *w = &block->w;
    double normal = w->xx, rest = w->yy > w->zz ? w->yy : w->zz;
    if (block->kind != SN_BLOCK_POINT) {
        rest = normal > rest ? normal : rest;
        normal = rest;
    }
    block->scale[0] = normal > 0.0 ? 1.0 / sqrt(normal) : 0.0;
    block->scale[1] = block->scale[2] = rest > 0.0 ? 1.0 / sqrt(rest) : 0.0;
}

void sn_exact_system_prepare(sn_exact_system *system)
{
    system->has_matrix = false;
    for (int i = 0; i < system->blocks.count; ++i) {
        sn_exact_block *block = &system->blocks.data[i];
        for (int side = 0; side < block->side_count; ++side) {
            find_columns(system, block->width, &block->side[side]);
        }
        block->w = block_matrix(system, block);
    }
    double most = largest_answer(system);
    for (int i = 0; i < system->blocks.count; ++i) {
        drop_unanswered(&system->blocks.data[i], most);
        block_scales(&system->blocks.data[i]);
    }
}

// Points on free bodies, three rows of six numbers, are most of all: their loops are written out by
// the compiler. The sums are the same.

static bool is_point_on_free(const sn_exact_block *block, const sn_exact_agent *agent)
{
    return block->width == SN_BLOCK_ROWS && agent->v_count == FREE;
}

static void push_free(const double *restrict y, const double *restrict dp, double *restrict v)
{
    for (int i = 0; i < FREE; ++i) {
        v[i] = ((v[i] + dp[0] * y[i]) + dp[1] * y[FREE + i]) + dp[2] * y[2 * FREE + i];
    }
}

static void add_along_free(const double *restrict j, const double *restrict v, double *restrict u)
{
    double x = u[0], y = u[1], z = u[2];
    for (int i = 0; i < FREE; ++i) {
        x += j[i] * v[i];
        y += j[FREE + i] * v[i];
        z += j[2 * FREE + i] * v[i];
    }
    u[0] = x;
    u[1] = y;
    u[2] = z;
}

// The same of any agent: the three sums side by side.
static void add_along_three(const double *restrict j, int count, const sn_exact_side *side,
                            const double *restrict v, double *restrict u)
{
    const double *j1 = j + count, *j2 = j1 + count;
    double x = u[0], y = u[1], z = u[2];
    for (int i = side->from; i < side->gap; ++i) {
        x += j[i] * v[i];
        y += j1[i] * v[i];
        z += j2[i] * v[i];
    }
    for (int i = side->end; i < side->to; ++i) {
        x += j[i] * v[i];
        y += j1[i] * v[i];
        z += j2[i] * v[i];
    }
    u[0] = x;
    u[1] = y;
    u[2] = z;
}

// v += p0 y0 + p1 y1 + p2 y2, four numbers at a time and in this order, as one after the other
// would have it: half of the time of elastic bodies in contact goes here.
static void push_three(const double *y, int count, const double p[SN_BLOCK_ROWS], double *v)
{
    const double *y1 = y + count, *y2 = y1 + count;
    int i = 0;
    for (; i + SN_LANES <= count; i += SN_LANES) {
        sn_lanes_row sum = *(const sn_lanes_row *)(v + i);
        sum += p[0] * *(const sn_lanes_row *)(y + i);
        sum += p[1] * *(const sn_lanes_row *)(y1 + i);
        sum += p[2] * *(const sn_lanes_row *)(y2 + i);
        *(sn_lanes_row *)(v + i) = sum;
    }
    for (; i < count; ++i) {
        v[i] = ((v[i] + p[0] * y[i]) + p[1] * y1[i]) + p[2] * y2[i];
    }
}

static void push_run(const double *y, double p, int from, int to, double *v)
{
    int i = from;
    for (; i + SN_LANES <= to; i += SN_LANES) {
        *(sn_lanes_row *)(v + i) =
            *(const sn_lanes_row *)(v + i) + p * *(const sn_lanes_row *)(y + i);
    }
    for (; i < to; ++i) {
        v[i] += p * y[i];
    }
}

// The same of normalised agents, whose rows are as short in y as in j.
static void push_normalised(const double *y, int count, const sn_exact_side *side, int width,
                            const double *p, double *v)
{
    for (int a = 0; a < width; ++a, y += count) {
        if (p[a] != 0.0) {
            push_run(y, p[a], side->from, side->gap, v);
            push_run(y, p[a], side->end, side->to, v);
        }
    }
}

void sn_exact_push_into(const sn_exact_system *system, const sn_exact_block *block, sn_vec3 dp,
                        double *velocities)
{
    const double numbers[SN_BLOCK_ROWS] = {dp.x, dp.y, dp.z};
    for (int side = 0; side < block->side_count; ++side) {
        const sn_exact_agent *agent = &system->agents.data[block->side[side].agent];
        const double *y = system->y.data + block->side[side].first;
        double *v = velocities + agent->v_first;
        if (is_point_on_free(block, agent)) {
            push_free(y, numbers, v);
            continue;
        }
        if (agent->normalised) {
            push_normalised(y, agent->v_count, &block->side[side], block->width, numbers, v);
            continue;
        }
        if (block->width == SN_BLOCK_ROWS) {
            push_three(y, agent->v_count, numbers, v);
            continue;
        }
        for (int a = 0; a < block->width; ++a) {
            for (int i = 0; i < agent->v_count; ++i) {
                v[i] += numbers[a] * y[a * agent->v_count + i];
            }
        }
    }
}

void sn_exact_push(sn_exact_system *system, const sn_exact_block *block, sn_vec3 dp)
{
    sn_exact_push_into(system, block, dp, system->v.data);
}

sn_vec3 sn_exact_along(const sn_exact_system *system, const sn_exact_block *block,
                       const double *velocities)
{
    double u[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0};
    for (int side = 0; side < block->side_count; ++side) {
        const sn_exact_agent *agent = &system->agents.data[block->side[side].agent];
        const double *j = system->j.data + block->side[side].first;
        const double *v = velocities + agent->v_first;
        if (is_point_on_free(block, agent)) {
            add_along_free(j, v, u);
            continue;
        }
        if (block->width == SN_BLOCK_ROWS) {
            add_along_three(j, agent->v_count, &block->side[side], v, u);
            continue;
        }
        for (int a = 0; a < block->width; ++a) {
            for (int i = block->side[side].from; i < block->side[side].to; ++i) {
                u[a] += j[a * agent->v_count + i] * v[i];
            }
        }
    }
    return sn_vec3_at(u);
}

sn_vec3 sn_exact_velocity(const sn_exact_system *system, const sn_exact_block *block)
{
    double u[SN_BLOCK_ROWS];
    sn_vec3_put(u, sn_exact_along(system, block, system->v.data));
    for (int a = 0; a < block->width && a < SN_BLOCK_ROWS; ++a) {
        int row = block->row + a;
        u[a] += sn_exact_softness(block, a) * system->p.data[row] - system->target.data[row];
    }
    return sn_vec3_at(u);
}

double sn_exact_radius(const sn_exact_system *system, const sn_exact_block *block)
{
    double pressed = 0.0;
    for (int i = block->owner; i < block->owner + block->owner_count; ++i) {
        double p_n = system->p.data[system->blocks.data[i].row];
        pressed += p_n > 0.0 ? p_n : 0.0;
    }
    return block->radius + block->length * pressed;
}

static double clamp(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

// ---- sweeps ----

static sn_vec3 solve_ball(const sn_exact_system *system, const sn_exact_block *block, sn_vec3 b)
{
    double radius = sn_exact_radius(system, block);
    sn_vec3 p = SN_VEC3_ZERO;
    if (block->width == 1) {
        p.x = clamp(-b.x / block->w.xx, -radius, radius);
        return p;
    }
    sn_sym3 w = block->w;
    if (block->width == 2) {
        w.zz = w.xx;
    }
    sn_ball_solve(&w, b, radius, &p);
    return p;
}

static void sweep_block(sn_exact_system *system, const sn_exact_block *block)
{
    if (block->idle || !(block->w.xx > 0.0)) {
        return;
    }
    sn_vec3 before = sn_exact_impulse(system, block), p = before;
    sn_vec3 b = sn_vec3_sub(sn_exact_velocity(system, block), sn_sym3_apply(&block->w, before));
    if (block->kind == SN_BLOCK_POINT) {
        sn_cone_solve(&block->w, b, block->friction, &p);
    } else if (block->kind == SN_BLOCK_BOX) {
        p.x = clamp(-b.x / block->w.xx, block->lower, block->upper);
    } else {
        p = solve_ball(system, block, b);
    }
    sn_exact_put(system, block, p);
    sn_vec3 change = sn_vec3_sub(p, before);
    if (sn_dot(change, change) > 0.0) { // about half of what is near an elastic body stays open
        sn_exact_push(system, block, change);
    }
}

void sn_exact_sweep(sn_exact_system *system, bool forwards)
{
    int count = system->blocks.count;
    for (int i = 0; i < count; ++i) {
        sweep_block(system, &system->blocks.data[forwards ? i : count - 1 - i]);
    }
}

// ---- how far from the laws ----

// What is not a number stays.
static void largest(double *most, double x)
{
    *most = fabs(x) <= *most || isnan(*most) ? *most : fabs(x);
}

// p - projection of (p - u) onto a ball, for `width` scaled numbers.
static void ball_map(int width, const double *p, const double *u, double radius, double *map)
{
    double square = 0.0;
    for (int i = 0; i < width; ++i) {
        square += (p[i] - u[i]) * (p[i] - u[i]);
    }
    double length = sqrt(square), keep = length > radius ? radius / length : 1.0;
    for (int i = 0; i < width; ++i) {
        map[i] = p[i] - keep * (p[i] - u[i]);
    }
}

double sn_exact_residual(const sn_exact_system *system, double *map)
{
    double miss = 0.0, size = 0.0;
    for (int k = 0; k < system->blocks.count; ++k) {
        const sn_exact_block *block = &system->blocks.data[k];
        double own[SN_BLOCK_ROWS] = {0.0, 0.0, 0.0}, p[SN_BLOCK_ROWS], u[SN_BLOCK_ROWS];
        sn_vec3 impulse = sn_exact_impulse(system, block);
        sn_vec3 velocity = sn_exact_velocity(system, block);
        sn_vec3 b = sn_vec3_sub(velocity, sn_sym3_apply(&block->w, impulse));
        const double raw_p[3] = {impulse.x, impulse.y, impulse.z};
        const double raw_u[3] = {velocity.x, velocity.y, velocity.z};
        const double raw_b[3] = {b.x, b.y, b.z};
        for (int i = 0; i < SN_BLOCK_ROWS; ++i) {
            double s = block->scale[i];
            p[i] = s > 0.0 && i < block->width ? raw_p[i] / s : 0.0;
            u[i] = s * raw_u[i];
            largest(&size, p[i]);
            largest(&size, s * raw_b[i]);
        }
        double s = block->scale[0];
        if (block->idle || !(s > 0.0)) {
            // Its impulse is not asked for.
        } else if (block->kind == SN_BLOCK_POINT) {
            own[0] = p[0] - (p[0] > u[0] ? p[0] - u[0] : 0.0);
            if (block->scale[1] > 0.0) {
                double pressed = impulse.x > 0.0 ? impulse.x : 0.0;
                ball_map(2, p + 1, u + 1, block->friction * pressed / block->scale[1], own + 1);
            }
        } else if (block->kind == SN_BLOCK_BOX) {
            own[0] = p[0] - clamp(p[0] - u[0], block->lower / s, block->upper / s);
        } else {
            ball_map(block->width, p, u, sn_exact_radius(system, block) / s, own);
        }
        for (int i = 0; i < block->width; ++i) {
            largest(&miss, own[i]);
            if (map != NULL) {
                map[block->row + i] = own[i];
            }
        }
    }
    if (!isfinite(miss) || !isfinite(size)) {
        return INFINITY;
    }
    return size > 0.0 ? miss / size : 0.0;
}

int sn_exact_worst_block(const sn_exact_system *system, double *map)
{
    int worst = 0;
    double most = -1.0;
    sn_exact_residual(system, map);
    for (int k = 0; k < system->blocks.count; ++k) {
        const sn_exact_block *block = &system->blocks.data[k];
        for (int i = 0; i < block->width; ++i) {
            double miss = fabs(map[block->row + i]);
            if (!(miss <= most)) {
                most = miss;
                worst = k;
            }
        }
    }
    return worst;
}

// ---- a warm start ----

// Mechanisms, which sweeps are slow to carry loads through, with contact impulses of the last step.
static bool is_warm(const sn_exact_system *system)
{
    bool mechanism = false, pressed = false;
    for (int i = 0; i < system->agents.count; ++i) {
        mechanism = mechanism || system->agents.data[i].normalised;
    }
    for (int row = 0; row < system->p.count && mechanism && !pressed; ++row) {
        pressed = system->p.data[row] != 0.0;
    }
    return pressed;
}

// Contacts begin with their impulses of the last step, rows of an agent's own, limits above all,
// with none: the first few sweeps over these alone, contacts held, nearly give them theirs.
static bool solve_warm(sn_exact_system *system, const sn_exact_limits *limits,
                       sn_exact_effort *effort, double *work)
{
    enum { OWN_SWEEPS = 4, MOST_STEPS = 20 };
    int count = system->blocks.count;
    for (int sweep = 0; sweep < OWN_SWEEPS; ++sweep) {
        for (int i = 0; i < count; ++i) {
            const sn_exact_block *block = &system->blocks.data[sweep % 2 == 0 ? i : count - 1 - i];
            if (block->kind == SN_BLOCK_BOX) {
                sweep_block(system, block);
            }
        }
    }
    if (!sn_exact_newton_prepare(system)) {
        return false;
    }
    int most = limits->newton_steps < MOST_STEPS ? limits->newton_steps : MOST_STEPS;
    effort->residual =
        sn_exact_newton_warm(system, limits->tolerance, most, &effort->newton_steps, work);
    return true;
}

// ---- sweeps and Newton's method in turn ----

// Sweeps find who sticks, slides and opens, in few passes; what they are slow at is to carry loads
// through long chains and large ratios of masses, which Newton's method does at once when states
// are right. So they take turns, with more sweeps each time that it was not enough.
bool sn_exact_system_solve(sn_exact_system *system, const sn_exact_limits *limits,
                           sn_exact_effort *effort)
{
    enum { FIRST_SWEEPS = 8, MOST_SWEEPS = 256 };
    const double lost = 1e-2; // residual
    *effort = (sn_exact_effort){.residual = sn_exact_residual(system, NULL)};
    enum { MOST_ROWS = 20000 }; // their square is an int
    bool newton = system->p.count <= limits->newton_rows && system->p.count <= MOST_ROWS;
    bool prepared = false;
    double work = limits->work;
    if (!sn_exact_calm_begin(system) || (newton && !sn_exact_newton_reserve(system))) {
        return false;
    }
    double wanted = limits->start > limits->tolerance ? limits->start : limits->tolerance;
    if (newton && effort->residual > wanted && isfinite(effort->residual) && is_warm(system)) {
        if (!solve_warm(system, limits, effort, &work)) {
            return false;
        }
        prepared = true;
        wanted = limits->tolerance;
    }
    for (int batch = FIRST_SWEEPS; effort->residual > wanted && effort->sweeps < limits->sweeps &&
                                   isfinite(effort->residual);) {
        wanted = limits->tolerance;
        for (int i = 0; i < batch && effort->residual > wanted; ++i) {
            sn_exact_sweep(system, effort->sweeps % 2 == 0);
            ++effort->sweeps;
            if (i % 4 == 0 || i == batch - 1) {
                effort->residual = sn_exact_residual(system, NULL);
            }
        }
        int left = limits->newton_steps - effort->newton_steps;
        if (newton && effort->residual > wanted && left > 0 && work > 0.0) {
            if (!prepared) {
                if (!sn_exact_newton_prepare(system)) {
                    return false;
                }
                prepared = true;
            }
            effort->residual = sn_exact_newton(system, wanted, left, &effort->newton_steps, &work);
            wanted = limits->enough > wanted ? limits->enough : wanted;
        }
        batch = 2 * batch < MOST_SWEEPS ? 2 * batch : MOST_SWEEPS;
    }
    if (!(effort->residual <= lost)) {
        effort->residual = sn_exact_calm(system);
        effort->tresca = true;
    }
    effort->converged = effort->residual <= wanted;
    return true;
}
