// How far a shape reaches.
#ifndef SN_GEOMETRY_REACH_H
#define SN_GEOMETRY_REACH_H

#include "sinew/shape.h"

// The largest distance of any of its points from its own origin (the shape's frame position), m.
SN_API double sn_shape_reach(const sn_shape *shape);

// The radius of a ball about `centre` (in the body's frame) that holds all the shapes that touch,
// m.
SN_API double sn_shapes_reach(const sn_shape *shapes, int count, sn_vec3 centre);

#endif
