// Stiffness, factor and solutions of the system of a world at rest. See rest.h.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "statics/rest.h"

enum { STRIDE = SN_SOLID_STRIDE };

static const double DEPENDENT_ROWS = 1e-10; // pivots below this share of the first say nothing new
static const double ROUNDING = 1e-13;       // of what cancels in H

// ---- stiffness ----

// What bonds do to rigid freedoms at the pose that the difference has them in.
static void hold_bonds(void *holder, double *force)
{
    sn_rest *rest = holder;
    double *turned = rest->scratch;
    for (int i = 0; i < rest->ties.count; ++i) {
        const sn_bond_record *bond = &rest->world->bonds.records.data[rest->ties.data[i].bond];
        const sn_body_record *other = sn_world_body_record(rest->world, bond->other);
        double lambda = rest->lambda[rest->system.rows + i];
        if (other == NULL || other->agent.agent < 0 || other->type == SN_BODY_ELASTIC ||
            lambda == 0.0) {
            continue;
        }
        sn_bond_row row;
        memset(turned, 0, (size_t)rest->n * sizeof *turned);
        sn_rest_read_tie(rest, i, &row, turned);
        for (int k = 0; k < rest->n; ++k) {
            force[k] += lambda * turned[k];
        }
    }
}

static sn_status linearise_rigid(sn_rest *rest, int order, sn_error *error)
{
    int n = rest->n;
    double skew = 0.0, most = 0.0;
    if (n == 0) {
        return SN_OK;
    }
    rest->system.hold = hold_bonds;
    rest->system.holder = rest;
    if (!sn_system_stiffness(&rest->system, rest->lambda, order, rest->k) || rest->system.starved) {
        return sn_fail_memory(error, (size_t)n * sizeof(double));
    }
    rest->brake = rest->mass * sn_length(rest->world->gravity) * rest->system.size;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double *a = &rest->k[i * n + j], *b = &rest->k[j * n + i];
            double scale = rest->system.reach[i] * rest->system.reach[j];
            skew = fmax(skew, 0.5 * fabs(*a - *b) * scale);
            most = fmax(most, fmax(fabs(*a), fabs(*b)) * scale);
            *a = *b = 0.5 * (*a + *b);
        }
    }
    for (int b = 0; b < rest->body_count; ++b) { // where nothing else acts
        double size = rest->system.size;
        rest->brake = fmax(rest->brake, 1e-9 * rest->bodies[b].unit * rest->mass * size * size);
    }
    rest->brake += most;
    rest->asymmetry = most > 0.0 ? skew / most : 0.0;
    return isfinite(most) ? SN_OK
                          : sn_fail(error, SN_ERROR_DIVERGED, "world",
                                    "a force is no longer a number on the way to equilibrium");
}

static void add_body(sn_rest *rest, const sn_rest_body *body)
{
    sn_sparse_assemble(body->sparse, rest->world->threads, 0.0, 1.0);
    for (int i = 0; i < body->sparse->block_count; ++i) {
        memcpy(rest->base + 9 * (size_t)body->place[i], body->sparse->values + 9 * (size_t)i,
               9 * sizeof(double));
    }
}

// What a row is about as stiff as: the material at its vertices, or all that acts on rigid
// freedoms.
static void weigh_rows(sn_rest *rest)
{
    for (int i = 0; i < rest->rows; ++i) {
        const double *turned = rest->turned + (size_t)i * (size_t)rest->n;
        double square = 0.0, stiff = 0.0;
        int tie = i - rest->system.rows;
        for (int t = tie < 0 ? 0 : rest->tie_starts[tie]; tie >= 0 && t < rest->tie_starts[tie + 1];
             ++t) {
            const double *g = rest->tie_numbers.data + 3 * (size_t)t;
            int node = rest->tie_nodes.data[t];
            const double *block = rest->base + 9 * (size_t)(rest->starts[node + 1] - 1);
            double own = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
            square += own;
            stiff += own * (fabs(block[0]) + fabs(block[4]) + fabs(block[8])) / 3.0;
        }
        if (!(square > 0.0)) {
            stiff = 0.0;
            for (int k = 0; k < rest->n; ++k) {
                double own = turned[k] * rest->system.reach[k];
                square += own * own;
            }
            stiff = square * rest->brake;
        }
        rest->weight[i] = square > 0.0 ? sqrt(stiff) / square : 0.0;
    }
}

