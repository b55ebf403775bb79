// Robots of a scene: what URDF files say becomes bodies and joints, as if they were written there.
//
// A link with mass is a rigid body, a link without mass that the world holds a static one; a link
// without mass that is fixed to a body is a part of it: its shapes move over. A link without mass
// that moves is a body as well (urdf_body.c). The root link of a fixed base that has mass hangs on
// the world by the joint "mount".
#ifndef SN_SCENE_URDF_SCENE_H
#define SN_SCENE_URDF_SCENE_H

#include "scene/checker.h"
#include "scene/urdf.h"

typedef enum sn_link_kind {
    SN_LINK_BODY,
    SN_LINK_STATIC,
    SN_LINK_WORLD, // the link stands for the world itself
    SN_LINK_PART,  // of another link's body
} sn_link_kind;

typedef struct sn_robot_link {
    sn_link_kind kind;
    int host;             // the link whose body it belongs to: itself, unless it is a part
    sn_transform in_host; // its frame in that of its host
    sn_body_item *body;
    bool by_shapes; // its body has the mass of its shapes
    bool locked;    // its joint has nothing to move
} sn_robot_link;

typedef struct sn_robot {
    const sn_urdf *urdf;
    sn_robot_link *links;
    sn_joint_item **joints;           // NULL: between parts that cannot move anyway
    const sn_named_quantities **pose; // of each joint; NULL: not given
    sn_joint_item *mount;             // NULL: none
    sn_transform *frames;             // of each link, while placing
} sn_robot;

// Decides which links are bodies, and what those without mass are.
void sn_robot_choose_bodies(sn_urdf_reader *reader, const sn_robot_item *item, sn_robot *robot,
                            sn_urdf *urdf);

// Finds the files of meshes, and drops shapes that are empty.
void sn_urdf_find_meshes(sn_urdf_reader *reader, const sn_robot_item *item, const sn_robot *robot,
                         sn_urdf *urdf);

// The mass of a body of which the file says only the shapes.
void sn_urdf_weigh(sn_urdf_reader *reader, const sn_robot *robot, sn_urdf *urdf, int index);

// Reads the text of a robot's file and adds its bodies and joints to the scene. Mistakes go to
// reader->errors, and NULL is returned.
const sn_urdf *sn_robot_load(sn_urdf_reader *reader, sn_robot_item *item, const char *text,
                             size_t length);

bool sn_robots_are_read(const sn_scene *scene);

// Puts robots where their numbers say: all, or (`again`) those that depend on expressions.
void sn_robots_place(const sn_scene *scene, bool again);

// Where a joint of one freedom stands when nothing is said: at 0, or between its limits.
double sn_urdf_rest_position(const sn_urdf_joint *joint);

// Where a joint of one freedom of a robot stands at the start, by its pose or its leader's.
double sn_urdf_start(const sn_robot *robot, int index);

// Where a joint's child stands in its parent then.
sn_transform sn_urdf_rest_frame(const sn_urdf_joint *joint);

// The turn that takes z to the joint's axis: of its frames on both bodies.
sn_transform sn_urdf_axis_frame(const sn_urdf_joint *joint);

// Joints must stand between their limits.
void sn_check_robot_values(sn_checker *c, const sn_robot_item *item);

#endif
