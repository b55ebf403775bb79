// How options say what a picture shall be like.
#ifndef SN_APP_PICTURE_OPTION_H
#define SN_APP_PICTURE_OPTION_H

#include "options.h"
#include "sinew/draw.h"

// "1280x720"
bool sn_read_size(const char *text, int *width, int *height);

// A word, or eye[/target[/degrees]]. An exit code, after telling stderr what is wrong.
int sn_read_camera(const sn_verb *verb, const char *text, sn_picture_def *def);

#endif
