// Bonds under integrators of their own, as the thesis has them (R. L. W. Liesenfeld 1997, 3.2.3 and
// 6.3): accelerations get what makes every equation g = 0 obey
//
//     g'' + 2 s g' + s^2 g = 0
//
// so that errors die out as (A + B t) exp(-s t). With a the accelerations without bonds,
//
//     J M^-1 J^T lambda = J a + curvature + 2 s g' + s^2 g,   a -= M^-1 J^T lambda
//
// Equations that say the same twice are left out by pivoting, where the thesis stops.
#include <math.h>
#include <string.h>

#include "agent/elastic/elastic.h"
#include "math/dense.h"

enum { STRIDE = SN_SOLID_STRIDE };

static const double DEPENDENT_ROWS = 1e-10; // pivots below this share of the first say nothing new

static bool read_rows(const sn_agent_set *set, int agent)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    sn_bond_view view = {
        .x = sn_agent_q(set, agent), .v = sn_agent_v(set, agent), .time = set->now};
    sn_array_clear(&item->bond_rows);
    for (int i = 0; i < item->bonds.count; ++i) {
        const sn_bond_item *bond = item->bonds.data[i];
        bool active = set->now >= bond->start && set->now < bond->end;
        for (int k = 0; k < sn_bond_row_count(bond) && active; ++k) {
            sn_bond_row row;
            view.point = sn_transform_point(bond->ground, sn_bond_row_local(bond, k));
            sn_bond_read_row(bond, k, &view, &row);
            if (!sn_array_push(&item->bond_rows, row)) {
                return false;
            }
        }
    }
    return true;
}

// x <- J^T of one row, with fixed coordinates left out.
static void spread_row(const sn_elastic_item *item, const sn_bond_row *row, double scale, double *x)
{
    for (int i = 0; i < row->count; ++i) {
        int vertex = row->terms[i].vertex;
        const double g[3] = {row->terms[i].gradient.x, row->terms[i].gradient.y,
                             row->terms[i].gradient.z};
        for (int k = 0; k < 3 && row->terms[i].end == 0; ++k) {
            x[STRIDE * vertex + k] += item->fixed[vertex] >> k & 1 ? 0.0 : scale * g[k];
        }
    }
}

static double along_row(const sn_bond_row *row, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < row->count; ++i) {
        sum += row->terms[i].end == 0
                   ? sn_dot(row->terms[i].gradient, sn_vec3_at(v + STRIDE * row->terms[i].vertex))
                   : 0.0;
    }
    return sum;
}

void sn_elastic_divide_by_mass(const sn_agent_set *set, int agent, const double *right, double *x)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    int count = STRIDE * item->mass.vertex_count;
    memset(x, 0, (size_t)count * sizeof *x);
    if (item->inertia != NULL) {
        sn_linear_solve(item->inertia, set->threads, right, x, NULL);
        return;
    }
    for (int i = 0; i < count; ++i) {
        x[i] = right[i] / item->mass.diagonal[i / STRIDE];
    }
}

bool sn_elastic_hold_rate(const sn_agent_set *set, int agent, double *v_rate)
{
    sn_elastic_item *item = sn_elastic_item_of(set, agent);
    const double *v = sn_agent_v(set, agent), s = SN_BOND_STABILISATION;
    if (!read_rows(set, agent)) {
        return false;
    }
    int rows = item->bond_rows.count, size = STRIDE * item->mass.vertex_count;
    if (rows == 0) {
        return true;
    }
    if (!sn_array_resize(&item->bond_numbers, rows * rows + 2 * rows) ||
        !sn_array_resize(&item->bond_order, rows)) {
        return false;
    }
    double *w = item->bond_numbers.data, *lambda = w + rows * rows, *scratch = lambda + rows;
    for (int i = 0; i < rows; ++i) {
        const sn_bond_row *row = &item->bond_rows.data[i];
        memset(item->right, 0, (size_t)size * sizeof *item->right);
        spread_row(item, row, 1.0, item->right);
        sn_elastic_divide_by_mass(set, agent, item->right, item->change);
        for (int k = 0; k < rows; ++k) {
            w[i * rows + k] = along_row(&item->bond_rows.data[k], item->change);
        }
        lambda[i] = along_row(row, v_rate) + row->acceleration +
                    2.0 * s * (along_row(row, v) + row->rate) + s * s * row->value;
    }
    int rank = sn_ldl_factor_pivoted(rows, w, item->bond_order.data, DEPENDENT_ROWS);
    sn_ldl_solve_pivoted(rows, w, item->bond_order.data, rank, lambda, scratch);
    memset(item->right, 0, (size_t)size * sizeof *item->right);
    for (int i = 0; i < rows; ++i) {
        spread_row(item, &item->bond_rows.data[i], lambda[i], item->right);
    }
    sn_elastic_divide_by_mass(set, agent, item->right, item->change);
    for (int i = 0; i < size; ++i) {
        v_rate[i] -= item->change[i];
    }
    return true;
}
