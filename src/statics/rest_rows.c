// What bonds, springs and pulls give to the system of a world at rest: rows, and stiffness in
// closed form. See rest.h.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bond/bond.h"
#include "field/spring.h"
#include "statics/elastic_rest.h"
#include "statics/rest.h"

enum { STRIDE = SN_SOLID_STRIDE };

static const sn_bond_record *record_of(const sn_rest *rest, int tie)
{
    return &rest->world->bonds.records.data[rest->ties.data[tie].bond];
}

static int first_of(const sn_rest *rest, sn_body body)
{
    return rest->bodies[sn_world_body_record(rest->world, body)->agent.agent].first;
}

// J^T of a force on a point of a rigid part, in the rigid freedoms: added to row (n).
static void add_force(const sn_rest *rest, sn_agent_ref ref, sn_vec3 point, sn_vec3 force,
                      double *row)
{
    const sn_world *world = rest->world;
    const sn_agent_set *set = world->sets[ref.set];
    const sn_agent *agent = &set->agents[ref.agent];
    int first =
        (sn_world_traits(world, ref.set)->lone ? 0 : world->rigid.agents.v_count) + agent->v_first;
    double *own = rest->system.square; // n x n: long enough
    sn_part part;
    set->type->part(set, ref.agent, ref.part, &part);
    sn_spatial wrench = sn_spatial_make(sn_cross(sn_vec3_sub(point, part.centre), force), force);
    set->type->contact->project(set, ref.agent, ref.part, &wrench, own);
    for (int i = 0; i < agent->v_count; ++i) {
        row[first + i] += own[i];
    }
}

// ---- rows ----

void sn_rest_read_tie(const sn_rest *rest, int tie, sn_bond_row *row, double *turned)
{
    const sn_bond_record *record = record_of(rest, tie);
    const sn_body_record *other = sn_world_body_record(rest->world, record->other);
    sn_bond_view view =
        sn_world_bond_view(rest->world, record, rest->ties.data[tie].row, rest->world->time);
    sn_bond_read_row(&record->item, rest->ties.data[tie].row, &view, row);
    int kept = 0;
    for (int i = 0; i < row->count; ++i) {
        int vertex = row->terms[i].vertex;
        if (vertex >= 0) {
            vertex += first_of(rest, row->terms[i].end == 0 ? record->body : record->other);
        } else if (other == NULL || other->agent.agent < 0) {
            continue; // of the world, or static
        } else if (turned != NULL) {
            add_force(rest, other->agent, view.point, row->terms[i].gradient, turned);
        }
        row->terms[kept] = row->terms[i];
        row->terms[kept++].vertex = vertex;
    }
    row->count = kept;
}

static bool read_ties(sn_rest *rest)
{
    int first = rest->system.rows;
    sn_array_clear(&rest->tie_nodes);
    sn_array_clear(&rest->tie_numbers);
    for (int i = 0; i < rest->ties.count; ++i) {
        sn_bond_row row;
        double *turned = rest->turned + (size_t)(first + i) * (size_t)rest->n;
        memset(turned, 0, (size_t)rest->n * sizeof *turned);
        sn_rest_read_tie(rest, i, &row, turned);
        rest->gap[first + i] = row.value;
        rest->tie_starts[i] = rest->tie_nodes.count;
        for (int t = 0; t < row.count; ++t) {
            int node = row.terms[t].vertex, at = rest->tie_numbers.count;
            if (node < 0) {
                continue;
            }
            if (!sn_array_push(&rest->tie_nodes, node) ||
                !sn_array_resize(&rest->tie_numbers, at + 3)) {
                return false;
            }
            sn_vec3_put(rest->tie_numbers.data + at, row.terms[t].gradient);
            for (int k = 0; k < 3; ++k) {
                double *number = &rest->tie_numbers.data[at + k];
                *number = rest->fixed[node] >> k & 1 ? 0.0 : *number;
            }
        }
    }
    rest->tie_starts[rest->ties.count] = rest->tie_nodes.count;
    return true;
}

