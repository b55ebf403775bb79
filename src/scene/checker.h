// What the checks of a scene share: the scene, its names, and where mistakes go. The checks are
// asked for through check.h.
#ifndef SN_SCENE_CHECKER_H
#define SN_SCENE_CHECKER_H

#include "base/name_table.h"
#include "scene/model.h"

typedef struct sn_checker {
    sn_scene *scene;
    sn_error_list *errors;
    sn_status first;
    sn_name_table materials, things; // things: bodies, fields, joints, numbered through from 1
} sn_checker;

void sn_checker_fail(sn_checker *c, sn_place place, const char *format, ...) SN_PRINTF(3, 4);

// Index of a body; -1 for `own`, the word that means none in particular, and for what is not there,
// which is a mistake.
int sn_checker_find_body(sn_checker *c, const sn_item *item, const char *key, const char *name,
                         const char *own);

// A quaternion or an axis that has a direction.
void sn_checker_rotation(sn_checker *c, const sn_item *item, const sn_rotation_value *rotation);

// Joints: what they join and what their numbers are of; then the numbers themselves.
void sn_check_joint(sn_checker *c, sn_joint_item *joint);
void sn_check_joint_values(sn_checker *c, const sn_joint_item *joint);

#endif
