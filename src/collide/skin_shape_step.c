#include "collide/skin_shape_step.h"

#include "collide/convex.h"
#include "collide/facet.h"
#include "math/rotation.h"

// ---- the shape's motion ----

typedef struct shape_motion {
    const sn_sweep *sweep;
    sn_vec3 travel; // of the centre
    sn_vec3 turn;   // rotation vector
} shape_motion;

static shape_motion make_motion(const sn_sweep *sweep)
{
    shape_motion m = {.sweep = sweep};
    m.travel = sn_vec3_sub(sn_transform_point(sweep->end, sweep->centre),
                           sn_transform_point(sweep->start, sweep->centre));
    m.turn = sn_quat_log(
        sn_quat_multiply(sweep->end.rotation, sn_quat_conjugate(sweep->start.rotation)));
    return m;
}

// ---- one face and one convex shape or plane ----

typedef struct face_motion {
    sn_vec3 start[3], end[3];
} face_motion;

typedef struct parting {
    double gap;
    sn_vec3 normal; // world, from the shape to the face
} parting;

static parting part(const sn_collider *shape, const sn_transform *place, const sn_vec3 p[3])
{
    if (shape->type == SN_COLLIDER_PLANE) {
        parting over = {INFINITY, sn_rotate(place->rotation, sn_vec3_make(0.0, 0.0, 1.0))};
        for (int k = 0; k < 3; ++k) {
            over.gap = fmin(over.gap, sn_dot(sn_vec3_sub(p[k], place->position), over.normal));
        }
        return over;
    }
    sn_vec3 corners[3];
    for (int k = 0; k < 3; ++k) { // about the first, so that nothing is large
        corners[k] = sn_vec3_sub(p[k], p[0]);
    }
    sn_collider triangle = sn_collider_triangle(corners, 0.0);
    sn_transform at = {p[0], SN_QUAT_IDENTITY};
    sn_core_pair pair = sn_core_pair_make(shape, place, &triangle, &at);
    sn_convex_gap found;
    sn_convex_gap_find(&pair, INFINITY, NULL, &found);
    return (parting){found.gap, sn_rotate(place->rotation, found.normal)};
}

static void corners_at(const face_motion *face, double t, sn_vec3 p[3])
{
    for (int k = 0; k < 3; ++k) {
        p[k] = sn_vec3_add_scaled(sn_vec3_scale(1.0 - t, face->start[k]), t, face->end[k]);
    }
}

// How fast along n the two can come nearer at most. A point of the shape at r from its centre turns
// with w x r, along n by no more than |n x w| |r|.
static double closing_speed(const shape_motion *m, double reach, const face_motion *face, sn_vec3 n)
{
    double face_speed = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        face_speed = fmax(face_speed, sn_dot(n, sn_vec3_sub(face->start[k], face->end[k])));
    }
    sn_vec3 across = sn_cross(n, m->turn);
    double turning = sn_dot(across, across) > 0.0 ? reach * sn_length(across) : 0.0;
    return face_speed + sn_dot(n, m->travel) + turning;
}

static void try_convex(const shape_motion *m, const sn_collider *shape, double reach,
                       const face_motion *face, int f, sn_skin_keep keep, sn_skin_shape_step *step)
{
    enum { TURNS = 256 };
    double t = 0.0, nearness = 0.0, slack = 0.0;
    sn_vec3 p[3];
    for (int turn = 0; turn < TURNS; ++turn) {
        sn_transform place = sn_sweep_at(m->sweep, t);
        corners_at(face, t, p);
        parting now = part(shape, &place, p);
        if (turn == 0) {
            double size = fmax(sn_distance(p[0], p[1]), sn_distance(p[0], p[2]));
            if (!(now.gap > 1e-12 * size)) {
                step->touching += 1;
                return;
            }
            nearness = sn_skin_kept(keep, now.gap);
            slack = fmax(0.01 * fmin(nearness, now.gap - nearness), 1e-6 * now.gap);
        }
        double left = now.gap - nearness;
        if (turn > 0 && left <= slack) {
            break;
        }
        double closing = closing_speed(m, reach, face, now.normal);
        if (!(closing * (step->share - t) > left)) {
            return;
        }
        t += left / closing * (1.0 - 1e-12);
    }
    if (t < step->share || step->face < 0) {
        step->share = t;
        step->face = f;
    }
}

