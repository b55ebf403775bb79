// Mobiles as a scene describes them (table_mobiles.c), and what becomes of them.
#ifndef SN_SCENE_MOBILE_ITEM_H
#define SN_SCENE_MOBILE_ITEM_H

#include "mobile/mobile.h"
#include "scene/model.h"
#include "sinew/mobile.h"

// Variants of a part, told by their leading keys.
typedef enum sn_scene_part {
    SN_SCENE_ARM,
    SN_SCENE_WIRE,
    SN_SCENE_LEAF,
    SN_SCENE_OUTLINE,
    SN_SCENE_PATH,
    SN_SCENE_DISC,
    SN_SCENE_BALL,
    SN_SCENE_SOLID,
} sn_scene_part;

typedef struct sn_part_item {
    sn_item item;
    const char *name;
    // how it hangs
    double at, drop, string, turn, tilt, height;
    const char *material;
    uint32_t colour;
    double mass;
    bool keep;
    // arms
    double arm, bow, thickness, hook, hook_thickness;
    sn_vector_list wire;
    bool smooth;
    sn_number_list between;
    sn_item_list carries; // of sn_part_item
    // pieces
    bool fixed, flat;
    double roll, sheet_thickness, bend, size, least, most;
    sn_number_list hole;
    int leaf; // sn_outline_preset
    double length, width, scale, radius;
    sn_vector_list outline;
    sn_loop_list holes;
    const char *path, *file, *unit;
    // found out later
    int order; // of its sn_part
} sn_part_item;

typedef struct sn_foot_item {
    sn_item item;
    double ground, reach, base, thickness;
    const char *material;
    uint32_t colour;
} sn_foot_item;

typedef struct sn_mobile_item {
    sn_item item;
    const char *name;
    sn_vec3 position;
    double turn;
    int balance; // sn_balance_for
    double mass;
    const char *material;
    double wire_thickness, sheet_thickness, height, string_thickness, string_density, damping;
    double least, most;
    sn_foot_item foot;
    double ceiling;
    sn_item_list hangs; // of one sn_part_item
    bool bound;         // some of its numbers are expressions
    struct sn_made_mobile *made;
} sn_mobile_item;

// What one part of a mobile became.
typedef struct sn_made_part {
    sn_part_item *item;
    const sn_material_item *material; // NULL: none
    sn_body_item *body;               // of what is not fixed
    sn_joint_item *joint;             // the ball joint it hangs by
    sn_body_item *string;             // NULL: none
    sn_joint_item *string_joint;
    sn_shape_item **shapes; // its own: capsules of a wire, or the one of a piece
    int shape_count;
    int body_shape_count;            // of its body, without stems
    sn_shape_item *stem, *drop_stem; // of an arm; on the arm that carries it. NULL: none
    sn_vec2 *wire, *points;          // filled when placed
    int *sizes;
    sn_mesh *mesh; // solid
} sn_made_part;

typedef struct sn_made_mobile {
    sn_mobile mobile;
    sn_made_part *parts;   // mobile.count
    sn_body_item *support; // foot or ceiling; NULL: none
    sn_shape_item *pole, *plate;
    sn_balance_for balanced; // what was balanced last
} sn_made_mobile;

#define SN_MOBILE(scene, i) ((sn_mobile_item *)(scene)->root.mobiles.data[i])

extern const sn_object sn_table_parts;

// Adds the bodies and joints of all mobiles to the scene. False after mistakes, which are in the
// list, or without memory (SN_ERROR_MEMORY in *status).
sn_status sn_mobiles_load(sn_scene *scene, sn_error_list *errors);
bool sn_mobiles_are_read(const sn_scene *scene);

// Puts their numbers there: of all, or (`again`) of those that depend on expressions. Mobiles that
// ask for it are balanced.
sn_status sn_mobiles_place(sn_scene *scene, bool again, sn_error_list *errors);
sn_status sn_mobile_item_place(sn_scene *scene, sn_mobile_item *item, sn_balance_for what,
                               sn_error_list *errors);

void sn_mobiles_free(sn_scene *scene);

// A mobile of the scene, placed; NULL: none of that number. What a part of it is made of, or NULL.
SN_API const sn_mobile *sn_scene_mobile(const sn_scene *scene, int mobile);
const sn_material_item *sn_scene_mobile_material(const sn_scene *scene, int mobile, int part);
uint32_t sn_scene_mobile_colour(const sn_scene *scene, int mobile, int part); // 0xRRGGBB

#endif
