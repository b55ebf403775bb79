// The energy that a step gains beyond the work of what was pushed: see sn_tree_step_gain.
#include <float.h>

#include "agent/tree_step.h"

// Leaves the tree placed at q, with the links' velocities in its scratch.
static double energy_of(sn_tree *tree, sn_vec3 gravity, const double *q, const double *v,
                        double *kinetic)
{
    double height = 0.0;
    *kinetic = 0.0;
    sn_tree_place(tree, q);
    sn_tree_velocity(tree, v, tree->scratch);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_spatial moves = tree->scratch[i];
        sn_vec3 centre = sn_vec3_add(moves.linear, sn_cross(moves.angular, body->reach));
        sn_vec3 spin = sn_sym3_apply(&body->inertia, moves.angular);
        *kinetic += 0.5 * body->mass * sn_dot(centre, centre) + 0.5 * sn_dot(spin, moves.angular);
        height -= body->mass * sn_dot(gravity, tree->pose[i].centre);
    }
    return *kinetic + height;
}

// Work of what was pushed beside gravity, were the whole step as the state that energy_of saw.
static double work_of(const sn_tree_step *step, const sn_tree *tree, const double *v)
{
    double sum = 0.0, h2 = step->h * step->h;
    for (int j = 0; j < tree->v_count; ++j) {
        sum += step->impulse[j] * v[j];
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_spatial push = sn_spatial_sub(step->due[i], step->arrived[i]);
        sn_vec3 weight = sn_vec3_scale(h2 * body->mass, step->gravity);
        push.angular = sn_vec3_sub(push.angular, sn_cross(body->reach, weight));
        push.linear = sn_vec3_sub(push.linear, weight);
        sum += sn_spatial_dot(push, tree->scratch[i]);
    }
    return sum / step->h;
}

double sn_tree_step_gain(const sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                         const double *next_q, const double *next_v)
{
    double kinetic[2];
    double gain = -energy_of(tree, step->gravity, q, v, &kinetic[0]);
    gain -= 0.5 * work_of(step, tree, v);
    gain += energy_of(tree, step->gravity, next_q, next_v, &kinetic[1]);
    gain -= 0.5 * work_of(step, tree, next_v);
    sn_tree_place(tree, step->c);
    return gain / (0.5 * (kinetic[0] + kinetic[1]) + step->weight + DBL_MIN);
}
