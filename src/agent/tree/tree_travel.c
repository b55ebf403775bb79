#include "agent/tree/tree_travel.h"

// c[0] + c[1] x + ...
static double polynomial(const double *c, int count, double x)
{
    double sum = c[count - 1];
    for (int i = count - 2; i >= 0; --i) {
        sum = c[i] + x * sum;
    }
    return sum;
}

// b(z) of atan(x) / x = 1 - z b, z = x^2.
static double arc_rest(double z)
{
    static const double c[] = {1.0 / 3.0,   -1.0 / 5.0,  1.0 / 7.0,   -1.0 / 9.0,  1.0 / 11.0,
                               -1.0 / 13.0, 1.0 / 15.0,  -1.0 / 17.0, 1.0 / 19.0,  -1.0 / 21.0,
                               1.0 / 23.0,  -1.0 / 25.0, 1.0 / 27.0,  -1.0 / 29.0, 1.0 / 31.0};
    if (z < 0.005) {
        return polynomial(c, 7, z);
    }
    if (z < 0.08) {
        return polynomial(c, 15, z);
    }
    double x = sqrt(z);
    return (1.0 - sn_atan(x) / x) / z;
}

// Up to 0.2 rad by Taylor series. Beyond, up to 2 pi: with z = tan^2(a / 4) and c = 1 - z b nothing
// cancels in s - 1 = z (1 - b (1 + z)) and kappa = (b + c) / (16 c^2).
void sn_tree_arc_large(double w, double square, double *over, double *round)
{
    static const double arc[] = {1.0 / 6.0,     3.0 / 40.0,      5.0 / 112.0,    35.0 / 1152.0,
                                 63.0 / 2816.0, 231.0 / 13312.0, 143.0 / 10240.0};
    static const double bent[] = {1.0 / 12.0,
                                  1.0 / 180.0,
                                  1.0 / 420.0,
                                  79.0 / 56700.0,
                                  1759.0 / 1871100.0,
                                  586297.0 / 851350500.0,
                                  370787.0 / 696559500.0};
    double y = square / (w * w + square);
    if (y < 0.01 && w > 0.0) {
        *over = y * polynomial(arc, 7, y);
        *round = polynomial(bent, 7, y);
        return;
    }
    double length = sqrt(w * w + square), side = length + w;
    double z = side > 1e-8 * length ? square / (side * side) : 1e16;
    double rest = arc_rest(z), c = 1.0 - z * rest;
    *over = z * (1.0 - rest * (1.0 + z));
    *round = (rest + c) / (16.0 * c * c);
}

// Up to half a turn, where it has no bound.
double sn_tree_arc_by_sine_large(double y)
{
    static const double c[] = {1.0,           2.0 / 3.0,     8.0 / 15.0,      16.0 / 35.0,
                               128.0 / 315.0, 256.0 / 693.0, 1024.0 / 3003.0, 2048.0 / 6435.0};
    if (y < 0.01) {
        return polynomial(c, 8, y);
    }
    double x = sqrt(fmin(y, 1.0));
    return sn_asin(x) / (x * sqrt(fmax(1.0 - y, 1e-12)));
}

double sn_tree_arc_by_tangent_large(double z)
{
    return 1.0 - z * arc_rest(z);
}

double sn_tree_tangent_large(double z)
{
    double x = sqrt(z), sine, cosine;
    sn_sincos(x, &sine, &cosine);
    return sine / (x * cosine);
}

sn_vec3 sn_tree_swing_spin_any(const sn_tree_spread *spread, const sn_mat3 *rotation,
                               const sn_tree_travel *travel)
{
    sn_vec3 u = travel->turn, spin = SN_VEC3_ZERO;
    double f = travel->bend, square = sn_dot(u, u), over, round;
    sn_tree_arc(travel->w, square, f, &over, &round);
    double by_turn = 2.0 * spread->middle * sn_tree_angle_scale(f, over);
    for (int k = 0; k < spread->count; ++k) {
        sn_vec3 r = sn_tree_spread_axis(spread, rotation, k);
        double along = sn_dot(r, u), y = 0.5 * f * (square - along * along);
        double scale = f * spread->beyond[k] * sn_tree_arc_by_sine(y);
        sn_vec3 across = sn_vec3_add_scaled(sn_cross(r, u), -travel->w, r);
        by_turn += scale * travel->w;
        spin = sn_vec3_add_scaled(spin, scale * along, across);
    }
    return sn_vec3_add_scaled(spin, by_turn, u);
}

// What a link that slides along a parent by arcs feels beyond F; adds to the parent's wrench what
// this and the slide do. With g = H^T F the joint feels g + phi x g / 2; the parent gets s/2 slide
// x F - (1 - [t]) (H slide x F) / 2 beside arm x F.
static sn_vec3 slide_felt(const sn_tree_body *body, const sn_tree_travel *parent, sn_vec3 slide,
                          sn_vec3 force, sn_spatial *wrench)
{
    sn_vec3 t = sn_tree_half_tangent(parent);
    sn_vec3 moment = sn_cross(sn_tree_half_turned(t, slide), force);
    sn_vec3 turned = sn_vec3_scale(0.5 * (1.0 + parent->over), sn_cross(slide, force));
    turned = sn_vec3_add_scaled(turned, -0.5, sn_vec3_sub(moment, sn_cross(t, moment)));
    sn_vec3 g = sn_tree_half_turned(sn_vec3_negate(t), force);
    sn_vec3 felt = sn_vec3_sub(sn_vec3_add_scaled(g, 0.5, sn_cross(parent->angle, g)), force);
    turned = sn_vec3_sub(turned, sn_cross(body->arm, felt));
    wrench->angular = sn_vec3_add(wrench->angular, turned);
    wrench->linear = sn_vec3_sub(wrench->linear, felt);
    return felt;
}

sn_spatial sn_tree_momentum_any(const sn_tree *tree, int i, const sn_tree_travel *parent,
                                const sn_tree_travel *travel, sn_vec3 own, sn_tree_search *search,
                                sn_vec3 *third)
{
    const sn_tree_body *body = &tree->body[i];
    sn_vec3 way =
        body->arcs ? sn_tree_arc_way(travel, body->reach) : sn_tree_displaced(travel, body->reach);
    sn_vec3 p = sn_vec3_scale(body->mass, sn_vec3_add(travel->shift, way));
    sn_vec3 moment = sn_cross(body->reach, p), spin;
    if (body->arcs) {
        spin = sn_tree_arc_spin(body, travel, moment, sn_dot(way, p), third);
    } else {
        spin = sn_tree_swing_spin(sn_tree_spread_at(tree, i), &tree->pose[i].rotation, travel);
        *third = SN_VEC3_ZERO;
    }
    sn_spatial has = sn_spatial_make(sn_vec3_add(spin, moment), p);
    sn_vec3 force = sn_vec3_add(search[i].carried, p);
    search[i].carried = SN_VEC3_ZERO;
    if (!body->gathers || body->parent < 0) {
        return has;
    }
    sn_tree_search *up = &search[body->parent];
    if (!body->on_arcs) {
        up->carried = sn_vec3_add(up->carried, force);
        return has;
    }
    way = sn_vec3_sub(travel->shift, parent->shift);
    if (sn_tree_slides(body)) {
        sn_vec3 slide = sn_tree_joint_motion(body, own).linear;
        way = sn_tree_arc_way(parent, sn_vec3_add_scaled(body->arm, 0.5, slide));
        has.linear = sn_vec3_add(has.linear, slide_felt(body, parent, slide, force, &up->wrench));
    }
    sn_tree_pass_force(body, parent, way, force, up);
    return has;
}
