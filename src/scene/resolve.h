// Expressions and params: from texts to numbers, and again whenever a param is turned.
#ifndef SN_SCENE_RESOLVE_H
#define SN_SCENE_RESOLVE_H

#include "scene/model.h"

// Compiles every expression and finds the order in which params depend on each other; a cycle is an
// error that names it.
sn_status sn_resolve_compile(sn_scene *scene, sn_error_list *errors);

// Evaluates params and expressions and checks their ranges. Nothing is carried to its target yet.
sn_status sn_resolve_evaluate(sn_scene *scene, sn_error_list *errors);

// Carries the values to their targets, or takes the last carrying back.
void sn_resolve_commit(sn_scene *scene);
void sn_resolve_revert(sn_scene *scene);

// A limit or the value of a param in its own unit.
double sn_param_in_unit(const sn_param_item *param, const sn_quantity_value *quantity);

#endif
