#include "solve/seed_impulse.h"

#include <string.h>

#include "math/dense.h"
#include "solve/point_impact.h"

// Unknowns are numbered 4 block + axis; axis SLIDE: along the edge of the cone.
enum { AXES = 4, SLIDE = 3 };

// What is known of a contact, in the scratch of its three rows.
enum { AWAY = 0, STRUCK = 1, LET_GO = 2 };

typedef struct notes {
    double *mark;     // AWAY, ...
    double *slides;   // 1: it does, 0: it sticks
    double *switches; // how often that has been changed
    double *speed;    // along the normal, at the end
    double *edge;     // 2: tangential impulse for a unit of the normal one, of what slides
    double *slip;     // 2: tangential velocity at the end, as predicted
} notes;

static notes notes_of(const sn_exact_system *system, int block)
{
    int row = system->blocks.data[block].row;
    double *state = system->kept_p.data + row, *step = system->step.data + row;
    return (notes){state, state + 1, state + 2, step, step + 1, system->centre.data + row + 1};
}

// The impulse of one unit of an unknown.
static sn_vec3 direction_of(const sn_exact_system *system, int unknown)
{
    int axis = unknown % AXES;
    if (axis == SLIDE) {
        const double *edge = notes_of(system, unknown / AXES).edge;
        return sn_vec3_make(1.0, edge[0], edge[1]);
    }
    return sn_vec3_make(axis == 0, axis == 1, axis == 2);
}

// Follows the blow at one contact as if it were alone. A target at the end of a step is the speed
// of the rebound, by which velocities there are less.
static void predict(const sn_exact_system *system, int index)
{
    const sn_exact_block *block = &system->blocks.data[index];
    notes own = notes_of(system, index);
    sn_vec3 u = sn_exact_velocity(system, block);
    double back = system->at_end ? system->target.data[block->row] : 0.0, restitution = 0.0;
    if (back > 0.0 && u.x + back < 0.0) {
        u.x += back;
        restitution = fmin(1.0, -back / u.x);
    } else {
        back = 0.0;
    }
    sn_point_impact hit = sn_point_impact_find(&block->w, u, block->friction, restitution);
    double share = hit.impulse.x > 0.0 ? 1.0 / hit.impulse.x : 0.0;
    *own.mark = AWAY;
    *own.slides = !hit.sticks;
    *own.switches = 0.0;
    *own.speed = restitution > 0.0 ? hit.velocity.x - back : 0.0;
    own.edge[0] = share * hit.impulse.y;
    own.edge[1] = share * hit.impulse.z;
    own.slip[0] = hit.velocity.y;
    own.slip[1] = hit.velocity.z;
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
        if (is_point(block) && *notes_of(system, i).mark == AWAY &&
            sn_exact_velocity(system, block).x < -least) {
            *notes_of(system, i).mark = STRUCK;
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
        if (!is_point(block) || *notes_of(system, i).mark != STRUCK) {
            continue;
        }
        if (*notes_of(system, i).slides != 0.0) {
            system->active.data[count++] = AXES * i + SLIDE;
            continue;
        }
        for (int axis = 0; axis < SLIDE; ++axis) {
            system->active.data[count++] = AXES * i + axis;
        }
    }
    return count;
}

// Row of the linear system: the velocity along it must become 0, or that of the rebound.
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
        u.x -= *notes_of(system, unknown / AXES).speed;
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
            *notes_of(system, unknown / AXES).mark = LET_GO;
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

// Contacts do not strike alone. What sticks with more than friction can give slides, with as much
// of it as there is; what slides against where it was to slide has stopped, and sticks.
static bool correct(sn_exact_system *system)
{
    enum { MOST_SWITCHES = 3 };
    const double play = 1e-9;
    bool any = false;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        notes own = is_point(block) ? notes_of(system, i) : (notes){0};
        if (own.mark == NULL || *own.mark != STRUCK || *own.switches >= MOST_SWITCHES) {
            continue;
        }
        sn_vec3 p = sn_exact_impulse(system, block), u = sn_exact_velocity(system, block);
        double pull = sqrt(p.y * p.y + p.z * p.z), slip = own.slip[0] * u.y + own.slip[1] * u.z;
        if (*own.slides == 0.0 && pull > block->friction * p.x * (1.0 + play)) {
            own.edge[0] = block->friction * p.y / pull;
            own.edge[1] = block->friction * p.z / pull;
            own.slip[0] = -p.y;
            own.slip[1] = -p.z;
        } else if (*own.slides == 0.0 || block->friction == 0.0 || !(slip < 0.0)) {
            continue;
        }
        *own.slides = *own.slides == 0.0;
        *own.switches += 1.0;
        any = true;
    }
    return any;
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
        if (is_point(&system->blocks.data[i])) {
            predict(system, i);
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
            again = correct(system) || again;
        }
    }
    effort->residual = sn_exact_residual(system, NULL);
    return true;
}

bool sn_seed_impulse_gained(const sn_exact_system *system)
{
    double work = 0.0, size = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (!is_point(block)) {
            continue;
        }
        const double *target = system->target.data + block->row;
        sn_vec3 p = sn_exact_impulse(system, block), sliding = {0.0, target[1], target[2]};
        sn_vec3 before = sn_vec3_sub(sn_exact_along(system, block, system->free_v.data), sliding);
        sn_vec3 after = sn_vec3_sub(sn_exact_along(system, block, system->v.data), sliding);
        work += 0.5 * sn_dot(p, sn_vec3_add(before, after));
        size += fabs(sn_dot(p, before));
    }
    return !(work <= 1e-9 * size);
}