sn_status sn_rest_read_rows(sn_rest *rest, sn_error *error)
{
    size_t n = (size_t)rest->n;
    int before = rest->rows - rest->ties.count, now = rest->system.rows;
    if (before != now) { // limits press, or do so no longer: their multipliers are not known
        memmove(rest->lambda + now, rest->lambda + before,
                (size_t)rest->ties.count * sizeof *rest->lambda);
        for (int i = rest->system.tie_rows; i < now; ++i) {
            rest->lambda[i] = 0.0;
        }
    }
    rest->rows = now + rest->ties.count;
    if (rest->system.rows > 0) {
        sn_system_rows(&rest->system);
        memcpy(rest->turned, rest->system.j, (size_t)rest->system.rows * n * sizeof(double));
        memcpy(rest->gap, rest->system.gap, (size_t)rest->system.rows * sizeof(double));
    }
    return !rest->system.starved && read_ties(rest)
               ? SN_OK
               : sn_fail_memory(error, (size_t)rest->rows * sizeof(double));
}

void sn_rest_add_rows(const sn_rest *rest, const double *lambda, double *y)
{
    for (int i = 0; i < rest->rows; ++i) {
        const double *turned = rest->turned + (size_t)i * (size_t)rest->n;
        for (int k = 0; k < rest->n; ++k) {
            y[k] += lambda[i] * turned[k];
        }
    }
    for (int i = 0; i < rest->ties.count; ++i) {
        double share = lambda[rest->system.rows + i];
        for (int t = rest->tie_starts[i]; t < rest->tie_starts[i + 1]; ++t) {
            double *at = y + rest->n + (size_t)STRIDE * (size_t)rest->tie_nodes.data[t];
            for (int k = 0; k < 3; ++k) {
                at[k] += share * rest->tie_numbers.data[3 * t + k];
            }
        }
    }
}

// ---- forces ----

void sn_rest_find_outer(sn_rest *rest, double *outer)
{
    const sn_agent_set *set = rest->soft;
    sn_system_push(&rest->system, outer); // evaluates all forces of the world
    for (int b = 0; b < rest->body_count; ++b) {
        sn_elastic_find_outer(set, b, rest->world->gravity,
                              outer + rest->n + (size_t)STRIDE * (size_t)rest->bodies[b].first);
    }
}

sn_status sn_rest_look(sn_rest *rest, sn_error *error)
{
    const sn_agent_set *set = rest->soft;
    sn_rest_find_outer(rest, rest->outer);
    memcpy(rest->force, rest->outer, rest->size * sizeof *rest->force);
    for (int b = 0; b < rest->body_count; ++b) {
        sn_solid_add_forces(rest->bodies[b].item->solid, rest->world->threads, sn_agent_q(set, b),
                            rest->force + rest->n + (size_t)STRIDE * (size_t)rest->bodies[b].first);
    }
    sn_rest_clear_fixed(rest, rest->force);
    return sn_rest_read_rows(rest, error);
}

// ---- springs and pulls ----

sn_status sn_rest_find_end(const sn_rest *rest, sn_body body, sn_vec3 local, sn_rest_end *end,
                           sn_error *error)
{
    sn_world *world = rest->world;
    const sn_body_record *record = sn_world_body_record(world, body);
    sn_vec3 velocity;
    *end = (sn_rest_end){.ref = {-1, -1, 0}, .point = local};
    if (record == NULL) {
        return SN_OK;
    }
    sn_world_body_point(world, record, local, &end->point, &velocity);
    if (record->type != SN_BODY_ELASTIC) {
        end->ref = record->agent;
        return SN_OK;
    }
    sn_elastic_point point;
    sn_status status = sn_elastic_find_point(world->sets[record->agent.set], record->agent.agent,
                                             local, &point, error);
    for (int i = 0; status == SN_OK && i < point.count; ++i) {
        end->nodes[i] = rest->bodies[record->agent.agent].first + point.vertices[i];
        end->weights[i] = point.weights[i];
        end->count = i + 1;
    }
    return status;
}

