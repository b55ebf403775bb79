#include "agent/tree/tie.h"

#include <math.h>

#include "math/rotation.h"

int sn_tie_row_count(sn_tie_type type)
{
    return type == SN_TIE_WELD ? 6 : (type == SN_TIE_CURVE ? 2 : 1);
}

static sn_frame frame_on(const sn_tree_pose *pose, int link, const sn_frame *local)
{
    if (link < 0) {
        return *local;
    }
    sn_frame in_world = {pose[link].rotation, pose[link].origin};
    return sn_frame_multiply(&in_world, local);
}

static sn_vec3 axis_of(const sn_mat3 *axes, int k)
{
    return sn_vec3_make(axes->m[0][k], axes->m[1][k], axes->m[2][k]);
}

static void locate_weld(const sn_frame *a, const sn_frame *b, sn_tie_place *place)
{
    sn_mat3 turned = sn_mat3_multiply(sn_mat3_transpose(a->rotation), b->rotation);
    sn_vec3 turn = sn_quat_log(sn_quat_from_mat3(turned));
    sn_vec3 shift = sn_mat3_apply_transpose(a->rotation, sn_vec3_sub(b->position, a->position));
    sn_vec3_put(place->error, turn);
    sn_vec3_put(place->error + 3, shift);
    place->at_a = b->position; // the opposite acts at the same point
    for (int k = 0; k < 3; ++k) {
        place->row[k] = sn_spatial_make(axis_of(&a->rotation, k), SN_VEC3_ZERO);
        place->row[k + 3] = sn_spatial_make(SN_VEC3_ZERO, axis_of(&a->rotation, k));
    }
}

static void locate_rod(const sn_tie *tie, const sn_frame *a, const sn_frame *b, sn_tie_place *place)
{
    sn_vec3 between = sn_vec3_sub(b->position, a->position);
    double distance = sn_length(between);
    sn_vec3 along =
        distance > 0.0 ? sn_vec3_scale(1.0 / distance, between) : axis_of(&a->rotation, 2);
    place->error[0] = distance - tie->length;
    place->row[0] = sn_spatial_make(SN_VEC3_ZERO, along);
}

// The axis least along t.
static int axis_across(sn_vec3 t)
{
    double x = fabs(t.x), y = fabs(t.y), z = fabs(t.z);
    return x <= y && x <= z ? 0 : (y <= z ? 1 : 2);
}

// Two rows across the curve at its nearest point.
static void locate_curve(const sn_tie *tie, const sn_frame *a, sn_vec3 local, sn_tie_guide *guide,
                         sn_tie_place *place)
{
    sn_curve_point nearest = sn_curve_nearest(tie->curve, local, guide->parameter);
    guide->parameter = nearest.parameter;
    place->pace = sn_length(nearest.first);
    place->bend = nearest.second;
    sn_vec3 along = sn_vec3_scale(1.0 / place->pace, nearest.first);
    if (guide->axis < 0) {
        guide->axis = axis_across(along);
    }
    sn_vec3 axis = {guide->axis == 0, guide->axis == 1, guide->axis == 2};
    sn_vec3 first = sn_normalize(sn_cross(along, axis)), second = sn_cross(along, first);
    sn_vec3 off = sn_vec3_sub(local, nearest.position);
    place->error[0] = sn_dot(first, off);
    place->error[1] = sn_dot(second, off);
    place->row[0] = sn_spatial_make(SN_VEC3_ZERO, sn_mat3_apply(a->rotation, first));
    place->row[1] = sn_spatial_make(SN_VEC3_ZERO, sn_mat3_apply(a->rotation, second));
}

