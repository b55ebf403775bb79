// A robot as its URDF file says it: links, joints, shapes, with the place of each in the file.
//
//     sn_urdf_reader reader = {.scene = scene, .source = source, .errors = errors};
//     sn_urdf *urdf = sn_urdf_read(&reader, text, length);
//     if (urdf == NULL) { return reader.out_of_memory ? SN_ERROR_MEMORY : SN_ERROR_SCENE; }
//
// Files of real robots have many faults that other programs overlook. What has an obvious meaning
// is mended with a note to the scene; with reader.strict it is an error.
//
// URDF 1.0 (wiki.ros.org/urdf/XML): <robot> of <link>, <joint> and <material>. What other programs
// read from such files (<transmission>, <gazebo>, <safety_controller>, ...) is skipped with a note
// to the scene. Numbers are SI, angles radians, as in URDF.
//
// What it does not do: xacro macros are not expanded; textures are not looked at.
#ifndef SN_SCENE_URDF_H
#define SN_SCENE_URDF_H

#include "scene/model.h"

typedef struct sn_urdf_shape {
    sn_place place;
    sn_shape_type type; // box, cylinder, sphere, capsule or mesh
    bool collision;     // else what is seen
    bool empty;         // of size 0, without geometry, or its mesh is not found: left out
    sn_transform frame; // in the link
    sn_vec3 size, scale;
    double radius, height;
    const char *file;
    const char *material; // NULL: none named
    bool has_colour;
    uint32_t colour;
} sn_urdf_shape;

typedef struct sn_urdf_link {
    const char *name;
    sn_place place, mass_place, inertia_place;
    bool has_inertial; // the file says something of its mass
    bool has_mass;     // and it is a mass; set by sn_urdf_mend_masses
    double mass;
    sn_vec3 centre, moments;      // moments: ixx, iyy, izz as the file has them
    sn_mat3 inertia;              // about the centre, in the link's axes
    int first_shape, shape_count; // in sn_urdf.shapes
    int joint;                    // that it hangs on, -1: the root
} sn_urdf_link;

typedef struct sn_urdf_joint {
    const char *name, *parent_name, *child_name, *mimic_name; // mimic_name NULL: moves by itself
    sn_place place, parent_place, child_place, limit_place, mimic_place;
    sn_joint_type type; // fixed, hinge, slider, planar or free
    int parent, child;  // links
    sn_transform origin;
    sn_vec3 axis; // of length 1, in the child's frame
    bool has_limit;
    double lower, upper;     // infinite: none
    double effort, velocity; // infinite: none given
    double damping, friction;
    int mimic; // position = multiplier * that of this joint + offset; -1: none
    double multiplier, offset;
} sn_urdf_joint;

typedef struct sn_urdf {
    const char *name;
    sn_place place;
    sn_urdf_link *links;
    sn_urdf_joint *joints;
    sn_urdf_shape *shapes;
    int link_count, joint_count, shape_count;
    int root;   // link
    int *order; // joints, those nearer to the root first
} sn_urdf;

// Beyond this a limit of a joint is none: URDF has no other way to leave out one of the two.
#define SN_URDF_NO_LIMIT 1e30

// Joints that follow a joint that follows a joint ...
#define SN_URDF_MIMIC_LIMIT 100

// Who reads, and where mistakes go.
typedef struct sn_urdf_reader {
    sn_scene *scene;
    int source;
    sn_error_list *errors;
    bool strict; // what could be mended is an error
    int mistakes;
    bool out_of_memory;
} sn_urdf_reader;

// The robot of a text, in the scene's memory; NULL after mistakes, which are in reader->errors, or
// without memory.
sn_urdf *sn_urdf_read(sn_urdf_reader *reader, const char *text, size_t length);

// Joins links and joints to a tree.
void sn_urdf_join(sn_urdf_reader *reader, sn_urdf *urdf);

// Masses and inertias: those that no body has become the nearest possible ones, with a note each.
// Of what the world `holds`, together with the root, they do not matter.
void sn_urdf_mend_masses(sn_urdf_reader *reader, sn_urdf *urdf, bool holds);

void sn_urdf_fail(sn_urdf_reader *reader, sn_place place, const char *format, ...) SN_PRINTF(3, 4);
void sn_urdf_note(sn_urdf_reader *reader, sn_place place, const char *format, ...) SN_PRINTF(3, 4);

// A fault with an obvious meaning: a note "fault: remedy", or under `strict` the fault as an error.
void sn_urdf_mend(sn_urdf_reader *reader, sn_place place, const char *remedy, const char *format,
                  ...) SN_PRINTF(4, 5);

#endif
