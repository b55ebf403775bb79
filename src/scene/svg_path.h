// The "d" of an SVG path: all commands (M L H V C S Q T A Z, absolute and relative), as closed
// loops of straight pieces. SVG's y points down and is turned up.
//
// What it does not do: units, transforms, strokes; every subpath is closed, as filling does.
#ifndef SN_SCENE_SVG_PATH_H
#define SN_SCENE_SVG_PATH_H

#include "base/array.h"
#include "sinew/geometry.h"

typedef struct sn_svg_path {
    SN_ARRAY(sn_vec2) points; // all loops, one after the other, in the path's own units
    SN_ARRAY(int) sizes;      // of each loop
} sn_svg_path;

// Curves become `steps` pieces each. Refused with the byte of the first mistake; then, and when
// memory runs out, nothing is left to free.
SN_API sn_status sn_svg_path_read(const char *text, int steps, sn_svg_path *path, sn_error *error);
SN_API void sn_svg_path_free(sn_svg_path *path);

#endif