sn_status sn_rest_linearise(sn_rest *rest, sn_stiffness kind, int order, sn_error *error)
{
    sn_status status = SN_OK;
    memset(rest->base, 0, 9 * (size_t)rest->block_count * sizeof(double));
    for (int b = 0; b < rest->body_count && status == SN_OK; ++b) {
        sn_solid *solid = rest->bodies[b].item->solid;
        sn_solid_set_damping(solid, 1.0, 0.0, NULL, 0, false);
        status =
            sn_solid_linearise(solid, rest->world->threads, sn_agent_q(rest->soft, b), kind, error);
        if (status == SN_OK) {
            add_body(rest, &rest->bodies[b]);
        }
    }
    status = status == SN_OK ? sn_rest_add_fields(rest, error) : status;
    status = status == SN_OK && order > 0 ? linearise_rigid(rest, order, error) : status;
    weigh_rows(rest);
    return status;
}

// ---- products ----

void sn_rest_product(const sn_rest *rest, const double *d, double *y)
{
    size_t n = (size_t)rest->n;
    const double *x = d + n;
    double *out = y + n;
    memset(y, 0, rest->size * sizeof *y);
    for (int row = 0; row < rest->nodes; ++row) {
        for (int k = rest->starts[row]; k < rest->starts[row + 1]; ++k) {
            const double *b = rest->base + 9 * (size_t)k;
            const double *other = x + (size_t)STRIDE * (size_t)rest->columns[k],
                         *own = x + (size_t)STRIDE * (size_t)row;
            double *to = out + (size_t)STRIDE * (size_t)row,
                   *back = out + (size_t)STRIDE * (size_t)rest->columns[k];
            for (int i = 0; i < 3; ++i) {
                to[i] += b[3 * i] * other[0] + b[3 * i + 1] * other[1] + b[3 * i + 2] * other[2];
            }
            for (int i = 0; i < 3 && rest->columns[k] != row; ++i) {
                back[i] += b[i] * own[0] + b[3 + i] * own[1] + b[6 + i] * own[2];
            }
        }
    }
    sn_dense_apply(rest->n, rest->n, rest->k, d, y);
    for (int s = 0; s < rest->slot_count; ++s) {
        const double *block = rest->sprung + (size_t)s * n * 3;
        size_t node = (size_t)STRIDE * (size_t)rest->slot_nodes[s];
        for (size_t j = 0; j < n; ++j) {
            for (size_t c = 0; c < 3; ++c) {
                y[j] += block[3 * j + c] * x[node + c];
                out[node + c] += block[3 * j + c] * d[j];
            }
        }
    }
    sn_rest_clear_fixed(rest, y);
}

void sn_rest_mass(const sn_rest *rest, const double *d, double *y)
{
    memset(y, 0, rest->size * sizeof *y);
    sn_dense_apply(rest->n, rest->n, rest->system.metric, d, y);
    for (int b = 0; b < rest->body_count; ++b) {
        size_t first = (size_t)rest->n + (size_t)STRIDE * (size_t)rest->bodies[b].first;
        sn_mass_add_product(&rest->bodies[b].item->mass, STRIDE, 1.0, d + first, y + first);
    }
    sn_rest_clear_fixed(rest, y);
}

double sn_rest_slowed(const sn_rest *rest, const double *d)
{
    double sum = 0.0, *y = rest->work;
    sn_dense_apply(rest->n, rest->n, rest->system.metric, d, y);
    for (int i = 0; i < rest->n; ++i) {
        sum += rest->rigid_share * d[i] * y[i];
    }
    for (int b = 0; b < rest->body_count; ++b) {
        const sn_rest_body *body = &rest->bodies[b];
        size_t first = (size_t)rest->n + (size_t)STRIDE * (size_t)body->first,
               last = first + (size_t)STRIDE * (size_t)body->item->mass.vertex_count;
        memset(y + first, 0, (last - first) * sizeof *y);
        sn_mass_add_product(&body->item->mass, STRIDE, rest->soft_share * body->unit, d + first,
                            y + first);
        for (size_t i = first; i < last; ++i) {
            sum += d[i] * y[i];
        }
    }
    return sum;
}

// ---- G ----

