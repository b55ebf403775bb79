// Reading a scene with everything it includes.
#ifndef SN_SCENE_LOAD_H
#define SN_SCENE_LOAD_H

#include "scene/model.h"

#define SN_INCLUDE_DEPTH_LIMIT 32

// Reads a text into the scene's root: its includes first, in their order, then itself.
sn_status sn_load_text(sn_scene *scene, const char *name, const char *folder, const char *text,
                       size_t length, const sn_scene_options *options, sn_error_list *errors);

#endif
