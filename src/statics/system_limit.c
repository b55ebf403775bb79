// Hard limits of a system as an active set: which of them press; declared in world/system.h.
#include <math.h>

#include "math/rotation.h"
#include "statics/system.h"

static sn_quat quat_at(const double *q)
{
    return (sn_quat){q[0], q[1], q[2], q[3]};
}

bool sn_system_add_limits(const sn_articulation *item, int q, int v, sn_system_limit_list *limits)
{
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        bool ball = link->joint == SN_TREE_BALL;
        for (int k = 0; k < (ball ? 1 : sn_tree_joint_v(link->joint)); ++k) {
            const sn_limit_def *limit = &item->freedoms[link->v + k].limit;
            sn_system_limit made = {.v = v + link->v + k,
                                    .q = q + link->q + k,
                                    .ball = ball,
                                    .lower = ball ? -INFINITY : limit->lower,
                                    .upper = limit->upper,
                                    .locked = !ball && limit->lower == limit->upper};
            made.side = made.locked ? 1 : 0;
            bool hard = limit->stiffness == 0.0 && (isfinite(made.lower) || isfinite(made.upper));
            if (hard && !sn_array_push(limits, made)) {
                return false;
            }
        }
    }
    return true;
}

void sn_system_limit_row(const sn_system_limit *limit, const double *own, double *row, double *gap)
{
    double end = limit->side > 0 ? limit->upper : limit->lower;
    if (!limit->ball) {
        row[limit->v] = 1.0;
        *gap = own[0] - end;
        return;
    }
    sn_vec3 turn = sn_quat_log(sn_quat_normalize(quat_at(own)));
    double angle = sn_length(turn);
    *gap = angle - end;
    if (angle > 0.0) {
        sn_vec3_put(row + limit->v, sn_vec3_scale(1.0 / angle, turn));
    }
}

double sn_system_limit_position(const sn_system_limit *limit, const double *q)
{
    const double *own = q + limit->q;
    return limit->ball ? sn_length(sn_quat_log(sn_quat_normalize(quat_at(own)))) : own[0];
}

void sn_system_press(sn_system *system, int limit, int side)
{
    bool locked = system->limits.data[limit].locked;
    system->limits.data[limit].side = locked ? 1 : side;
    system->rows = system->tie_rows;
    for (int i = 0; i < system->limits.count; ++i) {
        system->rows += system->limits.data[i].side != 0;
    }
}

bool sn_system_rests_on(const sn_system_limit *limit)
{
    return limit->side != 0 && !limit->locked;
}

int sn_system_pulling_limit(const sn_system *system, const double *lambda, double *strength)
{
    int row = system->tie_rows, worst = -1;
    *strength = 0.0;
    for (int i = 0; i < system->limits.count; ++i) {
        int side = system->limits.data[i].side;
        if (side == 0) {
            continue;
        }
        double pull = system->scale[row] > 0.0 ? side * lambda[row] / system->scale[row] : 0.0;
        if (pull > *strength && !system->limits.data[i].locked) {
            *strength = pull;
            worst = i;
        }
        row += 1;
    }
    return worst;
}

sn_status sn_system_find_pressed(sn_system *system, const double *q, double *push, double *lambda,
                                 double *left, sn_error *error)
{
    for (int i = 0; i < system->limits.count; ++i) {
        const sn_system_limit *limit = &system->limits.data[i];
        double position = sn_system_limit_position(limit, q), near = 1e-9 * system->reach[limit->v];
        int side = position >= limit->upper - near ? 1 : (position <= limit->lower + near ? -1 : 0);
        sn_system_press(system, i, side);
    }
    for (;;) {
        double strength;
        sn_status status = sn_system_factor(system, SN_METRIC_MASS, error);
        if (status != SN_OK) {
            return status;
        }
        sn_system_push(system, push);
        sn_system_balance(system, push, lambda, left);
        int pulling = sn_system_pulling_limit(system, lambda, &strength);
        if (pulling < 0) {
            return SN_OK;
        }
        sn_system_press(system, pulling, 0);
    }
}

// ---- on a way ----

// The part of the way d from q after which a limit that does not press is passed; 1: none is.
static double part_to_limit(const sn_system *system, const sn_system_limit *limit, const double *q,
                            const double *d, double *moved)
{
    double start = sn_system_limit_position(limit, q), low = 0.0, high = 1.0;
    sn_system_move(system, q, d, 1.0, moved);
    double end = sn_system_limit_position(limit, moved);
    if (end <= limit->upper && end >= limit->lower) {
        return 1.0;
    }
    if (!limit->ball) {
        double bound = end > limit->upper ? limit->upper : limit->lower;
        return fmax(0.0, (bound - start) / (end - start));
    }
    for (int turn = 0; turn < 60; ++turn) {
        double middle = 0.5 * (low + high);
        sn_system_move(system, q, d, middle, moved);
        bool inside = sn_system_limit_position(limit, moved) <= limit->upper;
        low = inside ? middle : low;
        high = inside ? high : middle;
    }
    return low;
}

double sn_system_cut_at_limits(sn_system *system, const double *q, const double *d, double *moved)
{
    double part = 1.0;
    int first = -1;
    for (int i = 0; i < system->limits.count; ++i) {
        if (system->limits.data[i].side == 0) {
            double own = part_to_limit(system, &system->limits.data[i], q, d, moved);
            if (own < part) {
                part = own;
                first = i;
            }
        }
    }
    if (first >= 0) {
        const sn_system_limit *limit = &system->limits.data[first];
        sn_system_move(system, q, d, 1.0, moved);
        sn_system_press(system, first,
                        sn_system_limit_position(limit, moved) > limit->upper ? 1 : -1);
    }
    return part;
}

bool sn_system_press_crossed(sn_system *system, const double *q)
{
    bool any = false;
    for (int i = 0; i < system->limits.count; ++i) {
        const sn_system_limit *limit = &system->limits.data[i];
        double position = sn_system_limit_position(limit, q),
               slack = 1e-12 * system->reach[limit->v];
        if (limit->side == 0 &&
            (position > limit->upper + slack || position < limit->lower - slack)) {
            sn_system_press(system, i, position > limit->upper ? 1 : -1);
            any = true;
        }
    }
    return any;
}
