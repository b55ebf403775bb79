#include "agent/elastic/elastic_bond.h"

#include <math.h>

#include "elastic/solid.h"

enum { STRIDE = SN_SOLID_STRIDE };

static sn_vec3 axis(int index)
{
    return sn_vec3_make(index == 0, index == 1, index == 2);
}

static sn_vec3 at(const double *numbers, int vertex)
{
    return sn_vec3_at(numbers + STRIDE * vertex);
}

static void add_term(sn_bond_row *row, int end, int vertex, sn_vec3 gradient)
{
    row->terms[row->count].end = end;
    row->terms[row->count].vertex = vertex;
    row->terms[row->count++].gradient = gradient;
}

static int bit_count(uint8_t bits)
{
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1);
}

int sn_bond_row_count(const sn_bond_item *bond)
{
    switch (bond->type) {
    case SN_BOND_COORDINATES:
        return bond->vertex_count * bit_count(bond->coordinates);
    case SN_BOND_PATH:
    case SN_BOND_ATTACHED:
        return 3 * bond->vertex_count;
    case SN_BOND_PLANE:
    case SN_BOND_QUADRIC:
        return bond->vertex_count;
    case SN_BOND_POINT:
        return 3;
    case SN_BOND_RIGID:
    case SN_BOND_VOLUME:
        return bond->part_count;
    default:
        return 12; // a junction
    }
}

double sn_bond_along_at(const sn_bond_along *along, double time, double *rate)
{
    if (along->rate == 0.0) {
        *rate = 1.0;
        return time;
    }
    double way = along->target - along->from, gone = along->rate * (time - along->since);
    bool there = !(gone < fabs(way));
    *rate = there ? 0.0 : copysign(along->rate, way);
    return there ? along->target : along->from + copysign(gone, way);
}

sn_vec3 sn_bond_row_local(const sn_bond_item *bond, int row)
{
    return bond->type == SN_BOND_ATTACHED ? bond->anchors[row / 3].local : bond->ends[1].local;
}

static int nth_bit(uint8_t bits, int n)
{
    int index = 0;
    for (;; ++index) {
        if (bits >> index & 1 && n-- == 0) {
            return index;
        }
    }
}

static void read_coordinate(const sn_bond_item *bond, int index, const sn_bond_view *view,
                            sn_bond_row *row)
{
    int each = bond->type == SN_BOND_PATH ? 3 : bit_count(bond->coordinates);
    int number = index / each, vertex = bond->vertices[number];
    int k = bond->type == SN_BOND_PATH ? index % 3 : nth_bit(bond->coordinates, index % each);
    row->value =
        sn_vec3_component(at(view->x, vertex), k) - sn_vec3_component(bond->starts[number], k);
    if (bond->type == SN_BOND_PATH) {
        double rate, along = sn_bond_along_at(&bond->along, view->time, &rate);
        sn_motion_state path = sn_motion_at(bond->path[k], along);
        row->value -= path.value - sn_vec3_component(bond->starts[0], k);
        row->rate = -path.rate * rate;
        row->acceleration = -path.acceleration * rate * rate;
    }
    add_term(row, 0, vertex, axis(k));
}

static void read_surface(const sn_bond_item *bond, int index, const sn_bond_view *view,
                         sn_bond_row *row)
{
    int vertex = bond->vertices[index];
    sn_vec3 x = at(view->x, vertex), v = at(view->v, vertex);
    if (bond->type == SN_BOND_PLANE) {
        row->value = sn_dot(bond->normal, x) - bond->offset;
        add_term(row, 0, vertex, bond->normal);
        return;
    }
    sn_vec3 q = sn_mat3_apply(bond->quadric, x);
    row->value = sn_dot(x, q) + sn_dot(bond->linear, x) + bond->constant;
    row->acceleration = 2.0 * sn_dot(v, sn_mat3_apply(bond->quadric, v));
    add_term(row, 0, vertex, sn_vec3_add(sn_vec3_scale(2.0, q), bond->linear));
}

// One side of an attachment: 0 the body, 1 the other, with the opposite sign.
static void read_end(const sn_bond_end *end, int side, int k, const sn_bond_view *view,
                     sn_bond_row *row)
{
    double sign = side == 0 ? 1.0 : -1.0;
    const double *x = side == 0 ? view->x : view->other_x;
    for (int i = 0; i < end->count; ++i) {
        row->value += sign * end->weights[i] * sn_vec3_component(at(x, end->vertices[i]), k);
        add_term(row, side, end->vertices[i], sn_vec3_scale(sign * end->weights[i], axis(k)));
    }
    if (end->count == 0) {
        row->value += sign * sn_vec3_component(view->point, k);
        row->acceleration += sign * sn_vec3_component(view->point_acceleration, k);
        add_term(row, side, -1, sn_vec3_scale(sign, axis(k)));
    }
}