void sn_rest_add_block(sn_rest *rest, double *values, int a, int b, double scale,
                       const sn_mat3 *block)
{
    int row = a > b ? a : b, column = a > b ? b : a;
    int low = rest->starts[row], high = rest->starts[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rest->columns[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    double *at = values + 9 * (size_t)low;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            at[3 * i + k] += scale * (a >= b ? block->m[i][k] : block->m[k][i]);
        }
    }
}

static void add_within(sn_rest *rest, const sn_rest_end *end, const sn_mat3 *block)
{
    for (int i = 0; i < end->count; ++i) {
        for (int k = 0; k <= i; ++k) {
            sn_rest_add_block(rest, rest->base, end->nodes[i], end->nodes[k],
                              end->weights[i] * end->weights[k], block);
        }
    }
}

// The border of vertices by what their spring's other end does, which a rigid part moves.
static void add_across(sn_rest *rest, const sn_rest_end *soft, const sn_rest_end *rigid,
                       const sn_mat3 *block)
{
    size_t n = (size_t)rest->n;
    double *row = rest->scratch;
    for (int k = 0; k < 3; ++k) {
        memset(row, 0, n * sizeof *row);
        add_force(rest, rigid->ref, rigid->point, sn_vec3_make(k == 0, k == 1, k == 2), row);
        for (int i = 0; i < soft->count; ++i) {
            double *at = rest->sprung + (size_t)rest->slot[soft->nodes[i]] * n * 3;
            for (size_t j = 0; j < n; ++j) {
                for (size_t c = 0; c < 3; ++c) {
                    at[3 * j + c] -= soft->weights[i] * row[j] * block->m[k][c];
                }
            }
        }
    }
}

// With T the tension and e the direction, k e e^T + T/L (1 - e e^T) on the distance of the ends.
static sn_status add_spring(sn_rest *rest, const sn_spring_def *spring, sn_error *error)
{
    sn_rest_end ends[2];
    sn_status status = sn_rest_find_end(rest, spring->body_a, spring->point_a, &ends[0], error);
    if (status == SN_OK) {
        status = sn_rest_find_end(rest, spring->body_b, spring->point_b, &ends[1], error);
    }
    if (status != SN_OK || (ends[0].count == 0 && ends[1].count == 0)) {
        return status; // between rigid parts: by differences
    }
    sn_spring_state now =
        sn_spring_evaluate(spring->stiffness, 0.0, spring->rest_length, ends[0].point, SN_VEC3_ZERO,
                           ends[1].point, SN_VEC3_ZERO);
    if (!(now.length > 0.0)) {
        return SN_OK;
    }
    const double e[3] = {now.direction.x, now.direction.y, now.direction.z};
    sn_mat3 block;
    double across = now.tension / now.length;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            block.m[i][k] = (spring->stiffness - across) * e[i] * e[k] + across * (i == k);
        }
    }
    add_within(rest, &ends[0], &block);
    add_within(rest, &ends[1], &block);
    for (int i = 0; i < ends[0].count; ++i) {
        for (int k = 0; k < ends[1].count; ++k) {
            sn_rest_add_block(rest, rest->base, ends[0].nodes[i], ends[1].nodes[k],
                              -ends[0].weights[i] * ends[1].weights[k], &block);
        }
    }
    for (int s = 0; s < 2; ++s) {
        if (ends[s].count > 0 && ends[1 - s].ref.agent >= 0) {
            add_across(rest, &ends[s], &ends[1 - s], &block);
        }
    }
    return SN_OK;
}