static void add_mass(sn_rest *rest, const sn_rest_body *body, double share)
{
    const sn_mass *mass = &body->item->mass;
    for (int i = 0; i < mass->vertex_count; ++i) {
        int diagonal = body->place[body->sparse->starts[i + 1] - 1];
        for (size_t k = 0; k < 9; k += 4) {
            rest->values[9 * (size_t)diagonal + k] += share * mass->diagonal[i];
        }
    }
    for (int i = 0; i < mass->pair_count; ++i) {
        int block = body->place[body->sparse->mass_place[i]];
        for (size_t k = 0; k < 9; k += 4) {
            rest->values[9 * (size_t)block + k] += share * mass->entries[i];
        }
    }
}

// B^T W B among vertices, and of them with rigid freedoms.
static void add_stiff_rows(sn_rest *rest)
{
    size_t n = (size_t)rest->n;
    for (int i = 0; i < rest->ties.count; ++i) {
        double w = rest->weight[rest->system.rows + i] * rest->weight[rest->system.rows + i];
        const double *turned = rest->turned + (size_t)(rest->system.rows + i) * n;
        for (int s = rest->tie_starts[i]; s < rest->tie_starts[i + 1]; ++s) {
            const double *a = rest->tie_numbers.data + 3 * (size_t)s;
            int node = rest->tie_nodes.data[s], slot = rest->slot[node];
            for (int t = rest->tie_starts[i]; t <= s; ++t) {
                const double *b = rest->tie_numbers.data + 3 * (size_t)t;
                sn_mat3 block;
                for (int e = 0; e < 9; ++e) {
                    block.m[e / 3][e % 3] = a[e / 3] * b[e % 3];
                }
                sn_rest_add_block(rest, rest->values, node, rest->tie_nodes.data[t], w, &block);
            }
            for (size_t j = 0; slot >= 0 && j < n; ++j) {
                double *at = rest->border + ((size_t)slot * n + j) * 3, share = w * turned[j];
                for (size_t c = 0; c < 3; ++c) {
                    at[c] += share * a[c];
                }
            }
        }
    }
}

static void fix_values(sn_rest *rest)
{
    for (int row = 0; row < rest->nodes; ++row) {
        for (int k = rest->starts[row]; k < rest->starts[row + 1]; ++k) {
            int column = rest->columns[k], bits = rest->fixed[row], others = rest->fixed[column];
            double *block = rest->values + 9 * (size_t)k;
            for (int e = 0; e < 9 && (bits | others) != 0; ++e) {
                bool unit = (bits >> (e / 3) & 1) != 0 || (others >> (e % 3) & 1) != 0;
                block[e] = unit ? (row == column && e % 4 == 0 ? 1.0 : 0.0) : block[e];
            }
        }
    }
    for (int s = 0; s < rest->slot_count; ++s) {
        int bits = rest->fixed[rest->slot_nodes[s]];
        double *block = rest->border + (size_t)s * (size_t)rest->n * 3;
        for (int i = 0; i < 3 * rest->n && bits != 0; ++i) {
            block[i] = bits >> (i % 3) & 1 ? 0.0 : block[i];
        }
    }
}

// R: what each rigid freedom, then each row, has of vertices; and what rows have of rigid freedoms.
static bool list_rows(sn_rest *rest)
{
    int count = rest->n + rest->rows, used = 0;
    int most = rest->n * rest->slot_count + rest->tie_nodes.count;
    if (!sn_array_resize(&rest->row_starts, count + 1) ||
        !sn_array_resize(&rest->row_nodes, most + 1) ||
        !sn_array_resize(&rest->row_numbers, 3 * most + 1)) {
        return false;
    }
    for (int j = 0; j < rest->n; ++j) {
        rest->row_starts.data[j] = used;
        for (int s = 0; s < rest->slot_count; ++s) {
            const double *at = rest->border + ((size_t)s * (size_t)rest->n + (size_t)j) * 3;
            if (at[0] != 0.0 || at[1] != 0.0 || at[2] != 0.0) {
                rest->row_nodes.data[used] = rest->slot_nodes[s];
                memcpy(rest->row_numbers.data + 3 * (size_t)used++, at, 3 * sizeof *at);
            }
        }
    }
    for (int i = 0; i < rest->rows * rest->n; ++i) {
        rest->scaled[i] = rest->weight[i / rest->n] * rest->turned[i];
    }
    for (int i = 0; i < rest->rows; ++i) {
        int tie = i - rest->system.rows;
        rest->row_starts.data[rest->n + i] = used;
        for (int t = tie < 0 ? 0 : rest->tie_starts[tie]; tie >= 0 && t < rest->tie_starts[tie + 1];
             ++t) {
            rest->row_nodes.data[used] = rest->tie_nodes.data[t];
            for (size_t k = 0; k < 3; ++k) {
                rest->row_numbers.data[3 * (size_t)used + k] =
                    rest->weight[i] * rest->tie_numbers.data[3 * (size_t)t + k];
            }
            ++used;
        }
    }
    rest->row_starts.data[count] = used;
    return true;
}

