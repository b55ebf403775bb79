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
    sn_name_table materials, motions;
    sn_name_table things; // bodies, fields, joints, numbered through from 1
} sn_checker;

// Keeps the first failure; lack of memory comes before all.
void sn_checker_note(sn_checker *c, sn_status status);

void sn_checker_fail(sn_checker *c, sn_place place, const char *format, ...) SN_PRINTF(3, 4);

// What is no mistake, but may not be what was meant: a note of the scene.
void sn_checker_remark(sn_checker *c, sn_place place, const char *format, ...) SN_PRINTF(3, 4);

// Index of a body; -1 for `own`, the word that means none in particular, and for what is not there,
// which is a mistake.
int sn_checker_find_body(sn_checker *c, const sn_item *item, const char *key, const char *name,
                         const char *own);

// Index of a joint; -1 for what is not there, which is a mistake.
int sn_checker_find_joint(sn_checker *c, const sn_item *item, const char *key, const char *name);
// Index of a joint or, with `bond`, of a bond.
int sn_checker_find_joint_or_bond(sn_checker *c, const sn_item *item, const char *key,
                                  const char *name, bool *bond);

// "there is no <what> <name>", with the nearest name in the list, or all of them.
void sn_checker_fail_reference(sn_checker *c, sn_place place, const char *name, const char *what,
                               const sn_item_list *list);

// The same as an error without place.
sn_status sn_checker_miss_reference(sn_error *error, const char *name, const char *what,
                                    const sn_item_list *list);

// What `of` (NULL: the world) names and `quantity` is of. A mistake has for its place the key it is
// in, "of" or "quantity".
sn_status sn_checker_find_target(const sn_checker *c, const char *of, int quantity,
                                 sn_target *target, sn_error *error);

// A quaternion or an axis that has a direction.
void sn_checker_rotation(sn_checker *c, const sn_item *item, const sn_rotation_value *rotation);

// Shapes: keys that belong together; then, over all shapes, which groups they are in and meet; then
// their numbers.
void sn_check_shape(sn_checker *c, const sn_body_item *body, sn_shape_item *shape);
void sn_check_groups(sn_checker *c);
void sn_check_shape_values(sn_checker *c, const sn_shape_item *shape);

// Elastic bodies and their materials: keys that belong together, then numbers; then the mesh, into
// `next` (again: only if expressions are in it).
void sn_check_material(sn_checker *c, const sn_material_item *material);
void sn_check_material_values(sn_checker *c, const sn_material_item *material);
void sn_check_elastic(sn_checker *c, sn_body_item *body);
void sn_check_elastic_values(sn_checker *c, const sn_body_item *body);
sn_status sn_check_tetrahedra(sn_checker *c, const sn_body_item *body, bool again);

// Finds the material of every region by the keys of "materials": regions become the places of their
// materials in that list. SN_ERROR_SCENE: mistakes were told.
sn_status sn_check_regions(sn_checker *c, const sn_body_item *body, sn_tetrahedra **mesh,
                           sn_error *error);

// Joints: what they join and what their numbers are of; then the numbers themselves.
void sn_check_joint(sn_checker *c, sn_joint_item *joint);
void sn_check_joint_values(sn_checker *c, const sn_joint_item *joint);

// Limits and drives of a joint.
void sn_check_limits(sn_checker *c, const sn_joint_item *joint);
void sn_check_limit_values(sn_checker *c, const sn_joint_item *joint);
void sn_check_drives(sn_checker *c, const sn_joint_item *joint);

// A freedom that starts at this position is within its hard limits.
void sn_check_limit_start(sn_checker *c, const sn_joint_item *joint, int freedom, double position);

// Has the number the dimension that it has in this freedom? False, and a mistake, when not.
bool sn_check_freedom_unit(sn_checker *c, const sn_joint_item *joint, int freedom, const char *key,
                           const sn_quantity_value *value, sn_place place, sn_dimension_id sliding,
                           sn_dimension_id turning);

// Does a limit or drive leave everything as it is?
bool sn_item_is_empty(const sn_item *item);

void sn_check_motion(sn_checker *c, sn_motion_item *motion);
// The motion of this name (NULL: none); one that is not there is a mistake.
void sn_check_motion_name(sn_checker *c, const sn_item *item, const char *key, const char *name,
                          sn_motion_item **motion);
// The motion of a wind's strength, a share.
void sn_check_wind_strength(sn_checker *c, sn_field_item *field);
void sn_check_motion_values(sn_checker *c, const sn_motion_item *motion);

void sn_check_coupling(sn_checker *c, sn_coupling_item *coupling);
void sn_check_coupling_values(sn_checker *c, const sn_coupling_item *coupling);

// Bonds: what they hold and which keys belong together; then numbers.
void sn_check_bond(sn_checker *c, sn_bonding_item *bond);
void sn_check_bond_values(sn_checker *c, const sn_bonding_item *bond);
// Normals of planes that choose vertices.
void sn_check_choices(sn_checker *c, const sn_item_list *choices);

// Notes where contact will not act as the scene seems to expect.
void sn_check_contact(sn_checker *c);
// The integrator that a body has, its own or the run's.
int sn_body_item_integrator(const sn_scene *scene, const sn_body_item *body);

// All behaviours, once everything they may read has been checked.
void sn_check_behaviours(sn_checker *c);

#endif
