// Things that pass each other, flush. A contact found at the start of a step is a plane between
// nearest points, and without end: of a box that slides over tiles and the next tile, which is as
// high as the one it is on, nearest are two edges, and the plane between them stands across the
// way. It would hold the box up at every seam, and lift a ball over it. Which of the planes through
// an edge is the one that counts, no geometry of one moment can tell: where bodies come to can.
//
// So what a contact says is compared with where velocities take both. One with the gap g that
// closes at the speed u says that they are to overlap by u t - g after t. If they do not, at any of
// some times from when they would meet on, they pass, and there is no contact. What strikes
// overlaps by as much as was said. Two steps are looked at: what is to meet just at the end of this
// one is stopped in it.
//
// What it does not do: meshes are not looked at, nor what goes farther than a quarter of its size
// in a step. A box exactly as wide as the row of tiles it slides along is wedged by the edges of
// both rows beside it, which it does not come nearer to; with friction that changes its
// deceleration by some per cent. A cylinder that rolls still loses up to 0.3 % of its speed at a
// seam.
#include <math.h>

#include "model/world.h"
#include "touch/touch.h"

static const double STEPS = 2.0;   // that are looked at
static const double STRIDE = 0.25; // of the pair's size: way of a step, so that nothing is skipped
static const double LITTLE = 1e-6; // the same: overlap to be said at least
static const double FLUSH = 1e-4;  // the same: overlap of what is flush, at most
static const double SHARE = 0.5;   // of the overlap that was said, the same
static const double ALIKE = 0.94;  // cosine between normals of a contact that goes on
enum { LOOKS = 4 };

typedef struct passage {
    const sn_touch_place *a, *b;
    double t;                        // s from now
    sn_transform motion_a, motion_b; // until then
    double round_a, round_b;         // of the surfaces at the contact
} passage;

static passage passage_after(const sn_world *world, const sn_touch_place *a,
                             const sn_touch_place *b, double t)
{
    double turn;
    return (passage){.a = a,
                     .b = b,
                     .t = t,
                     .motion_a = sn_touch_motion(world, a->side, t, &turn),
                     .motion_b = sn_touch_motion(world, b->side, t, &turn)};
}

// How far a point is to overlap then, and *meets: the time at which it begins to. What is round
// goes with its core, wherever its material turns: see contact.h.
static double said_overlap(const passage *to, sn_vec3 normal, const sn_manifold_point *point,
                           double *meets)
{
    sn_vec3 core_a = sn_vec3_add_scaled(point->on_a, -to->round_a, normal),
            core_b = sn_vec3_add_scaled(point->on_b, to->round_b, normal);
    sn_vec3 way_a = sn_vec3_sub(sn_transform_point(to->motion_a, core_a), core_a),
            way_b = sn_vec3_sub(sn_transform_point(to->motion_b, core_b), core_b);
    double closing = -sn_dot(normal, sn_vec3_sub(way_b, way_a));
    *meets = closing > 0.0 ? fmax(to->t * point->gap / closing, 0.0) : to->t;
    return closing - point->gap;
}

// Is a point within a box by more than so much?
static bool is_in_box(const sn_touch_place *box, sn_transform motion, sn_vec3 point, double depth)
{
    const sn_collider *collider = box->collider;
    if (collider->type != SN_COLLIDER_BOX) {
        return false;
    }
    sn_vec3 at = sn_transform_point_inverse(sn_transform_multiply(motion, box->frame), point);
    return collider->half.x - fabs(at.x) > depth && collider->half.y - fabs(at.y) > depth &&
           collider->half.z - fabs(at.z) > depth;
}

// A corner that comes to be inside of the other is known at a glance, and most contacts of boxes
// have one.
static bool has_corner_inside(const passage *to, const sn_manifold *manifold, double depth)
{
    bool inside = false;
    for (int i = 0; i < manifold->count && !inside; ++i) {
        const sn_manifold_point *point = &manifold->points[i];
        inside =
            (sn_manifold_is_corner_of_b(point->feature) &&
             is_in_box(to->a, to->motion_a, sn_transform_point(to->motion_b, point->on_b),
                       depth)) ||
            (sn_manifold_is_corner_of_a(point->feature) &&
             is_in_box(to->b, to->motion_b, sn_transform_point(to->motion_a, point->on_a), depth));
    }
    return inside;
}

static double overlap_of(const passage *to)
{
    sn_transform place_a = sn_transform_multiply(to->motion_a, to->a->frame),
                 place_b = sn_transform_multiply(to->motion_b, to->b->frame);
    sn_manifold manifold;
    sn_collide_cache cache = {0};
    double deepest = 0.0;
    int count = sn_collide(to->a->collider, &place_a, to->b->collider, &place_b, 0.0, &cache,
                           &manifold, 1, NULL);
    for (int i = 0; count > 0 && i < manifold.count; ++i) {
        deepest = fmax(deepest, -manifold.points[i].gap);
    }
    return deepest;
}

// Did they press on each other along this normal in the last step?
static bool goes_on(const sn_world *world, const sn_pair *pair, sn_vec3 normal)
{
    const sn_contact *before = &world->touch.pool.data[pair->contacts];
    bool touched = false;
    for (int i = 0; pair->count > 0 && i < before->count; ++i) {
        touched = touched || before->points[i].touched;
    }
    return touched && sn_dot(before->normal, normal) > ALIKE;
}

bool sn_touch_passes_by(const sn_world *world, const sn_pair *pair, double h,
                        const sn_manifold *manifold)
{
    const sn_touch *touch = &world->touch;
    const sn_touch_place *a = &touch->places.data[pair->a], *b = &touch->places.data[pair->b];
    double travel = a->travel + b->travel;
    if (goes_on(world, pair, manifold->normal) || !sn_collider_is_convex(a->collider) ||
        !sn_collider_is_convex(b->collider) || !(travel > LITTLE * pair->size) ||
        travel > STRIDE * pair->size) {
        return false;
    }
    double ahead = STEPS * h, said = 0.0, first = ahead;
    passage end = passage_after(world, a, b, ahead);
    end.round_a = sn_touch_roundness(a->collider, &a->frame, b->collider, manifold->normal,
                                     manifold->points[0].on_a);
    end.round_b = sn_touch_roundness(b->collider, &b->frame, a->collider, manifold->normal,
                                     manifold->points[0].on_b);
    for (int i = 0; i < manifold->count; ++i) {
        const sn_manifold_point *point = &manifold->points[i];
        double meets;
        if (point->gap < -FLUSH * pair->size) {
            return false;
        }
        said = fmax(said, said_overlap(&end, manifold->normal, point, &meets));
        first = fmin(first, meets);
    }
    bool passes = said > LITTLE * pair->size &&
                  !has_corner_inside(&end, manifold, fmin(SHARE * said, FLUSH * pair->size));
    for (int k = LOOKS; k > 0 && passes; --k) { // from the end: most strike, and are soon known
        double share = (double)k / LOOKS, t = first + share * (ahead - first);
        double most = fmin(SHARE * share * said, FLUSH * pair->size);
        passage now = k == LOOKS ? end : passage_after(world, a, b, t);
        passes = overlap_of(&now) <= most;
    }
    return passes;
}
