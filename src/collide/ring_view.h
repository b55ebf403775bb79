// The ring of a torus, as seen from another core: where is it near?
//
// A torus is a ball of its tube's radius about each point of a ring. So contact with a core is
// where the distance f of the ring's points from it has minima. f is looked at from 32 points of
// the ring, and between two of them where it falls before and rises after. The nearest point of the
// core may be taken to stand still for the slope of f (envelope theorem).
//
// Of convex cores f is signed, so that a ring that cuts into one is led out again, and minima that
// hide between two looks are found too. The signed distance of what is convex is a convex function
// with slopes up to 1, so along a circle of radius R its second derivative is never below -1/R, and
// between two looks f is above both parabolas of that bend through them:
//
//      f |o                        o   looks, each with its slope
//        | \ .                . ' /
//        |  \  ' .        . '    /     f may be no lower than where they cross: if that matters,
//        |   \     ' x  '       /      there is a look between both
//        +----------------------------- way along the ring
//
// All is in the ring's frame: its middle is the origin, its axis z.
#ifndef SN_COLLIDE_RING_VIEW_H
#define SN_COLLIDE_RING_VIEW_H

#include "collide/collider.h"

// A ring and the core of the other: anything convex, or the ring of another torus.
typedef struct sn_ring_pair {
    double radius, tube;
    const sn_collider *other;
    double other_rounding; // of a torus its tube
    sn_transform place;    // of the other
    sn_mat3 turn;
    bool round; // the other is a point, a stretch or a ring: it has neither faces nor an inside
} sn_ring_pair;

// A point of the ring, and the other's core from there.
typedef struct sn_ring_point {
    sn_vec3 out;     // unit, from the ring's middle
    sn_vec3 own;     // on the ring
    sn_vec3 away;    // unit, from the other's core to it; zero where the two cross
    double distance; // from the other's core
    double slope;    // of the distance along the ring; of what is round, times the distance
    int face;        // of the other that is nearest, or -1 (core_point.h)
} sn_ring_point;

// The ring is cut into this many stretches, which names of points are made of.
enum { SN_RING_STRETCHES = 32, SN_RING_LOOKS = 160 };

typedef struct sn_ring_look {
    sn_ring_point at;
    int stretch;
    bool minimum;
} sn_ring_look;

typedef struct sn_ring_view {
    sn_ring_look looks[SN_RING_LOOKS]; // in order around the ring
    int count;
    int nearest; // of the looks
    bool level;  // the ring is as far from the other all around
} sn_ring_view;

sn_ring_pair sn_ring_pair_make(const sn_collider *ring, const sn_transform *place_ring,
                               const sn_collider *other, const sn_transform *place_other);

// `out`: unit, with z = 0.
sn_ring_point sn_ring_look_from(const sn_ring_pair *pair, sn_vec3 out);

// The unit direction to the other's core from there; where the two cross, across both.
sn_vec3 sn_ring_normal(const sn_ring_pair *pair, const sn_ring_point *at);

sn_vec3 sn_ring_direction(int stretch); // to where a stretch starts, unit

// Minima that are no farther than `limit`, and the looks they were found by. False: all of the ring
// is farther.
bool sn_ring_view_make(const sn_ring_pair *pair, double limit, sn_ring_view *view);

// The same where nothing but the nearest look matters.
bool sn_ring_view_nearest(const sn_ring_pair *pair, double limit, sn_ring_view *view);

// The last direction from `in` on towards `to` for which the face of `in` is nearest, where that of
// `to` is not.
sn_ring_point sn_ring_face_end(const sn_ring_pair *pair, const sn_ring_point *in,
                               const sn_ring_point *to);

#endif
