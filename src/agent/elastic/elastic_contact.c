// What contact asks of elastic bodies. The points that are touched (grips) are few beside the
// vertices, so contact sees the velocities G v of those alone, and the body's answer to impulses
// there, G A^-1 G^T with A of the step, as one small dense matrix.
//
// At the end of a step impulses are answered by the same A: a vertex alone weighs next to nothing,
// and what an impact moves at once is what elasticity can reach in a step.
#include <string.h>

#include "agent/elastic/elastic.h"

enum { STRIDE = SN_SOLID_STRIDE };

int sn_elastic_grip(sn_agent_set *set, int agent, const sn_elastic_point *point)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    return sn_array_push(&item->grips, *point) ? item->grips.count : -1;
}

void sn_elastic_release(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_array_clear(&item->grips);
    item->answers = false;
}

static int elastic_width(const sn_agent_set *set, int agent)
{
    return 3 * sn_elastic_item_of(set, agent)->grips.count;
}

// The rows of G: three a grip, without vertices that are fixed.
static bool list_rows(sn_elastic_item *item)
{
    int grips = item->grips.count, used = 0;
    sn_array_clear(&item->row_numbers);
    sn_array_clear(&item->row_nodes);
    if (!sn_array_resize(&item->row_starts, 3 * grips + 1)) {
        return false;
    }
    for (int row = 0; row < 3 * grips; ++row) {
        const sn_elastic_point *grip = &item->grips.data[row / 3];
        item->row_starts.data[row] = used;
        for (int k = 0; k < grip->count; ++k) {
            if (item->fixed[grip->vertices[k]] >> row % 3 & 1) {
                continue;
            }
            if (!sn_array_push(&item->row_nodes, grip->vertices[k]) ||
                !sn_array_resize(&item->row_numbers, 3 * (used + 1))) {
                return false;
            }
            double *numbers = item->row_numbers.data + 3 * used;
            numbers[0] = numbers[1] = numbers[2] = 0.0;
            numbers[row % 3] = grip->weights[k];
            ++used;
        }
    }
    item->row_starts.data[3 * grips] = used;
    return true;
}

// G A^-1 G^T; where it cannot be found the points do not answer at all, and where that is for lack
// of memory the step fails.
static void find_answers(sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    int width = 3 * item->grips.count;
    if (item->answers) {
        return;
    }
    if (!sn_array_resize(&item->compliance, width * width) ||
        !sn_array_resize(&item->answer, width)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
        return;
    }
    memset(item->compliance.data, 0, (size_t)(width * width) * sizeof(double));
    item->answers = true;
    if (!list_rows(item)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
        return;
    }
    sn_factor_rows rows = {width, item->row_starts.data, item->row_nodes.data,
                           item->row_numbers.data};
    sn_linear *linear = item->linear != NULL ? item->linear : item->inertia;
    if (linear != NULL) {
        sn_status status =
            sn_linear_compliance(linear, set->threads, &rows, item->compliance.data, NULL);
        if (status == SN_ERROR_MEMORY) {
            set->agents[agent].failed = SN_FAILURE_MEMORY;
        }
        return;
    }
    for (int a = 0; a < width; ++a) { // a lumped mass
        for (int b = 0; b < width; ++b) {
            double sum = 0.0;
            for (int i = rows.starts[a]; i < rows.starts[a + 1]; ++i) {
                for (int k = rows.starts[b]; k < rows.starts[b + 1]; ++k) {
                    const double *x = rows.numbers + 3 * i, *y = rows.numbers + 3 * k;
                    sum += rows.nodes[i] == rows.nodes[k]
                               ? (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) /
                                     item->mass.diagonal[rows.nodes[i]]
                               : 0.0;
                }
            }
            item->compliance.data[a * width + b] = sum;
        }
    }
}

static void elastic_velocity(sn_agent_set *set, int agent, double *v)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    find_answers(set, agent);
    for (int i = 0; i < item->grips.count; ++i) {
        sn_vec3 position, velocity;
        sn_elastic_read_point(set, agent, &item->grips.data[i], &position, &velocity);
        sn_vec3_put(v + 3 * i, velocity);
    }
}

static void elastic_start_velocity(const sn_agent_set *set, int agent, double *v)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *from = set->v_last + set->agents[agent].v_first;
    for (int i = 0; i < item->grips.count; ++i) {
        const sn_elastic_point *grip = &item->grips.data[i];
        sn_vec3 sum = SN_VEC3_ZERO;
        for (int k = 0; k < grip->count; ++k) {
            sum = sn_vec3_add_scaled(sum, grip->weights[k],
                                     sn_vec3_at(from + STRIDE * grip->vertices[k]));
        }
        sn_vec3_put(v + 3 * i, sum);
    }
}