// G_rr, and from it H, with what cancels kept from making it negative.
static bool factor_border(sn_rest *rest, double rigid_share)
{
    size_t n = (size_t)rest->n, all = n + (size_t)rest->rows;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double sum = rest->k[i * n + j] + rigid_share * rest->system.metric[i * n + j];
            for (int r = 0; r < rest->rows; ++r) {
                const double *scaled = rest->scaled + (size_t)r * n;
                sum += scaled[i] * scaled[j];
            }
            double floor = i == j ? ROUNDING * fabs(sum) : 0.0;
            rest->h[i * n + j] = sum - rest->w[i * all + j] + floor;
        }
    }
    return sn_cholesky_factor(rest->n, rest->h, NULL);
}

// Q, Q H^-1 and Y = w_bb + Q H^-1 Q^T.
static void factor_rows(sn_rest *rest)
{
    size_t n = (size_t)rest->n, rows = (size_t)rest->rows, all = n + rows;
    for (size_t r = 0; r < rows; ++r) {
        double *q = rest->q + r * n, *hq = rest->hq + r * n;
        for (size_t j = 0; j < n; ++j) {
            q[j] = rest->scaled[r * n + j] - rest->w[(n + r) * all + j];
        }
        memcpy(hq, q, n * sizeof *q);
        sn_cholesky_solve(rest->n, rest->h, hq);
    }
    for (size_t r = 0; r < rows; ++r) {
        for (size_t s = 0; s <= r; ++s) {
            double sum = rest->w[(n + r) * all + n + s];
            for (size_t j = 0; j < n; ++j) {
                sum += rest->hq[r * n + j] * rest->q[s * n + j];
            }
            rest->y[r * rows + s] = sum;
        }
    }
    rest->rank = rest->rows > 0
                     ? sn_ldl_factor_pivoted(rest->rows, rest->y, rest->order, DEPENDENT_ROWS)
                     : 0;
}

sn_status sn_rest_factor(sn_rest *rest, sn_rest_slowing slowing, double share, sn_error *error)
{
    sn_system_metric metric = slowing == SN_REST_SHIFTED ? SN_METRIC_MASS : SN_METRIC_MOTION;
    size_t all = (size_t)(rest->n + rest->rows);
    sn_status status = rest->n > 0 ? sn_system_factor(&rest->system, metric, error) : SN_OK;
    if (status != SN_OK) {
        return status;
    }
    memcpy(rest->values, rest->base, 9 * (size_t)rest->block_count * sizeof(double));
    memcpy(rest->border, rest->sprung,
           (size_t)rest->slot_count * (size_t)rest->n * 3 * sizeof(double));
    for (int b = 0; b < rest->body_count; ++b) {
        add_mass(rest, &rest->bodies[b],
                 slowing == SN_REST_SHIFTED ? share : share * rest->bodies[b].unit);
    }
    add_stiff_rows(rest);
    fix_values(rest);
    status = sn_factor_update(rest->factor, rest->world->threads, rest->values, error);
    if (status != SN_OK) {
        return status;
    }
    if (!list_rows(rest)) {
        return sn_fail_memory(error, all * sizeof(double));
    }
    sn_factor_rows rows = {(int)all, rest->row_starts.data, rest->row_nodes.data,
                           rest->row_numbers.data};
    memset(rest->w, 0, all * all * sizeof(double));
    status = all > 0 ? sn_factor_compliance(rest->factor, &rows, rest->w, error) : SN_OK;
    if (status != SN_OK) {
        return status;
    }
    // Rigid freedoms that would topple take more of a brake, which costs no factor of the vertices.
    rest->soft_share = share;
    rest->rigid_share = slowing == SN_REST_SHIFTED ? share : share * rest->brake;
    bool braked = slowing == SN_REST_BRAKED, sound = factor_border(rest, rest->rigid_share);
    for (int turn = 0; braked && !sound && turn < 40; ++turn) {
        rest->rigid_share *= 8.0;
        sound = factor_border(rest, rest->rigid_share);
    }
    if (!sound) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, "world",
                       "rigid bodies have no stable stiffness here");
    }
    factor_rows(rest);
    return SN_OK;
}

