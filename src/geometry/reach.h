// How far a shape reaches.
#ifndef SN_GEOMETRY_REACH_H
#define SN_GEOMETRY_REACH_H

#include "sinew/shape.h"

// The largest distance of any of its points from its own origin (the shape's frame position), m.
SN_API double sn_shape_reach(const sn_shape *shape);

#endif