void sn_tie_locate(const sn_tie *tie, const sn_tie_term *terms, const sn_tree *tree,
                   const sn_tree_pose *pose, const double *q, sn_tie_guide *guide,
                   sn_tie_place *place)
{
    place->rows = sn_tie_row_count(tie->type);
    if (tie->type == SN_TIE_COUPLING) {
        double sum = -tie->sum;
        for (int i = 0; i < tie->term_count; ++i) {
            const sn_tie_term *term = &terms[tie->term + i];
            sum += term->factor * q[tree->links[term->link].q + term->own];
        }
        place->error[0] = sum;
        return;
    }
    sn_frame a = frame_on(pose, tie->a, &tie->on_a), b = frame_on(pose, tie->b, &tie->on_b);
    place->at_a = a.position;
    place->at_b = b.position;
    place->axes = a.rotation;
    if (tie->type == SN_TIE_WELD) {
        locate_weld(&a, &b, place);
        return;
    }
    if (tie->type == SN_TIE_ROD) {
        locate_rod(tie, &a, &b, place);
        return;
    }
    sn_vec3 local = sn_mat3_apply_transpose(a.rotation, sn_vec3_sub(b.position, a.position));
    place->at_a = b.position;
    if (tie->type == SN_TIE_CURVE) {
        locate_curve(tie, &a, local, guide, place);
        return;
    }
    place->surface = sn_surface_at(&tie->surface, local);
    place->error[0] = place->surface.value;
    place->row[0] =
        sn_spatial_make(SN_VEC3_ZERO, sn_mat3_apply(a.rotation, place->surface.gradient));
}

// ---- accelerations ----

static sn_vec3 velocity_at(const sn_tie_motion *m, sn_vec3 arm)
{
    return sn_velocity_at(m->linear, m->angular, arm);
}

static sn_vec3 acceleration_at(const sn_tie_motion *m, sn_vec3 arm)
{
    return sn_vec3_add(m->acceleration,
                       sn_vec3_add(sn_cross(m->angular_rate, arm),
                                   sn_cross(m->angular, sn_cross(m->angular, arm))));
}

static sn_vec3 arm_to(const sn_tree_pose *pose, int link, sn_vec3 point)
{
    return link >= 0 ? sn_vec3_sub(point, pose[link].origin) : point;
}

void sn_tie_acceleration(const sn_tie *tie, const sn_tie_place *place, const sn_tree_pose *pose,
                         const sn_tie_motion *a, const sn_tie_motion *b, double acceleration[6])
{
    sn_vec3 arm_a = arm_to(pose, tie->a, place->at_a), arm_b = arm_to(pose, tie->b, place->at_b);
    sn_vec3 velocity = sn_vec3_sub(velocity_at(b, arm_b), velocity_at(a, arm_a));
    sn_vec3 rate = sn_vec3_sub(acceleration_at(b, arm_b), acceleration_at(a, arm_a));
    if (tie->type == SN_TIE_ROD) { // n . x'' + (x'^2 - (n . x')^2) / |x|
        sn_vec3 n = place->row[0].linear;
        double along = sn_dot(n, velocity);
        double across = sn_dot(velocity, velocity) - along * along;
        acceleration[0] = sn_dot(n, rate) + across / sn_distance(place->at_a, place->at_b);
        return;
    }
    // In frame a: p'' = R^T (x'' - 2 w x R p').
    rate = sn_vec3_sub(rate, sn_vec3_scale(2.0, sn_cross(a->angular, velocity)));
    for (int r = 0; r < place->rows; ++r) {
        acceleration[r] = sn_dot(place->row[r].linear, rate);
    }
    sn_vec3 local = sn_mat3_apply_transpose(place->axes, velocity);
    if (tie->type == SN_TIE_WELD) {
        sn_vec3 turning = sn_vec3_sub(b->angular_rate, a->angular_rate);
        for (int r = 0; r < 3; ++r) {
            acceleration[r] = sn_dot(place->row[r].angular, turning);
        }
    } else if (tie->type == SN_TIE_SURFACE) {
        acceleration[0] += sn_dot(local, sn_sym3_apply(&place->surface.hessian, local));
    } else if (tie->type == SN_TIE_CURVE) { // n . (p'' - c'' s'^2), s' = |p'| / |c'|
        double square = sn_dot(local, local) / (place->pace * place->pace);
        sn_vec3 bend = sn_vec3_scale(square, sn_mat3_apply(place->axes, place->bend));
        for (int r = 0; r < 2; ++r) {
            acceleration[r] -= sn_dot(place->row[r].linear, bend);
        }
    }
}