static void read_point(const sn_bond_item *bond, int k, const sn_bond_view *view, sn_bond_row *row)
{
    read_end(&bond->ends[0], 0, k, view, row);
    read_end(&bond->ends[1], 1, k, view, row);
}

static void read_attached(const sn_bond_item *bond, int index, const sn_bond_view *view,
                          sn_bond_row *row)
{
    int vertex = bond->vertices[index / 3], k = index % 3;
    row->value = sn_vec3_component(at(view->x, vertex), k);
    add_term(row, 0, vertex, axis(k));
    read_end(&bond->anchors[index / 3], 1, k, view, row);
}

static void read_edge(const sn_bond_item *bond, int index, const sn_bond_view *view,
                      sn_bond_row *row)
{
    int a = bond->nodes[2 * index], b = bond->nodes[2 * index + 1];
    sn_vec3 edge = sn_vec3_sub(at(view->x, b), at(view->x, a));
    sn_vec3 rate = sn_vec3_sub(at(view->v, b), at(view->v, a));
    row->value = 0.5 * (sn_dot(edge, edge) - bond->lengths[index]);
    row->acceleration = sn_dot(rate, rate);
    add_term(row, 0, a, sn_vec3_negate(edge));
    add_term(row, 0, b, edge);
}

static void read_volume(const sn_bond_item *bond, int index, const sn_bond_view *view,
                        sn_bond_row *row)
{
    const int *nodes = bond->nodes + 4 * index;
    sn_vec3 e[3], u[3], sum = SN_VEC3_ZERO;
    for (int k = 0; k < 3; ++k) {
        e[k] = sn_vec3_sub(at(view->x, nodes[k + 1]), at(view->x, nodes[0]));
        u[k] = sn_vec3_sub(at(view->v, nodes[k + 1]), at(view->v, nodes[0]));
    }
    row->value = sn_dot(e[0], sn_cross(e[1], e[2])) - bond->lengths[index];
    row->acceleration =
        2.0 * (sn_dot(u[0], sn_cross(u[1], e[2])) + sn_dot(u[0], sn_cross(e[1], u[2])) +
               sn_dot(e[0], sn_cross(u[1], u[2])));
    for (int k = 0; k < 3; ++k) {
        sn_vec3 face = sn_cross(e[(k + 1) % 3], e[(k + 2) % 3]);
        add_term(row, 0, nodes[k + 1], face);
        sum = sn_vec3_add(sum, face);
    }
    add_term(row, 0, nodes[0], sn_vec3_negate(sum));
}

// A corner of the body's element less its place in the other's.
static void read_junction(const sn_bond_item *bond, int index, const sn_bond_view *view,
                          sn_bond_row *row)
{
    int corner = index / 3, k = index % 3;
    row->value = sn_vec3_component(at(view->x, bond->nodes[corner]), k);
    add_term(row, 0, bond->nodes[corner], axis(k));
    for (int i = 0; i < 4; ++i) {
        double weight = bond->weights[4 * corner + i];
        row->value -= weight * sn_vec3_component(at(view->other_x, bond->nodes[4 + i]), k);
        add_term(row, 1, bond->nodes[4 + i], sn_vec3_scale(-weight, axis(k)));
    }
}

void sn_bond_read_row(const sn_bond_item *bond, int index, const sn_bond_view *view,
                      sn_bond_row *row)
{
    *row = (sn_bond_row){0};
    switch (bond->type) {
    case SN_BOND_COORDINATES:
    case SN_BOND_PATH:
        read_coordinate(bond, index, view, row);
        break;
    case SN_BOND_PLANE:
    case SN_BOND_QUADRIC:
        read_surface(bond, index, view, row);
        break;
    case SN_BOND_ATTACHED:
        read_attached(bond, index, view, row);
        break;
    case SN_BOND_POINT:
        read_point(bond, index, view, row);
        break;
    case SN_BOND_RIGID:
        read_edge(bond, index, view, row);
        break;
    case SN_BOND_VOLUME:
        read_volume(bond, index, view, row);
        break;
    default:
        read_junction(bond, index, view, row);
    }
}
