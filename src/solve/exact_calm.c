// The way out where the laws of contact cannot be met, or not be found: things wedged in, or
// friction so large that what it holds presses itself on. Coulomb's bounds, which follow the normal
// impulses, have no potential, and sweeps that chase them may grow without end. With bounds that
// are held (Tresca's friction) the impulses are the least of
//
//     p (J v_0 + (W p) / 2 - target),   p_n >= 0,   |p_t| <= bound
//
// which is kinetic energy but for the targets. Each block alone brings it down, so that nothing can
// grow, whether or not the sweeps get to the end. Bounds are found from normal impulses in between.
// At the end of a step normals have turned, and impulses of its middle may pull along them; what is
// there is not cut, since that alone can throw a needle about.
#include <string.h>

#include "solve/cone.h"
#include "solve/exact_system.h"

enum { CALM_SWEEPS = 60 };

bool sn_exact_calm_begin(sn_exact_system *system)
{
    size_t p = (size_t)system->p.count * sizeof *system->p.data;
    size_t v = (size_t)system->v.count * sizeof *system->v.data;
    if (!sn_array_resize(&system->start_p, system->p.count) ||
        !sn_array_resize(&system->start_v, system->v.count) ||
        !sn_array_resize(&system->free_v, system->v.count) ||
        !sn_array_resize(&system->bound, system->blocks.count)) {
        return false;
    }
    if (p > 0 && v > 0) {
        memcpy(system->start_p.data, system->p.data, p);
        memcpy(system->start_v.data, system->v.data, v);
        memcpy(system->free_v.data, system->v.data, v);
    }
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        if (!block->idle) {
            sn_vec3 taken = sn_vec3_negate(sn_exact_impulse(system, block));
            sn_exact_push_into(system, block, taken, system->free_v.data);
        }
    }
    return true;
}

static sn_vec3 target_of(const sn_exact_system *system, const sn_exact_block *block)
{
    const double *target = system->target.data + block->row;
    return sn_vec3_make(target[0], block->width > 1 ? target[1] : 0.0,
                        block->width > 2 ? target[2] : 0.0);
}

// The largest scaled velocity of all blocks.
static double fastest(const sn_exact_system *system, const double *v)
{
    double most = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        sn_vec3 u = sn_exact_along(system, block, v);
        double speed = block->scale[0] * fabs(u.x);
        double side = block->scale[1] * sqrt(u.y * u.y + u.z * u.z);
        speed = speed > side ? speed : side;
        most = block->idle || speed <= most ? most : speed;
    }
    return most;
}

// Can an impulse of the block along its first row have the sign of the target, and so put energy
// in? Limits that are ahead only take it out.
static bool puts_in(const sn_exact_block *block, double target)
{
    if (block->kind == SN_BLOCK_POINT) {
        return target > 0.0;
    }
    return block->kind == SN_BLOCK_BALL || (target > 0.0 ? block->upper > 0.0 : block->lower < 0.0);
}

// The largest scaled target that puts energy in.
static double strongest_target(const sn_exact_system *system)
{
    double most = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        sn_vec3 target = target_of(system, block);
        double part = puts_in(block, target.x) ? fabs(target.x) : 0.0;
        double side = sqrt(target.y * target.y + target.z * target.z);
        double own = fmax(block->scale[0] * part, block->scale[1] * side);
        most = own > most ? own : most;
    }
    return most;
}

// Work of the impulses from p_0 on, while velocities went from v_0 to v: (p - p_0) J (v + v_0) / 2.
static double work_done(const sn_exact_system *system, const double *p_0, const double *v_0)
{
    double work = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        sn_vec3 mean =
            sn_vec3_scale(0.5, sn_vec3_add(sn_exact_along(system, block, v_0),
                                           sn_exact_along(system, block, system->v.data)));
        double u[SN_BLOCK_ROWS];
        sn_vec3_put(u, mean);
        for (int k = 0; k < block->width && !block->idle; ++k) {
            double p = system->p.data[block->row + k];
            work += (p - (p_0 != NULL ? p_0[block->row + k] : 0.0)) * u[k];
        }
    }
    return work;
}

bool sn_exact_ran_away(const sn_exact_system *system)
{
    bool at_end = system->at_end;
    const double share = 0.1, rounding = 1e-12, many = 10.0, wedged = 1e8;
    const double *p_0 = at_end ? system->start_p.data : NULL;
    const double *v_0 = at_end ? system->start_v.data : system->free_v.data;
    double count = system->blocks.count, target = strongest_target(system), pressed = 0.0;
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        double s = block->scale[0];
        double p = fabs(system->p.data[block->row] - (p_0 != NULL ? p_0[block->row] : 0.0));
        pressed = s > 0.0 && !(p / s <= pressed) ? p / s : pressed;
    }
    double before = fastest(system, v_0), work = work_done(system, p_0, v_0);
    double most =
        many * count * target * target + share * before * before + rounding * pressed * before;
    // Impulses far above what comes in press things against each other that are wedged in.
    bool jams = !(pressed <= wedged * count * (before + target));
    return jams || !(work <= most);
}