static sn_status add_pull(sn_rest *rest, const sn_pull_def *pull, sn_error *error)
{
    sn_rest_end end;
    sn_status status = sn_rest_find_end(rest, pull->body, pull->point, &end, error);
    if (status == SN_OK) {
        sn_vec3 all = {pull->stiffness, pull->stiffness, pull->stiffness};
        sn_mat3 block = sn_mat3_diagonal(all);
        add_within(rest, &end, &block);
    }
    return status;
}

// ---- bonds that curve ----

static sn_vec3 place_of(const sn_rest *rest, const sn_bond_record *record, int vertex)
{
    const sn_body_record *body = sn_world_body_record(rest->world, record->body);
    const double *q = sn_agent_q(rest->world->sets[body->agent.set], body->agent.agent);
    return sn_vec3_at(q + (size_t)STRIDE * (size_t)vertex);
}

// e0 . (e1 x e2) with e the edges from the first node: the second derivative by e_k and e_k+1 is
// minus the cross product with the third, and the first node has minus all of them.
static void add_volume(sn_rest *rest, const sn_bond_record *record, int part, double lambda)
{
    const int *nodes = record->item.nodes + 4 * part;
    int first = first_of(rest, record->body);
    sn_vec3 start = place_of(rest, record, nodes[0]);
    for (int k = 0; k < 3; ++k) {
        int a = nodes[k + 1], b = nodes[(k + 1) % 3 + 1];
        sn_mat3 cross =
            sn_mat3_cross(sn_vec3_sub(place_of(rest, record, nodes[(k + 2) % 3 + 1]), start));
        // of (a, b): -cross; K gets -lambda times that, and (0, .), (., 0) the other way
        sn_rest_add_block(rest, rest->base, first + a, first + b, lambda, &cross);
        sn_rest_add_block(rest, rest->base, first + a, first + nodes[0], -lambda, &cross);
        sn_rest_add_block(rest, rest->base, first + nodes[0], first + b, -lambda, &cross);
    }
}

static void add_curvature(sn_rest *rest, int tie)
{
    const sn_bond_record *record = record_of(rest, tie);
    const sn_bond_item *item = &record->item;
    double lambda = rest->lambda[rest->system.rows + tie];
    int part = rest->ties.data[tie].row, first = first_of(rest, record->body);
    if (lambda == 0.0) {
        return;
    }
    if (item->type == SN_BOND_QUADRIC) {
        int node = first + item->vertices[part];
        sn_rest_add_block(rest, rest->base, node, node, -2.0 * lambda, &item->quadric);
    } else if (item->type == SN_BOND_RIGID) {
        sn_mat3 one = sn_mat3_diagonal(sn_vec3_make(1.0, 1.0, 1.0));
        int a = first + item->nodes[2 * part], b = first + item->nodes[2 * part + 1];
        sn_rest_add_block(rest, rest->base, a, a, -lambda, &one);
        sn_rest_add_block(rest, rest->base, b, b, -lambda, &one);
        sn_rest_add_block(rest, rest->base, a, b, lambda, &one);
    } else if (item->type == SN_BOND_VOLUME) {
        add_volume(rest, record, part, lambda);
    }
}

sn_status sn_rest_add_fields(sn_rest *rest, sn_error *error)
{
    const sn_world *world = rest->world;
    memset(rest->sprung, 0, (size_t)rest->slot_count * (size_t)rest->n * 3 * sizeof(double));
    for (int i = 0; i < rest->ties.count; ++i) {
        add_curvature(rest, i);
    }
    for (int i = 0; i < world->field_order.count; ++i) {
        const sn_field_record *field = &world->fields.data[world->field_order.data[i]];
        sn_status status = SN_OK;
        if (sn_field_kind_of(field)->stretches) {
            status = add_spring(rest, &field->spring, error);
        } else if (sn_field_kind_of(field)->pulls) {
            status = add_pull(rest, &field->pull, error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}
