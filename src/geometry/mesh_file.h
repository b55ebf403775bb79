// A first look at mesh files, for what assimp does not get along with: it never comes back from
// some broken PLY headers, and loses memory on text STL files that break off.
#ifndef SN_GEOMETRY_MESH_FILE_H
#define SN_GEOMETRY_MESH_FILE_H

#include "sinew/base.h"

// The header has its end, and in between only lines of the format. The error's place is path:line.
sn_status sn_ply_file_check(const char *path, sn_error *error);

// A file that starts with "solid" and is not binary ends with "endsolid".
sn_status sn_stl_file_check(const char *path, sn_error *error);

#endif