// A target that would part two things is not asked for: it may be what cannot be met.
static sn_vec3 calm_target(const sn_exact_system *system, const sn_exact_block *block)
{
    sn_vec3 target = target_of(system, block);
    if (block->kind == SN_BLOCK_POINT) {
        target.x = target.x > 0.0 ? 0.0 : target.x;
    }
    return target;
}

// Where sweeps begin: at the start, unless that is worse than no impulses at all. At the end of a
// step it is how things move, and not for choice.
static void take_start(sn_exact_system *system)
{
    size_t v = (size_t)system->v.count * sizeof *system->v.data;
    double value = 0.0; // of the start, against 0 of no impulses
    memcpy(system->p.data, system->start_p.data, (size_t)system->p.count * sizeof *system->p.data);
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        sn_vec3 before = sn_exact_along(system, block, system->free_v.data),
                after = sn_exact_along(system, block, system->start_v.data);
        sn_vec3 mean = sn_vec3_scale(0.5, sn_vec3_add(before, after));
        sn_vec3 against = sn_vec3_sub(mean, calm_target(system, block));
        value += block->idle ? 0.0 : sn_dot(sn_exact_impulse(system, block), against);
    }
    bool good = system->at_end || value < 0.0;
    memcpy(system->v.data, good ? system->start_v.data : system->free_v.data, v);
    for (int i = 0; i < system->blocks.count && !good; ++i) {
        if (!system->blocks.data[i].idle) {
            sn_exact_put(system, &system->blocks.data[i], SN_VEC3_ZERO);
        }
    }
}

// The bounds of friction by the normal impulses as they are, but none that would cut what is there.
static void find_bounds(sn_exact_system *system)
{
    for (int i = 0; i < system->blocks.count; ++i) {
        const sn_exact_block *block = &system->blocks.data[i];
        sn_vec3 p = sn_exact_impulse(system, block);
        double bound = 0.0, length = 0.0;
        if (block->kind == SN_BLOCK_POINT) {
            length = sqrt(p.y * p.y + p.z * p.z);
            bound = block->friction * (p.x > 0.0 ? p.x : 0.0);
        } else if (block->kind == SN_BLOCK_BALL) {
            length = sn_length(p);
            bound = sn_exact_radius(system, block);
        }
        system->bound.data[i] = bound > length ? bound : length;
    }
}

static double clamp(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

// Two or three rows within a ball, or one within a span.
static sn_vec3 calm_ball(sn_sym3 w, int width, sn_vec3 u, sn_vec3 p, double bound)
{
    sn_vec3 answer = SN_VEC3_ZERO;
    if (width == 1) {
        answer.x = w.xx > 0.0 ? clamp(p.x - u.x / w.xx, -bound, bound) : p.x;
        return answer;
    }
    if (width == 2) {
        w.xz = w.yz = 0.0;
        w.zz = w.xx;
    }
    if (!(w.xx > 0.0) || !(w.yy > 0.0) || !(w.zz > 0.0)) {
        return p;
    }
    sn_ball_solve(&w, sn_vec3_sub(u, sn_sym3_apply(&w, p)), bound, &answer);
    return answer;
}

static void change(sn_exact_system *system, const sn_exact_block *block, sn_vec3 from, sn_vec3 to)
{
    sn_exact_put(system, block, to);
    sn_exact_push(system, block, sn_vec3_sub(to, from));
}

static void calm_block(sn_exact_system *system, const sn_exact_block *block, double bound)
{
    sn_vec3 p = sn_exact_impulse(system, block), u = sn_exact_velocity(system, block);
    if (block->idle || !(block->w.xx > 0.0)) {
        return;
    }
    if (block->kind == SN_BLOCK_BOX) {
        double x = clamp(p.x - u.x / block->w.xx, block->lower, block->upper);
        change(system, block, p, sn_vec3_make(x, 0.0, 0.0));
        return;
    }
    if (block->kind == SN_BLOCK_BALL) {
        change(system, block, p, calm_ball(block->w, block->width, u, p, bound));
        return;
    }
    double unasked = target_of(system, block).x - calm_target(system, block).x;
    double next = p.x - (u.x + unasked) / block->w.xx;
    double least = system->at_end ? fmin(system->start_p.data[block->row], 0.0) : 0.0;
    sn_vec3 pressed = {next > least ? next : least, p.y, p.z};
    change(system, block, p, pressed);
    u = sn_exact_velocity(system, block);
    sn_sym3 w = {.xx = block->w.yy, .xy = block->w.yz, .yy = block->w.zz};
    sn_vec3 side = calm_ball(w, 2, sn_vec3_make(u.y, u.z, 0.0), sn_vec3_make(p.y, p.z, 0.0), bound);
    change(system, block, pressed, sn_vec3_make(pressed.x, side.x, side.y));
}

double sn_exact_calm(sn_exact_system *system)
{
    take_start(system);
    for (int i = 0; i < CALM_SWEEPS; ++i) {
        if (i == 0 || i == CALM_SWEEPS / 3) {
            find_bounds(system);
        }
        for (int k = 0; k < system->blocks.count; ++k) {
            int at = i % 2 == 0 ? k : system->blocks.count - 1 - k;
            calm_block(system, &system->blocks.data[at], system->bound.data[at]);
        }
    }
    return sn_exact_residual(system, NULL);
}