// ---- one face and the facets of a ground ----

// Where a face is seen from the ground: from where the ground starts to where it ends, in a
// straight line but for the ground's turning. Of a point at r from the centre that moves by v while
// the ground turns by an angle, the second derivative is at most angle^2 |r| + 2 angle |v|, and the
// way off the line an eighth of that.
static sn_aabb seen_from(const shape_motion *m, const face_motion *face)
{
    double angle = sn_length(m->turn), off = 0.0;
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; ++k) {
        sn_vec3 ends[2] = {sn_transform_point_inverse(m->sweep->start, face->start[k]),
                           sn_transform_point_inverse(m->sweep->end, face->end[k])};
        sn_vec3 way = sn_vec3_sub(sn_vec3_sub(face->end[k], face->start[k]), m->travel);
        double far = 0.0;
        for (int i = 0; i < 2; ++i) {
            box.lower = sn_vec3_min(box.lower, ends[i]);
            box.upper = sn_vec3_max(box.upper, ends[i]);
            far = fmax(far, sn_distance(ends[i], m->sweep->centre));
        }
        off = fmax(off, 0.125 * (angle * angle * far + 2.0 * angle * sn_length(way)));
    }
    sn_vec3 by = {off, off, off};
    return (sn_aabb){sn_vec3_sub(box.lower, by), sn_vec3_add(box.upper, by)};
}

static void try_ground(const shape_motion *m, const sn_collider *ground, const face_motion *face,
                       int f, sn_skin_keep keep, sn_skin_shape_step *step)
{
    sn_facet_walk walk;
    sn_facet_walk_start(&walk, ground, seen_from(m, face));
    for (int i = sn_facet_walk_next(&walk); i >= 0; i = sn_facet_walk_next(&walk)) {
        sn_facet facet = sn_facet_get(ground, i);
        sn_collider triangle = sn_collider_triangle(facet.corners, 0.0);
        double reach = 0.0;
        for (int k = 0; k < 3; ++k) {
            reach = fmax(reach, sn_distance(facet.corners[k], m->sweep->centre));
        }
        try_convex(m, &triangle, reach, face, f, keep, step);
    }
}

// ---- all ----

// Around all the shape's places: a point at r from a centre that turns by an angle leaves the chord
// by no more than r angle^2 / 8.
static sn_float_box box_of_sweep(const shape_motion *m, const sn_collider *shape)
{
    sn_aabb a = sn_collider_bounds(shape, &m->sweep->start);
    sn_aabb b = sn_collider_bounds(shape, &m->sweep->end);
    double square = sn_dot(m->turn, m->turn);
    double off = square > 0.0 && shape->type != SN_COLLIDER_PLANE
                     ? 0.125 * square * sn_collider_reach(shape, m->sweep->centre)
                     : 0.0;
    sn_vec3 by = {off, off, off};
    return sn_float_box_around((sn_aabb){sn_vec3_sub(sn_vec3_min(a.lower, b.lower), by),
                                         sn_vec3_add(sn_vec3_max(a.upper, b.upper), by)});
}

sn_skin_shape_step sn_skin_shape_step_find(const sn_skin *skin, const sn_collider *shape,
                                           const sn_sweep *sweep, sn_skin_keep keep)
{
    shape_motion m = make_motion(sweep);
    sn_skin_shape_step step = {1.0, -1, 0};
    bool ground = sn_collider_is_ground(shape);
    bool turns = sn_dot(m.turn, m.turn) > 0.0 && !ground && shape->type != SN_COLLIDER_PLANE;
    double reach = turns ? sn_collider_reach(shape, sweep->centre) : 0.0;
    sn_float_box box = box_of_sweep(&m, shape);
    sn_box_walk walk;
    sn_box_walk_start(&walk, &skin->tree, &box);
    for (int f = sn_box_walk_next(&walk); f >= 0; f = sn_box_walk_next(&walk)) {
        face_motion face;
        for (int k = 0; k < 3; ++k) {
            int v = skin->faces[3 * (size_t)f + (size_t)k];
            face.start[k] = sn_skin_from(skin, v);
            face.end[k] = sn_skin_to(skin, v);
        }
        if (ground) {
            try_ground(&m, shape, &face, f, keep, &step);
        } else {
            try_convex(&m, shape, reach, &face, f, keep, &step);
        }
    }
    return step;
}
