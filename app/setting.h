// --set NAME=VALUE: a param of the scene, in its own unit or with one.
#ifndef SN_APP_SETTING_H
#define SN_APP_SETTING_H

#include "options.h"
#include "sinew/scene.h"

// Every setting of the command line. An exit code, after telling stderr what is wrong with a
// suggestion.
int sn_apply_settings(const sn_arguments *arguments, sn_scene *scene);

#endif