static void elastic_project(const sn_agent_set *set, int agent, int part, const sn_spatial *f,
                            double *row)
{
    memset(row, 0, (size_t)elastic_width(set, agent) * sizeof *row);
    if (part > 0) {
        sn_vec3_put(row + 3 * (part - 1), f->linear);
    }
}

static void elastic_inverse(const sn_agent_set *set, int agent, double *x)
{
    const sn_elastic_item *item = sn_elastic_item_of(set, agent);
    int width = 3 * item->grips.count;
    double *sums = item->answer.data;
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int k = 0; k < width; ++k) { // rows of contacts have three numbers that are not zero
        const double *column = item->compliance.data + (size_t)k * (size_t)width;
        for (int i = 0; i < width && x[k] != 0.0; ++i) {
            sums[i] += x[k] * column[i];
        }
    }
    memcpy(x, sums, (size_t)width * sizeof *x);
}

// dv = A^-1 G^T p, in `change`; the impulses themselves in `right`.
static void answer(sn_agent_set *set, int agent, const double *impulse)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    int count = STRIDE * item->mass.vertex_count;
    memset(item->right, 0, (size_t)count * sizeof *item->right);
    for (int i = 0; i < item->grips.count; ++i) {
        sn_elastic_push(&item->grips.data[i], sn_vec3_at(impulse + 3 * i), item->right);
    }
    sn_linear *linear = item->linear != NULL ? item->linear : item->inertia;
    if (linear != NULL) {
        for (int i = 0; i < count; ++i) {
            bool fixed = i % STRIDE < 3 && item->fixed[i / STRIDE] >> i % STRIDE & 1;
            item->change[i] = 0.0;
            item->right[i] = fixed ? 0.0 : item->right[i];
        }
        sn_linear_solve(linear, set->threads, item->right, item->change, NULL);
        return;
    }
    for (int i = 0; i < count; ++i) {
        bool fixed = i % STRIDE < 3 && item->fixed[i / STRIDE] >> i % STRIDE & 1;
        item->change[i] = fixed ? 0.0 : item->right[i] / item->mass.diagonal[i / STRIDE];
    }
}

// The free motion of what leans is one linearisation (elastic_step.c), which Newton's method goes
// on from where impulses lead.
static sn_lean elastic_lean(sn_agent_set *set, int agent, const double *impulse)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    if (!item->leans || !item->pushed) {
        return SN_LEAN_DONE;
    }
    answer(set, agent, impulse);
    return sn_elastic_lean(set, agent);
}

static void elastic_push(sn_agent_set *set, int agent, const double *impulse)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *v = sn_agent_v(set, agent);
    answer(set, agent, impulse);
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        v[i] += item->change[i];
    }
}

static void elastic_strike(sn_agent_set *set, int agent)
{
    (void)set;
    (void)agent;
}

// Where a surface bends under a load F, what contact knows of its place is off by the square of how
// it has moved, d. That is undone at the end of the step, and F d with it: the midpoint rule keeps
// such energy, and what trembles between two pads would do so ever more. Euler's rule takes it.
static void elastic_parted(sn_agent_set *set, int agent)
{
    sn_elastic_memory_of(set, agent)->parted = sn_elastic_item_of(set, agent)->bound;
}

static void elastic_shove(sn_agent_set *set, int agent, const double *impulse, double h)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    double *q = sn_agent_q(set, agent);
    answer(set, agent, impulse);
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        q[i] += h * item->change[i];
    }
    sn_elastic_memory_of(set, agent)->parted = 1.0;
}

static void elastic_slow(sn_agent_set *set, int agent, double share)
{
    double *v = sn_agent_v(set, agent);
    for (int i = 0; i < set->agents[agent].v_count; ++i) {
        v[i] *= share;
    }
}

const sn_agent_contact sn_elastic_contact = {
    .width = elastic_width,
    .velocity = elastic_velocity,
    .project = elastic_project,
    .inverse = elastic_inverse,
    .lean = elastic_lean,
    .push = elastic_push,
    .strike = elastic_strike,
    .start_velocity = elastic_start_velocity,
    .shove = elastic_shove,
    .parted = elastic_parted,
    .slow = elastic_slow,
};
