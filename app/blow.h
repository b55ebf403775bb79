// The option --blow FILE of verbs that simulate: a recorded breath drives a wind of the scene.
#ifndef SN_APP_BLOW_H
#define SN_APP_BLOW_H

#include "options.h"
#include "sinew/scene.h"

#define SN_OPTION_BLOW                                                                             \
    {                                                                                              \
        .name = "blow", .type = SN_OPTION_FILE, .value = "FILE.wav",                               \
        .doc = "blow at it: the sound of a breath on a microphone, as a WAV file, drives the "     \
               "scene's breath, or a cone from the camera's side"                                  \
    }

// Does what --blow says, if it is given: an exit code.
int sn_apply_blow(const sn_arguments *arguments, sn_scene *scene);

#endif