// ---- solutions ----

static double apply_row(const sn_rest *rest, int row, const double *x)
{
    double sum = 0.0;
    for (int e = rest->row_starts.data[row]; e < rest->row_starts.data[row + 1]; ++e) {
        const double *p = x + (size_t)STRIDE * (size_t)rest->row_nodes.data[e],
                     *g = rest->row_numbers.data + 3 * (size_t)e;
        sum += g[0] * p[0] + g[1] * p[1] + g[2] * p[2];
    }
    return sum;
}

static void spread_row(const sn_rest *rest, int row, double share, double *x)
{
    for (int e = rest->row_starts.data[row]; e < rest->row_starts.data[row + 1]; ++e) {
        double *p = x + (size_t)STRIDE * (size_t)rest->row_nodes.data[e];
        const double *g = rest->row_numbers.data + 3 * (size_t)e;
        for (int k = 0; k < 3; ++k) {
            p[k] += share * g[k];
        }
    }
}

// r and lambda: H r - Q^T lambda = r, Q r + (Y - Q H^-1 Q^T) lambda = lambda; in place.
static void solve_dense(sn_rest *rest, double *r, double *lambda)
{
    size_t n = (size_t)rest->n;
    sn_cholesky_solve(rest->n, rest->h, r);
    for (int i = 0; i < rest->rows; ++i) {
        for (size_t j = 0; j < n; ++j) {
            lambda[i] -= rest->q[(size_t)i * n + j] * r[j];
        }
    }
    if (rest->rows > 0) {
        sn_ldl_solve_pivoted(rest->rows, rest->y, rest->order, rest->rank, lambda,
                             rest->scratch + rest->n + rest->most_rows + 1);
    }
    for (int i = 0; i < rest->rows; ++i) {
        for (size_t j = 0; j < n; ++j) {
            r[j] += rest->hq[(size_t)i * n + j] * lambda[i];
        }
    }
}

void sn_rest_solve(sn_rest *rest, const double *b, const double *c, double *d, double *lambda)
{
    size_t n = (size_t)rest->n;
    double *x = d + n, *right = rest->work, *scaled = rest->scratch; // rows
    memcpy(right, b, rest->size * sizeof *right);
    for (int i = 0; i < rest->rows; ++i) { // B^T W c
        double share = c != NULL ? rest->weight[i] * c[i] : 0.0;
        scaled[i] = share;
        for (size_t j = 0; j < n; ++j) {
            right[j] += share * rest->scaled[(size_t)i * n + j];
        }
        spread_row(rest, rest->n + i, share, right + n);
    }
    sn_rest_clear_fixed(rest, right);
    memcpy(x, right + n, (rest->size - n) * sizeof *x);
    sn_factor_solve(rest->factor, STRIDE, x);
    for (int j = 0; j < rest->n; ++j) {
        d[j] = right[j] - apply_row(rest, j, x);
    }
    for (int i = 0; i < rest->rows; ++i) {
        scaled[i] -= apply_row(rest, rest->n + i, x);
    }
    solve_dense(rest, d, scaled);
    for (int j = 0; j < rest->n; ++j) {
        spread_row(rest, j, -d[j], right + n);
    }
    for (int i = 0; i < rest->rows; ++i) {
        spread_row(rest, rest->n + i, scaled[i], right + n);
    }
    memcpy(x, right + n, (rest->size - n) * sizeof *x);
    sn_factor_solve(rest->factor, STRIDE, x);
    sn_rest_clear_fixed(rest, d);
    for (int i = 0; i < rest->rows && lambda != NULL; ++i) {
        lambda[i] = scaled[i] * rest->weight[i];
    }
}
