// Robots of a scene: what URDF files say becomes bodies and joints, as if they were written there.
//
// A link with mass is a rigid body, a link without mass that the world holds a static one; a link
// without mass that is fixed to a body is a part of it: its shapes move over. The root link of a
// fixed base that has mass hangs on the world by the joint "mount".
#ifndef SN_SCENE_URDF_SCENE_H
#define SN_SCENE_URDF_SCENE_H

#include "scene/checker.h"
#include "scene/urdf.h"

// Reads the text of a robot's file and adds its bodies and joints to the scene. Mistakes go to
// reader->errors, and NULL is returned.
const sn_urdf *sn_robot_load(sn_urdf_reader *reader, sn_robot_item *item, const char *text,
                             size_t length);

bool sn_robots_are_read(const sn_scene *scene);

// Puts robots where their numbers say: all, or (`again`) those that depend on expressions.
void sn_robots_place(const sn_scene *scene, bool again);

// Joints must stand between their limits.
void sn_check_robot_values(sn_checker *c, const sn_robot_item *item);

#endif
