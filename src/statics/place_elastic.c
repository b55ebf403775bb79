// An elastic body that is held somewhere, bent by a hand at one of its points, without time:
// statics of the change. No vertex but those of the point is to feel another force than where the
// hand took it, f0; Newton's method with the law's positive stiffness K finds where that is so,
//
//     (K + M/T^2) d = f(x) - f0 + S^T l,   S d = e
//
// with S the weights of the point, e the way that is left to its target and l the hand's force. The
// share of M keeps the matrix regular where nothing is stiff, and vanishes with d. Fixed vertices
// stay, and those that bonds hold.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "math/dense.h"
#include "statics/place.h"

enum { MOST_TURNS = 40, MOST_HALVINGS = 10, STRIDE = SN_SOLID_STRIDE };

static const double TIME2 = 1.0;      // s^2: T^2
static const double LONGEST = 0.1;    // of the body's radius: the point's way in one turn
static const double SMALLEST = 1e-6;  // of it: turns that end the search
static const double KEPT_SHARE = 0.2; // of an element's volume, at least

typedef struct bending {
    sn_world *world;
    sn_agent_set *set;
    sn_elastic_item *item;
    sn_threads *threads;
    int agent, count; // numbers: STRIDE a vertex
    sn_elastic_point point;
    sn_vec3 target;
    double *memory;
    double *start_force, *right, *change, *moved; // count
    double *answers[3];                           // count: of a unit force at the point
    uint8_t *fixed;                               // vertices: bits 1, 2, 4
} bending;

static bool make_bending(bending *b)
{
    size_t count = (size_t)b->count, vertices = (size_t)b->item->mass.vertex_count;
    b->memory = sn_allocate_zero((7 * count + 1) * sizeof(double));
    b->fixed = sn_allocate_zero(vertices + 1);
    if (b->memory == NULL || b->fixed == NULL) {
        return false;
    }
    double **vectors[] = {&b->start_force, &b->right,      &b->change,    &b->moved,
                          &b->answers[0],  &b->answers[1], &b->answers[2]};
    for (size_t i = 0; i < 7; ++i) {
        *vectors[i] = b->memory + i * count;
    }
    memcpy(b->fixed, b->item->fixed, vertices);
    return true;
}

static void free_bending(bending *b)
{
    sn_free(b->memory);
    sn_free(b->fixed);
}

// ---- what holds it ----

static bool is_agent(const sn_world *world, sn_body body, int agent)
{
    const sn_body_record *record = sn_world_body_record(world, body);
    return record != NULL && sn_world_traits(world, record->agent.set)->deformable &&
           record->agent.agent == agent;
}

// Vertices of its bonds stay where they are.
static void fix_bonded(bending *b)
{
    const sn_world *world = b->world;
    for (int i = 0; i < world->bonds.order.count; ++i) {
        const sn_bond_record *bond = &world->bonds.records.data[world->bonds.order.data[i]];
        bool ends[2] = {is_agent(world, bond->body, b->agent),
                        is_agent(world, bond->other, b->agent)};
        if (!(ends[0] || ends[1]) || !sn_bond_is_active(bond, world->time)) {
            continue;
        }
        for (int k = 0; k < sn_bond_row_count(&bond->item); ++k) {
            sn_bond_view view = sn_world_bond_view(world, bond, k, world->time);
            sn_bond_row row;
            sn_bond_read_row(&bond->item, k, &view, &row);
            for (int t = 0; t < row.count; ++t) {
                if (row.terms[t].vertex >= 0 && ends[row.terms[t].end]) {
                    b->fixed[row.terms[t].vertex] = 7;
                }
            }
        }
    }
}

static void clear_fixed(const bending *b, double *x)
{
    for (int i = 0; i < b->count; ++i) {
        bool held = i % STRIDE < 3 && (b->fixed[i / STRIDE] >> (i % STRIDE) & 1) != 0;
        x[i] = held ? 0.0 : x[i];
    }
}

static sn_vec3 at_point(const bending *b, const double *x)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = 0; i < b->point.count; ++i) {
        sum = sn_vec3_add_scaled(sum, b->point.weights[i],
                                 sn_vec3_at(x + STRIDE * b->point.vertices[i]));
    }
    return sum;
}

// ---- a turn ----

static sn_status solve(const bending *b, double *x, sn_error *error)
{
    memset(x, 0, (size_t)b->count * sizeof *x);
    clear_fixed(b, b->right);
    sn_status status = sn_linear_solve(b->item->linear, b->threads, b->right, x, error);
    return status == SN_ERROR_MEMORY ? status : SN_OK; // an approximate solution is good enough
}

