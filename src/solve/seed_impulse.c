#include "solve/seed_impulse.h"

#include <string.h>

#include "math/dense.h"

bool sn_seed_impulse_slides(const sn_sym3 *k, double friction)
{
    sn_sym3 inverse;
    if (!sn_sym3_inverse(k, &inverse)) {
        return true;
    }
    double side = inverse.xy * inverse.xy + inverse.xz * inverse.xz;
    return side > friction * friction * inverse.xx * inverse.xx;
}

// Unknowns are numbered 4 block + axis; axis SLIDE: along the edge of the cone.
enum { AXES = 4, SLIDE = 3 };

// The impulse of one unit of an unknown. Edges of the cone are kept in `step`, by rows.
static sn_vec3 direction_of(const sn_exact_system *system, int unknown)
{
    const sn_exact_block *block = &system->blocks.data[unknown / AXES];
    int axis = unknown % AXES;
    if (axis == SLIDE) {
        return sn_vec3_at(system->step.data + block->row);
    }
    return sn_vec3_make(axis == 0, axis == 1, axis == 2);
}

// Against the way it slides, or where it does not move yet, as the sticking impulse would go.
static sn_vec3 cone_edge(const sn_exact_block *block, sn_vec3 u)
{
    double y = -u.y, z = -u.z, length = sqrt(y * y + z * z);
    if (!(length > 1e-12 * fabs(u.x))) {
        sn_sym3 inverse;
        bool sound = sn_sym3_inverse(&block->w, &inverse);
        y = sound ? inverse.xy : 0.0;
        z = sound ? inverse.xz : 0.0;
        length = sqrt(y * y + z * z);
    }
    double share = length > 0.0 ? block->friction / length : 0.0;
    return sn_vec3_make(1.0, share * y, share * z);
}

// What is known of a contact, by its first row in `kept_p`.
enum { AWAY = 0, STRUCK = 1, LET_GO = 2 };

static double *mark_of(const sn_exact_system *system, int block)
{
    return &system->kept_p.data[system->blocks.data[block].row];
}

static bool is_point(const sn_exact_block *block)
{
    return block->kind == SN_BLOCK_POINT && !block->idle && block->scale[0] > 0.0;
}

// Marks the contacts that approach faster than `least` and were not let go; their number.
static int mark_struck(sn_exact_system *system, double least)
{
    int count = 0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (is_point(block) && *mark_of(system, i) == AWAY &&
            sn_exact_velocity(system, block).x < -least) {
            *mark_of(system, i) = STRUCK;
            ++count;
        }
    }
    return count;
}

static double fastest_approach(const sn_exact_system *system)
{
    double most = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        double speed = is_point(block) ? -sn_exact_velocity(system, block).x : 0.0;
        most = speed > most ? speed : most;
    }
    return most;
}

static int list_unknowns(sn_exact_system *system)
{
    int count = 0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (!is_point(block) || *mark_of(system, i) != STRUCK) {
            continue;
        }
        if (sn_seed_impulse_slides(&block->w, block->friction)) {
            system->active.data[count++] = AXES * i + SLIDE;
            continue;
        }
        for (int axis = 0; axis < SLIDE; ++axis) {
            system->active.data[count++] = AXES * i + axis;
        }
    }
    return count;
}

// Row of the linear system: the velocity along it must become 0.
static sn_vec3 row_of(int unknown)
{
    int axis = unknown % AXES;
    return sn_vec3_make(axis == 0 || axis == SLIDE, axis == 1, axis == 2);
}

// Fills and solves the system of the unknowns in `active`; the answers are in `right`. Redundant
// contacts share by a small shift of the diagonal.
static bool solve_unknowns(sn_exact_system *system, int count)
{
    const double shift = 1e-10;
    double *change = system->kept_v.data;
    for (int column = 0; column < count; ++column) {
        int unknown = system->active.data[column];
        memset(change, 0, (size_t)system->v.count * sizeof *change);
        sn_exact_push_into(system, &system->blocks.data[unknown / AXES],
                           direction_of(system, unknown), change);
        for (int row = 0; row < count; ++row) {
            int other = system->active.data[row];
            sn_vec3 u = sn_exact_along(system, &system->blocks.data[other / AXES], change);
            system->factor.data[row * count + column] = sn_dot(row_of(other), u);
        }
        system->factor.data[column * count + column] *= 1.0 + shift;
    }
    for (int row = 0; row < count; ++row) {
        int unknown = system->active.data[row];
        sn_vec3 u = sn_exact_velocity(system, &system->blocks.data[unknown / AXES]);
        system->right.data[row] = -sn_dot(row_of(unknown), u);
    }
    if (!sn_lu_factor(count, system->factor.data, system->swaps.data)) {
        return false;
    }
    sn_lu_solve(count, system->factor.data, system->swaps.data, system->right.data);
    return true;
}

static bool is_normal(int unknown)
{
    return unknown % AXES == 0 || unknown % AXES == SLIDE;
}

// Lets the contacts go that would be pulled; true when there were any.
static bool let_go(sn_exact_system *system, int count)
{
    bool any = false;
    for (int i = 0; i < count; ++i) {
        int unknown = system->active.data[i];
        if (is_normal(unknown) && system->right.data[i] < 0.0) {
            *mark_of(system, unknown / AXES) = LET_GO;
            any = true;
        }
    }
    return any;
}

static void apply(sn_exact_system *system, int count)
{
    for (int i = 0; i < count; ++i) {
        int unknown = system->active.data[i];
        const sn_exact_block *block = &system->blocks.data[unknown / AXES];
        sn_vec3 p = sn_vec3_scale(system->right.data[i], direction_of(system, unknown));
        sn_exact_put(system, block, sn_vec3_add(sn_exact_impulse(system, block), p));
        sn_exact_push(system, block, p);
    }
}

// Back to no impulses at all.
static void start_anew(sn_exact_system *system)
{
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (is_point(block)) {
            sn_vec3 p = sn_exact_impulse(system, block);
            sn_exact_push(system, block, sn_vec3_negate(p));
            sn_exact_put(system, block, SN_VEC3_ZERO);
        }
    }
}

bool sn_seed_impulse_solve(sn_exact_system *system, sn_exact_effort *effort)
{
    enum { MOST_ROUNDS = 50 };
    *effort = (sn_exact_effort){0};
    if (!sn_exact_newton_reserve(system) ||
        !sn_array_resize(&system->active, AXES * system->blocks.count)) {
        return false;
    }
    start_anew(system);
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (is_point(block)) {
            sn_vec3 edge = cone_edge(block, sn_exact_velocity(system, block));
            sn_vec3_put(system->step.data + block->row, edge);
            *mark_of(system, i) = AWAY;
        }
    }
    effort->converged = true;
    double least = 1e-9 * fastest_approach(system);
    bool again = mark_struck(system, 0.0) > 0;
    while (again && effort->newton_steps < MOST_ROUNDS) {
        start_anew(system);
        int count = list_unknowns(system);
        effort->converged = count == 0 || solve_unknowns(system, count);
        ++effort->newton_steps;
        if (!effort->converged) {
            break;
        }
        again = let_go(system, count);
        if (!again) {
            apply(system, count);
            again = mark_struck(system, least) > 0;
        }
    }
    effort->residual = sn_exact_residual(system, NULL);
    return true;
}
