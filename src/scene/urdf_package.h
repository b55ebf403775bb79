// Where the meshes of a robot are: package://NAME/rest, model://NAME/rest, file:// and plain paths.
//
// A package is looked for, in this order,
// - among those given (sn_scene_options.packages, `packages` of a robot),
// - in every folder from the file's own upwards: that folder itself, when its name or the <name> in
//   its package.xml is the package's, or a folder in it of which this is true; in a folder called
//   "src" (a workspace) also one level deeper,
// - in the folders of ROS_PACKAGE_PATH in the same way, and below share/ in AMENT_PREFIX_PATH,
// - and at last `rest` alone is looked for from the file's folder upwards, in folders that are no
//   package by their manifests: a package whose folder has another name.
#ifndef SN_SCENE_URDF_PACKAGE_H
#define SN_SCENE_URDF_PACKAGE_H

#include "scene/urdf.h"

enum { SN_PACKAGE_CACHE = 16, SN_PACKAGE_NAME = 128 };

typedef struct sn_package_search {
    sn_urdf_reader *reader;
    const sn_robot_item *item;
    const char *folder; // of the URDF file
    struct {
        char name[SN_PACKAGE_NAME];
        char *root; // where it is, relative to `folder`; NULL: nowhere
    } known[SN_PACKAGE_CACHE];
    int known_count;
} sn_package_search;

// The path of a mesh relative to the URDF's folder, or an absolute one, in the scene's memory.
// NULL: it is not found, and `why` says what was searched, or there is no memory. `why` is a note
// if it was found, but not in the package; else "".
enum { SN_PACKAGE_WHY = 300 };
const char *sn_package_find(sn_package_search *search, const char *name, char why[SN_PACKAGE_WHY]);

#endif