// The change without a hand, and what a force at the point adds along each axis.
static sn_status find_answers(bending *b, const double *x, sn_error *error)
{
    sn_elastic_item *item = b->item;
    sn_solid_set_damping(item->solid, 1.0, 0.0, NULL, 0, false);
    sn_status status =
        sn_solid_linearise(item->solid, b->threads, x, SN_STIFFNESS_PROJECTED, error);
    if (status == SN_OK) {
        sn_linear_begin(item->linear, b->threads, 1.0, TIME2);
        status = sn_linear_finish(item->linear, b->threads, b->fixed, x, error);
    }
    if (status == SN_OK) {
        memset(b->right, 0, (size_t)b->count * sizeof *b->right);
        sn_solid_add_forces(item->solid, b->threads, x, b->right);
        for (int i = 0; i < b->count; ++i) {
            b->right[i] = TIME2 * (b->right[i] - b->start_force[i]);
        }
        status = solve(b, b->change, error);
    }
    for (int axis = 0; axis < 3 && status == SN_OK; ++axis) {
        sn_vec3 force = {axis == 0, axis == 1, axis == 2};
        memset(b->right, 0, (size_t)b->count * sizeof *b->right);
        sn_elastic_push(&b->point, force, b->right);
        status = solve(b, b->answers[axis], error);
    }
    return status;
}

// Adds the hand's part, so that the point goes by e. False: it is held.
static bool add_hand(bending *b, sn_vec3 e)
{
    double matrix[9], force[3];
    int swaps[3];
    for (int axis = 0; axis < 3; ++axis) {
        sn_vec3 moves = at_point(b, b->answers[axis]);
        matrix[axis] = moves.x;
        matrix[3 + axis] = moves.y;
        matrix[6 + axis] = moves.z;
    }
    sn_vec3_put(force, sn_vec3_sub(e, at_point(b, b->change)));
    if (!sn_lu_factor(3, matrix, swaps)) {
        return false;
    }
    sn_lu_solve(3, matrix, swaps, force);
    for (int i = 0; i < b->count; ++i) {
        b->change[i] +=
            force[0] * b->answers[0][i] + force[1] * b->answers[1][i] + force[2] * b->answers[2][i];
    }
    return true;
}

static double largest(int count, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = fabs(x[i]) <= most ? most : fabs(x[i]);
    }
    return most;
}

// Along the change, as far as no element loses much of its volume. Gives the largest way of a
// coordinate; 0: nothing could be moved.
static double go(bending *b, double *x)
{
    int inverted = sn_solid_count_inverted(b->item->solid, b->threads, x);
    double share = 1.0;
    for (int halving = 0; halving < MOST_HALVINGS; ++halving) {
        for (int i = 0; i < b->count; ++i) {
            b->moved[i] = x[i] + share * b->change[i];
        }
        double safe = sn_solid_safe_share(b->item->solid, b->threads, x, b->moved, KEPT_SHARE);
        if (safe == 1.0 &&
            sn_solid_count_inverted(b->item->solid, b->threads, b->moved) <= inverted) {
            memcpy(x, b->moved, (size_t)b->count * sizeof *x);
            return share * largest(b->count, b->change);
        }
        share *= 0.5;
    }
    return 0.0;
}

static sn_status bend(bending *b, double *x, sn_error *error)
{
    double radius = b->item->radius;
    for (int turn = 0; turn < MOST_TURNS; ++turn) {
        sn_vec3 e = sn_vec3_sub(b->target, at_point(b, x));
        double way = sn_length(e);
        e = way > LONGEST * radius ? sn_vec3_scale(LONGEST * radius / way, e) : e;
        sn_status status = find_answers(b, x, error);
        if (status != SN_OK) {
            return status;
        }
        if (!add_hand(b, e) || !isfinite(largest(b->count, b->change)) ||
            go(b, x) < SMALLEST * radius) {
            break;
        }
    }
    return SN_OK;
}

sn_status sn_world_bend_elastic(sn_world *world, int agent, sn_vec3 local, sn_vec3 target,
                                sn_error *error)
{
    sn_agent_set *set = &world->elastics.agents;
    sn_elastic_item *item = world->elastics.items[agent];
    bending b = {.world = world,
                 .set = set,
                 .item = item,
                 .threads = world->elastics.agents.threads,
                 .agent = agent,
                 .count = STRIDE * item->mass.vertex_count,
                 .target = target};
    double *x = sn_agent_q(set, agent);
    sn_status status = sn_elastic_find_point(set, agent, local, &b.point, error);
    if (status == SN_OK && !make_bending(&b)) {
        status = sn_fail_memory(error, (size_t)b.count * sizeof(double));
    }
    if (status == SN_OK) {
        sn_elastic_follow_flow(set, agent);
        fix_bonded(&b);
        sn_solid_add_forces(item->solid, b.threads, x, b.start_force);
        status = bend(&b, x, error);
        memset(sn_agent_v(set, agent), 0, (size_t)set->agents[agent].v_count * sizeof(double));
    }
    free_bending(&b);
    return status;
}
