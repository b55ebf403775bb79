// Which of a link's shapes are drawn and which touch.
#ifndef SN_SCENE_URDF_ROLE_H
#define SN_SCENE_URDF_ROLE_H

#include "scene/urdf.h"

// What one <visual> or <collision> becomes: nothing, one shape, or two when a mesh is drawn as it
// is and touches by its convex hull. Returns how many.
int sn_urdf_roles(const sn_urdf *urdf, const sn_robot_item *item, const sn_urdf_link *link,
                  int index, sn_shape_role roles[2]);

// The robot has shapes, but none that touches.
bool sn_urdf_touches_nothing(const sn_urdf *urdf, const sn_robot_item *item);

#endif
